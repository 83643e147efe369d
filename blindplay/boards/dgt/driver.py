"""Drives a DGT board over a serial line, and keeps the line up.

Nothing that a DGT board sends is checked by a sum. So a position is believed only when two
messages agree on it: the changes heard one by one and a dump of the whole board, or two dumps in
a row. The driver asks for a dump whenever hands have rested for a moment, whenever the clock is
pressed, and whenever bytes made no message.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable

import serial

from .. import events
from ..driver import (
    BACKOFF,
    BAUD,
    BoardNotFoundError,
    FoundPort,
    LineBoard,
    NoAnswerError,
    check_url,
    close_port,
    discover,
    explain_open_error,
    link_errors,
    open_port,
    read_port,
)
from ..events import BoardEvent
from .moves import board_fen, placement_of, turned_at_start
from .protocol import (
    FIELDS,
    PIECES,
    ClockSide,
    ClockTimes,
    Damaged,
    Decoder,
    Dump,
    FieldUpdate,
    HostCommand,
    Message,
    MessageKind,
    Text,
    Version,
)

USB_IDS = {(0x045B, 0x8111): True, (0x0403, 0x6001): False, (0x04D8, 0x000A): False}
"""USB ids under which DGT boards are seen, and whether nothing else has them: many adapters are
made with the others' chips."""

ANSWER_SECONDS = 3.0
"""How long a board is asked before it is no DGT board."""

_ASK_EVERY = 0.3
_SETTLED = 0.3
"""A scan of the whole board takes 0.25 s: after this quiet, hands are at rest."""
_RECHECK = 2.0
"""How often the board is asked while nothing changes."""
_REMIND = 4.0
"""A board that lost power for a moment forgets that it is to tell changes: tell it so often."""
_PRESS_WAITS = 0.7
"""How long a press waits for the board to be heard as a whole."""

_log = logging.getLogger(__name__)


class _DgtBoardState:
    """The host's picture of the board: messages in, events out, without any input or output.

    ``wants_dump`` says that the whole board has to be asked for, ``urgent`` at once.
    """

    def __init__(
        self,
        turned: bool | None,
        white_clock: ClockSide | None,
        codes: tuple[int, ...] | None = None,
    ) -> None:
        self._turned_given = turned
        self.turned = bool(turned)
        self._white_clock = white_clock
        # What was last believed, and what has been heard since.
        self.believed = codes
        self._codes: list[int] | None = None
        self._doubtful: tuple[int, ...] | None = None
        self.sure = False
        self._changed = self._agreed = 0.0
        self._running: ClockSide | None = None
        self._presses: list[events.LeverPressed] = []
        self._told: str | None = None
        self.wants_dump = True
        self.urgent = False
        self.heard_board = False

    def hear(self, message: Message, now: float) -> list[BoardEvent]:
        """Take one message, heard at ``now``."""
        match message:
            case Dump(codes):
                return self._dump(codes, now)
            case FieldUpdate(field, code):
                return self._update(field, code, now)
            case ClockTimes(running=running):
                return self._clock(running, now)
            case Damaged():
                self.sure, self.wants_dump = False, True
        return []

    def rest(self, now: float) -> list[BoardEvent]:
        """Nothing was heard until ``now``: ask when hands rest, let no press wait too long."""
        if now - self._changed >= _SETTLED and not self.sure:
            self.wants_dump = True
        elif now - self._agreed >= _RECHECK:
            self.wants_dump = True  # a change may have been lost without a trace
        if self._presses and now - self._presses[0].at >= _PRESS_WAITS:
            return self._release()
        return []

    def doubt(self) -> None:
        """Somebody must know now: ask again, whatever was heard."""
        self.sure = False
        self.wants_dump = self.urgent = True

    def placement(self) -> str | None:
        """The board as it was last believed, as FEN's first field."""
        if self.believed is None:
            return None
        return board_fen(placement_of(self.believed, self.turned))

    def _dump(self, codes: tuple[int, ...], now: float) -> list[BoardEvent]:
        self.heard_board = True
        heard = tuple(self._codes) if self._codes is not None else None
        if codes not in (heard, self._doubtful):
            # One of the two is wrong, or a piece is just moving: let a further dump decide.
            self._doubtful = codes
            self.wants_dump = True
            return []
        self._codes, self._doubtful = list(codes), None
        self.sure, self.wants_dump, self._agreed = True, False, now
        self.believed = codes
        if self._turned_given is None:
            turned = turned_at_start(codes)
            self.turned = self.turned if turned is None else turned
        placement = self.placement()
        assert placement is not None
        told: list[BoardEvent] = []
        if placement != self._told:
            self._told = placement
            told.append(events.BoardPosition(placement, now))
        return told + self._release()

    def _release(self) -> list[BoardEvent]:
        released, self._presses = self._presses, []
        return list(released)

    def _update(self, field: int, code: int, now: float) -> list[BoardEvent]:
        self._changed, self.sure, self._doubtful = now, False, None
        if self._codes is None:
            return []
        before, self._codes[field] = self._codes[field], code
        if before == code:
            return []
        name = _square(field, self.turned)
        if code == 0:
            return [events.Lifted(name, now)]
        return [events.Placed(name, PIECES[code] if code < len(PIECES) else None, now)]

    def _clock(self, running: ClockSide | None, now: float) -> list[BoardEvent]:
        if running is None:
            return []
        before, self._running = self._running, running
        if self._white_clock is None and before is None and self._at_start():
            self._white_clock = running
        if before in (None, running):
            return []
        white = self._white_clock or ("right" if self.turned else "left")
        self._presses.append(events.LeverPressed("white" if before == white else "black", now))
        # The last change may come after the press: a scan of the board takes a while.
        self.doubt()
        return []

    def _at_start(self) -> bool:
        return self._codes is not None and turned_at_start(self._codes) == self.turned


