"""What comes of a command: facts, answers, help."""

from collections.abc import Callable, Collection, Mapping
from functools import partial

import chess

from blindplay.hearing.statement import Statement
from blindplay.language import (
    NEVER_OPENED,
    QUESTIONS,
    About,
    Command,
    Key,
    Understanding,
    join,
    word_of,
)
from blindplay.laws import Game, Taken
from blindplay.laws import facts as f
from blindplay.laws.due import due, stands
from blindplay.laws.moving import may_be_a_slip
from blindplay.laws.rulings import ClockReading, Refused
from blindplay.laws.sheets import before_last_of
from blindplay.laws.state import OTHER
from blindplay.wording.announcements import announcements
from blindplay.wording.position import hint_in_words, look, moves_in_words
from blindplay.wording.steps import is_not_now, step_in_words
from blindplay.wording.values import pairing_in_words

from . import OpeningWord, questions
from .effects import (
    AdjustVoice,
    AskAgain,
    LeadHands,
    PlayAgain,
    ReadChat,
    Relisten,
    Say,
    SayAgain,
    Submit,
    TellStep,
    TellTime,
    say,
)
from .grammar import VOICE
from .state import ASK_AGAIN, Exchange, Sayable

COMMANDS_AT_ONCE = 5
"""Number of commands that help tells before it waits for "mehr"."""
LAST_MOVES = 5
"""Number of the last moves that are read, unless the player asks for another number. So many of all
moves are read to a player who speaks before it waits for "mehr". Typing ends a reading."""
CLAIMS: Mapping[Command, str] = {
    Command.CLAIM_REPETITION: "repetition",
    Command.CLAIM_FIFTY_MOVES: "fifty_moves",
    Command.CLAIM_CANNOT_WIN: "cannot_win",
    Command.CLAIM_NO_EFFORT: "no_effort",
}
"""Claims of a draw, and their rules in the contract."""
# Commands that are a fact by themselves; the last ones are questions that the Laws allow.
_FACTS: Mapping[Command, Callable[..., f.Fact]] = {
    Command.RESIGN: f.Resign,
    Command.OFFER_DRAW: f.OfferDraw,
    Command.ACCEPT_DRAW: f.AcceptDraw,
    Command.DECLINE_DRAW: f.DeclineDraw,
    Command.CLAIM_TIME: f.ClaimTime,
    Command.REQUEST_EXTRA_TIME: f.RequestExtraTime,
    Command.ADJUST: f.Adjust,
    Command.CLOCK_BOTH: partial(f.Query, about="time"),
    Command.MOVES: partial(f.Query, about="moves"),
    Command.LAST_MOVE: partial(f.Query, about="last_move"),
}
_UNCONFIRMED = {Command.ADJUST, Command.CLOCK_BOTH, Command.MOVES, Command.LAST_MOVE}
CONFIRMED = frozenset(
    (*CLAIMS, *_FACTS, Command.CALL_ARBITER, Command.ADJOURN, Command.PAUSE, Command.TAKE_BACK,
     Command.SIGN)
) - _UNCONFIRMED  # fmt: skip
"""Commands that end or change the game: they need a *ja*. Declining a draw is one of them: a
misheard acceptance must not lose the offer."""


def confirm(now: Exchange, may: Sayable, said: Statement) -> None:
    """Ask whether a command that ends or changes the game is meant. One that can only be refused is
    refused at once: there is nothing to ask about, and without a *ja* it is not a fact."""
    trial = Exchange(now.about, now.side, now.talk)
    do(trial, may, said)
    facts = [one.fact for one in trial.effects if isinstance(one, Submit)]
    if not facts:
        begins = any(isinstance(one, PlayAgain) for one in trial.effects)
        if begins:
            now.ask(questions.confirm(now.about, now.side, said))
        else:
            now.do(*trial.effects)
        return
    refused = tuple(one for one in now.about.preview(facts[0]) if isinstance(one, Refused))
    told = announcements(Taken(facts[0], refused), now.game, now.pack)
    if told:
        says_more = [one for one in refused if not is_not_now(one)]
        now.do(*(Say(now.side, one.words) for one in told if says_more), TellStep(now.side))
    else:
        now.ask(questions.confirm(now.about, now.side, said))


