"""The conversation with both players: what they say becomes facts, or a question to them.

Nothing is guessed. The table asks about words that may mean two things, and the player's next
action confirms or withdraws them (:class:`.Doubts`). Commands that end or change the game need a
*ja*. A question waits for its answer for ``ANSWER_SECONDS``; then it means no, and nothing is
played. Each player has at most one question open.

The dialogue does nothing itself: each step gives effects, and the session does them in order.
"""

from collections.abc import Callable

from blindplay.hearing.decision import Decision, Verdict
from blindplay.hearing.statement import Statement, interpret
from blindplay.language import NEVER_OPENED, Command, Kind
from blindplay.laws import Taken
from blindplay.laws import facts as f
from blindplay.laws.rulings import AdjournmentAsked
from blindplay.laws.state import OTHER
from blindplay.speech.recogniser import Recognition
from blindplay.wording.announcements import goes_to_earphone
from blindplay.wording.readers import Readers

from .acting import Acting, Doubts, executed, learning_from
from .beginnings import Beginnings
from .choices import OpeningWord
from .commands import CLOCKS, VOICE, Grammar
from .conversation import (
    Awaited,
    Effect,
    Question,
    Relisten,
    Reply,
    Say,
    Sayable,
    Submit,
    claim_with,
    reply,
    say,
)
from .questions import MOST_OPTIONS, Questions, Told, corrected, narrowed
from .table import Table

_ANNOUNCES = (Kind.MOVE, Kind.AMBIGUOUS, Kind.ILLEGAL)
# Done while a question stays open.
_MEANWHILE = frozenset((*CLOCKS, *VOICE, Command.MOVES, Command.LAST_MOVE))


