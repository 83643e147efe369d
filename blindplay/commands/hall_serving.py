"""``blindplay hall serve`` and ``cast``: the pages of a hall, for arbiters and for everybody."""

import itertools
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blindplay.console import LOOPBACK, PORT

from . import options

if TYPE_CHECKING:
    from blindplay.console.server import Certificate
    from blindplay.hall.broadcast.broadcasting import Broadcast, BroadcastSettings
    from blindplay.hall.event_file import EventFile
    from blindplay.hall.hall import Hall

_LOOK_S = 0.5  # between two looks at all tables
_PATIENCE = 10  # looks without a broker before a warning
_file = click.argument("file", type=options.FILE,
                       help="Use this file, the hall's own one of the event.")  # fmt: skip


def _served(port: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The options that say where pages are served."""
    found = (
        click.option("--host", default=LOOPBACK, show_default=False, help="Serve the console at "
                     "this address; 0.0.0.0 is all. Without it, only this machine is served."),
        click.option("--console-port", "port", default=port, help="Serve the console at this port.",
                     type=click.IntRange(0, 65535)),
        click.option("--certificate", help="Encrypt the console with this certificate, in PEM.",
                     type=options.FILE),
        click.option("--key", help="Use this private key of the certificate, in PEM, without a "
                     "password.", type=options.FILE),
    )  # fmt: skip

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(found):
            command = option(command)
        return command

    return add


@dataclass(frozen=True)
class ServedAt:
    """The address at which pages are served."""

    host: str = LOOPBACK
    port: int = PORT
    certificate: Path | None = None
    key: Path | None = None

    def pem(self) -> "Certificate | None":
        """:raises ValueError: if one of both is missing."""
        from blindplay.console.server import Certificate

        if (self.certificate is None) is not (self.key is None):
            raise ValueError("--certificate and --key need each other.")
        both = self.certificate, self.key
        return None if both[0] is None or both[1] is None else Certificate(both[0], both[1])


@click.command()
@_file
@click.option("--arbiter", "arbiters", multiple=True, metavar="NAME", default=("Arbiter",),
              show_default=True, help="Give this arbiter a link. The name stands in what they do. "
              "It can be given several times.")  # fmt: skip
@click.option("--new-links", is_flag=True, help="End the links of before, and show new ones.")
@click.option("--public", is_flag=True, help="Show the games to everybody at /public/, too, as the "
              "part [broadcast] of the file says.")  # fmt: skip
@_served(PORT)
@click.option("--remember-browsers", help="Let a browser that was closed come in again without a "
              "new link for this time since it was last open, such as 12h.",
              type=options.LENGTH)  # fmt: skip
@click.option("--qr/--no-qr", default=None, help="Draw each link as a QR code. No screen reader "
              "can read it. Without it, they are drawn only on a terminal.")  # fmt: skip
def serve(
    file: Path,
    arbiters: tuple[str, ...],
    new_links: bool,
    public: bool,
    remember_browsers: int | None,
    qr: bool | None,
    **at: Any,
) -> None:
    """Serve the pages of a hall: all tables, and the arbiter's page of each.

    Ctrl-C ends the hall; the tables play on.
    """
    from blindplay.hall.broadcast.broadcasting import read_broadcast
    from blindplay.hall.event_file import read_event_file

    serve_hall(
        read_event_file(file, table=False),
        file.parent,
        ServedAt(**at),
        arbiters,
        new_links=new_links,
        remember_s=remember_browsers or 0,
        qr=sys.stdout.isatty() if qr is None else qr,
        shown=read_broadcast(file) if public else None,
    )


def serve_hall(
    joined: "EventFile",
    tables: Path,
    at: ServedAt,
    arbiters: Iterable[str],
    *,
    new_links: bool = False,
    remember_s: int = 0,
    qr: bool = False,
    shown: "BroadcastSettings | None" = None,
) -> None:
    """Serve a hall until somebody ends it. ``tables`` is the folder with the files of the tables;
    ``shown``: what everybody may see, None: nothing."""
    from blindplay.console.public import PATH
    from blindplay.hall.hall import Hall
    from blindplay.hall.pages import HallHost

    with ExitStack() as stack:
        certificate = at.pem()
        running = stack.enter_context(Hall(joined))
        broadcast = None if shown is None else _broadcast(stack, running, shown, joined.title)
        host = HallHost(
            running, joined, at.host, at.port, certificate=certificate, remember_s=remember_s,
            more=() if broadcast is None else broadcast.pages.routes, tables=tables,
        )  # fmt: skip
        stack.callback(host.close)
        if broadcast is not None:
            stack.callback(broadcast.pages.close)
            options.show(f"Everybody may watch the games at {host.url}{PATH}")
        _show_links(host.links(arbiters, anew=new_links), arbiters, qr=qr)
        _stay(running, broadcast)


def _show_links(links: dict[str, str], arbiters: Iterable[str], *, qr: bool) -> None:
    from blindplay.console.server import qr_code

    for name, link in links.items():
        options.show(f"The hall's page for {name}: {link}")
        if qr:
            options.show(qr_code(link))
    if set(arbiters) - set(links):
        options.show("The links of before still open the hall's page. --new-links gives new ones.")


@click.command()
@_file
@_served(PORT + 1)
def cast(file: Path, **at: Any) -> None:
    """Show all games to everybody, later and without names.

    The part [broadcast] of the file says how much later, whether names are shown, and where the
    games go besides the pages.
    """
    from blindplay.hall.broadcast.broadcasting import PublicHost, read_broadcast
    from blindplay.hall.event_file import read_event_file
    from blindplay.hall.hall import Hall

    joined, settings, served = (
        read_event_file(file, table=False),
        read_broadcast(file),
        ServedAt(**at),
    )
    # The arbiters' hall may run at the same time, and has its folder for itself.
    own = joined.folder.with_name(f"{joined.folder.name}-broadcast")
    with ExitStack() as stack:
        certificate = served.pem()
        running = stack.enter_context(Hall(replace(joined, folder=own)))
        broadcast = _broadcast(stack, running, settings, joined.title)
        host = PublicHost(broadcast.pages, served.host, served.port, certificate)
        stack.callback(host.close)
        options.show(f"Everybody may watch the games at {host.url}")
        _stay(running, broadcast)


def _broadcast(
    stack: ExitStack, running: "Hall", settings: "BroadcastSettings", title: str
) -> "Broadcast":
    from blindplay.hall.broadcast.broadcasting import Broadcast

    broadcast = Broadcast(running.follower, settings, title)
    stack.callback(broadcast.close)
    return broadcast


def looks(running: "Hall") -> Iterator[None]:
    """Wait until it is time for another look at the tables, without end. Warn once if the broker
    cannot be reached."""
    for number in itertools.count(1):
        time.sleep(_LOOK_S)
        if number == _PATIENCE and not running.online:
            options.warn("The broker cannot be reached; the hall goes on trying.")
        yield


def _stay(running: "Hall", broadcast: "Broadcast | None") -> None:
    """Go on until somebody ends it. Say what the organiser should know."""
    told: list[str] = []
    for _ in looks(running):
        notices = [] if broadcast is None else broadcast.notices()
        for notice in notices:
            if notice not in told:
                options.show(notice)
        told = notices
