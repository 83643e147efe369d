"""What a firmware of the pegged board is: in a file, in this copy of the program, and in a board.

Each firmware since 1.2 has a text in it, the mark, which tells its version, its controller and the
speed of its line. So a file that does not fit is refused before anything is written.
"""

import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from blindplay.given import FIRMWARE, read_bytes
from blindplay.own_files import data_folder, write_secret
from blindplay.shipped import shipped
from blindplay.translation import UserError

from ..ports import BAUD
from . import protocol as peg

PAGE = 128
"""Bytes that the controller writes at once."""
PAGES = 240
"""Pages before those of the boot loader, which takes the last 2 KiB of the Nano's 32."""
SIZE = PAGE * PAGES
CONTROLLER = "atmega328p"
HALT = bytes.fromhex("FFCF").ljust(PAGE, b"\xff")
"""A first page that jumps to itself: a board with it does nothing until the boot loader comes."""

_MARK = re.compile(rb"BlindPlay firmware 0x([0-9A-Fa-f]{4}) for ([a-z0-9]+) at ([0-9]+) baud\0")


@dataclass(frozen=True)
class Firmware:
    """The program of a board: ``image`` is what its memory holds before the boot loader, as
    :data:`SIZE` bytes. ``name`` is that of its file, and ``digest`` the file's SHA-256 in
    hexadecimal digits."""

    image: bytes
    name: str = ""
    digest: str = ""

    @property
    def version(self) -> int | None:
        """Its version. None before 1.2, and of other programs."""
        mark = _MARK.search(self.image)
        return int(mark[1], 16) if mark else None

    @property
    def size(self) -> int:
        """The number of bytes up to the last that is not empty."""
        return len(self.image.rstrip(b"\xff"))

    @property
    def whole(self) -> bool:
        """Whether a board with it does something: it is not empty and was written to its end."""
        return self.image[:PAGE] != HALT and self.image[:2] != b"\xff\xff"

    @classmethod
    def of(cls, content: bytes, name: str) -> Self:
        """Read Intel HEX.

        :raises ValueError: if it is not whole, or has nothing or too much in it.
        """
        image, ended, any_byte = bytearray(b"\xff" * SIZE), False, False
        try:
            for line in content.decode("ascii").split():
                record = bytes.fromhex(line.removeprefix(":"))
                if line[0] != ":" or ended or len(record) != record[0] + 5 or sum(record) & 0xFF:
                    raise ValueError
                at, kind, data = int.from_bytes(record[1:3], "big"), record[3], record[4:-1]
                ended = kind == 1
                if kind != 0:
                    continue
                if at + len(data) > SIZE:
                    raise UserError(
                        "{file} is too large for the board, or has a boot loader in it: give "
                        "the firmware alone.",
                        file=name,
                    )
                image[at : at + len(data)] = data
                any_byte = any_byte or bool(data)
            if not ended or not any_byte:
                raise ValueError
        except (ValueError, IndexError) as error:
            if str(error).startswith(name):
                raise
            raise UserError(
                "{file} is not a complete firmware in Intel HEX; get it again.", file=name
            ) from None
        return cls(bytes(image), name, hashlib.sha256(content).hexdigest())

    def hex(self) -> str:
        """Return it as Intel HEX, without what is empty at its end."""
        records = [
            bytes([16, *at.to_bytes(2, "big"), 0, *self.image[at : at + 16]])
            for at in range(0, self.size, 16)
        ]
        lines = [f":{(one + bytes([-sum(one) & 0xFF])).hex().upper()}\n" for one in records]
        return "".join(lines) + ":00000001FF\n"


def version_text(version: int) -> str:
    """Return a version as people read it.

    >>> version_text(0x0102)
    '1.2'
    """
    return f"{version >> 8}.{version & 0xFF}"


def read(file: Path) -> Firmware:
    """Read a firmware for the pegged board from a file.

    :raises ValueError: if it is not one, or one for another controller or another speed.
    """
    name = str(file)
    content = read_bytes(file, FIRMWARE)
    if content.startswith(b"UF2\n"):
        raise UserError(
            "{file} is for a Raspberry Pi Pico: hold its button BOOTSEL down while you plug it "
            "in, and copy the file onto the drive that appears.",
            file=name,
        )
    firmware = replace(Firmware.of(content, name), name=file.name)
    mark = _MARK.search(firmware.image)
    if mark is None:
        if file.resolve().parent == _kept_folder().resolve():
            return firmware  # it came out of a board
        raise UserError(
            "{file} is no firmware of the pegged board, or one before version 1.2, which does "
            "not tell what it is for: give a newer one, or write it with avrdude.",
            file=name,
        )
    controller, baud = mark[2].decode(), int(mark[3])
    if controller != CONTROLLER:
        raise UserError(
            "{file} is for the controller {other}, and the board has {controller}: give "
            "the file for that one.",
            file=name,
            other=controller,
            controller=CONTROLLER,
        )
    if baud != BAUD:
        raise UserError(
            "{file} speaks with {other} baud, and this program with {baud}: give the file for "
            "{baud} baud.",
            file=name,
            other=baud,
            baud=BAUD,
        )
    return firmware


def own() -> Firmware:
    """The firmware that came with this program.

    :raises ValueError: if this copy has none, or that of another version.
    """
    file = shipped("firmware/firmware-9600.hex", "hardware/build/firmware-9600.hex")
    if not file.exists():
        raise UserError(
            "This copy of BlindPlay was built without firmware: install gcc-avr and avr-libc, "
            "run 'make -C hardware firmware' in its source, and give the file "
            "hardware/build/firmware-9600.hex."
        )
    firmware = read(file)
    if firmware.version != peg.FIRMWARE_VERSION:
        raise UserError(
            "The firmware in {file} is not that of this program: run 'make -C hardware "
            "firmware' in its source.",
            file=file,
        )
    return firmware


def keep(firmware: Firmware) -> Path:
    """Keep a firmware that was read out of a board, and return its file, which is on the disk then.

    :raises OSError: if it cannot be written.
    """
    name = version_text(firmware.version) if firmware.version else "before"
    file = _kept_folder() / f"{name}-{hashlib.sha256(firmware.image).hexdigest()[:12]}.hex"
    write_secret(file, firmware.hex().encode())
    return file


def _kept_folder() -> Path:
    return data_folder() / "firmware"
