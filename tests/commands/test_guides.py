"""The guides: all languages say the same, and what they quote and command is really there."""

from __future__ import annotations

import io
import re
import threading
import tomllib
import wave
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import chess
import pytest

from benchmarks.memory_audio import MemorySink
from blindplay.commands.guides import (
    LANGUAGES,
    GuideReader,
    ShortGuide,
    folder,
    in_words,
    short,
)
from blindplay.commands.help import ROLES
from blindplay.console.messages import catalogue
from blindplay.language import Command, Kind, Language, key_of, load
from blindplay.laws.facts import Player, Setup
from blindplay.speech.speaker import Speaker
from blindplay.speech.synthesis import Synthesiser, words_only
from blindplay.table.devices import WantedDevices
from blindplay.table.play import ConsoleAt, TableOptions, run
from blindplay.translation import _, translated
from tests import ROOT
from tests.waiting import PATIENCE_S

GUIDES = ROOT / "docs" / "guides"
FILES = sorted(GUIDES.glob("*.md"))
COMMAND = "    "
QUOTE = "> "
# Positions in which the guides' examples of moves make sense.
POSITIONS = (
    chess.Board(),
    chess.Board("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"),
    chess.Board("2k5/4P3/8/8/8/8/8/4K2R w K - 0 1"),
)
# In quotation marks besides: what doctor prints, values and names of options, keys.
PRINTED = (_("Good"), _("Missing"))
OTHERS = {"none", "both", "impaired", "arbiter", "host", "t", "undo"}


def language_of(file: Path) -> str:
    return file.suffixes[0].removeprefix(".")


def shape(file: Path) -> list[str]:
    """What a guide consists of, without its words."""
    told = []
    for line in file.read_text("utf-8").splitlines():
        if line.startswith("#"):
            level, words = line.split(" ", 1)
            number = re.match(r"(?:Schritt|Step|Steg|Trinn?) (\d+):", words)
            told.append(f"{level} step {number[1]}" if number else level)
        elif line.startswith(COMMAND):
            command = re.sub(" --language [a-z]+", "", line).split()
            own = command[0] == "blindplay"
            names = [*command[:2], *(word for word in command if word.startswith("--"))]
            told.append(" ".join(names) if own else "typed at the table")
        elif line.startswith(QUOTE):
            told.append("quote")
    return told


def lines(start: str) -> list[tuple[str, str]]:
    """The lines of all guides that begin so, each with its language."""
    return sorted(
        {
            (language_of(file), line.removeprefix(start).strip())
            for file in FILES
            for line in file.read_text("utf-8").splitlines()
            if line.startswith(start)
        }
    )


def test_there_is_a_guide_for_everybody_in_each_language() -> None:
    names = {f"{role}.{language}.md" for role in (*ROLES, "help") for language in LANGUAGES}
    assert {file.name for file in FILES} == names


@pytest.mark.parametrize("role", ROLES)
def test_all_languages_have_the_same_steps_commands_and_quotations(role: str) -> None:
    english = shape(GUIDES / f"{role}.en.md")
    for language in LANGUAGES:
        assert shape(GUIDES / f"{role}.{language}.md") == english, language
    steps = [int(line.split()[-1]) for line in english if line.startswith("## step")]
    assert steps == list(range(1, len(steps) + 1)) and len(steps) >= 10


def test_no_guide_has_a_table_or_a_code_within_a_sentence() -> None:
    for file in FILES:
        text = file.read_text("utf-8")
        assert "`" not in text and not re.search(r"^\|", text, re.MULTILINE), file.name


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_typed_at_the_table_is_understood_there(language: str, tmp_path: Path) -> None:
    typed = [
        line
        for code, line in lines(COMMAND)
        if code == language and not line.startswith("blindplay")
    ]
    white, black = Player(impaired=True, assistant=True), Player(impaired=True, assistant=True)
    setup = Setup(t=0, white=white, black=black, arbiter="present")
    out = io.StringIO()
    silent = WantedDevices(microphone="none", silent=True)
    options = TableOptions(language)
    keys = [*typed, "quit"]  # pages could go on after the keys
    run(tmp_path / "a.jsonl", setup, silent, keys, out, options, ConsoleAt(port=0))
    told = out.getvalue()
    nobody = catalogue(language)["link_which"].partition("{")[0]
    assert len(typed) > 10
    assert "not understood" not in told and nobody not in told and "trouble: That was" not in told


@cache
def patterns(language: str) -> list[re.Pattern[str]]:
    """What the table and its pages say, with a gap where a value comes. What is all gap is not
    among them."""
    pack, page = load(language), catalogue(language)
    said = [
        pack.sentence(key, **{name: f"{{{name}}}" for name in pack.fields(key)})
        for key in pack.sentences()
    ]
    found = []
    for template in (*said, *page.values()):
        parts = re.split(r"\{\w+\}", template)
        if len(parts) == 1 or len(re.sub(r"\W", "", "".join(parts))) > 3:
            found.append(re.compile("(.*)".join(map(re.escape, parts))))
    return found


