"""``blindplay hall``: follow the tables of a tournament, and serve its pages."""
# ruff: noqa: RUF009 (an option is a call that makes a field)

import itertools
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blindplay.console import LOOPBACK, PORT
from blindplay.given import plain
from blindplay.translation import Message, UserError, _, join_texts

from . import options
from .hall_event import init, pair, results, resume, standings, where
from .hall_papers import archive, papers
from .reader import user_language

if TYPE_CHECKING:
    from blindplay.certificates import Issuer
    from blindplay.console.encryption import Encryption
    from blindplay.hall.broadcast.broadcasting import Broadcast, BroadcastSettings
    from blindplay.hall.event_file import EventFile
    from blindplay.hall.follower import FollowedTable
    from blindplay.hall.hall import Hall
    from blindplay.hall.incidents import Incident
    from blindplay.hall.pages import HallHost

_DEMO_TABLES = 9
_LOOK_S = 0.5  # between two looks at all tables
_PATIENCE = 10  # looks without a broker before a warning
_file = click.argument("file", type=options.FILE,
                       help=_("Use this file, the hall's own one of the event."))  # fmt: skip


@dataclass(frozen=True)
class ServedAt:
    """The address at which pages are served, as options."""

    # fmt: off
    host: str = options.option(_("Serve the console at this address; 0.0.0.0 is all. Without it, "
        "only this machine is served."), LOOPBACK, show_default=False)
    console_port: int = options.option(_("Serve the console at this port."), PORT,
        type=click.IntRange(0, 65535))
    certificate: Path | None = options.option(_("Encrypt the console with this certificate, in "
        "PEM."),
        type=options.FILE)
    key: Path | None = options.option(_("Use this private key of the certificate, in PEM, "
        "without a password."), type=options.FILE)
    encrypt: bool = options.option(_("Encrypt the console for other devices with the certificate "
        "of the event or of this computer, unless --certificate names one."), False)
    # fmt: on

    def encryption(self, issuer: "Issuer | None" = None) -> "Encryption | None":
        """What encrypts the pages; ``issuer``: the event's.

        :raises ValueError: if one of ``certificate`` and ``key`` is missing.
        """
        from blindplay.console.encryption import encryption_of

        if (self.certificate is None) is not (self.key is None):
            raise UserError("--certificate and --key need each other.")
        return encryption_of(self.host, self.certificate, self.key, issuer, own=self.encrypt)


@click.group(cls=options.CommandGroup, invoke_without_command=True)
@click.option("--demo", is_flag=True, help=_("Run a hall for a try-out, with a broker of its own."))
@click.pass_context
def hall(context: click.Context, demo: bool) -> None:
    """Follow the tables of a tournament, as an arbiter or an organiser.

    Each table is started with blindplay play --hall and its own file.
    """
    if demo:
        _demonstrate()
    elif context.invoked_subcommand is None:
        options.show(context.get_help())


hall.add_command(init)


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
            options.show(_("Start tables in other windows, each with a file of its own:"))
            options.show(f"    {options.called()} play --hall {folder / 'table-1.toml'}")
            joined = EventFile("demo", local.broker, folder=folder / "copies")
            _serve(joined, folder, ServedAt(console_port=0), ("Arbiter",))


@hall.command()
@_file
@click.option("--arbiter", "arbiters", multiple=True, metavar="NAME", default=("Arbiter",),
              show_default=True, help=_("Give this arbiter a link. The name stands in what they "
              "do. It can be given several times."))  # fmt: skip
@click.option("--new-links", is_flag=True, help=_("End the links of before, and show new ones."))
@click.option("--public", is_flag=True, help=_("Show the games to everybody at /public/, too, as "
              "the part [broadcast] of the file says."))  # fmt: skip
@options.taking("at", ServedAt)
@click.option("--remember-browsers", help=_("Let a browser that was closed come in again without a "
              "new link for this time since it was last open, such as 12h."),
              type=options.LENGTH)  # fmt: skip
@click.option("--qr/--no-qr", default=False, help=_("Draw each link as a QR code, too. No screen "
              "reader can read it."))  # fmt: skip
@options.flag("as-service", _("Say aloud that the hall is ready, as blindplay service does."))
def serve(
    file: Path,
    arbiters: tuple[str, ...],
    new_links: bool,
    public: bool,
    remember_browsers: int | None,
    qr: bool,
    as_service: bool,
    at: ServedAt,
) -> None:
    """Serve the pages of a hall: all tables, and the arbiter's page of each.

    Ctrl-C ends the hall; the tables play on.
    """
    from blindplay.hall.broadcast.broadcasting import read_broadcast
    from blindplay.hall.event_file import read_event_file

    _serve(
        read_event_file(file, table=False),
        file.parent,
        at,
        arbiters,
        new_links=new_links,
        remember_s=remember_browsers or 0,
        qr=qr,
        shown=read_broadcast(file) if public else None,
        as_service=as_service,
    )


