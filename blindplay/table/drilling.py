"""Asks a person exercises by ear and keyboard, and keeps how many were right on which day."""

import contextlib
import datetime
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

from blindplay.language import Key, Language, key_of
from blindplay.own_files import data_folder
from blindplay.wording.drills import DrillKind, Exercise, exercise
from blindplay.wording.values import number_in_words

from .attendant import Prompter

DAYS = 5
"""Number of the last days whose scores are said."""

DayScores = dict[datetime.date, tuple[int, int]]
"""The right answers and all exercises of each day."""


def scores_file() -> Path:
    """Return the file of the scores: JSON Lines, one for each kind of exercise of a drill."""
    return data_folder() / "drills.jsonl"


def scores(kind: DrillKind) -> DayScores:
    """Return the scores of a kind of exercise, the first day first. Damaged lines are left out."""
    try:
        lines = scores_file().read_text("utf-8", "replace").splitlines()
    except OSError:
        return {}
    found: DayScores = {}
    for line in lines:
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
            entry = json.loads(line)
            if entry["drill"] == kind.value:
                day = datetime.date.fromisoformat(entry["date"])
                right, of = found.get(day, (0, 0))
                found[day] = right + int(entry["right"]), of + int(entry["of"])
    return dict(sorted(found.items()))


def scores_in_words(pack: Language, kinds: Iterable[DrillKind]) -> Iterator[str]:
    """Yield a sentence for each of the last days on which there were exercises of these kinds."""
    none = True
    for kind in kinds:
        last = list(scores(kind).items())[-DAYS:]
        if last:
            none = False
            yield pack.sentence(f"drill_name_{kind.value}")
        for day, (right, of) in last:
            values = {
                "right": number_in_words(str(right), pack),
                "count": number_in_words(str(of), pack),
            }
            yield pack.sentence("drill_day", date=pack.date(day), **values)
    if none:
        yield pack.sentence("drill_nothing")


def drill(
    kinds: Sequence[DrillKind],
    count: int,
    pack: Language,
    silent: bool,
    keys: Iterable[str],
    out: TextIO,
    *,
    seed: int | None = None,
) -> None:
    """Ask ``count`` exercises of these kinds, and tell and keep the score. ``keys`` are typed
    lines; an empty one repeats the question. The drill ends with them.

    :raises OSError: the score cannot be kept
    """
    chance = random.Random(seed)
    asked: Counter[DrillKind] = Counter()
    right: Counter[DrillKind] = Counter()
    with ExitStack() as stack:
        voice = Prompter(stack, pack, silent, out)
        begin = pack.sentence("drill_begin", count=pack.number(count), **voice.keys)
        voice.say(begin)
        lines = voice.heed(keys)
        try:
            for number in range(count):
                kind = kinds[number % len(kinds)]
                answered = _answered(voice, exercise(kind, pack, chance), lines, begin)
                if answered is None:
                    break
                asked[kind] += 1
                right[kind] += answered
        finally:  # after Ctrl-C, too
            _keep(asked, right)
        count = asked.total()
        values = {"right": pack.number(right.total()), "count": pack.number(count)}
        voice.prompt("drill_score", **values)
        if count:
            for sentence in scores_in_words(pack, asked):
                voice.say(sentence)


def _answered(voice: Prompter, one: Exercise, lines: Iterator[str], keys: str) -> bool | None:
    """Ask, and say whether the answer is right. Return None if the person ends. ``keys`` is the
    sentence about what can be typed."""
    voice.say(one.question)
    for line in lines:
        key = key_of(voice.pack, line)
        if key is Key.END:
            return None
        if key is Key.HELP:
            voice.say(keys)
        if not line or key in (Key.REPEAT, Key.HELP):
            voice.say(one.question)
            continue
        if one.right(line):  # before Key.SKIP, whose letter may be an answer
            voice.prompt("drill_right")
            return True
        voice.prompt("drill_wrong", answer=one.answer)
        return False
    return None


def _keep(asked: Counter[DrillKind], right: Counter[DrillKind]) -> None:
    file, today = scores_file(), datetime.date.today().isoformat()
    entries = [
        {"date": today, "drill": kind.value, "right": right[kind], "of": of}
        for kind, of in asked.items()
    ]
    if entries:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as kept:
            kept.writelines(json.dumps(one) + "\n" for one in entries)
