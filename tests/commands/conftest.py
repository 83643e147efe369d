"""The reader of what commands print."""

import pytest


@pytest.fixture
def reads_english(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user reads English, not German as in the other tests."""
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
