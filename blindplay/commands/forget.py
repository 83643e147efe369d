"""``blindplay forget``: what was kept of a table is removed."""

from __future__ import annotations

from typing import Annotated

import typer


def forget(
    table: Annotated[
        str, typer.Argument(help="Its journal: a path, or a name in your folder of tables.")
    ],
    everything: Annotated[
        bool, typer.Option("--all", help="Remove the journal, too: the game is gone then.")
    ] = False,
) -> None:
    """Remove the sound that was kept of a table; with --all the game, too. It does not ask.

    What was removed is named. Copies elsewhere, such as those of a backup, are not found.
    """
    from blindplay.record import storage

    journal = storage.find(table)
    done = storage.forget(journal, everything=everything)
    if done.recordings:
        megabytes = done.bytes / 1_000_000
        print(f"Removed: {done.recordings} recordings, {megabytes:.1f} megabytes of sound.")
    else:
        print("There was no sound.")
    for path in done.files:
        print(f"Removed: {path}.")
    for path in done.left:
        print(f"Not removed, because it is not the tape's: {path}.")
    if not everything and journal.is_file():
        print(f"The game stays whole without it, in {journal}; --all removes that, too.")
