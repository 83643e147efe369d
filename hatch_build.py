"""Compiles what git does not keep: the catalogues of messages, and for a wheel the firmware."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent / "docs" / "development"))

import messages

ROOT = Path(__file__).parent
FIRMWARE = "hardware/build/firmware-9600.hex"


class Catalogues(BuildHookInterface):  # type: ignore[type-arg]
    """Makes what git does not keep."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile it before the files are collected."""
        messages.compile_changed()
        build_data["artifacts"].append("blindplay/translations/*.mo")
        if self.target_name != "wheel" or version == "editable":
            return  # an installation from the source takes what make has built
        if trouble := _build_firmware():
            self.app.display_warning(trouble)
        else:
            build_data["force_include"][FIRMWARE] = "blindplay/firmware/firmware-9600.hex"


def _build_firmware() -> str:
    """Build the pegged board's firmware. Return why the wheel goes without it, empty if not."""
    if shutil.which("make") is None:
        why = "To build the firmware, install make."
    else:
        command = ["make", "-s", "--no-print-directory", "-C", str(ROOT / "hardware"), "firmware"]
        made = subprocess.run(command, capture_output=True, text=True)
        if not made.returncode:
            print(made.stdout, end="", file=sys.stderr)
            return ""
        why = made.stderr.splitlines()[0] if made.stderr else "The firmware cannot be built."
    return f"The wheel carries no firmware of the pegged board. {why}"
