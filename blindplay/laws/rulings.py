"""Rulings: what the Laws answer to a fact, each with the articles it rests on.

A ruling carries meaning; the words that people hear come
from :mod:`blindplay.wording`. :meth:`Ruling.to_json` writes the object of the public contract
(``docs/development/facts-and-rulings.md``).

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
from typing import Any, ClassVar, Literal, Self, TypedDict, dataclass_transform

from .deviation import Explanation
from .facts import Fact, seconds
from .reasons import ArbiterReason, RefusalReason

Status = Literal["proposed", "confirmed", "rejected", "postponed"]
"""The state of a ruling that the arbiter decides: the question to them, or their answer."""

Seconds = int | float


class BothClocks(TypedDict):
    """Both players' seconds."""

    white: Seconds
    black: Seconds


def both_seconds(left: Mapping[str, int]) -> BothClocks:
    """Both players' seconds, from milliseconds by side."""
    return {"white": seconds(left["white"]), "black": seconds(left["black"])}


_CONTRACT_NAMES = {"penalty": "kind", "citations": "articles"}


KINDS: dict[str, type[Ruling]] = {}
"""All rulings of the contract by their names."""


@dataclass_transform(kw_only_default=True, frozen_default=True)
@dataclass(frozen=True, kw_only=True)
class Ruling:
    """One answer of the Laws. Its subclasses are frozen dataclasses; ``kind`` is the name of the
    class in the contract.

    ``t`` is the time of the fact that caused it, in ms of the game. ``articles`` are "edition
    article", at least one in every ruling that a game gives.
    """

    kind: ClassVar[str] = ""
    t: int = 0
    articles: tuple[str, ...] = ()

    def __init_subclass__(cls, *, kind: str = "") -> None:
        dataclass(frozen=True, kw_only=True)(cls)
        if kind:
            cls.kind = kind
            KINDS[kind] = cls

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


class PersonalRuling(Ruling):
    """A ruling about what a person did, or has to do."""

    by: str


class BoardRuling(Ruling):
    """A ruling about one of the boards."""

    board: str


class Proposable(Ruling):
    """A ruling that the Laws leave to the arbiter, if there is one. It is proposed first; with the
    arbiter's answer it comes again. ``status`` is None if nobody is asked."""

    status: Status | None = None


# --- touching and moving ---------------------------------------------------------------------


class Touched(Proposable, kind="touched"):
    """The player on move has touched a piece (4.3; D.2.2 on the special board). ``seen_by`` says
    so, if no board has felt it and the player has not said it; what an assistant says is the
    arbiter's to decide (D.2.10.5)."""

    by: str
    square: str
    piece: str
    seen_by: str | None = None


class Obliged(PersonalRuling, kind="obliged"):
    """The legal moves that fulfil an obligation. With none, ``free`` says that the player may
    play any legal move."""

    moves: tuple[str, ...]
    free: bool = False


class Adjusting(PersonalRuling, kind="adjusting"):
    """A player adjusts pieces (4.2)."""


class Announced(PersonalRuling, kind="announced"):
    """A move is announced; ``words`` are how the table announces it (D.2.1)."""

    move: str
    words: str


class Repeated(PersonalRuling, kind="repeated"):
    """The opponent has repeated the announcement (D.2.1)."""

    move: str
    words: str


class NotUnderstood(PersonalRuling, kind="not_understood"):
    """Words that are not an announcement."""

    text: str


class Ambiguous(PersonalRuling, kind="ambiguous"):
    """An announcement that fits several moves."""

    text: str
    moves: tuple[str, ...]


class RepeatDiffers(PersonalRuling, kind="repeat_differs"):
    """The opponent has repeated another move than was announced."""

    announced: str
    repeated: str


class SlipCorrected(PersonalRuling, kind="slip_corrected"):
    """A slip of the tongue is corrected before the opponent's clock runs (D.2.8)."""

    was: str
    now: str


class AnnouncementVoid(PersonalRuling, kind="announcement_void"):
    """The announced move was refused, because a touched piece or a wrong claim forbids it (4.3,
    9.5.3): the announcement does not count."""

    move: str


class TooLate(PersonalRuling, kind="too_late"):
    """A correction comes after the opponent's clock was started (D.2.8)."""


class Executed(BoardRuling, kind="executed"):
    """A board shows a move."""

    move: str


class ExecutedDiffers(BoardRuling, kind="executed_differs"):
    """A board shows another move than was announced."""

    announced: str
    executed: str


class Made(PersonalRuling, kind="made"):
    """A move is made: nothing more is asked of its player but the press (D.2.3, 4.7)."""

    move: str
    san: str


class NotMade(PersonalRuling, kind="not_made"):
    """A press before the move was made. ``missing`` holds any of "announced", "placed",
    "captured_piece_removed" and "promotion_piece"."""

    missing: tuple[str, ...]


class Completed(PersonalRuling, kind="completed"):
    """A move is completed. ``illegal``: it is an illegal move that stands (A.5.2)."""

    move: str
    ply: int
    illegal: bool = False


