"""Whether a side can still checkmate by any series of legal moves (FIDE 5.2.2, 6.9, 9.7).

The opponent is taken to play as unskilled as he may, so the question is whether there is a helpmate
of any length. Every verdict is proven: `possible` by a line that ends in checkmate, `impossible` by
the material, by what the pieces can never reach, or by having looked at every position; where the
limit of the search comes first, the verdict is `undecided`. Limits are in positions, never in time,
so that the same question has the same answer on every machine.
"""

from __future__ import annotations

import enum
import itertools
from dataclasses import dataclass

import chess

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

__all__ = ["DEFAULT_NODES", "Mating", "MatingVerdict", "can_mate", "is_dead"]

DEFAULT_NODES = 100_000

_MATERIAL = "The pieces left cannot give mate."
_WALLS = "The pieces that could give mate can never get to where they would."
_EXHAUSTED = "Every series of legal moves was followed, and none ends in mate."
_OVER = "The game has ended on the board."

# Positions looked at for one plan, and in what manner, in one round after the other.
_FIRST = 150
_USUAL = SearchOrder(64, 1)
_ROUNDS = (
    (60, _USUAL),
    (_FIRST, SearchOrder(32, 0)),
    (200, SearchOrder(32, 3)),
    (600, _USUAL),
    (2_000, SearchOrder(16, 1)),
)
_LAST = SearchOrder(8, 1)  # with all that is left of the limit

# On the way through a stage there is no time to lose; so many pawns are tried, so many stages deep,
# with so many positions each at least, and in a round as much as for so many plans.
_HASTE = 2
_PAWNS = 5
_STAGES = 6
_STAGE = 200
_ALLOWANCE = 12

# A dead position is looked for where at most so many moves are legal, so many plies deep;
# by a search where there are few and none of many pawns can go on.
_FORCED = 2
_FEW = 8
_MANY = 6
_PLIES = 5
_DEAD_NODES = 1_000


class MatingVerdict(enum.StrEnum):
    """The answers to the question."""

    POSSIBLE = "possible"
    IMPOSSIBLE = "impossible"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Mating:
    """A verdict: ``line`` is the helpmate if `possible`, ``reason`` a sentence if `impossible`."""

    verdict: MatingVerdict
    line: tuple[chess.Move, ...] = ()
    reason: str = ""


def can_mate(board: chess.Board, side: chess.Color, limit: int = DEFAULT_NODES) -> Mating:
    """Whether ``side`` can still checkmate from ``board`` by any series of legal moves.

    ``limit`` is in positions looked at. The rules of fifty moves and of repetition are left aside.
    A game that has ended by mate is `possible`, with no moves, for the side that mated.
    """
    position, rooks = encode(board, side)
    if too_little(position):
        return Mating(MatingVerdict.IMPOSSIBLE, reason=_MATERIAL)
    moves, _ = legal_moves(position, rooks)
    if not moves:
        if board.is_checkmate() and board.turn != side:
            return Mating(MatingVerdict.POSSIBLE)
        return Mating(MatingVerdict.IMPOSSIBLE, reason=_OVER)
    search = _Question(position, rooks, limit)
    reason = search.decide()
    if search.line is not None:
        return _proven(board, side, position, rooks, search.line)
    return (
        Mating(MatingVerdict.IMPOSSIBLE, reason=reason)
        if reason
        else Mating(MatingVerdict.UNDECIDED)
    )


def _proven(
    board: chess.Board,
    side: chess.Color,
    position: PackedPosition,
    rooks: Rooks,
    line: tuple[int, ...],
) -> Mating:
    """The line in moves of the board, each checked by the rules of another hand."""
    replay = board.copy(stack=False)
    moves = []
    for lean in line:
        move = decode(lean, position, replay, side)
        if not replay.is_legal(move):
            return Mating(MatingVerdict.UNDECIDED)
        moves.append(move)
        replay.push(move)
        position = play(position, lean, rooks)
    if not replay.is_checkmate() or replay.turn == side:
        return Mating(MatingVerdict.UNDECIDED)
    return Mating(MatingVerdict.POSSIBLE, tuple(moves))


