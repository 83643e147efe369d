"""``blindplay host``: several tables on one computer, at one address."""

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from blindplay.ctrl_c import CtrlC
from blindplay.translation import UserError, _

from . import options
from .hall import ServedAt, show_advice
from .play import play
from .play_options import PlayOptions, check

if TYPE_CHECKING:
    from blindplay.hall.event_file import EventFile
    from blindplay.hall.hosting import TableLine

_MOST = 50
_LOOK_S = 0.2
_TABLE_FILE = "table-{}.toml"
_OWN = {
    "journal", "resume", "console", "host", "console_port", "certificate", "key", "encrypt",
    "remember_browsers", "qr", "hall", "await_pairing", "or_demo", "board", "sighted_board",
    "microphone", "private_output", "public_output", "braille", "silent", "shared_microphone",
    "voice", "public",
}  # fmt: skip
"""The options of a table that its host decides, or that belong to one computer's own devices."""
_PRELOAD = "blindplay.cli", "blindplay.commands.play"


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--tables", type=click.IntRange(1, _MOST), default=10,
              help=_("Run so many tables."))  # fmt: skip
@click.option("--hall", "event", type=options.FOLDER, help=_("Take part in a hall with "
              "the files in this folder, table-1.toml and so on; each table waits for its "
              "pairings."))  # fmt: skip
@options.taking("at", ServedAt, encrypt=True)
@click.option("--remember-browsers", help=_("Let a browser that was closed come in again without a "
              "new code for this time since it was last open, such as 12h."),
              type=options.LENGTH)  # fmt: skip
@click.argument("play_options", nargs=-1, type=click.UNPROCESSED, help=_("Use these options of "
                "blindplay play at every table. Write -- before them."))  # fmt: skip
def host(
    tables: int,
    event: Path | None,
    at: ServedAt,
    remember_browsers: int | None,
    play_options: tuple[str, ...],
) -> int:
    """Run several tables on this computer for players with phones, at one address.

    Each table is a process of its own. A page gives each seat its code. Options of blindplay play
    that hold for every table follow after --, such as -- --time-control 15m+10s. Ctrl-C ends all
    tables; the same command goes on with their games.
    """
    from blindplay.hall.host_pages import TablesHost
    from blindplay.hall.hosting import HostedTables

    given = _of_each_table(play_options)
    files = [] if event is None else _files(event, tables)
    joined = _joined(files[0]) if files else None
    with CtrlC() as ctrl_c:
        certificate = at.encryption(None if joined is None else joined.issuer())
        pages = TablesHost(at.host, at.console_port, certificate=certificate,
                           remember_s=remember_browsers or 0)  # fmt: skip
        remembered = [] if remember_browsers is None else [f"{remember_browsers}s"]
        arguments = partial(_arguments, files, play_options, remembered)
        run = partial(run_table, pages.encrypted, pages.cookie)
        spoken = _languages(given)
        running = HostedTables(
            tables, run, arguments, options.show, _PRELOAD, _models(given, spoken), spoken
        )
        try:
            link = pages.serve(running)
            options.show(_("People come in at {url} with the codes of their seats.", url=pages.url))
            options.show(_("The page with all tables and codes: {link}", link=link))
            show_advice(pages.advice)
            while not ctrl_c.pressed:
                time.sleep(_LOOK_S)
            options.show(_("All tables are being ended."))
        finally:
            running.close()
            pages.close()
    options.show(_("All games are saved. The same command goes on with them."))
    return 0


def run_table(
    encrypted: bool, cookie: str, line: "TableLine", root: str, arguments: Sequence[str]
) -> int:
    """Run ``blindplay`` as a table behind its host."""
    from blindplay.cli import main
    from blindplay.console.server import Front

    return main(arguments, Front(root, encrypted, cookie, line.served, line.gone))


def _of_each_table(arguments: Sequence[str]) -> PlayOptions:
    """The options that hold for every table.

    :raises ValueError: if one is wrong, or none for all tables.
    """
    context = play.make_context("play", list(arguments), parent=click.get_current_context())
    given = PlayOptions.of(context)
    distant = set() if given.against in (None, "engine") else {"against"}
    if own := sorted(given.typed & _OWN | distant):
        raise UserError(
            "{option} is not for all tables of a host; leave it out.",
            option=f"--{own[0].replace('_', '-')}",
        )
    check(given)
    return given


def _files(folder: Path, tables: int) -> list[Path]:
    """The files of the tables of an event.

    :raises ValueError: if one is missing.
    """
    files = [(folder / _TABLE_FILE.format(number)).absolute() for number in range(1, tables + 1)]
    for file in files:
        if not file.is_file():
            raise UserError(
                "There is no {file}; name the folder that blindplay hall init has made, or run "
                "fewer tables.",
                file=file,
            )
    return files


def _joined(file: Path) -> "EventFile":
    from blindplay.hall.event_file import read_event_file

    return read_event_file(file, table=True)


def _languages(given: PlayOptions) -> list[str]:
    """The codes of the languages that the tables are going to hear and speak."""
    spoken = given.announce_in or "de", given.language, given.white_language, given.black_language
    return [*dict.fromkeys(part for one in spoken if one for part in one.split("+"))]


def _models(given: PlayOptions, languages: Sequence[str]) -> list[Path]:
    """The speech models with which the tables are going to listen."""
    from blindplay.hearing.recognisers import listening_models
    from blindplay.speech.models.folders import ModelError

    if given.model:
        return list(given.model)
    found = list[Path]()
    for code in languages:
        try:
            found += listening_models(code, lambda sentence: None)
        except ModelError:
            continue  # each table says so
    return found


def _arguments(
    files: Sequence[Path],
    typed: Sequence[str],
    remembered: Sequence[str],
    number: int,
    journal: Path,
) -> list[str]:
    """The command of a table, for the game in a journal that is there already or not."""
    resumed = journal.is_file()
    hall = ["--hall", str(files[number - 1]), "--await-pairing"] if files else []
    game = ["--resume", "--journal", str(journal)] if resumed else []
    if not resumed and not files:
        game = ["--journal", str(journal), *typed]
    elif not resumed:
        game = [*typed]
    keep = ["--remember-browsers", *remembered] if remembered else []
    return ["play", "--console", "--no-encrypt", *keep, *hall, *game]
