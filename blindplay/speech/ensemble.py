"""Several speech models that listen together.

Each model mishears in its own way, and two seldom in the same. An English model confuses *zwei* and
*drei*, a French one drops the *h* of *Hector*, and both fail in noise, in which the built-in model
was trained. The ensemble sums the scores: in each model a reading costs by how much it is behind
that model's best, and a limited sum if the model has not thought of it at all. So a single model
can raise doubt, but it can neither settle nor exclude anything.

Models of several languages do not vote together, because an utterance is in one of them. Each
language makes its own recognition of it (`Recognition.elsewhere`).

A model that cannot be loaded, or that fails, drops out. The others go on.
"""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from .audio import amplified
from .callbacks import call_all
from .models.folders import ModelError
from .recogniser import (
    Hypothesis,
    Recogniser,
    Recognition,
    UtteranceDecoder,
    VocabularyError,
    VoskGrammar,
)

log = logging.getLogger(__name__)

MOST_BEHIND = 8.0
"""One model can count against a reading by at most so many nats, known to it or not."""
MAX_DISAGREEMENT = 0.6
"""The models agree on a meaning if it is behind the best of all by less than this share of the nats
that one model's best loses when no other model has thought of it."""
PATIENCE_S = 1.5
"""So many seconds after the first result, the others are no longer waited for. Vosk seldom takes
seconds for an utterance, mostly in noise. A model that does has no vote on it."""
HANGING_S = 20.0
"""A model that takes so many seconds longer than the first for a block of sound hangs. It is
dropped before the listener's own patience ends."""
_MOST_OVERDUE = 3  # utterances: a model that owes the results of so many is lost

T = TypeVar("T")
K = TypeVar("K")


def summed(recognitions: Iterable[Recognition]) -> Recognition:
    """Return what several models together make of one utterance.

    The score of a reading is the sum, over the models that heard anything, of the nats by which it
    is behind that model's best: 0 if all agree, at least -MOST_BEHIND a model. `unknown_edges` are
    the most that any model heard, the onset delay is the shortest. A recognition of one model alone
    stays as it is.
    """
    by_model = tuple(recognitions)
    if len(by_model) == 1:
        return by_model[0]
    heard: dict[str, list[Hypothesis]] = {}
    for recognition in by_model:
        best: dict[str, Hypothesis] = {}
        for hypothesis in recognition.hypotheses:
            best.setdefault(hypothesis.words, hypothesis)  # the likeliest come first
        for words, hypothesis in best.items():
            heard.setdefault(words, []).append(hypothesis)
    scores = votes(by_model, {words: words for words in heard})
    # sorted() is stable: equal scores keep the order of the first model.
    ranked = sorted(scores.items(), key=lambda item: -item[1][0])
    together = (
        Hypothesis(
            words,
            score,
            max(one.unknown_edges for one in heard[words]),
            min(one.onset_delay_s for one in heard[words]),
        )
        for words, (score, _) in ranked
    )
    return Recognition(tuple(together), by_model)


def votes(
    by_model: Iterable[Recognition], meanings: Mapping[str, K]
) -> dict[K, tuple[float, bool]]:
    """Return for each meaning its score, a sum of nats as in `summed`, and whether the models agree
    on it: several have thought of it, and it is not far from the best of each.

    `meanings` maps the words of readings to their meanings, so that models may have heard a meaning
    in different words. Other readings are ignored.
    """
    behind = [_behind(one, meanings) for one in by_model if one.hypotheses]
    lone = -MOST_BEHIND * (len(behind) - 1)  # the score of one model's best that no other heard
    found = {}
    for key in dict.fromkeys(meanings.values()):
        votes_of = [one.get(key, -MOST_BEHIND) for one in behind]
        several = sum(vote > -MOST_BEHIND for vote in votes_of) > 1
        found[key] = sum(votes_of), several and sum(votes_of) > MAX_DISAGREEMENT * lone
    return found


