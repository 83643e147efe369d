"""``blindplay hall``: follow the tables of a tournament."""

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blindplay.given import plain

from . import options
from .hall_init import init
from .hall_pairings import pair, results, standings, where
from .hall_serving import ServedAt, cast, looks, serve, serve_hall
from .reader import user_language
from .verify import sign

if TYPE_CHECKING:
    from blindplay.hall.event_file import EventFile
    from blindplay.hall.follower import FollowedTable
    from blindplay.hall.incidents import Incident

_DEMO_TABLES = 9


@click.group(cls=options.CommandGroup, invoke_without_command=True)
@click.option("--demo", is_flag=True, help="Run a hall for a try-out, with a broker of its own.")
@click.pass_context
def hall(context: click.Context, demo: bool) -> None:
    """Follow the tables of a tournament, as an arbiter or an organiser.

    Each table is started with blindplay play --hall and its own file.
    """
    if demo:
        _demonstrate()
    elif context.invoked_subcommand is None:
        options.show(context.get_help())


def _demonstrate() -> None:
    """Run a broker and a hall on this machine, and say how a table joins them."""
    from blindplay.hall.brokers import LocalBroker
    from blindplay.hall.event_file import EventFile

    with tempfile.TemporaryDirectory(prefix="blindplay-hall-") as name:
        folder = Path(name)
        with LocalBroker(folder) as local:
            for table in range(1, _DEMO_TABLES + 1):
                place = f'[broker]\nhost = "127.0.0.1"\nport = {local.port}\n'
                text = f'event = "demo"\ntable = "{table}"\n\n{place}'
                (folder / f"table-{table}.toml").write_text(text, "utf-8")
            options.show("Start tables in other windows, each with a file of its own:")
            options.show(f"    {options.called()} play --hall {folder / 'table-1.toml'}")
            joined = EventFile("demo", local.broker, folder=folder / "copies")
            serve_hall(joined, folder, ServedAt(port=0), ("Arbiter",), qr=sys.stdout.isatty())


hall.add_command(init)
hall.add_command(serve)
hall.add_command(sign)


@hall.command()
@click.argument("file", type=options.FILE, help="Use this file, the hall's own one of the event.")
def broker(file: Path) -> None:
    """Run the broker of an event, as blindplay hall init has described it.

    It needs Mosquitto on this machine. Ctrl-C ends it; the tables play on.
    """
    from blindplay.hall.brokers import run_broker
    from blindplay.hall.new_event import BROKER_FOLDER

    run_broker(file.parent / BROKER_FOLDER)


@hall.command()
@click.option("--port", type=click.IntRange(1, 65535), default=8884, help="Wait at this TCP port.")
def meetings(port: int) -> None:
    """Let two distant tables meet that cannot reach each other.

    It needs Mosquitto on this machine, and no event. Everything passes encrypted, and nothing is
    kept. Ctrl-C ends it; games that are being played stop until it runs again.
    """
    from blindplay.console.server import reached_at
    from blindplay.hall.brokers import program, run_meetings

    program()  # without Mosquitto, end before a table is invited
    options.show("A table waits here with this line, and says what the other one types:")
    options.show(f"    {options.called()} play --against wait@{reached_at()}:{port}")
    run_meetings(port)


@hall.command()
@click.argument("file", type=options.FILE, help="Use this file, the hall's own one of the event.")
@options.as_json(help="Print JSON, one object for each line.")
def follow(file: Path, as_json: bool) -> None:
    """Keep a copy of each table's journal, and print a line when a table has moved.

    Ctrl-C ends the hall; the tables play on.
    """
    from blindplay.hall.event_file import read_event_file

    _follow(read_event_file(file, table=False), as_json=as_json)


def _follow(joined: "EventFile", *, as_json: bool) -> None:
    from blindplay.console.messages import negotiate
    from blindplay.hall.hall import Hall

    with Hall(joined) as running:
        options.show(f"The copies are in {running.follower.folder}.")
        shown, language = set[str](), negotiate(user_language())
        for _ in looks(running):
            with running.follower.lock:
                rows = [_row(table) for _, table in sorted(running.follower.tables.items())]
                rows += [_incident_row(one) for one in running.follower.incidents]
            for row in rows:
                if str(row) not in shown:
                    if as_json:
                        options.show(row)
                    else:
                        print(plain(_in_words(row, language)), flush=True)
            shown = set(map(str, rows))


def _incident_row(incident: "Incident") -> dict[str, Any]:
    return {
        "table": incident.table,
        "incident": incident.kind,
        "n": incident.n,
        "text": incident.text,
    }


def _row(table: "FollowedTable") -> dict[str, Any]:
    head = None if table.waits else table.head
    return {
        "table": table.name,
        "online": table.online,
        "white": (head and head.white) or "?",
        "black": (head and head.black) or "?",
        "moves": head.moves if head else 0,
        "last": head.last if head else "",
        "state": "waiting" if table.waits else head.state if head else "",
        "result": head.result if head else "",
        "needs": list(head.needs) if head else [],
        "lines": table.copy.number if table.copy else 0,
    }


def _in_words(row: dict[str, Any], language: str) -> str:
    """A row in a language of the pages."""
    from blindplay.console.messages import catalogue

    say = catalogue(language)
    table = say["of_table"].format(table=row["table"])
    if "incident" in row:
        return f"{table}: {say['hall_incident_' + row['incident']]} {row['text']}".strip()
    parts = [f"{table}: {row['white']} – {row['black']}"]
    if row["last"]:
        parts.append(say["hall_last"].format(number=(row["moves"] + 1) // 2, move=row["last"]))
    state = f"hall_state_{row['state'] or 'unknown'}"
    parts.append(f"{say.get(state, row['state'])} {row['result']}".strip())
    parts += [say.get(f"hall_need_{need}", need) for need in row["needs"]]
    if not row["online"]:
        parts.append(say["hall_not_online"])
    return "; ".join(parts) + "."


for _command in (cast, pair, where, results, standings):
    hall.add_command(_command)
