"""One real synthesiser and one real recogniser for all tests, with the voices that pip installs."""

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import numpy as np
import pytest

from blindplay.speech.audio import RATE, read_audio
from blindplay.speech.models.folders import find_model
from blindplay.speech.recogniser import Recogniser, Recognition
from blindplay.speech.synthesis import Synthesiser

# Legal moves of the starting position and a few commands, as the language pack would word them.
MOVES = [
    "springer gustav eins felix drei",
    "springer gustav eins hector drei",
    "springer bella eins anna drei",
    "springer bella eins cäsar drei",
    *(
        f"bauer {file} zwei {file} {rank}"
        for file in ("anna", "bella", "cäsar", "david", "eva", "felix", "gustav", "hector")
        for rank in ("drei", "vier")
    ),
]
COMMANDS = ["uhr", "wiederholen", "ich gebe auf", "remis"]


def taken(recognition: Recognition, phrases: Collection[str]) -> str | None:
    """Return the likeliest of these phrases unless something else fits clearly better."""
    for heard in recognition.hypotheses:
        if heard.words in phrases and recognition.hypotheses[0].score - heard.score <= 4:
            return heard.words
    return None


@pytest.fixture(scope="session")
def synthesiser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Synthesiser]:
    with Synthesiser("de", cache=tmp_path_factory.mktemp("phrases")) as made:
        yield made


@pytest.fixture(scope="session")
def recogniser() -> Recogniser:
    return Recogniser(find_model("de"), "de", spellings={"cesar": "cäsar", "hektor": "hector"})


@pytest.fixture(scope="session")
def spoken(synthesiser: Synthesiser) -> Callable[..., bytes]:
    """Return a function that speaks words into 16 kHz PCM."""

    def speak(words: str, voice: str = "de", rate: int | None = None) -> bytes:
        path: Path = synthesiser.render(words, voice=voice, rate=rate)
        return read_audio(path)

    return speak


Spoken = Callable[..., bytes]


ROOM = (np.random.default_rng(1).normal(0, 20, RATE) + 0).astype("<i2").tobytes()
