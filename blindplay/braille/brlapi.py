"""BrlAPI, the protocol by which programs use the Braille display that BRLTTY drives. Version 8.

Source: BRLTTY's ``brlapi_protocol.h``, ``brlapi_constants.h`` and ``brlapi_keycodes.h`` (BRLTTY
6.5); the order of packets is that of its library's manual. A packet is its size and its type, each
four bytes with the highest first, and its content.

The binding ``brlapi`` for Python is part of BRLTTY and no package of its own, so this speaks the
protocol itself. Tried with BRLTTY 6.5 and its virtual display.
"""

import contextlib
import enum
import math
import os
import re
import socket
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from blindplay.translation import SentenceError

VERSION = 8
MOST_BYTES = 4096
"""The largest packet, in bytes. A server that announces more is not BrlAPI."""
_MOST_CELLS = 512
_PORT = 4101
_SOCKETS = Path("/var/lib/BrlAPI")
_KEY_FILE = Path("/etc/brlapi.key")
_NO_KEY, _WITH_KEY = ord("N"), ord("K")
_DISPLAY_SIZE, _DEVICE_ONLINE, _RETAIN_DOTS = 6, 9, 10
_SUBSCRIBE_GLOBAL = 0x201
_DOTS_TYPED = 0x20220000
"""The code of cells that were typed; the dots are its lowest eight bits."""
_REGION, _TEXT, _CURSOR, _CHARSET = 0x02, 0x04, 0x20, 0x40
_PATIENCE_S = 5.0


class BrailleError(SentenceError, RuntimeError):
    """The display cannot be used. The message names the remedy."""


@dataclass(frozen=True)
class Packet:
    """A packet: its type as it is named in the protocol, such as "k", and its content."""

    kind: str
    content: bytes = b""

    def encoded(self) -> bytes:
        number = int.from_bytes(self.kind.encode("ascii"), "big")
        return struct.pack(">II", len(self.content), number) + self.content


class Unpacker:
    """Cuts bytes into packets. Without I/O: the packets do not depend on the sizes of the
    chunks.

    :raises BrailleError: for a packet that no server sends; nothing after it can be read.
    """

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, some: bytes) -> list[Packet]:
        self._rest += some
        packets = []
        while len(self._rest) >= 8:
            size, number = struct.unpack(">II", self._rest[:8])
            kind = number.to_bytes(4, "big").lstrip(b"\0")
            if size > MOST_BYTES or not kind.isascii():
                raise BrailleError("BRLTTY answers in another protocol; check BRLAPI_HOST.")
            if len(self._rest) < 8 + size:
                break
            packets.append(Packet(kind.decode("ascii"), self._rest[8 : 8 + size]))
            self._rest = self._rest[8 + size :]
        return packets


@dataclass(frozen=True)
class Display:
    """The size of a server's display: columns times rows, 0 while there is none."""

    cells: int


_FLAGS = 0xFFFFFFFF << 32
_COMMAND = 0x20000000
_KINDS = 0xE0000000
_ROUTE, _DOTS = 1, 34


class BrailleKey(enum.Enum):
    """The action of a key."""

    LEFT = "left"
    RIGHT = "right"
    UP = "up"
    DOWN = "down"
    HOME = "home"
    ROUTE = "route"
    TIME = "time"
    ENTER = "enter"
    BACKSPACE = "backspace"
    ESCAPE = "escape"
    SIGN = "sign"
    """A character or, as U+2800 and more, a cell that was typed."""


_COMMANDS = {
    1: BrailleKey.UP, 2: BrailleKey.DOWN, 19: BrailleKey.LEFT, 20: BrailleKey.RIGHT,
    23: BrailleKey.LEFT, 24: BrailleKey.RIGHT, 25: BrailleKey.LEFT, 26: BrailleKey.RIGHT,
    5: BrailleKey.UP, 6: BrailleKey.DOWN, 10: BrailleKey.HOME, 29: BrailleKey.HOME,
    31: BrailleKey.HOME, 81: BrailleKey.TIME,
}  # fmt: skip
_SYMBOLS = {
    0xFF0D: BrailleKey.ENTER, 0x0D: BrailleKey.ENTER, 0x0A: BrailleKey.ENTER,
    0xFF08: BrailleKey.BACKSPACE, 0xFF1B: BrailleKey.ESCAPE, 0xFF51: BrailleKey.LEFT,
    0xFF52: BrailleKey.UP, 0xFF53: BrailleKey.RIGHT, 0xFF54: BrailleKey.DOWN,
}  # fmt: skip
# Dot 8 and dot 7 alone are Enter and Backspace on most displays with eight keys.
_LONE_DOTS = {0x80: BrailleKey.ENTER, 0x40: BrailleKey.BACKSPACE}


