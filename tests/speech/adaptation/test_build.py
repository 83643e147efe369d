"""The paths through a graph that was built."""

from __future__ import annotations

import math
from pathlib import Path

from blindplay.speech.adaptation import (
    Pronunciations,
    Vocabulary,
    adapt,
    phones_of,
)
from blindplay.speech.adaptation.kaldi_files import (
    read_graph,
    read_transitions,
)
from tests.speech.adaptation.miniature import PHONES, TAT, mini_base


def paths(model: Path, words: list[str]) -> set[tuple[tuple[str, ...], float]]:
    """Every way through the graph that says just these words, without silence: phones and cost."""
    transitions = read_transitions(model / "am" / "final.mdl")
    graph = read_graph(model / "graph" / "HCLr.fst")
    names = {n: name for name, ns in PHONES.items() for n in ns}
    label = {
        word: int(n)
        for word, n in (line.split() for line in (model / "graph/words.txt").read_text().split("\n")
                        if line)
    }  # fmt: skip
    entered = {ids[1]: transitions.states[k].phone for k, ids in enumerate(transitions.ids)}
    loops = {ids[0] for ids in transitions.ids}
    wanted = [label[word] for word in words]
    found = set()
    front: list[tuple[int, tuple[str, ...], tuple[int, ...], float]] = [(graph.start, (), (), 0.0)]
    while front:
        state, said, labels, cost = front.pop()
        if labels == tuple(wanted) and math.isfinite(graph.final[state]):
            found.add((said, round(cost, 3)))
        first = graph.first[state]
        for put, out, more, to in graph.arcs[first : first + graph.count[state]].tolist():
            heard = said + ((names[entered[put]],) if put in entered else ())
            now = labels + ((out,) if out else ())
            if put in loops or now != tuple(wanted[: len(now)]) or "SIL" in heard or len(heard) > 6:
                continue
            front.append((to, heard, now, cost + more))
    return found


def test_the_graph_says_each_word_in_its_pronunciations_at_their_costs(tmp_path: Path) -> None:
    mini_base(tmp_path / "base")
    adapt(tmp_path / "base", tmp_path / "m", TAT)
    gap = -math.log(1 - 0.99)  # going on without silence, before and after
    assert paths(tmp_path / "m", ["at"]) == {(("A:", "t"), round(2 * gap, 3))}
    assert paths(tmp_path / "m", ["tat"]) == {
        (("t", "A:", "t"), round(2 * gap, 3)),
        (("t", "A:"), round(2 * gap + 0.7, 3)),
    }
    # A token is its words, and a pause between them costs nothing either way.
    assert paths(tmp_path / "m", ["tat_at"]) == {
        (("t", "A:", "t", "A:", "t"), round(2 * gap, 3)),
        (("t", "A:", "A:", "t"), round(2 * gap + 0.7, 3)),
    }


def test_a_word_is_also_heard_as_the_models_own_phones_say_it(tmp_path: Path) -> None:
    mini_base(tmp_path / "base")
    at = Vocabulary({"at": TAT.words["at"]}, {})
    more: dict[str, Pronunciations] = {
        "at": {("A:",): 0.5, ("A:", "t"): 3.0},
        "ta": {("t", "A:"): 0.0},
    }
    adapt(tmp_path / "base", tmp_path / "m", at, more=more)
    assert phones_of(tmp_path / "m") == ["A:", "t"]
    gap = -math.log(1 - 0.99)
    assert paths(tmp_path / "m", ["at"]) == {
        (("A:", "t"), round(2 * gap, 3)),
        (("A:",), round(2 * gap + 0.5, 3)),
    }
    assert paths(tmp_path / "m", ["ta"]) == {(("t", "A:"), round(2 * gap, 3))}
