"""The false reactions of a table to talk of people near it: ``python -m benchmarks talk``.

People talk to each other, one after the other, with the pauses that people make. They talk about
everyday matters or about the game, and never to the table. So each word or action of the table is a
false reaction. The sentences were not used to measure any model's confidence.
"""

import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from enum import Enum
from importlib.resources import files
from pathlib import Path

import chess
import numpy as np

from blindplay.hearing.recognisers import listening_models, open_recogniser
from blindplay.hearing.script import position, word_names
from blindplay.language import Kind, Language
from blindplay.laws.facts import SIDES
from blindplay.laws.rulings import Announced
from blindplay.speech.audio import RATE, read_audio
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.synthesis import Synthesiser

from . import corpus
from .conditions import Samples, as_pcm, as_samples, power
from .listening_table import ListeningTable, listening_table

STRETCH_S = 300.0
"""So many seconds of talk are counted together."""
_POSITION_S = 60.0  # after so much talk there is another position on the board
_LOUDNESS = (800.0, 3000.0)  # root mean square of 16-bit samples
# The pause after a sentence: most are a third of a second to a second and a half.
_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 0.2, 6.0
_PAUSE = (-0.7, 0.9)  # the rest, log-normal
_ANSWERED = 0.7  # the share of sentences after which another speaks
_END_S = 2.0
_ROOM = 8.0

_LETTERS = {
    "de": "Ah Beh Zeh Deh Eh Eff Geh Hah",
    "en": "ay bee see dee ee eff gee aitch",
}


class TalkKind(Enum):
    """The subject of talk."""

    EVERYDAY = "everyday talk"
    CHESS = "talk about chess"


class Reaction(Enum):
    """The table's reaction to talk."""

    MOVE = "moves taken"
    QUESTION = "questions"
    OTHER = "other answers"
    """The talk was not understood, or illegal, or taken for a command."""


@dataclass(frozen=True)
class TalkOptions:
    """``minutes`` of each kind of talk, in ``voices`` that alternate."""

    models: tuple[Path, ...] = ()
    minutes: float = STRETCH_S / 60
    voices: tuple[str, ...] = ()
    seed: int = 1


@dataclass(frozen=True)
class Reacted:
    """A reaction: the sentence at whose end or after which it came, and the table's output."""

    reaction: Reaction
    sentence: str
    printed: tuple[str, ...]


@dataclass
class Talked:
    """The talk of one kind, and the table's reactions to it."""

    kind: TalkKind
    seconds: float = 0.0
    sentences: int = 0
    reacted: list[Reacted] = field(default_factory=list)


def sentences(pack: Language, kind: TalkKind) -> list[str]:
    """Return the templates of sentences.

    :raises ValueError: if there are none.
    """
    source = files(__package__).joinpath("talk", f"{pack.code}.txt")
    if not source.is_file():
        raise ValueError(f"Nobody has written what people say in {pack.name}.")
    written = [line for line in source.read_text("utf-8").splitlines() if line[:1] not in ("", "#")]
    return [line for line in written if ("{" in line) == (kind is TalkKind.CHESS)]


def spoken(pack: Language, template: str, board: chess.Board, chance: random.Random) -> str:
    """Return a template with one of the words in each (a|b), and with pieces and squares of
    ``board``: squares in the words of the table or, as often, as letters."""
    pieces, letters = word_names(pack)[2], chance.random() < 0.5

    def square(at: chess.Square) -> str:
        rank, file = pack.square(at).split()[-1], chess.square_file(at)
        return f"{_LETTERS[pack.code].split()[file]} {rank}" if letters else pack.square(at)

    def slot(found: re.Match[str]) -> str:
        move = chance.choice(sorted(board.legal_moves, key=str))
        piece = pieces[(board.piece_type_at(move.from_square) or 1) - 1]
        return {
            "move": f"{piece} {square(move.to_square)}",
            "piece": piece,
            "square": square(move.to_square),
            "other": square(chance.randrange(64)),
        }[found[1]]

    chosen = re.sub(r"\(([^)]*)\)", lambda found: chance.choice(found[1].split("|")), template)
    return re.sub(r"\{(\w+)\}", slot, chosen)


def audible(words: str, voice: str, synthesiser: Synthesiser, chance: random.Random) -> Samples:
    """Return a sentence as the microphone of a table hears it, with the pause after it."""
    file = synthesiser.render(words, voice=voice or None, rate=chance.randint(140, 190))
    sound = as_samples(read_audio(file))
    sound *= chance.uniform(*_LOUDNESS) / max(1.0, power(sound) ** 0.5)
    pause = min(_LONGEST_PAUSE_S, _SHORTEST_PAUSE_S + chance.lognormvariate(*_PAUSE))
    whole = np.pad(sound, (0, int(RATE * pause)))
    room = np.random.default_rng(chance.randrange(1 << 32))
    return np.asarray(whole + room.normal(0, _ROOM, len(whole)))


