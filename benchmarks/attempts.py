"""The answer to an attempt to announce a move: ``python -m benchmarks attempts``.

A player on move announces it alone in a quiet room, and waits. Whatever the table heard, it should
answer. Each attempt is made at a new table.
"""

import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import chess
import numpy as np

from blindplay.hearing.recognisers import listening_models, open_recogniser
from blindplay.hearing.script import ScriptLine, announcement
from blindplay.language import Language
from blindplay.speech.audio import RATE
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.synthesis import Synthesiser

from . import corpus
from .conditions import Condition, Samples, Surroundings, as_pcm, as_samples, parse
from .corpus import CorpusUtterance
from .everyday import everyday_forms
from .listening_table import listening_table
from .pauses import Outcome, outcome

_BEFORE_S, _AFTER_S = 8.0, 8.0
_ROOM = 8.0


@dataclass(frozen=True)
class AttemptOptions:
    """The ``count`` of attempts in each condition, and the ``voices`` that take turns.
    ``everyday``: in everyday forms instead of those that are taught."""

    count: int = 60
    models: tuple[Path, ...] = ()
    voices: tuple[str, ...] = ()
    conditions: str = "clean"
    everyday: bool = False
    seed: int = 1


@dataclass(frozen=True)
class Attempted:
    """An attempt, the kind of its form, and what came of it, with what the table printed."""

    said: CorpusUtterance
    form: str
    came: Outcome
    printed: tuple[str, ...]


def attempts(
    pack: Language, options: AttemptOptions, recogniser: AnyRecogniser, folder: Path
) -> Iterator[tuple[Condition, list[Attempted]]]:
    """Yield what came of the attempts in each condition. ``folder`` keeps what was rendered."""
    chance = random.Random(options.seed)
    lines = list(_lines(pack, options, chance))
    voices = options.voices or corpus.voices(pack, folder)
    said = corpus.speak(pack, [line for _, line, _ in lines], voices, options.seed, folder)
    conditions = parse(options.conditions)
    talkers = np.zeros((1, 1))
    if any(one.snr_db is not None for one in conditions):
        talkers = corpus.talkers(pack, options.seed, folder)
    with Synthesiser(pack.code, cache=folder, spellings=pack.spoken) as synthesiser:
        for condition in conditions:
            where, found = Surroundings(condition, talkers, options.seed), []
            for number, (one, (form, _, move)) in enumerate(zip(said, lines, strict=True)):
                sound = as_samples(where.record(one.sound, number))
                came, printed = _attempt(pack, recogniser, synthesiser, one, move, sound)
                found.append(Attempted(one, form, came, printed))
            yield condition, found


def _lines(
    pack: Language, options: AttemptOptions, chance: random.Random
) -> Iterator[tuple[str, ScriptLine, chess.Move]]:
    """Yield what is said, the name of its form, and the move that it announces."""
    everyday = everyday_forms(pack) if options.everyday else None
    for number in range(options.count):
        if everyday is not None:
            yield everyday.draw(number, chance)
            continue
        line = announcement(pack, chance)
        move = pack.understand(line.words, line.board).move
        assert move is not None
        yield "taught", line, move


def _attempt(
    pack: Language,
    recogniser: AnyRecogniser,
    synthesiser: Synthesiser,
    said: CorpusUtterance,
    move: chess.Move,
    sound: Samples,
) -> tuple[Outcome, tuple[str, ...]]:
    """Make an attempt at a new table. Return what came of it, and what the table printed."""
    board = said.line.board
    side = "white" if board.turn else "black"
    room = np.random.default_rng(len(sound))
    whole = np.pad(sound, (int(RATE * _BEFORE_S), int(RATE * _AFTER_S)))
    with (
        tempfile.TemporaryDirectory(prefix="blindplay-attempt-") as made,
        listening_table(
            pack, recogniser, synthesiser, Path(made), sides=(side,), fen=board.fen()
        ) as table,
    ):
        since = len(table.printed)
        table.hear(side, as_pcm(whole + room.normal(0, _ROOM, len(whole))))
        return outcome(table, move, since, side), tuple(table.printed[since:])


def figures(pack: Language, options: AttemptOptions) -> Iterator[str]:
    """Yield plain lines: what came of the attempts, by condition and form, and each that got no
    answer or a wrong one.

    :raises StuckTableError, ModelError, SynthesisError, ValueError: each in one sentence.
    """
    lost: list[str] = []
    recogniser = open_recogniser(
        pack, *(options.models or listening_models(pack.code, lost.append))
    )
    models = " and ".join(folder.name for folder in recogniser.folders)
    kind = "everyday" if options.everyday else "taught"
    yield f"Attempts in {kind} forms, {pack.name}: models {models}, seed {options.seed}."
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="blindplay-attempt-")))
        for condition, found in attempts(pack, options, recogniser, folder):
            groups: dict[str, Counter[Outcome]] = {"all": Counter()}
            for one in found:
                for group in dict.fromkeys(("all", one.form, one.said.voice)):
                    groups.setdefault(group, Counter())[one.came] += 1
            for group, counts in groups.items():
                told = ", ".join(f"{counts[one]} {one.value}" for one in Outcome if counts[one])
                yield f"{condition}; {group}: {counts.total()}: {told}"
            for one in found:
                if one.came in (Outcome.WRONG, Outcome.SILENT):
                    last = " | ".join(one.printed[-3:])
                    yield f"  {one.came.value}: {one.said.line.words} ({one.said.voice}): {last}"
