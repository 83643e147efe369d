"""An Arduino Nano in software: its boot loader, its memory, and a pegged board's hello.

The boot loader does what optiboot and the old loader of the Nano do, whose sources are in Debian's
package arduino-core-avr. The real ones run in ``tests/hardware/test_boot_loaders.py``. Here, power
fails at any byte, and the line flips bits.
"""

from __future__ import annotations

import errno
import random
from collections.abc import Mapping

from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.firmware import PAGE, SIZE

_EMPTY = b"\xff" * PAGE
_PATIENCE = 20
"""Readings without a byte after which the loader starts the program: a second."""
_LENGTHS = {0x30: 1, 0x51: 1, 0x75: 1, 0x55: 3, 0x74: 4}
"""Bytes of a command before its end. That of a page to be written has its data, too."""


def image(mark: str, pages: int, seed: int = 0) -> bytes:
    """A program of so many pages, with this mark in it."""
    body = bytearray(random.Random(seed).randbytes(PAGE * pages))
    body[0:2] = b"\x0c\x94"  # a jump, as programs begin
    text = mark.encode() + b"\0"
    body[PAGE : PAGE + len(text)] = text
    body[-1] = 0  # not empty
    return bytes(body).ljust(SIZE, b"\xff")


class Nano:
    """``memory`` is what it holds before its boot loader, which speaks with ``rate`` baud.
    ``programs`` are the versions with which it answers, by the memory.

    With ``power``, it vanishes after so many bytes in both directions. ``flips`` is the probability
    that a bit of a byte flips.
    """

    def __init__(
        self,
        memory: bytes,
        *,
        rate: int = 115200,
        signature: bytes = b"\x1e\x95\x0f",
        programs: Mapping[bytes, int] = {},
        erases_at_once: bool = True,
    ) -> None:
        self.memory = bytearray(memory)
        self.rate, self.signature, self.programs = rate, signature, programs
        self.erases_at_once = erases_at_once
        self.power: int | None = None
        self.flips = 0.0
        self.dice = random.Random(1)
        self.opened: list[int] = []
        self.crossed = 0

    def open_at(self, rate: int) -> _Line:
        """Open its port, which resets it."""
        self.opened.append(rate)
        self.cross(0)
        return _Line(self, rate)

    def cross(self, count: int) -> None:
        """So many bytes are on the line. OSError without power."""
        self.crossed += count
        if self.power is not None and self.crossed > self.power:
            raise OSError(errno.EIO, "Input/output error")

    def garbled(self, byte: int) -> int:
        if self.dice.random() < self.flips:
            return byte ^ 1 << self.dice.randrange(8)
        return byte


class _Line:
    """The port of a Nano, open at a speed."""

    def __init__(self, nano: Nano, rate: int) -> None:
        self._nano, self._rate = nano, rate
        self._answer, self._command = bytearray(), bytearray()
        self._in_loader, self._idle = True, 0
        self._address = 0
        self._decoder = peg.FrameDecoder()

    @property
    def in_waiting(self) -> int:
        return len(self._answer)

    def read(self, size: int = 1, /) -> bytes:
        taken = bytes(map(self._nano.garbled, self._answer[:size]))
        del self._answer[:size]
        self._nano.cross(len(taken))
        self._idle = 0 if taken else self._idle + 1
        if self._idle >= _PATIENCE:
            self._in_loader = False
        return taken

    def write(self, data: bytes, /) -> object:
        for byte in data:
            self._nano.cross(1)
            self._hear(self._nano.garbled(byte))
        return len(data)

    def close(self) -> None:
        pass

    def _hear(self, byte: int) -> None:
        if self._in_loader and self._rate == self._nano.rate:
            self._command.append(byte)
            self._obey()
        elif self._in_loader:
            self._in_loader = False  # framing errors: the loader's watchdog ends it
        elif self._rate == 9600:
            self._greet(bytes([byte]))

    def _obey(self) -> None:
        command, kind = self._command, self._command[0]
        if kind == 0x64:
            length = PAGE if len(command) < 4 else command[2] or 256
            needed = 4 + length
            if len(command) == 4 and self._nano.erases_at_once:
                self._put(_EMPTY)
        else:
            needed = _LENGTHS.get(kind, 1)
        if len(command) <= needed:
            return
        body = bytes(command)
        command.clear()
        if body[-1] != 0x20:
            self._in_loader = False  # optiboot lets its watchdog start the program
            return
        self._answer += b"\x14"
        if kind == 0x55:
            self._address = 2 * (body[1] | body[2] << 8)
        elif kind == 0x64:
            self._put(body[4:-1])
        elif kind == 0x74:
            size = body[2] or 256
            place = self._address % 0x8000
            self._answer += bytes(self._nano.memory[place : place + size]).ljust(size, b"\xff")
        elif kind == 0x75:
            self._answer += self._nano.signature
        elif kind == 0x51:
            self._in_loader = False
        self._answer += b"\x10"

    def _put(self, data: bytes) -> None:
        """Write a page, if it does not belong to the loader, which protects itself."""
        place = self._address // PAGE * PAGE
        if place < SIZE:
            self._nano.memory[place : place + PAGE] = data[:PAGE].ljust(PAGE, b"\xff")

    def _greet(self, data: bytes) -> None:
        for body in self._decoder.feed_bodies(data):
            version = self._nano.programs.get(bytes(self._nano.memory))
            if version is not None and peg.parse_command(body) == peg.AskHello():
                able = peg.Capability.IDENTITY
                hello = peg.Hello(peg.PROTOCOL_VERSION, version, able, peg.SQUARES, 1, 1, 1)
                self._answer += peg.encode(hello)
