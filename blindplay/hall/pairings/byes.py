"""Words that stand in place of an opponent: byes, walkovers and dashes in files of pairings."""

import re

from blindplay.wording.names import typed

_NOBODY = frozenset((
    "bye", "byes", "walkover", "forfeit", "nobody",
    "spielfrei", "freilos", "kampflos", "niemand",
    "frirunde", "friplass", "oversitter", "frirond", "frilott", "oversidder",
))  # fmt: skip
"""As :func:`blindplay.wording.names.typed` gives them; no word that is a usual name, such as
*Frei*."""
_WALKOVER = re.compile(r"w\s?[./]\s?o\.?", re.IGNORECASE)
"""Without its signs it is a surname."""
_KINDS = {
    "full": "full", "1": "full", "voll": "full", "ganz": "full", "hel": "full", "helt": "full",
    "half": "half", "0.5": "half", "0,5": "half", "1/2": "half", "½": "half", "halb": "half",
    "halv": "half", "halvt": "half",
    "zero": "zero", "0": "zero", "null": "zero", "noll": "zero", "nul": "zero",
}  # fmt: skip
_KIND = re.compile(
    r"(full|half|zero|halb|halv|null|noll|[01](?:[.,]5)?|1/2|½)\b[\s-]*(?:points?|punkte?)?"
    r"[\s-]*(?=bye)",
    re.IGNORECASE,
)


def is_nobody(name: str) -> bool:
    """Return whether a name in a file of pairings is no player's.

    >>> is_nobody("Spielfrei"), is_nobody("w.o."), is_nobody("0000"), is_nobody("Wo")
    (True, True, True, False)
    """
    bare = _KIND.sub("", name).strip()
    if _WALKOVER.fullmatch(bare):
        return True
    letters = "".join(one for one in typed(bare) if one.isalnum())
    return bool(name.strip()) and (not letters or not letters.strip("0") or letters in _NOBODY)


def bye_kind(written: str) -> str:
    """The kind of a bye as it is written: full, half, zero, or the text itself.

    >>> bye_kind("½"), bye_kind("half-point bye"), bye_kind("bye"), bye_kind("twice")
    ('half', 'half', '', 'twice')
    """
    text = written.strip().casefold()
    if (match := _KIND.search(text)) is not None:
        return _KINDS[match[1]]
    return "" if is_nobody(text) and text not in _KINDS else _KINDS.get(text, written.strip())
