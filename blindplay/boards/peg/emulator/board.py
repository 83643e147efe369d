"""A pegged board in software that works in real time behind a serial line.

Time is real, yet the effects of a contact follow from the time at which it changed. So a busy
computer does not change the events.
"""

import random
import threading
import time
from typing import Literal

import chess

from ...cable import Cable
from .. import protocol as peg
from .firmware import SimulatedFirmware

_TICK = 0.005
"""Seconds between two scans of the contacts, about as in the hardware."""


class EmulatedBoard:
    """A board with pieces, levers and a plug. Its methods are the hands that move them.

    ``placement`` is FEN's first field. ``lift_ms`` and ``place_ms`` are the times after which the
    board confirms a change. ``boot_seconds`` is how long the board is deaf after power, reset and
    each opening of its line: 1.5 for an Arduino, 0 for a board that opening does not reset. With
    ``identity=False`` the board knows only which holes are occupied, and with ``signals`` it has a
    vibration motor and a lamp. ``url`` is where a driver
    finds the board, the same after each :meth:`plug`.

    Raises :class:`ValueError` for a wrong placement.
    """

    def __init__(
        self,
        placement: str = chess.STARTING_BOARD_FEN,
        *,
        force_socket: bool = False,
        lift_ms: float = 150.0,
        place_ms: float = 25.0,
        boot_seconds: float = 0.0,
        identity: bool = True,
        signals: bool = False,
    ) -> None:
        self._firmware = SimulatedFirmware(
            placement, lift_ms=lift_ms, place_ms=place_ms, identity=identity, signals=signals
        )
        self._boot_seconds = boot_seconds
        self._lock = threading.RLock()
        self._lose = self._garble = 0
        self._random = random.Random(1)
        self._boot()
        self._cable = Cable(force_socket=force_socket)
        self.url = self._cable.url
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="emulated board", daemon=True)
        self._thread.start()

    # --- hands -----------------------------------------------------------------------------

    @property
    def placement(self) -> str:
        """The pieces that really stand on the board, as FEN's first field."""
        with self._lock:
            return peg.placement_of(self._firmware.holes)

    @property
    def buzzed(self) -> list[int]:
        """The buzzer patterns that the host has sent."""
        return self._firmware.buzzed

    @property
    def felt(self) -> list[int]:
        """The patterns that the vibration motor has shown."""
        return [signal.motor for signal in self._firmware.signalled if signal.motor]

    @property
    def lamp(self) -> int:
        """The pattern that the lamp shows again and again. 0: it is off."""
        return self._firmware.signalled[-1].lamp if self._firmware.signalled else 0

    def lift(self, square: str, *, wait: bool = True) -> str:
        """Take the piece from ``square`` and return its FEN letter.

        Returns when the board has confirmed the lift, or at once with ``wait=False``, as hasty
        hands do. Raises :class:`ValueError` for an empty hole or a wrong square.
        """
        index = peg.square_index(square)
        with self._lock:
            code = self._firmware.holes[index]
            if code == peg.EMPTY:
                raise ValueError(f"there is no piece on {square} to lift")
            self._firmware.put(index, peg.EMPTY, self._uptime())
        if wait:
            self._await_confirmation(index)
        return peg.PIECES[code] if code != peg.FAULT else "?"

    def place(self, square: str, piece: str, *, wait: bool = True) -> None:
        """Put ``piece`` (a FEN letter, or ``!`` for a plug the board cannot read) into a hole.

        Returns when the board has confirmed it, or at once. Raises :class:`ValueError` for an
        occupied hole, a wrong piece or a wrong square.
        """
        index, code = peg.square_index(square), _code(piece)
        with self._lock:
            if self._firmware.holes[index] != peg.EMPTY:
                raise ValueError(f"{square} is occupied: lift that piece first")
            self._firmware.put(index, code, self._uptime())
        if wait:
            self._await_confirmation(index)

    def open_contact(self, square: str, seconds: float) -> None:
        """Feel the piece on ``square``, so that its contact opens for ``seconds``, and wait.

        Less than the lift time gives no event; more gives a lift and a placing. Raises
        :class:`ValueError` for an empty hole.
        """
        index = peg.square_index(square)
        with self._lock:
            if self._firmware.holes[index] == peg.EMPTY:
                raise ValueError(f"there is no piece on {square} to feel")
            self._firmware.feel(index, self._uptime(), seconds * 1000)
        time.sleep(seconds)
        self._await_confirmation(index)

    def fault(self, square: str, reads: str = "!") -> None:
        """Spoil the contact of ``square``: it reads as another piece (a FEN letter) or, by default,
        neither as a piece nor as empty. Raises :class:`ValueError` for a wrong piece or square."""
        index, code = peg.square_index(square), _code(reads)
        with self._lock:
            self._firmware.read_as(index, code, self._uptime())
        self._await_confirmation(index)

    def mend(self, square: str) -> None:
        """Repair the contact of ``square``."""
        index = peg.square_index(square)
        with self._lock:
            self._firmware.read_as(index, self._firmware.holes[index], self._uptime())
        self._await_confirmation(index)

    def press(self, side: Literal["white", "black"]) -> None:
        """Press a player's clock lever. It springs back by itself.

        Raises :class:`ValueError` for a wrong side.
        """
        if side not in ("white", "black"):
            raise ValueError(f"{side!r} has no lever: write white or black")
        with self._lock:
            self._firmware.press(side, self._uptime())

    # --- the cable -------------------------------------------------------------------------

    def unplug(self) -> None:
        """Pull the plug: the port vanishes, and the board loses its power."""
        with self._lock:
            self._cable.unplug()

    def plug(self) -> None:
        """Plug in again: the board boots with the pieces that are in its holes now."""
        with self._lock:
            if not self._cable.plugged and not self._closed.is_set():
                self._boot()
                self._cable.plug()

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

    def close(self) -> None:
        """Unplug for good and free everything. Closing twice is harmless."""
        self._closed.set()
        self._thread.join(timeout=5)
        self._cable.close()

    def __enter__(self) -> "EmulatedBoard":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- between the board and its line ----------------------------------------------------

    def _boot(self) -> None:
        self._booted = time.monotonic()
        self._firmware.boot(random.SystemRandom().randrange(1 << 16))

    def _uptime(self) -> float:
        return (time.monotonic() - self._booted) * 1000

    def _await_confirmation(self, index: int) -> None:
        """Wait until the board has confirmed the reading of this hole."""
        end = time.monotonic() + 5
        while time.monotonic() < end:
            with self._lock:
                due = self._firmware.due(self._uptime())
                if not self._cable.plugged or (self._firmware.settled(index) and not due):
                    return
            time.sleep(_TICK)

    def _send(self, message: peg.Message) -> None:
        frame = bytearray(peg.encode(message))
        if self._lose > 0:
            self._lose -= 1
            return
        if self._garble > 0:
            self._garble -= 1
            frame[self._random.randrange(1, len(frame) - 1)] ^= 1 << self._random.randrange(8)
        self._cable.write(bytes(frame))

    def _run(self) -> None:
        host_present = False
        while not self._closed.is_set():
            booted = self._booted
            data = self._cable.read(_TICK)
            with self._lock:
                if not self._cable.plugged:
                    host_present = False
                    continue
                if self._booted != booted:
                    continue  # these bytes came before the board restarted
                if data is None:
                    host_present = self._firmware.native = False
                elif not host_present:
                    host_present = True
                    if self._boot_seconds:
                        self._boot()
                self._firmware.advance(self._uptime())
                if self._uptime() >= self._boot_seconds * 1000:
                    self._firmware.hear(data or b"", self._uptime())
                for message in self._firmware.take():
                    self._send(message)


def _code(piece: str) -> int:
    """The code of a FEN letter; ``!`` is a plug that the board cannot read."""
    if len(piece) != 1 or piece not in peg.PIECES[1:] + "!":
        raise ValueError(f"{piece!r} is not a piece: write one of P N B R Q K p n b r q k")
    return peg.FAULT if piece == "!" else peg.PIECES.index(piece)
