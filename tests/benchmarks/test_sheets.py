"""Sheets in the letters of every country, with the slips of people, are read whole."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks.sheets import (
    COUNTRIES,
    Sheet,
    Slip,
    Verdict,
    alphabet,
    figures,
    game,
    games_of,
    judged,
    pair,
    written,
)
from tests.sampling import first

GOOD = (Verdict.READ, Verdict.NAMED)


@pytest.mark.parametrize(
    "country", first(13, ["figurines", *(one for n in range(3) for one in COUNTRIES[n::3])])
)
def test_a_sheet_of_each_country_is_read_whole_beside_any_other(country: str) -> None:
    rng = random.Random(country)
    for slips in (0, 3):
        moves = game(rng, 50)
        letters = [alphabet(rng, one) for one in (country, rng.choice(COUNTRIES))]
        sheets = pair(rng, moves, letters, slips)
        verdict, decision = judged(moves, *rng.sample(sheets, 2))
        assert verdict in GOOD, [sheet.text for sheet in sheets]
        assert slips or (verdict is Verdict.READ and decision.comparison.slips == ())


@pytest.mark.parametrize("seed", first(4, range(12)))
def test_a_sheet_that_mixes_two_languages_is_read_whole(seed: int) -> None:
    rng = random.Random(seed)
    moves = game(rng, 50)
    letters = [alphabet(rng, *rng.sample(COUNTRIES, 2)) for _ in range(2)]
    white, black = pair(rng, moves, letters, 2)
    verdict, _ = judged(moves, white, black)
    assert verdict in GOOD, (white.text, black.text)


@pytest.mark.parametrize("country", COUNTRIES)
def test_one_sheet_alone_or_the_same_letters_on_both_are_enough(country: str) -> None:
    rng = random.Random(f"{country} alone")
    moves = game(rng, 24)
    sheet = written(rng, moves, alphabet(rng, country), 0)
    for other in (sheet, Sheet("", {})):
        verdict, _ = judged(moves, sheet, other)
        assert verdict is Verdict.READ, sheet.text


@pytest.mark.parametrize("slip", Slip)
def test_each_kind_of_slip_is_made(slip: Slip) -> None:
    rng = random.Random(5)
    moves = game(rng, 50)
    letters = alphabet(rng, "en")
    assert any(slip in written(rng, moves, letters, 3).slips.values() for _ in range(20))


def test_games_come_from_pgn_files(tmp_path: Path) -> None:
    text = '[Event "A"]\n\n1. e4 e5 2. Nf3 *\n\n[Event "B"]\n\n1. d4 *\n'
    (tmp_path / "two.pgn").write_text(text, encoding="utf-8")
    (moves,) = games_of(tmp_path, 2)
    assert [move.uci() for move in moves] == ["e2e4", "e7e5"]


def test_figures_name_each_kind_of_letters() -> None:
    told = " ".join(figures(1, None, COUNTRIES[:2]))
    for kind in ("one language", "two languages", "an own letter", "no slips", "up to three slips"):
        assert kind in told
