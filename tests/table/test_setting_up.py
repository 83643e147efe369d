"""Hands are led to a position, before the game and when a board must be corrected."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.language import Command, load
from blindplay.laws.facts import Make, Player, Record, Setup, Start
from blindplay.record import Journal
from blindplay.table import Table
from blindplay.table.session import Session
from blindplay.table.transcript import Transcript

GERMAN = load("de")
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"


class Sitting:
    """A table with two emulated boards, nobody speaking."""

    def __init__(self, folder: Path, white: str, black: str, *, resume: bool = False) -> None:
        self.out = io.StringIO()
        setup = Setup(t=0, time_control="900+10", white=Player(impaired=True), arbiter="automatic")
        self.journal = Journal(folder / "game.jsonl", resume=resume)
        self.table = Table(self.journal, None if resume else setup)
        self.session = Session(self.table, GERMAN, None, Transcript(self.out, self.table.time))
        self.guide = self.session.setting_up
        self.guide.prepare()
        self.boards = {"white": EmulatedBoard(white), "black": EmulatedBoard(black)}
        for side, board in self.boards.items():
            self.session.attach_board(side, board.url)

    def wait(self, what: Callable[[], bool]) -> None:
        end = time.monotonic() + 10
        while not what():
            assert time.monotonic() < end, self.out.getvalue()
            time.sleep(0.01)

    def begin(self) -> None:
        """Start, and wait until the game begins."""
        begun: list[int] = []
        self.guide.start(lambda: begun.append(1))
        self.wait(lambda: begun == [1])

    def said(self, words: str) -> Callable[[], bool]:
        return lambda: f": {words}" in self.out.getvalue()

    def close(self) -> None:
        self.session.close()
        for board in self.boards.values():
            board.close()
        self.journal.close()


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Callable[..., Sitting]]:
    sittings: list[Sitting] = []

    def make(*placements: str, resume: bool = False) -> Sitting:
        sittings.append(Sitting(tmp_path, *placements, resume=resume))
        return sittings[-1]

    yield make
    for sitting in sittings:
        sitting.close()


def test_the_game_begins_when_hands_have_been_led_to_the_position(
    sit: Callable[..., Sitting],
) -> None:
    at = sit(START, "rnbqkbnr/pppp1ppp/4p3/8/8/8/PPPP1PPP/RNBQKBNR")
    begun: list[int] = []
    at.guide.start(lambda: begun.append(1))
    at.wait(at.said("Jetzt wird das Brett von Schwarz aufgestellt. Schritte: zwei."))
    at.wait(at.said("Umstecken: schwarzer Bauer, von Eva sechs nach Eva sieben."))
    assert not begun
    # "weiter" makes no sense to the game, whose clocks stand; to the guide it leaves the step out.
    assert Command.RESUME not in at.session.dialogue.sayable("white").bare
    assert {"weiter", "noch einmal"} <= set(at.guide.phrases())
    at.session.typed("white", "wiederholen")
    assert at.out.getvalue().count("Umstecken") == 2
    at.boards["black"].lift("e6")
    at.boards["black"].place("e7", "p")
    at.wait(at.said("Feld Eva zwei fehlt: weißer Bauer."))
    at.boards["black"].place("e2", "P")
    at.wait(at.said("Die Stellung ist aufgestellt."))
    at.wait(lambda: begun == [1])
    assert at.guide.phrases() == []
    assert "verschieden" not in at.out.getvalue()


def test_boards_that_were_seen_before_are_set_up_all_the_same(
    sit: Callable[..., Sitting],
) -> None:
    """Loading a speech model takes seconds. Until then nothing has been played, so nobody needs to
    hear that the boards differ, that nobody has written anything, or whose hands did what."""
    wrong = "rnbqkbnr/pppp1ppp/4p3/8/8/8/PPPP1PPP/RNBQKBNR"
    at = sit(START, wrong)
    at.wait(lambda: all(seat.seen for seat in at.session.boards.values()))
    at.wait(lambda: "records_missing" in at.out.getvalue())
    assert "said" not in at.out.getvalue()
    at.guide.start(lambda: None)
    first, *_ = re.findall("said to everybody: (.*)", at.out.getvalue())
    assert first == "Jetzt wird das Brett von Schwarz aufgestellt. Schritte: zwei."
    at.boards["black"].lift("e6")
    at.boards["black"].place("e7", "p")
    at.boards["black"].place("e2", "P")
    at.wait(at.said("Die Stellung ist aufgestellt."))
    for words in ("verschieden", "Schiedsrichter", "berichtigen"):
        assert words not in at.out.getvalue()


def test_boards_that_show_the_position_begin_without_a_word(sit: Callable[..., Sitting]) -> None:
    at = sit(START, START)
    at.begin()
    assert "said" not in at.out.getvalue()


def test_a_board_that_is_not_there_is_not_waited_for(sit: Callable[..., Sitting]) -> None:
    at = sit(START, START)
    at.boards["black"].unplug()
    at.begin()
    assert not at.guide.begin_now()


def with_a_knight_gone_wrong(sit: Callable[..., Sitting]) -> Sitting:
    """White has announced and played Nf3; on Black's board the knight went to h3."""
    at = sit(START, START)
    at.begin()
    at.table.submit(Start())
    at.session.typed("white", "Springer Gustav eins Felix drei")
    for side, to in (("white", "f3"), ("black", "h3")):
        at.boards[side].lift("g1")
        at.boards[side].place(to, "N")
    at.boards["white"].press("white")
    return at


