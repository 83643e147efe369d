"""``blindplay host``: what it refuses, and two tables of real processes."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import signal
import socket
import ssl
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from blindplay.certificates import Issuer
from blindplay.console.encryption import names_here
from blindplay.laws.state import OTHER
from blindplay.record.games import kept_game
from blindplay.speech.audio import wav
from blindplay.speech.synthesis import Synthesiser
from tests import web
from tests.command_line import Ran, run
from tests.endurance.promises import journal
from tests.ports import free_port
from tests.programs import need
from tests.table.speaking import spoken
from tests.terminal import Terminal
from tests.waiting import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (("--", "--journal", "a.jsonl"), "--journal is not for all tables"),
        (("--", "--microphone", "USB"), "--microphone is not for all tables"),
        (("--", "--against", "wait"), "--against is not for all tables"),
        (("--", "--time-control", "soon"), "soon"),
        (("--hall", "nowhere"), "table-1.toml"),
        (("--certificate", "a.pem"), "--key"),
    ],
)
def test_what_cannot_hold_for_all_tables_is_refused_in_a_sentence(
    tmp_path: Path, given: tuple[str, ...], names: str
) -> None:
    refused = run("host", "--tables", "2", "--console-port", "0", *given, home=tmp_path)
    assert refused.status == 2 and names in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_a_port_that_is_taken_ends_the_host_before_a_table_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        refused = run("host", "--tables", "2", "--console-port", port, home=tmp_path)
    assert refused.status == 2 and "--console-port" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert not [*tmp_path.rglob("host.*")]


RULES = ("--", "--time-control", "15m", "--white", "Anna", "--language", "en")


@contextlib.contextmanager
def hosted(
    home: Path, *words: str, trusts: ssl.SSLContext | None = None, port: int = 0
) -> Iterator[tuple[Terminal, str, web.Client]]:
    """A host of two tables, its address, and the organiser's browser."""
    words = words or RULES
    begin = "host", "--tables", "2", "--console-port", str(port)
    with Terminal(*begin, *words, home=home) as terminal:
        found = until(lambda: re.search(r"(https?://\S+)/#(\S+)\n", terminal.printed))
        assert found, terminal.printed
        base, token = found.groups()
        headers, verify = {"origin": base}, trusts or True
        with web.Client(base_url=base, headers=headers, verify=verify) as organiser:
            organiser.post("/enter", data={"token": token})
            yield terminal, base, organiser


def codes(organiser: web.Client, seat: str) -> list[str]:
    """The codes of a seat at both tables, when both are there."""
    found: list[str] = []

    def are_there() -> bool:
        found[:] = re.findall(rf">{seat}: ([0-9 ]+)", organiser.get("/host/").text)
        return len(found) == 2

    assert until(are_there)
    return found


class Seat:
    """A browser that has come in with a code."""

    def __init__(self, base: str, code: str, trusts: ssl.SSLContext | None = None) -> None:
        headers = {"origin": base}
        self._client = web.Client(base_url=base, headers=headers, verify=trusts or True)
        self.place = self._client.post("/enter", data={"token": code}).headers["location"]

    @property
    def page(self) -> str:
        """Its page as it is now; empty while the table is not there."""
        answer = self._client.get(self.place)
        return answer.text if answer.status_code == 200 else ""

    def do(self, **form: str) -> bool:
        """Do what a form of the page asks for; False if the table refused it or is not there."""
        seen = re.search(r'data-seen="([^"]*)"', self.page)
        if seen is None:
            return False
        headers, form = {"accept": "application/json"}, {**form, "seen": seen[1]}
        answer = self._client.post(f"{self.place}do", data=form, headers=headers)
        return answer.status_code == 200

    def is_due(self, step: str, move: str = "") -> bool:
        """Do a step when it is due."""
        return self.do(act="due", step=step, move=move)

    def answer(self, move: str) -> None:
        """Do what is due about a move."""
        due = rf'name="step" value="(\w+)">\s*<input type="hidden" name="move" value="{move}">'
        if found := re.search(due, self.page):
            self.is_due(found[1], move)


