"""Square Off's boards against published messages."""

from __future__ import annotations

import chess

from blindplay.boards.diagram import diagram_of_board
from blindplay.boards.reporting import BoardReport, Garbled, SignOfLife, SquareChange
from blindplay.boards.squareoff import SEND_BOARD, Decoder, lamps

# Quoted from the unofficial notes on the Square Off Pro: after e4, e5.
AFTER_E4_E5 = b"30#1100001111000011110000111100001110011001110000111100001111000011*"


def test_the_squares_after_e4_e5_are_occupied() -> None:
    board = chess.Board()
    board.push_uci("e2e4")
    board.push_uci("e7e5")
    (message,) = Decoder().feed(AFTER_E4_E5)
    assert isinstance(message, BoardReport)
    shown = diagram_of_board(board)
    assert [letter != 46 for letter in message.diagram] == [letter != 46 for letter in shown]


def test_changes_and_other_messages_of_the_notes_are_known() -> None:
    messages = Decoder().feed(b"0#e2u*0#e4d*14#GO*22#3.52*\r\n0#e9u*")
    assert messages == [
        SquareChange(chess.E2, ord(".")),
        SquareChange(chess.E4, ord("?")),
        SignOfLife(),
        SignOfLife(),
        Garbled(),
    ]


def test_commands_are_those_of_the_notes() -> None:
    assert SEND_BOARD == b"30#R*"
    assert lamps([chess.C8, chess.D7]) == b"25#d7c8*"
    assert lamps([]) == b"25#*"  # BearChess
