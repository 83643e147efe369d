"""What a person at a table believes, and what each sentence lets them expect.

:data:`TOLD` is the table of sentences, and of what each of them says: who does what next. So it is
the specification of what people must be told.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import chess

from blindplay.language import Language, load
from blindplay.laws.facts import SIDES
from blindplay.laws.state import OTHER

from .vocabulary import Heard, Vocabulary

ANYBODY, ARBITER = "anybody", "arbiter"
_ANSWER_S = 15.0
"""Seconds after an act within which a sentence may be the answer to it."""


@dataclass(frozen=True)
class Due:
    """What happens next as far as somebody was told: ``who`` does ``what``. Nobody was told who if
    ``who`` is empty."""

    who: str
    what: str


@dataclass
class Mind:
    """What the person of ``side`` (one of :data:`~blindplay.laws.facts.PEOPLE`) believes, from
    sentences only."""

    side: str
    board: chess.Board = field(default_factory=chess.Board)
    announced: chess.Move | None = None
    base: Due | None = None
    """The next move of the game, or what stands in its place."""
    halted: Due | None = None
    """What must happen before the game goes on."""
    asked: Due | None = None
    """A question that is open, and whom it was put to."""
    question: str = ""
    """The words of that question."""
    consents: set[str] = field(default_factory=set)
    """The players who still have to say yes or no."""
    wants_to_adjourn: str = ""
    offered: str = ""
    """The player whose offer of a draw was heard, and not yet thought about."""
    presided: bool = False
    """True if an arbiter sits at the table."""
    opens: bool = False
    """True if the table wants its opening word before a command."""
    actor: str = ""
    """The person who acted last: what the table says then is an answer to them."""
    actor_asks: bool = False
    presser: str = ""
    """The player whose clock the last act presses; Enter is for the one whose clock runs."""
    one_enter: bool = False
    """True once a typed move was completed although nobody had pressed: it is from now on."""
    acted_at: float = 0.0
    now: float = 0.0
    apart: bool = False
    """True if what is for this person alone comes to them alone."""
    alone: bool = False
    """True if nobody else hears the sentence that is being heard."""
    foreign_answer: bool = False
    """True once the person who acted last was told something that this person cannot read."""
    speakers: Collection[str] = ("white", "black", ARBITER)
    """The people in whose own language the sentence is that is being heard. What is for one person
    alone is said in that person's language."""
    over: bool = False
    led: str = ""
    """The side whose board hands are led on, step by step."""
    steps: list[str] = field(default_factory=list)
    """What the own hands have to do there now, as :meth:`.PegBoard.do` has it."""
    content: bool = True
    """False once something was told about the pieces on the boards."""
    bound: bool = False
    """True if only a touched piece may be moved."""
    owed: tuple[chess.Move, ...] = ()
    """The moves among which the robot was told to choose; empty if any will do."""
    touched: str = ""
    """The square of a piece that the player on move has touched, as everybody was told."""
    named: chess.Move | None = None
    """The move that is to be executed or repeated, as far as somebody was told."""
    last_key: str = ""

    @property
    def due(self) -> Due | None:
        """Return what comes next; None if nobody told it."""
        if self.consents:
            who = self.side if self.side in self.consents else min(self.consents)
            return Due(who, "consent")
        if self.steps and self.asked is None:
            return Due(self.side, "hands")
        if self.led not in ("", self.side) and self.halted == Due(ANYBODY, "enter"):
            return Due(self.led, "hands")
        waits = self.halted or self.base
        own = waits is not None and waits.who == self.side
        if self.asked is not None and (self.asked.who == self.side or not own):
            return self.asked
        return waits

    @property
    def told(self) -> str:
        """Return the player whom a sentence without a name is for: the only one who hears it, or
        whose language it is; the player who has announced, the one whom it answers, or the player
        on move."""
        answers = self.now - self.acted_at < _ANSWER_S
        answers = answers and (self.actor_asks or self.announced is None)
        return self._listener(self.actor if answers else self.turn, SIDES)

    @property
    def asker(self) -> str:
        """Return the person whom a question is for: the one who acted last, if it is in their
        language."""
        return self._listener(self.actor, (*SIDES, ARBITER))

    def _listener(self, likely: str, people: Collection[str]) -> str:
        if self.alone:
            return self.side
        others = [one for one in people if one != self.side or not self.apart]
        may = [one for one in others if one in self.speakers] or others
        return likely if likely in may else self.turn if self.turn in may else next(iter(may))

    @property
    def turn(self) -> str:
        return "white" if self.board.turn else "black"

    # --- what sentences change ---------------------------------------------------------------

    def moves(self, player: str) -> None:
        """``player`` is on move. What was announced by the other one is completed."""
        if self.announced is not None and player != self.turn:
            self.board.push(self.announced)
            self.announced = self.halted = self.named = None
            self.touched = ""
        self.base = Due(player, "announce" if self.announced is None else "press")

    def hears_move(self, move: chess.Move) -> None:
        """A legal move was announced."""
        self.announced = move
        self.asked = None
        if self.one_enter and self.actor == self.side == self.turn:
            self.moves(OTHER[self.side])
        elif self.base is None or self.base.what in ("announce", "press", "execute"):
            self.base = Due(self.turn, "press")

    def runs(self, player: str) -> None:
        """The clock of ``player`` runs."""
        self.halted = None
        completed = self.announced is not None and player != self.turn
        if self.base is None or (completed and self.base.what in ("press", "repeat", "execute")):
            self.moves(player)

    def ask(self, who: str, what: str, words: str) -> None:
        self.asked, self.question = Due(who, what), words

    def end(self) -> None:
        """The game is over."""
        self.over, self.asked, self.halted, self.announced = True, None, None, None
        self.consents.clear()
        self.base = Due(ANYBODY, "quit")

    def begin_again(self) -> None:
        """The table has been started again."""
        self.announced, self.base, self.halted, self.asked = None, None, None, None
        self.consents.clear()
        self.steps.clear()
        self.over, self.led, self.one_enter = False, "", False

    def back_to(self, plies: int) -> None:
        """All moves after so many plies are taken back."""
        while len(self.board.move_stack) > plies:
            self.board.pop()
        self.announced, self.asked, self.touched = None, None, ""
        self.consents.clear()
        self.base = Due(self.turn, "announce")

    def played(self, player: str, move: chess.Move | None) -> None:
        """``move`` is the last one of ``player``: played now if it is new, or known already."""
        if move is not None and player == self.turn and self.board.is_legal(move):
            self.board.push(move)
            self.announced = None
            self.base = Due(self.turn, "announce")


