"""``blindplay play --hall`` with a ticket, as a person types it at the table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.hall.event_file import EventFile
from blindplay.hall.hall import Hall
from blindplay.hall.pages import HallHost
from blindplay.hall.tickets import Tickets
from tests.command_line import run
from tests.hall.broker import RealBroker

TABLE = ("play", "--microphone", "none", "--silent", "--white", "Anna", "--hall")


@pytest.fixture
def tickets(tmp_path: Path) -> Iterator[Tickets]:
    """Those of a running hall with the files of tables 1 and 4."""
    with (broker := RealBroker(tmp_path)):
        files = tmp_path / "files"
        files.mkdir()
        for name in ("1", "4"):
            place = f'[broker]\nhost = "127.0.0.1"\nport = {broker.port}\n'
            text = f'event = "try"\ntitle = "Try-out"\ntable = "{name}"\n{place}'
            (files / f"table-{name}.toml").write_text(text, "utf-8")
        joined = EventFile("try", broker.broker, folder=tmp_path / "copies")
        with Hall(joined) as hall:
            host = HallHost(hall, joined, port=0, tables=files)
            assert host.tickets is not None
            yield host.tickets
            host.close()


def digits(tickets: Tickets, table: str) -> str:
    tickets.show(table)
    return next(one.digits for one in tickets.shown() if one.table == table)


def test_a_table_joins_with_the_ticket_of_the_page_and_later_with_its_file(
    tickets: Tickets, tmp_path: Path
) -> None:
    ticket = f"{digits(tickets, '4')}@{tickets.address}"
    joined = run(*TABLE, ticket, stdin="start\ne4\n\nquit\n", home=tmp_path)
    assert joined.status == 0, joined.stderr
    assert "This is table 4 of Try-out." in joined.stdout
    (file,) = tmp_path.rglob("try-table-4.toml")
    assert f"play --hall {file}" in joined.stdout
    resumed = run("play", "--resume", stdin="quit\n", home=tmp_path)
    assert resumed.status == 0, resumed.stderr


def test_what_is_missing_is_asked(tickets: Tickets, tmp_path: Path) -> None:
    ticket = digits(tickets, "1")
    digits(tickets, "4")
    joined = run(*TABLE, ticket, stdin=f"{tickets.address}\n1\nquit\n", home=tmp_path)
    assert joined.status == 0
    for sentence in (
        "Which address stands beside the ticket on the hall's page?",
        "Which table is this? There are tickets for: 1, 4.",
        "This is table 1 of Try-out.",
    ):
        assert sentence in joined.stdout


def test_without_an_answer_or_with_wrong_digits_no_table_begins(
    tickets: Tickets, tmp_path: Path
) -> None:
    known = digits(tickets, "1")
    silent = run(*TABLE, known, home=tmp_path)
    assert silent.status == 2 and "There is no answer" in silent.stderr
    wrong = f"{(int(known) + 1) % 1_000_000:06}@{tickets.address}"
    refused = run(*TABLE, wrong, stdin="quit\n", home=tmp_path)
    assert refused.status == 2 and "This is not the ticket of table 1" in refused.stderr
    assert tickets.wrong == 1 and not list(tmp_path.rglob("tables/*.jsonl"))
