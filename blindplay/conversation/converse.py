"""The conversation: what players say and do becomes facts, or a question to them.

Nothing is guessed. The table asks about words that may mean two things. Commands that end or change
the game need a *ja*. A question waits for its answer for some time; then it means no, and
nothing is played. Each player has at most one question open.

A doubtful move is read back, and its player's next action decides. An action that fits confirms
it: the same move on the board, the player's own clock, two quick presses of the talk button, *ja*.
An action that does not fit withdraws it, and the player hears that.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

import chess

from blindplay.hearing.decision import Decision, Verdict
from blindplay.hearing.expectation import felt_moves
from blindplay.hearing.statement import Statement, interpret
from blindplay.language import (
    NEVER_OPENED,
    PLAYS_AGAIN,
    Command,
    IllegalReason,
    Kind,
    Understanding,
    in_language,
    join,
)
from blindplay.language.pack import fold
from blindplay.laws import Taken
from blindplay.laws import facts as f
from blindplay.laws.moving import may_be_a_slip
from blindplay.laws.rulings import (
    AdjournmentAsked,
    Announced,
    ArbiterNeeded,
    Executed,
    NotUnderstood,
    Repeated,
    Touched,
)
from blindplay.laws.state import OTHER
from blindplay.speech.recogniser import Recognition
from blindplay.wording.readers import announcing

from . import OpeningWord, beginnings, commands, questions
from .effects import (
    Acknowledge,
    Effect,
    HoldPress,
    Learn,
    PlayAgain,
    Relisten,
    Say,
    Submit,
    TellStep,
    say,
)
from .grammar import CLOCKS, VOICE, sayable
from .state import (
    ANSWER_SECONDS,
    BEGINNING_SECONDS,
    NAMES_A_MOVE,
    AgainAnswered,
    AgainWanted,
    Awaited,
    ButtonTapped,
    ClockPressed,
    Event,
    Exchange,
    HeardUtterance,
    Hushed,
    Question,
    Reply,
    Sayable,
    SecondPassed,
    Situation,
    TableBegun,
    Talks,
    TypedLine,
)

_MOST_FAILURES = 3
"""Number of failed attempts to announce after which the table names another way."""
UNCLEAR_ANSWERS = 2
"""Number of unclear answers after which the table asks again; one more means no."""
# Done while a question stays open.
_MEANWHILE = frozenset(
    (
        *CLOCKS,
        *VOICE,
        Command.MOVES,
        Command.LAST_MOVE,
        Command.SCORE,
        Command.LAST_MOVES,
        Command.WHAT_NOW,
    )
)


def converse(talks: Talks, event: Event, about: Situation) -> tuple[Talks, list[Effect]]:
    """Return the state of the conversation after ``event``, and the effects in their order. It is
    total: it never raises, whatever the state and the event."""
    effects: list[Effect] = []
    for side in _concerned(event, about):
        now = Exchange(about, side, talks.of(side))
        match event:
            case TypedLine(_, text):
                _typed(now, text)
            case HeardUtterance():
                _heard(now, event)
            case Hushed():
                _hushed(now)
            case ClockPressed(presser, at):
                _pressed(now, presser, at)
            case ButtonTapped(_, at):
                _tapped(now, at)
            case Taken():
                _ruled(now, event)
            case SecondPassed():
                _expire(now)
                _ask_for_the_rest(now)
            case TableBegun():
                commands.introduce(now)
            case AgainWanted(_, command):
                now.ask(questions.agree_to_play_again(about, side, command))
            case AgainAnswered(_, command):
                _end_again(now, command)
        talks = replace(talks, **{side: now.talk})
        effects += now.effects
    if isinstance(event, HeardUtterance) and event.assistant:
        # What is learned of a voice is learned of the player's.
        told = (one for one in effects if not isinstance(one, Learn))
        effects = [_said_by(one, event.assistant) for one in told]
    return talks, effects


def _said_by(effect: Effect, assistant: str) -> Effect:
    """Return the effect of what an assistant has said for a player."""
    if isinstance(effect, Submit) and isinstance(effect.fact, f.Announce | f.Correct | f.Repeat):
        return replace(effect, fact=replace(effect.fact, by=assistant))
    return effect


def _concerned(event: Event, about: Situation) -> Collection[str]:
    """Return the players with whom the event is a step of the conversation."""
    match event:
        case TypedLine(side) | HeardUtterance(side) | Hushed(side) | ButtonTapped(side):
            return (side,)
        case AgainWanted(side) | AgainAnswered(side):
            return (side,)
        case ClockPressed(presser):
            return (presser.removeprefix("assistant:"),)
        case TableBegun():  # one player of each language
            here = (side for side in f.SIDES if side != about.absent)
            return {about.readers.of(side).code: side for side in here}.values()
    return f.SIDES


# --- statements -----------------------------------------------------------------------------------


def _typed(now: Exchange, text: str) -> None:
    _expire(now)
    may = sayable(now.about, now.side, now.talk)
    letter, question = now.pack.letters.get(text.strip()), now.talk.question
    names = question is not None and (question.asks_for_a_move or len(question.options) > 1)
    if letter is not None and not names and now.talk.beginning is None:  # no file is meant
        text = now.pack.command(letter)
    said = _only_reading(now, interpret(text, may.boards, now.pack))
    opening, _space, rest = text.strip().partition(" ")
    opened = fold(opening) == fold(now.pack.opening_word)
    if opened and said.meant.kind is Kind.UNCLEAR:  # a move needs no opening word
        said = _only_reading(now, interpret(rest, may.boards, now.pack))
    if said.meant.kind is Kind.NOTHING:  # "one moment"
        if question is not None:
            _ask_again(now, question, unclear=False)
        elif text.strip():
            now.do(TellStep(now.side))
        return
    decision = beginnings.join(now, may, Decision(Verdict.ACCEPT, Recognition(), said), None)
    if decision is not None and decision.taken is None:
        _choose(now, may, decision)
    elif decision is not None and decision.taken is not None:
        _take(now, may, decision.taken)


def _heard(now: Exchange, event: HeardUtterance) -> None:
    _expire(now, event.began)
    now.change(unanswered=None)
    may = sayable(now.about, now.side, now.talk)
    meant = event.decision.meant
    only_answers = meant.command in (Command.YES, Command.NO) or (
        meant.kind is Kind.UNCLEAR and event.decision.taken is not None
    )
    early = may.asked is not None and event.began is not None and event.began < may.asked
    if (event.awaited and (early or may.asked is None)) or (early and only_answers):
        return
    decision = beginnings.join(now, may, event.decision, event.together)
    if decision is None or decision.verdict is Verdict.NOTHING:
        now.change(unanswered=event.decision)
        if event.pressed:
            _hushed(now)
        return
    if _is_announced(now, decision):
        return
    likeliest = decision.likeliest
    is_command = likeliest is None or likeliest.meant.command not in (None, Command.CORRECTION)
    if now.about.seal_due and not is_command:
        if now.side == now.game.side:
            now.say("seal_written")
    elif decision.verdict is Verdict.ASK or _names_an_option(now, decision):
        _choose(now, may, decision)
    elif decision.taken is None:
        _unclear(now, may)
    elif not _is_meant_for_us(now, may, decision.taken):
        return
    elif _was_refused(now, decision.taken):
        now.say("repeat_please")
    elif decision.taken.key in now.talk.refused:
        now.ask(questions.read_back(now.about, now.side, decision.taken))
    else:
        _take(now, may, decision.taken)


def _hushed(now: Exchange) -> None:
    """Answer an attempt that got no answer. A beginning is asked about when its rest does not
    come."""
    decision, question, begun = now.talk.unanswered, now.talk.question, now.talk.beginning
    now.change(unanswered=None)
    may = sayable(now.about, now.side, now.talk)
    if decision is not None and may.awaited is Awaited.REPEAT:
        if _is_repetition(now, [one.statement for one in decision.candidates]):
            _choose(now, may, replace(decision, verdict=Verdict.ASK))  # a tick
        return
    own_turn = now.side == now.game.side and not (may.both_asked or now.about.seal_due)
    if decision is None or not own_turn:
        return
    if begun is not None:
        now.change(beginning=replace(begun, asks=True))
    elif question is not None or may.awaited is Awaited.ANNOUNCE:
        if decision.verdict is Verdict.NOTHING and decision.candidates:
            _choose(now, may, replace(decision, verdict=Verdict.ASK))
        elif question is not None:
            _ask_again(now, question, unclear=True)
        else:
            now.say("not_understood")
            _fail(now)


def _fail(now: Exchange, *, understood: bool = False) -> None:
    """An attempt to announce has failed. To a player who was never understood say once what helps,
    and at the third time name another way."""
    now.change(failures=now.talk.failures + 1)
    pack, names = now.pack, announcing(now.game)
    if now.talk.failures == _MOST_FAILURES:
        now.say("attempt_otherwise")
        if now.game.assistants[now.side] is not False:
            now.say("attempt_assistant", word=pack.command(Command.CALL_ASSISTANT))
    elif not (understood or now.talk.knows_names):
        now.change(knows_names=True)
        example = names.announce(chess.Board(), chess.Move.from_uci("g1f3"))
        now.say(
            "attempt_names",
            files=in_language(join(", ", map(names.file, range(8)), names.code), names.code),
            first=in_language(names.rank(0), names.code),
            last=in_language(names.rank(7), names.code),
            example=in_language(example, names.code),
        )


def _only_reading(now: Exchange, said: Statement) -> Statement:
    """Return ``said`` as the one move that it can be: only one castling is legal, or only one piece
    was touched. Else return it as it is."""
    moves = said.meant.moves
    if said.meant.kind is not Kind.AMBIGUOUS:
        return said
    felt = felt_moves(now.game, now.side)
    if felt is not None:
        moves = tuple(move for move in moves if move in felt)
    if len(moves) != 1:
        return said
    return replace(said, meant=replace(said.meant, kind=Kind.MOVE, moves=moves))


def _expire(now: Exchange, began: int | None = None) -> None:
    """Drop a question that was not answered in time, and an unfinished announcement that nobody
    waits for. An answer that is being heard counts from when it ``began``."""
    time = now.about.now
    if now.about.speaking:
        question, begun = now.talk.question, now.talk.beginning
        now.change(
            question=question and replace(question, since=time),
            beginning=begun and replace(begun, at=time),
            helped=time,
            misheard=None if now.talk.misheard is None else time,
        )
    question, begun = now.talk.question, now.talk.beginning
    at = time if began is None else began
    if question is None and begun is not None and not begun.asks and _is_overdue(begun.at, at):
        now.change(beginning=None)
    if now.talk.misheard is not None and _is_overdue(now.talk.misheard, at):
        now.change(misheard=None)
    if question is not None and at - question.since > question.seconds * 1000:
        _drop(now, question)
    if now.talk.untold and time - now.talk.helped > ANSWER_SECONDS * 1000:
        now.change(untold=())
        now.do(Relisten())


def _ask_for_the_rest(now: Exchange) -> None:
    """Ask for the rest of an announcement that does not come."""
    begun = now.talk.beginning
    if now.talk.question is None and begun is not None and _is_overdue(begun.at, now.about.now):
        now.ask(questions.where(now.about, now.side, begun))


def _is_overdue(since: int, at: int) -> bool:
    return at - since > BEGINNING_SECONDS * 1000


def _drop(now: Exchange, question: Question) -> None:
    """The question was not answered: that means no."""
    now.end_question()
    now.change(lapsed=now.about.now)
    if question.consents:
        now.do(Relisten())
    elif question.other_game:
        _end_again(now, None)
    else:
        now.cancel()


def _end_again(now: Exchange, command: Command | None) -> None:
    """End the question about another game, and so the wish for it: both want ``command``, or
    everybody hears that there is no other game."""
    now.end_question()
    if command is None:
        now.do(say(now.about.readers.everybody, None, "again_declined"), Relisten())
    else:
        now.do(PlayAgain(command))


def _is_meant_for_us(now: Exchange, may: Sayable, said: Statement) -> bool:
    """Return whether ``said`` is meant for the table: a command needs its opening word, and a move
    a player who may say one now. People at a table talk, and both microphones hear an
    announcement."""
    meant, word = said.meant, now.about.opening_word
    if meant.command is None:
        return may.awaited is not Awaited.WAIT
    if meant.command in (Command.YES, Command.NO):
        return may.asked is not None or now.has_just_lapsed
    if meant.opened or meant.correction:
        return True
    if word is OpeningWord.SINGLE and " " in said.text.strip():
        return True
    return word is OpeningWord.OPTIONAL or meant.command in NEVER_OPENED


def _is_announced(now: Exchange, decision: Decision) -> bool:
    """Return whether this is the move that the player has announced: this microphone, too, hears
    the opponent repeat it (D.2.1)."""
    announced, likeliest = now.game.turn.announced, decision.likeliest
    if now.side != now.game.side or announced is None or likeliest is None:
        return False
    meant = likeliest.meant
    new = meant.command is not None or meant.correction or meant.move != announced
    return not new and now.talk.question is None


def _is_repetition(now: Exchange, found: Sequence[Statement]) -> bool:
    """Return whether the player seems to repeat what was announced (D.2.1). Everybody has just
    heard it, so it is not read back; their hands show whether they have understood it. Words that
    may be a move of their own are not a repetition."""
    game = now.game
    if not found or found[0].meant.correction or found[0].meant.move is None:
        return False
    if now.side != game.side:
        return found[0].meant.move == game.turn.announced
    own = any(now.pack.understand(said.text, game.board).moves for said in found)
    return all(said.repeats for said in found) and not own


def _names_an_option(now: Exchange, decision: Decision) -> bool:
    """Return whether something too doubtful to be taken names one of the options asked about. Then
    a question about it alone is worth asking."""
    question = now.talk.question
    if question is None or decision.taken is not None or not decision.candidates:
        return False
    said = [candidate.statement for candidate in decision.candidates]
    return all(one.meant.command is None for one in said) and all(
        question.reply(one, now.pack)[0] is Reply.CHOSEN for one in said
    )


def _was_refused(now: Exchange, said: Statement) -> bool:
    """Return whether the player said no to it in this ply and has not said it twice since. Each
    call counts as once."""
    times = now.talk.refused.get(said.key)
    if times is None:
        return False
    now.change(refused={**now.talk.refused, said.key: times + 1})
    return times < 1


# --- answers and doubts ---------------------------------------------------------------------------


def _take(now: Exchange, may: Sayable, said: Statement) -> None:
    """Take what was said as the answer to the open question, or by itself."""
    if said.meant.kind in NAMES_A_MOVE or said.meant.command is Command.CORRECTION:
        now.change(beginning=None)
    question = now.talk.question
    if question is None:
        _consider(now, may, said)
    elif said.meant.command in _MEANWHILE:
        _do(now, may, said)
    else:
        _answer(now, may, question, said)


def _answer(now: Exchange, may: Sayable, question: Question, said: Statement) -> None:
    command = said.meant.command
    kind, chosen = question.reply(said, now.pack)
    if kind in (Reply.AGAIN, Reply.UNCLEAR):
        helps = command is Command.HELP and now.game.side == now.side
        if helps and question.is_a_doubt and len(question.options) == 1:
            now.say("help_confirm")
        _ask_again(now, question, unclear=kind is Reply.UNCLEAR)
        return
    if kind is Reply.NO:
        now.end_question(refused=True)
        if question.consents:
            now.submit(f.Adjourn(by=now.side, declined=True))
        elif question.other_game:
            _end_again(now, None)
        elif question.confirms:
            now.say("cancelled")
        else:
            now.say("repeat_please")
            if now.side == now.game.side:
                _fail(now, understood=True)
    elif chosen is not None:
        now.end_question()
        left = {key: times for key, times in now.talk.refused.items() if key != chosen.key}
        now.change(refused=left)
        if not question.confirms:
            _learn(now, chosen)
        if question.other_game:
            _end_again(now, question.other_game)
            return
        (_do if command is Command.YES else _consider)(now, may, chosen)
    else:
        with_move = question.claim_with(said)
        now.end_question(refused=said.meant.correction)
        # Another move is announced or asked about in its place, and that says enough.
        replaced = question.is_a_doubt and said.meant.kind in (Kind.MOVE, Kind.AMBIGUOUS)
        silent = replaced or question.asks_for_a_move or question.consents
        if question.other_game:
            _end_again(now, None)
        elif with_move is None and not silent:
            now.say("cancelled")
        _consider(now, may, with_move or said)
    now.do(Relisten())


def _ask_again(
    now: Exchange, question: Question, *, unclear: bool, brief: bool | None = None
) -> None:
    """Ask once more; after too many unclear answers, give up. ``brief``, by default for an unclear
    answer: nothing is repeated that was heard to its end and needs only a yes or no."""
    if unclear and question.unclear >= UNCLEAR_ANSWERS:
        _drop(now, question)
        return
    later = replace(question, since=now.about.now, unclear=question.unclear + unclear)
    now.change(question=later)
    told, words = now.about.told(question.words), question.again or question.words
    heard = told is not None and told < math.inf
    yes_or_no = len(question.options) == 1 and not question.asks_for_a_move
    if heard and yes_or_no and (unclear if brief is None else brief):
        yes, no = now.pack.command(Command.YES), now.pack.command(Command.NO).lower()
        words = now.pack.sentence("which", choices=now.pack.either([yes, no]))
    now.do(Say(None if question.is_public else now.side, words, fleeting=True))


def _unclear(now: Exchange, may: Sayable) -> None:
    """Undecided sound: an unclear answer, or words without a meaning."""
    question = now.talk.question
    if question is not None:
        _ask_again(now, question, unclear=True)
    elif not may.both_asked and may.awaited not in (Awaited.WAIT, Awaited.OVER):
        # Both players who are asked talk it over, and of others nothing is awaited.
        _not_understood(now)
        if may.awaited is Awaited.ANNOUNCE:
            _fail(now)


def _choose(now: Exchange, may: Sayable, decision: Decision) -> None:
    """The ear cannot tell: ask for what the likeliest differ in, or read the best back."""
    found: dict[str, Statement] = {}
    for candidate in decision.candidates:
        if _is_meant_for_us(now, may, candidate.statement):
            one = _only_reading(now, candidate.statement)
            found.setdefault(one.key, one)
    question = now.talk.question
    if question is None and _is_repetition(now, list(found.values())):
        now.change(repetition=next(iter(found.values())))
        now.do(Acknowledge(now.side))
        return
    if question is not None and not question.asks_for_a_move:
        corrects = questions.corrected(question, found, now.pack)
        found = corrects or dict(questions.narrowed(question, found, now.pack))
        same = question.confirms or not found or len(found) == len(question.options)
        if same and not corrects:
            _ask_again(now, question, unclear=True)
            return
        now.end_question(refused=bool(corrects))
    offered = [one for one in found.values() if not _was_refused(now, one)]
    felt = _executed(offered, now.game.turn.executed)
    if felt is not None:
        _take(now, may, felt)
    elif offered and offered[0].meant.kind is Kind.AMBIGUOUS:
        _consider(now, may, offered[0])
    elif offered:
        _offer(now, [one for one in offered if one.meant.kind is not Kind.AMBIGUOUS])
    elif found:
        now.say("repeat_please")
        _fail(now, understood=True)
    else:
        _unclear(now, may)


def _offer(now: Exchange, offered: Sequence[Statement]) -> None:
    """Ask which of these was said, as many as one question tells apart, or read the first back."""
    announced = [one for one in offered if one.meant.command is None]
    for number in range(min(len(announced), questions.MOST_OPTIONS), 1, -1):
        if announced[:number] == offered[:number]:
            asked = questions.which(now.about, now.side, announced[:number])
            if asked is not None:
                now.ask(asked)
                return
    if len(offered) > 1 and now.talk.beginning is not None:
        now.ask(questions.either(now.about, now.side, offered[:2]))
    else:
        now.ask(questions.read_back(now.about, now.side, offered[0]))


# --- what was said for certain --------------------------------------------------------------------


def _in_context(now: Exchange, may: Sayable, said: Statement) -> Statement:
    """ "Let us go on" declines a draw that is offered, or ends a pause."""
    command, both = said.meant.command, (Command.RESUME, Command.DECLINE_DRAW)
    fitting = Command.DECLINE_DRAW if OTHER[now.side] in now.game.offers else Command.RESUME
    if command not in both or command in may.commands or fitting not in may.commands:
        return said
    return replace(said, meant=replace(said.meant, command=fitting))


def _taken_back(now: Exchange, said: Statement) -> Statement:
    """Where moves are not taken back, an announcement may still be corrected (D.2.8)."""
    game = now.game
    announced = now.side == game.side and game.turn.announced is not None and may_be_a_slip(game)
    allowed = now.about.allows(Command.TAKE_BACK)
    if said.meant.command is not Command.TAKE_BACK or not announced or allowed:
        return said
    meant = replace(said.meant, command=Command.CORRECTION, correction=True)
    return replace(said, meant=meant)


def _consider(now: Exchange, may: Sayable, said: Statement) -> None:
    """Do what was said, or ask first."""
    said = _taken_back(now, _in_context(now, may, said))
    game, meant = now.game, said.meant
    if now.about.seal_due and meant.command in (None, Command.CORRECTION):
        _seal(now, may, said)
        return
    opens = meant.command is Command.RESUME and game.adjourned
    again = meant.command in PLAYS_AGAIN and said.recognition is not None  # typed, it is meant
    if meant.command in commands.CONFIRMED or opens or again:
        commands.confirm(now, may, said)
        return
    made = meant.move is not None and not may_be_a_slip(game, meant.move)
    question = None
    if now.side == game.side and not (said.repeats or game.over or made):
        if _corrects_what_is_executed(now, meant) or _corrects_by_chance(now, said):
            question = questions.correct(now.about, now.side, said)
        elif meant.kind is Kind.AMBIGUOUS or meant.why is IllegalReason.PROMOTION_MISSING:
            question = questions.rest(now.about, now.side, said)
    if question is not None:
        now.ask(question)
    else:
        _do(now, may, said)


def _seal(now: Exchange, may: Sayable, said: Statement) -> None:
    """A bare move is taken for the sealed one, after a question that does not name it; what was
    spoken aloud is not a secret and is refused."""
    meant = said.meant
    if now.side != now.game.side:
        now.refuse(None)
    elif said.recognition is not None:
        now.say("seal_written")
    elif meant.kind not in NAMES_A_MOVE:
        now.say("not_understood")
    else:
        written = meant.uttered if meant.correction else said.text
        sealed = Understanding(Kind.COMMAND, said.text, command=Command.SEAL, rest=written)
        commands.confirm(now, may, Statement(said.text, sealed))


def _do(now: Exchange, may: Sayable, said: Statement) -> None:
    """Do what was said, without asking."""
    game, meant = now.game, said.meant
    if _corrects_too_late(now, said):
        now.submit(f.Correct(by=now.side, text=meant.words))
        now.refuse(None)
    elif (
        meant.command is Command.CORRECTION
        and now.side == game.side
        and game.turn.announced is not None
    ):
        if may_be_a_slip(game):
            now.ask(questions.correct(now.about, now.side, said))
        else:
            now.refuse("refused_already_made")
    elif meant.kind is Kind.COMMAND:
        commands.do(now, may, said)
    elif meant.kind not in NAMES_A_MOVE:
        _not_understood(now, said.text, typed=said.recognition is None)
    elif now.side != game.side or said.repeats:
        _repeat(now, said)
        last = game.history[-1].spoken if game.history else None
        if meant.move is not None and meant.move in (game.turn.announced, last):
            now.do(Acknowledge(now.side))
    else:
        _announce(now, said)


def _repeat(now: Exchange, said: Statement) -> None:
    """Repeat the opponent's announcement, or the last move (D.2.1). What is typed while an opponent
    thinks who is not in the room repeats nothing: the player waits."""
    waits = now.about.absent and now.side != now.game.side and now.game.turn.announced is None
    if waits and said.recognition is None and not said.repeats:
        now.refuse(None)
        return
    named = said.meant.moves[0].uci() if said.meant.move else None
    now.submit(f.Repeat(by=now.side, text=said.text, move=named))


def _announce(now: Exchange, said: Statement) -> None:
    """Announce a move, or correct the announcement (D.2.1, D.2.8)."""
    meant = said.meant
    named = meant.moves[0].uci() if meant.move else None
    _learn_from_correction(now, said)
    if said.recognition is not None:
        now.change(knows_names=True)
    if meant.correction:
        now.submit(f.Correct(by=now.side, text=meant.words, move=named))
    else:
        now.submit(f.Announce(by=now.side, text=said.text, move=named))


def _not_understood(now: Exchange, text: str = "", *, typed: bool = False) -> None:
    """Take words without a meaning. From the player on move they are still a fact: the move is
    begun, so a press now is too early (D.2.4) and no irregularity (7.5.3). Undecided sound has no
    ``text``, for the Laws must not decide it either. Who has ``typed`` hears what can be typed."""
    reports = (NotUnderstood,) if typed else ()
    announces = now.side == now.game.side and not now.about.seal_due and not now.game.over
    if announces:
        now.submit(f.Announce(by=now.side, text=text), *reports)
    if typed:
        example = now.pack.announce(chess.Board(), chess.Move.from_uci("g1f3"))
        help_ = now.pack.command(Command.HELP)
        told = now.pack.sentence("not_understood_typed", help=help_, example=example)
        now.do(Say(now.side, told, fleeting=True))
    elif not announces:
        now.say("not_understood")


def _corrects_too_late(now: Exchange, said: Statement) -> bool:
    """Return whether this corrects an announcement after the player pressed the clock (D.2.8), and
    not a repetition of the opponent's move."""
    game, meant = now.game, said.meant
    if now.side == game.side or said.repeats or not game.history or not meant.correction:
        return False
    if meant.command is Command.CORRECTION:
        return game.turn.announced is None
    return meant.kind in NAMES_A_MOVE and (game.turn.announced is None or meant.move is None)


