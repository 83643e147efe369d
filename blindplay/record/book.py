"""Games and studies as a book: in plain text, whole words, Braille and print, with a table of
contents, and the games of such a book again.

A book begins with its title and its contents. Each game is a chapter: a heading, and the lines of
:mod:`.annotated`.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import chess
import chess.pgn

from blindplay.language import Command, Language, languages, load
from blindplay.language.scoresheets import braille
from blindplay.language.scoresheets.braille_text import BROKEN, normal, numbered, numbered_signs
from blindplay.language.understanding import About
from blindplay.translation import _, join_texts
from blindplay.wording.position import look_at

from .annotated import (
    BookLine,
    BrailleNotation,
    LineKind,
    LinesError,
    LineWriter,
    Notation,
    WordsNotation,
    read_lines,
    title,
)
from .journal import is_journal
from .studied_pgn import games_of_pgn, parsed
from .studies import entries
from .study import Puzzle, StudiedGame, Study, Unread
from .writing import Block, Paper, RecordFormat, Scored, braille_pages, brf, print_page

_LEADER = {"en": "⠐"}  # before a page's number in the contents; in other countries ⠄
_MOST_TRIES = 6  # of a table of contents with numbers of pages, which may make it longer
_HAS_LETTER = re.compile(r"[^\W\d_]")
_NO_BREAK = "\u2011"
_SQUARE, _MARGIN, _SIDE = 45, 38, 400
"""Of a diagram, in its own units, of which one is a point on the page."""
_LETTERS_MOST = 34  # points of the letters beside a diagram
_ENDLESS = 1 << 30  # lines


@dataclass(frozen=True)
class BookStyle:
    """``times``: with the times, evaluations and arrows that programs have written into comments.
    ``yellow``: black on yellow. ``diagrams``: a diagram after so many moves of a game, 0 for those
    of the author only."""

    times: bool = True
    yellow: bool = False
    diagrams: int = 0


STYLE = BookStyle()


@dataclass(frozen=True)
class Chapter:
    """A game of a book, with its number in the file that it comes from."""

    number: int
    game: chess.pgn.Game

    def heading(self, pack: Language) -> str:
        """The heading above the chapter."""
        name = title(self.game)
        words = pack.sentence("book_game", number=str(self.number))
        return f"{words}: {name}" if name else words

    def entry(self, pack: Language) -> str:
        """The chapter in the table of contents."""
        name = title(self.game) or pack.sentence("book_game", number=str(self.number))
        result = self.game.headers.get("Result", "*")
        return f"{self.number}. {name}" + (f", {result}" if result not in ("*", "?", "") else "")


@dataclass(frozen=True)
class Book:
    """Games under a title, in one language."""

    title: str
    chapters: tuple[Chapter, ...]
    pack: Language
    style: BookStyle = STYLE

    @classmethod
    def of(
        cls,
        name: str,
        games: Iterable[chess.pgn.Game | Unread],
        pack: Language,
        style: BookStyle = STYLE,
    ) -> "Book":
        """A book of these games. If all belong to one study, that is its title, else ``name``. What
        cannot be read is left out, and so is its number."""
        chapters = tuple(
            Chapter(number, game)
            for number, game in enumerate(games, 1)
            if not isinstance(game, Unread)
        )
        studies = {one.game.headers.get("StudyName", "") for one in chapters}
        study = studies.pop() if len(studies) == 1 else ""
        return cls(normal(study) or normal(name), chapters, pack, style)

    def write(self, form: RecordFormat, paper: Paper) -> str:
        """The book in a form.

        :raises ValueError: if the paper is too small, or the size of type is not one.
        """
        if form is RecordFormat.PGN:
            return "\n\n".join(str(one.game) for one in self.chapters) + "\n"
        if form is RecordFormat.HTML:
            return self._html(paper.points)
        if form is RecordFormat.BRF:
            return self._brf(paper)
        if form is RecordFormat.LONGHAND:
            return self._text(WordsNotation(self.pack))
        if form is RecordFormat.BRAILLE:
            return self._text(BrailleNotation(self.pack))
        return self._text(Notation(self.pack))

    def lines(self, chapter: Chapter, notation: Notation) -> list[BookLine]:
        """The lines of a chapter, with its heading."""
        head = BookLine(LineKind.HEADING, notation.text(chapter.heading(self.pack)))
        return [head, *chapter.game.accept(LineWriter(notation, times=self.style.times))]

    def _front(self) -> Iterator[str]:
        yield self.title
        yield self.pack.sentence("book_count", count=str(len(self.chapters)))

    def _text(self, notation: Notation) -> str:
        found = [*map(notation.text, self._front()), ""]
        if len(self.chapters) > 1:
            found.append(notation.text(self.pack.sentence("book_contents")))
            found += [notation.text(one.entry(self.pack)) for one in self.chapters]
            found.append("")
        for one in self.chapters:
            found += [line.text for line in self.lines(one, notation)]
            found.append("")
        return "\n".join(found)

    # --- Braille for an embosser

    def _brf(self, paper: Paper) -> str:
        notation = BrailleNotation(self.pack)
        chapters = [self.lines(one, notation) for one in self.chapters]
        entries = (notation.text(one.entry(self.pack)) for one in self.chapters)
        written = (line.text for lines in chapters for line in lines)
        signs = numbered_signs("\n".join([*entries, *written]))
        pages = [1] * len(chapters)
        for _try in range(_MOST_TRIES):
            blocks = [Block(notation.text(one), keep=True) for one in self._front()]
            blocks += self._signs(signs, notation)
            if len(chapters) > 1:
                contents = notation.text(self.pack.sentence("book_contents"))
                blocks.append(Block(contents, gap=True, keep=True))
                blocks += [
                    Block(self._entry(one, page, notation, paper.cells))
                    for one, page in zip(self.chapters, pages, strict=True)
                ]
            begins = []
            for number, lines in enumerate(chapters):
                begins.append(len(blocks))
                for at, line in enumerate(lines):
                    head = line.kind in (LineKind.HEADING, LineKind.SECTION)
                    blocks.append(
                        Block(
                            line.text,
                            gap=at == 0,
                            new_page=at == 0 and number == 0 and len(chapters) > 1,
                            keep=head,
                        )
                    )
            starts: list[int] = []
            laid_out = braille_pages(
                blocks,
                cells=paper.cells,
                lines=paper.lines,
                number=lambda page: notation.text(str(page)),
                broken=BROKEN,
                starts=starts,
            )
            found = [starts[begin] for begin in begins]
            if found == pages:
                break
            pages = found
        return brf(map(braille.to_brf, page) for page in laid_out)

    def _entry(self, chapter: Chapter, page: int, notation: Notation, cells: int) -> str:
        """A line of the contents, with guide dots and the page at its end."""
        entry, number = notation.text(chapter.entry(self.pack)), notation.text(str(page))
        (folded,) = braille_pages([entry], cells=cells, lines=_ENDLESS, broken=BROKEN)
        room = cells - len(folded[-1]) - len(number) - 2
        if room < 1:  # the number stands in a line of its own, from the third cell on
            room = cells - len(number) - 3
        return f"{entry} {_LEADER.get(self.pack.code, '⠄') * room} {number}"

    def _signs(self, signs: Sequence[str], notation: Notation) -> Iterator[Block]:
        """What the signs mean that this Braille has no cells for."""
        if not signs:
            return
        yield Block(notation.text(self.pack.sentence("book_special_signs")), gap=True, keep=True)
        for sign in signs:
            meaning = f"U+{ord(sign):04X} {unicodedata.name(sign, '').lower()}".strip()
            means = notation.text(self.pack.sentence("book_sign_is", sign="", meaning=meaning))
            yield Block(f"{numbered(sign)} {means}")

    # --- print

    def _html(self, points: int) -> str:
        notation = Notation(self.pack)
        return print_page(
            "record",
            "book.html",
            points,
            title=self.title,
            front=list(self._front())[1:],
            contents=self.pack.sentence("book_contents"),
            chapters=[
                (f"game-{one.number}", one.entry(self.pack), self._printed(one, notation, points))
                for one in self.chapters
            ],
            language=self.pack.code,
            yellow=self.style.yellow,
            together=_together,
            symbols=self._symbols(),
        )

    def _printed(
        self, chapter: Chapter, notation: Notation, points: int
    ) -> Iterator[tuple[BookLine, str]]:
        """Each line, and the diagram behind it as a picture, or an empty text."""
        lines = self.lines(chapter, notation)
        shown = 0
        for line, after in zip(lines, [*lines[1:], None], strict=True):
            board, wanted = line.board, line.diagram
            if line.kind is LineKind.POSITION:
                wanted = after is None or after.kind is not LineKind.POSITION
            elif board is not None and not line.depth and board.turn == chess.WHITE:
                number = board.fullmove_number - 1
                if self.style.diagrams and number % self.style.diagrams == 0 and number != shown:
                    wanted, shown = True, number
            yield line, self._diagram(board, points) if wanted and board is not None else ""

    def _diagram(self, board: chess.Board, points: int) -> str:
        described = look_at(self.pack, board, Command.POSITION, About())
        size = min(points, _LETTERS_MOST)
        drawn = [
            f'<text x="{_MARGIN + _SQUARE * (at + 0.5)}" y="{_SIDE - 8}">{name}</text>'
            for at, name in enumerate(chess.FILE_NAMES)
        ] + [
            f'<text x="{_MARGIN / 2}" y="{_SQUARE * (7.5 - at) + size / 3:.0f}">{name}</text>'
            for at, name in enumerate(chess.RANK_NAMES)
        ]
        for square, piece in board.piece_map().items():
            x = _MARGIN + _SQUARE * chess.square_file(square)
            y = _SQUARE * (7 - chess.square_rank(square)) + 1
            drawn.append(f'<use href="#{_symbol(piece)}" x="{x}" y="{y}"/>')
        return (
            f'<svg role="img" aria-label="{html.escape(described, quote=True)}" '
            f'viewBox="0 0 {_SIDE} {_SIDE}" font-size="{size}" text-anchor="middle">'
            f'<use href="#board" x="{_MARGIN}" y="1"/>{"".join(drawn)}</svg>'
        )

    def _symbols(self) -> str:
        """The empty board and the pieces, once for all diagrams."""
        import chess.svg

        light, dark = ("#ffff00", "#c8a800") if self.style.yellow else ("#ffffff", "#bdbdbd")
        side = 8 * _SQUARE
        squares = "".join(
            f"M{_SQUARE * (at % 8)} {_SQUARE * (at // 8)}h{_SQUARE}v{_SQUARE}h-{_SQUARE}z"
            for at in range(64)
            if (at % 8 + at // 8) % 2
        )
        return (
            f'<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>'
            f'<g id="board"><rect width="{side}" height="{side}" fill="{light}"/>'
            f'<path d="{squares}" fill="{dark}"/><rect width="{side}" height="{side}" '
            f'fill="none" stroke="#000" stroke-width="2"/></g>'
            f"{''.join(chess.svg.PIECES.values())}</defs></svg>"
        )


def _symbol(piece: chess.Piece) -> str:
    """The name of a piece's picture in chess.svg."""
    return f"{'white' if piece.color else 'black'}-{chess.piece_name(piece.piece_type)}"


