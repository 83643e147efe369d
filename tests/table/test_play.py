"""The interactive table: how a game begins, what is printed, and how it ends."""

from __future__ import annotations

import io
import itertools
import platform
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.conversation import OpeningWord
from blindplay.language import Command
from blindplay.laws.facts import Arbiter, Arrive, CallArbiter, Fact, Player, Position, Setup
from blindplay.record import JournalError, games, read_journal
from blindplay.speech import audio_devices
from blindplay.speech.speaker import Outcome
from blindplay.table import Table, play
from blindplay.table.choices import Printed
from blindplay.table.devices import WantedDevices
from blindplay.table.hall_contact import Elsewhere
from blindplay.table.play import DEFAULT, TableOptions, run
from blindplay.wording.announcements import result_in_words
from tests import command_line
from tests.conversation.conversing import GERMAN, KNIGHTS
from tests.record.disks import failing
from tests.table.playing import KEYS_ONLY, played
from tests.table.speaking import Voice
from tests.waiting import until

MOVE = "Springer Gustav eins Felix drei"
IN_WORDS = TableOptions(printed=Printed.WORDS)


def begun(path: Path, *lines: str, options: TableOptions = DEFAULT, **setup: Any) -> str:
    """What a new table with a blind White prints when these lines are typed."""
    fields = {"white": Player(impaired=True), "arbiter": "automatic", **setup}
    return played(path, lines, Setup(t=0, time_control="5400", **fields), options)


def test_a_game_is_resigned_by_a_typed_yes(tmp_path: Path) -> None:
    text = begun(tmp_path / "game.jsonl", "aufgeben", "Zeit", "quit")
    assert "game over" not in text
    text = begun(tmp_path / "other.jsonl", "aufgeben", "ja")
    assert "Wollen Sie wirklich aufgeben? Sagen Sie ja oder nein." in text
    assert "ruled game over: result 0-1; reason resignation" in text


def test_what_was_asked_for_is_executed_when_it_is_answered(tmp_path: Path) -> None:
    # Where a board has no sensors, typing a move executes it: so does the answer.
    lines = ["Springer David zwei", "Bella", "quit"]
    text = begun(tmp_path / "game.jsonl", *lines, fen=KNIGHTS)
    assert "said privately: Bella eins oder Felix drei?" in text
    assert "Nicht eindeutig" not in text
    assert "ruled made: by white; move b1d2" in text


def test_the_keyboards_help_is_in_the_language_of_the_table(tmp_path: Path) -> None:
    text = begun(tmp_path / "game.jsonl", "quit")
    begins = GERMAN.sentence("begin_type", help="Hilfe", end="beenden")
    assert begins in text and GERMAN.printed("help_moves") not in text
    assert GERMAN.printed("help_moves") in begun(tmp_path / "other.jsonl", "keys", "quit")


@pytest.mark.parametrize("training", [True, False])
def test_the_position_is_told_in_training_only(tmp_path: Path, training: bool) -> None:
    options = TableOptions(training=training)
    lines = ["was steht auf e2", "quit"]
    text = begun(tmp_path / "game.jsonl", *lines, options=options)
    assert ("said privately: Eva zwei: weißer Bauer." in text) is training
    assert (
        "said privately: Die Stellung wird während der Partie nicht gesagt." in text
    ) is not training
    assert "ruled refused: by white; what query; why not_during_play" in text


def test_how_to_ask_for_help_is_said_when_the_game_begins(tmp_path: Path) -> None:
    needed = TableOptions(opening_word=OpeningWord.REQUIRED)
    text = begun(tmp_path / "game.jsonl", "quit", options=needed)
    assert "Sie können sagen" not in text  # nothing hears
    assert "said to everybody: Tippen Sie einen Zug oder eine Frage. Mehr mit Hilfe" in text


def test_who_hears_badly_is_told_to_the_table_which_says_that_an_assistant_is_needed(
    tmp_path: Path,
) -> None:
    """D.2.11."""
    play = ["play", "--language", "en", "--silent", "--microphone", "none", "--journal"]
    for number, assistant in enumerate(([], ["--black-assistant"])):
        path = str(tmp_path / f"{number}.jsonl")
        said = command_line.run(*play, path, "--black-hearing-impaired", *assistant, stdin="quit\n")
        assert ("an assistant must be used" in said.stdout) is (not assistant), said.stdout


