"""The moves that a DGT board has shown and that are not final yet."""

from functools import cached_property

import chess

from ..diagram import EMPTY, Diagram, after_move, changed, differing, shows_with_pieces_missing


class HeardBoard:
    """The board as heard so far: ``diagram`` as it lies under the board, None before the first
    dump.

    ``turned``: White does not sit at the board's usual side. ``placed`` holds each square with the
    letter that was put there since the board last showed a known position, and ``whole`` is True
    if a dump came since then.
    """

    def __init__(self, turned: bool) -> None:
        self.diagram: Diagram | None = None
        self.turned = turned
        self.placed: set[tuple[chess.Square, int]] = set()
        self.whole = False

    @property
    def shown(self) -> Diagram:
        """The pieces on the board."""
        assert self.diagram is not None
        return self.diagram[::-1] if self.turned else self.diagram

    def dump(self, diagram: Diagram) -> None:
        """Take the whole board."""
        self.diagram = diagram
        self.whole = True

    def update(self, square: chess.Square, letter: int) -> None:
        """Take one change."""
        assert self.diagram is not None
        self.diagram = changed(self.diagram, square, letter)
        self.placed.add((63 - square if self.turned else square, letter))

    def understood(self) -> None:
        """The board shows a known position."""
        self.placed.clear()
        self.whole = False


class Node:
    """A position that was on the board, and the move that led to it; None at the beginning."""

    def __init__(self, board: chess.Board, move: chess.Move | None, diagram: Diagram) -> None:
        self.board, self.move, self.diagram = board, move, diagram

    @cached_property
    def next(self) -> dict[Diagram, chess.Move]:
        """The diagrams that the board may show one move later."""
        moves = self.board.legal_moves
        return {after_move(self.board, self.diagram, move): move for move in moves}

    def play(self, move: chess.Move) -> "Node":
        """The node after ``move``."""
        board = self.board.copy(stack=False)
        board.push(move)
        board.clear_stack()
        return Node(board, move, after_move(self.board, self.diagram, move))

    def pairs_to(self, goal: Diagram) -> list[tuple["Node", "Node"]]:
        """All pairs of plies that lead to ``goal``."""
        # The square that the first ply leaves differs from the goal, then the one that the second
        # leaves: either they stay empty, or a piece of the other side comes there.
        pairs = []
        for first in self.board.generate_legal_moves(differing(self.diagram, goal)):
            middle = self.play(first)
            for second in middle.board.generate_legal_moves(differing(middle.diagram, goal)):
                if after_move(middle.board, middle.diagram, second) == goal:
                    pairs.append((middle, middle.play(second)))
        return pairs


