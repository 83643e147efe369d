"""Encrypted pages with a certificate of this machine's own, and who calls how.

The *issuer* is one file, made once by ``blindplay certificate``; :mod:`blindplay.certificates` says
what it is. A server certifies its certificate with it, in memory: for the address by which a device
has called, whenever that is a new one or the time has come. So nothing on the disk is renewed.

Such a server answers encrypted and plain calls at one port. A plain call gets only the page that
gives the authority's certificate. A browser that was told elsewhere to encrypt always (HSTS) finds
the same port.
"""

import asyncio
import contextlib
import datetime
import functools
import logging
import socket
import ssl
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blindplay import certificates
from blindplay.certificates import Issuer, address_in, name_in
from blindplay.given import EVENT, check_file, read_secret, reason_of
from blindplay.own_files import data_folder, write_secret
from blindplay.translation import UserError, _

from .limits import HEADERS_S, LimitedConnection, is_here

_LOG = logging.getLogger(__name__)
_RENEW = datetime.timedelta(days=200)
"""How far this machine's clock may be from the time at which a certificate was made."""
_HANDSHAKE = 0x16
"""The first byte of a connection with TLS (RFC 8446, 5.1). No method of HTTP begins with it."""


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
            for file in (self.file, self.key):
                check_file(file, EVENT)
        except ValueError as error:
            raise ConsoleError(str(error)) from None
        try:
            # An empty password: OpenSSL must not ask for one on the terminal.
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(
                self.file, self.key, password=lambda: ""
            )
        except (OSError, ValueError):
            raise ConsoleError(
                _(
                    "The pages cannot be encrypted with {file} and {key}: they do not fit. "
                    "--certificate and --key name PEM files that belong together; the key "
                    "without a password.",
                    file=self.file,
                    key=self.key,
                )
            ) from None


def kept_at() -> Path:
    """The file of this machine's issuer."""
    return data_folder() / "certificate" / "issuer.pem"


def kept_issuer() -> Issuer | None:
    """This machine's issuer; None if none was made.

    :raises ValueError: one sentence with the remedy, if it cannot be used.
    """
    path = kept_at()
    with contextlib.suppress(PermissionError):  # its folder cannot be opened: the next line says so
        if not path.exists():
            return None
    text = read_secret(path, EVENT).decode("utf-8", "replace")
    try:
        issuer = Issuer.read(text)
    except ValueError:
        raise UserError(
            "The file {path} is damaged, so no page can be encrypted with it. blindplay "
            "certificate --new makes another one, which each phone must trust anew.",
            path=path,
        ) from None
    if issuer.is_over:
        raise UserError(
            "The certificate in {path} has ended on {date}. If the date of this computer is "
            "right, blindplay certificate --new makes another one, which each phone must "
            "trust anew.",
            path=path,
            date=issuer.until.date().isoformat(),
        )
    return issuer


def make_issuer(names: Collection[str], addresses: Collection[str], *, anew: bool) -> Issuer:
    """Make this machine's issuer, for these names and addresses besides its own ones; with ``anew``
    in the place of another one. If two processes do so at once, the first one counts for both.

    :raises ValueError: one sentence, if it cannot be kept.
    """
    path, day = kept_at(), certificates.now().date().isoformat()
    title = f"BlindPlay {_label() or 'table'} {day}"
    (made,) = certificates.new_issuers(title, [*names_here(), *names], addresses)
    try:
        write_secret(path, made.text.encode(), anew=anew)
    except OSError as error:
        raise UserError(
            "The certificate cannot be kept in {folder}: {reason}. Make room there, or give "
            "yourself the right to write, and try again.",
            folder=path.parent,
            reason=reason_of(error),
        ) from None
    kept = kept_issuer()
    assert kept is not None
    return kept


def _label() -> str:
    """The first part of this machine's name."""
    return socket.gethostname().lower().partition(".")[0]


def names_here() -> list[str]:
    """The names with a dot under which devices in the same network may find this machine: that of
    multicast DNS (RFC 6762), and its whole one."""
    names = map(name_in, (f"{_label()}.local", socket.gethostname()))
    return list(dict.fromkeys(filter(None, names)))


