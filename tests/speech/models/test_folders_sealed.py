"""The models that come with the program are unchanged."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from blindplay.speech.models import folders
from blindplay.speech.models.folders import (
    BUILT_IN,
    MANIFEST,
    ModelError,
    built_in,
    check_model,
)
from tests import ROOT
from tests.command_line import run

LANGUAGES = sorted(path.parent.name for path in (ROOT / "models").glob("*/am"))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    built = built_in("de")
    assert built is not None
    return Path(shutil.copytree(built, tmp_path / "model"))


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_file_that_is_loaded_has_its_sum(code: str) -> None:
    folder = ROOT / "models" / code
    told = folders.manifest(folder)
    assert told is not None and told["name"] == BUILT_IN
    loaded = {
        path.relative_to(folder).as_posix()
        for part in ("am", "conf", "graph")
        for path in (folder / part).rglob("*")
        if path.is_file()
    }
    assert told["files"].keys() == loaded, "renew it with make model-graph"
    assert folders.verify(folder) == len(loaded)


def test_git_leaves_the_ends_of_lines_of_models_as_they_are() -> None:
    assert "models/*/** -text" in (ROOT / ".gitattributes").read_text("utf-8").splitlines()


def test_a_model_of_which_one_bit_is_another_is_not_loaded(model: Path) -> None:
    check_model(model)
    file = model / "am" / "final.mdl"
    data = bytearray(file.read_bytes())
    data[-100] ^= 1
    file.chmod(0o644)
    file.write_bytes(data)
    with pytest.raises(ModelError, match=r"final\.mdl .* install BlindPlay again"):
        check_model(model)


def test_a_model_of_which_a_file_is_gone_is_not_loaded(model: Path) -> None:
    folder = model / "graph" / "phones"
    folder.chmod(0o755)
    (folder / "word_boundary.int").unlink()
    with pytest.raises(ModelError, match=r"word_boundary\.int .* install BlindPlay again"):
        check_model(model)


def test_its_card_and_its_confidence_may_change(model: Path) -> None:
    model.chmod(0o755)
    for name in ("README.md", "confidence.json"):
        (model / name).unlink(missing_ok=True)
    assert check_model(model) == model


def test_a_graph_that_is_made_anew_gets_new_sums(model: Path) -> None:
    for folder in (model, *(path for path in model.rglob("*") if path.is_dir())):
        folder.chmod(0o755)
    for file in (path for path in model.rglob("*") if path.is_file()):
        file.chmod(0o644)
    told = json.loads((model / MANIFEST).read_text("utf-8"))
    (model / MANIFEST).unlink()
    done = run("models", "adapt", str(model), "--language", "de", "--output", str(model))
    assert done.status == 0, done.stderr
    anew = folders.manifest(model)
    assert anew is not None and anew["files"].keys() == told["files"].keys()
    assert anew["name"] == BUILT_IN and folders.verify(model)
