"""Decide whether a side can still checkmate by any series of legal moves (FIDE 5.2.2, 6.9, 9.7).

The opponent may play as badly as possible, so the question is whether there is a helpmate of any
length. Every verdict is proven: ``possible`` by a line that ends in checkmate, ``impossible`` by
the material, by squares that the pieces can never reach, or by a search of every position. If the
search reaches its limit first, the verdict is ``undecided``. Limits are in positions, never in
time, so that the same question has the same answer on every machine.
"""

import enum
import functools
import itertools
from dataclasses import dataclass

import chess

from blindplay.translation import _

from . import plans
from .positions import (
    PAWN,
    QUEEN,
    ROOK,
    SQUARES,
    THEIRS,
    PackedPosition,
    Rooks,
    decode,
    encode,
    legal_moves,
    play,
)
from .search import SearchOrder, SearchResult, StepTable, seek, too_little
from .walls import walled_off

DEFAULT_NODES = 100_000

_MATERIAL = _("The pieces left cannot give mate.")
_WALLS = _("The pieces that could give mate can never reach the squares for it.")
_EXHAUSTED = _("No series of legal moves ends in mate; all of them were searched.")
_OVER = _("The game has ended on the board.")
REASONS = {_MATERIAL: "material", _WALLS: "walls", _EXHAUSTED: "searched", _OVER: "over"}
"""A name for each reason why a side cannot mate any more."""

# The rounds of the search, one after the other: positions per plan, and the order of the search.
_FIRST = 150
_USUAL = SearchOrder(64, 1)
_ROUNDS = (
    (60, _USUAL),
    (_FIRST, SearchOrder(32, 0)),
    (200, SearchOrder(32, 3)),
    (600, _USUAL),
    (2_000, SearchOrder(16, 1)),
)
_LAST = SearchOrder(8, 1)  # with the rest of the limit

# Promotion in stages.
_HASTE = 2  # a stage should be short
_PAWNS = 5  # how many pawns are tried
_STAGES = 6  # how many stages deep
_STAGE = 200  # positions per stage, at least
_ALLOWANCE = 12  # all stages of a round may cost as much as so many plans

# Dead positions.
_FORCED = 2  # follow all moves while at most so many are legal,
_PLIES = 5  # so many plies deep
_FEW = 8  # search where at most so many moves are legal,
_MANY = 6  # there are so many pawns, and no pawn can move,
_DEAD_NODES = 1_000  # in so many positions


class MatingVerdict(enum.StrEnum):
    """The answers to the question."""

    POSSIBLE = "possible"
    IMPOSSIBLE = "impossible"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Mating:
    """``line`` is the helpmate if ``possible``, ``reason`` a sentence if ``impossible``."""

    verdict: MatingVerdict
    line: tuple[chess.Move, ...] = ()
    reason: str = ""


def can_mate(board: chess.Board, side: chess.Color, limit: int = DEFAULT_NODES) -> Mating:
    """Return whether ``side`` can still checkmate from ``board`` by any series of legal moves.

    ``limit`` is the number of positions to search. Draws by fifty moves and by repetition are left
    out. A mate on the board is ``possible``, without moves, for the side that mated.
    """
    position, rooks = encode(board, side)
    if too_little(position):
        return Mating(MatingVerdict.IMPOSSIBLE, reason=_MATERIAL)
    if not legal_moves(position, rooks)[0]:
        if board.is_checkmate() and board.turn != side:
            return Mating(MatingVerdict.POSSIBLE)
        return Mating(MatingVerdict.IMPOSSIBLE, reason=_OVER)
    line, reason = _decided(position, rooks, limit)
    if line is not None:
        return _proven(board, side, position, rooks, line)
    verdict = MatingVerdict.IMPOSSIBLE if reason else MatingVerdict.UNDECIDED
    return Mating(verdict, reason=reason)


@functools.lru_cache(maxsize=256)
def _decided(
    position: PackedPosition, rooks: Rooks, limit: int
) -> tuple[tuple[int, ...] | None, str]:
    """The helpmate, or else why there is none; empty if it stays undecided.

    A table asks the same when a decision is proposed, foretold and made.
    """
    question = _Question(position, rooks, limit)
    reason = question.decide()
    return question.line, reason


def _proven(
    board: chess.Board,
    side: chess.Color,
    position: PackedPosition,
    rooks: Rooks,
    line: tuple[int, ...],
) -> Mating:
    """The line in moves of the board. python-chess confirms each of them."""
    replay = board.copy(stack=False)
    moves = []
    for packed in line:
        move = decode(packed, position, replay, side)
        if not replay.is_legal(move):
            return Mating(MatingVerdict.UNDECIDED)
        moves.append(move)
        replay.push(move)
        position = play(position, packed, rooks)
    if not replay.is_checkmate() or replay.turn == side:
        return Mating(MatingVerdict.UNDECIDED)
    return Mating(MatingVerdict.POSSIBLE, tuple(moves))


