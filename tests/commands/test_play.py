"""``blindplay play`` with typed words: games, options, and what is printed."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from blindplay.broker import Broker
from blindplay.commands import options
from blindplay.conversation import OpeningWord
from blindplay.language import load
from blindplay.laws import facts
from blindplay.record import Journal
from blindplay.table import demo
from blindplay.table import play as table_play
from blindplay.table.choices import Keep, Printed
from blindplay.table.demo import Shown
from blindplay.table.devices import WantedDevices
from tests.command_line import run


def test_a_game_is_played_by_keys_left_and_gone_on_with(tmp_path: Path) -> None:
    game = str(tmp_path / "game.jsonl")
    common = ("play", "--microphone", "none", "--silent", "--print", "all", "--journal", game)
    # The first line is an ä as a terminal of the last century sends it.
    typed = "\nL\udce4ufer\nBauer Eva zwei Eva vier\n\nEva fünf\n\nquit\n"
    first = run(*common, stdin=typed, home=tmp_path)
    assert first.status == 0, first.stderr
    assert "ruled completed: by black; move e7e5; ply 2" in first.stdout
    second = run(*common, "--resume", stdin="\nSpringer Felix drei\n\n", home=tmp_path)
    assert second.status == 0, second.stderr
    assert "ruled completed: by white; move g1f3; ply 3" in second.stdout
    assert "2. Nf3" in second.stdout
    replayed = run("replay", "--journal", game)
    assert sum('"completed"' in line for line in replayed.stdout.splitlines()) == 3


def test_a_journal_is_never_overwritten_by_a_new_game(tmp_path: Path) -> None:
    game = str(tmp_path / "game.jsonl")
    common = ("play", "--microphone", "none", "--silent", "--journal", game)
    assert run(*common, stdin="e4\n", home=tmp_path).status == 0
    again = run(*common, stdin="d4\n", home=tmp_path)
    assert again.status == 2
    assert "--resume" in again.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_table_has_lost_nothing_that_it_announced(tmp_path: Path) -> None:
    game = str(tmp_path / "game.jsonl")
    common = ["play", "--microphone", "none", "--silent", "--print", "all", "--journal", game]
    table = subprocess.Popen(
        [sys.executable, "-m", "blindplay", *common],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=dict(os.environ, PYTHONIOENCODING="utf-8", HOME=str(tmp_path)),
    )
    assert table.stdin is not None and table.stdout is not None
    for line in ("start", "e4", "", "e5", "", "Sf3"):
        table.stdin.write(f"{line}\n")
    table.stdin.flush()
    announced = []
    for line in table.stdout:
        if "ruled" in line:
            announced.append(line.split(" ", 1)[1].strip())
        if "ruled made: by white; move g1f3" in line:
            break
    table.kill()
    table.wait()
    table.stdin.close()
    table.stdout.close()
    replayed = run("replay", "--journal", game).stdout
    kinds = [json.loads(line)["ruling"].replace("_", " ") for line in replayed.splitlines()]
    said = [line.removeprefix("ruled ").split(":")[0] for line in announced]
    assert kinds[: len(said)] == said
    again = run(*common, "--resume", stdin="\n\n", home=tmp_path)
    assert "ruled completed: by white; move g1f3; ply 3" in again.stdout


def test_an_empty_line_before_any_move_is_no_press(tmp_path: Path) -> None:
    done = run("play", "--microphone", "none", "--silent", "--print", "all",
               "--journal", str(tmp_path / "g.jsonl"),
               stdin="start\n\n \nblah\n\nblah\n\n", home=tmp_path)  # fmt: skip
    assert "ruled not made" in done.stdout
    assert "illegal" not in done.stdout
    assert "game over" not in done.stdout


def test_what_a_silent_table_says_is_printed_as_it_is_and_nothing_else(tmp_path: Path) -> None:
    done = run("play", "--microphone", "none", "--silent", "--journal", str(tmp_path / "g.jsonl"),
               stdin="\nSpringer Gustav eins Felix drei\n\n", home=tmp_path,
               reader="de")  # fmt: skip
    lines = done.stdout.splitlines()
    assert "Springer Gustav eins Felix drei" in lines
    assert not [line for line in lines if "ruled" in line or "said" in line or "Nf3" in line]


def test_play_keeps_both_scoresheets_and_prints_them_when_asked(tmp_path: Path) -> None:
    given = ("play", "--microphone", "none", "--silent")
    typed = "\nE2 E4\n\ne5\n\nSf3\n\n"
    short = run(*given, stdin=typed, home=tmp_path, reader="de").stdout
    assert "Partieformular" not in short and "[White" not in short
    *_, sentence, command = short.splitlines()
    assert sentence == load("de").sentence("saved_resume")
    assert command == f"    {options.called()} play --resume"
    done = run(*given, "--print", "all", stdin=typed, home=tmp_path, reader="de")
    assert done.stdout.index("--resume") < done.stdout.index("[White")
    assert "1. Bauer Eva zwei Eva vier … Bauer Eva sieben Eva fünf" in done.stdout
    assert "Partieformular von Weiß:\n" in done.stdout
    assert "1. e4 … e5\n2. Sf3" in done.stdout


@pytest.mark.parametrize(
    "slip",
    [
        ("--private-output", "no such earphone"),
        ("--public-output", "no such loudspeaker"),
        ("--microphone", "no such microphone"),
        ("--silent", "--tape", "table"),
        ("--console", "--host", "192.0.2.1"),
        ("--console", "--certificate", "no.pem", "--key", "no.pem"),
    ],
    ids=lambda slip: " ".join(slip),
)
def test_a_slip_leaves_no_journal_that_would_be_in_the_way(
    tmp_path: Path, slip: tuple[str, ...]
) -> None:
    journal = ("--journal", str(tmp_path / "game.jsonl"))
    ran = run("play", "--microphone", "none", *journal, *slip)
    assert ran.status == 2 and ran.stderr and list(tmp_path.iterdir()) == []


# --- options -------------------------------------------------------------------------------------


class Table:
    """Records how a table is started, instead of starting it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.arguments: tuple[Any, ...] = ()
        monkeypatch.setattr(table_play, "run", self.run)

    def run(self, *arguments: Any) -> table_play.Ended:
        self.arguments = arguments
        return table_play.Ended(over=False, again=None, setup=facts.Setup(t=0))

    @property
    def setup(self) -> facts.Setup:
        setup = self.arguments[1]
        assert isinstance(setup, facts.Setup)
        return setup

    @property
    def devices(self) -> WantedDevices:
        devices = self.arguments[2]
        assert isinstance(devices, WantedDevices)
        return devices

    @property
    def options(self) -> table_play.TableOptions:
        options = self.arguments[5]
        assert isinstance(options, table_play.TableOptions)
        return options


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Table:
    return Table(monkeypatch)


