"""``play`` with a ticket, with an event's file, and with ``--resume``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from blindplay.broker import Broker
from blindplay.commands.play_options import OPTIONS, PlayOptions
from blindplay.commands.play_sources import (
    kept_values,
    with_kept_options,
    with_settings_of_later_games,
)
from blindplay.hall.event_file import EventFile
from blindplay.hall.hall import Hall
from blindplay.hall.pages import HallHost
from blindplay.hall.tickets import Tickets
from blindplay.language import load
from blindplay.laws.facts import Setup
from blindplay.record import read_journal
from blindplay.record.games import keep_options, kept_options, options_of
from tests.command_line import Ran, run
from tests.hall.broker import RealBroker

TABLE = ("play", "--microphone", "none", "--silent", "--white", "Anna", "--hall")


@pytest.fixture
def tickets(tmp_path: Path) -> Iterator[Tickets]:
    """Those of a running hall with the files of tables 1 and 4."""
    with (broker := RealBroker(tmp_path)):
        files = tmp_path / "files"
        files.mkdir()
        for name in ("1", "4"):
            place = f'[broker]\nhost = "127.0.0.1"\nport = {broker.port}\n'
            text = f'event = "try"\ntitle = "Try-out"\ntable = "{name}"\n{place}'
            (files / f"table-{name}.toml").write_text(text, "utf-8")
        joined = EventFile("try", broker.broker, folder=tmp_path / "copies")
        with Hall(joined) as hall:
            host = HallHost(hall, joined, port=0, tables=files)
            assert host.tickets is not None
            yield host.tickets
            host.close()


def digits(tickets: Tickets, table: str) -> str:
    tickets.show(table)
    return next(one.digits for one in tickets.shown() if one.table == table)


def test_a_table_joins_with_the_ticket_of_the_page_and_later_with_its_file(
    tickets: Tickets, tmp_path: Path
) -> None:
    ticket = f"{digits(tickets, '4')}@{tickets.address}"
    joined = run(*TABLE, ticket, stdin="start\ne4\n\nquit\n", home=tmp_path)
    assert joined.status == 0, joined.stderr
    assert "This is table 4 of Try-out." in joined.stdout
    (file,) = tmp_path.rglob("try-table-4.toml")
    assert f"play --hall {file}" in joined.stdout
    resumed = run("play", "--resume", stdin="quit\n", home=tmp_path)
    assert resumed.status == 0, resumed.stderr


def test_what_is_missing_is_asked(tickets: Tickets, tmp_path: Path) -> None:
    ticket = digits(tickets, "1")
    digits(tickets, "4")
    joined = run(*TABLE, ticket, stdin=f"{tickets.address}\n1\nquit\n", home=tmp_path)
    assert joined.status == 0
    for sentence in (
        "Which address stands beside the ticket on the hall's page?",
        "Which table is this? There are tickets for: 1, 4.",
        "This is table 1 of Try-out.",
    ):
        assert sentence in joined.stdout


def test_without_an_answer_or_with_wrong_digits_no_table_begins(
    tickets: Tickets, tmp_path: Path
) -> None:
    known = digits(tickets, "1")
    silent = run(*TABLE, known, home=tmp_path)
    assert silent.status == 2 and "There is no answer" in silent.stderr
    wrong = f"{(int(known) + 1) % 1_000_000:06}@{tickets.address}"
    refused = run(*TABLE, wrong, stdin="quit\n", home=tmp_path)
    assert refused.status == 2 and "This is not the ticket of table 1" in refused.stderr
    assert tickets.wrong == 1 and not list(tmp_path.rglob("tables/*.jsonl"))


# --- What an event's file sets at its tables


def setup_of(home: Path, settings: str, *typed: str, own: str = "") -> Setup:
    """The set-up of a table that plays with this event's file; ``own`` is the settings file."""
    file = home / "table.toml"
    place = "[broker]\nhost = '127.0.0.1'\nport = 9\n"
    file.write_text(f'event = "a"\ntable = 1\n[play]\n{settings}\n{place}', "utf-8")
    (home / "blindplay").mkdir(exist_ok=True)
    (home / "blindplay" / "settings.toml").write_text(own, "utf-8")
    game = home / "game.jsonl"
    done = run("play", "--microphone", "none", "--silent", "--hall", str(file), "--journal",
               str(game), *typed, stdin="quit\n", home=home)  # fmt: skip
    assert done.status == 0, done.stderr
    setup = read_journal(game).facts[0]
    assert isinstance(setup, Setup)
    return setup