class PendingMoves:
    """The line of plies that the board has shown since the last reported move.

    The line begins after one of ``bases``. There are two of them before the first move if the
    side to move is unknown. Hands may still be at work on the end of the line.
    """

    def __init__(self, bases: list[Node]) -> None:
        self.bases = bases
        self.line: list[Node] = []
        # A length of the line, and two plies that may have followed it.
        self._pair: tuple[int, tuple[Node, Node]] | None = None

    def ends_in(self, shown: Diagram) -> bool:
        """Return whether there is a last move, and ``shown`` is the position after it."""
        return bool(self.line) and self.line[-1].diagram == shown

    def take(self, count: int) -> list[str]:
        """Remove the first ``count`` moves of the line, which are final, and return their UCI."""
        final, self.line = self.line[:count], self.line[count:]
        moves = []
        before = self.bases[0]
        for node in final:
            assert node.move is not None
            moves.append(before.board.uci(node.move))
            before = node
        if final:
            self.bases, self._pair = [before], None
        return moves

    def follow(self, heard: HeardBoard) -> bool:
        """Bring the line up to the position on the board. False if no move on or near the line
        explains it."""
        shown = heard.shown
        if self._continue(shown) or self._revise(shown) or self._follow_pair(heard):
            self._pair = None
            return True
        return False

    def _continue(self, shown: Diagram) -> bool:
        for tip in self._at(len(self.line)):
            if tip.diagram == shown:
                return True
            if move := tip.next.get(shown):
                self._extend(tip, tip.play(move))
                return True
        return False

    def _revise(self, shown: Diagram) -> bool:
        """Hands are still at work, or put pieces back: the last ply becomes another one."""
        if not self.line:
            return False
        for parent in self._at(len(self.line) - 1):
            if move := parent.next.get(shown):
                self.line.pop()
                self._extend(parent, parent.play(move))
                return True
        for keep in range(len(self.line) - 1, -1, -1):
            if any(node.diagram == shown for node in self._at(keep)):
                del self.line[keep:]
                return True
        return False

    def _follow_pair(self, heard: HeardBoard) -> bool:
        """Two plies between two looks at the board, one of each side.

        A half-done capture may look the same. So a pair joins the line only if something follows
        from it, or if the board shows it at the end or when the clock is pressed.
        """
        shown = heard.shown
        if self._pair:
            keep, (first, second) = self._pair
            if second.diagram == shown:
                return False
            if move := second.next.get(shown):
                self._join_pair()
                self._extend(second, second.play(move))
                return True
            if move := first.next.get(shown):
                self._pair = keep, (first, first.play(move))
                return False
            self._pair = None
        pairs: list[tuple[int, tuple[Node, Node]]] = []
        for keep in range(len(self.line), max(-1, len(self.line) - 2), -1):
            pairs = pairs or [
                (keep, pair) for tip in self._at(keep) for pair in tip.pairs_to(shown)
            ]
        # Without the update that put the first piece down, a piece is missing, and it may stand
        # anywhere.
        pairs = [(keep, pair) for keep, pair in pairs if heard.whole or _was_heard(pair[0], heard)]
        if len(pairs) == 1:
            self._pair = pairs[0]
        return False

    def join_pair_to(self, shown: Diagram) -> bool:
        """If the board shows the end of a pair of plies, add them to the line."""
        if self._pair is None or self._pair[1][1].diagram != shown:
            return False
        self._join_pair()
        return True

    def _join_pair(self) -> None:
        assert self._pair is not None
        keep, pair = self._pair
        self._replace(keep, pair)

    def bridge(self, shown: Diagram) -> int:
        """Go on from a dump after a loss, and return the number of ways that lead to it from the
        line; the line changes only if there is one."""
        # The last ply of the line may have been under way at the loss. So a ply that replaces it
        # counts like one that follows it.
        ways: dict[tuple[chess.Move | None, ...], tuple[int, tuple[Node, ...]]] = {}
        for back in (0, 1) if self.line else (0,):
            keep = len(self.line) - back
            for origin in self._at(keep):
                continuations: list[tuple[Node, ...]] = [*origin.pairs_to(shown)]
                if origin.diagram == shown:
                    continuations.append(())
                if move := origin.next.get(shown):
                    continuations.append((origin.play(move),))
                for plies in continuations:
                    moves = tuple(node.move for node in (*self.line[:keep], *plies))
                    ways[moves] = keep, plies
        if len(ways) == 1:
            ((keep, plies),) = ways.values()
            self._replace(keep, plies)
        return len(ways)

    def accept_with_pieces_missing(self, turn: chess.Color, heard: HeardBoard) -> bool:
        """Return whether exactly one move of ``turn`` explains the board. Pieces that fell over
        may be missing from their squares. That move joins the line."""
        keep = len(self.line)
        if keep and self.line[-1].board.turn != turn:
            keep -= 1  # the last ply was only a step on the way of this move
        matches = [
            (base, move)
            for base in self._at(keep)
            if base.board.turn == turn
            for diagram, move in base.next.items()
            if (move.to_square, diagram[move.to_square]) in heard.placed
            and shows_with_pieces_missing(base.diagram, diagram, heard.shown)
        ]
        if len(matches) != 1:
            return False
        base, move = matches[0]
        del self.line[keep:]
        self._extend(base, base.play(move))
        return True

    def may_be_half_a_castling(self) -> bool:
        """Return whether the last move is a rook's that castles if the king follows. A recording
        that was cut off may end there."""
        (before, *_), last = self._at(len(self.line) - 1), self.line[-1].move
        assert last is not None
        for move in before.board.legal_moves:
            if before.board.is_castling(move):
                after = before.play(move).diagram
                rook = before.diagram[last.from_square]
                moved = after[last.from_square] == EMPTY and after[last.to_square] == rook
                if moved and chr(rook) in "Rr":
                    return True
        return False

    def drop_king_walk(self, result: Diagram) -> list[str]:
        """Remove the last moves of a king that only went to the centre to show the ``result``, and
        return them, the last one first."""
        dropped = []
        while self.line:
            last = self.line[-1]
            assert last.move is not None
            king = last.diagram[last.move.to_square]
            if chr(king) not in "Kk":
                break
            if chess.square_distance(last.move.to_square, result.index(king)) > 1:
                break
            self.line.pop()
            dropped.append(last.move.uci())
        return dropped

    def _at(self, keep: int) -> list[Node]:
        """The positions after the first ``keep`` plies of the line: one, or all bases."""
        return self.line[keep - 1 : keep] if keep else self.bases

    def _extend(self, origin: Node, node: Node) -> None:
        self.line.append(node)
        if len(self.line) == 1:
            # Until a move is reported, the other side may still turn out to be to move.
            self.bases.sort(key=lambda base: base is not origin)

    def _replace(self, keep: int, plies: tuple[Node, ...]) -> None:
        """Let ``plies`` follow the first ``keep`` of the line."""
        if not keep and plies:
            self.bases.sort(key=lambda base: base.board.turn == plies[0].board.turn)
        self.line[keep:] = plies
        self._pair = None


def _was_heard(node: Node, heard: HeardBoard) -> bool:
    """Return whether the board has reported the moved piece on the square of its arrival."""
    assert node.move is not None
    return (node.move.to_square, node.diagram[node.move.to_square]) in heard.placed
