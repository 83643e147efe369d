"""The guides, and how the short form of one is read aloud.

A guide is a file of ``docs/guides``, ``player.de.md``; its first section is the short form, in
words only, a step a paragraph. A line that begins with four spaces is a command.
"""

from __future__ import annotations

import queue
import re
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from blindplay.language import Command, Language
from blindplay.speech.speaker import Output, Speaker
from blindplay.wording.board_steps import key_of

ROLES = ("player", "assistant", "arbiter", "organiser")
"""For whom there are guides."""
LANGUAGES = ("de", "en")
"""The languages in which there are guides."""
_OVERVIEW = "help"
"""The file that says how a guide is read, and then what BlindPlay is and which guides there are."""
_DASHES = {"de": "Minus Minus", "en": "dash dash"}
SPELLINGS = {"de": {"blindplay": "Bleindpleh", "play": "Pleh", "player": "Plejer"}}
"""How a voice is to be given words of commands that it would say otherwise, by language."""
_WHOLE = {"de": "Die ganze Anleitung steht hier:", "en": "The whole guide is here:"}
_BACK = ("zurück", "back")
_END = ("quit", "ende", "end")
# Waiting for ever cannot be broken off by Ctrl-C on Windows; waiting for so many seconds can.
_POLL_SECONDS = 0.1

Paragraph = tuple[str, ...]
"""What is printed line by line: its sentences, and commands, which begin with four spaces."""


@dataclass(frozen=True)
class ShortGuide:
    """What is read aloud: ``manner`` says how, if somebody is there to press keys; ``whole`` is
    the file of the whole guide."""

    manner: tuple[Paragraph, ...]
    paragraphs: tuple[Paragraph, ...]
    whole: Path


def folder() -> Path:
    """The folder of the guides: in the installed package, else in the source repository."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "guides"
    return installed if installed.is_dir() else package.parent / "docs" / "guides"


def short(role: str | None, language: str) -> ShortGuide:
    """The short guide for one of ``ROLES``; None: what BlindPlay is, and which guides there are.

    :raises ValueError: if there is none in that language.
    """
    if language not in LANGUAGES:
        told = " and ".join(LANGUAGES)
        raise ValueError(f"There are guides in {told}, none in {language!r}; add --language en.")
    manner, overview = _sections(folder() / f"{_OVERVIEW}.{language}.md")[:2]
    if role is None:
        return ShortGuide(manner, overview, folder() / f"{_OVERVIEW}.{language}.md")
    whole = folder() / f"{role}.{language}.md"
    return ShortGuide(manner, _sections(whole)[0], whole)


def _sections(file: Path) -> list[tuple[Paragraph, ...]]:
    """The paragraphs under each heading of the second level."""
    sections = re.split(r"^## .*\n", file.read_text("utf-8"), flags=re.MULTILINE)[1:]
    return [tuple(_paragraphs(section)) for section in sections]


def _paragraphs(section: str) -> Iterator[Paragraph]:
    """Those of a section. A command belongs to the words before it, and so do the words after."""
    parts = [part.rstrip() for part in re.split(r"\n\s*\n", section.strip("\n"))]
    joined: list[str] = []
    for part in parts:
        is_command = part.startswith("    ")
        lines = part.splitlines() if is_command else _sentences(part)
        if joined and not is_command:
            yield tuple(joined)
            joined = []
        joined += lines
    if joined:
        yield tuple(joined)


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.?!])\s+", " ".join(text.split()))


def in_words(line: str, language: str) -> str:
    """A line of a paragraph as it is spoken: of a command, what is to be typed."""
    if not line.startswith("    "):
        return line
    return re.sub(r"--(\w+)", rf"{_DASHES[language]} \1", line.strip()) + "."


class GuideReader:
    """Reads a guide aloud and prints it, each sentence when it is spoken.

    ``speaker`` None: it is printed only, all at once.
    """

    def __init__(self, pack: Language, speaker: Speaker | None, out: TextIO) -> None:
        self._pack = pack
        self._speaker = speaker
        self._out = out
        self._inbox: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read(self, guide: ShortGuide, keys: Iterable[str] | None) -> None:
        """Read it to its end. After each paragraph wait for a line of ``keys``: an empty one or
        the word for going on, those for repeating, going back and leaving; the end of the keys
        leaves, too. A line that comes while something is spoken cuts it off. None: nobody is
        there, and nothing is waited for."""
        waits = keys is not None and self._speaker is not None
        if waits:
            threading.Thread(target=self._listen, args=(keys,), name="keys", daemon=True).start()
        paragraphs = (*(guide.manner if waits else ()), *guide.paragraphs)
        at = 0
        while at < len(paragraphs):
            self._tell(paragraphs[at])
            if waits and at + 1 < len(paragraphs):
                turn = self._turn()
                if turn is None:
                    break
                at = max(at + turn, 0)
            else:
                at += 1
        print(f"\n{_WHOLE[self._pack.code]}\n{guide.whole}", file=self._out, flush=True)

    def _listen(self, keys: Iterable[str]) -> None:
        for line in keys:
            if self._speaker is not None:
                self._speaker.interrupt()
            self._inbox.put(line.strip())
        self._inbox.put(None)
        if self._speaker is not None:
            self._speaker.interrupt()

    def _tell(self, paragraph: Paragraph) -> None:
        print(file=self._out)
        for line in paragraph:
            print(line, file=self._out, flush=True)
            if self._speaker is not None and self._inbox.empty():
                self._speaker.say(in_words(line, self._pack.code), to=Output.PRIVATE)
                while not self._speaker.wait(_POLL_SECONDS):
                    pass

    def _turn(self) -> int | None:
        """Which way to go on: so many paragraphs further; None: to leave."""
        while True:
            try:
                line = self._inbox.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                continue
            if line is None or line.casefold() in _END:
                return None
            if line.casefold() in _BACK:
                return -1
            return 0 if key_of(self._pack, line) is Command.REPEAT else 1
