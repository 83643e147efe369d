"""Property tests try the same examples each time, so that what passes here passes everywhere.

With ``EXPLORE=1`` in the environment they try new ones.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("steady", derandomize=True)
settings.register_profile("exploring")
settings.load_profile("exploring" if os.environ.get("EXPLORE") else "steady")
