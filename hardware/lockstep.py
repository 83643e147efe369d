"""A pegged board in software whose time passes only on request, for exact measurements."""

import math
import random
from typing import Literal

import chess

from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.emulator import SimulatedFirmware

_BYTE_MS = 10 / 9.6
"""The time of one byte at 9600 baud."""


class LockstepBoard:
    """A board with a line of 9600 baud whose time passes only in :meth:`run`.

    The same calls always give the same answers. Squares are names such as ``e2``, pieces are FEN
    letters, ``.`` is an empty hole, and all times are milliseconds.

    :raises ValueError: for a wrong placement, square or piece.
    """

    def __init__(self, placement: str = chess.STARTING_BOARD_FEN, *, seed: int = 1) -> None:
        self.time = 0.0
        self._random = random.Random(seed)
        self._firmware = SimulatedFirmware(placement, identity=True)
        self._booted = 0.0
        self._powered = True
        self._out_flips = self._in_flips = 0.0
        self._to_host: list[tuple[float, bytes]] = []
        self._to_board: list[tuple[float, int]] = []
        self._out_free = self._in_free = 0.0
        self._lose = 0
        self._firmware.boot(self._random.randrange(1 << 16))

    def set(self, square: str, piece: str, bounce: float = 0.0) -> None:
        """Put a piece into a hole or take it out. The contact bounces for ``bounce``."""
        index, code = peg.square_index(square), peg.PIECES.index(piece)
        old, now = self._firmware.holes[index], self._uptime()
        spent = 0.0
        while spent < bounce:
            self._firmware.read_as(index, self._random.choice((old, code)), now + spent)
            spent += self._random.uniform(0.2, 1.0)
        self._firmware.put(index, code, now + bounce)

    def feel(self, square: str, for_ms: float) -> None:
        """Let the contact of a felt piece open, and close again after ``for_ms``."""
        self._firmware.feel(peg.square_index(square), self._uptime(), for_ms)

    def resistance(self, square: str, ohms: float) -> None:
        """Add ``ohms`` to the contact, until :meth:`mend`."""
        self._firmware.spoil(peg.square_index(square), self._uptime(), worn=ohms)

    def damp(self, square: str, ohms: float) -> None:
        """Join the hole's tip and ground by ``ohms``, until :meth:`mend`."""
        self._firmware.spoil(peg.square_index(square), self._uptime(), damp=ohms)

    def mend(self, square: str) -> None:
        """End both."""
        self._firmware.spoil(peg.square_index(square), self._uptime(), worn=0.0, damp=math.inf)

    def press(self, side: Literal["white", "black"]) -> None:
        """Press a lever, which springs back."""
        self._firmware.press(side, self._uptime())

    def unplug(self) -> None:
        """Take away power and line."""
        self._powered = False
        self._to_host.clear()
        self._to_board.clear()

    def plug(self) -> None:
        """Give power and line back. The board boots."""
        self._powered = True
        self._booted = self._out_free = self._in_free = self.time
        self._firmware.boot(self._random.randrange(1 << 16))

    def noise(self, out_ppm: float, in_ppm: float) -> None:
        """Flip so many bits in a million on the way from the board, and to it."""
        self._out_flips, self._in_flips = out_ppm / 1e6, in_ppm / 1e6

    def lose(self, frames: int) -> None:
        """Lose the next ``frames`` frames from the board on the line."""
        self._lose = frames

    def hear(self, data: bytes) -> None:
        """Send bytes to the board, after those that are still on the line."""
        if not self._powered:
            return
        at = max(self.time, self._in_free)
        for byte in self._flip(data, self._in_flips):
            at += _BYTE_MS
            self._to_board.append((at, byte))
        self._in_free = at

    def run(self, ms: float) -> list[tuple[float, bytes]]:
        """Let ``ms`` pass. Return each frame from the board with the time of its last bit."""
        came: list[tuple[float, bytes]] = []
        end = self.time + ms
        while self.time < end:
            self.time = min(end, self.time + 1.0)
            if not self._powered:
                continue
            now = self._uptime()
            self._firmware.advance(now)
            while self._to_board and self._to_board[0][0] <= self.time:
                self._firmware.hear(bytes([self._to_board.pop(0)[1]]), now)
            for message in self._firmware.take():
                self._send(peg.encode(message))
            while self._to_host and self._to_host[0][0] <= self.time:
                came.append(self._to_host.pop(0))
        return came

    def close(self) -> None:
        """Do nothing: like the real firmware's board, this one can be closed."""

    def _uptime(self) -> float:
        return self.time - self._booted

    def _send(self, frame: bytes) -> None:
        if self._lose > 0:
            self._lose -= 1
            return
        self._out_free = max(self.time, self._out_free) + len(frame) * _BYTE_MS
        self._to_host.append((self._out_free, self._flip(frame, self._out_flips)))

    def _flip(self, data: bytes, probability: float) -> bytes:
        if not probability:
            return data
        flipped = bytearray(data)
        for bit in range(8 * len(data)):
            if self._random.random() < probability:
                flipped[bit // 8] ^= 1 << bit % 8
        return bytes(flipped)
