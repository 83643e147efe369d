"""Decisions under the Laws about two scoresheets and two boards that may differ.

This is for an arbiter who is called to a game that the program has not watched. The sheets are
files of moves as the players wrote them; the boards are positions. Nothing is corrected silently,
and every sentence cites the article on which it rests.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import chess

from blindplay.language import Language
from blindplay.language.scoresheets.entries import Doubt, SheetEntry, entries
from blindplay.language.scoresheets.notation import is_gap
from blindplay.laws.deviation import UNKNOWN, Explanation, SlipKind, explain
from blindplay.laws.editions import load
from blindplay.laws.facts import SIDES
from blindplay.laws.placement import pieces_of
from blindplay.laws.rulings import CorrectingStep
from blindplay.laws.sheet_comparison import Comparison, compare, steps
from blindplay.laws.state import OTHER
from blindplay.wording.board_steps import named, plan, say_step
from blindplay.wording.moves import diagnosis, move_in_words, ply_in_words
from blindplay.wording.pack_words import PackWords

# The rule on which the decision rests, by the reason why the common game ends.
_RULES = {
    None: "boards_differ",
    "parted": "boards_differ_sheets_differ",
    "illegal": "illegal",
    "gap": "displaced_found",
    "ambiguous": "displaced_found",
    "unfit": "displaced_found",
}
_DOUBTED = frozenset(doubt.value for doubt in Doubt)
_MOST_DIFFERENT = 8  # squares: more than one slip can change

CitedSentence = tuple[str, tuple[str, ...]]
"""A sentence and the articles that it rests on."""


@dataclass(frozen=True)
class BoardDecision:
    """One board. ``right``: it shows the position of the game; ``shows``: the sides whose sheet it
    shows, if the sheets part; ``explanations`` of its position; ``steps`` that correct it."""

    placement: str
    right: bool
    shows: tuple[str, ...]
    explanations: tuple[Explanation, ...]
    steps: tuple[CorrectingStep, ...]


@dataclass(frozen=True)
class Reconciliation:
    """The decision. ``lines`` are the sentences, each with its articles; ``spoken`` are the same
    for a synthesiser, without the entries that only the eye can read."""

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
    """The side whose sheet is the only one that holds a move."""
    from_board: Mapping[int, str] = field(default_factory=dict)
    """The plies that a board has decided, with the side of the board."""
    boards_agree: bool = False
    """Both boards are given and show the same position, so D.2.9 corrects nothing."""

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
    """The entries of a sheet in a file; a ``.brf`` file is for a Braille embosser.

    :raises ValueError: if it cannot be read.
    """
    if not path.is_file():
        raise ValueError(f"There is no file {path}; check the name.")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}).") from None
    if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError(f"{path} is not a text file; give one that holds the moves as written.")
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")  # the encoding of older programs
    return entries(text, brf=path.suffix.lower() == ".brf")


def check_board(placement: str, option: str) -> str:
    """The first field of a FEN, in which ``?`` is an unnamed piece.

    :raises ValueError: if it is not a placement; the message names ``option``.
    """
    first = placement.split()[0] if placement.split() else ""
    try:
        chess.BaseBoard(first.replace(UNKNOWN, "P"))
    except ValueError:
        raise ValueError(
            f"{option} {placement!r} is not a placement in FEN; write the ranks from 8 to 1, such "
            "as 4k3/8/8/8/8/8/8/4K3."
        ) from None
    return first


def decide(
    sheets: Mapping[str, list[SheetEntry]],
    boards: Mapping[str, str],
    start: chess.Board,
    edition: str,
    pack: Language,
) -> Reconciliation:
    """The decision under the Laws. ``sheets`` and ``boards`` are by side; a board is a placement
    from :func:`check_board`, and either board may be missing.

    :raises ValueError: if neither sheet holds a move.
    """
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
    if found.stop == "parted" and boards:  # each sheet is a game of its own
        own = {
            side: compare(start, {"white": {}, "black": {}, side: sheet}, readers).moves
            for side, sheet in written.items()
        }
    same = len(boards) == 2 and len(set(boards.values())) == 1
    examined = {
        side: _examine(side, placement, found, own, start, {*found.inferred, *from_board}, same)
        for side, placement in boards.items()
    }
    remarks = list(_remarks(sheets, found))
    decision = Reconciliation(
        edition, start, found, articles, examined, remarks,
        numbered_from=max(number for _, number in placed.values()),
        alone=_alone(written, found), from_board=from_board, boards_agree=same,
    )  # fmt: skip
    lines = list(_DecisionWords(decision, written, pack, cite).sentences())
    heard = _DecisionWords(decision, written, pack, cite, as_written=False).sentences()
    spoken = [words for words, _ in heard]
    return dataclasses.replace(decision, lines=lines, spoken=spoken)


def _placed(sheet: list[SheetEntry], start: chess.Board) -> tuple[list[SheetEntry], int]:
    """The entries of one sheet by plies of the game, from 1, and the number of its first move. A
    sheet continues the numbers of ``start``, or begins with 1.

    If Black begins, the first entry is Black's, with or without a mark for White's move.
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
            return placed, number  # each pair begins with Black
        elif first.ply == 1:
            placed[0] = dataclasses.replace(first, ply=2)
        placed = [dataclasses.replace(entry, ply=entry.ply - 1) for entry in placed]
    return placed, number


