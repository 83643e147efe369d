"""Games in PGN that may still be played, as servers, boards and programs write them (11.3.1)."""

from __future__ import annotations

import datetime
import io

import chess.pgn
import pytest

from blindplay.record.ongoing import may_be_ongoing, says_ongoing

TODAY = datetime.date(2026, 3, 14)
FEN = '[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n'
CLOCKS = "1. e4 {[%clk 0:59:57]} e5 {[%clk 0:59:40]} *"


def game(text: str) -> chess.pgn.Game:
    found = chess.pgn.read_game(io.StringIO(text))
    assert found is not None
    return found


@pytest.mark.parametrize(
    "text",
    [
        *(f'[Termination "{word}"]\n\n1. e4 e5 *' for word in (
            "unterminated", "Unterminated", "UNTERMINATED", "in progress", "In-Progress", "started",
            "adjourned", "Game is still in progress")),
        '[Termination "Unterminated"]\n[Result "1-0"]\n\n1. e4 e5 1-0',
        '[TerminationDetails "in progress"]\n\n1. e4 e5 *',
        '[Result "in progress"]\n\n1. e4 e5',
        "1. e4 e5 {Still in progress} *",
        f'[Termination "Unterminated"]\n{FEN}\n1. e4 *',
    ],
)  # fmt: skip
@pytest.mark.parametrize("as_puzzle", [False, True])
def test_a_game_that_says_that_it_goes_on_does(text: str, as_puzzle: bool) -> None:
    assert says_ongoing(game(text))
    assert may_be_ongoing(game(text), as_puzzle=as_puzzle, today=TODAY)


@pytest.mark.parametrize(
    "text",
    [
        CLOCKS,
        "1. e4 e5",
        '[Result "?"]\n\n1. e4 e5',
        '[Termination "Normal"]\n\n1. e4 e5 *',
        '[Site "https://lichess.org/abcdefgh"]\n\n1. e4 *',
        "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 {now I plan 0-0} *",
        "1. e4 {An illegal move stands; moves from here: Nf3, Bc4, 0-0} *",
    ],
)
def test_a_game_without_a_result_may_go_on(text: str) -> None:
    assert may_be_ongoing(game(text), as_puzzle=False, today=TODAY)


@pytest.mark.parametrize(
    "more",
    [
        "1. e4 {[%clk 0:59:57]} *",
        '[TimeControl "1/259200"]\n\n1. e4 *',
        '[Site "https://lichess.org/abcdefgh"]\n\n1. e4 *',
        '[Link "https://www.chess.com/game/daily/1"]\n\n1. e4 *',
        '[White "Anna"]\n[Black "Bert"]\n[Date "2026.03.13"]\n\n1. e4 *',
        '[White "Anna"]\n[Black "Bert"]\n[UTCDate "2026.03.15"]\n\n1. e4 *',
    ],
)
def test_a_puzzle_that_looks_like_a_running_game_is_one(more: str) -> None:
    assert may_be_ongoing(game(f"{FEN}{more}"), as_puzzle=True, today=TODAY)
    ended = f'[Result "1-0"]\n{FEN}{more}'.replace("*", "1-0")
    assert not may_be_ongoing(game(ended), as_puzzle=True, today=TODAY)


@pytest.mark.parametrize(
    "text",
    [
        f"{FEN}\n1. e4 *",
        f'[Site "https://lichess.org/study/abcdefgh/ijklmnop"]\n[UTCDate "2026.03.14"]\n{FEN}\n*',
        f'[White "Anna"]\n[Black "Bert"]\n[Date "1999.03.13"]\n{FEN}\n1. e4 *',
        f'[White "?"]\n[Date "2026.02.31"]\n[TimeControl "-"]\n{FEN}\n*',
        "1. f3 e5 2. g4 Qh4# *",
    ],
)
def test_a_position_to_solve_is_no_running_game(text: str) -> None:
    assert not may_be_ongoing(game(text), as_puzzle=True, today=TODAY)


@pytest.mark.parametrize(
    "text",
    [
        "1. f3 e5 2. g4 Qh4# *",
        '[Termination "Abandoned"]\n\n1. e4 *',
        '[Termination "Live Player won by resignation"]\n[Result "1-0"]\n\n1. e4 1-0',
        '[Result "1/2"]\n\n1. e4 {[%clk 0:59:57]}',
        '[Result "0:1"]\n\n1. e4',
        '[Result "½-½"]\n\n1. e4',
        '[Termination "normal"]\n\n1. e4 {Both players have lost: 0-0} *',
        "1. e4 {with an attack in progress} 1-0",
        "1. e4 {(=) [%clk 0:10:00] The result is 1/2-0} *",
        "1. e4 {An illegal move stands; moves from here: e4, 0-0 Both players have lost: 0-0} *",
    ],
)
def test_a_game_that_has_ended_does_not_go_on(text: str) -> None:
    assert not may_be_ongoing(game(text), as_puzzle=False, today=TODAY)
