"""Run the whole suite again and again, idle and beside other work, and say what ever failed.

    make steady                               # eight times idle, four times loaded
    make steady ARGS="--idle 2 --loaded 0"    # fewer
    make steady ARGS="--bare"                 # without the programs of programs.py

Each run begins as a newcomer does: with a fresh clone of the last commit and an empty HOME. It is
kept in ``build/steady`` when it has ended, in a folder for its commit: so this goes on where it was
stopped, and never counts the runs of another commit. ``--bare`` hides the programs in a name space
of its own, which needs Linux and its ``unshare``. Exit status 1 if it was stopped, or any test
failed in any run.
"""

from __future__ import annotations

import argparse
import json
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
from dataclasses import asdict, dataclass
from pathlib import Path

from tests import ROOT
from tests.programs import PROGRAMS

SLOWEST = 25
WHOLE = "make test"
"""Fails in a run that failed without a test that did."""


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
    parts = set[Path]().union(*(program.copies() for program in PROGRAMS.values()))
    mounts = [f"mount --bind /dev/null {shlex.quote(str(part))}" for part in sorted(parts)]
    script = " && ".join([*mounts, shlex.join(command)])
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", script]


@dataclass(frozen=True)
class Run:
    """What came of one run: each test's seconds, and the tests that failed."""

    took: float
    seconds: dict[str, float]
    failed: list[str]


class Series:
    """The runs of the last commit of ``repository``, each kept below ``folder`` by its name."""

    def __init__(self, repository: Path, folder: Path) -> None:
        self._repository = repository
        self.commit = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=repository, check=True, capture_output=True, text=True
        ).stdout.strip()
        self._folder = folder / self.commit
        self._folder.mkdir(parents=True, exist_ok=True)

    @property
    def runs(self) -> dict[str, Run]:
        """The runs that have ended."""
        files = sorted(self._folder.glob("*.json"))
        return {file.stem: Run(**json.loads(file.read_text("utf-8"))) for file in files}

    def run(self, name: str, *, bare: bool, workers: int | None) -> None:
        """Run ``make test`` once, unless it was, and print one line about it."""
        if name in self.runs:
            print(f"{name}: it was run before.", flush=True)
            return
        log = self._folder / f"{name}.log"
        with tempfile.TemporaryDirectory(prefix="blindplay-steady-") as folder:
            run = self._run(Path(folder), log, bare=bare, workers=workers)
        ended = log.with_suffix(".json.new")
        ended.write_text(json.dumps(asdict(run)), "utf-8")
        ended.replace(log.with_suffix(".json"))
        tests, wrong = len(run.seconds), len(run.failed)
        print(f"{name}: {run.took:.0f} s, {tests} tests, {wrong} failed; {log}", flush=True)

    def _run(self, folder: Path, log: Path, *, bare: bool, workers: int | None) -> Run:
        clone, home, report = (folder / name for name in ("blindplay", "home", "report.xml"))
        subprocess.run(["git", "clone", "--quiet", str(self._repository), str(clone)], check=True)
        subprocess.run(["git", "checkout", "--quiet", self.commit], cwd=clone, check=True)
        home.mkdir()
        # What make was called with is not meant for each make below it.
        own = ("MAKE", "MFLAGS", "ARGS")
        env = {name: value for name, value in os.environ.items() if not name.startswith(own)}
        env |= {"HOME": str(home), "PYTEST_ADDOPTS": f"--junitxml={report}"}
        if workers:
            env["PYTEST_XDIST_AUTO_NUM_WORKERS"] = str(workers)
        command = ["make", "test"]
        began = time.monotonic()
        with log.open("w") as out:
            running = subprocess.Popen(
                hiding(command) if bare else command,
                cwd=clone,
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
                running.wait()
                raise
        took = time.monotonic() - began
        seconds, failed = _read(report) if report.exists() else ({}, [])
        return Run(took, seconds, failed or ([WHOLE] if status else []))

    def tell(self) -> bool:
        """Print the slowest tests, and every test that failed in any run; return whether none
        did."""
        times, failed = defaultdict[str, list[float]](list), defaultdict[str, list[str]](list)
        for name, run in self.runs.items():
            for test, seconds in run.seconds.items():
                times[test].append(seconds)
            for test in run.failed:
                failed[test].append(name)
        mean = {test: sum(took) / len(took) for test, took in times.items()}
        slowest = sorted(mean, key=mean.__getitem__, reverse=True)[:SLOWEST]
        print(f"The slowest {SLOWEST} of {sum(mean.values()):.0f} s, seconds on average:")
        for test in slowest:
            print(f"  {mean[test]:6.1f}  {test}")
        for test, runs in failed.items():
            print(f"FAILED in {', '.join(runs)}: {test}")
        count = f"{len(self.runs)} runs of {self.commit[:8]}"
        print(f"{count}: {f'{len(failed)} tests failed.' if failed else 'no test failed in any.'}")
        return not failed


def _read(report: Path) -> tuple[dict[str, float], list[str]]:
    """Return each test's seconds, and the tests that failed."""
    seconds, failed = {}, []
    for case in ElementTree.parse(report).iter("testcase"):
        test = f"{case.get('classname')}::{case.get('name')}"
        seconds[test] = float(case.get("time", 0))
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(test)
    return seconds, failed


def main(given: Sequence[str] | None = None, repository: Path = ROOT) -> int:
    """Run the series that the command line describes."""
    parser = argparse.ArgumentParser(prog="make steady", description=__doc__)
    parser.add_argument("--idle", type=int, default=8, help="runs of an idle machine (8)")
    parser.add_argument("--loaded", type=int, default=4, help="runs beside busy processes (4)")
    parser.add_argument("--busy", type=int, default=4, help="how many such processes (4)")
    parser.add_argument("--bare", action="store_true", help="hide the optional programs")
    parser.add_argument("--workers", type=int, help="workers of pytest, instead of its own choice")
    how = parser.parse_args(given)
    series = Series(repository, repository / "build" / "steady")
    kind = "".join(["bare-" if how.bare else "", f"{how.workers}-workers-" if how.workers else ""])
    try:
        for number in range(how.idle):
            series.run(f"{kind}idle-{number + 1}", bare=how.bare, workers=how.workers)
        for number in range(how.loaded):
            with busy(how.busy):
                name = f"{kind}beside-{how.busy}-{number + 1}"
                series.run(name, bare=how.bare, workers=how.workers)
        whole = True
    except KeyboardInterrupt:
        print("Stopped. The same command goes on after the runs that have ended.")
        whole = False
    return 0 if series.tell() and whole else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())
