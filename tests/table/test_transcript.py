"""What a table prints besides what it says: a screen reader must not talk over its voice."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable
from typing import cast

import chess
import pytest

from blindplay.laws import Ruling
from blindplay.laws import facts as f
from blindplay.laws.rulings import (
    Answer,
    BoardsDiffer,
    CorrectBoard,
    CorrectingStep,
    DifferingSquare,
    Obliged,
)
from blindplay.speech.speaker import Outcome, Speaker
from blindplay.table.choices import Printed
from blindplay.table.transcript import Transcript, plain
from tests.table.sitting import Sit
from tests.table.voice import Voice

MOVE = "Springer Gustav eins Felix drei"
SAID = [MOVE, "Der angesagte Zug ist noch nicht ausgeführt."]


@pytest.fixture
def printed(sit: Sit) -> Callable[[Printed, Voice | None], list[str]]:
    """What is printed of a move that is announced and pressed too early."""

    def play(printed: Printed, voice: Voice | None) -> list[str]:
        sitting = sit(cast(Speaker, voice), printed=printed)
        sitting.start()
        sitting.table.submit(f.Announce(by="white", move="g1f3"))
        sitting.table.submit(f.Press(by="white"))
        sitting.session.transcript.trouble("The cable is off.")
        return sitting.printed.splitlines()

    return play


def test_what_a_voice_speaks_is_not_printed_but_what_is_wrong_is(
    printed: Callable[..., list[str]],
) -> None:
    assert printed(Printed.UNSPOKEN, Voice(Outcome.SPOKEN)) == ["trouble: The cable is off."]


def test_what_the_voice_could_not_speak_is_printed(printed: Callable[..., list[str]]) -> None:
    assert printed(Printed.UNSPOKEN, Voice(Outcome.FAILED))[:2] == SAID


@pytest.mark.parametrize(
    ("wanted", "voice"), [(Printed.UNSPOKEN, None), (Printed.WORDS, Voice(Outcome.FAILED))]
)
def test_words_are_printed_once_and_as_they_are_said(
    printed: Callable[..., list[str]], wanted: Printed, voice: Voice | None
) -> None:
    assert printed(wanted, voice) == [*SAID, "trouble: The cable is off."]


def test_everything_is_printed_with_its_time_and_articles(
    printed: Callable[..., list[str]],
) -> None:
    lines = [line.split(" ", 1)[1] for line in printed(Printed.ALL, Voice(Outcome.SPOKEN))]
    assert f"said to everybody: {MOVE}" in lines
    assert any(line.startswith("ruled announced: ") and "D.2.1" in line for line in lines)


def test_lines_that_two_threads_print_at_once_stay_whole() -> None:
    printed: list[str] = []

    class Slow(io.StringIO):
        """Another thread gets its turn after each piece."""

        def write(self, text: str) -> int:
            printed.append(text)
            time.sleep(0.001)
            return len(text)

    transcript = Transcript(Slow(), lambda: 0)

    def print_often(word: str) -> None:
        for _ in range(50):
            transcript.show(word)

    threads = [
        threading.Thread(target=lambda word=word: print_often(word))
        for word in ("hands", "boards", "pages")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = "".join(printed).splitlines()
    assert sorted(lines) == ["boards"] * 50 + ["hands"] * 50 + ["pages"] * 50


# --- a ruling in one line -----------------------------------------------------------------------


ARTICLES = ("house 1", "house 2.3")


@pytest.mark.parametrize(
    ("ruling", "line"),
    [
        (
            BoardsDiffer(articles=ARTICLES, squares=(DifferingSquare("g4", None, "Q"),)),
            "boards differ: squares g4 White's board empty, Black's board Q (house 1, house 2.3)",
        ),
        (
            CorrectBoard(
                articles=ARTICLES,
                board="black",
                placement=chess.STARTING_BOARD_FEN,
                steps=(CorrectingStep("lift", "Q", "g4"), CorrectingStep("place", "Q", "h5")),
            ),
            "correct board: board black; steps lift Q g4, place Q h5 (house 1, house 2.3)",
        ),
        (
            Answer(articles=ARTICLES, to="white", about="moves",
                   words="Ausgeführte Züge: eins.", moves=1, plies=2),
            "answer: to white; about moves; moves 1; plies 2 (house 1, house 2.3)",
        ),
    ],
)  # fmt: skip
def test_a_ruling_is_its_kind_its_fields_and_its_articles(ruling: Ruling, line: str) -> None:
    """What people hear anyway is left out."""
    assert plain(ruling) == line


def test_many_moves_are_only_counted() -> None:
    moves = tuple(move.uci() for move in chess.Board().legal_moves)
    few, many = (
        plain(Obliged(articles=ARTICLES, by="white", moves=some)) for some in (moves[:2], moves)
    )
    assert f"moves {moves[0]} {moves[1]} (" in few
    assert "moves 20 moves (" in many
