"""``blindplay drill``; the exercises are tested with wording, the scores with the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import run


@pytest.mark.parametrize(
    ("arguments", "why"),
    [(["chess"], "'chess'"), (["--count", "0"], "--count"), (["--language", "xx"], "xx")],
)
def test_what_cannot_be_drilled_is_told(arguments: list[str], why: str, tmp_path: Path) -> None:
    done = run("drill", "--silent", *arguments, home=tmp_path)
    assert (done.status, done.stdout) == (2, "") and why in done.stderr
