"""Boards on which hands have slipped on purpose, for ``python -m benchmarks slips`` and the tests.

Hands execute a random game on a board, and once or twice they slip in a known way. Hands notice a
piece where there should be none, and an empty hole where there should be a piece. Such a game
would stop there, so another slip is tried.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
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

AT_THE_END = (SlipKind.BEHIND, SlipKind.NOT_WRITTEN)
BY_THEMSELVES = (
    SlipKind.DISPLACED,
    SlipKind.EXCHANGED,
    SlipKind.MISSING,
    SlipKind.EXTRA,
    SlipKind.REPLACED,
)
BY_MOVES = tuple(kind for kind in SlipKind if kind not in AT_THE_END + BY_THEMSELVES)
_CASTLINGS = (SlipKind.OTHER_CASTLING, SlipKind.ROOK_FORGOTTEN, SlipKind.KING_FORGOTTEN)
_AFTERWARDS = (SlipKind.TWICE, SlipKind.BY_OTHER_SIDE_TOO)


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
    """Return a random legal game of ``plies`` plies from ``start`` that has not ended.

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
    """Return whether castling remains possible for both sides after this move."""
    home = board.kings | board.rooks | board.pawns | board.occupied_co[not board.turn]
    squares = chess.BB_SQUARES[move.from_square] | chess.BB_SQUARES[move.to_square]
    return not home & squares and not board.gives_check(move)


def _is_rare(board: chess.Board, move: chess.Move) -> bool:
    return board.is_castling(move) or board.is_en_passant(move) or move.promotion is not None


def mishap(rng: random.Random, plies: int, *kinds: SlipKind) -> Mishap:
    """Return a game of ``plies`` plies with a slip of each kind, by default of one random kind."""
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

        Return None if hands would notice a slip, if it leaves no trace, or if the game has no
        place for it.
        """
        plies = sorted(
            rng.choice(occasions) if (occasions := self._occasions(kind)) else 0 for kind in kinds
        )
        if not all(plies) or len(set(plies)) < len(plies):
            return None
        kind_at = dict(zip(plies, kinds, strict=True))
        slips: list[Slip] = []
        stands = dict(pieces_of(self.boards[0]))
        for ply, (before, move) in enumerate(zip(self.boards, self.moves, strict=False), 1):
            kind, put = kind_at.get(ply), {}
            if kind is not None:
                slipped = self._slipped(rng, kind, ply, stands)
                if slipped is None:
                    return None
                put = slipped[0]
                slips.append(slipped[1])
                if kind is SlipKind.BEHIND:
                    break
            if kind not in BY_MOVES or kind in _AFTERWARDS:
                if not _executes(before, move, stands):
                    return None
                stands = laid_over(stands, change(before, move))
            stands = laid_over(stands, put)
        if stands == pieces_of(self.boards[-1]):
            return None
        return Mishap(self.boards[0], self.moves, stands, tuple(slips))

    def _occasions(self, kind: SlipKind) -> Sequence[int]:
        """Return the plies at which a slip of this kind can happen."""
        last = len(self.moves)
        if kind is SlipKind.BEHIND:
            return range(max(1, last - 2), last)
        if kind is SlipKind.NOT_WRITTEN:
            return [last]
        conditions: dict[SlipKind, Callable[[chess.Board, chess.Move], object]] = {
            SlipKind.OTHER_PROMOTION: lambda board, move: move.promotion,
            SlipKind.PAWN_NOT_REPLACED: lambda board, move: move.promotion,
            **dict.fromkeys(_CASTLINGS, chess.Board.is_castling),
            SlipKind.EN_PASSANT_PAWN_LEFT: chess.Board.is_en_passant,
            SlipKind.CAPTURER_LEFT: lambda board, move: board.piece_type_at(move.to_square),
        }
        fits = conditions.get(kind)
        if fits is None:
            # Most earlier slips would be noticed or undone before the end.
            return range(max(1, last - 60), last + 1)
        return [
            ply for ply in range(1, last + 1) if fits(self.boards[ply - 1], self.moves[ply - 1])
        ]

    def _slipped(
        self, rng: random.Random, kind: SlipKind, ply: int, stands: Mapping[int, str]
    ) -> tuple[Change, Slip] | None:
        """Return the change that a slip makes on the board, and the slip; None if impossible."""
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
        after = self.boards[ply]
        if kind in _AFTERWARDS:
            ways = list(_once_more(kind, ply, after, move))
        elif kind is SlipKind.NOT_WRITTEN:
            ways = [_executed(kind, ply + 1, after, None, more) for more in after.legal_moves]
        else:
            ways = list(_otherwise(kind, ply, board, move))
        return rng.choice(ways) if ways else None


def _executes(before: chess.Board, move: chess.Move, stands: Mapping[int, str]) -> bool:
    """Return whether hands that execute ``move`` find what they expect: the piece that they lift,
    an empty hole, and an opponent's piece where they capture."""
    for square in change(before, move):
        expected, found = letter_at(before, square), stands.get(square)
        captured = expected is not None and expected.isupper() != before.turn
        if captured and found is not None:
            if found.isupper() == before.turn:
                return False
        elif expected != found:
            return False
    return True


