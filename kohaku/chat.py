"""The chat client: messages in, a checked object out, over any server that speaks OpenAI's chat completions."""

from __future__ import annotations

import copy
import logging
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pydantic import BaseModel

from kohaku import deadline, watch
from kohaku.completion import fault, inner_fault, joined, spent
from kohaku.endpoint import Endpoint
from kohaku.errors import ContextTooLong, CostLimit, KohakuError, ModelError, NoAccess, NoPictures, ReplyError
from kohaku.faults import Fault, Remedy, remedy, scrub, wanted_wait
from kohaku.images import MOST_TOKENS
from kohaku.replies import parse
from kohaku.reply_cache import ReplyCache, key_of
from kohaku.request import (
    OPTIONAL,
    Draw,
    Manner,
    Message,
    Terms,
    arguments,
    has_images,
    reminder,
    schema_name,
    size,
    streamed,
)
from kohaku.spending import Price, Purse, Usage
from kohaku.streaming import BrokenOff, Called, NotStreamed, Waiting, Written, collected
from kohaku.threads import in_time

if TYPE_CHECKING:
    from tenacity import RetryCallState

__all__ = ["Chat", "Message", "OpenAIChat", "attempt"]

log = logging.getLogger("kohaku")

T = TypeVar("T", bound=BaseModel)
Reply = TypeVar("Reply")

LONGEST_WAIT = 300.0  # seconds; a server that asks for more is better asked again by the next run
LONGEST_DELAY = 60.0
CHARACTERS = 2  # a token has more in most scripts: what a prompt may cost is reckoned by it before it is sent


class Chat(Protocol):
    """A model that can be asked for an object of a schema."""

    def ask(self, messages: Sequence[Message], schema: type[T]) -> T:
        """The reply as its schema; raises ContextTooLong, ModelError, or ReplyError where it can't be read."""
        ...


def attempt(ask: Callable[[], Reply], on_failure: Callable[[KohakuError], None] = lambda error: None) -> Reply | None:
    """What a model is asked for; None where it fails, which `on_failure` is told.

    NoAccess comes out, since a wrong key or a model that doesn't exist is to be put right, not to be lived with.
    """
    try:
        return ask()
    except NoAccess:
        raise
    except (ModelError, ReplyError) as error:
        on_failure(error)
        return None


@dataclass(slots=True)
class _Server:
    """What has turned out about a server, for all who ask it."""

    manner: Manner = field(default_factory=Manner)
    takes_images: bool = True
    was_reached: bool = False  # one that answered once and is gone may come back
    lock: threading.Lock = field(default_factory=threading.Lock)


