"""From lifted and placed pieces to moves, in whatever order human hands work.

The tracker compares the board under the hands with a position from the game. It never decides
that a move is finished: a rook put on f1 may be a rook move or half of castling, and only the
clock tells. It answers, at any moment, what the board would mean if it stayed as it is.
"""

from __future__ import annotations

from collections import Counter

import chess

UNKNOWN = "?"
"""A piece that a presence-only board cannot name; it fits any piece."""


class Tracker:
    """Follows one board from ``position``, the position after the last completed move."""

    def __init__(self, position: chess.Board) -> None:
        self._base = position.copy(stack=False)
        self._holes = _holes(self._base)
        self._hand: list[str] = []

    @property
    def position(self) -> chess.Board:
        """A copy of the position that the board is compared with."""
        return self._base.copy(stack=False)

    @property
    def in_hand(self) -> tuple[str, ...]:
        """FEN letters of the pieces off the board since the last move, in order of lifting.

        A captured piece laid aside counts until :meth:`advance`.
        """
        return tuple(self._hand)

    @property
    def at_rest(self) -> bool:
        """Whether the board equals the position: nothing lifted, or all put back."""
        return _fits(self._holes, _holes(self._base))

    def lift(self, square: str) -> None:
        """A piece left its hole; from an empty hole nothing changes.

        Raises :class:`ValueError` for what is no square.
        """
        piece = self._holes.pop(chess.parse_square(square), None)
        if piece is not None:
            self._hand.append(piece)

    def place(self, square: str, piece: str | None = None) -> None:
        """A piece, by FEN letter if the board knows it, was put into a hole.

        An unnamed piece is the one in the hand when there is only one and the square is not the
        last rank of that pawn; else it is any piece. Raises :class:`ValueError` for no square or
        no piece.
        """
        index = chess.parse_square(square)
        if piece is None:
            piece = self._guess(index)
        elif len(piece) != 1 or piece not in "PNBRQKpnbrqk":
            raise ValueError(f"{piece!r} is no piece: write one of P N B R Q K p n b r q k")
        # What stood there must have gone unseen: a dump or an event was lost.
        if (old := self._holes.get(index)) is not None and old != piece:
            self._hand.append(old)
        self._holes[index] = piece
        for known in (piece, UNKNOWN):
            if known in self._hand:
                # The latest of equal pieces: which of them it was makes no difference.
                self._hand.reverse()
                self._hand.remove(known)
                self._hand.reverse()
                break

    def resync(self, placement: str) -> None:
        """Take the whole board from a dump (FEN's first field, ``?`` for an unnamed piece).

        Where a ``?`` stands on a square whose piece was known, it is taken to be that piece.
        Raises :class:`ValueError` for what is no placement.
        """
        holes: dict[int, str] = {}
        # python-chess knows no "?": read the named pieces with a stand-in, then put it back.
        shape = chess.BaseBoard(placement.replace(UNKNOWN, "P"))
        names = iter(_letters(placement))
        for index in _fen_order():
            if shape.piece_at(index) is not None:
                name = next(names)
                holes[index] = self._holes.get(index, name) if name == UNKNOWN else name
        self._holes = holes
        self._hand = self._missing()

    def candidates(self) -> list[chess.Move]:
        """The legal moves that can still come of the board as it is now.

        Every hole that differs from the position must be one that the move changes, and be empty
        (a piece is on its way) or already as the move leaves it.
        """
        before = _holes(self._base)
        found = []
        for move in self._base.legal_moves:
            after = _after(self._base, move)
            changed = _changed(before, after, move)
            if all(
                _same(self._holes.get(square), before.get(square))
                or (
                    square in changed
                    and (square not in self._holes or _same(self._holes[square], after.get(square)))
                )
                for square in before.keys() | after.keys() | self._holes.keys()
            ):
                found.append(move)
        return found

    def matches(self) -> list[chess.Move]:
        """The legal moves after which the position equals the board.

        More than one only on a presence-only board, for the four pieces of a promotion.
        """
        # An unknown piece left where it was fits every position: that is no move.
        if self.at_rest:
            return []
        return [m for m in self._base.legal_moves if _fits(self._holes, _after(self._base, m))]

    def executed(self) -> list[chess.Move]:
        """The move that stands on the board, two if the answer stands there too, else nothing.

        Nothing is also the answer where several fit: see :meth:`matches`.
        """
        if self.at_rest:
            return []
        if found := self.matches():
            return found if len(found) == 1 else []
        occupied = chess.SquareSet(self._holes).mask
        lines = []
        board = self._base.copy(stack=False)
        for first in list(board.legal_moves):
            board.push(first)
            for second in list(board.legal_moves):
                board.push(second)
                if board.occupied == occupied and _fits(self._holes, _holes(board)):
                    lines.append([first, second])
                board.pop()
            board.pop()
        return lines[0] if len(lines) == 1 else []

    def advance(self, move: chess.Move) -> None:
        """The move is completed: compare with the position after it from now on.

        Unnamed pieces that now stand where the position has one take its name. Raises
        :class:`ValueError` if the move is not legal.
        """
        if not self._base.is_legal(move):
            raise ValueError(f"{move.uci()} is not legal here, so the board cannot follow it")
        self._base.push(move)
        self._base.clear_stack()
        for square, piece in _holes(self._base).items():
            if self._holes.get(square) == UNKNOWN:
                self._holes[square] = piece
        self._hand = self._missing()

    def _guess(self, index: int) -> str:
        if len(self._hand) != 1:
            return UNKNOWN
        piece = self._hand[0]
        promotes = (piece == "P" and index >= 56) or (piece == "p" and index < 8)
        return UNKNOWN if promotes else piece

    def _missing(self) -> list[str]:
        gone = Counter(_holes(self._base).values())
        gone.subtract(self._holes.values())
        unnamed = gone.pop(UNKNOWN, 0)
        missing = [piece for piece in "PNBRQKpnbrqk" for _ in range(max(0, gone[piece]))]
        # Each unnamed piece on the board may be one of the missing: claim no more than is sure.
        return missing if unnamed == 0 else missing[: max(0, len(missing) + unnamed)]


def _holes(board: chess.Board) -> dict[int, str]:
    return {square: piece.symbol() for square, piece in board.piece_map().items()}


def _after(board: chess.Board, move: chess.Move) -> dict[int, str]:
    board.push(move)
    holes = _holes(board)
    board.pop()
    return holes


def _changed(before: dict[int, str], after: dict[int, str], move: chess.Move) -> set[int]:
    # From and to belong to the move even where they end up equal (Chess960 castling).
    squares = {s for s in before.keys() | after.keys() if before.get(s) != after.get(s)}
    return squares | {move.from_square, move.to_square}


def _same(here: str | None, there: str | None) -> bool:
    return here == there or (here == UNKNOWN and there is not None)


def _fits(holes: dict[int, str], wanted: dict[int, str]) -> bool:
    return holes.keys() == wanted.keys() and all(_same(holes[s], wanted[s]) for s in holes)


def _letters(placement: str) -> list[str]:
    return [letter for letter in placement if letter.isalpha() or letter == UNKNOWN]


def _fen_order() -> list[int]:
    return [rank * 8 + file for rank in range(7, -1, -1) for file in range(8)]
