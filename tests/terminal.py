"""A command in a terminal of its own, as a user has one. There are none on Windows."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from tests.forked import Forked
from tests.waiting import PATIENCE_S, until


class Terminal:
    """Runs ``blindplay`` with these arguments; ``home`` is the user's home folder."""

    def __init__(self, *arguments: str, home: Path) -> None:
        ours, theirs = _terminal()
        self._keys = ours
        self._printed = bytearray()
        self._waited = 0  # how much of what is printed was waited for in order
        folders = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"), str(home))
        self._process = _begun(arguments, theirs, {**os.environ, **folders})
        os.close(theirs)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # the terminal is gone when the process is
            while part := os.read(self._keys, 4096):
                self._printed += part

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join(PATIENCE_S)
        os.close(self._keys)

    @property
    def printed(self) -> str:
        """All that was printed, what was typed included."""
        return bytes(self._printed).decode("utf-8", "replace").replace("\r\n", "\n")

    def shows(self, *sentences: str) -> None:
        """Wait until all of these are printed."""
        assert until(lambda: all(one in self.printed for one in sentences)), self.printed

    def shows_times(self, sentence: str, times: int) -> None:
        """Wait until a sentence is printed so often."""
        assert until(lambda: self.printed.count(sentence) >= times), self.printed

    def enter(self, line: str, *said: str) -> str:
        """Type a line, and wait until each of ``said`` is printed after it, in this order. Returns
        what was printed."""
        begun = self._waited
        self.type(line)
        for words in said:
            self.comes(words)
        return self.printed[begun : self._waited]

    def comes(self, words: str) -> None:
        """Wait until this is printed after what was waited for in order before."""
        assert until(lambda: words in self.printed[self._waited :]), self.printed
        self._waited = self.printed.index(words, self._waited) + len(words)

    def type(self, line: str) -> None:
        os.write(self._keys, f"{line}\n".encode())

    def press(self, keys: str) -> None:
        """Press keys of the terminal, as the bytes that they send."""
        os.write(self._keys, keys.encode())

    def interrupt(self) -> None:
        """Ctrl-C."""
        os.write(self._keys, b"\x03")

    def terminate(self) -> None:
        """What a system does that stops a service."""
        self._process.terminate()

    def kill(self) -> None:
        """End the process at once, as a power cut does."""
        self._process.kill()
        self._process.wait()

    def stand_still(self, seconds: float) -> None:
        """Stop the process for so long, as the shell's Ctrl-Z or a computer that sleeps does."""
        if sys.platform != "win32":
            self._process.send_signal(signal.SIGSTOP)
            time.sleep(seconds)
            self._process.send_signal(signal.SIGCONT)

    def end_input(self) -> None:
        """Ctrl-D: no more input comes."""
        os.write(self._keys, b"\x04")

    @property
    def echoes(self) -> bool:
        """True if the terminal shows what is typed, as a shell wants it."""
        if sys.platform == "win32":
            return True
        import termios

        return bool(termios.tcgetattr(self._keys)[3] & termios.ECHO)

    def status(self) -> int:
        """Wait until the command ends, and return its exit status."""
        status = self._process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        return status


def _terminal() -> tuple[int, int]:
    """Both ends of a new terminal: the user's and the command's."""
    if sys.platform == "win32":
        raise OSError("Windows has no such terminals.")
    return os.openpty()


def _begun(
    arguments: Sequence[str], terminal: int, environment: Mapping[str, str]
) -> Forked | subprocess.Popen[bytes]:
    if sys.platform == "linux":  # what other systems load may not outlive a fork
        return Forked(arguments, terminal, environment)
    return subprocess.Popen(
        [sys.executable, "-m", "blindplay", *arguments],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=environment,
        start_new_session=True,
        preexec_fn=_take_terminal,
    )


def _take_terminal() -> None:
    """Let Ctrl-C at the terminal interrupt this process."""
    if sys.platform != "win32":
        import fcntl
        import termios

        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
