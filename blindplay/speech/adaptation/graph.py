"""Our words on any Vosk model: keep its acoustics, and write its graph anew.

A Vosk model hears phones, and a graph (see :mod:`.kaldi_files`) makes words of them. From the
pronunciations of our words, a graph of these words can be written for a model of any language, in a
second and without Kaldi. So a language without a model of its own is heard with that of a
neighbour.
"""

import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from ..models.folders import words_file
from .build import Pronunciations, Vocabulary, any_words, build, word_starts
from .contexts import Contexts, SeenContexts, walk
from .kaldi_files import (
    Fst,
    GraphError,
    Phones,
    Transitions,
    read_graph,
    read_numbers,
    read_options,
    read_phones,
    read_symbols,
    read_transitions,
    spoken_places,
    write_lines,
    write_options,
)
from .phone_names import names_heard
from .sounds import PhoneSet, known_phone_sets, phone_set_of, translate

ADAPTED = "adapted.json"
"""The file in an adapted model's folder that has its ``AdaptationReport``."""

# The contexts that only the base's graph showed, for a later change of the words.
_CONTEXTS = "contexts.npz"

# In a model of our own, a pause costs little by itself, and it was trained on much noise.
_OWN_UNKNOWN, _OWN_SILENCE = 3.0, 0.5
# In people's models silence must be nearly free. Else the noise before a word is taken for speech,
# and the model adapts to it as if it were the speaker's voice.
_SILENCE = 0.99

# Wider lattices bring hardly anything, and take seconds if many variants are alike. With Kaldi's
# usual 20 frames at a time, fetching the network's weights costs more than using them. With 51,
# half a second, the same is recognised for a fifth less work
# (docs/development/research/decoding-cost.md).
_DECODER = {"lattice-beam": "5.0", "max-active": "5000", "frames-per-chunk": "51"}
# Vosk's own defaults for models without conf/model.conf:
_OLD_DECODER = {
    "min-active": "200",
    "acoustic-scale": "1.0",
    "frame-subsampling-factor": "3",
    "endpoint.silence-phones": "1:2:3:4:5:6:7:8:9:10",
    "endpoint.rule2.min-trailing-silence": "0.5",
    "endpoint.rule3.min-trailing-silence": "0.75",
    "endpoint.rule4.min-trailing-silence": "1.0",
}


@dataclass(frozen=True)
class AdaptationReport:
    """A report on what ``adapt`` wrote. ``base`` is the family of models that the base was taken
    for; ``words`` include tokens. ``contexts`` counts the pairs of phones that the base's graph
    showed."""

    base: str
    words: int
    pronunciations: int
    contexts: int


