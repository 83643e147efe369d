"""The records that ``blindplay score`` writes, all made from the journal of the game: among them
pages of Braille for an embosser, and a page of HTML for a printer.
"""

import contextlib
import dataclasses
import datetime
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from blindplay.given import plain
from blindplay.language import Language
from blindplay.language.scoresheets import braille
from blindplay.language.scoresheets.letters import Letters, SheetLetters
from blindplay.language.scoresheets.reading import Certainty, learned, letters_of, read
from blindplay.laws import Game
from blindplay.laws.facts import SIDES
from blindplay.laws.rulings import GameOver
from blindplay.translation import UserError, _
from blindplay.wording.pack_words import PackWords

from . import JournalError, pgn
from .annotated import LABELLED
from .files import OWN_ENDS, damaged_copies
from .games import ReplayError, read_from_journal, replay
from .journal import is_journal
from .score import (
    ScoredPly,
    by_move,
    by_ply,
    labels_of,
    moves,
    sheet,
    tags,
    written,
)
from .tape import tape_folder

CELLS, LINES = 40, 25
"""Cells in a line and lines on a page of Braille paper, as BRF files have them."""
POINTS = 14
"""Size of type: 12 is the least that is recommended, 16 to 22 are large print (RNIB)."""
_RUNOVER = "  "  # a block that takes another line continues in its third cell


@dataclass(frozen=True)
class Block:
    """A text that begins a line of Braille, for example a move.

    ``gap``: a blank line comes before it, except at the top of a page. ``new_page``: it begins a
    page. ``keep``: the next block begins on its page.
    """

    text: str
    gap: bool = False
    new_page: bool = False
    keep: bool = False


def braille_pages(
    blocks: Iterable[str | Block],
    *,
    cells: int = CELLS,
    lines: int = LINES,
    number: Callable[[int], str] = str,
    broken: str = "",
    starts: list[int] | None = None,
) -> list[list[str]]:
    """Lay out text in which each sign takes one cell: Unicode Braille, BRF or print.

    Each block begins a line. A block that is too long is broken at blanks; it
    is not divided between two pages if it fits on one. From the second page on, the first line
    holds the page's number at its right end, as ``number`` writes it. ``broken`` ends a line in the
    middle of a word. ``starts`` gets the page of each block.

    :raises ValueError: for fewer than 10 cells or 3 lines.
    """
    if cells < 10 or lines < 3:
        raise UserError("A Braille page needs at least 10 cells in a line and 3 lines.")
    pages: list[list[str]] = [[]]
    every = [Block(one) if isinstance(one, str) else one for one in blocks]
    texts = [list(_folded(block.text, cells, broken)) for block in every]
    for block, folded, after in zip(every, texts, [*texts[1:], []], strict=False):
        begun = len(pages[-1]) > (len(pages) > 1)
        gap = block.gap and begun
        needed = len(folded)
        if block.keep:  # of a block that is longer than a page, one line
            needed = min(needed + (len(after) if len(after) < lines else 1), lines - 1)
        if (block.new_page and begun) or (
            needed <= lines - 1 and len(pages[-1]) + gap + needed > lines
        ):
            pages.append([])
        elif gap and len(pages[-1]) < lines:
            pages[-1].append("")
        if starts is not None:
            starts.append(len(pages) + (len(pages[-1]) == lines))
        for line in folded:
            if len(pages[-1]) == lines:
                pages.append([])
            if not pages[-1] and len(pages) > 1:
                pages[-1].append(number(len(pages)).rjust(cells))
            pages[-1].append(line)
    return pages


def _folded(block: str, cells: int, broken: str = "") -> Iterator[str]:
    line = ""
    for word in block.split():
        if line.strip() and len(line) + 1 + len(word) > cells:
            yield line
            line = _RUNOVER
        line += word if not line.strip() else f" {word}"
        while len(line) > cells:  # a word that is longer than a line
            at = cells - len(broken)
            yield line[:at] + broken
            line = _RUNOVER + line[at:]
    yield line


def brf(laid_out: Iterable[Iterable[str]]) -> str:
    """Pages of BRF signs as a file: CR LF ends a line, a form feed ends a page.

    Programs differ in how they end lines and pages; this is how liblouisutdml does it.
    """
    return "".join("".join(f"{line}\r\n" for line in page) + "\f" for page in laid_out)


