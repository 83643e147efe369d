"""Players' phones at a table: heard like a microphone, away and back, and strangers."""

from __future__ import annotations

import random
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import chess
import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from benchmarks.memory_audio import MemorySink
from blindplay.console.encryption import IssuedCertificate, make_issuer
from blindplay.console.phone import REVOKED, TAKEN, TOO_MUCH
from blindplay.console.server import ConsoleHost
from blindplay.given import PHONE
from blindplay.laws import facts as f
from blindplay.laws.facts import SIDES, Player
from blindplay.speech.audio import BLOCK_BYTES, RATE, read_audio
from blindplay.speech.audio_devices import AudioDevices
from blindplay.speech.endpointing import MicrophoneMode
from blindplay.speech.models.folders import ModelError
from blindplay.speech.phone import PhoneSource
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.speaker import Output, Speaker
from blindplay.speech.synthesis import Synthesiser
from blindplay.table.choices import Keep
from blindplay.table.devices import WantedDevices
from blindplay.table.phones import PlayerPhones
from blindplay.table.play import _phones
from tests.conversation.conversing import GERMAN
from tests.table.phones import TestPhone
from tests.table.sitting import ManualClock, Sit, Sitting
from tests.table.speaking import PAUSE, ROOM, spoken
from tests.waiting import PATIENCE_S, until

MOVE = "Bauer Eva zwei Eva vier"
HEARD = f"heard White: {MOVE.lower()}"


def told(key: str) -> str:
    return str(GERMAN.sentence(key, player=GERMAN.sentence("white")))


class PhoneTable:
    """A table whose people may join with phones. ``clock`` is that by which a phone is away, unless
    ``now`` is given; ``served`` are more arguments of its pages."""

    def __init__(
        self, sitting: Sitting, stack: ExitStack, recogniser: Recogniser,
        now: Callable[[], float] | None = None, **served: Any,
    ) -> None:  # fmt: skip
        self.sitting, self.shows, self.clock = sitting, sitting.shows, ManualClock()
        self._now, self._served = now or self.clock, {"port": 0, **served}
        sitting.session.nearest.patience_s = PATIENCE_S
        self._stack, self._recogniser, self.mode = stack, recogniser, MicrophoneMode.OPEN
        self._patience_s = 0.0  # of a microphone without sound; 0: the usual one
        self.phones, self.host = self.serve(self.attach)

    def serve(
        self, attach: Callable[..., None] | None, taped: Keep = Keep.OFF, **how: Any
    ) -> tuple[PlayerPhones, ConsoleHost]:
        phones = PlayerPhones(self.sitting.session, attach, taped, now=self._now, **how)
        self._stack.callback(phones.close)
        host = ConsoleHost(self.sitting.table, phones=phones, **self._served)
        self._stack.callback(host.close)
        return phones, host

    def attach(self, seat: str, source: PhoneSource, *told: Any) -> None:
        gone, back = told
        source._patience_s = self._patience_s or source._patience_s
        self.sitting.session.attach_microphone(
            seat,
            source,
            self._recogniser,
            self.mode,
            gone=gone,
            back=back,
        )

    def phone(self, run: str = "anna", **how: Any) -> TestPhone:
        """A phone that has joined with a link of its own."""
        return self.join(self.link, run, **how)

    def join(self, link: str, run: str = "anna", role: str = "white", **how: Any) -> TestPhone:
        phone = TestPhone(link, run, self.clock, role=role)
        return self._stack.enter_context(phone).connect(**how)

    def listening(self, *roles: str) -> list[TestPhone]:
        """A phone for each of these people, to which the table listens, however long it is silent.
        Their times are known."""
        self._patience_s = PATIENCE_S
        phones = [self.join(self.host.link(role), role, role) for role in roles]
        for phone in phones:
            assert until(lambda: phone.answered)  # noqa: B023
            phone.listen()
            phone.at = phone.ms()
        self.sitting.session.wait_until_said()
        return phones

    def settle(self, phone: TestPhone) -> None:
        """Wait until the table has heard everything that was sent."""
        listener = self.sitting.session.microphones["white"].listener
        self.sitting.wait(lambda: listener.now >= phone.number * 0.04 - 0.001)

    @property
    def link(self) -> str:
        if not hasattr(self, "_link"):
            self._link = self.host.link("white")
        return self._link

    def pass_s(self, seconds: float) -> None:
        self.clock.at += seconds

    @property
    def printed(self) -> str:
        return self.sitting.printed


@pytest.fixture
def table(sit: Sit, recogniser: Recogniser, synthesiser: Synthesiser) -> Iterator[PhoneTable]:
    sink = MemorySink()
    sitting = sit(Speaker(synthesiser, sink, sink))
    sitting.start()
    with ExitStack() as stack:
        yield PhoneTable(sitting, stack, recogniser)


def test_a_move_is_heard_through_a_phone_as_through_a_microphone(
    table: PhoneTable, synthesiser: Synthesiser
) -> None:
    phone = table.phone()
    table.shows(told("phone_here"))
    phone.listen()
    assert {"tape": "off"} in phone.said
    table.sitting.session.wait_until_said()
    phone.speak(spoken(synthesiser, MOVE))
    table.shows(HEARD)


