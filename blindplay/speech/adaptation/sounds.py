"""The phones of a model that stand for the sounds of another language.

``sounds.toml`` describes the sounds by how they are made. ``bases/*.toml`` say, for models that
were tried with our words, which of the model's phones stand for a sound, and at what cost. In any
other model the most similar phones do, as far as their names are known.
"""

import itertools
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from blindplay.translation import _

from .. import confusions
from .build import Pronunciations
from .kaldi_files import GraphError

Alternatives = Mapping[tuple[str, ...], float]
"""Sequences of a model's phones that one sound may become, with their costs in nats."""

_MOST_VARIANTS = 200  # of one word
_DROPPED = {"h": 1.0, "r": 1.0}  # sounds that many speakers or models omit, and the cost of that


@dataclass(frozen=True)
class PhoneSet:
    """A family of acoustic models with the same phones."""

    name: str
    phones: tuple[str, ...]
    """Their names in the order of their numbers."""
    words: Sequence[str] = ()
    """Words in the vocabulary of such a model, by which it is recognised."""
    places: Mapping[str, Mapping[str, Alternatives]] = field(default_factory=dict)
    """The alternatives of each sound in the places "heard" (anywhere), "first", "last",
    "before_vowel"."""
    slack: float = 1.5
    """The cost of the most expensive variant of a word that is kept, in nats."""
    beam: float = 10.0
    """The decoder's beam, in nats."""
    unknown: float = 2.5
    """The cost of a phone that belongs to no word, in nats."""


@cache
def known_phone_sets() -> Mapping[str, PhoneSet]:
    """Return the models that were tried with our words, by the names of their files: "english"."""
    phone_sets = {}
    entries = files(__package__).joinpath("bases").iterdir()
    for entry in sorted(entries, key=lambda entry: entry.name):
        if entry.name.endswith(".toml"):
            data = tomllib.loads(entry.read_text(encoding="utf-8"))
            data["phones"] = tuple(data["phones"].split())
            data["places"] = {
                place: {sound: _alternatives(text) for sound, text in data.pop(place, {}).items()}
                for place in ("heard", "first", "last", "before_vowel")
            }
            phone_sets[entry.name.removesuffix(".toml")] = PhoneSet(**data)
    return phone_sets


def _alternatives(text: str) -> Alternatives:
    alternatives = {}
    for part in text.split("|"):
        names, _rest, cost = part.partition("+")
        alternatives[tuple(name for name in names.split() if name != "-")] = float(cost or 0)
    return alternatives


def phone_set_of(names: Sequence[str]) -> PhoneSet:
    """Return the phone set of a model whose phones have these names: each sound becomes the most
    similar one. Marks of stress and tone are ignored.

    :raises GraphError: if fewer than three in four names are known.
    """
    known = [name for name in names if sounds_of(name, cmu=_is_cmu(names))]
    if 4 * len(known) < 3 * len(names):
        raise GraphError("The names of this model's phones are not known; name a base instead.")
    return PhoneSet(_("similar sounds"), tuple(names))


@cache
def _phones_by_sounds(names: tuple[str, ...]) -> Mapping[tuple[str, ...], str]:
    """Return the model's phones by the simple sounds that they are made of."""
    cmu = _is_cmu(names)
    made: dict[tuple[str, ...], str] = {}
    for name in sorted(names):  # a stressed vowel before the same without stress
        if parts := sounds_of(name, cmu=cmu):
            made.setdefault(parts, name)
    return made


def translate(variants: Pronunciations, base: PhoneSet) -> dict[tuple[str, ...], float]:
    """Return the pronunciations of one word in the phones of ``base``, the cheapest first. Raises
    GraphError for an unknown sound."""
    costs: dict[tuple[str, ...], float] = {}
    for sounds, cost in variants.items():
        for phones, more in _translate(sounds, base).items():
            costs[phones] = min(cost + more, costs.get(phones, cost + more))
    cheapest = min(costs.values(), default=0.0)
    kept = sorted(costs.items(), key=lambda item: (item[1], item[0]))
    return {p: round(c, 4) for p, c in kept if p and c <= cheapest + base.slack}


