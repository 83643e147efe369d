"""What was agreed, in words, before the game."""

from __future__ import annotations

import doctest

import pytest

from blindplay import language
from blindplay.laws import editions
from blindplay.laws.clock import TimeControl
from blindplay.laws.facts import MODES, Player, Setup
from blindplay.speech.synthesis import is_words
from blindplay.wording import settings
from blindplay.wording.settings import settings_in_words, time_control_in_words

NOBODY = {"white": "", "black": ""}


def test_examples() -> None:
    assert doctest.testmod(settings).failed == 0


@pytest.mark.parametrize(
    ("control", "words"),
    [
        ("300", "five minutes for all moves"),
        ("180+2", "three minutes for all moves, with two seconds more for each move"),
        (
            "40/5400+30:1800+30",
            "one hour thirty minutes for forty moves, then thirty minutes for the rest, with "
            "thirty seconds more for each move",
        ),
        (
            "40/7200:20/3600:900+30",
            "two hours for forty moves, then one hour for twenty moves, then fifteen minutes for "
            "the rest, with thirty seconds more for each move",
        ),
    ],
)
def test_a_time_control_is_read_back(control: str, words: str) -> None:
    assert time_control_in_words(TimeControl.parse(control), language.load("en")) == words


def test_everything_that_was_agreed_is_read_back() -> None:
    setup = Setup(mode="rapid", time_control="900+10", white=Player(impaired=True))
    names = {"white": "Anna", "black": ""}
    assert list(settings_in_words(setup, names, ["white"], language.load("en"))) == [
        "White: Anna.",
        "Visually impaired: White.",
        "Time: fifteen minutes for all moves, with ten seconds more for each move.",
        "Rapid chess.",
        "Laws of FIDE, two thousand and twenty-three.",
        "The board of White is connected.",
    ]


@pytest.mark.parametrize("code", language.languages())
@pytest.mark.parametrize("mode", MODES)
def test_every_edition_and_kind_of_game_can_be_said(code: str, mode: str) -> None:
    pack = language.load(code)
    for edition in editions.names():
        setup = Setup(edition=edition, mode=mode, time_control="40/5400+30:1800")
        told = list(settings_in_words(setup, NOBODY, [], pack))
        assert len(told) == 5  # impaired, time, kind of game, Laws, boards
        assert all(map(is_words, told)), told
    assert pack.sentence("clock_none") in settings_in_words(Setup(), NOBODY, [], pack)