def _serve(
    joined: "EventFile",
    tables: Path,
    at: ServedAt,
    arbiters: Iterable[str],
    *,
    new_links: bool = False,
    remember_s: int = 0,
    qr: bool = False,
    shown: "BroadcastSettings | None" = None,
    as_service: bool = False,
) -> None:
    """Serve a hall until somebody ends it. ``tables`` is the folder with the files of the tables;
    ``shown``: what everybody may see, None: nothing. ``as_service``: say aloud that it is ready."""
    from blindplay.console.public import PATH
    from blindplay.hall.hall import Hall
    from blindplay.hall.pages import HallHost

    with ExitStack() as stack:
        certificate = at.encryption(joined.issuer())
        running = stack.enter_context(Hall(joined))
        broadcast = None if shown is None else _broadcast(stack, running, shown, joined)
        host = HallHost(
            running, joined, at.host, at.console_port, certificate=certificate, tables=tables,
            remember_s=remember_s, more=() if broadcast is None else broadcast.pages.routes,
        )  # fmt: skip
        stack.callback(host.close)
        if broadcast is not None:
            stack.callback(broadcast.pages.close)
            options.show(_("Everybody may watch the games at {url}{path}", url=host.url, path=PATH))
        _show_links(host.links(arbiters, anew=new_links), arbiters, qr=qr)
        show_advice(host.advice)
        if as_service:
            from .words import aloud

            pack = options.load_language(user_language())
            aloud(pack, pack.sentence("hall_ready"))
        _stay(running, broadcast, host)


def _show_links(links: dict[str, str], arbiters: Iterable[str], *, qr: bool) -> None:
    from blindplay.console.server import qr_code

    for name, link in links.items():
        options.show(_("The hall's page for {name}: {link}", name=name, link=link))
        if qr:
            options.show(qr_code(link))
    if set(arbiters) - set(links):
        options.show(
            _("The links of before still open the hall's page. --new-links gives new ones.")
        )


def show_advice(advice: Callable[[str], str], show: Callable[[str], object] = options.show) -> None:
    """Say what other devices need before they can use the pages."""
    from blindplay.console.messages import negotiate

    if lines := advice(negotiate(user_language())):
        show(lines)


def _stay(running: "Hall", broadcast: "Broadcast | None", host: "HallHost | None" = None) -> None:
    """Go on until somebody ends it. Say what the organiser should know."""
    printed: list[str] = []
    for _unused in _looks(running):
        notices = [] if broadcast is None else broadcast.notices()
        if host is not None and host.mails is not None and host.mails.trouble:
            notices.append(host.mails.trouble)
        for notice in notices:
            if notice not in printed:
                options.show(notice)
        printed = notices


def _looks(running: "Hall") -> Iterator[None]:
    """Wait until it is time for another look at the tables, without end. Warn once if the broker
    cannot be reached."""
    for number in itertools.count(1):
        time.sleep(_LOOK_S)
        if number == _PATIENCE and not running.online:
            options.warn(_("The broker cannot be reached; the hall keeps trying."))
        yield


@hall.command()
@_file
@click.argument("table", help=_("Name the table as the event's files do."))
@click.option("--who", default="", help=_("Write this name of the arbiter into the request."))
def sign(file: Path, table: str, who: str) -> int:
    """Ask a table to sign its journal now, in the middle of a game.

    At the end of a game tables sign by themselves. The signature lies beside the journal and, when
    a hall is running, beside its copy.
    """
    from blindplay.hall.event_file import read_event_file
    from blindplay.hall.hall import ask_once
    from blindplay.hall.protocol import checked_name

    joined = read_event_file(file, table=False)
    checked_name(table, _("a table"))
    options.show(_("Table {table} is asked. This takes twenty seconds at most.", table=table))
    answer = ask_once(joined, table, who, "sign")
    if answer.status == "done":
        options.show(
            _(
                "Table {table} has signed all lines up to line {number}.",
                table=table,
                number=answer.n,
            )
        )
        return 0
    options.show(
        join_texts(" ", map(Message, answer.sentences))
        or _("Table {table} has not signed; ask again.", table=table)
    )
    return 1


@hall.command()
@_file
def broker(file: Path) -> None:
    """Run the broker of an event, as blindplay hall init has described it.

    It needs Mosquitto on this machine. Ctrl-C ends it; the tables play on.
    """
    from blindplay.hall.brokers import run_broker
    from blindplay.hall.new_event import BROKER_FOLDER

    def tell(port: int, log: Path) -> None:
        options.show(_("The broker runs at port {port}. Ctrl-C ends it.", port=port))
        options.show(_("What Mosquitto says is in {log}.", log=log))

    run_broker(file.parent / BROKER_FOLDER, tell)


