"""Which installed models understand a language best, together, on the same utterances.

Each model hears each utterance once. What several make of it together is computed from that, as at
a table. The utterances are a player's own recordings, or those of this machine's voices.
"""

import itertools
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import chess

from blindplay.language import Language
from blindplay.speech.audio import read_audio
from blindplay.speech.confidence import (
    QUESTION,
    REFUSAL,
    WRONG,
    MeaningKind,
    confidence_of,
    is_measured,
)
from blindplay.speech.models.folders import BUILT_IN, MOST_PEOPLE
from blindplay.speech.synthesis import Synthesiser

from . import scoring, speaker_models
from .recognisers import open_recogniser
from .scoring import ScoredOutcome
from .script import ScriptLine, UtteranceKind, announcement, talk

_COSTS = {ScoredOutcome.RIGHT: 0.0, ScoredOutcome.ASKED: QUESTION,
          ScoredOutcome.WRONG: WRONG[MeaningKind.MOVE],
          ScoredOutcome.COMMAND: WRONG[MeaningKind.COMMAND]}  # fmt: skip

Utterances: TypeAlias = list[tuple[ScriptLine, bytes]]


@dataclass(frozen=True)
class TeamResult:
    """What came of ``moves`` announcements and ``talk`` sentences to others, heard by the models
    ``names`` together. ``wrong``: something was taken that was not said. ``measured``: the weights
    are those of this team, not the general ones. ``cost``: of all answers, in questions."""

    names: tuple[str, ...]
    moves: int
    talk: int
    at_once: int
    asked: int
    wrong: int
    measured: bool
    cost: float


def of_player(pack: Language, name: str) -> Utterances:
    """Return the moves that a player said in an enrolment; none if there is no recording."""
    lines = (
        (ScriptLine(UtteranceKind.MOVE, one.fen, one.words), one.pcm)
        for one in speaker_models.kept(name, pack.code)
        if one.fen is not None and not one.doubted
    )
    return [
        (line, pcm)
        for line, pcm in lines
        if pack.understand(line.words, chess.Board(line.fen)).move is not None
    ]


def spoken(pack: Language, count: int, seed: int = 1) -> Utterances:
    """Return ``count`` moves and half as much talk, said by this machine's voices in turn.

    :raises SynthesisError: if there is no voice of the language.
    """
    chance = random.Random(seed)
    lines = [announcement(pack, chance) for _ in range(count)]
    lines += talk(pack, count // 2, chance)
    with (
        tempfile.TemporaryDirectory(prefix="blindplay-") as made,
        Synthesiser(pack.code, cache=Path(made), spellings=pack.spoken) as synthesiser,
    ):
        files = (
            synthesiser.render(line.words, public=bool(number % 2), rate=chance.randint(125, 190))
            for number, line in enumerate(lines)
        )
        return [(line, read_audio(file)) for line, file in zip(lines, files, strict=True)]


def measure(
    pack: Language,
    models: Mapping[str, Path],
    utterances: Utterances,
    tell: Callable[[str], object],
) -> Iterator[TeamResult]:
    """Yield the result of each team: the built-in model, if it is among ``models``, and at most
    MOST_PEOPLE others. ``tell`` gets the name of each model before it hears.

    :raises ModelError: if a model cannot be loaded.
    """
    heard: dict[str, list[scoring.ScoredUtterance]] = {}
    for name, folder in models.items():
        tell(name)
        heard[name] = scoring.hear(open_recogniser(pack, folder), pack, utterances)
    for names in teams(list(models)):
        folders = [models[name] for name in names]
        judge = scoring.judging(pack, confidence_of(*folders))
        parts = zip(*(heard[name] for name in names), strict=True)
        built_in = names[0] == BUILT_IN
        came = [
            (part[0].line.what, judge(scoring.together(part, built_in=built_in))) for part in parts
        ]
        yield _result(names, came, is_measured(*folders))


def teams(names: list[str]) -> Iterator[tuple[str, ...]]:
    """Yield the models that may listen together. The built-in one is first, and in each."""
    people = [name for name in names if name != BUILT_IN]
    first = (BUILT_IN,) if BUILT_IN in names else ()
    for number in range(0 if first else 1, MOST_PEOPLE + 1):
        for chosen in itertools.combinations(people, number):
            yield (*first, *chosen)


def _result(
    names: tuple[str, ...], came: list[tuple[UtteranceKind, ScoredOutcome]], measured: bool
) -> TeamResult:
    moves = [outcome for what, outcome in came if what is UtteranceKind.MOVE]
    others = [outcome for what, outcome in came if what is not UtteranceKind.MOVE]
    taken = (ScoredOutcome.WRONG, ScoredOutcome.COMMAND)
    wrong = sum(outcome in taken for outcome in (*moves, *others))
    cost = sum(_COSTS.get(outcome, REFUSAL) for outcome in moves)
    cost += sum(_COSTS[outcome] for outcome in others if outcome in taken)
    right, asked = moves.count(ScoredOutcome.RIGHT), moves.count(ScoredOutcome.ASKED)
    return TeamResult(names, len(moves), len(others), right, asked, wrong, measured, cost)
