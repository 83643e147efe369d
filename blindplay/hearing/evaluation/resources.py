"""What understanding costs: time from the end of speech to the decision, processor time, memory."""

import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import chess
import numpy as np

from blindplay.language import Language, load
from blindplay.speech.audio import RATE, MemorySource
from blindplay.speech.confidence import ConfidenceModel
from blindplay.speech.endpointing import Silero
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.listener import Listener
from blindplay.speech.recogniser import Recognition

from ..decision import decide
from ..expectation import expect
from ..recognisers import open_recogniser
from .conditions import Surroundings
from .corpus import CorpusUtterance
from .scoring import expectation

_ROOM_S = 2.5
"""So much of the room is heard before and after an utterance."""
_LOADED_S = 120.0
"""Seconds that a process may take to load the models and to recognise once."""


@dataclass(frozen=True)
class Effort:
    """The time and work for ``of`` utterances; no end was found of ``missed`` of them.

    ``silence_s`` is the silence until the end is known, ``decision_s`` the processor time of the
    decision after that: medians, and the longest. ``real_time_factor`` is the processor time per
    second of sound for all of it: voice detection, both grammars, decision.
    """

    of: int
    missed: int
    silence_s: float
    longest_silence_s: float
    decision_s: float
    longest_decision_s: float
    real_time_factor: float


def effort(
    recogniser: AnyRecogniser,
    pack: Language,
    confidence: ConfidenceModel,
    said: Sequence[CorpusUtterance],
    where: Surroundings,
) -> Effort:
    """Send each utterance, at least one, through a listener, as from a microphone."""
    silences, decisions = [], []
    sounding = working = 0.0
    for number, utterance in enumerate(said):
        room = np.random.default_rng(number).normal(0, 6, int(RATE * _ROOM_S))
        pcm = where.record(np.concatenate([room, utterance.sound, room]), number)
        expected = expectation(recogniser, pack, utterance.line.board)
        ended: list[float] = []

        def on_recognition(recognition: Recognition) -> None:
            began = time.thread_time()
            decide(recognition, expected, pack, confidence)  # noqa: B023
            timing = listener.timing
            assert timing is not None
            ended.append(timing.segment.decided - timing.segment.ended)  # noqa: B023
            decisions.append(time.thread_time() - began + timing.work_s)

        began = time.process_time()
        source, phrases = MemorySource(pcm), list(expected.phrases)
        with Listener(recogniser, source, on_recognition, phrases=phrases) as listener:
            listener.wait(60)
        working += time.process_time() - began
        sounding += len(pcm) / 2 / RATE
        silences += ended[-1:]
    return Effort(
        len(said),
        len(said) - len(silences),
        statistics.median(silences or [0.0]),
        max(silences, default=0.0),
        statistics.median(decisions or [0.0]),
        max(decisions, default=0.0),
        working / sounding,
    )


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
