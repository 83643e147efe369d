"""The cost of a game by voice for its players: ``python -m benchmarks game``.

Two synthesised voices speak into the microphones of a ``ListeningTable``; emulated boards feel the
moves, or each player only presses the clock.
"""

import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import chess
import numpy as np

from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.conversation.state import Question
from blindplay.hearing.recognisers import listening_models, open_recogniser
from blindplay.hearing.script import short_form
from blindplay.language import Command, Language
from blindplay.laws.facts import SIDES
from blindplay.laws.state import OTHER
from blindplay.speech.audio import RATE, read_audio
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.synthesis import Synthesiser
from blindplay.table.demo import execute_on
from blindplay.table.session import Session

from . import corpus
from .conditions import Noise, Samples, Surroundings, as_samples, parse, power
from .listening_table import PATIENCE_S, ListeningTable, StuckTableError, Told, listening_table

_TRIES = 6
_RATES = (165, 150, 135, 120, 150, 135)  # words a minute; slower after a misunderstanding
_ROOM_S = (0.5, 2.0)  # the quiet before and after an utterance
_HAND_S = 2.0  # so long hands and a press take


@dataclass(frozen=True)
class GameOptions:
    """The conditions of the game: ``moves`` of each player, with sensor boards or without.
    ``full``: in full announcements instead of short ones. ``noise`` is a condition of
    ``python -m benchmarks voice``. ``voices`` are White's, Black's and somebody else's.
    ``others_db``: before each announcement somebody else names a legal move, so many dB softer than
    the player. The level of each utterance ``varies_db`` up or down, and from half of the game on
    it is ``farther_db`` softer."""

    moves: int = 40
    models: tuple[Path, ...] = ()
    voices: tuple[str, ...] = ()
    noise: str = "clean"
    boards: bool = True
    full: bool = False
    others_db: float | None = None
    varies_db: float = 0.0
    farther_db: float = 0.0
    seed: int = 1


@dataclass
class Cost:
    """The cost of a game for one player, counted."""

    announcing: int = 0
    """Utterances to announce, answers and corrections included."""
    repeating: int = 0
    """Utterances to repeat the opponent's announcements."""
    said_s: float = 0.0
    questions: int = 0
    """Times that the table asked, or asked again."""
    free: int = 0
    """Questions that were settled without a word: by hands, by the clock or by silence."""
    refused: int = 0
    """Utterances that were answered with a refusal, or not at all."""
    wrong: int = 0
    """Moves that were announced and not said."""
    others: int = 0
    """Moves of somebody else that were announced."""
    others_asked: int = 0
    """Moves of somebody else that were asked about."""


@dataclass
class _Person:
    """A simulated player: a voice, and a board or none. ``told``: the table's words to them, also
    the announcements of both players."""

    side: str
    voice: str
    board: EmulatedBoard | None
    told: Told
    cost: Cost = field(default_factory=Cost)


