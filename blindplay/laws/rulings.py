"""Rulings: what the Laws answer to a fact, each with the articles it rests on.

Each kind of ruling is a frozen dataclass. A ruling carries meaning; the words that people hear come
from :mod:`blindplay.wording`. :meth:`Ruling.to_json` writes the object of the public contract
(``docs/facts-and-rulings.md``).

Sides are "white" and "black", boards are named after their side, moves are in UCI, squares are
"a1" to "h8", pieces are FEN letters and times are in seconds unless a field says otherwise. Plies
count from 1; ply 0 is the beginning of the game.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self, TypedDict

from .deviation import Explanation
from .facts import seconds

Status = Literal["proposed", "confirmed", "rejected", "postponed"]
"""Where the arbiter decides: what he is asked, and what he has answered."""

Seconds = int | float


class BothClocks(TypedDict):
    """Both players' seconds."""

    white: Seconds
    black: Seconds


_CONTRACT_NAMES = {"penalty": "kind", "citations": "articles"}


@dataclass(frozen=True, kw_only=True)
class Ruling:
    """One answer of the Laws.

    ``t`` is the time of the fact that caused it, in ms of the game. ``articles`` are "edition
    article", at least one in every ruling that a game gives. ``kind`` names the class in the
    contract.
    """

    kind: ClassVar[str] = ""
    t: int = 0
    articles: tuple[str, ...] = ()

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of this kind under their names in the contract, as JSON values; those that
        stand at their default are left out."""
        given = (
            (item.name, getattr(self, item.name), item.default)
            for item in dataclasses.fields(self)
            if item.name not in ("t", "articles", "status")
        )
        found = {
            _CONTRACT_NAMES.get(name, name): _plain(value)
            for name, value, default in given
            if default is dataclasses.MISSING or value != default
        }
        status = getattr(self, "status", None)
        return found if status is None else {**found, "status": status}

    def stamped(self, t: int, articles: tuple[str, ...]) -> Self:
        """This ruling with its time and its articles. Only for one that was just made: it is
        changed in place, since a game gives hundreds of thousands."""
        object.__setattr__(self, "t", t)
        object.__setattr__(self, "articles", articles)
        return self

    def to_json(self) -> dict[str, Any]:
        """The contract's JSON object."""
        article = self.articles[0] if len(self.articles) == 1 else list(self.articles)
        return {"t": seconds(self.t), "ruling": self.kind, **self.fields, "article": article}


def _plain(value: Any) -> Any:
    """A field's value as JSON has it."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        own = getattr(value, "to_json", None)
        return own() if own is not None else dataclasses.asdict(value)
    return value


def dumps(ruling: Ruling) -> str:
    """The ruling as one line of JSON."""
    return json.dumps(ruling.to_json(), ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, kw_only=True)
class Proposable(Ruling):
    """A ruling that the Laws leave to the arbiter, where there is one. It is proposed first; with
    the arbiter's answer it comes again. ``status`` is None where nobody is asked."""

    status: Status | None = None


# --- touching and moving ---------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Touched(Ruling):
    """The player on move has touched a piece (4.3; D.2.2 on the special board)."""

    kind = "touched"
    by: str
    square: str
    piece: str


@dataclass(frozen=True, kw_only=True)
class Obliged(Ruling):
    """The legal moves that fulfil an obligation. With none, ``free`` says that the player may
    play any legal move."""

    kind = "obliged"
    by: str
    moves: tuple[str, ...]
    free: bool = False


@dataclass(frozen=True, kw_only=True)
class Adjusting(Ruling):
    """A player adjusts pieces (4.2)."""

    kind = "adjusting"
    by: str


@dataclass(frozen=True, kw_only=True)
class Announced(Ruling):
    """A move is announced; ``words`` are how the table announces it (D.2.1)."""

    kind = "announced"
    by: str
    move: str
    words: str


