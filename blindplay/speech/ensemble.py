"""Several speech models that listen together.

Each model mishears in its own way, and two seldom in the same. An English model confuses *zwei* and
*drei*, a French one drops the *h* of *Hector*, and both fail in noise, in which the built-in model
was trained. The ensemble sums the scores: in each model a reading costs by how much it is behind
that model's best, and a limited sum if the model has not thought of it at all. So a single model
can raise doubt, but it can neither settle nor exclude anything.

Where the built-in model listens, only it listens for other talk, too. That is two thirds of the
work, and the built-in model needs least for it: the others say how well the sound fits what is
expected. Without its vote nothing is accepted at once (``Recognition.heard_talk``). While it is
late, the others listen for other talk themselves.

Models of several languages do not vote together, because an utterance is in one of them. Each
language makes its own recognition of it (``Recognition.elsewhere``).

A model that cannot be loaded, or that fails, drops out, and the others go on. A model that is only
late loses its vote on that utterance. It sits out until it has caught up, and then it votes again.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from blindplay.translation import UserError, _

from .audio import amplified
from .callbacks import call_all
from .models.folders import ModelError
from .recogniser import (
    Hypothesis,
    Recogniser,
    Recognition,
    UtteranceDecoder,
    VocabularyError,
)

log = logging.getLogger(__name__)

MOST_BEHIND = 8.0
"""Limit of the nats by which one model can count against a reading, known to it or not."""
UNTHOUGHT = 6.0
"""The same for what a model was not listening for: it cannot have thought of it."""
PATIENCE_S = 1.5
"""Seconds after the first result until the others are no longer waited for. Vosk seldom takes
seconds for an utterance, mostly in noise. A model that does has no vote on it."""
LATE_S = 5.0
"""Seconds after the first model until the others are no longer waited for with a block of sound.
Nobody waits for an answer yet, so it is more than ``PATIENCE_S``."""
WHOLE_S = 20.0
"""The same for a whole utterance at once. It is less than the listener's own patience."""
OUT_S = 10.0
"""Seconds of lateness after which a model is reported. They double with each report, so that a busy
machine does not report all the time."""

T = TypeVar("T")


