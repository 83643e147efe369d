"""The account at Lichess, requests to it one at a time, and streams of events beside them.

The account's token lies in a file that nobody else can read. Lichess describes its interface at
https://lichess.org/api: a stream is a line of JSON for each event, with a blank line every few
seconds so that a cut is noticed. After the status 429 programs wait a minute. The stream of a game
is read in a thread of its own, and opened again whenever it is cut.
"""

import contextlib
import itertools
import json
import logging
import re
import socket
import ssl
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Self

import httpx

from blindplay.given import in_short, read_secret
from blindplay.own_files import data_folder
from blindplay.record.files import write_new
from blindplay.translation import SentenceError, UserError

SERVER = "https://lichess.org"
SCOPES = ("board:play", "challenge:write")
"""The permissions that a token needs."""
_TOKEN = re.compile("[A-Za-z0-9_]{1,2000}", re.ASCII)


@dataclass(frozen=True)
class Account:
    """``name`` is the user's at ``server``. The token is never shown."""

    name: str
    token: str = field(repr=False)
    server: str = SERVER


def token_file() -> Path:
    """Return the path of the file with the account."""
    return data_folder() / "lichess.json"


def token_page(server: str = SERVER) -> str:
    """The page at which a user makes a token that permits what is needed."""
    scopes = "&".join(f"scopes[]={scope}" for scope in SCOPES)
    return f"{server}/account/oauth/token/create?{scopes}&description=BlindPlay"


def checked_token(text: str) -> str:
    """:raises ValueError: if ``text`` is not a token; the message does not repeat it."""
    token = text.strip()
    if not _TOKEN.fullmatch(token):
        raise UserError(
            "That is not a token; copy the whole token that Lichess shows, and nothing else."
        )
    return token


def keep_account(account: Account) -> None:
    """Write the account into its file, which only this user can read.

    :raises OSError: if it cannot be written.
    """
    path = token_file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    known = {"server": account.server, "name": account.name, "token": account.token}
    write_new(path, json.dumps(known).encode())


def kept_account() -> Account:
    """:raises ValueError: if no account is kept, or others can read it; one sentence."""
    path = token_file()
    if not path.exists():
        raise UserError("Your Lichess account is not known yet; run: blindplay lichess login")
    content = read_secret(path)
    try:
        known = json.loads(content)
        return Account(str(known["name"]), checked_token(known["token"]), str(known["server"]))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UserError("{path} is damaged; run: blindplay lichess login", path=path) from None


def forget_account() -> bool:
    """Remove the file; False if there is none.

    :raises OSError: if it cannot be removed.
    """
    path = token_file()
    known = path.exists()
    path.unlink(missing_ok=True)
    return known


logging.getLogger("httpx").setLevel(logging.WARNING)  # requests are for nobody's terminal
_MOST_LINE = 1_000_000  # characters of an event
_MOST_ANSWER = 2_000_000


class LichessError(SentenceError, RuntimeError):
    """A request failed. The message is a sentence."""


class LostLineError(LichessError):
    """Nobody knows whether Lichess got the request."""


class LimitedError(LichessError):
    """Lichess has not taken the request and asks to wait."""


class RefusedError(LichessError):
    """Lichess has not done what was asked."""


class MissingError(RefusedError):
    """Lichess knows no such game, challenge or player."""


class TokenError(LichessError):
    """The token is wrong, has ended, or does not permit this."""


@dataclass(frozen=True)
class Waits:
    """Seconds to wait."""

    answer_s: float = 15.0
    quiet_s: float = 20.0
    """For the next line of a stream."""
    limited_s: float = 60.0
    """After the status 429."""
    retry_s: tuple[float, ...] = (0.5, 1, 2, 4, 8, 15, 30)
    """Before each new try of a stream, the last one again and again."""
    unpressed_s: float = 2.0
    """Before a made move counts if no clock is pressed."""

    def before_retry(self, failures: int) -> float:
        return self.retry_s[min(failures, len(self.retry_s) - 1)]


USUAL = Waits()


