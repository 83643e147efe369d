"""What a pause within an announcement does: ``python -m benchmarks pauses``.

A blind player feels the board between two squares. Each announcement is cut at one of its word
boundaries. Its two parts are spoken with a pause between them, in which the room is quiet, somebody
coughs, another person talks or names a legal move, or the table itself speaks. ``misheard`` says
another rank in the first part.
"""

import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import chess
import numpy as np

from blindplay.hearing.recognisers import listening_models, open_recogniser
from blindplay.hearing.script import position, sentences, short_form
from blindplay.language import Language
from blindplay.speech.audio import RATE, read_audio
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.synthesis import Synthesiser

from . import corpus
from .conditions import Samples, as_pcm, as_samples, power
from .listening_table import ListeningTable, listening_table

PAUSES_S = (0.35, 0.7, 1.1, 2.0, 3.0, 4.0)
_BEFORE_S, _AFTER_S = 0.5, 2.0
_COUGH_S = 0.3
_OTHERS_DB = 12.0  # another person is so much softer
_ROOM = 8.0


class Between(Enum):
    """What is heard in the pause."""

    QUIET = "quiet"
    COUGH = "a cough"
    TALK = "another person"
    MOVE = "another person's move"
    TABLE = "the table"


class Outcome(Enum):
    """What the table made of both parts."""

    RIGHT = "right at once"
    ASKED = "asked about it"
    OTHER_QUESTION = "asked about something else"
    ANSWERED = "answered otherwise"
    SILENT = "no answer"
    WRONG = "wrong"


@dataclass(frozen=True)
class PauseOptions:
    """The number of ``pairs`` of parts, the ``voices`` that take turns, and whether the rank of the
    first part is ``misheard``."""

    pairs: int = 200
    models: tuple[Path, ...] = ()
    voices: tuple[str, ...] = ()
    seed: int = 1
    misheard: bool = False


@dataclass(frozen=True)
class Pair:
    """An announcement of ``move`` in two parts, ``pause_s`` seconds apart."""

    fen: str
    move: chess.Move
    parts: tuple[str, str]
    pause_s: float
    between: Between
    voice: str
    others: tuple[str, str]
    """The words that another person says in the pause, and that person's voice."""


