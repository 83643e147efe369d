"""Words and presses come after what hands have done: no line, however bad, costs a player."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import chess
import pytest

from tests.table.bad_line import BadHall, Faults, Side

LINES = {
    "drops": Faults(drops=0.005),
    "doubles": Faults(doubles=0.02),
    "100 ppm": Faults(flips_ppm=100),
    "1000 ppm": Faults(flips_ppm=1000),
    "10000 ppm": Faults(flips_ppm=10_000),
    "delays": Faults(delay_ms=300),
    "cuts": Faults(cuts=0.05),
    "everything": Faults(drops=0.005, doubles=0.01, flips_ppm=300, delay_ms=100, cuts=0.02),
}
COSTS = {"illegal", "penalty", "game_over", "take_back"}
UNUSABLE = "10000 ppm"
"""Of a hundred answers three come through: people are told that the boards cannot be read."""


def play(folder: Path, line: str, plies: int) -> None:
    """Games of up to a hundred plies, by hands that wait for nothing."""
    for seed in range(0, 2 * max(1, plies // 100), 2):
        hall = BadHall(folder, LINES[line], seed)
        try:
            played = hall.play(chess.Board(), min(plies, 100))
            hall.run(3000)
        finally:
            hall.close()
        ruled = Counter(ruling.kind for _, ruling in hall.rulings)
        assert not COSTS & ruled.keys()
        if line == UNUSABLE:
            assert hall.session.pack.sentence("board_unread", player="Weiß") in hall.said()
        else:
            assert ruled["made"] == ruled["completed"] == played
            assert not ruled["refused"] + ruled["not_made"]


# The other lines have nothing that "everything" has not; many plies are played on them.
@pytest.mark.parametrize("line", ["delays", "cuts", "everything", UNUSABLE])
def test_a_bad_line_costs_no_player_anything(tmp_path: Path, line: str) -> None:
    play(tmp_path, line, 40)


def test_a_press_on_a_good_line_completes_the_move_within_150_ms(tmp_path: Path) -> None:
    hall = BadHall(tmp_path, Faults(), 1)
    try:
        board, move = chess.Board(), chess.Move.from_uci("e2e4")
        hall.session.typed("white", hall.session.pack.announce(board, move))
        hall.execute(board, move, "white")
        hall.run(500)
        hall.lines["white"].hands.press("white")
        hall.run(150)
        assert len(hall.table.game.history) == 1
    finally:
        hall.close()


def test_words_do_not_wait_for_a_board_that_people_know_cannot_be_read(tmp_path: Path) -> None:
    """A press does, and so a legal move is not judged by a position that nobody knows."""
    hall = BadHall(tmp_path, Faults(), 1)
    try:
        black = hall.lines["black"]
        black.hands.lose(10**6)
        said = hall.session.pack.sentence("board_unread", player="Schwarz")
        for times in (1, 2):
            hall.session.typed("white", "Zeit")
            hall.run(2500)
            assert hall.said().count("Ihre Zeit") == times
        assert said in hall.said()
        board, move = chess.Board(), chess.Move.from_uci("e2e4")
        hall.session.typed("white", hall.session.pack.announce(board, move))
        hall.execute(board, move, "white")
        hall.lines["white"].hands.press("white")
        hall.run(3000)
        assert hall.table.game.turn.made == move and not hall.table.game.history
        black.hands.lose(0)
        hall.run(3000)
        assert len(hall.table.game.history) == 1
    finally:
        hall.close()


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize("side", ["white", "black"])
def test_a_press_waits_while_the_players_own_board_is_gone(
    tmp_path: Path, side: Side, announced: bool
) -> None:
    """Nobody can see the move that stands on it, so nothing is ruled about the press (7.5.3)."""
    hall = BadHall(tmp_path, Faults(), 1)
    try:
        board = chess.Board()
        if side == "black":
            hall.session.typed("white", "e2e4")
            hall.execute(board, chess.Move.from_uci("e2e4"), "white")
            hall.run(1000)
            hall.session.press("white")
            hall.run(500)
            hall.execute(board, chess.Move.from_uci("e2e4"), "black")
            hall.run(1000)
            board.push_uci("e2e4")
        move = next(iter(board.legal_moves))
        line, plies = hall.lines[side], len(hall.table.game.history)
        line.pull()
        hall.run(500)
        before = len(hall.rulings)
        if announced:
            hall.session.typed(side, hall.session.pack.announce(board, move))
        hall.execute(board, move, side)
        hall.session.press(side)
        hall.run(3000)
        assert COSTS.isdisjoint(ruling.kind for _, ruling in hall.rulings[before:])
        assert len(hall.table.game.history) == plies
        name = hall.session.pack.sentence(side)
        assert hall.session.pack.sentence("board_unread", player=name) in hall.said()
        line.plug()
        hall.run(3000)
        assert COSTS.isdisjoint(ruling.kind for _, ruling in hall.rulings[before:])
        game = hall.table.game
        made = game.turn.made == move or len(game.history) == plies + 1
        # Only an impaired player's move needs its announcement (D.2.3).
        assert made if announced or side == "black" else game.turn.executed == move
    finally:
        hall.close()


@pytest.mark.long
@pytest.mark.parametrize("line", LINES)
def test_a_bad_line_costs_no_player_anything_in_a_thousand_plies(tmp_path: Path, line: str) -> None:
    play(tmp_path, line, 1000)
