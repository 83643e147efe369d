"""How an acoustic model of one language hears the sounds of another.

``sounds.toml`` describes the sounds by how they are made; ``bases/*.toml`` say, for models that
somebody has listened to, which of the model's phones stand for a sound and at what cost. For any
other model the most similar of its phones do, as far as their names can be known.
"""

from __future__ import annotations

import itertools
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from .build import Pronunciations
from .kaldi_files import GraphError

Alternatives = Mapping[tuple[str, ...], float]
"""Sequences of a model's phones that one sound may be, with their costs in nats."""

_MOST = 200  # variants of one word that are looked at
_DROPPED = {"h": 1.0, "r": 1.0}  # sounds that many speakers or models leave out, and the cost


@dataclass(frozen=True)
class PhoneSet:
    """A family of acoustic models with the same phones.

    ``phones`` are the names in the order of their numbers. ``words`` occur in the vocabulary of
    such a model, by which it is known. ``places`` maps "heard", "first", "last" and "before_vowel"
    to what a sound is heard as there. ``slack`` is the dearest variant of a word kept, ``beam`` the
    decoder's beam, ``unknown`` the cost of a phone that belongs to no word, all in nats.
    """

    name: str
    phones: tuple[str, ...]
    words: tuple[str, ...] = ()
    places: Mapping[str, Mapping[str, Alternatives]] = field(default_factory=dict)
    slack: float = 1.5
    beam: float = 10.0
    unknown: float = 2.5


@cache
def known_phone_sets() -> Mapping[str, PhoneSet]:
    """The models that somebody has listened to, by the names of their files: "english"."""
    return {
        name: PhoneSet(
            **{
                **data,
                "phones": tuple(data["phones"].split()),
                "words": tuple(data["words"]),
                "places": places,
            }
        )
        for name, (data, places) in _files().items()
        if "phones" in data
    }


@dataclass(frozen=True)
class Family:
    """Models of one language, whatever their phones: what sounds are heard as, in sounds.

    Such a model has phones for all the simple sounds in ``marks``, and for none in ``lacks``.
    """

    name: str
    marks: frozenset[str]
    lacks: frozenset[str]
    places: Mapping[str, Mapping[str, Alternatives]]


@cache
def families() -> Mapping[str, Family]:
    """The languages whose models are known by the names of their phones, by their files' names."""
    return {
        name: Family(
            data["name"],
            frozenset(data["marks"].split()),
            frozenset(data["lacks"].split()),
            places,
        )
        for name, (data, places) in _files().items()
        if "marks" in data
    }


@cache
def _files() -> Mapping[str, tuple[Mapping[str, Any], Mapping[str, Mapping[str, Alternatives]]]]:
    """The files in ``bases`` in alphabetical order: their other keys, and their maps."""
    found = {}
    entries = files(__package__).joinpath("bases").iterdir()
    for entry in sorted(entries, key=lambda entry: entry.name):
        if entry.name.endswith(".toml"):
            data = tomllib.loads(entry.read_text(encoding="utf-8"))
            places = {
                place: {sound: _alternatives(text) for sound, text in data.pop(place, {}).items()}
                for place in ("heard", "first", "last", "before_vowel")
            }
            found[entry.name.removesuffix(".toml")] = data, places
    return found


def _alternatives(text: str) -> Alternatives:
    found = {}
    for part in text.split("|"):
        names, _, cost = part.partition("+")
        found[tuple(name for name in names.split() if name != "-")] = float(cost or 0)
    return found


def phone_set_of(names: Sequence[str], *, by_language: bool = True) -> PhoneSet:
    """A base whose phones have these names, if enough of them can be known.

    ``by_language``: it is of the family whose marks its phones bear, if of any; else all sounds
    are heard as what is most like them. Marks of stress and tone are disregarded. Raises
    GraphError when fewer than three in four are known.
    """
    known = [name for name in names if sounds_of(name, cmu=_is_cmu(names))]
    if 4 * len(known) < 3 * len(names):
        raise GraphError("The names of this model's phones are not known; name a base instead.")
    phones = _phones_by_sounds(tuple(names))
    for family in families().values() if by_language else ():
        if all((sound,) in phones for sound in family.marks) and not any(
            (sound,) in phones for sound in family.lacks
        ):
            places = {
                place: {
                    sound: heard
                    for sound, alternatives in sounds.items()
                    if (heard := _in_phones(alternatives, phones))
                }
                for place, sounds in family.places.items()
            }
            return PhoneSet(family.name, tuple(names), places=places)
    return PhoneSet("similar sounds", tuple(names))