def seated(base: str, organiser: web.Client) -> list[dict[str, Seat]]:
    """The players at both tables, who have come in with their codes."""
    white, black = (codes(organiser, seat) for seat in ("White", "Black"))
    return [
        {"white": Seat(base, one), "black": Seat(base, other)}
        for one, other in zip(white, black, strict=True)
    ]


def play(seats: Mapping[str, Seat], by: str, move: str) -> None:
    """Play a whole move at a table."""
    mover, other = seats[by], seats[OTHER[by]]
    assert until(lambda: mover.do(act="move", how="both", text=move)), mover.page

    def is_completed() -> bool:
        other.answer(move)
        return mover.do(act="press")

    assert until(is_completed), f"{mover.page}\n{other.page}"


def games(home: Path) -> dict[str, Path]:
    (state,) = home.rglob("host.json")
    return {number: Path(path) for number, path in json.loads(state.read_text()).items()}


def process_of(journal: Path) -> int:
    """The process that plays the game in a journal, as Linux tells."""
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if any(one.resolve() == journal for one in (folder / "fd").iterdir()):
                return int(folder.name)
    raise AssertionError(journal)


@pytest.mark.long
@pytest.mark.realtime
@pytest.mark.skipif(sys.platform != "linux", reason="it finds processes as Linux tells them")
def test_tables_are_killed_ended_and_go_on_with_their_games(tmp_path: Path) -> None:
    if sys.platform == "win32":
        return
    with hosted(tmp_path) as (terminal, base, organiser):
        tables = seated(base, organiser)
        for seats in tables:
            assert until(lambda: seats["white"].is_due("begin"))  # noqa: B023
        before = games(tmp_path)
        os.kill(process_of(before["1"]), signal.SIGKILL)
        terminal.shows("Table 1 has ended by itself, and is started again.")
        assert until(lambda: "Anna" in tables[0]["white"].page) and games(tmp_path) == before
        assert "was started again. Times: 1." in organiser.get("/host/").text
        terminal.interrupt()
        terminal.shows("All games are saved.")
        assert terminal.status() == 0
    assert all(kept_game(journal).begun for journal in before.values())
    lines = {path: path.read_bytes() for path in before.values()}
    with hosted(tmp_path) as (terminal, base, organiser):
        codes(organiser, "White")
        assert games(tmp_path) == before
        assert organiser.get("/host/").text.count("Moves: 0.") == 2
        terminal.terminate()
        assert terminal.status() == 0
    for path, content in lines.items():
        assert path.read_bytes().startswith(content)


