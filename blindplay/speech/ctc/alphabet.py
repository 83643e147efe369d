"""The outputs of a network: letters, or pieces of words, and how they spell a word."""

import json
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ..models.folders import ModelError

GAP = "▁"
"""The mark between words, alone or at the beginning of a piece; also SentencePiece's."""
MOST_OUTPUTS = 65_536
MOST_BYTES = 8 << 20
"""A vocabulary or lexicon of more bytes is not a vocabulary."""
_GAPS = ("|", "<space>", " ")  # other names of GAP
_BLANKS = ("<blk>", "<blank>", "<pad>", "[PAD]", "<ctc>")
_FIRST_PHONE = 0xE000  # a private letter for each output whose name is not what it spells
VOCABULARIES = ("vocab.txt", "tokens.txt", "vocab.json")
LEXICON = "lexicon.txt"

PieceTree = dict[str, tuple["PieceTree", list[int]]]
"""The pieces that go on with each letter, and the outputs that end with it."""


@dataclass(frozen=True)
class Alphabet:
    """The texts that the outputs of a network stand for.

    ``texts`` has the text of each output in small letters, GAP for the space between words, ""
    for an output that stands for no text. ``blank`` is the output that means nothing new.
    ``lexicon`` has the spellings of words for a network whose outputs are not letters, such as
    phones; it is empty for all others.
    """

    texts: tuple[str, ...]
    blank: int
    lexicon: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def pieces(self) -> PieceTree:
        """Return the tree of the pieces that spell words."""
        tree: PieceTree = {}
        for output, text in enumerate(self.texts):
            branch = tree
            for letter in text[:-1]:
                branch = branch.setdefault(letter, ({}, []))[0]
            if text:
                branch.setdefault(text[-1], ({}, []))[1].append(output)
        return tree

    @cached_property
    def _letters(self) -> frozenset[str]:
        return frozenset("".join(self.texts)) - {GAP}

    def spellings(self, word: str, *others: str) -> tuple[str, ...]:
        """Return how the outputs can spell ``word``, and ``others`` that sound like it; none if
        they cannot spell any of them."""
        if self.lexicon:
            return self.lexicon.get(word, ())
        candidates = (self._spelled(one) for one in (word, *others))
        return tuple(dict.fromkeys(one for one in candidates if one))

    def _spelled(self, word: str) -> str:
        """Return the word in letters of the outputs, "" if it cannot be spelled. Accents that the
        network does not know are left out."""
        letters = ""
        for letter in word.lower():
            if letter in self._letters:
                letters += letter
            elif letter.isalpha():
                plain = unicodedata.normalize("NFKD", letter)[0]
                plain = {"ß": "ss", "æ": "ae", "ø": "o"}.get(letter, plain)
                if not set(plain) <= self._letters:
                    return ""
                letters += plain
            elif letter.isspace() or letter.isdigit():
                return ""
        return letters if letters and self._divisible(letters) else ""

    def _divisible(self, letters: str) -> bool:
        """Return whether the pieces can be put together to these letters, perhaps after a GAP."""
        text, reached = GAP + letters, {0, 1}
        for start in range(len(text)):
            branch = self.pieces if start in reached else {}
            for end in range(start, len(text)):
                if text[end] not in branch:
                    break
                branch, outputs = branch[text[end]]
                if outputs:
                    reached.add(end + 1)
        return len(text) in reached


