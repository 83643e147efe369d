"""Somebody with a phone alone is recorded: they hear the prompts there, and repeat them into it."""

from __future__ import annotations

import base64
import io
import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blindplay.console.phone import OVER, TAKEN
from blindplay.console.server import PageServer
from blindplay.hearing import enrolment
from blindplay.hearing.prompting import Booth, Take
from blindplay.language import Key
from blindplay.speech.audio import wav
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.speaker import Speaker
from blindplay.speech.synthesis import Synthesiser
from blindplay.table.booth_phone import BoothPhone
from tests.conversation.conversing import GERMAN
from tests.ports import free_port
from tests.table.phones import TestPhone
from tests.table.speaking import ROOM, spoken
from tests.table.test_phone_page import MOUTH, SPOKEN, phone_of
from tests.terminal import Terminal
from tests.waiting import PATIENCE_S, until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


class PhoneBooth:
    """A booth with a phone, and its person, who repeats what they hear in it."""

    def __init__(self, synthesiser: Synthesiser, stack: ExitStack) -> None:
        server = PageServer(port=0)
        self.served = stack.enter_context(BoothPhone(server, encrypted=False, keeps=True))
        self.served.source._patience_s = PATIENCE_S
        speaker = Speaker(synthesiser, self.served.ear, self.served.ear)
        stack.callback(speaker.close)
        self.out, self._stack = io.StringIO(), stack
        self.booth = Booth(
            GERMAN, speaker, self.served.source, (), self.out, keys="enrol_keys_phone"
        )
        self.served.on_key = self.booth.press
        stack.enter_context(self.booth)
        self._awaited = threading.Semaphore(0)
        discard = self.served.source.discard

        def listens() -> None:
            discard()
            self._awaited.release()

        self.served.source.discard = listens  # type: ignore[method-assign]
        self._synthesiser = synthesiser

    def phone(self, run: str = "anna") -> TestPhone:
        phone = TestPhone(self.served.link, run, time.monotonic, role="booth")
        return self._stack.enter_context(phone).connect()

    def answers(self, phone: TestPhone, *said: str) -> None:
        """Let the person say one thing, or press one key, after each prompt; empty: what the
        prompt said."""

        def answer() -> None:
            for one in said:
                self._awaited.acquire(timeout=PATIENCE_S)
                if one in [key.value for key in Key]:
                    phone.tell(do="key", key=one)
                    phone.speak(ROOM)  # a phone gives sound all the time
                else:
                    words = one or self.out.getvalue().splitlines()[-1]
                    phone.speak(spoken(self._synthesiser, words))

        threading.Thread(target=answer, daemon=True).start()


@pytest.fixture
def there(synthesiser: Synthesiser) -> Iterator[PhoneBooth]:
    with ExitStack() as stack:
        yield PhoneBooth(synthesiser, stack)


def test_a_person_with_a_phone_alone_is_enrolled(there: PhoneBooth, recogniser: Recogniser) -> None:
    phone = there.phone()
    phone.listen()
    there.served.wait()
    there.answers(phone, "", Key.SKIP.value, Key.REPEAT.value, "", Key.END.value)
    session = enrolment.EnrolmentSession()
    prompts = enrolment.prompts(GERMAN, seed=1)[:5]
    enrolment.record(there.booth, GERMAN, prompts, recogniser, session)
    assert session.ended
    said = [answer.words for answer in session.answers]
    assert said == [prompts[0].line.words, prompts[2].line.words]
    assert all(len(answer.pcm) > 16_000 for answer in session.answers)
    told = there.out.getvalue().splitlines()
    assert told[1] == GERMAN.sentence("enrol_keys_phone")
    assert len(phone.sounds) == len(told)  # all of it was heard there


def test_a_line_that_is_cut_for_some_seconds_loses_no_answer(
    there: PhoneBooth, synthesiser: Synthesiser
) -> None:
    phone = there.phone()
    phone.listen()
    phone.close()
    heard: list[object] = []
    threading.Thread(target=lambda: heard.append(there.booth.hear()), daemon=True).start()
    assert there._awaited.acquire(timeout=PATIENCE_S)
    phone.connect(again=True)
    phone.speak(spoken(synthesiser, "Dame"))
    assert until(lambda: heard)
    assert isinstance(heard[0], Take) and heard[0].fault is None


def test_another_phone_takes_the_place_and_the_end_is_told(
    there: PhoneBooth,
) -> None:
    first = there.phone("first")
    second = there.phone("second")
    assert until(lambda: first.code == TAKEN)
    second.listen()
    with closing(there.served):
        pass
    assert until(lambda: second.code == OVER)


@pytest.mark.parametrize("key", ["", "help", 7, None, ["end"]])
def test_what_is_no_key_presses_nothing(there: PhoneBooth, key: object) -> None:
    phone = there.phone()
    phone.tell(do="key", key=key)
    phone.listen()
    assert not there.booth.to_end


@pytest.mark.realtime
def test_with_a_browser_alone_somebody_finds_out_how_well_they_are_understood(
    browser: Browser, synthesiser: Synthesiser, tmp_path: Path
) -> None:
    from tests.console.browser import becomes, violations

    port = str(free_port())
    typed = ("voice", "check", "Anna", "--language", "de", "--phone", "--host", "127.0.0.1")
    with (
        Terminal(*typed, "--console-port", port, home=tmp_path) as computer,
        phone_of(browser, MOUTH) as context,
    ):
        computer.shows("/#")
        (link,) = re.findall(r"http://\S+/#\S+", computer.printed)
        page = context.new_page()
        played: list[bytes | str] = []
        page.on("websocket", lambda line: line.on("framesent", lambda one: played.append(one)))
        page.goto(link.replace("127.0.0.1", "localhost"))
        page.get_by_text("Nothing that you say is recorded.").wait_for()
        page.get_by_role("button", name="Speak into this phone").click()
        becomes(page, "document.body.dataset.hears === 'yes'")
        assert violations(page) == []
        for count in range(3):
            until_played(page, played, count + 3)  # two sentences come first
            words = computer.printed.splitlines()[-1]
            sound = wav(spoken(synthesiser, words))
            page.evaluate(SPOKEN, base64.b64encode(sound).decode())
        until_played(page, played, 6)
        page.get_by_role("button", name="Stop").click()
        computer.shows(GERMAN.sentence("check_people"))
        assert computer.status() == 0
        becomes(page, "document.body.dataset.phone === 'over'")
        page.get_by_text("This is over.").wait_for()


def until_played(page: Page, sent: Sequence[bytes | str], count: int) -> None:
    """Wait until the page has told the end of so many sounds."""

    def have_ended() -> bool:
        page.evaluate("true")  # so that Playwright tells what was sent
        return sum(isinstance(one, str) and '"ended"' in one for one in sent) >= count

    assert until(have_ended)
