"""Tell which tests take the processors' time: ``pytest -p tests.cpu``.

The time of a test is its own, that of the processes that it starts, and that of those that serve
many tests, such as a browser. Collection is not in it. Processes are read from Linux's /proc.
"""

from __future__ import annotations

import os
import sys
import time
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

PROPERTY = "cpu_s"
SHOWN = 30


_before = 0.0
_spent: defaultdict[str, float] = defaultdict(float)


def so_far() -> float:
    """Return the CPU seconds of this process and of all below it, also of those that ended."""
    if sys.platform == "win32":
        return time.process_time()
    tick_s = 1 / os.sysconf("SC_CLK_TCK")
    below = defaultdict[int, list[tuple[int, float]]](list)
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = list(map(int, path.read_text().rpartition(") ")[2].split()[1:15]))
        except OSError:  # it has just ended
            continue
        below[fields[0]].append((int(path.parent.name), sum(fields[10:14]) * tick_s))
    ended, parents = os.times(), [os.getpid()]
    seconds = time.process_time() + ended.children_user + ended.children_system
    for parent in parents:
        for child, its_seconds in below[parent]:
            seconds += its_seconds
            parents.append(child)
    return seconds


def pytest_collection_finish() -> None:
    """Begin to count."""
    global _before
    _before = so_far()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, Any, Any]:
    """Give the last report of a test its time, which a report in XML has, too."""
    global _before
    if call.when == "teardown":
        now = so_far()  # less than before when a browser ends, and with it what counted its pages
        item.user_properties.append((PROPERTY, max(0, round(now - _before, 3))))
        _before = now
    return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up what the workers tell."""
    for name, seconds in report.user_properties:
        if name == PROPERTY:
            _spent[report.nodeid] += float(str(seconds))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the rooms, and the files and tests that take most."""
    rooms, files = defaultdict[str, float](float), defaultdict[str, float](float)
    for test, seconds in _spent.items():
        file = test.partition("::")[0]
        files[file] += seconds
        rooms[str(Path(*Path(file).parts[:2]))] += seconds
    for title, counted in (("room", rooms), ("file", files), ("test", _spent)):
        terminalreporter.section(f"CPU seconds by {title}, of {sum(counted.values()):.0f}")
        most = sorted(counted, key=counted.__getitem__, reverse=True)
        for name, seconds in ((name, counted[name]) for name in most[:SHOWN]):
            terminalreporter.write_line(f"{seconds:8.1f}  {name}")
