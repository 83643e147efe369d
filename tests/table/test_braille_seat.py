"""A Braille display at the table: a deaf-blind player plays from it alone."""

from __future__ import annotations

import io
import queue
import re
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.braille.brlapi import Connection
from blindplay.braille.line import MORE
from blindplay.language import Command, Key, word_of
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.table.braille_seat import BrailleSeat, ReadersBraille, compact_move, with_move
from blindplay.table.choices import BrailleBy
from blindplay.table.devices import WantedDevices
from blindplay.table.play import TableOptions, run
from tests.braille.virtual_display import VirtualDisplay
from tests.conversation.conversing import GERMAN
from tests.speech.readers import RecordingReader
from tests.table.sitting import Sit
from tests.waiting import PATIENCE_S, until

SIGNS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZäöüßÄÖÜ.,:?!-0123456789"


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> Iterator[VirtualDisplay]:
    with (
        tempfile.TemporaryDirectory(prefix="brl-") as folder,
        VirtualDisplay(Path(folder), 40) as found,
    ):
        monkeypatch.setenv("BRLAPI_HOST", found.host)
        monkeypatch.delenv("WINDOWPATH", raising=False)
        monkeypatch.delenv("XDG_VTNR", raising=False)
        yield found


class Fingers:
    """Reads a display of 40 cells by panning to the right, and types on it."""

    def __init__(self, display: VirtualDisplay) -> None:
        self._display = display
        self._table = display.table(SIGNS)
        self.read: list[str] = []

    def now(self) -> str:
        return "".join(self._table.get(cell, cell) for cell in self._display.shown)

    def read_until(self, text: str) -> None:
        """Read until `text` is shown and nothing follows; wait where nothing is new."""
        began = time.monotonic()
        while text not in self.now() or self._display.shown.endswith(MORE):
            before = self._display.shown
            # Without a table BRLTTY says that there is no screen. A key that pans that line may
            # reach the table's first line, and skip its beginning. So may one that pans the line
            # that is being typed, which ends with the cursor.
            idle = (
                r"(⠼\S+ )?(Sie sind am Zug|(Drücken|Wiederholen|Bitte warten) Sie).*|.*screen|.*⣀|"
            )
            if not re.fullmatch(idle, self.now()):
                self.read.append(self.now())
                self._display.press("fwinrt")
            # The idle line changes with the clock, so the whole of it must end, too.
            assert until(lambda before=before: self._display.shown != before) and (  # type: ignore[misc]
                time.monotonic() < began + PATIENCE_S
            ), (text, self.read)
        self.read.append(self.now())

    def type(self, cells: str) -> None:
        self._display.type(cells)


@pytest.mark.realtime
def test_a_deaf_blind_player_plays_a_whole_game_from_the_braille_line_alone(
    display: VirtualDisplay, tmp_path: Path
) -> None:
    """The opponent types at the keyboard, and presses there. White has nothing but the display."""
    fingers = Fingers(display)
    keys: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    out = io.StringIO()
    white = Player(impaired=True, hearing_impaired=True, assistant=True)
    setup = Setup(t=0, time_control="5400", arbiter="automatic", white=white)
    devices = WantedDevices(microphone="none", silent=True, braille=BrailleBy.BRLTTY)
    table = threading.Thread(
        target=run,
        args=(tmp_path / "game.jsonl", setup, devices, iter(keys.get, None), out, TableOptions()),
    )
    table.start()
    keys.put("start")
    for due, cells, answer in (
        ("Sie sind am Zug", "⠋⠼⠉", "e5"),
        ("Wiederholen Sie den Zug", "⠛⠹", "Dh4"),
    ):
        fingers.read_until(due)
        fingers.type(cells)
        fingers.read_until("Drücken Sie die Uhr")
        fingers.type("")  # Enter alone presses the clock
        fingers.read_until("Schwarz ist am Zug")
        display.press("time")  # the own clock, on request
        fingers.read_until("Minuten")
        keys.put(f"schwarz: {answer}")
        keys.put("")
    assert until(lambda: "ruled game over" in out.getvalue())
    last = GERMAN.sentence("over_leave", end=word_of(GERMAN, Key.END))
    fingers.read_until("Unterschreiben.")  # the answer to Enter after the mate: what is due
    keys.put(None)
    table.join(PATIENCE_S)
    assert not table.is_alive()
    said = re.findall(r" said (?:to everybody|privately): (.*)", out.getvalue())
    read = "".join(fingers.read).replace(MORE, "").replace(" ", "")
    until_last = next(n for n, sentence in enumerate(said, 1) if last in sentence)
    for sentence in said[:until_last]:
        assert sentence.replace(" ", "").replace(";", "⠆") in read, (
            sentence,
            "\n".join(fingers.read),
        )
    assert "result 0-1" in out.getvalue()


