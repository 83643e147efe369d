"""Games against engines with hands on an emulated pegged board: led, checked, won and lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import chess
import pytest

from blindplay.language import Command, load
from blindplay.laws.placement import change
from blindplay.opponents import uci
from blindplay.opponents.engine import EnginePlayer
from blindplay.opponents.levels import level
from tests.opponents.playing_alone import at_once, scripted
from tests.programs import need
from tests.table.conftest import sit as sit
from tests.table.sitting import Sit, Sitting

GERMAN = load("de")


def stockfish(strength: str) -> EnginePlayer:
    need("Stockfish")
    program = uci.installed()
    assert program is not None
    return EnginePlayer(program, level(strength), pace=at_once)


def at_board(sit: Sit, player: EnginePlayer, fen: str, **how: Any) -> Sitting:
    """A blind White with a pegged board in the position ``fen``; the game has begun."""
    at = sit(opponent=player, fen=fen, boards=2, time_control="600", **how)
    at.attach_boards(white=fen.split()[0])
    at.wait(lambda: at.session.boards["white"].seen)
    at.seat_opponent()
    at.start()
    return at


def execute(at: Sitting, before: chess.Board, uci_move: str) -> None:
    """Hands execute a move on White's board, a captured piece first."""
    move = chess.Move.from_uci(uci_move)
    put = change(before, move)
    for square in sorted(put, key=lambda at: at == move.from_square):
        if before.piece_at(square):
            at.boards["white"].lift(chess.square_name(square))
    for square, letter in put.items():
        if letter is not None:
            at.boards["white"].place(chess.square_name(square), letter)


def play(at: Sitting, uci_move: str) -> None:
    """White announces a move, executes it and presses the lever."""
    before, plies = at.table.game.board.copy(), len(at.table.game.history)
    at.session.typed("white", GERMAN.announce(before, chess.Move.from_uci(uci_move)))
    execute(at, before, uci_move)
    at.boards["white"].press("white")
    at.wait(lambda: len(at.table.game.history) > plies or at.table.game.over)


def copy_answer(at: Sitting) -> None:
    """White's hands execute the opponent's move, as soon as it has been pressed."""
    at.wait(lambda: at.table.game.side == "white" or at.table.game.over)
    if at.table.game.over:
        return
    last = at.table.game.history[-1]
    execute(at, last.before, last.move.uci())
    at.wait(lambda: not at.table.game.outstanding("white"))


def test_stockfish_is_beaten(sit: Sit) -> None:
    at = at_board(sit, stockfish("full"), "7k/8/8/8/8/8/1R6/R5K1 w - - 0 1")
    play(at, "b2b7")
    copy_answer(at)
    play(at, "a1a8")
    assert at.table.game.result == "1-0"
    assert [ply.move.uci() for ply in at.table.game.history] == ["b2b7", "h8g8", "a1a8"]
    assert GERMAN.sentence("game_over_checkmate") in at.printed


def test_stockfish_wins(sit: Sit) -> None:
    at = at_board(sit, stockfish("full"), "6k1/4q3/8/8/8/P7/5PPP/4R1K1 w - - 0 1")
    play(at, "a3a4")
    at.wait(lambda: at.table.game.over)
    assert at.table.game.result == "0-1" and at.table.game.board.is_checkmate()


def test_executing_the_opponents_capture_touches_nothing(sit: Sit) -> None:
    at = at_board(sit, stockfish("full"), "7k/8/8/8/8/8/P7/6QK w - - 0 1")
    play(at, "g1g7")
    copy_answer(at)
    assert not at.table.game.turn.touched
    at.said()
    play(at, "a2a4")
    assert "korrig" not in " ".join(at.said()) and at.table.game.history[-1].move.uci() != "h8g7"


@pytest.fixture
def led(sit: Sit, tmp_path: Path) -> Sitting:
    """The opponent has answered with the pawn from a7 to a5, and White's board does not show it."""
    player = EnginePlayer(scripted(tmp_path, "good"), level("club"), pace=at_once)
    at = at_board(sit, player, chess.STARTING_FEN)
    play(at, "e2e4")
    at.wait(lambda: at.table.game.side == "white")
    at.said()
    return at


def test_a_slip_of_the_hand_is_led_to_the_opponents_move(led: Sitting) -> None:
    board = led.boards["white"]
    board.lift("a7")
    board.place("b5", "p")
    led.shows("schwarzer Bauer, von Bella fünf nach Anna fünf")
    assert led.said()[-2] == GERMAN.sentence("correct_board", player=GERMAN.sentence("white"))
    board.lift("b5")
    board.place("a5", "p")
    led.shows(GERMAN.sentence("set_up_done"))
    assert not led.table.game.outstanding("white") and not led.table.game.turn.touched


def test_a_move_that_is_executed_without_a_slip_needs_no_words(led: Sitting) -> None:
    copy_answer(led)
    assert led.said() == []


def test_the_board_leads_to_the_move_when_the_player_only_says_that_it_is_done(
    led: Sitting,
) -> None:
    led.session.typed("white", GERMAN.command(Command.DONE))
    led.shows("schwarzer Bauer, von Anna sieben nach Anna fünf")
    copy_answer(led)
    led.shows(GERMAN.sentence("set_up_done"))
    led.session.typed("white", GERMAN.command(Command.DONE))
    led.shows(GERMAN.sentence("nothing_to_execute"))


def test_a_take_back_is_led_on_the_players_board_alone(sit: Sit, tmp_path: Path) -> None:
    player = EnginePlayer(scripted(tmp_path, "good"), level("club"), pace=at_once)
    at = at_board(sit, player, chess.STARTING_FEN, training=True)
    play(at, "e2e4")
    copy_answer(at)
    at.said()
    for words in (Command.TAKE_BACK, Command.YES):
        at.session.typed("white", GERMAN.command(words))
    at.shows("weißer Bauer, von Eva vier nach Eva zwei")
    assert GERMAN.sentence("correct_board", player=GERMAN.sentence("black")) not in at.said()
