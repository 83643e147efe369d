"""A real Mosquitto for tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.hall.event_file import EventFile
from blindplay.hall.local_broker import BrokerMissingError, LocalBroker, program


def need_mosquitto() -> None:
    """Skip the test, saying what to install, where there is no Mosquitto."""
    try:
        program()
    except BrokerMissingError as missing:
        pytest.skip(str(missing))


class RealBroker(LocalBroker):
    """A Mosquitto on a port of its own."""

    def __init__(self, folder: Path) -> None:
        need_mosquitto()
        super().__init__(folder)

    def event_file(self, table: str = "") -> EventFile:
        return EventFile("open", self.broker, table)
