"""The folders of BlindPlay's user, the small files in JSON in them, and how to lock a file."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import platformdirs

# Windows locks bytes, and a locked byte cannot be read: lock one that no file reaches.
_LOCKED_BYTE = (1 << 31) - 2


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


def lock(handle: int) -> bool:
    """Lock an open file against every other opener; False if another holds the lock.

    The operating system releases the lock when the file is closed or the process ends. A process
    that is only suspended keeps it.

    :raises OSError: if the file system has no locks.
    """
    if sys.platform == "win32":
        import msvcrt

        os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
