"""What takes long to make is made once for all workers of a run."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from blindplay.own_files import lock
from tests.waiting import PATIENCE_S, until


class MadeOnce:
    """Gives folders that the first worker has filled. Nobody changes what is in them."""

    def __init__(self, temporary: pytest.TempPathFactory, config: pytest.Config) -> None:
        of_worker = temporary.getbasetemp()
        self._shared = of_worker.parent if hasattr(config, "workerinput") else of_worker

    def __call__(self, name: str, fill: Callable[[Path], object]) -> Path:
        """The folder ``name``, filled by ``fill``."""
        folder, begun = self._shared / name, self._shared / f"{name}.part"
        with (self._shared / f"{name}.lock").open("wb") as file:
            assert until(lambda: lock(file.fileno()), 10 * PATIENCE_S), f"{name} is being made"
            if not folder.exists():
                shutil.rmtree(begun, ignore_errors=True)  # what was not finished
                begun.mkdir()
                fill(begun)
                begun.rename(folder)
        return folder
