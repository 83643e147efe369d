"""The pages of a host: codes, all tables, and the way to the pages of each table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from websockets.exceptions import ConnectionClosedError, InvalidHandshake, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from blindplay.console.access import RateLimiter
from blindplay.console.phone import PhoneSend
from blindplay.console.server import ConsoleHost, Front
from blindplay.hall.host_pages import TRIES, HostPages, SeatCodes, TablesHost
from blindplay.hall.hosting import HostedTable, UnreachableTableError
from blindplay.laws.facts import Player, Setup, Start
from blindplay.record import Journal
from blindplay.speech.audio import BLOCK_BYTES
from blindplay.speech.phone import SoundPacket
from blindplay.table import Table
from tests import web
from tests.ports import free_port
from tests.waiting import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PACKET = bytes(SoundPacket(0, 0, bytes(BLOCK_BYTES)))


class Phones:
    """Stands in for the phones of a table, and keeps what comes."""

    def __init__(self) -> None:
        self.sounds: list[bytes] = []
        self.holds = True
        self.send: PhoneSend | None = None

    def join(self, role: str, run: str, stream: str, send: PhoneSend, *, again: bool) -> Phones:
        self.send = send
        return self

    def sound(self, packet: bytes) -> bool:
        self.sounds.append(packet)
        return True

    def message(self, told: Mapping[str, Any]) -> None:
        pass


class Served:
    """A host whose tables run in this process."""

    def __init__(self, folder: Path, count: int = 2) -> None:
        self.host = TablesHost(port=0)
        self.tables: dict[int, HostedTable] = {}
        self.running: dict[int, Table] = {}
        self.consoles: dict[int, ConsoleHost] = {}
        self.phones: dict[int, Phones] = {}
        self.anew: list[int] = []
        self._journals = [Journal(folder / f"{number + 1}.jsonl") for number in range(count)]
        for number, journal in enumerate(self._journals, 1):
            setup = Setup(t=0, white=Player("Anna", impaired=True), black=Player("Bert"))
            table = self.running[number] = Table(journal, setup, now=lambda: 0.0)
            phones = self.phones[number] = Phones()
            front = Front(f"/{number}", False, self.host.cookie, lambda *served: None, bool)
            console = ConsoleHost(table, port=0, phones=phones, front=front)
            self.consoles[number] = console
            self.tables[number] = HostedTable(number, port=console.port, roles=console.roles())
        self.link = self.host.serve(self)  # type: ignore[arg-type]
        self.base = self.host.url

    def invite(self, number: int, role: str) -> str:
        if not self.tables[number].port:
            raise UnreachableTableError
        return self.consoles[number].console.sign_in.links.invite(role)

    def begin_anew(self, number: int) -> bool:
        self.anew.append(number)
        return True

    @property
    def codes(self) -> SeatCodes:
        pages: HostPages = self.host.pages
        return pages.codes

    def client(self, **headers: str) -> web.Client:
        return web.Client(base_url=self.base, headers={"origin": self.base, **headers})

    def entered(self, number: int, role: str = "white") -> web.Client:
        """A browser that has come in with a code."""
        client = self.client()
        answer = client.post("/enter", data={"token": self.codes.of(number, role)})
        assert answer.headers["location"] == f"/{number}/{role}/"
        return client

    def line(self, client: web.Client, number: int) -> Any:
        cookies = "; ".join(f"{one.name}={one.value}" for one in client.cookies.jar)
        line = connect(
            f"{self.base.replace('http', 'ws')}/{number}/white/line",
            additional_headers={"cookie": cookies}, origin=Origin(self.base),
        ).__enter__()  # fmt: skip
        line.send(json.dumps({"run": "a", "stream": "1"}))
        return line

    def close(self) -> None:
        self.host.close()
        for console in self.consoles.values():
            console.close()
        for journal in self._journals:
            journal.close()


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr("blindplay.hall.host_pages.data_folder", lambda: tmp_path)
    served = Served(tmp_path)
    yield served
    served.close()


# --- codes ---------------------------------------------------------------------------------------


def test_a_code_names_its_table_and_opens_its_seat_once() -> None:
    codes = SeatCodes()
    code = codes.of(10, "white")
    assert code.startswith("10") and len(code) == 8
    assert codes.of(10, "white") == code != codes.of(10, "black")
    assert codes.use(code) == (10, "white")
    assert codes.use(code) is None
    assert codes.of(10, "white") != code


def test_after_some_wrong_codes_those_of_a_table_are_closed_until_there_are_new_ones() -> None:
    codes = SeatCodes()
    right, other = codes.of(1, "white"), codes.of(2, "white")
    wrong = "1000000" if right != "1000000" else "1000001"
    assert [codes.use(wrong) for _ in range(TRIES)] == [None] * TRIES
    assert codes.use(right) is None and codes.of(1, "white") == ""
    assert codes.use(other) == (2, "white")
    codes.renew(1)
    assert codes.use(codes.of(1, "white")) == (1, "white")


# --- coming in -----------------------------------------------------------------------------------


def test_a_code_with_spaces_leads_to_the_page_of_its_seat(served: Served) -> None:
    code = served.codes.of(2, "black")
    client = served.client()
    typed = f" {code[0]} {code[1:4]} {code[4:]} "
    answer = client.post("/enter", data={"token": typed})
    assert answer.status_code == 303 and answer.headers["location"] == "/2/black/"
    assert "path=/2/black/" in answer.headers["set-cookie"].lower()
    page = client.get("/2/black/")
    assert page.status_code == 200 and "Anna" in page.text
    assert client.get("/1/black/").status_code == 401  # another table


def test_a_wrong_code_opens_nothing_and_guesses_are_limited(served: Served) -> None:
    served.host.pages.sign_in.entering = RateLimiter(a_second=1, at_once=20, now=lambda: 0.0)
    client = served.client()
    assert client.post("/enter", data={"token": "1"}).status_code == 403
    assert client.post("/enter", data={"token": "99123456"}).status_code == 403
    answers = [client.post("/enter", data={"token": "1" * 30}).status_code for _ in range(40)]
    assert answers[0] == 403 and 429 in answers


def test_a_code_of_a_table_that_is_being_started_says_so(served: Served) -> None:
    served.tables[1].port = 0
    code = served.codes.of(1, "white")
    answer = served.client().post("/enter", data={"token": code})
    assert answer.status_code == 503 and "is being started" in answer.text
    served.tables[1].port = served.consoles[1].port
    answer = served.client().post("/enter", data={"token": code})
    assert answer.headers["location"] == "/1/white/"  # the code was not used up


def test_a_page_of_a_table_that_is_not_there_says_so(served: Served) -> None:
    client = served.entered(1)
    served.tables[1].port = free_port()
    assert client.get("/1/white/").status_code == 503
    assert client.get("/7/white/").status_code == 404
    with pytest.raises(InvalidStatus):
        served.line(client, 1)


@pytest.mark.parametrize("path", ["/" + "9" * 5000 + "/white/", "/1/white/?a=" + "b" * 20_000])
def test_an_address_that_is_too_long_is_refused(served: Served, path: str) -> None:
    client = served.entered(1)
    assert client.get(path).status_code == 414
    with pytest.raises(InvalidHandshake):
        connect(served.base.replace("http", "ws") + path, origin=Origin(served.base)).__enter__()


# --- the pages of the tables ---------------------------------------------------------------------


def test_what_a_page_asks_for_reaches_its_table_and_the_changes_come_back(served: Served) -> None:
    client = served.entered(1, "arbiter")
    with client.stream("GET", "/1/arbiter/changes?since=&page=en") as stream:
        lines = stream.iter_lines()
        assert any(line == "event: run" for line in lines)
        served.running[1].submit(Start())
        assert any(line.startswith("data: {") for line in lines)
    before = len(served.running[1].log)
    answer = client.post("/1/arbiter/do", data={"act": "note", "text": "late"})
    assert answer.status_code in (200, 303, 409) and len(served.running[2].log) == 1
    assert len(served.running[1].log) >= before


def test_no_answer_leads_to_the_address_that_only_the_host_can_call(served: Served) -> None:
    client = served.entered(1)
    assert client.get("/1/white").headers["location"] == "/1/white/"
    assert client.get("/1/white/phone/?a=b").headers["location"] == "/1/white/phone?a=b"


def test_a_cookie_of_another_server_of_this_machine_keeps_nobody_out(served: Served) -> None:
    client = served.entered(1)
    (own,) = client.cookies.jar
    cookies = f"other=\N{LATIN SMALL LETTER A WITH DIAERESIS}; {own.name}={own.value}"
    client.cookies.clear()
    answer = client.get("/1/white/", headers=[(b"cookie", cookies.encode())])
    assert answer.status_code == 200


def test_a_page_of_another_site_does_nothing_at_a_table(served: Served) -> None:
    client = served.entered(1)
    foreign = {"origin": "http://elsewhere.example"}
    assert client.post("/1/white/do", data={"act": "due"}, headers=foreign).status_code == 403
    assert client.get("/1/white/changes", headers=foreign).status_code == 403


def test_no_sound_of_one_table_reaches_another(served: Served) -> None:
    first, second = served.entered(1), served.entered(2)
    with served.line(first, 1) as one, served.line(second, 2) as two:
        one.send(PACKET)
        assert until(lambda: served.phones[1].sounds) == [PACKET]
        two.send(PACKET)
        assert until(lambda: served.phones[2].sounds) == [PACKET]
        for number, line in ((1, one), (2, two)):
            send = served.phones[number].send
            assert send is not None
            send(b"for %d" % number)
            assert line.recv() == b"for %d" % number
    assert [len(phones.sounds) for phones in served.phones.values()] == [1, 1]


def test_a_line_that_the_table_ends_ends_at_the_phone_with_the_same_code(served: Served) -> None:
    client = served.entered(1)
    with served.line(client, 1) as line:
        assert until(lambda: served.phones[1].send) is not None
        served.phones[1].send(None)  # type: ignore[misc]
        with pytest.raises(ConnectionClosedError):
            line.recv()
        assert line.close_code == 4001


def test_nobody_reaches_a_line_with_the_session_of_another_table(served: Served) -> None:
    client = served.entered(1)
    with pytest.raises(InvalidStatus):
        served.line(client, 2)
    assert served.phones[2].send is None


def test_a_table_knows_who_calls(served: Served) -> None:
    """Its limits count for each address."""
    client = served.entered(1)
    asked = served.consoles[1].console.sign_in
    seen: list[str] = []
    allows = asked.allows

    def noted(request: Any, others: str = "") -> bool:
        seen.append(f"{request.client.host} {request.scope['scheme']}")
        return allows(request, others)

    asked.allows = noted  # type: ignore[method-assign]
    client.get("/1/white/", headers={"x-forwarded-for": "10.1.2.3", "x-forwarded-proto": "https"})
    assert seen == ["127.0.0.1 http"]


# --- the organiser -------------------------------------------------------------------------------


def test_only_the_organisers_link_shows_all_tables(served: Served) -> None:
    assert served.client().get("/host/").status_code == 401
    client = served.client()
    client.post("/enter", data={"token": served.link})
    page = client.get("/host/").text
    code = served.codes.of(2, "white")
    assert f"{code[0]} {code[1:4]} {code[4:]}" in page and f"{served.base}/#{code}" in page


def test_the_organiser_gives_new_codes_and_begins_another_game(served: Served) -> None:
    client = served.client()
    client.post("/enter", data={"token": served.link})
    before, other = served.codes.of(1, "white"), served.codes.of(2, "white")
    client.post("/host/do", data={"table": "1", "act": "codes"})
    assert served.codes.of(1, "white") != before and served.codes.of(2, "white") == other
    client.post("/host/do", data={"table": "2", "act": "game"})
    assert served.anew == [2]
    assert "Another game begins at table 2." in client.get("/host/").text


def test_a_table_that_is_none_is_left_alone(served: Served) -> None:
    client = served.client()
    client.post("/enter", data={"token": served.link})
    for number in ("9" * 5000, "3", "-1", "", "x"):
        answer = client.post("/host/do", data={"table": number, "act": "game"})
        assert answer.status_code == 303
    assert served.anew == []


def test_a_code_for_a_camera_opens_its_page_and_all_pages_are_accessible(
    served: Served, browser: Browser
) -> None:
    from tests.console.browser import violations

    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(served.link)
        page.get_by_role("heading", name="Table 2").wait_for()
        assert violations(page) == []
        page.goto(f"{served.base}/#{served.codes.of(2, 'black')}")
        page.wait_for_url("**/2/black/")
        assert violations(page) == []
        other = browser.new_context()
        try:
            front = other.new_page()
            front.goto(served.base)
            front.get_by_label("Your code").fill(served.codes.of(1, "white"))
            assert violations(front) == []
            front.get_by_role("button", name="Come in").click()
            front.wait_for_url("**/1/white/")
        finally:
            other.close()
    finally:
        context.close()