@dataclass(frozen=True)
class Words:
    """A sentence that was heard, and means of reading its values."""

    heard: Heard
    known: Vocabulary
    announcing: Language

    @property
    def player(self) -> str:
        """The side that is named."""
        return self.known.side(self.heard.values["player"])

    def move(self, board: chess.Board, name: str = "move") -> chess.Move | None:
        """The legal move that is named, in the language of announcements or of the sentence."""
        packs = (self.announcing, self.known.pack)
        found = (pack.understand(self.heard.values[name], board).move for pack in packs)
        return next((move for move in found if move is not None), None)

    def last_move(self, board: chess.Board) -> chess.Move | None:
        """The move that is named, if it is the last one played on ``board``."""
        before = board.copy()
        played = before.pop() if before.move_stack else None
        return played if self.move(before) == played else None

    @property
    def number(self) -> int:
        """The number of a move."""
        return self.known.number(self.heard.values["number"])

    @property
    def text(self) -> str:
        """The whole sentence."""
        return self.heard.text

    def square(self, name: str = "square") -> str:
        """The square in a value: "e4"."""
        return self.known.square(self.heard.values[name])

    @property
    def piece(self) -> str:
        """The piece in a value: "P"."""
        return self.known.piece(self.heard.values["piece"])


Rule: TypeAlias = Callable[[Mind, Words], None]


def _base(who: str, what: str) -> Rule:
    def rule(mind: Mind, words: Words) -> None:
        mind.base = Due(who, what)

    return rule


def _base_of_player(what: str) -> Rule:
    def rule(mind: Mind, words: Words) -> None:
        mind.base = Due(words.player, what)

    return rule


def _mover(what: str) -> Rule:
    """The player on move does this, and the sentence was for them."""

    def rule(mind: Mind, words: Words) -> None:
        if what == "announce":
            mind.announced = None
        mind.base = Due(mind.turn, what)

    return rule


def _halted(who: str, what: str) -> Rule:
    def rule(mind: Mind, words: Words) -> None:
        mind.halted = Due(who, what)

    return rule


