"""A person led at a board, or answering by ear: the set-up, a typed board, spoken answers."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import chess
import platformdirs
import pytest

from blindplay.boards.peg import calibration
from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.calibration import Calibration
from blindplay.boards.peg.emulator import EmulatedBoard, practise
from blindplay.boards.ports import BoardNotFoundError
from blindplay.hearing.decision import Candidate, Decision, Verdict
from blindplay.hearing.statement import interpret
from blindplay.laws.facts import Player, Setup
from blindplay.laws.placement import pieces_of
from blindplay.opponents import uci
from blindplay.opponents.analysis import Analyst
from blindplay.record.study import Puzzle
from blindplay.speech import audio_devices
from blindplay.speech.audio import AudioError
from blindplay.speech.recogniser import Recogniser, Recognition
from blindplay.speech.synthesis import Synthesiser
from blindplay.table.attendant import AnsweringEar, Attendant, News, Prompter, open_ear, set_up
from blindplay.table.devices import WantedDevices
from blindplay.table.play import run
from blindplay.table.reviewing import Teacher, solve
from tests.conversation.conversing import GERMAN
from tests.opponents.test_analysis import FEW, free
from tests.table.sitting import START
from tests.table.speaking import PAUSE, Microphone, hear_in_second_language, spoken
from tests.waiting import PATIENCE_S, until

GOAL = pieces_of(chess.BaseBoard("4k3/8/8/8/8/8/4P3/4K3"))


class Keys:
    """A keyboard at which nobody types until he is told to."""

    def __init__(self) -> None:
        self._typed = threading.Condition()
        self._lines: list[str] = []

    def type(self, line: str) -> None:
        with self._typed:
            self._lines.append(line + "\n")
            self._typed.notify_all()

    def __iter__(self) -> Keys:
        return self

    def __next__(self) -> str:
        with self._typed:
            self._typed.wait_for(lambda: bool(self._lines))
            return self._lines.pop(0)


class Running:
    """A command in a thread of its own, its keyboard and what it prints."""

    def __init__(self) -> None:
        self.keys, self.out = Keys(), io.StringIO()

    def wait(self, words: str, times: int = 1) -> None:
        printed = self.out.getvalue
        assert until(lambda: printed().count(words) >= times), printed()


class Led(Running):
    """``board setup`` at an emulated board."""

    def __init__(self, board: EmulatedBoard) -> None:
        super().__init__()
        self.shown: list[bool] = []
        self.thread = threading.Thread(
            target=lambda: self.shown.append(
                set_up(board.url, GOAL, GERMAN, True, self.keys, self.out)
            ),
            daemon=True,
        )
        self.thread.start()

    def ended(self) -> bool:
        self.thread.join(PATIENCE_S)
        return self.shown[0]


@pytest.mark.parametrize("identity", [True, False], ids=["named", "unnamed"])
def test_a_position_is_set_up_step_by_step(identity: bool) -> None:
    with EmulatedBoard("4k3/8/8/8/8/7r/8/8", identity=identity) as board:
        led = Led(board)
        led.wait("Jetzt wird das Brett aufgestellt. Schritte: drei.")
        led.wait("Vom Brett nehmen: ")
        board.lift("h3")
        led.wait("Auf Eva eins fehlt: weißer König.")
        led.keys.type("wiederholen")
        led.wait("Auf Eva eins fehlt: weißer König.", 2)
        board.place("e1", "K")
        led.wait("Auf Eva zwei fehlt: weißer Bauer.")
        board.place("e2", "P")
        led.wait("Die Stellung ist aufgestellt.")
        assert led.ended()


def test_a_step_that_is_left_out_leaves_the_position_unfinished() -> None:
    with EmulatedBoard("4k3/8/8/8/8/8/4P3/8") as board:
        led = Led(board)
        led.wait("Auf Eva eins fehlt: weißer König.")
        led.keys.type("auslassen")
        led.wait("Ausgelassen sind: Eva eins.")
        assert not led.ended()


def test_a_cable_that_is_pulled_is_told_and_the_step_repeated_when_it_is_back() -> None:
    with EmulatedBoard("4k3/8/8/8/8/8/4P3/8") as board:
        led = Led(board)
        led.wait("Auf Eva eins fehlt: weißer König.")
        board.unplug()
        led.wait("Die Verbindung zum Brett ist unterbrochen.")
        board.plug()
        led.wait("Auf Eva eins fehlt: weißer König.", 2)
        led.keys.type("quit")
        assert not led.ended()


def test_a_bad_contact_is_told_with_what_to_do() -> None:
    with EmulatedBoard("4k3/8/8/8/8/8/4P3/8") as board:
        led = Led(board)
        led.wait("Auf Eva eins fehlt")
        board.fault("e2")
        led.wait("Feld Eva zwei: der Kontakt ist schlecht.")
        board.mend("e2")
        board.fault("e2", "p")
        led.wait("Feld Eva zwei: Es ist nicht mehr sicher, welche Figur hier steckt.")
        led.keys.type("quit")
        led.ended()


def test_a_board_that_is_set_up_already_is_told_so() -> None:
    with EmulatedBoard("4k3/8/8/8/8/8/4P3/4K3") as board:
        led = Led(board)
        assert led.ended()
        assert led.out.getvalue() == "Die Stellung ist aufgestellt.\n"


def test_what_was_said_before_hands_are_led_is_kept_for_whoever_heeds_it() -> None:
    said = Decision(Verdict.ASK, Recognition(()))
    with EmulatedBoard("4k3/8/8/8/8/8/4P3/4K3") as board, prompter() as (stack, voice, _out):
        attendant = Attendant(stack, voice, Keys(), board.url)
        attendant.hear(said)
        attendant.lead(GOAL)  # nobody heeds it
        attendant.tell("later")
        assert attendant.event() == News("later")
        heard: list[object] = []

        def heed(event: object) -> bool:
            heard.append(event)
            return True

        attendant.hear(said)
        attendant.lead(GOAL, heed=heed)
        attendant.tell("later")
        while News("later") not in heard:
            heard.append(attendant.event())
        assert heard == [said, News("later")]


def test_no_board_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BoardNotFoundError):
        set_up(str(tmp_path / "none"), GOAL, GERMAN, True, io.StringIO(), io.StringIO())


# --- the board that is typed ---------------------------------------------------------------


def typed(placement: str, *lines: str) -> list[str]:
    out = io.StringIO()
    with EmulatedBoard(placement, lift_ms=50) as board:
        practise(board, io.StringIO("\n".join([*lines, "fen"]) + "\n"), out)
        assert out.getvalue().splitlines()[0] == board.url
    return out.getvalue().splitlines()[1:]


@pytest.mark.parametrize(
    ("placement", "lines", "shown"),
    [
        (START, ["lift e2", "place e4"], "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"),
        (START, ["move e2e4"], "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"),
        ("8/8/8/3p4/4P3/8/8/8", ["move e4d5"], "8/8/8/3P4/8/8/8/8"),
        ("8/8/8/3pP3/8/8/8/8", ["move e5d6"], "8/8/3P4/8/8/8/8/8"),
        ("8/4P3/8/8/8/8/8/8", ["move e7e8n"], "4N3/8/8/8/8/8/8/8"),
        ("8/8/8/8/8/8/8/4K2R", ["move e1g1"], "8/8/8/8/8/8/8/5RK1"),
        ("r3k3/8/8/8/8/8/8/8", ["move e8c8"], "2kr4/8/8/8/8/8/8/8"),
        ("8/8/8/8/8/8/8/8", ["place a1 Q", "", "press white", "unplug", "plug"],
         "8/8/8/8/8/8/8/Q7"),
    ],
)  # fmt: skip
def test_typed_hands_move_the_pieces(placement: str, lines: list[str], shown: str) -> None:
    assert typed(placement, *lines) == [shown]


@pytest.mark.parametrize(
    "line", ["lift e4", "lift z9", "place e4", "place e2 P", "place e4 x", "move e4e5", "move x",
             "press", "press green", "dance"],
)  # fmt: skip
def test_what_typed_hands_cannot_do_is_told_and_changes_nothing(line: str) -> None:
    trouble, shown = typed(START, line)
    assert trouble.startswith("trouble: ") and shown == START


# --- a game ---------------------------------------------------------------------------------


class Played(Running):
    """``play`` with White's emulated board, keys, and nobody speaking."""

    def __init__(self, board: EmulatedBoard, path: Path, *, resume: bool = False) -> None:
        super().__init__()
        white = Player(impaired=True)
        setup = None if resume else Setup(t=0, time_control="900", white=white)
        devices = WantedDevices(board=board.url, microphone="none", silent=True)
        self._thread = threading.Thread(
            target=lambda: run(path, setup, devices, self.keys, self.out), daemon=True
        )
        self._thread.start()

    def quit(self) -> str:
        self.keys.type("quit")
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        return self.out.getvalue()


