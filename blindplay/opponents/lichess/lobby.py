"""The way to a game at Lichess: a seek, a challenge, one that comes, or the server's computer.

The wishes for a game are checked before it is asked for, so that each refusal names its remedy.
The lobby announces each event, and takes typed commands while it waits.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import Any

import chess

from blindplay.translation import UserError
from blindplay.wording.values import Tell, Written

from .api import (
    EventLines,
    LichessApi,
    LichessError,
    LimitedError,
    LostLineError,
    MissingError,
    RefusedError,
)
from .followed import VARIANTS, AboutGame, GameState, read_about, read_state

_LONGEST_S = 3 * 3600
_RAPID_S, _BLITZ_S = 480, 180


@dataclass(frozen=True)
class WantedGame:
    """``whom``: the user to challenge. ``ai``: the level of the server's computer, 1 to 8.
    ``waits``: take a challenge that comes. None of these: a game with anybody who seeks one, too.

    ``limit_s`` and ``increment_s``: the clock of each player, None without one; ``days``: for each
    move of a correspondence game. ``side``: the wanted colour; "" is either. ``fen``: the position
    to begin with, if not the usual one.
    """

    whom: str = ""
    ai: int | None = None
    waits: bool = False
    limit_s: int | None = 900
    increment_s: int = 10
    days: int | None = None
    rated: bool = False
    side: str = ""
    chess960: bool = False
    fen: str = ""

    @property
    def seeks(self) -> bool:
        return not self.whom and self.ai is None and not self.waits

    def check(self) -> None:
        """:raises ValueError: if Lichess has no such games; one sentence with the remedy."""
        if sum((bool(self.whom), self.ai is not None, self.waits)) > 1:
            raise UserError("Give one of --challenge, --level and --accept.")
        if self.ai is not None and (self.rated or self.days is not None):
            raise UserError(
                "Games against the computer of Lichess are never rated, and have no --days."
            )
        if self.fen and (self.rated or self.seeks):
            raise UserError(
                "A game from a position of your own is not rated, and needs --challenge or --level."
            )
        if not self.waits:
            self._check_time()

    def _check_time(self) -> None:
        if self.days is not None:
            return
        if self.limit_s is None:
            if self.seeks:
                raise UserError(
                    "Nobody can be sought for a game without a clock; give --days or a "
                    "--time-control, or name a player with --challenge."
                )
            return
        if self.limit_s % 60 or self.limit_s > _LONGEST_S or self.increment_s > 60:
            raise UserError(
                "Lichess gives each player whole minutes, 180 at most, and up to 60 seconds a "
                "move; give such a --time-control."
            )
        length = self.limit_s + 40 * self.increment_s
        if length < (_RAPID_S if self.seeks else _BLITZ_S):
            raise UserError(
                "Boards play rapid, classical and correspondence games at Lichess, blitz "
                "only in challenges, and bullet never; give a longer --time-control, such as "
                "15m+10s."
            )

    def form(self) -> dict[str, str]:
        """Return the fields of the request to Lichess, by name."""
        variant = "chess960" if self.chess960 else "fromPosition" if self.fen else "standard"
        form = {"variant": variant, "color": self.side or "random"}
        if self.ai is None:
            form["rated"] = str(self.rated).lower()
        else:
            form["level"] = str(self.ai)
        if self.fen:
            form["fen"] = self.fen
        if self.days is not None:
            form["days"] = str(self.days)
        elif self.limit_s is not None and self.seeks:
            form |= {"time": str(self.limit_s // 60), "increment": str(self.increment_s)}
        elif self.limit_s is not None:
            form["clock.limit"] = str(self.limit_s)
            form["clock.increment"] = str(self.increment_s)
        return form


def why_not(challenge: Mapping[str, object]) -> str | None:
    """The reason to decline a challenge, as Lichess names it; None if it can be played here."""
    variant, speed = challenge.get("variant"), challenge.get("speed")
    key = variant.get("key") if isinstance(variant, dict) else None
    fen = challenge.get("initialFen")
    if key not in ("standard", "chess960", "fromPosition"):
        return "variant"
    if speed in ("ultraBullet", "bullet"):
        return "tooFast"
    if isinstance(fen, str) and fen != "startpos":
        try:
            sound = chess.Board(fen, chess960=True).is_valid()
        except ValueError:
            sound = False
        return None if sound else "variant"
    return None


_LOOK_S = 0.1
_TRIES = 4


class TypedAnswer(Enum):
    """The meaning of a typed line."""

    YES = "yes"
    NO = "no"
    END = "end"
    OTHER = "other"


@dataclass(frozen=True)
class FoundGame:
    """A game at Lichess, and the side of this player in it."""

    id: str
    side: str
    about: AboutGame
    state: GameState


class Lobby:
    """Finds a game for the user ``name``. ``within`` waits so many seconds at most for a typed
    line, and gives None if there is none."""

    def __init__(
        self,
        api: LichessApi,
        name: str,
        wanted: WantedGame,
        say: Tell,
        within: Callable[[float], TypedAnswer | None],
    ) -> None:
        self._api, self._name, self._wanted = api, name, wanted
        self._say, self._within = say, within
        self._events: queue.Queue[Mapping[str, Any] | LichessError] = queue.Queue()
        self._done = threading.Event()
        self._open: dict[str, EventLines] = {}
        self._old: set[str] = set()
        self._own: str | None = None  # the challenge of this player
        self._asked: Mapping[str, Any] | None = None  # the challenge that waits for an answer
        self._known: set[str] = set()  # challenges that were told
        self._lost = False

    def find(self) -> FoundGame | None:
        """Wait for a game; None if the user ends the waiting, or nobody comes.

        :raises LichessError: if Lichess refuses.
        """
        playing = [game for game in self._api.playing() if _id_of(game)]
        for game in playing:
            if game.get("speed") != "correspondence" and _variant(game) in VARIANTS:
                self._say("lichess_continues")
                return self._read_game(_id_of(game))
        self._old = {_id_of(game) for game in playing}
        found = None
        try:
            with self._streams():
                found = self._begin() or self._wait()
        finally:
            if found is None:
                self._cancel()
        return None if found is None else self._read_game(found)

    # --- asking for a game -----------------------------------------------------------------------

    @contextmanager
    def _streams(self) -> Iterator[None]:
        """Close all streams, and so withdraw an open seek, at the end of the block."""
        try:
            yield
        finally:
            self._done.set()
            for lines in list(self._open.values()):
                lines.close()

    def _begin(self) -> str | None:
        """Ask for the game; return its name if it has begun at once."""
        wanted, form = self._wanted, self._wanted.form()
        self._follow("events", "GET", "/api/stream/event", None)
        if wanted.ai is not None:
            value, _rest = self._api.ask("POST", "/api/challenge/ai", form)
            return str(value["id"]) if isinstance(value, dict) and "id" in value else None
        if wanted.whom:
            self._challenge(form)
        elif not wanted.waits and wanted.days is not None:
            self._api.ask("POST", "/api/board/seek", form)
        elif not wanted.waits:
            self._follow("seek", "POST", "/api/board/seek", form)
        self._say_waiting()
        return None

    def _challenge(self, form: Mapping[str, str]) -> None:
        path = f"/api/challenge/{self._wanted.whom}"
        if self._wanted.limit_s is None or self._wanted.days is not None:
            value, _rest = self._api.ask("POST", path, form)  # it stays open by itself
            self._own = _id_of(value) or _id_of(_part(value, "challenge"))
        else:
            self._follow("challenge", "POST", path, {**form, "keepAliveStream": "true"})

    def _say_waiting(self) -> None:
        if self._wanted.whom:
            self._say("lichess_waiting_for", name=Written(self._wanted.whom))
        else:
            self._say("lichess_waiting" if self._wanted.waits else "lichess_seeking")

    def _follow(self, name: str, method: str, path: str, data: Mapping[str, str] | None) -> None:
        """Read a stream in a thread of its own, and open it again when it ends."""
        opened = threading.Event()

        def read() -> None:
            failures, waits = 0, self._api.waits
            while not self._done.is_set():
                try:
                    with self._api.stream(method, path, data) as lines:
                        self._open[name] = lines
                        opened.set()
                        for line in lines:
                            failures = 0
                            if line is not None:
                                self._events.put(line)
                    if name == "challenge":
                        return  # it is answered; the events tell how
                except LichessError as error:
                    opened.set()
                    if self._done.is_set():
                        return
                    self._events.put(error)
                    if isinstance(error, LimitedError):
                        self._done.wait(waits.limited_s)
                    elif not isinstance(error, LostLineError):
                        return
                self._done.wait(waits.before_retry(failures))
                failures += 1

        threading.Thread(target=read, name=f"lichess {name}", daemon=True).start()
        opened.wait(self._api.waits.answer_s)

    # --- waiting ---------------------------------------------------------------------------------

    def _wait(self) -> str | None:
        while True:
            with suppress(queue.Empty):
                game, ends = self._take_event(self._events.get(timeout=_LOOK_S))
                if game is not None or ends:
                    return game
            answer = self._within(0)
            if answer is TypedAnswer.END:
                return None
            if answer is not None:
                self._answer(answer)

    def _take_event(self, event: Mapping[str, Any] | LichessError) -> tuple[str | None, bool]:
        """Act on an event. Return the name of a game if it brings one, and whether the waiting
        ends."""
        if isinstance(event, LichessError):
            return None, self._failed(event)
        if self._lost:
            self._lost = False
            self._say("lichess_back")
        kind, challenge = event.get("type"), _part(event, "challenge")
        if kind == "gameStart":
            game = _part(event, "game")
            name = str(game.get("gameId") or game.get("id") or "")
            awaited = self._own in (None, name)
            return (name if name and name not in self._old and awaited else None), False
        if kind == "challengeDeclined" and challenge:
            if _id_of(challenge) == self._own or self._is_own(challenge):
                self._say("lichess_challenge_declined", name=Written(self._wanted.whom))
                return None, True
        elif kind == "challengeCanceled" and challenge:
            if self._asked is not None and _id_of(challenge) == _id_of(self._asked):
                self._asked = None
                self._say("lichess_challenge_gone")
        elif kind == "challenge" or (kind is None and (challenge or "id" in event)):
            self._take_challenge(challenge or event)
        return None, False

    def _failed(self, error: LichessError) -> bool:
        """Say that a request failed; return whether that is the end."""
        if isinstance(error, LostLineError):
            if not self._lost:
                self._lost = True
                self._say("lichess_lost")
            return False
        if isinstance(error, LimitedError):
            self._say("lichess_busy")
            return False
        raise error

    def _is_own(self, challenge: Mapping[str, Any]) -> bool:
        return _name_of(_part(challenge, "challenger")).lower() == self._name.lower()

    def _take_challenge(self, challenge: Mapping[str, Any]) -> None:
        """Note the own challenge; ask about one that comes; decline what cannot be played."""
        name = _id_of(challenge)
        if self._is_own(challenge):
            if self._wanted.whom:
                self._own = self._own or name
            return
        if name in self._known:
            return
        self._known.add(name)
        why = why_not(challenge)
        if why is not None:
            self._say("lichess_declined_variant" if why == "variant" else "lichess_declined_fast")
            self._try("POST", f"/api/challenge/{name}/decline", {"reason": why})
            return
        self._asked = challenge
        self._say_challenge(challenge)

    def _say_challenge(self, challenge: Mapping[str, Any]) -> None:
        person, terms = _part(challenge, "challenger"), _part(challenge, "timeControl")
        rating = person.get("rating")
        if isinstance(rating, int):
            self._say("lichess_challenged", name=Written(_name_of(person)), number=rating)
        else:
            self._say("lichess_challenged_unrated", name=Written(_name_of(person)))
        limit, more, days = (terms.get(key) for key in ("limit", "increment", "daysPerTurn"))
        if isinstance(limit, int):
            times = {"time": timedelta(seconds=limit)}
            if isinstance(more, int) and more:
                self._say("lichess_terms_more", more=timedelta(seconds=more), **times)
            else:
                self._say("lichess_terms", **times)
        elif isinstance(days, int):
            self._say("lichess_terms_days", number=days)
        else:
            self._say("lichess_terms_unlimited")
        self._say("lichess_terms_rated" if challenge.get("rated") else "lichess_terms_casual")
        self._say("lichess_answer")

    def _answer(self, answer: TypedAnswer) -> None:
        challenge = self._asked
        if challenge is None:
            self._say_waiting()
        elif answer is TypedAnswer.OTHER:
            self._say_challenge(challenge)
        else:
            self._asked = None
            action = "accept" if answer is TypedAnswer.YES else "decline"
            done = self._try("POST", f"/api/challenge/{_id_of(challenge)}/{action}")
            if done and answer is TypedAnswer.NO:
                self._say("lichess_declined")

    def _try(self, method: str, path: str, data: Mapping[str, str] | None = None) -> bool:
        """Ask something that may fail; say so if it does."""
        try:
            self._api.ask(method, path, data)
        except MissingError:
            self._say("lichess_challenge_gone")
        except LostLineError:
            self._say("lichess_unreached")
        except LichessError:
            self._say("lichess_refuses")
        else:
            return True
        return False

    def _cancel(self) -> None:
        if self._own is not None:
            with suppress(LichessError):
                self._api.ask("POST", f"/api/challenge/{self._own}/cancel")

    # --- the game --------------------------------------------------------------------------------

    def _read_game(self, name: str) -> FoundGame:
        """Read the game.

        :raises LichessError: if that cannot be done.
        """
        for attempt in range(_TRIES):
            try:
                return self._read(name)
            except LostLineError:
                if attempt == _TRIES - 1:
                    raise
                time.sleep(self._api.waits.before_retry(attempt))
        raise AssertionError

    def _read(self, name: str) -> FoundGame:
        with self._api.stream("GET", f"/api/board/game/stream/{name}") as lines:
            line = next((line for line in lines if line is not None), None)
        try:
            if line is None:
                raise LostLineError("Lichess tells nothing of the game.")
            about = read_about(line)
            state = read_state(line["state"], about.start)
        except (ValueError, KeyError):
            raise RefusedError("This game of Lichess cannot be played at a table.") from None
        for side, person in about.players.items():
            if person.ai is None and person.name.lower() == self._name.lower():
                return FoundGame(name, side, about, state)
        raise RefusedError("This game of Lichess is not yours.")


def _part(value: Any, name: str) -> Mapping[str, Any]:
    """The object ``name`` in ``value``; an empty one if there is none."""
    part = value.get(name) if isinstance(value, dict) else None
    return part if isinstance(part, dict) else {}


def _id_of(value: Any) -> str:
    known = isinstance(value, dict) and (value.get("gameId") or value.get("id"))
    return str(known or "")


def _name_of(person: Mapping[str, Any]) -> str:
    return str(person.get("name") or person.get("username") or person.get("id") or "")


def _variant(game: Mapping[str, Any]) -> str:
    return str(_part(game, "variant").get("key", ""))
