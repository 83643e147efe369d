"""The state of a game, and the means that every chapter of the Laws needs to speak about it.

:class:`State` has no rules of its own. The chapters (moving, ends, irregularities, sheets …) are
modules of functions that read and change it; :mod:`blindplay.laws.game` sends each fact to its
chapter.

Positions: ``board`` is the position after the last move that was completed or answered; the move
that is being announced, executed and made is in ``turn``. Each board on the table has a placement
of its own, because hands err and sensors see only that board.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, Self, TypeVar

import chess

from . import rulings as r
from .clock import Clock, ClockState, TimeControl
from .deviation import Explanation
from .editions import Edition, load
from .facts import Arbiter, Player, Setup
from .placement import Change, Pieces, change, difference, laid_over, pieces_of
from .reasons import MoveReason, RefusalReason
from .rulings import both_seconds
from .sheet_comparison import EntryReader
from .touch_obligation import Obligation

OTHER = {"white": "black", "black": "white"}
COLOURS = {"white": chess.WHITE, "black": chess.BLACK}
LOSES = {"white": "0-1", "black": "1-0"}
DRAW = "1/2-1/2"
SCANDINAVIAN = frozenset(("nb", "nn", "no", "sv", "da", "fo", "is"))

# The rulings that cite an assistant's task when an assistant acts (D.2.10.1 to 6).
_BY_ASSISTANTS = (r.Announced, r.Repeated, r.Executed, r.Completed, r.FlagFell, r.Touched, r.Sealed)

P = ParamSpec("P")
R = TypeVar("R", bound=r.Ruling)
PositionKey = tuple[Any, ...]


@dataclass(frozen=True)
class Heard:
    """The meaning of words. ``moves`` is one for "move", the candidates for "ambiguous", the
    probable intention for "illegal"; ``why`` is the reason why it is illegal."""

    kind: Literal["move", "ambiguous", "illegal", "other"]
    moves: tuple[chess.Move, ...] = ()
    why: MoveReason = ""


class Words(Protocol):
    """The language packs as the Laws see them."""

    def understand(self, text: str, board: chess.Board, language: str) -> Heard: ...

    def announce(
        self, board: chess.Board, move: chess.Move, language: str, edition: str, check: bool = False
    ) -> str:
        """Return the words for a legal move. ``check`` adds check and checkmate, which no text asks
        for."""
        ...

    def reader(self, entries: Collection[str], language: str = "") -> EntryReader:
        """Return a reader of the entries of a scoresheet. ``entries`` are all that it has, for they
        tell in which country's letters it is written; ``language`` is its player's. Nothing is
        repaired."""
        ...

    def diagnosis(
        self, explanations: Sequence[Explanation], board: str, first: str, language: str
    ) -> str:
        """Return what must have happened on ``board``, in words; nothing if there is no
        explanation. ``first`` is the side that made the first ply."""
        ...

    def answer(self, answer: r.Answer, language: str) -> str:
        """The words of an answer, from its figures."""
        ...


@dataclass
class TableBoard:
    """One board on the table, as it stands."""

    placement: dict[int, str]
    plies: int = 0  # completed plies that have been executed on it
    sensors: bool = False
    hand: list[tuple[int, str]] = field(default_factory=list)  # where it was lifted, what it is
    # Pieces whose names are guessed (see ``unidentified_pieces``), with what was lifted for each.
    unsure: dict[int, tuple[int, str]] = field(default_factory=dict)
    wanted: Pieces | None = None  # what it must be corrected to
    wanted_plies: int = 0  # completed plies that ``wanted`` shows
    # Differences from before the move at hand, by square: nobody made them with this move (7.6).
    inherited: Change = field(default_factory=dict)

    def show(self, pieces: Pieces) -> None:
        """From now on the board shows ``pieces``: nothing is in the hand, nothing is guessed."""
        self.placement = dict(pieces)
        self.hand.clear()
        self.unsure.clear()


@dataclass
class Turn:
    """The move of the player on move, as far as it has come."""

    touched: list[int] = field(default_factory=list)
    adjusting: bool = False  # the player on move adjusts pieces on their own board (4.2)
    announced: chess.Move | None = None
    announced_by: str = ""  # who spoke: a player or an assistant
    executed: chess.Move | None = None
    presumed: bool = False  # only because it was announced: nobody has said or felt it
    attempted: chess.Move | None = None  # entered at the console, but not legal
    misnamed: chess.Move | None = None  # announced, but not legal
    made: chess.Move | None = None
    unnamed_promotion: bool = False  # one was announced without its piece (D.2.1)
    begun: bool = False  # something was announced or executed that was not taken
    claim_lost: bool = False
    must_play: chess.Move | None = None  # the move of a wrong claim (9.5.3)
    castles: chess.Move | None = None  # the king was released where castling puts it (4.7.2)
    tried_castling: bool = False  # it was, where castling is illegal
    obligation: tuple[list[int], Obligation] | None = None  # what touching these obliges to
    ruled: bool = False  # somebody has asked for a ruling on what was touched (B.5 of fide-1997)
    doubted: bool = False  # a lift was lost, so nobody knows what was touched first
    asked: Change | None = None  # what the board showed when people were asked to check it


@dataclass(frozen=True)
class Ply:
    """A ply that was completed, or answered before it was.

    ``before`` and ``pieces`` are the position before it, ``clock`` the clocks when it was
    completed, ``announced`` the announcement, None if nobody made one. ``illegal`` is why the move
    is illegal though it stands.
    """

    before: chess.Board
    pieces: Pieces
    move: chess.Move
    clock: ClockState
    touched: tuple[int, ...] = ()
    completed: bool = True
    illegal: str = ""
    announced: chess.Move | None = None

    @property
    def spoken(self) -> chess.Move:
        """The move as people at the table heard it: as announced, else as executed."""
        return self.announced or self.move

    @property
    def misannounced(self) -> bool:
        """Return whether another move was announced than was made."""
        return self.announced not in (None, self.move)

    @property
    def side(self) -> str:
        return "white" if self.before.turn == chess.WHITE else "black"


@dataclass(frozen=True)
class TakenBack:
    """The plies that were taken back, from ``to_ply`` on, and the state before that. With it
    :func:`~.sheets.bring_back` restores the game. It lapses with the next ply."""

    to_ply: int
    plies: list[Ply]
    keys: list[PositionKey]
    entries: list[tuple[str, int, str]]
    settled: set[int]
    board: chess.Board
    pieces: Pieces
    turn: Turn
    clock: ClockState

    @property
    def last(self) -> int:
        """The number of the last ply."""
        return self.to_ply + len(self.plies)


class Effect:
    """What a decision does: a function of a chapter, and what it gets besides the game. It holds no
    game, so that in a fork of a game it acts on the fork."""

    def __init__(
        self, act: "Callable[Concatenate[State, P], None]", *args: P.args, **kwargs: P.kwargs
    ) -> None:
        self._act, self._args, self._kwargs = act, args, kwargs

    def __call__(self, game: "State") -> None:
        self._act(game, *self._args, **self._kwargs)


@dataclass(frozen=True)
class Pending:
    """A ruling that waits for the arbiter or for both players, and what the answers do."""

    ruling: r.Proposable
    confirm: Effect
    reject: Effect | None = None
    claim: str | None = None  # whose claim it is, if it is one
    claimable: bool = False  # the game goes on meanwhile; it lapses with the opponent's move
    price: r.Penalty | None = None  # the penalty that confirming it brings
    asked: frozenset[str] = frozenset()  # without an arbiter: the players who must still say yes

    @property
    def refusal(self) -> RefusalReason:
        """Return why nothing else can happen meanwhile."""
        return "waiting_for_players" if self.asked else "waiting_for_arbiter"

    @property
    def is_about_the_result(self) -> bool:
        """Return whether the game may have ended already: the arbiter says how (6.9, 9.5.2)."""
        losing = (one for one in (self.ruling, self.price) if isinstance(one, r.Penalty))
        about = isinstance(self.ruling, r.FlagFell | r.Late | r.Claimed | r.ArbiterNeeded)
        return about or any(one.loses for one in losing)


@dataclass(frozen=True)
class Price:
    """The penalty that confirming a proposal brings, and the rule that sets it."""

    rule: str
    penalty: r.Penalty


@dataclass(frozen=True)
class Decided:
    """A decision of the arbiter that can still be undone, and the game before and after it."""

    fact: Arbiter
    before: "State"
    after: "State"


@dataclass(frozen=True)
class Displacing:
    """``by`` must put right what they have displaced (7.4); with ``own_time`` their clock runs
    meanwhile, whoever is on move."""

    by: str
    own_time: bool


class State:
    """Everything a game's facts have come to. The attributes are for reading from outside."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.setup: Setup | None = None
        self.edition: Edition = load("fide-2023")
        self.board = chess.Board()
        self._after = self.board, chess.Move.null(), self.board  # the last answer of ``after``
        self.pieces: Pieces = pieces_of(self.board)
        self.start_board = chess.Board()
        self.turn = Turn()
        self.history: list[Ply] = []
        self.sheets: dict[str, dict[int, str]] = {"white": {}, "black": {}}
        self.struck: list[tuple[str, int, str]] = []
        self.clock = Clock(TimeControl(()))
        self.tables: dict[str, TableBoard] = {}
        self.owners_known = True  # False: the table cannot tell which board is whose
        self.started = False
        self.started_at = 0
        self.result: str | None = None
        self.offers: set[str] = set()
        self.repeated: set[str] = set()  # sides that repeated the last announcement (D.2.1)
        self.pending: Pending | None = None
        self.illegal_moves = {"white": 0, "black": 0}
        # None: nobody has said whether there is one. Only a declared assistant may act.
        self.assistants: dict[str, bool | None] = {"white": None, "black": None}
        self.helping: str | None = None  # the rule under which an assistant acts in this fact
        self.displacing: Displacing | None = None
        self.announce_in = ""  # the language of announcements; "" is the Laws' one
        self.presided = True  # there is an arbiter: their decisions wait for them
        self.served = False  # a server keeps the time and gives the result: no flag falls, nothing
        # is punished, and only checkmate and stalemate end the game by themselves
        self.warnings_permitted = False  # each player may be told of little time of their own
        self.arrived: set[str] = set()
        self.swapped = False  # the players have changed colours since the setup (7.3)
        self.wants_to_adjourn = ""  # the side, until the opponent answers or a move is completed
        self.adjourning = False  # the arbiter has asked for a sealed move
        self.sealed: str | None = None
        self.adjourned = False
        self.resumed_at: int | None = None  # when the game that was adjourned went on
        self.resumed_from = 0  # plies at the adjournment, the sealed move included
        self.sealed_reply = False  # what is sealed answers a sealed move (I.9.3)
        self.delivered = False  # that answer lies with the arbiter: the clock has been pressed
        self.looks = {"white": 0, "black": 0}  # how often each has asked for the scoresheet
        self.signed: dict[str, str] = {}  # the result that each player has signed
        self.corrected = False  # the arbiter has corrected the result: players sign no other one
        # Calls for the arbiter since the arbiter's last fact, the newest first.
        self.calls: tuple[r.ArbiterNeeded, ...] = ()
        # The arbiter's decisions since the last move was completed, the newest last.
        self.decisions: tuple[Decided, ...] = ()
        self.keys: list[PositionKey] = []  # of the positions before each ply, and of ``board``
        self.told_missing: dict[str, int] = {}
        self.exempt: dict[str, int] = {}  # by side, the period without the duty to record (8.4)
        self.offered_at: list[tuple[int, str]] = []  # ply and side of every draw offer: (=)
        self.differ_told: tuple[Any, ...] | None = None
        self.taken_back: TakenBack | None = None
        self.settled: set[int] = set()  # plies of which the arbiter has said what was played
        self.ended_by: tuple[str, ...] = ()  # the rules under which the game ended
        self.out: list[r.Ruling] = []
        self.t = 0
        self.start_clocks = ClockState({}, {}, {}, {})

    # --- what others may ask ---------------------------------------------------------------

    @property
    def side(self) -> str:
        """Return the side on move: "white" or "black"."""
        return "white" if self.board.turn == chess.WHITE else "black"

    @property
    def forfeited(self) -> bool:
        """True if a player lost because they did not come in time (6.7.1, I.10)."""
        return bool({"late", "late_at_resumption"} & {*self.ended_by})

    @property
    def paused(self) -> str:
        """Return the cause why the clocks stand until the arbiter starts them; "" if there is
        none."""
        return self.clock.stopped_by

    @property
    def unattended(self) -> tuple[r.ArbiterNeeded, ...]:
        """The calls to which the arbiter has not seen; starting the clocks is a step of its own."""
        return tuple(one for one in self.calls if one.why != "start_clocks")

    @property
    def over(self) -> bool:
        return self.result is not None

    @property
    def position(self) -> chess.Board:
        """The position after the last move that was made, completed or not."""
        made = self.turn.made
        return (self.board if made is None else self.after(made)).copy(stack=False)

    def position_pieces(self) -> Pieces:
        """Return the placement after the last move that was made."""
        if self.turn.made is None:
            return self.pieces
        return laid_over(self.pieces, change(self.board, self.turn.made))

    def after(self, move: chess.Move) -> chess.Board:
        """The position after ``move``, without its past; for reading only."""
        if self._after[0] is not self.board or self._after[1] != move:
            board = self.board.copy(stack=False)
            board.push(move)
            self._after = self.board, move, board
        return self._after[2]

    def player(self, side: str) -> Player:
        assert self.setup is not None
        return self.setup.player(side)

    def impaired(self, side: str) -> bool:
        return self.player(side).impaired

    def board_of(self, side: str) -> str:
        """Return the board that ``side`` plays on; with one board both play on "white"."""
        return side if len(self.tables) == 2 else "white"

    def outstanding(self, board: str) -> list[Ply]:
        """Completed plies that have not yet been executed on ``board``."""
        return self.history[self.tables[board].plies :]

    def shown_after(self, plies: int) -> Pieces:
        """The placement after that many plies."""
        return self.history[plies].pieces if plies < len(self.history) else self.pieces

    def unpressed(self) -> list[Ply]:
        """Plies that have been answered, though their player has not yet pressed the clock."""
        return [ply for ply in self.history if not ply.completed]

    def complete_all(self) -> None:
        """All plies are completed now, pressed or not."""
        self.history = [
            ply if ply.completed else replace(ply, completed=True) for ply in self.history
        ]

    @property
    def regime(self) -> str:
        """Return the kind of game that the edition is asked about; see
        :class:`~.editions.Edition`."""
        assert self.setup is not None
        mode = self.setup.mode
        if mode != "standard":
            supervised = self.setup.supervised and self.edition.switch("supervision")
            return f"{mode}_supervised" if supervised else mode
        if self.setup.quickplay_finish and self.clock.in_last_period(self.side):
            return "quickplay"
        return "standard"

    def switch(self, name: str) -> Any:
        return self.edition.switch(name, self.regime)

    def announcing_language(self) -> str:
        """The pack that moves are announced in: what the arbiter has decided, "de+nb" with the
        ranks of another; else German or, between Scandinavian players where the edition says so,
        the words of the player on move (D.2.1 of fide-2023)."""
        words, plus, ranks = self.announce_in.partition("+")
        words = words or "de"
        languages = [self.player(side).language for side in OTHER]
        if (
            self.announce_in in ("", f"de+{ranks}")
            and self.switch("scandinavian_words")
            and all(re.split("[-_]", language.lower())[0] in SCANDINAVIAN for language in languages)
        ):
            words = self.player(self.side).language
        return words + plus + ranks if self.switch("ranks_by_arbiter") else words

    def announcement(self, board: chess.Board, move: chess.Move) -> str:
        """Return the words that announce ``move`` at this table."""
        assert self.setup is not None
        language, check = self.announcing_language(), self.setup.announce_check
        return self.words.announce(board, move, language, self.edition.id, check)

    def fork(self) -> Self:
        """Return a game that goes on from here by itself: this one stays as it is."""
        forked: Self = _forked(self)
        return forked

    # --- speaking --------------------------------------------------------------------------

    def rule(self, ruling: R, *rules: str) -> R:
        """Give a ruling that rests on these rules of the edition."""
        if self.helping is not None and isinstance(ruling, _BY_ASSISTANTS):
            rules = (*rules, self.helping)
        self.out.append(ruling.stamped(self.t, _cited(self.edition, self.regime, rules)))
        return ruling

    def refuse(
        self,
        by: str,
        what: str,
        why: RefusalReason,
        *rules: str,
        move: str | None = None,
        ply: int | None = None,
        square: str | None = None,
    ) -> None:
        """Refuse ``what`` to ``by``; without ``rules`` it rests on the arbiter's powers."""
        ruling = r.Refused(by=by, what=what, why=why, move=move, ply=ply, square=square)
        if why == "game_over" and self.ended_by:
            rules = self.ended_by
        self.rule(ruling, *(rules or ("arbiter",)))

    def tell_clock(self, *rules: str, counted: bool = False) -> None:
        """Give both clocks, and with ``counted`` both counts of moves; without a time control there
        is nothing to give."""
        if not self.clock:
            return
        moves = self.clock.moves
        reading = r.ClockReading(
            running=self.clock.running or "none",
            **both_seconds(self.clock.left),
            white_moves=moves["white"] if counted else None,
            black_moves=moves["black"] if counted else None,
        )
        self.rule(reading, *rules)

    def resume(self, rule: str = "arbiter") -> None:
        """The clock that stood goes on, if the game has begun."""
        if self.started and not self.paused:
            self.clock.start(whose_clock(self))
        self.tell_clock(rule)

    @property
    def executing(self) -> str:
        """The rule that an executed move rests on: repeating and executing what was announced
        where somebody is impaired (D.2.1), else releasing (4.7)."""
        return "announcing" if any(self.impaired(side) for side in OTHER) else "released"

    # --- going on --------------------------------------------------------------------------

    def advance(self, *, completed: bool, illegal: str = "") -> Ply:
        """The move that was made (or stands) becomes a ply; the other player is on move."""
        move = self.turn.made
        assert move is not None
        touched = tuple(self.turn.touched)
        ply = Ply(
            self.board, self.pieces, move, self.clock.snapshot(), touched, completed, illegal,
            self.turn.announced,
        )  # fmt: skip
        after = self.position_pieces()
        for name, table in self.tables.items():
            if not self.outstanding(name) and table.placement == after:
                table.plies += 1
                table.hand.clear()
        self.history.append(ply)
        self.board = self.after(move)
        self.pieces = after
        self.keys.append(position_key(self.board))
        self.turn = Turn()
        self.displacing, self.wants_to_adjourn = None, ""
        self.note_what_stands_wrong()
        return ply

    def note_what_stands_wrong(self) -> None:
        """A turn begins: what stands wrong on the boards now is not part of the next move."""
        for table in self.tables.values():
            table.inherited = difference(table.placement, self.pieces)

    def done_on(self, board: str) -> Change:
        """Return what hands have changed on ``board`` since the turn began, against the position
        before the move."""
        table = self.tables[board]
        shown = difference(table.placement, self.pieces)
        return {square: now for square, now in shown.items() if square not in table.inherited}


