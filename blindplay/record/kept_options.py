"""What a table was started with, beside its journal, so that the game is continued in the same way.

The journal holds what the Laws ask about. Its language, its voice and its boards are in a file of
their own. It may be deleted; then the game is continued with what the command line says.
"""

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import files

_END = ".options"


def options_of(journal: Path) -> Path:
    """The file with the options of the game in ``journal``."""
    return files.beside(journal, _END)


def keep(journal: Path, options: Mapping[str, Any]) -> None:
    """Keep ``options``, which JSON can hold, by their names. A disk that cannot keep them does not
    stop the game."""
    text = json.dumps(dict(options), ensure_ascii=False, indent=1) + "\n"
    with contextlib.suppress(OSError):
        journal.parent.mkdir(parents=True, exist_ok=True)
        files.write_new(options_of(journal), text.encode())


def kept(journal: Path) -> dict[str, Any]:
    """The options that were kept for the game in ``journal``; none if they cannot be read."""
    try:
        found = json.loads(options_of(journal).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
