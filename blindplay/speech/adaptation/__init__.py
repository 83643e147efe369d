"""Our words on any Vosk model: its acoustics are kept, its graph is written anew.

A Vosk model hears phones, and a graph (see :mod:`.files`) makes words of them. Given how our words
are pronounced, a graph of them alone can be written for a model of any language, in a second,
without Kaldi. So a language for which nobody has made a model is heard with that of a neighbour.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from .build import GraphCosts, Pronunciations, Vocabulary, any_words, build, word_starts
from .contexts import Contexts, SeenContexts, walk
from .kaldi_files import (
    GraphError,
    Phones,
    Transitions,
    read_graph,
    read_phones,
    read_symbols,
    read_transitions,
    spoken_places,
    write_words,
)
from .phone_names import names_heard
from .sounds import PhoneSet, bases, named_base, translate

__all__ = [
    "ADAPTED",
    "AdaptationReport",
    "GraphError",
    "Pronunciations",
    "Vocabulary",
    "adapt",
    "phones_of",
    "pronounced",
]

ADAPTED = "adapted.json"
"""The file in an adapted model's folder that tells what it was made of: a Report in JSON."""

# What its base's graph showed, which its own does not: so that it can be given other words.
_KEPT = "contexts.npz"

# A model of our own: its phones cost their pauses nothing, and it was trained on much noise.
_OWN = GraphCosts(unknown=3.0, silence=0.5)
# With people's models silence must be nearly free: else the room's noise before a word is taken
# for speech, and the model gets used to it as if it were the speaker's voice.
_SILENCE = 0.99

# Wider lattices bring hardly anything, and take seconds when many variants are alike. Kaldi's usual
# 20 frames at a time spend more on fetching the network's weights than on using them; with 51,
# half a second, the same is heard (models/README.md) for a fifth less work.
_DECODER = {"lattice-beam": "5.0", "max-active": "5000", "frames-per-chunk": "51"}
_OLD_DECODER = {
    "min-active": "200",
    "acoustic-scale": "1.0",
    "frame-subsampling-factor": "3",
    "endpoint.silence-phones": "1:2:3:4:5:6:7:8:9:10",
    "endpoint.rule2.min-trailing-silence": "0.5",
    "endpoint.rule3.min-trailing-silence": "0.75",
    "endpoint.rule4.min-trailing-silence": "1.0",
}  # what Vosk itself says for models that lack conf/model.conf


@dataclass(frozen=True)
class AdaptationReport:
    """What was written. ``base`` is the family of models the base was taken for; words include
    tokens; ``contexts`` are the pairs of phones that the base's graph showed, ``guessed`` those
    that were needed and it did not show."""

    base: str
    words: int
    pronunciations: int
    states: int
    arcs: int
    contexts: int
    guessed: int


