"""A table in a process of its own, which is killed and started again: ``blindplay play`` at a
terminal. Its time is real, so the robots' own seconds pass in moments."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from blindplay.laws import Game as PlayedGame
from blindplay.laws import facts as f
from blindplay.laws.facts import SIDES
from blindplay.record import read_journal
from blindplay.table import play
from blindplay.table.choices import Printed
from blindplay.table.devices import WantedDevices
from blindplay.wording.pack_words import PackWords
from tests import ROOT
from tests.waiting import PATIENCE_S

from .channels import EVERYBODY, Game, Listeners, People
from .robot import Act

_QUIET_S = 0.1  # without a line: the answer is whole
_LONGEST_S = 5.0


class Process(People):
    """The process, and what it prints."""

    def __init__(self, wanted: Game) -> None:
        self.open = False
        self._wanted = wanted
        self._process: subprocess.Popen[str]
        self._lines: list[str] = []
        self._new = threading.Condition()

    def start(self) -> None:
        """See :meth:`.People.start`."""
        wanted = self._wanted
        given = {
            "journal": str(wanted.path),
            "setup": None if wanted.path.exists() else f.dumps(wanted.setup),
            "language": wanted.language,
            "training": wanted.training,
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.robots.process", json.dumps(given)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            cwd=ROOT,
        )
        threading.Thread(target=self._read, args=(self._process,), daemon=True).start()
        self.open = True
        with self._new:
            self._new.wait_for(lambda: self._lines or not self.open, PATIENCE_S)
        self._await_quiet()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            with self._new:
                self._lines.append(line.rstrip())
                self._new.notify_all()
        with self._new:
            self.open = self.open and process is not self._process
            self._new.notify_all()

    def _await_quiet(self) -> None:
        """Wait until nothing has been printed for a moment."""
        with self._new:
            end = time.monotonic() + _LONGEST_S
            while self._new.wait(_QUIET_S) and time.monotonic() < end:
                pass

    def kill(self) -> None:
        """See :meth:`.People.kill`."""
        self.open = False
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError), self._process:
            pass  # its pipes are closed

    def await_end(self) -> None:
        """See :meth:`.People.await_end`."""
        with self._new:
            self._new.wait_for(lambda: not self.open, PATIENCE_S)

    def second(self) -> None:
        """See :meth:`.People.second`: its time is its own."""

    def do(self, side: str, act: Act) -> str:
        """See :meth:`.People.do`."""
        line = act.words
        if act.kind in ("say", "write") and side in SIDES and not act.on_move:
            line = f"{side}: {line}"
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        self._await_quiet()
        return f"types: {line or '(Enter)'}"

    def told(self) -> Iterator[tuple[Listeners, str]]:
        """See :meth:`.People.told`."""
        with self._new:
            lines, self._lines = self._lines, []
        yield from ((EVERYBODY, line) for line in lines if line)

    @property
    def state(self) -> PlayedGame:
        """See :meth:`.People.state`: what the journal holds."""
        game = PlayedGame(PackWords())
        for fact in read_journal(self._wanted.path).facts:
            game.apply(fact)
        return game

    @property
    def is_left(self) -> bool:
        """See :meth:`.People.is_left`."""
        return not self.open and self.state.over


def main() -> None:
    """Run the table of the JSON object on the command line."""
    given = json.loads(sys.argv[1])
    setup = f.loads(given["setup"]) if given["setup"] else None
    assert setup is None or isinstance(setup, f.Setup)
    options = play.TableOptions(
        given["language"], training=given["training"], printed=Printed.WORDS
    )
    devices = WantedDevices(microphone="none", silent=True)
    play.run(Path(given["journal"]), setup, devices, sys.stdin, sys.stdout, options)


if __name__ == "__main__":
    main()
