"""What the Laws call without effect on the move changes no ruling, wherever it comes in between.

Two games get the facts of a scenario; one of them also gets intruders. Both must rule the same.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from blindplay.laws import Game
from blindplay.laws.editions import names
from blindplay.laws.facts import parse
from blindplay.laws.state import OTHER
from blindplay.wording.pack_words import PackWords
from tests.laws.test_game_scenarios import PATHS, Scenario, scenarios
from tests.sampling import examples

WORDS = PackWords()
ALL = [scenario for path in PATHS for scenario in scenarios(path)]
Facts = list[dict[str, Any]]


def _tick(game: Game, pick: int) -> Facts:
    return [{"fact": "tick"}]


def _question(game: Game, pick: int) -> Facts:
    return [{"fact": "query", "by": "arbiter", "about": ("moves", "last_move")[pick % 2]}]


def _refused(game: Game, pick: int) -> Facts:
    """None of these is an arbiter's or an assistant's task (D.2.10, 12.2)."""
    kind = ("resign", "offer_draw", "accept_draw", "decline_draw")[pick % 4]
    return [{"fact": kind, "by": ("arbiter", "assistant:white", "assistant:black")[pick % 3]}]


def _on_a_board(game: Game, board: str, pick: int) -> Facts:
    """A piece that stands right is lifted and put back."""
    table = game.tables[board]
    right = [at for at, piece in table.placement.items() if game.pieces.get(at) == piece]
    idle = table.sensors and not (table.hand or table.unsure or game.turn.adjusting)
    if not right or not idle or game.turn.castles is not None:
        return []
    square = sorted(right)[pick % len(right)]
    name = chess.square_name(square)
    return [
        {"fact": "lift", "board": board, "square": name},
        {"fact": "place", "board": board, "square": name, "piece": table.placement[square]},
    ]


def _on_the_other_board(game: Game, pick: int) -> Facts:
    """The opponent touches nothing while the other player thinks (4.3, D.2.2)."""
    if len(game.tables) < 2 or game.turn.made is not None:
        return []
    return _on_a_board(game, game.board_of(OTHER[game.side]), pick)


def _after_the_move(game: Game, pick: int) -> Facts:
    """What has been made stays made (D.2.3, 4.7)."""
    if len(game.tables) < 2 or game.turn.made is None:
        return []
    return _on_a_board(game, game.board_of(game.side), pick)


def _correction_of_a_made_move(game: Game, pick: int) -> Facts:
    """What was announced and executed was no slip of the tongue (D.2.8, 4.7)."""
    turn = game.turn
    unsure = any(table.unsure for table in game.tables.values())
    if turn.made is None or turn.made != turn.announced or turn.presumed or unsure:
        return []
    others = sorted(move.uci() for move in game.board.legal_moves if move != turn.made)
    return [{"fact": "correct", "by": game.side, "move": one} for one in others[pick % 7 :][:1]]


def _an_entry_once_more(game: Game, pick: int) -> Facts:
    """To write the same again is no new evidence (D.2.9)."""
    side = ("white", "black")[pick % 2]
    written = sorted(game.sheets[side].items())
    return [
        {"fact": "record", "by": side, "ply": ply, "text": text}
        for ply, text in written[pick % max(1, len(written)) :][:1]
    ]


INTRUDERS: dict[str, Callable[[Game, int], Facts]] = {
    "a tick": _tick,
    "a question": _question,
    "a refused command": _refused,
    "a piece lifted and put back on the other board": _on_the_other_board,
    "a piece lifted and put back after the move": _after_the_move,
    "a correction of a made move": _correction_of_a_made_move,
    "an entry once more": _an_entry_once_more,
}


class Compared:
    """A plain game, and disturbed ones that must rule as it does."""

    def __init__(self, scenario: Scenario, edition: str, disturbed: int = 1) -> None:
        self.scenario, self.edition, self.t = scenario, edition, 0.0
        self.facts = [line for _, line in scenario.lines if "fact" in line]
        self.plain, self.disturbed = Game(WORDS), [Game(WORDS) for _ in range(disturbed)]
        self.story: list[object] = []
        self.step()

    def step(self) -> None:
        """All games get the next fact."""
        line = self.facts.pop(0)
        self.t = line.get("t", self.t)
        edition = {"edition": self.edition} if line["fact"] == "setup" else {}
        fact = parse({"t": self.t, **line, **edition})
        self.story.append(line)
        expected = self.plain.apply(fact)
        for number, game in enumerate(self.disturbed):
            told = (self.scenario.name, self.edition, number, self.story)
            assert game.apply(fact) == expected, told

    def intrude(self, name: str, pick: int, number: int = 0) -> None:
        """Into the disturbed game with this ``number``."""
        game = self.disturbed[number]
        if game.clock.flags:
            return  # a flag that has fallen is noticed with whatever comes next
        for line in INTRUDERS[name](game, pick):
            self.story.append((name, line))
            game.apply(parse({"t": self.t, **line}))


class InterleavedMachine(RuleBasedStateMachine):
    """Any scenario in any edition, with intruders in any places."""

    @initialize(scenario=st.sampled_from(ALL), edition=st.sampled_from(names()))
    def begin(self, scenario: Scenario, edition: str) -> None:
        self.games = Compared(scenario, edition)

    @precondition(lambda self: self.games.facts)
    @rule()
    def step(self) -> None:
        self.games.step()

    @rule(name=st.sampled_from(sorted(INTRUDERS)), pick=st.integers(0, 1_000))
    def intrude(self, name: str, pick: int) -> None:
        self.games.intrude(name, pick)

    def teardown(self) -> None:
        if hasattr(self, "games"):
            while self.games.facts:
                self.games.step()


TestInterleaved = InterleavedMachine.TestCase
TestInterleaved.settings = examples(150, stateful_step_count=25)


def _check(path: Path, every_one: bool) -> None:
    """Each scenario with intruders after each of its facts, in a game for each intruder."""
    heads = {scenario.name: scenario for scenario in scenarios(path)}
    for turn, scenario in enumerate(heads.values()):
        intruders = list(INTRUDERS) if every_one else list(INTRUDERS)[turn % 2 :: 2]
        for edition in names() if every_one else names()[turn % len(names()) :][:1]:
            games = Compared(scenario, edition, len(intruders))
            pick = 0
            while games.facts:
                pick += 7
                for number, name in enumerate(intruders):
                    games.intrude(name, pick, number)
                games.step()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_an_intruder_after_every_fact_changes_no_ruling(path: Path) -> None:
    """The editions take turns, and so do the two halves of the intruders."""
    _check(path, every_one=False)


@pytest.mark.long
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_an_intruder_changes_no_ruling_of_any_edition(path: Path) -> None:
    _check(path, every_one=True)


@pytest.mark.parametrize("name", ["sealed_moves", "words_and_hands"])
def test_an_intruder_never_changes_what_words_hands_and_envelopes_have_settled(name: str) -> None:
    """Where words, hands or envelopes could be played off against each other: every edition."""
    _check(PATHS[0].with_name(f"{name}.jsonl"), every_one=True)
