"""Boards that report whole positions: their messages, belief in them, and their drivers.

A report without a checksum counts only when the next ones say the same. A single change counts
only when reports repeat it. Hands cannot be seen in positions, so such a board proves no touch.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import chess

from blindplay.translation import _, join_texts

from . import events
from .diagram import EMPTY, NAMELESS, Diagram, changed, fen_of
from .driver import Notice, PositionBoard, PositionState
from .events import BoardEvent
from .ports import BoardNotFoundError, FoundPort, Port, check_url, discover, open_port
from .wireless import BleProfile, HidProfile, check_wireless, nearby, open_wireless, plugged_in


@dataclass(frozen=True)
class BoardReport:
    """All squares at once, as they lie under a board whose White sits at its usual side.

    ``agree``: number of equal reports in a row that are believed; 1 if a checksum covers the
    report.
    """

    diagram: Diagram
    agree: int = 3


@dataclass(frozen=True)
class SquareChange:
    """One square changed to this letter of a diagram."""

    square: chess.Square
    letter: int


@dataclass(frozen=True)
class FingerOn:
    """A finger is on the piece of this square."""

    square: chess.Square


@dataclass(frozen=True)
class AboutBoard:
    """A description that the board gives of itself, in English: ``firmware 1.3``, and its
    ``serial`` number if this is it."""

    text: str
    serial: str = ""


@dataclass(frozen=True)
class Trademark:
    """The trademark of a board, which answers in the protocol of a DGT board."""

    text: str


ClockSide: TypeAlias = Literal["left", "right"]


@dataclass(frozen=True)
class ClockTimes:
    """The seconds left on each side of a clock, and the side that runs; None while both stand."""

    left: int
    right: int
    running: ClockSide | None


@dataclass(frozen=True)
class SignOfLife:
    """A whole message that this program does not use."""


@dataclass(frozen=True)
class Garbled:
    """Bytes that are not a message: here bytes were lost or changed."""


BoardMessage: TypeAlias = (
    BoardReport
    | SquareChange
    | FingerOn
    | AboutBoard
    | Trademark
    | ClockTimes
    | SignOfLife
    | Garbled
)


class Framer(ABC):
    """Cuts a stream into messages, which do not depend on the sizes of the chunks.

    A subclass gives the first bytes of frames, the length of the frame at the start of the buffer,
    and its meaning. Bytes that form no frame are skipped up to the next possible first byte, and
    become one :class:`Garbled`.
    """

    BEGINNINGS: ClassVar[bytes]
    """The bytes with which a frame may begin."""
    _noise: ClassVar[bytes]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._noise = bytes(set(range(256)) - set(cls.BEGINNINGS))

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._garbled = False

    def feed(self, data: bytes) -> list[BoardMessage]:
        """Take the next bytes of the stream and return the messages that they complete."""
        self._buffer += data
        messages: list[BoardMessage] = []
        while self._buffer:
            size = self._size(self._buffer) if self._buffer[0] in self.BEGINNINGS else 0
            if size > len(self._buffer):
                break
            message = self._read(bytes(self._buffer[:size])) if size else None
            if message is not None:
                del self._buffer[:size]
                messages.append(message)
                self._garbled = False
            else:
                self._buffer = self._buffer[1:].lstrip(self._noise)
                if not self._garbled:
                    messages.append(Garbled())
                self._garbled = True
        return messages

    @property
    def unfinished(self) -> bool:
        """True if the stream ended within a frame."""
        return bool(self._buffer)

    @abstractmethod
    def _size(self, buffer: bytearray) -> int:
        """The length of the frame that begins ``buffer`` with one of :data:`BEGINNINGS`, 0 if none
        does. While too little of it is known, any number above the length of ``buffer``."""

    @abstractmethod
    def _read(self, frame: bytes) -> BoardMessage | None:
        """The meaning of a frame. None if it has none."""


_SETTLED = 0.3
"""After this pause the hands rest."""
_ASK_EVERY = 0.2
"""Seconds between questions for the whole board."""


class Belief:
    """The last position that is believed, as it lies under the board."""

    def __init__(self) -> None:
        self.diagram: Diagram | None = None
        self.settled = False
        """True if nothing heard since contradicts it."""
        self.glimpsed: frozenset[chess.Square] = frozenset()
        """Squares that were reported empty, not often enough to be believed, between the last two
        positions that are."""
        self._empty: set[chess.Square] = set()
        self._heard: Diagram | None = None
        self._changes: list[SquareChange] = []  # from what is believed to what was heard
        self._times = 0

    def take(self, message: BoardMessage) -> list[SquareChange] | None:
        """Take a message. If it makes a position believed, new or known, return the changes since
        the one that was believed before it, else None."""
        match message:
            case BoardReport(diagram, agree):
                if diagram != self._heard:
                    self._heard, self._times = diagram, 0
                    self._changes = _differences(self.diagram or diagram, diagram)
                    self._empty |= {at for at in chess.SQUARES if diagram[at] == EMPTY}
                self._times += 1
                if self._times >= agree:
                    changes, self._changes = self._changes, []
                    self.diagram, self.settled = diagram, True
                    self.glimpsed, self._empty = frozenset(self._empty), set()
                    return changes
                self.settled = False
            case SquareChange(square, letter) if self._heard is not None:
                self._heard, self._times = changed(self._heard, square, letter), 1
                self._changes.append(message)
                self._empty |= {square} if letter == EMPTY else set()
                self.settled = False
            case Garbled():
                self.settled = False
        return None

    def doubt(self) -> None:
        """Believe nothing that was heard so far, until it is reported again."""
        self._times = 0


def _differences(before: Diagram, after: Diagram) -> list[SquareChange]:
    """The changes from one position to another, lifts first."""
    squares = [square for square in chess.SQUARES if before[square] != after[square]]
    squares.sort(key=lambda square: after[square] != EMPTY)
    return [SquareChange(square, after[square]) for square in squares]


class ReportingState(PositionState):
    """The state of one connection to a board of this ``kind``. ``before`` is that of the last
    connection."""

    SILENCE = 2.0

    def __init__(
        self, kind: "type[ReportingBoard]", url: str, before: "ReportingState | None" = None
    ) -> None:
        self._kind = kind
        self._url = url
        self._framer = kind.FRAMER()
        self._belief = Belief()
        self.turned: bool = before.turned if before else False
        self._shown: Diagram | None = before._shown if before else None
        self._reported: Diagram | None = None  # the position after all events so far
        self._position: str | None = None  # the last one that was told
        self._sure = False
        self._changed_at = self._asked_at = self._sent_at = -math.inf
        self._about: list[str] = []
        self._greeted = False
        self._waiting: list[Callable[[], None]] = []
        self._commands = list(kind.GREETING)
        self._lamp_commands: list[bytes] = []
        self._lit: frozenset[chess.Square] = frozenset()

    # --- from the board ----------------------------------------------------------------------

    def receive(self, data: bytes, now: float) -> list[BoardEvent]:
        heard = [event for m in self._framer.feed(data) for event in self.hear(m, now)]
        rests = now - self._changed_at >= _SETTLED
        if self._sure and rests and self._reported is not None:
            placement = fen_of(self._reported)
            if placement != self._position:
                self._position, self._shown = placement, self._reported
                heard.append(events.BoardPosition(placement, now))
        return heard

    def hear(self, message: BoardMessage, now: float) -> list[BoardEvent]:
        """Take one message."""
        if isinstance(message, Garbled):
            return []
        self.heard_at = now
        match message:
            case AboutBoard(text):
                self._about.append(text)
            case SquareChange():
                self._belief.take(message)
                self._sure = False
            case BoardReport():
                changes = self._belief.take(message)
                return self._greet(now) + ([] if changes is None else self._believe(changes, now))
        return []

    def _greet(self, now: float) -> list[BoardEvent]:
        if self._greeted:
            return []
        self._greeted = True
        return [events.Connected(self._url, join_texts(", ", (self._kind.KIND, *self._about)), now)]

    def _believe(self, changes: list[SquareChange], now: float) -> list[BoardEvent]:
        diagram = self._belief.diagram
        assert diagram is not None
        turned = self._lies_turned(diagram, self.turned)
        if turned != self.turned or self._reported is None:
            self.turned, changes = turned, []
            self._light()
        heard = [event for change in changes for event in self._change(change, now)]
        self._reported, self._sure = diagram[::-1] if turned else diagram, True
        while self._waiting:
            self._shown = self._reported
            self._waiting.pop()()
        return heard

    def _change(self, change: SquareChange, now: float) -> list[BoardEvent]:
        assert self._reported is not None
        square, letter = 63 - change.square if self.turned else change.square, change.letter
        before = self._reported[square]
        self._reported, self._changed_at = changed(self._reported, square, letter), now
        name, heard = chess.square_name(square), list[BoardEvent]()
        if before != EMPTY:
            heard.append(events.Lifted(name, now))
        if letter != EMPTY:
            heard.append(events.Placed(name, None if letter == NAMELESS else chr(letter), now))
        return heard

    def placement(self) -> str | None:
        return None if self._shown is None else fen_of(self._shown)

    def doubt(self, confirmed: Callable[[], None]) -> None:
        """Ask for the board again at once, and call ``confirmed`` when its position is sure."""
        self._belief.doubt()
        self._sure, self._asked_at = False, -math.inf
        self._waiting.append(confirmed)

    # --- to the board --------------------------------------------------------------------------

    def requests(self, now: float) -> bytes:
        if now - self._sent_at < self._kind.SPACING:
            return b""
        command = self._next_command(now)
        if command:
            self._sent_at = now
        return command

    def _next_command(self, now: float) -> bytes:
        if waiting := self._commands or self._lamp_commands:
            return waiting.pop(0)
        if self._kind.QUESTION and now - self._asked_at >= _ASK_EVERY:
            self._asked_at = now
            return self._kind.QUESTION
        return b""

    def light(self, squares: frozenset[chess.Square]) -> None:
        """Light the lamps of these squares, and no others."""
        if squares != self._lit:
            self._lit = squares
            self._light()

    def _light(self) -> None:
        turned = frozenset(63 - square if self.turned else square for square in self._lit)
        self._lamp_commands = self._lamps(turned)

    def _lamps(self, squares: frozenset[chess.Square]) -> list[bytes]:
        """The commands that light these squares of a board that does not lie turned."""
        return [] if self._kind.LAMPS is None else [self._kind.LAMPS(squares)]


class ReportingBoard(PositionBoard[ReportingState]):
    """A board that reports positions.

    ``Lifted`` and ``Placed`` tell how one position became the next. ``BoardPosition`` comes when
    the hands rest. Which way round the board lies follows from the start position if the board
    knows its pieces; until then White sits at the board's usual side.
    """

    FRAMER: ClassVar[type[Framer]]
    GREETING: ClassVar[tuple[bytes, ...]] = ()
    """The commands that begin a connection."""
    QUESTION: ClassVar[bytes] = b""
    """The command that asks for the whole board; empty for a board that reports unasked."""
    SPACING: ClassVar[float] = 0.0
    """Least time in seconds between two commands."""
    LAMPS: ClassVar[Callable[[Collection[chess.Square]], bytes] | None] = None
    """Gives the command that lights these squares and no others."""
    STATE: ClassVar[type[ReportingState]] = ReportingState
    BLE: ClassVar[BleProfile | None] = None
    HID: ClassVar[HidProfile | None] = None

    LOOK_SECONDS = 2.0  # a position is believed after several reports

    _lit: frozenset[chess.Square] = frozenset()

    def light(
        self, squares: Collection[chess.Square], notices: Collection[Notice] = frozenset()
    ) -> None:
        self._lit = lit = frozenset(squares)
        self._enqueue(lambda state: state.light(lit))

    @classmethod
    def check(cls, url: str) -> None:
        check_url(url, [name for name, way in (("ble", cls.BLE), ("hid", cls.HID)) if way])
        check_wireless(url)

    @classmethod
    def find(cls, ports: Callable[[], Iterable[FoundPort]] = discover) -> str:
        reasons = []
        if cls.USB_IDS:
            try:
                return super().find(ports)
            except BoardNotFoundError as error:
                reasons.append(str(error))
        for search in cls._wireless_searches():
            try:
                for url in search():
                    return url
            except (BoardNotFoundError, OSError) as error:
                reasons.insert(0, str(error))
        raise BoardNotFoundError(
            join_texts(" ", reasons)
            or _("No {kind} was found: switch it on, and come nearer with it.", kind=cls.KIND)
        )

    @classmethod
    def _wireless_searches(cls) -> Iterator[Callable[[], list[str]]]:
        """Searches for the URLs of such boards that have no serial line."""
        if (hid := cls.HID) is not None:
            yield lambda: [url for url, _ in plugged_in(hid)]
        if (ble := cls.BLE) is not None:
            yield lambda: [url for url, name in nearby() if ble.fits(name)]

    def _open(self, url: str) -> Port:
        return open_wireless(url, self.BLE, self.HID) or open_port(url, self._baud, dtr=False)

    def new_state(self, url: str, before: ReportingState | None) -> ReportingState:
        state = self.STATE(type(self), url, before)
        state.way_known = before is not None and before.way_known
        state.expected = None if state.way_known else self._expected
        state.light(self._lit)
        return state
