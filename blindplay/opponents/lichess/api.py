"""Requests to Lichess: one at a time, and streams of events beside them.

Lichess describes it at https://lichess.org/api: a stream is a line of JSON for each event, with a
blank line every few seconds so that a cut is noticed. After the status 429 programs wait a minute.
"""

import contextlib
import json
import logging
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import httpx

from blindplay.given import in_short

from .account import SCOPES, Account

logging.getLogger("httpx").setLevel(logging.WARNING)  # requests are for nobody's terminal
_MOST_LINE = 1_000_000  # characters of an event


class LichessError(RuntimeError):
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
    """Seconds to wait: for an answer, for the next line of a stream, after the status 429, before
    each new try of a stream (the last one again and again), and before a made move counts if no
    clock is pressed."""

    answer_s: float = 15.0
    quiet_s: float = 20.0
    limited_s: float = 60.0
    retry_s: tuple[float, ...] = (0.5, 1, 2, 4, 8, 15, 30)
    unpressed_s: float = 2.0

    def before_retry(self, failures: int) -> float:
        return self.retry_s[min(failures, len(self.retry_s) - 1)]


USUAL = Waits()


class EventLines:
    """The events of one stream; None for each blank line. It is closed from any thread."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[Mapping[str, Any] | None]:
        """:raises LostLineError: if the stream is cut, or what comes is not an event."""
        with _told_in_our_words():
            for line in self._response.iter_lines():
                if not line.strip():
                    yield None
                    continue
                event = _value(line) if len(line) <= _MOST_LINE else None
                if not isinstance(event, dict):
                    raise LostLineError("Lichess sends what is not an event.")
                yield event

    def close(self) -> None:
        """End the stream, also while another thread waits for its next line."""
        stream = self._response.extensions.get("network_stream")
        line = stream.get_extra_info("socket") if stream is not None else None
        if line is not None:
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)


@cache
def _trusted() -> ssl.SSLContext:
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
            verify=_trusted(),
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
        self, method: str, path: str, data: Mapping[str, str] | None = None
    ) -> tuple[Any, httpx.Headers]:
        """The answer to a request and its headers.

        :raises LichessError: one of its kinds.
        """
        with self._one_at_a_time, _told_in_our_words():
            answer = self._client.request(method, path, data=data)
        value = _value(answer.text)
        _check(answer.status_code, value)
        return value, answer.headers

    @contextlib.contextmanager
    def stream(
        self, method: str, path: str, data: Mapping[str, str] | None = None
    ) -> Iterator[EventLines]:
        """Open a stream.

        :raises LichessError: one of its kinds.
        """
        with _told_in_our_words():
            request = self._client.build_request(
                method, path, data=data, timeout=self._while_streaming
            )
            response = self._client.send(request, stream=True)
        try:
            if response.status_code >= 300:
                with _told_in_our_words():
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
        value, _ = self.ask("GET", "/api/account/playing")
        games = value.get("nowPlaying", ()) if isinstance(value, dict) else ()
        return [game for game in games if isinstance(game, dict)]

    def in_game(self, game: str, what: str) -> None:
        """Do ``what`` in a game: ``move/e2e4``, ``resign``, ``draw/yes`` and more."""
        self.ask("POST", f"/api/board/game/{game}/{what}")

    def chat(self, game: str) -> list[tuple[str, str]]:
        """The lines of the players' chat, each with its writer."""
        value, _ = self.ask("GET", f"/api/board/game/{game}/chat")
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
    said = value.get("error") if isinstance(value, dict) else None
    why = in_short(said) if isinstance(said, str) else f"status {status}"
    if status == 429:
        raise LimitedError("Lichess asks to wait for a minute.")
    if status in (401, 403):
        raise TokenError(
            "Lichess does not accept the token, or it does not permit this; run: "
            "blindplay lichess login"
        )
    if status == 404:
        raise MissingError(f"Lichess does not find it: {why}")
    if 400 <= status < 500:
        raise RefusedError(f"Lichess refuses: {why}")
    raise LostLineError(f"Lichess has a problem: {why}")


@contextlib.contextmanager
def _told_in_our_words() -> Iterator[None]:
    """:raises LostLineError: for any error that cuts a connection; it names no header."""
    try:
        yield
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, RuntimeError):
        raise LostLineError("Lichess cannot be reached. Check the way to the internet.") from None
