"""What people say at a board."""

import random

import chess

from blindplay.hearing import script
from blindplay.language import load

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
