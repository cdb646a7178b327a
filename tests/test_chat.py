from __future__ import annotations

import base64
import email.utils
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import pytest
from fake_server import DROP, FakeServer, Step, fails, says
from pydantic import BaseModel

from kohaku import endpoint
from kohaku.chat import Chat, Message, OpenAIChat
from kohaku.errors import ContextTooLong, ModelError, NoAccess, ReplyError
from kohaku.faults import Fault, Remedy, remedy, scrub, wanted_wait
from kohaku.request import strict_schema


class Part(BaseModel):
    id: int
    query: str


class Plan(BaseModel):
    schema_name: ClassVar[str] = "query_plan"
    queries: list[str]


class Parts(BaseModel):
    parts: list[Part]
    note: str = ""


MESSAGES = [Message("system", "You plan."), Message("user", "Plan this.")]
GOOD = says('{"queries": ["a"]}')
PLAN = Plan(queries=["a"])
KEY = "sk-secret-0123456789"


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


Connect = Callable[..., OpenAIChat]


@pytest.fixture
def connect(server: FakeServer) -> Iterator[Connect]:
    """Makes clients of the server that note what they would have waited, and close at the end."""
    made: list[OpenAIChat] = []

    def make(**options: Any) -> OpenAIChat:
        chat = OpenAIChat("m", **{"base_url": server.url, "sleep": lambda seconds: None, **options})
        made.append(chat)
        return chat

    yield make
    for chat in made:
        chat.close()


def test_a_reply_comes_back_as_its_schema_and_is_counted(server: FakeServer, connect: Connect) -> None:
    server.play(GOOD)
    chat: Chat = connect(seed=5, temperature=0.5, max_output=99)
    assert chat.ask(MESSAGES, Plan) == PLAN
    [request] = server.requests
    assert (request["model"], request["seed"], request["temperature"], request["max_tokens"]) == ("m", 5, 0.5, 99)
    assert request["response_format"]["type"] == "json_schema"
    assert request["response_format"]["json_schema"]["name"] == "query_plan"
    assert request["messages"][1] == {"role": "user", "content": "Plan this."}


def test_usage_counts_calls_and_tokens(server: FakeServer, connect: Connect) -> None:
    server.play(fails(500, "oops"), GOOD, GOOD)
    chat = connect()
    chat.ask(MESSAGES, Plan)
    chat.ask(MESSAGES, Plan)
    assert (chat.usage.calls, chat.usage.prompt_tokens, chat.usage.completion_tokens) == (3, 14, 6)
    assert chat.usage.failures == 0
    assert chat.usage.waited > 0


