"""Mails to players, through a real mail server that encrypts and wants a password."""

from __future__ import annotations

import email
import logging
import ssl
from collections.abc import Callable, Iterator
from dataclasses import replace
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from blindplay.hall import mails as mails_module
from blindplay.hall.brokers import make_certificates
from blindplay.hall.event_file import MailServer, event_file_of, is_address
from blindplay.hall.mails import Mails
from blindplay.hall.pairings.rounds import Assignment, Round, keep_round, pairings_file, undo_round
from tests.waiting import until

PASSWORD = "a-secret-of-the-organiser"
URL = "http://hall.test:8080"
FIRST = Round("1", (Assignment("1", "4", "Anna Berg", "Bert Dahl"),), ("Carl Lund",))
SECOND = Round("2", (Assignment("2", "7", "Bert Dahl", "Anna Berg"),))


class AnyPort(Controller):
    """A server at a port that is free."""

    server: Any

    def _trigger_server(self) -> None:
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call]


class MailBox:
    """A mail server that keeps what it gets. It takes a mail only encrypted, after the password."""

    def __init__(self, folder: Path, *, smtps: bool = False) -> None:
        self.authority, certificate, key = make_certificates("mail", ["localhost", "127.0.0.1"])
        (folder / "server.pem").write_text(certificate + key, "ascii")
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(folder / "server.pem")
        self.mails: list[EmailMessage] = []
        self.refuses: set[str] = set()
        self.not_yet: set[str] = set()
        self.full: set[str] = set()
        self.takes: Callable[[], None] = lambda: None
        """Called before each mail is taken."""
        tls: dict[str, Any] = {"ssl_context": context} if smtps else {
            "tls_context": context, "require_starttls": True, "auth_require_tls": True,
        }  # fmt: skip
        if smtps:
            tls["auth_require_tls"] = False  # aiosmtpd knows only its own STARTTLS
        self.controller = AnyPort(
            self, hostname="127.0.0.1", port=0, auth_required=True, authenticator=self._check, **tls
        )
        self.controller.start()
        self.port: int = self.controller.port

    @property
    def server(self) -> MailServer:
        return MailServer(
            "127.0.0.1", "hall@example.org", self.port, "hall", PASSWORD, self.authority
        )

    def _check(self, server: Any, session: Any, envelope: Any, how: str, data: Any) -> AuthResult:
        right = (data.login, data.password) == (b"hall", PASSWORD.encode())
        return AuthResult(success=right, handled=False)

    async def handle_RCPT(  # noqa: N802
        self, server: Any, session: Any, envelope: Any, address: str, options: Any
    ) -> str:
        if address in self.refuses:
            return "550 nobody here"
        if address in self.not_yet:
            return "450 try again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        mail = email.message_from_bytes(envelope.content, policy=default)
        assert isinstance(mail, EmailMessage)
        if mail["To"] in self.full:
            return "452 no room now"
        self.takes()
        self.mails.append(mail)
        return "250 OK"

    def to(self, address: str) -> list[EmailMessage]:
        return [mail for mail in self.mails if mail["To"] == address]


@pytest.fixture
def box(tmp_path: Path) -> Iterator[MailBox]:
    box = MailBox(tmp_path)
    yield box
    box.controller.stop()


@pytest.fixture
def sending(tmp_path: Path) -> Iterator[Callable[..., Mails]]:
    made: list[Mails] = []

    def make(server: MailServer, rounds: int = 0, **more: Any) -> Mails:
        keep_round(tmp_path / "hall", FIRST)
        made.append(Mails(server, tmp_path / "hall", "Nordic Open", URL, rounds, **more))
        return made[-1]

    yield make
    for one in made:
        one.close()


def token_in(mail: EmailMessage) -> str:
    text = mail.get_content()
    return str(text.partition(f"{URL}/where/mail/")[2].split()[0])


def confirmed(mails: Mails, box: MailBox, name: str, address: str, language: str = "en") -> str:
    """Order mails, and open the link of the first one."""
    mails.order(name, address, language)
    assert until(lambda: box.to(address))
    token = token_in(box.to(address)[0])
    assert mails.confirm(token)
    return token


