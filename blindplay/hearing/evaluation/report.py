"""The benchmark of the voice: plain lines, each with its condition and "of how many"."""

from __future__ import annotations

import functools
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from blindplay.language import Language
from blindplay.speech.confidence import ears_of, file_of
from blindplay.speech.models.folders import chosen

from ..decision import open_recogniser
from . import calibration, corpus, scoring
from . import resources as effort
from .conditions import Condition, Noise, Samples, parse
from .corpus import Utterance, What
from .scoring import Comes, Decide, Heard

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
class Said:
    """What was said and by whom, and the babble of others."""

    utterances: list[Utterance]
    voices: tuple[str, ...]
    babble: Samples
    recorded: bool = False


def say(pack: Language, options: Options, folder: Path) -> Said:
    """What is to be measured, spoken or read from recordings. ``folder`` keeps what was spoken."""
    babble = corpus.babble(pack, options.seed, folder)
    if options.recordings is not None:
        found = corpus.recordings(
            pack, options.recordings, options.count, options.others, options.seed
        )
        return Said(found, tuple(dict.fromkeys(one.voice for one in found)), babble, recorded=True)
    voices = options.voices or corpus.voices(pack, folder)
    said = corpus.lines(pack, options.count, options.others, random.Random(options.seed))
    return Said(corpus.speak(pack, said, voices, options.seed, folder), voices, babble)


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
    ears = ears_of(*folders)
    with tempfile.TemporaryDirectory() as kept:
        said = say(pack, options, Path(kept))
    yield _about(pack, folders, said, options)
    measured = effort.memory(folders, pack.code)
    if measured is not None:
        yield (
            f"Memory: {measured[1]:.0f} MB of the process with {_models(folders)} and voice "
            f"detector at work, {measured[0]:.0f} MB of it without them."
        )
    single = [one for one in said.utterances if one.line.what is What.WORD]
    others = [one for one in said.utterances if one.line.what is not What.WORD]
    timed = [one for one in others if one.line.what is What.MOVE][:_TIMED]
    for condition in conditions:
        found = Figures(condition)
        if others:
            heard = scoring.hear(recogniser, pack, others, condition, said.babble, options.seed)
            needed = [one for one in others if one.line.what in (What.TALK, What.OPENED)]
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
                "": scoring.deciding(pack, ears),
                ", piece lifted": scoring.with_hands(pack, ears, scoring.lifted),
                ", move executed": scoring.with_hands(pack, ears, scoring.executed),
                ", another piece lifted": scoring.with_hands(pack, ears, scoring.other_lifted),
                ", to be repeated": scoring.with_hands(pack, ears, scoring.repeated),
                ", another to be repeated": scoring.with_hands(pack, ears, scoring.other_repeated),
            }
            outcome = functools.partial(_outcome, pack, decisions[""])
            for name, decided in decisions.items():
                comes = functools.partial(_outcome, pack, decided)

                for what in What if not name else (What.MOVE, What.ILLEGAL):
                    found.counts[what.value + name] = scoring.count(heard, what, comes)
            for what in (What.TALK, What.OPENED):
                found.counts[f"{what.value}, opening word required"] = scoring.count(
                    strictly, what, outcome
                )
            for what in (What.MOVE, What.ILLEGAL, What.TALK):
                found.counts[f"{what.value}, heard freely"] = scoring.count(
                    heard, what, lambda one: scoring.freely(one, pack)
                )
            if condition.noise is Noise.NONE or condition.snr_db == 10:
                found.curve = scoring.curve(heard, pack, ears)
        if timed and condition.noise in (Noise.NONE, Noise.BABBLE):
            found.effort = effort.effort(
                recogniser, pack, ears, timed, condition, said.babble, options.seed
            )
        if single:
            found.counts[What.WORD.value] = scoring.words_right(
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
    said = [one for one in spoken.utterances if one.line.what is not What.WORD]
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


def _outcome(pack: Language, decided: Decide, one: Heard) -> Comes:
    return scoring.outcome(one, decided(one), pack)


def listening(pack: Language, options: Options) -> tuple[Path, ...]:
    """The models that are measured: those that were named, or else those that listen."""
    return options.models or chosen(pack.code)


def _models(folders: Sequence[Path]) -> str:
    names = [folder.name for folder in folders]
    return f"model {names[0]}" if len(names) == 1 else f"models {' and '.join(names)} together"


def _about(pack: Language, folders: Sequence[Path], said: Said, options: Options) -> str:
    own = "measured for it" if file_of(*folders).is_file() else "the cautious general ones"
    told = about(pack, said, options)
    return f"Voice, {pack.name}, {_models(folders)}, ears {own}; {told}"


def about(pack: Language, said: Said, options: Options) -> str:
    """What is said, by whom, and how often."""
    kinds = Counter(one.line.what for one in said.utterances)
    numbers = ", ".join(f"{kinds[what]} {what.value}" for what in What if kinds[what])
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
    moves = What.MOVE.value
    if found.curve:
        of = sum(
            counts[what.value]["of"]
            for what in (What.MOVE, What.ILLEGAL, What.TALK)
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


def told_counts(counts: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """What came of each kind of utterance, a line each."""

    def line(key: str, text: Callable[[Mapping[str, int]], str]) -> Iterator[str]:
        if key in counts:
            yield f"{key}, {counts[key]['of']}: {text(counts[key])}."

    moves = What.MOVE.value
    yield from line(moves, _moves)
    for also in (", piece lifted", ", move executed", ", to be repeated"):
        yield from line(moves + also, _moves)
    yield from line(moves + ", another piece lifted", _against)
    yield from line(moves + ", another to be repeated", _moves)
    yield from line(moves + ", heard freely", _moves)
    yield from line(What.ILLEGAL.value, _illegal)
    for also in (", piece lifted", ", move executed", ", to be repeated", ", heard freely"):
        yield from line(What.ILLEGAL.value + also, _illegal)
    for also in ("", ", opening word required", ", heard freely"):
        yield from line(What.TALK.value + also, _talk)
    yield from line(What.COMMAND.value, _commands)
    yield from line(What.OPENED.value, _commands)
    yield from line(What.OPENED.value + ", opening word required", _commands)
    yield from line(What.WORD.value, _words)


def _share(count: Mapping[str, int], *comes: Comes) -> str:
    number = _sum(count, *comes)
    return f"{number} ({100 * number / max(1, count['of']):.1f} %)"


def _sum(count: Mapping[str, int], *comes: Comes) -> int:
    return sum(count.get(each.value, 0) for each in comes)


def _moves(count: Mapping[str, int]) -> str:
    return (
        f"right first time {_share(count, Comes.RIGHT)}, right after one question at most "
        f"{_share(count, Comes.RIGHT, Comes.ASKED)}, asked in vain {_sum(count, Comes.IN_VAIN)}, "
        f"refused {_sum(count, Comes.REFUSED)}, told to be illegal "
        f"{_sum(count, Comes.ILLEGAL, Comes.OTHER_ILLEGAL)}, wrong accepted "
        f"{_sum(count, Comes.WRONG, Comes.COMMAND)}"
    )


def _against(count: Mapping[str, int]) -> str:
    return (
        f"the contradiction is asked about {_sum(count, Comes.ASKED, Comes.IN_VAIN)}, refused "
        f"{_sum(count, Comes.REFUSED)}, told to be illegal {_sum(count, Comes.ILLEGAL)}, taken as "
        f"said {_sum(count, Comes.RIGHT)}, wrong accepted "
        f"{_sum(count, Comes.WRONG, Comes.COMMAND)}"
    )


def _illegal(count: Mapping[str, int]) -> str:
    return (
        f"recognised as illegal {_share(count, Comes.RIGHT)}, as another illegal move "
        f"{_sum(count, Comes.OTHER_ILLEGAL)}, asked about or refused "
        f"{_sum(count, Comes.IN_VAIN, Comes.REFUSED, Comes.ASKED)}, obeyed as a command "
        f"{_sum(count, Comes.COMMAND)}, taken for a legal move {_sum(count, Comes.WRONG)}"
    )


def _talk(count: Mapping[str, int]) -> str:
    return (
        f"taken for a move {_sum(count, Comes.WRONG)}, for a command "
        f"{_sum(count, Comes.COMMAND)}, told to be illegal {_sum(count, Comes.ILLEGAL)}, asked "
        f"about {_sum(count, Comes.IN_VAIN)}, passed over or not understood "
        f"{_sum(count, Comes.REFUSED)}"
    )


def _commands(count: Mapping[str, int]) -> str:
    return (
        f"right {_share(count, Comes.RIGHT)}, after a question "
        f"{_share(count, Comes.RIGHT, Comes.ASKED)}, asked in vain "
        f"{_sum(count, Comes.IN_VAIN)}, refused {_sum(count, Comes.REFUSED)}, another command "
        f"{_sum(count, Comes.COMMAND)}, taken for a move "
        f"{_sum(count, Comes.WRONG, Comes.ILLEGAL)}"
    )


def _words(count: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in count.items() if name != "of")
