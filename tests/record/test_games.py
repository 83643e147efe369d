"""The games on this machine: read from their journals, replayed with the worked examples of the
contract, kept private, and removed.
"""

from __future__ import annotations

import datetime
import io
import json
import logging
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest

from blindplay.laws import facts as f
from blindplay.record import Journal, Tape, games
from blindplay.record.files import OWN_ENDS
from blindplay.record.games import (
    ReplayError,
    keep_options,
    kept_options,
    options_of,
    read_facts,
    read_from_journal,
    replay,
)
from blindplay.record.pulse import Beat, Pulse
from blindplay.record.tape import tape_folder
from blindplay.table import play
from blindplay.table.devices import WantedDevices
from tests import web
from tests.command_line import run
from tests.waiting import until

SOUND = b"\x01\x02" * 800
PLAYED = f.Setup(
    t=0, white=f.Player(name="Astrid Quistgaard"), black=f.Player(name="Wilhelm Zwirner")
)


def _game(folder: Path, name: str = "game.jsonl") -> Path:
    journal = folder / name
    with Journal(journal) as opened:
        opened.append(PLAYED)
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
    monkeypatch.setattr(games, "tables_folder", lambda: tmp_path)
    journal = _game(tmp_path, "2026-05-01.jsonl")
    assert games.find("2026-05-01") == games.find("2026-05-01.jsonl") == journal
    journal.unlink()
    assert games.find("2026-05-01.jsonl") == journal, "its tape is still there"
    with pytest.raises(ValueError, match="no table 2026-05-02"):
        games.find("2026-05-02")


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
            opened.append(PLAYED)
            opened.beat(1)
        Tape(tape_folder(tmp_path / name)).keep(SOUND, 16_000, t=1, ply=1, by="white", words=name)
        (tmp_path / f"round.damaged-1{name[5:]}").write_bytes(b"")
    before = _names(tmp_path)
    assert {"round.1.pulse", "round.2.pulse", "round.1.tape", "round.2.tape"} < before
    games.forget(tmp_path / "round.1", everything=True)
    assert _names(tmp_path) == {name for name in before if not re.search(r"\.1\b", name)}


def test_forgetting_twice_is_no_error(tmp_path: Path) -> None:
    journal = _game(tmp_path)
    assert games.forget(journal).recordings == 2
    assert games.forget(journal).recordings == 0


def test_incomplete_and_damaged_recordings_are_forgotten_and_other_files_are_left(
    tmp_path: Path,
) -> None:
    journal = _game(tmp_path)
    tape = journal.with_suffix(".tape")
    (tape / "000001-ply-1-white.flac").write_bytes(b"damaged")
    (tape / "000003-ply-3-white.flac.part").write_bytes(b"begun")
    (tape / "letter.txt").write_text("mine")
    done = games.forget(journal)
    assert (done.recordings, done.left) == (3, (tape / "letter.txt",))
    assert _names(tape) == {"letter.txt"}


def test_a_table_that_is_being_played_is_not_forgotten(tmp_path: Path) -> None:
    journal = _game(tmp_path)
    before = _names(tmp_path)
    with Journal(journal, resume=True), pytest.raises(ValueError, match="at this moment"):
        games.forget(journal, everything=True)
    assert _names(tmp_path) == before


def test_a_table_that_was_killed_can_be_forgotten(tmp_path: Path) -> None:
    journal = _game(tmp_path)
    Pulse(journal).beat(Beat(1, "", 1000, time.time()))
    games.forget(journal, everything=True)
    assert _names(tmp_path) == set()


def test_another_programs_file_is_not_taken_for_a_journal(tmp_path: Path) -> None:
    photos = tmp_path / "photos.jsonl"
    for content in (b'{"n":2,"wall":1.5}\n', b"\xef\xbb\xbf", b"\n\n", b'\n{"n":2,"wall":1.5}\n'):
        photos.write_bytes(content)
        done = run("forget", str(photos), "--all", home=tmp_path / "home")
        assert (done.status, len(done.stderr.splitlines())) == (2, 1)
        assert photos.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps a user's folders from others")