def _forked(value: Any) -> Any:
    """Return a copy of everything that facts change. They never change a board, a ply, a ruling or
    a move in its place; a fork shares them."""
    if isinstance(value, dict):
        return {key: one if type(one) in _SHARED else _forked(one) for key, one in value.items()}
    if isinstance(value, list | set):
        return value.copy()
    if isinstance(value, State | Clock | Turn | TableBoard | TakenBack):
        copied = object.__new__(type(value))
        vars(copied).update(_forked(vars(value)))
        return copied
    return value


# Most of what there is to fork: a look at its type is faster than a call.
_SHARED = frozenset({int, str, bool, float, tuple, frozenset, type(None), chess.Move, chess.Board})


def enveloped(game: State) -> bool:
    """Return whether the next move lies in an envelope, where no hand changes it (I.1.1, I.9.3)."""
    return game.adjourned or game.delivered


def whose_clock(game: State) -> str:
    """Return the side whose clock runs, or goes on when nobody stops the clocks any more: the
    player on move, unless something is done on the other player's time (6.2.2, 7.4.1, I.9)."""
    if game.displacing is not None and game.displacing.own_time:
        return game.displacing.by
    if enveloped(game):
        return OTHER[game.side]  # what lies in the envelope is the move of the player on move
    waiting = game.unpressed()
    return waiting[0].side if waiting else game.side


