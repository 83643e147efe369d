"""What a text can mean has words in every language."""

import chess
import pytest

from blindplay.language import (
    NEVER_OPENED,
    QUESTIONS,
    Command,
    IllegalReason,
    Kind,
    Understanding,
    languages,
    load,
)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("reason", IllegalReason)
def test_every_reason_has_a_sentence(language: str, reason: IllegalReason) -> None:
    assert load(language).sentence(f"illegal_{reason.value}")


def test_only_a_single_move_is_the_move() -> None:
    move = chess.Move.from_uci("e2e4")
    assert Understanding(Kind.MOVE, "", (move,)).move == move
    assert Understanding(Kind.ILLEGAL, "", (move,)).move is None
    assert Understanding(Kind.COMMAND, "", (move,), Command.SEAL).move is None


def test_no_question_about_the_position_goes_without_the_opening_word() -> None:
    assert not QUESTIONS & NEVER_OPENED
