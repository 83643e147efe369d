"""Plans for the search: on which squares the pieces should stand for a mate.

A plan is a table with a cost for each piece on each square. It is advice only: a bad plan makes the
search longer, but never makes its answer wrong.
"""

import functools
import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from .positions import (
    BISHOP,
    BISHOP_RAYS,
    BIT,
    KING,
    KING_STEPS,
    KNIGHT,
    KNIGHT_STEPS,
    PAWN,
    PAWN_ATTACKS,
    QUEEN,
    RAYS,
    ROOK,
    SQUARES,
    THEIRS,
    PackedPosition,
)
from .search import StepTable

_CORNERS = (0, 7, 56, 63)
_FAR = 99
_NEVER = 9
# The value of each piece of the winner, and the cost of each piece of the loser, which may be in
# the way.
_WORTH = {PAWN: 2, KNIGHT: 6, BISHOP: 6, ROOK: 8, QUEEN: 12}
_TROUBLE = {PAWN: 1, KNIGHT: 3, BISHOP: 3, ROOK: 5, QUEEN: 6}
_UNREST = 2
_CALM = 2
_WANTED = 20  # value of a piece of the loser that must block its own king


def corners(position: PackedPosition) -> list[StepTable]:
    """Plans to mate the king in each corner, the nearest first."""
    king, own = position.index(THEIRS + KING), position.index(KING)
    tables = [_corner(position, corner) for corner in _CORNERS]
    return sorted(tables, key=lambda table: table[THEIRS + KING][king] + table[KING][own])


def _seen_from(corner: int, file: int, rank: int) -> int:
    """The square ``file`` steps sideways and ``rank`` steps up or down from a corner."""
    return corner + (file if corner % 8 == 0 else -file) + 8 * (rank if corner < 8 else -rank)


def _corner(position: PackedPosition, corner: int) -> StepTable:
    near = (_seen_from(corner, 1, 2), _seen_from(corner, 2, 1))
    return towards(position, corner, near)


def towards(position: PackedPosition, target: int, guards: tuple[int, ...]) -> StepTable:
    """The plan to mate the loser's king on ``target`` with the winner's on one of ``guards``."""
    count = position.count
    heavy = count(QUEEN, 0, 64) + count(ROOK, 0, 64)
    minor = count(KNIGHT, 0, 64) + count(BISHOP, 0, 64)
    promotion = _promotion(position)
    pawns = [promotion[square] for square in SQUARES if position[square] == PAWN]
    best = min(pawns, default=0)
    push = 0 if heavy else 4 if minor < 2 else 1
    table = _at_rest(position)
    loser, winner = _walk(position, (target,), 1), _walk(position, guards, 0)
    around, jumps = _steps(KING, (target,)), _steps(KNIGHT, guards)
    for square in SQUARES:
        table[THEIRS + KING][square] = 4 * loser[square]
        table[KING][square] = 4 * winner[square]
        table[KNIGHT][square] += jumps[square]
        table[BISHOP][square] += around[square]
        table[ROOK][square] += around[square]
        table[QUEEN][square] += 2 * around[square]
        table[PAWN][square] += push * min(best, promotion[square])
    if not heavy and not pawns and minor == 1:
        for square in SQUARES:
            for kind in (KNIGHT, BISHOP, ROOK):
                table[THEIRS + kind][square] = around[square] - _WANTED
            table[THEIRS + PAWN][square] = 2 * (square >> 3) + 6 - _WANTED
            table[THEIRS + QUEEN][square] = 8
    return table


def _at_rest(position: PackedPosition) -> StepTable:
    """The winner's pieces have a value, the loser's a cost, which is least where they stand now."""
    table = [[0] * 64 for _ in range(16)]
    for kind, worth in _WORTH.items():
        table[kind] = [-worth] * 64
        table[THEIRS + kind] = [
            _TROUBLE[kind] + (0 if kind == PAWN or position[square] == THEIRS + kind else _UNREST)
            for square in SQUARES
        ]
    return table


def _calm(position: PackedPosition) -> StepTable:
    """Like ``_at_rest``; the winner's pieces and both kings should also stay where they are."""
    table = _at_rest(position)
    for piece in (KNIGHT, BISHOP, ROOK, QUEEN, KING, THEIRS + KING):
        for square in SQUARES:
            if position[square] != piece:
                table[piece][square] += _CALM
    return table


