"""Drives a DGT board over a serial line. Its state is without I/O: messages in, events and requests
out.

No checksum protects the messages of a DGT board. So a position counts only when two messages agree
on it: the single changes and a dump of the whole board, or two dumps in a row. The state asks for a
dump when the hands have rested for a moment, when the clock is pressed, and when bytes formed no
message.
"""

import math
from collections.abc import Callable

import chess

from blindplay.translation import _, join_texts

from .. import events
from ..diagram import EMPTY, NAMELESS, Diagram, changed, fen_of, turned_at_start
from ..driver import PositionBoard, PositionState
from ..events import BoardEvent
from ..ports import UnfitBoardError
from ..reporting import (
    AboutBoard,
    BoardMessage,
    BoardReport,
    ClockSide,
    ClockTimes,
    Garbled,
    SquareChange,
    Trademark,
)
from .protocol import Decoder, HostCommand

PEGGED = "BlindPlay"
"""The trademark of a pegged board, which answers as a DGT board does."""
_DUMP_EVERY = 0.3
_SETTLED = 0.3
"""The board scans all squares in 0.25 s. After this pause the hands rest."""
_RECHECK = 2.0
"""Seconds between dumps while nothing changes."""
_REMIND = 4.0
"""Seconds between requests to report changes. A board that lost power for a moment forgets it."""


_last: dict[str, "DgtBoardState"] = {}
"""The last state of each board that has told its serial number, at whatever port: where boards are
exchanged, each lies as it did."""


