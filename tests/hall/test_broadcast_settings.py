"""The part of the event file about the broadcast."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.console import PUBLIC_DELAY_S
from blindplay.hall.broadcast_settings import LICHESS, BroadcastSettings, read_broadcast

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
    assert lichess is not None and lichess.token == tmp_path / "t" and lichess.server == LICHESS
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
        ("[broadcast]\nfolder = 1", "words in quotes"),
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
