"""``blindplay verify``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blindplay.record import Journal, signatures
from tests.command_line import run
from tests.record.test_signatures import FACTS, KEY, sign, statement


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        journal.append(*FACTS)
    return path


def hall_file(folder: Path, key: str = KEY) -> str:
    file = folder / "hall.toml"
    file.write_text(f'event = "open"\n[keys]\n4 = "{signatures.public_key(key)}"\n', "utf-8")
    return str(file)


def test_a_journal_that_holds_ends_with_0(journal: Path, tmp_path: Path) -> None:
    sign(journal, statement(journal))
    done = run("verify", str(journal), "--hall", hall_file(tmp_path), "--json", home=tmp_path)
    assert (done.status, done.stderr) == (0, "")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["about"], row["holds"]) for row in rows] == [
        ("chain", True), ("rulings", True), ("signature", True),
    ]  # fmt: skip


def test_what_does_not_hold_ends_with_1(journal: Path, tmp_path: Path) -> None:
    hall = hall_file(tmp_path)
    assert run("verify", str(journal), home=tmp_path).status == 0
    done = run("verify", str(journal), "--hall", hall, home=tmp_path)
    assert done.status == 1 and "1" in done.stdout.splitlines()[-1]
    sign(journal, statement(journal), signatures.new_key())
    assert run("verify", str(journal), "--hall", hall, home=tmp_path).status == 1


def test_what_cannot_be_checked_ends_with_2(journal: Path, tmp_path: Path) -> None:
    assert run("verify", str(tmp_path / "none.jsonl"), home=tmp_path).status == 2
    (tmp_path / "table.toml").write_text('event = "open"\n', "utf-8")
    done = run("verify", str(journal), "--hall", str(tmp_path / "table.toml"), home=tmp_path)
    assert done.status == 2 and "table.toml" in done.stderr
