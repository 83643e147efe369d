"""An engine's analysis of a finished game: its turning points, and the reasons for them.

A move loses what the chance of its player is before it, with the best move, less what it is after
it. In a position that is decided the chance hardly changes, so such moves lose little. The reason
why a move is bad or good is one sentence: mate, material, a threat, or who stands better.

The same position always has the same answer. No engine looks at anything while a table on this
machine plays a game: see :class:`Analyst`.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import chess
from chess.engine import Cp, Mate, Score

from .uci import LONGEST_ANALYSIS_S, EngineFailedError, EngineProgram, Level, UciEngine

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
    ``longest_s``: the seconds that a position may take at most.
    """

    def __init__(
        self,
        program: EngineProgram,
        may_look: Callable[[], None],
        effort: AnalysisEffort | None = None,
        longest_s: float = LONGEST_ANALYSIS_S,
    ) -> None:
        self.program = program
        self._may_look, self._longest_s = may_look, longest_s
        self.effort = effort or (BUILT_IN if program.is_built_in else ENGINE)
        self._engine = UciEngine(program, Level(None))

    def looking(self, look: Callable[[], None]) -> "Analyst":
        """Another one with the same engine, which calls ``look`` before each position, too."""

        def may_look() -> None:
            self._may_look()
            look()

        return Analyst(self.program, may_look, self.effort, self._longest_s)

    def instead(self, program: EngineProgram) -> "Analyst":
        """Another one with the engine ``program``; this one rests."""
        self.rest()
        return Analyst(program, self._may_look, longest_s=self._longest_s)

    def rest(self) -> None:
        """End the engine's process until the next position."""
        self._engine.stop()

    def close(self) -> None:
        """End the engine's process for good."""
        self._engine.close()

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
            try:
                return self._ask(board, nodes)
            except EngineFailedError as failure:
                if failure.late_s:  # an engine that hangs is not waited for again
                    raise
        return self._ask(board, nodes)

    def _ask(self, board: chess.Board, nodes: int) -> Judgement:
        self._may_look()
        if not all(board.move_stack):  # UCI has no move that passes
            board = board.copy(stack=False)
        return Judgement(*self._engine.analyse(board, nodes, self._longest_s))

    def line(
        self, board: chess.Board, begun: Judgement, plies: int | None = None
    ) -> tuple[chess.Move, ...]:
        """The best line from ``board``, so many ``plies`` long or long enough for an explanation,
        or to the end of the game. ``begun`` is its known beginning."""
        plies = plies or self.effort.plies
        line, board = list(begun.line[:plies]), board.copy()
        for move in line:
            board.push(move)
        while len(line) < plies and (more := self.judge(board).line):
            for move in more[: plies - len(line)]:
                line.append(move)
                board.push(move)
        return tuple(line)


_VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
_FOR_LITTLE = {chess.PAWN: 1, chess.KNIGHT: 2, chess.BISHOP: 2, chess.ROOK: 4, chess.QUEEN: 6}
"""The loss, in pawns, from which a piece counts as lost and not as exchanged."""
_WINNING, _BETTER = 0.75, 0.58
_HALF = 50
"""Centipawns. A line counts as winning pieces if the score changes by half of their worth, too: a
long line of moves may be no good for both sides."""
_CAP_CENTIPAWNS = 3000


@dataclass(frozen=True)
class Reason:
    """The sentence ``review_<sentence>`` of the packs, and its values: ``review_what_<what>``, a
    number of moves, a player, and a move in a position."""

    sentence: str
    what: str = ""
    count: int = 0
    player: chess.Color = chess.WHITE
    move: tuple[chess.Board, chess.Move] | None = None


@dataclass(frozen=True)
class _Change:
    """The change that a line brings for one side: pieces won or lost, and their worth in pawns."""

    what: str
    pawns: int


_NOTHING = _Change("", 0)


def why_bad(
    before: chess.Board,
    best: Judgement,
    answer: Judgement,
    lines: tuple[Sequence[chess.Move], Sequence[chess.Move]],
) -> Reason:
    """Return why a move was bad. ``best`` judges the position before it, ``answer`` the one after
    it. ``lines`` are the best line from ``before``, and the best one that begins with the move."""
    mover = before.turn
    if answer.mate > 0 and best.mate >= 0:
        return Reason("allows_mate", count=answer.mate)
    if best.mate > 0:
        return Reason("misses_mate", count=best.mate)
    cost = _centipawns(best) + _centipawns(answer)
    lost, missed = _change(before, lines[1], mover, 2), _change(before, lines[0], mover, 1)
    if lost.pawns < 0 and cost >= -_HALF * lost.pawns:
        promotes = lost.what == "promotion"
        return Reason("allows" if promotes else "loses", lost.what)
    if missed.pawns > max(0, lost.pawns) and cost >= _HALF * missed.pawns:
        return Reason("misses", missed.what)
    if answer.chance <= 1 - _BETTER:
        return Reason("gives_away")
    return _standing(not mover, answer.chance)


def why_good(
    before: chess.Board,
    best: Judgement,
    line: Sequence[chess.Move],
    analyst: Analyst,
    *,
    bad: Reason | None = None,
) -> Reason | None:
    """Return why the first move of ``line``, the best one, is good; None if ``bad`` has said it."""
    mover = before.turn
    if best.mate > 0:
        reason = Reason("mates", count=best.mate)
        return None if bad is not None and bad.sentence == "misses_mate" else reason
    won = _change(before, line, mover, 1)
    if won.pawns > 0:
        known = bad is not None and (bad.sentence, bad.what) == ("misses", won.what)
        return None if known else Reason("wins", won.what)
    if won.pawns < 0:
        return _standing(mover, best.chance)
    after = before.copy(stack=False)
    after.push(line[0])
    met = _threat(before, analyst, -_centipawns(best))
    if met is not None:
        return Reason("meets_threat", move=met.move)
    made = _threat(after, analyst, _centipawns(best))
    return made or _standing(mover, best.chance)


