"""How well moves are understood through a player's phone: ``python -m benchmarks phone``.

A real Chromium opens the phone's page. Its microphone plays the utterances of a corpus from a file.
What arrives at the table is recognised beside what a microphone with a cable would have given.
"""

import base64
import io
import queue
import random
import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import soundfile

from blindplay.console.phone import PhoneSend
from blindplay.console.server import ConsoleHost
from blindplay.hearing import scoring
from blindplay.hearing.recognisers import open_recogniser
from blindplay.hearing.scoring import ScoredOutcome
from blindplay.hearing.script import UtteranceKind
from blindplay.language import Language
from blindplay.laws.facts import Player, Setup
from blindplay.record import Journal
from blindplay.speech.audio import BLOCK_BYTES, BLOCK_MS, RATE, QueueSource, wav
from blindplay.speech.confidence import confidence_of
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.listener import Listener
from blindplay.speech.phone import (
    ADPCM,
    FILLED_S,
    PacketOrder,
    PhoneSource,
    SoundPacket,
    ms_between,
)
from blindplay.table import Table

from . import corpus
from .conditions import Samples, Surroundings, as_pcm, as_samples
from .corpus import CorpusUtterance
from .heard import count, hear
from .pages import chromium
from .voice import Options, listening

_LEAD_S, _BETWEEN_S = 2.0, 0.6
_SEARCH_S = 0.5  # an utterance is looked for so far around its place
_LOSSES = (0.02, 0.05, 0.1)
_PATIENCE_S = 60.0
_SLOW = (135_000, 0.15)
"""A line of 150 kbit/s, each way: bits in a second, without what TCP and TLS add, and seconds of
delay."""
_RECOGNISED_S = 5.0
_MU = 255.0


@dataclass(frozen=True)
class _Arrived:
    """What came of a phone: its sound, for each packet the ms from its last sample to the table,
    and the share of packets in fewer bits."""

    sound: bytes
    late_ms: Sequence[int]
    packed: float


class _KeptLine:
    """Stands in for a table's phones, and keeps what comes of one. ``source`` gets it, too."""

    holds = True

    def __init__(self, source: PhoneSource | None = None) -> None:
        self._source = source
        self.pcm, self.late_ms, self.codings = bytearray(), list[int](), list[int]()
        self._send: PhoneSend = lambda message: None
        self._told = 0.0
        self._order = PacketOrder()
        self._changed = threading.Condition()

    def join(
        self, role: str, run: str, stream: str, send: PhoneSend, *, again: bool
    ) -> "_KeptLine":
        self._send = send
        return self

    def sound(self, packet: bytes) -> bool:
        read = SoundPacket.read(packet)
        if read is None:
            return False
        if self._source is not None:
            self._source.take(packet)
        if time.monotonic() - self._told >= 1.0:  # as a table does
            self._told = time.monotonic()
            self._send({"came": read.number})
        with self._changed:
            self.codings.append(packet[0])
            self.late_ms.append(ms_between(read.at, round(time.time() * 1000) % 2**32))
            for _, one in self._order.take(read):
                self.pcm += one.pcm
            self._changed.notify_all()
        return True

    def message(self, told: Mapping[str, Any]) -> None:
        pass

    def wait(self, seconds: float) -> _Arrived:
        """Wait for so much sound."""
        with self._changed:
            self._changed.wait_for(
                lambda: len(self.pcm) >= seconds * RATE * 2, seconds + _PATIENCE_S
            )
            packed = self.codings.count(ADPCM) / max(1, len(self.codings))
            return _Arrived(bytes(self.pcm), list(self.late_ms), packed)


