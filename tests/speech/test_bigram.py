"""What Vosk's language model charges: computed by hand, and compared with Vosk."""

import json
import math

import pytest

from blindplay.speech.bigram import Bigram
from blindplay.speech.models.folders import find_model

SQUARES = ["gustav_eins", "felix_drei", "eva_zwei", "eva_vier", "hector_drei"]


def test_costs_are_those_of_counted_pairs_and_of_backing_off() -> None:
    model = Bigram(["a b", "a c"])
    # Counted: a twice, b and c once, the end twice: six words; after a: b or c.
    first, other, end = math.log(6), math.log(12), math.log(6)
    after_a = math.log(4)
    assert model.cost(["a", "b"]) == pytest.approx(first + after_a + math.log(2))
    assert model.cost(["b", "a"]) == pytest.approx(other + math.log(2) + first + math.log(2) + end)
    assert model.cost(["d"]) == math.inf


@pytest.mark.parametrize("said", ["springer gustav eins felix drei", "bauer eva zwei eva vier"])
def test_without_the_language_model_two_grammars_give_the_same_score(spoken, said) -> None:  # type: ignore[no-untyped-def]
    import vosk

    vosk.SetLogLevel(-1)
    model = vosk.Model(str(find_model("de")))
    loop = ["springer", "bauer", *SQUARES]
    pairs = [f"{a} {b}" for a in loop for b in SQUARES]
    tokens = said.replace("gustav eins", "gustav_eins").replace("felix drei", "felix_drei")
    tokens = tokens.replace("eva zwei", "eva_zwei").replace("eva vier", "eva_vier")
    told, scores = [], []
    for items in (loop, pairs, [tokens]):
        kaldi = vosk.KaldiRecognizer(model, 16000.0, json.dumps(items, ensure_ascii=False))
        kaldi.SetMaxAlternatives(3)
        kaldi.AcceptWaveform(spoken(said))
        best = json.loads(kaldi.FinalResult())["alternatives"][0]
        assert best["text"] == tokens
        told.append(best["confidence"])
        scores.append(best["confidence"] + Bigram(items).cost(tokens.split()))
    # The pruning of the search still makes a difference.
    assert max(told) - min(told) > 5
    assert max(scores) - min(scores) < 1