def adapt(
    base: Path,
    output: Path,
    vocabulary: Vocabulary,
    *,
    family: str | None = None,
    lexicons: Iterable[Mapping[str, Pronunciations]] = (),
    more: Mapping[str, Pronunciations] | None = None,
) -> AdaptationReport:
    """Write into the new folder ``output`` a model with the acoustics of ``base`` and our words.

    ``base`` may have been adapted before. ``more`` are further words, or further pronunciations of
    the same, in the phones of ``base`` (see `phones_of`).

    The acoustic files are hard links where the file system has them, else copies. ``family`` names
    one of :func:`.sounds.bases`; by default the model is looked at. ``lexicons`` are words of any
    languages, by which the phones of a model that names none may be known. A model of our own can
    be given as its own ``output``: only its graph is then written, and the same vocabulary gives
    the same bytes anywhere. Takes a second or two.

    Raises GraphError when the base cannot be read or understood, a word cannot be said in its
    phones, or ``output`` is there already.
    """
    acoustic = _file(base, "am/final.mdl")
    transitions = read_transitions(acoustic)
    seen: SeenContexts | None = None
    if (base / ADAPTED).is_file():
        heard, phones, seen = _as_adapted(base)
    else:
        heard, phones = _heard(base, family, transitions, lexicons)
    free = Contexts.are_free(transitions)
    in_place = output.is_dir() and output.samefile(base)
    if in_place and not free:
        raise GraphError("A model's own graph tells how it hears: give another folder for output.")
    if output.exists() and not in_place:
        raise GraphError(f"{output} is there already: remove it, or name another folder.")
    if not free and seen is None:
        seen = walk(transitions, read_graph(_file(base, "graph/HCLr.fst")))
    contexts = Contexts(transitions, phones, seen)
    words = {word: translate(variants, heard) for word, variants in vocabulary.words.items()}
    for word, variants in (more or {}).items():
        words[word] = _cheapest(words.get(word, {}), variants)
    if silent := [word for word, variants in words.items() if not variants]:
        raise GraphError(f"Nothing is left of {silent[0]!r} in the phones of {base}.")
    costs = _OWN if free else GraphCosts(unknown=heard.unknown, silence=_SILENCE)
    filler = [
        name
        for name in phones.names
        if contexts.heard(name) and all((name, place) in phones.id for place in "BIE")
    ]
    fst, start, listed = build(
        Vocabulary(words, vocabulary.tokens), transitions, phones, contexts, costs, filler
    )
    report = AdaptationReport(
        heard.name,
        len(listed) - 1,
        sum(map(len, words.values())),
        len(fst.arcs),
        sum(map(len, fst.arcs)),
        contexts.known,
        len(contexts.unseen),
    )

    def write(folder: Path) -> None:
        fst.write(folder / "graph" / "HCLr.fst", start=start)
        any_words(len(listed) - 1).write(folder / "graph" / "Gr.fst", sorted_by_output=False)
        write_words(folder / "graph" / "words.txt", listed)
        (folder / "graph" / "disambig_tid.int").write_bytes(b"")

    if in_place:
        write(output)
        return report
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=".adapting-") as made:
        folder = Path(made) / "model"
        _acoustics(base, folder, heard)
        boundary = folder / "graph" / "phones" / "word_boundary.int"
        if free:
            _link(_file(base, "graph/phones/word_boundary.int"), boundary.parent)
            _link(_file(base, "graph/phones.txt"), folder / "graph")
        else:
            kinds = word_starts(phones).items()
            lines = "".join(f"{number} {kind}\n" for number, kind in kinds)
            boundary.write_text(lines, encoding="utf-8", newline="\n")
            _keep(folder / "graph" / _KEPT, phones, contexts)
        write(folder)
        (folder / ADAPTED).write_text(json.dumps(asdict(report)) + "\n", encoding="utf-8")
        folder.rename(output)
    return report


def phones_of(model: Path) -> list[str]:
    """The names of the phones of a model that was adapted or is our own, silence not among them.

    Raises GraphError when they cannot be read.
    """
    if (model / ADAPTED).is_file() and (model / "graph" / _KEPT).is_file():
        return _as_adapted(model)[1].names
    boundary = _file(model, "graph/phones/word_boundary.int")
    return read_phones(boundary, _file(model, "graph/phones.txt")).names


def pronounced(
    model: Path, words: Mapping[str, Pronunciations]
) -> dict[str, dict[tuple[str, ...], float]]:
    """The pronunciations of ``words`` in the phones of ``model``, adapted or our own.

    Raises GraphError when the model cannot be read, or a sound is not known.
    """
    if (model / ADAPTED).is_file():
        heard = _as_adapted(model)[0]
    else:
        heard = _heard(model, None, read_transitions(_file(model, "am/final.mdl")), ())[0]
    return {word: translate(variants, heard) for word, variants in words.items()}


def _cheapest(one: Pronunciations, other: Pronunciations) -> dict[tuple[str, ...], float]:
    return {
        phones: min(of[phones] for of in (one, other) if phones in of)
        for phones in (*one, *(phones for phones in other if phones not in one))
    }


def _keep(file: Path, phones: Phones, contexts: Contexts) -> None:
    """Write what an adapted model's own graph does not show of its base."""
    places = [(name, place, str(number)) for (name, place), number in phones.id.items()]
    rows = [(*pair, count) for pair, count in contexts.seen.items()]
    np.savez_compressed(
        file, places=np.array(places), silence=phones.silence, seen=np.array(rows, np.int64)
    )


def _as_adapted(model: Path) -> tuple[PhoneSet, Phones, SeenContexts | None]:
    """What was kept of the base of an adapted model; of a model of our own, its graph tells all."""
    try:
        family = json.loads((model / ADAPTED).read_text(encoding="utf-8"))["base"]
        if not (model / "graph" / _KEPT).is_file():
            boundary, listed = (
                _file(model, f"graph/{name}") for name in ("phones/word_boundary.int", "phones.txt")
            )
            phones, seen = read_phones(boundary, listed), None
        else:
            with np.load(model / "graph" / _KEPT, allow_pickle=False) as kept:
                ids = {(str(n), str(place)): int(number) for n, place, number in kept["places"]}
                phones = Phones(ids, int(kept["silence"]))
                seen = {(int(left), int(state)): int(n) for left, state, n in kept["seen"]}
        known = bases()
        heard = known[family] if family in known else named_base(tuple(phones.names))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise GraphError(
            f"{model} was adapted by an older version, or is damaged: give the model it was made "
            "of."
        ) from error
    return heard, phones, seen


