"""A hall without a broker: a follower, and a network that loses, doubles, delays and cuts."""

from __future__ import annotations

import random
from pathlib import Path

from blindplay.hall.follower import Follower
from blindplay.hall.protocol import LinesWanted, Topic, decode

from .model_table import EVENT, Message, ModelTable


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

    def copy(self, table: ModelTable) -> bytes:
        path = self.folder / f"table-{table.name}" / f"{table.game}.jsonl"
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
