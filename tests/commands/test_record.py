"""What is kept of games: ``games``, ``score``, ``reconcile``, ``forget`` and ``verify``."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from blindplay import language
from blindplay.commands import record as command
from blindplay.commands.options import date_of
from blindplay.language import load, pack
from blindplay.laws import facts as f
from blindplay.record import Journal, signatures
from blindplay.record.tape import tape_folder
from tests.command_line import run
from tests.record.test_signatures import FACTS, KEY, sign, statement

PLAY = ("play", "--microphone", "none", "--silent", "--time-control", "-")


def test_games_lists_the_games_of_this_machine(tmp_path: Path) -> None:
    assert run("games", "--language", "en", home=tmp_path).stdout == "There is no game yet.\n"
    run(*PLAY, "--white", "Anna", stdin="start\ne4\n\nquit\n", home=tmp_path)
    listed = run("games", "--language", "en", home=tmp_path).stdout
    assert "Anna against Black, moves: 1, not finished." in listed
    assert "Anna gegen Schwarz, Züge: 1" in run("games", "--language", "de", home=tmp_path).stdout
    told = json.loads(run("games", "--json", home=tmp_path).stdout)
    assert (told["white"], told["moves"], told["result"]) == ("Anna", 1, "")


@pytest.mark.parametrize(
    ("language", "date"),
    [
        ("da", "3. november 2026"),
        ("de", "3. November 2026"),
        ("en", "3 November 2026"),
        ("nb", "3. november 2026"),
        ("sv", "3 november 2026"),
    ],
)
def test_dates_are_written_as_people_write_them(language: str, date: str) -> None:
    assert date_of("2026-11-03", load(language)) == date
    assert date_of("2026.??.??", load(language)) == "2026.??.??"
    assert date_of("", load(language)) == load(language).printed("games_undated")


def test_resume_without_a_name_continues_the_last_unfinished_game(tmp_path: Path) -> None:
    run(*PLAY, "--white", "Anna", stdin="start\ne4\n\nquit\n", home=tmp_path)
    again = run(
        "play", "--microphone", "none", "--silent", "--resume", stdin="quit\n", home=tmp_path
    )
    assert (again.status, again.stderr) == (0, "")
    assert "White: Anna." in again.stdout and "Eva vier" in again.stdout


def test_without_an_unfinished_game_nothing_is_continued(tmp_path: Path) -> None:
    done = run(*PLAY, "--resume", home=tmp_path)
    assert (done.status, done.stdout) == (2, "") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("count", [0, 3])
def test_old_games_are_counted_and_listed_when_wanted(
    tmp_path: Path, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_NEWEST", 1)
    for _ in range(count):
        run(*PLAY, stdin="start\nquit\n", home=tmp_path)
    short = run("games", "--language", "en", home=tmp_path).stdout.splitlines()
    whole = run("games", "--all", "--language", "en", home=tmp_path).stdout.splitlines()
    assert len(whole) == max(count, 1)
    assert ("Older games: 2; --all lists them." in short) is (count == 3)


# --- ``blindplay reconcile``, ``score`` and ``forget``


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
    monkeypatch.setattr(pack, "own_packs", lambda: tmp_path)
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


# --- ``blindplay verify``


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        journal.append(*FACTS)
    return path


def hall_file(folder: Path, key: str = KEY) -> str:
    file = folder / "hall.toml"
    file.write_text(f'event = "open"\n[keys]\n4 = "{signatures.public_key(key)}"\n', "utf-8")
    return str(file)


def test_a_journal_that_holds_ends_with_0(evidence: Path, tmp_path: Path) -> None:
    sign(evidence, statement(evidence))
    done = run("verify", str(evidence), "--hall", hall_file(tmp_path), "--json", home=tmp_path)
    assert (done.status, done.stderr) == (0, "")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["about"], row["holds"]) for row in rows] == [
        ("chain", True), ("rulings", True), ("signature", True),
    ]  # fmt: skip


def test_what_does_not_hold_ends_with_1(evidence: Path, tmp_path: Path) -> None:
    hall = hall_file(tmp_path)
    assert run("verify", str(evidence), home=tmp_path).status == 0
    done = run("verify", str(evidence), "--hall", hall, home=tmp_path)
    assert done.status == 1 and "1" in done.stdout.splitlines()[-1]
    sign(evidence, statement(evidence), signatures.new_key())
    assert run("verify", str(evidence), "--hall", hall, home=tmp_path).status == 1


def test_after_a_gap_verify_says_what_later_lines_hold_and_that_nothing_proves_it(
    tmp_path: Path,
) -> None:
    """No other command gives these moves: nobody knows what came between."""
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        journal.append(f.Setup(t=0), f.Start(t=1), f.Announce(t=2, by="white", text="e4"))
        journal.append(f.Make(t=3, by="white", move="e2e4"), f.Press(t=4, by="white"), f.Tick(t=5))
        journal.append(f.Announce(t=6, by="black", move="e7e5"), f.Resign(t=7, by="white"))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], b"spoilt\n", *lines[3:]]))
    done = run("verify", str(path), home=tmp_path)
    assert done.status == 1
    assert [line for line in done.stdout.splitlines() if "After" in line] == [
        "After the gap, not proved, line 5: White pressed the clock.",
        "After the gap, not proved, line 7: Black announced: e7–e5",
        "After the gap, not proved, line 8: White resigned.",
    ]
    for asked in (("score", str(path)), ("replay", "--journal", str(path))):
        given = run(*asked, home=tmp_path).stdout
        assert "e5" not in given and "0-1" not in given and "e7e5" not in given


def test_what_cannot_be_checked_ends_with_2(evidence: Path, tmp_path: Path) -> None:
    assert run("verify", str(tmp_path / "none.jsonl"), home=tmp_path).status == 2
    (tmp_path / "table.toml").write_text('event = "open"\n', "utf-8")
    done = run("verify", str(evidence), "--hall", str(tmp_path / "table.toml"), home=tmp_path)
    assert done.status == 2 and "table.toml" in done.stderr