def _alone(written: Mapping[str, Mapping[int, str]], found: Comparison) -> str | None:
    """The side whose sheet holds moves, if no entry of the other sheet can be read."""
    nothing = {(side, ply) for side, ply, entry in found.odd if not entry.legible}
    holding = [
        side for side, sheet in written.items() if any((side, ply) not in nothing for ply in sheet)
    ]
    return holding[0] if len(holding) == 1 else None


def _decided_by_boards(
    found: Comparison, start: chess.Board, boards: Mapping[str, str]
) -> tuple[Comparison, Mapping[int, str]]:
    """The comparison after a board has decided between several possible games, with the plies that
    it decides and its side. The other board must not speak for another of these games."""
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
    """Whether another game than ``line`` explains a board at least as well."""

    def slips(game: tuple[chess.Move, ...], open_: set[int]) -> int:
        """The smallest number of slips, none of them in the plies ``open_``, that explain the
        board."""
        goal = pieces_of(_after(start, game))
        shown = named(placement, goal)
        odd = sum(goal.get(at) != shown.get(at) for at in goal.keys() | shown.keys())
        if odd > _MOST_DIFFERENT:
            return _MOST_DIFFERENT
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
            default=_MOST_DIFFERENT,
        )

    mine = slips(line, set())
    if mine == 0:
        return False
    for other in others:
        parted = {
            ply for ply, (one, two) in enumerate(zip(line, other, strict=True), 1) if one != two
        }
        theirs = slips(other, parted)
        if theirs < _MOST_DIFFERENT and theirs <= mine:
            return True
    return False


def _examine(
    side: str,
    placement: str,
    found: Comparison,
    own: Mapping[str, tuple[chess.Move, ...]],
    start: chess.Board,
    not_written: Collection[int],
    same: bool,
) -> BoardDecision:
    """The decision about one board. ``not_written``: plies of the game that no sheet holds.
    ``same``: the other board shows the same position."""
    goal = pieces_of(found.position)
    shown = named(placement, goal)
    right = shown == goal
    with_names = UNKNOWN not in placement
    explanations: tuple[Explanation, ...] = ()
    shows: tuple[str, ...] = ()
    if found.stop == "parted":
        # If it shows neither sheet's game, explain it from the sheet of its owner.
        shows = tuple(
            of for of in SIDES if explain(start, own[of], shown, named=with_names) == ((),)
        )
        if not shows and not right:
            explanations = explain(start, own[side], shown, named=with_names)
    elif not right and found.stop is None and found.open_from is None:
        # If the end of the game is unknown, no explanation can be relied on.
        explanations = explain(start, found.moves, shown, named=with_names)
        if any(slip.ply in not_written for slips in explanations for slip in slips):
            explanations = ()  # a sentence would name as written a move that is not
    todo = () if same and found.stop != "illegal" else steps(shown, goal)
    return BoardDecision(placement, right, shows, explanations, todo)


