"""Decisions under the Laws about two scoresheets and two boards that may differ, and their words.

This is for an arbiter at a game that the program has not watched. The sheets are
files of moves as the players wrote them; the boards are positions. No entry is corrected silently,
and every sentence cites the article on which it rests.
"""

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import chess

from blindplay.encodings import guess
from blindplay.given import SHEET, read_bytes, shown
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
from blindplay.translation import UserError
from blindplay.wording.board_steps import named, plan, say_step
from blindplay.wording.pack_words import PackWords
from blindplay.wording.position import diagnosis, move_in_words, ply_in_words

Articles = tuple[str, ...]
CitedSentence = tuple[str, Articles]
"""A sentence and the articles that it rests on."""

_DOUBTS = frozenset(doubt.value for doubt in Doubt)
# The rule on which the decision rests, by the reason why the common game ends.
_RULES = {None: "boards_differ", "parted": "boards_differ_sheets_differ", "illegal": "illegal"}
_OTHER_RULE = "displaced_found"
_MOST_WORDS = 8_000  # of a sheet; the longest game that was ever played has about 2000 in words
_MOST_DIFFERENT = 8  # squares: more than one slip can change


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
    """The decision, in the words of ``pack``. ``written`` are the entries by side and ply."""

    edition: str
    pack: Language
    start: chess.Board
    written: Mapping[str, Mapping[int, str]]
    comparison: Comparison
    boards: Mapping[str, BoardDecision]
    remarks: Sequence[Mapping[str, Any]]
    numbered_from: int
    """The number that the sheets give to the first move."""
    alone: str | None
    """The side whose sheet is the only one that holds a move."""
    from_board: Mapping[int, str]
    """The plies that a board has decided, with the side of the board."""
    boards_agree: bool
    """Both boards are given and show the same position, so D.2.9 corrects nothing."""

    @property
    def articles(self) -> Articles:
        """The articles on which the decision rests."""
        return load(self.edition).cite(_RULES.get(self.comparison.stop, _OTHER_RULE))

    @property
    def lines(self) -> list[CitedSentence]:
        """The sentences, each with its articles."""
        return list(DisputeWords(self).sentences())

    @property
    def spoken(self) -> list[str]:
        """The sentences for a synthesiser, without the entries that only the eye can read."""
        return [words for words, _ in DisputeWords(self, as_written=False).sentences()]

    def to_json(self) -> dict[str, Any]:
        """The object that docs/reconcile.md describes."""
        comparison = self.comparison
        return {
            "edition": self.edition,
            "start": self.start.fen(),
            "agree": comparison.stop is None and self.alone is None,
            "stop": comparison.stop,
            "ply": None if comparison.stop is None else comparison.ply,
            "written": {
                side: {
                    "text": entry.text,
                    "certainty": entry.certainty,
                    "moves": [move.uci() for move in entry.moves],
                }
                for side, entry in comparison.entries.items()
            },
            "moves": [move.uci() for move in comparison.moves],
            "position": comparison.position.fen(),
            "alone": self.alone,
            "inferred": list(comparison.inferred),
            "slips": [
                {"sheet": one.side, "ply": one.ply, "kind": one.kind, "text": one.entry.text}
                for one in comparison.slips
            ],
            "from_board": {str(ply): side for ply, side in self.from_board.items()},
            "open_from": comparison.open_from,
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
                    "steps": [dataclasses.asdict(step) for step in board.steps],
                }
                for side, board in self.boards.items()
            },
            "remarks": list(self.remarks),
            "words": [f"{words} ({', '.join(cited)})" for words, cited in self.lines],
            "spoken": self.spoken,
        }


