"""Models compared on the same utterances."""

import json
import shutil
from pathlib import Path

import chess
import pytest

from blindplay.hearing.evaluation import (
    comparison,
    corpus,
    report,
    resources,
)
from blindplay.speech.models.folders import find_model
from blindplay.speech.synthesis import Synthesiser

from .utterances import KNIGHT, PACK, hiss


def test_models_are_compared_alone_and_together_on_the_same_utterances(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: tmp_path / "data")
    monkeypatch.setattr(resources, "memory", lambda *_: (40.0, 70.0))
    with Synthesiser("de", cache=tmp_path / "phrases", spellings=PACK.spoken) as synthesiser:
        rows: list[dict[str, str | None]] = []
        for words, what in ((KNIGHT, KNIGHT), ("Guten Morgen", None)):
            shutil.copy(synthesiser.render(words), tmp_path / f"{len(rows)}.wav")
            rows.append({"file": f"{len(rows)}.wav", "words": what, "fen": chess.STARTING_FEN})
        monkeypatch.setattr(corpus, "talkers", lambda *_: hiss()[None])
    index = tmp_path / "index.jsonl"
    index.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        shutil.copytree(find_model("de"), folder)
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    options = report.Options((*folders, damaged), 4, 4, "clean", recordings=tmp_path)
    told = list(comparison.compare(PACK, options))
    found = {"+".join(row["models"]): row for row in told if not isinstance(row, str)}
    assert list(found) == ["one", "two", "one+two"]
    for row in found.values():
        assert row["counts"]["moves"] == {"of": 1, "right": 1}
        assert row["counts"]["other speech"]["of"] == 1
        assert row["memory_mb"] == 30
    one, together = found["one"], found["one+two"]
    assert (one["confidence"], together["confidence"]) == ("measured", "general")
    assert together["size_mb"] == pytest.approx(2 * one["size_mb"])
    json.dumps(together)
    lines = [line for line in told if isinstance(line, str)]
    assert any(line.startswith("damaged is left out: ") for line in lines)
    assert any(
        "one and two together; clean; moves, 1: right first time 1" in line for line in lines
    )


def test_what_enrolment_is_worth_is_measured_on_what_was_not_learned_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "memory", lambda *_: None)
    monkeypatch.setattr(corpus, "talkers", lambda *_: hiss()[None])
    moves = [KNIGHT, "bauer eva zwei eva vier", "bauer david zwei david drei", KNIGHT]
    with Synthesiser("de", cache=tmp_path / "phrases", spellings=PACK.spoken) as synthesiser:
        rows = []
        for number, words in enumerate(moves):
            shutil.copy(synthesiser.render(words), tmp_path / f"{number}.wav")
            rows.append({"file": f"{number}.wav", "words": words, "fen": chess.STARTING_FEN})
    index = tmp_path / "index.jsonl"
    index.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    options = report.Options((find_model("de"),), 4, 4, "clean", recordings=tmp_path)
    told = list(comparison.compare(PACK, options, enrolled=True))
    found = [row for row in told if not isinstance(row, str)]
    assert [row["stage"] for row in found] == [None, "before enrolment", "after enrolment"]
    assert [row["counts"]["moves"]["of"] for row in found] == [4, 2, 2]
    assert any("de; after enrolment; clean; moves, 2: " in str(line) for line in told)
