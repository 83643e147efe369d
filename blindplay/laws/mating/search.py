"""Best-first search for a helpmate. It is also a proof when it has looked at every position."""

import heapq
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from .positions import (
    BISHOP,
    BISHOP_RAYS,
    BIT,
    KING,
    KNIGHT,
    KNIGHT_MASK,
    PAWN,
    PAWN_MASK,
    QUEEN,
    ROOK,
    ROOK_RAYS,
    SQUARES,
    THEIRS,
    TURN,
    PackedPosition,
    Rooks,
    legal_moves,
    play,
)

_DARK = tuple(square for square in SQUARES if (square // 8 + square % 8) % 2 == 0)

# The distance of a position from a mate: a number for each piece (a loser's is ``THEIRS`` higher)
# on each square; less is better. Row 0, the empty square, is all zeros.
StepTable = list[list[int]]

# Tuned on thousands of positions; a king's step is worth 4 in most tables.
_CHECK_GAIN = 3
_PAWNS_ONLY = bytes(piece if piece in (PAWN, THEIRS + PAWN) else 0 for piece in range(256))

# A position that was looked at: the number of the position before it (-1 for none), the move that
# led to it, the squares to which the loser's king can go, the number of its pawn structure, and its
# depth in plies.
_Node = tuple[int, int, int, int, int]
# A position to look at: its estimate, a tick, the number of the position before it, the move, and
# what the table gives for it. The tick decreases, so that the latest of equals goes first and a
# line is followed to its end.
_Entry = tuple[int, int, int, int, int]


def too_little(position: PackedPosition) -> bool:
    """Return whether the winner's pieces can never mate, judged by the material alone.

    A bare king cannot. A lone knight needs a piece of the loser's that blocks a square without
    being able to take the knight; a queen always can. Bishops on squares of one colour attack only
    these; the loser's king can always step to the others unless a knight, a pawn or a bishop on
    squares of the other colour stands in its way.
    """
    count = position.count
    if count(QUEEN, 0, 64) or count(ROOK, 0, 64) or count(PAWN, 0, 64):
        return False
    knights, bishops = count(KNIGHT, 0, 64), count(BISHOP, 0, 64)
    if not knights and not bishops:
        return True
    if count(THEIRS + PAWN, 0, 64) or count(THEIRS + KNIGHT, 0, 64):
        return False
    if knights:
        if knights > 1 or bishops:
            return False
        return not (count(THEIRS + BISHOP, 0, 64) or count(THEIRS + ROOK, 0, 64))
    dark = sum(position[square] & ~THEIRS == BISHOP for square in _DARK)
    return dark in (0, bishops + count(THEIRS + BISHOP, 0, 64))


@dataclass(frozen=True)
class SearchResult:
    """The result of a search.

    ``line``: the moves to the aim, None if there are none; the aim is mate if ``mate``. ``whole``:
    every position was looked at, so there is no such line. ``nodes``: how many positions were
    looked at. ``end``: the position after the line.
    """

    line: tuple[int, ...] | None
    whole: bool
    nodes: int
    end: PackedPosition = b""
    mate: bool = False


class SearchOrder(NamedTuple):
    """The order in which a search looks at positions. One order finds what another misses.

    ``patience``: after so many positions with the same pawns on the same squares, other pawn
    structures are preferred by a point. ``flight_cost``: points for each square to which the
    loser's king can go. ``haste``: points for each move.
    """

    patience: int
    flight_cost: int
    haste: int = 0


def seek(
    position: PackedPosition,
    rooks: Rooks,
    table: StepTable,
    limit: int,
    order: SearchOrder,
    aims: int | None = None,
) -> SearchResult:
    """Follow the moves that make the value of ``table`` smaller until there is mate.

    ``limit`` is the number of positions to look at. ``aims``, squares as bits, also ends the search
    when something is taken there, the winner promotes, or the loser promotes to less than a queen.
    """
    seen = {position}
    boards: list[PackedPosition] = []
    nodes: list[_Node] = []
    visits: list[int] = [0]  # how often each pawn structure was looked at
    structures: dict[PackedPosition, int] = {}
    heap: list[_Entry] = [(0, 0, -1, 0, 0)]
    ticks = itertools.count(-1, -1)
    while heap:
        _, _, parent, move, value = heapq.heappop(heap)
        if parent < 0:
            here = position
            flights = 8
            structure = depth = 0
        else:
            before = boards[parent]
            here = play(before, move, rooks)
            if here in seen:
                continue
            seen.add(here)
            _, _, flights, structure, depth = nodes[parent]
            depth += 1
            taken = before[move >> 6 & 63]
            if (taken or move >> 12) and too_little(here):
                continue
            if aims is not None and _reaches(aims, move, taken, here):
                return SearchResult(_line(nodes, parent, move), False, len(boards), here)
            if taken or before[move & 63] & 7 == PAWN:
                pawns = here[:64].translate(_PAWNS_ONLY)
                structure = structures.setdefault(pawns, len(visits))
                if structure == len(visits):
                    visits.append(0)
        number = len(boards)
        if number >= limit:
            return SearchResult(None, False, number)
        moves, check = legal_moves(here, rooks)
        king = here.index(THEIRS + KING)
        checking = None
        if not here[TURN]:
            checking = _checking(here, king)
        elif moves:
            flights = len([1 for move in moves if move & 63 == king])
        elif check:
            return SearchResult(_line(nodes, parent, move), False, number, here, True)
        else:
            continue
        boards.append(here)
        nodes.append((parent, move, flights, structure, depth))
        visits[structure] += 1
        cost = order.flight_cost * flights + visits[structure] // order.patience
        cost += order.haste * depth
        _push(heap, here, moves, table, checking, number, value, cost, ticks)
    return SearchResult(None, True, len(boards))


def _reaches(aims: int, move: int, taken: int, here: PackedPosition) -> bool:
    """Return whether ``move`` takes something on ``aims`` or is a promotion that ends a search
    there."""
    if taken and aims >> (move >> 6 & 63) & 1:
        return True
    promoted = move >> 12
    return bool(promoted and (here[TURN] or promoted != QUEEN))


def _push(
    heap: list[_Entry],
    here: PackedPosition,
    moves: list[int],
    table: StepTable,
    checking: tuple[int, ...] | None,
    number: int,
    value: int,
    cost: int,
    ticks: Iterator[int],
) -> None:
    """Add the positions after ``moves``; ``value`` is what the table gives for ``here``."""
    push = heapq.heappush
    for move, tick in zip(moves, ticks, strict=False):
        start, end = move & 63, move >> 6 & 63
        mover = here[start]
        row = table[mover]
        new = value - row[start] - table[here[end]][end]
        if move >> 12:
            mover = move >> 12 | mover & THEIRS
            row = table[mover]
        new += row[end]
        if checking is not None and checking[mover] >> end & 1:
            push(heap, (cost + new - _CHECK_GAIN, tick, number, move, new))
        else:
            push(heap, (cost + new, tick, number, move, new))


def _line(nodes: list[_Node], parent: int, move: int) -> tuple[int, ...]:
    if parent < 0:
        return ()
    line = [move]
    while parent > 0:
        parent, move, *_ = nodes[parent]
        line.append(move)
    return tuple(reversed(line))


def _checking(position: PackedPosition, king: int) -> tuple[int, ...]:
    """For each kind of the winner's pieces, the squares from which it attacks the loser's king."""
    seen = [0, 0]
    for number, rays in enumerate((BISHOP_RAYS, ROOK_RAYS)):
        for ray in rays[king]:
            for step in ray:
                seen[number] |= BIT[step]
                if position[step]:
                    break
    slanted, straight = seen
    return (0, PAWN_MASK[1][king], KNIGHT_MASK[king], slanted, straight, slanted | straight, 0)
