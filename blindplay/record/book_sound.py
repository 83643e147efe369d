"""A book as sound: one file for each chapter, and a list of the files.

The words are those of the longhand. Comments have a deeper voice and variations a higher one, and
both are named in words, so that they can be told apart on any device.
"""

import contextlib
import datetime
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import chess

from blindplay.given import reason_of
from blindplay.language import Language, load
from blindplay.speech.audio import read_audio
from blindplay.speech.synthesis import is_words
from blindplay.translation import UserError
from blindplay.wording.announcements import result_in_words
from blindplay.wording.values import number_in_words

from .annotated import COMMAND, GLYPHS, LABELLED, BookLine, LineKind, WordsNotation, sign_in_words
from .book import Book, Chapter
from .files import write_new
from .tape import EXPORT_RATE, write_sound

if TYPE_CHECKING:
    from blindplay.speech.synthesis import Synthesiser

SUFFIX = ".mp3"
"""Of the files: every player of spoken books plays it."""
PLAYLIST, CONTENTS = "contents.m3u8", "contents.txt"
_PAUSE_S, _LONG_PAUSE_S = 0.35, 0.8
_MOST_NAMED = 20  # words in a sentence
_MOST_LETTERS = 200  # of what is rendered at once
_TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+|[.,;:!?]|\S")
_MOVE_NUMBER = re.compile(r"(?P<number>\d+)\.(?:\.\.|…)?(?=\S)")
_DATE = re.compile(r"(\d{4})[.-](\d\d)[.-](\d\d)")
_SENTENCE_END = re.compile(r"(?<=[.!?;:,])\s+")
_LINK = re.compile(r"(?:https?://|www\.)\S+")
_PLY = re.compile(r"(?P<number>\d+\. )(?P<rest>.*)")
_COMMON: Mapping[str, str] = {
    "de": "der die das und ist nicht ein eine mit zu auf den von dem sich für auch hier",
    "en": "the and is not a to of with for that this white black but here was be on it",
    "nb": "og det er ikke en et på som av med for til den hvit sort svart her bedre jeg",
    "sv": "och det är inte en ett på som av med för till den vit svart här bättre jag",
    "da": "og det er ikke en et på som af med for til den hvid sort her bedre jeg",
}
"""The commonest words of each language, by which the language of a comment is known."""
_ENOUGH = 2  # of these words more than the book's own language has


class Timbre(Enum):
    """How a passage sounds: its value is by how much it is deeper and slower than the voice."""

    GAME = 1.0
    COMMENT = 1.08
    VARIATION = 0.93


@dataclass(frozen=True)
class Passage:
    """Words that are spoken at once, in one language."""

    words: str
    language: str
    timbre: Timbre = Timbre.GAME
    pause_s: float = _PAUSE_S


@dataclass
class SpokenBook:
    """A book as it is spoken. ``unspoken`` are the words that no voice can say, each once."""

    book: Book
    unspoken: dict[str, None] = field(default_factory=dict)

    def passages(self, chapter: Chapter) -> Iterator[Passage]:
        """All that is spoken of a chapter."""
        pack = self.book.pack
        before = ""
        for line in self.book.lines(chapter, WordsNotation(pack)):
            timbre = Timbre.VARIATION if line.depth else Timbre.GAME
            number, rest = "", line.text
            if line.kind is LineKind.MOVES and (ply := _PLY.fullmatch(line.text)):
                number, rest = ply["number"], ply["rest"]
                rest = rest if number == before else line.text
            before = number
            if line.kind is LineKind.COMMENT:
                word, _colon, text = line.text.partition(": ")
                yield Passage(f"{word}:", pack.code, Timbre.COMMENT)
                yield from self._spoken(text, _language_of(text, pack), Timbre.COMMENT)
            elif line.kind is LineKind.TAG:
                yield from self._tag(line)
            elif line.kind is LineKind.RESULT:
                yield from self._spoken(_result(line.text, pack), pack, Timbre.GAME)
            elif line.kind is LineKind.SECTION:
                yield from self._spoken(rest.replace(".", " "), pack, timbre)
            elif line.kind is LineKind.HEADING:
                yield from self._spoken(rest.replace(" – ", ", "), pack, timbre)
            else:
                yield from self._spoken(rest, pack, timbre)

    def contents(self) -> Iterator[Passage]:
        """What is spoken before the chapters: the title and the table of contents."""
        pack = self.book.pack
        yield from self._spoken(self.book.title, pack, Timbre.GAME)
        yield from self._spoken(f"{pack.sentence('book_contents')}.", pack, Timbre.GAME)
        for one in self.book.chapters:
            yield from self._spoken(one.heading(pack).replace(" – ", ", "), pack, Timbre.GAME)

    def _tag(self, line: BookLine) -> Iterator[Passage]:
        """A tag that people say; programs write many others."""
        pack = self.book.pack
        name, _colon, value = line.text.partition(": ")
        if name not in {pack.sentence(key) for key in LABELLED.values()} | {"Annotator"}:
            return
        if (found := _DATE.fullmatch(value)) is not None:
            with contextlib.suppress(ValueError):
                value = pack.date(datetime.date(*map(int, found.groups())))
        elif name == pack.sentence(LABELLED["Result"]):
            value = _result(value, pack)
        yield from self._spoken(f"{name}: {value}", pack, Timbre.GAME)

    def _spoken(self, text: str, pack: Language, timbre: Timbre) -> Iterator[Passage]:
        words = spoken_text(text, pack, self.unspoken)
        parts = _in_parts(words)
        for at, part in enumerate(parts, 1):
            yield Passage(part, pack.code, timbre, _LONG_PAUSE_S if at == len(parts) else 0.1)


