"""Announce and understand agree on every legal move, in every language."""

import itertools

import chess
import pytest

from benchmarks.roundtrip import positions, roundtrip
from blindplay.language import languages
from blindplay.language.pack_check import STARTS

SEEDS = range(8)
EACH = 2_750


@pytest.mark.parametrize("language", [*languages(), "de+nb", "nb+de"])
def test_every_announcement_is_understood_as_its_move(language: str) -> None:
    result = roundtrip(100, 8, language=language)
    assert result.failures == ()
    assert result.positions == 100
    assert result.moves > 10 * 100


@pytest.mark.long
@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("seed", SEEDS)
def test_every_announcement_of_twenty_thousand_positions_is_understood(
    seed: int, language: str
) -> None:
    result = roundtrip(EACH, seed, language=language)
    assert result.failures == ()
    assert result.positions == EACH
    assert result.moves > 10 * EACH


def test_round_trip_is_as_large_as_required() -> None:
    assert EACH * len(SEEDS) >= 20_000


@pytest.mark.parametrize("fen", STARTS)
def test_start_is_a_position_of_chess(fen: str) -> None:
    board = chess.Board(fen)
    assert board.status() == chess.STATUS_VALID
    assert any(board.legal_moves)


def test_positions_have_what_is_difficult() -> None:
    seen: dict[str, int] = {}
    for board in itertools.islice(positions(EACH, 0), EACH):
        moves = list(board.legal_moves)
        if len(board.pieces(chess.QUEEN, board.turn)) >= 3:
            seen["three queens"] = seen.get("three queens", 0) + 1
        if any(
            board.is_pinned(board.turn, s) for s in chess.SquareSet(board.occupied_co[board.turn])
        ):
            seen["pin"] = seen.get("pin", 0) + 1
        for name, found in {
            "promotion": any(m.promotion for m in moves),
            "en passant": any(board.is_en_passant(m) for m in moves),
            "castling": any(board.is_castling(m) for m in moves),
            "castling in chess960": board.chess960 and any(board.is_castling(m) for m in moves),
            "chess960": board.chess960,
            "check": board.is_check(),
        }.items():
            seen[name] = seen.get(name, 0) + found
    assert len(seen) == 8
    assert min(seen.values()) >= 10, seen


def test_same_seed_gives_the_same_positions() -> None:
    def fens(seed: int) -> list[str]:
        return [board.fen() for board in positions(100, seed)]

    assert fens(5) == fens(5)
    assert fens(5) != fens(6)
