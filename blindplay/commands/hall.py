"""``blindplay hall``: follow the tables of a tournament."""

import itertools
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from blindplay.console import LOOPBACK, PORT

from . import options
from .hall_init import init
from .hall_pairings import pair, results, standings, where
from .verify import sign

if TYPE_CHECKING:
    from blindplay.hall.event_file import EventFile
    from blindplay.hall.followed_table import FollowedTable
    from blindplay.hall.hall import Hall
    from blindplay.hall.incidents import Incident

_ROUND_S = 0.5  # between two looks at all tables
_DEMO_TABLES = 9
_PATIENCE = 10  # looks without a broker before a warning


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
    from blindplay.hall.event_file import EventFile
    from blindplay.hall.local_broker import LocalBroker

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
            _serve(joined, folder, ServedAt(("Arbiter",), port=0, qr=sys.stdout.isatty()))


@hall.command()
@click.argument("file", type=options.FILE, help="Use this file, the hall's own one of the event.")
@click.option("--arbiter", "arbiters", multiple=True, metavar="NAME", default=("Arbiter",),
              show_default=True, help="Give this arbiter a link. The name stands in what they do. "
              "It can be given several times.")  # fmt: skip
@click.option("--new-links", is_flag=True, help="End the links of before, and show new ones.")
@click.option("--host", default=LOOPBACK, show_default=False, help="Serve the console at this "
              "address; 0.0.0.0 is all. Without it, only this machine is served.")  # fmt: skip
@click.option("--console-port", default=PORT, help="Serve the console at this port.",
              type=click.IntRange(0, 65535))  # fmt: skip
@click.option("--certificate", help="Encrypt the console with this certificate, in PEM.",
              type=options.FILE)  # fmt: skip
@click.option("--key", help="Use this private key of the certificate, in PEM, without a password.",
              type=options.FILE)  # fmt: skip
@click.option("--remember-browsers", help="Let a browser that was closed come in again without a "
              "new link for this time since it was last open, such as 12h.",
              type=options.LENGTH)  # fmt: skip
@click.option("--qr/--no-qr", default=None, help="Draw each link as a QR code. No screen reader "
              "can read it. Without it, they are drawn only on a terminal.")  # fmt: skip
def serve(
    file: Path,
    arbiters: tuple[str, ...],
    new_links: bool,
    host: str,
    console_port: int,
    certificate: Path | None,
    key: Path | None,
    remember_browsers: int | None,
    qr: bool | None,
) -> None:
    """Serve the pages of a hall: all tables, and the arbiter's page of each.

    Ctrl-C ends the hall; the tables play on.
    """
    from blindplay.hall.event_file import read_event_file

    if (certificate is None) is not (key is None):
        raise ValueError("--certificate and --key need each other.")
    pair = None if certificate is None or key is None else (certificate, key)
    drawn = sys.stdout.isatty() if qr is None else qr
    at = ServedAt(arbiters, new_links, host, console_port, pair, remember_browsers or 0, drawn)
    _serve(read_event_file(file, table=False), file.parent, at)


@dataclass(frozen=True)
class ServedAt:
    """Where the pages of a hall are served, and who gets a link."""

    arbiters: tuple[str, ...]
    new_links: bool = False
    host: str = LOOPBACK
    port: int = PORT
    certificate: tuple[Path, Path] | None = None
    remember_s: int = 0
    qr: bool = False


def _serve(joined: "EventFile", tables: Path, at: ServedAt) -> None:
    """Serve a hall; ``tables`` is the folder with the files of the tables."""
    from blindplay.console.server import Certificate, qr_code
    from blindplay.hall.hall import Hall
    from blindplay.hall.server import HallHost

    certificate = None if at.certificate is None else Certificate(*at.certificate)
    with Hall(joined) as running:
        host = HallHost(
            running,
            joined,
            at.host,
            at.port,
            certificate=certificate,
            remember_s=at.remember_s,
            tables=tables,
        )
        try:
            links = host.links(at.arbiters, anew=at.new_links)
            for name, link in links.items():
                options.show(f"The hall's page for {name}: {link}")
                if at.qr:
                    options.show(qr_code(link))
            if len(links) < len(at.arbiters):
                options.show(
                    "The links of before still open the hall's page. --new-links gives new ones."
                )
            for _ in _looks(running):
                pass
        finally:
            host.close()


hall.add_command(init)
hall.add_command(sign)