def _remarks(sheets: Mapping[str, list[SheetEntry]], found: Comparison) -> Iterator[dict[str, Any]]:
    """The uncertain, doubtful and struck entries up to the ply where the sheets part."""
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


@dataclass(frozen=True)
class _DecisionWords:
    """Puts a decision into sentences, each with its articles.

    ``written`` are the entries by side and ply. ``as_written``: the sentences also show entries
    that only the eye can read.
    """

    decision: Reconciliation
    written: Mapping[str, Mapping[int, str]]
    pack: Language
    cite: Callable[[str], tuple[str, ...]]
    as_written: bool = True

    def sentences(self) -> Iterator[CitedSentence]:
        """All sentences, in the order in which they are read aloud."""
        yield from self._sheets()
        yield from self._readings()
        yield from self._missing_entries()
        yield from self._position()
        for side, board in self.decision.boards.items():
            yield from self._board(side, board)

    @cached_property
    def recording(self) -> tuple[str, ...]:
        return self.cite("recording")

    @cached_property
    def lacks_last_moves(self) -> bool:
        """Both boards show the same position, and it is beyond what the sheets hold."""
        decision = self.decision
        right = all(board.right for board in decision.boards.values())
        return decision.boards_agree and decision.comparison.stop is None and not right

    @cached_property
    def articles(self) -> tuple[str, ...]:
        """The articles for statements about the sheets. D.2.9 is for boards that show different
        positions."""
        parted = self.decision.comparison.stop == "parted"
        if self.lacks_last_moves or (self.decision.boards_agree and parted):
            return self.recording
        return self.decision.articles

    @property
    def mover(self) -> str:
        return "white" if self.decision.start.turn else "black"

    def player(self, side: str) -> str:
        return self.pack.sentence(side)

    def place(self, ply: int) -> dict[str, str]:
        return ply_in_words(ply, self.mover, self.pack, self.decision.numbered_from - 1)

    def move(self, position: chess.Board, move: chess.Move) -> str:
        return move_in_words(position, move, self.pack, self.decision.edition)

    def _sheets(self) -> Iterator[CitedSentence]:
        """Whether the sheets agree, and where they part."""
        decision, found, pack = self.decision, self.decision.comparison, self.pack
        if decision.alone is not None:
            owner, empty = self.player(decision.alone), self.player(OTHER[decision.alone])
            yield pack.sentence("scoresheet_empty", player=empty, owner=owner), self.recording
        if found.stop is None:
            if decision.alone is None:
                yield pack.sentence("scoresheets_agree"), self.articles
            return
        if found.stop == "parted":
            number = self.place(found.ply)["number"]
            yield pack.sentence("scoresheets_differ", number=number), self.articles
            for side in found.entries:
                yield self._entry(side)
            return
        holding = [side for side, entry in found.entries.items() if entry.certainty == "illegal"]
        place = self.place(found.ply)
        if found.stop != "illegal" or len(holding) != 1:
            yield pack.sentence(f"scoresheets_{found.stop}", **place), decision.articles
            return
        owner = self.player(holding[0])
        yield pack.sentence("scoresheet_illegal", owner=owner, **place), decision.articles
        for side, entry in found.entries.items():
            if self.as_written or side not in holding or entry.moves:
                yield self._entry(side)

    def _entry(self, side: str) -> CitedSentence:
        """The entry of one side at the ply where the sheets part."""
        found, pack = self.decision.comparison, self.pack
        entry, player = found.entries[side], self.player(side)
        if not entry.legible:
            return pack.sentence("scoresheet_lacks", player=player), self.articles
        moves = [self.move(found.position, move) for move in entry.moves]
        if not moves and not self.as_written:
            place = self.place(found.ply)
            return pack.sentence("scoresheet_illegal", owner=player, **place), self.articles
        shown = f"({entry.text})" if self.as_written else ""
        move = f"{pack.either(moves) if moves else ''} {shown}".strip()
        return pack.sentence("scoresheet_wrote", player=player, move=move), self.articles

    def _readings(self) -> Iterator[CitedSentence]:
        """The meaning of uncertain entries, and the moves that no entry holds."""
        found, pack = self.decision.comparison, self.pack
        odd = {(side, ply): entry for side, ply, entry in found.odd}
        doubted = {
            (remark["sheet"], remark["ply"])
            for remark in self.decision.remarks
            if _DOUBTED & {*remark["remarks"]}
        }
        position = self.decision.start.copy(stack=False)
        for ply, move in enumerate(found.moves, 1):
            words, place = self.move(position, move), self.place(ply)
            for side in SIDES:
                entry, values = odd.get((side, ply)), {"owner": self.player(side), **place}
                if (side, ply) in doubted:
                    yield pack.sentence("entry_misnumbered", **values), self.recording
                if entry is None or move not in entry.moves:
                    continue
                if entry.certainty == "likely":
                    yield pack.sentence("entry_taken", move=words, **values), self.recording
                elif entry.certainty == "ambiguous":
                    yield pack.sentence("entry_settled", move=words, **values), self.recording
            if ply in self.decision.from_board:
                owner = self.player(self.decision.from_board[ply])
                told = pack.sentence("move_from_board", owner=owner, move=words, **place)
                yield told, self.recording
            elif ply in found.inferred:
                yield pack.sentence("move_inferred", move=words, **place), self.recording
            position.push(move)
        if found.open_from is not None:
            place = self.place(found.open_from)
            yield pack.sentence("move_order_open", **place), self.recording

    def _missing_entries(self) -> Iterator[CitedSentence]:
        """Sheets that must be completed, and entries that tell no move."""
        found = self.decision.comparison
        last = len(found.moves) + (found.stop is not None)
        for side in SIDES:
            if last > max(self.written[side], default=0):
                player = self.player(side)
                yield self.pack.sentence("must_record", player=player), self.recording
        for side, ply, certainty in found.unclear:
            why = "illegal_entry" if certainty == "illegal" else "illegible_entry"
            values = {"owner": self.player(side), **self.place(ply)}
            yield self.pack.sentence(why, **values), self.recording

    def _position(self) -> Iterator[CitedSentence]:
        """The moves that are taken back, and whether the arbiter decides."""
        decision, found, pack = self.decision, self.decision.comparison, self.pack
        boards_decide = decision.boards_agree and found.stop != "illegal"
        if found.stop is not None and not boards_decide:  # else the arbiter decides on taking back
            if found.moves:
                place = self.place(len(found.moves))
                yield pack.sentence("take_back", **place), decision.articles
            else:
                yield pack.sentence("take_back_all"), decision.articles
        if boards_decide and (self.lacks_last_moves or found.stop is not None):
            yield pack.sentence("boards_same"), self.cite("boards_differ")
        if self.lacks_last_moves:
            yield pack.sentence("boards_not_written"), self.cite("record_before_next_move")
        if found.stop is not None or self.lacks_last_moves:
            words = pack.sentence("arbiter_needed", why="").strip()
            yield words, self.cite("arbiter_sets_clocks")

    def _board(self, side: str, board: BoardDecision) -> Iterator[CitedSentence]:
        """Why a board stands as it does, and the steps that correct it."""
        decision, found, pack = self.decision, self.decision.comparison, self.pack
        player = self.player(side)
        if board.right:
            yield pack.sentence("board_right", player=player), decision.articles
            return
        for of in board.shows:
            owner = self.player(of)
            yield pack.sentence("board_shows", player=player, owner=owner), self.articles
        if board.explanations and board.explanations != ((),):
            before = decision.numbered_from - 1
            yield diagnosis(board.explanations, side, self.mover, pack, before), self.articles
        elif not (board.shows or decision.boards_agree) and found.stop in (None, "parted"):
            yield pack.sentence("slip_none", player=player), decision.articles
        if board.steps:
            yield pack.sentence("correct_board", player=player), decision.articles
            goal = pieces_of(found.position)
            for step in plan(named(board.placement, goal), goal):
                yield say_step(step, pack), decision.articles
