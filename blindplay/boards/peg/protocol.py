"""The pegged board's native wire protocol, without I/O.

A frame is ``00 COBS(body, CRC) 00``; the body is one type letter and its payload, integers are
little endian, and the CRC is CRC-16/MCRF4XX (CCITT polynomial, reflected, initial value 0xFFFF).
Squares count a1 = 0, b1 = 1 … h8 = 63. A capital letter is a message from the board, a small one a
command to it.

Until a host says hello in such a frame, and again after it has been silent for ten seconds, a board
may also speak other protocols: DGT's, whose commands are single bytes, and the Chess Peripheral
Protocol, which is lines of text. Neither looks like a frame, so the protocol need not be chosen.

>>> Decoder().feed(encode(Nak(NakReason.CRC)))
[Nak(why=2)]
"""

import re
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Any, ClassVar, Self, TypeAlias, get_args

import chess
from cobs import cobs

from blindplay.translation import UserError, _

PROTOCOL_VERSION = 1
"""The version of this module. A board reports its own in :class:`Hello`."""

FIRMWARE_VERSION = 0x0102
"""The version of the firmware in ``hardware/firmware``. A later version is a larger number."""

NAME_BYTES = 24
"""Longest name of a board, in UTF-8."""

MAX_ENCODED = 64
"""Longest run of bytes between two delimiters; the longest real frame, a dump, has 42."""

SQUARES = 64

PIECES = ".PRNBKQprnbkq"
"""Index = piece code on the wire, value = FEN letter; 0 (``.``) is an empty hole."""

EMPTY = 0
FAULT = 15
"""A reading outside every resistor's window: neither a piece nor an empty hole."""

_CODES = frozenset({*range(len(PIECES)), FAULT})


class Capability(IntFlag):
    """The abilities of a board, in its hello."""

    IDENTITY = 1
    """It knows which piece stands in a hole, not only that the hole is occupied."""
    LEVERS = 2
    BUZZER = 4
    DGT = 8
    """It answers commands of DGT's protocol, until a host says hello."""
    CPP = 16
    """It answers lines of the Chess Peripheral Protocol, until a host says hello."""
    MOTOR = 32
    """It has a vibration motor."""
    LAMP = 64
    """It has a lamp for its player."""
    NAME = 128
    """It keeps an id and a name, and tells them before each hello (firmware 1.2 or newer)."""


class Setting(IntEnum):
    """Keys of the ``s`` command; values are milliseconds."""

    LIFT_MS = 1
    """Time that a hole must read empty before the board confirms a lift, 50–300."""
    PLACE_MS = 2
    """Time that a piece must read the same before the board confirms it, 5–300."""


class NakReason(IntEnum):
    """Why a board refused a command."""

    ENCODING = 1
    CRC = 2
    UNKNOWN_COMMAND = 3
    TOO_LONG = 4
    BAD_ARGUMENT = 5
    NOT_KEPT = 6
    """The memory for the name has not kept it."""


class MalformedFrameError(UserError):
    """A body has a good CRC, but a wrong length or an impossible value."""


class _Body:
    """A type letter and a payload of unsigned integers. ``below`` limits single fields further."""

    LETTER: ClassVar[str]
    LAYOUT: ClassVar[struct.Struct]
    BELOW: ClassVar[dict[str, int]]

    def __init_subclass__(cls, *, letter: str, layout: str = "", **below: int) -> None:
        cls.LETTER, cls.LAYOUT, cls.BELOW = letter, struct.Struct("<" + layout), below

    def __post_init__(self) -> None:
        try:
            self.pack()
        except struct.error as error:
            raise ValueError(f"{type(self).__name__}: {error}") from error
        for name, limit in self.BELOW.items():
            _need(
                getattr(self, name) < limit,
                _("{name} must be below {limit}", name=name, limit=limit),
            )

    def pack(self) -> bytes:
        """Return the body as bytes."""
        return self.LETTER.encode() + self.LAYOUT.pack(*vars(self).values())

    @classmethod
    def unpack(cls, payload: bytes) -> Self:
        """Read a payload.

        :raises struct.error: if it has a wrong length.
        :raises ValueError: if it has an impossible value.
        """
        return cls(*cls.LAYOUT.unpack(payload))


def _need(condition: bool, sentence: str) -> None:
    if not condition:
        raise ValueError(sentence)


