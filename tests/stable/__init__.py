"""What other people's programs, files and habits rely on, as lines of text.

    python -m tests.stable          # writes the lines of today into tests/stable

Each of the interfaces has a version and a file. A line that is new is an addition, which old users
do not notice. A line that is gone or different breaks something, so the version must be another one
first: see docs/development/versioning.md.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import tomllib
import typing
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import click

import blindplay
from blindplay.cli import TABLE
from blindplay.hall import protocol
from blindplay.laws import facts, rulings
from blindplay.version import VERSION
from tests import ROOT

FOLDER = Path(__file__).parent


def _commands() -> Iterator[str]:
    """Each command with its arguments and options, and the words that these take."""
    pending: list[tuple[str, click.Command]] = [("blindplay", TABLE)]
    for name, command in pending:
        yield name
        for param in command.params:
            names = " ".join((*param.opts, *param.secondary_opts))
            kind = param.type
            if isinstance(kind, click.Choice):  # a line for each word: one more is no break
                words = [str(getattr(one, "value", one)) for one in kind.choices]
            else:
                is_flag = isinstance(param, click.Option) and param.is_flag
                words = ["" if is_flag else kind.name]
            must = " required" if param.required else ""
            yield from (f"{name}: {names} {word}{must}".rstrip() for word in words)
        if isinstance(command, click.Group):
            context = click.Context(command)
            parts = (
                (one, command.get_command(context, one)) for one in command.list_commands(context)
            )
            pending += [(f"{name} {one}", part) for one, part in parts if part is not None]


def _facts() -> Iterator[str]:
    """Each fact of a journal, with its fields."""
    yield from _fields("fact", facts.KINDS)
    for name in ("DECISIONS", "CLAIMS", "RESULTS", "QUESTIONS", "IRREGULARITIES"):
        yield from (f"{name.lower()}: {word}" for word in getattr(facts, name))


def _rulings() -> Iterator[str]:
    yield from _fields("ruling", rulings.KINDS)


def _fields(what: str, kinds: Mapping[str, type]) -> Iterator[str]:
    for kind, cls in kinds.items():
        yield f"{what} {kind}"
        hints = typing.get_type_hints(cls)
        for field in dataclasses.fields(cls):
            yield f"{what} {kind}: {field.name}: {_type(hints[field.name])}"


def _type(hint: object) -> str:
    """A type as people write it, the same in every version of Python."""
    text = hint.__name__ if isinstance(hint, type) and not typing.get_args(hint) else str(hint)
    return re.sub(r"\b(?:typing|collections\.abc|blindplay(?:\.\w+)+)\.", "", text)


def _hall() -> Iterator[str]:
    """The topics, and the keys that the contract names in its tables."""
    yield from (f"topic {protocol.ROOT}/EVENT/TABLE/{kind}" for kind in protocol.KINDS)
    yield from (f"state {state}" for state in protocol.STATES)
    yield from (f"status {status}" for status in protocol.STATUSES)
    page = (ROOT / "docs" / "development" / "hall-protocol.md").read_text("utf-8")
    chapter = ""
    for line in page.splitlines():
        if line.startswith("#"):
            chapter = line.lstrip("# ")
        elif found := re.match(r"\| (`[^|]+`) \|", line):
            yield from (f"{chapter}: {name}" for name in re.findall(r"`([^`]+)`", found[1]))


def _packs() -> Iterator[str]:
    """The names of a language pack. Those of sentences are free: a pack that lacks one, or has one
    that is not used any more, works all the same."""
    pack = tomllib.loads((ROOT / "blindplay/language/packs/en.toml").read_text("utf-8"))
    free = {"sentences", "pronunciations", "fillers", "spoken", "certainty", "sounds_like"}
    for section, value in pack.items():
        if not isinstance(value, dict) or section in free:
            yield section
            continue
        yield from (f"{section}.{key}" for key in value)


def _api() -> Iterator[str]:
    """What ``import blindplay`` gives, with the public methods of its classes."""
    for name in blindplay.__all__:
        given = getattr(blindplay, name)
        if inspect.ismodule(given):
            yield f"module {name}"
            continue
        yield from _arguments(name, given)
        if inspect.isclass(given):
            for part, method in inspect.getmembers(given):
                if not part.startswith("_"):
                    yield from _arguments(f"{name}.{part}", method)
    for name, event in inspect.getmembers(blindplay.events, inspect.isclass):
        if event.__module__ == blindplay.events.__name__:
            yield from _arguments(f"events.{name}", event)


def _arguments(name: str, given: object) -> Iterator[str]:
    """The name with the arguments that must be given, and each one that may be. Types may become
    wider, and defaults may change."""
    if not callable(given):
        yield name
        return
    try:
        params = [one for one in inspect.signature(given).parameters.values() if one.name != "self"]
    except ValueError:
        yield f"{name}(…)"
        return
    must = [one.name for one in params if one.default is one.empty and "VAR" not in one.kind.name]
    yield f"{name}({', '.join(must)})"
    yield from (f"{name}: {one.name}" for one in params if one.name not in must)


@dataclasses.dataclass(frozen=True)
class Interface:
    """One of the things that stay. ``version`` says of which generation it is today."""

    name: str
    version: str
    describe: Callable[[], Iterator[str]]

    @property
    def file(self) -> Path:
        return FOLDER / f"{self.name}.txt"

    def lines(self) -> list[str]:
        """The interface of today."""
        return sorted(set(self.describe()))

    def kept(self) -> tuple[str, list[str]]:
        """The version and the lines that were kept."""
        first, *lines = self.file.read_text("utf-8").splitlines()
        return first.removeprefix("version "), lines

    def write(self) -> None:
        """Keep the interface of today."""
        text = "\n".join((f"version {self.version}", *self.lines(), ""))
        self.file.write_text(text, "utf-8")


_MAJOR = VERSION.partition(".")[0]
INTERFACES = (
    Interface("commands", _MAJOR, _commands),
    Interface("facts", str(facts.FORMAT), _facts),
    Interface("rulings", _MAJOR, _rulings),
    Interface("hall", protocol.ROOT.partition("/")[2], _hall),
    Interface("packs", _MAJOR, _packs),
    Interface("api", _MAJOR, _api),
)
"""All that is stable: docs/development/versioning.md."""
