"""The moves of a game, as a board shows them move by move."""

import chess

from ..diagram import EMPTY, NAMELESS, Diagram, after_move, diagram_of_board, differing, fen_of
from ..nameless import certain_moves, occupied_squares


class Reconstruction:
    """The moves that lead from a position to what a board shows.

    Call :meth:`rest` when the hands rest. Hands slide pieces over legal squares, castle with the
    rook first, and take moves back, so the end of the moves may be revised.
    """

    def __init__(self, start: chess.Board) -> None:
        self.start = start.fen()
        self._board = start
        # The squares that were seen empty while each position was the last, the start first.
        self._emptied: list[chess.Bitboard] = [0]

    @property
    def san(self) -> list[str]:
        """The moves so far."""
        board = self._board.root()
        return [board.san_and_push(move) for move in self._board.move_stack]

    def differing(self, shown: Diagram) -> chess.Bitboard:
        """The squares on which a board that shows this differs from the position."""
        return _differing(self._board, shown)

    def placement(self, shown: Diagram) -> str:
        """Return the position on the board, as FEN's first field. A piece without a name takes
        the name of the piece on that square in the game; on an empty square it is left out."""
        if NAMELESS not in shown:
            return fen_of(shown)
        known = diagram_of_board(self._board)
        return fen_of(
            bytes(
                EMPTY if now == EMPTY else was if now == NAMELESS else now
                for now, was in zip(shown, known, strict=True)
            )
        )

    def change(self, shown: Diagram, emptied: chess.Square | None) -> None:
        """Take a single change, after which the board shows this."""
        if emptied is not None:
            self._emptied[-1] |= chess.BB_SQUARES[emptied]
        elif not self.differing(shown):
            self._emptied[-1] = 0  # a piece was only adjusted

    def rest(self, shown: Diagram) -> None:
        """Find the moves to what the board shows, if there are any."""
        if not self.differing(shown):
            self._emptied[-1] = 0
        elif move := self._only_move(self._board, shown, self._emptied[-1]):
            self._push(move)
        elif not (self._revise(shown) or self._take_back(shown)) and NAMELESS not in shown:
            self._push_two(shown)

    def _push(self, move: chess.Move) -> None:
        self._board.push(move)
        self._emptied.append(0)

    def _revise(self, shown: Diagram) -> bool:
        """Another move than the last one may have been meant."""
        if not self._board.move_stack:
            return False
        emptied = self._emptied[-2] | self._emptied[-1]
        last = self._board.pop()
        move = self._only_move(self._board, shown, emptied)
        self._board.push(move or last)
        if move is not None:
            self._emptied[-2:] = [emptied, 0]
        return move is not None

    def _take_back(self, shown: Diagram) -> bool:
        """The board may show an earlier position."""
        before = self._board.copy()
        while before.move_stack:
            before.pop()
            if not _differing(before, shown):
                self._board = before
                self._emptied[len(before.move_stack) :] = [0]
                return True
        return False

    def _push_two(self, shown: Diagram) -> None:
        """Two moves may have been made at once."""
        found = []
        for move in self._board.legal_moves:
            after = self._board.copy(stack=False)
            after.push(move)
            found += [(move, answer) for answer in _moves_to(after, shown)]
        if len(found) == 1:
            for move in found[0]:
                self._push(move)

    @staticmethod
    def _only_move(
        board: chess.Board, shown: Diagram, emptied: chess.Bitboard
    ) -> chess.Move | None:
        if NAMELESS in shown:
            moves = certain_moves(board, occupied_squares(shown), emptied)
        else:
            moves = _moves_to(board, shown)
        return moves[0] if len(moves) == 1 else None


def _differing(board: chess.Board, shown: Diagram) -> chess.Bitboard:
    if NAMELESS in shown:
        return board.occupied ^ occupied_squares(shown)
    return differing(shown, diagram_of_board(board))


def _moves_to(board: chess.Board, shown: Diagram) -> list[chess.Move]:
    diagram = diagram_of_board(board)
    return [move for move in board.legal_moves if after_move(board, diagram, move) == shown]
