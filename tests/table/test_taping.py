"""The tape of a table: what everybody hears is kept, and nothing that nobody was told of."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import pytest

from blindplay.hearing.statement import Statement, interpret
from blindplay.language import load
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.record import Journal, Tape, TapeError
from blindplay.record.tape import EXPORT_RATE, tape_folder
from blindplay.record.tape_playback import write_tape
from blindplay.speech import audio_devices
from blindplay.speech.audio import RATE, MemorySource, QueueSource, SilentSink, read_audio, read_wav
from blindplay.speech.models.folders import find_model
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.speaker import Output, Speaker
from blindplay.speech.synthesis import Synthesiser
from blindplay.table import Table, play
from blindplay.table.choices import Keep
from blindplay.table.devices import WantedDevices
from blindplay.table.play import TableOptions, run
from blindplay.table.session import Session
from blindplay.table.taping import Taping
from blindplay.table.transcript import Transcript

GERMAN = load("de")
SETUP = Setup(t=0, arbiter="automatic", white=Player(impaired=True))
QUIET, LOUD = bytes(32_000), bytes([0, 32]) * 16_000  # a second each
Run = tuple[Session, SilentSink, SilentSink]


@pytest.fixture(scope="module")
def synthesiser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Synthesiser]:
    with Synthesiser("de", cache=tmp_path_factory.mktemp("phrases")) as made:
        yield made


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Journal(tmp_path / "game.jsonl") as journal:
        yield Table(journal, SETUP)


@pytest.fixture
def session(table: Table, synthesiser: Synthesiser) -> Iterator[Run]:
    private, public = SilentSink("private"), SilentSink("public")
    made = Session(
        table, GERMAN, Speaker(synthesiser, private, public), Transcript(io.StringIO(), table.time)
    )
    yield made, private, public
    made.close()


def announce(table: Table, *moves: str) -> None:
    for move in moves:
        side, other = ("white", "black") if table.game.side == "white" else ("black", "white")
        table.submit(f.Announce(by=side, move=move))
        table.submit(f.Make(by=side, move=move))
        table.submit(f.Make(by=other, move=move))
        table.submit(f.Press(by=side))


def test_what_is_said_to_everybody_is_kept_with_its_ply_and_private_words_are_not(
    session: Run, synthesiser: Synthesiser, tmp_path: Path
) -> None:
    running, private, public = session
    tape = Tape(tmp_path / "game.tape")
    running.keep_tape(tape)
    announce(running.table, "e2e4", "e7e5")
    running.table.submit(f.Query(by="white", about="last_move"))
    running.wait_until_said()
    kept = tape.recordings()
    assert [(found.ply, found.by, found.words) for found in kept] == [
        (1, "table", GERMAN.sentence("tape_told")),
        (1, "table", "Bauer Eva zwei Eva vier"),
        (2, "table", "Bauer Eva sieben Eva fünf"),
    ]
    assert len(private.played) == 1 and len(public.played) == 3
    for found, played in zip(kept, public.played, strict=True):
        pcm, rate = read_wav(synthesiser.render(found.words))
        assert read_audio(found.path, rate) == played.pcm == pcm


def test_the_tape_is_played_privately_from_a_move_on(session: Run, tmp_path: Path) -> None:
    running, private, public = session
    running.keep_tape(Tape(tmp_path / "game.tape"))
    announce(running.table, "e2e4", "e7e5", "g1f3")
    running.wait_until_said()
    heard = len(public.played)
    running.play_tape(2)
    running.wait_until_said()
    (again,) = private.played
    assert again.rate == EXPORT_RATE
    assert again.seconds == pytest.approx(public.played[-1].seconds, abs=0.01)
    running.play_tape(3)
    running.wait_until_said()
    assert len(private.played) == 2  # a sentence that there is nothing
    assert len(public.played) == heard
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

    sink = SilentSink(realtime=True, on_start=start)
    synthesiser.render("weiter")
    with Speaker(synthesiser, sink, sink) as speaker:
        assert taping.play(speaker, 2)
        assert began.acquire(timeout=10)
        speaker.say("weiter", to=Output.PUBLIC)
        assert began.acquire(timeout=10) and began.acquire(timeout=10)
        speaker.interrupt()
        assert speaker.wait(10)
    assert heard == ["tape 2", "announcement", "tape 3"]
    assert not taping.play(speaker, 6)


def test_without_a_tape_that_is_said(session: Run) -> None:
    running, private, _ = session
    running.play_tape(1)
    running.wait_until_said()
    assert len(private.played) == 1


def test_a_tape_that_fails_is_told_to_everybody_once(session: Run, tmp_path: Path) -> None:
    running, _, public = session
    running.keep_tape(Tape(tmp_path / "game.tape"))
    running.wait_until_said()
    shutil.rmtree(tmp_path / "game.tape")
    announce(running.table, "e2e4", "e7e5")
    running.wait_until_said()
    printed = running.transcript._out.getvalue()  # type: ignore[attr-defined]
    assert printed.count("cannot be written") == 1
    assert printed.count(GERMAN.sentence("tape_failed")) == 1
    assert len(public.played) == 4
    (tmp_path / "game.tape").mkdir()
    announce(running.table, "g1f3")
    running.wait_until_said()
    assert [kept.words for kept in Tape(tmp_path / "game.tape").recordings()] == [
        "Springer Gustav eins Felix drei"
    ]


def told(taping: Taping) -> Taping:
    """Everybody has been told what will be recorded."""
    taping.says(GERMAN.sentence("tape_told_voices"))(LOUD, RATE)
    return taping


def said(phrase: str | None) -> Statement | None:
    return None if phrase is None else interpret(phrase, (chess.Board(),), GERMAN)


def heard(taping: Taping, pcm: bytes) -> Callable[[str | None], None]:
    for _ in taping.overhear("white", MemorySource(pcm)):
        pass
    return lambda phrase: taping.hears("white", "white", said(phrase))


def test_a_voice_is_kept_only_for_what_was_taken_for_a_move(table: Table, tmp_path: Path) -> None:
    tape = Tape(tmp_path / "voices.tape")
    taping = told(Taping(tape, table, pytest.fail, voices=True))
    for phrase in (None, "Zeit", "ja", "Springer Gustav eins Felix drei"):
        heard(taping, QUIET * 3 + LOUD + QUIET)(phrase)
    _, kept = tape.recordings()
    assert (kept.by, kept.ply, kept.words) == ("white", 1, "Springer Gustav eins Felix drei")
    # A third of a second before the first loud block, and all that comes after it.
    assert read_audio(kept.path) == (QUIET * 3)[-10_240:] + LOUD + QUIET


def test_what_is_discarded_or_was_heard_before_is_not_in_the_next_voice(
    table: Table, tmp_path: Path
) -> None:
    tape = Tape(tmp_path / "voices.tape")
    taping = told(Taping(tape, table, pytest.fail, voices=True))
    source = taping.overhear("white", MemorySource(LOUD * 30))
    for number, _ in enumerate(source):
        if number == 25:
            source.discard()  # the table has spoken meanwhile
        if number == 50:
            taping.hears("white", "white", None)
        if number == 75:
            taping.hears("white", "white", said("Bauer Eva zwei Eva vier"))
    taping.hears("white", "white", said("Bauer Eva zwei Eva drei"))
    _, first, second = tape.recordings()
    assert read_audio(first.path) == LOUD  # 25 blocks of 40 ms
    assert len(read_audio(second.path)) == 20 * len(LOUD)  # never longer than an announcement


def test_no_voice_is_kept_before_everybody_has_been_told(table: Table, tmp_path: Path) -> None:
    taping = Taping(Tape(tmp_path / "voices.tape"), table, pytest.fail, voices=True)
    taping.says(GERMAN.sentence("tape_told_voices"))  # it is being said, or was cut off
    heard(taping, LOUD)("Springer Gustav eins Felix drei")
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


def test_without_voices_nothing_of_them_is_even_in_memory(table: Table, tmp_path: Path) -> None:
    taping = Taping(Tape(tmp_path / "game.tape"), table, pytest.fail)
    source = MemorySource(LOUD)
    assert taping.overhear("white", source) is source
    taping.hears("white", "white", said("Springer Gustav eins Felix drei"))
    assert taping.tape.recordings() == []


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
    assert f"The tape is {tmp_path / 'game.tape'}." in out.getvalue()
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
    session: Run, synthesiser: Synthesiser, tmp_path: Path
) -> None:
    running, _, _ = session
    tape = Tape(tmp_path / "game.tape")
    running.keep_tape(tape, voices=True)
    running.wait_until_said()
    running.table.submit(f.Start())
    microphone = QueueSource()
    recogniser = Recogniser(find_model("de"), "de", spellings=GERMAN.spoken)
    running.attach_microphone("white", microphone, recogniser)
    pause = bytes(2 * 2 * RATE)
    said = read_audio(synthesiser.render("Bauer Eva zwei Eva vier"))
    microphone.push(pause + said + pause)
    assert running.wait_for("announced", 30)
    running.wait_until_said()
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
        end = time.monotonic() + 60
        while not tape_folder(path).is_dir() or len(list(tape_folder(path).glob("*.flac"))) < 4:
            assert time.monotonic() < end
            time.sleep(0.01)
        playing.kill()
    tape = Tape(tape_folder(path), create=False)
    assert not tape.damaged()
    assert [(kept.ply, kept.words) for kept in tape.recordings()][2:4] == [
        (1, "Bauer Eva zwei Eva vier"),
        (2, "Bauer Eva sieben Eva fünf"),
    ]
    # The game goes on, and so does its tape.
    run(
        path,
        None,
        WantedDevices(microphone="none"),
        ["Sf3", "quit"],
        io.StringIO(),
        TableOptions(tape=Keep.TABLE),
    )
    assert "Springer Gustav eins Felix drei" in [kept.words for kept in tape.recordings()]
    assert [kept.number for kept in tape.recordings()] == list(range(1, len(tape.recordings()) + 1))
