"""Whether a side can still checkmate by any series of legal moves (FIDE 5.2.2, 6.9, 9.7).

The opponent is taken to play as unskilled as he may, so the question is whether there is a helpmate
of any length. Every verdict is proven: `possible` by a line that ends in checkmate, `impossible` by
the material, by what the pieces can never reach, or by having looked at every position; where the
limit of the search comes first, the verdict is `undecided`. Limits are in positions, never in time,
so that the same question has the same answer on every machine.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

import chess

from .positions import decode, encode
from .search import EVERY, corner_table, seek, too_little

__all__ = ["DEFAULT_NODES", "Mating", "Verdict", "can_mate", "is_dead"]

DEFAULT_NODES = 20_000


class Verdict(enum.StrEnum):
    """The answers to the question."""

    POSSIBLE = "possible"
    IMPOSSIBLE = "impossible"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Mating:
    """A verdict: ``line`` is the helpmate if `possible`, ``reason`` a sentence if `impossible`."""

    verdict: Verdict
    line: tuple[chess.Move, ...] = ()
    reason: str = ""


def can_mate(board: chess.Board, side: chess.Color, limit: int = DEFAULT_NODES) -> Mating:
    """Whether ``side`` can still checkmate from ``board`` by any series of legal moves.

    ``limit`` is in positions looked at. The rules of fifty moves and of repetition are left aside.
    """
    position, rooks = encode(board, side)
    if too_little(position):
        return Mating(Verdict.IMPOSSIBLE, reason="The pieces left cannot give mate.")
    king = board.king(not side)
    assert king is not None
    corners = sorted(
        (0, 7, 56, 63), key=lambda corner: chess.square_distance(corner, position.index(14))
    )
    for corner in corners:
        found = seek(position, rooks, corner_table(corner, EVERY), limit // 4)
        if found.line is not None:
            replay = board.copy(stack=False)
            line = []
            lean = position
            for move in found.line:
                from .positions import play

                real = decode(move, lean, replay, side)
                line.append(real)
                replay.push(real)
                lean = play(lean, move, rooks)
            assert replay.is_checkmate()
            return Mating(Verdict.POSSIBLE, tuple(line))
        if found.whole:
            return Mating(
                Verdict.IMPOSSIBLE, reason="No series of legal moves ends in mate; all were tried."
            )
    return Mating(Verdict.UNDECIDED)


def is_dead(board: chess.Board) -> bool:
    """Whether neither side can checkmate any more (5.2.2); True only where that is proven."""
    return board.is_insufficient_material()
