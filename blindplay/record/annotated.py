"""A game with its variations, comments and signs as lines of text, and the game of such lines.

Braille, print and whole words have the same lines: the tags, the position if the game begins with
one of its own, and the moves. A comment has a line of its own. A line of a variation begins with
its label: ``a:``, inside of it ``a1:``, and so on. :class:`LineWriter` writes the lines in one
:class:`Notation`, and :func:`read_lines` reads the same game from them.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import chess
import chess.pgn

from blindplay.given import shown
from blindplay.language import Command, Language
from blindplay.language.scoresheets import braille
from blindplay.language.scoresheets.braille_text import normal, read_text, write_text
from blindplay.language.understanding import About
from blindplay.translation import UserError, _
from blindplay.wording.names import spoken_name
from blindplay.wording.position import look_at

Path = tuple[int, ...]
"""The place of a variation: the second variation inside the first of the game is (1, 2)."""
NULL_MOVE = "--"
GLYPHS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}
"""The signs directly behind a move, by their numbers in PGN (8.2.4)."""
SIGNS = {
    10: "=", 13: "~", 14: "+=", 15: "=+", 16: "+/-", 17: "-/+", 18: "+-", 19: "-+", 146: "N",
}  # fmt: skip
"""Other signs, as programs write them where there are letters only."""
_FROM_SIGNS = {sign: number for number, sign in SIGNS.items()}
IN_WORDS = (*GLYPHS, 7, 10, 11, 13, 14, 15, 16, 17, 18, 19, 22, 23, 146)
"""The signs that each language has words for."""
COMMAND = re.compile(r"\[%[^\]]*\]")
"""What a program writes into a comment: a time, an evaluation, arrows on the board."""
_COMMANDS_ONLY = re.compile(rf"(?:{COMMAND.pattern}\s*)+")
_LABEL = re.compile(r"(?P<label>[a-z]+(?:\d+[a-z]+)*\d*):")
_LABEL_PARTS = re.compile(r"[a-z]+|\d+")
_NUMBER = re.compile(r"\d+\.(\.\.)?")
_RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
_TAG = re.compile(r"(?P<name>\S+):(?: (?P<value>.*))?")
LABELLED = {
    "Event": "sheet_event",
    "Site": "sheet_site",
    "Date": "sheet_date",
    "Round": "sheet_round",
    "White": "white",
    "Black": "black",
    "Result": "sheet_result",
}
"""The tags that each language has a word for, and the sentence with that word."""
_UNKNOWN = chess.pgn.Headers()
NO_CHESS = _("it is a variant of chess, which cannot be written here; leave it out.")


class LineKind(Enum):
    """The kind of a line. Its value is its class on the printed page."""

    HEADING = "heading"
    TAG = "tag"
    SECTION = "section"
    POSITION = "position"
    MOVES = "moves"
    COMMENT = "comment"
    RESULT = "result"


@dataclass(frozen=True)
class BookLine:
    """A line of a game. ``depth``: how deep its variation is, 0 for the game itself. ``board``: the
    position after a line of moves, or the one that the game begins with."""

    kind: LineKind
    text: str
    depth: int = 0
    board: chess.Board | None = None
    diagram: bool = False
    """The author wants a diagram behind this line (the signs 220 and 221 of PGN)."""


class Notation:
    """How text and moves are written: here as in print, with the letters of the country."""

    plies_in_lines = False
    """Each ply has a line of its own."""

    def __init__(self, pack: Language) -> None:
        self.pack = pack

    def text(self, text: str) -> str:
        """Any text."""
        return normal(text)

    def read(self, written: str) -> str:
        """The text that :meth:`text` has written."""
        return normal(written)

    def number(self, board: chess.Board) -> str:
        """The number of the next move."""
        dots = "." if board.turn == chess.WHITE else "..."
        return f"{board.fullmove_number}{dots}"

    def is_number(self, word: str) -> bool:
        """Return whether a word is the number of a move."""
        return bool(_NUMBER.fullmatch(word))

    def move(self, board: chess.Board, move: chess.Move) -> str:
        """A move in the country's notation."""
        return self.text(self.pack.notation(board.san(move)) if move else NULL_MOVE)

    def square(self, square: chess.Square) -> str:
        """A square."""
        return chess.square_name(square)

    def glyph(self, number: int) -> str:
        """A sign directly behind a move."""
        return GLYPHS[number]

    def behind_number(self, move: str, board: chess.Board) -> str:
        """A move directly behind its number."""
        return move

    @cached_property
    def squares(self) -> Sequence[str]:
        """The squares from a1 to h8, as they stand in each move there except castling."""
        return [self.square(square) for square in chess.SQUARES]

    @cached_property
    def glyphs(self) -> Mapping[str, int]:
        """The number of each sign directly behind a move."""
        return {self.glyph(number): number for number in GLYPHS}


