"""How well the table's voices are understood, counted with a real voice and a real model."""

from __future__ import annotations

from benchmarks.table_voice import TableVoiceOptions, figures
from blindplay.language import load


def test_each_voice_says_the_same_announcements_and_each_is_counted_once() -> None:
    first, public, private = figures(load("de"), TableVoiceOptions(count=1))
    assert first.startswith("The table's voices, Deutsch, heard by de, confidence measured")
    for name, line in (("public", public), ("private", private)):
        told, counts = line.removesuffix(".").split("; of 1: ")
        assert told == f"{name}; clean"
        assert sum(int(one.split()[-1]) for one in counts.split(", ")) == 1
