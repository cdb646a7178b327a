"""The REST interface: questions and their events, documents, files sent in, and who is let in at all."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pymupdf
import pytest
from conftest import LetterEmbedder, letters
from corpus import use_letters, write
from fake_server import FakeServer, Step, fails, writes
from serving import events, running
from starlette.testclient import TestClient

import kohaku
from indexer.reading import Reading
from indexer.sandbox import Work
from kohaku.doors.serving import bound, serve
from kohaku.doors.web.app import application
from kohaku.doors.web.guard import HEADERS, MOST_JSON_BYTES, Gate, refusal
from kohaku.doors.web.uploads import safe_name
from kohaku.errors import KohakuError, NoSuchStore, ReadError, SettingsError
from kohaku.settings import load
from kohaku.store import Store
from kohaku.tree import Vectors

HERE = "http://127.0.0.1:8080"
QUESTION = "How much water did Lake Site draw in 2023?"
ASK = {"question": QUESTION, "unit": "litres"}
KEY = "sk-secret-0123456789"
TOKEN = "0123456789abcdef-token"
REPLY = {
    "explanation": "As the report says.",
    "answer": "5.5 million litres",
    "answer_value": "5500000",
    "ref_id": ["lake"],
    "quotes": ["Lake Site drew 5.5 million litres of water in 2023."],
    "is_blank": False,
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the small corpus and a PDF of two pages, for the tests to copy."""
    folder = tmp_path_factory.mktemp("made")
    files = write(folder / "files")
    with pymupdf.open() as pdf:
        for line in ("The first page speaks of wind.", "The turbine turned 4,321 times."):
            pdf.new_page(width=300, height=400).insert_text((50, 100), line, fontsize=12)
        pdf.save(files / "wind.pdf")
    with pytest.MonkeyPatch.context() as patch:
        use_letters(patch)
        kohaku.index([files], folder / "my.db")
    return folder / "my.db"