class ClockReading(Ruling, kind="clock"):
    """The clock that runs ("white", "black" or "none"), and the seconds left; the counts of moves
    if the arbiter has set them."""

    running: str
    white: Seconds
    black: Seconds
    white_moves: int | None = None
    black_moves: int | None = None


# --- what goes wrong -------------------------------------------------------------------------


@dataclass(frozen=True)
class CorrectingStep:
    """One thing that a hand does to correct a board: ``do`` is "lift", "place" or "remove"."""

    do: str
    piece: str
    square: str


@dataclass(frozen=True)
class DifferingSquare:
    """A square on which two boards differ: what stands there, None for nothing."""

    square: str
    white: str | None
    black: str | None


class IllegalMove(Proposable, kind="illegal"):
    """An illegal move was completed.

    ``number`` counts the player's illegal moves, this one included; ``undo`` brings the board
    back. ``claimable``: only the opponent may claim it. ``to_ply`` and both clocks are given when
    later moves go back with it, or the move was completed.
    """

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


class Penalty(Proposable, kind="penalty"):
    """The penalty for an offence of ``player``: ``seconds`` for ``gives``, the player's opponent,
    and ``takes`` seconds of the player's own; or the game, with ``loses``; or a warning, with
    ``penalty`` "warning"."""

    player: str
    loses: bool = False
    why: str | None = None
    result: str | None = None
    moves: tuple[str, ...] = ()
    gives: str | None = None
    seconds: Seconds | None = None
    takes: Seconds | None = None
    penalty: str | None = None


class Refused(PersonalRuling, kind="refused"):
    """Something that may not be done now. ``what`` is the kind of the fact, or the arbiter's
    decision."""

    what: str
    why: RefusalReason
    move: str | None = None
    ply: int | None = None
    square: str | None = None


class ArbiterNeeded(Proposable, kind="arbiter_needed"):
    """The arbiter must decide or do something; ``why`` says what. ``player`` did it, ``by`` is the
    person concerned; ``ply`` and ``text`` are an entry of a scoresheet. ``again``: the same player
    has called, and nothing has happened since. ``white`` and ``black``: where clocks must be set
    after a fault, the times that charge it to neither player, for the arbiter to choose or not."""

    why: ArbiterReason
    by: str | None = None
    player: str | None = None
    ply: int | None = None
    text: str | None = None
    again: bool = False
    white: Seconds | None = None
    black: Seconds | None = None


class TakeBack(Proposable, kind="take_back"):
    """The game goes back to the position after ``to_ply``, with these seconds on the clocks.
    ``new_game``: it is annulled and begun anew (7.2, 7.3). ``undone``: the plies up to ``to_ply``,
    which were taken back, stand again."""

    to_ply: int
    new_game: bool = False
    undone: bool = False
    white: Seconds
    black: Seconds
    why: str | None = None
    by: str | None = None
    square: str | None = None


class Undone(Ruling, kind="undone"):
    """The arbiter has undone the own decision ``what``, and says why. ``player`` was punished by
    it; ``to_ply``: the moves up to this ply stand again, or only these; ``reopened``: the game is
    not over any more."""

    what: str
    player: str | None = None
    to_ply: int | None = None
    reopened: bool = False
    reason: str = ""


class Attended(Ruling, kind="attended"):
    """The arbiter has seen to the matter ``why`` for which somebody called, and nothing more
    follows. ``player`` and ``by`` are those of the call."""

    why: ArbiterReason
    by: str | None = None
    player: str | None = None


# --- two boards, two scoresheets -------------------------------------------------------------


class BoardsDiffer(Ruling, kind="boards_differ"):
    """The boards differ on these squares (D.2.9)."""

    squares: tuple[DifferingSquare, ...]


class BoardsAgree(BoardRuling, kind="boards_agree"):
    """A board that was to be corrected is right again."""


class Scoresheets(Ruling, kind="scoresheets"):
    """The content of both scoresheets (D.2.9).

    ``ply`` and ``move``: both hold another move than the table, whose game now follows them. Where
    they part, ``from_ply`` is the ply, ``white`` and ``black`` are the entries and the others
    what each source says about that ply: the moves that the entries mean, the move as announced,
    the clocks when it was completed, and which of these moves each board shows.
    """

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


class Explained(BoardRuling, kind="explained"):
    """Explanations of what hands must have done on ``board``, of one or two slips each, and the
    table's words for them. The board does not tell several explanations apart."""

    explanations: tuple[Explanation, ...]
    words: str


class CheckBoard(BoardRuling, kind="check_board"):
    """``board`` shows something that hands are unlikely to have done. People look at it, above all
    at the squares in ``doubted``, before anything is ruled."""

    doubted: tuple[str, ...] = ()


class CorrectBoard(BoardRuling, kind="correct_board"):
    """``board`` must be brought to ``placement`` (FEN's first field); ``steps`` do it."""

    placement: str
    steps: tuple[CorrectingStep, ...]


class MustRecord(PersonalRuling, kind="must_record"):
    """A player must complete their scoresheet; ``ply`` is the first entry that is missing."""

    ply: int


