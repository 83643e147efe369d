"""One table. The single owner of the game: everything else sends it facts.

A fact is written to the journal, folded into the game, and only then are its rulings delivered;
so whatever has been announced can be found again after a crash.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from blindplay.laws import Fact, Game, Ruling
from blindplay.laws import facts as f
from blindplay.laws.facts import Setup
from blindplay.record import Journal, JournalError
from blindplay.wording.pack_words import PackWords

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

        The time a table was down is charged to nobody: the clocks go on from where they were
        when its process ended (see :meth:`go_on`).

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
        """Called with a sentence, once, when facts can no longer be written; the game goes on."""
        self.on_saved: Callable[[], None] = lambda: None
        """Called when they have all been written after all."""
        self._failing = False
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
        left = journal.left
        self._left_at = last if left is None else max(last, left.t)
        self.down: int | None = (
            None if left is None else max(0, round((time.time() - left.wall) * 1000))
        )
        """For how many ms no process ran this table; None where nobody knows."""
        self._origin = now() - self._left_at / 1000
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

    def beat(self) -> None:
        """Leave word how far the table's time has come, for when the process is killed. To be
        called many times a second; waits for nobody."""
        self._journal.beat(self.time())

    def go_on(self, *, charged: bool = False) -> None:
        """Go on after the process was killed, as a fact that says so: the clock that ran is
        stopped at the moment when it was killed, until it is started again; or, if the arbiter
        wants the time that the table was down ``charged``, it has run all the while."""
        with self._lock:
            clock = self.game.clock
            if not clock or clock.running is None or self.game.over:
                return
            if charged:
                self._origin -= (self.down or 0) / 1000
                self.submit(f.Tick)
            else:
                self._origin = self._now() - max(self._left_at, self.game.t) / 1000
                self.submit(f.Arbiter, by="table", do="stop_clocks")

    def save(self) -> None:
        """Write what could not be written, if it can be now."""
        with self._lock:
            try:
                self._journal.save()
            except JournalError as error:
                self._not_saved(str(error))
            else:
                self._saved()

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
            # The journal must never hold what the game cannot take: it could not be gone on with.
            if isinstance(fact, Setup) and (self.game.setup is not None or self._busy):
                raise f.FactError("setup must be the first fact and come only once")
            if self._busy:
                self._queue.append(fact)
                return []
            self._busy = True
            errors: list[Exception] = []
            try:
                rulings = self._take(fact, errors)
                while self._queue:
                    self._take(self._queue.pop(0), errors)
            finally:
                self._busy = False
            if errors:
                raise errors[0]
            return rulings

    def _remember(self, fact: Fact, rulings: list[Ruling]) -> None:
        if rulings or not isinstance(fact, f.Tick):
            self.log.append((fact, tuple(rulings)))

    def _take(self, fact: Fact, errors: list[Exception]) -> list[Ruling]:
        """Take a fact; what goes wrong where it is told does not keep it from the others."""
        if fact.t < self.game.t:  # made while another was taken
            fact = replace(fact, t=self.game.t)
        try:
            self._journal.append(fact)
        except JournalError as error:
            self._not_saved(str(error))
        else:
            self._saved()
        rulings = self.game.apply(fact)
        self._remember(fact, rulings)
        for listener in list(self._listeners):
            try:
                listener(fact, rulings)
            except Exception as error:
                errors.append(error)
        return rulings

    def _not_saved(self, sentence: str) -> None:
        """The game must not end because a disk is full; but everybody must know, once."""
        if not self._failing:
            self._failing = True
            self.on_trouble(sentence)

    def _saved(self) -> None:
        if self._failing:
            self._failing = False
            self.on_saved()
