"""The user's own screen reader: each private sentence once, no word lost when it vanishes."""

from __future__ import annotations

import locale
import os
import re
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks.memory_audio import MemorySink
from blindplay.extras import install_command
from blindplay.speech import screen_reader, speaker
from blindplay.speech.audio import read_wav
from blindplay.speech.screen_reader import ReaderError, ScreenReader
from blindplay.speech.speaker import Outcome, Output, Speaker
from blindplay.speech.synthesis import Synthesiser
from tests.speech.readers import RecordingReader, SpeechDispatcher, prism, reached
from tests.waiting import PATIENCE_S, until


def test_a_reader_speaks_what_is_private_and_our_voice_what_is_public(
    synthesiser: Synthesiser,
) -> None:
    reader, own = RecordingReader(), MemorySink()
    done: list[Outcome] = []
    with Speaker(synthesiser, own, own, reader=reader.screen_reader()) as speaker:
        for word, to in (("eins", Output.PRIVATE), ("zwei", Output.PUBLIC)) * 2:
            speaker.say(word, to=to, on_done=done.append)
        speaker.say((("drei", "de"), ("four", "en")), to=Output.PRIVATE, on_done=done.append)
        assert speaker.wait(PATIENCE_S)
    assert reader.spoken == ["eins", "eins", "drei four"]
    said = read_wav(synthesiser.render("zwei", public=True))[0]
    assert [sound.pcm for sound in own.played] == 2 * [said]
    assert done == [Outcome.SPOKEN] * 5


@pytest.mark.parametrize(("wanted", "meanwhile"), [("xx_XX.UTF-8", "C"), ("C", "C")])
def test_glib_is_started_with_a_locale_that_the_system_has(
    monkeypatch: pytest.MonkeyPatch, wanted: str, meanwhile: str
) -> None:
    monkeypatch.setenv("LC_ALL", wanted)
    before = locale.setlocale(locale.LC_CTYPE)
    with screen_reader._quiet_glib():
        assert os.environ["LC_ALL"] == meanwhile
        assert locale.setlocale(locale.LC_CTYPE) == before
    assert os.environ["LC_ALL"] == wanted


def test_a_reader_that_does_not_tell_its_end_is_given_the_time_of_a_slow_one() -> None:
    reader = RecordingReader(ends=False).screen_reader(words_per_minute=600)
    # A second to begin in, and fifty letters are ten words, at 600 words a minute.
    assert reader.lasts("x" * 50) == pytest.approx(2.0)
    begun = time.monotonic()
    assert reader.speak("ja", threading.Event())
    assert time.monotonic() - begun >= reader.lasts("ja")


def test_an_interruption_silences_the_reader_but_may_leave_an_announcement(
    synthesiser: Synthesiser,
) -> None:
    reader, own = RecordingReader(ends=False), MemorySink()
    outcomes: list[Outcome] = []
    with Speaker(synthesiser, own, own, reader=reader.screen_reader()) as speaker:
        for to in (Output.PRIVATE, Output.PUBLIC, Output.PRIVATE):
            speaker.say("ein langer satz", to=to, on_done=outcomes.append)
        assert until(lambda: reader.spoken)
        speaker.interrupt(announcements=False)
        assert speaker.wait(PATIENCE_S)
    assert reader.stopped == 1 and reader.spoken == ["ein langer satz"]
    assert sorted(outcomes, key=str) == [Outcome.DROPPED, Outcome.INTERRUPTED, Outcome.SPOKEN]
    assert [sound.whole for sound in own.played] == [True]


def test_typing_leaves_an_announcement_that_is_being_spoken_alone(synthesiser: Synthesiser) -> None:
    begun = threading.Event()
    public = MemorySink(realtime=True, on_start=lambda pcm, rate: begun.set())
    with Speaker(synthesiser, public, public) as speaker:
        speaker.say("weiter", to=Output.PUBLIC)
        assert begun.wait(PATIENCE_S)
        speaker.interrupt(announcements=False)
        assert speaker.wait(PATIENCE_S)
    assert [sound.whole for sound in public.played] == [True]


