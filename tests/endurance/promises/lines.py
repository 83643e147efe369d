"""Tables at a hall and tables far apart: their line breaks, and their processes are killed."""

from __future__ import annotations

import random
import re
import subprocess
import time
from pathlib import Path

from tests.endurance.promises import journal
from tests.endurance.promises.figures import Figures
from tests.endurance.promises.proxy import Line
from tests.endurance.promises.table import (
    OPTIONS,
    Person,
    Process,
    Ruling,
    printed,
    replayed,
    run,
    untold,
)
from tests.ports import free_port
from tests.programs import PROGRAMS
from tests.waiting import until


class Hall:
    """A hall that ``hall init`` has set up, its broker, and a line between broker and table."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = folder / "open"
        options = "--rounds 1 --edition fide-2023 --time-control 90m+30s --tables 1 --languages en"
        words = ("--title", "Open", "--host", "127.0.0.1", "--folder", str(self.files))
        status, text = run(folder, "hall", "init", *options.split(), *words)
        assert status == 0, text
        self.port = free_port()
        self.line = Line(self.port)
        self._port("broker/mosquitto.conf", "listener 8883", f"listener {self.port}")
        self._port("hall.toml", "port = 8883", f"port = {self.port}")
        self._port("table-1.toml", "port = 8883", f"port = {self.line.port}")
        self.start_broker()
        self.start()

    def _port(self, name: str, old: str, new: str) -> None:
        path = self.files / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def start_broker(self) -> None:
        """Start the broker of the event."""
        self.broker = subprocess.Popen(
            [str(PROGRAMS["Mosquitto"].places()[0]), "-c", "mosquitto.conf"],
            cwd=self.files / "broker",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def start(self) -> None:
        """Start the hall, which keeps copies."""
        self.hall = Process(self.folder, "hall", "follow", self.files / "hall.toml")

    def kill_broker(self) -> None:
        """Kill the broker; its place stays empty."""
        self.broker.kill()
        self.broker.wait()

    def close(self) -> None:
        """End everything."""
        self.hall.kill()
        self.kill_broker()
        self.line.close()

    def copies(self) -> list[bytes]:
        """Return the copies of the table's journals."""
        return [path.read_bytes() for path in self.files.glob("hall-open/table-1/*.jsonl")]


LASTS = ("quit", "broker", "kill", "line", "hall")
"""What fails while the hall gets the last line; with ``quit`` nothing does."""


def hall(folder: Path, figures: Figures, seed: int, breaks: int, last: str = "") -> None:
    """Play at a hall while line, broker, hall and table fail, and compare both journals."""
    chance = random.Random(seed)
    name = "hall" if breaks else "hall, the last line"
    place = Hall(folder)
    path = folder / "game.jsonl"
    person, told, faults = Person(chance), [], []
    at = ("--hall", str(place.files / "table-1.toml"), "--white", "Ada", "--black", "Bo")
    edges: list[int] = []
    table = Process(folder, "play", *OPTIONS, "--journal", path, *at)
    try:
        table.says("Press Enter")
        table.type()
        person.play(table, 2)
        for number in range(breaks):
            what = chance.choice(["line", "line", "broker", "hall", "table"])
            if number % 5 == 0:
                what = "broker"
            if what == "line":
                place.line.mood = chance.choice(Line.MOODS)
                if place.line.mood == "shut":
                    place.line.cut()
            elif what == "broker":
                place.kill_broker()
            elif what == "hall":
                place.hall.kill()
                faults += ["hall: " + place.hall.text[-900:]] * ("Traceback" in place.hall.text)
            else:
                table.kill()
                faults += ["table: " + table.text[-900:]] * ("Traceback" in table.text)
                told += printed(table.lines)
                edges.append(len(told))
                person.resume(journal.read(path))
                table = Process(folder, "play", *OPTIONS, "--journal", path, "--resume")
                table.says("Press Enter")
                table.type()
            person.play(table, chance.randrange(3))
            if what == "line":
                place.line.mood = ""
                place.line.cut()
            elif what == "broker":
                place.start_broker()
            elif what == "hall":
                place.start()
        table.type("resign")
        table.type("yes")
        table.says("game over")
        last = last or chance.choice(LASTS)
        began = time.monotonic()
        table.type("quit")
        if last == "broker":
            place.kill_broker()
        elif last == "kill":
            time.sleep(chance.random())
            table.kill()
        elif last == "line":
            place.line.mood = "held"
        elif last == "hall":
            place.hall.kill()
        table.end()
        figures.measure(name, "leaving, s", time.monotonic() - began)
        told += printed(table.lines)
        if last != "quit":
            if last != "kill" and "tell the arbiter" not in table.text:
                faults.append(f"left without a word, {last}: {table.lines[-25:]}")
            if last == "broker":
                place.start_broker()
            elif last == "hall":
                place.start()
            place.line.mood = ""
            place.line.cut()
            edges.append(len(told))
            table = Process(folder, "play", *OPTIONS, "--journal", path, "--resume")
            table.says("is over. Type quit")
            until(lambda: path.read_bytes() in place.copies(), 40)
            table.type("quit")
            table.end()
            told += printed(table.lines)
        lost, gaps = untold(told, replayed(folder, path))
        faults += [f"lost: {ruling}" for ruling in lost]
        faults += [f"invented at {gap}" for gap in gaps if gap not in edges]
        if not until(lambda: path.read_bytes() in place.copies(), 40):
            sizes = [len(copy) for copy in place.copies()]
            faults.append(f"copies of {sizes} bytes, not {path.stat().st_size}; last was {last}")
        status, text = run(folder, "verify", path, "--hall", place.files / "hall.toml")
        if status:
            faults.append(text)
        figures.count(name, rulings=len(told), connections=place.line.connections)
    finally:
        table.kill()
        place.close()
    figures.add(name, breaks + 1, faults, str(folder))


