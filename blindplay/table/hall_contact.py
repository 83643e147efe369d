"""The contact with the hall, as far as the people at a table should know of it."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

LONG_S = 120.0
"""A shorter break disturbs nobody: the table plays on, and the hall catches up."""


@dataclass(frozen=True)
class Elsewhere:
    """The hall has lines of a game that its journal here lacks: it went on at another machine."""

    result: str = ""
    """Empty if it has not ended there."""
    signed: bool = False
    """This table has signed that result."""


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

    def hear_first(self, seconds: float) -> Elsewhere | None:
        """Wait so many seconds at most for the hall's word about a game that is resumed."""
        if self._hand_over is not None:
            self._heard.wait(seconds)
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
