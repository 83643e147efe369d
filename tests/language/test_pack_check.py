"""A language pack is looked at as a whole: what is missing, and what would be misunderstood."""

from __future__ import annotations

import random
from functools import cache, partial
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay import language
from blindplay.language import pack
from blindplay.language.pack_check import ALIKE, PackReport, check
from blindplay.speech.adaptation.sounds import sounds_of, unlikeness
from blindplay.speech.synthesis import is_words
from tests.sampling import examples


@cache
def text_of(code: str) -> str:
    return files(language).joinpath("packs", f"{code}.toml").read_text("utf-8")


def look(text: str | bytes, code: str = "nb", *, sounds: bool = True) -> PackReport:
    """The report on a pack; without ``sounds`` nothing sounds like anything else, in less time."""
    data = text.encode() if isinstance(text, str) else text
    return check(
        data,
        f"{code}.toml",
        code,
        likeness=unlikeness if sounds else lambda one, other, most: most,
        is_sound=lambda sound: bool(sounds_of(sound)),
        is_words=partial(is_words, language=code),
    )


def changed(*changes: tuple[str, str], sounds: bool = False) -> PackReport:
    """The Norwegian pack with these changes, each of a text that occurs there once."""
    text = text_of("nb")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return look(text, sounds=sounds)


def errors(report: PackReport, key: str) -> list[str]:
    return [one.text for one in report.errors if one.key == key]


@pytest.mark.parametrize(
    ("code", "mistaken"),
    [
        ("da", ()),
        ("de", ("'zwei'", "'drei' in ranks.3")),
        ("en", ()),
        ("nb", ("'to'", "'sju'", "ranks.7", "1.1 apart")),
        ("sv", ()),
    ],
)
def test_our_own_packs_can_be_used_and_their_words_can_be_heard(
    code: str, mistaken: tuple[str, ...]
) -> None:
    """A warning names words that sound alike, how much they differ, and their line."""
    text = text_of(code)
    report = look(text, code)
    assert report.usable and report.errors == []
    assert not [one for one in report.warnings if "cannot be heard" in one.text]
    if mistaken:
        told = [one for one in report.warnings if one.key == "ranks.2"]
        (one,) = [one for one in told if all(words in one.text for words in mistaken)]
        assert text.splitlines()[(one.line or 0) - 1].startswith("2 = ")


def test_words_are_unlike_as_people_mistake_them() -> None:
    def apart(one: str, other: str) -> float:
        return unlikeness(one.split(), other.split())

    assert apart("a n a", "a n a") == 0
    assert apart("ts v aI", "d r aI") == apart("d r aI", "ts v aI") < ALIKE  # zwei, drei
    assert apart("ts v aI", "z E k s") > ALIKE  # zwei, sechs
    assert apart("t u:", "S u-") < apart("ts v aI", "d r aI")
    assert unlikeness(["a"], ["b", "a", "d"], 1.5) == 1.5


def test_what_is_missing_is_named_with_its_english() -> None:
    report = changed(
        ('welcome = "Velkommen til bordet."\n', ""),
        ('3 = ["tre", "drei"]\n', ""),
    )
    assert not report.usable
    (missing,) = errors(report, "sentences.welcome")
    assert missing.startswith('This is missing; in English it is "Welcome to the table.')
    assert (
        'such as ["three"' in errors(report, "ranks.3")[0]
        or "three" in errors(report, "ranks.3")[0]
    )


@pytest.mark.parametrize("table", ["ranks", "commands", "sentences", "spoken"])
@pytest.mark.parametrize("instead", ["3", "[1, 2]", "{}"])
def test_a_table_that_is_something_else_is_told(table: str, instead: str) -> None:
    assert table in pack.parse_pack(text_of("nb").encode(), "nb.toml")
    kept = text_of("nb").replace(f"[{table}]\n", f"[{table}_not]\n")
    report = look(f"{table} = {instead}\n{kept}", sounds=False)
    assert report.usable is (table == "spoken" and instead == "{}")


