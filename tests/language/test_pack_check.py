"""A language pack is looked at as a whole: what is missing, and what would be misunderstood."""

from __future__ import annotations

import json
import random
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from blindplay import language
from blindplay.commands import language as commands
from blindplay.language import pack
from blindplay.language.pack_check import ALIKE, PackReport, check
from blindplay.speech.adaptation.sounds import sounds_of, unlikeness

CODES = ["da", "de", "en", "nb", "sv"]


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
    )


@cache
def ours(code: str) -> PackReport:
    return look(text_of(code), code)


def changed(*changes: tuple[str, str], sounds: bool = False) -> PackReport:
    """The Norwegian pack with these changes, each of a text that occurs there once."""
    text = text_of("nb")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return look(text, sounds=sounds)


def errors(report: PackReport, key: str) -> list[str]:
    return [one.text for one in report.errors if one.key == key]


@pytest.mark.parametrize("code", CODES)
def test_our_own_packs_can_be_used_and_their_words_can_be_heard(code: str) -> None:
    report = ours(code)
    assert report.usable and report.errors == []
    assert not [one for one in report.warnings if "cannot be heard" in one.text]


def test_german_two_and_three_are_told_to_be_mistaken_for_each_other() -> None:
    (one,) = [w for w in ours("de").warnings if w.key == "ranks.2"]
    assert "'zwei'" in one.text and "'drei' in ranks.3" in one.text


def test_norwegian_two_and_seven_are_told_with_how_much_they_differ_and_where() -> None:
    (one,) = [w for w in ours("nb").warnings if "'to'" in w.text and "'sju'" in w.text]
    assert one.key == "ranks.2" and "ranks.7" in one.text
    assert text_of("nb").splitlines()[(one.line or 0) - 1].startswith("2 = ")
    assert "1.1 apart" in one.text


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
        ('welcome = "Velkommen til bordet. Partiet kan begynne."\n', ""),
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
    assert table in pack.parse(text_of("nb").encode(), "nb.toml")
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
        ("Siste trekk i, {player}: {move}.", "letter alone"),
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
        ('also = ["syv"]', 'also = ["sjette"]', "listen.also", "no word for a move"),
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
    assert not [one for one in ours("nb").errors if "nei" in one.text]


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
        ('"fire" = "f i: r @"', '"fire" = "f ii r @"', True, "pronunciations.fire", "ii is no"),
        ('"fire" = "f i: r @"', '"fire" = "+2"', True, "pronunciations.fire", "no pronunciation"),
        ('"fire" = "f i: r @"', '"Fire" = "f i: r @"', True, "pronunciations.Fire", "small"),
        ('"fire" = "f i: r @"\n', "", True, "pronunciations", "'fire' is missing: moves"),
        ('"pause" = "p aU s @"\n', "", False, "pronunciations", "'pause' is missing: what"),
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


@settings(max_examples=30, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_told_about(data: bytes) -> None:
    assert not look(data, sounds=False).usable


@settings(max_examples=12, deadline=None)
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


# ------------------------------------------------------------------ the commands

CLI = CliRunner()


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "languages"
    monkeypatch.setattr(commands, "own_folder", lambda: folder)
    monkeypatch.setattr(pack, "_own", folder)
    return folder


def test_check_says_the_verdict_first_and_its_status_is_two_where_no_table_can_be_held(
    tmp_path: Path,
) -> None:
    file = tmp_path / "nb.toml"
    file.write_text(text_of("nb").replace('3 = ["tre"', '3 = ["to"'), "utf-8")
    told = CLI.invoke(commands.app, ["check", str(file)])
    assert told.exit_code == 2
    first, second, *_ = told.output.splitlines()
    assert first.startswith("nb.toml cannot be used yet: 1 error, ")
    line = next(
        n
        for n, text in enumerate(file.read_text("utf-8").splitlines(), 1)
        if text.startswith('3 = ["to"')
    )
    assert second == (
        f"Error, line {line}, ranks.3: 'to' is the same word in ranks.2: keep one of them."
    )
    known = CLI.invoke(commands.app, ["check", "en"])
    assert known.exit_code == 0
    assert known.output.startswith("packs/en.toml can be used: no errors")


def test_check_prints_json(tmp_path: Path) -> None:
    file = tmp_path / "xx.toml"
    file.write_bytes(b"\xff\xfe")
    told = CLI.invoke(commands.app, ["check", str(file), "--json"])
    assert told.exit_code == 2
    assert json.loads(told.output) == {
        "file": "xx.toml",
        "usable": False,
        "errors": [{"key": "", "line": None, "text": "xx.toml is no text in UTF-8: save it as "
                    "UTF-8."}],
        "warnings": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('name = "Føroyskt\nfiles = "x"\n', "line 1: the quotation mark at the end"),
        ('name = "a"\n\nname = "b"\n', "line 3: this name is there already"),
        ('[ranks]\n1 = ["en"]\n[ranks]\n', "line 3: this table is there already"),
        ('to = ["á" "at"]\n', "line 1: here or before it, a comma"),
        ("name = Føroyskt\n", "line 1: write the words in straight quotes"),
        ("hallo heimur\n", "line 1: write a name, an equals sign"),
    ],
)
def test_what_is_no_toml_is_told_as_to_somebody_who_writes_words(
    text: str, told: str, tmp_path: Path
) -> None:
    file = tmp_path / "fo.toml"
    file.write_text(text, "utf-8")
    said = CLI.invoke(commands.app, ["check", str(file)])
    assert said.exit_code == 2
    assert f"Error, Correct fo.toml, {told}" in said.output
    found = json.loads(CLI.invoke(commands.app, ["check", str(file), "--json"]).output)
    assert f"line {found['errors'][0]['line']}:" in told


