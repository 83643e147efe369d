"""A book as sound: what is spoken, by which voice, and the files."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.language import languages, load
from blindplay.record.book import Book
from blindplay.record.book_sound import (
    CONTENTS,
    PLAYLIST,
    SUFFIX,
    SpokenBook,
    Timbre,
    file_names,
    spoken_text,
    write_spoken,
)
from blindplay.record.tape import EXPORT_RATE
from blindplay.speech.audio import RATE, read_audio
from blindplay.speech.synthesis import Synthesiser, is_words
from tests.command_line import run
from tests.record.random_studies import random_study
from tests.record.test_book import ENDING, STUDY, games_of
from tests.sampling import examples

SHORT = """\
[Event "Vereinsabend"]
[Date "2026.11.21"]
[White "Berg, Anna"]
[Black "Dahl, Bert"]
[Result "1/2-1/2"]

1. e4 e5 ( 1... c5 { Das ist die Variante. } ) 2. Nf3 1/2-1/2
"""


def book(text: str, language: str = "de") -> Book:
    return Book.of("Sammlung", games_of(text), load(language))


def spoken(text: str, language: str = "de") -> list[tuple[Timbre, str]]:
    whole = SpokenBook(book(text, language))
    return [
        (one.timbre, one.words)
        for chapter in whole.book.chapters
        for one in whole.passages(chapter)
    ]


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("de", "12.Sf3! ist gut.", "zwölf. Springer Felix drei, guter Zug ist gut."),
        ("de", "5...Na5 (oder Te1+)", "fünf. Springer Anna fünf oder Turm Eva eins Schach"),
        ("de", "die d-Linie, der e4-Bauer", "die David Linie, der Eva vier Bauer"),
        ("de", "0-0-0, d8=D#", "Lange Rochade, David acht Umwandlung in Dame Schachmatt"),
        ("de", "[%clk 0:10:00] Los!", "Los!"),
        ("de", "[%cal Gd1h5][%csl Re4]", "Pfeil von David eins nach Hector fünf. "
         "markiert: Eva vier."),
        ("de", "2026 und 12345", "zweitausendsechsundzwanzig und eins zwei drei vier fünf"),
        ("en", "I like 1.e4!?", "I like one. Eva four, interesting move"),
        ("nb", "Trekket Sf3 og e4", "Trekket Springer Felix tre og Eva fire"),
    ],
)  # fmt: skip
def test_moves_squares_and_numbers_are_spoken_in_words(
    language: str, text: str, words: str
) -> None:
    unspoken: dict[str, None] = {}
    assert spoken_text(text, load(language), unspoken) == words and not unspoken


def test_what_no_voice_can_say_is_named() -> None:
    unspoken: dict[str, None] = {}
    assert spoken_text("Siehe https://example.org/x von B. Berg", load("de"), unspoken)
    assert list(unspoken) == ["https://example.org/x", "B"]


@pytest.mark.parametrize("language", languages())
@examples(10)
@given(seed=st.integers(0, 1 << 30))
def test_each_passage_of_any_study_can_be_given_to_a_voice(language: str, seed: int) -> None:
    whole = SpokenBook(Book.of("1. Łódź (2026)", [random_study(seed, plies=10)], load(language)))
    for one in (*whole.contents(), *whole.passages(whole.book.chapters[0])):
        assert is_words(one.words, one.language), one


def test_comments_and_variations_are_told_apart_by_words_and_by_voice() -> None:
    game, comment, variation = Timbre.GAME, Timbre.COMMENT, Timbre.VARIATION
    passages = spoken(SHORT)
    assert passages[passages.index((game, "Züge")) :] == [
        (game, "Züge"),
        (game, "eins. Weiß: Bauer Eva zwei Eva vier"),
        (game, "Schwarz: Bauer Eva sieben Eva fünf"),
        (variation, "Variante eins:"),
        (variation, "eins. Schwarz: Bauer Cäsar sieben Cäsar fünf"),
        (comment, "Kommentar:"),
        (comment, "Das ist die Variante."),
        (game, "Hauptvariante:"),
        (game, "zwei. Weiß: Springer Gustav eins Felix drei"),
        (game, "Die Partie ist remis."),
    ]
    assert (game, "Datum: einundzwanzigster November zweitausendsechsundzwanzig") in passages
    assert (game, "Partie eins: Anna Berg, Bert Dahl") in passages
    assert len({timbre.value for timbre in Timbre}) == 3


def test_a_comment_is_spoken_in_its_own_language() -> None:
    text = "1. e4 { This is the best move and White is better. } e5 { Gut. } *"
    whole = SpokenBook(book(text))
    said = {one.words: one.language for one in whole.passages(whole.book.chapters[0])}
    assert said["This is the best move and White is better."] == "en" and said["Gut."] == "de"


def test_files_are_in_the_order_of_the_games() -> None:
    games = [chess.pgn.Game(headers={"White": f"A/{n}", "Black": 'B:"?'}) for n in range(12)]
    names = file_names(Book.of("x", games, load("de")))
    assert names == sorted(names) and names[1] == f"01-A-0-B{SUFFIX}" and len(set(names)) == 13


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("spoken")
    with Synthesiser("de", cache=folder / "phrases", spellings=load("de").spoken) as synthesiser:
        written = list(write_spoken(book(f"{SHORT}\n{ENDING}"), folder, synthesiser))
    assert [path.name for path in written] == [
        f"0-Inhalt{SUFFIX}",
        f"1-Anna-Berg-Bert-Dahl{SUFFIX}",
        f"2-Umwandlung{SUFFIX}",
        PLAYLIST,
        CONTENTS,
    ]
    yield folder


def test_the_list_of_files_names_each_chapter_and_its_length(folder: Path) -> None:
    lines = (folder / PLAYLIST).read_text("utf-8").splitlines()
    assert lines[0] == "#EXTM3U" and len(lines) == 7
    for about, file in zip(lines[1::2], lines[2::2], strict=True):
        seconds = float(about.removeprefix("#EXTINF:").partition(",")[0])
        sound = read_audio(folder / file, EXPORT_RATE)
        assert abs(len(sound) / 2 / EXPORT_RATE - seconds) < 1.1
    assert (folder / CONTENTS).read_text("utf-8").splitlines()[1] == (
        f"1-Anna-Berg-Bert-Dahl{SUFFIX}: Partie 1: Anna Berg – Bert Dahl"
    )


def test_a_recogniser_understands_the_moves_of_a_chapter(folder: Path) -> None:
    heard = _heard(folder / f"1-Anna-Berg-Bert-Dahl{SUFFIX}")
    for words in ("eva_zwei eva_vier", "eva_sieben eva_fünf", "gustav_eins felix_drei"):
        assert words in heard
    # The variation has a higher voice, and is understood all the same.
    assert "cäsar_sieben cäsar_fünf" in heard


def _heard(path: Path) -> str:
    import json

    import vosk

    vosk.SetLogLevel(-1)
    model = vosk.Model(str(Path(__file__).parents[2] / "models" / "de"))
    recogniser, sound, found = vosk.KaldiRecognizer(model, RATE), io.BytesIO(read_audio(path)), []
    while block := sound.read(8000):
        if recogniser.AcceptWaveform(block):
            found.append(json.loads(recogniser.Result())["text"])
    return " ".join([*found, json.loads(recogniser.FinalResult())["text"]])


def test_the_command_speaks_a_file_into_a_folder(tmp_path: Path) -> None:
    study = tmp_path / "study.pgn"
    study.write_text(SHORT, encoding="utf-8")
    output = tmp_path / "new" / "spoken"
    done = run(
        "score", str(study), "--format", "speech", "--language", "de", "--output", str(output),
        home=tmp_path,
    )  # fmt: skip
    assert (done.status, done.stderr) == (0, "")
    assert {Path(line).name for line in done.stdout.splitlines()} == {
        path.name for path in output.iterdir()
    }
    again = ("score", str(study), "--format", "speech", "--language", "de", "--output", str(output))
    refused = run(*again, home=tmp_path)
    assert (refused.status, refused.stdout) == (2, "") and "add --overwrite" in refused.stderr
    blocked = run("score", str(study), "--format", "speech", "--output", str(study), home=tmp_path)
    assert blocked.status == 2 and len(blocked.stderr.splitlines()) == 1


def test_a_long_study_is_spoken_whole() -> None:
    whole = SpokenBook(book(STUDY))
    words = [one.words for one in whole.passages(whole.book.chapters[0])]
    assert "Variante eins eins:" in words and not whole.unspoken
