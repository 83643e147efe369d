"""Twenty recorded games, of all four editions: their rulings stay what they are.

A file ``replays/<edition>_<what>.jsonl`` holds facts as a journal has them, each followed by its
rulings as ``blindplay replay`` prints them. Some were played at tables, most are random walks
through everything that people may do. ``python -m tests.record.test_replays`` writes the rulings
that the facts have now; do that only for a change that is meant, and read the difference.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import pytest

from blindplay.laws import Fact, Game
from blindplay.laws import facts as f
from blindplay.laws.editions import names
from blindplay.laws.facts import dumps, loads
from blindplay.laws.rulings import dumps as ruling_line
from blindplay.record import Journal
from blindplay.record.journal import read_journal
from blindplay.wording.pack_words import PackWords

PATHS = sorted(Path(__file__).with_name("replays").glob("*.jsonl"))


def steps(path: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Each fact's line, with its rulings."""
    fact, rulings = "", list[dict[str, Any]]()
    for line in path.read_text(encoding="utf-8").splitlines():
        value = json.loads(line)
        if "fact" in value:
            if fact:
                yield fact, rulings
            fact, rulings = line, []
        else:
            rulings.append(value)
    yield fact, rulings


def told(game: Game, fact: Fact) -> list[dict[str, Any]]:
    return [json.loads(ruling_line(ruling)) for ruling in game.apply(fact)]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_journal_replays_to_the_rulings_it_had(path: Path, tmp_path: Path) -> None:
    recorded = list(steps(path))
    with Journal(tmp_path / "game.jsonl") as journal:
        journal.append(*(loads(line) for line, _ in recorded))
    game = Game(PackWords())
    for fact, (line, rulings) in zip(
        read_journal(tmp_path / "game.jsonl").facts, recorded, strict=True
    ):
        assert dumps(fact) == line
        assert told(game, fact) == rulings, line


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_preview_says_what_comes(path: Path) -> None:
    game = Game(PackWords())
    for line, rulings in steps(path):
        fact = loads(line)
        assert [json.loads(ruling_line(one)) for one in game.preview(fact)] == rulings, line
        game.apply(fact)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_what_a_fork_decides_leaves_the_game_as_it_is(path: Path) -> None:
    """Forks go on otherwise at each fact: what is pending is confirmed, at the next fact rejected,
    everything is taken back and brought back, and people move on."""
    game = Game(PackWords())
    for (line, rulings), answer in zip(steps(path), itertools.cycle(("confirm", "reject"))):
        fact = loads(line)
        if game.setup is not None:
            _go_on_otherwise(game.fork(), answer)
        assert told(game, fact) == rulings, line


def _go_on_otherwise(game: Game, answer: str) -> None:
    last, move = len(game.history), next(iter(game.board.legal_moves), chess.Move.null())
    otherwise = (
        f.Arbiter(do=answer),
        f.Arbiter(do="start_clocks"),
        f.Lift(board="white", square=chess.square_name(move.from_square)),
        f.Touch(by=game.side, square=chess.square_name(move.from_square)),
        f.Arbiter(do="restore", ply=0),
        f.Arbiter(do="restore", ply=last),
        f.Lift(board="white", square="e2"),
        f.Touch(by=game.side, square="e2"),
        f.Record(by="white", ply=1, text="a3"),
        f.Press(by=game.side),
        f.Irregular(by="arbiter", what="two_hands"),
        f.Arbiter(do=answer),
        f.OfferDraw(by="black"),
        f.Tick(t=game.t + 60_000),
    )
    for fact in otherwise:
        game.apply(replace(fact, t=max(fact.t, game.t)))


@pytest.mark.parametrize("edition", names())
def test_every_edition_has_replays(edition: str) -> None:
    assert any(path.stem.startswith(edition) for path in PATHS)


if __name__ == "__main__":
    for place in PATHS:
        playing, out = Game(PackWords()), []
        for kept, _ in steps(place):
            taken = loads(kept)
            out += [dumps(taken), *map(ruling_line, playing.apply(taken))]
        place.write_text("\n".join(out) + "\n", encoding="utf-8")
