"""Acting on a statement: it becomes a fact, a command, or a question first; and on doubtful moves.

A doubtful move was read back, and its player's next action decides. An action that fits confirms
it: the same move on the board, the player's own clock, two quick presses of the talk button, *ja*.
An action that does not fit withdraws it, and the player hears that.
"""

import math
from collections.abc import Sequence

import chess

from blindplay.hearing.expectation import felt_moves
from blindplay.hearing.statement import Statement
from blindplay.language import Command, Kind, Understanding
from blindplay.laws import Taken
from blindplay.laws import facts as f
from blindplay.laws.moving import may_be_a_slip
from blindplay.laws.rulings import Announced, ArbiterNeeded, Executed, Refused, Repeated, Touched
from blindplay.wording.announcements import announcements
from blindplay.wording.readers import Readers

from .commands import CONFIRMED, Commands, Grammar
from .conversation import Effect, Learn, Question, Relisten, Say, Submit, say
from .questions import Questions, Told
from .table import Table


class Acting:
    """Does what a player has said for certain, for the :class:`~.dialogue.Dialogue`."""

    def __init__(
        self, table: Table, readers: Readers, grammar: Grammar, questions: Questions
    ) -> None:
        self._table = table
        self._readers = readers
        self._grammar = grammar
        self._questions = questions
        self.commands = Commands(table, readers, grammar)

    def consider(self, side: str, said: Statement) -> list[Effect]:
        """Do what was said, or ask first."""
        game, meant = self._table.game, said.meant
        if self.is_seal_due() and meant.command in (None, Command.CORRECTION):
            return self._seal(side, said)
        opens = meant.command is Command.RESUME and game.adjourned
        if meant.command in CONFIRMED or opens:
            refused = self._refused_at_once(side, said)
            return refused or self._questions.confirm(side, said)
        late = self._corrects_too_late(side, said)
        made = meant.move is not None and not may_be_a_slip(game, meant.move)
        if side != game.side or said.repeats or game.over or late or made:
            return self.do(side, said)
        if self._corrects_what_is_executed(meant) or self._corrects_by_chance(said):
            return self._questions.confirm_correction(side, said)
        asked = self._questions.ask_for_the_rest(side, said)
        return self.do(side, said) if asked is None else asked

    def _refused_at_once(self, side: str, said: Statement) -> list[Effect]:
        """The refusal of a command that can only be refused: there is nothing to ask about, and
        without a *ja* it is not a fact. Nothing if it can be done."""
        effects = self.commands.do(side, said.meant)
        facts = [one.fact for one in effects if isinstance(one, Submit)]
        if not facts:
            private = all(isinstance(one, Say) and one.to is not None for one in effects)
            return effects if private else []
        rulings = tuple(r for r in self._table.preview(facts[0]) if isinstance(r, Refused))
        told = announcements(Taken(facts[0], rulings), self._table.game, self._readers.of(side))
        return [Say(side, one.words) for one in told]

    def is_seal_due(self) -> bool:
        """Return whether a sealed move is to be written now. Then nothing may be announced
        (I.1)."""
        return self._table.game.adjourning and not self._table.game.adjourned

    def _seal(self, side: str, said: Statement) -> list[Effect]:
        """A bare move is taken for the sealed one, after a question that does not name it; what
        was spoken aloud is not a secret and is refused."""
        meant = said.meant
        if side != self._table.game.side:
            return [say(self._readers.of(side), side, "refused_seal_due")]
        if said.recognition is not None:
            return [say(self._readers.of(side), side, "seal_written")]
        if meant.kind not in (Kind.MOVE, Kind.AMBIGUOUS, Kind.ILLEGAL):
            return [say(self._readers.of(side), side, "not_understood")]
        written = meant.uttered if meant.correction else said.text
        sealed = Understanding(Kind.COMMAND, said.text, command=Command.SEAL, rest=written)
        statement = Statement(said.text, sealed)
        return self._refused_at_once(side, statement) or self._questions.confirm(side, statement)

    def _corrects_too_late(self, side: str, said: Statement) -> bool:
        """Return whether this corrects an announcement after the player pressed the clock (D.2.8),
        and not a repetition of the opponent's move."""
        game, meant = self._table.game, said.meant
        names_a_move = meant.kind in (Kind.MOVE, Kind.AMBIGUOUS, Kind.ILLEGAL)
        if side == game.side or said.repeats or not game.history or not meant.correction:
            return False
        if meant.command is Command.CORRECTION:
            return game.turn.announced is None
        return names_a_move and (game.turn.announced is None or meant.move is None)

    def _corrects_what_is_executed(self, meant: Understanding) -> bool:
        """Return whether another announcement would contradict a move that hands have executed.
        Without sensors nobody has felt them: the move was entered as it was announced."""
        game = self._table.game
        turn = game.turn
        return (
            meant.move is not None
            and game.tables[game.board_of(game.side)].sensors
            and turn.announced not in (None, meant.move)
            and turn.executed is not None
            and turn.executed != meant.move
        )

    def _corrects_by_chance(self, said: Statement) -> bool:
        """Return whether sound would change the announcement without a word of correction: it may
        be the opponent's repetition, misheard."""
        announced = self._table.game.turn.announced
        other = said.meant.move is not None and announced not in (None, said.meant.move)
        return other and said.recognition is not None and not said.meant.correction

    def do(self, side: str, said: Statement) -> list[Effect]:
        """Do what was said, without asking."""
        meant = said.meant
        if self._corrects_too_late(side, said):
            return [Submit(f.Correct(by=side, text=meant.words))]
        game = self._table.game
        corrects = side == game.side and game.turn.announced is not None
        if corrects and meant.command is Command.CORRECTION:
            if not may_be_a_slip(game):
                return [say(self._readers.of(side), side, "refused_already_made")]
            return self._questions.confirm_correction(side, said)
        if meant.kind is Kind.COMMAND:
            return self.commands.do(side, meant)
        if meant.kind in (Kind.MOVE, Kind.AMBIGUOUS, Kind.ILLEGAL):
            return self._move(side, said)
        return self.not_understood(side, said.text)

    def _move(self, side: str, said: Statement) -> list[Effect]:
        """Turn an announcement, a repetition or a correction into a fact."""
        game, meant = self._table.game, said.meant
        named = meant.moves[0].uci() if meant.move else None
        if side != game.side or said.repeats:
            self._grammar.has_repeated(side, last=said.repeats)
            return [Submit(f.Repeat(by=side, text=said.text, move=named))]
        learned = self._learn_from_correction(side, said)
        fact: f.Fact = f.Announce(by=side, text=said.text, move=named)
        if meant.correction:
            fact = f.Correct(by=side, text=meant.words, move=named)
        return [*learned, Submit(fact)]

    def _learn_from_correction(self, side: str, said: Statement) -> list[Effect]:
        """Learn from earlier sound that differs in one thing from what is said now: it was
        misheard."""
        talk, meant = self._questions.talk(side), said.meant
        if meant.move is None or not may_be_a_slip(self._table.game, meant.move):
            return []
        corrects = self._table.game.turn.announced not in (None, meant.move)
        learned: list[Effect] = []
        for before in (talk.doubted, talk.accepted if corrects else None):
            if before is not None and self._is_misheard(side, before, said):
                learned += learning_from(side, before, meant.uttered)
        talk.doubted, talk.accepted = None, said
        return learned

    def _is_misheard(self, side: str, before: Statement, now: Statement) -> bool:
        texts = [before.text, now.meant.uttered]
        same_length = len(before.meant.uttered.split()) == len(now.meant.uttered.split())
        board = self._questions.board(now)
        return same_length and self._readers.of(side).differing(texts, board) is not None

    def not_understood(self, side: str, text: str = "") -> list[Effect]:
        """Take words without a meaning. From the player on move they are still a fact: the move is
        begun, so a press now is too early (D.2.4) and no irregularity (7.5.3). Undecided sound has
        no ``text``, for the Laws must not decide it either."""
        begins = side == self._table.game.side and not self.is_seal_due()
        if begins and not self._table.game.over:
            return [Submit(f.Announce(by=side, text=text))]
        return [say(self._readers.of(side), side, "not_understood")]


