"""The whole broadcast with a real broker: tables, pages, files and pushes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blindplay.console.public import Audience
from blindplay.hall.broadcast_settings import BroadcastSettings, LichessRounds
from blindplay.hall.broadcasting import Broadcast, PublicHost
from blindplay.laws import facts as f
from tests import web
from tests.waiting import until

from .conftest import Event
from .lichess_server import ROUND, TOKEN, LichessServer
from .playing import play


def test_a_move_at_a_table_reaches_everybody(event: Event, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text(TOKEN, "ascii")
    token.chmod(0o600)
    server, table, hall = LichessServer(), event.table(), event.hall()
    event.publish(table)
    rounds = LichessRounds(token, {3: ROUND}, server.url)
    settings = BroadcastSettings(Audience(0, True), tmp_path / "out", rounds)
    broadcast = Broadcast(hall.follower, settings, "Cup")
    host = PublicHost(broadcast.pages, "127.0.0.1", 0)
    try:
        play(table, "e2e4", "e7e5")
        assert until(lambda: "1… e5" in web.get(host.url).text)
        game = tmp_path / "out/round-3/game-1.json"
        assert until(lambda: game.exists() and len(json.loads(game.read_text())["moves"]) == 2)
        assert until(lambda: bool(server.pushed) and "1... e5" in server.pushed[-1])
        at_lichess = "Round 3 is at Lichess"
        assert until(lambda: any(at_lichess in one for one in broadcast.notices()))
        table.submit(f.Resign(by="white"))
        assert until(lambda: "Black wins" in web.get(host.url).text)
    finally:
        host.close()
        broadcast.close()
        server.close()
    assert json.loads((tmp_path / "hall/shown.json").read_text())["numbers"] == {"1": 1}


def test_a_token_that_cannot_be_used_ends_it_at_once(event: Event, tmp_path: Path) -> None:
    settings = BroadcastSettings(lichess=LichessRounds(tmp_path / "none", {1: ROUND}))
    with pytest.raises(ValueError, match="no file"):
        Broadcast(event.hall().follower, settings, "Cup")


def test_files_that_cannot_be_written_are_told(event: Event, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("in the way", "utf-8")
    table, hall = event.table(), event.hall()
    event.publish(table)
    broadcast = Broadcast(
        hall.follower, BroadcastSettings(Audience(0, True), tmp_path / "out"), "Cup"
    )
    try:
        assert until(lambda: any("cannot be written" in one for one in broadcast.notices()))
    finally:
        broadcast.close()
