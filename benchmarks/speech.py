"""Figures for ``python -m benchmarks``: delays of announcements, speed and success of
recognition."""

import random
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess

from benchmarks.memory_audio import MemorySink
from blindplay.hearing.expectation import expect
from blindplay.hearing.recognisers import Ear, open_recogniser
from blindplay.language import Language
from blindplay.speech.audio import RATE, read_audio
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.models.folders import find_model
from blindplay.speech.speaker import Output, Speaker
from blindplay.speech.synthesis import Synthesiser

_SEED = 2026
_SPOKEN = 40
_POSITION = "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 1"


def figures(pack: Language) -> Iterator[str]:
    """Yield plain lines about random moves, spoken by the voice of the language and recognised."""
    board = chess.Board(_POSITION)
    legal, rng = sorted(board.legal_moves, key=str), random.Random(_SEED)
    moves = [rng.choice(legal) for _ in range(_SPOKEN)]
    spoken = [pack.announce(board, move) for move in moves]
    with (
        tempfile.TemporaryDirectory() as folder,
        Synthesiser(pack.code, cache=Path(folder), spellings=pack.spoken) as synthesiser,
    ):
        uncached, cached = first_sample(synthesiser, spoken[:12])
        yield (
            f"Request to first sample of an announcement, median of 12: not cached "
            f"{uncached * 1000:.1f} ms, cached {cached * 1000:.1f} ms (without a device's own "
            "delay)."
        )
        yield f"Stop to silence at a silent output, median: {stop_latency() * 1000:.1f} ms."
        clips = [read_audio(synthesiser.render(words)) for words in spoken]
    start = time.perf_counter()
    recogniser = open_recogniser(pack, find_model(pack.code))
    loaded = time.perf_counter() - start
    phrases = list(expect(recogniser, pack, [board]).phrases)
    factor = real_time_factor(recogniser, clips, phrases)
    yield (
        f"Recogniser: loaded in {loaded * 1000:.0f} ms, real-time factor {factor:.4f} with "
        f"a grammar of {len(phrases)} phrases."
    )
    ear = Ear(pack, recogniser.folders)
    heard = [ear.hear(clip, board).meant.move for clip in clips]
    right = sum(one == move for one, move in zip(heard, moves, strict=True))
    refused = heard.count(None)
    yield (
        f"Moves heard, the system's own voice, clean: {right} of {_SPOKEN} right, "
        f"{_SPOKEN - right - refused} wrong, {refused} refused."
    )


def first_sample(synthesiser: Synthesiser, phrases: Sequence[str]) -> tuple[float, float]:
    """Return the seconds from the request to the sink's first sample: the median over ``phrases``
    when they are rendered, and when they come from the cache.

    A device's own latency comes on top.

    :raises SynthesisError: if the voice fails.
    """
    synthesiser.voices()  # starts the worker
    uncached, cached = [], []
    for phrase in phrases:
        synthesiser.path_of(phrase).unlink(missing_ok=True)
        uncached.append(_once(synthesiser, phrase))
        cached.append(_once(synthesiser, phrase))
    return statistics.median(uncached), statistics.median(cached)


def _once(synthesiser: Synthesiser, phrase: str) -> float:
    began: list[float] = []
    sink = MemorySink(on_start=lambda pcm, rate: began.append(time.perf_counter()))
    with Speaker(synthesiser, sink, sink) as speaker:
        time.sleep(0.01)  # let the speaker's thread start waiting
        asked = time.perf_counter()
        speaker.say(phrase, to=Output.PUBLIC)
        speaker.wait(60)
    return began[0] - asked


def stop_latency(repeats: int = 10) -> float:
    """Return the median of the seconds from a stop to the return of a silent sink's ``play``."""
    return statistics.median(_stopped(MemorySink(realtime=True)) for _ in range(repeats))


def _stopped(sink: MemorySink) -> float:
    stop, asked = threading.Event(), [0.0]

    def ask() -> None:
        asked[0] = time.perf_counter()
        stop.set()

    threading.Timer(0.05, ask).start()
    sink.play(bytes(2 * RATE), RATE, stop)
    return time.perf_counter() - asked[0]


def real_time_factor(
    recogniser: AnyRecogniser, clips: Sequence[bytes], phrases: Sequence[str]
) -> float:
    """Return seconds of work per second of speech. Each clip has a new grammar."""
    began = time.perf_counter()
    for clip in clips:
        recogniser.recognise(clip, phrases)
    return (time.perf_counter() - began) / (sum(map(len, clips)) / 2 / RATE)
