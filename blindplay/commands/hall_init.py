"""``blindplay hall init``: the files of a new event, from options or from answers."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from . import options
from .reader import user_language


def _number(most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) < 6 and 0 < int(text) <= most:
            return int(text)
        raise ValueError(f"Write a number from 1 to {most}.")

    return read


def _title(text: str) -> str:
    if not text:
        raise ValueError("Write at least one letter.")
    return text


def _languages(text: str) -> tuple[str, ...]:
    codes = tuple(code.strip() for code in text.split(",") if code.strip())
    for code in codes:
        options.load_language(code)
    if not codes:
        raise ValueError("Write at least one language, such as de, or several: de, en.")
    return codes


def _host(text: str) -> str:
    if not text or not all(one.isascii() and (one.isalnum() or one in "-.:") for one in text):
        raise ValueError("Write a name or an address, such as 192.168.1.20.")
    return text


def _own_address() -> str:
    from blindplay.console.server import reached_at

    return reached_at()


_QUESTIONS: dict[str, tuple[str, Callable[[str], Any], Callable[[], str]]] = {
    "title": ("What is the event called?", _title, lambda: ""),
    "rounds": ("How many rounds has it?", _number(99), lambda: "9"),
    "edition": ("Under which edition of the Laws is it played?", options.EDITION.parse,
                lambda: "fide-2023"),
    "time_control": ("How much time has each player?", options.TIME_CONTROL.parse,
                     lambda: "90m+30s"),
    "tables": ("How many tables are there? Count one or two more than you need.", _number(1000),
               lambda: "10"),
    "languages": ("In which languages do the tables speak? The first one is the usual one.",
                  _languages, user_language),
    "host": ("Under which name or address do the tables reach the machine of the broker?", _host,
             _own_address),
}  # fmt: skip
"""For each option: the question, what reads the answer, and the usual answer."""


@click.command()
@click.option("--title", help="Call the event by this name.")
@click.option("--rounds", help="Play so many rounds.")
@click.option("--edition", help="Use this edition of the Laws.")
@click.option("--time-control", help="Give each player this time, such as 90m+30s.")
@click.option("--tables", help="Write files for so many tables, called 1, 2, and so on.")
@click.option("--languages", help="Speak these languages at the tables, such as de,en.")
@click.option(
    "--host", help="Use this name or address, by which the tables reach the machine of the broker."
)
@click.option("--folder", type=options.FOLDER, help="Write the files into this new folder.",
              show_default="the event's name")  # fmt: skip
def init(folder: Path | None, **given: str | None) -> None:
    """Set up an event: its file, one for each table, and the configuration of its broker.

    It asks for each setting that no option gives, one question after the other. Enter takes the
    usual answer.
    """
    from blindplay.hall.new_event import HALL_FILE, EventPlan, check_new, short_name, write_event

    values = {"title": _value("title", given["title"])}
    folder = folder or Path(short_name(values["title"]))
    check_new(folder)  # before all the other questions
    values |= {name: _value(name, given[name]) for name in _QUESTIONS if name != "title"}
    write_event(EventPlan(**values), folder)
    called, own = options.called(), folder / HALL_FILE
    options.show_all(
        [
            f"The files of the event are in the folder {folder}.",
            "First start the broker, and leave it running:",
            f"    {called} hall broker {own}",
            "In another window start the hall:",
            f"    {called} hall serve {own} --host 0.0.0.0",
            "Its page gives each table a ticket. Or copy each table's file to the machine of the "
            "table, and start the table with it:",
            f"    {called} play --hall table-1.toml",
            "Keep these files to yourself. They hold passwords.",
        ]
    )


def _value(name: str, given: str | None) -> Any:
    """The value of an option, or of the answer to its question."""
    question, read, usual = _QUESTIONS[name]
    if given is not None:
        try:
            return read(given.strip())
        except ValueError as error:
            raise ValueError(f"--{name.replace('_', '-')}: {error}") from None
    options.show(question)
    if usual():
        options.show(f"Enter alone means {usual()}.")
    while True:
        line = sys.stdin.readline()
        if not line:
            raise ValueError(f"There is no answer; give --{name.replace('_', '-')}.")
        try:
            return read(line.strip() or usual())
        except ValueError as error:
            options.show(str(error))
