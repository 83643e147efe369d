"""How each player likes to be spoken to, kept on this machine: a file that may be deleted."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import platformdirs

from blindplay.speech.speaker import Voicing


def _file() -> Path:
    return Path(platformdirs.user_config_path("blindplay", appauthor=False)) / "players.json"


def _all() -> dict[str, Any]:
    try:
        kept = json.loads(_file().read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def keep(player: str, voicing: Voicing) -> Path:
    """Keep what ``player``, a name or "", wants; gives the file. Raises :class:`OSError`."""
    path = _file()
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**_all(), player: asdict(voicing)}, indent=2, ensure_ascii=False)
    fresh = path.with_suffix(".new")
    fresh.write_text(text + "\n", "utf-8")
    fresh.replace(path)
    return path


def kept(player: str) -> Voicing:
    """What ``player`` wants; the usual if nothing is kept, or it cannot be read."""
    try:
        return Voicing(**{name: int(value) for name, value in _all()[player].items()})
    except (KeyError, TypeError, ValueError, AttributeError):
        return Voicing()
