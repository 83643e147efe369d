"""The moves that somebody has tried in an analysis, with all variations, kept as PGN."""

import datetime
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path

import chess
import chess.engine
import chess.pgn

from blindplay.own_files import data_folder

from .files import write_new
from .openings import OpeningName
from .study import ANNOTATOR


def new_analysis() -> Path:
    """An unused name for an analysis, in the folder of this user's analyses."""
    now = f"{datetime.datetime.now():%Y-%m-%d-%H-%M-%S}"
    return data_folder() / "analyses" / f"{now}-{secrets.token_hex(3)}.pgn"


def game_from(board: chess.Board) -> chess.pgn.Game:
    """A game without players that begins with the position on ``board``."""
    game = chess.pgn.Game()
    game.headers["Event"] = "Analysis"
    game.headers["Date"] = f"{datetime.date.today():%Y.%m.%d}"
    if board.root().fen() != chess.STARTING_FEN:
        game.setup(board.root())
    game.add_line(board.move_stack)
    return game


class AnalysisTree:
    """The moves that were tried from the beginning of ``game``, and ``node``, the place in them.

    Each change is in the file ``path`` when a method returns, all of it or nothing, so a killed
    process loses nothing. Nothing is written before the first change. Another position begins a
    tree of its own in the same file.

    :raises OSError: from each method that changes something, if the file cannot be written.
    """

    def __init__(self, path: Path, game: chess.pgn.Game, program: str = "") -> None:
        self.path = path
        self.kept = False
        """True if everything is in the file that must be."""
        self._tried = False
        self._annotator = f"{ANNOTATOR}, {program}" if program else ANNOTATOR
        self._earlier: list[str] = []
        self._last: dict[chess.pgn.GameNode, chess.pgn.GameNode] = {}
        self._begin(game)

    def _begin(self, game: chess.pgn.Game) -> None:
        self.game = game
        self.node: chess.pgn.GameNode = game
        self._names = "ECO" not in game.headers
        game.headers["Annotator"] = self._annotator

    @property
    def board(self) -> chess.Board:
        """The position at the place, with the moves that led there."""
        return self.node.board()

    @property
    def text(self) -> str:
        """All trees in PGN, each beginning with its tags."""
        return "\n".join([*self._earlier, f"{self.game}\n"])

    def play(self, move: chess.Move) -> None:
        """Go to the position after ``move``, which is legal or passes."""
        known = self.node.has_variation(move)
        self.go(self.node.variation(move) if known else self.node.add_variation(move))
        if not known:
            self.keep()

    def go(self, node: chess.pgn.GameNode) -> None:
        """Go to another place of this tree. What is noted from then on is written."""
        self._tried = True
        self._go(node)

    def _go(self, node: chess.pgn.GameNode) -> None:
        self.node = node
        for one in self.path_to(node):
            if one.parent is not None:
                self._last[one.parent] = one

    def walk(self, moves: Iterable[chess.Move]) -> None:
        """Go from the beginning through ``moves``; new ones are not written before a change."""
        node: chess.pgn.GameNode = self.game
        for move in moves:
            known = node.has_variation(move)
            node = node.variation(move) if known else node.add_variation(move)
        self._go(node)

    @staticmethod
    def path_to(node: chess.pgn.GameNode) -> Iterator[chess.pgn.GameNode]:
        """Yield ``node`` and all places before it, back to the beginning."""
        at: chess.pgn.GameNode | None = node
        while at is not None:
            yield at
            at = at.parent

    def following(self) -> chess.pgn.GameNode | None:
        """The place after this one, where somebody has been last, or else the main move."""
        last = self._last.get(self.node)
        return last or (self.node.variations[0] if self.node.variations else None)

    def back(self, *, drop: bool) -> None:
        """Go back by the last move. With ``drop`` forget it; it has no moves after it."""
        node, parent = self.node, self.node.parent
        assert parent is not None
        self.go(parent)
        if drop:
            self._last.pop(parent, None)
            parent.remove_variation(node)
            self.keep()

    def begin(self, board: chess.Board) -> None:
        """Go on from another position. What was tried or set up before stays in the file. If
        only the side to move changes, it is the same position."""
        before = self.game.board()
        set_up = "FEN" in self.game.headers and before.board_fen() != board.board_fen()
        if self.game.variations or set_up:
            self._earlier.append(f"{self.game}\n")
        self._last.clear()
        self._begin(game_from(board))
        self.keep()

    def judge(self, node: chess.pgn.GameNode, score: chess.engine.PovScore) -> None:
        """Note the score of a place. Until somebody goes somewhere, it is not written."""
        if node.eval() != score:
            node.set_eval(score)
            if self._tried:
                self.keep()

    def name(self, opening: OpeningName) -> None:
        """Note the name of the opening, unless the game came with a code of its own. Until
        somebody goes somewhere, it is not written."""
        headers = self.game.headers
        if self._names and headers.get("Opening") != opening.name:
            headers["ECO"], headers["Opening"] = opening.eco, opening.name
            if self._tried:
                self.keep()

    def keep(self) -> None:
        """Write the file."""
        self._tried = True
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_new(self.path, self.text.encode())
        except OSError:
            self.kept = False
            raise
        self.kept = True
