"""Property tests try the same examples each time, so that what passes here passes everywhere.

With ``EXPLORE=1`` in the environment they try new ones.

What the user has installed (models, languages) is not seen, so that it changes no test.
"""

from __future__ import annotations

import os
import tempfile

from hypothesis import settings

_DATA = tempfile.TemporaryDirectory(prefix="blindplay-tests-")
os.environ["XDG_DATA_HOME"] = _DATA.name

settings.register_profile("steady", derandomize=True)
settings.register_profile("exploring")
settings.load_profile("exploring" if os.environ.get("EXPLORE") else "steady")
