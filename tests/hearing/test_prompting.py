"""A player alone with the table: prompts, keys and levels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from blindplay.hearing.prompting import TRIES, RecordingFault, Take, fault_of, repeated
from blindplay.hearing.recognisers import open_recogniser
from blindplay.language import Key

from .donated import noise
from .player import GERMAN, Person, booth_of, line


@pytest.mark.parametrize(
    ("loudness", "fault"), [(0.005, RecordingFault.SOFT), (8.0, RecordingFault.LOUD)]
)
def test_a_bad_level_is_told(
    loudness: float, fault: RecordingFault, say: Callable[[str], bytes]
) -> None:
    person = Person(say, {"Dame"})
    person.loudness = loudness
    with booth_of(person) as booth:
        booth.say("Dame")
        take = booth.hear()
    assert isinstance(take, Take) and take.fault in (
        fault,
        RecordingFault.SILENCE if loudness < 1 else fault,
    )


def test_keys_repeat_leave_out_and_end(say: Callable[[str], bytes]) -> None:
    person = Person(say, {"Dame", "Turm"})
    with booth_of(person, "", "s", "q") as booth:
        booth.say("Dame")
        assert [booth.hear() for _ in range(3)] == [Key.REPEAT, Key.SKIP, Key.END]


def test_a_question_is_said_again_for_enter_and_ends_with_the_keyboard(
    say: Callable[[str], bytes],
) -> None:
    person = Person(say, set())
    with booth_of(person, "ja", "", "nein", "q") as booth:
        assert [booth.typed("say_yes_or_no") for _ in range(5)] == ["ja", "nein", None, None, None]
        assert not booth.to_end
    assert person.told == [booth.pack.sentence("say_yes_or_no")] * 6


def test_a_keyboard_that_is_gone_ends_a_question(say: Callable[[str], bytes]) -> None:
    def gone() -> Iterator[str]:
        yield "ja\n"
        raise OSError(5, "Input/output error")

    with booth_of(Person(say, set()), typed=gone()) as booth:
        assert [booth.typed("say_yes_or_no") for _ in range(2)] == ["ja", None]


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
