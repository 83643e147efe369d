"""Words rendered to WAV files by the voices of a worker process, and kept in a cache."""

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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from blindplay.translation import SentenceError, UserError, _, unpacked

from .audio import AudioError, Closing, read_wav
from .synthesis_worker import primary

VERSION = 5
"""A part of the cache's key. Raise it when the same words are to sound different."""
_UNFINISHED = "new-"  # begins the names of files that are being rendered
CACHE_LIMIT_BYTES = 200_000_000
_LONGEST_ANSWER = 1 << 22  # bytes; a list of all voices has some hundred thousand
_MOST_UNASKED = 100  # lines; a worker that writes more than it was asked is killed

_PUNCTUATION = '.,;:!?…()«»„“”"–—'
# Which letters are words by themselves, such as "I" in English and "å" in Norwegian.
_WORDS_OF_ONE_LETTER = {
    "": "", "da": "iåø", "de": "", "en": "ai", "es": "aeouy", "fo": "áíó", "fr": "aày", "is": "áí",
    "it": "aeio", "nb": "iåø", "nn": "iåø", "pl": "aiouwz", "pt": "aeoà", "sv": "iåö",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NOTATION = re.compile(r"[A-Z]?[a-h]?x[a-h]|O{2,3}")


class NotWordsError(UserError):
    """A text to be spoken has something else in it than spelled-out words."""


class SynthesisError(SentenceError, RuntimeError):
    """The synthesiser could not speak. The message names the remedy."""


def words_only(text: str, language: str = "") -> str:
    """Return ``text`` with single spaces if it is made of whole words only.

    A voice misreads digits, chess symbols, notation such as "O-O" or "exd", and single letters ("a"
    as "e", "h" as "hour"), except those that are words of ``language`` ("I"). Of a language that
    nobody here knows, each may be one.

    :raises NotWordsError: naming the offender, also for an empty text.
    """
    letters = _WORDS_OF_ONE_LETTER.get(primary(language))
    text = " ".join(unicodedata.normalize("NFC", text).split())
    tokens = {token: token.strip(_PUNCTUATION) for token in text.split()}
    for token, bare in tokens.items():
        known = bare.isalpha() if letters is None else bare.casefold() in letters
        if not bare or (len(bare) == 1 and known):
            continue
        if not all(map(_is_word, bare.split("-"))):
            raise NotWordsError(
                "{token} must be spelled out in words before it is spoken.", token=repr(token)
            )
    if not any(tokens.values()):
        raise NotWordsError("There is nothing to say: give at least one word.")
    return text


def _is_word(text: str) -> bool:
    letters = text.replace("'", "").replace("’", "")
    spelled_out = _WORD.fullmatch(text) and not _NOTATION.fullmatch(text)
    return bool(spelled_out) and letters.isalpha() and len(letters) > 1


def is_words(text: str, language: str = "") -> bool:
    """Return whether a synthesiser may be given ``text`` (see ``words_only``)."""
    try:
        words_only(text, language)
    except NotWordsError:
        return False
    return True


_SPOKEN = re.compile(r"(?P<letters>[^\[\]]*?)\s*(?:\[\[(?P<phonemes>[^\[\]]+)\]\])?")


def letters_of(word: str, spoken: str) -> str:
    """Return the letters that an entry of a pack's ``[spoken]`` gives for ``word``: "Remie" for
    ``Remie [[r@m'i:]]``, the word itself for ``[[r@m'i:]]``."""
    match = _SPOKEN.fullmatch(spoken)
    return (match["letters"] if match else spoken) or word


def _phonemes_of(word: str, spoken: str) -> str:
    """Return the phonemes of such an entry as espeak takes them, or else its letters."""
    match = _SPOKEN.fullmatch(spoken)
    return f"[[{match['phonemes']}]]" if match and match["phonemes"] else letters_of(word, spoken)


def respeller(spellings: Mapping[str, str], *, phonemes: bool = False) -> Callable[[str], str]:
    """Return a function that replaces words of a text, whatever their case, for a voice that
    pronounces them better in another spelling, {"cesar": "Cäsar"}; with ``phonemes`` by those that
    the spellings give in double brackets, {"cesar": "Cäsar [[ts'E:zA:r]]"}."""
    spelling = _phonemes_of if phonemes else letters_of
    to = {words.casefold(): spelling(words, spoken) for words, spoken in spellings.items()}
    if not to:
        return str
    # The longest first: "en passant" before "en".
    forms = sorted(map(re.escape, to), key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(forms)})(?!\w)", re.IGNORECASE)

    def respelled(text: str) -> str:
        return pattern.sub(lambda match: to.get(match[0].casefold(), match[0]), text)

    # The parts of a compound may be words that are respelled, too: "en og halvtreds".
    to |= {words: respelled(said) for words, said in to.items() if "[[" not in said}
    return respelled


