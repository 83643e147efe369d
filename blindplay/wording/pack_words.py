"""The language packs as the Laws use them."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import chess

from blindplay.language import Kind, Language, ReaderLanguage, in_language, languages, load
from blindplay.language.scoresheets import reading
from blindplay.language.scoresheets.letters import Letters, SheetLetters
from blindplay.laws import Heard
from blindplay.laws.deviation import Explanation
from blindplay.laws.facts import SIDES
from blindplay.laws.rulings import Answer
from blindplay.laws.sheet_comparison import (
    AllowedLetters,
    EntryCertainty,
    EntryReader,
    WrittenEntry,
)
from blindplay.laws.state import OTHER
from blindplay.translation import SAME_WORDS

from .position import diagnosis, whole_position

_HEARD: Mapping[Kind, Literal["move", "ambiguous", "illegal"]] = {
    Kind.MOVE: "move",
    Kind.AMBIGUOUS: "ambiguous",
    Kind.ILLEGAL: "illegal",
}


@dataclass(frozen=True)
class _SheetReader:
    """Reads the entries of a sheet with these letters."""

    sheet: SheetLetters

    def weight(self, letters: Letters) -> int:
        return self.sheet.weight(letters)

    def read(
        self,
        text: str,
        board: chess.Board,
        letters: Letters = frozenset(),
        allowed: AllowedLetters = "likely",
    ) -> WrittenEntry:
        found = reading.read(text, board, self.sheet, letters, reading.Allowed(allowed))
        certainty: EntryCertainty = found.certainty.value
        meant: frozenset[object] = frozenset()
        if certainty == "illegal":  # compare illegal entries by the parts that they name
            meant = reading.impossible(text, self.sheet, letters)
        remarks = tuple(remark.value for remark in found.remarks)
        return WrittenEntry(text, certainty, found.moves, remarks, meant, found.letters)


class PackWords:
    """The words of the Laws (:class:`laws.Words`), from the language packs.

    ``fallback`` is the language of players whose own language has no pack.
    """

    def __init__(self, fallback: str = "de") -> None:
        self.fallback = fallback
        self._packs: dict[str, Language] = {}

    def pack(self, language: str) -> Language:
        """The pack of ``language``, or the fallback's.

        "de+nb" is German with the ranks in Norwegian.
        """
        if language not in self._packs:
            own, _, ranks = language.partition("+")
            codes = (code_of(own) or self.fallback, code_of(ranks))
            self._packs[language] = load("+".join(filter(None, codes)))
        return self._packs[language]

    def understand(self, text: str, board: chess.Board, language: str) -> Heard:
        """The announcement in ``text``. Commands and corrections without a move do not count."""
        meant = self.pack(language).understand(text, board)
        kind = _HEARD.get(meant.kind)
        if kind is None:
            return Heard("other")
        return Heard(kind, meant.moves, meant.why.value if meant.why else "")

    def announce(
        self, board: chess.Board, move: chess.Move, language: str, edition: str, check: bool = False
    ) -> str:
        """The words that announce a legal move (D.2.1)."""
        return self.pack(language).announce(board, move, edition=edition, check=check)

    def reader(self, entries: Collection[str], language: str = "") -> EntryReader:
        """A reader for one scoresheet.

        All its ``entries`` together show its letters. These may not be of the player's
        ``language``.
        """
        return _SheetReader(reading.letters_of(entries, language))

    def diagnosis(
        self, explanations: Sequence[Explanation], board: str, first: str, language: str
    ) -> str:
        """Return the slips of hands on ``board``; see :func:`.position.diagnosis`."""
        return diagnosis(explanations, board, first, self.pack(language))

    def answer(self, answer: Answer, language: str) -> str:
        """The words of an answer, from its figures."""
        return answer_in_words(answer, self.pack(language))


def code_of(language: str) -> str | None:
    """The code of the pack for a language such as "de-AT", if there is one."""
    known = languages()
    primary = re.split("[-_]", language.lower())[0]
    return next((c for c in (primary, SAME_WORDS.get(primary, "")) if c in known), None)


def answer_in_words(answer: Answer, pack: Language) -> str:
    """The words of an answer in ``pack``'s language, from its figures."""
    if answer.about == "time":
        return _times(answer, pack)
    if answer.about in ("moves", "scoresheet"):
        if not answer.moves:
            return pack.sentence("no_moves_completed")
        return pack.sentence("moves_completed", count=pack.number(answer.moves))
    if answer.about == "position":
        return whole_position(pack, chess.Board(answer.fen or chess.STARTING_FEN))
    return _last_move(answer, pack)


def _times(answer: Answer, pack: Language) -> str:
    left = {"white": answer.white or 0, "black": answer.black or 0}
    times = {side: pack.duration(round(left[side] * 1000)) for side in SIDES}
    mine = answer.to.removeprefix("assistant:")
    if mine not in SIDES:
        return " ".join(f"{pack.sentence(side)}: {times[side]}." for side in SIDES)
    return pack.sentence("clock_both", mine=times[mine], opponent=times[OTHER[mine]])


def _last_move(answer: Answer, pack: Language) -> str:
    words = answer.announcement
    if words is None and answer.move not in (None, "0000"):
        move = chess.Move.from_uci(str(answer.move))
        words = f"{pack.square(move.from_square)} {pack.square(move.to_square)}"
    if words is None:
        return pack.sentence("no_last_move")
    if isinstance(pack, ReaderLanguage):
        words = in_language(words, pack.announcing.code)
    return pack.sentence("last_move", player=pack.sentence(str(answer.by)), move=words)
