"""A real Mosquitto at which tables meet, on a port of its own."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

from blindplay.hall.brokers import CONFIGURATION, meeting_broker_files, program
from tests.hall.broker import LOCAL
from tests.ports import free_port
from tests.programs import need
from tests.waiting import until


class MeetingBroker:
    """Runs as ``blindplay hall meetings`` does."""

    host = LOCAL

    def __init__(self, folder: Path) -> None:
        need("Mosquitto")
        self._folder = folder
        self.port = free_port()
        for name, text in meeting_broker_files(self.port).items():
            (folder / name).write_text(text, "utf-8")
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(
            [program(), "-c", CONFIGURATION],
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        assert until(self._answers)

    def _answers(self) -> bool:
        try:
            socket.create_connection((LOCAL, self.port)).close()
        except OSError:
            return False
        return True

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
