"""The assignment of a table's next game by the hall, while the table waits and after a game."""

import contextlib
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blindplay.broker import Link
from blindplay.laws.facts import Setup
from blindplay.table.pairings import Pairings
from blindplay.table.table import Table

from . import earlier_games
from .event_file import EventFile
from .pairings.rounds import Assignment, assignment_of
from .protocol import (
    LinesWanted,
    MessageError,
    Presence,
    Request,
    RequestAnswer,
    Topic,
    decode,
    encode,
    topic_of,
)
from .requests import OLDEST_S, Handler, Reply

ASSIGN, TELL = "assign", "pairings"
"""The kinds of requests: play this game next; tell your people where they play next."""
_PRESENCE_S = 10.0
_MOST_ANSWERS = 100


@dataclass(frozen=True)
class Assigned:
    """A game for a table to play, the person who asked for it, and the request's id."""

    game: Assignment
    who: str
    request: str


class NextGame:
    """The game that a table plays after the present one. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._assigned: Assigned | None = None

    @property
    def known(self) -> Assigned | None:
        with self._lock:
            return self._assigned

    def put(self, assigned: Assigned) -> None:
        with self._lock:
            self._assigned = assigned

    def take(self) -> Assigned | None:
        with self._lock:
            assigned, self._assigned = self._assigned, None
            return assigned


def handlers(table: Table, joined: EventFile, following: NextGame | None) -> Mapping[str, Handler]:
    """Return the handlers with which a table takes the hall's pairings, during and after a game.
    With ``following`` None it plays this game only."""

    def assign(request: Request, reply: Reply) -> None:
        assert following is not None
        reply(_answer(request, _assign(table, joined, following, request), table.written[0]))

    def tell(request: Request, reply: Reply) -> None:
        reply(_answer(request, _tell(table.pairings, request), table.written[0]))

    known: dict[str, Handler] = {TELL: tell}
    return known if following is None else {**known, ASSIGN: assign}


def _tell(pairings: Pairings, request: Request) -> tuple[str, str]:
    """Take the next pairings of people; return the status and a sentence."""
    try:
        told = [assignment_of(one).pairing for one in request.body["pairings"]]
    except (TypeError, KeyError, ValueError):
        return "refused", "This is not an assignment of a game."
    pairings.tell(told)
    return "done", ""


def _assign(
    table: Table, joined: EventFile, following: NextGame, request: Request
) -> tuple[str, str]:
    """Take the next game, unless one is being played; return the status and a sentence."""
    try:
        game = _game_of(request, joined)
    except ValueError as error:
        return "refused", str(error)
    with table.lock:
        setup, state = table.game.setup, table.game
        if setup is not None and _is(setup, game):
            following.take()  # an assignment in between was wrong
            if not state.started:
                table.pairings.tell([game.pairing])
            return "done", ""
        if state.started and not state.over:
            return "refused", "A game is being played there."
        following.put(Assigned(game, request.who, request.id))
    table.pairings.tell([game.pairing])
    return "done", ""


def _game_of(request: Request, joined: EventFile) -> Assignment:
    """The game that this table is to play.

    :raises ValueError: if the request gives none, or gives one to another table.
    """
    game = assignment_of(request.body)
    if game.table != joined.table:
        raise ValueError(f"This is table {joined.table}.")
    return game


def _is(setup: Setup, game: Assignment) -> bool:
    played = setup.round, setup.white.name, setup.black.name
    return played == (game.round, game.white, game.black)


def _answer(request: Request, result: tuple[str, str], number: int = 0) -> RequestAnswer:
    status, sentence = result
    return RequestAnswer(request.id, status, number, [sentence] if sentence else [])


class WaitingTable:
    """A table between two games: connected to the hall, without a journal.

    It takes one assignment, and answers asks for the journals of its earlier games in ``folder``.
    """

    def __init__(
        self,
        joined: EventFile,
        folder: Path,
        about: Mapping[str, Any],
        pairings: Pairings | None = None,
    ) -> None:
        """``pairings`` take where the people of the last game play next.

        :raises ValueError: if the broker cannot be used as the file says.
        """
        self._pairings = pairings or Pairings(joined.table)
        self._joined = joined
        self._folder = folder
        self._about = dict(about)
        self._run = secrets.token_hex(8)
        self._since = time.monotonic()
        self._due = 0.0
        self._answers: dict[str, RequestAnswer] = {}
        self._assigned: Assigned | None = None
        self._happened = threading.Event()
        kinds = ("presence", "ask", "request")
        gone = self._topic("presence"), encode(Presence(self._run, False))
        self._link = Link(
            joined.broker, [self._topic(kind) for kind in kinds], self._receive,
            self._announce_soon, will=gone,
        )  # fmt: skip
        self._gone = gone
        self._link.start()

    def wait(self, seconds: float) -> Assigned | None:
        """Wait so long for an assignment."""
        if time.monotonic() >= self._due and self._link.online:
            self._due = time.monotonic() + _PRESENCE_S
            games = earlier_games.ends(self._folder, self._joined)
            waits = time.monotonic() - self._since
            presence = Presence(self._run, True, games, self._about, waits)
            self._link.publish(self._topic("presence"), encode(presence), retain=True)
        self._happened.wait(seconds)
        return self._assigned

    def close(self) -> None:
        """Say that the table waits no longer, and disconnect."""
        self._link.close(self._gone)

    def __enter__(self) -> "WaitingTable":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _topic(self, kind: str) -> str:
        return str(Topic(self._joined.event, self._joined.table, kind))

    def _announce_soon(self) -> None:
        self._due = 0.0

    def _receive(self, topic: str, payload: bytes, retained: bool) -> None:
        with contextlib.suppress(MessageError):
            kind = topic_of(topic).kind
            if kind == "presence" and payload:
                if not decode(Presence, payload).online:  # a late word that an earlier run has gone
                    self._announce_soon()
            elif kind == "ask":
                ask = decode(LinesWanted, payload)
                for message in earlier_games.lines(ask, self._folder, self._joined):
                    self._link.publish(self._topic("journal"), message)
            elif kind == "request" and not retained:
                self._take(decode(Request, payload))

    def _take(self, request: Request) -> None:
        """Do a request once, and answer it each time."""
        if request.id not in self._answers:
            while len(self._answers) >= _MOST_ANSWERS:
                del self._answers[next(iter(self._answers))]
            self._answers[request.id] = _answer(request, self._do(request))
        self._link.publish(self._topic("answer"), encode(self._answers[request.id]))
        if self._assigned is not None:
            self._happened.set()

    def _do(self, request: Request) -> tuple[str, str]:
        if request.kind not in (ASSIGN, TELL):
            return "unknown", ""
        age = time.monotonic() - self._since - request.t
        if request.body.get("run") != self._run or not -1.0 <= age <= OLDEST_S:
            return "stale", ""
        if request.kind == TELL:
            return _tell(self._pairings, request)
        try:
            game = _game_of(request, self._joined)
        except ValueError as error:
            return "refused", str(error)
        if self._assigned is not None and self._assigned.game != game:
            return "refused", "Another game has been assigned there."
        self._assigned = self._assigned or Assigned(game, request.who, request.id)
        return "done", ""
