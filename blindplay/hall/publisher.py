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
from blindplay.laws import Taken
from blindplay.laws.facts import Tick
from blindplay.record import chain, signatures
from blindplay.table.hall_contact import Elsewhere
from blindplay.table.table import Table

from . import earlier_games
from .event_file import EventFile
from .heads import head_of
from .protocol import (
    MOST_BYTES,
    Head,
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
from .requests import Handler, Reply, RequestTaker
from .signing import JournalSigner

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
        self._tell_about = about
        self._about: dict[str, Any] = {}
        self._about_due = 0.0
        self._lines = _JournalLines(table)
        self._signer = JournalSigner(table, joined)
        self._taker = RequestTaker(table, {"sign": self._sign, **(handlers or {})})
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
        self._cleared = False  # it is known what the broker kept, and publishing may begin
        self._kept: dict[str, bytes] = {}  # by kind, until then
        self._echo = b""  # the digest of the message whose echo comes after what was kept
        self._echo_until: float | None = None
        self._leaving = self._closing = False
        self._handed_over = threading.Event()
        self._wake = threading.Event()
        kinds = ("head", "signature", "presence", "ask", "request")
        self._link = Link(
            joined.broker,
            [self._topic(kind) for kind in kinds],
            self._receive,
            self._connected,
            will=(self._topic("presence"), encode(Presence(self._run, False))),
        )
        self._thread = threading.Thread(target=self._work, name="hall", daemon=True)
        table.listen(self._happened)
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
        """Publish the rest, if there is a connection, and say that the table has gone."""
        self._closing = True
        self._wake.set()
        self._thread.join(timeout=2.0)
        farewell = self._topic("presence"), encode(Presence(self._run, False))
        said = self._cleared and not self._table.hall.holds  # else nobody knows that it was there
        self._link.close(*([farewell] if said else []))

    def __enter__(self) -> "Publisher":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _topic(self, kind: str) -> str:
        return str(Topic(self._joined.event, self._joined.table, kind))

    # --- called in other threads ---------------------------------------------------------------

    def _happened(self, taken: Taken) -> None:
        if taken.rulings or not isinstance(taken.fact, Tick):  # time that passes can wait
            self._wake.set()

    def _connected(self) -> None:
        with self._lock:
            self._announce, self._joined_at = True, time.monotonic()
            self._echo_until = None
        self._wake.set()

    def _receive(self, topic: str, payload: bytes, retained: bool) -> None:
        with contextlib.suppress(MessageError), self._lock:
            kind = topic_of(topic).kind
            if kind == "ask":
                self._asks.append(decode(LinesWanted, payload))
            elif kind == "request":
                if not retained:  # a request is for this moment
                    self._requests.append(decode(Request, payload))
            elif _digest(payload) == self._echo:
                self._echo_until = 0.0
            elif payload and _digest(payload) not in self._own:
                if not self._cleared:
                    self._kept[kind] = payload
                if kind != "signature":
                    self._hear_another(kind, payload, retained)
        self._wake.set()

    def _hear_another(self, kind: str, payload: bytes, retained: bool) -> None:
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
            said = decode(Presence, payload)
            # The broker may find late that an earlier process has gone.
            late = not said.online and time.monotonic() < self._joined_at + _WILL_S
            if not retained and not late:
                self._note_stranger(said.run)
            # Two tables must not answer each other forever.
            self._announce, self._disturbed = self._announce or not said.online, True

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
        if self._marked != path and earlier_games.mark(path, self._joined):
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
            before, self._about = self._about, dict(self._tell_about())
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
            self._taker.take(request, self._lines.game, self._reply)

    def _is_clear(self) -> bool:
        """Return whether it is known what the broker kept under this table's name. Nothing is
        published before, for it may be of this game, from another machine.

        The broker brings what it kept when this table subscribes, and so before the echo of a
        message that the table publishes afterwards.
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
        if time.monotonic() < until:
            self._head_due = until
            return False
        self._table.hall.hear(self._elsewhere())
        self._cleared = True
        return True

    def _elsewhere(self) -> Elsewhere | None:
        """What the broker kept of this game that its journal lacks; None if there is nothing."""
        own = signatures.public_key(self._joined.key) if self._joined.key else ""
        for line in self._kept.get("signature", b"").splitlines(keepends=True):
            with contextlib.suppress(signatures.SignatureError):
                one = signatures.read_line(line)
                ours = (one.game, one.key) == (self._lines.game, own)
                if ours and one.result and not self._lines.reach(one.n, one.digest):
                    return Elsewhere(one.result, signed=True)
        with contextlib.suppress(MessageError):
            head = decode(Head, self._kept.get("head", b""))
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
        for payload in earlier_games.lines(ask, path.parent, self._joined, path):
            self._publish("journal", payload)

    def _presence(self) -> Presence:
        path = self._table.path
        games = earlier_games.ends(path.parent, self._joined, path)
        games.pop(self._lines.game, None)
        return Presence(self._run, True, games, self._about)

    def _sign(self, request: Request, reply: Reply) -> None:
        reply(self._signer.answer(request, self._lines.game))
        self._publish_signatures()

    def _publish_signatures(self) -> None:
        """Publish this table's signatures at the event, the newest first. The broker keeps
        them."""
        lines: list[bytes] = []
        for path in earlier_games.earlier(self._table.path.parent, self._joined):
            lines += signatures.lines_of(path)
        if lines:
            self._publish("signature", earlier_games.batches(lines[::-1])[0], retain=True)

    def _reply(self, answer: RequestAnswer) -> None:
        self._publish("answer", encode(answer))


class _JournalLines:
    """The lines of the table's journal that are on the disk."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._ends = [0]
        self.game = ""
        """The digest of the first line; empty while there is none."""

    @property
    def number(self) -> int:
        return len(self._ends) - 1

    def read(self) -> None:
        """Find the lines that have been added. Lines that are not synced yet are left out.

        :raises OSError: if the file cannot be read.
        """
        number, _ = self._table.written
        if number <= self.number:
            return
        with self._table.path.open("rb") as file:
            file.seek(self._ends[-1])
            for line in file:
                if self.number == number or not line.endswith(b"\n"):
                    break
                self.game = self.game or chain.digest_of(line)
                self._ends.append(self._ends[-1] + len(line))

    def reach(self, number: int, digest: str) -> bool:
        """Return whether line ``number`` is there, and has this digest.

        :raises OSError: if the file cannot be read.
        """
        if not 0 < number <= self.number:
            return False
        with self._table.path.open("rb") as file:
            file.seek(self._ends[number - 1])
            return chain.digest_of(file.readline()) == digest

    def batch(self, index: int) -> tuple[bytes, int]:
        """Some lines from ``index`` on, as one message, and how many they are.

        :raises OSError: if the file cannot be read.
        """
        last = index + 1
        while last < self.number and self._ends[last + 1] - self._ends[index] <= MOST_BYTES:
            last += 1
        with self._table.path.open("rb") as file:
            file.seek(self._ends[index])
            return file.read(self._ends[last] - self._ends[index]), last - index


def _digest(payload: bytes) -> bytes:
    return hashlib.sha256(payload).digest()
