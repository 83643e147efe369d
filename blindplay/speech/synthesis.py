"""Words rendered to WAV files by pyttsx3 in a worker process, and kept."""

import contextlib
import hashlib
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import platformdirs

from .audio import AudioError, read_wav

VERSION = 2
"""Part of the cache's key: raise it whenever the same words are to sound different."""
CACHE_LIMIT_BYTES = 200_000_000
_LONGEST_ANSWER = 1 << 22  # bytes: a list of all voices has some hundred thousand
_MOST_UNASKED = 100  # lines: a worker that says more than it is asked is ended

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_PUNCTUATION = '.,;:!?…()«»„“”"–—'
_CAPTURE = re.compile(r"[A-Z]?[a-h]?x[a-h]")


class NotWordsError(ValueError):
    """Something other than spelled-out words was about to be spoken."""


class SynthesisError(RuntimeError):
    """The synthesiser could not speak; the sentence says what to do."""


def words_only(text: str) -> str:
    """Return `text` with single spaces, if it is made of whole words only.

    A digit, a chess symbol, a notation such as "O-O" or "exd", or a single letter is heard as
    something else ("a" as "e", "h" as "hour"). Raises NotWordsError naming the offender, or when
    there is nothing to say.
    """
    text = " ".join(unicodedata.normalize("NFC", text).split())
    spoken = 0
    for token in text.split():
        bare = token.strip(_PUNCTUATION)
        if not bare:
            continue
        for part in bare.split("-"):
            letters = part.replace("'", "").replace("’", "")
            if (
                not _WORD.fullmatch(part)
                or not letters.isalpha()
                or len(letters) < 2
                or _CAPTURE.fullmatch(part)
                or re.fullmatch(r"O{2,3}", part)
            ):
                raise NotWordsError(f"{token!r} must be spelled out in words before it is spoken.")
        spoken += 1
    if not spoken:
        raise NotWordsError("There is nothing to say: give at least one word.")
    return text


@dataclass(frozen=True)
class Voice:
    """A voice of this machine; `language` is its tag as the system gives it, or empty."""

    id: str
    name: str
    language: str