@functools.lru_cache(maxsize=64)
def _walk(position: PackedPosition, targets: tuple[int, ...], side: int) -> tuple[int, ...]:
    """The cost of a king's way from each square to the nearest target; obstacles cost more."""
    own = THEIRS if side else 0
    enter = [1] * 64
    for square in SQUARES:
        piece = position[square]
        if not piece:
            continue
        if piece & THEIRS == own:
            if piece & 7 != KING:
                enter[square] += 2 if piece & 7 == PAWN else 1
        elif piece & 7 == PAWN:
            for step in PAWN_ATTACKS[1 - side][square]:
                enter[step] += 2
    costs = [_FAR] * 64
    heap = []
    for target in targets:
        costs[target] = 0
        heap.append((0, target))
    while heap:
        cost, square = heapq.heappop(heap)
        if cost > costs[square]:
            continue
        cost += enter[square]
        for step in KING_STEPS[square]:
            if costs[step] > cost:
                costs[step] = cost
                heapq.heappush(heap, (cost, step))
    return tuple(costs)


@functools.cache
def _steps(kind: int, targets: tuple[int, ...]) -> tuple[int, ...]:
    """Return the number of moves from each square to the nearest target on an empty board."""
    costs = [_NEVER] * 64
    queue = list(targets)
    for target in queue:
        costs[target] = 0
    for square in queue:
        if kind in (KNIGHT, KING):
            reached: Iterable[int] = (KNIGHT_STEPS if kind == KNIGHT else KING_STEPS)[square]
        else:
            reached = (step for ray in RAYS[kind][square] for step in ray)
        for step in reached:
            if costs[step] > costs[square] + 1:
                costs[step] = costs[square] + 1
                queue.append(step)
    return tuple(costs)


def _promotion(position: PackedPosition) -> list[int]:
    """Return the cost in moves for a winner's pawn on each square to reach the last rank if the
    loser's pieces help."""
    costs = [0] * 64
    helpers = any(
        position[square] & THEIRS and position[square] & 7 not in (PAWN, KING) for square in SQUARES
    )
    for square in range(55, 7, -1):
        ahead = square + 8
        piece = position[ahead]
        cost = costs[ahead] + (5 if piece == THEIRS + PAWN else 2 if piece else 1)
        for step in PAWN_ATTACKS[0][square]:
            piece = position[step]
            if piece & THEIRS and piece & 7 != KING:
                cost = min(cost, costs[step] + 1)
            elif helpers:
                cost = min(cost, costs[step] + 3)
        costs[square] = cost
    for square in range(8):
        costs[square] = costs[square + 8] + 1
    return costs


# --- a lone minor piece --------------------------------------------------------------------------


@dataclass(frozen=True)
class _Pattern:
    """A mate in a corner by one minor piece. Squares are (file, rank) from the corner."""

    checker: int
    guard: tuple[int, int]
    check: tuple[int, int]
    block: tuple[int, int]
    blockers: tuple[int, ...]


_PATTERNS = (
    _Pattern(KNIGHT, (1, 2), (2, 1), (1, 0), (KNIGHT,)),
    _Pattern(KNIGHT, (0, 2), (2, 1), (1, 0), (ROOK,)),
    _Pattern(KNIGHT, (0, 2), (1, 2), (1, 0), (BISHOP,)),
    _Pattern(KNIGHT, (2, 1), (1, 2), (0, 1), (PAWN,)),
    _Pattern(KNIGHT, (2, 0), (1, 2), (0, 1), (PAWN,)),
    _Pattern(BISHOP, (1, 2), (1, 1), (1, 0), (KNIGHT, BISHOP)),
    _Pattern(BISHOP, (2, 1), (1, 1), (0, 1), (PAWN,)),
)