@dataclass(frozen=True)
class Pressed:
    """A key that was pressed, and its sign if it has typed one."""

    key: BrailleKey
    sign: str = ""


def pressed(code: int) -> Pressed | None:
    """Return the meaning of a key, by BRLTTY's code of a command or a character's X keysym; None
    for a key without one here."""
    code &= ~_FLAGS
    if code & _KINDS == _COMMAND:
        block, argument = code >> 16 & 0x1FFF, code & 0xFFFF
        if block == _DOTS:
            return _typed(argument & 0xFF)
        key = BrailleKey.ROUTE if block == _ROUTE else None if block else _COMMANDS.get(argument)
        return Pressed(key) if key is not None else None
    if code in _SYMBOLS:
        return Pressed(_SYMBOLS[code])
    number = code & 0xFFFFFF if code >> 24 == 1 else code
    printable = number < 0x100 or code >> 24 == 1
    if printable and number <= 0x10FFFF and chr(number).isprintable():
        return Pressed(BrailleKey.SIGN, chr(number))
    return None


def _typed(dots: int) -> Pressed:
    """A cell; one without dots is a space."""
    if dots in _LONE_DOTS:
        return Pressed(_LONE_DOTS[dots])
    return Pressed(BrailleKey.SIGN, chr(0x2800 + dots) if dots else " ")


def written(text: str, cells: int, cursor: int | None) -> Packet:
    """Return the packet that fills a display of so many cells with ``text``. Signs from U+2800 on
    are dots; BRLTTY writes all others in its user's table. ``cursor``: the cell, from 0 on."""
    line = text[:cells].ljust(cells).encode("utf-8", "replace")
    charset = b"UTF-8"
    content = struct.pack(">IIII", _REGION | _TEXT | _CURSOR | _CHARSET, 1, cells, len(line))
    content += line + struct.pack(">IB", 0 if cursor is None else cursor + 1, len(charset))
    return Packet("w", content + charset)


