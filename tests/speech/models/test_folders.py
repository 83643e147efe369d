"""Which folder is the model, and the messages about a damaged one."""

import shutil
from pathlib import Path

import pytest

from blindplay.commands.doctor import examine_speech
from blindplay.speech.models import folders
from blindplay.speech.models.folders import (
    MANIFEST,
    ModelError,
    check_model,
    find_model,
    probe,
    vocabulary,
)
from blindplay.speech.recogniser import Recogniser


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Return a model without a manifest."""
    ignored = shutil.ignore_patterns(MANIFEST)
    return Path(shutil.copytree(find_model("de"), tmp_path / "model", ignore=ignored))


def test_the_built_in_german_model_is_found_and_has_square_tokens() -> None:
    words = vocabulary(find_model("de"))
    assert {f"{file}_{rank}" for file in ("anna", "hector") for rank in ("eins", "acht")} <= words
    assert "[unk]" in words and "<eps>" not in words


def test_the_users_own_model_is_preferred_to_the_built_in_one(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own" / "de"
    monkeypatch.setattr(folders, "model_folder", lambda language: tmp_path / "own" / language)
    assert find_model("de") != own
    shutil.copytree(model, own)
    assert find_model("de") == own


@pytest.mark.parametrize("language", ["xx", "../de", "", "DE", "de/..", "deutsch"])
def test_an_unknown_language_is_a_sentence(language: str) -> None:
    with pytest.raises(ModelError, match=r"^There is no speech model|is not a language tag"):
        find_model(language)


@pytest.mark.parametrize(
    "file", ["am/final.mdl", "conf/mfcc.conf", "graph/words.txt", "graph/HCLr.fst", "graph/Gr.fst"]
)
def test_a_model_that_lacks_a_file_is_named(model: Path, file: str) -> None:
    (model / file).unlink()
    with pytest.raises(ModelError, match="final.mdl" if file.startswith("am") else file):
        check_model(model)


@pytest.mark.parametrize("file", ["am/final.mdl", "graph/HCLr.fst", "graph/Gr.fst"])
def test_a_damaged_file_is_named_before_vosk_sees_it(model: Path, file: str) -> None:
    (model / file).write_bytes(b"damaged" * 100)
    with pytest.raises(ModelError, match="damaged"):
        Recogniser(model, "de")


@pytest.mark.parametrize("file", ["graph/HCLr.fst", "graph/Gr.fst", "am/final.mdl"])
def test_a_file_cut_short_is_found_without_ending_this_process(model: Path, file: str) -> None:
    data = (model / file).read_bytes()
    (model / file).unlink()
    (model / file).write_bytes(data[: len(data) // 2])
    with pytest.raises(ModelError, match="unpack the model again"):
        probe(model, "de")
    by = {f.about: f for f in examine_speech("de", model=model, seconds=0.1)}
    assert not by["recogniser"].ok


def test_the_built_in_model_passes_the_probe() -> None:
    probe(find_model("de"), "de")


def test_a_model_with_a_fixed_vocabulary_is_refused(model: Path) -> None:
    (model / "graph" / "HCLr.fst").rename(model / "graph" / "HCLG.fst")
    with pytest.raises(ModelError, match="fixed vocabulary"):
        check_model(model)


def test_a_file_is_not_a_model(tmp_path: Path) -> None:
    (tmp_path / "m").write_text("")
    for path in (tmp_path / "m", tmp_path / "nothing", tmp_path):
        with pytest.raises(ModelError):
            check_model(path)
