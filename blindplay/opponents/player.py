"""A player whose facts come from elsewhere: from an engine, a server, another table.

The table, the Laws, the boards and the voice know nothing of it. It listens to what is taken, and
submits its own facts like everybody. Its duties under the Laws follow from the game alone, so a
game that was killed at any moment goes on where it stood. :class:`WriteAccess` is the one rule
about who may add facts to a game.
"""

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import chess

from blindplay.laws import Fact, Game, Origin, Ruling, Taken
from blindplay.laws import facts as f
from blindplay.laws.due import deeds, due
from blindplay.laws.rulings import Completed, Refused
from blindplay.wording.values import Tell

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


class WriteAccess:
    """The rule who may add facts to a game, and when. Here this table alone adds all, at once.

    The holder of a shared log's write token (:class:`.DistantPlayer`) and a server that decides
    (:class:`.LichessPlayer`) derive from it. The table calls :meth:`admit` for each new fact,
    :meth:`acquire` if none is being taken, and while :attr:`may_add` is true for each fact that
    waits :meth:`in_time` and :meth:`added`; :meth:`release` ends the round. All of it happens with
    the table's lock held, and only :meth:`acquire` may wait.
    """

    shared = False
    """True if another table takes the same facts, in the same order."""

    def decides(self, fact: Fact) -> bool:
        """Return whether this table decides about ``fact`` alone, so that it can be previewed."""
        return True

    def admit(self, fact: Fact, origin: Origin) -> Fact | None:
        """``fact`` as it is to be added. None if this table may not add it: then it has been
        requested of whoever decides, or people have been told."""
        return fact

    def acquire(self, taken: Callable[[], bool]) -> None:
        """Wait until the table may add facts, or another thread has ``taken`` the one that waits.
        It gives up after a limit, and releases the lock meanwhile."""

    @property
    def may_add(self) -> bool:
        """True if the table may add facts now."""
        return True

    def in_time(self, fact: Fact) -> Fact | None:
        """``fact`` with the time at which it is taken; None if the table may not add it any
        more."""
        return fact

    def added(self, fact: Fact) -> None:
        """The journal has ``fact``, which this table has added."""

    def release(self, *, waits: bool) -> None:
        """All facts that may be added now have been. ``waits``: others wait for access."""


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

    def access(self, table: PlayedTable, facts: list[Fact]) -> "WriteAccess":
        """The rule about who adds facts to the game of ``table``, whose journal has ``facts``."""
        return WriteAccess()

    def read_chat(self) -> None:  # noqa: B027
        """Tell what the opponent has written, if there is a chat."""

    def begins(self) -> bool:
        """The player at the table is ready. Return whether this player begins the game, or goes on
        with it, when that can be."""
        return False

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
            fact, before = duty(table.game, side) or more(), None
            while fact is not None and fact != before and isinstance(fact, f.Press) is presses:
                table.submit(fact, ORIGIN)
                fact, before = duty(table.game, side) or more(), fact

        with table.lock:
            wanted = duty(table.game, side) or more()
            presses = isinstance(wanted, f.Press)
        if wanted is not None:
            table.after_hands(act, presser=side if presses else None)

    def _play(self, move: chess.Move, still: Callable[[], bool]) -> None:
        """Announce, execute and complete ``move`` if that is still wanted."""
        announce = f.Announce(by=self.side, move=move.uci())
        self._do_duties(lambda: announce if still() else None)


# --- duties ---------------------------------------------------------------------------------------


def rests(game: Game) -> bool:
    """Return whether nobody may play now: before the start, in a pause, while the arbiter is
    needed, when a move is sealed, and after the game."""
    waiting = game.pending is not None and not game.pending.claimable
    sealing = game.adjourning or game.adjourned or game.sealed is not None
    return game.over or waiting or sealing or not game.started or bool(game.paused)


def duty(game: Game, side: str) -> Fact | None:
    """The next fact, with any time, of what ``side`` does without thinking: repeat what the
    opponent has announced, execute it when it is completed (D.2.1), execute the own announced move,
    press the clock, and agree to what both players are asked. None if nothing is due."""
    step = due(game, side)
    if step.do == "consent":
        return f.Consent(by=side)
    if rests(game):
        return None
    board, own = step.board, step.move is not None and step.move.by == side
    if step.do == "repeat_and_execute":
        step = replace(step, do="repeat")
    if step.do == "execute" and (own or (game.outstanding(board) and len(game.tables) > 1)):
        step = replace(step, by_hand=False)  # no hand moves anything for this player
        return deeds(game, step)[0]
    if step.do in ("repeat", "announce_made", "press"):
        return deeds(game, step)[0]
    return None


def is_to_choose(game: Game, side: str) -> bool:
    """Return whether ``side`` has to find a move. Without a clock, a made move may be answered at
    once (1.3), because nobody presses."""
    if rests(game):
        return False
    if game.side == side:
        return game.turn.announced is None and game.turn.made is None
    return game.turn.made is not None and not game.clock


def position(game: Game) -> chess.Board:
    """The position after the last move that was made, with the moves that led to it."""
    board = game.start_board.copy()
    for ply in game.history:
        if not board.is_legal(ply.move):
            return game.position
        board.push(ply.move)
    if game.turn.made is not None:
        board.push(game.turn.made)
    return board
