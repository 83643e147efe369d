"""The table offers a speech model that was trained on people, fetches it, and listens with it."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from blindplay.conversation.state import ANSWER_SECONDS
from blindplay.language import Command, load
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.speech.confidence import ConfidenceModel
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.models import folders, store
from blindplay.speech.models.catalogue import BaseModel
from blindplay.speech.models.folders import ModelError
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.speaker import Outcome, Output
from blindplay.speech.synthesis import Synthesiser
from blindplay.table import devices, model_offer
from blindplay.table.choices import Printed
from blindplay.table.devices import WantedDevices, offer_model
from blindplay.table.keyboard import Keyboard
from blindplay.table.microphone_seat import MicrophoneSeat
from blindplay.table.opening import open_game
from blindplay.table.play import TableOptions, run
from tests.conversation.conversing import GERMAN
from tests.speech.models.conftest import archive as archive
from tests.speech.models.conftest import home as home
from tests.speech.models.conftest import unprobed as unprobed
from tests.speech.models.helpers import NAME, QUICK, base_of, known
from tests.speech.models.server import Served, breaks_off, serving
from tests.table.sitting import ManualClock, Sit, Sitting
from tests.table.speaking import PAUSE, Microphone, Voice, spoken
from tests.waiting import PATIENCE_S, until

FILE = f"{NAME}.zip"
SAYS = GERMAN.sentence
YES_OR_NO = SAYS("say_yes_or_no")
HALF, READY, LATER = (SAYS(f"model_{key}") for key in ("half", "listens", "later"))
OFFLINE, CUT, FAILED = (SAYS(f"model_{key}") for key in ("offline", "cut", "failed"))
UNHEARD = SAYS("model_unheard")


def about(base: BaseModel) -> dict[str, str]:
    return {"size": GERMAN.number(-(-base.size // 1_000_000))}


@pytest.fixture
def server(archive: Path) -> Iterator[Served]:
    with serving() as served:
        served.files[FILE] = archive.read_bytes()
        yield served


@pytest.fixture
def base(
    archive: Path, server: Served, monkeypatch: pytest.MonkeyPatch, unprobed: None
) -> BaseModel:
    """The only model of the catalogue. It can be had from ``server``."""
    monkeypatch.setattr(devices, "devices", lambda: SimpleNamespace(capture=("a microphone",)))
    monkeypatch.setattr(store, "Patience", lambda: QUICK)
    found = base_of(archive, server.url(FILE))
    known(monkeypatch, found)
    return found


class Offered:
    """A table with a microphone, in front of a blind White."""

    def __init__(self, sit: Sit, recogniser: Recogniser, *, language: str = "de") -> None:
        self.microphone = Microphone()
        white = Player(impaired=True, language=language)
        self.sitting: Sitting = sit(
            options={"tick_seconds": 0.02}, white=white, announce_in="de", language=language
        )
        self.session = self.sitting.session
        self.seat = self.session.attach_microphone("white", self.microphone, recogniser)
        open_game(self.session, resumed=False)
        offer_model(self.session, "white", WantedDevices())
        self.shows = self.sitting.shows

    def hears_with_it(self) -> None:
        """Wait until the model is there. The table says that it listens when sound comes."""
        assert until(lambda: self.seat.listener._between), self.sitting.printed
        assert READY not in self.sitting.printed
        self.microphone.push(PAUSE)
        self.shows(READY)

    @property
    def fetched(self) -> bool:
        return any(folder.name == NAME for folder in self.seat.models)


Table = Callable[..., Offered]


@pytest.fixture
def table(sit: Sit, recogniser: Recogniser, base: BaseModel) -> Table:
    return partial(Offered, sit, recogniser)


def test_a_spoken_yes_fetches_the_model_and_the_next_move_is_heard_with_it(
    table: Table, base: BaseModel, server: Served, synthesiser: Synthesiser
) -> None:
    at = table()
    at.shows(f"said privately: {SAYS('model_offer', **about(base))} {YES_OR_NO}")
    server.does = [breaks_off(base.size * 2 // 3)]
    at.microphone.push(spoken(synthesiser, "Ja"))
    at.shows(SAYS("model_fetching", count=about(base)["size"]))
    at.hears_with_it()
    assert at.sitting.printed.count(HALF) == 1
    cut, resumed = server.ranges[-2:]
    assert cut is None and resumed is not None  # it went on where it was cut
    assert not at.sitting.table.game.started
    at.session.setting_up.begin_now()
    at.microphone.push(spoken(synthesiser, "Bauer Eva zwei Eva vier"))
    at.shows("heard White: bauer eva zwei eva vier")
    assert at.fetched


def test_a_no_is_for_good_and_a_typed_word_asks_for_the_model(table: Table) -> None:
    at = table()
    at.shows(YES_OR_NO)
    at.session.typed("white", "nein")
    at.shows(LATER)
    at.session.typed("white", "ja")
    again = table()
    again.session.second()
    assert YES_OR_NO not in again.sitting.printed and not again.fetched
    offer = again.session.model_offer
    assert offer is not None
    offer.typed()
    again.hears_with_it()
    offer.typed()
    again.shows(SAYS("model_there"))


def test_a_wrong_digest_is_not_used_and_told(table: Table, base: BaseModel, server: Served) -> None:
    server.files[FILE] = server.files[FILE][:-1] + b"x"
    at = table()
    at.shows(YES_OR_NO)
    at.session.typed("white", "ja")
    at.shows(FAILED)
    assert not at.fetched and "its SHA-256 is" in at.sitting.printed
    assert folders.available("de").keys() == {folders.BUILT_IN}


def test_a_connection_that_is_lost_is_told_and_the_next_table_goes_on(
    table: Table, base: BaseModel, server: Served
) -> None:
    at = table()
    at.shows(YES_OR_NO)
    server.does = [breaks_off(base.size // 2), *[breaks_off(0)] * QUICK.tries]
    at.session.typed("white", "ja")
    at.shows(CUT)
    server.does = []
    again = table()
    again.hears_with_it()
    assert YES_OR_NO not in again.sitting.printed
    assert server.ranges[-1] is not None


def test_without_the_internet_it_is_told_once_and_asked_when_there_is(
    table: Table, base: BaseModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = BaseModel(**{**base.__dict__, "address": "http://127.0.0.1:9/model.zip"})
    known(monkeypatch, nowhere)
    table().shows(OFFLINE)
    looked: list[str] = []
    monkeypatch.setattr(model_offer, "answers", looked.append)  # None: it does not
    silent = table()
    assert until(lambda: looked)
    silent.session.second()
    assert OFFLINE not in silent.sitting.printed


def test_in_a_running_game_nobody_is_asked_but_after_it(table: Table) -> None:
    at = table()
    at.shows(YES_OR_NO)
    at.session.setting_up.begin_now()  # with Enter, and no answer
    at.shows(LATER)
    at.session.typed("white", "ja")
    assert not at.fetched and at.sitting.table.game.started


class Reading(Voice):
    """A voice that reads everything to its end when the test says so."""

    def __init__(self) -> None:
        super().__init__(Outcome.SPOKEN)
        self._reads: list[Callable[[Outcome], None]] = []
        self.interruptions = 0

    def say(self, words: str, *, to: Output, on_done: Callable[[Outcome], None], **_: Any) -> None:
        self._reads.append(on_done)

    def wait(self, seconds: float) -> bool:
        return not self._reads

    def interrupt(self, **how: Any) -> None:
        self.interruptions += 1

    def finish(self) -> None:
        reads, self._reads = self._reads, []
        for on_done in reads:
            on_done(Outcome.SPOKEN)


def test_a_question_that_the_beginning_of_the_game_cut_short_is_asked_again_after_it(
    sit: Sit, base: BaseModel
) -> None:
    voice, clock = Reading(), ManualClock()
    at = sit(voice, options={"tick_seconds": 3600}, now=clock)
    open_game(at.session, resumed=False)
    offer_model(at.session, "white", WantedDevices())
    offer = at.session.model_offer
    assert offer is not None and until(lambda: offer._due)
    at.session.second()
    assert YES_OR_NO not in at.printed  # the welcome is still being read
    voice.finish()
    at.session.second()
    assert YES_OR_NO in at.printed
    at.session.setting_up.begin_now()  # the question is still being read
    at.session.second()
    assert at.table.game.started and LATER not in at.printed
    at.session.typed("white", "ja")
    assert SAYS("model_fetching", count=about(base)["size"]) not in at.printed
    at.table.submit(f.Resign(by="white"))
    at.session.second()
    assert at.printed.count(YES_OR_NO) == 1  # the result is still being read
    voice.finish()
    at.session.second()
    assert at.printed.count(YES_OR_NO) == 2
    voice.finish()
    clock.at += ANSWER_SECONDS + 1
    at.session.second()
    assert LATER in at.printed


def test_nobody_is_asked_while_hands_are_led_and_boards_wait_a_while_for_the_answer(
    sit: Sit, recogniser: Recogniser, base: BaseModel
) -> None:
    clock = ManualClock()
    at = sit(options={"tick_seconds": 0.02}, now=clock, time_control="900")
    at.session.setting_up.prepare()
    at.session.attach_microphone("white", Microphone(), recogniser)
    at.attach_boards(white="rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR")
    at.wait(lambda: at.session.boards["white"].seen)
    open_game(at.session, resumed=False)
    offer_model(at.session, "white", WantedDevices())
    offer = at.session.model_offer
    assert offer is not None and until(lambda: offer._due)
    at.session.second()
    assert YES_OR_NO not in at.printed and not offer.holds
    at.boards["white"].place("e2", "P")
    at.shows(YES_OR_NO)
    assert offer.holds
    at.session.typed("white", "noch einmal")
    at.shows(YES_OR_NO, 2)
    clock.at += 21
    assert not offer.holds


def test_a_game_that_began_at_once_is_asked_about_after_its_end(
    sit: Sit, recogniser: Recogniser, base: BaseModel
) -> None:
    at = sit(options={"tick_seconds": 0.02})
    at.start()
    at.session.attach_microphone("white", Microphone(), recogniser)
    offer_model(at.session, "white", WantedDevices())
    offer = at.session.model_offer
    assert offer is not None and until(lambda: offer._due)
    at.session.second()
    assert YES_OR_NO not in at.printed
    at.table.submit(f.Resign(by="white"))
    at.shows(YES_OR_NO)


class Late:
    """A game of two people on one keyboard, which was begun before the model could be offered. The
    model is offered to ``seat``, who lost. Only the test moves the time."""

    def __init__(self, sit: Sit, base: BaseModel, seat: str = "white") -> None:
        self.base, self.clock = base, ManualClock()
        self.at = sit(options={"tick_seconds": 3600}, now=self.clock)
        self.at.start()
        self.session = self.at.session
        offer_model(self.session, seat, WantedDevices())
        offer = self.session.model_offer
        assert offer is not None and until(lambda: offer._due)
        self.offer = offer
        self.at.table.submit(f.Resign(by=seat))
        self.session.second()
        assert self.asks == 1

    def type(self, *lines: str) -> None:
        keyboard = Keyboard(self.session)
        for line in lines:
            keyboard.do(line)

    @property
    def asks(self) -> int:
        return self.at.printed.count(SAYS("model_offer", **about(self.base)))

    @property
    def fetches(self) -> bool:
        return SAYS("model_fetching", count=about(self.base)["size"]) in self.at.printed


def test_the_yes_to_another_question_signs_the_result_and_fetches_nothing(
    sit: Sit, base: BaseModel
) -> None:
    late = Late(sit, base)
    late.type(f"Weiß: {GERMAN.command(Command.SIGN)}")
    late.session.second()
    late.type("Weiß: ja")
    game = late.at.table.game
    assert game.signed["white"] == game.result and not late.fetches
    assert late.asks == 1
    late.session.second()
    assert late.asks == 2  # now that nobody is asked anything else
    late.type("Weiß: ja")
    assert late.fetches


def test_only_the_player_who_was_asked_answers_and_silence_means_no(
    sit: Sit, base: BaseModel
) -> None:
    late = Late(sit, base)
    late.type("Schwarz: ja")
    assert not late.fetches
    late.clock.at += ANSWER_SECONDS
    late.session.second()
    assert LATER not in late.at.printed
    late.clock.at += 1
    late.session.second()
    assert LATER in late.at.printed
    late.type("Weiß: ja", "ja")
    assert not late.fetches


def test_a_typed_answer_without_a_name_is_that_of_the_player_who_was_asked(
    sit: Sit, base: BaseModel
) -> None:
    late = Late(sit, base, seat="black")
    assert late.at.table.game.side == "white"
    late.type("nein")
    assert LATER in late.at.printed


def test_the_answer_of_another_player_than_the_one_on_move_cuts_off_nothing(
    sit: Sit, base: BaseModel
) -> None:
    """White, who is on move, wears the earphone. Black answers the question."""
    late = Late(sit, base, seat="black")
    voice = late.session.desk.speaker = Reading()  # type: ignore[assignment]
    Keyboard(late.session).do_all(["ja"])
    assert late.fetches and voice.interruptions == 0


def test_a_microphone_that_is_attached_after_the_end_of_the_table_is_closed(
    sit: Sit, recogniser: Recogniser, base: BaseModel
) -> None:
    at, microphone = sit(), Microphone()
    at.session.close()
    at.session.attach_microphone("white", microphone, recogniser)
    assert microphone._left and not at.session.microphones


def test_one_model_is_fetched_once(
    table: Table, base: BaseModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, installed, install = threading.Event(), list[str](), store.install

    def installs(work: Path, language: str, *arguments: Any, **named: Any) -> Any:
        installed.append(language)
        return install(work, language, *arguments, **named)

    monkeypatch.setattr(model_offer, "answers", lambda address: go_on.wait(PATIENCE_S))
    monkeypatch.setattr(store, "install", installs)
    tables = [table(), table()]
    for at in tables:
        offer = at.session.model_offer
        assert offer is not None
        offer.typed()
        offer.typed()
    go_on.set()
    for at in tables:
        at.hears_with_it()
        printed = at.sitting.printed
        assert printed.count(SAYS("model_fetching", count=about(base)["size"])) == 1
        assert YES_OR_NO not in printed
    assert installed == ["de"]


def test_a_model_that_is_there_but_cannot_listen_counts_as_installed(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = table()
    at.shows(YES_OR_NO)

    def fails(*_: object, **__: object) -> None:
        raise ModelError("it cannot be opened")

    monkeypatch.setattr(devices, "_recogniser", fails)
    at.session.typed("white", "ja")
    at.shows(UNHEARD)
    assert "it cannot be opened" in at.sitting.printed
    assert FAILED not in at.sitting.printed and READY not in at.sitting.printed
    assert at.session.model_offer is not None
    at.session.model_offer.typed()
    at.shows(SAYS("model_there"))


def test_a_model_that_cannot_be_measured_leaves_the_table_listening_as_before(
    table: Table, synthesiser: Synthesiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = table()
    at.shows(YES_OR_NO)
    before, measured = at.seat._recogniser, MicrophoneSeat._measured

    def only_before(seat: MicrophoneSeat, recogniser: AnyRecogniser) -> list[ConfidenceModel]:
        if recogniser is not before:
            raise OSError("its odds cannot be read")
        return measured(seat, recogniser)

    monkeypatch.setattr(MicrophoneSeat, "_measured", only_before)
    at.session.typed("white", "ja")
    assert until(lambda: at.seat.listener._between), at.sitting.printed
    at.microphone.push(PAUSE)
    at.shows(UNHEARD)
    assert "its odds cannot be read" in at.sitting.printed and READY not in at.sitting.printed
    assert at.seat._recogniser is before and not at.fetched
    at.session.setting_up.begin_now()
    at.microphone.push(spoken(synthesiser, "Bauer Eva zwei Eva vier"))
    at.shows("heard White: bauer eva zwei eva vier")


def test_no_model_is_offered_without_a_microphone_or_to_a_user_who_chose_models(
    sit: Sit, base: BaseModel, tmp_path: Path
) -> None:
    for wanted in (WantedDevices(microphone="none"), WantedDevices(models=(tmp_path,))):
        at = sit()
        offer_model(at.session, "white", wanted)
        assert at.session.model_offer is None
    folders.choose("de", [folders.BUILT_IN])
    at = sit()
    offer_model(at.session, "white", WantedDevices())
    assert at.session.model_offer is not None
    at.session.model_offer.typed()
    at.shows(SAYS("model_there"))


@pytest.mark.parametrize("language", ["en", "nb", "sv", "da"])
def test_the_question_is_asked_in_the_language_of_the_player(
    table: Table, base: BaseModel, language: str
) -> None:
    pack = load(language)
    at = table(language=language)
    at.shows(pack.sentence("model_offer", size=pack.number(-(-base.size // 1_000_000))))
    at.session.typed("white", pack.command(Command.NO))
    at.shows(pack.sentence("model_later"))


def test_the_word_model_at_the_keyboard_of_a_table_fetches_it(
    base: BaseModel, server: Served, tmp_path: Path
) -> None:
    server.files.clear()
    out = io.StringIO()
    setup = Setup(t=0, time_control="5400", white=Player(impaired=True), arbiter="automatic")
    run(tmp_path / "game.jsonl", setup, WantedDevices(silent=True), ["model", "quit"], out,
        TableOptions(printed=Printed.WORDS))  # fmt: skip
    assert SAYS("model_fetching", count=about(base)["size"]) in out.getvalue()
