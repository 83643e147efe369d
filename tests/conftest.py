"""Property tests try the same examples each time, so that what passes here passes everywhere, and a
third of those that they are worth (``tests/sampling.py``).

With ``EXPLORE=1`` in the environment they try new ones, and with ``EXAMPLES=all`` the others, too,
as ``make test-long`` does. No example has a deadline, because machines differ in speed: no test
sets one.

What the user has installed (models, languages) or set is not seen, so that it changes no test.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from blindplay import translation
from tests.english_left import english_in
from tests.once import MadeOnce
from tests.programs import PROGRAMS, lacks, need
from tests.sampling import examples

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

gc.disable()  # until all tests are collected: that makes much, and nothing of it is garbage

_DATA = tempfile.TemporaryDirectory(prefix="blindplay-tests-")
os.environ["XDG_DATA_HOME"] = os.environ["XDG_CONFIG_HOME"] = _DATA.name

# The user reads German, whatever the machine speaks.
os.environ["LC_CTYPE"] = os.environ.pop("LC_ALL", os.environ.get("LC_CTYPE", "C.UTF-8"))
os.environ["LC_MESSAGES"] = "de_DE.UTF-8"

# Python keeps what it compiled, whatever the machine is set to: the workers and the thousands of
# processes of a run would otherwise compile all of it again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def _sync(handle: int) -> None:
    """Do not wait for the disk, as for some milliseconds tens of thousands of times: tests kill
    processes, but they never cut the power. It fails where nothing is open, as ``fsync`` does."""
    os.fstat(handle)


if sys.platform != "win32":  # where a file that is only read cannot be synced
    os.fsync = _sync  # type: ignore[assignment]

# A shell that runs the tests in the background, or for somebody who logs out, lets them and all
# that they start ignore these signals.
signal.signal(signal.SIGINT, signal.default_int_handler)
if sys.platform != "win32":
    for _ending in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(_ending, signal.SIG_DFL)

_LEAVE = subprocess.Popen.__exit__


def _leave(process: subprocess.Popen[Any], kind: type[BaseException] | None, *more: Any) -> None:
    """A test that fails does not wait for the program that it has started."""
    if kind is not None:
        process.kill()
    _LEAVE(process, kind, *more)


subprocess.Popen.__exit__ = _leave  # type: ignore[method-assign]

_ANY_SPEED = examples(100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("steady", _ANY_SPEED, derandomize=True)
settings.register_profile("exploring", _ANY_SPEED)
settings.load_profile("exploring" if os.environ.get("EXPLORE") else "steady")


_LOST: list[str] = []
_TRANSLATED = translation.translated


def _translated(text: str, language: str) -> str:
    code = translation.code_of(language) or "en"
    if not isinstance(text, translation.Message) and english_in(text, code):
        _LOST.append(text)
    return _TRANSLATED(text, language)


translation.translated = _translated  # before any other module takes it from there


@pytest.fixture
def english_words() -> None:
    """People give words in this test that also stand in English messages."""


@pytest.fixture(autouse=True)
def no_message_is_lost(request: pytest.FixtureRequest) -> Iterator[None]:
    """No message arrives as a plain text where texts are translated: it would stay in English."""
    _LOST.clear()
    yield
    assert "english_words" in request.fixturenames or not _LOST


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two workers more than there are processors: the tests of sound take one, and those of pages
    and boards wait half of their time."""
    chosen = os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS")
    return int(chosen) if chosen else (os.cpu_count() or 1) + 2


def pytest_addoption(parser: pytest.Parser) -> None:
    """``make quick`` has half a minute."""
    parser.addoption(
        "--begin-within",
        type=float,
        metavar="SECONDS",
        help="skip the tests that could begin only later",
    )


_BEGAN = time.monotonic()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test for which there is no time left."""
    within = item.config.getoption("--begin-within")
    if within is not None and time.monotonic() - _BEGAN > within:
        pytest.skip(f"no time left after {within:.0f} seconds; make test runs it")


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Let each of several workers begin with its share of the files. So they compile a fresh
    checkout together, and not each of them all of it."""
    worker = getattr(session.config, "workerinput", None)
    if worker is None or session.config.args != session.config.getini("testpaths"):
        return
    files = sorted(Path(__file__).parent.rglob("test_*.py"))
    for path in files[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
        with suppress(Exception, pytest.skip.Exception):  # the collection says it
            import_module(".".join(path.relative_to(session.config.rootpath).with_suffix("").parts))


@pytest.hookimpl(trylast=True)  # after those that are not wanted have left
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let two of several workers begin with the tests that take their time: each worker begins
    with an equal part of the list."""
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    if workers > 1:
        slow = [item for item in items if item.get_closest_marker("realtime")]
        rest = [item for item in items if not item.get_closest_marker("realtime")]
        cut = max(0, len(items) // workers - len(slow[::2]))
        items[:] = [*slow[::2], *rest[:cut], *slow[1::2], *rest[cut:]]


def pytest_collection_finish() -> None:
    """From here on the garbage collector need not look at what the collection has made."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 20)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say once for each reason how many tests were skipped for it, then what passed, and what one
    more program would add."""
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ") for report in _skipped(terminalreporter)
    )
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{_tests(count)} skipped: {reason}")
    wrong = sum(len(terminalreporter.stats.get(kind, [])) for kind in ("failed", "error"))
    passed = _tests(len(terminalreporter.stats.get("passed", [])))
    terminalreporter.write_line(f"{passed} passed, {wrong} failed.")
    added = [f"{name} {reasons[lacks(name)]}" for name in PROGRAMS if lacks(name) in reasons]
    if added:
        terminalreporter.write_line(f"One more program would add tests: {', '.join(added)}.")


def _tests(count: int) -> str:
    return "1 test" if count == 1 else f"{count} tests"


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With ``BLINDPLAY_TESTS=all``, as .ci/run has it, tests that are skipped have failed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")  # none in a worker
    if os.environ.get("BLINDPLAY_TESTS") == "all" and reporter and _skipped(reporter):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _skipped(reporter: pytest.TerminalReporter) -> list[Any]:
    return reporter.stats.get("skipped", [])


@pytest.fixture(scope="session")
def firmware() -> None:
    """Build the real firmware and its emulator; skip, saying what to install, without the tools."""
    if sys.platform != "linux":
        pytest.skip("The firmware's emulator runs on Linux only.")
    from hardware.emulated import build

    need("the firmware's compilers")
    build()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of a worker: it takes seconds to start."""
    pytest.importorskip("playwright")
    from tests.console.browser import chromium

    with chromium() as browser:
        yield browser


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A person's browser, in English, at a desk."""
    from tests.console.browser import person

    with person(browser) as context:
        yield context


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> MadeOnce:
    """Makes folders that all workers share."""
    return MadeOnce(tmp_path_factory, pytestconfig)
