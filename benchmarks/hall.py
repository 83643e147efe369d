"""Figures for ``python -m benchmarks hall``: simulated tables, a real broker, a real hall."""

import dataclasses
import heapq
import json
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from blindplay.broker import Broker, Link
from blindplay.hall.brokers import LocalBroker
from blindplay.hall.event_file import EventFile
from blindplay.hall.hall import Hall
from blindplay.hall.pages import HallHost
from blindplay.hall.protocol import (
    Head,
    LinesWanted,
    Presence,
    Topic,
    decode,
    encode,
    topic_of,
)
from blindplay.laws import Fact
from blindplay.laws import facts as f
from blindplay.record.chain import digest_of, encoded

from .laws_and_words import long_game

_EVENT = "bench"
_TABLES_OF_A_LINK = 50
_PLY_S = 20.0  # a ply of a rapid game, 15 minutes and 10 seconds a move
_FACTS_OF_A_PLY = 8.0
_TICK_S = 1.0  # a table with a running clock writes a line so often
_SETTLING_S = 60.0
_LAST_S = 2.0  # for changes on their way to the page
_MOVE = re.compile(r"Move (\d+):")


def measure(sizes: Sequence[int], seconds: float, speed: float) -> Iterator[str]:
    """Yield one line for each number of tables: they play for so many seconds, ``speed`` times as
    fast as a rapid game.

    :raises BrokerMissingError: if Mosquitto is not installed.
    """
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            yield _measured(size, seconds, speed, Path(folder))


def _measured(size: int, seconds: float, speed: float, folder: Path) -> str:
    with (
        LocalBroker(folder) as local,
        Hall(joined := EventFile(_EVENT, local.broker, folder=folder / "copies")) as hall,
    ):
        while not hall.online:
            time.sleep(0.05)
        host = HallHost(hall, joined, port=0)
        try:
            delays = _Delays(hall)
            reader = _started("read_page", host.links(["Arbiter"])["Arbiter"])
            _said(reader)  # it is there
            before, begun = time.process_time(), time.monotonic()
            tables = _started("simulate", local.port, size, seconds, speed)
            ends = _said(tables)
            busy = (time.process_time() - before) / (time.monotonic() - begun)
            equal = _equal(hall, ends)
            time.sleep(_LAST_S)
            on_page = delays.on_page(_ended(reader))
            _ended(tables)
        finally:
            host.close()
    lines = sum(number for _, number, _ in ends.values())
    return (
        f"Hall of {size} tables, {speed:g} times the speed of a rapid game, {seconds:g} s: "
        f"{lines} lines; from the event to the hall {_shown(delays.to_hall)}, to the page "
        f"{_shown(on_page)}; the hall took {busy:.2f} of a core and has {_megabytes()}; "
        f"{equal} of {size} copies are equal."
    )


def _started(function: str, *arguments: object) -> "subprocess.Popen[str]":
    """A process with a function of this module. It ends when its input does."""
    given = ", ".join(map(repr, arguments))
    program = f"from benchmarks.hall import {function}; {function}({given})"
    return subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip


def _said(process: "subprocess.Popen[str]") -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline() or "null")


def _ended(process: "subprocess.Popen[str]") -> Any:
    """Return the last message of a process after its input is closed."""
    assert process.stdin is not None
    process.stdin.close()
    said = _said(process)
    process.wait()
    return said


class _Delays:
    """The delay of each event: a table sends its head at the moment of the event.

    All processes read the clock of one machine.
    """

    def __init__(self, hall: Hall) -> None:
        self._tables = hall.follower.tables
        self._events: dict[str, dict[int, float]] = {}
        self.to_hall: list[float] = []
        """In milliseconds."""
        hall.follower.listen(self._take)

    def _take(self, name: str) -> None:
        head = self._tables[name].head
        events = self._events.setdefault(name, {})
        if head is not None and head.seq not in events:
            events[head.seq] = head.wall
            self.to_hall.append((time.time() - head.wall) * 1000)

    def on_page(self, seen: Sequence[tuple[str, int, float]]) -> list[float]:
        """Return the delay of each event until a page shows it, in milliseconds. A newer event of
        the same table shows it, too. ``seen``: table, event and time of each change of the page."""
        found, left = [], {name: sorted(events.items()) for name, events in self._events.items()}
        for name, number, at in seen:
            events = left.get(name, [])
            while events and events[0][0] <= number:
                found.append((at - events.pop(0)[1]) * 1000)
        return found


def _shown(delays: Sequence[float]) -> str:
    found = sorted(delays) or [float("nan")]
    median, most = (found[int(part * (len(found) - 1))] for part in (0.5, 0.95))
    return f"{median:.0f} ms (median), {most:.0f} ms (95 %)"


def _equal(hall: Hall, ends: dict[str, list[object]]) -> int:
    """Return the number of copies that get the last line of their tables in time."""
    limit = time.monotonic() + _SETTLING_S
    while True:
        with hall.follower.lock:
            copies = {name: table.copy for name, table in hall.follower.tables.items()}
            now = {
                name: [copy.game, *copy.end] for name, copy in copies.items() if copy is not None
            }
        equal = sum(now.get(name) == end for name, end in ends.items())
        if equal == len(ends) or time.monotonic() > limit:
            return equal
        time.sleep(0.1)


def _megabytes() -> str:
    """The most memory that this process has had."""
    if sys.platform == "win32":
        return "an unknown amount of memory"
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return f"{most / (1 << 20 if sys.platform == 'darwin' else 1 << 10):.0f} MB of memory"