class OpenAIChat:
    """A model behind an OpenAI-compatible server; one object serves any number of threads.

    `name` is what the user calls the model, where that is not what its server does.

    `tries` bounds the calls for one reply over rate limits, server errors and lost connections, `concurrency` the calls
    in flight, `base_delay` is the first wait in seconds between tries where the server names none (it doubles). With a
    `cache`, what would be replied alike (at temperature 0, or with a seed) is asked once. With a `price`, what calls
    cost is taken from the `purse`, which may be other clients' too. A deadline around a question ends its calls.
    """

    def __init__(
        self,
        model: str,
        *,
        name: str | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        temperature: float = 0.0,
        seed: int | None = None,
        max_output: int = 2048,
        timeout: float = 120.0,
        tries: int = 6,
        concurrency: int = 8,
        base_delay: float = 1.0,
        sleep: Callable[[float], None] = time.sleep,
        cache: ReplyCache | None = None,
        price: Price | None = None,
        purse: Purse | None = None,
        images: bool | None = None,
    ) -> None:
        try:
            endpoint = Endpoint(base_url, api_key)
        except ValueError as error:
            raise ModelError(f"the model can't be asked: {error}") from None
        self.model, self.name, self.usage = model, name or model, Usage()
        self._place = endpoint.place
        self._key = api_key
        self._temperature, self._seed, self._max_output = temperature, seed, max_output
        self._base_delay, self._sleep, self._tries = base_delay, sleep, tries
        self._replies = cache
        self.price, self._purse = price, purse or Purse(None)
        self._timeout = timeout
        self._in_flight = threading.BoundedSemaphore(concurrency)
        self._server = _Server(takes_images=images is not False)
        # retries are counted here, once, and not twice over
        self._client = endpoint.client(timeout=timeout, retries=0)

    def varied(self, *, temperature: float, seed: int | None) -> OpenAIChat:
        """The same model asked in other terms: one connection, one limit of calls in flight, one count of usage."""
        other = copy.copy(self)
        other._temperature, other._seed = temperature, seed
        return other

    @property
    def takes_images(self) -> bool:
        """Whether the model takes pictures, as far as is known."""
        return self._server.takes_images

    @property
    def _cache(self) -> ReplyCache | None:
        """Where replies are kept, None where the same request may get another one."""
        return self._replies if self._temperature == 0 or self._seed is not None else None

    def __enter__(self) -> OpenAIChat:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections to the server, and the cache."""
        self._client.close()
        if self._replies is not None:
            self._replies.close()

    def ask(self, messages: Sequence[Message], schema: type[T]) -> T:
        """The reply as its schema. One that can't be read is asked for once more, then it is a ReplyError."""
        cache = self._cache
        if cache is None:
            return self._asked(messages, schema)[0]
        # in the manner of the first request, whatever the server turns out to take: a rerun knows no more
        key = key_of(self._place, arguments(self._terms, messages, schema, Draw(self._seed), Manner()))
        known = cache.get(key)
        if known is not None:
            try:
                reply = parse(known, schema)
            except ReplyError:
                pass  # damaged, or kept by a version that read more: asked anew
            else:
                self.usage.add(schema_name(schema), cached=1)
                watch.tell(Called(self.name, schema_name(schema), is_cached=True))
                return reply
        reply, text = self._asked(messages, schema)
        cache.put(key, text)
        return reply

    def _asked(self, messages: Sequence[Message], schema: type[T]) -> tuple[T, str]:
        """The server's reply as its schema, and the text that it was read from."""
        text = ""
        try:
            try:
                text = self._reply(messages, schema, Draw(self._seed))
                return _read(text, schema)
            except ReplyError as error:
                again = [*messages[:-1], replace(messages[-1], content=messages[-1].content + reminder(error))]
            return _read(self._reply(again, schema, Draw(self._seed).next(text)), schema)
        except (ContextTooLong, CostLimit, NoPictures):
            raise  # no failure: nothing was asked, or the caller may have less to say
        except (ModelError, ReplyError):
            self.usage.add(schema_name(schema), failures=1)
            raise

    def _reply(self, messages: Sequence[Message], schema: type[BaseModel], draw: Draw) -> str:
        """The text of one reply, over as many tries as are allowed."""
        import tenacity

        tries = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(self._tries),
            retry=tenacity.retry_if_exception_type(_Passing),
            wait=self._wait,
            sleep=partial(self._pause, schema_name(schema)),
            reraise=True,
        )
        try:
            return tries(self._in_some_manner, messages, schema, draw)
        except _Passing as error:
            raise ModelError(f"the model failed {self._tries} times, the last time: {error}: run again later") from None

    def _in_some_manner(self, messages: Sequence[Message], schema: type[BaseModel], draw: Draw) -> str:
        """One reply, asked for in ever plainer manners until the server takes one."""
        while True:
            manner = self._server.manner
            asked = {**arguments(self._terms, messages, schema, draw, manner), **streamed(manner)}
            try:
                return self._call(asked, schema_name(schema))
            except _Refused as refusal:
                with self._server.lock:
                    if self._server.manner == manner:  # else another thread met the same refusal, and went on from it
                        self._server.manner = manner.after(refusal.remedy, refusal.parameter)

    @property
    def _terms(self) -> Terms:
        return Terms(self.model, self._temperature, self._max_output)

    def _call(self, request: Mapping[str, Any], stage: str) -> str:
        """One HTTP call; its errors as _Passing, _Refused, ContextTooLong or ModelError."""
        import openai

        timeout = self._timeout
        try:
            most = self._most(request)
            with self._in_flight, self._purse.at_most(most) as paid:
                timeout = min(timeout, _still_left(0.0))
                self.usage.add(stage, calls=1)
                completion = self._completed(request, stage, timeout, most, paid)
        except openai.APIStatusError as error:
            self._server.was_reached = True
            raise self._meaning(fault(error), request) from None
        except NotStreamed:
            raise _Refused(Remedy.WITHOUT, "stream") from None
        except BrokenOff:
            raise _Passing(f"the reply from {self._place} broke off", None) from None
        except (openai.APIConnectionError, openai.APIResponseValidationError, ValueError, RecursionError) as error:
            # a timeout is a connection error too; ValueError is a body that is no JSON, or one of endless brackets
            cause = error.__cause__ or error
            if isinstance(cause, NoAccess):
                raise cause from None
            if type(cause).__name__ == "ConnectError" and not self._server.was_reached:
                raise NoAccess(f"no server can be reached at {self._place}: is it running? check --base-url") from None
            if _is_silence(error):
                if "stream" not in request and "stream" not in self._server.manner.refused:
                    raise _Refused(Remedy.STREAM, "") from None
                raise _Passing(f"{self._place} said nothing for {timeout:g} s (raise timeout?)", None) from None
            raise _Passing(f"no reply from {self._place} ({type(cause).__name__})", None) from None
        except openai.OpenAIError as error:
            body = getattr(error, "body", None)
            if isinstance(body, Mapping):  # in the midst of a stream
                raise self._meaning(inner_fault(body), request) from None
            raise ModelError(
                f"the model failed ({scrub(str(error), self._key)}): check --model and --base-url"
            ) from None
        try:
            return self._content(completion, request)
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            raise ReplyError(f"the model's reply is no chat completion ({type(error).__name__})") from None

    def _completed(self, request: Mapping[str, Any], stage: str, timeout: float, most: float, paid: list[float]) -> Any:
        """The completion of a request, streamed where the request says so; what it cost is put into the list."""
        import openai

        started, call = time.monotonic(), 0
        try:
            made: Any = in_time(
                lambda: self._client.chat.completions.create(**request, timeout=timeout), deadline.left()
            )
        except TimeoutError:
            paid.append(most)  # it may still come, and cost
            _still_left(0.0)
            raise _Passing(f"no reply from {self._place} in time", None) from None
        except openai.APITimeoutError as error:
            if _is_silence(error):
                paid.append(most)
            raise
        self._server.was_reached = True
        if "stream" in request:

            def told(written: Written) -> None:
                nonlocal call
                call = written.call
                _still_left(0.0)
                watch.tell(written)

            try:
                with made:
                    made = collected(made, stage, told)
            except BaseException:
                paid.append(most)  # nobody says what a reply that broke off cost
                raise
        prompt, reply = spent(made)
        cost = self._count(prompt, reply, stage, most)
        paid.append(cost)
        told_cost = cost if self.price else None
        seconds = time.monotonic() - started
        watch.tell(Called(self.name, stage, seconds, prompt or 0, reply or 0, told_cost, call=call))
        return made

    def _most(self, request: Mapping[str, Any]) -> float:
        """What a call may cost at most."""
        if self.price is None:
            return 0.0
        characters, pictures = size(request)
        return self.price.of(characters / CHARACTERS + pictures * MOST_TOKENS, self._max_output)

    def _count(self, prompt: int | None, reply: int | None, stage: str, most: float) -> float:
        """Counts a completion's tokens; their cost, which is no more than reckoned where the server says none."""
        self.usage.add(stage, prompt_tokens=prompt or 0, completion_tokens=reply or 0)
        if self.price is None:
            return 0.0
        # a server that doesn't say what was spent is reckoned to have spent all that it could
        return most if prompt is None or reply is None else self.price.of(prompt, reply)

    def _content(self, completion: Any, request: Mapping[str, Any]) -> str:
        """The text of a completion."""
        if not hasattr(completion, "choices"):
            raise ModelError(f"{self._place} gave no chat completion: should the base URL end in /v1?")
        if not completion.choices:
            error = getattr(completion, "error", None)  # gateways report a failure behind them with status 200
            if isinstance(error, Mapping):
                raise self._meaning(inner_fault(error), request)
            raise ReplyError("the model's reply is empty")
        choice = completion.choices[0]
        text = joined(getattr(choice.message, "content", None))
        if text.strip():
            return text
        if getattr(choice.message, "refusal", None):
            raise ReplyError(f"the model refused: {scrub(str(choice.message.refusal), self._key)}")
        cut = f", cut off at {self._max_output} tokens: raise max_output" if choice.finish_reason == "length" else ""
        raise ReplyError(f"the model's reply is empty{cut}")

    def _meaning(self, fault: Fault, request: Mapping[str, Any]) -> Exception:
        """The exception that a server's error stands for."""
        sent = [name for name in OPTIONAL if name in request]
        if any(message["role"] == "system" for message in request["messages"]):
            sent.append("system")
        if has_images(request):
            sent.append("images")
        what, parameter = remedy(fault, sent)
        words = scrub(fault.words, self._key)
        if what is Remedy.LESS:
            return ContextTooLong(f"the prompt is too long for {self.model}: lower --budget ({words})")
        if parameter == "images":
            return self._without_images(words)
        if what in (Remedy.OTHER_FORMAT, Remedy.WITHOUT):
            return _Refused(what, parameter)
        if what is Remedy.AGAIN:
            wait = wanted_wait(fault)
            if wait is None or wait <= LONGEST_WAIT:
                return _Passing(f"{self._place} answered {fault.status}: {words}", wait)
            return ModelError(f"{self._place} asks to wait {wait:.0f} s: run again after that ({words})")
        meets_all = fault.status in (401, 404, 429)  # a 403 may be about the one prompt: gateways moderate
        return (NoAccess if meets_all else ModelError)(f"{self._advice(fault.status)}: {words}")

    def _without_images(self, words: str) -> NoPictures:
        """Remembers that the model takes no pictures, and says so the first time."""
        with self._server.lock:
            if self._server.takes_images:
                log.warning("%s takes no pictures, and is sent no more (said once): %s", self.name, words)
            self._server.takes_images = False
        return NoPictures(f"{self.name} takes no pictures: name another model ({words})")

    def _advice(self, status: int) -> str:
        if status == 401:
            return f"{self._place} takes no such key (401): set OPENAI_API_KEY (or KOHAKU_API_KEY) to a valid one"
        if status == 403:
            return f"{self._place} doesn't allow this (403): check that the key may use model {self.model!r}"
        if status == 404:
            return f"{self._place} has no model {self.model!r}, or no such path (404): check --model and --base-url"
        if status == 429:
            return f"the account at {self._place} has no quota left (429): top it up or use another key"
        return f"{self._place} refused the request ({status}): check --model and its settings"

    def _wait(self, state: RetryCallState) -> float:
        """Seconds until the next try: the server's wish, else doubling; with jitter, lest all come back at once."""
        error = state.outcome.exception() if state.outcome else None
        wish = error.wait if isinstance(error, _Passing) else None
        if wish is not None:
            return wish + random.uniform(0, self._base_delay / 4)
        delay = self._base_delay * 2.0 ** (state.attempt_number - 1)
        return float(min(LONGEST_DELAY, delay) * random.uniform(0.75, 1.25))

    def _pause(self, stage: str, seconds: float) -> None:
        _still_left(seconds)
        self.usage.add(stage, waited=seconds)
        watch.tell(Waiting(self.name, stage, seconds))
        self._sleep(seconds)


class _Passing(Exception):
    """A fault that may be gone at the next try; `wait` are the seconds the server asked for."""

    def __init__(self, words: str, wait: float | None) -> None:
        super().__init__(words)
        self.wait = wait


class _Refused(Exception):
    """The server doesn't take the request in this manner."""

    def __init__(self, what: Remedy, parameter: str) -> None:
        super().__init__(parameter)
        self.remedy, self.parameter = what, parameter


def _is_silence(error: Exception) -> bool:
    """Whether a server that was reached took too long to say anything."""
    return type(error.__cause__ or error).__name__ == "ReadTimeout"


def _still_left(seconds: float) -> float:
    """The seconds until the question's deadline; raises ModelError where they are no more than so many."""
    left = deadline.left()
    if left is not None and left <= seconds:
        raise ModelError("the question's deadline is over: raise --deadline, or run again later")
    return float("inf") if left is None else left


def _read(text: str, schema: type[T]) -> tuple[T, str]:
    return parse(text, schema), text
