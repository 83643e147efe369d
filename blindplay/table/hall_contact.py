"""The contact of a table with its hall: whether it is reached, what it has of the game, and the
pairings that it has told."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from blindplay.laws import Game
from blindplay.wording.values import Pairing

LONG_S = 120.0
"""A shorter break disturbs nobody: the table plays on, and the hall catches up."""


@dataclass(frozen=True)
class Elsewhere:
    """What another machine has done as this table: the hall has lines of a game that its journal
    here lacks, or hears from that machine now."""

    result: str = ""
    """Empty if it has not ended there."""
    signed: bool = False
    """This table has signed that result."""
    now: bool = False
    """The other machine is connected, and has the table."""


class HallContact:
    """Tells its listeners once that the hall has not been reached for long, and once that it can
    be reached again."""

    def __init__(self) -> None:
        self.elsewhere: Elsewhere | None = None
        self.holds = False
        """True while nothing of the game may be published: people are asked whether it goes on."""
        self._heard = threading.Event()
        self._opened = False
        self._on_elsewhere: Callable[[], object] = lambda: None
        self._listeners: list[Callable[[bool], object]] = []
        self._since: float | None = None  # when it was seen first that there is no connection
        self._told = False
        self._hand_over: Callable[[float], bool] | None = None
        self.online = False
        """True if there is a connection, as it was seen last."""

    def join(self, hand_over: Callable[[float], bool]) -> None:
        """There is a hall. ``hand_over`` waits so many seconds until it has the whole game."""
        self._hand_over = hand_over

    def hand_over(self, seconds: float) -> bool:
        """Wait so many seconds at most until the hall has the whole game; True if it has."""
        return self._hand_over is None or self.holds or self._hand_over(seconds)

    def hear(self, elsewhere: Elsewhere | None) -> None:
        """Take what the broker has kept of this game. It holds the game only before
        :meth:`hear_first` has returned; afterwards it tells people."""
        self.elsewhere, self.holds = elsewhere, elsewhere is not None and not self._opened
        self._heard.set()
        if elsewhere is not None and self._opened:
            self._on_elsewhere()

    def hear_first(self, seconds: float, unreached: float | None = None) -> Elsewhere | None:
        """Wait so many seconds at most for the hall's word about the game; ``unreached``: only so
        many if there is no connection by then."""
        if self._hand_over is not None:
            heard = unreached is not None and self._heard.wait(unreached)
            if not heard and (unreached is None or self.online):
                self._heard.wait(seconds - (unreached or 0.0))
        self._opened = True
        return self.elsewhere

    def on_elsewhere(self, listener: Callable[[], object]) -> None:
        """Call ``listener`` if the hall's word about the game comes later."""
        self._on_elsewhere = listener

    def go_on(self) -> None:
        """The game goes on here, whatever the hall has."""
        self.holds = False

    def listen(self, listener: Callable[[bool], object]) -> None:
        """Call ``listener`` with whether the hall can be reached."""
        self._listeners.append(listener)

    def see(self, online: bool, now: float) -> None:
        """Take whether there is a connection at the moment ``now``, in monotonic seconds."""
        self.online = online
        if online:
            self._since = None
        elif self._since is None:
            self._since = now
        gone = self._since is not None and now - self._since >= LONG_S
        if gone is not self._told and (gone or online):
            self._told = gone
            for listener in list(self._listeners):
                listener(not gone)


Listener = Callable[[Pairing], object]


class Pairings:
    """The pairings that a hall has told to one table. Safe to use from several threads."""

    def __init__(self, here: str = "") -> None:
        """``here``: the name of the table; empty outside a hall."""
        self.here = here
        self._lock = threading.Lock()
        self._listeners: list[Listener] = []
        self._told: tuple[Pairing, ...] = ()
        self.withdrawn = ""
        """The key of the sentence on why the game that is set up here is not played; empty: it
        is."""
        self._on_lost: Callable[[], object] = lambda: None

    def withdraw(self, why: str) -> None:
        """The game that is set up here is not played; ``why`` is the key of the sentence. Hold
        the table's lock, so that nobody begins it meanwhile."""
        self.withdrawn = why

    def on_lost(self, listener: Callable[[], object]) -> None:
        """Call ``listener`` when the game after this one is withdrawn, or all that was told."""
        self._on_lost = listener

    def lose(self) -> None:
        """The game that this table was to play after this one is withdrawn."""
        with self._lock:
            self._told = tuple(one for one in self._told if one.table != self.here)
        self._on_lost()

    def add(self, pairing: Pairing) -> None:
        """Take the next game at this table, beside the other tables at which its people play in
        that round."""
        others = [one for one in self.told
                  if one.round == pairing.round and one.table != pairing.table]  # fmt: skip
        self.tell([*others, pairing])

    def go_on(self, *pairings: Pairing) -> None:
        """Take games that go on now, before what people play next. Of the games at this table the
        new one counts."""
        here = any(one.table == self.here for one in pairings)
        later = [one for one in self.told
                 if one not in pairings and not (here and one.table == self.here)]  # fmt: skip
        self.tell([*pairings, *later])

    def listen(self, listener: Listener) -> None:
        """Call ``listener`` with each pairing that is new to this table."""
        with self._lock:
            self._listeners.append(listener)

    def tell(self, pairings: Iterable[Pairing]) -> None:
        """Take where people of this table play next, in place of what was known before."""
        with self._lock:
            new = tuple(pairings)
            unknown = [one for one in new if one not in self._told]
            lost, self._told = self._told and not new, new
            listeners = list(self._listeners)
        if lost and not self.withdrawn:  # else the sentence on why follows
            self._on_lost()
        for one in unknown:
            for listener in listeners:
                listener(one)

    @property
    def told(self) -> tuple[Pairing, ...]:
        """Return where people of this table play next, as the hall said last."""
        with self._lock:
            return self._told

    def played(self, game: Game) -> Pairing | None:
        """The pairing of ``game``, which is played here; None outside a hall and without names."""
        white, black = game.player("white").name, game.player("black").name
        if game.setup is None or not (self.here and white and black):
            return None
        return Pairing(game.setup.round, self.here, white, black)

    def replaced(self, game: Game) -> Pairing | None:
        """The pairing that the hall has told in place of that of ``game``: another game at this
        table, or another of its players in the same round; None if there is none."""
        played = self.played(game)
        if played is None:
            return None
        return next((one for one in self.told if _replaces(one, played)), None)

    def next_of(self, name: str) -> Pairing | None:
        """Return the pairing that a player plays next; None if the hall has told none."""
        with self._lock:
            return next((one for one in self._told if name in one), None)


def _replaces(told: Pairing, played: Pairing) -> bool:
    same_people = played.white in told or played.black in told
    elsewhere = told.table != played.table
    return told != played and (not elsewhere or (told.round == played.round and same_people))
