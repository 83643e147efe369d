"""Every parser stands garbage, for a moment; ``make fuzz`` goes on for as long as one likes."""

from __future__ import annotations

import time

import pytest

from tests.fuzz.engine import Target, fuzz
from tests.fuzz.targets import TARGETS

INPUTS = {"peg": 2000, "dgt": 2000, "requests": 40, "pack-check": 2}
"""So many where it is not 60."""


@pytest.mark.parametrize("name", TARGETS)
def test_a_parser_answers_or_refuses_whatever_comes(name: str) -> None:
    report = fuzz(TARGETS[name], inputs=INPUTS.get(name, 60))
    assert not report.found, "\n".join(f"{one.what}: {one.data!r}" for one in report.found)
    assert report.inputs >= INPUTS.get(name, 60)


def _target(name: str, read: object) -> Target:
    return Target(name, read, lambda: [b"sound"], (KeyError,))  # type: ignore[arg-type]


def test_what_is_not_documented_is_found_once() -> None:
    def read(data: bytes) -> None:
        if b"sound" not in data:
            raise IndexError("beyond the end")

    report = fuzz(_target("broken", read), inputs=200)
    assert [one.what.partition(":")[0] for one in report.found] == ["IndexError"]
    assert b"sound" not in report.found[0].data


def test_what_hangs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(__import__("signal"), "setitimer"):
        pytest.skip("This system has no timer of processor time.")
    monkeypatch.setattr("tests.fuzz.engine.MOST_SECONDS", 0.2)

    def read(data: bytes) -> None:
        while data != b"sound":
            time.time()

    report = fuzz(_target("slow", read), inputs=2)
    assert report.found and "more than" in report.found[0].what


def test_what_is_refused_as_documented_is_no_finding_and_the_same_seed_gives_the_same_inputs() -> (
    None
):
    seen: list[bytes] = []

    def read(data: bytes) -> None:
        seen.append(data)
        if data != b"sound":
            raise KeyError(data)

    first = fuzz(_target("strict", read), inputs=100, seed=3)
    assert not first.found and first.refused > 50
    before = seen[:]
    seen.clear()
    fuzz(_target("strict", read), inputs=100, seed=3)
    assert seen == before