@hall.command()
@click.option(
    "--port", type=click.IntRange(1, 65535), default=8884, help=_("Wait at this TCP port.")
)
def meetings(port: int) -> None:
    """Let two distant tables meet that cannot reach each other.

    It needs Mosquitto on this machine, and no event. Everything passes encrypted, and nothing is
    kept. Ctrl-C ends it; games that are being played stop until it runs again.
    """
    from blindplay.console.server import reached_at
    from blindplay.hall.brokers import program, run_meetings

    program()  # without Mosquitto, end before a table is invited

    def tell(port: int, _log: Path) -> None:
        options.show(_("A table waits here with this line, and says what the other one types:"))
        options.show(f"    {options.called()} play --against wait@{reached_at()}:{port}")

    run_meetings(port, tell)


@hall.command()
@_file
@options.as_json(help=_("Print JSON, one object for each line."))
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
        options.show(_("The copies are in {folder}.", folder=running.follower.folder))
        shown, language = set[str](), negotiate(user_language())
        for _unused in _looks(running):
            with running.follower.lock:
                rows = [_row(table) for _, table in sorted(running.follower.tables.items())]
                rows += [_incident_row(incident) for incident in running.follower.incidents]
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
    in_conflict = bool(head and table.game and table.game.in_conflict)
    return {
        "table": table.name,
        "online": table.online,
        "white": (head and head.white) or "?",
        "black": (head and head.black) or "?",
        "moves": head.moves if head else 0,
        "last": head.last if head else "",
        "fen": head.fen if head else "",
        "state": "waiting" if table.waits else head.state if head else "",
        "result": head.result if head else "",
        "needs": ["conflict"] * in_conflict + (list(head.needs) if head else []),
        "lines": table.copy.number if table.copy else 0,
    }


def _in_words(row: dict[str, Any], language: str) -> str:
    """A row in a language of the pages."""
    from blindplay.console.messages import catalogue
    from blindplay.hall.overview import long_notation
    from blindplay.language import load

    say = catalogue(language)
    table = say["of_table"].format(table=row["table"])
    if "incident" in row:
        what = f"{table}: {say['hall_incident_' + row['incident']]}"
        return join_texts(" ", filter(None, (what, row["text"])))
    parts = [f"{table}: {row['white']} – {row['black']}"]
    if row["last"]:
        move = load(language).notation(long_notation(row["last"], row["fen"]))
        parts.append(say["hall_last"].format(number=(row["moves"] + 1) // 2, move=move))
    state = f"hall_state_{row['state'] or 'unknown'}"
    parts.append(f"{say.get(state, row['state'])} {row['result']}".strip())
    parts += [say.get(f"hall_need_{need}", need) for need in row["needs"]]
    if not row["online"]:
        parts.append(say["hall_not_online"])
    return "; ".join(parts) + "."


@hall.command()
@_file
@options.taking("at", ServedAt, console_port=PORT + 1)
def cast(file: Path, at: ServedAt) -> None:
    """Show all games to everybody, later and without names.

    The part [broadcast] of the file says how much later, whether names are shown, and where the
    games go besides the pages.
    """
    from blindplay.hall.broadcast.broadcasting import PublicHost, read_broadcast
    from blindplay.hall.event_file import read_event_file
    from blindplay.hall.hall import Hall

    joined, settings = read_event_file(file, table=False), read_broadcast(file)
    # The arbiters' hall may run at the same time, and has its folder for itself.
    own = joined.folder.with_name(f"{joined.folder.name}-broadcast")
    with ExitStack() as stack:
        certificate = at.encryption(joined.issuer())
        running = stack.enter_context(Hall(replace(joined, folder=own)))
        broadcast = _broadcast(stack, running, settings, joined)
        host = PublicHost(broadcast.pages, at.host, at.console_port, certificate)
        stack.callback(host.close)
        options.show(_("Everybody may watch the games at {url}", url=host.url))
        show_advice(host.advice)
        _stay(running, broadcast)


def _broadcast(
    stack: ExitStack, running: "Hall", settings: "BroadcastSettings", joined: "EventFile"
) -> "Broadcast":
    from blindplay.hall.broadcast.broadcasting import Broadcast

    broadcast = Broadcast(running.follower, settings, joined.title, joined.folder)
    stack.callback(broadcast.close)
    return broadcast


for _command in (pair, resume, where, results, standings, papers, archive):
    hall.add_command(_command)
