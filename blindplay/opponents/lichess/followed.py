"""A game at Lichess as its stream tells it, and the next step by which this table shows the same
game. Pure: events in, the game and the step out.

The first line of a connection is the whole game. The following lines may come twice, out of order,
or after the end. So later lines only add moves; a line that contradicts what is known is not
believed, and the game is read anew from a new connection. A move is sent once. Where nobody knows
whether Lichess took it, a newer connection tells.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import chess

from blindplay.laws.facts import SIDES

RUNNING = frozenset(("created", "started"))
"""The statuses of a game that has not ended."""
VARIANTS = frozenset(("standard", "chess960", "fromPosition"))
"""The variants that can be played at a table."""


@dataclass(frozen=True)
class NetPlayer:
    """A player at Lichess. ``ai``: the level of the server's computer."""

    name: str
    rating: int | None = None
    ai: int | None = None


@dataclass(frozen=True)
class AboutGame:
    """The facts about a game that do not change. ``initial_s``: None without a clock.
    ``king_takes_rook``: castling is sent so."""

    start: chess.Board
    players: Mapping[str, NetPlayer]
    rated: bool
    king_takes_rook: bool
    initial_s: int | None = None
    increment_s: int = 0


@dataclass(frozen=True)
class GameState:
    """A game at one moment. ``left``: the ms of each side. ``first_move``: the ms in which the
    first move must come, if that is limited. ``received``: when it came, as monotonic seconds."""

    moves: tuple[chess.Move, ...]
    left: Mapping[str, int]
    status: str
    winner: str | None = None
    offers: frozenset[str] = frozenset()
    takebacks: frozenset[str] = frozenset()
    first_move: int | None = None
    received: float = field(default=0.0, compare=False)

    @property
    def ended(self) -> bool:
        return self.status not in RUNNING


class ServedGame:
    """A game as far as it is known. ``since`` counts the connections and requests up to the
    connection whose first line was believed last."""

    def __init__(self) -> None:
        self.about: AboutGame | None = None
        self.state: GameState | None = None
        self.since = -1

    def begin(self, line: Mapping[str, Any], at: int) -> None:
        """Take the first line of a connection that was opened ``at`` this count.

        :raises ValueError: if it is none.
        """
        if line.get("type") != "gameFull":
            raise ValueError("no gameFull")
        about = read_about(line)
        state = read_state(line["state"], about.start)
        if self.state is None or not self.state.ended:
            self.about, self.state, self.since = about, state, at

    def add(self, line: Mapping[str, Any]) -> bool:
        """Take a later line with a state; False if it contradicts what is known.

        :raises ValueError: if it is none.
        """
        assert self.about is not None and self.state is not None
        state = read_state(line["state"] if line["type"] == "gameFull" else line, self.about.start)
        before = self.state
        if before.ended or state == before:
            return True
        if state.moves[: len(before.moves)] != before.moves:
            return False
        self.state = state
        return True

    def on_move(self, plies: int) -> str:
        """The side that is on move after so many plies."""
        assert self.about is not None
        return "white" if self.about.start.turn == (plies % 2 == 0) else "black"

    def moves_before(self, position: chess.Board) -> tuple[chess.Move, ...]:
        """The moves that led to ``position``.

        :raises ValueError: if it did not occur.
        """
        assert self.about is not None and self.state is not None
        board, goal = self.about.start.copy(), position.fen()
        for played, move in enumerate((*self.state.moves, None)):
            if board.fen() == goal:
                return self.state.moves[:played]
            if move is not None:
                board.push(move)
        raise ValueError("another game")


def read_about(line: Mapping[str, Any]) -> AboutGame:
    """:raises ValueError: if this is not a game that can be played here."""
    try:
        key = line["variant"]["key"]
        if key not in VARIANTS:
            raise ValueError(f"variant {key}")
        clock = line.get("clock") or {}
        return AboutGame(
            start_of(key, line.get("initialFen")),
            {side: _person(line[side]) for side in SIDES},
            bool(line["rated"]),
            key != "standard",
            int(clock["initial"]) // 1000 if clock else None,
            int(clock.get("increment", 0)) // 1000,
        )
    except (KeyError, TypeError, AttributeError):
        raise ValueError("no game") from None


def start_of(variant: str, fen: str | None) -> chess.Board:
    """The position that a game begins with. One whose castling needs it is of Chess960.

    :raises ValueError: if it is none.
    """
    if fen in (None, "", "startpos"):
        return chess.Board(chess960=variant == "chess960")
    board = chess.Board(fen, chess960=True)
    usual = chess.Board(fen)
    if variant != "chess960" and usual.castling_rights == usual.clean_castling_rights():
        board = usual
    if not board.is_valid():
        raise ValueError("no position")
    return board


