"""A table as its pages need it, folded from the hall's copy of its journal."""

import json
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from blindplay.language import Command
from blindplay.laws import TABLE, Fact, FactError, Game, Origin, Ruling, Taken
from blindplay.laws.facts import parse
from blindplay.wording.pack_words import PackWords

from .follower import Follower

Listener = Callable[[Taken], object]


def trouble(error: FactError) -> str:
    """Return why a game cannot be shown further after a fact that this program does not know."""
    return f"The game cannot be shown further, update BlindPlay here: {error}."


class FoldedTable:
    """One game of a table, for reading: a :class:`~blindplay.console.table_port.TablePort`.

    Each call of :meth:`catch_up` folds the new lines. Facts are not submitted here: an arbiter's
    decision goes to the table as a request (:meth:`.Hall.request`).
    """

    def __init__(
        self, follower: Follower, table: str, now: Callable[[], float] = time.monotonic
    ) -> None:
        """:raises ValueError: if the hall knows no game of ``table``."""
        found = follower.tables.get(table)
        if found is None or found.copy is None:
            raise ValueError(f"The hall knows no game of table {table}.")
        self._follower = follower
        self._followed = found
        self._copy = found.copy
        self._now = now
        self._listeners: list[Listener] = []
        self._end = 0, ""  # of the lines that are folded
        self.lock = threading.RLock()
        """Held while facts are folded. Do not take it in a listener of the follower."""
        self.game = Game(PackWords())
        self.log: list[Taken] = []
        self.trouble = ""
        """One sentence on why the game cannot be folded further; empty if it can."""
        self.catch_up()

    @property
    def digest(self) -> str:
        """The digest by which this game differs from the others of the table."""
        return self._copy.game

    @property
    def path(self) -> Path:
        return self._copy.path

    @property
    def training(self) -> bool:
        return False

    @property
    def absent(self) -> str:
        return ""

    def allows(self, asked: Command) -> bool:
        return False

    def hint(self) -> None:
        return None

    def listen(self, listener: Listener) -> None:
        """Call ``listener`` with each fact that is folded from now on. After a :attr:`game` that
        was folded anew, it is called with all of them."""
        self._listeners.append(listener)

    def time(self) -> int:
        """The table's time in milliseconds: that of its head, plus the time since then."""
        followed, told = self._followed, 0.0
        if followed.head is not None and followed.head.game == self._copy.game and followed.game:
            passed = self._now() - followed.game.end_at if followed.online else 0.0
            told = followed.head.t + max(0.0, passed)
        return max(self.game.t, round(told * 1000))

    def catch_up(self) -> bool:
        """Fold the lines that are new; True if there were any. If lines were taken out of the copy,
        fold all of it anew."""
        with self.lock:
            with self._follower.lock:
                whole = self._copy.reaches(*self._end)
                lines = list(self._copy.lines(self._end[0] + 1 if whole else 1))
                self._end = self._copy.end
            if not whole:
                self.game, self.log, self.trouble = Game(PackWords()), [], ""
            for line in lines:
                self._fold(line)
            return bool(lines) or not whole

    def _fold(self, line: bytes) -> None:
        if self.trouble:
            return
        try:
            fact = parse(json.loads(line)["fact"])
            taken = Taken(fact, tuple(self.game.apply(fact)), TABLE)
        except FactError as error:
            self.trouble = trouble(error)
            return
        if taken.rulings or fact.kind != "tick":
            self.log.append(taken)
        for listener in self._listeners:
            listener(taken)

    # --- what only a running table does --------------------------------------------------------

    def submit(self, fact: Fact, origin: Origin) -> tuple[Ruling, ...]:
        """:raises FactError: always; only the table itself takes facts."""
        raise FactError("only the table itself takes facts")

    def after_hands(
        self,
        do: Callable[[], object],
        *,
        presser: str | None = None,
        unread: Callable[[Sequence[str]], object] = lambda sides: None,
    ) -> None:
        """Call ``do`` now: the hall sees no hands."""
        with self.lock:
            do()

    def holds_press(self, presser: str) -> bool:
        return False
