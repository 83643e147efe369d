"""Certificates that two tables make for one game."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from blindplay.opponents.distant.keys import Keys


def test_each_game_has_keys_of_its_own_and_no_private_one_lies_about(tmp_path: Path) -> None:
    one, other = Keys.new(), Keys.new()
    assert one.own != other.own and one.key != other.key
    context = one.knowing(other.own).context(tmp_path, server=True)
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.minimum_version is ssl.TLSVersion.TLSv1_3
    assert not list(tmp_path.iterdir())


def test_something_else_is_no_certificate(tmp_path: Path) -> None:
    with pytest.raises(ssl.SSLError):
        Keys.new().knowing("no certificate").context(tmp_path, server=False)
