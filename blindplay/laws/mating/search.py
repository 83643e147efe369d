"""Search for a helpmate: best first, towards a corner, until mate, the end of all positions or
the limit."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from .positions import (
    BISHOP,
    KING,
    KING_STEPS,
    KNIGHT,
    KNIGHT_STEPS,
    PAWN,
    QUEEN,
    ROOK,
    SQUARES,
    THEIRS,
    TURN,
    Position,
    Rooks,
    legal_moves,
    play,
)

_DARK = tuple(square for square in SQUARES if (square // 8 + square % 8) % 2 == 0)
_LIGHT = tuple(square for square in SQUARES if (square // 8 + square % 8) % 2 == 1)


def too_little(position: Position) -> bool:
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
    dark = light = False
    for squares in (_DARK, _LIGHT):
        if any(position[square] in (BISHOP, THEIRS + BISHOP) for square in squares):
            if squares is _DARK:
                dark = True
            else:
                light = True
    return not (dark and light)


@dataclass(frozen=True)
class Found:
    """What a search came to: ``line`` when mate was found; ``whole`` when all was searched."""

    line: tuple[int, ...] | None
    whole: bool
    nodes: int


Table = list[list[int]]


def seek(position: Position, rooks: Rooks, table: Table, limit: int, depth_cost: int = 1) -> Found:
    seen = {position}
    boards: list[Position] = []
    came: list[tuple[int, int]] = []
    heap: list[tuple[int, int, int, int, int, int]] = [(0, 0, -1, 0, 0, 0)]
    tick = 0
    while heap:
        _, _, parent, move, value, depth = heapq.heappop(heap)
        if parent < 0:
            here = position
        else:
            before = boards[parent]
            here = play(before, move, rooks)
            if here in seen:
                continue
            seen.add(here)
            if (move >> 12 or before[move >> 6 & 63]) and too_little(here):
                continue
        number = len(boards)
        if number >= limit:
            return Found(None, False, number)
        boards.append(here)
        came.append((parent, move))
        moves, check = legal_moves(here, rooks)
        if not moves:
            if check and here[TURN]:
                line = []
                while number:
                    number, move = came[number]
                    line.append(move)
                return Found(tuple(reversed(line)), False, len(boards))
            continue
        deeper = depth + 1
        for move in moves:
            start, end, promoted = move & 63, move >> 6 & 63, move >> 12
            mover = here[start]
            target = here[end]
            new = value - table[mover][start]
            new += table[promoted + (mover & THEIRS)][end] if promoted else table[mover][end]
            if target:
                new -= table[target][end]
            tick -= 1
            heapq.heappush(heap, (new + depth_cost * deeper, tick, number, move, new, deeper))
    return Found(None, True, len(boards))


def distances(targets: tuple[int, ...], steps: tuple[tuple[int, ...], ...]) -> list[int]:
    out = [9] * 64
    queue = list(targets)
    for t in targets:
        out[t] = 0
    for sq in queue:
        for n in steps[sq]:
            if out[n] > out[sq] + 1:
                out[n] = out[sq] + 1
                queue.append(n)
    return out


def corner_table(corner: int, w: dict[str, int]) -> Table:
    up = 1 if corner < 8 else -1
    right = 1 if corner % 8 == 0 else -1

    def sq(f: int, r: int) -> int:
        return corner + right * f + 8 * up * r

    table = [[0] * 64 for _ in range(16)]
    lk = distances((corner,), KING_STEPS)
    wk = distances((sq(1, 2), sq(2, 1)), KING_STEPS)
    wn = distances((sq(1, 2), sq(2, 1)), KNIGHT_STEPS)
    for s in SQUARES:
        table[THEIRS + KING][s] = w["lk"] * lk[s]
        table[KING][s] = w["wk"] * wk[s]
        table[KNIGHT][s] = w["wn"] * wn[s] - w["N"]
        table[BISHOP][s] = w["wb"] * lk[s] - w["N"]
        table[ROOK][s] = w["wr"] * lk[s] - w["R"]
        table[QUEEN][s] = w["wq"] * lk[s] - w["Q"]
        table[PAWN][s] = w["wp"] * (7 - (s >> 3)) - w["P"]
        for k in (PAWN, KNIGHT, BISHOP, ROOK, QUEEN):
            table[THEIRS + k][s] = w["l"]
    return table


EVERY = dict(lk=4, wk=4, wn=1, wb=1, wr=1, wq=2, wp=2, N=6, R=8, Q=12, P=2, l=1)
