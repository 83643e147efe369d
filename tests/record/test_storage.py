"""The files of a table are private, and all of them can be removed."""

from __future__ import annotations

import datetime
import io
import logging
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest

from blindplay.laws import facts as f
from blindplay.record import Journal, Tape, storage
from blindplay.record.files import OWN_ENDS
from blindplay.record.pulse import Beat, Pulse
from blindplay.record.tape import tape_folder
from blindplay.table import play
from blindplay.table.devices import WantedDevices
from tests import web
from tests.command_line import run
from tests.waiting import until

SOUND = b"\x01\x02" * 800
SETUP = f.Setup(
    t=0, white=f.Player(name="Astrid Quistgaard"), black=f.Player(name="Wilhelm Zwirner")
)


def _game(folder: Path, name: str = "game.jsonl") -> Path:
    journal = folder / name
    with Journal(journal) as opened:
        opened.append(SETUP)
    tape = Tape(journal.with_suffix(".tape"))
    for ply in (1, 2):
        tape.keep(SOUND, 16_000, t=ply, ply=ply, by="white", words="Bauer Eva vier")
    return journal


def _names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def test_the_sound_of_a_table_is_removed_and_the_game_stays(tmp_path: Path) -> None:
    journal, other = _game(tmp_path), _game(tmp_path, "other.jsonl")
    before = journal.read_bytes()
    done = run("forget", str(journal), home=tmp_path)
    assert (done.status, done.stderr) == (0, "")
    assert done.stdout.startswith("Removed: 2 recordings, 0.0 megabytes of sound.\nThe game stays")
    assert not journal.with_suffix(".tape").exists()
    assert journal.read_bytes() == before
    assert len(Tape(other.with_suffix(".tape")).recordings()) == 2


def test_a_table_is_found_by_its_name_in_the_folder_of_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "tables_folder", lambda: tmp_path)
    journal = _game(tmp_path, "2026-05-01.jsonl")
    assert storage.find("2026-05-01") == storage.find("2026-05-01.jsonl") == journal
    journal.unlink()
    assert storage.find("2026-05-01.jsonl") == journal, "its tape is still there"
    with pytest.raises(ValueError, match="no table 2026-05-02"):
        storage.find("2026-05-02")


def test_forgetting_all_leaves_nothing_of_this_table_and_all_of_others(tmp_path: Path) -> None:
    journal = _game(tmp_path)
    own = [f"game{end}{part}" for end in OWN_ENDS for part in ("", ".part")]
    damaged = ["game.damaged-1.jsonl", "game.damaged-1.pulse", "game.damaged-12.jsonl.part"]
    for name in (*own, *damaged):
        (tmp_path / name).write_bytes(b"")
    _game(tmp_path, "game2.jsonl")
    (tmp_path / "game.pgn").write_text("written by score")
    others = {name for name in _names(tmp_path) if name.startswith("game2")}
    done = run("forget", str(journal), "--all", home=tmp_path / "home")
    assert done.status == 0
    assert _names(tmp_path) - {"home"} == others | {"game.pgn"}
    for name in ("game.jsonl", "game.damaged-1.jsonl", "game.links"):
        assert f"Removed: {tmp_path / name}.\n" in done.stdout


def test_games_whose_names_differ_in_their_endings_share_nothing(tmp_path: Path) -> None:
    for name in ("round.1", "round.2"):
        with Journal(tmp_path / name) as opened:
            opened.append(SETUP)
            opened.beat(1)
        Tape(tape_folder(tmp_path / name)).keep(SOUND, 16_000, t=1, ply=1, by="white", words=name)
        (tmp_path / f"round.damaged-1{name[5:]}").write_bytes(b"")
    before = _names(tmp_path)
    assert {"round.1.pulse", "round.2.pulse", "round.1.tape", "round.2.tape"} < before
    storage.forget(tmp_path / "round.1", everything=True)
    assert _names(tmp_path) == {name for name in before if not re.search(r"\.1\b", name)}


def test_forgetting_twice_is_no_error(tmp_path: Path) -> None:
    journal = _game(tmp_path)
    assert storage.forget(journal).recordings == 2
    assert storage.forget(journal).recordings == 0


