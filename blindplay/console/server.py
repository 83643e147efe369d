"""Serves the console of a table, and prints its links."""

import contextlib
import io
import socket
import ssl
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import segno
import uvicorn
from starlette.types import ASGIApp

from blindplay.given import PHONE, reason_of
from blindplay.language import load
from blindplay.laws import Taken
from blindplay.laws.facts import SIDES
from blindplay.translation import _
from blindplay.wording.readers import announcing

from . import LOOPBACK, PORT, views
from .access import AccessLinks
from .app import COOKIE, Console
from .encryption import (
    Certificate,
    ConsoleError,
    Encryption,
    IssuedCertificate,
    either,
    names_here,
)
from .limits import LimitedConnection, LimitedSocket, is_here
from .messages import LANGUAGES, catalogue
from .phone import PhonePort
from .public import PATH, Audience
from .table_port import TablePort, held
from .trust import TrustPages

_ANY = "0.0.0.0", "::"
_DOCUMENTATION = (socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")
"""Addresses that nobody has (RFC 5737, 3849)."""
_LOOK_S = 3.0  # between two looks at this machine's address


def listen(host: str, port: int, certificate: Encryption | None) -> LimitedSocket:
    """:raises ConsoleError: if nothing can listen there, or not with this certificate."""
    if certificate is not None:
        certificate.check()
    try:
        return LimitedSocket.at(host, port)
    except OSError as error:
        raise ConsoleError(
            _(
                "The console cannot be served at {host}, port {port}: {reason}. Name "
                "another with --host or --console-port.",
                host=host,
                port=port,
                reason=reason_of(error),
            )
        ) from None


@dataclass(frozen=True)
class Front:
    """A server of this machine that stands in front of a table's pages: browsers reach only that
    one. It says in headers who calls, and whether the call was ``encrypted``.

    ``root``: the path under which it offers the pages. ``cookie``: the beginning of the names of
    their cookies. ``served``: called with the table and its console when the pages are served;
    ``gone``: before they are served no more.
    """

    root: str
    encrypted: bool
    cookie: str
    served: Callable[[TablePort, "ConsoleHost"], object]
    gone: Callable[[], object]


class PageServer:
    """Listens at ``host`` and ``port``, and serves pages from :meth:`start` until it is closed.

    ``certificate``: serve HTTPS only; one of an issuer: and a plain page about trusting it.
    ``front``: the server that stands in front of this one.
    """

    hears = True
    """Its pages can use a microphone."""

    def __init__(
        self,
        host: str = LOOPBACK,
        port: int = PORT,
        certificate: Encryption | None = None,
        front: Front | None = None,
    ) -> None:
        """:raises ConsoleError: as :func:`listen` does."""
        self._host, self._front = host, front
        self._given = certificate if isinstance(certificate, Certificate) else None
        self._issued = certificate if isinstance(certificate, IssuedCertificate) else None
        self._socket = listen(host, port, certificate)
        self.port: int = self._socket.getsockname()[1]
        names = {host, self._address, LOOPBACK, "localhost", socket.gethostname().lower()}
        self.hosts = sorted({*names, *names_here()} - {*_ANY})
        """The names and addresses by which browsers may call it, without ports."""

    @property
    def _address(self) -> str:
        return reached_at() if self._host in _ANY else self._host

    @property
    def url(self) -> str:
        """The address for other machines now, without a path. That of a machine may change."""
        scheme = "https" if self._given or self._issued else "http"
        return f"{scheme}://{_in_url(self._address)}:{self.port}"

    def advice(self, language: str) -> str:
        """Lines on what other devices need before they can use the pages as they are served now, in
        the table's ``language`` or in English; empty if they need nothing."""
        say, lines = _words(language), []
        if self.hears and self.url.startswith("http:") and not is_here(self._address):
            lines.append(say["link_microphone"])
        if self._issued is not None:
            plain = f"http://{_in_url(self._address)}:{self.port}"
            lines.append(say["link_trust"].format(url=plain))
            if not self._issued.issuer.permits(self._address):
                lines.append(say["link_uncertified"].format(url=self.url))
        return "\n".join(lines)

    def _context(self, called: str) -> ssl.SSLContext:
        assert self._issued is not None
        return self._issued.context([*self.hosts, "::1", self._address, called])

    def start(self, app: ASGIApp) -> None:
        if self._issued is not None:
            app = TrustPages(app, self._issued, self.hosts)
        self._server = uvicorn.Server(
            _config(app, self._given, self._context if self._issued else None, self._front)
        )
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), name="console", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=5)
        self._socket.close()


