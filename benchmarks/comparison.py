"""Which models hear best: every one that is there, and every combination, on the same utterances.

Each model hears each utterance once. What several make of it together is computed from that, as at
the table.
"""

import itertools
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from blindplay.hearing import scoring
from blindplay.hearing.recognisers import memory, open_recogniser
from blindplay.hearing.script import UtteranceKind
from blindplay.language import Language, lexicon
from blindplay.speech.adaptation import Vocabulary, adapt, pronunciations
from blindplay.speech.adaptation.finetuning import LabelledSound
from blindplay.speech.audio import RATE
from blindplay.speech.confidence import confidence_of, is_measured
from blindplay.speech.ensemble import AnyRecogniser, Ensemble
from blindplay.speech.models.folders import ModelError, available, is_built_in
from blindplay.speech.recogniser import Recogniser

from . import voice
from .conditions import Surroundings, as_pcm
from .corpus import CorpusUtterance
from .heard import HeardUtterance, count, hear, words_right

CONDITIONS = "clean,10,pink10"
MOST = 3
"""So many models at most are tried together."""

BEFORE, AFTER = "before enrolment", "after enrolment"
"""Whether the models know the speaker: each has learned the speaker's pronunciations from the first
half of what they say. The second half is counted."""

Heard = Mapping[str, list[HeardUtterance]]
"""What each model, by its name, heard alone."""


@dataclass(frozen=True)
class _Team:
    """Models that listen together. ``load_s`` is processor time, ``memory_mb`` that beyond the
    program's own; None if unknown."""

    names: tuple[str, ...]
    recogniser: AnyRecogniser
    load_s: float
    memory_mb: float | None

    def counts(self, pack: Language, heard: Heard) -> voice.Counts:
        """Count what the team makes of what each of its models heard."""
        judge = scoring.judging(pack, confidence_of(*self.recogniser.folders))
        parts = zip(*(heard[name] for name in self.names), strict=True)
        first, *_ = self.recogniser.folders
        found = [scoring.together(one, built_in=is_built_in(first)) for one in parts]
        return {what.value: count(found, what, judge) for what in UtteranceKind}


def compare(pack: Language, options: voice.Options, *, enrolled: bool = False) -> Iterator[str]:
    """Yield lines about each combination of models in each condition. ``enrolled``: also with the
    pronunciations of each voice, learned from half of its speech.

    The models are those of ``options``, or else all that are there for the language. One that
    cannot be loaded is reported and left out.

    :raises ModelError, SynthesisError, ValueError: each in one sentence.
    """
    conditions = voice.checked(pack, options)
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
    said = voice.say(pack, options)
    yield f"Voice, {pack.name}; {voice.about(pack, said, options)}"
    teams = list(_teams(pack, loaded, loads))
    where = [Surroundings(condition, said.talkers, options.seed) for condition in conditions]
    for room, stage, heard, factors in _listening(pack, loaded, said, where, enrolled):
        for team in teams:
            counts = team.counts(pack, heard)
            if said.words and stage is None:
                right = words_right(team.recogniser, pack, said.words, room)
                counts[UtteranceKind.WORD.value] = right
            speed = sum(factors[name] for name in team.names)
            yield from _told(team, room, stage, speed, counts)


def _teams(
    pack: Language, loaded: Mapping[str, Recogniser], loads: Mapping[str, float]
) -> Iterator[_Team]:
    """Yield every combination of at most MOST models."""
    for number in range(1, min(MOST, len(loaded)) + 1):
        for chosen in itertools.combinations(loaded, number):
            names = tuple(sorted(chosen, key=lambda name: not loaded[name].is_built_in))
            members = [loaded[name] for name in names]
            one: AnyRecogniser = members[0] if number == 1 else Ensemble(members)
            used = memory(one.folders, pack.code)
            more = None if used is None else used[1] - used[0]
            yield _Team(names, one, sum(loads[name] for name in names), more)


def _listening(
    pack: Language,
    models: Mapping[str, Recogniser],
    said: voice.SpokenCorpus,
    where: Sequence[Surroundings],
    enrolled: bool,
) -> Iterator[tuple[Surroundings, str | None, Heard, Mapping[str, float]]]:
    """Yield what each model hears in each condition, and the seconds of work of each model per
    second of sound; if ``enrolled``, also before and after an enrolment in the first condition."""
    sounding = sum(len(one.sound) for one in said.sentences) / RATE
    works: list[dict[str, float]] = []
    for room in where:
        heard: dict[str, list[HeardUtterance]] = {}
        works.append({})
        for name, model in models.items():
            began = time.process_time()
            heard[name] = hear(model, pack, said.sentences, room, freely=False)
            works[-1][name] = (time.process_time() - began) / max(1.0, sounding)
        yield room, None, heard, works[-1]
    if enrolled:
        quiet = replace(where[0], seed=1)
        before, after = _enrolled(pack, models, said.sentences, quiet)
        yield quiet, BEFORE, before, works[0]
        yield quiet, AFTER, after, works[0]


def _enrolled(
    pack: Language,
    models: Mapping[str, Recogniser],
    said: Sequence[CorpusUtterance],
    where: Surroundings,
) -> tuple[Heard, Heard]:
    """Return the second half of what each voice says, as models hear it before and after they have
    learned the voice's pronunciations from the first half, recorded in a quiet room."""
    words = lexicon(pack.code)
    vocabulary = Vocabulary({**words.words, **words.fillers}, words.squares)
    before: dict[str, list[HeardUtterance]] = {name: [] for name in models}
    after: dict[str, list[HeardUtterance]] = {name: [] for name in models}
    for speaker in dict.fromkeys(one.voice for one in said):
        own = [one for one in said if one.voice == speaker and one.line.words]
        learning, judging = own[::2], own[1::2]
        prompts = [
            LabelledSound(as_pcm(one.sound), one.line.tokens)
            for one in learning
            if one.line.what is not UtteranceKind.TALK
        ]
        for name, model in models.items():
            before[name] += hear(model, pack, judging, where, freely=False)
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made) / "model"
                habits = pronunciations.learn(model.folder, prompts, words.words, words.fillers)
                adapt(model.folder, folder, vocabulary, more=habits.all)
                learned = open_recogniser(pack, folder)
                after[name] += hear(learned, pack, judging, where, freely=False)
    return before, after


def _named(pack: Language, options: voice.Options) -> dict[str, Path]:
    if not options.models:
        return available(pack.code)
    names = [folder.name for folder in options.models]
    return {
        folder.name if names.count(folder.name) == 1 else str(folder): folder
        for folder in options.models
    }


def _megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def _told(
    team: _Team, room: Surroundings, stage: str | None, speed: float, counts: voice.Counts
) -> Iterator[str]:
    """Yield lines about one team in one condition. ``speed``: seconds of processor time for each
    second of sound."""
    folders = team.recogniser.folders
    models = " and ".join(team.names) + (" together" if len(team.names) > 1 else "")
    if stage is not None:
        models += f"; {stage}"
    memory_mb = "" if team.memory_mb is None else f"{team.memory_mb:.0f} MB of memory, "
    own = "measured for it" if is_measured(*folders) else "the cautious general ones"
    yield (
        f"{models}; {room.condition}; {sum(map(_megabytes, folders)):.0f} MB, loaded in "
        f"{team.load_s:.2f} s, {memory_mb}real-time factor {speed:.3f} on one core; confidence "
        f"{own}."
    )
    for line in voice.told_counts(counts):
        yield f"{models}; {room.condition}; {line}"