EVENT = 'event = "Open"\nedition = "fide-2014"\ntime-control = "900+10"\nlanguage = "nb"'


def test_a_table_plays_as_the_event_says(tmp_path: Path) -> None:
    setup = setup_of(tmp_path, EVENT)
    assert (setup.event, setup.edition, setup.time_control) == ("Open", "fide-2014", "900+10")
    assert setup.player("white").language == "nb"


def test_what_is_typed_holds(tmp_path: Path) -> None:
    setup = setup_of(tmp_path, EVENT, "--time-control", "5m+3s", "--language", "da")
    assert (setup.time_control, setup.player("white").language) == ("300+3", "da")


def test_the_users_settings_choose_the_language_and_not_the_time(tmp_path: Path) -> None:
    setup = setup_of(tmp_path, EVENT, own='language = "sv"\ntime-control = "3h"\n')
    assert (setup.time_control, setup.player("white").language) == ("900+10", "sv")


def test_the_users_settings_rule_nothing_that_the_event_leaves_open(tmp_path: Path) -> None:
    own = 'mode = "blitz"\nannounce-in = "sv"\narbiter = true\nsupervised = true\n'
    setup = setup_of(tmp_path, EVENT, own=own)
    assert (setup.mode, setup.announce_in) == ("rapid", "")
    assert (setup.arbiter, setup.supervised) == ("automatic", False)