def _square(field: int, turned: bool) -> str:
    number = FIELDS - 1 - field if turned else field
    return "abcdefgh"[number % 8] + str(8 - number // 8)


class DgtBoard(LineBoard):
    """A DGT board at ``url``: a device (``/dev/ttyUSB0``, ``COM3``) or any pyserial URL.

    ``on_event`` is called in a thread for that alone, one event at a time; what it raises is
    logged and does not stop the driver. The connection is made and remade until :meth:`close`.
    ``Lifted`` and ``Placed`` tell single changes as they are heard; they prove nothing, for no sum
    checks them. ``Position`` comes when hands rest and two messages agree on what stands there,
    and before each ``Lever``, the press of the DGT clock, unless the board cannot be heard then.

    ``turned`` is whether White sits where the board's black pieces belong, ``white_clock`` the
    side of the clock that is White's; None: as the start position and the clock that runs first
    from it show, and until then not turned and on the left, or turned and on the right.
    """

    def __init__(
        self,
        url: str,
        on_event: Callable[[BoardEvent], None],
        *,
        turned: bool | None = None,
        white_clock: ClockSide | None = None,
        backoff: tuple[float, float] = BACKOFF,
        answer_seconds: float = ANSWER_SECONDS,
        ports: Callable[[], Iterable[FoundPort]] = discover,
    ) -> None:
        super().__init__(url, on_event, name="DGT board", backoff=backoff, ports=ports)
        self._answer_seconds = answer_seconds
        self._mirror = _DgtBoardState(turned, white_clock)
        self._turned, self._white_clock = turned, white_clock
        self._asked_to_look: deque[threading.Event] = deque()

    def placement(self) -> str | None:
        """The board as last believed, as FEN's first field; None before it was."""
        return self._mirror.placement()

    def look(self, seconds: float = _PRESS_WAITS) -> str | None:
        """Ask the board what stands on it now, wait so long at most, and return
        :meth:`placement`. In a thread of the driver's own do not wait."""
        if self._connected and not self._is_ours(threading.current_thread()):
            looked = threading.Event()
            self._asked_to_look.append(looked)
            looked.wait(seconds)
        return self.placement()

    def _session(self, url: str) -> None:
        port = open_port(url, BAUD)
        try:
            # The line may have been down through moves: only what was believed before counts.
            old = self._mirror
            self._mirror = _DgtBoardState(self._turned, self._white_clock, old.believed)
            self._mirror.turned = old.turned
            self._talk(port, url)
        finally:
            close_port(port)

    def _talk(self, port: serial.Serial, url: str) -> None:
        decoder, mirror = Decoder(), self._mirror
        about = _About()
        start = last = time.monotonic()
        asked = 0.0
        reminded = start
        lookers: list[threading.Event] = []
        any_bytes = False
        port.write(bytes((HostCommand.UPDATE_NICE, HostCommand.VERSION, HostCommand.SERIAL_NUMBER)))
        while not self._stop.is_set():
            data = read_port(port)
            now = time.monotonic()
            any_bytes = any_bytes or bool(data)
            for message in decoder.feed(data):
                if not isinstance(message, Damaged):
                    last = now
                about.hear(message)
                told = mirror.hear(message, now)
                if mirror.heard_board and not self._connected:
                    self._found(url)
                    self._emit(events.Connected(url, about.words(), now))
                for event in told:
                    self._emit(event)
            if mirror.sure:
                while lookers:
                    lookers.pop().set()
            while self._asked_to_look:
                lookers.append(self._asked_to_look.popleft())
                mirror.doubt()
            for event in mirror.rest(now):
                self._emit(event)
            if not mirror.heard_board and now - start > self._answer_seconds:
                raise NoAnswerError(_no_answer(url, any_bytes, decoder))
            if now - last > _RECHECK + self._answer_seconds:
                raise NoAnswerError(_no_answer(url, any_bytes, decoder))
            if mirror.urgent or (mirror.wants_dump and now - asked >= _ASK_EVERY):
                port.write(bytes((HostCommand.SEND_BOARD,)))
                mirror.urgent, asked = False, now
            if now - reminded > _REMIND:
                port.write(bytes((HostCommand.UPDATE_NICE,)))
                reminded = now


class _About:
    """What the board says of itself."""

    def __init__(self) -> None:
        self._version = self._serial = ""
        self.answered = False

    def hear(self, message: Message) -> None:
        match message:
            case Version(major, minor):
                self._version = f"version {major}.{minor:02d}"
            case Text(MessageKind.SERIAL_NUMBER, text):
                self._serial = f"serial number {text}"
        self.answered = self.answered or isinstance(message, Version | Dump)

    def words(self) -> str:
        return ", ".join(part for part in ("DGT board", self._version, self._serial) if part)


def probe(url: str, *, seconds: float = ANSWER_SECONDS) -> str:
    """Open ``url`` once, ask for a DGT board, close, and return its description.

    Raises :class:`BoardNotFoundError` if there is no such port, :class:`NoAnswerError` if nothing
    answers as a DGT board within ``seconds``, and :class:`OSError` with a clear sentence for all
    else that prevents opening.
    """
    check_url(url)
    lost = link_errors()
    try:
        port = open_port(url, BAUD)
    except lost as error:
        raise OSError(explain_open_error(url, error)) from error
    decoder, about, any_bytes = Decoder(), _About(), False
    try:
        end, next_ask = time.monotonic() + seconds, 0.0
        while (now := time.monotonic()) < end:
            if now >= next_ask:
                port.write(bytes((HostCommand.SERIAL_NUMBER, HostCommand.VERSION)))
                next_ask = now + _ASK_EVERY
            data = read_port(port)
            any_bytes = any_bytes or bool(data)
            for message in decoder.feed(data):
                about.hear(message)
            if about.answered:
                return about.words()
    except lost as error:
        raise OSError(explain_open_error(url, error)) from error
    finally:
        close_port(port)
    raise NoAnswerError(_no_answer(url, any_bytes, decoder))


def find_dgt_board(ports: Callable[[], Iterable[FoundPort]] = discover) -> str:
    """Return the port of the first USB port at which a DGT board answers.

    Ports whose USB id only a DGT board has come first; of the others only those are opened that
    have an id under which DGT boards are seen. Raises :class:`BoardNotFoundError` with a sentence
    for the person if none answers.
    """
    likely = [port for port in ports() if (port.vid, port.pid) in USB_IDS]
    likely.sort(key=lambda port: not USB_IDS[port.vid or 0, port.pid or 0])
    reasons = []
    for port in likely:
        try:
            probe(port.url)
        except (OSError, ValueError) as error:
            reasons.append(str(error))
        else:
            return port.url
    raise BoardNotFoundError(
        " ".join(reasons)
        or "No DGT board was found: plug it in, or give its port as dgt:/dev/ttyUSB0."
    )


def _no_answer(url: str, any_bytes: bool, decoder: Decoder) -> str:
    if any_bytes and not decoder.messages:
        return f"What is at {url} sends, but nothing a DGT board would say: give the board's port."
    return f"No DGT board answers at {url}: check that it is the board's port, and replug it."


def _ids(port: FoundPort) -> tuple[int | None, int | None, str | None]:
    return port.vid, port.pid, port.serial_number
