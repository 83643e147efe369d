"""Rendering with the real pyttsx3 in its worker, and workers that misbehave."""

from __future__ import annotations

import os
import signal
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.speech.audio import read_wav
from blindplay.speech.synthesis import (
    NotWordsError,
    Synthesiser,
    SynthesisError,
    is_words,
    respeller,
    words_only,
)
from blindplay.speech.synthesis_worker import PICO_RATE, primary


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "...",
        "e4",
        "Sf3",
        "O-O",
        "OO",
        "exd",
        "Nxe",
        "1 e vier",
        "h eins",
        "a",
        "Springer²",
        "vier½",
        "Turm+",
        "fünf %",
        "matt#",
        "x",
        "①",
        "Bauer e",
        "eins_zwei",
        "Ⅷ",
        "e.p.",
    ],
)
def test_a_text_that_is_not_words_never_reaches_the_voice(
    text: str, synthesiser: Synthesiser
) -> None:
    with pytest.raises(NotWordsError):
        synthesiser.render(text)


@pytest.mark.parametrize(
    "text",
    [
        "Springer Gustav eins, Felix drei.",
        "J'adoube",
        "en passant",
        "Ja!",
        "Weiß: zwölf Minuten",
        "Anna-Lena",
        "Cæsar slår på Østen",
    ],
)
def test_words_pass_unchanged(text: str) -> None:
    assert words_only(text) == text


@given(st.text())
def test_words_have_no_digit_and_no_single_letter(text: str) -> None:
    try:
        passed = words_only(text)
    except NotWordsError:
        return
    assert not any(c.isnumeric() for c in passed)
    words = "".join(c if c.isalpha() or c in "'’" else " " for c in passed).split()
    assert all(len(word.strip("'’")) > 1 for word in words)
    assert words_only(passed) == passed


def test_a_phrase_is_rendered_whole_and_kept(synthesiser: Synthesiser) -> None:
    path = synthesiser.render("springer gustav eins felix drei")
    pcm, rate = read_wav(path)
    assert 1.0 < len(pcm) / 2 / rate < 4.0
    before = path.stat().st_ino
    assert synthesiser.render("springer  gustav eins felix drei") == path
    assert path.stat().st_ino == before
    assert not list(path.parent.glob("new-*"))


def test_voice_rate_and_language_have_their_own_files(synthesiser: Synthesiser) -> None:
    files = {
        synthesiser.render("weiter"),
        synthesiser.render("weiter", voice="de+f2"),
        synthesiser.render("weiter", rate=250),
    }
    assert len(files) == 3
    assert len({file.read_bytes() for file in files}) == 3


_BY_PICO = pytest.mark.skipif(
    not sys.platform.startswith("linux") or find_spec("py_nanotts") is None,
    reason="Pico speaks where the system has espeak's voices alone and Pico has a package.",
)


def _rate(path: Path) -> int:
    return read_wav(path)[1]


@_BY_PICO
@pytest.mark.parametrize("language", ["de", "en"])
def test_what_is_public_is_said_by_pico_where_espeak_is_all_there_is(language: str) -> None:
    with Synthesiser(language) as synthesiser:
        synthesiser.start()
        assert _rate(synthesiser.render("Bella", public=True)) == PICO_RATE
        assert _rate(synthesiser.render("Bella")) != PICO_RATE


def test_a_language_without_a_better_voice_and_a_chosen_voice_are_the_same_in_public(
    synthesiser: Synthesiser,
) -> None:
    for language, voice in (("nb", None), ("de", "de+f2")):
        private, public = (
            synthesiser.render("Bella", language=language, voice=voice, public=at)
            for at in (False, True)
        )
        assert _rate(private) == _rate(public) != PICO_RATE


@_BY_PICO
def test_picos_voice_can_be_chosen_and_speaks_faster_when_told(synthesiser: Synthesiser) -> None:
    (voice,) = (one for one in synthesiser.voices() if one.id.startswith("pico"))
    slow, fast = (
        synthesiser.render("springer gustav eins felix drei", voice=name, rate=rate)
        for name, rate in ((voice.id, 120), (voice.name, 240))
    )
    assert _rate(slow) == _rate(fast) == PICO_RATE
    assert len(read_wav(fast)[0]) < 0.6 * len(read_wav(slow)[0])


