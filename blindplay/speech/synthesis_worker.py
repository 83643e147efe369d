"""The worker process of the synthesiser, which runs pyttsx3 and SVOX Pico: JSON lines in and out.

pyttsx3 must be initialised and run in one thread, its run loop may hang, and it prints to standard
output. In a process of its own it can be silenced, killed and started again.

Requests: ``{"do": "voices"}`` and ``{"do": "render", "text", "phonemes", "language", "voice",
"rate", "public", "file"}``, where ``phonemes`` is the text for espeak, with some words as
``[[phonemes]]``; answers ``{"voices": [...]}``, ``{"file": ...}`` or ``{"error": sentence}``.
"""

import contextlib
import ctypes
import json
import os
import re
import sys
import time
import wave
from pathlib import Path
from typing import Any

from blindplay.translation import UserError, _, packed

_ESPEAK_PHONEMES = 0x100  # espeakPHONEMES of speak_lib.h
_PICO = "pico-"  # begins the ids of Pico's voices
PICO_RATE = 16_000
"""Samples per second of Pico's sound."""
_USUAL = 160  # words a minute; Pico at its own speed speaks as fast as espeak does at this rate


def _load_espeak() -> Path | None:
    """Let pyttsx3 find the espeak-ng of the espeakng_loader package.

    Return the folder of espeak's data; None where the package is not installed (Windows, macOS),
    and pyttsx3 uses the system's own voices.
    """
    if not sys.platform.startswith("linux"):
        return None
    try:
        import espeakng_loader
    except ImportError:
        return None
    library = Path(espeakng_loader.get_library_path())
    data = Path(espeakng_loader.get_data_path())
    # pyttsx3 loads a library of this name; one that is loaded already needs no path.
    named = library.with_name("libespeak-ng.so.1")
    try:
        ctypes.CDLL(str(named if named.exists() else library), mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return None
    os.environ["ESPEAK_DATA_PATH"] = str(data)
    return data


def _take_phonemes() -> None:
    """Let espeak read ``[[phonemes]]`` in a text: pyttsx3 does not ask it to."""
    from pyttsx3.drivers import _espeak

    plain = _espeak.Synth
    _espeak.Synth = lambda text, *, flags: plain(text, flags=flags | _ESPEAK_PHONEMES)


def primary(tag: str) -> str:
    """Return the language of a tag such as "en-GB" or "en_us", in small letters."""
    return re.split(r"[-_]", tag.casefold())[0]


def _pico_voices() -> list[dict[str, str]]:
    """Return Pico's voices; none where there is no package of it (macOS, 32 bits)."""
    try:
        import py_nanotts
    except ImportError:
        return []
    tags = [str(voice.value) for voice in py_nanotts.Voice]
    return [{"id": f"{_PICO}{tag}", "name": f"Pico {tag}", "language": tag} for tag in tags]


def _espeaks(identity: str) -> str:
    """Return the language in the id of a voice of espeak, such as "gmw/en"."""
    return identity.casefold().rpartition("/")[2] if "/" in identity else ""


class Engine:
    """pyttsx3 and Pico, initialised on first use in the thread that uses them.

    Ears understand Pico far better than espeak, which speaks fast more clearly. So Pico says what
    is public where the system has no voices but espeak's, and what the system has no voice for.
    """

    def __init__(self) -> None:
        self._pico = _pico_voices()
        self._data = _load_espeak()
        import pyttsx3

        self._engine: Any = pyttsx3.init()
        self._errors: list[str] = []
        self._engine.connect("error", lambda **told: self._errors.append(str(told["exception"])))
        self._espeak = str(self._engine) == "espeak"
        if self._espeak:
            _take_phonemes()

    def voices(self) -> list[dict[str, str]]:
        """Return the id, name and language of every voice; the language is "" if unknown."""
        listed = []
        for voice in self._engine.getProperty("voices"):
            tags = [
                tag.decode("utf-8", "ignore") if isinstance(tag, bytes) else str(tag)
                for tag in voice.languages or []
            ]
            tag = "".join(c for c in (tags[0] if tags else "") if c.isprintable())
            listed.append({"id": str(voice.id), "name": str(voice.name), "language": tag})
        return listed + self._pico

    def _voice_id(self, language: str, voice: str | None, public: bool) -> str:
        known = self.voices()
        if voice is not None:
            return self._named(voice, known)
        near = [v["id"] for v in known if primary(v["language"]) == primary(language)]
        # Espeak's "gmw/en" is its usual English, though its tag is "en-gb".
        tag = language.casefold()
        exact = [v["id"] for v in known if tag in (v["language"].casefold(), _espeaks(v["id"]))]
        if public and self._espeak:  # "de" is espeak's tag, "de-DE" Pico's
            exact = [identity for identity in near if identity.startswith(_PICO)] or exact
        for identity in exact + near:
            return identity
        raise UserError(
            "This machine has no voice for the language {language}; install one in the "
            "system's speech settings.",
            language=repr(language),
        )

    def _named(self, voice: str, known: list[dict[str, str]]) -> str:
        """Return the id of a voice of this id, name or language, with espeak also of a variant."""
        base, _rest, variant = voice.partition("+")
        ids = {name.casefold(): v["id"] for v in reversed(known) for name in v.values() if name}
        if self._espeak:  # knows "en", too, but lists only "en-us", "en-gb", …
            ids |= {primary(v["language"]): voice for v in known if v not in self._pico}
        if base.casefold() not in ids:
            raise UserError(
                "There is no voice {voice}; choose one that is listed.", voice=repr(voice)
            )
        if not self._espeak or ids[base.casefold()].startswith(_PICO):
            return ids[base.casefold()]
        if variant and self._data is not None:
            # espeak silently ignores an unknown variant.
            variants = self._data / "voices" / "!v"
            if not re.fullmatch(r"\w+", variant) or not (variants / variant).is_file():
                raise UserError(
                    "There is no voice variant {variant}; try f2 or m3.", variant=repr(variant)
                )
        return voice

    def _synchronise(self) -> None:
        """Wait until espeak has taken a setting.

        Espeak works through a queue: a phrase that follows at once may be spoken with the settings
        before, or not at all.
        """
        if self._espeak:
            from pyttsx3.drivers import _espeak

            _espeak.Synchronize()

    def render(
        self,
        text: str,
        phonemes: str,
        language: str,
        voice: str | None,
        rate: int | None,
        public: bool,
        file: str,
    ) -> None:
        """Write the spoken ``text`` to the WAV ``file``; espeak speaks ``phonemes`` instead.

        :raises ValueError, RuntimeError, OSError:
        """
        rate = _USUAL if rate is None else rate
        identity = self._voice_id(language, voice, public)
        if identity.startswith(_PICO):
            _render_by_pico(text, identity.removeprefix(_PICO), rate, file)
            return
        self._errors.clear()
        for name, value in (("voice", identity), ("rate", rate)):
            self._engine.setProperty(name, value)
            self._synchronise()
        self._engine.save_to_file(phonemes if self._espeak else text, file)
        self._engine.runAndWait()
        if self._errors:
            raise RuntimeError(_("The voice failed: {errors}.", errors=self._errors[0]))
        _settle(Path(file))
        _to_wav(Path(file))


def _render_by_pico(text: str, tag: str, rate: int, file: str) -> None:
    import py_nanotts

    pcm = py_nanotts.NanoTTS().speak(text, voice=tag, speed=rate / _USUAL)
    with wave.open(file, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(PICO_RATE)
        written.writeframes(pcm)


def _settle(file: Path) -> None:
    """Wait up to five seconds: on macOS the driver writes after its run loop has ended."""
    size, limit = -1, time.monotonic() + 5
    while time.monotonic() < limit:
        now = file.stat().st_size if file.exists() else 0
        if now > 44 and (now == size or not sys.platform.startswith("darwin")):
            return
        size = now
        time.sleep(0.05)


def _to_wav(file: Path) -> None:
    """Convert the AIFF that macOS writes, whatever the file's name, to WAV."""
    with file.open("rb") as opened:
        if opened.read(4) != b"FORM":
            return
        import soundfile

        opened.seek(0)
        samples, rate = soundfile.read(opened, dtype="int16")
    soundfile.write(file, samples, rate, "PCM_16", format="WAV")


def main() -> None:
    """Answer requests until standard input ends."""
    # The answers get a descriptor of their own. Everything else that is printed is discarded.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    engine: Engine | None = None
    with contextlib.suppress(Exception):  # the first request will say what is wrong
        engine = Engine()
    for line in sys.stdin.buffer:
        try:
            engine = engine or Engine()
            request = json.loads(line)
            if request.pop("do") == "voices":
                answer: dict[str, Any] = {"voices": engine.voices()}
            else:
                engine.render(**request)
                answer = {"file": request["file"]}
        except Exception as error:  # a driver's exceptions must not end the process
            answer = {"error": packed(str(error) or type(error).__name__)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
