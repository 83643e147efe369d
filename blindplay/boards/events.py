"""The events of boards of all makers.

``at`` is host monotonic time in seconds (:func:`time.monotonic`) of the first change, not of its
confirmation: a lift that a board confirms after 150 ms has the time at which the contact opened.
Events come in the order of their confirmation, so ``at`` may step back by that much. ``kind`` is
the event's name in JSON.
"""

import time
from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias


@dataclass(frozen=True)
class Connected:
    """A board answered. A :class:`BoardPosition` follows. ``board`` describes the board, and
    ``which`` is its own id or serial number; empty: it has none; None: it has not told one.
    ``advice`` is a sentence about what people should do with this board when no game is on, empty
    if nothing."""

    kind: ClassVar[str] = "connected"
    url: str
    board: str
    at: float = field(default_factory=time.monotonic)
    which: str | None = None
    advice: str = ""


@dataclass(frozen=True)
class Disconnected:
    """The board cannot be reached. ``why`` is a sentence that says what to do."""

    kind: ClassVar[str] = "disconnected"
    why: str
    at: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class Lifted:
    """A piece left its square. A lost link or a faulty contact never looks like this."""

    kind: ClassVar[str] = "lifted"
    square: str
    at: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class Placed:
    """A piece came to a square. ``piece`` is its FEN letter, None if the board cannot tell."""

    kind: ClassVar[str] = "placed"
    square: str
    piece: str | None = None
    at: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class PieceTouched:
    """A finger was on the piece that left this square: ``Lifted`` follows. Only a board that feels
    fingers and otherwise reports only positions sends it; at others a lift is the touch."""

    kind: ClassVar[str] = "touched"
    square: str
    at: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class PieceDoubted:
    """A hole reads as a piece that cannot be there. It has read as another one and has not been
    empty in between: the piece from before counts until the hole reads as before
    (:class:`PieceCertain`) or is empty (:class:`Lifted`). Or it was ``empty``, and there would be
    more pieces than can be, or no hand was seen to bring it: it counts as empty until it is dry, or
    a hand has taken the piece out and put it back (:class:`Placed`, :class:`PieceCertain`)."""

    kind: ClassVar[str] = "doubted"
    square: str
    at: float = field(default_factory=time.monotonic)
    empty: bool = False


@dataclass(frozen=True)
class PieceCertain:
    """What is in a doubted hole is certain again."""

    kind: ClassVar[str] = "certain"
    square: str
    at: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class BoardPosition:
    """The whole board, as FEN's first field.

    It comes after each connect and whenever events may have been lost. The board did not see how
    the difference from before came about, so the difference is neither a touch nor a move. A hole
    with a fault shows the piece from before the fault. A board that knows only which holes are
    occupied shows each piece as ``?``. ``doubted`` are the squares whose piece is doubted; one that
    counts as empty is empty in ``placement``.
    """

    kind: ClassVar[str] = "position"
    placement: str
    at: float = field(default_factory=time.monotonic)
    doubted: tuple[str, ...] = ()


@dataclass(frozen=True)
class Read:
    """All that hands had done when the board was asked to be read has been told. ``number`` is the
    asker's."""

    kind: ClassVar[str] = "read"
    number: int
    at: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class PositionUnknown:
    """The board answers, but has not told its position for two seconds since something was lost.

    What has happened since then comes with the next :class:`BoardPosition`.
    """

    kind: ClassVar[str] = "position_unknown"
    at: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class LeverPressed:
    """A clock lever was pressed down."""

    kind: ClassVar[str] = "lever"
    side: Literal["white", "black"]
    at: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class ContactFault:
    """A hole reads neither as a piece nor as empty: a bad contact or a wrong plug."""

    kind: ClassVar[str] = "fault"
    square: str
    at: float = field(default_factory=time.monotonic)


BoardEvent: TypeAlias = (
    Connected
    | Disconnected
    | Lifted
    | Placed
    | PieceTouched
    | PieceDoubted
    | PieceCertain
    | BoardPosition
    | Read
    | PositionUnknown
    | LeverPressed
    | ContactFault
)
