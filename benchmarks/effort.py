"""Time from the end of speech to the decision, and the processor time of understanding."""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.memory_audio import MemorySource
from blindplay.hearing.decision import decide, silence_after
from blindplay.hearing.scoring import expectation
from blindplay.language import Language
from blindplay.speech.audio import RATE
from blindplay.speech.confidence import ConfidenceModel
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.listener import Listener
from blindplay.speech.recogniser import Recognition

from .conditions import Surroundings
from .corpus import CorpusUtterance

_ROOM_S = 2.5
"""So much of the room is heard before and after an utterance."""


@dataclass(frozen=True)
class Effort:
    """The time and work for ``of`` utterances; no end was found of ``missed`` of them.

    ``silence_s`` is the silence until the end is known, ``decision_s`` the processor time of the
    decision after that: medians, and the longest; of 95 in a hundred silences ``late_silence_s`` is
    the longest. ``real_time_factor`` is the processor time per
    second of sound for all of it: voice detection, both grammars, decision.
    """

    of: int
    missed: int
    silence_s: float
    late_silence_s: float
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
            arrived, began = time.perf_counter(), time.thread_time()
            decide(recognition, expected, pack, confidence)  # noqa: B023
            decided, segment = time.thread_time() - began, listener.segment  # noqa: B023
            assert segment is not None
            ended.append(segment.decided - segment.ended)  # noqa: B023
            decisions.append(decided + arrived - source.given_at)  # noqa: B023

        began = time.process_time()

        def silence(heard: Recognition) -> float:
            decision = decide(heard, expected, pack, confidence)  # noqa: B023
            return silence_after(decision, expected, pack)  # noqa: B023

        source = MemorySource(pcm)
        listener = Listener(
            recogniser,
            source,
            on_recognition,
            phrases=list(expected.phrases),
            silence=silence,
        )
        with listener:
            listener.wait(60)
        working += time.process_time() - began
        sounding += len(pcm) / 2 / RATE
        silences += ended[-1:]
    return Effort(
        len(said),
        len(said) - len(silences),
        statistics.median(silences or [0.0]),
        sorted(silences or [0.0])[int(0.95 * max(0, len(silences) - 1))],
        max(silences, default=0.0),
        statistics.median(decisions or [0.0]),
        max(decisions, default=0.0),
        working / sounding,
    )
