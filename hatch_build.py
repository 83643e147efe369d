"""Compiles the catalogues of messages for the wheel and for an editable installation."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent / "docs" / "development"))

import messages


class Catalogues(BuildHookInterface):  # type: ignore[type-arg]
    """Makes what git does not keep."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile them before the files are collected."""
        messages.compile_changed()
        build_data["artifacts"].append("blindplay/translations/*.mo")