def pairs(pack: Language, options: PauseOptions, voices: tuple[str, ...]) -> Iterator[Pair]:
    """Yield the pairs: each pause and each thing in it comes equally often."""
    said = sentences(pack)
    for number in range(options.pairs):
        chance = random.Random(f"{options.seed} pause {number}")
        board = position(chance)
        while board.turn is chess.BLACK:
            board = position(chance)
        moves = sorted(board.legal_moves, key=str)
        move = chance.choice(moves)
        full = pack.announce(board, move).split()
        short = short_form(pack, board, move).split()
        split = short if number % 2 and len(short) > 1 else full
        cut = chance.randrange(1, len(split))
        parts = " ".join(split[:cut]), " ".join(split[cut:])
        if options.misheard:
            move = chance.choice([one for one in moves if not board.is_castling(one)])
            file, rank = move.from_square & 7, (move.from_square >> 3) + chance.randrange(1, 8)
            kind = board.piece_type_at(move.from_square) or chess.PAWN
            first = f"{pack.piece_alone(kind)} {pack.file(file)} {pack.rank(rank % 8)}"
            parts = first, pack.destination(board, move)
        between = list(Between)[number // len(PAUSES_S) % len(Between)]
        other = chance.choice(moves)
        spoken = pack.announce(board, other) if between is Between.MOVE else chance.choice(said)
        yield Pair(
            board.fen(),
            move,
            parts,
            PAUSES_S[number % len(PAUSES_S)],
            between,
            voices[number % len(voices)],
            (spoken, voices[(number + 1) % len(voices)]),
        )


class _Room:
    """A player's room: renders parts and pauses."""

    def __init__(self, synthesiser: Synthesiser) -> None:
        self._synthesiser = synthesiser

    def voice(self, words: str, voice: str, rate: int) -> Samples:
        rendered = self._synthesiser.render(words, voice=voice or None, rate=rate)
        return as_samples(read_audio(rendered))

    def pause(self, pair: Pair, loudness: float, chance: np.random.Generator) -> Samples:
        """The pause of ``pair``, longer where what is heard in it needs it."""
        heard = np.zeros(0)
        if pair.between in (Between.TALK, Between.MOVE):
            heard = self.voice(*pair.others, 160)
            softer = loudness * 10 ** (-_OTHERS_DB / 10)
            heard = heard * (softer / max(power(heard), 1e-9)) ** 0.5
        elif pair.between is Between.COUGH:
            length = int(RATE * _COUGH_S)
            fall = np.exp(-6 * np.arange(length) / length)
            heard = chance.normal(0, loudness**0.5, length) * fall
        quiet = max(0, int(RATE * pair.pause_s) - len(heard))
        return np.pad(heard, (quiet // 2, quiet - quiet // 2))


def outcome(table: ListeningTable, move: chess.Move, since: int, side: str = "white") -> Outcome:
    """Return what the table made of an announcement of ``move`` by ``side``; it has printed so many
    lines before."""
    game = table.session.table.game
    if game.turn.announced is not None:
        return Outcome.RIGHT if game.turn.announced == move else Outcome.WRONG
    question = table.session.talking.asked(side)
    if question is not None:
        about = any(one.meant.move == move or move in one.meant.moves for one in question.options)
        return Outcome.ASKED if about or question.begun else Outcome.OTHER_QUESTION
    told = any(" said " in line for line in table.printed[since:])
    return Outcome.ANSWERED if told else Outcome.SILENT


def _say(table: ListeningTable, room: _Room, pair: Pair, number: int) -> Outcome:
    """Say a pair at a table, and return what came of it."""
    chance = np.random.default_rng(number)
    rate = 130 + number * 7 % 50
    first, second = (room.voice(words, pair.voice, rate) for words in pair.parts)
    pause = room.pause(pair, power(first), chance)
    before, after = (np.zeros(int(RATE * seconds)) for seconds in (_BEFORE_S, _AFTER_S))
    since = len(table.printed)

    def hear(*sounds: Samples) -> None:
        sound = np.concatenate(sounds)
        table.hear("white", as_pcm(sound + chance.normal(0, _ROOM, len(sound))))

    hear(before, first, pause)
    if pair.between is Between.TABLE:
        table.session.desk.tell_all("clock_stopped")
        table.settle()
    hear(second, after)
    return outcome(table, pair.move, since)


def simulate(
    pack: Language, options: PauseOptions
) -> tuple[list[tuple[Pair, Outcome, tuple[str, ...]]], AnyRecogniser]:
    """Say each pair at a new table. Return what came of each, with what the table printed, and the
    recogniser.

    :raises StuckTableError, ModelError, SynthesisError, ValueError: each in one sentence.
    """
    lost: list[str] = []
    folders = options.models or listening_models(pack.code, lost.append)
    recogniser, found = open_recogniser(pack, *folders), []
    with ExitStack() as stack:
        cache = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="blindplay-pauses-")))
        voices = options.voices or corpus.voices(pack, cache)
        synthesiser = stack.enter_context(
            Synthesiser(pack.code, cache=cache, spellings=pack.spoken)
        )
        room = _Room(synthesiser)
        for number, pair in enumerate(pairs(pack, options, voices)):
            folder = cache / str(number)
            folder.mkdir()
            with listening_table(
                pack, recogniser, synthesiser, folder, sides=("white",), fen=pair.fen
            ) as table:
                came = _say(table, room, pair, number)
                found.append((pair, came, tuple(table.printed)))
    return found, recogniser


def figures(pack: Language, options: PauseOptions) -> Iterator[str]:
    """Yield plain lines: what came of the pairs, by pause and by what was heard in it, and each
    wrong one."""
    found, recogniser = simulate(pack, options)
    models = " and ".join(folder.name for folder in recogniser.folders)
    yield f"Announcements with a pause, {pack.name}: models {models}, seed {options.seed}."
    groups: dict[str, Counter[Outcome]] = {"all": Counter()}
    for pair, came, _ in found:
        for group in ("all", f"{pair.pause_s:g} s", pair.between.value):
            groups.setdefault(group, Counter())[came] += 1
    for group, counts in groups.items():
        told = ", ".join(f"{counts[one]} {one.value}" for one in Outcome if counts[one])
        yield f"{group}: {counts.total()}: {told}"
    for pair, came, printed in found:
        if came is Outcome.WRONG:
            parts = f" … {pair.pause_s:g} s, {pair.between.value} … ".join(pair.parts)
            yield f"  {parts} ({pair.move}, {pair.fen}): {' | '.join(printed[-6:])}"
