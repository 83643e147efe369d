"""Whoever knows nothing but the sentences of their channel is never left without a next step."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from blindplay.language import languages

from .alone import Alone
from .judge import CHANNELS, Judge, Told
from .mind import TOLD
from .officials import InHall
from .vocabulary import vocabulary

_GAMES, _AGAINST, _HALL = 6, 3, 6
# The long tests play 2 000 games in all, in about an hour on two cores that have other work, too.
_MANY, _MANY_AGAINST, _MANY_HALL, _MANY_PROCESSES = 430, 40, 120, 120


def report(stuck: list[Told]) -> str:
    """Name the cause of each stuck game, and show one game of each cause."""
    examples = {one.stuck.cause: one for one in stuck if one.stuck is not None}
    shown = [f"{cause} (seed {one.seed})" for cause, one in examples.items()]
    whole = [one.stuck.transcript for one in examples.values() if one.stuck is not None]
    return "\n".join([f"{len(stuck)} games stuck:", *shown, *whole])


def _stuck(folder: Path, channel: str, seeds: range) -> list[Told]:
    told = [Judge(folder, seed, channel).play() for seed in seeds]
    return [one for one in told if one.stuck is not None]


@pytest.mark.parametrize("code", languages())
def test_every_sentence_of_a_language_is_read_as_itself(code: str) -> None:
    known = vocabulary(code)
    values = {
        **dict.fromkeys(("player", "owner"), known.pack.sentence("white")),
        **dict.fromkeys(("square", "to"), known.pack.square(chess.E4)),
        "piece": known.pack.piece(chess.Piece.from_symbol("N")),
        "number": known.pack.number(7),
    }
    for key in TOLD.keys() & known.pack.sentences():
        given = {name: values.get(name, "xyz") for name in known.pack.fields(key)}
        read = known.read(known.pack.sentence(key, **given).strip())
        assert any(key in one.keys for one in read) or key.startswith("needed_"), key


@pytest.mark.parametrize("channel", CHANNELS)
def test_nobody_gets_stuck(tmp_path: Path, channel: str) -> None:
    stuck = _stuck(tmp_path, channel, range(_GAMES))
    assert not stuck, report(stuck)


def test_nobody_gets_stuck_against_an_engine(tmp_path: Path) -> None:
    told = [Alone(tmp_path, seed).play() for seed in range(_AGAINST)]
    stuck = [one for one in told if one.stuck is not None]
    assert not stuck, report(stuck)
    assert any(one.plies > 4 for one in told)


def _in_hall(folder: Path, seeds: range) -> set[str]:
    """Play games in a hall; nobody is stuck. Return what they had."""
    stuck, had = list[Told](), set[str]()
    for seed in seeds:
        game = InHall(folder, seed)
        told = game.play()
        had |= game.happened()
        if told.stuck is not None:
            stuck.append(told)
    assert not stuck, report(stuck)
    return had


def test_nobody_gets_stuck_in_a_hall_whose_arbiter_is_called(tmp_path: Path) -> None:
    had = _in_hall(tmp_path, range(26, 26 + _HALL))
    assert {"fact call_arbiter", "fact arbiter start_clocks", "come back"} <= had


@pytest.mark.long
@pytest.mark.parametrize("channel", CHANNELS)
def test_nobody_gets_stuck_in_hundreds_of_games(tmp_path: Path, channel: str) -> None:
    stuck = _stuck(tmp_path, channel, range(_GAMES, _GAMES + _MANY))
    assert not stuck, report(stuck)


@pytest.mark.long
def test_nobody_gets_stuck_in_many_games_in_a_hall(tmp_path: Path) -> None:
    had = _in_hall(tmp_path, range(_MANY_HALL))
    assert {"ruling adjourned", "fact arbiter confirm", "fact arbiter reject"} <= had


@pytest.mark.long
def test_nobody_gets_stuck_in_many_games_against_an_engine(tmp_path: Path) -> None:
    told = [Alone(tmp_path, seed).play() for seed in range(_MANY_AGAINST)]
    stuck = [one for one in told if one.stuck is not None]
    assert not stuck, report(stuck)


@pytest.mark.long
def test_nobody_gets_stuck_at_a_process_that_is_killed(tmp_path: Path) -> None:
    stuck = _stuck(tmp_path, "process", range(_MANY_PROCESSES))
    assert not stuck, report(stuck)
