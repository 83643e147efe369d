"""The files of a Vosk model, written and read back, damaged and cut short."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.speech.adaptation import GraphError
from blindplay.speech.adaptation.contexts import Contexts
from blindplay.speech.adaptation.kaldi_files import (
    Fst,
    read_graph,
    read_symbols,
    read_transitions,
)
from blindplay.speech.models.folders import find_model
from tests.speech.adaptation.miniature import grammar


@given(st.dictionaries(st.text(max_size=20), st.integers(0, 2**40), max_size=30))
def test_words_are_read_back_with_their_numbers(words: dict[str, int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "Gr.fst"
        path.write_bytes(grammar(words))
        assert read_symbols(path) == words


def test_a_graph_without_words_has_none_and_a_damaged_one_is_a_sentence(tmp_path: Path) -> None:
    fst = Fst([[]], {0: 0.0})
    fst.write(tmp_path / "Gr.fst")
    assert read_symbols(tmp_path / "Gr.fst") == {}
    whole = grammar({"bonjour": 1, "merci": 2}).removesuffix(b"what the graph is")
    for length in range(len(whole)):
        (tmp_path / "Gr.fst").write_bytes(whole[:length])
        with pytest.raises(GraphError, match="not a graph that can be read"):
            read_symbols(tmp_path / "Gr.fst")
    (tmp_path / "Gr.fst").write_bytes(b"text that is not a graph")
    with pytest.raises(GraphError):
        read_symbols(tmp_path / "Gr.fst")


@pytest.fixture(scope="module")
def own() -> Path:
    return find_model("de")


def test_the_built_in_models_transition_ids_are_numbered_state_by_state(own: Path) -> None:
    transitions = read_transitions(own / "am" / "final.mdl")
    # Silence first, then 41 phones in four places, those inside and at the beginning of a word
    # with a second state for the network's blank.
    assert len(transitions.states) == 1 + 41 * (2 + 2 + 1 + 1)
    assert [transitions.ids[k] for k in range(3)] == [
        {0: 1, 1: 2},
        {0: 3, 1: 4, 2: 5},
        {1: 6, 2: 7},
    ]
    assert Contexts.are_free(transitions)


@st.composite
def transducers(draw: st.DrawFn) -> Fst:
    size = draw(st.integers(1, 8))
    fst = Fst([[] for _ in range(size)])
    label, state = st.integers(0, 2**31 - 1), st.integers(0, size - 1)
    cost = st.floats(0, 100, width=32)
    for arc in draw(st.lists(st.tuples(state, label, label, cost, state), max_size=20)):
        fst.arc(*arc)
    fst.final = draw(st.dictionaries(state, cost))
    return fst


@given(transducers(), st.booleans())
def test_a_graph_is_read_back_as_it_was_written(fst: Fst, by_output: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.fst"
        fst.write(path, start=len(fst.arcs) - 1, sorted_by_output=by_output)
        read = read_graph(path)
    assert read.start == len(fst.arcs) - 1
    for state, arcs in enumerate(fst.arcs):
        rows = read.arcs[read.first[state] : read.first[state] + read.count[state]]
        assert sorted(rows.tolist()) == sorted(arcs)
        labels = [row[1 if by_output else 0] for row in rows.tolist()]
        assert labels == sorted(labels)
        assert read.final[state] == fst.final.get(state, math.inf)


@pytest.mark.parametrize("keep", [0, 3, 30, 200])
def test_a_graph_cut_short_is_a_sentence(own: Path, tmp_path: Path, keep: int) -> None:
    path = tmp_path / "HCLr.fst"
    path.write_bytes((own / "graph" / "HCLr.fst").read_bytes()[:keep])
    with pytest.raises(GraphError, match="not a graph that can be read"):
        read_graph(path)


@pytest.mark.parametrize("data", [b"", b"\0B", b"\0B<Nnet3> ", b"text", b"\0B<TransitionModel> x"])
def test_a_damaged_transition_model_is_a_sentence(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "final.mdl").write_bytes(data)
    with pytest.raises(GraphError, match="no transition model"):
        read_transitions(tmp_path / "final.mdl")
