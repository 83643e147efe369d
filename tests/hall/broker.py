"""A real Mosquitto for tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.hall.event_file import EventFile
from blindplay.hall.local_broker import BrokerMissingError, LocalBroker, program


class RealBroker(LocalBroker):
    """A Mosquitto on a port of its own; without one the test is skipped."""

    def __init__(self, folder: Path) -> None:
        try:
            program()
        except BrokerMissingError as missing:
            pytest.skip(str(missing))
        super().__init__(folder)

    def event_file(self, table: str = "") -> EventFile:
        return EventFile("open", self.broker, table)
