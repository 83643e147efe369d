"""The process in which pyttsx3 lives: JSON lines in, JSON lines out.

pyttsx3 must be initialised and run in one thread, its run loop can hang and it prints to standard
output; in a process of its own it can be silenced, killed and started again.

Requests: ``{"do": "voices"}`` and ``{"do": "render", "text", "language", "voice", "rate",
"file"}``; answers ``{"voices": [...]}``, ``{"file": ...}`` or ``{"error": sentence}``.
"""

import ctypes
import json
import os
import re
import struct
import sys
import time
import wave
from pathlib import Path
from typing import Any


def _load_espeak() -> Path | None:
    """Make the espeak-ng of the espeakng_loader package the one pyttsx3 finds; tolerant.

    Where the package is not installed (Windows, macOS) the system's own voices are used. Returns
    the folder of espeak's data, if it is known.
    """
    if not sys.platform.startswith("linux"):
        return None
    try:
        import espeakng_loader
    except ImportError:
        return None
    library = Path(espeakng_loader.get_library_path())
    data = Path(espeakng_loader.get_data_path())
    # pyttsx3 asks for the soname; a library already loaded under it is found without a path.
    named = library.with_name("libespeak-ng.so.1")
    try:
        ctypes.CDLL(str(named if named.exists() else library), mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return None
    os.environ["ESPEAK_DATA_PATH"] = str(data)
    return data


def _primary(tag: str) -> str:
    return re.split(r"[-_]", tag.casefold())[0]


class Engine:
    """pyttsx3, initialised on first use in the thread that uses it."""

    def __init__(self) -> None:
        self._data = _load_espeak()
        import pyttsx3

        self._engine: Any = pyttsx3.init()
        self._errors: list[str] = []
        self._engine.connect("error", lambda **told: self._errors.append(str(told["exception"])))
        self._espeak = str(self._engine) == "espeak"

    def voices(self) -> list[dict[str, str]]:
        """Return id, name and language of every voice; the language is "" where unknown."""
        listed = []
        for voice in self._engine.getProperty("voices"):
            tags = [
                tag.decode("utf-8", "ignore") if isinstance(tag, bytes) else str(tag)
                for tag in voice.languages or []
            ]
            tag = "".join(c for c in (tags[0] if tags else "") if c.isprintable())
            listed.append({"id": str(voice.id), "name": str(voice.name), "language": tag})
        return listed

    def _voice_id(self, language: str, voice: str | None) -> str:
        known = self.voices()
        if voice is not None:
            base, _, variant = voice.partition("+")
            names = {part for v in known for part in (v["id"], v["name"], v["language"])}
            if self._espeak:  # knows "en", too, and lists "en-us", "en-gb", …
                names |= {_primary(v["language"]) for v in known}
            if base.casefold() not in {name.casefold() for name in names if name}:
                raise ValueError(f"There is no voice {voice!r}; choose one that is listed.")
            if self._espeak and variant and self._data is not None:
                # espeak passes over a variant it does not have without a word.
                variants = self._data / "voices" / "!v"
                if not re.fullmatch(r"\w+", variant) or not (variants / variant).is_file():
                    raise ValueError(f"There is no voice variant {variant!r}; try f2 or m3.")
            if self._espeak:
                return voice
            return next(
                v["id"]
                for v in known
                if base.casefold()
                in (v["id"].casefold(), v["name"].casefold(), v["language"].casefold())
            )
        exact = [v["id"] for v in known if v["language"].casefold() == language.casefold()]
        near = [v["id"] for v in known if _primary(v["language"]) == _primary(language)]
        for identity in exact + near:
            return identity
        raise ValueError(
            f"This machine has no voice for the language {language!r}; "
            "install one in the system's speech settings."
        )

    def _synchronise(self) -> None:
        """Wait until espeak has taken a setting.

        It works through a queue, and a phrase that follows at once has been seen to be spoken
        with the settings before, or not at all.
        """
        if self._espeak:
            from pyttsx3.drivers import _espeak

            _espeak.Synchronize()

    def render(
        self, text: str, language: str, voice: str | None, rate: int | None, file: Path
    ) -> None:
        """Write `text` spoken to the WAV `file`. Raises ValueError, RuntimeError or OSError."""
        self._errors.clear()
        for name, value in (
            ("voice", self._voice_id(language, voice)),
            ("rate", 160 if rate is None else rate),
        ):
            self._engine.setProperty(name, value)
            self._synchronise()
        self._engine.save_to_file(text, str(file))
        self._engine.runAndWait()
        if self._errors:
            raise RuntimeError(f"The voice failed: {self._errors[0]}.")
        _settle(file)
        _to_wav(file)


def _settle(file: Path) -> None:
    """Wait up to five seconds for a driver that writes after its run loop has ended (macOS)."""
    size, limit = -1, time.monotonic() + 5
    while time.monotonic() < limit:
        now = file.stat().st_size if file.exists() else 0
        if now > 44 and (now == size or not sys.platform.startswith("darwin")):
            return
        size = now
        time.sleep(0.05)


def _to_wav(file: Path) -> None:
    """Turn the AIFF that macOS writes under any name into mono 16-bit WAV; leave WAV alone."""
    data = file.read_bytes()
    if data[:4] != b"FORM":
        return
    little = data[8:12] == b"AIFC"
    rate, pcm, channels, bits = 22_050, b"", 1, 16
    at = 12
    while at + 8 <= len(data):
        kind, (length,) = data[at : at + 4], struct.unpack_from(">I", data, at + 4)
        body = data[at + 8 : at + 8 + length]
        if kind == b"COMM":
            channels, _, bits = struct.unpack_from(">hIh", body)
            exponent, mantissa = struct.unpack_from(">HQ", body, 8)  # 80-bit IEEE extended
            rate = round(mantissa * 2.0 ** (exponent - 16_383 - 63))
            little = little and body[18:22] == b"sowt"
        elif kind == b"SSND":
            pcm = body[8:]
        at += 8 + length + length % 2
    if channels != 1 or bits != 16 or not pcm:
        raise RuntimeError("The voice wrote a kind of sound file that is not understood.")
    samples = memoryview(bytearray(pcm[: len(pcm) // 2 * 2]))
    if not little:
        samples[0::2], samples[1::2] = bytes(samples[1::2]), bytes(samples[0::2])
    with wave.open(str(file), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(samples)


def _answer(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    if request["do"] == "voices":
        return {"voices": engine.voices()}
    engine.render(
        request["text"],
        request["language"],
        request["voice"],
        request["rate"],
        Path(request["file"]),
    )
    return {"file": request["file"]}


def main() -> None:
    """Answer requests until standard input ends."""
    # The answers get a descriptor of their own; whatever anybody prints goes nowhere.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    engine: Engine | None = None
    for line in sys.stdin.buffer:
        try:
            engine = engine or Engine()
            answer = _answer(engine, json.loads(line))
        except Exception as error:  # whatever a driver raises must be told, not end the process
            answer = {"error": str(error) or type(error).__name__}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
