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

from blindplay.own_files import config_folder, set_aside, write_json
from blindplay.speech.confusions import Confusions
from blindplay.speech.speaker import Voicing
from blindplay.translation import UserError, _

LAST_WORDS = 400
"""The number of words that are remembered of a player. Older ones are dropped: people change."""
_FILES = _WANTED, _MISHEARD = "players.json", "misheard.json"


def who(player: str) -> str:
    """Return what all spellings of a name have in common, such as "Anna", "anna " and "ANNA"."""
    return " ".join(unicodedata.normalize("NFC", player).split()).casefold()


def folder() -> Path:
    """Return the folder of these files."""
    return config_folder()


def _read(name: str) -> dict[str, Any]:
    """Return what a file has; nothing if there is no file.

    :raises OSError, ValueError: if it is damaged.
    """
    try:
        kept = json.loads((folder() / name).read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except RecursionError:
        kept = None
    if not isinstance(kept, dict):
        raise ValueError
    return kept


def _all(name: str) -> dict[str, Any]:
    """Return what a file has; nothing if it cannot be read, because no game waits for it."""
    try:
        return _read(name)
    except (OSError, ValueError):
        return {}


def _entry(name: str, player: str) -> Any:
    """The file's entry of ``player``, in any spelling of the name; None if there is none."""
    return next((kept for other, kept in _all(name).items() if who(other) == who(player)), None)


def _change(name: str, player: str, wanted: object = None) -> Path:
    """Replace the entry of a player by ``wanted``, or remove it, and return the file. A damaged
    file is kept beside the new one.

    :raises OSError:
    """
    path = folder() / name
    try:
        before = _read(name)
    except ValueError:
        before = {}
        set_aside(path)
    kept = {other: value for other, value in before.items() if who(other) != who(player)}
    if wanted is not None:
        kept[player] = wanted
    with contextlib.suppress(OSError):  # the folder may be somebody else's, or still to be made
        path.parent.chmod(0o700)
    write_json(path, kept, private=True)
    return path


def damaged() -> list[str]:
    """Return a sentence for each file that cannot be read, so that its players seem unknown."""
    sentences = []
    for name in _FILES:
        try:
            _read(name)
        except (OSError, ValueError):
            sentences.append(
                _(
                    "{folder}, which keeps what is known of players, cannot be read, so it "
                    "is not used; if it is damaged, it is set aside as soon as something "
                    "new is kept.",
                    folder=folder() / name,
                )
            )
    return sentences


def keep(player: str, voicing: Voicing) -> Path:
    """Keep what ``player``, a name or "", wants. Return the file.

    :raises OSError:
    """
    return _change(_WANTED, player, asdict(voicing))


def kept(player: str) -> Voicing:
    """Return what ``player`` wants; the usual if nothing is kept, or it cannot be read."""
    try:
        return Voicing(**{n: int(value) for n, value in _entry(_WANTED, player).items()})
    except (TypeError, ValueError, AttributeError, OverflowError):
        return Voicing()


def learn(player: str, pairs: Iterable[tuple[str, str]]) -> Confusions:
    """Remember words (said, heard) of ``player``. Return the costs now.

    :raises OSError:
    """
    words = [*_pairs(player), *pairs][-LAST_WORDS:]
    _change(_MISHEARD, player, words)
    return Confusions.measured(words)


def habits(player: str) -> Confusions:
    """Return how ``player`` has been misheard; nothing if nothing readable is kept."""
    return Confusions.measured(_pairs(player))


def players() -> set[str]:
    """Return the names of all players of whom something is kept."""
    return {*_all(_WANTED), *_all(_MISHEARD)}


def _pairs(player: str) -> list[tuple[str, str]]:
    kept = _entry(_MISHEARD, player)
    pairs = [pair for pair in kept if isinstance(pair, list)] if isinstance(kept, list) else []
    return [
        (pair[0], pair[1])
        for pair in pairs
        if len(pair) == 2 and all(isinstance(w, str) for w in pair)
    ]


def forget(player: str) -> bool:
    """Remove all that is kept of ``player``. Return whether there was anything.

    :raises OSError, ValueError: if a damaged file still has the name: it is for a person to read.
    """
    files = [name for name in _FILES if _entry(name, player) is not None]
    for name in files:
        _change(name, player)
    quoted = json.dumps(who(player), ensure_ascii=False)
    for path in _unreadable():
        if quoted in who(path.read_text("utf-8", errors="replace")):
            raise UserError(
                "{path} is damaged and still has the name; save what you need of it, "
                "delete it, and run the same command again.",
                path=path,
            )
    return bool(files)


def _unreadable() -> list[Path]:
    """Return the files that are damaged, and those that were set aside."""
    files = [path for name in _FILES for path in folder().glob(f"{Path(name).stem}.damaged-*")]
    for name in _FILES:
        try:
            _read(name)
        except ValueError:
            files.append(folder() / name)
    return files
