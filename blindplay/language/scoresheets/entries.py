"""The entries of a whole scoresheet, typed as people write it, each with its ply."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import groupby, pairwise

import chess

from . import braille
from .notation import is_gap, is_mark, is_numeric, meanings


class Doubt(Enum):
    """A reason why the ply of an entry is uncertain."""

    NUMBER_SKIPPED = "number_skipped"  # its number is higher than the one that was due
    NUMBER_REPEATED = "number_repeated"  # its number was used before; the ply is counted


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """One entry of a sheet.

    ``ply`` 1 is White's first move. ``text`` is the entry as it was written, a BRF file's cells in
    Unicode; it is empty if everything was struck through. ``struck`` holds the texts that were
    struck through, the oldest first.
    """

    ply: int
    text: str
    struck: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()


def entries(text: str, *, brf: bool = False) -> list[SheetEntry]:
    """The entries of a whole sheet, by ply. Never raises for any text.

    A sheet has numbers (``12. Sf3 Sc6``, ``12... Sc6``), columns (tabs, ``|``, two blocks of
    numbers side by side), one running text, a line for each ply, or it is PGN. It is in print or
    in Braille. ``brf``: the text is a file for a Braille embosser.

    A ply without any text has no entry. A dash or a question mark is an entry. Struck text is
    ``~~Sf3~~``, or has Unicode's strokes, or follows as ``(gestrichen: Sf3)``. Headings, times of
    the clock, results and comments are left out. Comments are braces, brackets that hold no part
    of a move, and words behind a move.

    A number that skips others is followed. A number that was used before is not: the plies behind
    it are counted. Both are doubts.

    >>> [(entry.ply, entry.text) for entry in entries("1. e4 e5 2. Sf3")]
    [(1, 'e4'), (2, 'e5'), (3, 'Sf3')]
    """
    if brf:
        text = braille.from_brf(text)
    text = _without_comments(text.removeprefix("\ufeff"))
    sheet = _Sheet()
    lines = []
    for line in _with_gaps(re.split(r"\r\n|[\r\n\f\v]", text)):
        struck = _STRUCK_BY_PLY.fullmatch(line.strip())
        if struck is not None:
            sheet.struck.setdefault(int(struck[1]), []).append(struck[2])
        elif not _TAG.fullmatch(line):
            cells = re.split(r"[\t|]", line) if line.count(";") < 2 else line.split(";")
            lines.append([list(_tokens(cell)) for cell in cells])
    _fill(sheet, _groups(lines))
    return sheet.entries()


def _without_comments(text: str) -> str:
    """``text`` with a space for each comment in braces. Time grows with its length only."""
    parts = []
    at = 0
    while (begin := text.find("{", at)) >= 0 and (end := text.find("}", begin)) >= 0:
        parts += [text[at:begin], " "]
        at = end + 1
    return "".join([*parts, text[at:]])


_STRUCK_BY_PLY = re.compile(r"struck through, ply (\d{1,9}): (.*)")
_TAG = re.compile(r'\s*\[\w+\s+".*"\]\s*')
_NUMBER = re.compile(r"([1-9]\d{0,2})(?:(\.{2,}|\.?…)|[.):])?(.*)")
_BRAILLE_NUMBER = re.compile("⠼(?:[⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚]+|[⠂⠆⠒⠲⠢⠖⠶⠦⠔⠴]+)[⠄⠲]*")
_CLOCK = re.compile(
    r"[(\[]?(?:\d{1,2}[:.h]\d{2}(?:[:.]\d{2})?|\d{1,3}(?:['’′\"”]|min\.?|s)?)[)\]]?", re.IGNORECASE
)
_RESULT = re.compile(
    r"[01][-–:][01]|½(?:[-–:]½)?|1/2(?:[-–:]1/2)?|0[.,]5[-–:]0[.,]5|\*|\$\d+"
    r"|remis|draw|remi|nulle|aufgegeben|resigns|oppgitt|uppgivet|opgivet|abandon",
    re.IGNORECASE,
)
_ROW = re.compile(
    r"(?P<number>\s*\d+[.)]?)\s+(?P<white>\S+(?: \S+)*?)(?:\s{2,}(?P<black>\S.*?))?\s*"
)
_WIDE = 200  # characters of a line; no table is so wide
_BRACKET = re.compile(r"\(([^()]*)\)")
_PART_OF_MOVE = re.compile(r"=|e\.? ?p\.?|[KDTLSQRBNFC]|\+|\#|matt?|schach", re.IGNORECASE)
_STRUCK_WORD = re.compile(
    r"(?:durch|ge|über)*gestrichen|struck(?: through)?|overstrøket|strøket|struket|överstruket"
    r"|streget|overstreget|rayé",
    re.IGNORECASE,
)
_SQUARE = re.compile("[a-h][1-8]")
_DASH = re.compile("[-–—]")
_WITHOUT_STROKES = dict.fromkeys(range(0x335, 0x339))
_WORD = re.compile(r"~~.*?~~|\([^()]*\)|\S+")


@dataclass(frozen=True, slots=True)
class _Token:
    """A word of the sheet, as written and in print.

    ``struck`` is 0, or 1 for struck text before its entry, -1 for struck text behind it.
    """

    text: str
    print: str
    struck: int = 0


@dataclass(slots=True)
class _Group:
    """The tokens of one number, or of a line without one, by columns.

    ``black``: they begin with Black's move.
    """

    number: int | None = None
    black: bool = False
    cells: list[list[_Token]] = field(default_factory=lambda: [[]])


def _with_gaps(lines: list[str]) -> list[str]:
    """``lines`` with dots for White's move where a line holds only Black's, far to the right.

    This applies if Black's moves of all other lines stand in one column.
    """
    rows = [_ROW.fullmatch(line) if len(line) < _WIDE else None for line in lines]
    columns = {row.start("black") for row in rows if row and row["black"]}
    if len(columns) != 1:
        return lines
    return [
        f"{line[: row.end('number')]} … {row['white']}"
        if row and not row["black"] and row.start("white") in columns
        else line
        for line, row in zip(lines, rows, strict=True)
    ]


def _tokens(cell: str) -> Iterator[_Token]:
    """The words of a cell without comments in brackets."""
    cell = _BRACKET.sub(lambda b: b[0] if _belongs(b[0]) else f" {b[0]} ", cell)
    for part in _WORD.findall(cell):
        bare = part.translate(_WITHOUT_STROKES)
        if part.startswith("~~") and len(part) > 4:
            yield _Token(part.strip("~ "), "", struck=1)
        elif bare != part:
            yield _Token(bare, "", struck=1)
        elif part.startswith("(") and not _belongs(part):
            struck = _STRUCK_WORD.match(part[1:-1])
            if struck is not None:
                yield _Token(part[1 + struck.end() : -1].strip(" :"), "", struck=-1)
        else:
            yield _Token(part, braille.read(part))


def _belongs(bracket: str) -> bool:
    """True if brackets hold a part of a move, or say that there is none."""
    return bool(_PART_OF_MOVE.fullmatch(bracket[1:-1])) or is_gap(bracket)


def _groups(lines: Sequence[list[list[_Token]]]) -> list[_Group]:
    """The lines by their numbers. Blocks side by side come one after the other."""
    rows: list[list[_Group]] = []
    last: int | None = None
    for cells in lines:
        rows.append(list(_numbered(cells, last)))
        numbers = [group.number for group in rows[-1] if group.number is not None]
        last = numbers[-1] if numbers else last
    wide = [row for row in rows if len(row) > 1]
    if len(wide) > 1 and all(_apart(row) for row in wide):
        width = max(map(len, wide))
        return [row[block] for block in range(width) for row in rows if block < len(row)]
    return [group for row in rows for group in row]


def _apart(row: Sequence[_Group]) -> bool:
    """True if the numbers in a line do not follow each other."""
    numbers = [group.number for group in row if group.number is not None]
    return all(later > number + 1 for number, later in pairwise(numbers))


def _numbered(cells: list[list[_Token]], last: int | None) -> Iterator[_Group]:
    """The groups of one line, one for each number. ``last`` is the number before the line."""
    group = _Group()
    begun = False
    for column, cell in enumerate(cells):
        for place, token in enumerate(cell):
            number = _number(token, last, first=not begun)
            begun = True
            if column and not place and number is None:
                group.cells.append([])
            if number is None:
                group.cells[-1].append(token)
                continue
            if group.number is not None or any(group.cells):
                yield group
            last, black, rest = number
            group = _Group(last, black, [[rest] if rest else []])
            if place + 1 == len(cell) and column + 1 < len(cells):
                group.cells = []  # the number has a cell of its own
        if column and not cell:
            group.cells.append([])
    if group.number is not None or any(group.cells):
        yield group


def _number(
    token: _Token, last: int | None, *, first: bool
) -> tuple[int, bool, _Token | None] | None:
    """The number in a token, whether Black's move follows, and the token glued to it."""
    match = _NUMBER.fullmatch(token.print)
    if match is None or token.struck or _RESULT.fullmatch(token.print):
        return None
    number, sign, rest = int(match[1]), token.print[match.end(1) : match.start(3)], match[3]
    expected = last is not None and number == last + 1
    if not sign and (rest or not (first or expected)):
        return None
    due = sign != ":" and (is_numeric(rest) or (rest[:1] == "0" and expected))
    if rest[:1].isdigit() and not due:
        return None  # a time, or castling
    glued = None
    if rest and braille.is_braille(token.text):
        cells = _BRAILLE_NUMBER.sub("", token.text, count=1)
        glued = _Token(cells, braille.read(cells))
    elif rest:
        glued = _Token(rest, rest)
    return number, bool(match[2]), glued


