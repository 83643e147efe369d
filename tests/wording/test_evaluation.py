"""How good a position is, in words."""

from __future__ import annotations

import chess
import pytest
from chess.engine import Cp

from blindplay.language import load
from blindplay.opponents.analysis import winning_chance
from blindplay.wording.evaluation import evaluation_in_words

ENGLISH, GERMAN = load("en"), load("de")


@pytest.mark.parametrize(
    ("centipawns", "words"),
    [
        (0, "Die Stellung ist ausgeglichen."),
        (30, "Die Stellung ist ausgeglichen."),
        (40, "Weiß steht etwas besser."),
        (-85, "Schwarz steht etwas besser."),
        (95, "Weiß steht besser."),
        (-290, "Schwarz steht besser."),
        (310, "Weiß steht auf Gewinn."),
    ],
)
def test_a_score_is_said_as_who_stands_better(centipawns: int, words: str) -> None:
    """A third of a pawn, nine tenths and three pawns are the bounds that the guide gives."""
    chance = winning_chance(Cp(centipawns))
    assert evaluation_in_words(GERMAN, chess.WHITE, chance) == words
    assert evaluation_in_words(GERMAN, chess.BLACK, 1 - chance) == words


@pytest.mark.parametrize(
    ("side", "mate", "words"),
    [
        (chess.WHITE, 1, "White mates in one move."),
        (chess.WHITE, -3, "Black mates in three moves."),
        (chess.BLACK, 2, "Black mates in two moves."),
    ],
)
def test_a_mate_is_said_with_its_moves(side: chess.Color, mate: int, words: str) -> None:
    assert evaluation_in_words(ENGLISH, side, 1.0 if mate > 0 else 0.0, mate) == words
