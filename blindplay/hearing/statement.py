"""A statement of a player, certain or possible, with its meaning: computed once and carried
along."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import chess

from blindplay.language import Command, Kind, Language, Understanding
from blindplay.speech.recogniser import Recognition

_NO_BOARD = chess.Board()


@dataclass(frozen=True)
class Statement:
    """One thing that was said, as it is understood.

    ``repeats``: it repeats the opponent's last move (D.2.1). ``recognition`` is its sound, None if
    it was typed.
    """

    text: str
    meant: Understanding
    repeats: bool = False
    recognition: Recognition | None = field(default=None, compare=False, repr=False)

    @property
    def move(self) -> chess.Move | None:
        """The legal move that it means; None if it means none."""
        return self.meant.move if self.meant.command is None else None

    @property
    def key(self) -> str:
        """The same for the same meaning, in whatever words."""
        meant = self.meant
        if meant.command is not None:
            written = [meant.rest] if meant.command is Command.SEAL else []
            moves = (move.uci() for move in meant.moves)
            return " ".join([meant.command.value, *moves, *written])
        if meant.move is not None:
            return meant.move.uci()
        return meant.core or meant.words


def interpret(
    text: str,
    boards: Sequence[chess.Board],
    pack: Language,
    *,
    repeated: chess.Move | None = None,
    recognition: Recognition | None = None,
) -> Statement:
    """Return what ``text`` means at the table.

    The first of ``boards`` is the position whose moves may be announced; the second, if given, is
    the one before, whose move may be repeated. Words that fit both positions are an announcement,
    unless ``repeated``, the announcement that is to be repeated now, makes them a repetition: that
    plays nothing.
    """
    start = boards[0] if boards else _NO_BOARD
    meant = pack.understand(text, start)
    for before in boards[1:]:
        again = pack.understand(text, before)
        if again.move is None:
            continue
        due = again.move == repeated
        announces = meant.kind in (Kind.MOVE, Kind.COMMAND)
        if due or (not announces and _leads_to(before, again.move, start)):
            return Statement(text, again, True, recognition)
    return Statement(text, meant, False, recognition)


def _leads_to(before: chess.Board, move: chess.Move, now: chess.Board) -> bool:
    after = before.copy(stack=False)
    after.push(move)
    return after.board_fen() == now.board_fen() and after.turn == now.turn
