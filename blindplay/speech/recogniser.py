"""Words from sound: Vosk with a grammar of the phrases that make sense now.

Vosk's grammar is a bigram with back-off: any result can be a mixture of phrases, and its
confidence says little. So several alternatives are asked for, and one counts only if it is one of
the phrases and scores close enough to the best (`Hearing.decide`).
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blindplay.speech import models
from blindplay.speech.audio import RATE
from blindplay.speech.models import ModelError

ALTERNATIVES = 8
"""How many alternatives Vosk is asked for."""
MARGIN = 4.0
"""How far (in the natural logarithm of likelihood) a phrase may score below the best."""
COMMAND_MARGIN = 0.0
"""The same for commands: short words are triggered too easily by others."""
UNKNOWN = "[unk]"


class VocabularyError(ValueError):
    """A phrase has words the model does not know."""


@dataclass(frozen=True)
class Alternative:
    """One reading: plain words ("springer gustav eins") and its score, larger is likelier.

    `words` is empty where nothing but unknown sound was heard.
    """

    words: str
    score: float


@dataclass(frozen=True)
class Hearing:
    """What one utterance may have been, best first; no alternatives means silence."""

    alternatives: tuple[Alternative, ...] = ()

    @property
    def words(self) -> str:
        """Return the words of the best alternative, "" if there are none."""
        return self.alternatives[0].words if self.alternatives else ""

    def decide(
        self,
        phrases: Collection[str],
        *,
        commands: Collection[str] = (),
        margin: float = MARGIN,
        command_margin: float = COMMAND_MARGIN,
    ) -> str | None:
        """Return the first alternative that is a listed phrase within its margin, else None.

        `commands` are phrases to which `command_margin` applies; a phrase in both counts as a
        command. Case and spacing do not matter; the phrase is returned as it was listed.
        """
        if not self.alternatives:
            return None
        listed = {_plain(phrase): (phrase, margin) for phrase in phrases}
        listed |= {_plain(phrase): (phrase, command_margin) for phrase in commands}
        best = self.alternatives[0].score
        for alternative in self.alternatives:
            phrase, allowed = listed.get(_plain(alternative.words), ("", -1.0))
            if phrase and best - alternative.score <= allowed:
                return phrase
        return None


def _plain(phrase: str) -> str:
    return " ".join(phrase.casefold().split())


class Recogniser:
    """A loaded model. Loading takes 0.05 s for the built-in one; recognising is thread-safe.

    `spellings` maps words of the phrases to the model's own, {"cesar": "cäsar"}; what is heard is
    given back in the phrase's words. Raises ModelError when the model cannot be loaded.
    """

    def __init__(
        self, model: Path, language: str, *, spellings: Mapping[str, str] | None = None
    ) -> None:
        models.check_model(model)
        self.language = language
        self.vocabulary = models.vocabulary(model)
        """Every word the model can hear, square tokens ("gustav_eins") included."""
        self._spellings = {_plain(word): _plain(to) for word, to in (spellings or {}).items()}
        self._vosk = _vosk()
        try:
            self._model: Any = self._vosk.Model(str(model))
        except Exception as error:  # vosk raises nothing more specific
            raise ModelError(
                f"Vosk cannot load the model in {model}; unpack the model again."
            ) from error

    def missing(self, phrases: Iterable[str]) -> list[str]:
        """Return the words of `phrases` the model does not know, sorted, each once.

        Vosk would drop them in silence and hear the rest of the phrase as the whole.
        """
        words = {word for phrase in phrases for word in _plain(phrase).split()}
        return sorted(word for word in words if self._known(word) is None)

    def sayable(self, phrases: Iterable[str]) -> list[str]:
        """Return those of `phrases` of which every word is known, in their order."""
        return [phrase for phrase in phrases if not self.missing([phrase])]

    def _known(self, word: str) -> str | None:
        if word in self.vocabulary:
            return word
        other = self._spellings.get(word)
        return other if other in self.vocabulary else None

    def grammar(self, phrases: Iterable[str]) -> dict[str, str]:
        """Return the model's token string of each phrase, mapped to the phrase as given.

        Adjacent words are joined ("gustav eins" → "gustav_eins") where the model has the token.
        Raises VocabularyError naming the words the model does not know.
        """
        phrases = list(phrases)
        if missing := self.missing(phrases):
            raise VocabularyError(
                f"The speech model does not know: {', '.join(missing)}; "
                "leave those phrases out or choose another model."
            )
        tokens: dict[str, str] = {}
        for phrase in phrases:
            words = [self._known(word) or word for word in _plain(phrase).split()]
            joined: list[str] = []
            for word in words:
                if joined and f"{joined[-1]}_{word}" in self.vocabulary:
                    joined[-1] = f"{joined[-1]}_{word}"
                else:
                    joined.append(word)
            if joined:
                tokens.setdefault(" ".join(joined), phrase)
        return tokens

    def recognise(self, pcm: bytes, phrases: Sequence[str]) -> Hearing:
        """Return what one utterance (16 kHz mono 16-bit PCM) may have been.

        `phrases` is all that may be said now, as plain words, commands included; anything else is
        heard as unknown or as the nearest phrase, which `Hearing.decide` then judges. Raises
        VocabularyError.
        """
        run = self.start(phrases)
        run.accept(pcm)
        return run.finish()

    def start(self, phrases: Sequence[str]) -> "Run":
        """Return a decoder for a stream of sound with this grammar. Raises VocabularyError."""
        tokens = self.grammar(phrases)
        items = [*tokens] + ([UNKNOWN] if UNKNOWN in self.vocabulary else [])
        kaldi = self._vosk.KaldiRecognizer(
            self._model, float(RATE), json.dumps(items, ensure_ascii=False)
        )
        kaldi.SetMaxAlternatives(ALTERNATIVES)
        return Run(kaldi, tokens)


class Run:
    """One decoder and its grammar; use it from one thread."""

    def __init__(self, kaldi: Any, tokens: Mapping[str, str]) -> None:
        self._kaldi = kaldi
        self._phrases = {text.replace("_", " "): phrase for text, phrase in tokens.items()}

    def accept(self, pcm: bytes) -> bool:
        """Take sound; return whether the utterance has ended by a pause."""
        return bool(self._kaldi.AcceptWaveform(pcm))

    def partial(self) -> str:
        """Return the words heard so far in this utterance, unknown sound left out."""
        told = json.loads(self._kaldi.PartialResult()).get("partial", "")
        return " ".join(word for word in str(told).replace("_", " ").split() if word != UNKNOWN)

    def result(self) -> Hearing:
        """Return the utterance that `accept` found to have ended."""
        return self._hearing(self._kaldi.Result())

    def finish(self) -> Hearing:
        """Return what has been heard since the last result, the sound having ended."""
        return self._hearing(self._kaldi.FinalResult())

    def _hearing(self, told: str) -> Hearing:
        heard: dict[str, float] = {}
        for entry in json.loads(told).get("alternatives", []):
            tokens = str(entry.get("text", "")).split()
            if not tokens:
                continue
            while tokens and tokens[0] == UNKNOWN:
                tokens.pop(0)
            while tokens and tokens[-1] == UNKNOWN:
                tokens.pop()
            words = " ".join(tokens).replace("_", " ")
            score = float(entry.get("confidence", 0.0))
            words = self._phrases.get(words, words)
            heard[words] = max(score, heard.get(words, score))
        # sorted() is stable: equal scores keep Vosk's order.
        best_first = sorted(heard.items(), key=lambda item: -item[1])
        return Hearing(tuple(Alternative(words, score) for words, score in best_first))


def _vosk() -> Any:
    import vosk

    vosk.SetLogLevel(-1)
    return vosk
