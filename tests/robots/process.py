"""A table in a process of its own, which is killed and started again: ``blindplay play`` at a
terminal. Its time is real, so the robots' own seconds pass in moments. The process says when it has
done a line, so no verdict depends on how fast it is."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from blindplay.laws import Game as PlayedGame
from blindplay.laws import facts as f
from blindplay.laws.facts import SIDES
from blindplay.record import read_journal
from blindplay.table import play
from blindplay.table.choices import Printed
from blindplay.table.devices import WantedDevices
from blindplay.typed_lines import TypedLines
from blindplay.wording.pack_words import PackWords
from tests import ROOT
from tests.waiting import PATIENCE_S

from .channels import EVERYBODY, Game, Listeners, People
from .robot import Act

_DONE = "\0"
"""Printed when a line has been done, and the next one is awaited."""


class Process(People):
    """The process, and what it prints."""

    def __init__(self, wanted: Game) -> None:
        self.open = False
        self._wanted = wanted
        self._process: subprocess.Popen[str]
        self._lines: list[str] = []
        self._done = 0  # lines that the process has done
        self._typed = 0
        self._new = threading.Condition()
        self._known = (0, PlayedGame(PackWords()))  # the bytes of the journal, and its game

    def start(self) -> None:
        """See :meth:`.People.start`."""
        wanted = self._wanted
        given = {
            "journal": str(wanted.path),
            "setup": None if wanted.path.exists() else f.dumps(wanted.setup),
            "language": wanted.language,
            "training": wanted.training,
        }
        self._done, self._typed = 0, 0
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.robots.process", json.dumps(given)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            cwd=ROOT,
        )
        self.open = True
        threading.Thread(target=self._read, args=(self._process,), daemon=True).start()
        self._await_answer()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            with self._new:
                if line.strip() == _DONE:
                    self._done += 1
                else:
                    self._lines.append(line.rstrip())
                self._new.notify_all()
        with self._new:
            self.open = self.open and process is not self._process
            self._new.notify_all()

    def _await_answer(self) -> None:
        """Wait until everything that was typed has been done."""
        with self._new:
            done = self._new.wait_for(lambda: self._done > self._typed or not self.open, PATIENCE_S)
            assert done, "The process does not answer."

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
        self._typed += 1
        self._await_answer()
        return f"types: {line or '(Enter)'}"

    def told(self) -> Iterator[tuple[Listeners, str]]:
        """See :meth:`.People.told`."""
        with self._new:
            lines, self._lines = self._lines, []
        yield from ((EVERYBODY, line) for line in lines if line)

    @property
    def state(self) -> PlayedGame:
        """See :meth:`.People.state`: what the journal holds."""
        written, game = self._known
        if (size := self._wanted.path.stat().st_size) != written:
            game = PlayedGame(PackWords())
            for fact in read_journal(self._wanted.path).facts:
                game.apply(fact)
            self._known = size, game
        return game

    @property
    def is_left(self) -> bool:
        """See :meth:`.People.is_left`."""
        return not self.open and self.state.over


class _Lines(TypedLines):
    """What is typed. It prints when a line has been done."""

    def until(self, over: Callable[[], bool]) -> Iterator[str]:
        print(_DONE, flush=True)
        for line in super().until(over):
            yield line
            print(_DONE, flush=True)


def main() -> None:
    """Run the table of the JSON object on the command line."""
    given = json.loads(sys.argv[1])
    setup = f.loads(given["setup"]) if given["setup"] else None
    assert setup is None or isinstance(setup, f.Setup)
    options = play.TableOptions(
        given["language"], training=given["training"], printed=Printed.WORDS
    )
    devices = WantedDevices(microphone="none", silent=True)
    play.run(Path(given["journal"]), setup, devices, _Lines(sys.stdin), sys.stdout, options)


if __name__ == "__main__":
    main()