def test_the_schema_sent_is_strict_and_refers_to_nothing() -> None:
    schema = strict_schema(Parts)
    assert schema["required"] == ["parts", "note"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["parts"]["items"]["required"] == ["id", "query"]
    assert "$" not in json.dumps(schema)


@pytest.mark.parametrize(
    "fault",
    [
        fails(429, "slow down", headers={"Retry-After": "0"}),
        fails(500, "internal"),
        fails(503, "loading model"),
        fails(529, "overloaded"),
        fails(408, "timeout"),
        DROP,
        Step(200, b'{"choices": [{"mess'),
        Step(200, {"error": {"code": 502, "message": "the provider is down"}}),
    ],
)
def test_passing_faults_and_lost_connections_are_tried_again(server: FakeServer, connect: Connect, fault: Step) -> None:
    server.play(fault, fault, GOOD)
    assert connect().ask(MESSAGES, Plan) == PLAN
    assert len(server.requests) == 3


def test_a_timeout_is_tried_again(server: FakeServer, connect: Connect) -> None:
    held = threading.Event()

    def slow(body: dict[str, Any]) -> Step:
        if len(server.requests) == 1:
            held.wait(5)
        return GOOD

    server.otherwise = slow
    assert connect(timeout=0.2).ask(MESSAGES, Plan) == PLAN
    held.set()


def test_tries_are_bounded_and_the_last_fault_is_told(server: FakeServer, connect: Connect) -> None:
    server.otherwise = lambda body: fails(500, "out of order")
    chat = connect(tries=3)
    with pytest.raises(ModelError, match=r"3 times.*500: out of order") as caught:
        chat.ask(MESSAGES, Plan)
    assert not isinstance(caught.value, ContextTooLong)
    assert (len(server.requests), chat.usage.failures) == (3, 1)


@pytest.mark.parametrize(
    ("headers", "message", "least"),
    [
        ({"Retry-After": "7"}, "", 7),
        ({"retry-after-ms": "1500"}, "", 1.5),
        ({}, "Rate limit reached. Please try again in 200ms.", 0.2),
        ({}, "Please retry after 1m2.5s.", 62.5),
    ],
)
def test_a_server_that_asks_to_wait_is_waited_for(
    server: FakeServer, connect: Connect, headers: dict[str, str], message: str, least: float
) -> None:
    waits: list[float] = []
    server.play(fails(429, message, headers=headers), GOOD)
    connect(sleep=waits.append, base_delay=0.01).ask(MESSAGES, Plan)
    [wait] = waits
    assert least <= wait <= least + 0.01


def test_waits_double_where_the_server_names_none(server: FakeServer, connect: Connect) -> None:
    waits: list[float] = []
    server.play(*[fails(500, "")] * 4, GOOD)
    connect(sleep=waits.append, base_delay=1).ask(MESSAGES, Plan)
    assert all(0.75 * 2**n <= wait <= 1.25 * 2**n for n, wait in enumerate(waits))


def test_a_retry_after_may_be_a_date() -> None:
    date = email.utils.formatdate(1_000_030, usegmt=True)
    assert wanted_wait(Fault(429, "", headers={"retry-after": date}), now=1_000_000) == 30
    assert wanted_wait(Fault(429, "", headers={"retry-after": date}), now=1_000_090) == 0
    assert wanted_wait(Fault(429, "later", headers={"retry-after": "soon"})) is None
    assert wanted_wait(Fault(429, "", headers={"retry-after": "Fri, 31 Dec 99999 23:59:59 GMT"})) is None


def test_a_server_that_asks_for_an_hour_is_left_to_the_next_run(server: FakeServer, connect: Connect) -> None:
    server.play(fails(429, "quota", headers={"Retry-After": "3600"}))
    with pytest.raises(ModelError, match="asks to wait 3600 s: run again"):
        connect().ask(MESSAGES, Plan)


@pytest.mark.parametrize(
    ("status", "advice"),
    [(401, "set OPENAI_API_KEY"), (403, "may use model 'm'"), (404, "check --model and --base-url")],
)
def test_a_refusal_fails_at_once_and_says_what_to_do(
    server: FakeServer, connect: Connect, status: int, advice: str
) -> None:
    server.play(fails(status, "no"))
    with pytest.raises(ModelError, match=advice) as caught:
        connect().ask(MESSAGES, Plan)
    assert len(server.requests) == 1
    assert "\n" not in str(caught.value)


def test_an_empty_account_is_not_asked_again(server: FakeServer, connect: Connect) -> None:
    server.play(fails(429, "You exceeded your current quota", code="insufficient_quota"))
    with pytest.raises(ModelError, match="no quota left"):
        connect().ask(MESSAGES, Plan)


@pytest.mark.parametrize("status", [400, 401, 500])
def test_the_key_is_never_shown(server: FakeServer, connect: Connect, status: int) -> None:
    words = f"Incorrect key {KEY}, that is sk-secre*******6789,\nin 'Authorization: Bearer {KEY}'"
    server.otherwise = lambda body: fails(status, words)
    with pytest.raises(ModelError) as caught:
        connect(api_key=KEY, tries=2).ask(MESSAGES, Plan)
    assert server.keys[0] == f"Bearer {KEY}"
    shown: list[BaseException | None] = [caught.value, caught.value.__cause__]
    assert not any("secre" in str(error) or "6789" in str(error) for error in shown)
    assert caught.value.__suppress_context__


def test_a_password_in_the_url_is_never_shown(server: FakeServer, connect: Connect) -> None:
    server.otherwise = lambda body: fails(500, "no")
    with pytest.raises(ModelError) as caught:
        connect(base_url=server.url.replace("//", "//me:hidden@"), tries=1).ask(MESSAGES, Plan)
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize(
    "fault",
    [
        fails(400, "too big", code="context_length_exceeded"),
        fails(400, "This model's maximum context length is 128000 tokens, you requested 128500 tokens."),
        fails(
            400, "the request exceeds the available context size, try increasing it", type="exceed_context_size_error"
        ),
        fails(500, "context size exceeded"),
        fails(413, "Request too large for model `m`"),
        fails(400, "prompt is too long: 201500 tokens > 200000 maximum"),
        fails(429, "Request too large for m: Limit 30000, Requested 50000."),
    ],
)
def test_a_prompt_that_is_too_long_is_told_at_once(server: FakeServer, connect: Connect, fault: Step) -> None:
    server.play(fault)
    with pytest.raises(ContextTooLong):
        connect().ask(MESSAGES, Plan)
    assert len(server.requests) == 1


def test_128500_tokens_are_no_server_error() -> None:
    assert remedy(Fault(400, "you requested 128500 tokens"))[0] is Remedy.GIVE_UP
    assert remedy(Fault(400, "maximum context length is 128000, not 128500"))[0] is Remedy.LESS


@pytest.mark.parametrize(
    "refusal",
    [
        fails(400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."),
        fails(400, "bad", param="response_format"),
        fails(422, "json_schema: extra fields not permitted"),
        fails(404, "No endpoints found that can handle the requested parameters."),
        fails(500, "failed to parse grammar"),
    ],
)
def test_a_refused_format_is_asked_for_more_plainly_and_remembered(
    server: FakeServer, connect: Connect, refusal: Step
) -> None:
    server.play(refusal, GOOD, GOOD)
    chat = connect()
    assert [chat.ask(MESSAGES, Plan), chat.ask(MESSAGES, Plan)] == [PLAN, PLAN]
    assert [request["response_format"]["type"] for request in server.requests] == [
        "json_schema",
        "json_object",
        "json_object",
    ]
    assert '"queries"' in server.prompt()


def test_a_server_that_takes_no_format_at_all_gets_the_schema_in_words(server: FakeServer, connect: Connect) -> None:
    server.otherwise = lambda body: fails(400, "response_format unsupported") if "response_format" in body else GOOD
    assert connect().ask(MESSAGES, Plan) == PLAN
    assert len(server.requests) == 3
    assert "JSON object of this schema" in server.prompt()


@pytest.mark.parametrize(
    ("message", "gone"),
    [
        (
            "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) is.",
            "temperature",
        ),
        ("Unrecognized request argument supplied: seed", "seed"),
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max_tokens"),
        ("Extra inputs are not permitted: seed", "seed"),
    ],
)
def test_a_refused_parameter_is_left_out_from_then_on(
    server: FakeServer, connect: Connect, message: str, gone: str
) -> None:
    server.play(fails(400, message), GOOD, GOOD)
    chat = connect(seed=1)
    chat.ask(MESSAGES, Plan)
    chat.ask(MESSAGES, Plan)
    assert [gone in request for request in server.requests] == [True, False, False]
    assert ("max_completion_tokens" in server.requests[-1]) is (gone == "max_tokens")
    assert server.requests[-1]["response_format"]["type"] == "json_schema"


def test_a_model_without_a_system_role_gets_its_words_from_the_user(server: FakeServer, connect: Connect) -> None:
    server.play(fails(400, "System role not supported"), GOOD)
    connect().ask(MESSAGES, Plan)
    assert server.requests[-1]["messages"] == [{"role": "user", "content": "You plan.\n\nPlan this."}]


def test_what_many_threads_see_refused_at_once_is_refused_once(server: FakeServer, connect: Connect) -> None:
    together = threading.Barrier(4, timeout=10)

    def answer(body: dict[str, Any]) -> Step:
        if body["response_format"]["type"] == "json_schema":
            together.wait()
            return fails(400, "response_format unsupported")
        return GOOD

    server.otherwise = answer
    chat = connect()
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda _: chat.ask(MESSAGES, Plan), range(4))) == [PLAN] * 4
    assert [request["response_format"]["type"] for request in server.requests[4:]] == ["json_object"] * 4


