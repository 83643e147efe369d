"""Access links, one for each role; sessions; and the rate limiter.

A link's token and a session's cookie are 256 random bits each. Only their digests are kept, and
they are compared in constant time, so nothing in a file, a log or a memory dump opens a page.
"""

import contextlib
import hashlib
import hmac
import json
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from blindplay.laws.state import OTHER
from blindplay.own_files import read_object
from blindplay.record.files import write_new

from .actions import ActionResult, AskedAction

_MOST = 64


class DoneOnce:
    """The actions of one browser, by the ids that its pages have given.

    A page that gets no answer asks for the result of its action. If the action has not come by
    then, it is void: a request that was on its way so long is refused when it comes. Used in the
    server's event loop only.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[str, Future[ActionResult] | None] = OrderedDict()

    def begin(self, key: str) -> Future[ActionResult] | None:
        """The place of the answer of a new action; None if its id was used or is void. Without an
        id, an action is always new."""
        place = Future[ActionResult]()
        if key:
            if key in self._known:
                return None
            self._keep(key, place)
        return place

    def answer(self, key: str) -> Future[ActionResult] | None:
        """The place of the answer of an action; None if it has not come, or is void."""
        return self._known.get(key)

    def forbid(self, key: str) -> None:
        """Make an action void that has not come."""
        if key not in self._known:
            self._keep(key, None)

    def _keep(self, key: str, place: Future[ActionResult] | None) -> None:
        self._known[key] = place
        if len(self._known) > _MOST:
            self._known.popitem(last=False)


_SESSIONS_A_ROLE = 16
_MOST_INVITED = 64


def _of_other_colour(role: str) -> str:
    *whose, side = role.split(":")
    return ":".join((*whose, OTHER.get(side, side)))


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


@dataclass
class BrowserSession:
    """One browser that has come in with a role's link."""

    role: str
    digest: bytes = field(repr=False)
    language: str
    theme: str = ""
    """One of :data:`~.views.THEMES`; empty: the colours of the device."""
    messages: list[tuple[bool, str]] = field(default_factory=list)
    """Sentences for the next page of a browser without scripts, and whether each is a refusal."""
    asked: AskedAction | None = None
    """Its last action."""
    who: str = ""
    """The name of the person, where several have the same role."""
    once: DoneOnce = field(default_factory=DoneOnce, repr=False, compare=False)
    """The actions about which its pages may ask again."""


