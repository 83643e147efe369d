"""Takes from BlindPlay what Windows lacks, so that what needs it is found on Linux.

    python -m tests.without_posix           # imports every module of BlindPlay
    pytest -p tests.without_posix PATHS     # and runs these tests

Only BlindPlay itself does without: Python's library, other packages and the tests have another way
on Windows, which is not here. In tests the system is still Linux, so what has a branch for Windows
and is needed by everything keeps what it needs here.
"""

from __future__ import annotations

import builtins
import os
import pkgutil
import signal
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

MODULES = frozenset(("fcntl", "grp", "pty", "pwd", "readline", "resource", "termios", "tty"))
SIGNALS = ("SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGQUIT", "SIGSTOP", "SIGUSR1")
CALLS = ("fork", "geteuid", "getgroups", "getuid", "killpg", "mkfifo", "openpty", "setsid")


BRANCHES = frozenset(("blindplay.own_files", "blindplay.record.files"))
"""Modules that lock and sync files in another way on Windows."""


def _hide_modules() -> None:
    real = builtins.__import__

    def imported(name: str, namespace: Any = None, *rest: Any, **more: Any) -> Any:
        importer = (namespace or {}).get("__name__") or ""
        ours = importer.partition(".")[0] == "blindplay" and importer not in BRANCHES
        if ours and name in MODULES:
            raise ImportError(f"Windows has no {name}, which {importer} imports.")
        return real(name, namespace, *rest, **more)

    builtins.__import__ = imported  # type: ignore[assignment]


def _loaded() -> list[str]:
    """Import every module of BlindPlay as usual, and what these import; return their names."""
    import blindplay

    names = [one.name for one in pkgutil.walk_packages(blindplay.__path__, "blindplay.")]
    names = [name for name in names if not name.endswith("__main__")]
    for name in names:
        import_module(name)
    return names


def main() -> None:
    """Import every module of BlindPlay as on Windows."""
    names = _loaded()
    for name in names:
        del sys.modules[name]
    _hide_modules()
    for holder, hidden in ((signal, SIGNALS), (os, CALLS)):
        for attribute in hidden:
            if hasattr(holder, attribute):
                delattr(holder, attribute)
    for own in ("msvcrt", "winreg"):
        sys.modules[own] = ModuleType(own)
    sys.platform = "win32"
    for name in names:
        import_module(name)
    print(f"{len(names)} modules are imported without what Windows lacks.")


if __name__ == "__main__":
    main()
else:
    _loaded()  # what a module itself imports depends on the system, which stays what it is
    _hide_modules()
