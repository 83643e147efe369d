"""The places where two tables meet: a TCP port of the one that waits, or a broker that both
reach."""

import contextlib
import socket
from dataclasses import dataclass
from typing import Protocol

PATIENCE_S = 10.0
"""Seconds that one side of a connection waits for the other."""


@dataclass(frozen=True)
class Venue:
    """The table that waits has no ``host``, unless both meet at a broker there. Then ``inbox`` is
    the name of the waiting table's inbox."""

    port: int
    host: str = ""
    inbox: str = ""


class Door(Protocol):
    """The place where a table waits for others."""

    @property
    def place(self) -> Venue: ...

    @property
    def room(self) -> str:
        """The digits before the six secret ones, by which another table finds this one."""

    def accept(self) -> socket.socket:
        """Wait for a connection.

        :raises OSError: if the door is closed, or this time there is none.
        """

    def hide(self) -> None:
        """Be found only by the table that knows the place."""

    def close(self) -> None: ...


class Way(Protocol):
    """The means by which a table calls another."""

    @property
    def place(self) -> Venue: ...

    def connect(self) -> socket.socket:
        """A new connection.

        :raises OSError: if there is none.
        """

    def close(self) -> None: ...


class PortDoor:
    """A TCP port of all addresses of this machine; 0: any that is free.

    :raises OSError: if the port is taken.
    """

    room = ""

    def __init__(self, port: int) -> None:
        both = socket.has_dualstack_ipv6()
        self._door = socket.create_server(
            ("", port),
            family=socket.AF_INET6 if both else socket.AF_INET,
            dualstack_ipv6=both,
        )
        self.place = Venue(self._door.getsockname()[1])

    def accept(self) -> socket.socket:
        guest, _ = self._door.accept()
        return _at_once(guest)

    def hide(self) -> None:
        """A port has no other name."""

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits
        self._door.close()


class PortWay:
    """A TCP port of another machine."""

    def __init__(self, host: str, port: int) -> None:
        self.place = Venue(port, host)

    def connect(self) -> socket.socket:
        address = self.place.host, self.place.port
        return _at_once(socket.create_connection(address, PATIENCE_S))

    def close(self) -> None:
        """Nothing stays open."""


def _at_once(sock: socket.socket) -> socket.socket:
    """A connection whose small messages do not wait for more."""
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError:  # the other side is gone already
        sock.close()
        raise
    return sock
