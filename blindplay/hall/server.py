"""Serves the pages of a hall, and gives each arbiter a link."""

from collections.abc import Collection, Iterable
from pathlib import Path
from urllib.parse import urlsplit

from starlette.routing import BaseRoute

from blindplay.console import LOOPBACK, PORT
from blindplay.console.access import AccessLinks
from blindplay.console.server import Certificate, PageServer

from .event_file import EventFile
from .hall import Hall
from .pages import HallPages
from .tickets import Tickets

_LINKS = "arbiters.links"  # in the hall's folder: the sessions that survive a restart


class HallHost:
    """Serves the pages of ``hall`` until it is closed; see :class:`~.pages.HallPages`."""

    def __init__(
        self,
        hall: Hall,
        joined: EventFile,
        host: str = LOOPBACK,
        port: int = PORT,
        *,
        certificate: Certificate | None = None,
        remember_s: int = 0,
        more: Collection[BaseRoute] = (),
        tables: Path | None = None,
    ) -> None:
        """``tables``: the folder with the files of the tables, for tickets; None: there is none.

        :raises ConsoleError: if nothing can listen there, or not with this certificate."""
        self._server = PageServer(host, port, certificate)
        self.url = self._server.url
        address = urlsplit(self.url).netloc
        self.tickets = None if tables is None else Tickets(tables, address)
        self.pages = HallPages(
            hall,
            joined.title,
            self._server.hosts,
            AccessLinks(joined.folder / _LINKS),
            encrypted=certificate is not None,
            cookie=f"blindplay-hall-{self._server.port}",
            remember_s=remember_s,
            more=more,
            tickets=self.tickets,
        )
        self._server.start(self.pages.app)

    def links(self, arbiters: Iterable[str], *, anew: bool = False) -> dict[str, str]:
        """A new link for each of ``arbiters`` without one, or for all of them; a new link ends the
        old one."""
        known = () if anew else self.pages.door.links.given()
        return {
            name: f"{self.url}/#{self.pages.door.links.issue(name)}"
            for name in arbiters
            if name not in known
        }

    def close(self) -> None:
        """Stop serving. The open pages say that the connection is lost."""
        self.pages.close()
        self._server.close()
