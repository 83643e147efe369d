"""A real Mosquitto for tests."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

from blindplay.hall.brokers import CONFIGURATION, LocalBroker, program
from blindplay.hall.event_file import EventFile, read_event_file
from blindplay.hall.new_event import BROKER_FOLDER, HALL_FILE, READER_FILE, EventPlan, write_event
from tests.ports import free_port
from tests.programs import need

LOCAL = "127.0.0.1"


class RealBroker(LocalBroker):
    """A Mosquitto on a port of its own."""

    def __init__(self, folder: Path) -> None:
        need("Mosquitto")
        super().__init__(folder, port=free_port())


class EventBroker:
    """A Mosquitto as ``blindplay hall init`` describes it, on a port of its own."""

    def __init__(self, folder: Path, tables: int = 2) -> None:
        need("Mosquitto")
        self.folder = folder / "event"
        write_event(EventPlan("Try", 3, "fide-2023", "900+10", tables, ("en",), LOCAL), self.folder)
        self.port = free_port()
        own = self.folder / BROKER_FOLDER
        file = own / CONFIGURATION
        listener = f"listener {self.port} {LOCAL}"
        file.write_text(file.read_text("utf-8").replace("listener 8883", listener), "utf-8")
        reader = self.folder / READER_FILE
        of_reader = reader.read_text("utf-8").replace("port = 8883", f"port = {self.port}")
        reader.write_text(of_reader, "utf-8")
        self._process = subprocess.Popen(
            [program(), "-c", CONFIGURATION],
            cwd=own,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def event_file(self, table: str = "") -> EventFile:
        """What the file of the hall, of ``reader`` or of a table says, with the port of this
        broker."""
        files = {"": HALL_FILE, "reader": READER_FILE}
        name = files.get(table, f"table-{table}.toml")
        found = read_event_file(self.folder / name, table=table not in files)
        return replace(found, broker=replace(found.broker, port=self.port))

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
