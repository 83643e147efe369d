"""The chips of pieces in the user's configuration."""

from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest

from blindplay.boards.certabo import chips


def test_chips_are_kept_and_a_damaged_file_holds_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "config"
    monkeypatch.setattr(platformdirs, "user_config_path", lambda *_, **__: folder)
    assert chips.kept() == {}
    learned = {b"\x03\x00\x54\x01\x02": ord("K"), b"\x03\x00\x54\x01\x03": ord("p")}
    chips.keep(learned)
    assert chips.kept() == learned
    for damaged in ("", "[]", '{"K": 3}', '{"K": ["no chip"]}', '{"X": ["00"]}'):
        (folder / "chips.json").write_text(damaged)
        assert chips.kept() == {}
    folder.joinpath("chips.json").unlink()
    folder.rmdir()
    folder.write_text("in the way")
    chips.keep(learned)  # it says so in the log
    assert chips.kept() == {}
