"""Pieces that a player is asked to lift and put back. That does not touch them (4.3, D.2.2)."""

from collections.abc import Callable, Collection

import chess

from blindplay.laws import facts as f

from .desk import Desk

_KINGS = {"white": "K", "black": "k"}


class AskedLifts:
    """Lifts and placings on one board, which become facts unless the table has asked for them.

    A lift that was asked for waits for what the hand does next. The piece back in its hole: nothing
    has happened. Another piece in that hole: it was put there. Anything else: it was a lift like
    any other. ``seat`` gives the seat of the board.
    """

    def __init__(self, desk: Desk, seat: Callable[[], str]) -> None:
        self._desk = desk
        self._seat = seat
        # Squares whose piece is doubted, and whether the player waits to hear of it.
        self._doubted: dict[str, bool] = {}
        self._told: set[str] = set()
        self._king_expected = False
        self._lifted: str | None = None

    @property
    def _side(self) -> str:
        return self._desk.side_of(self._seat())

    @property
    def doubted(self) -> Collection[str]:
        """The squares whose piece is doubted."""
        return self._doubted.keys()

    def lift(self, square: str) -> None:
        """A hand has lifted the piece on ``square``."""
        self._not_put_back()
        king = self._king_expected and self._piece_on(square) == _KINGS[self._side]
        self._king_expected = False
        if king or square in self._doubted:
            self._lifted = square
        else:
            self._desk.table.submit(f.Lift(board=self._side, square=square))

    def place(self, square: str, piece: str | None) -> None:
        """A hand has put a piece on ``square``; None: the board cannot name it."""
        asked = self._lifted == square
        if asked:
            self._lifted = None
        self._not_put_back()
        if not asked or piece != self._piece_on(square):
            self._desk.table.submit(f.Place(board=self._side, square=square, piece=piece))
        if asked:
            self.certain(square)

    def _not_put_back(self) -> None:
        square, self._lifted = self._lifted, None
        if square is not None:
            self._desk.table.submit(f.Lift(board=self._side, square=square))
            self.doubt_only(self._doubted.keys() - {square})

    def expect_king(self) -> None:
        """The player has been asked to lift their king and may do so yet, though it is no longer
        needed."""
        self._king_expected = True

    def forget_lift(self) -> None:
        """The line was interrupted: the position that follows shows what hands have done."""
        self._lifted = None

    # --- doubted pieces ------------------------------------------------------------------------

    def doubt(self, square: str) -> None:
        """The board doubts the piece on ``square``. The player is asked once in a game: a bad
        contact comes and goes."""
        self._doubted.setdefault(square, False)
        if square not in self._told:
            self._told.add(square)
            self._ask(square)

    def doubt_only(self, squares: Collection[str]) -> None:
        """The pieces on ``squares``, and no others, are doubted."""
        before = self._doubted
        self._doubted = {at: told for at, told in before.items() if at in squares}
        for square in squares:
            self.doubt(square)
        if before and not squares:
            self._desk.table.hands_first.connected(self._seat())  # a press may wait for it

    def certain(self, square: str) -> None:
        """The piece on ``square`` is certain: say which it is, if its player waits for that."""
        piece = self._piece_on(square)
        if self._doubted.get(square) and piece is not None:
            pack, at = self._desk.readers.of(self._side), chess.parse_square(square)
            holds = pack.piece(chess.Piece.from_symbol(piece))
            words = pack.sentence("square_holds", square=pack.square(at), piece=holds)
            self._desk.tell(self._side, words)
        self.doubt_only(self._doubted.keys() - {square})

    def ask_again(self) -> None:
        """Say of each doubted piece what makes it certain."""
        for square in sorted(self._doubted):
            self._ask(square)

    def _ask(self, square: str) -> None:
        self._doubted[square] = True
        pack = self._desk.readers.of(self._side)
        words = pack.sentence("contact_doubted", square=pack.square(chess.parse_square(square)))
        player = pack.sentence(self._side)
        self._desk.tell(self._side, pack.sentence("on_board_of", player=player, words=words))

    def _piece_on(self, square: str) -> str | None:
        board = self._desk.table.game.tables.get(self._side)
        return None if board is None else board.placement.get(chess.parse_square(square))
