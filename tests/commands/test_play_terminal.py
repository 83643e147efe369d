"""``blindplay play`` as a newcomer meets it: in a terminal, from the first line to the next day."""

from __future__ import annotations

import sys
from pathlib import Path

import chess
import pytest

from blindplay.language import Command, Language, load
from tests.sampling import first
from tests.terminal import Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
# Moves are announced with the German names in every language (D.2.1).
MOVE = load("de").announce(chess.Board(), chess.Move.from_uci("e2e4"))


def begin_and_interrupt(home: Path, journal: Path, pack: Language) -> None:
    """The settings are read back, the table waits, presses are answered, Ctrl-C saves."""
    say, white, black = pack.sentence, pack.sentence("white"), pack.sentence("black")
    common = ("play", "--silent", "--microphone", "none", "--journal", str(journal))
    agreed = ("--language", pack.code, "--white", "Anna", "--time-control", "900+10")
    with Terminal(*common, *agreed, home=home) as table:
        time = say("time_all", time=pack.duration(900_000))
        more = say("time_increment", time=pack.duration(10_000))
        table.shows(
            say("settings_player", player=white, name="Anna"),
            say("settings_impaired", player=white),
            say("settings_time", time=f"{time}, {more}"),
            say("settings_mode_rapid"),
            say("settings_edition", year=pack.number(2023)),
            say("settings_boards_none"),
            say("begin_key"),
        )
        table.type("e4")
        table.shows(say("due_begin"))
        assert say("clock_started", player=white) not in table.printed
        table.type("")
        table.shows(say("game_begins"), say("clock_started", player=white))
        table.type("e4")
        table.shows(MOVE)
        table.type("")
        table.shows(say("pressed", player=black))
        table.type("stop")
        table.shows(say("clock_stopped"))
        table.type("clock white 1:00:00")
        table.shows(say("say_yes_or_no"))
        table.type(pack.command(Command.YES))
        table.shows(say("clocks_set"), pack.duration(3_600_000))
        table.type("start")
        table.shows(say("clock_started", player=black))
        table.interrupt()
        table.shows(say("saved"), say("saved_resume"), f" play --resume --journal {journal}")
        assert table.status() == 0


@pytest.mark.parametrize("code", first(1, ["en", "de"]))
def test_a_game_waits_for_people_is_interrupted_and_goes_on(tmp_path: Path, code: str) -> None:
    pack, journal = load(code), tmp_path / "game.jsonl"
    begin_and_interrupt(tmp_path, journal, pack)
    say, white, black = pack.sentence, pack.sentence("white"), pack.sentence("black")
    resume = ("play", "--resume", "--journal", str(journal))
    with Terminal(*resume, home=tmp_path) as table:  # neither language nor --silent again
        table.shows(
            say("going_on"),
            say("settings_player", player=white, name="Anna"),
            say("last_move", player=white, move=MOVE),
            say("to_move", player=black),
            pack.duration(3_600_000),
            say("clock_stopped"),
            say("going_on_key"),
        )
        assert say("clock_started", player=black) not in table.printed
        with Terminal(*resume, home=tmp_path) as other:
            assert other.status() == 2
            assert str(journal) in other.printed
        table.type("")
        table.shows(say("clock_started", player=black))
        table.end_input()
        table.shows(say("keyboard_ended_all"), say("saved"))
        assert table.status() == 0
