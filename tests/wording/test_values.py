"""Values of sentences are spoken in the words of the pack."""

from __future__ import annotations

import doctest
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.language import languages, load
from blindplay.laws import editions
from blindplay.laws.clock import TimeControl
from blindplay.laws.facts import MODES, Player, Setup
from blindplay.speech.synthesis import is_words
from blindplay.wording import values
from blindplay.wording.values import (
    Pairing,
    Value,
    Written,
    in_words,
    number_in_words,
    pairing_in_words,
    read_time,
    settings_in_words,
    standing_in_words,
    time_control_in_words,
    write_time,
)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Written("Kenneth 21"), "Kenneth two one"),
        ("knight", "knight"),
        (804, "eight hundred and four"),
        (timedelta(seconds=90), "one minute thirty seconds"),
    ],
)
def test_a_value_is_spoken_in_words(value: Value, words: str) -> None:
    assert in_words(value, load("en")) == words


GAME = Pairing("3", "table-14", "Anna B. Berg 2", "Bert Dahl")


@pytest.mark.parametrize("code", languages())
@pytest.mark.parametrize("game", [GAME, Pairing("", "blue", "柳", "Bert Dahl")])
def test_a_pairing_can_be_spoken_in_each_language(code: str, game: Pairing) -> None:
    words = pairing_in_words(game, load(code))
    assert is_words(words) and "Bert Dahl" in words and ", ," not in words


def test_the_sentence_is_that_of_the_board() -> None:
    english, german = load("en"), load("de")
    game = Pairing("3", "4", "Anna Berg", "Bert Dahl")
    words = "Round three, table four: Anna Berg has White against Bert Dahl."
    assert pairing_in_words(game, english) == words
    words = "Runde drei, Tisch vier: Anna Berg hat Weiß gegen Bert Dahl."
    assert pairing_in_words(game, german) == words


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("1000", "one thousand"),
        ("1234", "one thousand two hundred and thirty-four"),
        ("B-12a", "twelve"),
        ("12345", "one two three four five"),
    ],
)
def test_a_table_is_named_by_its_whole_number(table: str, said: str) -> None:
    assert number_in_words(table, load("en")) == said


@pytest.mark.parametrize("code", languages())
@pytest.mark.parametrize("points", ["", "0.0", "0.5", "11.5", "3.25", "7"])
def test_standings_can_be_spoken_in_each_language(code: str, points: str) -> None:
    assert is_words(standing_in_words(21, "Anna Berg", points, load(code)))


@pytest.mark.parametrize(("points", "said"), [("2.5", "two and one half"), ("0.5", "one half"),
                                              ("3.0", "three"), ("0.0", "zero")])  # fmt: skip
def test_points_are_said_in_halves(points: str, said: str) -> None:
    assert standing_in_words(1, "Anna", points, load("en")).endswith(f"Points: {said}.")


@given(st.integers(0, 100 * 3600 - 1), st.booleans())
def test_a_written_time_is_read_as_itself(seconds: int, hours: bool) -> None:
    assert read_time(write_time(seconds * 1000, hours=hours)) == seconds


@pytest.mark.parametrize(
    ("milliseconds", "written"),
    [(-1, "0:00"), (999, "0:00"), (59_999.5, "0:59"), (3_599_999, "59:59"), (3_600_000, "1:00:00")],
)
def test_no_time_shows_more_than_there_is(milliseconds: float, written: str) -> None:
    assert write_time(milliseconds) == written


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("5:00", 300), ("120:59", 7259), ("10m", 600)],
)
def test_seconds_and_minutes_alone_may_be_many(text: str, seconds: int) -> None:
    assert read_time(text) == seconds


@pytest.mark.parametrize("text", ["", "five", "5:60", "1:2:3:4", "-5", "5:", "٣", "123456"])
def test_anything_else_is_no_time(text: str) -> None:
    with pytest.raises(ValueError):
        read_time(text)


NOBODY = {"white": "", "black": ""}


def test_examples() -> None:
    assert doctest.testmod(values).failed == 0


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
    assert time_control_in_words(TimeControl.parse(control), load("en")) == words


def test_everything_that_was_agreed_is_read_back() -> None:
    setup = Setup(mode="rapid", time_control="900+10", white=Player(impaired=True))
    names = {"white": "Anna", "black": ""}
    assert list(settings_in_words(setup, names, ["white"], load("en"))) == [
        "White: Anna.",
        "Visually impaired: White.",
        "Time: fifteen minutes for all moves, with ten seconds more for each move.",
        "Rapid chess. Laws of FIDE, two thousand and twenty-three.",
        "The board of White is connected.",
    ]


@pytest.mark.parametrize("code", languages())
@pytest.mark.parametrize("mode", MODES)
def test_every_edition_and_kind_of_game_can_be_said(code: str, mode: str) -> None:
    pack = load(code)
    for edition in editions.names():
        setup = Setup(edition=edition, mode=mode, time_control="40/5400+30:1800")
        told = list(settings_in_words(setup, NOBODY, [], pack))
        assert len(told) == 4  # impaired, time, kind of game and Laws, boards
        assert all(map(is_words, told)), told
    assert pack.sentence("clock_none") in settings_in_words(Setup(), NOBODY, [], pack)
