"""What a pause within an announcement does, counted in real parts."""

from __future__ import annotations

from collections import Counter

import chess
import pytest

from benchmarks.pauses import PAUSES_S, Between, PauseOptions, figures, pairs
from blindplay.language import load


def test_each_pause_and_all_that_is_heard_in_it_come_equally_often() -> None:
    pack = load("de")
    made = list(pairs(pack, PauseOptions(pairs=60), ("one", "other")))
    assert set(Counter(one.pause_s for one in made).values()) == {60 // len(PAUSES_S)}
    assert set(Counter(one.between for one in made).values()) == {60 // len(Between)}
    for one in made:
        board = chess.Board(one.fen)
        assert board.turn is chess.WHITE
        assert pack.understand(" ".join(one.parts), board).moves == (one.move,)
        assert one.voice != one.others[1]


def test_a_misheard_beginning_has_another_rank_than_the_piece() -> None:
    pack = load("de")
    for one in pairs(pack, PauseOptions(pairs=20, misheard=True), ("one", "other")):
        board, origin = chess.Board(one.fen), one.move.from_square
        _piece, file, rank = one.parts[0].split()
        assert file == pack.file(origin & 7) and rank != pack.rank(origin >> 3)
        assert one.parts[1] == pack.destination(board, one.move)


@pytest.mark.long
def test_a_pause_in_a_quiet_room_makes_no_wrong_move() -> None:
    first, *lines = figures(load("de"), PauseOptions(pairs=12, voices=("de+croak", "de+fast")))
    assert first.startswith("Announcements with a pause, Deutsch: models de")
    quiet = next(line for line in lines if line.startswith("quiet"))
    assert "wrong" not in quiet and "no answer" not in quiet