@pytest.mark.parametrize("share", [0.02, 0.1])
def test_doubled_and_exchanged_packets_change_nothing_that_is_heard(
    table: PhoneTable, synthesiser: Synthesiser, share: float
) -> None:
    def exchange(packets: list[bytes]) -> list[bytes]:
        chance, places = random.Random(4), list(range(len(packets)))
        places.sort(key=lambda place: place + (4.5 if chance.random() < share else 0))
        doubled = [place for place in places for _ in range(1 + (chance.random() < share))]
        return [packets[place] for place in doubled]

    phone = table.phone()
    phone.listen()
    table.sitting.session.wait_until_said()
    phone.speak(spoken(synthesiser, MOVE), exchange)
    table.shows(HEARD)


def test_an_utterance_with_a_hole_does_not_count_and_the_hole_is_told(
    table: PhoneTable, synthesiser: Synthesiser
) -> None:
    phone = table.phone()
    phone.listen()
    table.sitting.session.wait_until_said()
    sound = spoken(synthesiser, MOVE)
    phone.speak(sound, lambda packets: packets[:40] + packets[55:])
    table.shows(GERMAN.sentence("line_lost"))
    table.sitting.session.wait_until_said()
    phone.speak(sound)
    table.shows(HEARD)
    assert table.printed.count("heard White: ") == 1


def test_a_phone_that_falls_silent_is_told_and_comes_back_by_itself_to_the_same_state(
    table: PhoneTable, synthesiser: Synthesiser
) -> None:
    phone = table.phone()
    phone.listen()
    phone.close()
    table.pass_s(2.5)
    table.shows(told("phone_away"))
    assert not table.sitting.table.game.over
    phone.connect(again=True)
    table.shows(told("phone_back"))
    table.sitting.session.wait_until_said()
    phone.speak(spoken(synthesiser, MOVE))
    table.shows(HEARD)
    assert told("phone_silent") not in table.printed
    assert table.printed.count(told("phone_here")) == 1


def test_a_short_break_of_the_line_loses_nothing_that_was_said(
    table: PhoneTable, synthesiser: Synthesiser
) -> None:
    phone = table.phone()
    phone.listen()
    table.sitting.session.wait_until_said()
    sound = spoken(synthesiser, MOVE)
    half = len(sound) // 2 // BLOCK_BYTES * BLOCK_BYTES
    phone.speak(sound[:half])
    phone.close()
    phone.connect(again=True)
    phone.speak(sound[half:])
    table.shows(HEARD)
    assert told("phone_away") not in table.printed


@pytest.mark.realtime
def test_a_phone_whose_page_is_there_and_whose_microphone_is_silent_is_told(
    table: PhoneTable,
) -> None:
    phone = table.phone()
    phone.listen()
    table.shows(told("phone_silent"))  # after three seconds without sound
    assert until(lambda: {"hears": "silent"} in phone.said)
    table.sitting.session.wait_until_said()
    phone.speak(bytes(10 * BLOCK_BYTES))
    table.shows(told("phone_back"))
    assert told("phone_away") not in table.printed


def test_a_phone_that_comes_back_without_its_microphone_is_told(table: PhoneTable) -> None:
    phone = table.phone()
    phone.listen()
    phone.close()
    table.pass_s(2.5)
    table.shows(told("phone_away"))
    phone.connect(again=True)
    table.shows(told("phone_back"))
    for _ in range(3):
        answered = len(phone.answered)
        table.pass_s(1.0)
        assert until(lambda: len(phone.answered) > answered)  # noqa: B023
    table.shows(told("phone_silent"))
    assert until(lambda: {"hears": "silent"} in phone.said)
    phone.speak(bytes(10 * BLOCK_BYTES))
    table.sitting.wait(lambda: table.printed.count(told("phone_back")) == 2)


def test_the_second_phone_has_the_seat_and_the_first_is_told_and_does_not_take_it_back_by_itself(
    table: PhoneTable, synthesiser: Synthesiser
) -> None:
    first = table.phone("first")
    first.listen()
    second = table.phone("second")
    assert until(lambda: first.code == TAKEN)
    table.shows(told("phone_other"))
    second.listen()
    first.connect(again=True)
    assert until(lambda: first.code == TAKEN)
    table.sitting.session.wait_until_said()
    second.speak(spoken(synthesiser, MOVE))
    table.shows(HEARD)
    first.connect()  # its player wants it
    assert until(lambda: second.code == TAKEN)


def test_a_phone_that_is_put_away_is_told_and_may_come_again(table: PhoneTable) -> None:
    phone = table.phone()
    phone.listen()
    phone.tell(do="leave")
    table.shows(told("phone_left"))
    table.shows("The player has put the phone away.")
    table.pass_s(10)
    again = table.phone("again")
    again.listen()
    assert told("phone_away") not in table.printed
    assert told("phone_silent") not in table.printed