def _file(base: Path, name: str) -> Path:
    """A file of a model in Vosk's layout, or in the older one without folders."""
    for path in (base / name, base / Path(name).name):
        if path.is_file():
            return path
    raise GraphError(f"{base} has no {name}: give the folder of an unpacked small Vosk model.")


def _heard(
    base: Path,
    family: str | None,
    transitions: Transitions,
    lexicons: Iterable[Mapping[str, Pronunciations]],
) -> tuple[PhoneSet, Phones]:
    """What the base hears sounds as, and its phones."""
    known = bases()
    boundary = _file(base, "graph/phones/word_boundary.int")
    listed = next(
        (p for p in (base / "graph" / "phones.txt", base / "phones.txt") if p.is_file()), None
    )
    if family is not None and family not in known:
        raise GraphError(f"There is no base {family!r}: choose one of {', '.join(sorted(known))}.")
    if listed is not None:
        phones = read_phones(boundary, listed)
        names = tuple(phones.names)
        same = [one for one in known.values() if set(one.phones) == set(names)]
        if family is not None:
            return known[family], phones
        # A model of our own has our sounds, each as it is.
        own = Contexts.are_free(transitions)
        return same[0] if same else named_base(names, by_language=not own), phones
    places = spoken_places(boundary)
    number = len(places) // 4
    labels = _labels(base)
    fitting = [
        one
        for name, one in known.items()
        if name == family
        or (family is None and len(one.phones) == number and labels.keys() >= set(one.words))
    ]
    if fitting:
        return fitting[0], read_phones(boundary, None, fitting[0].phones)
    lexicon = max(lexicons, key=lambda words: len(words.keys() & labels) / len(words), default={})
    try:
        graph = read_graph(_file(base, "graph/HCLr.fst"))
        names = names_heard(graph, transitions, places, labels, lexicon)
        return named_base(names), read_phones(boundary, None, names)
    except GraphError:
        raise GraphError(
            f"Nothing tells what the {number} phones of {base} are called: put its phones.txt into "
            f"its folder graph, or name the base it is like ({', '.join(sorted(known))})."
        ) from None


def _labels(base: Path) -> dict[str, int]:
    """The numbers of the model's own words, which are in a file of their own or in its grammar."""
    for path in (base / "graph" / "words.txt", base / "words.txt"):
        if path.is_file():
            lines = path.read_text(encoding="utf-8").splitlines()
            pairs = [line.rsplit(maxsplit=1) for line in lines if line.strip()]
            return {word: int(number) for word, number in pairs}
    return read_symbols(_file(base, "graph/Gr.fst"))


def _acoustics(base: Path, folder: Path, heard: PhoneSet) -> None:
    """Link everything but the graph, and write how to decode."""
    (folder / "graph" / "phones").mkdir(parents=True)
    _link(_file(base, "am/final.mdl"), folder / "am")
    if (base / "ivector").is_dir():
        for file in sorted((base / "ivector").iterdir()):
            _link(file, folder / "ivector")
    conf = folder / "conf"
    conf.mkdir()
    features = _file(base, "conf/mfcc.conf").read_text(encoding="utf-8").strip().splitlines()
    # Without dither the same sound is heard as the same words.
    features = [line for line in features if "dither" not in line] + ["--dither=0"]
    (conf / "mfcc.conf").write_text("\n".join(features) + "\n", encoding="utf-8", newline="\n")
    decoder = dict(_OLD_DECODER)
    given = base / "conf" / "model.conf"
    if given.is_file():
        lines = given.read_text(encoding="utf-8").splitlines()
        decoder = dict(line.strip().lstrip("-").split("=", 1) for line in lines if "=" in line)
    decoder |= _DECODER | {"beam": str(heard.beam)}
    text = "".join(f"--{name}={value}\n" for name, value in decoder.items())
    (conf / "model.conf").write_text(text, encoding="utf-8", newline="\n")


def _link(file: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    try:
        os.link(file, folder / file.name)
    except OSError:  # another disk, or a file system without links
        shutil.copyfile(file, folder / file.name)
