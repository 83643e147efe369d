"""``blindplay bench crash`` and ``blindplay bench soak``: what a table endures."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def bench_crash(
    kills: Annotated[int, typer.Argument(help="How often the table is killed.", min=1)] = 20,
    seed: Annotated[int, typer.Option(help="Of the random games and moments.")] = 1,
    heard: Annotated[
        float, typer.Option(help="In which share of its lives it has a microphone.", min=0, max=1)
    ] = 0.2,
    longest: Annotated[
        float, typer.Option(help="Seconds of play before a kill, at most.", min=0.1)
    ] = 4.0,
) -> None:
    """Kill a table with all devices at random moments, and look for what was announced.

    Exit status 1 if anything was lost.
    """
    from blindplay.bench.endurance.crash import crash

    seen = crash(kills, seed=seed, heard=heard, longest=longest, progress=_tell)
    for line in seen.lines():
        print(line, flush=True)
    if seen.faults:
        raise typer.Exit(1)


def bench_soak(
    hours: Annotated[float, typer.Option(help="Of the table's time.", min=0.01)] = 8.0,
    speed: Annotated[
        float, typer.Option(help="How much faster than the wall's clock.", min=1, max=100)
    ] = 20.0,
    seed: Annotated[int, typer.Option(help="Of the random games.")] = 1,
) -> None:
    """Play for hours, faster than people do, and count what the process holds.

    Exit status 1 if a ruling differs from a replay of its journal.
    """
    from blindplay.bench.endurance.soak import soak

    found = soak(hours, speed, seed=seed, progress=_tell)
    for line in found.lines():
        print(line, flush=True)
    if found.faults:
        raise typer.Exit(1)