class Dialogue:
    """Understands both players. Every method returns effects. Hold the table's lock from the call
    until they are done, so that the game does not change in between.

    ``speaking``: whether the table is speaking; nobody is expected to answer meanwhile. ``told``:
    whether a question was heard to its end.
    """

    def __init__(
        self,
        table: Table,
        readers: Readers,
        *,
        opening_word: OpeningWord = OpeningWord.OPTIONAL,
        speaking: Callable[[], bool] = lambda: False,
        told: Told = lambda words: 0,
    ) -> None:
        self._table = table
        self._readers = readers
        self._opening_word = opening_word
        self._speaking = speaking
        self._grammar = Grammar(table, opening_word)
        self._questions = Questions(table, readers, told)
        self._beginnings = Beginnings(table, readers, self._grammar, self._questions)
        self._acting = Acting(table, readers, self._grammar, self._questions)
        self.doubts = Doubts(table, self._questions, self._acting, told)

    def sayable(self, side: str) -> Sayable:
        """Return what ``side`` may say now."""
        more = self._acting.commands.has_more(side)
        with self._table.lock:
            return self._grammar.sayable(side, self._question(side), more=more)

    def asked(self, side: str) -> Question | None:
        """Return the question that ``side`` is asked now; None if there is none."""
        with self._table.lock:
            return self._question(side)

    def begun(self, side: str) -> Statement | None:
        """Return the beginning of an announcement whose rest is awaited of ``side``; None if there
        is none."""
        with self._table.lock:
            begun = self._questions.talk(side).begun
        return None if begun is None else begun.said

    # --- what comes in -----------------------------------------------------------------------

    def introduce(self) -> list[Effect]:
        """Tell the player with the earphone how to find out what can be said."""
        game, absent = self._table.game, self._table.absent
        sides = [side for side in f.SIDES if goes_to_earphone(game, side, absent)]
        return [effect for side in sides for effect in self._acting.commands.introduce(side)]

    def typed(self, side: str, text: str) -> list[Effect]:
        """Typed words of ``side``; commands need no opening word."""
        late = self._expire(side)
        said = Decision(Verdict.ACCEPT, Recognition(), self._read(side, text))
        decision = self._beginnings.complete(side, said, None)
        if (unfinished := self._beginnings.begin(side, decision)) is not None:
            return [*late, *unfinished]
        if decision.taken is None:
            return [*late, *self._choose(side, decision)]
        return [*late, *self._take(side, decision.taken)]

    def heard(
        self,
        side: str,
        decision: Decision,
        *,
        begun: int | None = None,
        awaited: bool = False,
        together: Decision | None = None,
    ) -> list[Effect]:
        """An utterance of ``side`` as the ear has decided about it.

        ``begun``: when it began, in ms of the table's time; None: now. Speech that began before a
        question does not answer it. ``awaited``: it was taken because it answers a question; if
        none is open any more, it is nothing. ``together``: the decision about it as one utterance
        with the one before, which began the announcement.
        """
        late = self._expire(side, begun)
        asked = self._asked_at(side)
        if asked is None and awaited:
            return late
        early = asked is not None and begun is not None and begun < asked
        if early and (awaited or self._only_answers(decision)):
            return late
        decision = self._beginnings.complete(side, decision, together)
        if (unfinished := self._beginnings.begin(side, decision)) is not None:
            return [*late, *unfinished]
        if decision.verdict is Verdict.NOTHING or self._is_announced(side, decision):
            return late
        if self._acting.is_seal_due() and not self._is_command(decision):
            mover = side == self._table.game.side
            return [*late, *([self._say(side, "seal_written")] if mover else ())]
        if decision.verdict is Verdict.ASK or self._names_an_option(side, decision):
            return [*late, *self._choose(side, decision)]
        if decision.taken is None:
            return [*late, *self._unclear(side)]
        return [*late, *self._hear(side, decision.taken)]

    def author(self, text: str) -> str:
        """Return the side whose words a typed line is that names nobody: the player on move.
        Nothing can be corrected before it is announced, so a correction then is that of the last
        move. A yes or no is that of the opponent if only they are asked something."""
        game = self._table.game
        side = game.side
        if self._table.absent:
            return OTHER[self._table.absent]  # nobody else is here
        if self._asked_at(side) is None and self._asked_at(OTHER[side]) is not None:
            answers = self._read(side, text).meant.command in (Command.YES, Command.NO)
            return OTHER[side] if answers else side
        fresh = game.turn.announced is None and self._question(side) is None
        if fresh and game.history and not self._acting.is_seal_due():
            return OTHER[side] if self._read(side, text).meant.correction else side
        return side

    def tick(self) -> list[Effect]:
        """A second has passed: a question without an answer in time means no."""
        return [effect for side in f.SIDES for effect in self._expire(side)]

    def taken(self, taken: Taken) -> list[Effect]:
        """Rulings were given: they may answer a question, or ask one."""
        effects = self.doubts.taken(taken)
        for one in taken.rulings:
            if isinstance(one, AdjournmentAsked) and not one.declined:
                side = OTHER[one.by]
                free = self._question(side) is None and side != self._table.absent
                effects += self._questions.ask_to_adjourn(side) if free else []
        return effects

    # --- routing -----------------------------------------------------------------------------

    def _question(self, side: str) -> Question | None:
        return self._questions.talk(side).question

    def _asked_at(self, side: str) -> int | None:
        """Return when ``side`` was asked what is still open, in ms of the table's time."""
        question, pending = self._question(side), self._table.game.pending
        if question is None and pending is not None and self._grammar.asks(side):
            return pending.ruling.t
        return None if question is None else question.asked

    def _read(self, side: str, text: str) -> Statement:
        return interpret(text, self._grammar.boards(side), self._readers.of(side))

    def _hear(self, side: str, said: Statement) -> list[Effect]:
        if not self._is_meant_for_us(side, said):
            return []
        if self._questions.was_refused(side, said):
            return [self._say(side, "repeat_please")]
        if said.key in self._questions.talk(side).refused:
            return self._questions.read_back(side, said)
        return self._take(side, said)

    def _take(self, side: str, said: Statement) -> list[Effect]:
        """Take what was said as the answer to the open question, or by itself."""
        talk, question = self._questions.talk(side), self._question(side)
        if said.meant.kind in _ANNOUNCES or said.meant.command is Command.CORRECTION:
            talk.begun = None
        if question is None:
            return self._acting.consider(side, said)
        return self._answer(side, question, said)

    def _expire(self, side: str, begun: int | None = None) -> list[Effect]:
        """Drop a question that was not answered in time; an answer counts from its beginning."""
        if self._speaking():
            self._questions.wait(side)
        now = self._table.time() if begun is None else begun
        return [*self._questions.expire(side, now), *self._acting.commands.expire(side)]

    def _is_meant_for_us(self, side: str, said: Statement) -> bool:
        """Return whether ``said`` is meant for the table: a command needs its opening word, and a
        move a player who may say one now. People at a table talk, and both microphones hear an
        announcement."""
        meant, question = said.meant, self._question(side)
        if meant.command is None:
            return self._grammar.awaited(side, question) is not Awaited.WAIT
        if meant.command in (Command.YES, Command.NO):
            return self._asked_at(side) is not None
        if meant.opened or meant.correction:
            return True
        if self._opening_word is OpeningWord.SINGLE and " " in said.text.strip():
            return True
        return self._opening_word is OpeningWord.OPTIONAL or meant.command in NEVER_OPENED

    def _is_announced(self, side: str, decision: Decision) -> bool:
        """Return whether this is the move that ``side`` has announced: this microphone, too, hears
        the opponent repeat it (D.2.1)."""
        announced = self._table.game.turn.announced
        likeliest = decision.likeliest
        if side != self._table.game.side or announced is None or likeliest is None:
            return False
        meant = likeliest.meant
        new = meant.command is not None or meant.correction or meant.move != announced
        return not new and self._question(side) is None

    def _is_repetition(self, side: str, found: list[Statement]) -> bool:
        """Return whether ``side`` seems to repeat what was announced (D.2.1). Everybody has just
        heard it, so it is not read back; their hands show whether they have understood it. Words
        that may be a move of their own are not a repetition."""
        game = self._table.game
        if not found or found[0].meant.correction or found[0].meant.move is None:
            return False
        if side != game.side:
            return found[0].meant.move == game.turn.announced
        pack, board = self._readers.of(side), game.board
        own = any(pack.understand(said.text, board).moves for said in found)
        return all(said.repeats for said in found) and not own

    def _only_answers(self, decision: Decision) -> bool:
        """Return whether this means something as an answer only: ja, nein, or a bare word."""
        if decision.taken is None:
            return False
        meant = decision.taken.meant
        return meant.command in (Command.YES, Command.NO) or meant.kind is Kind.UNCLEAR

    def _is_command(self, decision: Decision) -> bool:
        likeliest = decision.likeliest
        return likeliest is None or likeliest.meant.command not in (None, Command.CORRECTION)

    def _say(self, side: str, key: str) -> Say:
        return say(self._readers.of(side), side, key)

    # --- answers and doubts ------------------------------------------------------------------

    def _answer(self, side: str, question: Question, said: Statement) -> list[Effect]:
        """Take ``said`` as an answer to ``question``, or as something else."""
        talk, command = self._questions.talk(side), said.meant.command
        if command in _MEANWHILE:
            return self._acting.do(side, said)
        kind, chosen = reply(question, said)
        if kind is Reply.CHOSEN:
            assert chosen is not None
            talk.end()
            talk.refused.pop(chosen.key, None)
            learned = [] if question.confirms else learning_from(side, chosen)
            act = self._acting.do if command is Command.YES else self._acting.consider
            return [*learned, *act(side, chosen), Relisten()]
        if kind is Reply.NO:
            self._questions.close(side, question, refused=True)
            if question.consents:
                return [Submit(f.Adjourn(by=side, declined=True)), Relisten()]
            key = "cancelled" if question.confirms else "repeat_please"
            return [self._say(side, key), Relisten()]
        if kind in (Reply.AGAIN, Reply.UNCLEAR):
            again = self._questions.ask_again(side, question, unclear=kind is Reply.UNCLEAR)
            helps = command is Command.HELP and self._table.game.side == side
            explains = helps and question.is_a_doubt and len(question.options) == 1
            return [*([self._say(side, "help_confirm")] if explains else ()), *again]
        with_move = claim_with(question, said)
        self._questions.close(side, question, refused=said.meant.correction)
        if with_move is not None:
            return self._acting.consider(side, with_move)
        # Another move is announced or asked about in its place, and that says enough.
        replaced = question.is_a_doubt and said.meant.kind in (Kind.MOVE, Kind.AMBIGUOUS)
        silent = replaced or question.asks_for_a_move or question.consents
        dropped = [] if silent else [self._say(side, "cancelled")]
        return [*dropped, *self._acting.consider(side, said), Relisten()]

    def _unclear(self, side: str) -> list[Effect]:
        """Undecided sound: an unclear answer, or words without a meaning."""
        question = self._question(side)
        if question is not None:
            return self._questions.ask_again(side, question, unclear=True)
        if self._grammar.asks(side):
            return []  # both players are asked, and talk it over
        if self._grammar.awaited(side, question) in (Awaited.WAIT, Awaited.OVER):
            return []  # nothing is awaited of this player: people talk
        return self._acting.not_understood(side)

    def _choose(self, side: str, decision: Decision) -> list[Effect]:
        """The ear cannot tell: ask for what the likeliest differ in, or read the best back."""
        found: dict[str, Statement] = {}
        for candidate in decision.candidates:
            if self._is_meant_for_us(side, candidate.statement):
                found.setdefault(candidate.statement.key, candidate.statement)
        question = self._question(side)
        if question is None and self._is_repetition(side, list(found.values())):
            self._questions.talk(side).repetition = next(iter(found.values()))
            return []
        if question is not None and not question.asks_for_a_move:
            corrects = corrected(question, found)
            found = corrects or narrowed(question, found)
            same = question.confirms or not found or len(found) == len(question.options)
            if same and not corrects:
                return self._questions.ask_again(side, question, unclear=True)
            self._questions.close(side, question, refused=bool(corrects))
        offered = [one for one in found.values() if not self._questions.was_refused(side, one)]
        felt = executed(offered, self._table.game.turn.executed)
        if felt is not None:
            return self._take(side, felt)
        if offered and offered[0].meant.kind is Kind.AMBIGUOUS:
            return self._acting.consider(side, offered[0])
        offered = [one for one in offered if one.meant.kind is not Kind.AMBIGUOUS]
        announced = [one for one in offered if one.meant.command is None]
        for number in range(min(len(announced), MOST_OPTIONS), 1, -1):
            if announced[:number] == offered[:number]:
                asked = self._questions.ask_which(side, announced[:number])
                if asked is not None:
                    return asked
        if len(offered) > 1 and self._questions.talk(side).begun is not None:
            return self._questions.ask_either(side, offered[:2])
        if offered:
            return self._questions.read_back(side, offered[0])
        return [self._say(side, "repeat_please")] if found else self._unclear(side)

    def _names_an_option(self, side: str, decision: Decision) -> bool:
        """Return whether something too doubtful to be taken names one of the options asked about.
        Then a question about it alone is worth asking."""
        question = self._question(side)
        if question is None or decision.taken is not None or not decision.candidates:
            return False
        said = [candidate.statement for candidate in decision.candidates]
        return all(one.meant.command is None for one in said) and all(
            reply(question, one)[0] is Reply.CHOSEN for one in said
        )