def test_a_faster_rate_is_shorter(synthesiser: Synthesiser) -> None:
    words = "turm david fünf schlägt david sieben"
    slow = read_wav(synthesiser.render(words, rate=100))[0]
    fast = read_wav(synthesiser.render(words, rate=300))[0]
    assert len(fast) < 0.6 * len(slow)
    with pytest.raises(ValueError, match="80 to 450"):
        synthesiser.render(words, rate=20)


@pytest.mark.parametrize(
    "text", ["4 Minuten", "Dxd", "0-0", "e p", "Buchstabe D", "Ü", "a+b", "Eva_vier"]
)
def test_notation_digits_and_letters_are_not_words(text: str) -> None:
    assert not is_words(text)


@pytest.mark.parametrize(
    "text", ["Schach.", "Eva vier?", "Weiß, bitte: Korrektur!", "Läufer – Turm"]
)
def test_words_with_punctuation_are_words(text: str) -> None:
    assert is_words(text)


def test_the_longest_spelling_wins_and_only_whole_words_are_respelled() -> None:
    respell = respeller({"en": "än", "en passant": "ang passang", "Cesar": "Cäsar"})
    assert respell("cesar schlägt En Passant") == "Cäsar schlägt ang passang"
    assert respell("Cesars Ende en") == "Cesars Ende än"
    assert respeller({})("Cesar") == "Cesar"


def test_words_are_respelled_for_the_voice(tmp_path: Path) -> None:
    with (
        Synthesiser("de", cache=tmp_path) as synthesiser,
        Synthesiser("de", cache=tmp_path, spellings={"Cesar": "Cäsar"}) as respelling,
    ):
        assert respelling.path_of("Cesar drei").name == synthesiser.path_of("Cäsar drei").name
        assert respelling.path_of("Cesar drei").name != synthesiser.path_of("Cesar drei").name


def test_a_damaged_file_in_the_cache_is_rendered_again(synthesiser: Synthesiser) -> None:
    path = synthesiser.render("noch einmal")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert synthesiser.render("noch einmal") == path
    pcm, _ = read_wav(path)
    assert abs(len(pcm) - len(whole)) < 4000


def test_an_unknown_voice_is_a_sentence(synthesiser: Synthesiser) -> None:
    for voice in ("nobody", "de+nobody"):
        with pytest.raises(SynthesisError, match="nobody"):
            synthesiser.render("weiter", voice=voice)


def test_an_unknown_language_is_a_sentence(tmp_path: Path) -> None:
    with (
        Synthesiser("xx", cache=tmp_path) as unknown,
        pytest.raises(SynthesisError, match="no voice for the language 'xx'"),
    ):
        unknown.render("weiter")


@pytest.mark.parametrize("language", ["nb", "sv", "da", "en"])
def test_the_other_languages_have_a_voice(tmp_path: Path, language: str) -> None:
    with Synthesiser(language, cache=tmp_path) as other:
        assert read_wav(other.render("dame konge remis"))[0]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the voice there is not espeak's")
def test_a_language_listed_only_by_its_countries_has_voice_variants(
    tmp_path: Path,
) -> None:
    with Synthesiser("en", cache=tmp_path) as english:
        assert read_wav(english.render("knight takes", voice="en+f1"))[0]


def test_the_voices_of_the_language_are_listed(synthesiser: Synthesiser) -> None:
    assert {primary(v.language) for v in synthesiser.voices()} == {"de"}
    assert {v.language for v in synthesiser.voices("nb")} == {"nb"}


def test_a_worker_that_was_killed_is_started_again(tmp_path: Path) -> None:
    with Synthesiser("de", cache=tmp_path) as made:
        made.voices()
        first = made._worker
        assert first is not None
        os.kill(first.process.pid, signal.SIGTERM)
        assert read_wav(made.render("weiter"))[0]
        assert made._worker is not first


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be stopped there")
def test_a_worker_that_hangs_in_the_middle_is_killed_and_the_phrase_rendered(
    tmp_path: Path,
) -> None:
    with Synthesiser("de", cache=tmp_path, timeout=1.0) as made:
        made.voices()
        assert made._worker is not None
        os.kill(made._worker.process.pid, getattr(signal, "SIGSTOP"))  # noqa: B009 (Windows has none)
        assert read_wav(made.render("weiter"))[0]
        assert made.restarts == 1
        assert list(tmp_path.glob("*")) == [made.path_of("weiter")]


