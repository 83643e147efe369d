"""What each player may say now, and the effects of a command: facts, answers, help."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import chess

from blindplay.language import NEVER_OPENED, QUESTIONS, About, Command, Understanding, join
from blindplay.laws import facts as f
from blindplay.laws.moving import may_be_a_slip
from blindplay.laws.rulings import ClockReading, Refused
from blindplay.laws.sheets import before_last_of
from blindplay.laws.state import OTHER
from blindplay.wording.position import hint_in_words, look, time_in_words
from blindplay.wording.readers import Readers
from blindplay.wording.values import pairing_in_words

from .choices import OpeningWord
from .conversation import (
    ANSWER_SECONDS,
    ASK_AGAIN,
    CLAIMS_WITH_MOVE,
    AdjustVoice,
    Ask,
    Awaited,
    Effect,
    LeadHands,
    Question,
    Relisten,
    Say,
    Sayable,
    SayAgain,
    Submit,
    say,
)
from .table import Table

CLOCKS = (Command.CLOCK_MINE, Command.CLOCK_OPPONENT, Command.CLOCK_BOTH)
VOICE = (Command.LOUDER, Command.SOFTER, Command.SLOWER, Command.FASTER)
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
    Command.CALL_ARBITER: f.CallArbiter,
    Command.ADJUST: f.Adjust,
}
CONFIRMED = frozenset(
    (*CLAIMS, *_FACTS, Command.ADJOURN, Command.PAUSE, Command.TAKE_BACK, Command.SIGN)
) - {Command.ADJUST}
"""Commands that end or change the game: they need a *ja*. Declining a draw is one of them: a
misheard acceptance must not lose the offer."""


class Grammar:
    """The moves, commands and answers that the players of ``table`` may say. Recognisers listen for
    them; commands outside do nothing."""

    def __init__(self, table: Table, opening_word: OpeningWord) -> None:
        self._table = table
        self.opening_word = opening_word
        self._repeated: dict[str, int] = {}  # the ply that each player repeated last

    def sayable(self, side: str, question: Question | None, *, more: bool) -> Sayable:
        """Return what ``side`` may say now. ``question`` is open; ``more``: help has more to
        tell."""
        commands = frozenset(self.commands(side, question, more=more))
        always = commands & NEVER_OPENED
        answers = question.answers if question is not None else ()
        return Sayable(
            self.awaited(side, question),
            tuple(self.boards(side)),
            self.repeats(side),
            bare=always if self.opening_word is OpeningWord.REQUIRED else commands,
            single=commands if self.opening_word is OpeningWord.OPTIONAL else always,
            opened=commands - NEVER_OPENED,
            answers=frozenset(word.lower() for words in answers for word in words),
        )

    def awaited(self, side: str, question: Question | None) -> Awaited:
        """Return what is awaited of ``side``."""
        game = self._table.game
        if self.asks(side) or (question is not None and not question.asks_for_a_move):
            return Awaited.ANSWER
        if game.over or game.adjourned:
            return Awaited.OVER
        announced = game.turn.announced is not None
        if side == game.side:
            return Awaited.EXECUTE if announced else Awaited.ANNOUNCE
        return Awaited.REPEAT if announced else Awaited.WAIT

    def asks(self, side: str) -> bool:
        """Return whether the Laws ask ``side`` for a yes or no, to agree with the opponent."""
        pending = self._table.game.pending
        return pending is not None and side in pending.asked

    def boards(self, side: str) -> list[chess.Board]:
        """The positions whose moves ``side`` may say: the present one and, until they announce,
        the one of the opponent's last move, which they may still be repeating."""
        game = self._table.game
        if game.over or game.adjourned:
            return []
        repeating = side == game.side and game.turn.announced is None
        return [game.board, *(ply.before for ply in game.history[-1:] if repeating)]

    def repeats(self, side: str) -> tuple[chess.Board, chess.Move] | None:
        """The position and the move of it that ``side`` may be repeating (D.2.1)."""
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

    def has_repeated(self, side: str, *, last: bool) -> None:
        """Note that ``side`` repeated the opponent's announcement, or with ``last`` the last
        move."""
        self._repeated[side] = len(self._table.game.history) + (not last)

    def commands(self, side: str, question: Question | None, *, more: bool) -> Iterator[Command]:
        """The commands that make sense now, the most pressing first."""
        game = self._table.game
        if question is not None or self.asks(side):
            yield from (Command.YES, Command.NO)
        if more:
            yield Command.MORE
        if game.over:
            if self._signs(side):
                yield Command.SIGN
            yield from (*self._elsewhere(), Command.REPEAT, Command.HELP, *VOICE)
            return
        waiting = game.pending is not None and not game.pending.claimable
        playing = not waiting and not game.adjourned
        if OTHER[side] in game.offers:
            yield from (Command.ACCEPT_DRAW, Command.DECLINE_DRAW)
        elif game.served:
            yield Command.DECLINE_DRAW  # it declines a take-back, too
        if (game.adjourned and not game.presided) or (
            game.paused and self._by_ourselves and playing
        ):
            yield Command.RESUME
        if game.clock:
            yield from CLOCKS
        yield from (Command.LAST_MOVE, Command.MOVES, Command.REPEAT)
        if playing and side == game.side:
            yield Command.CORRECTION
        if self._table.absent and game.outstanding(game.board_of(side)):
            yield Command.DONE
        answered = filter(self._table.allows, QUESTIONS)
        yield from sorted(answered, key=list(Command).index)
        if self._table.allows(Command.TAKE_BACK):
            yield Command.TAKE_BACK
        if self._table.allows(Command.HINT) and playing and side == game.side:
            yield Command.HINT
        if not waiting:
            yield from (Command.OFFER_DRAW, Command.RESIGN)
        if playing:
            yield from self._while_playing(side)
        elif game.adjourned and game.clock.running == side:
            yield Command.CALL_ARBITER  # the player has come to the resumed game (I.9.2)
        if game.assistants[side] is not False:
            yield Command.CALL_ASSISTANT
        yield from (*self._elsewhere(), *VOICE, Command.HELP)

    def _elsewhere(self) -> Iterator[Command]:
        """Yield the commands that make sense only at a table of a hall, or in a game on a
        server."""
        if self._table.pairings.here:
            yield Command.WHERE_I_PLAY
        if self._table.game.served:
            yield Command.CHAT

    def _while_playing(self, side: str) -> Iterator[Command]:
        game = self._table.game
        yield from (Command.ADJUST,) if game.served else (Command.CALL_ARBITER, Command.ADJUST)
        if side == game.side or game.turn.made is not None:
            yield from CLAIMS_WITH_MOVE
            if self._quickplay():
                yield from (Command.CLAIM_CANNOT_WIN, Command.CLAIM_NO_EFFORT)
                yield Command.REQUEST_EXTRA_TIME
        if game.clock:
            yield Command.CLAIM_TIME
        if self._by_ourselves and game.started and not game.paused:
            yield Command.PAUSE
        if not self._table.absent:
            yield Command.ADJOURN

    def _signs(self, side: str) -> bool:
        """Return whether this player still has to sign the result (8.7)."""
        game = self._table.game
        return game.edition.has("signatures") and game.signed.get(side) != game.result

    @property
    def _by_ourselves(self) -> bool:
        """Return whether the players may stop and start the clocks: no arbiter presides."""
        game = self._table.game
        return not game.presided and not game.served and bool(game.clock)

    def _quickplay(self) -> bool:
        """Return whether the claims of a quickplay finish exist in this game."""
        game = self._table.game
        assert game.setup is not None
        rapid = game.setup.mode == "rapid" and bool(game.switch("quickplay_is_rapid"))
        return game.setup.mode != "blitz" and (game.setup.quickplay_finish or rapid)