def test_a_game_begins_when_its_board_has_been_set_up(tmp_path: Path) -> None:
    with EmulatedBoard("rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR") as board:
        game = Played(board, tmp_path / "game.jsonl")
        game.wait("Auf Eva zwei fehlt: weißer Bauer.")
        board.place("e2", "P")
        game.wait("Die Stellung ist aufgestellt.")
        game.keys.type("")
        game.wait("Die Partie beginnt.")
        assert "ruled clock: running white" in game.quit()


def test_a_game_may_be_begun_before_its_board_is_set_up(tmp_path: Path) -> None:
    with EmulatedBoard("rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR") as board:
        game = Played(board, tmp_path / "game.jsonl")
        game.wait("Auf Eva zwei fehlt: weißer Bauer.")
        game.keys.type("start")
        game.wait("Die Partie beginnt.")
        game.quit()


def test_a_game_that_is_resumed_leads_to_its_position_first(tmp_path: Path) -> None:
    with EmulatedBoard() as board:
        game = Played(board, tmp_path / "game.jsonl")
        game.wait("Mit der Eingabetaste beginnt die Partie.")
        game.keys.type("")
        game.keys.type("Springer Gustav eins Felix drei")
        game.wait("ruled announced")
        board.lift("g1")
        board.place("f3", "N")
        board.press("white")
        game.wait("ruled completed")
        game.quit()
    with EmulatedBoard() as board:
        game = Played(board, tmp_path / "game.jsonl", resume=True)
        game.wait("Umstecken: weißer Springer, von Gustav eins nach Felix drei.")
        assert "running black" not in game.out.getvalue()
        board.lift("g1")
        board.place("f3", "N")
        game.wait("Die Stellung ist aufgestellt.\n")
        game.keys.type("")
        game.wait("ruled clock: running black")
        game.quit()


