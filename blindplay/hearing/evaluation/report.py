"""The benchmark of the voice: plain lines, each with its condition and "of how many"."""

from __future__ import annotations

import functools
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from blindplay.language import Language
from blindplay.speech.confidence import confidence_file, confidence_of
from blindplay.speech.models.folders import chosen_models

from ..recognisers import open_recogniser
from . import calibration, corpus, scoring
from . import resources as effort
from .conditions import Condition, Noise, Samples, parse
from .corpus import CorpusUtterance, UtteranceKind
from .scoring import Decide, ScoredOutcome, ScoredUtterance

CONDITIONS = "clean,20,10,5,pink10,hum,room"
MEASURED_IN = "clean,10,pink10,room"
COUNT = 80
_TIMED = 10
_SEED = 2026


@dataclass(frozen=True)
class Options:
    """What is measured: ``count`` announcements a condition, and so many ``others``: illegal ones,
    other speech."""

    models: tuple[Path, ...] = ()
    count: int = COUNT
    others: int = COUNT // 2
    conditions: str = CONDITIONS
    voices: tuple[str, ...] = ()
    recordings: Path | None = None
    seed: int = _SEED


@dataclass(frozen=True)
class SpokenCorpus:
    """What was said and by whom, and the babble of others."""

    utterances: list[CorpusUtterance]
    voices: tuple[str, ...]
    babble: Samples
    recorded: bool = False


def say(pack: Language, options: Options, folder: Path) -> SpokenCorpus:
    """What is to be measured, spoken or read from recordings. ``folder`` keeps what was spoken."""
    babble = corpus.babble(pack, options.seed, folder)
    if options.recordings is not None:
        found = corpus.recordings(
            pack, options.recordings, options.count, options.others, options.seed
        )
        return SpokenCorpus(
            found, tuple(dict.fromkeys(one.voice for one in found)), babble, recorded=True
        )
    voices = options.voices or corpus.voices(pack, folder)
    said = corpus.lines(pack, options.count, options.others, random.Random(options.seed))
    return SpokenCorpus(corpus.speak(pack, said, voices, options.seed, folder), voices, babble)


@dataclass
class Figures:
    """What was measured in one condition."""

    condition: Condition
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    curve: list[scoring.Point] = field(default_factory=list)
    effort: effort.Effort | None = None

    def as_json(self) -> dict[str, Any]:
        """The same as one JSON object."""
        return {
            "condition": self.condition.name,
            **self.counts,
            "curve": [asdict(point) for point in self.curve],
            "effort": None if self.effort is None else asdict(self.effort),
        }


def bench(pack: Language, options: Options) -> Iterator[str | dict[str, Any]]:
    """Lines to be read, and after those of each condition its figures as JSON.

    Raises ModelError, SynthesisError or ValueError, each in one sentence.
    """
    conditions = parse(options.conditions)
    folders = listening(pack, options)
    recogniser = open_recogniser(pack, *folders)
    confidence = confidence_of(*folders)
    with tempfile.TemporaryDirectory() as kept:
        said = say(pack, options, Path(kept))
    yield _about(pack, folders, said, options)
    measured = effort.memory(folders, pack.code)
    if measured is not None:
        yield (
            f"Memory: {measured[1]:.0f} MB of the process with {_models(folders)} and voice "
            f"detector at work, {measured[0]:.0f} MB of it without them."
        )
    single = [one for one in said.utterances if one.line.what is UtteranceKind.WORD]
    others = [one for one in said.utterances if one.line.what is not UtteranceKind.WORD]
    timed = [one for one in others if one.line.what is UtteranceKind.MOVE][:_TIMED]
    for condition in conditions:
        found = Figures(condition)
        if others:
            heard = scoring.hear(recogniser, pack, others, condition, said.babble, options.seed)
            needed = [
                one for one in others if one.line.what in (UtteranceKind.TALK, UtteranceKind.OPENED)
            ]
            strictly = scoring.hear(
                recogniser,
                pack,
                needed,
                condition,
                said.babble,
                options.seed,
                opening_word=True,
                freely=False,
            )
            decisions = {
                "": scoring.deciding(pack, confidence),
                ", piece lifted": scoring.with_hands(pack, confidence, scoring.lifted),
                ", move executed": scoring.with_hands(pack, confidence, scoring.executed),
                ", another piece lifted": scoring.with_hands(
                    pack, confidence, scoring.other_lifted
                ),
                ", to be repeated": scoring.with_hands(pack, confidence, scoring.repeated),
                ", another to be repeated": scoring.with_hands(
                    pack, confidence, scoring.other_repeated
                ),
            }
            outcome = functools.partial(_outcome, pack, decisions[""])
            for name, decided in decisions.items():
                comes = functools.partial(_outcome, pack, decided)

                for what in (
                    UtteranceKind if not name else (UtteranceKind.MOVE, UtteranceKind.ILLEGAL)
                ):
                    found.counts[what.value + name] = scoring.count(heard, what, comes)
            for what in (UtteranceKind.TALK, UtteranceKind.OPENED):
                found.counts[f"{what.value}, opening word required"] = scoring.count(
                    strictly, what, outcome
                )
            for what in (UtteranceKind.MOVE, UtteranceKind.ILLEGAL, UtteranceKind.TALK):
                found.counts[f"{what.value}, heard freely"] = scoring.count(
                    heard, what, lambda one: scoring.freely(one, pack)
                )
            if condition.noise is Noise.NONE or condition.snr_db == 10:
                found.curve = scoring.curve(heard, pack, confidence)
        if timed and condition.noise in (Noise.NONE, Noise.BABBLE):
            found.effort = effort.effort(
                recogniser, pack, confidence, timed, condition, said.babble, options.seed
            )
        if single:
            found.counts[UtteranceKind.WORD.value] = scoring.words_right(
                recogniser, pack, single, condition, said.babble, options.seed
            )
        found.counts = {name: count for name, count in found.counts.items() if count["of"]}
        yield from told(found)
        yield found.as_json()


