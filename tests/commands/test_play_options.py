"""The options of ``blindplay play``: their names, help and values."""

from __future__ import annotations

import re

import pytest

from blindplay.commands.play import play
from blindplay.commands.play_options import OPTIONS, Address, PlayOptions, opponent_of
from blindplay.table.choices import Printed
from tests.command_line import run


def test_every_option_has_a_name_and_a_help() -> None:
    for option in OPTIONS.values():
        assert option.name == option.opts[0].removeprefix("--").replace("-", "_")
        assert option.help and option.help.endswith(".")


def test_without_a_command_line_all_values_are_those_of_the_dataclass() -> None:
    assert PlayOptions.of(play.make_context("play", [])) == PlayOptions()


def test_typed_values_and_those_of_a_file_of_settings_are_told_apart() -> None:
    context = play.make_context("play", ["--white", "Anna"], default_map={"print": "all"})
    given = PlayOptions.of(context)
    assert (given.print, given.white, given.black) == (Printed.ALL, "Anna", "")
    assert given.typed == {"white"} and given.chosen == {"white", "print"}


def test_help_shows_ten_options_and_where_the_others_are() -> None:
    shown = re.findall(r"^  (--[a-z-]+)", run("play", "--help").stdout, re.MULTILINE)
    *first, every, usual = shown
    assert first == [option.opts[0] for option in OPTIONS.values() if option.first]
    assert (len(first), every, usual) == (10, "--help-all", "--help")


def test_help_all_lists_every_option_under_its_heading() -> None:
    text = run("play", "--help-all").stdout
    for heading in {option.heading for option in OPTIONS.values()}:
        section = text.partition(f"\n{heading}:\n")[2].partition("\n\n")[0]
        group = [option.opts[0] for option in OPTIONS.values() if option.heading == heading]
        assert group and [name for name in group if f"  {name} " in section] == group


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("wait", Address(waits=True)),
        ("wait:4000", Address(waits=True, port=4000)),
        ("wait@hall.example:7000", Address(waits=True, host="hall.example", port=7000)),
        ("482915@192.168.1.20", Address(waits=False, host="192.168.1.20", ticket="482915")),
        ("482915@[fe80::1]:7000", Address(False, "fe80::1", 7000, "482915")),
        ("27482915@hall.example", Address(False, "hall.example", None, "27482915")),
        ("friend.example.org", Address(waits=False, host="friend.example.org")),
    ],
)
def test_an_opponent_far_away_has_an_address(text: str, found: Address) -> None:
    assert opponent_of(text) == found and str(found) == text
    assert found.at_broker == ("hall" in text)


@pytest.mark.parametrize(
    "text",
    ["", "482915@", "someone", "wait@", "4829@host.example", "a:b", "host:70000", "host/path", "@"],
)
def test_what_is_no_opponent_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not an opponent; write engine, lichess, wait, wait@"):
        opponent_of(text)