def _corrects_what_is_executed(now: Exchange, meant: Understanding) -> bool:
    """Return whether another announcement would contradict a move that hands have executed. Without
    sensors nobody has felt them: the move was entered as it was announced."""
    game, turn = now.game, now.game.turn
    return (
        meant.move is not None
        and game.tables[game.board_of(game.side)].sensors
        and turn.announced not in (None, meant.move)
        and turn.executed is not None
        and turn.executed != meant.move
    )


def _corrects_by_chance(now: Exchange, said: Statement) -> bool:
    """Return whether sound would change the announcement without a word of correction: it may be
    the opponent's repetition, misheard. The move that hands have made is no chance."""
    turn, said_move = now.game.turn, said.meant.move
    other = said_move is not None and turn.announced is not None
    other = other and said_move not in (turn.announced, turn.made)
    return other and said.recognition is not None and not said.meant.correction


def _learn(now: Exchange, said: Statement, phrase: str | None = None) -> None:
    """Learn that the sound of ``said`` meant ``phrase``, or its own words."""
    if said.recognition is not None:
        now.do(Learn(now.side, said.recognition, said.text if phrase is None else phrase))


def _learn_from_correction(now: Exchange, said: Statement) -> None:
    """Learn from earlier sound that differs in one thing from what is said now: it was misheard."""
    meant, board = said.meant, now.about.board(said)
    if meant.move is None or not may_be_a_slip(now.game, meant.move):
        return
    corrects = now.game.turn.announced not in (None, meant.move)
    for before in (now.talk.doubted, now.talk.accepted if corrects else None):
        if before is None or len(before.meant.uttered.split()) != len(meant.uttered.split()):
            continue
        if now.pack.differing([before.text, meant.uttered], board) is not None:
            _learn(now, before, meant.uttered)
    now.change(doubted=None, accepted=said)