def learning_from(side: str, said: Statement, phrase: str | None = None) -> list[Effect]:
    """Learn that the sound of ``said`` meant ``phrase``, or its own words."""
    if said.recognition is None:
        return []
    return [Learn(side, said.recognition, said.text if phrase is None else phrase)]


class Doubts:
    """Confirms and withdraws doubtful moves, by hands and buttons, and by all that may happen
    meanwhile. Words are answers, see :class:`.Dialogue`."""

    def __init__(self, table: Table, questions: Questions, acting: Acting, told: Told) -> None:
        self._table = table
        self._questions = questions
        self._acting = acting
        self._told = told

    def pressed(self, presser: str, at: int) -> tuple[bool, list[Effect]]:
        """Return whether a press of the clock counts, made ``at`` so many ms of the table's time,
        and the effects. It confirms the presser's own doubtful move; while a question about the
        move stays open, it does not count. An assistant did not hear the question, so their press
        confirms nothing."""
        side = presser.removeprefix("assistant:")
        talk = self._questions.talk(side)
        question, begun = talk.question, talk.begun
        if side != self._table.game.side:
            return True, []
        if question is None:
            if begun is None or not begun.said.meant.correction:
                return True, []
            return False, self._questions.ask_where(side, begun)
        if question.holds_the_clock:
            return False, self._questions.ask_again(side, question, unclear=False)
        if not question.is_a_doubt or question.options[0].repeats:
            return True, []
        return self._confirm(side, question, at if presser == side else -1)

    def tapped(self, side: str, at: int) -> list[Effect]:
        """``side`` has pressed the talk button twice, too quickly to say a word."""
        question = self._questions.talk(side).question
        if question is None or not question.is_a_doubt:
            return []
        return self._confirm(side, question, at)[1]

    def taken(self, taken: Taken) -> list[Effect]:
        """Rulings were given: hands may have answered, or what was asked about may be over."""
        effects: list[Effect] = []
        pending = self._table.game.pending
        asked = frozenset[str]()
        if pending is not None and pending.ruling in taken.rulings:
            asked = pending.asked
        for side in f.SIDES:
            question = self._questions.talk(side).question
            if question is not None and side in asked:
                # From now on a ja answers what both players are asked.
                effects += self._withdraw(side, question, refused=False)
            elif question is not None and question.is_a_doubt:
                effects += self._happened(side, question, taken)
            elif (felt := self._repetition(side, taken)) is not None:
                effects += self._acting.do(side, felt)
        return effects

    def _repetition(self, side: str, taken: Taken) -> Statement | None:
        """The doubtful repetition of ``side``, if their hands have just done the same."""
        talk = self._questions.talk(side)
        option, shown = talk.repetition, self._shown(side, taken)
        if option is None or shown is None or executed([option], shown) is None:
            return None
        talk.repetition = None
        return option

    def _shown(self, side: str, taken: Taken) -> chess.Move | None:
        """The move that the hands of ``side`` have just executed on their own board."""
        game = self._table.game
        if side != game.side and len(game.tables) < 2:
            return None  # the hands are the other player's
        for one in taken.rulings:
            if isinstance(one, Executed) and one.board == game.board_of(side):
                return chess.Move.from_uci(one.move)
        return None

    def _confirm(self, side: str, question: Question, at: int) -> tuple[bool, list[Effect]]:
        """Take a button as *ja*, if the move has been read to its end before, and hands have not
        done something else. Return whether it was confirmed, and the effects."""
        told, option = self._told(question.words), question.options[0]
        if told == math.inf:
            return False, []  # it is being said
        heard = told is not None and at >= max(told, question.asked)
        if not heard or len(question.options) > 1 or option.meant.move is None:
            return False, self._questions.ask_again(side, question, unclear=False, brief=True)
        if not self._fits(side, option):
            return False, self._withdraw(side, question, refused=True)
        return True, self._take(side, question, option)

    def _fits(self, side: str, option: Statement) -> bool:
        """Return whether hands have done nothing that ``option`` contradicts."""
        game = self._table.game
        felt = felt_moves(game, side) if game.tables[game.board_of(side)].sensors else None
        return felt is None or option.meant.move in felt

    def _happened(self, side: str, question: Question, taken: Taken) -> list[Effect]:
        rulings = taken.rulings
        announced = any(isinstance(one, Announced) for one in rulings)
        if announced or any(isinstance(one, Repeated) and one.by == side for one in rulings):
            self._questions.close(side, question, refused=False)
            return []  # it was said in another way, and everybody has heard it
        called = any(isinstance(one, ArbiterNeeded) for one in rulings)
        if called or isinstance(taken.fact, f.Arbiter | f.CallArbiter):
            # From now on people talk with the arbiter, and a ja may be for them.
            return self._withdraw(side, question, refused=False)
        if (move := self._shown(side, taken)) is not None:
            option = executed(question.options, move)
            if option is None:
                return self._withdraw(side, question, refused=True)
            return self._take(side, question, option)
        touched = any(isinstance(one, Touched) and one.by == side for one in rulings)
        if touched and not any(self._fits(side, option) for option in question.options):
            return self._withdraw(side, question, refused=True)
        return []

    def _take(self, side: str, question: Question, option: Statement) -> list[Effect]:
        self._questions.close(side, question, refused=False)
        return [*learning_from(side, option), *self._acting.do(side, option), Relisten()]

    def _withdraw(self, side: str, question: Question, *, refused: bool) -> list[Effect]:
        self._questions.close(side, question, refused=refused)
        return self._questions.cancelled(side)


def executed(options: Sequence[Statement], move: chess.Move | None) -> Statement | None:
    """The option that hands have executed, if any."""
    if move is None:
        return None
    return next((one for one in options if one.meant.move == move and not one.repeats), None)
