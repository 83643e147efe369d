"""What people say at a board."""

from __future__ import annotations

import random

import chess

from blindplay.hearing import script
from blindplay.hearing.script import Coverage, ScriptLine, announcement
from blindplay.language import load

from .player import GERMAN, line

PACK = load("de")


def test_announcements_hold_every_kind_of_move_and_form() -> None:
    said = [script.announcement(PACK, random.Random(seed)) for seed in range(80)]
    words = " ".join(line.words for line in said).lower()
    for word in ("rochade", "schlägt", "nach", "von"):
        assert word in words
    moves = [PACK.understand(line.words, line.board).move for line in said]
    assert any(
        move and line.board.is_en_passant(move) for line, move in zip(said, moves, strict=True)
    )


def test_a_short_form_is_the_shortest_that_means_the_move() -> None:
    board = chess.Board("4k3/8/8/8/8/5N2/8/1N2K2R w K - 0 1")
    shortest = {
        "h1g1": "turm gustav eins",
        "f3d2": "felix drei david zwei",
        "e1g1": "kurze rochade",
    }
    for uci, words in shortest.items():
        form = script.short_form(PACK, board, chess.Move.from_uci(uci))
        assert len(form.split()) <= len(words.split())
        assert PACK.understand(form, board).move == chess.Move.from_uci(uci)


def test_many_announcements_are_as_short_as_they_can_be() -> None:
    said = [script.announcement(PACK, random.Random(seed)) for seed in range(80)]
    moves = [(line, PACK.understand(line.words, line.board).move) for line in said]
    shortest = [
        line.words
        for line, move in moves
        if move is not None and line.words == script.short_form(PACK, line.board, move)
    ]
    assert 20 <= len(shortest) <= 50


def words(*said: str) -> list[ScriptLine]:
    return [line(one) for one in said]


def test_what_adds_new_words_comes_before_what_repeats_them() -> None:
    first, again, other = words("dame anna eins", "dame anna zwei", "turm bella drei")
    coverage = Coverage(GERMAN)
    assert coverage.chosen([first], 1) == [first]
    assert coverage.chosen([again, other], 1) == [other]


def test_a_pair_of_known_words_adds_something_and_the_same_again_less() -> None:
    coverage = Coverage(GERMAN)
    first, swapped = words("dame anna", "anna dame")
    assert coverage.chosen([first], 1) == [first]
    assert coverage.chosen([first, swapped], 1) == [swapped]


def test_each_line_is_chosen_once_and_all_if_there_are_too_few() -> None:
    asked = words("dame", "turm", "dame")
    assert sorted(one.words for one in Coverage(GERMAN).chosen(asked, 9)) == ["dame", "turm"]
    assert Coverage(GERMAN).chosen([], 3) == []


def test_chosen_moves_say_more_squares_than_as_many_others() -> None:
    chance = random.Random(3)
    moves = [announcement(GERMAN, chance) for _ in range(40)]

    def squares(lines: list[ScriptLine]) -> int:
        said = " ; ".join(one.words.lower() for one in lines)
        return sum(GERMAN.square(square).lower() in said for square in range(64))

    assert squares(Coverage(GERMAN).chosen(moves, 16)) > squares(moves[:16])
