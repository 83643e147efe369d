"""The table that is killed: `blindplay play` in a process of its own, with all devices.

Only people and hardware are simulated: the boards are emulators in the process that kills, the
outputs are silent, and the microphone plays sound files from a folder.
"""

import json
import sys
import threading
from pathlib import Path

from benchmarks.memory_audio import MemorySink
from blindplay.laws import facts as f
from blindplay.speech.audio import BLOCK_BYTES, QueueSource, read_audio
from blindplay.table import devices, play


class FolderSource(QueueSource):
    """A microphone that hears every sound file that appears in ``folder``, except those that are
    there at the start."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._heard = set(folder.glob("*.wav"))
        self._ended = threading.Event()
        threading.Thread(target=self._feed, name="folder", daemon=True).start()

    def _feed(self) -> None:
        while not self._ended.wait(BLOCK_BYTES / 32_000):
            new = sorted(set(self._folder.glob("*.wav")) - self._heard)
            self._heard.update(new)
            for file in new:
                self.push(read_audio(file))
            if not self.waiting():
                self.push(bytes(BLOCK_BYTES))

    def close(self) -> None:
        self._ended.set()
        super().close()


def main() -> None:
    """Play as the JSON object on the command line says: ``journal``, ``setup`` (a fact, or null to
    resume), ``boards``, ``port`` of the console, ``sounds`` (a folder, or null)."""
    wanted = json.loads(sys.argv[1])
    sounds = wanted["sounds"]
    vars(devices).update(
        DeviceSink=lambda device=None: MemorySink("silent", keeps=False),
        MicrophoneSource=lambda device=None, allow_missing=False: FolderSource(Path(sounds)),
    )
    setup = f.parse(wanted["setup"]) if wanted["setup"] else None
    assert setup is None or isinstance(setup, f.Setup)
    board, sighted = wanted["boards"]
    named = devices.WantedDevices(board, sighted, None if sounds else "none")
    console = play.ConsoleAt(port=wanted["port"], qr=False)
    play.run(Path(wanted["journal"]), setup, named, sys.stdin, sys.stdout, console=console)


if __name__ == "__main__":
    main()
