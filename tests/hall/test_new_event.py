"""The files of a new event."""

from __future__ import annotations

import datetime
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from blindplay import certificates
from blindplay.console.public import Audience
from blindplay.hall.broadcast.broadcasting import BroadcastSettings, read_broadcast
from blindplay.hall.event_file import read_event_file
from blindplay.hall.new_event import EventPlan, short_name, write_event
from blindplay.record import signatures

PLAN = EventPlan('Open "2026"\\', 7, "fide-2023", "900+10", 3, ("de", "en"), "192.0.2.7")


def test_each_table_has_a_file_with_an_account_and_a_key_of_its_own(tmp_path: Path) -> None:
    write_event(PLAN, tmp_path / "open")
    hall = read_event_file(tmp_path / "open" / "hall.toml", table=False)
    reader = read_event_file(tmp_path / "open" / "reader.toml", table=False)
    tables = [read_event_file(tmp_path / "open" / f"table-{n}.toml", table=True) for n in (1, 2, 3)]
    assert [one.table for one in tables] == ["1", "2", "3"]
    assert {one.event for one in (hall, *tables)} == {"open-2026"}
    assert {one.title for one in (hall, *tables)} == {PLAN.title}
    assert len({one.broker.password for one in (hall, reader, *tables)}) == 5
    assert len({one.broker.certificates for one in (hall, *tables)}) == 1
    assert hall.keys == {one.table: signatures.public_key(one.key) for one in tables}
    assert not hall.key and not tables[0].keys
    assert (reader.event, reader.broker.account) == ("open-2026", "reader") and not reader.keys
    shown = read_broadcast(tmp_path / "open" / "hall.toml")
    assert shown == BroadcastSettings(Audience(900, False))


def test_all_pages_of_an_event_are_certified_below_one_authority_and_each_with_a_key_of_its_own(
    tmp_path: Path,
) -> None:
    write_event(replace(PLAN, encrypt=True, host="Hall.Example.org"), tmp_path / "open")
    files = [("hall.toml", False), *((f"table-{number}.toml", True) for number in (1, 2, 3))]
    found = [read_event_file(tmp_path / "open" / file, table=table) for file, table in files]
    issuers = [one.issuer() for one in found]
    assert None not in issuers and len({one and one.key for one in issuers}) == 4
    assert len({one and one.authority for one in issuers}) == 1
    for issuer in issuers:
        assert issuer is not None and issuer.title == f"BlindPlay {PLAN.title}"
        for host in ("table-7.local", "hall.example.org", "192.168.1.20", "fd00::1"):
            assert issuer.permits(host)
        for host in ("example.org", "local.example.org", "8.8.8.8"):
            assert not issuer.permits(host)
        assert issuer.until < certificates.now() + datetime.timedelta(days=401)
    # The key of the authority is in no file, and the reader's file has nothing of it.
    texts = [path.read_text("utf-8") for path in (tmp_path / "open").glob("*.toml")]
    assert sorted(text.count("BEGIN PRIVATE KEY") for text in texts) == [0, 1, 1, 1, 1]


def test_without_that_wish_the_files_encrypt_no_pages(tmp_path: Path) -> None:
    write_event(PLAN, tmp_path / "open")
    for path in (tmp_path / "open").glob("*.toml"):
        assert "[pages]" not in path.read_text("utf-8")
    assert read_event_file(tmp_path / "open" / "table-1.toml", table=True).issuer() is None


def test_a_damaged_issuer_is_named_only_where_pages_are_encrypted(tmp_path: Path) -> None:
    write_event(replace(PLAN, encrypt=True), tmp_path / "open")
    file = tmp_path / "open" / "table-1.toml"
    before, part, after = file.read_text("utf-8").partition("[pages]")
    file.write_text(before + part + after.replace("END CERTIFICATE", "END C", 1), "utf-8")
    joined = read_event_file(file, table=True)
    with pytest.raises(ValueError, match=r"\[pages\].*damaged; use the file that the organiser"):
        joined.issuer()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_only_their_owner_can_read_them(tmp_path: Path) -> None:
    write_event(PLAN, tmp_path / "open")
    assert not (tmp_path / "open").stat().st_mode & 0o077
    for path in (tmp_path / "open").rglob("*"):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path


def test_a_folder_with_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("", "utf-8")
    with pytest.raises(ValueError, match="exists already"):
        write_event(PLAN, tmp_path)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Open 2026", "open-2026"),
        ("  Nordic Open: Århus!  ", "nordic-open-arhus"),
        ("Ü" * 60, "u" * 40),
        ("a" * 39 + " b", "a" * 39),
        ("東京", "event"),
    ],
)
def test_the_name_in_topics_comes_from_the_title(title: str, name: str) -> None:
    assert short_name(title) == name