class AccessLinks:
    """The access links of one table. Safe to use from several threads.

    With a ``file``, sessions survive a restart.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._lock = threading.Lock()
        self.changes = 0
        """How often a rematch, or reversed colours (7.3), have changed the players' colours. Each
        has pages at other addresses, so that an open page from before is known by its address."""
        self._swapped = False  # the colours that this game began with
        self._tokens: dict[str, bytes] = {}
        self._sessions: list[BrowserSession] = []
        self._displaced: deque[bytes] = deque(maxlen=_SESSIONS_A_ROLE)
        self._invited: OrderedDict[bytes, str] = OrderedDict()  # roles, by the digests
        self._file = file
        if file is not None:
            # Without a readable file there are no sessions; new links open the pages.
            with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
                self._read(read_object(file))

    def _read(self, kept: dict[str, Any]) -> None:
        tokens = {role: bytes.fromhex(digest) for role, digest in kept["links"].items()}
        sessions = [
            BrowserSession(
                one["role"],
                bytes.fromhex(digest),
                one["language"],
                one["theme"],
            )
            for digest, one in kept["sessions"].items()
        ]
        self.changes, self._swapped = int(kept.get("changes", 0)), bool(kept.get("swapped"))
        self._tokens, self._sessions = tokens, sessions

    def keep(self) -> None:
        """Write the sessions, with their languages and colours, but no secret, into the file."""
        if self._file is None:
            return
        with self._lock:
            links = {role: digest.hex() for role, digest in self._tokens.items()}
            sessions = {
                one.digest.hex(): {
                    name: getattr(one, name) for name in ("role", "language", "theme")
                }
                for one in self._sessions
            }
            kept = {
                "links": links,
                "sessions": sessions,
                "changes": self.changes,
                "swapped": self._swapped,
            }
            with contextlib.suppress(OSError):  # on a full disk the file stays as it is
                write_new(self._file, json.dumps(kept).encode())

    def change_colours(self) -> None:
        """Give each player, and each player's assistant, the links and sessions of the other."""
        with self._lock:
            self.changes += 1
            self._invited.clear()
            self._tokens = {_of_other_colour(role): token for role, token in self._tokens.items()}
            self._sessions = [
                replace(one, role=_of_other_colour(one.role)) for one in self._sessions
            ]

    def follow(self, *, swapped: bool) -> bool:
        """Let the links and sessions stay with their people, whose colours this game began with or
        has ``swapped``. Return whether they have changed."""
        if swapped is self._swapped:
            return False
        self._swapped = swapped
        self.change_colours()
        self.keep()
        return True

    def move_to(self, file: Path) -> None:
        """Keep the sessions in ``file``, that of the next game, from now on."""
        self._file, self._swapped = file, False
        self.keep()

    def given(self) -> dict[str, int]:
        """The roles with a valid link, and how many browsers have come in with it."""
        with self._lock:
            return {role: sum(one.role == role for one in self._sessions) for role in self._tokens}

    def issue(self, role: str) -> str:
        """A new token for ``role``. It ends the old one and the sessions that came in with it."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._drop(role)
            self._tokens[role] = _digest(token)
        self.keep()
        return token

    def invite(self, role: str) -> str:
        """A token that opens one session of ``role``, and ends nothing. It is kept in no file."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._invited[_digest(token)] = role
            if len(self._invited) > _MOST_INVITED:
                self._invited.popitem(last=False)
        return token

    def revoke(self, role: str) -> None:
        """End the token of ``role`` and the sessions that came in with it."""
        with self._lock:
            self._drop(role)
        self.keep()

    def _drop(self, role: str) -> None:
        self._tokens.pop(role, None)
        for one in [one for one, invited in self._invited.items() if invited == role]:
            del self._invited[one]
        self._sessions = [one for one in self._sessions if one.role != role]

    def enter(self, token: str, language: str) -> tuple[BrowserSession, str] | None:
        """A new session and the secret of its cookie; None if the token is not valid. If a role has
        too many sessions, the oldest ends; :meth:`displaced` then tells its browser."""
        given = _digest(token)
        with self._lock:
            # Compare all tokens, so that the time taken tells nothing.
            every = [*self._tokens.items(), *((role, one) for one, role in self._invited.items())]
            fits = [role for role, known in every if hmac.compare_digest(known, given)]
            self._invited.pop(given, None)
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

    def session(self, role: str | None, secret: str) -> BrowserSession | None:
        """The session of ``role``, or of any, with this cookie; None if there is none."""
        given = _digest(secret)
        with self._lock:
            fits = [one for one in self._sessions if hmac.compare_digest(one.digest, given)]
        return next((one for one in fits if role in (None, one.role)), None)

    def displaced(self, secret: str) -> bool:
        """Return whether a newer session of the same role has displaced the cookie's session."""
        given = _digest(secret)
        with self._lock:
            return any(hmac.compare_digest(one, given) for one in self._displaced)


def keep_for_next_game(before: Path, file: Path, *, changes_colours: bool) -> bool:
    """Let the browsers of the file ``before`` come in to the next game at the same table, whose
    file is ``file``, as the same people; return whether they can."""
    links = AccessLinks(before)
    if changes_colours:
        links.change_colours()
    links.move_to(file)
    return file.is_file() and bool(links.given())  # on a full disk it is not written


class RateLimiter:
    """Allows each client ``a_second`` requests per second, and ``at_once`` in a burst."""

    _MOST = 1000

    def __init__(
        self, a_second: float, at_once: int, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._now = a_second, float(at_once), now
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, client: str) -> bool:
        """Count one request of ``client``; return False if it exceeds the limit."""
        now = self._now()
        left, at = self._left.get(client, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._rate)
        if len(self._left) >= self._MOST:  # a table does not have so many clients
            self._left.clear()
        self._left[client] = (left - 1 if left >= 1 else left, now)
        return left >= 1