@dataclass
class SimulatedGame:
    """A table at which two simulated people play ``line``. It counts their costs."""

    pack: Language
    options: GameOptions
    table: ListeningTable
    people: dict[str, _Person]
    synthesiser: Synthesiser
    surroundings: Surroundings
    another: str = ""
    spoken: int = 0
    played: list[chess.Move] = field(default_factory=list)

    @property
    def _session(self) -> Session:
        return self.table.session

    def play(self, line: list[chess.Move]) -> None:
        """Play the moves.

        :raises StuckTableError: if one cannot be played.
        """
        for move in line:
            self._play(move)
            self.played.append(move)

    def _play(self, move: chess.Move) -> None:
        game = self._session.table.game
        board, side = game.board.copy(), game.side
        mover, other = self.people[side], self.people[OTHER[side]]
        if self.options.others_db is not None:
            self._disturb(mover, board, move, self.options.others_db)
        self._speak(mover, board, move, repeats=False)
        self._execute(mover, board, move)
        if not self.options.boards and game.turn.announced is None:
            self._press(side)  # confirms what was read back
        self._speak(other, board, move, repeats=True)
        self._execute(other, board, move)
        if len(game.history) == len(self.played):
            self._press(side)
        if (
            not game.history
            or game.history[-1].move != move
            or len(game.history) <= len(self.played)
        ):
            raise self._stuck(board, move)

    def _execute(self, person: _Person, before: chess.Board, move: chess.Move) -> None:
        board = person.board
        if board is not None:
            self._do(lambda: execute_on(board, before, move), "executed")

    def _press(self, side: str) -> None:
        board = self.people["white"].board
        if board is not None:
            self._do(lambda: board.press("white" if side == "white" else "black"), "completed")
        else:
            self.table.clock.now += _HAND_S
            self._session.press(side)
        self.table.settle()

    def _do(self, hands: Callable[[], None], ruling: str) -> None:
        """Let hands act, and wait for the ruling."""
        self.table.clock.now += _HAND_S
        since, until = len(self._session.rulings), time.monotonic() + PATIENCE_S
        hands()
        while not any(one.kind == ruling for one in self._session.rulings[since:]):
            if self._session.table.game.over or time.monotonic() > until:
                break
            time.sleep(0.005)
        self.table.settle()

    # --- speaking ----------------------------------------------------------------------------

    def _disturb(
        self, person: _Person, board: chess.Board, move: chess.Move, softer_db: float
    ) -> None:
        """Let somebody else name another move near the microphone of ``person``."""
        moves = [one for one in sorted(board.legal_moves, key=str) if one != move]
        if not moves:
            return
        words = self.pack.announce(board, random.Random(self.spoken).choice(moves))
        own, another = (
            as_samples(read_audio(self.synthesiser.render(words, voice=voice or None, rate=150)))
            for voice in (person.voice, self.another)
        )
        softer = power(own) * 10 ** (-softer_db / 10) / max(power(another), 1e-9)
        self._hear(person, words, another * softer**0.5)
        if self._session.table.game.turn.announced is not None:
            person.cost.others += 1
        elif self._session.talking.asked(person.side) is not None:
            person.cost.others_asked += 1

    def _speak(
        self, person: _Person, board: chess.Board, move: chess.Move, *, repeats: bool
    ) -> None:
        """Let a player say a move until the table has taken it, or asks whether it was this one:
        then the player's next action is the answer."""
        full = self.pack.announce(board, move)
        words = full if self.options.full else short_form(self.pack, board, move)
        if not repeats and self._session.table.game.turn.announced is not None:
            words = f"{self.pack.command(Command.CORRECTION)} {full}"
        for attempt in range(_TRIES):
            before, lines = len(self._session.rulings), len(self.table.printed)
            self._say(person, words, _RATES[attempt], repeats=repeats)
            rulings = self._session.rulings[before:]
            if any(one.kind == "repeated" for one in rulings):
                return
            announced = self._session.table.game.turn.announced
            if not repeats and announced is not None and announced != move:
                person.cost.wrong += 1
                words = f"{self.pack.command(Command.CORRECTION)} {full}"
                continue
            if not repeats and announced == move:
                return
            question = self._session.talking.asked(person.side)
            if question is None:
                told = [line for line in self.table.printed[lines:] if " said " in line]
                heard = self._session.readers.of(person.side).sentence("heard_waiting")
                if repeats and all(line.endswith(heard) for line in told):
                    return  # at most a short sound is the answer to a repetition
                person.cost.refused += 1
                words = full
                continue
            person.cost.questions += 1
            answer = _answer(question, move)
            if answer is None:
                person.cost.free += 1
                return
            words = answer or full
        if not repeats:
            raise self._stuck(board, move)

    def _say(self, person: _Person, words: str, rate: int, *, repeats: bool) -> None:
        file = self.synthesiser.render(words, voice=person.voice or None, rate=rate)
        voice = as_samples(read_audio(file))
        person.cost.said_s += len(voice) / RATE
        person.cost.announcing += not repeats
        person.cost.repeating += repeats
        self._hear(person, words, voice)

    def _hear(self, person: _Person, words: str, voice: Samples) -> None:
        """Let a microphone hear a voice."""
        options, half = self.options, self.options.moves
        varied = random.Random(f"{options.seed} {self.spoken}").uniform(-1, 1) * options.varies_db
        farther = options.farther_db if len(self.played) >= half else 0.0
        voice = voice * 10 ** ((varied - farther) / 20)
        padded = np.pad(voice, tuple(int(RATE * seconds) for seconds in _ROOM_S))
        room = np.random.default_rng(self.spoken).normal(0, 12, len(padded))
        sound = self.surroundings.record(padded + room, self.spoken)
        self.spoken += 1
        self._session.transcript.line(f"{person.side} speaks: {words}")
        self.table.hear(person.side, sound)

    def _stuck(self, board: chess.Board, move: chess.Move) -> StuckTableError:
        name = self.pack.announce(board, move)
        last = " | ".join(self.table.printed[-12:])
        return StuckTableError(f"The game stopped at {name}. The table told last: {last}")


