"""The conversation of DGT LiveChess's API 1.0, without I/O.

Messages are JSON objects. A client sends calls with an ``id``; each is answered with a ``call`` or
an ``error`` of this id. ``eboards`` lists the boards, ``subscribe`` begins a feed of the kind
``eboardevent`` under an ``id`` that the client chooses, and ``call`` calls a method of a feed:
``setup`` gives the position from which moves are reconstructed, ``flip`` turns the board by 180
degrees. A feed tells the placement after each change and, once a position was set up, the moves,
which :class:`Reconstruction` finds in what the board shows.

Sources: the types and quotations of LiveChess's documentation in herohde/livechess-go; a recorded
conversation of chess.com with LiveChess in andrescavallin/lichess-dgt-boards; the connector of
Lichess (ui/dgt/src/play.ts in lichess-org/lila), which depends on ``san``; an answer of LiveChess
over HTTP in lichess-org/lila#20307.
"""

import json
import zlib
from collections.abc import Iterator
from typing import Any

import chess

from .. import events
from ..diagram import (
    EMPTY,
    NAMELESS,
    Diagram,
    after_move,
    changed,
    diagram_of_board,
    diagram_of_fen,
    differing,
    fen_of,
)
from ..events import BoardEvent
from ..nameless import certain_moves, occupied_squares


class Reconstruction:
    """The moves that lead from a position to what a board shows.

    Call :meth:`rest` when the hands rest. Hands slide pieces over legal squares, castle with the
    rook first, and take moves back, so the end of the moves may be revised.
    """

    def __init__(self, start: chess.Board) -> None:
        self.start = start.fen()
        self._board = start
        # The squares that were seen empty while each position was the last, the start first.
        self._emptied: list[chess.Bitboard] = [0]

    @property
    def san(self) -> list[str]:
        """The moves so far."""
        board = self._board.root()
        return [board.san_and_push(move) for move in self._board.move_stack]

    def differing(self, shown: Diagram) -> chess.Bitboard:
        """The squares on which a board that shows this differs from the position."""
        return _differing(self._board, shown)

    def placement(self, shown: Diagram) -> str:
        """Return the position on the board, as FEN's first field. A piece without a name takes
        the name of the piece on that square in the game; on an empty square it is left out."""
        if NAMELESS not in shown:
            return fen_of(shown)
        known = diagram_of_board(self._board)
        return fen_of(
            bytes(
                EMPTY if now == EMPTY else was if now == NAMELESS else now
                for now, was in zip(shown, known, strict=True)
            )
        )

    def change(self, shown: Diagram, emptied: chess.Square | None) -> None:
        """Take a single change, after which the board shows this."""
        if emptied is not None:
            self._emptied[-1] |= chess.BB_SQUARES[emptied]
        elif not self.differing(shown):
            self._emptied[-1] = 0  # a piece was only adjusted

    def rest(self, shown: Diagram) -> None:
        """Find the moves to what the board shows, if there are any."""
        if not self.differing(shown):
            self._emptied[-1] = 0
        elif move := self._only_move(self._board, shown, self._emptied[-1]):
            self._push(move)
        elif not (self._revise(shown) or self._take_back(shown)) and NAMELESS not in shown:
            self._push_two(shown)

    def _push(self, move: chess.Move) -> None:
        self._board.push(move)
        self._emptied.append(0)

    def _revise(self, shown: Diagram) -> bool:
        """Another move than the last one may have been meant."""
        if not self._board.move_stack:
            return False
        emptied = self._emptied[-2] | self._emptied[-1]
        last = self._board.pop()
        move = self._only_move(self._board, shown, emptied)
        self._board.push(move or last)
        if move is not None:
            self._emptied[-2:] = [emptied, 0]
        return move is not None

    def _take_back(self, shown: Diagram) -> bool:
        """The board may show an earlier position."""
        before = self._board.copy()
        while before.move_stack:
            before.pop()
            if not _differing(before, shown):
                self._board = before
                self._emptied[len(before.move_stack) :] = [0]
                return True
        return False

    def _push_two(self, shown: Diagram) -> None:
        """Two moves may have been made at once."""
        pairs = []
        for move in self._board.legal_moves:
            after = self._board.copy(stack=False)
            after.push(move)
            pairs += [(move, answer) for answer in _moves_to(after, shown)]
        if len(pairs) == 1:
            for move in pairs[0]:
                self._push(move)

    @staticmethod
    def _only_move(
        board: chess.Board, shown: Diagram, emptied: chess.Bitboard
    ) -> chess.Move | None:
        if NAMELESS in shown:
            moves = certain_moves(board, occupied_squares(shown), emptied)
        else:
            moves = _moves_to(board, shown)
        return moves[0] if len(moves) == 1 else None


