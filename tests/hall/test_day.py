"""A day of a tournament in real processes, as the guides for organisers say it word for word."""

from __future__ import annotations

import contextlib
import re
import sys
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from blindplay.console.messages import catalogue
from blindplay.language import Command, load
from blindplay.laws.facts import Setup
from blindplay.record import read_journal
from tests.command_line import run
from tests.sampling import first
from tests.waiting import until

from .guide import COMMAND, Guide, read_guide
from .walk import GAMES, Day, Scenario

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")

GUIDES = {"en": "hall-organiser.md", "de": "hall-organiser.de.md"}
"""They send their readers to hall-day in their midst."""
OPENINGS = {"1": "e4 e5", "2": "d4 d5", "3": "d4 d5"}
"""What has been played at the tables of the guide before something happens there."""
MORE = ("Hal Iwe", "Ida Jonsen", "Jon Kvam", "Kai Lund", "Liv Moen", "Max Nordby")
"""The players of a larger event, after those of the guide."""


@dataclass(frozen=True)
class Plan:
    """So many tables and rounds."""

    tables: int = 3
    rounds: int = 2

    def __str__(self) -> str:
        return f"{self.tables} tables, {self.rounds} rounds"

    @property
    def names(self) -> list[str]:
        return [str(number) for number in range(1, self.tables + 1)]


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def test_the_commands_of_the_guide_are_the_same_in_german() -> None:
    english, german = (
        [step.text for step in read_guide(GUIDES[language]) if step.kind == COMMAND]
        for language in ("en", "de")
    )
    assert len(english) > 20
    assert [one.replace("en,de", "de,en") for one in english] == german


@pytest.mark.parametrize(
    ("language", "plan"),
    first(1, [("en", Plan()), ("de", Plan()), ("en", Plan(6, 3)), ("de", Plan(6, 3))]),
    ids=str,
)
def test_a_day_goes_as_its_guides_say(
    language: str, plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stack: ExitStack
) -> None:
    """A pairing is corrected, the broker is started again, a computer is started again and then
    replaced, a game is adjourned over the other rounds, and a result is corrected."""
    monkeypatch.setenv("LC_ALL", {"en": "C", "de": "de_DE.UTF-8"}[language])
    day = Day(tmp_path, Guide(GUIDES[language]), load(language), stack)
    set_up(day, plan)
    players = pair_and_correct(day, plan)
    break_and_replace(day, plan)
    adjourn(day)
    play_later_rounds(day, plan, players)
    resume_and_correct(day)
    write_papers(day)
    archive(day, plan)
    day.guide.ends()
    check_rules(day, plan)


def set_up(day: Day, plan: Plan) -> None:
    guide = day.guide
    guide.command("hall", "--demo")  # another day
    guide.command("hall", "init")  # it asks for what the next one gives
    day.init(guide.command("hall", "init"))
    day.start_broker(guide.command("hall", "broker"))
    day.serve(guide.command("hall", "serve"))
    guide.command("play", "--hall")
    ticket = day.seat("1", "1")
    ticket.start(day.page.ticket("1"))
    ticket.table.shows("table-1.toml --await-pairing", guide.said())
    words = guide.command("play", "--hall", "table-2.toml")
    for name in plan.names[1:]:
        seat = day.seat(name, name)
        day.bring(name, f"table-{name}.toml")
        seat.start([word.replace("2", name) for word in words])
    assert day.waits(*plan.names)


def pair_and_correct(day: Day, plan: Plan) -> list[str]:
    """Return the players of the first round, each with the opponent after them."""
    guide = day.guide
    file = guide.file()
    more = zip(plan.names[3:], MORE[::2], MORE[1::2], strict=False)
    file += "".join(f"{table},{white},{black},1,none,\n" for table, white, black in more)
    day.write("round-1.csv", file)
    told = day.run(guide.command("hall", "pair")).stdout
    assert guide.said() in told.splitlines(), told
    where = day.run(guide.command("hall", "where")).stdout
    assert where == f"{guide.said()}\n"
    assert day.page.comes("hall_missing_unbegun")
    day.write("correction.csv", guide.file())
    for _change in ("correction", "undo"):
        day.run(guide.command("hall", "pair"))
        day.seats["1"].table.comes(day.say("pairing_replaced"))
    rows = [line.split(",") for line in file.splitlines()[1:]]
    rows.sort(key=lambda row: not row[2])  # the player without an opponent comes last
    return [name for row in rows for name in row[1:3] if name]