class ConsoleHost(PageServer):
    """Serves the console of ``table`` at ``host`` and ``port`` until it is closed.

    ``certificate``: serve HTTPS only. ``links``: the file by which sessions survive a restart.
    ``remember_s``: see :class:`~.app.Console`.
    ``audience``: the part that is public without a link. ``phones``: see :class:`~.app.Console`.
    ``front``: the server in front of this one.
    """

    def __init__(
        self,
        table: TablePort,
        host: str = LOOPBACK,
        port: int = PORT,
        *,
        certificate: Encryption | None = None,
        links: Path | None = None,
        remember_s: int = 0,
        audience: Audience | None = None,
        phones: PhonePort | None = None,
        front: Front | None = None,
    ) -> None:
        """:raises ConsoleError: as :func:`listen` does."""
        super().__init__(host, port, certificate, front)
        self._table = table
        self.console = Console(
            table,
            self.hosts,
            AccessLinks(links),
            encrypted=certificate is not None if front is None else front.encrypted,
            # Browsers send a cookie to all ports of a machine, so each table needs its own name.
            cookie=f"{COOKIE}-{self.port}" if front is None else front.cookie,
            remember_s=remember_s,
            audience=audience,
            phones=phones,
            silent=front is not None,
        )
        self._audience = audience
        table.listen(self._follow)
        with held(table):
            self._follow()
        self.start(self.console.app)
        threading.Thread(target=self._warm, name="warming pages", daemon=True).start()

    def _follow(self, taken: Taken | None = None) -> None:
        """Let the pages stay with their people when these change colours (7.3)."""
        self.console.follow(swapped=self._table.game.swapped)

    def _warm(self) -> None:
        """Let nobody wait for what the first page needs."""
        with held(self._table) as game:
            languages = {_code(game.player(side).language) for side in SIDES}
        announcing(game)
        for language in languages:
            views.warm(language)

    def tell_moves(self, tell: Callable[[str], None], language: str) -> None:
        """Tell it whenever this machine gets another address, in the table's ``language`` or in
        English, until it is closed: links with the address of before lead nowhere then."""
        before = self.url

        def look() -> None:
            nonlocal before
            while not self.console.closing.wait(_LOOK_S):
                now = self.url
                if now != before and not is_here(urlsplit(now).hostname or ""):  # without a network
                    before = now
                    tell(_words(language)["link_moved"].format(url=now))

        threading.Thread(target=look, name="looking for the address", daemon=True).start()

    def link(self, role: str) -> str:
        """A new link for ``role``. It replaces the old one."""
        return f"{self.url}/#{self.console.issue(role)}"

    def roles(self) -> list[str]:
        """The roles that get a link at this table."""
        with held(self._table) as game:
            return views.roles(game, self._table.absent)

    def public(self, language: str) -> str:
        """A line with the address of the public page, in the table's ``language`` or in English;
        empty if there is none."""
        if self._audience is None:
            return ""
        code, delay = _code(language), self._audience.delay
        say, pack = catalogue(code), load(code)
        key = "public_link" if delay else "public_link_live"
        return say[key].format(link=f"{self.url}{PATH}", delay=pack.duration(delay * 1000))

    def new_links(self, roles: Sequence[str], language: str, *, qr: bool) -> str:
        """Lines with a new link for each of ``roles``, in the table's ``language`` or in English;
        with ``qr`` also as QR codes, which no screen reader can read."""
        say, lines = _words(language), []
        for role in roles:
            link = self.link(role)
            lines.append(say[f"link_{views.slug(role)}"].format(link=link))
            if qr:
                drawn = qr_code(link)
                lines += [say["link_code"].format(count=drawn.count("\n") + 1), drawn]
        return "\n".join(lines)

    def present(self, language: str) -> str:
        """Lines about the roles that have a link, and how many of their pages are open."""
        say = _words(language)
        told = [
            say["link_state"].format(role=role, came=came, pages=pages)
            for role, (came, pages) in self.console.present().items()
        ]
        return "\n".join(told) or say["link_none"]

    @staticmethod
    def sentence(key: str, language: str, **fields: str) -> str:
        """A sentence about links, in the table's language or in English."""
        return _words(language)[key].format(**fields)

    def close(self) -> None:
        """Stop serving. The open pages say that the connection is lost."""
        self.console.close()
        super().close()


def qr_code(link: str) -> str:
    """A link as a code for a phone's camera, in lines of text."""
    code = io.StringIO()
    segno.make(link, error="m").terminal(out=code, compact=True)
    return code.getvalue().rstrip("\n")


def _config(
    app: ASGIApp,
    certificate: Certificate | None,
    context: Callable[[str], ssl.SSLContext] | None,
    front: Front | None,
) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        loop="asyncio",
        ws="websockets-sansio",
        ws_max_size=PHONE.most_bytes,
        ws_per_message_deflate=False,
        lifespan="off",
        timeout_graceful_shutdown=2,
        http=LimitedConnection if context is None else either(context),
        proxy_headers=front is not None,
        forwarded_allow_ips=LOOPBACK,
        root_path=front.root if front is not None else "",
        ssl_certfile=certificate.file if certificate else None,
        ssl_keyfile=certificate.key if certificate else None,
    )


def _words(language: str) -> Mapping[str, str]:
    return catalogue(_code(language))


def _code(language: str) -> str:
    """The language of pages for a language of the table."""
    code = language.partition("+")[0]
    return code if code in LANGUAGES else "en"


def reached_at() -> str:
    """This machine's address in its network, of IPv4 if it has one; loopback if there is none.
    Nothing is sent."""
    for family, address in _DOCUMENTATION:
        with (
            contextlib.suppress(OSError),
            socket.socket(family, socket.SOCK_DGRAM) as probe,
        ):
            probe.connect((address, 9))
            return str(probe.getsockname()[0])
    return LOOPBACK


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
