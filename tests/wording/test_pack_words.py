"""The Laws understand and answer in the words of the packs."""

import chess
import pytest

from blindplay.language import load
from blindplay.laws.rulings import Answer
from blindplay.wording.pack_words import PackWords

WORDS = PackWords("en")


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("de-AT", load("de").name),
        ("no", load("nb").name),
        ("nn", load("nb").name),
        ("fr", load("en").name),
        ("EN_us", load("en").name),
    ],
)
def test_a_player_hears_their_own_language_or_the_fallback(language: str, name: str) -> None:
    assert WORDS.pack(language).name == name


def test_a_language_may_have_the_ranks_of_another() -> None:
    assert WORDS.pack("de+no") is load("de+nb")
    assert WORDS.pack("de+fr") is load("de")


@pytest.mark.parametrize(
    ("text", "kind", "why"),
    [
        ("Eva four", "move", ""),
        ("castles", "illegal", "castling_not_allowed"),
        ("Eva five", "illegal", "cannot_move_there"),
        ("draw", "other", ""),
        ("hello", "other", ""),
    ],
)
def test_only_an_announcement_is_heard(text: str, kind: str, why: str) -> None:
    heard = WORDS.understand(text, chess.Board(), "en")
    assert (heard.kind, heard.why) == (kind, why)


def test_a_player_hears_their_own_time_first_and_the_arbiter_both_by_name() -> None:
    def answer(to: str) -> str:
        return WORDS.answer(Answer(about="time", to=to, white=61.0, black=59.5), "en")

    mine, theirs = "one minute one second", "fifty-nine seconds"
    both = load("en").sentence("clock_both", mine=theirs, opponent=mine)
    assert answer("black") == answer("assistant:black") == both
    assert answer("arbiter") == f"White: {mine}. Black: {theirs}."


def test_illegal_entries_that_name_the_same_move_are_equal() -> None:
    read = WORDS.reader(["Sf3", "Sc6", "Lc4", "Dh5"]).read
    first, second, other = (read(text, chess.Board()) for text in ("Sf6", "S f6", "Sc6"))
    assert first.certainty == "illegal"
    assert first.meant == second.meant != other.meant
