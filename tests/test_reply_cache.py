"""What a model replied is kept, and the same request is not paid for twice."""

from __future__ import annotations

import logging
import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import pytest
from fake_server import FakeServer, fails, says
from pydantic import BaseModel

from kohaku.chat import Message, OpenAIChat
from kohaku.errors import ReplyError
from kohaku.reply_cache import ReplyCache


class Plan(BaseModel):
    schema_name: ClassVar[str] = "query_plan"
    queries: list[str]


MESSAGES = [Message("system", "You plan."), Message("user", "Plan this.")]
GOOD = says('{"queries": ["a"]}')
SECRET = "sk-secret-0123456789"
Connect = Callable[..., OpenAIChat]


@pytest.fixture
def server() -> Iterator[FakeServer]:
    server = FakeServer()
    server.otherwise = lambda body: GOOD
    yield server
    server.close()


@pytest.fixture
def connect(server: FakeServer, tmp_path: Path) -> Iterator[Connect]:
    """Makes clients of the server, each with the file's cache opened anew, as another run would."""
    made: list[OpenAIChat] = []

    def make(model: str = "m", **options: Any) -> OpenAIChat:
        cache = ReplyCache(tmp_path / "replies.db")
        made.append(OpenAIChat(model, **{"base_url": server.url, "sleep": lambda _: None, "cache": cache, **options}))
        return made[-1]

    yield make
    for chat in made:
        chat.close()


def test_the_next_run_asks_nothing_that_was_replied_to(server: FakeServer, connect: Connect) -> None:
    assert connect().ask(MESSAGES, Plan) == connect().ask(MESSAGES, Plan) == Plan(queries=["a"])
    assert len(server.requests) == 1


def test_what_came_from_the_cache_is_counted_and_is_no_call(connect: Connect) -> None:
    connect().ask(MESSAGES, Plan)
    again = connect()
    again.ask(MESSAGES, Plan)
    assert (again.usage.calls, again.usage.cached, again.usage.prompt_tokens) == (0, 1, 0)


@pytest.mark.parametrize(
    "other", [{"model": "n"}, {"seed": 1}, {"temperature": 0.5, "seed": 1}, {"max_output": 9}], ids=str
)
def test_another_model_seed_temperature_or_length_is_another_request(
    server: FakeServer, connect: Connect, other: dict[str, Any]
) -> None:
    connect().ask(MESSAGES, Plan)
    connect(**other).ask(MESSAGES, Plan)
    assert len(server.requests) == 2


def test_other_words_are_another_request(server: FakeServer, connect: Connect) -> None:
    chat = connect()
    chat.ask(MESSAGES, Plan)
    chat.ask([Message("user", "Plan that.")], Plan)
    assert len(server.requests) == 2


def test_replies_that_chance_made_are_not_kept(server: FakeServer, connect: Connect) -> None:
    for _ in range(2):
        connect(temperature=0.5).ask(MESSAGES, Plan)
    assert len(server.requests) == 2


def test_a_reply_that_was_read_at_the_second_try_is_known_at_the_first(server: FakeServer, connect: Connect) -> None:
    server.play(says("no JSON"), GOOD)
    connect().ask(MESSAGES, Plan)
    connect().ask(MESSAGES, Plan)
    assert len(server.requests) == 2


def test_a_failure_is_not_kept(server: FakeServer, connect: Connect) -> None:
    server.play(says("no JSON"), says("no JSON"))
    with pytest.raises(ReplyError):
        connect().ask(MESSAGES, Plan)
    assert connect().ask(MESSAGES, Plan) == Plan(queries=["a"])


def test_a_server_that_refuses_a_parameter_is_not_asked_again_either(server: FakeServer, connect: Connect) -> None:
    server.play(fails(400, "Unsupported parameter: 'temperature'", param="temperature"), GOOD)
    connect().ask(MESSAGES, Plan)
    connect().ask(MESSAGES, Plan)
    assert len(server.requests) == 2


def test_the_file_holds_no_key_and_no_question_and_is_its_owners_alone(connect: Connect, tmp_path: Path) -> None:
    chat = connect(api_key=SECRET)
    chat.ask(MESSAGES, Plan)
    chat.close()
    file = tmp_path / "replies.db"
    assert SECRET.encode() not in file.read_bytes()
    assert b"Plan this" not in file.read_bytes()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_many_threads_and_files_opened_at_once_keep_all(tmp_path: Path) -> None:
    caches = [ReplyCache(tmp_path / "replies.db") for _ in range(3)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda n: caches[n % 3].put(f"key {n}", f"reply {n}"), range(60)))
    assert all(caches[0].get(f"key {n}") == f"reply {n}" for n in range(60))
    for cache in caches:
        cache.close()


def test_a_damaged_file_stops_no_answer_and_is_told_once(
    server: FakeServer, connect: Connect, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "replies.db").write_bytes(b"no database, but long enough to be taken for one" * 50)
    chat = connect()
    with caplog.at_level(logging.WARNING):
        assert chat.ask(MESSAGES, Plan) == chat.ask(MESSAGES, Plan) == Plan(queries=["a"])
    assert len(server.requests) == 2
    assert len(caplog.records) == 1


def test_a_reply_with_half_a_character_is_kept_as_a_file_can_hold_it(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies.db")
    cache.put("k", "a \ud835 b")
    kept = cache.get("k")
    cache.close()
    assert kept is not None and kept.startswith("a ") and kept.endswith(" b")
