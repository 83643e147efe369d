"""The emulated board with the mishaps of a line, and with hands that feel the pieces."""

from __future__ import annotations

import random
import time
from typing import Any

from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.emulator import EmulatedBoard


class FaultyBoard(EmulatedBoard):
    """An emulated board that can lose and spoil what it sends, and restart."""

    def __init__(self, *placement: str, **options: Any) -> None:
        self._lose = self._garble = 0
        self._random = random.Random(1)
        super().__init__(*placement, **options)

    def open_contact(self, square: str, seconds: float) -> None:
        """Feel the piece on ``square``, so that its contact opens for ``seconds``, and wait.

        Less than the lift time gives no event; more gives a lift and a placing.
        """
        index = peg.square_index(square)
        with self._lock:
            self._firmware.feel(index, self._uptime(), seconds * 1000)
        time.sleep(seconds)
        self._await_confirmation(index)

    @property
    def buzzed(self) -> list[int]:
        """The buzzer patterns that the host has sent."""
        return self._firmware.buzzed

    def reset(self) -> None:
        """Restart the board while the line stays up, as its watchdog would."""
        with self._lock:
            self._boot()

    def lose(self, frames: int) -> None:
        """Lose the next ``frames`` frames from the board on the line."""
        with self._lock:
            self._lose = frames

    def garble(self, frames: int) -> None:
        """Flip one bit in each of the next ``frames`` frames from the board."""
        with self._lock:
            self._garble = frames

    def send_raw(self, data: bytes) -> None:
        """Send any bytes to the host."""
        self._cable.write(data)

    def _send(self, message: peg.Message) -> None:
        frame = bytearray(peg.encode(message))
        if self._lose > 0:
            self._lose -= 1
            return
        if self._garble > 0:
            self._garble -= 1
            frame[self._random.randrange(1, len(frame) - 1)] ^= 1 << self._random.randrange(8)
        self._cable.write(bytes(frame))
