"""Boards on which hands have slipped on purpose, for `blindplay bench --reconcile` and the tests.

Hands execute a random game on a board, and once or twice they slip in a known way. Hands notice a
piece where there should be none, and an empty hole where there should be a piece. Such a game
would stop there, so another slip is tried.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import chess

from blindplay.laws.deviation import Slip, SlipKind, too_many_pieces
from blindplay.laws.placement import (
    Change,
    captured_en_passant,
    castling_rook,
    change,
    laid_over,
    letter_at,
    pieces_of,
)

_TRIES = 100
_BOTH_MAY_CASTLE = "r3k2r/ppp1bppp/2npbn2/4p3/4P3/2NPBN2/PPP1BPPP/R3K2R w KQkq - 0 1"

BY_MOVES = (
    SlipKind.NOT_EXECUTED,
    SlipKind.OTHER_SQUARE,
    SlipKind.OTHER_PIECE,
    SlipKind.OTHER_MOVE,
    SlipKind.OTHER_PROMOTION,
    SlipKind.PAWN_NOT_REPLACED,
    SlipKind.OTHER_CASTLING,
    SlipKind.ROOK_FORGOTTEN,
    SlipKind.KING_FORGOTTEN,
    SlipKind.EN_PASSANT_PAWN_LEFT,
    SlipKind.CAPTURER_LEFT,
    SlipKind.TWICE,
    SlipKind.BY_OTHER_SIDE_TOO,
)
_CASTLINGS = (SlipKind.OTHER_CASTLING, SlipKind.ROOK_FORGOTTEN, SlipKind.KING_FORGOTTEN)
BY_THEMSELVES = (
    SlipKind.DISPLACED,
    SlipKind.EXCHANGED,
    SlipKind.MISSING,
    SlipKind.EXTRA,
    SlipKind.REPLACED,
)
AT_THE_END = (SlipKind.BEHIND, SlipKind.NOT_WRITTEN)


@dataclass(frozen=True)
class Mishap:
    """The true game, the placement that one board shows at its end, and the slips on it."""

    start: chess.Board
    moves: tuple[chess.Move, ...]
    shown: Mapping[int, str]
    slips: tuple[Slip, ...]


def game(
    rng: random.Random, plies: int, start: chess.Board, *, castles_late: bool = False
) -> list[chess.Move]:
    """A random legal game of ``plies`` plies from ``start`` that has not ended.

    It has more castlings, captures en passant and promotions than games of people. With
    ``castles_late``, kings and rooks stay at home until the last moves.
    """
    while True:
        board = start.copy(stack=False)
        moves: list[chess.Move] = []
        while len(moves) < plies:
            legal = list(board.legal_moves)
            if not legal:
                break
            if castles_late and len(moves) < plies - 8:
                legal = [move for move in legal if _leaves_castling(board, move)] or legal
            rare = [move for move in legal if _is_rare(board, move)]
            move = rng.choice(rare if rare and rng.random() < 0.5 else legal)
            moves.append(move)
            board.push(move)
        if len(moves) == plies and any(board.legal_moves):
            return moves


def _leaves_castling(board: chess.Board, move: chess.Move) -> bool:
    """Whether castling remains possible for both sides after this move."""
    home = board.kings | board.rooks | board.pawns | board.occupied_co[not board.turn]
    squares = chess.BB_SQUARES[move.from_square] | chess.BB_SQUARES[move.to_square]
    return not home & squares and not board.gives_check(move)


def _is_rare(board: chess.Board, move: chess.Move) -> bool:
    return board.is_castling(move) or board.is_en_passant(move) or move.promotion is not None


def mishap(rng: random.Random, plies: int, *kinds: SlipKind) -> Mishap:
    """A game of ``plies`` plies with a slip of each kind, or of a random kind if none is given."""
    kinds = kinds or (rng.choice(BY_MOVES + BY_THEMSELVES + AT_THE_END),)
    while True:
        castles = any(kind in _CASTLINGS for kind in kinds)
        start = chess.Board(_BOTH_MAY_CASTLE if castles else chess.STARTING_FEN)
        played = KnownGame(game(rng, plies, start, castles_late=castles), start)
        for _ in range(_TRIES):
            found = played.slip(rng, kinds)
            if found is not None:
                return found


class KnownGame:
    """A game with all its positions, which hands execute again and again."""

    def __init__(self, moves: Sequence[chess.Move], start: chess.Board) -> None:
        self.moves = tuple(moves)
        self.boards = [start]
        for move in self.moves:
            after = self.boards[-1].copy(stack=False)
            after.push(move)
            self.boards.append(after)

    def slip(self, rng: random.Random, kinds: Sequence[SlipKind]) -> Mishap | None:
        """Execute the game with a slip of each kind at random plies.

        None if hands would notice a slip, if it leaves no trace, or if the game has no place for
        it.
        """
        last = len(self.moves)
        plies = sorted(
            rng.choice(occasions) if (occasions := self._occasions(kind)) else 0 for kind in kinds
        )
        if not all(plies) or len(set(plies)) < len(plies):
            return None
        slips: list[Slip] = []
        stands = dict(pieces_of(self.boards[0]))
        left = list(zip(plies, kinds, strict=True))
        for ply in range(1, last + 1):
            before, move = self.boards[ply - 1], self.moves[ply - 1]
            if left and left[0][0] == ply:
                kind = left.pop(0)[1]
                slipped = self._slipped(rng, kind, ply, stands)
                if slipped is None:
                    return None
                put, slip = slipped
                slips.append(slip)
                if kind in BY_MOVES and kind not in (SlipKind.TWICE, SlipKind.BY_OTHER_SIDE_TOO):
                    stands = laid_over(stands, put)
                    continue
                if kind is SlipKind.BEHIND:
                    break
                if not _executes(before, move, stands):
                    return None
                stands = laid_over(laid_over(stands, change(before, move)), put)
            elif not _executes(before, move, stands):
                return None
            else:
                stands = laid_over(stands, change(before, move))
        if stands == pieces_of(self.boards[-1]):
            return None
        return Mishap(self.boards[0], self.moves, stands, tuple(slips))

    def _occasions(self, kind: SlipKind) -> Sequence[int]:
        """The plies at which a slip of this kind can happen."""
        last = len(self.moves)
        if kind is SlipKind.BEHIND:
            return range(max(1, last - 2), last)
        if kind is SlipKind.NOT_WRITTEN:
            return [last]
        fits = {
            SlipKind.OTHER_PROMOTION: lambda board, move: move.promotion,
            SlipKind.PAWN_NOT_REPLACED: lambda board, move: move.promotion,
            SlipKind.OTHER_CASTLING: lambda board, move: board.is_castling(move),
            SlipKind.ROOK_FORGOTTEN: lambda board, move: board.is_castling(move),
            SlipKind.KING_FORGOTTEN: lambda board, move: board.is_castling(move),
            SlipKind.EN_PASSANT_PAWN_LEFT: lambda board, move: board.is_en_passant(move),
            SlipKind.CAPTURER_LEFT: lambda board, move: board.piece_type_at(move.to_square),
        }.get(kind)
        if fits is None:
            # Most earlier slips would be noticed or undone before the end.
            return range(max(1, last - 60), last + 1)
        return [
            ply for ply in range(1, last + 1) if fits(self.boards[ply - 1], self.moves[ply - 1])
        ]

    def _slipped(
        self, rng: random.Random, kind: SlipKind, ply: int, stands: Mapping[int, str]
    ) -> tuple[Change, Slip] | None:
        """The change that a slip makes on the board, and the slip; None if it is impossible."""
        before, move = self.boards[ply - 1], self.moves[ply - 1]
        if kind in BY_THEMSELVES:
            return _by_itself(rng, kind, self.boards[ply])
        board = before.copy(stack=False)
        for square in chess.SQUARES:
            letter = stands.get(square)
            if letter != letter_at(board, square):
                piece = None if letter is None else chess.Piece.from_symbol(letter)
                board.set_piece_at(square, piece)
        if letter_at(board, move.from_square) != letter_at(before, move.from_square):
            return None
        if kind in (SlipKind.TWICE, SlipKind.BY_OTHER_SIDE_TOO):
            ways = list(_once_more(kind, ply, self.boards[ply], move))
        elif kind is SlipKind.NOT_WRITTEN:
            ways = [
                (change(self.boards[ply], more), _slip(kind, ply + 1, self.boards[ply], None, more))
                for more in self.boards[ply].legal_moves
            ]
        else:
            ways = list(_otherwise(kind, ply, board, move))
        return rng.choice(ways) if ways else None


def _executes(before: chess.Board, move: chess.Move, stands: Mapping[int, str]) -> bool:
    """Whether hands that execute ``move`` find what they expect: the piece that they lift, an
    empty hole, and an opponent's piece where they capture."""
    for square in change(before, move):
        expected, found = letter_at(before, square), stands.get(square)
        captured = expected is not None and expected.isupper() != before.turn
        if captured and found is not None:
            if found.isupper() == before.turn:
                return False
        elif expected != found:
            return False
    return True


