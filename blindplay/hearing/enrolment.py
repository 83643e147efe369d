"""Enrolment: prompts for a player, learning from the answers, and whether the result is better.

The player repeats moves and words for three to five minutes. Everything is said aloud, and nothing
needs to be seen. Two thirds teach the player's pronunciations, confusions and, if PyTorch is there
and the model can be trained, weights. The last third judges: the models hear it together, as at the
table, before and after learning. Only an improvement is kept.
"""

import random
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import chess

from blindplay.language import Command, Kind, Language, lexicon
from blindplay.speech import adaptation
from blindplay.speech.adaptation import finetuning, pronunciations
from blindplay.speech.adaptation.finetuning import LabelledSound
from blindplay.speech.confidence import confidence_of
from blindplay.speech.confusions import Confusions
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.models.folders import is_built_in
from blindplay.translation import UserError

from . import scoring, speaker_models
from .kept_recordings import SpeakerRecording
from .prompting import Booth, repeated
from .recognisers import open_recogniser
from .scoring import Decide, ScoredOutcome, ScoredUtterance
from .script import Coverage, ScriptLine, UtteranceKind, announcement, position

LEARNING = 24
"""The number of moves that are learned from."""
JUDGING = 12
"""The number of other moves, by which the result is judged."""
SECONDS_EACH = 6.5
"""About how long one prompt takes."""
_CANDIDATES = 4  # candidates for each prompt; those with the rarest words are taken
_UNLIKE = 0.75  # if this share of the phones differs, it was something else
_AT_ONCE = 4  # utterances between two reports of progress

COMMANDS = (
    Command.CLOCK_MINE,
    Command.LAST_MOVE,
    Command.REPEAT,
    Command.YES,
    Command.NO,
    Command.CORRECTION,
    Command.OFFER_DRAW,
    Command.HELP,
)
"""The commands that are learned from."""
COMMANDS_APART = (
    Command.MOVES,
    Command.ACCEPT_DRAW,
    Command.DECLINE_DRAW,
    Command.RESIGN,
    Command.LOUDER,
    Command.PAUSE,
)
"""Other commands; none may be understood less well afterwards."""

Progress = Callable[[float], None]
"""Gets often how much is done, 0 to 1. It may raise an exception to end the work."""


class NotEnoughError(UserError):
    """Too little was said to learn from."""


@dataclass(frozen=True)
class Prompt:
    """A line to say; ``apart``: it judges the result, and nothing is learned from it."""

    line: ScriptLine
    apart: bool


@dataclass(frozen=True)
class Score:
    """The score of models on the recordings kept apart.

    Of ``of`` moves, ``right`` were understood at once and ``asked`` after a question; ``commands``
    is the number of commands that were understood. ``wrong`` counts meanings that were accepted and
    not said; each move was also heard where it is not legal. ``doubt`` is the doubt that is left
    about the moves, in nats.
    """

    of: int
    right: int
    asked: int
    commands: int
    wrong: int
    doubt: float

    def better_than(self, other: "Score") -> bool:
        """Return whether it is better in something and worse in nothing, or clearly less in doubt
        and otherwise equal."""
        mine, its = (
            (-score.wrong, score.right, score.right + score.asked / 2, score.commands)
            for score in (self, other)
        )
        if any(ours < before for ours, before in zip(mine, its, strict=True)):
            return False
        return mine > its or self.doubt < other.doubt - 0.5


@dataclass(frozen=True)
class OwnModel:
    """A player's own model that was put in place: the one it was made of, the words that have new
    pronunciations, and whether its weights were trained."""

    model: Path
    words: tuple[str, ...]
    trained: bool


@dataclass(frozen=True)
class Learned:
    """The result of an enrolment: how the models that listen together were ``before`` and are now,
    and the player's ``own`` models that were put in place."""

    before: Score
    after: Score
    own: tuple[OwnModel, ...]