def _behind(recognition: Recognition, meanings: Mapping[str, K]) -> dict[K, float]:
    best = recognition.hypotheses[0].score
    found: dict[K, float] = {}
    for one in recognition.hypotheses:
        if one.words in meanings:  # the likeliest come first
            found.setdefault(meanings[one.words], max(one.score - best, -MOST_BEHIND))
    return found


class Ensemble:
    """Models that listen together. It does what a `Recogniser` does.

    The first model is the most trusted: partial words are its. Each model decodes in a thread of
    its own. A phrase is listened for if any model knows its words; a model that does not know them
    counts against it.

    The first language is the one that is expected most. Raises ValueError without recognisers.
    """

    def __init__(
        self,
        recognisers: Sequence[Recogniser],
        *,
        on_lost: Callable[[str], None] | None = None,
    ) -> None:
        if not recognisers:
            raise ValueError("Give at least one model to listen.")
        self._on_lost = [] if on_lost is None else [on_lost]
        self.members = tuple(recognisers)
        """The models that listen, without those that failed."""
        self._lock = threading.Lock()
        # Threads of decoders that are overdue stay occupied.
        threads = (_MOST_OVERDUE + 1) * len(recognisers)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="model")
        self._overdue: list[tuple[Recogniser, Future[Any]]] = []

    def on_lost(self, callback: Callable[[str], None]) -> None:
        """Call `callback`, in any thread, with a sentence when a model fails and drops out."""
        if callback not in self._on_lost:
            self._on_lost.append(callback)

    @property
    def folders(self) -> tuple[Path, ...]:
        """Return the folders of the models that listen."""
        return tuple(one.folder for one in self.members)

    @property
    def by_language(self) -> tuple[tuple[Path, ...], ...]:
        """Return the folders of the models that listen, those of each language together."""
        found: dict[str, tuple[Path, ...]] = {}
        for one in self.members:
            found[one.language] = (*found.get(one.language, ()), one.folder)
        return tuple(found.values())

    def unknown_words(self, phrases: Iterable[str]) -> list[str]:
        """Return the words of `phrases` that no model knows, sorted, each once."""
        phrases = list(phrases)
        return sorted(set.intersection(*(set(one.unknown_words(phrases)) for one in self.members)))

    def known_phrases(self, phrases: Iterable[str]) -> list[str]:
        """Return those of `phrases` of which some model knows every word, in their order."""
        phrases = list(phrases)
        known = {phrase for one in self.members for phrase in one.known_phrases(phrases)}
        return [phrase for phrase in phrases if phrase in known]

    def recognise(self, pcm: bytes, phrases: Sequence[str]) -> Recognition:
        """Return what one utterance (16 kHz mono 16-bit PCM), however soft, may have been. Raises
        VocabularyError for a phrase that no model knows."""
        decoder = self.start(phrases)
        decoder.accept(amplified(pcm), whole=True)
        return decoder.finish(patience=None)

    def start(self, phrases: Sequence[str]) -> "EnsembleDecoder":
        """Return a decoder of an utterance that listens for these phrases. Raises VocabularyError
        for a phrase that no model knows."""
        self._drop_overdue()
        members, unknown = self.members, set(phrases)
        # Adapted models share their words, so one grammar serves them all.
        grammars: dict[Hashable, VoskGrammar] = {}
        for one in members:
            if one.words not in grammars:
                known = one.known_phrases(phrases)
                unknown.difference_update(known)
                grammars[one.words] = one.closed_grammar(known)
        if unknown:
            raise VocabularyError(unknown)
        started = [(one, one.start_with(grammars[one.words])) for one in members]
        return EnsembleDecoder(started, self._each, self._lose)

    def _drop_overdue(self) -> None:
        """Drop a model that still owes the results of several utterances."""
        with self._lock:
            self._overdue = [one for one in self._overdue if not one[1].done()]
            overdue = Counter(id(model) for model, _ in self._overdue)
        for model in self.members[:]:
            if overdue[id(model)] >= _MOST_OVERDUE and self.members != (model,):
                self._lose(model, TimeoutError("it hangs"))

    def _each(
        self,
        models: Sequence[Recogniser],
        work: Sequence[Callable[[], T]],
        patience: float | None = None,
    ) -> list[T | Exception | None]:
        """Do the work of each of ``models`` at the same time, in a thread for each. Return the
        results; an exception in place of one that failed, and None in place of one that took
        ``patience`` seconds longer than the first."""

        def result_or_error(one: Callable[[], T]) -> T | Exception:
            try:
                return one()
            except Exception as error:  # Vosk raises nothing more specific
                return error

        if len(work) == 1:
            return [result_or_error(work[0])]
        begun = [self._pool.submit(result_or_error, one) for one in work]
        wait(begun, return_when=FIRST_COMPLETED)
        wait(begun, timeout=patience)
        with self._lock:
            pairs = zip(models, begun, strict=True)
            self._overdue += [(model, one) for model, one in pairs if not one.done()]
        return [one.result() if one.done() else None for one in begun]

    def _lose(self, lost: Recogniser, error: Exception) -> None:
        """Go on without a model that has failed. If it is the last one, raise ModelError."""
        with self._lock:
            if lost not in self.members:
                return
            if self.members == (lost,):
                raise ModelError(f"The speech model in {lost.folder} failed ({error}).") from error
            self.members = tuple(one for one in self.members if one is not lost)
        log.error("the model in %s failed: %s", lost.folder, error)
        call_all(
            self._on_lost,
            f"The speech model in {lost.folder} failed and no longer listens; the others go on. "
            "Run blindplay models check.",
        )


