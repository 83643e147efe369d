"""All that a player may say now, and whose words were typed or heard.

Recognisers listen for what may be said; commands outside of it do nothing.
"""

from collections.abc import Iterator
from dataclasses import replace

import chess

from blindplay.hearing.statement import Statement, interpret
from blindplay.language import NEVER_OPENED, PLAYS_AGAIN, QUESTIONS, Command
from blindplay.laws import Game
from blindplay.laws.state import OTHER, enveloped

from . import OpeningWord
from .state import CLAIMS_WITH_MOVE, Awaited, Question, Sayable, Situation, Talk, Talks

VOICE = (Command.LOUDER, Command.SOFTER, Command.SLOWER, Command.FASTER)
CLOCKS = (Command.CLOCK_MINE, Command.CLOCK_OPPONENT, Command.CLOCK_BOTH)


def sayable(about: Situation, side: str, talk: Talk) -> Sayable:
    """Return what ``side`` may say now. ``talk`` is current."""
    game, question, word = about.game, talk.question, about.opening_word
    both_asked = game.pending is not None and side in game.pending.asked
    commands = tuple(_commands(about, side))
    asked = question.asked if question is not None else None
    if question is None and both_asked and game.pending is not None:
        asked = game.pending.ruling.t
    answers = () if asked is None else (Command.YES, Command.NO)
    known = frozenset((*commands, *answers, *((Command.MORE,) if talk.untold else ())))
    always = known & NEVER_OPENED
    return Sayable(
        _awaited(about, side, talk, both_asked=both_asked),
        _boards(game, side),
        _repeats(game, side),
        both_asked,
        asked,
        commands,
        bare=always if word is OpeningWord.REQUIRED else known,
        single=known if word is OpeningWord.OPTIONAL else always,
        opened=known - NEVER_OPENED,
        answers=frozenset(word for words in question.answers for word in words)
        if question is not None
        else frozenset(),
    )


def _awaited(about: Situation, side: str, talk: Talk, *, both_asked: bool) -> Awaited:
    game, question = about.game, talk.question
    if both_asked or (question is not None and not question.asks_for_a_move):
        return Awaited.ANSWER
    if game.over or game.adjourned:
        return Awaited.OVER
    announced = game.turn.announced is not None
    if side == game.side:
        return Awaited.EXECUTE if announced else Awaited.ANNOUNCE
    return Awaited.REPEAT if announced else Awaited.WAIT


def _boards(game: Game, side: str) -> tuple[chess.Board, ...]:
    """The positions whose moves ``side`` may say: the present one and, until they announce, the one
    of the opponent's last move, which they may still be repeating."""
    if game.over or game.adjourned:
        return ()
    repeating = side == game.side and game.turn.announced is None
    return (game.board, *(ply.before for ply in game.history[-1:] if repeating))


def _repeats(game: Game, side: str) -> tuple[chess.Board, chess.Move] | None:
    """The position and the move of it that ``side`` may be repeating (D.2.1)."""
    if game.over or (side == game.side and game.turn.announced is not None):
        return None
    if side != game.side:
        move = game.turn.announced
        return (game.board, move) if move is not None else None
    begun = game.turn.touched or game.turn.executed is not None
    if not game.history or begun or side in game.repeated:
        return None
    last = game.history[-1]
    return last.before, last.spoken


def _commands(about: Situation, side: str) -> Iterator[Command]:
    """The commands that make sense now, the most pressing first; no answers."""
    game = about.game
    if game.over:
        if game.edition.has("signatures") and game.signed.get(side) != game.result:
            yield Command.SIGN  # 8.7
        if about.may_play_again:
            yield from PLAYS_AGAIN
        yield from (Command.SCORE, Command.LAST_MOVES)
        yield from (Command.WHAT_NOW, *_elsewhere(about), Command.REPEAT, Command.HELP, *VOICE)
        return
    waiting = game.pending is not None and not game.pending.claimable
    playing = not waiting and not game.adjourned
    by_ourselves = not game.presided and not game.served and bool(game.clock)
    if OTHER[side] in game.offers:
        yield from (Command.ACCEPT_DRAW, Command.DECLINE_DRAW)
    elif game.served:
        yield Command.DECLINE_DRAW  # it declines a take-back, too
    if (game.adjourned and not game.presided) or (game.paused and by_ourselves and playing):
        yield Command.RESUME
    if game.clock:
        yield from CLOCKS
    yield from (Command.LAST_MOVE, Command.LAST_MOVES, Command.SCORE, Command.MOVES, Command.REPEAT)
    if playing and side == game.side:
        yield Command.CORRECTION
    board = game.board_of(side)
    if game.outstanding(board) and (about.absent or not game.tables[board].sensors):
        yield Command.DONE
    yield from (one for one in Command if one in QUESTIONS and about.allows(one))
    if about.allows(Command.TAKE_BACK):
        yield Command.TAKE_BACK
    if about.allows(Command.HINT) and playing and side == game.side:
        yield Command.HINT
    if not waiting:
        yield from (Command.OFFER_DRAW, Command.RESIGN)
    if playing:
        yield from _while_playing(about, side)
        if by_ourselves and game.started and not game.paused:
            yield Command.PAUSE
        if not about.absent:
            yield Command.ADJOURN
    elif game.adjourned and game.clock.running == side:
        yield Command.CALL_ARBITER  # the player has come to the resumed game (I.9.2)
    if game.assistants[side] is not False:
        yield Command.CALL_ASSISTANT
    yield from (*_elsewhere(about), Command.WHAT_NOW, *VOICE, Command.HELP)


