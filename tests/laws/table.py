"""Help for the tests of the Laws: words that are moves in UCI, and a table to feed."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import chess

from blindplay.laws import Game, Heard, Ruling
from blindplay.laws.deviation import Explanation
from blindplay.laws.facts import parse
from blindplay.laws.rulings import Answer
from blindplay.laws.sheet_comparison import (
    AllowedLetters,
    EntryCertainty,
    EntryReader,
    Letters,
    WrittenEntry,
)


class PlainWords:
    """A language in which a move is spoken in UCI or SAN: the Laws' tests need no German."""

    def understand(self, text: str, board: chess.Board, language: str) -> Heard:
        for read in (board.parse_uci, board.parse_san):
            try:
                return Heard("move", (read(text),))
            except ValueError:
                continue
        try:
            move = chess.Move.from_uci(text)
        except ValueError:
            return Heard("other")
        return Heard("illegal", (move,), "cannot_move_there")

    def announce(
        self, board: chess.Board, move: chess.Move, language: str, edition: str, check: bool = False
    ) -> str:
        return f"say {move.uci()}"

    def reader(self, entries: Collection[str], language: str = "") -> EntryReader:
        return self

    def read(
        self,
        text: str,
        board: chess.Board,
        letters: Letters = frozenset(),
        allowed: AllowedLetters = "likely",
    ) -> WrittenEntry:
        heard = self.understand(text, board, "")
        certainty: dict[str, EntryCertainty] = {"move": "sure", "illegal": "illegal"}
        return WrittenEntry(text, certainty.get(heard.kind, "unreadable"), heard.moves)

    def weight(self, letters: Letters) -> int:
        return 0

    def diagnosis(
        self, explanations: Sequence[Explanation], board: str, first: str, language: str
    ) -> str:
        return " or ".join("; ".join(slip.what.value for slip in one) for one in explanations)

    def answer(self, answer: Answer, language: str) -> str:
        return answer.about


class Table:
    """A game that is fed with the contract's JSON and remembers its rulings."""

    def __init__(self, **setup: Any) -> None:
        self.game = Game(PlainWords())
        self.rulings: list[Ruling] = []
        self.feed({"t": 0, "fact": "setup", **setup})

    def feed(self, *facts: dict[str, Any]) -> list[Ruling]:
        """The rulings of these facts; ``t`` is the last one's where it is left out."""
        got: list[Ruling] = []
        for fact in facts:
            ready = {"t": self.game.t / 1000, **fact}
            got += self.game.apply(parse(json.loads(json.dumps(ready))))
        self.rulings += got
        return got

    def play(self, *moves: str, t: float | None = None) -> list[Ruling]:
        """Complete moves: both players announce, execute on every board, and press."""
        got: list[Ruling] = []
        for move in moves:
            side = self.game.side
            when = {} if t is None else {"t": t}
            got += self.feed(
                {"fact": "announce", "by": side, "move": move, **when},
                {"fact": "make", "by": side, "move": move, **when},
            )
            if len(self.game.tables) == 2:
                other = "black" if side == "white" else "white"
                got += self.feed({"fact": "make", "by": other, "move": move, **when})
            got += self.feed({"fact": "press", "by": side, **when})
        return got


def kinds(rulings: Iterable[Ruling]) -> list[str]:
    return [ruling.kind for ruling in rulings]


def of(rulings: Iterable[Ruling], kind: str) -> list[Any]:
    """The rulings of this kind."""
    return [ruling for ruling in rulings if ruling.kind == kind]


def one(rulings: Iterable[Ruling], kind: str) -> Any:
    """The only ruling of this kind."""
    rulings = list(rulings)
    found = of(rulings, kind)
    assert len(found) == 1, f"{kind}: {kinds(rulings)}"
    return found[0]


def impaired(**setup: Any) -> Table:
    table = Table(**{"white": {"impaired": True}, "black": {}, "time_control": "300", **setup})
    table.feed({"t": 1, "fact": "start", "by": "arbiter"})
    return table


def lift(square: str, board: str = "white", **more: Any) -> dict[str, Any]:
    return {"fact": "lift", "board": board, "square": square, **more}


def place(square: str, piece: str, board: str = "white", **more: Any) -> dict[str, Any]:
    return {"fact": "place", "board": board, "square": square, "piece": piece, **more}


def started(**setup: Any) -> Table:
    table = Table(**{"time_control": "300", **setup})
    table.feed({"fact": "start"})
    return table
