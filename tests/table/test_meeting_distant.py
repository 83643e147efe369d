"""What people are told and asked while two tables meet."""

from __future__ import annotations

import io
import queue
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from blindplay.language import load
from blindplay.laws.facts import Player, Setup
from blindplay.opponents.distant.connections import PortConnector, PortListener, Relay, waiting_at
from blindplay.opponents.distant.meeting import NotAgreedError, Terms, call
from blindplay.six_digits import WrongDigitsError
from blindplay.speech.audio import AudioError
from blindplay.table import devices
from blindplay.table.devices import WantedDevices
from blindplay.table.meeting_distant import MeetingPlace, Met, await_guest, call_table
from blindplay.translation import _
from blindplay.typed_lines import TypedLines
from tests.opponents.distant.meeting_broker import MeetingBroker
from tests.waiting import until

SETUP = Setup(t=0, boards=2, time_control="900+10", white=Player(name="Ada", impaired=True))


class Place:
    """Somebody at one table, who reads what is printed and types."""

    def __init__(self, language: str) -> None:
        self._typed: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.out = io.StringIO()
        self.result: list[Met | None] = []
        self.errors: list[Exception] = []
        self.place = MeetingPlace(
            load(language), WantedDevices(silent=True), TypedLines(self._lines()), self.out
        )

    def _lines(self) -> Iterator[str]:
        while (line := self._typed.get()) is not None:
            yield f"{line}\n"

    def types(self, line: str | None) -> None:
        self._typed.put(line)

    def reads(self, words: str, times: int = 1) -> None:
        assert until(lambda: self.out.getvalue().count(words) >= times), self.out.getvalue()

    def begin(self, meet: Callable[[MeetingPlace], Met | None]) -> None:
        def run() -> None:
            try:
                self.result.append(meet(self.place))
            except ValueError as error:
                self.errors.append(error)

        threading.Thread(target=run, daemon=True).start()


def propose(guest: Player) -> Terms:
    return Terms(replace(SETUP, black=guest), "white", 5, training=False)


@pytest.fixture
def host() -> Iterator[Place]:
    host = Place("en")
    host.begin(lambda place: await_guest(place, PortListener(0), propose))
    yield host
    host.types("quit")
    assert until(lambda: host.result)
    for met in filter(None, host.result):
        met.lifeline.close()


def address(host: Place, length: int = 6) -> tuple[str, int]:
    """The digits and the port that the host shows last."""
    host.reads("blindplay play --against")
    digits, port = re.findall(rf"(\d{{{length}}})@.*:(\d+)", host.out.getvalue())[-1]
    return digits, int(port)


def test_the_digits_are_said_one_by_one_and_again_on_enter(host: Place) -> None:
    digits, _ = address(host)
    numbers = [load("en").number(int(digit)) for digit in digits]
    host.reads(f"Your six digits are: {', '.join(numbers)}.")
    host.types("")
    host.reads("Your six digits are", 2)


def test_both_hear_the_terms_and_a_yes_makes_the_game(host: Place, tmp_path: Path) -> None:
    digits, port = address(host)
    guest = Place("de")
    player = Player(name="Bo", impaired=True, language="de")
    guest.begin(lambda place: call_table(place, PortConnector("127.0.0.1", port), digits, player))
    guest.reads("Sie spielen Schwarz. Weiß: Ada. Sehbehindert: Weiß.")
    guest.reads("fünfzehn Minuten für alle Züge, dazu zehn Sekunden")
    guest.reads("Nach fünf Sekunden ohne Antwort gilt die Verbindung als verloren")
    host.reads("Bo has called and is being asked.")
    guest.types("wie bitte")
    guest.reads("Sie spielen Schwarz", 2)
    guest.types("ja")
    assert until(lambda: host.result and guest.result)
    there, here = host.result[0], guest.result[0]
    assert there is not None and here is not None
    assert there.setup == here.setup == replace(SETUP, black=player)
    assert (there.agreement.here, here.agreement.here) == ("white", "black")
    assert not there.agreement.host and here.agreement.port == port
    host.reads("After five seconds without an answer the connection counts as lost")
    here.lifeline.close()


def test_a_no_or_no_keyboard_is_no_game_and_the_table_waits_on(host: Place) -> None:
    digits, port = address(host)
    for number, said in enumerate(("nein", None), 1):
        guest = Place("de")
        guest.begin(
            lambda place: call_table(place, PortConnector("127.0.0.1", port), digits, Player())
        )
        guest.reads("Sie spielen Schwarz")
        guest.types(said)
        assert until(lambda guest=guest: guest.errors)  # type: ignore[misc]
        assert isinstance(guest.errors[0], NotAgreedError)
        host.reads("An unnamed player has called", number)
        host.reads("There is no agreement. This table goes on waiting.", number)
    assert not host.result


def test_after_three_wrong_tries_there_are_new_digits(host: Place) -> None:
    digits, port = address(host)
    for _try in range(3):
        with pytest.raises(WrongDigitsError):
            call(PortConnector("127.0.0.1", port), f"{(int(digits) + 1) % 1_000_000:06}")
    host.reads("Somebody has tried wrong digits three times.")
    host.reads("blindplay play --against", 2)
    assert address(host)[1] == port


def test_a_table_without_an_output_says_so_in_its_own_language(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_output(*given: object, **named: object) -> None:
        raise AudioError(_("No audio output can be opened; plug in a loudspeaker or an earphone."))

    monkeypatch.setattr(devices, "DeviceSink", no_output)
    out = io.StringIO()
    place = MeetingPlace(load("de"), WantedDevices(), TypedLines([]), out)
    with ExitStack() as stack:
        place.voice(stack)
    assert "Bis dahin wird alles nur gezeigt." in out.getvalue()
    assert "No audio output" not in out.getvalue()


def test_at_a_hall_eight_digits_find_and_open(tmp_path: Path) -> None:
    broker = MeetingBroker(tmp_path)
    host, guest = Place("en"), Place("de")
    listener = waiting_at(broker.host, broker.port)
    host.begin(lambda place: await_guest(place, listener, propose))
    digits, port = address(host, 8)
    assert digits[:2] == listener.room and port == broker.port
    host.reads("Your eight digits are:")
    connector = Relay(broker.host, broker.port, room=digits[:2])
    guest.begin(lambda place: call_table(place, connector, digits[2:], Player(name="Bo")))
    guest.reads("Sie spielen Schwarz")
    guest.types("ja")
    assert until(lambda: host.result and guest.result)
    for place, waited in ((host, True), (guest, False)):
        met = place.result[0]
        assert met is not None and met.agreement.waited is waited
        assert met.agreement.inbox == listener.inbox and met.agreement.host == broker.host
        met.lifeline.close()
    broker.kill()
