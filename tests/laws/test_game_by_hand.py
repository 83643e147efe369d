"""Sensors make no difference: hands that are felt bring the rulings that entered moves bring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import chess
import pytest

from blindplay.laws import Game
from blindplay.laws.facts import parse
from blindplay.wording.pack_words import PackWords
from tests.laws.test_game_scenarios import PATHS, Scenario, scenarios

DECISIVE: Mapping[str, tuple[str, ...]] = {
    "claim": ("by", "correct", "status"),
    "completed": ("by", "move", "illegal"),
    "draw_offered": ("by",),
    "flag": ("by", "result"),
    "game_over": ("result", "reason"),
    "illegal": ("by", "why", "number", "status"),
    "made": ("by", "move"),
    "penalty": ("player", "gives", "seconds", "loses", "status"),
    "slip_corrected": ("was", "now"),
    "take_back": ("to_ply", "status"),
    "too_late": ("by",),
}
UNTIL_THE_PRESS = (
    # 7.4 of fide-1997 rules on a move that is made. A sensor knows only at the press that the hand
    # has finished, and these scenarios do not press.
    "articles_draws:1997 quickplay finish: an illegal move gives the opponent two minutes",
    "illegal_moves:1997: the position before the illegal move is restored",
    "illegal_moves:1997: an illegal move is complete when made; the arbiter punishes it",
    "illegal_moves:1997 quickplay finish: the first gives two minutes",
    "illegal_moves:1997 quickplay finish: the second gives two minutes again, the third loses",
    "touched_pieces:1997: after an illegal move the touched piece makes the move that replaces it",
)
UNLIKE = (
    *UNTIL_THE_PRESS,
    # The sensors show which piece left its square first, so a complaint has nothing to add.
    "touched_pieces:who has touched nothing yet may complain",
    "touched_pieces:a complaint in time takes the wrong move back",
    # A hand must put the refused move back before it makes another; these scenarios do not say so.
    "from_the_texts:rapid of 1997: the opponent asks for a ruling on a touched piece, and it binds",
    "reported_touches:what an assistant reports waits for the arbiter, and both clocks stand",
)


def by_hand(game: Game, fact: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The facts of the hands that execute a ``make`` fact of a player on the own board: the own
    piece is lifted first, then a captured one."""
    by, uci = fact["by"], fact["move"]
    board = by if by in game.tables else next(iter(game.tables))
    pieces = game.tables[board].placement
    home, target = chess.parse_square(uci[:2]), chess.parse_square(uci[2:4])
    piece = pieces.get(home)
    if piece is None:
        return
    common = {"t": fact["t"], "board": board}

    def lift(square: int) -> dict[str, Any]:
        return {**common, "fact": "lift", "square": chess.square_name(square)}

    def place(square: int, letter: str) -> dict[str, Any]:
        return {**common, "fact": "place", "square": chess.square_name(square), "piece": letter}

    yield lift(home)
    aside = piece in "Pp" and chess.square_file(home) != chess.square_file(target)
    passed = chess.square(chess.square_file(target), chess.square_rank(home))
    if target in pieces:
        yield lift(target)
    elif aside and pieces.get(passed) == ("p" if piece == "P" else "P"):
        yield lift(passed)
    letter = uci[4:] or piece
    yield place(target, letter.upper() if piece.isupper() else letter.lower())
    if piece in "Kk" and chess.square_distance(home, target) == 2:
        short = target > home
        rook = chess.square(7 if short else 0, chess.square_rank(home))
        if pieces.get(rook) == ("R" if piece == "K" else "r"):
            yield lift(rook)
            yield place((home + target) // 2, pieces[rook])


def decisive(scenario: Scenario, *, sensors: bool) -> Counter[tuple[Any, ...]]:
    """What the rulings of a scenario decide, and how often."""
    game, t = Game(PackWords()), 0.0
    found = Counter[tuple[Any, ...]]()
    for _, line in scenario.lines:
        if "fact" not in line:
            continue
        t = line.get("t", t)
        fact: dict[str, Any] = {**line, "t": t}
        if line["fact"] == "setup":
            fact["edition"] = scenario.edition
        entered = line["fact"] == "make" and line["by"] in ("white", "black")
        felt = sensors and entered and not line.get("presumed")
        for one in (list(by_hand(game, fact)) if felt else []) or [fact]:
            for ruling in (ruling.to_json() for ruling in game.apply(parse(one))):
                fields = DECISIVE.get(ruling["ruling"])
                if fields is not None:
                    found[ruling["ruling"], *map(ruling.get, fields)] += 1
    return found


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_hands_on_sensors_bring_the_rulings_of_entered_moves(path: Path) -> None:
    failures = []
    for scenario in scenarios(path):
        setup = scenario.lines[0][1]
        if scenario.name in UNLIKE or setup.get("variant") == "chess960":
            continue  # castling of Chess960 has steps of its own: tests of boards have them
        word, hand = decisive(scenario, sensors=False), decisive(scenario, sensors=True)
        if word != hand:
            failures.append(f"{scenario.name}, {scenario.edition}: {word - hand} not {hand - word}")
    assert not failures, "\n".join(failures)
