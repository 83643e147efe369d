"""Base models for tests, and how to install them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from blindplay.hearing.recognisers import model_words
from blindplay.speech.models import catalogue, store
from blindplay.speech.models.catalogue import BaseModel, Catalogue
from blindplay.speech.models.download import Patience
from tests import command_line

QUICK = Patience(connect=2, stall=1, tries=2, pause=0.01, longest_pause=0.02)
NAME = "vosk-model-small-xx-0.1"
OTHER = "vosk-model-small-yy-0.2"
WORDS = model_words("nb", pytest.fail)


def base_of(archive: Path, address: str, name: str = NAME, **more: Any) -> BaseModel:
    data = archive.read_bytes()
    sums = {
        "md5": hashlib.md5(data).hexdigest(),
        "sha256": hashlib.sha256(data).hexdigest(),
    } | more
    return BaseModel(name, "xx", "Xish", len(data), address, "Apache 2.0", **sums)


def known(
    monkeypatch: pytest.MonkeyPatch, *bases: BaseModel, listed: str = "https://x.example/"
) -> None:
    found = Catalogue(
        listed, "https://x.example/models", {base.name: base for base in bases},
        {"any": tuple(base.name for base in bases)},
    )  # fmt: skip
    monkeypatch.setattr(catalogue, "load", lambda: found)


def install(language: str = "nb", **how: Any) -> list[str]:
    told: list[str] = []
    with store.workplace(told.append) as work:
        store.install(work, language, WORDS, tell=told.append, patience=QUICK, **how)
    return told


def everything(home: Path) -> dict[str, bytes]:
    """All files of the models, without the file that is locked during an installation."""
    files = (p for p in home.rglob("*") if p.is_file() and p.name != store._GUARD)
    return {p.relative_to(home).as_posix(): p.read_bytes() for p in files}


def run(*arguments: str) -> tuple[int, str, str]:
    """Run `blindplay models`; return the exit status and what it printed."""
    done = command_line.run("models", *arguments)
    return done.status, done.stdout, done.stderr
