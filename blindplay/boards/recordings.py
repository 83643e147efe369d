"""Recorded streams of boards of all makers: the moves in them, and the positions."""

from collections.abc import Callable, Iterator, Mapping

import chess

from blindplay.translation import _

from . import dgt
from .dgt.moves import MoveFinder, MoveFinding, MoveUnclear, NoRecordingError
from .dgt.protocol import Decoder
from .diagram import EMPTY, NAMELESS, Diagram, changed, fen_of, turned_at_start
from .makers import DRIVERS
from .nameless import NamelessMoveFinder
from .reporting import Belief, BoardReport, Framer, Garbled, ReportingBoard, SquareChange

FRAMERS: Mapping[str, Callable[[], Framer]] = {
    "dgt": Decoder,
    **{
        name: driver.FRAMER
        for name, driver in DRIVERS.items()
        if issubclass(driver, ReportingBoard)
    },
}
"""By the name of the protocol: those whose streams can be read."""


def decode(
    data: bytes,
    protocol: str = "dgt",
    *,
    commit: dgt.Commit | None = None,
    position: chess.Board | None = None,
    turned: bool | None = None,
) -> Iterator[MoveFinding]:
    """Yield the moves in a recorded stream, and a sentence about each gap.

    For ``dgt`` see :func:`blindplay.boards.dgt.decode`. The others report no press of a clock that
    could make a move final, so ``commit`` is ignored: a move is final when another follows it or
    the stream ends.
    ``position`` is where the game begins; without it, the first believed one, or the start
    position if the board cannot name its pieces.

    :raises NoRecordingError: if the bytes hold no position.
    """
    if protocol == "dgt":
        yield from dgt.decode(data, commit=commit, position=position, turned=turned)
        return
    belief = Belief()
    finder: MoveFinder | NamelessMoveFinder | None = None
    framer = FRAMERS[protocol]()
    for message in framer.feed(data):
        changes = belief.take(message)
        if changes is None or belief.diagram is None:
            continue
        shown = belief.diagram
        named = bool(set(shown) - {EMPTY, NAMELESS})
        if finder is None:
            if named:
                finder = MoveFinder("position", position=position, turned=turned)
            else:
                finder = NamelessMoveFinder(position or chess.Board(), bool(turned))
        if isinstance(finder, NamelessMoveFinder):
            yield from finder.hear(changes, shown, belief.glimpsed)
        elif NAMELESS not in shown:
            yield from finder.hear(BoardReport(shown))
    if finder is None:
        raise NoRecordingError("it holds no position that its messages agree on")
    unread = isinstance(finder, MoveFinder) and NAMELESS in (belief.diagram or b"")
    if framer.unfinished or not belief.settled or unread:
        # The hands may have gone on after the last position that is believed and read.
        yield MoveUnclear(_("The recording ends with a position that nothing confirms."))
        if isinstance(finder, NamelessMoveFinder):
            finder.doubt_last()
        else:
            yield from finder.hear(Garbled())
    yield from finder.finish()


def positions(data: bytes, protocol: str, turned: bool | None = None) -> Iterator[str]:
    """Yield each position in a recorded stream as the board reports it, believed or not, as FEN's
    first field.

    :raises NoRecordingError: if there is none.
    """
    is_turned, last = bool(turned), None
    for diagram in _diagrams(data, protocol):
        if turned is None:
            at_start = turned_at_start(diagram)
            is_turned = is_turned if at_start is None else at_start
        placement = fen_of(diagram[::-1] if is_turned else diagram)
        if placement != last:
            yield (last := placement)
    if last is None:
        raise NoRecordingError("it holds no position")


def _diagrams(data: bytes, protocol: str) -> Iterator[Diagram]:
    """Yield the position after each message of the board, as if it did not lie turned."""
    heard: Diagram | None = None
    for message in FRAMERS[protocol]().feed(data):
        match message:
            case BoardReport(diagram):
                yield (heard := diagram)
            case SquareChange(square, letter) if heard is not None:
                yield (heard := changed(heard, square, letter))
