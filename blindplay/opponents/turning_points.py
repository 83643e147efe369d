"""The moves that turned a game: those that lost most of the chance to win.

A move loses what the chance of its player is before it, with the best move, less what it is after
it. In a position that is decided the chance hardly changes, so such moves lose little.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import chess

from .analysis import Analyst, Judgement
from .explaining import Reason, why_bad, why_good

MOST = 3
BLUNDER = 0.15
"""The loss from which a mistake gets two question marks instead of one, as on Lichess."""
_SHORT_MATE = 3
_CLOSER = 8
"""Limit of the moves that are examined more closely."""

_FIRST, _SECOND = 0.5, 0.3  # parts of the time: all positions once, then the doubtful ones

Progress = Callable[[float], None]
"""Called with the part that is done, from 0 to 1. An exception from it ends the analysis."""


@dataclass(frozen=True)
class TurningPoint:
    """A move that lost much. ``before`` has the earlier moves, ``ply`` counts from 0."""

    ply: int
    before: chess.Board
    played: chess.Move
    loss: float
    """From 0 to 1, of the chance to win."""
    better: tuple[chess.Move, ...]
    """The best line, from ``before``."""
    punished: tuple[chess.Move, ...]
    """The move played, and the best line after it."""
    bad: Reason
    good: Reason | None

    @property
    def blunder(self) -> bool:
        """It deserves two question marks."""
        return self.loss >= BLUNDER


def loss_of(best: Judgement, answer: Judgement, least: float = 0.0) -> float:
    """Return what a move loses of the chance to win, from 0 to 1. ``best`` judges the position
    before it, ``answer`` the one after it. A short mate that is missed or allowed counts as
    ``least`` at least."""
    lost = best.chance - (1 - answer.chance)
    mates_still = answer.score.is_mate() and answer.chance == 0
    missed = 0 < best.mate <= _SHORT_MATE and not mates_still
    allowed = 0 < answer.mate <= _SHORT_MATE and best.mate >= 0
    return max(lost, least) if missed or allowed else lost


def turning_points(
    start: chess.Board, moves: Sequence[chess.Move], analyst: Analyst, progress: Progress
) -> list[TurningPoint]:
    """The turning points of a game, at most :data:`MOST`, in the order of the game.

    :raises EngineFailedError, ValueError: as :meth:`Analyst.judge` does.
    """
    boards = [start.copy()]
    for move in moves:
        boards.append(boards[-1].copy())
        boards[-1].push(move)
    judged, least = [], analyst.effort.least
    for done, board in enumerate(boards):
        progress(_FIRST * done / len(boards))
        judged.append(analyst.judge(board))
    losses = {
        ply: loss_of(judged[ply], judged[ply + 1], least)
        for ply, move in enumerate(moves)
        if judged[ply].line[:1] != (move,)
    }
    doubtful = sorted((ply for ply in losses if losses[ply] >= least), key=lambda ply: -losses[ply])
    doubtful = doubtful[:_CLOSER]
    found = []
    for done, ply in enumerate(doubtful):
        progress(_FIRST + _SECOND * done / len(doubtful))
        best, answer = (analyst.judge(boards[at], closer=True) for at in (ply, ply + 1))
        loss = loss_of(best, answer, least)
        if best.line[:1] != (moves[ply],) and loss >= least:
            found.append((loss, ply, best, answer))
    found = sorted(sorted(found, key=lambda one: -one[0])[:MOST], key=lambda one: one[1])
    points = []
    for done, (loss, ply, best, answer) in enumerate(found):
        progress(_FIRST + _SECOND + (1 - _FIRST - _SECOND) * done / len(found))
        points.append(_point(boards, ply, moves[ply], loss, best, answer, analyst))
    return points


def _point(
    boards: Sequence[chess.Board],
    ply: int,
    played: chess.Move,
    loss: float,
    best: Judgement,
    answer: Judgement,
    analyst: Analyst,
) -> TurningPoint:
    before = boards[ply]
    better = analyst.line(before, best)
    punished = (played, *analyst.line(boards[ply + 1], answer))
    bad = why_bad(before, best, answer, (better, punished))
    good = why_good(before, best, better, analyst, bad=bad)
    return TurningPoint(ply, before, played, loss, better, punished, bad, good)
