"""The player at a distant table, and the right of each table to add facts.

Both tables take the same facts in the same order (:mod:`.shared_log`). The write token lies with
the table whose player's clock runs; the other borrows it for its own facts. Time passes at the
table whose clock runs: its facts carry their time, and the other table's facts have the latest time
that it knows. So no clock pays for the time that a message travels.
"""

import json
import logging
import math
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from blindplay.laws import Fact, Game, Origin
from blindplay.laws import facts as f
from blindplay.laws.facts import SIDES
from blindplay.laws.rulings import Refused
from blindplay.laws.state import OTHER
from blindplay.wording.values import Tell

from ..player import AbsentPlayer, PlayedTable, WriteAccess
from .shared_log import OtherGameError, SharedLog
from .voices import MARK, Voices

_WITHOUT_ARBITER = ("stop_clocks", "start_clocks")


def permits(fact: Fact, game: Game, side: str, *, waited: bool, training: bool) -> bool:
    """Return whether the table at which ``side`` sits may add ``fact``.

    Each table brings what its own player, that player's assistant and its own board do. Time passes
    at the table whose player's clock runs. The arbiter sits at the table that ``waited``. Without
    an arbiter either player may stop the clocks and start them again, and in ``training`` take
    moves back. Nobody can sit on the wrong side here, and the game is set up before it begins.
    """
    match fact:
        case f.Setup():
            return False
        case f.Tick():
            return game.clock.running == side
        case f.Inspect():
            return waited
        case f.OnBoard():
            return fact.board == side
        case f.Arbiter(by="table"):
            return fact.player is None
        case f.Arbiter(player=player) if not game.presided and player == OTHER[side]:
            return False
        case f.Arbiter() if not game.presided:
            back = fact.do == "restore" and training
            return fact.do in _WITHOUT_ARBITER or back or (fact.do == "preside" and waited)
        case f.Start() if not game.presided:
            return fact.by.removeprefix("assistant:") != OTHER[side]
        case f.Assistant(by="table"):
            return fact.of == side
        case f.Irregular(what="reversed_colours"):
            return False
    person = str(getattr(fact, "by", "arbiter")).removeprefix("assistant:")
    return person == side if person in SIDES else waited


def is_automatic(fact: Fact) -> bool:
    """Return whether each table adds such a fact for both players."""
    return isinstance(fact, f.Tick | f.Record | f.Make)


log = logging.getLogger(__name__)

ORIGIN = Origin("distant", (Refused,))
"""Rulings that only the table of their fact reports."""
_HERE = Origin("tables")
LAST_WORDS_S = 2.0
"""A table that ends waits so long for the other to get its last facts."""
_BEATS = 5
"""Least number of messages within the limit, even if nothing happens."""
_LIMITS = 2
"""An honest table sends something within so many limits, and gives the write token. Its clock
differs by no more from the time here, and these seconds: facts tell the time of the clock that runs
each second."""
_CLOCK_S = 5.0


class Line(Protocol):
    """Carries messages between the tables. It may lose, double and delay them."""

    def open(self, on_message: Callable[[bytes], object], on_connect: Callable[[], object]) -> None:
        """Call ``on_message`` with each message, and ``on_connect`` for each new connection."""

    def send(self, message: bytes) -> None:
        """Send a message, or lose it. It does not wait."""

    def send_voice(self, message: bytes) -> None:
        """Send a message with voice if nothing else waits, or lose it."""

    def renew(self) -> None:
        """End the connection, if there is one, so that there is another."""

    def close(self) -> None: ...


