"""An engine as the opponent: it thinks at its level, as long as people do, and never so long that
its clock runs out.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import chess

from blindplay.laws import Game
from blindplay.laws import facts as f
from blindplay.laws.state import OTHER

from . import uci
from .player import AbsentPlayer, is_to_choose, position, rests
from .uci import Level

_SHORTEST_S, _LONGEST_S = 0.8, 12.0
_OPENING = 8
"""Up to this move people play quickly."""


def seconds_to_think(
    board: chess.Board, left_s: float | None, increment_s: float, chance: random.Random
) -> float:
    """Seconds between the opponent's press and the answer. ``left_s``: on the own clock; None: no
    clock runs. A thirtieth of the time left is the most, with most of the increment."""
    replies = board.legal_moves.count()
    last = board.peek() if board.move_stack else None
    takes_back = last is not None and any(
        move.to_square == last.to_square for move in board.generate_legal_captures()
    )
    usual = 4.0
    if replies == 1:
        usual = 1.0
    elif board.fullmove_number <= _OPENING or takes_back:
        usual = 2.0
    seconds = usual * chance.lognormvariate(0, 0.4)
    most = _LONGEST_S if left_s is None else min(_LONGEST_S, left_s / 30 + 0.6 * increment_s)
    return min(max(seconds, _SHORTEST_S), most)


SEARCH_S = 1.0
"""The longest search of a level; at full strength the engine uses all of its time."""
HINT_S = 0.5
TRIES = 3
"""Number of times that an engine may fail at one move before the built-in opponent plays on in its
place."""
_LATEST_S = 10.0
"""Seconds that people wait for an engine that hangs at one move, tried again included."""
UNPRESSED_S = 2.0
"""Seconds in which a made move may still be corrected without a clock, because nobody presses."""
_EVEN = 40  # centipawns; a draw is accepted up to this advantage
_EARLIEST_DRAW = 30  # full moves

_Answer = TypeVar("_Answer")
Pace = Callable[[chess.Board, float | None, float], float]


@dataclass(frozen=True)
class _Moment:
    """The moment of a game at which something is thought about."""

    plies: int
    fen: str
    answers: bool  # a move that is made, but that nobody has completed


class EnginePlayer(AbsentPlayer):
    """Plays with the engine ``program`` at ``level``.

    ``pace`` gives the seconds that a move takes: of the position, the seconds left (None: no clock)
    and the increment. Without it, they are as people's.
    """

    gives_hints = True

    def __init__(
        self,
        program: uci.EngineProgram,
        level: Level,
        *,
        pace: Pace | None = None,
        patience_s: float = uci.PATIENCE_S,
    ) -> None:
        super().__init__()
        self.level = level
        self.program = program
        chance = random.Random()
        self._pace = pace or (lambda board, left, inc: seconds_to_think(board, left, inc, chance))
        self._engine = uci.UciEngine(program, level, patience_s=patience_s)
        self._hint: tuple[str, chess.Move] | None = None
        self._says_strength = True

    def hint(self) -> chess.Move | None:
        known = self._hint
        return known[1] if known is not None and known[0] == self._table.game.board.fen() else None

    def _release(self) -> None:
        self._engine.close()

    # --- what needs thinking -------------------------------------------------------------------

    def _consider(self) -> None:
        self._tell_strength()
        with self._table.lock:
            game = self._table.game
            offered = OTHER[self.side] in game.offers and not rests(game)
            chooses, hints = is_to_choose(game, self.side), self._advises(game)
            board, moment = position(game), self._moment()
        if offered:
            self._answer_offer(board)
        elif chooses:
            self._find_move(board, moment)
        elif hints:
            self._hint = board.fen(), self._ask(lambda engine: engine.judge(board, HINT_S)[0])

    def _moment(self) -> _Moment:
        game = self._table.game
        return _Moment(len(game.history), game.position.fen(), game.side != self.side)

    def _advises(self, game: Game) -> bool:
        """Return whether the other player may ask for a hint now, and none is known."""
        waits = game.side != self.side and game.turn.made is None and not rests(game)
        return self._table.training and not game.presided and waits and self.hint() is None

    def _find_move(self, board: chess.Board, moment: _Moment) -> None:
        began = time.monotonic()
        left, increment = self._clock()
        pause = self._pace(board, left, increment)
        if moment.answers:
            pause = max(pause, UNPRESSED_S)
        longest = pause if self.level.elo is None else min(pause, SEARCH_S)
        move = self._ask(lambda engine: engine.choose(board, max(longest, 0.05)))

        def still() -> bool:
            with self._table.lock:
                game = self._table.game
                offered = OTHER[self.side] in game.offers  # that is answered first
                return not offered and self._moment() == moment and is_to_choose(game, self.side)

        while still() and (rest := began + pause - time.monotonic()) > 0:
            if self._changed.wait(rest):
                self._changed.clear()
            if self._closed.is_set():
                self._changed.set()
                return
        self._changed.set()  # look again at what has happened meanwhile
        self._play(move, still)

    def _clock(self) -> tuple[float | None, float]:
        """The own seconds left, None without a clock, and the increment."""
        clock = self._table.game.clock
        if not clock:
            return None, 0.0
        return clock.left[self.side] / 1000, clock.increment(self.side) / 1000

    def _answer_offer(self, board: chess.Board) -> None:
        """Accept a draw late in a game that is even or lost, else decline."""
        worth = self._ask(lambda engine: engine.judge(board, HINT_S)[1])
        own = worth if (board.turn == chess.WHITE) == (self.side == "white") else -worth
        accepts = own <= _EVEN and board.fullmove_number >= _EARLIEST_DRAW
        kind = f.AcceptDraw if accepts else f.DeclineDraw
        offers = self._table.game.offers
        self._do_duties(lambda: kind(by=self.side) if OTHER[self.side] in offers else None)

    def _tell_strength(self) -> None:
        """Say once if the engine does not reach the chosen level."""
        if not self._says_strength:
            return
        self._says_strength = False
        elo = self.level.elo
        elos = None if elo is None else self._ask(lambda engine: engine.elos())
        if elo is None or elos is None:
            self._tell("opponent_level_full")
        elif elo < elos[0]:
            self._tell("opponent_weakest", elo=elos[0])
        elif elo > elos[1]:
            self._tell("opponent_strongest", elo=elos[1])
        else:
            self._tell(f"opponent_level_{self.level.name}")

    # --- the engine ----------------------------------------------------------------------------

    def _ask(self, question: Callable[[uci.UciEngine], _Answer]) -> _Answer:
        """The answer of the engine. A failing engine is started again, and the table says so."""
        tries, late_s = 0, 0.0
        while True:
            try:
                return question(self._engine)
            except uci.EngineFailedError as error:
                if self._closed.is_set():
                    raise
                tries += 1
                late_s += error.late_s
                fails = tries >= TRIES or late_s + error.late_s > _LATEST_S
                replaced = fails and not self._engine.program.is_built_in
                if replaced:
                    self._engine = uci.UciEngine(uci.BUILT_IN, self.level)
                self._tell("opponent_replaced" if replaced else "opponent_restarted")
                self._closed.wait(min(0.5 * (tries - 1), 5))
