"""What models cost: by stage, within a limit; and how long a question may take."""

from __future__ import annotations

import contextlib
import csv
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from corpus import use_letters, write
from fake_server import FakeServer, Step, fails
from test_engine import answers, text

import kohaku
from kohaku import deadline
from kohaku.chat import Message, OpenAIChat
from kohaku.doors.display import usage_lines, usage_object
from kohaku.doors.engine import Engine
from kohaku.errors import ModelError, NoAccess, SettingsError
from kohaku.spending import Price, Purse, Usage
from kohaku.threads import each
from retriever.plan import Draft

PRICES = {"scripted": (1_000_000, 2_000_000)}  # a call of 7 and 3 tokens costs 13


@pytest.fixture
def server(server: FakeServer) -> FakeServer:
    server.otherwise = answers
    return server


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: FakeServer) -> Iterator[Callable[..., Engine]]:
    use_letters(monkeypatch)
    kohaku.index([write(tmp_path / "files")], tmp_path / "my.db")
    engines: list[Engine] = []

    def opened(**settings: Any) -> Engine:
        given = {"model": "scripted", "base_url": server.url, "tries": 1, "max_output": 3, **settings}
        engines.append(kohaku.open(tmp_path / "my.db", **given))
        return engines[-1]

    yield opened
    for engine in engines:
        engine.close()


def asked(count: int) -> Path:
    path = Path("questions.csv")
    lines = "".join(f"q{number},How much water did Lake Site draw in {number}?\n" for number in range(count))
    path.write_text(f"id,question\n{lines}")
    return path


def rows(path: str) -> list[str]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return [row["id"] for row in csv.DictReader(file)]


def test_tokens_and_cost_are_told_by_model_and_stage(opened: Callable[..., Engine]) -> None:
    engine = opened(prices=PRICES)
    engine.ask("How much water did Lake Site draw?")
    told = usage_object(engine.usage(), engine.settings.known_prices)["scripted"]
    assert isinstance(told, dict)
    assert (told["calls"], told["cost"]) == (2, 26)
    assert {stage: one["cost"] for stage, one in told["stages"].items()} == {"answer": 13, "query_plan": 13}
    lines = list(usage_lines(engine.usage(), engine.settings.known_prices))
    assert lines[0].startswith("scripted: 2 calls, 14 prompt and 6 reply tokens, cost 26, ")
    assert lines[1:] == [
        "  answer: 1 calls, 7 prompt and 3 reply tokens, cost 13",
        "  query_plan: 1 calls, 7 prompt and 3 reply tokens, cost 13",
    ]


def test_a_model_without_a_price_has_no_cost(opened: Callable[..., Engine]) -> None:
    engine = opened()
    engine.ask("How much water did Lake Site draw?")
    [told] = usage_object(engine.usage(), {}).values()
    assert isinstance(told, dict)
    assert told["cost"] is None
    assert "cost" not in "".join(usage_lines(engine.usage(), {}))


def test_a_run_stops_before_the_limit_and_goes_on_where_it_stopped(
    opened: Callable[..., Engine], server: FakeServer
) -> None:
    prices = {"scripted": (0, 2_000_000)}  # a reply of three tokens costs 6, and never more
    with pytest.raises(NoAccess, match="limit of 20"):
        opened(prices=prices, max_cost=20, queries=1, concurrency=1).submit(asked(5), "out.csv")
    assert len(server.requests) == 3
    assert rows("out.csv") == ["q0", "q1", "q2"]
    opened(prices=prices, max_cost=20, queries=1).submit(asked(5), "out.csv")
    assert rows("out.csv") == ["q0", "q1", "q2", "q3", "q4"]


def test_a_limit_needs_the_price_of_each_model(opened: Callable[..., Engine]) -> None:
    with pytest.raises(SettingsError, match="prices"):
        opened(max_cost=1).ask("How much water?")


def test_many_threads_never_pass_the_limit_together() -> None:
    purse = Purse(10)
    paid: list[float] = []

    def pay(_: int) -> None:
        with purse.at_most(3) as spent:
            time.sleep(0.001)
            spent.append(2)
            paid.append(2)

    with pytest.raises(NoAccess):
        list(each(range(50), pay, concurrency=8))
    assert sum(paid) == 8  # what is left after calls that cost less than they could is spent as well


def test_a_call_that_failed_costs_nothing() -> None:
    purse = Purse(3)
    for _ in range(5):
        with pytest.raises(ModelError), purse.at_most(3):
            raise ModelError("no")
    with purse.at_most(3):
        pass


def test_usages_join_stage_by_stage() -> None:
    one, other = Usage(), Usage()
    one.add("answer", calls=1, prompt_tokens=5)
    other.add("answer", calls=2)
    other.add("caption", calls=1)
    one.join(other)
    assert (one.calls, one.stages["answer"].calls, one.stages["caption"].calls) == (4, 3, 1)
    assert one.cost(Price(1_000_000, 0)) == 5


def test_a_question_that_takes_too_long_fails_alone(opened: Callable[..., Engine], server: FakeServer) -> None:
    slow = threading.Event()

    def otherwise(body: dict[str, Any]) -> Step:
        if "draw in 1?" in text(body):
            slow.wait(5)
        return answers(body)

    server.otherwise = otherwise
    failed = opened(deadline=1.0, queries=1, concurrency=3).submit(asked(3), "out.csv")
    slow.set()
    assert [one.question.id for one in failed] == ["q1"]
    assert rows("out.csv") == ["q0", "q2"]


