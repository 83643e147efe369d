"""The stream of one game, read in a thread of its own, and opened again whenever it is cut."""

import itertools
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from .api import (
    EventLines,
    LichessApi,
    LichessError,
    LimitedError,
    LostLineError,
    MissingError,
    TokenError,
)


@dataclass(frozen=True)
class Arrived:
    """A line of the stream; ``opened``: the count at which its connection was opened, if it is the
    first line of it. ``line`` None: Lichess cannot be reached, or ``why`` there is no stream any
    more."""

    line: Mapping[str, Any] | None
    opened: int | None = None
    why: str = ""


class GameStream:
    """Brings what the stream of a game tells. ``changed`` is called, in the stream's thread, when
    something has arrived."""

    def __init__(self, api: LichessApi, changed: Callable[[], object]) -> None:
        self.arrived: deque[Arrived] = deque()
        self._api, self._changed = api, changed
        self._count = itertools.count()
        self._done = threading.Event()
        self._connection: tuple[int, EventLines | None] = -1, None
        self._thread: threading.Thread | None = None

    @property
    def begun(self) -> bool:
        return self._thread is not None

    def begin(self, game: str) -> None:
        """Follow the game with this name."""
        path = f"/api/board/game/stream/{game}"
        self._thread = threading.Thread(
            target=self._read, args=(path,), name="lichess game", daemon=True
        )
        self._thread.start()

    def next_count(self) -> int:
        """A number that is greater than that of every connection so far."""
        return next(self._count)

    def _bring(
        self, line: Mapping[str, Any] | None, opened: int | None = None, why: str = ""
    ) -> None:
        self.arrived.append(Arrived(line, opened, why))
        self._changed()

    def read_anew(self, since: int) -> None:
        """Open a new connection, which tells the whole game, unless the present one was opened
        after the count ``since``."""
        opened, lines = self._connection
        if lines is not None and opened <= since:
            lines.close()

    def end(self) -> None:
        """Follow the game no longer."""
        self._done.set()
        _, lines = self._connection
        if lines is not None:
            lines.close()

    def _read(self, path: str) -> None:
        failures, waits = 0, self._api.waits
        while not self._done.is_set():
            try:
                if self._read_once(path):
                    failures = 0
            except LimitedError:
                self._done.wait(waits.limited_s)
                continue
            except (MissingError, TokenError) as error:
                missing = isinstance(error, MissingError)
                self._bring(None, why="lichess_no_game" if missing else "lichess_token")
                return
            except LichessError:
                self._bring(None)
            self._done.wait(waits.before_retry(failures))
            failures += 1

    def _read_once(self, path: str) -> bool:
        """Read one connection to its end; return whether more than the first line came."""
        opened, number = self.next_count(), 0
        with self._api.stream("GET", path) as lines:
            self._connection = opened, lines
            with suppress(LostLineError):  # it is opened again; that may fail
                for line in lines:
                    if self._done.is_set():
                        break
                    if line is not None:
                        self._bring(line, None if number else opened)
                        number += 1
        return number > 1