class DgtBoardState(PositionState):
    """The state of one connection to a DGT board. ``before`` is that of the last connection at the
    same port. If another board turns out to answer, its own last state counts instead.

    ``confirmed`` is the last position that two messages agreed on, as it lies under the board.
    ``sure`` is True if nothing has been heard since that could change it. ``wants_dump`` asks for
    the whole board.
    """

    SILENCE = _RECHECK

    def __init__(self, url: str, before: "DgtBoardState | None" = None) -> None:
        self._url = url
        self._before = before.which if before else None
        self._decoder = Decoder()
        self.confirmed: Diagram | None = before.confirmed if before else None
        self.turned: bool = before.turned if before else False
        self.sure = False
        self.wants_dump = True
        self._heard: Diagram | None = None  # the board as heard so far
        self._doubtful: Diagram | None = None  # a dump that waits for a second one
        self._reported: str | None = None
        self._changed_at = self._confirmed_at = 0.0
        self._waiting: list[Callable[[], None]] = []
        self._running: ClockSide | None = None
        self._white_clock: ClockSide | None = before._white_clock if before else None
        self._presses: list[events.LeverPressed] = []
        self._about: list[str] = []
        self._answered = self._asked_again = False
        self._urgent = False
        self._dump_asked_at = self._reminded_at = -math.inf

    def receive(self, data: bytes, now: float) -> list[BoardEvent]:
        heard = [event for m in self._decoder.feed(data) for event in self.hear(m, now)]
        return heard + self.rest(now)

    def hear(self, message: BoardMessage, now: float) -> list[BoardEvent]:
        """Take one message.

        :raises UnfitBoardError: if a pegged board has come in the place of the DGT board; its
            touches would get lost.
        """
        if not isinstance(message, Garbled):
            self.heard_at = now
        match message:
            case AboutBoard(text, serial):
                if text not in self._about:
                    self._about.append(text)
                elif serial:  # twice, as nothing protects it
                    self._know(serial if serial.strip("0") else "")
            case Trademark(text) if text == PEGGED:
                raise UnfitBoardError(
                    "The board at {url} is a pegged board: give its port without dgt.",
                    url=self._url,
                )
            case BoardReport(diagram):
                return self._connected(now) + self._hear_dump(diagram, now)
            case SquareChange(square, letter):
                return self._hear_update(square, letter, now)
            case ClockTimes(running=running):
                self._hear_clock(running, now)
            case Garbled():
                self.sure, self.wants_dump = False, True
                # Of a dump with a doubled byte, one byte is left over. Two such dumps may agree.
                self._doubtful = None
        return []

    def _know(self, which: str) -> None:
        """The board has told its serial number. Another board may lie another way round."""
        if self.which is None and self._before not in (None, which):
            own = _last.get(which)
            self.turned = own.turned if own else False
            self.way_known = own.way_known if own else False
            self._white_clock = own._white_clock if own else None
            self.confirmed = self._heard = self._doubtful = self._reported = None
            self.sure, self.wants_dump = False, True
        self.which = which
        if which:
            _last[which] = self

    def rest(self, now: float) -> list[BoardEvent]:
        """Nothing more came until ``now``: ask for a dump if hands rest, and report a press of
        the clock that has waited long enough."""
        # Without a change, one may have been lost without a trace.
        if (now - self._changed_at >= _SETTLED and not self.sure) or (
            now - self._confirmed_at >= _RECHECK
        ):
            self.wants_dump = True
        if self._presses and now - self._presses[0].at >= DgtBoard.LOOK_SECONDS:
            return self._release_presses()
        return []

    def requests(self, now: float) -> bytes:
        commands = []
        if now - self._reminded_at > _REMIND:
            if math.isinf(self._reminded_at):
                commands.append(HostCommand.TRADEMARK)
            commands.append(HostCommand.UPDATE_NICE)
            if math.isinf(self._reminded_at):
                commands += [HostCommand.VERSION, *[HostCommand.SERIAL_NUMBER] * 2]
            self._reminded_at = now
        if self._urgent or (self.wants_dump and now - self._dump_asked_at >= _DUMP_EVERY):
            commands.append(HostCommand.SEND_BOARD)
            self._urgent, self._dump_asked_at = False, now
        return bytes(commands)

    def doubt(self, confirmed: Callable[[], None] | None = None) -> None:
        """Ask for the board again at once, and call ``confirmed`` when the position is sure."""
        self.sure = False
        self.wants_dump = self._urgent = True
        if confirmed is not None:
            self._waiting.append(confirmed)

    def placement(self) -> str | None:
        if self.confirmed is None:
            return None
        shown = self.confirmed[::-1] if self.turned else self.confirmed
        return fen_of(shown.replace(bytes([NAMELESS]), bytes([EMPTY])))  # those show a result

    def _connected(self, now: float) -> list[BoardEvent]:
        if self._answered:
            return []
        if self.which is None and not self._asked_again:
            # The board was not listening yet: opening may reset it. No position counts before a
            # second dump.
            self._asked_again = True
            self._reminded_at = -math.inf
            return []
        self._answered = True
        about = join_texts(", ", (DgtBoard.KIND, *self._about))
        return [events.Connected(self._url, about, now, self.which)]

    def _hear_dump(self, diagram: Diagram, now: float) -> list[BoardEvent]:
        if diagram not in (self._heard, self._doubtful):
            # One of the two is wrong, or a piece is just moving: a further dump decides.
            self._doubtful = diagram
            self.wants_dump = True
            return []
        self._heard, self._doubtful = diagram, None
        self.sure, self.wants_dump, self._confirmed_at = True, False, now
        self.confirmed = diagram
        self.turned = self._lies_turned(diagram, self.turned)
        while self._waiting:
            self._waiting.pop()()
        placement = self.placement()
        assert placement is not None
        position: list[BoardEvent] = []
        if placement != self._reported:
            self._reported = placement
            position.append(events.BoardPosition(placement, now))
        return position + self._release_presses()

    def _release_presses(self) -> list[BoardEvent]:
        released, self._presses = self._presses, []
        return list(released)

    def _hear_update(self, square: chess.Square, letter: int, now: float) -> list[BoardEvent]:
        self._changed_at, self.sure, self._doubtful = now, False, None
        if self._heard is None or self._heard[square] == letter:
            return []
        self._heard = changed(self._heard, square, letter)
        name = chess.square_name(63 - square if self.turned else square)
        if letter == EMPTY:
            return [events.Lifted(name, now)]
        return [events.Placed(name, None if letter == NAMELESS else chr(letter), now)]

    def _hear_clock(self, running: ClockSide | None, now: float) -> None:
        if running is None:
            return
        before, self._running = self._running, running
        if before is None and self._heard and turned_at_start(self._heard) == self.turned:
            self._white_clock = running
        if before in (None, running):
            return
        white = self._white_clock or ("right" if self.turned else "left")
        self._presses.append(events.LeverPressed("white" if before == white else "black", now))
        self.doubt()  # The last change may come after the press: a scan takes a while.


class DgtBoard(PositionBoard[DgtBoardState]):
    """A DGT board. It knows positions, and its single changes prove no touch.

    ``Lifted`` and ``Placed`` report single changes as they arrive; no checksum protects them.
    ``BoardPosition`` comes when the hands rest and two messages agree on the position, and before
    each ``LeverPressed``, a press of the DGT clock, unless the board cannot be heard then.

    Which way round the board lies follows from the start position, or from that of a game that goes
    on; until then White sits at the board's usual side. White's side of the clock is the one that
    runs first from the start position. Until then it is the left one, or the right one if the board
    lies turned.
    """

    KIND = _("DGT board")
    PORT_HINT = _("for example as dgt:/dev/ttyUSB0")

    USB_IDS = ((0x045B, 0x8111), (0x0403, 0x6001), (0x04D8, 0x000A))
    # Many adapters have the same chip as those after the first.

    def new_state(self, url: str, before: DgtBoardState | None) -> DgtBoardState:
        state = DgtBoardState(url, before)
        state.way_known = before is not None and before.way_known
        state.expected = None if state.way_known else self._expected
        return state
