"""Pairings and results in a table of comma-separated values (CSV)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from blindplay.given import plain
from blindplay.translation import UserError

from .byes import bye_kind, is_nobody

COLUMNS = ("table", "white", "black", "round", "impaired", "white_language", "black_language",
           "time_control", "default_time")  # fmt: skip
"""The names of columns in a table of pairings; the first three are required."""
BYE = "bye"
"""The column of the kind of bye, in a row with one player."""
_RESULT = "result"
_HEADS = {
    "table": "table number, board, board number, tisch, tischnummer, brett, bord, bordnummer, "
    "bordnr, brettnummer, brettnr",
    "white": "weiß, weiss, hvit, vit, hvid, white player, weißspieler, spieler weiß",
    "black": "schwarz, svart, sort, black player, schwarzspieler, spieler schwarz",
    "round": "runde, rond, rd, runda, omgang, omgång",
    "impaired": "blind, sehbehindert, synshemmet, synskadad, synshandicappet",
    "white_language": "language white, sprache weiß, språk hvit, språk vit, sprog hvid",
    "black_language": "language black, sprache schwarz, språk svart, sprog sort",
    "time_control": "time control, time, bedenkzeit, betenkningstid, betänketid, betænkningstid",
    BYE: "spielfrei, freilos, frirunde, frirond, friplass, oversidder",
    _RESULT: "res, ergebnis, erg, resultat",
}
"""Heads of columns in English, German, Norwegian, Swedish and Danish."""
_BY_HEAD = {
    head.casefold(): name for name, heads in _HEADS.items() for head in (name, *heads.split(", "))
}
_SHORT = ("nr", "no", "bo", "br")
"""Heads of the tables, or of players' numbers if another column names the tables."""
_SEPARATOR = re.compile(r"\"?sep=(.)\"?(\r\n|\r|\n)", re.IGNORECASE)
"""The first line by which Excel says what separates the fields."""
_MARK = "\ufeff"  # a byte-order mark
_FORFEITS = {("+", "-"): "+:-", ("-", "+"): "-:+", ("-", "-"): "-:-"}
_CHARACTERS = {"1/2": "="}
_POINTS = {"1": "1", "W": "1", "0": "0", "L": "0", "-": "0", "=": "1/2", "D": "1/2"}


class CsvPlayer(NamedTuple):
    """A player in one row of the table."""

    row: int
    name: str


