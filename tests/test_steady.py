"""``make steady`` runs the suite again and again: what it keeps of each run, and its report."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.steady import main

# A suite of one test, which fails where a file says so, or ends before there is a report.
MAKEFILE = """
test:
\t@test ! -e {folder}/crashes
\t@kind=$$(test -e {folder}/fails && echo failure || echo skipped); \\
\techo "<a><testcase classname='tests.test_a' name='one' time='2'><$$kind/></testcase></a>" \\
\t> $${{PYTEST_ADDOPTS#*=}}
\t@test ! -e {folder}/fails
"""


def git(repository: Path, *words: str) -> None:
    known = ("-c", "user.name=A", "-c", "user.email=a@b")
    subprocess.run(["git", *known, *words], cwd=repository, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    made = tmp_path / "repository"
    made.mkdir()
    (made / "Makefile").write_text(MAKEFILE.format(folder=tmp_path), "utf-8")
    git(made, "init", "--quiet")
    git(made, "add", "Makefile")
    git(made, "commit", "-m", "one")
    return made


def test_a_series_goes_on_after_the_runs_that_have_ended_and_never_with_those_of_another_commit(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fails = tmp_path / "fails"
    fails.touch()
    assert main(["--idle", "1", "--loaded", "0"], repository) == 1
    assert "FAILED in idle-1: tests.test_a::one" in capsys.readouterr().out
    fails.unlink()
    assert main(["--idle", "2", "--loaded", "1", "--busy", "1"], repository) == 1
    told = capsys.readouterr().out
    assert "idle-1: it was run before." in told and "idle-2: 0 s, 1 tests, 0 failed" in told
    assert "2.0  tests.test_a::one" in told and "beside-1-1: " in told
    assert "FAILED in idle-1: tests.test_a::one" in told and "3 runs of" in told
    git(repository, "commit", "--allow-empty", "-m", "two")
    assert main(["--idle", "1", "--loaded", "0"], repository) == 0
    told = capsys.readouterr().out
    assert "1 runs of" in told and "no test failed in any." in told


def test_a_run_that_ends_before_its_tests_has_failed_and_a_run_that_is_stopped_has_not_ended(
    repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "crashes").touch()
    with monkeypatch.context() as stopped:
        wait = subprocess.Popen.wait
        interrupts = [KeyboardInterrupt()]

        def wait_or_stop(process: subprocess.Popen[bytes], timeout: float | None = None) -> int:
            if process.args == ["make", "test"] and interrupts:
                raise interrupts.pop()
            return wait(process, timeout)

        stopped.setattr(subprocess.Popen, "wait", wait_or_stop)
        assert main(["--idle", "2", "--loaded", "0"], repository) == 1
        assert "Stopped." in capsys.readouterr().out
    assert main(["--idle", "1", "--loaded", "0"], repository) == 1
    assert "FAILED in idle-1: make test" in capsys.readouterr().out
    (kept,) = (repository / "build" / "steady").glob("*/*.json")
    assert json.loads(kept.read_text("utf-8"))["failed"] == ["make test"]
