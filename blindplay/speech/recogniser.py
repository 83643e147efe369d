"""Words from sound: Vosk, listening for the phrases that are expected now and for everything else.

An utterance is decoded twice. The *closed* grammar has the phrases that are expected; the *open*
one has every word there is, in any order, so that the unexpected (an illegal move, chatter) can
win, too. Beside the built-in model, others need only the closed one (see ``ensemble``). Vosk's
scores of the two are not comparable, because its language model charges differently in each. That
charge is known exactly (see ``Bigram``) and is taken off; the rest says how well the sound fits the
words. Vosk's own confidence is not used.
"""

import json
import math
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from blindplay.translation import _

from .audio import RATE, amplified, speech_onset_s
from .models import folders
from .models.folders import ModelError
from .synthesis import letters_of

MOST_HYPOTHESES = 20
"""The number of hypotheses that Vosk gives in each grammar; many differ only in their timing."""
UNKNOWN = "[unk]"
"""The word for sound that is none of the model's words."""


class VocabularyError(ValueError):
    """Phrases have words that no model knows. The message names the words or the phrases."""

    def __init__(self, unknown: Iterable[str]) -> None:
        super().__init__(
            _(
                "No speech model knows: {unknown}; leave those phrases out or choose "
                "another model.",
                unknown=", ".join(sorted(unknown)),
            )
        )


@dataclass(frozen=True)
class Hypothesis:
    """One reading of an utterance."""

    words: str
    """Plain words ("springer gustav eins"), with UNKNOWN for other sound between them; "" if there
    was only other sound."""
    score: float
    """The logarithm of the likelihood of the sound given the words, in nats. Scores of different
    recognitions are not comparable."""
    unknown_edges: int = 0
    """Number of edges of the utterance that were other sound, before and after the words: 0 to
    2."""
    onset_delay_s: float = 0.0
    """Seconds from the beginning of speech to the first word; 0 if unknown."""


@dataclass(frozen=True)
class Recognition:
    """The readings of one utterance, the likeliest hypothesis first; none for silence.

    ``by_model``: the recognition by each of several models; empty for a single model.
    ``elsewhere``: those by the models of other languages. Nobody knows the language beforehand.
    ``expected_only``: the model listened for expected phrases only.
    """

    hypotheses: tuple[Hypothesis, ...] = ()
    by_model: tuple["Recognition", ...] = ()
    elsewhere: tuple["Recognition", ...] = ()
    expected_only: bool = False

    @property
    def heard_anything(self) -> bool:
        """True if a model of any language has a reading. Silence gives none."""
        return any(recognition.hypotheses for recognition in (self, *self.elsewhere))

    @property
    def heard_talk(self) -> bool:
        """True if a model that listens for other talk, the first of several, heard this. Otherwise
        nothing could outscore the expected phrases."""
        first = (self.by_model or (self,))[0]
        return bool(first.hypotheses) and not first.expected_only

    @property
    def by_talk_listener(self) -> "Recognition | None":
        """The recognition by the only model among several that also listens for other talk; None if
        it heard nothing, or if there is no such model or more than one."""
        others = [other for other in self.by_model[1:] if other.hypotheses]
        if len(self.by_model) < 2 or not self.heard_talk:
            return None
        return self.by_model[0] if all(other.expected_only for other in others) else None

    @property
    def words(self) -> str:
        """Return the words of the likeliest hypothesis, "" if there is none."""
        return self.hypotheses[0].words if self.hypotheses else ""

    def after_speech(self, seconds: float) -> "Recognition":
        """The same recognition, with at least ``seconds`` of speech before its words."""
        return replace(
            self,
            hypotheses=tuple(
                replace(one, onset_delay_s=max(one.onset_delay_s, seconds))
                for one in self.hypotheses
            ),
            by_model=tuple(one.after_speech(seconds) for one in self.by_model),
            elsewhere=tuple(one.after_speech(seconds) for one in self.elsewhere),
        )

    def likeliest_of(self, phrases: Collection[str]) -> str:
        """Return the likeliest of ``phrases`` that was heard, "" if none was."""
        return next(
            (hypothesis.words for hypothesis in self.hypotheses if hypothesis.words in phrases), ""
        )


