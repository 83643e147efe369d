"""Pages that are encrypted with a certificate of this machine's own, and the file that makes it."""

from __future__ import annotations

import contextlib
import datetime
import os
import socket
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from blindplay import certificates, own_files
from blindplay.certificates import Issuer, new_issuers
from blindplay.console import encryption
from blindplay.console.encryption import (
    Certificate,
    ConsoleError,
    IssuedCertificate,
    encryption_of,
    kept_at,
    kept_issuer,
    make_issuer,
)
from blindplay.console.server import PageServer
from blindplay.console.sign_in import guarded
from tests import web
from tests.console.test_limits import hung_up
from tests.waiting import PATIENCE_S

ALL = "0.0.0.0"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home without a certificate."""
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    return tmp_path


async def _said(request: Request) -> Response:
    return PlainTextResponse(f"encrypted {request.url.path}")


def serving(certificate: IssuedCertificate, host: str = ALL) -> PageServer:
    server = PageServer(host, 0, certificate)
    server.start(guarded([Route("/{rest:path}", _said)], server.hosts, lambda request: True))
    return server


@pytest.fixture
def server(home: Path) -> Iterator[PageServer]:
    """A server whose issuer is this machine's."""
    found = serving(IssuedCertificate(make_issuer([], [], anew=False), kept=True))
    yield found
    found.close()


def trusting(issuer: Issuer) -> ssl.SSLContext:
    return ssl.create_default_context(cadata=issuer.authority)


def asked(server: PageServer, host: str, path: str = "/", issuer: Issuer | None = None) -> str:
    """What a device that trusts this machine's authority, or that of ``issuer``, gets."""
    trusted = trusting(issuer or kept_issuer() or pytest.fail("there is no issuer"))
    return web.get(f"https://{host}:{server.port}{path}", verify=trusted).text


