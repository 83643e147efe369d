"""Writes what a maker of printed boards needs: Gerber layers, drill files and places of parts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

import circuit
import kicad
import lettering
from circuit import Part, PlacedPad, Track, Via

MASK = 0.05
"""By how much the solder mask keeps away from a pad."""

_LAYERS = {
    "F_Cu.gtl": "Copper,L1,Top",
    "B_Cu.gbl": "Copper,L2,Bot",
    "F_Mask.gts": "Soldermask,Top",
    "B_Mask.gbs": "Soldermask,Bot",
    "F_Silkscreen.gto": "Legend,Top",
    "B_Silkscreen.gbo": "Legend,Bot",
    "B_Paste.gbp": "Paste,Bot",
    "Edge_Cuts.gm1": "Profile,NP",
}


def _place(x: float, y: float) -> str:
    """Micrometres times a thousand: the format 4.6."""
    return f"X{round(x * 1e6)}Y{round(y * 1e6)}"


class _Layer:
    """One Gerber file: flashes and lines, sorted by aperture."""

    def __init__(self, function: str) -> None:
        self.function = function
        self.by_aperture: dict[str, list[str]] = {}

    def _use(self, aperture: str, *commands: str) -> None:
        self.by_aperture.setdefault(aperture, []).extend(commands)

    def flash(self, pad: PlacedPad, more: float = 0.0) -> None:
        width, height = pad.width + 2 * more, pad.height + 2 * more
        aperture = f"C,{width:.4f}" if pad.round else f"R,{width:.4f}X{height:.4f}"
        self._use(aperture, _place(pad.x, pad.y) + "D03*")

    def dot(self, at: tuple[float, float], size: float) -> None:
        self._use(f"C,{size:.4f}", _place(*at) + "D03*")

    def line(self, points: Sequence[tuple[float, float]], width: float) -> None:
        first, *others = points
        self._use(f"C,{width:.4f}", _place(*first) + "D02*", *(_place(*p) + "D01*" for p in others))

    def text(self) -> str:
        lines = [
            "%TF.GenerationSoftware,BlindPlay,workshop*%",
            "%TF.SameCoordinates,blindplay-board*%",
            f"%TF.FileFunction,{self.function}*%",
            "%TF.FilePolarity,Positive*%",
            "%FSLAX46Y46*%",
            "%MOMM*%",
            "%LPD*%",
            "G01*",
        ]
        lines += [f"%ADD{i}{aperture}*%" for i, aperture in enumerate(self.by_aperture, 10)]
        for i, commands in enumerate(self.by_aperture.values(), 10):
            lines += [f"D{i}*", *commands]
        return "\n".join([*lines, "M02*", ""])


def layers(parts: Sequence[Part], tracks: Iterable[Track], vias: Iterable[Via]) -> dict[str, str]:
    """The text of each layer by its file's ending."""
    made = {name: _Layer(function) for name, function in _LAYERS.items()}
    copper = {False: made["F_Cu.gtl"], True: made["B_Cu.gbl"]}
    mask = {False: made["F_Mask.gts"], True: made["B_Mask.gbs"]}
    ink = {False: made["F_Silkscreen.gto"], True: made["B_Silkscreen.gbo"]}
    for pad in (pad for part in parts for pad in part.pads()):
        for below in (False, True):
            if pad.on(below):
                mask[below].flash(pad, MASK)
                if pad.plated:
                    copper[below].flash(pad)
        if not pad.drill:
            made["B_Paste.gbp"].flash(pad)
    for at in circuit.MOUNTS:
        for side in mask.values():
            side.dot(at, circuit.MOUNT_HOLE + 2 * MASK)
    for track in tracks:
        copper[track.below].line((track.start, track.end), track.width)
    for via in vias:  # the mask covers them
        for side in copper.values():
            side.dot(via.at, circuit.VIA)
    for below, points in lettering.of_board(parts):
        ink[below].line(points, lettering.PEN)
    left, near, right, far = circuit.OUTLINE
    corners = [(left, near), (right, near), (right, far), (left, far), (left, near)]
    made["Edge_Cuts.gm1"].line(corners, 0.1)
    return {name: layer.text() for name, layer in made.items()}


def drills(parts: Sequence[Part], vias: Iterable[Via]) -> dict[str, str]:
    """The plated and the bare holes, as Excellon files by their endings."""
    plated: list[tuple[float, float, float]] = [(circuit.VIA_HOLE, *via.at) for via in vias]
    bare: list[tuple[float, float, float]] = [(circuit.MOUNT_HOLE, *at) for at in circuit.MOUNTS]
    for pad in (pad for part in parts for pad in part.pads() if pad.drill):
        (plated if pad.plated else bare).append((pad.drill, pad.x, pad.y))
    return {
        "PTH.drl": _excellon("Plated,1,2,PTH", plated),
        "NPTH.drl": _excellon("NonPlated,1,2,NPTH", bare),
    }


def _excellon(function: str, holes: list[tuple[float, float, float]]) -> str:
    sizes = sorted({size for size, _, _ in holes})
    lines = ["M48", f"; #@! TF.FileFunction,{function}", "FMAT,2", "METRIC"]
    lines += [f"T{i}C{size:.3f}" for i, size in enumerate(sizes, 1)]
    lines += ["%", "G90", "G05"]
    for i, size in enumerate(sizes, 1):
        lines.append(f"T{i}")
        lines += [f"X{x:.4f}Y{y:.4f}" for bore, x, y in sorted(holes) if bore == size]
    return "\n".join([*lines, "M30", ""])


def places(parts: Sequence[Part]) -> str:
    """The middle of each surface-mounted part, for the machine that places them, as CSV.

    Angles are KiCad's: counter-clockwise as seen from above, for parts below, too.
    """
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["Designator", "Val", "Package", "Mid X", "Mid Y", "Rotation", "Layer"])
    for part in parts:
        if any(pad.drill for pad in part.footprint.pads):
            continue
        side = "bottom" if part.below else "top"
        angle = kicad.orientation(part)
        x, y = part.at
        rows.writerow(
            [part.reference, part.value, part.footprint.name, f"{x:.4f}", f"{y:.4f}", angle, side]
        )
    return text.getvalue()
