"""A decision about two scoresheets and two boards in sentences, each with its articles."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import chess

from blindplay.language import Language
from blindplay.language.scoresheets.entries import Doubt
from blindplay.laws.editions import load
from blindplay.laws.facts import SIDES
from blindplay.laws.placement import pieces_of
from blindplay.laws.state import OTHER
from blindplay.wording.board_steps import named, plan, say_step
from blindplay.wording.moves import diagnosis, move_in_words, ply_in_words

if TYPE_CHECKING:
    from .disputes import BoardDecision, Reconciliation

Articles = tuple[str, ...]
CitedSentence = tuple[str, Articles]
"""A sentence and the articles that it rests on."""

_DOUBTS = frozenset(doubt.value for doubt in Doubt)


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
        decision, found, player = self.decision, self.decision.comparison, self._pack.sentence
        if decision.alone is not None:
            owner, empty = player(decision.alone), player(OTHER[decision.alone])
            yield self._say("scoresheet_empty", self._recording, player=empty, owner=owner)
        elif found.stop is None:
            yield self._say("scoresheets_agree", self._articles)
        place = self._place(found.ply)
        holding = [side for side, entry in found.entries.items() if entry.certainty == "illegal"]
        if found.stop == "parted":
            yield self._say("scoresheets_differ", self._articles, number=place["number"])
            yield from map(self._entry, found.entries)
        elif found.stop == "illegal" and len(holding) == 1:
            owner = player(holding[0])
            yield self._say("scoresheet_illegal", decision.articles, owner=owner, **place)
            for side, entry in found.entries.items():
                if self.as_written or side not in holding or entry.moves:
                    yield self._entry(side)
        elif found.stop is not None:
            yield self._say(f"scoresheets_{found.stop}", decision.articles, **place)

    def _entry(self, side: str) -> CitedSentence:
        """The entry of one side at the ply where the sheets part."""
        found, player = self.decision.comparison, self._pack.sentence(side)
        entry = found.entries[side]
        if not entry.legible:
            return self._say("scoresheet_lacks", self._articles, player=player)
        moves = [self._move(found.position, move) for move in entry.moves]
        if not moves and not self.as_written:
            place = self._place(found.ply)
            return self._say("scoresheet_illegal", self._articles, owner=player, **place)
        shown = f"({entry.text})" if self.as_written else ""
        move = f"{self._pack.either(moves) if moves else ''} {shown}".strip()
        return self._say("scoresheet_wrote", self._articles, player=player, move=move)

    def _readings(self) -> Iterator[CitedSentence]:
        """The meaning of uncertain entries, and the moves that no entry holds."""
        decision, found, articles = self.decision, self.decision.comparison, self._recording
        odd = {(side, ply): entry for side, ply, entry in found.odd}
        doubted = {
            (remark["sheet"], remark["ply"])
            for remark in decision.remarks
            if not _DOUBTS.isdisjoint(remark["remarks"])
        }
        position = decision.start.copy(stack=False)
        for ply, move in enumerate(found.moves, 1):
            words, place = self._move(position, move), self._place(ply)
            for side in SIDES:
                entry, owner = odd.get((side, ply)), self._pack.sentence(side)
                if (side, ply) in doubted:
                    yield self._say("entry_misnumbered", articles, owner=owner, **place)
                if entry is None or move not in entry.moves:
                    continue
                if entry.certainty == "likely":
                    yield self._say("entry_taken", articles, move=words, owner=owner, **place)
                elif entry.certainty == "ambiguous":
                    yield self._say("entry_settled", articles, move=words, owner=owner, **place)
            if ply in decision.from_board:
                owner = self._pack.sentence(decision.from_board[ply])
                yield self._say("move_from_board", articles, move=words, owner=owner, **place)
            elif ply in found.inferred:
                yield self._say("move_inferred", articles, move=words, **place)
            position.push(move)
        if found.open_from is not None:
            yield self._say("move_order_open", articles, **self._place(found.open_from))

    def _missing_entries(self) -> Iterator[CitedSentence]:
        """Sheets that must be completed, and entries that tell no move."""
        found = self.decision.comparison
        last = len(found.moves) + (found.stop is not None)
        for side in SIDES:
            if last > max(self.decision.written[side], default=0):
                yield self._say("must_record", self._recording, player=self._pack.sentence(side))
        for side, ply, certainty in found.unclear:
            why = "illegal_entry" if certainty == "illegal" else "illegible_entry"
            owner = self._pack.sentence(side)
            yield self._say(why, self._recording, owner=owner, **self._place(ply))

    def _position(self) -> Iterator[CitedSentence]:
        """The moves that are taken back, and whether the arbiter decides."""
        decision, found = self.decision, self.decision.comparison
        boards_decide = decision.boards_agree and found.stop != "illegal"
        if found.stop is not None and not boards_decide:
            if found.moves:
                yield self._say("take_back", decision.articles, **self._place(len(found.moves)))
            else:
                yield self._say("take_back_all", decision.articles)
        if found.stop is None and not self._lacks_last_moves:
            return
        if boards_decide:  # the arbiter decides whether moves are taken back
            yield self._say("boards_same", self._cite("boards_differ"))
        if self._lacks_last_moves:
            yield self._say("boards_not_written", self._cite("record_before_next_move"))
        why = self._pack.sentence("needed_set_clock")
        yield self._pack.sentence("arbiter_needed", why=why), self._cite("arbiter_sets_clocks")

    def _board(self, side: str, board: "BoardDecision") -> Iterator[CitedSentence]:
        """Why a board stands as it does, and the steps that correct it."""
        decision, found = self.decision, self.decision.comparison
        player = self._pack.sentence(side)
        if board.right:
            yield self._say("board_right", decision.articles, player=player)
            return
        for of in board.shows:
            owner = self._pack.sentence(of)
            yield self._say("board_shows", self._articles, player=player, owner=owner)
        if board.explanations and board.explanations != ((),):
            before = decision.numbered_from - 1
            told = diagnosis(board.explanations, side, self._mover, self._pack, before)
            yield told, self._articles
        elif not (board.shows or decision.boards_agree) and found.stop in (None, "parted"):
            yield self._say("slip_none", decision.articles, player=player)
        if board.steps:
            yield self._say("correct_board", decision.articles, player=player)
            goal = pieces_of(found.position)
            for step in plan(named(board.placement, goal), goal):
                yield say_step(step, self._pack), decision.articles
