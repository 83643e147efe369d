"""A folder in the layout that DGT LiveChess writes, which broadcasting programs watch.

::

    tournament.json
    round-3/index.json
    round-3/game-4.json
    round-3/game-4.pgn

DGT has published no description. The layout is taken from programs that read the files of LiveChess
and its cloud: Lichess (``DgtJson.scala`` in lila), and the types and samples of several viewers. No
real broadcasting program has been tried with these files.

A file gets its name when it is whole, and only if it has changed. The files of a game come before
the index that names it.
"""

import contextlib
import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import chess

from blindplay.given import HALL, reason_of
from blindplay.laws import Game
from blindplay.laws.facts import SIDES
from blindplay.own_files import read_object

from .delayed import ShownGame

_STANDARD = 518  # the number of the usual position among those of Chess960
_NO_PLAYER = dict.fromkeys(
    ("fname", "mname", "lname", "title", "federation", "gender", "fideid"), None
)
_EMPTY_GAME: dict[str, Any] = {
    "live": False, "serialNr": None, "firstMove": None, "chess960": _STANDARD, "result": "*",
    "comment": None, "clock": None, "moves": [],
}  # fmt: skip
_NOBODY = {"white": _NO_PLAYER, "black": _NO_PLAYER, "result": "*", "live": False}
_MOST_PAIRINGS = 999


class LiveChessFolder:
    """Writes the games of a hall into ``folder``. For one thread."""

    def __init__(self, folder: Path, title: str) -> None:
        """``title``: the event's name for people."""
        self._folder, self._title = folder, title
        self._written: dict[Path, bytes] = {}
        self._taken: dict[tuple[int, int], tuple[str, int]] = {}  # the state in each file
        self._pairings: dict[int, list[dict[str, Any]]] = {}
        self.trouble = ""
        """Why the last writing failed; empty if it did not."""

    def write(self, games: Iterable[ShownGame]) -> None:
        """Write the changed files. A file that could not be written is written the next time."""
        self.trouble = ""
        shown = list(games)
        changed = [board for board in shown if self._taken.get(_place(board)) != _state(board)]
        try:
            for board in changed:
                self._write_game(board)
            for number in sorted({board.round for board in changed}):
                pairings = self._fill_gaps(number)
                date = next((_date(board) for board in shown if board.round == number), None)
                index = {"date": date, "pairings": pairings}
                self._put(self._round(number) / "index.json", _encoded(index))
            if changed:
                self._put(self._folder / "tournament.json", _encoded(self._tournament(shown[0])))
        except OSError as error:
            self.trouble = reason_of(error)
            self._taken.clear()

    def _round(self, number: int) -> Path:
        return self._folder / f"round-{number}"

    def _write_game(self, board: ShownGame) -> None:
        with board.past.lock:
            state, number = _state(board), board.round
            text, values, pairing = board.pgn(), game_values(board), _pairing(board)
        folder = self._round(number)
        self._put(folder / f"game-{board.number}.pgn", f"{text}\n".encode())
        self._put(folder / f"game-{board.number}.json", _encoded(values))
        pairings = self._pairings_of(number)
        pairings += [dict(_NOBODY) for _ in range(board.number - len(pairings))]
        pairings[board.number - 1] = pairing
        self._taken[_place(board)] = state

    def _pairings_of(self, number: int) -> list[dict[str, Any]]:
        """The pairings of a round, first those that an earlier process has written."""
        if number not in self._pairings:
            self._pairings[number] = []
            with contextlib.suppress(KeyError, TypeError):
                index = read_object(self._round(number) / "index.json", HALL)
                pairings = [
                    pairing for pairing in index["pairings"][:_MOST_PAIRINGS] if "live" in pairing
                ]
                self._pairings[number] = pairings if len(pairings) == len(index["pairings"]) else []
        return self._pairings[number]

    def _fill_gaps(self, number: int) -> list[dict[str, Any]]:
        """The pairings of a round. A table that does not play has an empty game, because the place
        in the list is the number of the file."""
        pairings = self._pairings_of(number)
        for at, pairing in enumerate(pairings, 1):
            if pairing == _NOBODY:
                self._put(self._round(number) / f"game-{at}.json", _encoded(_EMPTY_GAME))
                self._put(self._round(number) / f"game-{at}.pgn", b"")
        return pairings

    def _tournament(self, any_game: ShownGame) -> dict[str, Any]:
        setup = any_game.game.setup
        last = max(self._pairings, default=0)
        rounds = [self._pairings_of(number) for number in range(1, last + 1)]
        return {
            "id": self._title,
            "name": self._title,
            "location": (setup.site if setup else "") or None,
            "country": None,
            "website": None,
            "rules": "STANDARD",
            "chess960": "STANDARD",
            "timecontrol": setup.time_control if setup else None,
            "rounds": [
                {"count": len(pairings), "live": int(any(game["live"] for game in pairings))}
                for pairings in rounds
            ],
            "eboards": [],
        }

    def _put(self, path: Path, content: bytes) -> None:
        if self._written.get(path) == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.part")
        part.write_bytes(content)
        part.replace(path)
        self._written[path] = content


def _place(board: ShownGame) -> tuple[int, int]:
    return board.round, board.number


def _state(board: ShownGame) -> tuple[str, int]:
    return board.past.id, board.past.taken


def game_values(board: ShownGame) -> dict[str, Any]:
    """The values of ``game-N.json``. Hold the lock of the game."""
    game = board.game
    standard = game.start_board.fen() == chess.STARTING_FEN
    chess960 = game.start_board.chess960
    # The layout has no other positions: only the PGN has the moves of such a game.
    moves = list(_moves(game)) if standard or chess960 else []
    return {
        **_EMPTY_GAME,
        "live": not game.over,
        "firstMove": round(board.past.first_move * 1000) or None,
        "chess960": game.start_board.chess960_pos() if chess960 else _STANDARD,
        "result": game.result or "*",
        "clock": _clock(game),
        "moves": moves,
    }


def _moves(game: Game) -> Iterator[str]:
    """The moves, such as ``e4 5430``: in English notation, with the seconds left after it."""
    for ply in game.history:
        if ply.illegal:
            return
        left = f" {ply.clock.left[ply.side] // 1000}" if game.clock else ""
        yield f"{ply.before.san(ply.move)}{left}"


def _clock(game: Game) -> dict[str, int] | None:
    """The seconds on both clocks, and the time of day in ms at which they showed them."""
    if not game.clock:
        return None
    left = {side: game.clock.left[side] // 1000 for side in SIDES}
    return {**left, "time": round(time.time() * 1000)}


def _pairing(board: ShownGame) -> dict[str, Any]:
    players = {side: _player(board.name(side)) for side in SIDES}
    return {**players, "result": board.game.result or "*", "live": not board.game.over}


def _player(name: str) -> dict[str, Any]:
    """A player by their name, "Anna Berg" or "Berg, Anna"."""
    last, comma, first = name.partition(", ")
    if not comma:
        first, _, last = name.rpartition(" ")
    return {**_NO_PLAYER, "fname": first or None, "lname": last}


def _date(board: ShownGame) -> str | None:
    setup = board.game.setup
    return (setup.date if setup else "") or None


def _encoded(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