def _while_playing(about: Situation, side: str) -> Iterator[Command]:
    game = about.game
    if about.arbiter_comes:
        yield Command.CALL_ARBITER
    yield Command.ADJUST
    if side == game.side or game.turn.made is not None:
        yield from CLAIMS_WITH_MOVE
        if _has_quickplay_finish(game):
            yield from (Command.CLAIM_CANNOT_WIN, Command.CLAIM_NO_EFFORT)
            yield Command.REQUEST_EXTRA_TIME
    if game.clock:
        yield Command.CLAIM_TIME


def _has_quickplay_finish(game: Game) -> bool:
    """Return whether the claims of a quickplay finish exist in this game."""
    assert game.setup is not None
    rapid = game.setup.mode == "rapid" and bool(game.switch("quickplay_is_rapid"))
    return game.setup.mode != "blitz" and (game.setup.quickplay_finish or rapid)


def _elsewhere(about: Situation) -> Iterator[Command]:
    """Yield the commands that make sense only at a table of a hall, or in a game on a server."""
    if about.at_hall:
        yield Command.WHERE_I_PLAY
    if about.game.served:
        yield Command.CHAT


# --- whose words ----------------------------------------------------------------------------------


def author(about: Situation, talks: Talks, text: str) -> str:
    """Return the side whose words a typed line is that names nobody: the player on move. Nothing
    can be corrected before it is announced, so a correction then is that of the last move. A yes or
    no is that of the opponent if only they are asked something, and so is the word that opens the
    envelope."""
    game, side = about.game, about.game.side
    other = OTHER[side]
    if about.absent:
        return OTHER[about.absent]  # nobody else is here
    own, others = (talks.of(one).current(game, one) for one in (side, other))
    may = sayable(about, side, own)
    meant = interpret(text, may.boards, about.readers.of(side)).meant
    if may.asked is None and sayable(about, other, others).asked is not None:
        return other if meant.command in (Command.YES, Command.NO) else side
    if enveloped(game) and meant.command is Command.RESUME:
        return other  # the player who must answer the sealed move opens it (I.9.1)
    fresh = game.turn.announced is None and own.question is None
    if fresh and game.history and not about.seal_due and meant.correction:
        return other
    return side


def expected_speaker(game: Game) -> str:
    """The side expected to speak into a microphone of both: the one that announces, then the one
    that repeats (D.2.1)."""
    return game.side if game.turn.announced is None else OTHER[game.side]


def side_of_assistant(game: Game, of: str) -> str:
    """The side for which the assistant of ``of`` speaks: that of the player on move, whose move
    is announced (D.2.10.2), or their own player, who repeats."""
    return game.side if game.turn.announced is None else of


def sayable_by_assistant(may: Sayable, question: Question | None) -> Sayable:
    """What an assistant may say for a player who may say ``may``: moves, and the answer to the
    ``question`` about one that the assistant has said. Commands are the player's own."""
    answers = question is not None and question.is_about_a_move
    awaited = may.awaited if answers or may.awaited is not Awaited.ANSWER else Awaited.OVER
    none = frozenset[Command]()
    return replace(
        may, awaited=awaited, both_asked=False, asked=may.asked if answers else None,
        commands=(), bare=none, single=none, opened=none,
        answers=may.answers if answers else frozenset(),
    )  # fmt: skip


def speaker(about: Situation, talks: Talks, owner: str, said: Statement | None) -> str:
    """Return the side that said this into a microphone of both, which is that of ``owner``: whose
    turn it is tells, and commands are those of the owner."""
    other = OTHER[owner]
    own, others = (
        sayable(about, one, talks.of(one).current(about.game, one)) for one in (owner, other)
    )
    for side, may in ((owner, own), (other, others)):
        if may.awaited is Awaited.ANSWER:
            return side
    if said is None or (said.meant.command is None and not said.meant.correction):
        return expected_speaker(about.game)
    if said.meant.correction:
        return about.game.side
    return other if said.meant.command in others.opened - own.opened else owner


def is_crosstalk(game: Game, side: str, said: Statement | None, *, before: bool) -> bool:
    """Return whether this is the announcement itself in the microphone of ``side``, who is to
    repeat it. Speech that began ``before`` the announcement cannot repeat it, and only the
    announcing player corrects."""
    if side == game.side or game.turn.announced is None:
        return False
    if said is not None and said.meant.correction:
        return True
    return before and (said is None or said.meant.command is None)
