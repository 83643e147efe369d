"""Words from sound: Vosk, listening for the phrases that make sense now and for anything else.

Every utterance is decoded twice. The *closed* grammar holds the phrases that are expected; the
*open* one holds every word there is, in any order, so that what nobody expects (an illegal move,
chatter) can win, too. Vosk's scores of the two cannot be compared, because its language model
charges differently in each: what it charges is taken off (see `bigram`), and what is left says how
well the sound fits the words. Vosk's own confidence is not used.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .audio import RATE, amplified, begins
from .bigram import Bigram
from .models import folders
from .models.folders import ModelError

ALTERNATIVES = 20
"""How many alternatives Vosk is asked for in each grammar; many differ in their timing only."""
UNKNOWN = "[unk]"
"""What stands for sound that is none of the model's words."""


class VocabularyError(ValueError):
    """A phrase has words the model does not know."""


@dataclass(frozen=True)
class Hypothesis:
    """One reading of an utterance.

    `words` are plain words ("springer gustav eins"), with UNKNOWN for other sound between them;
    before and after them it is left out, and `strays` counts those stretches (0 to 2). `words` is
    empty where nothing but other sound was heard. `score` is the logarithm of the likelihood of
    the sound given the words, in nats; it can be compared within one hearing only. `late`: so many
    seconds after somebody begins to speak the first of them begins; 0 where that is not known.
    """

    words: str
    score: float
    unknown_edges: int = 0
    onset_delay_s: float = 0.0


@dataclass(frozen=True)
class Recognition:
    """What one utterance may have been, best first; no alternatives means silence. ``parts``:
    where several models listened, what each of them made of it."""

    hypotheses: tuple[Hypothesis, ...] = ()
    by_model: tuple["Recognition", ...] = ()

    @property
    def words(self) -> str:
        """Return the words of the best alternative, "" if there are none."""
        return self.hypotheses[0].words if self.hypotheses else ""


def _plain(phrase: str) -> str:
    return " ".join(phrase.lower().split())  # casefold would make "grosse" of "große"


class Recogniser:
    """A loaded model. Loading takes 0.05 s for the built-in one; recognising is thread-safe.

    `spellings` maps words of the phrases to the model's own, {"cesar": "cäsar"}; what is heard is
    given back in the phrase's words. `words` are those of the open grammar, as far as the model
    has them; none: all that it has. Raises ModelError when the model cannot be loaded.
    """

    def __init__(
        self,
        model: Path,
        language: str,
        *,
        spellings: Mapping[str, str] | None = None,
        words: Iterable[str] | None = None,
    ) -> None:
        folders.check_model(model)
        self.folders = (model,)
        """Where the model is; what has been measured of it lies beside it."""
        self.language = language
        self.vocabulary = folders.vocabulary(model)
        """Every word the model can hear, square tokens ("gustav_eins") included."""
        self._spellings = {_plain(word): _plain(to) for word, to in (spellings or {}).items()}
        self._vosk = _vosk()
        try:
            self._model: Any = self._vosk.Model(str(model))
        except Exception as error:  # vosk raises nothing more specific
            raise ModelError(
                f"Vosk cannot load the model in {model}; unpack the model again."
            ) from error
        self._open = Grammar(self._with_unknown(self._open_words(words)))

    def _open_words(self, words: Iterable[str] | None) -> list[str]:
        if words is None:
            return sorted(self.vocabulary - {UNKNOWN})
        single = {known for word in words if (known := self._known(_plain(word))) is not None}
        joined = {
            token
            for token in self.vocabulary
            if "_" in token and all(part in single for part in token.split("_"))
        }
        return sorted(single | joined)

    def _with_unknown(self, items: Iterable[str]) -> list[str]:
        return [*items, *([UNKNOWN] if UNKNOWN in self.vocabulary else [])]

    @property
    def folder(self) -> Path:
        """Return where the model is."""
        return self.folders[0]

    def shares_words_with(self, other: "Recogniser") -> bool:
        """Return whether both know the same words and write them alike: what is `closed` for one
        is closed for the other."""
        return self.vocabulary == other.vocabulary and self._spellings == other._spellings

    def unknown_words(self, phrases: Iterable[str]) -> list[str]:
        """Return the words of `phrases` the model does not know, sorted, each once.

        Vosk would drop them in silence and hear the rest of the phrase as the whole.
        """
        words = {word for phrase in phrases for word in _plain(phrase).split()}
        return sorted(word for word in words if self._known(word) is None)

    def known_phrases(self, phrases: Iterable[str]) -> list[str]:
        """Return those of `phrases` of which every word is known, in their order."""
        return [p for p in phrases if all(map(self._known, _plain(p).split()))]

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
        if missing := self.unknown_words(phrases):
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

    def recognise(self, pcm: bytes, phrases: Sequence[str]) -> Recognition:
        """Return what one utterance (16 kHz mono 16-bit PCM) may have been, however soft.

        `phrases` is what is expected now, as plain words, commands included. Raises
        VocabularyError.
        """
        run = self.start(phrases)
        run.accept(amplified(pcm))
        return run.finish()

    def start(self, phrases: Sequence[str]) -> "UtteranceDecoder":
        """Return a decoder for a stream of sound with this grammar. Raises VocabularyError."""
        return self.start_with(self.closed_grammar(phrases))

    def closed_grammar(self, phrases: Sequence[str]) -> "ClosedGrammar":
        """Return the grammar of these phrases, ready to begin with. Raises VocabularyError."""
        tokens = self.grammar(phrases)
        return ClosedGrammar(tokens, Grammar(self._with_unknown(tokens)))

    def start_with(self, closed: "ClosedGrammar") -> "UtteranceDecoder":
        """Return a decoder for a stream of sound with a grammar that is ready."""
        return UtteranceDecoder(
            [self._decoder(closed.grammar), self._decoder(self._open)], closed.tokens
        )

    def _decoder(self, grammar: "Grammar") -> "_Decoder":
        kaldi = self._vosk.KaldiRecognizer(self._model, float(RATE), grammar.json)
        kaldi.SetMaxAlternatives(ALTERNATIVES)
        kaldi.SetWords(True)  # and their times
        return _Decoder(kaldi, grammar.bigram)