def test_a_wrong_board_in_the_game_is_led_back_step_by_step(sit: Callable[..., Sitting]) -> None:
    at = with_a_knight_gone_wrong(sit)
    at.wait(at.said("Bitte berichtigen Sie das Brett von Schwarz."))
    at.wait(at.said("Umstecken: weißer Springer, von Hector drei nach Felix drei."))
    at.boards["black"].lift("h3")
    at.boards["black"].place("f3", "N")
    at.wait(at.said("Die Stellungen auf beiden Brettern sind gleich."))


def test_a_board_that_was_never_felt_is_told_all_steps_at_once(sit: Callable[..., Sitting]) -> None:
    at = sit(START, START)
    at.boards["black"].unplug()
    at.begin()
    at.table.submit(Start())
    at.session.typed("white", "Springer Gustav eins Felix drei")
    at.boards["white"].lift("g1")
    at.boards["white"].place("f3", "N")
    at.wait(at.said("Die Verbindung zum Brett von Schwarz ist unterbrochen."))
    # Black has no sensors now: what he did by hand was entered, and was another move.
    at.table.submit(Make(by="black", move="g1h3"))
    at.boards["white"].press("white")
    at.wait(at.said("Bitte berichtigen Sie das Brett von Schwarz."))
    at.wait(at.said("Nehmen: weißer Springer, Hector drei."))
    at.wait(at.said("Setzen: weißer Springer, Felix drei."))


def test_after_taking_back_both_boards_are_led_one_after_the_other(
    sit: Callable[..., Sitting],
) -> None:
    at = with_a_knight_gone_wrong(sit)
    at.wait(at.said("Umstecken: weißer Springer, von Hector drei nach Felix drei."))
    # While he corrects his board he writes what he had heard: now the sheets part.
    at.table.submit(Record(by="black", ply=1, text="Sh3"))
    at.wait(at.said("Schwarz hat geschrieben: Springer Gustav eins Hector drei."))
    at.wait(at.said("Alle Züge werden zurückgenommen, bis zur Anfangsstellung."))
    step = "Umstecken: weißer Springer, von Felix drei nach Gustav eins."
    at.wait(at.said(step))
    at.session.typed("white", "wiederholen")
    assert at.out.getvalue().count(step) == 2
    at.session.typed("white", "weiter")
    at.wait(at.said("Ausgelassen sind die Felder: Felix drei, Gustav eins."))
    at.wait(at.said("Umstecken: weißer Springer, von Hector drei nach Gustav eins."))
    for side, now in (("black", "h3"), ("white", "f3")):
        at.boards[side].lift(now)
        at.boards[side].place("g1", "N")
    at.wait(lambda: at.out.getvalue().count("auf beiden Brettern sind gleich") == 2)
    assert not at.table.game.history
    assert all(table.wanted is None for table in at.table.game.tables.values())
