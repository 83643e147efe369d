"""A game at Lichess as everybody may watch it, from the lines of its public stream. Pure.

The first line of a connection describes the game. Then each position comes with the move that led
to it, and at the end the description again, with the result. Lichess holds the last moves back.
"""

import json
from collections.abc import Mapping
from typing import Any

from blindplay.given import plain
from blindplay.laws.facts import SIDES
from blindplay.record.watched_games import WatchedGame

from .followed import RUNNING, VARIANTS, start_of


class SpectatedGame:
    """A game that begins with the line ``about`` of a connection.

    :raises ValueError: if it is none, or one of another variant.
    """

    def __init__(self, about: Mapping[str, Any]) -> None:
        try:
            variant = str(about["variant"]["key"])
            self._board = start_of(variant, about.get("initialFen"))
            self._key = str(about["id"])
            self._names = {side: _name(about["players"][side]) for side in SIDES}
        except (KeyError, TypeError, AttributeError):
            raise ValueError("no game") from None
        if variant not in VARIANTS:
            raise ValueError("another variant")
        self._start = self._board.copy()
        self._left: dict[str, int] = {}
        self._ended, self._result = _end(about)

    @property
    def ended(self) -> bool:
        """True if the first line or a later one has told the end."""
        return self._ended

    @property
    def now(self) -> WatchedGame:
        """The game as far as the lines have told it."""
        return WatchedGame(
            self._key,
            self._names["white"],
            self._names["black"],
            self._start,
            tuple(self._board.move_stack),
            dict(self._left),
            self._ended,
            self._result,
        )

    def take(self, line: Mapping[str, Any]) -> bool:
        """Take a later line. Return whether it is the last one.

        :raises ValueError: if it does not go on from the lines before: one is missing, or moves
            were taken back.
        """
        if "id" in line:
            if line.get("id") != self._key:
                raise ValueError("another game")
            ended, result = _end(line)
            if ended:
                self._ended, self._result = ended, result
            return ended
        try:
            placed, turn = str(line["fen"]).split()[:2]
            if (placed, turn) != self._shown():
                move = self._board.parse_uci(str(line["lm"]))
                self._board.push(move)
                if (placed, turn) != self._shown():
                    self._board.pop()
                    raise ValueError("another position")
        except (KeyError, TypeError):
            raise ValueError("no position") from None
        for side, name in zip(SIDES, ("wc", "bc"), strict=True):
            if type(line.get(name)) in (int, float):
                self._left[side] = round(line[name] * 1000)
        return False

    def _shown(self) -> tuple[str, str]:
        return self._board.board_fen(), "w" if self._board.turn else "b"


def read_line(text: str) -> Mapping[str, Any]:
    """:raises ValueError: if ``text`` is not a line of the stream."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("no line") from None
    if not isinstance(value, dict):
        raise ValueError("no line")
    return value


def _end(about: Mapping[str, Any]) -> tuple[bool, str]:
    status, winner = about.get("status"), about.get("winner")
    name = str(status.get("name", "")) if isinstance(status, dict) else str(status or "")
    if not name or name in RUNNING:
        return False, ""
    if winner in SIDES:
        return True, "1-0" if winner == "white" else "0-1"
    return True, "1/2-1/2" if name in ("draw", "stalemate", "outoftime") else ""


def _name(player: Mapping[str, Any]) -> str:
    user = player.get("user") or {}
    name = user.get("name") or player.get("name")
    if not name and player.get("aiLevel"):
        return f"Stockfish {player['aiLevel']}"
    title = user.get("title") or ""
    return plain(f"{title} {name or ''}").strip()