def test_our_voice_takes_over_from_a_reader_that_is_closed_until_it_is_back(
    synthesiser: Synthesiser,
) -> None:
    reader, own = RecordingReader(), MemorySink()
    works: list[bool] = []
    trouble: list[str] = []
    with Speaker(
        synthesiser, own, own, reader=reader.screen_reader(), on_error=trouble.append
    ) as speaker:
        speaker.on_reader(works.append)
        for closed in (False, True, True, False):
            reader.closed = closed
            speaker.say("weiter", to=Output.PRIVATE)
            assert speaker.wait(PATIENCE_S)
    assert (len(reader.spoken), len(own.played), works) == (2, 2, [False, True])
    assert len(trouble) == 1 and trouble[0].endswith("start yours.")


def test_our_voice_takes_over_from_a_reader_that_hangs(
    synthesiser: Synthesiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader takes the sentence only after our voice has said it: then it falls silent."""
    free, reader, own = threading.Event(), RecordingReader(), MemorySink()
    monkeypatch.setattr(speaker, "PLAYING_PATIENCE_S", 0.0)
    monkeypatch.setattr(screen_reader, "_BEGINS_S", 0.05)
    monkeypatch.setattr(screen_reader, "ANSWERS_S", 0.0)
    hanging = reader.screen_reader()
    monkeypatch.setattr(hanging, "_present", lambda: free.wait() and ScreenReader._present(hanging))
    with Speaker(synthesiser, own, own, reader=hanging) as ours:
        outcomes: list[Outcome] = []
        for _ in range(2):
            ours.say("ja", to=Output.PRIVATE, on_done=outcomes.append)
        assert ours.wait(PATIENCE_S)
        assert outcomes == [Outcome.SPOKEN] * 2 and len(own.played) == 2
        free.set()
        assert until(lambda: reader.stopped)


def test_synthesisers_of_the_system_are_no_screen_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = RecordingReader().screen_reader()
    assert reader.name == "Recorder"
    recorder = prism.Context(reader._registry).id_of("Recorder")
    monkeypatch.setattr(prism, "BackendId", SimpleNamespace(OURS=recorder))
    monkeypatch.setattr(screen_reader, "_NO_READERS", ("OURS",))
    reader._backend = None
    with pytest.raises(ReaderError, match="No screen reader runs"):
        _ = reader.name


def test_without_prism_one_sentence_tells_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prism", None)
    with pytest.raises(ReaderError, match=re.escape(install_command("reader"))):
        ScreenReader()


@pytest.mark.skipif(sys.platform != "linux", reason="Speech Dispatcher runs on Linux only.")
def test_speech_dispatcher_speaks_each_sentence_once_and_comes_back_when_it_was_killed(
    synthesiser: Synthesiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = MemorySink()
    works: list[bool] = []
    monkeypatch.setattr(screen_reader, "_BEGINS_S", 0.05)
    with (
        tempfile.TemporaryDirectory(prefix="spd-") as folder,
        SpeechDispatcher(Path(folder)) as dispatcher,
        Speaker(
            synthesiser, own, own, reader=reached(dispatcher, monkeypatch), on_error=print
        ) as speaker,
    ):
        speaker.on_reader(works.append)

        def say(word: str) -> None:
            speaker.say(word, to=Output.PRIVATE)
            assert speaker.wait(PATIENCE_S)

        say("springer bella eins")
        say("cäsar drei")
        dispatcher.stop()
        say("vier")
        dispatcher.start()
        say("fünf")
        assert until(lambda: len(dispatcher.spoken) == 3)
        assert dispatcher.spoken == ["springer bella eins", "cäsar drei", "fünf"]
    assert len(own.played) == 1 and works == [False, True]
