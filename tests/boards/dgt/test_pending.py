"""The line of plies that a DGT board has shown and that hands may still revise."""

from __future__ import annotations

import chess

from blindplay.boards.dgt.pending import HeardBoard, Node, PendingMoves
from blindplay.boards.diagram import START, diagram_of_board


def shows(heard: HeardBoard, *moves: str) -> HeardBoard:
    """The board is dumped as a whole after these moves."""
    board = chess.Board()
    for move in moves:
        board.push_uci(move)
    heard.dump(diagram_of_board(board))
    return heard


def line(pending: PendingMoves) -> list[str]:
    return [node.move.uci() for node in pending.line if node.move]


def from_the_start() -> tuple[PendingMoves, HeardBoard]:
    return PendingMoves([Node(chess.Board(), None, START)]), HeardBoard(turned=False)


def test_a_legal_move_lengthens_the_line() -> None:
    pending, heard = from_the_start()
    assert pending.follow(shows(heard, "e2e4"))
    assert pending.follow(shows(heard, "e2e4", "e7e5"))
    assert line(pending) == ["e2e4", "e7e5"]
    assert pending.take(1) == ["e2e4"] and line(pending) == ["e7e5"]


def test_a_hand_that_goes_on_or_back_revises_the_end_of_the_line() -> None:
    pending, heard = from_the_start()
    assert pending.follow(shows(heard, "e2e3"))
    assert pending.follow(shows(heard, "e2e4"))
    assert line(pending) == ["e2e4"]
    assert pending.follow(shows(heard))
    assert line(pending) == []


def test_a_pair_of_plies_counts_only_when_something_follows_from_it() -> None:
    pending, heard = from_the_start()
    assert not pending.follow(shows(heard, "e2e4", "d7d5"))
    assert line(pending) == []
    assert pending.follow(shows(heard, "e2e4", "d7d5", "e4d5"))
    assert line(pending) == ["e2e4", "d7d5", "e4d5"]


def test_after_a_loss_the_line_goes_on_only_in_one_way() -> None:
    pending, heard = from_the_start()
    assert pending.bridge(shows(heard, "g1f3", "g8f6").shown) == 1
    assert line(pending) == ["g1f3", "g8f6"]
    assert pending.bridge(shows(heard, "e2e4", "e7e5", "f1c4", "b8c6", "c4b5").shown) == 0
