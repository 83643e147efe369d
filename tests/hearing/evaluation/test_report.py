"""The benchmark of the voice: lines and objects."""

import json
import random
from pathlib import Path

import pytest

from blindplay.hearing.evaluation import corpus, report, resources

from .utterances import PACK, hiss


@pytest.fixture
def recordings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one of each kind of utterance."""
    monkeypatch.setattr(resources, "memory", lambda *_: (40.0, 70.0))
    monkeypatch.setattr(corpus, "talkers", lambda *_: hiss()[None])
    said = corpus.lines(PACK, 1, 1, random.Random(1))
    spoken = corpus.speak(PACK, said, ["de"], 1, tmp_path)
    words = corpus.ScriptLine(corpus.UtteranceKind.WORD, "", "drei")
    found = [*spoken, *corpus.speak(PACK, [words], ["de"], 1, tmp_path)]
    monkeypatch.setattr(corpus, "recordings", lambda *_: found)
    (tmp_path / "index.jsonl").touch()
    return tmp_path


def test_each_condition_gives_lines_and_an_object(recordings: Path) -> None:
    options = report.Options(conditions="clean,pink10", recordings=recordings)
    told = list(report.bench(PACK, options))
    lines = [one for one in told if isinstance(one, str)]
    assert all(line.endswith(".") for line in lines)
    assert "recordings of 1 speakers" in lines[0] and lines[1].startswith("Memory: 70 MB")
    clean, pink = (one for one in told if not isinstance(one, str))
    assert (clean["condition"], pink["condition"]) == ("clean", "pink10")
    assert clean["effort"]["of"] == 1 and pink["effort"] is None
    assert {"moves", "moves, piece lifted", "other speech, opening word required"} <= clean.keys()
    assert clean["single words"]["of"] == 1
    json.dumps(clean)
