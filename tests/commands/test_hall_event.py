"""``blindplay hall init``, ``pair``, ``where``, ``results`` and ``standings``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from blindplay.cli import main
from blindplay.commands import options
from blindplay.commands.hall_event import assignment_words, player_lines
from blindplay.hall.event_file import read_event_file
from blindplay.hall.hall import Hall
from blindplay.hall.pairings import giving
from blindplay.hall.pairings.decided import (
    Forfeit,
    declare,
    read_decisions,
    take_back,
    time_of,
)
from blindplay.hall.pairings.giving import AssignmentResult, TableState
from blindplay.hall.pairings.played import PlayerRound, TableResult
from blindplay.hall.pairings.rounds import Assignment
from blindplay.laws.facts import Setup
from blindplay.record import read_journal
from tests.command_line import run
from tests.hall.broker import RealBroker
from tests.hall.pairings.trf_text import OPEN
from tests.record.test_signatures import PUBLIC, SECRET
from tests.waiting import until

from .test_hall import event_file

ALL = ("--title", "Open Übung 2026", "--rounds", "7", "--edition", "fide-2023", "--time-control",
       "15m+10s", "--tables", "2", "--languages", "en, de", "--host", "192.0.2.7")  # fmt: skip


def test_everything_can_be_given_as_options(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    done = run("hall", "init", *ALL, "--folder", str(folder), "--port", "9883", home=tmp_path)
    assert (done.status, done.stderr) == (0, "")
    assert "listener 9883" in (folder / "broker" / "mosquitto.conf").read_text("utf-8")
    assert f"hall broker {folder / 'hall.toml'}" in done.stdout
    hall = read_event_file(folder / "hall.toml", table=False)
    assert (hall.event, hall.title, hall.rounds) == ("open-ubung-2026", "Open Übung 2026", 7)
    assert hall.languages == ("en", "de") and set(hall.keys) == {"1", "2"}
    table = read_event_file(folder / "table-2.toml", table=True)
    assert (table.table, table.broker.host, table.broker.account) == ("2", "192.0.2.7", "table-2")
    assert table.broker.port == hall.broker.port == 9883
    assert table.play == {"event": "Open Übung 2026", "edition": "fide-2023",
                          "time-control": "15m+10s", "language": "en"}  # fmt: skip


def test_what_is_missing_is_asked_one_after_the_other(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    answers = "Open\n0\nmany\n\n\n60m\n15\n15m\n1\n\n127.0.0.1\n"
    done = run("hall", "init", "--folder", str(folder), stdin=answers, home=tmp_path)
    assert (done.status, done.stderr) == (0, "")
    hall = read_event_file(folder / "hall.toml", table=False)
    assert (hall.rounds, hall.play["edition"], hall.play["time-control"]) == (
        9,
        "fide-2023",
        "60m",
    )
    table = read_event_file(folder / "table-1.toml", table=True)
    assert hall.play["default-time"] == table.play["default-time"] == "15m"
    assert "How late may a player come" in done.stdout
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
        (("--default-time", "30"), "--default-time: "),
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
    """``blindplay play`` on the machine with this ``home``, and what it prints: with ``more``
    options it waits for pairings at the hall of ``file``; without a file it goes on with its last
    game."""

    def __init__(
        self,
        folder: Path,
        file: str = "",
        *more: str,
        printed: str = "printed",
        home: str = "home",
    ) -> None:
        names = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")
        own = {**dict.fromkeys(names, str(folder / home)), "PYTHONIOENCODING": "utf-8"}
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
            assert "Table 1: Bert Dahl – Anna Berg: set up." in paired.stdout
            assert "Table 2: Cecilia Ek – David Fors: not assigned." in paired.stdout
            assert "Eva Gran has no opponent" in paired.stdout
            assert place.says(SAID)
            wrong = tmp_path / "wrong.csv"
            wrong.write_text("table,white,black,round\n1,Anna Berg,Bert Dahl,2\n", "utf-8")
            assert "set up." in run("hall", "pair", str(wrong), *hall, home=tmp_path).stdout
            assert place.says("The hall has replaced this pairing.")
            assert place.says("Anna Berg has White against Bert Dahl.")
            cecilia = run("hall", "where", "Cecilia", *hall, home=tmp_path).stdout
            assert "David Fors" in cecilia  # the correction has left her game alone
            undone = run("hall", "pair", "--undo", *hall, home=tmp_path)
            assert undone.status == 1 and "Table 1: Bert Dahl – Anna Berg" in undone.stdout
            assert undone.stdout.startswith("Round 2 is paired as before.\n")
            assert place.says(SAID, 2)
            gone = run("hall", "pair", "--withdraw", "Anna", *hall, home=tmp_path).stdout
            assert "Table 1: Bert Dahl – Anna Berg: withdrawn." in gone
            assert "Bert Dahl has no opponent in this round." in gone
            assert place.says("The hall has withdrawn this pairing.")
            assert place.says("Table one waits for its next pairing.", 2)
            assert run("hall", "pair", report, *hall, home=tmp_path).status == 1
            assert place.says(SAID, 3)
            assert len(list((tmp_path / "home").rglob("*.jsonl"))) == 1  # no empty journal stays
            place.type(
                "", "where do I play", "e4", "", "e5", "", "resign", "yes", "white: sign", "yes"
            )
            assert place.says("White has signed the result.") and place.says(SAID, 4)
            other = run("hall", "pair", str(wrong), *hall, home=tmp_path)
            assert "Table 1: Anna Berg – Bert Dahl: waiting. The table sets it up" in other.stdout
            again = tmp_path / "next.csv"
            again.write_text("table,white,black,round\n1,Eva Gran,Bert Dahl,3\n", "utf-8")

            def is_signed() -> bool:
                copies = (tmp_path / "hall-try" / "table-1").glob("*.jsonl")
                return any(b'"fact":"sign"' in one.read_bytes() for one in copies)

            assert until(is_signed)
            done = run("hall", "results", report, *hall, home=tmp_path)
            assert done.status == 1, done.stderr  # table 2 is not there
            assert "1: Bert Dahl – Anna Berg: 0-1, signed by White only." in done.stdout
            assert "2: Cecilia Ek – David Fors: no result yet. It has not begun." in done.stdout
            assert "Games without a result: 1." in done.stdout
            own_games = run("hall", "results", "--player", "dahl", *hall, home=tmp_path)
            assert own_games.status == 0 and own_games.stdout.splitlines() == [
                "Round 2, table 1: Bert Dahl – Anna Berg: 0-1, signed by White only.",
                "Round 2, table 1: Anna Berg – Bert Dahl: no result yet. It has not begun.",
            ]  # the second one waits there
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


def newest_journal(home: Path) -> Path:
    return max(home.rglob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)


def as_started(home: Path) -> tuple[object, ...]:
    """The rules of the newest game, and of whom they hold."""
    setup = read_journal(newest_journal(home)).facts[0]
    assert isinstance(setup, Setup)
    sides = setup.white, setup.black
    return (setup.event, setup.edition, setup.mode, setup.time_control, setup.default_time,
            setup.announce_in,
            [one.impaired for one in sides], [one.language for one in sides],
            setup.white.name)  # fmt: skip


def test_each_game_of_a_day_has_the_rules_of_the_events_file_and_what_was_typed(
    broker: RealBroker, tmp_path: Path
) -> None:
    """Its table is killed twice and resumed, and moves to another machine. The settings of both
    machines would rule otherwise, and the organiser changes the time of the last round."""
    own, table = event_file(tmp_path, broker), event_file(tmp_path, broker, "1")
    plain = Path(table).read_text("utf-8")
    rules = '[play]\nevent = "Cup"\nedition = "fide-2014"\ntime-control = "900+10"\n'
    rules += 'default-time = "30m"\n'
    Path(table).write_text(f'{plain}{rules}language = "nb"\n', "utf-8")
    hall, file = ("--hall", own), tmp_path / "round.csv"
    for home in ("home", "spare"):
        (tmp_path / home / "blindplay").mkdir(parents=True)
        (tmp_path / home / "blindplay" / "settings.toml").write_text(
            'training = true\nmode = "blitz"\nannounce-in = "sv"\ntime-control = "3h"\n', "utf-8"
        )

    def paired(row: str) -> None:
        head = "table,white,black,round,impaired,white_language"
        file.write_text(f"{head}\n{row}\n", "utf-8")
        assert until(lambda: run("hall", "pair", str(file), *hall, home=tmp_path).status == 0)

    def killed() -> None:
        places[-1].process.kill()
        places[-1].process.communicate()

    def next_game(number: int, who: str = ",") -> None:
        assert places[-1].says("Press Enter to continue the game.")
        places[-1].type("", "resign", "yes", "quit")
        assert places[-1].says("Table one waits for its next pairing.")
        paired(f"1,Cia Ek {number},Dan Fors,{number},{who}")
        assert places[-1].says("Press Enter to start the game.")
        places[-1].type("")
        assert places[-1].says("is running.", 2)

    start = ("--impaired", "both", "--black-language", "da")
    places = [WaitingProcess(tmp_path, table, *start)]
    rule, people = ("Cup", "fide-2014", "rapid"), ([True, True], ["en", "da"])
    try:
        assert places[0].says("Table one waits for its next pairing.")
        paired("1,Anna Berg,Bert Dahl,1,,")
        assert places[0].says("Press Enter to start the game.")
        places[0].type("", "e4")
        assert places[0].says("Bauer Eva zwei Eva vier")
        assert as_started(tmp_path) == (*rule, "900+10", 1_800_000, "", *people, "Anna Berg")
        for number in (2, 3):  # what was typed is kept for the next one, too
            killed()
            places.append(WaitingProcess(tmp_path, printed=f"resumed {number}"))
            next_game(number, "," if number == 2 else "white,sv")
        people = ([True, False], ["sv", "da"])  # as the pairing says
        assert as_started(tmp_path) == (*rule, "900+10", 1_800_000, "", *people, "Cia Ek 3")
        killed()
        copy = tmp_path / "copy.jsonl"
        copy.write_bytes(newest_journal(tmp_path / "home").read_bytes())
        rules = rules.replace("900", "600").replace("30m", "1h")
        Path(table).write_text(f'{plain}{rules}language = "en"\n', "utf-8")
        resume = ("--resume", "--journal", str(copy))
        places.append(WaitingProcess(tmp_path, table, *resume, printed="moved", home="spare"))
        next_game(4)
        assert as_started(tmp_path) == (
            *rule, "600+10", 3_600_000, "", [True, False], ["en", "en"], "Cia Ek 4"
        )  # fmt: skip
    finally:
        for place in places:
            place.process.kill()
            place.process.communicate()


@pytest.mark.long
def test_a_machine_that_comes_back_after_its_game_was_finished_elsewhere_waits_for_the_next(
    broker: RealBroker, tmp_path: Path
) -> None:
    """Its table fails, a spare machine goes on from the hall's copy, both sign, and the first
    machine is started again as its guide says. The arbiter has corrected the result meanwhile."""
    own, table = event_file(tmp_path, broker), event_file(tmp_path, broker, "1")
    for path, secret in ((own, f'[keys]\n1 = "{PUBLIC}"\n'), (table, f'key = "{SECRET}"\n')):
        text = Path(path).read_text("utf-8")
        Path(path).write_text(secret + text if path == table else text + secret, "utf-8")
    hall, file = ("--hall", own), tmp_path / "round.csv"
    file.write_text("table,white,black,round\n1,Anna Berg,Bert Dahl,1\n", "utf-8")
    first = WaitingProcess(tmp_path, table)
    places = [first]

    def copied(what: bytes) -> Path | None:
        copies = (tmp_path / "hall-try" / "table-1").glob("*.jsonl")
        return next((one for one in copies if what in one.read_bytes()), None)

    try:
        with Hall(read_event_file(Path(own), table=False)) as running:
            assert first.says("Table one waits for its next pairing.")
            assert until(lambda: run("hall", "pair", str(file), *hall, home=tmp_path).status == 0)
            assert first.says("Press Enter to start the game.")
            first.type("", "e4", "")
            assert until(lambda: copied(b'"fact":"press"') is not None)
            first.process.kill()
            first.process.communicate()
            copy = tmp_path / "copy.jsonl"
            copy.write_bytes(copied(b"").read_bytes())  # type: ignore[union-attr]
            resume = ("--resume", "--journal", str(copy))
            spare = WaitingProcess(tmp_path, table, *resume, printed="spare", home="spare")
            places.append(spare)
            assert spare.says("Press Enter to continue the game.")
            spare.type("", "resign", "yes")
            for side in ("white", "black"):
                spare.type(f"{side}: sign", "yes")
            assert spare.says("Black has signed the result.")
            form = {"act": ["arbiter"], "do": ["declare"], "result": ["1/2-1/2"],
                    "reason": ["both had agreed"]}  # fmt: skip
            answer = running.request("1", "Berta", "act", {"language": "en", "form": form})
            assert answer.result().status == "done"
            assert spare.says("The reason: both had agreed.")
            spare.type("quit")
            assert spare.says("Table one waits for its next pairing.")
            spare.process.kill()
            spare.process.communicate()
            places.append(WaitingProcess(tmp_path, printed="back"))
            assert places[-1].says("This game went on at another machine and is over.")
            assert places[-1].says("Table one waits for its next pairing.")
            done = run("hall", "results", str(file), *hall, home=tmp_path)
            assert "1/2-1/2, not signed. The arbiter has corrected it: both had" in done.stdout
            file.write_text("table,white,black,round\n1,Cia Ek,Dan Fors,2\n", "utf-8")
            assert until(lambda: run("hall", "pair", str(file), *hall, home=tmp_path).status == 0)
            assert places[-1].says("Press Enter to start the game.")
            for printed, start in (("set up", "start"), ("to sign", "")):
                places[-1].process.kill()  # before the start, and before the signatures
                places[-1].process.communicate()
                places.append(WaitingProcess(tmp_path, printed=printed))
                if start:
                    assert places[-1].says("Press Enter to start the game.")
                    places[-1].type("", "resign", "yes")
                assert places[-1].says("Black wins.")
            places[-1].type("white: sign", "yes")
            assert places[-1].says("White has signed the result.")
            places[-1].type("quit")
            assert places[-1].says("Table one waits for its next pairing.")
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
    assert (
        where("Eva", "--language", "en")
        == "Round 2: Eva Gran has no opponent, and gets one point.\n"
    )
    assert "check the name" in where("Zoe")
    later = tmp_path / "later.csv"
    later.write_text("table,white,black,round\n7,Anna Berg,Eva Gran,3\n", "utf-8")
    pair_without_tables(broker, tmp_path, str(later))
    assert "Round 3, table 7" in where("Berg", "--language", "en")
    assert where("Berg", "--language", "de", "--round", "2") == german
    later.write_text("table,white,black,round\n8,Eva Gran,ANNA Bérg,3\n", "utf-8")
    done = run("hall", "pair", str(later), *hall, home=tmp_path)
    assert "ANNA Bérg is taken for Anna Berg, who is in this round." in done.stdout
    assert "Table 8: Eva Gran – Anna Berg: not assigned." in done.stdout
    assert "not paired yet" in where("Berg", "--round", "4")


@pytest.mark.parametrize("opened", [True, False])
def test_a_game_is_resumed_when_its_table_has_opened_it(
    broker: RealBroker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    opened: bool,
) -> None:
    own, game = event_file(tmp_path, broker), Assignment("1", "3", "Eva", "Finn")
    answer = AssignmentResult(game, "done", "", TableState.RESUMED, opened)
    monkeypatch.setattr(giving, "begun_games", lambda *_: [game])
    monkeypatch.setattr(giving, "resume_games", lambda *_: [answer])
    monkeypatch.setenv("LANGUAGE", "en")
    status = main(["hall", "resume", "--hall", own])
    why = "resumed. The table waits for its people."
    why = why if opened else "taken, but not opened yet; look at the table."
    assert capsys.readouterr().out == f"Table 3: Eva – Finn: {why}\n" and status == int(not opened)


def test_results_go_into_a_copy_of_a_table(broker: RealBroker, tmp_path: Path) -> None:
    own, file = event_file(tmp_path, broker), tmp_path / "round.csv"
    file.write_text("table,white,black,round\n1,Anna Berg,Eva Gran,3\n", "utf-8")
    done = run("hall", "results", str(file), "--hall", own, home=tmp_path)
    assert done.status == 1, done.stderr
    assert "1: Anna Berg – Eva Gran: no result yet. It has not begun." in done.stdout
    assert (tmp_path / "round-results.csv").read_bytes() == file.read_bytes()
    other = tmp_path / "other.csv"
    other.write_text("mine", "utf-8")
    named = ("hall", "results", str(file), "--hall", own, "--output", str(other))
    refused = run(*named, home=tmp_path)
    assert refused.status == 2 and "add --overwrite" in refused.stderr
    assert other.read_text("utf-8") == "mine"
    assert run(*named, "--overwrite", home=tmp_path).status == 1
    assert other.read_bytes() == file.read_bytes()


def test_a_forfeited_game_is_not_given_to_a_table_and_its_result_is(
    broker: RealBroker, tmp_path: Path, report: str
) -> None:
    hall = event_file(tmp_path, broker)
    folder = read_event_file(Path(hall), table=False).folder
    for table, white, black in (("1", "Bert Dahl", "Anna Berg"), ("2", "Cecilia Ek", "David Fors")):
        declare(folder, Forfeit("2", table, white, black, "both", "fide-2023 6.7.1", "Maria Berg"))
    at = ("--at", "2026-11-30 14:00")
    done = run("hall", "pair", report, "--hall", hall, *at, home=tmp_path)
    assert (done.status, done.stderr) == (0, "")
    assert "Bert Dahl – Anna Berg: forfeited, so the table does not get it." in done.stdout
    assert read_decisions(folder).starts["2"].at == time_of("2026-11-30 14:00")
    begins, _line, rest = done.stdout.partition("\n")
    again = run("hall", "pair", "--hall", hall, home=tmp_path)
    assert begins.startswith("Round 2 begins at ") and begins.endswith("14:00.")
    assert (again.status, again.stdout) == (0, rest)  # no table is named that never came
    done = run("hall", "results", report, "--hall", hall, home=tmp_path)
    assert done.status == 0
    assert "0-0, forfeited; declared in the hall by Maria Berg." in done.stdout
    written = tmp_path / "open-results.trf"
    lines = written.read_text("utf-8").splitlines()
    assert lines[2].endswith("2 b -") and lines[3].endswith("1 w -")
    take_back(folder, read_decisions(folder).of_round("2")[0], "Maria Berg", "they came")
    done = run("hall", "results", str(written), "--round", "2", "--hall", hall, home=tmp_path)
    assert done.status == 1 and "It has not begun. The file still has a forfeit" in done.stdout


def test_two_results_of_a_players_game_are_not_told_as_if_both_held() -> None:
    anna = TableResult("1", "Bert Dahl", "Anna Berg", "1-0", (), 4, declared=False)
    forfeit = replace(anna, result="0-1", plies=0, declared_by="Maria Berg", forfeited=True)

    def told(*games: TableResult) -> list[str]:
        return [str(line) for line in player_lines([PlayerRound("2", None, games)], as_json=False)]

    begun = "it was declared forfeited, but a table has begun it. Ask the arbiter."
    (line,) = told(forfeit, anna)
    assert line == f"Round 2, table 1: Bert Dahl – Anna Berg: not entered: {begun}"
    lines = told(anna, replace(anna, table="2", result="0-1"))
    assert [" ".join(line.split(", not signed. ")[1:]) for line in lines] == [
        "Another table has another result. Ask the arbiter."
    ] * 2


@pytest.mark.parametrize(
    ("state", "seen", "number", "said"),
    [
        (TableState.PLAYS, True, "2", "it has begun."),
        (TableState.PLAYS, False, "2", "the table has left it; go on with: {resume} --round 2"),
        (TableState.OVER, False, "2", "over already, and is not played again; correct its result "
                                      "with: {resume} --round 2"),
        (TableState.OVER, True, "replay 2", "with: {resume} --hall"),
    ],
)  # fmt: skip
def test_of_a_game_that_is_not_set_up_the_command_is_told_that_opens_it(
    state: TableState, seen: bool, number: str, said: str
) -> None:
    game = Assignment(number, "1", "Bert Dahl", "Anna Berg")
    result = AssignmentResult(game, "done", "", state, seen)
    words = assignment_words(result, Path("hall.toml"))
    resume = f'{options.called()} hall resume "Bert Dahl"'
    assert said.format(resume=resume) in str(words)
    assert (resume in str(words)) is ("{resume}" in said)


def test_standings_are_printed_as_the_file_ranks(tmp_path: Path, report: str) -> None:
    done = run("hall", "standings", report, "--language", "en", home=tmp_path)
    assert done.stdout.splitlines()[0] == "Place 1: Anna Berg. Points: 1.0."
    done = run("hall", "standings", report, "--json", home=tmp_path)
    first, *rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert first == {"counted": 1, "played": 1, "ranks": True} and [
        one["rank"] for one in rows
    ] == [1, 2, 3, 4, 5]


def test_points_that_are_older_than_the_results_are_told_first(tmp_path: Path) -> None:
    file = tmp_path / "old.trf"
    old = OPEN.replace("     1 w\n", "     1 w 0\n").replace("     2 b\n", "     2 b 1\n")
    others = OPEN.replace("  1.0    1 ", "  3.0    1 ")
    for text, told in ((old, "ab Runde 2"), (others, "ergeben sich nicht")):
        file.write_text(text, "utf-8")
        done = run("hall", "standings", str(file), "--language", "de", home=tmp_path)
        first, second = done.stdout.splitlines()[:2]
        assert done.status == 0 and told in first
        assert second.startswith("Platz 1: Anna Berg. Punkte: ") and second.endswith(",0.")


def test_what_cannot_be_done_is_said_in_one_sentence(tmp_path: Path, report: str) -> None:
    file = tmp_path / "hall.toml"
    file.write_text('event = "try"\n[broker]\nport = 9\n', "utf-8")
    hall = ("--hall", str(file))
    wrong = tmp_path / "wrong.trf"
    wrong.write_text(OPEN.replace(" 4 b 1", " 4 b 7"), "utf-8")
    for words in (
        ("where", "Anna", *hall), ("pair", str(wrong), *hall), ("standings", str(wrong)),
        ("results", str(wrong), *hall), ("results", report, *hall, "--output", report),
        ("results", *hall), ("results", report, *hall, "--player", "Anna"),
        ("results", "--player", "Anna", *hall), ("pair", report), ("resume", *hall),
        ("resume", *hall, "--round", "1"), ("resume", "Anna", *hall, "--round", "1"),
        ("pair", report, *hall, "--round", "3"),
    ):  # fmt: skip
        done = run("hall", *words, home=tmp_path)
        assert done.status == 2 and "Traceback" not in done.stderr, words
        assert len(done.stderr.strip().splitlines()) <= 2, done.stderr


def test_an_undo_takes_no_round(tmp_path: Path) -> None:
    """It would be another round than the one that was changed last."""
    done = run("hall", "pair", "--undo", "--round", "2", "--hall", str(tmp_path), home=tmp_path)
    assert done.status == 2 and "leave the file, --withdraw, --at and --round out" in done.stderr


def test_a_table_that_awaits_its_pairings_needs_a_hall_and_names_no_journal(tmp_path: Path) -> None:
    done = run("play", "--await-pairing", home=tmp_path)
    assert done.status == 2 and "--hall" in done.stderr
    file = tmp_path / "1.toml"
    file.write_text('event = "try"\ntable = 1\n', "utf-8")
    done = run("play", "--await-pairing", "--hall", str(file), "--journal", "x", home=tmp_path)
    assert done.status == 2 and "--journal" in done.stderr
