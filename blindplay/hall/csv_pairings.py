"""Pairings and results in a table of comma-separated values (CSV)."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import NamedTuple

COLUMNS = ("table", "white", "black", "round", "impaired", "white_language", "black_language")
"""The names of columns in a table of pairings; the first three are required."""
_RESULT = "result"
_LONGEST_LINE = 10_000  # characters
_FORFEITS = {("+", "-"): "+:-", ("-", "+"): "-:+"}
_POINTS = {"1": "1", "W": "1", "0": "0", "L": "0", "=": "1/2", "D": "1/2"}


class CsvPlayer(NamedTuple):
    """A player in one row of the table."""

    row: int
    name: str


class CsvFile:
    """A table whose first line names its columns."""

    def __init__(self, text: str) -> None:
        """:raises ValueError: if a column is missing, or a line is too long."""
        first = text.partition("\n")[0]
        self._delimiter = max(",;\t", key=first.count)
        if max(map(len, text.split("\n"))) > _LONGEST_LINE:  # the reader takes no such field
            raise ValueError("A line of the table is too long; give one game in each line.")
        self._rows = list(csv.reader(io.StringIO(text), delimiter=self._delimiter))
        self._columns = [name.strip().casefold() for name in (self._rows or [[]])[0]]
        lacking = [name for name in COLUMNS[:3] if name not in self._columns]
        if lacking:
            raise ValueError(
                "The first line must name the columns table, white and black; "
                f"{lacking[0]} is missing."
            )

    def games(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield each row that is not empty, with its place and its values by column."""
        for place, row in enumerate(self._rows[1:], 1):
            if row:
                yield place, {name: self._value(row, name) for name in COLUMNS}

    def _value(self, row: Sequence[str], column: str) -> str:
        place = self._columns.index(column) if column in self._columns else len(row)
        return " ".join(row[place].split()) if place < len(row) else ""

    def open_round(self) -> int:
        """The number of the only round.

        :raises ValueError: if there are several, or none has a number.
        """
        rounds = {values["round"] for _, values in self.games()}
        found = rounds.pop() if len(rounds) == 1 else ""
        if not (found.isascii() and found.isdigit()):
            raise ValueError("The file does not say one round; name the round with --round.")
        return int(found)

    def boards(self, number: int) -> list[tuple[str, tuple[CsvPlayer, CsvPlayer]]]:
        """The table and both players of each game of round ``number``; a row that says no round is
        of any."""
        return [
            (values["table"], (CsvPlayer(at, values["white"]), CsvPlayer(at, values["black"])))
            for at, values in self.games()
            if values["round"] in ("", str(number)) and values["white"] and values["black"]
        ]

    def enter(
        self, number: int, pair: tuple[CsvPlayer, CsvPlayer], scores: tuple[str, str]
    ) -> bool:
        """Enter the scores of White and Black, as in a report file, into the column ``result``;
        False if another result stands there, which stays."""
        result = _FORFEITS.get(scores) or "-".join(_POINTS[score] for score in scores)
        if _RESULT not in self._columns:
            self._columns.append(_RESULT)
            self._rows[0].append(_RESULT)
        row, place = self._rows[pair[0].row], self._columns.index(_RESULT)
        row += [""] * (place + 1 - len(row))
        if row[place].strip() not in ("", result):
            return False
        row[place] = result
        return True

    def content(self) -> bytes:
        """The table in UTF-8."""
        out = io.StringIO()
        csv.writer(out, delimiter=self._delimiter, lineterminator="\n").writerows(self._rows)
        return out.getvalue().encode()
