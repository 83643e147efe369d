"""The chips of Certabo's pieces that were learned, in the user's configuration."""

import json
import logging
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from .protocol import Chips

_LETTERS = "PRNBKQprnbkq"

_log = logging.getLogger(__name__)


def _file() -> Path:
    return Path(platformdirs.user_config_path("blindplay", appauthor=False)) / "chips.json"


def kept() -> Chips:
    """The chips that were learned. None of them if the file cannot be read."""
    try:
        read = json.loads(_file().read_text("utf-8"))
        return {
            bytes.fromhex(chip): ord(letter)
            for letter, chips in read.items()
            if letter in _LETTERS
            for chip in chips
        }
    except (OSError, ValueError, AttributeError, TypeError, RecursionError):
        return {}


def keep(chips: Mapping[bytes, int]) -> None:
    """Save the chips, by their letters. If that fails, they must be learned again next time."""
    path = _file()
    named = {
        letter: sorted(chip.hex() for chip, own in chips.items() if own == ord(letter))
        for letter in _LETTERS
    }
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(named, indent=2) + "\n", "utf-8")
        fresh.replace(path)
    except OSError:
        _log.exception("%s could not be saved", path)
