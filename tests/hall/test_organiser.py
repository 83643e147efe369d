"""The pages of a hall beside the overview."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from blindplay.hall.follower import Follower
from blindplay.hall.organiser import COLUMNS, ShownEvidence, ShownMachine, evidence, machines
from blindplay.hall.protocol import Presence, Topic, encode
from blindplay.hall.table_side.publisher import Publisher
from blindplay.record import signatures
from blindplay.table import Table
from tests import web
from tests.waiting import PATIENCE_S, until

from .running import SETUP, Arbiter, Event, Served, play, served


@pytest.fixture
def hall(event: Event, tmp_path: Path) -> Iterator[Served]:
    for name in ("2", "10", "1"):
        (tmp_path / f"table-{name}.toml").write_text("", "utf-8")
    with served(event, tables=tmp_path) as found:
        yield found


def shown(folder: Path, about: dict[str, object], language: str = "en") -> ShownMachine:
    follower = Follower("open", folder, lambda topic, payload: None)
    presence = encode(Presence("p", True, about=about))
    follower.receive(str(Topic("open", "4", "presence")), presence, 1.0)
    (found,) = machines(follower, language)
    return found


def test_what_a_table_has_is_told_in_the_readers_language(tmp_path: Path) -> None:
    about: dict[str, object] = {
        "version": "1.0", "power": "battery", "battery": 71, "microphone": "USB",
        "boards": {"white": "pegged board, firmware 1.4", "black": ""}, "models": ["de-small"],
        "voice": "de, 160",
    }  # fmt: skip
    assert dict(shown(tmp_path / "en", about).cells) == {
        "boards": "White: pegged board, firmware 1.4; Black: not connected",
        "power": "battery, 71 %",
        "microphone": "USB",
        "models": "de-small",
        "voice": "de, 160",
        "version": "1.0",
    }
    assert dict(shown(tmp_path / "de", about, "de").cells)["power"] == "Akku, 71 %"


@pytest.mark.parametrize(
    "about",
    [{}, {"boards": 3, "power": [], "battery": "x", "models": {}, "voice": 1}, {"models": [3]}],
)
def test_whatever_a_table_says_of_itself_is_shown_or_left_out(
    tmp_path: Path, about: dict[str, object]
) -> None:
    found = shown(tmp_path, about)
    assert not any(text for _, text in found.cells)
    assert [name for name, _ in found.cells] == list(COLUMNS[1:-1])
    assert found.online and found.silent_s is not None


def test_of_a_table_that_has_not_been_heard_nobody_knows_when_it_was_seen(tmp_path: Path) -> None:
    (tmp_path / "table-4").mkdir()
    (found,) = machines(Follower("open", tmp_path, lambda topic, payload: None), "en")
    assert (found.table, found.online, found.silent_s) == ("4", False, None)


def publish(hall: Served, name: str, key: str) -> Table:
    table = hall.event.table(name)
    publisher = Publisher(table, replace(hall.event.joined(name), key=key))
    hall.event.callback(publisher.close)
    play(table, "e2e4")
    assert hall.follows(table, name)
    return table


def test_an_arbiter_asks_a_table_to_sign_in_the_middle_of_a_game(hall: Served) -> None:
    table = publish(hall, "10", signatures.new_key())
    publish(hall, "2", "")
    follower = hall.hall.follower
    assert [(one.table, one.signed) for one in evidence(follower)] == [("2", 0), ("10", 0)]
    maria = Arbiter(hall).enter()
    page = maria.page("/hall/evidence")
    assert page.count("Sign now") == 2 and page.count("not yet") == 2
    number = table.written[0]
    answer = maria.client.post("/hall/sign", data={"table": "10"}, timeout=PATIENCE_S)
    assert answer.headers["location"] == "/hall/evidence"
    assert f"Table 10 has signed all lines up to line {number}." in maria.page("/hall/evidence")
    assert until(lambda: evidence(follower)[1].signed == number)
    one = evidence(follower)[1]
    assert one == ShownEvidence("10", "Anna", "", number, number, one.at) and ":" in one.at
    assert f"up to line {number} of {number}, at {one.at}" in maria.page("/hall/evidence")


def test_the_report_leads_to_earlier_rounds(hall: Served) -> None:
    for name in ("2", "10"):
        table = hall.event.table(name, setup=replace(SETUP, round=name))
        hall.event.publish(table, name)
        play(table, "e2e4")
        assert hall.follows(table, name)
    maria = Arbiter(hall).enter()
    page = maria.page("/hall/report")
    assert page.index('href="report?round=2"') < page.index('href="report?round=10"')
    assert page.count(SETUP.white.name) == 2 and "aria-current" not in page
    page = maria.page("/hall/report?round=2")
    assert "Report of the round – Round 2" in page and page.count(SETUP.white.name) == 1
    assert 'href="report.csv?round=2"' in page
    assert len(maria.page("/hall/report.csv?round=2").splitlines()) == 2
    assert SETUP.white.name not in maria.page("/hall/report?round=%3Cb%3E")


def test_what_is_not_signed_is_said(hall: Served) -> None:
    publish(hall, "2", "")
    maria = Arbiter(hall).enter()
    for table, sentence in (
        ("2", "Table 2 has not signed: it has no key"),
        ("7", "Not done: table 7 cannot be reached now."),
    ):
        assert maria.client.post("/hall/sign", data={"table": table}).status_code == 303
        assert sentence in maria.page("/hall/evidence")


def test_without_a_game_there_is_nothing_to_sign(hall: Served, tmp_path: Path) -> None:
    assert "There is no game yet." in Arbiter(hall).enter().page("/hall/evidence")


def test_only_those_with_a_link_see_and_show_tickets(hall: Served) -> None:
    with web.Client(base_url=hall.host.url, headers={"origin": hall.host.url}) as nobody:
        for path in ("/hall/machines", "/hall/report", "/hall/tickets"):
            assert nobody.get(path).status_code == 401
        assert nobody.post("/hall/ticket", data={"table": "1"}).status_code == 401
        assert nobody.get("/ticket/open").json() == {"tables": []}


def test_tables_that_are_not_connected_can_get_a_ticket_in_their_order(hall: Served) -> None:
    hall.event.publish(table := hall.event.table("2"), "2")
    assert hall.follows(table, "2")
    maria = Arbiter(hall).enter()
    page = maria.page("/hall/tickets")
    assert [part.partition('"')[0] for part in page.split('<option value="')[1:]] == ["1", "10"]
    assert "No ticket is open." in page and "start the hall with --host 0.0.0.0" in page
    maria.client.post("/hall/ticket", data={"table": "../hall"})
    assert "No ticket is open." in maria.page("/hall/tickets")


def test_without_files_of_tables_there_are_no_tickets(event: Event) -> None:
    with served(event) as hall:
        maria = Arbiter(hall).enter()
        assert maria.client.get("/hall/tickets").status_code == 404
        assert maria.client.get("/ticket/open").status_code == 404
        assert "tickets" not in maria.page("/hall/")
