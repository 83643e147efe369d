"""Positions as people publish them: FEN and EPD, each on a line, with moves to find or to avoid.

Books, sites and programs write both in their own ways: with the counters or without them, separated
by tabs, commas or semicolons, with signs behind moves, with castling rights of Chess960, or with
moves alone behind a position. What a line says beside position and moves is its name.
"""

import re
from collections.abc import Iterable, Iterator

import chess

from blindplay.given import shown
from blindplay.language.scoresheets.letters import SheetLetters, language_of
from blindplay.language.scoresheets.reading import Certainty, EntryReading, letters_of, read
from blindplay.translation import UserError, _

from .study import Puzzle, Study, Unread

_GAP = r"[\s,;|]+"
_NEXT = rf"(?={_GAP}|\"|$)"
_LINE = re.compile(
    r"(?:\d{1,6}[.):]?\s+)?\"?"
    r"(?P<placement>[1-8KQRBNPkqrbnp]{1,8}(?:/[1-8KQRBNPkqrbnp]{1,8}){7}/?)"
    rf"{_GAP}(?P<turn>w|b|white|black){_NEXT}"
    rf"(?:{_GAP}(?P<castling>-|[KQkqA-Ha-h]{{1,4}}){_NEXT})?"
    rf"(?:{_GAP}(?P<passant>-|[a-h][36]){_NEXT})?"
    rf"(?:{_GAP}(?P<counters>\d{{1,4}}(?:{_GAP}\d{{1,4}})?){_NEXT})?",
    re.IGNORECASE,
)
_OPERATION = re.compile(r"(?P<code>[A-Za-z]\w{0,14})\s+(?P<rest>\"[^\"]*\"?|[^;]*)(?:;|$)|;")
_SIGNS = re.compile(r"[!?…]+|[†‡]|\.\.+|\d+\.+(?=\D|$)")
_MOST_MOVES = 400
_LIKE_A_MOVE = re.compile(r"[a-h][1-8]|[0Oo]-[0Oo]")


def is_position(line: str) -> bool:
    """Return whether a line begins with a position."""
    return _LINE.match(line) is not None


def position(text: str) -> tuple[chess.Board, str]:
    """The position at the beginning of a text, and the rest of it.

    Castling rights that the position cannot have are left out, and so is a square of en passant
    that it cannot have.

    :raises ValueError: with the reason, if there is none or it cannot be played on.
    """
    match = _LINE.match(text)
    if match is None:
        raise UserError("this is not a position in FEN or EPD; correct it.")
    castling = match["castling"] or "-"
    counters = re.split(_GAP, match["counters"] or "0 1")
    fen = " ".join(
        (
            match["placement"].rstrip("/"),
            match["turn"][0].lower(),
            castling,
            (match["passant"] or "-").lower(),
            counters[0],
            (counters[1] if len(counters) > 1 else "1").lstrip("0") or "1",
        )
    )
    try:
        return _legal(fen, castling), text[match.end() :].lstrip(' \t,;|"')
    except ValueError:
        raise UserError("this position cannot be played on; correct it.") from None


def _legal(fen: str, castling: str) -> chess.Board:
    """:raises ValueError: if it is not a legal position."""
    by_file = bool(re.search("[A-Ha-h]", castling))
    board = chess.Board(fen, chess960=by_file)
    if board.status() & chess.STATUS_INVALID_EP_SQUARE:
        board.ep_square = None
    if board.status() == chess.STATUS_BAD_CASTLING_RIGHTS and not by_file:
        free = chess.Board(fen, chess960=True)  # Chess960 may write KQkq, too
        home = all(free.king(side) in (chess.E1, chess.E8) for side in chess.COLORS)
        if free.is_valid() and not home:
            board = free
    if board.status() == chess.STATUS_BAD_CASTLING_RIGHTS:
        board.castling_rights = board.clean_castling_rights()
    if not board.is_valid():
        raise ValueError(fen)
    return board


def puzzles_of_lines(lines: list[tuple[int, str]], name: str) -> Iterator[Study]:
    """Each line, given with its number, as a puzzle or as a sentence about why it is none."""
    for number, (at, line) in enumerate(lines, 1):
        try:
            yield puzzle_of_line(line)
        except ValueError as error:
            yield Unread(
                _(
                    "Position {number} in {name}, line {line}: {reason}",
                    number=number,
                    name=name,
                    line=at,
                    reason=str(error),
                )
            )