def test_a_phone_that_is_put_away_and_taken_again_at_once_stays(table: PhoneTable) -> None:
    phone = table.phone()
    phone.listen()
    taken_again = threading.Event()
    table.phones._work.submit(taken_again.wait, 60)
    phone.tell(do="leave")
    phone.connect()
    assert until(lambda: phone.code == TAKEN)  # that of the line before
    phone.said.clear()
    taken_again.set()
    phone.listen()
    assert told("phone_left") not in table.printed


def test_a_table_without_an_ear_or_with_one_microphone_for_both_says_so_to_the_phone(
    table: PhoneTable,
) -> None:
    def no_ear(*_: object) -> None:
        raise ModelError("There is no model.")

    def broken(*_: object) -> None:
        raise RuntimeError("The model is damaged.")

    for attach, answer in ((no_ear, "no"), (broken, "no"), (None, "shared")):
        _, host = table.serve(attach)
        phone = table.join(host.link("white"))
        phone.tell(do="listen")
        assert until(lambda: {"hears": answer} in phone.said), phone.said  # noqa: B023
        phone.speak(bytes(BLOCK_BYTES))  # a page that sends all the same harms nothing
        assert phone.code is None


def test_the_page_is_told_what_the_tape_keeps(table: PhoneTable) -> None:
    _, host = table.serve(table.attach, Keep.VOICES)
    phone = table.join(host.link("white"))
    assert until(lambda: {"tape": "voices"} in phone.said)


def test_after_a_rematch_a_phone_finds_its_page_at_the_new_colour(table: PhoneTable) -> None:
    phone = table.phone()
    table.host.console.sign_in.links.change_colours()
    answer = phone.client.get("/white/phone")
    assert (answer.status_code, answer.headers["location"]) == (303, "/black-1/phone")


# --- several phones -----------------------------------------------------------------------------


def say(
    voice: Synthesiser, words: str, near: TestPhone, *far: TestPhone, farther_db: float = -12.0
) -> None:
    """Somebody says words into their own phone; the others hear them softer, in the same room."""
    said = np.frombuffer(read_audio(voice.render(words, voice="de")), "<i2")
    for phone in (*far, near):
        share = 1.0 if phone is near else 10 ** (farther_db / 20)
        phone.speak(ROOM + (said * share).astype("<i2").tobytes() + PAUSE)


def test_two_phones_hear_two_people_and_each_utterance_is_of_the_nearer_one(
    table: PhoneTable, synthesiser: Synthesiser
) -> None:
    white, black = table.listening("white", "black")
    session = table.sitting.session
    say(synthesiser, MOVE, white, black)
    table.shows(HEARD)
    table.sitting.wait(lambda: table.sitting.ruled("announced"))
    session.wait_until_said()
    say(synthesiser, MOVE, black, white)
    table.sitting.wait(lambda: table.sitting.ruled("repeated"))
    assert [table.sitting.ruled(one) for one in ("announced", "repeated")] == [1, 1]
    assert table.printed.count("heard White: ") == table.printed.count("heard Black: ") == 1


def test_the_softer_of_two_who_speak_at_once_is_asked_to_say_it_again(
    table: PhoneTable, synthesiser: Synthesiser
) -> None:
    white, black = table.listening("white", "black")
    table.sitting.play("e2e4")
    table.sitting.session.wait_until_said()
    talk, move = (
        np.frombuffer(read_audio(synthesiser.render(words, voice="de")), "<i2")
        for words in ("Springer Gustav eins Felix drei", "Bauer Eva sieben Eva fünf")
    )
    softer = (move * 0.6).astype("<i2")
    for phone, said in ((white, talk), (black, softer)):
        phone.speak(ROOM + said.tobytes() + PAUSE)
    table.shows("heard Black, nearer to the microphone of White")
    table.shows(GERMAN.sentence("spoke_at_once", player=GERMAN.sentence("black")))
    assert table.sitting.ruled("announced") == 1
    table.sitting.session.wait_until_said()
    say(synthesiser, "Bauer Eva sieben Eva fünf", black, white)
    table.sitting.wait(lambda: table.sitting.ruled("announced") == 2)


def test_the_opponent_announces_and_repeats_by_voice(
    table: PhoneTable, synthesiser: Synthesiser
) -> None:
    (black,) = table.listening("black")
    table.sitting.play("e2e4")
    table.sitting.session.wait_until_said()
    say(synthesiser, "Bauer Eva sieben Eva fünf", black)
    table.shows("heard Black: bauer eva sieben eva fünf")
    table.sitting.wait(lambda: table.sitting.ruled("announced") == 2)
    assert until(lambda: {"feel": "taken"} in black.said)
    table.sitting.session.typed("white", "e5")
    table.sitting.session.typed("black", "e5")
    black.tell(do="press")
    table.sitting.wait(lambda: table.sitting.ruled("completed") == 2)


