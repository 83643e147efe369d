"""The pairings that a table knows: its own next game, and where its people play next."""

import threading
from collections.abc import Callable, Iterable

from blindplay.laws import Game
from blindplay.wording.values import Pairing

Listener = Callable[[Pairing], object]


class Pairings:
    """The pairings that a hall has told to one table. Safe to use from several threads."""

    def __init__(self, here: str = "") -> None:
        """``here``: the name of the table; empty outside a hall."""
        self.here = here
        self._lock = threading.Lock()
        self._listeners: list[Listener] = []
        self._told: tuple[Pairing, ...] = ()

    def listen(self, listener: Listener) -> None:
        """Call ``listener`` with each pairing that is new to this table."""
        with self._lock:
            self._listeners.append(listener)

    def tell(self, pairings: Iterable[Pairing]) -> None:
        """Take where people of this table play next, in place of what was known before."""
        with self._lock:
            new = tuple(pairings)
            unknown = [one for one in new if one not in self._told]
            self._told = new
            listeners = list(self._listeners)
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