def _result(result: str, pack: Language) -> str:
    return result_in_words(pack, result) if result in ("1-0", "0-1", "1/2-1/2") else result


def spoken_text(text: str, pack: Language, unspoken: dict[str, None]) -> str:
    """A text as a voice can say it: moves, squares and numbers in words. What cannot be said is
    added to ``unspoken``."""
    for link in _LINK.findall(text):
        unspoken[link] = None
    text = COMMAND.sub(lambda found: f" {_drawn(found[0], pack)} ", _LINK.sub(" ", text))
    found: list[str] = []
    for word in text.split():
        found += _spoken_word(word, pack, unspoken)
    said = " ".join(found)
    said = re.sub(r"\s+(?=[.,;:!?])", "", said)
    return re.sub(r"([.,;:!?])[.,;:!?]+", r"\1", said).lstrip(".,;:!? ")


def _drawn(command: str, pack: Language) -> str:
    """The arrows and marked squares of a command in words; nothing for others, such as times."""
    name, _blank, values = command[2:-1].partition(" ")
    said = []
    for value in values.split(","):
        squares = re.findall("[a-h][1-8]", value)
        names = [pack.square(chess.parse_square(one)) for one in squares]
        if name == "cal" and len(names) == 2:
            said.append(pack.sentence("book_arrow", square=names[0], to=names[1]))
        elif name == "csl" and len(names) == 1:
            said.append(pack.sentence("book_marked", square=names[0]))
    return "".join(f"{one}." for one in said)


def _spoken_word(word: str, pack: Language, unspoken: dict[str, None]) -> Iterator[str]:
    opening = re.match(r"[(\[\"'„“«‚‘]*", word)
    bare = word[opening.end() :] if opening else word
    if number := _MOVE_NUMBER.match(bare):
        yield f"{number_in_words(number['number'], pack)}."
        bare = bare[number.end() :]
    closing = re.search(r"[!?]*[)\]\"'“”»’]*[.,;:]*$", bare)
    end = "".join(one for one in closing[0] if one in ".,;:!?")[:1] if closing else ""
    core = bare[: closing.start()] if closing else bare
    if (move := pack.notation_in_words(core)) is not None:
        signs = re.match("[!?]*", closing[0]) if closing else None
        number_of = {sign: number for number, sign in GLYPHS.items()}
        known = number_of.get(signs[0]) if signs else None
        meant = f", {sign_in_words(known, pack)}" if known else ""
        yield f"{move}{meant}{end.strip('!?')}"
        return
    for token in _TOKEN.findall(bare):
        if token.isdecimal():
            yield number_in_words(token, pack)
        elif token in ".,;:!?" or is_words(token, pack.code):
            yield token
        elif token in "abcdefgh":
            yield pack.file(ord(token) - ord("a"))
        elif token[:2].lower() in {f"{file}-" for file in "abcdefgh"}:
            yield pack.file("abcdefgh".index(token[0].lower()))
            yield from _spoken_word(token[2:], pack, unspoken)
        elif any(map(str.isalnum, token)):
            unspoken[token] = None


