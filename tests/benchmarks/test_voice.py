"""The benchmark of the voice."""

import random
from pathlib import Path

import pytest

from benchmarks import corpus, voice
from blindplay.hearing.script import ScriptLine, UtteranceKind

from .utterances import PACK, hiss


@pytest.mark.long
def test_each_kind_of_utterance_has_a_line_in_each_condition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(voice, "memory", lambda *_: (40.0, 70.0))
    monkeypatch.setattr(corpus, "talkers", lambda *_: hiss()[None])
    said = [*corpus.lines(PACK, 1, 1, random.Random(1)), ScriptLine(UtteranceKind.WORD, "", "drei")]
    found = corpus.speak(PACK, said, ["de"], 1, tmp_path)
    monkeypatch.setattr(corpus, "recordings", lambda *_: found)
    (tmp_path / "index.jsonl").touch()
    first, memory, *lines = voice.figures(
        PACK, voice.Options(conditions="clean,pink10", recordings=tmp_path)
    )
    assert "recordings of 1 speakers" in first and memory.startswith("Memory: 70 MB")
    clean = {line.removeprefix("clean; ").split(",")[0] for line in lines if "clean; " in line}
    assert {kind.value for kind in UtteranceKind} | {"delay"} == clean
    assert any(line.startswith("clean; moves, piece lifted, 1: ") for line in lines)
    assert any(line.startswith("pink noise, 10 dB; moves, 1: ") for line in lines)