class Grammar:
    """A list of phrases as Vosk takes it, and what its language model makes of it."""

    def __init__(self, items: Sequence[str]) -> None:
        # Vosk does not read the escapes of JSON: written \\u00e4, words with ä would be dropped.
        self.json = json.dumps(list(items), ensure_ascii=False)
        self.bigram = Bigram(items)


@dataclass(frozen=True)
class ClosedGrammar:
    """The grammar of what is expected, and the phrase that each item of it stands for."""

    tokens: Mapping[str, str]
    grammar: Grammar


class _Decoder:
    """One of Vosk's decoders at work, and its language model."""

    def __init__(self, kaldi: Any, bigram: Bigram) -> None:
        self.kaldi = kaldi
        self._bigram = bigram

    def heard(self, told: str) -> dict[tuple[str, ...], tuple[float, float | None]]:
        """The alternatives in Vosk's answer: their tokens, their likelihoods, and at what second
        the first begins that is a word."""
        found: dict[tuple[str, ...], tuple[float, float | None]] = {}
        for entry in json.loads(told).get("alternatives", []):
            tokens = tuple(str(entry.get("text", "")).split())
            if tokens:
                score = float(entry.get("confidence", 0.0)) + self._bigram.cost(tokens)
                if tokens not in found or score > found[tokens][0]:
                    timed = entry.get("result", ())
                    words = (float(one["start"]) for one in timed if one["word"] != UNKNOWN)
                    found[tokens] = score, next(words, None)
        return found


class UtteranceDecoder:
    """The decoders of one stream of sound; use it from one thread."""

    def __init__(self, decoders: Sequence[_Decoder], tokens: Mapping[str, str]) -> None:
        self._decoders = decoders
        self._phrases = {text.replace("_", " "): phrase for text, phrase in tokens.items()}
        self._sound = bytearray()

    def accept(self, pcm: bytes) -> bool:
        """Take sound; return whether the utterance has ended by a pause."""
        self._sound += pcm
        ended = [bool(decoder.kaldi.AcceptWaveform(pcm)) for decoder in self._decoders]
        return ended[0]

    def partial(self) -> str:
        """Return the words heard so far in this utterance, unknown sound left out."""
        told = json.loads(self._decoders[0].kaldi.PartialResult()).get("partial", "")
        return " ".join(word for word in str(told).replace("_", " ").split() if word != UNKNOWN)

    def finish(self) -> Recognition:
        """Return what has been heard, the sound having ended."""
        heard = [decoder.heard(decoder.kaldi.FinalResult()) for decoder in self._decoders]
        voice = begins(bytes(self._sound))
        best: dict[tuple[str, int], tuple[float, float]] = {}
        for alternatives in heard:
            for tokens, (score, began) in alternatives.items():
                first, last = 0, len(tokens)
                while first < last and tokens[first] == UNKNOWN:
                    first += 1
                while last > first and tokens[last - 1] == UNKNOWN:
                    last -= 1
                unknown_edges = (first > 0) + (last < len(tokens))
                words = " ".join(tokens[first:last]).replace("_", " ")
                key = self._phrases.get(words, words), unknown_edges
                late = 0.0 if voice is None or began is None else began - voice
                if key not in best or score > best[key][0]:
                    best[key] = score, late
        # sorted() is stable: equal scores keep Vosk's order.
        ranked = sorted(best.items(), key=lambda item: -item[1][0])
        return Recognition(
            tuple(Hypothesis(words, score, n, late) for (words, n), (score, late) in ranked)
        )


def _vosk() -> Any:
    import vosk

    vosk.SetLogLevel(-2)  # -1 still lets warnings through, which a screen reader would read
    return vosk
