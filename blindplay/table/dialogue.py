"""The conversation with both players: what they say becomes facts, or a question to them.

Nothing is guessed: what may have been said in two ways is asked about, and whatever ends or
changes the game is confirmed by a *ja*. A question waits for its answer for ``ANSWER_SECONDS``;
then it means no, and nothing is played. Each player has at most one question open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import chess

from blindplay.hearing.decision import Decision, Verdict
from blindplay.language import (
    NEVER_OPENED,
    QUESTIONS,
    About,
    Command,
    IllegalReason,
    Kind,
    Language,
    Understanding,
)
from blindplay.laws import Origin, Taken
from blindplay.laws import facts as f
from blindplay.laws.game import Turn
from blindplay.laws.rulings import Ambiguous, Answer, Executed, NotUnderstood, Refused
from blindplay.laws.state import OTHER
from blindplay.speech.recogniser import Recognition
from blindplay.speech.speaker import Output
from blindplay.wording.announcements import goes_to_earphone
from blindplay.wording.position import look, time_in_words

from .choices import OpeningWord
from .conversation import (
    ASK_AGAIN,
    CLAIMS_WITH_MOVE,
    Awaited,
    Question,
    Reply,
    Sayable,
    Statement,
    claim_with,
    reply,
)
from .table import Table

ANSWER_SECONDS = 15
UNCLEAR_ANSWERS = 2
"""So many answers that are none are met by asking again; one more means no."""
COMMANDS_AT_ONCE = 5
"""So many commands are told by help before it waits for "mehr"."""

# A question to the player says what these rulings say.
_ASKING = Origin("dialogue", (NotUnderstood, Ambiguous, Refused))
_TELLING_TIME = Origin("dialogue", (Answer,))
_ANSWERING = Origin("dialogue", (Refused,))
# Questions that the Laws allow, and what their facts are about.
_ABOUT = {
    Command.CLOCK_BOTH: "time",
    Command.MOVES: "moves",
    Command.LAST_MOVE: "last_move",
}
_CLOCKS = (Command.CLOCK_MINE, Command.CLOCK_OPPONENT, Command.CLOCK_BOTH)
_VOICE = (Command.LOUDER, Command.SOFTER, Command.SLOWER, Command.FASTER)
_CLAIMS = {
    Command.CLAIM_REPETITION: "repetition",
    Command.CLAIM_FIFTY_MOVES: "fifty_moves",
    Command.CLAIM_CANNOT_WIN: "cannot_win",
    Command.CLAIM_NO_EFFORT: "no_effort",
}
# What is a fact by itself.
_FACTS: Mapping[Command, Callable[..., f.Fact]] = {
    Command.RESIGN: f.Resign,
    Command.OFFER_DRAW: f.OfferDraw,
    Command.ACCEPT_DRAW: f.AcceptDraw,
    Command.DECLINE_DRAW: f.DeclineDraw,
    Command.CLAIM_TIME: f.ClaimTime,
    Command.REQUEST_EXTRA_TIME: f.RequestExtraTime,
    Command.CALL_ARBITER: f.CallArbiter,
    Command.ADJUST: f.Adjust,
}
# What ends or changes the game is confirmed. Declining a draw is, too: accepting it may have been
# misheard, and a declined offer cannot be accepted any more.
CONFIRMED = frozenset(
    (
        *_CLAIMS,
        *(set(_FACTS) - {Command.ADJUST}),
        Command.ADJOURN,
        Command.PAUSE,
    )
)
# Done while a question stays open.
_MEANWHILE = frozenset((*_CLOCKS, *_VOICE, Command.MOVES, Command.LAST_MOVE))


@dataclass
class _Talk:
    """How far the conversation with one player has come. All but the first two are of this ply."""

    question: Question | None = None
    untold: list[str] = field(default_factory=list)  # commands that help has not told yet
    untold_since: int = 0
    plies: int = 0
    # What he said no to, and how often it was heard since: it is not offered again at once.
    refused: dict[str, int] = field(default_factory=dict)
    doubted: Statement | None = None  # the likeliest of what he said no to
    accepted: Statement | None = None  # the last announcement that was taken from sound


class Dialogue:
    """Takes the words of both players. ``say`` speaks a sentence to one output.

    ``training``: questions about the position are answered; the Laws refuse them, and the fact
    that they were asked is recorded all the same. Safe to call from several threads.
    """

    def __init__(
        self,
        table: Table,
        pack: Language,
        say: Callable[[Output, str], None],
        *,
        opening_word: OpeningWord = OpeningWord.OPTIONAL,
    ) -> None:
        self._table = table
        self._pack = pack
        self._say = say
        self._opening_word = opening_word
        self._talks = {side: _Talk() for side in f.SIDES}
        self._begun: int | None = None  # when the utterance began that is being heard, in ms
        self._repeated: dict[str, int] = {}  # the ply that each player repeated last
        self.last_said = ""
        """The last sentence that was spoken, for "bitte wiederholen"."""
        self.on_learned: Callable[[str, Recognition, str], None] | None = None
        """Called with who spoke, the sound, and the phrase that it turned out to be."""
        self.on_listening: Callable[[], None] = lambda: None
        """Called when what is listened for has changed without a ruling."""
        self.adjust_voice: Callable[[Command], bool] | None = None
        """Speaks louder, softer, slower or faster from now on; False where that is the limit."""
        self.speaking: Callable[[], bool] = lambda: False
        """Whether we are speaking; so long nobody is expected to answer."""
        table.listen(self._feel)

    # --- what may be said now ---------------------------------------------------------------

    def listening(self, side: str) -> Sayable:
        """What ``side`` may say now."""
        with self._table.lock:
            commands = frozenset(self._commands(side))
            always = commands & NEVER_OPENED
            needed = self._opening_word is OpeningWord.REQUIRED
            freely = self._opening_word is OpeningWord.OPTIONAL
            question = self._talk(side).question
            answers = question.answers if question is not None else ()
            return Sayable(
                self._state(side),
                tuple(self.boards(side)),
                self._repeats(side),
                bare=always if needed else commands,
                single=commands if freely else always,
                opened=commands - NEVER_OPENED,
                answers=frozenset(word.lower() for words in answers for word in words),
            )

    def boards(self, side: str) -> list[chess.Board]:
        """The positions of which ``side`` may speak now: his own move, or the one to repeat."""
        game = self._table.game
        if game.over or game.adjourned:
            return []
        if side == game.side:
            # Before he has announced, he may still be repeating the opponent's move.
            repeating = game.history[-1:] if game.turn.announced is None else []
            return [game.board, *(ply.before for ply in repeating)]
        return [game.board]

    def _state(self, side: str) -> Awaited:
        game = self._table.game
        if self._talk(side).question is not None:
            return Awaited.ANSWER
        if game.over or game.adjourned:
            return Awaited.OVER
        announced = game.turn.announced is not None
        if side == game.side:
            return Awaited.EXECUTE if announced else Awaited.ANNOUNCE
        return Awaited.REPEAT if announced else Awaited.WAIT

    def _repeats(self, side: str) -> tuple[chess.Board, chess.Move] | None:
        """The position and the move of it that ``side`` may be repeating."""
        game = self._table.game
        if game.over or (side == game.side and game.turn.announced is not None):
            return None
        if side != game.side:
            move = game.turn.announced
            return (game.board, move) if move is not None else None
        begun = game.turn.touched or game.turn.executed is not None
        if not game.history or begun or self._repeated.get(side) == len(game.history):
            return None
        last = game.history[-1]
        return last.before, last.spoken

    def _commands(self, side: str) -> Iterator[Command]:
        """The commands that make sense now, the most pressing first."""
        game, talk = self._table.game, self._talk(side)
        assert game.setup is not None
        if talk.question is not None:
            yield from (Command.YES, Command.NO)
        if talk.untold:
            yield Command.MORE
        if game.over:
            yield from (Command.REPEAT, Command.HELP, *_VOICE)
            return
        waiting = game.pending is not None and not game.pending.claimable
        playing = not waiting and not game.adjourned
        by_ourselves = not game.presided and bool(game.clock)
        if OTHER[side] in game.offers:
            yield from (Command.ACCEPT_DRAW, Command.DECLINE_DRAW)
        if game.paused and by_ourselves and playing:
            yield Command.RESUME
        if game.clock:
            yield from _CLOCKS
        yield from (Command.LAST_MOVE, Command.MOVES, Command.REPEAT)
        if playing and side == game.side:
            yield Command.CORRECTION
        if self._table.training:
            yield from sorted(QUESTIONS, key=list(Command).index)
        if not waiting:
            yield from (Command.OFFER_DRAW, Command.RESIGN)
        if playing:
            yield from (Command.CALL_ARBITER, Command.ADJUST)
            if side == game.side or game.turn.made is not None:
                yield from CLAIMS_WITH_MOVE
                if self._quickplay():
                    yield from (
                        Command.CLAIM_CANNOT_WIN,
                        Command.CLAIM_NO_EFFORT,
                        Command.REQUEST_EXTRA_TIME,
                    )
            if game.clock:
                yield Command.CLAIM_TIME
            if by_ourselves and game.started and not game.paused:
                yield Command.PAUSE
            yield Command.ADJOURN
        if game.assistants[side] is not False:
            yield Command.CALL_ASSISTANT
        yield from (*_VOICE, Command.HELP)

    def _quickplay(self) -> bool:
        """Whether the claims of a quickplay finish exist in this game."""
        game = self._table.game
        assert game.setup is not None
        rapid = game.setup.mode == "rapid" and bool(game.switch("quickplay_is_rapid"))
        return game.setup.mode != "blitz" and (game.setup.quickplay_finish or rapid)

    # --- what is said -----------------------------------------------------------------------

    def hear(self, side: str, text: str) -> Understanding:
        """Typed words of ``side``, or spoken ones beyond doubt; says at once what they could not
        be. They are commands with or without the opening word."""
        with self._table.lock:
            said = self._understand(side, text)
            self._take(side, said)
            return said.meant

    def heard(
        self, side: str, decision: Decision, *, begun: int | None = None, awaited: bool = False
    ) -> None:
        """One utterance of ``side`` as the ears have decided about it.

        ``begun``: when it began, in ms of the table's time; None: now. What began before a question
        was asked does not answer it. ``awaited``: it was taken because it answers a question; if
        there is none any more, it is nothing.
        """
        with self._table.lock:
            self._begun = begun
            try:
                self._hear(side, decision, awaited)
            finally:
                self._begun = None

    def _hear(self, side: str, decision: Decision, awaited: bool) -> None:
        self._drop_late_question(side)
        question = self._talk(side).question
        if question is None and awaited:
            return
        began = self._begun
        early = question is not None and began is not None and began < question.asked
        if early and (awaited or self._only_answers(side, decision)):
            return
        if decision.verdict is Verdict.NOTHING or self._is_announced(side, decision):
            return
        if decision.verdict is Verdict.ASK or self._names_an_option(side, decision):
            self._choose(side, decision)
        elif decision.phrase is None:
            self._unclear(side)
        else:
            said = self._understand(side, decision.phrase, decision.recognition)
            if not self._is_meant_for_us(side, said):
                return
            if self._was_refused(side, said):
                self._say_to(side, self._pack.sentence("repeat_please"))
            elif said.key in self._talk(side).refused:
                self._read_back(side, said)
            else:
                self._take(side, said)

    def _is_announced(self, side: str, decision: Decision) -> bool:
        """Whether that is what ``side`` has announced, once more: his opponent repeats it, whom his
        microphone hears, too (D.2.1). Nothing has happened, and nothing is said."""
        announced = self._table.game.turn.announced
        phrases = [decision.phrase, *(candidate.phrase for candidate in decision.candidates)]
        phrase = next(filter(None, phrases), None)
        if side != self._table.game.side or announced is None or phrase is None:
            return False
        meant = self._understand(side, phrase).meant
        new = meant.command is not None or meant.correction or meant.move != announced
        return not new and self._talk(side).question is None

    def introduce(self) -> None:
        """Say how to find out what can be said."""
        for side in f.SIDES:
            if goes_to_earphone(self._table.game, side):
                self._tell(side, [self._pack.command(Command.HELP)])

    def not_understood(self, side: str, text: str = "") -> None:
        """Words that are nothing. From the player on move they are a fact all the same: he has
        begun his move, so a press now is too early (D.2.4) and no irregularity (7.5.3). Sound
        that was not decided comes without ``text``, for the Laws must not decide it either."""
        if side == self._table.game.side and not self._table.game.over:
            self._table.submit(f.Announce(by=side, text=text))
        else:
            self._say_to(side, self._pack.sentence("not_understood"))

    def tick(self) -> None:
        """Time has passed: a question that was not answered in time means no."""
        with self._table.lock:
            for side in f.SIDES:
                self._drop_late_question(side)

    def _say_to(self, side: str, words: str) -> None:
        private = goes_to_earphone(self._table.game, side)
        self._say(Output.PRIVATE if private else Output.PUBLIC, words)

    def _talk(self, side: str) -> _Talk:
        talk, plies = self._talks[side], len(self._table.game.history)
        if talk.plies != plies:
            talk.plies = plies
            talk.refused.clear()
            talk.doubted = talk.accepted = None
            if talk.question is not None and talk.question.is_about_a_move:
                talk.question = None  # the move has been completed, in whatever way
        if self._table.game.over:
            talk.question = None
        return talk

    def _understand(
        self, side: str, text: str, recognition: Recognition | None = None
    ) -> Statement:
        """What is said: of the move to be announced, or of the opponent's last, repeated."""
        game = self._table.game
        meant = self._pack.understand(text, game.board)
        if side == game.side and game.history and game.turn.announced is None:
            last = game.history[-1]
            again = self._pack.understand(text, last.before)
            # Words that fit both are the repetition while it is waited for: that plays nothing.
            # Who types does not repeat.
            waits = recognition is not None and self._repeats(side) is not None
            free = waits or meant.kind not in (Kind.MOVE, Kind.COMMAND)
            if free and again.move is not None and again.move in (last.move, last.spoken):
                return Statement(text, again, True, recognition)
        return Statement(text, meant, False, recognition)

    def _is_meant_for_us(self, side: str, said: Statement) -> bool:
        """Whether a command was said as it must be, and a move by one who may now; people at a
        table talk, and both microphones hear the one who announces."""
        meant = said.meant
        if meant.command is None:
            return self._state(side) is not Awaited.WAIT
        if meant.command in (Command.YES, Command.NO):
            return self._talk(side).question is not None
        if meant.opened or meant.correction:
            return True
        if self._opening_word is OpeningWord.SINGLE and " " in said.text.strip():
            return True
        return self._opening_word is OpeningWord.OPTIONAL or meant.command in NEVER_OPENED

    def _take(self, side: str, said: Statement) -> None:
        """Take what was said: as an answer where one is waited for, else as it is."""
        self._drop_late_question(side)
        question = self._talk(side).question
        if question is None or not self._answer(side, question, said):
            self._consider(side, said)

    # --- ears and fingers -------------------------------------------------------------------

    def _feel(self, taken: Taken) -> None:
        """Hands have executed a move on the mover's board: if it is one of those that he was
        asked about, ears and fingers agree, and that is his answer."""
        game = self._table.game
        side = game.side
        question = self._talks[side].question
        if question is None or question.confirms:
            return
        for ruling in taken.rulings:
            if isinstance(ruling, Executed) and ruling.board == game.board_of(side):
                move = chess.Move.from_uci(ruling.move)
                felt = self._felt(question.options, move)
                if felt is not None and self._talk(side).question is question:
                    self._talk(side).question = None
                    self._learn(side, felt.recognition, felt.text)
                    self._do(side, felt)
                    return

    @staticmethod
    def _felt(options: Sequence[Statement], move: chess.Move | None) -> Statement | None:
        found = [o for o in options if move is not None and o.meant.move == move and not o.repeats]
        return found[0] if found else None

    # --- answers ----------------------------------------------------------------------------

    def _answer(self, side: str, question: Question, said: Statement) -> bool:
        """Take ``said`` as the answer to ``question``; False if it is something else."""
        talk, command = self._talk(side), said.meant.command
        if command in _MEANWHILE:
            self._do(side, said)
            return True
        kind, chosen = reply(question, said)
        if kind is Reply.CHOSEN:
            assert chosen is not None
            talk.question = None
            talk.refused.pop(chosen.key, None)
            if not question.confirms:
                self._learn(side, chosen.recognition, chosen.text)
            if command is Command.YES:
                self._do(side, chosen)
            else:
                self._consider(side, chosen)
        elif kind is Reply.NO:
            self._close(side, question, refused=True)
            again = "cancelled" if question.confirms else "repeat_please"
            self._say_to(side, self._pack.sentence(again))
        elif kind in (Reply.AGAIN, Reply.UNCLEAR):
            self._ask_again(side, question, unclear=kind is Reply.UNCLEAR)
            return True
        else:
            with_move = claim_with(question, said)
            self._close(side, question, refused=said.meant.correction)
            if with_move is not None:
                self._consider(side, with_move)
                return True
            if question.confirms:
                self._say_to(side, self._pack.sentence("cancelled"))
            self._consider(side, said)
        self.on_listening()
        return True

    def _close(self, side: str, question: Question, *, refused: bool) -> None:
        talk = self._talk(side)
        talk.question = None
        if refused and not question.confirms:
            talk.refused |= {option.key: 0 for option in question.options}
            talk.doubted = question.options[0]

    def _unclear(self, side: str) -> None:
        """Sound that was not decided: an answer that is none, or words that are nothing."""
        self._drop_late_question(side)
        question = self._talk(side).question
        if question is None:
            if self._state(side) in (Awaited.WAIT, Awaited.OVER):
                return  # nothing is awaited of him: people talk
            self.not_understood(side)
        else:
            self._ask_again(side, question, unclear=True)

    def _ask_again(self, side: str, question: Question, *, unclear: bool) -> None:
        talk = self._talk(side)
        if unclear and question.unclear >= UNCLEAR_ANSWERS:
            talk.question = None
            self._say_to(side, self._pack.sentence("cancelled"))
            self.on_listening()
            return
        talk.question = replace(
            question, since=self._table.time(), unclear=question.unclear + unclear
        )
        self._say_to(side, question.words)

    def _only_answers(self, side: str, decision: Decision) -> bool:
        """Whether it means something as an answer only: ja, nein, or a bare word."""
        if decision.phrase is None:
            return False
        meant = self._understand(side, decision.phrase).meant
        return meant.command in (Command.YES, Command.NO) or meant.kind is Kind.UNCLEAR

    def _drop_late_question(self, side: str) -> None:
        """A question that was not answered in time is none; an answer counts from its beginning."""
        talk = self._talk(side)
        if talk.question is not None and self.speaking():
            talk.question = replace(talk.question, since=self._table.time())
        question = talk.question
        now = self._table.time() if self._begun is None else self._begun
        if question and now - question.since > ANSWER_SECONDS * 1000:
            talk.question = None
            self._say_to(side, self._pack.sentence("cancelled"))
            self.on_listening()
        if talk.untold and self._table.time() - talk.untold_since > ANSWER_SECONDS * 1000:
            talk.untold = []
            self.on_listening()

    def _learn(self, side: str, recognition: Recognition | None, phrase: str) -> None:
        if recognition is not None and self.on_learned is not None:
            self.on_learned(side, recognition, phrase)

    # --- questions --------------------------------------------------------------------------

    def _choose(self, side: str, decision: Decision) -> None:
        """The ears cannot tell: ask by what the likeliest differ in, or read the best back."""
        self._drop_late_question(side)
        found: dict[str, Statement] = {}
        for candidate in decision.candidates:
            said = self._understand(side, candidate.phrase, decision.recognition)
            if self._is_meant_for_us(side, said):
                found.setdefault(said.key, said)
        question = self._talk(side).question
        if question is not None:
            found = self._narrowed(question, found)
            if question.confirms or not found or len(found) == len(question.options):
                self._ask_again(side, question, unclear=True)
                return
            self._close(side, question, refused=False)
        offered = [said for said in found.values() if not self._was_refused(side, said)]
        felt = self._felt(offered, self._table.game.turn.executed)
        if felt is not None:
            self._take(side, felt)
            return
        if offered and offered[0].meant.kind is Kind.AMBIGUOUS:
            self._consider(side, offered[0])
            return
        offered = [said for said in offered if said.meant.kind is not Kind.AMBIGUOUS]
        announced = [said for said in offered if said.meant.command is None]
        for number in range(min(len(announced), 4), 1, -1):
            likeliest = announced[:number]
            if likeliest == offered[:number] and self._ask_which(side, likeliest):
                return
        if offered:
            self._read_back(side, offered[0])
        elif found:
            self._say_to(side, self._pack.sentence("repeat_please"))
        else:
            self._unclear(side)

    @staticmethod
    def _narrowed(question: Question, found: dict[str, Statement]) -> dict[str, Statement]:
        """What is left of a question's options when these may have answered it; all that was
        found if it is something else."""
        left: dict[str, Statement] = {}
        for said in found.values():
            kind, option = reply(question, said)
            if kind is Reply.CHOSEN and option is not None:
                left[option.key] = option
            elif kind is not Reply.OTHER:
                return {}
        return left or found

    def _names_an_option(self, side: str, decision: Decision) -> bool:
        """Whether what was too doubtful to be taken names one of the few things that were asked
        about: that is then worth asking about alone."""
        question = self._talk(side).question
        if question is None or decision.phrase is not None or not decision.candidates:
            return False
        said = [self._understand(side, candidate.phrase) for candidate in decision.candidates]
        return all(one.meant.command is None for one in said) and all(
            reply(question, one)[0] is Reply.CHOSEN for one in said
        )

    def _was_refused(self, side: str, said: Statement) -> bool:
        """Whether he said no to it in this move and has not said it twice since; counts."""
        refused = self._talk(side).refused
        if said.key not in refused:
            return False
        refused[said.key] += 1
        return refused[said.key] < 2

    def _ask_which(self, side: str, options: Sequence[Statement], text: str = "") -> bool:
        """Ask by the one thing in which ``options`` differ; False if there is no such thing."""
        if len({option.repeats for option in options}) > 1:
            return False
        board = self._board(options[0])
        answers = self._pack.differing([option.text for option in options], board)
        if answers is None:
            return False
        choices = self._pack.either([words[0] for words in answers])
        sentence = self._pack.sentence("which", choices=choices)
        self._ask(side, options, sentence, answers=answers, text=text)
        return True

    def _read_back(self, side: str, said: Statement) -> None:
        self._ask(side, [said], self._pack.sentence("confirm_move", move=self._name(said)))

    def _name(self, said: Statement) -> str:
        """What was said, as the table says it."""
        meant = said.meant
        if meant.command is not None:
            name = self._pack.command(meant.command)
            moves = [self._announcement(move, said) for move in meant.moves]
            return ", ".join([name, *moves])
        if meant.move is not None:
            return self._announcement(meant.move, said)
        return said.text[:1].upper() + said.text[1:]

    def _announcement(self, move: chess.Move, said: Statement) -> str:
        setup = self._table.game.setup
        assert setup is not None
        return self._pack.announce(self._board(said), move, edition=setup.edition)

    def _board(self, said: Statement) -> chess.Board:
        game = self._table.game
        return game.history[-1].before if said.repeats else game.board

    def _ask(
        self,
        side: str,
        options: Sequence[Statement],
        words: str,
        *,
        confirms: bool = False,
        answers: Sequence[Sequence[str]] = (),
        text: str = "",
    ) -> None:
        """Ask; the answer decides. What a player on move tried to announce is a fact already:
        he has begun his move (D.2.4)."""
        game = self._table.game
        talk = self._talk(side)
        talk.question = Question(
            tuple(options),
            words,
            self._table.time(),
            self._table.time(),
            confirms,
            tuple(tuple(word.lower() for word in one) for one in answers),
        )
        begun = not confirms and any(
            said.meant.command is None and not said.repeats for said in options
        )
        if begun and side == game.side:
            self._table.submit(f.Announce(by=side, text=text), _ASKING)
        self._say_to(side, words)
        self.on_listening()

    # --- doing ------------------------------------------------------------------------------

    def _consider(self, side: str, said: Statement) -> None:
        """Do it, or ask first."""
        game, meant = self._table.game, said.meant
        late = self._corrects_too_late(side, said)
        ours = side == game.side and not said.repeats and not game.over and not late
        if meant.command in CONFIRMED and self._needs_a_yes(side, said):
            self._ask(side, [said], self._sure(said), confirms=True)
        elif ours and (self._corrects_what_is_executed(meant) or self._corrects_by_chance(said)):
            assert meant.move is not None
            move = self._announcement(meant.move, said)
            self._ask(side, [said], self._pack.sentence("correct_sure", move=move), confirms=True)
        elif not (ours and self._ask_for_the_rest(side, said)):
            self._do(side, said)

    def _needs_a_yes(self, side: str, said: Statement) -> bool:
        """Not where the Laws will refuse it at once."""
        game, command = self._table.game, said.meant.command
        assert game.setup is not None
        if game.over or (said.meant.rest and not said.meant.moves):
            return False
        if command in (Command.ACCEPT_DRAW, Command.DECLINE_DRAW):
            return OTHER[side] in game.offers
        if command is Command.PAUSE:
            return command in self._commands(side)
        return True

    def _sure(self, said: Statement) -> str:
        command = said.meant.command
        if command is Command.RESIGN:
            return self._pack.sentence("resign_sure")
        if command is Command.ACCEPT_DRAW:
            return self._pack.sentence("accept_draw_sure")
        claims = command in CLAIMS_WITH_MOVE and not said.meant.moves
        return self._pack.sentence("claim_sure" if claims else "sure", what=self._name(said))

    def _corrects_too_late(self, side: str, said: Statement) -> bool:
        """Whether that is to correct an announcement after its player has pressed the clock
        (D.2.8)."""
        game, meant = self._table.game, said.meant
        names_a_move = meant.kind in (Kind.MOVE, Kind.AMBIGUOUS, Kind.ILLEGAL)
        if not (meant.correction and names_a_move) or said.repeats or not game.history:
            return False
        if side != game.side:  # it is, unless he corrects how he has repeated the opponent's move
            return game.turn.announced is None or meant.move is None
        if said.recognition is not None or game.turn != Turn() or meant.move is not None:
            return False
        # At a keyboard that is there for both, it is his who moved last if it fits his move alone.
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
        """Whether sound would change what is announced without a word that it is to correct: it
        may be the opponent's repetition, misheard."""
        announced = self._table.game.turn.announced
        other = said.meant.move is not None and announced not in (None, said.meant.move)
        return other and said.recognition is not None and not said.meant.correction

    def _ask_for_the_rest(self, side: str, said: Statement) -> bool:
        """Ask for what an announcement left open: which piece, which side, or what the pawn is
        promoted to (D.2.1)."""
        meant, board = said.meant, self._table.game.board
        missing = meant.why is IllegalReason.PROMOTION_MISSING
        if meant.kind is not Kind.AMBIGUOUS and not missing:
            return False
        moves = meant.alternatives if missing else sorted(meant.moves, key=_from_square)
        texts = [self._pack.announce(board, move) for move in moves]
        options = [Statement(text, self._pack.understand(text, board)) for text in texts]
        answers = self._pack.differing(texts, board)
        if answers is None or len(options) > 4:
            return False
        if missing:
            words = self._pack.sentence("illegal_promotion_missing")
        else:
            choices = self._pack.either([words[0] for words in answers])
            words = self._pack.sentence("which", choices=choices)
        self._ask(side, options, words, answers=answers, text=said.text)
        return True

    def _do(self, side: str, said: Statement) -> None:
        meant = said.meant
        if self._corrects_too_late(side, said):
            late = OTHER[self._table.game.side]
            self._table.submit(f.Correct(by=late, text=meant.words))
        elif meant.kind is Kind.COMMAND:
            self._command(side, meant)
        elif meant.kind in (Kind.MOVE, Kind.AMBIGUOUS, Kind.ILLEGAL):
            self._move(side, said)
        else:
            self.not_understood(side, said.text)

    def _move(self, side: str, said: Statement) -> None:
        game, meant = self._table.game, said.meant
        named = meant.moves[0].uci() if meant.move else None
        if side != game.side or said.repeats:
            self._repeated[side] = len(game.history) + (not said.repeats)
            self._table.submit(f.Repeat(by=side, text=said.text, move=named))
            return
        talk = self._talk(side)
        was = game.turn.announced
        if meant.move is not None:
            # What he corrects was misheard, if it differs in one thing from what he says now.
            for misheard in (
                talk.doubted,
                talk.accepted if was not in (None, meant.move) else None,
            ):
                if misheard is not None and self._is_misheard(misheard, said):
                    self._learn(side, misheard.recognition, meant.uttered)
            talk.doubted = None
            talk.accepted = said
        if meant.correction:
            self._table.submit(f.Correct(by=side, text=meant.words, move=named))
        else:
            self._table.submit(f.Announce(by=side, text=said.text, move=named))

    def _is_misheard(self, before: Statement, now: Statement) -> bool:
        texts = [before.text, now.meant.uttered]
        same_length = len(before.meant.uttered.split()) == len(now.meant.uttered.split())
        return same_length and self._pack.differing(texts, self._board(now)) is not None

    def _command(self, side: str, meant: Understanding) -> None:
        command, submit = meant.command, self._table.submit
        assert command is not None
        if command in (Command.CLOCK_MINE, Command.CLOCK_OPPONENT):
            self._tell_time(side, command)
        elif command in _ABOUT:
            submit(f.Query(by=side, about=_ABOUT[command]))
        elif command in QUESTIONS:
            self._look(side, command, meant.about or About())
        elif command in _CLAIMS and meant.rest and not meant.moves:
            self._say_to(side, self._pack.sentence("not_understood"))
        elif command in _CLAIMS:
            named = meant.moves[0].uci() if meant.moves else None
            submit(f.ClaimDraw(by=side, rule=_CLAIMS[command], move=named))
        elif command in _FACTS:
            submit(_FACTS[command](by=side))
        elif command is Command.SEAL:
            self._seal(side, meant.rest)
        elif command is Command.ADJOURN:
            self._adjourn(side)
        elif command in (Command.PAUSE, Command.RESUME):
            self._pause(side, command)
        elif command is Command.CALL_ASSISTANT:
            player = self._pack.sentence(side)
            self._say(Output.PUBLIC, self._pack.sentence("assistant_called", player=player))
        elif command is Command.REPEAT:
            if self.last_said:
                self._say_to(side, self.last_said)
        elif command is Command.HELP:
            self._help(side)
        elif command is Command.MORE:
            self._tell_commands(side)
        elif command in _VOICE:
            self._adjust_voice(side, command)
        elif command is Command.CORRECTION:
            self._say_to(side, self._pack.sentence("repeat_please"))
        else:
            self._say_to(side, self._pack.sentence("refused"))

    def _tell_time(self, side: str, command: Command) -> None:
        """One of the two times: the fact and its ruling are of both."""
        rulings = self._table.submit(f.Query(by=side, about="time"), _TELLING_TIME)
        for ruling in rulings:
            if isinstance(ruling, Answer):
                self._say_to(side, time_in_words(self._pack, ruling, command))

    def _look(self, side: str, command: Command, about: About) -> None:
        if not self._table.training:
            self._table.submit(f.Query(by=side, about="position"))
            return
        self._table.submit(f.Query(by=side, about="position"), _ANSWERING)
        self._say_to(side, look(self._pack, self._table.game, command, about))

    def _seal(self, side: str, text: str) -> None:
        """The sealed move is written, never said: it is his secret."""
        if text:
            self._table.submit(f.Seal(by=side, text=text))
        else:
            self._say_to(side, self._pack.sentence("not_understood"))

    def _adjourn(self, side: str) -> None:
        """It is for the arbiter to adjourn; where there is none, both have agreed to it."""
        game = self._table.game
        player = self._pack.sentence(side)
        self._say(Output.PUBLIC, self._pack.sentence("adjourn_wanted", player=player))
        if not game.presided:
            self._table.submit(f.Arbiter(do="adjourn"))

    def _pause(self, side: str, command: Command) -> None:
        game = self._table.game
        if game.presided:
            self._say_to(side, self._pack.sentence("pause_refused"))
        elif command not in self._commands(side):
            self._say_to(side, self._pack.sentence("refused"))
        else:
            do = "stop_clocks" if command is Command.PAUSE else "start_clocks"
            self._table.submit(f.Arbiter(do=do))
            self._say(Output.PUBLIC, self._pack.sentence(command.value))

    def _adjust_voice(self, side: str, command: Command) -> None:
        before = self.last_said
        if self.adjust_voice is None:
            answer = "refused"
        else:
            answer = command.value if self.adjust_voice(command) else "voice_limit"
        self._say_to(side, self._pack.sentence(answer))
        self.last_said = before  # that is what may have been too soft to hear

    # --- help -------------------------------------------------------------------------------

    def _help(self, side: str) -> None:
        """What can be said now: what is to be done, then a few commands, the rest on "mehr"."""
        game, talk = self._table.game, self._talk(side)
        if not game.over and not game.adjourned:
            if side != game.side:
                key = "help_repeat"
            else:
                key = "help_announce" if game.turn.announced is None else "help_correct"
            correction = self._pack.command(Command.CORRECTION)
            self._say_to(side, self._pack.sentence(key, correction=correction))
        untold = [command for command in self._commands(side) if command not in ASK_AGAIN]
        if self._opening_word is not OpeningWord.OPTIONAL:
            untold = [command for command in untold if command not in NEVER_OPENED]
        talk.untold = [self._pack.command(c) for c in (*untold, Command.REPEAT)]
        self._tell_commands(side)

    def _tell_commands(self, side: str) -> None:
        talk = self._talk(side)
        if not talk.untold:
            self._say_to(side, self._pack.sentence("refused"))
            return
        now, talk.untold = talk.untold[:COMMANDS_AT_ONCE], talk.untold[COMMANDS_AT_ONCE:]
        talk.untold_since = self._table.time()
        more = self._pack.command(Command.MORE)
        self._tell(side, now, self._pack.sentence("help_more", more=more) if talk.untold else "")
        self.on_listening()

    def _tell(self, side: str, commands: list[str], more: str = "") -> None:
        needed = self._opening_word is not OpeningWord.OPTIONAL
        words = self._pack.sentence(
            "help_opened" if needed else "help_say",
            commands=", ".join(commands),
            word=self._pack.opening_word,
        )
        self._say_to(side, f"{words} {more}".strip())


def _from_square(move: chess.Move) -> chess.Square:
    return move.from_square
