"""A doubtful move: it was read back, and its player's next action decides.

An action that fits confirms it: the same move on the board, the player's own clock, two quick
presses of the talk button, *ja*. An action that does not fit withdraws it, and the player hears
that. Words are answers, see :mod:`.dialogue`; this is about hands and buttons, and about all that
may happen meanwhile.
"""

import math
from collections.abc import Sequence

import chess

from blindplay.hearing.expectation import felt_moves
from blindplay.hearing.statement import Statement
from blindplay.laws import Taken
from blindplay.laws import facts as f
from blindplay.laws.rulings import Announced, ArbiterNeeded, Executed, Repeated, Touched

from .acting import Acting, learning_from
from .conversation import Question
from .effects import Effect, Relisten
from .questions import Questions, Told
from .table import Table


class Doubts:
    """Confirms and withdraws doubtful moves. Methods return effects in the order to do them."""

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
