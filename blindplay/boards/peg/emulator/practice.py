"""The emulated board as a command: typed words are its hands."""

from collections.abc import Iterable
from typing import TextIO

import chess

from .. import protocol as peg
from .board import EmulatedBoard

HELP = (
    "Type lift e2, place e4 P (without a letter: the piece lifted last), move e2e4 (castling as "
    "the king's move), press white, fault e2 (fault e2 p: it reads as p), mend e2, unplug, "
    "plug, fen, signals or quit."
)


class PracticeError(ValueError):
    """A line is not a command, or the board does not allow it. The message is one sentence."""


def practise(board: EmulatedBoard, lines: Iterable[str], out: TextIO) -> None:
    """Obey ``lines``. Report a wrong line and skip it."""
    print(board.url, file=out, flush=True)
    hand: list[str] = []
    for line in lines:
        words = line.split()
        try:
            if words:
                _do(board, hand, words, out)
        except ValueError as error:
            print(f"trouble: {error}", file=out, flush=True)


def _do(board: EmulatedBoard, hand: list[str], words: list[str], out: TextIO) -> None:
    match words:
        case ["lift", square]:
            hand.append(board.lift(square))
        case ["place", square]:
            if not hand:
                raise PracticeError("the hand is empty: write the piece, too, such as place e4 P")
            board.place(square, hand[-1])
            hand.pop()
        case ["place", square, piece]:
            board.place(square, piece)
            if piece in hand:
                hand.remove(piece)
        case ["move", uci]:
            _move(board, uci)
        case ["press", ("white" | "black") as side]:
            board.press(side)
        case ["fault", square, *reads] if len(reads) < 2:
            board.fault(square, *reads)
        case ["mend", square]:
            board.mend(square)
        case ["unplug"]:
            board.unplug()
        case ["plug"]:
            board.plug()
        case ["fen"]:
            print(board.placement, file=out, flush=True)
        case ["signals"]:
            for pattern in board.felt:
                print("motor", f"{pattern:016b}"[::-1], file=out)
            print("lamp", f"{board.lamp:08b}"[::-1], file=out, flush=True)
        case ["fen", placement, *_]:
            raise PracticeError(_no_new_position(placement))
        case _:
            remedy = HELP[0].lower() + HELP[1:]
            raise PracticeError(f"{' '.join(words)!r} is not a command: {remedy}")


def _no_new_position(placement: str) -> str:
    """Explain that ``fen`` takes no position: hands move pieces, one at a time."""
    only = "fen only prints the position; give another one to begin with by --fen"
    try:
        peg.codes_of(placement)
    except ValueError as error:
        return f"{error}; {only}"
    return only


def _move(board: EmulatedBoard, uci: str) -> None:
    """Move without asking the Laws: a captured piece goes first, and castling moves both pieces."""
    try:
        move = chess.Move.from_uci(uci)
    except ValueError:
        raise PracticeError(f"{uci!r} is not a move: write from and to, such as e2e4") from None
    start, goal = chess.square_name(move.from_square), chess.square_name(move.to_square)
    before = chess.BaseBoard(board.placement)
    piece = before.piece_at(move.from_square)
    if piece is None:
        raise PracticeError(f"there is no piece on {start}")
    taken = goal
    if piece.piece_type == chess.PAWN and before.piece_at(move.to_square) is None:
        taken = goal[0] + start[1]  # en passant, or the square that the pawn itself leaves
    if taken != start and before.piece_at(chess.parse_square(taken)) is not None:
        board.lift(taken)
    board.lift(start)
    board.place(goal, chess.Piece(move.promotion or piece.piece_type, piece.color).symbol())
    if piece.piece_type == chess.KING and abs(ord(goal[0]) - ord(start[0])) == 2:
        corner, beside = ("h", "f") if goal > start else ("a", "d")
        if before.piece_at(chess.parse_square(corner + start[1])) is not None:
            board.place(beside + start[1], board.lift(corner + start[1]))
