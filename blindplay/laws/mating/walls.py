"""Proofs that no mate can ever arise behind walls of pawns.

A *wall* is a piece that provably never moves and is never taken. The proofs overestimate what is
possible: a piece moves as if only walls could block it, and checks and turns are ignored. So a
piece never gets to a square outside its *reach*, and a mate that needs such a square cannot happen.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import chess

from ..placement import mask
from .positions import (
    BIT,
    CASTLING,
    KING,
    KING_MASK,
    KNIGHT,
    KNIGHT_MASK,
    PASSING,
    PAWN,
    PAWN_MASK,
    QUEEN,
    RAYS,
    SQUARES,
    THEIRS,
    PackedPosition,
    Rooks,
)

_LAST_RANKS = (0xFF << 56, 0xFF)
# For each side, a square and those beyond it on its file, in the direction of that side's pawns.
_ONWARD = (
    tuple(mask(range(square, 64, 8)) for square in SQUARES),
    tuple(mask(range(square, -1, -8)) for square in SQUARES),
)


@dataclass
class _Piece:
    square: int
    kind: int
    side: int  # 0 the winner, 1 the loser
    reach: int  # squares on which it may ever stand, without a promotion
    promoted: int = 0  # squares on which it may stand after a promotion
    walled: bool = True  # as far as is known, it never moves and is never taken
    leaves: bool = False  # it is a pawn that may be taken, or change its file by taking


def squares_of(bits: int) -> list[int]:
    """The squares whose bits are set."""
    return list(chess.scan_forward(bits))


def _sees(kind: int, square: int, walls: int) -> int:
    """The squares that a piece other than a pawn attacks if only ``walls`` block it."""
    if kind == KNIGHT:
        return KNIGHT_MASK[square]
    if kind == KING:
        return KING_MASK[square]
    seen = 0
    for ray in RAYS[kind][square]:
        for step in ray:
            seen |= BIT[step]
            if walls >> step & 1:
                break
    return seen


def walled_off(position: PackedPosition, rooks: Rooks) -> bool:
    """True if it is proven that the winner can never mate from here on.

    The game must not have ended: a mate that is already on the board is not seen.
    """
    walls = Walls(position, rooks)
    return not walls.free and next(walls.mates(), None) is None


class Walls:
    """The reach of every piece of a position. It grows until nothing changes."""

    def __init__(self, position: PackedPosition, rooks: Rooks) -> None:
        self.pieces = [
            _Piece(square, position[square] & 7, position[square] >> 3, BIT[square])
            for square in SQUARES
            if position[square]
        ]
        self._loosen_special_moves(position, rooks)
        # Files that each side's pawns may enter by a capture.
        self.entered = [0, 0]
        self.free = False  # a pawn of the winner may promote, so walls prove nothing
        self._grow()

    def _loosen_special_moves(self, position: PackedPosition, rooks: Rooks) -> None:
        at = {piece.square: piece for piece in self.pieces}
        passing = position[PASSING]
        if passing:
            pawn = at[passing + (8 if passing < 32 else -8)]
            pawn.reach |= BIT[passing]
            pawn.walled, pawn.leaves = False, True
        for number, rook in enumerate(rooks):
            if position[CASTLING] >> number & 1:
                side = number >> 1
                king = at[position.index(KING + THEIRS * side)]
                home = king.square & 56
                right = rook > king.square
                king.reach |= BIT[home + (6 if right else 2)]
                at[rook].reach |= BIT[home + (5 if right else 3)]
                king.walled = at[rook].walled = False

    def _grow(self) -> None:
        while not self.free:
            changed = False
            own = [0, 0]  # walls of each side
            guarded = [0, 0]  # squares that a wall of each side attacks for ever
            stands = [0, 0]  # squares on which a side's pieces other than its king may ever stand
            kings = 0  # those that are walls
            for piece in self.pieces:
                if piece.walled:
                    own[piece.side] |= BIT[piece.square]
                    if piece.kind == PAWN:
                        guarded[piece.side] |= PAWN_MASK[piece.side][piece.square]
                    elif piece.kind == KNIGHT:
                        guarded[piece.side] |= KNIGHT_MASK[piece.square]
                    elif piece.kind == KING:
                        guarded[piece.side] |= KING_MASK[piece.square]
                        kings |= BIT[piece.square]
                if piece.kind != KING:
                    stands[piece.side] |= piece.reach | piece.promoted
            walls = own[0] | own[1]
            for piece in self.pieces:
                before = piece.reach, piece.promoted
                known = piece.leaves, self.entered[piece.side]
                blocked = own[piece.side] | kings
                if piece.kind == PAWN:
                    self._grow_pawn(piece, walls, blocked, stands[1 - piece.side])
                else:
                    closed = guarded[1 - piece.side] if piece.kind == KING else 0
                    piece.reach = _flood(piece.kind, piece.reach, walls, blocked | closed)
                if (piece.reach, piece.promoted) != before:
                    changed = True
                    piece.walled = False
                elif (piece.leaves, self.entered[piece.side]) != known:
                    changed = True
            for piece in self.pieces:
                stays = piece.kind == PAWN and not piece.leaves
                if (piece.walled or stays) and self._may_be_taken(piece):
                    piece.walled = False
                    piece.leaves = changed = True
            self.walls = walls
            self.guarded = guarded
            if not changed:
                return

    def _may_be_taken(self, piece: _Piece) -> bool:
        if piece.kind == KING:
            return False
        for other in self.pieces:
            if other.side == piece.side:
                continue
            if other.kind != PAWN:
                if other.reach & piece.reach:
                    return True
            elif other.promoted & piece.reach or any(
                PAWN_MASK[other.side][square] & piece.reach for square in squares_of(other.reach)
            ):
                return True
        return False

    def _barrier(self, piece: _Piece, file: int) -> int:
        """The squares of a file that a pawn never reaches without a capture.

        Two opposing pawns on one file never pass each other unless one of them takes or is taken.
        Pawns never go back, so the first pawn cannot reach the square on which the other stands
        now, unless a pawn of its side may enter the file by a capture.
        """
        squares = 0
        if not self.entered[piece.side] >> file & 1:
            for other in self.pieces:
                if other.kind == PAWN and other.side != piece.side and not other.leaves:
                    gap = other.square - piece.square
                    if other.square & 7 == file and (gap > 0) == (piece.side == 0):
                        squares |= _ONWARD[piece.side][other.square]
        return squares

    def _grow_pawn(self, piece: _Piece, walls: int, blocked: int, victims: int) -> None:
        forward, home = (8, 1) if piece.side == 0 else (-8, 6)
        walls |= self._barrier(piece, piece.square & 7)
        todo = squares_of(piece.reach & ~_LAST_RANKS[piece.side])
        while todo:
            square = todo.pop()
            step = square + forward
            steps = PAWN_MASK[piece.side][square] & victims & ~blocked
            if steps:
                piece.leaves = True
                for taken in squares_of(steps):
                    self.entered[piece.side] |= 1 << (taken & 7)
            if not walls >> step & 1:
                steps |= BIT[step]
                if square >> 3 == home and not walls >> step + forward & 1:
                    steps |= BIT[step + forward]
            fresh = steps & ~piece.reach
            piece.reach |= fresh
            todo += squares_of(fresh & ~_LAST_RANKS[piece.side])
        arrived = piece.reach & _LAST_RANKS[piece.side]
        if arrived:
            if piece.side == 0:
                self.free = True
            piece.promoted = _flood(
                QUEEN, _flood(KNIGHT, piece.promoted | arrived, walls, blocked), walls, blocked
            )

    def mates(self) -> Iterator[tuple[int, int]]:
        """Pairs of squares of the loser's and the winner's king on which a mate is not excluded.

        If there are none, there can never be a mate.
        """
        kings = {piece.side: piece for piece in self.pieces if piece.kind == KING}
        attackers = [p for p in self.pieces if p.side == 0 and p.kind != KING]
        helpers = [p for p in self.pieces if p.side == 1 and p.kind != KING]
        moving = [piece for piece in attackers if not piece.walled]
        # A king that is in check does not shelter the squares behind it.
        walls = self.walls & ~BIT[kings[1].square]
        fixed = every = 0
        for piece in attackers:
            if piece.walled:
                fixed |= _attacks(piece, piece.square, walls)
        sights = []  # (square, attacked squares) of the moving pieces
        for piece in moving:
            for square in squares_of(piece.reach):
                seen = _attacks(piece, square, walls)
                every |= seen
                sights.append((square, seen))
            for square in squares_of(piece.promoted):
                every |= _sees(QUEEN, square, walls) | KNIGHT_MASK[square]
        single = len(moving) == 1 and not moving[0].promoted
        # A king in check from a wall must leave its square and cannot return to it.
        for king in squares_of(kings[1].reach & ~self.guarded[0]):
            if not (every | fixed) >> king & 1:
                continue
            around = KING_MASK[king]
            if single:
                # The one moving piece gives check and covers squares from the same square.
                ways = {seen & around for _, seen in sights if (seen | fixed) >> king & 1}
                if fixed >> king & 1:
                    ways.add(0)
            else:
                ways = {every & around}
            for guard in squares_of(kings[0].reach & ~around & ~BIT[king] & ~self.guarded[1]):
                left = around & ~KING_MASK[guard] & ~fixed
                if any(_blocked(left & ~seen, helpers) for seen in ways):
                    yield king, guard


def _attacks(piece: _Piece, square: int, walls: int) -> int:
    if piece.kind == PAWN:
        return PAWN_MASK[piece.side][square]
    return _sees(piece.kind, square, walls)


def _flood(kind: int, reach: int, walls: int, closed: int) -> int:
    """All squares that moves of ``kind`` reach; they stop at walls and never end on ``closed``."""
    todo = squares_of(reach)
    while todo:
        fresh = _sees(kind, todo.pop(), walls) & ~closed & ~reach
        reach |= fresh
        todo += squares_of(fresh)
    return reach


def _blocked(squares: int, helpers: list[_Piece]) -> bool:
    """Return whether different pieces of the loser may block all these squares at once."""
    needed = squares_of(squares)
    if len(needed) > len(helpers):
        return False
    taken: dict[int, int] = {}  # helper -> index of the square it blocks

    def place(number: int, tried: set[int]) -> bool:
        for index, helper in enumerate(helpers):
            if index in tried or not (helper.reach | helper.promoted) >> needed[number] & 1:
                continue
            tried.add(index)
            if index not in taken or place(taken[index], tried):
                taken[index] = number
                return True
        return False

    return all(place(number, set()) for number in range(len(needed)))
