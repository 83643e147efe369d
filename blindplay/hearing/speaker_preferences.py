"""The stored preferences of each player: how they like to be spoken to, and how they were misheard.

Two files, which may be deleted. ``blindplay voice forget`` removes one player from them.
"""

import contextlib
import json
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import platformdirs

from blindplay.speech.confusions import Confusions
from blindplay.speech.speaker import Voicing

LAST_WORDS = 400
"""The number of words that are remembered of a player. Older ones are dropped: people change."""
_WANTED, _MISHEARD = "players.json", "misheard.json"


def who(player: str) -> str:
    """Return what all spellings of a name have in common, such as "Anna", "anna " and "ANNA"."""
    return " ".join(unicodedata.normalize("NFC", player).split()).casefold()


def folder() -> Path:
    """Return the folder of these files."""
    return Path(platformdirs.user_config_path("blindplay", appauthor=False))


def _all(name: str) -> dict[str, Any]:
    try:
        kept = json.loads((folder() / name).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _kept(name: str, player: str) -> Any:
    """Return what the file has of ``player``, in any spelling of the name; None if nothing."""
    return next((kept for other, kept in _all(name).items() if who(other) == who(player)), None)


def _without(name: str, player: str) -> dict[str, Any]:
    """Return what the file has of all others."""
    return {other: kept for other, kept in _all(name).items() if who(other) != who(player)}


def _write(name: str, data: dict[str, Any]) -> Path:
    path = folder() / name
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    # The file holds names, so only its owner may read it.
    with contextlib.suppress(OSError):
        path.parent.chmod(0o700)
    fresh.touch(mode=0o600)
    fresh.chmod(0o600)
    fresh.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")
    fresh.replace(path)
    return path


def keep(player: str, voicing: Voicing) -> Path:
    """Keep what ``player``, a name or "", wants. Return the file. Raises OSError."""
    return _write(_WANTED, {**_without(_WANTED, player), player: asdict(voicing)})


def kept(player: str) -> Voicing:
    """Return what ``player`` wants; the usual if nothing is kept, or it cannot be read."""
    try:
        return Voicing(**{n: int(value) for n, value in _kept(_WANTED, player).items()})
    except (TypeError, ValueError, AttributeError, OverflowError):
        return Voicing()


def learn(player: str, pairs: Iterable[tuple[str, str]]) -> Confusions:
    """Remember words (said, heard) of ``player``. Return the costs now. Raises OSError."""
    words = [*_pairs(player), *pairs][-LAST_WORDS:]
    _write(_MISHEARD, {**_without(_MISHEARD, player), player: words})
    return Confusions.measured(words)


def habits(player: str) -> Confusions:
    """Return how ``player`` has been misheard; nothing if nothing readable is kept."""
    return Confusions.measured(_pairs(player))


def players() -> set[str]:
    """Return the names of all players of whom something is kept."""
    return {*_all(_WANTED), *_all(_MISHEARD)}


def _pairs(player: str) -> list[tuple[str, str]]:
    kept = _kept(_MISHEARD, player)
    pairs = [one for one in kept if isinstance(one, list)] if isinstance(kept, list) else []
    return [
        (one[0], one[1]) for one in pairs if len(one) == 2 and all(isinstance(w, str) for w in one)
    ]


def forget(player: str) -> bool:
    """Remove all that is kept of ``player``. Return whether there was anything. Raises OSError."""
    files = [name for name in (_WANTED, _MISHEARD) if len(_without(name, player)) < len(_all(name))]
    for name in files:
        _write(name, _without(name, player))
    return bool(files)
