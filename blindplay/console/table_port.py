"""The console's interface to a running table, such as :class:`blindplay.table.Table`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import chess

from blindplay.language import Command
from blindplay.laws import Fact, Game, Origin, Ruling, Taken
from blindplay.record import Tape, TapeError
from blindplay.record.tape import Recording, tape_folder


class AnotherGamePort(Protocol):
    """What the players of a table want after their game."""

    @property
    def may(self) -> bool:
        """Return whether they may decide it now."""

    @property
    def wanted(self) -> Mapping[str, Command]:
        """NEW_GAME or REMATCH, by the player who wants it and waits for the other's answer."""

    def want(self, side: str, command: Command | None) -> None:
        """``side`` wants this, or no other game. Hold the table's lock."""

    def watch(self, watcher: Callable[[Mapping[str, Command], bool], object]) -> None:
        """Call ``watcher`` whenever what is wanted changes, with what was wanted before, and True
        if both wanted that."""


@dataclass(frozen=True)
class AnotherGameNow:
    """The same at one moment, or of a table whose players do not decide it."""

    may: bool = False
    wanted: Mapping[str, Command] = field(default_factory=dict)

    def want(self, side: str, command: Command | None) -> None:
        """They do not decide it."""

    def watch(self, watcher: Callable[[Mapping[str, Command], bool], object]) -> None:
        """It does not change."""


class TableView(Protocol):
    """What pages read of a table: while it runs, or at one moment."""

    @property
    def game(self) -> Game: ...

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """Held while a fact is applied. Hold it to read a consistent game."""

    @property
    def path(self) -> Path:
        """The journal's file, beside which the tape lies."""

    @property
    def log(self) -> Sequence[Taken]:
        """Everything since the table was set up, except ticks. It only grows."""

    @property
    def training(self) -> bool:
        """True if players may ask for the position (never under the Laws, D.2.10.4)."""

    @property
    def absent(self) -> str:
        """The side of the opponent who is not in the room; empty if both players are here."""

    @property
    def another_game(self) -> AnotherGamePort:
        """What the players want after this game."""

    def allows(self, asked: Command) -> bool:
        """Return whether players may make this request: about the position, to take back moves, or
        for a hint."""

    def time(self) -> int:
        """Milliseconds since the table was set up."""


class TablePort(TableView, Protocol):
    """One running table."""

    def hint(self) -> chess.Move | None:
        """A good move in the present position; None as long as none has been found."""

    def submit(self, fact: Fact, origin: Origin) -> tuple[Ruling, ...]:
        """Apply a fact now and return its rulings.

        :raises FactError: if it is not a fact of the contract.
        """

    def after_hands(
        self,
        do: Callable[[], object],
        *,
        presser: str | None = None,
        unread: Callable[[Sequence[str]], object],
    ) -> None:
        """Call ``do`` after the work of hands on the boards, now or later in another thread, and
        hold the table meanwhile. ``presser``: the role that pressed the clock, if any. Call
        ``unread`` with the sides whose boards cannot be read while a press waits for them."""

    def holds_press(self, presser: str) -> bool:
        """Return whether a press of a player or an assistant does not count now, because the player
        must answer a question about their move. The question is then repeated."""

    def listen(self, listener: Callable[[Taken], None]) -> None:
        """Call ``listener`` with everything that is taken, in the thread that submits it."""


@contextmanager
def held(table: TableView) -> Iterator[Game]:
    """The game. Until the end, no fact of another thread is applied."""
    with table.lock:
        yield table.game


@dataclass(frozen=True)
class Moment:
    """A table and its game after one fact. They stay so while the game goes on, so pages are
    rendered from it while nobody waits for them."""

    game: Game
    log: Sequence[Taken]
    training: bool
    absent: str
    allowed: frozenset[Command]
    path: Path
    time: Callable[[], int]
    another_game: AnotherGameNow

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """Nothing changes it, so nobody waits."""
        return nullcontext()

    def allows(self, asked: Command) -> bool:
        """Return whether players might make this request then."""
        return asked in self.allowed

    @staticmethod
    def of(table: TablePort) -> "Moment":
        """The table as it is now. It is held meanwhile, for less than a millisecond."""
        with held(table) as game:
            allowed = frozenset(one for one in Command if table.allows(one))
            return Moment(
                game.fork(),
                table.log[:],
                table.training,
                table.absent,
                allowed,
                table.path,
                table.time,
                AnotherGameNow(table.another_game.may, dict(table.another_game.wanted)),
            )


def tape_of(table: TableView) -> Mapping[int, Recording]:
    """The recordings on the table's tape by number, in order; none without a tape. Reads files, so
    do not call it while the game is held."""
    try:
        return {one.number: one for one in Tape(tape_folder(table.path), create=False).recordings()}
    except (TapeError, OSError):
        return {}