def read_alphabet(folder: Path) -> Alphabet:
    """Return the alphabet of the network in ``folder``: of vocab.txt or tokens.txt (NeMo,
    onnx-asr, sherpa-onnx) or vocab.json (Hugging Face), and lexicon.txt if there is one.

    Raises ModelError.
    """
    file = next((folder / one for one in VOCABULARIES if (folder / one).is_file()), None)
    if file is None:
        raise ModelError(
            f"{folder} has no vocabulary: put {', '.join(VOCABULARIES[:-1])} or {VOCABULARIES[-1]} "
            "of the network beside its model.onnx."
        )
    names = _from_json(file) if file.suffix == ".json" else _from_lines(file)
    if sorted(names.values()) != list(range(len(names))) or not 2 <= len(names) <= MOST_OUTPUTS:
        raise _damaged(file)
    ordered = sorted(names, key=lambda name: names[name])
    blank = _blank(folder, names)
    if blank is None:
        raise _damaged(file)
    lexicon = folder / LEXICON
    if lexicon.is_file():
        return _with_lexicon(lexicon, ordered, blank)
    texts = [_text(name) if output != blank else "" for output, name in enumerate(ordered)]
    if not any(text.strip(GAP) for text in texts):
        raise _damaged(file)
    return Alphabet(tuple(texts), blank)


def _text(name: str) -> str:
    if name in _GAPS:
        return GAP
    special = len(name) > 2 and (name[0], name[-1]) in (("<", ">"), ("[", "]"))
    return "" if special else name.lower().replace(" ", GAP)


def _blank(folder: Path, names: Mapping[str, int]) -> int | None:
    """Return the output that means nothing new: the one that is called so, or the one that the
    configuration pads with, as Hugging Face trains; the last resort is <s> as in fairseq2."""
    for name in _BLANKS[:2]:
        if name in names:
            return names[name]
    config = folder / "config.json"
    if config.is_file():
        pad = read_json(config).get("pad_token_id")
        if isinstance(pad, int) and 0 <= pad < len(names):
            return pad
    if (folder / "tokens.txt").is_file() and names.get("<s>") == 0:
        return 0
    return next((names[name] for name in _BLANKS[2:] if name in names), None)


def _from_json(file: Path) -> dict[str, int]:
    read = read_json(file)
    names = {name: number for name, number in read.items() if isinstance(number, int)}
    if len(names) < len(read):
        raise _damaged(file)
    return names


def _from_lines(file: Path) -> dict[str, int]:
    names: dict[str, int] = {}
    for line in _read(file).splitlines():
        name, _, number = line.rpartition(" ")
        if not line.strip():
            continue
        if not number.isdecimal() or len(number) > 6 or name in names:
            raise _damaged(file)
        names[name or " "] = int(number)
    return names


def _with_lexicon(file: Path, names: list[str], blank: int) -> Alphabet:
    """Return an alphabet in which each output is a letter of its own, and words are spelled as the
    lexicon says: a line for each spelling, the word and the names of outputs."""
    letters = {name: chr(_FIRST_PHONE + output) for output, name in enumerate(names)}
    texts = tuple(
        "" if output == blank else GAP if name in _GAPS else letters[name]
        for output, name in enumerate(names)
    )
    spellings: dict[str, list[str]] = {}
    for line in _read(file).splitlines():
        word, *phones = line.split()[:65] or [""]
        if not set(phones) <= letters.keys():
            raise _damaged(file)
        if phones:
            spellings.setdefault(word.lower(), []).append("".join(letters[one] for one in phones))
    return Alphabet(texts, blank, {word: tuple(dict.fromkeys(s)) for word, s in spellings.items()})


def read_json(file: Path) -> dict[str, object]:
    """Return the JSON object in a file. Raises ModelError."""
    try:
        read = json.loads(_read(file))
    except (ValueError, RecursionError):
        read = None
    if not isinstance(read, dict):
        raise _damaged(file)
    return read


def _read(file: Path) -> str:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise _damaged(file)
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        raise _damaged(file) from None


def _damaged(file: Path) -> ModelError:
    return ModelError(
        f"{file} is damaged, or is of no network that BlindPlay knows; fetch the model again."
    )


def known_words(alphabet: Alphabet, words: Iterable[str]) -> list[str]:
    """Return those of ``words`` that the alphabet can spell, sorted, each once."""
    return sorted({word for word in words if alphabet.spellings(word)})