def read_state(line: Mapping[str, Any], start: chess.Board) -> GameState:
    """:raises ValueError: if this is not a state of a game from ``start``."""
    try:
        expiration = line.get("expiration")
        winner = line.get("winner")
        return GameState(
            _moves(str(line["moves"]), start),
            {"white": int(line["wtime"]), "black": int(line["btime"])},
            str(line["status"]),
            winner if winner in SIDES else None,
            frozenset(side for side in SIDES if line.get(f"{side[0]}draw")),
            frozenset(side for side in SIDES if line.get(f"{side[0]}takeback")),
            None
            if expiration is None
            else max(0, int(expiration["millisToMove"]) - int(expiration["idleMillis"])),
            time.monotonic(),
        )
    except (KeyError, TypeError, AttributeError):
        raise ValueError("no state") from None


def _moves(text: str, start: chess.Board) -> tuple[chess.Move, ...]:
    """The moves as this table writes them: castling may come as the king's two squares, or as the
    king takes the rook."""
    board = start.copy(stack=False)
    moves = []
    for word in text.split():
        move = board.parse_uci(word)
        board.push(move)
        moves.append(move)
    return tuple(moves)


def _person(value: Mapping[str, Any]) -> NetPlayer:
    level = value.get("aiLevel")
    rating = value.get("rating")
    return NetPlayer(
        str(value.get("name") or value.get("id") or "Lichess"),
        rating if isinstance(rating, int) else None,
        level if isinstance(level, int) else None,
    )


class Do(Enum):
    """The action of a step."""

    NOTHING = "nothing"
    """Both show the same game."""
    WAIT = "wait"
    """Lichess has taken the move and will tell so."""
    READ_ANEW = "read anew"
    """Only a new connection tells whether Lichess took the move."""
    SEND = "send"
    PLAY = "play"
    """The opponent has moved."""
    EXECUTE = "execute"
    """The player has moved at Lichess in another way."""
    GO_BACK = "go back"


class Sending(Enum):
    """The outcome of sending a move."""

    TAKEN = "taken"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class DueStep:
    """``plies``: how many stand before ``move``, or after going back. ``why`` names the sentence
    that tells of it."""

    do: Do
    plies: int = 0
    move: chess.Move | None = None
    why: str = ""


@dataclass(frozen=True)
class _Sent:
    plies: int
    move: chess.Move
    outcome: Sending
    at: int


class Course:
    """Remembers the sent move, and the number of plies that Lichess has ``confirmed``."""

    def __init__(self, confirmed: int = 0) -> None:
        self.confirmed = confirmed
        self._sent: _Sent | None = None

    def sent(self, step: DueStep, outcome: Sending, at: int) -> None:
        """Note that the move of ``step`` was sent; ``at`` counts as ``since`` does."""
        assert step.move is not None
        self._sent = _Sent(step.plies, step.move, outcome, at)

    def went_back(self, plies: int) -> None:
        """Note that the game here went back to this number of plies."""
        self.confirmed = min(self.confirmed, plies)
        self._sent = None

    def next(
        self,
        moves: Sequence[chess.Move],
        state: GameState,
        since: int,
        is_players: Callable[[int], bool],
    ) -> DueStep:
        """The next step. ``since``: when the connection that brought ``state`` was opened.
        ``is_players``: whether the player at this table makes the move after this number of plies.
        """
        same = 0
        for own, theirs in zip(moves, state.moves, strict=False):
            if own != theirs:
                return DueStep(Do.GO_BACK, same, why="lichess_other_move")
            same += 1
        if len(moves) > same:
            return self._ahead(moves, state, since, is_players)
        self.confirmed = max(self.confirmed, same)
        if len(state.moves) == same:
            return DueStep(Do.NOTHING, same)
        do = Do.EXECUTE if is_players(same) else Do.PLAY
        return DueStep(do, same, state.moves[same])

    def _ahead(
        self,
        moves: Sequence[chess.Move],
        state: GameState,
        since: int,
        is_players: Callable[[int], bool],
    ) -> DueStep:
        plies = len(state.moves)
        back = DueStep(Do.GO_BACK, plies, why="lichess_taken_back")
        if len(moves) > plies + 1 or not is_players(plies) or len(moves) <= self.confirmed:
            return back
        if state.ended:
            return DueStep(Do.GO_BACK, plies, why="lichess_too_late")
        send, sent = DueStep(Do.SEND, plies, moves[plies]), self._sent
        if sent is None or (sent.plies, sent.move) != (plies, send.move):
            return send
        if since < sent.at:
            return DueStep(Do.WAIT if sent.outcome is Sending.TAKEN else Do.READ_ANEW)
        if sent.outcome is Sending.REFUSED:
            return DueStep(Do.GO_BACK, plies, why="lichess_move_refused")
        return send if sent.outcome is Sending.UNKNOWN else back