class _Worker:
    """The running worker process, its answers collected by a thread so that they can time out."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self.fresh = True
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        threading.Thread(target=self._collect, daemon=True, name="synthesis answers").start()

    def _collect(self) -> None:
        assert self.process.stdout is not None
        while line := self.process.stdout.readline(_LONGEST_ANSWER):
            if not line.endswith(b"\n") or self._answers.qsize() >= _MOST_UNASKED:
                self.process.kill()
                break
            self._answers.put(line)
        self._answers.put(None)

    def ask(self, request: Mapping[str, object], timeout: float) -> dict[str, Any]:
        """Return the answer. Raises TimeoutError, or ConnectionError when the worker has died."""
        assert self.process.stdin is not None
        with contextlib.suppress(queue.Empty):  # what was said unasked is no answer
            while self._answers.get_nowait() is not None:
                pass
            raise ConnectionError("the worker has ended")
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except OSError as error:
            raise ConnectionError("the worker has ended") from error
        try:
            line = self._answers.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError("the worker does not answer") from None
        if line is None:
            raise ConnectionError("the worker has ended")
        self.fresh = False
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ConnectionError("the worker answered nonsense") from error
        if not isinstance(answer, dict):
            raise ConnectionError("the worker answered nonsense")
        return answer

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError, ValueError):
                if pipe is not None and pipe is self.process.stdin:
                    pipe.close()


class Synthesiser:
    """Renders words to WAV files; safe to use from several threads, one phrase at a time.

    `language` is a tag such as "de". `cache` is the folder of rendered phrases (default: the
    user's cache folder, or a temporary one where that cannot be written). `spellings` respells
    words for the ear, "Cesar" → "Cäsar". `timeout` is the watchdog's patience in seconds for one
    phrase; a worker that has just been started gets `start_timeout` more.
    """

    def __init__(
        self,
        language: str,
        *,
        cache: Path | None = None,
        spellings: Mapping[str, str] | None = None,
        voice: str | None = None,
        rate: int | None = None,
        timeout: float = 10.0,
        start_timeout: float = 20.0,
        command: list[str] | None = None,
    ) -> None:
        self.language = language
        self.voice = voice
        self.rate = rate
        self.restarts = 0
        self._spellings = {word.casefold(): to for word, to in (spellings or {}).items()}
        # Longest first, for a spelling may be of several words: "en passant" before "en".
        forms = sorted(map(re.escape, self._spellings), key=len, reverse=True)
        self._respelt = (
            re.compile(rf"(?<!\w)(?:{'|'.join(forms)})(?!\w)", re.IGNORECASE) if forms else None
        )
        self._timeout = timeout
        self._start_timeout = start_timeout
        self._command = command or [sys.executable, "-m", "blindplay.speech.synthesis_worker"]
        self._lock = threading.Lock()
        self._worker: _Worker | None = None
        self._failed = False  # the last phrase was asked for in vain
        self._cache = self._usable(
            cache or Path(platformdirs.user_cache_path("blindplay", appauthor=False)) / "phrases"
        )

    def _usable(self, folder: Path) -> Path:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError:
            self._temporary = tempfile.TemporaryDirectory(prefix="blindplay-phrases-")
            return Path(self._temporary.name)
        _prune(folder)
        return folder

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def path_of(self, words: str, *, voice: str | None = None, rate: int | None = None) -> Path:
        """Return where the rendered phrase is, or will be, kept. Raises NotWordsError."""
        return self._plan(words, voice, rate)[1]

    def _plan(self, words: str, voice: str | None, rate: int | None) -> tuple[str, Path]:
        text = words_only(words)
        if self._respelt is not None:
            text = words_only(
                self._respelt.sub(lambda found: self._spellings[found[0].casefold()], text)
            )
        what = [VERSION, sys.platform, self.language, voice or self.voice, rate or self.rate, text]
        key = hashlib.sha256(json.dumps(what).encode()).hexdigest()[:40]
        return text, self._cache / f"{key}.wav"

    def render(self, words: str, *, voice: str | None = None, rate: int | None = None) -> Path:
        """Return a mono 16-bit WAV of `words`, from the cache where it is there.

        `voice` is an id, name or language of `voices`, with espeak also "de+f2"; `rate` is in
        words a minute, 80 to 450. Raises NotWordsError, ValueError for a rate out of range, and
        SynthesisError when the worker failed twice or has no such voice.
        """
        rate = rate or self.rate
        if rate is not None and not 80 <= rate <= 450:
            raise ValueError(f"{rate} words a minute is too slow or too fast; give 80 to 450.")
        text, path = self._plan(words, voice, rate)
        if _kept(path):
            return path  # without waiting for a worker that hangs over another phrase
        with self._lock:
            if _kept(path):
                return path
            handle, name = tempfile.mkstemp(dir=self._cache, prefix="new-", suffix=".wav")
            os.close(handle)
            fresh = Path(name)
            try:
                self._ask(
                    {
                        "do": "render",
                        "text": text,
                        "language": self.language,
                        "voice": voice or self.voice,
                        "rate": rate,
                        "file": name,
                    },
                    fresh,
                )
                fresh.replace(path)
            finally:
                fresh.unlink(missing_ok=True)
            return path

    def voices(self, language: str | None = None) -> tuple[Voice, ...]:
        """Return the machine's voices for `language` (default: the synthesiser's own).

        Raises SynthesisError when the worker fails twice.
        """
        wanted = re.split(r"[-_]", (language or self.language).casefold())[0]
        with self._lock:
            answer = self._ask({"do": "voices"}, None)
        try:
            listed = [Voice(v["id"], v["name"], v["language"]) for v in answer["voices"]]
        except (KeyError, TypeError):
            raise SynthesisError(
                "The voices cannot be listed; run blindplay doctor and choose another voice."
            ) from None
        return tuple(v for v in listed if re.split(r"[-_]", v.language.casefold())[0] == wanted)

    def warm(self) -> None:
        """Start the worker now, so that the first announcement need not wait for it."""
        self.voices()

    def _ask(self, request: dict[str, object], file: Path | None) -> dict[str, Any]:
        """Ask the worker; when it hangs, dies or writes no sound, ask a new one, once. After that
        no second one is asked until one has worked: who waits is to learn soon that all is silent.
        """
        why, tries, self._failed = "", 1 if self._failed else 2, True
        for _ in range(tries):
            try:
                if self._worker is None:
                    self._worker = _Worker(self._command)
                patience = self._timeout + (self._start_timeout if self._worker.fresh else 0)
                answer = self._worker.ask(request, patience)
            except (TimeoutError, OSError) as error:
                why = str(error)
                self._drop()
                continue
            if "error" in answer:
                self._failed = False  # it works; it cannot say this
                raise SynthesisError(str(answer["error"]))
            if file is None or _whole(file):
                self._failed = False
                return answer
            # espeak has been seen to return no sample for a voice that works in a new process.
            why = "the voice wrote no sound"
            self._drop()
        raise SynthesisError(
            f"The voice cannot speak ({why}); run blindplay doctor and choose another voice."
        )

    def _drop(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()
            self.restarts += 1

    @property
    def worker_pid(self) -> int | None:
        """Return the worker's process id while one runs (for tests and the doctor)."""
        worker = self._worker
        return None if worker is None else worker.process.pid

    def close(self) -> None:
        """End the worker; the cache stays. The synthesiser can be used again."""
        with self._lock:
            worker, self._worker = self._worker, None
            if worker is not None:
                worker.kill()


def _kept(path: Path) -> bool:
    whole = _whole(path)
    if whole:
        with contextlib.suppress(OSError):
            os.utime(path)
    return whole


def _whole(path: Path) -> bool:
    try:
        read_wav(path)
    except AudioError:
        return False
    return True


def _prune(folder: Path) -> None:
    """Remove the phrases used longest ago until the cache is within its limit."""
    with contextlib.suppress(OSError):
        files = sorted(
            ((file.stat().st_mtime, file.stat().st_size, file) for file in folder.glob("*.wav")),
            reverse=True,
        )
        total = 0
        for _, size, file in files:
            total += size
            if total > CACHE_LIMIT_BYTES:
                file.unlink(missing_ok=True)