def read_sheet(
    path: Path, tell: Callable[[str], object] = lambda sentence: None
) -> list[SheetEntry]:
    """The entries of a sheet in a file; a ``.brf`` file is for a Braille embosser. ``tell`` gets a
    sentence about letters that were guessed.

    :raises ValueError: if it cannot be read.
    """
    data = read_bytes(path, SHEET)
    found = guess(data, str(path))
    if any("\0" in line for line in found.lines):
        raise UserError(
            "{path} is not a text file; give one that holds the moves as written.", path=path
        )
    text = found.text
    if len(text.split()) > _MOST_WORDS:
        raise UserError(
            "{path} has more than {most_words} words; give the moves of one game.",
            path=path,
            most_words=_MOST_WORDS,
        )
    if found.guessed:
        tell(found.guessed)
    return entries(text, brf=path.suffix.lower() == ".brf")


def check_board(placement: str, option: str) -> str:
    """The first field of a FEN, in which ``?`` is an unnamed piece.

    :raises ValueError: if it is not a placement; the message names ``option``.
    """
    first = placement.split()[0] if placement.split() else ""
    try:
        chess.BaseBoard(first.replace(UNKNOWN, "P"))
    except ValueError:
        raise UserError(
            "{option} {placement} is not a placement in FEN; write the ranks from 8 to "
            "1, such as 4k3/8/8/8/8/8/8/4K3.",
            option=option,
            placement=shown(placement),
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

    :raises ValueError: if both sheets are without moves.
    """
    if not any(entry.text for sheet in sheets.values() for entry in sheet):
        raise UserError("Neither sheet holds a move; check the files.")
    placed = {side: _placed(sheet, start) for side, sheet in sheets.items()}
    sheets = {side: sheet for side, (sheet, _) in placed.items()}
    written = {
        side: {entry.ply: entry.text for entry in sheet if entry.text}
        for side, sheet in sheets.items()
    }
    words = PackWords(pack.code)
    readers = {side: words.reader(tuple(sheet.values())) for side, sheet in written.items()}
    comparison = compare(start, written, readers)
    sheets = {side: _moved(sheet, comparison.placed[side]) for side, sheet in sheets.items()}
    written = {
        side: {entry.ply: entry.text for entry in sheet if entry.text}
        for side, sheet in sheets.items()
    }
    comparison, from_board = _decided_by_boards(comparison, start, boards)
    own = {}
    if comparison.stop == "parted" and boards:  # each sheet is a game of its own
        own = {
            side: compare(start, {"white": {}, "black": {}, side: sheet}, readers).moves
            for side, sheet in written.items()
        }
    same = len(boards) == 2 and len(set(boards.values())) == 1
    examined = {
        side: _examine(
            side, placement, comparison, own, start, {*comparison.inferred, *from_board}, same
        )
        for side, placement in boards.items()
    }
    return Reconciliation(
        edition, pack, start, written, comparison, examined, list(_remarks(sheets, comparison)),
        numbered_from=max(number for _, number in placed.values()),
        alone=_alone(written, comparison), from_board=from_board, boards_agree=same,
    )  # fmt: skip


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


def _moved(sheet: list[SheetEntry], placed: Mapping[int, int]) -> list[SheetEntry]:
    """The entries by the plies of the game, where slips in their numbers are put right."""
    played = {written: ply for ply, written in placed.items()}
    return [
        dataclasses.replace(entry, ply=played[entry.ply]) if entry.ply in played else entry
        for entry in sheet
    ]


def _alone(written: Mapping[str, Mapping[int, str]], comparison: Comparison) -> str | None:
    """The side whose sheet holds moves, if no entry of the other sheet can be read."""
    nothing = {(side, ply) for side, ply, entry in comparison.odd if not entry.legible}
    holding = [
        side for side, sheet in written.items() if any((side, ply) not in nothing for ply in sheet)
    ]
    return holding[0] if len(holding) == 1 else None


def _decided_by_boards(
    comparison: Comparison, start: chess.Board, boards: Mapping[str, str]
) -> tuple[Comparison, Mapping[int, str]]:
    """The comparison after a board has decided between several possible games, with the plies that
    it decides and its side. The other board must not speak for another of these games."""
    if len(comparison.lines) < 2:
        return comparison, {}
    shown: dict[tuple[chess.Move, ...], str] = {}
    placements = set()
    for line in comparison.lines:
        holes = pieces_of(_after(start, line))
        for side, placement in boards.items():
            if named(placement, holes) == holes:
                shown.setdefault(line, side)
                placements.add(tuple(sorted(holes.items())))
    if len(placements) != 1:
        return comparison, {}
    line, owner = next(iter(shown.items()))
    others = [other for other in comparison.lines if other not in shown]
    for side, placement in boards.items():
        if side != owner and _speaks_for_another(placement, line, others, start):
            return comparison, {}
    decided = dataclasses.replace(
        comparison, moves=line, position=_after(start, line), stop=None, ply=len(line) + 1,
        entries={}, lines=(line,), open_from=comparison.ply if len(shown) > 1 else None,
    )  # fmt: skip
    return decided, dict.fromkeys(sorted(_parted(*comparison.lines)), owner)


def _after(start: chess.Board, moves: Sequence[chess.Move]) -> chess.Board:
    position = start.copy(stack=False)
    for move in moves:
        position.push(move)
    return position


def _parted(*lines: tuple[chess.Move, ...]) -> set[int]:
    """The plies whose moves differ in these games."""
    return {ply for ply, moves in enumerate(zip(*lines, strict=True), 1) if len(set(moves)) > 1}


def _speaks_for_another(
    placement: str,
    line: tuple[chess.Move, ...],
    others: Sequence[tuple[chess.Move, ...]],
    start: chess.Board,
) -> bool:
    """Return whether another game than ``line`` explains a board at least as well."""

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
                len(explanation)
                for explanation in explain(start, game, shown, named=UNKNOWN not in placement)
                if not any(
                    slip.ply in open_
                    or (slip.what is SlipKind.BEHIND and slip.ply <= min(open_, default=0))
                    for slip in explanation
                    if slip.ply is not None
                )
            ),
            default=_MOST_DIFFERENT,
        )

    mine = min(slips(line, set()), _MOST_DIFFERENT - 1)
    return mine > 0 and any(slips(other, _parted(line, other)) <= mine for other in others)


def _examine(
    side: str,
    placement: str,
    comparison: Comparison,
    own: Mapping[str, tuple[chess.Move, ...]],
    start: chess.Board,
    not_written: Collection[int],
    same: bool,
) -> BoardDecision:
    """The decision about one board. ``not_written``: plies of the game that no sheet holds.
    ``same``: the other board shows the same position."""
    goal = pieces_of(comparison.position)
    shown = named(placement, goal)
    right = shown == goal
    with_names = UNKNOWN not in placement
    explanations: tuple[Explanation, ...] = ()
    shows: tuple[str, ...] = ()
    if comparison.stop == "parted":
        # If it shows neither sheet's game, explain it from the sheet of its owner.
        shows = tuple(
            of for of in SIDES if explain(start, own[of], shown, named=with_names) == ((),)
        )
        if not shows and not right:
            explanations = explain(start, own[side], shown, named=with_names)
    elif not right and comparison.stop is None and comparison.open_from is None:
        # If the end of the game is unknown, no explanation can be relied on.
        explanations = explain(start, comparison.moves, shown, named=with_names)
        if any(slip.ply in not_written for slips in explanations for slip in slips):
            explanations = ()  # a sentence would name as written a move that is not
    todo = () if same and comparison.stop != "illegal" else steps(shown, goal)
    return BoardDecision(placement, right, shows, explanations, todo)


def _remarks(
    sheets: Mapping[str, list[SheetEntry]], comparison: Comparison
) -> Iterator[dict[str, Any]]:
    """The uncertain, doubtful and struck entries up to the ply where the sheets part."""
    odd = {(side, ply): entry for side, ply, entry in comparison.odd}
    entries_ = sorted((entry.ply, side, entry) for side, sheet in sheets.items() for entry in sheet)
    for ply, side, entry in entries_:
        reading = odd.get((side, ply))
        if 0 < ply <= comparison.ply and (reading or entry.doubts or entry.struck):
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


# --- in words ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class DisputeWords:
    """Puts ``decision`` into words. ``as_written``: with entries that only the eye can read."""

    decision: "Reconciliation"
    as_written: bool = True

    def sentences(self) -> Iterator[CitedSentence]:
        """All sentences, in the order in which they are read aloud."""
        yield from self._sheets()
        yield from self._readings()
        yield from self._missing_entries()
        yield from self._position()
        for side, board in self.decision.boards.items():
            yield from self._board(side, board)

    @property
    def _pack(self) -> Language:
        return self.decision.pack

    def _say(self, key: str, articles: Articles, **values: str) -> CitedSentence:
        return self._pack.sentence(key, **values), articles

    def _cite(self, rule: str) -> Articles:
        return load(self.decision.edition).cite(rule)

    @cached_property
    def _recording(self) -> Articles:
        return self._cite("recording")

    @cached_property
    def _lacks_last_moves(self) -> bool:
        """Both boards show the same position, and it is later than the sheets' last moves."""
        decision = self.decision
        right = all(board.right for board in decision.boards.values())
        return decision.boards_agree and decision.comparison.stop is None and not right

    @cached_property
    def _articles(self) -> Articles:
        """The articles for statements about the sheets. D.2.9 is for boards that show different
        positions."""
        parted = self.decision.comparison.stop == "parted"
        if self._lacks_last_moves or (self.decision.boards_agree and parted):
            return self._recording
        return self.decision.articles

    @property
    def _mover(self) -> str:
        return "white" if self.decision.start.turn else "black"

    def _place(self, ply: int) -> dict[str, str]:
        return ply_in_words(ply, self._mover, self._pack, self.decision.numbered_from - 1)

    def _move(self, position: chess.Board, move: chess.Move) -> str:
        return move_in_words(position, move, self._pack, self.decision.edition)

    def _sheets(self) -> Iterator[CitedSentence]:
        """Yield sentences on whether the sheets agree, and on the place where they part."""
        decision, comparison, player = self.decision, self.decision.comparison, self._pack.sentence
        if decision.alone is not None:
            owner, empty = player(decision.alone), player(OTHER[decision.alone])
            yield self._say("scoresheet_empty", self._recording, player=empty, owner=owner)
        elif comparison.stop is None:
            yield self._say("scoresheets_agree", self._articles)
        place = self._place(comparison.ply)
        holding = [
            side for side, entry in comparison.entries.items() if entry.certainty == "illegal"
        ]
        if comparison.stop == "parted":
            yield self._say("scoresheets_differ", self._articles, number=place["number"])
            yield from map(self._entry, comparison.entries)
        elif comparison.stop == "illegal" and len(holding) == 1:
            owner = player(holding[0])
            yield self._say("scoresheet_illegal", decision.articles, owner=owner, **place)
            for side, entry in comparison.entries.items():
                if self.as_written or side not in holding or entry.moves:
                    yield self._entry(side)
        elif comparison.stop is not None:
            yield self._say(f"scoresheets_{comparison.stop}", decision.articles, **place)

    def _entry(self, side: str) -> CitedSentence:
        """The entry of one side at the ply where the sheets part."""
        comparison, player = self.decision.comparison, self._pack.sentence(side)
        entry = comparison.entries[side]
        if not entry.legible:
            return self._say("scoresheet_lacks", self._articles, player=player)
        moves = [self._move(comparison.position, move) for move in entry.moves]
        if not moves and not self.as_written:
            place = self._place(comparison.ply)
            return self._say("scoresheet_illegal", self._articles, owner=player, **place)
        shown = f"({entry.text})" if self.as_written else ""
        move = f"{self._pack.either(moves) if moves else ''} {shown}".strip()
        return self._say("scoresheet_wrote", self._articles, player=player, move=move)

    def _readings(self) -> Iterator[CitedSentence]:
        """The meaning of uncertain entries, and the moves that no entry holds."""
        decision, comparison, articles = self.decision, self.decision.comparison, self._recording
        odd = {(side, ply): entry for side, ply, entry in comparison.odd}
        slips = {(slip.side, slip.ply): slip.kind for slip in comparison.slips}
        doubted = {place for place, kind in slips.items() if kind == "number"}
        doubted |= {
            (remark["sheet"], remark["ply"])
            for remark in decision.remarks
            if not _DOUBTS.isdisjoint(remark["remarks"])
        }
        position = decision.start.copy(stack=False)
        for ply, move in enumerate(comparison.moves, 1):
            words, place = self._move(position, move), self._place(ply)
            for side in SIDES:
                entry, owner = odd.get((side, ply)), self._pack.sentence(side)
                if (side, ply) in doubted:
                    yield self._say("entry_misnumbered", articles, owner=owner, **place)
                if slips.get((side, ply)) == "exchanged":
                    number = place["number"]
                    yield self._say("entries_exchanged", articles, owner=owner, number=number)
                elif slips.get((side, ply)) == "entry":
                    yield self._say("entry_slip", articles, owner=owner, move=words, **place)
                if entry is None or move not in entry.moves:
                    continue
                if entry.certainty == "likely":
                    yield self._say("entry_taken", articles, move=words, owner=owner, **place)
                elif entry.certainty == "ambiguous":
                    yield self._say("entry_settled", articles, move=words, owner=owner, **place)
            if ply in decision.from_board:
                owner = self._pack.sentence(decision.from_board[ply])
                yield self._say("move_from_board", articles, move=words, owner=owner, **place)
            elif ply in comparison.inferred:
                yield self._say("move_inferred", articles, move=words, **place)
            position.push(move)
        if comparison.open_from is not None:
            yield self._say("move_order_open", articles, **self._place(comparison.open_from))

    def _missing_entries(self) -> Iterator[CitedSentence]:
        """Sheets that must be completed, and entries that tell no move."""
        comparison = self.decision.comparison
        last = len(comparison.moves) + (comparison.stop is not None)
        for side in SIDES:
            if last > max(self.decision.written[side], default=0):
                yield self._say("must_record", self._recording, player=self._pack.sentence(side))
        for side, ply, certainty in comparison.unclear:
            why = "illegal_entry" if certainty == "illegal" else "illegible_entry"
            owner = self._pack.sentence(side)
            yield self._say(why, self._recording, owner=owner, **self._place(ply))

    def _position(self) -> Iterator[CitedSentence]:
        """The moves that are taken back, and whether the arbiter decides."""
        decision, comparison = self.decision, self.decision.comparison
        boards_decide = decision.boards_agree and comparison.stop != "illegal"
        if comparison.stop is not None and not boards_decide:
            if comparison.moves:
                yield self._say(
                    "take_back", decision.articles, **self._place(len(comparison.moves))
                )
            else:
                yield self._say("take_back_all", decision.articles)
        if comparison.stop is None and not self._lacks_last_moves:
            return
        if boards_decide:  # the arbiter decides whether moves are taken back
            yield self._say("boards_same", self._cite("boards_differ"))
        if self._lacks_last_moves:
            yield self._say("boards_not_written", self._cite("record_before_next_move"))
        why = self._pack.sentence("needed_set_clock")
        yield self._pack.sentence("arbiter_needed", why=why), self._cite("arbiter_sets_clocks")

    def _board(self, side: str, board: "BoardDecision") -> Iterator[CitedSentence]:
        """Why a board stands as it does, and the steps that correct it."""
        decision, comparison = self.decision, self.decision.comparison
        player = self._pack.sentence(side)
        if board.right:
            yield self._say("board_right", decision.articles, player=player)
            return
        for of in board.shows:
            owner = self._pack.sentence(of)
            yield self._say("board_shows", self._articles, player=player, owner=owner)
        if board.explanations and board.explanations != ((),):
            before = decision.numbered_from - 1
            sentence = diagnosis(board.explanations, side, self._mover, self._pack, before)
            yield sentence, self._articles
        elif not (board.shows or decision.boards_agree) and comparison.stop in (None, "parted"):
            yield self._say("slip_none", decision.articles, player=player)
        if board.steps:
            yield self._say("correct_board", decision.articles, player=player)
            goal = pieces_of(comparison.position)
            for step in plan(named(board.placement, goal), goal):
                yield say_step(step, self._pack), decision.articles