@dataclass(frozen=True, kw_only=True)
class Repeated(Ruling):
    """The opponent has repeated the announcement (D.2.1)."""

    kind = "repeated"
    by: str
    move: str
    words: str


@dataclass(frozen=True, kw_only=True)
class NotUnderstood(Ruling):
    """Words that are no announcement."""

    kind = "not_understood"
    by: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Ambiguous(Ruling):
    """An announcement that fits several moves."""

    kind = "ambiguous"
    by: str
    text: str
    moves: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RepeatDiffers(Ruling):
    """The opponent has repeated another move than was announced."""

    kind = "repeat_differs"
    by: str
    announced: str
    repeated: str


@dataclass(frozen=True, kw_only=True)
class SlipCorrected(Ruling):
    """A slip of the tongue is corrected before the opponent's clock runs (D.2.8)."""

    kind = "slip_corrected"
    by: str
    was: str
    now: str


@dataclass(frozen=True, kw_only=True)
class TooLate(Ruling):
    """A correction comes after the opponent's clock was started (D.2.8)."""

    kind = "too_late"
    by: str


@dataclass(frozen=True, kw_only=True)
class Executed(Ruling):
    """A board shows a move."""

    kind = "executed"
    board: str
    move: str


@dataclass(frozen=True, kw_only=True)
class ExecutedDiffers(Ruling):
    """A board shows another move than was announced."""

    kind = "executed_differs"
    board: str
    announced: str
    executed: str


@dataclass(frozen=True, kw_only=True)
class Made(Ruling):
    """A move is made: nothing more is asked of its player but the press (D.2.3, 4.7)."""

    kind = "made"
    by: str
    move: str
    san: str


@dataclass(frozen=True, kw_only=True)
class NotMade(Ruling):
    """A press before the move was made. ``missing`` holds any of "announced", "placed",
    "captured_piece_removed" and "promotion_piece"."""

    kind = "not_made"
    by: str
    missing: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Completed(Ruling):
    """A move is completed. ``illegal``: it is an illegal move that stands (A.5.2)."""

    kind = "completed"
    by: str
    move: str
    ply: int
    illegal: bool = False


@dataclass(frozen=True, kw_only=True)
class ClockReading(Ruling):
    """Which clock runs ("white", "black" or "none"), and the seconds left."""

    kind = "clock"
    running: str
    white: Seconds
    black: Seconds


# --- what goes wrong -------------------------------------------------------------------------


@dataclass(frozen=True)
class CorrectingStep:
    """One thing that a hand does to correct a board: ``do`` is "lift", "place" or "remove"."""

    do: str
    piece: str
    square: str

    def to_json(self) -> dict[str, str]:
        """The contract's object, which names the square once more under what is done there."""
        return {"do": self.do, self.do: self.square, "square": self.square, "piece": self.piece}


@dataclass(frozen=True)
class DifferingSquare:
    """A square on which two boards differ: what stands there, None for nothing."""

    square: str
    white: str | None
    black: str | None


@dataclass(frozen=True, kw_only=True)
class IllegalMove(Proposable):
    """An illegal move was completed.

    ``number`` counts the player's illegal moves, this one included; ``undo`` brings the board
    back. ``claimable``: only the opponent may claim it. ``to_ply`` and both clocks are given when
    later moves go back with it, or the move was completed.
    """

    kind = "illegal"
    by: str
    why: str
    number: int
    move: str | None = None
    undo: tuple[CorrectingStep, ...]
    to_ply: int | None = None
    white: Seconds | None = None
    black: Seconds | None = None
    claimable: bool | None = None
    claimed_by: str | None = None


@dataclass(frozen=True, kw_only=True)
class Penalty(Proposable):
    """What an offence costs ``player``: ``seconds`` for ``gives``, the player's opponent, and
    ``takes`` seconds of the player's own; or the game, with ``loses``; or a warning, with
    ``penalty`` "warning"."""

    kind = "penalty"
    player: str
    loses: bool = False
    why: str | None = None
    result: str | None = None
    moves: tuple[str, ...] = ()
    gives: str | None = None
    seconds: Seconds | None = None
    takes: Seconds | None = None
    penalty: str | None = None


