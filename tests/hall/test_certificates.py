"""The certificates of an event's broker, as TLS itself sees them."""

from __future__ import annotations

import contextlib
import socket
import ssl
import subprocess
import threading
from pathlib import Path

import pytest

from blindplay.hall.certificates import BrokerCertificates, make_certificates


@pytest.fixture(scope="module")
def made() -> BrokerCertificates:
    return make_certificates("open", ["broker.example", "192.0.2.7", "2001:db8::7"])


def connect(made: BrokerCertificates, folder: Path, name: str, trusted: str) -> None:
    """Shake hands with a server that has ``made``; raise ssl.SSLError if it is not trusted."""
    chain, key = folder / "chain.pem", folder / "key.pem"
    chain.write_text(made.server, "utf-8")
    key.write_text(made.key, "utf-8")
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(chain, key)
    client = ssl.create_default_context(cadata=trusted)
    client.verify_flags |= ssl.VERIFY_X509_STRICT
    here, there = socket.socketpair()

    def serve() -> None:
        with there, contextlib.suppress(OSError):
            server.wrap_socket(there, server_side=True).close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        with here:
            client.wrap_socket(here, server_hostname=name).close()
    finally:
        thread.join()


@pytest.mark.parametrize("name", ["broker.example", "192.0.2.7", "2001:db8::7"])
def test_the_broker_is_trusted_under_its_names(
    made: BrokerCertificates, tmp_path: Path, name: str
) -> None:
    connect(made, tmp_path, name, made.authority)


def test_under_another_name_it_is_not_trusted(made: BrokerCertificates, tmp_path: Path) -> None:
    with pytest.raises(ssl.SSLError):
        connect(made, tmp_path, "other.example", made.authority)


def test_another_events_authority_does_not_trust_it(
    made: BrokerCertificates, tmp_path: Path
) -> None:
    other = make_certificates("open", ["broker.example"])
    with pytest.raises(ssl.SSLError):
        connect(made, tmp_path, "broker.example", other.authority)


def test_a_table_with_a_wrong_clock_trusts_it(made: BrokerCertificates, tmp_path: Path) -> None:
    """A machine without a battery for its clock may believe that it is 2001."""
    ca, server = tmp_path / "ca.pem", tmp_path / "server.pem"
    ca.write_text(made.authority, "utf-8")
    server.write_text(made.server, "utf-8")
    for moment in ("1000000000", "4000000000"):  # 2001 and 2096
        command = ["openssl", "verify", "-attime", moment, "-CAfile", str(ca), str(server)]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except FileNotFoundError:
            pytest.skip("openssl is not installed")
        assert done.returncode == 0, done.stderr
