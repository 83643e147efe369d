"""A table in use: its session, what it prints, and boards in software."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import chess

from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.language import load
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.opponents.player import AbsentPlayer
from blindplay.record import Journal
from blindplay.speech.speaker import Speaker
from blindplay.table import Table
from blindplay.table.choices import Printed
from blindplay.table.desk import Transcript
from blindplay.table.session import Session
from tests.waiting import until


class Sitting:
    """A table at which a blind White sits. Nobody speaks unless there is a ``speaker``.

    ``options`` are more arguments of the session, ``setup`` fields of the setup. An ``opponent``
    who is not in the room plays once :meth:`seat_opponent` is called. ``resumed``: the game in the
    folder goes on.
    """

    def __init__(
        self,
        folder: Path,
        speaker: Speaker | None = None,
        *,
        now: Callable[[], float] = time.monotonic,
        printed: Printed = Printed.ALL,
        language: str = "de",
        options: Mapping[str, Any] | None = None,
        opponent: AbsentPlayer | None = None,
        training: bool = False,
        resumed: bool = False,
        **setup: Any,
    ) -> None:
        self.out = io.StringIO()
        self.journal = Journal(folder / "game.jsonl")
        fields = {"arbiter": "automatic", "white": Player(impaired=True), **setup}
        self.opponent = opponent
        begins = None if resumed else Setup(t=0, **fields)
        self.table = Table(self.journal, begins, now=now, training=training, opponent=opponent)
        transcript = Transcript(self.out, self.table.time, printed)
        self.session = Session(self.table, load(language), speaker, transcript, **(options or {}))
        self.boards: dict[str, EmulatedBoard] = {}
        self._read = 0

    def start(self) -> None:
        """Start the game, and let the table say so to its end. Nobody asks what it said then."""
        self.table.submit(f.Start())
        self.session.wait_until_said()
        self.said()

    def seat_opponent(self) -> None:
        """Let the opponent who is not in the room play."""
        assert self.opponent is not None
        self.opponent.sit(self.table, self.session.desk.tell_all)

    def attach_boards(self, **placements: str) -> None:
        """Attach a pegged board to each seat that is named."""
        for seat, placement in placements.items():
            self.boards[seat] = EmulatedBoard(placement)
            self.session.attach_board(seat, self.boards[seat].url)

    def play(self, *uci: str) -> None:
        play_moves(self.table, *uci)

    # --- what it prints ----------------------------------------------------------------------

    @property
    def printed(self) -> str:
        return self.out.getvalue()

    def wait(self, what: Callable[[], object]) -> None:
        assert until(what), self.printed

    def shows(self, text: str, times: int = 1) -> None:
        """Wait until ``text`` is printed so often."""
        self.wait(lambda: self.printed.count(text) >= times)

    def said(self) -> list[str]:
        """What was said since the last call."""
        printed = self.printed
        self._read, news = len(printed), printed[self._read :]
        return [line.split(": ", 1)[1] for line in news.splitlines() if " said " in line]

    def ruled(self, kind: str) -> int:
        """How many rulings of this kind there were."""
        return sum(ruling.kind == kind for ruling in self.session.rulings)

    def close(self) -> None:
        if self.opponent is not None:
            self.opponent.close()
        self.session.close()
        for board in self.boards.values():
            board.close()
        self.journal.close()


Sit: TypeAlias = Callable[..., Sitting]
"""Lets players sit down; the arguments are those of :class:`Sitting` after its folder."""
START = chess.STARTING_BOARD_FEN


class ManualClock:
    """A monotonic clock, in seconds, that only the test moves."""

    def __init__(self, at: float = 100.0) -> None:
        self.at = at

    def __call__(self) -> float:
        return self.at


def waits(why: str, player: str) -> str:
    """The step of somebody who waits for ``player``, in German."""
    sentence = load("de").sentence
    return sentence("due_wait", what=sentence(f"wait_{why}", player=player))


def play_moves(table: Table, *moves: str) -> None:
    """Announce each move, execute it on every board, and press the clock."""
    for move in moves:
        side = table.game.side
        table.submit(f.Announce(by=side, move=move))
        for board in table.game.tables:
            table.submit(f.Make(by=board, move=move))
        table.submit(f.Press(by=side))
