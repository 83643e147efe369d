"""``blindplay hall papers``, ``hall archive`` and ``verify`` of an archive, as an organiser uses
them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.command_line import Ran, run
from tests.hall.day import FIRST, SEALED, Day

PAIRED = replace(FIRST, games=(FIRST.games[0], FIRST.games[2]))
"""Table 1 has played, table 3 has adjourned."""


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Day:
    day = Day(tmp_path_factory.mktemp("day"))
    day.pair(PAIRED)
    day.game("1")
    day.game("3", SEALED)
    day.report(("1", "0"), ("", ""), paired=PAIRED)
    return day


def call(day: Day, *arguments: str, reader: str = "en") -> Ran:
    return run("hall", *arguments, "--hall", str(day.file), home=day.folder.parent, reader=reader)


def test_all_papers_are_written_in_all_forms_but_sound(day: Day, tmp_path: Path) -> None:
    report = str(day.folder.parent / "open.trf")
    done = call(day, "papers", report, "--output", str(tmp_path / "papers"), reader="de")
    assert (done.status, done.stderr) == (0, "")
    written = sorted(Path(line).name for line in done.stdout.splitlines())
    kinds = "cards", "pairings", "players", "report", "results", "slips", "standings"
    expected = {
        f"{kind}{end}" for kind in kinds for end in (".html", "-large.html", ".brf", ".txt")
    }
    assert set(written) == expected - {"slips.txt"}
    assert written == sorted(one.name for one in (tmp_path / "papers").iterdir())
    report_text = (tmp_path / "papers" / "report.txt").read_text("utf-8")
    assert "Nordic Open: Bericht über Runde 1" in report_text
    assert "Tisch 1: Łukasz Núñez" in report_text and "Weiß gewinnt" in report_text
    assert (tmp_path / "papers" / "report.brf").read_bytes().isascii()


def test_one_paper_in_one_form_and_size(day: Day, tmp_path: Path) -> None:
    chosen = ("--paper", "cards", "--form", "large", "--points", "32", "--language", "sv")
    done = call(day, "papers", *chosen, "--output", str(tmp_path))
    assert done.status == 0 and [one.name for one in tmp_path.iterdir()] == ["cards-large.html"]
    text = (tmp_path / "cards-large.html").read_text("utf-8")
    assert 'lang="sv"' in text and "font: 32pt" in text and "Bord 1" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--paper", "standings"), "name a report file (TRF) with ranks"),
        (("--paper", "menu"), "choose pairings, players, cards,"),
        (("--form", "smoke"), "choose print, large, braille, text or sound"),
        (("--points", "50"), "50"),
        (("--round", "7"), "not paired yet"),
        (("--cells", "5"), "at least 10 cells"),
        (("--language", "xx"), "xx"),
        (("nowhere.trf",), "nowhere.trf"),
    ],
)
def test_what_cannot_be_written_is_said_in_one_sentence(
    day: Day, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = call(day, "papers", *arguments, "--output", str(tmp_path / "papers"))
    assert done.status == 2 and message in done.stderr and len(done.stderr.splitlines()) == 1


def test_an_archive_is_written_and_verified_in_the_language_of_whoever_reads(
    day: Day, tmp_path: Path
) -> None:
    report, path = str(day.folder.parent / "open.trf"), str(tmp_path / "open.zip")
    done = call(day, "archive", report, "--output", path, "--with-sealed")
    assert (done.status, done.stderr) == (0, "")
    assert "Games in it: 2." in done.stdout and f"verify {path}" in done.stdout
    checked = run("verify", path, home=tmp_path, reader="nb")
    assert checked.status == 0 and "Runde 1, bord 3: Anna Berg – Bert Dahl:" in checked.stdout
    digests = [line.split()[-1].rstrip(".") for line in done.stdout.splitlines()[-2:]]
    assert all(digest in checked.stdout for digest in digests)
    trusted = run("verify", path, "--hall", str(day.file), "--json", home=tmp_path)
    rows = [json.loads(line) for line in trusted.stdout.splitlines()]
    assert trusted.status == 0 and {row["about"] for row in rows} == {
        "archive", "file", "game", "report",
    }  # fmt: skip
    again = call(day, "archive", "--output", path)
    assert again.status == 2 and "exists already" in again.stderr


def test_what_does_not_hold_is_said_when_an_archive_is_written_and_when_it_is_verified(
    day: Day, tmp_path: Path
) -> None:
    day.report(("0", "1"), ("", ""), paired=PAIRED)
    report, path = str(day.folder.parent / "open.trf"), str(tmp_path / "open.zip")
    done = call(day, "archive", report, "--output", path, "--with-sealed")
    assert (
        done.status == 1 and "the file says 0-1, and the game at table 1 ended 1-0" in done.stdout
    )
    checked = run("verify", path, home=tmp_path)
    assert checked.status == 1 and checked.stdout.endswith("What does not hold: 1.\n")


def test_letters_that_were_guessed_are_told_by_papers_and_archive(day: Day, tmp_path: Path) -> None:
    """Windows-1252, as older pairing programs write it; it has no Ł."""
    report = tmp_path / "old.trf"
    whole = (day.folder.parent / "open.trf").read_text("utf-8")
    report.write_bytes(whole.replace("Ł", "L").encode("cp1252"))
    papers = call(day, "papers", str(report), "--output", str(tmp_path / "papers"))
    path = str(tmp_path / "old.zip")
    archived = call(day, "archive", str(report), "--output", path, "--with-sealed")
    for done in (papers, archived):
        assert "old.trf is not in UTF-8; its letters were read as Windows-1252" in done.stderr
    refused = call(day, "archive", str(report), "--output", str(tmp_path / "other.zip"))
    assert refused.status == 2 and "Their tables: 3." in refused.stderr


def test_another_zip_file_is_no_archive(tmp_path: Path) -> None:
    (tmp_path / "other.zip").write_bytes(b"PK\x03\x04" + b"x" * 100)
    done = run("verify", str(tmp_path / "other.zip"), home=tmp_path)
    assert done.status == 2 and "is not the archive of an event" in done.stderr
