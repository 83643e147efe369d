"""The Lichess account of this user. Its token lies in a file that nobody else can read."""

import json
import os
import re
import stat
import sys
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

from blindplay.given import read_bytes
from blindplay.record.files import write_new

SERVER = "https://lichess.org"
SCOPES = ("board:play", "challenge:write")
"""The permissions that a token needs."""
_MOST = 4000  # bytes of the file
_TOKEN = re.compile("[A-Za-z0-9_]{1,2000}", re.ASCII)


@dataclass(frozen=True)
class Account:
    """``name`` is the user's at ``server``. The token is never shown."""

    name: str
    token: str = field(repr=False)
    server: str = SERVER


def token_file() -> Path:
    """Return the path of the file with the account."""
    return Path(platformdirs.user_data_path("blindplay", appauthor=False)) / "lichess.json"


def token_page(server: str = SERVER) -> str:
    """The page at which a user makes a token that permits what is needed."""
    scopes = "&".join(f"scopes[]={scope}" for scope in SCOPES)
    return f"{server}/account/oauth/token/create?{scopes}&description=BlindPlay"


def checked_token(text: str) -> str:
    """:raises ValueError: if ``text`` is not a token; the message does not repeat it."""
    token = text.strip()
    if not _TOKEN.fullmatch(token):
        raise ValueError(
            "That is not a token; copy the whole one that Lichess shows, and nothing else."
        )
    return token


def keep(account: Account) -> None:
    """Write the account into its file, which only this user can read.

    :raises OSError: if it cannot be written.
    """
    path = token_file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    known = {"server": account.server, "name": account.name, "token": account.token}
    write_new(path, json.dumps(known).encode())


def kept() -> Account:
    """:raises ValueError: if no account is kept, or others can read it; one sentence."""
    path = token_file()
    if not path.exists():
        raise ValueError("Your Lichess account is not known yet; run: blindplay lichess login")
    content = read_bytes(path, _MOST)
    if sys.platform != "win32" and stat.S_IMODE(os.stat(path).st_mode) & 0o077:  # noqa: PTH116
        raise ValueError(f"Others can read the token in {path}; run: chmod 600 {path}")
    try:
        known = json.loads(content)
        return Account(str(known["name"]), checked_token(known["token"]), str(known["server"]))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError(f"{path} is damaged; run: blindplay lichess login") from None


def forget() -> bool:
    """Remove the file; False if there is none.

    :raises OSError: if it cannot be removed.
    """
    path = token_file()
    known = path.exists()
    path.unlink(missing_ok=True)
    return known
