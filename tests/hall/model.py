"""Tables and halls without processes, and a network that loses, doubles, delays and cuts."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable
from pathlib import Path

from blindplay.hall.follower import Follower
from blindplay.hall.protocol import Head, LinesWanted, Presence, Topic, decode, encode
from blindplay.laws import facts as f
from blindplay.record.chain import digest_of, encoded

EVENT = "open"
Message = tuple[str, bytes]


class ModelTable:
    """A table with its journal, one line for each fact."""

    def __init__(self, name: str = "1", run: str = "run-1", facts: int = 1) -> None:
        self.name, self.run = name, run
        self.leaves = False
        self.lines: list[bytes] = []
        self.before: list[list[bytes]] = []
        """The journals of earlier games."""
        self._seq = 0
        self.play(facts)

    def play(self, facts: int = 1) -> list[bytes]:
        """So many facts more; their lines."""
        for _ in range(facts):
            end = (len(self.lines), digest_of(self.lines[-1]) if self.lines else "")
            t = 10 * len(self.lines)
            setup = f.Setup(white=f.Player(name="Žofie"), round=self.run)
            fact: f.Fact = f.Tick(t=t) if self.lines else setup
            self.lines.append(encoded(fact, end)[0])
        return self.lines[-facts:]

    @property
    def game(self) -> str:
        return digest_of(self.lines[0])

    def topic(self, kind: str) -> str:
        return str(Topic(EVENT, self.name, kind))

    def journal(self, lines: list[bytes]) -> Message:
        return self.topic("journal"), b"".join(lines)

    def head(self) -> Message:
        self._seq += 1
        head = Head(
            self.run, self._seq, self.game, len(self.lines), digest_of(self.lines[-1]),
            t=float(len(self.lines)), wall=time.time(), leaves=self.leaves,
        )  # fmt: skip
        return self.topic("head"), encode(head)

    def presence(self, *, online: bool = True) -> Message:
        games = {digest_of(old[0]): [len(old), digest_of(old[-1])] for old in self.before}
        return self.topic("presence"), encode(Presence(self.run, online, games))

    def answer(self, ask: LinesWanted) -> list[Message]:
        """What a table publishes when it is asked: messages of a few lines each, and its head."""
        journals = {digest_of(lines[0]): lines for lines in (*self.before, self.lines)}
        wanted = journals.get(ask.game or self.game, [])[ask.start - 1 :]
        if not wanted:
            return []
        parts = [self.journal(wanted[at : at + 3]) for at in range(0, len(wanted), 3)]
        return [*parts, self.head()]

    def new_game(self, run: str) -> None:
        """The process has ended, and another one plays the next game."""
        self.before.append(self.lines)
        self.lines = []
        self.restart(run)
        self.play()

    def restart(self, run: str) -> None:
        """The process that publishes is started again."""
        self.run, self._seq = run, 0


def forged(table: ModelTable, after: int, text: str = "forged") -> bytes:
    """A line that fits after the first ``after`` lines, and that the table never wrote."""
    end = (after, digest_of(table.lines[after - 1]))
    return encoded(f.Announce(t=9999, by="white", text=text), end)[0]


class ScriptedTable(ModelTable):
    """``clock`` is the table's time in seconds; it goes only as the test says."""

    def __init__(self, *facts: f.Fact, name: str = "1", run: str = "run-1") -> None:
        self.clock = 0.0
        super().__init__(name, run, facts=0)
        self.tell(*facts)

    def tell(self, *facts: f.Fact) -> list[bytes]:
        """Write facts; their lines."""
        before = len(self.lines)
        for fact in facts:
            end = (len(self.lines), digest_of(self.lines[-1]) if self.lines else "")
            self.lines.append(encoded(fact, end)[0])
        return self.lines[before:]

    def move(self, at: float, *moves: str, by: str = "white") -> list[bytes]:
        """Complete moves at ``at`` seconds, the first by ``by``."""
        told: list[f.Fact] = []
        sides = ("white", "black") if by == "white" else ("black", "white")
        for number, move in enumerate(moves):
            side, t = sides[number % 2], round(at * 1000)
            told.append(f.Announce(t=t, by=side, move=move))
            told += [f.Make(t=t, by=board, move=move) for board in ("white", "black")]
            told.append(f.Press(t=t, by=side))
        return self.tell(*told)

    def head(self) -> Message:
        self._seq += 1
        head = Head(
            self.run, self._seq, self.game, len(self.lines), digest_of(self.lines[-1]),
            t=self.clock, wall=time.time(),
        )  # fmt: skip
        return self.topic("head"), encode(head)

    def next_game(self, run: str, *facts: f.Fact) -> None:
        """The process has ended, and another one plays the next game."""
        self.before.append(self.lines)
        self.lines = []
        self.clock = 0.0
        self.restart(run)
        self.tell(*facts)