@cache
def _phones_by_sounds(names: tuple[str, ...]) -> Mapping[tuple[str, ...], str]:
    """The model's phone for the simple sounds that it is made of, in small alphabetical order."""
    cmu = _is_cmu(names)
    made: dict[tuple[str, ...], str] = {}
    for name in sorted(names):  # a stressed vowel before the same without stress
        if parts := sounds_of(name, cmu=cmu):
            made.setdefault(parts, name)
    return made


def _in_phones(alternatives: Alternatives, phones: Mapping[tuple[str, ...], str]) -> Alternatives:
    """Alternatives in sounds, in a model's phones: those that it has, the cheapest for nothing."""
    found: dict[tuple[str, ...], float] = {}
    for sounds, cost in alternatives.items():
        heard: list[str] = []
        for sound in sounds:
            parts = simple_sounds(sound)
            one = phones.get(parts)
            heard += [one] if one else [phones.get((part,), "") for part in parts]
        if all(heard):
            found.setdefault(tuple(heard), cost)
    least = min((cost for names, cost in found.items() if names), default=None)
    return {} if least is None else {n: max(0.0, cost - least) for n, cost in found.items()}


# ------------------------------------------------------------------ words


def translate(variants: Pronunciations, base: PhoneSet) -> dict[tuple[str, ...], float]:
    """The pronunciations of one word in the phones of ``base``, cheapest first.

    Raises GraphError for a sound that is not known.
    """
    found: dict[tuple[str, ...], float] = {}
    for sounds, cost in variants.items():
        for phones, more in _translate(sounds, base).items():
            found[phones] = min(cost + more, found.get(phones, cost + more))
    cheapest = min(found.values(), default=0.0)
    kept = sorted(found.items(), key=lambda item: (item[1], item[0]))
    return {p: round(c, 4) for p, c in kept if p and c <= cheapest + base.slack}


def _translate(sounds: tuple[str, ...], base: PhoneSet) -> dict[tuple[str, ...], float]:
    found: dict[tuple[str, ...], float] = {(): 0.0}
    for number, sound in enumerate(sounds):
        places = ["heard"]
        if number + 1 < len(sounds) and is_vowel(sounds[number + 1]):
            places.append("before_vowel")
        if number + 1 == len(sounds):
            places.append("last")
        if number == 0:
            places.append("first")
        tables = [base.places.get(place, {}) for place in reversed(places)]
        heard = next((t[sound] for t in tables if sound in t), None)
        if heard is None:
            heard = similar(sound, base.phones)
        longer: dict[tuple[str, ...], float] = {}
        for phones, cost in found.items():
            for more, extra in heard.items():
                whole = phones + more
                longer[whole] = min(cost + extra, longer.get(whole, cost + extra))
        found = dict(sorted(longer.items(), key=lambda item: (item[1], item[0]))[:_MOST])
    return found


# ------------------------------------------------------------------ sounds


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("sounds.toml").read_text(encoding="utf-8"))


@cache
def is_vowel(sound: str) -> bool:
    """Whether a sound begins as a vowel."""
    return _data()["joined"].get(sound, sound).split()[0] in _data()["vowels"]


@cache
def sounds_of(name: str, *, cmu: bool = False) -> tuple[str, ...]:
    """The simple sounds that a phone of this name is made of; empty when the name is not known.

    ``cmu``: it is one of the CMU dictionary's, in which N is the n of "no" and not of "long".
    """
    data = _data()
    simple = data["vowels"] | data["consonants"]
    bare = name.strip("\"'ˈˌ_%²")
    for form in (name, bare, bare.rstrip("012"), bare.rstrip("ː")):
        text = data["cmu"].get(form, "") if cmu else data["names"].get(form, form)
        parts = " ".join(data["joined"].get(part, part) for part in text.split()).split()
        if parts and all(part in simple for part in parts):
            return tuple(parts)
    return ()


def simple_sounds(sound: str) -> tuple[str, ...]:
    """The two simple sounds of a joined one ("ts": t and s), or the sound itself."""
    return tuple(str(_data()["joined"].get(sound, sound)).split())


def _is_cmu(phones: Sequence[str]) -> bool:
    return {"AA", "HH"} <= {phone.rstrip("012") for phone in phones}