def puzzle_of_line(line: str) -> Puzzle:
    """The puzzle of a line in FEN or EPD.

    :raises ValueError: with the reason, if there is none.
    """
    board, rest = position(line)
    if board.is_game_over():
        raise UserError("this position has no legal move; name another one.")
    if board.fullmove_number > _MOST_MOVES:
        raise UserError("this position cannot be played on; correct it.")
    operations, said = _operations(rest)
    letters = sheet_of([word for key in ("bm", "am", "pv") for word in operations.get(key, [])])
    best, avoid = (
        tuple(written_move(word, board, letters) for word in operations.get(key, ()))
        for key in ("bm", "am")
    )
    known: list[chess.Move] = []
    after = board.copy()
    for word in operations.get("pv", ()):
        known.append(written_move(word, after, letters))
        after.push(known[-1])
    if said and not operations:
        known, rest_of_it = _line_of(said.split(), board)
        said = " ".join(rest_of_it) if known else said
    name = " ".join(operations.get("id", ())) or said
    return Puzzle(board, name.strip(' ;,"'), best or tuple(known[:1]), avoid, tuple(known))


def _operations(rest: str) -> tuple[dict[str, list[str]], str]:
    """The operations of an EPD that matter, as words, and the text that is none."""
    found: dict[str, list[str]] = {}
    at = 0
    while match := _OPERATION.match(rest, at):
        code = (match["code"] or "").casefold()
        if code in ("bm", "am", "pv"):
            found[code] = _words(match["rest"])
        elif code == "id":
            found[code] = match["rest"].strip().strip('"').split()
        elif code and not _IS_CODE.fullmatch(code):
            break
        at = match.end()
        while at < len(rest) and rest[at].isspace():
            at += 1
    return found, rest[at:].strip(' ;,"')


_IS_CODE = re.compile(
    "ac[dns]|bm|c[0-9]|ce|dm|draw_(accept|claim|offer|reject)|eco|fmvn|hmvc|nic|noop|pm|"
    "r[cs]|resign|sm|tc(gs|ri|si)|v[0-9]|d[0-9]{1,2}"
)
"""The operations of the standard (PGN, 16.2.5), and the numbers of nodes of a perft."""


def _words(moves: str) -> list[str]:
    """The moves of an operation, without their numbers and the signs behind them."""
    plain = (_SIGNS.sub("", word) for word in re.split(r"[\s,]+", moves))
    return [word for word in plain if word]


def sheet_of(words: Iterable[str]) -> SheetLetters:
    """The letters of the moves of one position. They mean what they mean in PGN, unless another
    language has more of them."""
    words = list(words)
    language, whole = language_of(letters_of([word]).written for word in words)
    return letters_of(words, language if language == "en" or not whole else "")


def written_move(word: str, board: chess.Board, letters: SheetLetters) -> chess.Move:
    """:raises ValueError: if no legal move is written, or several are."""
    found = read(word, board, letters)
    if any(map(letters.is_foreign, letters_of([word]).written)):
        found = EntryReading(word, Certainty.UNREADABLE)
    if found.certainty is Certainty.AMBIGUOUS:
        raise UserError("{word} can be several moves there; correct it.", word=shown(word))
    if found.move is None:
        raise UserError("{word} is not a move there; correct it.", word=shown(word))
    return found.move


def _line_of(words: list[str], board: chess.Board) -> tuple[list[chess.Move], list[str]]:
    """The moves with which the words behind a position begin, and the words behind them."""
    bare = [_SIGNS.sub("", word.strip(",;")) for word in words]
    letters, after = sheet_of(word for word in bare if word), board.copy()
    moves: list[chess.Move] = []
    for at, word in enumerate(bare):
        if not word:
            continue
        try:
            if not _LIKE_A_MOVE.search(word):
                return moves, words[at:]
            moves.append(written_move(word, after, letters))
        except ValueError:
            return moves, words[at:]
        after.push(moves[-1])
    return moves, []
