"""``blindplay certificate``, as its user meets it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography import x509

from blindplay.certificates import Issuer
from tests.command_line import Ran, run
from tests.ports import free_port


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine is at a usual address."""
    monkeypatch.setattr("blindplay.console.server.reached_at", lambda: "192.168.1.20")
    monkeypatch.setattr("socket.gethostname", lambda: "Hans")


pytestmark = pytest.mark.usefixtures("here")


def made(home: Path, *arguments: str, reader: str = "en") -> Ran:
    return run("certificate", *arguments, home=home, reader=reader)


def kept(home: Path) -> Path:
    (file,) = home.rglob("issuer.pem")
    return file


def pairs(ran: Ran) -> list[str]:
    """The rows of pairs that a command has said."""
    return re.findall(r"^    ((?:[0-9A-F]{2} ?)+)$", ran.stdout, re.MULTILINE)


def test_the_first_call_makes_it_and_says_what_comes_next(tmp_path: Path) -> None:
    first = made(tmp_path)
    assert first.status == 0 and first.stderr == ""
    assert first.stdout.startswith("A new certificate of this computer was made.\n")
    assert "for these names and those that end with them: localhost, hans.local." in first.stdout
    assert "It holds for no site on the internet." in first.stdout
    assert "open http://192.168.1.20:8080 on each phone" in first.stdout
    issuer = Issuer.read(kept(tmp_path).read_text("ascii"))
    assert pairs(first) == [" ".join(issuer.fingerprint.split()[:10]), issuer.fingerprint]
    assert len(issuer.fingerprint.split()) == 32  # SHA-256


def test_a_second_call_changes_nothing_and_says_the_same_fingerprint(tmp_path: Path) -> None:
    first = made(tmp_path)
    content = kept(tmp_path).read_bytes()
    second = made(tmp_path)
    assert second.status == 0 and pairs(second) == pairs(first)
    assert "was made" not in second.stdout and kept(tmp_path).read_bytes() == content


@pytest.mark.parametrize("reader", ["de", "da", "nb", "sv"])
def test_it_speaks_the_language_of_its_user(tmp_path: Path, reader: str) -> None:
    english, told = made(tmp_path), made(tmp_path, reader=reader)
    assert pairs(english) == pairs(told) and "It holds" not in told.stdout


def test_new_names_need_a_new_one(tmp_path: Path) -> None:
    made(tmp_path)
    refused = made(tmp_path, "--name", "table.example.org")
    assert refused.status == 2
    assert "does not hold for table.example.org. Add --new" in refused.stderr
    again = made(tmp_path, "--new", "--name", "Table.Example.org", "--name", "130.75.1.2")
    assert again.status == 0
    assert "Remove the one before from each phone" in again.stdout
    issuer = Issuer.read(kept(tmp_path).read_text("ascii"))
    assert issuer.permits("table.example.org") and issuer.permits("130.75.1.2")
    assert not issuer.permits("example.org") and not issuer.permits("130.75.1.3")
    assert made(tmp_path, "--name", "table.example.org").status == 0  # it is there


@pytest.mark.parametrize("name", ["org", "*.example.org", "a b", "", "8.8.8.8/0", "x" * 300])
def test_what_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    refused = made(tmp_path, "--name", name)
    assert refused.status == 2 and "neither a name with a dot nor an address" in refused.stderr
    assert not list(tmp_path.rglob("issuer.pem"))


def test_the_address_of_a_network_with_addresses_of_the_internet_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path)
    monkeypatch.setattr("blindplay.console.server.reached_at", lambda: "130.75.1.2")
    warned = made(tmp_path)
    assert "Phones refuse 130.75.1.2" in warned.stdout
    assert "certificate --new" in warned.stdout
    assert "Phones refuse" not in made(tmp_path, "--new").stdout


def test_it_is_saved_for_a_cable_or_a_mail_without_the_key(tmp_path: Path) -> None:
    file = tmp_path / "blindplay.crt"
    saved = made(tmp_path, "--output", str(file))
    assert saved.status == 0 and str(file) in saved.stdout
    assert x509.load_der_x509_certificate(file.read_bytes())
    issuer = Issuer.read(kept(tmp_path).read_text("ascii"))
    assert file.read_bytes() == issuer.der
    file.write_bytes(b"something else")
    assert "add --overwrite" in made(tmp_path, "--output", str(file)).stderr
    assert file.read_bytes() == b"something else"
    assert made(tmp_path, "--output", str(file), "--overwrite").status == 0
    assert file.read_bytes() == issuer.der
    nowhere = made(tmp_path, "--output", str(tmp_path / "no" / "blindplay.crt"))
    assert nowhere.status == 2 and "There is no folder" in nowhere.stderr


def test_removing_it_says_that_phones_still_trust_it_and_how_to_end_that(tmp_path: Path) -> None:
    assert made(tmp_path, "--remove").stdout == "This computer has no certificate.\n"
    made(tmp_path)
    removed = made(tmp_path, "--remove")
    assert removed.status == 0 and not list(tmp_path.rglob("issuer.pem"))
    assert "trusts the removed one until it is removed there" in removed.stdout
    assert "iPhone and iPad: Settings, General" in removed.stdout
    assert made(tmp_path, "--remove", "--new").status == 2