def test_a_misspelled_name_is_told_with_the_one_that_was_meant() -> None:
    report = changed(("to_move = ", "to_mvoe = "))
    assert errors(report, "sentences.to_move")
    (warning,) = [w for w in report.warnings if w.key == "sentences.to_mvoe"]
    assert warning.text == "Nothing is known by this name; did you mean to_move?"


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("Siste trekk: {move}.", "This lacks {player}."),
        ("Siste trekk, {player}: {move}, {score}.", "This has {score}"),
        ("Siste trekk, {player}: {move", "brace"),
        ("Siste trekk, {player}: {move.__class__}.", "brace"),
        ("Siste trekk, {player}: {move!r}.", "brace"),
        ("Siste trekk, {player}: {move:>9999999999}.", "brace"),
        ("Siste trekk, {player}: {} {move}.", "brace"),
        ("Siste trekk 1, {player}: {move}.", "digit"),
        ("Siste trekk e, {player}: {move}.", "letter alone"),
        ("Siste trekk, {player}: {move}. ", "spaces"),
    ],
)
def test_a_sentence_needs_its_values_and_words(sentence: str, told: str) -> None:
    report = changed(('"Siste trekk, {player}: {move}."', f'"{sentence}"'))
    (error,) = errors(report, "sentences.last_move")
    assert told in error


@pytest.mark.parametrize(
    ("old", "new", "key", "told"),
    [
        ('5 = ["fem"', '5 = ["fire", "fem"', "ranks.5", "'fire' is the same word in ranks.4"),
        ('5 = ["fem"', '5 = ["Fíre", "fem"', "ranks.5", "the same letters as 'fire' in ranks.4"),
        ('to = ["til"', 'to = ["anna", "til"', "move.to", "in files.a"),
        ('louder = ["høyere"]', 'louder = ["lavere"]', "commands.softer", "commands.louder"),
        ('louder = ["høyere"]', 'louder = ["tårn"]', "commands.louder", "pieces.rook"),
        ('opening = ["Brett"', 'opening = ["Hjelp"', "listen.opening", "commands.help"),
        ('also = ["syv"]', 'also = ["sjette"]', "listen.also", "not a word for a move"),
        ('captures = ["slår", "tar", ""]', 'captures = ["tek"]', "listen.captures", "'tek'"),
        ('bishop = "L"', 'bishop = "K"', "notation", "capital letter of its own"),
        ('bishop = "L"', 'bishop = "]"', "notation", "capital letter of its own"),
        ('rank = ["rad {rank}"', 'rank = ["rad"', "commands.rank", "'rad' must have {rank}"),
        ("ti elleve tolv", "ti tolv", "", "needs 100, 9 and 9 words"),
        ("ti elleve tolv", "ti ti tolv", "numbers", "11 is 'ti'"),
    ],
)
def test_what_is_ambiguous_by_letters_is_told(old: str, new: str, key: str, told: str) -> None:
    report = changed((old, new))
    assert not report.usable
    assert any(told in text for text in errors(report, key)), report.errors


def test_a_correction_may_also_be_a_command_and_is() -> None:
    # "nei" answers a question, and takes back what was announced (D.2.8).
    assert "nei" in pack.Pack.read("nb").words("move", "correction")
    assert "nei" in pack.Pack.read("nb").words("commands", "no")


def test_every_fault_is_found_in_one_go_and_half_a_pack_is_looked_at_in_its_other_half() -> None:
    text = (
        text_of("nb")
        .split(
            "# ---------------------------------------------------------------- what is printed"
        )[0]
        .replace('5 = ["fem"', '5 = ["fire", "fem"')
    )
    report = look(text)
    assert errors(report, "sentences") and errors(report, "printed") and errors(report, "ranks.5")
    assert any("'sju'" in one.text for one in report.warnings)


