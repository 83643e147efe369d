"""The catalogue of base models: ``models/models.toml``, and Vosk's own list for all others.

Vosk's list is a file on its server that has the name, size and MD5 sum of every official model.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from blindplay.shipped import shipped
from blindplay.translation import UserError, _


class BaseModelError(UserError):
    """A base model is not known. The message names the known ones."""


@dataclass(frozen=True)
class BaseModel:
    """A model that can be downloaded and given our words."""

    name: str
    """The name of its folder."""
    short: str
    """A short name such as "english"; ``name`` if it has none."""
    heard: str
    """The language of the people that it was trained on."""
    size: int
    """Of the archive, in bytes."""
    address: str
    licence: str
    """As its makers state it."""
    md5: str | None = None
    """Of the archive, in lower-case hexadecimal digits; None if unknown."""
    sha256: str | None = None
    acoustics: str | None = None
    """The SHA-256 of its ``am/final.mdl``; None if unknown."""
    tried: bool = False
    """Somebody has used it with BlindPlay."""


@dataclass(frozen=True)
class Catalogue:
    """The content of models.toml. ``list_address``: Vosk's own list; ``page``: the licences;
    ``bases``: Vosk's models."""

    list_address: str
    page: str
    bases: Mapping[str, BaseModel]
    recommended: Mapping[str, tuple[str, ...]]

    def for_language(self, language: str) -> tuple[BaseModel, ...]:
        """Return the bases recommended for ``language``, the most trusted first."""
        names = self.recommended.get(language) or self.recommended["any"]
        return tuple(self.bases[name] for name in names)

    def known(self, name: str) -> BaseModel | None:
        """Return the base of this name or short name."""
        return self.bases.get(name) or next(
            (base for base in self.bases.values() if base.short == name.lower()), None
        )

    def order(self, language: str, names: Iterable[str]) -> tuple[str, ...]:
        """Return ``names``, those that are recommended for ``language`` first."""
        known = set(names)
        first = [base.name for base in self.for_language(language) if base.name in known]
        return (*first, *sorted(known.difference(first)))

    def listed(self, name: str, text: str) -> BaseModel:
        """Return the base called ``name`` from ``text``, Vosk's own list.

        :raises BaseModelError: if it is not in the list, or if the list is damaged.
        """
        try:
            entries = json.loads(text)
            if not isinstance(entries, list):
                raise ValueError
            for entry in entries:
                if entry["name"] == name:
                    md5 = str(entry["md5"]).lower()
                    if not re.fullmatch(r"[0-9a-f]{32}", md5):
                        raise ValueError
                    heard = str(entry.get("lang_text", _("an unnamed language")))
                    size, address = int(entry["size"]), str(entry["url"])
                    licence = _("stated at {page}", page=self.page)
                    return BaseModel(name, name, heard, size, address, licence, md5)
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            raise BaseModelError(
                "What {address} gives is not a list of models; try again later, or "
                "give the model's own file with --from.",
                address=self.list_address,
            ) from None
        raise BaseModelError(
            "Vosk's list has no model {name}; those that are known here: {bases}.",
            name=name,
            bases=", ".join(self.bases),
        )


@cache
def load() -> Catalogue:
    """Return the catalogue that comes with the program."""
    return read(shipped("models/models.toml").read_text("utf-8"))


def read(text: str) -> Catalogue:
    """Return the catalogue in this TOML."""
    data: dict[str, Any] = tomllib.loads(text)
    bases = {
        name: BaseModel(name=name, size=entry.pop("bytes"), **entry)
        for name, entry in data.get("bases", {}).items()
    }
    recommended = {code: tuple(names) for code, names in data["recommended"].items()}
    return Catalogue(data["list"], data["page"], bases, recommended)
