"""A hall that serves its pages, and what an arbiter's browser asks of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx

from blindplay.hall.hall import Hall
from blindplay.hall.pages import HallHost
from blindplay.table import Table
from tests import web
from tests.waiting import PATIENCE_S, until

from .conftest import Event
from .playing import is_equal


class Served:
    """A hall, its pages at loopback, and the tables that it follows."""

    def __init__(self, event: Event, tables: Path | None = None) -> None:
        self.event = event
        self.hall: Hall = event.hall()
        joined = replace(
            event.broker.event_file(), event=event.name, folder=event.folder / "hall",
            title="Nordic Open",
        )  # fmt: skip
        self.host = HallHost(self.hall, joined, port=0, tables=tables)

    def link(self, arbiter: str = "Maria Berg") -> str:
        return self.host.links([arbiter], anew=True)[arbiter]

    def follows(self, table: Table, name: str = "1") -> bool:
        """Wait until the hall's page shows where the table stands."""
        overview = self.host.pages.overview

        def shown() -> bool:
            head = self.hall.follower.tables[name].head
            return head is not None and head.n == table.written[0] and name in overview.names

        return until(lambda: is_equal(self.hall, table, name) and shown())


@contextmanager
def served(event: Event, tables: Path | None = None) -> Iterator[Served]:
    found = Served(event, tables)
    try:
        yield found
    finally:
        found.host.close()


class Arbiter:
    """What an arbiter's browser does, without a screen."""

    def __init__(self, served: Served, name: str = "Maria Berg") -> None:
        base, _, self.token = served.link(name).partition("/#")
        self.client = web.Client(base_url=base, headers={"origin": base, "accept-language": "en"})

    def enter(self) -> Arbiter:
        answer = self.client.post("/enter", data={"token": self.token})
        assert (answer.status_code, answer.headers["location"]) == (303, "/hall/")
        return self

    def page(self, path: str) -> str:
        answer = self.client.get(path)
        assert answer.status_code == 200, answer
        return answer.text

    def do(self, table: str, **fields: str) -> httpx.Response:
        """Do what a form of the arbiter's page of a table asks for."""
        headers = {"accept": "application/json"}
        path = f"/tables/{table}/arbiter/do"
        return self.client.post(path, data=fields, headers=headers, timeout=PATIENCE_S)
