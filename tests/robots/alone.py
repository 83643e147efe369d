"""Games of one robot against the built-in engine."""

from __future__ import annotations

import random
from pathlib import Path

from blindplay.laws.facts import SIDES, Player, Setup

from .channels import Engine, Game, PegBoard, Terminal
from .judge import CONTROLS, LANGUAGES, Judge
from .robot import Person

_CLOCKED = [one for one in CONTROLS if one != "-"]  # without a clock the engine takes real time


class Alone(Judge):
    """A person who does not see plays alone, at a terminal with or without a board."""

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(folder, seed)
        self._rng = rng = random.Random(seed)
        side, table = rng.choice(SIDES), rng.choice(LANGUAGES)
        language = rng.choice(("", table, rng.choice(LANGUAGES)))
        announce_in = rng.choice((table, "de"))
        here = Player(name=side, impaired=True, language=language)
        setup = Setup(
            id=f"alone-{seed}",
            boards=2,
            time_control=rng.choice(_CLOCKED),
            arbiter="automatic",
            announce_in=announce_in,
            white=here if side == "white" else Player(),
            black=here if side == "black" else Player(),
        )
        boards = {}
        if rng.random() < 0.5:
            boards[side] = PegBoard(self._pieces(), self._clock)
        self._path = folder / f"alone-{seed}.jsonl"
        training, one_enter = rng.random() < 0.5, rng.random() < 0.7
        game = Game(self._path, setup, table, training, opponent=Engine, one_enter=one_enter)
        self._channel = Terminal(game, self._clock, boards)
        language = language or table
        who = Person(
            side, language, table, announce_in, {side: language}, plies=rng.randrange(6, 20)
        )
        self._seat(
            [self._robot(who, boards.get(side))],
            f"Seed {seed}, {side} against an engine, table in {table}, language {language}, "
            f"{setup.time_control}, announced in {announce_in}, training {training}, "
            f"one Enter {one_enter}, boards {list(boards)}.",
        )
