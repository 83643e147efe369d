"""Several models that listen together."""

import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.speech import ensemble
from blindplay.speech.audio import read_audio
from blindplay.speech.ensemble import MOST_BEHIND, Ensemble, summed
from blindplay.speech.models import folders
from blindplay.speech.models.folders import ModelError, find_model
from blindplay.speech.recogniser import (
    Hypothesis,
    Recogniser,
    Recognition,
    UtteranceDecoder,
    VocabularyError,
)
from blindplay.speech.synthesis import Synthesiser

MODEL = find_model("de")
KNIGHT = "springer gustav eins felix drei"
PHRASES = [KNIGHT, "springer gustav eins hector drei", "bauer eva zwei eva vier", "uhr"]


def heard(*alternatives: tuple[str, float] | tuple[str, float, int]) -> Recognition:
    ranked = sorted((Hypothesis(*one) for one in alternatives), key=lambda one: -one.score)
    return Recognition(tuple(ranked))


def scores(recognition: Recognition) -> dict[str, float]:
    return {one.words: one.score for one in recognition.hypotheses}


def test_a_reading_that_both_find_likely_beats_the_favourite_of_either() -> None:
    english = heard(("dame drei", -100), ("dame zwei", -101))
    french = heard(("turm zwei", -500), ("dame zwei", -500.5))
    assert summed([english, french]).words == "dame zwei"


def test_a_reading_costs_by_how_much_it_is_behind_in_each() -> None:
    both = summed([heard(("a", -10), ("b", -13)), heard(("b", -70), ("a", -72))])
    assert scores(both) == {"a": -2.0, "b": -3.0}


def test_a_model_without_a_reading_counts_against_it_by_a_limited_sum() -> None:
    both = summed([heard(("a", 0), ("b", -1), ("c", -30)), heard(("a", 0), ("c", 0))])
    assert scores(both) == {"a": 0.0, "b": -1 - MOST_BEHIND, "c": -MOST_BEHIND}


def test_a_model_that_heard_nothing_has_no_vote_and_a_single_one_counts_as_it_is() -> None:
    alone = heard(("a", -40, 1), ("b", -90))
    assert summed([alone]) == alone
    assert scores(summed([alone, Recognition()])) == {"a": 0.0, "b": -MOST_BEHIND}
    assert summed([Recognition(), Recognition()]).hypotheses == ()


def test_other_sound_around_the_words_counts_if_any_model_heard_it() -> None:
    both = summed([heard(("a", 0, 0), ("a", -2, 2)), heard(("a", 0, 1))])
    assert both.hypotheses == (Hypothesis("a", 0.0, 1),)


def test_the_onset_delay_is_the_shortest_of_all_models() -> None:
    early, late = (
        Recognition((Hypothesis("a", 0.0, 0, 0.1),)),
        Recognition((Hypothesis("a", 0.0, 0, 0.4),)),
    )
    assert summed([late, early]).hypotheses == (Hypothesis("a", 0.0, 0, 0.1),)


@given(
    st.lists(
        st.dictionaries(st.sampled_from("abcde"), st.floats(-50, 0), min_size=1),
        min_size=2,
        max_size=3,
    )
)
def test_the_order_of_the_models_does_not_matter_and_no_margin_is_beyond_their_votes(
    told: list[dict[str, float]],
) -> None:
    recognitions = [heard(*each.items()) for each in told]
    forth, back = summed(recognitions), summed(recognitions[::-1])
    assert scores(forth) == pytest.approx(scores(back))
    ranked = [one.score for one in forth.hypotheses]
    assert ranked == sorted(ranked, reverse=True)
    assert ranked[0] <= 0 and ranked[-1] >= -MOST_BEHIND * len(told)


@pytest.fixture(scope="module")
def pair() -> tuple[Recogniser, Recogniser]:
    return Recogniser(MODEL, "de"), Recogniser(MODEL, "de")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bytes]:
    with Synthesiser("de", cache=tmp_path_factory.mktemp("phrases")) as synthesiser:
        yield read_audio(synthesiser.render(KNIGHT))


class Failing:
    """A model at work whose method ``what`` fails."""

    def __init__(self, run: UtteranceDecoder, what: str) -> None:
        self._run, self._what = run, what

    def __getattr__(self, name: str) -> Callable[..., object]:
        if name == self._what:
            raise RuntimeError("broken")
        asked: Callable[..., object] = getattr(self._run, name)
        return asked