def test_no_wait_goes_beyond_the_deadline(opened: Callable[..., Engine], server: FakeServer) -> None:
    server.otherwise = lambda body: fails(429, "busy", headers={"Retry-After": "100"})
    with pytest.raises(ModelError, match="--deadline"):
        opened(deadline=2.0, queries=1, tries=3).ask("How much water?")


def test_an_inner_deadline_is_never_later_than_the_outer_and_reaches_threads() -> None:
    assert deadline.left() is None
    with deadline.within(10):
        with deadline.within(20):
            [(_, seconds)] = each([1], lambda _: deadline.left(), concurrency=1)
        assert isinstance(seconds, float)
        assert seconds <= 10
        with deadline.within(None):
            assert (deadline.left() or 99) <= 10
    assert deadline.left() is None


def test_prices_come_from_the_settings_file(tmp_path: Path) -> None:
    from kohaku.settings import load

    file = tmp_path / "k.toml"
    file.write_text('[prices]\n"gpt" = [2.5, 10]\n')
    assert load(config=file).known_prices == {"gpt": Price(2.5, 10.0)}
    file.write_text('[prices]\n"gpt" = "cheap"\n')
    with pytest.raises(SettingsError, match="prices"):
        load(config=file)


def test_the_reply_of_answer_tells_what_it_cost(opened: Callable[..., Engine]) -> None:
    assert json.dumps(usage_object(opened().usage(), {})) == "{}"


def test_a_server_that_does_not_say_what_it_spent_is_reckoned_at_the_most(
    opened: Callable[..., Engine], server: FakeServer
) -> None:
    def otherwise(body: dict[str, Any]) -> Step:
        step = answers(body)
        return Step(step.status, {**step.body, "usage": {"prompt_tokens": -5, "completion_tokens": "many"}})

    server.otherwise = otherwise
    with pytest.raises(NoAccess, match="limit of 20"):
        opened(prices={"scripted": (0, 2_000_000)}, max_cost=20, queries=1, concurrency=1).submit(asked(5), "out.csv")
    assert rows("out.csv") == ["q0", "q1", "q2"]


@pytest.mark.parametrize("price", [-1, float("nan"), float("inf")])
def test_a_price_is_a_number_from_zero_up(opened: Callable[..., Engine], price: float) -> None:
    with pytest.raises(SettingsError, match="prices"):
        opened(prices={"scripted": (price, 1)})


@pytest.mark.parametrize("choices", [[None], ["text"], {"a": 1}, [{"message": None}]])
def test_a_completion_of_another_form_is_a_failed_call(
    opened: Callable[..., Engine], server: FakeServer, choices: object
) -> None:
    server.otherwise = lambda body: Step(
        body={"id": "1", "object": "chat.completion", "created": 1, "choices": choices}
    )
    [failed] = opened(queries=1).submit(asked(1), "out.csv")
    assert failed.error is not None


def test_what_is_under_way_when_the_limit_is_reached_is_paid_for_and_kept(
    opened: Callable[..., Engine], server: FakeServer
) -> None:
    both = threading.Barrier(2, timeout=20)

    def reply(body: dict[str, Any]) -> Step:
        both.wait()  # two calls are under way at once, each as dear as may be
        return answers(body)

    server.otherwise = reply
    prices = {"scripted": (0, 2_000_000)}
    with pytest.raises(NoAccess, match="could cost 6 and pass the limit of 15:"):
        opened(prices=prices, max_cost=15, queries=1, concurrency=3).submit(asked(6), "out.csv")
    assert len(server.requests) == len(rows("out.csv")) == 2


def test_no_thread_is_at_work_any_more_when_a_run_has_stopped() -> None:
    before = set(threading.enumerate())

    def work(number: int) -> int:
        time.sleep(0.02)
        if number == 1:
            raise NoAccess("stop")
        return number

    seen = []
    with pytest.raises(NoAccess):
        for item, _ in each(range(50), work, concurrency=4):
            seen.append(item)
    assert set(threading.enumerate()) <= before
    assert 0 in seen and len(seen) < 50
    with closing(each(range(50), lambda number: time.sleep(0.02), concurrency=4)) as outcomes:
        next(outcomes)
    assert set(threading.enumerate()) <= before


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n"


class Trickle:
    """A server that sends the beginning of a reply, then the rest byte by byte for as long as anybody reads."""

    def __init__(self, beginning: bytes) -> None:
        self.sent, self.beginning = 0, beginning
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/v1"
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.socket.close()

    def serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.socket.accept()
                with client, contextlib.suppress(OSError):
                    client.recv(65536)
                    client.sendall(self.beginning)
                    while True:
                        client.sendall(b" ")
                        self.sent += 1
                        time.sleep(0.02)


@pytest.mark.parametrize("beginning", [HEAD, b"HTTP/1.1 200 OK\r\nX: ", b""])
def test_a_server_that_trickles_does_not_outlast_the_deadline(beginning: bytes) -> None:
    slow = Trickle(beginning)
    chat = OpenAIChat("m", base_url=slow.url, timeout=30, tries=2)
    with chat, deadline.within(0.3), pytest.raises(ModelError, match="deadline is over"):
        chat.ask([Message("user", "?")], Draft)
    slow.close()
    assert 0 < slow.sent < 5000, "it would have gone on for half an hour"
