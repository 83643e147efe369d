"""The table's side of the protocol: it publishes its journal, and serves the hall's requests.

A thread of its own reads the journal's file; the table only wakes it. Without a network it waits,
and continues from the same place.
"""

import contextlib
import hashlib
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from blindplay.broker import Link
from blindplay.laws import Game, Taken
from blindplay.laws.due import missing, needs, unsigned
from blindplay.laws.facts import SIDES, Tick
from blindplay.record import signatures
from blindplay.table.hall_contact import Elsewhere
from blindplay.table.table import Table

from ..event_file import EventFile
from ..protocol import (
    Head,
    LinesWanted,
    MessageError,
    Presence,
    Request,
    RequestAnswer,
    Topic,
    decode,
    encode,
    state_of,
    topic_of,
)
from ..requests import Handler, Reply, RequestTaker
from .journals import (
    JournalLines,
    JournalSigner,
    batches,
    earlier_journals,
    earlier_lines,
    game_ends,
    mark_journal,
)

HEAD_S = 10.0
"""Seconds between two heads, if only time passes."""
_LEAVING_S = 1.0  # between two, while the hall is to take everything
_ABOUT_S = 30.0  # between two looks at the data about the table's machine
_ECHO_S = 2.0  # without an echo for so long, the broker has nothing of this table
_PAUSE_S = 0.05  # between two rounds of publishing
_MOST_UNSENT = 200  # messages that the broker has not acknowledged
_REMEMBERED = 1000  # messages of its own
_MOST_STRANGERS = 10
_WILL_S = 60.0  # after so long the broker knows which earlier connections have ended
_RUN = 100  # characters of a stranger's name


class OtherMachine:
    """Finds out whether another machine that is connected has this table: the broker retains its
    presence, and it answers one of this process that the broker does not retain."""

    def __init__(self) -> None:
        self.run = ""
        """The run of its process, as the broker retains it; it may have ended."""
        self.answers = False

    def take(self, presence: Presence, *, retained: bool) -> None:
        """Take a presence under this table's name that is not of this process."""
        if presence.online and retained:
            self.run = presence.run
        elif presence.online:
            self.answers = self.answers or presence.run == self.run