@pytest.mark.parametrize(
    ("settings", "message"), [("colour = 'red'", "colour"), ("edition = '1997'", "edition")]
)
def test_a_wrong_setting_is_named(tmp_path: Path, settings: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        setup_of(tmp_path, settings)


# --- ``play --resume``: what a game was begun with comes back, and what contradicts it is refused


SILENT = ("--silent", "--microphone", "none")
AGREED = ("--white", "Anna", "--impaired", "both", "--time-control", "900+10", "--arbiter",
          "--mode", "rapid", "--event", "Cup")  # fmt: skip


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A game that was begun in Danish and left."""
    path = tmp_path / "game.jsonl"
    begin = ("play", *SILENT, *AGREED, "--language", "da", "--journal", str(path))
    assert run(*begin, stdin="\ne4\nquit\n", home=tmp_path).status == 0
    return path


def resume(journal: Path, *options: str) -> Ran:
    again = ("play", "--resume", "--journal", str(journal), *options)
    return run(*again, stdin="quit\n", home=journal.parent)


@pytest.mark.parametrize(("play", "language"), [({"language": "nb"}, "nb"), ({}, "en")])
def test_a_game_from_another_machine_does_not_choose_the_language_of_the_later_ones(
    journal: Path, play: dict[str, str], language: str
) -> None:
    options_of(journal).unlink()
    joined = EventFile("try", Broker(), "1", play=play)
    game = with_kept_options(journal, PlayOptions(language="en", resume=True))
    assert game.language == "da"
    assert with_settings_of_later_games(game, joined).language == language


def test_a_game_whose_options_cannot_be_read_goes_on_as_no_other_game(journal: Path) -> None:
    kept = options_of(journal)
    for damaged in (b"", b"[]", kept.read_bytes()[:-9], b"\xff" * 90):
        kept.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"game\.options, cannot be read"):
            with_kept_options(journal, PlayOptions(resume=True))
        assert kept.read_bytes() == damaged


def test_what_holds_for_a_resumed_game_only_is_refused_without_one(tmp_path: Path) -> None:
    done = run("play", *SILENT, "--dead-time", "running", home=tmp_path)
    assert done.status == 2 and "--resume" in done.stderr and done.stderr.count("\n") == 1
    file = tmp_path / "blindplay" / "settings.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text('dead-time = "running"\n', "utf-8")
    assert run("play", *SILENT, stdin="quit\n", home=tmp_path).status == 0


def test_language_and_devices_of_the_game_come_back_by_themselves(journal: Path) -> None:
    said = resume(journal)
    assert said.status == 0, said.stderr
    assert load("da").sentence("going_on") in said.stdout
    assert "trouble" not in said.stdout  # it is silent again, and wants no microphone


PAGES = {
    "console": True, "host": "0.0.0.0", "console_port": 8080, "certificate": "table.pem",
    "key": "table.key", "encrypt": False, "remember_browsers": 43200, "public": True,
    "public_delay": 0, "public_names": True, "qr": True,
}  # fmt: skip


def begun_with_pages(journal: Path, **values: Any) -> dict[str, Any]:
    """How the pages of a game are served; what is named here is what it was begun with."""
    files = {name: journal.with_name(values.pop(name)) for name in ("certificate", "key")}
    for file in files.values():
        file.touch()
    pages = {**values, **files}
    keep_options(journal, {**kept_options(journal), **kept_values(PlayOptions(**pages))})
    return pages


def pages_of(given: PlayOptions) -> dict[str, Any]:
    return {name: getattr(given, name) for name in PAGES}


def test_the_pages_of_a_game_come_back_by_themselves(journal: Path) -> None:
    assert set(PAGES) == {name for name, option in OPTIONS.items() if option.of_the_console}
    pages = begun_with_pages(journal, **PAGES)
    assert pages_of(with_kept_options(journal, PlayOptions(resume=True))) == pages
    other = PlayOptions(resume=True, console_port=8081, typed=frozenset({"console_port"}))
    assert pages_of(with_kept_options(journal, other)) == {**pages, "console_port": 8081}


@pytest.mark.parametrize("console", [True, False])
@pytest.mark.parametrize("typed", [True, False])
def test_who_says_whether_there_are_pages_says_anew_how_they_are_served(
    journal: Path, console: bool, typed: bool
) -> None:
    begun_with_pages(journal, **PAGES)
    said = frozenset({"console"})
    anew = PlayOptions(
        resume=True, console=console, chosen=said, typed=said if typed else frozenset()
    )
    assert pages_of(with_kept_options(journal, anew)) == pages_of(anew)


def test_a_certificate_of_a_game_that_is_gone_is_named_with_what_to_do(journal: Path) -> None:
    pages = begun_with_pages(journal, **PAGES)
    pages["key"].unlink()
    said = resume(journal)
    assert (said.status, said.stdout) == (2, "")
    assert said.stderr.count("\n") == 1
    assert f"{pages['key']}, which is not there" in said.stderr and "--console" in said.stderr


def test_pages_that_came_later_come_back_as_well(journal: Path) -> None:
    links = "De tidligere links åbner stadig deres sider."
    assert links not in resume(journal).stdout
    assert resume(journal, "--console", "--console-port", "0").status == 0
    assert links in resume(journal).stdout
    assert links not in resume(journal, "--no-console").stdout
    assert links not in resume(journal).stdout


def test_a_language_that_is_typed_counts(journal: Path) -> None:
    assert load("sv").sentence("going_on") in resume(journal, "--language", "sv").stdout


def test_the_language_of_a_player_counts_where_nothing_was_kept(journal: Path) -> None:
    journal.with_suffix(".options").unlink()
    assert load("da").sentence("going_on") in resume(journal, *SILENT).stdout


@pytest.mark.parametrize(
    ("options", "has"),
    [
        (("--white", "Berta"), "--white Anna"),
        (("--black", "Berta"), "no --black"),
        (("--impaired", "white"), "--impaired both"),
        (("--time-control", "900+20"), "--time-control 15m+10s"),
        (("--no-arbiter",), "--arbiter"),
        (("--supervised",), "--no-supervised"),
        (("--mode", "blitz"), "--mode rapid"),
        (("--edition", "fide-2014"), "--edition fide-2023"),
        (("--chess960",), "--no-chess960"),
        (("--fen", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"), "--fen rnbqkbnr/"),
        (("--white-assistant",), "--no-white-assistant"),
        (("--round", "3"), "no --round"),
    ],
)  # fmt: skip
def test_a_setting_that_contradicts_the_game_is_refused(
    journal: Path, options: tuple[str, ...], has: str
) -> None:
    before = read_journal(journal).facts
    refused = resume(journal, *options)
    assert refused.status == 2
    assert f"was begun with {has}" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert read_journal(journal).facts == before


def test_settings_that_are_those_of_the_game_may_be_typed_again(journal: Path) -> None:
    assert resume(journal, *AGREED).status == 0


def test_files_that_were_named_from_one_folder_are_found_from_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "engine"
    program.touch(mode=0o700)
    monkeypatch.chdir(tmp_path)
    models = Path("models/de"), Path("/models/en")
    given = PlayOptions(model=models, engine="./engine", hall=Path("hall.toml"))
    kept = kept_values(given)
    assert kept["model"] == [str(tmp_path / "models" / "de"), "/models/en"]
    assert kept["engine"] == str(program) and kept["hall"] == str(tmp_path / "hall.toml")
    assert kept_values(PlayOptions())["engine"] is None


def test_a_name_that_is_not_there_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    refused = run("play", "--board", "no-such-port", "--journal", str(path), home=tmp_path)
    assert refused.status == 2
    assert not list(tmp_path.glob("game*"))
