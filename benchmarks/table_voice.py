"""How well the table's own voices are understood: ``python -m benchmarks table-voice``.

Ears that were trained on people stand for people. Each voice says the same announcements as the
table says them, at its usual speed.
"""

import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from blindplay.hearing import scoring
from blindplay.hearing.recognisers import open_recogniser
from blindplay.hearing.scoring import ScoredOutcome
from blindplay.hearing.script import ScriptLine, UtteranceKind, position
from blindplay.language import Language
from blindplay.speech.audio import RATE, read_audio
from blindplay.speech.confidence import confidence_of, is_measured
from blindplay.speech.models.folders import chosen_models
from blindplay.speech.synthesis import Synthesiser

from . import corpus
from .conditions import Surroundings, as_samples, parse
from .corpus import CorpusUtterance
from .heard import count, hear

PUBLIC, PRIVATE = "public", "private"
_OUTCOMES = {
    "at once": (ScoredOutcome.RIGHT,),
    "asked": (ScoredOutcome.ASKED,),
    "lost": (ScoredOutcome.IN_VAIN, ScoredOutcome.REFUSED, ScoredOutcome.ILLEGAL,
             ScoredOutcome.OTHER_ILLEGAL),
    "wrong": (ScoredOutcome.WRONG, ScoredOutcome.COMMAND),
}  # fmt: skip


@dataclass(frozen=True)
class TableVoiceOptions:
    """The ``count`` of announcements. ``voices``: other voices beside the table's two."""

    count: int = 60
    models: tuple[Path, ...] = ()
    voices: tuple[str, ...] = ()
    conditions: str = "clean"
    seed: int = 1


def figures(pack: Language, options: TableVoiceOptions) -> Iterator[str]:
    """Yield a line for each voice and condition.

    :raises ModelError, SynthesisError, ValueError: each in one sentence.
    """
    conditions = parse(options.conditions)
    recogniser = open_recogniser(pack, *(options.models or chosen_models(pack.code)))
    judge = scoring.judging(pack, confidence_of(*recogniser.folders))
    own = "measured for them" if is_measured(*recogniser.folders) else "the cautious general one"
    names = " and ".join(folder.name for folder in recogniser.folders)
    yield (
        f"The table's voices, {pack.name}, heard by {names}, confidence {own}; "
        f"{options.count} announcements, seed {options.seed}."
    )
    chance = random.Random(options.seed)
    lines = [_line(pack, chance) for _ in range(options.count)]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        talkers = np.zeros((1, 1))
        if any(one.snr_db is not None for one in conditions):
            talkers = corpus.talkers(pack, options.seed, folder)
        for voice in (PUBLIC, PRIVATE, *options.voices):
            said = list(_spoken(pack, lines, voice, options.seed, folder))
            for condition in conditions:
                where = Surroundings(condition, talkers, options.seed)
                heard = hear(recogniser, pack, said, where, freely=False)
                counts = count(heard, UtteranceKind.MOVE, judge)
                told = (
                    f"{name} {sum(counts.get(one.value, 0) for one in outcomes)}"
                    for name, outcomes in _OUTCOMES.items()
                )
                yield f"{voice}; {condition}; of {len(said)}: {', '.join(told)}."


def _line(pack: Language, chance: random.Random) -> ScriptLine:
    board = position(chance)
    move = chance.choice(list(board.legal_moves))
    return ScriptLine(UtteranceKind.MOVE, board.fen(), pack.announce(board, move))


def _spoken(
    pack: Language, lines: list[ScriptLine], voice: str, seed: int, folder: Path
) -> Iterator[CorpusUtterance]:
    named = None if voice in (PUBLIC, PRIVATE) else voice
    with Synthesiser(pack.code, cache=folder, spellings=pack.spoken) as synthesiser:
        for number, line in enumerate(lines):
            file = synthesiser.render(line.words, voice=named, public=voice == PUBLIC)
            sound = as_samples(read_audio(file, RATE))
            chance = random.Random(f"{seed} {number}")
            yield CorpusUtterance(line, voice, corpus.as_recorded(sound, chance))