def serial(server: PageServer, host: str = "127.0.0.1") -> int:
    """The number of the certificate that is shown at an address."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        socket.create_connection((host, server.port), PATIENCE_S) as connection,
        context.wrap_socket(connection) as encrypted,
    ):
        shown = encrypted.getpeercert(binary_form=True)
    from cryptography import x509

    return x509.load_der_x509_certificate(shown or b"").serial_number


# --- one port -----------------------------------------------------------------------------------


def test_one_port_answers_encrypted_calls_and_gives_plain_ones_the_page_about_trust(
    server: PageServer,
) -> None:
    assert asked(server, "127.0.0.1", "/white/") == "encrypted /white/"
    assert asked(server, "localhost") == "encrypted /"
    plain = web.get(f"http://127.0.0.1:{server.port}/", headers={"accept-language": "en"})
    assert plain.status_code == 200 and "Let this device trust the table" in plain.text
    assert f'href="https://127.0.0.1:{server.port}/"' in plain.text
    # Nothing else is served in the clear.
    other = web.get(f"http://127.0.0.1:{server.port}/white/")
    assert other.status_code == 404 and "encrypted /" not in other.text
    origin = {"origin": f"http://127.0.0.1:{server.port}"}
    sent = web.post(f"http://127.0.0.1:{server.port}/enter", headers=origin, data={"token": "x"})
    assert sent.status_code == 405


def test_no_browser_is_told_to_encrypt_always_because_it_may_need_the_plain_page_again(
    server: PageServer,
) -> None:
    issuer = kept_issuer()
    assert issuer is not None
    for path in ("/", "/certificate"):
        url = f"https://127.0.0.1:{server.port}{path}"
        answer = web.get(url, verify=trusting(issuer))
        assert answer.status_code == 200
        assert "strict-transport-security" not in answer.headers


def test_who_was_told_to_encrypt_always_finds_the_page_about_trust_at_the_same_port(
    server: PageServer,
) -> None:
    told = asked(server, "127.0.0.1", "/certificate")
    assert "blindplay.crt" in told and "blindplay.mobileconfig" in told


def test_the_first_words_of_an_encrypted_call_may_come_byte_by_byte(server: PageServer) -> None:
    issuer = kept_issuer()
    assert issuer is not None
    coming, going = ssl.MemoryBIO(), ssl.MemoryBIO()
    device = trusting(issuer).wrap_bio(coming, going, server_hostname="127.0.0.1")
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE_S) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def exchange(does: Callable[[], Any]) -> Any:
            while True:
                try:
                    done = does()
                except ssl.SSLWantReadError:
                    done = None
                for byte in going.read():
                    connection.sendall(bytes([byte]))
                if done is not None:
                    return done
                coming.write(connection.recv(65536))

        def shaken() -> bool:
            device.do_handshake()
            return True

        exchange(shaken)
        asks = b"GET /byte HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        exchange(lambda: device.write(asks))
        assert b"200 OK" in exchange(lambda: device.read(65536))


@given(st.lists(st.binary(min_size=1, max_size=200), min_size=1, max_size=3))
def test_whatever_comes_first_the_server_goes_on(parts: list[bytes]) -> None:
    server = _lasting()
    with (
        contextlib.suppress(ConnectionError),
        socket.create_connection(("127.0.0.1", server.port), PATIENCE_S) as connection,
    ):
        for part in parts:
            connection.sendall(part)
    assert asked(server, "127.0.0.1", issuer=_LASTING[1]) == "encrypted /"


_LASTING: list[Any] = []


def _lasting() -> PageServer:
    """One server for all examples; it ends with the process."""
    if not _LASTING:
        (issuer,) = new_issuers("BlindPlay lasting", ["lasting.local"])
        _LASTING.extend((serving(IssuedCertificate(issuer), "127.0.0.1"), issuer))
    found = _LASTING[0]
    assert isinstance(found, PageServer)
    return found


def test_who_begins_neither_encrypted_nor_plain_is_hung_up_on(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encryption, "HEADERS_S", 0.2)
    (issuer,) = new_issuers("BlindPlay slow", ["slow.local"])
    server = serving(IssuedCertificate(issuer))
    try:
        for begun in (b"", b"\x16", b"\x16\x03\x01\x02\x00"):
            address = "127.0.0.1", server.port
            with socket.create_connection(address, PATIENCE_S) as connection:
                connection.sendall(begun)
                assert hung_up(connection)
    finally:
        server.close()


def test_a_site_whose_name_leads_here_gets_nothing(server: PageServer) -> None:
    issuer = kept_issuer()
    assert issuer is not None
    for scheme in ("http", "https"):
        for host in ("example.org", "example.org.local", "[::2]", "", "a b", "\xff"):
            answer = web.get(
                f"{scheme}://127.0.0.1:{server.port}/", verify=trusting(issuer),
                headers={"host": host.encode("latin-1")},
            )  # fmt: skip
            assert answer.status_code == 400, host


# --- names and addresses ------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux has all of 127.0.0.0/8.")
def test_an_address_that_is_new_while_the_server_runs_is_served_and_certified(
    server: PageServer,
) -> None:
    before = serial(server)
    assert "127.0.0.7" not in server.hosts
    assert asked(server, "127.0.0.7") == "encrypted /"
    assert serial(server, "127.0.0.7") != before
    # The others hold as before, and the certificate is made anew only for an address that is new.
    assert asked(server, "127.0.0.1") == "encrypted /"
    assert serial(server) == serial(server, "127.0.0.7")


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="There is no IPv6 on this machine.")
def test_all_of_ipv6_and_ipv4_is_served_at_once(home: Path) -> None:
    issuer = make_issuer([], [], anew=False)
    server = serving(IssuedCertificate(issuer), "::")
    try:
        assert asked(server, "[::1]") == asked(server, "127.0.0.1") == "encrypted /"
        assert (
            f'href="https://[::1]:{server.port}/"' in web.get(f"http://[::1]:{server.port}/").text
        )
    finally:
        server.close()


def test_the_name_of_multicast_dns_is_certified_and_served(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "Hans")
    issuer = make_issuer(["hans.fritz.box"], [], anew=False)
    server = serving(IssuedCertificate(issuer))
    try:
        with (
            socket.create_connection(("127.0.0.1", server.port), PATIENCE_S) as connection,
            trusting(issuer).wrap_socket(connection, server_hostname="hans.local") as call,
        ):
            call.sendall(b"GET /mdns HTTP/1.1\r\nHost: Hans.local:1\r\n\r\n")
            assert b"200 OK" in call.recv(65536)
        assert issuer.names() == ["localhost", "hans.local", "hans.fritz.box"]
    finally:
        server.close()


@pytest.mark.parametrize(
    ("machine", "names"),
    [("Annas-MacBook.local", ["annas-macbook.local"]), ("vm", ["vm.local"]),
     ("pc.fritz.box", ["pc.local", "pc.fritz.box"]), ("DESKTOP_1", []), ("Bücher", [
         "xn--bcher-kva.local"]), ("", [])],
)  # fmt: skip
def test_a_machine_has_names_only_as_certificates_can_have_them(
    machine: str, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: machine)
    assert encryption.names_here() == names


def test_an_address_of_the_internet_is_certified_only_if_the_issuer_was_made_for_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blindplay.console.server.reached_at", lambda: "130.75.1.2")
    (without,) = new_issuers("BlindPlay a", [])
    (having,) = new_issuers("BlindPlay b", [], ["130.75.1.2"])
    for issuer, holds in ((without, False), (having, True)):
        server = serving(IssuedCertificate(issuer))
        try:
            assert ("Phones refuse https://130.75.1.2:" not in server.advice("en")) is holds
            assert server.url == f"https://130.75.1.2:{server.port}"
            assert asked(server, "127.0.0.1", issuer=issuer) == "encrypted /"
        finally:
            server.close()


# --- time ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("days", [201, -201])
def test_a_certificate_is_renewed_long_before_its_end_and_when_the_clock_is_set(
    server: PageServer, days: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, now = serial(server), certificates.now()
    assert serial(server) == before
    later = now + datetime.timedelta(days=days)
    monkeypatch.setattr(certificates, "now", lambda: later)
    renewed = serial(server)
    assert renewed != before and serial(server) == renewed


def test_a_connection_goes_on_over_a_renewal(
    server: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    issuer, before = kept_issuer(), serial(server)
    assert issuer is not None
    url = f"https://127.0.0.1:{server.port}"
    with web.Client(base_url=url, verify=trusting(issuer)) as device:
        assert device.get("/1").text == "encrypted /1"
        later = certificates.now() + datetime.timedelta(days=300)
        monkeypatch.setattr(certificates, "now", lambda: later)
        assert serial(server) != before
        assert device.get("/2").text == "encrypted /2"


def test_a_certificate_that_cannot_be_renewed_now_is_used_on(
    server: PageServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = serial(server)
    later = certificates.now() + datetime.timedelta(days=300)
    monkeypatch.setattr(certificates, "now", lambda: later)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    assert serial(server) == before
    monkeypatch.undo()
    assert serial(server) == before


def test_without_any_room_for_a_temporary_file_a_table_says_so_before_it_begins(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    issuer = make_issuer([], [], anew=False)
    monkeypatch.setattr(tempfile, "tempdir", str(home / "none"))
    with pytest.raises(ConsoleError, match=r"no temporary file can be written.*Make room"):
        PageServer(ALL, 0, IssuedCertificate(issuer))


# --- the file -----------------------------------------------------------------------------------


def test_the_key_is_for_its_user_alone(home: Path) -> None:
    issuer = make_issuer([], [], anew=False)
    assert kept_issuer() == issuer and issuer.key.encode() in kept_at().read_bytes()
    if sys.platform != "win32":
        assert kept_at().stat().st_mode & 0o777 == 0o600
        assert kept_at().parent.stat().st_mode & 0o777 == 0o700
    assert [one.name for one in kept_at().parent.iterdir()] == ["issuer.pem"]


def test_on_windows_the_key_loses_what_its_folder_would_let_others_do(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[list[str]] = []

    def run(command: list[str], **_: object) -> SimpleNamespace:
        assert Path(command[1]).read_bytes() == b""  # before the key is in it
        called.append(command)
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(own_files, "sys", SimpleNamespace(platform="win32"))
    monkeypatch.setattr(subprocess, "run", run)
    own_files.write_secret(home / "key", b"secret")
    ((tool, _file, *rights),) = called
    # S-1-3-4 is the owner, S-1-5-18 the system (Microsoft, well-known SIDs).
    assert tool == "icacls" and rights == [
        "/inheritance:r", "/grant:r", "*S-1-3-4:F", "/grant:r", "*S-1-5-18:F",
    ]  # fmt: skip
    assert (home / "key").read_bytes() == b"secret"


def test_a_key_whose_rights_cannot_be_set_on_windows_is_not_written(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = SimpleNamespace(returncode=5, stderr=b"Access is denied.")
    monkeypatch.setattr(own_files, "sys", SimpleNamespace(platform="win32"))
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(PermissionError, match="Access is denied"):
        own_files.write_secret(home / "key", b"secret")
    assert list(home.iterdir()) == []


def test_of_many_that_make_it_at_once_one_counts_for_all(home: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: make_issuer([], [], anew=False), range(24)))
    assert {issuer.fingerprint for issuer in made} == {made[0].fingerprint}
    assert kept_issuer() == made[0]


def test_it_is_made_also_where_the_disk_has_no_links(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")  # as FAT says

    monkeypatch.setattr(Path, "hardlink_to", refused)
    made = make_issuer([], [], anew=False)
    assert make_issuer([], [], anew=False) == made == kept_issuer()


def spoilt(how: str) -> None:
    path = kept_at()
    if how == "damaged":
        path.write_bytes(path.read_bytes()[:700])
    elif how == "no text":
        path.write_bytes(os.urandom(2000))
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "open to others":
        path.chmod(0o644)
    elif how == "a folder":
        path.unlink()
        path.mkdir()
    elif how == "huge":
        path.write_bytes(b"x" * 300_000)


@pytest.mark.parametrize(
    ("how", "said"),
    [("damaged", "is damaged"), ("no text", "is damaged"), ("empty", "is damaged"),
     ("open to others", "chmod 600"), ("a folder", "is a folder"), ("huge", "too large")],
)  # fmt: skip
def test_a_table_does_not_begin_in_the_clear_because_the_file_is_spoilt(
    home: Path, how: str, said: str
) -> None:
    if how == "open to others" and sys.platform == "win32":
        pytest.skip("On Windows a file has no such mode.")
    make_issuer([], [], anew=False)
    spoilt(how)
    with pytest.raises(ConsoleError) as caught:
        encryption_of(ALL, None, None, None, own=True)
    assert said in str(caught.value) and str(caught.value).endswith("add --no-encrypt.")
    assert encryption_of(ALL, None, None, None, own=False) is None


def test_a_server_that_runs_is_not_harmed_by_what_happens_to_the_file(
    server: PageServer,
) -> None:
    issuer = kept_issuer()
    assert issuer is not None
    for how in ("damaged", "a folder"):
        spoilt(how)
        assert asked(server, "127.0.0.1", issuer=issuer) == "encrypted /"
    kept_at().rmdir()
    assert asked(server, "127.0.0.1", issuer=issuer) == "encrypted /"


def test_a_new_issuer_counts_from_the_next_connection_on(server: PageServer) -> None:
    before = kept_issuer()
    after = make_issuer([], [], anew=True)
    assert before is not None and after.fingerprint != before.fingerprint
    assert asked(server, "127.0.0.1", issuer=after) == "encrypted /"
    with pytest.raises(httpx.ConnectError):
        asked(server, "127.0.0.1", issuer=before)
    given = web.get(f"http://127.0.0.1:{server.port}/certificate/blindplay.crt")
    assert given.content == after.der


def test_an_issuer_that_has_ended_says_the_date_and_what_to_do(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_issuer([], [], anew=False)
    later = certificates.now() + certificates.AUTHORITY + datetime.timedelta(days=1)
    monkeypatch.setattr(certificates, "now", lambda: later)
    with pytest.raises(ValueError, match=r"has ended on \d{4}-\d\d-\d\d.*certificate --new"):
        kept_issuer()


def test_a_file_in_a_folder_that_cannot_be_opened_is_not_taken_for_none(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path, *_: object, **__: object) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", refused)
    monkeypatch.setattr(Path, "stat", refused)
    with pytest.raises(ConsoleError, match="Permission denied"):
        encryption_of(ALL, None, None, None, own=True)


def test_where_nothing_can_be_kept_one_sentence_says_so(home: Path) -> None:
    (home / "blindplay").write_text("in the way", "utf-8")
    with pytest.raises(ValueError, match=r"cannot be kept in .*try again\."):
        make_issuer([], [], anew=False)


# --- which certificate --------------------------------------------------------------------------


def test_a_given_certificate_counts_before_the_events_and_that_before_the_machines(
    home: Path,
) -> None:
    (event,) = new_issuers("BlindPlay Cup", ["local"])
    assert encryption_of(ALL, None, None, None, own=True) is None
    machine = make_issuer([], [], anew=False)

    def found(*given: Any, own: bool = True, host: str = ALL) -> object:
        chosen = encryption_of(host, *given, own=own)
        return chosen.issuer if isinstance(chosen, IssuedCertificate) else chosen

    assert found(None, None, None) == machine
    assert found(None, None, event) == event
    files = Path("a.pem"), Path("b.key")
    assert found(*files, event) == found(*files, event, own=False) == Certificate(*files)
    assert found(None, None, event, own=False) is None
    # Nobody else sees pages for this machine alone.
    for host in ("127.0.0.1", "localhost", "::1"):
        assert found(None, None, event, host=host) is None