class EventLines:
    """The events of one stream; None for each blank line. It is closed from any thread."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[Mapping[str, Any] | None]:
        """:raises LostLineError: if the stream is cut, or what comes is not an event."""
        with _explained():
            for line in self._response.iter_lines():
                if not line.strip():
                    yield None
                    continue
                event = _value(line) if len(line) <= _MOST_LINE else None
                if not isinstance(event, dict):
                    raise LostLineError("Lichess sent something that is not an event.")
                yield event

    def close(self) -> None:
        """End the stream, also while another thread waits for its next line."""
        hang_up(self._response)


def hang_up(response: httpx.Response) -> None:
    """Cut the connection of an answer, also while another thread waits for more of it."""
    stream = response.extensions.get("network_stream")
    line = stream.get_extra_info("socket") if stream is not None else None
    if line is not None:
        with contextlib.suppress(OSError):
            line.shutdown(socket.SHUT_RDWR)


@cache
def trusted() -> ssl.SSLContext:
    """The certificates that are trusted; reading them takes a while."""
    return httpx.create_ssl_context()


class LichessApi:
    """The requests of a player to Lichess, in the name of ``account``. Several threads may use
    it."""

    def __init__(self, account: Account, waits: Waits = USUAL) -> None:
        self.waits = waits
        times = {"connect": waits.answer_s, "write": waits.answer_s, "pool": None}
        self._client = httpx.Client(
            base_url=account.server,
            headers={"authorization": f"Bearer {account.token}", "user-agent": "BlindPlay"},
            timeout=httpx.Timeout(read=waits.answer_s, **times),
            verify=trusted(),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=2),
        )
        self._while_streaming = httpx.Timeout(read=waits.quiet_s, **times)
        self._one_at_a_time = threading.Lock()

    def close(self) -> None:
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def ask(
        self, method: str, path: str, data: Mapping[str, str] | None = None, text: str | None = None
    ) -> tuple[Any, httpx.Headers]:
        """The answer to a request with a form or a text, and its headers.

        :raises LichessError: one of its kinds.
        """
        type_of = {} if text is None else {"content-type": "text/plain; charset=utf-8"}
        given = self._client.stream(method, path, data=data, content=text, headers=type_of)
        with self._one_at_a_time, _explained(), given as answer:
            told = ""
            for part in answer.iter_text():
                told += part
                if len(told) > _MOST_ANSWER:
                    raise LostLineError("Lichess answers with too much.")
        value = _value(told)
        _check(answer.status_code, value)
        return value, answer.headers

    @contextlib.contextmanager
    def stream(
        self, method: str, path: str, data: Mapping[str, str] | None = None
    ) -> Iterator[EventLines]:
        """Open a stream.

        :raises LichessError: one of its kinds.
        """
        with _explained():
            request = self._client.build_request(
                method, path, data=data, timeout=self._while_streaming
            )
            response = self._client.send(request, stream=True)
        try:
            if response.status_code >= 300:
                with _explained():
                    response.read()
                _check(response.status_code, _value(response.text))
            yield EventLines(response)
        finally:
            with contextlib.suppress(httpx.HTTPError, RuntimeError, OSError):
                response.close()

    # --- the requests ----------------------------------------------------------------------------

    def user(self) -> tuple[str, frozenset[str]]:
        """The user's name, and what the token permits.

        :raises LichessError: one of its kinds.
        """
        value, headers = self.ask("GET", "/api/account")
        name = value.get("username") if isinstance(value, dict) else None
        if not isinstance(name, str) or not name:
            raise RefusedError("This server is not Lichess: it tells no user name.")
        permitted = headers.get("x-oauth-scopes", "").split(",")
        return name, frozenset(scope.strip() for scope in permitted)

    def playing(self) -> list[Mapping[str, Any]]:
        """The user's games that are being played, those on move first."""
        value, _rest = self.ask("GET", "/api/account/playing")
        games = value.get("nowPlaying", ()) if isinstance(value, dict) else ()
        return [game for game in games if isinstance(game, dict)]

    def in_game(self, game: str, what: str) -> None:
        """Do ``what`` in a game: ``move/e2e4``, ``resign``, ``draw/yes`` and more."""
        self.ask("POST", f"/api/board/game/{game}/{what}")

    def chat(self, game: str) -> list[tuple[str, str]]:
        """The lines of the players' chat, each with its writer."""
        value, _rest = self.ask("GET", f"/api/board/game/{game}/chat")
        lines = value if isinstance(value, list) else ()
        known = [line for line in lines if isinstance(line, dict)]
        return [(str(line.get("user", "")), str(line.get("text", ""))) for line in known]


