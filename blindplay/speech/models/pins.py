"""The SHA-256 of files for which nobody has published one: that of the first trusted download."""

import json

from . import folders
from .folders import ModelError

_PINS = "pinned.json"


def pins() -> dict[str, str]:
    """Return the SHA-256 that files had when they first came, by their names. Raises ModelError."""
    file = folders.data_folder() / _PINS
    try:
        read = json.loads(file.read_text("utf-8"))
        return {str(name): str(value) for name, value in read.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError, RecursionError):
        raise ModelError(
            f"{file}, in which the checksums of models are kept, is damaged; delete it to "
            "trust the next download of each anew."
        ) from None


def pin(sums: dict[str, str]) -> None:
    """Keep these SHA-256, by the names of their files: later downloads must have the same."""
    file = folders.data_folder() / _PINS
    fresh = file.with_suffix(".new")
    fresh.write_text(json.dumps({**pins(), **sums}, indent=1) + "\n", "utf-8")
    fresh.replace(file)