def do(now: Exchange, may: Sayable, said: Statement) -> None:
    """Do the command that was ``said``, without asking."""
    meant, side, game, pack = said.meant, now.side, now.game, now.pack
    command = meant.command
    assert command is not None
    if command in QUESTIONS:
        _look(now, command, meant.about or About())
    elif command in CLAIMS:
        _claim(now, command, meant)
    elif command in _FACTS:
        now.submit(_FACTS[command](by=side))
    elif command in VOICE:
        now.do(AdjustVoice(side, command))
    match command:
        case Command.YES | Command.NO if may.both_asked:
            now.submit(f.Consent(by=side, given=command is Command.YES))
        case Command.YES | Command.NO:
            now.refuse("question_lapsed" if now.has_just_lapsed else "refused_no_question")
        case Command.CLOCK_MINE | Command.CLOCK_OPPONENT:
            # The answer has both times. The player hears the one that they asked for.
            now.do(TellTime(side, f.Query(by=side, about="time"), command))
        case Command.SEAL:
            _seal(now, meant)
        case Command.TAKE_BACK:
            _take_back(now)
        case Command.HINT:
            _hint(now)
        case Command.DONE:
            _done(now)
        case Command.CHAT if now.about.absent and game.served:
            now.do(ReadChat())
        case Command.CHAT:
            now.say("lichess_chat_none")
        case Command.SIGN if game.result:
            now.submit(f.Sign(by=side, result=game.result))  # 8.7
        case Command.SIGN:
            now.refuse("refused_not_over")
        case Command.ADJOURN if now.about.absent:
            now.refuse("adjourn_alone" if _goes_on(now.game) else None)
        case Command.ADJOURN:  # the arbiter is asked or, where nobody presides, the opponent
            now.submit(f.Adjourn(by=side))
        case Command.CALL_ARBITER:
            _call_arbiter(now)
        case Command.PAUSE | Command.RESUME:
            _pause(now, may, command)
        case Command.CALL_ASSISTANT if due(game, side).do == "assist":
            now.submit(f.Assistant(by=side, of=side))  # the one who is compulsory (D.2.11)
        case Command.CALL_ASSISTANT:
            public = now.about.readers.everybody
            now.do(say(public, None, "assistant_called", player=public.sentence(side)))
        case Command.WHAT_NOW:
            now.do(TellStep(side))
        case Command.WHERE_I_PLAY if found := now.about.pairing(side):
            now.do(Say(side, pairing_in_words(found, pack)))
        case Command.WHERE_I_PLAY:
            now.say("pairing_unknown")
        case Command.SCORE | Command.LAST_MOVES:
            _read_moves(now, said)
        case Command.NEW_GAME | Command.REMATCH:
            _play_again(now, command)
        case Command.SAVE:
            now.say("saved_always")
        case Command.REPEAT:
            now.do(SayAgain(side))
        case Command.SKIP:
            now.say("nothing_to_skip")
        case Command.CORRECTION:
            _correct_nothing(now)
        case Command.HELP:
            _help(now, may)
        case Command.MORE:
            _more(now)


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


def _read_moves(now: Exchange, said: Statement) -> None:
    """Read the player's own scoresheet, as they may at any time (8.1, D.2.7): all of it, from a
    move on, or the last moves."""
    about = said.meant.about or About()
    lines = list(moves_in_words(now.pack, now.game))
    if said.meant.command is Command.LAST_MOVES:
        lines = lines[-max(1, about.number or LAST_MOVES) :]
    elif about.number is not None and lines:
        lines = [line for line in lines if line[0] >= about.number]
        if not lines:
            now.say("refused_no_such_ply")
            return
    if lines:
        at_once = len(lines) if said.recognition is None else LAST_MOVES
        _tell_in_portions(now, [words for _number, words in lines], at_once)
    else:
        now.say("no_last_move")


def _claim(now: Exchange, command: Command, meant: Understanding) -> None:
    if meant.rest and not meant.moves:
        now.say("not_understood")
    else:
        move = meant.moves[0].uci() if meant.moves else None
        now.submit(f.ClaimDraw(by=now.side, rule=CLAIMS[command], move=move))


def _seal(now: Exchange, meant: Understanding) -> None:
    """Write the sealed move; never say it, for it is the player's secret."""
    if not (now.game.adjourning or now.game.adjourned or now.game.over):
        # The press after it would adjourn, and nobody has agreed to that.
        now.say("seal_unasked", command=now.pack.command(Command.ADJOURN))
    elif not meant.rest:
        now.say("seal_named", command=now.pack.command(Command.SEAL))
    else:
        now.submit(f.Seal(by=now.side, text=meant.rest))


def _take_back(now: Exchange) -> None:
    """In training without an arbiter: take back the player's own last move, with the answer to it.
    A move that is only made is not a ply yet. On a server, the opponent is asked, or agrees."""
    game = now.game
    own = 0 if game.served and game.history else before_last_of(game, now.side)
    if not now.about.allows(Command.TAKE_BACK):
        now.refuse("arbiter_only_page" if game.presided else "take_back_stands")
    elif own is None:
        now.refuse("nothing_to_take_back")
    else:
        now.submit(f.Arbiter(do="restore", ply=own))


def _hint(now: Exchange) -> None:
    """Name a good move. The request is recorded."""
    given = now.about.allows(Command.HINT)
    words = hint_in_words(now.pack, now.game, now.side, now.about.hint(), given=given)
    now.submit(f.Query(by=now.side, about="position"), Refused)
    now.do(Say(now.side, words))


def _done(now: Exchange) -> None:
    """The player has executed the opponent's move. A board that feels it is led to it; one that
    feels nothing shows it from now on."""
    board = now.game.board_of(now.side)
    lagging = now.game.outstanding(board)
    sensors = now.game.tables[board].sensors
    if not lagging or (sensors and not now.about.absent):
        now.refuse("nothing_to_execute")
    elif sensors:
        now.do(LeadHands(board))
    else:
        for ply in lagging:
            now.submit(f.Make(by=now.side, move=ply.move.uci()))
        now.say("executed_noted")


