"""The pegged board's native wire protocol, without any input or output.

A frame is ``00 COBS(body, CRC) 00``; the body is one type letter and its payload, integers are
little endian, and the CRC is CRC-16/MCRF4XX (CCITT polynomial, reflected, initial value 0xFFFF).
Squares count a1 = 0, b1 = 1 … h8 = 63. Capital letters come from the board, small ones go to it.

>>> Decoder().feed(encode(Nak(NakReason.CRC)))
[Nak(why=2)]
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from enum import IntEnum, IntFlag
from typing import ClassVar, TypeAlias

from cobs import cobs

PROTOCOL_VERSION = 1
"""The protocol version this module speaks; a board says its own in :class:`Hello`."""

MAX_ENCODED = 64
"""Longest run of bytes between two delimiters; the longest real frame, a dump, has 42."""

SQUARES = 64

PIECES = ".PRNBKQprnbkq"
"""Index = piece code on the wire, value = FEN letter; 0 (``.``) is an empty hole."""

EMPTY = 0
FAULT = 15
"""A reading outside every resistor's window: never a piece and never an empty hole."""

_CODES = frozenset({*range(len(PIECES)), FAULT})


class Capability(IntFlag):
    """What a board can do, as it says in its hello."""

    IDENTITY = 1
    """It knows which piece stands in a hole, not only that one does."""
    LEVERS = 2
    BUZZER = 4
    DGT = 8


class Setting(IntEnum):
    """Keys of the ``s`` command; values are milliseconds."""

    LIFT_MS = 1
    """How long a hole must read empty before a lift is believed, 50–300."""
    PLACE_MS = 2
    """How long a piece must read the same before it is believed, 5–300."""


class NakReason(IntEnum):
    """Why a board did not obey."""

    ENCODING = 1
    CRC = 2
    UNKNOWN_COMMAND = 3
    TOO_LONG = 4
    BAD_ARGUMENT = 5


class MalformedFrameError(ValueError):
    """A body has a good CRC, but a length or a value that the protocol does not know."""


def _need(condition: bool, what: str) -> None:
    if not condition:
        raise ValueError(what)


def _need_bits(bits: int, **values: int) -> None:
    for name, value in values.items():
        _need(0 <= value < 1 << bits, f"{name} must be 0 to {(1 << bits) - 1}, not {value}")


# --- what the board says ---------------------------------------------------------------------


@dataclass(frozen=True)
class Hello:
    """Who the board is (``H``): answer to :class:`AskHello`.

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
    """The whole board (``B``): 64 piece codes from a1, as they stand after event ``sequence``."""

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

    ``state_crc`` is :func:`state_crc` of the board; ``overruns`` and ``line_errors`` count what
    the board could not receive; ``wobbles`` counts contacts that opened for less than the time
    after which a lift is believed; ``scan_us`` is the time of one scan in microseconds. The
    three counters stay at their highest value.
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
    """A hole changed (``E``); ``uptime`` is that of the first change, not of its confirmation."""

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

    Levers count in the same sequence as :class:`HoleChanged`.
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
    """How often each clock lever has been pressed (``K``): follows each :class:`Dump` and ping.

    So a press is not lost to the game if its :class:`LeverMoved` frame is. ``white`` and ``black``
    count modulo 256 since boot; ``white_at`` and ``black_at`` are the uptimes of the last press of
    each, 0 before the first. A board without levers need not send it.
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
    """The last setting or buzzer command was obeyed (``A``)."""

    KIND: ClassVar[bytes] = b"A"
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<")


@dataclass(frozen=True)
class Nak:
    """The last command was not obeyed (``N``); ``why`` is a :class:`NakReason`, or a newer one."""

    KIND: ClassVar[bytes] = b"N"
    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<B")
    why: int

    def __post_init__(self) -> None:
        _need_bits(8, why=self.why)


@dataclass(frozen=True)
class Unknown:
    """A whole frame of a type that this version does not know: to be ignored."""

    kind: int
    payload: bytes


# --- what the host says ----------------------------------------------------------------------


@dataclass(frozen=True)
class AskHello:
    """Ask who the board is (``h``); from then on the board speaks unasked."""

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
    """Wrap a body (type and payload) with CRC, COBS and both delimiters.

    Raises :class:`ValueError` if the frame would be longer than a receiver accepts.
    """
    encoded: bytes = cobs.encode(body + struct.pack("<H", crc16(body)))
    if len(encoded) > MAX_ENCODED:
        raise ValueError(f"a frame of {len(body)} bytes is too long for the board's protocol")
    return b"\0" + encoded + b"\0"


def encode(item: Message | HostCommand) -> bytes:
    """Return the frame, delimiters included, of a message or a command."""
    if isinstance(item, Unknown):
        return encode_frame(bytes([item.kind]) + item.payload)
    if isinstance(item, Dump):
        low, high = item.codes[0::2], item.codes[1::2]
        nibbles = bytes(a | b << 4 for a, b in zip(low, high, strict=True))
        return encode_frame(item.KIND + item.LAYOUT.pack(item.sequence, item.uptime, nibbles))
    return encode_frame(item.KIND + item.LAYOUT.pack(*astuple(item)))


def parse_message(body: bytes) -> Message:
    """Read a body that came from a board; an unknown type gives :class:`Unknown`.

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
    """Read a body that came from the host; an unknown type gives None.

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
    """Cuts a byte stream into bodies with a good CRC; the same for either direction.

    However the stream is cut into chunks, the bodies and the counters come out the same, and no
    more than :data:`MAX_ENCODED` bytes are ever kept. Counters: ``frames`` good ones,
    ``bad_encoding`` (half frames and garbage), ``bad_crc`` (bit flips), ``overlong``.
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
            # A delimiter stood before every part but the first.
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
    """Turns the bytes a board sends into messages.

    Adds two counters: ``malformed`` (good CRC, impossible content) and ``unknown`` (types of a
    newer protocol, which are delivered as :class:`Unknown`).
    """

    def __init__(self) -> None:
        super().__init__()
        self.malformed = 0
        self.unknown = 0

    @property
    def rejected(self) -> int:
        """How many stretches between delimiters were thrown away."""
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
    ranks = placement.split("/")
    codes: list[int] = []
    for rank in reversed(ranks):
        row: list[int] = []
        for letter in rank:
            if letter in "12345678":
                row += [EMPTY] * int(letter)
            elif letter in PIECES[1:]:
                row.append(PIECES.index(letter))
            else:
                row = []
                break
        if len(row) != 8:
            break
        codes += row
    if len(ranks) != 8 or len(codes) != SQUARES:
        raise ValueError(
            f"{placement!r} is no position: write eight ranks of eight squares, as in a FEN"
        )
    return tuple(codes)


def placement_of(codes: Iterable[int], *, identity: bool = True) -> str:
    """Return the FEN placement of 64 codes, a1 first; a hole in FAULT counts as empty.

    Without ``identity`` each piece is written ``?``, since the board does not know which it is.
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
    """Return 0–63 for ``a1`` to ``h8``; raises :class:`ValueError` for anything else."""
    if len(name) == 2 and name[0] in "abcdefgh" and name[1] in "12345678":
        return (int(name[1]) - 1) * 8 + "abcdefgh".index(name[0])
    raise ValueError(f"{name!r} is no square: write a letter a to h and a digit 1 to 8")