class Talkers:
    """People near tables, whose microphones hear all that they say."""

    def __init__(
        self,
        pack: Language,
        options: TalkOptions,
        recogniser: AnyRecogniser,
        synthesiser: Synthesiser,
        voices: Sequence[str],
    ) -> None:
        self._pack, self._options, self._voices = pack, options, voices
        self._recogniser, self._synthesiser = recogniser, synthesiser

    def talk(self, kind: TalkKind) -> Talked:
        """Talk for the minutes in the options."""
        talked, chance = Talked(kind), random.Random(f"{self._options.seed} {kind.value}")
        while talked.seconds < self._options.minutes * 60:
            board = position(chance)
            side = SIDES[not board.turn]
            with (
                tempfile.TemporaryDirectory(prefix="blindplay-talk-") as folder,
                listening_table(
                    self._pack,
                    self._recogniser,
                    self._synthesiser,
                    Path(folder),
                    sides=(side,),
                    fen=board.fen(),
                ) as table,
            ):
                self._talk_near(table, side, talked, chance)
        return talked

    def _talk_near(
        self, table: ListeningTable, side: str, talked: Talked, chance: random.Random
    ) -> None:
        """Talk until there is another position on the board, or until a move was taken."""
        until = min(talked.seconds + _POSITION_S, self._options.minutes * 60)
        words, speaker = "", 0
        while talked.seconds < until or words:
            ends = talked.seconds >= until
            sound = np.zeros(int(RATE * _END_S))
            if not ends:
                words = self._sentence(talked.kind, table.session.table.game.board, chance)
                speaker += chance.random() < _ANSWERED
                voice = self._voices[speaker % len(self._voices)]
                sound = audible(words, voice, self._synthesiser, chance)
                talked.sentences += 1
                talked.seconds += len(sound) / RATE
            found = _reactions(table, side, sound, words)
            talked.reacted += found
            if ends or any(one.reaction is Reaction.MOVE for one in found):
                return

    def _sentence(self, kind: TalkKind, board: chess.Board, chance: random.Random) -> str:
        """Return a sentence that announces nothing."""
        templates = sentences(self._pack, kind)
        while True:
            words = spoken(self._pack, chance.choice(templates), board, chance)
            if self._pack.understand(words, board).kind in (Kind.UNCLEAR, Kind.NOTHING):
                return words


def _reactions(table: ListeningTable, side: str, sound: Samples, words: str) -> list[Reacted]:
    """Let the table hear this, and return its reactions. Later sentences of the table do not count
    unless it has heard something again."""
    lines, rulings = len(table.printed), len(table.session.rulings)
    table.hear(side, as_pcm(sound))
    reaction = Reaction.OTHER
    if any(isinstance(one, Announced) for one in table.session.rulings[rulings:]):
        reaction = Reaction.MOVE
    elif table.session.talking.asked(side) is not None:
        reaction = Reaction.QUESTION
    found: list[Reacted] = []
    heard = ""
    for line in table.printed[lines:]:
        if " heard " in line:
            heard = line
        elif heard and (" said " in line or " ruled announced" in line):
            found.append(Reacted(reaction, words, (heard, line)))
            heard = ""
    return found


def figures(pack: Language, options: TalkOptions) -> Iterator[str]:
    """Yield plain lines: how often a table reacts to the talk of people near it.

    :raises StuckTableError, ModelError, SynthesisError, ValueError: each in one sentence.
    """
    lost: list[str] = []
    recogniser = open_recogniser(
        pack, *(options.models or listening_models(pack.code, lost.append))
    )
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="blindplay-talk-")))
        voices = options.voices or corpus.voices(pack, folder)
        synthesiser = stack.enter_context(
            Synthesiser(pack.code, cache=folder, spellings=pack.spoken)
        )
        yield (
            f"Talk near a table, {pack.name}: models "
            f"{' and '.join(one.name for one in recogniser.folders)}, voices "
            f"{', '.join(one or 'of the system' for one in voices)}, seed {options.seed}."
        )
        talkers = Talkers(pack, options, recogniser, synthesiser, voices)
        for kind in TalkKind:
            yield from _told(talkers.talk(kind))


def _told(talked: Talked) -> Iterator[str]:
    counts = Counter(one.reaction for one in talked.reacted)
    each = len(talked.reacted) * STRETCH_S / talked.seconds
    what = ", ".join(f"{counts[one]} {one.value}" for one in Reaction)
    yield (
        f"{talked.kind.value.capitalize()}, {talked.seconds / 60:.1f} minutes, "
        f"{talked.sentences} sentences: {each:.1f} reactions in five minutes ({what})."
    )
    for one in talked.reacted:
        yield f"  {one.sentence}: {' | '.join(one.printed)}"
