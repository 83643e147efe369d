"""A player alone with the table: prompts, keys and levels."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from blindplay.hearing.prompting import RecordingFault, Take
from blindplay.language import Key

from .player import Person, booth_of


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