def _together(text: str) -> str:
    """``text`` with hyphens at which no line ends: 0-0 and 1-0 stay whole."""
    return text.replace("-", _NO_BREAK)


# --- back again


def read_book(text: str) -> list[StudiedGame | Unread] | None:
    """The games of a book that :meth:`Book.write` has written in text, Braille or print; None if it
    is not one."""
    lines = _lines_of(text)
    in_cells = any(map(braille.is_braille, lines)) and not any(map(_HAS_LETTER.search, lines))
    for code in languages():
        pack = load(code)
        notation = BrailleNotation(pack) if in_cells else Notation(pack)
        if not in_cells and _is_in_words(lines, pack):
            notation = WordsNotation(pack)
        if chapters := list(_chapters(lines, notation)):
            return [_game_of(chapter, notation) for chapter in chapters]
    return None


def _is_in_words(lines: Sequence[str], pack: Language) -> bool:
    ply = re.compile(rf"\d+\. ({pack.sentence('white')}|{pack.sentence('black')}): ")
    comment = f"{pack.sentence('book_comment')}: "
    return any(ply.match(line) or line.startswith(comment) for line in lines)


def _chapters(lines: Sequence[str], notation: Notation) -> Iterator[tuple[str, list[str]]]:
    """The heading and the lines of each chapter. Its moves begin before the next heading."""
    moves = notation.text(notation.pack.sentence("book_moves"))
    if moves not in lines:
        return
    before, _number, behind = notation.pack.sentence("book_game", number="\0").partition("\0")
    heading = re.compile(rf"{re.escape(before)}(\d{{1,9}}){re.escape(behind)}(?::.*)?")
    beginning = notation.text(before)
    number, begin, begun = 0, -1, False
    for at, line in enumerate(lines):
        begun |= line == moves
        found = heading.fullmatch(notation.read(line)) if line.startswith(beginning) else None
        # Before the first moves, the title of the book may be like a heading; the last one counts.
        if found is None or (begun and int(found[1]) <= number):
            continue
        if begun and begin >= 0:
            yield lines[begin], list(lines[begin + 1 : at])
        begin, number, begun = at, int(found[1]), False
    if begun and begin >= 0:
        yield lines[begin], list(lines[begin + 1 :])


