"""Our words on the acoustics of other models."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from blindplay import language
from blindplay.speech.adaptation import (
    ADAPTED,
    GraphError,
    Vocabulary,
    adapt,
)
from blindplay.speech.adaptation import graph as graph_module
from blindplay.speech.adaptation.sounds import (
    known_phone_sets,
)
from blindplay.speech.audio import RATE, read_audio
from blindplay.speech.models.folders import find_model, vocabulary
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.synthesis import Synthesiser
from tests import command_line
from tests.command_line import Ran
from tests.speech.adaptation.base_models import base_model
from tests.speech.adaptation.miniature import TAT, mini_base, number
from tests.speech.conftest import COMMANDS, MOVES

GRAPH_FILES = ("HCLr.fst", "Gr.fst", "words.txt", "disambig_tid.int")


def words_of(code: str) -> Vocabulary:
    lexicon = language.lexicon(code)
    return Vocabulary({**lexicon.words, **lexicon.fillers}, lexicon.squares)


@pytest.fixture(scope="module")
def own() -> Path:
    return find_model("de")


def test_the_built_in_graph_is_made_from_the_pronunciations_byte_for_byte(
    own: Path, tmp_path: Path
) -> None:
    model = shutil.copytree(own, tmp_path / "de")
    for name in GRAPH_FILES:
        (model / "graph" / name).unlink()
    adapt(model, model, words_of("de"))
    for name in GRAPH_FILES:
        made, kept = (model / "graph" / name).read_bytes(), (own / "graph" / name).read_bytes()
        assert made == kept, f"{name} is not what the lexicon says: make model-graph LANG=de"


def test_the_built_in_model_knows_every_word_of_the_pack_and_is_small(own: Path) -> None:
    assert set(language.load("de").grammar_words()) <= vocabulary(own)
    assert language.lexicon("de").fillers.keys() <= vocabulary(own)
    assert sum(f.stat().st_size for f in own.rglob("*") if f.is_file()) < 5_000_000


def test_an_adapted_model_is_whole_and_the_base_is_left_alone(tmp_path: Path) -> None:
    base = tmp_path / "base"
    mini_base(base)
    before = {f: f.read_bytes() for f in base.rglob("*") if f.is_file()}
    report = adapt(base, tmp_path / "new" / "model", TAT)
    assert before == {f: f.read_bytes() for f in base.rglob("*") if f.is_file()}
    out = tmp_path / "new" / "model"
    assert (report.words, report.pronunciations) == (4, 3)
    assert vocabulary(out) == {"tat", "at", "tat_at", "[unk]"}
    assert (out / "am" / "final.mdl").read_bytes() == before[base / "am" / "final.mdl"]
    assert (out / "ivector" / "final.ie").samefile(base / "ivector" / "final.ie")
    assert (out / "conf" / "mfcc.conf").read_text() == "--num-ceps=40\n--dither=0\n"
    assert {"--lattice-beam=5.0", "--frames-per-chunk=51"} <= set(
        (out / "conf" / "model.conf").read_text().splitlines()
    )
    assert json.loads((out / ADAPTED).read_text())["words"] == 4
    assert sorted(f.name for f in (tmp_path / "new").iterdir()) == ["model"]
    # To Vosk a word is its first phone, so that a token, of which only the first part begins as a
    # word, is one word.
    kinds = dict(
        line.split() for line in (out / "graph/phones/word_boundary.int").read_text().splitlines()
    )
    assert kinds[str(number("t", "B"))] == kinds[str(number("t", "S"))] == "singleton"
    assert kinds["1"] == kinds[str(number("t", "I"))] == kinds[str(number("t", "E"))] == "nonword"


def test_an_adapted_model_is_given_other_words_without_its_base(tmp_path: Path) -> None:
    mini_base(tmp_path / "base")
    at = Vocabulary({"at": TAT.words["at"]}, {})
    adapt(tmp_path / "base", tmp_path / "first", at)
    adapt(tmp_path / "base", tmp_path / "wanted", TAT)
    shutil.rmtree(tmp_path / "base")
    report = adapt(tmp_path / "first", tmp_path / "second", TAT)
    assert report.contexts == json.loads((tmp_path / "wanted" / ADAPTED).read_text())["contexts"]
    for name in ("HCLr.fst", "words.txt"):
        second, wanted = (tmp_path / m / "graph" / name for m in ("second", "wanted"))
        assert second.read_bytes() == wanted.read_bytes()


def test_a_model_that_cannot_be_adapted_is_a_sentence(tmp_path: Path) -> None:
    base = tmp_path / "base"
    with pytest.raises(GraphError, match=r"has no am/final.mdl"):
        adapt(tmp_path, tmp_path / "x", TAT)
    mini_base(base)
    with pytest.raises(GraphError, match="give another folder"):
        adapt(base, base, TAT)
    (tmp_path / "there").mkdir()
    with pytest.raises(GraphError, match="is there already"):
        adapt(base, tmp_path / "there", TAT)
    with pytest.raises(GraphError, match="no base 'klingon'"):
        adapt(base, tmp_path / "x", TAT, family="klingon")
    with pytest.raises(GraphError, match="is not a sound"):
        adapt(base, tmp_path / "x", Vocabulary({"q": {("§",): 0.0}}, {}))
    adapt(base, tmp_path / "m", TAT)
    (tmp_path / "m" / "graph" / "contexts.npz").write_bytes(b"PK")
    with pytest.raises(GraphError, match="give the model it was made of"):
        adapt(tmp_path / "m", tmp_path / "x", TAT)
    (base / "graph" / "phones.txt").unlink()
    (base / "graph" / "words.txt").write_text("hello 1\n")
    with pytest.raises(GraphError, match=r"what the 2 phones of .* are called"):
        adapt(base, tmp_path / "x", TAT)
    assert not (tmp_path / "x").exists()


def test_an_unknown_base_is_adapted_by_similar_sounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = base_model("english")
    monkeypatch.setattr(graph_module, "known_phone_sets", dict)
    lexicons = [language.lexicon(code).words for code in language.languages()]
    report = adapt(base, tmp_path / "model", words_of("de"), lexicons=lexicons)
    assert report.base == "similar sounds"
    # 37 of its 39 phones are known from its own words, and all the sounds of German find one.
    assert report.words == len(vocabulary(tmp_path / "model"))
    people(Recogniser(tmp_path / "model", "de"), at_least=0.8)


def test_norwegian_is_heard_with_the_german_models_acoustics(
    own: Path, tmp_path: Path, synthesiser: Synthesiser
) -> None:
    adapt(own, tmp_path / "nb", words_of("nb"))
    recogniser = Recogniser(tmp_path / "nb", "nb")
    moves = ["springer gustav en felix tre", "bonde eva to eva fire", "dame david åtte hector fire",
             "løper felix en slår bella fem", "tårn anna sju anna seks"]  # fmt: skip
    right = 0
    for move in moves:
        pcm = read_audio(synthesiser.render(move, voice="nb"))
        right += recogniser.recognise(pcm, moves).likeliest_of(moves) == move
    assert right >= 4


@pytest.mark.parametrize(
    "name", ["english", pytest.param("french", marks=pytest.mark.long)]
)  # fmt: skip
def test_german_is_heard_with_a_peoples_model_of_another_language(
    name: str, tmp_path: Path, spoken: Callable[..., bytes], capfd: pytest.CaptureFixture[str]
) -> None:
    base = base_model(name)
    report = adapt(base, tmp_path / "model", words_of("de"))
    assert report.base == known_phone_sets()[name].name
    assert report.contexts > 8000
    recogniser = Recogniser(tmp_path / "model", "de")
    phrases = MOVES + COMMANDS
    said = MOVES[::2] + COMMANDS
    right = 0
    for phrase in said:
        heard = recogniser.recognise(spoken(phrase), phrases).hypotheses
        right += next((h.words for h in heard if h.words in phrases), None) == phrase
    # Such models have only heard people, and this voice is a machine's.
    assert right >= 0.7 * len(said)
    # A slow speaker: a pause inside a square is not a new word.
    slow = spoken("springer gustav") + bytes(RATE) + spoken("eins felix drei")
    heard = recogniser.recognise(slow, MOVES).hypotheses
    if name == "english":  # French ears lose this voice's "gustav" even without a pause
        assert heard[0].words == "springer gustav eins felix drei"
    assert "WARNING" not in capfd.readouterr().err
    people(recogniser, at_least=0.9)


def people(recogniser: Recogniser, at_least: float) -> None:
    """Hear real people, where BLINDPLAY_RECORDINGS names a folder of WAV files with index.jsonl,
    lines {"file", "words"}: the words of the table must be right, by themselves."""
    folder = os.environ.get("BLINDPLAY_RECORDINGS")
    if not folder:
        return
    known = language.lexicon("de").words
    entries = [json.loads(line) for line in (Path(folder) / "index.jsonl").open(encoding="utf-8")]
    entries = [e for e in entries if e["words"] and set(e["words"].lower().split()) <= known.keys()]
    phrases = recogniser.known_phrases(sorted({entry["words"].lower() for entry in entries}))
    entries = [entry for entry in entries if entry["words"].lower() in phrases]
    right = 0
    for entry in entries:
        pcm = bytes(8000) + read_audio(Path(folder) / entry["file"]) + bytes(8000)
        heard = recogniser.recognise(pcm, phrases).hypotheses
        best = next((h.words for h in heard if h.words in phrases), "")
        right += best.replace("zwo", "zwei") == entry["words"].lower().replace("zwo", "zwei")
    assert right >= at_least * len(entries)


def test_the_command_writes_a_model_and_says_what_is_wrong(own: Path, tmp_path: Path) -> None:
    def run(*arguments: str) -> Ran:
        return command_line.run("models", "adapt", *arguments)

    done = run(str(own), "--language", "sv", "--output", str(tmp_path / "sv"))
    assert done.status == 0, done.stderr
    assert "springare" in vocabulary(tmp_path / "sv")
    again = run(str(own), "--language", "sv", "--output", str(tmp_path / "sv"))
    assert again.status == 2
    assert again.stderr.count("\n") == 1 and "there already" in again.stderr