def measure(pack: Language, options: Options) -> calibration.Measured:
    """Ears for a model, measured with the voices of the machine, or with recordings.

    Raises ModelError, SynthesisError or ValueError, each in one sentence.
    """
    conditions = parse(options.conditions)
    recogniser = open_recogniser(pack, *listening(pack, options))
    with tempfile.TemporaryDirectory() as kept:
        spoken = say(pack, options, Path(kept))
    said = [one for one in spoken.utterances if one.line.what is not UtteranceKind.WORD]
    heard = [
        one
        for condition in conditions
        for one in scoring.hear(recogniser, pack, said, condition, spoken.babble, options.seed)
    ]
    about = {
        "conditions": [condition.name for condition in conditions],
        "voices": sorted(spoken.voices),
        "seed": options.seed,
        "models": [folder.name for folder in recogniser.folders],
    }
    return calibration.measured(heard, pack, about)


def _outcome(pack: Language, decided: Decide, one: ScoredUtterance) -> ScoredOutcome:
    return scoring.outcome(one, decided(one), pack)


def listening(pack: Language, options: Options) -> tuple[Path, ...]:
    """The models that are measured: those that were named, or else those that listen."""
    return options.models or chosen_models(pack.code)


def _models(folders: Sequence[Path]) -> str:
    names = [folder.name for folder in folders]
    return f"model {names[0]}" if len(names) == 1 else f"models {' and '.join(names)} together"


def _about(pack: Language, folders: Sequence[Path], said: SpokenCorpus, options: Options) -> str:
    own = "measured for it" if confidence_file(*folders).is_file() else "the cautious general ones"
    told = about(pack, said, options)
    return f"Voice, {pack.name}, {_models(folders)}, confidence {own}; {told}"


def about(pack: Language, said: SpokenCorpus, options: Options) -> str:
    """What is said, by whom, and how often."""
    kinds = Counter(one.line.what for one in said.utterances)
    numbers = ", ".join(f"{kinds[what]} {what.value}" for what in UtteranceKind if kinds[what])
    if said.recorded:
        who = f"recordings of {len(said.voices)} speakers in {options.recordings}"
    else:
        strange = set(said.voices) <= set(corpus.UNTRAINED.get(pack.code, ()))
        part = "that took no part in the training of the built-in model" if strange else "chosen"
        changed = "each utterance changed in speed, pitch and vocal tract"
        who = f"synthesised voices {part}: {', '.join(said.voices)}; {changed}"
    return f"{who}; in each condition {numbers}; seed {options.seed}."


# --- lines ---------------------------------------------------------------------------------------


def told(found: Figures) -> Iterator[str]:
    """The figures of one condition in lines to be read."""
    name = str(found.condition)
    counts = found.counts
    for counted in told_counts(counts):
        yield f"{name}; {counted}"
    moves = UtteranceKind.MOVE.value
    if found.curve:
        of = sum(
            counts[what.value]["of"]
            for what in (UtteranceKind.MOVE, UtteranceKind.ILLEGAL, UtteranceKind.TALK)
            if what.value in counts
        )
        for point in found.curve:
            yield (
                f"{name}; taken from odds of {point.accept:g} nats on: {point.right} of "
                f"{counts.get(moves, {'of': 0})['of']} moves right, {point.wrong} of {of} "
                "utterances taken for a move that was not said."
            )
    if found.effort is not None:
        e = found.effort
        yield (
            f"{name}; delay, {e.of} moves: end of speech to its end being known, median "
            f"{e.silence_s:.2f} s, longest {e.longest_silence_s:.2f} s; from there to the "
            f"decision, median {e.decision_s * 1000:.0f} ms, longest "
            f"{e.longest_decision_s * 1000:.0f} ms; {e.missed} not noticed; real-time factor of "
            f"listening, recogniser and decision {e.real_time_factor:.3f}, one core."
        )