@dataclass(frozen=True)
class _Acoustics:
    """The acoustics of a base: its phones, which sounds they stand for, and their contexts."""

    phone_set: PhoneSet
    phones: Phones
    transitions: Transitions
    seen: SeenContexts | None


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
    the same words, in the phones of ``base`` (see ``phones_of``).

    The acoustic files are hard links if the file system has them, else copies. ``family`` names one
    of :func:`.sounds.known_phone_sets`; by default it is recognised. ``lexicons`` are words of any
    languages; they show what the phones are called in a model that does not name them. A model of
    our own may be its own ``output``: then only its graph is written. The same vocabulary gives the
    same bytes on any machine. Takes a second or two.

    :raises GraphError: if the base cannot be read or understood, if a word cannot be said in its
        phones, or if ``output`` exists.
    """
    acoustics = _read_acoustics(base, family, lexicons)
    contexts = Contexts(acoustics.transitions, acoustics.phones, acoustics.seen)
    in_place = output.is_dir() and output.samefile(base)
    if in_place and not contexts.free:
        raise GraphError("A model's own graph tells how it hears: give another folder for output.")
    if output.exists() and not in_place:
        raise GraphError(
            "{output} is there already: remove it, or name another folder.", output=output
        )
    words = _in_phones(vocabulary.words, acoustics.phone_set)
    for word, variants in (more or {}).items():
        own = words.setdefault(word, {})
        for phones, cost in variants.items():
            own[phones] = min(cost, own.get(phones, cost))
    if silent := [word for word, variants in words.items() if not variants]:
        raise GraphError(
            "Nothing is left of {silent} in the phones of {base}.",
            silent=repr(silent[0]),
            base=base,
        )
    graph = _build(Vocabulary(words, vocabulary.tokens), acoustics, contexts)
    counts = len(graph[2]) - 1, sum(map(len, words.values())), contexts.known
    report = AdaptationReport(acoustics.phone_set.name, *counts)
    if in_place:
        _write_graph(output, *graph)
        return report
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=".adapting-") as made:
        folder = Path(made) / "model"
        _link_acoustics(base, folder, acoustics.phone_set)
        _write_phones(base, folder, acoustics, contexts)
        _write_graph(folder, *graph)
        (folder / ADAPTED).write_text(json.dumps(asdict(report)) + "\n", encoding="utf-8")
        folder.rename(output)
    return report


def phones_of(model: Path) -> list[str]:
    """Return the names of the phones of an adapted model or one of our own, without silence. Raises
    GraphError if they cannot be read."""
    if (model / ADAPTED).is_file() and (model / "graph" / _CONTEXTS).is_file():
        return _read_adapted(model)[1].names
    return _named_phones(model).names


def pronounced(
    model: Path, words: Mapping[str, Pronunciations]
) -> dict[str, dict[tuple[str, ...], float]]:
    """Return the pronunciations of ``words`` in the phones of an adapted model or one of our own.

    :raises GraphError: if the model cannot be read, or if a sound is unknown.
    """
    if (model / ADAPTED).is_file():
        phone_set = _read_adapted(model)[0]
    else:
        transitions = read_transitions(_file(model, "am/final.mdl"))
        phone_set = _recognise_phones(model, None, transitions, ())[0]
    return _in_phones(words, phone_set)


def _in_phones(
    words: Mapping[str, Pronunciations], phone_set: PhoneSet
) -> dict[str, dict[tuple[str, ...], float]]:
    return {word: translate(variants, phone_set) for word, variants in words.items()}


def _build(
    words: Vocabulary, acoustics: _Acoustics, contexts: Contexts
) -> tuple[Fst, int, list[str]]:
    phones = acoustics.phones
    filler = [
        name
        for name in phones.names
        if contexts.heard(name) and all((name, place) in phones.id for place in "BIE")
    ]
    return build(
        words,
        acoustics.transitions,
        phones,
        contexts,
        filler,
        unknown=_OWN_UNKNOWN if contexts.free else acoustics.phone_set.unknown,
        silence=_OWN_SILENCE if contexts.free else _SILENCE,
    )


def _read_acoustics(
    base: Path, family: str | None, lexicons: Iterable[Mapping[str, Pronunciations]]
) -> _Acoustics:
    transitions = read_transitions(_file(base, "am/final.mdl"))
    seen: SeenContexts | None = None
    if (base / ADAPTED).is_file():
        phone_set, phones, seen = _read_adapted(base)
    else:
        phone_set, phones = _recognise_phones(base, family, transitions, lexicons)
    if seen is None and not Contexts.are_free(transitions):
        seen = walk(transitions, read_graph(_file(base, "graph/HCLr.fst")))
    return _Acoustics(phone_set, phones, transitions, seen)


def _read_adapted(model: Path) -> tuple[PhoneSet, Phones, SeenContexts | None]:
    """Return what was kept of the base of an adapted model; nothing was kept of one of our own,
    whose graph shows everything."""
    try:
        family = json.loads((model / ADAPTED).read_text(encoding="utf-8"))["base"]
        if not (model / "graph" / _CONTEXTS).is_file():
            phones, seen = _named_phones(model), None
        else:
            with np.load(model / "graph" / _CONTEXTS, allow_pickle=False) as kept:
                ids = {(str(n), str(place)): int(number) for n, place, number in kept["places"]}
                phones = Phones(ids, int(kept["silence"]))
                seen = {(int(left), int(state)): int(n) for left, state, n in kept["seen"]}
        known = known_phone_sets()
        phone_set = known[family] if family in known else phone_set_of(tuple(phones.names))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise GraphError(
            "{model} was adapted by an older version, or is damaged: give the model it "
            "was made of.",
            model=model,
        ) from error
    return phone_set, phones, seen


def _recognise_phones(
    base: Path,
    family: str | None,
    transitions: Transitions,
    lexicons: Iterable[Mapping[str, Pronunciations]],
) -> tuple[PhoneSet, Phones]:
    """Find out which phones the base has, and which sounds they stand for."""
    known = known_phone_sets()
    boundary = _file(base, "graph/phones/word_boundary.int")
    listed = next(
        (p for p in (base / "graph" / "phones.txt", base / "phones.txt") if p.is_file()), None
    )
    if family is not None and family not in known:
        raise GraphError(
            "There is no base {family}: choose one of {known}.",
            family=repr(family),
            known=", ".join(sorted(known)),
        )
    if listed is not None:
        phones = read_phones(boundary, listed)
        names = tuple(phones.names)
        same = [entry for entry in known.values() if set(entry.phones) == set(names)]
        if family is not None:
            return known[family], phones
        return same[0] if same else phone_set_of(names), phones
    places = spoken_places(boundary)
    number = len(places) // 4
    listed = words_file(base)
    labels = read_numbers(listed) if listed.is_file() else read_symbols(_file(base, "graph/Gr.fst"))
    fitting = [
        entry
        for name, entry in known.items()
        if name == family
        or (family is None and len(entry.phones) == number and labels.keys() >= set(entry.words))
    ]
    if fitting:
        return fitting[0], read_phones(boundary, None, fitting[0].phones)
    lexicon = max(lexicons, key=lambda words: len(words.keys() & labels) / len(words), default={})
    try:
        graph = read_graph(_file(base, "graph/HCLr.fst"))
        names = names_heard(graph, transitions, places, labels, lexicon)
        return phone_set_of(names), read_phones(boundary, None, names)
    except GraphError:
        raise GraphError(
            "Nothing tells what the {number} phones of {base} are called: put its "
            "phones.txt into its folder graph, or name the base it is like ({known}).",
            number=number,
            base=base,
            known=", ".join(sorted(known)),
        ) from None


def _named_phones(model: Path) -> Phones:
    boundary = _file(model, "graph/phones/word_boundary.int")
    return read_phones(boundary, _file(model, "graph/phones.txt"))


def _file(base: Path, name: str) -> Path:
    """Return a file of a model in Vosk's layout, or in the older one without folders."""
    for path in (base / name, base / Path(name).name):
        if path.is_file():
            return path
    raise GraphError(
        "{base} has no {name}: give the folder of an unpacked small Vosk model.",
        base=base,
        name=name,
    )


