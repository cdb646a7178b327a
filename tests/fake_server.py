"""A scripted server on loopback that speaks as much of OpenAI's chat completions as the tests need."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Step:
    """What the server does with one request; status 0 drops the connection.

    A body of several pieces (a tuple) is sent piece by piece, `pause` seconds apart; it `breaks` off after the last.
    """

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    pause: float = 0.0
    breaks: bool = False
    gate: threading.Event | None = None  # the second half of the pieces waits for it


DROP = Step(status=0)
USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}


def says(text: str | None, *, finish: str = "stop", **message: Any) -> Step:
    """A completion with this text."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    return Step(body={"id": "1", "object": "chat.completion", "created": 1, "choices": [choice], "usage": USAGE})


def fails(status: int, message: str, *, headers: Mapping[str, str] | None = None, **error: Any) -> Step:
    """An error as OpenAI words it."""
    return Step(status, {"error": {"message": message, **error}}, headers or {})


def writes(
    text: str,
    *,
    pause: float = 0.0,
    breaks: bool = False,
    finish: str | None = "stop",
    size: int = 4,
    gate: threading.Event | None = None,
) -> Step:
    """A completion with this text as it is written, a few characters at a time, whatever was asked for."""
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    deltas = [_chunk([{"index": 0, "delta": {"content": piece}, "finish_reason": None}]) for piece in pieces]
    if not breaks:
        deltas.append(_chunk([{"index": 0, "delta": {}, "finish_reason": finish}]))
        deltas.append(_chunk([], usage=USAGE))
        deltas.append(b"data: [DONE]\n\n")
    return Step(
        body=tuple(deltas), headers={"Content-Type": "text/event-stream"}, pause=pause, breaks=breaks, gate=gate
    )


def _chunk(choices: list[dict[str, Any]], **more: Any) -> bytes:
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices, **more}
    return f"data: {json.dumps(chunk)}\n\n".encode()


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that was killed is no affair of the server's."""


class FakeServer:
    """Plays its steps in order, then answers every request by `otherwise`; remembers the requests."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.otherwise: Callable[[dict[str, Any]], Step] = lambda body: says("{}")
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.in_flight = self.most_in_flight = 0
        self.pieces = self.hung_up = 0  # sent one by one; clients that left in the midst of them
        self.lock = threading.Lock()
        self.http = _Http(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}/v1"

    def play(self, *steps: Step) -> None:
        self.steps.extend(steps)

    def prompt(self, number: int = -1) -> str:
        """All text of a request."""
        contents = [message["content"] for message in self.requests[number]["messages"]]
        return "\n".join(text if isinstance(text, str) else text[0]["text"] for text in contents)

    def images(self, number: int = -1) -> list[str]:
        """The pictures of a request, as the URLs that hold them."""
        parts = [part for message in self.requests[number]["messages"] for part in message["content"]]
        return [part["image_url"]["url"] for part in parts if isinstance(part, dict) and part["type"] == "image_url"]

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()

    def _next(self, body: dict[str, Any], key: str) -> Step:
        with self.lock:
            self.requests.append(body)
            self.keys.append(key)
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            step = self.steps.pop(0) if self.steps else None
        return step or self.otherwise(body)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: object) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                step = server._next(body, self.headers["Authorization"])
                with server.lock:
                    server.in_flight -= 1
                if step.status == 0:
                    self.close_connection = True
                    self.connection.close()
                    return
                if isinstance(step.body, tuple):
                    self._send_pieces(step)
                    return
                raw = step.body if isinstance(step.body, bytes) else json.dumps(step.body).encode()
                self.send_response(step.status)
                for name, value in {"Content-Type": "application/json", **step.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def _send_pieces(self, step: Step) -> None:
                self.close_connection = True
                self.send_response(step.status)
                for name, value in {**step.headers, "Transfer-Encoding": "chunked"}.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    for number, piece in enumerate(step.body):
                        if step.gate is not None and number == len(step.body) // 2:
                            step.gate.wait(20)
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                        self.wfile.flush()
                        time.sleep(step.pause)
                        server.pieces += 1
                    if not step.breaks:
                        self.wfile.write(b"0\r\n\r\n")
                except OSError:
                    server.hung_up += 1

        return Handler
