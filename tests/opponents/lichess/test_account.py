"""The token is private, is never shown, and can be forgotten."""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterator

import pytest

from blindplay.opponents.lichess import account
from blindplay.opponents.lichess.account import Account


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    account.forget()
    yield
    account.forget()


def test_an_account_is_kept_privately_and_never_shown() -> None:
    with pytest.raises(ValueError, match="blindplay lichess login"):
        account.kept()
    kept = Account("Kenneth", "lip_secret", "http://127.0.0.1:1")
    account.keep(kept)
    assert account.kept() == kept and "lip_secret" not in repr(kept)
    path = account.token_file()
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        path.chmod(0o644)
        with pytest.raises(ValueError, match="chmod 600"):
            account.kept()
        path.chmod(0o600)
    path.write_text("{", "utf-8")
    with pytest.raises(ValueError, match="is damaged"):
        account.kept()
    assert account.forget() and not account.forget()


def test_a_wrong_token_is_not_repeated() -> None:
    with pytest.raises(ValueError) as refused:
        account.checked_token("my secret token")
    assert "secret" not in str(refused.value)
    assert account.checked_token(" lip_abc\n") == "lip_abc"