def test_folders_with_names_or_voices_are_for_the_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "tables_folder", lambda: tmp_path / "data" / "tables")
    journal = games.new_journal()
    _game(journal.parent, journal.name)
    for folder in (journal.parent, journal.with_suffix(".tape")):
        assert folder.stat().st_mode & 0o077 == 0, folder


def test_two_games_that_begin_at_the_same_moment_have_journals_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "tables_folder", lambda: tmp_path)

    class OneMoment(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Self:
            return cls(2026, 11, 28, 14, 30, 15, 123456)

    monkeypatch.setattr(datetime, "datetime", OneMoment)
    names = [games.new_journal().name for _ in range(2)]
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
    play.run(tmp_path / "game.jsonl", PLAYED, named, keys(), out, console=console)
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


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(games, "tables_folder", lambda: tmp_path)
    return tmp_path


def keep(folder: Path, name: str, *facts: f.Fact, at: int) -> Path:
    """A game whose journal was written last at ``at`` seconds."""
    path = folder / f"{name}.jsonl"
    with Journal(path) as journal:
        for fact in facts:
            journal.append(fact)
    os.utime(path, (at, at))
    return path


SETUP = f.Setup(
    boards=1, date="2026-05-01", arbiter="automatic",
    white=f.Player(name="Anna"), black=f.Player(name="Bert"),
)  # fmt: skip
MOVES = (
    f.Make(t=1, by="white", move="e2e4"), f.Press(t=2, by="white"),
    f.Make(t=3, by="black", move="e7e5"), f.Press(t=4, by="black"),
    f.Make(t=5, by="white", move="g1f3"), f.Press(t=6, by="white"),
)  # fmt: skip


def test_games_are_listed_with_players_date_moves_and_result(folder: Path) -> None:
    keep(folder, "a", SETUP, f.Start(), *MOVES, at=1)
    keep(folder, "b", SETUP, f.Start(), f.Resign(t=1, by="white"), at=2)
    second, first = list(games.kept_games())
    assert (first.white, first.black, first.date) == ("Anna", "Bert", "2026-05-01")
    assert (first.moves, first.result, first.unfinished) == (2, "", True)
    assert (second.moves, second.result, second.unfinished) == (0, "0-1", False)


def test_the_last_unfinished_game_is_found(folder: Path) -> None:
    keep(folder, "old", SETUP, f.Start(), at=1)
    wanted = keep(folder, "left", SETUP, f.Start(), *MOVES, at=2)
    keep(folder, "over", SETUP, f.Start(), f.Resign(t=1, by="white"), at=3)
    keep(folder, "never-begun", SETUP, at=4)
    now = int(time.time())
    assert games.last_unfinished() == wanted
    for name, facts in (("set-up", ()), ("to-sign", (f.Start(), f.Resign(t=1, by="white")))):
        own = keep(folder, name, SETUP, *facts, at=now)
        games.keep_options(own, {"await_pairing": False})
        assert games.last_unfinished() == wanted
        games.keep_options(own, {"await_pairing": True})
        assert games.last_unfinished() == own
        os.utime(own, (now - 100_000, now - 100_000))  # the event is over
        assert games.last_unfinished() == wanted
        own.unlink()


def test_after_an_event_was_left_an_unfinished_game_comes_first(folder: Path) -> None:
    now = int(time.time())
    private = keep(folder, "private", SETUP, f.Start(), *MOVES, at=now - 9)
    before = keep(folder, "before", SETUP, f.Start(), f.Resign(t=1, by="white"), at=now - 1)
    games.keep_options(before, {"await_pairing": True})
    event = keep(folder, "event", SETUP, f.Start(), f.Resign(t=1, by="white"), at=now)
    games.note(event, left=True)
    assert not games.kept_options(event)  # it had none
    games.keep_options(event, {"await_pairing": True})
    assert games.last_unfinished() == event  # its table was killed
    games.leave_event()
    assert games.kept_options(event)["left"] and not games.kept_options(before).get("left")
    assert games.last_unfinished() == private and games.last_unfinished(of_event=True) == event
    private.unlink()
    assert games.last_unfinished() == event  # nothing else can be meant
    later = keep(folder, "later", SETUP, f.Start(), *MOVES, at=now + 1)
    assert games.last_unfinished() == later and games.last_unfinished(of_event=True) == event
    for game in (event, before):
        games.note(game, withdrawn=True)
    assert games.last_unfinished(of_event=True) == later


def test_without_an_unfinished_game_one_sentence_says_what_to_do(folder: Path) -> None:
    keep(folder, "over", SETUP, f.Start(), f.Resign(t=1, by="white"), at=3)
    with pytest.raises(ValueError, match=r"There is no unfinished game .*without --resume\."):
        games.last_unfinished()


def test_a_game_that_is_played_now_is_shown_as_running(folder: Path) -> None:
    with Journal(folder / "now.jsonl") as journal:
        journal.append(SETUP)
        journal.append(f.Start())
        (game,) = games.kept_games()
    assert game.running and game.unfinished
    assert not games.kept_game(game.journal).running


def test_a_damaged_journal_shows_what_is_whole_and_says_what_is_wrong(folder: Path) -> None:
    path = keep(folder, "a", SETUP, f.Start(), *MOVES, at=1)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]) + lines[-1].replace(b'"wall":1', b'"wool":2'))
    (folder / "other.jsonl").write_text("no journal", "utf-8")
    (game,) = games.kept_games()
    assert game.white == "Anna" and game.moves == 1
    assert "damaged" in game.trouble


