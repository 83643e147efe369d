"""The options of a table's start, beside its journal, to continue the game in the same way.

The journal holds the facts for the Laws. The table's language, voice and boards are in a file of
their own. If that file is deleted, the game continues with the options of the command line.
"""

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import files

_END: files.OwnEnd = ".options"


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
