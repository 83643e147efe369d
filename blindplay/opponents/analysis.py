"""An engine's judgement of positions, after a game. The same position always has the same answer.

No engine looks at anything while a table on this machine plays a game: see :class:`Analyst`.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import chess
from chess.engine import Cp, Mate, Score

from .levels import Level
from .uci import EngineFailedError, EngineProgram, UciEngine

_SLOPE = 0.00368208
_MOST_CENTIPAWNS = 1000
_TRIES = 2


def winning_chance(score: Score) -> float:
    """Return how likely the side with this score wins, from 0 to 1; a draw counts half.

    It is the formula that Lichess fitted to games of people (lichess.org/page/accuracy).

    >>> [round(winning_chance(Cp(worth)), 2) for worth in (0, 100, 300, 900)]
    [0.5, 0.59, 0.75, 0.96]
    """
    if score.is_mate():
        return float(score > Cp(0))
    worth = max(-_MOST_CENTIPAWNS, min(_MOST_CENTIPAWNS, score.score() or 0))
    return 1 / (1 + math.exp(-_SLOPE * worth))


@dataclass(frozen=True)
class Judgement:
    """The score for the side on move, and the best line; none if the game is over there."""

    score: Score
    line: tuple[chess.Move, ...] = ()

    @property
    def chance(self) -> float:
        """Return how likely the side on move wins, from 0 to 1."""
        return winning_chance(self.score)

    @property
    def mate(self) -> int:
        """Return in how many moves the side on move mates; negative: is mated; 0: neither is in
        sight."""
        return self.score.mate() or 0


@dataclass(frozen=True)
class AnalysisEffort:
    """The numbers of positions that the engine visits for each position of a game, and for one that
    is examined more closely. ``least``: the smallest loss of the chance to win that makes a move a
    mistake. ``plies``: the length of the lines that explain it."""

    usual: int
    closer: int
    least: float = 0.1
    plies: int = 9


ENGINE = AnalysisEffort(50_000, 400_000)
BUILT_IN = AnalysisEffort(3_000, 12_000, 0.15, 5)
"""The built-in opponent is written in Python: it sees less, and errs more."""


class Analyst:
    """Judges positions with the engine ``program``, in a process that runs only meanwhile.

    ``may_look`` is called before each position. It raises ValueError while a table plays a game.
    """

    def __init__(
        self,
        program: EngineProgram,
        may_look: Callable[[], None],
        effort: AnalysisEffort | None = None,
    ) -> None:
        self.program = program
        self._may_look = may_look
        self.effort = effort or (BUILT_IN if program.is_built_in else ENGINE)
        self._engine = UciEngine(program, Level(None))

    def instead(self, program: EngineProgram) -> "Analyst":
        """Another one with the engine ``program``; this one rests."""
        self.rest()
        return Analyst(program, self._may_look)

    def rest(self) -> None:
        """End the engine's process until the next position."""
        self._engine.stop()

    def judge(self, board: chess.Board, *, closer: bool = False) -> Judgement:
        """Return the engine's judgement of ``board``, whose earlier moves count for repetitions.

        :raises EngineFailedError: if the engine fails again and again.
        :raises ValueError: if a table plays a game now.
        """
        outcome = board.outcome()
        if outcome is not None:
            return Judgement(Cp(0) if outcome.winner is None else Mate(0))
        nodes = self.effort.closer if closer else self.effort.usual
        for _ in range(_TRIES - 1):
            with suppress(EngineFailedError):
                return self._asked(board, nodes)
        return self._asked(board, nodes)

    def _asked(self, board: chess.Board, nodes: int) -> Judgement:
        self._may_look()
        return Judgement(*self._engine.analyse(board, nodes))

    def line(self, board: chess.Board, begun: Judgement) -> tuple[chess.Move, ...]:
        """The best line from ``board``, as long as explaining takes, or to the end of the game.
        ``begun`` is what is known of it."""
        plies = self.effort.plies
        line, board = list(begun.line[:plies]), board.copy()
        for move in line:
            board.push(move)
        while len(line) < plies and (more := self.judge(board).line):
            for move in more[: plies - len(line)]:
                line.append(move)
                board.push(move)
        return tuple(line)
