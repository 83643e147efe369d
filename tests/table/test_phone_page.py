"""The page on a player's phone in a real browser, with a microphone that plays a file."""

from __future__ import annotations

import base64
import io
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import chess.pgn
import pytest

from benchmarks.memory_audio import MemorySink
from blindplay.console.messages import catalogue
from blindplay.language import Command
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from blindplay.laws.state import OTHER
from blindplay.speech.audio import read_audio, wav
from blindplay.speech.phone import ADPCM, PCM, PhoneSource
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.speaker import Outcome, Output, Speaker
from blindplay.speech.synthesis import Synthesiser
from tests.command_line import run
from tests.conversation.conversing import GERMAN
from tests.ports import free_port
from tests.programs import PROGRAMS, need
from tests.table.sitting import Sit
from tests.table.speaking import PAUSE, ROOM, spoken
from tests.table.test_phones import HEARD, MOVE, PhoneTable, told
from tests.terminal import Terminal
from tests.waiting import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Route, WebSocket

pytest.importorskip("playwright")

SPOKEN = """sound => {
    const whole = Uint8Array.from(atob(sound), one => one.charCodeAt(0));
    return spoken.decodeAudioData(whole.buffer).then(buffer => {
        const source = new AudioBufferSourceNode(spoken, { buffer });
        source.connect(mouth);
        source.start();
    });
}"""
# A microphone into which the test speaks when it wants to.
MOUTH = """
    window.spoken = new AudioContext();
    window.mouth = new MediaStreamAudioDestinationNode(spoken);
    navigator.mediaDevices.getUserMedia = async () => mouth.stream.clone();
"""
_DENIED_FIRST = (
    MOUTH
    + """
    const ask = navigator.mediaDevices.getUserMedia;
    window.allowed = false;
    navigator.mediaDevices.getUserMedia = async () => {
        if (!window.allowed) throw new DOMException("denied", "NotAllowedError");
        return ask();
    };
"""
)
_DENIED = """
    navigator.mediaDevices.getUserMedia = async () => {
        throw new DOMException("denied", "NotAllowedError");
    };
"""


@pytest.fixture
def table(sit: Sit, recogniser: Recogniser, synthesiser: Synthesiser) -> Iterator[PhoneTable]:
    sink = MemorySink()
    sitting = sit(Speaker(synthesiser, sink, sink))
    sitting.start()
    with ExitStack() as stack:
        yield PhoneTable(sitting, stack, recogniser)


@contextmanager
def phone_of(browser: Browser, script: str = "", **how: str) -> Iterator[BrowserContext]:
    from tests.console.browser import PHONE, person

    agent = {"user_agent": how["agent"]} if "agent" in how else {}
    with person(browser, viewport=PHONE, has_touch=True, **agent) as context:
        if script:
            context.add_init_script(script)
        yield context


def opened(context: BrowserContext, table: PhoneTable, role: str = "white") -> Page:
    """The phone's page, as its player or assistant finds it."""
    page = context.new_page()
    page.goto(table.host.link(role).replace("127.0.0.1", "localhost"))
    page.get_by_role("link", name="Use this phone").click()
    page.get_by_role("button", name="Speak into this phone").wait_for()
    return page


def used(context: BrowserContext, table: PhoneTable, role: str = "white") -> Page:
    """The same of a phone to which the table listens."""
    from tests.console.browser import becomes

    page = opened(context, table, role)
    page.get_by_role("button", name="Speak into this phone").click()
    becomes(page, "document.body.dataset.hears === 'yes'")
    table.sitting.session.wait_until_said()
    return page


@pytest.mark.realtime
def test_the_microphone_of_a_real_browser_is_heard_by_the_table(
    table: PhoneTable, browser: Browser, synthesiser: Synthesiser, tmp_path: Path
) -> None:
    file = tmp_path / "spoken.wav"
    file.write_bytes(wav(6 * ROOM + spoken(synthesiser, MOVE)))  # again and again
    (path,) = PROGRAMS["Chromium"].places()
    microphone = browser.browser_type.launch(
        executable_path=path,
        args=[
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--use-fake-ui-for-media-stream",
            "--use-fake-device-for-media-stream",
            f"--use-file-for-fake-audio-capture={file}",
        ],
    )
    try:
        with phone_of(microphone) as context:
            page = used(context, table)
            table.shows(HEARD)
            assert "Nothing that you say is recorded." in page.locator("#phone").inner_text()
    finally:
        microphone.close()