def _fill(sheet: "_Sheet", groups: Sequence[_Group]) -> None:
    """Write the groups into the sheet without headings and comments."""
    _join_squares(groups)
    written = [_written(group) for group in groups]
    readable = [any(_readable(text) for text, struck in texts if not struck) for texts in written]
    numbered = any(good for group, good in zip(groups, readable, strict=True) if group.number)
    begun = False
    for group, texts, good in zip(groups, written, readable, strict=True):
        moves = good or any(struck for _, struck in texts)
        begun = begun or (moves and (group.number is not None or _all_moves(group, texts)))
        if begun and (group.number is not None or moves or not numbered):
            # A number on its own that is not due is a page number.
            if group.number is not None and (texts or sheet.is_due(group.number)):
                sheet.go_to(group.number, group.black)
            sheet.write(texts)


def _all_moves(group: _Group, texts: Sequence[tuple[str, int]]) -> bool:
    """True if a line without a number holds only moves."""
    tokens = [token for cell in group.cells for token in cell if not token.struck]
    words = sum(len(token.text.split()) for token in tokens if not _is_aside(token))
    plain = [text for text, struck in texts if text and not struck]
    moves = all(is_gap(text) or _readable(text) for text in plain)
    return moves and words == sum(len(text.split()) for text in plain)


