"""Limits idle connections (slowloris).

Any machine in the network can open many connections. So an address has a share of them, and a
connection without a request is closed. This machine's own connections are not limited.
"""

import asyncio
import ipaddress
import logging
import socket
from collections.abc import Collection
from typing import Any, Self

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 256
"""Connections from other machines at once; each needs a file descriptor."""
AN_ADDRESS = 48
"""Connections from one other machine: a browser opens six, and some rooms share one address."""
HEADERS_S = 10.0
"""Seconds within which the headers of a request must arrive."""

# A screen reader would read the server's messages about its clients aloud.
for _name in ("uvicorn", "asyncio", __package__):
    logging.getLogger(_name).addHandler(logging.NullHandler())


def is_here(address: str) -> bool:
    """Return whether an address is this machine's loopback."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found).is_loopback


def has_room(address: str, others: Collection[str]) -> bool:
    """Return whether a connection from ``address`` is allowed besides those from ``others``."""
    if is_here(address):
        return True
    away = [other for other in others if not is_here(other)]
    return len(away) < MOST and away.count(address) < AN_ADDRESS


class LimitedSocket(socket.socket):
    """A listening socket that closes excess connections at once. A connection that begins its
    encryption and never finishes it would take a quarter of a megabyte for a minute.

    Windows accepts connections in another way; there they count once they are encrypted.
    """

    _open: Collection[tuple[socket.socket, str]] = ()

    @classmethod
    def at(cls, host: str, port: int) -> Self:
        """:raises OSError: if nothing can listen there."""
        return cls(fileno=socket.create_server((host, port)).detach())

    def accept(self) -> tuple[socket.socket, Any]:
        while True:
            connection, peer = super().accept()
            still = [one for one in self._open if one[0].fileno() >= 0]
            if has_room(peer[0], [address for _, address in still]):
                self._open = (*still, (connection, peer[0]))
                return connection, peer
            connection.close()


class LimitedConnection(H11Protocol):
    """HTTP with a share of connections for each address, and a time limit for each request."""

    _refused = False
    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) else ""
        clients = [getattr(one, "client", None) for one in self.connections]
        if not has_room(address, [client[0] for client in clients if client]):
            self._refused = True
            transport.abort()
            return
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._served()
        elif self._patience is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._served()
        if not self._refused:
            super().connection_lost(exc)

    def _wait(self) -> None:
        self._patience = asyncio.get_running_loop().call_later(HEADERS_S, self._hang_up)

    def _served(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _hang_up(self) -> None:
        self._patience = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.abort()