class BrailleNotation(Notation):
    """A country's Braille, in cells.

    German, Norwegian, Swedish and Danish authorities have no code of their own for chess: moves are
    written in the basic Braille of the country, with its capital and number signs. In English the
    *Braille Chess Code* holds (UK Association for Accessible Formats, 2015): lowered digits (1.3),
    dots 3 6 before Black's move that begins a line (1.2), and dots 3 4 5 before a sign behind a
    move (1.4).
    """

    def __init__(self, pack: Language) -> None:
        super().__init__(pack)
        self._british = pack.code == "en"

    def text(self, text: str) -> str:
        return write_text(text, self.pack.code)

    def read(self, written: str) -> str:
        return read_text(written, self.pack.code)

    def number(self, board: chess.Board) -> str:
        if self._british:
            return braille.write_number(board.fullmove_number, self.pack.code)
        return self.text(super().number(board))

    def is_number(self, word: str) -> bool:
        if self._british:
            return bool(re.fullmatch("[⠂⠆⠒⠲⠢⠖⠶⠦⠔⠴]+", word))
        return bool(_NUMBER.fullmatch(self.read(word)))

    def move(self, board: chess.Board, move: chess.Move) -> str:
        if not move:
            return self.text(NULL_MOVE)
        san = board.san(move)
        return braille.write_move(san, self.pack.notation(san), self.pack.code)

    def square(self, square: chess.Square) -> str:
        name = chess.square_name(square)
        rank = name[1].translate(braille.LOWERED) if self._british else self.text(name[1])
        return self.text(name[0]) + rank

    def glyph(self, number: int) -> str:
        before = {"en": "⠜", "de": "⠠"}.get(self.pack.code, "⠰")
        question = "⠦" if self._british else "⠢"
        return before + GLYPHS[number].replace("!", "⠖").replace("?", question)

    def behind_number(self, move: str, board: chess.Board) -> str:
        return f"⠤{move}" if self._british and board.turn == chess.BLACK else move


class WordsNotation(Notation):
    """Whole words, one ply a line, as they are announced."""

    plies_in_lines = True

    def move(self, board: chess.Board, move: chess.Move) -> str:
        if not move:
            return self.pack.sentence("book_null_move")
        return self.pack.announce(board, move, check=True)

    def square(self, square: chess.Square) -> str:
        return self.pack.square(square)


def label(path: Path) -> str:
    """The label of a variation: letters and numbers in turn, ``b2a`` for (2, 2, 1)."""
    return "".join(str(n) if depth % 2 else _letters(n) for depth, n in enumerate(path))


def _letters(number: int) -> str:
    found = ""
    while number:
        number, rest = divmod(number - 1, 26)
        found = chr(ord("a") + rest) + found
    return found


def _path(text: str) -> Path:
    return tuple(
        int(part)
        if part.isdigit()
        else sum((ord(one) - 96) * 26**place for place, one in enumerate(reversed(part)))
        for part in _LABEL_PARTS.findall(text)
    )


def title(game: chess.pgn.Game) -> str:
    """What a game is called: its players, or its chapter in a study; empty if it has no name."""
    names = [_known(game, side) for side in ("White", "Black")]
    chapter = _known(game, "ChapterName")
    if all(names):
        players = " – ".join(map(spoken_name, names))
        return f"{chapter}: {players}" if chapter and chapter != players else players
    return chapter or _known(game, "Event")


def _known(game: chess.pgn.Game, tag: str) -> str:
    return normal(game.headers.get(tag, "").strip("?. "))


def sign_in_words(number: int, pack: Language) -> str:
    """A sign behind a move in words."""
    if number in IN_WORDS:
        return pack.sentence(f"book_sign_{number}")
    return pack.sentence("book_sign_other", number=str(number))


