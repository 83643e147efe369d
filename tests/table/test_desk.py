"""A loudspeaker or an earphone that fails in a game: who has the other one is told, in words."""

from __future__ import annotations

import io
import threading
from pathlib import Path

import pytest

from blindplay.language import load
from blindplay.laws.facts import Player, Setup
from blindplay.record import Journal
from blindplay.speech.audio import AudioError, SilentSink
from blindplay.speech.speaker import Output, Speaker
from blindplay.speech.synthesis import Synthesiser
from blindplay.table import Table
from blindplay.table.session import Session
from blindplay.table.transcript import Transcript

LANGUAGES = ("de", "en", "nb", "sv", "da")


class Cable(SilentSink):
    """An output whose cable can be pulled."""

    def __init__(self) -> None:
        super().__init__()
        self.pulled = False

    def play(self, pcm: bytes, rate: int, stop: threading.Event) -> bool:
        if self.pulled:
            raise AudioError("The audio output takes no sound; plug it in again.")
        return super().play(pcm, rate, stop)


def _said(out: io.StringIO) -> list[str]:
    lines = [line.partition(" ")[2] for line in out.getvalue().splitlines()]
    return [line.removeprefix("said ") for line in lines if line.startswith("said ")]


@pytest.mark.parametrize("broken", [Output.PUBLIC, Output.PRIVATE], ids=["loudspeaker", "earphone"])
def test_an_output_that_fails_is_told_once_by_the_other_and_that_it_is_back(
    tmp_path: Path, broken: Output
) -> None:
    pack, out = load("de"), io.StringIO()
    sinks = {Output.PRIVATE: Cable(), Output.PUBLIC: Cable()}
    other = Output.PRIVATE if broken is Output.PUBLIC else Output.PUBLIC
    setup = Setup(t=0, white=Player(name="Anna", impaired=True), black=Player(name="Bert"))
    journal = Journal(tmp_path / "game.jsonl")
    with (
        Synthesiser("de", cache=tmp_path / "phrases", spellings=pack.spoken) as voice,
        Speaker(voice, sinks[Output.PRIVATE], sinks[Output.PUBLIC]) as speaker,
    ):
        table = Table(journal, setup, now=lambda: 0.0)
        session = Session(
            table, pack, speaker, Transcript(out, table.time), private_is_heard_by_all=False
        )
        sinks[broken].pulled = True
        for _ in range(2):
            session.desk.say(broken, "weiter")
            assert speaker.wait(60)
        sinks[broken].pulled = False
        session.desk.say(broken, "weiter")
        assert speaker.wait(60)
        session.close()
    journal.close()
    name = "loudspeaker" if broken is Output.PUBLIC else "earphone"
    to = {Output.PUBLIC: "to everybody", Output.PRIVATE: "privately"}
    assert _said(out) == [
        f"{to[broken]}: weiter",
        f"{to[other]}: {pack.sentence(f'{name}_gone')}",
        f"{to[broken]}: weiter",
        f"{to[broken]}: weiter",
        f"{to[broken]}: {pack.sentence(f'{name}_back')}",
    ]
    heard_by_other = 3 if broken is Output.PUBLIC else 1  # nothing private is told to all
    assert len(sinks[other].played) == heard_by_other


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_can_say_it(language: str) -> None:
    pack = load(language)
    names = [f"{one}_{how}" for one in ("loudspeaker", "earphone") for how in ("gone", "back")]
    assert len({pack.sentence(name) for name in names}) == 4
