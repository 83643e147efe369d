"""``blindplay play`` at a real terminal: lines are typed, lines are read."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.waiting import until


def _both_ends() -> tuple[int, int]:
    if sys.platform == "win32":
        raise OSError("Windows has no terminals of this kind.")
    return os.openpty()


class Terminal:
    """A game that prints what it says and hears only keys. ``options`` are more of ``play``."""

    def __init__(self, home: Path, language: str, *options: str) -> None:
        self._keys, theirs = _both_ends()
        command = ["play", "--language", language, "--microphone", "none", "--silent", *options]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "blindplay", *command],
            stdin=theirs, stdout=theirs, stderr=theirs,
            env={**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home / "data")},
        )  # fmt: skip
        os.close(theirs)
        self._printed, self._read = "", 0
        self._reader = threading.Thread(target=self._read_on, daemon=True)
        self._reader.start()

    def _read_on(self) -> None:
        found = b""
        while True:
            try:
                news = os.read(self._keys, 1 << 16)
            except OSError:  # the other end is closed
                return
            if not news:
                return
            found += news
            self._printed = found.decode("utf-8", "replace").replace("\r\n", "\n")

    def enter(self, line: str, *said: str) -> str:
        """Type a line, and wait until each of ``said`` is printed after it, in this order. Returns
        what was printed."""
        begun = self._read
        os.write(self._keys, f"{line}\n".encode())
        for words in said:
            self.shows(words)
        return self._printed[begun : self._read]

    def shows(self, words: str) -> None:
        """Wait until this is printed after what was waited for before."""
        assert until(lambda: words in self._printed[self._read :], 60), self._printed
        self._read = self._printed.index(words, self._read) + len(words)

    @property
    def status(self) -> int:
        """The exit status, when the process has ended."""
        return self._process.wait(60)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._keys)
        self._reader.join(10)
