"""Figures for ``python -m benchmarks``: how much processor time a command takes."""

import subprocess
import sys
from collections.abc import Iterator

_RUNS = 10
_PROGRAM = """\
import contextlib, io, sys, time
from blindplay.cli import main
with contextlib.redirect_stdout(io.StringIO()):
    main(sys.argv[1:])
print(time.process_time())
"""
_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_COMMANDS = {
    "--help": ("--help",),
    "announce": ("announce", "--fen", _START, "--move", "g1f3"),
}


def processor_time(*arguments: str, runs: int = _RUNS) -> float:
    """Seconds of processor time of a command in a new process, the least of ``runs`` runs.

    The time of the user and the system, from the start of the process to the end of the command.
    """
    command = [sys.executable, "-c", _PROGRAM, *arguments]
    return min(
        float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for _ in range(runs)
    )


def figures() -> Iterator[str]:
    """One plain line for each command that is measured."""
    for name, arguments in _COMMANDS.items():
        yield (
            f"Processor time of blindplay {name}, the least of {_RUNS} runs: "
            f"{processor_time(*arguments):.2f} s."
        )