# --- encrypted, with phones ----------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="it finds processes as Linux tells them")
def test_phones_at_two_tables_come_in_with_codes_over_https_and_come_back_after_a_kill(
    tmp_path: Path, browser: Browser
) -> None:
    """Each table hears its own phone only."""
    from tests.console.browser import becomes
    from tests.console.trusting import trusting
    from tests.table.test_phone_page import MOUTH, SPOKEN, phone_of

    if sys.platform == "win32":
        return
    made = run("certificate", home=tmp_path)
    assert made.status == 0, made.stderr
    (file,) = tmp_path.rglob("issuer.pem")
    issuer = Issuer.read(file.read_text("ascii"))
    trusts = ssl.create_default_context(cadata=issuer.der)
    words = "--host", "0.0.0.0", "--", "--language", "de", "--time-control", "15m"
    with ExitStack() as stack:
        synthesiser = stack.enter_context(Synthesiser("de", cache=tmp_path / "voices"))
        terminal, base, organiser = stack.enter_context(hosted(tmp_path, *words, trusts=trusts))
        assert base.startswith("https:") and "trust" in terminal.printed
        own = stack.enter_context(trusting(browser, issuer.der, tmp_path / "nss"))

        def facts(table: int, kind: str) -> list[tuple[str, str]]:
            """The player of each such fact at a table, and its move."""
            kept, _ = journal.facts(games(tmp_path)[str(table)].read_bytes())
            return [(one["by"], one.get("move", "")) for one in kept if one["fact"] == kind]

        def say(page: Page, words: str, is_taken: Callable[[], bool]) -> None:
            """Let a player say words until the table has taken them: a busy browser loses sound."""
            sound = base64.b64encode(wav(spoken(synthesiser, words))).decode()
            for _ in range(20):
                page.evaluate(SPOKEN, sound)
                if until(is_taken, 15.0):
                    return
            raise AssertionError(words)

        def come_in(code: str) -> Page:
            page = stack.enter_context(phone_of(own, MOUTH)).new_page()
            page.goto(base.replace(urlsplit(base).hostname or "", names_here()[0]))
            page.get_by_label("Your code").fill(code)
            page.get_by_role("button", name="Come in").click()
            page.get_by_role("link", name="Use this phone").click()
            page.get_by_role("button", name="Speak into this phone").click()
            becomes(page, "document.body.dataset.hears === 'yes'")
            return page

        white, black = (codes(organiser, seat) for seat in ("White", "Black"))
        pages = [come_in(code) for code in white]
        opponents = [Seat(base, code, trusts) for code in black]
        for one in opponents:
            assert until(lambda: one.is_due("begin")), one.page  # noqa: B023
        say(pages[0], "Bauer Eva zwei Eva vier", lambda: bool(facts(1, "announce")))
        say(pages[1], "Bauer David zwei David vier", lambda: bool(facts(2, "announce")))
        said = [("white", "e2e4")], [("white", "d2d4")]
        assert (facts(1, "announce"), facts(2, "announce")) == said
        os.kill(process_of(games(tmp_path)["1"]), signal.SIGKILL)
        becomes(pages[0], "document.body.dataset.phone === 'away'")
        becomes(pages[0], "document.body.dataset.hears === 'yes'")
        assert until(lambda: opponents[0].is_due("continue")), opponents[0].page

        assert until(lambda: opponents[0].is_due("repeat_and_execute", "e2e4"))
        pages[0].get_by_role("button", name="Press the clock").tap()
        assert until(lambda: facts(1, "press"))
        assert until(lambda: opponents[0].do(act="move", how="both", text="e7e5"))
        say(pages[0], "Bauer Eva sieben Eva fünf", lambda: bool(facts(1, "repeat")[1:]))
        assert facts(1, "repeat")[-1] == ("white", "e7e5") and not facts(2, "repeat")
        assert (facts(1, "announce")[:1], facts(2, "announce")) == said


# --- with a hall --------------------------------------------------------------------------------

INIT = ("--title", "Open 2026", "--rounds", "2", "--edition", "fide-2023", "--time-control",
        "15m+10s", "--tables", "2", "--languages", "en", "--host", "127.0.0.1")  # fmt: skip


class EventAtAHost:
    """An event: its folder, and the processes of its broker and its hall at the hall's machine."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        need("Mosquitto")
        self._home, self.folder, self._stack = folder / "hall", folder / "open", stack
        port = str(free_port())
        made = run("hall", "init", *INIT, "--port", port, "--folder", str(self.folder),
                   home=self._home)  # fmt: skip
        assert made.status == 0, made.stderr
        self.file = str(self.folder / "hall.toml")
        self.begin_broker()
        serving = self._begin("serve", self.file, "--no-qr", "--console-port", "0")
        found = until(lambda: re.search(r"(http://\S+)/#(\S+)", serving.printed))
        assert found, serving.printed
        base, token = found.groups()
        self.arbiter = stack.enter_context(web.Client(base_url=base, headers={"origin": base}))
        self.arbiter.post("/enter", data={"token": token})

    def _begin(self, *words: str) -> Terminal:
        return self._stack.enter_context(Terminal("hall", *words, home=self._home))

    def begin_broker(self) -> None:
        broker = self._begin("broker", self.file)
        self._stack.callback(broker.status)  # a killed command would leave Mosquitto behind
        self._stack.callback(broker.terminate)

    def kill_broker(self) -> None:
        if sys.platform != "win32":
            os.kill(process_of(self.folder / "broker" / "mosquitto.log"), signal.SIGKILL)

    def pair(self, number: int, *games: tuple[str, str]) -> None:
        """Give a round to the tables, as soon as they can take it."""
        rows = [f"{at},{white},{black},{number}" for at, (white, black) in enumerate(games, 1)]
        file = self.folder / f"round-{number}.csv"
        file.write_text("\n".join(["table,white,black,round", *rows, ""]), "utf-8")

        def is_given() -> bool:
            return self._run("pair", str(file)).status == 0

        assert until(is_given)

    def results(self, number: int) -> str:
        return self._run("results", str(self.folder / f"round-{number}.csv")).stdout

    def _run(self, *words: str) -> Ran:
        return run("hall", *words, "--hall", self.file, home=self._home)

    def decides(self, table: int, do: str) -> bool:
        """Let the arbiter decide something at a table; False if it is not there."""
        form, headers = {"act": "arbiter", "do": do}, {"accept": "application/json"}
        path = f"/tables/{table}/arbiter/do"
        return self.arbiter.post(path, data=form, headers=headers).status_code == 200

    def shows(self, table: int, words: str) -> bool:
        """Wait until the arbiter's page of a table has these words."""
        return until(lambda: words in self.arbiter.get(f"/tables/{table}/arbiter/").text)


