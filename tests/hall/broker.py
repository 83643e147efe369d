"""A real Mosquitto for tests, on a port of its own, that can be killed and started again."""

from __future__ import annotations

import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from blindplay.hall.event_file import Broker, EventFile

_PROGRAM = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")


class RealBroker:
    """A Mosquitto that lets everybody in, or those whom ``configuration`` lets in."""

    def __init__(self, folder: Path, configuration: str = "allow_anonymous true\n") -> None:
        if _PROGRAM is None:
            pytest.skip("Mosquitto is not installed (Debian: mosquitto).")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._file = folder / "mosquitto.conf"
        listener = f"listener {self.port} 127.0.0.1\n"
        self._file.write_text(f"{listener}{configuration}max_queued_messages 100000\n", "utf-8")
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        assert _PROGRAM is not None
        self._process = subprocess.Popen(
            [_PROGRAM, "-c", str(self._file)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def kill(self) -> None:
        """End it as a power cut does: it keeps nothing."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def event_file(self, table: str = "") -> EventFile:
        return EventFile("open", Broker("127.0.0.1", self.port), table)
