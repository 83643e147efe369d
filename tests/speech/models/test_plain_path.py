"""On Windows, models are loaded from folders whose names are not ASCII."""

import sys
from pathlib import Path

import pytest

from blindplay.speech.models import plain_path as module
from blindplay.speech.models.folders import ModelError, find_model
from blindplay.speech.models.plain_path import plain_path
from blindplay.speech.recogniser import Recogniser

LONG, SHORT = Path("C:\\Users\\Jürgen\\de"), "C:\\Users\\JRGEN~1\\de"


def on_windows(monkeypatch: pytest.MonkeyPatch, short: str) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(module, "_short_path", lambda path: short)


def test_a_folder_that_is_not_ascii_has_its_short_path_on_windows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert plain_path(LONG) == str(LONG)
    on_windows(monkeypatch, SHORT)
    assert plain_path(LONG) == SHORT
    assert plain_path(Path("C:\\models\\de")) == "C:\\models\\de"


def test_without_a_short_path_one_sentence_says_where_to_move_the_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    on_windows(monkeypatch, str(LONG))
    with pytest.raises(ModelError, match=r"^Vosk cannot open .*Jürgen.*; move the model"):
        plain_path(LONG)


def test_vosk_loads_a_model_by_its_short_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path / "jürgen"
    link.symlink_to(find_model("de"))
    opened: list[str] = []

    class Vosk:
        KaldiRecognizer = None

        def Model(self, path: str) -> None:  # noqa: N802
            opened.append(path)

    monkeypatch.setattr("blindplay.speech.recogniser._vosk", Vosk)
    on_windows(monkeypatch, SHORT)
    Recogniser(link, "de")
    assert opened == [SHORT]
