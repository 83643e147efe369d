"""The user's own screen reader, through Prism (the package ``prismatoid``, the extra ``reader``).

Prism speaks to NVDA, JAWS, Narrator (UIA), Orca, Speech Dispatcher, VoiceOver and others. A plain
synthesiser of the system is not a reader: our own voice is one already.

Most readers do not tell when a sentence ends (of those tried, Speech Dispatcher does not). Then the
end is estimated from the length of the text and ``words_per_minute``, with a second to begin in.
"""

import contextlib
import ctypes
import importlib.util
import locale
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from blindplay.extras import install_command
from blindplay.translation import SentenceError

WORDS_PER_MINUTE = 160
"""As slow as a reader usually speaks; users who listen faster can set it."""
_LETTERS_PER_WORD = 5.0
_BEGINS_S = 1.0
"""Seconds that a reader may take until it begins to speak."""
_LOOK_S = 0.02
ANSWERS_S = 10.0
"""A reader that takes a text later than this hangs: by then our voice has said it."""
_NO_READERS = ("SAPI", "ONE_CORE", "AV_SPEECH", "ANDROID_TTS", "WEB_SPEECH", "SPIEL")
"""Other backends of Prism: synthesisers, which no screen reader uses at the moment."""


class ReaderError(SentenceError, RuntimeError):
    """The screen reader cannot be reached. The message names the remedy."""


class ScreenReader:
    """Speaks through the reader that runs. One that was closed is looked for again each time.

    ``registry`` is a Prism registry with backends that are used instead of Prism's own.

    :raises ReaderError: if Prism is not installed.
    """

    def __init__(self, *, words_per_minute: int = WORDS_PER_MINUTE, registry: Any = None) -> None:
        if importlib.util.find_spec("prism") is None:
            raise ReaderError(
                "Your screen reader is reached through prismatoid, which is not installed; "
                "install it with: {command}",
                command=install_command("reader"),
            )
        self._seconds_per_letter = 60 / words_per_minute / _LETTERS_PER_WORD
        self._registry = registry
        self._backend: Any = None
        self._lock = threading.Lock()  # Prism's backends are not for several threads at once

    @property
    def name(self) -> str:
        """Return Prism's name of the reader that runs.

        :raises ReaderError: if none does.
        """
        with self._lock:
            return str(self._present().name)

    def lasts(self, text: str) -> float:
        """The longest that a reader should need for ``text``, in seconds."""
        return _BEGINS_S + len(text) * self._seconds_per_letter

    def speak(self, text: str, stop: threading.Event) -> bool:
        """Let the reader say ``text`` after what it says already, and wait for its end.

        Return False if ``stop`` was set before; the reader is silenced then.

        :raises ReaderError: if the text was not taken.
        """
        if stop.is_set():
            return False
        started = time.monotonic()
        with self._lock:
            backend = self._use(lambda reader: reader.speak(text, False))
        late = time.monotonic() - started > ANSWERS_S
        if not late and self._ends(backend, self.lasts(text), stop):
            return True
        with self._lock, contextlib.suppress(Exception):  # it may be gone, and is silent then
            backend.stop()
        if late:
            raise ReaderError("The screen reader hangs; start it again.")
        return False

    def braille(self, text: str) -> None:
        """Show ``text`` on the reader's Braille display.

        :raises ReaderError: if it cannot be shown.
        """
        with self._lock:
            self._use(lambda reader: reader.braille(text))

    def _ends(self, backend: Any, seconds: float, stop: threading.Event) -> bool:
        """Wait for the end of a text; False if ``stop`` was set before."""
        tells = backend.features.supports_is_speaking
        end, started = time.monotonic() + seconds, False
        # A reader that tells is believed when it has begun, but may not hold the table for ever.
        limit = end + seconds + 10 * _BEGINS_S if tells else end
        while (now := time.monotonic()) < limit:
            if stop.wait(_LOOK_S):
                return False
            speaks = tells and self._speaks(backend)
            if not speaks and (started or now >= end):
                break
            started = started or speaks
        return not stop.is_set()

    def _speaks(self, backend: Any) -> bool:
        with self._lock, contextlib.suppress(Exception):  # the next text tells that it is gone
            return bool(backend.speaking)
        return False

    def _use(self, do: Callable[[Any], object]) -> Any:
        """Do something with the reader, and once more with the one that runs now. Return it."""
        if self._backend is not None:
            with contextlib.suppress(Exception):
                do(self._backend)
                return self._backend
            self._backend = None
        try:
            do(self._present())
        except ReaderError:
            raise
        except Exception as error:  # Prism's errors have no common base outside of it
            self._backend = None
            raise ReaderError(
                "The screen reader does not answer ({error}); start it.", error=error
            ) from error
        return self._backend

    def _present(self) -> Any:
        if self._backend is None:
            with _quiet_glib():
                self._backend = next(self._running(), None)
        if self._backend is None:
            raise ReaderError("No screen reader runs that can be reached; start yours.")
        return self._backend

    def _running(self) -> Iterator[Any]:
        """The readers that run, the most wanted first."""
        import prism

        context = prism.Context(self._registry)
        ids = [context.id_of(number) for number in range(context.backends_count)]
        others = {getattr(prism.BackendId, name, None) for name in _NO_READERS}
        if self._registry is not None:
            own = prism.Context()
            others |= {own.id_of(number) for number in range(own.backends_count)}
        for backend_id in sorted(set(ids) - others, key=context.priority_of, reverse=True):
            with contextlib.suppress(Exception):
                backend = context.create(backend_id)
                if backend.features.supports_speak:
                    yield backend


def _has_locale() -> bool:
    """Return whether this system has the locale that the environment names. Looking for it with
    :func:`locale.setlocale` would change that of all threads."""
    if sys.platform != "linux":  # no GLib is started there
        return True
    library = ctypes.CDLL(None)
    library.newlocale.restype = ctypes.c_void_p
    library.newlocale.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
    library.freelocale.argtypes = (ctypes.c_void_p,)
    found = library.newlocale(1 << locale.LC_CTYPE, b"", None)  # LC_CTYPE_MASK
    if found:
        library.freelocale(found)
    return bool(found)


@contextlib.contextmanager
def _quiet_glib() -> Iterator[None]:
    """GLib, which Prism starts, writes a warning to the terminal if the environment names a locale
    that this system does not have. Meanwhile name one that every system has."""
    known, wanted = _has_locale(), os.environ.get("LC_ALL")
    if not known:
        os.environ["LC_ALL"] = "C"
    try:
        yield
    finally:
        if not known:
            os.environ.pop("LC_ALL")
            os.environ.update({} if wanted is None else {"LC_ALL": wanted})
