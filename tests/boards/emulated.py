"""Boards of all makers in software, behind a serial line."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from typing import Self

import chess

from blindplay.boards.cable import Cable
from tests.boards.dgt import hands
from tests.boards.wires import Wire
from tests.waiting import PATIENCE_S


class EmulatedBoard(ABC):
    """A board at the other end of a serial line, whose ``url`` a host opens. It ends with its
    context."""

    def __init__(self, fen: str, *, force_socket: bool) -> None:
        self.pieces = hands.pieces_of(chess.Board(fen))
        self._lock = threading.RLock()
        self._cable = Cable(force_socket=force_socket)
        self.url = self._cable.url
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def plug(self) -> None:
        self._cable.plug()

    def unplug(self) -> None:
        self._cable.unplug()

    def close(self) -> None:
        self._closed.set()
        self._thread.join(timeout=PATIENCE_S)
        self._cable.close()

    def __enter__(self) -> Self:
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
            self._tell(index, piece)

    @abstractmethod
    def _tell(self, square: int, piece: str) -> None:
        """Send what the board sends when a square changes."""

    @abstractmethod
    def _run(self) -> None:
        """Answer the host until the board is closed."""


class EmulatedReportingBoard(EmulatedBoard):
    """A board that speaks as ``wire`` does. ``heard`` is what hosts have sent."""

    def __init__(
        self, wire: Wire, fen: str = chess.STARTING_FEN, *, force_socket: bool = False
    ) -> None:
        super().__init__(fen, force_socket=force_socket)
        self.wire = wire
        self.heard = b""
        self._thread.start()

    def _tell(self, square: int, piece: str) -> None:
        self._cable.write(self.wire.change(square, piece))

    def vanish(self, square: str) -> None:
        """Take a piece away so that only the next report shows it."""
        with self._lock:  # the reports are built in another thread
            del self.pieces[chess.parse_square(square)]

    def finger(self, square: str) -> None:
        """Put a finger on a piece of a ChessUp."""
        self._cable.write(self.wire.change(chess.parse_square(square), "."))

    def move(self, uci: str) -> None:
        piece = self.pieces[chess.parse_square(uci[:2])]
        self.put(uci[:2], ".")
        if chess.parse_square(uci[2:4]) in self.pieces:
            self.put(uci[2:4], ".")
        self.put(uci[2:4], piece)

    def placement(self) -> str:
        """What stands on it, as FEN's first field; ``?`` for what it cannot name."""
        board = chess.BaseBoard(None)
        for square, letter in self.pieces.items():
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        fen = board.board_fen()
        return fen if self.wire.names_pieces else "".join("?" if c.isalpha() else c for c in fen)

    def _run(self) -> None:
        reported = 0.0
        while not self._closed.is_set():
            asked = self._cable.read(0.01) or b""
            with self._lock:
                self.heard += asked
                if asked:
                    self._cable.write(self.wire.answer(asked, self.pieces))
                if self.wire.streams and time.monotonic() - reported > 0.05:
                    reported = time.monotonic()
                    self._cable.write(self.wire.report(self.pieces))