def _join_squares(groups: Sequence[_Group]) -> None:
    """Join each two squares to one move on a sheet of squares alone (``e2 e4``).

    Such a sheet begins with two squares, and no first move goes to the first of them.
    """
    cells = [cell for group in groups for cell in group.cells]
    begin = next((cell for cell in cells if cell and _SQUARE.fullmatch(cell[0].print)), None)
    if begin is None or begin[0].print[1] not in "12" or not _squares(begin):
        return
    for cell in cells:
        tokens, cell[:] = cell[:], []
        while tokens:
            count = _squares(tokens) or 1
            text = " ".join(token.text for token in tokens[:count])
            cell.append(_Token(text, text) if count > 1 else tokens[0])
            del tokens[:count]


def _squares(tokens: Sequence[_Token]) -> int:
    """The number of tokens in two squares with or without a dash between them, else 0."""
    count = 3 if len(tokens) > 1 and _DASH.fullmatch(tokens[1].print) else 2
    ends = len(tokens) >= count and _SQUARE.match(tokens[count - 1].print)
    return count if ends and _SQUARE.fullmatch(tokens[0].print) else 0


class _Sheet:
    """The plies as they fill up."""

    def __init__(self) -> None:
        self.struck: dict[int, list[str]] = {}
        self._found: dict[int, tuple[str, tuple[Doubt, ...]]] = {}
        self._written = 0  # the last ply that is written
        self._ply = 1
        self._last: int | None = None
        self._shift = 0  # moves by which the numbers lag behind
        self._doubts: tuple[Doubt, ...] = ()

    def is_due(self, number: int) -> bool:
        """True if ``number`` is the next one."""
        return self._last is None or number == self._last + 1

    def go_to(self, number: int, black: bool) -> None:
        """Go to the move of a written number, White's or Black's."""
        last, self._last = self._last, number
        ply = 2 * number - 1 + black
        written = self._written
        if last is None and written:
            last = 0
        if last is None or ply == self._ply or (number <= last and ply > written):
            self._shift = 0
        elif number == last and not black and self._ply % 2 == 0 and self._ply > written:
            ply = self._ply  # the number stands before each of the two moves
        else:
            ply += 2 * self._shift
            if number > last + 1:
                self._doubts = (Doubt.NUMBER_SKIPPED,)
            if ply <= written:
                ply = self._ply + (self._ply % 2 == black)
                self._shift = (ply + 1) // 2 - number
                self._doubts = (Doubt.NUMBER_REPEATED,)
        self._ply = ply

    def write(self, texts: Sequence[tuple[str, int]]) -> None:
        """Write entries one after the other. Struck text goes with the entry beside it."""
        waiting: list[str] = []
        for text, struck in texts:
            if struck > 0:
                waiting.append(text)
            elif struck < 0:
                self.struck.setdefault(max(self._ply - 1, 1), []).append(text)
            else:
                if waiting:
                    self.struck.setdefault(self._ply, []).extend(waiting)
                    waiting = []
                if text:
                    self._found[self._ply] = text, self._doubts
                    self._written = max(self._written, self._ply)
                self._doubts = ()
                self._ply += 1
        for ply, text in enumerate(waiting, self._ply):
            self.struck.setdefault(ply, []).append(text)

    def entries(self) -> list[SheetEntry]:
        return [
            SheetEntry(ply, text, tuple(self.struck.get(ply, ())), doubts)
            for ply in sorted(self._found.keys() | self.struck.keys())
            for text, doubts in [self._found.get(ply, ("", ()))]
        ]


