"""What several tests of hearing need: a home without models and players, a model and voices."""

from collections.abc import Callable, Iterator
from pathlib import Path

import platformdirs
import pytest

from blindplay.hearing.expectation import Expected, expect
from blindplay.speech.audio import read_audio
from blindplay.speech.models.folders import built_in
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.synthesis import Synthesiser
from tests.hearing.german import MODEL, PACK, START


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


@pytest.fixture(scope="session")
def recogniser() -> Recogniser:
    return Recogniser(MODEL, "de", spellings=PACK.spoken)


@pytest.fixture(scope="session")
def start(recogniser: Recogniser) -> Expected:
    return expect(recogniser, PACK, [START])


@pytest.fixture(scope="session")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str, str], bytes]]:
    """The sound of words in a voice."""
    cache = tmp_path_factory.mktemp("phrases")
    with Synthesiser("de", cache=cache, spellings=PACK.spoken) as synthesiser:
        yield lambda words, voice: read_audio(synthesiser.render(words, voice=voice))


@pytest.fixture
def say(spoken: Callable[[str, str], bytes]) -> Callable[[str], bytes]:
    """The sound of words in the voice of one player."""
    return lambda words: spoken(words, "de+UniRobot")
