"""A person repeats what they hear, and is asked again for what cannot be it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from blindplay.hearing.prompting import RecordingFault, Take
from blindplay.hearing.recognisers import open_recogniser
from blindplay.hearing.repeating import TRIES, fault_of, repeated

from .donated import noise
from .player import GERMAN, Person, booth_of, line


@pytest.mark.parametrize(
    ("words", "seconds", "fault"),
    [
        ("Springer Gustav eins Felix drei", 0.3, RecordingFault.SHORT),
        ("Springer Gustav eins Felix drei", 0.5, None),
        ("Springer Gustav eins Felix drei", 13.0, None),
        ("Springer Gustav eins Felix drei", 15.0, RecordingFault.LONG),
        ("ja", 0.1, None),
        ("ja", 6.1, RecordingFault.LONG),
    ],
)
def test_what_takes_too_little_or_too_much_time_cannot_be_it(
    words: str, seconds: float, fault: RecordingFault | None
) -> None:
    assert fault_of(words, Take(noise(seconds, 1), -24.0, -96.0)) is fault


def test_a_take_that_is_something_else_each_time_is_kept_and_doubted(
    say: Callable[[str], bytes], model: Path
) -> None:
    words = ["Springer Gustav eins Felix drei", "Bauer Eva zwei Eva vier"]
    person = Person(say, set(words))
    person.instead = {words[0]: [words[1]] * TRIES}
    with booth_of(person) as booth:
        lines = [line(one) for one in words]
        said = list(repeated(booth, GERMAN, lines, open_recogniser(GERMAN, model)))
    assert [(one.number, one.doubted) for one in said] == [(0, True), (1, False)]
    assert person.asked == [words[0]] * TRIES + [words[1]]
    assert person.told.count(GERMAN.sentence("enrol_again")) == TRIES - 1


def test_what_is_left_out_or_not_heard_is_not_among_what_was_said(
    say: Callable[[str], bytes],
) -> None:
    person = Person(say, {"Dame", "Turm"})
    person.instead = {"Dame": [""] * TRIES}
    with booth_of(person) as booth:
        said = list(repeated(booth, GERMAN, [line("Dame"), line("Turm")], None))
    assert [one.number for one in said] == [1]
    with booth_of(Person(say, {"Dame", "Turm"}), "s") as booth:
        said = list(repeated(booth, GERMAN, [line("Dame"), line("Turm")], None))
    assert [one.number for one in said] == [1]