def _game_of(chapter: tuple[str, list[str]], notation: Notation) -> StudiedGame | Unread:
    heading, lines = chapter
    try:
        return StudiedGame(read_lines(lines, notation))
    except (ValueError, RecursionError) as error:
        reason = error if isinstance(error, LinesError) else _("it cannot be read; correct it.")
        return Unread(join_texts(": ", (notation.read(heading), reason)), "")


def _lines_of(text: str) -> list[str]:
    """The lines of a book, each whole, of text, BRF, Unicode Braille or HTML."""
    if re.match(r"\s*<!doctype html", text, re.IGNORECASE):
        return _HtmlLines.of(text)
    if is_brf(text):
        return _brf_lines(text)
    return [line.strip() for line in text.splitlines()]


def is_brf(text: str) -> bool:
    """Return whether a text is a file for an embosser: signs of BRF only, and pages."""
    return "\f" in text and not re.search(r"[^ -_\r\n\f]", text)


def _brf_lines(text: str) -> list[str]:
    lines: list[str] = []
    for number, page in enumerate(text.split("\f")):
        for at, written in enumerate(page.splitlines()):
            if at == 0 and number > 0:
                continue  # the page's number
            line = braille.from_brf(written)
            if line.startswith("  ") and lines:
                broken = lines[-1].endswith(BROKEN)
                before = lines[-1].removesuffix(BROKEN) if broken else f"{lines[-1]} "
                lines[-1] = before + line.strip()
            else:
                lines.append(line.strip())
    return lines