@pytest.mark.parametrize(
    "unreadable",
    [
        says("I looked and think {it is complicated"),
        says('{"queries": ["a', finish="length"),
        says('{"other": 1}'),
        says(""),
        says(None),
        says(None, refusal="I can't help with that"),
        Step(200, {"id": "1", "object": "chat.completion", "choices": []}),
    ],
)
def test_an_unreadable_reply_is_asked_for_once_more(server: FakeServer, connect: Connect, unreadable: Step) -> None:
    server.play(unreadable, GOOD)
    assert connect(seed=3).ask(MESSAGES, Plan) == PLAN
    assert [request["seed"] for request in server.requests] == [3, 4]
    assert "JSON object only" in server.prompt()


@pytest.mark.parametrize(
    ("text", "penalties"),
    [('{"queries": ["' + "The answer is 3. " * 60 + "The an", [None, 0.5]), ('{"queries": ["a', [None, None])],
)
def test_a_reply_that_goes_in_circles_is_asked_for_again_with_a_penalty_on_repetition(
    server: FakeServer, connect: Connect, text: str, penalties: list[float | None]
) -> None:
    server.play(says(text, finish="length"), GOOD)
    assert connect().ask(MESSAGES, Plan) == PLAN
    assert [request.get("frequency_penalty") for request in server.requests] == penalties


