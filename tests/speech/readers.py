"""Screen readers for tests: one in Python that Prism speaks to, and a real Speech Dispatcher."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

from blindplay.extras import install_command
from blindplay.speech.screen_reader import ScreenReader
from tests.programs import need
from tests.waiting import until

prism = pytest.importorskip(
    "prism", reason=f"prismatoid is not installed; run: {install_command('reader')}"
)


class RecordingReader:
    """A reader that Prism knows beside its own, and what it was given to say and to show.

    `closed`: it is not running. `ends`: it tells when it has ended, which is at once.
    """

    def __init__(self, *, ends: bool = True) -> None:
        self.spoken: list[str] = []
        self.shown: list[str] = []
        self.stopped = 0
        self.closed = False
        reader = self

        class Backend(prism.CustomBackend):  # type: ignore[misc,name-defined]
            """What Prism calls; it may make several."""

            def initialize(self) -> None:
                if reader.closed:
                    raise OSError("closed")

            def speak(self, text: str, interrupt: bool) -> None:
                self.initialize()
                assert not interrupt
                reader.spoken.append(text)

            def braille(self, text: str) -> None:
                self.initialize()
                reader.shown.append(text)

            def stop(self) -> None:
                reader.stopped += 1

        if ends:
            asked = iter(range(sys.maxsize))
            Backend.is_speaking = lambda self: next(asked) % 2 == 0
        builder = prism.RegistryBuilder()
        builder.add_backend("Recorder", Backend)
        self.registry = builder.freeze()

    def screen_reader(self, **how: Any) -> ScreenReader:
        return ScreenReader(registry=self.registry, **how)


class SpeechDispatcher:
    """A Speech Dispatcher with its dummy output, in `folder`, which must have a short path."""

    def __init__(self, folder: Path) -> None:
        need("Speech Dispatcher")
        self._folder = folder
        self.address = f"unix_socket:{folder / 'socket'}"
        shutil.copytree("/etc/speech-dispatcher/modules", folder / "modules")
        (folder / "speechd.conf").write_text(
            'LogLevel 5\nLogDir "default"\nDisableAutoSpawn\nAudioOutputMethod "alsa"\n'
            'AudioALSADevice "null"\nAddModule "dummy" "sd_dummy" ""\nDefaultModule dummy\n'
        )

    def __enter__(self) -> Self:
        self.start()
        return self

    def start(self) -> None:
        socket = self._folder / "socket"
        socket.unlink(missing_ok=True)
        options = ("-s", "-c", "unix_socket", "-t", "0")
        places = {"-S": "socket", "-C": "", "-L": "", "-P": "pid"}
        where = (word for key, name in places.items() for word in (key, str(self._folder / name)))
        self._process = subprocess.Popen(
            ["speech-dispatcher", *options, *where],
            env=os.environ | {"LC_ALL": "C.UTF-8"},  # it ends in a locale that is not installed
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        assert until(lambda: socket.exists() or self._process.poll() is not None)
        assert self._process.poll() is None, self._log()

    def _log(self) -> str:
        path = self._folder / "speech-dispatcher.log"
        return path.read_text("utf-8", "replace") if path.exists() else "no log"

    @property
    def spoken(self) -> list[str]:
        """What it has given to its dummy output."""
        return re.findall(r"Command sent to output module: \|<speak>(.*)</speak>\|", self._log())

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.stop()


def reached(dispatcher: SpeechDispatcher, monkeypatch: pytest.MonkeyPatch) -> ScreenReader:
    """A reader that speaks through this Speech Dispatcher."""
    monkeypatch.setitem(os.environ, "SPEECHD_ADDRESS", dispatcher.address)
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)  # no Orca of this machine
    return ScreenReader(words_per_minute=900)
