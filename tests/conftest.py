"""Property tests try the same examples each time, so that what passes here passes everywhere.

With ``EXPLORE=1`` in the environment they try new ones.

What the user has installed (models, languages) is not seen, so that it changes no test.
"""

from __future__ import annotations

import os
import tempfile

import pytest
from hypothesis import settings

_DATA = tempfile.TemporaryDirectory(prefix="blindplay-tests-")
os.environ["XDG_DATA_HOME"] = _DATA.name

settings.register_profile("steady", derandomize=True)
settings.register_profile("exploring")
settings.load_profile("exploring" if os.environ.get("EXPLORE") else "steady")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: many tests wait for clocks, devices and processes."""
    return (os.cpu_count() or 1) + 1
