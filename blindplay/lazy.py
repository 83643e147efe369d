"""Packages that import the modules of their names when a name is first used.

So a command that needs one small module of a package does not load the whole of it.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def attributes(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of ``package``; ``names`` maps each public name to its module, such as
    ``".game"``. A name that is its module's own gives the module; ``":load"`` after a module names
    what has another name there."""

    def getattribute(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        path, _, inside = names[name].partition(":")
        module = import_module(path, package)
        own = path.rpartition(".")[2] == name
        attribute = module if own and not hasattr(module, name) else getattr(module, inside or name)
        setattr(sys.modules[package], name, attribute)
        return attribute

    return getattribute
