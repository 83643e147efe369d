#!/usr/bin/env python3
"""Writes the pegged board's drawings, wiring table and bill of materials from design.py.

    python3 hardware/drawings/draw.py            write them
    python3 hardware/drawings/draw.py --check    only say whether they are up to date

It writes schematic.svg, board.svg and pieces.svg beside itself and wiring.md and bom.md one folder
up. The schematic needs schemdraw, which is in the project's ``test`` extra. The same design gives
the same bytes on every computer.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

import design  # noqa: E402
import pages  # noqa: E402
import panel  # noqa: E402
import pieces  # noqa: E402
import schematic  # noqa: E402

OUTPUTS: dict[Path, Callable[[], str]] = {
    HERE / "schematic.svg": schematic.draw,
    HERE / "board.svg": panel.draw,
    HERE / "pieces.svg": pieces.draw,
    design.HARDWARE / "wiring.md": pages.wiring,
    design.HARDWARE / "bom.md": pages.bom,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write all files, or compare them with ``--check``. Return the exit status."""
    parser = argparse.ArgumentParser(description="Drawings, wiring and parts of the pegged board.")
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    given = parser.parse_args(arguments)
    stale = []
    for path, write in OUTPUTS.items():
        text = write()
        if path.exists() and path.read_text("utf-8") == text:
            continue
        stale.append(path.name)
        if not given.check:
            path.write_text(text, "utf-8", newline="\n")
    if given.check and stale:
        print(f"Out of date: {', '.join(stale)}. Run draw.py without --check.", file=sys.stderr)
        return 1
    print("Up to date." if not stale else f"Written: {', '.join(stale)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