# --- messages from the board -------------------------------------------------------------------


@dataclass(frozen=True)
class Hello(_Body, letter="H", layout="BHBBHBI"):
    """The board introduces itself (``H``), in answer to :class:`AskHello`.

    ``nonce`` changes with each boot, ``uptime`` is milliseconds since boot (modulo 2³²).
    """

    version: int
    firmware: int
    capabilities: int
    squares: int
    nonce: int
    cause: int
    uptime: int


@dataclass(frozen=True)
class Identity(_Body, letter="I", layout="I"):
    """The board tells which one it is (``I``), just before each :class:`Hello`, if it has
    :attr:`Capability.NAME`.

    ``id`` is 0 as long as no host has given one. ``name`` has at most :data:`NAME_BYTES` in UTF-8;
    bytes that are no text are left out.
    """

    id: int
    name: str = ""

    @property
    def text(self) -> str:
        """The id as eight digits, empty if there is none."""
        return f"{self.id:08x}" if self.id else ""

    def pack(self) -> bytes:
        name = self.name.encode()
        _need(
            len(name) <= NAME_BYTES, _("a board's name has {count} bytes at most", count=NAME_BYTES)
        )
        return self.LETTER.encode() + self.LAYOUT.pack(self.id) + name

    @classmethod
    def unpack(cls, payload: bytes) -> Self:
        size = cls.LAYOUT.size
        (number,) = cls.LAYOUT.unpack(payload[:size])
        return cls(number, payload[size:].decode("utf-8", "ignore"))


NO_IDENTITY = Identity(0)


@dataclass(frozen=True)
class Dump(_Body, letter="B", layout="HI32s"):
    """The whole board (``B``): 64 piece codes from a1, as they are after change ``sequence``."""

    sequence: int
    uptime: int
    codes: tuple[int, ...]

    def __post_init__(self) -> None:
        _need(
            len(self.codes) == SQUARES, _("a dump has 64 codes, not {count}", count=len(self.codes))
        )
        _need(_CODES.issuperset(self.codes), _("a dump has a code that is not a piece, 0 or 15"))
        super().__post_init__()

    def pack(self) -> bytes:
        low, high = self.codes[0::2], self.codes[1::2]
        nibbles = bytes(a | b << 4 for a, b in zip(low, high, strict=True))
        return self.LETTER.encode() + self.LAYOUT.pack(self.sequence, self.uptime, nibbles)

    @classmethod
    def unpack(cls, payload: bytes) -> Self:
        sequence, uptime, nibbles = cls.LAYOUT.unpack(payload)
        return cls(sequence, uptime, tuple(c for b in nibbles for c in (b & 15, b >> 4)))


@dataclass(frozen=True)
class Ping(_Body, letter="P", layout="HIHBBHH"):
    """A sign of life (``P``): each second after the hello, and on request.

    ``state_crc`` is :func:`state_crc` of the board. ``overruns`` and ``line_errors`` count what
    the board could not receive. ``wobbles`` counts contacts that opened for less than a lift
    takes. ``scan_us`` is the time of one scan in microseconds. The three counters stop at their
    highest value.
    """

    sequence: int
    uptime: int
    state_crc: int
    overruns: int
    line_errors: int
    wobbles: int
    scan_us: int


@dataclass(frozen=True)
class Raw(_Body, letter="R", layout="BH", square=SQUARES, value=1024):
    """One converter reading (``R``), 0–1023, for calibration."""

    square: int
    value: int


@dataclass(frozen=True)
class HoleChanged(_Body, letter="E", layout="HIBBB", square=SQUARES):
    """A hole changed (``E``). ``uptime`` is that of the first change, not of its confirmation."""

    sequence: int
    uptime: int
    square: int
    old: int
    new: int

    def __post_init__(self) -> None:
        super().__post_init__()
        _need({self.old, self.new} <= _CODES, _("an event has a code that is not a piece, 0 or 15"))
        _need(self.old != self.new, _("an event must change the hole"))


@dataclass(frozen=True)
class LeverMoved(_Body, letter="L", layout="HIBB", lever=2, down=2):
    """A clock lever moved (``L``): ``lever`` 0 is White's, 1 is Black's; ``down`` 1 is pressed.

    Levers and :class:`HoleChanged` share one sequence.
    """

    sequence: int
    uptime: int
    lever: int
    down: int


