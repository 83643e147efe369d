"""The microphone at a table: talk buttons, going away and coming back, and who talks over whom."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.language import load
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.record import Journal
from blindplay.speech.audio import RATE, QueueSource, SilentSink, read_audio
from blindplay.speech.endpointing import MicrophoneMode
from blindplay.speech.listener import Listener
from blindplay.speech.models.folders import find_model
from blindplay.speech.recogniser import Recogniser, Recognition
from blindplay.speech.speaker import Output, Speaker
from blindplay.speech.synthesis import Synthesiser
from blindplay.speech.transcriber import Transcriber
from blindplay.table import Table
from blindplay.table.session import Session
from blindplay.table.transcript import Transcript

GERMAN = load("de")
MOVE = "Bauer Eva zwei Eva vier"
ROOM = np.random.default_rng(1).normal(0, 20, RATE).astype("<i2").tobytes()
PATIENCE_S = 30.0


class Microphone(QueueSource):
    """A microphone that can be pulled out and plugged in again."""

    def reopen(self) -> bool:
        while self._error is not None and not self._left:
            time.sleep(0.01)
        return not self._left

    _left = False

    def plug_in(self) -> None:
        self._closed, self._error = False, None

    def close(self) -> None:
        self._left = True
        super().close()


class Seat:
    """A session with one microphone, its output, and a voice."""

    def __init__(self, session: Session, out: io.StringIO, synthesiser: Synthesiser) -> None:
        self.session, self.out = session, out
        self.microphone = Microphone()
        self.sound = ROOM + read_audio(synthesiser.render(MOVE, voice="de")) + ROOM + ROOM

    def attach(self, listening: MicrophoneMode) -> None:
        recogniser = Recogniser(find_model("de"), "de", spellings=GERMAN.spoken)
        self.session.attach_microphone("white", self.microphone, recogniser, listening)

    def shows(self, text: str) -> bool:
        return until(lambda: text in self.out.getvalue())


def until(condition: Callable[[], object], seconds: float = PATIENCE_S) -> bool:
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            return False
        time.sleep(0.01)
    return True


@pytest.fixture
def player(tmp_path: Path) -> Iterator[Seat]:
    out = io.StringIO()
    with (
        Journal(tmp_path / "game.jsonl") as journal,
        Synthesiser("de", cache=tmp_path / "phrases") as synthesiser,
    ):
        table = Table(journal, Setup(t=0, arbiter="automatic", white=Player(impaired=True)))
        sink = SilentSink()
        session = Session(
            table, GERMAN, Speaker(synthesiser, sink, sink), Transcript(out, table.time)
        )
        table.submit(f.Start())
        session.wait_until_said()
        yield Seat(session, out, synthesiser)
        session.close()


def test_with_push_to_talk_nothing_counts_until_the_key(player: Seat) -> None:
    player.attach(MicrophoneMode.PUSH_TO_TALK)
    player.microphone.push(player.sound)
    assert until(lambda: not player.microphone.waiting())
    assert "heard White" not in player.out.getvalue()
    player.session.talk()
    player.microphone.push(player.sound)
    assert player.shows("heard White: bauer eva zwei eva vier")
    assert "listening to White" in player.out.getvalue()


def test_a_lever_that_is_no_clock_is_the_talk_button_of_its_player(player: Seat) -> None:
    player.attach(MicrophoneMode.PUSH_TO_TALK)
    with EmulatedBoard() as board:
        player.session.attach_board("white", board.url, levers=False)
        assert player.shows("White's board is connected")
        board.press("white")
        assert player.shows("listening to White")
        player.microphone.push(player.sound)
        assert player.shows("heard White: bauer eva zwei eva vier")
        assert "lever pressed" not in player.out.getvalue()


def test_a_microphone_that_goes_and_comes_back_is_told_and_heard_again(player: Seat) -> None:
    player.attach(MicrophoneMode.OPEN)
    player.microphone.fail("The microphone is gone; plug it in again.")
    assert player.shows(GERMAN.sentence("microphone_gone"))
    player.session.table.submit(f.Query(by="white", about="moves"))  # the game goes on
    player.session.wait_until_said()
    player.microphone.plug_in()
    assert player.shows(GERMAN.sentence("microphone_back"))
    player.session.wait_until_said()
    player.microphone.push(player.sound)
    assert player.shows("heard White: bauer eva zwei eva vier")


def test_a_recogniser_that_fails_is_no_microphone_that_is_gone(
    player: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("no memory")

    player.attach(MicrophoneMode.OPEN)
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Transcriber, "take", fails)
        player.microphone.push(player.sound)
        assert player.shows(GERMAN.sentence("recogniser_gone"))
        assert until(lambda: not player.microphone.waiting())
    player.session.wait_until_said()
    player.microphone.push(player.sound)
    assert player.shows("heard White: bauer eva zwei eva vier")
    assert "the recogniser works again" in player.out.getvalue()
    for name in ("microphone_gone", "microphone_back"):
        assert GERMAN.sentence(name) not in player.out.getvalue()


def test_who_speaks_is_not_talked_over(player: Seat) -> None:
    player.attach(MicrophoneMode.OPEN)
    half = len(player.sound) - 4 * len(ROOM) // 2
    player.microphone.push(player.sound[:half])  # up to the end of his words
    assert until(lambda: player.session.microphones["white"].listener.speaking)
    assert until(lambda: not player.microphone.waiting())
    player.session.desk.say(Output.PUBLIC, GERMAN.sentence("welcome"))
    player.microphone.push(player.sound[half:])
    assert player.shows("heard White: bauer eva zwei eva vier")


class HearsForEver:
    """A listener whose recogniser does not come back from hearing an utterance again."""

    outdated = True
    timing = None
    now = 0.0

    def __init__(self) -> None:
        self.asked, self.let = threading.Event(), threading.Event()

    def reheard(self) -> Recognition | None:
        self.asked.set()
        self.let.wait()
        self.outdated = False
        return None

    def listen_for(self, phrases: Sequence[str]) -> None:
        pass

    def close(self) -> None:
        self.let.set()


def test_typed_words_work_while_the_recogniser_hangs(player: Seat) -> None:
    """Also where it is asked once more, because the game has gone on meanwhile."""
    session = player.session
    player.attach(MicrophoneMode.OPEN)
    seat = session.microphones["white"]
    real, hangs = seat.listener, HearsForEver()
    seat.listener = cast(Listener, hangs)
    heard = threading.Thread(target=seat._on_recognition, args=(Recognition(),), daemon=True)
    heard.start()
    assert hangs.asked.wait(10)
    typed = threading.Thread(target=session.typed, args=("white", MOVE), daemon=True)
    typed.start()
    typed.join(10)
    assert not typed.is_alive() and player.shows("ruled announced: by white; move e2e4")
    hangs.let.set()
    heard.join(10)
    assert not heard.is_alive()
    real.close()
