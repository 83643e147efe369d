"""Figures for ``python -m benchmarks pages``: how soon, and with how many bytes, open pages show a
fact, early and late in a game; and how soon a page is there on a slow line.

A table with its console runs in a process of its own, and everybody's pages read its changes here.
With another folder of BlindPlay, both versions play the same moves in turns, so that a busy machine
slows both.
"""

import asyncio
import contextlib
import itertools
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

WINDOWS = ((0, 20), (190, 210), (380, 400))
"""The plies of which the changes are measured."""
SLOW = (50_000, 800)
"""A slow line: bits in a second, and milliseconds of delay for each request."""
_CHROMIUM = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome",
)  # fmt: skip
_ROOT = Path(__file__).resolve().parents[1]
_QUIET_S = 0.06  # so long after the last change nothing more comes of a fact
_SEED = 7


@dataclass
class _Delays:
    """Of one version in one window: milliseconds from each fact to each page, the bytes of each
    change on the wire and before compression."""

    ms: list[float] = field(default_factory=list)
    wire: list[int] = field(default_factory=list)
    whole: list[int] = field(default_factory=list)


def measure(pages: int, windows: Sequence[tuple[int, int]], against: Path | None) -> Iterator[str]:
    """Yield a line for each version and window. ``pages``: so many are open, of all roles in turn;
    ``against``: the folder of another version."""
    found = asyncio.run(_measured(pages, windows, [_ROOT, *([against] if against else [])]))
    for (root, (first, last)), one in found.items():
        ms, wire = sorted(one.ms), sorted(one.wire)
        yield (
            f"{root.name}, {pages} pages, plies {first} to {last}: from the fact to the change "
            f"{statistics.median(ms):.1f} ms (median), {ms[int(0.95 * len(ms))]:.1f} ms (95 %); "
            f"{statistics.mean(wire):.0f} bytes for each change "
            f"({statistics.mean(one.whole):.0f} before compression)."
        )


class NoBrowserError(RuntimeError):
    """There is no Chromium, or nothing that drives it."""


