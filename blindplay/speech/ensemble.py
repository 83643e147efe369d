"""Several models that hear the same sound: each mishears in its own way, and seldom the same.

An English ear confuses *zwei* and *drei*, a French one loses the *h* of *Hector*, and both fail in
noise, in which the built-in model was trained. What each thinks likely is summed: a reading costs,
in each, by how much it is behind that model's best, and a limited sum where a model has not thought
of it at all. So one model alone can make us doubt, but neither take anything nor rule it out.

Models that cannot be loaded, or fail, drop out; the others go on.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from .audio import amplified
from .models.folders import ModelError
from .recogniser import (
    ClosedGrammar,
    Hypothesis,
    Recogniser,
    Recognition,
    UtteranceDecoder,
    VocabularyError,
)

log = logging.getLogger(__name__)

MOST_BEHIND = 8.0
"""By so many nats at most one model can speak against a reading, whether it thought of it or
not."""

PATIENCE_S = 1.5
"""So many seconds are the others waited for when the first has come to its result. Vosk seldom
takes many seconds for an utterance, mostly in noise; whoever does has no vote on it."""
HANGING_S = 20.0
"""A model that takes so many seconds longer than the first for sound that goes on hangs: the others
go on without it. Less than for how long a listener waits for all of them."""
_TOO_LATE = 3  # utterances of which a model has not come back: it will not come back any more
TOO_FAR = 0.6
"""What is farther from being the best of all models than this share of what one model's word alone
would leave is not agreed on."""

T = TypeVar("T")
K = TypeVar("K")


def out_of_vocabulary(phrases: Iterable[str]) -> VocabularyError:
    """The error that no model knows all words of these phrases."""
    return VocabularyError(
        f"No speech model knows all words of: {', '.join(sorted(phrases))}; "
        "leave those phrases out or choose another model."
    )


def summed(recognitions: Iterable[Recognition]) -> Recognition:
    """What several models together make of one utterance.

    The score of a reading is the sum, over the models that heard anything, of the nats by which it
    is behind that model's best: 0 where all agree, never less than MOST_BEHIND a model. Sound
    before and after the words counts as what most of it there was in any, and the words as late as
    to the model that heard them first. What one model heard alone stays as it was.
    """
    parts = tuple(recognitions)
    if len(parts) == 1:
        return parts[0]
    heard: dict[str, list[Hypothesis]] = {}
    for part in parts:
        of_part: dict[str, Hypothesis] = {}
        for one in part.hypotheses:
            of_part.setdefault(one.words, one)  # the likeliest come first
        for words, one in of_part.items():
            heard.setdefault(words, []).append(one)
    scores = votes(parts, {words: words for words in heard})
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
    return Recognition(tuple(together), parts)


def votes(parts: Iterable[Recognition], meanings: Mapping[str, K]) -> dict[K, tuple[float, bool]]:
    """How likely each meaning is to the models together, and whether they agree on it: whether
    several thought of it, and it is not far from the best of each.

    `meanings` maps the words of readings to what they mean, so that it does not matter in which
    words each model heard it; others are passed over. The number is a sum of nats as in `summed`.
    """
    behind = [_behind(part, meanings) for part in parts if part.hypotheses]
    lone = -MOST_BEHIND * (len(behind) - 1)  # one model's best, of which no other has thought
    found = {}
    for key in dict.fromkeys(meanings.values()):
        votes_of = [one.get(key, -MOST_BEHIND) for one in behind]
        several = sum(vote > -MOST_BEHIND for vote in votes_of) > 1
        found[key] = sum(votes_of), several and sum(votes_of) > TOO_FAR * lone
    return found


def _behind(part: Recognition, meanings: Mapping[str, K]) -> dict[K, float]:
    best = part.hypotheses[0].score
    found: dict[K, float] = {}
    for one in part.hypotheses:
        if one.words in meanings:  # the likeliest come first
            found.setdefault(meanings[one.words], max(one.score - best, -MOST_BEHIND))
    return found


class Ensemble:
    """Models that listen together; what a `Recogniser` can do, this can, too.

    The first is the most trusted: it says what has been heard so far. Decoding is done in a thread
    for each model. A phrase is listened for if any model knows its words; one that does not know
    them speaks against it. `on_lost` is called with one sentence when a model fails at work, in
    whatever thread that happens.

    Raises ValueError without recognisers, or when they are not of one language.
    """

    def __init__(
        self,
        recognisers: Sequence[Recogniser],
        *,
        on_lost: Callable[[str], None] | None = None,
    ) -> None:
        if len({one.language for one in recognisers}) != 1:
            raise ValueError("Give models of one language to listen together.")
        self.language = recognisers[0].language
        self.on_lost = on_lost
        self._members = tuple(recognisers)
        self._lock = threading.Lock()
        # More threads than models: who was not waited for may still be at it.
        threads = (_TOO_LATE + 1) * len(recognisers)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="model")
        self._at_it: list[tuple[Recogniser, Future[Any]]] = []

    @property
    def members(self) -> tuple[Recogniser, ...]:
        """Return the models that listen, those that failed left out."""
        return self._members

    @property
    def folders(self) -> tuple[Path, ...]:
        """Return where the models are that listen."""
        return tuple(one.folder for one in self._members)

    @property
    def vocabulary(self) -> frozenset[str]:
        """Return every word that any of the models can hear."""
        return frozenset().union(*(one.vocabulary for one in self._members))

    def unknown_words(self, phrases: Iterable[str]) -> list[str]:
        """Return the words of `phrases` that no model knows, sorted, each once."""
        phrases = list(phrases)
        return sorted(set.intersection(*(set(one.unknown_words(phrases)) for one in self._members)))

    def known_phrases(self, phrases: Iterable[str]) -> list[str]:
        """Return those of `phrases` of which some model knows every word, in their order."""
        phrases = list(phrases)
        known = {phrase for one in self._members for phrase in one.known_phrases(phrases)}
        return [phrase for phrase in phrases if phrase in known]

    def recognise(self, pcm: bytes, phrases: Sequence[str]) -> Recognition:
        """Return what one utterance (16 kHz mono 16-bit PCM) may have been, however soft.

        Raises VocabularyError for a phrase that no model knows.
        """
        run = self.start(phrases)
        run.accept(amplified(pcm), whole=True)
        return run.finish(patience=None)

    def start(self, phrases: Sequence[str]) -> EnsembleDecoder:
        """Return decoders for a stream of sound with this grammar.

        Raises VocabularyError for a phrase that no model knows.
        """
        self._leave_behind()
        members, unknown = self._members, set(phrases)
        closed: list[ClosedGrammar] = []
        for number, one in enumerate(members):
            # Adapted models all know the same words: what was made of the grammar serves them all.
            alike = (
                at for at, other in enumerate(members[:number]) if one.shares_words_with(other)
            )
            at = next(alike, None)
            if at is None:
                known = one.known_phrases(phrases)
                unknown.difference_update(known)
                closed.append(one.closed_grammar(known))
            else:
                closed.append(closed[at])
        if unknown:
            raise out_of_vocabulary(unknown)
        runs = [(one, one.start_with(made)) for one, made in zip(members, closed, strict=True)]
        return EnsembleDecoder(runs, self._each, self._lose)

    def _leave_behind(self) -> None:
        """A model that has not come back from several utterances is lost."""
        with self._lock:
            self._at_it = [one for one in self._at_it if not one[1].done()]
            late = Counter(id(model) for model, _ in self._at_it)
        for model in self._members[:]:
            if late[id(model)] >= _TOO_LATE and self._members != (model,):
                self._lose(model, TimeoutError("it hangs"))

    def _each(
        self,
        models: Sequence[Recogniser],
        work: Sequence[Callable[[], T]],
        patience: float | None = None,
    ) -> list[T | Exception | None]:
        """Do this at the same time, a thread for each of ``models``; what went wrong instead of
        what came of it, and None for what took ``patience`` seconds longer than the first."""

        def tried(one: Callable[[], T]) -> T | Exception:
            try:
                return one()
            except Exception as error:  # Vosk raises nothing more specific
                return error

        if len(work) == 1:
            return [tried(work[0])]
        begun = [self._pool.submit(tried, one) for one in work]
        wait(begun, return_when=FIRST_COMPLETED)
        wait(begun, timeout=patience)
        with self._lock:
            late = zip(models, begun, strict=True)
            self._at_it += [(model, one) for model, one in late if not one.done()]
        return [one.result() if one.done() else None for one in begun]

    def _lose(self, lost: Recogniser, error: Exception) -> None:
        """A model has failed: the others go on without it, and the last one's error is told."""
        with self._lock:
            if lost not in self._members:
                return
            if self._members == (lost,):
                raise ModelError(f"The speech model in {lost.folder} failed ({error}).") from error
            self._members = tuple(one for one in self._members if one is not lost)
        log.error("the model in %s failed: %s", lost.folder, error)
        if self.on_lost is not None:
            self.on_lost(
                f"The speech model in {lost.folder} failed and no longer listens; the others go "
                "on. Run blindplay models check."
            )


