"""The DGT board's wire protocol, without I/O: bytes in, messages out.

A message is a kind byte with the high bit set, two 7-bit length bytes (high one first; the length
includes these three bytes), and data bytes with the high bit clear. There is no checksum: only a
high bit in the wrong place shows a loss, and most flipped bits stay hidden.
"""

from collections.abc import Mapping
from enum import IntEnum

import chess

from blindplay.translation import _

from ..reporting import (
    AboutBoard,
    BoardMessage,
    BoardReport,
    ClockSide,
    ClockTimes,
    Framer,
    SignOfLife,
    SquareChange,
    Trademark,
)

PIECES = b".PRNBKQprnbkq???"
"""Letters of a diagram by piece code; 0 is an empty field. Codes 13 to 15 are pieces that show a
result and stand in no position of a game."""
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
_LENGTHS: Mapping[int, int] = {
    MessageKind.BOARD_DUMP: 67,
    MessageKind.CLOCK: 10,
    MessageKind.FIELD_UPDATE: 5,
    MessageKind.BUS_ADDRESS: 5,
    MessageKind.SERIAL_NUMBER: 8,
    MessageKind.VERSION: 5,
    MessageKind.LONG_SERIAL_NUMBER: 13,
}


class Decoder(Framer):
    """Cuts what a DGT board sends into messages. ``unknown`` counts the messages of an unknown
    kind."""

    BEGINNINGS = bytes(range(0x80, 0x100))

    def __init__(self) -> None:
        super().__init__()
        self.unknown = 0

    @property
    def unfinished(self) -> bool:
        """True if the stream ended within a message about the board."""
        return self._buffer[:1] not in (b"", bytes([MessageKind.CLOCK]))

    def _size(self, buffer: bytearray) -> int:
        length = _HEADER
        if len(buffer) >= _HEADER:
            length = buffer[1] << 7 | buffer[2]
            if length != _LENGTHS.get(buffer[0], max(length, _HEADER)):
                return 0
        return 0 if any(byte & 0x80 for byte in buffer[1:length]) else length

    def _read(self, frame: bytes) -> BoardMessage | None:
        kind, data = frame[0], frame[_HEADER:]
        match kind:
            case MessageKind.BOARD_DUMP if max(data) < len(PIECES):
                fields = (data[chess.square_mirror(square)] for square in chess.SQUARES)
                return BoardReport(bytes(PIECES[code] for code in fields), agree=2)
            case MessageKind.FIELD_UPDATE if data[0] < FIELDS and data[1] < len(PIECES):
                return SquareChange(chess.square_mirror(data[0]), PIECES[data[1]])
            case MessageKind.BOARD_DUMP | MessageKind.FIELD_UPDATE:
                return None
            case MessageKind.CLOCK:
                return _clock(data)
            case MessageKind.VERSION:
                return AboutBoard(
                    _("version {major}.{minor}", major=data[0], minor=f"{data[1]:02d}")
                )
            case MessageKind.SERIAL_NUMBER | MessageKind.LONG_SERIAL_NUMBER:
                serial = _text(data)
                return AboutBoard(_("serial number {text}", text=serial), serial)
            case MessageKind.TRADEMARK:
                return Trademark(_text(data))
        self.unknown += kind not in frozenset(MessageKind)
        return SignOfLife()


def _text(data: bytes) -> str:
    return data.decode("ascii", "replace").strip("\0 \r\n")


_RUNNING, _LEFT_TURN, _RIGHT_TURN, _NO_CLOCK = 0x01, 0x08, 0x10, 0x20


def _clock(data: bytes) -> ClockTimes | SignOfLife:
    right, left = _seconds(data[0:3]), _seconds(data[3:6])
    if right is None or left is None:
        # The clock answers a command (0x0A as an hour) or just starts, or a bit flipped.
        return SignOfLife()
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
