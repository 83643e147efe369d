"""The game on paper: PGN, and each scoresheet as its owner wrote it."""

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import chess
import chess.pgn

from blindplay.given import plain, shown
from blindplay.language import Language
from blindplay.laws.facts import SIDES
from blindplay.laws.game import Game
from blindplay.wording.values import write_time

_BROKEN = "The journal cannot be read to its end: moves after this may be missing."
_TAG = re.compile(r"\w{1,255}", re.ASCII)
_DATE = re.compile(r"(\d{4})[-.](\d\d)[-.](\d\d)", re.ASCII)
# PGN's words for how a game ended (standard of 1994, 9.8.1), by the Laws' reason.
_TERMINATIONS = {
    "flag": "time forfeit",
    "illegal_moves": "rules infraction",
    "declared": "adjudication",
    "forfeit": "adjudication",
}


@dataclass(frozen=True)
class ScoredPly:
    """One ply of one player's scoresheet.

    ``ply`` counts from the first move of this game; ``number`` and ``side`` are those of the move
    on paper. ``text`` is the entry as it was written, None for a gap; ``struck`` are earlier
    entries that were struck through, oldest first. ``offered``: a draw was offered with this move,
    so both players write (=) (9.1.2.2).
    """

    ply: int
    number: int
    side: str
    text: str | None
    struck: tuple[str, ...] = ()
    offered: bool = False


# Most entries of a sheet are as before.
_scored = functools.lru_cache(maxsize=1 << 13)(ScoredPly)


def entry_place(game: Game, ply: int) -> tuple[int, str]:
    """The move's number on paper, and the side of ``ply``: games may begin at any move."""
    first = game.start_board
    at = ply - 1 + (first.turn == chess.BLACK)
    return first.fullmove_number + at // 2, SIDES[at % 2]


def ply_at(game: Game, number: int, side: str) -> int:
    """The ply of ``side`` in move ``number``; less than 1 before the first move."""
    first = game.start_board
    at = 2 * (number - first.fullmove_number) + SIDES.index(side)
    return at + 1 - (first.turn == chess.BLACK)


def ply_of(game: Game, number: int) -> int:
    """The ply with which move ``number`` begins; 1 for a number before the first move."""
    return max(1, ply_at(game, number, "white"))


def sheet(game: Game, side: str) -> list[ScoredPly]:
    """The scoresheet of ``side`` up to its last entry, gaps included."""
    struck: dict[int, list[str]] = {}
    for owner, ply, text in game.struck:
        if owner == side:
            struck.setdefault(ply, []).append(text)
    written = game.sheets[side]
    offers = {max(ply, 1) for ply, _ in game.offered_at}
    return [
        _scored(
            ply,
            *entry_place(game, ply),
            written.get(ply),
            tuple(struck.get(ply, ())),
            ply in offers,
        )
        for ply in range(1, max((*written, *struck), default=0) + 1)
    ]


def tags(game: Game, reason: str = "") -> dict[str, str]:
    """The PGN tags in the standard's order (8.1.1). ``reason``: the reason in the ruling
    game_over."""
    setup = game.setup
    assert setup is not None
    # Both players may lose (11.8), but PGN has no such result.
    result = game.result if game.result in ("1-0", "0-1", "1/2-1/2") else "*"
    date = _DATE.fullmatch(setup.date)
    values = {
        "Event": setup.event,
        "Site": setup.site,
        "Date": ".".join(date.groups()) if date else "????.??.??",
        "Round": setup.round,
        "White": setup.white.name,
        "Black": setup.black.name,
        "Result": result,
        "TimeControl": setup.time_control,
        "Mode": "ICS" if game.served else "OTB",
        "Rules": setup.edition,
        "Termination": _TERMINATIONS.get(reason, "normal") if game.over else "unterminated",
    }
    # An empty value, or one with a line break, makes a file that no program can read.
    return {name: " ".join(value.split()) or "?" for name, value in values.items()}