@pytest.mark.realtime
def test_on_a_narrow_line_the_page_sends_a_quarter_of_the_bits_and_is_heard_all_the_same(
    table: PhoneTable, browser: Browser, synthesiser: Synthesiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    came: list[int] = []
    take = PhoneSource.take

    def behind(source: PhoneSource, data: bytes) -> bool:
        came.append(data[0])
        taken = take(source, data)
        source.came = 0  # as if the line had not brought the others yet
        return taken

    monkeypatch.setattr(PhoneSource, "take", behind)
    with phone_of(browser, MOUTH) as context:
        page = used(context, table)
        table.sitting.wait(lambda: len(came) > 50)
        table.pass_s(1.0)  # until the next ping
        table.sitting.wait(lambda: ADPCM in came)
        assert came[0] == PCM
        sound = base64.b64encode(wav(spoken(synthesiser, MOVE))).decode()
        for _ in range(10):  # a busy browser may lose some of it
            page.evaluate(SPOKEN, sound)
            if until(lambda: HEARD in table.printed, 15.0):
                return
        raise AssertionError(table.printed)


@pytest.mark.realtime
def test_a_button_appears_only_when_a_press_would_be_noticed(
    table: PhoneTable, browser: Browser
) -> None:
    """On a slow line the page is there before its script."""
    held: list[Route] = []
    with phone_of(browser, MOUTH) as context:
        page = context.new_page()
        page.goto(table.host.link("white").replace("127.0.0.1", "localhost"))
        context.route("**/*phone.js*", lambda route: held.append(route))
        page.get_by_role("link", name="Use this phone").click()
        start = page.locator("#phone-start")
        start.wait_for(state="attached")
        assert until(lambda: (page.title(), held)[1]) and not start.is_visible()
        for route in held:
            route.continue_()
        start.wait_for()


@pytest.mark.realtime
def test_a_phone_that_trusts_the_computers_own_certificate_is_heard_by_its_network_name(
    table: PhoneTable, browser: Browser, synthesiser: Synthesiser, tmp_path: Path
) -> None:
    from blindplay.certificates import new_issuers
    from blindplay.console.encryption import IssuedCertificate
    from blindplay.console.server import ConsoleHost
    from tests.console.trusting import trusting

    (issuer,) = new_issuers("BlindPlay hans", ["hans.local"])
    file = tmp_path / "spoken.wav"
    file.write_bytes(wav(6 * ROOM + spoken(synthesiser, MOVE)))
    sound = f"--use-file-for-fake-audio-capture={file}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("socket.gethostname", lambda: "hans")
        table.host = ConsoleHost(
            table.sitting.table, port=0, phones=table.phones,
            certificate=IssuedCertificate(issuer),
        )  # fmt: skip
    try:
        with (
            trusting(browser, issuer.der, tmp_path / "home", sound) as own,
            phone_of(own) as context,
        ):
            page = context.new_page()
            link = table.host.link("white").replace("127.0.0.1", "hans.local")
            assert link.startswith("https://hans.local:")
            page.goto(link)
            page.get_by_role("link", name="Use this phone").click()
            page.get_by_role("button", name="Speak into this phone").click()
            table.shows(HEARD)
    finally:
        table.host.close()


@pytest.mark.realtime
def test_a_game_is_played_by_voice_through_the_page_to_mate(
    table: PhoneTable, browser: Browser, synthesiser: Synthesiser
) -> None:
    session, game = table.sitting.session, table.sitting.table

    def played(plies: int) -> bool:
        return len(game.game.history) == plies

    with phone_of(browser, MOUTH) as context:
        page = used(context, table)
        for words, answer in (
            ("Bauer Eva zwei Eva vier", "e5"),
            ("Läufer Cäsar vier", "Nc6"),
            ("Dame Hektor fünf", "Nf6"),
            ("Dame schlägt Felix sieben matt", ""),
        ):
            plies = len(game.game.history) + 1
            session.wait_until_said()
            page.evaluate(SPOKEN, base64.b64encode(wav(spoken(synthesiser, words))).decode())
            table.sitting.wait(lambda: game.game.turn.announced is not None)
            session.typed("black", "ja")
            session.press("white")
            table.sitting.wait(partial(played, plies))
            if answer:
                session.typed("black", answer)
                session.typed("white", answer)
                session.press("black")
                table.sitting.wait(partial(played, plies + 1))
        assert game.game.board.is_checkmate()
        assert game.game.result == "1-0"


class Voice:
    """Somebody with their own voice and phone: a Chromium that trusts the table's authority, and
    whose microphone plays a file."""

    def __init__(
        self, stack: ExitStack, browser: Browser, home: Path, link: str, synthesiser: Synthesiser,
        voice: str, authority: bytes,
    ) -> None:  # fmt: skip
        from tests.console.browser import becomes
        from tests.console.trusting import trusting

        self._synthesiser, self._voice, self._file = synthesiser, voice, home / "said.wav"
        home.mkdir()
        self._file.write_bytes(wav(ROOM))
        # What is in the file is said once, each time that a page begins to listen.
        sound = f"--use-file-for-fake-audio-capture={self._file}%noloop"
        own = stack.enter_context(trusting(browser, authority, home / "trusts", sound))
        self.page = stack.enter_context(phone_of(own)).new_page()
        self._begun = self._ended = 0  # sounds that the page was sent, and has played
        self.page.on("websocket", self._follow)
        self.page.goto(link)
        self.page.get_by_role("link", name="Use this phone").click()
        self.page.get_by_role("button", name="Speak into this phone").click()
        becomes(self.page, "document.body.dataset.hears === 'yes'")
        self.page.get_by_text("What I hear on this phone").click()
        self.page.get_by_label("What only I may hear").select_option("sound")
        self.page.get_by_label("Also hear what is for everybody").check()

    def _follow(self, line: WebSocket) -> None:
        def came(data: bytes | str) -> None:
            self._begun += isinstance(data, bytes)

        def went(data: bytes | str) -> None:
            self._ended += isinstance(data, str) and '"ended"' in data

        line.on("framereceived", came)
        line.on("framesent", went)
        self._begun = self._ended = 0

    def says(self, words: str) -> None:
        """Say words. Loading the page again, as people do, lets the microphone begin its file."""
        from tests.console.browser import becomes

        self._file.write_bytes(
            wav(5 * ROOM + read_audio(self._synthesiser.render(words, voice=self._voice)) + PAUSE)
        )
        self.page.reload()
        becomes(self.page, "document.body.dataset.hears === 'yes'")

    def plays_nothing(self) -> bool:
        """Return whether nothing sounds in this phone."""
        self.page.evaluate("true")  # so that Playwright tells what the line has brought
        return self._ended >= self._begun

    def presses(self) -> None:
        self.page.get_by_role("button", name="Press the clock").tap()


@pytest.mark.long
def test_two_phones_with_two_voices_play_a_game_to_mate_and_go_on_after_a_kill(
    browser: Browser, synthesiser: Synthesiser, tmp_path: Path
) -> None:
    """The table is a process of its own, at an encrypted address in the network."""
    from tests.console.browser import becomes

    need("Chromium")
    home, port = tmp_path / "home", str(free_port())
    home.mkdir()
    journal, file = tmp_path / "game.jsonl", tmp_path / "authority.crt"
    assert run("certificate", "--output", str(file), home=home).status == 0
    at = ("--host", "0.0.0.0", "--console-port", port, "--journal", str(journal), "--console")
    players = ("--impaired", "both", "--microphone", "none", "--print", "all")

    def link(printed: str, role: str) -> str:
        """The link of a role, by the name of this machine in the network."""
        says = catalogue("de")[f"link_{role}"].format(link="").strip()
        (found,) = re.findall(rf"{re.escape(says)} (https://\S+/#\S+)", printed)
        return f"https://{socket.gethostname().lower()}.local:{port}/#{found.partition('#')[2]}"

    with ExitStack() as stack:
        table = stack.enter_context(Terminal("play", *players, *at, home=home))
        table.shows(catalogue("de")["link_black"].format(link="").strip())
        people = {
            side: Voice(
                stack, browser, tmp_path / side, link(table.printed, side), synthesiser, voice,
                file.read_bytes(),
            )
            for side, voice in (("white", "de"), ("black", "de+m3"))
        }  # fmt: skip
        board = chess.Board()

        def ruled(kind: str, what: str = "") -> int:
            lines = table.printed.splitlines()
            return sum(f"ruled {kind}" in line and what in line for line in lines)

        def say(side: str, words: str, done: Callable[[], object]) -> None:
            """Say words until the table has taken them: a busy machine may lose sound."""
            for _ in range(20):
                assert until(lambda: all(one.plays_nothing() for one in people.values()))
                people[side].says(words)
                if until(done, 20.0):
                    return
            raise AssertionError(table.printed)

        def announce(side: str, uci: str) -> None:
            words = str(GERMAN.announce(board, chess.Move.from_uci(uci)))
            say(side, words, lambda: ruled("announced", uci))

        def answer_and_press(side: str, uci: str) -> None:
            words = str(GERMAN.announce(board, chess.Move.from_uci(uci)))
            say(OTHER[side], words, lambda: ruled("repeated", uci))
            people[side].presses()
            assert until(lambda: ruled("completed", uci)), table.printed
            board.push_uci(uci)

        def begin(side: str) -> None:
            """Let a player begin the game, or go on with it."""
            words = GERMAN.command_phrases([Command.RESUME], opened=True)[0]
            say(side, words, lambda: ruled("clock", "running white"))

        begin("white")
        for side, uci in (("white", "f2f3"), ("black", "e7e5")):
            announce(side, uci)
            answer_and_press(side, uci)
        announce("white", "g2g4")
        table.kill()
        for one in people.values():
            becomes(one.page, "document.body.dataset.phone === 'away'")
        table = stack.enter_context(
            Terminal("play", "--resume", "--journal", str(journal), home=home)
        )
        for one in people.values():
            becomes(one.page, "document.body.dataset.hears === 'yes'")
        begin("black")
        answer_and_press("white", "g2g4")
        announce("black", "d8h4")
        answer_and_press("black", "d8h4")
        table.type("quit")
        assert table.status() == 0
        written = chess.pgn.read_game(io.StringIO(table.printed[table.printed.rindex("[Event") :]))
    assert written is not None and written.headers["Result"] == "0-1"
    assert [one.uci() for one in written.mainline_moves()] == ["f2f3", "e7e5", "g2g4", "d8h4"]
    assert written.end().board().is_checkmate()


def test_a_page_that_was_loaded_again_goes_on_by_itself(
    table: PhoneTable, browser: Browser
) -> None:
    from tests.console.browser import becomes

    with phone_of(browser, MOUTH) as context:
        page = used(context, table)
        page.reload()
        becomes(page, "document.body.dataset.phone === 'on'")
        assert table.printed.count(told("phone_here")) == 1
        page.get_by_role("button", name="Put the phone away").click()
        table.shows(told("phone_left"))
        page.reload()
        page.get_by_role("button", name="Speak into this phone").wait_for()
        becomes(page, "document.body.dataset.phone === 'off'")


@pytest.mark.parametrize(
    ("agent", "names"),
    [
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1", "Page settings"),
        ("Mozilla/5.0 (Linux; Android 15) Chrome/140.0 Mobile Safari/537.36", "Permissions"),
        ("Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", "In Firefox"),
        ("Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 Safari/537.36", "left of the address"),
    ],
)
def test_without_permission_the_page_says_how_to_give_it_in_this_browser(
    table: PhoneTable, browser: Browser, agent: str, names: str
) -> None:
    from tests.console.browser import becomes

    with phone_of(browser, _DENIED, agent=agent) as context:
        page = opened(context, table)
        page.get_by_role("button", name="Speak into this phone").click()
        becomes(page, "document.body.dataset.phone === 'on'")
        assert names in page.locator("#phone-help").inner_text()
        assert page.get_by_role("alert").filter(has_text="may not use the microphone").count() == 1
        assert page.locator("#phone-state").inner_text() == (
            "The phone is connected with the table, without a microphone."
        )


def test_the_button_stays_for_those_who_allow_the_microphone_later(
    table: PhoneTable, browser: Browser
) -> None:
    from tests.console.browser import becomes

    with phone_of(browser, _DENIED_FIRST) as context:
        page = opened(context, table)
        speak = page.get_by_role("button", name="Speak into this phone")
        speak.click()
        becomes(page, "document.body.dataset.phone === 'on'")
        page.evaluate("window.allowed = true")
        speak.click()
        becomes(page, "document.body.dataset.hears === 'yes'")
        assert page.locator("#phone-help").inner_text() == ""
        assert not speak.is_visible()


def test_a_screen_reader_keeps_its_place_when_its_button_disappears(
    table: PhoneTable, browser: Browser
) -> None:
    from tests.console.browser import becomes

    heading = "document.activeElement.id === 'phone-heading'"
    with phone_of(browser, MOUTH) as context:
        page = opened(context, table)
        page.get_by_role("button", name="Speak into this phone").focus()
        page.keyboard.press("Enter")
        becomes(page, "document.body.dataset.hears === 'yes'")
        becomes(page, heading)
        page.get_by_role("button", name="Put the phone away").focus()
        page.keyboard.press("Enter")
        becomes(page, heading)


def test_where_the_table_does_not_speak_a_screen_reader_reads_what_is_for_everybody(
    sit: Sit, recogniser: Recogniser, browser: Browser
) -> None:
    from tests.console.browser import becomes

    sitting = sit()
    sitting.start()
    with ExitStack() as stack:
        table = PhoneTable(sitting, stack, recogniser)
        context = stack.enter_context(phone_of(browser, MOUTH))
        page = opened(context, table)
        page.get_by_role("button", name="Speak into this phone").click()
        becomes(page, "document.getElementById('phone-ear').textContent !== ''")
        assert page.locator("#urgent").get_attribute("aria-live") is None


def test_a_page_that_is_not_encrypted_says_why_it_gets_no_microphone(
    table: PhoneTable, browser: Browser
) -> None:
    insecure = """
        Object.defineProperty(navigator, "mediaDevices", { value: undefined });
        Object.defineProperty(window, "isSecureContext", { value: false });
    """
    with phone_of(browser, insecure) as context:
        page = opened(context, table)
        page.get_by_role("button", name="Speak into this phone").click()
        page.get_by_text("begins with https").first.wait_for()


def test_players_and_assistants_are_offered_the_phone_each_with_what_it_is_to_them(
    table: PhoneTable, browser: Browser
) -> None:
    parts = {"white": (True, True), "black": (True, False), "assistant:white": (False, False)}
    with phone_of(browser, MOUTH) as context:
        for role, (is_clock, is_earphone) in parts.items():
            page = used(context, table, role)
            page.get_by_role("button", name="Talk").wait_for()
            assert page.locator("#phone-clock").is_visible() is is_clock
            assert page.locator("#phone-hearing").is_visible() is is_earphone


@pytest.mark.parametrize("role", ["white", "black", "assistant:white"])
def test_what_offers_the_phone_leaves_its_page_the_room_that_it_needs(
    table: PhoneTable, browser: Browser, role: str
) -> None:
    from tests.console.browser import violations

    with phone_of(browser) as context:
        page = context.new_page()
        page.set_viewport_size({"width": 320, "height": 740})
        page.goto(table.host.link(role))
        page.get_by_role("link", name="Use this phone").wait_for()
        heading = page.locator("h1").bounding_box()
        assert heading is not None and heading["height"] < 60  # two lines
        assert violations(page) == []


def test_the_arbiter_and_people_who_all_see_are_offered_no_phone(
    table: PhoneTable, browser: Browser
) -> None:
    from tests.console.browser import come_in

    with phone_of(browser) as context:
        for role in ("arbiter", "black"):
            if role == "black":
                setup = table.sitting.table.game.setup
                assert setup is not None
                table.sitting.table.game.setup = replace(setup, white=Player())
                table.host.console._moment = None
            link = table.host.link(role)
            come_in(context, link)
            base = link.partition("/#")[0]
            page = context.new_page()
            page.goto(f"{base}/{role}/")
            assert page.get_by_role("link", name="Use this phone").count() == 0
            answer = page.goto(f"{base}/{role}/phone")
            assert answer is not None and answer.status == 404


@pytest.mark.parametrize("wide", [320, 375, 430])
def test_the_phone_page_is_accessible(table: PhoneTable, browser: Browser, wide: int) -> None:
    from tests.console.browser import accessible, shot, violations

    with phone_of(browser, MOUTH) as context:
        page = opened(context, table)
        page.set_viewport_size({"width": wide, "height": 740})
        assert violations(page) == []
        if wide == 320:
            accessible(page, colours=True)
        page.get_by_role("button", name="Speak into this phone").click()
        page.get_by_role("button", name="Put the phone away").wait_for()
        assert violations(page) == []
        if wide == 320:
            accessible(page, colours=True)
        shot(page, f"phone-{wide}")


def test_a_sighted_player_reads_what_is_due_on_the_phone_and_does_it_there(
    sit: Sit, recogniser: Recogniser, synthesiser: Synthesiser, browser: Browser
) -> None:
    from tests.console.browser import becomes, shot, violations

    sink = MemorySink()
    sitting = sit(Speaker(synthesiser, sink, sink), language="en", time_control="900")
    with ExitStack() as stack:
        table = PhoneTable(sitting, stack, recogniser)
        page = used(stack.enter_context(phone_of(browser, MOUTH)), table, "black")
        page.set_viewport_size({"width": 320, "height": 740})

        def due(step: str) -> None:
            page.locator("#next").get_by_text(step, exact=True).wait_for()

        sitting.start()
        due("Please wait: White is to move.")
        becomes(page, "document.getElementById('polite').innerText.includes('begins. The clock')")
        sitting.table.submit(f.Announce(by="white", move="e2e4"))
        due("Repeat the move and make it on your board: Pawn Eva two Eva four.")
        assert violations(page) == []
        page.get_by_role("button", name="I repeat and execute e4").tap()
        due("Please wait: White has to make the move on the board.")
        assert sitting.ruled("repeated") == 1
        sitting.table.submit(f.Make(by="white", move="e2e4"))
        sitting.table.submit(f.Press(by="white"))
        due("It is your move.")
        assert violations(page) == []
        shot(page, "phone-sighted")
        page.get_by_label("Move", exact=True).fill("e5")
        page.get_by_role("button", name="Move and press").tap()
        due("Please wait: White has to repeat the move and make it on the board.")
        assert sitting.ruled("completed") == 2 and page.url.endswith("/phone")


def test_the_two_large_buttons_are_pressed_by_finger_by_key_and_by_a_screen_reader(
    table: PhoneTable, browser: Browser
) -> None:
    from tests.console.browser import becomes

    session, game = table.sitting.session, table.sitting.table
    with phone_of(browser, MOUTH) as context:
        page = used(context, table)
        session.typed("white", "e4")
        session.typed("black", "ja")
        table.sitting.wait(lambda: game.game.turn.announced is not None)
        page.get_by_role("button", name="Press the clock").tap()
        table.sitting.wait(lambda: len(game.game.history) == 1)

        def is_down(down: bool) -> None:
            becomes(
                page, f"document.querySelector('#phone-talk[aria-pressed={str(down).lower()}]')"
            )

        finger(page, held_ms=100)  # it stays down for one utterance
        is_down(True)
        finger(page, held_ms=100)
        is_down(False)
        finger(page, held_ms=0, lifts=False)
        is_down(True)
        finger(page, held_ms=900, presses=False)
        is_down(False)
        page.locator("#phone-talk").focus()
        page.keyboard.press("Enter")
        is_down(True)
        page.evaluate("document.getElementById('phone-talk').click()")  # a screen reader
        is_down(False)


def finger(page: Page, held_ms: int, *, presses: bool = True, lifts: bool = True) -> None:
    """A finger on the talk button, some seconds ago, as the browser tells it afterwards."""
    page.evaluate(
        """([held, presses, lifts]) => {
            const button = document.getElementById("phone-talk");
            const began = presses ? performance.now() - 5000 : window.began;
            window.began = began;
            const tell = (kind, at) => {
                const event = new PointerEvent(kind, { bubbles: true, pointerId: 1 });
                Object.defineProperty(event, "timeStamp", { value: at });
                button.dispatchEvent(event);
            };
            button.setPointerCapture = null; // there is no such pointer
            if (presses) tell("pointerdown", began);
            if (!lifts) return;
            tell("pointerup", began + held);
            tell("click", began + held + 1);
        }""",
        [held_ms, presses, lifts],
    )


def test_a_browser_plays_what_only_its_player_may_hear_and_tells_the_end(
    table: PhoneTable, browser: Browser
) -> None:
    from tests.console.browser import becomes

    session = table.sitting.session
    with phone_of(browser, MOUTH) as context:
        page = used(context, table)
        page.get_by_text("What I hear on this phone").click()
        page.get_by_label("What only I may hear").select_option("sound")
        table.sitting.wait(lambda: session.phone_ears.get(Output.PRIVATE) == "sound")
        played: list[Outcome] = []
        assert session.desk.speaker is not None
        session.desk.speaker.say("Bitte wiederholen.", to=Output.PRIVATE, on_done=played.append)
        session.wait_until_said()
        assert played == [Outcome.SPOKEN]
        page.get_by_label("What only I may hear").select_option("text")
        table.sitting.wait(lambda: session.phone_ears.get(Output.PRIVATE) == "text")
        session.desk.tell("white", "Bitte wiederholen.")
        becomes(page, "document.getElementById('phone-said').textContent.includes('Bitte')")
        assert page.get_by_role("log").count() == 1
        assert page.locator("#polite").get_attribute("aria-live") == "off"  # the table says that
        page.get_by_label("Also hear what is for everybody").check()
        assert page.locator("#polite").get_attribute("aria-live") is None
        page.reload()  # the choice is kept on this device
        becomes(page, "document.body.dataset.phone === 'on'")
        assert page.locator("#phone-private").input_value() == "text"
