"""A real table with its console, for the tests."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import httpx

from blindplay.console.actions import stamp
from blindplay.console.server import ConsoleHost
from blindplay.language import load
from blindplay.laws import Fact, Ruling, Taken
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.opponents.player import AbsentPlayer
from blindplay.record import Journal
from blindplay.table import Table
from blindplay.table.desk import Transcript
from blindplay.table.session import Session
from tests import web

IMPAIRED = Player(name="Anna", impaired=True)
OPPONENT = Player(name="Bert")
SEAT = "/assistant-white/"


class Hall:
    """A table that speaks to nobody, its session, its console, and a clock told by hand."""

    def __init__(
        self,
        path: Path,
        *,
        training: bool = False,
        language: str = "de",
        opponent: AbsentPlayer | None = None,
        plays_again: bool = False,
        **setup: Any,
    ) -> None:
        self.now = 0.0
        self.journal = Journal(path / "game.jsonl")
        fields: dict[str, Any] = {"time_control": "300+5", "white": IMPAIRED, "black": OPPONENT}
        self.table = Table(
            self.journal,
            Setup(t=0, **{**fields, **setup}),
            now=lambda: self.now,
            training=training,
            opponent=opponent,
        )
        self.facts: list[Fact] = []
        self.rulings: list[Ruling] = []
        self.table.listen(self._keep)  # before any page knows of it
        self.out = io.StringIO()
        transcript = Transcript(self.out, self.table.time)
        self.session = Session(
            self.table, load(language), None, transcript, plays_again=plays_again
        )
        self.host = ConsoleHost(self.table, port=0)

    def _keep(self, taken: Taken) -> None:
        self.facts.append(taken.fact)
        self.rulings += taken.rulings

    @property
    def cookie(self) -> str:
        """The name of the cookies of this table, which no other port has."""
        return f"blindplay-{self.host.url.rpartition(':')[2]}"

    def link(self, role: str) -> str:
        return self.host.link(role)

    def start(self) -> None:
        self.table.submit(f.Start())

    def play(self, by: str, move: str) -> None:
        """One whole move of ``by``, from announcing to the clock."""
        self.table.submit(f.Announce(by=by, move=move))
        self.table.submit(f.Make(by=by, move=move))
        self.table.submit(f.Press(by=by))

    def answer(self, by: str, move: str) -> None:
        """``by`` repeats and executes a move of the opponent."""
        self.table.submit(f.Repeat(by=by, move=move))
        self.table.submit(f.Make(by=by, move=move))

    def taken(self, kind: str) -> list[Any]:
        """The facts of this kind, in order."""
        return [fact for fact in self.facts if fact.kind == kind]

    def close(self) -> None:
        self.host.close()
        self.session.close()
        self.journal.close()


class Browser:
    """What a browser does, without a screen: it keeps cookies and says where it comes from."""

    def __init__(self, hall: Hall, role: str = "assistant:white", link: str = "") -> None:
        base, _, token = (link or hall.link(role)).partition("/#")
        self.client = web.Client(base_url=base, headers={"origin": base, "accept-language": "en"})
        self.token, self.hall = token, hall
        self.seat = f"/{role.replace(':', '-')}/"

    def enter(self) -> httpx.Response:
        return self.client.post("/enter", data={"token": self.token})

    def do(self, action: str, **fields: str) -> httpx.Response:
        seen = stamp(self.hall.table.game)
        return self.client.post(
            self.seat + "do",
            data={"act": action, "seen": seen, **fields},
            headers={"accept": "application/json"},
        )
