"""Our words on any Vosk model: its acoustics are kept, its graph is written anew.

A Vosk model hears phones, and a graph (see :mod:`.files`) makes words of them. Given how our words
are pronounced, a graph of them alone can be written for a model of any language, in a second,
without Kaldi. So a language for which nobody has made a model is heard with that of a neighbour.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .build import Costs, Variants, Vocabulary, any_words, build
from .contexts import Contexts
from .files import GraphError, read_phones, read_transitions, write_words

__all__ = ["GraphError", "Report", "Variants", "Vocabulary", "write_graph"]

_OWN = Costs(unknown=3.0, silence=0.5)
"""For our own models, whose pauses cost them nothing."""


@dataclass(frozen=True)
class Report:
    """What was written: the numbers of words (tokens included), pronunciations, states, arcs."""

    words: int
    pronunciations: int
    states: int
    arcs: int


def write_graph(model: Path, vocabulary: Vocabulary) -> Report:
    """Write the graph of a model that was made by this project, in its own folder.

    Its phones are those of the pronunciations and do not depend on their neighbours. The same
    vocabulary gives the same bytes anywhere. Raises GraphError when the model is not such a one,
    or lacks a phone.
    """
    transitions = read_transitions(model / "am" / "final.mdl")
    phones = read_phones(model)
    known = set(phones.names)
    for word, variants in vocabulary.words.items():
        if lacking := {phone for variant in variants for phone in variant} - known:
            raise GraphError(
                f"{word!r} has a phone that this model lacks: {min(lacking)}; correct its lexicon."
            )
    contexts = Contexts(transitions, phones, None)
    fst, start, words = build(vocabulary, transitions, phones, contexts, _OWN, phones.names)
    graph = model / "graph"
    fst.write(graph / "HCLr.fst", start=start)
    any_words(len(words) - 1).write(graph / "Gr.fst", sorted_by_output=False)
    write_words(graph / "words.txt", words)
    (graph / "disambig_tid.int").write_bytes(b"")
    return Report(
        len(words) - 1,
        sum(map(len, vocabulary.words.values())),
        len(fst.arcs),
        sum(map(len, fst.arcs)),
    )