@hall.command()
@click.argument("file", type=options.FILE, help="Use this file, the hall's own one of the event.")
def broker(file: Path) -> None:
    """Run the broker of an event, as blindplay hall init has described it.

    It needs Mosquitto on this machine. Ctrl-C ends it; the tables play on.
    """
    from blindplay.hall.local_broker import run_broker
    from blindplay.hall.new_event import BROKER_FOLDER

    run_broker(file.parent / BROKER_FOLDER)


@hall.command()
@click.argument("file", type=options.FILE, help="Use this file, the hall's own one of the event.")
@options.as_json(help="Print JSON, one object for each line.")
def follow(file: Path, as_json: bool) -> None:
    """Keep a copy of each table's journal, and print a line when a table has moved.

    Ctrl-C ends the hall; the tables play on.
    """
    from blindplay.hall.event_file import read_event_file

    _follow(read_event_file(file, table=False), as_json=as_json)


@hall.command()
@click.argument("file", type=options.FILE, help="Use this file, the hall's own one of the event.")
@click.option("--host", default=LOOPBACK, show_default=False, help="Serve the console at this "
              "address; 0.0.0.0 is all. Without it, only this machine is served.")  # fmt: skip
@click.option("--console-port", default=PORT + 1, help="Serve the console at this port.",
              type=click.IntRange(0, 65535))  # fmt: skip
def cast(file: Path, host: str, console_port: int) -> None:
    """Show all games to everybody, later and without names.

    The part [broadcast] of the file says how much later, whether names are shown, and where the
    games go besides the pages.
    """
    from contextlib import ExitStack
    from dataclasses import replace

    from blindplay.hall.broadcast_settings import read_broadcast
    from blindplay.hall.broadcasting import Broadcast, PublicHost
    from blindplay.hall.event_file import read_event_file
    from blindplay.hall.hall import Hall

    joined, settings = read_event_file(file, table=False), read_broadcast(file)
    # The arbiters' hall may run at the same time, and has its folder for itself.
    own = joined.folder.with_name(f"{joined.folder.name}-broadcast")
    joined = replace(joined, folder=own)
    with ExitStack() as open_parts:
        running = open_parts.enter_context(Hall(joined))
        broadcast = Broadcast(running.follower, settings, joined.title or joined.event)
        open_parts.callback(broadcast.close)
        served = PublicHost(broadcast.pages, host, console_port)
        open_parts.callback(served.close)
        options.show(f"Everybody may watch the games at {served.url}")
        told: list[str] = []
        for _ in _looks(running):
            notices = broadcast.notices()
            for notice in notices:
                if notice not in told:
                    options.show(notice)
            told = notices


def _follow(joined: "EventFile", *, as_json: bool) -> None:
    from blindplay.hall.hall import Hall

    with Hall(joined) as running:
        options.show(f"The copies are in {running.follower.folder}.")
        shown: set[str] = set()
        for _ in _looks(running):
            with running.follower.lock:
                rows = [_row(table) for _, table in sorted(running.follower.tables.items())]
                rows += [_incident_row(one) for one in running.follower.incidents]
            for row in rows:
                if str(row) not in shown:
                    options.show(row if as_json else _in_words(row))
            shown = set(map(str, rows))


def _looks(running: "Hall") -> Iterator[None]:
    """Yield before each look at all tables, until Ctrl-C. Warns once if there is no broker."""
    for number in itertools.count(1):
        time.sleep(_ROUND_S)
        if number == _PATIENCE and not running.online:
            options.warn("The broker cannot be reached; the hall goes on trying.")
        yield


def _incident_row(incident: "Incident") -> dict[str, object]:
    return {
        "table": incident.table,
        "incident": incident.kind,
        "n": incident.n,
        "text": incident.text,
    }


def _row(table: "FollowedTable") -> dict[str, object]:
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


def _in_words(row: dict[str, object]) -> str:
    if "incident" in row:
        return f"Table {row['table']}: {row['incident']} {row['text']}".strip()
    parts = [
        f"Table {row['table']}: {row['white']} – {row['black']}",
        f"{row['moves']} {row['last']}".strip(),
        str(row["result"] or row["state"] or "?"),
    ]
    needs = row["needs"]
    parts += needs if isinstance(needs, list) else []
    if not row["online"]:
        parts.append("not connected")
    return "; ".join(parts) + "."


for _command in (pair, where, results, standings):
    hall.add_command(_command)
