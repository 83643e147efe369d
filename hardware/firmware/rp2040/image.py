"""Makes of the linked firmware what an RP2040 takes: ``image.py FIRMWARE.bin FIRMWARE.uf2``.

The first 252 bytes get their checksum behind them, without which the controller starts nothing. A
UF2 file (github.com/microsoft/uf2) is copied onto the drive as which a Pico shows itself if its
button BOOTSEL is held down while it is plugged in.
"""

import struct
import sys
from pathlib import Path

FLASH = 0x10000000
FAMILY = 0xE48BFF56
"""That of the RP2040."""
BLOCK = 256


def crc32(data: bytes) -> int:
    """Return the CRC-32/MPEG-2 of ``data``."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1) ^ (0x04C11DB7 if crc & 0x80000000 else 0)
            crc &= 0xFFFFFFFF
    return crc


def uf2(image: bytes) -> bytes:
    """Return an image of the flash memory as UF2."""
    blocks = [image[at : at + BLOCK].ljust(BLOCK, b"\0") for at in range(0, len(image), BLOCK)]
    return b"".join(
        struct.pack("<8I", 0x0A324655, 0x9E5D5157, 0x2000, FLASH + number * BLOCK, BLOCK, number,
                    len(blocks), FAMILY) + block.ljust(476, b"\0") + struct.pack("<I", 0x0AB16F30)
        for number, block in enumerate(blocks)
    )  # fmt: skip


if __name__ == "__main__":
    linked = Path(sys.argv[1]).read_bytes()
    image = linked[:252] + struct.pack("<I", crc32(linked[:252])) + linked[256:]
    Path(sys.argv[1]).write_bytes(image)
    Path(sys.argv[2]).write_bytes(uf2(image))
