"""What test_session_by_voice.py runs in a process of its own: a game through real audio devices.

`python -m tests.table.game_by_voice NAME FOLDER` starts a sound server (see device_scenarios) whose
null sink is the air of a playing hall: two players, other people, the table's own loudspeaker and
the noise of the hall sound in it, and the table's microphone, which both players share, hears it
all. Everybody is real but the people. It prints what happened as one line of JSON.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import chess
import numpy as np
from numpy.typing import NDArray

from blindplay.language import Language, load
from blindplay.laws import Ruling
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.laws.state import OTHER
from blindplay.record import Journal, read_journal
from blindplay.speech.audio import read_audio
from blindplay.speech.audio_devices import DeviceSink, MicrophoneSource
from blindplay.speech.endpointing import MicrophoneMode
from blindplay.speech.models.folders import find_model
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.speaker import Outcome, Output, Part, Sound, Speaker, Voicing
from blindplay.speech.synthesis import Synthesiser
from blindplay.table import Table
from blindplay.table.desk import Transcript
from blindplay.table.play import ECHO_SECONDS
from blindplay.table.session import Session
from tests.speech.device_scenarios import SoundServer, go_before_others, until

RATE = DeviceSink.DEVICE_RATE
VOICES = {"white": "de", "black": "de+m3", "guest": "de+f4"}
HALL_VOICES = ("de+f1", "de+m1", "de+m5", "de+f3", "de+m7")
HALL_TALK = (
    "Am Wochenende fahren wir mit dem Zug nach Hamburg und besuchen die Großeltern",
    "Das Buffet ist heute besser als im letzten Jahr, finde ich jedenfalls",
    "Wir haben in der ersten Runde ein halbes Stündchen auf die Auslosung gewartet",
    "Mein Trainer sagt immer, man muss nur lange genug sitzen bleiben",
    "Draußen regnet es schon wieder, und ich habe den Schirm vergessen",
)
TALK = (
    "Wollen wir nachher noch einen Kaffee trinken gehen",
    "Der Kellner bringt gleich noch zwei Gläser Wasser",
    "Hast du gestern Abend das Spiel im Fernsehen gesehen",
)
SPEECH_DB = -22.0
NOISE_DB = SPEECH_DB - 18.0
FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
AFTER_F3_E5 = "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2"
SCHOLARS_MATE = ("e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7")
PATIENCE_S = 20.0  # so long a player waits for an answer, of a loaded machine, too
RATES = (160, 140, 120, 180) * 3  # who is not understood says it again, more slowly
QUESTION = ". Richtig?"

Samples = NDArray[np.float64]


def at_level(samples: Samples, decibels: float) -> Samples:
    """The sound with this loudness in dBFS, its pauses left out of account."""
    loud = np.abs(samples) > 0.05 * np.abs(samples).max()
    power = float(np.mean(samples[loud] ** 2))
    return np.asarray(samples * (10 ** (decibels / 20) / np.sqrt(power)))


def pcm_of(samples: Samples) -> bytes:
    return np.round(np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()


def pink(seconds: float, seed: int = 5) -> Samples:
    """Noise whose power falls by 3 dB an octave, as that of a room does."""
    count = int(seconds * RATE)
    spectrum = np.fft.rfft(np.random.default_rng(seed).normal(size=count))
    spectrum[1:] /= np.sqrt(np.arange(1, len(spectrum)))
    spectrum[: int(20 * seconds)] = 0
    return np.asarray(np.fft.irfft(spectrum, count))


def dull(samples: Samples, hertz: float = 3000.0) -> Samples:
    """The sound with less and less above a frequency, 12 dB an octave."""
    spectrum = np.fft.rfft(samples)
    frequencies = np.fft.rfftfreq(len(samples), 1 / RATE)
    softer = spectrum / np.sqrt(1 + (frequencies / hertz) ** 4)
    return np.asarray(np.fft.irfft(softer, len(samples)))


class Voices:
    """What people say, as sound at the loudness of speech."""

    def __init__(self, synthesiser: Synthesiser) -> None:
        self._synthesiser = synthesiser

    def say(self, words: str, voice: str, *, rate: int = 150, mumbled: bool = False) -> Samples:
        """Words of one voice, as loud as people speak; a mumbled one is dull and softer."""
        path = self._synthesiser.render(words, voice=voice, rate=rate)
        samples = np.frombuffer(read_audio(path, RATE), "<i2") / 32768
        return at_level(dull(samples) if mumbled else samples, SPEECH_DB - 3 * mumbled)

    def hall(self, seconds: float = 15.0) -> Samples:
        """The hall: pink noise and people who talk all at once, a loop that goes on anywhere."""
        count = int(seconds * RATE)
        talk = np.zeros(count)
        for number, voice in enumerate(HALL_VOICES):
            words = (HALL_TALK[number:] + HALL_TALK[:number])[:3]
            said = np.concatenate([self.say(one, voice, rate=130 + 12 * number) for one in words])
            talk += np.roll(np.resize(said, count), number * RATE)
        return at_level(at_level(talk, -20) + at_level(pink(seconds), -20), NOISE_DB)


def into_the_air(file: Path) -> subprocess.Popen[bytes]:
    """Let a file of raw sound be heard, from a process of its own."""
    return subprocess.Popen(
        [
            *("pacat", "--playback", "--raw", "--device=table", "--channels=1"),
            *("--format=s16le", f"--rate={RATE}", str(file)),
        ]
    )


@contextmanager
def noise(voices: Voices, folder: Path) -> Iterator[None]:
    """Fill the air with the noise of the hall."""
    file = folder / "hall.raw"
    file.write_bytes(pcm_of(voices.hall()) * 24)
    playing = into_the_air(file)
    try:
        yield
        if playing.poll() is not None:
            raise RuntimeError("The hall fell silent before the game was over.")
    finally:
        playing.kill()
        playing.wait()


def plug_microphone(name: str) -> str:
    """Plug in a microphone that hears what is in the air; return the number to unplug it by."""
    told = subprocess.run(
        [
            *("pactl", "load-module", "module-remap-source", "master=table.monitor"),
            *(f"source_name={name}", f"source_properties=device.description={name}"),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    return told.stdout.strip()


class Log(io.StringIO):
    """The lines of the table, each there as soon as it is printed."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def write(self, text: str) -> int:
        if text.strip():
            print(text.strip(), file=sys.stderr, flush=True)  # shown where a test fails
            self.lines.append(text.split(" ", 1)[1] if text[:1].isdigit() else text)
        return len(text)