@pytest.mark.parametrize(
    ("old", "new", "severe", "key", "told"),
    [
        # The sounds of the rank three: nobody could tell it from it.
        ('"fire" = "f i: r @"', '"fire" = "t r e:"', True, "ranks.3", "'fire' in ranks.4 (0.0"),
        ('"fire" = "f i: r @"', '"fire" = "f ii r @"', True, "pronunciations.fire", "ii is not"),
        (
            '"fire" = "f i: r @"',
            '"fire" = "+2"',
            True,
            "pronunciations.fire",
            "not a pronunciation",
        ),
        ('"fire" = "f i: r @"', '"Fire" = "f i: r @"', True, "pronunciations.Fire", "small"),
        ('"fire" = "f i: r @"\n', "", True, "pronunciations", "'fire' is missing: moves"),
        ('"pause" = "p aU s @"\n', "", False, "pronunciations", "'pause' is missing: phrases"),
    ],
)
def test_pronunciations_are_looked_at(
    old: str, new: str, severe: bool, key: str, told: str
) -> None:
    report = changed((old, new), sounds="0.0" in told)
    assert report.usable is not severe
    found = report.errors if severe else report.warnings
    assert any(one.key == key and told in one.text for one in found), found


def test_a_filler_that_is_a_word_of_the_table_or_sounds_like_one_is_told() -> None:
    text = text_of("nb").replace("[fillers]\n", '[fillers]\n"anna" = "a n"\n"fyre" = "f i: r @"\n')
    if "[fillers]" not in text:
        text += '\n[fillers]\n"anna" = "a n"\n"fyre" = "f i: r @"\n'
    report = look(text)
    assert errors(report, "fillers.anna") == ["This is a word of the table, too: keep one of them."]
    (warning,) = [one for one in report.warnings if one.key == "fillers.fyre"]
    assert "the same as 'fire' in ranks.4" in warning.text


@examples(30)
@given(st.binary(max_size=200))
def test_any_bytes_are_told_about(data: bytes) -> None:
    assert not look(data, sounds=False).usable


@examples(12)
@given(st.randoms(use_true_random=False), st.integers(1, 30))
def test_a_pack_with_lines_lost_doubled_and_exchanged_never_breaks_the_check(
    rng: random.Random, times: int
) -> None:
    lines = text_of("nb").splitlines()
    values = ["3", "[]", '""', "[[]]", '{a = "b"}', "true", '["x", 1]', '"{"', "1979-05-27"]
    for _ in range(times):
        at = rng.randrange(len(lines))
        what = rng.randrange(4)
        if what == 0:
            del lines[at]
        elif what == 1 and "=" in lines[at]:
            lines[at] = lines[at].partition("=")[0] + "= " + rng.choice(values)
        elif what == 2 and not lines[at].startswith("["):
            lines[at] = lines[at].replace('"', "", rng.randrange(2))
        else:
            other = rng.randrange(len(lines))
            if "[" not in lines[at][:1] + lines[other][:1]:
                lines[at], lines[other] = lines[other], lines[at]
    report = look("\n".join(lines), sounds=False)
    assert all(str(one) for one in (*report.errors, *report.warnings))


def test_what_an_old_pack_of_ones_own_lacks_is_said_in_the_words_of_the_built_in_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path
    monkeypatch.setattr(pack, "own_packs", lambda: own)
    for code, built_in in (("nb", "nb"), ("nn", "en")):
        text = text_of("nb").replace('black = "Svart"', 'black = "Sort"')
        lines = [line for line in text.splitlines() if not line.startswith("welcome =")]
        (own / f"{code}.toml").write_text("\n".join(lines), "utf-8")
        words = language.Language(pack.Pack.read(code))
        assert words.sentence("black") == "Sort"
        assert f'"{words.sentence("welcome")}"' in text_of(built_in)