class IssuedCertificate:
    """The certificate of one server of pages, which ``issuer`` certifies anew when it must. With
    ``kept``, it is this machine's, and another one that takes its place on the disk counts from
    the next connection on. Safe to use from several threads."""

    def __init__(self, issuer: Issuer, *, kept: bool = False) -> None:
        self.issuer = issuer
        self.kept = kept
        self._seen = _signature() if kept else None
        self._hosts: list[str] = []
        self._made = datetime.datetime.min
        self._context: ssl.SSLContext | None = None
        self._lock = threading.Lock()

    def context(self, hosts: Collection[str]) -> ssl.SSLContext:
        """The TLS settings for a device that calls by one of ``hosts``.

        :raises OSError: if there can be none at all.
        """
        with self._lock:
            changed = self.kept and self._read_again()
            missing = set(self.issuer.certified(hosts)) - set(self._hosts)
            old = abs(certificates.now() - self._made) > _RENEW
            if self._context is None or changed or missing or old:
                self._renew(hosts)
            assert self._context is not None
            return self._context

    def _renew(self, hosts: Collection[str]) -> None:
        every = self.issuer.certified([*self._hosts, *hosts])
        try:
            self._context = self.issuer.context(every)
        except OSError:
            if self._context is None:
                raise
            _LOG.exception("A certificate could not be renewed.")  # the old one may still do
            return
        self._hosts, self._made = every, certificates.now()

    def _read_again(self) -> bool:
        """Take another issuer from the disk. If it cannot be read, the one before counts."""
        seen = _signature()
        if seen == self._seen:
            return False
        self._seen = seen
        with contextlib.suppress(ValueError):
            if (issuer := kept_issuer()) is not None:
                self.issuer = issuer
                return True
        return False

    def check(self) -> None:
        """:raises ConsoleError: if it cannot certify."""
        try:
            self.context(["localhost"])
        except OSError as error:
            raise ConsoleError(
                _(
                    "No certificate can be made, because no temporary file can be written: "
                    "{reason}. Make room on the disk.",
                    reason=reason_of(error),
                )
            ) from None


Encryption = Certificate | IssuedCertificate
"""What encrypts pages."""


def encryption_of(
    host: str, file: Path | None, key: Path | None, issuer: Issuer | None, *, own: bool
) -> Encryption | None:
    """Return what encrypts pages at ``host``: the certificate in ``file`` with its ``key``; else,
    with ``own``, one of an event's ``issuer``, or of this machine's; else nothing. Pages for this
    machine alone need no certificate of an issuer: nobody else sees them.

    :raises ConsoleError: if the issuer cannot be used.
    """
    if file is not None and key is not None:
        return Certificate(file, key)
    if not own or is_here(host) or host == "localhost":
        return None
    if issuer is not None and issuer.is_over:
        raise ConsoleError(
            _(
                "The event's certificate for pages has ended on {date}. To go on without "
                "encryption, add --no-encrypt.",
                date=issuer.until.date().isoformat(),
            )
        )
    if issuer is not None:
        return IssuedCertificate(issuer)
    try:
        kept = kept_issuer()
    except ValueError as error:
        raise ConsoleError(
            _("{error} To go on without encryption, add --no-encrypt.", error=error)
        ) from None
    return None if kept is None else IssuedCertificate(kept, kept=True)


def _signature() -> tuple[int, int, int] | None:
    """Something that changes when the issuer's file does."""
    try:
        found = kept_at().stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


class EitherConnection(asyncio.Protocol):
    """A connection whose first byte says whether it is encrypted."""

    def __init__(
        self, context: Callable[[str], ssl.SSLContext], http: Callable[[], LimitedConnection]
    ) -> None:
        """``context``: the TLS settings for a device that has called an address of this machine."""
        self._context, self._http = context, http
        self._came = bytearray()
        self._encrypting: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._patience = asyncio.get_running_loop().call_later(HEADERS_S, transport.abort)

    def data_received(self, data: bytes) -> None:
        self._came += data
        if self._encrypting is not None:
            return  # what was encrypted waits for the end of the handshake
        if data[0] != _HANDSHAKE:
            self._pass_on(self._transport)
            return
        self._transport.pause_reading()
        self._encrypting = asyncio.get_running_loop().create_task(self._encrypt())

    def connection_lost(self, exc: Exception | None) -> None:
        self._patience.cancel()

    async def _encrypt(self) -> None:
        loop, hello = asyncio.get_running_loop(), bytes(self._came)
        self._came.clear()
        try:
            context = self._context(_called(self._transport))
            beginning = loop.create_task(
                loop.start_tls(
                    self._transport, self, context, server_side=True,
                    ssl_handshake_timeout=HEADERS_S,
                )
            )  # fmt: skip
            # The bytes that are here already are for the protocol that now takes over.
            while (tls := self._transport.get_protocol()) is self and not beginning.done():
                await asyncio.sleep(0)
            if isinstance(tls, asyncio.BufferedProtocol):
                memoryview(tls.get_buffer(len(hello)))[: len(hello)] = hello
                tls.buffer_updated(len(hello))
            encrypted = await beginning
        except (OSError, asyncio.CancelledError):  # the device has gone, or does not trust
            self._transport.abort()
            return
        if encrypted is not None:
            self._pass_on(encrypted)

    def _pass_on(self, transport: asyncio.Transport) -> None:
        """Let HTTP take over the connection."""
        self._patience.cancel()
        if transport.is_closing():
            return
        http = self._http()
        transport.set_protocol(http)
        http.connection_made(transport)
        if self._came:
            http.data_received(bytes(self._came))


def _called(transport: asyncio.Transport) -> str:
    """The address of this machine by which a device has called."""
    own = transport.get_extra_info("sockname")
    return address_in(str(own[0])) if isinstance(own, tuple) else ""


def either(context: Callable[[str], ssl.SSLContext]) -> Any:
    """The kind of connections for a server that answers encrypted and plain calls."""

    def made(**server: Any) -> EitherConnection:
        return EitherConnection(context, functools.partial(LimitedConnection, **server))

    return made
