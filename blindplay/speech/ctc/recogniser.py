"""Words from sound with an ONNX network: what `Recogniser` does with Vosk.

The network runs once, when an utterance has ended. Then every phrase that is expected gets its
exact probability, and so do the likeliest sequences of other words. All scores are nats above talk
(see `scoring`), and talk itself is one of the readings, with 0.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from ..audio import RATE, speech_onset_s
from ..models.folders import ModelError
from ..recogniser import (
    MOST_HYPOTHESES,
    Hypothesis,
    Recognition,
    SpeechModel,
    VocabularyError,
    plain,
)
from .alphabet import known_words
from .graph import PhraseGraph, Spelled
from .network import LONGEST_S, USUAL_S, CtcNetwork
from .scoring import Evidence
from .search import likely_sequences

_SHORTEST_S = 0.1  # of sound; less has no words, and networks cannot be run with it


class CtcRecogniser(SpeechModel):
    """A loaded ONNX network that hears ``language``. Recognising is thread-safe.

    `spellings` maps words to others that sound alike, {"remis": "remie"}: the network may write
    either. `words` are those of other talk. Raises ModelError if the network cannot be loaded, or
    if it is too slow here: it needs more than ``longest_s`` seconds for five seconds of sound.
    """

    def __init__(
        self,
        folder: Path,
        language: str,
        *,
        spellings: Mapping[str, str] | None = None,
        words: Iterable[str] = (),
        longest_s: float = LONGEST_S,
        threads: int | None = None,
    ) -> None:
        super().__init__(folder, language)
        self._network = CtcNetwork(folder, threads=threads)
        if (needed := self._network.usual_work_s) > longest_s:
            raise ModelError(
                f"The network in {folder} needs {needed:.1f} seconds for {USUAL_S:g} seconds of "
                f"sound on this machine, and a ruling waits {longest_s:g} at most; choose a "
                "smaller network, or one with 8-bit weights."
            )
        self.alphabet = self._network.alphabet
        self._others = {plain(word): plain(other) for word, other in (spellings or {}).items()}
        single = {part for word in words for part in plain(word).split()}
        self.vocabulary = frozenset(known_words(self.alphabet, single))
        """The words of other talk."""
        self.words = folder
        self._open = PhraseGraph.of(
            self.alphabet, {word: self._spelled(word) for word in sorted(self.vocabulary)}
        )

    def unknown_words(self, phrases: Iterable[str]) -> list[str]:
        words = {word for phrase in phrases for word in plain(phrase).split()}
        return sorted(word for word in words if not self._spelled(word)[0])

    def _spelled(self, phrase: str) -> Spelled:
        return [
            self.alphabet.spellings(word, *([self._others[word]] if word in self._others else []))
            for word in phrase.split()
        ]

    def closed_grammar(self, phrases: Sequence[str]) -> PhraseGraph:
        """Return the graph of these phrases. Raises VocabularyError."""
        if unknown := self.unknown_words(phrases):
            raise VocabularyError(unknown)
        spelled = {phrase: self._spelled(plain(phrase)) for phrase in phrases if phrase.strip()}
        return PhraseGraph.of(self.alphabet, spelled)

    def start_with(self, closed: PhraseGraph, *, talk: bool = True) -> "CtcDecoder":
        """Return a decoder of an utterance with this grammar, and with ``talk`` of other words."""
        return CtcDecoder(self, closed, talk=talk)

    def recognised(self, pcm: bytes, closed: PhraseGraph, *, talk: bool = True) -> Recognition:
        """Return what one utterance may have been. Raises ModelError if the network fails."""
        if len(pcm) < 2 * RATE * _SHORTEST_S:
            return Recognition()
        logits = self._network.logits(pcm)
        evidence = Evidence.of(logits, self.alphabet)
        found = _heard(closed, evidence)
        if evidence.silence > max([0.0, *(score for score, _ in found.values())]) - np.log(2):
            return Recognition()
        if talk:
            known = {plain(phrase) for phrase in found}
            others = [
                words
                for one in likely_sequences(evidence, self._open, MOST_HYPOTHESES)
                if (words := " ".join(one)) not in known
            ]
            graph = PhraseGraph.of(self.alphabet, {words: self._spelled(words) for words in others})
            found |= _heard(graph, evidence)
        found[""] = 0.0, 1
        delay = 0.0
        onset = speech_onset_s(pcm)
        if onset is not None and evidence.voiced is not None:
            delay = evidence.voiced * len(pcm) / (2 * RATE) / len(logits) - onset
        ranked = sorted(found.items(), key=lambda item: -item[1][0])
        return Recognition(
            tuple(
                Hypothesis(words, score, edges, 0.0 if edges else delay)
                for words, (score, edges) in ranked
            ),
            expected_only=not talk,
        )


def _heard(graph: PhraseGraph, evidence: Evidence) -> dict[str, tuple[float, int]]:
    """Return the likeliest phrases of a graph with their scores, and the edges that are talk."""
    scores, edges = evidence.scores(graph)
    likeliest = np.argsort(-scores, kind="stable")[:MOST_HYPOTHESES]
    return {
        graph.phrases[one]: (float(scores[one]), int(edges[one]))
        for one in likeliest
        if np.isfinite(scores[one])
    }


class CtcDecoder:
    """Keeps the sound of one utterance, and recognises it at its end. Use it from one thread."""

    gradual = False

    def __init__(self, recogniser: CtcRecogniser, closed: PhraseGraph, *, talk: bool) -> None:
        self._recogniser, self._closed, self._talk = recogniser, closed, talk
        self._sound = bytearray()
        self._result: tuple[int, Recognition] | None = None

    def accept(self, pcm: bytes) -> bool:
        """Take sound. Return whether a pause has ended the utterance: it never says so."""
        self._sound += pcm
        return False

    def partial(self) -> str:
        """Return the words heard so far: none, because the network hears whole utterances."""
        return ""

    def finish(self) -> Recognition:
        """Return what was said, at the end of the sound."""
        if self._result is None or self._result[0] != len(self._sound):
            result = self._recogniser.recognised(bytes(self._sound), self._closed, talk=self._talk)
            self._result = len(self._sound), result
        return self._result[1]
