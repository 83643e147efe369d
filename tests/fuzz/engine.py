"""Feeds a parser with what nobody should send it, and notices when it does not stand that.

An input is a seed that was changed at random. One that is refused at a place in the code where
none was refused before becomes a seed itself, so that the search goes on from there. A parser must
answer, or refuse as its documentation says, within its time and its memory.
"""

from __future__ import annotations

import random
import re
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

MOST_SECONDS = 5.0
"""Processor time that one input may take."""
MOST_MIB = 256
"""By so much one input may raise the memory of the process above all that it ever had."""
_MOST_SEEDS = 2000
_NUMBERS = ("0", "-1", "9" * 30, "1e999", "NaN", "4294967296", "0x10", "٣", "²")
_ODD = ("\0", "\ufeff", "\u202e", "\U0001f4a9", "é", "e\u0301", "\r", "\x1b[2J", "[" * 5000)


@dataclass(frozen=True)
class Target:
    """A parser: ``read`` takes bytes and may raise only ``refusals``.

    ``seeds`` give what it should read. ``seal`` makes of bytes a whole frame, so that what is
    behind a checksum is reached, too. ``make`` gives inputs instead of changed seeds.
    """

    name: str
    read: Callable[[bytes], object]
    seeds: Callable[[], list[bytes]]
    refusals: tuple[type[Exception], ...] = ()
    seal: Callable[[bytes], bytes] | None = None
    most_bytes: int = 4096
    make: Callable[[random.Random], bytes] | None = None


class Hang(BaseException):
    """One input took more than :data:`MOST_SECONDS`. Not an Exception: no parser may catch it."""


@dataclass(frozen=True)
class Found:
    """An input that a parser did not stand, and what happened."""

    target: str
    data: bytes
    what: str


@dataclass
class Report:
    """What came of a run: how many inputs were read and refused, and in what time and memory."""

    target: str
    inputs: int = 0
    refused: int = 0
    places: int = 0
    slowest_s: float = 0.0
    grown_mib: float = 0.0
    found: list[Found] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.target}: {self.inputs} inputs, {self.refused} refused, {self.places} places, "
            f"slowest {self.slowest_s * 1000:.0f} ms, memory +{self.grown_mib:.0f} MiB, "
            f"{len(self.found)} found"
        )


class Mutator:
    """Changes seeds at random; the same ``rng`` gives the same inputs."""

    def __init__(self, seeds: list[bytes], rng: random.Random, target: Target) -> None:
        self.seeds = [seed[: target.most_bytes] for seed in seeds] or [b""]
        self._rng = rng
        self._target = target
        words = {word for seed in self.seeds for word in re.findall(rb"[^\W\d_]{2,}|\d+", seed)}
        self._words = [*sorted(words)[:500], *(text.encode() for text in (*_NUMBERS, *_ODD))]

    def one(self) -> bytes:
        """An input."""
        rng = self._rng
        if self._target.make is not None:
            return self._target.make(rng)
        data = bytearray(rng.choice(self.seeds))
        for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5, 8))):
            self._change(data)
        found = bytes(data[: self._target.most_bytes])
        if self._target.seal is not None and rng.random() < 0.6:
            return self._target.seal(found)
        return found

    def _change(self, data: bytearray) -> None:
        rng = self._rng
        at = rng.randrange(len(data) + 1)
        to = min(len(data), at + int(rng.expovariate(0.1)))
        match rng.randrange(10):
            case 0 if at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            case 1 if at < len(data):
                data[at] = rng.choice((0, 1, 9, 10, 32, 34, 92, 127, 128, 255, rng.randrange(256)))
            case 2:
                data[at:at] = rng.randbytes(rng.randint(1, 8))
            case 3:
                del data[at:to]
            case 4:
                data[at:at] = data[at:to] * rng.choice((1, 1, 2, 50))
            case 5:
                other = rng.choice(self.seeds)
                data[at:] = other[rng.randrange(len(other) + 1) :]
            case 6:
                data[at:to] = rng.choice(self._words)
            case 7:
                data[at:at] = rng.choice(self._words)
            case 8:
                del data[at:]
            case _:  # lines are moved, lost, or come twice
                lines = bytes(data).split(b"\n")
                line = rng.choice(
                    lines if rng.random() < 0.5 else rng.choice(self.seeds).split(b"\n")
                )
                lines.insert(rng.randrange(len(lines) + 1), line)
                if rng.random() < 0.5:
                    lines.pop(rng.randrange(len(lines)))
                data[:] = b"\n".join(lines)

    def keep(self, data: bytes) -> None:
        """Take an input among the seeds."""
        if len(self.seeds) < _MOST_SEEDS:
            self.seeds.append(data)


def _peak_mib() -> float:
    """The most memory that this process has had; 0 where the system does not tell."""
    if sys.platform == "win32":
        return 0.0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20) if sys.platform == "darwin" else peak / 1024


@contextmanager
def limited(seconds: float) -> Iterator[Callable[[], object]]:
    """Within it, after each call of what it gives, so much processor time may be used before
    :class:`Hang` is raised. Where the system cannot do that, nothing is."""
    if sys.platform == "win32":
        yield lambda: None
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise Hang

    before = signal.signal(signal.SIGVTALRM, ring)
    try:
        yield lambda: signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def place(error: BaseException) -> tuple[object, ...]:
    """Where in the code an error comes from: its kind and its last few lines."""
    steps = traceback.extract_tb(error.__traceback__)
    return (type(error), *((step.filename, step.lineno) for step in steps[-4:]))


def fuzz(
    target: Target,
    *,
    inputs: int,
    minutes: float | None = None,
    seed: int = 0,
    most_found: int = 20,
) -> Report:
    """Feed ``target`` with so many inputs, for so long at most; different findings are kept."""
    report = Report(target.name)
    mutator = Mutator(target.seeds(), random.Random(f"{target.name} {seed}"), target)
    places: set[tuple[object, ...]] = set()
    for sound in list(mutator.seeds):  # what should be read must not crash either
        _try(target, sound, report, places, lambda: None)
    report.inputs = report.refused = 0
    began, peak = time.monotonic(), _peak_mib()
    first = peak
    with limited(MOST_SECONDS) as wind:
        while report.inputs < inputs and len(report.found) < most_found:
            if minutes is not None and time.monotonic() - began > minutes * 60:
                break
            data = mutator.one()
            began_cpu = time.process_time()
            if _try(target, data, report, places, wind):
                mutator.keep(data)
            report.slowest_s = max(report.slowest_s, time.process_time() - began_cpu)
            now = _peak_mib()
            if now - peak > MOST_MIB:
                report.found.append(Found(target.name, data, f"took {now - peak:.0f} MiB"))
            peak = now
    report.places, report.grown_mib = len(places), peak - first
    return report


def _try(
    target: Target,
    data: bytes,
    report: Report,
    places: set[tuple[object, ...]],
    wind: Callable[[], object],
) -> bool:
    """Feed one input; whether it came to a new place."""
    report.inputs += 1
    try:
        wind()
        target.read(data)
    except target.refusals as error:
        report.refused += 1
        where = place(error)
    except Hang:
        report.found.append(Found(target.name, data, f"takes more than {MOST_SECONDS:g} s"))
        return False
    except Exception as error:
        where = place(error)
        if where not in places:
            last = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__}: {error} ({last.filename}:{last.lineno})"
            report.found.append(Found(target.name, data, what[:400]))
    else:
        return False
    fresh = where not in places
    places.add(where)
    return fresh