def test_the_game_that_ended_last_is_found(folder: Path) -> None:
    with pytest.raises(ValueError, match="There is no finished game"):
        games.last_finished()
    keep(folder, "before", SETUP, f.Start(), f.Resign(t=1, by="white"), at=1)
    wanted = keep(folder, "over", SETUP, f.Start(), f.Resign(t=1, by="white"), at=2)
    keep(folder, "left", SETUP, f.Start(), *MOVES, at=3)
    assert games.last_finished() == wanted


def test_a_game_that_is_being_played_is_found_in_the_folder_and_elsewhere(folder: Path) -> None:
    done = keep(folder, "over", SETUP, f.Start(), f.Resign(t=1, by="white"), at=2)
    assert games.being_played(done, folder / "none") is None
    with Journal(folder / "now.jsonl") as journal:
        journal.append(SETUP)
        assert games.being_played() == folder / "now.jsonl"
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    with Journal(elsewhere / "now.txt") as other:
        assert games.being_played() is None and games.being_played(other.path) == other.path


_FACTS: list[dict[str, Any]] = [
    {"t": 0, "fact": "setup", "edition": "fide-2023", "fen": "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1",
     "white": {"impaired": True}, "black": {}, "time_control": "300"},
    {"t": 1, "fact": "start", "by": "arbiter"},
    {"t": 5, "fact": "lift", "board": "white", "square": "e4"},
    {"t": 6, "fact": "announce", "by": "white", "text": "Bauer Eva vier schlägt David fünf"},
    {"t": 7, "fact": "press", "by": "white"},
    {"t": 9, "fact": "lift", "board": "white", "square": "d5"},
    {"t": 10, "fact": "place", "board": "white", "square": "d5", "piece": "P"},
    {"t": 12, "fact": "press", "by": "white"},
]  # fmt: skip
EXAMPLE = "".join(json.dumps(fact, ensure_ascii=False) + "\n" for fact in _FACTS)


def rulings(lines: str, edition: str | None = None) -> list[dict[str, Any]]:
    facts = read_facts(io.StringIO(lines), "facts")
    return [ruling.to_json() for ruling in replay(facts, edition)]


def of(kind: str, given: list[dict[str, Any]]) -> dict[str, Any]:
    found = [ruling for ruling in given if ruling["ruling"] == kind]
    assert found, kind
    return found[-1]