def figures(pack: Language, options: Options) -> Iterator[str]:
    """Yield lines: the moves through a phone, with and without the browser's processing, on bad
    lines and in fewer bits, beside those of a microphone with a cable.

    :raises ModelError, SynthesisError, NoBrowserError: each in one sentence.
    """
    folders = listening(pack, options)
    recogniser, confidence = open_recogniser(pack, *folders), confidence_of(*folders)
    judge = scoring.judging(pack, confidence)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        chance = random.Random(options.seed)
        lines = corpus.lines(pack, options.count, 0, chance)[: options.count]
        voices = options.voices or corpus.voices(pack, folder)
        wired = corpus.speak(pack, lines, voices, options.seed, folder)
        yield f"Phone, {pack.name}; {len(wired)} moves of {', '.join(voices)}."

        def told(name: str, said: Sequence[CorpusUtterance]) -> str:
            found = count(
                hear(recogniser, pack, said, Surroundings(), freely=False),
                UtteranceKind.MOVE,
                judge,
            )
            parts = (f"{each.value} {found.get(each.value, 0)}" for each in ScoredOutcome)
            shown = ", ".join(part for part in parts if not part.endswith(" 0"))
            return f"{name}, {found['of']}: {shown}."

        yield told("with a cable", wired)
        ways = {
            "processing off": _through_phone(wired, folder),
            "processing on": _through_phone(wired, folder, processing=True),
            "150 kbit/s with 300 ms": _through_phone(wired, folder, slow=True),
        }
        for way, arrived in ways.items():
            said = _cut(wired, arrived.sound)
            yield told(f"through a phone, {way}", said)
            late = sorted(arrived.late_ms)
            yield (
                f"from the end of a packet to the table: median {statistics.median(late):.0f} ms, "
                f"95 % {late[len(late) * 95 // 100]} ms, longest {late[-1]} ms; a packet has "
                f"{BLOCK_MS} ms, and {FILLED_S * 1000:.0f} ms are filled. "
                f"{arrived.packed:.0%} of the packets came in fewer bits."
            )
        for share in _LOSSES:
            spoilt = [_lossy(one, share, number) for number, one in enumerate(wired)]
            whole = [one for one in spoilt if one is not None]
            yield told(f"{share:.0%} of the packets lost, holes filled", whole)
            yield f"  and {len(spoilt) - len(whole)} with more holes, which do not count."
        for name, change in _FEWER_BITS.items():
            yield told(name, [replace(one, sound=change(one.sound)) for one in wired])
        yield from _delays(pack, recogniser, wired[: max(4, options.count // 4)], folder)


def _track(said: Sequence[CorpusUtterance]) -> tuple[Samples, list[int]]:
    """All utterances, one after the other in a quiet room, and where each begins."""
    room = np.random.default_rng(1)
    parts, places, at = [room.normal(0, 6, int(_LEAD_S * RATE))], list[int](), int(_LEAD_S * RATE)
    for one in said:
        places.append(at)
        pause = room.normal(0, 6, int(_BETWEEN_S * RATE))
        parts += [one.sound, pause]
        at += len(one.sound) + len(pause)
    return np.concatenate(parts), places


@contextmanager
def _page(folder: Path, line: _KeptLine, *arguments: str, slow: bool = False) -> Iterator[Any]:
    """The phone's page, before it is used, in a browser that is started with these arguments.
    Without any, scripts speak into its microphone. ``slow``: its line is."""
    with ExitStack() as stack:
        game = Path(tempfile.mkdtemp(dir=folder)) / "game.jsonl"
        journal = stack.enter_context(Journal(game))
        table = Table(journal, Setup(t=0, arbiter="automatic", white=Player(impaired=True)))
        host = ConsoleHost(table, port=0, phones=line)
        stack.callback(host.close)
        page = stack.enter_context(chromium(*arguments)).new_page()
        if not arguments:
            page.add_init_script(_MOUTH)
        link = host.link("white").replace("127.0.0.1", "localhost")
        if slow:
            port = urlsplit(host.url).port or 0
            relay = stack.enter_context(closing(_SlowRelay(port, *_SLOW)))
            link = link.replace(f":{port}/", f":{relay.port}/")
        page.goto(link)
        page.locator("a[href=phone]").click()
        page.locator("#phone-start").wait_for()
        yield page


class _SlowRelay:
    """Passes connections on to ``port`` of this machine, so many ``bits`` in a second each way, and
    each byte ``delay_s`` later. Few bytes wait in it, as in a line."""

    def __init__(self, port: int, bits: int, delay_s: float) -> None:
        self._to, self._bits, self._delay_s = port, bits, delay_s
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen()
        self.port: int = self._listener.getsockname()[1]
        self._free = {"up": 0.0, "down": 0.0}
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._to))
                for way in ((near, far, "up"), (far, near, "down")):
                    threading.Thread(target=self._pass, args=way, daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, way: str) -> None:
        waiting: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()

        def give() -> None:
            with suppress(OSError):
                while True:
                    due, data = waiting.get()
                    time.sleep(max(0.0, due - time.monotonic()))
                    if not data:
                        sink.shutdown(socket.SHUT_WR)
                        return
                    sink.sendall(data)

        threading.Thread(target=give, daemon=True).start()
        data = b"-"
        while data:
            try:
                data = source.recv(1024)
            except OSError:
                data = b""
            with self._lock:
                free = max(self._free[way], time.monotonic()) + 8 * len(data) / self._bits
                self._free[way] = free
            waiting.put((free + self._delay_s, data))
            time.sleep(max(0.0, free - time.monotonic()))


def _through_phone(
    said: Sequence[CorpusUtterance], folder: Path, *, processing: bool = False, slow: bool = False
) -> _Arrived:
    track, _ = _track(said)
    file, line = folder / "track.wav", _KeptLine()
    file.write_bytes(wav(as_pcm(track)))
    arguments = (
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-audio-capture={file}%noloop",
    )
    with _page(folder, line, *arguments, slow=slow) as page:
        page.evaluate(
            "on => { document.getElementById('phone').dataset.processing = on ? 'yes' : 'no' }",
            processing,
        )
        page.locator("#phone-start").click()
        return line.wait(len(track) / RATE + 1)


def _delays(
    pack: Language, recogniser: AnyRecogniser, said: Sequence[CorpusUtterance], folder: Path
) -> Iterator[str]:
    """Yield how long after its end an utterance was recognised, with a cable and through a page
    that hears it at a known time."""
    cable = QueueSource()

    def push(pcm: bytes) -> float:
        began = time.monotonic()
        for at in range(0, len(pcm), BLOCK_BYTES):
            block = pcm[at : at + BLOCK_BYTES]
            time.sleep(max(0.0, began + (at + len(block)) / 2 / RATE - time.monotonic()))
            cable.push(block)
        return began

    with_cable = _recognised(pack, recogniser, said, cable, push)
    source = PhoneSource()
    with _page(folder, _KeptLine(source)) as page:
        page.locator("#phone-start").click()

        def play(pcm: bytes) -> float:
            began = time.monotonic()
            began += float(page.evaluate(_PLAY, base64.b64encode(wav(pcm)).decode())) / 1000
            time.sleep(max(0.0, began + len(pcm) / 2 / RATE - time.monotonic()))
            return began

        through_phone = _recognised(pack, recogniser, said, source, play)
    both = [
        (cabled, phoned)
        for cabled, phoned in zip(with_cable, through_phone, strict=True)
        if cabled is not None and phoned is not None
    ]
    if not both:
        yield "No move was recognised both ways."
        return
    more = sorted(1000 * (phoned - cabled) for cabled, phoned in both)
    cabled = statistics.median(one for one, _ in both)
    yield (
        f"From the end of speech to its recognition, {len(both)} moves: with a cable median "
        f"{cabled:.2f} s; through the page longer by {statistics.median(more):.0f} ms (median), "
        f"{more[-1]:.0f} ms (longest)."
    )


def _recognised(
    pack: Language,
    recogniser: AnyRecogniser,
    said: Sequence[CorpusUtterance],
    source: QueueSource,
    play: Callable[[bytes], float],
) -> list[float | None]:
    """The seconds from the end of each utterance until it was recognised; None if it was not.
    ``play`` plays it, and gives the monotonic time at which it began."""
    came: queue.SimpleQueue[float] = queue.SimpleQueue()
    room = as_pcm(np.random.default_rng(2).normal(0, 6, 3 * RATE))
    found: list[float | None] = []
    with Listener(recogniser, source, lambda heard: came.put(time.monotonic())) as listener:
        for one in said:
            expected = scoring.expectation(recogniser, pack, one.line.board)
            listener.listen_for(list(expected.phrases))
            loud = np.flatnonzero(np.abs(one.sound) > 0.05 * np.abs(one.sound).max())
            ended = play(as_pcm(one.sound) + room) + float(loud[-1]) / RATE
            try:
                found.append(came.get(timeout=_RECOGNISED_S) - ended)
            except queue.Empty:
                found.append(None)
            while not came.empty():  # it was taken for two
                came.get()
    return found


# A microphone into which a script speaks, and how: it tells after how many ms the sound began.
_MOUTH = """
    window.spoken = new AudioContext();
    window.mouth = new MediaStreamAudioDestinationNode(spoken);
    navigator.mediaDevices.getUserMedia = async () => mouth.stream.clone();
"""
_PLAY = """async (sound) => {
    const came = performance.now();
    const whole = Uint8Array.from(atob(sound), (one) => one.charCodeAt(0));
    const buffer = await spoken.decodeAudioData(whole.buffer);
    const source = new AudioBufferSourceNode(spoken, { buffer });
    source.connect(mouth);
    source.start();
    return performance.now() - came;
}"""


def _cut(said: Sequence[CorpusUtterance], pcm: bytes) -> list[CorpusUtterance]:
    """Find each utterance in what arrived."""
    heard, (_, places) = as_samples(pcm), _track(said)
    offset = _best(heard, said[0].sound, 0, len(heard)) - places[0]
    found = []
    for one, place in zip(said, places, strict=True):
        near = place + offset
        at = _best(heard, one.sound, near - int(_SEARCH_S * RATE), near + int(_SEARCH_S * RATE))
        offset = at - place
        found.append(replace(one, sound=heard[max(0, at) : at + len(one.sound)]))
    return found


def _best(heard: Samples, sound: Samples, first: int, last: int) -> int:
    """Where ``sound`` begins in ``heard``, between two places."""
    first = max(0, first)
    part = heard[first : last + len(sound)]
    size = 1 << (len(part) + len(sound)).bit_length()
    spectrum = np.fft.rfft(part, size) * np.conj(np.fft.rfft(sound, size))
    likeness = np.fft.irfft(spectrum, size)[: max(1, len(part) - len(sound) + 1)]
    return first + int(np.argmax(np.abs(likeness)))


def _lossy(one: CorpusUtterance, share: float, number: int) -> CorpusUtterance | None:
    """The utterance with lost packets; None if so many are that it does not count."""
    chance = random.Random(f"{share} {number}")
    pcm, source = as_pcm(one.sound), PhoneSource()
    for at in range(len(pcm) // BLOCK_BYTES):
        block = pcm[at * BLOCK_BYTES : (at + 1) * BLOCK_BYTES]
        if chance.random() >= share:
            source.take(bytes(SoundPacket(at, at * BLOCK_MS, block)))
    source.close()
    whole = b"".join(source)
    return None if source.lost_s else replace(one, sound=as_samples(whole))


def _mu_law(sound: Samples) -> Samples:
    """The sound after eight bits a sample of G.711."""
    x = np.clip(sound / 32768, -1, 1)
    packed = np.round(np.sign(x) * np.log1p(_MU * np.abs(x)) / np.log1p(_MU) * 127) / 127
    return np.asarray(np.sign(packed) * ((1 + _MU) ** np.abs(packed) - 1) / _MU * 32768)


def _adpcm(sound: Samples) -> Samples:
    """The sound after four bits a sample of IMA ADPCM, as a phone sends it over a slow line."""
    written = io.BytesIO()
    soundfile.write(
        written, np.frombuffer(as_pcm(sound), "<i2"), RATE, format="WAV", subtype="IMA_ADPCM"
    )
    written.seek(0)
    return np.asarray(soundfile.read(written, dtype="int16")[0][: len(sound)], np.float64)


def _eight_khz(sound: Samples) -> Samples:
    """The sound with half of the rate, and back."""
    spectrum = np.fft.rfft(sound)
    spectrum[len(spectrum) // 2 :] = 0
    return np.asarray(np.fft.irfft(spectrum, len(sound)))


_FEWER_BITS: Mapping[str, Callable[[Samples], Samples]] = {
    "8 bits, 16 kHz, 128 kbit/s": _mu_law,
    "4 bits, 16 kHz, 64 kbit/s": _adpcm,
    "16 bits, 8 kHz, 128 kbit/s": _eight_khz,
    "8 bits, 8 kHz, 64 kbit/s": lambda sound: _mu_law(_eight_khz(sound)),
}
