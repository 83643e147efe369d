"""The processor time of commands."""

from __future__ import annotations

import subprocess

import pytest

from blindplay.bench import command_line


def test_processor_time_of_a_command_is_measured_in_a_new_process() -> None:
    assert command_line.processor_time("--help", runs=1) > 0


def test_the_least_of_all_runs_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter(["0.5", "0.25", "0.75"])

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 0, stdout=next(times))

    monkeypatch.setattr(subprocess, "run", run)
    assert command_line.processor_time("version", runs=3) == 0.25


def test_a_line_is_printed_for_help_and_announce(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_line, "processor_time", lambda *arguments: 0.125)
    assert [line.split(",")[0] for line in command_line.figures()] == [
        "Processor time of blindplay --help",
        "Processor time of blindplay announce",
    ]