@dataclass(frozen=True, kw_only=True)
class Refused(Ruling):
    """Something that may not be done now. ``what`` is the kind of the fact, or the arbiter's
    decision; ``kept``: it stays on the scoresheet all the same."""

    kind = "refused"
    by: str
    what: str
    why: str
    move: str | None = None
    ply: int | None = None
    square: str | None = None
    kept: bool = False


@dataclass(frozen=True, kw_only=True)
class ArbiterNeeded(Proposable):
    """The arbiter must decide or do something; ``why`` says what. ``player`` is whose doing it
    is, ``by`` whom it concerns; ``ply`` and ``text`` are an entry of a scoresheet."""

    kind = "arbiter_needed"
    why: str
    by: str | None = None
    player: str | None = None
    ply: int | None = None
    text: str | None = None


@dataclass(frozen=True, kw_only=True)
class TakeBack(Proposable):
    """The game goes back to the position after ``to_ply``, with these seconds on the clocks.
    ``new_game``: it is annulled and begun anew (7.2, 7.3)."""

    kind = "take_back"
    to_ply: int
    new_game: bool = False
    white: Seconds
    black: Seconds
    why: str | None = None
    by: str | None = None
    square: str | None = None


# --- two boards, two scoresheets -------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class BoardsDiffer(Ruling):
    """The boards differ on these squares (D.2.9)."""

    kind = "boards_differ"
    squares: tuple[DifferingSquare, ...]


@dataclass(frozen=True, kw_only=True)
class BoardsAgree(Ruling):
    """A board that was to be corrected is right again."""

    kind = "boards_agree"
    board: str


@dataclass(frozen=True, kw_only=True)
class Scoresheets(Ruling):
    """What both scoresheets say (D.2.9).

    ``ply`` and ``move``: both hold another move than the table, whose game now follows them. Where
    they part, ``from_ply`` is the ply, ``white`` and ``black`` are the entries and the others
    what each source says about that ply: the moves that the entries mean, the move as announced,
    the clocks when it was completed, and which of these moves each board shows.
    """

    kind = "scoresheets"
    agree: bool
    ply: int | None = None
    move: str | None = None
    from_ply: int | None = None
    white: str | None = None
    white_move: str | None = None
    black: str | None = None
    black_move: str | None = None
    announced: str | None = None
    clocks: BothClocks | None = None
    boards: Mapping[str, str | None] | None = None


@dataclass(frozen=True, kw_only=True)
class Explained(Ruling):
    """What hands must have done on ``board``: explanations of one or two slips each, and the
    table's words for them. The board does not tell several explanations apart."""

    kind = "explained"
    board: str
    explanations: tuple[Explanation, ...]
    words: str


@dataclass(frozen=True, kw_only=True)
class CorrectBoard(Ruling):
    """``board`` must be brought to ``placement`` (FEN's first field); ``steps`` do it.
    ``diagnosis`` holds the words of :class:`Explained`, or nothing."""

    kind = "correct_board"
    board: str
    placement: str
    steps: tuple[CorrectingStep, ...]
    diagnosis: str


@dataclass(frozen=True, kw_only=True)
class MustRecord(Ruling):
    """A player must complete their scoresheet; ``ply`` is the first entry that is missing."""

    kind = "must_record"
    by: str
    ply: int


@dataclass(frozen=True, kw_only=True)
class TwoBoardsDemanded(Ruling):
    """A player demands two boards (D.1)."""

    kind = "two_boards"
    by: str