def _executed(
    kind: SlipKind, ply: int, board: chess.Board, move: chess.Move | None, other: chess.Move
) -> tuple[Change, Slip]:
    """Return the slip in which ``other`` is executed, and what it changes."""
    piece = letter_at(board, other.from_square)
    slip = Slip(kind, ply, move, other, piece, other.from_square, other.to_square)
    return change(board, other), slip


def _otherwise(
    kind: SlipKind, ply: int, board: chess.Board, move: chess.Move
) -> Iterator[tuple[Change, Slip]]:
    """Yield every way to execute ``move`` wrongly in a slip of this kind."""
    did, home = change(board, move), move.from_square
    left: int | None = home  # the piece that hands leave where it was
    match kind:
        case SlipKind.NOT_EXECUTED:
            put: Change = {}
        case SlipKind.BEHIND:
            put, left = {}, None
        case SlipKind.CAPTURER_LEFT:
            put = {move.to_square: None}
        case SlipKind.EN_PASSANT_PAWN_LEFT:
            left = captured_en_passant(move)
            put = {at: now for at, now in did.items() if at != left}
        case SlipKind.ROOK_FORGOTTEN:
            left = castling_rook(board, move)
            put = {at: now for at, now in did.items() if now in ("K", "k") or at == home}
        case SlipKind.KING_FORGOTTEN:
            rook = castling_rook(board, move)
            put = {at: now for at, now in did.items() if now in ("R", "r") or at == rook}
        case _:
            for other in _moves_instead(kind, board, move):
                yield _executed(kind, ply, board, move, other)
            return
    piece = None if left is None else letter_at(board, left)
    yield put, Slip(kind, ply, move, None, piece, left)


def _moves_instead(kind: SlipKind, board: chess.Board, move: chess.Move) -> Iterator[chess.Move]:
    """Yield the moves that hands may execute in place of ``move`` in a slip of this kind."""
    home, target = move.from_square, move.to_square
    match kind:
        case SlipKind.OTHER_CASTLING:
            short = target > home
            other = chess.Move(home, home + (-2 if short else 2))
            rook = chess.square(0 if short else 7, chess.square_rank(home))
            put = change(board, other).items()
            free = not any(now and board.piece_type_at(at) for at, now in put)
            if free and board.piece_at(rook) == chess.Piece(chess.ROOK, board.turn):
                yield other
        case SlipKind.OTHER_PROMOTION:
            for promoted in (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT):
                if promoted != move.promotion:
                    yield chess.Move(home, target, promoted)
        case SlipKind.PAWN_NOT_REPLACED:
            yield chess.Move(home, target)
        case _:
            wanted = {
                SlipKind.OTHER_SQUARE: (True, False),
                SlipKind.OTHER_PIECE: (False, True),
                SlipKind.OTHER_MOVE: (False, False),
            }[kind]
            for other in board.generate_pseudo_legal_moves():
                same = other.from_square == home, other.to_square == target
                if same == wanted and not board.kings & chess.BB_SQUARES[other.to_square]:
                    yield other


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
    """Return a slip without a move: a piece is displaced, exchanged, missing, extra or another."""
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
