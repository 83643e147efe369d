"""A home without models and players, and a voice."""

from collections.abc import Callable, Iterator
from pathlib import Path

import platformdirs
import pytest

from blindplay.speech.audio import read_audio
from blindplay.speech.models.folders import built_in
from blindplay.speech.synthesis import Synthesiser

from .player import GERMAN


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for kind in ("user_data_path", "user_config_path"):
        monkeypatch.setattr(platformdirs, kind, lambda *_, kind=kind, **__: tmp_path / kind)
    return tmp_path


@pytest.fixture(scope="module")
def model() -> Path:
    found = built_in("de")
    assert found is not None
    return found


@pytest.fixture(scope="module")
def say(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], bytes]]:
    cache = tmp_path_factory.mktemp("voice")
    with Synthesiser("de", cache=cache, spellings=GERMAN.spoken) as synthesiser:
        yield lambda words: read_audio(synthesiser.render(words, voice="de+UniRobot"))
