"""Leads hands to a position, one step at a time, in words that a blind person can act on.

The boards feel each step; the next one is said when it has been done. Whoever works in another
order is not stopped: what is right already is not asked for again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import chess

from blindplay.language import Command, Language
from blindplay.laws.placement import Pieces
from blindplay.laws.sheet_comparison import steps

UNKNOWN = "?"
"""A piece that its board cannot name."""


@dataclass(frozen=True)
class BoardStep:
    """One thing to do: ``sentence`` is its key in the pack, ``to`` where the piece goes on to.

    ``boards`` is what the board shows on the way, the last one when the step has been done.
    """

    sentence: str
    square: int
    piece: str
    to: int | None
    boards: tuple[Pieces, ...]


def plan(shown: Pieces, goal: Pieces) -> Iterator[BoardStep]:
    """The fewest steps from ``shown`` to ``goal``: a piece that is lifted and put down elsewhere
    at once is one step."""
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
    """What a board shows. A piece that it cannot name is believed to be the right one where
    there should be one. Raises :class:`ValueError` for what is no placement."""
    shape = chess.BaseBoard(placement.replace(UNKNOWN, "P")).piece_map()
    if UNKNOWN not in placement:
        return {square: piece.symbol() for square, piece in shape.items()}
    return {square: goal.get(square, UNKNOWN) for square in shape}


def word_of(pack: Language, command: Command) -> str:
    """How a command is said: the first of its phrases."""
    return next(
        phrase
        for phrase in pack.command_phrases()
        if pack.understand(phrase, chess.Board()).command is command
    )


KEYS = (Command.REPEAT, Command.RESUME)
"""What can be asked of a guide: a step once more, or to leave it out."""


def key_of(pack: Language, line: str) -> Command | None:
    """What a typed line asks of a guide: REPEAT, RESUME (leave it out), or nothing of the kind."""
    plain = {"repeat": Command.REPEAT, "skip": Command.RESUME}
    if line.casefold() in plain:
        return plain[line.casefold()]
    meant = pack.understand(line, chess.Board())
    return meant.command if meant.command in KEYS else None


class SetupGuide:
    """Leads one board to ``goal``. Each method gives the sentences to say, in order."""

    def __init__(self, goal: Pieces, pack: Language) -> None:
        self._goal = dict(goal)
        self._pack = pack
        self._shown: Mapping[int, str] = {}
        self._step: BoardStep | None = None
        self.left_out: list[int] = []
        """The squares that were left out on request."""

    @property
    def goal(self) -> Pieces:
        return self._goal

    @property
    def step(self) -> BoardStep | None:
        """What is to be done now."""
        return self._step

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do but what was left out."""
        return self._step is None

    def begin(self, shown: Pieces) -> list[str]:
        """The first step; nothing where the board shows the position already."""
        self._shown = dict(shown)
        self._step = next(plan(shown, self._goal), None)
        return self.repeat()

    def opening(self, player: str | None = None) -> list[str]:
        """What to say before the first step: whose board it is (``player``, in words, at a table;
        None where there is one board and only keys), how many steps there are, and how to have one
        repeated or left out."""
        count = self._pack.number(sum(1 for _ in plan(self._shown, self._goal)))
        words = {"repeat": word_of(self._pack, Command.REPEAT),
                 "skip": word_of(self._pack, Command.RESUME)}  # fmt: skip
        if player is None:
            return [
                self._pack.sentence("set_up_begin_board", count=count),
                self._pack.sentence("set_up_help_keys", **words),
            ]
        return [
            self._pack.sentence("set_up_begin", player=player, count=count),
            self._pack.sentence("set_up_help", **words),
        ]

    def feel(self, shown: Pieces) -> list[str]:
        """The board shows something new: the next step if this one is done."""
        before, self._shown = self._shown, dict(shown)
        step = self._step
        if step is None or self._shown == before:
            return []
        if self._kept(step.boards[-1]) == self._kept(shown):
            return self._next()
        if any(self._kept(board) == self._kept(shown) for board in step.boards):
            return []
        if self._wrong(shown) <= self._wrong(before):
            # Another step than this one: fine, and this one is still to be done if it can be.
            standing = shown.get(step.square)
            wanted = None if step.sentence == "set_up_place" else step.piece
            free = step.to is None or step.to not in shown
            return [] if standing == wanted and free else self._next()
        # A piece that was just lifted may be on its way to where it is missing; else it is a slip.
        return [self._pack.sentence("set_up_other"), *self._next()]

    def repeat(self) -> list[str]:
        """This step once more."""
        return [] if self._step is None else [say_step(self._step, self._pack)]

    def skip(self) -> list[str]:
        """Leave out this step and what stands on its squares."""
        if self._step is None:
            return []
        squares = (self._step.square, self._step.to)
        self.left_out += [square for square in squares if square is not None]
        return self._next()

    def _next(self) -> list[str]:
        self._step = next(plan(self._kept(self._shown), self._kept(self._goal)), None)
        if self._step is not None:
            return [say_step(self._step, self._pack)]
        if not self.left_out:
            return [self._pack.sentence("set_up_done")]
        squares = ", ".join(self._pack.square(square) for square in self.left_out)
        return [self._pack.sentence("set_up_left_out", squares=squares)]

    def _kept(self, pieces: Pieces) -> dict[int, str]:
        return {at: letter for at, letter in pieces.items() if at not in self.left_out}

    def _wrong(self, shown: Pieces) -> int:
        """How many squares show something else than they should."""
        kept, goal = self._kept(shown), self._kept(self._goal)
        return sum(kept.get(at) != goal.get(at) for at in kept.keys() | goal.keys())
