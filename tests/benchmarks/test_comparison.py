"""Models compared on the same utterances."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import chess
import pytest

from benchmarks import comparison, corpus
from benchmarks.voice import Options
from blindplay.speech.models.folders import find_model
from blindplay.speech.synthesis import Synthesiser

from .utterances import KNIGHT, PACK, hiss

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def quickly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user has no models, other people only hiss, and no memory is measured."""
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: tmp_path / "data")
    monkeypatch.setattr(comparison, "memory", lambda *_: (40.0, 70.0))
    monkeypatch.setattr(corpus, "talkers", lambda *_: hiss()[None])


def recorded(folder: Path, *said: tuple[str, str | None]) -> Path:
    """A folder with recordings of these words, each with the words in its index."""
    rows = []
    with Synthesiser("de", cache=folder / "phrases", spellings=PACK.spoken) as synthesiser:
        for number, (words, known) in enumerate(said):
            shutil.copy(synthesiser.render(words), folder / f"{number}.wav")
            rows.append({"file": f"{number}.wav", "words": known, "fen": chess.STARTING_FEN})
    index = folder / "index.jsonl"
    index.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder


def compared(folders: Sequence[Path], recordings: Path, *, enrolled: bool = False) -> list[str]:
    options = Options(tuple(folders), 4, "clean", recordings=recordings)
    return list(comparison.compare(PACK, options, enrolled=enrolled))


def test_models_are_compared_alone_and_together_on_the_same_utterances(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two", "damaged")]
    for folder in folders[:2]:
        shutil.copytree(find_model("de"), folder)
    folders[2].mkdir()
    recordings = recorded(tmp_path, (KNIGHT, KNIGHT), ("Guten Morgen", None))
    out, about, *lines = compared(folders, recordings)
    assert out.startswith("damaged is left out: ") and about.startswith("Voice, Deutsch; ")
    for team in ("one", "two", "one and two together"):
        mine = [line for line in lines if line.startswith(f"{team}; clean; ")]
        assert "30 MB of memory" in mine[0]
        assert mine[1].startswith(f"{team}; clean; moves, 1: right first time 1 (100.0 %)")
        assert mine[2].startswith(f"{team}; clean; other speech, 1: ")
    measured = [line.rpartition("; confidence ")[2] for line in lines if "; confidence " in line]
    general = "the cautious general ones."
    assert measured == ["measured for it.", "measured for it.", general]


def test_what_enrolment_is_worth_is_measured_on_what_was_not_learned_from(tmp_path: Path) -> None:
    moves = [KNIGHT, "bauer eva zwei eva vier", "bauer david zwei david drei", KNIGHT]
    recordings = recorded(tmp_path, *((words, words) for words in moves))
    lines = compared([find_model("de")], recordings, enrolled=True)
    for stage, count in (("", 4), ("before enrolment; ", 2), ("after enrolment; ", 2)):
        assert any(line.startswith(f"de; {stage}clean; moves, {count}: ") for line in lines)