class _HtmlLines(HTMLParser):
    """The lines of the chapters of a printed book. Their elements have the classes of LineKind."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._open = ""
        self._together = False

    @classmethod
    def of(cls, text: str) -> list[str]:
        parser = cls()
        parser.feed(text)
        return [normal(line) for line in parser.lines]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = (dict(attrs).get("class") or "").split()
        if not self._open and any(kind.value in classes for kind in LineKind):
            self._open = tag
            self._together = bool({LineKind.MOVES.value, LineKind.RESULT.value} & set(classes))
            if "more" in classes and self.lines:  # of a paragraph that was divided into pages
                self.lines[-1] += " "
            else:
                self.lines.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._open:
            self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open:
            self.lines[-1] += data.replace(_NO_BREAK, "-") if self._together else data


def read_games(path: Path, tell: Callable[[str], object]) -> list[StudiedGame | Unread]:
    """The games of a file: a journal, PGN, lines of FEN or EPD, or a book that :meth:`Book.write`
    has written. Each entry is read for itself. ``tell`` gets a sentence about letters that were
    guessed.

    :raises ValueError: if it holds none; if no entry of it can be read, with the sentence of the
        first.
    """
    if is_journal(path):
        game = parsed(Scored.of(path).write(RecordFormat.PGN))
        assert game is not None
        return [StudiedGame(game)]

    def of_text(text: str, name: str) -> Iterable[Study]:
        return read_book(text) or games_of_pgn(text, name)

    return [
        StudiedGame(_of_puzzle(one)) if isinstance(one, Puzzle) else one
        for one in entries(path, of_text, tell)
    ]


def _of_puzzle(puzzle: Puzzle) -> chess.pgn.Game:
    """A puzzle as a game: its solution, other right moves as variations, wrong ones with ``?``."""
    game = chess.pgn.Game()
    game.setup(puzzle.board)
    if puzzle.name:
        game.headers["Event"] = normal(puzzle.name)
    if puzzle.line or puzzle.best:
        game.add_line(puzzle.line or puzzle.best[:1])
    for move in puzzle.best:
        if not game.has_variation(move):
            game.add_variation(move)
    for move in puzzle.avoid:
        if not game.has_variation(move):
            game.add_variation(move, nags=[chess.pgn.NAG_MISTAKE])
    return game
