"""What is known about a game."""

from __future__ import annotations

import chess
import pytest

from blindplay.laws.state import legal, position_key, san
from tests.laws.table import Table, started


def test_taking_in_passing_makes_another_position_only_where_it_is_legal() -> None:
    fen = "4k3/8/8/3pP3/8/8/8/4K3 w - {} 0 1"
    assert position_key(chess.Board(fen.format("d6"))) != position_key(chess.Board(fen.format("-")))
    pinned = "k3r3/8/8/3pP3/8/8/8/4K3 w - {} 0 1"
    keys = {position_key(chess.Board(pinned.format(square))) for square in ("d6", "-")}
    assert len(keys) == 1


def test_a_right_to_castle_that_is_lost_makes_another_position() -> None:
    fen = "4k3/8/8/8/8/8/8/4K2R w {} - 0 1"
    assert position_key(chess.Board(fen.format("K"))) != position_key(chess.Board(fen.format("-")))


@pytest.mark.parametrize(
    ("fen", "uci", "found"),
    [
        (chess.STARTING_FEN, "e2e4", "e2e4"),
        (chess.STARTING_FEN, "e2e5", None),
        (chess.STARTING_FEN, "nonsense", None),
        ("4k2r/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1", "e1g1"),
        ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "e2e8", None),  # a king is never taken
    ],
)
def test_the_legal_move_with_this_uci(fen: str, uci: str, found: str | None) -> None:
    move = legal(chess.Board(fen), uci)
    assert (None if move is None else move.uci()) == found


def test_san_leaves_the_board_as_it_is() -> None:
    board = chess.Board()
    board.push_uci("e2e4")
    assert san(board, chess.Move.from_uci("e7e5")) == "e5"
    assert len(board.move_stack) == 1


def test_the_position_includes_a_move_that_is_made_but_not_completed() -> None:
    table = started()
    table.feed({"fact": "make", "by": "white", "move": "e2e4"})
    game = table.game
    assert game.board.fen() == chess.STARTING_FEN
    assert game.position.piece_at(chess.E4) is not None
    assert game.position_pieces()[chess.E4] == "P"
    assert game.side == "white"


@pytest.mark.parametrize(
    ("edition", "regime", "setup"),
    [
        ("fide-2023", "standard", {}),
        ("fide-2023", "rapid", {"mode": "rapid"}),
        ("fide-2023", "blitz_supervised", {"mode": "blitz", "supervised": True}),
        ("fide-1997", "blitz", {"mode": "blitz", "supervised": True}),  # its text knows none
        ("fide-1997", "quickplay", {"quickplay_finish": True}),
    ],
)
def test_the_kind_of_game_that_the_edition_is_asked_about(
    edition: str, regime: str, setup: dict[str, object]
) -> None:
    assert Table(edition=edition, time_control="600", **setup).game.regime == regime
