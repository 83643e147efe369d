"""Diagrams of odds, as images and in words."""

import math
from xml.etree import ElementTree

import pytest

from models.diagrams import reliability, svg, trade_off

ODDS = [math.log(9)] * 10 + [math.log(1 / 4)] * 5
RIGHT = [True] * 9 + [False] + [True] + [False] * 4


def test_reliability_compares_what_odds_promise_with_what_is_right() -> None:
    low, high = reliability(ODDS, RIGHT)
    assert low.promised == pytest.approx(0.2) and (low.right, low.of) == (0.2, 5)
    assert high.promised == pytest.approx(0.9) and (high.right, high.of) == (0.9, 10)


def test_the_trade_off_counts_from_the_highest_odds_downwards() -> None:
    assert trade_off([3, 2, 1], [True, False, True]) == [(0, 0), (0, 1), (1, 1), (1, 2)]


def test_an_image_says_the_same_in_words() -> None:
    image = ElementTree.fromstring(svg("English & French", ODDS, RIGHT))
    title, told = (
        image.findtext(f"{{http://www.w3.org/2000/svg}}{name}") for name in ("title", "desc")
    )
    assert title == "English & French"
    assert told is not None and "90.0 % promised, 90.0 % of 10 right" in told
