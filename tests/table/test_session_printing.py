"""What a table prints besides what it says: a screen reader must not talk over its voice."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from blindplay.language import load
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.record import Journal
from blindplay.speech.speaker import Outcome, Output, Speaker
from blindplay.table import Table, play
from blindplay.table.choices import Printed
from blindplay.table.devices import WantedDevices
from blindplay.table.play import TableOptions, run
from blindplay.table.session import Session
from blindplay.table.transcript import Transcript

MOVE = "Springer Gustav eins Felix drei"


class Voice:
    """A speaker of which every sentence comes to the same end."""

    speaking = False

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome

    def say(
        self, words: str, *, to: Output, on_done: Callable[[Outcome], None], on_spoken: Any
    ) -> None:
        on_done(self._outcome)

    def on_output(self, callback: Callable[[Output, bool], None]) -> None:
        """No output of this one ever fails."""

    def close(self) -> None:
        pass


@pytest.fixture
def printed(tmp_path: Path) -> Iterator[Callable[..., list[str]]]:
    """What is printed of a move that is announced and pressed too early."""
    with Journal(tmp_path / "game.jsonl") as journal:

        def play(printed: Printed, voice: Voice | None) -> list[str]:
            table = Table(journal, Setup(t=0, white=Player(impaired=True)))
            out = io.StringIO()
            session = Session(
                table,
                load("de"),
                cast(Speaker, voice),
                Transcript(out, table.time, printed),
            )
            try:
                table.submit(f.Start())
                table.submit(f.Announce(by="white", move="g1f3"))
                table.submit(f.Press(by="white"))
                session.transcript.trouble("The cable is off.")
            finally:
                session.close()
            return out.getvalue().splitlines()

        yield play


SAID = [MOVE, "Die Figur steckt noch nicht auf dem neuen Feld."]


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


@pytest.mark.parametrize("loudspeaker", [True, False])
def test_without_a_loudspeaker_everything_that_is_said_is_printed(
    tmp_path: Path, loudspeaker: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from blindplay.speech import audio_devices

    found = audio_devices.AudioDevices(("a loudspeaker",) if loudspeaker else (), ())
    monkeypatch.setattr(play, "devices", lambda: found)
    monkeypatch.setattr(play, "open_speaker", lambda *_: _Silent())
    out = io.StringIO()
    setup = Setup(t=0, white=Player(impaired=True))
    devices = WantedDevices(microphone="none")
    options = TableOptions(printed=Printed.UNSPOKEN)
    run(tmp_path / "game.jsonl", setup, devices, [MOVE], out, options)
    assert (MOVE in out.getvalue().splitlines()) is not loudspeaker


class _Silent(Voice):
    """What ``play`` asks of its speaker besides."""

    voicing = None

    def __init__(self) -> None:
        super().__init__(Outcome.SPOKEN)

    def interrupt(self) -> None:
        pass

    def wait(self, seconds: float) -> None:
        pass