def _play_again(now: Exchange, command: Command) -> None:
    """Begin another game after this one, if the players may decide that. Two people agree, and
    sign the result of this one before (8.7)."""
    game, about = now.game, now.about
    both = (now.side, OTHER[now.side])
    unsigned = [now.pack.sentence(side) for side in both if due(game, side).do == "sign"]
    if game.over and about.next_is_arranged:
        now.refuse("again_paired")
    elif not about.may_play_again:
        now.say("new_game_how", end=word_of(now.pack, Key.END))
    elif about.absent:
        now.do(PlayAgain(command))
    elif unsigned:
        example = f"{unsigned[-1]}: {now.pack.command(Command.SIGN)}"
        now.say("again_unsigned", players=", ".join(unsigned), example=example)
    else:
        now.do(AskAgain(OTHER[now.side], command))


def _call_arbiter(now: Exchange) -> None:
    """Call the arbiter (6.11.2). Where there is none, the clocks would stop and nobody would come:
    say what the players can do."""
    pack, game = now.pack, now.game
    if now.about.arbiter_comes or game.adjourned or game.over:
        now.submit(f.CallArbiter(by=now.side))
    elif game.served or not game.clock:
        now.refuse("lichess_decides" if game.served else "no_arbiter")
    else:
        pause, resume = pack.command(Command.PAUSE), pack.command(Command.RESUME)
        now.say("no_arbiter_clock", pause=pause, resume=resume)


def _pause(now: Exchange, may: Sayable, command: Command) -> None:
    """Stop the clocks or go on: after an adjournment, by opening the envelope."""
    game, everybody = now.game, now.about.readers.everybody
    if game.adjourned and command is Command.RESUME:
        if game.presided:
            now.say("envelope_arbiter", player=now.pack.sentence(OTHER[game.side]))
        else:
            now.submit(f.OpenEnvelope(by=now.side))
    elif game.presided or game.served:
        now.refuse("lichess_decides" if game.served else "pause_refused")
    elif command not in may.commands:
        why = "refused_clocks_running" if game.clock else "refused_no_clock"
        now.refuse(why if _goes_on(game) else None)
    elif command is Command.PAUSE:
        now.submit(f.Arbiter(do="stop_clocks"), ClockReading)
        now.do(say(everybody, None, "pause"))
    else:
        now.do(say(everybody, None, "resume"), Submit(f.Arbiter(do="start_clocks")))


def _goes_on(game: Game) -> bool:
    """Return whether moves can be played now. If not, the step of each player says why."""
    return not (game.over or stands(game))


def _correct_nothing(now: Exchange) -> None:
    """There is no announcement of the player's to correct: say what they can do instead."""
    nothing = _goes_on(now.game) and now.game.turn.announced is None
    now.refuse("refused_nothing_announced" if nothing else None)


# --- help -----------------------------------------------------------------------------------------


def introduce(now: Exchange) -> None:
    """Tell everybody how to find out what can be said."""
    now.do(Say(None, _sayable_in_words(now, [now.pack.command(Command.HELP)])))


def _help(now: Exchange, may: Sayable) -> None:
    """Tell what to do now and a few commands; "mehr" tells the rest."""
    _tell_what_is_due(now)
    untold = [command for command in may.commands if command not in ASK_AGAIN]
    if may.both_asked:
        untold = [Command.YES, Command.NO, *untold]
    if now.about.opening_word is not OpeningWord.OPTIONAL:
        untold = [command for command in untold if command not in NEVER_OPENED]
    names = list(map(now.pack.command, (*untold, Command.REPEAT)))
    portions = (names[at : at + COMMANDS_AT_ONCE] for at in range(0, len(names), COMMANDS_AT_ONCE))
    _tell_in_portions(now, [_sayable_in_words(now, one) for one in portions], 1)


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


def _tell_in_portions(now: Exchange, sentences: list[str], at_once: int) -> None:
    """Tell so many of the sentences; "mehr" tells as many of the rest."""
    portions = (sentences[at : at + at_once] for at in range(0, len(sentences), at_once))
    now.change(untold=tuple(map(tuple, portions)))
    _more(now)


def _more(now: Exchange) -> None:
    if not now.talk.untold:
        now.refuse("refused_no_more")
        return
    (*told, last), *rest = now.talk.untold
    now.change(untold=tuple(rest), helped=now.about.now)
    if rest:
        more = now.pack.sentence("help_more", more=now.pack.command(Command.MORE))
        last = join(" ", (last, more), now.pack.code)
    now.do(*(Say(now.side, words) for words in (*told, last)), Relisten())


def _sayable_in_words(now: Exchange, commands: Collection[str]) -> str:
    """These commands, after the opening word if they need it."""
    key = "help_say" if now.about.opening_word is OpeningWord.OPTIONAL else "help_opened"
    return now.pack.sentence(key, commands=", ".join(commands), word=now.pack.opening_word)