class Publisher:
    """Publishes one table. ``about`` gives the data about the machine for the organiser;
    ``handlers`` do further kinds of requests."""

    def __init__(
        self,
        table: Table,
        joined: EventFile,
        *,
        about: Callable[[], Mapping[str, Any]] = dict,
        handlers: Mapping[str, Handler] | None = None,
    ) -> None:
        """:raises ValueError: if the broker cannot be used as the file says."""
        self._table = table
        self._joined = joined
        self._read_about = about
        self._about: dict[str, Any] = {}
        self._about_due = 0.0
        self._lines = JournalLines(table)
        self._signer = JournalSigner(table, joined)
        self._request_taker = RequestTaker(table, {"sign": self._sign, **(handlers or {})})
        self._run = secrets.token_hex(8)
        self._head_run = secrets.token_hex(8)
        self._seq = 0
        self._marked: Path | None = None  # the journal beside which its table is noted
        self._next = 0  # the index of the line to publish next
        self._head_due = 0.0
        self._lock = threading.Lock()
        self._asks: list[LinesWanted] = []
        self._requests: deque[Request] = deque()
        self._announce = False  # the presence must be published
        self._disturbed = False  # and soon, as somebody else has published one
        self._joined_at = 0.0
        self._strangers: deque[str] = deque(maxlen=_MOST_STRANGERS)
        self._own: deque[bytes] = deque(maxlen=_REMEMBERED)  # digests of published messages
        self._cleared = False  # the retained messages are known, and publishing may begin
        self._retained: dict[str, bytes] = {}  # messages of the broker by kind, until then
        self._echo = b""  # the digest of the message whose echo follows the retained ones
        self._echoed = False
        self._echo_until: float | None = None
        self._other = OtherMachine()
        self._leaving = self._closing = False
        self._handed_over = threading.Event()
        self._wake = threading.Event()
        kinds = ("head", "signature", "presence", "ask", "request")
        self._link = Link(
            joined.broker,
            [self._topic(kind) for kind in kinds],
            self._on_message,
            self._on_connect,
            will=(self._topic("presence"), encode(Presence(self._run, False))),
        )
        self._thread = threading.Thread(target=self._work, name="hall", daemon=True)
        table.listen(self._on_taken)
        table.hall.join(self.hand_over)
        self._thread.start()
        self._link.start()

    def hand_over(self, seconds: float) -> bool:
        """Wait so long until the hall has everything that is on the disk; True if it has."""
        self._leaving = True
        self._head_due = 0.0
        self._wake.set()
        return self._handed_over.wait(seconds)

    def close(self) -> None:
        """Publish the rest, if there is a connection, and that the table is offline."""
        self._closing = True
        self._wake.set()
        self._thread.join(timeout=2.0)
        farewell = self._topic("presence"), encode(Presence(self._run, False))
        announced = self._cleared and not self._table.hall.holds
        self._link.close(*([farewell] if announced else []))

    def __enter__(self) -> "Publisher":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _topic(self, kind: str) -> str:
        return str(Topic(self._joined.event, self._joined.table, kind))

    # --- called in other threads ---------------------------------------------------------------

    def _on_taken(self, taken: Taken) -> None:
        if taken.rulings or not isinstance(taken.fact, Tick):  # time that passes can wait
            self._wake.set()

    def _on_connect(self) -> None:
        with self._lock:
            self._announce, self._joined_at = True, time.monotonic()
            self._echoed, self._echo_until = False, None
        self._wake.set()

    def _on_message(self, topic: str, payload: bytes, retained: bool) -> None:
        with contextlib.suppress(MessageError), self._lock:
            kind = topic_of(topic).kind
            if kind == "ask":
                self._asks.append(decode(LinesWanted, payload))
            elif kind == "request":
                if not retained:  # a request is for this moment
                    self._requests.append(decode(Request, payload))
            elif _digest(payload) == self._echo:
                # What is retained may be of a process that has ended: then nobody answers.
                self._echoed = True
                self._echo_until = time.monotonic() + _ECHO_S if self._other.run else 0.0
            elif payload and _digest(payload) not in self._own:
                if not self._cleared:
                    self._retained[kind] = payload
                if kind != "signature":
                    self._take_foreign(kind, payload, retained)
        self._wake.set()

    def _take_foreign(self, kind: str, payload: bytes, retained: bool) -> None:
        """Take a message under this table's name that this process has not published. It is left by
        an earlier process, or comes from a second table, or is forged. If it would hide this
        table, the table publishes itself again."""
        if kind == "head":
            run = decode(Head, payload).run
            if run == self._head_run:
                self._head_run, self._seq = secrets.token_hex(8), 0  # its number may be anything
                self._announce = True
            if not retained:
                self._note_stranger(run)
        elif kind == "presence":
            presence = decode(Presence, payload)
            if not self._cleared:
                self._other.take(presence, retained=retained)
                if self._other.answers:
                    self._echo_until = 0.0
            # The broker may publish the will of an earlier process late.
            late = not presence.online and time.monotonic() < self._joined_at + _WILL_S
            if not retained and not late:
                self._note_stranger(presence.run)
            # Two tables must not answer each other forever.
            self._announce, self._disturbed = self._announce or not presence.online, True

    def _note_stranger(self, run: str) -> None:
        if run[:_RUN] not in self._strangers:
            self._strangers.append(run[:_RUN])
            self._announce = True

    # --- the publisher's thread ------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            self._wake.wait(max(0.0, min(HEAD_S, self._head_due - time.monotonic())))
            self._wake.clear()
            closing = self._closing
            with contextlib.suppress(OSError):  # without its journal the table itself complains
                self._round()
            if closing:
                return
            time.sleep(_PAUSE_S)

    def _round(self) -> None:
        """Publish new and requested lines, and take the requests."""
        path = self._table.path  # it may change, and a full disk may not keep the mark at first
        if self._marked != path and mark_journal(path, self._joined):
            self._marked = path
        self._lines.read()
        signed = self._signer.sign_end(self._lines.game)  # with the network gone, too
        self._table.hall.see(self._link.online, time.monotonic())
        if not self._link.online:
            self._head_due = time.monotonic() + HEAD_S
            return
        if not self._is_clear():
            return
        if self._table.hall.holds:
            self._head_due = time.monotonic() + HEAD_S
            return
        with self._lock:
            announce, self._announce = self._announce, False
            asks, self._asks = self._asks, []
            requests, self._requests = self._requests, deque()
        if announce or time.monotonic() >= self._about_due:
            self._about_due = time.monotonic() + _ABOUT_S
            before, self._about = self._about, dict(self._read_about())
            announce = announce or self._disturbed or self._about != before
        if announce:
            self._disturbed = False
            self._publish("presence", encode(self._presence()), retain=True)
        if announce or signed:
            self._publish_signatures()
        for ask in asks:
            self._answer(ask)
        published = self._publish_lines()
        if announce or asks or published or time.monotonic() >= self._head_due:
            self._publish_head()
        for request in requests:
            self._request_taker.take(request, self._lines.game, self._reply)

    def _is_clear(self) -> bool:
        """Return whether the retained messages under this table's name are known. Nothing is
        published before, because they may be of this game, from another machine.

        The broker sends them when this table subscribes, and so before the echo of a message that
        the table publishes afterwards.
        """
        if self._cleared:
            return True
        message = encode(Presence(self._run, True))
        with self._lock:  # a new connection begins this anew, in another thread
            until, begins = self._echo_until, self._echo_until is None
            if until is None:
                until = self._echo_until = time.monotonic() + _ECHO_S
                self._echo = _digest(message)
        if begins:
            self._publish("presence", message)
        waits = time.monotonic() < until
        elsewhere = self._elsewhere() if self._echoed or not waits else None
        if waits and not (elsewhere is not None and elsewhere.signed):
            self._head_due = until
            return False
        self._table.hall.hear(elsewhere)
        self._cleared = True
        return True

    def _elsewhere(self) -> Elsewhere | None:
        """What another machine has done as this table, as the broker tells it; None if nothing."""
        own = signatures.public_key(self._joined.key) if self._joined.key else ""
        for line in self._retained.get("signature", b"").splitlines(keepends=True):
            with contextlib.suppress(signatures.SignatureError):
                statement = signatures.read_line(line)
                ours = (statement.game, statement.key) == (self._lines.game, own)
                if (
                    ours
                    and statement.result
                    and not self._lines.reach(statement.n, statement.digest)
                ):
                    return Elsewhere(statement.result, signed=True)
        if self._other.answers:
            return Elsewhere(now=True)
        with contextlib.suppress(MessageError):
            head = decode(Head, self._retained.get("head", b""))
            if head.game == self._lines.game and not self._lines.reach(head.n, head.digest):
                return Elsewhere(head.result)
        return None

    def _publish(self, kind: str, payload: bytes, *, retain: bool = False) -> bool:
        if retain:
            with self._lock:
                self._own.append(_digest(payload))
        return self._link.publish(self._topic(kind), payload, retain=retain)

    def _publish_head(self) -> None:
        self._head_due = time.monotonic() + (_LEAVING_S if self._leaving else HEAD_S)
        with self._lock:
            self._seq += 1
            run, seq, strangers = self._head_run, self._seq, list(self._strangers)
        game = self._lines.game
        more = {"leaves": self._leaving, "strangers": strangers}
        head = head_of(self._table, run, seq, game, **more)
        if head is not None:
            self._publish("head", encode(head), retain=True)

    def _publish_lines(self) -> bool:
        """Publish the lines that have not been; True if there were any."""
        published = False
        while self._next < self._lines.number:
            if self._link.unsent > _MOST_UNSENT:
                self._wake.set()  # go on when the broker has taken these
                break
            payload, count = self._lines.batch(self._next)
            if not payload or not self._publish("journal", payload):
                break
            self._next += count
            published = True
        return published

    def _answer(self, ask: LinesWanted) -> None:
        if ask.have:
            if ask.game == self._lines.game and (ask.start - 1, ask.have) == self._table.written:
                self._handed_over.set()
            return
        if ask.game in ("", self._lines.game):
            self._next = min(self._next, ask.start - 1)
            return
        path = self._table.path
        for payload in earlier_lines(ask, path.parent, self._joined, path):
            self._publish("journal", payload)

    def _presence(self) -> Presence:
        path = self._table.path
        games = game_ends(path.parent, self._joined, path)
        games.pop(self._lines.game, None)
        return Presence(self._run, True, games, self._about)

    def _sign(self, request: Request, reply: Reply) -> None:
        reply(self._signer.answer(request, self._lines.game))
        self._publish_signatures()

    def _publish_signatures(self) -> None:
        """Publish this table's signatures at the event, the newest first. The broker retains
        them."""
        lines: list[bytes] = []
        for path in earlier_journals(self._table.path.parent, self._joined):
            lines += signatures.lines_of(path)
        if lines:
            self._publish("signature", batches(lines[::-1])[0], retain=True)

    def _reply(self, answer: RequestAnswer) -> None:
        self._publish("answer", encode(answer))


