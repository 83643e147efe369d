"""How the boards of each maker speak, for boards in software and for built streams.

The encoders are written from the descriptions that the drivers' protocols name, apart from those.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import reduce
from operator import xor
from typing import ClassVar

import chess

from blindplay.boards.dgt import MoveFound
from blindplay.boards.recordings import FRAMERS, decode
from blindplay.boards.reporting import Belief
from tests.boards.dgt import hands

Shown = Mapping[int, str]
"""The pieces on the squares of a board, as FEN letters."""
_A8_FIRST = [chess.square(file, rank) for rank in range(7, -1, -1) for file in range(8)]


class Wire(ABC):
    """What a board sends. ``streams``: it reports unasked, again and again."""

    name: ClassVar[str]
    streams: ClassVar[bool] = False
    names_pieces: ClassVar[bool] = True
    knows_promoted: ClassVar[bool] = True
    """It knows the pieces that pawns become."""

    @abstractmethod
    def report(self, shown: Shown) -> bytes:
        """The whole board."""

    def change(self, square: int, letter: str) -> bytes:
        """What the board sends at once when a square changes."""
        return b""

    def answer(self, asked: bytes, shown: Shown) -> bytes:
        """The answers to what a host has sent."""
        return b""

    def lamps(self, squares: list[int]) -> bytes:
        """The command that lights these squares; empty for a board without lamps."""
        return b""


def turned(shown: Shown) -> dict[int, str]:
    """The squares under the pieces if the board lies turned."""
    return {63 - square: letter for square, letter in shown.items()}


class Millennium(Wire):
    name = "millennium"

    def message(self, text: str) -> bytes:
        text += f"{reduce(xor, text.encode()):02X}"
        return bytes(b | (0x80 if bin(b).count("1") % 2 == 0 else 0) for b in text.encode())

    def report(self, shown: Shown) -> bytes:
        return self.message("s" + "".join(shown.get(square, ".") for square in _A8_FIRST))

    def answer(self, asked: bytes, shown: Shown) -> bytes:
        text = bytes(byte & 0x7F for byte in asked).decode()
        answers = b""
        while text:
            kind = text[0]
            length = {"V": 3, "S": 3, "X": 3, "L": 167}.get(kind, 1)
            message, text = text[:length], text[length:]
            if length == 1:
                continue  # another host looks for its own board
            assert f"{reduce(xor, message[:-2].encode()):02X}" == message[-2:]
            if kind == "S":
                answers += self.report(shown)
            else:
                answers += self.message("v0104" if kind == "V" else kind.lower())
        return answers

    def lamps(self, squares: list[int]) -> bytes:
        corners = {
            9 * (square % 8 + x) + (7 - square // 8 + y)
            for square in squares
            for x in (0, 1)
            for y in (0, 1)
        }
        return Millennium.message(
            self, "L20" + "".join("FF" if n in corners else "00" for n in range(81))
        )


class MillenniumEone(Millennium):
    """An eONE sends no parity bits."""

    def message(self, text: str) -> bytes:
        return bytes(byte & 0x7F for byte in super().message(text))


class Chessnut(Wire):
    """A Chessnut by Bluetooth."""

    name = "chessnut"
    streams = True
    tail = bytes((0xCB, 1, 0, 0))

    def report(self, shown: Shown) -> bytes:
        codes = ".qkbpnRPrBNQK"
        halves = [codes.index(shown.get(square, ".")) for square in range(63, -1, -1)]
        body = bytes(low | high << 4 for low, high in zip(halves[::2], halves[1::2], strict=True))
        return bytes((1, 32 + len(self.tail))) + body + self.tail

    def answer(self, asked: bytes, shown: Shown) -> bytes:
        return b"\x23\x01\x00" if asked[:1] in (b"\x21", b"\x0a") else b""

    def lamps(self, squares: list[int]) -> bytes:
        rows = [0] * 8
        for square in squares:
            rows[7 - square // 8] |= 1 << 7 - square % 8
        return bytes((0x0A, 8, *rows))


class ChessnutUsb(Chessnut):
    """By USB a report is longer, and the system pads it to 64 bytes."""

    tail = bytes(29)

    def report(self, shown: Shown) -> bytes:
        return super().report(shown) + b"\0"


class Certabo(Wire):
    """A Certabo, with a chip in each of 32 pieces."""

    name = "certabo"
    streams = True
    knows_promoted = False

    def report(self, shown: Shown) -> bytes:
        chips: dict[int, tuple[int, ...]] = {}
        for letter in set(shown.values()):
            own = [square for square in sorted(shown) if shown[square] == letter]
            chips |= {at: (3, 0, 84, ord(letter), 100 + n) for n, at in enumerate(own)}
        numbers = (str(n) for at in _A8_FIRST for n in chips.get(at, (0,) * 5))
        return b":" + " ".join(numbers).encode() + b"\r\n"

    def lamps(self, squares: list[int]) -> bytes:
        rows = [0] * 8
        for square in squares:
            rows[7 - square // 8] |= 1 << square % 8
        return bytes(rows)


class Sentio(Certabo):
    name = "certabo"
    names_pieces = False

    def report(self, shown: Shown) -> bytes:
        ranks = [sum(128 >> at % 8 for at in shown if at // 8 == rank) for rank in range(7, -1, -1)]
        return b":" + " ".join(map(str, ranks)).encode() + b"\r\nL\r\n"


class Pegasus(Wire):
    """It sends changes once it knows the developer key, and the board when it is asked."""

    name = "pegasus"
    names_pieces = knows_promoted = False

    def report(self, shown: Shown) -> bytes:
        return bytes((0x86, 0, 67, *(square in shown for square in _A8_FIRST)))

    def change(self, square: int, letter: str) -> bytes:
        return bytes((0x8E, 0, 5, _A8_FIRST.index(square), letter != "."))

    def answer(self, asked: bytes, shown: Shown) -> bytes:
        answers = {b"\x42": self.report(shown), b"\x4d": bytes((0x93, 0, 5, 1, 0))}
        return answers.get(asked, b"")

    def lamps(self, squares: list[int]) -> bytes:
        fields = sorted(_A8_FIRST.index(square) for square in squares)
        return bytes((0x60, 5 + len(fields), 5, 3, 0, 0, *fields, 0))


class IChessOne(Wire):
    name = "ichessone"

    def report(self, shown: Shown) -> bytes:
        codes = ".PNBRQKpnbrqk"
        halves = [codes.index(shown.get(square, ".")) for square in _A8_FIRST]
        body = bytes(high << 4 | low for high, low in zip(halves[::2], halves[1::2], strict=True))
        return b"=p" + body

    def answer(self, asked: bytes, shown: Shown) -> bytes:
        return self.report(shown) if asked == b"RP" else b""

    def lamps(self, squares: list[int]) -> bytes:
        return b"EL\x80\x0f\0" + Certabo().lamps(squares) + b"\0\1\xff"


class SquareOff(Wire):
    name = "squareoff"
    names_pieces = knows_promoted = False

    def report(self, shown: Shown) -> bytes:
        files = (file + 8 * rank for file in range(8) for rank in range(8))
        return f"30#{''.join(str(int(square in shown)) for square in files)}*".encode()

    def change(self, square: int, letter: str) -> bytes:
        return f"0#{chess.square_name(square)}{'u' if letter == '.' else 'd'}*".encode()

    def answer(self, asked: bytes, shown: Shown) -> bytes:
        return self.report(shown) if asked == b"30#R*" else b""

    def lamps(self, squares: list[int]) -> bytes:
        return f"25#{''.join(map(chess.square_name, sorted(squares)))}*".encode()


class ChessUp(Wire):
    """It also tells of a finger on each piece that moves."""

    name = "chessup"
    streams = True
    names_pieces = knows_promoted = False

    def report(self, shown: Shown) -> bytes:
        ranks = (sum(1 << at % 8 for at in shown if at // 8 == rank) for rank in range(7, -1, -1))
        return b"\xfd\xfd" + bytes(ranks)

    def change(self, square: int, letter: str) -> bytes:
        return bytes((0xB8, square, 0)) if letter == "." else b"\xbb"


WIRES: tuple[Wire, ...] = (
    Millennium(),
    MillenniumEone(),
    Chessnut(),
    ChessnutUsb(),
    Certabo(),
    Sentio(),
    Pegasus(),
    IChessOne(),
    SquareOff(),
    ChessUp(),
)


def record(
    wire: Wire,
    moves: list[chess.Move],
    hand: random.Random,
    *,
    repeats: int = 3,
    lies: bool = False,
) -> bytes:
    """What a board sends while this game is played on it by hand. ``lies``: it lies turned."""
    board, shown = chess.Board(), hands.pieces_of(chess.Board())

    def view() -> dict[int, str]:
        return turned(shown) if lies else shown

    stream = wire.report(view()) * repeats
    for move in moves:
        for square, piece in hands.by_hand(board, move, hand):
            if piece == ".":
                shown.pop(square, None)
            else:
                shown[square] = piece
            stream += wire.change(63 - square if lies else square, piece)
            stream += wire.report(view()) * repeats
        board.push(move)
    return stream


def spoil(data: bytes, hand: random.Random, most: int = 12) -> bytes:
    """The same bytes with some bits flipped."""
    spoilt = bytearray(data)
    for _ in range(hand.randint(1, most)):
        spoilt[hand.randrange(len(spoilt))] ^= 1 << hand.randrange(8)
    return bytes(spoilt)


def game(wire: Wire, hand: random.Random, plies: int) -> list[chess.Move]:
    """A game, without promotions if the board cannot name its pieces."""
    while True:
        moves = hands.random_game(hand, plies)
        if wire.knows_promoted or not any(move.promotion for move in moves):
            return moves


def uci(moves: list[chess.Move]) -> list[str]:
    return [move.uci() for move in moves]


def played(data: bytes, wire: Wire, position: chess.Board | None = None) -> list[str]:
    """The moves in a recording that begins with ``position``, if it is known."""
    findings = decode(data, wire.name, position=position)
    return [found.uci for found in findings if isinstance(found, MoveFound)]


def believed(data: bytes, wire: Wire) -> set[bytes]:
    """The positions that are believed."""
    belief, found = Belief(), set()
    for message in FRAMERS[wire.name]().feed(data):
        if belief.take(message) is not None and belief.diagram is not None:
            found.add(belief.diagram)
    return found
