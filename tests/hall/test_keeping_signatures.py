"""The hall keeps what tables sign."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from blindplay.hall.incidents import Incidents
from blindplay.hall.keeping_signatures import SignatureKeeper
from blindplay.record import signatures
from tests.record.test_signatures import PUBLIC, SECRET, STATEMENT

LINE = signatures.signed(STATEMENT, SECRET)


def keeper(folder: Path, keys: dict[str, str]) -> tuple[SignatureKeeper, Incidents]:
    incidents = Incidents(folder / "incidents.jsonl")
    return SignatureKeeper("open", keys, incidents), incidents


@pytest.mark.parametrize("keys", [{}, {"4": PUBLIC}])
def test_a_signature_lies_beside_the_copy_and_once(tmp_path: Path, keys: dict[str, str]) -> None:
    found, incidents = keeper(tmp_path, keys)
    for payload in (LINE, LINE + LINE):
        found.take("4", tmp_path / "table-4", payload)
    assert (tmp_path / "table-4" / f"{STATEMENT.game}.signatures").read_bytes() == LINE
    assert not list(incidents)


@pytest.mark.parametrize(
    ("table", "line", "text"),
    [
        ("5", LINE, "another table"),
        ("4", signatures.signed(replace(STATEMENT, event="club"), SECRET), "another table"),
        ("4", LINE.replace(b"1-0", b"0-1"), "does not belong"),
        ("4", LINE[:100], "not a signature"),
    ],
)
def test_a_wrong_signature_is_named_and_not_kept(
    tmp_path: Path, table: str, line: bytes, text: str
) -> None:
    found, incidents = keeper(tmp_path, {"4": PUBLIC, "5": PUBLIC})
    for _ in range(2):
        found.take(table, tmp_path / "table", line)
    (incident,) = incidents
    assert (incident.kind, incident.table) == ("signature", table) and text in incident.text
    assert not (tmp_path / "table").exists()


def test_the_key_must_be_that_of_the_table(tmp_path: Path) -> None:
    found, incidents = keeper(tmp_path, {"4": "0" * 64})
    found.take("4", tmp_path / "table", LINE)
    assert [one.text for one in incidents] == ["it is not made with the table's key"]


def test_a_disk_that_cannot_be_written_is_an_incident(tmp_path: Path) -> None:
    found, incidents = keeper(tmp_path, {})
    (tmp_path / "table").write_text("no folder")
    found.take("4", tmp_path / "table", LINE)
    assert [one.kind for one in incidents] == ["storage"]
