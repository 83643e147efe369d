"""Leads hands to a position, one step at a time, in words that a blind person can act on.

The boards feel each step. When it is done, the next one is said. People may work in another order:
the guide does not ask again for what is right already.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import chess

from blindplay.language import Key, Language, word_of
from blindplay.laws.deviation import UNKNOWN
from blindplay.laws.placement import Pieces, difference
from blindplay.laws.sheet_comparison import steps


@dataclass(frozen=True)
class BoardStep:
    """One thing to do. ``sentence`` is its key in the pack, ``to`` the square that a piece goes to.

    ``boards`` are what the board shows on the way. The last one shows that the step is done.
    """

    sentence: str
    square: int
    piece: str
    to: int | None
    boards: tuple[Pieces, ...]


def plan(shown: Pieces, goal: Pieces) -> Iterator[BoardStep]:
    """The fewest steps from ``shown`` to ``goal``. Moving a piece to another square is one step."""
    board = dict(shown)
    todo = list(steps(shown, goal))
    while todo:
        first = todo.pop(0)
        square, piece = chess.parse_square(first.square), first.piece
        if first.do == "place":
            board = {**board, square: piece}
            yield BoardStep("set_up_place", square, piece, None, (board,))
            continue
        board = {at: letter for at, letter in board.items() if at != square}
        if first.do == "remove":
            name = "set_up_remove_unknown" if piece == UNKNOWN else "set_up_remove"
            yield BoardStep(name, square, piece, None, (board,))
        elif todo[0].do == "place" and todo[0].piece == piece:
            lifted, to = board, chess.parse_square(todo.pop(0).square)
            board = {**board, to: piece}
            yield BoardStep("set_up_move", square, piece, to, (lifted, board))
        else:
            yield BoardStep("set_up_aside", square, piece, None, (board,))


def say_step(step: BoardStep, pack: Language) -> str:
    """The sentence of a step."""
    values = {"square": pack.square(step.square)}
    if step.piece != UNKNOWN:
        values["piece"] = pack.piece(chess.Piece.from_symbol(step.piece))
    if step.to is not None:
        values["to"] = pack.square(step.to)
    return pack.sentence(step.sentence, **values)


def named(placement: str, goal: Pieces) -> dict[int, str]:
    """The pieces of a placement. An unknown piece is the one that ``goal`` has on its square.

    :raises ValueError: if ``placement`` is invalid.
    """
    shape = chess.BaseBoard(placement.replace(UNKNOWN, "P")).piece_map()
    if UNKNOWN not in placement:
        return {square: piece.symbol() for square, piece in shape.items()}
    return {square: goal.get(square, UNKNOWN) for square in shape}


class SetupGuide:
    """Leads one board to ``goal``. Each method gives the sentences to say, in order.

    ``step`` is the step to do now, None at the end. ``left_out`` are the squares that were left
    out on request.
    """

    def __init__(self, goal: Pieces, pack: Language) -> None:
        self.goal: Pieces = dict(goal)
        self.step: BoardStep | None = None
        self.left_out: list[int] = []
        self._pack = pack
        self._shown: Pieces = {}

    @property
    def finished(self) -> bool:
        """True if no steps are left except those that were left out."""
        return self.step is None

    def begin(self, shown: Pieces) -> list[str]:
        """The first step; nothing if the board shows the position already."""
        self._shown = dict(shown)
        self.step = next(plan(shown, self.goal), None)
        return self.repeat()

    def opening(self, player: str | None = None) -> list[str]:
        """Return sentences on the board's owner, the number of steps, and the words or keys that
        repeat or skip a step.

        ``player`` is the owner in words; None for a single board without a table, with keys only.
        """
        values = {
            "count": self._pack.number(sum(1 for _ in plan(self._shown, self.goal))),
            "repeat": word_of(self._pack, Key.REPEAT),
            "skip": word_of(self._pack, Key.SKIP),
            "player": player or "",
        }
        with_keys = ("set_up_begin_board", "set_up_help_keys")
        keys = ("set_up_begin", "set_up_help") if player else with_keys
        return [self._pack.sentence(key, **values) for key in keys]

    def feel(self, shown: Pieces) -> list[str]:
        """The next step if the board shows that this one is done."""
        before, self._shown = self._shown, dict(shown)
        step = self.step
        if step is None or self._shown == before:
            return []
        if self._kept(step.boards[-1]) == self._kept(shown):
            return self._next()
        if any(self._kept(board) == self._kept(shown) for board in step.boards):
            return []
        if self._wrong(shown) <= self._wrong(before):
            # Hands did another step. This one remains if it is still possible.
            standing = shown.get(step.square)
            wanted = None if step.sentence == "set_up_place" else step.piece
            free = step.to is None or step.to not in shown
            return [] if standing == wanted and free else self._next()
        # A piece that was just lifted may be on its way to its square. Anything else is a slip.
        return [self._pack.sentence("set_up_other"), *self._next()]

    def repeat(self) -> list[str]:
        """This step once more."""
        return [] if self.step is None else [say_step(self.step, self._pack)]

    def skip(self) -> list[str]:
        """The next step. This step and the pieces on its squares are left out."""
        if self.step is None:
            return []
        squares = (self.step.square, self.step.to)
        self.left_out += [square for square in squares if square is not None]
        return self._next()

    def _next(self) -> list[str]:
        self.step = next(plan(self._kept(self._shown), self._kept(self.goal)), None)
        if self.step is not None:
            return self.repeat()
        if not self.left_out:
            return [self._pack.sentence("set_up_done")]
        squares = ", ".join(self._pack.square(square) for square in self.left_out)
        return [self._pack.sentence("set_up_left_out", squares=squares)]

    def _kept(self, pieces: Pieces) -> dict[int, str]:
        return {at: letter for at, letter in pieces.items() if at not in self.left_out}

    def _wrong(self, shown: Pieces) -> int:
        """The number of squares that differ from the goal."""
        return len(difference(self._kept(shown), self._kept(self.goal)))
