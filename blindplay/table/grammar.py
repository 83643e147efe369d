"""The grammar of each player now. Recognisers listen for it; commands outside it do nothing."""

from collections.abc import Iterator

import chess

from blindplay.language import NEVER_OPENED, QUESTIONS, Command
from blindplay.laws.state import OTHER

from .choices import OpeningWord
from .conversation import CLAIMS_WITH_MOVE, Awaited, Question, Sayable
from .table import Table

CLOCKS = (Command.CLOCK_MINE, Command.CLOCK_OPPONENT, Command.CLOCK_BOTH)
VOICE = (Command.LOUDER, Command.SOFTER, Command.SLOWER, Command.FASTER)


class Grammar:
    """The moves, commands and answers that the players of ``table`` may say."""

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
