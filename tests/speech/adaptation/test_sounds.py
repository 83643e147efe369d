"""The phones of a model stand for sounds: by its own map, or by their names."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay import language
from blindplay.speech import adaptation
from blindplay.speech.adaptation import (
    GraphError,
)
from blindplay.speech.adaptation.sounds import (
    PhoneSet,
    distance,
    known_phone_sets,
    phone_set_of,
    similar,
    sounds_of,
    translate,
)
from tests import ROOT

# German in SAMPA with stress, as the models of Zamia Speech write it; Swedish in the IPA, as gruut
# does, after which Rhasspy's models are trained.
ZAMIA = (
    "a a: aI aU b C d E E: e: @ f g h I i: j k l m n N O OY o: p pf R s S t ts tS u: U v x Y y: "
    "2: 9 z Z 'a 'a: 'E 'E: 'e: 'I 'i: 'O 'o: 'U 'u: 'Y 'y: '2: '9 'aI 'aU 'OY"
)


GRUUT = (
    "ɪ ʏ ʊ ʉː ɑː a eː ɛ ɛː iː oː ɵ øː ɔ œ uː yː ɡ ɕ ɧ b d f h j k l m n ŋ p r s t v ʂ ɖ ɳ ʈ tː ˈɑː²"
)


MODELS = {"german": ZAMIA.split(), "swedish": GRUUT.split()}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_known_by_the_names_of_its_phones(name: str) -> None:
    assert all(sounds_of(phone) for phone in MODELS[name])
    base = phone_set_of(MODELS[name])
    assert (base.name, base.phones) == ("similar sounds", tuple(MODELS[name]))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("code", language.languages())
def test_every_word_of_every_language_can_be_said_in_their_phones(name: str, code: str) -> None:
    base = phone_set_of(MODELS[name])
    lexicon = language.lexicon(code)
    for variants in (*lexicon.words.values(), *lexicon.fillers.values()):
        said = translate(variants, base)
        assert said and min(said.values()) >= 0
        assert all(phone in base.phones for phones in said for phone in phones)


@pytest.mark.parametrize(
    ("name", "code", "word", "phones"),
    [
        ("german", "de", "zwei", "ts v 'aI"),
        ("german", "de", "acht", "'a x t"),
        ("german", "de", "könig", "k '2: n 'I C"),
        ("german", "sv", "sju", "S 'y:"),
        ("german", "en", "three", "s R 'i:"),
        ("swedish", "sv", "sju", "ɧ ʉː"),
        ("swedish", "sv", "två", "t v oː"),
        ("swedish", "nb", "sju", "ʂ ʉː"),  # which Swedes have in "mars"
        ("swedish", "de", "zwei", "t s v a ɪ"),
        ("swedish", "de", "sechs", "s ɛ k s"),
        ("swedish", "de", "könig", "k øː n ɪ k"),
    ],
)
def test_a_word_is_heard_as_its_speakers_say_it(
    name: str, code: str, word: str, phones: str
) -> None:
    said = translate(language.lexicon(code).words[word], phone_set_of(MODELS[name]))
    best = {" ".join(one) for one, cost in said.items() if cost == 0}
    assert phones in best or phones in {one.replace("ˈɑː²", "ɑː") for one in best}, best


def test_a_model_of_our_own_is_heard_by_the_names_of_its_phones_in_any_alphabet(
    tmp_path: Path,
) -> None:
    own = ROOT / "models" / "de"
    shutil.copytree(own, tmp_path / "renamed")
    listed = tmp_path / "renamed" / "graph" / "phones.txt"
    ipa = {"A:": "aː", "E:": "ɛː", "OY": "ɔʏ", "S": "ʃ", "W": "œ", "Y:": "øː", "N": "ŋ", "C": "ç"}
    lines = [line.rsplit("_", 1) for line in listed.read_text("utf-8").splitlines()]
    assert {line[0] for line in lines} >= ipa.keys()
    renamed = ["_".join([ipa.get(line[0], line[0]), *line[1:]]) for line in lines]
    listed.write_text("\n".join(renamed) + "\n", "utf-8")
    lexicon = language.lexicon("de")
    words = adaptation.Vocabulary({**lexicon.words, **lexicon.fillers}, lexicon.squares)
    adaptation.adapt(tmp_path / "renamed", tmp_path / "model", words)
    made, wanted = ((f / "graph" / "HCLr.fst").read_bytes() for f in (tmp_path / "model", own))
    assert len(made) == len(wanted)


ALL_SOUNDS = sorted({s for b in known_phone_sets().values() for s in b.places["heard"]})


@pytest.mark.parametrize("code", language.languages())
def test_every_sound_of_the_lexicons_is_described(code: str) -> None:
    lexicon = language.lexicon(code)
    used = {
        sound
        for variants in [*lexicon.words.values(), *lexicon.fillers.values()]
        for variant in variants
        for sound in variant
    }
    assert all(sounds_of(sound) for sound in used)
    for base in known_phone_sets().values():
        assert used <= base.places["heard"].keys(), "somebody must listen to these"


@pytest.mark.parametrize("name", sorted(known_phone_sets()))
def test_the_maps_of_a_base_name_phones_that_it_has(name: str) -> None:
    base = known_phone_sets()[name]
    for table in base.places.values():
        for sound, alternatives in table.items():
            assert sounds_of(sound)
            assert all(set(phones) <= set(base.phones) for phones in alternatives)
            assert min(alternatives.values()) <= 0.2


@given(st.sampled_from(ALL_SOUNDS), st.sampled_from(ALL_SOUNDS))
def test_likeness_of_sounds_is_mutual_and_a_sound_is_like_itself(one: str, other: str) -> None:
    for a, b in itertools.product(sounds_of(one), sounds_of(other)):
        assert distance(a, b) == distance(b, a) >= 0
        assert (distance(a, b) == 0) <= (a == b or {a, b} == {"C", "sx"})


def test_similar_sounds_stand_for_those_that_a_model_lacks() -> None:
    cmu = known_phone_sets()["english"].phones
    assert all(sounds_of(phone, cmu=True) for phone in cmu)
    best = {sound: min(similar(sound, cmu).items(), key=lambda item: item[1])[0]
            for sound in ("S", "aI", "x", "y:", "N", "i:", "ts", "3")}  # fmt: skip
    assert best["S"] == ("SH",) and best["aI"] == ("AY",) and best["N"] == ("NG",)
    assert best["i:"] == ("IY",) and best["ts"] == ("T", "S")
    assert best["y:"] in {("IY",), ("UW",)} and best["x"] in {("K",), ("HH",), ("SH",)}
    # What a model has by name is not mistaken for anything else.
    sampa = ("a", "a:", "'a:", "S", "s", "aI", "n", "N", "t")
    assert similar("A:", sampa) == {("'a:",): 0.0}
    assert similar("aI", sampa) == {("aI",): 0.0}


def test_the_phones_of_a_model_are_known_by_their_names_or_not_at_all() -> None:
    assert phone_set_of(("AA0", "AA1", "HH", "t")).name == "similar sounds"
    with pytest.raises(GraphError, match="names of this model's phones are not known"):
        phone_set_of(("p1", "q", "§", "t"))


def test_translated_pronunciations_are_sorted_and_none_is_too_dear() -> None:
    base = PhoneSet("b", ("A:", "t", "D"), places={
        "heard": {"a": {("A:",): 0.0}, "t": {("t",): 0.0, ("D",): 0.7}},
        "last": {"t": {("t",): 0.0, (): 1.0}},
    }, slack=1.5)  # fmt: skip
    assert list(translate({("t", "a", "t"): 0.0}, base).items()) == [
        (("t", "A:", "t"), 0.0),
        (("D", "A:", "t"), 0.7),
        (("t", "A:"), 1.0),
    ]
