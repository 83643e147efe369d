"""Which models of other makers there are: ``models/models.toml``, and Vosk's own list.

The list is a file on Vosk's server that names every official model with its size and MD5 sum. What
is in models.toml was taken from it; of any other name the list itself is asked.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any


class BaseModelError(ValueError):
    """A base is not known; the sentence says which are."""


@dataclass(frozen=True)
class BaseModel:
    """A model that can be downloaded and given our words.

    ``name`` is its folder's, ``short`` a word for it ("english"; the name where it has none),
    ``heard`` the language of the people it was trained on, ``size`` of its archive in bytes.
    ``md5`` and ``sha256`` are the archive's, in small hexadecimal digits, None where nobody says.
    ``licence`` is as its makers state it. ``tried``: somebody has listened through it.
    """

    name: str
    short: str
    heard: str
    size: int
    address: str
    licence: str
    md5: str | None = None
    sha256: str | None = None
    tried: bool = False


@dataclass(frozen=True)
class Catalogue:
    """What models.toml says. ``list_address`` is Vosk's own list, ``page`` states the licences."""

    list_address: str
    page: str
    bases: Mapping[str, BaseModel]
    recommended: Mapping[str, tuple[str, ...]]

    def for_language(self, language: str) -> tuple[BaseModel, ...]:
        """The bases to be installed for ``language``, the most trusted first."""
        names = self.recommended.get(language) or self.recommended["any"]
        return tuple(self.bases[name] for name in names)

    def known(self, name: str) -> BaseModel | None:
        """The base of this name, whole or short."""
        return self.bases.get(name) or next(
            (base for base in self.bases.values() if base.short == name.lower()), None
        )

    def order(self, language: str, names: Iterable[str]) -> tuple[str, ...]:
        """``names`` with those that are recommended for ``language`` first, in their order."""
        wanted = [base.name for base in self.for_language(language)]
        return tuple(
            sorted(names, key=lambda n: (wanted.index(n) if n in wanted else len(wanted), n))
        )

    def listed(self, name: str, text: str) -> BaseModel:
        """The base called ``name`` in ``text``, Vosk's own list.

        Raises BaseError when it is not there, or the list is no such list.
        """
        try:
            entries = json.loads(text)
            if not isinstance(entries, list):
                raise ValueError
            found = [entry for entry in entries if entry["name"] == name]
            if not found:
                raise BaseModelError(
                    f"Vosk's list has no model {name}; those that are known here: "
                    f"{', '.join(self.bases) or 'none'}."
                )
            entry = found[0]
            md5 = str(entry["md5"]).lower()
            if not re.fullmatch(r"[0-9a-f]{32}", md5):
                raise ValueError
            return BaseModel(
                name, name, str(entry.get("lang_text", "an unnamed language")), int(entry["size"]),
                str(entry["url"]), f"stated at {self.page}", md5,
            )  # fmt: skip
        except BaseModelError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            raise BaseModelError(
                f"What {self.list_address} gives is no list of models; try again later, or give "
                "the model's own file with --from."
            ) from None


@cache
def load() -> Catalogue:
    """What models.toml says."""
    package = Path(__file__).resolve().parents[2]
    files = (package / "models" / "models.toml", package.parent / "models" / "models.toml")
    file = next(file for file in files if file.is_file())
    return read(file.read_text("utf-8"))


def read(text: str) -> Catalogue:
    """A catalogue from TOML."""
    data: dict[str, Any] = tomllib.loads(text)
    bases = {}
    for name, entry in data["bases"].items():
        size = entry.pop("bytes")
        bases[name] = BaseModel(name=name, size=size, **entry)
    recommended = {code: tuple(names) for code, names in data["recommended"].items()}
    return Catalogue(data["list"], data["page"], bases, recommended)
