"""Run the whole suite again and again, idle and beside other work, and say what ever failed.

    make steady                               # eight times idle, four times loaded
    make steady ARGS="--idle 2 --loaded 0"    # fewer
    make steady ARGS="--bare"                 # without the programs of programs.py

Each series begins as a newcomer does: with a fresh clone of the last commit and an empty HOME.
``--bare`` hides the programs in a name space of its own, which needs Linux and its ``unshare``.
Exit status 1 if any test failed in any run.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests import ROOT
from tests.programs import PROGRAMS

SLOWEST = 25


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep so many processes computing."""
    command = [sys.executable, "-c", "while True: pass"]
    running = [subprocess.Popen(command) for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def hiding(command: Sequence[str]) -> list[str]:
    """Return ``command`` so that it sees none of the programs that pip does not install."""
    parts = [part for program in PROGRAMS.values() for part in program.places() if part]
    mounts = [f"mount --bind /dev/null {shlex.quote(str(part.resolve()))}" for part in parts]
    script = " && ".join([*mounts, shlex.join(command)])
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", script]


class Series:
    """Runs of one clone. ``seconds`` holds each test's times, ``failed`` the runs it failed in."""

    def __init__(self, folder: Path, *, bare: bool, workers: int | None) -> None:
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.failed: dict[str, list[str]] = defaultdict(list)
        self._folder, self._bare, self._workers = folder, bare, workers
        self._clone = folder / "blindplay"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(self._clone)], check=True)
        (folder / "home").mkdir()

    def run(self, name: str) -> None:
        """Run ``make test`` once, and print one line about it."""
        report, log = self._folder / f"{name}.xml", self._folder / f"{name}.log"
        env = {**os.environ, "HOME": str(self._folder / "home")}
        env["PYTEST_ADDOPTS"] = f"--junitxml={report}"
        if self._workers:
            env["PYTEST_XDIST_AUTO_NUM_WORKERS"] = str(self._workers)
        command = ["make", "test"]
        began = time.monotonic()
        with log.open("w") as out:
            running = subprocess.Popen(
                hiding(command) if self._bare else command,
                cwd=self._clone,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                status = running.wait()
            except BaseException:  # whoever ends this program ends its tests, too
                subprocess.run(["kill", "--", f"-{running.pid}"], check=False)
                raise
        took = time.monotonic() - began
        if not report.exists():
            self.failed["make test"].append(name)
            print(f"{name}: {took:.0f} s, it ended before the tests did; see {log}", flush=True)
            return
        tests = self._take(name, report)
        wrong = sum(name in runs for runs in self.failed.values())
        if status and not wrong:
            self.failed["make test"].append(name)
        print(f"{name}: {took:.0f} s, {tests} tests, {wrong} failed; {log}", flush=True)

    def _take(self, name: str, report: Path) -> int:
        count = 0
        for case in ElementTree.parse(report).iter("testcase"):
            count += 1
            test = f"{case.get('classname')}::{case.get('name')}"
            self.seconds[test].append(float(case.get("time", 0)))
            if case.find("failure") is not None or case.find("error") is not None:
                self.failed[test].append(name)
        return count

    def tell(self) -> None:
        """Print the slowest tests, and every test that failed in any run."""
        mean = {test: sum(times) / len(times) for test, times in self.seconds.items()}
        slowest = sorted(mean, key=mean.__getitem__, reverse=True)[:SLOWEST]
        print(f"The slowest {SLOWEST} of {sum(mean.values()):.0f} s, seconds on average:")
        for test in slowest:
            print(f"  {mean[test]:6.1f}  {test}")
        for test, runs in self.failed.items():
            print(f"FAILED in {', '.join(runs)}: {test}")
        print("No test failed in any run." if not self.failed else f"{len(self.failed)} failed.")


def main() -> int:
    """Run the series that the command line describes."""
    parser = argparse.ArgumentParser(prog="make steady", description=__doc__)
    parser.add_argument("--idle", type=int, default=8, help="runs of an idle machine (8)")
    parser.add_argument("--loaded", type=int, default=4, help="runs beside busy processes (4)")
    parser.add_argument("--busy", type=int, default=4, help="how many such processes (4)")
    parser.add_argument("--bare", action="store_true", help="hide the optional programs")
    parser.add_argument("--workers", type=int, help="workers of pytest, instead of its own choice")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder = Path(tempfile.mkdtemp(prefix="blindplay-steady-"))  # kept: it holds the logs
    series = Series(folder, bare=given.bare, workers=given.workers)
    for number in range(given.idle):
        series.run(f"idle-{number + 1}")
    for number in range(given.loaded):
        with busy(given.busy):
            series.run(f"loaded-{number + 1}")
    series.tell()
    return 1 if series.failed else 0


if __name__ == "__main__":
    sys.exit(main())