@contextlib.contextmanager
def chromium(*arguments: str) -> Iterator[Any]:
    """A Chromium without a window, started with these arguments, too.

    :raises NoBrowserError: without one.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise NoBrowserError("Install the package playwright, which drives a browser.") from None
    path = next(filter(None, map(shutil.which, _CHROMIUM)), None)
    if path is None:
        raise NoBrowserError("Install Chromium, in which the page is opened.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage", *arguments]
        )
        try:
            yield browser
        finally:
            browser.close()


def load(against: Path | None) -> Iterator[str]:
    """Yield a line for each version: what the page of a sighted player costs a browser that opens
    its link for the first time, on a slow line.

    :raises NoBrowserError: without a browser.
    """
    bits, delay = SLOW
    line = dict.fromkeys(("downloadThroughput", "uploadThroughput"), bits / 8)
    with chromium() as browser:
        for root in [_ROOT, *([against] if against else [])]:
            process = _served(root)
            assert process.stdout is not None and process.stdin is not None
            link = json.loads(process.stdout.readline())["black"]
            page = browser.new_page()
            seen = page.context.new_cdp_session(page)
            seen.send("Network.enable")
            seen.send(
                "Network.emulateNetworkConditions", {"offline": False, "latency": delay, **line}
            )
            sizes: list[int] = []
            seen.on(
                "Network.loadingFinished", lambda e, to=sizes: to.append(e["encodedDataLength"])
            )
            began = time.monotonic()
            page.goto(link, wait_until="commit")
            page.locator("#board").wait_for()
            shown = time.monotonic() - began
            page.wait_for_load_state("load")
            loaded = time.monotonic() - began
            page.close()
            process.stdin.close()
            process.wait()
            yield (
                f"{root.name}, first load at {bits // 1000} kbit/s with {delay} ms: the board "
                f"after {shown:.1f} s, everything after {loaded:.1f} s; {len(sizes)} files, "
                f"{sum(sizes) / 1000:.1f} kB."
            )


def _served(root: Path) -> "subprocess.Popen[str]":
    """A table of the version in ``root``, in a process of its own; see :func:`serve`."""
    return subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(root)},
    )


async def _measured(
    pages: int, windows: Sequence[tuple[int, int]], roots: Sequence[Path]
) -> dict[tuple[Path, tuple[int, int]], _Delays]:
    tables = [await _Measured.open(root, pages) for root in roots]
    found = {}
    for window, root in itertools.product(windows, roots):
        found[root, window] = _Delays()
    try:
        for window in windows:
            for one in tables:
                if window[0]:
                    await one.play(window[0])
            for ply in range(window[0] + 1, window[1] + 1):
                for root, one in zip(roots, tables, strict=True):
                    await one.measure(ply, found[root, window])
    finally:
        for one in tables:
            one.close()
    return found


class _Measured:
    """A table of one version, and its open pages."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._arrived: list[tuple[float, int, int]] = []  # time, bytes, bytes before compression
        self._tasks: list[asyncio.Task[None]] = []

    @classmethod
    async def open(cls, root: Path, pages: int) -> "_Measured":
        made = cls(_served(root))
        doors = list(made._said().values())
        for link in itertools.islice(itertools.cycle(doors), pages):
            made._tasks.append(asyncio.create_task(made._read(link)))
        await made._settled()
        return made

    def _said(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def _ask(self, **what: Any) -> Any:
        assert self._process.stdin is not None
        print(json.dumps(what), file=self._process.stdin, flush=True)
        return self._said()

    async def play(self, ply: int) -> None:
        """Play up to this ply."""
        self._arrived.clear()
        self._ask(play=ply)
        await self._settled()

    async def measure(self, ply: int, found: _Delays) -> None:
        """Play one ply, and wait after each fact until no page changes any more."""
        while True:
            self._arrived.clear()
            began = self._ask(next=ply)
            if began is None:
                return
            await self._settled()
            for at, wire, whole in self._arrived:
                found.ms.append(1000 * (at - began))
                found.wire.append(wire)
                found.whole.append(whole)

    async def _settled(self) -> None:
        """Wait until the pages have changed, and no page changes any more. The first page is the
        arbiter's, which shows every fact."""
        while not self._arrived or time.monotonic() < self._arrived[-1][0] + _QUIET_S:
            await asyncio.sleep(_QUIET_S / 4)

    async def _read(self, link: str) -> None:
        """Come in and read the changes of a page, as a browser does."""
        base, _, token = link.partition("/#")
        host = urlsplit(base)
        body = urlencode({"token": token})
        head = (
            f"POST /enter HTTP/1.1\r\nhost: {host.netloc}\r\norigin: {base}\r\n"
            "content-type: application/x-www-form-urlencoded\r\nconnection: close\r\n"
            f"accept-language: en\r\ncontent-length: {len(body)}\r\n\r\n{body}"
        )
        reader, writer = await asyncio.open_connection(host.hostname, host.port)
        writer.write(head.encode())
        answer = (await reader.read()).decode()
        writer.close()
        headers = dict(
            line.split(": ", 1) for line in answer.partition("\r\n\r\n")[0].split("\r\n")[1:]
        )
        cookie = headers["set-cookie"].partition(";")[0]
        reader, writer = await asyncio.open_connection(host.hostname, host.port, limit=1 << 22)
        writer.write(
            f"GET {headers['location']}changes?page=en&edits=yes HTTP/1.1\r\n"
            f"host: {host.netloc}\r\n"
            f"cookie: {cookie}\r\naccept-encoding: gzip\r\n\r\n".encode()
        )
        await reader.readuntil(b"\r\n\r\n")
        unpacked = zlib.decompressobj(wbits=31)
        while size := int(await reader.readline() or b"0", 16):
            chunk = await reader.readexactly(size)
            await reader.readline()
            text = unpacked.decompress(chunk)
            if b"data: {" in text:
                self._arrived.append((time.monotonic(), size, len(text)))

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


# --- the table, in a process of its own ---------------------------------------------------------


def serve() -> None:
    """Print the links of a table's pages, and play as the input says, up to its end."""
    from blindplay.console.access import RateLimiter  # of the version that is measured
    from blindplay.console.server import ConsoleHost
    from blindplay.laws import facts as f
    from blindplay.record import Journal
    from blindplay.table import Table

    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        journal = stack.enter_context(Journal(folder / "game.jsonl"))
        setup = f.Setup(
            time_control="54000+30",
            white=f.Player(name="Anna", impaired=True, assistant=True),
            black=f.Player(name="Bert"),
        )
        table = Table(journal, setup)
        host = ConsoleHost(table, port=0)
        stack.callback(host.close)
        limiter = RateLimiter(a_second=1e6, at_once=10**6)
        host.console.acting = host.console.sign_in.entering = host.console.sign_in.asking = limiter
        print(json.dumps({role: host.link(role) for role in host.roles()}), flush=True)
        table.submit(f.Arbiter(do="preside"))
        table.submit(f.Start())
        stop = threading.Event()
        ticking = threading.Thread(
            target=lambda: [table.submit(f.Tick()) for _ in iter(lambda: stop.wait(0.25), True)]
        )
        ticking.start()
        stack.callback(stop.set)
        game, ply = _game(), 0
        left: list[f.Fact] = []
        for line in sys.stdin:
            asked, began = json.loads(line), None
            wanted = asked.get("next", asked.get("play"))
            while ply < wanted and not left:
                left, ply = next(game), ply + 1
                if "play" in asked:
                    for fact in left:
                        table.submit(fact)
                    left = []
            if left:
                began = time.monotonic()
                table.submit(left.pop(0))
            print(json.dumps(began), flush=True)


def _game() -> Iterator[list[Any]]:
    """The facts of each ply of a game of pieces that shuffle, with both scoresheets."""
    import chess

    from blindplay.laws import facts as f

    from_rng, board = random.Random(_SEED), chess.Board()
    for ply in itertools.count(1):
        quiet = [m for m in board.legal_moves if not (board.is_capture(m) or board.gives_check(m))]
        pawns = board.halfmove_clock >= 60
        wanted = [m for m in quiet if (board.piece_type_at(m.from_square) == chess.PAWN) == pawns]
        move = from_rng.choice(wanted or quiet)
        by, other = ("white", "black") if board.turn else ("black", "white")
        yield [
            f.Announce(by=by, move=move.uci()),
            f.Make(by=by, move=move.uci()),
            f.Press(by=by),
            f.Repeat(by=other, move=move.uci()),
            f.Make(by=other, move=move.uci()),
            f.Record(by="black", ply=ply, text=board.san(move)),
        ]
        board.push(move)


if __name__ == "__main__":
    serve()
