"""The files of a new event."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from blindplay.console.public import Audience
from blindplay.hall.broadcast.broadcasting import BroadcastSettings, read_broadcast
from blindplay.hall.event_file import read_event_file
from blindplay.hall.new_event import EventPlan, short_name, write_event
from blindplay.record import signatures

PLAN = EventPlan('Open "2026"\\', 7, "fide-2023", "900+10", 3, ("de", "en"), "192.0.2.7")


def test_each_table_has_a_file_with_an_account_and_a_key_of_its_own(tmp_path: Path) -> None:
    write_event(PLAN, tmp_path / "open")
    hall = read_event_file(tmp_path / "open" / "hall.toml", table=False)
    tables = [read_event_file(tmp_path / "open" / f"table-{n}.toml", table=True) for n in (1, 2, 3)]
    assert [one.table for one in tables] == ["1", "2", "3"]
    assert {one.event for one in (hall, *tables)} == {"open-2026"}
    assert {one.title for one in (hall, *tables)} == {PLAN.title}
    assert len({one.broker.password for one in (hall, *tables)}) == 4
    assert len({one.broker.certificates for one in (hall, *tables)}) == 1
    assert hall.keys == {one.table: signatures.public_key(one.key) for one in tables}
    assert not hall.key and not tables[0].keys
    shown = read_broadcast(tmp_path / "open" / "hall.toml")
    assert shown == BroadcastSettings(Audience(900, False))


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
