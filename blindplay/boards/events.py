"""What a board tells its consumers, whichever make it is.

``at`` is always host monotonic time in seconds (:func:`time.monotonic`) of the first change, not
of its confirmation: a lift that took 150 ms to be believed carries the time the contact opened.
Events come in the order in which they were believed, so ``at`` may step back by that much.
``kind`` is the event's name in JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias


@dataclass(frozen=True)
class Connected:
    """A board answered; a :class:`BoardPosition` follows."""

    kind: ClassVar[str] = "connected"
    url: str
    board: str
    at: float


@dataclass(frozen=True)
class Disconnected:
    """The board is gone or cannot be reached; ``why`` is a sentence saying what to do."""

    kind: ClassVar[str] = "disconnected"
    why: str
    at: float


@dataclass(frozen=True)
class Lifted:
    """A piece left its hole. Never derived from a lost link or a faulty contact."""

    kind: ClassVar[str] = "lifted"
    square: str
    at: float


@dataclass(frozen=True)
class Placed:
    """A piece was put into a hole; ``piece`` is its FEN letter, None if the board cannot tell."""

    kind: ClassVar[str] = "placed"
    square: str
    piece: str | None
    at: float


@dataclass(frozen=True)
class BoardPosition:
    """The whole board, as FEN's first field.

    Comes after each connect and whenever events may have been lost: what differs from before was
    not seen happening, so it is no touch and no move. A hole with a fault shows what was in it
    before the fault; a board that only knows presence shows each piece as ``?``.
    """

    kind: ClassVar[str] = "position"
    placement: str
    at: float


@dataclass(frozen=True)
class LeverPressed:
    """A clock lever was pressed down."""

    kind: ClassVar[str] = "lever"
    side: Literal["white", "black"]
    at: float


@dataclass(frozen=True)
class ContactFault:
    """A hole gives a reading that is neither a piece nor empty: a bad contact or a wrong plug."""

    kind: ClassVar[str] = "fault"
    square: str
    at: float


BoardEvent: TypeAlias = (
    Connected | Disconnected | Lifted | Placed | BoardPosition | LeverPressed | ContactFault
)
