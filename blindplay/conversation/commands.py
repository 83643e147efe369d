"""What comes of a command: facts, answers, help."""

from collections.abc import Callable, Mapping

import chess

from blindplay.hearing.statement import Statement
from blindplay.language import NEVER_OPENED, QUESTIONS, About, Command, Understanding, join
from blindplay.laws import Taken
from blindplay.laws import facts as f
from blindplay.laws.due import due
from blindplay.laws.moving import may_be_a_slip
from blindplay.laws.rulings import ClockReading, Refused
from blindplay.laws.sheets import before_last_of
from blindplay.laws.state import OTHER
from blindplay.wording.announcements import announcements
from blindplay.wording.position import hint_in_words, look
from blindplay.wording.steps import step_in_words
from blindplay.wording.values import pairing_in_words

from . import OpeningWord, questions
from .effects import (
    AdjustVoice,
    LeadHands,
    ReadChat,
    Relisten,
    Say,
    SayAgain,
    Submit,
    TellTime,
    say,
)
from .grammar import VOICE
from .state import ASK_AGAIN, Exchange, Sayable

COMMANDS_AT_ONCE = 5
"""Number of commands that help tells before it waits for "mehr"."""
# Questions that the Laws allow, and what their facts are about.
_ABOUT: Mapping[Command, str] = {
    Command.CLOCK_BOTH: "time",
    Command.MOVES: "moves",
    Command.LAST_MOVE: "last_move",
}
CLAIMS: Mapping[Command, str] = {
    Command.CLAIM_REPETITION: "repetition",
    Command.CLAIM_FIFTY_MOVES: "fifty_moves",
    Command.CLAIM_CANNOT_WIN: "cannot_win",
    Command.CLAIM_NO_EFFORT: "no_effort",
}
"""Claims of a draw, and their rules in the contract."""
# Commands that are a fact by themselves.
_FACTS: Mapping[Command, Callable[..., f.Fact]] = {
    Command.RESIGN: f.Resign,
    Command.OFFER_DRAW: f.OfferDraw,
    Command.ACCEPT_DRAW: f.AcceptDraw,
    Command.DECLINE_DRAW: f.DeclineDraw,
    Command.CLAIM_TIME: f.ClaimTime,
    Command.REQUEST_EXTRA_TIME: f.RequestExtraTime,
    Command.ADJUST: f.Adjust,
}
CONFIRMED = frozenset(
    (*CLAIMS, *_FACTS, Command.CALL_ARBITER, Command.ADJOURN, Command.PAUSE, Command.TAKE_BACK,
     Command.SIGN)
) - {Command.ADJUST}  # fmt: skip
"""Commands that end or change the game: they need a *ja*. Declining a draw is one of them: a
misheard acceptance must not lose the offer."""


def confirm(now: Exchange, may: Sayable, said: Statement) -> None:
    """Ask whether a command that ends or changes the game is meant. One that can only be refused is
    refused at once: there is nothing to ask about, and without a *ja* it is not a fact."""
    trial = Exchange(now.about, now.side, now.talk)
    do(trial, may, said.meant)
    facts = [one.fact for one in trial.effects if isinstance(one, Submit)]
    if not facts:
        now.do(*trial.effects)
        return
    refused = tuple(one for one in now.about.preview(facts[0]) if isinstance(one, Refused))
    told = announcements(Taken(facts[0], refused), now.game, now.pack)
    if told:
        now.do(*(Say(now.side, one.words) for one in told))
    else:
        now.ask(questions.confirm(now.about, now.side, said))


def do(now: Exchange, may: Sayable, meant: Understanding) -> None:
    """Do the command of ``meant``, without asking."""
    command, side = meant.command, now.side
    assert command is not None
    if command in _ABOUT:
        now.submit(f.Query(by=side, about=_ABOUT[command]))
    elif command in QUESTIONS:
        _look(now, command, meant.about or About())
    elif command in CLAIMS:
        _claim(now, command, meant)
    elif command in _FACTS:
        now.submit(_FACTS[command](by=side))
    elif command in VOICE:
        now.do(AdjustVoice(side, command))
    elif command in (Command.YES, Command.NO):
        _answer(now, may, given=command is Command.YES)
    else:
        _OTHERS[command](now, may, meant)


def _answer(now: Exchange, may: Sayable, *, given: bool) -> None:
    """Answer what the Laws ask both players, or say that nothing is asked."""
    if may.both_asked:
        now.submit(f.Consent(by=now.side, given=given))
    else:
        now.say("question_lapsed" if now.has_just_lapsed else "refused_no_question")


def _tell_time(now: Exchange, may: Sayable, meant: Understanding) -> None:
    """Tell one of the two times; the fact and its ruling are about both."""
    assert meant.command is not None
    now.do(TellTime(now.side, f.Query(by=now.side, about="time"), meant.command))