def test_contacts_that_were_found_bad_are_told_before_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platformdirs, "user_config_path", lambda *_, **__: tmp_path)
    with EmulatedBoard(which=peg.Identity(10)) as board:
        calibration.keep("0000000a", "another port", Calibration(bad={"e4": "bad"}))
        game = Played(board, tmp_path / "game.jsonl")
        game.wait("said privately: Feld Eva vier: der Kontakt ist schlecht.")
        game.quit()


BACK_RANK = chess.Board("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")
RA8 = chess.Move.from_uci("a1a8")
MATE = "Turm Anna eins Anna acht"
OTHER = "Turm Anna eins Anna sieben"


class Solving:
    """A person at a puzzle, with a keyboard and a microphone."""

    def __init__(self, stack: ExitStack, recogniser: Recogniser) -> None:
        self.room = Running()
        self.microphone = Microphone()
        voice = Prompter(stack, GERMAN, True, self.room.out)
        self.attendant = Attendant(stack, voice, self.room.keys)
        teacher = Teacher(voice, self.attendant, Analyst(uci.BUILT_IN, free, FEW), False)
        ear = AnsweringEar(recogniser, self.microphone, voice, self.attendant.hear)
        stack.callback(ear.close)
        teacher.answers.ear = ear
        self._thread = threading.Thread(
            target=lambda: solve(teacher, [Puzzle(BACK_RANK, best=(RA8,))]), daemon=True
        )
        self._thread.start()
        self.room.wait("Weiß ist am Zug.")

    def doubts(self, *words: str) -> None:
        """The ear is not sure which of these was said."""
        said = [interpret(one, [BACK_RANK], GERMAN) for one in words]
        found = tuple(Candidate(one, cost) for cost, one in enumerate(said))
        self.attendant.hear(Decision(Verdict.ASK, Recognition(()), None, found))

    def ends(self, score: str) -> None:
        self.room.wait(f"Ohne Hilfe gelöst: {score}.")
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()