def asks(what: str) -> Rule:
    """A question, mostly to the person who acted last."""

    def rule(mind: Mind, words: Words) -> None:
        mind.ask(mind.asker, what, words.text)

    return rule


def _nothing(mind: Mind, words: Words) -> None:
    """It tells something, and nothing to do."""


def _adjourned(mind: Mind, words: Words) -> None:
    if mind.base is not None and mind.base.what in ("leave", "open by key", "open"):
        return  # it is known, and the sentence refuses something else
    mind.base, mind.asked, mind.announced, mind.halted = None, None, None, None
    mind.wants_to_adjourn = ""


def _resumes(who: str, what: str) -> Rule:
    """The adjourned game is resumed so, and its clocks stand until then."""

    def rule(mind: Mind, words: Words) -> None:
        mind.halted, mind.base = None, Due(who, what)

    return rule


def _opened(mind: Mind, words: Words) -> None:
    mind.announced = None
    player, move = words.player, words.move(mind.board)
    mind.played(player, move)
    mind.base = Due(OTHER[player], "announce")


def _paused(mind: Mind, words: Words) -> None:
    """Whoever asked for the pause ends it."""
    mind.halted = Due(mind.actor, "resume")


def _goes_on(mind: Mind, words: Words) -> None:
    mind.halted = None
    mind.consents.clear()


def _clocks_stopped(mind: Mind, words: Words) -> None:
    if mind.halted is None:
        mind.halted = Due(ARBITER if mind.presided else "", "start")


def _nothing_to_confirm(mind: Mind, words: Words) -> None:
    if mind.halted == Due(ARBITER, "settle"):
        mind.halted = Due(ARBITER, "start")


def _nothing_to_start(mind: Mind, words: Words) -> None:
    if mind.halted == Due(ARBITER, "start"):
        mind.halted = None


def _wants_to_adjourn(mind: Mind, words: Words) -> None:
    mind.wants_to_adjourn = words.player


def _claimed(mind: Mind, words: Words) -> None:
    if mind.presided:
        mind.halted = Due(ARBITER, "confirm")


def _seals(mind: Mind, words: Words) -> None:
    mind.halted, mind.wants_to_adjourn = None, ""
    mind.base = Due(words.player, "seal")


def _asked_by_name(mind: Mind, words: Words) -> None:
    mind.ask(words.player, "answer", words.text)


def _presided(mind: Mind, words: Words) -> None:
    mind.presided = True


def _opening_word(mind: Mind, words: Words) -> None:
    mind.opens = True


def _withdrawn(mind: Mind, words: Words) -> None:
    mind.presided = False


def _offered(mind: Mind, words: Words) -> None:
    mind.offered = words.player


def _void(mind: Mind, words: Words) -> None:
    mind.announced = None
    mind.base = Due(mind.turn, "announce")


def _corrected(mind: Mind, words: Words) -> None:
    if (move := words.move(mind.board)) is not None:
        mind.hears_move(move)


def _announced_now(mind: Mind, words: Words) -> None:
    if words.player == mind.turn:
        _corrected(mind, words)


def _executed_counts(mind: Mind, words: Words) -> None:
    if (move := words.move(mind.board, "executed")) is not None:
        mind.hears_move(move)


def _clock_runs(mind: Mind, words: Words) -> None:
    mind.runs(words.player)


def _to_move(mind: Mind, words: Words) -> None:
    mind.moves(words.player)


def _pressed(mind: Mind, words: Words) -> None:
    """The clock of the player on move was pressed, if need be by the move that they typed."""
    mind.one_enter |= not mind.presser and mind.actor == mind.side == mind.turn
    mind.moves(words.player)


def _begins(mind: Mind, words: Words) -> None:
    mind.halted = None
    mind.moves(mind.turn)


def _consent(mind: Mind, words: Words) -> None:
    mind.consents.add(words.player)


def _consented(mind: Mind, words: Words) -> None:
    mind.consents.discard(words.player)


def _take_back(mind: Mind, words: Words) -> None:
    mind.back_to(2 * words.number - (words.player == "white"))


def _take_back_all(mind: Mind, words: Words) -> None:
    mind.back_to(0)


def _last_move(mind: Mind, words: Words) -> None:
    mind.played(words.player, words.move(mind.board))


