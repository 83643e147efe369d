"""The pegged board's native wire protocol, without I/O.

A frame is ``00 COBS(body, CRC) 00``; the body is one type letter and its payload, integers are
little endian, and the CRC is CRC-16/MCRF4XX (CCITT polynomial, reflected, initial value 0xFFFF).
Squares count a1 = 0, b1 = 1 … h8 = 63. A capital letter is a message from the board, a small one a
command to it.

>>> Decoder().feed(encode(Nak(NakReason.CRC)))
[Nak(why=2)]
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from enum import IntEnum, IntFlag
from typing import ClassVar, TypeAlias

import chess
from cobs import cobs

PROTOCOL_VERSION = 1
"""The version of this module. A board reports its own in :class:`Hello`."""

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


class Setting(IntEnum):
    """Keys of the ``s`` command; values are milliseconds."""

    LIFT_MS = 1
    """How long a hole must read empty before the board confirms a lift, 50–300."""
    PLACE_MS = 2
    """How long a piece must read the same before the board confirms it, 5–300."""


class NakReason(IntEnum):
    """Why a board refused a command."""

    ENCODING = 1
    CRC = 2
    UNKNOWN_COMMAND = 3
    TOO_LONG = 4
    BAD_ARGUMENT = 5


class MalformedFrameError(ValueError):
    """A body has a good CRC, but a wrong length or an impossible value."""


def _need(condition: bool, what: str) -> None:
    if not condition:
        raise ValueError(what)


def _need_bits(bits: int, **values: int) -> None:
    for name, value in values.items():
        _need(0 <= value < 1 << bits, f"{name} must be 0 to {(1 << bits) - 1}, not {value}")


# --- messages from the board -------------------------------------------------------------------


@dataclass(frozen=True)
class Hello:
    """The board introduces itself (``H``), in answer to :class:`AskHello`.

    ``nonce`` changes with each boot, ``uptime`` is milliseconds since boot (modulo 2³²).
    """

    KIND: ClassVar[bytes] = b"H"
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<BHBBHBI")
    version: int
    firmware: int
    capabilities: int
    squares: int
    nonce: int
    cause: int
    uptime: int

    def __post_init__(self) -> None:
        _need_bits(8, version=self.version, capabilities=self.capabilities)
        _need_bits(8, squares=self.squares, cause=self.cause)
        _need_bits(16, firmware=self.firmware, nonce=self.nonce)
        _need_bits(32, uptime=self.uptime)


@dataclass(frozen=True)
class Dump:
    """The whole board (``B``): 64 piece codes from a1, as they are after change ``sequence``."""

    KIND: ClassVar[bytes] = b"B"
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<HI32s")
    sequence: int
    uptime: int
    codes: tuple[int, ...]

    def __post_init__(self) -> None:
        _need_bits(16, sequence=self.sequence)
        _need_bits(32, uptime=self.uptime)
        _need(len(self.codes) == SQUARES, f"a dump has 64 codes, not {len(self.codes)}")
        _need(_CODES.issuperset(self.codes), "a dump has a code that is no piece, 0 or 15")


@dataclass(frozen=True)
class Ping:
    """A sign of life (``P``): each second after the hello, and on request.

    ``state_crc`` is :func:`state_crc` of the board. ``overruns`` and ``line_errors`` count what
    the board could not receive. ``wobbles`` counts contacts that opened for less than a lift
    takes. ``scan_us`` is the time of one scan in microseconds. The three counters stop at their
    highest value.
    """

    KIND: ClassVar[bytes] = b"P"
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<HIHBBHH")
    sequence: int
    uptime: int
    state_crc: int
    overruns: int
    line_errors: int
    wobbles: int
    scan_us: int

    def __post_init__(self) -> None:
        _need_bits(16, sequence=self.sequence, state_crc=self.state_crc)
        _need_bits(16, wobbles=self.wobbles, scan_us=self.scan_us)
        _need_bits(8, overruns=self.overruns, line_errors=self.line_errors)
        _need_bits(32, uptime=self.uptime)


@dataclass(frozen=True)
class Raw:
    """One converter reading (``R``), 0–1023, for calibration."""

    KIND: ClassVar[bytes] = b"R"
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<BH")
    square: int
    value: int

    def __post_init__(self) -> None:
        _need_bits(6, square=self.square)
        _need_bits(10, value=self.value)


@dataclass(frozen=True)
class HoleChanged:
    """A hole changed (``E``). ``uptime`` is that of the first change, not of its confirmation."""

    KIND: ClassVar[bytes] = b"E"
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<HIBBB")
    sequence: int
    uptime: int
    square: int
    old: int
    new: int

    def __post_init__(self) -> None:
        _need_bits(16, sequence=self.sequence)
        _need_bits(32, uptime=self.uptime)
        _need_bits(6, square=self.square)
        _need({self.old, self.new} <= _CODES, "an event has a code that is no piece, 0 or 15")
        _need(self.old != self.new, "an event must change the hole")


@dataclass(frozen=True)
class LeverMoved:
    """A clock lever moved (``L``): ``lever`` 0 is White's, 1 is Black's; ``down`` 1 is pressed.

    Levers and :class:`HoleChanged` share one sequence.
    """

    KIND: ClassVar[bytes] = b"L"
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<HIBB")
    sequence: int
    uptime: int
    lever: int
    down: int

    def __post_init__(self) -> None:
        _need_bits(16, sequence=self.sequence)
        _need_bits(32, uptime=self.uptime)
        _need_bits(1, lever=self.lever, down=self.down)


@dataclass(frozen=True)
class Presses:
    """How often each clock lever was pressed (``K``): follows each :class:`Dump` and ping.

    So a press counts in the game even if its :class:`LeverMoved` frame is lost. ``white`` and
    ``black`` count modulo 256 since boot; ``white_at`` and ``black_at`` are the uptimes of the last
    press of each, 0 before the first. A board without levers need not send it.
    """

    KIND: ClassVar[bytes] = b"K"
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<IBIBI")
    uptime: int
    white: int
    white_at: int
    black: int
    black_at: int

    def __post_init__(self) -> None:
        _need_bits(8, white=self.white, black=self.black)
        _need_bits(32, uptime=self.uptime, white_at=self.white_at, black_at=self.black_at)


@dataclass(frozen=True)
class Ack:
    """The board obeyed the last setting or buzzer command (``A``)."""

    KIND: ClassVar[bytes] = b"A"
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<")


@dataclass(frozen=True)
class Nak:
    """The board refused the last command (``N``). ``why`` is a :class:`NakReason`, or a newer
    reason."""

    KIND: ClassVar[bytes] = b"N"
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<B")
    why: int

    def __post_init__(self) -> None:
        _need_bits(8, why=self.why)


@dataclass(frozen=True)
class Unknown:
    """A good frame of a type that this version does not know. Ignore it."""

    kind: int
    payload: bytes


# --- commands to the board ---------------------------------------------------------------------


@dataclass(frozen=True)
class AskHello:
    """Ask the board to introduce itself (``h``). From then on it sends changes unasked."""

    KIND: ClassVar[bytes] = b"h"
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<")


@dataclass(frozen=True)
class AskDump:
    """Ask for the whole board (``b``)."""

    KIND: ClassVar[bytes] = b"b"
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<")


@dataclass(frozen=True)
class AskPing:
    """Ask for a sign of life (``p``)."""

    KIND: ClassVar[bytes] = b"p"
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<")


@dataclass(frozen=True)
class AskRaw:
    """Ask for a converter reading (``r``)."""

    KIND: ClassVar[bytes] = b"r"
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<B")
    square: int

    def __post_init__(self) -> None:
        _need_bits(6, square=self.square)


@dataclass(frozen=True)
class Set:
    """Change a setting (``s``); ``key`` is a :class:`Setting`, ``value`` 0–65535."""

    KIND: ClassVar[bytes] = b"s"
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<BH")
    key: int
    value: int

    def __post_init__(self) -> None:
        _need_bits(8, key=self.key)
        _need_bits(16, value=self.value)


@dataclass(frozen=True)
class Buzz:
    """Sound the buzzer (``z``): each bit of ``pattern`` is a tenth of a second, lowest first."""

    KIND: ClassVar[bytes] = b"z"
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<B")
    pattern: int

    def __post_init__(self) -> None:
        _need_bits(8, pattern=self.pattern)


@dataclass(frozen=True)
class Leave:
    """Leave native mode (``x``): the board falls silent."""

    KIND: ClassVar[bytes] = b"x"
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<")


Message: TypeAlias = (
    Hello | Dump | Ping | Raw | HoleChanged | LeverMoved | Presses | Ack | Nak | Unknown
)
HostCommand: TypeAlias = AskHello | AskDump | AskPing | AskRaw | Set | Buzz | Leave

_MESSAGES = {
    c.KIND[0]: c for c in (Hello, Dump, Ping, Raw, HoleChanged, LeverMoved, Presses, Ack, Nak)
}
_COMMANDS = {c.KIND[0]: c for c in (AskHello, AskDump, AskPing, AskRaw, Set, Buzz, Leave)}


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

    Raises :class:`ValueError` if the frame is longer than a receiver accepts.
    """
    encoded: bytes = cobs.encode(body + struct.pack("<H", crc16(body)))
    if len(encoded) > MAX_ENCODED:
        raise ValueError(f"a frame of {len(body)} bytes is too long for the board's protocol")
    return b"\0" + encoded + b"\0"


