"""Who comes in: one secret link a role, sessions, and how much anybody may ask for.

A link's token and a session's cookie are 256 random bits each. Only their digests are kept, and
compared in constant time, so that nothing in memory dumps, files or logs opens a page.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from blindplay.record.files import write_new

_SESSIONS_A_ROLE = 16


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


@dataclass
class BrowserSession:
    """One browser that has come in with a role's link."""

    role: str
    digest: bytes = field(repr=False)
    language: str
    theme: str = ""
    """One of :data:`~.views.THEMES`, or nothing: the colours that the system wants."""
    messages: list[tuple[bool, str]] = field(default_factory=list)
    """What the next page says, with whether it is a refusal, for browsers without scripts."""


class AccessLinks:
    """The links of one table. Safe to use from many threads.

    With a ``file`` they outlast the process: who was in before a power cut is in after it.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._lock = threading.Lock()
        self._tokens: dict[str, bytes] = {}
        self._sessions: list[BrowserSession] = []
        self._displaced: deque[bytes] = deque(maxlen=_SESSIONS_A_ROLE)
        self._file = file
        if file is not None:
            # A file that is not there, or not ours, opens no door; new links do.
            with contextlib.suppress(
                OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError
            ):
                self._read(json.loads(file.read_text("utf-8")))

    def _read(self, kept: dict[str, dict[str, Any]]) -> None:
        tokens = {role: bytes.fromhex(digest) for role, digest in kept["links"].items()}
        sessions = [
            BrowserSession(one["role"], bytes.fromhex(digest), one["language"], one["theme"])
            for digest, one in kept["sessions"].items()
        ]
        self._tokens, self._sessions = tokens, sessions

    def keep(self) -> None:
        """Write down who is in, in which language and colours; nothing that opens a door."""
        if self._file is None:
            return
        with self._lock:
            kept = {
                "links": {role: digest.hex() for role, digest in self._tokens.items()},
                "sessions": {
                    one.digest.hex(): {
                        "role": one.role, "language": one.language, "theme": one.theme,
                    }
                    for one in self._sessions
                },
            }  # fmt: skip
            with contextlib.suppress(OSError):  # on a full disk the file stays as it is
                write_new(self._file, json.dumps(kept).encode())

    def given(self) -> dict[str, int]:
        """The roles whose link opens something, with how many browsers have come in with it."""
        with self._lock:
            return {role: sum(one.role == role for one in self._sessions) for role in self._tokens}

    def issue(self, role: str) -> str:
        """A new token for ``role``, which no one can ask for again. The old one, and all who came
        in with it, are out."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._drop(role)
            self._tokens[role] = _digest(token)
        self.keep()
        return token

    def revoke(self, role: str) -> None:
        """From now on nobody has this role."""
        with self._lock:
            self._drop(role)
        self.keep()

    def _drop(self, role: str) -> None:
        self._tokens.pop(role, None)
        self._sessions = [one for one in self._sessions if one.role != role]

    def enter(self, token: str, language: str) -> tuple[BrowserSession, str] | None:
        """A session for a token and the secret of its cookie; None for a token that opens nothing.
        A role has a handful of sessions; the oldest gives way, and :meth:`displaced` tells it."""
        given = _digest(token)
        with self._lock:
            # Every token is compared, so that the time taken tells nothing.
            fits = [r for r, known in self._tokens.items() if hmac.compare_digest(known, given)]
            if not fits:
                return None
            secret = secrets.token_urlsafe(32)
            session = BrowserSession(fits[0], _digest(secret), language)
            mine = [one for one in self._sessions if one.role == session.role]
            if len(mine) >= _SESSIONS_A_ROLE:
                self._sessions.remove(mine[0])
                self._displaced.append(mine[0].digest)
            self._sessions.append(session)
        self.keep()
        return session, secret

    def session(self, role: str, secret: str) -> BrowserSession | None:
        """The session of ``role`` with this cookie, if there is one."""
        given = _digest(secret)
        with self._lock:
            fits = [one for one in self._sessions if hmac.compare_digest(one.digest, given)]
        return next((one for one in fits if one.role == role), None)

    def displaced(self, secret: str) -> bool:
        """Whether the session with this cookie has given way to a newer one of its role."""
        given = _digest(secret)
        with self._lock:
            return any(hmac.compare_digest(one, given) for one in self._displaced)


class RateLimiter:
    """So many requests a second, and a few more at once, for each of many askers."""

    _MOST = 1000

    def __init__(
        self, a_second: float, at_once: int, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._now = a_second, float(at_once), now
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, who: str) -> bool:
        """Whether ``who`` may ask once more just now."""
        now = self._now()
        left, at = self._left.get(who, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._rate)
        if len(self._left) >= self._MOST:  # as many askers are no players of one table
            self._left.clear()
        self._left[who] = (max(0.0, left - 1) if left >= 1 else left, now)
        return left >= 1
