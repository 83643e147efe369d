"""The emulated board as a command: typed words are its hands."""

from __future__ import annotations

from typing import TextIO

import chess

from .. import protocol as peg
from .board import EmulatedBoard

HELP = (
    "Type lift e2, place e4 P (without a letter: the piece lifted last), move e2e4 (castling as "
    "the king's move), press white, fault e2, mend e2, unplug, plug, fen or quit."
)


class PracticeError(ValueError):
    """A line is no command, or the board does not allow it. The message is one sentence."""


def practise(board: EmulatedBoard, lines: TextIO, out: TextIO) -> None:
    """Obey ``lines`` until ``quit`` or their end. Report a wrong line and skip it."""
    print(board.url, file=out, flush=True)
    hand: list[str] = []
    for line in lines:
        words = line.split()
        if words == ["quit"]:
            return
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
        case ["fault", square]:
            board.fault(square)
        case ["mend", square]:
            board.mend(square)
        case ["unplug"]:
            board.unplug()
        case ["plug"]:
            board.plug()
        case ["fen"]:
            print(board.placement, file=out, flush=True)
        case ["fen", placement, *_]:
            raise PracticeError(_no_new_position(placement))
        case _:
            raise PracticeError(f"{' '.join(words)!r} is no command: {HELP[0].lower() + HELP[1:]}")


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
        raise PracticeError(f"{uci!r} is no move: write from and to, such as e2e4") from None
    before = chess.BaseBoard(board.placement)
    piece = before.piece_at(move.from_square)
    if piece is None:
        raise PracticeError(f"there is no piece on {chess.square_name(move.from_square)}")
    step = chess.square_file(move.to_square) - chess.square_file(move.from_square)
    taken = move.to_square
    if piece.piece_type == chess.PAWN and step and before.piece_at(taken) is None:
        taken = chess.square(chess.square_file(taken), chess.square_rank(move.from_square))
    if before.piece_at(taken) is not None:
        board.lift(chess.square_name(taken))
    board.lift(chess.square_name(move.from_square))
    if move.promotion:
        piece = chess.Piece(move.promotion, piece.color)
    board.place(chess.square_name(move.to_square), piece.symbol())
    if piece.piece_type == chess.KING and abs(step) == 2:
        rank = chess.square_rank(move.from_square)
        corner = chess.square(7 if step > 0 else 0, rank)
        rook = before.piece_at(corner)
        if rook is not None:
            board.lift(chess.square_name(corner))
            board.place(chess.square_name(chess.square(5 if step > 0 else 3, rank)), rook.symbol())
