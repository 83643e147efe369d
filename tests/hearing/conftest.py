"""What several tests of hearing need."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from blindplay.hearing.expectation import Expected, expect
from blindplay.speech.audio import read_audio
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.synthesis import Synthesiser
from tests.hearing.german import MODEL, PACK, START


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