class DistantPlayer(AbsentPlayer, WriteAccess):
    """Plays ``side``: the player at the other end of ``line``.

    ``waited``: this table waited, the other called it. ``limit_s``: after so many seconds without
    an answer the connection counts as lost. ``training`` was agreed. ``now`` gives monotonic
    seconds. ``voices``: the player here wants to talk with the other one. ``stepped``: somebody
    else calls :meth:`step`, and nobody waits for the write token.
    """

    shared = True

    def __init__(
        self,
        side: str,
        line: Line,
        *,
        waited: bool,
        limit_s: float,
        training: bool = False,
        voices: bool = False,
        now: Callable[[], float] = time.monotonic,
        stepped: bool = False,
    ) -> None:
        super().__init__()
        self.side = side
        self.here = OTHER[side]
        self.limit_s = limit_s
        self._line = line
        self._waited = waited
        self._training = training
        self._now = now
        self._stepped = stepped
        self._tell: Tell = _nothing
        self._is_open = False
        self._ready = self._other_ready = False
        self._connected: bool | None = None  # None: never yet
        self._heard_at = math.inf  # when the last message came
        self._their_at: float | None = None
        self._answered: float | None = None  # when the newest message was sent that was answered
        self._sent: tuple[Any, ...] = ()  # the state that was sent last
        self._beat_at = -math.inf
        self._kept: tuple[object, ...] = ()  # the moment at which clocks were to change last
        self._broken = False
        self._wanted_since: float | None = None  # since when the write token is asked for
        # The session, the game's time and the time here when the other one began to think, and
        # whether people were told that the times differ.
        self._thinks: tuple[str, int, float] | None = None
        self._differs = False
        if voices:
            self.voices = Voices(line.send_voice, now)

    def access(self, table: PlayedTable, facts: list[Fact]) -> WriteAccess:
        self._table = table
        self._log = SharedLog(waited=self._waited, facts=map(f.dumps, facts))
        self._token_moved = threading.Condition(table.lock)
        return self

    def sit(self, table: PlayedTable, tell: Tell) -> None:
        self._tell = tell
        self._line.open(self.on_message, self.on_connect)
        self._is_open = True
        if not self._stepped:
            self._thread.start()

    def begins(self) -> bool:
        with self._table.lock:
            self._ready = True
            if not self._other_ready:
                self._tell("distant_ready")
            self.step()
        return True

    # --- write access, with the table held -------------------------------------------------

    @property
    def may_add(self) -> bool:
        return self._log.holds

    def admit(self, fact: Fact, origin: Origin) -> Fact | None:
        if self._refuses(fact):
            return None
        if isinstance(fact, f.Tick) and not self._log.holds:
            self.release(waits=True)  # time goes on when the write token is back
            return None
        can_wait = is_automatic(fact) or not isinstance(fact, f.Personal)
        if not (self._log.holds or self._connected or can_wait):
            self._tell("distant_no_answer")  # nobody knows what a person wants then
            return None
        return self.in_time(replace(fact, table=self.here, wall=round(time.time() * 1000)))

    def _refuses(self, fact: Fact) -> bool:
        """Return whether this table may not add ``fact``, and say so to a person."""
        if self._permits(fact, self.here):
            return False
        if not is_automatic(fact):
            self._tell("distant_elsewhere")
        return True

    def _permits(self, fact: Fact, side: str) -> bool:
        waited = self._waited is (side == self.here)
        return permits(fact, self._table.game, side, waited=waited, training=self._training)

    def in_time(self, fact: Fact) -> Fact | None:
        if self._refuses(fact):  # an arbiter may have come while it waited for the token
            return None
        game = self._table.game  # while the other clock runs, time passes there
        return replace(fact, t=game.t) if game.clock.running == self.side else fact

    def acquire(self, taken: Callable[[], bool]) -> None:
        if self._log.holds:
            return
        self.release(waits=True)
        if self._connected and not self._stepped:
            self._token_moved.wait_for(
                lambda: taken() or self._log.holds or not self._connected, self.limit_s
            )

    def added(self, fact: Fact) -> None:
        self._log.add(f.dumps(fact))

    def release(self, *, waits: bool = False) -> None:
        self._log.wants = (self._log.wants or waits) and not self._log.holds
        running = self._table.game.clock.running
        if self._log.holds and self._connected and (running == self.side or self._log.other_wants):
            self._log.give()
        if self._is_open and self._state() != self._sent:
            self._send()

    # --- from the other table --------------------------------------------------------------------

    def on_connect(self) -> None:
        """There is a new connection."""
        with self._table.lock:
            self._log.begin()
            if self.voices is not None:
                self.voices.begin()
            self._their_at = None  # it may be of a machine that was started again
            self._heard_at = self._now()
            self._send(again=True)

    def on_message(self, message: bytes) -> None:
        """Take a message of the other table."""
        self._heard_at = self._now()
        if message.startswith(MARK):
            if self.voices is not None:
                self.voices.on_message(message)
            return
        with self._table.lock:
            if self._broken:
                return
            try:
                self._take(json.loads(message))
            except OtherGameError:
                self._broken = True
                self._tell("distant_other_game")
            except Exception:  # neither a bad message nor a failing listener cuts the connection
                log.exception("A message of the distant table was not taken.")
        self.step()

    def _take(self, message: dict[str, Any]) -> None:
        if not self._log.receive(message, self._take_fact):
            return
        if self._log.is_newest:
            self._their_at = message["at"]
            if self._other_ready and not message["ready"]:
                self._tell("distant_restarted")
            self._other_ready = bool(message["ready"])
            if self.voices is not None:
                self.voices.learn(message.get("voice"), self._tell)
        answers = message["answers"]
        if answers is not None and (self._answered or 0) < answers <= self._now():
            self._answered = float(answers)
        self._table.work_off()
        self._token_moved.notify_all()

    def _take_fact(self, line: str) -> None:
        """Take a fact that the other table has taken.

        :raises OtherGameError: if it is not a fact, did not happen there, that table may not add
            it, or it spends this player's time.
        """
        try:
            fact, game = f.loads(line), self._table.game
        except (f.FactError, TypeError):
            raise OtherGameError from None
        # The journal holds facts as dumps() writes them: another line has another digest there.
        if f.dumps(fact) != line or not self._permits(fact, self.side):
            raise OtherGameError
        if fact.table != self.side or fact.who or fact.request:  # no hall has a part in this game
            raise OtherGameError
        if fact.t < game.t or (game.clock.running == self.here and fact.t != game.t):
            raise OtherGameError
        self._table.take_shared(fact, ORIGIN)

    # --- as time goes on -------------------------------------------------------------------------

    def step(self) -> None:
        """Do what is due now, and send what is to be sent."""
        with self._table.lock:
            self._notice()
            self._renew()
            self._compare_clocks()
            if self.voices is not None:
                self.voices.carry(bool(self._connected), bool(self._table.game.over), self._tell)
            try:
                self._keep_clocks()
            except Exception:  # a failing listener must not cut the connection
                log.exception("A listener failed while clocks were stopped or started.")
            self.release()
            # A tick each second is no beat: what was lost before it would never be sent again.
            if self._now() - self._beat_at >= self.limit_s / _BEATS:
                self._send(again=True)

    def _notice(self) -> None:
        """Notice that the connection is lost, or there. A short break does not count as a loss."""
        silent = math.inf if self._answered is None else self._now() - self._answered
        enough = self.limit_s if self._connected else self.limit_s / 2
        known = self._log.met or bool(self._connected)
        if not self._log.wants:
            self._wanted_since = None
        elif self._wanted_since is None or silent > enough:
            self._wanted_since = self._now()
        wanted = 0.0 if self._wanted_since is None else self._now() - self._wanted_since
        keeps = wanted > _LIMITS * self.limit_s  # what people do here is not taken there
        connected = known and silent <= enough and not keeps and not self._broken
        if connected == bool(self._connected):
            return
        before, self._connected = self._connected, connected
        self._token_moved.notify_all()
        if not connected:
            self._tell("distant_lost")
        else:
            self._tell("distant_connected" if before is None else "distant_back")

    def _renew(self) -> None:
        """Replace a connection that brings nothing. If the other table has lost its power, or a
        machine has another address now, nothing says for many minutes that the connection is dead.
        """
        if self._now() - self._heard_at > _LIMITS * self.limit_s:
            self._heard_at = self._now()
            self._line.renew()

    def _compare_clocks(self) -> None:
        """Tell people, once while the other one thinks, that the clock there goes more slowly than
        time passes here. Nothing here can prove how long somebody has thought there."""
        game, now = self._table.game, self._now()
        if not self._connected or game.clock.running != self.side:
            self._thinks, self._differs = None, False
            return
        session = self._log.session  # a table that was started again has lost some time
        began, since = self._thinks[1:] if self._thinks is not None else (game.t, now)
        lacks = (now - since) - (game.t - began) / 1000
        # What has happened there before this table was connected comes later, and at once.
        if self._thinks is None or self._thinks[0] != session or lacks < 0:
            self._thinks = session, game.t, now
        elif not self._differs and lacks > _LIMITS * self.limit_s + _CLOCK_S:
            self._differs = True
            self._tell("distant_clock")

    def _keep_clocks(self) -> None:
        """Clocks run only while both tables are connected and both players are ready."""
        if not self._log.holds:
            return
        game, able = self._table.game, self._connected and self._ready and self._other_ready
        running, moment = game.clock.running, (able, len(self._log.facts))
        if game.over or game.adjourned or moment == self._kept:
            return
        fact: Fact | None = None
        if game.clock and game.started and running is not None and not able:
            fact = f.Arbiter(by="table", do="stop_clocks")
        elif able and self._log.settled and not game.started:
            fact = f.Start()
        elif able and self._log.settled and game.paused == "table":
            fact = f.Arbiter(by="table", do="start_clocks")
        if fact is not None:
            # A fact that the Laws refuse is not asked for again.
            self._kept = able, len(self._log.facts) + 1
            self._table.submit(fact, _HERE)

    def _state(self) -> tuple[Any, ...]:
        """The values whose change is sent at once."""
        shared = self._log
        return (
            len(shared.facts),
            shared.token,
            shared.wants,
            shared.met,
            self._ready,
            self.voices and self.voices.on,
        )

    def _send(self, *, again: bool = False) -> None:
        self._sent, now = self._state(), self._now()
        self._beat_at = now if again else self._beat_at
        while True:
            message = self._log.message(again=again)
            message |= {"ready": self._ready, "voice": self.voices and self.voices.on}
            message |= {"at": now, "answers": self._their_at}
            self._line.send(json.dumps(message, ensure_ascii=False).encode())
            again = False
            if not self._log.lags:
                return

    def _run(self) -> None:
        while not self._closed.wait(self.limit_s / _BEATS / 2):
            self.step()

    def _consider(self) -> None:
        """Do nothing: a person thinks there."""

    def _release(self) -> None:
        """Let the other table have the last facts."""
        with self._table.lock:
            if self._connected and not self._stepped:
                self._token_moved.wait_for(lambda: self._log.settled, LAST_WORDS_S)
            self._connected = False
            if self.voices is not None:
                self.voices.carried = False
            self._token_moved.notify_all()
        if self._is_open:
            self._line.close()


def _nothing(key: str, **values: object) -> None:
    """Say nothing: nobody is there yet."""
