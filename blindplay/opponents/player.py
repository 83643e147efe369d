"""A player whose facts come from elsewhere: from an engine, a server, another table.

The table, the Laws, the boards and the voice know nothing of it. It listens to what is taken, and
submits its own facts like everybody.
"""

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

import chess

from blindplay.laws import Fact, Game, Origin, Ruling, Taken
from blindplay.laws import facts as f
from blindplay.laws.rulings import Completed, Refused
from blindplay.wording.values import Tell

from .duties import due

if TYPE_CHECKING:
    from .distant.voices import Voices

log = logging.getLogger(__name__)

ORIGIN = Origin("opponent", (Completed, Refused))
"""The press of this player is not announced: it comes right after the announced move."""
_RETRY_S = 1.0


class PlayedTable(Protocol):
    """The part of a running table that such a player needs. :class:`blindplay.table.Table` is
    one."""

    @property
    def game(self) -> Game: ...

    @property
    def log(self) -> Sequence[Taken]: ...

    @property
    def lock(self) -> threading.RLock: ...

    @property
    def training(self) -> bool: ...

    def submit(self, fact: Fact, origin: Origin) -> tuple[Ruling, ...]: ...

    def after_hands(self, do: Callable[[], object], *, presser: str | None = None) -> None: ...

    def listen(self, listener: Callable[[Taken], None]) -> None: ...

    def take_shared(self, fact: Fact, origin: Origin) -> None: ...

    def work_off(self) -> None: ...


class AbsentPlayer(ABC):
    """Plays one side of a table in a thread of its own, until it is closed. Duties under the Laws
    that need no thinking are done here; a subclass chooses the moves."""

    gives_hints = False
    """True if the other player may ask for a good move, in training."""

    voices: "Voices | None" = None
    """Carries the voices of both players, if that is wanted here."""

    def __init__(self) -> None:
        self.side = ""
        """The side that this player has; the table tells it."""
        self._changed = threading.Event()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="opponent", daemon=True)

    def sit(self, table: PlayedTable, tell: Tell) -> None:
        """Play at ``table`` from now on. ``tell`` says what everybody must know."""
        self._table, self._tell = table, tell
        table.listen(self._taken)
        self._changed.set()
        self._thread.start()

    def close(self) -> None:
        """Leave the table, without waiting for a search."""
        self._closed.set()
        self._changed.set()
        self._release()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def hint(self) -> chess.Move | None:
        """A good move for the other player in the present position, if one is known already."""
        return None

    def keeps(self, fact: Fact) -> bool:
        """Return True if ``fact``, which others bring, is this player's to decide. Then the table
        calls :meth:`see_to`. Both are called with the table held, and must not take long."""
        return False

    def see_to(self, fact: Fact) -> None:  # noqa: B027
        """Do what ``fact`` asks for, and submit later what comes of it."""

    def read_chat(self) -> None:  # noqa: B027
        """Tell what the opponent has written, if there is a chat."""

    def begins(self) -> bool:
        """The player at the table is ready. Return whether this player begins the game, or goes on
        with it, when that can be."""
        return False

    # --- a game that another table has, too ------------------------------------------------------

    def share(self, table: PlayedTable, facts: list[Fact]) -> bool:
        """Return whether another table shares the facts of ``table``, in one order. If so, the
        methods below are called, with the table held. ``facts`` are those of its journal."""
        return False

    @property
    def may_add(self) -> bool:
        """Return whether the table may add facts now."""
        return True

    def own(self, fact: Fact) -> Fact | None:
        """``fact`` as it goes into the game; None if it is not this table's to add."""
        return fact

    def wait_to_add(self, added: Callable[[], bool]) -> None:  # noqa: B027
        """Wait, not for long and without the table held, until the table may add facts, or another
        thread has ``added`` what waits."""

    def in_time(self, fact: Fact) -> Fact | None:
        """``fact`` with the time that it has when it is taken now; None if it is not this table's
        to add any more."""
        return fact

    def added(self, fact: Fact) -> None:  # noqa: B027
        """The journal has a fact of the table."""

    def settle(self, *, waits: bool = False) -> None:  # noqa: B027
        """All facts that can be taken now have been taken. ``waits``: others wait until the table
        may add facts."""

    @abstractmethod
    def _consider(self) -> None:
        """Do what needs thinking, if anything. Called in the thread of this player whenever
        something has happened; it may take long."""

    def _release(self) -> None:  # noqa: B027
        """Give back what this player holds, such as a process."""

    # --- the thread ----------------------------------------------------------------------------

    def _taken(self, taken: Taken) -> None:
        if taken.rulings or not isinstance(taken.fact, f.Tick):
            self._changed.set()

    def _run(self) -> None:
        while not self._closed.is_set():
            self._changed.wait()
            self._changed.clear()
            try:
                self._do_duties()
                if not self._closed.is_set():
                    self._consider()
            except Exception:  # a failing listener must not end this player
                if self._closed.is_set():
                    return
                log.exception("The opponent's turn failed.")
                self._closed.wait(_RETRY_S)
                self._changed.set()

    def _do_duties(self, more: Callable[[], Fact | None] = lambda: None) -> None:
        """Submit all that is due and the fact that ``more`` gives, if any, after what hands have
        done. A press is an action of its own, for it waits for boards that cannot be read."""
        table, side = self._table, self.side

        def act() -> None:
            fact, before = due(table.game, side) or more(), None
            while fact is not None and fact != before and isinstance(fact, f.Press) is presses:
                table.submit(fact, ORIGIN)
                fact, before = due(table.game, side) or more(), fact

        with table.lock:
            wanted = due(table.game, side) or more()
            presses = isinstance(wanted, f.Press)
        if wanted is not None:
            table.after_hands(act, presser=side if presses else None)

    def _play(self, move: chess.Move, still: Callable[[], bool]) -> None:
        """Announce, execute and complete ``move`` if that is still wanted."""
        announce = f.Announce(by=self.side, move=move.uci())
        self._do_duties(lambda: announce if still() else None)
