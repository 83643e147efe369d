"""Rooms: noise as loud as it says."""

import numpy as np
import pytest

from benchmarks import conditions
from benchmarks.conditions import Condition, Noise
from blindplay.speech.audio import RATE

from .utterances import hiss, tone


@pytest.mark.parametrize("noise", [Noise.BABBLE, Noise.PINK, Noise.HUM])
@pytest.mark.parametrize("snr", [20.0, 10.0, 5.0, -3.0])
def test_noise_is_as_many_decibels_below_the_voice_as_it_says(noise: Noise, snr: float) -> None:
    voice = tone() / 20  # far from full scale: nothing is turned down
    heard = conditions.apply(Condition(noise, snr), voice, hiss()[None], 1)
    added = np.mean((heard - voice) ** 2)
    assert 10 * np.log10(conditions.power(voice) / added) == pytest.approx(snr, abs=0.01)


def test_pauses_do_not_count_for_the_level_of_a_voice() -> None:
    paused = np.concatenate([np.zeros(RATE), tone(), np.zeros(RATE)])
    assert conditions.power(paused) == pytest.approx(conditions.power(tone()), rel=0.02)
    assert conditions.power(np.zeros(100)) == 0


@pytest.mark.parametrize(
    "name", ["clean", "20", "10", "5", "hum", "room", "pink10", "babble-5", "talkers15", "phone"]
)
def test_a_condition_is_as_long_as_the_voice_never_too_loud_and_seeded(name: str) -> None:
    (condition,) = conditions.parse(name)
    heard = conditions.apply(condition, tone() * 4, hiss()[None], 3)
    assert len(heard) == len(tone())
    assert np.abs(heard).max() <= 32_767
    assert np.array_equal(heard, conditions.apply(condition, tone() * 4, hiss()[None], 3))
    assert conditions.parse(condition.name) == [condition]


def test_a_room_falls_by_sixty_decibels_in_its_time() -> None:
    click = np.zeros(2 * RATE)
    click[0] = 20_000.0
    heard = conditions.apply(Condition(Noise.ROOM), click, hiss()[None], 1)
    length = int(conditions.REVERBERATION_S * RATE)

    def level(first: int) -> float:
        return float(10 * np.log10(np.mean(heard[first : first + RATE // 20] ** 2)))

    early, late = RATE // 100, length - RATE // 20
    fall = 60 * (late - early) / length
    assert level(early) - level(late) == pytest.approx(fall, abs=2)
    assert not heard[length + 1 :].any() or level(length + RATE // 10) < level(late) - 60


@pytest.mark.parametrize("name", ["loud", "clean10", "room5", "phone10", "pinkish", "10 dB"])
def test_a_condition_that_nobody_knows_is_told(name: str) -> None:
    with pytest.raises(ValueError, match="There is no condition"):
        conditions.parse(name)


def test_a_telephone_passes_the_middle_of_a_voice_only() -> None:
    def loudness(hertz: float) -> float:
        sound = 8000 * np.sin(2 * np.pi * hertz * np.arange(RATE) / RATE)
        return conditions.power(conditions.apply(Condition(Noise.PHONE), sound, hiss()[None], 1))

    assert loudness(100) < 1e-3 * loudness(1000) and loudness(5000) < 1e-3 * loudness(1000)


def test_only_two_of_all_talkers_are_heard_as_crosstalk() -> None:
    talkers = np.array([np.full(RATE, 1000.0 * 2**n) for n in range(6)])
    noise = conditions.apply(Condition(Noise.TALKERS, 0.0), np.zeros(RATE) + 1e-6, talkers, 1)
    assert np.unique(noise.round(9)).size == 1
