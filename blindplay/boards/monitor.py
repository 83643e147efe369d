"""Shows the events of a board live: one plain line per event, or JSON Lines."""

import json as json_lines
import queue
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import TextIO

from blindplay.translation import Message, _

from . import events
from .events import BoardEvent
from .makers import board_at
from .ports import BoardNotFoundError

_PIECES = {
    "P": _("white pawn"),
    "N": _("white knight"),
    "B": _("white bishop"),
    "R": _("white rook"),
    "Q": _("white queen"),
    "K": _("white king"),
    "p": _("black pawn"),
    "n": _("black knight"),
    "b": _("black bishop"),
    "r": _("black rook"),
    "q": _("black queen"),
    "k": _("black king"),
}


def describe_event(event: BoardEvent) -> str:
    """Describe an event in one plain line, without its time."""
    match event:
        case events.Connected(url, board):
            return _("Connected to {url}: {board}.", url=url, board=board)
        case events.Disconnected(why):
            return _("Disconnected. {why}", why=why)
        case events.PieceTouched(square):
            return _("Touched on {square}.", square=square)
        case events.Lifted(square):
            return _("Lifted from {square}.", square=square)
        case events.Placed(square, piece):
            if piece is None:
                return _("Placed on {square}: a piece.", square=square)
            return _("Placed on {square}: {piece}.", square=square, piece=_PIECES[piece])
        case events.PieceDoubted(square, empty=True):
            return _(
                "A piece on {square} that cannot be there: take it out once and put it back, or "
                "look for damp.",
                square=square,
            )
        case events.PieceDoubted(square):
            return _(
                "Another piece on {square} without a lift: press it down, or lift it once.",
                square=square,
            )
        case events.PieceCertain(square):
            return _("It is certain again what is on {square}.", square=square)
        case events.BoardPosition(placement):
            return _("Position: {placement}", placement=placement)
        case events.Read():
            return _("The board has told everything up to here.")
        case events.PositionUnknown():
            return _("The position is not known: the line loses too much.")
        case events.LeverPressed(side):
            return (
                _("White pressed the clock.") if side == "white" else _("Black pressed the clock.")
            )
        case events.ContactFault(square):
            return _("Fault on {square}: check the contact and the plug.", square=square)


def event_json(event: BoardEvent, at: float, told: Callable[[str], str] = str) -> str:
    """Return one line of JSON: ``event``, ``at`` (seconds), and the event's own fields. ``told``
    gives a message as its reader reads it."""
    own = asdict(event)
    told_fields = {name: told(text) for name, text in own.items() if isinstance(text, Message)}
    fields = {**own, **told_fields, "at": round(at, 3)}
    return json_lines.dumps({"event": event.kind, **fields}, ensure_ascii=False)


def monitor(
    address: str | None,
    *,
    json: bool,
    seconds: float | None,
    out: TextIO,
    told: Callable[[str], str] = str,
) -> None:
    """Print the events of the board at ``address`` to ``out``, for ``seconds`` or until Ctrl-C.

    A name before the URL, as in ``dgt:/dev/ttyUSB0``, gives the maker of the board. Without a URL,
    the monitor searches for a board. ``told`` is that of :func:`event_json`. The times are seconds
    since the monitor began. Events come in the order in which they were confirmed, so a line may
    have a slightly earlier time than the line before.

    :raises BoardNotFoundError: if there is no board, the address is not that of a board, or no
        board answered within ``seconds`` or, without them, at the first attempt.
    """
    driver, url = board_at(address)
    inbox: queue.Queue[BoardEvent] = queue.Queue()
    started = time.monotonic()
    answered = False
    try:
        with driver(url, inbox.put):
            while (left := 1.0 if seconds is None else started + seconds - time.monotonic()) > 0:
                try:
                    event = inbox.get(timeout=min(left, 1.0))
                except queue.Empty:
                    continue
                answered = answered or isinstance(event, events.Connected)
                if isinstance(event, events.Disconnected) and not answered and seconds is None:
                    raise BoardNotFoundError(event.why)
                at = max(0.0, event.at - started)
                line = (
                    [event_json(event, at, told)] if json else [f"{at:.2f}", describe_event(event)]
                )
                print(*line, file=out, flush=True)
    except KeyboardInterrupt:
        return
    if not answered:
        raise BoardNotFoundError(
            "No board answered at {url} within {seconds} seconds: check its port and "
            "its cable, or wait longer with --seconds.",
            url=url,
            seconds=f"{seconds:g}",
        )
