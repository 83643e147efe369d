"""What ``blindplay doctor`` finds about speech."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.commands.doctor import examine_speech
from blindplay.speech.models.folders import MANIFEST, find_model
from blindplay.speech.synthesis import Synthesiser


@pytest.fixture(scope="module")
def synthesiser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Synthesiser]:
    with Synthesiser("de", cache=tmp_path_factory.mktemp("cache")) as made:
        yield made


def test_findings_are_sentences_with_remedies(synthesiser: Synthesiser) -> None:
    findings = examine_speech(
        "de", words=["springer zeppelin"], seconds=0.1, synthesiser=synthesiser
    )
    by_subject = {finding.about: finding for finding in findings}
    assert by_subject["voices"].ok and by_subject["recogniser"].ok
    assert not by_subject["vocabulary"].ok and "zeppelin" in by_subject["vocabulary"].sentence
    assert {"output", "microphone"} <= set(by_subject)
    assert all(one.sentence.endswith(".") and "\n" not in one.sentence for one in findings)


def test_a_language_without_voice_and_model_is_reported(synthesiser: Synthesiser) -> None:
    found = {
        one.about: one.ok for one in examine_speech("xx", seconds=0.1, synthesiser=synthesiser)
    }
    assert not found["voices"] and not found["recogniser"]


def test_a_model_that_was_cut_short_is_reported(tmp_path: Path, synthesiser: Synthesiser) -> None:
    ignored = shutil.ignore_patterns(MANIFEST)
    model = Path(shutil.copytree(find_model("de"), tmp_path / "model", ignore=ignored))
    file = model / "graph" / "HCLr.fst"
    data = file.read_bytes()
    file.unlink()
    file.write_bytes(data[: len(data) // 2])
    findings = examine_speech("de", model=model, seconds=0.1, synthesiser=synthesiser)
    assert [one.ok for one in findings if one.about == "recogniser"] == [False]