def _slip(
    what: SlipKind, ply: int, board: chess.Board, move: chess.Move | None, executed: chess.Move
) -> Slip:
    piece = letter_at(board, executed.from_square)
    return Slip(what, ply, move, executed, piece, executed.from_square, executed.to_square)


def _otherwise(
    kind: SlipKind, ply: int, board: chess.Board, move: chess.Move
) -> Iterator[tuple[Change, Slip]]:
    """Every way to execute ``move`` wrongly in a slip of this kind."""
    did, home, target = change(board, move), move.from_square, move.to_square
    piece = letter_at(board, home)
    if kind in (SlipKind.NOT_EXECUTED, SlipKind.BEHIND):
        yield {}, Slip(kind, ply, move, None, piece if kind is SlipKind.NOT_EXECUTED else None,
                       home if kind is SlipKind.NOT_EXECUTED else None)  # fmt: skip
    elif kind is SlipKind.CAPTURER_LEFT:
        yield {target: None}, Slip(kind, ply, move, None, piece, home)
    elif kind is SlipKind.EN_PASSANT_PAWN_LEFT:
        victim = captured_en_passant(move)
        left = {at: now for at, now in did.items() if at != victim}
        yield left, Slip(kind, ply, move, None, letter_at(board, victim), victim)
    elif kind is SlipKind.ROOK_FORGOTTEN:
        rook = castling_rook(board, move)
        king = {at: now for at, now in did.items() if now in ("K", "k") or at == home}
        yield king, Slip(kind, ply, move, None, letter_at(board, rook), rook)
    elif kind is SlipKind.KING_FORGOTTEN:
        rook = castling_rook(board, move)
        moved = {at: now for at, now in did.items() if now in ("R", "r") or at == rook}
        yield moved, Slip(kind, ply, move, None, piece, home)
    elif kind is SlipKind.OTHER_CASTLING:
        short = target > home
        other = chess.Move(home, home + (-2 if short else 2))
        rook = chess.square(0 if short else 7, chess.square_rank(home))
        if board.piece_type_at(rook) == chess.ROOK and board.color_at(rook) == board.turn:
            put = change(board, other)
            if not any(now and board.piece_type_at(at) for at, now in put.items()):
                yield put, _slip(kind, ply, board, move, other)
    elif kind is SlipKind.OTHER_PROMOTION:
        for promoted in (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT):
            if promoted != move.promotion:
                other = chess.Move(home, target, promoted)
                yield change(board, other), _slip(kind, ply, board, move, other)
    elif kind is SlipKind.PAWN_NOT_REPLACED:
        other = chess.Move(home, target)
        yield change(board, other), _slip(kind, ply, board, move, other)
    else:
        yield from _other_moves(kind, ply, board, move)