class TwoBoardsDemanded(PersonalRuling, kind="two_boards"):
    """A player demands two boards (D.1)."""


class Owners(Ruling, kind="owners"):
    """Whether it is certain which board is whose. If not, each player must lift their own king and
    put it back."""

    known: bool


class SpecialBoardInspected(BoardRuling, kind="special_board"):
    """The requirements that a special board fulfils, those that it lacks, and the article of each
    (D.1.1 to D.1.4)."""

    fulfils: tuple[str, ...]
    missing: tuple[str, ...]
    citations: Mapping[str, str]


# --- claims, draws, the clock, the end -------------------------------------------------------


class FlagFell(Proposable, kind="flag"):
    """A flag fell: of "white", "black" or "both". ``called_by`` noticed it; ``undecided``: nobody
    can tell whether the opponent can still mate."""

    by: str
    called_by: str
    result: str | None = None
    undecided: bool = False


class Claimed(Proposable, kind="claim"):
    """A claim of a draw under ``rule``. ``correct`` is None where the arbiter must judge it."""

    by: str
    rule: str
    correct: bool | None = None


class ExtraTime(Proposable, kind="extra_time"):
    """A request for extra time in a quickplay finish (III.4): ``seconds`` a move."""

    by: str
    seconds: Seconds


class Late(Proposable, kind="late"):
    """A player has come ``seconds`` after the start, later than the default time (6.7.1)."""

    by: str
    seconds: Seconds


class Arrived(Ruling, kind="arrived"):
    """A player has come ``seconds`` after the start, within the default time: nobody loses by that,
    and their own time ran (6.7.1)."""

    by: str
    seconds: Seconds


class Consented(PersonalRuling, kind="consented"):
    """A player has said yes, or no, to what was proposed to both players."""

    given: bool


class DrawOffered(PersonalRuling, kind="draw_offered"):
    """A draw is offered; ``record`` is what both players write down. ``again``: the same player's
    offer stands already."""

    record: str
    again: bool = False


class DrawDeclined(PersonalRuling, kind="draw_declined"):
    """A draw offer is declined, by word or by touching a piece (9.1.2.1)."""


class GameOver(Ruling, kind="game_over"):
    """The end: ``result`` is "1-0", "0-1", "1/2-1/2" or "0-0"; ``reason`` says why."""

    result: str
    reason: str


class ResultCorrected(Ruling, kind="result_corrected"):
    """The arbiter has corrected the result of a game that was over, which was ``before``, and says
    why (8.7). The new one follows as a game_over."""

    before: str
    reason: str


# --- adjournment, people, answers ------------------------------------------------------------


@dataclass(frozen=True)
class Envelope:
    """The text on the envelope of an adjourned game (I.2)."""

    players: Mapping[str, str]
    position: str
    white: Seconds
    black: Seconds
    sealed_by: str
    move_number: int
    draw_offer: str | None


class Sealed(PersonalRuling, kind="sealed"):
    """A move was sealed; the ruling does not say which (I.1)."""


class AdjournmentAsked(PersonalRuling, kind="adjournment"):
    """A player would like to adjourn. ``declined``: the opponent has asked, and is refused."""

    declined: bool = False


class Signed(PersonalRuling, kind="signed"):
    """A player has signed ``result``; ``stands``: both have signed it (8.7)."""

    result: str
    stands: bool = False


class Adjourned(Ruling, kind="adjourned"):
    """The game is adjourned (I.2)."""

    envelope: Envelope


class AssistantPresence(Ruling, kind="assistant"):
    """Says whether the player ``of`` has an assistant from now on (D.2.10, D.2.11)."""

    of: str
    present: bool


class Presides(Ruling, kind="presides"):
    """Says whether an arbiter presides over the game from now on."""

    present: bool


class WarningsPermitted(Ruling, kind="warnings_permitted"):
    """From now on each player may be told when little of their own time is left."""


class AnnouncesIn(Ruling, kind="announces_in"):
    """The language in which moves are announced from now on; "de+nb": ranks in Norwegian."""

    language: str


class Answer(Ruling, kind="answer"):
    """The answer to a question of ``to``; ``about`` is the question's subject.

    ``white`` and ``black`` are the clocks in seconds; ``moves`` and ``plies`` count what was
    completed; ``fen`` is the position; ``move``, ``by`` and ``announcement`` are the last move;
    ``record`` holds all moves in SAN.
    """

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
    record: tuple[str, ...] = ()


# --- what a running table tells its listeners ------------------------------------------------


@dataclass(frozen=True)
class Origin:
    """The person or device that brought a fact. ``reports`` are the kinds of rulings that they
    report to the people concerned themselves; nobody else announces those."""

    name: str
    reports: tuple[type[Ruling], ...] = ()


TABLE = Origin("table")
"""The table itself and its devices."""


@dataclass(frozen=True)
class Taken:
    """A fact that was taken, its rulings, and who brought it."""

    fact: Fact
    rulings: tuple[Ruling, ...]
    origin: Origin = TABLE
