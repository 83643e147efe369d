"""A broker on this machine, for a try-out or a measurement: Mosquitto, if it is installed."""

import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Self

from blindplay.broker import Broker

from .broker_files import CONFIGURATION

_OPEN = "allow_anonymous true\n"
_PLACES = "/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin", r"C:\Program Files\mosquitto"
_INSTALL = {
    "win32": "winget install EclipseFoundation.Mosquitto",
    "darwin": "brew install mosquitto",
}


class BrokerMissingError(ValueError):
    """Mosquitto is not installed; the message says how to install it."""


def program() -> str:
    """The path of Mosquitto.

    :raises BrokerMissingError: if it is not installed.
    """
    for place in (None, *_PLACES):
        if found := shutil.which("mosquitto", path=place):
            return found
    command = _INSTALL.get(sys.platform, "sudo apt install mosquitto")
    raise BrokerMissingError(f"There is no Mosquitto on this machine; install it with: {command}")


def run_broker(folder: Path) -> None:
    """Run Mosquitto with the configuration in ``folder`` until it ends.

    :raises BrokerMissingError: if Mosquitto is not installed.
    :raises ValueError: if there is no configuration, or Mosquitto ends by itself.
    """
    if not (folder / CONFIGURATION).is_file():
        raise ValueError(
            f"There is no {folder / CONFIGURATION}; name the hall.toml that blindplay hall init "
            "has written."
        )
    done = subprocess.run([program(), "-c", CONFIGURATION], cwd=folder)
    if done.returncode:
        raise ValueError(
            "Mosquitto has ended by itself; its lines above say why. Perhaps it runs already."
        )


class LocalBroker:
    """A Mosquitto that only this machine reaches. It keeps nothing when it ends."""

    def __init__(self, folder: Path, configuration: str = _OPEN) -> None:
        """Start it; ``folder`` gets its configuration. :attr:`port` is a free one.

        :raises BrokerMissingError: if Mosquitto is not installed.
        """
        self._program = program()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self._file = folder / "mosquitto.conf"
        listener = f"listener {self.port} 127.0.0.1\nmax_queued_messages 100000\n"
        self._file.write_text(listener + configuration, "utf-8")
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def broker(self) -> Broker:
        """The address for connections to it."""
        return Broker("127.0.0.1", self.port)

    def start(self) -> None:
        """Start it again after :meth:`kill`."""
        self._process = subprocess.Popen(
            [self._program, "-c", str(self._file)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def kill(self) -> None:
        """End it as a power cut does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
