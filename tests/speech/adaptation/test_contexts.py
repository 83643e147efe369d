"""Which states a phone has after another: read from the model's own graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.speech.adaptation import (
    GraphError,
)
from blindplay.speech.adaptation.contexts import Contexts, walk
from blindplay.speech.adaptation.kaldi_files import (
    Fst,
    Phones,
    read_graph,
    read_phones,
    read_transitions,
)
from tests.speech.adaptation.miniature import PHONES, mini_base, number


def test_the_tree_is_read_from_the_models_own_graph(tmp_path: Path) -> None:
    truth = mini_base(tmp_path / "base")
    transitions = read_transitions(tmp_path / "base" / "am" / "final.mdl")
    graph = tmp_path / "base" / "graph"
    phones = read_phones(graph / "phones" / "word_boundary.int", graph / "phones.txt")
    contexts = Contexts(transitions, phones, walk(transitions, read_graph(graph / "HCLr.fst")))
    assert contexts.known == len(truth)
    assert all(contexts(*pair) == (state,) for pair, state in truth.items())
    # What the graph does not show is taken from the same left phone in another place of a word.
    asked = (number("A:", "E"), number("t", "S"))
    assert contexts(*asked) == (truth[number("A:", "I"), number("t", "S")],)
    # All places of AA are followed alike by all places of T, as the tree was made.
    classes = contexts.classes(PHONES["A:"], [number("t", "B")])
    assert len(set(classes.values())) == 1


def test_a_model_that_looks_further_than_one_phone_is_refused(tmp_path: Path) -> None:
    mini_base(tmp_path / "base")
    transitions = read_transitions(tmp_path / "base" / "am" / "final.mdl")
    fst = Fst()
    start, end = fst.state(), fst.state()
    fst.arc(start, 2, 0, 0.0, end)
    fst.arc(start, 4, 0, 0.0, end)  # the same phone after the same start, in another state
    fst.write(tmp_path / "two.fst")
    with pytest.raises(GraphError, match="more than one phone"):
        Contexts(transitions, Phones({}, 1), walk(transitions, read_graph(tmp_path / "two.fst")))