@cache
def _cited(edition: Edition, regime: str, rules: tuple[str, ...]) -> tuple[str, ...]:
    """The articles of some rules, each once."""
    return tuple(dict.fromkeys(one for name in rules for one in edition.cite(name, regime)))


def position_key(board: chess.Board) -> PositionKey:
    """Return a key that is equal for the same positions (9.2.3): the same player on move, the same
    pieces on the same squares, the same moves possible. En passant counts only if it can really be
    played, and castling while king and rook have not moved."""
    return (
        board.turn,
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[chess.WHITE],
        board.clean_castling_rights(),
        board.ep_square if board.ep_square and board.has_legal_en_passant() else None,
    )


def legal(board: chess.Board, uci: str) -> chess.Move | None:
    """The legal move with this UCI, castling in either spelling; None if there is none."""
    try:
        move = board.parse_uci(uci)
    except ValueError:
        return None
    # After an illegal move that stands, a king may be attacked by the player on move, never taken.
    kings = board.kings & board.occupied_co[not board.turn]
    return None if not move or chess.BB_SQUARES[move.to_square] & kings else move


def san(board: chess.Board, move: chess.Move) -> str:
    """A legal move in SAN. It uses a copy, since python-chess plays the move on the board, and
    another thread may be reading that board."""
    return board.copy(stack=False).san(move)


def understand(game: State, side: str, text: str, board: chess.Board) -> Heard:
    """An announcement of ``side``, in the language of announcements or in their own; a move in
    either is one."""
    languages = (game.announcing_language(), game.player(side).language)
    known = filter(None, dict.fromkeys(languages))
    heard = [game.words.understand(text, board, language) for language in known]
    return min(heard, key=lambda one: {"move": 0, "other": 2}.get(one.kind, 1))
