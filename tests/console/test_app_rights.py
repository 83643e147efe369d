"""Who may do what, over a real server: every role tries every kind of fact, in every state of a
game; and what opens a page of another role, or one that has been taken away."""

from __future__ import annotations

import contextlib
import logging
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from blindplay.console import limits
from blindplay.console.access import RateLimiter
from blindplay.console.actions import stamp
from blindplay.console.encryption import Certificate
from blindplay.console.server import ConsoleHost
from blindplay.laws import Game, permissions
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.record import Journal
from blindplay.table import Table
from tests import web
from tests.console.hall import IMPAIRED, Hall
from tests.console.test_limits import hung_up
from tests.programs import need
from tests.waiting import PATIENCE_S, until

# What each kind of fact needs besides who brings it.
FIELDS: dict[str, dict[str, Any]] = {
    "announce": {"move": "e2e4"}, "repeat": {"move": "e2e4"}, "correct": {"move": "d2d4"},
    "make": {"move": "e2e4"}, "touch": {"square": "e2"}, "record": {"ply": "1", "text": "e4"},
    "claim_draw": {"rule": "repetition"}, "query": {"about": "moves"}, "seal": {"text": "e4"},
    "sign": {"result": "1-0"},
    "irregular": {"what": "two_hands", "player": "white"}, "arbiter": {"do": "stop_clocks"},
    "inspect": {"board": "white", "fulfils": ["size", "pegs"]},
    "assistant": {"present": "yes"},
    "lift": {"board": "white", "square": "e2"}, "place": {"board": "white", "square": "e2"},
    "position": {"board": "white", "placement": "8/8/8/8/8/8/8/8"},
}  # fmt: skip


def _begun(table: Table) -> None:
    table.submit(f.Start())


def _made(table: Table) -> None:
    _begun(table)
    table.submit(f.Announce(by="white", move="e2e4"))
    table.submit(f.Make(by="white", move="e2e4"))


def _black_to_move(table: Table) -> None:
    _made(table)
    table.submit(f.Press(by="white"))


def _pending(table: Table) -> None:
    _black_to_move(table)
    table.submit(f.Make(by="black", move="e7e4"))
    table.submit(f.Press(by="black"))
    assert table.game.pending is not None


def _adjourned(table: Table) -> None:
    _begun(table)
    table.submit(f.Arbiter(do="adjourn"))
    table.submit(f.Seal(by="white", text="e4"))
    table.submit(f.Press(by="white"))
    assert table.game.adjourned


def _over(table: Table) -> None:
    _black_to_move(table)
    table.submit(f.Resign(by="black"))
    assert table.game.over


STATES: dict[str, Callable[[Table], None]] = {
    "not begun": lambda table: None, "begun": _begun, "made": _made,
    "black to move": _black_to_move, "pending": _pending, "adjourned": _adjourned, "over": _over,
}  # fmt: skip
SHORT = ("begun",)
# What no article is about: a page that was too late, and what is not a fact of the contract.
NO_REFUSAL = ("Not done: somebody else", "That was not understood")


def _seen(game: Game) -> str:
    """Everything that a refused person must not have changed."""
    clock = game.clock and (game.clock.running, game.paused)
    turn = (game.turn.announced, game.turn.made, game.turn.executed, list(game.turn.touched))
    tables = [sorted(one.placement.items()) for one in game.tables.values()]
    return repr((
        game.board.fen(), len(game.history), turn, tables, game.sheets, game.assistants,
        game.started, game.over, game.result, game.pending is None, game.adjourned, clock,
    ))  # fmt: skip


@pytest.fixture
def hall_of_five(tmp_path: Path) -> Iterator[Hall]:
    """Where everybody has a page, and nobody is too fast."""
    hall = Hall(tmp_path, black=Player(name="Bert", assistant=True))
    hall.host.console.acting = RateLimiter(a_second=1e6, at_once=10**6)
    try:
        yield hall
    finally:
        hall.close()