def _translate(sounds: tuple[str, ...], base: PhoneSet) -> dict[tuple[str, ...], float]:
    costs: dict[tuple[str, ...], float] = {(): 0.0}
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
        for phones, cost in costs.items():
            for more, extra in heard.items():
                whole = phones + more
                longer[whole] = min(cost + extra, longer.get(whole, cost + extra))
        costs = dict(sorted(longer.items(), key=lambda item: (item[1], item[0]))[:_MOST_VARIANTS])
    return costs


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("sounds.toml").read_text(encoding="utf-8"))


@cache
def is_vowel(sound: str) -> bool:
    """Return whether a sound begins as a vowel."""
    return _data()["joined"].get(sound, sound).split()[0] in _data()["vowels"]


@cache
def sounds_of(name: str, *, cmu: bool = False) -> tuple[str, ...]:
    """Return the simple sounds that a phone of this name is made of; none for an unknown name.

    ``cmu``: the name is of the CMU dictionary, in which N is the n of "no" and not of "long".
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
    """Return the two simple sounds of a joined one ("ts": t and s), or the sound itself."""
    return tuple(str(_data()["joined"].get(sound, sound)).split())


def _is_cmu(phones: Sequence[str]) -> bool:
    return {"AA", "HH"} <= {phone.rstrip("012") for phone in phones}


@cache
def distance(one: str, other: str) -> float:
    """Return how unlike two simple sounds are, in nats: 0 the same, 1 rarely confused, 5 never."""
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
    """Return how unlike two words (as sounds) are, in nats: 0 the same, at most ``most``.

    It is the least cost of turning one into the other by replacing sounds with similar ones and
    omitting some. Vowels count twice. They carry a word through noise, and the words that are
    confused differ in consonants only, such as German "zwei" and "drei" (2.9).

    :raises GraphError: for an unknown sound.
    """
    first, second = _simple(tuple(one)), _simple(tuple(other))
    if abs(len(first) - len(second)) >= most:  # omitting a sound costs 1 or more
        return most
    return min(most, confusions.distance(first, second, _replacing, most))


@cache
def _replacing(sound: str, other: str) -> float:
    """Return the cost of replacing one simple sound with another; either may be NOTHING."""
    if confusions.NOTHING in (sound, other):
        omitted = sound or other
        return 2.0 if is_vowel(omitted) and omitted != "@" else 1.0
    return distance(sound, other) * (1 + (is_vowel(sound) and is_vowel(other)))


@cache
def _simple(sounds: tuple[str, ...]) -> tuple[str, ...]:
    parts = [sounds_of(sound) for sound in sounds]
    if () in parts:
        raise GraphError(
            "{sounds} is not a sound; see blindplay/speech/adaptation/sounds.toml.",
            sounds=repr(sounds[parts.index(())]),
        )
    return tuple(itertools.chain.from_iterable(parts))


@cache
def similar(sound: str, phones: tuple[str, ...]) -> Alternatives:
    """Return the phones of these names that are most like ``sound``, with their costs in nats.

    The most similar one costs nothing; there are at most three.

    :raises GraphError: for an unknown sound.
    """
    target = sounds_of(sound)
    if not target:
        raise GraphError(
            "{sounds} is not a sound; see blindplay/speech/adaptation/sounds.toml.",
            sounds=repr(sound),
        )
    made = {name: parts for parts, name in _phones_by_sounds(tuple(phones)).items()}
    costs: dict[tuple[str, ...], float] = {}
    for name, parts in made.items():
        if len(parts) == len(target):
            costs[name,] = sum(itertools.starmap(distance, zip(target, parts, strict=True)))
        elif len(target) == 1 and len(parts) == 2:
            costs[name,] = distance(target[0], parts[0]) + 0.5
    if len(target) > 1:
        nearest = [
            sorted((distance(part, made[n][0]), n) for n in made if len(made[n]) == 1)[:2]
            for part in target
        ]
        for chosen in itertools.product(*nearest):
            cost = 0.2 + sum(cost for cost, _ in chosen)
            costs[tuple(name for _, name in chosen)] = cost
    if not costs:
        raise GraphError("None of this model's phones has a name that is known.")
    least = min(costs.values())
    if least == 0:
        return {names: 0.0 for names, cost in costs.items() if cost == 0}
    if sound in _DROPPED:
        costs[()] = least + _DROPPED[sound]
    best = sorted(costs.items(), key=lambda item: (item[1], item[0]))[:3]
    return {names: cost - least for names, cost in best if cost <= least + 1.0}