@cache
def distance(one: str, other: str) -> float:
    """How unlike two simple sounds are, in nats: 0 the same, 1 rarely mistaken, 5 never."""
    if one == other:
        return 0.0
    data = _data()
    vowels, consonants = data["vowels"], data["consonants"]
    if one in vowels and other in vowels:
        weights = (0.45, 0.3, 0.3, 0.2)
        pairs = zip(weights, vowels[one], vowels[other], strict=True)
        return float(sum(weight * abs(a - b) for weight, a, b in pairs))
    if one in consonants and other in consonants:
        (place, manner, voiced), (place2, manner2, voiced2) = consonants[one], consonants[other]
        unlike = 0.0
        if manner != manner2:
            manners = data["manners"]
            unlike = manners.get(f"{manner} {manner2}", manners.get(f"{manner2} {manner}", 1.2))
        return float(min(1.2, 0.25 * abs(place - place2)) + unlike + 0.4 * abs(voiced - voiced2))
    half = data["half"]
    return float(half.get(f"{one} {other}", half.get(f"{other} {one}", 5.0)))


def unlikeness(one: Sequence[str], other: Sequence[str], most: float = math.inf) -> float:
    """How unlike two words sound, given as sounds, in nats: 0 the same; ``most`` if it is more.

    The least that it costs to turn one into the other by exchanging sounds for similar ones and
    leaving some out. Vowels count twice: they carry a word through noise, and words that differ in
    consonants only, such as German "zwei" and "drei" (2.9), are those that are mistaken for each
    other. Raises GraphError for a sound unknown.
    """
    first, second = _simple(tuple(one)), _simple(tuple(other))
    if abs(len(first) - len(second)) >= most:  # leaving out a sound costs 1 and more
        return most
    row = list(itertools.accumulate((_left_out(sound) for sound in second), initial=0.0))
    for sound in first:
        above, row = row, [row[0] + _left_out(sound)]
        for number, heard in enumerate(second):
            row.append(
                min(
                    above[number]
                    + distance(sound, heard) * (1 + (is_vowel(sound) and is_vowel(heard))),
                    above[number + 1] + _left_out(sound),
                    row[number] + _left_out(heard),
                )
            )
        if min(row) >= most:
            return most
    return min(row[-1], most)


@cache
def _simple(sounds: tuple[str, ...]) -> tuple[str, ...]:
    found = [sounds_of(sound) for sound in sounds]
    if () in found:
        raise GraphError(
            f"{sounds[found.index(())]!r} is no sound; see blindplay/speech/adaptation/sounds.toml."
        )
    return tuple(itertools.chain.from_iterable(found))


@cache
def _left_out(sound: str) -> float:
    return 2.0 if is_vowel(sound) and sound != "@" else 1.0


@cache
def similar(sound: str, phones: tuple[str, ...]) -> Alternatives:
    """The phones, of those named, that are most like ``sound``, with their costs in nats.

    The likest costs nothing; at most three are given. Raises GraphError for a sound unknown.
    """
    target = sounds_of(sound)
    if not target:
        raise GraphError(f"{sound!r} is no sound; see blindplay/speech/adaptation/sounds.toml.")
    made = {name: parts for parts, name in _phones_by_sounds(tuple(phones)).items()}
    found: dict[tuple[str, ...], float] = {}
    for name, parts in made.items():
        if len(parts) == len(target):
            found[name,] = sum(itertools.starmap(distance, zip(target, parts, strict=True)))
        elif len(target) == 1 and len(parts) == 2:
            found[name,] = distance(target[0], parts[0]) + 0.5
    if len(target) > 1:
        likest = [
            sorted((distance(part, made[n][0]), n) for n in made if len(made[n]) == 1)[:2]
            for part in target
        ]
        for chosen in itertools.product(*likest):
            cost = 0.2 + sum(cost for cost, _ in chosen)
            found[tuple(name for _, name in chosen)] = cost
    if not found:
        raise GraphError("None of this model's phones has a name that is known.")
    least = min(found.values())
    if least == 0:
        return {names: 0.0 for names, cost in found.items() if cost == 0}
    if sound in _DROPPED:
        found[()] = least + _DROPPED[sound]
    best = sorted(found.items(), key=lambda item: (item[1], item[0]))[:3]
    return {names: cost - least for names, cost in best if cost <= least + 1.0}