def encode(item: Message | HostCommand) -> bytes:
    """Return the frame of a message or a command, with both delimiters."""
    if isinstance(item, Unknown):
        return encode_frame(bytes([item.kind]) + item.payload)
    if isinstance(item, Dump):
        low, high = item.codes[0::2], item.codes[1::2]
        nibbles = bytes(a | b << 4 for a, b in zip(low, high, strict=True))
        return encode_frame(item.KIND + item.LAYOUT.pack(item.sequence, item.uptime, nibbles))
    return encode_frame(item.KIND + item.LAYOUT.pack(*astuple(item)))


def parse_message(body: bytes) -> Message:
    """Read a body from a board. An unknown type gives :class:`Unknown`.

    Raises :class:`MalformedFrameError` for a known type with a wrong length or an impossible value.
    """
    kind, payload = body[0], body[1:]
    shape = _MESSAGES.get(kind)
    if shape is None:
        return Unknown(kind, payload)
    try:
        if shape is Dump:
            sequence, uptime, nibbles = Dump.LAYOUT.unpack(payload)
            codes = tuple(code for byte in nibbles for code in (byte & 15, byte >> 4))
            return Dump(sequence, uptime, codes)
        message: Message = shape(*shape.LAYOUT.unpack(payload))
    except (struct.error, ValueError) as error:
        raise MalformedFrameError(f"frame {chr(kind)!r}: {error}") from error
    return message