def test_the_certificate_of_an_event_is_shown_and_saved_from_any_file_of_it(
    tmp_path: Path,
) -> None:
    from blindplay.hall.new_event import EventPlan, write_event

    plan = EventPlan("Cup", 3, "fide-2023", "900+10", 2, ("en",), "192.168.1.9", encrypt=True)
    write_event(plan, tmp_path / "cup")
    write_event(replace(plan, encrypt=False), tmp_path / "plain")
    shown = [made(tmp_path, "--hall", str(tmp_path / "cup" / name))
             for name in ("hall.toml", "table-1.toml", "table-2.toml")]  # fmt: skip
    assert {one.status for one in shown} == {0} and len({one.stdout for one in shown}) == 1
    assert "BlindPlay Cup" in shown[0].stdout and len(pairs(shown[0])) == 2
    output = tmp_path / "event.crt"
    made(tmp_path, "--hall", str(tmp_path / "cup" / "table-1.toml"), "--output", str(output))
    assert x509.load_der_x509_certificate(output.read_bytes())
    without = made(tmp_path, "--hall", str(tmp_path / "plain" / "hall.toml"))
    assert without.status == 2 and "blindplay hall init --encrypt makes one" in without.stderr
    both = made(tmp_path, "--hall", str(tmp_path / "cup" / "hall.toml"), "--new")
    assert both.status == 2 and "leave out --new and --name" in both.stderr
    assert not list(tmp_path.rglob("issuer.pem"))  # nothing of this computer was made


def test_a_damaged_or_open_file_is_named_with_its_remedy(tmp_path: Path) -> None:
    made(tmp_path)
    file = kept(tmp_path)
    before = file.read_text("ascii")
    file.write_text(before[:900], "ascii")
    damaged = made(tmp_path)
    assert damaged.status == 2 and "is damaged" in damaged.stderr
    assert "blindplay certificate --new" in damaged.stderr
    assert made(tmp_path, "--new").status == 0 and made(tmp_path).status == 0
    if os.name == "posix":
        file.chmod(0o640)
        refused = made(tmp_path)
        assert refused.status == 2 and f'chmod 600 "{file}"' in refused.stderr
        file.chmod(0o600)
        assert made(tmp_path).status == 0


def test_a_home_that_takes_no_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "blindplay").write_text("in the way", "utf-8")
    refused = made(tmp_path)
    assert refused.status == 2 and refused.stderr.count("\n") == 1
    assert "cannot be kept in" in refused.stderr and "Traceback" not in refused.stderr


def test_a_clock_that_cannot_be_right_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blindplay.certificates.clock_is_wrong", lambda: True)
    assert "The date of this computer is wrong; set it" in made(tmp_path).stdout


def test_two_processes_at_once_make_one(tmp_path: Path) -> None:
    folders = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"), str(tmp_path))
    command = [sys.executable, "-m", "blindplay", "certificate"]
    running = [
        subprocess.Popen(command, env={**os.environ, **folders}, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    told = [process.communicate()[0] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    issuer = Issuer.read(kept(tmp_path).read_text("ascii"))
    assert all(issuer.fingerprint in one for one in told)


def test_a_table_for_other_devices_then_encrypts_its_pages_unless_it_must_not(
    tmp_path: Path,
) -> None:
    def played(*more: str) -> str:
        words = ("play", "--console", "--host", "0.0.0.0", "--console-port", str(free_port()))
        journal = tmp_path / f"{len(list(tmp_path.iterdir()))}.jsonl"
        ran = run(*words, "--silent", "--microphone", "none", "--language", "en",
                  "--journal", str(journal), *more, stdin="quit\n", home=tmp_path)  # fmt: skip
        assert ran.status == 0, ran.stderr
        return ran.stdout

    before = played()
    assert "http://192.168.1.20:" in before and "https:" not in before
    assert "blindplay certificate, typed once before the next start" in before
    made(tmp_path)
    after = played()
    assert "https://192.168.1.20:" in after
    assert "opens http://192.168.1.20:" in after and "gives them no microphone" not in after
    without = played("--no-encrypt")
    assert "https:" not in without and "gives them no microphone" not in without.replace(
        "give them no microphone", ""
    )
    here = run("play", "--console", "--console-port", str(free_port()), "--silent",
               "--microphone", "none", "--journal", str(tmp_path / "here.jsonl"),
               stdin="quit\n", home=tmp_path)  # fmt: skip
    assert "http://127.0.0.1:" in here.stdout and "https:" not in here.stdout


def test_a_table_says_why_it_cannot_encrypt_and_begins_no_game(tmp_path: Path) -> None:
    made(tmp_path)
    kept(tmp_path).write_text("spoilt", "ascii")
    journal = tmp_path / "game.jsonl"
    refused = run("play", "--console", "--host", "0.0.0.0", "--console-port", str(free_port()),
                  "--silent", "--microphone", "none", "--journal", str(journal),
                  home=tmp_path)  # fmt: skip
    assert refused.status == 2 and not journal.exists()
    assert "is damaged" in refused.stderr and "add --no-encrypt." in refused.stderr


def test_the_settings_know_it(tmp_path: Path) -> None:
    set_ = run("settings", "set", "encrypt", "false", home=tmp_path)
    assert set_.status == 0, set_.stderr
    shown = run("settings", "--json", home=tmp_path)
    assert shown.status == 0 and json.dumps(False) in shown.stdout