@functools.cache
def _templates(room: str) -> Any:
    from jinja2 import Environment, PackageLoader  # it is large, and only print needs it

    return Environment(
        loader=PackageLoader(f"blindplay.{room}"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def print_page(room: str, template: str, points: int, **values: object) -> str:
    """A page of HTML for a printer, from a template of a room. ``points``: size of type, 6 to 72.

    :raises ValueError: for another size.
    """
    if not 6 <= points <= 72:
        raise UserError("The size of type must be 6 to 72 points; 18 and more is large print.")
    page: str = _templates(room).get_template(template).render(points=points, **values)
    return page


_UNKNOWN = ("?", "????.??.??", "*")
# Data that only the journal gives, by tags in small letters: PGN readers treat case differently.
_JOURNALS_OWN = {
    **dict.fromkeys(("fen", "setup", "variant"), _("where the game began")),
    **dict.fromkeys(("result", "termination"), _("how the game ended")),
}


class RecordFormat(StrEnum):
    """The kinds of records, apart from the tape."""

    PGN = "pgn"
    SHEET = "sheet"
    BRAILLE = "braille"
    BRF = "brf"
    LONGHAND = "longhand"
    HTML = "html"


class EntryForm(StrEnum):
    """The form in which a record gives the entries of a scoresheet."""

    WRITTEN = "written"
    """As the player wrote them."""
    NOTATION = "notation"
    """In the algebraic notation of the sheet's language."""
    WORDS = "words"
    """As moves are announced."""


_DEFAULT_ENTRIES = {
    RecordFormat.SHEET: EntryForm.WRITTEN,
    RecordFormat.BRAILLE: EntryForm.NOTATION,
    RecordFormat.BRF: EntryForm.NOTATION,
    RecordFormat.LONGHAND: EntryForm.WORDS,
    RecordFormat.HTML: EntryForm.WORDS,
}


@dataclass(frozen=True)
class Paper:
    """Sizes: cells in a line and lines on a page of Braille; points of type in print."""

    cells: int = CELLS
    lines: int = LINES
    points: int = POINTS


PAPER = Paper()


@dataclass(frozen=True)
class Scored:
    """A game as its journal holds it. ``reason``: why it ended; empty if it has not."""

    game: Game
    reason: str = ""
    more: Mapping[str, str] = field(default_factory=dict)
    """PGN tags that are added or replaced."""
    repaired: str = ""
    """One sentence about damage of the journal that was put right."""
    broken: bool = False
    """The journal cannot be read to its end, and each record says so."""

    @classmethod
    def of(cls, path: Path, more: Mapping[str, str] | None = None) -> Self:
        """The game in the journal at ``path``, with the PGN tags ``more``.

        :raises BrokenGameError: if the journal is damaged after the game began.
        :raises JournalError: if there is no journal at ``path``, or no game in it.
        :raises ValueError: for a tag without a value, or a tag for the start position.
        """
        for name, value in (more or {}).items():
            if not value.strip():
                raise UserError(
                    "The tag {name} needs an equals sign and a value, for example {name}=….",
                    name=name,
                )
            if own := _JOURNALS_OWN.get(name.casefold()):
                raise UserError(
                    "The journal says {own}; leave out the tag {name}.", own=own, name=name
                )
        game, reason, broken = Game(PackWords()), "", ""
        repaired: list[str] = []
        try:
            for ruling in replay(read_from_journal(path, repaired.append), game=game):
                if isinstance(ruling, GameOver):
                    reason = ruling.reason
        except (JournalError, ReplayError) as error:
            broken = str(error)
        if game.setup is None:
            raise JournalError(broken or _("{path} holds no game yet.", path=path))
        tags = {name: plain(value) for name, value in (more or {}).items()}
        record = cls(game, reason, tags, "".join(repaired), bool(broken))
        if broken:
            raise BrokenGameError(broken, record)
        return record

    def write(
        self,
        form: RecordFormat,
        side: str | None = None,
        *,
        language: str | None = None,
        entries: EntryForm | None = None,
        paper: Paper = PAPER,
        yellow: bool = False,
    ) -> str:
        """The record in ``form``. ``side``: the owner of the scoresheet; by default the impaired
        player, or White. ``language``: by default that of the sheet's owner. ``yellow``:
        print black on yellow.

        :raises ValueError: for an unknown language, an invalid tag or size of paper.
        """
        if form is RecordFormat.PGN:
            return pgn(self.game, self.reason, self.more, broken=self.broken) + "\n"
        side = side or next((side for side in SIDES if self.game.impaired(side)), "white")
        pack = PackWords().pack(language or self.game.player(side).language)
        in_cells = form in (RecordFormat.BRAILLE, RecordFormat.BRF)
        entered = self._entries(side, pack, entries or _DEFAULT_ENTRIES[form], in_cells=in_cells)
        title = pack.sentence("sheet_title", player=pack.sentence(side))
        heading = self._heading(pack, in_words=form is RecordFormat.LONGHAND)
        labels = labels_of(pack)
        remark = pack.sentence("sheet_broken") if self.broken else ""
        if form is RecordFormat.HTML:
            return print_page(
                "record", "scoresheet.html", paper.points,
                title=title, heading=heading, moves=moves(entered), labels=labels, remark=remark,
                language=pack.code, signed=self.game.signed, written=written, yellow=yellow,
            )  # fmt: skip
        head = [title, *(f"{name}: {value}" for name, value in heading.items())]
        end = [remark] if remark else []
        if in_cells:
            # Braille takes room: a hyphen is a gap, and a blank separates the moves.
            short = dataclasses.replace(labels, nothing="-", between=" ", absent="...")
            plies = (_numbered(line, pack) for line in by_move(entered, short))
            return _embossed([*head, *plies, *end], pack, form, paper)
        in_lines = by_ply if form is RecordFormat.LONGHAND else by_move
        return "\n".join([*head, "", *in_lines(entered, labels), *end]) + "\n"

    def _heading(self, pack: Language, *, in_words: bool) -> dict[str, str]:
        """Return the heading above the moves. ``in_words``: the date is spoken as a date."""
        known = {**tags(self.game, self.reason), **self.more}
        if in_words:
            with contextlib.suppress(ValueError):  # a date that is not known in full
                date = datetime.date.fromisoformat(known["Date"].replace(".", "-"))
                known["Date"] = pack.date(date)
        if self.game.result in ("0-0", "1/2-0", "0-1/2"):
            known["Result"] = self.game.result
        return {
            pack.sentence(key): known[name]
            for name, key in LABELLED.items()
            if known[name] not in _UNKNOWN
        }

    def _entries(
        self, side: str, pack: Language, how: EntryForm, *, in_cells: bool
    ) -> list[ScoredPly]:
        entries = sheet(self.game, side)
        if how is EntryForm.WRITTEN:
            return entries
        written = {entry.ply: entry.text for entry in entries if entry.text is not None}
        letters = letters_of(written.values(), self.game.player(side).language)
        plies = enumerate(self.game.history, 1)
        known = learned(
            letters, ((written[n], ply.before, ply.move) for n, ply in plies if n in written)
        )
        return [
            self._in_form(entry, letters, known, pack, how, in_cells=in_cells) for entry in entries
        ]

    def _in_form(
        self,
        entry: ScoredPly,
        letters: SheetLetters,
        known: Letters,
        pack: Language,
        how: EntryForm,
        *,
        in_cells: bool,
    ) -> ScoredPly:
        """``entry`` in another form. If its meaning is uncertain, the text as written is added; if
        it means no single move, only that text is given. Struck entries stay as they were."""
        game, text = self.game, entry.text
        assert game.setup is not None
        if text is None:
            return entry
        meaning, certainty = "", Certainty.UNREADABLE
        if entry.ply <= len(game.history):
            board = game.history[entry.ply - 1].before
            reading = read(text, board, letters, known)
            certainty = reading.certainty
            if reading.move is not None and how is EntryForm.WORDS:
                meaning = pack.announce(board, reading.move, edition=game.setup.edition)
            elif reading.move is not None:
                meaning = pack.write(board, reading.move)
                if in_cells:
                    san = board.copy(stack=False).san(reading.move)
                    meaning = braille.write_move(san, meaning, pack.code)
        if certainty is not Certainty.SURE:
            as_written = pack.sentence("sheet_as_written", entry=text)
            meaning = f"{meaning}; {as_written}" if meaning else as_written
        return dataclasses.replace(entry, text=meaning)


class BrokenGameError(JournalError):
    """A journal that can be read only up to a place; ``before`` is the game up to there."""

    def __init__(self, message: str, before: Scored) -> None:
        super().__init__(message)
        self.before = before


def check_output(source: Path | None, output: Path) -> None:
    """Check that writing a record into ``output`` would destroy no evidence. ``source`` is the file
    that is read, if there is one.

    :raises ValueError: if it is that file, any journal, another file of a table, or part of a tape.
    """
    if source is not None and output.exists() and source.exists() and output.samefile(source):
        raise UserError("{output} is the file that is read; give another --output.", output=output)
    names = () if source is None else (source.absolute(), source.resolve())
    journals = [file for name in names for file in (name, *damaged_copies(name))]
    tapes = [tape_folder(name) for name in names]
    for path in (output.absolute(), output.resolve()):  # it may be a link
        if path.suffix.casefold() in OWN_ENDS:
            raise UserError(
                "{output} would be a part of a table; give another --output.", output=output
            )
        if _same(path, journals) or is_journal(path):
            raise UserError(
                "{output} is a journal, or would be; give another --output.", output=output
            )
        folders = (path, *path.parents)
        kept = any(folder.suffix.casefold() == ".tape" and folder.is_dir() for folder in folders)
        if kept or any(_same(folder, tapes) for folder in folders):
            raise UserError(
                "{output} is part of a tape, or would be; give another --output.", output=output
            )


def _same(path: Path, others: Iterable[Path]) -> bool:
    """Return whether ``path`` is one of ``others``, which need not exist. Names that differ only in
    case count as the same, because on some systems they are."""
    return any(str(path).casefold() == str(other).casefold() for other in others)


def _numbered(line: str, pack: Language) -> str:
    """A line of a scoresheet whose number is in the country's chess Braille."""
    number, rest = line.split(". ", 1)
    return f"{braille.write_number(int(number), pack.code)} {rest}"


def _embossed(lines: Iterable[str], pack: Language, form: RecordFormat, paper: Paper) -> str:
    cells = (braille.write(line, pack.code) for line in lines)
    laid_out = braille_pages(
        cells,
        cells=paper.cells,
        lines=paper.lines,
        number=lambda page: braille.write(str(page), pack.code),
    )
    if form is RecordFormat.BRF:
        return brf(map(braille.to_brf, page) for page in laid_out)
    return "\n\n".join("\n".join(page) for page in laid_out) + "\n"
