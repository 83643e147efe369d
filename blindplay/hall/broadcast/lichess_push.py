"""Pushes games to rounds of a broadcast at Lichess.

``POST /api/broadcast/round/{id}/push`` takes all games of a round as PGN, at most 100, and answers
with the moves or the error of each. Lichess asks programs to send one request at a time, and to
wait a full minute after the status 429. Taken from Lichess's description of its API; no push has
been tried with Lichess itself.
"""

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

import httpx

from blindplay.given import in_short, read_secret, shown
from blindplay.translation import _

LICHESS = "https://lichess.org"
MOST_ROUND = 999
MOST_GAMES = 100
PAUSE_S = 5.0
"""The least time between two pushes."""
LIMITED_S = 60.0
"""The least time after the status 429."""

_TIMEOUT_S = 20.0
_LAST_PAUSE_S = 60.0
_MOST_WAIT_S = 3600.0
_MOST_ANSWER = 2_000_000  # bytes
_ROUND_ID = re.compile("[A-Za-z0-9]{8}")
_LICHESS_KEYS = {"token", "rounds", "server"}


@dataclass(frozen=True)
class LichessRounds:
    """Broadcast rounds at Lichess, by the number of the round here."""

    token: Path
    """A file with the token. Only its owner may be able to read it."""
    rounds: Mapping[int, str] = field(default_factory=dict)
    server: str = LICHESS


def check_keys(values: Any, known: set[str], part: str) -> None:
    if not isinstance(values, dict):
        raise ValueError(_("{part} must be a part of its own.", part=part))
    if unknown := sorted(values.keys() - known):
        raise ValueError(
            _(
                "{part} knows no {unknown}; it has {known}.",
                part=part,
                unknown=shown(unknown[0]),
                known=", ".join(sorted(known)),
            )
        )


def text_of(values: dict[str, Any], name: str) -> str:
    value = values.get(name, "")
    if not isinstance(value, str):
        raise ValueError(_("{name} must be words in quotes.", name=name))
    return value


def lichess_rounds(values: Any, folder: Path) -> LichessRounds:
    """The part ``[broadcast.lichess]`` of the event file, whose paths are relative to ``folder``.

    :raises ValueError: one sentence, if something in it is wrong.
    """
    check_keys(values, _LICHESS_KEYS, "[broadcast.lichess]")
    token, rounds = text_of(values, "token"), values.get("rounds", {})
    if not token:
        raise ValueError(
            _("[broadcast.lichess] names no token, the file with the token of Lichess.")
        )
    if not isinstance(rounds, dict) or not rounds:
        raise ValueError(
            _('rounds must give each round its name at Lichess, such as 1 = "a1b2c3d4".')
        )
    names = dict(map(_round, rounds.items()))
    return LichessRounds(folder / token, MappingProxyType(names), _server(values))


def _round(item: tuple[str, Any]) -> tuple[int, str]:
    number, name = item
    plain = number.isascii() and number.isdigit() and 0 < int(number[:4]) <= MOST_ROUND
    if not plain or not isinstance(name, str) or not _ROUND_ID.fullmatch(name):
        raise ValueError(
            _(
                "{number} is not a round with its name at Lichess; the name is the last "
                'part of the address of the round there, such as 1 = "a1b2c3d4".',
                number=shown(number),
            )
        )
    return int(number), name


def _server(values: dict[str, Any]) -> str:
    """The server's address. A token goes out encrypted, or stays on this machine."""
    server = text_of(values, "server") or LICHESS
    place = urlsplit(server)
    local = place.scheme == "http" and place.hostname in ("localhost", "127.0.0.1", "::1")
    if not place.hostname or not (place.scheme == "https" or local):
        raise ValueError(_("server must be an address that begins with https."))
    return server.rstrip("/")


RoundGames = Mapping[int, Sequence[str]]
"""The games of each round in PGN, by the number of the round."""


@dataclass(frozen=True)
class PushReport:
    """The result of a push. ``sentence`` is for the organiser; ``ok``: the games are at Lichess."""

    round: int
    ok: bool
    sentence: str


class _RefusedError(Exception):
    """A push that failed; the message is a sentence. ``wait``: seconds until the next."""

    def __init__(self, sentence: str, wait: float = 0.0) -> None:
        super().__init__(sentence)
        self.wait = wait


