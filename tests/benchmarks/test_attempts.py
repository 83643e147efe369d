"""Which attempts get an answer, counted in real parts, and the everyday forms that are said."""

from __future__ import annotations

import random

import pytest

from benchmarks.attempts import AttemptOptions, figures
from benchmarks.everyday import everyday_forms
from blindplay.language import load


@pytest.mark.parametrize("code", ["da", "de", "en", "nb", "sv"])
def test_each_everyday_form_announces_a_move_that_it_fits(code: str) -> None:
    forms, chance = everyday_forms(load(code)), random.Random(1)
    assert len(forms.templates) >= 30
    for number, (kind, template) in enumerate(forms.templates):
        drawn, line, move = forms.draw(number, chance)
        assert drawn == template and not set("{}[]|") & set(line.words)
        assert move in line.board.legal_moves
        castles = kind in ("short", "long", "only", "king")
        assert line.board.is_castling(move) is castles


@pytest.mark.long
def test_each_attempt_in_a_quiet_room_is_answered() -> None:
    options = AttemptOptions(count=6, voices=("cs", "tr", "pl"))
    first, everything, *_ = figures(load("de"), options)
    assert first == "Attempts in taught forms, Deutsch: models de, seed 1."
    assert everything.startswith("clean; all: 6: ")
    assert "no answer" not in everything and "wrong" not in everything
