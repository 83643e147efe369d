"""The games and puzzles of a file in PGN, each read for itself.

Programs write more than the standard has: the letters of other languages, signs of other countries,
moves that were illegal and stood. A game is taken as far as it can be read; what cannot be studied
is named, and the next game is read.
"""

import datetime
import io
import logging
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import chess
import chess.pgn

from blindplay.given import shown
from blindplay.language.scoresheets.entries import entries
from blindplay.language.scoresheets.letters import (
    BRITISH_BRAILLE,
    FIGURINES,
    LANGUAGES,
    Letters,
    SheetLetters,
    in_english,
    language_of,
    table,
)
from blindplay.language.scoresheets.reading import learned, letters_of
from blindplay.laws.sheet_comparison import compare
from blindplay.translation import UserError, _, join_texts
from blindplay.wording.names import spoken_name
from blindplay.wording.pack_words import PackWords

from .annotated import NO_CHESS
from .ongoing import looks_played, may_be_ongoing, says_ongoing
from .positions import position
from .study import Puzzle, StudiedGame, Study, StudyKind, Unread, is_analysis

chess.pgn.LOGGER.setLevel(logging.CRITICAL)  # an error in a file is reported in one sentence
_MOST_PLIES = 1200
_ASIDE = re.compile(r"\{[^}]*\}?|;[^\n]*|^[%\[][^\n]*", re.MULTILINE)
"""A comment, an escaped line or a tag of PGN."""
_VARIATION = re.compile(r"\([^()]*\)")
_PART = re.compile(r"[^\s()]+")
_BEFORE_MOVE = re.compile(r"[\d.…()!?+#]*")
"""The part of a word before a move: a number, or the signs behind another move."""
_OTHER_RESULTS = (
    (re.compile(r"(?<![\w-])1\s?[:–]\s?0(?![\w-])"), "1-0"),
    (re.compile(r"(?<![\w-])0\s?[:–]\s?1(?![\w-])"), "0-1"),
    (re.compile(r"(?<![\w/½-])(?:½|1/2)\s?[-:–]\s?(?:½|1/2)(?![\w/½-])"), "1/2-1/2"),
)
_OTHER_SIGNS = (
    (re.compile(r"(?<=[a-h1-8A-ZÀ-Я♔-♙]):(?=[a-h][1-8])"), "x"),
    (re.compile(r"(?<=[a-h][1-8]):(?=[\s+#!?]|$)"), ""),
    (re.compile(r"(?<=[a-h][1-8])\s?e\.\s?p\.?|(?<=[a-h][1-8])ep\b"), ""),
    (re.compile(r"(?<=[a-h1-8])[††]"), "+"),
    (re.compile(r"(?<=[a-h1-8])[‡≠]|(?<=[a-h1-8])\s?\bmat[te]*\b"), "#"),
)
"""Signs of captures, checks and results of other countries, and those of PGN."""
_FIGURINES = str.maketrans({**dict(zip("♚♛♜♝♞", FIGURINES, strict=False)), "♟": "", "♙": ""})
_NO_MOVES = _("it has no moves; name another one.")
_NO_MOVE = "Ka1-h8"
"""Stands for a move that cannot be read: a king cannot make this one."""
_UNPARTED = re.compile(r'^(?!\s*$|\[).*\n(?=\[[A-Z]\w* ")', re.MULTILINE)
"""The last line of a game before the tags of the next, without a blank line between them."""
_APART = re.compile(r'^(\[[A-Z]\w* "[^\n]*\][ \t]*\n)(?:[ \t]*\n){2,}(?!\[)', re.MULTILINE)
"""The last tag of a game, and more than one blank line before its moves."""
_UNCLOSED = re.compile(r'\{[^{}]*?(?=\n[ \t\r]*\n\[Event ")')
"""A comment that would go on into the next game, because its brace is missing."""
_OPENING_BRACKET = re.compile(r"\s*\(([^()]*)")
_PLACED = re.compile(r'(?<=^\[FEN ")([^"]*)', re.MULTILINE)


