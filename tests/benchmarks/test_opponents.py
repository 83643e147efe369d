"""How soon the move of an absent opponent is heard, and what an engine that thinks costs."""

from __future__ import annotations

import re

import pytest

from benchmarks import opponents
from benchmarks.opponents import figures, thinking_figures
from blindplay.language import load
from blindplay.opponents import uci


def test_the_figures_are_one_line() -> None:
    (line,) = figures(load("de"))
    assert re.search(r"cached [\d.]+ ms, median of 5", line)


@pytest.mark.long
def test_keys_and_ears_are_timed_while_an_engine_thinks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opponents, "_QUESTIONS", 2)
    monkeypatch.setattr(uci, "installed", lambda: None)
    keys, ears = thinking_figures(load("de"))
    found = r"median [\d.]+ ms, longest [\d.]+ ms; while BlindPlay thinks: median [\d.]+ ms"
    assert re.search(f"Typed question to first sample of its answer: {found}", keys)
    assert re.search(f"Whole announcement to its meaning: {found}", ears)
