"""Property tests try the same examples each time, so that what passes here passes everywhere.

With ``EXPLORE=1`` in the environment they try new ones.

What the user has installed (models, languages) is not seen, so that it changes no test.
"""

from __future__ import annotations

import os
import sys
import tempfile

import pytest
from hypothesis import settings

_DATA = tempfile.TemporaryDirectory(prefix="blindplay-tests-")
os.environ["XDG_DATA_HOME"] = _DATA.name

settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("exploring", deadline=None)
settings.load_profile("exploring" if os.environ.get("EXPLORE") else "steady")


@pytest.fixture(scope="session")
def firmware() -> None:
    """Build the real firmware and its emulator; skip, saying what to install, without the tools."""
    if sys.platform != "linux":
        pytest.skip("The firmware's emulator runs on Linux only.")
    from hardware.emulated import ToolsMissingError, build

    try:
        build()
    except ToolsMissingError as missing:
        pytest.skip(str(missing))