def summed(recognitions: Iterable[Recognition]) -> Recognition:
    """Return what several models together make of one utterance.

    The score of a reading is the sum, over the models that heard anything, of the nats by which it
    is behind that model's best: 0 if all agree, at least -MOST_BEHIND a model. ``unknown_edges``
    are the most that any model heard, the onset delay is the shortest. A recognition of one model
    alone stays as it is.
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
    each = votes(by_model, {words: words for words in heard})
    together = (
        Hypothesis(
            words,
            sum(vote.of(words) for vote in each),
            max(one.unknown_edges for one in several),
            min(one.onset_delay_s for one in several),
        )
        for words, several in heard.items()
    )
    # sorted() is stable: equal scores keep the order of the first model.
    return Recognition(tuple(sorted(together, key=lambda one: -one.score)), by_model)


@dataclass(frozen=True)
class Vote:
    """The nats by which each meaning that a model has thought of is ``behind`` its best: 0 to
    -MOST_BEHIND. ``expected_only``: it listened for expected phrases only."""

    behind: Mapping[Any, float]
    expected_only: bool = False

    def of(self, meaning: Hashable, *, expected: bool = True) -> float:
        """Return the nats by which this meaning, expected or not, is behind."""
        unthought = UNTHOUGHT if self.expected_only and not expected else MOST_BEHIND
        return self.behind.get(meaning, -unthought)


def votes(by_model: Iterable[Recognition], meanings: Mapping[str, Hashable]) -> list[Vote]:
    """Return the vote of each model that heard anything.

    ``meanings`` maps the words of readings to their meanings, so that models may have heard a
    meaning in different words. Other readings are ignored.
    """
    return [_vote(recognition, meanings) for recognition in by_model if recognition.hypotheses]


def _vote(recognition: Recognition, meanings: Mapping[str, Hashable]) -> Vote:
    best = recognition.hypotheses[0].score
    scores: dict[Hashable, float] = {}
    for hypothesis in recognition.hypotheses:
        if hypothesis.words in meanings:  # the likeliest come first
            scores.setdefault(
                meanings[hypothesis.words], max(hypothesis.score - best, -MOST_BEHIND)
            )
    return Vote(scores, recognition.expected_only)


def built_in_first(models: Iterable[Recogniser]) -> list[Recogniser]:
    """Return models in the order of their votes: the built-in one first, the others as before."""
    return sorted(models, key=lambda model: not model.is_built_in)


class Ensemble:
    """Models that listen together. It does what a ``Recogniser`` does.

    The first model is the most trusted: partial words are its, if it hears words at once. Each
    model decodes in a thread of its own. A phrase is listened for if any model knows its words; a
    model that does not know them counts against it. While only models that failed or are late know
    a phrase, it may still be given to ``start``, and is not listened for.

    The first language is the one that is expected most.

    :raises ValueError: without recognisers.
    """

    def __init__(self, recognisers: Sequence[Recogniser]) -> None:
        if not recognisers:
            raise UserError("Give at least one model to listen.")
        self._on_lost: list[Callable[[str], None]] = []
        self._on_back: list[Callable[[str], None]] = []
        self._loaded = tuple(recognisers)
        self._models = self._loaded  # without those that failed
        self._lock = threading.Lock()
        # Work under way, its model, and when it is due, in seconds of the monotonic clock.
        self._work: dict[Future[Any], tuple[Recogniser, float]] = {}
        self._out: frozenset[Recogniser] = frozenset()  # late for so long that people know it
        self._outages: Counter[Recogniser] = Counter()

    @property
    def members(self) -> tuple[Recogniser, ...]:
        """The models that listen, without those that failed or are out."""
        return tuple(model for model in self._models if model not in self._out)

    def watch(self, lost: Callable[[str], None], back: Callable[[str], None]) -> Callable[[], None]:
        """Call ``lost``, in any thread, with a sentence when a model fails or is late for long, and
        ``back`` when a late one has caught up. Return a function that ends this."""
        self._on_lost.append(lost)
        self._on_back.append(back)

        def unwatch() -> None:
            self._on_lost.remove(lost)
            self._on_back.remove(back)

        return unwatch

    @property
    def folders(self) -> tuple[Path, ...]:
        """Return the folders of the models that listen."""
        return tuple(model.folder for model in self.members)

    @property
    def by_language(self) -> tuple[tuple[Path, ...], ...]:
        """Return the folders of the models that listen, those of each language together."""
        folders: dict[str, tuple[Path, ...]] = {}
        for model in self.members:
            folders[model.language] = (*folders.get(model.language, ()), model.folder)
        return tuple(folders.values())

    def unknown_words(self, phrases: Iterable[str]) -> list[str]:
        """Return the words of ``phrases`` that no model knows, sorted, each once. Models that
        failed or are late count, too."""
        phrases = list(phrases)
        unknown = (set(model.unknown_words(phrases)) for model in self._loaded)
        return sorted(set.intersection(*unknown))

    def known_phrases(self, phrases: Iterable[str]) -> list[str]:
        """Return the ``phrases`` whose words one model knows, in their order. Models
        that failed or are late count, too: a listener keeps its phrases while models come and
        go."""
        phrases = list(phrases)
        known = {phrase for model in self._loaded for phrase in model.known_phrases(phrases)}
        return [phrase for phrase in phrases if phrase in known]

    def recognise(self, pcm: bytes, phrases: Sequence[str]) -> Recognition:
        """Return what one utterance (16 kHz mono 16-bit PCM), however soft, may have been. Raises
        VocabularyError for a phrase that no model knows."""
        decoder = self.start(phrases)
        decoder.accept(amplified(pcm), whole=True)
        return decoder.finish(patience=WHOLE_S)

    def start(self, phrases: Sequence[str]) -> "EnsembleDecoder":
        """Return a decoder of an utterance that listens for these phrases.

        :raises VocabularyError: for a phrase that no model knows.
        """
        ready = self._ready()
        members = self.members
        if unknown := set(phrases).difference(self.known_phrases(phrases)):
            raise VocabularyError(unknown)
        # Adapted models share their words, so one grammar serves them all.
        grammars: dict[Hashable, Any] = {}
        for model in members:
            if model.words not in grammars:
                grammars[model.words] = model.closed_grammar(model.known_phrases(phrases))
        narrow = {model.language for model in ready if model.is_built_in}
        started = [
            (
                model,
                model.start_with(
                    grammars[model.words], talk=model.is_built_in or model.language not in narrow
                ),
            )
            for model in members
            if model in ready
        ]
        return EnsembleDecoder(members, started, self._each, self._lose)

    def _ready(self) -> frozenset[Recogniser]:
        """The models that have done all that is due; all of them if none has. Tell which have been
        late for long, and which of those have caught up."""
        now = time.monotonic()
        with self._lock:
            due: dict[Recogniser, float] = {}
            for work, (model, at) in self._work.items():
                if now >= at and not work.done():
                    due[model] = min(at, due.get(model, at))
            back = self._out - due.keys()
            late = {
                model
                for model, at in due.items()
                if model in self.members and now - at >= OUT_S * 2 ** self._outages[model]
            }
            if not set(self.members) - late | back:
                late = set()  # somebody must listen
            self._out = self._out - back | late
            self._outages.update(late)
            ready = frozenset(self.members) - due.keys() or frozenset(self.members)
        for model in late:
            log.error("the model in %s is late", model.folder)
            call_all(
                self._on_lost,
                _(
                    "The speech model in {folder} is too slow at the moment; the others go "
                    "on until it has caught up.",
                    folder=model.folder,
                ),
            )
        for model in back:
            call_all(
                self._on_back, _("The speech model in {folder} listens again.", folder=model.folder)
            )
        return ready

    def _each(
        self,
        models: Sequence[Recogniser],
        work: Sequence[Callable[[], T]],
        patience: float,
    ) -> list[T | Exception | None]:
        """Do the work of each of ``models`` at the same time, in a thread for each. Return the
        results; an exception in place of one that failed, and None in place of one that took
        ``patience`` seconds longer than the first."""
        futures = [_begin(task) for task in work]
        due = time.monotonic() + WHOLE_S
        with self._lock:
            self._work = {future: at for future, at in self._work.items() if not future.done()}
            self._work |= {
                future: (model, due) for model, future in zip(models, futures, strict=True)
            }
        wait(futures, return_when=FIRST_COMPLETED)
        wait(futures, timeout=patience)
        now = time.monotonic()
        with self._lock:
            for model, future in zip(models, futures, strict=True):
                if not future.done():
                    self._work[future] = model, now
        return [future.result() if future.done() else None for future in futures]

    def _lose(self, lost: Recogniser, error: Exception) -> None:
        """Go on without a model that has failed. If it is the last one, raise ModelError."""
        with self._lock:
            if lost not in self._models:
                return
            if self.members == (lost,):
                raise ModelError(
                    "The speech model in {folder} failed ({error}).",
                    folder=lost.folder,
                    error=error,
                ) from error
            self._models = tuple(model for model in self._models if model is not lost)
        log.error("the model in %s failed: %s", lost.folder, error)
        call_all(
            self._on_lost,
            _(
                "The speech model in {folder} failed and no longer listens; the others go "
                "on. Run blindplay models check.",
                folder=lost.folder,
            ),
        )


def _begin(work: Callable[[], T]) -> Future[T | Exception]:
    """Do this work in a thread, and return an exception as its result. The program ends without
    waiting for the thread, because a model may hang."""
    result: Future[T | Exception] = Future()

    def run() -> None:
        try:
            result.set_result(work())
        except Exception as error:  # Vosk raises nothing more specific
            result.set_result(error)

    threading.Thread(target=run, daemon=True, name="model").start()
    return result


class EnsembleDecoder:
    """The decoders of several models for one utterance. Use it from one thread.

    A model of ``members`` without a decoder counts as having heard nothing.
    """

    def __init__(
        self,
        members: Sequence[Recogniser],
        decoders: Sequence[tuple[Recogniser, UtteranceDecoder]],
        each: Callable[..., list[object]],
        lose: Callable[[Recogniser, Exception], None],
    ) -> None:
        self._members, self._decoders = list(members), list(decoders)
        self._each, self._lose = each, lose

    def accept(self, pcm: bytes, *, whole: bool = False) -> bool:
        """Take sound, or with ``whole`` all of it. Return whether, to the first model, a pause has
        ended the utterance. A model that is late has no vote on it."""
        ended = self._of_each(lambda decoder: decoder.accept(pcm), WHOLE_S if whole else LATE_S)
        return any(list(ended.values())[:1])

    def partial(self) -> str:
        """Return the words that the first model has heard so far."""
        return next((decoder.partial() for _, decoder in self._decoders), "")

    def finish(self, patience: float = PATIENCE_S) -> Recognition:
        """Return what was said, at the end of the sound. A model that takes ``patience`` seconds
        longer than the first counts as having heard nothing."""
        results = self._of_each(lambda decoder: decoder.finish(), patience)
        by_language: dict[str, list[Recognition]] = {model.language: [] for model in self._members}
        for member in built_in_first(self._members):
            by_language[member.language].append(results.get(member, Recognition()))
        first, *others = map(summed, by_language.values())
        return replace(first, elsewhere=tuple(others)) if others else first

    def _of_each(
        self, ask: Callable[[UtteranceDecoder], T], patience: float
    ) -> dict[Recogniser, T]:
        """Ask each decoder. Drop those that failed or are late."""
        decoders = list(self._decoders)
        models = [model for model, _ in decoders]
        work = [lambda decoder=decoder: ask(decoder) for _, decoder in decoders]
        results: dict[Recogniser, T] = {}
        for member, answer in zip(decoders, self._each(models, work, patience), strict=True):
            if isinstance(answer, Exception):
                self._lose(member[0], answer)
                self._members.remove(member[0])
            if answer is None or isinstance(answer, Exception):
                self._decoders.remove(member)
            else:
                results[member[0]] = answer  # type: ignore[assignment]
        return results


AnyRecogniser: TypeAlias = Recogniser | Ensemble
"""One model, or several together."""
AnyDecoder: TypeAlias = UtteranceDecoder | EnsembleDecoder
"""The result of ``AnyRecogniser.start``."""