def _settled(mind: Mind, words: Words) -> None:
    """It answers a question."""


def _ends(mind: Mind, words: Words) -> None:
    mind.end()


def _left(mind: Mind, words: Words) -> None:
    mind.begin_again()
    mind.base = Due(ANYBODY, "come back")


def _again(mind: Mind, words: Words) -> None:
    mind.begin_again()


def _enter(mind: Mind, words: Words) -> None:
    mind.led, mind.halted = "", Due(ANYBODY, "enter")
    mind.steps.clear()


def _is_led(mind: Mind, words: Words) -> None:
    mind.led, mind.content = words.player, False
    if words.player == mind.side:
        mind.steps.clear()


def _step(mind: Mind, step: str) -> None:
    """``step`` is due at the board on which hands are led."""
    if mind.led == mind.side:
        mind.steps.append(step)


def _puts_right(mind: Mind, words: Words) -> None:
    """The listener puts their own board right. The first step follows."""
    mind.led, mind.content = mind.told, False
    mind.steps.clear()


def _lift(mind: Mind, words: Words) -> None:
    _step(mind, f"lift {words.square()}")


def _place(mind: Mind, words: Words) -> None:
    _step(mind, f"place {words.square()} {words.piece}")


def _only(*rules: Rule) -> Rule:
    """One step, which stands in the place of the one before."""

    def rule(mind: Mind, words: Words) -> None:
        mind.steps.clear()
        for one in rules:
            one(mind, words)

    return rule


def _carry(mind: Mind, words: Words) -> None:
    _step(mind, f"lift {words.square()}, place {words.square('to')} {words.piece}")


def _is_set_up(mind: Mind, words: Words) -> None:
    mind.steps.clear()
    mind.led = ""


def _of_boards(mind: Mind, words: Words) -> None:
    """Something about the pieces on the boards: the hands are looked at again."""
    mind.content = False


def _pressed_too_early(mind: Mind, words: Words) -> None:
    """The press did not complete the move, as everybody hears."""
    mind.content, mind.foreign_answer = False, False


def _bound(mind: Mind, words: Words) -> None:
    mind.bound = True


def _touched(mind: Mind, words: Words) -> None:
    mind.touched = words.square()


def _step_is(what: str, *, halts: bool = False) -> Rule:
    """The step of the person who is told: the game goes on, or stands until it is done."""

    def rule(mind: Mind, words: Words) -> None:
        mind.asked = None
        mind.halted = Due(mind.told, what) if halts else None
        if what == "announce":
            mind.moves(mind.told)  # what the opponent had announced is completed
            mind.announced = None
        if not halts:
            mind.base = Due(mind.told, what)

    return rule


def _owes(fits: Callable[[Mind, Words, chess.Move], bool]) -> Rule:
    """The step of the person who is told is a move of a certain kind."""

    def rule(mind: Mind, words: Words) -> None:
        if mind.base != Due(mind.told, "seal"):  # a move to be sealed is owed, too
            _step_is("announce")(mind, words)
        if mind.told == mind.side:
            legal = mind.board.legal_moves
            mind.owed = tuple(move for move in legal if fits(mind, words, move))

    return rule


def _announces_made(mind: Mind, words: Words) -> None:
    """The listener has made a move by hand, and announces it."""
    _owes(lambda mind, words, move: move == words.move(mind.board))(mind, words)
    if mind.told == mind.side:
        mind.announced = words.move(mind.board)


def _leaves(move: chess.Move, square: str) -> bool:
    return chess.square_name(move.from_square) == square


def _reaches(move: chess.Move, square: str) -> bool:
    return chess.square_name(move.to_square) == square


def _step_with_move(what: str) -> Rule:
    """The step of the person who is told is about a move that was announced, or played last. The
    opponent repeats it (D.2.1)."""

    def rule(mind: Mind, words: Words) -> None:
        if mind.announced is None and (move := words.move(mind.board)) is not None:
            mind.announced = move
        repeats = mind.turn if mind.announced is None else OTHER[mind.turn]
        told = mind.side if mind.alone else repeats if what == "repeat" else mind.told
        if told == mind.side:
            mind.named = words.move(mind.board) or words.last_move(mind.board)
        mind.asked, mind.halted, mind.content = None, None, False
        if told == mind.side == mind.led:
            mind.led = ""  # hands are led no more
            mind.steps.clear()
        own = mind.base is not None and mind.base.who == mind.side
        if told == mind.side or not own or what != "execute":  # each player has a board
            mind.base = Due(told, what)

    return rule


