"""What all tables of a host need, loaded once, in the process that they are forked from. Importing
it does that; nobody else imports it."""

import gc
import json
import os
from pathlib import Path

import blindplay.console.server
import blindplay.table.phones
import blindplay.table.play  # noqa: F401
from blindplay.console import views
from blindplay.console.messages import LANGUAGES
from blindplay.hearing.recognisers import share
from blindplay.language import load

from .hosting import SHARED

_DETECTORS = 2  # of a table: each player has a microphone
_wanted = json.loads(os.environ.get(SHARED, "{}"))
share([Path(one) for one in _wanted.get("models", ())], _DETECTORS)
for _code in _wanted.get("languages", ()):
    load(_code)
    if _code in LANGUAGES:
        views.warm(_code)
gc.collect()
gc.freeze()  # or the first collection would copy most of it
