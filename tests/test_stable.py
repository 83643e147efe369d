"""What other people rely on stays, or its version says that it does not."""

from __future__ import annotations

import pytest

from tests.stable import INTERFACES, Interface


@pytest.mark.parametrize("interface", INTERFACES, ids=lambda one: one.name)
def test_an_interface_changes_only_with_its_version(interface: Interface) -> None:
    version, kept = interface.kept()
    now = interface.lines()
    if version == interface.version:
        gone = sorted(set(kept) - set(now))
        assert not gone, "raise the version, or keep them: docs/development/versioning.md"
    assert version == interface.version and kept == now, "run: python -m tests.stable"
