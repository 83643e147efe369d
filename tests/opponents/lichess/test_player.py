"""The opponent at Lichess: nothing is lost or doubled, whatever the line does."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chess
import pytest

from blindplay.laws import facts as f
from blindplay.record import read_journal
from tests.opponents.lichess.board_server import BoardServer, Faults
from tests.opponents.lichess.playing_there import AtLichess

Serve = Callable[..., BoardServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    opened: list[BoardServer] = []

    def serve(**given: Any) -> BoardServer:
        opened.append(BoardServer(**given))
        return opened[-1]

    yield serve
    for server in opened:
        server.close()


def test_both_players_moves_clocks_and_names_come_through(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    with AtLichess(tmp_path / "game.jsonl", server) as at:
        at.wait_for("lichess_plays_casual")
        assert at.values == {"name": "Salma", "number": 714}
        at.play("e2e4")
        at.wait(lambda: server.accepted == ["e2e4"])
        server.left = {"white": 890_000, "black": 880_000}
        server.move("e7e5")
        at.wait(lambda: at.moves == ["e2e4", "e7e5"])
        at.wait(lambda: at.table.game.clock.left["black"] == 880_000)
        assert 880_000 < at.table.game.clock.left["white"] <= 890_000
        assert at.table.game.clock.running == "white"
