"""Material to study after a game: games in journals and PGN, and positions in PGN and EPD."""

import io
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

import chess
import chess.pgn
from chess.pgn import NAG_BLUNDER, NAG_MISTAKE

from blindplay.given import plain, plain_lines, read_bytes, shown
from blindplay.language.scoresheets.entries import entries
from blindplay.language.scoresheets.letters import in_english
from blindplay.language.scoresheets.reading import learned, letters_of, read
from blindplay.laws.sheet_comparison import compare
from blindplay.translation import _
from blindplay.wording.pack_words import PackWords

from .journal import JournalError, is_journal
from .score import pgn
from .writing import Scored

chess.pgn.LOGGER.setLevel(logging.CRITICAL)  # an error in a file is reported in one sentence
_MOST_BYTES = 20_000_000
_EPD = re.compile(r"[1-8KQRBNPkqrbnp/]{15,71} [wb] ")
_MOST_PLIES = 1200
_ASIDE = re.compile(r"\{[^}]*\}?|;[^\n]*|^[%\[][^\n]*", re.MULTILINE)
"""A comment, an escaped line or a tag of PGN."""
_VARIATION = re.compile(r"\([^()]*\)")
_BEFORE_MOVE = re.compile(r"[\d.…()!?+#]*")
"""The part of a word before a move: a number, or the signs behind another move."""
_RUNNING = re.compile(r"\s*(unterminated|in\s+progress|adjourned)\s*", re.IGNORECASE)
"""The tag Termination of unfinished games; servers write it differently."""
_ENDED = re.compile(
    r"\s*(abandoned|adjudication|death|emergency|normal|rules\s+infraction|time\s+forfeit)\s*",
    re.IGNORECASE,
)
"""Termination of games that have ended, though perhaps without a result (PGN standard, 9.8.1)."""


class StudyKind(Enum):
    """The use of a game in PGN."""

    GAME = "game"
    PUZZLE = "puzzle"


@dataclass(frozen=True)
class Puzzle:
    """A position to solve. ``best`` are the right moves; if there are none, any move that is not in
    ``avoid`` may be right. ``line``: the solution with the answers, if it is known."""

    board: chess.Board
    name: str = ""
    best: tuple[chess.Move, ...] = ()
    avoid: tuple[chess.Move, ...] = ()
    line: tuple[chess.Move, ...] = ()


@dataclass(frozen=True)
class StudiedGame:
    """A game that is over. ``whole`` is false if it ends before an illegal move that
    stands."""

    pgn: chess.pgn.Game
    whole: bool = True

    @property
    def moves(self) -> list[chess.Move]:
        """The moves that were played."""
        return list(self.pgn.mainline_moves())


@dataclass(frozen=True)
class Mark:
    """A mistake to mark in a game: its ply from 0, whether it is a blunder, the line that was
    better, and a comment on each."""

    ply: int
    blunder: bool
    comment: str
    better: Sequence[chess.Move] = field(default=())
    why: str = ""


def studies(path: Path, kind: StudyKind | None = None) -> list[StudiedGame | Puzzle]:
    """Return the games and positions in the file, in its order; at least one.

    A game in PGN that begins with a position of its own is a puzzle, unless it is Chess960, has the
    tag Mode, or ``kind`` says otherwise.

    :raises ValueError: if it is not a journal, PGN or EPD; if a game in it is not over or has a
        mistake.
    """
    name = plain(str(path))
    if is_journal(path):
        return [_of_journal(path)]
    data = read_bytes(path, _MOST_BYTES)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")  # the encoding of the PGN standard (1994, 3.2.1)
    text = plain_lines(text)
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    lines = [(number, line) for number, line in lines if line and not line.startswith("#")]
    read: list[StudiedGame | Puzzle]
    if lines and _EPD.match(lines[0][1]):
        read = [_of_epd(line, name, number) for number, line in lines]
    else:
        read = list(_of_pgn(text, name, kind))
    if not read:
        raise ValueError(
            _("{name} holds no game and no position; name a journal, a PGN or an EPD.", name=name)
        )
    return read


