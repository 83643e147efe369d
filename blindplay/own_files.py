"""The folders of BlindPlay's user, the small files in JSON in them, and how to lock a file."""

import itertools
import json
import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import platformdirs

from blindplay.given import KEPT, Limit, read_bytes

# Windows locks bytes, and a locked byte cannot be read: lock one that no file reaches.
_LOCKED_BYTE = (1 << 31) - 2


def data_folder() -> Path:
    """The folder of what BlindPlay keeps for this user: games, models, recordings."""
    return Path(platformdirs.user_data_path("blindplay", appauthor=False))


def config_folder() -> Path:
    """The folder of what this user has set."""
    return Path(platformdirs.user_config_path("blindplay", appauthor=False))


def read_object(path: Path, limit: Limit = KEPT) -> dict[str, Any]:
    """The object in the JSON file ``path``; empty if there is none, or it cannot be read."""
    try:
        value = json.loads(read_bytes(path, limit))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def write_json(path: Path, value: object, *, private: bool = False) -> None:
    """Write ``value`` into ``path``. A killed process leaves the old file or the new one, whole.
    Nobody else may read a ``private`` file.

    :raises OSError: if it cannot be written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # files here may hold names
    # A name of this thread's own: two tables may write the same file at once.
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    try:
        fresh.touch(mode=0o600 if private else 0o666)
        text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
        fresh.write_text(text, "utf-8", newline="\n")
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def write_secret(path: Path, content: bytes, *, anew: bool = False) -> None:
    """Write a file that only this user can read, in a folder that only this user can open. If it is
    there already it stays, unless ``anew``: of several processes the first one counts.

    :raises OSError: if it cannot be written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    try:
        fresh.touch(mode=0o600)
        _keep_from_others(fresh)
        fresh.write_bytes(content)
        to_disk(fresh)
        if not anew:
            try:
                path.hardlink_to(fresh)
                return
            except FileExistsError:
                return
            except OSError:  # a file system without links
                if path.exists():
                    return
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def _keep_from_others(path: Path) -> None:
    """Let only its owner and the system itself use a file on Windows, where a file has the rights
    of its folder. Elsewhere its mode says that.

    :raises OSError: if that cannot be done.
    """
    if sys.platform != "win32":
        return
    owner, system = "*S-1-3-4:F", "*S-1-5-18:F"  # the same in all languages of Windows
    rights = ["/inheritance:r", "/grant:r", owner, "/grant:r", system]
    done = subprocess.run(["icacls", str(path), *rights], capture_output=True, check=False)
    if done.returncode:
        raise PermissionError(done.stderr.decode(errors="replace").strip())


def set_aside(path: Path) -> Path:
    """Rename a damaged file, in which a person may still read something. Return its new path.

    :raises OSError: if it cannot be renamed.
    """
    names = (path.with_suffix(f".damaged-{number}") for number in itertools.count(1))
    return path.replace(next(name for name in names if not name.exists()))


def to_disk(file: Path) -> None:
    """Wait until the bytes of a file are on the disk.

    :raises OSError: if they cannot be written.
    """
    with file.open("rb+") as stream:
        os.fsync(stream.fileno())


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