_Phrases = tuple[tuple[str, tuple[ScoredOutcome, ...]], ...]
_R, _A, _V = ScoredOutcome.RIGHT, ScoredOutcome.ASKED, ScoredOutcome.IN_VAIN
_F, _I, _O = ScoredOutcome.REFUSED, ScoredOutcome.ILLEGAL, ScoredOutcome.OTHER_ILLEGAL
_W, _C = ScoredOutcome.WRONG, ScoredOutcome.COMMAND
# Each phrase with the outcomes it counts; one that ends in "%" also gives their share.
_MOVES: _Phrases = (
    ("right first time %", (_R,)), ("right after one question at most %", (_R, _A)),
    ("asked in vain", (_V,)), ("refused", (_F,)), ("told to be illegal", (_I, _O)),
    ("wrong accepted", (_W, _C)),
)  # fmt: skip
_AGAINST: _Phrases = (
    ("the contradiction is asked about", (_A, _V)), ("refused", (_F,)),
    ("told to be illegal", (_I,)), ("taken as said", (_R,)), ("wrong accepted", (_W, _C)),
)  # fmt: skip
_ILLEGAL: _Phrases = (
    ("recognised as illegal %", (_R,)), ("as another illegal move", (_O,)),
    ("asked about or refused", (_V, _F, _A)), ("obeyed as a command", (_C,)),
    ("taken for a legal move", (_W,)),
)  # fmt: skip
_TALK: _Phrases = (
    ("taken for a move", (_W,)), ("for a command", (_C,)), ("told to be illegal", (_I,)),
    ("asked about", (_V,)), ("passed over or not understood", (_F,)),
)  # fmt: skip
_COMMANDS: _Phrases = (
    ("right %", (_R,)), ("after a question %", (_R, _A)), ("asked in vain", (_V,)),
    ("refused", (_F,)), ("another command", (_C,)), ("taken for a move", (_W, _I)),
)  # fmt: skip
_LINES: tuple[tuple[UtteranceKind, str, _Phrases], ...] = (
    (UtteranceKind.MOVE, "", _MOVES),
    (UtteranceKind.MOVE, ", piece lifted", _MOVES),
    (UtteranceKind.MOVE, ", move executed", _MOVES),
    (UtteranceKind.MOVE, ", to be repeated", _MOVES),
    (UtteranceKind.MOVE, ", another piece lifted", _AGAINST),
    (UtteranceKind.MOVE, ", another to be repeated", _MOVES),
    (UtteranceKind.MOVE, ", heard freely", _MOVES),
    (UtteranceKind.ILLEGAL, "", _ILLEGAL),
    (UtteranceKind.ILLEGAL, ", piece lifted", _ILLEGAL),
    (UtteranceKind.ILLEGAL, ", move executed", _ILLEGAL),
    (UtteranceKind.ILLEGAL, ", to be repeated", _ILLEGAL),
    (UtteranceKind.ILLEGAL, ", heard freely", _ILLEGAL),
    (UtteranceKind.TALK, "", _TALK),
    (UtteranceKind.TALK, ", opening word required", _TALK),
    (UtteranceKind.TALK, ", heard freely", _TALK),
    (UtteranceKind.COMMAND, "", _COMMANDS),
    (UtteranceKind.OPENED, "", _COMMANDS),
    (UtteranceKind.OPENED, ", opening word required", _COMMANDS),
    (UtteranceKind.WORD, "", ()),
)


def told_counts(counts: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """The outcomes of each kind of utterance, one line each."""
    for kind, evidence, phrases in _LINES:
        count = counts.get(kind.value + evidence)
        if count is not None:
            parts = [_counted(count, *phrase) for phrase in phrases]
            parts = parts or [f"{name} {number}" for name, number in count.items() if name != "of"]
            yield f"{kind.value}{evidence}, {count['of']}: {', '.join(parts)}."


def _counted(count: Mapping[str, int], phrase: str, outcomes: tuple[ScoredOutcome, ...]) -> str:
    number = sum(count.get(outcome.value, 0) for outcome in outcomes)
    share = f" ({100 * number / max(1, count['of']):.1f} %)" if phrase.endswith("%") else ""
    return f"{phrase.removesuffix('%').strip()} {number}{share}"