def parse_command(body: bytes) -> HostCommand | None:
    """Read a body from the host. An unknown type gives None.

    Raises :class:`MalformedFrameError` as :func:`parse_message` does.
    """
    shape = _COMMANDS.get(body[0])
    if shape is None:
        return None
    try:
        command: HostCommand = shape(*shape.LAYOUT.unpack(body[1:]))
    except (struct.error, ValueError) as error:
        raise MalformedFrameError(f"frame {chr(body[0])!r}: {error}") from error
    return command


class FrameDecoder:
    """Cuts a byte stream of either direction into bodies with a good CRC.

    However the stream is cut into chunks, the bodies and the counters are the same. The decoder
    keeps :data:`MAX_ENCODED` bytes at most. It counts good ``frames``, ``bad_encoding`` (half
    frames and garbage), ``bad_crc`` (flipped bits) and ``overlong`` ones.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._skipping = False
        self.frames = 0
        self.bad_encoding = 0
        self.bad_crc = 0
        self.overlong = 0

    def feed_bodies(self, data: bytes) -> list[bytes]:
        """Take the next bytes of the stream and return the bodies that they complete."""
        bodies = []
        for index, part in enumerate(bytes(data).split(b"\0")):
            # A delimiter precedes every part except the first.
            if index and (body := self._finish()) is not None:
                bodies.append(body)
            if self._skipping:
                continue
            self._buffer += part
            if len(self._buffer) > MAX_ENCODED:
                self.overlong += 1
                self._skipping = True
                self._buffer.clear()
        return bodies

    def _finish(self) -> bytes | None:
        encoded = bytes(self._buffer)
        self._buffer.clear()
        self._skipping = False
        if not encoded:
            return None
        try:
            content: bytes = cobs.decode(encoded)
        except cobs.DecodeError:
            self.bad_encoding += 1
            return None
        if len(content) < 3:
            self.bad_encoding += 1
            return None
        body, crc = content[:-2], content[-2:]
        if struct.pack("<H", crc16(body)) != crc:
            self.bad_crc += 1
            return None
        self.frames += 1
        return body


class Decoder(FrameDecoder):
    """Turns the bytes from a board into messages.

    It also counts ``malformed`` frames (good CRC, impossible content) and ``unknown`` ones (types
    of a newer protocol, which become :class:`Unknown`).
    """

    def __init__(self) -> None:
        super().__init__()
        self.malformed = 0
        self.unknown = 0

    @property
    def rejected(self) -> int:
        """The number of stretches between delimiters that were no good frame."""
        return self.bad_encoding + self.bad_crc + self.overlong + self.malformed

    def feed(self, data: bytes) -> list[Message]:
        """Take the next bytes of the stream and return the messages that they complete."""
        messages: list[Message] = []
        for body in self.feed_bodies(data):
            try:
                message = parse_message(body)
            except MalformedFrameError:
                self.malformed += 1
                continue
            self.unknown += isinstance(message, Unknown)
            messages.append(message)
        return messages


def codes_of(placement: str) -> tuple[int, ...]:
    """Return the 64 piece codes, a1 first, of a FEN placement (the FEN's first field).

    Raises :class:`ValueError` if it is not eight ranks of eight squares.
    """
    try:
        pieces = chess.BaseBoard(placement).piece_map()
    except ValueError:
        raise ValueError(
            f"{placement!r} is no position: write eight ranks of eight squares, as in a FEN"
        ) from None
    return tuple(
        PIECES.index(pieces[square].symbol()) if square in pieces else EMPTY
        for square in chess.SQUARES
    )


def placement_of(codes: Iterable[int], *, identity: bool = True) -> str:
    """Return the FEN placement of 64 codes, a1 first. A hole with a fault counts as empty.

    Without ``identity`` each piece is ``?``, because the board does not know which it is.
    """
    letters = [
        "." if code in (EMPTY, FAULT) else PIECES[code] if identity else "?" for code in codes
    ]
    ranks = []
    for start in range(56, -8, -8):
        rank, gap = "", 0
        for letter in letters[start : start + 8]:
            if letter == ".":
                gap += 1
                continue
            rank += (str(gap) if gap else "") + letter
            gap = 0
        ranks.append(rank + (str(gap) if gap else ""))
    return "/".join(ranks)


def square_name(square: int) -> str:
    """Return the name of square 0–63, ``a1`` to ``h8``."""
    return "abcdefgh"[square & 7] + str((square >> 3) + 1)


def square_index(name: str) -> int:
    """Return 0–63 for ``a1`` to ``h8``. Raises :class:`ValueError` for anything else."""
    if len(name) == 2 and name[0] in "abcdefgh" and name[1] in "12345678":
        return (int(name[1]) - 1) * 8 + "abcdefgh".index(name[0])
    raise ValueError(f"{name!r} is no square: write a letter a to h and a digit 1 to 8")
