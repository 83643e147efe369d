"""Moves, plies and slips of the hand in words."""

from collections.abc import Sequence

import chess

from blindplay.language import Language
from blindplay.laws.deviation import UNKNOWN, Slip, SlipKind


def move_in_words(
    board: chess.Board, move: chess.Move, pack: Language, edition: str, check: bool = False
) -> str:
    """The announcement of a move, with check if wanted; the two squares of an illegal one."""
    if board.is_legal(move):
        return pack.announce(board, move, edition=edition, check=check)
    return f"{pack.square(move.from_square)} {pack.square(move.to_square)}"


def ply_in_words(ply: int, first: str, pack: Language, before: int = 0) -> dict[str, str]:
    """The values ``number`` and ``player`` of a ply, for sentences.

    ``first`` is the side that made the first ply. ``before`` is the number of moves on the
    scoresheets before it.
    """
    index = ply if first == "white" else ply + 1
    return {
        "number": pack.number((index + 1) // 2 + before),
        "player": pack.sentence("white" if index % 2 else "black"),
    }


def diagnosis(
    explanations: Sequence[Sequence[Slip]], board: str, first: str, pack: Language, before: int = 0
) -> str:
    """Return the slips of hands on ``board``, a sentence for each; empty without slips.

    ``first`` and ``before`` are as in :func:`ply_in_words`.
    """
    told = [
        " ".join(_slip_in_words(slip, first, pack, before) for slip in slips)
        for slips in explanations
        if slips
    ]
    if not told:
        return ""
    alternative = f" {pack.sentence('slip_or')} "
    intro = pack.sentence("slip_board", player=pack.sentence(board))
    return f"{intro} {alternative.join(told)}"


def _slip_in_words(slip: Slip, first: str, pack: Language, before: int) -> str:
    values = {}
    for name, letter in (("piece", slip.piece), ("other", slip.other)):
        known = letter not in (None, UNKNOWN)
        values[name] = pack.piece(chess.Piece.from_symbol(str(letter))) if known else ""
    for name, square in (("square", slip.square), ("to", slip.to)):
        values[name] = "" if square is None else pack.square(square)
    if slip.move is not None:
        values["origin"] = pack.square(slip.move.from_square)
        values["right"] = pack.square(slip.move.to_square)
    for name, move in (("promoted", slip.executed), ("wanted", slip.move)):
        if move is not None and move.promotion:
            white = chess.square_rank(move.to_square) == 7
            values[name] = pack.piece(chess.Piece(move.promotion, white))
    if slip.ply is not None:
        values |= ply_in_words(slip.ply, first, pack, before)
    return pack.sentence(_sentence_of(slip, named=bool(values["piece"])), **values)


def _sentence_of(slip: Slip, *, named: bool) -> str:
    """The key of the sentence for a slip. ``named``: its piece is known."""
    if slip.what is SlipKind.OTHER_PIECE:
        return "slip_other_move"
    if slip.what is SlipKind.DISPLACED and slip.other is not None:
        return "slip_displaced_onto"
    if slip.what is SlipKind.EXTRA and not named:
        return "slip_extra_unknown"
    return f"slip_{slip.what.value}"