def test_first_worked_example_gives_its_rulings_in_order() -> None:
    given = rulings(EXAMPLE)
    wanted = ["clock", "touched", "obliged", "announced", "not_made", "made", "completed", "clock"]
    kinds = [ruling["ruling"] for ruling in given]
    rest = iter(kinds)
    assert all(kind in rest for kind in wanted), kinds
    assert of("announced", given)["words"] == "Bauer Eva vier schlägt David fünf"
    assert of("made", given)["san"] == "exd5"
    assert of("clock", given) == {
        "t": 12, "ruling": "clock", "running": "black", "white": 289, "black": 300,
        "article": "fide-2023 D.2.4",
    }  # fmt: skip


def test_a_slip_in_german_words_is_corrected() -> None:
    given = rulings(
        '{"t":0,"fact":"setup","white":{"impaired":true}}\n'
        '{"t":0,"fact":"start"}\n'
        '{"t":1,"fact":"announce","by":"white","text":"Springer Gustav eins Felix drei"}\n'
        '{"t":2,"fact":"correct","by":"white","text":"Springer Gustav eins Hector drei"}\n'
    )
    slip = of("slip_corrected", given)
    assert (slip["was"], slip["now"], slip["article"]) == ("g1f3", "g1h3", "fide-2023 D.2.8")


def test_an_illegal_announcement_is_refused_with_its_reason() -> None:
    given = rulings(
        '{"t":0,"fact":"setup","white":{"impaired":true}}\n'
        '{"t":1,"fact":"announce","by":"white","text":"Turm Anna eins Anna fünf"}\n'
    )
    assert of("refused", given)["why"] == "blocked"


def test_another_edition_can_be_asked_for() -> None:
    assert of("touched", rulings(EXAMPLE, "fide-1997"))["article"] == "fide-1997 F.2"


@pytest.mark.parametrize(
    "line",
    ["x", "[]", '{"t":1}', '{"t":1,"fact":"lift"}', '{"t":-1,"fact":"tick"}',
     '{"t":1,"fact":"lift","board":"white","square":"z9"}', '{"t":NaN,"fact":"tick"}',
     '{"t":true,"fact":"tick"}', '{"t":1,"fact":["tick"]}'],
)  # fmt: skip
def test_a_line_that_is_not_a_fact_is_named_and_the_rulings_before_it_stand(line: str) -> None:
    facts = read_facts(io.StringIO(EXAMPLE + line + "\n"), "facts")
    given = []
    with pytest.raises(ReplayError, match=r"^facts:9: .+"):
        for ruling in replay(facts):
            given.append(ruling)
    assert [ruling.to_json() for ruling in given] == rulings(EXAMPLE)


def test_facts_survive_the_journal_and_replay_the_same(tmp_path: Path) -> None:
    with Journal(tmp_path / "game.jsonl") as journal:
        for _, fact in read_facts(io.StringIO(EXAMPLE), "facts"):
            journal.append(fact)
    kept = read_from_journal(tmp_path / "game.jsonl")
    assert [ruling.to_json() for ruling in replay(kept)] == rulings(EXAMPLE)


def test_what_was_kept_comes_back_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    journal = tmp_path / "game.jsonl"
    options = {"language": "nb", "board": None, "silent": True, "model": ["a", "b"]}
    keep_options(journal, options)
    assert kept_options(journal) == options
    if os.name == "posix":
        assert options_of(journal).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [None, b"", b"[1]", b"\xff", b"[" * 100_000])
def test_what_cannot_be_read_counts_as_nothing(tmp_path: Path, content: bytes | None) -> None:
    journal = tmp_path / "game.jsonl"
    if content is not None:
        options_of(journal).write_bytes(content)
    assert kept_options(journal) == {}


def test_forgetting_a_game_forgets_them_too(tmp_path: Path) -> None:
    journal = tmp_path / "game.jsonl"
    Journal(journal).close()
    keep_options(journal, {"language": "nb"})
    games.forget(journal, everything=True)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_stops_no_game(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    keep_options(tmp_path / "file" / "game.jsonl", {"language": "nb"})
