"""Material to study after a game: games in journals and PGN, and positions in PGN and EPD."""

from collections.abc import Callable, Iterable
from pathlib import Path

import chess.pgn
from chess.pgn import NAG_BLUNDER, NAG_MISTAKE

from blindplay.encodings import guess
from blindplay.given import GAMES, plain, read_bytes
from blindplay.translation import UserError

from .journal import JournalError, is_journal
from .positions import is_position, puzzles_of_lines
from .score import pgn
from .studied_pgn import parsed, studies_of_pgn
from .study import Mark, StudiedGame, Study, StudyKind, Unread
from .writing import Scored

_LOOKED_AT = 20  # lines that tell whether a file has positions or games


def studies(
    path: Path,
    kind: StudyKind | None = None,
    tell: Callable[[str], object] = lambda sentence: None,
) -> list[Study]:
    """Return the entries of the file, in its order; at least one game or position.

    A game in PGN that begins with a position of its own is a puzzle, unless it was played there (it
    has a tag or clocks that say so), or ``kind`` says otherwise. ``tell`` gets a sentence about
    letters that were guessed.

    :raises ValueError: if it is not a journal, PGN, FEN or EPD; if no entry of it can be studied,
        with the sentence of the first.
    """
    if is_journal(path):
        return [_of_journal(path)]
    return entries(path, lambda text, name: studies_of_pgn(text, name, kind), tell)


def entries(
    path: Path, read: Callable[[str, str], Iterable[Study]], tell: Callable[[str], object]
) -> list[Study]:
    """The entries of a file that is no journal: a puzzle for each line of FEN or EPD, or what
    ``read`` makes of another text and the name of the file. ``tell`` gets a sentence about letters
    that were guessed.

    :raises ValueError: if there is none, or none can be read, with the sentence of the first.
    """
    name = plain(str(path))
    found = guess(read_bytes(path, GAMES), name)
    lines = _lines_with_positions(found.text)
    every = list(puzzles_of_lines(lines, name) if lines else read(found.text, name))
    if not every:
        raise UserError(
            "{name} holds no game and no position; name a journal, a PGN or an EPD.", name=name
        )
    if isinstance(every[0], Unread) and all(isinstance(one, Unread) for one in every):
        raise ValueError(every[0].sentence)
    if found.guessed:
        tell(found.guessed)
    return every


def _lines_with_positions(text: str) -> list[tuple[int, str]]:
    """The lines of a text with their numbers, if it holds positions in FEN or EPD; else none."""
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    lines = [(number, line) for number, line in lines if line and not line.startswith("#")]
    first = [line for _number, line in lines[:_LOOKED_AT]]
    positions = any(map(is_position, first)) and not any(line.startswith("[") for line in first)
    return lines if positions else []


def _of_journal(path: Path) -> StudiedGame:
    try:
        scored = Scored.of(path)
    except JournalError as error:
        raise ValueError(str(error)) from None
    if not scored.game.over:
        raise UserError("The game in {path} is not over; review it when it has ended.", path=path)
    game = parsed(pgn(scored.game, scored.reason))
    assert game is not None
    moves = len(list(game.mainline_moves()))
    if not moves:
        raise UserError("The game in {path} has no moves; name another one.", path=path)
    return StudiedGame(game, moves == len(scored.game.history))


def annotated(game: chess.pgn.Game, marks: Iterable[Mark], annotator: str) -> str:
    """The game in PGN with ``?`` or ``??`` at each mark, a comment, and the better line as a
    variation. The rest of the game stays."""
    text = str(game)
    game = parsed(text) or game  # the given one stays as it is
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
