"""Runs ``blindplay`` at a real terminal of this machine, as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path


def typed(
    arguments: Sequence[str], lines: Sequence[str], home: Path, environment: Mapping[str, str]
) -> str:
    """What ``blindplay`` with these arguments prints while these lines are typed."""
    import pty
    import termios

    keyboard, terminal = pty.openpty()
    attributes = termios.tcgetattr(terminal)
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)
    user = {"HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LC_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "blindplay", *arguments],
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={
            **kept,
            "LANG": "",
            **{name: str(value) for name, value in user.items()},
            **environment,
        },
        encoding="utf-8",
    )
    os.close(terminal)
    for line in lines:
        os.write(keyboard, f"{line}\n".encode())
    printed, _ = process.communicate()
    os.close(keyboard)
    assert process.returncode == 0, printed
    return printed