def test_a_player_gets_the_next_game_after_the_link_was_opened(
    box: MailBox, sending: Callable[..., Mails], tmp_path: Path
) -> None:
    mails = sending(box.server)
    mails.order("Anna Berg", "anna@example.org", "en")
    assert until(lambda: len(box.mails) == 1)
    first = box.mails[0]
    assert first["Subject"] == "Nordic Open: your address" and first["From"] == "hall@example.org"
    assert "Anna Berg in Nordic Open" in first.get_content()
    assert "table" not in first.get_content()
    assert mails.confirm(token_in(first))
    assert until(lambda: len(box.mails) == 2)
    sentence = "Round 1, table 4: Anna Berg has White against Bert Dahl."
    assert box.mails[1]["Subject"] == f"Nordic Open: {sentence}"
    keep_round(tmp_path / "hall", SECOND)
    assert until(lambda: len(box.mails) == 3)
    text = box.mails[2].get_content()
    assert "Round 2, table 7: Bert Dahl has White against Anna Berg." in text
    assert (
        box.mails[2]["List-Unsubscribe"].strip() == f"<{URL}/where/mail/{token_in(box.mails[2])}>"
    )


def test_those_who_were_told_of_a_round_hear_that_it_is_undone_and_nothing_old(
    box: MailBox, sending: Callable[..., Mails], tmp_path: Path
) -> None:
    mails = sending(box.server)
    for name in ("Anna Berg", "Carl Lund"):
        confirmed(mails, box, name, f"{name[:4].lower()}@example.org")
    assert until(lambda: len(box.to("anna@example.org")) == len(box.to("carl@example.org")) == 2)
    keep_round(tmp_path / "hall", SECOND)  # Carl Lund is not in it
    assert until(lambda: len(box.to("anna@example.org")) == 3)
    undo_round(tmp_path / "hall")
    assert until(lambda: len(box.to("anna@example.org")) == 4)
    assert "Round 2: the pairing of Anna Berg is withdrawn." in box.mails[-1]["Subject"]
    mails.order("Bert Dahl", "bert@example.org", "en")
    assert until(lambda: box.to("bert@example.org"))
    assert mails.confirm(token_in(box.to("bert@example.org")[0]))
    keep_round(tmp_path / "hall", SECOND)
    assert until(lambda: len(box.to("anna@example.org")) == 5)
    assert until(lambda: len(box.to("bert@example.org")) == 2)  # what he was told stands
    assert len(box.to("carl@example.org")) == 2


def test_nobody_is_told_one_game_twice_also_after_a_restart(
    box: MailBox, sending: Callable[..., Mails]
) -> None:
    mails = sending(box.server)
    confirmed(mails, box, "Anna Berg", "anna@example.org")
    assert until(lambda: len(box.mails) == 2)
    mails.close()
    again = sending(box.server)
    confirmed(again, box, "Carl Lund", "carl@example.org", "de")  # Anna's turn would come before
    assert until(lambda: len(box.to("carl@example.org")) == 2)
    assert len(box.to("anna@example.org")) == 2
    assert "Carl Lund" in box.to("carl@example.org")[1]["Subject"]


def test_an_address_that_was_removed_is_kept_nowhere(
    box: MailBox, sending: Callable[..., Mails], tmp_path: Path
) -> None:
    mails = sending(box.server)
    token = confirmed(mails, box, "Anna Berg", "anna@example.org")
    file = tmp_path / "hall" / "mails.json"
    assert until(lambda: len(box.mails) == 2) and "anna@" in file.read_text("utf-8")
    assert file.stat().st_mode & 0o077 == 0
    mails.remove(token)
    assert not file.exists() and mails.find(token) is None and not mails.confirm(token)
    assert not any(b"anna@" in path.read_bytes() for path in (tmp_path / "hall").iterdir())


@pytest.mark.parametrize(("rounds", "days"), [(0, 7), (2, 7), (1, 1)])
def test_all_addresses_are_deleted_after_the_event(
    box: MailBox, sending: Callable[..., Mails], tmp_path: Path, rounds: int, days: int
) -> None:
    """A week after the last pairing, or a day if it was that of the last round."""
    later = [0.0]
    wall = pairings_clock(tmp_path, later)
    mails = sending(box.server, rounds, wall=wall)
    token = confirmed(mails, box, "Anna Berg", "anna@example.org")
    assert until(lambda: len(box.mails) == 2)
    later[0] = days * 86_400 - 60
    mails._forget()
    assert mails.find(token) is not None
    later[0] += 120
    assert until(lambda: mails.find(token) is None)
    assert not (tmp_path / "hall" / "mails.json").exists()