@dataclass
class _Help:
    """The commands that help has not told a player yet, and since when (ms of the table's time)."""

    untold: list[str] = field(default_factory=list)
    since: int = 0


class Commands:
    """Does what players command. Each method returns the effects."""

    def __init__(self, table: Table, readers: Readers, grammar: Grammar) -> None:
        self._table = table
        self._readers = readers
        self._grammar = grammar
        self._help = {side: _Help() for side in f.SIDES}
        self._looked_at: dict[str, About] = {}  # the square that each player asked about last

    def has_more(self, side: str) -> bool:
        """Return whether help has more commands to tell."""
        return bool(self._help[side].untold)

    def expire(self, side: str) -> list[Effect]:
        """Forget the rest of help if nobody asked for it in time."""
        told = self._help[side]
        if told.untold and self._table.time() - told.since > ANSWER_SECONDS * 1000:
            told.untold = []
            return [Relisten()]
        return []

    def introduce(self, side: str) -> list[Effect]:
        """Tell how to find out what can be said."""
        return self._tell(side, [self._readers.of(side).command(Command.HELP)])

    def do(self, side: str, meant: Understanding) -> list[Effect]:
        """Do the command of ``meant``."""
        command, pack = meant.command, self._readers.of(side)
        assert command is not None
        if command in _ABOUT:
            return [Submit(f.Query(by=side, about=_ABOUT[command]))]
        if command in QUESTIONS:
            return self._look(side, command, meant.about or About())
        if command in CLAIMS:
            return self._claim(side, command, meant)
        if command in _FACTS:
            return [Submit(_FACTS[command](by=side))]
        if command in (Command.YES, Command.NO) and self._grammar.asks(side):
            return [Submit(f.Consent(by=side, given=command is Command.YES))]
        if command in VOICE:
            return [AdjustVoice(side, command)]
        match command:
            case Command.CLOCK_MINE | Command.CLOCK_OPPONENT:
                # One of the two times is told; the fact and its ruling are about both.
                asked = f.Query(by=side, about="time")
                return [Ask(side, asked, lambda answer: time_in_words(pack, answer, command))]
            case Command.SEAL:
                return self._seal(side, meant)
            case Command.TAKE_BACK:
                return self._take_back(side)
            case Command.HINT:
                return self._hint(side)
            case Command.DONE:
                return self._done(side)
            case Command.CHAT:
                opponent = self._table.opponent
                if opponent is None or not self._table.game.served:
                    return [self._say(side, "lichess_chat_none")]
                opponent.read_chat()
                return []
            case Command.SIGN:
                if result := self._table.game.result:
                    return [Submit(f.Sign(by=side, result=result))]  # 8.7
                return [self._say(side, "refused_not_over")]
            case Command.ADJOURN:
                # The arbiter is asked or, where nobody presides, the opponent.
                if self._table.absent:
                    return [self._say(side, self._why_not_playing() or "adjourn_alone")]
                return [Submit(f.Adjourn(by=side))]
            case Command.PAUSE | Command.RESUME:
                return self._pause(side, command)
            case Command.CALL_ASSISTANT:
                public = self._readers.everybody
                player = public.sentence(side)
                return [Say(None, public.sentence("assistant_called", player=player))]
            case Command.WHERE_I_PLAY:
                return self._where_i_play(side)
            case Command.REPEAT:
                return [SayAgain(side)]
            case Command.CORRECTION:
                return [self._say(side, "repeat_please")]
            case Command.HELP:
                return self._tell_help(side)
            case Command.MORE:
                return self._more(side)
        return [self._say(side, "refused_no_question")]  # an answer

    def _say(self, side: str, key: str) -> Say:
        return say(self._readers.of(side), side, key)

    def _look(self, side: str, command: Command, about: About) -> list[Effect]:
        query = f.Query(by=side, about="position")
        if not self._table.allows(command):
            return [Submit(query)]
        if command is Command.LEGAL_MOVES_HERE:
            about = self._looked_at.get(side, about)
        elif len(about.squares) == 1:
            self._looked_at[side] = about
        words = look(self._readers.of(side), self._table.game, side, command, about)
        return [Submit(query, reports=(Refused,)), Say(side, words)]

    def _claim(self, side: str, command: Command, meant: Understanding) -> list[Effect]:
        if meant.rest and not meant.moves:
            return [self._say(side, "not_understood")]
        move = meant.moves[0].uci() if meant.moves else None
        return [Submit(f.ClaimDraw(by=side, rule=CLAIMS[command], move=move))]

    def _seal(self, side: str, meant: Understanding) -> list[Effect]:
        """Write the sealed move; never say it, for it is the player's secret."""
        game, pack = self._table.game, self._readers.of(side)
        if not (game.adjourning or game.adjourned or game.over):
            # The press after it would adjourn, and nobody has agreed to that.
            return [say(pack, side, "seal_unasked", command=pack.command(Command.ADJOURN))]
        if not meant.rest:
            return [say(pack, side, "seal_named", command=pack.command(Command.SEAL))]
        return [Submit(f.Seal(by=side, text=meant.rest))]

    def _take_back(self, side: str) -> list[Effect]:
        """In training without an arbiter: take back the player's own last move, with the answer to
        it. A move that is only made is not a ply yet. On a server, the opponent is asked, or
        agrees."""
        game = self._table.game
        if not self._table.allows(Command.TAKE_BACK):
            return [self._say(side, "arbiter_only_page" if game.presided else "training_only")]
        own = 0 if game.served and game.history else before_last_of(game, side)
        if own is None:
            return [self._say(side, "nothing_to_take_back")]
        return [Submit(f.Arbiter(do="restore", ply=own))]

    def _hint(self, side: str) -> list[Effect]:
        """Name a good move. The request is recorded."""
        table, pack = self._table, self._readers.of(side)
        words = hint_in_words(
            pack, table.game, side, table.hint(), given=table.allows(Command.HINT)
        )
        asked = Submit(f.Query(by=side, about="position"), reports=(Refused,))
        return [asked, Say(side, words)]

    def _done(self, side: str) -> list[Effect]:
        """The player has executed the opponent's move. A board that feels it is led to it; one
        that feels nothing shows it from now on."""
        game = self._table.game
        board = game.board_of(side)
        lagging = game.outstanding(board)
        if not self._table.absent or not lagging:
            return [self._say(side, "nothing_to_execute")]
        if game.tables[board].sensors:
            return [LeadHands(board)]
        made = [Submit(f.Make(by=side, move=ply.move.uci())) for ply in lagging]
        return [*made, self._say(side, "executed_noted")]

    def _pause(self, side: str, command: Command) -> list[Effect]:
        """Stop the clocks or go on: after an adjournment, by opening the envelope."""
        game = self._table.game
        if command is Command.RESUME and game.adjourned:
            if not game.presided:
                return [Submit(f.OpenEnvelope(by=side))]
            pack = self._readers.of(side)
            return [say(pack, side, "envelope_arbiter", player=pack.sentence(OTHER[game.side]))]
        if game.presided or game.served:
            return [self._say(side, "lichess_decides" if game.served else "pause_refused")]
        if command not in self._grammar.commands(side, None, more=False):
            return [self._say(side, self._why_no_pause(command))]
        said = Say(None, self._readers.everybody.sentence(command.value))
        if command is Command.PAUSE:
            return [Submit(f.Arbiter(do="stop_clocks"), reports=(ClockReading,)), said]
        return [said, Submit(f.Arbiter(do="start_clocks"))]

    def _why_not_playing(self) -> str | None:
        """The sentence why nothing can be played now; None if the game goes on."""
        game = self._table.game
        if game.over:
            return "refused_game_over"
        if game.adjourned:
            return "refused_adjourned"
        if game.pending is None or game.pending.claimable:
            return None
        return f"refused_{game.pending.refusal}"

    def _why_no_pause(self, command: Command) -> str:
        """The sentence why the clocks cannot be stopped, or started, now."""
        game = self._table.game
        if why := self._why_not_playing():
            return why
        if not game.clock:
            return "refused_no_clock"
        if command is Command.RESUME:
            return "refused_clocks_running" if game.started else "refused_not_started"
        return "refused_clocks_stopped" if game.paused else "refused_not_started"

    def _where_i_play(self, side: str) -> list[Effect]:
        """Tell where the player plays next, or the present game."""
        found = self._table.pairings.next_of(self._table.game.player(side).name)
        found = found or self._table.pairings.played(self._table.game)
        if found is None:
            return [self._say(side, "pairing_unknown")]
        return [Say(side, pairing_in_words(found, self._readers.of(side)))]

    def _tell_help(self, side: str) -> list[Effect]:
        """Tell what to do now and a few commands; "mehr" tells the rest."""
        game, effects = self._table.game, list[Effect]()
        pack = self._readers.of(side)
        if not game.over and not game.adjourned:
            key = "to_move" if game.turn.announced is None else "help_repeat"
            if game.adjourning:
                key = "seal_written" if side == game.side else "refused_seal_due"
            elif side == game.side:
                done = "help_correct" if game.turn.made is None else "help_press"
                done = done if may_be_a_slip(game) else "help_made"
                key = "help_announce" if game.turn.announced is None else done
            correction = pack.command(Command.CORRECTION)
            example = pack.announce(chess.Board(), chess.Move.from_uci("g1f3"))
            player = pack.sentence(game.side)
            words = pack.sentence(key, correction=correction, example=example, player=player)
            effects.append(Say(side, words))
        known = self._grammar.commands(side, None, more=False)
        untold = [command for command in known if command not in ASK_AGAIN]
        if self._needs_opening_word:
            untold = [command for command in untold if command not in NEVER_OPENED]
        names = [pack.command(command) for command in (*untold, Command.REPEAT)]
        self._help[side].untold = names
        return [*effects, *self._more(side)]

    def _more(self, side: str) -> list[Effect]:
        told = self._help[side]
        if not told.untold:
            return [self._say(side, "refused_no_more")]
        now, told.untold = told.untold[:COMMANDS_AT_ONCE], told.untold[COMMANDS_AT_ONCE:]
        told.since = self._table.time()
        pack = self._readers.of(side)
        more = pack.sentence("help_more", more=pack.command(Command.MORE))
        return [*self._tell(side, now, more if told.untold else ""), Relisten()]

    def _tell(self, side: str, commands: list[str], more: str = "") -> list[Effect]:
        pack = self._readers.of(side)
        words = pack.sentence(
            "help_opened" if self._needs_opening_word else "help_say",
            commands=", ".join(commands),
            word=pack.opening_word,
        )
        return [Say(side, join(" ", filter(None, (words, more)), pack.code))]

    @property
    def _needs_opening_word(self) -> bool:
        return self._grammar.opening_word is not OpeningWord.OPTIONAL