def _in_parts(words: str) -> list[str]:
    """The words in parts that are rendered at once."""
    parts: list[str] = []
    for sentence in _SENTENCE_END.split(words):
        for word in [sentence] if len(sentence) <= _MOST_LETTERS else sentence.split():
            if parts and len(parts[-1]) + 1 + len(word) <= _MOST_LETTERS:
                parts[-1] += f" {word}"
            else:
                parts.append(word)
    return [part for part in parts if any(map(str.isalpha, part))]


def _language_of(text: str, own: Language) -> Language:
    """The language of a comment, by its commonest words; ``own`` if they do not tell."""
    words = [word.casefold() for word in re.findall(r"[^\W\d_]+", text)]
    counts = {
        code: sum(word in common.split() for word in words) for code, common in _COMMON.items()
    }
    best = max(counts, key=lambda code: counts[code])
    return load(best) if counts[best] >= counts.get(own.code, 0) + _ENOUGH else own


def all_files(book: Book) -> list[str]:
    """The names of all files of a book."""
    return [*file_names(book), PLAYLIST, CONTENTS]


def file_names(book: Book) -> list[str]:
    """The names of the files with sound: of the contents, and of each chapter."""
    width = len(str(max((one.number for one in book.chapters), default=0)))
    names = [f"{'0' * width}-{book.pack.sentence('book_contents')}{SUFFIX}"]
    for one in book.chapters:
        words = re.findall(r"[^\W_]+", one.heading(book.pack).partition(": ")[2])
        names.append("-".join([str(one.number).zfill(width), *words])[:60] + SUFFIX)
    return names


def write_spoken(book: Book, folder: Path, synthesiser: "Synthesiser") -> Iterator[Path]:
    """Write the book as sound into a folder: the contents, each chapter and the list of all files.
    Each path is given when its file is written.

    :raises SynthesisError: if the voice cannot speak.
    :raises ValueError: if a file cannot be written; at the end, if there were words that no voice
        can say.
    """
    spoken = SpokenBook(book)
    files = file_names(book)
    titles = [book.title, *(one.heading(book.pack) for one in book.chapters)]
    lengths = []
    for number, file in enumerate(files):
        passages = spoken.passages(book.chapters[number - 1]) if number else spoken.contents()
        sound = _rendered(passages, synthesiser)
        lengths.append(len(sound) / 2 / EXPORT_RATE)
        write_sound(folder / file, sound, title=titles[number], album=book.title)
        yield folder / file
    playlist = ["#EXTM3U"]
    for file, name, seconds in zip(files, titles, lengths, strict=True):
        playlist += [f"#EXTINF:{seconds:.0f},{name}", file]
    contents = [f"{file}: {name}" for file, name in zip(files, titles, strict=True)]
    for name, lines in ((PLAYLIST, playlist), (CONTENTS, contents)):
        path = folder / name
        try:
            write_new(path, ("\n".join(lines) + "\n").encode())
        except OSError as error:
            raise UserError(
                "{output} cannot be written ({reason}).", output=path, reason=reason_of(error)
            ) from None
        yield path
    if spoken.unspoken:
        words = [*spoken.unspoken][:_MOST_NAMED]
        words += ["…"] * (len(spoken.unspoken) > _MOST_NAMED)
        raise UserError("These words could not be spoken: {words}.", words=", ".join(words))


def _rendered(passages: Iterable[Passage], synthesiser: "Synthesiser") -> bytes:
    """The passages as 16-bit PCM of EXPORT_RATE."""
    parts = []
    for one in passages:
        path = synthesiser.render(one.words, language=one.language, public=True)
        # A sound of more samples, played at the same rate, is slower and deeper.
        parts.append(read_audio(path, round(EXPORT_RATE * one.timbre.value)))
        parts.append(_silence(one.pause_s))
    return b"".join(parts)


@cache
def _silence(seconds: float) -> bytes:
    return bytes(2 * round(seconds * EXPORT_RATE))
