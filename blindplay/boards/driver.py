"""The part of a driver that all makers share: connect, listen, notice a loss, connect again."""

import contextlib
import logging
import queue
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import ClassVar, Generic, Self, TypeVar

import chess

from blindplay.translation import _, join_texts

from .diagram import Diagram, diagram_of_fen, turned_at_start, turned_like
from .events import BoardEvent, BoardPosition, Connected, Disconnected, Read
from .ports import (
    BAUD,
    LINK_ERRORS,
    BoardNotFoundError,
    FoundPort,
    NoAnswerError,
    Port,
    check_url,
    close_port,
    discover,
    explain,
    explained,
    open_port,
    read_port,
)

BACKOFF = (0.5, 10.0)
"""First and longest pause between two attempts to connect, in seconds."""
ANSWER_SECONDS = 3.0
"""Seconds that a board may take to answer. Opening its port resets an Arduino for about 1.5 s."""

_QUEUE_LIMIT = 10_000
"""Bound of the event queue: more events than hands make in hours. A faulty board that floods the
line must not fill the memory, so the driver stops reading when the queue is full."""

_log = logging.getLogger(__name__)


class Notice(Enum):
    """A signal to a player without words."""

    YOUR_MOVE = "your_move"
    QUESTION = "question"


class BoardState(ABC):
    """The host's knowledge of a board on one connection: bytes in, events and requests out.

    It does no input or output and reads no clock. ``now`` is host monotonic time in seconds and
    never decreases.
    """

    SILENCE: ClassVar[float]
    """Longest time in seconds between two messages of a working board."""

    heard_at: float | None = None
    """When the last whole message arrived. None before the first."""

    which: str | None = None
    """The board's own id or serial number, unique among the boards of its maker; empty if it has
    none. None before it is known."""

    @abstractmethod
    def receive(self, data: bytes, now: float) -> list[BoardEvent]:
        """Take the bytes that arrived by ``now``, possibly none, and return the events in them.

        The first event of each connection is :class:`~blindplay.boards.events.Connected`. Raises
        :class:`~blindplay.boards.ports.UnfitBoardError` for a board of an unknown version.
        """

    @abstractmethod
    def requests(self, now: float) -> bytes:
        """Return the bytes to send to the board at ``now``. Call this many times a second."""

    @abstractmethod
    def placement(self) -> str | None:
        """The last known position, as FEN's first field. None if there was none yet."""


class SensorBoard(ABC):
    """A board that a table can use: it sends events, and knows what stands on it.

    A subclass calls :meth:`tell` for everything that happens, from any one thread.
    """

    FEELS_TOUCHES: ClassVar[bool] = True
    """False for a board whose single changes prove no touch: only its positions count."""

    _on_event: Callable[[BoardEvent], None]

    @abstractmethod
    def placement(self) -> str | None:
        """The last known position, as FEN's first field. None before the first."""

    def now(self) -> float:
        """The time now, on the clock that gives events their ``at``."""
        return time.monotonic()

    def look(self) -> str | None:
        """The position now. A board that reports no changes of its own is asked first."""
        return self.placement()

    def read(self, number: int) -> None:
        """Tell :class:`~blindplay.boards.events.Read` when everything that hands have done by now
        has been told. A board whose line loses nothing tells it at once."""
        self.tell(Read(number))

    def may_be(self, other: "SensorBoard", *, by_name: bool = False) -> bool:
        """Return whether what answers now may be the board of ``other``, because nothing tells the
        two apart but the names of their ports. ``by_name``: not even these boards' USB identities
        are known from before."""
        return False

    def know(self, ids: Collection[str]) -> None:
        """These are the ids of the boards that this table has had, which may come to each other's
        ports."""
        del ids

    def expect(self, placement: str) -> None:
        """Something like this position stands on the board, if a game goes on there or begins. It
        tells how a board lies whose start position this driver has not seen."""
        del placement

    def known_faults(self, which: str | None) -> Collection[str]:
        """The squares with bad contacts of the board of the id ``which``, which answers now, as its
        last check has found them."""
        return ()

    def answers_since(self, at: float, connection: int) -> bool:
        """Return whether the board, connected for the ``connection``-th time, has answered after
        ``at``."""
        return True

    def light(
        self, squares: Collection[chess.Square], notices: Collection[Notice] = frozenset()
    ) -> None:
        """Light the lamps of these squares and no others, and give the player these notices by
        motor or lamp. A board without motor and lamps does nothing."""
        del squares, notices

    def listen(self, on_event: Callable[[BoardEvent], None]) -> None:
        """Send events to ``on_event``. Call it before :meth:`start`."""
        self._on_event = on_event

    def tell(self, event: BoardEvent) -> None:
        """Send an event."""
        self._on_event(event)

    def start(self) -> None:
        """Begin: the first event is the position, or that the board cannot be reached."""
        placement = self.placement()
        if placement is not None:
            self.tell(BoardPosition(placement))

    def close(self) -> None:
        """Send no more events."""
        self._on_event = lambda event: None