def _look(now: Exchange, command: Command, about: About) -> None:
    query = f.Query(by=now.side, about="position")
    if not now.about.allows(command):
        now.submit(query)
        return
    if command is Command.LEGAL_MOVES_HERE:
        about = now.talk.looked_at or about
    elif len(about.squares) == 1:
        now.change(looked_at=about)
    now.submit(query, Refused)
    now.do(Say(now.side, look(now.pack, now.game, now.side, command, about)))


def _claim(now: Exchange, command: Command, meant: Understanding) -> None:
    if meant.rest and not meant.moves:
        now.say("not_understood")
    else:
        move = meant.moves[0].uci() if meant.moves else None
        now.submit(f.ClaimDraw(by=now.side, rule=CLAIMS[command], move=move))


def _seal(now: Exchange, may: Sayable, meant: Understanding) -> None:
    """Write the sealed move; never say it, for it is the player's secret."""
    if not (now.game.adjourning or now.game.adjourned or now.game.over):
        # The press after it would adjourn, and nobody has agreed to that.
        now.say("seal_unasked", command=now.pack.command(Command.ADJOURN))
    elif not meant.rest:
        now.say("seal_named", command=now.pack.command(Command.SEAL))
    else:
        now.submit(f.Seal(by=now.side, text=meant.rest))


def _take_back(now: Exchange, may: Sayable, meant: Understanding) -> None:
    """In training without an arbiter: take back the player's own last move, with the answer to it.
    A move that is only made is not a ply yet. On a server, the opponent is asked, or agrees."""
    game = now.game
    own = 0 if game.served and game.history else before_last_of(game, now.side)
    if not now.about.allows(Command.TAKE_BACK):
        now.say("arbiter_only_page" if game.presided else "training_only")
    elif own is None:
        now.say("nothing_to_take_back")
    else:
        now.submit(f.Arbiter(do="restore", ply=own))


def _hint(now: Exchange, may: Sayable, meant: Understanding) -> None:
    """Name a good move. The request is recorded."""
    given = now.about.allows(Command.HINT)
    words = hint_in_words(now.pack, now.game, now.side, now.about.hint(), given=given)
    now.submit(f.Query(by=now.side, about="position"), Refused)
    now.do(Say(now.side, words))


def _done(now: Exchange, may: Sayable, meant: Understanding) -> None:
    """The player has executed the opponent's move. A board that feels it is led to it; one that
    feels nothing shows it from now on."""
    board = now.game.board_of(now.side)
    lagging = now.game.outstanding(board)
    if not now.about.absent or not lagging:
        now.say("nothing_to_execute")
    elif now.game.tables[board].sensors:
        now.do(LeadHands(board))
    else:
        for ply in lagging:
            now.submit(f.Make(by=now.side, move=ply.move.uci()))
        now.say("executed_noted")


def _chat(now: Exchange, may: Sayable, meant: Understanding) -> None:
    if now.about.absent and now.game.served:
        now.do(ReadChat())
    else:
        now.say("lichess_chat_none")


def _sign(now: Exchange, may: Sayable, meant: Understanding) -> None:
    if result := now.game.result:
        now.submit(f.Sign(by=now.side, result=result))  # 8.7
    else:
        now.say("refused_not_over")


def _adjourn(now: Exchange, may: Sayable, meant: Understanding) -> None:
    """Ask the arbiter to adjourn or, where nobody presides, the opponent."""
    if now.about.absent:
        now.say(_why_not_playing(now) or "adjourn_alone")
    else:
        now.submit(f.Adjourn(by=now.side))


def _call_arbiter(now: Exchange, may: Sayable, meant: Understanding) -> None:
    """Call the arbiter (6.11.2). Where there is none, the clocks would stop and nobody would come:
    say what the players can do."""
    pack = now.pack
    if now.about.arbiter_comes or now.game.adjourned or now.game.over:
        now.submit(f.CallArbiter(by=now.side))
    elif now.game.served:
        now.say("lichess_decides")
    elif now.game.clock:
        pause, resume = pack.command(Command.PAUSE), pack.command(Command.RESUME)
        now.say("no_arbiter_clock", pause=pause, resume=resume)
    else:
        now.say("no_arbiter")


def _pause(now: Exchange, may: Sayable, meant: Understanding) -> None:
    """Stop the clocks or go on: after an adjournment, by opening the envelope."""
    game, pauses = now.game, meant.command is Command.PAUSE
    if game.adjourned and not pauses:
        if not game.presided:
            now.submit(f.OpenEnvelope(by=now.side))
        else:
            now.say("envelope_arbiter", player=now.pack.sentence(OTHER[game.side]))
    elif game.presided or game.served:
        now.say("lichess_decides" if game.served else "pause_refused")
    elif meant.command not in may.commands:
        now.say(_why_no_pause(now, pauses=pauses))
    else:
        told = say(now.about.readers.everybody, None, "pause" if pauses else "resume")
        if pauses:
            now.submit(f.Arbiter(do="stop_clocks"), ClockReading)
            now.do(told)
        else:
            now.do(told, Submit(f.Arbiter(do="start_clocks")))