@pytest.mark.parametrize("text", ["{}", "", "no JSON", '{"queries": {}}', "[]"])
def test_no_silent_blanks_a_reply_unreadable_twice_is_a_failed_call(
    server: FakeServer, connect: Connect, text: str
) -> None:
    server.otherwise = lambda body: says(text)
    chat = connect()
    with pytest.raises(ReplyError):
        chat.ask(MESSAGES, Plan)
    assert (len(server.requests), chat.usage.failures) == (2, 1)


def test_a_reply_cut_off_after_its_last_value_is_read(server: FakeServer, connect: Connect) -> None:
    server.play(says('{"queries": ["a"]', finish="length"))
    assert connect().ask(MESSAGES, Plan) == PLAN


def test_a_fenced_reply_in_parts_is_read(server: FakeServer, connect: Connect) -> None:
    server.play(says([{"type": "text", "text": '```json\n{"queries"'}, {"type": "text", "text": ': ["a"]}\n```'}]))  # type: ignore[arg-type]
    assert connect().ask(MESSAGES, Plan) == PLAN


def test_calls_in_flight_are_bounded(server: FakeServer, connect: Connect) -> None:
    pair = threading.Barrier(2, timeout=10)  # each call comes back when a second is there, so one at a time would fail

    def answer(body: dict[str, Any]) -> Step:
        pair.wait()
        return GOOD

    server.otherwise = answer
    chat = connect(concurrency=2)
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda _: chat.ask(MESSAGES, Plan), range(16))) == [PLAN] * 16
    assert server.most_in_flight == 2


def test_text_that_no_encoding_takes_is_sent_all_the_same(server: FakeServer, connect: Connect) -> None:
    server.play(GOOD)
    connect().ask([Message("user", "a\ud835\x00b")], Plan)
    assert server.prompt() == "a\ufffdb"


def test_a_page_instead_of_a_completion_tells_to_check_the_base_url(server: FakeServer, connect: Connect) -> None:
    server.play(Step(200, b"<html>hello</html>", {"Content-Type": "text/html"}))
    with pytest.raises(ModelError, match="should the base URL end in /v1"):
        connect().ask(MESSAGES, Plan)


def test_where_no_server_is_that_is_told_at_once() -> None:
    with (
        OpenAIChat(
            "m", base_url="http://127.0.0.1:9/v1", api_key="k", sleep=lambda seconds: pytest.fail("it waited")
        ) as chat,
        pytest.raises(NoAccess, match=r"no server can be reached at .*127\.0\.0\.1:9.*--base-url"),
    ):
        chat.ask(MESSAGES, Plan)


