"""Shows live what a board reports: one plain line per event, or JSON Lines."""

from __future__ import annotations

import json as json_lines
import queue
import time
from dataclasses import asdict
from typing import TextIO

from . import events
from .driver import BoardNotFoundError, check_url, discover
from .events import BoardEvent
from .peg.driver import PegBoard, probe

_NAMES = {"P": "pawn", "N": "knight", "B": "bishop", "R": "rook", "Q": "queen", "K": "king"}


def find_board() -> str:
    """Return the port of the first likely USB port at which a board answers.

    Opens each likely port for up to three seconds. Raises :class:`BoardNotFoundError` with a
    sentence for the person if none answers.
    """
    reasons = []
    for port in discover():
        if not port.likely:
            continue  # Opening would reset or disturb a stranger's device.
        try:
            probe(port.url)
        except (OSError, ValueError) as error:
            reasons.append(str(error))
        else:
            return port.url
    raise BoardNotFoundError(
        " ".join(reasons)
        or "No board was found: plug it in, or give the port it is at, for example with --port."
    )


def describe_event(event: BoardEvent) -> str:
    """Say an event in one plain line without its time."""
    match event:
        case events.Connected(url, board):
            return f"Connected to {url}: {board}."
        case events.Disconnected(why):
            return f"Disconnected. {why}"
        case events.Lifted(square):
            return f"Lifted from {square}."
        case events.Placed(square, piece):
            if piece is None:
                return f"Placed on {square}: a piece."
            side = "white" if piece.isupper() else "black"
            return f"Placed on {square}: {side} {_NAMES[piece.upper()]}."
        case events.BoardPosition(placement):
            return f"Position: {placement}"
        case events.LeverPressed(side):
            return f"{side.capitalize()} pressed the clock."
        case events.ContactFault(square):
            return f"Fault on {square}: check the contact and the plug."


def event_json(event: BoardEvent, at: float) -> str:
    """Return one line of JSON: ``event``, ``at`` (seconds), and the event's own fields."""
    fields = {**asdict(event), "at": round(at, 3)}
    return json_lines.dumps({"event": event.kind, **fields}, ensure_ascii=False)


def monitor(url: str | None, *, json: bool, seconds: float | None, out: TextIO) -> None:
    """Print what the board at ``url`` reports to ``out`` for ``seconds``, or until interrupted.

    Without ``url`` the board is searched for. Times are seconds since the monitor began; an event
    that began before it was believed may carry a slightly earlier time than the line before.
    Raises :class:`BoardNotFoundError` if there is no board, ``url`` cannot be one, or nothing
    answered within ``seconds``.
    """
    if url is None:
        url = find_board()
    check_url(url)
    inbox: queue.Queue[BoardEvent] = queue.Queue()
    start = time.monotonic()
    answered = False
    board = PegBoard(url, inbox.put)
    board.start()
    try:
        while True:
            left = 1.0 if seconds is None else start + seconds - time.monotonic()
            if left <= 0:
                break
            try:
                event = inbox.get(timeout=min(left, 1.0))
            except queue.Empty:
                continue
            answered = answered or isinstance(event, events.Connected)
            at = max(0.0, event.at - start)
            line = event_json(event, at) if json else f"{at:.2f} {describe_event(event)}"
            print(line, file=out, flush=True)
    except KeyboardInterrupt:
        return
    finally:
        board.close()
    if not answered:
        raise BoardNotFoundError(
            f"No board answered at {url} within {seconds:g} seconds: check its port and its cable, "
            "or wait longer with --seconds."
        )