def pairings_clock(folder: Path, later: list[float]) -> Callable[[], float]:
    def wall() -> float:
        return pairings_file(folder / "hall").stat().st_mtime + later[0]

    return wall


def test_an_address_that_nobody_confirms_gets_one_mail_and_is_deleted_after_a_day(
    box: MailBox, sending: Callable[..., Mails], tmp_path: Path
) -> None:
    later = [0.0]
    mails = sending(box.server, wall=pairings_clock(tmp_path, later))
    mails.order("Anna Berg", "stranger@example.org", "en")
    mails.order("Anna Berg", "stranger@example.org", "en")
    assert until(lambda: box.mails)
    token = token_in(box.mails[0])
    later[0] = 86_401
    assert until(lambda: mails.find(token) is None)
    assert len(box.mails) == 1


def test_an_address_that_the_server_refuses_holds_up_nobody(
    box: MailBox, sending: Callable[..., Mails]
) -> None:
    box.refuses.add("wrong@example.org")
    mails = sending(box.server)
    mails.order("Bert Dahl", "wrong@example.org", "en")
    confirmed(mails, box, "Anna Berg", "anna@example.org")
    assert until(lambda: len(box.to("anna@example.org")) == 2)
    assert mails.trouble == ""


@pytest.mark.parametrize("where", ["not_yet", "full"])
def test_an_address_that_the_server_puts_off_holds_up_nobody_and_gets_its_mail_later(
    box: MailBox, sending: Callable[..., Mails], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setattr(mails_module, "_PUT_OFF_S", 2.0)
    monkeypatch.setattr(mails_module, "_FIRST_PAUSE_S", 0.1)
    getattr(box, where).add("slow@example.org")
    mails = sending(box.server)
    mails.order("Bert Dahl", "slow@example.org", "en")
    confirmed(mails, box, "Anna Berg", "anna@example.org")
    assert until(lambda: len(box.to("anna@example.org")) == 2)
    assert not box.to("slow@example.org")
    getattr(box, where).clear()
    assert until(lambda: box.to("slow@example.org"))


def test_an_address_to_which_no_mail_can_be_written_holds_up_nobody(
    box: MailBox, sending: Callable[..., Mails]
) -> None:
    mails = sending(box.server)
    mails.order("Bert Dahl", "=?utf-8?q?a=0Ab?=@example.org", "en")
    confirmed(mails, box, "Anna Berg", "anna@example.org")
    assert until(lambda: len(box.to("anna@example.org")) == 2)
    assert mails.trouble == ""


def test_an_address_that_is_removed_while_mails_are_sent_gets_none(
    box: MailBox, sending: Callable[..., Mails], tmp_path: Path
) -> None:
    mails = sending(box.server)
    confirmed(mails, box, "Anna Berg", "anna@example.org")
    bert = confirmed(mails, box, "Bert Dahl", "bert@example.org")
    assert until(lambda: len(box.mails) == 4)
    box.takes = lambda: mails.remove(bert)  # Anna's mail comes first
    keep_round(tmp_path / "hall", SECOND)
    assert until(lambda: len(box.to("anna@example.org")) == 3)
    confirmed(mails, box, "Carl Lund", "carl@example.org")  # Bert's turn would come before
    assert len(box.to("bert@example.org")) == 2


@pytest.mark.parametrize("last", [True, False])
def test_a_removed_address_leaves_a_full_disk_as_soon_as_there_is_room(
    box: MailBox,
    sending: Callable[..., Mails],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    last: bool,
) -> None:
    mails, file = sending(box.server), tmp_path / "hall" / "mails.json"
    token = confirmed(mails, box, "Anna Berg", "anna@example.org")
    if not last:
        confirmed(mails, box, "Bert Dahl", "bert@example.org")
    assert until(lambda: len(box.mails) == (2 if last else 4))
    assert until(lambda: file.read_text("utf-8").count("Round 1, ") == (1 if last else 2))

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr("blindplay.record.files.write_new", full)
        disk.setattr(Path, "unlink", full)
        mails.remove(token)
        assert mails.find(token) is None and "anna@" in file.read_text("utf-8")
    assert until(lambda: not file.exists() if last else "anna@" not in file.read_text("utf-8"))


def test_a_lost_first_mail_can_be_ordered_once_more(
    box: MailBox, sending: Callable[..., Mails], tmp_path: Path
) -> None:
    later = [0.0]
    mails = sending(box.server, wall=pairings_clock(tmp_path, later))
    mails.order("Anna Berg", "anna@example.org", "en")
    assert until(lambda: box.mails)
    for seconds, sent in ((899, 1), (901, 2), (4000, 2)):
        later[0] = seconds
        assert mails.order("Anna Berg", "anna@example.org", "en")
        confirmed(mails, box, "Carl Lund", f"carl{seconds}@example.org")  # comes after Anna's
        assert len(box.to("anna@example.org")) == sent
    assert len({token_in(mail) for mail in box.to("anna@example.org")}) == 1


def test_a_connection_that_is_encrypted_from_its_beginning(
    tmp_path: Path, sending: Callable[..., Mails], monkeypatch: pytest.MonkeyPatch
) -> None:
    box = MailBox(tmp_path, smtps=True)
    try:
        monkeypatch.setattr(mails_module, "SMTPS_PORT", box.port)
        sending(box.server).order("Anna Berg", "anna@example.org", "sv")
        assert until(lambda: box.mails)
        assert box.mails[0]["Subject"] == "Nordic Open: din adress"
    finally:
        box.controller.stop()


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"password": "wrong-secret"}, "refuses the account or the password"),
        ({"certificates": ""}, "certificate is not trusted"),
        ({"port": 1}, "cannot be reached"),
    ],
)
def test_what_is_wrong_is_said_without_the_password(
    box: MailBox,
    sending: Callable[..., Mails],
    wrong: dict[str, Any],
    reason: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, "blindplay")
    server = replace(box.server, **wrong)
    mails = sending(server)
    mails.order("Anna Berg", "anna@example.org", "en")
    assert until(lambda: reason in mails.trouble)
    assert box.mails == []
    told = mails.trouble + repr(server) + caplog.text
    assert PASSWORD not in told and "wrong-secret" not in told


