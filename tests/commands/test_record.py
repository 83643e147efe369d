"""``blindplay reconcile``, ``score`` and ``forget``."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from blindplay import language
from blindplay.commands import options
from blindplay.laws import facts as f
from blindplay.record import Journal
from blindplay.record.tape import tape_folder
from tests.command_line import run

pytestmark = pytest.mark.usefixtures("reads_english")


def test_reconcile_prints_lines_to_be_heard_or_one_object(tmp_path: Path) -> None:
    for side, knight in (("white", "Sf6"), ("black", "Nh6")):
        (tmp_path / side).write_text(f"1. e4 e5 2. {knight[0]}f3 {knight}", encoding="utf-8")
    sheets = ("--white", str(tmp_path / "white"), "--black", str(tmp_path / "black"))
    done = run("reconcile", *sheets, "--edition", "fide-1997", "--language", "en")
    assert done.status == 0 and done.stderr == ""
    assert done.stdout.splitlines()[:3] == [
        "The scoresheets no longer agree from move number two on. (fide-1997 F.8)",
        "White has written: Knight Gustav eight Felix six (Sf6). (fide-1997 F.8)",
        "Black has written: Knight Gustav eight Hector six (Nh6). (fide-1997 F.8)",
    ]
    told = json.loads(run("reconcile", *sheets, "--json").stdout)
    assert (told["stop"], told["ply"], told["boards"]) == ("parted", 4, {})


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    with Journal(path) as kept:
        kept.append(f.Setup(t=0, white=f.Player(name="Ada", impaired=True)), f.Start(t=1))
    return path


def test_a_record_is_printed_or_written(journal: Path, tmp_path: Path) -> None:
    printed = run("score", str(journal), "--header", "Site=Oslo", "--header", "Round=3")
    assert '[Site "Oslo"]' in printed.stdout and '[White "Ada"]' in printed.stdout
    output = tmp_path / "game.pgn"
    written = run("score", str(journal), "--output", str(output))
    assert written.stdout == f"{output}\n" and '[White "Ada"]' in output.read_text("utf-8")


def test_the_language_of_a_sheet_can_be_one_of_the_users_own(
    journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(options, "own_languages", lambda: tmp_path)
    text = files(language).joinpath("packs", "nb.toml").read_text("utf-8")
    (tmp_path / "nn.toml").write_text(text.replace('white = "Hvit"', 'white = "Kvit"'), "utf-8")
    done = run("score", str(journal), "--format", "html", "--language", "nn")
    assert done.status == 0 and "Kvit" in done.stdout


def test_forgetting_a_table_names_what_is_removed_and_keeps_the_game(journal: Path) -> None:
    tape = tape_folder(journal)
    tape.mkdir()
    (tape / "notes.txt").write_text("mine")
    phrases = journal.parent / "blindplay" / "phrases"
    phrases.mkdir(parents=True)
    (phrases / "0123.wav").write_bytes(b"Ada")
    done = run("forget", str(journal), home=journal.parent)
    assert done.stdout.splitlines() == [
        "There was no sound.",
        "Removed: the phrases that the voices have rendered.",
        f"Not removed, because it does not belong to the tape: {tape / 'notes.txt'}.",
        f"The game stays complete in {journal}; --all removes it, too.",
    ]
    assert journal.is_file()
    assert (
        f"Removed: {journal}." in run("forget", str(journal), "--all", home=journal.parent).stdout
    )
    assert not journal.exists()
