"""A table of a hall without a process: a journal in memory, and what is published of it."""

from __future__ import annotations

import time

from blindplay.hall.protocol import Head, LinesWanted, Presence, Topic, encode
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
