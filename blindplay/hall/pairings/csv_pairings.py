"""Pairings and results in a table of comma-separated values (CSV)."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from blindplay.given import plain
from blindplay.translation import _

COLUMNS = ("table", "white", "black", "round", "impaired", "white_language", "black_language")
"""The names of columns in a table of pairings; the first three are required."""
_RESULT = "result"
_MARK = "\ufeff"  # a byte-order mark
_FORFEITS = {("+", "-"): "+:-", ("-", "+"): "-:+", ("-", "-"): "-:-"}
_POINTS = {"1": "1", "W": "1", "0": "0", "L": "0", "-": "0", "=": "1/2", "D": "1/2"}


class CsvPlayer(NamedTuple):
    """A player in one row of the table."""

    row: int
    name: str


class CsvFile:
    """A table whose first line names its columns. Cells without a result stay as written."""

    def __init__(self, text: str) -> None:
        """:raises ValueError: if a column is missing, or a quotation mark is wrong."""
        self._mark = _MARK if text.startswith(_MARK) else ""
        text = text.removeprefix(_MARK)
        self._delimiter = max(",;\t", key=re.split("[\r\n]", text, maxsplit=1)[0].count)
        # The fields of each row as they are written, and the end of its line.
        self._rows, self._ends = _read(text, self._delimiter)
        self._columns = [_value(name).casefold() for name in self._rows[0]]
        lacking = [name for name in COLUMNS[:3] if name not in self._columns]
        if lacking:
            raise ValueError(
                _(
                    "The first line must name the columns table, white and black; "
                    "{lacking} is missing.",
                    lacking=lacking[0],
                )
            )

    def games(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield each row that is not empty, with its place and its values by column."""
        for place, row in enumerate(self._rows[1:], 1):
            if any(row):
                yield place, {name: self._value(row, name) for name in COLUMNS}

    def _value(self, row: Sequence[str], column: str) -> str:
        place = self._columns.index(column) if column in self._columns else len(row)
        return _value(row[place]) if place < len(row) else ""

    def open_round(self) -> int:
        """The number of the only round.

        :raises ValueError: if there are several, or none has a number.
        """
        rounds = {values["round"] for _, values in self.games()}
        number = rounds.pop() if len(rounds) == 1 else ""
        if not (number.isascii() and number.isdigit()):
            raise ValueError(_("The file does not say one round; name the round with --round."))
        return int(number)

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
            self._rows[0].append(_written(_RESULT, like=self._rows[0]))
        row, place = self._rows[pair[0].row], self._columns.index(_RESULT)
        present = self._value(row, _RESULT)
        if not present:
            written = _written(result, like=row)
            row += [""] * (place + 1 - len(row))
            row[place] = written
        return present in ("", result)

    def content(self) -> bytes:
        """The table in UTF-8."""
        rows = map(self._delimiter.join, self._rows)
        lines = (row + end for row, end in zip(rows, self._ends, strict=True))
        return (self._mark + "".join(lines)).encode()


def _read(text: str, delimiter: str) -> tuple[list[list[str]], list[str]]:
    """The fields of each row as they are written, and the end of its line, of whatever system.

    :raises ValueError: if a quotation mark is wrong.
    """
    field = re.compile(
        rf'("[^"]*(?:""[^"]*)*"|[^"{delimiter}\r\n][^{delimiter}\r\n]*|)({delimiter}|\r\n|\r|\n|\Z)'
    )
    rows: list[list[str]] = [[]]
    ends: list[str] = []
    at = 0
    while at < len(text) or len(ends) < len(rows):
        match = field.match(text, at)
        if match is None:
            raise ValueError(
                _(
                    "A quotation mark in row {count} of the table has no partner; correct it.",
                    count=len(rows),
                )
            )
        at = match.end()
        rows[-1].append(match[1])
        if match[2] != delimiter:
            ends.append(match[2])
            if at < len(text):
                rows.append([])
    return rows, ends


def _value(field: str) -> str:
    """The value of a field as it is written, made harmless."""
    inner = field[1:-1].replace('""', '"') if field.startswith('"') else field
    return " ".join(plain(inner).split())


def _written(value: str, like: Sequence[str]) -> str:
    """A value as a field, in quotation marks if all fields of its row have them."""
    return f'"{value}"' if all(field.startswith('"') for field in like) else value
