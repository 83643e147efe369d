"""What two tables have agreed on, so that a game goes on without digits."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from blindplay.opponents.distant.agreement import Agreement, NoAgreementError, kept
from blindplay.opponents.distant.keys import Keys
from tests.waiting import until


def test_what_was_agreed_is_kept_privately_and_finds_the_other_table_again(tmp_path: Path) -> None:
    mine, theirs = Keys.new(), Keys.new()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    for side, keys, host in (
        ("white", mine.knowing(theirs.own), ""),
        ("black", theirs.knowing(mine.own), "127.0.0.1"),
    ):
        Agreement(keys, side, 5, False, not host, port, host).keep(tmp_path / f"{side}.jsonl")
        assert (tmp_path / f"{side}.distant").stat().st_mode & 0o77 == 0
    ends = [kept(tmp_path / f"{side}.jsonl").lifeline() for side in ("black", "white")]
    heard: list[list[bytes]] = [[], []]
    for end, into in zip(ends, heard, strict=True):
        end.open(into.append, lambda end=end: end.send(b"here"))  # type: ignore[misc]
    assert until(lambda: all(heard))
    ends[0]._hang_up()
    assert until(lambda: all(into.count(b"here") > 1 for into in heard))  # after the break, too
    for end in ends:
        end.close()


def test_what_was_agreed_by_earlier_versions_is_still_understood(tmp_path: Path) -> None:
    for host in ("", "127.0.0.1"):
        Agreement(Keys("a", "b"), "white", 5, False, not host, 1, host).keep(
            tmp_path / "game.jsonl"
        )
        file = tmp_path / "game.distant"
        found = json.loads(file.read_text("utf-8"))
        del found["waited"], found["inbox"]
        file.write_text(json.dumps(found), "utf-8")
        assert kept(tmp_path / "game.jsonl").waited is not bool(host)


def test_a_game_without_its_agreement_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoAgreementError, match=r"game\.distant cannot be read"):
        kept(tmp_path / "game.jsonl")