@pytest.fixture
def db(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    use_letters(monkeypatch)

    def here(path: Path, reading: Reading, work: Work[Any]) -> Any:
        return work(path, reading)

    monkeypatch.setattr("indexer.pictures.boxed", here)
    return Path(shutil.copy(made, tmp_path))


Connect = Callable[..., TestClient]


@pytest.fixture
def connect(db: Path) -> Iterator[Connect]:
    """Makes clients of the application; further arguments are settings."""
    made: list[TestClient] = []

    def connect(gate: Gate | None = None, **settings: Any) -> TestClient:
        app = application(load({"db": db, **settings}), gate or Gate.of("127.0.0.1"))
        made.append(TestClient(app, base_url=HERE, raise_server_exceptions=False))
        made[-1].__enter__()
        return made[-1]

    yield connect
    for client in made:
        client.__exit__()


@pytest.fixture
def client(connect: Connect) -> TestClient:
    return connect()


@pytest.fixture
def model(server: FakeServer) -> dict[str, Any]:
    """The settings that name a scripted model, which writes its answers word by word."""
    server.otherwise = answers
    return {"model": "scripted", "base_url": server.url, "api_key": KEY, "tries": 1, "prices": {"scripted": (1e6, 0)}}


def answers(body: dict[str, Any]) -> Step:
    if asked_for(body) == "query_plan":
        return writes(json.dumps({"queries": ["water drawn"]}))
    return writes(json.dumps(REPLY))


def asked_for(body: dict[str, Any]) -> str:
    return str(body["response_format"]["json_schema"]["name"])


# ---- questions


def test_a_question_gets_its_checked_answer_with_numbered_citations_and_its_trace(client: TestClient) -> None:
    answer = client.post("/api/answer", json=ASK).json()
    assert (answer["value"], answer["reader"], answer["is_blank"]) == ("5500000", "built-in reader", False)
    [citation] = answer["citations"]
    assert citation["number"] == 1 and citation["quote"] in "Lake Site drew 5.5 million litres of water in 2023."
    assert citation["headings"] == ["Lake Site report", "Water"]
    assert [source["id"] for source in answer["sources"]] == ["lake"]
    [reading] = answer["trace"]["rounds"]
    assert QUESTION in reading["queries"] and reading["lists"] and reading["contexts"][0]["why"]["findings"]
    assert answer["trace"]["usage"]["calls"] == 0


def test_the_events_of_a_question_end_with_the_answer(client: TestClient) -> None:
    told = events(client.post("/api/answer/stream", json=ASK).text)
    assert [name for name, _ in told] == ["planned", "searched", "evidence", "draft", "answer"]
    assert told[1][1]["hits"] > 0 and told[2][1]["contexts"]
    assert told[-1][1]["value"] == "5500000"


def test_a_models_words_come_as_they_are_written_and_its_checked_answer_last(
    connect: Connect, model: dict[str, Any], server: FakeServer
) -> None:
    told = events(connect(**model).post("/api/answer/stream", json=ASK).text)
    written = [data for name, data in told if name == "text"]
    for field in ("explanation", "answer"):
        assert "".join(one["text"] for one in written if one["field"] == field) == REPLY[field]
    assert len(written) > 5
    answer = told[-1][1]
    assert answer["text"] == "5.5 million litres" and answer["grounding"]["how"] in ("stated", "converted")
    calls = answer["trace"]["calls"]
    assert [call["stage"] for call in calls] == ["query_plan", "answer"]
    assert answer["trace"]["usage"]["cost"] == 14.0
    assert server.keys[-1] == f"Bearer {KEY}" and KEY not in json.dumps(told)


def test_what_a_model_writes_is_provisional_until_it_is_checked(
    connect: Connect, model: dict[str, Any], server: FakeServer
) -> None:
    invented = {**REPLY, "ref_id": ["nowhere"], "quotes": ["made up"], "answer_value": "77"}
    server.otherwise = lambda body: writes(json.dumps(invented)) if asked_for(body) == "answer" else answers(body)
    told = events(connect(**model, retries=0).post("/api/answer/stream", json=ASK).text)
    assert any(name == "text" for name, _ in told)
    assert told[-1][0] == "answer" and told[-1][1]["is_blank"] and told[-1][1]["dropped"] == 2


def test_a_failing_model_is_an_error_in_a_line_without_its_key(
    connect: Connect, model: dict[str, Any], server: FakeServer
) -> None:
    server.otherwise = lambda body: fails(401, f"Incorrect API key provided: {KEY}")
    client = connect(**model)
    told = events(client.post("/api/answer/stream", json=ASK).text)
    assert told[-1][0] == "error" and "no such key" in told[-1][1]["detail"]
    response = client.post("/api/answer", json=ASK)
    assert response.status_code == 502 and KEY not in response.text + json.dumps(told)


def test_a_question_has_a_deadline(connect: Connect, model: dict[str, Any], server: FakeServer) -> None:
    server.otherwise = lambda body: (
        writes(json.dumps(REPLY) * 9, pause=0.02) if "answer" in str(body) else answers(body)
    )
    response = connect(**model, deadline=0.2).post("/api/answer", json=ASK)
    assert response.status_code == 502 and "deadline" in response.json()["detail"]


def test_evidence_can_be_asked_for_alone_and_kept_to_documents(client: TestClient) -> None:
    asked = {"question": "What was the PUE?", "scope": {"documents": ["north"]}, "settings": {"budget": 100}}
    evidence = client.post("/api/retrieve", json=asked).json()
    assert {context["document"] for context in evidence["contexts"]} == {"north"}
    assert evidence["tokens"] <= 100 and evidence["within"] == [1, 4]


def test_what_can_not_be_asked_is_refused_in_a_line(client: TestClient) -> None:
    for asked in (
        {"question": " "},
        {"question": "x" * 5000},
        {"question": "x", "settings": {"budget": 1}},
        {"question": "x", "settings": {"base_url": "http://evil.example"}},
        {"question": "x", "settings": {"model": "another"}},
        {"question": "x", "settings": {"hyde": True}},
        {"question": "x", "settings": {"strict": 1}},
        {"question": "x", "settings": {"retries": True}},
        {"question": "x", "scope": {"kinds": ["nonsense"]}},
        {"question": "x", "scope": {"where": ["nonsense"]}},
        {"question": "x", "scope": {"documents": ["none such"]}},
        {},
    ):
        response = client.post("/api/answer", json=asked)
        assert response.status_code == 422 and isinstance(response.json()["detail"], str), asked
    plain = client.post("/api/answer", content='{"question": "x"}', headers={"Content-Type": "text/plain"})
    assert plain.status_code == 422 and "Content-Type: application/json" in plain.json()["detail"]


def test_a_question_may_choose_settings_and_who_reads(
    connect: Connect, model: dict[str, Any], server: FakeServer
) -> None:
    client = connect(**model)
    info = client.get("/api/info").json()
    assert info["models"] == ["scripted"] and info["settings"]["budget"] == 6000
    answer = client.post("/api/answer", json={**ASK, "settings": {"model": "", "budget": 200}}).json()
    assert answer["reader"] == "built-in reader" and not server.requests
    assert answer["trace"]["rounds"][0]["tokens"] <= 200


def test_an_answer_can_be_had_as_a_submission_as_json_and_as_markdown(client: TestClient) -> None:
    answer = client.post("/api/answer", json={**ASK, "question": f"{QUESTION} <b>*now*</b>"}).json()
    got = {form: client.get(f"/api/answers/{answer['id']}/export?format={form}") for form in ("csv", "json", "md")}
    [row] = csv.DictReader(io.StringIO(got["csv"].text))
    assert (row["answer_value"], row["ref_id"]) == ("5500000", "['lake']")
    assert got["json"].json() == answer == client.get(f"/api/answers/{answer['id']}").json()
    assert "[1]" in got["md"].text and "<b>" not in got["md"].text.replace("\\<b\\>", "")
    assert all(response.headers["content-disposition"].startswith("attachment") for response in got.values())
    assert client.get("/api/answers/none/export?format=csv").status_code == 404
    kept = {"answers": [{name: value for name, value in answer.items() if name != "trace"}, answer]}
    many = {form: client.post(f"/api/export?format={form}", json=kept) for form in ("csv", "md")}
    rows = list(csv.DictReader(io.StringIO(many["csv"].text)))
    assert rows == [{**row, "id": "q1"}, {**row, "id": "q2"}]
    assert many["md"].text.count(got["md"].text.strip()) == 2
    assert client.post("/api/export?format=csv", json={"answers": []}).status_code == 422


# ---- at once, and gone


def test_several_questions_are_answered_at_once(db: Path, model: dict[str, Any], server: FakeServer) -> None:
    together = threading.Barrier(3, timeout=10)

    def otherwise(body: dict[str, Any]) -> Step:
        if asked_for(body) == "answer":
            together.wait()  # passes only where three are asked for at once
        return answers(body)

    server.otherwise = otherwise
    with running(load({"db": db, **model})) as place:
        found: list[str] = []

        def ask(number: int) -> None:
            asked = {**ASK, "question": f"{QUESTION} ({number})"}
            found.append(httpx2.post(f"{place}/api/answer", json=asked, timeout=20).json()["value"])

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == ["5500000"] * 3


def test_a_client_that_leaves_ends_the_work(db: Path, model: dict[str, Any], server: FakeServer) -> None:
    server.otherwise = lambda body: (
        writes(json.dumps(REPLY) * 50, pause=0.01) if asked_for(body) == "answer" else answers(body)
    )
    with running(load({"db": db, **model})) as place:
        with httpx2.stream("POST", f"{place}/api/answer/stream", json=ASK, timeout=20) as response:
            for line in response.iter_lines():
                if line == "event: text":
                    break
        until = time.monotonic() + 10
        while not server.hung_up and time.monotonic() < until:
            time.sleep(0.01)
    assert server.hung_up == 1 and server.pieces < 500


def test_an_index_that_is_made_anew_is_the_one_that_answers(client: TestClient, db: Path, tmp_path: Path) -> None:
    assert client.get("/api/documents").json()["total"] == 4
    assert client.get("/api/node?id=none").status_code == 404
    db.unlink()
    assert client.get("/api/documents").status_code == 500 and client.post("/api/answer", json=ASK).status_code == 500
    kohaku.index([write(tmp_path / "other", {"other.md": "Lake Site drew 3 litres of water in 2023."})], db)
    assert client.get("/api/documents").json()["total"] == 1
    assert client.post("/api/answer", json=ASK).json()["value"] == "3"


def test_it_tells_its_address_and_ctrl_c_ends_it_as_done(db: Path) -> None:
    program = [sys.executable, str(Path(__file__).parent / "letters_cli.py"), "serve", "--port", "0", "--db", str(db)]
    with subprocess.Popen([*program, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as started:
        try:
            assert started.stdout is not None and started.stderr is not None
            place = json.loads(started.stdout.readline())["url"]
            assert place in started.stderr.readline() + started.stderr.readline()
            assert httpx2.get(place, timeout=20).status_code == 200
            started.send_signal(signal.SIGINT)
            assert started.wait(20) == 0
        finally:
            started.kill()


# ---- documents


def test_documents_are_listed_searched_and_browsed(client: TestClient) -> None:
    listed = client.get("/api/documents").json()
    assert listed["total"] == 4 and [one["id"] for one in listed["documents"]] == ["lake", "north", "songdeli", "wind"]
    assert client.get("/api/documents?q=LAKE report").json()["total"] == 1
    assert client.get("/api/document?id=wind").json()["has_pictures"] is True
    top = client.get("/api/children?id=lake").json()
    section = client.get("/api/children", params={"id": top["children"][0]["id"]}).json()["children"]
    assert [one["label"] for one in section if one["kind"] == "section"] == ["Power", "Water"]
    first = client.get("/api/children", params={"id": top["children"][0]["id"], "limit": 1}).json()
    assert first["more"] is True and len(first["children"]) == 1
    assert "files" in listed["documents"][0] and "/" not in str(listed["documents"][0]["files"])


def test_a_node_comes_with_its_path_its_neighbours_and_its_place(client: TestClient) -> None:
    found = client.post("/api/retrieve", json={"question": "How often did the turbine turn?"}).json()
    id = next(one["node"] for one in found["contexts"] if "4,321" in one["text"])
    node = client.get("/api/node", params={"id": id}).json()
    assert node["pages"][-1] == 2 and node["boxes"] and node["ancestors"][0]["id"] == "wind"
    assert client.get("/api/node?id=none").status_code == 404
    whole = client.get("/api/node?id=wind").json()
    assert not whole["is_cut"] and whole["boxes"] == [] and "4,321" in whole["text"]


def test_of_a_long_text_the_beginning_is_told(connect: Connect, db: Path, tmp_path: Path) -> None:
    kohaku.index([write(tmp_path / "long", {"long.txt": "All words count here. " * 2000})], db)
    node = connect().get("/api/node?id=long").json()
    assert node["is_cut"] and len(node["text"]) == 20_000


def test_a_page_is_a_picture_with_its_size_in_points(client: TestClient, made: Path) -> None:
    page = client.get("/api/page?document=wind&number=2")
    assert page.content.startswith(b"\x89PNG")
    assert (page.headers["x-page-width"], page.headers["x-page-height"]) == ("300", "400")
    for query in ("document=wind&number=3", "document=lake&number=1", "document=none&number=1"):
        assert client.get(f"/api/page?{query}").status_code == 404
    source = made.with_name("files") / "wind.pdf"
    content = source.read_bytes()
    source.write_bytes(b"another file")
    changed = client.get("/api/page?document=wind&number=1")
    source.write_bytes(content)
    assert changed.status_code == 422 and "index it again" in changed.json()["detail"]
    assert client.get("/api/page?document=wind&number=2").status_code == 200  # drawn before


# ---- files sent in


def sent(client: TestClient, name: str, content: bytes) -> dict[str, Any]:
    """The last that is told of a file that was sent in."""
    response = client.post("/api/files", params={"name": name}, content=content)
    assert response.status_code == 202, response.text
    told = events(client.get(f"/api/jobs/{response.json()['id']}/stream").text)
    assert {name for name, _ in told} == {"job"}
    last: dict[str, Any] = told[-1][1]
    assert client.get(f"/api/jobs/{last['id']}").json()["state"] == last["state"]
    return last


def test_a_file_is_indexed_and_answers_questions(client: TestClient, db: Path) -> None:
    job = sent(client, "../../etc/Moor Hall?.md", b"# Moor Hall\n\nMoor Hall drew 8 million litres of water in 2021.\n")
    assert (job["state"], job["document"], job["line"]) == ("done", "Moor-Hall", "indexed")
    assert job["done"] == job["total"] > 0
    answer = client.post(
        "/api/answer", json={"question": "How much water did Moor Hall draw?", "unit": "litres"}
    ).json()
    assert answer["value"] == "8000000"
    [kept] = db.with_name("my.db.files").rglob("*.md")
    assert kept.parent.parent.name == "my.db.files"
    assert not list(db.parent.parent.rglob("Moor Hall*"))


class Seeing(LetterEmbedder):
    """An embedder for which every picture is red."""

    fingerprint = "letters-default/26"
    takes_images = True

    def embed_images(self, images: list[bytes]) -> Vectors:
        return self.embed_questions(["red"] * len(images))


def test_figures_of_a_file_sent_in_are_found_by_their_pictures(
    connect: Connect, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kohaku.embedders.load", lambda *_, **__: Seeing())
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=300, height=400)
        shade = pymupdf.Pixmap(pymupdf.csGRAY, 160, 120, bytes(at % 160 for at in range(160 * 120)), False)
        page.insert_image((50, 50, 250, 200), pixmap=shade)
        page.insert_text((50, 220), "Figure 1: The wheel of the mill.", fontsize=10)
        sent(connect(), "mill.pdf", pdf.tobytes())
    with Store.open(db) as store:
        [hits] = store.nearest_pictures(letters(["red"]), 5)
        assert [node.document for node in store.nodes(hit.key for hit in hits).values()] == ["mill"]


def test_the_same_file_again_is_known_and_another_of_its_name_takes_nothing_away(client: TestClient) -> None:
    first = sent(client, "moor.txt", b"Moor Hall has 8 rooms.")
    assert sent(client, "moor.txt", b"Moor Hall has 8 rooms.")["line"] == "the index holds it already"
    other = sent(client, "moor.txt", b"Moor Hall has 9 rooms.")
    assert first["document"] == "moor" and other["document"] not in ("moor", "")
    assert client.get("/api/documents").json()["total"] == 6


def test_a_file_that_can_not_be_read_is_told_and_not_kept(client: TestClient, db: Path) -> None:
    job = sent(client, "broken.pdf", b"%PDF-1.7 no more")
    assert job["state"] == "failed" and job["line"]
    assert not [path for path in db.with_name("my.db.files").rglob("*") if path.is_file()]
    assert client.get("/api/documents").json()["total"] == 4


@pytest.mark.parametrize(
    ("name", "content", "status"),
    [("a.exe", b"x", 422), ("a.pdf", b"", 422), ("pdf", b"x", 422), ("a.txt", b"x" * 1_000_001, 413)],
)
def test_files_of_other_kinds_empty_or_large_ones_are_refused(
    connect: Connect, db: Path, name: str, content: bytes, status: int
) -> None:
    response = connect(upload_mb=1).post("/api/files", params={"name": name}, content=content)
    assert response.status_code == status and response.json()["detail"]
    assert not list(db.with_name("my.db.files").rglob("*"))


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a.PDF", "a.pdf"),
        ("/etc/passwd/../x y.md", "x-y.md"),
        ("..\\..\\win.ini.txt", "win-ini.txt"),
        ("....pdf", "file.pdf"),
        ("名前.pdf", "名前.pdf"),
        ("a\x00b\n.pdf", "a-b.pdf"),
        ("-rf.txt", "rf.txt"),
        (f"{'x' * 500}.txt", f"{'x' * 80}.txt"),
    ],
)
def test_a_files_name_becomes_one_of_ours(given: str, kept: str) -> None:
    assert safe_name(given) == kept


@pytest.mark.parametrize("given", ["", ".", "..", "a", "a.", "a.pdf/", "a.exe", ".pdf/x"])
def test_a_name_without_a_known_suffix_is_refused(given: str) -> None:
    with pytest.raises(ReadError, match="no reader"):
        safe_name(given)


# ---- who is let in


LOCAL = Gate.of("127.0.0.1")
OPEN = Gate.of("0.0.0.0", token=TOKEN, names=["docs.example.org"])


@pytest.mark.parametrize(
    ("gate", "host", "status"),
    [
        (LOCAL, "127.0.0.1:8080", None),
        (LOCAL, "LOCALHOST", None),
        (LOCAL, "[::1]:80", None),
        (LOCAL, "evil.example:8080", 403),
        (LOCAL, "127.0.0.1.evil.example", 403),
        (LOCAL, "192.168.0.7", 403),
        (LOCAL, "", 403),
        (LOCAL, "user@127.0.0.1", 403),
        (LOCAL, "127.0.0.1/x", 403),
        (LOCAL, "[", 403),
        (OPEN, "192.168.0.7:8080", None),
        (OPEN, "docs.example.org", None),
        (OPEN, "evil.example", 403),
    ],
)
def test_only_by_its_own_names_is_the_server_known(gate: Gate, host: str, status: int | None) -> None:
    refused = refusal(gate, "GET", "/", {"host": host})
    assert (refused.status if refused else None) == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, None),
        ({"origin": "http://127.0.0.1:8080"}, None),
        ({"origin": "https://127.0.0.1:8080"}, None),  # behind a proxy that speaks TLS
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://[::1"}, 403),
        ({"sec-fetch-site": "same-origin"}, None),
        ({"sec-fetch-site": "none"}, None),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"transfer-encoding": "chunked"}, 411),
        ({"content-length": str(MOST_JSON_BYTES + 1)}, 413),
        ({"content-length": "-1"}, 413),
    ],
)
def test_other_sites_pages_and_large_requests_are_refused(headers: dict[str, str], status: int | None) -> None:
    refused = refusal(LOCAL, "POST", "/api/answer", {"host": "127.0.0.1:8080", **headers})
    assert (refused.status if refused else None) == status


