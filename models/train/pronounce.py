"""Print pronunciations for the words that a language's lexicon lacks, as espeak-ng says them.

    python models/train/pronounce.py LANGUAGE [WORD …]

The lines are for blindplay/language/packs/LANGUAGE.toml. Read them, say them, and add how people
reduce them. Without WORD, all words of the language pack are checked. Needs espeakng-loader.
"""

from __future__ import annotations

import ctypes
import itertools
import re
import sys
from collections.abc import Callable, Iterable

import espeakng_loader

from blindplay import language
from blindplay.language import LanguageError

# Distinctions of espeak-ng that no acoustic model can make.
FOLDED = {
    "R": "r", "r-": "r", "r.": "r", "R2": "r", "*": "r", "UR": "U r", "E2": "E", "E-": "E",
    "pF": "p f", "A~": "a N", "O~": "O N", "W~": "W N", "E~": "E N", "dZ": "d Z", "0": "O",
    "w#": "w",
    "oU": "o:", "e@": "e: @", "a#": "@", "V": "V", "U@": "u: @", "@-": "", "1": "I", "3:": "3:",
    "u": "u:", "i": "i:", "W:": "W", "I2": "I", "tS": "t S", "@2": "@", "@L": "@ l", "x2": "x",
    "@5": "@", "?": "", "I#": "I", "l-": "l", "n-": "n", "m-": "m", "N-": "N", "t#": "t", "d#": "d",
    "e": "e:", "o": "o:", "A@": "A:", "O@": "O:", "O2": "O", "i@": "i: @", "i@3": "i: @",
    "aI@": "aI @", "aU@": "aU @", "aI3": "aI 3", "a2": "a", "aa": "a", "&": "a", "&:": "E:",
    "y": "y", "Y": "W", "o@": "O: r", "OI": "OY", "u-:": "u-", "8:": "8", "s.": "S", "a:": "A:",
    "&#": "a", "W#": "W", "Yy": "OY", "U:": "U", "3-": "r",
    "t2": "t", "z2": "z", "s2": "s", "T": "T", "tS#": "t S", "i2": "i:", "u2": "u:", "A": "a",
}  # fmt: skip


def speaker(voice: str) -> Callable[[str], list[str]]:
    """Return a function that gives a word's phones in espeak-ng's mnemonics."""
    library = ctypes.CDLL(espeakng_loader.get_library_path())
    library.espeak_Initialize(2, 0, str(espeakng_loader.get_data_path()).encode(), 0)
    phonemes = library.espeak_TextToPhonemes
    phonemes.restype = ctypes.c_char_p
    phonemes.argtypes = [ctypes.POINTER(ctypes.c_char_p), ctypes.c_int, ctypes.c_int]
    if library.espeak_SetVoiceByName(voice.encode()) != 0:
        raise ValueError(f"espeak-ng has no voice {voice!r}.")

    def say(word: str) -> list[str]:
        text = ctypes.c_char_p(word.encode())
        told = phonemes(ctypes.byref(text), 1, ord("/") << 8).decode()
        told = re.sub(r"\([a-z-]+\)", "/", told)
        bare = [re.sub(r"[',%=_;!|]", "", part) for part in re.split(r"[/\s]+", told)]
        return [part for part in bare if part and part != ":"]

    return say


OWN = {"en": {"a": "{", "3": "3:"}, "da": {"V": "3"}}
"""Mnemonics that stand for another sound in one language: the a of "man", the er of "springer"."""


def fold(phones: Iterable[str], code: str) -> list[str]:
    """Drop the distinctions that no model hears: Danish stød, long consonants, …"""
    folds = FOLDED | OWN.get(code, {})
    bare = (re.sub(r"^\?(?=.)|(?<=[bdfgklmnprstv]):$", "", phone) for phone in phones)
    folded = [part for phone in bare for part in folds.get(phone, phone).split()]
    return [part for part, _ in itertools.groupby(folded)]


def main(code: str, words: list[str]) -> None:
    try:
        lexicon = language.lexicon(code)
        known = lexicon.words.keys() | lexicon.fillers.keys()
    except LanguageError:
        known = frozenset()
    say = speaker({"en": "en-us"}.get(code, code))
    for word in words or language.load(code).grammar_words():
        if word not in known:
            print(f'"{word}" = "{" ".join(fold(say(word), code))}"')


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