class EnsembleDecoder:
    """The decoders of several models for one utterance. Use it from one thread."""

    def __init__(
        self,
        decoders: Sequence[tuple[Recogniser, UtteranceDecoder]],
        each: Callable[..., list[object]],
        lose: Callable[[Recogniser, Exception], None],
    ) -> None:
        self._decoders = list(decoders)
        self._each, self._lose = each, lose

    def accept(self, pcm: bytes, *, whole: bool = False) -> bool:
        """Take sound. Return whether, to the first model, a pause has ended the utterance.

        A model that hangs is lost. With ``whole``, for sound of any length, it is waited for."""
        patience = None if whole else HANGING_S
        late = TimeoutError("it hangs")
        return bool(self._of_each(lambda one: one.accept(pcm), patience, late)[0])

    def partial(self) -> str:
        """Return the words that the first model has heard so far."""
        return self._decoders[0][1].partial()

    def finish(self, patience: float | None = PATIENCE_S) -> Recognition:
        """Return what was said, at the end of the sound. A model that takes ``patience`` seconds
        longer than the first counts as having heard nothing; None: every model is waited for."""
        results = self._of_each(lambda one: one.finish(), patience)
        by_language: dict[str, list[Recognition]] = {}
        for (member, _), one in zip(self._decoders, results, strict=True):
            by_language.setdefault(member.language, []).append(one or Recognition())
        first, *others = map(summed, by_language.values())
        return replace(first, elsewhere=tuple(others)) if others else first

    def _of_each(
        self,
        ask: Callable[[UtteranceDecoder], T],
        patience: float | None,
        late: Exception | None = None,
    ) -> list[T | None]:
        """Ask each decoder. Drop those that failed and, if ``late`` is given, the late ones."""
        models = [model for model, _ in self._decoders]
        work = [lambda one=one: ask(one) for _, one in self._decoders]
        answers = self._each(models, work, patience)
        results: list[T | None] = []
        for member, answer in zip(list(self._decoders), answers, strict=True):
            failed = late if answer is None else answer
            if isinstance(failed, Exception):
                self._lose(member[0], failed)
                self._decoders.remove(member)
            else:
                results.append(answer)  # type: ignore[arg-type]
        return results


AnyRecogniser: TypeAlias = Recogniser | Ensemble
"""One model, or several together."""
AnyDecoder: TypeAlias = UtteranceDecoder | EnsembleDecoder
"""What `AnyRecogniser.start` returns."""
