"""The contact with the hall, as far as the people at a table should know of it."""

from collections.abc import Callable

LONG_S = 120.0
"""A shorter break disturbs nobody: the table plays on, and the hall catches up."""


class HallContact:
    """Tells its listeners once that the hall has not been reached for long, and once that it can
    be reached again."""

    def __init__(self) -> None:
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
        return self._hand_over is None or self._hand_over(seconds)

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
