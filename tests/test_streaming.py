"""A model's reply as it is written: what is told, and every fault that a stream brings."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest
from fake_server import FakeServer, Step, fails, says, writes
from pydantic import BaseModel

from kohaku import deadline
from kohaku.chat import Message, OpenAIChat
from kohaku.errors import Abandoned, ContextTooLong, ModelError, ReplyError
from kohaku.replies import so_far
from kohaku.reply_cache import ReplyCache
from kohaku.spending import Price, Purse
from kohaku.streaming import Called, Waiting, Written
from kohaku.watch import watched_by


class Reply(BaseModel):
    schema_name: ClassVar[str] = "answer"
    explanation: str = ""
    answer: str


MESSAGES = [Message("user", "How much?")]
TEXT = json.dumps({"explanation": "As it says: “4.35 %”.", "answer": "4.35 percent"})
WHOLE = Reply.model_validate_json(TEXT)

Connect = Callable[..., OpenAIChat]


@pytest.fixture
def connect(server: FakeServer) -> Iterator[Connect]:
    made: list[OpenAIChat] = []

    def make(**options: Any) -> OpenAIChat:
        made.append(OpenAIChat("m", **{"base_url": server.url, "sleep": lambda seconds: None, **options}))
        return made[-1]

    yield make
    for chat in made:
        chat.close()


def ask(chat: OpenAIChat) -> tuple[Reply, list[Any]]:
    """The reply, and what a watcher was told meanwhile."""
    steps: list[Any] = []
    with watched_by(steps.append):
        return chat.ask(MESSAGES, Reply), steps


def test_a_watcher_sees_the_text_grow_until_it_is_the_reply(server: FakeServer, connect: Connect) -> None:
    server.play(writes(TEXT))
    reply, steps = ask(connect())
    texts = [step.text for step in steps if isinstance(step, Written)]
    assert reply == WHOLE
    assert texts[-1] == TEXT and all(TEXT.startswith(text) for text in texts) and len(set(texts)) == len(texts) > 10
    assert server.requests[0]["stream"] is True


def test_where_nobody_watches_nothing_is_streamed(server: FakeServer, connect: Connect) -> None:
    server.play(says(TEXT))
    assert connect().ask(MESSAGES, Reply) == WHOLE
    assert "stream" not in server.requests[0] and "stream_options" not in server.requests[0]


def test_a_reply_that_takes_longer_than_the_timeout_is_asked_for_as_it_is_written(
    server: FakeServer, connect: Connect
) -> None:
    """The timeout is for a server that says nothing: a slow model on a laptop writes all the time."""
    late = threading.Event()

    def slow(body: dict[str, Any]) -> Step:
        if "stream" in body:
            return writes(TEXT, pause=0.03)
        late.wait(5)
        return says(TEXT)

    server.otherwise = slow
    chat = connect(timeout=0.3)
    assert chat.ask(MESSAGES, Reply) == WHOLE
    assert chat.ask(MESSAGES, Reply) == WHOLE
    late.set()
    assert ["stream" in request for request in server.requests] == [False, True, True]


def test_a_server_that_says_nothing_either_way_is_given_up_with_its_setting_named(
    server: FakeServer, connect: Connect
) -> None:
    late = threading.Event()

    def silent(body: dict[str, Any]) -> Step:
        late.wait(5)
        return says(TEXT)

    server.otherwise = silent
    with pytest.raises(ModelError, match=r"2 times.*said nothing for 0\.1 s \(raise timeout\?\)"):
        connect(timeout=0.1, tries=2).ask(MESSAGES, Reply)
    late.set()


def test_a_streams_tokens_and_cost_are_counted_and_told(server: FakeServer, connect: Connect) -> None:
    server.play(writes(TEXT))
    chat = connect(price=Price(1e6, 2e6))
    _, steps = ask(chat)
    [called] = [step for step in steps if isinstance(step, Called)]
    assert (called.prompt_tokens, called.completion_tokens, called.cost) == (7, 3, 13.0)
    assert (chat.usage.calls, chat.usage.prompt_tokens, chat.usage.completion_tokens) == (1, 7, 3)


def test_a_known_reply_is_told_as_such_and_asked_for_in_neither_way(
    server: FakeServer, connect: Connect, tmp_path: Any
) -> None:
    server.play(writes(TEXT))
    chat = connect(cache=ReplyCache(tmp_path / "replies.db"))
    ask(chat)
    assert chat.ask(MESSAGES, Reply) == WHOLE  # streamed or not, it is one request
    reply, steps = ask(chat)
    assert reply == WHOLE and len(server.requests) == 1
    assert steps == [Called("m", "answer", is_cached=True)]


def test_a_server_that_does_not_stream_is_asked_plainly_from_then_on(server: FakeServer, connect: Connect) -> None:
    server.otherwise = lambda body: says(TEXT)
    chat = connect()
    for _ in range(2):
        assert ask(chat)[0] == WHOLE
    assert ["stream" in body for body in server.requests] == [True, False, False]


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("Unrecognized request argument supplied: stream_options", {"stream"}),
        ("This model does not support streaming.", set()),
        ("stream: extra fields not permitted", set()),
    ],
)
def test_a_server_that_refuses_streaming_or_its_options_is_asked_without(
    server: FakeServer, connect: Connect, words: str, kept: set[str]
) -> None:
    def otherwise(body: dict[str, Any]) -> Step:
        asked = {name for name in ("stream", "stream_options") if name in body}
        return (fails(400, words) if asked - kept else writes(TEXT)) if asked else says(TEXT)

    server.otherwise = otherwise
    assert ask(connect())[0] == WHOLE
    assert {name for name in ("stream", "stream_options") if name in server.requests[-1]} == kept


def test_a_stream_that_breaks_off_is_asked_for_again(server: FakeServer, connect: Connect) -> None:
    server.play(writes(TEXT[:30], breaks=True), writes(TEXT[:40], finish=None), writes(TEXT))
    reply, steps = ask(connect())
    assert reply == WHOLE and len(server.requests) == 3
    assert len({step.call for step in steps if isinstance(step, Written)}) == 3
    assert sum(isinstance(step, Waiting) for step in steps) == 2


def test_a_whole_reply_that_nothing_ended_is_taken(server: FakeServer, connect: Connect) -> None:
    server.play(writes(TEXT, finish=None))
    assert ask(connect())[0] == WHOLE


def test_a_stream_that_always_breaks_off_fails_as_a_call_does(server: FakeServer, connect: Connect) -> None:
    server.otherwise = lambda body: writes(TEXT[:30], breaks=True)
    chat = connect(tries=2)
    with pytest.raises(ModelError, match="failed 2 times"):
        ask(chat)
    assert chat.usage.failures == 1


def error(**said: Any) -> Step:
    """An error in the midst of a stream."""
    body = b"data: " + json.dumps({"error": said}).encode() + b"\n\n"
    first = writes("{").body[0]
    return Step(body=(first, body), headers={"Content-Type": "text/event-stream"})


def test_an_error_in_the_midst_of_a_stream_means_what_it_says(server: FakeServer, connect: Connect) -> None:
    server.play(error(message="overloaded", code=503), writes(TEXT))
    assert ask(connect())[0] == WHOLE
    server.play(error(message="maximum context length is 8192 tokens", code=400))
    with pytest.raises(ContextTooLong):
        ask(connect())


def test_an_empty_stream_is_an_empty_reply(server: FakeServer, connect: Connect) -> None:
    server.otherwise = lambda body: writes("", finish="length")
    with pytest.raises(ReplyError, match="cut off"):
        ask(connect())


def test_a_stream_that_trickles_on_ends_with_the_deadline(server: FakeServer, connect: Connect) -> None:
    server.play(writes(TEXT * 20, pause=0.02))
    with deadline.within(0.15), pytest.raises(ModelError, match="deadline"):
        ask(connect())


def test_where_nobody_waits_any_more_the_stream_is_left(server: FakeServer, connect: Connect) -> None:
    server.play(writes(TEXT * 50, pause=0.01))
    steps: list[object] = []

    def leaves(step: object) -> None:
        steps.append(step)
        raise Abandoned("gone")

    with watched_by(leaves), pytest.raises(Abandoned):
        connect().ask(MESSAGES, Reply)
    assert len(steps) == 1 and len(server.requests) == 1
    assert server.pieces < 600


def test_what_a_reply_that_broke_off_cost_is_reckoned_at_its_most(server: FakeServer, connect: Connect) -> None:
    server.otherwise = lambda body: writes(TEXT[:20], breaks=True)
    chat = connect(price=Price(0, 1e6), max_output=10, tries=3, purse=Purse(15))
    with pytest.raises(ModelError, match="limit of 15"):
        ask(chat)
    assert len(server.requests) == 1


def test_what_a_reply_that_came_too_late_cost_is_reckoned_at_its_most(server: FakeServer, connect: Connect) -> None:
    late = threading.Event()

    def slow(body: dict[str, Any]) -> Step:
        late.wait(5)
        return says(TEXT)

    server.otherwise = slow
    chat = connect(price=Price(0, 1e6), max_output=10, timeout=0.1, purse=Purse(15))
    with pytest.raises(ModelError, match="limit of 15"):
        chat.ask(MESSAGES, Reply)
    late.set()
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", {}),
        ('{"explanation": "As it sa', {"explanation": "As it sa"}),
        ('{"explanation": "So.", "answer": "4', {"explanation": "So.", "answer": "4"}),
        ('{"answer": "a \\', {"answer": "a "}),
        ('{"answer": "\\ud83d', {"answer": ""}),
        ('<think>{draft}</think> Sure:\n```json\n{"answer": "x', {"answer": "x"}),
        ("<think>So {what", {}),
        ('{"queries": ["a", "b', {}),
        ("no object", {}),
        ("[1, 2", {}),
        ("{" * 5000, {}),
    ],
)
def test_of_a_reply_that_is_under_way_its_texts_can_be_read(text: str, shown: dict[str, str]) -> None:
    assert so_far(text) == shown


def chunk(content: Any, *, index: int = 0, finish: str | None = None) -> bytes:
    choice = {"index": index, "delta": {"content": content}, "finish_reason": finish}
    return b"data: %s\n\n" % json.dumps({"object": "chat.completion.chunk", "choices": [choice]}).encode()


def stream(*pieces: bytes, kind: str = "text/event-stream") -> Step:
    return Step(body=(*pieces, b"data: [DONE]\n\n"), headers={"Content-Type": kind})


def test_of_several_replies_that_are_written_at_once_the_first_is_read(server: FakeServer, connect: Connect) -> None:
    half, other = TEXT[:20], '{"answer": "another"}'
    server.play(stream(chunk(half), chunk(other, index=1), chunk(TEXT[20:], finish="stop"), chunk("", index=1)))
    reply, steps = ask(connect())
    assert reply == WHOLE and [step.text for step in steps if isinstance(step, Written)] == [half, TEXT]


@pytest.mark.parametrize(
    "odd",
    [
        chunk(5),
        chunk([{"type": "text", "text": None}]),
        b'data: {"choices": 5}\n\n',
        b'data: {"choices": [{"delta": {"refusal": 5}}]}\n\n',
        b"data: [1]\n\n",
        b"data: null\n\n",
    ],
)
def test_pieces_that_hold_no_text_are_passed_over(server: FakeServer, connect: Connect, odd: bytes) -> None:
    server.play(stream(odd, chunk(TEXT, finish="stop"), kind="Text/Event-Stream; charset=UTF-8"))
    watched, _ = ask(connect())
    assert watched == WHOLE


def test_a_piece_of_endless_brackets_is_asked_for_again(server: FakeServer, connect: Connect) -> None:
    server.play(stream(b"data: " + b"[" * 200_000 + b"\n\n"), writes(TEXT))
    assert ask(connect())[0] == WHOLE
