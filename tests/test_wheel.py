"""The wheel: what is built for it, and carried by it."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.firmware import Firmware
from tests import ROOT
from tests.programs import need

FIRMWARE = "blindplay/firmware/firmware-9600.hex"


def _built(
    source: Path, folder: Path, path: str = os.environ["PATH"]
) -> tuple[set[str], bytes, str]:
    """The files of the wheel that is built from ``source``, its firmware, and what was printed."""
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=source,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
        content = opened.read(FIRMWARE) if FIRMWARE in names else b""
    return names, content, " ".join((done.stdout + done.stderr).split())


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source of which nothing was built yet, in another place than this one."""
    pytest.importorskip("hatchling")
    copy = tmp_path_factory.mktemp("source") / "another place"
    copy.mkdir()
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    for name in ("blindplay", "models", "docs", "locks"):
        (copy / name).symlink_to(ROOT / name, target_is_directory=True)
    shutil.copytree(ROOT / "hardware", copy / "hardware", ignore=lambda *_: ["build"])
    return copy


@pytest.mark.skipif(sys.platform == "win32", reason="make and links are needed")
def test_the_wheel_carries_the_rule_and_the_firmware_the_same_wherever_it_is_built(
    source: Path, tmp_path: Path
) -> None:
    need("the firmware's compilers")
    names, firmware, said = _built(source, tmp_path / "dist")
    assert "blindplay/firmware/99-blindplay.rules" in names
    assert Firmware.of(firmware, FIRMWARE).version == peg.FIRMWARE_VERSION
    assert hashlib.sha256(firmware).hexdigest() in said
    assert f"BlindPlay firmware 0x{peg.FIRMWARE_VERSION:04x} for atmega328p" in said
    subprocess.run(["make", "-s", "-C", str(ROOT / "hardware"), "firmware"], check=True)
    assert (ROOT / "hardware/build/firmware-9600.hex").read_bytes() == firmware


@pytest.mark.skipif(sys.platform == "win32", reason="make and links are needed")
def test_without_the_compiler_the_wheel_is_built_all_the_same_and_says_what_it_lacks(
    source: Path, tmp_path: Path
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("make", "sh", "mkdir"):
        (programs / name).symlink_to(shutil.which(name) or pytest.skip(f"{name} is missing."))
    names, firmware, said = _built(source, tmp_path / "dist", str(programs))
    assert not firmware and "blindplay/firmware/99-blindplay.rules" in names
    assert "The wheel carries no firmware of the pegged board." in said
    assert "install gcc-avr and avr-libc" in said
