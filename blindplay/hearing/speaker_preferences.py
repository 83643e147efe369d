"""What is kept of each player on this machine: how he likes to be spoken to, and how he has been
misheard. Two files that may be deleted; ``blindplay voice forget`` takes one player out of them.
"""

from __future__ import annotations

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
"""So many words of a player are remembered; older ones are forgotten, for people change."""


def who(player: str) -> str:
    """What all spellings of a player's name have in common: "Anna", "anna " and "ANNA" are one
    player, whoever writes them, by ear or by hand."""
    return " ".join(unicodedata.normalize("NFC", player).split()).casefold()


def folder() -> Path:
    """The folder of these files."""
    return Path(platformdirs.user_config_path("blindplay", appauthor=False))


def _file(name: str) -> Path:
    return folder() / name


_WANTED, _MISHEARD = "players.json", "misheard.json"


def _all(name: str) -> dict[str, Any]:
    try:
        kept = json.loads(_file(name).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _kept(name: str, player: str) -> Any:
    """What the file has of ``player``, however his name was written; None if nothing."""
    found = (kept for other, kept in _all(name).items() if who(other) == who(player))
    return next(found, None)


def _without(name: str, player: str) -> dict[str, Any]:
    """What the file has of all others."""
    return {other: kept for other, kept in _all(name).items() if who(other) != who(player)}


def _write(name: str, data: dict[str, Any]) -> Path:
    path = _file(name)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    # Names are in it: nobody else's to read, whoever made the folder (on systems with modes).
    with contextlib.suppress(OSError):
        path.parent.chmod(0o700)
    fresh.touch(mode=0o600)
    fresh.chmod(0o600)
    fresh.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")
    fresh.replace(path)
    return path


def keep(player: str, voicing: Voicing) -> Path:
    """Keep what ``player``, a name or "", wants; gives the file. Raises :class:`OSError`."""
    return _write(_WANTED, {**_without(_WANTED, player), player: asdict(voicing)})


def kept(player: str) -> Voicing:
    """What ``player`` wants; the usual if nothing is kept, or it cannot be read."""
    try:
        return Voicing(**{n: int(value) for n, value in _kept(_WANTED, player).items()})
    except (TypeError, ValueError, AttributeError, OverflowError):
        return Voicing()


def learn(player: str, pairs: Iterable[tuple[str, str]]) -> Confusions:
    """Remember words (said, heard) of ``player``; gives his costs now. Raises :class:`OSError`."""
    words = [*_pairs(player), *pairs][-LAST_WORDS:]
    _write(_MISHEARD, {**_without(_MISHEARD, player), player: words})
    return Confusions.measured(words)


def habits(player: str) -> Confusions:
    """How ``player`` has been misheard; nothing if nothing is kept, or it cannot be read."""
    return Confusions.measured(_pairs(player))


def players() -> set[str]:
    """The names of all of whom something is kept."""
    return {*_all(_WANTED), *_all(_MISHEARD)}


def _pairs(player: str) -> list[tuple[str, str]]:
    kept = _kept(_MISHEARD, player)
    if not isinstance(kept, list):
        return []
    return [
        (one[0], one[1])
        for one in kept
        if isinstance(one, list) and len(one) == 2 and all(isinstance(w, str) for w in one)
    ]


def forget(player: str) -> bool:
    """Remove all that is kept of ``player``; False if there was nothing. Raises OSError."""
    found = False
    for name in (_WANTED, _MISHEARD):
        others = _without(name, player)
        if len(others) < len(_all(name)):
            _write(name, others)
            found = True
    return found
