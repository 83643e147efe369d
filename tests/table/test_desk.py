"""What a table says and prints: a screen reader must not talk over its voice."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import chess
import pytest

from benchmarks.memory_audio import MemorySink
from blindplay.language import Command, load
from blindplay.laws import Ruling
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from blindplay.laws.rulings import (
    Answer,
    BoardsDiffer,
    CorrectBoard,
    CorrectingStep,
    DifferingSquare,
    Obliged,
)
from blindplay.speech.audio import AudioError
from blindplay.speech.speaker import Outcome, Output, Speaker, Voicing
from blindplay.speech.synthesis import Synthesiser
from blindplay.table.choices import PressAnswer, Printed
from blindplay.table.desk import Transcript, plain
from blindplay.wording.announcements import Announcement
from tests.conversation.conversing import GERMAN
from tests.table.sitting import Sit, Sitting
from tests.table.speaking import Voice
from tests.waiting import PATIENCE_S

LANGUAGES = ("de", "en", "nb", "sv", "da")


# --- an output that fails -----------------------------------------------------------------------


class Cable(MemorySink):
    """An output whose cable can be pulled."""

    def __init__(self) -> None:
        super().__init__()
        self.pulled = False

    def play(self, pcm: bytes, rate: int, stop: threading.Event) -> bool:
        if self.pulled:
            raise AudioError("The audio output takes no sound; plug it in again.")
        return super().play(pcm, rate, stop)


def _said(printed: str) -> list[str]:
    lines = [line.partition(" ")[2] for line in printed.splitlines()]
    return [line.removeprefix("said ") for line in lines if line.startswith("said ")]


@pytest.mark.parametrize("broken", [Output.PUBLIC, Output.PRIVATE], ids=["loudspeaker", "earphone"])
def test_an_output_that_fails_is_told_once_by_the_other_and_that_it_is_back(
    sit: Sit, synthesiser: Synthesiser, broken: Output
) -> None:
    sinks = {Output.PRIVATE: Cable(), Output.PUBLIC: Cable()}
    other = Output.PRIVATE if broken is Output.PUBLIC else Output.PUBLIC
    speaker = Speaker(synthesiser, sinks[Output.PRIVATE], sinks[Output.PUBLIC])
    players = {"white": Player(name="Anna", impaired=True), "black": Player(name="Bert")}
    sitting = sit(speaker, options={"private_is_heard_by_all": False}, **players)
    desk = sitting.session.desk
    sinks[broken].pulled = True
    for _ in range(2):
        desk.say(broken, "weiter")
        assert speaker.wait(PATIENCE_S)
    sinks[broken].pulled = False
    desk.say(broken, "weiter")
    assert speaker.wait(PATIENCE_S)
    name = "loudspeaker" if broken is Output.PUBLIC else "earphone"
    to = {Output.PUBLIC: "to everybody", Output.PRIVATE: "privately"}
    assert _said(sitting.printed) == [
        f"{to[broken]}: weiter",
        f"{to[other]}: {GERMAN.sentence(f'{name}_gone')}",
        f"{to[broken]}: weiter",
        f"{to[broken]}: weiter",
        f"{to[broken]}: {GERMAN.sentence(f'{name}_back')}",
    ]
    heard_by_other = 3 if broken is Output.PUBLIC else 1  # nothing private is told to all
    assert len(sinks[other].played) == heard_by_other


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_can_say_it(language: str) -> None:
    pack = load(language)
    names = [f"{one}_{how}" for one in ("loudspeaker", "earphone") for how in ("gone", "back")]
    assert len({pack.sentence(name) for name in names}) == 4


# --- louder, softer, slower, faster -------------------------------------------------------------


class Ear:
    """A player, the sound that reaches their earphone, and how they want to be spoken to."""

    def __init__(self, sit: Sit, synthesiser: Synthesiser, keep: Callable[[Voicing], None]) -> None:
        self.sink = MemorySink()
        self.speaker = Speaker(synthesiser, self.sink, self.sink)
        self.sitting: Sitting = sit(self.speaker, options={"on_voicing": keep})
        self.desk = self.sitting.session.desk

    def adjust(self, command: Command) -> str:
        """What is said to a command of White."""
        self.sitting.said()
        self.desk.adjust_voice("white", command)
        (words,) = self.sitting.said()
        return words


@pytest.fixture
def kept() -> list[Voicing]:
    return []


@pytest.fixture(scope="module")
def voice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Synthesiser]:
    """A voice of its own, because its rate changes."""
    with Synthesiser("de", cache=tmp_path_factory.mktemp("phrases")) as made:
        yield made


@pytest.fixture
def ear(sit: Sit, voice: Synthesiser, kept: list[Voicing]) -> Ear:
    return Ear(sit, voice, kept.append)


@pytest.mark.parametrize(
    ("command", "limit"),
    [
        (Command.LOUDER, Voicing(volume=12)),
        (Command.SOFTER, Voicing(volume=-24)),
        (Command.FASTER, Voicing(rate=320)),
        (Command.SLOWER, Voicing(rate=80)),
    ],
)
def test_the_voice_changes_step_by_step_until_its_limit(
    ear: Ear, kept: list[Voicing], command: Command, limit: Voicing
) -> None:
    steps = 0
    while ear.adjust(command) == GERMAN.sentence(command.value):
        steps += 1
        assert kept[-1] == ear.speaker.voicing and steps < 20
    assert ear.speaker.voicing == limit
    assert steps == len(kept) == len(set(kept))
    for _ in range(2):
        assert ear.adjust(command) == GERMAN.sentence("voice_limit")
    assert len(kept) == steps  # nothing new to keep


def test_louder_is_louder(ear: Ear) -> None:
    def loudness() -> int:
        ear.desk.say(Output.PRIVATE, "weiter")
        ear.sitting.session.wait_until_said()
        return max(abs(sample) for sample in memoryview(ear.sink.played[-1].pcm).cast("h"))

    before = loudness()
    ear.adjust(Command.LOUDER)
    assert loudness() > before


def test_the_sentence_before_can_still_be_repeated(ear: Ear) -> None:
    ear.desk.say(Output.PRIVATE, GERMAN.sentence("due_announce"))
    ear.adjust(Command.LOUDER)
    ear.desk.say_again("white")
    assert ear.sitting.said() == [GERMAN.sentence("due_announce")]


def test_a_voicing_that_cannot_be_kept_is_told_and_lasts_for_this_game(
    sit: Sit, voice: Synthesiser
) -> None:
    def full(voicing: Voicing) -> None:
        raise OSError(28, "No space left on device")

    ear = Ear(sit, voice, full)
    assert ear.adjust(Command.LOUDER) == GERMAN.sentence(Command.LOUDER.value)
    assert ear.speaker.voicing == Voicing(volume=4)
    (trouble,) = [line for line in ear.sitting.printed.splitlines() if "trouble: " in line]
    assert "Das wird nicht behalten: " in trouble and "kein Platz mehr" in trouble


def test_without_a_voice_there_is_none_to_adjust(sit: Sit) -> None:
    sitting = sit()
    sitting.session.desk.adjust_voice("white", Command.LOUDER)
    assert sitting.said() == [GERMAN.sentence("refused_no_voice")]


# --- once more, and never -----------------------------------------------------------------------


def test_nothing_is_repeated_before_anything_was_said(sit: Sit) -> None:
    sitting = sit()
    sitting.session.desk.say_again("white")
    assert sitting.said() == [GERMAN.sentence("refused_nothing_to_repeat")]


def test_repeat_tells_each_player_the_last_sentence_worth_it_that_they_heard(sit: Sit) -> None:
    desk = (sitting := sit()).session.desk
    desk.tell(None, "Springer Gustav eins Felix drei.")
    desk.tell("white", "Sie haben fünf Minuten.")  # into the earphone of the blind player
    desk.tell("white", GERMAN.sentence("cancelled"), fleeting=True)
    sitting.said()
    desk.say_again("white")
    desk.say_again("black")
    assert sitting.said() == ["Sie haben fünf Minuten.", "Springer Gustav eins Felix drei."]


def test_words_that_a_model_lacks_are_named_once(sit: Sit) -> None:
    sitting = sit()
    for words in (["zwo", "anton"], ["anton"], [], ["anton", "berta"]):
        sitting.session.desk.report_unspeakable(words)
    named = [line.split("sprechen: ")[1] for line in sitting.printed.splitlines()]
    assert named == ["anton, zwo", "berta"]


def test_what_is_no_words_is_trouble_and_printed(
    sit: Sit, synthesiser: Synthesiser, tmp_path: Path
) -> None:
    sitting = sit(Speaker(synthesiser, MemorySink(), MemorySink()))
    sitting.session.desk.say(Output.PUBLIC, "Sf3")
    assert "trouble: 'Sf3' must be spelled out in words" in sitting.printed


# --- the answer to a press ----------------------------------------------------------------------


@pytest.mark.parametrize("answer", list(PressAnswer))
def test_a_press_is_answered_as_the_player_prefers(
    sit: Sit, synthesiser: Synthesiser, answer: PressAnswer
) -> None:
    sink = MemorySink()
    sitting = sit(Speaker(synthesiser, sink, sink), options={"press_answer": answer})
    desk = sitting.session.desk
    desk.speak(Announcement(GERMAN.sentence("clock_stopped")))
    desk.speak(Announcement("Ihre Uhr steht. Schwarz ist am Zug.", "white", answers_press=True))
    sitting.session.wait_until_said()
    assert (sink.played[1].seconds < 0.3) is (answer is PressAnswer.SOUND)
    desk.say_again("white")
    assert sitting.said()[-1] == GERMAN.sentence("clock_stopped")


MOVE = "Springer Gustav eins Felix drei"
SAID = [
    MOVE,
    "Der angesagte Zug ist noch nicht ausgeführt.",
    f"Führen Sie den Zug auf Ihrem Brett aus: {MOVE}.",
]


@pytest.fixture
def printed(sit: Sit) -> Callable[[Printed, Voice | None], list[str]]:
    """What is printed of a move that is announced and pressed too early."""

    def play(printed: Printed, voice: Voice | None) -> list[str]:
        sitting = sit(cast(Speaker, voice), printed=printed)
        sitting.start()
        sitting.table.submit(f.Announce(by="white", move="g1f3"))
        sitting.table.submit(f.Press(by="white"))
        sitting.session.transcript.trouble("The cable is off.")
        return sitting.printed.splitlines()

    return play


def test_what_a_voice_speaks_is_not_printed_but_what_is_wrong_is(
    printed: Callable[..., list[str]],
) -> None:
    assert printed(Printed.UNSPOKEN, Voice(Outcome.SPOKEN)) == ["trouble: The cable is off."]


def test_what_the_voice_could_not_speak_is_printed(printed: Callable[..., list[str]]) -> None:
    assert printed(Printed.UNSPOKEN, Voice(Outcome.FAILED))[:3] == SAID


@pytest.mark.parametrize(
    ("wanted", "voice"), [(Printed.UNSPOKEN, None), (Printed.WORDS, Voice(Outcome.FAILED))]
)
def test_words_are_printed_once_and_as_they_are_said(
    printed: Callable[..., list[str]], wanted: Printed, voice: Voice | None
) -> None:
    assert printed(wanted, voice) == [*SAID, "trouble: The cable is off."]


def test_everything_is_printed_with_its_time_and_articles(
    printed: Callable[..., list[str]],
) -> None:
    lines = [line.split(" ", 1)[1] for line in printed(Printed.ALL, Voice(Outcome.SPOKEN))]
    assert f"said to everybody: {MOVE}" in lines
    assert any(line.startswith("ruled announced: ") and "D.2.1" in line for line in lines)


def test_lines_that_two_threads_print_at_once_stay_whole() -> None:
    printed: list[str] = []

    class Slow(io.StringIO):
        """Another thread gets its turn after each piece."""

        def write(self, text: str) -> int:
            printed.append(text)
            time.sleep(0.001)
            return len(text)

    transcript = Transcript(Slow(), lambda: 0)

    def print_often(word: str) -> None:
        for _ in range(50):
            transcript.show(word)

    threads = [
        threading.Thread(target=lambda word=word: print_often(word))
        for word in ("hands", "boards", "pages")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = "".join(printed).splitlines()
    assert sorted(lines) == ["boards"] * 50 + ["hands"] * 50 + ["pages"] * 50


# --- a ruling in one line -----------------------------------------------------------------------


ARTICLES = ("house 1", "house 2.3")


@pytest.mark.parametrize(
    ("ruling", "line"),
    [
        (
            BoardsDiffer(articles=ARTICLES, squares=(DifferingSquare("g4", None, "Q"),)),
            "boards differ: squares g4 White's board empty, Black's board Q (house 1, house 2.3)",
        ),
        (
            CorrectBoard(
                articles=ARTICLES,
                board="black",
                placement=chess.STARTING_BOARD_FEN,
                steps=(CorrectingStep("lift", "Q", "g4"), CorrectingStep("place", "Q", "h5")),
            ),
            "correct board: board black; steps lift Q g4, place Q h5 (house 1, house 2.3)",
        ),
        (
            Answer(articles=ARTICLES, to="white", about="moves",
                   words="Abgeschlossene Züge: eins.", moves=1, plies=2),
            "answer: to white; about moves; moves 1; plies 2 (house 1, house 2.3)",
        ),
    ],
)  # fmt: skip
def test_a_ruling_is_its_kind_its_fields_and_its_articles(ruling: Ruling, line: str) -> None:
    """What people hear anyway is left out."""
    assert plain(ruling) == line


def test_many_moves_are_only_counted() -> None:
    moves = tuple(move.uci() for move in chess.Board().legal_moves)
    few, many = (
        plain(Obliged(articles=ARTICLES, by="white", moves=some)) for some in (moves[:2], moves)
    )
    assert f"moves {moves[0]} {moves[1]} (" in few
    assert "moves 20 moves (" in many
