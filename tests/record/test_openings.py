"""Names of openings, by position: with the package that brings them, and without it."""

from __future__ import annotations

import chess
import pytest

from blindplay.record import openings
from blindplay.record.openings import OpeningName, opening_of, remedy

needs_names = pytest.mark.skipif(
    not openings.can_name(), reason="ocn-chess is not installed; run: make .venv/.extras"
)


def after(*moves: str) -> chess.Board:
    board = chess.Board()
    for move in moves:
        board.push_san(move)
    return board


NAJDORF = ("e4", "c5", "Nf3", "d6", "d4", "cxd4", "Nxd4", "Nf6", "Nc3", "a6")


@needs_names
def test_a_position_has_the_name_that_lichess_gives_it() -> None:
    assert opening_of(after("e4", "c5")) == OpeningName("B20", "Sicilian Defense")
    name = "Sicilian Defense: Najdorf Variation"
    assert opening_of(after(*NAJDORF)) == OpeningName("B90", name)
    assert OpeningName("B90", name).parts == ["Sicilian Defense", "Najdorf Variation"]


@needs_names
def test_the_order_of_the_moves_does_not_matter_and_the_last_name_stays() -> None:
    other = ("Nf3", "c5", "e4", "d6", "d4", "cxd4", "Nxd4", "Nf6", "Nc3", "a6")
    assert opening_of(after(*other)) == opening_of(after(*NAJDORF))
    assert opening_of(after(*NAJDORF, "h3", "h6", "Kd2")) is not None


def test_a_position_of_no_opening_has_no_name() -> None:
    assert opening_of(chess.Board("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")) is None


def test_without_the_package_there_are_no_names_but_a_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(openings, "find_spec", lambda name: None)
    assert opening_of(after("e4", "c5")) is None
    assert "ocn-chess" in remedy()
