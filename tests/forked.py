"""Processes of ``blindplay`` that are forked from one that has imported it.

Importing takes most of a second of the processor's time, and the tests start hundreds. A fork is a
process as any other: with an ID, a terminal and an end of its own. ``tests/test_cli.py`` starts the
command as users do.
"""

from __future__ import annotations

import gc
import importlib
import io
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import blindplay
from tests import ROOT

_IMPORTED = ("cli", "commands.play", "table.devices", "table.play", "record.games")


class Forked:
    """``blindplay`` with these arguments in a session of its own, at the terminal with the handle
    ``terminal``. Its methods are those of :class:`subprocess.Popen`."""

    def __init__(
        self, arguments: Sequence[str], terminal: int, environment: Mapping[str, str]
    ) -> None:
        if sys.platform == "win32":
            raise OSError("Windows has no fork.")
        given = {
            "arguments": arguments,
            "environment": dict(environment),
            "folder": str(Path.cwd()),
        }
        told, tells = os.pipe()
        socket.send_fds(_server()[0], [json.dumps(given).encode()], [terminal, tells])
        os.close(tells)
        self._told: io.RawIOBase = os.fdopen(told, "rb", buffering=0)
        self._pid: int = int(self._told.readline())
        self._status: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        if self._status is None:
            if not select.select([self._told], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("blindplay", timeout or 0)
            self._status = int(self._told.readline())
            self._told.close()
        return self._status

    def send_signal(self, number: int) -> None:
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        if self._status is None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        if sys.platform == "win32":
            raise OSError("Windows has no fork.")
        self.send_signal(signal.SIGKILL)


@cache
def _server() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """The process that forks, one for all tests of this one. It ends when this one does."""
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-m", "tests.forked", str(theirs.fileno())]
        process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()]
        )
    return ours, process


def _next(asked: socket.socket) -> dict[str, Any]:
    """Fork whenever that is asked for. Return in the fork, with what it shall run."""
    if sys.platform == "win32":
        raise OSError("Windows has no fork.")
    import fcntl
    import termios

    while True:
        given, handles, _flags, _address = socket.recv_fds(asked, 1 << 20, 2)
        if not given:
            os._exit(0)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        terminal, tells = handles
        if os.fork() == 0:
            asked.close()
            if pid := os.fork():
                os.close(terminal)
                os.write(tells, b"%d\n" % pid)
                _pid, status = os.waitpid(pid, 0)
                os.write(tells, b"%d\n" % os.waitstatus_to_exitcode(status))
                os._exit(0)
            os.close(tells)
            os.setsid()
            fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
            for stream in range(3):
                os.dup2(terminal, stream)
            os.close(terminal)
            return dict(json.loads(given))
        os.close(terminal)
        os.close(tells)


def _become(given: Mapping[str, Any]) -> int:
    """Run as ``python -m blindplay`` does."""
    os.environ.clear()
    os.environ.update(given["environment"])
    os.chdir(given["folder"])
    sys.argv = [str(Path(blindplay.__file__).with_name("__main__.py")), *given["arguments"]]
    # Those that there are know that they were no terminal.
    sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
    sys.stderr = os.fdopen(2, "w", errors="backslashreplace")
    from blindplay.cli import main

    return main()


if __name__ == "__main__":
    for name in _IMPORTED:
        importlib.import_module(f"blindplay.{name}")
    gc.freeze()
    sys.exit(_become(_next(socket.socket(fileno=int(sys.argv[1])))))
