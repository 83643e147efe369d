"""Opus, through FFmpeg's libraries (the package ``av``, the extra ``voices``)."""

from typing import Any

import numpy as np

from blindplay.extras import install_command

from .audio import BLOCK_MS, RATE, AudioError

HEARD_RATE = 48_000
"""Samples per second of what a decoder gives."""
BITS_PER_S = 20_000


def check() -> None:
    """Check that the package is there.

    :raises AudioError: it is not installed
    """
    try:
        import av  # noqa: F401
    except ImportError:
        raise AudioError(
            "Voices are carried with the package av, which is not installed; install it with: "
            "{command}",
            command=install_command("voices"),
        ) from None


class OpusEncoder:
    """Makes a packet of each block of 40 ms, as an ``AudioSource`` gives it."""

    def __init__(self) -> None:
        import av

        self._codec: Any = av.CodecContext.create("libopus", "w")
        self._codec.sample_rate, self._codec.layout, self._codec.format = RATE, "mono", "s16"
        self._codec.bit_rate = BITS_PER_S
        self._codec.options = {"application": "voip", "frame_duration": str(BLOCK_MS)}

    def encode(self, block: bytes) -> bytes:
        """Return the packet of a block."""
        import av

        samples = np.frombuffer(block, "<i2")[np.newaxis]
        frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
        frame.sample_rate = RATE
        return b"".join(bytes(packet) for packet in self._codec.encode(frame))


class OpusDecoder:
    """Makes sound of packets that may be damaged."""

    def __init__(self) -> None:
        import av

        self._codec: Any = av.CodecContext.create("libopus", "r")
        self._codec.sample_rate, self._codec.layout = HEARD_RATE, "mono"

    def decode(self, packet: bytes) -> bytes:
        """Return mono 16-bit PCM at ``HEARD_RATE``; nothing for a damaged packet."""
        import av

        if not packet:
            return b""  # to FFmpeg it is the end
        try:
            frames = self._codec.decode(av.Packet(packet))
            return b"".join(block.to_ndarray()[0].astype("<i2").tobytes() for block in frames)
        except (av.FFmpegError, ValueError):
            return b""
