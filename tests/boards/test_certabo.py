"""Certabo's boards and the Sentio against published lines, and the chips in the user's
configuration.
"""

from __future__ import annotations

from pathlib import Path

import chess
import platformdirs
import pytest

from blindplay.boards import certabo
from blindplay.boards.certabo import Chips, Decoder, lamps
from blindplay.boards.diagram import START, diagram_of_board
from blindplay.boards.reporting import BoardReport, SignOfLife
from tests.boards.dgt import hands
from tests.boards.wires import Certabo


def report(shown: dict[int, str]) -> bytes:
    return Certabo().report(shown)


def last(decoder: Decoder, data: bytes) -> bytes:
    message = decoder.feed(data)[-1]
    assert isinstance(message, BoardReport)
    return message.diagram


STANDING = hands.pieces_of(chess.Board())


def test_the_chips_of_a_set_are_learned_from_the_start_position_and_told_once() -> None:
    learned: list[int] = []
    decoder = Decoder(learned=lambda chips: learned.append(len(chips)))
    without_names = START.translate(bytes(63 if 64 < b < 123 else b for b in range(256)))
    assert last(decoder, report(STANDING)) == without_names
    assert last(decoder, report(STANDING) * 3) == START
    moved = chess.Board()
    moved.push_uci("e2e4")
    assert last(decoder, report(hands.pieces_of(moved))) == diagram_of_board(moved)
    assert learned == [32]


def test_a_set_that_stands_otherwise_is_not_learned_anew() -> None:
    chips: Chips = {}
    last(Decoder(chips), report(STANDING) * 2)
    known = dict(chips)
    swapped = STANDING | {chess.D1: "K", chess.E1: "Q"}
    assert last(Decoder(chips), report(swapped) * 2)[:8] == b"RNBKQBNR"
    assert chips == known
    spare = STANDING | {chess.D3: "Q", chess.D6: "q"}
    last(Decoder(chips), report(spare) * 2)
    assert len(chips) == 34


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_line_may_be_wrapped_within_a_number(wrapped: bool) -> None:
    line = report(STANDING)
    if wrapped:
        line = b"\n".join(line[at : at + 65] for at in range(0, len(line), 65))
    assert isinstance(Decoder().feed(line)[-1], BoardReport)


def test_a_sentio_tells_which_squares_are_occupied() -> None:
    # The a-file is the highest bit: Sentio in picochess, and BoardKit's CertaboAdapter.
    assert last(Decoder(), b":255 255 0 0 0 0 127 255\r\n") == (
        b"?" * 8 + b"." + b"?" * 7 + b"." * 32 + b"?" * 16
    )


@pytest.mark.parametrize(("letter", "coloured"), [(b"L", False), (b"D", True)])
def test_lamps_are_acknowledged_in_a_line_of_their_own_or_at_the_end_of_a_report(
    letter: bytes, coloured: bool
) -> None:
    for report, count in ((b":255 255 0 0 0 0 255 254\n", 1), (b":1 2 3 4 5 6 7 8\r\n", 2)):
        decoder = Decoder()
        messages = decoder.feed(report + letter + b"\r\n")
        assert len(messages) == count and isinstance(messages[0], BoardReport)
        assert decoder.coloured is coloured
        assert messages[1:] == [SignOfLife()][: count - 1]


def test_lamps_are_lit_in_a_byte_for_each_rank_or_at_their_corners() -> None:
    # Certabo's codes.py, move2led: for e2e4 the bytes of ranks 4 and 2 are 2 to the power of 4.
    assert lamps([chess.E2, chess.E4], coloured=False) == bytes((0, 0, 0, 0, 16, 0, 16, 0))
    decoder = Decoder()
    assert decoder.feed(b"D\r\n") == [SignOfLife()] and decoder.coloured
    coloured = lamps([chess.H1], coloured=True)
    assert len(coloured) == 247
    assert [n for n in range(81) if coloured[4 + 3 * n]] == [0, 1, 9, 10]


def test_chips_are_kept_and_a_damaged_file_holds_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "config"
    monkeypatch.setattr(platformdirs, "user_config_path", lambda *_, **__: folder)
    assert certabo.kept() == {}
    learned = {b"\x03\x00\x54\x01\x02": ord("K"), b"\x03\x00\x54\x01\x03": ord("p")}
    certabo.keep(learned)
    assert certabo.kept() == learned
    for damaged in ("", "[]", '{"K": 3}', '{"K": ["no chip"]}', '{"X": ["00"]}'):
        (folder / "chips.json").write_text(damaged)
        assert certabo.kept() == {}
    folder.joinpath("chips.json").unlink()
    folder.rmdir()
    folder.write_text("in the way")
    certabo.keep(learned)  # it says so in the log
    assert certabo.kept() == {}
