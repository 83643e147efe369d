"""One table. The single owner of the game: everything else sends it facts.

A fact is written to the journal, folded into the game, and only then are its rulings delivered;
so whatever has been announced can be found again after a crash.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from blindplay.laws import Fact, Game, Ruling
from blindplay.laws import facts as f
from blindplay.laws.facts import Setup
from blindplay.record import Journal, JournalError

from .words import PackWords

Listener = Callable[[Fact, list[Ruling]], None]


class Table:
    """A running table with its journal.

    ``now`` gives monotonic seconds. Listeners are called with each fact and its rulings, in
    order and one at a time; they must not block for long and may send facts of their own.
    """

    def __init__(
        self,
        journal: Journal,
        setup: Setup | None = None,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """A new table with ``setup``, or the one that ``journal`` holds, as it stood.

        The time a table was down is charged to nobody: the clocks go on from the last fact.

        :raises JournalError: if the journal holds a table and ``setup`` is given, or holds none
            and it is not, or cannot be read.
        """
        self._journal = journal
        self._now = now
        self._lock = threading.RLock()
        self._listeners: list[Listener] = []
        self._queue: list[Fact] = []
        self._busy = False
        self._answered: frozenset[str] = frozenset()
        self.game = Game(PackWords())
        self.log: list[tuple[Fact, tuple[Ruling, ...]]] = []
        """Every fact since the table was set up with its rulings, in order; seconds that only
        passed are left out. It only grows."""
        self.on_trouble: Callable[[str], None] = lambda sentence: None
        """Called with a sentence when a fact could not be written; the game goes on."""
        last = 0
        for fact in journal.facts():
            if setup is not None:
                raise JournalError(
                    f"{journal.path} already holds a game; continue it with --resume, or give "
                    "another name with --journal."
                )
            try:
                self._remember(fact, self.game.apply(fact))
            except f.FactError as error:
                raise JournalError(
                    f"{journal.path} is not the journal of a game: {error}"
                ) from None
            last = fact.t
        self._origin = now() - last / 1000
        if setup is not None:
            self.submit(setup)
        elif self.game.setup is None:
            raise JournalError(f"{journal.path} holds no game yet; start one without --resume.")

    @property
    def lock(self) -> threading.RLock:
        """Held while a fact is taken; who must see the game standing still may hold it, too."""
        return self._lock

    @property
    def path(self) -> Path:
        """Where the journal is."""
        return self._journal.path

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def time(self) -> int:
        """Milliseconds since the table was set up."""
        return max(0, round((self._now() - self._origin) * 1000))

    @contextmanager
    def answering(self, *kinds: str) -> Iterator[None]:
        """Whoever brings facts now tells himself what rulings of these kinds say: nobody else
        need say it. Facts of others wait."""
        with self._lock:
            before, self._answered = self._answered, frozenset(kinds)
            try:
                yield
            finally:
                self._answered = before

    def answered(self, ruling: Ruling) -> bool:
        """Whether this ruling, just given, is told by whoever brought its fact."""
        return ruling.kind in self._answered

    def submit(self, fact: Fact | type[Fact], **fields: Any) -> list[Ruling]:
        """Take one fact (or make one of this kind, now) and give its rulings.

        Facts that listeners send while rulings are being delivered are taken afterwards, in
        order. :raises f.FactError: if the fields make no fact of the contract.
        """
        with self._lock:
            if isinstance(fact, type):
                # Through the contract's parser: whoever sends it, a fact is checked once, here.
                fact = f.parse({"t": self.time() / 1000, "fact": fact.kind, **fields})
            if self._busy:
                self._queue.append(fact)
                return []
            self._busy = True
            try:
                rulings = self._take(fact)
                while self._queue:
                    self._take(self._queue.pop(0))
            finally:
                self._busy = False
            return rulings

    def _remember(self, fact: Fact, rulings: list[Ruling]) -> None:
        if rulings or not isinstance(fact, f.Tick):
            self.log.append((fact, tuple(rulings)))

    def _take(self, fact: Fact) -> list[Ruling]:
        try:
            self._journal.append(fact)
        except JournalError as error:
            # The game must not end because a disk is full; but everybody must know.
            self.on_trouble(str(error))
        rulings = self.game.apply(fact)
        self._remember(fact, rulings)
        for listener in list(self._listeners):
            listener(fact, rulings)
        return rulings
