"""Several models that listen together."""

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
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
    VoskGrammar,
)
from blindplay.speech.synthesis import Synthesiser
from tests.waiting import PATIENCE_S, until

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
    monkeypatch.setattr(
        one, "start_with", lambda closed, **how: Failing(begin(closed, **how), what)
    )


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
    both = Ensemble(pair)
    both.watch(lost.append, lost.append)
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


class Late(Failing):
    """A model at work that does ``what`` only when it is let; until then its thread is busy."""

    def __init__(self, run: UtteranceDecoder, what: str, let: threading.Event) -> None:
        super().__init__(run, "")
        self._late, self._let = what, let

    def accept(self, pcm: bytes) -> bool:
        if self._late == "accept":
            self._let.wait(PATIENCE_S)
        return self._run.accept(pcm)

    def finish(self) -> Recognition:
        if self._late == "finish":
            self._let.wait(PATIENCE_S)
        return self._run.finish()


class Watched:
    """Two models, of which the second is late when it is told to be, and what people learn."""

    def __init__(
        self, pair: tuple[Recogniser, Recogniser], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.both, self.told = Ensemble(pair), list[str]()
        self.both.watch(lambda _: self.told.append("gone"), lambda _: self.told.append("back"))
        self.pair, self._patch = pair, monkeypatch
        begin = pair[1].start_with

        def start_with(closed: VoskGrammar, **how: bool) -> UtteranceDecoder | Late:
            run = begin(closed, **how)
            return Late(run, self._late, self._let) if self._late else run

        monkeypatch.setattr(pair[1], "start_with", start_with)
        self.late("")

    def late(self, what: str) -> None:
        """From now on the second model is late; only then the other does not wait for it."""
        self._late, self._let = what, threading.Event()
        self._patch.setattr(ensemble, "LATE_S", 0.1 if what == "accept" else 60.0)

    def in_time(self) -> None:
        """From now on it is not; what it was late with comes, too."""
        self._let.set()
        self.late("")
        assert until(lambda: all(work.done() for work in self.both._work))

    def votes(self, sound: bytes) -> list[bool]:
        """Which of the two have voted on what is said; it is understood in any case."""
        run = self.both.start(PHRASES)
        run.accept(sound)
        recognition = run.finish(patience=0.1 if self._late == "finish" else 60.0)
        assert recognition.words == KNIGHT
        return [bool(part.hypotheses) for part in recognition.by_model] or [True]


@pytest.fixture
def watched(
    pair: tuple[Recogniser, Recogniser], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Watched]:
    made = Watched(pair, monkeypatch)
    yield made
    made.in_time()


@pytest.mark.parametrize("what", ["accept", "finish"])
def test_a_model_that_is_late_has_no_vote_until_it_has_caught_up(
    watched: Watched, sound: bytes, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr(ensemble, "OUT_S", 1e9)
    for _ in range(2):
        watched.late(what)
        assert watched.votes(sound) == [True, False]
        assert watched.votes(sound) == [True, False]  # it sits out
        watched.in_time()
        assert watched.votes(sound) == [True, True]
    assert watched.told == [] and watched.both.members == watched.pair


def test_a_model_that_is_late_for_long_is_told_once_and_told_when_it_is_back(
    watched: Watched, sound: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ensemble, "OUT_S", 0.0)
    for outages in (1, 2):
        watched.late("accept")
        watched.votes(sound)
        for _ in range(3):
            assert watched.votes(sound) == [True]  # the other decides alone, as it was measured
        assert watched.told == ["gone", "back"] * (outages - 1) + ["gone"]
        assert watched.both.members == watched.pair[:1]
        watched.in_time()
        assert watched.votes(sound) == [True, True]
        assert watched.told == ["gone", "back"] * outages


def test_who_watches_no_longer_is_told_nothing(
    pair: tuple[Recogniser, Recogniser], sound: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that is closed has no voice any more, and its recogniser may serve another one."""
    both, told = Ensemble(pair), list[str]()
    unwatch = both.watch(told.append, told.append)
    both.watch(told.append, told.append)
    unwatch()
    fails(pair[0], "accept", monkeypatch)
    assert both.recognise(sound, PHRASES).words == KNIGHT
    assert len(told) == 1


def test_the_more_often_a_model_was_late_the_longer_people_hear_nothing_of_it(
    watched: Watched, sound: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    lasted = []
    for _ in range(3):
        watched.late("finish")
        watched.votes(sound)
        told, began = len(watched.told), now[0]
        while len(watched.told) == told:
            now[0] += ensemble.OUT_S
            watched.both.start(PHRASES)
        lasted.append(now[0] - began)
        watched.in_time()
        watched.both.start(PHRASES)
    assert lasted == [ensemble.OUT_S * times for times in (1, 2, 4)]
    assert watched.told == ["gone", "back"] * 3


@pytest.mark.parametrize("what", ["accept", "finish"])
def test_a_model_that_never_comes_back_is_told_once_and_occupies_one_thread(
    watched: Watched, sound: bytes, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr(ensemble, "OUT_S", 0.0)
    monkeypatch.setattr(ensemble, "WHOLE_S", 0.2)
    watched.late(what)
    for _ in range(4):
        watched.votes(sound)
    assert watched.both.recognise(sound, PHRASES).words == KNIGHT
    assert watched.told == ["gone"]
    assert sum(not work.done() for work in watched.both._work) == 1


def test_a_model_that_hangs_does_not_keep_the_program_from_ending(
    watched: Watched, sound: bytes
) -> None:
    watched.late("accept")
    watched.votes(sound)
    hanging = [one for one in threading.enumerate() if one.name.startswith("model")]
    assert hanging and all(one.daemon for one in hanging)


def test_when_all_models_are_late_they_are_asked_all_the_same(
    pair: tuple[Recogniser, Recogniser], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody must listen. The listener itself abandons what hangs."""
    monkeypatch.setattr(ensemble, "OUT_S", 0.0)
    both, told = Ensemble(pair), list[str]()
    both.watch(told.append, told.append)
    both._work |= {Future[None](): (model, 0.0) for model in pair}
    assert len(both.start(PHRASES)._decoders) == 2
    assert both.members == pair and told == []


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


def test_beside_the_built_in_model_others_listen_only_for_what_is_expected(
    watched: Watched, sound: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ensemble, "OUT_S", 1e9)
    other, built_in = watched.pair

    def heard_by_both() -> tuple[list[bool], bool]:
        run = watched.both.start(PHRASES)
        run.accept(sound)
        recognition = run.finish(patience=0.1 if watched._late == "finish" else 60.0)
        assert recognition.words == KNIGHT
        return [one.expected_only for one in recognition.by_model], recognition.heard_talk

    assert heard_by_both() == ([False, False], True)  # both are the built-in one
    monkeypatch.setattr(other, "is_built_in", False)
    assert heard_by_both() == ([False, True], True)  # its vote comes first
    watched.late("finish")
    assert heard_by_both() == ([False, True], False)
    # While it is late, the other one listens for other talk, too, and yet nothing is surely ours.
    assert heard_by_both() == ([False, False], False)
    watched.in_time()
    assert heard_by_both() == ([False, True], True)
    monkeypatch.setattr(built_in, "is_built_in", False)
    assert heard_by_both() == ([False, False], True)


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


@pytest.fixture(scope="module")
def german_and_english() -> tuple[Recogniser, Recogniser]:
    return Recogniser(MODEL, "de"), Recogniser(find_model("en"), "en")


IN_BOTH_LANGUAGES = [*PHRASES, "knight gustav one felix three"]


def test_the_only_model_of_a_language_may_fail_and_the_other_language_is_heard_on(
    german_and_english: tuple[Recogniser, Recogniser],
    sound: bytes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    german, english = german_and_english
    both = Ensemble(german_and_english)
    fails(english, "accept", monkeypatch)
    for _ in range(2):
        assert both.recognise(sound, IN_BOTH_LANGUAGES).words == KNIGHT
    assert list(both.members) == [german]
    assert both.known_phrases(IN_BOTH_LANGUAGES) == IN_BOTH_LANGUAGES
    with pytest.raises(VocabularyError, match="xylophon"):
        both.start([*IN_BOTH_LANGUAGES, "springer xylophon"])


def test_a_language_is_heard_again_with_the_same_phrases_when_its_model_is_back(
    german_and_english: tuple[Recogniser, Recogniser], sound: bytes
) -> None:
    german, english = german_and_english
    both, late = Ensemble(german_and_english), Future[None]()
    both._work[late] = english, -ensemble.OUT_S
    assert both.recognise(sound, IN_BOTH_LANGUAGES).words == KNIGHT
    assert list(both.members) == [german]
    late.set_result(None)
    assert len(both.recognise(sound, IN_BOTH_LANGUAGES).elsewhere) == 1
    assert list(both.members) == [german, english]


def test_an_ensemble_needs_a_model() -> None:
    with pytest.raises(ValueError, match="at least one model"):
        Ensemble([])
