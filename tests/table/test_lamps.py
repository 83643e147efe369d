"""Which squares the lamps of a board show."""

from __future__ import annotations

from pathlib import Path

import chess

from blindplay.boards.driver import Notice
from blindplay.table.lamps import notices, to_light
from tests.table.sitting import START, Sitting


def test_lamps_show_what_hands_have_to_do_and_no_thoughts(tmp_path: Path) -> None:
    at = Sitting(tmp_path)
    try:
        game = at.table.game
        assert to_light(game, "black", START.replace("RNBQKBNR", "RNBQKBN1")) == {chess.H1}
        at.start()
        moved = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"
        assert to_light(game, "white", START) == to_light(game, "white", moved) == set()
        at.session.typed("white", "Eva zwei Eva vier")
        for shown in (START, START.replace("p", "?").replace("P", "?")):
            assert to_light(game, "black", shown) == {chess.E2, chess.E4}
        assert to_light(game, "black", moved) == set()
    finally:
        at.close()


def test_the_player_on_move_and_the_one_who_is_asked_have_something_to_do(tmp_path: Path) -> None:
    at = Sitting(tmp_path, time_control="900+10")
    try:
        game = at.table.game
        assert notices(game, "white", asked=False) == set()
        at.start()
        assert notices(game, "white", asked=False) == {Notice.YOUR_MOVE}
        assert notices(game, "white", asked=True) == {Notice.YOUR_MOVE, Notice.QUESTION}
        assert notices(game, "black", asked=True) == {Notice.QUESTION}
        at.play("e2e4")
        assert notices(game, "white", asked=False) == set()
        assert notices(game, "black", asked=False) == {Notice.YOUR_MOVE}
    finally:
        at.close()
