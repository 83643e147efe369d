"""What ``blindplay score`` writes: the record of a game, made from its journal."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from blindplay.language import Language
from blindplay.language.scoresheets import braille
from blindplay.language.scoresheets.reading import Certainty, Notation, notation_of, read
from blindplay.laws import FactError, Game
from blindplay.laws.facts import SIDES
from blindplay.laws.rulings import GameOver
from blindplay.wording.pack_words import PackWords

from . import Journal, JournalError, pgn, printing
from .score import Labels, ScoredPly, by_move, by_ply, sheet, tags
from .tape import beside

_HEADING = {
    "Event": "sheet_event",
    "Site": "sheet_site",
    "Date": "sheet_date",
    "Round": "sheet_round",
    "White": "white",
    "Black": "black",
    "Result": "sheet_result",
}
_UNKNOWN = ("?", "????.??.??", "*")
_JOURNALS_OWN = frozenset({"FEN", "SetUp", "Variant"})  # where the game began is no matter of taste
_DATABASE = b"SQLite format 3\0"
_TABLES_OWN = (".pulse", ".links")  # where the clocks of a killed table stood, and who is in
_BESIDE = ("", "-wal", "-shm", "-journal")  # SQLite's files beside a database hold parts of it


class RecordFormat(StrEnum):
    """What can be written of a game, apart from its tape."""

    PGN = "pgn"
    SHEET = "sheet"
    BRAILLE = "braille"
    BRF = "brf"
    LONGHAND = "longhand"
    HTML = "html"


class EntryForm(StrEnum):
    """How the entries of a scoresheet are given again."""

    WRITTEN = "written"
    """As they were written."""
    NOTATION = "notation"
    """In the algebraic notation of the sheet's language."""
    WORDS = "words"
    """As moves are announced."""


_USUAL = {
    RecordFormat.SHEET: EntryForm.WRITTEN,
    RecordFormat.BRAILLE: EntryForm.NOTATION,
    RecordFormat.BRF: EntryForm.NOTATION,
    RecordFormat.LONGHAND: EntryForm.WORDS,
    RecordFormat.HTML: EntryForm.WORDS,
}


@dataclass(frozen=True)
class Paper:
    """Sizes: cells in a line and lines on a page of Braille, points of type in print."""

    cells: int = printing.CELLS
    lines: int = printing.LINES
    points: int = printing.POINTS


PAPER = Paper()


@dataclass(frozen=True)
class Scored:
    """A game as its journal holds it. ``reason``: why it ended, empty if it has not."""

    game: Game
    reason: str = ""
    more: Mapping[str, str] = field(default_factory=dict)
    """Tags of PGN that are added or replaced."""

    @classmethod
    def of(cls, path: Path, more: Mapping[str, str] | None = None) -> Scored:
        """The game in the journal at ``path``; nothing is changed there.

        :raises BrokenGameError: if the journal is damaged after the game began.
        :raises JournalError: if there is no journal at ``path``, or no game in it.
        :raises ValueError: for a tag without a value, or one that only the journal can say.
        """
        for name, value in (more or {}).items():
            if not value.strip():
                raise ValueError(
                    f"The tag {name} needs an equals sign and a value, for example {name}=…."
                )
            if name in _JOURNALS_OWN:
                raise ValueError(
                    f"The journal says where the game began; leave out the tag {name}."
                )
        game, reason, broken = Game(PackWords()), "", None
        with Journal(path, read_only=True) as journal:
            try:
                for fact in journal.facts():
                    for ruling in game.apply(fact):
                        if isinstance(ruling, GameOver):
                            reason = ruling.reason
            except FactError as error:
                broken = f"{path} is not the journal of a game: {error}"
            except JournalError as error:
                broken = str(error)
        if game.setup is None:
            raise JournalError(broken or f"{path} holds no game yet.")
        found = cls(game, reason, more or {})
        if broken is not None:
            raise BrokenGameError(broken, found)
        return found

    def usual_side(self) -> str:
        """Whose scoresheet is meant if nobody says: the impaired player's, or White's."""
        return next((side for side in SIDES if self.game.impaired(side)), "white")

    def write(
        self,
        form: RecordFormat,
        side: str | None = None,
        *,
        language: str | None = None,
        entries: EntryForm | None = None,
        paper: Paper = PAPER,
    ) -> str:
        """The record in ``form``; ``side``: whose scoresheet. In ``language``, or its owner's.

        :raises ValueError: for a language, a tag or a size of paper that there is none of.
        """
        if form is RecordFormat.PGN:
            return pgn(self.game, self.reason, self.more) + "\n"
        side = side or self.usual_side()
        pack = PackWords().pack(language or self.game.player(side).language)
        written = self._spelled(side, pack, entries or _USUAL[form])
        title = pack.sentence("sheet_title", player=pack.sentence(side))
        heading = self._heading(pack)
        labels = Labels(
            move=pack.sentence("sheet_move"),
            white=pack.sentence("white"),
            black=pack.sentence("black"),
            signatures=pack.sentence("sheet_signatures"),
            nothing=f"({pack.sentence('sheet_nothing')})",
            struck=pack.sentence("sheet_struck", entry="{entry}"),
        )
        if form is RecordFormat.HTML:
            return printing.html(
                title, heading, written, labels, language=pack.code, points=paper.points
            )
        head = [title, *(f"{name}: {value}" for name, value in heading.items())]
        if form in (RecordFormat.BRAILLE, RecordFormat.BRF):
            return _embossed([*head, *by_move(written, _in_braille(labels))], pack, form, paper)
        lines = (
            by_ply(written, labels) if form is RecordFormat.LONGHAND else by_move(written, labels)
        )
        return "\n".join([*head, "", *lines]) + "\n"

    def _heading(self, pack: Language) -> dict[str, str]:
        known = {**tags(self.game, self.reason), **self.more}
        if self.game.result == "0-0":
            known["Result"] = "0-0"
        return {
            pack.sentence(key): known[name]
            for name, key in _HEADING.items()
            if known[name] not in _UNKNOWN
        }

    def _spelled(self, side: str, pack: Language, how: EntryForm) -> list[ScoredPly]:
        found = sheet(self.game, side)
        if how is EntryForm.WRITTEN:
            return found
        notations = notation_of(entry.text for entry in found if entry.text is not None)
        return [self._entry(entry, notations, pack, how) for entry in found]

    def _entry(
        self, entry: ScoredPly, notations: Collection[Notation], pack: Language, how: EntryForm
    ) -> ScoredPly:
        """``entry`` given again in other words. Where it is not sure that it means them, what was
        written is added; where it means no one move, that stands alone. What was struck stays
        as it was."""
        game, text = self.game, entry.text
        assert game.setup is not None
        if text is None:
            return entry
        again, certainty = "", Certainty.UNREADABLE
        if entry.ply <= len(game.history):
            board = game.history[entry.ply - 1].before
            reading = read(text, board, notations)
            certainty = reading.certainty
            if reading.move is not None and how is EntryForm.WORDS:
                again = pack.announce(board, reading.move, edition=game.setup.edition)
            elif reading.move is not None:
                again = pack.write(board, reading.move)
        if certainty is not Certainty.SURE:
            as_written = pack.sentence("sheet_as_written", entry=text)
            again = f"{again}; {as_written}" if again else as_written
        return dataclasses.replace(entry, text=again)