def setup(**more: object) -> f.Setup:
    """A game with names, a clock and a round."""
    told: dict[str, object] = {
        "white": f.Player(name="Anna Berg", impaired=True),
        "black": f.Player(name="Dahl, Bert"),
        "time_control": "5400+30",
        "round": "3",
        "date": "2026-11-23",
        "event": "Oslo Open",
        "site": "Oslo",
    }
    return f.Setup(**{**told, **more})  # type: ignore[arg-type]


def pass_time(hall: ModelHall, tables: Iterable[ScriptedTable], seconds: float) -> None:
    """Pass time in the hall and at the tables; then the heads of all come."""
    hall.now += seconds
    for table in tables:
        table.clock += seconds
        hall.publish(table.head())
    hall.wait(0.3)


class ModelHall:
    """A follower with a network to its tables that loses, doubles, delays and cuts messages."""

    def __init__(
        self,
        folder: Path,
        *tables: ModelTable,
        seed: int | None = None,
        keys: dict[str, str] | None = None,
    ) -> None:
        self.folder, self.keys = folder, keys
        self.tables = tables
        self.chance = None if seed is None else random.Random(seed)
        self.under_way: list[Message] = []
        self.confirmed: list[LinesWanted] = []
        """The words that nothing is missing."""
        self.now = 0.0
        self.start()

    def start(self) -> None:
        """A new process of the hall. The one before was killed: it wrote nothing more."""
        self.follower = Follower(EVENT, self.folder, self._send, self.keys)

    def _send(self, topic: Topic, payload: bytes) -> None:
        ask = decode(LinesWanted, payload)
        self.confirmed += [ask] if ask.have else []
        if self.chance is not None and self.chance.random() < 0.3:
            return
        for table in self.tables:
            if table.name == topic.table:
                self.publish(*table.answer(ask))

    def publish(self, *messages: Message) -> None:
        self.under_way += messages

    def deliver(self) -> None:
        """Deliver what is under way, each message with the fate that chance gives it."""
        chance, going, self.under_way = self.chance, self.under_way, []
        while going:
            topic, payload = going.pop(0 if chance is None else chance.choice((0, 0, -1)))
            fate = "come" if chance is None else chance.choice(("come",) * 4 + FATES)
            if fate == "late":
                self.under_way.append((topic, payload))
                continue
            if fate == "cut":
                assert chance is not None
                payload = payload[: chance.randrange(len(payload) + 1)]
            for _ in range({"lost": 0, "doubled": 2}.get(fate, 1)):
                self.follower.receive(topic, payload, self.now)

    def wait(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.now += 0.1
            self.deliver()
            self.follower.tick(self.now)

    def settle(self) -> None:
        """The network is good again, and all tables publish their heads from time to time."""
        self.chance = None
        for _ in range(3):
            for table in self.tables:
                self.publish(table.presence(), table.head())
            self.wait(10)

    def path(self, table: ModelTable) -> Path:
        return self.folder / f"table-{table.name}" / f"{table.game}.jsonl"

    def copy(self, table: ModelTable) -> bytes:
        path = self.path(table)
        return path.read_bytes() if path.exists() else b""

    def copies(self, table: ModelTable) -> list[bytes]:
        """The copies of all games of a table."""
        folder = self.folder / f"table-{table.name}"
        return sorted(path.read_bytes() for path in folder.iterdir())

    def named(self, *kinds: str) -> list[str]:
        """The kinds of all incidents, or the lines that incidents of these kinds name."""
        if not kinds:
            return sorted(one.kind for one in self.follower.incidents)
        return [one.text for one in self.follower.incidents if one.kind in kinds]


FATES = ("lost", "doubled", "late", "cut")


def whole(table: ModelTable) -> bytes:
    return b"".join(table.lines)


def text(line: bytes) -> str:
    return line.decode().rstrip("\n")