def _readable(text: str) -> bool:
    """True if ``text`` is an entry. A piece behind a square must be a promotion."""
    return any(
        not (meant.promotion or meant.promotion_letter) or meant.targets & chess.BB_BACKRANKS
        for meant in meanings(text)
    )


def _written(group: _Group) -> list[tuple[str, int]]:
    """The entries of a group, each with ``struck`` as in :class:`_Token`. An empty one is an empty
    cell."""
    if len(group.cells) > 1:
        found = []
        for cell in group.cells:
            kept = [token for token in cell if not _is_aside(token)]
            if cell and not kept:
                continue  # a column of times
            found += [(token.text, token.struck) for token in kept if token.struck]
            plain = [token for token in kept if not token.struck]
            found += [(text, 0) for text in _parted(plain, None)] if kept else [("", 0)]
        while found and found[-1] == ("", 0):
            found.pop()
        return found
    tokens = [token for token in group.cells[0] if not _is_aside(token)] if group.cells else []
    if group.number is not None:
        # In "12. … Sc6" the dots stand for White's move. In "12. Sf3 … Sc6" they stand for
        # nothing, like the dash in "12. Sf3 - Sc6".
        group.black = group.black or (len(tokens) > 1 and _dots(tokens[0]))
        tokens = [token for token in tokens[:-1] if not _dots(token)] + tokens[-1:]
        if len(tokens) == 3 and _DASH.fullmatch(tokens[1].print):
            del tokens[1]
    most = None if group.number is None else 1 if group.black else 2
    found = []
    for is_struck, run in groupby(tokens, key=lambda token: token.struck != 0):
        if is_struck:
            found += [(token.text, token.struck) for token in run]
        else:
            left = None if most is None else most - sum(not struck for _, struck in found)
            found += [(text, 0) for text in _parted(list(run), left)]
    return found


def _dots(token: _Token) -> bool:
    return bool(token.print) and not token.print.strip(".…")


def _is_aside(token: _Token) -> bool:
    """True for a time, a result, or a stroke between two of them."""
    if token.struck:
        return False
    bare = token.print.strip(".,;").replace("–", "-")
    return bare == "/" or (
        bare != "0-0" and bool(_CLOCK.fullmatch(bare) or _RESULT.fullmatch(bare))
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """The last part of one way to split words: its text, and whether it is ``good``, an entry.

    ``price`` and ``count``, the number of entries, are those of the whole way up to here.
    """

    price: int = 0
    count: int = 0
    text: str = ""
    good: bool = True
    before: "_Part | None" = None


_LONGEST = 9  # words of one entry


def _parted(tokens: Sequence[_Token], most: int | None) -> list[str]:
    """Split words into at most ``most`` entries. A comment behind them is left out."""
    limit = len(tokens) if most is None else most
    # The cheapest way reads as many words as possible, gives no more entries than there can be,
    # keeps each move alone, and keeps other words together.
    moves = [_readable(token.text) for token in tokens]
    gaps = [is_gap(token.text) for token in tokens]
    ways = [[_Part()]]
    for end in range(1, len(tokens) + 1):
        found = []
        for start in range(max(0, end - _LONGEST), end):
            text = " ".join(token.text for token in tokens[start:end])
            good = is_gap(text) or (not is_mark(tokens[start].print) and _readable(text))
            if not good and start < end - 1:
                continue
            price = 2 if good else 100
            if start < end - 1:
                price += 15 * max(0, sum(moves[start:end]) - 1) + 3 * sum(gaps[start:end])
            for way in ways[start]:
                excess = 10 * (good and way.count >= limit)
                found.append(_Part(way.price + price + excess, way.count + good, text, good, way))
        ways.append(sorted(found, key=lambda way: way.price)[:4])
    parts = []
    last: _Part | None = ways[-1][0]
    while last is not None and last.before is not None:
        parts.append((last.text, last.good))
        last = last.before
    texts: list[tuple[str, bool]] = []
    for text, good in reversed(parts):
        if texts and not good and not texts[-1][1]:
            text = f"{texts.pop()[0]} {text}"
        texts.append((text, good))
    if most is None and any(good for _, good in texts):
        return [text for text, good in texts if good]
    return [text for place, (text, good) in enumerate(texts) if good or place < limit]