def _change(
    board: chess.Board, line: Sequence[chess.Move], side: chess.Color, least: int
) -> _Change:
    """Return what ``line`` wins or loses for ``side``, counted after at least ``least`` plies at
    the last place where it is quiet."""
    at = board.copy(stack=False)
    counted, promoted = _NOTHING, {chess.WHITE: False, chess.BLACK: False}
    for ply, move in enumerate((*line, None)):
        if ply >= least and _is_quiet(at, line[ply - 1], move):
            counted = _difference(board, at, side, promoted)
        if move is not None:
            promoted[at.turn] |= move.promotion is not None
            at.push(move)
    return counted


def _is_quiet(board: chess.Board, last: chess.Move, following: chess.Move | None) -> bool:
    """Return whether a line is quiet between two moves: no check, capture or promotion follows. At
    the end of the line, return whether the last piece that moved cannot be taken."""
    if board.is_check():
        return board.is_checkmate()
    if following is None:
        taking = board.generate_legal_captures(to_mask=chess.BB_SQUARES[last.to_square])
        return not any(taking)
    forcing = board.is_capture(following) or board.gives_check(following)
    return not forcing and following.promotion is None


def _difference(
    before: chess.Board, after: chess.Board, side: chess.Color, promoted: dict[chess.Color, bool]
) -> _Change:
    """The pieces that ``side`` has more, less those that the opponent has more."""
    more: Counter[chess.PieceType] = Counter()
    for kind in _VALUES:
        for color, sign in ((side, 1), (not side, -1)):
            change = len(after.pieces(kind, color)) - len(before.pieces(kind, color))
            more[kind] += sign * change
    pawns = sum(_VALUES[kind] * count for kind, count in more.items())
    winner = side if pawns > 0 else not side
    return _Change("promotion" if promoted[winner] else _named(more, pawns), pawns)


def _named(more: Counter[chess.PieceType], pawns: int) -> str:
    """The pieces that change hands, as one thing."""
    sign = 1 if pawns > 0 else -1
    gained = {kind: count * sign for kind, count in more.items() if count * sign > 0}
    lost = {kind: -count * sign for kind, count in more.items() if count * sign < 0}
    greatest = max(gained, default=chess.PAWN, key=_VALUES.__getitem__)
    others = {kind for kind in gained if kind not in (greatest, chess.PAWN)}
    if others or gained.get(greatest) != 1:
        return "material"
    if greatest == chess.ROOK and lost.get(chess.KNIGHT, 0) + lost.get(chess.BISHOP, 0) == 1:
        return "exchange"
    return chess.piece_name(greatest) if sign * pawns >= _FOR_LITTLE[greatest] else "material"


def _threat(board: chess.Board, analyst: Analyst, worth: int) -> Reason | None:
    """Return the threat of the player who has just moved on ``board``: to mate, or to win a piece,
    if the other one passed; None if there is none. ``worth``: the value of the position for that
    player, in centipawns."""
    if board.is_check():
        return None
    passed = board.copy(stack=False)
    passed.push(chess.Move.null())
    passed.clear_stack()
    judgement = analyst.judge(passed)
    if not judgement.line:
        return None
    move = passed, judgement.line[0]
    if judgement.mate > 0:
        return Reason("threatens_mate", count=judgement.mate, move=move)
    won = _change(passed, analyst.line(passed, judgement), passed.turn, 1)
    real = won.pawns >= 2 and _centipawns(judgement) - worth >= _HALF * won.pawns
    return Reason("threatens", won.what, move=move) if real else None


def _centipawns(judged: Judgement) -> int:
    """The score in centipawns, at most what more than all pieces are worth."""
    worth = judged.score.score(mate_score=10 * _CAP_CENTIPAWNS)
    return max(-_CAP_CENTIPAWNS, min(_CAP_CENTIPAWNS, worth))


def _standing(side: chess.Color, chance: float) -> Reason:
    """Return who stands better, if ``side`` wins with this chance (0 to 1)."""
    if chance < 0.5:
        side, chance = not side, 1 - chance
    if chance < _BETTER:
        return Reason("stands_level")
    return Reason("stands_winning" if chance >= _WINNING else "stands_better", player=side)


MOST = 3
BLUNDER = 0.15
"""The loss from which a mistake gets two question marks instead of one, as on Lichess."""
AS_GOOD = 0.05
"""A move that loses less of the chance to win is good, too."""
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
    drops = []
    for done, ply in enumerate(doubtful):
        progress(_FIRST + _SECOND * done / len(doubtful))
        best, answer = (analyst.judge(boards[at], closer=True) for at in (ply, ply + 1))
        loss = loss_of(best, answer, least)
        if best.line[:1] != (moves[ply],) and loss >= least:
            drops.append((loss, ply, best, answer))
    drops = sorted(sorted(drops, key=lambda point: -point[0])[:MOST], key=lambda point: point[1])
    points = []
    for done, (loss, ply, best, answer) in enumerate(drops):
        progress(_FIRST + _SECOND + (1 - _FIRST - _SECOND) * done / len(drops))
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