def test_an_assistant_announces_the_opponents_move_and_repeats_but_commands_nothing(
    sit: Sit, recogniser: Recogniser, synthesiser: Synthesiser
) -> None:
    sitting = sit(white=Player(impaired=True, assistant=True))
    sitting.start()
    with ExitStack() as stack:
        table = PhoneTable(sitting, stack, recogniser)
        (helper,) = table.listening("assistant:white")
        sitting.session.talk("assistant:white")
        assert until(lambda: {"talks": True} in helper.said)
        sitting.play("e2e4")
        say(synthesiser, "ich gebe auf", helper)
        table.shows("heard White's assistant")
        say(synthesiser, "Bauer Eva sieben Eva fünf", helper)
        sitting.wait(lambda: sitting.ruled("announced") == 2)
        told = [one.fact for one in sitting.table.log if one.fact.kind == "announce"]
        assert told[-1].by == "assistant:white"  # type: ignore[attr-defined]
        assert until(lambda: {"feel": "taken"} in helper.said)
        say(synthesiser, "Bauer Eva sieben Eva fünf", helper)
        sitting.wait(lambda: sitting.ruled("repeated"))
        helper.tell(do="press")  # only on the whole page
        helper.tell(do="leave")
        table.shows("Jetzt hat der Assistent von Weiß das Telefon weggelegt.")
        assert not sitting.table.game.over
        assert sitting.ruled("completed") == 1


def test_only_the_assistant_who_said_it_is_asked_and_never_answers_for_the_player(
    sit: Sit, recogniser: Recogniser, synthesiser: Synthesiser
) -> None:
    sitting = sit(
        white=Player(impaired=True),
        black=Player(assistant=True),
        fen="1k6/8/8/8/8/8/4K3/R6R w - - 0 1",
    )
    sitting.start()
    with ExitStack() as stack:
        table = PhoneTable(sitting, stack, recogniser)
        (helper,) = table.listening("assistant:black")
        say(synthesiser, "Turm David eins", helper)
        sitting.wait(lambda: sitting.session.asked("white"))
        say(synthesiser, "Turm Anna eins David eins", helper)
        sitting.wait(lambda: sitting.ruled("announced"))
        assert sitting.table.game.turn.announced == chess.Move.from_uci("a1d1")
        sitting.session.typed("white", "aufgeben")
        assert sitting.session.asked("white")
        say(synthesiser, "ja", helper)
        sitting.wait(lambda: sitting.printed.count("heard Black's assistant") == 3)
        assert not sitting.table.game.over


def test_a_phone_that_is_away_holds_up_nobody_else(
    table: PhoneTable, synthesiser: Synthesiser
) -> None:
    white, black = table.listening("white", "black")
    table.sitting.session.nearest.patience_s = 10 * PATIENCE_S
    for phone in (white, black):
        phone.speak(ROOM)
    black.close()
    for _ in range(3):
        answered = len(white.answered)
        table.pass_s(1.0)
        assert until(lambda: len(white.answered) > answered)  # noqa: B023
    table.shows(GERMAN.sentence("phone_away", player=GERMAN.sentence("black")))
    table.sitting.session.wait_until_said()
    white.speak(spoken(synthesiser, MOVE))
    table.shows(HEARD)


# --- strangers ----------------------------------------------------------------------------------


def test_without_the_link_or_from_another_site_there_is_no_line(table: PhoneTable) -> None:
    phone = table.phone()
    cookies = {"cookie": "; ".join(f"{c.name}={c.value}" for c in phone.client.cookies.jar)}
    place = f"{phone.base.replace('http', 'ws')}/white/line"
    for headers, origin, where in (
        ({}, phone.base, place),
        (cookies, "http://elsewhere.example", place),
        (cookies, None, place),
        (cookies, phone.base, place.replace("white", "black")),
        (cookies, phone.base, place.replace("white", "arbiter")),
        (cookies, phone.base, place.replace("white/line", "white/changes")),
    ):
        with pytest.raises(InvalidStatus) as refused:
            connect(where, additional_headers=headers, origin=origin)  # type: ignore[arg-type]
        assert refused.value.response.status_code in (403, 404)
    assert phone.code is None


def test_lines_that_are_asked_for_too_often_are_refused(
    table: PhoneTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone = table.phone()
    monkeypatch.setattr(table.host.console.sign_in, "allows", lambda *_: False)
    phone.close()
    with pytest.raises(InvalidStatus) as refused:
        phone.connect(again=True)
    assert refused.value.response.status_code == 403


def test_a_site_whose_name_leads_to_this_machine_gets_no_line(table: PhoneTable) -> None:
    phone = table.phone()
    cookies = {"cookie": "; ".join(f"{c.name}={c.value}" for c in phone.client.cookies.jar)}
    place = urlsplit(phone.base)
    named = f"elsewhere.example:{place.port}"
    with pytest.raises(InvalidStatus) as refused:
        connect(
            f"ws://{named}/white/line", additional_headers=cookies, origin=Origin(f"http://{named}"),
            sock=socket.create_connection((str(place.hostname), place.port or 0)),
        )  # fmt: skip
    assert refused.value.response.status_code == 403
    assert phone.code is None


def test_a_revoked_link_ends_the_line(table: PhoneTable) -> None:
    phone = table.phone()
    table.host.console.revoke("white")
    assert until(lambda: phone.code == REVOKED)


@pytest.mark.parametrize(
    "message",
    [b"", b"noise", bytes(PHONE.most_bytes), bytes(PHONE.most_bytes + 1), bytes(10_000_000)],
)
def test_what_no_phone_sends_ends_the_line_and_the_table_goes_on(
    table: PhoneTable, synthesiser: Synthesiser, message: bytes
) -> None:
    phone = table.phone()
    phone.listen()
    with suppress(ConnectionClosed):
        phone.line.send(message)
    assert until(lambda: phone.code is not None)
    phone.connect(again=True)
    table.sitting.session.wait_until_said()
    phone.speak(spoken(synthesiser, MOVE))
    table.shows(HEARD)


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"do": 7}', '{"pong": []}', "[" * 3000])
def test_messages_that_say_nothing_are_ignored(table: PhoneTable, text: str) -> None:
    phone = table.phone()
    phone.line.send(text)
    phone.listen()
    assert phone.code is None


