"""What is studied after a game: games that are over, and puzzles."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

import chess
import chess.pgn

ANNOTATOR = "BlindPlay"
"""The beginning of the tag Annotator of what BlindPlay writes about a game."""


def is_analysis(game: chess.pgn.Game) -> bool:
    """Return whether BlindPlay has written the game as an analysis."""
    return game.headers.get("Annotator", "").startswith(ANNOTATOR)


class StudyKind(Enum):
    """The use of a game in PGN. For an analysis it needs no result and no moves, unless it looks
    like a game that is still played."""

    GAME = "game"
    PUZZLE = "puzzle"
    ANALYSIS = "analysis"


@dataclass(frozen=True)
class Puzzle:
    """A position to solve. ``best`` are the right moves; if there are none, any move that is not in
    ``avoid`` may be right. ``line``: the solution with the answers, if it is known."""

    board: chess.Board
    name: str = ""
    best: tuple[chess.Move, ...] = ()
    avoid: tuple[chess.Move, ...] = ()
    line: tuple[chess.Move, ...] = ()


@dataclass(frozen=True)
class StudiedGame:
    """A game that is over, or moves to analyse. ``whole`` is false if it ends before an illegal
    move that stands. ``remark``: a sentence about a part of the file that is not read."""

    pgn: chess.pgn.Game
    whole: bool = True
    remark: str = ""

    @property
    def moves(self) -> list[chess.Move]:
        """The moves that were played."""
        return list(self.pgn.mainline_moves())


@dataclass(frozen=True)
class Unread:
    """An entry of a file that cannot be studied. The sentence names it by its number and its
    players, and tells the reason. ``text`` is a game as it is written. ``nothing``: it has nothing
    to study, as an introduction without moves, and is passed over unless it is asked for."""

    sentence: str
    text: str = ""
    nothing: bool = False


Study = StudiedGame | Puzzle | Unread
"""One entry of a file."""


@dataclass(frozen=True)
class Mark:
    """A mistake to mark in a game: its ply from 0, whether it is a blunder, the line that was
    better, and a comment on each."""

    ply: int
    blunder: bool
    comment: str
    better: Sequence[chess.Move] = field(default=())
    why: str = ""
