"""``blindplay hall init``: from options, or from answers on the keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.hall.event_file import read_event_file
from tests.command_line import run

ALL = ("--title", "Open Übung 2026", "--rounds", "7", "--edition", "fide-2023", "--time-control",
       "15m+10s", "--tables", "2", "--languages", "en, de", "--host", "192.0.2.7")  # fmt: skip


def test_everything_can_be_given_as_options(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    done = run("hall", "init", *ALL, "--folder", str(folder), home=tmp_path)
    assert (done.status, done.stderr) == (0, "")
    assert f"hall broker {folder / 'hall.toml'}" in done.stdout
    hall = read_event_file(folder / "hall.toml", table=False)
    assert (hall.event, hall.title, hall.rounds) == ("open-ubung-2026", "Open Übung 2026", 7)
    assert hall.languages == ("en", "de") and set(hall.keys) == {"1", "2"}
    table = read_event_file(folder / "table-2.toml", table=True)
    assert (table.table, table.broker.host, table.broker.account) == ("2", "192.0.2.7", "table-2")
    assert table.play == {"event": "Open Übung 2026", "edition": "fide-2023",
                          "time-control": "900+10", "language": "en"}  # fmt: skip


def test_what_is_missing_is_asked_one_after_the_other(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    answers = "Open\n0\nmany\n\n\n60m\n1\n\n127.0.0.1\n"
    done = run("hall", "init", "--folder", str(folder), stdin=answers, home=tmp_path)
    assert (done.status, done.stderr) == (0, "")
    hall = read_event_file(folder / "hall.toml", table=False)
    assert (hall.rounds, hall.play["edition"], hall.play["time-control"]) == (
        9,
        "fide-2023",
        "3600",
    )
    assert hall.languages == ("en",)  # that of the user
    assert done.stdout.splitlines()[0].endswith("?")
    assert "Write a number from 1 to 99." in done.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--rounds", "0"), "--rounds: "),
        (("--tables", "1001"), "--tables: "),
        (("--languages", "xx"), "--languages: "),
        (("--host", "a b"), "--host: "),
        (("--edition", "1997"), "--edition: "),
    ],
)
def test_a_wrong_option_is_refused_by_its_name(
    tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    folder = tmp_path / "open"
    done = run("hall", "init", *ALL, *options, "--folder", str(folder), home=tmp_path)
    assert done.status == 2 and done.stderr.startswith(message) and not folder.exists()


def test_without_an_answer_the_option_is_named(tmp_path: Path) -> None:
    done = run("hall", "init", "--title", "Open", stdin="", home=tmp_path)
    assert done.status == 2 and "--rounds" in done.stderr


def test_an_event_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", "utf-8")
    done = run("hall", "init", *ALL, "--folder", str(tmp_path), home=tmp_path)
    assert done.status == 2 and "--folder" in done.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_a_broker_without_its_files_is_refused(tmp_path: Path) -> None:
    done = run("hall", "broker", str(tmp_path / "hall.toml"), home=tmp_path)
    assert done.status == 2 and "hall init" in done.stderr