def is_lone_minor(position: PackedPosition) -> bool:
    """Return whether the winner has only a knight, or only bishops on squares of one colour."""
    count = position.count
    if count(QUEEN, 0, 64) or count(ROOK, 0, 64) or count(PAWN, 0, 64):
        return False
    knights = count(KNIGHT, 0, 64)
    colours = {(square + square // 8) % 2 for square in SQUARES if position[square] == BISHOP}
    return knights + len(colours) == 1


def lone_minor(position: PackedPosition) -> list[StepTable]:
    """Plans to mate with a knight or with bishops on one colour, the shortest first.

    The loser's king goes into a corner, where one of its own pieces blocks a square.
    """
    kinds = {position[square] for square in SQUARES}
    checker = KNIGHT if KNIGHT in kinds else BISHOP
    if checker not in kinds:
        return []
    found: list[tuple[int, int, StepTable]] = []
    for corner in _CORNERS:
        for pattern in _PATTERNS:
            if pattern.checker != checker:
                continue
            for turned in (False, True):
                places = (pattern.guard, pattern.check, pattern.block)
                guard, check, block = (
                    _seen_from(corner, *(place[::-1] if turned else place)) for place in places
                )
                for blocker in pattern.blockers:
                    table = _lone(position, corner, checker, guard, check, block, blocker)
                    if table is not None:
                        cost = _cost(position, table, checker, blocker)
                        found.append((cost, len(found), table))
    return [table for _, _, table in sorted(found)[:8]]


def _lone(
    position: PackedPosition,
    corner: int,
    checker: int,
    guard: int,
    check: int,
    block: int,
    blocker: int,
) -> StepTable | None:
    has = {position[square] for square in SQUARES}
    if blocker == PAWN:
        if not any(position[square] == THEIRS + PAWN for square in range(block, 64, 8)):
            return None
    elif THEIRS + PAWN not in has and not _gets_to(position, THEIRS + blocker, block):
        return None
    if not _gets_to(position, checker, check):
        return None
    table = _at_rest(position)
    loser, winner = _walk(position, (corner,), 1), _walk(position, (guard,), 0)
    # The checker waits beside the square where it gives check: from that square itself it would
    # keep the king out of the corner.
    waits = _waiting(checker, corner, check)
    for square in SQUARES:
        table[THEIRS + KING][square] = 6 * loser[square]
        table[KING][square] = 4 * winner[square]
        table[checker][square] += (3 if checker == KNIGHT else 4) * waits[square]
    if blocker == PAWN:
        for square in SQUARES:
            above = square - block
            on_way = above >= 0 and above % 8 == 0
            table[THEIRS + PAWN][square] = above // 2 - _WANTED if on_way else 10
    else:
        blocks = _steps(blocker, (block,))
        table[THEIRS + blocker] = [3 * cost - _WANTED for cost in blocks]
        if THEIRS + blocker not in has:
            table[THEIRS + PAWN] = [4 * (square >> 3) + 14 - _WANTED for square in SQUARES]
    return table


def _gets_to(position: PackedPosition, piece: int, target: int) -> bool:
    """Return whether one of these pieces can ever reach the target; a bishop stays on its
    colour."""
    steps = _steps(piece & 7, (target,))
    return any(position[square] == piece and steps[square] < _NEVER for square in SQUARES)


def _waiting(checker: int, corner: int, check: int) -> list[int]:
    """Return the number of moves from each square to one beside the square where the checker gives
    check."""
    if checker == KNIGHT:
        waits = list(_steps(KNIGHT, KNIGHT_STEPS[check]))
    else:
        long = {corner, *(square for ray in BISHOP_RAYS[corner] for square in ray)}
        beside = (step for ray in BISHOP_RAYS[check] for step in ray if step not in long)
        waits = list(_steps(BISHOP, tuple(beside)))
        for square in long:
            waits[square] += 1
    waits[check] = 1
    return waits


def _cost(position: PackedPosition, table: StepTable, checker: int, blocker: int) -> int:
    def least(piece: int) -> int:
        return min(
            (table[piece][square] for square in SQUARES if position[square] == piece), default=_FAR
        )

    block = least(THEIRS + blocker)
    if block == _FAR:
        block = least(THEIRS + PAWN)
    return least(KING) + least(THEIRS + KING) + least(checker) + block


# --- a pawn's way to the last rank ---------------------------------------------------------------


@dataclass(frozen=True)
class PlanStage:
    """A plan for a part of the game: its table, and the squares (as bits) where a capture ends
    it."""

    table: StepTable
    aims: int


def promotion(position: PackedPosition) -> Iterator[PlanStage]:
    """Plans that advance one of the winner's pawns, the most promising pawns first.

    If a pawn of the loser blocks it, the winner's king or another piece takes the blocker, or the
    pawn takes a piece of the loser beside it. If the loser has no such piece, one of the loser's
    pawns must promote first.
    """
    king, loser_king = position.index(KING), position.index(THEIRS + KING)
    ways: list[tuple[int, Callable[[], PlanStage]]] = []
    baited = set()
    for pawn in SQUARES:
        if position[pawn] == PAWN:
            ahead = range(pawn + 8, 64, 8)
            blocker = next((square for square in ahead if position[square] == THEIRS + PAWN), None)
            if blocker is None:
                ways.append((2 * len(ahead), functools.partial(_run, position, pawn)))
                continue
            walk = _walk(position, (blocker,), 0)
            siege = functools.partial(_siege, position, pawn, blocker, walk)
            ways.append((8 + 2 * walk[king], siege))
            for beside in PAWN_ATTACKS[0][pawn]:
                if position[beside] in (PAWN, KING, THEIRS + KING) or beside in baited:
                    continue
                baited.add(beside)
                cost = _bait_cost(position, beside)
                if cost is not None:
                    ways.append((cost, functools.partial(_bait, position, beside)))
        elif position[pawn] == THEIRS + PAWN:
            path = range(pawn - 8, -1, -8)
            first = next((square for square in path if position[square] & 7 == PAWN), None)
            if first is None:
                ways.append((20 + 2 * len(path), functools.partial(_helper, position, pawn)))
            elif position[first] == PAWN:
                walk = _walk(position, (first,), 1)
                opening = functools.partial(_opening, position, pawn, first, walk)
                ways.append((24 + 2 * walk[loser_king], opening))
    for _, way in sorted(ways, key=lambda entry: entry[0]):
        yield way()


def blocker_wanted(position: PackedPosition) -> Iterator[PlanStage]:
    """Plans for a lone minor piece against pawns alone: one of the pawns becomes a knight.

    There are none if the loser already has a piece that can block its king.
    """
    has = {position[square] for square in SQUARES}
    pawns = [square for square in SQUARES if position[square] == THEIRS + PAWN]
    if not is_lone_minor(position) or not pawns or THEIRS + KNIGHT in has:
        return
    if KNIGHT in has and has & {THEIRS + ROOK, THEIRS + BISHOP}:
        return
    for pawn in pawns:
        if not any(position[square] == THEIRS + PAWN for square in range(pawn - 8, -1, -8)):
            yield _helper(position, pawn)


def _helper(position: PackedPosition, pawn: int) -> PlanStage:
    """A pawn of the loser becomes a knight."""
    table = _calm(position)
    for square in range(pawn, -1, -8):
        table[THEIRS + PAWN][square] = -4 * ((pawn - square) >> 3) - 4
        for kind in (KNIGHT, BISHOP, ROOK, QUEEN):
            table[kind][square] += 4
            if square >= 8:
                table[THEIRS + kind][square] += 4
        table[KING][square] += 4
        table[THEIRS + KING][square] += 4
    table[THEIRS + KNIGHT] = [-60] * 64
    return PlanStage(table, 0)


def _opening(position: PackedPosition, pawn: int, blocker: int, walk: tuple[int, ...]) -> PlanStage:
    """The loser's king takes a pawn of the winner that blocks a pawn of the loser."""
    table = _calm(position)
    table[THEIRS + KING] = [4 * cost for cost in walk]
    for square in KING_STEPS[blocker]:
        table[KING][square] += 4
    return PlanStage(table, _in_the_way(table[PAWN], range(blocker, pawn, 8)))


def _in_the_way(row: list[int], squares: range) -> int:
    """Raise the cost of a pawn on ``squares``, least on the first one, where it stands now.

    Returns the squares as bits.
    """
    for square in squares:
        row[square] += 20 if square == squares.start else 24
    return sum(BIT[square] for square in squares)


def _run(position: PackedPosition, pawn: int) -> PlanStage:
    """A pawn runs straight to promotion; everything leaves its file."""
    table = _calm(position)
    path = range(pawn, 64, 8)
    table[PAWN] = [0] * 64
    for square in path:
        table[PAWN][square] = -4 * ((square - pawn) >> 3) - 1
        for kind in _TROUBLE:
            table[THEIRS + kind][square] += 4
            if square != pawn and kind != PAWN:
                table[kind][square] += 4
        table[KING][square] += 4
        table[THEIRS + KING][square] += 4
    table[QUEEN] = [-60] * 64
    return PlanStage(table, 0)


def _siege(position: PackedPosition, pawn: int, blocker: int, walk: tuple[int, ...]) -> PlanStage:
    """The winner's king or a minor piece takes the pawn in front of its own."""
    table = _calm(position)
    table[KING] = [4 * cost for cost in walk]
    for kind in (KNIGHT, BISHOP):
        table[kind] = [3 * cost - _WORTH[kind] for cost in _steps(kind, (blocker,))]
    for square in KING_STEPS[blocker]:
        table[THEIRS + KING][square] += 4
    return PlanStage(table, _in_the_way(table[THEIRS + PAWN], range(blocker, pawn, -8)))


def _bait_cost(position: PackedPosition, beside: int) -> int | None:
    """The cost of a capture on ``beside`` and of the way from there; None if it is impossible."""
    ahead = range(beside + 8, 64, 8)
    costs = [
        _steps(position[square] & 7, (beside,))[square]
        for square in SQUARES
        if position[square] & THEIRS and position[square] & 7 in (KNIGHT, BISHOP, ROOK, QUEEN)
    ]
    costs += [
        (square - beside) >> 3 for square in (beside, *ahead) if position[square] == THEIRS + PAWN
    ]
    if min(costs, default=_NEVER) >= _NEVER:
        return None
    blocked = any(position[square] == THEIRS + PAWN for square in ahead)
    return 2 * min(costs) + 2 * len(ahead) + (12 if blocked else 0)


def _bait(position: PackedPosition, beside: int) -> PlanStage:
    """A piece of the loser goes where a pawn can take it."""
    table = _calm(position)
    for kind in (KNIGHT, BISHOP, ROOK, QUEEN):
        table[THEIRS + kind] = [3 * cost for cost in _steps(kind, (beside,))]
    for square in range(beside, 64, 8):
        table[THEIRS + PAWN][square] = 3 * ((square - beside) >> 3) - 9
    table[PAWN][beside] = -30
    return PlanStage(table, BIT[beside])