def test_a_stream_three_times_as_fast_or_without_an_end_is_hung_up_on(table: PhoneTable) -> None:
    phone = table.phone()
    phone.listen()
    with pytest.raises(ConnectionClosed):
        for _ in range(100_000):
            phone.speak(bytes(50 * BLOCK_BYTES))
    assert until(lambda: phone.code == TOO_MUCH)
    source = table.sitting.session.microphones["white"].listener._source
    assert isinstance(source, PhoneSource)
    assert len(source._blocks) <= 250


# --- the buttons --------------------------------------------------------------------------------


def test_a_press_on_the_phone_is_one_on_the_clock_at_the_time_of_the_finger(
    sit: Sit, recogniser: Recogniser
) -> None:
    clock = ManualClock()
    sitting = sit(now=clock, time_control="900")
    sitting.start()
    with ExitStack() as stack:
        table = PhoneTable(sitting, stack, recogniser)
        phone = table.phone()
        assert until(lambda: phone.answered)
        phone.listen()  # the answer has come before this
        sitting.session.typed("white", "e4")
        sitting.session.typed("black", "ja")
        sitting.wait(lambda: sitting.table.game.turn.announced is not None)
        clock.at += 20.0
        table.pass_s(0.5)  # nothing was on the line since
        phone.tell(do="press", at=phone.ms() - 400)
        sitting.wait(lambda: sitting.ruled("completed"))
        assert sitting.table.game.clock.left["white"] == 900_000 - 20_000 + 400
        assert until(lambda: {"feel": "taken"} in phone.said)


def test_a_press_that_waited_for_the_line_counts_at_the_time_of_the_finger(
    sit: Sit, recogniser: Recogniser
) -> None:
    clock = ManualClock()
    sitting = sit(now=clock, time_control="900")
    sitting.start()
    with ExitStack() as stack:
        table = PhoneTable(sitting, stack, recogniser)
        phone = table.phone()
        assert until(lambda: phone.answered)
        phone.listen()
        sitting.session.typed("white", "e4")
        sitting.session.typed("black", "ja")
        sitting.wait(lambda: sitting.table.game.turn.announced is not None)
        phone.answers = False
        phone.close()
        clock.at += 20.0
        table.pass_s(2.0)
        phone.connect(again=True)
        phone.tell(do="press", at=phone.ms() - 1000)
        sitting.wait(lambda: sitting.ruled("completed"))
        assert sitting.table.game.clock.left["white"] == 900_000 - 20_000 + 1000


def test_a_press_does_not_wait_while_the_table_loads_the_models_for_a_phone(
    sit: Sit, recogniser: Recogniser
) -> None:
    loaded = threading.Event()

    def load(*_: object) -> None:
        loaded.wait(60)

    sitting = sit()
    sitting.start()
    with ExitStack() as stack:
        table = PhoneTable(sitting, stack, recogniser)
        stack.callback(loaded.set)
        _, host = table.serve(load)
        phone = table.join(host.link("white"))
        phone.tell(do="listen")
        assert until(lambda: {"hears": "soon"} in phone.said)
        sitting.session.typed("white", "e4")
        sitting.session.typed("black", "ja")
        sitting.wait(lambda: sitting.table.game.turn.announced is not None)
        phone.tell(do="press")
        sitting.wait(lambda: sitting.ruled("completed"))
        assert {"hears": "yes"} not in phone.said


def test_a_finger_that_nobody_can_tell_of_holds_the_talk_button_no_more(table: PhoneTable) -> None:
    phone = table.phone()
    phone.listen()
    phone.tell(do="talk", down=True)
    assert until(lambda: {"talks": True} in phone.said)
    phone.close()
    table.pass_s(2.5)
    table.shows(told("phone_away"))
    assert not table.sitting.session.microphones["white"].is_held


def test_a_phone_is_heard_again_after_another_microphone_has_taken_its_place(
    table: PhoneTable, synthesiser: Synthesiser
) -> None:
    phone = table.phone()
    phone.listen()
    table.sitting.session.microphones["white"].listener.close()
    phone.said.clear()
    phone.listen()
    table.sitting.session.wait_until_said()
    phone.speak(spoken(synthesiser, MOVE))
    table.shows(HEARD)