def _differing(board: chess.Board, shown: Diagram) -> chess.Bitboard:
    if NAMELESS in shown:
        return board.occupied ^ occupied_squares(shown)
    return differing(shown, diagram_of_board(board))


def _moves_to(board: chess.Board, shown: Diagram) -> list[chess.Move]:
    diagram = diagram_of_board(board)
    return [move for move in board.legal_moves if after_move(board, diagram, move) == shown]


MOST_FEEDS = 16
"""Feeds of one client."""


class _CallError(Exception):
    """A call that cannot be done. Its text goes to the client, in English as LiveChess's do."""


class ServedBoard:
    """The state of a board after all its events."""

    def __init__(self, address: str) -> None:
        self.serial = str(zlib.crc32(address.encode()))
        self.source = address
        self.about: str | None = None
        self.connected = False
        self.shown: Diagram | None = None

    def hear(self, event: BoardEvent) -> None:
        """Take an event."""
        match event:
            case events.Connected(url, about):
                self.source, self.about, self.connected = url, about, True
            case events.Disconnected():
                self.connected = False
            case events.BoardPosition(placement):
                self.shown = diagram_of_fen(placement)
            case events.Lifted(square):
                self._put(square, EMPTY)
            case events.Placed(square, piece):
                self._put(square, ord(piece) if piece else NAMELESS)

    def _put(self, square: str, letter: int) -> None:
        if self.shown is not None:
            self.shown = changed(self.shown, chess.parse_square(square), letter)


class Feed:
    """The messages for one subscriber: the placement of a board, and the moves of a game."""

    def __init__(self, board: ServedBoard) -> None:
        self._board = board
        self._flipped = False
        self._game = Reconstruction(chess.Board())
        self.is_set_up = False
        """True while moves of a game are reconstructed."""
        self._sent: dict[str, Any] = {}
        self._played: list[str] = []

    def set_up(self, fen: str) -> None:
        """Reconstruct moves from this position."""
        board = chess.Board(fen)
        board.chess960 = board.has_chess960_castling_rights()
        self._game, self._played, self.is_set_up = Reconstruction(board), [], True
        self.rest()

    def flip(self, flipped: bool) -> None:
        """Turn the board, or turn it back."""
        self._flipped = flipped

    def hear(self, event: BoardEvent) -> None:
        """Take an event that the board has taken."""
        shown = self._diagram()
        if shown is None or not isinstance(event, events.Lifted | events.Placed):
            return
        square = chess.parse_square(event.square)
        lifted = isinstance(event, events.Lifted)
        self._game.change(shown, (63 - square if self._flipped else square) if lifted else None)

    def rest(self) -> None:
        """The hands rest."""
        if (shown := self._diagram()) is not None:
            self._game.rest(shown)

    def news(self) -> dict[str, Any] | None:
        """The parameters of the next message of this feed; None if nothing has changed."""
        now = self._state()
        if now == self._sent:
            return None
        news = now if self._sent else now | {"clock": None}
        self._sent = now
        return news

    def progress(self) -> list[str] | None:
        """The moves of the game that was set up that are new since the last call; empty if moves
        were taken back, None if nothing has changed."""
        before, self._played = self._played, self._game.san if self.is_set_up else []
        if self._played == before:
            return None
        goes_on = self._played[: len(before)] == before
        revised = len(self._played) == len(before)
        return self._played[len(before) :] if goes_on else self._played[-1:] if revised else []

    def differing(self) -> list[str]:
        """The squares on which the board differs from the game that was set up."""
        shown = self._diagram()
        if shown is None or not self.is_set_up:
            return []
        return [chess.square_name(at) for at in chess.SquareSet(self._game.differing(shown))]

    def placement(self) -> str | None:
        """The placement on the board, as FEN's first field."""
        shown = self._diagram()
        return None if shown is None else self._game.placement(shown)

    def _diagram(self) -> Diagram | None:
        shown = self._board.shown
        return shown[::-1] if self._flipped and shown is not None else shown

    def _state(self) -> dict[str, Any]:
        state = {"serialnr": self._board.serial, "flipped": self._flipped}
        if (placement := self.placement()) is not None:
            state["board"] = placement
        if self.is_set_up:
            state |= {"start": self._game.start, "san": self._game.san}
            state["match"] = placement is not None and not self.differing()
        return state


