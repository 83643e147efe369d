"""A web server on this machine that behaves badly on demand."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Behaviour = Callable[["Handler"], None]


class Served:
    """A server's state: its ``files`` by their paths, in the version ``tag``. ``does`` are the
    behaviours for the next requests; without one it behaves well. ``asked`` are the requests so
    far: (path, Range, If-Range)."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.files: dict[str, bytes] = {}
        self.tag: str | None = '"one"'
        self.does: list[Behaviour] = []
        self.asked: list[tuple[str, str | None, str | None]] = []
        self.closing = threading.Event()

    def url(self, name: str) -> str:
        return f"{self.address}/{name}"

    @property
    def ranges(self) -> list[str | None]:
        return [wanted for _, wanted, _ in self.asked]


class Handler(BaseHTTPRequestHandler):
    served: Served

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.served.asked.append(
            (self.path, self.headers.get("Range"), self.headers.get("If-Range"))
        )
        behaviour = self.served.does.pop(0) if self.served.does else honestly
        with contextlib.suppress(OSError):
            behaviour(self)

    @property
    def body(self) -> bytes | None:
        return self.served.files.get(self.path.lstrip("/"))

    def begin(self, code: int, length: int | None, **headers: str) -> None:
        self.send_response(code)
        if length is not None:
            self.send_header("Content-Length", str(length))
        if self.served.tag is not None:
            self.send_header("ETag", self.served.tag)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def wanted(self) -> int:
        """Return the first byte asked for, if the version is still the same."""
        given, version = self.headers.get("Range"), self.headers.get("If-Range")
        if given is None or (version is not None and version != self.served.tag):
            return 0
        return int(given.removeprefix("bytes=").removesuffix("-"))

    def part(self) -> bytes:
        """Send the head of a correct answer, and return its body."""
        body = self.body
        assert body is not None
        start = self.wanted()
        if start:
            span = f"bytes {start}-{len(body) - 1}/{len(body)}"
            self.begin(206, len(body) - start, Content_Range=span)
        else:
            self.begin(200, len(body))
        return body[start:]


def honestly(handler: Handler) -> None:
    if handler.body is None:
        handler.begin(404, 0)
    elif handler.wanted() >= max(1, len(handler.body)):
        handler.begin(416, 0)
    else:
        handler.wfile.write(handler.part())


def breaks_off(after: int) -> Behaviour:
    """End the connection before the file."""

    def do(handler: Handler) -> None:
        handler.wfile.write(handler.part()[:after])

    return do


def stalls(after: int) -> Behaviour:
    """Send nothing more, and keep the connection."""

    def do(handler: Handler) -> None:
        handler.wfile.write(handler.part()[:after])
        handler.wfile.flush()
        handler.served.closing.wait(10)

    return do


def drips(handler: Handler) -> None:
    """Send a byte now and then, without a long pause."""
    for byte in handler.part():
        handler.wfile.write(bytes((byte,)))
        handler.wfile.flush()
        if handler.served.closing.wait(0.05):
            return


def ignores_range(handler: Handler) -> None:
    assert handler.body is not None
    handler.begin(200, len(handler.body))
    handler.wfile.write(handler.body)


def endlessly(handler: Handler) -> None:
    """Send no length, and never end."""
    handler.begin(200, None)
    end = time.monotonic() + 10
    while time.monotonic() < end:
        handler.wfile.write(bytes(100_000))


def answers(code: int, **headers: str) -> Behaviour:
    def do(handler: Handler) -> None:
        handler.begin(code, 0, **headers)

    return do


@contextlib.contextmanager
def serving() -> Iterator[Served]:
    """Yield a server in threads of its own."""

    class Bound(Handler):
        pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Bound) as server:
        served = Served(f"http://127.0.0.1:{server.server_address[1]}")
        Bound.served = served
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield served
        finally:
            served.closing.set()
            server.shutdown()
            thread.join()
