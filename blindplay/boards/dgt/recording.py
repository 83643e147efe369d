"""Reads a recorded stream of a DGT board and tells its moves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import chess

from .moves import Commit, MoveFinder, MoveFinding, MoveFound, MoveUnclear
from .protocol import ClockTimes, Damaged, Decoder, Dump, FieldUpdate, Message, MessageKind


class NoRecordingError(ValueError):
    """The bytes are no recording of a DGT board."""


def decode(
    data: bytes,
    *,
    commit: Commit | None = None,
    position: chess.Board | None = None,
    turned: bool | None = None,
) -> Iterator[MoveFinding]:
    """Yield the moves in a recorded stream, and sentences about what cannot be told.

    ``commit`` None: by the clock if it is pressed for most moves of this stream, and then with a
    last move after which it was not pressed; else by positions. ``position`` is where the game
    begins, if not as the first dump shows it. Raises :class:`NoRecordingError` if the bytes hold
    no board.
    """
    decoder = Decoder()
    messages = decoder.feed(data)
    if not any(isinstance(message, Dump | FieldUpdate) for message in messages):
        raise NoRecordingError("it holds no messages of a DGT board")
    if position is None and not any(isinstance(message, Dump) for message in messages):
        raise NoRecordingError("it holds no dump of the whole board, so no moves can be told")
    finder = MoveFinder(
        commit or _by_what(messages, position, turned),
        position=position,
        turned=turned,
        last_unpressed=commit is None,
    )
    for message in messages:
        yield from finder.hear(message)
    if decoder.unfinished not in (None, MessageKind.CLOCK):
        yield MoveUnclear("The recording ends within a message about the board.")
        yield from finder.hear(Damaged())
    yield from finder.finish()
    if decoder.unknown:
        yield MoveUnclear(f"Messages of an unknown kind that were skipped: {decoder.unknown}.")


def _by_what(messages: list[Message], position: chess.Board | None, turned: bool | None) -> Commit:
    running = [m.running for m in messages if isinstance(m, ClockTimes) and m.running]
    presses = sum(one != other for one, other in pairwise(running))
    if not presses:
        return "position"
    finder = MoveFinder("position", position=position, turned=turned)
    moves = sum(isinstance(found, MoveFound) for m in messages for found in finder.hear(m))
    # A clock that was only tried, or left alone for the rest of the game, commits nothing.
    return "clock" if 2 * presses >= moves else "position"