def test_what_is_refused_and_the_turn_are_felt(sit: Sit, recogniser: Recogniser) -> None:
    sitting = sit()
    sitting.start()
    with ExitStack() as stack:
        phone = PhoneTable(sitting, stack, recogniser).phone()
        assert until(lambda: {"tape": "off"} in phone.said)
        sitting.session.typed("white", "e5")
        assert until(lambda: {"feel": "refused"} in phone.said), phone.said
        sitting.play("e2e4", "e7e5")
        assert until(lambda: {"feel": "turn"} in phone.said), phone.said


def test_the_talk_button_is_held_or_tapped(table: PhoneTable, synthesiser: Synthesiser) -> None:
    table.mode = MicrophoneMode.PUSH_TO_TALK
    phone = table.phone()
    phone.listen()
    table.sitting.session.wait_until_said()
    sound = spoken(synthesiser, MOVE)
    phone.speak(sound)
    phone.speak(ROOM)
    table.settle(phone)
    phone.tell(do="talk", down=True)
    assert until(lambda: {"talks": True} in phone.said)
    phone.speak(sound)
    table.settle(phone)
    phone.tell(do="talk", down=False)
    phone.speak(ROOM)
    table.shows(HEARD)
    assert until(lambda: {"talks": False} in phone.said)
    assert table.printed.count("heard White: ") == 1
    phone.said.clear()
    phone.tell(do="talk", down=True)
    phone.tell(do="talk", down=False, briefly=True)  # it stays down for one utterance
    assert until(lambda: {"talks": True} in phone.said)
    phone.tell(do="talk")  # a screen reader's click
    assert until(lambda: {"talks": False} in phone.said)


def test_when_a_phone_is_put_away_the_table_is_told_whose_it_was(table: PhoneTable) -> None:
    left: list[str] = []
    table.phones, table.host = table.serve(table.attach, left=left.append)
    table._link = table.host.link("white")
    phone = table.phone()
    phone.listen()
    phone.tell(do="leave")
    assert until(lambda: left == ["white"])


