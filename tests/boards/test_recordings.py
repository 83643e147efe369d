"""Recorded streams of boards that report whole positions."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import pytest

from blindplay.boards.dgt import NoRecordingError
from blindplay.boards.recordings import FRAMERS, decode, positions
from tests.boards.dgt import hands
from tests.boards.wires import WIRES, Certabo, Wire, believed, game, played, record, spoil, uci
from tests.command_line import run

each_wire = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: type(wire).__name__)


@each_wire
def test_the_moves_of_a_game_are_found_in_what_the_board_sent(wire: Wire) -> None:
    hand = random.Random(4)
    moves = game(wire, hand, 16)
    found = played(record(wire, moves, hand), wire)
    # A board without names may show what fits several moves; then the rest is missing.
    assert found == uci(moves)[: len(found)]
    assert len(found) == len(moves) or not wire.names_pieces


@each_wire
def test_no_flipped_bit_becomes_a_move(wire: Wire) -> None:
    hand = random.Random(9)
    moves = game(wire, hand, 1)
    data, truth = record(wire, moves, hand), uci(moves)
    shown = believed(data, wire)
    for _ in range(min(1000, 3_000_000 // len(data))):
        spoilt = spoil(data, hand)
        if not believed(spoilt, wire) <= shown:
            found = played(spoilt, wire, chess.Board())
            assert found == truth[: len(found)]


def test_a_pawn_on_its_way_is_no_move_if_a_chip_was_misread_at_its_goal() -> None:
    wire, shown = Certabo(), hands.pieces_of(chess.Board())
    stream = wire.report(shown) * 3
    for square in (chess.E3, chess.E4):
        shown = {at: letter for at, letter in shown.items() if at not in (chess.E2, chess.E3)}
        shown[square] = "P"
        if square == chess.E4:
            shown[chess.D7] = "x"  # no chip of the set
        stream += wire.report(shown) * 2
    assert played(stream, wire) == []


@each_wire
@pytest.mark.parametrize("lies", [False, True])
def test_positions_are_printed_as_the_board_reports_them(wire: Wire, lies: bool) -> None:
    # Certabo learns its pieces from the start position, with White at the usual side.
    lies = lies and not isinstance(wire, Certabo)
    moves = [chess.Move.from_uci("e2e4")]
    hand = random.Random(0)
    turned = lies or None if wire.names_pieces else lies
    shown = list(positions(record(wire, moves, hand, lies=lies), wire.name, turned))
    after = chess.Board()
    after.push(moves[0])
    fens = [chess.STARTING_BOARD_FEN, after.board_fen()]
    if not wire.names_pieces:
        fens = ["".join("?" if letter.isalpha() else letter for letter in fen) for fen in fens]
    assert fens[0] in shown[:2] and shown[-1] == fens[1]


def test_the_command_prints_moves_or_positions_of_each_protocol(tmp_path: Path) -> None:
    hand = random.Random(2)
    moves = game(WIRES[0], hand, 6)
    file = tmp_path / "stream"
    file.write_bytes(record(WIRES[0], moves, hand))
    arguments = ("board", "decode", "--protocol", WIRES[0].name)
    assert run(*arguments, str(file)).stdout.split() == uci(moves)
    shown = run(*arguments, "--positions", str(file)).stdout.split()
    assert shown[0] == chess.STARTING_BOARD_FEN and len(shown) > len(moves)
    assert run(*arguments, "--commit", "clock", str(file)).status == 2
    recorded = hands.record(moves, hand).data
    shown = run("board", "decode", "--positions", "-", stdin=recorded).stdout.split()
    assert shown[0] == chess.STARTING_BOARD_FEN


@pytest.mark.parametrize("protocol", FRAMERS)
def test_what_holds_no_position_is_no_recording(protocol: str) -> None:
    for read in (decode, positions):
        with pytest.raises(NoRecordingError):
            list(read(b"nothing of the kind", protocol))
