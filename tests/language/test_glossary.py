"""One thing has one name: the texts of a language keep to its glossary."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po

from blindplay import language
from blindplay.language.pack import Pack

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "development" / "glossary"
CODES = sorted(file.stem for file in FOLDER.glob("*.toml"))


def _texts(table: Mapping[str, Any], where: str) -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _texts(value, f"{where} {name}")
        elif isinstance(value, str):
            yield f"{where} {name}", value


def texts(code: str) -> Iterator[tuple[str, str]]:
    """Every text that people read or hear in a language, after its place; no forms of commands."""
    pack = Pack.read(code).data
    for table in ("sentences", "printed"):
        yield from _texts(pack[table], f"pack {table}")
    for file in (ROOT / "blindplay" / "console" / "messages").glob(f"*.{code}.toml"):
        yield from _texts(tomllib.loads(file.read_text("utf-8")), file.name)
    for file in sorted((ROOT / "docs" / "guides").glob(f"*.{code}.md")):
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            yield f"{file.name} {number}", line
    catalogue = ROOT / "blindplay" / "translations" / f"{code}.po"
    if catalogue.exists():
        with catalogue.open("rb") as opened:
            for message in read_po(opened, locale=code):
                said = [message.string] if isinstance(message.string, str) else message.string or []
                yield from ((f"{catalogue.name} {message.id}", text) for text in said if message.id)


def test_there_is_a_glossary_with_its_source() -> None:
    assert {"de", "en"} <= set(CODES) <= set(language.languages())
    for code in CODES:
        glossary = tomllib.loads((FOLDER / f"{code}.toml").read_text("utf-8"))
        assert glossary["source"] and len(glossary["terms"]) >= 8
        for term in glossary["terms"].values():
            assert term.keys() == {"name", "never"}


@pytest.mark.parametrize("code", CODES)
def test_texts_name_each_thing_as_the_glossary_does(code: str) -> None:
    terms = tomllib.loads((FOLDER / f"{code}.toml").read_text("utf-8"))["terms"]
    others = [word for term in terms.values() for word in term["never"]]
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, others))})\b", re.IGNORECASE)
    found = [(where, text) for where, text in texts(code) if pattern.search(text)]
    assert not found
