"""``blindplay board decode`` on a recorded stream of a DGT board."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import pytest

from blindplay.boards.dgt import NoRecordingError
from blindplay.boards.dgt import moves as dgt
from tests.boards.dgt import hands
from tests.command_line import Ran, run


def decode(*arguments: str, data: bytes = b"") -> Ran:
    return run("board", "decode", "--protocol", "dgt", *arguments, stdin=data)


@pytest.fixture(scope="module")
def recording() -> hands.Recording:
    hand = random.Random(5)
    return hands.record(hands.random_game(hand, 30), hand)


def test_it_prints_the_moves_one_a_line(recording: hands.Recording, tmp_path: Path) -> None:
    file = tmp_path / "game.dgt"
    file.write_bytes(recording.data)
    for commit in ([], ["--commit", "clock"], ["--commit", "position"]):
        done = decode(*commit, str(file))
        assert done.status == 0
        assert done.stdout.split() == recording.moves
    assert decode("-", data=recording.data).stdout.split() == recording.moves


def test_gaps_in_a_recording_are_reported_on_standard_error(recording: hands.Recording) -> None:
    done = decode("-", data=recording.data[:2000] + recording.data[2003:])
    assert done.status == 0
    moves = done.stdout.split()
    assert moves == recording.moves[: len(moves)]
    assert done.stderr


def test_a_position_given_begins_the_game() -> None:
    fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    data = hands.dump(hands.pieces_of(chess.Board(fen))) + b"".join(
        hands.update(chess.parse_square(square), piece)
        for square, piece in (("e2", "."), ("e4", "P"))
    )
    done = decode("--fen", fen, "-", data=data)
    assert (done.stdout.split(), done.stderr) == (["e2e4"], "")


@pytest.mark.parametrize("content", [None, b"", b"[Event]\n1. e4 e5\n", bytes(300)])
def test_a_file_that_is_no_recording_is_one_sentence_and_status_2(
    content: bytes | None, tmp_path: Path
) -> None:
    file = tmp_path / "none.dgt"
    if content is not None:
        file.write_bytes(content)
    done = decode(str(file))
    assert done.status == 2
    assert not done.stdout
    assert len(done.stderr.strip().splitlines()) == 1


def test_bytes_without_a_board_are_no_recording() -> None:
    updates = hands.update(chess.E2, ".") + hands.update(chess.E4, "P")
    for data in (b"", b"no recording at all", hands.clock(300, 300, 0x09), updates):
        with pytest.raises(NoRecordingError):
            list(dgt.decode(data))