def test_options_of_the_game_make_its_setup(table: Table) -> None:
    done = run("play", "--mode", "rapid", "--supervised", "--impaired", "both", "--white", "Ada",
               "--black-assistant", "--white-hearing-impaired", "--chess960", "--arbiter",
               "--round", "3", "--time-control", "900+10", "--language", "en")  # fmt: skip
    assert (done.status, done.stderr) == (0, "")
    setup = table.setup
    assert (setup.mode, setup.supervised, setup.variant) == ("rapid", True, "chess960")
    assert (setup.arbiter, setup.round, setup.time_control) == ("present", "3", "900+10")
    assert setup.white == facts.Player(
        name="Ada", impaired=True, hearing_impaired=True, language="en"
    )
    assert setup.black == facts.Player(impaired=True, assistant=True, language="en")


def test_the_mode_follows_from_the_time_control_unless_it_is_given(table: Table) -> None:
    run("play", "--time-control", "15m+10s")
    assert (table.setup.time_control, table.setup.mode) == ("900+10", "rapid")
    run("play", "--time-control", "5m")
    assert table.setup.mode == "blitz"
    run("play", "--time-control", "5m", "--mode", "rapid")
    assert table.setup.mode == "rapid"


def test_without_options_white_is_impaired_and_devices_are_searched_for(table: Table) -> None:
    assert run("play", reader="de").status == 0
    assert (table.setup.white.impaired, table.setup.black.impaired) == (True, False)
    assert (table.setup.mode, table.setup.arbiter) == ("standard", "automatic")
    assert table.devices == WantedDevices()
    assert table.options == table_play.TableOptions(
        "de", False, OpeningWord.SINGLE, Printed.UNSPOKEN, Keep.OFF, False, remind_after=(20, 60)
    )
    assert table.arguments[6] is None  # no console


