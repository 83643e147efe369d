"""``blindplay language``."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from blindplay import language
from blindplay.language import pack
from tests.command_line import run

CODES = ["da", "de", "en", "nb", "sv"]


def text_of(code: str) -> str:
    return files(language).joinpath("packs", f"{code}.toml").read_text("utf-8")


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the user's own languages, with none in it."""
    folder = tmp_path / "languages"
    monkeypatch.setattr(pack, "own_packs", lambda: folder)
    return folder


def test_check_prints_the_verdict_first_and_ends_with_status_2_for_an_unusable_pack(
    tmp_path: Path,
) -> None:
    file = tmp_path / "nb.toml"
    file.write_text(text_of("nb").replace('3 = ["tre"', '3 = ["to"'), "utf-8")
    checked = run("language", "check", str(file))
    assert checked.status == 2
    first, second, *_ = checked.stdout.splitlines()
    assert first.startswith("nb.toml cannot be used yet. Errors: 1; ")
    line = next(
        n
        for n, text in enumerate(file.read_text("utf-8").splitlines(), 1)
        if text.startswith('3 = ["to"')
    )
    assert second == (
        f"Error, line {line}, ranks.3: 'to' is the same word in ranks.2: keep one of them."
    )
    known = run("language", "check", "en")
    assert known.status == 0
    assert known.stdout.startswith("packs/en.toml can be used. Errors: 0")


def test_check_prints_json(tmp_path: Path) -> None:
    file = tmp_path / "xx.toml"
    file.write_bytes(b"\xff\xfe")
    checked = run("language", "check", str(file), "--json")
    assert checked.status == 2
    assert json.loads(checked.stdout) == {
        "file": "xx.toml",
        "usable": False,
        "errors": [{"key": "", "line": None, "text": "xx.toml is not a text in UTF-8; save "
                    "it as UTF-8."}],
        "warnings": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "explained"),
    [
        ('name = "Føroyskt\nfiles = "x"\n', "line 1: the quotation mark at the end"),
        ('name = "a"\n\nname = "b"\n', "line 3: this name is there already"),
        ('[ranks]\n1 = ["en"]\n[ranks]\n', "line 3: this table is there already"),
        ('to = ["á" "at"]\n', "line 1: here or before it, a comma"),
        ("name = Føroyskt\n", "line 1: write the words in straight quotes"),
        ("hallo heimur\n", "line 1: write a name, an equals sign"),
    ],
)
def test_an_error_in_toml_is_explained_in_plain_words(
    text: str, explained: str, tmp_path: Path
) -> None:
    file = tmp_path / "fo.toml"
    file.write_text(text, "utf-8")
    checked = run("language", "check", str(file))
    assert checked.status == 2
    assert f"Error, Correct fo.toml, {explained}" in checked.stdout
    found = json.loads(run("language", "check", str(file), "--json").stdout)
    assert f"line {found['errors'][0]['line']}:" in explained


def test_check_warns_of_a_file_name_that_cannot_be_added(tmp_path: Path) -> None:
    file = tmp_path / "Norsk.txt"
    file.write_text(text_of("nb"), "utf-8")
    checked = run("language", "check", str(file))
    assert checked.status == 0
    assert "Warning, Norsk.txt must be named after the code of its language" in checked.stdout


def test_an_own_pack_is_added_used_and_removed(own: Path, tmp_path: Path) -> None:
    file = tmp_path / "nn.toml"
    file.write_text(
        text_of("nb").replace('"Norsk (bokmål)"', '"Norsk (nynorsk)"')
        .replace('queen = ["dronning"', 'queen = ["drottning"', 1)
        .replace('"dronning" = ', '"drottning" = "d r O t n I N"\n"dronning" = '),
        "utf-8",
    )  # fmt: skip
    added = run("language", "add", str(file))
    assert added.status == 0, added.stderr
    assert language.languages() == ["da", "de", "en", "nb", "nn", "sv"]
    assert pack.Pack.read("nn").words("pieces", "queen")[0] == "drottning"
    listed = run("language", "list", "--json").stdout.splitlines()
    assert "Norsk (nynorsk)" in [json.loads(line)["name"] for line in listed]
    removed = run("language", "remove", "nn")
    assert removed.status == 0
    assert language.languages() == CODES


def test_a_broken_pack_is_not_added_and_does_not_disturb_the_others(
    own: Path, tmp_path: Path
) -> None:
    file = tmp_path / "fo.toml"
    file.write_text('name = "Føroyskt"', "utf-8")
    assert run("language", "add", str(file)).status == 2
    assert language.languages() == CODES
    own.mkdir(exist_ok=True)
    (own / "fo.toml").write_text("name = ", "utf-8")
    listed = run("language", "list").stdout.splitlines()
    assert len(listed) == 6
    assert any(line.startswith("fo: cannot be used. Correct ") for line in listed)


@pytest.mark.parametrize(
    "arguments",
    [["check", "no-such-file.toml"], ["add", "my pack.toml"], ["remove", "de"], ["remove", "../x"]],
)
def test_an_impossible_request_is_one_sentence(own: Path, arguments: list[str]) -> None:
    checked = run("language", *arguments)
    assert (checked.status, checked.stdout, checked.stderr.count("\n")) == (2, "", 1)
    assert checked.stderr.endswith(".\n")