def test_check_says_that_a_file_must_be_renamed_before_it_is_added(tmp_path: Path) -> None:
    file = tmp_path / "Norsk.txt"
    file.write_text(text_of("nb"), "utf-8")
    said = CLI.invoke(commands.app, ["check", str(file)])
    assert said.exit_code == 0
    assert "Warning, Norsk.txt must be named after the code of its language" in said.output


def test_a_pack_of_ones_own_is_added_used_and_removed(own: Path, tmp_path: Path) -> None:
    file = tmp_path / "nn.toml"
    file.write_text(
        text_of("nb").replace('"Norsk (bokmål)"', '"Norsk (nynorsk)"')
        .replace('queen = ["dronning"', 'queen = ["drottning"', 1)
        .replace('"dronning" = ', '"drottning" = "d r O t n I N"\n"dronning" = '),
        "utf-8",
    )  # fmt: skip
    added = CLI.invoke(commands.app, ["add", str(file)])
    assert added.exit_code == 0, added.output
    assert language.languages() == ["da", "de", "en", "nb", "nn", "sv"]
    assert pack.Pack.read("nn").words("pieces", "queen")[0] == "drottning"
    listed = CLI.invoke(commands.app, ["list", "--json"]).output.splitlines()
    assert "Norsk (nynorsk)" in [json.loads(line)["name"] for line in listed]
    removed = CLI.invoke(commands.app, ["remove", "nn"])
    assert removed.exit_code == 0
    assert language.languages() == CODES


def test_a_pack_that_is_broken_is_not_added_and_breaks_nothing_where_it_lies(
    own: Path, tmp_path: Path
) -> None:
    file = tmp_path / "fo.toml"
    file.write_text('name = "Føroyskt"', "utf-8")
    assert CLI.invoke(commands.app, ["add", str(file)]).exit_code == 2
    assert language.languages() == CODES
    own.mkdir(exist_ok=True)
    (own / "fo.toml").write_text("name = ", "utf-8")
    listed = CLI.invoke(commands.app, ["list"]).output.splitlines()
    assert len(listed) == 6
    assert any(line.startswith("fo: cannot be used. Correct ") for line in listed)


def test_what_an_old_pack_of_ones_own_lacks_is_said_in_the_words_of_the_built_in_one(
    own: Path,
) -> None:
    own.mkdir()
    for code, built_in in (("nb", "nb"), ("nn", "en")):
        text = text_of("nb").replace('black = "Svart"', 'black = "Sort"')
        lines = [line for line in text.splitlines() if not line.startswith("welcome =")]
        (own / f"{code}.toml").write_text("\n".join(lines), "utf-8")
        words = language.Language(pack.Pack.read(code))
        assert words.sentence("black") == "Sort"
        assert f'"{words.sentence("welcome")}"' in text_of(built_in)


@pytest.mark.parametrize(
    "arguments",
    [["check", "no-such-file.toml"], ["add", "my pack.toml"], ["remove", "de"], ["remove", "../x"]],
)
def test_what_cannot_be_done_is_one_sentence(own: Path, arguments: list[str]) -> None:
    told = CLI.invoke(commands.app, arguments)
    assert isinstance(told.exception, ValueError) and not isinstance(told.exception, typer.Exit)
    assert str(told.exception).endswith(".") and "\n" not in str(told.exception)
