"""A guide, as somebody reads it who does what it says: commands, lines, sentences in order."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from tests import ROOT

COMMAND, FILE, TYPED, SAID = "command", "file", "typed", "said"


@dataclass(frozen=True)
class Step:
    """A command of the shell, a file to write, lines to type at a table, or a quoted sentence."""

    kind: str
    text: str


_NOW = re.compile(r"(?:Now|Nun) .*?\[.*?\]\((\S+\.md)\)", re.DOTALL)
"""A paragraph that sends its reader to another page first."""


def read_guide(name: str) -> list[Step]:
    """The steps of the page ``name`` in ``docs``, in their order."""
    text = (ROOT / "docs" / name).read_text("utf-8")
    return list(_steps(re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)))


def _steps(text: str) -> Iterator[Step]:
    for block in re.split(r"\n\s*\n", text):
        if page := _NOW.match(block):
            yield from read_guide(page[1])
        elif block.startswith("    "):
            yield from _of_code([line[4:] for line in block.splitlines()])
        elif block.startswith("> "):
            yield Step(SAID, " ".join(line.removeprefix("> ") for line in block.splitlines()))


def _of_code(lines: list[str]) -> Iterator[Step]:
    if lines[0].startswith("table,"):
        yield Step(FILE, "".join(f"{line}\n" for line in lines))
        return
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    for line in joined.splitlines():
        yield Step(COMMAND if line.startswith("blindplay ") else TYPED, line)


class Guide:
    """A guide that is followed step by step: nothing in it may be passed over unseen."""

    def __init__(self, name: str) -> None:
        self._steps = read_guide(name)

    def command(self, *begins: str) -> list[str]:
        """The words of the next step, a command that ``begins`` so."""
        words = shlex.split(self._next(COMMAND))[1:]
        assert words[: len(begins)] == list(begins), words
        return words

    def file(self) -> str:
        return self._next(FILE)

    def typed(self) -> str:
        return self._next(TYPED)

    def said(self) -> str:
        """The next step, a sentence."""
        return self._next(SAID)

    def _next(self, kind: str) -> str:
        assert self._steps, f"The guide has ended; there is no {kind}."
        step = self._steps.pop(0)
        assert step.kind == kind, step
        return step.text

    def ends(self) -> None:
        """Check that all was done."""
        assert not self._steps, self._steps