@dataclass(frozen=True)
class Presses(_Body, letter="K", layout="IBIBI"):
    """The number of presses of each clock lever (``K``). It follows each :class:`Dump` and ping.

    So a press counts in the game even if its :class:`LeverMoved` frame is lost. ``white`` and
    ``black`` count modulo 256 since boot; ``white_at`` and ``black_at`` are the uptimes of the last
    press of each, 0 before the first. A board without levers need not send it.
    """

    uptime: int
    white: int
    white_at: int
    black: int
    black_at: int


@dataclass(frozen=True)
class Ack(_Body, letter="A"):
    """The board obeyed the last setting or buzzer command (``A``)."""


@dataclass(frozen=True)
class Nak(_Body, letter="N", layout="B"):
    """The board refused the last command (``N``). ``why`` is a :class:`NakReason`, or a newer
    reason."""

    why: int


@dataclass(frozen=True)
class Signalled(_Body, letter="V", layout="B"):
    """The board has heard the :class:`Signal` of this number (``V``)."""

    number: int


# --- commands to the board ---------------------------------------------------------------------


@dataclass(frozen=True)
class AskHello(_Body, letter="h"):
    """Ask the board to introduce itself (``h``). From then on it sends changes unasked."""


@dataclass(frozen=True)
class AskDump(_Body, letter="b"):
    """Ask for the whole board (``b``)."""


@dataclass(frozen=True)
class AskPing(_Body, letter="p"):
    """Ask for a sign of life (``p``)."""


@dataclass(frozen=True)
class AskRaw(_Body, letter="r", layout="B", square=SQUARES):
    """Ask for a converter reading (``r``)."""

    square: int


@dataclass(frozen=True)
class Set(_Body, letter="s", layout="BH"):
    """Change a setting (``s``); ``key`` is a :class:`Setting`, ``value`` 0–65535."""

    key: int
    value: int


@dataclass(frozen=True)
class Buzz(_Body, letter="z", layout="B"):
    """Sound the buzzer (``z``): each bit of ``pattern`` is a tenth of a second, lowest first."""

    pattern: int


@dataclass(frozen=True)
class Signal(_Body, letter="v", layout="BHB"):
    """Run the vibration motor and light the lamp (``v``).

    Each bit of a pattern is a tenth of a second, lowest first. The 16 bits of ``motor`` are shown
    once, and the eight of ``lamp`` again and again, until the next signal, until the host leaves or
    has been silent for ten seconds. A signal with the ``number`` of the last one is only answered;
    a board that has just started has had number 0. A board with neither refuses the command.
    """

    number: int
    motor: int
    lamp: int


@dataclass(frozen=True)
class Identify(Identity, letter="i", layout="I"):
    """Give the board this id and this name (``i``), which outlive a loss of power. A board refuses
    if it cannot keep them; then it has the old ones."""


@dataclass(frozen=True)
class Leave(_Body, letter="x"):
    """Leave native mode (``x``): the board falls silent."""


Message: TypeAlias = (
    Identity
    | Hello
    | Dump
    | Ping
    | Raw
    | HoleChanged
    | LeverMoved
    | Presses
    | Ack
    | Nak
    | Signalled
)
HostCommand: TypeAlias = (
    AskHello | AskDump | AskPing | AskRaw | Set | Buzz | Signal | Identify | Leave
)

_MESSAGES = {kind.LETTER: kind for kind in get_args(Message)}
_COMMANDS = {kind.LETTER: kind for kind in get_args(HostCommand)}


# --- codec -----------------------------------------------------------------------------------


def crc16(data: bytes) -> int:
    """Return CRC-16/MCRF4XX of ``data`` (``_crc_ccitt_update`` of avr-libc, from 0xFFFF)."""
    crc = 0xFFFF
    for byte in data:
        byte ^= crc & 0xFF
        byte ^= (byte << 4) & 0xFF
        crc = ((byte << 8) | (crc >> 8)) ^ (byte >> 4) ^ (byte << 3)
        crc &= 0xFFFF
    return crc


def state_crc(codes: Iterable[int]) -> int:
    """Return the CRC of a board state: one byte per hole, a1 first."""
    return crc16(bytes(codes))


