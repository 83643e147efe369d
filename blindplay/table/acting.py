"""What becomes of a statement that is taken: a fact, a command, or a question first."""

from blindplay.hearing.statement import Statement
from blindplay.language import Command, Kind, Understanding
from blindplay.laws import facts as f
from blindplay.laws.game import Turn
from blindplay.laws.state import OTHER
from blindplay.wording.readers import Readers

from .commands import CONFIRMED, Commands
from .effects import Effect, Learn, Say, Submit
from .grammar import Grammar
from .questions import Questions
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
        if meant.command in CONFIRMED and self._needs_a_yes(side, said):
            return self._questions.confirm(side, said)
        late = self._corrects_too_late(side, said)
        if side != game.side or said.repeats or game.over or late:
            return self.do(side, said)
        if self._corrects_what_is_executed(meant) or self._corrects_by_chance(said):
            return self._questions.confirm_correction(side, said)
        asked = self._questions.ask_for_the_rest(side, said)
        return self.do(side, said) if asked is None else asked

    def _needs_a_yes(self, side: str, said: Statement) -> bool:
        """Whether to ask before a command. What the Laws will refuse at once needs no question."""
        game, command = self._table.game, said.meant.command
        if game.over or (said.meant.rest and not said.meant.moves):
            return False
        if command in (Command.ACCEPT_DRAW, Command.DECLINE_DRAW):
            return OTHER[side] in game.offers
        if command is Command.PAUSE:
            return command in self._grammar.commands(side, None, more=False)
        return True

    def _corrects_too_late(self, side: str, said: Statement) -> bool:
        """Whether this corrects an announcement after the player pressed the clock (D.2.8)."""
        game, meant = self._table.game, said.meant
        names_a_move = meant.kind in (Kind.MOVE, Kind.AMBIGUOUS, Kind.ILLEGAL)
        if not (meant.correction and names_a_move) or said.repeats or not game.history:
            return False
        if side != game.side:  # otherwise it corrects how the opponent's move was repeated
            return game.turn.announced is None or meant.move is None
        if said.recognition is not None or game.turn != Turn() or meant.move is not None:
            return False
        # At a keyboard for both, it is the last mover's if it fits only their move.
        pack = self._readers.of(side)
        return pack.understand(said.text, game.history[-1].before).move is not None

    def _corrects_what_is_executed(self, meant: Understanding) -> bool:
        """Whether another announcement would undo a move that hands have executed already."""
        turn = self._table.game.turn
        return (
            meant.move is not None
            and turn.announced not in (None, meant.move)
            and turn.executed is not None
            and turn.executed != meant.move
        )

    def _corrects_by_chance(self, said: Statement) -> bool:
        """Whether sound would change the announcement without a word of correction: it may be the
        opponent's repetition, misheard."""
        announced = self._table.game.turn.announced
        other = said.meant.move is not None and announced not in (None, said.meant.move)
        return other and said.recognition is not None and not said.meant.correction

    def do(self, side: str, said: Statement) -> list[Effect]:
        """Do what was said, without asking."""
        meant = said.meant
        if self._corrects_too_late(side, said):
            late = OTHER[self._table.game.side]
            return [Submit(f.Correct(by=late, text=meant.words))]
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
        if meant.move is None:
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
        if side == self._table.game.side and not self._table.game.over:
            return [Submit(f.Announce(by=side, text=text))]
        return [Say(side, self._readers.of(side).sentence("not_understood"))]


def learning_from(side: str, said: Statement, phrase: str | None = None) -> list[Effect]:
    """Learn that the sound of ``said`` meant ``phrase``, or its own words."""
    if said.recognition is None:
        return []
    return [Learn(side, said.recognition, said.text if phrase is None else phrase)]