def _of_journal(path: Path) -> StudiedGame:
    try:
        scored = Scored.of(path)
    except JournalError as error:
        raise ValueError(str(error)) from None
    if not scored.game.over:
        raise ValueError(
            _("The game in {path} is not over; review it when it has ended.", path=path)
        )
    game = _parsed(pgn(scored.game, scored.reason))
    assert game is not None
    moves = len(list(game.mainline_moves()))
    if not moves:
        raise ValueError(_("The game in {path} has no moves; name another one.", path=path))
    return StudiedGame(game, moves == len(scored.game.history))


def _parsed(text: str) -> chess.pgn.Game | None:
    return chess.pgn.read_game(io.StringIO(text))


def _of_pgn(text: str, name: str, kind: StudyKind | None) -> Iterator[StudiedGame | Puzzle]:
    stream, number = io.StringIO(text), 1
    while True:
        begin = stream.tell()
        try:
            game = chess.pgn.read_game(stream)
            board = None if game is None else game.board()
        except (ValueError, RecursionError):
            raise ValueError(
                _("Game {number} in {name} cannot be read; correct it.", number=number, name=name)
            ) from None
        if game is None or board is None:
            return
        if game.variations or "FEN" in game.headers or game.errors:
            if (word := _unread(text[begin : stream.tell()])) is not None:
                game = _parsed(_in_english(text[begin : stream.tell()], board))
                if game is None or game.errors:
                    raise ValueError(
                        _(
                            "Game {number} in {name} holds {word}, which is no move in PGN; "
                            "write the pieces as K, Q, R, B and N.",
                            number=number,
                            name=name,
                            word=shown(word),
                        )
                    )
            yield _checked(game, board, name, number, kind)
            number += 1


def _in_english(text: str, start: chess.Board) -> str:
    """A game whose pieces have the letters of another language, with those of PGN; "" if it cannot
    be read whole."""
    line, before = _ASIDE.sub(" ", text), ""
    while line != before:
        line, before = _VARIATION.sub(" ", line), line
    written = dict(enumerate((entry.text for entry in entries(line)), 1))
    reader = PackWords().reader(written.values())
    comparison = compare(start, {"white": written, "black": {}}, {"white": reader, "black": reader})
    if comparison.stop is not None or len(comparison.moves) < len(written):
        return ""
    letters, board = frozenset[tuple[str, int]](), start.copy(stack=False)
    played = []
    for text_, move in zip(written.values(), comparison.moves, strict=True):
        played.append((text_, board.copy(stack=False), move))
        board.push(move)
    letters = learned(letters_of(written.values()), played)
    asides = iter([*_ASIDE.findall(text), ""])
    parts = _ASIDE.split(text)
    return "".join(in_english(part, letters) + next(asides) for part in parts)


def _unread(text: str) -> str | None:
    """Return the first word that the reader of PGN would read in part only: ``Sf3`` as ``f3``. None
    if there is no such word."""
    for word in _ASIDE.sub(" ", text).split():
        at = 0
        for part in chess.pgn.MOVETEXT_REGEX.finditer(word):
            if part[1] and not _BEFORE_MOVE.fullmatch(word, at, part.start()):
                return word
            at = part.end()
    return None