@pytest.fixture
def solving(recogniser: Recogniser) -> Iterator[Solving]:
    with ExitStack() as stack:
        yield Solving(stack, recogniser)


def test_moves_are_said(solving: Solving, synthesiser: Synthesiser) -> None:
    solving.room.wait("Sie können den Zug auch sagen.")
    solving.microphone.push(spoken(synthesiser, OTHER))
    solving.room.wait("Das ist nicht die Lösung.")
    solving.room.wait("Versuchen Sie es noch einmal")
    solving.microphone.push(PAUSE + spoken(synthesiser, MATE))
    solving.room.wait("Richtig.")
    solving.ends("null von eins")


def test_a_move_that_only_the_second_language_hears_is_an_answer(
    recogniser: Recogniser, synthesiser: Synthesiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    hear_in_second_language(recogniser, monkeypatch)
    with ExitStack() as stack:
        solving = Solving(stack, recogniser)
        solving.microphone.push(spoken(synthesiser, MATE))
        solving.ends("eins von eins")


def test_a_doubt_is_read_back_and_confirmed_at_the_keyboard_or_the_next_one_is(
    solving: Solving,
) -> None:
    solving.doubts(OTHER, MATE)
    solving.room.wait(f"{OTHER}. Richtig?")
    solving.room.keys.type("nein")
    solving.room.wait(f"{MATE}. Richtig?")
    solving.room.keys.type("nein")
    solving.room.wait(GERMAN.sentence("not_understood"))
    solving.doubts(MATE)
    solving.room.wait(f"{MATE}. Richtig?", 2)
    solving.room.keys.type("ja")
    solving.ends("eins von eins")


def test_a_pause_between_the_squares_makes_no_other_move(
    solving: Solving, synthesiser: Synthesiser
) -> None:
    for words in ("Turm Anna eins", "Anna acht"):
        solving.microphone.push(spoken(synthesiser, words))
    solving.room.wait(f"{MATE}. Richtig?")
    solving.room.keys.type("ja")
    solving.ends("eins von eins")


def test_a_yes_that_is_said_confirms(solving: Solving, synthesiser: Synthesiser) -> None:
    solving.doubts(MATE)
    solving.room.wait(f"{MATE}. Richtig?")
    solving.microphone.push(spoken(synthesiser, "ja"))
    solving.ends("eins von eins")


@contextmanager
def prompter() -> Iterator[tuple[ExitStack, Prompter, io.StringIO]]:
    out = io.StringIO()
    with ExitStack() as stack:
        yield stack, Prompter(stack, GERMAN, True, out), out


def test_without_a_microphone_or_a_model_answers_are_typed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with prompter() as (stack, voice, out):
        assert open_ear(stack, voice, print, "none") is None
        some = audio_devices.AudioDevices((), ("a microphone",))
        monkeypatch.setattr("blindplay.table.attendant.devices", lambda: some)
        assert open_ear(stack, voice, print, None) is None
        assert "Bis dahin tippen Sie" in out.getvalue()
        with pytest.raises(AudioError):
            open_ear(stack, voice, print, "no such microphone")
