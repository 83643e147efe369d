"""Which models hear best: every one that is there, and every combination, on the same utterances.

Each model hears each utterance once; what several make of it together is what they would make of
it at the table.
"""

from __future__ import annotations

import itertools
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from blindplay.language import Language, lexicon
from blindplay.speech.adaptation import Vocabulary, pronunciations
from blindplay.speech.confidence import confidence_file, confidence_of
from blindplay.speech.ensemble import AnyRecogniser, Ensemble
from blindplay.speech.models.folders import ModelError, available
from blindplay.speech.recogniser import Recogniser

from ..recognisers import open_recogniser
from . import report, resources, scoring
from .conditions import Condition, Samples, parse
from .corpus import CorpusUtterance, UtteranceKind
from .scoring import ScoredUtterance

CONDITIONS = "clean,10,pink10"
MOST = 3
"""So many models at most are tried together."""
_SINGLE = (UtteranceKind.WORD,)


@dataclass(frozen=True)
class Cost:
    """What models cost: megabytes of files and of memory beyond the program's own, seconds of
    processor time to load, and seconds of it for each second of sound."""

    size_mb: float
    load_s: float
    memory_mb: float | None
    real_time_factor: float


class Familiarity(Enum):
    """Whether the models know the speaker: each has said the first half of what he says here, and
    his own pronunciations were learned from it; the second half is counted."""

    BEFORE = "before enrolment"
    AFTER = "after enrolment"


@dataclass(frozen=True)
class ComparisonRow:
    """What models together made of the utterances in one condition: for each kind, how many there
    were ("of") and what came of so many of them. ``measured``: they
    have a confidence model of their own.
    ``stage``: before or after an enrolment, if there was one."""

    models: tuple[str, ...]
    condition: Condition
    measured: bool
    cost: Cost
    counts: Mapping[str, Mapping[str, int]]
    stage: Familiarity | None = None

    def as_json(self) -> dict[str, Any]:
        """The same as one JSON object."""
        return {
            "models": list(self.models),
            "condition": self.condition.name,
            "stage": None if self.stage is None else self.stage.value,
            "confidence": "measured" if self.measured else "general",
            **asdict(self.cost),
            "counts": {kind: dict(count) for kind, count in self.counts.items()},
        }


def compare(
    pack: Language, options: report.Options, *, enrolled: bool = False
) -> Iterator[str | ComparisonRow]:
    """Lines to be read, and with those of each combination of models and each condition its row.
    ``enrolled``: also with the pronunciations of each voice, learned from half of what it says.

    The models are those of ``options``, or else all that are there for the language; one that
    cannot be loaded is told and left out.

    Raises ModelError, SynthesisError or ValueError, each in one sentence.
    """
    conditions = parse(options.conditions)
    loaded: dict[str, Recogniser] = {}
    loads: dict[str, float] = {}
    for name, folder in _named(pack, options).items():
        began = time.process_time()
        try:
            recogniser = open_recogniser(pack, folder)
        except ModelError as error:
            yield f"{name} is left out: {error}"
            continue
        assert isinstance(recogniser, Recogniser)
        loaded[name], loads[name] = recogniser, time.process_time() - began
    if not loaded:
        raise ModelError("There is no model to measure; give the folder of one with --model.")
    with tempfile.TemporaryDirectory() as kept:
        said = report.say(pack, options, Path(kept))
    yield f"Voice, {pack.name}; {report.about(pack, said, options)}"
    together = [
        names
        for number in range(1, min(MOST, len(loaded)) + 1)
        for names in itertools.combinations(loaded, number)
    ]
    memories = {
        names: resources.memory([loaded[name].folder for name in names], pack.code)
        for names in together
    }
    sounding = [one for one in said.utterances if one.line.what not in _SINGLE]
    words = [one for one in said.utterances if one.line.what in _SINGLE]
    costs: dict[tuple[str, ...], Cost] = {}
    for condition in conditions:
        heard: dict[str, list[ScoredUtterance]] = {}
        worked: dict[str, float] = {}
        for name, recogniser in loaded.items():
            began = time.process_time()
            heard[name] = scoring.hear(
                recogniser, pack, sounding, condition, said.babble, options.seed, freely=False
            )
            seconds = sum(each.seconds for each in heard[name])
            worked[name] = (time.process_time() - began) / seconds if seconds else 0.0
        for names in together:
            members = [loaded[name] for name in names]
            folders = [one.folder for one in members]
            one: AnyRecogniser = members[0] if len(members) == 1 else Ensemble(members)
            own = zip(*(heard[name] for name in names), strict=True)
            counts = _counts(pack, one, [scoring.together(parts) for parts in own])
            if words:
                counts[UtteranceKind.WORD.value] = scoring.words_right(
                    one, pack, words, condition, said.babble, options.seed
                )
            memory = memories[names]
            cost = Cost(
                sum(map(_megabytes, folders)),
                sum(loads[name] for name in names),
                None if memory is None else memory[1] - memory[0],
                sum(worked[name] for name in names),
            )
            costs.setdefault(names, cost)
            row = ComparisonRow(names, condition, confidence_file(*folders).is_file(), cost, counts)
            yield from told(row)
            yield row
    if not enrolled:
        return
    for stage, condition, heard in _enrolled(pack, loaded, sounding, said.babble, conditions[0]):
        for names in together:
            folders = [loaded[name].folder for name in names]
            one = loaded[names[0]] if len(names) == 1 else Ensemble([loaded[n] for n in names])
            own = zip(*(heard[name] for name in names), strict=True)
            counts = _counts(pack, one, [scoring.together(parts) for parts in own])
            measured = confidence_file(*folders).is_file()
            row = ComparisonRow(names, condition, measured, costs[names], counts, stage)
            yield from told(row)
            yield row


