"""The microphone at a table: talk buttons, going away and coming back, and who talks over whom."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Self, cast

import chess
import pytest

from benchmarks.memory_audio import MemorySink
from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.hearing.recognisers import open_recogniser
from blindplay.laws import facts as f
from blindplay.speech import ensemble
from blindplay.speech.audio import BLOCK_BYTES, QueueSource
from blindplay.speech.endpointing import MicrophoneMode
from blindplay.speech.ensemble import Ensemble
from blindplay.speech.listener import Listener
from blindplay.speech.models.folders import find_model
from blindplay.speech.recogniser import Recogniser, Recognition, UtteranceDecoder, VoskGrammar
from blindplay.speech.speaker import Output, Speaker
from blindplay.speech.synthesis import Synthesiser
from blindplay.speech.transcriber import Transcriber
from tests.conversation.conversing import GERMAN
from tests.table.sitting import ManualClock, Sit, Sitting
from tests.table.speaking import PAUSE, ROOM, Microphone, hear_in_second_language, spoken
from tests.table.test_session import doubt
from tests.waiting import PATIENCE_S, until

MOVE = "Bauer Eva zwei Eva vier"
HEARD = f"heard White: {MOVE.lower()}"


class Seat:
    """A player with a microphone, at a table that speaks."""

    def __init__(self, sitting: Sitting, recogniser: Recogniser, synthesiser: Synthesiser) -> None:
        self.sitting, self.session = sitting, sitting.session
        self.shows = sitting.shows
        self.microphone = Microphone()
        self.sound = spoken(synthesiser, MOVE)
        self._recogniser = recogniser

    def attach(self, listening: MicrophoneMode) -> None:
        self.session.attach_microphone("white", self.microphone, self._recogniser, listening)

    @property
    def printed(self) -> str:
        return self.sitting.printed


@pytest.fixture
def player(sit: Sit, recogniser: Recogniser, synthesiser: Synthesiser) -> Seat:
    sink = MemorySink()
    sitting = sit(Speaker(synthesiser, sink, sink))
    sitting.start()
    return Seat(sitting, recogniser, synthesiser)


def test_with_push_to_talk_nothing_counts_until_the_key(player: Seat) -> None:
    player.attach(MicrophoneMode.PUSH_TO_TALK)
    player.microphone.push(player.sound)
    assert until(lambda: not player.microphone.waiting())
    assert "heard White" not in player.printed
    player.session.talk()
    player.microphone.push(player.sound)
    player.shows(HEARD)
    assert "listening to White" in player.printed


def test_a_lever_that_is_no_clock_is_the_talk_button_of_its_player(player: Seat) -> None:
    player.attach(MicrophoneMode.PUSH_TO_TALK)
    with EmulatedBoard() as board:
        player.session.attach_board("white", board.url, levers=False)
        player.shows("White's board is connected")
        board.press("white")
        player.shows("listening to White")
        player.microphone.push(player.sound)
        player.shows(HEARD)
        assert "lever pressed" not in player.printed


def test_two_quick_presses_of_the_talk_button_confirm_a_doubtful_move_and_are_no_speech(
    sit: Sit, recogniser: Recogniser, synthesiser: Synthesiser
) -> None:
    clock, microphone = ManualClock(), QueueSource()
    sitting = sit(now=clock, time_control="900")
    sitting.start()
    talk = sitting.session.talk
    sitting.session.attach_microphone("white", microphone, recogniser, MicrophoneMode.PUSH_TO_TALK)
    doubt(sitting)
    for seconds in (0.0, 0.7):
        clock.at += seconds
        talk("white")
    assert sitting.table.game.turn.announced is None  # there was time for a nein
    microphone.push(PAUSE)
    assert until(lambda: not sitting.session.microphones["white"].listener.speaking)
    clock.at += 1
    talk()
    clock.at += 0.3
    talk()
    assert sitting.table.game.turn.announced == chess.Move.from_uci("g1f3")
    microphone.push(spoken(synthesiser, MOVE))
    assert until(lambda: not microphone.waiting())
    assert HEARD not in sitting.printed  # nobody listens any more


def test_a_microphone_that_goes_and_comes_back_is_told_and_heard_again(player: Seat) -> None:
    player.attach(MicrophoneMode.OPEN)
    player.microphone.fail("The microphone is gone; plug it in again.")
    player.shows(GERMAN.sentence("microphone_gone"))
    player.session.table.submit(f.Query(by="white", about="moves"))  # the game goes on
    player.session.wait_until_said()
    player.microphone.plug_in()
    player.shows(GERMAN.sentence("microphone_back"))
    player.session.wait_until_said()
    player.microphone.push(player.sound)
    player.shows(HEARD)


def test_a_recogniser_that_fails_is_no_microphone_that_is_gone(
    player: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("no memory")

    player.attach(MicrophoneMode.OPEN)
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Transcriber, "take", fails)
        player.microphone.push(player.sound)
        player.shows(GERMAN.sentence("recogniser_gone"))
        assert until(lambda: not player.microphone.waiting())
    player.session.wait_until_said()
    player.microphone.push(player.sound)
    player.shows(HEARD)
    player.shows("the recogniser works again")
    player.shows(GERMAN.sentence("recogniser_back"))
    for name in ("microphone_gone", "microphone_back"):
        assert GERMAN.sentence(name) not in player.printed


def test_who_speaks_is_not_talked_over(player: Seat) -> None:
    player.attach(MicrophoneMode.OPEN)
    words = player.sound[: -len(PAUSE)]
    player.microphone.push(words)
    assert until(lambda: player.session.microphones["white"].listener.speaking)
    assert until(lambda: not player.microphone.waiting())
    player.session.desk.say(Output.PUBLIC, GERMAN.sentence("welcome"))
    player.microphone.push(PAUSE)
    player.shows(HEARD)


class HearsForEver:
    """A listener whose recogniser does not come back from hearing an utterance again."""

    outdated = True
    segment = None
    now = 0.0

    def __init__(self) -> None:
        self.asked, self.let = threading.Event(), threading.Event()

    def reheard(self) -> Recognition | None:
        self.asked.set()
        self.let.wait()
        self.outdated = False
        return None

    def listen_for(self, phrases: Sequence[str]) -> None:
        pass

    def close(self) -> None:
        self.let.set()


def test_typed_words_work_while_the_recogniser_hangs(player: Seat) -> None:
    """Also where it is asked once more, because the game has gone on meanwhile."""
    session = player.session
    player.attach(MicrophoneMode.OPEN)
    seat = session.microphones["white"]
    real, hangs = seat.listener, HearsForEver()
    seat.listener = cast(Listener, hangs)
    heard = threading.Thread(target=seat._on_recognition, args=(Recognition(),), daemon=True)
    heard.start()
    assert hangs.asked.wait(PATIENCE_S)
    typed = threading.Thread(target=session.typed, args=("white", MOVE), daemon=True)
    typed.start()
    typed.join(PATIENCE_S)
    assert not typed.is_alive()
    player.shows("ruled announced: by white; move e2e4")
    hangs.let.set()
    heard.join(PATIENCE_S)
    assert not heard.is_alive()
    real.close()


def test_what_only_the_second_language_hears_is_taken(
    player: Seat, recogniser: Recogniser, monkeypatch: pytest.MonkeyPatch
) -> None:
    hear_in_second_language(recogniser, monkeypatch)
    player.attach(MicrophoneMode.OPEN)
    player.microphone.push(player.sound)
    player.shows(HEARD)
    player.shows("ruled announced: by white; move e2e4")


# --- two models ---------------------------------------------------------------------------------


def test_a_model_that_fails_in_the_game_is_told_aloud_and_the_other_hears_on(
    sit: Sit, synthesiser: Synthesiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, microphone = find_model("de"), QueueSource()
    sitting = sit(time_control="900")
    sitting.start()
    both = open_recogniser(GERMAN, model, model)
    assert isinstance(both, Ensemble)
    sitting.session.attach_microphone("white", microphone, both)

    def heard(words: str, answer: str) -> object:
        since = len(sitting.session.rulings)
        microphone.push(spoken(synthesiser, words))
        return sitting.session.wait_for(answer, PATIENCE_S, since)

    assert heard("Bauer Eva zwei Eva drei", "announced") is not None
    gone = GERMAN.sentence("model_gone")
    assert gone not in sitting.printed

    def broken(pcm: bytes) -> bool:
        raise RuntimeError("out of memory")

    begin = both.members[0].start_with

    def begin_broken(closed: VoskGrammar, **how: bool) -> UtteranceDecoder:
        run = begin(closed, **how)
        monkeypatch.setattr(run, "accept", broken)
        return run

    monkeypatch.setattr(both.members[0], "start_with", begin_broken)
    assert heard("Korrektur Bauer Eva zwei Eva vier", "slip_corrected") is not None
    assert gone in sitting.printed
    assert len(both.members) == 1


def test_a_model_that_was_late_for_long_is_told_aloud_once_and_again_when_it_is_back(
    sit: Sit, synthesiser: Synthesiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, microphone, late = find_model("de"), QueueSource(), Future[None]()
    sitting = sit(time_control="900")
    sitting.start()
    both = open_recogniser(GERMAN, model, model)
    assert isinstance(both, Ensemble)
    seat = sitting.session.attach_microphone("white", microphone, both)
    gone, back = (GERMAN.sentence(f"model_{what}") for what in ("gone", "back"))

    def heard(words: str) -> None:
        since = len(sitting.session.rulings)
        microphone.push(spoken(synthesiser, words))
        assert sitting.session.wait_for("announced", PATIENCE_S, since), sitting.printed

    heard("Bauer Eva zwei Eva drei")
    measured = seat._confidences
    both._work[late] = both.members[1], -ensemble.OUT_S
    for words in ("Korrektur Bauer Eva zwei Eva vier", "Korrektur Bauer Eva zwei Eva drei"):
        heard(words)
    assert sitting.printed.count(gone) == 1 and back not in sitting.printed
    assert seat._confidences != measured  # those of the other alone
    late.set_result(None)
    heard("Korrektur Bauer Eva zwei Eva vier")
    sitting.shows(back)
    assert sitting.printed.count(gone) == sitting.printed.count(back) == 1
    assert seat._confidences == measured


class Pair:
    """Two players at a table without a loudspeaker, and the microphones between them."""

    def __init__(
        self, sitting: Sitting, recogniser: Recogniser, sound: Callable[[str], bytes]
    ) -> None:
        self.sitting, self.session, self.table = sitting, sitting.session, sitting.table
        self.sound = sound
        self._recogniser = recogniser

    def attach(self, seat: str = "white", *, shared: bool = False) -> QueueSource:
        microphone = QueueSource()
        self.session.attach_microphone(seat, microphone, self._recogniser, shared=shared)
        return microphone

    def say(self, microphone: QueueSource, words: str, answer: str) -> str:
        """Say words; by whom the ruling that answers them has it."""
        since = len(self.session.rulings)
        microphone.push(self.sound(words))
        ruling = self.session.wait_for(answer, PATIENCE_S, since)
        assert ruling is not None, self.sitting.printed
        return str(ruling.fields["to" if answer == "answer" else "by"])


@pytest.fixture
def pair(sit: Sit, recogniser: Recogniser, synthesiser: Synthesiser) -> Pair:
    sitting = sit(time_control="900")
    sitting.start()
    return Pair(sitting, recogniser, lambda words: spoken(synthesiser, words))


def test_each_is_heard_in_his_turn_and_commands_are_of_whose_microphone_it_is(pair: Pair) -> None:
    shared = pair.attach(shared=True)
    assert pair.say(shared, "Bauer Eva zwei Eva drei", "announced") == "white"
    assert pair.say(shared, "Bauer Eva zwei Eva drei", "repeated") == "black"
    assert pair.say(shared, "Bauer David zwei David drei", "repeat_differs") == "black"
    assert pair.say(shared, "Korrektur Bauer Eva zwei Eva vier", "slip_corrected") == "white"
    assert pair.say(shared, "Bauer Eva zwei Eva vier", "repeated") == "black"
    for by in f.SIDES:
        pair.table.submit(f.Make(by=by, move="e2e4"))
    pair.table.submit(f.Press(by="white"))
    assert pair.say(shared, "Bauer Eva sieben Eva fünf", "announced") == "black"
    assert pair.say(shared, "wie viel Zeit habe ich noch", "answer") == "white"
    assert pair.say(shared, "Bauer Eva sieben Eva fünf", "repeated") == "white"
    assert pair.table.game.turn.announced is not None


def test_an_announcement_is_no_repetition_of_itself_at_the_other_microphone(pair: Pair) -> None:
    own, other = pair.attach("white"), pair.attach("black")
    said = pair.sound("Bauer Eva zwei Eva vier")
    other.push(said[: -len(PAUSE)])  # there its end is heard a little later
    assert pair.say(own, "Bauer Eva zwei Eva vier", "announced") == "white"
    other.push(PAUSE)
    assert pair.say(own, "wie viel Zeit habe ich noch", "answer") == "white"
    assert "repeated" not in [ruling.kind for ruling in pair.session.rulings]
    assert pair.say(other, "Bauer Eva zwei Eva vier", "repeated") == "black"


class SlowMicrophone(Microphone):
    """Takes as long to open as a test wants."""

    def __init__(self) -> None:
        super().__init__()
        self.opens, self.opened = threading.Event(), threading.Event()

    def __enter__(self) -> Self:
        self.opens.set()
        assert self.opened.wait(PATIENCE_S)
        return super().__enter__()


def test_of_two_microphones_that_come_at_once_one_listens(sit: Sit, recogniser: Recogniser) -> None:
    session, slow, other = sit().session, SlowMicrophone(), Microphone()

    def attach(source: Microphone) -> threading.Thread:
        attaching = threading.Thread(
            target=session.attach_microphone, args=("white", source, recogniser)
        )
        attaching.start()
        return attaching

    threads = [attach(slow)]
    assert slow.opens.wait(PATIENCE_S)
    threads.append(attach(other))
    slow.opened.set()
    for one in threads:
        one.join(PATIENCE_S)
    assert slow._left and not other._left


def test_a_microphone_with_a_cable_gives_way_to_a_phone_that_is_there(
    sit: Sit, recogniser: Recogniser
) -> None:
    session, phone, wired = sit().session, Microphone(), SlowMicrophone()
    seat = session.attach_microphone("white", phone, recogniser)
    assert session.attach_microphone("white", wired, recogniser, gives_way=True) is seat
    assert not phone._left and not wired.opens.is_set()


def test_lost_sound_is_counted_and_told_but_not_all_the_time(player: Seat) -> None:
    player.attach(MicrophoneMode.OPEN)
    microphone, told = player.microphone, f": {GERMAN.sentence('sound_lost')}"
    for seconds, times in ((0.5, 1), (2.0, 1)):
        microphone.lost_s += seconds
        microphone.push(ROOM)
        player.shows(f"{microphone.lost_s} seconds of sound were lost")
        player.session.wait_until_said()
        assert player.printed.count(told) == times
    microphone.push(player.sound)
    player.shows(HEARD)


def test_somebody_whose_words_got_a_gap_is_asked_again_each_time(player: Seat) -> None:
    """Also soon after everybody was told that sound is lost."""
    player.attach(MicrophoneMode.OPEN)
    middle = len(player.sound) // 2 // BLOCK_BYTES * BLOCK_BYTES
    for times in (1, 2, 3):
        player.session.wait_until_said()
        player.microphone.push(player.sound[:middle])
        assert until(lambda: player.session.microphones["white"].listener.speaking)
        assert until(lambda: not player.microphone.waiting())
        player.microphone.lost_s += 0.5
        player.microphone.push(4 * ROOM)
        told = GERMAN.sentence("sound_lost")
        assert until(lambda: player.printed.count(told) == times), player.printed  # noqa: B023


def test_an_utterance_with_a_gap_does_not_count(player: Seat) -> None:
    player.attach(MicrophoneMode.OPEN)
    middle = len(player.sound) // 2 // BLOCK_BYTES * BLOCK_BYTES
    player.microphone.push(player.sound[:middle])
    assert until(lambda: player.session.microphones["white"].listener.speaking)
    assert until(lambda: not player.microphone.waiting())
    player.microphone.lost_s += 0.5
    player.microphone.push(player.sound[middle:])
    player.shows(GERMAN.sentence("sound_lost"))
    assert until(lambda: not player.microphone.waiting())
    assert HEARD not in player.printed
