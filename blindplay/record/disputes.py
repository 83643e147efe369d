"""Two scoresheets and two boards as they lie on the table, and what the Laws say about them.

For an arbiter who is called to a game that the program has not watched: the sheets are files of
moves as people wrote them, the boards are what stands on them. Nothing is repaired silently; every
line cites the article it rests on.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import chess

from blindplay.language import Language
from blindplay.language.scoresheets.entries import Doubt, SheetEntry, entries
from blindplay.language.scoresheets.notation import is_gap
from blindplay.laws.deviation import Explanation, SlipKind, explain
from blindplay.laws.editions import load
from blindplay.laws.facts import SIDES
from blindplay.laws.placement import pieces_of
from blindplay.laws.rulings import CorrectingStep
from blindplay.laws.sheet_comparison import Comparison, compare, steps
from blindplay.wording.board_steps import UNKNOWN, named, plan, say_step
from blindplay.wording.moves import diagnosis, move_in_words, ply_in_words
from blindplay.wording.pack_words import PackWords

# On which rule the decision rests, by why the game ends before the sheets do.
_RULES = {
    None: "boards_differ",
    "parted": "boards_differ_sheets_differ",
    "illegal": "illegal",
    "gap": "displaced_found",
    "ambiguous": "displaced_found",
    "unfit": "displaced_found",
}
_OTHER = {"white": "black", "black": "white"}
_DOUBTED = frozenset(doubt.value for doubt in Doubt)
_MOST_ODD = 8  # squares that one slip can make differ, and a few more

CitedSentence = tuple[str, tuple[str, ...]]
"""A sentence and the articles that it rests on."""


@dataclass(frozen=True)
class BoardDecision:
    """One board: whether it is right, whose sheet it shows if the sheets part, why it stands as
    it does, and the steps that put it right."""

    placement: str
    right: bool
    shows: tuple[str, ...]
    explanations: tuple[Explanation, ...]
    steps: tuple[CorrectingStep, ...]


@dataclass(frozen=True)
class Reconciliation:
    """What is decided. ``lines`` are the sentences, each with its articles; ``spoken`` the same
    for a synthesiser, without what only the eye can read."""

    edition: str
    start: chess.Board
    comparison: Comparison
    articles: tuple[str, ...]
    boards: Mapping[str, BoardDecision]
    remarks: Sequence[Mapping[str, Any]]
    lines: Sequence[CitedSentence] = ()
    spoken: Sequence[str] = ()
    numbered_from: int = 1
    """The number that the sheets give to the first move."""
    alone: str | None = None
    """Whose sheet is the only one that holds a move."""
    from_board: Mapping[int, str] = field(default_factory=dict)
    """The plies that a board has decided, and whose."""
    boards_agree: bool = False
    """Both boards are given and show the same position: then D.2.9 corrects nothing."""

    def to_json(self) -> dict[str, Any]:
        """The object that docs/reconcile.md describes."""
        found = self.comparison
        return {
            "edition": self.edition,
            "start": self.start.fen(),
            "agree": found.stop is None and self.alone is None,
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
            "alone": self.alone,
            "inferred": list(found.inferred),
            "from_board": {str(ply): side for ply, side in self.from_board.items()},
            "open_from": found.open_from,
            "boards_agree": self.boards_agree,
            "article": list(self.articles),
            "boards": {
                side: {
                    "placement": board.placement,
                    "right": board.right,
                    "shows": list(board.shows),
                    "explanations": [
                        [slip.to_json() for slip in slips] for slips in board.explanations
                    ],
                    "steps": [step.to_json() for step in board.steps],
                }
                for side, board in self.boards.items()
            },
            "remarks": list(self.remarks),
            "words": [f"{words} ({', '.join(cited)})" for words, cited in self.lines],
            "spoken": list(self.spoken),
        }


def read_sheet(path: Path) -> list[SheetEntry]:
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
    sheets: Mapping[str, list[SheetEntry]],
    boards: Mapping[str, str],
    start: chess.Board,
    edition: str,
    pack: Language,
) -> Reconciliation:
    """What the Laws say: ``sheets`` by side, ``boards`` by side as checked placements (a side may
    be missing). Raises :class:`ValueError` where neither sheet holds a move."""
    if not any(entry.text for sheet in sheets.values() for entry in sheet):
        raise ValueError("Neither sheet holds a move; check the files.")
    placed = {side: _placed(sheet, start) for side, sheet in sheets.items()}
    sheets = {side: sheet for side, (sheet, _) in placed.items()}
    written = {
        side: {entry.ply: entry.text for entry in sheet if entry.text}
        for side, sheet in sheets.items()
    }
    words = PackWords(pack.code)
    readers = {side: words.reader(tuple(sheet.values())) for side, sheet in written.items()}
    found = compare(start, written, readers)
    found, from_board = _decided_by_boards(found, start, boards)
    cite = load(edition).cite
    articles = cite(_RULES[found.stop])
    own = {}
    if found.stop == "parted" and boards:  # then each sheet is a game of its own
        own = {
            side: compare(start, {"white": {}, "black": {}, side: sheet}, readers).moves
            for side, sheet in written.items()
        }
    same = len(boards) == 2 and len(set(boards.values())) == 1
    looked_at = {
        side: _look(side, placement, found, own, start, {*found.inferred, *from_board}, same)
        for side, placement in boards.items()
    }
    remarks = list(_remarks(sheets, found))
    decision = Reconciliation(
        edition, start, found, articles, looked_at, remarks,
        numbered_from=max(number for _, number in placed.values()),
        alone=_alone(written, found), from_board=from_board, boards_agree=same,
    )  # fmt: skip
    lines = list(_sentences(decision, written, pack, cite))
    spoken = [words for words, _ in _sentences(decision, written, pack, cite, as_written=False)]
    return dataclasses.replace(decision, lines=lines, spoken=spoken)


def _placed(sheet: list[SheetEntry], start: chess.Board) -> tuple[list[SheetEntry], int]:
    """The entries of one sheet by plies of the game, 1 for the first, and the number that the
    sheet gives to its first move: it goes on with the numbers of ``start``, or begins with one.

    Where Black begins, the first entry is his, whether or not something stands for White's move.
    """
    counted = 2 * (start.fullmove_number - 1)
    goes_on = min((entry.ply for entry in sheet), default=0) > counted
    before = counted if goes_on else 0
    number = start.fullmove_number if goes_on else 1
    placed = [dataclasses.replace(entry, ply=entry.ply - before) for entry in sheet]
    if not start.turn and placed:
        first = placed[0]
        if first.ply == 1 and is_gap(first.text):
            placed = placed[1:]
        elif first.ply == 1 and any(entry.ply == 2 for entry in placed):
            return placed, number  # counted in pairs that Black begins
        elif first.ply == 1:
            placed[0] = dataclasses.replace(first, ply=2)
        placed = [dataclasses.replace(entry, ply=entry.ply - 1) for entry in placed]
    return placed, number


def _alone(written: Mapping[str, Mapping[int, str]], found: Comparison) -> str | None:
    """Whose sheet holds moves where the other one holds none that can be read."""
    nothing = {(side, ply) for side, ply, entry in found.odd if not entry.legible}
    holding = [
        side for side, sheet in written.items() if any((side, ply) not in nothing for ply in sheet)
    ]
    return holding[0] if len(holding) == 1 else None


def _decided_by_boards(
    found: Comparison, start: chess.Board, boards: Mapping[str, str]
) -> tuple[Comparison, Mapping[int, str]]:
    """Where the sheets leave several games open, a board may show which of them it was; with
    the plies that it decides, and whose board it is. The other board must not speak for another
    of them."""
    if len(found.lines) < 2:
        return found, {}
    shown: dict[tuple[chess.Move, ...], str] = {}
    placements = set()
    for line in found.lines:
        holes = pieces_of(_after(start, line))
        for side, placement in boards.items():
            if named(placement, holes) == holes:
                shown.setdefault(line, side)
                placements.add(tuple(sorted(holes.items())))
    if len(placements) != 1:
        return found, {}
    line, owner = next(iter(shown.items()))
    others = [other for other in found.lines if other not in shown]
    for side, placement in boards.items():
        if side != owner and _speaks_for_another(placement, line, others, start):
            return found, {}
    parted = {
        ply for ply, moves in enumerate(zip(*found.lines, strict=True), 1) if len(set(moves)) > 1
    }
    decided = dataclasses.replace(
        found, moves=line, position=_after(start, line), stop=None, ply=len(line) + 1, entries={},
        lines=(line,), open_from=found.ply if len(shown) > 1 else None,
    )  # fmt: skip
    return decided, dict.fromkeys(sorted(parted), owner)


def _after(start: chess.Board, moves: Sequence[chess.Move]) -> chess.Board:
    position = start.copy(stack=False)
    for move in moves:
        position.push(move)
    return position


def _speaks_for_another(
    placement: str,
    line: tuple[chess.Move, ...],
    others: Sequence[tuple[chess.Move, ...]],
    start: chess.Board,
) -> bool:
    """Whether a board can be explained at least as well by another game than ``line``."""

    def slips(game: tuple[chess.Move, ...], open_: set[int]) -> int:
        """The fewest slips that explain the board and leave the plies in ``open_`` alone."""
        goal = pieces_of(_after(start, game))
        shown = named(placement, goal)
        odd = sum(goal.get(at) != shown.get(at) for at in goal.keys() | shown.keys())
        if odd > _MOST_ODD:
            return _MOST_ODD
        return min(
            (
                len(told)
                for told in explain(start, game, shown, named=UNKNOWN not in placement)
                if not any(
                    slip.ply in open_
                    or (slip.what is SlipKind.BEHIND and slip.ply <= min(open_, default=0))
                    for slip in told
                    if slip.ply is not None
                )
            ),
            default=_MOST_ODD,
        )

    mine = slips(line, set())
    if mine == 0:
        return False
    for other in others:
        parted = {
            ply for ply, (one, two) in enumerate(zip(line, other, strict=True), 1) if one != two
        }
        theirs = slips(other, parted)
        if theirs < _MOST_ODD and theirs <= mine:
            return True
    return False


def _look(
    side: str,
    placement: str,
    found: Comparison,
    own: Mapping[str, tuple[chess.Move, ...]],
    start: chess.Board,
    not_written: Collection[int],
    same: bool,
) -> BoardDecision:
    """What is to be said of one board. ``not_written``: plies of the game that no sheet tells.
    ``same``: the other board shows the same."""
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
    elif not right and found.stop is None and found.open_from is None:
        # Where the game is not known to its end, nothing tells what was done instead of it.
        explanations = explain(start, found.moves, shown, named=with_names)
        if any(slip.ply in not_written for slips in explanations for slip in slips):
            explanations = ()  # it would be told as written what is not
    todo = () if same and found.stop != "illegal" else steps(shown, goal)
    return BoardDecision(placement, right, shows, explanations, todo)


def _remarks(sheets: Mapping[str, list[SheetEntry]], found: Comparison) -> Iterator[dict[str, Any]]:
    """What is odd about the entries up to where the sheets part: how sure the reading is, what
    it was taken for, and what was struck through."""
    odd = {(side, ply): entry for side, ply, entry in found.odd}
    entries_ = sorted((entry.ply, side, entry) for side, sheet in sheets.items() for entry in sheet)
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
    decision: Reconciliation,
    written: Mapping[str, Mapping[int, str]],
    pack: Language,
    cite: Callable[[str], tuple[str, ...]],
    *,
    as_written: bool = True,
) -> Iterator[CitedSentence]:
    """The decision in sentences. ``as_written``: entries are shown as well as said."""
    found, articles = decision.comparison, decision.articles
    mover = "white" if decision.start.turn else "black"
    before = decision.numbered_from - 1
    recording, arbiter = cite("recording"), cite("arbiter_sets_clocks")
    same = decision.boards_agree
    unwritten = same and found.stop is None and not all(b.right for b in decision.boards.values())
    # D.2.9 is for boards that show different positions.
    told_under = recording if unwritten or (same and found.stop == "parted") else articles

    def player(side: str) -> str:
        return pack.sentence(side)

    def place(ply: int) -> dict[str, str]:
        return ply_in_words(ply, mover, pack, before)

    def wording(position: chess.Board, move: chess.Move) -> str:
        return move_in_words(position, move, pack, decision.edition)

    def wrote(side: str) -> CitedSentence:
        entry = found.entries[side]
        if not entry.legible:
            return pack.sentence("scoresheet_lacks", player=player(side)), told_under
        told = [wording(found.position, move) for move in entry.moves]
        if not told and not as_written:
            impossible = pack.sentence("scoresheet_illegal", owner=player(side), **place(found.ply))
            return impossible, told_under
        shown = f"({entry.text})" if as_written else ""
        move = f"{pack.either(told) if told else ''} {shown}".strip()
        return pack.sentence("scoresheet_wrote", player=player(side), move=move), told_under

    if decision.alone is not None:
        owner, empty = player(decision.alone), player(_OTHER[decision.alone])
        yield pack.sentence("scoresheet_empty", player=empty, owner=owner), recording
    if found.stop is None:
        if decision.alone is None:
            yield pack.sentence("scoresheets_agree"), told_under
    elif found.stop == "parted":
        yield pack.sentence("scoresheets_differ", number=place(found.ply)["number"]), told_under
        for side in found.entries:
            yield wrote(side)
    else:
        holding = [side for side, entry in found.entries.items() if entry.certainty == "illegal"]
        if found.stop == "illegal" and len(holding) == 1:
            told = pack.sentence("scoresheet_illegal", owner=player(holding[0]), **place(found.ply))
            yield told, articles
            for side, entry in found.entries.items():
                if as_written or side not in holding or entry.moves:
                    yield wrote(side)
        else:
            yield pack.sentence(f"scoresheets_{found.stop}", **place(found.ply)), articles
    yield from _readings(decision, pack, place, wording, recording)
    last = len(found.moves) + (found.stop is not None)
    for side in SIDES:
        if last > max(written[side], default=0):
            yield pack.sentence("must_record", player=player(side)), recording
    for side, ply, certainty in found.unclear:
        why = "illegal_entry" if certainty == "illegal" else "illegible_entry"
        yield pack.sentence(why, owner=player(side), **place(ply)), recording
    if found.stop is not None:
        if same and found.stop != "illegal":
            pass  # whether anything is taken back is the arbiter's
        elif found.moves:
            yield pack.sentence("take_back", **place(len(found.moves))), articles
        else:
            yield pack.sentence("take_back_all"), articles
    if same and (unwritten or found.stop not in (None, "illegal")):
        yield pack.sentence("boards_same"), cite("boards_differ")
        if unwritten:
            yield pack.sentence("boards_not_written"), cite("record_before_next_move")
    if found.stop is not None or unwritten:
        yield pack.sentence("arbiter_needed", why="").strip(), arbiter
    for side, board in decision.boards.items():
        if board.right:
            yield pack.sentence("board_right", player=player(side)), articles
            continue
        for of in board.shows:
            yield pack.sentence("board_shows", player=player(side), owner=player(of)), told_under
        if board.explanations and board.explanations != ((),):
            told = diagnosis(board.explanations, side, mover, pack, before)
            yield told, told_under
        elif not board.shows and not same and found.stop in (None, "parted"):
            yield pack.sentence("slip_none", player=player(side)), articles
        if not board.steps:
            continue
        yield pack.sentence("correct_board", player=player(side)), articles
        goal = pieces_of(found.position)
        for step in plan(named(board.placement, goal), goal):
            yield say_step(step, pack), articles


def _readings(
    decision: Reconciliation,
    pack: Language,
    place: Callable[[int], dict[str, str]],
    wording: Callable[[chess.Board, chess.Move], str],
    recording: tuple[str, ...],
) -> Iterator[CitedSentence]:
    """What entries were taken for where that is not certain, and which moves no entry tells."""
    found = decision.comparison
    odd = {(side, ply): entry for side, ply, entry in found.odd}
    doubted = {
        (told["sheet"], told["ply"]) for told in decision.remarks if _DOUBTED & {*told["remarks"]}
    }
    position = decision.start.copy(stack=False)
    for ply, move in enumerate(found.moves, 1):
        words = wording(position, move)
        for side in SIDES:
            entry = odd.get((side, ply))
            values = {"owner": pack.sentence(side), **place(ply)}
            if (side, ply) in doubted:
                yield pack.sentence("entry_misnumbered", **values), recording
            if entry is None or move not in entry.moves:
                continue
            if entry.certainty == "likely":
                yield pack.sentence("entry_taken", move=words, **values), recording
            elif entry.certainty == "ambiguous":
                yield pack.sentence("entry_settled", move=words, **values), recording
        if ply in decision.from_board:
            owner = pack.sentence(decision.from_board[ply])
            told = pack.sentence("move_from_board", owner=owner, move=words, **place(ply))
            yield told, recording
        elif ply in found.inferred:
            yield pack.sentence("move_inferred", move=words, **place(ply)), recording
        position.push(move)
    if found.open_from is not None:
        yield pack.sentence("move_order_open", **place(found.open_from)), recording
