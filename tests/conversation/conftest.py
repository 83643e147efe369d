"""What several tests of the conversation need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.conversation.conversing import Conversation, Talk


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    """Begins conversations, each with a journal of its own."""
    numbers = count(1)
    with ExitStack() as stack:

        def begin(**how: Any) -> Conversation:
            path = tmp_path / f"conversation-{next(numbers)}.jsonl"
            return stack.enter_context(Conversation(path, **how))

        yield begin


@pytest.fixture
def at(talk: Talk) -> Conversation:
    """A conversation in German of a blind White with nothing else that is special."""
    return talk()
