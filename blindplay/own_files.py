"""The folders of BlindPlay's user, and the small files in JSON that BlindPlay keeps in them."""

import json
from pathlib import Path
from typing import Any

import platformdirs


def data_folder() -> Path:
    """The folder of what BlindPlay keeps for this user: games, models, recordings."""
    return Path(platformdirs.user_data_path("blindplay", appauthor=False))


def config_folder() -> Path:
    """The folder of what this user has set."""
    return Path(platformdirs.user_config_path("blindplay", appauthor=False))


def read_object(path: Path) -> dict[str, Any]:
    """The object in the JSON file ``path``; empty if there is none, or it cannot be read."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def write_json(path: Path, value: object) -> None:
    """Write ``value`` into ``path``. A killed process leaves the old file or the new one, whole.

    :raises OSError: if it cannot be written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # files here may hold names
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", "utf-8", newline="\n")
    fresh.replace(path)
