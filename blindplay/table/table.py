"""One table: the only way for facts into a game.

A fact that the game can take is written to the journal, folded into the game, and only then are its
rulings delivered. So everything that was announced can be found again after a crash.
"""

import logging
import secrets
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import chess

from blindplay.console.table_port import AnotherGameNow, AnotherGamePort
from blindplay.language import ON_A_SCREEN, Command
from blindplay.laws import TABLE, Fact, Game, Origin, Ruling, Taken
from blindplay.laws import facts as f
from blindplay.laws.facts import SIDES, Setup
from blindplay.laws.state import OTHER
from blindplay.opponents.player import AbsentPlayer, WriteAccess
from blindplay.record import Journal, JournalError
from blindplay.record.journal import holds_game
from blindplay.wording.pack_words import PackWords

from .hall_contact import HallContact, Pairings
from .hands_first import HandsFirst

log = logging.getLogger(__name__)

Listener = Callable[[Taken], None]


@dataclass
class _Waiting:
    """A fact that is to be taken, and what came of it."""

    fact: Fact
    origin: Origin
    rulings: tuple[Ruling, ...] = ()
    is_taken: bool = False


_STANDSTILL_S = 5.0
"""A table looks at its clock many times a second: no load keeps it from that for so long."""


def _since_boot() -> float:
    """Monotonic seconds that go on while the computer sleeps."""
    if sys.platform == "linux":
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    if sys.platform == "darwin":
        return time.clock_gettime(time.CLOCK_MONOTONIC)
    return time.monotonic()


class WakingClock:
    """Monotonic seconds. While it is ``watched``, which means called many times a second, those in
    which the process stood still do not count: it was stopped, or the computer slept."""

    def __init__(
        self,
        now: Callable[[], float] = time.monotonic,
        since_boot: Callable[[], float] = _since_boot,
        busy: Callable[[], float] = time.process_time,
    ) -> None:
        """``busy`` gives the processor seconds of this process: who computes does not stand
        still."""
        self._clocks = (now, since_boot, busy)
        self._last = [clock() for clock in self._clocks]
        self._lock = threading.Lock()
        self._lost = self._stood = 0.0
        self._standstills: list[tuple[float, float]] = []
        self.watched = False

    def __call__(self) -> float:
        with self._lock:
            before, self._last = self._last, [clock() for clock in self._clocks]
            counted, passed, worked = (b - a for a, b in zip(before, self._last, strict=True))
            if self.watched and passed >= _STANDSTILL_S and worked < passed / 10:
                self._standstills.append((before[0] - self._lost, passed))
                self._lost += counted
                self._stood += passed
            return self._last[0] - self._lost

    def age(self, at: float) -> float:
        """Return the seconds since this clock showed ``at``, with those of all standstills."""
        now = self()
        with self._lock:
            return now - at + sum(stood for since, stood in self._standstills if since >= at)

    def stood(self) -> float:
        """Return for how many seconds the process has stood still since the last call."""
        with self._lock:
            stood, self._stood = self._stood, 0.0
        return stood


def _is_worth_keeping(taken: Taken) -> bool:
    """Return whether this is more than a second that passed."""
    return bool(taken.rulings) or not isinstance(taken.fact, f.Tick)


def with_id(setup: Setup) -> Setup:
    """``setup`` with a random identity, unless it has one: equal games may begin in one
    millisecond, at one table or at many. It also names the journal's format."""
    return replace(setup, id=setup.id or secrets.token_hex(8), format=f.FORMAT)