class _Question:
    """One question, answered by one means after the other until the limit."""

    def __init__(self, position: PackedPosition, rooks: Rooks, limit: int) -> None:
        self._position = position
        self._rooks = rooks
        self._left = limit
        self._floor = 0
        self.line: tuple[int, ...] | None = None

    def decide(self) -> str:
        """Sets ``line``, or says why there is none, or does neither."""
        position = self._position
        locked = _locked(position)
        if locked and walled_off(position, self._rooks):
            return _WALLS
        self.line = self._with_blocker()
        if self.line is not None:
            return ""
        tables = _tables(position)
        for nodes, manner in _ROUNDS:
            for table in tables:
                found = self._seek(position, table, nodes, manner)
                if found.mate:
                    self.line = found.line
                    return ""
                if found.whole:
                    return _EXHAUSTED
            self._floor = self._left - _ALLOWANCE * nodes
            self.line = self._by_stages(position, nodes, manner, _STAGES)
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
        manner: SearchOrder = _USUAL,
        aims: int | None = None,
    ) -> SearchResult:
        found = seek(position, self._rooks, table, min(nodes, self._left), manner, aims)
        self._left -= found.nodes
        return found

    def _with_blocker(self) -> tuple[int, ...] | None:
        """Mate by a lone minor piece after a pawn of the loser's has become a knight."""
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
        self, position: PackedPosition, nodes: int, manner: SearchOrder, stages: int
    ) -> tuple[int, ...] | None:
        """Mate after a pawn has got through, in as many stages as that takes."""
        if _heavy(position) or not position.count(PAWN, 0, 64):
            if position == self._position:
                return None
            for table in _tables(position):
                found = self._seek(position, table, nodes, manner)
                if found.mate:
                    return found.line
            return None
        for number, stage in enumerate(plans.promotion(position)):
            if number >= _PAWNS or not stages or self._left < self._floor:
                break
            found = self._seek(
                position,
                stage.table,
                max(nodes, _STAGE),
                manner._replace(haste=_HASTE),
                stage.aims,
            )
            if found.line is None:
                continue
            if found.mate:
                return found.line
            rest = self._by_stages(found.end, nodes, manner, stages - 1)
            if rest is not None:
                return found.line + rest
        return None


def _heavy(position: PackedPosition) -> bool:
    return bool(position.count(QUEEN, 0, 64) or position.count(ROOK, 0, 64))


def _tables(position: PackedPosition) -> list[StepTable]:
    tables = plans.corners(position)
    if plans.is_lone_minor(position):
        return plans.lone_minor(position) + tables
    return tables


def _locked(position: PackedPosition) -> bool:
    """Whether the winner has no queen, no rook and no pawn that a pawn does not block."""
    return not _heavy(position) and all(
        position[square + 8] == THEIRS + PAWN for square in SQUARES if position[square] == PAWN
    )


def is_dead(board: chess.Board) -> bool:
    """Whether neither side can checkmate any more (5.2.2); True only where that is proven.

    Made to be asked after every move, so it looks closely only at what may well be dead: too few
    pieces, pawns that all stand against each other, and moves that are all but forced.
    """
    if board.is_insufficient_material():
        return True
    if _walled_off(board):
        return True
    if _at_most(board, _FORCED) and _all_ways_dead(board.copy(stack=False), _PLIES):
        return True
    return _jammed(board) and _at_most(board, _FEW) and _proven_dead(board)


def _at_most(board: chess.Board, moves: int) -> bool:
    return len(list(itertools.islice(board.generate_legal_moves(), moves + 1))) <= moves


def _walled_off(board: chess.Board) -> bool:
    """Whether all pawns stand against each other, and nobody can mate past them."""
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
    """Whether there are many pawns of which none can be pushed, and neither queens nor rooks."""
    if board.queens | board.rooks or chess.popcount(board.pawns) < _MANY:
        return False
    white, black = board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]
    return not ((board.pawns & white) << 8 | (board.pawns & black) >> 8) & ~board.occupied


def _all_ways_dead(board: chess.Board, plies: int) -> bool:
    """Whether all of a few forced ways lead to a dead position or to stalemate."""
    if board.is_insufficient_material():
        return True
    if _walled_off(board):
        return True
    moves = list(itertools.islice(board.generate_legal_moves(), _FORCED + 1))
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


def _proven_dead(board: chess.Board) -> bool:
    return all(
        can_mate(board, side, _DEAD_NODES).verdict is MatingVerdict.IMPOSSIBLE
        for side in chess.COLORS
    )