# --- the page of an arbiter, in a process of its own --------------------------------------------


def read_page(link: str) -> None:
    """Print that the page of all tables is open, and read its changes until the input ends. Then
    print for each change the table, the number of its move, which is that of the event, and when
    it came."""
    import httpx

    seen: list[tuple[str, int, float]] = []

    def read() -> None:
        base, _, token = link.partition("/#")
        with httpx.Client(base_url=base, headers={"origin": base}, timeout=None) as page:
            page.post("/enter", data={"token": token})
            with page.stream("GET", "/hall/changes?page=en&view=grid") as stream:
                for line in stream.iter_lines():
                    if line == "event: run":
                        print("true", flush=True)
                    if line.startswith("data: {"):
                        _note(json.loads(line[6:]).get("parts", {}), seen)

    threading.Thread(target=read, daemon=True).start()
    sys.stdin.read()
    print(json.dumps(seen), flush=True)


def _note(parts: dict[str, str], seen: list[tuple[str, int, float]]) -> None:
    now = time.time()
    for name, html in parts.items():
        if name.startswith("t-") and (move := _MOVE.search(html)):
            seen.append((name.removeprefix("t-"), int(move[1]), now))


# --- the tables, in a process of their own ------------------------------------------------------


class SimulatedTable:
    """A table that plays a random game and has no hands, no voice and no Laws."""

    def __init__(self, name: str, facts: Sequence[Fact]) -> None:
        self.name = name
        self._facts = facts
        self.lines: list[bytes] = []
        self._seq = 0
        self._t = 0

    @property
    def end(self) -> tuple[str, int, str]:
        """The game, and the number and the digest of its last line."""
        return digest_of(self.lines[0]), len(self.lines), digest_of(self.lines[-1])

    def happen(self, ticks: int) -> bytes:
        """The lines of one fact, and of the seconds that passed before it."""
        first = len(self.lines)
        for _ in range(ticks if self.lines else 0):
            self._add(f.Tick())
        self._add(self._facts[first % len(self._facts)] if first else f.Setup(site=self.name))
        return b"".join(self.lines[first:])

    def _add(self, fact: Fact) -> None:
        self._t += 1
        end = (len(self.lines), digest_of(self.lines[-1]) if self.lines else "")
        self.lines.append(encoded(dataclasses.replace(fact, t=self._t), end)[0])

    def head(self) -> bytes:
        self._seq += 1
        game, number, digest = self.end
        left = {"white": 900.0, "black": 900.0}
        head = Head(
            self.name, self._seq, game, number, digest, self._t / 1000, time.time(), "playing",
            white="A player with a name", black="Another player", round="1",
            moves=2 * self._seq, last="e2e4",  # so each head changes the page
            fen="rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", left=left,
            running="white",
        )  # fmt: skip
        return encode(head)


class _Tables:
    """Some simulated tables with one connection."""

    def __init__(self, port: int, tables: Sequence[SimulatedTable]) -> None:
        self._tables = {table.name: table for table in tables}
        self._asked: list[tuple[str, LinesWanted]] = []
        self._lock = threading.Lock()
        topics = [str(Topic(_EVENT, name, "ask")) for name in self._tables]
        broker = Broker("127.0.0.1", port)
        self.link = Link(broker, topics, self._ask, lambda: None)
        self.link.start()

    def _ask(self, topic: str, payload: bytes, retained: bool) -> None:
        with self._lock:
            self._asked.append((topic_of(topic).table, decode(LinesWanted, payload)))

    def publish(self, name: str, kind: str, payload: bytes) -> None:
        self.link.publish(str(Topic(_EVENT, name, kind)), payload, retain=kind != "journal")

    def answer(self) -> None:
        """Publish the requested lines."""
        with self._lock:
            asked, self._asked = self._asked, []
        for name, ask in asked:
            lines = self._tables[name].lines[ask.start - 1 :]
            for at in range(0, len(lines), 200):
                self.publish(name, "journal", b"".join(lines[at : at + 200]))
            self.publish(name, "head", self._tables[name].head())


def simulate(port: int, size: int, seconds: float, speed: float) -> None:
    """Play at so many tables, print where they end, and answer asks until the input ends."""
    facts = [fact for fact in long_game() if not isinstance(fact, f.Setup)]
    tables = [SimulatedTable(f"t{number}", facts) for number in range(size)]
    parts = [tables[at : at + _TABLES_OF_A_LINK] for at in range(0, size, _TABLES_OF_A_LINK)]
    links = [_Tables(port, part) for part in parts]
    while not all(one.link.online for one in links):
        time.sleep(0.05)
    pause = _PLY_S / _FACTS_OF_A_PLY / speed
    rng, begun = random.Random(1), time.monotonic()
    due = [(rng.random() * pause, index) for index in range(size)]
    heapq.heapify(due)
    while due:
        when, index = due[0]
        time.sleep(max(0.0, begun + when - time.monotonic()))
        table, link = tables[index], links[index // _TABLES_OF_A_LINK]
        if not table.lines:
            link.publish(table.name, "presence", encode(Presence(table.name, True)))
        link.publish(table.name, "journal", table.happen(round(pause / _TICK_S)))
        link.publish(table.name, "head", table.head())
        link.answer()
        heapq.heappop(due)
        if when + pause <= seconds:
            heapq.heappush(due, (when + pause, index))
    print(json.dumps({table.name: table.end for table in tables}), flush=True)
    reader = threading.Thread(target=sys.stdin.read, daemon=True)
    reader.start()
    while reader.is_alive():
        time.sleep(0.1)
        for link in links:
            link.answer()
