"""The texts of the pages: TOML files by page and language, and one for the common texts."""

import functools
import tomllib
from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType

LANGUAGES = {
    "da": "Dansk",
    "de": "Deutsch",
    "en": "English",
    "nb": "Norsk",
    "sv": "Svenska",
}
"""The languages of the pages, each with its own name for itself."""


@functools.cache
def catalogue(language: str) -> Mapping[str, str]:
    """All texts of a language by their keys.

    :raises KeyError: for a language that has no pages.
    """
    if language not in LANGUAGES:
        raise KeyError(language)
    texts: dict[str, str] = {}
    for file in resources.files(__package__).joinpath("messages").iterdir():
        if file.name.endswith(f".{language}.toml"):
            found = tomllib.loads(file.read_text("utf-8"))
            assert not found.keys() & texts.keys(), f"{file.name} repeats keys of another page"
            texts |= found
    return MappingProxyType(texts)


def negotiate(accepts: str) -> str:
    """The language that an Accept-Language header prefers, of those there are; English if none."""
    wanted = []
    for place, entry in enumerate(accepts[:1000].split(",")):
        tag, _, quality = entry.partition(";q=")
        primary = tag.strip().lower().split("-")[0]
        code = "nb" if primary in ("no", "nn") else primary
        try:
            liked = float(quality or 1)
        except ValueError:
            continue
        if code in LANGUAGES and liked > 0:
            wanted.append((-liked, place, code))
    return min(wanted)[2] if wanted else "en"
