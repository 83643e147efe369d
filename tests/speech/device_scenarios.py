"""The scenarios of test_audio_devices_real.py: each runs in a process with a sound server.

`python -m tests.speech.device_scenarios NAME FOLDER` starts a PulseAudio daemon whose only output
is a null sink and whose microphone is that sink's monitor, so that the microphone hears the output.
It prints the observations as one line of JSON.
"""

import json
import os
import queue
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from blindplay.opponents.distant.voices import Voices
from blindplay.speech.audio import AudioError, level, read_wav
from blindplay.speech.audio_devices import AudioDevices, DeviceSink, MicrophoneSource, devices
from blindplay.speech.listener import Listener
from blindplay.speech.models.folders import find_model
from blindplay.speech.recogniser import Recogniser, Recognition
from blindplay.speech.speaker import Outcome, Output, Speaker
from blindplay.speech.synthesis import Synthesiser
from tests import waiting
from tests.speech.conftest import COMMANDS, MOVES, taken

SAID = ["springer gustav eins felix drei", "bauer eva zwei eva vier", "bauer david zwei david drei"]
LOUD_DB = -50.0  # the null sink's silence is digital: -96 dB
PATIENCE_S = 60.0
ATTEMPTS = 12
"""How often something is said at most. A busy machine loses pieces of the sound, so what was not
understood is said again, as at a table. How often that is needed is for the benchmarks."""
PAUSE_S = 1.5  # longer than the pause that ends an utterance


