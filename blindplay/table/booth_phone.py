"""A phone as the microphone, the ear and the keys of one person who is recorded."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from blindplay.console.app import COOKIE
from blindplay.console.booth import PLAYER, BoothPages
from blindplay.console.phone import PhoneSend
from blindplay.console.server import PageServer, qr_code
from blindplay.language import Key
from blindplay.speech.audio import Closing
from blindplay.speech.callbacks import call
from blindplay.speech.phone import PATIENCE_S, PhoneClock, PhoneSource

from .phones import Phone, PhoneCall

_KEYS = tuple(key.value for key in (Key.REPEAT, Key.SKIP, Key.END))
_LOOK_S = 0.25
_BREAK_S = 60.0
"""A line that is cut may be back within so many seconds; then the recording goes on."""


class BoothPhone(Closing):
    """Serves the page of the phone until it is closed. ``keeps``: what is said is kept.

    ``source`` and ``ear`` are those of the phone, as of the moment at which it is there.
    """

    def __init__(self, server: PageServer, *, encrypted: bool, keeps: bool) -> None:
        clock = PhoneClock()
        self.source = PhoneSource(clock, patience_s=_BREAK_S)
        self.on_key: Callable[[Key], None] = lambda key: None
        self._phone = Phone(PLAYER, self.source, clock=clock)
        self.ear = self._phone.out
        self._lock = threading.Lock()
        self._listened, self._closed = threading.Event(), threading.Event()
        self._server = server
        cookie = f"{COOKIE}-{server.port}"
        self._pages = BoothPages(self, server.hosts, cookie, encrypted=encrypted, keeps=keeps)
        self.link = f"{server.url}/#{self._pages.sign_in.links.issue(PLAYER)}"
        server.start(self._pages.app)
        threading.Thread(target=self._watch, daemon=True, name="phone").start()

    @property
    def drawn_link(self) -> str:
        """The link as a code for the camera of a phone."""
        return qr_code(self.link)

    def wait(self) -> None:
        """Wait until the phone is there, with its microphone."""
        while not self._listened.wait(_LOOK_S):
            pass  # Python may notice Ctrl-C only when a wait ends

    def join(
        self, role: str, run: str, stream: str, send: PhoneSend, *, again: bool
    ) -> PhoneCall | None:
        """See :class:`blindplay.console.phone.PhonePort`."""
        with self._lock:
            if again and self._phone.run not in ("", run):
                return None
            self._phone.join(run, stream, send, time.monotonic())
        return PhoneCall(self, self._phone, send)

    def heard_from(self, phone: Phone) -> None:
        phone.heard_at = time.monotonic()

    def message(self, phone: Phone, told: Mapping[str, Any]) -> None:
        if phone.told(told, time.monotonic()):
            return
        if told.get("do") == "listen":
            phone.send({"hears": "yes"})
            self._listened.set()
        elif told.get("do") == "key" and told.get("key") in _KEYS:
            call(self.on_key, Key(told["key"]))

    def close(self) -> None:
        self._closed.set()
        self._pages.close()
        self._server.close()

    def _watch(self) -> None:
        phone = self._phone
        while not self._closed.wait(_LOOK_S):
            now = time.monotonic()
            phone.away = now - phone.heard_at >= PATIENCE_S
            if not phone.away:
                phone.ping(now)
