"""The options of ``blindplay play``: their names, help and values."""

from __future__ import annotations

import click

from blindplay.commands.play import play
from blindplay.commands.play_options import OPTIONS
from blindplay.table.choices import Printed
from tests.command_line import run


def options() -> list[click.Option]:
    return [option for group in OPTIONS.values() for option in group]


def test_every_option_has_a_name_a_help_and_a_default_as_data() -> None:
    assert play.params == options()
    for option in options():
        assert option.name == option.opts[0].removeprefix("--").replace("-", "_")
        assert option.help and option.help.endswith(".")
        default = option.to_info_dict()["default"]
        assert default is None or isinstance(default, str | bool), option.name


def test_values_from_a_file_of_settings_are_taken_like_typed_ones() -> None:
    context = play.make_context("play", [], default_map={"print": "all", "round": "3"})
    assert context.params["print"] is Printed.ALL
    assert context.params["round"] == "3"


@pytest.mark.usefixtures("reads_english")
def test_help_lists_every_option_under_its_heading() -> None:
    text = run("play", "--help").stdout
    for heading, group in OPTIONS.items():
        section = text.partition(f"\n{heading}:\n")[2].partition("\n\n")[0]
        assert [option.opts[0] for option in group if f"  {option.opts[0]} " in section] == [
            option.opts[0] for option in group
        ]
