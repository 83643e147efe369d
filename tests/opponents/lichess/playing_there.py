"""A table at which one person plays a game on a server on this machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.opponents.lichess.player import LichessPlayer
from blindplay.record import Journal
from blindplay.table import Table
from tests.opponents.lichess.board_server import AT_ONCE, GAME, BoardServer
from tests.waiting import until


class AtLichess:
    """A blind player at a table without sensors. Without ``new`` the game goes on."""

    def __init__(
        self, path: Path, server: BoardServer, *, new: bool = True, fen: str | None = None
    ) -> None:
        self.server, self.me = server, server.me
        self.told: list[str] = []
        self.values: dict[str, object] = {}
        self.journal = Journal(path, resume=not new)
        clock = "-" if server.clock is None else "{}+{}".format(*server.clock)
        people: dict[str, Any] = {self.me: Player(name="Kenneth", impaired=True)}
        setup = Setup(
            t=0,
            arbiter="server",
            boards=2,
            time_control=clock,
            site=f"{server.url}/{GAME}",
            fen=fen or server.start.fen(),
            variant="chess960" if server.start.chess960 else "chess",
            **people,
        )
        self.player = LichessPlayer(server.account, AT_ONCE)
        self.table = Table(self.journal, setup if new else None, opponent=self.player)

    def __enter__(self) -> Self:
        self.table.go_on()
        self.player.sit(self.table, self._tell)
        return self

    def _tell(self, key: str, **values: object) -> None:
        self.told.append(key)
        self.values |= values

    def __exit__(self, *error: object) -> None:
        self.player.close()
        self.journal.close()

    @property
    def moves(self) -> list[str]:
        return [ply.move.uci() for ply in self.table.game.history]

    def play(self, uci: str) -> None:
        """The person plays a move, and presses the clock."""
        with self.table.lock:
            self.table.submit(f.Announce(by=self.me, move=uci))
            self.table.submit(f.Make(by=self.me, move=uci))
            self.table.submit(f.Press(by=self.me))

    def open_with(self, own: str, reply: str) -> None:
        """Play the first move and its reply, as soon as the game has begun."""
        self.wait(lambda: self.table.game.started)
        self.play(own)
        self.wait(lambda: self.server.accepted)
        self.server.move(reply)
        self.wait(lambda: len(self.moves) == 2)

    def do(self, fact: f.Fact) -> None:
        self.table.submit(fact)

    def wait(self, what: Callable[[], object]) -> None:
        assert until(what), (self.told, self.moves, self.server.state(), self.server.asked[-9:])

    def wait_for(self, key: str) -> None:
        """Wait until this sentence is told."""
        self.wait(lambda: key in self.told)