def _write_graph(folder: Path, fst: Fst, start: int, words: Sequence[str]) -> None:
    fst.write(folder / "graph" / "HCLr.fst", start=start)
    any_words(len(words) - 1).write(folder / "graph" / "Gr.fst", sorted_by_output=False)
    numbered = (f"{word} {number}" for number, word in enumerate(words))
    write_lines(folder / "graph" / "words.txt", numbered)
    (folder / "graph" / "disambig_tid.int").write_bytes(b"")


def _write_phones(base: Path, folder: Path, acoustics: _Acoustics, contexts: Contexts) -> None:
    """Write what the new graph does not show of the phones."""
    boundary = folder / "graph" / "phones" / "word_boundary.int"
    boundary.parent.mkdir(parents=True)
    phones = acoustics.phones
    if contexts.free:
        _link(_file(base, "graph/phones/word_boundary.int"), boundary.parent)
        _link(_file(base, "graph/phones.txt"), folder / "graph")
        return
    write_lines(boundary, (f"{number} {kind}" for number, kind in word_starts(phones).items()))
    np.savez_compressed(
        folder / "graph" / _CONTEXTS,
        places=np.array([(name, place, str(id_)) for (name, place), id_ in phones.id.items()]),
        silence=phones.silence,
        seen=np.array([(*pair, count) for pair, count in contexts.seen.items()], np.int64),
    )


def _link_acoustics(base: Path, folder: Path, phone_set: PhoneSet) -> None:
    """Link everything except the graph, and write the settings of the decoder."""
    _link(_file(base, "am/final.mdl"), folder / "am")
    if (base / "ivector").is_dir():
        for file in sorted((base / "ivector").iterdir()):
            _link(file, folder / "ivector")
    conf = folder / "conf"
    conf.mkdir()
    # Without dither, the same sound always gives the same words.
    features = read_options(_file(base, "conf/mfcc.conf")) | {"dither": "0"}
    write_options(conf / "mfcc.conf", features)
    decoder = read_options(base / "conf" / "model.conf") or _OLD_DECODER
    write_options(conf / "model.conf", decoder | _DECODER | {"beam": str(phone_set.beam)})


def _link(file: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    try:
        os.link(file, folder / file.name)
    except OSError:  # another disk, or a file system without links
        shutil.copyfile(file, folder / file.name)
