"""A table that hears with two models, one of which fails."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from blindplay.hearing.recognisers import open_recogniser
from blindplay.language import load
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.record import Journal
from blindplay.speech.audio import RATE, QueueSource, read_audio
from blindplay.speech.ensemble import Ensemble
from blindplay.speech.models.folders import find_model
from blindplay.speech.synthesis import Synthesiser
from blindplay.table import Table
from blindplay.table.session import Session
from blindplay.table.transcript import Transcript

GERMAN = load("de")
ROOM = np.random.default_rng(1).normal(0, 20, 2 * RATE).astype("<i2").tobytes()
PATIENCE_S = 60.0


def test_a_model_that_fails_in_the_game_is_told_aloud_and_the_other_hears_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, out = find_model("de"), io.StringIO()
    with (
        Journal(tmp_path / "game.jsonl") as journal,
        Synthesiser("de", cache=tmp_path / "phrases") as synthesiser,
    ):
        setup = Setup(t=0, arbiter="automatic", time_control="900", white=Player(impaired=True))
        table = Table(journal, setup)
        session = Session(table, GERMAN, None, Transcript(out, table.time))
        table.submit(f.Start())
        both = open_recogniser(GERMAN, model, model)
        assert isinstance(both, Ensemble)
        microphone = QueueSource()
        session.attach_microphone("white", microphone, both)

        def heard(words: str, answer: str) -> object:
            since = len(session.rulings)
            said = read_audio(synthesiser.render(words, voice="de"))
            microphone.push(ROOM + said + ROOM)
            return session.wait_for(answer, PATIENCE_S, since)

        try:
            assert heard("Bauer Eva zwei Eva drei", "announced") is not None
            gone = GERMAN.sentence("model_gone")
            assert gone not in out.getvalue()

            def broken(pcm: bytes) -> bool:
                raise RuntimeError("out of memory")

            begin = both.members[0].start_with

            def begin_broken(closed: object) -> object:
                run = begin(closed)  # type: ignore[arg-type]
                monkeypatch.setattr(run, "accept", broken)
                return run

            monkeypatch.setattr(both.members[0], "start_with", begin_broken)
            assert heard("Korrektur Bauer Eva zwei Eva vier", "slip_corrected") is not None
            assert gone in out.getvalue()
            assert len(both.members) == 1
        finally:
            session.close()