def test_options_of_devices_reach_the_table(table: Table, tmp_path: Path) -> None:
    run("play", "--board", "loop://", "--sighted-board", "dgt", "--microphone", "none", "--model",
        str(tmp_path), "--model", "other", "--silent", "--push-to-talk", "--talk-levers",
        "--shared-microphone", "--private-output", "ear", "--public-output", "loud")  # fmt: skip
    assert table.devices == WantedDevices(
        "loop://", "dgt", "none", "ear", "loud", (tmp_path, Path("other")), True, True, True, True
    )


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ((), OpeningWord.SINGLE),
        (("--push-to-talk",), OpeningWord.OPTIONAL),
        (("--microphone", "none"), OpeningWord.SINGLE),
        (("--push-to-talk", "--opening-word", "required"), OpeningWord.REQUIRED),
    ],
)
def test_after_a_talk_button_no_opening_word_is_needed(
    table: Table, arguments: tuple[str, ...], word: OpeningWord
) -> None:
    run("play", *arguments)
    assert table.options.opening_word is word


def test_times_of_warnings_are_written_like_clock_times(table: Table) -> None:
    run("play", "--time-warnings", "10:00, 1:00,30")
    assert table.options.time_warnings == (600, 60, 30)
    wrong = run("play", "--time-warnings", "5:99")
    assert wrong.status == 2
    assert wrong.stderr.strip() == (
        "'5:99' is not a time up to 30 days; write one such as 1h30m, 15m, 90s or 59:30."
    )


@pytest.mark.parametrize(("given", "after"), [("off", ()), ("30", (30,)), ("10,1:00", (10, 60))])
def test_silent_players_are_reminded_as_it_is_wanted(
    table: Table, given: str, after: tuple[int, ...]
) -> None:
    run("play", "--remind", given)
    assert table.options.remind_after == after


def test_the_console_is_served_where_it_is_wanted(table: Table) -> None:
    run("play", "--console", "--host", "0.0.0.0", "--console-port", "8081", "--qr")
    assert table.arguments[6] == table_play.ConsoleAt("0.0.0.0", 8081, None, None, True)
    run("play", "--console")
    assert table.arguments[6] == table_play.ConsoleAt()


def test_check_is_announced_where_it_is_wanted(tmp_path: Path) -> None:
    typed = "start\nDame Hector fünf\n\n"
    fen = "4k3/8/8/8/8/8/8/3QK3 w - - 0 1"
    common = ("play", "--microphone", "none", "--silent", "--language", "de", "--fen", fen)
    plain = run(*common, stdin=typed, home=tmp_path).stdout
    told = run(*common, "--check", stdin=typed, home=tmp_path).stdout
    assert "Dame David eins Hector fünf Schach" in told
    assert "Schach\n" not in plain and "Dame David eins Hector fünf" in plain


def test_a_resumed_game_has_no_setup_and_its_journal_is_named(table: Table, tmp_path: Path) -> None:
    journal = tmp_path / "game.jsonl"
    Journal(journal).append(facts.Setup(t=0))
    run("play", "--resume", "--journal", str(journal), "--dead-time", "running")
    assert table.arguments[:2] == (journal, None)
    assert table.options.charge_dead_time


