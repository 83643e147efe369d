"""A folder for the user's models, and a server that has one."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.speech.models import folders
from blindplay.speech.models.folders import (
    check_model,
)
from tests.once import MadeOnce
from tests.speech.models.helpers import (
    NAME,
)
from tests.speech.models.server import Served, serving


@pytest.fixture(scope="session")
def archive(made_once: MadeOnce) -> Path:
    """Return a model as its makers publish it. It is ours: small, and its phones are known."""

    def pack(folder: Path) -> None:
        source = folders.built_in("de")
        assert source is not None
        with zipfile.ZipFile(folder / f"{NAME}.zip", "w", zipfile.ZIP_DEFLATED) as packed:
            for file in sorted(source.rglob("*")):
                if file.is_file() and file.name != "confidence.json":
                    packed.write(file, f"{NAME}/{file.relative_to(source).as_posix()}")

    return made_once("archives", pack) / f"{NAME}.zip"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the user's models."""
    folder = tmp_path / "data" / "blindplay" / "models"
    monkeypatch.setattr(folders, "data_folder", lambda: folder)
    shipped = folders.built_in
    only = {"de", "en"}  # the other languages stand for one without a built-in model
    monkeypatch.setattr(folders, "built_in", lambda code: shipped(code) if code in only else None)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    return folder


@pytest.fixture
def server(archive: Path) -> Iterator[Served]:
    with serving() as served:
        served.files[f"{NAME}.zip"] = archive.read_bytes()
        yield served


@pytest.fixture
def unprobed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not load models in a process of their own, which takes a second each time."""
    monkeypatch.setattr(folders, "probe", lambda model, language: check_model(model))