State = TypeVar("State", bound=BoardState)


class BoardDriver(SensorBoard, Generic[State]):
    """Keeps the connection to a board until :meth:`close`.

    ``url`` is a device (``/dev/ttyUSB0``, ``COM3``) or any pyserial URL. ``on_event`` receives one
    event at a time in a thread of its own. The driver logs its exceptions and goes on. A slow
    ``on_event`` does not stop the listening: a pegged board falls silent without a host, and
    touches would be lost. ``ports`` lists the USB ports, among which the driver finds a board that
    was plugged in again under another name. If its adapter has no serial number, the board of
    another table may be found so, too: one with an id that is not known here is taken only at the
    port where the board was before, and only if that one is at none of the other ports.
    """

    KIND: ClassVar[str]
    """The name of such a board for a person, for example ``DGT board``."""
    PORT_HINT: ClassVar[str] = _("for example with --port")
    """Advice on giving the port of such a board, to end a sentence."""
    BAUD: ClassVar[int] = BAUD
    """Speed of its serial line."""

    def __init__(
        self,
        url: str,
        on_event: Callable[[BoardEvent], None] = lambda event: None,
        *,
        baud: int | None = None,
        backoff: tuple[float, float] = BACKOFF,
        answer_seconds: float = ANSWER_SECONDS,
        ports: Callable[[], Iterable[FoundPort]] = discover,
    ) -> None:
        if not url:
            raise BoardNotFoundError("The board's port is empty: give a device or a URL.")
        self.url = url
        self._on_event = on_event
        self._baud = baud or self.BAUD
        self._backoff = backoff
        self._answer_seconds = answer_seconds
        self._ports = ports
        self._state: State | None = None
        self._usb: tuple[int | None, int | None, str | None] | None = None
        self._which: str | None = None
        self._ids: Collection[str] = ()
        self._others_wait = self._put_off = False  # while the ports are tried
        self._connected = False
        self._connections = 0
        self._loss_reported = False
        self._refusal_reported = False
        self._stop = threading.Event()
        self._tasks: deque[Callable[[State], bytes | None]] = deque(maxlen=16)
        self._events: queue.Queue[BoardEvent | None] = queue.Queue(_QUEUE_LIMIT)
        self._threads: tuple[threading.Thread, ...] = ()

    # --- a driver for another maker overrides these ------------------------------------------

    @abstractmethod
    def new_state(self, url: str, before: State | None) -> State:
        """The state of a new connection. ``before`` is that of the last one, if any."""

    def _open(self, url: str) -> Port:
        """Open ``url``, with the errors of :func:`~blindplay.boards.ports.open_port`."""
        return open_port(url, self._baud)

    @classmethod
    def candidates(cls, ports: Iterable[FoundPort]) -> list[FoundPort]:
        """The ports that :meth:`find` may open, the best first. Opening may reset or disturb a
        device of another kind."""
        return [port for port in ports if port.likely]

    # --- finding a board -----------------------------------------------------------------------

    @classmethod
    def check(cls, url: str) -> None:
        """Check ``url`` without opening it.

        :raises BoardNotFoundError: if it cannot name such a board.
        """
        check_url(url)

    @classmethod
    def probe(cls, url: str, *, baud: int | None = None, seconds: float = ANSWER_SECONDS) -> str:
        """Open ``url`` once, wait for the board's answer, close, and return its description.

        :raises BoardNotFoundError: if there is no such port.
        :raises NoAnswerError: if no board of this kind answers within ``seconds``.
        :raises UnfitBoardError: if the board has another version.
        :raises OSError: for anything else, with a sentence for the person.
        """
        cls.check(url)
        driver = cls(url, lambda event: None, baud=baud, answer_seconds=seconds, ports=list)
        with explained(url), contextlib.closing(driver._converse(url)) as conversation:
            return next(event.board for event in conversation if isinstance(event, Connected))

    @classmethod
    def find(cls, ports: Callable[[], Iterable[FoundPort]] = discover) -> str:
        """Return the first likely USB port at which a board of this kind answers.

        Tries each port for up to three seconds.

        :raises BoardNotFoundError: if none answers, with a sentence for the person.
        """
        reasons = []
        for port in cls.candidates(ports()):
            try:
                cls.probe(port.url)
            except (OSError, ValueError) as error:
                reasons.append(str(error))
            else:
                return port.url
        raise BoardNotFoundError(
            join_texts(" ", reasons)
            or _(
                "No {kind} was found: plug it in, or give its port, {port_hint}.",
                kind=cls.KIND,
                port_hint=cls.PORT_HINT,
            )
        )

    # --- one board, from start to close ----------------------------------------------------------

    @property
    def connected(self) -> bool:
        """True while the board answers."""
        return self._connected

    def placement(self) -> str | None:
        return self._state.placement() if self._state else None

    def may_be(self, other: SensorBoard, *, by_name: bool = False) -> bool:
        if type(self) is not type(other) or not isinstance(other, BoardDriver):
            return False
        if any("://" in url and not url.startswith("hid://") for url in (self.url, other.url)):
            return False  # an address that names one board
        return by_name or None in (self._usb, other._usb) or self._usb == other._usb

    def know(self, ids: Collection[str]) -> None:
        self._ids = frozenset(ids)

    def answers_since(self, at: float, connection: int) -> bool:
        state, same = self._state, self._connected and self._connections == connection
        return same and state is not None and state.heard_at is not None and state.heard_at > at

    def _enqueue(self, task: Callable[[State], bytes | None]) -> None:
        """Let the thread that talks to the board call ``task`` and send the bytes that it returns.
        Without a connection nothing happens."""
        if self._connected:
            self._tasks.append(task)

    def start(self) -> None:
        """Begin to connect, in the background.

        :raises RuntimeError: if the driver was started before.
        """
        if self._threads:
            kind = type(self).__name__
            raise RuntimeError(_("This board was started before: make a new {kind}.", kind=kind))
        self._threads = tuple(
            threading.Thread(target=run, name=f"{self.KIND}: {task}", daemon=True)
            for run, task in ((self._run, "line"), (self._report, "events"))
        )
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop and free the port. No event comes after this. Closing twice is harmless."""
        self._stop.set()
        with contextlib.suppress(queue.Full):
            self._events.put_nowait(None)
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(timeout=5)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        first, longest = self._backoff
        pause = first
        while not self._stop.is_set():
            was_connected = False
            try:
                for url in self._urls():
                    reason = self._connect(url)
                    was_connected |= self._connected
                    self._lose(reason)
                    if self._stop.is_set():
                        return
            except Exception as error:  # else the thread ends, and the board seems to be connected
                _log.exception("the driver of the board at %s failed", self.url)
                was_connected |= self._connected
                self._lose(explain(self.url, error))
            pause = first if was_connected else min(longest, pause * 2)
            self._stop.wait(pause)

    def _connect(self, url: str) -> str:
        """Emit the events of one connection. Return why it ended."""
        before = self._state
        try:
            with contextlib.closing(self._converse(url)) as conversation:
                for event in conversation:
                    if isinstance(event, Connected):
                        if self._is_foreign(url, event.which):
                            self._state = before
                            return "" if self._put_off else self._refused(url)
                        self._note_connection(url, event.which)
                    self._emit(event)
        except ValueError as error:
            return str(error)
        except LINK_ERRORS as error:
            return explain(url, error)
        return _("The board was closed.")

    def _converse(self, url: str) -> Generator[BoardEvent, None, None]:
        """Open ``url`` and yield events until :meth:`close`. Any other end is an exception."""
        port = self._open(url)
        try:
            state = self._state = self.new_state(url, self._state)
            self._tasks.clear()
            started, data_came = time.monotonic(), False
            while not self._stop.is_set():
                data = read_port(port)
                now = time.monotonic()
                data_came = data_came or bool(data)
                yield from state.receive(data, now)
                if self._connected and state.heard_at is not None:
                    silent = now - state.heard_at - state.SILENCE
                else:
                    silent = now - started
                if silent > self._answer_seconds:
                    raise NoAnswerError(self._no_answer(url, data_came and state.heard_at is None))
                request = b""
                while self._tasks:
                    request += self._tasks.popleft()(state) or b""
                if request := request + state.requests(now):
                    port.write(request)
        finally:
            close_port(port)

    def _no_answer(self, url: str, garbage: bool) -> str:
        if garbage:
            return _(
                "The device at {url} sends data, but nothing that a {kind} sends at "
                "{baud} baud: check the baud rate, or give the port of the board.",
                url=url,
                kind=self.KIND,
                baud=self._baud,
            )
        return _(
            "No {kind} answers at {url}: check that it is the board's port, then replug it.",
            kind=self.KIND,
            url=url,
        )

    def _urls(self) -> Iterator[str]:
        """Yield the ports to try: the last one, unless another device has it now, and each port
        with the board's USB identity. The last one comes again if another board was there, and the
        own one was at none of the others."""
        self._others_wait = self._put_off = False
        own = self.url
        if self._usb is None:
            yield own
            return
        ports = list(self._ports())
        same = [port.url for port in ports if _identity(port) == self._usb]
        others = [url for url in same if _real(url) != _real(own)]
        if _real(own) not in [_real(port.url) for port in ports if port.url not in same]:
            self._others_wait = bool(others)
            yield own
        waits, self._put_off = self._put_off, False
        self._others_wait = False
        yield from others
        if waits and self.url == own:
            yield own

    def _is_foreign(self, url: str, which: str | None) -> bool:
        """Return whether the board ``which`` at ``url`` is none of this table's, or may wait until
        other ports were tried."""
        if not which or not self._which or which == self._which or which in self._ids:
            return False
        self._put_off = self._others_wait
        return self._put_off or _real(url) != _real(self.url)

    def _refused(self, url: str) -> str:
        """Let people hear once that a board is not read, and return why."""
        if not self._refusal_reported:
            self._refusal_reported, self._loss_reported = True, False
        return _(
            "The board at {url} is another one than before and is not read: to use it, unplug the "
            "one from before, and plug it in there.",
            url=url,
        )

    def _note_connection(self, url: str, which: str | None) -> None:
        self._connected = True
        self._connections += 1
        self._loss_reported = self._refusal_reported = False
        self._which = which
        self.url = url
        for port in self._ports():
            if port.vid is not None and _real(port.url) == _real(url):
                self._usb = _identity(port)

    def _lose(self, reason: str) -> None:
        self._connected = False
        if not self._loss_reported and not self._stop.is_set():
            self._loss_reported = True
            self._emit(Disconnected(reason, time.monotonic()))

    def _emit(self, event: BoardEvent) -> None:
        while not self._stop.is_set():
            with contextlib.suppress(queue.Full):
                self._events.put(event, timeout=0.5)
                return

    def _report(self) -> None:
        while (event := self._events.get()) is not None and not self._stop.is_set():
            try:
                self._on_event(event)
            except Exception:
                _log.exception("the receiver of board events failed on %s", event)


class PositionState(BoardState):
    """The state of a board that proves positions only. ``expected``: what stands there about, if
    that is known and it is not known how the board lies."""

    expected: Diagram | None = None
    way_known: bool = False
    """It is known how the board lies."""

    def _lies_turned(self, diagram: Diagram, before: bool) -> bool:
        """Return whether a board that shows ``diagram`` lies turned; it did so ``before``."""
        turned = turned_at_start(diagram)
        if turned is None and self.expected is not None:
            turned = turned_like(diagram, self.expected)
        if turned is None:
            return before
        self.expected, self.way_known = None, True
        return turned

    @abstractmethod
    def doubt(self, confirmed: Callable[[], None]) -> None:
        """Ask for the board again at once, and call ``confirmed`` when the position is sure."""


PositionStates = TypeVar("PositionStates", bound=PositionState)


class PositionBoard(BoardDriver[PositionStates], Generic[PositionStates]):
    """A board that proves positions only: its single changes prove no touch."""

    FEELS_TOUCHES = False
    LOOK_SECONDS: ClassVar[float] = 0.7
    """Seconds that a press of the clock waits for a confirmed position."""
    USB_IDS: ClassVar[tuple[tuple[int, int], ...]] = ()
    """USB ids of its serial line, the surest first."""
    _expected: Diagram | None = None

    def expect(self, placement: str) -> None:
        self._expected = diagram_of_fen(placement)
        if self._state is not None and not self._state.way_known:
            self._state.expected = self._expected  # the next report tells it

    @classmethod
    def candidates(cls, ports: Iterable[FoundPort]) -> list[FoundPort]:
        matching = [port for port in ports if (port.vid, port.pid) in cls.USB_IDS]
        return sorted(matching, key=lambda port: cls.USB_IDS.index((port.vid or 0, port.pid or 0)))

    def look(self) -> str | None:
        """Ask the board for its position, wait for :attr:`LOOK_SECONDS` at most, and return
        :meth:`placement`. Does not wait in the driver's own threads."""
        if self._connected and threading.current_thread() not in self._threads:
            confirmed = threading.Event()
            self._enqueue(lambda state: state.doubt(confirmed.set))
            confirmed.wait(self.LOOK_SECONDS)
        return self.placement()


def _identity(port: FoundPort) -> tuple[int | None, int | None, str | None]:
    return port.vid, port.pid, port.serial_number


def _real(url: str) -> str:
    return url if "://" in url or sys.platform == "win32" else str(Path(url).resolve())
