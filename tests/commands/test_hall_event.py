"""``blindplay hall init``, ``pair``, ``where``, ``results`` and ``standings``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.hall.event_file import read_event_file
from blindplay.hall.hall import Hall
from blindplay.laws.facts import Setup
from blindplay.record import read_journal
from tests.command_line import run
from tests.hall.broker import RealBroker
from tests.hall.pairings.trf_text import OPEN
from tests.waiting import until

from .test_hall import event_file

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
                          "time-control": "15m+10s", "language": "en"}  # fmt: skip


def test_what_is_missing_is_asked_one_after_the_other(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    answers = "Open\n0\nmany\n\n\n60m\n1\n\n127.0.0.1\n"
    done = run("hall", "init", "--folder", str(folder), stdin=answers, home=tmp_path)
    assert (done.status, done.stderr) == (0, "")
    hall = read_event_file(folder / "hall.toml", table=False)
    assert (hall.rounds, hall.play["edition"], hall.play["time-control"]) == (
        9,
        "fide-2023",
        "60m",
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


# --- ``blindplay hall pair``, ``where``, ``results`` and ``standings``, as an organiser uses them


SAID = "Round two, table one: Bert Dahl has White against Anna Berg."


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RealBroker]:
    broker = RealBroker(tmp_path)
    yield broker
    broker.kill()


@pytest.fixture
def report(tmp_path: Path) -> str:
    file = tmp_path / "open.trf"
    file.write_text(OPEN, "utf-8")
    return str(file)


class WaitingProcess:
    """``blindplay play``, and what it prints: with ``more`` options it waits for pairings at the
    hall of ``file``; without a file it goes on with its last game."""

    def __init__(self, folder: Path, file: str = "", *more: str, printed: str = "printed") -> None:
        names = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")
        own = {**dict.fromkeys(names, str(folder / "home")), "PYTHONIOENCODING": "utf-8"}
        begin = ("play", "--await-pairing", "--hall", file, "--microphone", "none", "--silent",
                 "--language", "en", *more)  # fmt: skip
        words = begin if file else ("play", "--resume")
        self.printed = folder / printed
        with self.printed.open("wb") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "blindplay", *words],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=subprocess.STDOUT,
                env={**os.environ, **own},
            )

    def type(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()

    def says(self, words: str, times: int = 1) -> bool:
        return until(lambda: self.printed.read_text("utf-8").count(words) >= times)


def test_a_round_goes_from_the_report_file_to_the_table_and_back(
    broker: RealBroker, tmp_path: Path, report: str
) -> None:
    own, table = event_file(tmp_path, broker), event_file(tmp_path, broker, "1")
    hall, place = ("--hall", own), WaitingProcess(tmp_path, table, "--time-control", "5m")
    try:
        with Hall(read_event_file(Path(own), table=False)) as running:
            assert place.says("Table one waits for its next pairing.")
            assert until(lambda: "1" in running.follower.tables)
            paired = run("hall", "pair", report, *hall, home=tmp_path)
            assert paired.status == 1, paired.stderr  # table 2 is not there
            assert "Table 1: Bert Dahl – Anna Berg: the table has it." in paired.stdout
            assert "Table 2: Cecilia Ek – David Fors: not assigned." in paired.stdout
            assert "Eva Gran has no opponent" in paired.stdout
            assert place.says(SAID)
            place.type(
                "", "where do I play", "e4", "", "e5", "", "resign", "yes", "white: sign", "yes"
            )
            assert place.says("White has signed the result.") and place.says(SAID, 2)
            again = tmp_path / "next.csv"
            again.write_text("table,white,black,round\n1,Eva Gran,Bert Dahl,3\n", "utf-8")

            def is_signed() -> bool:
                copies = (tmp_path / "hall-try" / "table-1").glob("*.jsonl")
                return any(b'"fact":"sign"' in one.read_bytes() for one in copies)

            assert until(is_signed)
            done = run("hall", "results", report, *hall, home=tmp_path)
            assert done.status == 0, done.stderr
            assert "1: Bert Dahl – Anna Berg: 0-1, signed by White only." in done.stdout
            assert "2: Cecilia Ek – David Fors: no result yet." in done.stdout
            assert run("hall", "pair", str(again), *hall, home=tmp_path).status == 0
            assert place.says("Round three, table one: Eva Gran has White against Bert Dahl.")
            place.type("quit")  # the game that is over; the next one is set up
            assert place.says("Round three, table one: Eva Gran has White against Bert Dahl.", 2)
            place.type("quit")
            assert until(lambda: place.process.poll() == 0)
    finally:
        place.process.kill()
        place.process.communicate()
    lines = (tmp_path / "open-results.trf").read_text("utf-8").splitlines()
    assert lines[2].endswith("2 b 1") and lines[3].endswith("1 w 0")
    assert [*lines[:2], *lines[4:]] == [*OPEN.splitlines()[:2], *OPEN.splitlines()[4:]]


def setup_of_newest(home: Path) -> Setup:
    journals = (home / "home").rglob("*.jsonl")
    setup = read_journal(max(journals, key=lambda path: path.stat().st_mtime_ns)).facts[0]
    assert isinstance(setup, Setup)
    return setup


def test_after_a_resumed_game_the_events_file_and_what_was_typed_rule_the_next_one(
    broker: RealBroker, tmp_path: Path
) -> None:
    own, table = event_file(tmp_path, broker), event_file(tmp_path, broker, "1")
    rules = '[play]\ntime-control = "900+10"\nedition = "fide-2014"\nlanguage = "nb"\n'
    Path(table).write_text(Path(table).read_text("utf-8") + rules, "utf-8")
    hall, file = ("--hall", own), tmp_path / "round.csv"

    def paired(row: str) -> None:
        file.write_text(f"table,white,black,round\n{row}\n", "utf-8")
        assert until(lambda: run("hall", "pair", str(file), *hall, home=tmp_path).status == 0)

    def as_started() -> tuple[object, ...]:
        setup = setup_of_newest(tmp_path)
        sides = setup.white, setup.black
        return (setup.time_control, setup.edition, [one.impaired for one in sides],
                [one.language for one in sides], setup.white.name)  # fmt: skip

    start = ("--impaired", "both", "--black-language", "da")
    places = [WaitingProcess(tmp_path, table, *start)]
    try:
        assert places[0].says("Table one waits for its next pairing.")
        paired("1,Anna Berg,Bert Dahl,1")
        assert places[0].says("Press Enter to start the game.")
        places[0].type("", "e4")
        assert places[0].says("Bauer Eva zwei Eva vier")
        rule = ("900+10", "fide-2014", [True, True], ["en", "da"])
        assert as_started() == (*rule, "Anna Berg")
        places[0].process.kill()
        places[0].process.communicate()
        for number, resumed in (("2", "once"), ("3", "twice")):  # it is kept for the next one, too
            places.append(WaitingProcess(tmp_path, printed=resumed))
            assert places[-1].says("Press Enter to continue the game.")
            places[-1].type("", "resign", "yes", "quit")
            assert places[-1].says("Table one waits for its next pairing.")
            paired(f"1,Cia Ek {number},Dan Fors,{number}")
            assert places[-1].says("Press Enter to start the game.")
            places[-1].type("")
            assert places[-1].says("is running.", 2)
            assert as_started() == (*rule, f"Cia Ek {number}")
            places[-1].process.kill()
            places[-1].process.communicate()
    finally:
        for place in places:
            place.process.kill()
            place.process.communicate()


def pair_without_tables(broker: RealBroker, folder: Path, report: str) -> tuple[str, str]:
    hall = ("--hall", event_file(folder, broker))
    assert run("hall", "pair", report, *hall, home=folder).status == 1
    return hall


def test_a_player_asks_where_to_play(broker: RealBroker, tmp_path: Path, report: str) -> None:
    hall = pair_without_tables(broker, tmp_path, report)

    def where(*words: str) -> str:
        done = run("hall", "where", *words, *hall, home=tmp_path)
        return done.stdout if done.status == 0 else done.stderr

    german = where("berg", "--language", "de")
    assert german == "Runde 2, Tisch 1: Bert Dahl hat Weiß gegen Anna Berg.\n"
    assert where("Eva", "--language", "en") == "Round 2: Eva Gran has no opponent.\n"
    assert "check the name" in where("Zoe")
    later = tmp_path / "later.csv"
    later.write_text("table,white,black,round\n7,Anna Berg,Eva Gran,3\n", "utf-8")
    pair_without_tables(broker, tmp_path, str(later))
    assert "Round 3, table 7" in where("Berg", "--language", "en")
    assert where("Berg", "--language", "de", "--round", "2") == german
    assert "not paired yet" in where("Berg", "--round", "4")


def test_results_go_into_a_copy_of_a_table(broker: RealBroker, tmp_path: Path) -> None:
    own, file = event_file(tmp_path, broker), tmp_path / "round.csv"
    file.write_text("table,white,black,round\n1,Anna Berg,Eva Gran,3\n", "utf-8")
    done = run("hall", "results", str(file), "--hall", own, home=tmp_path)
    assert done.status == 0, done.stderr
    assert "1: Anna Berg – Eva Gran: no result yet." in done.stdout
    assert (tmp_path / "round-results.csv").read_bytes() == file.read_bytes()


def test_standings_are_printed_as_the_file_ranks(tmp_path: Path, report: str) -> None:
    done = run("hall", "standings", report, "--language", "en", home=tmp_path)
    assert done.stdout.splitlines()[0] == "Place 1: Anna Berg. Points: 1.0."
    done = run("hall", "standings", report, "--json", home=tmp_path)
    ranks = [json.loads(line)["rank"] for line in done.stdout.splitlines()]
    assert ranks == [1, 2, 3, 4, 5]


def test_what_cannot_be_done_is_said_in_one_sentence(tmp_path: Path, report: str) -> None:
    file = tmp_path / "hall.toml"
    file.write_text('event = "try"\n[broker]\nport = 9\n', "utf-8")
    hall = ("--hall", str(file))
    wrong = tmp_path / "wrong.trf"
    wrong.write_text(OPEN.replace(" 4 b 1", " 4 b 7"), "utf-8")
    for words in (
        ("where", "Anna", *hall), ("pair", str(wrong), *hall), ("standings", str(wrong)),
        ("results", str(wrong), *hall), ("results", report, *hall, "--output", report),
        ("pair", report), ("pair", report, *hall, "--round", "3"),
    ):  # fmt: skip
        done = run("hall", *words, home=tmp_path)
        assert done.status == 2 and "Traceback" not in done.stderr, words
        assert len(done.stderr.strip().splitlines()) <= 2, done.stderr


def test_a_table_that_awaits_its_pairings_needs_a_hall_and_names_no_journal(tmp_path: Path) -> None:
    done = run("play", "--await-pairing", home=tmp_path)
    assert done.status == 2 and "--hall" in done.stderr
    file = tmp_path / "1.toml"
    file.write_text('event = "try"\ntable = 1\n', "utf-8")
    done = run("play", "--await-pairing", "--hall", str(file), "--journal", "x", home=tmp_path)
    assert done.status == 2 and "--journal" in done.stderr
