"""Plays games on a DGT board as human hands do, and gives the bytes that the board would send.

Every ply of a game is a list of field changes in some human order. Hands slide over squares on the
way, put down before the lift is noticed, capture without the square ever becoming empty, castle in
any order, put a pawn on the last rank first, touch another piece and put it back, or knock a piece
over.
"""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass, field

import chess

PIECES = ".PRNBKQprnbkq"

Change = tuple[int, str]


def field_of(square: int, *, turned: bool = False) -> int:
    """The field number of a square."""
    number = (7 - chess.square_rank(square)) * 8 + chess.square_file(square)
    return 63 - number if turned else number


def dump(board: dict[int, str], *, turned: bool = False) -> bytes:
    codes = [0] * 64
    for square, piece in board.items():
        codes[field_of(square, turned=turned)] = PIECES.index(piece)
    return bytes((0x86, 0, 67, *codes))


def update(square: int, piece: str, *, turned: bool = False) -> bytes:
    return bytes((0x8E, 0, 5, field_of(square, turned=turned), PIECES.index(piece)))


def clock(left: int, right: int, status: int) -> bytes:
    def time(seconds: int) -> tuple[int, int, int]:
        digits = [seconds // 3600, seconds // 60 % 60, seconds % 60]
        return (0x20 | digits[0], *(n // 10 << 4 | n % 10 for n in digits[1:]))  # type: ignore[return-value]

    return bytes((0x8D, 0, 10, *time(right), *time(left), status))


ACK = bytes((0x8D, 0, 10, 0x0A, 0x10, 0x01, 0x0A, 0x00, 0x00, 0x00))
VERSION = bytes((0x93, 0, 5, 1, 4))
SERIAL = bytes((0x91, 0, 8)) + b"24567"
TRADEMARK = bytes((0x92, 0, 3 + 30)) + b"Digital Game Technology (c) 02"
UNKNOWN = bytes((0xB7, 0, 6, 1, 2, 3))


def pieces_of(board: chess.BaseBoard) -> dict[int, str]:
    return {square: piece.symbol() for square, piece in board.piece_map().items()}


def plain(board: chess.Board, move: chess.Move) -> list[Change]:
    """The changes of a move, the captured piece first, the king before the rook."""
    after = board.copy(stack=False)
    after.push(move)
    old, new = pieces_of(board), pieces_of(after)
    lifts = [(s, ".") for s in old if old[s] != new.get(s)]
    lifts.sort(key=lambda change: change[0] == move.from_square)
    return lifts + [(s, new[s]) for s in new if old.get(s) != new[s]]


def by_hand(board: chess.Board, move: chess.Move, hand: random.Random) -> list[Change]:
    """The changes in some human order. They end in the position after the move."""
    piece = board.piece_at(move.from_square)
    assert piece is not None
    name, goal = piece.symbol(), move.to_square
    if board.is_castling(move):
        lifts = [c for c in plain(board, move) if c[1] == "."]
        puts = [c for c in plain(board, move) if c[1] != "."]
        hand.shuffle(lifts)
        hand.shuffle(puts)
        king_to = next(s for s, p in puts if p in "Kk")
        rook = next(s for s, p in lifts if s != move.from_square)
        rook_to = next(s for s, p in puts if p in "Rr")
        rook_name = "R" if board.turn else "r"
        return hand.choice(
            [
                lifts + puts,
                [(rook, "."), (rook_to, rook_name), (move.from_square, "."), (king_to, name)],
                [(move.from_square, "."), (king_to, name), (rook, "."), (rook_to, rook_name)],
                # The king slides, the rook jumps over it.
                [(move.from_square, "."), (rook_to, name), (rook_to, "."), (king_to, name),
                 (rook_to, rook_name), (rook, ".")],
            ]
        )  # fmt: skip
    captured = goal
    if board.is_en_passant(move):
        captured = chess.square(chess.square_file(goal), chess.square_rank(move.from_square))
    takes = board.is_capture(move)
    changes: list[Change] = []
    when = hand.choice(["first", "never", "middle"])
    if takes and when == "first":
        changes.append((captured, "."))
    changes += _travel(move.from_square, goal, name, board, hand)
    if takes and when == "middle":
        changes.insert(changes.index((goal, name)), (captured, "."))
    if takes and captured != goal and when == "never":
        changes.append((captured, "."))
    if move.promotion:
        after = chess.Piece(move.promotion, board.turn).symbol()
        if hand.random() < 0.5:
            changes += [(goal, "."), (goal, after)]
        else:
            changes = [c for c in changes if c != (goal, name)] + [(goal, after)]
    return changes


def _travel(
    start: int, goal: int, name: str, board: chess.Board, hand: random.Random
) -> list[Change]:
    way = chess.SquareSet(chess.between(start, goal))
    squares = sorted(way, key=lambda s: chess.square_distance(start, s))
    if hand.random() < 0.5 or any(board.piece_at(s) for s in squares):
        squares = []
    stops = [start, *squares, goal]
    if squares and board.piece_at(goal) is None and hand.random() < 0.3:
        stops += [squares[-1], goal]  # too far, back, and there again
    changes: list[Change] = []
    for leaves, reaches in itertools.pairwise(stops):
        step: list[Change] = [(leaves, "."), (reaches, name)]
        if hand.random() < 0.3:
            step.reverse()  # put down before the lift is noticed
        changes += step
    return changes


def fidget(board: chess.Board, hand: random.Random) -> list[Change]:
    """Changes that hands undo: adjust a piece, knock pieces over, begin another move."""
    pieces = pieces_of(board)
    square = hand.choice(list(pieces))
    what = hand.random()
    if what < 0.5:
        return [(square, "."), (square, pieces[square])]
    if what < 0.75:
        others = hand.sample(list(pieces), 3)
        return [(s, ".") for s in others] + [(s, pieces[s]) for s in reversed(others)]
    move = hand.choice(list(board.legal_moves))
    if board.is_castling(move) or board.is_capture(move) or move.promotion:
        return []
    name = pieces[move.from_square]
    there = _travel(move.from_square, move.to_square, name, board, hand)
    return [*there, (move.to_square, "."), (move.from_square, name)]


def random_game(hand: random.Random, plies: int, fen: str = chess.STARTING_FEN) -> list[chess.Move]:
    board = chess.Board(fen)
    moves: list[chess.Move] = []
    while len(moves) < plies and not board.is_game_over():
        # Choose captures and castling more often than by chance.
        legal = list(board.legal_moves)
        rare = [m for m in legal if board.is_capture(m) or board.is_castling(m) or m.promotion]
        moves.append(hand.choice(rare if rare and hand.random() < 0.4 else legal))
        board.push(moves[-1])
    return moves


@dataclass
class Recording:
    """A recorded stream, message by message."""

    messages: list[bytes] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)

    @property
    def data(self) -> bytes:
        return b"".join(self.messages)


def record(
    moves: list[chess.Move],
    hand: random.Random,
    *,
    fen: str = chess.STARTING_FEN,
    turned: bool = False,
    clocked: bool = True,
    white_left: bool = True,
    ticking: bool = True,
    dumps: float = 0.05,
    restless: float = 0.15,
    noise_before: bool = True,
    last_pressed: bool = True,
) -> Recording:
    """The stream of a board while this game is played on it."""
    board, stream = chess.Board(fen), Recording()
    send = stream.messages.append
    shown = pieces_of(board)
    left = right = 5400
    running = 0x09 if white_left == board.turn else 0x13

    def tick(seconds: int) -> None:
        nonlocal left, right
        for _ in range(seconds if ticking else 0):
            if running == 0x09:
                left -= 1
            else:
                right -= 1
            send(clock(left, right, running))

    def put(changes: list[Change]) -> None:
        for square, piece in changes:
            if piece == ".":
                shown.pop(square, None)
            else:
                shown[square] = piece
            send(update(square, piece, turned=turned))
            if clocked and hand.random() < 0.2:
                tick(1)

    if noise_before:
        send(bytes(hand.randrange(128) for _ in range(hand.randrange(9))))
        for message in (VERSION, SERIAL, TRADEMARK):
            send(message)
    send(dump(shown, turned=turned))
    if clocked:
        send(clock(left, right, running & ~1))
        send(clock(left, right, running))
    for number, move in enumerate(moves, 1):
        if clocked:
            tick(hand.randrange(1, 8))
        if hand.random() < 0.05:
            send(hand.choice([ACK, UNKNOWN]))
        if hand.random() < restless:
            put(fidget(board, hand))
        put(by_hand(board, move, hand))
        stream.moves.append(board.uci(move))
        board.push(move)
        assert shown == pieces_of(board)
        if clocked and (last_pressed or number < len(moves)):
            if running == 0x09:
                left += 5 if ticking else -7
            else:
                right += 5 if ticking else -9
            running ^= 0x09 ^ 0x13
            send(clock(left, right, running))
        if hand.random() < dumps:
            send(dump(shown, turned=turned))
    return stream
