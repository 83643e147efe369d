"""A game at two tables over a bad line, in real time: ``python -m benchmarks opponents``."""

import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue

import chess

from blindplay.laws import Taken
from blindplay.laws import facts as f
from blindplay.laws.facts import SIDES, Player, Setup
from blindplay.laws.state import OTHER
from blindplay.opponents.distant.player import DistantPlayer
from blindplay.opponents.player import duty, is_to_choose
from blindplay.record import Journal
from blindplay.table.table import Table

DELAY_S = 0.15
LOST = 0.05
_LIMIT_S = 5
_THINKS_S = 0.02, 0.12
_LOOK_S = 0.002
_PATIENCE_S = 60.0  # for each move
_START_S, _INCREMENT_S = 5400, 30
_SEED = 2026


class _BadLine:
    """One end of a line that delays every message and loses some."""

    def __init__(self, seed: int) -> None:
        self.other = self
        self._chance = random.Random(seed)
        self._coming: SimpleQueue[tuple[float, bytes] | None] = SimpleQueue()

    def open(self, on_message: Callable[[bytes], object], on_connect: Callable[[], object]) -> None:
        threading.Thread(target=self._run, args=(on_message, on_connect), daemon=True).start()

    def _run(self, on_message: Callable[[bytes], object], on_connect: Callable[[], object]) -> None:
        on_connect()
        while (coming := self._coming.get()) is not None:
            at, message = coming
            time.sleep(max(0.0, at - time.monotonic()))
            on_message(message)

    def send(self, message: bytes) -> None:
        if self._chance.random() >= LOST:
            self.other._coming.put((time.monotonic() + DELAY_S, message))

    def send_voice(self, message: bytes) -> None:
        self.send(message)

    def renew(self) -> None:
        """Stay: it never ends."""

    def close(self) -> None:
        self._coming.put(None)


class _Seat:
    """A table, and its player, who thinks and follows the Laws."""

    def __init__(self, journal: Journal, side: str, line: _BadLine, plies: int) -> None:
        self.side, self._plies = side, plies
        self.thought_ms: list[float] = []
        """At each move, by this player's own watch."""
        self._chance = random.Random(f"{_SEED} {side}")
        self._began = 0.0  # when the own clock started, at this table
        waited = side == "white"
        self.player = DistantPlayer(OTHER[side], line, waited=waited, limit_s=_LIMIT_S)
        control, blind = f"{_START_S}+{_INCREMENT_S}", Player(impaired=True)
        setup = Setup(
            t=0, id="of both", boards=2, arbiter="automatic", time_control=control,
            white=blind, black=blind,
        )  # fmt: skip
        self.table = Table(journal, setup, opponent=self.player)
        self.table.listen(self._see)
        self.player.sit(self.table, lambda key, **values: None)
        self.player.begins()
        self.thread = threading.Thread(target=self._play, daemon=True)

    def _see(self, taken: Taken) -> None:
        runs = self.table.game.clock.running == self.side
        self._began = (self._began or time.monotonic()) if runs else 0.0

    def _play(self) -> None:
        while len(self.table.game.history) < self._plies:
            with self.table.lock:
                game = self.table.game
                fact, chooses = duty(game, self.side), is_to_choose(game, self.side)
                moves = list(game.board.legal_moves)
            if fact is None and chooses and self._began:
                time.sleep(self._chance.uniform(*_THINKS_S))
                fact = f.Announce(by=self.side, move=self._chosen(moves).uci())
            if fact is None:
                time.sleep(_LOOK_S)
                continue
            if isinstance(fact, f.Press):
                self.thought_ms.append(1000 * (time.monotonic() - self._began))
            self.table.submit(fact)

    def _chosen(self, moves: list[chess.Move]) -> chess.Move:
        """A move after which the game goes on."""
        quiet = [move for move in moves if not self._ends(move)]
        return self._chance.choice(quiet or moves)

    def _ends(self, move: chess.Move) -> bool:
        board = self.table.game.board.copy()
        capture = board.is_capture(move)
        board.push(move)
        return capture or board.is_game_over() or board.is_repetition(3)


def figures(moves: int) -> Iterator[str]:
    """Yield a line about a game of so many moves."""
    begun = time.monotonic()
    apart, over = played(moves)
    yield (
        f"Two tables, {DELAY_S * 1000:.0f} ms each way, {LOST:.0%} of the messages lost, {moves} "
        f"moves in {time.monotonic() - begun:.0f} s: after each move both tables show the same "
        f"clocks within {apart} ms; a move is charged with {statistics.median(over):.1f} ms more "
        f"than its player has thought (median), {max(over):.1f} ms at most."
    )


def played(moves: int) -> tuple[int, list[float]]:
    """Play so many moves. Return, in milliseconds, the largest difference between the clocks of
    the two tables, and for each move the time charged beyond its player's thought."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        lines = {side: _BadLine(seed) for seed, side in enumerate(SIDES)}
        seats = []
        for side, line in lines.items():
            line.other = lines[OTHER[side]]
            journal = stack.enter_context(Journal(folder / f"{side}.jsonl"))
            seats.append(_Seat(journal, side, line, 2 * moves))
            stack.callback(seats[-1].player.close)
        for seat in seats:
            seat.thread.start()
        for seat in seats:
            seat.thread.join(_PATIENCE_S * moves)
        both = zip(*(seat.table.game.history[: 2 * moves] for seat in seats), strict=True)
        clocks = [[ply.clock.left for ply in plies] for plies in both]
        apart = max(abs(one[side] - other[side]) for one, other in clocks for side in SIDES)
        over = [one for seat in seats for one in _over(seat, [left for left, _ in clocks])]
        return apart, over


def _over(seat: _Seat, clocks: Sequence[Mapping[str, int]]) -> Iterator[float]:
    """Yield, for each move of the player at ``seat``, the ms charged beyond the time of thought."""
    before = 1000 * (_START_S + _INCREMENT_S)
    own = clocks[SIDES.index(seat.side) :: 2]
    for clock, thought in zip(own, seat.thought_ms, strict=True):
        left = clock[seat.side]
        yield before + 1000 * _INCREMENT_S - left - thought
        before = left