def _checked(
    game: chess.pgn.Game, board: chess.Board, name: str, number: int, kind: StudyKind | None
) -> StudiedGame | Puzzle:
    moves = list(game.mainline_moves())
    if game.errors:
        at = board.fullmove_number + (len(moves) + (board.turn == chess.BLACK)) // 2
        raise ValueError(
            _(
                "Game {number} in {name} has a mistake near its move {at}; correct it.",
                number=number,
                name=name,
                at=at,
            )
        )
    if type(board) is not chess.Board or not board.is_valid() or _is_endless(board, moves):
        raise ValueError(
            _(
                "Game {number} in {name} cannot be reviewed; name another one.",
                number=number,
                name=name,
            )
        )
    termination = game.headers.get("Termination", "")
    if _RUNNING.fullmatch(termination):
        raise ValueError(
            _(
                "Game {number} in {name} is not over; review it when it has ended.",
                number=number,
                name=name,
            )
        )
    played = board.chess960 or "Mode" in game.headers  # a game that was played has this tag
    own = not played and board.fen() != chess.STARTING_FEN
    if kind is StudyKind.PUZZLE or (kind is None and own):
        if board.is_game_over():
            raise ValueError(
                _(
                    "Game {number} in {name} has no legal move; name another position.",
                    number=number,
                    name=name,
                )
            )
        name = game.headers.get("Event", "").strip("?")
        return Puzzle(board, name, tuple(moves[:1]), line=tuple(moves))
    if not moves:
        raise ValueError(
            _("Game {number} in {name} has no moves; name another one.", number=number, name=name)
        )
    open_ = game.headers.get("Result") in ("*", "?", "") and not _ENDED.fullmatch(termination)
    if open_ and not game.end().board().is_game_over():
        raise ValueError(
            _(
                "Game {number} in {name} has no result, so it may not be over; review it "
                "when it has ended, and write its result.",
                number=number,
                name=name,
            )
        )
    return StudiedGame(game)


def _is_endless(board: chess.Board, moves: list[chess.Move]) -> bool:
    """Return whether there are more moves than a game has, or their numbers cannot be said."""
    return len(moves) > _MOST_PLIES or board.fullmove_number > _MOST_PLIES


def _of_epd(line: str, name: str, number: int) -> Puzzle:
    try:
        board, operations = chess.Board.from_epd(_MOVES.sub(_moves_in_english(line), line))
    except (ValueError, IndexError):
        raise ValueError(
            _("{name}, line {number}: this is not EPD; correct it.", name=name, number=number)
        ) from None
    if not board.is_valid() or board.is_game_over():
        raise ValueError(
            _(
                "{name}, line {number}: this position cannot be played on; correct it.",
                name=name,
                number=number,
            )
        )
    best, avoid, known = (_moves(operations.get(key)) for key in ("bm", "am", "pv"))
    return Puzzle(board, str(operations.get("id") or ""), best or known[:1], avoid, known)


_MOVES = re.compile(r"(?<=\b(?:bm|am|pv) )[^;]*")


def _moves_in_english(line: str) -> Callable[[re.Match[str]], str]:
    """Writes the moves of an EPD in English; those that cannot be read stay as they are."""
    words = [word for moves in _MOVES.findall(line) for word in moves.split()]
    letters = letters_of(words)
    start = chess.Board(" ".join(line.split()[:4]) + " 0 1")

    def written(match: re.Match[str]) -> str:
        board, told = start.copy(), []
        for word in match[0].split():
            move = read(word, board, letters).move
            told.append(word if move is None else board.san(move))
            if match.string[match.start() - 3 : match.start()] == "pv " and move is not None:
                board.push(move)
        return " ".join(told)

    return written


def _moves(value: object) -> tuple[chess.Move, ...]:
    return (
        tuple(move for move in value if isinstance(move, chess.Move))
        if isinstance(value, list)
        else ()
    )


def annotated(game: chess.pgn.Game, marks: Iterable[Mark], annotator: str) -> str:
    """The game in PGN with ``?`` or ``??`` at each mark, a comment, and the better line as a
    variation. The rest of the game stays."""
    text = str(game)
    game = _parsed(text) or game  # the given one stays as it is
    game.headers["Annotator"] = annotator
    nodes = list(game.mainline())
    for mark in marks:
        node = nodes[mark.ply]
        node.nags.add(NAG_BLUNDER if mark.blunder else NAG_MISTAKE)
        if mark.comment not in node.comment:
            node.comment = f"{node.comment} {mark.comment}".strip()
        before = node.parent
        if mark.better and not before.has_variation(mark.better[0]):
            before.add_variation(mark.better[0], comment=mark.why).add_line(mark.better[1:])
    return f"{game}\n"
