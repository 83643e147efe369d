"""The DGT board's wire protocol, without I/O: bytes in, messages out.

A message is a kind byte with the high bit set, two 7-bit length bytes (high one first; the length
includes these three bytes), and data bytes with the high bit clear. There is no checksum: only a
high bit in the wrong place shows a loss, and most flipped bits stay hidden. Fields and piece codes
become squares and diagrams.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, TypeAlias

import chess

from ..diagram import EMPTY, START, Diagram, fen_of

PIECES = ".PRNBKQprnbkq"
"""FEN letters by piece code; 0 is an empty field. Codes 13 to 15 are pieces that show a result."""
CODES = 16
FIELDS = 64
"""Field 0 is a8, 7 is h8, 63 is h1, if the cable is on White's left."""


class HostCommand(IntEnum):
    """The commands to a board, one byte each. Never send 0x4e and 0x50 to 0x54: they reach the
    boot loader and the permanent settings."""

    SEND_BOARD = 0x42
    SERIAL_NUMBER = 0x45
    TRADEMARK = 0x47
    UPDATE_NICE = 0x4B
    VERSION = 0x4D


class MessageKind(IntEnum):
    """The kinds of messages from a board."""

    BOARD_DUMP = 0x86
    CLOCK = 0x8D
    FIELD_UPDATE = 0x8E
    EEPROM_MOVES = 0x8F
    BUS_ADDRESS = 0x90
    SERIAL_NUMBER = 0x91
    TRADEMARK = 0x92
    VERSION = 0x93
    BATTERY = 0xA0
    LONG_SERIAL_NUMBER = 0xA2


_HEADER = 3
_LENGTHS = {
    MessageKind.BOARD_DUMP: 67,
    MessageKind.CLOCK: 10,
    MessageKind.FIELD_UPDATE: 5,
    MessageKind.BUS_ADDRESS: 5,
    MessageKind.SERIAL_NUMBER: 8,
    MessageKind.VERSION: 5,
    MessageKind.LONG_SERIAL_NUMBER: 13,
}

ClockSide: TypeAlias = Literal["left", "right"]


@dataclass(frozen=True)
class Dump:
    """The whole board: 64 piece codes by field."""

    codes: tuple[int, ...]


@dataclass(frozen=True)
class FieldUpdate:
    """One field changed. ``code`` is the piece that stands there now."""

    field: int
    code: int


@dataclass(frozen=True)
class ClockTimes:
    """The seconds left on each side of the clock, and the side that runs; None while both stand."""

    left: int
    right: int
    running: ClockSide | None


@dataclass(frozen=True)
class Version:
    """The version of the board's firmware."""

    major: int
    minor: int


@dataclass(frozen=True)
class Text:
    """A serial number or the trademark, according to ``kind``."""

    kind: MessageKind
    text: str


@dataclass(frozen=True)
class Other:
    """A message that this program does not use: battery, bus address, the board's own log, or a
    message of the clock without times, such as its answer to a command."""

    kind: MessageKind
    data: bytes


@dataclass(frozen=True)
class Damaged:
    """Bytes that are not a message: bytes were lost or changed here, messages may be missing."""


Message: TypeAlias = Dump | FieldUpdate | ClockTimes | Version | Text | Other | Damaged


class Decoder:
    """Cuts a stream into messages, which do not depend on the sizes of the chunks.

    ``unknown`` counts the skipped messages of an unknown kind.
    """

    def __init__(self) -> None:
        self.unknown = 0
        self._buffer = bytearray()
        self._stray = False

    @property
    def unfinished(self) -> int | None:
        """The kind byte of an unfinished message. None between messages."""
        return self._buffer[0] if self._buffer else None

    def feed(self, data: bytes) -> list[Message]:
        """Take the next bytes of the stream and return the messages that they complete."""
        messages: list[Message] = []
        for byte in data:
            if byte & 0x80:
                if self._buffer:
                    messages.append(Damaged())
                self._buffer = bytearray((byte,))
                self._stray = False
            elif self._buffer:
                self._buffer.append(byte)
            elif not self._stray:
                # A run of stray bytes is one damage, also across chunks.
                messages.append(Damaged())
                self._stray = True
            if len(self._buffer) >= _HEADER:
                length = self._buffer[1] << 7 | self._buffer[2]
                if len(self._buffer) >= length:
                    messages += self._complete(length)
        return messages

    def _complete(self, length: int) -> list[Message]:
        whole = bytes(self._buffer)
        self._buffer.clear()
        self._stray = length < _HEADER
        if self._stray:
            return [Damaged()]
        try:
            kind = MessageKind(whole[0])
        except ValueError:
            self.unknown += 1
            return []
        if length != _LENGTHS.get(kind, length):
            return [Damaged()]
        return [_parse(kind, whole[_HEADER:])]


