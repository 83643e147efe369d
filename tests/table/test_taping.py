"""The tape of a table: what everybody hears is kept, and nothing that nobody was told of."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from benchmarks.memory_audio import MemorySink
from blindplay.hearing.statement import Statement, interpret
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.record import Journal, Tape, TapeError
from blindplay.record.tape import EXPORT_RATE, tape_folder
from blindplay.record.tape_playback import write_tape
from blindplay.speech import audio_devices
from blindplay.speech.audio import RATE, QueueSource, read_audio, read_wav
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.speaker import Output, Speaker
from blindplay.speech.synthesis import Synthesiser
from blindplay.table import Table, play
from blindplay.table.choices import Keep
from blindplay.table.desk import Taping
from blindplay.table.devices import WantedDevices
from blindplay.table.play import TableOptions, run
from tests.conversation.conversing import GERMAN
from tests.table.sitting import Sitting
from tests.waiting import PATIENCE_S, until

SETUP = Setup(t=0, arbiter="automatic", white=Player(impaired=True))
QUIET, LOUD = bytes(32_000), bytes([0, 32]) * 16_000  # a second each


class Taped(Sitting):
    """A table that speaks, with what its outputs have played."""

    def __init__(self, folder: Path, synthesiser: Synthesiser) -> None:
        self.private, self.public = MemorySink("private"), MemorySink("public")
        super().__init__(folder, Speaker(synthesiser, self.private, self.public))


@pytest.fixture
def at(tmp_path: Path, synthesiser: Synthesiser) -> Iterator[Taped]:
    made = Taped(tmp_path, synthesiser)
    yield made
    made.close()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Journal(tmp_path / "game.jsonl") as journal:
        yield Table(journal, SETUP)


def test_what_is_said_to_everybody_is_kept_with_its_ply_and_private_words_are_not(
    at: Taped, synthesiser: Synthesiser, tmp_path: Path
) -> None:
    tape = Tape(tmp_path / "game.tape")
    at.session.keep_tape(tape)
    at.play("e2e4", "e7e5")
    at.table.submit(f.Query(by="white", about="last_move"))
    at.session.wait_until_said()
    kept = tape.recordings()
    assert [(found.ply, found.by, found.words) for found in kept] == [
        (1, "table", GERMAN.sentence("tape_told")),
        (1, "table", "Bauer Eva zwei Eva vier"),
        (2, "table", "Schwarz ist am Zug."),
        (2, "table", "Bauer Eva sieben Eva fünf"),
        (3, "table", "Weiß ist am Zug."),
    ]
    assert len(at.private.played) == 1 and len(at.public.played) == 5
    for found, played in zip(kept, at.public.played, strict=True):
        pcm, rate = read_wav(synthesiser.render(found.words, public=True))
        assert read_audio(found.path, rate) == played.pcm == pcm


def test_the_tape_is_played_privately_from_a_move_on(at: Taped, tmp_path: Path) -> None:
    at.session.keep_tape(Tape(tmp_path / "game.tape"))
    at.play("e2e4", "e7e5", "g1f3")
    at.session.wait_until_said()
    heard = len(at.public.played)
    at.session.play_tape(2)
    at.session.wait_until_said()
    whose, move, answer = at.private.played
    assert move.rate == EXPORT_RATE
    for again, before in zip((whose, move, answer), at.public.played[-3:], strict=True):
        assert again.seconds == pytest.approx(before.seconds, abs=0.01)
    at.session.play_tape(3)
    at.session.wait_until_said()
    assert len(at.private.played) == 4  # a sentence that there is nothing
    assert len(at.public.played) == heard
    assert len(Tape(tmp_path / "game.tape").recordings()) == heard


def test_an_announcement_does_not_wait_for_the_tape_and_an_interruption_ends_it(
    table: Table, synthesiser: Synthesiser, tmp_path: Path
) -> None:
    taping = Taping(Tape(tmp_path / "game.tape"), table, pytest.fail)
    for number in range(1, 6):
        pcm = bytes([number, 0]) * EXPORT_RATE
        taping.tape.keep(pcm, EXPORT_RATE, t=number, ply=number, by="table", words=f"Zug {number}")
    heard: list[str] = []
    began = threading.Semaphore(0)

    def start(pcm: bytes, rate: int) -> None:
        heard.append(f"tape {pcm[0]}" if len(pcm) == 2 * EXPORT_RATE else "announcement")
        began.release()

    sink = MemorySink(realtime=True, on_start=start)
    synthesiser.render("weiter")
    with Speaker(synthesiser, sink, sink) as speaker:
        assert taping.play(speaker, 2)
        assert began.acquire(timeout=PATIENCE_S)
        speaker.say("weiter", to=Output.PUBLIC)
        assert began.acquire(timeout=PATIENCE_S) and began.acquire(timeout=PATIENCE_S)
        speaker.interrupt()
        assert speaker.wait(PATIENCE_S)
    assert heard == ["tape 2", "announcement", "tape 3"]
    assert not taping.play(speaker, 6)


def test_without_a_tape_that_is_said(at: Taped) -> None:
    at.session.play_tape(1)
    at.session.wait_until_said()
    assert len(at.private.played) == 1


def test_a_tape_that_fails_is_told_to_everybody_once(at: Taped, tmp_path: Path) -> None:
    at.session.keep_tape(Tape(tmp_path / "game.tape"))
    at.session.wait_until_said()
    shutil.rmtree(tmp_path / "game.tape")
    at.play("e2e4", "e7e5")
    at.session.wait_until_said()
    assert at.printed.count("cannot be written") == 1
    assert at.printed.count(GERMAN.sentence("tape_failed")) == 1
    assert len(at.public.played) == 6
    (tmp_path / "game.tape").mkdir()
    at.play("g1f3")
    at.session.wait_until_said()
    assert [kept.words for kept in Tape(tmp_path / "game.tape").recordings()] == [
        "Springer Gustav eins Felix drei", "Schwarz ist am Zug.",
    ]  # fmt: skip


def told(taping: Taping) -> Taping:
    """Everybody has been told what will be recorded."""
    taping.says(GERMAN.sentence("tape_told_voices"))(LOUD, RATE)
    return taping


def said(phrase: str) -> Statement:
    return interpret(phrase, (chess.Board(),), GERMAN)


def test_a_voice_is_kept_only_for_what_was_taken_for_a_move(table: Table, tmp_path: Path) -> None:
    tape = Tape(tmp_path / "voices.tape")
    taping = told(Taping(tape, table, pytest.fail, voices=True))
    for phrase in ("Zeit", "ja", "Springer Gustav eins Felix drei"):
        taping.hears("white", said(phrase), LOUD)
    _, kept = tape.recordings()
    assert (kept.by, kept.ply, kept.words) == ("white", 1, "Springer Gustav eins Felix drei")
    assert read_audio(kept.path) == LOUD


def test_no_voice_is_kept_before_everybody_has_been_told(table: Table, tmp_path: Path) -> None:
    taping = Taping(Tape(tmp_path / "voices.tape"), table, pytest.fail, voices=True)
    taping.says(GERMAN.sentence("tape_told_voices"))  # it is being said, or was cut off
    taping.hears("white", said("Springer Gustav eins Felix drei"), LOUD)
    assert taping.tape.recordings() == []


def test_voices_are_kept_only_where_everybody_can_hear_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play, "devices", lambda: audio_devices.AudioDevices((), ()))
    nobody = WantedDevices(microphone="none")
    with pytest.raises(TapeError, match="loudspeaker"):
        run(
            tmp_path / "game.jsonl",
            SETUP,
            nobody,
            [],
            io.StringIO(),
            TableOptions(tape=Keep.VOICES),
        )
    assert not (tmp_path / "game.jsonl").exists()


def test_a_tape_of_the_table_keeps_no_voice(table: Table, tmp_path: Path) -> None:
    taping = told(Taping(Tape(tmp_path / "game.tape"), table, pytest.fail))
    taping.hears("white", said("Springer Gustav eins Felix drei"), LOUD)
    assert [kept.by for kept in taping.tape.recordings()] == ["table"]


def test_a_tape_is_written_into_one_file_with_pauses(tmp_path: Path) -> None:
    tape = Tape(tmp_path / "game.tape")
    for ply in (1, 2):
        tape.keep(LOUD, 16_000, t=0, ply=ply, by="table", words="loud")
    write_tape(tmp_path / "all.wav", tape.recordings())
    _, rate = read_wav(tmp_path / "all.wav")
    pcm = read_audio(tmp_path / "all.wav", rate)
    assert len(pcm) / 2 / rate == pytest.approx(2.5, abs=0.01)


@pytest.mark.parametrize("keep", [Keep.TABLE, Keep.VOICES])
def test_everybody_is_told_first_what_is_recorded_and_where_it_lies(
    tmp_path: Path, keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(play, "devices", lambda: audio_devices.AudioDevices(("a loudspeaker",), ()))
    out = io.StringIO()
    devices = WantedDevices(microphone="none")
    run(
        tmp_path / "game.jsonl",
        SETUP,
        devices,
        ["start", "e4", "quit"],
        out,
        TableOptions(tape=keep),
    )
    told = GERMAN.sentence("tape_told" if keep is Keep.TABLE else "tape_told_voices")
    lines = [line for line in out.getvalue().splitlines() if "said to everybody" in line]
    assert lines[0].endswith(told)
    assert f"Das Band liegt in {tmp_path / 'game.tape'}." in out.getvalue()
    words = [kept.words for kept in Tape(tmp_path / "game.tape", create=False).recordings()]
    assert words[0] == told and "Bauer Eva zwei Eva vier" in words


def test_a_silent_table_has_no_tape(tmp_path: Path) -> None:
    devices = WantedDevices(microphone="none", silent=True)
    with pytest.raises(TapeError, match="--silent"):
        run(
            tmp_path / "game.jsonl",
            SETUP,
            devices,
            [],
            io.StringIO(),
            TableOptions(tape=Keep.TABLE),
        )
    assert not (tmp_path / "game.jsonl").exists()


def test_an_announcement_at_the_microphone_is_kept(
    at: Taped, synthesiser: Synthesiser, recogniser: Recogniser, tmp_path: Path
) -> None:
    tape = Tape(tmp_path / "game.tape")
    at.session.keep_tape(tape, voices=True)
    at.session.wait_until_said()
    at.table.submit(f.Start())
    microphone = QueueSource()
    at.session.attach_microphone("white", microphone, recogniser)
    pause = bytes(2 * 2 * RATE)
    said = read_audio(synthesiser.render("Bauer Eva zwei Eva vier"))
    microphone.push(pause + said + pause)
    assert at.session.wait_for("announced", PATIENCE_S)
    at.session.wait_until_said()
    told, voice, table = tape.recordings()
    assert [told.by, voice.by, table.by] == ["table", "white", "table"]
    assert voice.words.casefold() == table.words.casefold() == "bauer eva zwei eva vier"
    # The announcement itself, and the silence by which its end was known.
    kept = read_audio(voice.path)
    assert said[: len(said) // 2] in kept
    assert len(said) <= len(kept) <= len(said) + len(pause)


def test_a_table_that_is_killed_has_on_tape_what_it_has_said(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    command = ["play", "--microphone", "none", "--journal", str(path), "--tape", "table"]
    with subprocess.Popen(
        [sys.executable, "-m", "blindplay", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
    ) as playing:
        assert playing.stdin is not None
        playing.stdin.write(b"start\ne4\n\ne5\n\n")
        playing.stdin.flush()
        black = "Bauer Eva sieben Eva fünf"
        taped = Tape(tape_folder(path))
        assert until(lambda: black in [kept.words for kept in taped.recordings()])
        playing.kill()
    tape = Tape(tape_folder(path), create=False)
    assert not tape.damaged()
    said = [(kept.ply, kept.words) for kept in tape.recordings()]
    assert (1, "Bauer Eva zwei Eva vier") in said and (2, black) in said
    # The game goes on, and so does its tape.
    run(
        path,
        None,
        WantedDevices(microphone="none"),
        ["", "Sf3", "quit"],
        io.StringIO(),
        TableOptions(tape=Keep.TABLE),
    )
    assert "Springer Gustav eins Felix drei" in [kept.words for kept in tape.recordings()]
    assert [kept.number for kept in tape.recordings()] == list(range(1, len(tape.recordings()) + 1))