def missing_scopes(permitted: frozenset[str]) -> list[str]:
    return [scope for scope in SCOPES if scope not in permitted]


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _check(status: int, value: Any) -> None:
    """:raises LichessError: unless ``status`` says that all is well."""
    if 200 <= status < 300:
        return
    reason = value.get("error") if isinstance(value, dict) else None
    why = in_short(reason) if isinstance(reason, str) else f"status {status}"
    if status == 429:
        raise LimitedError("Lichess asks to wait for a minute.")
    if status in (401, 403):
        raise TokenError(
            "Lichess does not accept the token, or it does not permit this; run: "
            "blindplay lichess login"
        )
    if status == 404:
        raise MissingError("Lichess does not find it: {why}", why=why)
    if 400 <= status < 500:
        raise RefusedError("Lichess refuses: {why}", why=why)
    raise LostLineError("Lichess has a problem: {why}", why=why)


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """:raises LostLineError: for any error that cuts a connection; it names no header."""
    try:
        yield
    except LichessError:
        raise
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, RuntimeError):
        raise LostLineError("Lichess cannot be reached. Check the way to the internet.") from None


@dataclass(frozen=True)
class StreamLine:
    """A line of the stream; ``opened``: the count at which its connection was opened, if it is the
    first line of it. ``line`` None: Lichess cannot be reached, or ``why`` there is no stream any
    more."""

    line: Mapping[str, Any] | None
    opened: int | None = None
    why: str = ""


class GameStream:
    """Brings what the stream of a game tells. ``changed`` is called, in the stream's thread, when
    something has arrived."""

    def __init__(self, api: LichessApi, changed: Callable[[], object]) -> None:
        self.arrived: deque[StreamLine] = deque()
        self._api, self._changed = api, changed
        self._count = itertools.count()
        self._done = threading.Event()
        self._connection: tuple[int, EventLines | None] = -1, None
        self._thread: threading.Thread | None = None

    @property
    def begun(self) -> bool:
        return self._thread is not None

    def begin(self, game: str) -> None:
        """Follow the game with this name."""
        path = f"/api/board/game/stream/{game}"
        self._thread = threading.Thread(
            target=self._read, args=(path,), name="lichess game", daemon=True
        )
        self._thread.start()

    def next_count(self) -> int:
        """A number that is greater than that of every connection so far."""
        return next(self._count)

    def _bring(
        self, line: Mapping[str, Any] | None, opened: int | None = None, why: str = ""
    ) -> None:
        self.arrived.append(StreamLine(line, opened, why))
        self._changed()

    def read_anew(self, since: int) -> None:
        """Open a new connection, which tells the whole game, unless the present one was opened
        after the count ``since``."""
        opened, lines = self._connection
        if lines is not None and opened <= since:
            lines.close()

    def end(self) -> None:
        """Follow the game no longer."""
        self._done.set()
        _rest, lines = self._connection
        if lines is not None:
            lines.close()

    def _read(self, path: str) -> None:
        failures, waits = 0, self._api.waits
        while not self._done.is_set():
            try:
                if self._read_once(path):
                    failures = 0
            except LimitedError:
                self._done.wait(waits.limited_s)
                continue
            except (MissingError, TokenError) as error:
                missing = isinstance(error, MissingError)
                self._bring(None, why="lichess_no_game" if missing else "lichess_token")
                return
            except LichessError:
                self._bring(None)
            self._done.wait(waits.before_retry(failures))
            failures += 1

    def _read_once(self, path: str) -> bool:
        """Read one connection to its end; return whether more than the first line came."""
        opened, number = self.next_count(), 0
        with self._api.stream("GET", path) as lines:
            self._connection = opened, lines
            with suppress(LostLineError):  # it is opened again; that may fail
                for line in lines:
                    if self._done.is_set():
                        break
                    if line is not None:
                        self._bring(line, None if number else opened)
                        number += 1
        return number > 1