class EnsembleDecoder:
    """The decoders of several models on one stream of sound; use it from one thread."""

    def __init__(
        self,
        runs: Sequence[tuple[Recogniser, UtteranceDecoder]],
        each: Callable[..., list[object]],
        lose: Callable[[Recogniser, Exception], None],
    ) -> None:
        self._runs = list(runs)
        self._each, self._lose = each, lose

    def accept(self, pcm: bytes, *, whole: bool = False) -> bool:
        """Take sound; return whether the utterance has ended by a pause, as the first has it. A
        model that hangs is lost; with ``whole``, of sound of any length, it is waited for."""
        taken = self._of_each(lambda run: run.accept(pcm), None if whole else HANGING_S)
        for member, ended in zip(list(self._runs), taken, strict=True):
            if ended is None:
                self._lose(member[0], TimeoutError("it hangs"))
                self._runs.remove(member)
        return bool(next(ended for ended in taken if ended is not None))

    def partial(self) -> str:
        """Return the words heard so far in this utterance by the first model."""
        return self._runs[0][1].partial()

    def finish(self, patience: float | None = PATIENCE_S) -> Recognition:
        """Return what has been heard, the sound having ended. A model that takes ``patience``
        seconds longer than the first has heard nothing; None: it is waited for."""
        heard = self._of_each(lambda run: run.finish(), patience)
        return summed(one if one is not None else Recognition() for one in heard)

    def _of_each(
        self, ask: Callable[[UtteranceDecoder], T], patience: float | None = None
    ) -> list[T | None]:
        models = [model for model, _ in self._runs]
        work = [lambda run=run: ask(run) for _, run in self._runs]
        answers = self._each(models, work, patience)
        told: list[T | None] = []
        for member, answer in zip(list(self._runs), answers, strict=True):
            if isinstance(answer, Exception):
                self._lose(member[0], answer)
                self._runs.remove(member)
            else:
                told.append(answer)  # type: ignore[arg-type]
        return told


AnyRecogniser: TypeAlias = Recogniser | Ensemble
"""One model, or several together."""