class CsvFile:
    """A table whose first line names its columns. Cells without a result stay as written."""

    def __init__(self, text: str, encoding: str = "utf-8", remark: str = "") -> None:
        """``encoding`` is that of the copy; ``remark``: a sentence about the reading of the file.

        :raises ValueError: if a column is missing, or a quotation mark is wrong.
        """
        self.remarks = [remark] if remark else []
        self._encoding = encoding
        self._mark = _MARK if text.startswith(_MARK) else ""
        text = text.removeprefix(_MARK)
        self._delimiter = max(",;\t", key=re.split("[\r\n]", text, maxsplit=1)[0].count)
        if (separator := _SEPARATOR.match(text)) is not None:
            self._mark += separator[0]
            text, self._delimiter = text[separator.end() :], separator[1]
        # The fields of each row as they are written, and the end of its line.
        self._rows, self._ends = _read(text, self._delimiter)
        names = [_head(_value(name)) for name in self._rows[0]]
        if names.count("name") == 2 and not {"white", "black"} & {*names}:
            for colour in ("white", "black"):  # some programs write White's first
                names[names.index("name")] = colour
        if "table" not in names and (short := [name for name in names if name in _SHORT]):
            names[names.index(short[0])] = "table"
        # The place of each column; of two with one name the first counts.
        self._columns = {name: place for place, name in reversed(list(enumerate(names)))}
        lacking = [name for name in COLUMNS[:3] if name not in self._columns]
        if lacking:
            raise UserError(
                "The first line must name the columns table, white and black; "
                "{lacking} is missing.",
                lacking=lacking[0],
            )

    def games(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield each row that is not empty, with its place and its values by column."""
        for place, row in enumerate(self._rows[1:], 1):
            if any(row):
                values = {name: self._value(row, name) for name in (*COLUMNS, BYE)}
                values[BYE] = bye_kind(values[BYE])
                for side in ("white", "black"):
                    if is_nobody(values[side]):
                        values[BYE] = values[BYE] or bye_kind(values[side])
                        values[side] = ""
                yield place, values

    def _value(self, row: Sequence[str], column: str) -> str:
        place = self._columns.get(column, len(row))
        return _value(row[place]) if place < len(row) else ""

    def open_round(self) -> int:
        """The number of the only round. A player without a game may leave it open.

        :raises ValueError: if there are several, or none has a number.
        """
        rounds = {row["round"] for _, row in self.games() if row["white"] and row["black"]}
        number = rounds.pop() if len(rounds) == 1 else ""
        if not (number.isascii() and number.isdigit()):
            raise UserError("The file does not say one round; name the round with --round.")
        return int(number)

    def boards(self, number: int) -> list[tuple[str, tuple[CsvPlayer, CsvPlayer]]]:
        """The table and both players of each game of round ``number``; a row that says no round is
        of any."""
        return [
            (values["table"], (CsvPlayer(at, values["white"]), CsvPlayer(at, values["black"])))
            for at, values in self.games()
            if values["round"] in ("", str(number)) and values["white"] and values["black"]
        ]

    def left_out(self, number: int) -> list[str]:
        """A sentence about each pair that is left out: none, because a row has both players."""
        return []

    def has_result(self, number: int, pair: tuple[CsvPlayer, CsvPlayer]) -> bool:
        """Return whether the row of both players has a result."""
        return bool(self._value(self._rows[pair[0].row], _RESULT))

    def scores(self, number: int, pair: tuple[CsvPlayer, CsvPlayer]) -> tuple[str, str]:
        """The results of White and Black as a report file has them; a text that is no result is
        White's."""
        text = "".join(self._value(self._rows[pair[0].row], _RESULT).split())
        white, _between, black = text.partition(":" if ":" in text else "-")
        return (_CHARACTERS.get(white, white), _CHARACTERS.get(black, black))

    def numbers(self, pair: tuple[CsvPlayer, CsvPlayer]) -> tuple[int, ...]:
        """The row of both players, counted from 1."""
        return (pair[0].row + 1,)

    @property
    def all_rounds(self) -> list[int]:
        """The numbers of the rounds that rows name.

        :raises ValueError: if none does.
        """
        named = {values["round"] for _unused, values in self.games()}
        if named == {""}:
            raise UserError("No row says its round; write it into a column round.")
        return sorted(int(one) for one in named if one.isascii() and one.isdigit() and len(one) < 6)

    def enter(
        self,
        number: int,
        pair: tuple[CsvPlayer, CsvPlayer],
        scores: tuple[str, str],
        former: Iterable[tuple[str, str]] = (),
    ) -> str:
        """Enter the scores of White and Black, as in a report file, into the column ``result``.
        Return ``entered``, ``replaced`` if a result of ``former`` stood there, or ``other`` if
        another one stands there, which stays."""
        result = _in_words(scores)
        if _RESULT not in self._columns:
            self._columns[_RESULT] = len(self._rows[0])
            self._rows[0].append(_written(_RESULT, like=self._rows[0]))
        row, place = self._rows[pair[0].row], self._columns[_RESULT]
        present = self._value(row, _RESULT)
        if present == result:
            return "entered"
        if present and present not in map(_in_words, former):
            return "other"
        written = _written(result, like=row)
        row += [""] * (place + 1 - len(row))
        row[place] = written
        return "replaced" if present else "entered"

    def content(self) -> bytes:
        """The table in the encoding that it had."""
        rows = map(self._delimiter.join, self._rows)
        lines = (row + end for row, end in zip(rows, self._ends, strict=True))
        return (self._mark + "".join(lines)).encode(self._encoding)


def _head(text: str) -> str:
    """The name of a column, in whatever language its head is."""
    bare = " ".join(text.casefold().replace(".", " ").replace(":", " ").split())
    return _BY_HEAD.get(bare, bare)


def _in_words(scores: tuple[str, str]) -> str:
    return _FORFEITS.get(scores) or "-".join(_POINTS[score] for score in scores)


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
            raise UserError(
                "A quotation mark in row {count} of the table has no partner; correct it.",
                count=len(rows),
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