class Pair:
    """Two tables far apart, and a line between them."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.line = Line(self.port)
        self.folders = (folder / "a", folder / "b")
        for one in self.folders:
            one.mkdir()
        self.paths = tuple(one / "game.jsonl" for one in self.folders)
        self.told: tuple[list[Ruling], list[Ruling]] = ([], [])
        self.edges: tuple[list[int], list[int]] = ([], [])
        self.faults: list[str] = []
        wait = ("--against", f"wait:{self.port}", "--time-control", "15m+10s", "--white", "Ada")
        first = self._start(0, *wait)
        assert first.says("@"), first.text
        digits = re.search(r"(\d{6})@", first.text)
        assert digits
        call = ("--against", f"{digits[1]}@127.0.0.1:{self.line.port}", "--black", "Bo")
        second = self._start(1, *call)
        self.tables = [first, second]
        assert second.says("Say yes or no"), second.text
        second.type("yes")
        self.begin(0)
        self.begin(1)

    def _start(self, which: int, *words: str) -> Process:
        own = ("--journal", str(self.paths[which]))
        return Process(self.folders[which], "play", *OPTIONS, *own, *words)

    def begin(self, which: int) -> None:
        """Press Enter when the table is ready for it."""
        self.tables[which].says("Press Enter", "is over")
        self.tables[which].type()

    def kill(self, which: int) -> None:
        """Kill a table and resume its game."""
        table = self.tables[which]
        table.kill()
        self.look(which)
        self.tables[which] = self._start(which, "--resume")

    def look(self, which: int) -> None:
        """Take what a table has told that has ended."""
        table = self.tables[which]
        if "Traceback" in table.text:
            self.faults.append(table.text[table.text.index("Traceback") :])
        self.told[which].extend(printed(table.lines))
        self.edges[which].append(len(self.told[which]))


def distant(folder: Path, figures: Figures, seed: int, breaks: int) -> None:
    """Play at two tables while they are killed and their line fails, and compare both journals."""
    chance = random.Random(seed)
    pair = Pair(folder)
    person = Person(chance)
    faults = pair.faults
    try:
        for number in range(breaks):
            _play(pair, person, chance.random() * 3)
            what = ("kill", "line", "kill", "stop", "both")[number % 5]
            which = chance.randrange(2)
            if what == "line":
                pair.line.mood = chance.choice(Line.MOODS)
                if pair.line.mood == "shut":
                    pair.line.cut()
                _play(pair, person, chance.choice([1, 6]))
                pair.line.mood = ""
                pair.line.cut()
            elif what == "stop":
                pair.tables[which].stand_still(8)
            else:
                for one in {which, 1 - which} if what == "both" else {which}:
                    pair.kill(one)
                for one in {which, 1 - which} if what == "both" else {which}:
                    pair.begin(one)
        length = len(pair.tables[0].lines)
        began = time.monotonic()
        if not _connected(pair, person, length):
            faults.append(f"it does not go on: {[x.lines[-5:] for x in pair.tables]}")
        figures.measure("distant tables", "going on at the end, s", time.monotonic() - began)
        for table in pair.tables:
            table.type("quit")
        for which, table in enumerate(pair.tables):
            table.end()
            pair.look(which)
            held = replayed(pair.folders[which], pair.paths[which])
            lost, gaps = untold(pair.told[which], held)
            faults += [f"table {which} lost: {ruling}" for ruling in lost]
            edges = pair.edges[which]
            faults += [f"table {which} invented at {gap}" for gap in gaps if gap not in edges]
        first, second = (journal.read(path) for path in pair.paths)
        common = min(len(first), len(second))
        if _bare(first[:common]) != _bare(second[:common]):
            faults.append("the journals differ")
        figures.count("distant tables", facts=common, rulings=sum(map(len, pair.told)))
    finally:
        for table in pair.tables:
            table.kill()
        pair.line.close()
    figures.add("distant tables", breaks, faults, str(folder))


def _bare(facts: list[journal.Fact]) -> list[journal.Fact]:
    """The setup may say of each table what is its own."""
    return facts[1:]


def _play(pair: Pair, person: Person, seconds: float) -> None:
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        longest = max((journal.read(path) for path in pair.paths if path.exists()), key=len)
        person.resume(longest)
        side = 0 if person.board.turn else 1
        pair.tables[side].type(person.line())
        time.sleep(0.15)


def _connected(pair: Pair, person: Person, length: int) -> bool:
    """Whether moves are made at both tables again."""
    limit = time.monotonic() + 60
    goal = len(person.board.move_stack) + 3
    while time.monotonic() < limit:
        _play(pair, person, 1)
        if len(person.board.move_stack) >= goal:
            return True
        for table in pair.tables:
            table.type()
    return False
