"""What a table needs and what of it is there: one sentence each, with the remedy."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import chess
import platformdirs

from blindplay.boards.driver import probe
from blindplay.boards.line import discover
from blindplay.language import Language
from blindplay.record import Journal, JournalError
from blindplay.speech import findings
from blindplay.speech.findings import Finding
from blindplay.speech.models import ModelError, chosen

from .voice.effort import memory


def examine(pack: Language, model: Path | None, microphone: str | None) -> Iterator[Finding]:
    """All findings: voices, recogniser and vocabulary, sound devices, boards, journal, brltty."""
    words = [*pack.phrases(chess.Board()), *pack.command_phrases()]
    yield from findings.examine(pack.code, model=model, words=words, microphone=microphone)
    yield from _together(pack, model)
    yield from _boards()
    yield _journal()
    brltty = _brltty()
    if brltty is not None:
        yield brltty


def _together(pack: Language, model: Path | None) -> Iterator[Finding]:
    """What several models that listen together cost; what they are worth, `bench models` says."""
    try:
        folders = chosen(pack.code) if model is None else (model,)
    except ModelError:
        return  # told already
    measured = memory(folders, pack.code) if len(folders) > 1 else None
    if measured is not None:
        yield Finding(
            True,
            "models",
            f"{len(folders)} speech models listen together, in {measured[1] - measured[0]:.0f} MB "
            "of memory; blindplay bench models says how well, and how fast.",
        )


def _boards() -> Iterator[Finding]:
    ports = [port for port in discover() if port.likely]
    if not ports:
        yield Finding(
            False,
            "board",
            "No pegged board is plugged in; plug it in, or give its port with --board.",
        )
    for port in ports:
        try:
            yield Finding(True, "board", f"At {port.url} there is a {probe(port.url)}.")
        except (OSError, ValueError) as error:
            yield Finding(False, "board", str(error))
    if sys.platform.startswith("linux") and hasattr(os, "getgroups"):
        import grp

        try:
            dialout = grp.getgrnam("dialout").gr_gid
        except KeyError:
            return
        if os.geteuid() != 0 and dialout not in os.getgroups():
            yield Finding(
                False,
                "permissions",
                "You may not open serial ports; run sudo usermod -aG dialout with your user "
                "name, then log out and in again.",
            )
        else:
            yield Finding(True, "permissions", "You may open serial ports.")


def _journal() -> Finding:
    folder = Path(platformdirs.user_data_path("blindplay", appauthor=False)) / "tables"
    trial = folder / "doctor.db"
    try:
        Journal(trial).close()
    except JournalError as error:
        return Finding(False, "journal", str(error))
    for file in folder.glob("doctor.db*"):
        file.unlink(missing_ok=True)
    return Finding(True, "journal", f"Games are kept in {folder}.")


def _brltty() -> Finding | None:
    """brltty grabs the USB adapters (CH340, CP210x) that boards are built with."""
    if not sys.platform.startswith("linux"):
        return None
    for name in Path("/proc").glob("[0-9]*/comm"):
        try:
            running = name.read_text().strip() == "brltty"
        except OSError:
            continue
        if running:
            return Finding(
                False,
                "brltty",
                "brltty is running and may take the board's USB adapter; if the board is not "
                "found, tell brltty which port your Braille display has.",
            )
    return Finding(True, "brltty", "brltty is not running, so it takes no USB adapter.")
