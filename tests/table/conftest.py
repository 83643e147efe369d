"""What several tests of a running table need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from blindplay.speech.models.folders import find_model
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.synthesis import Synthesiser
from tests.conversation.conftest import talk as talk
from tests.conversation.conversing import GERMAN
from tests.table.sitting import Sit, Sitting


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Sit]:
    """Lets players sit down at tables, each with a journal of its own."""
    numbers = count(1)
    with ExitStack() as stack:

        def sit_down(*speaker: Any, **how: Any) -> Sitting:
            folder = tmp_path / f"table-{next(numbers)}"
            folder.mkdir()
            sitting = Sitting(folder, *speaker, **how)
            stack.callback(sitting.close)
            return sitting

        yield sit_down


@pytest.fixture(scope="session")
def synthesiser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Synthesiser]:
    """A German voice. It speaks all tests of a process, so leave its rate as it is."""
    cache = tmp_path_factory.mktemp("phrases")
    with Synthesiser("de", cache=cache, spellings=GERMAN.spoken) as made:
        yield made


@pytest.fixture(scope="session")
def recogniser() -> Recogniser:
    """Hears German with the built-in model."""
    return Recogniser(find_model("de"), "de", spellings=GERMAN.spoken)
