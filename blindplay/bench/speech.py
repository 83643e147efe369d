"""Figures for `blindplay bench`: delays of announcements, and the speed of recognition."""

import statistics
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from blindplay.speech.audio import RATE, SilentSink
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.speaker import Output, Speaker
from blindplay.speech.synthesis import Synthesiser


@dataclass(frozen=True)
class FirstSample:
    """Seconds from the request to the sink's first sample: medians over the phrases measured.

    The device's own latency comes on top.
    """

    uncached: float
    cached: float


def first_sample(synthesiser: Synthesiser, phrases: Sequence[str]) -> FirstSample:
    """Measure each phrase twice, rendered and from the cache, with a running synthesiser.

    Raises ValueError without phrases, SynthesisError if the voice fails.
    """
    if not phrases:
        raise ValueError("Give at least one phrase to measure.")
    synthesiser.voices()  # starts the worker
    cold, warm = [], []
    for phrase in phrases:
        synthesiser.path_of(phrase).unlink(missing_ok=True)
        cold.append(_once(synthesiser, phrase))
        warm.append(_once(synthesiser, phrase))
    return FirstSample(statistics.median(cold), statistics.median(warm))


def _once(synthesiser: Synthesiser, phrase: str) -> float:
    began = [0.0]
    sink = SilentSink(on_start=lambda pcm, rate: began.__setitem__(0, time.perf_counter()))
    with Speaker(synthesiser, sink, sink) as speaker:
        time.sleep(0.01)  # let the speaker's thread start waiting
        asked = time.perf_counter()
        speaker.say(phrase, to=Output.PUBLIC)
        speaker.wait(60)
    return began[0] - asked


def stop_latency(make_sink: Callable[[], Any] | None = None, repeats: int = 10) -> float:
    """Return the median of the seconds from a stop to the return of a sink's ``play``."""
    sink = make_sink() if make_sink is not None else SilentSink(realtime=True)
    taken = []
    for _ in range(repeats):
        stop, ended = threading.Event(), [0.0]

        def play(stop: threading.Event = stop, ended: list[float] = ended) -> None:
            sink.play(bytes(2 * RATE), RATE, stop)
            ended[0] = time.perf_counter()

        thread = threading.Thread(target=play)
        thread.start()
        time.sleep(0.05)
        asked = time.perf_counter()
        stop.set()
        thread.join()
        taken.append(ended[0] - asked)
    return statistics.median(taken)


def real_time_factor(
    recogniser: AnyRecogniser, clips: Sequence[bytes], phrases: Sequence[str]
) -> float:
    """Return seconds of work per second of speech. Each clip has a new grammar.

    Raises ValueError without sound.
    """
    spoken = sum(len(clip) for clip in clips) / 2 / RATE
    if not spoken:
        raise ValueError("Give at least one clip with sound to measure.")
    began = time.perf_counter()
    for clip in clips:
        recogniser.recognise(clip, phrases)
    return (time.perf_counter() - began) / spoken
