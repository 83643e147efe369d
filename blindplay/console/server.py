"""Serves the console of a table, and prints its links."""

import io
import socket
import ssl
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import segno
import uvicorn
from starlette.applications import Starlette

from blindplay.given import reason_of
from blindplay.language import load
from blindplay.laws.facts import SIDES
from blindplay.translation import _
from blindplay.wording.readers import announcing

from . import LOOPBACK, PORT, views
from .access import AccessLinks
from .app import COOKIE, Console
from .limits import LimitedConnection, LimitedSocket
from .messages import LANGUAGES, catalogue
from .public import PATH, Audience
from .table_port import TablePort, held

_ANY = "0.0.0.0"


class ConsoleError(OSError):
    """The console cannot be served; the message says why and what to do."""


@dataclass(frozen=True)
class Certificate:
    """A certificate and its private key, both in PEM files."""

    file: Path
    key: Path

    def check(self) -> None:
        """:raises ConsoleError: if pages cannot be encrypted with it."""
        try:
            # An empty password: OpenSSL must not ask for one on the terminal.
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(
                self.file, self.key, password=lambda: ""
            )
        except (OSError, ValueError) as error:
            why = (
                _("no such file") if isinstance(error, FileNotFoundError) else _("they do not fit")
            )
            raise ConsoleError(
                _(
                    "The pages cannot be encrypted with {file} and {key}: {why}. "
                    "--certificate and --key name PEM files that belong together; the key "
                    "without a password.",
                    file=self.file,
                    key=self.key,
                    why=why,
                )
            ) from None


def listen(host: str, port: int, certificate: Certificate | None) -> LimitedSocket:
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


class PageServer:
    """Listens at ``host`` and ``port``, and serves pages from :meth:`start` until it is closed.

    ``certificate``: serve HTTPS only.
    """

    def __init__(
        self, host: str = LOOPBACK, port: int = PORT, certificate: Certificate | None = None
    ) -> None:
        """:raises ConsoleError: as :func:`listen` does."""
        self._certificate = certificate
        self._socket = listen(host, port, certificate)
        address = reached_at() if host == _ANY else host
        self.port: int = self._socket.getsockname()[1]
        self.url = f"{'http' if certificate is None else 'https'}://{address}:{self.port}"
        names = {host, address, LOOPBACK, "localhost", socket.gethostname().lower()}
        self.hosts = sorted(names - {_ANY})
        """The names and addresses by which browsers may call it, without ports."""

    def start(self, app: Starlette) -> None:
        self._server = uvicorn.Server(_config(app, self._certificate))
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), name="console", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=5)
        self._socket.close()


class ConsoleHost:
    """Serves the console of ``table`` at ``host`` and ``port`` until it is closed.

    ``certificate``: serve HTTPS only. ``links``: the file by which sessions survive a restart.
    ``remember_s``: see :class:`~.app.Console`.
    ``audience``: the part that is public without a link.
    """

    def __init__(
        self,
        table: TablePort,
        host: str = LOOPBACK,
        port: int = PORT,
        *,
        certificate: Certificate | None = None,
        links: Path | None = None,
        remember_s: int = 0,
        audience: Audience | None = None,
    ) -> None:
        """:raises ConsoleError: as :func:`listen` does."""
        self._server = PageServer(host, port, certificate)
        self.url = self._server.url
        self._table = table
        self.console = Console(
            table,
            self._server.hosts,
            AccessLinks(links),
            encrypted=certificate is not None,
            # Browsers send a cookie to all ports of a machine, so each table needs its own name.
            cookie=f"{COOKIE}-{self._server.port}",
            remember_s=remember_s,
            audience=audience,
        )
        self._audience = audience
        self._server.start(self.console.app)
        threading.Thread(target=self._warm, name="warming pages", daemon=True).start()

    def _warm(self) -> None:
        """Let nobody wait for what the first page needs."""
        with held(self._table) as game:
            languages = {_code(game.player(side).language) for side in SIDES}
        announcing(game)
        for language in languages:
            views.warm(language)

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
        self._server.close()


def qr_code(link: str) -> str:
    """A link as a code for a phone's camera, in lines of text."""
    code = io.StringIO()
    segno.make(link, error="m").terminal(out=code, compact=True)
    return code.getvalue().rstrip("\n")


def _config(app: Starlette, certificate: Certificate | None) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        lifespan="off",
        timeout_graceful_shutdown=2,
        http=LimitedConnection,
        proxy_headers=False,
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
    """This machine's address in its network; loopback if there is none. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return LOOPBACK
        return str(probe.getsockname()[0])
