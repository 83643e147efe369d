"""Best-first search for a helpmate, which is also a proof when it runs out of positions."""

from __future__ import annotations

import heapq
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

# What a position lacks for a mate, a number for each piece (a loser's is ``THEIRS`` higher) on each
# square; less is better. Row 0, the empty square, is all noughts.
StepTable = list[list[int]]

# Worked out on thousands of positions; a king's step is worth 4 in most tables.
_CHECK_GAIN = 3
_PAWNS_ONLY = bytes(piece if piece in (PAWN, THEIRS + PAWN) else 0 for piece in range(256))


def too_little(position: PackedPosition) -> bool:
    """Whether the winner's pieces cannot mate whatever is played, by what stands on the board.

    A bare king cannot. A lone knight needs a piece of the loser's that blocks a square without
    being able to take the knight, which a queen cannot be. Bishops of one colour of squares attack
    only these; the loser's king always finds the others unless a knight, a pawn or a bishop of the
    other colour stands in its way.
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
    """What a search came to.

    ``line``: moves to the aim, which is mate if ``mate``. ``whole``: there is none, every position
    was looked at. ``end``: the position after the line. ``nodes``: how many positions were looked
    at.
    """

    line: tuple[int, ...] | None
    whole: bool
    nodes: int
    end: PackedPosition = b""
    mate: bool = False


class SearchOrder(NamedTuple):
    """How a search chooses: what one manner misses, another finds.

    ``patience``: after so many positions with the same pawns in the same places, other pawns
    become more welcome by a point. ``flight_cost``: points for each square the loser's king may go
    to. ``haste``: points for each move.
    """

    patience: int
    flight_cost: int
    haste: int = 0


def seek(
    position: PackedPosition,
    rooks: Rooks,
    table: StepTable,
    limit: int,
    manner: SearchOrder,
    aims: int | None = None,
) -> SearchResult:
    """Follow the moves that bring ``table`` down until there is mate.

    ``limit`` is in positions looked at. ``aims``, squares as bits, ends the search also when
    something is taken there, the winner promotes, or the loser promotes to less than a queen.
    """
    seen = {position}
    boards: list[PackedPosition] = []
    came: list[tuple[int, int, int, int, int]] = []
    visits: list[int] = [0]
    kinds: dict[PackedPosition, int] = {}
    heap: list[tuple[int, int, int, int, int]] = [(0, 0, -1, 0, 0)]
    tick = 0  # the latest of equals goes first, so that a way is followed to its end
    push, pop = heapq.heappush, heapq.heappop
    while heap:
        _, _, parent, move, value = pop(heap)
        if parent < 0:
            here = position
            flights = 8
            shape = depth = 0
        else:
            before = boards[parent]
            here = play(before, move, rooks)
            if here in seen:
                continue
            seen.add(here)
            flights, shape, depth = came[parent][2:]
            depth += 1
            taken = before[move >> 6 & 63]
            if (taken or move >> 12) and too_little(here):
                continue
            if aims is not None and (
                (taken and aims >> (move >> 6 & 63) & 1)
                or (move >> 12 and (here[TURN] or move >> 12 != QUEEN))
            ):
                return SearchResult(_line(came, parent, move), False, len(boards), here)
            if taken or before[move & 63] & 7 == PAWN:
                still = here[:64].translate(_PAWNS_ONLY)
                shape = kinds.setdefault(still, len(visits))
                if shape == len(visits):
                    visits.append(0)
        number = len(boards)
        if number >= limit:
            return SearchResult(None, False, number)
        moves, check = legal_moves(here, rooks)
        king = here.index(THEIRS + KING)
        if here[TURN]:
            if not moves:
                if check:
                    return SearchResult(_line(came, parent, move), False, number, here, True)
                continue
            flights = len([1 for move in moves if move & 63 == king])
            looks = None
        else:
            looks = _checking(here, king)
        boards.append(here)
        came.append((parent, move, flights, shape, depth))
        visits[shape] += 1
        base = (
            manner.flight_cost * flights + visits[shape] // manner.patience + manner.haste * depth
        )
        for move in moves:
            start, end, promoted = move & 63, move >> 6 & 63, move >> 12
            mover = here[start]
            new = value - table[mover][start] - table[here[end]][end]
            if promoted:
                mover = promoted | mover & THEIRS
            new += table[mover][end]
            tick -= 1
            if looks is not None and looks[mover] >> end & 1:
                push(heap, (base + new - _CHECK_GAIN, tick, number, move, new))
            else:
                push(heap, (base + new, tick, number, move, new))
    return SearchResult(None, True, len(boards))


def _line(came: list[tuple[int, int, int, int, int]], parent: int, move: int) -> tuple[int, ...]:
    if parent < 0:
        return ()
    line = [move]
    while parent > 0:
        parent, move, *_ = came[parent]
        line.append(move)
    return tuple(reversed(line))


def _checking(position: PackedPosition, king: int) -> tuple[int, ...]:
    """For each kind of the winner's pieces, the squares from which it attacks the loser's king."""
    slanted = straight = 0
    for ray in BISHOP_RAYS[king]:
        for step in ray:
            slanted |= BIT[step]
            if position[step]:
                break
    for ray in ROOK_RAYS[king]:
        for step in ray:
            straight |= BIT[step]
            if position[step]:
                break
    return (
        0,
        PAWN_MASK[1][king],
        KNIGHT_MASK[king],
        slanted,
        straight,
        slanted | straight,
        0,
    )
