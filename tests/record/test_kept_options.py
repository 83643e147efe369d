"""What a table was started with is kept beside its journal."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from blindplay.record import Journal, storage
from blindplay.record.kept_options import keep, kept, options_of


def test_what_was_kept_comes_back_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    journal = tmp_path / "game.jsonl"
    options = {"language": "nb", "board": None, "silent": True, "model": ["a", "b"]}
    keep(journal, options)
    assert kept(journal) == options
    if os.name == "posix":
        assert options_of(journal).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [None, b"", b"[1]", b"\xff", b"[" * 100_000])
def test_what_cannot_be_read_counts_as_nothing(tmp_path: Path, content: bytes | None) -> None:
    journal = tmp_path / "game.jsonl"
    if content is not None:
        options_of(journal).write_bytes(content)
    assert kept(journal) == {}


def test_forgetting_a_game_forgets_them_too(tmp_path: Path) -> None:
    journal = tmp_path / "game.jsonl"
    Journal(journal).close()
    keep(journal, {"language": "nb"})
    storage.forget(journal, everything=True)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_stops_no_game(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    keep(tmp_path / "file" / "game.jsonl", {"language": "nb"})
