"""Lean positions for the search of helpmates, seen from the side that is to mate.

A position is 67 bytes: 64 squares (a1 first), then who is on move (0 the winner, 1 the loser),
which castling rights are left (a bit for each of ``Rooks``), and the square a pawn may be taken on
in passing (0 for none). The winner always goes up the board: when Black is to mate, the board is
turned over. Bytes can be hashed and compared at once, which is most of what a search does.

A move is one whole number: ``from | to << 6 | promoted << 12``; castling goes to the rook's square.
"""

from __future__ import annotations

import chess

PackedPosition = bytes
Rooks = tuple[int, int, int, int]  # squares of the castling rooks, winner's then loser's; -1: none

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(1, 7)
THEIRS = 8  # added to a kind of piece of the loser
TURN, CASTLING, PASSING = 64, 65, 66
SQUARES = range(64)
BIT = tuple(1 << square for square in SQUARES)
EVERYWHERE = (1 << 64) - 1


def _steps(deltas: tuple[tuple[int, int], ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(
        tuple(
            (square // 8 + up) * 8 + square % 8 + right
            for right, up in deltas
            if 0 <= square % 8 + right < 8 and 0 <= square // 8 + up < 8
        )
        for square in SQUARES
    )


def _rays(deltas: tuple[tuple[int, int], ...]) -> tuple[tuple[tuple[int, ...], ...], ...]:
    rays = []
    for square in SQUARES:
        own = []
        for right, up in deltas:
            ray = []
            file, rank = square % 8 + right, square // 8 + up
            while 0 <= file < 8 and 0 <= rank < 8:
                ray.append(rank * 8 + file)
                file, rank = file + right, rank + up
            if ray:
                own.append(tuple(ray))
        rays.append(tuple(own))
    return tuple(rays)


_STRAIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1))
_DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
_JUMPS = ((1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1))

KING_STEPS = _steps(_STRAIGHT + _DIAGONAL)
KNIGHT_STEPS = _steps(_JUMPS)
# What a pawn attacks, the winner's (going up) and the loser's.
PAWN_ATTACKS = (_steps(((-1, 1), (1, 1))), _steps(((-1, -1), (1, -1))))
BISHOP_RAYS = _rays(_DIAGONAL)
ROOK_RAYS = _rays(_STRAIGHT)
QUEEN_RAYS = tuple(
    straight + slanted for straight, slanted in zip(ROOK_RAYS, BISHOP_RAYS, strict=True)
)
RAYS = ((), (), (), BISHOP_RAYS, ROOK_RAYS, QUEEN_RAYS, ())


def mask(squares: tuple[int, ...]) -> int:
    """The squares as bits of one number."""
    return sum(BIT[square] for square in squares)


KING_MASK = tuple(mask(steps) for steps in KING_STEPS)
KNIGHT_MASK = tuple(mask(steps) for steps in KNIGHT_STEPS)
PAWN_MASK = tuple(tuple(mask(steps) for steps in side) for side in PAWN_ATTACKS)
# For each kind, slider's square * 64 + target -> the squares between, where it looks at the target.
_LOOKS: tuple[dict[int, tuple[int, ...]], ...] = tuple(
    {
        square * 64 + target: ray[:distance]
        for square in SQUARES
        for ray in (RAYS[kind][square] if kind in (BISHOP, ROOK, QUEEN) else ())
        for distance, target in enumerate(ray)
    }
    for kind in range(7)
)


def encode(board: chess.Board, winner: chess.Color) -> tuple[PackedPosition, Rooks]:
    """The lean position of ``board``, turned over when ``winner`` is Black."""
    turned = 0 if winner == chess.WHITE else 56
    cells = bytearray(67)
    for square, piece in board.piece_map().items():
        cells[square ^ turned] = piece.piece_type + (0 if piece.color == winner else THEIRS)
    cells[TURN] = 0 if board.turn == winner else 1
    rooks: list[int] = []
    rights = board.clean_castling_rights()
    for colour in (winner, not winner):
        king = board.king(colour)
        own = list(chess.scan_forward(rights & board.occupied_co[colour]))
        for right_of_king in (True, False):
            found = [rook for rook in own if king is not None and (rook > king) == right_of_king]
            if found:
                cells[CASTLING] |= 1 << len(rooks)
            rooks.append(found[0] ^ turned if found else -1)
    if board.ep_square is not None and board.has_pseudo_legal_en_passant():
        cells[PASSING] = board.ep_square ^ turned
    return bytes(cells), (rooks[0], rooks[1], rooks[2], rooks[3])


def decode(
    move: int, position: PackedPosition, board: chess.Board, winner: chess.Color
) -> chess.Move:
    """``move`` of the lean ``position`` as a move of ``board``, the same position."""
    turned = 0 if winner == chess.WHITE else 56
    start, end, promoted = move & 63, move >> 6 & 63, move >> 12
    mover, target = position[start], position[end]
    if mover & 7 == KING and target == mover + ROOK - KING and not board.chess960:
        end = start + (2 if end > start else -2)
    return chess.Move(start ^ turned, end ^ turned, promoted or None)


def attacked(position: PackedPosition, square: int, by: int) -> bool:
    """Whether ``by`` (0 the winner, ``THEIRS`` the loser) attacks ``square``."""
    for step in KNIGHT_STEPS[square]:
        if position[step] == by + KNIGHT:
            return True
    for step in KING_STEPS[square]:
        if position[step] == by + KING:
            return True
    # A pawn attacks this square from where a pawn of the other side here would attack.
    for step in PAWN_ATTACKS[0 if by else 1][square]:
        if position[step] == by + PAWN:
            return True
    for kind, rays in ((ROOK, ROOK_RAYS), (BISHOP, BISHOP_RAYS)):
        for ray in rays[square]:
            for step in ray:
                found = position[step]
                if found:
                    if found == by + kind or found == by + QUEEN:
                        return True
                    break
    return False


def play(position: PackedPosition, move: int, rooks: Rooks) -> PackedPosition:
    """The position after a legal ``move``."""
    cells = bytearray(position)
    start, end, promoted = move & 63, move >> 6 & 63, move >> 12
    mover = cells[start]
    kind = mover & 7
    turn = cells[TURN]
    passing = cells[PASSING]
    cells[PASSING] = 0
    cells[TURN] = 1 - turn
    target = cells[end]
    cells[start] = 0
    if kind == PAWN:
        if end == passing and passing and (end - start) & 7:
            cells[end - 8 if turn == 0 else end + 8] = 0
        cells[end] = promoted | (mover & THEIRS) if promoted else mover
        if end - start in (16, -16):
            # Only a square on which a pawn really stands ready to take is worth remembering.
            enemy = PAWN | (0 if turn else THEIRS)
            file = end & 7
            if (file and cells[end - 1] == enemy) or (file < 7 and cells[end + 1] == enemy):
                cells[PASSING] = (start + end) >> 1
    elif kind == KING and target == mover + ROOK - KING:
        cells[end] = 0
        home = start & 56
        right = end > start
        cells[home + (6 if right else 2)] = mover
        cells[home + (5 if right else 3)] = target
    else:
        cells[end] = mover
    if cells[CASTLING]:
        rights = cells[CASTLING]
        if kind == KING:
            rights &= 12 if turn == 0 else 3
        for number, rook in enumerate(rooks):
            if rook in (start, end):
                rights &= ~(1 << number)
        cells[CASTLING] = rights
    return bytes(cells)


def _castling(position: PackedPosition, king: int, turn: int, rooks: Rooks) -> list[int]:
    own = THEIRS if turn else 0
    moves = []
    for number in (2, 3) if turn else (0, 1):
        if not position[CASTLING] >> number & 1:
            continue
        rook = rooks[number]
        home = king & 56
        right = rook > king
        king_to, rook_to = home + (6 if right else 2), home + (5 if right else 3)
        low, high = min(king, rook, king_to, rook_to), max(king, rook, king_to, rook_to)
        if any(position[square] for square in range(low, high + 1) if square not in (king, rook)):
            continue
        bare = bytearray(position)
        bare[king] = 0
        path = range(min(king, king_to), max(king, king_to) + 1)
        if any(attacked(bytes(bare), square, own ^ THEIRS) for square in path):
            continue
        bare[rook] = 0
        bare[king_to], bare[rook_to] = own + KING, own + ROOK
        if not attacked(bytes(bare), king_to, own ^ THEIRS):
            moves.append(king | rook << 6)
    return moves


def legal_moves(position: PackedPosition, rooks: Rooks) -> tuple[list[int], bool]:
    """All legal moves of the side on move, and whether it is in check."""
    turn = position[TURN]
    own = THEIRS if turn else 0
    foe = own ^ THEIRS
    king = position.index(own + KING)
    pieces = []
    attacks = 0
    pins: dict[int, int] = {}
    evade = EVERYWHERE
    checks = 0
    for square, piece in zip(SQUARES, position, strict=False):
        if not piece:
            continue
        if piece & THEIRS == own:
            pieces.append((square, piece & 7))
            continue
        kind = piece & 7
        if kind == PAWN:
            attacks |= PAWN_MASK[1 - turn][square]
        elif kind == KNIGHT:
            attacks |= KNIGHT_MASK[square]
        elif kind == KING:
            attacks |= KING_MASK[square]
        else:
            for ray in RAYS[kind][square]:
                for step in ray:
                    attacks |= BIT[step]
                    # The king does not shelter the squares behind it.
                    if position[step] and step != king:
                        break
            between = _LOOKS[kind].get(square * 64 + king)
            if between is not None:
                blockers = [step for step in between if position[step]]
                if not blockers:
                    checks += 1
                    evade &= mask(between) | BIT[square]
                elif len(blockers) == 1 and position[blockers[0]] & THEIRS == own:
                    pins[blockers[0]] = mask(between) | BIT[square]
    in_check = bool(attacks >> king & 1)
    moves = []
    for step in KING_STEPS[king]:
        target = position[step]
        if (not target or target & THEIRS == foe) and not attacks >> step & 1:
            moves.append(king | step << 6)
    if in_check:
        for step in KNIGHT_STEPS[king]:
            if position[step] == foe + KNIGHT:
                checks += 1
                evade &= BIT[step]
        for step in PAWN_ATTACKS[turn][king]:
            if position[step] == foe + PAWN:
                checks += 1
                evade &= BIT[step]
        if checks > 1:
            return moves, True
    elif position[CASTLING]:
        moves += _castling(position, king, turn, rooks)
    forward, start_rank, last = (-8, 6, 0) if turn else (8, 1, 7)
    pawn_attacks = PAWN_ATTACKS[turn]
    for square, kind in pieces:
        if kind == KING:
            continue
        found: list[int] = []
        if kind == PAWN:
            step = square + forward
            if not position[step]:
                found.append(step)
                if square >> 3 == start_rank and not position[step + forward]:
                    found.append(step + forward)
            for step in pawn_attacks[square]:
                target = position[step]
                if target and target & THEIRS == foe and target & 7 != KING:
                    found.append(step)
            passing = position[PASSING]
            if passing and passing in pawn_attacks[square]:
                # Two pawns leave a line at once, so the whole position is looked at.
                after = play(position, square | passing << 6, rooks)
                if not attacked(after, king, foe):
                    moves.append(square | passing << 6)
        elif kind == KNIGHT:
            for step in KNIGHT_STEPS[square]:
                target = position[step]
                if not target or target & THEIRS == foe:
                    found.append(step)
        else:
            for ray in RAYS[kind][square]:
                for step in ray:
                    target = position[step]
                    if target:
                        if target & THEIRS == foe:
                            found.append(step)
                        break
                    found.append(step)
        allowed = evade & pins[square] if square in pins else evade
        if allowed != EVERYWHERE:
            found = [step for step in found if allowed >> step & 1]
        if kind == PAWN:
            for step in found:
                if step >> 3 == last:
                    moves += [
                        square | step << 6 | promoted << 12
                        for promoted in (QUEEN, KNIGHT, ROOK, BISHOP)
                    ]
                else:
                    moves.append(square | step << 6)
        else:
            moves += [square | step << 6 for step in found]
    return moves, in_check
