"""A DGT board in software behind a real pseudo terminal or socket: it answers what a board does."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import threading
import time
from pathlib import Path

import chess

from blindplay.boards.peg.emulator import board as emulator
from tests.boards.dgt import hands

FORBIDDEN = {0x4E, 0x50, 0x51, 0x52, 0x53, 0x54}


class EmulatedDgtBoard:
    """``lose`` and ``spoil`` make the next so many messages vanish, or flip a bit in them."""

    def __init__(self, *, force_socket: bool = False, turned: bool = False) -> None:
        self.pieces = hands.pieces_of(chess.Board())
        self.turned = turned
        self.commands: list[int] = []
        self.lose = 0
        self.spoil_dumps = 0
        self.silent = False
        self._updates = False
        self._lock = threading.RLock()
        self._directory = tempfile.TemporaryDirectory(prefix="dgt-")
        self._force_socket = force_socket
        self._port = 0
        self._line: emulator._SerialLine | None = None
        self._closed = threading.Event()
        self._unplug = threading.Event()
        self.plug()
        assert self._line is not None
        self.url: str = self._line.url
        self._thread: threading.Thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def plug(self) -> None:
        with self._lock:
            if self._force_socket or sys.platform == "win32":
                line = emulator._SocketLine(self._port)
                self._port = line.port
                self._line = line
            else:
                self._line = emulator._PtyLine(Path(self._directory.name) / "board")
            self._updates = False
            self._unplug.clear()

    def unplug(self) -> None:
        self._unplug.set()
        end = time.monotonic() + 5
        while self._line is not None and time.monotonic() < end:
            time.sleep(0.005)

    def close(self) -> None:
        self._closed.set()
        self._thread.join(timeout=5)
        if self._line is not None:
            self._line.close()
        self._directory.cleanup()

    def __enter__(self) -> EmulatedDgtBoard:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def put(self, square: str, piece: str) -> None:
        """Change one square: a FEN letter, or a dot for nothing."""
        index = chess.parse_square(square)
        with self._lock:
            if piece == ".":
                self.pieces.pop(index, None)
            else:
                self.pieces[index] = piece
            if self._updates:
                self._send(hands.update(index, piece, turned=self.turned))

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
        if self._line is not None and not self.silent:
            self._line.write(data)

    def _run(self) -> None:
        while not self._closed.is_set():
            line = self._line
            if line is None:
                time.sleep(0.005)
                continue
            if self._unplug.is_set():
                with self._lock, contextlib.suppress(OSError):
                    self._line = None
                    line.close()
                continue
            data = line.read(0.005)
            for byte in data or b"":
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