@dataclass
class EnrolmentSession:
    """The answers of an enrolment, and whether it was ended before the last prompt."""

    answers: list[SpeakerRecording] = field(default_factory=list)
    ended: bool = False


def prompts(
    pack: Language, seed: int, learning: int = LEARNING, judging: int = JUDGING
) -> list[Prompt]:
    """Return moves with every name in them, some commands, and other moves to judge by.

    They are mixed: a player who ends early has said some of each.
    """
    chance = random.Random(seed)

    def moves(count: int, but: Collection[ScriptLine] = ()) -> list[ScriptLine]:
        candidates = [announcement(pack, chance) for _ in range(_CANDIDATES * count)]
        known = {line.tokens for line in but}
        return Coverage(pack).chosen([one for one in candidates if one.tokens not in known], count)

    lines = moves(learning)
    learned = [Prompt(line, apart=False) for line in lines]
    apart = [Prompt(line, apart=True) for line in moves(judging, lines)]
    board = position(chance).fen()
    for commands, into in ((COMMANDS, learned), (COMMANDS_APART, apart)):
        for command in commands:
            if phrase := next(iter(pack.command_phrases([command])), ""):
                line = ScriptLine(UtteranceKind.COMMAND, board, phrase)
                into.append(Prompt(line, apart=into is apart))
    mixed: list[Prompt] = []
    for number, prompt in enumerate(learned):
        mixed.append(prompt)
        if number % max(1, len(learned) // max(1, judging)) == 1 and apart:
            mixed.append(apart.pop())
    return [*mixed, *apart]


def record(
    booth: Booth,
    pack: Language,
    prompts: Sequence[Prompt],
    recogniser: AnyRecogniser | None,
    session: EnrolmentSession,
    keep: Callable[[SpeakerRecording], None] = lambda recording: None,
) -> None:
    """Let the player say it all, in the words of ``pack``, into ``session``, and ``keep`` each
    answer before the next prompt.

    Anything that is too soft, too loud or clearly something else is asked for again. Without a
    ``recogniser`` the last cannot be noticed.

    :raises AudioError: if the microphone is gone, and what ``keep`` raises; ``session`` then has
        the answers until that moment.
    """
    booth.begin("enrol_begin", len(prompts), SECONDS_EACH)
    for answer in repeated(booth, pack, [prompt.line for prompt in prompts], recogniser):
        prompt = prompts[answer.number]
        recording = SpeakerRecording(prompt.line.words, prompt.line.fen, answer.pcm, prompt.apart)
        session.answers.append(recording)
        keep(recording)
    session.ended = booth.ended


def understood(
    pack: Language, kept: Iterable[SpeakerRecording]
) -> list[tuple[ScriptLine, SpeakerRecording]]:
    """Return the recordings with their lines, without those that ``pack`` no longer understands."""
    pairs = []
    for recording in kept:
        fen = recording.fen or chess.STARTING_FEN
        try:
            meant = pack.understand(recording.words, chess.Board(fen))
        except ValueError:
            continue
        if meant.command is not None or meant.move is not None:
            what = UtteranceKind.MOVE if meant.command is None else UtteranceKind.COMMAND
            pairs.append((ScriptLine(what, fen, recording.words), recording))
    return pairs


def learn(
    pack: Language,
    player: str,
    models: Iterable[Path],
    answers: Iterable[SpeakerRecording],
    *,
    progress: Progress = lambda done: None,
    lost: Callable[[str], None] = lambda sentence: None,
) -> Learned:
    """Learn from the answers, for each of these models, and put the player's own model in place if
    the models that listen together are better with it.

    If ``progress`` raises, what has been put in place stays. ``lost`` gets a sentence about what
    cannot be used.

    :raises NotEnoughError: if the answers are too few.
    :raises GraphError: if a graph cannot be built.
    :raises ModelError: if a model cannot be read.
    :raises OSError: if a file cannot be read or written.
    """
    pairs = understood(pack, answers)
    learning = [LabelledSound(take.pcm, line.tokens) for line, take in pairs if not take.apart]
    judging = [(line, take.pcm) for line, take in pairs if take.apart]
    if len(learning) < LEARNING // 3 or len(judging) < JUDGING // 3:
        raise NotEnoughError(
            "Only {count} answers can be used; say at least half of what is asked for.",
            count=len(pairs),
        )
    models = sorted(models, key=lambda model: not is_built_in(model))
    # The player's models count as the ones that they were made of, which were measured.
    decide = scoring.deciding(pack, confidence_of(*models, lost=lost))
    judge = _Judge(pack, decide, judging, built_in=is_built_in(models[0]))
    present = speaker_models.models(player, pack.code, models, lost)
    share = 1 / (4 * len(models))
    heard = [
        judge.hear(folder, _part(progress, number * share, share))
        for number, folder in enumerate(present)
    ]
    before = after = judge.score(heard)
    own = []
    for number, model in enumerate(models):
        part = _part(progress, 0.25 + 3 * share * number, 3 * share)
        with tempfile.TemporaryDirectory(prefix="blindplay-enrolment-") as made:
            tries = _tries(pack, model, learning, Path(made), _part(part, 0, 2 / 3))
            best, after = _best(judge, tries, heard, number, after, _part(part, 2 / 3, 1 / 3))
            if best is not None:
                folder, learned = best
                about = {"trained": learned.trained, "words": list(learned.words)}
                speaker_models.install(player, pack.code, model, folder, about)
                own.append(learned)
            elif present[number] == model:
                # One that does not fit any more would be reported for ever.
                speaker_models.drop(player, pack.code, model)
    progress(1.0)
    return Learned(before, after, tuple(own))


def _best(
    judge: "_Judge",
    tries: Sequence[tuple[Path, OwnModel]],
    heard: list[list[ScoredUtterance]],
    number: int,
    least: Score,
    progress: Progress,
) -> tuple[tuple[Path, OwnModel] | None, Score]:
    """Try each in place of the model of this number. Return the best one and its score, or None and
    ``least`` if none is better than that. ``heard`` gets what the best one hears."""
    best = None
    for tried, attempt in enumerate(tries):
        as_heard = judge.hear(attempt[0], _part(progress, tried / len(tries), 1 / len(tries)))
        score = judge.score([*heard[:number], as_heard, *heard[number + 1 :]])
        if score.better_than(least):
            best, least, heard[number] = attempt, score, as_heard
    return best, least


def _part(progress: Progress, begin: float, share: float) -> Progress:
    return lambda done: progress(begin + share * done)


def _tries(
    pack: Language,
    model: Path,
    learning: Sequence[LabelledSound],
    made: Path,
    progress: Progress,
) -> list[tuple[Path, OwnModel]]:
    """Return models that may be better than ``model``, each in a folder in ``made``."""
    words = lexicon(pack.code)
    vocabulary = adaptation.Vocabulary({**words.words, **words.fillers}, words.squares)
    known = adaptation.pronounced(model, words.words)
    trains = not finetuning.obstacle(model)
    heard = 0.3 if trains else 1.0
    usable = []
    aligned = pronunciations.word_alignments(model, learning, known)
    for number, (recording, parts) in enumerate(zip(learning, aligned, strict=True), 1):
        if parts and _unlike(parts) < _UNLIKE:
            usable.append((recording, parts))
        progress(heard * number / len(learning))
    habits = pronunciations.player_pronunciations(
        [part for _, parts in usable for part in parts],
        known,
        adaptation.pronounced(model, words.fillers),
    )
    tries: list[tuple[Path, OwnModel]] = []
    for name, of in (("words", dict(habits.words)), ("all", habits.all)):
        if of and (name == "words" or of != habits.words):
            adaptation.adapt(model, made / name, vocabulary, more=of)
            tries.append((made / name, OwnModel(model, tuple(sorted(of)), trained=False)))
    if trains:
        to_train = [
            LabelledSound(recording.pcm, tuple(phone for part in of for phone in part.meant))
            for recording, of in usable
        ]
        trained = made / "trained"
        adaptation.adapt(model, trained, vocabulary)
        output = trained / "am" / "final.mdl"
        output.unlink()  # it may be a link to the model's own
        finetuning.tune(model, to_train, output, progress=_part(progress, heard, 1 - heard))
        tries.append((trained, OwnModel(model, (), trained=True)))
    return tries


def _unlike(parts: Sequence[pronunciations.WordAlignment]) -> float:
    """Return the share of the phones that differ."""
    pairs = [pair for part in parts for pair in part.pairs]
    return sum(meant != heard for meant, heard in pairs) / max(1, len(pairs))


class _Judge:
    """Judges models by the recordings kept apart.

    Each move is also heard in a position in which it is not legal, which must be noticed.
    """

    def __init__(
        self,
        pack: Language,
        decide: Decide,
        apart: Iterable[tuple[ScriptLine, bytes]],
        *,
        built_in: bool,
    ) -> None:
        self._pack, self._decide, self._built_in = pack, decide, built_in
        self._said = [
            (line, pcm)
            for own, pcm in apart
            for line in (own, _out_of_place(pack, own))
            if line is not None
        ]

    def hear(self, model: Path, progress: Progress) -> list[ScoredUtterance]:
        """Return it all as the model in this folder, alone, hears it."""
        recogniser = open_recogniser(self._pack, model)
        heard: list[ScoredUtterance] = []
        for at in range(0, len(self._said), _AT_ONCE):
            some = self._said[at : at + _AT_ONCE]
            heard += scoring.hear(recogniser, self._pack, some)
            progress(len(heard) / len(self._said))
        return heard

    def score(self, by_model: Iterable[Sequence[ScoredUtterance]]) -> Score:
        """Return how models that listen together understand it."""
        comes: Counter[tuple[UtteranceKind, ScoredOutcome]] = Counter()
        doubt = 0.0
        for parts in zip(*by_model, strict=True):
            utterance = scoring.together(parts, built_in=self._built_in)
            decision = self._decide(utterance)
            come = scoring.outcome(utterance, decision)
            comes[utterance.line.what, come] += 1
            if utterance.line.what is UtteranceKind.MOVE:
                right = come is ScoredOutcome.RIGHT
                doubt += min(20.0, max(-20.0, decision.cost)) if right else 20.0
        moves = sum(n for (what, _), n in comes.items() if what is UtteranceKind.MOVE)
        wrong = (ScoredOutcome.WRONG, ScoredOutcome.COMMAND)
        return Score(
            moves,
            comes[UtteranceKind.MOVE, ScoredOutcome.RIGHT],
            comes[UtteranceKind.MOVE, ScoredOutcome.ASKED],
            comes[UtteranceKind.COMMAND, ScoredOutcome.RIGHT],
            sum(n for (_, come), n in comes.items() if come in wrong),
            doubt / max(1, moves),
        )


def _out_of_place(pack: Language, line: ScriptLine) -> ScriptLine | None:
    """Return the same announcement where it is not a legal move; None for a command."""
    if line.what is not UtteranceKind.MOVE:
        return None
    chance = random.Random(line.words)
    for _unused in range(20):
        board = position(chance)
        if pack.understand(line.words, board).kind is Kind.ILLEGAL:
            return ScriptLine(UtteranceKind.ILLEGAL, board.fen(), line.words)
    return None


def misheard(
    pack: Language, models: Collection[Path], answers: Iterable[SpeakerRecording]
) -> list[tuple[str, str]]:
    """Return the words (said, heard) of all answers, recognised among all words; "" for a word that
    was dropped or added."""
    recogniser = open_recogniser(pack, *models)
    pairs: list[tuple[str, str]] = []
    for line, recording in understood(pack, answers):
        if heard := recogniser.recognise(recording.pcm, ()).words.split():
            pairs += Confusions().aligned(line.tokens, heard)
    return pairs
