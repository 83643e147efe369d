"""Certificates that BlindPlay makes: who accepts them, and for which names and addresses."""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import socket
import ssl
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from cryptography import x509
from hypothesis import given
from hypothesis import strategies as st

from blindplay import certificates
from blindplay.certificates import Issuer, address_in, name_in, new_issuers
from tests.programs import need

NOW = datetime.datetime(2027, 3, 1, 12)


@pytest.fixture(scope="module")
def issuer() -> Issuer:
    (made,) = new_issuers("BlindPlay hans 2027-03-01", ["hans.local"], ["130.75.1.2"])
    return made


def greeted(issuer: Issuer, hosts: Sequence[str], called: str) -> bool:
    """Whether a device that trusts the authority accepts a server with a certificate for ``hosts``
    under the name or address by which it has ``called``."""
    here, there = socket.socketpair()

    def serve() -> None:
        try:
            issuer.context(hosts).wrap_socket(here, server_side=True).close()
        except OSError:
            here.close()

    thread = threading.Thread(target=serve)
    thread.start()
    device = ssl.create_default_context(cadata=issuer.authority)
    device.verify_flags |= ssl.VERIFY_X509_STRICT
    try:
        device.wrap_socket(there, server_hostname=called).close()
    except ssl.SSLCertVerificationError:
        return False
    finally:
        there.close()
        thread.join()
    return True


@pytest.mark.parametrize(
    "called", ["hans.local", "localhost", "127.0.0.1", "192.168.1.20", "10.0.0.1", "172.20.10.2",
               "169.254.3.4", "fd00::2", "fe80::1", "::1", "130.75.1.2"],
)  # fmt: skip
def test_a_device_that_trusts_the_authority_accepts_this_machine(
    issuer: Issuer, called: str
) -> None:
    assert issuer.permits(called)
    assert greeted(issuer, [called], called)


def forged(issuer: Issuer, host: str, folder: Path) -> Path:
    """What a thief with the issuer's key would make for any host, as a file with the chain."""
    own = certificates.certify(
        "forged", certificates.new_key(), (issuer._issued.subject, issuer._key), hosts=[host],
        serves=True,
    )  # fmt: skip
    file = folder / "forged.pem"
    file.write_text(certificates.in_pem(own), "ascii")
    return file


@pytest.mark.parametrize(
    ("host", "holds"),
    [("hans.local", True), ("a.hans.local", True), ("192.168.7.7", True), ("fd12::1", True),
     ("example.org", False), ("hans.local.example.org", False), ("other.local", False),
     ("8.8.8.8", False), ("172.32.0.1", False), ("130.75.1.3", False), ("2001:db8::1", False)],
)  # fmt: skip
@pytest.mark.parametrize("without", ["nothing", "the limits of the authority"])
def test_openssl_accepts_no_other_name_even_from_a_thief_with_the_key(
    issuer: Issuer, host: str, holds: bool, without: str, tmp_path: Path
) -> None:
    need("OpenSSL")
    server = forged(issuer, host, tmp_path)
    trusted, between = tmp_path / "trusted.pem", tmp_path / "between.pem"
    between.write_text(issuer.certificate, "ascii")
    # Some systems do not look at the limits of what people trust themselves: they know its key.
    anchor = issuer.authority if without == "nothing" else issuer.certificate
    trusted.write_text(anchor, "ascii")
    partial = [] if without == "nothing" else ["-partial_chain"]
    name = "-verify_ip" if address_in(host) else "-verify_hostname"
    told = subprocess.run(
        ["openssl", "verify", "-x509_strict", *partial, "-purpose", "sslserver", name, host,
         "-CAfile", str(trusted), "-untrusted", str(between), str(server)],
        capture_output=True, text=True,
    )  # fmt: skip
    assert (told.returncode == 0) is holds, told.stderr
    assert holds or "permitted subtree violation" in told.stderr
    assert issuer.permits(host) is holds


def test_the_key_of_the_authority_is_kept_nowhere_and_certifies_nobody_else(
    issuer: Issuer,
) -> None:
    assert issuer.text.count("PRIVATE KEY-----") == 2  # the beginning and the end of one
    assert issuer._key.public_key() != issuer._authority.public_key()
    basic = issuer._issued.extensions.get_extension_for_class(x509.BasicConstraints).value
    assert basic.ca and basic.path_length == 0
    assert issuer.key not in repr(issuer)


def test_tables_of_an_event_share_an_authority_and_no_key() -> None:
    first, second = new_issuers("BlindPlay Cup", ["local"], count=2)
    assert first.authority == second.authority and first.key != second.key
    assert first.permits("table-7.local") and not first.permits("example.org")