def is_said(sentence: str, language: str) -> bool:
    """Whether the table says this or a page shows it."""
    # A value at the end may be empty, and the gap before it is then gone.
    return any(
        one.fullmatch(words) for one in patterns(language) for words in (sentence, f"{sentence} ")
    ) or sentence in composed(language)


@cache
def composed(language: str) -> set[str]:
    """What is put together from several things."""
    pack = load(language)
    rooks = chess.Board("4k3/8/8/8/8/8/8/Q3K2R w - - 0 1")
    rook, queen = (
        pack.announce(rooks, chess.Move.from_uci(move)).split()[0] for move in ("h1h2", "a1a2")
    )
    pawn, knight = (chess.Piece(kind, chess.BLACK) for kind in (chess.PAWN, chess.KNIGHT))
    displaced = pack.sentence(
        "slip_displaced",
        piece=pack.piece(knight),
        square=pack.square(chess.B8),
        to=pack.square(chess.B6),
    )
    yes, no = pack.command(Command.YES), pack.command(Command.NO).lower()
    rank = pack.sentence("rank_named", rank=pack.square(chess.A4).split()[1])
    return {
        pack.sentence("which", choices=pack.either([yes, no])),
        pack.sentence("which", choices=pack.either([rook, queen])),
        pack.sentence("which", choices=pack.either([rook, queen.lower()])),
        pack.sentence("square_holds", square=pack.square(chess.E5), piece=pack.piece(pawn)),
        pack.sentence("listed_empty", what=rank),
        f"{pack.sentence('slip_board', player=pack.sentence('black'))} {displaced}",
        *(pack.announce(board, move) for board in POSITIONS for move in board.legal_moves),
    }


def test_every_quotation_is_what_the_table_says_or_a_page_shows() -> None:
    assert [(code, words) for code, words in lines(QUOTE) if not is_said(words, code)] == []


def printed(language: str) -> set[str]:
    """Words with which lines of doctor and lines about trouble begin."""
    words = {translated(word, language) for word in PRINTED}
    return {*words, load(language).printed("trouble", sentence="").removesuffix(": ")}


def is_understood(words: str, language: str) -> bool:
    pack = load(language)
    if words.casefold() == pack.opening_word.casefold() or key_of(pack, words) is not None:
        return True
    meant = (pack.understand(words, board).kind for board in POSITIONS)
    return any(kind in (Kind.MOVE, Kind.COMMAND) for kind in meant)


def test_what_stands_in_quotation_marks_stands_on_a_page_or_is_understood() -> None:
    marks = {
        "da": "»([^«]+)«",
        "de": "„([^“]+)“",
        "en": "“([^”]+)”",
        "nb": "«([^»]+)»",
        "sv": "”([^”]+)”",
    }
    quoted = {
        (language, words)
        for language in LANGUAGES
        for file in GUIDES.glob(f"*.{language}.md")
        for words in re.findall(marks[language], file.read_text("utf-8"))
    }
    assert len(quoted) > 100
    assert [
        (language, words)
        for language, words in sorted(quoted)
        if not (words in OTHERS or words in printed(language))
        if not (is_said(words, language) or is_understood(words, language))
    ] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("role", [*ROLES, None])
def test_the_short_guides_are_words_only(role: str | None, language: str) -> None:
    guide = short(role, language)
    for paragraph in (*guide.keys, *guide.paragraphs):
        for line in paragraph:
            assert words_only(in_words(line, load(language)), language)
    assert len(guide.paragraphs) > 4 and guide.whole.is_file()


def as_read(line: str, pack: Language) -> str:
    """A sentence of a whole guide for a voice: numbers and squares in words, without the titles of
    English documents and the letters of keys and of the appendix, which a screen reader names."""
    line = re.sub(r"\[[^]]+\]\([^)]+\.md\)", "", line).replace("FIDE:s", "FIDEs")
    line = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", line)
    line = re.sub(r"\b[a-h][1-8]\b", lambda one: pack.square(chess.parse_square(one[0])), line)
    line = re.sub(r"\b\d+\b", lambda one: pack.number(int(one[0])), line)
    letters = r"[„“”»«]?\b[tqD]\b[„“”»«]?"
    return re.sub(letters, "", line)


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("role", ["player", "assistant", "arbiter"])
def test_a_voice_reads_each_whole_guide_to_its_end(
    role: str, language: str, tmp_path: Path
) -> None:
    pack = load(language)
    text = re.sub(r"(?m)^(?:#+|>) ", "", (GUIDES / f"{role}.{language}.md").read_text("utf-8"))
    sentences = [
        as_read(sentence, pack)
        for part in re.split(r"\n\s*\n", text)
        if not part.startswith(COMMAND)
        for sentence in re.split(r"(?<=[.?!])\s+", " ".join(part.split()))
        if sentence
    ]
    with Synthesiser(language, spellings=pack.spoken, cache=tmp_path) as voice:
        for sentence in sentences:
            with wave.open(str(voice.render(sentence))) as sound:
                # Nobody says more than forty letters in a second.
                assert sound.getnframes() / sound.getframerate() > len(sentence) / 40, sentence
    assert len(sentences) > 100


