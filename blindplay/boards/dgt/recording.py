"""Finds the moves in a recorded stream of a DGT board."""

from collections.abc import Iterator
from itertools import pairwise

import chess

from .moves import Commit, MoveFinder, MoveFinding, MoveFound, MoveUnclear
from .protocol import ClockTimes, Damaged, Decoder, Dump, FieldUpdate, Message, MessageKind


class NoRecordingError(ValueError):
    """The bytes are not a recording of a DGT board."""


def decode(
    data: bytes,
    *,
    commit: Commit | None = None,
    position: chess.Board | None = None,
    turned: bool | None = None,
) -> Iterator[MoveFinding]:
    """Yield the moves in a recorded stream, and a sentence about each gap.

    With ``commit`` None, the clock makes moves final if it was pressed for most of them, and the
    last move counts even without a press; otherwise positions do. ``position`` is where the game
    begins, if the first dump does not show it. Raises :class:`NoRecordingError` if the bytes hold
    no board.
    """
    decoder = Decoder()
    messages = decoder.feed(data)
    if not any(isinstance(message, Dump | FieldUpdate) for message in messages):
        raise NoRecordingError("it holds no messages of a DGT board")
    if position is None and not any(isinstance(message, Dump) for message in messages):
        raise NoRecordingError("it holds no dump of the whole board, so no moves can be found")
    finder = MoveFinder(
        commit or _commit_of(messages, position, turned),
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
        yield MoveUnclear(f"Skipped messages of an unknown kind: {decoder.unknown}.")


def _commit_of(
    messages: list[Message], position: chess.Board | None, turned: bool | None
) -> Commit:
    running = [m.running for m in messages if isinstance(m, ClockTimes) and m.running]
    presses = sum(one != other for one, other in pairwise(running))
    if not presses:
        return "position"
    finder = MoveFinder("position", position=position, turned=turned)
    moves = sum(isinstance(found, MoveFound) for m in messages for found in finder.hear(m))
    # A clock that was only tried, or left alone for the rest of the game, makes nothing final.
    return "clock" if 2 * presses >= moves else "position"
