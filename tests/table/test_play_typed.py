"""What a table says of itself: moves that nobody announced, a sealed move that is asked for, and
the keyboard after the end."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from blindplay.language import load
from blindplay.laws import Taken
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.laws.rulings import Announced
from blindplay.record import Journal
from blindplay.table import Table
from blindplay.table.keyboard import Keyboard
from blindplay.table.session import Session
from blindplay.table.transcript import Transcript

DE = load("de")


class Seat:
    """A table with an impaired White, and what it has said."""

    def __init__(self, path: Path, **setup: Any) -> None:
        self.journal = Journal(path)
        fields: dict[str, Any] = {"time_control": "5400", "white": Player(impaired=True), **setup}
        self.table = Table(self.journal, Setup(t=0, **fields), now=lambda: 0.0)
        self.out = io.StringIO()
        self.session = Session(self.table, DE, None, Transcript(self.out, self.table.time))
        self.table.submit(f.Start())

    def said(self) -> list[str]:
        lines = self.out.getvalue().splitlines()
        self.out.truncate(0)
        self.out.seek(0)
        return [line.split(": ", 1)[1] for line in lines if " said " in line]

    def close(self) -> None:
        self.session.close()
        self.journal.close()


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[Seat]:
    seat = Seat(tmp_path / "game.jsonl")
    yield seat
    seat.close()


def test_a_flag_falls_though_somebody_fails_at_every_second_before(tmp_path: Path) -> None:
    now = 0.0
    failed = threading.Event()

    def fails(taken: Taken) -> None:
        if isinstance(taken.fact, f.Tick):
            failed.set()
            raise RuntimeError("no room")

    out = io.StringIO()
    with Journal(tmp_path / "game.jsonl") as journal:
        setup = Setup(t=0, time_control="60", white=Player(impaired=True))
        table = Table(journal, setup, now=lambda: now)
        session = Session(table, DE, None, Transcript(out, table.time), tick_seconds=0.01)
        try:
            table.listen(fails)
            table.submit(f.Start())
            assert failed.wait(10)
            now = 61.0
            assert session.wait_for("flag", 10) is not None
        finally:
            session.close()
    assert out.getvalue().count("trouble: Something failed") == 1


def test_a_move_that_the_sighted_player_made_without_a_word_is_told_when_it_is_completed(
    seat: Seat,
) -> None:
    seat.table.submit(f.Announce(by="white", move="e2e4"))
    seat.table.submit(f.Make(by="white", move="e2e4"))
    seat.table.submit(f.Press(by="white"))
    assert (
        DE.sentence("last_move", player="Weiß", move="Bauer Eva zwei Eva vier") not in seat.said()
    )
    seat.table.submit(f.Make(by="black", move="e7e5"))
    assert seat.said() == []
    seat.table.submit(f.Press(by="black"))
    told = DE.sentence("last_move", player="Schwarz", move="Bauer Eva sieben Eva fünf")
    assert told in seat.said()
    # It is no announcement of his: nothing says so in the record.
    assert not [r for r in seat.session.rulings if isinstance(r, Announced) and r.by == "black"]


def test_a_move_that_was_announced_is_not_told_again(seat: Seat) -> None:
    for by, move in (("white", "e2e4"), ("black", "e7e5")):
        seat.table.submit(f.Announce(by=by, move=move))
        seat.table.submit(f.Make(by=by, move=move))
        seat.table.submit(f.Press(by=by))
    assert not [words for words in seat.said() if words.startswith("Letzter Zug")]


def test_who_is_to_seal_a_move_is_told_so_and_an_empty_line_seals_it(seat: Seat) -> None:
    seat.table.submit(f.Arbiter(do="adjourn"))
    assert DE.sentence("seal_asked", player="Weiß") in seat.said()
    Keyboard(seat.session).do("Abgabezug Springer Gustav eins Felix drei")
    Keyboard(seat.session).do("")
    assert seat.table.game.adjourned
    assert not [words for words in seat.said() if "Springer" in words]


def test_typed_mate_ends_the_game_and_nothing_more_is_asked_of_anybody(seat: Seat) -> None:
    for by, move in (("white", "f2f3"), ("black", "e7e5"), ("white", "g2g4")):
        seat.table.submit(f.Announce(by=by, move=move))
        seat.table.submit(f.Make(by=by, move=move))
        seat.table.submit(f.Press(by=by))
    seat.said()
    Keyboard(seat.session).do("Dame David acht Hector vier")
    assert seat.table.game.over
    said = seat.said()
    assert DE.sentence("refused") not in said
    Keyboard(seat.session).do("")
    assert DE.sentence("press_unbegun") not in seat.said()