def encode_frame(body: bytes) -> bytes:
    """Wrap a body (type and payload) in CRC, COBS and both delimiters.

    :raises ValueError: if the frame is longer than a receiver accepts.
    """
    encoded: bytes = cobs.encode(body + struct.pack("<H", crc16(body)))
    if len(encoded) > MAX_ENCODED:
        raise UserError(
            "a frame of {count} bytes is too long for the board's protocol", count=len(body)
        )
    return b"\0" + encoded + b"\0"


def encode(item: Message | HostCommand) -> bytes:
    """Return the frame of a message or a command, with both delimiters."""
    return encode_frame(item.pack())


def parse_message(body: bytes) -> Message | None:
    """Read a body from a board. None for a type of a newer protocol.

    :raises MalformedFrameError: if a known type has a wrong length or an impossible value.
    """
    message: Message | None = _parse(_MESSAGES, body)
    return message


def parse_command(body: bytes) -> HostCommand | None:
    """Read a body from the host, as :func:`parse_message` does."""
    command: HostCommand | None = _parse(_COMMANDS, body)
    return command


def _parse(kinds: Mapping[str, type[Any]], body: bytes) -> Any:
    kind = kinds.get(chr(body[0]))
    try:
        return kind and kind.unpack(body[1:])
    except (struct.error, ValueError) as error:
        raise MalformedFrameError(
            "frame {letter}: {error}", letter=repr(chr(body[0])), error=error
        ) from error


class FrameDecoder:
    """Cuts a byte stream of either direction into bodies with a good CRC.

    The bodies do not depend on the sizes of the chunks. The decoder keeps few bytes.
    ``rejected`` counts the stretches between delimiters that are no good frame: half frames,
    garbage and flipped bits.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self.rejected = 0

    def feed_bodies(self, data: bytes) -> list[bytes]:
        """Take the next bytes of the stream and return the bodies that they complete."""
        bodies = []
        for index, part in enumerate(bytes(data).split(b"\0")):
            # A delimiter precedes every part except the first.
            if index and (body := self._finish()):
                bodies.append(body)
            self._buffer += part[: MAX_ENCODED + 1 - len(self._buffer)]
        return bodies

    def _finish(self) -> bytes | None:
        encoded = bytes(self._buffer)
        self._buffer.clear()
        try:
            content: bytes = cobs.decode(encoded)
        except cobs.DecodeError:
            content = b""
        body, crc = content[:-2], content[-2:]
        if body and len(encoded) <= MAX_ENCODED and crc == struct.pack("<H", crc16(body)):
            return body
        self.rejected += bool(encoded)
        return None


class Decoder(FrameDecoder):
    """Turns the bytes from a board into messages.

    It also rejects frames that have a good CRC and an impossible content, and skips those of an
    unknown type.
    """

    def feed(self, data: bytes) -> list[Message]:
        """Take the next bytes of the stream and return the messages that they complete."""
        messages = []
        for body in self.feed_bodies(data):
            try:
                if message := parse_message(body):
                    messages.append(message)
            except MalformedFrameError:
                self.rejected += 1
        return messages


def codes_of(placement: str) -> tuple[int, ...]:
    """Return the 64 piece codes, a1 first, of a FEN placement (the FEN's first field).

    :raises ValueError: if it is not eight ranks of eight squares.
    """
    try:
        pieces = chess.BaseBoard(placement).piece_map()
    except ValueError:
        raise UserError(
            "{placement} is not a position: write eight ranks of eight squares, as in a FEN",
            placement=repr(placement),
        ) from None
    return tuple(
        PIECES.index(pieces[square].symbol()) if square in pieces else EMPTY
        for square in chess.SQUARES
    )


def placement_of(codes: Iterable[int], *, identity: bool = True) -> str:
    """Return the FEN placement of 64 codes, a1 first. A hole with a fault counts as empty.

    Without ``identity`` each piece is ``?``, because the board does not know which it is.
    """
    board = chess.BaseBoard(None)
    for square, code in enumerate(codes):
        if code not in (EMPTY, FAULT):
            board.set_piece_at(square, chess.Piece.from_symbol(PIECES[code]))
    placement = board.board_fen()
    return placement if identity else re.sub("[A-Za-z]", "?", placement)


def square_index(name: str) -> int:
    """Return 0–63 for ``a1`` to ``h8``.

    :raises ValueError: for anything else.
    """
    if name in chess.SQUARE_NAMES:
        return chess.parse_square(name)
    raise UserError(
        "{name} is not a square: write a letter a to h and a digit 1 to 8", name=repr(name)
    )