def break_and_replace(day: Day, plan: Plan) -> None:
    guide, seats = day.guide, day.seats
    for table, moves in OPENINGS.items():
        day.begin(table)
        day.moves(table, moves)
    day.end_broker(day.broker)
    day.moves("1", "Nf3", OPENINGS["1"])
    day.start_broker(guide.command("hall", "broker"))
    assert until(lambda: day.is_copied("1"))
    dead = seats["2"]
    dead.fails()
    dead.start(guide.command("play", "--resume"))
    day.go_on("2", "white")
    day.moves("2", "c4", OPENINGS["2"])
    assert until(lambda: day.is_copied("2"))
    dead.fails()
    words = guide.command("play", "--resume", "--journal", "game.jsonl")
    spare = day.seat("2", "spare")
    day.bring("2", "table-2.toml")
    day.bring("2", day.copies("2")[-1], "game.jsonl")
    spare.start(words)
    day.go_on("2", "black")
    dead.start(["play", "--resume"])
    dead.table.comes(guide.said())
    dead.table.type(day.leaving)
    day.end("1", Scenario("e4 e5 Nf3", "1-0", Command.RESIGN))
    day.end("2", Scenario("d4 d5 c4", "1/2-1/2", Command.OFFER_DRAW))
    for table, game in zip(plan.names[3:], GAMES, strict=False):
        day.play(table, game)


def adjourn(day: Day) -> None:
    guide, table = day.guide, day.seats["3"].table
    day.page.press("3", "arb_adjourn")
    table.comes(day.say("seal_asked", player=day.say("white")))
    table.enter(guide.typed(), guide.said())
    table.enter("", guide.said())
    table.type(guide.typed())
    day.comes_to_wait("3")
    told = day.run(guide.command("hall", "results"), status=1).stdout
    assert guide.said() in told.splitlines(), told


def play_later_rounds(day: Day, plan: Plan, players: list[str]) -> None:
    for name in plan.names:
        if name != "3":
            day.leave(name)
    second = day.guide.command("hall", "pair")
    for number in range(2, plan.rounds + 1):
        if number > 2:
            lose_more(day)
        words = [word.replace("round-2", f"round-{number}") for word in second]
        results = play_round(day, plan, players, number, words)
        told = day.run(["hall", "results", *words[2:]])
        lines = told.stdout.splitlines()[: plan.tables]
        assert [line.split(": ")[2].split(",")[0] for line in lines] == results


def lose_more(day: Day) -> None:
    """Between two rounds the hall fails, and a computer, whose place the one takes that failed
    first."""
    day.serve_again()
    day.seats["4"].fails()
    other = day.computers["2"]
    other.start(day.page.ticket("4"))
    day.seats["4"] = other
    day.comes_to_wait("4")
    assert day.waits(*day.seats)