class Told(Speaker):
    """A speaker that knows what has really been spoken, and how often."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self.spoken: list[tuple[str, Outcome]] = []
        super().__init__(*arguments, **named)

    def say(
        self,
        words: str | Sequence[Part],
        *,
        to: Output,
        on_done: Callable[[Outcome], None] | None = None,
        on_spoken: Callable[[bytes, int], None] | None = None,
        sound: Callable[[], Sound] | None = None,
    ) -> None:
        def done(outcome: Outcome) -> None:
            text = words if isinstance(words, str) else "".join(part for part, _ in words)
            self.spoken.append((text, outcome))

        super().say(words, to=to, on_done=done, on_spoken=on_spoken, sound=sound)


class Hall:
    """A table in a hall with its two players."""

    def __init__(
        self,
        stack: ExitStack,
        folder: Path,
        *,
        microphone: str | None = None,
        seats: Sequence[str] = ("white",),
        shared: bool = False,
        fen: str = chess.STARTING_FEN,
    ) -> None:
        self.pack: Language = load("de")
        self.log = Log()
        self.utterances: Counter[str] = Counter()
        self.questions = 0
        synthesiser = stack.enter_context(
            Synthesiser("de", cache=folder / "phrases", spellings=self.pack.spoken)
        )
        self.voices = Voices(synthesiser)
        stack.enter_context(noise(self.voices, folder))
        self._mouth = folder / "speech.raw"
        own = DeviceSink()
        stack.callback(own.close)
        self.speaker = Told(synthesiser, own, own, on_error=self.log.lines.append)
        self.speaker.voicing = Voicing(rate=300)
        journal = stack.enter_context(Journal(folder / "game.jsonl"))
        setup = Setup(
            t=0,
            time_control="900+10",
            arbiter="automatic",
            white=Player(name="Anna Weiß", impaired=True),
            black=Player(name="Bernd Schwarz"),
            fen=fen,
        )
        self.table = Table(journal, setup)
        self.session = Session(
            self.table,
            self.pack,
            self.speaker,
            Transcript(self.log, self.table.time),
            echo_seconds=ECHO_SECONDS,
        )
        stack.callback(self.session.close)
        recogniser = Recogniser(find_model("de"), "de", spellings=self.pack.spoken)
        self.listeners = {
            seat: self.session.attach_microphone(
                seat, MicrophoneSource(microphone), recogniser, shared=shared
            )
            for seat in seats
        }
        time.sleep(2)  # a microphone learns how loud the hall is
        self.table.submit(f.Start())

    # --- people ----------------------------------------------------------------------------

    def sound(self, who: str, words: str, **how: Any) -> None:
        """Somebody says words into the air when the table is silent."""
        self.session.wait_until_said()
        time.sleep(0.25)
        self.utterances[who] += 1
        self.session.transcript.line(f"{who} speaks: {words}")
        self._play(who, self.voices.say(words, VOICES[who], **how))

    def _play(self, who: str, samples: Samples) -> None:
        mode = self.listeners["white"].listener._endpointer.listening
        if who == "white" and mode is MicrophoneMode.PUSH_TO_TALK:
            self.session.talk("white")
        self._mouth.write_bytes(pcm_of(samples))
        into_the_air(self._mouth).wait()

    def speak(self, who: str, words: str, answer: str, *, meant: str = "", **how: Any) -> Ruling:
        """Say words until the table rules `answer` to them; when asked whether `meant` (the words
        themselves) was said, answer truly."""
        for rate in RATES:
            since, mark = len(self.session.rulings), len(self.log.lines)
            self.sound(who, words, rate=rate, **how)
            reply = self._reply(answer, since, mark)
            for _ in RATES:
                if not isinstance(reply, str) or not reply.endswith(QUESTION):
                    break
                right = reply.removesuffix(QUESTION).casefold() == (meant or words).casefold()
                self.questions += 1
                mark = len(self.log.lines)
                self.sound(who, "ja" if right else "nein")
                reply = self._reply(answer, since, mark)
            if isinstance(reply, Ruling):
                return reply
        raise RuntimeError(f"{who} was not understood: {words}")

    def _reply(self, answer: str, since: int, mark: int) -> Ruling | str | None:
        """The ruling, or what the table says instead of it; None if it stays silent."""

        def ruled() -> Ruling | None:
            return next((r for r in self.session.rulings[since:] if r.kind == answer), None)

        until(lambda: ruled() or self.said_since(mark), PATIENCE_S)
        until(ruled, 0.3)  # a ruling is told a moment after it was spoken of
        return ruled() or next(iter(self.said_since(mark)), None)

    def said_since(self, mark: int) -> list[str]:
        """What the table has said since its log had `mark` lines."""
        return [
            line.split(": ", 1)[1].strip()
            for line in self.log.lines[mark:]
            if line.startswith("said ")
        ]

    # --- a game ----------------------------------------------------------------------------

    def words(self, uci: str) -> str:
        return self.pack.announce(self.table.game.board, chess.Move.from_uci(uci))

    def announce(self, uci: str) -> None:
        """The player on move announces."""
        self.speak(self.table.game.side, self.words(uci), "announced")

    def repeat(self, uci: str) -> None:
        """The opponent repeats."""
        self.speak(OTHER[self.table.game.side], self.words(uci), "repeated")

    def execute(self, uci: str) -> None:
        """Both execute the move, and the player presses his clock."""
        side = self.table.game.side
        for by in (side, OTHER[side]):
            if not self.table.game.over:
                self.table.submit(f.Make(by=by, move=uci))
        if not self.table.game.over:
            self.table.submit(f.Press(by=side))

    def play(self, uci: str) -> None:
        """Announce, repeat, execute and press."""
        self.announce(uci)
        self.repeat(uci)
        self.execute(uci)

    def play_with_keys(self, uci: str) -> None:
        """The same where only White has a microphone: what Black says is in the air all the same,
        and he types it."""
        words = self.words(uci)
        if self.table.game.side == "white":
            self.announce(uci)
            self.sound("black", words)
            time.sleep(1.5)  # until it would have been taken for something
            self.session.typed("black", words)
            self.execute(uci)
        else:
            self.sound("black", words)
            self.session.typed("black", words)  # which executes it, too
            if not self.table.game.over:
                self.repeat(uci)
                self.table.submit(f.Press(by="black"))

    def chat(self, *sentences: str) -> None:
        """Somebody beside the table talks about something else."""
        for words in sentences:
            self.sound("guest", words, rate=150)
        time.sleep(1.5)  # until it has been decided about

    def observed(self) -> dict[str, Any]:
        """What the tests look at, once all has been said."""
        self.session.wait_until_said()
        game = self.table.game
        return {
            "log": self.log.lines,
            "spoken": [(words, outcome.name) for words, outcome in self.speaker.spoken],
            "utterances": self.utterances,
            "questions": self.questions,
            "facts": [
                taken.fact.to_json()
                for taken in self.table.log
                if not any(ruling.kind == "refused" for ruling in taken.rulings)
            ],
            "moves": [ply.move.uci() for ply in game.history],
            "result": game.result,
        }


# --- scenarios -----------------------------------------------------------------------------


def whole_game(server: SoundServer, folder: Path) -> dict[str, Any]:
    """One microphone for both players, and all that goes wrong in a real hall."""
    with ExitStack() as stack:
        hall = Hall(stack, folder, shared=True)
        hall.speak("white", "wie viel Zeit habe ich noch", "answer")
        hall.speak("white", "Turm Anna eins Anna vier", "refused")
        loosely = "Bauer Felix zwei geht auf Felix drei"
        hall.speak("white", loosely, "announced", meant=hall.words("f2f3"), mumbled=True)
        hall.repeat("f2f3")
        hall.execute("f2f3")
        hall.chat(TALK[0])
        hall.announce("e7e5")
        hall.execute("e7e5")
        hall.announce("g2g3")
        g4 = hall.words("g2g4")
        hall.speak("white", f"Korrektur {g4}", "slip_corrected", meant=g4)
        hall.repeat("g2g4")
        hall.execute("g2g4")
        hall.play("d8h4")
        return hall.observed()


def own_microphone(server: SoundServer, folder: Path) -> dict[str, Any]:
    """Only White has a microphone: first always open, then pulled out while he speaks, then with
    a talk button. The opponent types, and all that he says aloud is in the air, too."""
    with ExitStack() as stack:
        number = plug_microphone("Headset")
        hall = Hall(stack, folder, microphone="Headset", fen=AFTER_F3_E5)
        cut_off = threading.Timer(1.4, server.unplug, [number])
        cut_off.start()
        hall.sound("white", hall.words("g2g4"))
        cut_off.join()
        gone = until(lambda: hall.pack.sentence("microphone_gone") in hall.said_since(0))
        plug_microphone("Headset")
        back = until(lambda: hall.pack.sentence("microphone_back") in hall.said_since(0))
        hall.listeners["white"].listener._endpointer.listening = MicrophoneMode.PUSH_TO_TALK
        hall.chat(hall.words("g2g3"))
        hall.play_with_keys("g2g4")
        hall.play_with_keys("d8h4")
        return {"gone": gone, "back": back, **hall.observed()}


def two_microphones(server: SoundServer, folder: Path) -> dict[str, Any]:
    """A microphone for each player, and each hears them both: a longer game, hall and all."""
    with ExitStack() as stack:
        hall = Hall(stack, folder, seats=("white", "black"))
        for number, uci in enumerate(SCHOLARS_MATE):
            hall.chat(TALK[number % len(TALK)])
            if uci == "f1c4":
                hall.announce("f1b5")
                hall.speak("white", f"Korrektur {hall.words(uci)}", "slip_corrected")
            else:
                hall.announce(uci)
            hall.repeat(uci)
            hall.execute(uci)
            if uci == "b8c6":
                hall.speak("white", "Läufer Cäsar vier Gustav acht", "refused")
        return hall.observed()


SCENARIOS = {
    scenario.__name__: scenario for scenario in (whole_game, own_microphone, two_microphones)
}


def main() -> None:
    """Run the scenario the command line names in the folder it names."""
    name, folder = sys.argv[1], Path(sys.argv[2])
    go_before_others()
    with SoundServer(folder) as server:
        observed = SCENARIOS[name](server, folder)
        written = [fact.to_json() for fact in read_journal(folder / "game.jsonl").facts]
        assert [fact for fact in written if fact in observed["facts"]] == observed["facts"]
        print(json.dumps(observed), flush=True)


if __name__ == "__main__":
    main()
