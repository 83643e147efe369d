"""The questions to both players, at most one open for each."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import chess

from blindplay.hearing.statement import Statement, interpret
from blindplay.language import Command, IllegalReason, Kind, Understanding, in_language, join
from blindplay.laws import facts as f
from blindplay.laws.rulings import Ambiguous, NotUnderstood, Refused
from blindplay.laws.state import OTHER
from blindplay.wording.announcements import result_in_words
from blindplay.wording.readers import Readers, announcing

from .conversation import (
    ANSWER_SECONDS,
    BEGINNING_SECONDS,
    CLAIMS_WITH_MOVE,
    Beginning,
    Effect,
    Question,
    Relisten,
    Reply,
    Say,
    Submit,
    reply,
    say,
)
from .table import Table

Told: TypeAlias = Callable[[str], float | None]
"""Gives when words were spoken to their end, in ms of the table's time. Infinity: they are still to
be spoken; None: they were cut off."""
UNCLEAR_ANSWERS = 2
"""Number of unclear answers after which the table asks again; one more means no."""
MOST_OPTIONS = 4
"""The highest number of options of a question."""
# The questions for commands that do not use the common one.
_CONFIRMATIONS: Mapping[Command | None, str] = {
    Command.RESIGN: "resign_sure",
    Command.ACCEPT_DRAW: "accept_draw_sure",
    Command.SEAL: "seal_sure",
    Command.SIGN: "sign_sure",
    Command.RESUME: "envelope_sure",
}


@dataclass
class Talk:
    """The state of the conversation with one player; all but ``question`` is of one ply."""

    question: Question | None = None
    plies: int = 0
    # Statements that the player refused, and how often each was heard since. They are not offered
    # at once.
    refused: dict[str, int] = field(default_factory=dict)
    doubted: Statement | None = None  # the likeliest of what the player said no to
    accepted: Statement | None = None  # the last announcement that was taken from sound
    begun: Beginning | None = None  # an announcement whose rest is still to come
    # A doubtful repetition of what everybody has just heard. It is not asked about.
    repetition: Statement | None = None

    def end(self) -> None:
        """End the question, and with one about a move the announcement that was begun."""
        if self.question is None or self.question.is_about_a_move:
            self.begun = None
        self.question = None


class Questions:
    """Asks, and keeps what was asked. Methods return effects in the order to do them.

    ``told``: whether a question was heard; by default at once.
    """

    def __init__(self, table: Table, readers: Readers, told: Told = lambda words: 0) -> None:
        self._table = table
        self._readers = readers
        self._told = told
        self._talks = {side: Talk() for side in f.SIDES}

    def talk(self, side: str) -> Talk:
        """The state of the conversation with ``side`` in this ply."""
        talk, game = self._talks[side], self._table.game
        plies = len(game.history)
        if talk.plies != plies:
            talk.plies = plies
            talk.refused.clear()
            talk.doubted = talk.accepted = talk.repetition = talk.begun = None
            if talk.question is not None and talk.question.is_about_a_move:
                talk.question = None  # the move is completed
        if talk.begun is not None and talk.begun.announced != game.turn.announced:
            talk.begun = None
            if talk.question is not None and talk.question.begun:
                talk.question = None
        question = talk.question
        if question is not None and (
            (game.over and not question.signs)
            or (question.consents and game.wants_to_adjourn != OTHER[side])
        ):
            talk.question = None
        return talk

    def ask(
        self,
        side: str,
        options: Sequence[Statement],
        words: str,
        *,
        confirms: bool = False,
        begun: bool = False,
        answers: Sequence[Sequence[str]] = (),
        text: str = "",
        consents: bool = False,
    ) -> list[Effect]:
        """Ask, and let the answer decide. A player on move who tried to announce has begun the
        move (D.2.4), so that is a fact at once: an announcement of ``text``."""
        now = self._table.time()
        lower = tuple(tuple(word.lower() for word in one) for one in answers)
        question = Question(
            tuple(options), words, now, now, confirms, begun, lower, consents=consents
        )
        self.talk(side).question = question
        asked: list[Effect] = [Say(side, words, fleeting=True), Relisten()]
        announces = any(one.meant.command is None and not one.repeats for one in options)
        if announces and not confirms and side == self._table.game.side:
            announced = f.Announce(by=side, text=text)
            return [Submit(announced, reports=(NotUnderstood, Ambiguous, Refused)), *asked]
        return asked

    def read_back(self, side: str, statement: Statement) -> list[Effect]:
        """Ask whether this was said."""
        words = self._readers.of(side).sentence("confirm_move", move=self.name(side, statement))
        return self.ask(side, [statement], words)

    def confirm(self, side: str, statement: Statement) -> list[Effect]:
        """Ask whether a command that ends or changes the game is meant."""
        command = statement.meant.command
        claims = command in CLAIMS_WITH_MOVE and not statement.meant.moves
        key = _CONFIRMATIONS.get(command, "claim_sure" if claims else "sure")
        what, result = self.name(side, statement), self._table.game.result
        if command is Command.SIGN and result is not None:
            what = result_in_words(self._readers.of(side), result)
        words = self._readers.of(side).sentence(key, what=what)
        return self.ask(side, [statement], words, confirms=True)

    def ask_to_adjourn(self, side: str) -> list[Effect]:
        """Ask whether ``side`` agrees to adjourn, as the opponent wishes."""
        pack = self._readers.of(side)
        text = pack.command(Command.ADJOURN)
        agreed = Statement(text, Understanding(Kind.COMMAND, text, command=Command.ADJOURN))
        words = pack.sentence("adjourn_sure")
        return self.ask(side, [agreed], words, confirms=True, consents=True)

    def confirm_correction(self, side: str, statement: Statement) -> list[Effect]:
        """Ask whether another announcement is to replace the one that was made, or ask for it."""
        if statement.meant.move is None:
            words = self._readers.of(side).sentence("repeat_please")
        else:
            move = self._announcement(side, statement.meant.move, statement)
            words = self._readers.of(side).sentence("correct_sure", move=move)
        return self.ask(side, [statement], words, confirms=True)

    def ask_which(self, side: str, options: Sequence[Statement]) -> list[Effect] | None:
        """Ask for the one thing in which ``options`` differ; None if there is no such thing."""
        if len({option.repeats for option in options}) > 1:
            return None
        board = self.board(options[0])
        texts = [option.text for option in options]
        answers = self._readers.of(side).differing(texts, board)
        if answers is None:
            return None
        return self.ask(side, options, self._which(side, answers), answers=answers)

    def ask_either(self, side: str, options: Sequence[Statement]) -> list[Effect]:
        """Ask which of two moves was meant that differ in more than one thing. The answer is the
        piece, if it tells them apart, or the whole announcement."""
        pack = self._readers.of(side)
        names = [self.name(side, option) for option in options]
        pieces = [name.split()[0] for name in names]
        answers = [[piece] if len(set(pieces)) > 1 else [] for piece in pieces]
        words = pack.sentence("which", choices=pack.either(names))
        return self.ask(side, options, words, answers=answers)

    def ask_where(self, side: str, begun: Beginning) -> list[Effect]:
        """Ask for the rest of an announcement."""
        pack, words = announcing(self._table.game), begun.said.meant.uttered
        for name in map(pack.square, chess.SQUARES):
            words = words.replace(name.lower(), name)
        what = in_language(words[:1].upper() + words[1:], pack.code)
        words = self._readers.of(side).sentence("begun_where", what=what)
        return self.ask(side, [begun.said], words, begun=True)

    def ask_for_the_rest(self, side: str, statement: Statement) -> list[Effect] | None:
        """Ask for what an announcement left open: which piece, which side, or the promotion
        (D.2.1); None if nothing is open, or too much."""
        meant, board = statement.meant, self._table.game.board
        missing = meant.why is IllegalReason.PROMOTION_MISSING
        if meant.kind is not Kind.AMBIGUOUS and not missing:
            return None
        moves = (
            meant.alternatives
            if missing
            else sorted(meant.moves, key=lambda move: move.from_square)
        )
        pack = self._readers.of(side)
        texts = [pack.announce(board, move) for move in moves]
        answers = pack.differing(texts, board)
        if answers is None or len(texts) > MOST_OPTIONS:
            return None
        ask_promotion = pack.sentence("illegal_promotion_missing")
        words = ask_promotion if missing else self._which(side, answers)
        options = [interpret(text, (board,), pack) for text in texts]
        return self.ask(side, options, words, answers=answers, text=statement.text)

    def _which(self, side: str, answers: Sequence[Sequence[str]]) -> str:
        pack = self._readers.of(side)
        return pack.sentence("which", choices=pack.either([words[0] for words in answers]))

    def ask_again(
        self, side: str, question: Question, *, unclear: bool, brief: bool | None = None
    ) -> list[Effect]:
        """Ask once more; after too many unclear answers, give up. ``brief``, by default for an
        unclear answer: nothing is repeated that was heard to its end and needs only a yes or no."""
        talk = self.talk(side)
        if unclear and question.unclear >= UNCLEAR_ANSWERS:
            return self.drop(side, question)
        unclear_now = question.unclear + unclear
        talk.question = replace(question, since=self._table.time(), unclear=unclear_now)
        told, words = self._told(question.words), question.words
        asked = told is not None and told < math.inf
        yes_or_no = len(question.options) == 1 and not question.asks_for_a_move
        if asked and yes_or_no and (unclear if brief is None else brief):
            pack = self._readers.of(side)
            yes, no = pack.command(Command.YES), pack.command(Command.NO).lower()
            words = pack.sentence("which", choices=pack.either([yes, no]))
        return [Say(side, words, fleeting=True)]

    def cancelled(self, side: str) -> list[Effect]:
        """Say that what was asked about is not done."""
        return [say(self._readers.of(side), side, "cancelled"), Relisten()]

    def drop(self, side: str, question: Question) -> list[Effect]:
        """The question was not answered: that means no."""
        self.talk(side).end()
        return [Relisten()] if question.consents else self.cancelled(side)

    def close(self, side: str, question: Question, *, refused: bool) -> None:
        """The question is answered. ``refused``: the player said none of its options."""
        talk = self.talk(side)
        talk.end()
        if refused and not question.confirms and not question.begun:
            talk.refused |= {option.key: 0 for option in question.options}
            talk.doubted = question.options[0]

    def wait(self, side: str) -> None:
        """Wait for the answer from now on."""
        talk = self.talk(side)
        if talk.question is not None:
            talk.question = replace(talk.question, since=self._table.time())
        if talk.begun is not None:
            talk.begun = replace(talk.begun, at=self._table.time())

    def expire(self, side: str, now: int) -> list[Effect]:
        """Drop a question without an answer in time: that means no. Ask for the rest of an
        announcement that does not come. ``now``, in ms, is when an answer that is being heard
        began."""
        talk = self.talk(side)
        begun, question = talk.begun, talk.question
        if question is None and begun and now - begun.at > BEGINNING_SECONDS * 1000:
            if begun.asks:
                return self.ask_where(side, begun)
            talk.begun = None
        if question is None or now - question.since <= ANSWER_SECONDS * 1000:
            return []
        return self.drop(side, question)

    def was_refused(self, side: str, statement: Statement) -> bool:
        """Return whether the player said no to it in this ply and has not said it twice since. Each
        call counts as once."""
        refused = self.talk(side).refused
        if statement.key not in refused:
            return False
        refused[statement.key] += 1
        return refused[statement.key] < 2

    def name(self, side: str, statement: Statement) -> str:
        """Return what was said, in the words for ``side``."""
        meant = statement.meant
        if meant.command is not None:
            moves = [self._announcement(side, move, statement) for move in meant.moves]
            pack = self._readers.of(side)
            return join(", ", [pack.command(meant.command), *moves], pack.code)
        if meant.move is not None:
            return self._announcement(side, meant.move, statement)
        return statement.text[:1].upper() + statement.text[1:]

    def board(self, statement: Statement) -> chess.Board:
        """The position that a statement is about."""
        game = self._table.game
        return game.history[-1].before if statement.repeats else game.board

    def _announcement(self, side: str, move: chess.Move, statement: Statement) -> str:
        setup = self._table.game.setup
        assert setup is not None
        return self._readers.of(side).announce(self.board(statement), move, edition=setup.edition)


def narrowed(question: Question, found: dict[str, Statement]) -> dict[str, Statement]:
    """The options that ``found``, as an answer, leaves open; ``found`` itself if it is something
    else; nothing if it is an answer that chooses none."""
    left: dict[str, Statement] = {}
    for statement in found.values():
        kind, option = reply(question, statement)
        if kind is Reply.CHOSEN and option is not None:
            left[option.key] = option
        elif kind is not Reply.OTHER:
            return {}
    return left or found


def corrected(question: Question, found: dict[str, Statement]) -> dict[str, Statement]:
    """Return what ``found`` may be instead of the move that was read back, if another move is
    likelier; else nothing. A player who hears the right move read back does not say another."""
    if not question.is_a_doubt or len(question.options) > 1:
        return {}
    option, likeliest = question.options[0], next(iter(found.values()), None)
    if likeliest is None or likeliest.meant.command is not None:
        return {}
    if reply(question, likeliest)[0] is not Reply.OTHER:
        return {}
    return {key: statement for key, statement in found.items() if key != option.key}