class Connection:
    """A display that BRLTTY lends to one terminal. One thread reads, any thread writes.

    :raises BrailleError: also from all methods, when BRLTTY cannot be reached any more.
    """

    def __init__(self, host: str | None = None) -> None:
        host = host if host is not None else os.environ.get("BRLAPI_HOST", "")
        self._unpack = Unpacker()
        self._waiting: list[Packet] = []
        self._online = True
        self._socket = _connected(host)
        self._socket.settimeout(_PATIENCE_S)
        try:
            self._greet()
            self._cells = _size(self._ask(Packet("s"), "s").content)
            self.display = Display(self._cells)
            self._enter()
        except BaseException:
            self.close()
            raise
        self._socket.settimeout(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, text: str, cursor: int | None = None) -> None:
        """Show ``text``, with the cursor at a cell, from 0 on."""
        if self.display.cells:
            self._send(written(text, self.display.cells, cursor))

    def read(self) -> Pressed | Display:
        """Wait for a key that has a meaning here, or for a display that came, went or changed."""
        while True:
            event = self._event_of(self._next())
            if event is not None:
                return event

    def close(self) -> None:
        """Give the display back. ``read`` in another thread raises BrailleError."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _greet(self) -> None:
        version = self._answer("v")
        if len(version.content) != 4 or struct.unpack(">I", version.content)[0] != VERSION:
            raise BrailleError("This BRLTTY speaks another protocol; install BRLTTY 6 or newer.")
        self._send(Packet("v", struct.pack(">I", VERSION)))
        offered = self._answer("a").content
        kinds = [kind for (kind,) in struct.iter_unpack(">I", offered[: len(offered) // 4 * 4])]
        if _NO_KEY in kinds:
            return
        try:
            key = _KEY_FILE.read_bytes()
        except OSError as error:
            raise BrailleError(
                "BRLTTY asks for its key, and you may not read {file}; run sudo "
                "usermod -aG brlapi with your user name, then log out and in again.",
                file=_KEY_FILE,
            ) from error
        self._ask(Packet("a", struct.pack(">I", _WITH_KEY) + key), "A")

    def _enter(self) -> None:
        """Take the display of this terminal, and ask for cells as they are typed."""
        path = _terminal()
        name = b"\0"  # no driver: keys come as BRLTTY's commands
        where = struct.pack(f">{1 + len(path)}I", len(path), *path)
        self._ask(Packet("t", where + name), "A")
        retain = struct.pack(">IIII?", 0, _RETAIN_DOTS, 0, 0, True)
        self._ask(Packet("PV", retain), "A")
        all_flags = 0xFFFFFFFF << 32
        typed = struct.pack(">QQ", _DOTS_TYPED, all_flags | _DOTS_TYPED | 0xFFFF)
        self._ask(Packet("u", typed), "A")
        for parameter in (_DEVICE_ONLINE, _DISPLAY_SIZE):
            body = struct.pack(">IIII", _SUBSCRIBE_GLOBAL, parameter, 0, 0)
            self._ask(Packet("PR", body), "A")

    def _event_of(self, packet: Packet) -> Pressed | Display | None:
        content = packet.content
        if packet.kind == "k" and len(content) == 8:
            return pressed(int.from_bytes(content, "big"))
        if packet.kind == "PU" and len(content) >= 16:
            # Ask nothing here: BRLTTY 6.5 would mix the answer with the next change.
            parameter, value = int.from_bytes(content[4:8], "big"), content[16:]
            if parameter == _DEVICE_ONLINE:
                self._online = any(value)
            elif parameter == _DISPLAY_SIZE:
                self._cells = _size(value) or self._cells
            self.display = Display(self._cells if self._online else 0)
            return self.display
        if packet.kind in ("E", "e"):
            raise BrailleError("BRLTTY refused the request; restart it.")
        return None

    def _ask(self, packet: Packet, answer: str) -> Packet:
        self._send(packet)
        return self._answer(answer)

    def _answer(self, kind: str) -> Packet:
        """The next packet of this kind; keys and changes before it are kept for ``read``."""
        others = []
        while (packet := self._next()).kind != kind:
            if packet.kind in ("e", "E"):
                raise BrailleError(
                    "BRLTTY refuses its display; end the program that uses it, or check {file}.",
                    file=_KEY_FILE,
                )
            others.append(packet)
        self._waiting = others + self._waiting
        return packet

    def _next(self) -> Packet:
        while not self._waiting:
            try:
                some = self._socket.recv(MOST_BYTES)
            except OSError as error:
                raise _gone() from error
            if not some:
                raise _gone()
            self._waiting += self._unpack.feed(some)
        return self._waiting.pop(0)

    def _send(self, packet: Packet) -> None:
        try:
            self._socket.sendall(packet.encoded())
        except OSError as error:
            raise _gone() from error


def _gone() -> BrailleError:
    return BrailleError("BRLTTY does not answer any more; start it again.")


def _size(content: bytes) -> int:
    """Return the number of cells, columns times rows; 0 if it makes no sense. BRLTTY 6.5 sends
    some sizes in the wrong order of bytes, which makes them huge."""
    for order in "><":
        cells: int = math.prod(struct.unpack(f"{order}II", content[:8].ljust(8, b"\0")))
        if cells <= _MOST_CELLS:
            return cells
    return 0


def _connected(host: str) -> socket.socket:
    """A socket to the server: "" or ":N" is this machine's, "NAME:N" another."""
    name, _rest, number = host.rpartition(":")
    if not re.fullmatch(r"\d{1,3}|", number):
        name, number = host, ""
    try:
        if not name and hasattr(socket, "AF_UNIX"):
            local = socket.socket(socket.AF_UNIX)
            local.connect(str(_SOCKETS / (number or "0")))
            return local
        return socket.create_connection(
            (name or "localhost", _PORT + int(number or 0)), _PATIENCE_S
        )
    except OSError as error:
        raise BrailleError(
            "BRLTTY cannot be reached; start it, and check that it lists your Braille display."
        ) from error


def _terminal() -> list[int]:
    """The path to this terminal for BRLTTY, which shows each text only on its own: the numbers in
    $WINDOWPATH or, on a console, its number. Empty where there is none: then it is shown always."""
    path = re.findall(r"\d+", os.environ.get("WINDOWPATH", ""))
    if not path:
        path = re.findall(r"\d+", os.environ.get("XDG_VTNR", ""))
    return [int(number) for number in path]