def _parse(kind: MessageKind, data: bytes) -> Message:
    match kind:
        case MessageKind.BOARD_DUMP:
            return Dump(tuple(data)) if max(data) < CODES else Damaged()
        case MessageKind.FIELD_UPDATE:
            field, code = data
            return FieldUpdate(field, code) if field < FIELDS and code < CODES else Damaged()
        case MessageKind.CLOCK:
            return _clock(data)
        case MessageKind.VERSION:
            return Version(data[0], data[1])
        case MessageKind.SERIAL_NUMBER | MessageKind.LONG_SERIAL_NUMBER | MessageKind.TRADEMARK:
            return Text(kind, data.decode("ascii", "replace").strip("\0 \r\n"))
        case _:
            return Other(kind, data)


_RUNNING, _LEFT_TURN, _RIGHT_TURN, _NO_CLOCK = 0x01, 0x08, 0x10, 0x20


def _clock(data: bytes) -> ClockTimes | Other:
    right, left = _seconds(data[0:3]), _seconds(data[3:6])
    if right is None or left is None:
        # The clock answers a command (0x0A as an hour) or just starts, or a bit flipped.
        return Other(MessageKind.CLOCK, data)
    return ClockTimes(left=left, right=right, running=_running(data[6]))


def _running(status: int) -> ClockSide | None:
    """The side that runs. In recorded games 0x09 is the left one and 0x13 the right one."""
    if not status & _RUNNING or status & _NO_CLOCK:
        return None
    turns: dict[int, ClockSide] = {_LEFT_TURN: "left", _RIGHT_TURN: "right"}
    return turns.get(status & (_LEFT_TURN | _RIGHT_TURN))  # both or neither make no sense


def _seconds(data: bytes) -> int | None:
    """Hours in the low nibble (the high one holds flags), minutes and seconds as two digits."""
    digits = [data[0] & 0x0F, *(part for byte in data[1:] for part in (byte >> 4, byte & 0x0F))]
    if max(digits) > 9 or digits[1] > 5 or digits[3] > 5:
        return None
    return digits[0] * 3600 + (digits[1] * 10 + digits[2]) * 60 + digits[3] * 10 + digits[4]


LETTERS = (PIECES + "???").encode()
"""By piece code. The last three show a result and stand in no position of a game."""


def square_of(field: int, turned: bool) -> chess.Square:
    """The square at ``field``. ``turned``: White sits at the side of field 0.

    The same formula gives the field of a square.
    """
    square = chess.square_mirror(field)
    return FIELDS - 1 - square if turned else square


def diagram_of(codes: Sequence[int], turned: bool) -> Diagram:
    """The diagram of 64 piece codes by field."""
    return bytes(LETTERS[codes[square_of(square, turned)]] for square in chess.SQUARES)


def placement_of(codes: Sequence[int], turned: bool) -> str:
    """The first field of a FEN, without the pieces that show a result."""
    return fen_of(diagram_of(codes, turned).replace(b"?", bytes([EMPTY])))


def codes_of(board: chess.BaseBoard, turned: bool) -> list[int]:
    """The piece codes by field of a board that shows this position."""
    pieces = {square: piece.symbol() for square, piece in board.piece_map().items()}
    return [PIECES.index(pieces.get(square_of(field, turned), ".")) for field in range(FIELDS)]


def turned_at_start(codes: Sequence[int]) -> bool | None:
    """Return whether a board in the start position lies turned; None for another position."""
    return next((turned for turned in (False, True) if diagram_of(codes, turned) == START), None)
