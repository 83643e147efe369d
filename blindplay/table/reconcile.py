"""Two scoresheets and two boards as they lie on the table, and what the Laws say about them.

For an arbiter who is called to a game that the program has not watched: the sheets are files of
moves as people wrote them, the boards are what stands on them. Nothing is repaired silently; every
line cites the article it rests on.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess

from blindplay.language import Language
from blindplay.language.entries import Entry, entries
from blindplay.laws.deviation import Explanation, explain
from blindplay.laws.editions import load
from blindplay.laws.facts import SIDES
from blindplay.laws.placement import pieces_of
from blindplay.laws.reconcile import Comparison, compare, steps

from .setup_guide import UNKNOWN, named, plan, say_step
from .words import PackWords, diagnosis, move_in_words, ply_in_words

# On which rule the decision rests, by why the game ends before the sheets do.
_RULES = {
    None: "boards_differ",
    "parted": "boards_differ_sheets_differ",
    "illegal": "illegal",
    "gap": "displaced_found",
    "ambiguous": "displaced_found",
    "unfit": "displaced_found",
}


Line = tuple[str, tuple[str, ...]]
"""A sentence and the articles that it rests on."""


@dataclass(frozen=True)
class BoardDecision:
    """One board: whether it is right, whose sheet it shows if the sheets part, why it stands as
    it does, and the steps that put it right."""

    placement: str
    right: bool
    shows: tuple[str, ...]
    explanations: tuple[Explanation, ...]
    steps: list[dict[str, str]]


@dataclass(frozen=True)
class Decision:
    """What is decided. ``lines`` are the sentences, each with its articles."""

    edition: str
    start: chess.Board
    comparison: Comparison
    articles: tuple[str, ...]
    boards: Mapping[str, BoardDecision]
    remarks: Sequence[Mapping[str, Any]]
    lines: Sequence[Line] = ()

    def to_json(self) -> dict[str, Any]:
        """The object that docs/reconcile.md describes."""
        found = self.comparison
        return {
            "edition": self.edition,
            "start": self.start.fen(),
            "agree": found.stop is None,
            "stop": found.stop,
            "ply": None if found.stop is None else found.ply,
            "written": {
                side: {
                    "text": entry.text,
                    "certainty": entry.certainty,
                    "moves": [move.uci() for move in entry.moves],
                }
                for side, entry in found.entries.items()
            },
            "moves": [move.uci() for move in found.moves],
            "position": found.position.fen(),
            "article": list(self.articles),
            "boards": {
                side: {
                    "placement": board.placement,
                    "right": board.right,
                    "shows": list(board.shows),
                    "explanations": [
                        [slip.to_json() for slip in slips] for slips in board.explanations
                    ],
                    "steps": board.steps,
                }
                for side, board in self.boards.items()
            },
            "remarks": list(self.remarks),
            "words": [f"{words} ({', '.join(cited)})" for words, cited in self.lines],
        }


def read_sheet(path: Path) -> list[Entry]:
    """The entries of a sheet in a file; ``.brf`` is one for a Braille embosser. Raises
    :class:`ValueError` with a sentence for what cannot be read."""
    if not path.is_file():
        raise ValueError(f"There is no file {path}; check the name.")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}).") from None
    if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError(f"{path} is no text; give a file with the moves as they were written.")
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")  # as older programs write it
    return entries(text, brf=path.suffix.lower() == ".brf")


def check_board(placement: str, option: str) -> str:
    """A placement as FEN's first field, ``?`` for a piece that nobody has named; the rest of a FEN
    is left out. Raises :class:`ValueError` with a sentence that names ``option``."""
    first = placement.split()[0] if placement.split() else ""
    try:
        chess.BaseBoard(first.replace(UNKNOWN, "P"))
    except ValueError:
        raise ValueError(
            f"{option} {placement!r} is no placement in FEN; write the ranks from 8 to 1, such as "
            "4k3/8/8/8/8/8/8/4K3."
        ) from None
    return first


def decide(
    sheets: Mapping[str, list[Entry]],
    boards: Mapping[str, str],
    start: chess.Board,
    edition: str,
    pack: Language,
) -> Decision:
    """What the Laws say: ``sheets`` by side, ``boards`` by side as checked placements (a side may
    be missing). Raises :class:`ValueError` where neither sheet holds a move."""
    if not any(entry.text for sheet in sheets.values() for entry in sheet):
        raise ValueError("Neither sheet holds a move; check the files.")
    first = _first_ply(sheets, start)
    written = {
        side: {entry.ply - first: entry.text for entry in sheet if entry.ply > first and entry.text}
        for side, sheet in sheets.items()
    }
    words = PackWords(pack.code)
    readers = {side: words.reader(tuple(sheet.values())) for side, sheet in written.items()}
    found = compare(start, written, readers)
    found = _decided_by_boards(found, start, boards)
    cite = load(edition).cite
    articles = cite(_RULES[found.stop])
    own = {}
    if found.stop == "parted" and boards:  # then each sheet is a game of its own
        own = {
            side: compare(start, {"white": {}, "black": {}, side: sheet}, readers).moves
            for side, sheet in written.items()
        }
    looked_at = {
        side: _look(side, placement, found, own, start) for side, placement in boards.items()
    }
    remarks = list(_remarks(sheets, first, found))
    decision = Decision(edition, start, found, articles, looked_at, remarks)
    return dataclasses.replace(decision, lines=list(_sentences(decision, written, pack, cite)))


def _first_ply(sheets: Mapping[str, list[Entry]], start: chess.Board) -> int:
    """The number of the ply before the first one, as the sheets count: they go on with the
    numbers of the position they begin with, or begin with one."""
    black = 0 if start.turn else 1
    counted = 2 * (start.fullmove_number - 1) + black
    plies = [entry.ply for sheet in sheets.values() for entry in sheet]
    return counted if min(plies) > counted else black


def _decided_by_boards(
    found: Comparison, start: chess.Board, boards: Mapping[str, str]
) -> Comparison:
    """Where the sheets leave several games open, a board may show which of them it was."""
    if len(found.lines) < 2 or found.stop == "parted":
        return found
    shown = []
    for line in found.lines:
        position = start.copy(stack=False)
        for move in line:
            position.push(move)
        holes = pieces_of(position)
        if any(named(placement, holes) == holes for placement in boards.values()):
            shown.append((line, position))
    if len(shown) != 1:
        return found
    ((line, position),) = shown
    return Comparison(
        line, position, None, len(line) + 1, {}, (line,), None, found.odd, found.against
    )


def _look(
    side: str,
    placement: str,
    found: Comparison,
    own: Mapping[str, tuple[chess.Move, ...]],
    start: chess.Board,
) -> BoardDecision:
    goal = pieces_of(found.position)
    shown = named(placement, goal)
    right = shown == goal
    with_names = UNKNOWN not in placement
    explanations: tuple[Explanation, ...] = ()
    shows: tuple[str, ...] = ()
    if found.stop == "parted":
        # Whose game does it show? If nobody's, what happened is told from its owner's sheet.
        shows = tuple(
            of for of in SIDES if explain(start, own[of], shown, named=with_names) == ((),)
        )
        if not shows and not right:
            explanations = explain(start, own[side], shown, named=with_names)
    elif not right:
        explanations = explain(start, found.moves, shown, named=with_names)
    return BoardDecision(placement, right, shows, explanations, steps(shown, goal))


def _remarks(
    sheets: Mapping[str, list[Entry]], first: int, found: Comparison
) -> Iterator[dict[str, Any]]:
    """What is odd about the entries up to where the sheets part: how sure the reading is, what
    it was taken for, and what was struck through."""
    odd = {(side, ply): entry for side, ply, entry in found.odd}
    entries_ = sorted(
        (entry.ply - first, side, entry) for side, sheet in sheets.items() for entry in sheet
    )
    for ply, side, entry in entries_:
        reading = odd.get((side, ply))
        if 0 < ply <= found.ply and (reading or entry.doubts or entry.struck):
            yield {
                "sheet": side,
                "ply": ply,
                "text": entry.text,
                "certainty": reading.certainty if reading else "sure",
                "moves": [move.uci() for move in reading.moves] if reading else [],
                "remarks": [
                    *(reading.odd if reading else ()),
                    *(doubt.value for doubt in entry.doubts),
                ],
                "struck": list(entry.struck),
            }


def _sentences(
    decision: Decision,
    written: Mapping[str, Mapping[int, str]],
    pack: Language,
    cite: Callable[[str], tuple[str, ...]],
) -> Iterator[Line]:
    found, articles = decision.comparison, decision.articles
    mover = "white" if decision.start.turn else "black"

    def player(side: str) -> str:
        return pack.sentence(side)

    def place(ply: int) -> dict[str, str]:
        return ply_in_words(ply, mover, pack)

    if found.stop is None:
        yield pack.sentence("scoresheets_agree"), articles
    elif found.stop == "parted":
        yield pack.sentence("scoresheets_differ", number=place(found.ply)["number"]), articles
        for side, entry in found.entries.items():
            told = [
                move_in_words(found.position, move, pack, decision.edition) for move in entry.moves
            ]
            move = f"{pack.either(told) if told else ''} ({entry.text})".strip()
            yield pack.sentence("scoresheet_wrote", player=player(side), move=move), articles
    else:
        yield pack.sentence(f"scoresheets_{found.stop}", **place(found.ply)), articles
    last = len(found.moves) + (found.stop is not None)
    for side in SIDES:
        if last > max(written[side], default=0):
            yield pack.sentence("must_record", player=player(side)), cite("recording")
    for side, ply, certainty in found.unclear:
        why = "illegal_entry" if certainty == "illegal" else "illegible_entry"
        yield pack.sentence(why, owner=player(side), **place(ply)), cite("recording")
    if found.stop is not None:
        if found.moves:
            yield pack.sentence("take_back", **place(len(found.moves))), articles
        else:
            yield pack.sentence("take_back_all"), articles
        yield pack.sentence("arbiter_needed", why="").strip(), cite("arbiter_sets_clocks")
    for side, board in decision.boards.items():
        if board.right:
            yield pack.sentence("board_right", player=player(side)), articles
            continue
        for of in board.shows:
            yield pack.sentence("board_shows", player=player(side), owner=player(of)), articles
        if board.explanations and board.explanations != ((),):
            yield diagnosis(board.explanations, side, mover, pack), articles
        elif not board.shows:
            yield pack.sentence("slip_none", player=player(side)), articles
        yield pack.sentence("correct_board", player=player(side)), articles
        goal = pieces_of(found.position)
        for step in plan(named(board.placement, goal), goal):
            yield say_step(step, pack), articles