def _enrolled(
    pack: Language,
    models: Mapping[str, Recogniser],
    said: Sequence[CorpusUtterance],
    babble: Samples,
    condition: Condition,
) -> Iterator[tuple[Familiarity, Condition, dict[str, list[ScoredUtterance]]]]:
    """The second half of what each voice says, as models hear it before and after they have
    learned the voice's pronunciations from the first half, recorded in a quiet room."""
    words = lexicon(pack.code)
    vocabulary = Vocabulary({**words.words, **words.fillers}, words.squares)
    found: dict[Familiarity, dict[str, list[ScoredUtterance]]] = {
        stage: {name: [] for name in models} for stage in Familiarity
    }
    for voice in dict.fromkeys(one.voice for one in said):
        own = [one for one in said if one.voice == voice and one.line.words]
        learning, judging = own[::2], own[1::2]
        for name, before in models.items():
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made) / "model"
                prompts = (
                    pronunciations.PromptedSound(
                        tuple((one.line.words or "").lower().split()), _pcm(one.sound)
                    )
                    for one in learning
                    if one.line.what is not UtteranceKind.TALK
                )
                habits = pronunciations.learn(before.folder, prompts, words.words, words.fillers)
                pronunciations.write(before.folder, folder, vocabulary, habits.all)
                after = open_recogniser(pack, folder)
                for stage, one in ((Familiarity.BEFORE, before), (Familiarity.AFTER, after)):
                    heard = scoring.hear(one, pack, judging, condition, babble, 1, freely=False)
                    found[stage][name] += heard
    for stage, told in found.items():
        yield stage, condition, told


def _pcm(sound: Samples) -> bytes:
    return bytes(np.clip(sound, -32_768, 32_767).astype("<i2").tobytes())


def _named(pack: Language, options: report.Options) -> dict[str, Path]:
    if not options.models:
        return available(pack.code)
    names = [folder.name for folder in options.models]
    return {
        folder.name if names.count(folder.name) == 1 else str(folder): folder
        for folder in options.models
    }


def _counts(
    pack: Language, one: AnyRecogniser, heard: Sequence[ScoredUtterance]
) -> dict[str, Mapping[str, int]]:
    decided = scoring.deciding(pack, confidence_of(*one.folders))
    counts = {
        what.value: scoring.count(
            heard, what, lambda each: scoring.outcome(each, decided(each), pack)
        )
        for what in UtteranceKind
        if what not in _SINGLE
    }
    return {kind: count for kind, count in counts.items() if count["of"]}


def _megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def told(row: ComparisonRow) -> Iterator[str]:
    """One row in lines to be read."""
    models = " and ".join(row.models) + (" together" if len(row.models) > 1 else "")
    if row.stage is not None:
        models += f"; {row.stage.value}"
    cost = row.cost
    memory = "" if cost.memory_mb is None else f"{cost.memory_mb:.0f} MB of memory, "
    yield (
        f"{models}; {row.condition}; {cost.size_mb:.0f} MB, loaded in {cost.load_s:.2f} s, {memory}"
        f"real-time factor {cost.real_time_factor:.3f} on one core; confidence "
        f"{'measured for it' if row.measured else 'the cautious general ones'}."
    )
    for line in report.told_counts(row.counts):
        yield f"{models}; {row.condition}; {line}"