def plain(phrase: str) -> str:
    """Return the words of a phrase in small letters, with one space between them."""
    return " ".join(phrase.lower().split())  # casefold would turn "große" into "grosse"


class Recogniser:
    """A loaded Vosk model. Loading the built-in one takes 0.05 s. Recognising is thread-safe.

    ``spellings`` maps words of the phrases to the model's own, {"cesar": "cäsar"}, as a pack's
    ``[spoken]`` does; results have the words of the phrases. ``words`` are those of the open
    grammar, as far as the model knows them; by default all of its words.

    :raises ModelError: if the model cannot be loaded.
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
        """The model's folder, as ``Ensemble.folders`` has those of several."""
        self.by_language = (self.folders,)
        self.language = language
        self.is_built_in = folders.is_built_in(model)
        self.vocabulary = folders.vocabulary(model)
        """Every word that the model knows, square tokens ("gustav_eins") included."""
        letters = {word: letters_of(word, spoken) for word, spoken in (spellings or {}).items()}
        self._spellings = {plain(word): plain(to) for word, to in letters.items()}
        self.words: Hashable = (self.vocabulary, frozenset(self._spellings.items()))
        """Equal for models that share closed grammars: they know the same words."""
        self._vosk, self._model = _vosk(), _loaded(model)
        self._open_grammar = VoskGrammar(self._with_unknown(self._open_words(words)))

    @property
    def folder(self) -> Path:
        """Return the model's folder."""
        return self.folders[0]

    def recognise(self, pcm: bytes, phrases: Sequence[str]) -> Recognition:
        """Return what one utterance (16 kHz mono 16-bit PCM), however soft, may have been.

        ``phrases`` are those that are expected now, as plain words, commands included. Raises
        VocabularyError.
        """
        decoder = self.start(phrases)
        decoder.accept(amplified(pcm))
        return decoder.finish()

    def _open_words(self, words: Iterable[str] | None) -> list[str]:
        if words is None:
            return sorted(self.vocabulary - {UNKNOWN})
        single = {known for word in words if (known := self._known_form(plain(word))) is not None}
        joined = {
            token
            for token in self.vocabulary
            if "_" in token and all(part in single for part in token.split("_"))
        }
        return sorted(single | joined)

    def _with_unknown(self, items: Iterable[str]) -> list[str]:
        return [*items, *([UNKNOWN] if UNKNOWN in self.vocabulary else [])]

    def unknown_words(self, phrases: Iterable[str]) -> list[str]:
        """Return the words of ``phrases`` that the model does not know, sorted, each once.

        Vosk would silently drop them and take the rest of the phrase for the whole.
        """
        words = {word for phrase in phrases for word in plain(phrase).split()}
        return sorted(word for word in words if self._known_form(word) is None)

    def known_phrases(self, phrases: Iterable[str]) -> list[str]:
        """Return the ``phrases`` whose words are all known, in their order."""
        phrases = list(phrases)
        unknown = set(self.unknown_words(phrases))
        return [phrase for phrase in phrases if unknown.isdisjoint(plain(phrase).split())]

    def _known_form(self, word: str) -> str | None:
        if word in self.vocabulary:
            return word
        other = self._spellings.get(word)
        return other if other in self.vocabulary else None

    def tokens(self, phrases: Iterable[str]) -> dict[str, str]:
        """Return the model's tokens for each phrase, mapped to the phrase.

        Adjacent words are joined ("gustav eins" → "gustav_eins") where the model has such a token.

        :raises VocabularyError: naming the words that the model does not know.
        """
        phrases = list(phrases)
        if unknown := self.unknown_words(phrases):
            raise VocabularyError(unknown)
        tokens: dict[str, str] = {}
        for phrase in phrases:
            words = [self._known_form(word) or word for word in plain(phrase).split()]
            joined: list[str] = []
            for word in words:
                if joined and f"{joined[-1]}_{word}" in self.vocabulary:
                    joined[-1] = f"{joined[-1]}_{word}"
                else:
                    joined.append(word)
            if joined:
                tokens.setdefault(" ".join(joined), phrase)
        return tokens

    def closed_grammar(self, phrases: Sequence[str]) -> "VoskGrammar":
        """Return the grammar of these phrases.

        :raises VocabularyError:
        """
        tokens = self.tokens(phrases)
        return VoskGrammar(self._with_unknown(tokens), tokens)

    def start(self, phrases: Sequence[str]) -> "UtteranceDecoder":
        """Return a decoder that listens for these phrases.

        :raises VocabularyError:
        """
        return self.start_with(self.closed_grammar(phrases))

    def start_with(self, closed: "VoskGrammar", *, talk: bool = True) -> "UtteranceDecoder":
        """Return a decoder of an utterance in this grammar, and with ``talk`` in the open one."""
        grammars = [closed, self._open_grammar] if talk else [closed]
        return UtteranceDecoder(list(map(self._decoder, grammars)), closed.tokens)

    def _decoder(self, grammar: "VoskGrammar") -> "_VoskDecoder":
        kaldi = self._vosk.KaldiRecognizer(self._model, float(RATE), grammar.json)
        kaldi.SetMaxAlternatives(MOST_HYPOTHESES)
        kaldi.SetWords(True)  # and their times
        return _VoskDecoder(kaldi, grammar.bigram)