def fails(one: Recogniser, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begin = one.start_with
    monkeypatch.setattr(one, "start_with", lambda closed: Failing(begin(closed), what))


def test_two_models_hear_what_one_hears(pair: tuple[Recogniser, Recogniser], sound: bytes) -> None:
    both = Ensemble(pair)
    run = both.start(PHRASES)
    for at in range(0, len(sound), 1280):
        run.accept(sound[at : at + 1280])
    assert run.partial() == KNIGHT
    assert run.finish().words == KNIGHT == both.recognise(sound, PHRASES).words
    assert both.unknown_words(["springer xylophon"]) == ["xylophon"]
    with pytest.raises(VocabularyError, match="xylophon"):
        both.start([*PHRASES, "springer xylophon"])


@pytest.mark.parametrize("what", ["accept", "finish"])
@pytest.mark.parametrize("which", [0, 1])
def test_a_model_that_fails_drops_out_and_the_other_goes_on(
    pair: tuple[Recogniser, Recogniser],
    sound: bytes,
    which: int,
    what: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lost: list[str] = []
    both = Ensemble(pair, on_lost=lost.append)
    fails(pair[which], what, monkeypatch)
    run = both.start(PHRASES)
    run.accept(sound)
    assert run.partial() == KNIGHT
    assert run.finish().words == KNIGHT
    (told,) = lost
    assert "no longer listens" in told and str(MODEL) in told
    assert both.members == (pair[1 - which],)
    assert both.recognise(sound, PHRASES).words == KNIGHT
    assert len(lost) == 1


def test_a_model_that_takes_too_long_has_no_vote_and_stays(
    pair: tuple[Recogniser, Recogniser], sound: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    both, go_on = Ensemble(pair), threading.Event()

    class Slow(Failing):
        def finish(self) -> Recognition:
            go_on.wait(60)
            return self._run.finish()

    begin = pair[1].start_with
    monkeypatch.setattr(pair[1], "start_with", lambda closed: Slow(begin(closed), ""))
    run = both.start(PHRASES)
    run.accept(sound)
    recognition = run.finish(patience=0.1)
    assert recognition.words == KNIGHT
    assert [bool(part.hypotheses) for part in recognition.by_model] == [True, False]
    go_on.set()
    recognition = both.recognise(sound, PHRASES)  # a file is heard by all, however long it takes
    assert all(part.hypotheses for part in recognition.by_model)
    assert both.members == pair


@pytest.mark.parametrize("where", ["accept", "finish"])
def test_a_model_that_hangs_is_lost_and_the_other_hears_on(
    pair: tuple[Recogniser, Recogniser],
    sound: bytes,
    monkeypatch: pytest.MonkeyPatch,
    where: str,
) -> None:
    monkeypatch.setattr(ensemble, "HANGING_S", 2.0)
    lost: list[str] = []
    both, go_on = Ensemble(pair, on_lost=lost.append), threading.Event()

    class Hanging(Failing):
        def accept(self, pcm: bytes) -> bool:
            if where == "accept":
                go_on.wait(60)
            return self._run.accept(pcm)

        def finish(self) -> Recognition:
            go_on.wait(60)
            return self._run.finish()

    begin = pair[1].start_with
    monkeypatch.setattr(pair[1], "start_with", lambda closed: Hanging(begin(closed), ""))
    for _ in range(5):
        run = both.start(PHRASES)
        run.accept(sound)
        assert run.finish(patience=0.3).words == KNIGHT
    assert both.members == pair[:1]
    assert len(lost) == 1 and "no longer listens" in lost[0]
    go_on.set()


def test_when_the_last_one_fails_it_is_an_error(
    pair: tuple[Recogniser, Recogniser], sound: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = Ensemble(pair)
    for one in pair:
        fails(one, "accept", monkeypatch)
    with pytest.raises(ModelError, match="failed"):
        both.recognise(sound, PHRASES)


def test_what_only_one_model_knows_is_listened_for(tmp_path: Path, sound: bytes) -> None:
    lacking = tmp_path / "lacking"
    shutil.copytree(MODEL, lacking)
    (lacking / folders.MANIFEST).unlink(missing_ok=True)  # it is another model now
    words = lacking / "graph" / "words.txt"
    words.write_text(words.read_text("utf-8").replace("springer", "springen"), "utf-8")
    both = Ensemble([Recogniser(lacking, "de"), Recogniser(MODEL, "de")])
    assert both.unknown_words(PHRASES) == []
    assert both.known_phrases(PHRASES) == PHRASES
    assert KNIGHT in scores(both.recognise(sound, PHRASES))


def test_two_listeners_may_use_the_same_models_at_once(
    pair: tuple[Recogniser, Recogniser], sound: bytes
) -> None:
    both, heard_by = Ensemble(pair), []

    def listen() -> None:
        heard_by.append(both.recognise(sound, PHRASES).words)

    threads = [threading.Thread(target=listen) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard_by == [KNIGHT] * 3


def test_models_of_two_languages_do_not_vote_together(
    pair: tuple[Recogniser, Recogniser], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair[1], "language", "sv")
    both = Ensemble(pair)
    heard = both.recognise(bytes(32_000), [KNIGHT])
    assert len(heard.elsewhere) == 1 and not heard.by_model
    assert both.by_language == ((pair[0].folder,), (pair[1].folder,))


def test_an_ensemble_needs_a_model() -> None:
    with pytest.raises(ValueError, match="at least one model"):
        Ensemble([])
