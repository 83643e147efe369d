"""Packed positions for the search of helpmates.

The *winner* is the side that is to mate, the *loser* is the other one. A position is 67 bytes. The
first 64 are the squares, a1 first. Then come the side on move (0 the winner, 1 the loser), the
castling rights that are left (a bit for each of ``Rooks``), and the square on which a pawn can be
taken in passing (0 for none). The winner always plays up the board: when Black is to mate, the
board is turned over. A search mostly hashes and compares positions, and bytes do both fast.

A move is one whole number: ``from | to << 6 | promoted << 12``; castling goes to the rook's square.
"""

import itertools

import chess

from ..placement import mask

PackedPosition = bytes
Rooks = tuple[int, int, int, int]  # squares of the castling rooks, winner's then loser's; -1: none

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(1, 7)
THEIRS = 8  # added to a kind of piece of the loser
TURN, CASTLING, PASSING = 64, 65, 66
SQUARES = range(64)
BIT = chess.BB_SQUARES
EVERYWHERE = (1 << 64) - 1


def _rays(deltas: tuple[tuple[int, int], ...]) -> tuple[tuple[tuple[int, ...], ...], ...]:
    def ray(square: int, right: int, up: int) -> tuple[int, ...]:
        way = ((square % 8 + n * right, square // 8 + n * up) for n in range(1, 8))
        return tuple(rank * 8 + file for file, rank in way if file in range(8) and rank in range(8))

    return tuple(
        tuple(filter(None, (ray(square, *delta) for delta in deltas))) for square in SQUARES
    )


def _steps(deltas: tuple[tuple[int, int], ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(ray[0] for ray in rays) for rays in _rays(deltas))


_STRAIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1))
_DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
_JUMPS = ((1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1))

KING_STEPS = _steps(_STRAIGHT + _DIAGONAL)
KNIGHT_STEPS = _steps(_JUMPS)
# The squares that a pawn attacks: the winner's pawn (going up), then the loser's.
PAWN_ATTACKS = (_steps(((-1, 1), (1, 1))), _steps(((-1, -1), (1, -1))))
BISHOP_RAYS = _rays(_DIAGONAL)
ROOK_RAYS = _rays(_STRAIGHT)
QUEEN_RAYS = tuple(
    straight + slanted for straight, slanted in zip(ROOK_RAYS, BISHOP_RAYS, strict=True)
)
RAYS = ((), (), (), BISHOP_RAYS, ROOK_RAYS, QUEEN_RAYS, ())


KING_MASK = chess.BB_KING_ATTACKS
KNIGHT_MASK = chess.BB_KNIGHT_ATTACKS
PAWN_MASK = (chess.BB_PAWN_ATTACKS[chess.WHITE], chess.BB_PAWN_ATTACKS[chess.BLACK])
# For each kind, by slider's square * 64 + target: the squares between them, and the mask of these
# and of the slider's own square. Only where the slider looks at the target on an empty board.
_LOOKS: tuple[dict[int, tuple[tuple[int, ...], int]], ...] = tuple(
    {
        square * 64 + target: (ray[:distance], mask(ray[:distance]) | BIT[square])
        for square in SQUARES
        for ray in (RAYS[kind][square] if kind in (BISHOP, ROOK, QUEEN) else ())
        for distance, target in enumerate(ray)
    }
    for kind in range(7)
)


def encode(board: chess.Board, winner: chess.Color) -> tuple[PackedPosition, Rooks]:
    """The packed position of ``board``, and the squares of its castling rooks."""
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
    """``move`` of ``position`` as a move of ``board``, which is the same position."""
    turned = 0 if winner == chess.WHITE else 56
    start, end, promoted = move & 63, move >> 6 & 63, move >> 12
    mover, target = position[start], position[end]
    if mover & 7 == KING and target == mover + ROOK - KING and not board.chess960:
        end = start + (2 if end > start else -2)
    return chess.Move(start ^ turned, end ^ turned, promoted or None)


def attacked(position: PackedPosition, square: int, by: int) -> bool:
    """Return whether ``by`` (0 the winner, ``THEIRS`` the loser) attacks ``square``."""
    # A pawn attacks this square from the squares that a pawn of the other side attacks from here.
    pawns = PAWN_ATTACKS[0 if by else 1]
    for kind, steps in ((KNIGHT, KNIGHT_STEPS), (KING, KING_STEPS), (PAWN, pawns)):
        if any(position[step] == by + kind for step in steps[square]):
            return True
    for kind, rays in ((ROOK, ROOK_RAYS), (BISHOP, BISHOP_RAYS)):
        for ray in rays[square]:
            for step in ray:
                if found := position[step]:
                    if found in (by + kind, by + QUEEN):
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
            # Keep the square only if a pawn can take there: equal positions then compare equal.
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
    foe = 0 if turn else THEIRS
    king = position.index(KING if foe else THEIRS + KING)
    pieces, attacks, checks, evade, pins = _threats(position, king)
    in_check = bool(attacks >> king & 1)
    moves = []
    for step in KING_STEPS[king]:
        target = position[step]
        if (not target or target & THEIRS == foe) and not attacks >> step & 1:
            moves.append(king | step << 6)
    if checks > 1:
        return moves, True
    if position[CASTLING] and not in_check:
        moves += _castling(position, king, turn, rooks)
    for square, kind in pieces:
        allowed = evade & pins[square] if square in pins else evade
        if kind == PAWN:
            moves += _pawn_moves(position, square, king, allowed, rooks)
            continue
        found: list[int] = []
        if kind == KNIGHT:
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
        if allowed != EVERYWHERE:
            found = [step for step in found if allowed >> step & 1]
        moves += [square | step << 6 for step in found]
    return moves, in_check


def _threats(
    position: PackedPosition, king: int
) -> tuple[list[tuple[int, int]], int, int, int, dict[int, int]]:
    """Return the limits of the side on move, whose king is on ``king``.

    They are, in this order: its other pieces as (square, kind); the squares that the opponent
    attacks; the number of pieces that give check; the squares to which a piece can go against the
    check; for each pinned piece, the squares on the line of the pin.
    """
    turn = position[TURN]
    own = THEIRS if turn else 0
    leaps = (PAWN_MASK[1 - turn], KNIGHT_MASK)
    pieces = []
    attacks = checks = 0
    evade = EVERYWHERE
    pins: dict[int, int] = {}
    for square in itertools.compress(SQUARES, position):
        piece = position[square]
        kind = piece & 7
        if piece & THEIRS == own:
            if kind != KING:
                pieces.append((square, kind))
        elif kind <= KNIGHT:
            seen = leaps[kind - 1][square]
            attacks |= seen
            if seen >> king & 1:
                checks += 1
                evade &= BIT[square]
        elif kind == KING:
            attacks |= KING_MASK[square]
        else:
            for ray in RAYS[kind][square]:
                for step in ray:
                    attacks |= BIT[step]
                    # The king does not shelter the squares behind it.
                    if position[step] and step != king:
                        break
            look = _LOOKS[kind].get(square * 64 + king)
            if look is not None:
                between, line = look
                blockers = [step for step in between if position[step]]
                if not blockers:
                    checks += 1
                    evade &= line
                elif len(blockers) == 1 and position[blockers[0]] & THEIRS == own:
                    pins[blockers[0]] = line
    return pieces, attacks, checks, evade, pins


def _pawn_moves(
    position: PackedPosition, square: int, king: int, allowed: int, rooks: Rooks
) -> list[int]:
    """The moves of the pawn on ``square`` to ``allowed`` squares, and its capture in passing."""
    turn = position[TURN]
    foe, forward, home = (0, -8, 6) if turn else (THEIRS, 8, 1)
    found = []
    step = square + forward
    if not position[step]:
        found.append(step)
        if square >> 3 == home and not position[step + forward]:
            found.append(step + forward)
    moves = []
    passing = position[PASSING]
    for step in PAWN_ATTACKS[turn][square]:
        target = position[step]
        if target and target & THEIRS == foe and target & 7 != KING:
            found.append(step)
        elif step == passing and passing:
            # Two pawns leave a line at once, so look at the whole position.
            move = square | passing << 6
            if not attacked(play(position, move, rooks), king, foe):
                moves.append(move)
    for step in found:
        if allowed >> step & 1:
            move = square | step << 6
            if 7 < step < 56:
                moves.append(move)
            else:
                moves += [move | promoted << 12 for promoted in (QUEEN, KNIGHT, ROOK, BISHOP)]
    return moves
