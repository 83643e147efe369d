"""``blindplay doctor``, its findings and its report."""

from __future__ import annotations

import getpass
import json
import os
import platform
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from blindplay.commands import doctor
from blindplay.commands.doctor import Diagnosis, examine_speech
from blindplay.extras import install_command
from blindplay.hearing import speaker_models, speaker_preferences
from blindplay.language import load
from blindplay.laws import facts as f
from blindplay.record import Journal, files, games
from blindplay.speech.models.folders import MANIFEST, find_model
from blindplay.speech.screen_reader import ScreenReader
from blindplay.speech.speaker import Voicing
from blindplay.speech.synthesis import Synthesiser
from tests.braille.virtual_display import VirtualDisplay
from tests.command_line import run
from tests.speech.readers import RecordingReader


def test_doctor_reports_what_is_there_and_what_is_missing(tmp_path: Path) -> None:
    done = run("doctor", "--json", home=tmp_path)
    assert done.status == 0
    about = {json.loads(line)["about"] for line in done.stdout.splitlines()}
    assert {"voices", "recogniser", "output", "microphone", "board", "journal"} <= about


def test_the_report_is_one_file_without_sound(tmp_path: Path) -> None:
    file = tmp_path / "report.txt"
    done = run("doctor", "--json", "--report", str(file), home=tmp_path)
    assert done.status == 0
    told = [json.loads(line) for line in done.stdout.splitlines()]
    text = file.read_text("utf-8")
    first = text.splitlines()[:3]
    assert first[0].startswith("BlindPlay ") and first[2].endswith(platform.python_version())
    for one in told:
        needed = ", and needed" if one["needed"] else ""
        verdict = "Good" if one["ok"] else f"Missing{needed}"
        assert f"{verdict}, {one['about']}: " in text
    assert {"packages", "journal", "disk", "room", "clock", "console"} <= {
        one["about"] for one in told
    }
    assert str(tmp_path) not in text
    assert not list(tmp_path.rglob("*.wav"))


def test_the_status_is_1_if_no_table_can_be_run(tmp_path: Path) -> None:
    (tmp_path / "blindplay").mkdir()
    (tmp_path / "blindplay" / "tables").write_text("a file in the place of the folder", "utf-8")
    done = run("doctor", home=tmp_path)
    assert done.status == 1
    assert "Missing, and needed: No game can be kept" in done.stdout


def test_a_report_into_a_folder_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    done = run("doctor", "--report", str(tmp_path / "no" / "report.txt"), home=tmp_path)
    assert (done.status, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


# --- What ``blindplay doctor`` finds on a machine, and what it writes for others


# Findings are asked for one by one: all of them take seconds.


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder, with nothing of BlindPlay's in it yet."""
    house = tmp_path / "home" / "astrid.quistgaard"
    house.mkdir(parents=True)
    monkeypatch.setattr(Path, "home", lambda: house)
    monkeypatch.setattr(games, "tables_folder", lambda: house / "tables")
    monkeypatch.setattr(speaker_models, "players_folder", lambda: house / "players")
    monkeypatch.setattr(speaker_preferences, "folder", lambda: house / "config")
    return house


def test_a_folder_for_games_is_tried_and_left_as_it_was(home: Path) -> None:
    found = list(doctor._journal(games.tables_folder()))
    assert [(one.ok, one.about) for one in found[:2]] == [(True, "journal"), (True, "disk")]
    assert " ms" in found[1].sentence
    assert list(games.tables_folder().iterdir()) == []


def test_a_folder_in_which_nothing_can_be_written_is_told(home: Path) -> None:
    games.tables_folder().write_text("a file")
    (found,) = doctor._journal(games.tables_folder())
    assert (found.ok, found.about) == (False, "journal")


def test_a_slow_disk_a_full_one_and_one_without_locks_are_told(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "_append", lambda journal, t: 2000.0)
    monkeypatch.setattr(doctor, "_ROOM", 10**18)
    found = {one.about: one for one in doctor._journal(games.tables_folder())}
    assert not found["disk"].ok and not found["room"].ok

    def without_locks(handle: int) -> bool:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(files, "lock", without_locks)
    (journal,) = doctor._journal(games.tables_folder())
    assert "No locks available" in journal.sentence and "--journal" in journal.sentence
    assert not journal.ok


def test_games_that_are_kept_are_read_to_their_ends(home: Path) -> None:
    folder = games.tables_folder()
    assert list(doctor._games(folder)) == []
    for name in ("anna-berta.jsonl", "other.jsonl"):
        with Journal(folder / name) as journal:
            journal.append(f.Setup(t=0), f.Start(t=1), f.Tick(t=2))
    assert [one.sentence for one in doctor._games(folder)] == [
        "Games that were read to their ends: the last 2."
    ]
    lines = (folder / "anna-berta.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "anna-berta.jsonl").write_bytes(lines[0] + lines[2])
    (folder / "other.tape").mkdir()
    bad, tape = doctor._games(folder)
    assert not bad.ok and "anna-berta" in bad.sentence and "anna" not in (bad.shared or "anna")
    assert "sound on tape: 1;" in tape.sentence


def test_a_port_that_another_program_has_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr(doctor, "PORT", taken.getsockname()[1])
        assert not doctor._console().ok
    assert doctor._console().ok


def test_the_clock_that_times_games_goes_forward() -> None:
    assert doctor._clock().ok


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps a user's folders from others")
def test_folders_that_others_may_look_into_are_told(home: Path) -> None:
    speaker_preferences.keep("Astrid", Voicing())
    assert [one.ok for one in doctor._private()] == [True]
    speaker_preferences.folder().chmod(0o755)
    (found,) = doctor._private()
    assert not found.ok and "chmod" in found.sentence
    os.system(found.sentence.partition("run: ")[2])
    assert [one.ok for one in doctor._private()] == [True]


def test_packages_are_compared_with_those_that_were_tested(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert {"chess", "vosk", "numpy"} <= doctor._installed().keys()
    assert doctor._locked()["chess"]
    monkeypatch.setattr(doctor, "_locked", lambda: {"chess": {"0.1"}})
    assert "chess 1" in doctor._packages().sentence
    assert "instead of 0.1" in doctor._packages().sentence


def test_the_report_names_nobody(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "node", lambda: "Wilhelms-PC.local")
    monkeypatch.setattr(getpass, "getuser", lambda: "aquist")
    speaker_preferences.keep("Berta Übelacker", Voicing())
    speaker_preferences.keep("Li", Voicing())
    text = doctor.report_of(
        [
            Diagnosis(True, "journal", f"Games are kept in {home / 'tables'}."),
            Diagnosis(True, "output", "Astrids Kopfhörer.", "There is 1 audio output."),
            Diagnosis(False, "x", f"{home}, wilhelms-pc, aquist, BERTA and Übelacker; Lithuania."),
        ]
    )
    assert f"Good, journal: Games are kept in {Path('~', 'tables')}.\n" in text
    assert "There is 1 audio output." in text
    assert text.endswith(": ~, NAME, NAME, NAME and NAME; Lithuania.\n")
    for name in ("astrid", "kopfhörer", "wilhelm", "aquist", "berta", "übelacker"):
        assert name not in text.casefold()


def test_damaged_choices_of_models_are_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "chosen_models", lambda language: (Path("one"),))
    monkeypatch.setattr(doctor, "unread_choices", lambda: "It is damaged.")
    told = list(doctor._together(load("de"), None))
    assert told == [Diagnosis(False, "models", "It is damaged.")]
    assert list(doctor._together(load("de"), Path("one"))) == []


def test_the_screen_reader_that_runs_is_named_and_one_that_cannot_be_reached_has_a_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader = RecordingReader()
    monkeypatch.setattr(doctor, "ScreenReader", reader.screen_reader)
    found = doctor._reader()
    assert found.ok and found.sentence.startswith("Recorder speaks ")
    reader.closed = True
    found = doctor._reader()
    assert not found.ok and found.sentence.endswith("start yours.")
    monkeypatch.setattr(doctor, "ScreenReader", ScreenReader)
    monkeypatch.setitem(sys.modules, "prism", None)
    assert install_command("reader") in doctor._reader().sentence


def test_a_braille_display_is_told_with_its_cells_and_a_server_that_is_not_there_with_a_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="brl-") as folder,
        VirtualDisplay(Path(folder), 40) as display,
    ):
        monkeypatch.setenv("BRLAPI_HOST", display.host)
        found = doctor._braille()
        assert found.ok and "40 cells" in found.sentence
        display.stop()
        found = doctor._braille()
        assert not found.ok and "start it" in found.sentence