def test_incomplete_and_damaged_recordings_are_forgotten_and_other_files_are_left(
    tmp_path: Path,
) -> None:
    journal = _game(tmp_path)
    tape = journal.with_suffix(".tape")
    (tape / "000001-ply-1-white.flac").write_bytes(b"damaged")
    (tape / "000003-ply-3-white.flac.part").write_bytes(b"begun")
    (tape / "letter.txt").write_text("mine")
    done = storage.forget(journal)
    assert (done.recordings, done.left) == (3, (tape / "letter.txt",))
    assert _names(tape) == {"letter.txt"}


def test_a_table_that_is_being_played_is_not_forgotten(tmp_path: Path) -> None:
    journal = _game(tmp_path)
    before = _names(tmp_path)
    with Journal(journal, resume=True), pytest.raises(ValueError, match="at this moment"):
        storage.forget(journal, everything=True)
    assert _names(tmp_path) == before


def test_a_table_that_was_killed_can_be_forgotten(tmp_path: Path) -> None:
    journal = _game(tmp_path)
    Pulse(journal).beat(Beat(1, "", 1000, time.time()))
    storage.forget(journal, everything=True)
    assert _names(tmp_path) == set()


def test_another_programs_file_is_not_taken_for_a_journal(tmp_path: Path) -> None:
    photos = tmp_path / "photos.jsonl"
    photos.write_bytes(b'{"n":2,"wall":1.5}\n')
    done = run("forget", str(photos), "--all", home=tmp_path / "home")
    assert (done.status, len(done.stderr.splitlines())) == (2, 1)
    assert photos.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps a user's folders from others")
def test_folders_with_names_or_voices_are_for_the_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "tables_folder", lambda: tmp_path / "data" / "tables")
    journal = storage.new_journal()
    _game(journal.parent, journal.name)
    for folder in (journal.parent, journal.with_suffix(".tape")):
        assert folder.stat().st_mode & 0o077 == 0, folder


def test_two_games_that_begin_at_the_same_moment_have_journals_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "tables_folder", lambda: tmp_path)

    class OneMoment(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Self:
            return cls(2026, 11, 28, 14, 30, 15, 123456)

    monkeypatch.setattr(datetime, "datetime", OneMoment)
    names = [storage.new_journal().name for _ in range(2)]
    assert names[0] != names[1]
    assert all(name.startswith("2026-11-28-14-30-15-") for name in names)


@pytest.fixture
def logged() -> Iterator[list[str]]:
    """Everything that any library logs, however unimportant."""
    told: list[str] = []

    class Keeping(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            told.append(logging.Formatter().format(record))

    root, handler = logging.getLogger(), Keeping()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield told
    root.removeHandler(handler)
    root.setLevel(level)


def test_logs_of_a_game_hold_no_names(
    tmp_path: Path, logged: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    out, pages = io.StringIO(), []

    def keys() -> Iterator[str]:
        yield "Bauer Eva zwei Eva vier"
        assert until(lambda: "/#" in out.getvalue())
        for base, token in re.findall(r"(http://[\w.:]+)/#(\S+)", out.getvalue()):
            with web.Client(base_url=base, headers={"origin": base}) as browser:
                entered = browser.post("/enter", data={"token": token})
                pages.append(browser.get(entered.headers["location"]).text)
                browser.post(entered.headers["location"] + "do", data={"act": "Quistgaard"})
        yield from ("", "what is this", "{", "white: Turm Anna eins", "resign", "quit")

    named = WantedDevices(microphone="none", silent=True)
    console = play.ConsoleAt(port=0, qr=False)
    play.run(tmp_path / "game.jsonl", SETUP, named, keys(), out, console=console)
    assert any("Quistgaard" in page for page in pages), "whoever is in may read them"
    # The record has them, and they are read back before the game.
    _, _, record = out.getvalue().partition("[Event")
    assert "Quistgaard" in record
    written = [*logged, *capfd.readouterr()]
    for name in ("Astrid", "Quistgaard", "Wilhelm", "Zwirner"):
        assert not any(name in line for line in written)
    assert not list(tmp_path.glob("*.log")) and not (tmp_path / "game.tape").exists()
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.suffix != ".jsonl")
    assert b"Quistgaard" not in kept, "beside the journal"