@pytest.mark.realtime
@pytest.mark.skipif(sys.platform != "linux", reason="it finds processes as Linux tells them")
def test_rounds_of_a_hall_are_played_at_a_host_whatever_is_killed(tmp_path: Path) -> None:
    """A table, the broker and the host are killed one after the other, and each time the game goes
    on, the hall has it, and its arbiter reaches the table."""
    if sys.platform == "win32":
        return
    club, port = tmp_path / "club", free_port()  # open pages come back to the same address
    first = ("Anna Berg", "Bert Dahl"), ("Cia Ek", "David Fors")
    with ExitStack() as stack:
        event = EventAtAHost(tmp_path, stack)
        words = "--hall", str(event.folder)
        with hosted(club, *words, port=port) as (terminal, base, organiser):
            event.pair(1, *first)
            one, two = seated(base, organiser)
            assert "Anna Berg – Bert Dahl. No game has begun." in organiser.get("/host/").text
            for seats in (one, two):
                assert until(lambda: seats["white"].is_due("begin"))  # noqa: B023
            play(one, "white", "e2e4")
            assert event.shows(1, "e2–e4")
            before = games(club)
            os.kill(process_of(before["1"]), signal.SIGKILL)
            terminal.shows("Table 1 has ended by itself")
            assert until(lambda: one["black"].is_due("continue")), one["black"].page
            play(one, "black", "e7e5")
            assert event.shows(1, "e7–e5")
            event.kill_broker()
            play(two, "white", "d2d4")  # a table needs no hall
            event.begin_broker()
            assert event.shows(2, "d2–d4")
            terminal.kill()
        with hosted(club, *words, port=port) as (terminal, base, organiser):
            assert until(lambda: one["white"].page and two["black"].page) and games(club) == before
            assert until(lambda: one["white"].is_due("continue")), one["white"].page
            assert until(lambda: event.decides(1, do="stop_clocks"))
            assert until(lambda: event.decides(1, do="start_clocks"))
            play(one, "white", "g1f3")
            assert until(lambda: one["black"].do(act="resign")), one["black"].page
            event.pair(2, ("Bert Dahl", "Anna Berg"))
            for seat in one.values():
                assert until(lambda: seat.is_due("sign")), seat.page  # noqa: B023
            new = "Bert Dahl – Anna Berg. No game has begun."  # nobody had to leave the old one
            assert until(lambda: new in organiser.get("/host/").text)
            assert "1: Anna Berg – Bert Dahl: 1-0, signed by both." in event.results(1)
            (seats, _) = seated(base, organiser)
            os.kill(process_of(games(club)["1"]), signal.SIGKILL)
            assert until(lambda: seats["white"].is_due("begin"))
            play(seats, "white", "c2c4")
            assert event.shows(1, "c2–c4") and event.shows(2, "d2–d4")
            terminal.terminate()
            assert terminal.status() == 0
