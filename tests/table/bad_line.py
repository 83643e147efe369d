"""Two boards behind bad lines at one table, and hands that wait for nothing. Time is simulated."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Literal

import chess

from blindplay.boards import events
from blindplay.boards.driver import SensorBoard
from blindplay.boards.peg.driver import PegBoardState
from blindplay.language import load
from blindplay.laws import Ruling, Taken
from blindplay.laws import facts as f
from blindplay.record import Journal
from blindplay.table.desk import Transcript
from blindplay.table.session import Session
from blindplay.table.table import Table
from hardware.lockstep import LockstepBoard

Side = Literal["white", "black"]
STEP_MS = 5.0


@dataclass(frozen=True)
class Faults:
    """What a line does to the frames and bits that pass: shares of one, and a delay in ms."""

    drops: float = 0.0
    doubles: float = 0.0
    flips_ppm: float = 0.0
    delay_ms: float = 0.0
    cuts: float = 0.0
    """How likely the cable is pulled for a moment, per ply."""


class BadLine(SensorBoard):
    """A pegged board in lock-step whose line is bad in both directions."""

    def __init__(self, faults: Faults, seed: int) -> None:
        self.hands = LockstepBoard(seed=seed)
        self._faults = faults
        self._random = random.Random(seed)
        self._frames = bytearray()
        self._on_the_way: list[tuple[float, bytes]] = []
        self._state = PegBoardState("lock-step")
        self._plugged = True

    def start(self) -> None:
        """Its time passes in :meth:`run`."""

    def placement(self) -> str | None:
        return self._state.placement()

    def close(self) -> None:
        self.hands.close()

    def now(self) -> float:
        return self.hands.time / 1000

    def read(self, number: int) -> None:
        self._state.read(number, self.hands.time / 1000)

    def run(self, ms: float) -> None:
        """Let time pass: bytes go both ways, and events are told."""
        faults = self._faults
        for at, data in self.hands.run(ms):
            for frame in self._whole_frames(data):
                times = self._random.choices(
                    (0, 1, 2), (faults.drops, 1 - faults.drops - faults.doubles, faults.doubles)
                )[0]
                late = at + self._random.uniform(0, faults.delay_ms)
                if self._on_the_way:
                    late = max(late, self._on_the_way[-1][0])  # a line keeps the order
                self._on_the_way += [(late, self._flipped(frame))] * times
        now = self.hands.time
        due = b"".join(data for at, data in self._on_the_way if at <= now)
        self._on_the_way = [one for one in self._on_the_way if one[0] > now]
        if self._plugged:
            for event in self._state.receive(due, now / 1000):
                self.tell(event)
            if request := self._state.requests(now / 1000):
                self.hands.hear(self._flipped(request))

    def pull(self) -> None:
        """Pull the cable: the board loses its power."""
        self.hands.unplug()
        self._plugged = False
        self.tell(events.Disconnected("The cable is pulled."))
        self._frames.clear()
        self._on_the_way.clear()

    def plug(self) -> None:
        self.hands.plug()
        self._plugged = True
        self._state = PegBoardState("lock-step", self._state)

    def _whole_frames(self, data: bytes) -> Iterator[bytes]:
        for byte in data:
            self._frames.append(byte)
            if byte == 0:
                yield bytes(self._frames)
                self._frames.clear()

    def _flipped(self, data: bytes) -> bytes:
        share = self._faults.flips_ppm / 1e6
        if not share:
            return data
        return bytes(
            byte ^ sum(1 << bit for bit in range(8) if self._random.random() < share)
            for byte in data
        )


class BadHall:
    """A table whose players announce, move and press without waiting for anything."""

    def __init__(self, folder: Path, faults: Faults, seed: int) -> None:
        self._random = random.Random(seed)
        self._faults = faults
        self.lines: dict[Side, BadLine] = {
            "white": BadLine(faults, seed),
            "black": BadLine(faults, seed + 1),
        }
        setup = f.Setup(time_control="36000", white=f.Player(impaired=True), arbiter="automatic")
        self.journal = Journal(folder / f"line-{seed}.jsonl")
        self.table = Table(self.journal, setup, now=lambda: self.now / 1000)
        self.out = StringIO()
        transcript = Transcript(self.out, self.table.time)
        self.rulings: list[tuple[int, Ruling]] = []
        self.table.listen(self._taken)
        self.session = Session(self.table, load("de"), None, transcript, tick_seconds=3600)
        for side, line in self.lines.items():
            self.session.attach(line, side)
        self.run(500)
        self.table.submit(f.Start())

    @property
    def now(self) -> float:
        return self.lines["white"].hands.time

    def close(self) -> None:
        self.session.close()
        self.journal.close()

    def _taken(self, taken: Taken) -> None:
        self.rulings += [(taken.fact.t, ruling) for ruling in taken.rulings]

    def run(self, ms: float) -> None:
        end = self.now + ms
        while self.now < end:
            for line in self.lines.values():
                line.run(STEP_MS)

    def said(self) -> str:
        """All that was printed."""
        return self.out.getvalue()

    def play(self, board: chess.Board, plies: int) -> int:
        """Play random moves that end no game; give their number."""
        for number in range(plies):
            moves = [move for move in board.legal_moves if not _ends(board, move)]
            if not moves:
                return number
            move = self._random.choice(moves)
            side: Side = "white" if board.turn else "black"
            other: Side = "black" if board.turn else "white"
            pulled = self._random.choice(list(self.lines.values()))
            cut = self._random.random() < self._faults.cuts
            if cut:
                pulled.pull()
            self.announce(side, board, move)
            self.run(self._random.uniform(50, 500))
            self.execute(board, move, side)
            if cut:
                pulled.plug()
                self.run(50)  # no board can notice a press while it boots
            self.press(side)
            self.run(self._random.uniform(50, 500))
            self.execute(board, move, other)
            board.push(move)
        return plies

    def announce(self, side: Side, board: chess.Board, move: chess.Move) -> None:
        self.session.typed(side, self.session.pack.announce(board, move))

    def press(self, side: Side) -> None:
        self.lines["white"].hands.press(side)

    def execute(self, board: chess.Board, move: chess.Move, side: Side) -> None:
        after = board.copy(stack=False)
        after.push(move)
        old, new = board.piece_map(), after.piece_map()
        changed = [at for at in old.keys() | new.keys() if old.get(at) != new.get(at)]
        first = board.king(board.turn) if board.is_castling(move) else move.to_square
        hands = self.lines[side].hands
        for square in sorted(changed, key=lambda at: at != first):
            if square in old:
                hands.set(chess.square_name(square), ".")
                self.run(self._random.uniform(170, 400))
        for square in changed:
            if square in new:
                hands.set(chess.square_name(square), new[square].symbol())
                self.run(self._random.uniform(45, 300))


def _ends(board: chess.Board, move: chess.Move) -> bool:
    after = board.copy()
    after.push(move)
    return after.is_game_over() or after.is_repetition(3) or after.halfmove_clock >= 140
