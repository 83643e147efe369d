"""The ids and names of pegged boards, which they keep themselves."""

import secrets
import unicodedata

from blindplay.translation import UserError

from .protocol import NAME_BYTES

_BESIDE_LETTERS = " -."


def new_id() -> int:
    """Return an id that no other board has: 32 random bits, not 0."""
    return 1 + secrets.randbelow((1 << 32) - 1)


def checked_name(name: str) -> str:
    """Return ``name`` as a board keeps it: composed, and without spaces at the ends.

    :raises ValueError: if a board cannot keep it, with a sentence.
    """
    name = " ".join(unicodedata.normalize("NFC", name).split())
    allowed = all(sign.isalnum() or sign in _BESIDE_LETTERS for sign in name)
    if not allowed or not any(map(str.isalnum, name)):
        raise UserError(
            "{name} cannot be a board's name: use letters, digits, spaces, hyphens and full stops.",
            name=repr(name),
        )
    fits = name.encode()[:NAME_BYTES].decode("utf-8", "ignore")
    if fits != name:
        raise UserError(
            "{name} is too long for a board: leave out {count} letters at least.",
            name=repr(name),
            count=len(name) - len(fits),
        )
    return name
