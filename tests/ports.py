"""Ports for servers that are told theirs, and for addresses at which nobody listens."""

from __future__ import annotations

import itertools
import os
import socket

_EACH = 40
# Systems themselves give ports from 32768 on: to servers that let them choose, and to each
# connection. A port that was one of these may be somebody's before it is used, or again.
_FIRST = 10_000 + os.getpid() % 500 * _EACH
_ports = itertools.cycle(range(_FIRST, _FIRST + _EACH))  # each process of the tests has its own


def free_port() -> int:
    """Return a port that nobody uses, and that nobody gets by chance."""
    for port in itertools.islice(_ports, _EACH):
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port
    raise OSError(f"none of the ports from {_FIRST} on is free")