# --- buttons, hands and rulings -------------------------------------------------------------------


def _pressed(now: Exchange, presser: str, at: int) -> None:
    """The clock was pressed. The player's own press confirms a doubtful move; while a question
    about the move stays open, it does not count. An assistant did not hear the question, so their
    press confirms nothing."""
    question, begun = now.talk.question, now.talk.beginning
    if now.side != now.game.side:
        return
    if question is None:
        if begun is not None and begun.said.meant.correction:
            now.do(HoldPress())
            now.ask(questions.where(now.about, now.side, begun))
    elif question.holds_the_clock:
        now.do(HoldPress())
        _ask_again(now, question, unclear=False)
    elif question.is_a_doubt and not question.options[0].repeats:
        confirmed = _confirm(now, question, at if presser == now.side else -1)
        now.do(*(() if confirmed else (HoldPress(),)))


def _tapped(now: Exchange, at: int) -> None:
    question = now.talk.question
    if question is not None and question.is_a_doubt:
        _confirm(now, question, at)


def _confirm(now: Exchange, question: Question, at: int) -> bool:
    """Take a button as *ja*, if the move has been read to its end before, and hands have not done
    something else. Return whether it was confirmed."""
    told, option = now.about.told(question.words), question.options[0]
    if told == math.inf:
        return False  # it is being said
    heard = told is not None and at >= max(told, question.asked)
    if not heard or len(question.options) > 1 or option.meant.move is None:
        _ask_again(now, question, unclear=False, brief=True)
        return False
    if not _fits(now, option):
        _withdraw(now, refused=True)
        return False
    _take_doubt(now, option)
    return True


