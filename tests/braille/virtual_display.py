"""A real BRLTTY with its virtual display: what its cells show, and keys that are pressed."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Self

from blindplay.braille.brlapi import Connection
from tests.programs import need
from tests.waiting import until


class VirtualDisplay:
    """BRLTTY in `folder`, which must have a short path, and a display of so many cells."""

    def __init__(self, folder: Path, cells: int = 14, *, auth: str = "none") -> None:
        need("BRLTTY")
        self._cells = cells
        self._folder = folder
        self.shown = ""
        """What the display shows now, in cells."""
        self._listening = socket.socket(getattr(socket, "AF_UNIX", -1))
        self._listening.bind(str(folder / "display"))
        self._listening.listen()
        self._listening.settimeout(60)
        self._line: socket.socket | None = None
        number = _free_number()
        self.host = f"127.0.0.1:{number}"
        self._command = [
            "brltty", "-n", "-q", "-f", "/dev/null", "-P", str(folder / "pid"),
            "-b", "vr", "-d", f"client:{folder / 'display'}", "-x", "no", "-s", "no", "-t", "de",
            "-A", f"auth={auth},host={self.host}",
        ]  # fmt: skip

    def __enter__(self) -> Self:
        self.start()
        self.plug_in()
        assert until(lambda: self.shown)  # that there is no screen
        return self

    def __exit__(self, *_: object) -> None:
        self.unplug()
        self.stop()
        self._listening.close()

    def start(self) -> None:
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(self._command, stdout=quiet, stderr=quiet)
        port = 4101 + int(self.host.partition(":")[2])
        assert until(lambda: _answers(port) or self._process.poll() is not None)
        assert self._process.poll() is None

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()

    def plug_in(self) -> None:
        self._line, _ = self._listening.accept()
        self._line.sendall(f"cells {self._cells}\n".encode())
        for work in (self._watch, self._nudge):
            threading.Thread(target=work, args=(self._line,), daemon=True).start()

    def unplug(self) -> None:
        assert self._line is not None
        with contextlib.suppress(OSError):  # it is pulled out already
            self._line.shutdown(socket.SHUT_RDWR)
        self._line.close()

    def _watch(self, line: socket.socket) -> None:
        with contextlib.suppress(OSError), line.makefile("rb") as lines:
            for one in lines:
                if found := re.match(rb'Braille "(.*)"', one):
                    self.shown = _cells(found[1].decode("ascii"))

    def _nudge(self, line: socket.socket) -> None:
        """BRLTTY reads one command whenever something comes, and leaves others unread."""
        with contextlib.suppress(OSError):
            while True:
                line.sendall(b"\n")
                time.sleep(0.3)

    def press(self, *commands: str) -> None:
        """Press keys, by the names of BRLTTY's virtual display."""
        assert self._line is not None
        self._line.sendall("".join(f"{one}\n" for one in commands).encode())

    def type(self, cells: str) -> None:
        """Type cells, and Enter."""
        self.press(*(f"passdots {ord(one) - 0x2800}" for one in cells), "passchar 13")

    def table(self, signs: str) -> dict[str, str]:
        """The signs by the cells in which BRLTTY's German table writes them. Nothing else may use
        the display meanwhile."""
        found = {"\u2800": " "}
        with Connection(self.host) as connection:
            for start in range(0, len(signs), self._cells):
                some = signs[start : start + self._cells]
                connection.write(some)
                assert until(lambda: len(self.shown) == len(some)), self.shown  # noqa: B023
                found |= dict(zip(self.shown, some, strict=True))
                connection.write("")
                assert until(lambda: not self.shown)
        return found


_COUNT = itertools.count(100 + os.getpid() % 700)


def _free_number() -> int:
    """A number of a server whose port nobody uses."""
    for number in _COUNT:
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", 4101 + number)) != 0:
                return number
    raise AssertionError


def _answers(port: int) -> bool:
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0


def _cells(dots: str) -> str:
    """Cells of "134|2| ": the dots of each."""
    return "".join(
        chr(0x2800 + sum(1 << int(dot) - 1 for dot in one.strip())) for one in dots.split("|")
    ).rstrip("\u2800")