def test_without_devices_a_demonstration_is_shown_if_wanted(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[tuple[Any, ...]] = []
    monkeypatch.setattr(demo, "demonstrate", lambda *given: shown.append(given[1:]))
    called = options.called()
    monkeypatch.setattr(WantedDevices, "any_present", lambda self: False)
    journal = tmp_path / "game.jsonl"
    run("play", "--or-demo", "--journal", str(journal), "--language", "en")
    assert shown == [("en", Shown(journal, Printed.WORDS, True, called))]
    assert table.arguments == ()
    run("demo", "--print", "all", reader="de")
    assert shown[1:] == [("de", Shown(None, Printed.ALL, False, called))]


def test_the_game_is_shown_to_everybody_as_late_as_it_is_wanted(table: Table) -> None:
    for given, seconds in (
        ((), 900),
        (("--public-delay", "90s"), 90),
        (("--public-delay", "0"), 0),
    ):
        run("play", "--console", "--public", *given)
        assert table.arguments[6] == table_play.ConsoleAt(qr=False, public_delay=seconds)
    run("play", "--console", "--public", "--public-delay", "1h30m", "--public-names")
    wanted = table_play.ConsoleAt(qr=False, public_delay=5400, public_names=True)
    assert table.arguments[6] == wanted
    run("play", "--console")
    assert table.arguments[6] == table_play.ConsoleAt(qr=False)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--public",), "--public"),
        (("--console", "--public-delay", "5m"), "--public-names"),
        (("--console", "--public-names"), "--public-delay"),
        (("--console", "--public", "--public-delay", "15"), "'15'"),
        (("--console", "--public", "--public-delay", "721h"), "15m"),
        (("--console", "--public", "--public-delay", "-5m"), "15m"),
    ],
)
def test_a_public_page_that_cannot_be_is_refused(given: tuple[str, ...], said: str) -> None:
    refused = run("play", *given)
    assert refused.status == 2 and said in refused.stderr


def test_people_who_end_the_table_of_an_event_are_not_led_back_to_it_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from blindplay.commands import play
    from blindplay.commands.play_options import PlayOptions
    from blindplay.hall.event_file import EventFile
    from blindplay.hall.table_side.between_games import AssignedGames
    from blindplay.record import games
    from blindplay.table.play import Ended

    monkeypatch.setattr(games, "tables_folder", lambda: tmp_path)
    with Journal(tmp_path / "game.jsonl") as journal:
        journal.append(facts.Setup())
    games.keep_options(journal.path, {"await_pairing": True, "left": True})

    def run_table(*_: object, **__: object) -> Ended:
        assert not games.kept_options(journal.path)["left"]  # else a kill would leave it
        return Ended(True, None, facts.Setup())

    monkeypatch.setattr(play, "_run", run_table)
    monkeypatch.setattr(play, "_for_next_game", lambda given, joined: given)
    monkeypatch.setattr(AssignedGames, "next", lambda *_: None)
    given = PlayOptions(resume=True, journal=journal.path)
    joined = EventFile("open", Broker("127.0.0.1"), "1")
    assert play._play_rounds(given, WantedDevices(), joined) == 0
    assert games.kept_options(journal.path)["left"]


def test_a_game_that_cannot_be_opened_leaves_the_table_of_an_event_waiting(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A board is missing at the first game; the hall gives another one."""
    from blindplay.commands import play
    from blindplay.commands.play_options import PlayOptions
    from blindplay.hall.event_file import EventFile
    from blindplay.hall.table_side.between_games import AssignedGames
    from blindplay.table.play import Ended

    games: list[dict[str, str] | None] = [{"round": "1"}, {"round": "2"}, None]
    opened: list[str] = []

    def run_table(
        _given: object, _path: object, setup: facts.Setup, *_: object, **__: object
    ) -> Ended:
        opened.append(setup.round)
        if len(opened) == 1:
            raise OSError(errno.ENOENT, "", "/dev/board")
        return Ended(True, None, setup)

    monkeypatch.setattr(play, "_run", run_table)
    monkeypatch.setattr(play, "_check_table", lambda *_: None)
    monkeypatch.setattr(play, "_for_next_game", lambda given, joined: given)
    monkeypatch.setattr(AssignedGames, "next", lambda *_: games.pop(0))
    joined = EventFile("open", Broker("127.0.0.1"), "1")
    assert play._play_rounds(PlayOptions(), WantedDevices(), joined) == 2
    assert opened == ["1", "2"]
    assert capsys.readouterr().err.startswith("/dev/board ")  # in the language of the reader