class _Question:
    """One question. One method after the other tries to answer it until the limit is reached."""

    def __init__(self, position: PackedPosition, rooks: Rooks, limit: int) -> None:
        self._position = position
        self._rooks = rooks
        self._left = limit
        self._floor = 0
        self.line: tuple[int, ...] | None = None

    def decide(self) -> str:
        """Set ``line``, or return why there is none, or do neither if it stays undecided."""
        position = self._position
        locked = _locked(position)
        if locked and walled_off(position, self._rooks):
            return _WALLS
        self.line = self._with_blocker()
        if self.line is not None:
            return ""
        tables = _tables(position)
        for nodes, order in _ROUNDS:
            for table in tables:
                found = self._seek(position, table, nodes, order)
                if found.mate:
                    self.line = found.line
                    return ""
                if found.whole:
                    return _EXHAUSTED
            self._floor = self._left - _ALLOWANCE * nodes
            self.line = self._by_stages(position, nodes, order, _STAGES)
            if self.line is not None:
                return ""
            if not locked and nodes == _FIRST and walled_off(position, self._rooks):
                return _WALLS
        found = self._seek(position, tables[0], self._left, _LAST)
        if found.mate:
            self.line = found.line
        return _EXHAUSTED if found.whole else ""

    def _seek(
        self,
        position: PackedPosition,
        table: StepTable,
        nodes: int,
        order: SearchOrder = _USUAL,
        aims: int | None = None,
    ) -> SearchResult:
        found = seek(position, self._rooks, table, min(nodes, self._left), order, aims)
        self._left -= found.nodes
        return found

    def _with_blocker(self) -> tuple[int, ...] | None:
        """Mate by a lone minor piece after a pawn of the loser has become a knight."""
        for stage in plans.blocker_wanted(self._position):
            found = self._seek(self._position, stage.table, _FIRST, aims=stage.aims)
            if found.line is None:
                continue
            if found.mate:
                return found.line
            for table in plans.lone_minor(found.end):
                mate = self._seek(found.end, table, _FIRST)
                if mate.mate:
                    assert mate.line is not None
                    return found.line + mate.line
        return None

    def _by_stages(
        self, position: PackedPosition, nodes: int, order: SearchOrder, stages: int
    ) -> tuple[int, ...] | None:
        """Mate after a pawn has promoted, in several stages."""
        if _heavy(position) or not position.count(PAWN, 0, 64):
            if position == self._position:
                return None
            for table in _tables(position):
                found = self._seek(position, table, nodes, order)
                if found.mate:
                    return found.line
            return None
        for number, stage in enumerate(plans.promotion(position)):
            if number >= _PAWNS or not stages or self._left < self._floor:
                break
            found = self._seek(
                position, stage.table, max(nodes, _STAGE), order._replace(haste=_HASTE), stage.aims
            )
            if found.line is None:
                continue
            if found.mate:
                return found.line
            rest = self._by_stages(found.end, nodes, order, stages - 1)
            if rest is not None:
                return found.line + rest
        return None


def _heavy(position: PackedPosition) -> bool:
    return bool(position.count(QUEEN, 0, 64) or position.count(ROOK, 0, 64))


def _tables(position: PackedPosition) -> list[StepTable]:
    first = plans.lone_minor(position) if plans.is_lone_minor(position) else []
    return first + plans.corners(position)


def _locked(position: PackedPosition) -> bool:
    """Return whether the winner has no queen and no rook, and a pawn blocks each of the winner's
    pawns."""
    return not _heavy(position) and all(
        position[square + 8] == THEIRS + PAWN for square in SQUARES if position[square] == PAWN
    )


def is_dead(board: chess.Board) -> bool:
    """Return True if it is proven that neither side can checkmate any more (5.2.2).

    It runs after every move, so it looks closely only where a dead position is likely: few pieces,
    pawns that block each other, or nearly forced moves.
    """
    if _all_ways_dead(board.copy(stack=False), _PLIES):
        return True
    return (
        _jammed(board)
        and len(_first_moves(board, _FEW)) <= _FEW
        and all(
            can_mate(board, side, _DEAD_NODES).verdict is MatingVerdict.IMPOSSIBLE
            for side in chess.COLORS
        )
    )


def _first_moves(board: chess.Board, count: int) -> list[chess.Move]:
    """The first ``count`` legal moves, and one more if there are more."""
    return list(itertools.islice(board.generate_legal_moves(), count + 1))


def _walled_off(board: chess.Board) -> bool:
    """Return whether all pawns block each other, and nobody can mate behind them."""
    pawns = board.pawns
    white, black = pawns & board.occupied_co[True], pawns & board.occupied_co[False]
    if not pawns or (white << 8 | black >> 8) & ~pawns or board.queens | board.rooks:
        return False
    if not any(board.generate_legal_moves()):
        return not board.is_check()
    for side in chess.COLORS:
        position, rooks = encode(board, side)
        if not too_little(position) and not walled_off(position, rooks):
            return False
    return True


def _jammed(board: chess.Board) -> bool:
    """Return whether there are many pawns, none of which can move forward, and no queens or
    rooks."""
    if board.queens | board.rooks or chess.popcount(board.pawns) < _MANY:
        return False
    white, black = board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]
    return not ((board.pawns & white) << 8 | (board.pawns & black) >> 8) & ~board.occupied


def _all_ways_dead(board: chess.Board, plies: int) -> bool:
    """Return whether all of a few forced lines lead to a dead position or to stalemate."""
    if board.is_insufficient_material() or _walled_off(board):
        return True
    moves = _first_moves(board, _FORCED)
    if not moves:
        return not board.is_check()
    if len(moves) > _FORCED or not plies:
        return False
    for move in moves:
        board.push(move)
        dead = _all_ways_dead(board, plies - 1)
        board.pop()
        if not dead:
            return False
    return True
