"""What an event's file sets at its tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.laws.facts import Setup
from blindplay.record import read_journal
from tests.command_line import run


def setup_of(home: Path, settings: str, *typed: str, own: str = "") -> Setup:
    """The set-up of a table that plays with this event's file; ``own`` is the settings file."""
    file = home / "table.toml"
    place = "[broker]\nhost = '127.0.0.1'\nport = 9\n"
    file.write_text(f'event = "a"\ntable = 1\n[play]\n{settings}\n{place}', "utf-8")
    (home / "blindplay").mkdir(exist_ok=True)
    (home / "blindplay" / "settings.toml").write_text(own, "utf-8")
    game = home / "game.jsonl"
    done = run("play", "--microphone", "none", "--silent", "--hall", str(file), "--journal",
               str(game), *typed, stdin="quit\n", home=home)  # fmt: skip
    assert done.status == 0, done.stderr
    setup = read_journal(game).facts[0]
    assert isinstance(setup, Setup)
    return setup


EVENT = 'event = "Open"\nedition = "fide-2014"\ntime-control = "900+10"\nlanguage = "nb"'


def test_a_table_plays_as_the_event_says(tmp_path: Path) -> None:
    setup = setup_of(tmp_path, EVENT)
    assert (setup.event, setup.edition, setup.time_control) == ("Open", "fide-2014", "900+10")
    assert setup.player("white").language == "nb"


def test_what_is_typed_holds(tmp_path: Path) -> None:
    setup = setup_of(tmp_path, EVENT, "--time-control", "5m+3s", "--language", "da")
    assert (setup.time_control, setup.player("white").language) == ("300+3", "da")


def test_the_users_settings_choose_the_language_and_not_the_time(tmp_path: Path) -> None:
    setup = setup_of(tmp_path, EVENT, own='language = "sv"\ntime-control = "3h"\n')
    assert (setup.time_control, setup.player("white").language) == ("900+10", "sv")


@pytest.mark.parametrize(
    ("settings", "message"), [("colour = 'red'", "colour"), ("edition = '1997'", "edition")]
)
def test_a_wrong_setting_is_named(tmp_path: Path, settings: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        setup_of(tmp_path, settings)