class BrokenGameError(JournalError):
    """A journal that can be read only up to a place; ``before`` is the game as it stood there."""

    def __init__(self, message: str, before: Scored) -> None:
        super().__init__(message)
        self.before = before


def check_output(journal: Path, output: Path) -> None:
    """See that a record written into ``output`` destroys no evidence.

    :raises ValueError: if it is this or any other journal, one of the files that SQLite keeps
        beside it, or a part of a tape.
    """
    if output.exists() and journal.exists() and output.samefile(journal):
        raise ValueError("The record cannot be written over its journal; give another --output.")
    # Both as it is called and as it is after links: SQLite follows them, and a tape does not.
    journals = (journal.absolute(), journal.resolve())
    for path in (output.absolute(), output.resolve()):
        if path.suffix.casefold() in _TABLES_OWN:
            raise ValueError(f"{output} would be a part of a table; give another --output.")
        for end in _BESIDE:
            name = path.name[: len(path.name) - len(end)]
            if not name or not path.name.casefold().endswith(end):
                continue
            whole = path.with_name(name)
            if _same(whole, journals) or _is_database(whole):
                raise ValueError(
                    f"{output} is part of a journal, or would be; give another --output."
                )
        tapes = [beside(one) for one in journals]
        if any(_same(one, tapes) or _is_tape(one) for one in (path, *path.parents)):
            raise ValueError(f"{output} is part of a tape, or would be; give another --output.")


def _same(path: Path, others: Iterable[Path]) -> bool:
    """Whether ``path`` is one of ``others``, which need not be there, and may differ in case: on
    some systems that is the same name."""
    return any(str(path).casefold() == str(other).casefold() for other in others)


def _is_database(path: Path) -> bool:
    try:
        if not path.is_file():  # a pipe would be waited for
            return False
        with path.open("rb") as file:
            return file.read(len(_DATABASE)) == _DATABASE
    except OSError:
        return False


def _is_tape(folder: Path) -> bool:
    return folder.suffix.casefold() == ".tape" and folder.is_dir()


def _in_braille(labels: Labels) -> Labels:
    """Braille takes room: a hyphen is a gap, a blank parts the two moves."""
    return dataclasses.replace(labels, nothing="-", between=" ", absent="...")


def _embossed(lines: Iterable[str], pack: Language, form: RecordFormat, paper: Paper) -> str:
    cells = (braille.write(line, pack.code) for line in lines)
    laid_out = printing.pages(
        cells,
        cells=paper.cells,
        lines=paper.lines,
        number=lambda page: braille.write(str(page), pack.code),
    )
    if form is RecordFormat.BRF:
        return printing.brf([[braille.to_brf(line) for line in page] for page in laid_out])
    return "\n\n".join("\n".join(page) for page in laid_out) + "\n"