def test_a_fault_is_said_and_the_next_look_tries_again(
    box: MailBox, sending: Callable[..., Mails], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("nobody has foreseen this")

    monkeypatch.setattr(mails_module, "_FIRST_PAUSE_S", 0.1)
    mails = sending(box.server)
    monkeypatch.setattr(mails, "_mails_due", fail)
    mails.order("Anna Berg", "anna@example.org", "en")
    assert until(lambda: "have a fault" in mails.trouble)
    monkeypatch.undo()
    assert until(lambda: len(box.mails) == 1 and not mails.trouble)


def test_the_server_stands_in_the_halls_file(tmp_path: Path) -> None:
    def read(part: str) -> MailServer | None:
        text = f'event = "open"\n[mail]\n{part}'
        return event_file_of(text.encode(), tmp_path / "hall.toml", table=False).mail

    usual = 'host = "smtp.example.org"\nsender = "hall@example.org"\n'
    assert read(usual) == MailServer("smtp.example.org", "hall@example.org", 465)
    assert event_file_of(b'event = "open"', tmp_path / "hall.toml", table=False).mail is None
    for part, why in (
        ('host = "x"', "sender"), ('sender = "a@b.org"', "host"), (usual + "port = 0", "port"),
        ('host = "x"\nsender = "nobody"', "mail address"), (usual + 'pass = "x"', "pass"),
        (usual + "password = 1.5", "password"), (usual + 'url = "hall.example.org"', "web address"),
        (usual + 'url = "https://["', "web address"), (usual + 'url = "http://a/b"', "web address"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=why):
            read(part)


def test_what_can_be_a_mail_address() -> None:
    for good in ("anna@example.org", "a.b+c@sub.example.org"):
        assert is_address(good)
    for bad in (
        "", "anna", "@example.org", "anna@", "anna@host", "a b@example.org", "ä@example.org",
        "a@example.org\nBcc: b@example.org", "a@example.org,b@example.org", "<a@example.org>",
        "a" * 200 + "@example.org", "=?utf-8?q?a=0Ab?=@example.org", "a@b@example.org",
        "a@example..org", "a..b@example.org",
    ):  # fmt: skip
        assert not is_address(bad), bad