@pytest.mark.parametrize(
    "state", [name if name in SHORT else pytest.param(name, marks=pytest.mark.long)
              for name in STATES]
)  # fmt: skip
def test_every_role_does_what_the_laws_give_it_and_nothing_else(
    hall_of_five: Hall, state: str, tmp_path: Path
) -> None:
    console = hall_of_five.host.console
    fresh = iter(range(10**6))

    def table() -> Table:
        journal = Journal(tmp_path / f"{next(fresh)}.jsonl")
        setup = Setup(
            t=0, time_control="300", white=IMPAIRED, black=Player(name="Bert", assistant=True)
        )
        one = Table(journal, setup)
        STATES[state](one)
        if role == "assistant:white":  # Black's acts only while White's does not (D.2.11)
            one.submit(f.Assistant(by="white", of="white"))
        console._table = one
        return one

    for role in f.PEOPLE:
        base, _, token = hall_of_five.link(role).partition("/#")
        headers = {"origin": base, "accept-language": "en", "accept": "application/json"}
        with web.Client(base_url=base, headers=headers) as client:
            assert client.post("/enter", data={"token": token}).status_code == 303
            here = table()
            for kind in f.KINDS:
                may = kind in permissions.rights(here.game, role)
                before = _seen(here.game)
                # He also says that he is the arbiter.
                form = {"act": kind, "seen": stamp(here.game), "by": "arbiter"}
                form["of"] = role if role in f.SIDES else "white"
                answer = client.post(
                    f"/{role.replace(':', '-')}/do", data=form | FIELDS.get(kind, {})
                )
                said = " ".join(answer.json()["said"])
                if may:
                    assert answer.status_code in (200, 409), (role, kind)
                    assert "not your task" not in said, (role, kind, said)
                    # Who is refused is told the article, whether by the Laws or by the page.
                    if answer.json()["refused"] and not said.startswith(NO_REFUSAL):
                        assert "fide-2023" in said, (role, kind, said)
                else:
                    assert answer.status_code == 409, (role, kind, said)
                    assert "fide-2023" in said, (role, kind, said)
                    assert _seen(here.game) == before, (role, kind, said)
                if _seen(here.game) != before:
                    here = table()


def test_the_cookie_of_one_role_opens_no_path_of_another(hall_of_five: Hall) -> None:
    hall = hall_of_five
    jars: dict[str, str] = {}
    seats = {role: role.replace(":", "-") for role in f.PEOPLE}
    with web.Client(base_url=hall.host.url, headers={"origin": hall.host.url}) as client:
        for role in f.PEOPLE:
            token = hall.link(role).rpartition("#")[2]
            jars[role] = client.post("/enter", data={"token": token}).cookies[hall.cookie]
        client.cookies.clear()
        for role, secret in jars.items():
            cookie = {"cookie": f"{hall.cookie}={secret}"}
            for other, seat in seats.items():
                fits = other == role
                assert client.get(f"/{seat}/", headers=cookie).is_success is fits, (role, other)
                if not fits:
                    for path in ("changes", "tape/1", "timeline"):
                        answer = client.get(f"/{seat}/{path}", headers=cookie)
                        assert answer.status_code in (401, 404), (role, other, path)
                    answer = client.post(f"/{seat}/do", data={"act": "start"}, headers=cookie)
                    assert answer.status_code == 401
        assert {fact.kind for fact in hall.facts} <= {"assistant"}  # the link was opened


def test_what_was_taken_away_opens_nothing_again(hall: Hall) -> None:
    base, _, token = hall.link("assistant:white").partition("/#")
    origin = {"origin": base}
    with web.Client(base_url=base, headers=origin) as client:
        assert client.post("/enter", data={"token": token}).status_code == 303
        secret = client.cookies[hall.cookie]
        hall.host.console.revoke("assistant:white")
        hall.host.link("assistant:white")  # somebody else's now
        cookie = {**origin, "cookie": f"{hall.cookie}={secret}"}
        for method, path in (("GET", ""), ("GET", "changes"), ("POST", "do")):
            answer = client.request(method, f"/assistant-white/{path}", headers=cookie)
            assert answer.status_code == 401
        assert client.post("/enter", data={"token": token}).status_code == 403
        assert client.post("/enter", data={"token": secret}).status_code == 403


