"""Both players are judged alike: with the colours exchanged each scenario gives the same rulings.

Black begins, and the board is turned upside down. No rule of the texts is for one colour alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import chess
import pytest

from blindplay.laws import Game
from blindplay.laws.facts import parse
from blindplay.wording.pack_words import PackWords
from tests.laws.test_game_scenarios import PATHS, Scenario, scenarios

UNLIKE = (
    # FEN counts moves from White's: where Black begins at move one, White has moved already.
    "ends_of_games:2023 and basics-no: no agreement before both have made a move",
    "review:who comes from a later position may agree on a draw at once",
)

_SIDES = {"white": "black", "black": "white"}
_RESULTS = {"1-0": "0-1", "0-1": "1-0", "1/2-0": "0-1/2", "0-1/2": "1/2-0"}
_WORDS = (
    "eins zwei drei vier fünf sechs sieben acht",
    "en to tre fire fem seks syv åtte",
    "one two three four five six seven eight",
)
_TURNED = {
    word: words.split()[7 - place] for words in _WORDS for place, word in enumerate(words.split())
}
_RANKS = str.maketrans("12345678", "87654321")
_FENS = ("fen", "placement", "position")
_SPOKEN = ("text", "san", "white_move", "black_move", "announced", "record")
_UNSORTED = ("moves", "squares", "steps", "undo", "explanations", "doubted")
# Words are tested elsewhere. Moves are counted from White's, so Black's first one is the second.
_LEFT_OUT = ("words", "move_number", "announcement")


def mirrored(value: Any, key: str = "", *, one_board: bool = False) -> Any:
    """A fact or a ruling of the mirrored game. ``one_board``: it is called white's in both."""
    if isinstance(value, Mapping):
        names = value.keys() - {"board"} if one_board else value.keys()
        turned = {
            _name(name): mirrored(one, name, one_board=one_board)
            for name, one in value.items()
            if name in names and name not in _LEFT_OUT
        }
        return dict(
            sorted({**turned, **{name: value[name] for name in value.keys() - names}}.items())
        )
    if isinstance(value, list):
        found = [mirrored(one, key, one_board=one_board) for one in value]
        return sorted(found, key=repr) if key in _UNSORTED else found
    return _turned(value, key) if isinstance(value, str) else value


def _name(name: str) -> str:
    side, joint, rest = name.partition("_")
    return _SIDES.get(side, side) + joint + rest


def _turned(value: str, key: str) -> str:
    if key in _FENS:
        return upside_down(value)
    if key in _SPOKEN and " " in value:
        said, passant, _ = value.partition(" en passant")
        return " ".join(_TURNED.get(word, word) for word in said.split(" ")) + passant
    side = re.fullmatch("(assistant:)?(white|black)", value)
    if side:
        return (side[1] or "") + _SIDES[side[2]]
    if re.fullmatch("[PNBRQKpnbrqk]", value):
        return value.swapcase()
    if key in (*_SPOKEN, *_SIDES) or re.fullmatch("([a-h][1-8]){1,2}[qrbn]?", value):
        return value.translate(_RANKS)
    return _RESULTS.get(value, value)


def upside_down(fen: str) -> str:
    """A FEN, or its first field, with the colours exchanged, without the count of moves."""
    placement, *rest = fen.split(" ")
    turned = "/".join(reversed(placement.split("/"))).swapcase()
    if not rest:
        return turned
    turn, castling, passant, *counts = rest
    passant = passant.translate(_RANKS)
    castling = "".join(sorted(castling.swapcase()))
    return " ".join([turned, "b" if turn == "w" else "w", castling, passant, *counts[:1], "1"])


START = upside_down(chess.STARTING_FEN)


def differs(scenario: Scenario) -> str | None:
    """The first fact whose rulings depend on the colour; None if there is none."""
    game, other, t = Game(PackWords()), Game(PackWords()), 0.0
    for place, line in scenario.lines:
        if "fact" not in line:
            continue
        t = line.get("t", t)
        fact: dict[str, Any] = {**line, "t": t}
        if line["fact"] == "setup":
            fact["edition"] = scenario.edition
        one = bool(game.tables) and len(game.tables) == 1
        turned = mirrored(fact, one_board=one)
        if line["fact"] == "setup":
            turned.setdefault("fen", START)
        rulings = [ruling.to_json() for ruling in game.apply(parse(fact))]
        got = [ruling.to_json() for ruling in other.apply(parse(turned))]
        wanted = [mirrored(ruling, one_board=one) for ruling in rulings]
        back = [mirrored(mirrored(ruling)) for ruling in got]  # sorted as those are
        if sorted(map(repr, wanted)) != sorted(map(repr, back)):
            return f"{place}: {turned}\n  {back}\n  not\n  {wanted}"
    return None


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_the_colours_exchanged_give_the_same_rulings(path: Path) -> None:
    failures = [
        f"{scenario.name}, {scenario.edition}: {found}"
        for scenario in scenarios(path)
        if scenario.name not in UNLIKE and (found := differs(scenario)) is not None
    ]
    assert not failures, "\n".join(failures)