def test_a_command_is_spoken_with_its_dashes() -> None:
    spoken = in_words("    blindplay play --console", load("de"))
    assert spoken == "blindplay play Minus Minus console."


def test_there_are_no_guides_in_other_languages() -> None:
    with pytest.raises(ValueError, match=r"da, de, en, nb and sv, .* --language en"):
        short("player", "fo")


def test_the_guides_are_in_the_wheel() -> None:
    built = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    assert built["targets"]["wheel"]["force-include"]["docs/guides"] == "blindplay/guides"
    assert folder() == GUIDES


# --- reading aloud ------------------------------------------------------------------------------

GUIDE = ShortGuide((("Eingabetaste.",),), (("Eins.", "    blindplay play"), ("Zwei.",), ("Drei.",)),
              Path("player.de.md"))  # fmt: skip


class Heard(GuideReader):
    """Signals when it waits for a key."""

    waiting: threading.Semaphore

    def _next_step(self, guide: ShortGuide) -> int | None:
        self.waiting.release()
        return super()._next_step(guide)


class Room:
    """A loudspeaker that nobody hears, what was told, and a keyboard."""

    def __init__(self, synthesiser: Synthesiser, sink: MemorySink) -> None:
        self.sink, self.out, self.said = sink, io.StringIO(), list[str]()
        self.speaker = Speaker(synthesiser, sink, sink)
        say = self.speaker.say

        def keep(words: str, **rest: Any) -> None:
            self.said.append(words)
            say(words, **rest)

        self.speaker.say = keep  # type: ignore[method-assign, assignment]
        self.reader = Heard(load("de"), self.speaker, self.out)
        self.reader.waiting = threading.Semaphore(0)

    def keys(self, *lines: str) -> Iterator[str]:
        """Each line is typed, and the keyboard ends, when a key is waited for."""
        for line in lines:
            assert self.reader.waiting.acquire(timeout=PATIENCE_S)
            yield line + "\n"
        self.reader.waiting.acquire(timeout=PATIENCE_S)


@pytest.fixture(scope="module")
def synthesiser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Synthesiser]:
    with Synthesiser("de", cache=tmp_path_factory.mktemp("cache")) as made:
        yield made


@pytest.fixture
def room(synthesiser: Synthesiser) -> Iterator[Room]:
    made = Room(synthesiser, MemorySink())
    yield made
    made.speaker.close()


def test_with_nobody_at_the_keyboard_it_is_read_to_its_end(room: Room) -> None:
    room.reader.read(GUIDE, None)
    assert room.said == ["Eins.", "blindplay play.", "Zwei.", "Drei."]
    assert len(room.sink.played) == 4
    assert room.out.getvalue().split() == [
        "Eins.", "blindplay", "play", "Zwei.", "Drei.",
        "Die", "ganze", "Anleitung", "steht", "hier:", "player.de.md",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "heard"),
    [
        (["", "", ""], ["Eingabetaste.", "Eins.", "blindplay play.", "Zwei.", "Drei."]),
        (["weiter", "quit"], ["Eingabetaste.", "Eins.", "blindplay play."]),
        (["wiederholen", "quit"], ["Eingabetaste.", "Eingabetaste."]),
        (["hilfe", "quit"], ["Eingabetaste."] * 3),
        (["", "zurück", "ende"], ["Eingabetaste.", "Eins.", "blindplay play.", "Eingabetaste."]),
        ([""], ["Eingabetaste.", "Eins.", "blindplay play."]),
    ],
)
def test_after_each_paragraph_it_waits_for_a_key(
    room: Room, typed: list[str], heard: list[str]
) -> None:
    room.reader.read(GUIDE, room.keys(*typed))
    assert room.said == heard


def test_a_keyboard_that_is_gone_stops_the_reading(room: Room) -> None:
    def gone() -> Iterator[str]:
        yield from room.keys("")
        raise OSError(5, "Input/output error")

    room.reader.read(GUIDE, gone())
    assert room.said == ["Eingabetaste.", "Eins.", "blindplay play."]


def test_a_key_cuts_off_what_is_being_said_and_goes_on(synthesiser: Synthesiser) -> None:
    began = threading.Event()
    sink = MemorySink(realtime=True, on_start=lambda pcm, rate: began.set())
    room = Room(synthesiser, sink)
    long = " ".join(["Springer Gustav eins Felix drei"] * 10)

    def keys() -> Iterator[str]:
        assert began.wait(PATIENCE_S)
        yield "\n"
        yield "quit\n"

    try:
        room.reader.read(ShortGuide((), ((long, "Danach."), ("Zwei.",)), Path("x")), keys())
    finally:
        room.speaker.close()
    assert [played.whole for played in sink.played] == [False]
    assert "Danach." in room.out.getvalue() and "Danach." not in room.said


def test_without_a_loudspeaker_it_is_printed_and_nothing_is_waited_for() -> None:
    out = io.StringIO()
    GuideReader(load("de"), None, out).read(GUIDE, iter(()))
    assert "Drei." in out.getvalue() and "Eingabetaste." not in out.getvalue()