def test_when_the_microphone_with_a_cable_is_gone_after_the_phone_everybody_is_told(
    table: PhoneTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = AudioDevices((), ("Another microphone",))
    monkeypatch.setattr("blindplay.table.play.devices", lambda: found)
    session, wanted = table.sitting.session, WantedDevices(microphone="Headset")
    with ExitStack() as stack:
        phones = _phones(stack, session, "white", wanted, Keep.OFF, None)
        phones._left("black")
        assert GERMAN.sentence("microphone_gone") not in table.printed
        phones._left("white")
        table.shows(GERMAN.sentence("microphone_gone"))


def test_a_phone_that_trusts_this_machine_is_heard_over_an_encrypted_line(
    table: PhoneTable,
    synthesiser: Synthesiser,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    issuer = make_issuer([], [], anew=False)
    with ExitStack() as stack:
        phones = PlayerPhones(table.sitting.session, table.attach, now=table.clock)
        stack.callback(phones.close)
        host = ConsoleHost(
            table.sitting.table, "0.0.0.0", 0, certificate=IssuedCertificate(issuer), phones=phones
        )
        stack.callback(host.close)
        token = host.link("white").partition("#")[2]
        link = f"https://127.0.0.1:{host.url.rpartition(':')[2]}/#{token}"
        trusts = ssl.create_default_context(cadata=issuer.authority)
        phone = stack.enter_context(TestPhone(link, "anna", table.clock, trusts)).connect()
        phone.listen()
        table.sitting.session.wait_until_said()
        phone.speak(spoken(synthesiser, MOVE))
        table.shows(HEARD)


# --- the ear ------------------------------------------------------------------------------------


class Ears:
    """A table whose loudspeaker and earphone the test hears, and White's phone."""

    def __init__(self, sit: Sit, recogniser: Recogniser, voice: Synthesiser, stack: ExitStack):
        self.earphone, self.loudspeaker = MemorySink(), MemorySink()
        self.sitting = sit(Speaker(voice, self.earphone, self.loudspeaker))
        self.sitting.start()
        self.table = PhoneTable(self.sitting, stack, recogniser)
        self.phone = self.table.phone()
        self.session = self.sitting.session
        self.session.wait_until_said()

    def hear(self, private: str, *, public: bool = False) -> None:
        """Choose what to hear on the phone, and wait until the table knows."""
        self.phone.said.clear()
        self.phone.tell(do="hear", private=private, public=public)
        assert until(lambda: [one for one in self.phone.said if "ear" in one])
        self.session.wait_until_said()  # that the phone is connected
        self.earphone.played.clear()
        self.loudspeaker.played.clear()

    def say(self, *, private: bool) -> None:
        to = "white" if private else None
        self.session.desk.tell(to, "Bitte wiederholen.")
        self.session.wait_until_said()

    @property
    def counts(self) -> tuple[int, int, int]:
        """What sounded in the phone, in the earphone and in the room."""
        return len(self.phone.sounds), len(self.earphone.played), len(self.loudspeaker.played)


@pytest.fixture
def ears(sit: Sit, recogniser: Recogniser, synthesiser: Synthesiser) -> Iterator[Ears]:
    with ExitStack() as stack:
        yield Ears(sit, recogniser, synthesiser, stack)


def test_what_only_the_player_may_hear_goes_to_the_phone_and_what_is_for_all_to_the_room(
    ears: Ears,
) -> None:
    ears.hear("sound")
    ears.say(private=True)
    assert ears.counts == (1, 0, 0)
    ears.say(private=False)
    assert ears.counts == (1, 0, 1)
    ears.hear("sound", public=True)
    ears.say(private=False)
    assert ears.counts == (2, 0, 1)
    ears.hear("none")
    ears.say(private=True)
    assert ears.counts == (2, 1, 0)


def test_the_sound_is_that_of_the_voice(ears: Ears, tmp_path: Path) -> None:
    ears.hear("sound")
    ears.say(private=True)
    (tmp_path / "sound.mp3").write_bytes(ears.phone.sounds[0][4:])
    heard = len(read_audio(tmp_path / "sound.mp3")) / 2 / RATE
    ears.hear("none")
    ears.say(private=True)
    assert heard == pytest.approx(ears.earphone.played[0].seconds, abs=0.15)
    assert len(ears.phone.sounds[0]) < 10_000 * heard  # 80 kbit/s


def test_the_table_speaks_until_the_phone_tells_the_end(ears: Ears) -> None:
    ears.hear("sound")
    ears.phone.plays = False
    ears.session.desk.tell("white", "Bitte wiederholen.")
    assert until(lambda: ears.phone.sounds)
    speaker = ears.session.desk.speaker
    assert speaker is not None and speaker.speaking
    ears.phone.tell(ended=7, played=True)  # another one
    ears.phone.tell(ended="x", played=True)
    assert not speaker.wait(0.2)
    ears.phone.tell(ended=int.from_bytes(ears.phone.sounds[0][:4]), played=True)
    assert speaker.wait(60)


def test_an_interruption_silences_the_phone(ears: Ears) -> None:
    ears.hear("sound")
    ears.phone.plays = False
    ears.session.desk.tell("white", "Bitte wiederholen.")
    assert until(lambda: ears.phone.sounds)
    speaker = ears.session.desk.speaker
    assert speaker is not None
    speaker.interrupt()
    assert until(lambda: {"hush": int.from_bytes(ears.phone.sounds[0][:4])} in ears.phone.said)
    assert speaker.wait(60)


def test_text_is_shown_for_the_own_screen_reader_and_nothing_sounds(ears: Ears) -> None:
    ears.hear("text")
    ears.say(private=True)
    assert {"say": "Bitte wiederholen."} in ears.phone.said
    assert ears.counts == (0, 0, 0)


@pytest.mark.parametrize("private", ["sound", "earphones", "text"])
def test_what_is_private_is_played_to_nobody_else_when_the_phone_is_away_and_is_printed(
    ears: Ears, private: str
) -> None:
    ears.hear(private)
    ears.phone.close()
    ears.table.pass_s(2.5)
    ears.sitting.shows(told("phone_away"))
    ears.session.wait_until_said()
    ears.earphone.played.clear()
    ears.say(private=True)
    assert ears.counts[:2] == (0, 0)
    ears.sitting.shows("said privately: Bitte wiederholen.")
    ears.phone.connect(again=True)
    ears.sitting.shows(told("phone_back"))
    ears.hear(private)
    ears.say(private=True)
    assert ears.phone.sounds or {"say": "Bitte wiederholen."} in ears.phone.said


def test_a_phone_that_can_play_no_sound_is_told_and_keeps_nobody_waiting(ears: Ears) -> None:
    ears.hear("sound")
    ears.phone.plays = False
    ears.session.desk.tell("white", "Bitte wiederholen.")
    assert until(lambda: ears.phone.sounds)
    ears.phone.tell(ended=int.from_bytes(ears.phone.sounds[0][:4]), played=False)
    ears.sitting.shows(GERMAN.sentence("earphone_gone"))


def test_a_phone_that_is_put_away_gives_the_earphone_back(ears: Ears) -> None:
    ears.hear("sound", public=True)
    ears.phone.tell(do="leave")
    ears.sitting.shows(told("phone_left"))
    ears.session.wait_until_said()
    ears.earphone.played.clear()
    ears.say(private=True)
    assert ears.counts[1] == 1


def test_two_blind_players_each_hear_on_their_own_phone_what_only_they_may_hear(
    sit: Sit, recogniser: Recogniser, synthesiser: Synthesiser
) -> None:
    earphone, loudspeaker = MemorySink(), MemorySink()
    sitting = sit(Speaker(synthesiser, earphone, loudspeaker), black=Player(impaired=True))
    sitting.start()
    with ExitStack() as stack:
        table = PhoneTable(sitting, stack, recogniser)
        phones = {role: table.join(table.host.link(role), role, role) for role in SIDES}
        desk, session = sitting.session.desk, sitting.session
        for phone in phones.values():
            assert until(lambda: {"tape": "off"} in phone.said)  # noqa: B023 it was told to all

        def heard(to: str) -> tuple[int, ...]:
            """How much sounds on White's phone, Black's, in the earphone and in the room."""
            session.wait_until_said()
            for phone in phones.values():
                phone.sounds.clear()
            for sink in (earphone, loudspeaker):
                sink.played.clear()
            desk.tell(to, "Bitte wiederholen.")
            session.wait_until_said()
            on_phones = (len(phone.sounds) for phone in phones.values())
            return (*on_phones, len(earphone.played), len(loudspeaker.played))

        def hear(role: str, private: str) -> None:
            phones[role].said.clear()
            phones[role].tell(do="hear", private=private, public=False)
            assert until(lambda: {"ear": private} in phones[role].said), phones[role].said

        assert heard("black") == (0, 0, 0, 1)  # the earphone is White's
        hear("black", "sound")
        assert heard("black") == (0, 1, 0, 0)
        assert heard("white") == (0, 0, 1, 0)
        hear("white", "earphones")
        assert (heard("white"), heard("black")) == ((1, 0, 0, 0), (0, 1, 0, 0))
        assert session._is_heard(Output.SECOND) and not session._is_heard(Output.PRIVATE)
        hear("black", "text")
        assert heard("black") == (0, 0, 0, 0)
        assert {"say": "Bitte wiederholen."} in phones["black"].said
        hear("black", "sound")
        phones["black"].close()
        table.pass_s(2.5)
        sitting.shows(GERMAN.sentence("phone_away", player=GERMAN.sentence("black")))
        on_whites, _, in_earphone, _ = heard("black")
        assert (on_whites, in_earphone) == (0, 0)
        sitting.shows("said privately: Bitte wiederholen.")
        phones["black"].connect(again=True)
        phones["black"].tell(do="leave")
        assert until(lambda: phones["black"].code is not None)
        *nowhere, in_the_room = heard("black")
        assert nowhere == [0, 0, 0] and in_the_room >= 1  # also that the phone was back


def test_phones_and_earphone_stay_with_their_people_when_the_colours_are_reversed(
    sit: Sit, recogniser: Recogniser, synthesiser: Synthesiser
) -> None:
    earphone, loudspeaker = MemorySink(), MemorySink()
    anna, bert = Player(impaired=True, name="Anna"), Player(impaired=True, name="Bert")
    sitting = sit(Speaker(synthesiser, earphone, loudspeaker), white=anna, black=bert)
    sitting.start()
    with ExitStack() as stack:
        table = PhoneTable(sitting, stack, recogniser)
        annas, berts = table.listening("white", "black")
        berts.tell(do="hear", private="sound", public=False)
        assert until(lambda: {"ear": "sound"} in berts.said)
        sitting.table.submit(f.Irregular(by="arbiter", what="reversed_colours"))
        assert sitting.table.game.swapped
        for phone, before, now in ((annas, "white", "black-1"), (berts, "black", "white-1")):
            assert until(lambda: phone.code is not None)  # noqa: B023
            assert phone.code not in (TAKEN, REVOKED)
            answer = phone.client.get(f"/{before}/phone")
            assert answer.headers["location"] == f"/{now}/phone"
            phone.role = now
            phone.connect(again=True, stream="2")
        sitting.session.wait_until_said()
        for sink in (earphone, loudspeaker):
            sink.played.clear()
        berts.sounds.clear()
        sitting.session.desk.tell("black", "Bitte wiederholen.")
        sitting.session.wait_until_said()
        assert (len(earphone.played), len(berts.sounds)) == (1, 0)  # Anna has the earphone
        sitting.session.desk.tell("white", "Bitte wiederholen.")
        sitting.session.wait_until_said()
        assert (len(earphone.played), len(berts.sounds)) == (1, 1)
        assert not loudspeaker.played
        sitting.table.submit(f.Start())
        sitting.session.wait_until_said()
        for phone in (annas, berts):
            phone.listen()
            phone.number, phone.at = 0, phone.ms()
        say(synthesiser, MOVE, berts, annas)
        table.shows(HEARD)
        assert told("phone_other") not in table.printed


def test_a_table_that_does_not_speak_says_so_to_the_phone(sit: Sit, recogniser: Recogniser) -> None:
    sitting = sit()
    sitting.start()
    with ExitStack() as stack:
        phone = PhoneTable(sitting, stack, recogniser).phone()
        phone.tell(do="hear", private="sound", public=True)
        assert until(lambda: {"ear": "silent"} in phone.said), phone.said


def test_a_microphone_hears_not_what_a_phone_says_in_its_players_ear(
    ears: Ears, synthesiser: Synthesiser
) -> None:
    ears.hear("earphones")
    ears.phone.listen()
    ears.phone.plays = False
    ears.session.desk.tell("white", "Bitte wiederholen.")
    assert until(lambda: ears.phone.sounds)
    ears.phone.speak(spoken(synthesiser, MOVE))  # and so cuts it off
    ears.sitting.shows(HEARD)
