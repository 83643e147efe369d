"""Compares what was said with the legal moves of a position.

No word is dropped to make a move fit, and none is added. A table asks a player who names no
promotion piece for it (D.2.1).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import chess

from .pack import GrammarSign
from .parsing import ParsedMove, ParsedText
from .understanding import IllegalReason, Kind, Understanding


@dataclass(frozen=True, slots=True)
class MoveFeatures:
    """All that can be said about a legal or pseudo-legal move."""

    move: chess.Move
    piece: chess.PieceType
    captured: chess.PieceType | None = None
    en_passant: bool = False
    castles: GrammarSign | None = None

    @classmethod
    def of(cls, board: chess.Board, move: chess.Move) -> "MoveFeatures":
        """The features of a pseudo-legal move of ``board``."""
        piece = board.piece_type_at(move.from_square)
        assert piece is not None  # a generated move always has a piece
        if piece == chess.KING and board.is_castling(move):
            short = board.is_kingside_castling(move)
            return cls(
                move,
                piece,
                castles=GrammarSign.CASTLES_SHORT if short else GrammarSign.CASTLES_LONG,
            )
        if piece == chess.PAWN and board.is_en_passant(move):
            return cls(move, piece, chess.PAWN, en_passant=True)
        return cls(move, piece, board.piece_type_at(move.to_square))

    def contradiction(self, said: ParsedMove) -> IllegalReason | None:
        """Return the reason why something that was said is false, for a move with the piece and the
        squares that were said; None if nothing is."""
        if said.captures and self.captured is None:
            return IllegalReason.NOTHING_TO_CAPTURE
        if said.en_passant and not self.en_passant:
            return IllegalReason.NOT_EN_PASSANT
        if said.captured not in (None, self.captured):
            return IllegalReason.CAPTURES_ANOTHER_PIECE
        if said.promotion not in (None, self.move.promotion):
            if self.move.promotion is None:
                return IllegalReason.PROMOTION_NOT_POSSIBLE
            return IllegalReason.PROMOTION_PIECE
        return None


class _Match(NamedTuple):
    """The findings about one announcement, as the fields of its Understanding."""

    kind: Kind
    moves: tuple[chess.Move, ...] = ()
    why: IllegalReason | None = None
    alternatives: tuple[chess.Move, ...] = ()


class MoveIndex:
    """The legal moves of one position by their destinations."""

    def __init__(self, board: chess.Board) -> None:
        self.board = board.copy(stack=False)
        self.features = [MoveFeatures.of(self.board, move) for move in self.board.legal_moves]
        self._by_destination: dict[chess.Square, list[MoveFeatures]] = {}
        for one in self.features:
            self._by_destination.setdefault(one.move.to_square, []).append(one)

    def to(self, square: chess.Square) -> list[MoveFeatures]:
        """The legal moves to ``square``."""
        return self._by_destination.get(square, [])

    def gives_check(self, move: chess.Move) -> bool:
        """Like python-chess, on a copy: it plays the move, and other threads may be reading."""
        return self.board.copy(stack=False).gives_check(move)

    def understand(self, parsed: ParsedText) -> Understanding:
        """Return what a parsed text means in this position."""
        meant, said = parsed
        if said is None:
            return meant
        if meant.kind is Kind.COMMAND:  # a claim or a sealed move
            found = None if said.in_part or said.to is None else self._find(said)
            return replace(meant, moves=found.moves) if found and found.kind is Kind.MOVE else meant
        if said.castles:
            found = self._find_castling(said)
        else:
            found = self._find_in_part(said) if said.in_part else self._find(said)
        false_check = found.kind is Kind.MOVE and self._is_false_check(said, found.moves[0])
        return replace(
            meant,
            **found._asdict(),
            cost=meant.cost + false_check,
            false_check=false_check,
            in_part=said.in_part,
        )

    def _find_castling(self, said: ParsedMove) -> _Match:
        moves = tuple(
            one.move
            for one in self.features
            if said.castles in (one.castles, GrammarSign.CASTLES) and one.castles
        )
        if moves:
            # "Rochade" alone may have lost its "kurze" or "lange". A table asks about it even if
            # only one side is legal.
            return _Match(
                Kind.AMBIGUOUS if said.castles is GrammarSign.CASTLES else Kind.MOVE, moves
            )
        moves = intended_castlings(self.board, said.castles or GrammarSign.CASTLES)
        return _Match(Kind.ILLEGAL, moves, IllegalReason.CASTLING_NOT_ALLOWED)

    def _find(self, said: ParsedMove) -> _Match:
        """The legal move that was said, or why there is none. Its destination was said."""
        assert said.to is not None
        near = [one for one in self.to(said.to) if self._has_the_squares(one, said)]
        moves = tuple(one.move for one in near if one.contradiction(said) is None)
        if moves:
            if said.promotion is None and any(move.promotion for move in moves):
                return _Match(Kind.ILLEGAL, moves, IllegalReason.PROMOTION_MISSING, moves)
            return _Match(Kind.MOVE if len(moves) == 1 else Kind.AMBIGUOUS, moves)
        if near:
            moves = tuple(one.move for one in near)
            return _Match(Kind.ILLEGAL, moves, near[0].contradiction(said), moves)
        moves, why = self._why_not(said, said.to)
        return _Match(Kind.ILLEGAL, moves, why, tuple(self._alternatives(said, said.to)))

    def _find_in_part(self, said: ParsedMove) -> _Match:
        """The legal captures and promotions that fit what was said of them."""
        promotes = said.promotion is not None and not said.captures
        moves = tuple(
            one.move
            for one in self.features
            if (one.captured is not None or promotes)
            and said.to in (None, one.move.to_square)
            and said.to_file in (None, one.move.to_square & 7)
            and self._has_the_squares(one, said)
            and one.contradiction(said) is None
        )
        if not moves:
            why = IllegalReason.NOTHING_TO_CAPTURE
            if said.en_passant:
                why = IllegalReason.NOT_EN_PASSANT
            elif promotes:
                why = IllegalReason.PROMOTION_NOT_POSSIBLE
            return _Match(Kind.ILLEGAL, (), why)
        if said.promotion is None and any(move.promotion for move in moves):
            return _Match(Kind.ILLEGAL, moves, IllegalReason.PROMOTION_MISSING, moves)
        return _Match(Kind.MOVE if len(moves) == 1 else Kind.AMBIGUOUS, moves)

    def _has_the_squares(self, one: MoveFeatures, said: ParsedMove) -> bool:
        """True if the piece and the origin of ``one`` are as said."""
        if one.castles and (
            # Castling may be said as the king's move if both squares are said, as UCI writes it.
            # In chess960 that is the king taking his rook, which is only written.
            said.origin is None or said.captures or (self.board.chess960 and said.piece is not None)
        ):
            return False
        return said.piece in (None, one.piece) and said.comes_from(one.move.from_square)

    def _why_not(
        self, said: ParsedMove, to: chess.Square
    ) -> tuple[tuple[chess.Move, ...], IllegalReason]:
        """The moves that were meant and why they are illegal."""
        board = self.board
        pseudo_legal = (
            MoveFeatures.of(board, move)
            for move in board.generate_pseudo_legal_moves(to_mask=chess.BB_SQUARES[to])
            if move.promotion == said.promotion
        )
        into_check = tuple(
            one.move for one in pseudo_legal if not one.castles and self._has_the_squares(one, said)
        )
        if into_check:
            return into_check, IllegalReason.PINNED_OR_CHECK
        origin = said.origin
        if origin is not None:
            there = board.piece_at(origin)
            meant = (chess.Move(origin, to, said.promotion),) if origin != to else ()
            if there is None or said.piece not in (None, there.piece_type):
                return meant, IllegalReason.NO_SUCH_PIECE
            if there.color != board.turn:
                return meant, IllegalReason.NOT_YOUR_PIECE
            return meant, self._obstacle(origin, to)
        assert said.piece is not None  # without an origin the grammar has a piece
        own = chess.scan_reversed(board.pieces_mask(said.piece, board.turn))
        reasons = {square: self._obstacle(square, to) for square in own if said.comes_from(square)}
        if not reasons:
            return (), IllegalReason.NO_SUCH_PIECE
        why = min(reasons.values(), key=_MOST_TELLING.index)
        if why is IllegalReason.CANNOT_MOVE_THERE:
            return (), why
        return tuple(chess.Move(square, to) for square in reasons if reasons[square] is why), why

    def _obstacle(self, origin: chess.Square, to: chess.Square) -> IllegalReason:
        """Return why the piece of the player on move on ``origin`` cannot reach ``to``."""
        board = self.board
        if not reaches(board, origin, to):
            return IllegalReason.CANNOT_MOVE_THERE
        if board.occupied_co[board.turn] & chess.BB_SQUARES[to]:
            return IllegalReason.OWN_PIECE_THERE
        if board.piece_type_at(origin) == chess.PAWN:
            aslant = (origin ^ to) & 7
            return IllegalReason.NOTHING_TO_CAPTURE if aslant else IllegalReason.BLOCKED
        if chess.between(origin, to) & board.occupied:
            return IllegalReason.BLOCKED
        # The move is pseudo-legal, but its promotion is not as said.
        return IllegalReason.PINNED_OR_CHECK

    def _alternatives(self, said: ParsedMove, to: chess.Square) -> Iterable[chess.Move]:
        """The legal moves that differ in one thing from what was said."""
        for one in self.features:
            if one.castles or one.move.promotion != said.promotion:
                continue
            origin, target = one.move.from_square, one.move.to_square
            differing = (
                (said.piece not in (None, one.piece))
                + (said.from_file not in (None, origin & 7))
                + (said.from_rank not in (None, origin >> 3))
                + (to & 7 != target & 7)
                + (to >> 3 != target >> 3)
            )
            if differing == 1 and one.contradiction(said) is None:
                yield one.move

    def _is_false_check(self, said: ParsedMove, move: chess.Move) -> bool:
        if not (said.check or said.checkmate):
            return False
        after = self.board.copy(stack=False)
        after.push(move)
        return not (after.is_checkmate() if said.checkmate else after.is_check())


_MOST_TELLING = (
    IllegalReason.PINNED_OR_CHECK,
    IllegalReason.BLOCKED,
    IllegalReason.OWN_PIECE_THERE,
    IllegalReason.NOTHING_TO_CAPTURE,
    IllegalReason.CANNOT_MOVE_THERE,
)


def intended_castlings(board: chess.Board, side: GrammarSign) -> tuple[chess.Move, ...]:
    """The king's two steps to a side, or to both if ``side`` is open. None in chess960."""
    king = board.king(board.turn)
    if king is None or board.chess960 or chess.square_file(king) != chess.E1:
        return ()
    steps = {GrammarSign.CASTLES_SHORT: (2,), GrammarSign.CASTLES_LONG: (-2,)}.get(side, (2, -2))
    return tuple(chess.Move(king, king + step) for step in steps)


def reaches(board: chess.Board, origin: chess.Square, to: chess.Square) -> bool:
    """True if the piece on ``origin`` could move to ``to`` if nothing else hindered it.

    A pawn may step, take two steps from its first rank, or go aslant.
    """
    piece = board.piece_at(origin)
    if piece is None or origin == to:
        return False
    files = abs((to & 7) - (origin & 7))
    ranks = (to >> 3) - (origin >> 3)
    if piece.piece_type == chess.PAWN:
        forward, first = (1, 1) if piece.color == chess.WHITE else (-1, 6)
        two_steps = files == 0 and ranks == 2 * forward and origin >> 3 == first
        return two_steps or (files <= 1 and ranks == forward)
    straight = files == 0 or ranks == 0
    aslant = files == abs(ranks)
    return {
        chess.KING: max(files, abs(ranks)) == 1,
        chess.QUEEN: straight or aslant,
        chess.ROOK: straight,
        chess.BISHOP: aslant,
        chess.KNIGHT: files * abs(ranks) == 2,
    }[piece.piece_type]
