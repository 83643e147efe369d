"""What understanding costs: time from the end of speech to the decision, processor time, memory."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from blindplay.language import Language
from blindplay.speech.audio import RATE, MemorySource
from blindplay.speech.confidence import ConfidenceModel
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.listener import Listener
from blindplay.speech.recogniser import Recognition

from ..decision import Decision, decide
from .conditions import Condition, Samples, apply
from .corpus import CorpusUtterance
from .scoring import expectation

_ROOM_S = 2.5
"""So much of the room is heard before and after an utterance."""


@dataclass(frozen=True)
class Effort:
    """Of so many utterances: median seconds of silence until their ends are known (and the
    longest), processor time of the decision after that, and processor time a second of sound for
    all of it: voice detection, both grammars, decision. ``missed``: no end was found."""

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
    condition: Condition,
    babble: Samples,
    seed: int,
) -> Effort:
    """Each utterance through a listener, as from a microphone. Raises ValueError without any."""
    if not said:
        raise ValueError("Give at least one utterance to measure.")
    silences, decisions = [], []
    sounding = working = 0.0
    for number, utterance in enumerate(said):
        room = np.random.default_rng(number).normal(0, 6, int(RATE * _ROOM_S))
        whole = apply(
            condition, np.concatenate([room, utterance.sound, room]), babble, seed + number
        )
        pcm = np.clip(whole, -32_768, 32_767).astype("<i2").tobytes()
        expected = expectation(recogniser, pack, utterance.line.board)
        told: list[tuple[Recognition, float]] = []
        decided: list[Decision] = []

        def on_recognition(recognition: Recognition) -> None:
            began = time.thread_time()
            decided.append(decide(recognition, expected, pack, confidence))  # noqa: B023
            timing = listener.timing  # noqa: B023
            assert timing is not None
            silence = timing.segment.decided - timing.segment.ended
            told.append((recognition, silence))  # noqa: B023
            decisions.append(time.thread_time() - began + timing.work_s)

        began = time.process_time()
        source = MemorySource(pcm)
        listener = Listener(recogniser, source, on_recognition, phrases=list(expected.phrases))
        with listener:
            listener.wait(60)
        working += time.process_time() - began
        sounding += len(whole) / RATE
        if told:
            silences.append(told[-1][1])
    return Effort(
        len(said),
        len(said) - len(silences),
        statistics.median(silences or [0.0]),
        max(silences, default=0.0),
        statistics.median(decisions or [0.0]),
        max(decisions, default=0.0),
        working / sounding,
    )


_LOAD = """
import resource, sys
from pathlib import Path
from blindplay import language
from blindplay.speech.endpointing import Silero
from blindplay.table import hearing
import chess
def now():
    told = Path("/proc/self/status")
    if told.is_file():
        line = next(l for l in told.read_text().splitlines() if l.startswith("VmRSS"))
        return int(line.split()[1]) / 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1 << 20 if sys.platform == "darwin" else 1024)
pack = language.load(sys.argv[1])
import vosk
before = now()
recogniser = hearing.open_recogniser(pack, *map(Path, sys.argv[2:]))
Silero().likelihood(bytes(32000))
expected = hearing.expect(recogniser, pack, [chess.Board()])
recogniser.recognise(bytes(64000), list(expected.phrases))
print(before, now())
"""


def memory(models: Sequence[Path], language: str) -> tuple[float, float] | None:
    """Megabytes that a process holds with everything but the models, and with the models and the
    voice detector at work; None where the system does not tell."""
    command = [sys.executable, "-c", _LOAD, language, *map(str, models)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    try:
        before, after = map(float, done.stdout.split())
    except ValueError:
        return None
    return before, after