class _LineBuilder(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Builds a game. Where a move cannot be played, the rest of its line becomes a comment. A null
    move may stand in a variation only, or anywhere in an analysis of BlindPlay's.

    ``stopped`` is that move in the main line, ``aside`` the first one in a variation. ``unread``
    are the words in whose places :data:`_NO_MOVE` stands.
    """

    def __init__(self, unread: Iterable[str] = ()) -> None:
        super().__init__()
        self.stopped = self.aside = ""
        self._unread = iter(unread)
        self._move = chess.Move.null()
        self._depth = 0
        """That of the line of which the rest is left out; 0: of none."""
        self._rest: list[str] = []

    def begin_parse_san(self, board: chess.Board, san: str) -> chess.pgn.SkipType | None:
        if not self._depth:
            try:
                self._move = board.parse_san(san)
                may_pass = len(self.variation_stack) > 1 or is_analysis(self.game)
                if self._move or (may_pass and not board.is_check()):
                    return None
            except ValueError:
                pass
            self._depth = len(self.variation_stack)
        san = next(self._unread, san) if san == _NO_MOVE else san
        if self._depth == 1:
            self.stopped = self.stopped or san
        else:
            self.aside = self.aside or san
        self._rest.append(san)
        return chess.pgn.SKIP

    def end_variation(self) -> None:
        if len(self.variation_stack) == self._depth:
            self._leave()
        super().end_variation()

    def parse_san(self, board: chess.Board, san: str) -> chess.Move:
        return self._move

    def visit_comment(self, comment: str) -> None:
        if self._depth:
            self._rest.append(f"({comment.strip()})")
        else:
            super().visit_comment(comment)

    def visit_nag(self, nag: int) -> None:
        if not self._depth:
            super().visit_nag(nag)

    def visit_result(self, result: str) -> None:
        if self.game.headers.get("Result", "*") in ("*", "?", ""):
            self.game.headers["Result"] = result

    def end_game(self) -> None:
        if self._depth:
            self._leave()
        super().end_game()

    def _leave(self) -> None:
        node = self.variation_stack[-1]
        rest = f"An illegal move stands; moves from here: {', '.join(self._rest)}"
        node.comment = f"{node.comment} {rest}".strip()
        self._depth, self._rest = 0, []


@dataclass(frozen=True)
class _Read:
    """A game as far as it could be read. ``stopped``: the word of the main line at which reading
    ended; ``aside``: that of a variation."""

    game: chess.pgn.Game
    board: chess.Board
    stopped: str = ""
    aside: str = ""


def parsed(text: str) -> chess.pgn.Game | None:
    """The first game of a text in PGN."""
    return chess.pgn.read_game(io.StringIO(text))


def studies_of_pgn(text: str, name: str, kind: StudyKind | None) -> Iterator[Study]:
    """Each game in PGN as a game, a puzzle, or a sentence about why it is neither."""

    def is_study(game: chess.pgn.Game, _written: str) -> bool:
        return bool(game.variations) or "FEN" in game.headers

    counted = _is_game if kind is StudyKind.ANALYSIS else is_study
    return _each(text, name, counted, lambda read, place: _study(read, place, kind))


def games_of_pgn(text: str, name: str) -> Iterator[StudiedGame | Unread]:
    """Each game in PGN, over or not, with moves or without them, or a sentence about why it cannot
    be read."""

    return _each(text, name, _is_game, _any_game)


def _is_game(game: chess.pgn.Game, written: str) -> bool:
    known = any(game.headers[tag] != _NOTHING.get(tag) for tag in game.headers)
    has_tags = written.lstrip().startswith("[")  # JSON, too, is a comment to the reader
    return bool(game.variations or known or (game.comment and has_tags))


_NOTHING = chess.pgn.Headers()
_One = TypeVar("_One", bound=Study)


def _each(
    text: str,
    name: str,
    is_one: Callable[[chess.pgn.Game, str], bool],
    make: Callable[["_Read", str], _One],
) -> Iterator[_One | Unread]:
    """Each game in PGN for which ``is_one`` holds, a question about it and its text, as ``make``
    makes it; and those without moves, so that all count."""
    text = _UNCLOSED.sub("\\g<0>}", _UNPARTED.sub("\\g<0>\n", text))
    text = _APART.sub(r"\1\n", text)
    text = _PLACED.sub(_mended, text)
    stream, number = io.StringIO(text), 1
    letters: list[Letters] = []  # of earlier games: most files have those of one language
    while True:
        begin = stream.tell()
        try:
            builder = _LineBuilder()
            game = _read_into(builder, stream)
        except (ValueError, RecursionError):
            game = chess.pgn.Game()
            game.errors.append(ValueError())
            _skip(stream)
        if game is None:
            return
        whole = text[begin : stream.tell()]
        if is_one(game, whole) or game.errors or builder.stopped:
            place = _place(game.headers, name, number)
            try:
                yield make(_whole(whole, letters), place)
            except (ValueError, RecursionError) as error:
                reason = str(error)
                if isinstance(error, RecursionError) or not reason.endswith("."):
                    reason = _("it cannot be read; correct it.")
                yield Unread(join_texts(": ", (place, reason)), f"{whole.strip()}\n")
            number += 1
        elif _is_game(game, whole):
            reason = join_texts(": ", (_place(game.headers, name, number), _NO_MOVES))
            yield Unread(reason, f"{whole.strip()}\n", nothing=True)
            number += 1


def _any_game(read: "_Read", place: str) -> StudiedGame:
    """:raises ValueError: with the reason, if nothing of it can be read."""
    game, board, moves = read.game, read.board, list(read.game.mainline_moves())
    if type(board) is not chess.Board:
        raise ValueError(NO_CHESS)
    return StudiedGame(game, not read.stopped, _remark(read, place, _at(board, moves)))


def as_far_as_read(text: str) -> tuple[chess.pgn.Game, chess.Board, str]:
    """The game of a text as far as it can be read, the position that it begins with, and the word
    at which reading ended, or an empty text.

    :raises ValueError: with the reason, if no move of it can be read.
    """
    read = _whole(_PLACED.sub(_mended, text), [])
    return read.game, read.board, read.stopped


def _mended(match: re.Match[str]) -> str:
    """The position of a tag FEN as chess.pgn reads it, if it is written in another way."""
    try:
        chess.Board(match[0])
    except ValueError:
        try:
            return position(match[0])[0].fen()
        except ValueError:
            pass
    return match[0]


def _skip(stream: io.StringIO) -> None:
    """Go to the next line that may begin a game."""
    while line := stream.readline():
        if line.startswith("[Event "):
            stream.seek(stream.tell() - len(line))
            return


def _place(headers: chess.pgn.Headers, name: str, number: int) -> str:
    """A game's number in its file, and its players, if it names them."""
    names = [spoken_name(headers.get(side, "").strip()) for side in ("White", "Black")]
    if not all(one.strip("?. ") for one in names):
        return _("Game {number} in {name}", number=number, name=name)
    return _(
        "Game {number} in {name}, {white} against {black}",
        number=number,
        name=name,
        white=names[0],
        black=names[1],
    )


def _whole(text: str, letters: list[Letters]) -> _Read:
    """A game in whatever letters. ``letters`` are those of earlier games, the last ones first.

    :raises ValueError: with the reason, if no move of it can be read.
    """
    _check_beginning(text)
    read = _built(text)
    if _unread(text) is None and not read.stopped:
        return read
    text = _outside_asides(text, _with_signs_of_pgn)
    first = _unread(text)
    if first is not None:
        text = _in_english(text, read.board, letters)
    unread: list[str] = []

    def without(word: re.Match[str]) -> str:
        if not _is_read_in_part(word[0]):
            return word[0]
        unread.append(word[0])
        return _NO_MOVE

    read = _built(_outside_asides(text, lambda part: _PART.sub(without, part)), unread)
    if first is not None and not read.game.variations:
        raise UserError(
            "it holds {word}, which is no move in PGN; write the pieces as K, Q, R, B and N.",
            word=shown(first),
        )
    return read


def _check_beginning(text: str) -> None:
    """The reader of PGN takes a variation before the first move for moves of the game.

    :raises ValueError: if there is one.
    """
    begin = _OPENING_BRACKET.match(_ASIDE.sub(" ", text))
    if begin and any(part[1] for part in chess.pgn.MOVETEXT_REGEX.finditer(begin[1])):
        raise UserError(
            "a variation stands before its first move; write it behind that move, in brackets."
        )


def _read_into(builder: _LineBuilder, stream: io.StringIO) -> chess.pgn.Game | None:
    """The next game of a stream; ``builder`` keeps what could not be played."""
    return chess.pgn.read_game(stream, Visitor=lambda: builder)


def _built(text: str, unread: Iterable[str] = ()) -> _Read:
    builder = _LineBuilder(unread)
    game = _read_into(builder, io.StringIO(text)) or chess.pgn.Game()
    try:
        board = game.board()
    except ValueError:
        raise UserError("its position cannot be read; correct its tag FEN.") from None
    return _Read(game, board, builder.stopped, builder.aside)


def _outside_asides(text: str, change: Callable[[str], str]) -> str:
    """``text`` with its moves changed; comments and tags stay."""
    asides = iter([*_ASIDE.findall(text), ""])
    return "".join(change(part) + next(asides) for part in _ASIDE.split(text))


def _with_signs_of_pgn(part: str) -> str:
    for sign, ours in (*_OTHER_SIGNS, *_OTHER_RESULTS):
        part = sign.sub(ours, part)
    return part.translate(_FIGURINES)


def _in_english(text: str, start: chess.Board, known: list[Letters]) -> str:
    """A game whose pieces have the letters of another language, with those of PGN; "" if its moves
    do not tell what the letters stand for. ``known`` letters are those of earlier games; new ones
    are put first.

    The letters of one game are those of one language. Where most words have those of PGN, the
    others are slips: they stay as they are, and nothing is guessed."""
    line, before = _ASIDE.sub(" ", text), ""
    while line != before:
        line, before = _VARIATION.sub(" ", line), line
    written = dict(enumerate((entry.text for entry in entries(line)), 1))
    words = {at: letters_of([word]).written for at, word in written.items()}
    language, whole = language_of(words.values())
    if not whole:
        if language == "en":
            return text
        slip = next(at for at, own in words.items() if not own <= table(language).keys())
        written = {at: word for at, word in written.items() if at < slip}
    sheet = letters_of(written.values())
    for letters in (*known, *_of_languages(sheet)) if whole else ():
        english = _with_letters(text, letters)
        if letters in known and _unread(english) is None:
            return english
        if _is_whole(english) and _is_only_one(text, letters, sheet):
            known.insert(0, letters)
            return english
    reader = PackWords().reader(written.values())
    comparison = compare(start, {"white": written, "black": {}}, {"white": reader, "black": reader})
    board, played = start.copy(stack=False), []
    for text_, move in zip(written.values(), comparison.moves, strict=False):
        played.append((text_, board.copy(stack=False), move))
        board.push(move)
    found = learned(sheet, played)
    if sheet.weight(found):
        return ""
    return _with_letters(text, found)


def _with_letters(text: str, letters: Letters) -> str:
    return _outside_asides(text, lambda part: in_english(part, letters))


def _of_languages(sheet: SheetLetters) -> list[Letters]:
    """What the letters of a game stand for in each language that has all of them."""
    found = dict[Letters, None]()
    for language in LANGUAGES:
        pieces = table(language)
        if language != BRITISH_BRAILLE and sheet.written <= pieces.keys():
            letters = [(letter, one) for letter in sheet.written for one in pieces[letter]]
            if len(letters) == len(sheet.written):
                found[frozenset(letters)] = None
    return list(found)


def _is_whole(text: str) -> bool:
    return _unread(text) is None and not _built(text).stopped


def _is_only_one(text: str, letters: Letters, sheet: SheetLetters) -> bool:
    """Return whether the game cannot be read whole in the letters of another language."""
    return not any(
        _is_whole(_with_letters(text, other)) for other in _of_languages(sheet) if other != letters
    )


def _unread(text: str) -> str | None:
    """Return the first word that the reader of PGN would read in part only: ``Sf3`` as ``f3``. None
    if there is no such word."""
    return next(filter(_is_read_in_part, _PART.findall(_ASIDE.sub(" ", text))), None)


def _is_read_in_part(word: str) -> bool:
    at = 0
    for part in chess.pgn.MOVETEXT_REGEX.finditer(word):
        if part[1] and not _BEFORE_MOVE.fullmatch(word, at, part.start()):
            return True
        at = part.end()
    return False


def _study(read: _Read, place: str, kind: StudyKind | None) -> StudiedGame | Puzzle:
    """:raises ValueError: with the reason, if it cannot be studied."""
    game, board, moves = read.game, read.board, list(read.game.mainline_moves())
    if type(board) is not chess.Board or not board.is_valid() or _is_endless(board, moves):
        raise UserError("it cannot be reviewed; name another one.")
    own = board.fen() != chess.STARTING_FEN and not _was_played(game, board)
    if kind is StudyKind.ANALYSIS:
        _check_over(game, as_puzzle=True)
        return StudiedGame(game, not read.stopped, _remark(read, place, _at(board, moves)))
    puzzle = kind is StudyKind.PUZZLE or (kind is None and own)
    try:
        _check(read, moves, puzzle=puzzle)
    except ValueError as error:
        if puzzle and kind is None:
            hint = _("If it was played, add --as game.")
            raise ValueError(join_texts(" ", (error, hint))) from None
        raise
    if puzzle:
        name = game.headers.get("Event", "").strip("?")
        return Puzzle(board, name, tuple(moves[:1]), line=tuple(moves))
    return StudiedGame(game, not read.stopped, _remark(read, place, _at(board, moves)))


def _check(read: _Read, moves: list[chess.Move], *, puzzle: bool) -> None:
    """:raises ValueError: with the reason, if the game cannot be studied in this way."""
    board, at = read.board, _at(read.board, moves)
    _check_over(read.game, as_puzzle=puzzle)
    if puzzle and board.is_game_over():
        raise UserError("it has no legal move; name another position.")
    if read.stopped and (puzzle or not moves):
        raise UserError(
            "its move {at}, {word}, cannot be played; correct it.", at=at, word=shown(read.stopped)
        )
    if not puzzle and not moves:
        raise ValueError(_NO_MOVES)


def _check_over(game: chess.pgn.Game, *, as_puzzle: bool) -> None:
    """:raises ValueError: with the reason, if the game may still be played (11.3.1)."""
    if says_ongoing(game):
        raise UserError("it is not over; review it when it has ended.")
    if may_be_ongoing(game, as_puzzle=as_puzzle, today=datetime.date.today()):
        raise UserError(
            "it has no result, so it may not be over; review it when it has ended, and write "
            "its result."
        )


def _at(board: chess.Board, moves: list[chess.Move]) -> int:
    """The number of the move after ``moves``."""
    return board.fullmove_number + (len(moves) + (board.turn == chess.BLACK)) // 2


def _remark(read: _Read, place: str, at: int) -> str:
    if read.stopped:
        word = shown(read.stopped)
        return _(
            "{place}: its move {at}, {word}, cannot be played; it is read up to there.",
            place=place,
            at=at,
            word=word,
        )
    if read.aside:
        word = shown(read.aside)
        return _(
            "{place}: a variation is left out from {word} on, which cannot be played.",
            place=place,
            word=word,
        )
    return ""


def _was_played(game: chess.pgn.Game, board: chess.Board) -> bool:
    """Return whether a game that begins with a position of its own was played there."""
    headers = game.headers
    return bool(
        board.chess960
        or "Mode" in headers
        or headers.get("Variant", "").casefold() == "from position"
        or headers.get("Termination", "").strip(" ?-")
        or looks_played(game)
    )


def _is_endless(board: chess.Board, moves: list[chess.Move]) -> bool:
    """Return whether there are more moves than a game has, or their numbers cannot be said."""
    return len(moves) > _MOST_PLIES or board.fullmove_number > _MOST_PLIES
