"""Keeps the interfaces of today, unless what people use is gone in the same version."""

import sys

from . import INTERFACES

for interface in INTERFACES:
    if interface.file.exists():
        version, lines = interface.kept()
        gone = sorted(set(lines) - set(interface.lines()))
        if gone and version == interface.version:
            print(*(f"{interface.name}: gone: {line}" for line in gone), sep="\n")
            sys.exit(
                f"{interface.name} is of version {version} and lacks what it had; raise its "
                "version, or keep it: docs/development/versioning.md."
            )
    interface.write()
