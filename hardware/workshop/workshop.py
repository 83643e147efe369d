#!/usr/bin/env python3
"""Writes everything that a workshop needs to make the pegged board.

    python3 hardware/workshop/workshop.py                write all into hardware/build/workshop
    python3 hardware/workshop/workshop.py --folder PATH  write all into another folder

``circuit-board`` gets a project of KiCad and, in ``gerber.zip``, what a maker of printed boards
asks for; ``sheets`` the drawings for a laser cutter or a drill as DXF and SVG; ``bodies`` what is
printed, as STL; ``orders`` the parts to buy, as CSV. Where kicad-cli of KiCad 8 or newer is
installed, it checks circuit and board. The
sheets need ezdxf and the bodies manifold3d; both come with pip.

It exits with status 1 and one sentence if KiCad finds a fault, and with status 2 and one sentence
if a package is missing or the folder cannot be written.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

import circuit  # noqa: E402
import cutting  # noqa: E402
import gerber  # noqa: E402
import kicad  # noqa: E402
import orders  # noqa: E402
import routing  # noqa: E402

FOLDER = HERE.parent / "build" / "workshop"
NAME = "blindplay-board"


def circuit_board(folder: Path) -> None:
    """Write the project of KiCad, and ``gerber.zip``."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = circuit.parts()
    tracks, vias = routing.route(parts)
    files = {
        f"{NAME}.kicad_pcb": kicad.pcb(parts, tracks, vias),
        f"{NAME}.kicad_sch": kicad.schematic(parts),
        f"{NAME}.kicad_pro": kicad.project(),
        f"{NAME}-places.csv": gerber.places(parts),
    }
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8", newline="\n")
    layers = {**gerber.layers(parts, tracks, vias), **gerber.drills(parts, vias)}
    with zipfile.ZipFile(folder / "gerber.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in layers.items():
            packed.writestr(f"{NAME}-{name}", text)


def sheets(folder: Path) -> None:
    """Write each sheet as DXF and as SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, sheet in cutting.sheets().items():
        cutting.write_dxf(sheet, folder / f"{name}.dxf")
        (folder / f"{name}.svg").write_text(cutting.as_svg(sheet), "utf-8", newline="\n")


def bodies(folder: Path) -> None:
    """Write each body as STL."""
    import solids

    folder.mkdir(parents=True, exist_ok=True)
    for name, body in solids.bodies().items():
        (folder / f"{name}.stl").write_bytes(solids.as_stl(body))


def lists(folder: Path) -> None:
    """Write what to order for one board and for ten, for each way of building it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, printed in (("wired-by-hand", False), ("printed-board", True)):
        text = orders.as_csv(orders.orders(printed))
        # With the mark by which spreadsheets know that it is UTF-8.
        (folder / f"{name}.csv").write_text(text, "utf-8-sig", newline="")


def checker() -> str | None:
    """The command of a KiCad that can check, which version 8 was the first to do; None without."""
    command = shutil.which("kicad-cli")
    if command is None:
        return None
    try:
        told = subprocess.run([command, "version"], capture_output=True, text=True, check=True)
        return command if int(told.stdout.strip().split(".")[0]) >= 8 else None
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None


def faults(folder: Path, kicad_cli: str) -> list[str]:
    """What KiCad finds wrong with the circuit and the board in ``folder``, a line each."""
    found = []
    for what, options in (("sch erc", ".kicad_sch"), ("pcb drc --schematic-parity", ".kicad_pcb")):
        with tempfile.TemporaryDirectory() as scratch:
            report = Path(scratch) / "report.json"
            command = [
                kicad_cli, *what.split(), "--severity-all", "--format", "json",
                "--output", str(report), str(folder / f"{NAME}{options}"),
            ]  # fmt: skip
            subprocess.run(command, check=True, capture_output=True)
            told = json.loads(report.read_text("utf-8"))
        groups = [
            told.get(key, []) for key in ("violations", "unconnected_items", "schematic_parity")
        ]
        groups += [sheet["violations"] for sheet in told.get("sheets", [])]
        found += [fault["description"] for group in groups for fault in group]
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Write all files and check them. Return the exit status."""
    parser = argparse.ArgumentParser(description="Files for a workshop that makes the board.")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where to write them")
    given = parser.parse_args(arguments)
    missing = [name for name in ("ezdxf", "manifold3d") if find_spec(name) is None]
    if missing:
        print(
            f"{' and '.join(missing)} {'are' if missing[1:] else 'is'} missing: run "
            f"{sys.executable} -m pip install {' '.join(missing)} first.",
            file=sys.stderr,
        )
        return 2
    try:
        circuit_board(given.folder / "circuit-board")
        sheets(given.folder / "sheets")
        bodies(given.folder / "bodies")
        lists(given.folder / "orders")
    except OSError as error:
        print(f"{given.folder} cannot be written ({error.strerror}).", file=sys.stderr)
        return 2
    print(f"Written into {given.folder}.")
    kicad_cli = checker()
    if kicad_cli is None:
        print("KiCad 8 or newer is not installed, so it has not checked circuit and board.")
        return 0
    if found := faults(given.folder / "circuit-board", kicad_cli):
        print(f"KiCad finds {len(found)} faults, first: {found[0]}.", file=sys.stderr)
        return 1
    print("KiCad finds no fault in circuit and board.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