class LichessPush:
    """Keeps the rounds at Lichess up to date. For one thread; :meth:`push` blocks."""

    def __init__(
        self,
        rounds: LichessRounds,
        now: Callable[[], float] = time.monotonic,
        timeout: float = _TIMEOUT_S,
    ) -> None:
        """:raises ValueError: if the token cannot be read, or others can read it."""
        read_token(rounds.token)
        self._rounds, self._now = rounds, now
        self._client = httpx.Client(timeout=timeout, follow_redirects=False)
        self._pushed: dict[int, str] = {}  # the content of each round at Lichess
        self._due = 0.0
        self._failed = 0  # times, one after the other
        self._turns = sorted(rounds.rounds)  # the round that was pushed last comes last

    @property
    def due(self) -> float:
        """When the next push may be, as ``now`` says it."""
        return self._due

    def push(self, games: RoundGames) -> PushReport | None:
        """Push one round that has changed; None if none has, or it is too early."""
        if self._now() < self._due:
            return None
        for number in self._turns:
            pgns = games.get(number, ())
            text = "\n\n\n".join(pgns[:MOST_GAMES])
            if text and self._pushed.get(number) != text:
                self._turns = [*(turn for turn in self._turns if turn != number), number]
                return self._push(number, self._rounds.rounds[number], text, len(pgns))
        return None

    def _push(self, number: int, name: str, text: str, count: int) -> PushReport:
        try:
            answer = self._post(f"/api/broadcast/round/{name}/push", text)
            report = _report(number, answer, count)
        except _RefusedError as refused:
            self._failed += 1
            pause = min(PAUSE_S * 2 ** min(self._failed, 10), _LAST_PAUSE_S)
            self._due = self._now() + max(pause, refused.wait)
            return PushReport(number, False, str(refused))
        self._failed, self._pushed[number] = 0, text
        self._due = self._now() + PAUSE_S
        return report

    def _post(self, path: str, text: str) -> dict[str, Any]:
        """The answer to a request. The token is read each time, so that a new one can replace it.

        :raises _RefusedError: if there is none, or it is a refusal.
        """
        try:
            headers = {
                "authorization": f"Bearer {read_token(self._rounds.token)}",
                "content-type": "text/plain; charset=utf-8",
                "user-agent": "BlindPlay",
            }
        except ValueError as error:
            raise _RefusedError(str(error)) from None
        try:
            url = f"{self._rounds.server}{path}"
            with self._client.stream("POST", url, content=text.encode(), headers=headers) as got:
                body = b""
                for part in got.iter_bytes():
                    body += part
                    if len(body) > _MOST_ANSWER:
                        raise _RefusedError(_("Lichess answers with too much; it is tried again."))
                return _answer(got, body)
        except httpx.TimeoutException:
            raise _RefusedError(_("Lichess does not answer in time; it is tried again.")) from None
        except (httpx.HTTPError, httpx.InvalidURL):
            raise _RefusedError(
                _("Lichess cannot be reached; it is tried again. Check the way to the internet.")
            ) from None

    def close(self) -> None:
        self._client.close()


def read_token(path: Path) -> str:
    """The token in a file.

    :raises ValueError: one sentence, if it cannot be read, is not a token, or others can read it.
    """
    content = read_secret(path)
    try:
        token = content.decode("ascii").strip()
    except UnicodeDecodeError:
        token = ""
    if not token or not token.isprintable() or " " in token:
        raise ValueError(
            _("{path} holds no token; write the one that Lichess shows into it.", path=path)
        )
    return token


def _answer(got: httpx.Response, body: bytes) -> dict[str, Any]:
    status = got.status_code
    if status == 429:
        raise _RefusedError(
            _("Lichess asks to wait; it is tried again later."),
            max(LIMITED_S, _retry_after(got.headers.get("retry-after", ""))),
        )
    if status == 401:
        raise _RefusedError(
            _(
                "Lichess does not accept the token; write a new one, which may write studies, "
                "into the file of the token."
            ),
            _LAST_PAUSE_S,
        )
    if status in (403, 404):
        raise _RefusedError(
            _(
                "Lichess knows no such round for this token; correct the rounds in the event "
                "file, or use a token of the broadcast's owner."
            ),
            _LAST_PAUSE_S,
        )
    try:
        value = json.loads(body)
        if not isinstance(value, dict):
            raise ValueError
    except (ValueError, RecursionError):
        value = {}
    if status == 400:
        why = in_short(str(value["error"])) if "error" in value else _("no reason")
        raise _RefusedError(_("Lichess refuses the games: {why}", why=why))
    if status != 200 or not isinstance(value.get("games"), list):
        raise _RefusedError(
            _("Lichess has a problem (status {status}); it is tried again.", status=status)
        )
    return value


def _retry_after(text: str) -> float:
    """The seconds in a header Retry-After, which gives seconds or a date; 0.0 if it is neither."""
    if text.isascii() and text.isdigit():
        return min(float(text[:9]), _MOST_WAIT_S)
    try:
        wait = parsedate_to_datetime(text).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError):
        return 0.0
    return min(max(wait, 0.0), _MOST_WAIT_S)


def _report(number: int, answer: dict[str, Any], count: int) -> PushReport:
    """The report from Lichess's answer, which names each game."""
    games = [game for game in answer["games"] if isinstance(game, dict)]
    wrong = [_wrong(game) for game in games if game.get("error")]
    moves = sum(game["moves"] for game in games if type(game.get("moves")) is int)
    if wrong:
        return PushReport(
            number, False, _("Lichess refuses games: {wrong}", wrong=in_short("; ".join(wrong)))
        )
    if count > MOST_GAMES:
        return PushReport(
            number,
            False,
            _(
                "Lichess takes {most_games} games a round, and there are {count}.",
                most_games=MOST_GAMES,
                count=count,
            ),
        )
    return PushReport(
        number,
        True,
        _(
            "Round {number} is at Lichess: {count} games, {moves} moves.",
            number=number,
            count=len(games),
            moves=moves,
        ),
    )


def _wrong(game: dict[str, Any]) -> str:
    tags = game.get("tags")
    known = tags if isinstance(tags, dict) else {}
    players = " – ".join(str(known.get(side, "?")) for side in ("White", "Black"))
    return f"{players}: {game['error']}"