def _sign_of_words(words: str, pack: Language) -> int | None:
    """The sign that :func:`sign_in_words` has written; None if it is none."""
    known = {sign_in_words(number, pack): number for number in IN_WORDS}
    before, _number, after = pack.sentence("book_sign_other", number="\0").partition("\0")
    other = words.removeprefix(before).removesuffix(after)
    return known.get(words) or (int(other) if other.isdecimal() else None)


class LineWriter(chess.pgn.BaseVisitor[list[BookLine]]):
    """Writes the lines of one game. ``times``: with what programs have written into comments."""

    def __init__(self, notation: Notation, *, times: bool = True) -> None:
        self._notation, self._times = notation, times
        self._pack = notation.pack
        self._lines: list[BookLine] = []
        self._headers: list[tuple[str, str]] = []
        self._words: list[str] = []
        self._path: Path = ()
        self._written_path: Path = ()
        self._counts: dict[Path, int] = {}
        self._board = chess.Board()
        self._glyphed = self._diagram = False

    # --- the head

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        self._headers.append((tagname, normal(tagvalue)))

    def visit_board(self, board: chess.Board) -> None:
        if not self._lines:
            self._write_head(board)
        self._board = board.copy(stack=False)

    def _write_head(self, board: chess.Board) -> None:
        words = {name: self._pack.sentence(key) for name, key in LABELLED.items()}
        for name, value in self._headers:
            if _UNKNOWN.get(name) == value:
                continue
            word = words.get(name) or (f"[{name}]" if name in words.values() else name)
            self._line(LineKind.TAG, f"{word}: {value}".strip())
        if board.fen() != chess.STARTING_FEN:
            self._line(LineKind.SECTION, self._pack.sentence("book_position"))
            for text in _position(board, self._notation):
                self._line(LineKind.POSITION, text, board=board.copy(stack=False))
        self._line(LineKind.SECTION, self._pack.sentence("book_moves"))

    def _line(self, kind: LineKind, text: str, board: chess.Board | None = None) -> None:
        self._lines.append(BookLine(kind, self._notation.text(text), board=board))

    # --- the moves

    def begin_variation(self) -> None:
        self._flush()
        self._counts[self._path] = self._counts.get(self._path, 0) + 1
        self._path += (self._counts[self._path],)

    def end_variation(self) -> None:
        self._flush()
        self._path = self._path[:-1]

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        notation = self._notation
        if notation.plies_in_lines or (board.turn == chess.WHITE and not self._path):
            self._flush()
        written, self._glyphed = notation.move(board, move), False
        if notation.plies_in_lines:
            side = self._pack.sentence("white" if board.turn == chess.WHITE else "black")
            self._words.append(f"{board.fullmove_number}. {side}: {written}")
        elif not self._words or board.turn == chess.WHITE:
            self._words += [notation.number(board), notation.behind_number(written, board)]
        else:
            self._words.append(written)

    def visit_nag(self, nag: int) -> None:
        if not self._words:
            return
        self._diagram |= nag in (220, 221)
        if self._notation.plies_in_lines:
            self._words.append(f"; {sign_in_words(nag, self._pack)}")
        elif nag in GLYPHS and not self._glyphed:
            self._words[-1] += self._notation.glyph(nag)
        else:
            sign = self._notation.text(SIGNS.get(nag) or f"${nag}")
            self._words.append(self._notation.glyph(nag) if nag in GLYPHS else sign)
        self._glyphed = True

    def visit_comment(self, comment: str) -> None:
        text = normal(comment if self._times else COMMAND.sub(" ", comment))
        if not text:
            return
        inline = self._words and not self._notation.plies_in_lines
        if inline and _COMMANDS_ONLY.fullmatch(text):
            self._words += self._notation.text(text).split()
            return
        self._flush()
        if self._notation.plies_in_lines:
            self._resume()
            word = self._pack.sentence("book_comment")
            self._add(LineKind.COMMENT, f"{word}: {text}")
        else:
            dash = self._notation.text("–")
            self._add(LineKind.COMMENT, f"{self._label()}{dash} {self._notation.text(text)}")

    def visit_result(self, result: str) -> None:
        self._flush()
        if result in _RESULTS and result != "*":
            self._resume()
            self._add(LineKind.RESULT, self._notation.text(result))

    def _label(self) -> str:
        return f"{self._notation.text(f'{label(self._path)}:')} " if self._path else ""

    def _add(self, kind: LineKind, text: str) -> None:
        board = self._board if kind is LineKind.MOVES else None
        self._lines.append(BookLine(kind, text, len(self._path), board, self._diagram))
        self._diagram = False

    def _flush(self) -> None:
        words, self._words = self._words, []
        if not words:
            return
        if self._notation.plies_in_lines:
            self._resume()
            self._add(LineKind.MOVES, "".join(words))
        else:
            self._add(LineKind.MOVES, f"{self._label()}{' '.join(words)}")

    def _resume(self) -> None:
        """In words, tell to which variation the next lines belong."""
        if not self._notation.plies_in_lines or self._path == self._written_path:
            return
        self._written_path = self._path
        if self._path:
            name = ".".join(map(str, self._path))
            text = self._pack.sentence("book_variation", label=name)
        else:
            text = self._pack.sentence("book_main_line")
        self._lines.append(BookLine(LineKind.SECTION, f"{text}:", len(self._path)))

    def result(self) -> list[BookLine]:
        return self._lines


