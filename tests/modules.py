"""Modules that a test imports with something of its own in place of a package."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

import pytest


def imported_anew(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the module as imported now. The tests after this one get it as it was, if at all:
    ``delitem`` alone would leave them the new one."""
    monkeypatch.setitem(sys.modules, name, ModuleType(name))
    del sys.modules[name]
    return import_module(name)
