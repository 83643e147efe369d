"""What tests of boards share."""

from __future__ import annotations

import sys

import pytest


@pytest.fixture(scope="session")
def firmware() -> None:
    """Build the real firmware and its emulator; skip, saying what to install, without the tools."""
    if sys.platform != "linux":
        pytest.skip("The firmware's emulator runs on Linux only.")
    from hardware.emulated import ToolsMissingError, build

    try:
        build()
    except ToolsMissingError as missing:
        pytest.skip(str(missing))