def test_no_page_of_an_error_and_no_log_holds_a_secret(
    hall: Hall, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    base, _, token = hall.link("assistant:white").partition("/#")
    secret = "s" * 43
    headers = {"origin": base, "cookie": f"{hall.cookie}={secret}", "accept": "application/json"}
    told = ""
    seat = "/assistant-white/"
    paths = ("/", "/enter", seat, f"{seat}do", f"{seat}changes", f"{seat}x", "/x", "/static/x.css")
    client = web.Client(base_url=base, headers=headers)
    for path in paths:
        for method in ("GET", "POST", "PUT"):
            body = f"token={token}x&act={token}"
            answer = client.request(method, f"{path}?{token}", content=body)
            told += f"{answer.headers}{answer.text}"
            assert answer.status_code < 500
            assert "Traceback" not in answer.text
    told += caplog.text + "".join(capfd.readouterr()) + hall.out.getvalue()
    assert token not in told.replace(f"?{token}", "")  # httpx, not we, logs the address asked for
    assert secret not in told


# --- encrypted ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """A certificate for this machine alone, made by OpenSSL's own tool."""
    need("OpenSSL")
    folder = tmp_path_factory.mktemp("certificate")
    made = Certificate(folder / "certificate.pem", folder / "key.pem")
    command = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(made.key), "-out", str(made.file)]
    subprocess.run(["openssl", *command.split(), *names, *files], check=True, capture_output=True)
    return made


def test_with_a_certificate_pages_are_encrypted_and_nothing_else_is_served(
    hall: Hall, certificate: Certificate
) -> None:
    host = ConsoleHost(hall.table, port=0, certificate=certificate)
    try:
        base, _, token = host.link("assistant:white").partition("/#")
        assert base.startswith("https://127.0.0.1:")
        trusted = ssl.create_default_context(cafile=str(certificate.file))
        with web.Client(base_url=base, verify=trusted, headers={"origin": base}) as client:
            answer = client.post("/enter", data={"token": token})
            assert "secure" in answer.headers["set-cookie"].lower()
            assert client.get("/assistant-white/").status_code == 200
            plain = base.replace("https", "http")
            body = {"act": "press"}
            refused = client.post("/assistant-white/do", data=body, headers={"origin": plain})
            assert refused.status_code == 403
            # RFC 6797: the browser encrypts for this many seconds, to this name at all ports.
            kept = "strict-transport-security"
            assert client.get("/").headers[kept] == "max-age=86400"
            local = {"host": base.partition("//")[2].replace("127.0.0.1", "localhost")}
            assert kept not in client.get("/", headers=local).headers
        with pytest.raises(httpx.TransportError):
            web.get(plain + "/")
    finally:
        host.close()


@pytest.mark.skipif(sys.platform == "win32", reason="There, connections are accepted otherwise.")
def test_encryption_that_is_begun_and_never_finished_has_its_share_of_connections(
    hall: Hall, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "is_here", lambda address: False)
    monkeypatch.setattr(limits, "AN_ADDRESS", 3)
    host = ConsoleHost(hall.table, port=0, certificate=certificate)
    place = urlsplit(host.url)
    trusted = ssl.create_default_context(cafile=str(certificate.file))

    def begun() -> socket.socket:
        return socket.create_connection((place.hostname, place.port), timeout=PATIENCE_S)

    try:
        with begun(), begun(), begun() as third:
            with begun() as surplus:
                assert hung_up(surplus)
            third.close()
            with web.Client(base_url=host.url, verify=trusted) as client:

                def in_again() -> bool:
                    with contextlib.suppress(httpx.TransportError):
                        return client.get("/").status_code == 200
                    return False

                assert until(in_again)  # when the console has seen that it is closed
    finally:
        host.close()
