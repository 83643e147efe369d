"""The catalogue of base models, and Vosk's own list."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blindplay import language
from blindplay.speech.models import catalogue, folders, store
from blindplay.speech.models.catalogue import BaseModelError
from blindplay.speech.models.download import DownloadError
from tests import ROOT
from tests.speech.models.helpers import (
    NAME,
    QUICK,
    known,
)
from tests.speech.models.server import Served


def test_every_base_has_an_address_a_size_checksums_and_a_licence() -> None:
    found = catalogue.load()
    for base in found.bases.values():
        assert base.address == f"https://alphacephei.com/vosk/models/{base.name}.zip"
        assert 10_000_000 < base.size < 400_000_000
        assert base.licence in ("Apache 2.0", "MIT")
        assert base.md5 is not None and len(bytes.fromhex(base.md5)) == 16
        assert base.sha256 is None or len(bytes.fromhex(base.sha256)) == 32
        assert found.known(base.short) is found.known(base.name) is base
        assert folders.check_name(base.name) == base.name
    assert len({base.short for base in found.bases.values()}) == len(found.bases)
    for code in (*language.languages(), "fo"):
        recommended = found.for_language(code)
        assert recommended and all(base.tried and base.sha256 for base in recommended)


def test_the_catalogue_is_in_the_wheel() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert '"models/models.toml" = "blindplay/models/models.toml"' in project


def test_a_model_that_is_not_in_the_catalogue_is_looked_up_in_vosks_own_list(
    archive: Path, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(monkeypatch, listed=server.url("model-list.json"))
    entry = {"name": NAME, "lang_text": "Xish", "size": 7, "url": "https://x.example/m.zip",
             "md5": 32 * "A", "obsolete": "false"}  # fmt: skip
    server.files["model-list.json"] = json.dumps([{"name": "another"}, entry]).encode()
    base = store.find_base(NAME, patience=QUICK)
    assert (base.size, base.md5, base.sha256) == (7, 32 * "a", None)
    assert "https://x.example/models" in base.licence
    with pytest.raises(BaseModelError, match="no model vosk-model-none"):
        store.find_base("vosk-model-none", patience=QUICK)
    for wrong in (b"<html>", b"{}", b"[1]", json.dumps([{**entry, "md5": "?"}]).encode()):
        server.files["model-list.json"] = wrong
        with pytest.raises(BaseModelError, match="is not a list of models"):
            store.find_base(NAME, patience=QUICK)
    del server.files["model-list.json"]
    with pytest.raises(DownloadError, match="404"):
        store.find_base(NAME, patience=QUICK)