@pytest.mark.parametrize("loudspeaker", [True, False])
def test_without_a_loudspeaker_everything_that_is_said_is_printed(
    tmp_path: Path, loudspeaker: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = audio_devices.AudioDevices(("a loudspeaker",) if loudspeaker else (), ())
    monkeypatch.setattr(play, "devices", lambda: found)
    monkeypatch.setattr(play, "open_speaker", lambda *_: Voice(Outcome.SPOKEN))
    out = io.StringIO()
    setup = Setup(t=0, white=Player(impaired=True))
    devices = WantedDevices(microphone="none")
    options = TableOptions(printed=Printed.UNSPOKEN)
    run(tmp_path / "game.jsonl", setup, devices, ["", MOVE], out, options)
    assert (MOVE in out.getvalue().splitlines()) is not loudspeaker


# --- the end ------------------------------------------------------------------------------------


def test_a_game_that_begins_on_a_full_disk_says_so_first_and_again_when_it_is_left(
    tmp_path: Path,
) -> None:
    failed, welcome = GERMAN.sentence("journal_failed"), GERMAN.sentence("welcome")
    with failing("write"):
        printed = begun(tmp_path / "game.jsonl", MOVE, "quit")
    assert printed.index(failed) < printed.index(welcome) < printed.rindex(failed)
    assert GERMAN.sentence("saved") not in printed
    assert not read_journal(tmp_path / "game.jsonl").facts


def test_a_script_can_tell_whether_the_game_that_was_left_is_saved(tmp_path: Path) -> None:
    path = str(tmp_path / "game.jsonl")
    left = ("play", "--silent", "--microphone", "none", "--journal", path)
    with failing("write"):
        assert command_line.run(*left, stdin="quit\n").status == 1
    assert command_line.run(*left, stdin="quit\n").status == 0


def test_a_game_that_begins_on_a_full_disk_is_kept_whole_when_there_is_room(
    tmp_path: Path,
) -> None:
    path = tmp_path / "game.jsonl"
    with ExitStack() as disk:
        disk.enter_context(failing("write"))
        options, out = TableOptions(kept={"voice": "own"}), io.StringIO()

        def lines() -> Iterator[str]:
            yield MOVE
            assert until(lambda: MOVE in out.getvalue())
            disk.close()  # somebody makes room
            assert until(lambda: GERMAN.sentence("journal_saved") in out.getvalue())
            yield "quit"

        setup = Setup(t=0, time_control="5400", white=Player(impaired=True), arbiter="automatic")
        run(path, setup, KEYS_ONLY, itertools.chain([""], lines()), out, options)
    assert [fact.kind for fact in read_journal(path).facts[:2]] == ["setup", "start"]
    assert games.kept_options(path) == {"voice": "own"}


def test_what_was_noted_with_the_options_survives_a_full_disk(tmp_path: Path) -> None:
    path, out = tmp_path / "game.jsonl", io.StringIO()
    games.keep_options(path, {"voice": "reader", "left": True})  # of a game that is gone
    options = TableOptions(kept={"voice": "own"})

    def lines() -> Iterator[str]:
        assert until(lambda: games.kept_options(path) == {"voice": "own"})
        games.note(path, board_ids={"white": "0000000a"})
        with failing("write"):
            yield MOVE
            assert until(lambda: MOVE in out.getvalue())
        assert until(lambda: GERMAN.sentence("journal_saved") in out.getvalue())
        yield "quit"

    setup = Setup(t=0, time_control="5400", white=Player(impaired=True), arbiter="automatic")
    run(path, setup, KEYS_ONLY, itertools.chain([""], lines()), out, options)
    assert games.kept_options(path) == {"voice": "own", "board_ids": {"white": "0000000a"}}


class HallThatWaits:
    """A hall's publisher: the table is ``online``, and the hall has the game after so many
    questions whether it has; 0: never."""

    def __init__(self, *, online: bool, after: int) -> None:
        self.online, self.after = online, after
        self.waited: list[float] = []

    def __call__(self, table: Table, about: object) -> nullcontext[None]:
        table.hall.see(self.online, 0.0)
        table.hall.join(self.has_it)
        return nullcontext()

    def has_it(self, seconds: float) -> bool:
        self.waited.append(seconds)
        return len(self.waited) == self.after


@pytest.mark.parametrize("lines", [("aufgeben", "ja", "quit"), (MOVE, "quit")])
@pytest.mark.parametrize(
    ("online", "after", "said"),
    [
        (True, 1, []),
        (True, 2, ["hall_waits", "hall_has"]),
        (True, 0, ["hall_waits", "hall_lacks"]),
        (False, 0, ["hall_lacks"]),
    ],
)
def test_who_leaves_hears_whether_the_hall_has_the_game(
    tmp_path: Path, lines: tuple[str, ...], online: bool, after: int, said: list[str]
) -> None:
    path, out, hall = tmp_path / "g.jsonl", io.StringIO(), HallThatWaits(online=online, after=after)
    setup = Setup(t=0, white=Player(impaired=True), arbiter="automatic")
    run(path, setup, KEYS_ONLY, ["", *lines], out, companion=hall)
    keys = ("hall_waits", "hall_has", "hall_lacks")
    assert [key for key in keys if GERMAN.sentence(key) in out.getvalue()] == said
    assert sum(hall.waited) <= 10  # as hall_waits says
    resume = f" play --resume --journal {path}\n"
    assert (resume in out.getvalue()) is ("hall_lacks" in said or MOVE in lines)


@pytest.mark.parametrize("fact", [None, Arrive(by="black"), CallArbiter(by="white")])
def test_a_withdrawn_game_stays_where_somebody_has_done_something_in_it(
    tmp_path: Path, fact: Fact | None
) -> None:
    """The hall withdraws it before it has begun. Nobody is led to it again."""
    path, given = tmp_path / "game.jsonl", list[float]()

    def has_it(seconds: float) -> bool:
        given.append(seconds)
        return True

    @contextmanager
    def hall(table: Table, about: object) -> Iterator[None]:
        table.hall.hear(None)
        table.hall.join(has_it)
        table.submit(Position(board="white", placement="8/8/8/8/8/8/8/8"))
        table.submit(Arbiter(by="table", do="stop_clocks"))
        if fact is not None:
            table.submit(fact)
        with table.lock:
            table.pairings.withdraw("pairing_withdrawn")
        yield

    out = io.StringIO()
    options = replace(DEFAULT, kept={"await_pairing": True})
    ended = run(path, Setup(), KEYS_ONLY, [], out, options, companion=hall)
    assert ended.withdrawn and GERMAN.sentence("pairing_withdrawn") in out.getvalue()
    if fact is None:
        assert not list(tmp_path.iterdir()) and not given
        return
    assert fact.kind in [one.kind for one in read_journal(path).facts] and given
    with mock.patch.object(games, "tables_folder", lambda: tmp_path), pytest.raises(ValueError):
        games.last_unfinished()


def test_a_game_whose_end_the_table_has_signed_elsewhere_is_not_reopened(tmp_path: Path) -> None:
    path, out = tmp_path / "game.jsonl", io.StringIO()
    begun(path, MOVE, "quit")
    before = path.read_bytes()

    def hall(table: Table, about: object) -> nullcontext[None]:
        table.hall.join(lambda seconds: False)
        table.hall.hear(Elsewhere("0-1", signed=True))
        return nullcontext()

    with pytest.raises(JournalError, match=r"not reopened: the hall has its end, 0-1, signed"):
        run(path, None, KEYS_ONLY, ["", "quit"], out, companion=hall)
    assert path.read_bytes() == before
    result = result_in_words(GERMAN, "0-1")
    assert GERMAN.sentence("hall_finished", result=result) in out.getvalue()


def test_the_end_of_the_keys_ends_a_table_with_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    *_, command = text = begun(path, "e4", options=IN_WORDS).splitlines()
    assert any(GERMAN.sentence("keyboard_ended_all") in line for line in text)
    assert any(GERMAN.sentence("saved") in line for line in text)
    assert command.split() == ["blindplay", "play", "--resume", "--journal", str(path)]


def test_a_table_of_phones_alone_tells_of_no_keyboard(tmp_path: Path) -> None:
    out, setup = io.StringIO(), Setup(t=0, white=Player(impaired=True), arbiter="automatic")
    run(tmp_path / "game.jsonl", setup, replace(KEYS_ONLY, phones_only=True), [], out, IN_WORDS)
    for key in ("begin_key", "keyboard_ended", "keyboard_ended_all"):
        assert GERMAN.sentence(key) not in out.getvalue()


def test_players_sign_by_voice_when_the_keys_have_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table closes after a minute of silence. Here each look at the time is 20 s later. A
    microphone that was there counts also while it is pulled out: it comes back."""
    resign = GERMAN.command(Command.RESIGN)
    for hears in (True, False):
        asked = mock.Mock(side_effect=[True] if hears else itertools.repeat(False))
        monkeypatch.setattr(play, "hears", asked)
        monkeypatch.setattr(
            play, "time", SimpleNamespace(monotonic=itertools.count(step=20).__next__)
        )
        out, setup = io.StringIO(), Setup(t=0, arbiter="automatic")
        typed = ["", resign, GERMAN.command(Command.YES)]
        run(tmp_path / f"{hears}.jsonl", setup, KEYS_ONLY, typed, out)
        assert (GERMAN.sentence("keyboard_ended") in out.getvalue()) is hears


def test_a_board_goes_on_without_the_keys(tmp_path: Path) -> None:
    """White has a second. Nobody can type any more, and the flag falls."""
    out, setup = io.StringIO(), Setup(t=0, time_control="1", arbiter="automatic")
    with EmulatedBoard() as board:
        devices = WantedDevices(board=board.url, microphone="none", silent=True)
        run(tmp_path / "game.jsonl", setup, devices, ["start"], out, DEFAULT)
    assert GERMAN.sentence("keyboard_ended") in out.getvalue()
    assert "ruled game over: result 0-1; reason flag" in out.getvalue()
    assert "--resume" not in out.getvalue()  # there is nothing to continue


@pytest.mark.parametrize("waiting", [True, False])
def test_an_interruption_saves_and_tells_how_to_continue(tmp_path: Path, waiting: bool) -> None:
    def keys() -> Iterator[str]:
        assert until(lambda: "Welcome to the table." in out.getvalue())  # it is there
        if not waiting:
            yield from ("start", "e4")
            assert until(lambda: "Eva vier" in out.getvalue())
        signal.raise_signal(signal.SIGINT)
        threading.Event().wait()  # nobody types any more

    out, path = io.StringIO(), tmp_path / "game.jsonl"
    run(
        path,
        Setup(t=0, time_control="5400"),
        KEYS_ONLY,
        keys(),
        out,
        replace(IN_WORDS, language="en"),
    )
    assert "The game is saved." in out.getvalue()
    assert f"play --resume --journal {path}\n" in out.getvalue()
    assert read_journal(path).facts[-1].kind == ("setup" if waiting else "arbiter")


def test_the_last_line_of_a_saved_game_continues_it(tmp_path: Path) -> None:
    path = tmp_path / "a game.jsonl"
    command = shlex.split(begun(path, "quit", options=IN_WORDS).splitlines()[-1])
    assert command[-1] == str(path)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems share one heap")
def test_threads_share_one_heap() -> None:
    """Else a table grows with each game, though nothing is kept."""
    script = """
import sys, threading
from blindplay.table.play import share_one_heap
if sys.argv[1] == "shared":
    share_one_heap()
together, heaps = threading.Barrier(6), set()
def work():
    together.wait()
    kept = [bytes(1000 + size) for size in range(500)]
    heaps.update(id(one) >> 26 for one in kept)
    together.wait()
threads = [threading.Thread(target=work) for _ in range(6)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(len(heaps))
"""

    def heaps(how: str) -> int:
        command = [sys.executable, "-c", script, how]
        return int(subprocess.run(command, capture_output=True, check=True).stdout)

    assert heaps("shared") <= 2
    if platform.libc_ver()[0] == "glibc":
        assert heaps("each its own") > 2
