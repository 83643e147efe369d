"""The needs of speech, and whether they are met: one sentence per finding, with the remedy."""

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from blindplay.speech.audio import AudioError, level
from blindplay.speech.audio_devices import MicrophoneSource, devices, drain
from blindplay.speech.ensemble import Ensemble
from blindplay.speech.models.folders import ModelError, chosen_models, probe, verify
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.synthesis import Synthesiser, SynthesisError

SILENT_DBFS = -80.0
"""The level at or below which a microphone gives no sound at all."""
LOUD_DBFS = -6.0
"""The level above which a microphone distorts."""


_NEEDED = ("voices", "recogniser", "vocabulary", "models", "journal", "clock")


@dataclass(frozen=True)
class Diagnosis:
    """One finding: whether something is in order, and a sentence with the remedy if not."""

    ok: bool
    about: str
    """The subject in one word."""
    sentence: str
    shared: str | None = None
    """The sentence for other people, if ``sentence`` may contain a name: many devices are named
    after their owners."""

    @property
    def needed(self) -> bool:
        """True if no table can be run without it. Boards, a microphone and a loudspeaker can be
        absent: then people type, and the table prints."""
        return self.about in _NEEDED

    @property
    def verdict(self) -> str:
        """The words before the sentence."""
        return "Good" if self.ok else "Missing, and needed" if self.needed else "Missing"


good = partial(Diagnosis, True)
"""A finding that something is in order."""
missing = partial(Diagnosis, False)
"""A finding that something is missing or wrong."""


def examine(
    language: str,
    *,
    model: Path | None = None,
    words: Iterable[str] = (),
    microphone: str | None = None,
    seconds: float = 1.0,
    synthesiser: Synthesiser | None = None,
) -> list[Diagnosis]:
    """Return the findings on voices, recogniser, vocabulary, outputs and microphone.

    ``words`` are the phrases that must be recognised in a game. The microphone is recorded for
    ``seconds``. A missing part is a finding, never an exception.
    """
    return [
        _voices(language, synthesiser),
        *_recogniser(language, model, list(words)),
        _output(),
        _microphone(microphone, seconds),
    ]


def _voices(language: str, given: Synthesiser | None) -> Diagnosis:
    try:
        with nullcontext(given) if given else Synthesiser(language) as synthesiser:
            names = [voice.name for voice in synthesiser.voices(language)]
    except SynthesisError as error:
        return missing("voices", str(error))
    if names:
        return good("voices", f"Voices for {language!r}: {', '.join(names)}.")
    remedy = "install one in the system's speech settings"
    return missing("voices", f"There is no voice for {language!r}; {remedy}.")


def _recogniser(language: str, model: Path | None, words: list[str]) -> list[Diagnosis]:
    try:
        folders = chosen_models(language) if model is None else (model,)
    except ModelError as error:
        return [missing("recogniser", str(error))]
    found, loaded = [], []
    for folder in folders:
        try:
            probe(folder, language)
            loaded.append(Recogniser(folder, language, words=words))
        except ModelError as error:
            found.append(missing("recogniser", str(error)))
            continue
        count, files = len(loaded[-1].vocabulary), verify(folder)
        unchanged = f", and its {files} files are as they were installed" if files else ""
        sentence = f"The speech model in {folder} knows {count} words{unchanged}."
        found.append(good("recogniser", sentence))
    if not loaded:
        return found
    if unknown := ", ".join(Ensemble(loaded).unknown_words(words)):
        sentence = f"The speech model does not know {unknown}; use other words, or another model."
        found.append(missing("vocabulary", sentence))
    elif words:
        found.append(good("vocabulary", "The speech model knows every word needed."))
    return found


def _output() -> Diagnosis:
    found = devices().playback
    if not found:
        return missing("output", "There is no audio output; plug in a loudspeaker or an earphone.")
    return good("output", f"Audio outputs: {'; '.join(found)}.", f"Audio outputs: {len(found)}.")


def _microphone(device: str | None, seconds: float) -> Diagnosis:
    try:
        with MicrophoneSource(device) as source:
            heard = drain(source, seconds)
    except AudioError as error:
        return missing("microphone", str(error), "No microphone can be recorded.")
    loud = level(heard)
    if not heard or loud <= SILENT_DBFS:
        return missing("microphone", "The microphone gives no sound; switch it on and turn it up.")
    if loud > LOUD_DBFS:
        return missing("microphone", f"The microphone is too loud ({loud:.0f} dB); turn it down.")
    return good("microphone", f"The microphone hears the room at {loud:.0f} dB.")