def _waits_for(what: str, *, halts: bool = False) -> Rule:
    """The person who is told waits until somebody else has done this, who may hear it, too."""

    def rule(mind: Mind, words: Words) -> None:
        if mind.side in (mind.told, words.player):
            due = Due(words.player, what)
            mind.halted = due if halts else None
            if not halts:
                mind.base = due

    return rule


def _consent_is_due(mind: Mind, words: Words) -> None:
    mind.consents.add(mind.told)


def _enter_does_it(mind: Mind, words: Words) -> None:
    if mind.halted is not None and mind.halted.what == "resume":
        mind.halted = Due(ANYBODY, "enter")
    elif mind.base is not None and mind.base.what == "open by word":
        mind.base = replace(mind.base, what="open by key")
    elif mind.base is not None and mind.base.what == "execute":
        mind.base = replace(mind.base, what="press")


def _arbiter_types(mind: Mind, words: Words) -> None:
    typed = words.heard.values["words"].split()[0]
    if mind.halted is None and mind.base is not None and mind.base.who == ARBITER:
        mind.base = Due(ARBITER, typed)
    else:
        mind.halted = Due(ARBITER, typed)


TOLD: Mapping[str, Rule] = {
    # Before the game, and when it goes on.
    "begin_key": _enter,
    **dict.fromkeys(("going_on", "interrupted", "interrupted_charged", "stood_still"), _again),
    "going_on_key": _enter,
    **dict.fromkeys(("begin_all_the_same", "model_offer"), asks("answer")),
    "begin_arbiter": _presided,
    "arbiter_presides": _presided,
    "arbiter_withdrew": _withdrawn,
    "game_begins": _begins,
    "help_opened": _opening_word,
    # The ordinary course of the game.
    "to_move": _to_move,
    "pressed": _pressed,
    "clock_started": _clock_runs,
    "last_move": _last_move,
    "announced_before": _corrected,
    "corrected": _corrected,
    "announced_now": _announced_now,
    "executed_counts": _executed_counts,
    "announcement_void": _void,
    "press_unbegun": _mover("announce"),
    "not_made_entered": _mover("announce"),
    "not_made_announced": _mover("announce"),
    "not_made_unexecuted": _mover("execute"),
    "illegal_number": _void,
    "help_announce": _mover("announce"),
    "attempt_names": _mover("announce"),
    "attempt_otherwise": _mover("announce"),
    # The boards.
    "set_up_begin": _is_led,
    "set_up_place": _only(_place),
    "set_up_move": _only(_carry),
    "set_up_aside": _only(_lift),
    "set_up_remove": _only(_lift),
    "set_up_remove_unknown": _only(_lift),
    "set_up_done": _is_set_up,
    "boards_equal": _is_set_up,
    "needed_records_missing": _goes_on,
    "needed_penalty": _goes_on,
    "correct_board": _is_led,
    "correct_board_lift": _lift,
    "correct_board_place": _place,
    "correct_board_remove": _lift,
    "check_board": _pressed_too_early,
    "executed_differs": _of_boards,
    "boards_differ": _of_boards,
    "not_made_placed": _of_boards,
    "not_made_captured_piece_removed": _of_boards,
    "not_made_promotion_piece": _of_boards,
    "illegal_touched_piece": _bound,
    "touched": _touched,
    # Questions.
    "begun_where": asks("destination"),
    "ambiguous": asks("choice"),
    "confirm_move": asks("answer"),
    **{key: asks("answer") for key in load("en").sentences() if key.endswith("_sure")},
    "correct_which": asks("move"),
    "correct_how": asks("move"),
    "promotion_which": asks("promotion"),
    "question_lapsed": _settled,
    "no_arbiter": _settled,
    "no_arbiter_clock": _settled,
    "repeat_please": asks("move"),
    "cancelled": _settled,
    # Both players decide.
    "consent_due": _consent,
    "consent_given": _consented,
    "consent_refused": _goes_on,
    "take_back": _take_back,
    "take_back_all": _take_back_all,
    "new_game": _take_back_all,
    "draw_offered": _offered,
    "draw_declined": _settled,
    # The clocks stand.
    "pause": _paused,
    "resume": _goes_on,
    "play_on": _goes_on,
    "clock_stopped": _clocks_stopped,
    "clock_none": _nothing_to_start,
    # The arbiter decides.
    "claim_repetition": _claimed,
    "claim_fifty_moves": _claimed,
    "claim_correct": _goes_on,
    "claim_incorrect": _goes_on,
    "claim_postponed": _goes_on,
    "arbiter_needed": _halted(ARBITER, "settle"),
    "refused_nothing_proposed": _nothing_to_confirm,
    "refused_waiting_for_arbiter": _halted(ARBITER, "settle"),
    "needed_called": _halted(ARBITER, "start"),
    "needed_adjournment": _halted(ARBITER, "adjourn"),
    # The game is adjourned.
    "adjourn_wanted": _wants_to_adjourn,
    "adjourn_sure": _asked_by_name,
    "envelope_of_sure": _asked_by_name,
    "adjourn_declined": _goes_on,
    "seal_asked": _seals,
    "sealed": _base_of_player("press"),
    "seal_press": _mover("press"),
    "adjourned": _adjourned,
    "adjourned_leave": _base(ANYBODY, "leave"),
    "envelope_key": _resumes(ANYBODY, "open by key"),
    "envelope_arbiter": _resumes(ARBITER, "open"),
    "envelope_opened": _opened,
    # What is due, told on request, after a refusal or after silence.
    "due_begin": _step_is("resume", halts=True),
    "due_continue": _step_is("resume", halts=True),
    "due_open": _step_is("open by word"),
    "due_arrive": _step_is("arrive"),
    "due_seal": _step_is("seal"),
    "due_seal_made": _step_is("press"),
    "due_announce": _step_is("announce"),
    "due_announce_made": _announces_made,
    "due_owed": _step_is("announce"),
    "due_owed_move": _owes(lambda mind, words, move: move == words.move(mind.board)),
    "due_owed_piece": _owes(lambda mind, words, move: _leaves(move, words.square())),
    "due_owed_capture": _owes(lambda mind, words, move: _reaches(move, words.square())),
    "due_press": _step_is("press"),
    "due_complete": _step_is("press"),
    "due_execute": _step_with_move("execute"),
    "due_execute_on": _step_with_move("execute"),
    "due_assist": _step_is("assist", halts=True),
    "due_attend": _step_is("attend", halts=True),
    "due_flag": _step_is("flag", halts=True),
    "due_repeat": _step_with_move("repeat"),
    "due_repeat_and_execute": _step_with_move("repeat"),
    "due_correct": _puts_right,
    "due_put_back": _of_boards,
    "due_consent": _consent_is_due,
    "due_decide": _halted(ARBITER, "settle"),
    "due_enter": _enter_does_it,
    "due_arbiter_types": _arbiter_types,
    "wait_begin": _waits_for("enter", halts=True),
    "wait_continue": _waits_for("enter", halts=True),
    "wait_open": _waits_for("open"),
    "wait_arrive": _waits_for("arrive"),
    "wait_correct": _waits_for("hands"),
    "wait_assist": _waits_for("assist", halts=True),
    "wait_execute": _waits_for("execute"),
    "wait_repeat": _waits_for("repeat"),
    "wait_repeat_and_execute": _waits_for("repeat"),
    "wait_seal": _waits_for("seal"),
    "wait_announce": _waits_for("announce"),
    "wait_announce_made": _waits_for("announce"),
    "wait_consent": _consent,
    "wait_press": _waits_for("press"),
    "wait_complete": _waits_for("press"),
    "wait_decide": _waits_for("settle", halts=True),
    "wait_attend": _waits_for("start", halts=True),
    "wait_flag": _waits_for("settle", halts=True),
    # The end.
    "due_nothing": _ends,
    "due_sign": _ends,
    "wait_sign": _ends,
    **dict.fromkeys(
        (
            "game_over_white_wins",
            "game_over_black_wins",
            "game_over_draw",
            "game_over_both_lose",
            "over_leave",
        ),
        _ends,
    ),
    "saved": _left,
}
"""What a sentence lets a person expect. A sentence that is not here tells nothing to do. Each one
but those of :data:`MEANWHILE` also ends a question that was open."""

MEANWHILE = frozenset(
    ("last_move", "adjourn_wanted", "consent_due", "begin_arbiter", "help_opened")
)
