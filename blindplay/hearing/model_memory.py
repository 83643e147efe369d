"""The memory that speech models need at work, measured in a process of their own."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import chess

from blindplay.language import load
from blindplay.speech.endpointing import Silero

from .expectation import expect
from .recognisers import open_recogniser

_LOADED_S = 120.0
"""Seconds that a process may take to load the models and to recognise once."""


def memory(models: Sequence[Path], language: str) -> tuple[float, float] | None:
    """Return the megabytes of a process with everything but the models, and with the models and the
    voice detector at work; None where the system does not tell, or needs minutes for it."""
    command = [sys.executable, "-m", __name__, language, *map(str, models)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LOADED_S)
        before, after = map(float, done.stdout.split())
    except (subprocess.TimeoutExpired, ValueError):
        return None
    return before, after


def _print_memory(language: str, *models: str) -> None:
    pack = load(language)
    import vosk  # noqa: F401  a part of "everything but the models"

    _print_resident_megabytes()
    recogniser = open_recogniser(pack, *map(Path, models))
    Silero().likelihood(bytes(32_000))
    expected = expect(recogniser, pack, [chess.Board()])
    recogniser.recognise(bytes(64_000), list(expected.phrases))
    _print_resident_megabytes()


def _print_resident_megabytes() -> None:
    """Print the memory of this process, or the most that it ever had; nothing on Windows."""
    status = Path("/proc/self/status")
    if status.is_file():
        lines = status.read_text("utf-8").splitlines()
        print(next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")))
    elif sys.platform != "win32":
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(most / (1 << 20 if sys.platform == "darwin" else 1024))


if __name__ == "__main__":
    _print_memory(*sys.argv[1:])