_in_memory: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()
_kept: list[Any] = []
_loading = threading.Lock()


def _loaded(model: Path) -> Any:
    """Vosk's model in a folder. All recognisers of a process share it while it is in use.

    :raises ModelError: if it cannot be loaded.
    """
    path = plain_path(model)
    try:
        states = ((file, file.stat()) for file in sorted(model.rglob("*")))
        # Another model may take its place.
        key = path, *((file, one.st_ino, one.st_mtime_ns, one.st_size) for file, one in states)
        with _loading:
            found = _in_memory.get(key)
            if found is None:
                found = _in_memory[key] = _vosk().Model(path)
            return found
    except Exception as error:  # vosk raises nothing more specific
        raise ModelError(
            "Vosk cannot load the model in {model}; unpack the model again.", model=model
        ) from error


def keep_model(model: Path) -> None:
    """Load a model and keep it, so that processes that are forked from this one share it.

    :raises ModelError: if it cannot be loaded.
    """
    folders.check_model(model)
    _kept.append(_loaded(model))


class VoskGrammar:
    """A list of items in Vosk's form, the language model that Vosk makes of it, and the phrase that
    each item stands for."""

    def __init__(self, items: Sequence[str], tokens: Mapping[str, str] | None = None) -> None:
        # Vosk does not decode JSON's escapes: it would drop words with ä, written \\u00e4.
        self.json = json.dumps(list(items), ensure_ascii=False)
        self.bigram = Bigram(items)
        self.tokens = tokens or {}


class _VoskDecoder:
    """One of Vosk's decoders at work, and its language model."""

    def __init__(self, kaldi: Any, bigram: "Bigram") -> None:
        self.kaldi = kaldi
        self._bigram = bigram

    def result(self) -> dict[tuple[str, ...], tuple[float, float | None]]:
        """Return for the tokens of each hypothesis their score, without the language model, and
        the second at which the first known word begins."""
        hypotheses: dict[tuple[str, ...], tuple[float, float | None]] = {}
        for entry in json.loads(self.kaldi.FinalResult()).get("alternatives", []):
            tokens = tuple(str(entry.get("text", "")).split())
            if tokens:
                score = float(entry.get("confidence", 0.0)) + self._bigram.cost(tokens)
                if tokens not in hypotheses or score > hypotheses[tokens][0]:
                    timed = entry.get("result", ())
                    starts = (float(word["start"]) for word in timed if word["word"] != UNKNOWN)
                    hypotheses[tokens] = score, next(starts, None)
        return hypotheses