def _answer(question: Question, move: chess.Move) -> str | None:
    """Return a player's answer to a question; None if executing the move answers it; "" for the
    whole move once more."""
    right = [number for number, one in enumerate(question.options) if one.meant.move == move]
    if len(right) != 1:
        return ""
    if len(question.options) == 1:
        return None
    return question.answers[right[0]][0] if question.answers else ""


def random_line(plies: int, seed: int) -> list[chess.Move]:
    """Return the moves of a random game of so many plies, in which a third of all moves that can
    take something does."""
    for game in range(seed * 1000, seed * 1000 + 20):
        chance, board = random.Random(game), chess.Board()
        while len(board.move_stack) < plies and not board.is_game_over():
            moves = sorted(board.legal_moves, key=str)
            captures = [move for move in moves if board.is_capture(move)]
            board.push(chance.choice(captures if captures and chance.random() < 0.35 else moves))
        if len(board.move_stack) == plies and not board.is_game_over():
            return list(board.move_stack)
    raise ValueError(f"No random game of {plies} half-moves was found; choose fewer.")


def simulate(pack: Language, options: GameOptions) -> tuple[SimulatedGame, AnyRecogniser]:
    """Play a game, and return it with its counts, and the recogniser that heard it.

    :raises StuckTableError, ModelError, SynthesisError, ValueError: each in one sentence.
    """
    noise = parse(options.noise)
    if len(noise) != 1:
        raise ValueError("Name one condition for --noise, such as clean, 20 or pink10.")
    lost: list[str] = []
    folders = options.models or listening_models(pack.code, lost.append)
    recogniser = open_recogniser(pack, *folders)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="blindplay-game-")))
        around = noise[0].noise in (Noise.BABBLE, Noise.TALKERS)
        talkers = corpus.talkers(pack, options.seed, folder) if around else np.zeros((1, 1))
        voices = (options.voices or corpus.voices(pack, folder)) * 3
        synthesiser = stack.enter_context(
            Synthesiser(pack.code, cache=folder, spellings=pack.spoken)
        )
        boards = {side: stack.enter_context(EmulatedBoard()) for side in SIDES if options.boards}
        table = stack.enter_context(
            listening_table(
                pack,
                recogniser,
                synthesiser,
                folder,
                boards={side: board.url for side, board in boards.items()},
            )
        )
        people = {
            side: _Person(side, voice, boards.get(side), table.told[side])
            for side, voice in zip(SIDES, voices, strict=False)
        }
        surroundings = Surroundings(noise[0], talkers, options.seed)
        game = SimulatedGame(pack, options, table, people, synthesiser, surroundings, voices[2])
        game.play(random_line(2 * options.moves, options.seed))
        return game, recogniser


def figures(pack: Language, options: GameOptions) -> Iterator[str]:
    """Yield plain lines: the cost of a whole game by voice for each player."""
    game, recogniser = simulate(pack, options)
    people, count = game.people, len(game.played)
    who = " and ".join(one.voice or "the system's voice" for one in people.values())
    hands = "sensor boards" if options.boards else "no board, a press executes"
    yield (
        f"Game of {count // 2} moves, {pack.name}: models "
        f"{' and '.join(folder.name for folder in recogniser.folders)}, voices {who}, "
        f"{game.surroundings.condition}, {hands}, "
        f"{'full' if options.full else 'short'} announcements, seed {options.seed}."
    )
    costs = [one.cost for one in people.values()]
    said, asked = sum(one.announcing for one in costs), sum(one.questions for one in costs)
    yield (
        f"Both players: {said} utterances for {count} announcements ({said / count:.2f} each), "
        f"{sum(one.repeating for one in costs)} for {count} repetitions; {asked} questions, "
        f"{sum(one.free for one in costs)} of them answered without a word; "
        f"{sum(one.refused for one in costs)} utterances not understood; "
        f"{sum(one.wrong for one in costs)} wrong moves."
    )
    if options.others_db is not None:
        yield (
            f"Of {count} moves that somebody else named, {options.others_db:g} dB softer, "
            f"{sum(one.others for one in costs)} were announced and "
            f"{sum(one.others_asked for one in costs)} asked about."
        )
    for side, person in people.items():
        one, told, own = person.cost, person.told, count / 2
        yield (
            f"{side.capitalize()}, for each own move: {one.announcing / own:.2f} utterances to "
            f"announce, {one.repeating / own:.2f} to repeat, {one.said_s / own:.1f} s of speech, "
            f"{one.questions / own:.2f} questions; the table says {told.sentences / own:.1f} "
            f"sentences, {told.words / own:.1f} words, {told.seconds / own:.1f} s."
        )
