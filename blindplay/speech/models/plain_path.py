"""Paths of models for Vosk, which on Windows opens files by the letters of the ANSI code page only
(https://github.com/alphacep/vosk-api/issues/1072), as below C:\\Users\\Jürgen."""

import sys
from pathlib import Path

from .folders import ModelError


def plain_path(model: Path) -> str:
    """Return a path of ``model`` that Vosk can open: on Windows the short one (C:\\Users\\JRGEN~1)
    if there are other letters than ASCII. Raises ModelError if Windows keeps no short one."""
    path = str(model)
    if sys.platform == "win32" and not path.isascii():
        path = _short_path(path)
        if not path.isascii():
            raise ModelError(
                f"Vosk cannot open the model in {model}, because this path has other letters than "
                "A to Z; move the model, or BlindPlay if it is its own, to a folder such as "
                "C:\\BlindPlay."
            )
    return path


def _short_path(path: str) -> str:
    """Return the path in the names of eight letters that Windows keeps beside long ones; the long
    names stay where it keeps none."""
    if sys.platform != "win32":
        return path
    import ctypes

    buffer = ctypes.create_unicode_buffer(1 << 15)  # no path is longer
    found = ctypes.windll.kernel32.GetShortPathNameW(path, buffer, len(buffer))
    return buffer.value if found else path
