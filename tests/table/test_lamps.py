"""Which squares the lamps of a board show."""

from __future__ import annotations

from pathlib import Path

import chess

from blindplay.table.lamps import to_light
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
