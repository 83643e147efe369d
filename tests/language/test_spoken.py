"""What a voice says and what speech recognition expects of a word are the same sounds."""

import re

import pytest

from blindplay.language import languages, lexicon
from blindplay.language.pack import Pack
from blindplay.speech.synthesis import letters_of, respeller

PHONEMES = re.compile(r"\[\[(.+)\]\]")
VOWEL = re.compile(r"[aeiouyAEIOUYVQW0238@{&]")
SAID = [
    (code, word, found[1])
    for code in languages()
    for word, spoken in Pack.read(code).table("spoken").items()
    if (found := PHONEMES.search(str(spoken)))
]


def sounds(phonemes: str, code: str) -> list[str]:
    """The phonemes one by one, without stress: the longest sounds of the pack that fit."""
    found = lexicon(code)
    known = {sound for word in found.words.values() for one in word for sound in one}
    pattern = "|".join(sorted(map(re.escape, known), key=len, reverse=True))
    bare = re.sub(r"[',]", "", phonemes)
    assert re.fullmatch(rf"(?:{pattern})+", bare), phonemes
    return re.findall(pattern, bare)


@pytest.mark.parametrize(("code", "word", "phonemes"), SAID)
def test_a_voice_says_the_first_pronunciation_of_a_word(
    code: str, word: str, phonemes: str
) -> None:
    # A spelling that nobody listens for, such as Caesar, sounds like one that has a pronunciation.
    heard = lexicon(code).words.get(word)
    first = {tuple(next(iter(one))) for one in ([heard] if heard else lexicon(code).words.values())}
    assert tuple(sounds(phonemes, code)) in first


@pytest.mark.parametrize(("code", "word", "phonemes"), SAID)
def test_phonemes_stress_one_vowel(code: str, word: str, phonemes: str) -> None:
    assert phonemes.count("'") == 1
    assert VOWEL.match(phonemes[phonemes.index("'") + 1])


def test_a_voice_that_knows_no_phonemes_gets_letters() -> None:
    spellings = {"remis": "Remie [[re:m'i:]]", "rochade": "[[rOx'A:d@]]", "hector": "Hektor"}
    assert respeller(spellings)("Remis, Rochade, Hector") == "Remie, rochade, Hektor"
    phonemes = respeller(spellings, phonemes=True)
    assert phonemes("Remis, Rochade, Hector") == "[[re:m'i:]], [[rOx'A:d@]], Hektor"
    assert letters_of("rochade", "[[rOx'A:d@]]") == "rochade"
