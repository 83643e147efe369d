"""The broadcast of a hall, and its settings in the event file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blindplay.console import PUBLIC_DELAY_S
from blindplay.console.public import Audience
from blindplay.hall.broadcast.broadcasting import (
    Broadcast,
    BroadcastSettings,
    PublicHost,
    read_broadcast,
)
from blindplay.hall.broadcast.lichess_push import LichessRounds
from blindplay.laws import facts as f
from blindplay.opponents.lichess.api import SERVER
from tests import web
from tests.hall.running import Event, play
from tests.waiting import until

from .lichess_server import ROUND, TOKEN, LichessServer

HEAD = 'event = "open"\n'


def read(folder: Path, text: str) -> BroadcastSettings:
    path = folder / "hall.toml"
    path.write_text(HEAD + text, "utf-8")
    return read_broadcast(path)


def test_without_the_part_there_are_pages_without_names(tmp_path: Path) -> None:
    settings = read(tmp_path, "")
    assert settings.audience.delay == PUBLIC_DELAY_S and not settings.audience.names
    assert settings.folder is None and settings.lichess is None


def test_everything_can_be_said(tmp_path: Path) -> None:
    settings = read(
        tmp_path,
        '[broadcast]\ndelay = "90s"\nnames = true\nfolder = "out"\n'
        '[broadcast.lichess]\ntoken = "t"\nrounds = { 1 = "abcd1234", 2 = "ABCD1234" }\n',
    )
    assert settings.audience.delay == 90 and settings.audience.names
    assert settings.folder == tmp_path / "out"
    lichess = settings.lichess
    assert lichess is not None and lichess.token == tmp_path / "t" and lichess.server == SERVER
    assert lichess.rounds == {1: "abcd1234", 2: "ABCD1234"}


@pytest.mark.parametrize("delay", ['"0"', "0"])
def test_a_delay_of_nothing_is_possible(tmp_path: Path, delay: str) -> None:
    assert read(tmp_path, f"[broadcast]\ndelay = {delay}\n").audience.delay == 0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("broadcast = 1", "part of its own"),
        ("[broadcast]\ndellay = 1", "knows no 'dellay'"),
        ('[broadcast]\ndelay = "soon"', "15m"),
        ("[broadcast]\ndelay = 1.5", "time in quotes"),
        ("[broadcast]\nnames = 1", "true or false"),
        ("[broadcast]\nfolder = true", "words in quotes"),
        ("[broadcast.lichess]\nrounds = { 1 = 'abcd1234' }", "names no token"),
        ("[broadcast.lichess]\ntoken = 't'", "each round"),
        ("[broadcast.lichess]\ntoken = 't'\nrounds = { 1 = '../../x' }", "not a round"),
        ("[broadcast.lichess]\ntoken = 't'\nrounds = { x = 'abcd1234' }", "not a round"),
        (
            "[broadcast.lichess]\ntoken = 't'\nserver = 'http://lichess.org'\n"
            "rounds = { 1 = 'abcd1234' }",
            "begins with https",
        ),
    ],
)
def test_a_mistake_is_named_with_its_file(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why) as caught:
        read(tmp_path, text)
    assert str(tmp_path / "hall.toml") in str(caught.value)


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