def eboards(board: ServedBoard, feed: Feed) -> list[dict[str, Any]]:
    """The list of the boards: one. ``feed`` is that of the service itself."""
    return [
        {
            "serialnr": board.serial,
            "source": board.source,
            "state": "ACTIVE" if board.connected else "NOTRESPONDING",
            "battery": None,
            "comment": board.about,
            "board": feed.placement(),
            "flipped": False,
            "clock": None,
        }
    ]


class Conversation:
    """The conversation with one client. ``everybody`` is the feed of the service itself."""

    def __init__(self, board: ServedBoard, everybody: Feed) -> None:
        self._board = board
        self._everybody = everybody
        self.feeds: dict[Any, Feed] = {}

    def answer(self, text: str | bytes, at: int) -> Iterator[str]:
        """Yield the messages that answer one of the client's. ``at``: milliseconds since 1970."""
        number = None
        try:
            number, call, param = _read(text)
            answered = self._call(call, param)
        except _CallError as error:
            yield _message("error", number, {"message": str(error)}, at)
        else:
            yield _message("call", number, answered, at)
        yield from self.news(at)

    def news(self, at: int) -> Iterator[str]:
        """Yield the messages of feeds that have changed since the client's last ones."""
        for number, feed in self.feeds.items():
            if (news := feed.news()) is not None:
                yield _message("feed", number, news, at)

    def _call(self, call: Any, param: dict[str, Any]) -> Any:
        match call:
            case "eboards":
                return eboards(self._board, self._everybody)
            case "subscribe":
                self._subscribe(param)
            case "unsubscribe":
                self.feeds.pop(_id(param), None)
            case "call":
                self._call_method(param)
            case _:
                raise _CallError("There is no such call.")
        return None

    def _subscribe(self, param: dict[str, Any]) -> None:
        if param.get("feed") != "eboardevent":
            raise _CallError("There is no such feed.")
        if _inner(param).get("serialnr") != self._board.serial:
            raise _CallError("There is no board with this serial number.")
        if len(self.feeds) >= MOST_FEEDS:
            raise _CallError("There are too many feeds.")
        self.feeds[_id(param)] = Feed(self._board)

    def _call_method(self, param: dict[str, Any]) -> None:
        feed, inner = self.feeds.get(_id(param)), _inner(param)
        if feed is None:
            raise _CallError("There is no such feed.")
        match param.get("method"), inner:
            case "setup", {"fen": str(fen)}:
                try:
                    feed.set_up(fen)
                except ValueError:
                    raise _CallError("This is not FEN.") from None
            case "flip", {"flip": bool(flipped)}:
                feed.flip(flipped)
            case _:
                raise _CallError("There is no such method.")


def _read(text: str | bytes) -> tuple[Any, Any, dict[str, Any]]:
    """The id, the call and the parameters of a message."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise _CallError("This is not JSON.") from None
    if not isinstance(message, dict):
        raise _CallError("This is not a call.")
    return _id(message), message.get("call"), _inner(message)


def _id(message: dict[str, Any]) -> int | str:
    number = message.get("id")
    if not isinstance(number, int | str):
        raise _CallError("The id is missing.")
    return number


def _inner(message: dict[str, Any]) -> dict[str, Any]:
    param = message.get("param")
    return param if isinstance(param, dict) else {}


def _message(kind: str, number: int | str | None, param: Any, at: int) -> str:
    return json.dumps({"response": kind, "id": number, "param": param, "time": at})