def _ruled(now: Exchange, taken: Taken) -> None:
    """Rulings were given: hands may have answered, or what was asked about may be over."""
    pending, question = now.game.pending, now.talk.question
    both = pending is not None and pending.ruling in taken.rulings and now.side in pending.asked
    if question is not None and both:
        _withdraw(now, refused=False)  # from now on a ja answers what both players are asked
    elif question is not None and question.is_a_doubt:
        _ruled_in_doubt(now, question, taken)
    elif now.talk.repetition is not None:
        repetition = now.talk.repetition
        if _executed([repetition], _shown(now, taken)) is not None:
            now.change(repetition=None)
            _repeat(now, repetition)
    asked = any(isinstance(one, AdjournmentAsked) for one in taken.rulings)
    free = now.talk.question is None and now.side != now.about.absent
    if asked and free and now.game.wants_to_adjourn == OTHER[now.side]:
        now.ask(questions.agree_to_adjourn(now.about, now.side))


def _ruled_in_doubt(now: Exchange, question: Question, taken: Taken) -> None:
    rulings, side = taken.rulings, now.side
    announced = any(isinstance(one, Announced) for one in rulings)
    if announced or any(isinstance(one, Repeated) and one.by == side for one in rulings):
        now.end_question()
        return  # it was said in another way, and everybody has heard it
    called = any(isinstance(one, ArbiterNeeded) for one in rulings)
    if called or isinstance(taken.fact, f.Arbiter | f.CallArbiter):
        # From now on people talk with the arbiter, and a ja may be for them.
        _withdraw(now, refused=False)
        return
    if (move := _shown(now, taken)) is not None:
        option = _executed(question.options, move)
        if option is None:
            _withdraw(now, refused=True)
        else:
            _take_doubt(now, option)
        return
    touched = any(isinstance(one, Touched) and one.by == side for one in rulings)
    if touched and not any(_fits(now, option) for option in question.options):
        _withdraw(now, refused=True)


def _shown(now: Exchange, taken: Taken) -> chess.Move | None:
    """The move that the player's hands have just executed on their own board."""
    game = now.game
    if now.side != game.side and len(game.tables) < 2:
        return None  # the hands are the other player's
    for one in taken.rulings:
        if isinstance(one, Executed) and one.board == game.board_of(now.side):
            return chess.Move.from_uci(one.move)
    return None


def _executed(options: Sequence[Statement], move: chess.Move | None) -> Statement | None:
    """The option that hands have executed, if any."""
    if move is None:
        return None
    return next((one for one in options if one.meant.move == move and not one.repeats), None)


def _fits(now: Exchange, option: Statement) -> bool:
    """Return whether hands have done nothing that ``option`` contradicts."""
    game = now.game
    felt = felt_moves(game, now.side) if game.tables[game.board_of(now.side)].sensors else None
    return felt is None or option.meant.move in felt


def _take_doubt(now: Exchange, option: Statement) -> None:
    """What the player did confirms ``option``."""
    now.end_question()
    _learn(now, option)
    _do(now, sayable(now.about, now.side, now.talk), option)
    now.do(Relisten())


def _withdraw(now: Exchange, *, refused: bool) -> None:
    now.end_question(refused=refused)
    now.cancel()
