"""Disks that fail in the middle of a journal: full, broken, or without power."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from blindplay.record import files


class PowerCutError(BaseException):
    """The machine is off: nothing in the program runs any more."""


@contextmanager
def failing(
    *calls: str, after: int = 0, taken: int = 0, error: BaseException | None = None
) -> Iterator[list[str]]:
    """Let these functions of :mod:`blindplay.record.files` fail from the call number ``after`` on.

    A failing write still takes ``taken`` bytes. Gives the calls that were made.
    """
    made: list[str] = []
    failure = OSError(28, "No space left on device") if error is None else error
    with pytest.MonkeyPatch.context() as patch:
        real = {name: getattr(files, name) for name in calls}

        def call(name: str, *arguments: Any, **more: Any) -> Any:
            made.append(name)
            if len(made) <= after:
                return real[name](*arguments, **more)
            if name == "write":
                real[name](arguments[0], arguments[1][:taken])
            raise failure

        for name in calls:
            patch.setattr(files, name, functools.partial(call, name))
        yield made


@contextmanager
def read_only() -> Iterator[None]:
    """Nothing can be opened for writing, as when a system protects a disk after an error."""
    opened = os.open

    def refuse(name: Any, flags: int, *more: Any, **others: Any) -> int:
        if flags & (os.O_RDWR | os.O_WRONLY | os.O_CREAT):
            raise PermissionError(30, "Read-only file system")
        return opened(name, flags, *more, **others)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", refuse)
        yield


def in_folder(path: Path) -> dict[str, bytes]:
    """Every file in the folder of ``path``."""
    return {file.name: file.read_bytes() for file in path.parent.iterdir() if file.is_file()}