def test_a_certificate_holds_although_a_clock_is_a_year_wrong_and_no_longer_than_apple_allows(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificates, "now", lambda: NOW)
    year = datetime.timedelta(days=366)
    own = certificate_of(issuer, ["192.168.1.20"])
    begins, ends = (
        one.replace(tzinfo=None) for one in (own.not_valid_before_utc, own.not_valid_after_utc)
    )
    assert begins < NOW - year and NOW + year < ends
    assert ends - begins <= datetime.timedelta(days=825)


def certificate_of(issuer: Issuer, hosts: Sequence[str]) -> x509.Certificate:
    """The certificate that a server shows."""
    here, there = socket.socketpair()
    context = issuer.context(hosts)
    server = threading.Thread(target=lambda: context.wrap_socket(here, server_side=True).close())
    server.start()
    device = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    device.check_hostname, device.verify_mode = False, ssl.CERT_NONE
    with device.wrap_socket(there) as connection:
        shown = connection.getpeercert(binary_form=True)
    server.join()
    assert shown
    return x509.load_der_x509_certificate(shown)


def test_a_clock_before_this_program_was_made_is_put_forward(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Clock(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Clock:
            return cls(1970, 1, 1, tzinfo=tz)

    monkeypatch.setattr(datetime, "datetime", Clock)
    assert certificates.clock_is_wrong()
    assert certificates.now().year >= 2026


def test_what_is_kept_is_read_again_and_damage_is_noticed(issuer: Issuer) -> None:
    assert Issuer.read(issuer.text) == issuer
    (other,) = new_issuers("BlindPlay eva 2027-03-01", ["eva.local"])
    for text in (
        "", issuer.key, issuer.text[:-40], issuer.text[40:], issuer.text.replace("A", "B", 1),
        other.key + issuer.certificate + issuer.authority,
        issuer.key + issuer.certificate + other.authority, issuer.text + other.text,
    ):  # fmt: skip
        with pytest.raises(ValueError):
            Issuer.read(text)


@given(st.text(max_size=300))
def test_any_text_is_an_issuer_or_an_error(text: str) -> None:
    with pytest.raises(ValueError):
        Issuer.read(text)


@given(st.data())
def test_no_changed_byte_of_what_is_kept_is_taken_for_another_issuer(data: st.DataObject) -> None:
    (made,) = _SAMPLE
    place = data.draw(st.integers(0, len(made.text) - 1))
    text = made.text[:place] + data.draw(st.characters(max_codepoint=255)) + made.text[place + 1 :]
    with contextlib.suppress(ValueError):
        assert Issuer.read(text).der == made.der


_SAMPLE = new_issuers("BlindPlay sample", ["sample.local"])


@given(st.text(max_size=300))
def test_any_text_is_a_name_that_certificates_can_have_or_none(text: str) -> None:
    name = name_in(text)
    if name:
        assert name.isascii() and "." in name and name == name.lower() and name_in(name) == name
        x509.DNSName(name)
        assert not address_in(name)


@pytest.mark.parametrize(
    ("text", "name"),
    [("Hans.Local", "hans.local"), ("hans.fritz.box.", "hans.fritz.box"), ("localhost", ""),
     ("org", ""), ("bücher.example", "xn--bcher-kva.example"), ("*.example.org", ""),
     ("a b.example", ""), ("-a.example", ""), ("1.2.3.4", ""), ("a..b", ""),
     ("desktop_1.local", ""), (f"{'a' * 64}.local", "")],
)  # fmt: skip
def test_a_name_has_a_dot_and_only_what_names_have(text: str, name: str) -> None:
    assert name_in(text) == name


@given(st.ip_addresses())
def test_an_address_is_permitted_if_it_is_in_a_local_network(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    (made,) = _SAMPLE
    local = ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16",
             "::1/128", "fc00::/7", "fe80::/10")  # fmt: skip
    mapped = getattr(address, "ipv4_mapped", None) or address
    within = any(mapped in ipaddress.ip_network(one) for one in local)
    assert made.permits(str(address)) is within
    assert address_in(str(address)) == str(mapped)


@pytest.mark.parametrize(
    ("text", "address"),
    [("::ffff:192.168.1.5", "192.168.1.5"), ("fe80::1%eth0", "fe80::1"), ("FD00::0:1", "fd00::1"),
     ("hans.local", ""), ("", ""), ("1.2.3", "")],
)  # fmt: skip
def test_an_address_has_one_form(text: str, address: str) -> None:
    assert address_in(text) == address


def test_hosts_that_would_spoil_a_certificate_are_left_out(issuer: Issuer) -> None:
    hosts = ["192.168.1.20", "example.org", "::ffff:192.168.1.20", "Hans.local", "8.8.8.8"]
    assert issuer.certified(hosts) == ["192.168.1.20", "hans.local"]
    assert greeted(issuer, hosts, "192.168.1.20") and greeted(issuer, hosts, "hans.local")
    assert not greeted(issuer, hosts, "8.8.8.8")