def _respellers(spellings: Mapping[str, str]) -> tuple[Callable[[str], str], Callable[[str], str]]:
    """Return what respells a text for any voice, and for espeak."""
    return respeller(spellings), respeller(spellings, phonemes=True)


@dataclass(frozen=True)
class Voice:
    """A voice of this machine; ``language`` is its tag as the system gives it, or empty."""

    id: str
    name: str
    language: str


class _Worker:
    """A running worker process. A thread collects its answers, so that they can time out."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self.fresh = True
        self._answers: queue.Queue[bytes | None] = queue.Queue()
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
        """Return the answer.

        :raises TimeoutError, ConnectionError: if the worker has died.
        """
        assert self.process.stdin is not None
        ended = ConnectionError(_("the worker has ended"))
        with contextlib.suppress(queue.Empty):  # lines that nobody asked for are no answer
            while self._answers.get_nowait() is not None:
                pass
            raise ended
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
            line = self._answers.get(timeout=timeout)
        except OSError as error:
            raise ended from error
        except queue.Empty:
            raise TimeoutError(_("the worker does not answer")) from None
        if line is None:
            raise ended
        self.fresh = False
        with contextlib.suppress(ValueError, RecursionError):
            answer = json.loads(line)
            if isinstance(answer, dict):
                return answer
        raise ConnectionError(_("the worker answered nonsense"))

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            self.process.kill()
        self.process.wait()
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()


class Synthesiser(Closing):
    """Renders words to WAV files. Safe to use from several threads, one phrase at a time.

    ``language`` is a tag such as "de". ``cache`` is the folder of rendered phrases: by default the
    user's cache folder, or a temporary one if that cannot be written. ``spellings`` are words to be
    respelled for the voice, as :func:`respeller` has them; ``spellings_of`` gives those of another
    language.
    ``timeout`` is the watchdog's patience in seconds for one phrase; a worker that was just started
    gets ``start_timeout`` more. After ``close`` the synthesiser can be used again.
    """

    def __init__(
        self,
        language: str,
        *,
        cache: Path | None = None,
        spellings: Mapping[str, str] | None = None,
        spellings_of: Callable[[str], Mapping[str, str]] = lambda language: {},
        voice: str | None = None,
        timeout: float = 10.0,
        start_timeout: float = 20.0,
        command: list[str] | None = None,
    ) -> None:
        self.language = language
        self.voice = voice
        self.rate: int | None = None
        self.restarts = 0
        self._respellers = {language: _respellers(spellings or {})}
        self._spellings_of = spellings_of
        self._timeout = timeout
        self._start_timeout = start_timeout
        self._command = command or [sys.executable, "-m", "blindplay.speech.synthesis_worker"]
        self._lock = threading.Lock()
        self._worker: _Worker | None = None
        self._failed = False  # the last request
        self._cache = self._usable(cache or _phrases())

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

    def start(self) -> None:
        """Start the worker now, so that the first words come half a second sooner."""
        with self._lock, contextlib.suppress(OSError):  # render reports it
            self._worker = self._worker or _Worker(self._command)

    def render(
        self,
        words: str,
        *,
        voice: str | None = None,
        rate: int | None = None,
        language: str | None = None,
        public: bool = False,
    ) -> Path:
        """Return a mono 16-bit WAV file of ``words``, from the cache if it is there.

        ``language`` is that of the words, by default the synthesiser's own. ``voice`` is an id, a
        name or a language of ``voices``, with espeak also "de+f2"; without one, what is ``public``
        gets the voice that most people understand. ``rate`` is in words a minute, 80 to 450.

        :raises NotWordsError, ValueError: for a rate out of range, and SynthesisError if the worker
            fails twice or has no such voice.
        """
        language = language or self.language
        if language == self.language:
            voice = voice or self.voice
        rate = rate or self.rate
        if rate is not None and not 80 <= rate <= 450:
            raise UserError(
                "{rate} words a minute is too slow or too fast; give 80 to 450.", rate=rate
            )
        text, phonemes = self._text(words, language)
        path = self._path(phonemes, language, voice, rate, public)
        if _is_cached(path):
            return path  # even while the worker hangs over another phrase
        with self._lock:
            if _is_cached(path):
                return path
            handle, name = tempfile.mkstemp(dir=self._cache, prefix=_UNFINISHED, suffix=".wav")
            os.close(handle)
            fresh = Path(name)
            said = {"text": text, "phonemes": phonemes}
            request = {"language": language, "voice": voice, "rate": rate, "public": public}
            try:
                self._ask({"do": "render", **said, **request, "file": name}, fresh)
                fresh.replace(path)
            finally:
                fresh.unlink(missing_ok=True)
            return path

    def path_of(self, words: str, *, public: bool = False) -> Path:
        """Return where ``render`` keeps these words.

        :raises NotWordsError:
        """
        phonemes = self._text(words, self.language)[1]
        return self._path(phonemes, self.language, self.voice, self.rate, public)

    def _text(self, words: str, language: str) -> tuple[str, str]:
        """Return the words as any voice says them best, and as espeak does."""
        if language not in self._respellers:
            self._respellers[language] = _respellers(self._spellings_of(language))
        in_letters, in_phonemes = self._respellers[language]
        words = words_only(words, language)
        return words_only(in_letters(words), language), in_phonemes(words)

    def _path(
        self, text: str, language: str, voice: str | None, rate: int | None, public: bool
    ) -> Path:
        identity = json.dumps([VERSION, sys.platform, language, voice, rate, public, text])
        return self._cache / f"{hashlib.sha256(identity.encode()).hexdigest()[:40]}.wav"

    def voices(self, language: str | None = None) -> tuple[Voice, ...]:
        """Return the machine's voices for ``language`` (default: the synthesiser's own). Raises
        SynthesisError if the worker fails twice."""
        wanted = primary(language or self.language)
        with self._lock:
            answer = self._ask({"do": "voices"}, None)
        try:
            listed = [Voice(v["id"], v["name"], v["language"]) for v in answer["voices"]]
        except (KeyError, TypeError):
            raise SynthesisError(
                "The voices cannot be listed; run blindplay doctor and choose another voice."
            ) from None
        return tuple(voice for voice in listed if primary(voice.language) == wanted)

    def _ask(self, request: Mapping[str, object], file: Path | None) -> dict[str, Any]:
        """Ask the worker. If it hangs, dies or writes no sound, ask a new one, once.

        After that failed, ask only one worker until one has worked: a waiting caller must learn
        soon that nothing can be spoken.
        """
        why, tries, self._failed = "", 1 if self._failed else 2, True
        for _unused in range(tries):
            try:
                if self._worker is None:
                    self._worker = _Worker(self._command)
                patience = self._timeout + (self._start_timeout if self._worker.fresh else 0)
                answer = self._worker.ask(request, patience)
            except (TimeoutError, OSError) as error:
                why = str(error)
                self._restart()
                continue
            if "error" in answer:
                self._failed = False  # the worker works; it cannot say this
                raise SynthesisError(unpacked(answer["error"]))
            if file is None or _is_whole(file):
                self._failed = False
                return answer
            # espeak sometimes returns no sample for a voice that works in a new process.
            why = _("the voice wrote no sound")
            self._restart()
        raise SynthesisError(
            "The voice cannot speak ({why}); run blindplay doctor and choose another voice.",
            why=why,
        )

    def _restart(self) -> None:
        self.restarts += self._worker is not None
        self._end_worker()

    def _end_worker(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()

    def close(self) -> None:
        """End the worker. The cache stays."""
        with self._lock:
            self._end_worker()


def forget_phrases() -> bool:
    """Remove the user's cache, for names of players are among what was spoken. A table renders
    again what it needs. Return whether there was anything.

    :raises OSError:
    """
    files = [file for file in _phrases().glob("*.wav") if not file.name.startswith(_UNFINISHED)]
    for file in files:
        file.unlink(missing_ok=True)
    return bool(files)


def _phrases() -> Path:
    return Path(platformdirs.user_cache_path("blindplay", appauthor=False)) / "phrases"


def _is_cached(path: Path) -> bool:
    whole = _is_whole(path)
    if whole:
        with contextlib.suppress(OSError):
            os.utime(path)  # see _prune
    return whole


def _is_whole(path: Path) -> bool:
    try:
        read_wav(path)
    except AudioError:
        return False
    return True


def _prune(folder: Path) -> None:
    """Remove the phrases used longest ago until the cache is within its limit."""
    with contextlib.suppress(OSError):
        total = 0
        for file in sorted(folder.glob("*.wav"), key=lambda file: -file.stat().st_mtime):
            total += file.stat().st_size
            if total > CACHE_LIMIT_BYTES:
                file.unlink(missing_ok=True)
