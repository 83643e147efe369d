"""A whole game at the keyboard of a player with a screen reader."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.speech.audio import SilentSink, read_wav
from blindplay.speech.speaker import Output, Speaker
from blindplay.speech.synthesis import Synthesiser
from blindplay.table.keyboard import Keyboard
from tests import command_line
from tests.speech.readers import RecordingReader
from tests.table.conversation import GERMAN
from tests.table.sitting import Sit
from tests.waiting import until

FOOLS_MATE = [
    "Hilfe", "f3", "Zeit", "", "", "schwarz: e5", "", "noch einmal", "Springer Anna sechs",
    "zurück", "g4", "", "letzter Zug", "schwarz: Dh4", "", "unterschreiben", "ja", "ja",
]  # fmt: skip


def test_the_reader_gets_each_private_sentence_of_a_game_once_and_everybody_the_others(
    sit: Sit, synthesiser: Synthesiser
) -> None:
    reader, own = RecordingReader(), SilentSink()
    speaker = Speaker(synthesiser, own, own, reader=reader.screen_reader())
    sitting = sit(speaker, time_control="5400")
    sitting.start()

    def lines() -> Iterator[str]:
        for line in FOOLS_MATE:
            sitting.session.wait_until_said()
            yield line

    Keyboard(sitting.session).do_all(lines())
    sitting.session.wait_until_said()
    said = [line.partition(" said ")[2] for line in sitting.printed.splitlines()]
    private = [line.removeprefix("privately: ") for line in said if line.startswith("privately")]
    public = [line.partition(": ")[2] for line in said if line.startswith("to everybody")]
    assert sitting.table.game.over
    assert len(private) > 8 and reader.spoken == private
    assert [one.pcm for one in own.played] == [
        read_wav(synthesiser.render(words))[0] for words in public
    ]


def test_what_is_typed_ends_what_is_read_only_if_its_reader_goes_on(
    sit: Sit, synthesiser: Synthesiser
) -> None:
    reader, quiet = RecordingReader(ends=False), SilentSink()
    speaker = Speaker(synthesiser, quiet, quiet, reader=reader.screen_reader())
    sitting = sit(speaker)
    sitting.start()
    ends = []
    for line in ("schwarz: wie viele Züge", "arbiter: stop", "", "clock white 5:00", "Zeit", "e4"):
        before = len(reader.spoken)
        sitting.session.desk.say(Output.PRIVATE, "ein langer satz " * 20)
        assert until(lambda before=before: len(reader.spoken) > before)  # type: ignore[misc]
        this_sentence = speaker._stop
        Keyboard(sitting.session).do_all([line])
        ends += [line] if this_sentence.is_set() else []
        speaker.interrupt()
        sitting.session.wait_until_said()
    assert ends == ["Zeit", "e4"]


def test_the_word_for_a_reader_that_is_gone_is_said_by_our_voice(
    sit: Sit, synthesiser: Synthesiser
) -> None:
    reader, own = RecordingReader(), SilentSink()
    reader.closed = True
    sitting = sit(Speaker(synthesiser, own, own, reader=reader.screen_reader()))
    sitting.session.desk.say(Output.PRIVATE, "weiter")
    sitting.session.wait_until_said()
    reader.closed = False
    sitting.session.desk.say(Output.PRIVATE, "weiter")
    sitting.session.wait_until_said()
    gone, back = GERMAN.sentence("reader_gone"), GERMAN.sentence("reader_back")
    assert [one.pcm for one in own.played] == [
        read_wav(synthesiser.render(words))[0] for words in ("weiter", gone)
    ]
    assert reader.spoken == ["weiter", back]


def test_without_what_reaches_readers_no_game_begins_and_one_sentence_tells_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "prism", None)
    arguments = ("play", "--voice", "reader", "--microphone", "none", "--journal")
    ran = command_line.run(*arguments, str(tmp_path / "game.jsonl"), stdin="quit\n")
    assert (ran.status, ran.stdout, list(tmp_path.iterdir())) == (2, "", [])
    assert ran.stderr.count("\n") == 1 and 'pip install "blindplay[reader]"' in ran.stderr