class SoundServer:
    """A PulseAudio daemon of our own in `folder`, used by this process alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._socket = folder / "native"
        self._log = folder / "log"
        self._script = folder / "devices.pa"
        self._script.write_text(
            "load-module module-null-sink sink_name=table rate=48000 channels=1\n"
            "set-default-sink table\n"
            "set-default-source table.monitor\n"
            f"load-module module-native-protocol-unix auth-anonymous=1 socket={self._socket}\n"
        )
        os.environ.update(
            HOME=str(folder),
            XDG_RUNTIME_DIR=str(folder),
            XDG_CONFIG_HOME=str(folder),
            PULSE_SERVER=f"unix:{self._socket}",
        )
        self._daemon: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()

    def start(self) -> None:
        """Plug the devices in. Raises RuntimeError with the daemon's log if it does not run."""
        self._socket.unlink(missing_ok=True)
        with self._log.open("wb") as log:
            self._daemon = subprocess.Popen(
                [
                    *("pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no"),
                    # If this process dies, the daemon ends soon after its last client.
                    *("--exit-idle-time=60", "--disable-shm", "--log-target=stderr"),
                    *("-F", str(self._script)),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        limit = time.monotonic() + PATIENCE_S
        while not self._socket.exists() or not devices().playback:
            if self._daemon.poll() is not None or time.monotonic() > limit:
                raise RuntimeError(f"pulseaudio does not run: {self._log.read_text()}")
            time.sleep(0.05)

    def plug(self, name: str, rate: int) -> str:
        """Plug in a stereo headset whose microphone hears its own output; return its number."""
        told = subprocess.run(
            [
                *("pactl", "load-module", "module-null-sink", f"sink_name={name}"),
                *(f"rate={rate}", "channels=2", "format=float32le"),
                f"sink_properties=device.description={name}",
            ],
            check=True,
            capture_output=True,
            text=True,
        )
        return told.stdout.strip()

    def unplug(self, number: str) -> None:
        """Pull a headset out."""
        subprocess.run(["pactl", "unload-module", number], check=True)

    def kill(self) -> None:
        """Pull out all devices at once."""
        if self._daemon is not None:
            self._daemon.kill()
            self._daemon.wait()


class Table:
    """One speaker and one listener at the real devices, and their results."""

    def __init__(self, folder: Path, *, half_duplex: bool) -> None:
        self.heard: list[Recognition] = []
        self.listener_errors: list[str] = []
        self.back = 0  # how often the microphone was there again
        self.speaker_errors: list[str] = []
        self.synthesiser = Synthesiser("de", cache=folder / "phrases")
        self.sink = DeviceSink()
        self.recogniser = Recogniser(find_model("de"), "de")
        self.speaker = Speaker(
            self.synthesiser, self.sink, self.sink, on_error=self.speaker_errors.append
        )
        self.listener = self.new_listener()
        if half_duplex:
            self.speaker.on_speaking(
                lambda now: self.listener.mute() if now else self.listener.unmute()
            )

    def new_listener(self, microphone: str | None = None) -> Listener:
        """Return a started listener at a microphone."""
        listener = Listener(
            self.recogniser,
            MicrophoneSource(microphone),
            self.heard.append,
            phrases=MOVES + COMMANDS,
            on_error=self.listener_errors.append,
            on_back=self._is_back,
        )
        listener.start()
        return listener

    def _is_back(self) -> None:
        self.back += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.speaker.close()
        self.listener.close()
        self.sink.close()
        self.synthesiser.close()

    def say(self, words: str) -> Outcome | None:
        """Announce `words` and return what became of it; None if that took too long."""
        outcomes: list[Outcome] = []
        self.speaker.say(words, to=Output.PUBLIC, on_done=outcomes.append)
        self.speaker.wait(PATIENCE_S)
        return outcomes[0] if outcomes else None

    def decided(self) -> list[str | None]:
        """Return the phrases that were recognised so far."""
        return [taken(recognition, MOVES + COMMANDS) for recognition in self.heard]


def until(condition: Callable[[], object], seconds: float = PATIENCE_S) -> bool:
    """Wait until `condition` holds; return False after `seconds`."""
    return bool(waiting.until(condition, seconds))


def again(say: Callable[[], list[Any]], words: str) -> list[Any]:
    """Call ``say``, which returns what was heard, until that is ``words``."""
    for _ in range(ATTEMPTS):
        heard = say()
        if heard == [words]:
            break
    return heard


def go_before_others() -> None:
    """Let this process and what it starts run first, where that is allowed: sound cannot wait, and
    on a busy machine pieces of words would be missing."""
    if sys.platform == "linux":
        with suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


def understood(server: SoundServer, folder: Path) -> dict[str, Any]:
    """Announce moves and hear them, also by the devices' names."""
    found: AudioDevices = devices()
    outcomes = []
    with Table(folder, half_duplex=False) as table:

        def announce(words: str) -> list[str | None]:
            table.heard.clear()
            outcomes.append(str(table.say(words)))
            until(lambda: table.heard)
            return table.decided()

        heard = [again(lambda words=words: announce(words), words) for words in SAID]  # type: ignore[misc]
    by_name = DeviceSink(found.playback[0][:4].upper())
    with MicrophoneSource(found.capture[0]) as microphone:
        named = len(next(iter(microphone)))
    by_name.close()
    return {
        "playback": found.playback,
        "capture": found.capture,
        "outcomes": outcomes,
        "heard": heard,
        "named": named,
    }


def stopped(server: SoundServer, folder: Path) -> dict[str, Any]:
    """Stop a tone several times. Measure when it is heard after `play`, and until when after the
    stop."""
    blocks: list[tuple[float, float]] = []
    tone = (8000 * np.sin(np.arange(DeviceSink.DEVICE_RATE * 5) * 2 * np.pi * 440 / 48_000)).astype(
        "<i2"
    )
    begins, returns, silences, wholes = [], [], [], []
    sink = DeviceSink()
    with MicrophoneSource() as microphone:

        def pull() -> None:
            blocks.extend((time.monotonic(), level(block)) for block in microphone)

        thread = threading.Thread(target=pull, daemon=True)
        thread.start()
        # A new null sink takes up to two seconds to begin.
        sink.play(bytes(2 * 480), DeviceSink.DEVICE_RATE, threading.Event())
        for _ in range(5):
            time.sleep(0.6)
            blocks.clear()
            stop, asked = threading.Event(), [0.0]

            def end(stop: threading.Event = stop, asked: list[float] = asked) -> None:
                asked[0] = time.monotonic()
                stop.set()

            timer = threading.Timer(0.7, end)
            timer.start()
            began = time.monotonic()
            wholes.append(sink.play(tone.tobytes(), DeviceSink.DEVICE_RATE, stop))
            returns.append(time.monotonic() - asked[0])
            time.sleep(0.6)
            loud = [at for at, loudness in list(blocks) if loudness > LOUD_DB]
            begins.append(loud[0] - began)
            silences.append(max(0.0, loud[-1] - asked[0]))
    thread.join(PATIENCE_S)
    # Another rate than the device's takes its true time, too.
    began = time.monotonic()
    whole = sink.play(bytes(2 * 22_050 // 2), 22_050, threading.Event())
    took = time.monotonic() - began
    sink.close()
    return {
        "wholes": wholes,
        "begin_median": statistics.median(begins),
        "return_max": max(returns),
        "silence_median": statistics.median(silences),
        "silence_max": max(silences),
        "half_second_whole": whole,
        "half_second_took": took,
    }


def half_duplex(server: SoundServer, folder: Path) -> dict[str, Any]:
    """Announce with the listener muted, then let another voice speak into the same room."""
    with Table(folder, half_duplex=True) as table:
        own = [str(table.say(words)) for words in SAID]
        time.sleep(PAUSE_S)
        own_heard = [recognition.words for recognition in table.heard]
        pcm, rate = read_wav(table.synthesiser.render(SAID[0], voice="de+f2"))

        def answer() -> list[str | None]:
            table.heard.clear()
            opponent = DeviceSink()
            opponent.play(pcm, rate, threading.Event())
            until(lambda: table.heard)
            opponent.close()
            return table.decided()

        return {"own": own, "own_heard": own_heard, "heard": again(answer, SAID[0])}


def unplugged(server: SoundServer, folder: Path) -> dict[str, Any]:
    """Pull everything out in the middle of an announcement, and plug it in again."""
    with Table(folder, half_duplex=False) as table:
        table.say(SAID[0])  # the devices run
        outcomes: list[Outcome] = []
        table.speaker.say(SAID[0], to=Output.PUBLIC, on_done=outcomes.append)
        until(lambda: table.speaker.speaking)
        time.sleep(0.3)
        server.kill()
        until(lambda: table.speaker_errors and table.listener_errors)
        while_gone = str(table.say(SAID[1]))
        try:
            with MicrophoneSource():
                opened = ""
        except AudioError as error:
            opened = str(error)
        errors = list(table.speaker_errors)
        table.heard.clear()
        server.start()
        back = until(lambda: table.back)
        outcome: list[str] = []

        def announce() -> list[str | None]:
            table.heard.clear()
            outcome[:] = [str(table.say(SAID[0]))]
            until(lambda: table.heard)
            return table.decided()

        heard_again = again(announce, SAID[0])
        return {
            "outcome": [str(outcome) for outcome in outcomes],
            "speaker_errors": errors,
            "listener_errors": table.listener_errors,
            "while_gone": while_gone,
            "microphone_while_gone": opened,
            "back": back,
            "again": outcome[0],
            "heard_again": heard_again,
        }


def replugged(server: SoundServer, folder: Path) -> dict[str, Any]:
    """Pull out the headset a player speaks into, by name and as the default, and plug it in."""
    observed: dict[str, Any] = {}
    number = server.plug("Headset", 44_100)
    with Table(folder, half_duplex=False) as table:
        pcm, rate = read_wav(table.synthesiser.render(SAID[0]))

        def once(device: str | None, seconds: float = PATIENCE_S) -> list[str]:
            table.heard.clear()
            mouth = DeviceSink(device)
            mouth.play(pcm, rate, threading.Event())
            until(lambda: table.heard, seconds)
            mouth.close()
            return [recognition.words for recognition in table.heard]

        def speak(device: str | None) -> list[str]:
            return again(lambda: once(device), SAID[0])

        table.listener.close()
        table.listener = table.new_listener("Headset")
        observed["stereo"] = speak("Headset")
        server.unplug(number)
        until(lambda: table.listener_errors)
        time.sleep(2)  # it is looked for meanwhile
        observed["back_while_gone"] = table.back
        number = server.plug("Headset", 48_000)
        observed["back"] = until(lambda: table.back > 0)
        observed["again"] = speak("Headset")
        observed["errors"] = list(table.listener_errors)
        table.listener.close()
        subprocess.run(["pactl", "set-default-source", "Headset.monitor"], check=True)
        table.listener = table.new_listener()
        observed["default"] = speak("Headset")
        server.unplug(number)
        # Whether the server moves the stream or ends it, another microphone is listened to.
        observed["other"] = again(lambda: once(None, PAUSE_S), SAID[0])
    return observed


def talked(server: SoundServer, folder: Path) -> dict[str, Any]:
    """A tone in one player's microphone goes through Opus into the other one's earphone."""
    server.plug("Headset", 48_000)
    tone = (8000 * np.sin(np.arange(48_000 * 30) * 2 * np.pi * 440 / 48_000)).astype("<i2")
    near = Voices(lambda message: far.on_message(message))
    answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    far = Voices(answers.put)

    def answer() -> None:
        while True:
            near.on_message(answers.get())

    threading.Thread(target=answer, daemon=True).start()
    near.carried = far.carried = True
    mouth, earphone = DeviceSink(), DeviceSink("Headset", beside=far.give)
    stop = threading.Event()
    threading.Thread(target=mouth.play, args=(tone.tobytes(), 48_000, stop), daemon=True).start()
    pitches: list[float] = []
    with (
        MicrophoneSource(also=near.hear) as microphone,
        MicrophoneSource("Headset") as hears,
    ):
        threading.Thread(target=lambda: list(microphone), daemon=True).start()
        blocks = iter(hears)
        limit = time.monotonic() + PATIENCE_S
        while time.monotonic() < limit and sum(abs(one - 440) < 30 for one in pitches) < 10:
            pcm = next(blocks)
            power = np.abs(np.fft.rfft(np.frombuffer(pcm, "<i2")))
            if level(pcm) > LOUD_DB:
                pitches.append(float(np.argmax(power)) * 25)
    stop.set()
    mouth.close()
    earphone.close()
    return {"pitches": pitches}


def late(server: SoundServer, folder: Path) -> dict[str, Any]:
    """Fetch sound a second late. Other work of the machine may hold up either device once; a second
    that is wrongly counted as lost is so each time."""
    for _attempt in range(3):
        found = _fetched_late()
        if abs(found["told"] - found["lost"]) < 0.7 + found["stalled"]:
            break
    return found


def _fetched_late() -> dict[str, Any]:
    """A tone that rises tells which sound came."""
    rise, length = 250.0, 20  # Hz a second, seconds
    seconds = np.arange(DeviceSink.DEVICE_RATE * length) / DeviceSink.DEVICE_RATE
    tone = 8000 * np.sin(2 * np.pi * (500 + rise * seconds / 2) * seconds)
    heard: list[float] = []
    came: list[float] = []  # when each block came, in seconds
    waits = [1.0]

    def place(block: bytes) -> float:
        samples = np.frombuffer(block, "<i2") * np.hanning(len(block) // 2)
        highest = np.argmax(np.abs(np.fft.rfft(samples, 8192)))
        return float((highest * 16_000 / 8192 - 500) / rise)

    def fetch_late(block: bytes) -> None:
        came.append(time.monotonic())
        if len(heard) > 50 and waits:
            time.sleep(waits.pop())

    mouth, stop = DeviceSink(), threading.Event()
    with MicrophoneSource(also=fetch_late) as microphone:
        play = (tone.astype("<i2").tobytes(), DeviceSink.DEVICE_RATE, stop)
        threading.Thread(target=mouth.play, args=play, daemon=True).start()
        for block in microphone:
            if level(block) > LOUD_DB:
                heard.append(place(block))
            if len(heard) > 150:
                break
        stop.set()
        told = microphone.lost_s
    mouth.close()
    heard = heard[1:]
    stalled = sum(gap for gap in np.diff(came) if gap > 0.2) - 1.0  # by other work of the machine
    lost = heard[-1] - heard[0] - 0.04 * (len(heard) - 1)
    return {"lost": lost, "told": told, "stalled": max(0.0, float(stalled))}


SCENARIOS = {
    scenario.__name__: scenario
    for scenario in (understood, stopped, half_duplex, unplugged, replugged, talked, late)
}


def main() -> None:
    """Run the scenario NAME in FOLDER."""
    name, folder = sys.argv[1], Path(sys.argv[2])
    go_before_others()
    with SoundServer(folder) as server:
        print(json.dumps(SCENARIOS[name](server, folder)), flush=True)


if __name__ == "__main__":
    main()
