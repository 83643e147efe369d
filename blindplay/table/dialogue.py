"""The conversation with both players: what they say becomes facts, or a question to them.

Nothing is guessed. Whatever may have been said in two ways is asked about, and whatever ends or
changes the game needs a *ja*. A question waits for its answer for ``ANSWER_SECONDS``; then it means
no, and nothing is played. Each player has at most one question open.

The dialogue does nothing itself: each step gives effects, and the session does them in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import chess

from blindplay.hearing.decision import Decision, Verdict
from blindplay.hearing.statement import Statement, interpret
from blindplay.language import NEVER_OPENED, Command, Kind, Language, Understanding
from blindplay.laws import Taken
from blindplay.laws import facts as f
from blindplay.laws.game import Turn
from blindplay.laws.rulings import Executed
from blindplay.laws.state import OTHER
from blindplay.wording.announcements import goes_to_earphone

from .choices import OpeningWord
from .commands import CONFIRMED, Commands
from .conversation import Awaited, Question, Reply, Sayable, claim_with, reply
from .effects import Effect, Learn, Relisten, Say, Submit
from .grammar import CLOCKS, VOICE, Grammar
from .questions import MOST_OPTIONS, Questions, narrowed
from .table import Table

# Done while a question stays open.
_MEANWHILE = frozenset((*CLOCKS, *VOICE, Command.MOVES, Command.LAST_MOVE))


class Dialogue:
    """Understands both players. Every method gives effects; call it, and do them, with the table
    held, so that the game does not change in between.

    ``speaking`` tells whether the table is speaking: nobody is expected to answer meanwhile.
    """

    def __init__(
        self,
        table: Table,
        pack: Language,
        *,
        opening_word: OpeningWord = OpeningWord.OPTIONAL,
        speaking: Callable[[], bool] = lambda: False,
    ) -> None:
        self._table = table
        self._pack = pack
        self._opening_word = opening_word
        self._speaking = speaking
        self._grammar = Grammar(table, opening_word)
        self._commands = Commands(table, pack, self._grammar)
        self._questions = Questions(table, pack)

    def sayable(self, side: str) -> Sayable:
        """What ``side`` may say now."""
        more = self._commands.has_more(side)
        with self._table.lock:
            return self._grammar.sayable(side, self._question(side), more=more)

    # --- what comes in -----------------------------------------------------------------------

    def introduce(self) -> list[Effect]:
        """Tell the player with the earphone how to find out what can be said."""
        game = self._table.game
        sides = [side for side in f.SIDES if goes_to_earphone(game, side)]
        return [effect for side in sides for effect in self._commands.introduce(side)]

    def typed(self, side: str, text: str) -> list[Effect]:
        """Typed words of ``side``; commands need no opening word."""
        return [*self._expire(side), *self._take(side, self._read(side, text))]

    def heard(
        self, side: str, decision: Decision, *, begun: int | None = None, awaited: bool = False
    ) -> list[Effect]:
        """An utterance of ``side`` as the ear has decided about it.

        ``begun``: when it began, in ms of the table's time; None: now. Speech that began before a
        question does not answer it. ``awaited``: it was taken because it answers a question; if
        none is open any more, it is nothing.
        """
        late = self._expire(side, begun)
        question = self._question(side)
        if question is None and awaited:
            return late
        early = question is not None and begun is not None and begun < question.asked
        if early and (awaited or self._only_answers(decision)):
            return late
        if decision.verdict is Verdict.NOTHING or self._is_announced(side, decision):
            return late
        if decision.verdict is Verdict.ASK or self._names_an_option(side, decision):
            return [*late, *self._choose(side, decision)]
        if decision.taken is None:
            return [*late, *self._unclear(side)]
        return [*late, *self._hear(side, decision.taken)]

    def tick(self) -> list[Effect]:
        """Time has passed: a question without an answer in time means no."""
        return [effect for side in f.SIDES for effect in self._expire(side)]

    def taken(self, taken: Taken) -> list[Effect]:
        """Hands have executed a move on the mover's board. If it is one of those that the mover was
        asked about, ear and fingers agree, and that is the answer."""
        game = self._table.game
        side = game.side
        question = self._question(side)
        if question is None or question.confirms:
            return []
        for ruling in taken.rulings:
            if isinstance(ruling, Executed) and ruling.board == game.board_of(side):
                felt = _executed(question.options, chess.Move.from_uci(ruling.move))
                if felt is not None:
                    self._questions.close(side, question, refused=False)
                    return [*_learn(side, felt), *self._do(side, felt)]
        return []

    # --- routing -----------------------------------------------------------------------------

    def _question(self, side: str) -> Question | None:
        return self._questions.talk(side).question

    def _read(self, side: str, text: str) -> Statement:
        return interpret(text, self._grammar.boards(side), self._pack)

    def _hear(self, side: str, said: Statement) -> list[Effect]:
        if not self._is_meant_for_us(side, said):
            return []
        if self._questions.was_refused(side, said):
            return [self._say(side, "repeat_please")]
        if said.key in self._questions.talk(side).refused:
            return self._questions.read_back(side, said)
        return self._take(side, said)

    def _take(self, side: str, said: Statement) -> list[Effect]:
        """Take what was said: as the answer where one is waited for, else as it is."""
        question = self._question(side)
        answered = None if question is None else self._answer(side, question, said)
        return self._consider(side, said) if answered is None else answered

    def _expire(self, side: str, begun: int | None = None) -> list[Effect]:
        """Drop a question that was not answered in time; an answer counts from its beginning."""
        if self._speaking():
            self._questions.wait(side)
        now = self._table.time() if begun is None else begun
        return [*self._questions.expire(side, now), *self._commands.expire(side)]

    def _is_meant_for_us(self, side: str, said: Statement) -> bool:
        """Whether a command was said as it must be, and a move by one who may now. People at a
        table talk, and both microphones hear the one who announces."""
        meant, question = said.meant, self._question(side)
        if meant.command is None:
            return self._grammar.awaited(side, question) is not Awaited.WAIT
        if meant.command in (Command.YES, Command.NO):
            return question is not None
        if meant.opened or meant.correction:
            return True
        if self._opening_word is OpeningWord.SINGLE and " " in said.text.strip():
            return True
        return self._opening_word is OpeningWord.OPTIONAL or meant.command in NEVER_OPENED

    def _is_announced(self, side: str, decision: Decision) -> bool:
        """Whether this is what ``side`` has announced, once more: the opponent repeats it into
        this microphone, too (D.2.1)."""
        announced = self._table.game.turn.announced
        likeliest = decision.likeliest
        if side != self._table.game.side or announced is None or likeliest is None:
            return False
        meant = likeliest.meant
        new = meant.command is not None or meant.correction or meant.move != announced
        return not new and self._question(side) is None

    def _only_answers(self, decision: Decision) -> bool:
        """Whether this means something as an answer only: ja, nein, or a bare word."""
        if decision.taken is None:
            return False
        meant = decision.taken.meant
        return meant.command in (Command.YES, Command.NO) or meant.kind is Kind.UNCLEAR

    def _say(self, side: str, key: str) -> Say:
        return Say(side, self._pack.sentence(key))

    # --- answers and doubts ------------------------------------------------------------------

    def _answer(self, side: str, question: Question, said: Statement) -> list[Effect] | None:
        """What comes of ``said`` as an answer to ``question``; None if it is something else."""
        talk, command = self._questions.talk(side), said.meant.command
        if command in _MEANWHILE:
            return self._do(side, said)
        kind, chosen = reply(question, said)
        if kind is Reply.CHOSEN:
            assert chosen is not None
            talk.question = None
            talk.refused.pop(chosen.key, None)
            learned = [] if question.confirms else _learn(side, chosen)
            plainly = command is Command.YES
            done = self._do(side, chosen) if plainly else self._consider(side, chosen)
            return [*learned, *done, Relisten()]
        if kind is Reply.NO:
            self._questions.close(side, question, refused=True)
            key = "cancelled" if question.confirms else "repeat_please"
            return [self._say(side, key), Relisten()]
        if kind in (Reply.AGAIN, Reply.UNCLEAR):
            return self._questions.ask_again(side, question, unclear=kind is Reply.UNCLEAR)
        with_move = claim_with(question, said)
        self._questions.close(side, question, refused=said.meant.correction)
        if with_move is not None:
            return self._consider(side, with_move)
        dropped = [self._say(side, "cancelled")] if question.confirms else []
        return [*dropped, *self._consider(side, said), Relisten()]

    def _unclear(self, side: str) -> list[Effect]:
        """Sound that was not decided: an unclear answer, or words that are nothing."""
        question = self._question(side)
        if question is not None:
            return self._questions.ask_again(side, question, unclear=True)
        if self._grammar.awaited(side, question) in (Awaited.WAIT, Awaited.OVER):
            return []  # nothing is awaited of this player: people talk
        return self._not_understood(side)

    def _not_understood(self, side: str, text: str = "") -> list[Effect]:
        """Words that are nothing. From the player on move they are a fact all the same: the move
        is begun, so a press now is too early (D.2.4) and no irregularity (7.5.3). Undecided sound
        comes without ``text``, for the Laws must not decide it either."""
        if side == self._table.game.side and not self._table.game.over:
            return [Submit(f.Announce(by=side, text=text))]
        return [self._say(side, "not_understood")]

    def _choose(self, side: str, decision: Decision) -> list[Effect]:
        """The ear cannot tell: ask for what the likeliest differ in, or read the best back."""
        found: dict[str, Statement] = {}
        for candidate in decision.candidates:
            if self._is_meant_for_us(side, candidate.statement):
                found.setdefault(candidate.statement.key, candidate.statement)
        question = self._question(side)
        if question is not None:
            found = narrowed(question, found)
            if question.confirms or not found or len(found) == len(question.options):
                return self._questions.ask_again(side, question, unclear=True)
            self._questions.close(side, question, refused=False)
        offered = [one for one in found.values() if not self._questions.was_refused(side, one)]
        felt = _executed(offered, self._table.game.turn.executed)
        if felt is not None:
            return self._take(side, felt)
        if offered and offered[0].meant.kind is Kind.AMBIGUOUS:
            return self._consider(side, offered[0])
        offered = [one for one in offered if one.meant.kind is not Kind.AMBIGUOUS]
        announced = [one for one in offered if one.meant.command is None]
        for number in range(min(len(announced), MOST_OPTIONS), 1, -1):
            if announced[:number] == offered[:number]:
                asked = self._questions.ask_which(side, announced[:number])
                if asked is not None:
                    return asked
        if offered:
            return self._questions.read_back(side, offered[0])
        return [self._say(side, "repeat_please")] if found else self._unclear(side)

    def _names_an_option(self, side: str, decision: Decision) -> bool:
        """Whether something too doubtful to be taken names one of the few things that were asked
        about: then it is worth asking about alone."""
        question = self._question(side)
        if question is None or decision.taken is not None or not decision.candidates:
            return False
        said = [candidate.statement for candidate in decision.candidates]
        return all(one.meant.command is None for one in said) and all(
            reply(question, one)[0] is Reply.CHOSEN for one in said
        )

    # --- doing -------------------------------------------------------------------------------

    def _consider(self, side: str, said: Statement) -> list[Effect]:
        """Do it, or ask first."""
        game, meant = self._table.game, said.meant
        if meant.command in CONFIRMED and self._needs_a_yes(side, said):
            return self._questions.confirm(side, said)
        late = self._corrects_too_late(side, said)
        if side != game.side or said.repeats or game.over or late:
            return self._do(side, said)
        if self._corrects_what_is_executed(meant) or self._corrects_by_chance(said):
            return self._questions.confirm_correction(side, said)
        asked = self._questions.ask_for_the_rest(side, said)
        return self._do(side, said) if asked is None else asked

    def _needs_a_yes(self, side: str, said: Statement) -> bool:
        """Whether to ask first: not where the Laws will refuse it at once."""
        game, command = self._table.game, said.meant.command
        if game.over or (said.meant.rest and not said.meant.moves):
            return False
        if command in (Command.ACCEPT_DRAW, Command.DECLINE_DRAW):
            return OTHER[side] in game.offers
        if command is Command.PAUSE:
            return command in self._grammar.commands(side, None, more=False)
        return True

    def _corrects_too_late(self, side: str, said: Statement) -> bool:
        """Whether this is to correct an announcement after the player's clock was pressed
        (D.2.8)."""
        game, meant = self._table.game, said.meant
        names_a_move = meant.kind in (Kind.MOVE, Kind.AMBIGUOUS, Kind.ILLEGAL)
        if not (meant.correction and names_a_move) or said.repeats or not game.history:
            return False
        if side != game.side:  # or else it corrects how the opponent's move was repeated
            return game.turn.announced is None or meant.move is None
        if said.recognition is not None or game.turn != Turn() or meant.move is not None:
            return False
        # At a keyboard for both, it is the last mover's if it fits only their move.
        return self._pack.understand(said.text, game.history[-1].before).move is not None

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

    def _do(self, side: str, said: Statement) -> list[Effect]:
        meant = said.meant
        if self._corrects_too_late(side, said):
            late = OTHER[self._table.game.side]
            return [Submit(f.Correct(by=late, text=meant.words))]
        if meant.kind is Kind.COMMAND:
            return self._commands.do(side, meant)
        if meant.kind in (Kind.MOVE, Kind.AMBIGUOUS, Kind.ILLEGAL):
            return self._move(side, said)
        return self._not_understood(side, said.text)

    def _move(self, side: str, said: Statement) -> list[Effect]:
        """An announcement, a repetition or a correction becomes a fact."""
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
        """Sound that differs in one thing from what is said now was misheard before."""
        talk, meant = self._questions.talk(side), said.meant
        if meant.move is None:
            return []
        corrects = self._table.game.turn.announced not in (None, meant.move)
        learned: list[Effect] = []
        for before in (talk.doubted, talk.accepted if corrects else None):
            if before is not None and self._is_misheard(before, said):
                learned += _learn(side, before, meant.uttered)
        talk.doubted, talk.accepted = None, said
        return learned

    def _is_misheard(self, before: Statement, now: Statement) -> bool:
        texts = [before.text, now.meant.uttered]
        same_length = len(before.meant.uttered.split()) == len(now.meant.uttered.split())
        board = self._questions.board(now)
        return same_length and self._pack.differing(texts, board) is not None


def _executed(options: Sequence[Statement], move: chess.Move | None) -> Statement | None:
    """The option that hands have executed, if any."""
    found = (one for one in options if move is not None and one.meant.move == move)
    return next((one for one in found if not one.repeats), None)


def _learn(side: str, said: Statement, phrase: str | None = None) -> list[Effect]:
    if said.recognition is None:
        return []
    return [Learn(side, said.recognition, said.text if phrase is None else phrase)]
