"""Pushes games to rounds of a broadcast at Lichess.

``POST /api/broadcast/round/{id}/push`` takes all games of a round as PGN, at most 100, and answers
with the moves or the error of each. Lichess asks programs to send one request at a time, and to
wait a full minute after the status 429. Taken from Lichess's description of its API; no push has
been tried with Lichess itself.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from blindplay.given import in_short, read_secret, shown
from blindplay.opponents.lichess.api import (
    SERVER,
    USUAL,
    Account,
    LichessApi,
    LichessError,
    LimitedError,
    LostLineError,
    MissingError,
    TokenError,
    Waits,
    checked_token,
)
from blindplay.translation import UserError, _

from ..event_file import check_keys, text_of

MOST_ROUND = 999
MOST_GAMES = 100
PAUSE_S = 5.0
"""The least time between two pushes."""
LIMITED_S = 60.0
"""The time after the status 429, and after a refusal that only the organiser can mend."""

_LAST_PAUSE_S = 60.0
_ROUND_ID = re.compile("[A-Za-z0-9]{8}")
_LICHESS_KEYS = {"token", "rounds", "server"}
_WHY: Mapping[type[LichessError], str] = {
    LimitedError: _("Lichess asks to wait; it is tried again later."),
    TokenError: _(
        "Lichess does not accept the token; write a new one, which may write studies, "
        "into the file of the token."
    ),
    MissingError: _(
        "Lichess knows no such round for this token; correct the rounds in the event "
        "file, or use a token of the broadcast's owner."
    ),
}


@dataclass(frozen=True)
class LichessRounds:
    """Broadcast rounds at Lichess, by the number of the round here."""

    token: Path
    """A file with the token. Only its owner may be able to read it."""
    rounds: Mapping[int, str] = field(default_factory=dict)
    server: str = SERVER


def lichess_rounds(values: Any, folder: Path) -> LichessRounds:
    """The part ``[broadcast.lichess]`` of the event file, whose paths are relative to ``folder``.

    :raises ValueError: one sentence, if something in it is wrong.
    """
    check_keys(values, _LICHESS_KEYS, "[broadcast.lichess]")
    token, rounds = text_of(values, "token"), values.get("rounds", {})
    if not token:
        raise UserError("[broadcast.lichess] names no token, the file with the token of Lichess.")
    if not isinstance(rounds, dict) or not rounds:
        raise UserError('rounds must give each round its name at Lichess, such as 1 = "a1b2c3d4".')
    names = dict(map(_round, rounds.items()))
    return LichessRounds(folder / token, MappingProxyType(names), _server(values))


def _round(item: tuple[str, Any]) -> tuple[int, str]:
    number, name = item
    plain = number.isascii() and number.isdigit() and 0 < int(number[:4]) <= MOST_ROUND
    if not plain or not isinstance(name, str) or not _ROUND_ID.fullmatch(name):
        raise UserError(
            "{number} is not a round with its name at Lichess; the name is the last "
            'part of the address of the round there, such as 1 = "a1b2c3d4".',
            number=shown(number),
        )
    return int(number), name


def _server(values: dict[str, Any]) -> str:
    """The server's address. A token goes out encrypted, or stays on this machine."""
    server = text_of(values, "server") or SERVER
    place = urlsplit(server)
    local = place.scheme == "http" and place.hostname in ("localhost", "127.0.0.1", "::1")
    if not place.hostname or not (place.scheme == "https" or local):
        raise UserError("server must be an address that begins with https.")
    return server.rstrip("/")


RoundGames = Mapping[int, Sequence[str]]
"""The games of each round in PGN, by the number of the round."""


class LichessPush:
    """Keeps the rounds at Lichess up to date. For one thread; :meth:`push` blocks."""

    def __init__(
        self,
        rounds: LichessRounds,
        now: Callable[[], float] = time.monotonic,
        waits: Waits = USUAL,
    ) -> None:
        """:raises ValueError: if the token cannot be read, or others can read it."""
        read_token(rounds.token)
        self._rounds, self._now, self._waits = rounds, now, waits
        self._pushed: dict[int, str] = {}  # the content of each round at Lichess
        self._due = 0.0
        self._failed = 0  # times, one after the other
        self._turns = sorted(rounds.rounds)  # the round that was pushed last comes last

    @property
    def due(self) -> float:
        """When the next push may be, as ``now`` says it."""
        return self._due

    def push(self, games: RoundGames) -> str:
        """Push one round that has changed. Return a sentence on the result for the organiser; empty
        if none has changed, or it is too early."""
        if self._now() < self._due:
            return ""
        for number in self._turns:
            pgns = games.get(number, ())
            text = "\n\n\n".join(pgns[:MOST_GAMES])
            if text and self._pushed.get(number) != text:
                self._turns = [*(turn for turn in self._turns if turn != number), number]
                return self._push(number, self._rounds.rounds[number], text, len(pgns))
        return ""

    def _push(self, number: int, name: str, text: str, count: int) -> str:
        try:
            report = _report(number, self._post(name, text), count)
        except (LichessError, ValueError) as error:
            self._failed += 1
            pause = min(PAUSE_S * 2 ** min(self._failed, 10), _LAST_PAUSE_S)
            why = _WHY.get(type(error)) if isinstance(error, LichessError) else None
            self._due = self._now() + (LIMITED_S if why else pause)
            return why or str(error)
        self._failed, self._pushed[number] = 0, text
        self._due = self._now() + PAUSE_S
        return report

    def _post(self, name: str, text: str) -> list[dict[str, Any]]:
        """What Lichess says of each game. The token is read each time, so that a new one can
        replace it.

        :raises LichessError: one of its kinds.
        :raises ValueError: if the token cannot be read.
        """
        account = Account("", read_token(self._rounds.token), self._rounds.server)
        with LichessApi(account, self._waits) as api:
            value, _rest = api.ask("POST", f"/api/broadcast/round/{name}/push", text=text)
        games = value.get("games") if isinstance(value, dict) else None
        if not isinstance(games, list):
            raise LostLineError("Lichess has a problem: {why}", why=_("no answer about games"))
        return [game for game in games if isinstance(game, dict)]


def read_token(path: Path) -> str:
    """The token in a file.

    :raises ValueError: one sentence, if it cannot be read, is not a token, or others can read it.
    """
    content = read_secret(path)
    try:
        return checked_token(content.decode("ascii", "replace"))
    except ValueError:
        raise UserError(
            "{path} holds no token; write the one that Lichess shows into it.", path=path
        ) from None


def _report(number: int, games: Sequence[dict[str, Any]], count: int) -> str:
    """The sentence on Lichess's answer, which names each game."""
    wrong = [_wrong(game) for game in games if game.get("error")]
    moves = sum(game["moves"] for game in games if type(game.get("moves")) is int)
    if wrong:
        return _("Lichess refuses games: {wrong}", wrong=in_short("; ".join(wrong)))
    if count > MOST_GAMES:
        return _(
            "Lichess takes {most_games} games a round, and there are {count}.",
            most_games=MOST_GAMES,
            count=count,
        )
    return _(
        "Round {number} is at Lichess: {count} games, {moves} moves.",
        number=number,
        count=len(games),
        moves=moves,
    )


def _wrong(game: dict[str, Any]) -> str:
    tags = game.get("tags")
    known = tags if isinstance(tags, dict) else {}
    players = " – ".join(str(known.get(side, "?")) for side in ("White", "Black"))
    return f"{players}: {game['error']}"