def _position(board: chess.Board, notation: Notation) -> Iterator[str]:
    """A position in lines: the pieces of each side, and the side to move."""
    pack = notation.pack
    if notation.plies_in_lines:
        yield look_at(pack, board, Command.POSITION, About())
    else:
        for color, side in ((chess.WHITE, "white"), (chess.BLACK, "black")):
            pieces = [
                _piece_letter(pack, kind) + chess.square_name(square)
                for kind in reversed(chess.PIECE_TYPES)
                for square in board.pieces(kind, color)
            ]
            yield f"{pack.sentence(side)}: {', '.join(pieces)}"
    side = pack.sentence("white" if board.turn == chess.WHITE else "black")
    yield pack.sentence("book_on_move", player=side)


def _piece_letter(pack: Language, kind: chess.PieceType) -> str:
    return "" if kind == chess.PAWN else pack.notation(chess.piece_symbol(kind).upper())


class LinesError(UserError):
    """A line that is not one of a game."""


def read_lines(lines: Sequence[str], notation: Notation) -> chess.pgn.Game:
    """The game of lines that :class:`LineWriter` has written, from its tags on.

    :raises LinesError: for a line that is none of a game; with the line in a sentence.
    """
    return _LineReader(notation).read(lines)


class _LineReader:
    def __init__(self, notation: Notation) -> None:
        self._notation, self._pack = notation, notation.pack
        self._builder = chess.pgn.GameBuilder()
        self._path: Path = ()
        self._boards: list[chess.Board] = []
        self._seen: set[Path] = set()
        self._commands: list[str] = []
        self._dash = notation.text("–")
        self._words = {self._pack.sentence(key): name for name, key in LABELLED.items()}
        self._results = {notation.text(result) for result in _RESULTS}

    def read(self, lines: Sequence[str]) -> chess.pgn.Game:
        moves = self._notation.text(self._pack.sentence("book_moves"))
        position = self._notation.text(self._pack.sentence("book_position"))
        if moves not in lines:
            raise LinesError("a line {word} is missing.", word=shown(self._notation.read(moves)))
        at = lines.index(moves)
        head = lines[: lines.index(position)] if position in lines[:at] else lines[:at]
        self._read_tags(head)
        for line in lines[at + 1 :]:
            if line.strip():
                (self._read_words if self._notation.plies_in_lines else self._read_line)(line)
        self._go_to(())
        self._builder.end_game()
        return self._builder.result()

    def _read_tags(self, lines: Iterable[str]) -> None:
        builder = self._builder
        builder.begin_game()
        builder.begin_headers()
        for line in lines:
            match = _TAG.fullmatch(self._notation.read(line))
            if match is None:
                raise LinesError(self._refused(line))
            name = match["name"]
            name = self._words.get(name) or name.removeprefix("[").removesuffix("]")
            try:
                builder.visit_header(name, match["value"] or "")
            except ValueError:  # PGN has no such tag
                raise LinesError(self._refused(line)) from None
        builder.end_headers()
        try:
            board = builder.game.board()
        except ValueError:
            raise LinesError("its position cannot be read; correct its tag FEN.") from None
        if type(board) is not chess.Board:
            raise LinesError(NO_CHESS)
        self._boards = [board]

    def _refused(self, line: str) -> str:
        return _("its line {line} cannot be read.", line=shown(self._notation.read(line)))

    def _go_to(self, path: Path) -> None:
        """End the variations that do not lead to ``path``, and begin it if it is new."""
        if path and path not in self._seen:
            self._go_to(path[:-1])
            if not self._boards[-1].move_stack:
                raise LinesError("a variation {label} begins nowhere.", label=label(path))
            self._builder.begin_variation()
            board = self._boards[-1].copy()
            board.pop()
            self._boards.append(board)
            self._seen.add(path)
            self._path = path
            return
        while self._path != path:
            if len(self._path) <= len(path):
                raise LinesError("a variation {label} begins nowhere.", label=label(path))
            self._builder.end_variation()
            self._boards.pop()
            self._path = self._path[:-1]

    # --- in notation

    def _read_line(self, line: str) -> None:
        words = line.split()
        match = _LABEL.fullmatch(self._notation.read(words[0]))
        self._go_to(_path(match["label"]) if match else ())
        words = words[1:] if match else words
        if words and words[0] == self._dash:
            self._builder.visit_comment(self._notation.read(" ".join(words[1:])))
            return
        if len(words) == 1 and words[0] in self._results:
            return
        while words:
            self._take(words, line)
        self._end_commands()

    def _end_commands(self) -> None:
        if self._commands:
            self._builder.visit_comment(" ".join(self._commands))
            self._commands = []

    def _take(self, words: list[str], line: str) -> None:
        """Take the next word of moves, or the words of a command."""
        word = words.pop(0)
        notation = self._notation
        if notation.is_number(word):
            if words and self._boards[-1].turn == chess.BLACK:
                before = notation.behind_number("", self._boards[-1])
                words[0] = words[0].removeprefix(before)
            return
        board = self._boards[-1]
        move, signs = self._move(word, board)
        if move is not None:
            self._end_commands()
            self._builder.visit_move(board, move)
            board.push(move)
            for sign in signs:
                self._builder.visit_nag(sign)
            return
        text = notation.read(word)
        nag = notation.glyphs.get(word) or _FROM_SIGNS.get(text)
        if nag or re.fullmatch(r"\$\d+", text):
            self._builder.visit_nag(nag or int(text[1:]))
            return
        if text.startswith("[%"):
            taken = [word]
            while words and not notation.read(" ".join(taken)).endswith("]"):
                taken.append(words.pop(0))
            self._commands.append(notation.read(" ".join(taken)))
            return
        raise LinesError(self._refused(line))

    def _move(self, word: str, board: chess.Board) -> tuple[chess.Move | None, list[int]]:
        """The move that a word is, and the signs directly behind it."""
        notation = self._notation
        bare = {word: list[int]()}
        for glyph, number in notation.glyphs.items():
            if word.endswith(glyph):
                bare[word.removesuffix(glyph)] = [number]
        named = sum(chess.BB_SQUARES[at] for at in chess.SQUARES if notation.squares[at] in word)
        moves = board.generate_legal_moves(to_mask=named), board.generate_castling_moves()
        for move in (*itertools.chain(*moves), chess.Move.null()):
            written = notation.move(board, move)
            if written in bare:
                return move, bare[written]
        return None, []

    # --- in words

    @cached_property
    def _ply(self) -> re.Pattern[str]:
        sides = "|".join(re.escape(self._pack.sentence(side)) for side in ("white", "black"))
        return re.compile(rf"\d+\. (?:{sides}): (?P<move>.+)")

    @cached_property
    def _place(self) -> re.Pattern[str]:
        name = re.escape(self._pack.sentence("book_variation", label="\0"))
        return re.compile(name.replace(re.escape("\0"), r"(?P<label>\d+(?:\.\d+)*)") + ":")

    def _read_words(self, line: str) -> None:
        comment = f"{self._pack.sentence('book_comment')}: "
        if line.startswith(comment):
            self._builder.visit_comment(line.removeprefix(comment))
        elif line == f"{self._pack.sentence('book_main_line')}:":
            self._go_to(())
        elif place := self._place.fullmatch(line):
            self._go_to(tuple(map(int, place["label"].split("."))))
        elif ply := self._ply.fullmatch(line):
            said, *signs = ply["move"].split("; ")
            board = self._boards[-1]
            move, _none = self._move(said, board)
            numbers = [_sign_of_words(sign, self._pack) for sign in signs]
            if move is None or None in numbers:
                raise LinesError(self._refused(line))
            self._builder.visit_move(board, move)
            board.push(move)
            for number in filter(None, numbers):
                self._builder.visit_nag(number)
        elif line not in self._results:
            raise LinesError(self._refused(line))
