"""How well models understand moves, commands and talk: plain lines, each with "of how many"."""

import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from blindplay.hearing import scoring
from blindplay.hearing.recognisers import memory, open_recogniser
from blindplay.hearing.scoring import ScoredOutcome
from blindplay.hearing.script import UtteranceKind
from blindplay.language import Language
from blindplay.speech.confidence import ConfidenceModel, confidence_of, is_measured
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.models.folders import chosen_models

from . import corpus
from .conditions import Condition, Noise, Samples, Surroundings, parse
from .corpus import CorpusUtterance
from .effort import Effort, effort
from .heard import EVIDENCE, HeardUtterance, count, freely, hear, words_right

CONDITIONS = "clean,20,10,5,pink10,hum,room"
_TIMED = 40


@dataclass(frozen=True)
class Options:
    """What is measured: ``count`` announcements in each condition, half as many illegal ones and as
    much other speech; with ``as_many_others``, as many as announcements."""

    models: tuple[Path, ...] = ()
    count: int = 80
    conditions: str = CONDITIONS
    voices: tuple[str, ...] = ()
    recordings: Path | None = None
    as_many_others: bool = False
    seed: int = 2026

    @property
    def others(self) -> int:
        """Return the number of illegal announcements, and of other speech."""
        return self.count if self.as_many_others else self.count // 2


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
    """Return the conditions to measure in.

    :raises ValueError, SynthesisError: each in one sentence, for what would be refused only when
        much has been measured.
    """
    conditions = parse(options.conditions)
    if options.recordings is not None:
        corpus.check_recordings(options.recordings)
    if options.voices:
        with tempfile.TemporaryDirectory() as made:
            corpus.check_voices(pack, options.voices, Path(made))
    return conditions


def say(pack: Language, options: Options) -> SpokenCorpus:
    """Return what is to be measured: recordings, what ``voices`` say, or both."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        talkers = corpus.talkers(pack, options.seed, folder)
        if options.recordings is not None:
            found = corpus.recordings(
                pack, options.recordings, options.count, options.others, options.seed
            )
            if options.voices:
                found += _spoken(pack, options, options.voices, folder)
            return SpokenCorpus(found, tuple(dict.fromkeys(one.voice for one in found)), talkers)
        voices = options.voices or corpus.voices(pack, folder)
        return SpokenCorpus(_spoken(pack, options, voices, folder), voices, talkers)


def _spoken(
    pack: Language, options: Options, voices: tuple[str, ...], folder: Path
) -> list[CorpusUtterance]:
    said = corpus.lines(pack, options.count, options.others, random.Random(options.seed))
    return corpus.speak(pack, said, voices, options.seed, folder)


Counts = dict[str, dict[str, int]]
"""For each kind of utterance, how many there were ("of"), and how many had each outcome."""


def figures(pack: Language, options: Options) -> Iterator[str]:
    """Yield lines about each condition.

    :raises ModelError, SynthesisError, ValueError: each in one sentence.
    """
    conditions = checked(pack, options)
    folders = listening(pack, options)
    recogniser = open_recogniser(pack, *folders)
    confidence = confidence_of(*folders)
    said = say(pack, options)
    own = "measured for it" if is_measured(*folders) else "the cautious general ones"
    yield (
        f"Voice, {pack.name}, {_models(folders)}, confidence {own}; {about(pack, said, options)}"
    )
    if (measured := memory(folders, pack.code)) is not None:
        yield (
            f"Memory: {measured[1]:.0f} MB of the process with {_models(folders)} and voice "
            f"detector at work, {measured[0]:.0f} MB of it without them."
        )
    for condition in conditions:
        where = Surroundings(condition, said.talkers, options.seed)
        for line in told_counts(_counts(recogniser, pack, confidence, said, where)):
            yield f"{condition}; {line}"
        timed = [one for one in said.utterances if one.line.what is UtteranceKind.MOVE][:_TIMED]
        if timed and condition.noise in (Noise.NONE, Noise.BABBLE):
            yield f"{condition}; {_told(effort(recogniser, pack, confidence, timed, where))}"


def _counts(
    recogniser: AnyRecogniser,
    pack: Language,
    confidence: ConfidenceModel,
    said: SpokenCorpus,
    where: Surroundings,
) -> Counts:
    """Return the outcomes by kind of utterance and evidence, and those of hearing freely."""
    counts: Counts = {}
    judge = scoring.judging(pack, confidence)
    heard = hear(recogniser, pack, said.sentences, where)
    moves = (UtteranceKind.MOVE, UtteranceKind.ILLEGAL)
    for name, evidence in EVIDENCE.items():
        known: list[HeardUtterance] = [replace(one, expected=evidence(one)) for one in heard]
        for what in moves if name else UtteranceKind:
            counts[what.value + name] = count(known, what, judge)
    for what in (*moves, UtteranceKind.TALK):
        by_words = count(heard, what, lambda one: freely(one, pack))
        counts[f"{what.value}, heard freely"] = by_words
    kinds = (UtteranceKind.TALK, UtteranceKind.OPENED)
    addressed = [one for one in said.sentences if one.line.what in kinds]
    strictly = hear(recogniser, pack, addressed, where, opening_word=True, freely=False)
    for what in kinds:
        counts[f"{what.value}, opening word required"] = count(strictly, what, judge)
    if said.words:
        counts[UtteranceKind.WORD.value] = words_right(recogniser, pack, said.words, where)
    return counts


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


def _told(e: Effort) -> str:
    return (
        f"delay, {e.of} moves: end of speech to its end being known, median {e.silence_s:.2f} s, "
        f"95 % {e.late_silence_s:.2f} s, longest {e.longest_silence_s:.2f} s; "
        f"from there to the decision, median {e.decision_s * 1000:.0f} ms, "
        f"longest {e.longest_decision_s * 1000:.0f} ms; {e.missed} not noticed; "
        f"real-time factor of listening, recogniser and decision {e.real_time_factor:.3f}, "
        "one core."
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
    """Yield the outcomes of each kind of utterance that there was, one line each."""
    for kind, evidences, phrases in _LINES:
        for name in (kind.value + evidence for evidence in evidences):
            if (found := counts.get(name)) and found["of"]:
                parts = [_counted(found, *phrase) for phrase in phrases]
                parts = parts or [f"{what} {n}" for what, n in found.items() if what != "of"]
                yield f"{name}, {found['of']}: {', '.join(parts)}."


def _counted(found: Mapping[str, int], phrase: str, outcomes: tuple[ScoredOutcome, ...]) -> str:
    number = sum(found.get(outcome.value, 0) for outcome in outcomes)
    share = f" ({100 * number / found['of']:.1f} %)" if phrase.endswith("%") else ""
    return f"{phrase.removesuffix('%').strip()} {number}{share}"
