"""The sentences of a decision about sheets and boards, in every language."""

from __future__ import annotations

import pytest

from blindplay import language
from blindplay.language.scoresheets.entries import entries
from blindplay.record.disputes import decide
from blindplay.speech.synthesis import words_only
from tests.record.test_disputes import BLACK_BEGINS, ON_H6, START, decided, said


def test_an_impossible_move_on_one_sheet_is_told_of_that_sheet() -> None:
    for other in ("1. e4 e5 2. - Nc6 3. d3", "1. e4 e5"):
        decision = decided("1. e4 e5 2. Qh6 Nc6 3. d3", other)
        assert decision.comparison.stop == "illegal"
        assert sum("unmöglicher Zug" in words for words in decision.spoken) == 1
        assert said(decision)[0].startswith("Auf dem Partieformular von Weiß steht ein unmöglich")
        assert "Auf dem Partieformular von Schwarz steht an dieser Stelle nichts Lesbares." in said(
            decision
        )


def test_an_odd_entry_is_said_aloud_with_what_it_was_taken_for() -> None:
    decision = decided("1. e4 e5 2. Qxh5 Nc6", "1. e4 e5 2. Qh5 Nc6")
    assert (
        "Der Eintrag von Weiß wurde gelesen als Dame David eins Hector fünf; das ist "
        "wahrscheinlich, nicht sicher: Zug Nummer zwei von Weiß." in said(decision)
    )


def test_moves_are_spoken_with_the_numbers_of_the_sheets() -> None:
    told = said(decided("40... e1Q 41. Ka2 Kd7", "40... e1Q 41. Ka2 Ke7", fen=BLACK_BEGINS))
    assert told[0].endswith("ab dem Zug Nummer einundvierzig.")
    told = said(decided("1... e1Q 2. Ka2 Kd7", "1... e1Q 2. Ka2 Ke7", fen=BLACK_BEGINS))
    assert told[0].endswith("ab dem Zug Nummer zwei.")


@pytest.mark.parametrize("code", language.languages())
def test_nothing_that_is_spoken_is_notation(code: str) -> None:
    sheets = {"white": "1. e4 e5 2. Nf4", "black": "1. e4 e5 2. Nxh3+"}
    read = {side: entries(text) for side, text in sheets.items()}
    decision = decide(read, {"black": ON_H6}, START, "fide-2023", language.load(code))
    assert decision.comparison.stop == "parted"
    assert "(Nf4)" in " ".join(said(decision))
    assert decision.spoken
    for words in decision.spoken:
        assert words_only(words) == words
