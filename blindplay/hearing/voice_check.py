"""A check how well a player is understood here and now, by forty words and ten moves.

Every model of the language hears the same recordings, so the best one can be named. The difference
between voice and room shows whether the microphone, or the room, is the trouble.
"""

import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import chess

from blindplay.language import Key, Language, in_language
from blindplay.speech.confidence import confidence_of
from blindplay.speech.models import catalogue

from . import scoring
from .prompting import NOISY_DB, Booth, RecordingFault, Take
from .recognisers import open_recogniser
from .scoring import ScoredOutcome
from .script import ScriptLine, UtteranceKind, announcement, word_names

WORDS = 40
MOVES = 10
_SECONDS_EACH = 4.5
GOOD, FAIR = 0.9, 0.6
"""The shares of moves and words from which on a player is understood well, or mostly."""


@dataclass(frozen=True)
class VoiceCheckResult:
    """The understanding of one model, or of several together, of what was said."""

    words: int
    words_right: int
    moves: int
    moves_right: int
    moves_asked: int
    moves_wrong: int
    missed: tuple[str, ...]
    """The words and moves that were not understood at once."""

    @property
    def share(self) -> float:
        """Return how much was understood, 0 to 1. A question counts half, and each wrong move takes
        two away."""
        every = self.words + self.moves
        right = self.words_right + self.moves_right + self.moves_asked / 2 - 2 * self.moves_wrong
        return max(0.0, right / every) if every else 0.0


Takes = Sequence[tuple[ScriptLine, Take]]
"""The takes of a player, each with its line, without silence."""


def lines(pack: Language, seed: int, words: int = WORDS, moves: int = MOVES) -> list[ScriptLine]:
    """Return so many words, of the board and then commands, and so many moves."""
    chance = random.Random(seed)
    named = [name.lower() for names in word_names(pack) for name in names]
    commands = [phrase for phrase in pack.command_phrases() if " " not in phrase]
    chance.shuffle(commands)
    singles = list(dict.fromkeys([*named, *commands]))[:words]
    return [
        *(ScriptLine(UtteranceKind.WORD, chess.STARTING_FEN, word) for word in singles),
        *(announcement(pack, chance) for _ in range(moves)),
    ]


def record(booth: Booth, pack: Language, lines: Sequence[ScriptLine]) -> Takes:
    """Let the player say it all, each once.

    :raises AudioError: if the microphone is gone.
    """

    def ask(line: ScriptLine) -> Take | Key:
        while True:
            booth.say(in_language(line.words, pack.code))
            if (take := booth.hear()) is not Key.REPEAT:
                return take

    booth.begin("check_begin", len(lines), _SECONDS_EACH)
    answers = booth.answers(lines, ask, (RecordingFault.SILENCE,))
    takes = [(line, take) for line, take in answers if isinstance(take, Take)]
    return [(line, take) for line, take in takes if take.fault is not RecordingFault.SILENCE]


def judged(
    pack: Language,
    folders: Sequence[Path],
    takes: Takes,
    lost: Callable[[str], None] = lambda sentence: None,
) -> VoiceCheckResult:
    """Return how the models in these folders, together, understand it.

    ``lost`` gets a sentence if their measured confidence is damaged.

    :raises ModelError:
    """
    recogniser = open_recogniser(pack, *folders)
    words = [(line, take) for line, take in takes if line.what is UtteranceKind.WORD]
    phrases = recogniser.known_phrases([line.words for line, _ in words])
    missed = [
        line.words
        for line, take in words
        if recogniser.recognise(take.pcm, phrases).likeliest_of(phrases) != line.words
    ]
    right = len(words) - len(missed)
    moves = [(line, take.pcm) for line, take in takes if line.what is UtteranceKind.MOVE]
    heard = scoring.hear(recogniser, pack, moves)
    judge = scoring.judging(pack, confidence_of(*recogniser.folders, lost=lost))
    comes = list(map(judge, heard))
    missed += [
        utterance.line.words
        for utterance, come in zip(heard, comes, strict=True)
        if come is not ScoredOutcome.RIGHT
    ]
    wrong = comes.count(ScoredOutcome.WRONG) + comes.count(ScoredOutcome.COMMAND)
    return VoiceCheckResult(
        len(words), right, len(moves),
        comes.count(ScoredOutcome.RIGHT), comes.count(ScoredOutcome.ASKED), wrong, tuple(missed),
    )  # fmt: skip


def tell(
    booth: Booth, pack: Language, takes: Takes, result: VoiceCheckResult, best: str | None
) -> None:
    """Say how it went, what to use, and whether the microphone is the trouble.

    ``pack`` has the words that were said. ``best`` is the name of a model that is clearly better
    than those in use, None if there is none.
    """
    number = booth.pack.number
    booth.tell("check_words", right=number(result.words_right), count=number(result.words))
    booth.tell(
        "check_moves",
        right=number(result.moves_right),
        count=number(result.moves),
        asked=number(result.moves_asked),
    )
    if result.moves_wrong:
        booth.tell("check_wrong", count=number(result.moves_wrong))
    if result.missed:
        booth.tell("check_missed", words=in_language("; ".join(result.missed[:12]), pack.code))
    if result.share < FAIR or result.moves_wrong:
        booth.tell("check_bad")
    else:
        booth.tell("check_good" if result.share >= GOOD else "check_fair")
    if best is not None:
        known = catalogue.load().known(best)
        short = known.short if known else best  # a word, where there is one
        booth.tell("check_model", model=short)
        booth.tell("check_take")
        booth.show(f"blindplay models use {short} --language {pack.code}")
    _tell_of_the_room(booth, takes)
    booth.tell("check_people")


def _tell_of_the_room(booth: Booth, takes: Takes) -> None:
    faults = [take.fault for _, take in takes if take.fault is not None]
    if faults:
        booth.tell(statistics.mode(faults).value)
    if statistics.median([take.above_room for _, take in takes] or [0.0]) < NOISY_DB:
        booth.tell("check_microphone_noisy")
        booth.tell("check_talk_button")
    else:
        if not faults:
            booth.tell("check_microphone_good")
        booth.tell("check_open", word=booth.pack.opening_word)


def better(results: Mapping[str, VoiceCheckResult], used: VoiceCheckResult) -> str | None:
    """Return the model that understands this player clearly better than those in use, if any."""
    name = max(results, key=lambda n: results[n].share, default=None)
    if name is None or results[name].share < used.share + 0.05:
        return None
    return None if results[name].moves_wrong > used.moves_wrong else name
