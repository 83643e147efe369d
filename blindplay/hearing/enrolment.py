"""Three to five minutes with one player: what he is asked to say, what is learned from it, and
whether that is better, measured with what he said besides.

The player is told a word or a move and says it after the table; everything is said aloud, and
nothing needs to be seen. From two thirds of it his pronunciations are learned, his confusions, and,
where PyTorch is and the model can be trained, its weights; the moves of the last third, which took
no part in that, are heard with the models as they were and as they would be, together, as they
listen at the table. Only what is better is kept.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import chess
import numpy as np

from blindplay.language import Command, Kind, Language, lexicon
from blindplay.speech import adaptation
from blindplay.speech.adaptation import finetuning, pronunciations
from blindplay.speech.adaptation.pronunciations import PromptedSound
from blindplay.speech.audio import level
from blindplay.speech.confidence import CONFIDENCE_FILE, confidence_of
from blindplay.speech.ensemble import AnyRecogniser

from . import speaker_models
from .evaluation import scoring
from .evaluation.conditions import Condition, Noise
from .evaluation.corpus import CorpusUtterance, ScriptLine, UtteranceKind, announcement, position
from .evaluation.scoring import Decide, ScoredOutcome, ScoredUtterance
from .prompting import Booth, PromptKey, Take
from .recognisers import open_recogniser

LEARNING = 24
"""So many moves are said to be learned from,"""
JUDGING = 12
"""and so many others, by which it is judged."""
TRIES = 3
"""So often at most one thing is asked for."""
_CANDIDATES = 4  # moves of which the one is taken that has the rarest words
_SECONDS_EACH = 6.5
_UNLIKE = 0.75  # what differs in so many of its phones was something else
_AT_ONCE = 4  # utterances, before it is told how much is done
_SILENT = 3  # so many answers that cannot be heard, one after the other, are the microphone's

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
"""Commands that are learned from,"""
COMMANDS_APART = (
    Command.MOVES,
    Command.ACCEPT_DRAW,
    Command.DECLINE_DRAW,
    Command.RESIGN,
    Command.LOUDER,
    Command.PAUSE,
)
"""and others, of which none may be understood worse."""


class NotEnoughError(ValueError):
    """Too little was said to learn from."""


@dataclass(frozen=True)
class Prompt:
    """Something to be said, and whether it is kept apart, to judge by."""

    line: ScriptLine
    apart: bool


@dataclass(frozen=True)
class PromptAnswer:
    """What was said to a prompt."""

    prompt: Prompt
    take: Take

    @property
    def said(self) -> PromptedSound:
        return PromptedSound(tuple((self.prompt.line.words or "").lower().split()), self.take.pcm)


@dataclass(frozen=True)
class Score:
    """How a model hears what was kept apart: of so many moves, so many at once, so many after a
    question; so many of the commands; so often a move was accepted, or a command obeyed, that was
    not said, also where what was said is no legal move; and the doubt that is left about the
    moves, in nats, the less the better."""

    of: int
    right: int
    asked: int
    commands: int
    wrong: int
    doubt: float

    def better_than(self, other: Score) -> bool:
        """Whether a player would notice, and loses nothing by it: nothing more is taken wrongly,
        no fewer moves and commands are understood; and something of it is better, or all the
        same and there is clearly less doubt."""
        mine, its = (
            (-one.wrong, one.right, one.right + one.asked / 2, one.commands)
            for one in (self, other)
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
    """What came of an enrolment: how the models that listen, together, were before and are now;
    and what was put in place, nothing where nothing was better."""

    before: Score
    after: Score
    own: tuple[OwnModel, ...]


@dataclass
class EnrolmentSession:
    """What was said in an enrolment. ``left_out`` are the prompts that could not be used."""

    answers: list[PromptAnswer] = field(default_factory=list)
    left_out: list[Prompt] = field(default_factory=list)
    ended: bool = False
    """Whether the player ended it before the last prompt."""


# --- what is said ---------------------------------------------------------------------------------


def prompts(pack: Language, seed: int, learning: int = LEARNING, judging: int = JUDGING) -> list[
    Prompt
]:  # fmt: skip
    """Moves with every name in them, some commands, and other moves to judge by, mixed so that
    whoever ends early has said some of each."""
    chance = random.Random(seed)
    count: Counter[str] = Counter()

    def move() -> ScriptLine:
        lines = [announcement(pack, chance) for _ in range(_CANDIDATES)]
        best = min(lines, key=lambda line: _known(line, count))
        count.update((best.words or "").lower().split())
        return best

    learned = [Prompt(move(), apart=False) for _ in range(learning)]
    count.clear()
    said = {(one.line.words or "").lower() for one in learned}
    apart: list[Prompt] = []
    while len(apart) < judging:
        line = move()
        if (line.words or "").lower() not in said:
            apart.append(Prompt(line, apart=True))
    board = position(chance).fen()
    for commands, into in ((COMMANDS, learned), (COMMANDS_APART, apart)):
        words = (_phrase(pack, command) for command in commands)
        into += [
            Prompt(ScriptLine(UtteranceKind.COMMAND, board, word), apart=into is apart)
            for word in words
            if word
        ]
    mixed: list[Prompt] = []
    for number, prompt in enumerate(learned):
        mixed.append(prompt)
        if number % max(1, len(learned) // max(1, judging)) == 1 and apart:
            mixed.append(apart.pop())
    return [*mixed, *apart]


def _known(line: ScriptLine, count: Counter[str]) -> float:
    """How often the words of this line have been said already, on average."""
    words = (line.words or "").lower().split()
    return sum(min(4, count[word]) for word in words) / max(1, len(words))


def _phrase(pack: Language, command: Command) -> str:
    return next(iter(pack.command_phrases([command])), "")


def minutes(count: int) -> int:
    """About how many minutes so many prompts take."""
    return max(1, round(count * _SECONDS_EACH / 60))


def record(
    booth: Booth,
    pack: Language,
    asked: Sequence[Prompt],
    recogniser: AnyRecogniser | None,
    session: EnrolmentSession,
    keep: Callable[[speaker_models.SpeakerRecording], None] = lambda one: None,
) -> None:
    """Let the player say it all into ``session``, and ``keep`` each answer before the next is asked
    for. What is too soft, too loud or clearly something else is asked for again. ``recogniser`` may
    be None: nothing can be noticed then.

    Raises AudioError when the microphone is gone, and what ``keep`` raises; what was said until
    then is in ``session``.
    """
    phrases = sorted({(one.line.words or "").lower() for one in asked})
    if recogniser is not None:
        phrases = recogniser.known_phrases(phrases)
    count = pack.number(len(asked))
    booth.tell("enrol_begin", count=count, minutes=pack.duration(60_000 * minutes(len(asked))))
    booth.tell_keys()
    silent = 0
    for number, prompt in enumerate(asked):
        if number and number % 10 == 0:
            booth.tell("enrol_left", count=pack.number(len(asked) - number))
        answer = _ask(booth, prompt, phrases, recogniser)
        if answer is PromptKey.QUIT:
            session.ended = True
            break
        if isinstance(answer, Take) and answer.fault is None:
            session.answers.append(PromptAnswer(prompt, answer))
            keep(recording(session.answers[-1]))
            silent = 0
            continue
        session.left_out.append(prompt)
        silent = silent + 1 if isinstance(answer, Take) else 0
        if silent == _SILENT:
            booth.tell("voice_microphone")
            session.ended = True
            break


def _ask(
    booth: Booth, prompt: Prompt, phrases: Sequence[str], recogniser: AnyRecogniser | None
) -> Take | PromptKey:
    words = prompt.line.words or ""
    take: Take | PromptKey = PromptKey.SKIP
    tries = 0
    while tries < TRIES:
        booth.say(words)
        take = booth.hear()
        if take is PromptKey.AGAIN:
            continue
        if isinstance(take, PromptKey):
            return take
        tries += 1
        if take.fault is not None:
            booth.tell(take.fault.value)
        elif recogniser is None or _is_it(take, words, phrases, recogniser):
            return take
        elif tries < TRIES:
            booth.tell("enrol_again")
    return take


def _is_it(take: Take, words: str, phrases: Sequence[str], recogniser: AnyRecogniser) -> bool:
    """Whether the likeliest of all prompts is the one that was asked for, or nothing is likely:
    how somebody says it is what is to be learned."""
    heard = recogniser.recognise(take.pcm, phrases).hypotheses
    listed = [one.words for one in heard if one.words in phrases]
    return words.lower() not in phrases or not listed or listed[0] == words.lower()


def recording(answer: PromptAnswer) -> speaker_models.SpeakerRecording:
    """The answer as it is kept."""
    line = answer.prompt.line
    return speaker_models.SpeakerRecording(
        line.words or "", line.fen, answer.take.pcm, answer.prompt.apart
    )


def answered(pack: Language, kept: Sequence[speaker_models.SpeakerRecording]) -> list[PromptAnswer]:
    """The answers that were kept so; without what ``pack`` does not understand any more."""
    found = []
    for one in kept:
        fen = one.fen or chess.STARTING_FEN
        try:
            meant = pack.understand(one.words, chess.Board(fen))
        except ValueError:
            continue
        what = UtteranceKind.COMMAND if meant.command is not None else UtteranceKind.MOVE
        if what is UtteranceKind.COMMAND or meant.move is not None:
            take = Take(one.pcm, level(one.pcm), level(b""))
            found.append(PromptAnswer(Prompt(ScriptLine(what, fen, one.words), one.apart), take))
    return found


# --- what is learned ------------------------------------------------------------------------------


def learn(
    pack: Language,
    player: str,
    models: Iterable[Path],
    answers: Sequence[PromptAnswer],
    *,
    progress: Callable[[float], None] = lambda done: None,
    lost: Callable[[str], None] = lambda sentence: None,
) -> Learned:
    """Learn from the answers, for each of these models, and put the player's own in place where
    those that listen together are better with it.

    ``progress`` is told often how much is done, 0 to 1, and may raise to end it: what has been put
    in place stays. ``lost`` is told in a sentence what cannot be used.

    Raises NotEnoughError, GraphError, ModelError or OSError.
    """
    learning = [one for one in answers if not one.prompt.apart]
    judging = [one for one in answers if one.prompt.apart]
    if len(learning) < LEARNING // 3 or len(judging) < JUDGING // 3:
        raise NotEnoughError(
            f"Only {len(answers)} answers can be used; say at least half of what is asked for."
        )
    models = list(models)
    present = speaker_models.models(player, pack.code, models, lost)
    # How far they may be believed has not been measured anew.
    decide = scoring.deciding(pack, confidence_of(*models, lost=lost))
    said = _judged_by(pack, judging)

    def part(begin: float, end: float) -> Callable[[float], None]:
        return lambda done: progress(begin + (end - begin) * done)

    def score(folders: Iterable[Sequence[ScoredUtterance]]) -> Score:
        return _score(pack, decide, map(scoring.together, zip(*folders, strict=True)))

    share = 1 / (4 * len(models))
    heard = [
        _heard(pack, folder, said, part(number * share, (number + 1) * share))
        for number, folder in enumerate(present)
    ]
    before = after = score(heard)
    found = []
    for number, model in enumerate(models):
        begin, best = 0.25 + 3 * share * number, None
        with tempfile.TemporaryDirectory(prefix="blindplay-enrolment-") as made:
            tries = _tries(pack, model, learning, Path(made), part(begin, begin + 2 * share))
            begin += 2 * share
            for tried, (folder, own) in enumerate(tries):
                step = share / len(tries)
                as_heard = _heard(
                    pack, folder, said, part(begin + tried * step, begin + (tried + 1) * step)
                )
                others = score([*heard[:number], as_heard, *heard[number + 1 :]])
                if others.better_than(after):
                    best, after, heard[number] = (folder, own), others, as_heard
            if best is not None:
                folder, own = best
                _install(pack, player, folder, own)
                found.append(own)
            elif present[number] == model:
                speaker_models.drop(
                    player, pack.code, model
                )  # what does not fit would be told for ever
    progress(1.0)
    return Learned(before, after, tuple(found))


def _install(pack: Language, player: str, folder: Path, own: OwnModel) -> None:
    def move(to: Path) -> None:
        shutil.copytree(folder, to)
        if (own.model / CONFIDENCE_FILE).is_file():
            shutil.copyfile(own.model / CONFIDENCE_FILE, to / CONFIDENCE_FILE)

    told = {"trained": own.trained, "words": list(own.words)}
    speaker_models.install(player, pack.code, own.model, move, told)


def _tries(
    pack: Language,
    model: Path,
    learning: Sequence[PromptAnswer],
    made: Path,
    progress: Callable[[float], None],
) -> list[tuple[Path, OwnModel]]:
    """What might be better than ``model``, each in a folder in ``made``."""
    words = lexicon(pack.code)
    vocabulary = adaptation.Vocabulary({**words.words, **words.fillers}, words.squares)
    known = adaptation.pronounced(model, words.words)
    trains = not finetuning.obstacle(model)
    heard = 0.3 if trains else 1.0
    usable = []
    said = [one.said for one in learning]
    for number, (one, spoken) in enumerate(
        zip(said, pronunciations.word_alignments(model, said, known), strict=True), 1
    ):
        if spoken and _unlike(spoken) < _UNLIKE:
            usable.append((one, spoken))
        progress(heard * number / len(learning))
    others = adaptation.pronounced(model, words.fillers)
    habits = pronunciations.player_pronunciations(
        [part for _, spoken in usable for part in spoken], known, others
    )
    tries: list[tuple[Path, OwnModel]] = []
    for name, of in (("words", dict(habits.words)), ("all", habits.all)):
        if of and (name == "words" or of != habits.words):
            pronunciations.write(model, made / name, vocabulary, of)
            tries.append((made / name, OwnModel(model, tuple(sorted(of)), trained=False)))
    if trains:
        to_train = [
            finetuning.LabelledSound(one.pcm, tuple(phone for part in of for phone in part.meant))
            for one, of in usable
        ]
        trained = made / "trained"
        pronunciations.write(model, trained, vocabulary, {})
        (trained / "am" / "final.mdl").unlink()  # it may be a link to the model's own
        finetuning.tune(
            model, to_train, trained / "am" / "final.mdl",
            progress=lambda done: progress(heard + (1 - heard) * done),
        )  # fmt: skip
        tries.append((trained, OwnModel(model, (), trained=True)))
    return tries


def _unlike(parts: Sequence[pronunciations.WordAlignment]) -> float:
    pairs = [pair for part in parts for pair in part.pairs]
    return sum(meant != heard for meant, heard in pairs) / max(1, len(pairs))


def _judged_by(pack: Language, answers: Sequence[PromptAnswer]) -> list[CorpusUtterance]:
    """What was kept apart. Each move is also heard in a position in which it is not legal: that
    must be known."""
    return [
        CorpusUtterance(line, "player", np.frombuffer(one.take.pcm, "<i2").astype(np.float64))
        for one in answers
        for line in (one.prompt.line, _out_of_place(pack, one.prompt.line))
        if line is not None
    ]


def _heard(
    pack: Language, model: Path, said: Sequence[CorpusUtterance], progress: Callable[[float], None]
) -> list[ScoredUtterance]:
    """How the model in this folder, alone, hears what was kept apart."""
    recogniser, heard = open_recogniser(pack, model), []
    clean = Condition(Noise.NONE)
    for at in range(0, len(said), _AT_ONCE):
        some = said[at : at + _AT_ONCE]
        heard += scoring.hear(recogniser, pack, some, clean, np.zeros(1), 1, freely=False)
        progress(len(heard) / len(said))
    return heard


def _score(pack: Language, decide: Decide, heard: Iterable[ScoredUtterance]) -> Score:
    """How what was kept apart is understood."""
    comes: dict[UtteranceKind, Counter[ScoredOutcome]] = {what: Counter() for what in UtteranceKind}
    doubt = 0.0
    for one in heard:
        decision = decide(one)
        come = scoring.outcome(one, decision, pack)
        comes[one.line.what][come] += 1
        if one.line.what is UtteranceKind.MOVE:
            doubt += min(20.0, max(-20.0, decision.cost)) if come is ScoredOutcome.RIGHT else 20.0
    moves, commands = comes[UtteranceKind.MOVE], comes[UtteranceKind.COMMAND]
    wrong = sum(
        count[ScoredOutcome.WRONG] + count[ScoredOutcome.COMMAND] for count in comes.values()
    )
    return Score(
        moves.total(),
        moves[ScoredOutcome.RIGHT],
        moves[ScoredOutcome.ASKED],
        commands[ScoredOutcome.RIGHT],
        wrong,
        doubt / max(1, moves.total()),
    )


def _out_of_place(pack: Language, line: ScriptLine) -> ScriptLine | None:
    """The same announcement in a position in which it is no legal move; None of a command."""
    if line.what is not UtteranceKind.MOVE:
        return None
    chance = random.Random(line.words)
    for _ in range(20):
        board = position(chance)
        if pack.understand(line.words or "", board).kind is Kind.ILLEGAL:
            return ScriptLine(UtteranceKind.ILLEGAL, board.fen(), line.words)
    return None


def misheard(
    pack: Language, models: Collection[Path], answers: Sequence[PromptAnswer]
) -> list[tuple[str, str]]:
    """The words (said, heard) of all answers, as they are heard when any words may be; "" for a
    word that was dropped or added."""
    from blindplay.speech.confusions import Confusions

    recogniser = open_recogniser(pack, *models)
    pairs: list[tuple[str, str]] = []
    for one in answers:
        heard = recogniser.recognise(one.take.pcm, ()).words.split()
        said = one.said.words
        if (
            heard
            and pack.understand(" ".join(said), one.prompt.line.board).kind is not Kind.NOTHING
        ):
            pairs += Confusions().aligned(said, heard)
    return pairs