def test_with_a_token_nothing_but_the_page_itself_is_had_without_it(connect: Connect) -> None:
    client = connect(Gate.of("127.0.0.1", token=TOKEN))
    for headers in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": TOKEN},
    ):
        for path in ("/api/info", "/api/openapi.json", "/api/nothing"):
            response = client.get(path, headers=headers)
            assert response.status_code == 401 and response.headers["www-authenticate"] == "Bearer"
    assert client.get("/api/info", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert TOKEN not in client.get("/api/info", headers={"Authorization": f"Bearer {TOKEN}"}).text


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7", "example.org"])
def test_where_others_can_reach_it_the_server_does_not_start_without_a_good_token(db: Path, host: str) -> None:
    for token in (None, "short", "ünïcode-ünïcode-ünïcode"):
        with pytest.raises(SettingsError, match=r"token|TOKEN"):
            serve(load({"db": db, "token": token}), host=host, port=0, on_start=lambda url: pytest.fail("it started"))


def test_a_server_needs_an_index_and_a_free_port(db: Path) -> None:
    with pytest.raises(NoSuchStore, match="kohaku index"):
        serve(load({"db": "none.db"}), host="127.0.0.1", port=0, on_start=print)
    with bound("127.0.0.1", 0) as taken, pytest.raises(KohakuError, match="try --port"):
        serve(load({"db": db}), host="127.0.0.1", port=taken.getsockname()[1], on_start=print)


def test_every_response_forbids_browsers_what_it_does_not_need(client: TestClient) -> None:
    for path in ("/", "/page.js", "/api/info", "/api/none", "/nothing", "/api/openapi.json"):
        response = client.get(path)
        assert {name: response.headers[name] for name in HEADERS} == HEADERS
    refused = client.get("/api/info", headers={"Host": "evil.example"})
    assert refused.status_code == 403 and refused.headers["content-security-policy"]
    assert "unsafe" not in HEADERS["Content-Security-Policy"]


def test_the_interface_describes_itself(client: TestClient) -> None:
    described = client.get("/api/openapi.json").json()
    retries = described["components"]["schemas"]["Choices"]["properties"]["retries"]["anyOf"][0]
    assert retries == {"type": "integer", "minimum": 0, "maximum": 5}
    assert {"/api/answer", "/api/answer/stream", "/api/files", "/api/page"} <= described["paths"].keys()
    assert "AnswerOut" in described["components"]["schemas"]
    assert not re.search("password|api_key", json.dumps(described))