def test_without_key_and_url_the_error_says_what_to_set() -> None:
    with pytest.raises(ModelError, match="set OPENAI_API_KEY, or --base-url"):
        OpenAIChat("m")
    with pytest.raises(ModelError, match="no base URL"):
        OpenAIChat("m", base_url="localhost:8000")


@pytest.mark.parametrize(
    "url", ["ftp://u:sk-secret@host/v1", "http://u:sk-secret@[bad/v1", "http://u:sk-secret@host:99999/v1"]
)
def test_a_base_url_that_is_none_is_one_line_without_its_password(url: str) -> None:
    with pytest.raises(ModelError, match="no base URL") as caught:
        OpenAIChat("m", base_url=url)
    assert "secret" not in str(caught.value)


def test_a_key_that_no_server_can_be_sent_is_told_at_once() -> None:
    with pytest.raises(ModelError, match="the key holds") as caught:
        OpenAIChat("m", api_key="sk-se\ncret")
    assert "cret" not in str(caught.value)


def test_what_a_server_echoes_of_a_password_is_left_out(server: FakeServer, connect: Connect) -> None:
    server.play(fails(401, "bad key Basic dTpwYXNzd29yZA=="))
    with pytest.raises(NoAccess) as caught:
        connect().ask(MESSAGES, Plan)
    assert "dTpw" not in str(caught.value)


def test_a_local_server_needs_no_key(server: FakeServer, connect: Connect) -> None:
    server.play(GOOD)
    assert connect().ask(MESSAGES, Plan) == PLAN


@pytest.mark.parametrize(
    ("words", "line"), [("a\n b", "a b"), ("x" * 999, "x" * 240 + "…"), ("is sk-12345678", "is ***")]
)
def test_a_servers_words_become_one_short_line(words: str, line: str) -> None:
    assert scrub(words, None) == line


@pytest.mark.parametrize(
    ("image", "kind"),
    [(b"\x89PNG", "png"), (b"\xff\xd8\xff\xe0", "jpeg"), (b"GIF89a", "gif"), (b"RIFF\0\0\0\0WEBP", "webp")],
)
def test_pictures_go_with_the_words_in_every_manner_of_asking(
    server: FakeServer, connect: Connect, image: bytes, kind: str
) -> None:
    server.play(fails(400, "system messages are not supported", param="messages"), says(PLAN.model_dump_json()))
    connect().ask([MESSAGES[0], Message("user", "Look.", (image,))], Plan)
    assert server.images() == [f"data:image/{kind};base64,{base64.b64encode(image).decode()}"]
    assert "Look." in server.prompt()


def test_a_body_of_endless_brackets_is_one_line(server: FakeServer, connect: Connect) -> None:
    server.otherwise = lambda body: Step(body=b"[" * 200_000)
    with pytest.raises(ModelError, match="no reply from"):
        connect(tries=2).ask(MESSAGES, Plan)
    assert len(server.requests) == 2


def test_a_body_that_never_ends_is_left(server: FakeServer, connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "LARGEST", 10_000)
    server.play(Step(body=(b" " * 1000,) * 100, headers={"Content-Type": "application/json"}), GOOD)
    assert connect().ask(MESSAGES, Plan) == PLAN
    assert server.pieces < 100


def test_a_question_is_not_sent_on_to_another_host(server: FakeServer, connect: Connect) -> None:
    server.otherwise = lambda body: Step(status=307, headers={"Location": "http://localhost:1/v1/chat/completions"})
    with pytest.raises(NoAccess, match="sends on to 'localhost'"):
        connect().ask(MESSAGES, Plan)
    assert len(server.requests) == 1


def test_a_server_may_send_on_to_another_place_of_its_own(server: FakeServer, connect: Connect) -> None:
    server.play(Step(status=307, headers={"Location": "/v1/chat/completions?again"}), GOOD)
    assert connect().ask(MESSAGES, Plan) == PLAN


def test_the_parts_of_a_reply_that_are_no_text_are_left_out(server: FakeServer, connect: Connect) -> None:
    parts = [{"type": "text", "text": None}, {"type": "text", "text": '{"queries": ["a"]}'}, 5]
    server.play(says(parts))  # type: ignore[arg-type]
    assert connect().ask(MESSAGES, Plan) == PLAN
