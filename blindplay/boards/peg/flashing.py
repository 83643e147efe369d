"""Writes firmware into a pegged board with avrdude, which must be installed.

:func:`plan` describes the writing, and :func:`flash` does it.
"""

import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from blindplay.given import read_bytes
from blindplay.translation import _, all_of

from ..ports import BoardNotFoundError, discover

BOARDS: Mapping[str, tuple[str, int]] = {
    "nano": (_("Arduino Nano"), 115200),
    "nano-old": (_("Arduino Nano with the old boot loader"), 57600),
    "uno": (_("Arduino Uno"), 115200),
}
"""By the value of ``--board``: its name, and the baud rate of its boot loader."""

_SECONDS = 120
_MOST_BYTES = 1_000_000  # of a firmware as text; the controller has 32 KiB
_INSTALL = {
    "linux": _("run 'sudo apt install avrdude', or install it with your system's package manager"),
    "darwin": _("run 'brew install avrdude'"),
    "win32": _("run 'winget install AVRDudes.AVRDUDE', then open a new window"),
}


class FlashingError(RuntimeError):
    """The firmware could not be written. The message says why and what to do."""


@dataclass(frozen=True)
class Plan:
    """The command to run, and a sentence that describes it."""

    command: tuple[str, ...]
    sentence: str


def only_port() -> str:
    """The port of the only board that is plugged in. The board needs no firmware yet.

    :raises BoardNotFoundError: if there is none, or more than one.
    """
    ports = [port.url for port in discover() if port.likely]
    if len(ports) == 1:
        return ports[0]
    if not ports:
        raise BoardNotFoundError(_("No board was found: plug it in, or give its port with --port."))
    raise BoardNotFoundError(
        _(
            "There are several boards, at {ports}: give the port of one with --port.",
            ports=all_of(ports),
        )
    )


def plan(file: Path, port: str | None, board: str, baud: int | None = None) -> Plan:
    """Plan to write the firmware in ``file`` into the ``board`` (a key of :data:`BOARDS`) at
    ``port``, or at :func:`only_port` if that is None.

    ``baud`` replaces the boot loader's rate, at least 1.

    :raises ValueError: if the file is not Intel HEX, the board is unknown, or the rate is below 1.
    :raises BoardNotFoundError: if there is no board or more than one, without ``port``.
    :raises FlashingError: if avrdude is missing.
    """
    if board not in BOARDS:
        raise ValueError(
            _(
                "{board} is not a board: give one of {boards}.",
                board=repr(board),
                boards=", ".join(BOARDS),
            )
        )
    if baud is not None and baud < 1:
        raise ValueError(_("{baud} is not a baud rate: give one of at least 1.", baud=baud))
    size = _bytes_in(file)
    if port is None:
        port = only_port()  # only now: a wrong file is wrong without a board as well
    if "://" in port:
        raise ValueError(
            _("{port} is not a serial port: firmware goes through a cable.", port=port)
        )
    program = shutil.which("avrdude")
    if program is None:
        how = _INSTALL.get(sys.platform, _("install it"))
        raise FlashingError(
            _("Firmware is written by avrdude, which is not installed: {how}.", how=how)
        )
    name, usual = BOARDS[board]
    rate = baud or usual
    # On Windows the path has a drive letter with a colon. avrdude takes everything between the
    # second colon and the last one as the name of the file.
    write = f"flash:w:{file.resolve()}:i"
    command = (program, "-p", "atmega328p", "-c", "arduino", "-P", port, "-b", str(rate), "-D",
               "-U", write)  # fmt: skip
    sentence = _(
        "This writes {file} ({size} bytes) into the {board} at {port} with {baud} baud "
        "and replaces the firmware that is in it.",
        file=file.name,
        size=size,
        board=name,
        port=port,
        baud=rate,
    )
    return Plan(command, sentence)


def flash(planned: Plan, out: TextIO) -> None:
    """Run avrdude and print its output.

    :raises FlashingError: if avrdude fails.
    """
    try:
        done = subprocess.run(
            planned.command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise FlashingError(
            _(
                "avrdude had not finished after {seconds} seconds: replug the board and try again.",
                seconds=_SECONDS,
            )
        ) from None
    except OSError as error:
        raise FlashingError(
            _("avrdude could not be started ({error}): install it again.", error=error)
        ) from None
    print(done.stdout.rstrip(), file=out, flush=True)
    if done.returncode != 0:
        raise FlashingError(
            _(
                "avrdude could not write the firmware: check the port, close other programs that "
                "use it, and try the other boot loader with --board nano-old or --board nano."
            )
        )


def _bytes_in(file: Path) -> int:
    """The number of bytes in an Intel HEX file.

    :raises ValueError: for another file.
    """
    content = read_bytes(file, _MOST_BYTES)
    size, ended = 0, False
    try:
        for line in content.decode("ascii").split():
            record = bytes.fromhex(line.removeprefix(":"))
            if line[0] != ":" or ended or len(record) != record[0] + 5 or sum(record) & 0xFF:
                raise ValueError
            size += record[0] if record[3] == 0 else 0
            ended = record[3] == 1
        if not ended or not size:
            raise ValueError
    except (ValueError, IndexError):
        raise ValueError(
            _("{file} is not a complete firmware in Intel HEX; get it again.", file=file)
        ) from None
    return size
