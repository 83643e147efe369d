"""Pronunciations: none is missing, and each is made of sounds that are known."""

from __future__ import annotations

import pytest

from blindplay import language
from blindplay.language import LanguageError, Lexicon, lexicon
from blindplay.language.pack import Pack, parse_pack

CODES = language.languages()


@pytest.mark.parametrize("code", CODES)
def test_no_word_that_a_table_understands_is_without_pronunciation(code: str) -> None:
    missing = sorted(set(language.load(code).grammar_words()) - lexicon(code).words.keys())
    assert not missing, (
        f"Add these to [pronunciations] of packs/{code}.toml, see models/train/pronounce.py, "
        f"then make model-graph: {missing}"
    )


@pytest.mark.parametrize("code", CODES)
def test_every_square_has_a_name_of_two_words_in_the_lexicon(code: str) -> None:
    found = lexicon(code)
    pack = language.load(code)
    for square in range(64):
        file, rank = pack.square(square).lower().split()
        assert found.squares[f"{file}_{rank}"] == (file, rank)
    assert all(set(parts) <= found.words.keys() for parts in found.squares.values())


@pytest.mark.parametrize("code", CODES)
def test_costs_are_small_and_the_first_pronunciation_is_free(code: str) -> None:
    for variants in lexicon(code).words.values():
        costs = list(variants.values())
        assert costs[0] == 0
        assert all(0 <= cost <= 3 for cost in costs)


def test_the_german_pronunciations_know_reduced_forms_and_other_sayings() -> None:
    words = lexicon("de").words
    assert {("a", "x", "t"), ("a", "x")} <= words["acht"].keys()
    assert ("z", "i:", "b", "m") in words["sieben"]
    assert {("k", "Y:", "n", "I", "C"), ("k", "Y:", "n", "I", "k")} <= words["könig"].keys()
    assert words["zwo"] == {("ts", "v", "o:"): 0.0}
    assert lexicon("de").squares["gustav_zwo"] == ("gustav", "zwo")


@pytest.mark.parametrize("code", CODES)
def test_every_language_has_fillers_none_of_which_is_a_word_of_the_table(code: str) -> None:
    found = lexicon(code)
    assert len(found.fillers) >= 400
    assert not found.fillers.keys() & set(language.load(code).grammar_words())
    # A filler costs something, else people's words are taken for it.
    assert min(cost for variants in found.fillers.values() for cost in variants.values()) == 2.0


@pytest.mark.parametrize("code", CODES)
def test_every_pronunciation_of_a_filler_can_be_heard(code: str) -> None:
    found = lexicon(code)
    ours = {spoken for variants in found.words.values() for spoken in variants}
    # Where a word of the table sounds the same, it is always heard instead.
    overheard = {word for word, variants in found.fillers.items() if ours & variants.keys()}
    assert not overheard


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("de", {"leise", "hafer", "sonne", "aber", "hallo"}),
        ("en", {"hive", "dawn", "gate", "hello", "because"}),
        ("nb", {"ferdig", "stol", "hallo", "fordi"}),
        ("sv", {"torg", "spring", "hej"}),
        ("da", {"fordi", "spring", "hallo", "tyve", "løn"}),
    ],
)
def test_fillers_are_what_is_often_said_and_what_sounds_like_a_word_of_the_table(
    code: str, words: set[str]
) -> None:
    assert words <= lexicon(code).fillers.keys()


def test_an_unknown_language_is_a_sentence() -> None:
    with pytest.raises(LanguageError, match="Unknown language 'xx'"):
        lexicon("xx")


@pytest.mark.parametrize(
    "text",
    [
        '[pronunciations]\nanna = "+0.5"',
        '[pronunciations]\nanna = "a n a +much"',
        "[pronunciations]\nanna = []",
        '[pronunciations]\nAnna = "a n a"',
        '[pronunciations]\nanna = "a n a"\n[fillers]\nanna = "a n a"',
    ],
)
def test_a_lexicon_that_cannot_be_read_is_a_sentence(text: str) -> None:
    said = parse_pack(text.encode(), "packs/de.toml")
    data = {**Pack.read("de").data, "fillers": {}, **said}
    with pytest.raises(LanguageError, match=r"^Correct packs/de.toml"):
        Lexicon.of(Pack("de", data))


def test_a_pack_without_pronunciations_is_a_sentence() -> None:
    data = {k: v for k, v in Pack.read("de").data.items() if k != "pronunciations"}
    with pytest.raises(LanguageError, match="There are no pronunciations"):
        Lexicon.of(Pack("de", data))


def test_a_pack_that_is_no_toml_is_a_sentence() -> None:
    with pytest.raises(LanguageError, match=r"^Correct my.toml, line 2: "):
        parse_pack(b"[pronunciations]\nanna = ", "my.toml")
    with pytest.raises(LanguageError, match="UTF-8"):
        parse_pack("name = 'Français'".encode("latin-1"), "my.toml")
    with pytest.raises(LanguageError):
        parse_pack(b"a = " + b"[" * 100_000, "my.toml")
    with pytest.raises(LanguageError):
        parse_pack(b"a = " + b"9" * 5000, "my.toml")
