"""The benchmark of the voice: plain lines, each with its condition and "of how many"."""

import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from blindplay.language import Language
from blindplay.speech.confidence import ConfidenceModel, confidence_of, is_measured
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.models.folders import chosen_models

from ..recognisers import open_recogniser
from . import calibration, corpus, resources, scoring
from .conditions import Condition, Noise, Samples, Surroundings, parse
from .corpus import CorpusUtterance, UtteranceKind
from .scoring import ScoredOutcome, ScoredUtterance

CONDITIONS = "clean,20,10,5,pink10,hum,room"
MEASURED_IN = "clean,20,10,pink20,pink10,hum10,talkers15,room,phone"
COUNT = 80
_TIMED = 10
_SEED = 2026


@dataclass(frozen=True)
class Options:
    """What is measured: ``count`` announcements in each condition, and so many ``others``: illegal
    ones, other speech."""

    models: tuple[Path, ...] = ()
    count: int = COUNT
    others: int = COUNT // 2
    conditions: str = CONDITIONS
    voices: tuple[str, ...] = ()
    recordings: Path | None = None
    seed: int = _SEED


@dataclass(frozen=True)
class SpokenCorpus:
    """What was said and by whom, and the talk of others, a row for each."""

    utterances: list[CorpusUtterance]
    voices: tuple[str, ...]
    talkers: Samples

    @property
    def words(self) -> list[CorpusUtterance]:
        """Return the single words."""
        return [one for one in self.utterances if one.line.what is UtteranceKind.WORD]

    @property
    def sentences(self) -> list[CorpusUtterance]:
        """Return all that is not a single word."""
        return [one for one in self.utterances if one.line.what is not UtteranceKind.WORD]


def checked(pack: Language, options: Options) -> list[Condition]:
    """Return the conditions to measure in. Raises ValueError or SynthesisError, each in one
    sentence, for what would be refused only when much has been measured."""
    conditions = parse(options.conditions)
    if options.recordings is not None:
        corpus.check_recordings(options.recordings)
    elif options.voices:
        with tempfile.TemporaryDirectory() as made:
            corpus.check_voices(pack, options.voices, Path(made))
    return conditions


def say(pack: Language, options: Options) -> SpokenCorpus:
    """Return what is to be measured, spoken or read from recordings."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        talkers = corpus.talkers(pack, options.seed, folder)
        if options.recordings is not None:
            found = corpus.recordings(
                pack, options.recordings, options.count, options.others, options.seed
            )
            return SpokenCorpus(found, tuple(dict.fromkeys(one.voice for one in found)), talkers)
        voices = options.voices or corpus.voices(pack, folder)
        said = corpus.lines(pack, options.count, options.others, random.Random(options.seed))
        return SpokenCorpus(corpus.speak(pack, said, voices, options.seed, folder), voices, talkers)


@dataclass
class Figures:
    """What was measured in one condition."""

    condition: Condition
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    curve: list[calibration.Point] = field(default_factory=list)
    effort: resources.Effort | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the same as one JSON object."""
        return {
            "condition": self.condition.name,
            **self.counts,
            "curve": [asdict(point) for point in self.curve],
            "effort": None if self.effort is None else asdict(self.effort),
        }


def bench(pack: Language, options: Options) -> Iterator[str | dict[str, Any]]:
    """Yield lines to be read, and after those of each condition its figures as JSON. Raises
    ModelError, SynthesisError or ValueError, each in one sentence."""
    conditions = checked(pack, options)
    folders = listening(pack, options)
    recogniser = open_recogniser(pack, *folders)
    confidence = confidence_of(*folders)
    said = say(pack, options)
    own = "measured for it" if is_measured(*folders) else "the cautious general ones"
    yield (
        f"Voice, {pack.name}, {_models(folders)}, confidence {own}; {about(pack, said, options)}"
    )
    if (measured := resources.memory(folders, pack.code)) is not None:
        yield (
            f"Memory: {measured[1]:.0f} MB of the process with {_models(folders)} and voice "
            f"detector at work, {measured[0]:.0f} MB of it without them."
        )
    for condition in conditions:
        where = Surroundings(condition, said.talkers, options.seed)
        found = _figures(recogniser, pack, confidence, said, where)
        yield from told(found)
        yield found.as_json()


def _figures(
    recogniser: AnyRecogniser,
    pack: Language,
    confidence: ConfidenceModel,
    said: SpokenCorpus,
    where: Surroundings,
) -> Figures:
    found = Figures(where.condition)
    noise = where.condition.noise
    if sentences := said.sentences:
        heard = scoring.hear(recogniser, pack, sentences, where)
        found.counts |= _counts(pack, confidence, heard)
        kinds = (UtteranceKind.TALK, UtteranceKind.OPENED)
        addressed = [one for one in sentences if one.line.what in kinds]
        strictly = scoring.hear(recogniser, pack, addressed, where, opening_word=True, freely=False)
        by_sound = scoring.judging(pack, confidence)
        for what in kinds:
            name = f"{what.value}, opening word required"
            found.counts[name] = scoring.count(strictly, what, by_sound)
        if noise is Noise.NONE or where.condition.snr_db == 10:
            likeliest = calibration.samples(heard, pack)
            decided = scoring.deciding(pack, confidence)
            odds = [-decided(one.heard).cost for one in likeliest]
            found.curve = calibration.curve(likeliest, odds)
        timed = [one for one in sentences if one.line.what is UtteranceKind.MOVE][:_TIMED]
        if timed and noise in (Noise.NONE, Noise.BABBLE):
            found.effort = resources.effort(recogniser, pack, confidence, timed, where)
    if words := said.words:
        counts = scoring.words_right(recogniser, pack, words, where)
        found.counts[UtteranceKind.WORD.value] = counts
    found.counts = {name: count for name, count in found.counts.items() if count["of"]}
    return found