def _digest(payload: bytes) -> bytes:
    return hashlib.sha256(payload).digest()


# --- the head ------------------------------------------------------------------------------------


def head_of(table: Table, run: str, seq: int, game: str, **more: Any) -> Head | None:
    """The head of a running table, with ``more`` fields that the table does not know; None while
    nothing of its game is on the disk."""
    with table.lock:
        number, digest = table.written
        state, now = table.game, table.time()
        if state.setup is None or not number:
            return None
        position = state.position
        made = state.turn.made or (state.history[-1].move if state.history else None)
        return Head(
            run=run, seq=seq, game=game, n=number, digest=digest,
            t=now / 1000, wall=round(time.time(), 3),
            state=state_of(state), result=state.result or "",
            white=state.player("white").name, black=state.player("black").name,
            round=state.setup.round,
            fen=position.fen(), moves=len(state.history) + bool(state.turn.made),
            last=made.uci() if made else "",
            left=_left(state, now), running=state.clock.running or "",
            needs=list(needs(state)), began=_began(state), missing=list(missing(state)),
            unsigned=list(unsigned(state)), **more,
        )  # fmt: skip


def _began(game: Game) -> float:
    if game.resumed_at is not None:
        return game.resumed_at / 1000
    return game.started_at / 1000 if game.started and not game.adjourned else -1.0


def _left(game: Game, now: int) -> dict[str, float]:
    clock = game.clock
    if not clock:
        return {}
    passed = {side: now - clock.counts_from if side == clock.running else 0 for side in SIDES}
    return {side: max(0, clock.left[side] - max(0, passed[side])) / 1000 for side in SIDES}