def play_round(
    day: Day, plan: Plan, players: list[str], number: int, words: list[str]
) -> list[str]:
    """Play a round in which each meets another opponent; return the results."""
    whites, blacks = players[::2], players[1::2]
    ring = [*whites[1:], "", *blacks[::-1]]  # Berger's tables
    ring = [whites[0], *ring[1 - number :], *ring[: 1 - number]]
    pairs = list(zip(ring, ring[::-1], strict=True))[: len(ring) // 2]
    pairs.sort(key=lambda pair: not all(pair))
    games = enumerate(pairs[:-1], 1)
    rows = [f"{table},{one},{other},{number}" for table, (one, other) in games]
    (resting,) = filter(None, pairs[-1])
    day.write(words[2], "\n".join(["table,white,black,round", *rows, f",{resting},,", ""]))
    told = day.run(words).stdout
    assert told.count("\n") == len(pairs), told
    played = [GAMES[(number + place) % len(GAMES)] for place in range(plan.tables)]
    for name, game in zip(plan.names, played, strict=True):
        day.play(name, game)
        assert until(partial(day.is_copied, name))
        day.leave(name)
        day.comes_to_wait(name)
    return [game.result for game in played]


def resume_and_correct(day: Day) -> None:
    guide = day.guide
    told = day.run(guide.command("hall", "resume")).stdout
    assert told == f"{guide.said()}\n"
    day.seats["3"].table.comes(day.say("envelope_key", player=day.say("black")))
    day.page.press("3", "arb_open")
    day.moves("3", "dxe4", f"{OPENINGS['3']} e4")
    day.end("3", Scenario("d4 d5 e4 dxe4", "0-1", Command.RESIGN))
    day.run(guide.command("hall", "resume", "Anna Berg"))
    day.seats["1"].table.comes(day.say("over_leave", end=day.leaving))
    day.page.press("1", "arb_correct", result="1/2-1/2", reason="both had agreed")
    day.sign("1")
    assert until(lambda: day.is_copied("1") and day.is_copied("3"))
    told = day.run(guide.command("hall", "results")).stdout
    assert guide.said() in told and "both had agreed" in told, told
    entered = (day.hall / "round-1-results.csv").read_text("utf-8").splitlines()
    results = [line.rpartition(",")[2] for line in entered[1:4]]
    assert results == ["1/2-1/2", "1/2-1/2", "0-1"], entered


def write_papers(day: Day) -> None:
    """Each paper of the first round names its people, in each form."""
    papers = day.hall / f"round-1-{day.pack.code}"
    written = day.run(day.guide.command("hall", "papers")).stdout.splitlines()
    assert [day.hall / one for one in written] == [papers / Path(one).name for one in written]
    corrected = catalogue(day.pack.code)["print_corrected"].casefold()
    kinds = {"pairings", "players", "cards", "slips", "results", "report"}
    assert {Path(one).stem.removesuffix("-large") for one in written} == kinds
    for kind in kinds:
        for end in (".html", "-large.html", ".txt"):
            if (kind, end) != ("slips", ".txt"):
                text = (papers / f"{kind}{end}").read_text("utf-8")
                assert "Finn Holm" in text, (kind, end)
                assert kind != "results" or corrected in text.casefold()
        assert kind == "slips" or (papers / f"{kind}.brf").read_bytes().isascii()


def archive(day: Day, plan: Plan) -> None:
    """The archive verifies on a computer that has nothing else."""
    words = day.guide.command("hall", "archive")
    later = [f"round-{number}-results.csv" for number in range(3, plan.rounds + 1)]
    day.run([*words, *later])
    words = day.guide.command("verify")
    empty = day.folder / "empty"
    empty.mkdir()
    (day.hall / words[1]).rename(empty / words[1])
    with contextlib.chdir(empty):
        told = run(*words, home=empty, reader=day.pack.code)
    assert told.status == 0, told.stdout
    assert [path.name for path in empty.iterdir()] == [words[1]]
    secrets = re.findall(r'(?:password|key) = "(.+)"', day.secrets())
    assert len(secrets) > plan.tables
    with zipfile.ZipFile(empty / words[1]) as archive:
        contents = [archive.read(name) for name in archive.namelist()]
    assert not any(secret.encode() in one for secret in secrets for one in contents)


def check_rules(day: Day, plan: Plan) -> None:
    """Each game was played as the event's file says."""
    setups = [read_journal(copy).facts[0] for copy in day.copies("*")]
    assert len(setups) >= plan.tables * plan.rounds
    for setup in setups:
        assert isinstance(setup, Setup)
        rules = (setup.event, setup.edition, setup.time_control, setup.mode)
        assert rules == ("Open 2026", "fide-2023", "900+10", "rapid"), setup
