"""Programs that some tests need and that pip does not install.

``python3 tests/programs.py`` prints the Debian packages of those that this machine lacks. It needs
the standard library only, so it runs before anything is installed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_FOLDERS = ("/usr/games", "/usr/sbin", "/usr/local/sbin", "/usr/local/games")
"""Folders that may be missing in PATH, in which BlindPlay looks all the same."""


@dataclass(frozen=True)
class Program:
    """A program, and the packages of Debian that bring it. All ``commands`` and ``files`` are
    needed. A ``|`` stands between the names that a command has on different systems."""

    packages: str
    commands: tuple[str, ...]
    files: tuple[str, ...] = ()

    def places(self) -> list[Path | None]:
        """Return where each part is; None for a part that is missing."""
        found = [_command(name) for name in self.commands]
        return [*found, *(_first(pattern) for pattern in self.files)]

    def copies(self) -> set[Path]:
        """Return every file that could be such a part."""
        names = [name for command in self.commands for name in command.split("|")]
        folders = [Path(folder) for folder in (*os.get_exec_path(), *_FOLDERS)]
        found = {folder / name for folder in folders for name in names}
        found.update(*(Path("/").glob(pattern) for pattern in self.files))
        return {path.resolve() for path in found if path.is_file()}


_ARDUINO = "usr/share/arduino/hardware/arduino/avr/bootloaders"
BOOT_LOADERS = ("optiboot/optiboot_atmega328.hex", "atmega/ATmegaBOOT_168_atmega328.hex")
"""The new one of the Nano, which the Uno has, too, and the old one of the Nano."""

PROGRAMS: Mapping[str, Program] = {
    "Chromium": Program(
        # The shell draws the same pages for a third of the work of a whole browser.
        "chromium-headless-shell",
        ("chromium-headless-shell|chromium|chromium-browser|google-chrome|chrome",),
    ),
    "Mosquitto": Program("mosquitto", ("mosquitto",)),
    "PulseAudio": Program("pulseaudio pulseaudio-utils", ("pulseaudio", "pactl", "pacat")),
    "Stockfish": Program("stockfish", ("stockfish",)),
    "BRLTTY": Program("brltty", ("brltty",)),
    "Speech Dispatcher": Program(
        "speech-dispatcher speech-dispatcher-audio-plugins",
        ("speech-dispatcher",),
        ("usr/lib/*/speech-dispatcher/spd_alsa.so",),
    ),
    "OpenSSL": Program("openssl", ("openssl",)),
    "a C compiler": Program("gcc libc6-dev", ("cc",)),
    "the firmware's compilers": Program(
        "gcc libc6-dev gcc-avr avr-libc libsimavr-dev libelf-dev",
        ("cc", "avr-gcc"),
        ("usr/lib/avr/include/avr/io.h", "usr/include/simavr/sim_avr.h", "usr/include/libelf.h"),
    ),
    "the RP2040's compiler": Program(
        "gcc-arm-none-eabi libnewlib-arm-none-eabi",
        ("arm-none-eabi-gcc", "arm-none-eabi-objcopy"),
        ("usr/include/newlib/string.h",),
    ),
    "systemd": Program("systemd", ("systemd-analyze",)),
    "Node": Program("nodejs npm", ("node", "npm")),
    "the boot loaders of Arduinos": Program(
        "arduino-core-avr",
        (),
        tuple(
            f"usr/share/arduino/hardware/arduino/avr/bootloaders/{name}" for name in BOOT_LOADERS
        ),
    ),
}


def _command(names: str) -> Path | None:
    for name in names.split("|"):
        if found := shutil.which(name) or shutil.which(name, path=":".join(_FOLDERS)):
            return Path(found)
    return None


def _first(pattern: str) -> Path | None:
    return next((path for path in Path("/").glob(pattern) if path.is_file()), None)


def lacks(name: str) -> str:
    """Return why a test is skipped that needs this program."""
    return f"Missing: {name}; Debian has it in: {PROGRAMS[name].packages}"


def is_there(name: str) -> bool:
    """Return whether this machine has the program of :data:`PROGRAMS` with this name."""
    return None not in PROGRAMS[name].places()


def need(name: str) -> None:
    """Skip the test, saying what to install, if the program is missing."""
    if not is_there(name):
        import pytest

        pytest.skip(lacks(name))


if __name__ == "__main__":
    print(*(program.packages for name, program in PROGRAMS.items() if not is_there(name)))