class Table:
    """A running table with its journal.

    ``now`` gives monotonic seconds; None: a :class:`WakingClock` does. Listeners get every fact
    with its rulings, in order and one at a time. They must not block for long; facts that they
    submit are taken afterwards.
    """

    def __init__(
        self,
        journal: Journal,
        setup: Setup | None = None,
        *,
        now: Callable[[], float] | None = None,
        training: bool = False,
        pairings: Pairings | None = None,
        opponent: AbsentPlayer | None = None,
    ) -> None:
        """Make a new table with ``setup``, or without it the one that ``journal`` holds.

        :meth:`go_on` continues the clocks of a table that was down. ``training``: questions about
        the position are answered, though the Laws refuse them. ``opponent`` plays against
        the impaired player or, if there is none, against White.

        :raises JournalError: if the journal cannot be read, if it holds a game and ``setup`` is
            given, or if it holds none and ``setup`` is not given.
        """
        self._journal = journal
        self._now = now or WakingClock()
        self.lock = threading.RLock()
        """Held while a fact is applied. Hold it to read a consistent game."""
        self.hands_first = HandsFirst(self.lock)
        """The boards of the table, and what waits until they have been read."""
        self._listeners: list[Listener] = []
        self._holds: Callable[[str, int], bool] = lambda presser, at: False
        self.another_game: AnotherGamePort = AnotherGameNow()
        """What the players want after this game; a session lets them decide it."""
        self._watchers: list[Callable[[str | None], None]] = []
        self._queue: deque[_Waiting] = deque()
        self._busy = False
        self._trouble: str | None = None  # why facts cannot be written now
        self.training = training
        self.pairings = pairings or Pairings()
        self.hall = HallContact()
        """The contact with the hall, if there is a hall."""
        self.opponent = opponent
        self.game = Game(PackWords())
        self.log: list[Taken] = []
        """Everything since the set-up, except seconds that only passed. It only grows."""
        last = self._replay(setup is not None)
        left = journal.left
        self._left_at = last if left is None else max(last, left.t)
        self.down: int | None = (
            None if left is None else max(0, round((time.time() - left.wall) * 1000))
        )
        """Milliseconds without a process for this table, by the wall clock; None if unknown."""
        self._origin = self._now() - self._left_at / 1000
        self._held: int | None = None  # the time, while it stands still
        self._access = WriteAccess()
        if setup is not None:
            self.submit(with_id(setup))
        elif self.game.setup is None:
            raise JournalError(
                "{path} holds no game yet; start one without --resume.", path=journal.path
            )
        if opponent is not None:
            impaired = (side for side in SIDES if self.game.impaired(side))
            opponent.side = opponent.side or OTHER[next(impaired, "white")]
            self._access = opponent.access(self, journal.facts())
            if self.shared:
                self._held = max(self._left_at, self.game.t)
            if now is None and (self.shared or self.game.served):
                self._now = time.monotonic  # the other clock goes on, whatever happens here

    def _replay(self, new: bool) -> int:
        """Fold the facts of the journal. Return the time of the last one, in ms."""
        last = 0
        for fact in self._journal.facts():
            if new:
                raise holds_game(self._journal.path)
            try:
                taken = Taken(fact, tuple(self.game.apply(fact)), TABLE)
            except f.FactError as error:
                raise JournalError(
                    "{path} is not the journal of a game: {error}",
                    path=self._journal.path,
                    error=error,
                ) from None
            if _is_worth_keeping(taken):
                self.log.append(taken)
            last = fact.t
        return last

    @property
    def shared(self) -> bool:
        """True if another table takes the same facts."""
        return self._access.shared

    @property
    def path(self) -> Path:
        """The path of the journal."""
        return self._journal.path

    @property
    def written(self) -> tuple[int, str]:
        """The number and the digest of the last line of the journal that is on the disk."""
        return self._journal.written

    @property
    def whole(self) -> bool:
        """Return whether everything that was taken is on the disk. It waits for a write in
        progress."""
        with self.lock:
            return not self._journal.unwritten

    def listen(self, listener: Listener) -> None:
        """Call ``listener`` with everything that is taken from now on."""
        self._listeners.append(listener)

    def hold_presses(self, holds: Callable[[str, int], bool]) -> None:
        """Ask ``holds`` before a press counts, with its presser and its time."""
        self._holds = holds

    def holds_press(self, presser: str, at: int | None = None) -> bool:
        """Return whether a press of a player or an assistant, ``at`` this time or now, does not
        count. Hold :attr:`lock`, and ask once for each press: it may answer a question, and who
        holds it says so."""
        return self._holds(presser, self.time() if at is None else at)

    @property
    def delivering(self) -> bool:
        """Return whether listeners are being told rulings. Hold :attr:`lock` to read it."""
        return self._busy

    @property
    def absent(self) -> str:
        """The side of the opponent who is not in the room; empty if both players are here."""
        return "" if self.opponent is None else self.opponent.side

    def side_of(self, seat: str) -> str:
        """The side whose devices those of ``seat`` are, and the seat of a side; the same for the
        assistant of a side. A seat has the colour that its player had at first; a new game with
        reversed colours (7.3) changes the side."""
        *whose, side = seat.split(":")
        return ":".join((*whose, OTHER[side])) if self.game.swapped else seat

    def allows(self, asked: Command) -> bool:
        """Return whether players may ask about the position, to take back, or for a hint. All of it
        is allowed in training; in a game on a server, questions about what a screen shows, and a
        take-back that the opponent agrees to. Not every opponent gives hints."""
        if asked is Command.HINT:
            hints = self.opponent is not None and self.opponent.gives_hints
            return self.training and hints and not self.game.presided
        if asked is Command.TAKE_BACK:
            return (self.training or self.game.served) and not self.game.presided
        return self.training or (self.game.served and asked in ON_A_SCREEN)

    def hint(self) -> chess.Move | None:
        """A good move in the present position; None as long as none has been found."""
        return None if self.opponent is None else self.opponent.hint()

    def watch_journal(self, watcher: Callable[[str | None], None]) -> None:
        """Call ``watcher`` with a sentence when facts can no longer be written, also if that is so
        now, and with None when all of them have been. The game goes on meanwhile."""
        with self.lock:
            self._watchers.append(watcher)
            if self._trouble is not None:
                watcher(self._trouble)

    def time(self) -> int:
        """Milliseconds since the table was set up, without what messages of a distant table took on
        their way."""
        if self._held is not None:
            return self._held
        return max(0, round((self._now() - self._origin) * 1000))

    def age(self, seconds: float) -> float:
        """Return how many seconds have passed since the table's time was ``seconds``, also those
        in which the process stood still."""
        at = self._origin + seconds
        return self._now.age(at) if isinstance(self._now, WakingClock) else self._now() - at

    def beat(self) -> None:
        """Note the table's time beside the journal, for the case that the process is killed. Call
        it many times a second; it does not wait for the lock."""
        self._journal.beat(self.time())

    def go_on(self, *, charge_dead_time: bool = False) -> None:
        """Go on after the process was killed.

        The running clock stops at the moment of the kill until it is started again. With
        ``charge_dead_time``, the downtime is deducted from it.
        """
        with self.lock:
            clock = self.game.clock
            if not clock or clock.running is None or self.game.over or self.shared:
                return
            if charge_dead_time:
                self._origin -= (self.down or 0) / 1000
                self.submit(f.Tick())
            else:
                self._origin = self._now() - max(self._left_at, self.game.t) / 1000
                self.submit(f.Arbiter(by="table", do="stop_clocks"))

    def watch_time(self, on: bool) -> None:
        """From now on somebody calls :meth:`beat` many times a second, or no longer."""
        if isinstance(self._now, WakingClock):
            self._now()  # what passed before does not count as watched
            self._now.watched = on

    def wake(self) -> float:
        """Record that this process has stood still while a clock ran, if it has; return for how
        many seconds. They count for nobody, as those after a crash do."""
        stood = self._now.stood() if isinstance(self._now, WakingClock) else 0.0
        with self.lock:
            clock = self.game.clock
            if not stood or not clock or clock.running is None or self.game.over:
                return 0.0
            self.submit(f.Arbiter(by="table", do="stop_clocks"))
            self.submit(f.Arbiter(by="table", do="start_clocks"))
            return stood

    def save(self) -> None:
        """Write the facts that could not be written, if possible now."""
        with self.lock:
            self._write(self._journal.save)

    def after_hands(
        self,
        do: Callable[[], object],
        at: int | None = None,
        *,
        presser: str | None = None,
        unread: Callable[[Sequence[str]], object] = lambda sides: None,
    ) -> None:
        """Do what somebody said or pressed, ``at`` this time or now: whoever brings it, after what
        hands have done on the boards. It may be done later, in another thread; the table is held
        meanwhile. For ``presser`` and ``unread`` see :meth:`.HandsFirst.add`."""
        at = self.time() if at is None else at
        self.hands_first.add(do, at, presser=presser, unread=unread)

    def submit(self, fact: Fact, origin: Origin = TABLE) -> tuple[Ruling, ...]:
        """Take one fact and give its rulings.

        A fact without a time happens now. Facts that listeners submit while rulings are being
        delivered are taken afterwards, in order; for them the result is empty, and for those that
        this table may not add.

        :raises f.FactError: if the fact is a second setup. Nothing is written then, so the journal
            never holds what a game cannot take.
        """
        with self.lock:
            if isinstance(fact, Setup):
                self.game.check(fact)
            elif not fact.t:
                fact = replace(fact, t=self.time())
            # Nobody begins a game that the hall has withdrawn.
            admitted = None if self.pairings.withdrawn else self._access.admit(fact, origin)
            if admitted is None:
                return ()
            waiting = _Waiting(admitted, origin)
            self._queue.append(waiting)
            if not self._busy:
                self._access.acquire(lambda: waiting.is_taken)
                self.work_off()
            return waiting.rulings

    def work_off(self) -> None:
        """Take the facts that wait, if this table may add any now."""
        if self._busy:
            return
        self._busy = True
        access, errors = self._access, list[Exception]()
        try:
            while self._queue and access.may_add:
                one = self._queue.popleft()
                fact = access.in_time(one.fact)
                one.is_taken = True
                if fact is None:
                    continue
                taken = self._take(fact, one.origin, errors)
                one.rulings = taken.rulings
                access.added(taken.fact)
        finally:
            self._busy = False
        access.release(waits=bool(self._queue))
        if errors:
            raise errors[0]

    def take_shared(self, fact: Fact, origin: Origin) -> None:
        """Take ``fact`` as another table has taken it. Hold :attr:`lock`. The time of this table is
        that of the fact from now on, unless the clock of the player here runs."""
        if self.game.clock.running != OTHER[self.absent]:
            self._held = fact.t
        errors: list[Exception] = []
        self._busy = True
        try:
            self._take(fact, origin, errors)
        finally:
            self._busy = False
        if errors:
            log.error("A listener failed at a fact of the distant table.", exc_info=errors[0])

    def preview(self, fact: Fact) -> list[Ruling]:
        """The rulings that ``fact`` would cause now. Nothing is taken."""
        with self.lock:
            if not self._access.decides(fact):
                return []
            return self.game.preview(replace(fact, t=self.time()))

    def _take(self, fact: Fact, origin: Origin, errors: list[Exception]) -> Taken:
        """Write, apply and deliver one fact. A listener that fails does not keep it from the
        others."""
        fact = replace(fact, t=max(fact.t, self.game.t))  # others were taken in the meantime
        if self._held is not None:
            self._origin, self._held = self._now() - fact.t / 1000, None
        self._write(partial(self._journal.append, fact))
        taken = Taken(fact, tuple(self.game.apply(fact)), origin)
        if _is_worth_keeping(taken):
            self.log.append(taken)
        for listener in list(self._listeners):
            try:
                listener(taken)
            except Exception as error:
                errors.append(error)
        return taken

    def _write(self, write: Callable[[], None]) -> None:
        """Write to the journal. Tell the watchers once why it fails, and that it is whole again."""
        trouble = None
        try:
            write()
        except JournalError as error:
            trouble = str(error)
        before, self._trouble = self._trouble, trouble
        if trouble != before:
            for watcher in self._watchers:
                watcher(trouble)
