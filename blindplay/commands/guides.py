"""The guides, and reading the short form of a guide aloud.

A guide is a file of ``docs/guides`` such as ``player.de.md``. Its first section is the short form:
words only, one step per paragraph. A line that begins with four spaces is a command.
"""

import queue
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from blindplay.language import Key, Language, key_of
from blindplay.shipped import shipped
from blindplay.speech.speaker import Output, Speaker
from blindplay.translation import UserError, all_of

LANGUAGES = ("da", "de", "en", "nb", "sv")
"""The languages of the guides."""
_OVERVIEW = "help"
"""The file that explains the keys, then introduces BlindPlay and lists the guides."""
SPELLINGS = {"de": {"blindplay": "Bleindpleh", "play": "Pleh", "player": "Plejer"}}
"""Spellings, by language, that make a voice pronounce the words of commands correctly."""
# On Windows, Ctrl-C does not interrupt a wait without a timeout, so wait for so long repeatedly.
_POLL_SECONDS = 0.1

Paragraph = tuple[str, ...]
"""Lines to print: sentences, and commands, which begin with four spaces."""


@dataclass(frozen=True)
class ShortGuide:
    """The short form of a guide."""

    keys: tuple[Paragraph, ...]
    """Explains the keys; read only if somebody can press them."""
    paragraphs: tuple[Paragraph, ...]
    whole: Path
    """The file of the whole guide."""


def folder() -> Path:
    """The folder of the guides."""
    return shipped("guides", "docs/guides")


def short(role: str | None, language: str) -> ShortGuide:
    """The short guide for a role. Without a role: what BlindPlay is, and the list of guides.

    :raises ValueError: if there are no guides in that language.
    """
    if language not in LANGUAGES:
        raise UserError(
            "There are guides in {offered}, none in {language}; add --language en.",
            offered=all_of(LANGUAGES),
            language=repr(language),
        )
    overview = folder() / f"{_OVERVIEW}.{language}.md"
    keys, introduction = _sections(overview)[:2]
    if role is None:
        return ShortGuide(keys, introduction, overview)
    whole = folder() / f"{role}.{language}.md"
    return ShortGuide(keys, _sections(whole)[0], whole)


def _sections(file: Path) -> list[tuple[Paragraph, ...]]:
    """The paragraphs under each heading of the second level."""
    sections = re.split(r"^## .*\n", file.read_text("utf-8"), flags=re.MULTILINE)[1:]
    return [tuple(_paragraphs(section)) for section in sections]


def _paragraphs(section: str) -> Iterator[Paragraph]:
    """The paragraphs of a section. A command belongs to the paragraph before it."""
    parts = [part.rstrip() for part in re.split(r"\n\s*\n", section.strip("\n"))]
    joined: list[str] = []
    for part in parts:
        is_command = part.startswith("    ")
        if joined and not is_command:
            yield tuple(joined)
            joined = []
        joined += part.splitlines() if is_command else _sentences(part)
    if joined:
        yield tuple(joined)


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.?!])\s+", " ".join(text.split()))


def in_words(line: str, pack: Language) -> str:
    """A line of a paragraph as it is spoken. In a command, dashes are spoken as words."""
    if not line.startswith("    "):
        return line
    return re.sub(r"--(\w+)", rf"{pack.printed('guide_dashes')} \1", line.strip()) + "."


class GuideReader:
    """Reads a guide aloud and prints each sentence when it is spoken.

    Without a speaker, the guide is printed at once.
    """

    def __init__(self, pack: Language, speaker: Speaker | None, out: TextIO) -> None:
        self._pack = pack
        self._speaker = speaker
        self._out = out
        self._inbox: queue.Queue[str | None] = queue.Queue()

    def read(self, guide: ShortGuide, keys: Iterable[str] | None) -> None:
        """Read the guide to its end.

        After each paragraph, wait for a line of ``keys``. An empty line continues; a word repeats
        the paragraph, goes back or stops. The end of the keys stops, too. A line that comes during
        speech interrupts it. Without keys, nobody is there, and there are no pauses.
        """
        waits = keys is not None and self._speaker is not None
        if waits:
            threading.Thread(target=self._listen, args=(keys,), name="keys", daemon=True).start()
        paragraphs = (*(guide.keys if waits else ()), *guide.paragraphs)
        at = 0
        while at < len(paragraphs):
            self._present(paragraphs[at])
            if waits and at + 1 < len(paragraphs):
                step = self._next_step(guide)
                if step is None:
                    break
                at = max(at + step, 0)
            else:
                at += 1
        print(f"\n{self._pack.printed('guide_whole')}\n{guide.whole}", file=self._out, flush=True)

    def _listen(self, keys: Iterable[str]) -> None:
        with suppress(OSError, ValueError):  # a keyboard that is gone
            for line in keys:
                if self._speaker is not None:
                    self._speaker.interrupt()
                self._inbox.put(line.strip())
        self._inbox.put(None)
        if self._speaker is not None:
            self._speaker.interrupt()

    def _present(self, paragraph: Paragraph) -> None:
        print(file=self._out)
        for line in paragraph:
            print(line, file=self._out, flush=True)
            if self._speaker is not None and self._inbox.empty():
                self._speaker.say(in_words(line, self._pack), to=Output.PRIVATE)
                while not self._speaker.wait(_POLL_SECONDS):
                    pass

    def _next_step(self, guide: ShortGuide) -> int | None:
        """Wait for a key and return how many paragraphs to advance; None: stop."""
        while True:
            try:
                line = self._inbox.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                continue
            key = Key.END if line is None else key_of(self._pack, line)
            if key is Key.END:
                return None
            if key is Key.HELP:
                for paragraph in guide.keys:
                    self._present(paragraph)
            return {Key.BACK: -1, Key.REPEAT: 0, Key.HELP: 0}.get(key, 1) if key else 1
