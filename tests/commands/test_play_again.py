"""Another game after one that is over: in the same process, of the same people."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest

from blindplay.boards.ports import BoardNotFoundError
from blindplay.commands.play import _setup
from blindplay.commands.play_options import PlayOptions
from blindplay.commands.play_sources import (
    for_another_game,
    kept_values,
    with_kept_options,
    with_ports,
)
from blindplay.console.access import AccessLinks
from blindplay.language import PLAYS_AGAIN, Command, Key, Language, load, word_of
from blindplay.laws.facts import Arbiter, Assistant, Player, Setup
from blindplay.record import read_journal
from blindplay.record.files import beside
from blindplay.table.devices import WantedDevices
from blindplay.table.play import ConsoleAt, Ended, run
from tests import command_line
from tests.record.disks import failing

KEYS = ("play", "--silent", "--microphone", "none", "--print", "words")


def play_on(folder: Path, pack: Language, *lines: str, options: tuple[str, ...] = ()) -> str:
    """What a table prints whose first game is resigned before these lines are typed."""
    resigned = ("", pack.command(Command.RESIGN), pack.command(Command.YES))
    journal = ("--journal", str(folder / "first.jsonl"), "--language", pack.code)
    typed = "".join(f"{line}\n" for line in (*resigned, *lines, word_of(pack, Key.END)))
    ran = command_line.run(*KEYS, *journal, *options, stdin=typed, home=folder)
    assert ran.status == 0, ran.stderr
    return ran.stdout


def setups(folder: Path) -> list[Setup]:
    """The games in ``folder``, the first one first."""
    first = folder / "first.jsonl"
    found = (first, *sorted(path for path in folder.glob("*.jsonl") if path != first))
    return [one for path in found for one in read_journal(path).facts if isinstance(one, Setup)]


@pytest.mark.parametrize("code", ["de", "en", "nb", "sv", "da"])
def test_a_rematch_against_the_computer_changes_the_colours(tmp_path: Path, code: str) -> None:
    pack = load(code)
    engine = ("--against", "engine", "--level", "beginner", "--white", "Anna")
    lines = (pack.command(Command.REMATCH), "", pack.command(Command.WHAT_NOW))
    text = play_on(tmp_path, pack, *lines, options=engine)
    assert pack.sentence("settings_own", player=pack.sentence("black")) in text
    first, second = setups(tmp_path)
    assert (second.white.name, second.black.name) == (first.black.name, "Anna")
    assert second.black.impaired and not second.white.impaired
    assert (second.time_control, second.announce_in) == (first.time_control, first.announce_in)
    assert second.id != first.id


def test_two_people_sign_the_result_agree_and_play_again(tmp_path: Path) -> None:
    pack = load("de")
    sign = pack.command(Command.SIGN)
    again = pack.command(Command.NEW_GAME)
    signs = (again, f"Weiß: {sign}", "ja", f"Schwarz: {sign}", "ja")
    people = ("--white", "Anna", "--black", "Bernd")
    text = play_on(tmp_path, pack, *signs, again, "nein", again, "ja", "", options=people)
    unsigned = pack.sentence("again_unsigned", players="Weiß, Schwarz", example=f"Schwarz: {sign}")
    assert unsigned in text
    assert text.index(unsigned) < text.index(pack.sentence("again_declined"))
    assert text.count(pack.sentence("welcome")) == 2
    first, second = setups(tmp_path)
    assert (second.white, second.black) == (first.white, first.black)


def test_an_arbiter_arranges_the_next_game(tmp_path: Path) -> None:
    pack = load("en")
    text = play_on(tmp_path, pack, pack.command(Command.REMATCH), options=("--arbiter",))
    assert pack.sentence("again_paired") in text
    words = {one.value: pack.command(one) for one in PLAYS_AGAIN}
    assert pack.sentence("over_again", **words) not in text  # nothing is offered that is refused
    assert len(setups(tmp_path)) == 1


def test_during_a_game_nothing_of_it_is_lost(tmp_path: Path) -> None:
    pack, journal = load("en"), tmp_path / "first.jsonl"
    lines = f"\n{pack.command(Command.NEW_GAME)}\nquit\n"
    ran = command_line.run(*KEYS, "--journal", str(journal), "--language", "en", stdin=lines)
    assert pack.sentence("new_game_how", end=word_of(pack, Key.END)) in ran.stdout
    assert list(tmp_path.glob("*.jsonl")) == [journal]


def test_devices_and_languages_stay_with_their_people_when_colours_change() -> None:
    setup = Setup(
        t=0,
        white=Player(name="Anna", impaired=True, language="en"),
        black=Player(name="Bernd", impaired=True, language="nb", assistant=True),
    )
    rematch = Ended(True, Command.REMATCH, setup, assisted=frozenset({"black"}))
    given = PlayOptions(board="peg:1", sighted_board="dgt:2", resume=True, journal=Path("first"))
    again = for_another_game(given, rematch)
    assert (again.white, again.black, again.own) == ("Bernd", "Anna", "black")
    assert (again.white_language, again.black_language) == ("nb", "en")
    assert (again.white_assistant, again.black_assistant) == (True, False)
    assert (again.board, again.sighted_board) == ("peg:1", "dgt:2")  # those of ``own``
    assert (again.resume, again.journal, again.impaired) == (False, None, "both")
    back = for_another_game(again, rematch)
    assert back.own == "white"
    rematch = replace(rematch, again=Command.NEW_GAME)
    assert for_another_game(again, rematch).own == "black"


@pytest.mark.parametrize("again", [Command.NEW_GAME, Command.REMATCH])
@pytest.mark.parametrize("impaired", ["both", "white", "none"])
def test_devices_stay_with_their_people_after_colours_that_were_corrected(
    impaired: str, again: Command
) -> None:
    """The players changed colours (7.3). Anna, to whom the devices belong, had White before."""
    setup = Setup(
        t=0,
        white=Player(name="Bernd", impaired=impaired == "both"),
        black=Player(name="Anna", impaired=impaired != "none"),
    )
    after = for_another_game(PlayOptions(), Ended(True, again, setup, swapped=True))
    assert getattr(after, after.own) == "Anna"


def test_an_assistant_who_came_by_the_link_has_the_role_in_the_next_game() -> None:
    setup = Setup(t=0, white=Player(impaired=True))
    ended = Ended(True, Command.REMATCH, setup, assisted=frozenset({"white"}))
    after = for_another_game(PlayOptions(), ended)
    assert (after.white_assistant, after.black_assistant) == (False, True)


def test_a_missing_device_keeps_the_table_and_is_told_before_it_closes(tmp_path: Path) -> None:
    """The board is pulled out once everybody wants another game."""
    pack = load("en")
    gone = mock.patch.object(WantedDevices, "check_boards", side_effect=BoardNotFoundError("gone"))
    engine = ("--against", "engine", "--level", "beginner")
    with gone:
        text = play_on(tmp_path, pack, pack.command(Command.REMATCH), options=engine)
    assert text.index(pack.sentence("again_failed")) < text.index(pack.sentence("saved"))
    assert "gone" in text and len(setups(tmp_path)) == 1


def test_where_the_next_game_is_kept_is_told_if_it_is_no_usual_place(tmp_path: Path) -> None:
    pack = load("en")
    engine = ("--against", "engine", "--level", "beginner")
    text = play_on(tmp_path, pack, pack.command(Command.NEW_GAME), options=engine)
    (path,) = (path for path in tmp_path.glob("*.jsonl") if path.name != "first.jsonl")
    assert text.count(pack.printed("again_kept", path=str(path))) == 1


def test_a_rematch_that_was_cut_off_goes_on_with_the_devices_of_its_people(tmp_path: Path) -> None:
    pack = load("de")
    both = ("--impaired", "both", "--white", "Anna", "--training")
    sign = pack.command(Command.SIGN)
    rematch = (pack.command(Command.REMATCH), "ja")
    signs = (f"Weiß: {sign}", "ja", f"Schwarz: {sign}", "ja")
    play_on(tmp_path, pack, *signs, *rematch, options=both)
    (journal,) = (path for path in tmp_path.glob("*.jsonl") if path.name != "first.jsonl")
    assert with_kept_options(journal, PlayOptions(resume=True)).own == "black"


@pytest.mark.parametrize("presided", [True, False])
def test_an_arbiter_who_stays_presides_over_the_next_game(tmp_path: Path, presided: bool) -> None:
    """An arbiter who had left the game to itself has left the next one, too; and a player whose
    assistant was dismissed has none."""
    path = tmp_path / "next.jsonl"
    links = AccessLinks(beside(path, ".links"))
    for role in ("assistant:white", "arbiter"):
        links.enter(links.issue(role), "en")
    links.issue("assistant:black")  # nobody came with this link
    setup = Setup(t=0, white=Player(impaired=True), arbiter="automatic")
    before = Ended(True, Command.REMATCH, setup, presided=presided)
    console = ConsoleAt(port=0, keeps_links=True, after=before)
    wanted = WantedDevices(microphone="none", silent=True)
    run(path, setup, wanted, ["quit"], io.StringIO(), console=console)
    facts = list(read_journal(path).facts)
    assert not any(isinstance(one, Assistant) for one in facts)
    assert [one.do for one in facts if isinstance(one, Arbiter)] == ["preside"] * presided


def test_a_board_that_was_found_by_its_maker_is_known_by_its_port_in_the_next_game() -> None:
    setup = Setup(t=0, white=Player(impaired=True))
    ended = Ended(True, Command.REMATCH, setup, boards=("/dev/ttyACM0", "dgt:/dev/ttyUSB3"))
    after = for_another_game(PlayOptions(sighted_board="dgt"), ended)
    used = with_ports(after, ended)
    assert (used.board, used.sighted_board) == (None, "dgt:/dev/ttyUSB3")
    assert kept_values(after)["sighted_board"] == "dgt"  # tomorrow it is at another port


def test_announcements_keep_their_language_when_the_computer_changes_colours() -> None:
    given = PlayOptions(language="en", white_language="nb", impaired="none", against="engine")
    first = _setup(given)
    after = for_another_game(given, Ended(True, Command.REMATCH, first))
    assert _setup(after).announce_in == first.announce_in == "nb"


def test_no_other_game_begins_before_this_one_is_on_the_disk(tmp_path: Path) -> None:
    pack, out = load("de"), io.StringIO()
    words = {one: pack.command(one) for one in (Command.SIGN, Command.YES, Command.REMATCH)}
    yes = words[Command.YES]
    signs = [f"{side}: {words[Command.SIGN]}" for side in ("Weiß", "Schwarz")]
    typed = ["", pack.command(Command.RESIGN), yes, signs[0], yes, signs[1], yes]
    typed += [words[Command.REMATCH], f"Schwarz: {yes}", "quit"]
    setup, wanted = Setup(t=0, arbiter="automatic"), WantedDevices(microphone="none", silent=True)
    prepared: list[Ended] = []
    with failing("write"):
        run(tmp_path / "game.jsonl", setup, wanted, typed, out, prepare=prepared.append)
    assert pack.sentence("again_unsaved") in out.getvalue() and not prepared
