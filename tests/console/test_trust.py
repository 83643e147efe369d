"""The plain page about trusting a certificate, as people and their browsers meet it."""

from __future__ import annotations

import html
import plistlib
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from playwright.sync_api import Browser, BrowserContext, Error

from blindplay.certificates import Issuer, new_issuers
from blindplay.console.encryption import IssuedCertificate
from blindplay.console.messages import LANGUAGES, catalogue
from blindplay.console.server import ConsoleHost
from tests import web
from tests.console import trusting
from tests.console.browser import accessible, person, shot
from tests.console.hall import Hall
from tests.sampling import first
from tests.waiting import until

NAMES = ["hans.local"]


@pytest.fixture(scope="module")
def issuer() -> Issuer:
    (made,) = new_issuers("BlindPlay hans 2027-03-01", NAMES)
    return made


@pytest.fixture
def host(hall: Hall, issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> Iterator[ConsoleHost]:
    """A table whose pages are encrypted, for other devices too."""
    monkeypatch.setattr("blindplay.console.server.reached_at", lambda: "127.0.0.1")
    monkeypatch.setattr(socket, "gethostname", lambda: "hans")
    host = ConsoleHost(hall.table, "0.0.0.0", 0, certificate=IssuedCertificate(issuer))
    yield host
    host.close()


def plain(host: ConsoleHost) -> str:
    return host.url.replace("https", "http")


def given(host: ConsoleHost, path: str, language: str = "en") -> httpx.Response:
    return web.get(f"{plain(host)}{path}", headers={"accept-language": language})


# --- what it gives ------------------------------------------------------------------------------


def test_computers_get_the_certificate_as_they_read_it(host: ConsoleHost, issuer: Issuer) -> None:
    answer = given(host, "/certificate/blindplay.crt")
    # Firefox asks whether to trust what has this media type (RFC 2585 has another one for it).
    assert answer.headers["content-type"] == "application/x-x509-ca-cert"
    assert "content-disposition" not in answer.headers
    assert answer.content == issuer.der
    x509.load_der_x509_certificate(answer.content)


def test_android_gets_a_file_that_its_browsers_keep(host: ConsoleHost, issuer: Issuer) -> None:
    answer = given(host, "/certificate/android/blindplay.crt")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"] == 'attachment; filename="blindplay.crt"'
    assert answer.content == issuer.der


def test_apples_devices_get_a_profile_with_nothing_but_this_certificate(
    host: ConsoleHost, issuer: Issuer
) -> None:
    answer = given(host, "/certificate/blindplay.mobileconfig?language=de")
    assert answer.headers["content-type"] == "application/x-apple-aspen-config"
    profile = plistlib.loads(answer.content)
    # The keys that Apple's "Configuration Profile Reference" requires.
    for part in (profile, *profile["PayloadContent"]):
        needed = {"PayloadType", "PayloadVersion", "PayloadIdentifier", "PayloadUUID"}
        assert needed <= part.keys() and part["PayloadVersion"] == 1
        assert re.fullmatch(r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}", part["PayloadUUID"])
        assert part["PayloadDescription"] == catalogue("de")["trust_profile"]
    (root,) = profile["PayloadContent"]
    assert profile["PayloadType"] == "Configuration" and not profile["PayloadRemovalDisallowed"]
    assert root["PayloadType"] == "com.apple.security.root"
    assert root["PayloadContent"] == issuer.der
    assert root["PayloadUUID"] != profile["PayloadUUID"]
    assert profile["PayloadDisplayName"] == issuer.title


def test_a_profile_takes_the_place_of_the_one_before_of_the_same_machine(
    host: ConsoleHost, issuer: Issuer
) -> None:
    def named(title: str) -> str:
        (made,) = new_issuers(title, NAMES)
        host._issued.issuer = made  # type: ignore[union-attr]
        profile = plistlib.loads(given(host, "/certificate/blindplay.mobileconfig").content)
        return str(profile["PayloadIdentifier"])

    first = named("BlindPlay hans 2027-03-01")
    assert named("BlindPlay hans 2029-08-09") == first != named("BlindPlay eva 2027-03-01")


def test_the_page_shows_no_fingerprint_because_whoever_changes_the_file_could_change_that_too(
    host: ConsoleHost, issuer: Issuer
) -> None:
    told = given(host, "/").text
    for length in (4, 8, 10):
        assert " ".join(issuer.fingerprint.split()[:length]) not in told
    assert "after the command: blindplay certificate --hall table-1.toml." in told
    host._issued.kept = True  # type: ignore[union-attr]
    assert "after the command: blindplay certificate." in given(host, "/").text


def test_nothing_secret_is_given_in_the_clear(host: ConsoleHost, issuer: Issuer) -> None:
    for path in ("/", "/certificate", "/certificate/blindplay.crt", "/certificate/issuer.pem",
                 "/certificate/blindplay.mobileconfig", "/white/", "/enter"):  # fmt: skip
        told = given(host, path).content
        assert b"PRIVATE" not in told and issuer.certificate.encode() not in told


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_speaks_the_language_of_its_reader_and_says_the_whole_of_it(
    host: ConsoleHost, language: str
) -> None:
    told, say = html.unescape(given(host, "/", language).text), catalogue(language)
    assert f'<html lang="{language}">' in told and "<script" not in told
    for key in ("trust_title", "trust_before", "trust_untried", "trust_means", "trust_remove"):
        assert say[key] in told, key
    assert "BlindPlay hans 2027-03-01" in told and "localhost, hans.local" in told
    for device in ("ios", "android", "windows", "mac", "linux"):
        for step in say[f"trust_{device}_steps"].strip().split("\n"):
            assert f"<li>{step}</li>" in told
    chosen = given(host, f"/?language={language}", "ru").text
    assert say["trust_title"] in chosen
    links = set(re.findall(r'href="(/[^"]*)"', told))
    assert len(links) >= 5
    for link in links:
        assert given(host, link, language).status_code == 200, link


# --- real browsers ------------------------------------------------------------------------------


@pytest.fixture
def trusting_browser(browser: Browser, issuer: Issuer, tmp_path: Path) -> Iterator[BrowserContext]:
    """A Chromium that trusts the authority."""
    with (
        trusting.trusting(browser, issuer.der, tmp_path / "home") as own,
        person(own) as context,
    ):
        yield context


def test_a_browser_that_does_not_trust_gets_the_page_in_the_clear_and_nothing_else(
    host: ConsoleHost, context: BrowserContext
) -> None:
    page = context.new_page()
    with pytest.raises(Error, match="ERR_CERT_AUTHORITY_INVALID"):
        page.goto(host.url)
    page = context.new_page()
    page.goto(plain(host))
    assert page.get_by_role("heading", level=1).inner_text() == "Let this device trust the table"
    assert not page.evaluate("isSecureContext && location.protocol === 'https:'")


@pytest.mark.parametrize("language", first(2, ("en", "de", *sorted({*LANGUAGES} - {"en", "de"}))))
def test_everybody_can_use_the_page_at_any_size(
    host: ConsoleHost, browser: Browser, language: str
) -> None:
    with person(browser, locale=language) as context:
        page = context.new_page()
        page.goto(plain(host))
        accessible(page, colours=language == "en")
        page.set_viewport_size({"width": 320, "height": 640})
        shot(page, f"trust-{language}")


def test_everybody_can_use_the_page_without_a_script(host: ConsoleHost, browser: Browser) -> None:
    with person(browser, java_script_enabled=False, accept_downloads=True) as context:
        page = context.new_page()
        page.goto(plain(host))
        headings = page.get_by_role("heading", level=2).all_inner_texts()
        assert headings[:2] == ["iPhone and iPad", "Android"]
        with page.expect_download() as download:
            page.get_by_role("link", name="Activate this link to get the file for Android").click()
        assert download.value.suggested_filename == "blindplay.crt"
        page.get_by_role("link", name="Svenska").click()
        assert page.get_by_role("heading", level=1).inner_text() == catalogue("sv")["trust_title"]


def test_a_browser_that_trusts_the_authority_gets_the_pages_and_the_microphone(
    host: ConsoleHost, trusting_browser: BrowserContext
) -> None:
    page = trusting_browser.new_page()
    port = host.url.rpartition(":")[2]
    for called in ("127.0.0.1", "localhost", "hans.local"):
        answer = page.goto(f"https://{called}:{port}/certificate")
        assert answer is not None and answer.status == 200, called
    page.goto(plain(host))
    page.get_by_role("link", name="This device trusts it: open the encrypted page").click()
    page.wait_for_url("https://**")
    assert page.evaluate("isSecureContext")
    assert page.get_by_label(catalogue("en")["enter_token"]).is_visible()
    assert page.evaluate(
        "navigator.mediaDevices.getUserMedia({ audio: true })"
        ".then((stream) => stream.getAudioTracks().length, (error) => error.name)"
    ) in (1, "NotAllowedError")  # the policy of the page decides, and no longer the line
    page.goto(host.link("white"))
    page.wait_for_url("**/white/")


def test_a_browser_that_trusts_the_authority_believes_it_no_other_name(
    host: ConsoleHost, issuer: Issuer, trusting_browser: BrowserContext,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    # As if a thief had the key: the certificate is for any name.
    monkeypatch.setattr(Issuer, "certified", lambda self, hosts: ["example.org", "10.9.8.7"])
    host._issued = IssuedCertificate(issuer)
    page = trusting_browser.new_page()
    port = host.url.rpartition(":")[2]
    with pytest.raises(Error, match="ERR_CERT"):
        page.goto(f"https://example.org:{port}/certificate")


def test_a_table_says_what_phones_need(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blindplay.console.server.reached_at", lambda: "192.168.1.20")
    (issuer,) = new_issuers("BlindPlay a", [])
    for certificate, said in (
        (None, ["The pages are not encrypted"]),
        (IssuedCertificate(issuer), ["opens http://192.168.1.20:{port} first"]),
    ):
        host = ConsoleHost(hall.table, "0.0.0.0", 0, certificate=certificate)
        try:
            advice = host.advice("en").splitlines()
            port = host.url.rpartition(":")[2]
            assert len(advice) == len(said)
            for line, words in zip(advice, said, strict=True):
                assert words.format(port=port) in line
        finally:
            host.close()
    monkeypatch.setattr("blindplay.console.server.reached_at", lambda: "130.75.1.2")
    host = ConsoleHost(hall.table, "0.0.0.0", 0, certificate=IssuedCertificate(issuer))
    try:
        assert "Phones refuse https://130.75.1.2:" in host.advice("en")
    finally:
        host.close()
    local = ConsoleHost(hall.table, port=0)
    try:
        assert local.advice("en") == ""
    finally:
        local.close()


def test_a_table_says_at_once_when_its_computer_gets_another_address(
    hall: Hall, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses = {"now": "192.168.1.20"}
    monkeypatch.setattr("blindplay.console.server.reached_at", lambda: addresses["now"])
    monkeypatch.setattr("blindplay.console.server._LOOK_S", 0.01)
    host = ConsoleHost(hall.table, "0.0.0.0", 0, certificate=IssuedCertificate(issuer))
    told: list[str] = []
    try:
        host.tell_moves(told.append, "en")
        for address in ("127.0.0.1", "10.0.0.7", "127.0.0.1", "10.0.0.7", "fd00::7"):
            addresses["now"] = address
            here = address.startswith("127.")
            expected = f"[{address}]:" if ":" in address else f"{address}:"
            assert here or until(lambda said=expected: said in "".join(told))  # type: ignore[misc]
        # While there is no network nothing is said, and nothing when the same address is back.
        assert [line.partition(" is now ")[2].partition(". Pages")[0] for line in told] == [
            f"https://10.0.0.7:{host.url.rpartition(':')[2]}",
            f"https://[fd00::7]:{host.url.rpartition(':')[2]}",
        ]
        assert host.link("white").startswith(told[-1].partition(" is now ")[2].partition(". ")[0])
    finally:
        host.close()
