"""What a player says becomes facts: moves, corrections, repetitions, questions, draw offers."""

from __future__ import annotations

from collections.abc import Callable

import chess

from blindplay.language import Command, Kind, Language, Understanding
from blindplay.laws import facts as f
from blindplay.speech.speaker import Output

from .table import Table

# Whatever ends or changes the game is confirmed by a spoken "ja"; silence means no.
CONFIRM_SECONDS = 15
_QUESTIONS = {
    Command.CLOCK_MINE: "time",
    Command.CLOCK_OPPONENT: "time",
    Command.CLOCK_BOTH: "time",
    Command.MOVES: "moves",
    Command.LAST_MOVE: "last_move",
    Command.POSITION: "position",
}


class Dialogue:
    """Takes the words of both players. ``say`` speaks a sentence to one output."""

    def __init__(self, table: Table, pack: Language, say: Callable[[Output, str], None]) -> None:
        self._table = table
        self._pack = pack
        self._say = say
        self._asked: tuple[str, Command, int] | None = None
        self.last_said = ""
        """The last sentence that was spoken, for "bitte wiederholen"."""

    def boards(self, side: str) -> list[chess.Board]:
        """The positions of which ``side`` may speak now: his own move, or the one to repeat."""
        game = self._table.game
        if side == game.side:
            # Before he has announced, he may still be repeating the opponent's move.
            repeating = game.history[-1:] if game.turn.announced is None else []
            return [game.board, *(ply.before for ply in repeating)]
        return [game.board]

    def hear(self, side: str, text: str) -> Understanding:
        """One utterance, heard or typed, of ``side``; says at once what it could not be."""
        game = self._table.game
        understood = self._pack.understand(text, game.board)
        if self._asked is not None and self._confirm(side, understood):
            return understood
        if understood.kind is Kind.COMMAND:
            assert understood.command is not None
            self._command(side, understood.command)
        elif understood.kind in (Kind.MOVE, Kind.AMBIGUOUS, Kind.ILLEGAL):
            understood = self._move(side, text, understood)
        elif not self._repeats(side, text):
            self.not_understood(side, text)
        return understood

    def not_understood(self, side: str, text: str = "") -> None:
        """Words that are nothing. From the player on move they are a fact all the same: he has
        begun his move, so a press now is too early (D.2.4) and no irregularity (7.5.3). Sound
        that was not decided comes without ``text``, for the Laws must not decide it either."""
        if side == self._table.game.side and not self._table.game.over:
            self._table.submit(f.Announce, by=side, text=text)
        else:
            self._say(Output.PRIVATE, self._pack.sentence("not_understood"))

    def _move(self, side: str, text: str, understood: Understanding) -> Understanding:
        game = self._table.game
        named = {"move": understood.moves[0].uci()} if understood.move else {}
        if side != game.side:
            self._table.submit(f.Repeat, by=side, text=text, **named)
        elif understood.correction:
            self._table.submit(f.Correct, by=side, text=understood.words, **named)
        elif understood.kind is not Kind.MOVE and self._repeats(side, text):
            return self._pack.understand(text, game.history[-1].before)
        else:
            self._table.submit(f.Announce, by=side, text=text, **named)
        return understood

    def _repeats(self, side: str, text: str) -> bool:
        """Whether ``side``, on move, is repeating the opponent's last move; if so, takes it."""
        game = self._table.game
        if side != game.side or not game.history or game.turn.announced is not None:
            return False
        last = game.history[-1]
        if self._pack.understand(text, last.before).move != last.move:
            return False
        self._table.submit(f.Repeat, by=side, text=text, move=last.move.uci())
        return True

    def _command(self, side: str, command: Command) -> None:
        if command in _QUESTIONS:
            self._table.submit(f.Query, by=side, about=_QUESTIONS[command])
        elif command in (Command.RESIGN, Command.ACCEPT_DRAW):
            self._ask(side, command)
        elif command is Command.OFFER_DRAW:
            self._table.submit(f.OfferDraw, by=side)
        elif command is Command.DECLINE_DRAW:
            self._table.submit(f.DeclineDraw, by=side)
        elif command is Command.CLAIM_REPETITION:
            self._table.submit(f.ClaimDraw, by=side, rule="repetition")
        elif command is Command.CLAIM_FIFTY_MOVES:
            self._table.submit(f.ClaimDraw, by=side, rule="fifty_moves")
        elif command is Command.CLAIM_TIME:
            self._table.submit(f.ClaimTime, by=side)
        elif command is Command.ADJUST:
            self._table.submit(f.Adjust, by=side)
        elif command is Command.REPEAT:
            if self.last_said:
                self._say(Output.PRIVATE, self.last_said)
        elif command is Command.HELP:
            self._say(Output.PRIVATE, self._pack.sentence("help"))
        elif command in (Command.CALL_ARBITER, Command.CALL_ASSISTANT, Command.PAUSE):
            self._say(Output.PUBLIC, self._pack.sentence("arbiter_needed", why="").strip())
        elif command is Command.CORRECTION:
            self._say(Output.PRIVATE, self._pack.sentence("repeat_please"))
        else:
            self._say(Output.PRIVATE, self._pack.sentence("refused"))

    def _ask(self, side: str, command: Command) -> None:
        self._asked = (side, command, self._table.time())
        if command is Command.RESIGN:
            self._say(Output.PRIVATE, self._pack.sentence("resign_sure"))
        else:
            self._say(Output.PRIVATE, self._pack.sentence("accept_draw_sure"))

    def _confirm(self, side: str, understood: Understanding) -> bool:
        """Take the answer to our question; anything but a timely "ja" means no."""
        assert self._asked is not None
        asked, command, since = self._asked
        if side != asked:
            return False
        self._asked = None
        timely = self._table.time() - since <= CONFIRM_SECONDS * 1000
        if understood.command is Command.YES and timely:
            kind = f.Resign if command is Command.RESIGN else f.AcceptDraw
            self._table.submit(kind, by=side)
            return True
        self._say(Output.PRIVATE, self._pack.sentence("cancelled"))
        return understood.command in (Command.YES, Command.NO)
