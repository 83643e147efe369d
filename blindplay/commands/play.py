"""``blindplay play`` and ``blindplay demo``: run a table."""

import datetime
import itertools
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blindplay.console import PUBLIC_DELAY_S
from blindplay.laws import facts
from blindplay.table.choices import OpeningWord, Printed

from . import distant, options
from .against import is_distant, offered, opponent, with_opponent
from .event_settings import (
    typed_for_each_game,
    with_event_settings,
    with_settings_of_later_games,
)
from .joining import with_fetched_file
from .lichess_game import with_found_game
from .play_options import OPTIONS
from .resuming import kept_values, typed, with_kept_options
from .user_language import user_language

if TYPE_CHECKING:
    from blindplay.hall.event_file import EventFile
    from blindplay.table.devices import WantedDevices
    from blindplay.table.play import Companion, ConsoleAt, TableOptions


_SHOWN = (Printed.WORDS, Printed.ALL)


class TableCommand(click.Command):
    """``blindplay play``. Its help shows the options under their headings."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups = {**OPTIONS, "Help": self.get_params(ctx)[-1:]}
        for heading, group in groups.items():
            with formatter.section(heading):
                formatter.write_dl([row for one in group if (row := one.get_help_record(ctx))])


def _play(**given: Any) -> None:
    from blindplay.table.play import run
    from blindplay.typed_lines import TypedLines

    given = with_fetched_file(given)
    if given["resume"]:
        _check(given)
        journal = _journal(given)
        given = with_kept_options(journal, {**given, "journal": journal})
        joined = _joined(given)
    else:
        joined = _joined(given)
        given = with_event_settings(given, joined)
        _check(given)
        given = with_opponent(given)
    devices = _devices(given)
    chosen = None
    if given["or_demo"] and given["against"] is None:
        chosen = offered(options.load_language(_language(given)))
    if chosen == "engine":
        given = with_opponent({**given, "against": "engine"})
    unasked = given["or_demo"] and given["against"] is None and chosen is None
    if chosen == "demo" or (unasked and not devices.any_present()):
        words = Printed.ALL if given["print"] is Printed.ALL else Printed.WORDS
        _demonstrate(given["journal"], _language(given), words, instead=unasked)
        return
    if joined is not None and given["await_pairing"]:
        _play_rounds(given, devices, joined)
        return
    if is_distant(given):
        _play_distant(given, devices)
        return
    journal, lines = _journal(given), TypedLines(sys.stdin)
    if given["against"] == "lichess" and not given["resume"]:
        _check_table(journal, devices, given)
        found = with_found_game(given, options.load_language(_language(given)), lines, sys.stdout)
        if found is None:
            return
        given = found
    run(
        journal,
        None if given["resume"] else _setup(given),
        devices,
        lines,
        sys.stdout,
        _table_options(given, joined),
        _console(given),
        _companion(joined),
        opponent(given),
    )


def _play_distant(given: Mapping[str, Any], devices: "WantedDevices") -> None:
    """Play at two tables."""
    from blindplay.table.meeting_distant import MeetingPlace
    from blindplay.table.play import run
    from blindplay.typed_lines import TypedLines

    distant.check_voices(given)
    journal, lines = _journal(given), TypedLines(sys.stdin)
    if given["resume"]:
        setup, player = None, distant.go_on(given, journal)
    else:
        _check_table(journal, devices, given)
        pack = options.load_language(_language(given))
        place = MeetingPlace(pack, devices, lines, sys.stdout)
        met = distant.meet(given, _setup(given), place)
        if met is None:
            return
        met.agreement.keep(journal)
        setup, player = met.setup, met.agreement.player(met.lifeline, voices=given["voices"])
        given = {**given, "training": met.agreement.training}
    run(
        journal,
        setup,
        devices,
        lines,
        sys.stdout,
        _table_options(given),
        _console(given),
        opponent=player,
    )


def _play_rounds(given: Mapping[str, Any], devices: "WantedDevices", joined: "EventFile") -> None:
    """Play one game after the other, each as the hall assigns it."""
    from blindplay.hall.table_side.between_games import AssignedGames
    from blindplay.record import games
    from blindplay.table.play import run
    from blindplay.typed_lines import TypedLines

    lines = TypedLines(sys.stdin)
    assigned_games = AssignedGames(joined, games.tables_folder())
    pack = options.load_language(_language(given))
    resumed = given["resume"]
    if not resumed:
        _check_table(None, devices, given)
    while True:
        assigned = None if resumed else assigned_games.next(pack, devices, lines, sys.stdout)
        if assigned is None and not resumed:
            return
        over = run(
            _journal(given) if resumed else games.new_journal(),
            None if assigned is None else _setup({**given, **assigned}),
            devices,
            lines,
            sys.stdout,
            _table_options(given, joined),
            _console(given),
            assigned_games.companion,
        )
        if not over and not assigned_games.known:
            return
        if resumed:
            resumed, given = False, with_settings_of_later_games(given, joined)
            _check(given)


def _check_table(journal: Path | None, devices: "WantedDevices", given: Mapping[str, Any]) -> None:
    """Look for what this table needs: nobody must find an opponent and then have no table."""
    from blindplay.table.play import check

    devices.boards()
    check(journal, devices, _table_options(given), _console(given))


def _joined(given: Mapping[str, Any]) -> "EventFile | None":
    """The event that the table plays at; None without a hall."""
    if given["hall"] is None:
        return None
    from blindplay.hall.event_file import read_event_file

    return read_event_file(given["hall"], table=True)


def _companion(joined: "EventFile | None") -> "Companion | None":
    """Return the companion that publishes the table to a hall; None without a hall."""
    if joined is None:
        return None
    from blindplay.hall.table_side.between_games import publisher

    return lambda table, about: publisher(table, joined, about)


def _journal(given: Mapping[str, Any]) -> Path:
    """The file of the game: the one that is named, the last unfinished one, or a new one."""
    from blindplay.record import games

    named: Path | None = given["journal"]
    return named or (games.last_unfinished() if given["resume"] else games.new_journal())


play = TableCommand(
    "play",
    params=list(itertools.chain.from_iterable(OPTIONS.values())),
    callback=_play,
    help="Run a table with voice and board, or with typed words.",
)


def _language(given: Mapping[str, Any]) -> str:
    return str(given["language"] or user_language())


def _check(given: Mapping[str, Any]) -> None:
    """Raise ValueError for values that are wrong, or that do not go together."""
    from blindplay.laws import editions

    for name in ("language", "white_language", "black_language", "announce_in"):
        code = "de" if given[name] is None else given[name]
        options.load_language(code)
        if "+" in code and name != "announce_in":
            raise ValueError(
                f"--{name.replace('_', '-')} {code} names two languages; give one there, and "
                f"--announce-in {code} for the ranks in another language."
            )
    announced, edition = given["announce_in"] or "de", given["edition"]
    if announced != "de" and not editions.load(edition).switch("ranks_by_arbiter"):
        raise ValueError(
            f"{edition} fixes the German numbers of the ranks (F.1); leave out --announce-in, or "
            "choose another edition."
        )
    _time_warnings(given)
    if "dead_time" in typed(given) and not given["resume"]:
        raise ValueError("--dead-time says how a game goes on; leave it out, or add --resume.")
    served = ("host", "console_port", "certificate", "key", "remember_browsers", "qr")
    if not given["console"] and any(given[name] is not None for name in served):
        raise ValueError(
            "--host, --console-port, --certificate, --key, --remember-browsers and --qr need "
            "--console."
        )
    if given["await_pairing"] and not given["hall"] and not given["resume"]:
        raise ValueError("--await-pairing needs --hall with the file of this table.")
    if given["await_pairing"] and given["journal"] and not given["resume"]:
        raise ValueError(
            "--await-pairing gives each game a journal of its own; leave out --journal."
        )
    if given["public"] and not given["console"]:
        raise ValueError("--public needs --console.")
    if not given["public"] and (given["public_delay"] is not None or given["public_names"]):
        raise ValueError("--public-delay and --public-names need --public.")
    if (given["certificate"] is None) is not (given["key"] is None):
        raise ValueError("--certificate and --key need each other.")


def _devices(given: Mapping[str, Any]) -> "WantedDevices":
    from blindplay.table.devices import WantedDevices

    same = ("board", "sighted_board", "microphone", "private_output", "public_output", "silent",
            "voice", "reader_rate", "braille", "push_to_talk", "shared_microphone",
            "talk_levers")  # fmt: skip
    return WantedDevices(models=given["model"], **{name: given[name] for name in same})


def _table_options(given: Mapping[str, Any], joined: "EventFile | None" = None) -> "TableOptions":
    from blindplay.table.play import TableOptions

    free = given["push_to_talk"] or given["microphone"] == "none"  # it hears no talk
    usual = OpeningWord.OPTIONAL if free else OpeningWord.SINGLE
    return TableOptions(
        language=_language(given),
        training=given["training"],
        opening_word=given["opening_word"] or usual,
        printed=given["print"],
        tape=given["tape"],
        charge_dead_time=given["dead_time"] == "running",
        time_warnings=_time_warnings(given),
        press_answer=given["press_answer"],
        table="" if joined is None else joined.table,
        command=options.called(),
        kept={**kept_values(given), "typed": typed_for_each_game(given)},
    )


def _time_warnings(given: Mapping[str, Any]) -> tuple[int, ...]:
    """The seconds of --time-warnings. Raises ValueError in one sentence."""
    from blindplay.wording.clock_times import read_time

    if given["time_warnings"] is None:
        return ()
    try:
        return tuple(read_time(time.strip()) for time in given["time_warnings"].split(","))
    except ValueError as error:
        raise ValueError(f"--time-warnings: {error}") from None


def _console(given: Mapping[str, Any]) -> "ConsoleAt | None":
    from blindplay.table.play import ConsoleAt

    if not given["console"]:
        return None
    qr = sys.stdout.isatty() if given["qr"] is None else given["qr"]
    return ConsoleAt(
        given["host"],
        given["console_port"],
        given["certificate"],
        given["key"],
        qr,
        given["remember_browsers"] or 0,
        _public_delay(given),
        given["public_names"],
    )


def _public_delay(given: Mapping[str, Any]) -> int | None:
    """The seconds by which everybody sees the game later; None if nobody does."""
    if not given["public"]:
        return None
    return PUBLIC_DELAY_S if given["public_delay"] is None else int(given["public_delay"])


def _setup(given: Mapping[str, Any]) -> facts.Setup:
    from blindplay.laws import editions
    from blindplay.laws.clock import TimeControl
    from blindplay.laws.time_controls import mode_of

    players = {
        side: {
            "name": given[side],
            "impaired": given["impaired"] in (side, "both"),
            "hearing_impaired": given[f"{side}_hearing_impaired"],
            "assistant": given[f"{side}_assistant"],
            "language": given[f"{side}_language"] or _language(given),
        }
        for side in facts.SIDES
    }
    control = TimeControl.parse(given["time_control"])
    as_given = ("edition", "supervised", "quickplay_finish", "fen", "time_control",
                "event", "site", "round")  # fmt: skip
    setup = facts.parse(
        {
            "t": 0,
            "fact": "setup",
            **{name: given[name] for name in as_given},
            **{name: given[name] for name in ("who", "request", "boards") if name in given},
            "mode": given["mode"] or mode_of(control, editions.load(given["edition"])),
            "variant": "chess960" if given["chess960"] else "chess",
            "announce_in": given["announce_in"] or "",
            "announce_check": given["check"],
            "arbiter": _arbiter(given),
            "date": datetime.date.today().isoformat(),
            **players,
        }
    )
    assert isinstance(setup, facts.Setup)
    return setup


def _arbiter(given: Mapping[str, Any]) -> str:
    if given["against"] == "lichess":
        return "server"
    return "present" if given["arbiter"] else "automatic"


@click.command()
@click.option("--journal", type=options.FILE, help="Keep the journal in this file, else nowhere.")
@click.option(
    "--language",
    default=user_language,
    show_default="that of the system, else English",
    help="Take this language as the one that is spoken.",
)
@click.option("--print", "printed", default="words", type=options.MemberChoice(_SHOWN),
              help="Print a report (words), or every ruling, too (all).")  # fmt: skip
def demo(journal: Path | None, language: str, printed: Printed) -> None:
    """Show a short game with emulated boards and synthetic voices."""
    _demonstrate(journal, language, printed)


def _demonstrate(
    journal: Path | None, language: str, printed: Printed, *, instead: bool = False
) -> None:
    from blindplay.table.demo import Shown, demonstrate

    options.load_language(language)
    demonstrate(sys.stdout, language, Shown(journal, printed, instead, options.called()))