class UtteranceDecoder:
    """Decodes one utterance in the closed grammar, and perhaps in the open one. Use it from one
    thread."""

    def __init__(self, decoders: Sequence[_VoskDecoder], tokens: Mapping[str, str]) -> None:
        self._decoders = decoders
        self._phrases = {text.replace("_", " "): phrase for text, phrase in tokens.items()}
        self._sound = bytearray()

    def accept(self, pcm: bytes) -> bool:
        """Take sound. Return whether a pause has ended the utterance."""
        self._sound += pcm
        ended = [bool(decoder.kaldi.AcceptWaveform(pcm)) for decoder in self._decoders]
        return ended[0]

    def partial(self) -> str:
        """Return the words heard so far in this utterance, without unknown sound."""
        words = json.loads(self._decoders[0].kaldi.PartialResult()).get("partial", "")
        return " ".join(word for word in str(words).replace("_", " ").split() if word != UNKNOWN)

    def finish(self) -> Recognition:
        """Return what was said, at the end of the sound."""
        onset = speech_onset_s(bytes(self._sound))
        best: dict[tuple[str, int], tuple[float, float]] = {}
        for hypotheses in [decoder.result() for decoder in self._decoders]:
            for tokens, (score, start) in hypotheses.items():
                first, last = 0, len(tokens)
                while first < last and tokens[first] == UNKNOWN:
                    first += 1
                while last > first and tokens[last - 1] == UNKNOWN:
                    last -= 1
                edges = (first > 0) + (last < len(tokens))
                words = " ".join(tokens[first:last]).replace("_", " ")
                key = self._phrases.get(words, words), edges
                delay = 0.0 if onset is None or start is None else start - onset
                if key not in best or score > best[key][0]:
                    best[key] = score, delay
        # sorted() is stable: equal scores keep Vosk's order.
        ranked = sorted(best.items(), key=lambda item: -item[1][0])
        return Recognition(
            tuple(Hypothesis(words, score, n, delay) for (words, n), (score, delay) in ranked),
            expected_only=len(self._decoders) == 1,
        )


def _vosk() -> Any:
    import vosk

    vosk.SetLogLevel(-2)  # -1 still lets warnings through, which a screen reader would read
    return vosk


_END = ""
_BACK_OFF = math.log(2)


class Bigram:
    """The language model that Vosk makes of a grammar, so that its charge can be taken off a score.

    It is a bigram with back-off, estimated from the listed phrases. A pair of words that was seen
    ``n`` times among ``m`` with the same first word costs ``-ln(n / 2m)``. Any other pair costs
    ``ln 2`` for backing off, and the second word's share of all words. A phrase begins as if after
    a back-off, and its end is a word like any other (alphacep/vosk-api,
    ``src/language_model.cc``). Without this charge, scores of different grammars are comparable:
    they say how well the sound fits the words.
    """

    def __init__(self, items: Iterable[str]) -> None:
        pairs: defaultdict[str, Counter[str]] = defaultdict(Counter)
        words: Counter[str] = Counter()
        for item in items:
            first, *rest = *item.split(), _END
            words[first] += 1
            for second in rest:
                pairs[first][second] += 1
                first = second
        for seconds in pairs.values():
            words.update(seconds)
        self._alone = _costs(words)
        self._after = {first: _costs(seconds) for first, seconds in pairs.items()}

    def cost(self, tokens: Sequence[str]) -> float:
        """Return what the model charges for these tokens, in nats; infinite for an unknown one."""
        total, before = 0.0, None
        for token in (*tokens, _END):
            alone = self._alone.get(token, math.inf)
            if before is None:
                total += alone
            else:
                total += min(self._after[before].get(token, math.inf), _BACK_OFF + alone)
            if math.isinf(total):
                return math.inf
            before = token
        return total


def _costs(counts: Counter[str]) -> dict[str, float]:
    whole = 2 * counts.total()
    return {word: -math.log(count / whole) for word, count in counts.items()}


def plain_path(model: Path) -> str:
    """Return a path of ``model`` that Vosk can open: on Windows the short one (C:\\Users\\JRGEN~1)
    if there are other letters than ASCII: there, Vosk opens files by the letters of the ANSI code
    page only (https://github.com/alphacep/vosk-api/issues/1072).

    :raises ModelError: if Windows keeps no short one.
    """
    path = str(model)
    if sys.platform == "win32" and not path.isascii():
        path = _short_path(path)
        if not path.isascii():
            raise ModelError(
                "Vosk cannot open the model in {model}, because this path has other "
                "letters than A to Z; move the model, or BlindPlay if it is its own, "
                "to a folder such as C:\\BlindPlay.",
                model=model,
            )
    return path


def _short_path(path: str) -> str:
    """Return the path in the names of eight letters that Windows keeps beside long ones; the long
    names stay where it keeps none."""
    if sys.platform != "win32":
        return path
    import ctypes

    buffer = ctypes.create_unicode_buffer(1 << 15)  # no path is longer
    length = ctypes.windll.kernel32.GetShortPathNameW(path, buffer, len(buffer))
    return buffer.value if length else path