@pytest.mark.parametrize(
    "program",
    [
        "import time; time.sleep(60)",
        "raise SystemExit(3)",
        "print('nonsense', flush=True); input()",
    ],
)
def test_a_worker_that_never_works_is_a_sentence(tmp_path: Path, program: str) -> None:
    made = Synthesiser(
        "de",
        cache=tmp_path,
        timeout=0.2,
        start_timeout=0.5,
        command=[sys.executable, "-c", program],
    )
    with made, pytest.raises(SynthesisError, match="blindplay doctor"):
        made.render("weiter")
    assert made.restarts == 2
    assert list(tmp_path.iterdir()) == []


def test_phrases_asked_for_at_once_by_several_threads_are_all_right(tmp_path: Path) -> None:
    words = ["eins", "zwei", "drei", "vier"]
    with Synthesiser("de", cache=tmp_path) as made:
        threads = [threading.Thread(target=made.render, args=(word,)) for word in words * 2]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        files = {made.path_of(word) for word in words}
    assert set(tmp_path.iterdir()) == files
    assert len({file.read_bytes() for file in files}) == 4


def test_a_cache_that_cannot_be_written_is_replaced_by_a_temporary_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with Synthesiser("de", cache=tmp_path / "file") as made:
        assert read_wav(made.render("weiter"))[0]


@pytest.mark.parametrize(
    "program",
    [
        "while True: print('x' * 1000, flush=True)",
        "import sys\nwhile True: sys.stdout.write('x' * 65536)",
        "while input(): print('5', flush=True)",
        "while input(): print('[' * 5000, flush=True)",
        "while input(): print('{\"voices\": 5}', flush=True)",
    ],
    ids=["lines without end", "a line without end", "a number", "no bottom", "no sound"],
)
def test_a_worker_that_babbles_is_ended_and_a_sentence(tmp_path: Path, program: str) -> None:
    command = [sys.executable, "-c", program]
    made = Synthesiser("de", cache=tmp_path, timeout=0.5, start_timeout=10, command=command)
    with made:
        for _ in range(2):
            with pytest.raises(SynthesisError, match="blindplay doctor"):
                made.render("weiter")
        with pytest.raises(SynthesisError, match="blindplay doctor"):
            made.voices()
    assert made.restarts <= 4
    assert list(tmp_path.glob("*")) == []


def test_a_worker_that_failed_is_asked_once_until_it_works(tmp_path: Path) -> None:
    broken = [sys.executable, "-c", "raise SystemExit(3)"]
    with Synthesiser("de", cache=tmp_path, command=broken) as made:
        for restarts in (2, 3, 4):
            with pytest.raises(SynthesisError):
                made.render("weiter")
            assert made.restarts == restarts
        made._command = [sys.executable, "-m", "blindplay.speech.synthesis_worker"]
        assert made.render("weiter").is_file()
        assert made.restarts == 4


def test_a_cached_phrase_does_not_wait_for_a_worker_that_hangs(tmp_path: Path) -> None:
    with Synthesiser("de", cache=tmp_path) as made:
        kept = made.render("weiter")
        assert made._lock.acquire()
        try:
            assert made.render("weiter") == kept
        finally:
            made._lock.release()


@pytest.mark.parametrize(
    ("text", "language"),
    [("how much time do I have", "en"), ("offer a draw", "en-GB"), ("hva å si", "nb"),
     ("gå i pause", "sv"), ("ø", "da")],
)  # fmt: skip
def test_one_letter_may_be_a_word_of_its_language(text: str, language: str) -> None:
    assert words_only(text, language) == text
    assert not is_words(text)


@pytest.mark.parametrize(("text", "language"), [("b", "en"), ("a", "de"), ("e", "nb"), ("I", "")])
def test_other_letters_alone_are_no_words(text: str, language: str) -> None:
    with pytest.raises(NotWordsError, match="spelled out"):
        words_only(text, language)


def test_a_voice_says_a_word_of_one_letter(tmp_path: Path) -> None:
    with Synthesiser("en", cache=tmp_path) as english:
        assert len(read_wav(english.render("how much time do I have"))[0]) > 10_000
