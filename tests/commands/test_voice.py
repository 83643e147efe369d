"""``blindplay voice``. What is learned is tested with enrolment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from blindplay.commands import voice
from blindplay.hearing import speaker_models, speaker_preferences
from blindplay.language import Language
from blindplay.speech.audio import AudioError
from blindplay.speech.audio_devices import MicrophoneSource
from blindplay.speech.speaker import Voicing
from tests.command_line import run


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept of any player."""
    monkeypatch.setattr(speaker_models, "players_folder", lambda: tmp_path / "players")
    monkeypatch.setattr(speaker_preferences, "folder", lambda: tmp_path / "config")


def test_a_player_is_forgotten_once(tmp_path: Path) -> None:
    speaker_preferences.keep("Anna", Voicing())
    assert run("voice", "forget", "Anna", home=tmp_path).stdout == (
        "Nothing is kept of Anna any more.\n"
    )
    done = run("voice", "forget", "Anna", home=tmp_path)
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr == "Nothing is kept of Anna; check the name.\n"
    assert "of the player without a name" in run("voice", "forget", home=tmp_path).stderr


def test_forgetting_removes_a_spoken_name_of_which_nothing_else_is_kept(tmp_path: Path) -> None:
    cache = tmp_path / "blindplay" / "phrases"
    cache.mkdir(parents=True)
    said, unfinished = cache / "0123.wav", cache / "new-4567.wav"
    for file in (said, unfinished):
        file.write_bytes(b"Anna")
    assert run("voice", "forget", "Anna", home=tmp_path).status == 0  # no preferences are kept
    assert not said.exists() and unfinished.exists()  # a table is rendering it


@pytest.mark.parametrize(
    ("typed", "told", "learned"),
    [
        (("--language", "en"), "en", "de"),
        (("--language", "de"), "de", "de"),
        (("--language", "nb"), "nb", "nb"),  # D.2.1: Scandinavian players
        (("--language", "en", "--announce-in", "en"), "en", "en"),
    ],
)
def test_what_is_learned_is_in_the_language_of_announcements(
    typed: tuple[str, ...],
    told: str,
    learned: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    used: list[str] = []

    @contextmanager
    def booth(pack: Language, *_: object, **__: object) -> Iterator[SimpleNamespace]:
        used.append(pack.code)
        yield SimpleNamespace(tell=lambda key, **words: None, to_end=False, pack=pack)

    monkeypatch.setattr(voice, "_booth", booth)
    monkeypatch.setattr(voice, "_learn", lambda booth, words, *_: used.append(words.code))
    monkeypatch.setattr(voice, "listening_models", lambda code, lost: used.append(code))
    monkeypatch.setattr(speaker_models, "kept", lambda name, language: [language])
    assert run("voice", "learn", "Anna", "--silent", *typed).status == 0
    assert used == [learned, told, learned]


def test_after_ctrl_c_the_player_hears_how_to_resume(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    @contextmanager
    def booth(*_: object, **__: object) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(tell=lambda key, **words: told.append(key), to_end=False)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(voice, "_booth", booth)
    monkeypatch.setattr(voice, "_learn", interrupted)
    monkeypatch.setattr(speaker_models, "kept", lambda name, language: ["an answer"])
    done = run("voice", "learn", "Anna", "--silent")
    assert (done.status, done.stderr) == (130, "Stopped.\n")
    assert told == ["enrol_working", "enrol_stopped"]


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        (("--phone", "--microphone", "Headset"), "--phone is the microphone; leave out"),
        (("--qr",), "The options of a phone's page go with --phone; add it."),
        (("--console-port", "8081"), "The options of a phone's page go with --phone; add it."),
        (("--phone", "--key", "own.key"), "--certificate and --key need each other."),
    ],
)
def test_a_phone_and_the_options_of_its_page_go_together(
    typed: tuple[str, ...], why: str, tmp_path: Path
) -> None:
    done = run("voice", "check", "Anna", "--silent", *typed, home=tmp_path)
    assert (done.status, done.stdout) == (2, "")
    assert why in done.stderr


def test_where_no_microphone_is_found_a_phone_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def enter(source: MicrophoneSource) -> None:
        raise AudioError("There is none.")

    monkeypatch.setattr(MicrophoneSource, "__enter__", enter)
    done = run("voice", "check", "Anna", "--silent", home=tmp_path)
    assert done.status != 0
    assert "There is none. Or use a phone: add --phone." in done.stderr