def pgn(
    game: Game, reason: str = "", more: Mapping[str, str] | None = None, *, broken: bool = False
) -> str:
    """The game in PGN. Comments hold the time left after each move, if there is a clock, and
    ``(=)`` for an offer of a draw (9.1.2.2).

    ``reason``: that of the ruling game_over; ``more``: tags that are added or replaced;
    ``broken``: the journal cannot be read to its end, and a comment after the last move says so.

    :raises ValueError: for a tag that PGN cannot hold.
    """
    known = tags(game, reason).items()
    out = chess.pgn.Game(headers={name: _escaped(value) for name, value in known})
    if game.start_board.chess960 or game.start_board.fen() != chess.STARTING_FEN:
        out.setup(game.start_board)
        # chess.pgn omits the standard position, but a reader of chess960 needs it for castling.
        out.headers["SetUp"], out.headers["FEN"] = "1", game.start_board.fen()
    for name, value in (more or {}).items():
        if not _TAG.fullmatch(name):
            raise ValueError(f"{shown(name)} is not a tag of PGN; use letters and digits only.")
        out.headers[name] = _escaped(" ".join(plain(value).split()) or "?")
    out.comment = _offers(game, 0)
    node: chess.pgn.GameNode = out
    for number, ply in enumerate(game.history, 1):
        if ply.illegal:
            rest = f"An illegal move stands; moves from here: {', '.join(_tail(game, number))}"
            node.comment = f"{node.comment} {rest}".strip()
            break
        node = node.add_variation(ply.move)
        clock = f"[%clk {write_time(ply.clock.left[ply.side], hours=True)}]" if game.clock else ""
        node.comment = f"{_offers(game, number)} {clock}".strip()
    if game.result == "0-0":  # ongoing.py knows a game that is over by these sentences
        node.comment = f"{node.comment} Both players have lost: 0-0".strip()
    elif game.result in ("1/2-0", "0-1/2"):
        node.comment = f"{node.comment} The result is {game.result}".strip()
    if broken:
        node.comment = f"{node.comment} {_BROKEN}".strip()
    return str(out)


def _escaped(value: str) -> str:
    """The value of a tag, with a backslash before each quotation mark and backslash (standard of
    1994, 7)."""
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _offers(game: Game, number: int) -> str:
    """The marks of the offers at ply ``number``, with the name of a side that did not play it."""
    mover = game.history[number - 1].side if number else ""
    return " ".join(
        "(=)" if by == mover else f"(=) by {by.capitalize()}"
        for ply, by in game.offered_at
        if ply == number
    )


def _tail(game: Game, first: int) -> Iterator[str]:
    """The moves from ply ``first`` on, as text: PGN cannot hold an illegal move."""
    for number, ply in enumerate(game.history[first - 1 :], first):
        clock = write_time(ply.clock.left[ply.side], hours=True) if game.clock else ""
        yield " ".join(filter(None, (ply.move.uci(), clock, _offers(game, number))))


@dataclass(frozen=True)
class Labels:
    """The words around the moves, in the reader's language. ``{entry}`` is the struck entry."""

    move: str = "Move"
    white: str = "White"
    black: str = "Black"
    signatures: str = "Signatures"
    nothing: str = "(nothing)"
    struck: str = "struck through: {entry}"
    between: str = " … "
    """Between White's move and Black's."""
    absent: str = "…"
    """In place of White's first move, if Black began."""


ENGLISH = Labels()


def labels_of(pack: Language) -> Labels:
    """The words of a language beside the entries."""
    return Labels(
        move=pack.sentence("sheet_move"),
        white=pack.sentence("white"),
        black=pack.sentence("black"),
        signatures=pack.sentence("sheet_signatures"),
        nothing=f"({pack.sentence('sheet_nothing')})",
        struck=pack.sentence("sheet_struck", entry="{entry}"),
    )


SheetRow = tuple[int, ScoredPly | None, ScoredPly | None]
"""A line of a scoresheet: the move's number, White's entry and Black's."""


def moves(entries: Iterable[ScoredPly]) -> list[SheetRow]:
    """The lines of a scoresheet."""
    rows: list[SheetRow] = []
    for entry in entries:
        if entry.side == "black" and rows:
            rows[-1] = (entry.number, rows[-1][1], entry)
        else:
            white = entry.side == "white"
            rows.append((entry.number, entry if white else None, None if white else entry))
    return rows


def written(entry: ScoredPly, labels: Labels = ENGLISH) -> str:
    """The valid entry at a ply, with the mark of an offer even if the writer did not set it."""
    text = labels.nothing if entry.text is None else entry.text
    return f"{text} (=)" if entry.offered and "(=)" not in text else text


def _whole(entry: ScoredPly, labels: Labels) -> str:
    struck = (f" ({labels.struck.format(entry=text)})" for text in entry.struck)
    return written(entry, labels) + "".join(struck)


def by_move(entries: Iterable[ScoredPly], labels: Labels = ENGLISH) -> Iterator[str]:
    """A scoresheet in lines, one a move: ``1. e4 … e5 (struck through: e6)``."""
    for number, white, black in moves(entries):
        line = f"{number}. {_whole(white, labels) if white else labels.absent}"
        if black:
            line += (labels.between if white else " ") + _whole(black, labels)
        yield line


def by_ply(entries: Iterable[ScoredPly], labels: Labels = ENGLISH) -> Iterator[str]:
    """A scoresheet in lines, one a ply: ``1. Black: e5 (struck through: e6)``."""
    for entry in entries:
        player = labels.white if entry.side == "white" else labels.black
        yield f"{entry.number}. {player}: {_whole(entry, labels)}"


def scoresheet(game: Game, side: str, labels: Labels = ENGLISH) -> str:
    """One player's scoresheet as they wrote it, in lines for a screen reader or a Braille display;
    see :func:`by_move`."""
    return "\n".join(by_move(sheet(game, side), labels)) or labels.nothing
