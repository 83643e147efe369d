"""A drill at the keyboard, and its scores over days."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import platformdirs
import pytest

from blindplay.table import drilling
from blindplay.wording.drills import DrillKind, exercise
from tests.command_line import run
from tests.conversation.conversing import GERMAN

SEED = 3


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platformdirs, "user_data_path", lambda *_, **__: tmp_path)


def drilled(count: int, *keys: str, kind: DrillKind = DrillKind.COLOUR) -> list[str]:
    out = io.StringIO()
    drilling.drill([kind], count, GERMAN, True, iter(keys), out, seed=SEED)
    return out.getvalue().splitlines()


def colours(count: int) -> list[tuple[str, str]]:
    chance = random.Random(SEED)
    made = [exercise(DrillKind.COLOUR, GERMAN, chance) for _ in range(count)]
    return [(one.question, one.answer) for one in made]


def test_each_answer_is_judged_and_a_wrong_one_corrected() -> None:
    (first, right), (second, other) = colours(2)
    wrong = "weiß" if other == "Schwarz" else "schwarz"
    said = drilled(2, right, wrong)
    assert said[1:6] == [
        first, GERMAN.sentence("drill_right"),
        second, GERMAN.sentence("drill_wrong", answer=other),
        GERMAN.sentence("drill_score", right="eins", count="zwei"),
    ]  # fmt: skip
    assert said[6] == GERMAN.sentence("drill_name_colour")
    assert said[7].endswith("eins von zwei.")


def test_enter_repeats_and_ending_keeps_what_was_done() -> None:
    (first, right), (second, _) = colours(2)
    said = drilled(9, "", "wiederholen", right, "beenden")
    assert said.count(first) == 3 and said.count(second) == 1
    (kept,) = map(json.loads, drilling.scores_file().read_text("utf-8").splitlines())
    assert (kept["drill"], kept["right"], kept["of"]) == ("colour", 1, 1)


def test_help_says_the_keys_and_asks_again_and_is_no_answer() -> None:
    (first, right), _ = colours(2)
    said = drilled(1, "hilfe", "help", right)
    assert said.count(said[0]) == said.count(first) == 3
    assert GERMAN.sentence("drill_score", right="eins", count="eins") in said


def test_leaving_a_question_out_tells_the_answer_and_is_not_right() -> None:
    (_, answer), _ = colours(2)
    said = drilled(1, "weiter")
    assert GERMAN.sentence("drill_wrong", answer=answer) in said
    assert GERMAN.sentence("drill_score", right="null", count="eins") in said


def test_days_are_summed_and_the_last_ones_told() -> None:
    days = [(f"2026-11-{day:02}", "knight", day - 10, 10) for day in range(11, 20)]
    lines = [*days, ("2026-11-19", "knight", 1, 5), ("2026-11-19", "times", 2, 2)]
    text = "".join(
        json.dumps({"date": date, "drill": kind, "right": right, "of": of}) + "\n"
        for date, kind, right, of in lines
    )
    drilling.scores_file().write_text(f'{text}{{"date": "2026\n[]\n5\n', "utf-8")
    told = list(drilling.scores_in_words(GERMAN, [DrillKind.KNIGHT, DrillKind.MOVES]))
    assert told[0] == GERMAN.sentence("drill_name_knight") and len(told) == 1 + drilling.DAYS
    assert told[-1].startswith("neunzehnter November") and told[-1].endswith("zehn von fünfzehn.")


def test_the_command_asks_all_kinds_in_turn_and_tells_the_scores() -> None:
    none = run("drill", "--scores", "--silent", "--language", "de")
    assert none.stdout.splitlines() == [GERMAN.sentence("drill_nothing")]
    done = run("drill", "--silent", "--language", "de", "--count", "5", stdin="x\n" * 5)
    assert done.status == 0 and done.stdout.count("Nein: ") == 5
    told = run("drill", "knight", "--scores", "--silent", "--language", "de").stdout.splitlines()
    assert told[0] == GERMAN.sentence("drill_name_knight") and told[1].endswith("null von eins.")
