"""Boards that know only which squares are occupied: the moves that they show."""

from collections.abc import Iterable
from dataclasses import dataclass

import chess

from blindplay.translation import _

from .dgt.moves import MoveFinding, MoveFound, MoveUnclear
from .diagram import EMPTY, Diagram
from .reporting import SquareChange


def occupied_squares(diagram: Diagram) -> chess.Bitboard:
    """The squares of ``diagram`` on which something stands."""
    return sum(1 << square for square in chess.SQUARES if diagram[square] != EMPTY)


def possible_moves(
    board: chess.Board, occupied: chess.Bitboard, emptied: chess.Bitboard
) -> list[chess.Move]:
    """The legal moves after which these squares are ``occupied``; one for all promotions of a pawn.

    ``emptied`` are the squares that were seen empty since the position of ``board``. A move does
    not explain the lift of a piece that it does not touch. A captured piece may have been replaced
    so fast that its square was never seen empty. If exactly one move explains all that was seen and
    nothing more, only that move is returned.
    """
    exact, others = _fitting_moves(board, occupied, emptied)
    return exact if len(exact) == 1 else exact + others


def certain_moves(
    board: chess.Board, occupied: chess.Bitboard, emptied: chess.Bitboard
) -> list[chess.Move]:
    """Return those of :func:`possible_moves` that touch exactly the squares that were seen empty.
    While a piece is in the hand, its captures are possible, but not certain."""
    return _fitting_moves(board, occupied, emptied)[0]


def _fitting_moves(
    board: chess.Board, occupied: chess.Bitboard, emptied: chess.Bitboard
) -> tuple[list[chess.Move], list[chess.Move]]:
    """Return the possible moves: first those that explain exactly what was seen, then others."""
    exact: list[chess.Move] = []
    others: list[chess.Move] = []
    for move in board.legal_moves:
        if move.promotion not in (None, chess.QUEEN):
            continue
        after = board.copy(stack=False)
        after.push(move)
        touched = (board.occupied & ~after.occupied) | chess.BB_SQUARES[move.from_square]
        if board.is_capture(move) and not board.is_en_passant(move):
            touched |= chess.BB_SQUARES[move.to_square]
        seen = emptied & board.occupied
        if after.occupied == occupied and not seen & ~touched:
            (exact if seen == touched else others).append(move)
    return exact, others


@dataclass(frozen=True)
class _Emptied:
    """The squares that were seen empty: those that are believed, and those of single reports."""

    surely: chess.Bitboard = 0
    perhaps: chess.Bitboard = 0

    def __or__(self, other: "_Emptied") -> "_Emptied":
        return _Emptied(self.surely | other.surely, self.perhaps | other.perhaps)

    def moves(self, board: chess.Board, occupied: chess.Bitboard) -> list[chess.Move]:
        """The possible moves. Single reports decide only between several captures."""
        moves = possible_moves(board, occupied, self.surely)
        seen = [move for move in moves if self.perhaps & chess.BB_SQUARES[move.to_square]]
        return seen if len(moves) > 1 and len(seen) == 1 else moves


class NamelessMoveFinder:
    """Finds the moves of one game in the positions of such a board.

    Hands slide pieces over legal squares, so the last move may be revised until another one
    follows it. Where several moves fit, none is taken. A promoted pawn counts as a queen, which
    is said.
    """

    def __init__(self, board: chess.Board, turned: bool) -> None:
        self._base = board
        self._turned = turned
        self._seen = _Emptied()  # since the base
        self._last: chess.Move | None = None
        self._seen_after = _Emptied()  # since the last move
        self._plies = 0
        self._unclear = ""

    def hear(
        self,
        changes: Iterable[SquareChange],
        diagram: Diagram,
        glimpsed: Iterable[chess.Square] = (),
    ) -> list[MoveFinding]:
        """Take a believed position, the changes that led to it, and the squares that were
        ``glimpsed`` empty on the way; return the final moves."""
        emptied = {change.square for change in changes if change.letter == EMPTY}
        seen = _Emptied(self._bits(emptied), self._bits(glimpsed))
        self._seen |= seen
        self._seen_after |= seen
        occupied = occupied_squares(diagram[::-1] if self._turned else diagram)
        self._unclear = ""
        if occupied == self._base.occupied:
            self._last, self._seen = None, _Emptied()
            return []
        if self._plies and occupied == chess.Board().occupied:
            return self._begin_again()
        if self._last is not None:
            after = self._after_last()
            if occupied == after.occupied:
                self._seen_after = _Emptied()
                return []
            following = self._seen_after.moves(after, occupied)
            if len(following) == 1:
                findings = self._report()
                self._last = following[0]
                self._seen, self._seen_after = self._seen_after, _Emptied()
                return findings
        moves = self._seen.moves(self._base, occupied)
        if len(moves) == 1:
            self._last, self._seen_after = moves[0], _Emptied()
        else:
            names = ", ".join(move.uci() for move in moves)
            self._unclear = (
                _(
                    "After {plies} moves the board shows several at once: {names}.",
                    plies=self._plies,
                    names=names,
                )
                if moves
                else _("After {plies} moves the board shows no legal move.", plies=self._plies)
            )
        return []

    def _bits(self, squares: Iterable[chess.Square]) -> chess.Bitboard:
        """These squares of the board, as White's side sees it."""
        return sum({1 << (63 - square if self._turned else square) for square in squares})

    def doubt_last(self) -> None:
        """The last move may not have been finished: do not report it."""
        self._last = None

    def finish(self) -> list[MoveFinding]:
        """The stream has ended: return the last findings."""
        # Where the board shows something else since, the last move may not have been finished.
        findings = self._report() if self._last is not None and not self._unclear else []
        if self._unclear:
            findings.append(MoveUnclear(self._unclear))
        return findings

    def _begin_again(self) -> list[MoveFinding]:
        findings = [*self.finish(), MoveUnclear(_("The pieces stand for a new game."))]
        self._base, self._last, self._plies = chess.Board(), None, 0
        self._seen = self._seen_after = _Emptied()
        return findings

    def _after_last(self) -> chess.Board:
        assert self._last is not None
        after = self._base.copy(stack=False)
        after.push(self._last)
        return after

    def _report(self) -> list[MoveFinding]:
        assert self._last is not None
        self._plies += 1
        findings: list[MoveFinding] = [MoveFound(self._plies, self._base.uci(self._last))]
        if self._last.promotion:
            findings.append(
                MoveUnclear(
                    _(
                        "Move {plies} is taken as a promotion to a queen: check it.",
                        plies=self._plies,
                    )
                )
            )
        self._base, self._last = self._after_last(), None
        return findings
