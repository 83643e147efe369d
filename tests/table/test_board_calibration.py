"""The check of a board by voice: it finds bad contacts and says how to put them right."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess
import platformdirs
import pytest

from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.calibration import Calibration, kept
from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.boards.peg.raw_board import HoleReading
from blindplay.language import Language, languages, load
from blindplay.table.board_calibration import calibrate, check
from tests.command_line import run
from tests.conversation.conversing import GERMAN

EMPTY_BOARD = "8/8/8/8/8/8/8/8"


@pytest.fixture(autouse=True)
def own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "configuration"
    monkeypatch.setattr(platformdirs, "user_config_path", lambda *_, **__: folder)
    return folder / "boards"


def reading(level: int, code: int, *, spread: int = 2) -> HoleReading:
    return HoleReading((level, level + spread, level, level - 1, level), code)


class Bench:
    """A board without a wire: what is asked for is put there, as hands would do."""

    def __init__(self, pack: Language = GERMAN, *, knows_pieces: bool = True) -> None:
        self.knows_pieces = knows_pieces
        self._pack = pack
        self.said: list[str] = []
        self.asked = ""
        self.bad: dict[str, HoleReading] = {}

    def say(self, words: str) -> None:
        self.said.append(words)
        self.asked = words

    def read(self, squares: Sequence[int], samples: int = 5) -> dict[int, HoleReading]:
        return {square: self._one(square, len(squares) == 1) for square in squares}

    def _one(self, square: int, placed: bool) -> HoleReading:
        wrong = self.bad.get(chess.square_name(square))
        if wrong is not None and wrong.code in (peg.EMPTY, peg.FAULT) and not placed:
            return reading(1020, peg.EMPTY)
        if wrong is not None:
            return wrong
        if not placed:
            return reading(1020, peg.EMPTY)
        letter = next(
            letter
            for letter in peg.PIECES[1:]
            if self._pack.piece(chess.Piece.from_symbol(letter)) in self.asked
        )
        code = peg.PIECES.index(letter)
        return reading(70 * code, code if self.knows_pieces else 1)


def led(bench: Bench, keys: Sequence[str] | None = None) -> Calibration:
    def enter() -> Iterator[str]:
        while True:
            yield ""

    return check(bench, GERMAN, bench.say, enter() if keys is None else iter(keys))


def test_a_good_board_is_led_through_every_kind_and_every_square() -> None:
    bench = Bench()
    result = led(bench)
    assert len(result.pieces) == 12 and len(result.squares) == 64 and not result.bad
    assert bench.said[1] == "Nehmen Sie alle Figuren vom Brett. Dann drücken Sie die Eingabetaste."
    assert bench.said[2] == ("Setzen: weißer Bauer, Eva vier. Dann drücken Sie die Eingabetaste.")
    assert bench.said[-1] == "Die Prüfung ist beendet. Alle geprüften Felder sind gut."
    assert len(bench.said) == 1 + 1 + 12 + 64 + 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (reading(900, peg.FAULT), "Feld Eva zwei: der Kontakt ist schlecht."),
        (reading(1020, peg.EMPTY), "Feld Eva zwei: keine Figur erkannt."),
        (reading(140, 2), "Feld Eva zwei ist nicht leer."),
    ],
)
def test_the_fault_of_a_square_is_spoken(wrong: HoleReading, said: str) -> None:
    bench = Bench()
    bench.bad["e2"] = wrong
    # Enter for what goes well; what does not is left out the second time it is asked for.
    empty = ["", "auslassen"] if wrong.code == 2 else [""]
    keys = [*empty, *[""] * (12 + chess.E2), "", "auslassen", *[""] * 60]
    result = led(bench, keys)
    assert any(words.startswith(said) for words in bench.said)
    assert list(result.bad) == ["e2"]
    assert bench.said[-1] == "Die Prüfung ist beendet. Schlecht sind die Felder: Eva zwei."


def test_a_step_is_repeated_and_left_out_and_the_check_ended_on_request() -> None:
    bench = Bench()
    result = led(bench, ["", "wiederholen", "auslassen", "", "quit"])
    assert (
        bench.said.count("Setzen: weißer Bauer, Eva vier. Dann drücken Sie die Eingabetaste.") == 2
    )
    assert list(result.pieces) == ["R"]
    assert bench.said[-1] == GERMAN.sentence("cancelled")


def test_help_says_the_keys_and_the_step_again_and_does_no_step() -> None:
    bench = Bench()
    led(bench, ["hilfe", "quit"])
    keys, step = bench.said[:2]
    assert bench.said[:4] == [keys, step, keys, step]


def test_a_board_that_cannot_name_pieces_is_checked_for_contacts_only() -> None:
    bench = Bench(knows_pieces=False)
    result = led(bench)
    assert not result.pieces and len(result.squares) == 64 and not result.bad


@pytest.mark.parametrize("code", languages())
def test_the_check_speaks_every_language(code: str) -> None:
    bench = Bench(load(code))
    result = check(bench, load(code), bench.say, iter([""] * 20), squares=[chess.A1])
    assert len(result.pieces) == 12 and list(result.squares) == ["a1"]


class Hands:
    """Does at an emulated board what is said, and presses Enter."""

    def __init__(self, board: EmulatedBoard) -> None:
        self.board = board
        self.out = io.StringIO()
        self.told = 0

    def __iter__(self) -> Hands:
        return self

    def __next__(self) -> str:
        news = self.out.getvalue()[self.told :]
        self.told = len(self.out.getvalue())
        asked = [line for line in news.splitlines() if line.startswith("Setzen: ")]
        if "der Kontakt ist schlecht" in news:
            return "auslassen"
        if asked:
            for square in chess.SQUARE_NAMES:
                if self.board.placement != EMPTY_BOARD and self._stands(square):
                    self.board.lift(square)
            letter, square = self._read(asked[-1])
            self.board.place(square, letter)
        return ""

    def _stands(self, square: str) -> bool:
        pieces = chess.BaseBoard(self.board.placement)
        return pieces.piece_at(chess.parse_square(square)) is not None

    def _read(self, words: str) -> tuple[str, str]:
        piece, square = words.removeprefix("Setzen: ").split(". ")[0].split(", ")
        letter = next(
            letter
            for letter in peg.PIECES[1:]
            if GERMAN.piece(chess.Piece.from_symbol(letter)) == piece
        )
        at = next(at for at in chess.SQUARES if GERMAN.square(at) == square)
        return letter, chess.square_name(at)


def test_an_emulated_board_is_checked_and_the_result_is_saved(own_configuration: Path) -> None:
    with EmulatedBoard(EMPTY_BOARD, lift_ms=5) as board:
        hands = Hands(board)
        assert calibrate(board.url, GERMAN, True, hands, hands.out)
        known = kept(board.which.text, board.url)
        assert known is not None and len(known.squares) == 64 and len(known.pieces) == 12
        (file,) = own_configuration.iterdir()
        assert file.name == f"{board.which.text}.json"
        assert "Das Ergebnis ist in" in hands.out.getvalue()


def test_a_missing_piece_is_reported_and_the_check_can_be_left() -> None:
    with EmulatedBoard(EMPTY_BOARD) as board:
        out = io.StringIO()
        keys = ["", "", "quit"]  # nothing was put on e4
        assert not calibrate(board.url, GERMAN, True, keys, out)
        assert "Feld Eva vier: keine Figur erkannt." in out.getvalue()
        assert kept(board.which.text, board.url) is None


def test_a_check_that_ends_before_the_first_square_is_not_passed() -> None:
    with EmulatedBoard(EMPTY_BOARD) as board:
        out = io.StringIO()
        assert not calibrate(board.url, GERMAN, True, [], out)
        assert GERMAN.sentence("cancelled") in out.getvalue()


def test_the_command_ends_with_status_1_if_nothing_was_checked() -> None:
    with EmulatedBoard(EMPTY_BOARD) as board:
        done = run("board", "calibrate", "--silent", "--port", board.url)
    assert (done.status, done.stderr) == (1, "")


def test_pieces_left_on_the_board_are_reported() -> None:
    with EmulatedBoard("8/8/8/8/8/8/4P3/8") as board:
        out = io.StringIO()
        assert not calibrate(board.url, GERMAN, True, ["", "quit"], out)
        assert "Feld Eva zwei ist nicht leer." in out.getvalue()
        known = kept(board.which.text, board.url)
        assert known is not None and known.bad == {"e2": "not_empty"}
