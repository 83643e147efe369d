"""A DGT board in software behind a serial line: it answers as a real one does."""

from __future__ import annotations

import chess

from tests.boards.dgt import hands
from tests.boards.emulated import EmulatedBoard

FORBIDDEN = {0x4E, 0x50, 0x51, 0x52, 0x53, 0x54}


class EmulatedDgtBoard(EmulatedBoard):
    """A DGT board. ``lose`` and ``spoil_dumps`` are the numbers of the next messages that get lost
    and of the next dumps that get a flipped bit; a ``silent`` board sends nothing."""

    def __init__(self, *, force_socket: bool = False, turned: bool = False) -> None:
        super().__init__(chess.STARTING_FEN, force_socket=force_socket)
        self.turned = turned
        self.commands: list[int] = []
        self.lose = 0
        self.spoil_dumps = 0
        self.silent = False
        self._updates = False
        self._thread.start()

    def plug(self) -> None:
        self._updates = False
        super().plug()

    def _tell(self, square: int, piece: str) -> None:
        if self._updates:
            self._send(hands.update(square, piece, turned=self.turned))

    def move(self, uci: str) -> None:
        piece = self.pieces[chess.parse_square(uci[:2])]
        self.put(uci[:2], ".")
        self.put(uci[2:4], piece)

    def clock(self, left: int, right: int, status: int) -> None:
        with self._lock:
            if self._updates:
                self._send(hands.clock(left, right, status))

    @property
    def reports(self) -> bool:
        """Whether a host has asked for changes since the board got its power."""
        return self._updates

    def forget(self) -> None:
        """Lose power for a moment while the line stays."""
        with self._lock:
            self._updates = False

    def send_raw(self, data: bytes) -> None:
        with self._lock:
            self._write(data)

    def _send(self, message: bytes) -> None:
        if self.lose > 0:
            self.lose -= 1
            return
        if message[0] == 0x86 and self.spoil_dumps > 0:
            self.spoil_dumps -= 1
            spoilt = bytearray(message)
            spoilt[40] ^= 0x04
            message = bytes(spoilt)
        self._write(message)

    def _write(self, data: bytes) -> None:
        if not self.silent:
            self._cable.write(data)

    def _run(self) -> None:
        while not self._closed.is_set():
            for byte in self._cable.read(0.005) or b"":
                self._obey(byte)

    def _obey(self, command: int) -> None:
        with self._lock:
            self.commands.append(command)
            if command in (0x43, 0x44, 0x4B):
                self._updates = True
            elif command == 0x42:
                self._send(hands.dump(self.pieces, turned=self.turned))
            elif command == 0x45:
                self._send(hands.SERIAL)
            elif command == 0x4D:
                self._send(hands.VERSION)