def test_boards_of_all_makers_are_told_as_board_find_does(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(warn: Callable[[str], None]) -> Iterator[tuple[str, str]]:
        yield from found
        warn("Bluetooth cannot be used.")

    found = [("chessnut:ble://A1", "Annas Chessnut"), ("/dev/ttyUSB0", "pegged board")]
    monkeypatch.setattr(doctor, "find_boards", find)
    told = [one for one in doctor._boards() if one.about == "board"]
    assert [one.ok for one in told] == [True, True, False]
    assert "chessnut:ble://A1" in told[0].sentence and "Anna" not in (told[0].shared or "Anna")
    found.clear()
    told = [one for one in doctor._boards() if one.about == "board"]
    assert [one.ok for one in told] == [False, False]


# --- What ``blindplay doctor`` finds about speech


@pytest.fixture(scope="module")
def synthesiser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Synthesiser]:
    with Synthesiser("de", cache=tmp_path_factory.mktemp("cache")) as made:
        yield made


def test_findings_are_sentences_with_remedies(synthesiser: Synthesiser) -> None:
    findings = examine_speech(
        "de", words=["springer zeppelin"], seconds=0.1, synthesiser=synthesiser
    )
    by_subject = {finding.about: finding for finding in findings}
    assert by_subject["voices"].ok and by_subject["recogniser"].ok
    assert not by_subject["vocabulary"].ok and "zeppelin" in by_subject["vocabulary"].sentence
    assert {"output", "microphone"} <= set(by_subject)
    assert all(one.sentence.endswith(".") and "\n" not in one.sentence for one in findings)


def test_a_language_without_voice_and_model_is_reported(synthesiser: Synthesiser) -> None:
    found = {
        one.about: one.ok for one in examine_speech("xx", seconds=0.1, synthesiser=synthesiser)
    }
    assert not found["voices"] and not found["recogniser"]


def test_a_model_that_was_cut_short_is_reported(tmp_path: Path, synthesiser: Synthesiser) -> None:
    ignored = shutil.ignore_patterns(MANIFEST)
    model = Path(shutil.copytree(find_model("de"), tmp_path / "model", ignore=ignored))
    file = model / "graph" / "HCLr.fst"
    data = file.read_bytes()
    file.unlink()
    file.write_bytes(data[: len(data) // 2])
    findings = examine_speech("de", model=model, seconds=0.1, synthesiser=synthesiser)
    assert [one.ok for one in findings if one.about == "recogniser"] == [False]
