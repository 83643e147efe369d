"""Large collections of puzzles: tables in CSV with a position and its solution in each row.

The largest free one is Lichess's, with millions of rows (database.lichess.org#puzzles). Its first
move of a row is the opponent's, which leads to the puzzle. A collection is read row by row, never
as a whole.
"""

import csv
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import chess

from blindplay.given import GAMES, LONGEST_LINE, Limit, check_file, plain
from blindplay.translation import UserError, _

from .positions import is_position, position, sheet_of, written_move
from .study import Puzzle, Unread

_COLLECTION = Limit(2_000_000_000, 3600)
_FIRST_LINE = 2000
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "fen": ("fen", "position", "epd", "stellung"),
    "moves": ("moves", "move", "best move", "bestmove", "solution", "line", "pv", "bm", "lösung"),
    "rating": ("rating", "elo", "difficulty"),
    "themes": ("themes", "theme", "tags", "motifs", "motif"),
    "name": ("puzzleid", "id", "name"),
}
"""Names that the columns have in collections."""
_OF_LICHESS = ("name", "fen", "moves", "rating", "", "", "", "themes")
_COMPRESSED = b"\x28\xb5\x2f\xfd"  # Zstandard


@dataclass(frozen=True)
class PuzzleWish:
    """The puzzles that somebody wants: those with all ``themes``, in Lichess's names, and a rating
    from ``lowest`` to ``highest``."""

    themes: frozenset[str] = frozenset()
    lowest: int = 0
    highest: int = 9999

    def fits(self, themes: str, rating: str) -> bool:
        """Return whether a row is wanted. A row without a rating is, unless one was asked for."""
        known = {theme.casefold() for theme in themes.replace(",", " ").split()}
        if not {theme.casefold() for theme in self.themes} <= known:
            return False
        if not rating.isdecimal():
            return (self.lowest, self.highest) == (0, 9999)
        return self.lowest <= int(rating) <= self.highest


class PuzzleCollection:
    """A file with a table of puzzles."""

    def __init__(self, path: Path, columns: tuple[str, ...], delimiter: str, heading: str) -> None:
        self.path = path
        self._places = {name: at for at, name in reversed(list(enumerate(columns))) if name}
        self._delimiter, self._heading = delimiter, heading
        self._opponent_first = heading == "" or "puzzleid" in heading.casefold()

    @classmethod
    def at(cls, path: Path) -> "PuzzleCollection | None":
        """The collection in a file; None if it holds something else.

        :raises ValueError: if it cannot be read, or is compressed.
        """
        check_file(path, _COLLECTION)
        with path.open("rb") as file:
            begin = file.readline(_FIRST_LINE)
        if begin.startswith(_COMPRESSED):
            name = plain(str(path))
            raise UserError("{name} is compressed; unpack it with: unzstd {name}", name=name)
        line = begin.decode("utf-8-sig", "replace").strip()
        delimiter = max(",;\t", key=line.count)
        words = next(csv.reader([line], delimiter=delimiter), [])
        if len(words) > 3 and is_position(words[1]) and not is_position(words[0]):
            return cls(path, _OF_LICHESS, delimiter, "")
        columns = tuple(
            next((own for own, names in _COLUMNS.items() if word.strip().casefold() in names), "")
            for word in words
        )
        if "fen" not in columns or "moves" not in columns:
            return None
        return cls(path, columns, delimiter, line)

    def puzzles(
        self, wish: PuzzleWish, number: int | None = None, chance: random.Random | None = None
    ) -> Iterator[Puzzle | Unread]:
        """The puzzles that are wanted, from row ``number`` on. Without a number, a file too large
        to be gone through begins anywhere, and its beginning follows its end."""
        size, start = self.path.stat().st_size, 0
        if number is None and size > GAMES.most_bytes:
            start = (chance or random.Random()).randrange(size)
        for row, line in enumerate(self._lines(start), 1):
            if number is not None and row < number:
                continue
            values = next(csv.reader([line], delimiter=self._delimiter), [])
            own = {
                name: values[at].strip() for name, at in self._places.items() if at < len(values)
            }
            if not wish.fits(own.get("themes", ""), own.get("rating", "")):
                continue
            try:
                yield self._puzzle(own)
            except ValueError as error:
                yield Unread(
                    _(
                        "Puzzle {puzzle} in {name}: {reason}",
                        puzzle=plain(own.get("name", "")) or row,
                        name=plain(str(self.path)),
                        reason=str(error),
                    )
                )

    def _lines(self, start: int) -> Iterator[str]:
        """The rows from a place in the file to its end, and then those before it."""
        with self.path.open("rb") as file:
            for begin, end in ((start, None), (0, start)):
                file.seek(begin)
                if begin:
                    file.readline(LONGEST_LINE)
                while end is None or file.tell() < end:
                    line = file.readline(LONGEST_LINE)
                    if not line:
                        break
                    text = line.decode("utf-8-sig", "replace").strip()
                    if text and text != self._heading:
                        yield text

    def _puzzle(self, row: Mapping[str, str]) -> Puzzle:
        """:raises ValueError: with the reason, if a row holds no puzzle."""
        board = position(row.get("fen", ""))[0]
        after, line = board.copy(), list[chess.Move]()
        words = row.get("moves", "").split()
        letters = sheet_of(words)
        for word in words:
            try:
                move = after.parse_uci(word)
            except ValueError:
                move = written_move(word, after, letters)
            line.append(move)
            after.push(move)
        if self._opponent_first and line:
            board.push(line.pop(0))
        if board.is_game_over():
            raise UserError("this position has no legal move; name another one.")
        if not line:
            raise UserError("it has no moves; name another one.")
        name = ", ".join(filter(None, (row.get("name"), row.get("rating"))))
        return Puzzle(board, plain(name), tuple(line[:1]), line=tuple(line))