def _other_moves(
    kind: SlipKind, ply: int, board: chess.Board, move: chess.Move
) -> Iterator[tuple[Change, Slip]]:
    home, target = move.from_square, move.to_square
    kings = board.kings
    for other in board.generate_pseudo_legal_moves():
        same = other.from_square == home, other.to_square == target
        wanted = {
            SlipKind.OTHER_SQUARE: (True, False),
            SlipKind.OTHER_PIECE: (False, True),
            SlipKind.OTHER_MOVE: (False, False),
        }[kind]
        if same != wanted or kings & chess.BB_SQUARES[other.to_square]:
            continue
        yield change(board, other), _slip(kind, ply, board, move, other)


def _once_more(
    kind: SlipKind, ply: int, after: chess.Board, move: chess.Move
) -> Iterator[tuple[Change, Slip]]:
    home, target = move.from_square, move.to_square
    if kind is SlipKind.TWICE:
        source = target
        file = 2 * chess.square_file(target) - chess.square_file(home)
        rank = 2 * chess.square_rank(target) - chess.square_rank(home)
        if not (0 <= file < 8 and 0 <= rank < 8):
            return
        goal = chess.square(file, rank)
    else:
        source, goal = chess.square_mirror(home), chess.square_mirror(target)
        own, theirs = after.piece_at(target), after.piece_at(source)
        if own is None or theirs is None or own.piece_type != theirs.piece_type:
            return
        if own.color == theirs.color:
            return
    piece = letter_at(after, source)
    if piece is not None and after.piece_type_at(goal) is None:
        executed = chess.Move(source, goal)
        yield {source: None, goal: piece}, Slip(kind, ply, move, executed, piece, source, goal)


def _by_itself(
    rng: random.Random, kind: SlipKind, board: chess.Board
) -> tuple[Change, Slip] | None:
    """A slip without a move: a piece is displaced, removed, added, replaced or exchanged."""
    standing = pieces_of(board)
    movable = [square for square, letter in standing.items() if letter not in "Kk"]
    if len(movable) < 2:
        return None
    square, other = rng.sample(sorted(movable), 2)
    letter = standing[square]
    if kind is SlipKind.MISSING:
        return {square: None}, Slip(kind, piece=letter, square=square)
    if kind is SlipKind.DISPLACED:
        free = [to for to in chess.SquareSet(chess.BB_KING_ATTACKS[square]) if to not in standing]
        if not free:
            return None
        to = rng.choice(free)
        return {square: None, to: letter}, Slip(kind, piece=letter, square=square, to=to)
    if kind is SlipKind.EXCHANGED:
        square, other = sorted((square, other))
        letter, second = standing[square], standing[other]
        if letter == second:
            return None
        put: Change = {square: second, other: letter}
        return put, Slip(kind, piece=letter, square=square, to=other, other=second)
    if kind is SlipKind.REPLACED:
        wrong = rng.choice([one for one in "PNBRQpnbrq" if one != letter])
        return {square: wrong}, Slip(kind, piece=letter, square=square, other=wrong)
    empty = rng.choice([at for at in chess.SQUARES if at not in standing])
    beside = [one for one in "PNBRQpnbrq" if not too_many_pieces({**standing, empty: one})]
    if not beside:
        return None
    extra = rng.choice(beside)
    return {empty: extra}, Slip(kind, piece=extra, square=empty)
