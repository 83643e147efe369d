"""Two tables, two people and the network between them, in a time that a test makes pass."""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Callable
from pathlib import Path

import chess

from blindplay.laws import Fact, Taken
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.laws.rulings import Completed
from blindplay.laws.state import OTHER
from blindplay.opponents.distant.player import DistantPlayer
from blindplay.opponents.player import duty, is_to_choose
from blindplay.record import Journal, read_journal
from blindplay.table import Table

SETUP = Setup(
    t=0,
    id="of both tables",
    arbiter="automatic",
    boards=2,
    time_control="5400+30",
    white=Player(name="Ada", impaired=True),
    black=Player(name="Bo", impaired=True),
)


class World:
    """Time, and a network that delays, loses, doubles and cuts, by chance."""

    def __init__(self, seed: int, *, delay_s: float = 0.15, jitter_s: float = 0.0) -> None:
        self.chance = random.Random(seed)
        self.time = 1000.0
        self.delay_s, self.jitter_s = delay_s, jitter_s
        self.lost = self.doubled = 0.0
        """How many of all messages."""
        self.cut = False
        self.ends: dict[str, End] = {}
        self._due: list[tuple[float, int, Callable[[], object]]] = []
        self._count = itertools.count()

    def now(self) -> float:
        return self.time

    def later(self, seconds: float, do: Callable[[], object]) -> None:
        heapq.heappush(self._due, (self.time + seconds, next(self._count), do))

    def post(self, to: str, message: bytes) -> None:
        for _ in range(1 + (self.chance.random() < self.doubled)):
            if not self.cut and self.chance.random() >= self.lost:
                delay = self.delay_s + self.chance.random() * self.jitter_s
                self.later(delay, lambda: None if self.cut else self.ends[to].arrives(message))

    def pass_to(self, time: float) -> None:
        """Do everything that is due until ``time``."""
        while self._due and self._due[0][0] <= time:
            self.time, _, do = heapq.heappop(self._due)
            do()
        self.time = time


class End:
    """The line of one table."""

    def __init__(self, world: World, side: str) -> None:
        self._world, self._side = world, side
        self.arrives: Callable[[bytes], object] = lambda message: None
        self.renewed = 0

    def open(self, on_message: Callable[[bytes], object], on_connect: Callable[[], object]) -> None:
        self.arrives = on_message
        on_connect()

    def send(self, message: bytes) -> None:
        self._world.post(OTHER[self._side], message)

    def send_voice(self, message: bytes) -> None:
        self.send(message)

    def renew(self) -> None:
        self.renewed += 1

    def close(self) -> None:
        self.arrives = lambda message: None


class Somebody:
    """A table and the player at it, who knows which ``moves`` are played, thinks, and does
    what the Laws ask."""

    def __init__(
        self,
        world: World,
        folder: Path,
        side: str,
        moves: list[str],
        *,
        thinks_s: Callable[[], float],
        setup: Setup = SETUP,
        limit_s: float = 5.0,
        voices: bool = False,
    ) -> None:
        self.world, self.side, self.moves = world, side, moves
        self.path = folder / f"{side}.jsonl"
        self.told: list[str] = []
        self.thought_s = 0.0
        """How long this player has thought, by the world's time."""
        self._thinks_s, self._limit_s = thinks_s, limit_s
        self._voices = voices
        self.sit(setup)

    def sit(self, setup: Setup | None = None) -> None:
        """Start the table, or without ``setup`` start it again."""
        self._began: float | None = None
        self._decides = 0.0
        self._wanted: tuple[Fact, int] | None = None
        self.line = self.world.ends[self.side] = End(self.world, self.side)
        self.player = DistantPlayer(
            OTHER[self.side],
            self.line,
            waited=self.side == "white",
            limit_s=self._limit_s,
            voices=self._voices,
            now=self.world.now,
            stepped=True,
        )
        self.is_up = True
        self.journal = Journal(self.path, resume=setup is None)
        self.table = Table(self.journal, setup, now=self.world.now, opponent=self.player)
        self.table.listen(self._writes)
        self.table.go_on()
        self.player.sit(self.table, lambda key, **values: self.told.append(key))
        self.player.begins()

    def is_killed(self) -> None:
        self.table.beat()
        self.line.close()
        self.journal.close()
        self.is_up = False

    def _writes(self, taken: Taken) -> None:
        """As a session does, write each move on both scoresheets."""
        if self.table.game.clock.running != self.side:
            self._began = None
        elif self._began is None:
            self._began = self.world.time
            self._decides = self._began + self._thinks_s()
        if any(isinstance(ruling, Completed) for ruling in taken.rulings):
            ply = len(self.table.game.history)
            for side in f.SIDES:
                if ply not in self.table.game.sheets[side]:
                    self.table.submit(f.Record(by=side, ply=ply, text="e4"))

    def second(self) -> None:
        if self.table.game.clock.running is not None:
            self.table.submit(f.Tick())

    def act(self) -> None:
        """Let the table and its player do what they want to do now."""
        self.player.step()
        game = self.table.game
        while (fact := duty(game, self.side)) is not None and self._does(fact):
            pass
        if not is_to_choose(game, self.side) or len(game.history) >= len(self.moves):
            return
        if self._began is not None and self.world.time >= self._decides:
            move = self.moves[len(game.history)]
            while (self._does(f.Announce(by=self.side, move=move))) and self._does_rest():
                pass

    def _does_rest(self) -> bool:
        while (fact := duty(self.table.game, self.side)) is not None and self._does(fact):
            pass
        return False

    def _does(self, fact: Fact) -> bool:
        """Whether ``fact`` was taken at once."""
        if isinstance(fact, f.Press) and self._began is not None:
            self.thought_s += self.world.time - self._began
            self._began = None
        before = len(self.table.log)
        if (fact, before) == self._wanted:
            return False
        self._wanted = fact, before
        self.table.submit(fact)
        return len(self.table.log) > before

    @property
    def facts(self) -> list[Fact]:
        return [fact for fact in read_journal(self.path).facts if not isinstance(fact, f.Setup)]


def moves_of(count: int, seed: int) -> list[str]:
    """A legal game of so many plies that does not end by itself."""
    chance = random.Random(seed)
    while True:
        board = chess.Board()
        for _ in range(count):
            board.push(chance.choice(list(board.legal_moves)))
            if board.is_game_over() or board.is_repetition(3) or board.halfmove_clock > 90:
                break
        else:
            return [move.uci() for move in board.move_stack]


def run(world: World, people: list[Somebody], until: Callable[[], bool], most_s: float) -> None:
    """Let time pass until ``until``, at most so many seconds."""
    end = world.time + most_s
    step = 0
    while not until():
        assert world.time < end, [one.told for one in people]
        step += 1
        world.pass_to(world.time + 0.1)
        for one in (one for one in people if one.is_up):
            if step % 10 == 0:
                one.second()
            one.act()


def equal(people: list[Somebody]) -> bool:
    first, second = (one.facts for one in people)
    return first == second