def _counts(
    pack: Language, confidence: ConfidenceModel, heard: Sequence[ScoredUtterance]
) -> dict[str, dict[str, int]]:
    """Return the outcomes by kind of utterance and evidence, and those of hearing freely."""
    counts = {}
    moves = (UtteranceKind.MOVE, UtteranceKind.ILLEGAL)
    for name, evidence in scoring.EVIDENCE.items():
        comes = scoring.judging(pack, confidence, evidence)
        for what in moves if name else UtteranceKind:
            counts[what.value + name] = scoring.count(heard, what, comes)
    for what in (*moves, UtteranceKind.TALK):
        counts[f"{what.value}, heard freely"] = scoring.count(
            heard, what, lambda one: scoring.freely(one, pack)
        )
    return counts


def measure(pack: Language, options: Options) -> calibration.Measured:
    """Measure the confidence of models with the voices of the machine, or with recordings. Raises
    ModelError, SynthesisError or ValueError, each in one sentence."""
    conditions = checked(pack, options)
    recogniser = open_recogniser(pack, *listening(pack, options))
    said = say(pack, options)
    heard = [
        one
        for condition in conditions
        for one in scoring.hear(
            recogniser, pack, said.sentences, Surroundings(condition, said.talkers, options.seed)
        )
    ]
    about = {
        "conditions": [condition.name for condition in conditions],
        "voices": sorted(said.voices),
        "seed": options.seed,
        "models": [folder.name for folder in recogniser.folders],
    }
    return calibration.measured(heard, pack, about)


def listening(pack: Language, options: Options) -> tuple[Path, ...]:
    """Return the folders of the models to measure: by default those that listen."""
    return options.models or chosen_models(pack.code)


def _models(folders: Sequence[Path]) -> str:
    names = [folder.name for folder in folders]
    return f"model {names[0]}" if len(names) == 1 else f"models {' and '.join(names)} together"


def about(pack: Language, said: SpokenCorpus, options: Options) -> str:
    """Return in words what is said, by whom, and how often."""
    kinds = Counter(one.line.what for one in said.utterances)
    numbers = ", ".join(f"{kinds[what]} {what.value}" for what in UtteranceKind if kinds[what])
    if options.recordings is not None:
        who = f"recordings of {len(said.voices)} speakers in {options.recordings}"
    else:
        strange = set(said.voices) <= set(corpus.UNTRAINED.get(pack.code, ()))
        part = "that took no part in the training of the built-in model" if strange else "chosen"
        changed = "each utterance changed in speed, pitch and vocal tract"
        who = f"synthesised voices {part}: {', '.join(said.voices)}; {changed}"
    return f"{who}; in each condition {numbers}; seed {options.seed}."


def told(found: Figures) -> Iterator[str]:
    """Yield the figures of one condition in lines to be read."""
    name, counts = str(found.condition), found.counts
    for line in told_counts(counts):
        yield f"{name}; {line}"
    kinds = (UtteranceKind.MOVE, UtteranceKind.ILLEGAL, UtteranceKind.TALK)
    of = [counts.get(what.value, {"of": 0})["of"] for what in kinds]
    for point in found.curve:
        yield (
            f"{name}; taken from odds of {point.accept:g} nats on: {point.right} of {of[0]} moves "
            f"right, {point.wrong} of {sum(of)} utterances taken for a move that was not said."
        )
    if (e := found.effort) is not None:
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
_HANDS = ("", ", piece lifted", ", move executed", ", to be repeated")
_LINES: tuple[tuple[UtteranceKind, tuple[str, ...], _Phrases], ...] = (
    (UtteranceKind.MOVE, _HANDS, _MOVES),
    (UtteranceKind.MOVE, (", another piece lifted",), _AGAINST),
    (UtteranceKind.MOVE, (", another to be repeated", ", heard freely"), _MOVES),
    (UtteranceKind.ILLEGAL, (*_HANDS, ", heard freely"), _ILLEGAL),
    (UtteranceKind.TALK, ("", ", opening word required", ", heard freely"), _TALK),
    (UtteranceKind.COMMAND, ("",), _COMMANDS),
    (UtteranceKind.OPENED, ("", ", opening word required"), _COMMANDS),
    (UtteranceKind.WORD, ("",), ()),
)


def told_counts(counts: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Yield the outcomes of each kind of utterance, one line each."""
    for kind, evidences, phrases in _LINES:
        for name in (kind.value + evidence for evidence in evidences):
            if (count := counts.get(name)) is not None:
                parts = [_counted(count, *phrase) for phrase in phrases]
                parts = parts or [f"{what} {n}" for what, n in count.items() if what != "of"]
                yield f"{name}, {count['of']}: {', '.join(parts)}."


def _counted(count: Mapping[str, int], phrase: str, outcomes: tuple[ScoredOutcome, ...]) -> str:
    number = sum(count.get(outcome.value, 0) for outcome in outcomes)
    share = f" ({100 * number / max(1, count['of']):.1f} %)" if phrase.endswith("%") else ""
    return f"{phrase.removesuffix('%').strip()} {number}{share}"