@dataclass(frozen=True, kw_only=True)
class SpecialBoardInspected(Ruling):
    """Which requirements a special board fulfils, which it lacks, and the article of each
    (D.1.1 to D.1.4)."""

    kind = "special_board"
    board: str
    fulfils: tuple[str, ...]
    missing: tuple[str, ...]
    citations: Mapping[str, str]


# --- claims, draws, the clock, the end -------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class FlagFell(Proposable):
    """A flag fell: of "white", "black" or "both". ``called_by`` noticed it; ``undecided``: nobody
    can tell whether the opponent can still mate."""

    kind = "flag"
    by: str
    called_by: str
    result: str | None = None
    undecided: bool = False


@dataclass(frozen=True, kw_only=True)
class Claimed(Proposable):
    """A claim of a draw under ``rule``. ``correct`` is None where the arbiter must judge it."""

    kind = "claim"
    by: str
    rule: str
    correct: bool | None = None


@dataclass(frozen=True, kw_only=True)
class ExtraTime(Proposable):
    """A request for extra time in a quickplay finish (III.4): ``seconds`` a move."""

    kind = "extra_time"
    by: str
    seconds: Seconds


@dataclass(frozen=True, kw_only=True)
class Late(Proposable):
    """A player has come ``seconds`` after the start, later than the default time (6.7.1)."""

    kind = "late"
    by: str
    seconds: Seconds


@dataclass(frozen=True, kw_only=True)
class DrawOffered(Ruling):
    """A draw is offered; ``record`` is what both players write down."""

    kind = "draw_offered"
    by: str
    record: str


@dataclass(frozen=True, kw_only=True)
class DrawDeclined(Ruling):
    """A draw offer is declined, by word or by touching a piece (9.1.2.1)."""

    kind = "draw_declined"
    by: str


@dataclass(frozen=True, kw_only=True)
class GameOver(Ruling):
    """The end: ``result`` is "1-0", "0-1", "1/2-1/2" or "0-0"; ``reason`` says why."""

    kind = "game_over"
    result: str
    reason: str


# --- adjournment, people, answers ------------------------------------------------------------


@dataclass(frozen=True)
class Envelope:
    """What stands on the envelope of an adjourned game (I.2)."""

    players: Mapping[str, str]
    position: str
    white: Seconds
    black: Seconds
    sealed_by: str
    move_number: int
    draw_offer: str | None


@dataclass(frozen=True, kw_only=True)
class Sealed(Ruling):
    """A move was sealed; the ruling does not say which (I.1)."""

    kind = "sealed"
    by: str


@dataclass(frozen=True, kw_only=True)
class Adjourned(Ruling):
    """The game is adjourned (I.2)."""

    kind = "adjourned"
    envelope: Envelope


@dataclass(frozen=True, kw_only=True)
class AssistantPresence(Ruling):
    """Whether the player ``of`` has an assistant from now on (D.2.10, D.2.11)."""

    kind = "assistant"
    of: str
    present: bool


@dataclass(frozen=True, kw_only=True)
class Presides(Ruling):
    """Whether an arbiter presides over the game from now on."""

    kind = "presides"
    present: bool


@dataclass(frozen=True, kw_only=True)
class Answer(Ruling):
    """The answer to a question of ``to``; ``about`` is the question's subject.

    ``white`` and ``black`` are the clocks in seconds; ``moves`` and ``plies`` count what was
    completed; ``fen`` is the position; ``move``, ``by`` and ``announcement`` are the last move.
    """

    kind = "answer"
    to: str
    about: str
    words: str = ""
    white: Seconds | None = None
    black: Seconds | None = None
    fen: str | None = None
    moves: int | None = None
    plies: int | None = None
    move: str | None = None
    by: str | None = None
    announcement: str | None = None


KINDS: Mapping[str, type[Ruling]] = MappingProxyType(
    {
        found.kind: found
        for found in (*Ruling.__subclasses__(), *Proposable.__subclasses__())
        if found.kind
    }
)
"""All rulings of the contract by their names."""
