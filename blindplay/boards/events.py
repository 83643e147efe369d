"""What a board tells its consumers, whichever make it is.

``at`` is always host monotonic time in seconds (:func:`time.monotonic`) of the first change, not
of its confirmation: a lift that took 150 ms to be believed carries the time the contact opened.
Events come in the order in which they were believed, so ``at`` may step back by that much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True)
class Connected:
    """A board answered; a :class:`Position` follows."""

    url: str
    board: str
    at: float


@dataclass(frozen=True)
class Disconnected:
    """The board is gone or cannot be reached; ``why`` is a sentence saying what to do."""

    why: str
    at: float


@dataclass(frozen=True)
class Lifted:
    """A piece left its hole. Never derived from a lost link or a faulty contact."""

    square: str
    at: float


@dataclass(frozen=True)
class Placed:
    """A piece was put into a hole; ``piece`` is its FEN letter, None if the board cannot tell."""

    square: str
    piece: str | None
    at: float


@dataclass(frozen=True)
class Position:
    """The whole board, as FEN's first field.

    Comes after each connect and whenever events may have been lost: what differs from before was
    not seen happening, so it is no touch and no move. A hole with a fault shows what was in it
    before the fault; a board that only knows presence shows each piece as ``?``.
    """

    placement: str
    at: float


@dataclass(frozen=True)
class Lever:
    """A clock lever was pressed down."""

    side: Literal["white", "black"]
    at: float


@dataclass(frozen=True)
class Fault:
    """A hole gives a reading that is neither a piece nor empty: a bad contact or a wrong plug."""

    square: str
    at: float


BoardEvent: TypeAlias = Connected | Disconnected | Lifted | Placed | Position | Lever | Fault