def _why_not_playing(now: Exchange) -> str | None:
    """The sentence why nothing can be played now; None if the game goes on."""
    game = now.game
    if game.over:
        return "refused_game_over"
    if game.adjourned:
        return "refused_adjourned"
    if game.pending is None or game.pending.claimable:
        return None
    return f"refused_{game.pending.refusal}"


def _why_no_pause(now: Exchange, *, pauses: bool) -> str:
    """The sentence why the clocks cannot be stopped, or started, now."""
    if why := _why_not_playing(now):
        return why
    if not now.game.clock:
        return "refused_no_clock"
    if pauses:
        return "refused_clocks_stopped" if now.game.paused else "refused_not_started"
    return "refused_clocks_running" if now.game.started else "refused_not_started"


def _call_assistant(now: Exchange, may: Sayable, meant: Understanding) -> None:
    public = now.about.readers.everybody
    now.do(say(public, None, "assistant_called", player=public.sentence(now.side)))


def _where_i_play(now: Exchange, may: Sayable, meant: Understanding) -> None:
    """Tell where the player plays next, or the present game."""
    found = now.about.pairing(now.side)
    if found is None:
        now.say("pairing_unknown")
    else:
        now.do(Say(now.side, pairing_in_words(found, now.pack)))


def _repeat(now: Exchange, may: Sayable, meant: Understanding) -> None:
    now.do(SayAgain(now.side))


def _correct_nothing(now: Exchange, may: Sayable, meant: Understanding) -> None:
    """There is no announcement of the player's to correct: say what they can do instead."""
    if why := _why_not_playing(now):
        now.say(why)
        return
    if now.game.turn.announced is None:
        now.say("refused_nothing_announced")
    _tell_what_is_due(now)


# --- help -----------------------------------------------------------------------------------------


def introduce(now: Exchange) -> None:
    """Tell how to find out what can be said."""
    _tell(now, [now.pack.command(Command.HELP)])


def _help(now: Exchange, may: Sayable, meant: Understanding) -> None:
    """Tell what to do now and a few commands; "mehr" tells the rest."""
    _tell_what_is_due(now)
    untold = [command for command in may.commands if command not in ASK_AGAIN]
    if may.both_asked:
        untold = [Command.YES, Command.NO, *untold]
    if now.about.opening_word is not OpeningWord.OPTIONAL:
        untold = [command for command in untold if command not in NEVER_OPENED]
    now.change(untold=tuple(map(now.pack.command, (*untold, Command.REPEAT))))
    _more(now, may, meant)


def _tell_what_is_due(now: Exchange) -> None:
    """Say in one sentence what the player does next, and how to say it; nothing after the game."""
    game, pack, step = now.game, now.pack, due(now.game, now.side)
    if step.do == "nothing":
        return
    words = [step_in_words(pack, game, step)]
    if step.do == "announce" and step.move is None:
        example = pack.announce(chess.Board(), chess.Move.from_uci("g1f3"))
        words.append(pack.sentence("help_announce", example=example))
    elif now.side == game.side and game.turn.announced is not None and may_be_a_slip(game):
        correction = pack.command(Command.CORRECTION)
        words.append(pack.sentence("help_correct", correction=correction))
    now.do(Say(now.side, join(" ", words, pack.code)))


def _more(now: Exchange, may: Sayable, meant: Understanding) -> None:
    untold = now.talk.untold
    if not untold:
        now.say("refused_no_more")
        return
    first, rest = untold[:COMMANDS_AT_ONCE], untold[COMMANDS_AT_ONCE:]
    now.change(untold=rest, helped=now.about.now)
    more = now.pack.sentence("help_more", more=now.pack.command(Command.MORE))
    _tell(now, first, more if rest else "")
    now.do(Relisten())


def _tell(now: Exchange, commands: list[str] | tuple[str, ...], more: str = "") -> None:
    key = "help_say" if now.about.opening_word is OpeningWord.OPTIONAL else "help_opened"
    words = now.pack.sentence(key, commands=", ".join(commands), word=now.pack.opening_word)
    now.do(Say(now.side, join(" ", filter(None, (words, more)), now.pack.code)))


_OTHERS: Mapping[Command, Callable[[Exchange, Sayable, Understanding], None]] = {
    Command.CLOCK_MINE: _tell_time,
    Command.CLOCK_OPPONENT: _tell_time,
    Command.SEAL: _seal,
    Command.TAKE_BACK: _take_back,
    Command.HINT: _hint,
    Command.DONE: _done,
    Command.CHAT: _chat,
    Command.SIGN: _sign,
    Command.ADJOURN: _adjourn,
    Command.CALL_ARBITER: _call_arbiter,
    Command.PAUSE: _pause,
    Command.RESUME: _pause,
    Command.CALL_ASSISTANT: _call_assistant,
    Command.WHERE_I_PLAY: _where_i_play,
    Command.REPEAT: _repeat,
    Command.CORRECTION: _correct_nothing,
    Command.HELP: _help,
    Command.MORE: _more,
}