def test_a_routing_key_says_yes_to_the_question_and_a_display_that_vanishes_is_told(
    display: VirtualDisplay, sit: Sit
) -> None:
    sitting = sit(now=lambda: 0.0)  # the question is open as long as this takes
    sitting.start()
    typed: list[tuple[str, str]] = []

    def type_line(side: str, line: str) -> None:
        typed.append((side, line))
        sitting.session.typed(side, line)

    seat = BrailleSeat(sitting.session, "white", Connection, type_line)
    try:
        sitting.session.typed("white", "aufgeben")
        question = sitting.session.talking.asked("white")
        assert question is not None
        assert until(lambda: display.shown and display.shown[-1] == "⠿")
        display.unplug()
        sitting.shows(GERMAN.sentence("braille_gone"))
        display.plug_in()
        sitting.shows(GERMAN.sentence("braille_back"))
        display.press("home", "route 3")
        sitting.wait(lambda: sitting.table.game.over)
        assert typed == [("white", GERMAN.command(Command.YES))]
    finally:
        seat.close()


def test_the_screen_readers_display_shows_each_sentence_once(sit: Sit) -> None:
    reader = RecordingReader()
    sitting = sit()
    shown = ReadersBraille(sitting.session, "white", reader.screen_reader())
    sitting.start()
    sitting.session.typed("white", "e4")
    move = "⠼⠁⠄⠑⠼⠙ Bauer Eva zwei Eva vier"
    assert until(lambda: move in reader.shown)
    assert reader.shown.count(move) == 1
    reader.closed = True
    sitting.session.typed("white", "wie viele Züge")
    sitting.shows(GERMAN.sentence("braille_gone"))
    shown.close()


def test_moves_are_in_the_chess_braille_of_the_reader(sit: Sit) -> None:
    sitting = sit(
        language="en", white=Player(impaired=True, language="en"), black=Player(language="de")
    )
    sitting.start()
    sitting.play("g1f3")
    assert compact_move(sitting.session, "white") == "⠂ ⠎⠋⠒"
    sitting.play("b8c6")
    assert compact_move(sitting.session, "white") == "⠂ ⠤⠎⠉⠖"
    assert compact_move(sitting.session, "black") == "⠼⠁⠄⠄⠄⠨⠎⠉⠼⠋"


def test_an_announcement_that_is_void_at_once_does_not_show_the_move_before_it(sit: Sit) -> None:
    sitting = sit()
    sitting.start()
    sitting.play("a2a3", "a7a6")
    words = "Bauer Eva zwei Eva vier"
    sitting.table.submit(f.Announce(by="white", move="e2e4"))
    for square, piece in (("g1", "N"), ("e2", "P")):  # the knight was touched first (4.3.1)
        sitting.table.submit(f.Lift(board="white", square=square))
        to = {"g1": "g1", "e2": "e4"}[square]
        sitting.table.submit(f.Place(board="white", square=to, piece=piece))
    kinds = [one.kind for one in sitting.table.log[-1].rulings]
    assert "announcement_void" in kinds, kinds
    assert with_move(sitting.session, "white", words) == words
