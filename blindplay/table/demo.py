"""A short game through every real part, for a machine with no board, microphone or loudspeaker.

Only the people are simulated. Two synthesised voices speak into the real recogniser, and two
emulated boards speak the real protocol through a serial line to the real driver.
"""

import datetime
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import chess
import numpy as np

from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.hearing.recognisers import open_recogniser
from blindplay.language import Command, Language, load
from blindplay.laws import facts as f
from blindplay.laws.facts import SIDES, Player, Setup
from blindplay.laws.placement import change
from blindplay.laws.rulings import CorrectBoard
from blindplay.record import Journal
from blindplay.speech.audio import RATE, QueueSource, read_audio
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.models.folders import find_model
from blindplay.speech.speaker import Speaker
from blindplay.speech.synthesis import Synthesiser

from .devices import outputs
from .play import show_record
from .session import Session
from .table import Table
from .transcript import Transcript

PATIENCE = 12.0  # seconds for which a person waits for an answer
_RATES = (150, 130, 115, 170)  # words a minute, for each try: slower after a misunderstanding
# Variants of espeak. Without espeak, both players have the default voice of the system.
_VOICES = {"white": "de", "black": "de+m3"}


class DemonstrationError(RuntimeError):
    """The demonstration could not be played to its end; the message says where it stopped."""


@dataclass
class Person:
    """A simulated player: a voice, a microphone before it, and hands on a board."""

    side: str
    session: Session
    synthesiser: Synthesiser
    voice: str | None
    microphone: QueueSource
    board: EmulatedBoard

    def speak(self, words: str, answer: str) -> None:
        """Say ``words`` until the table gives the ruling ``answer`` to them."""
        for attempt, rate in enumerate(_RATES):
            since = len(self.session.rulings)
            sound = read_audio(self.synthesiser.render(words, voice=self.voice, rate=rate))
            self.session.wait_until_said()
            self.session.transcript.line(f"{self.side} speaks: {words}")
            self.microphone.push(_room(0.4, attempt) + sound + _room(1.6, attempt + 7))
            if self.session.wait_for(answer, PATIENCE, since) is not None:
                self.session.wait_until_said()
                return
        raise DemonstrationError(f"The table did not understand: {words}.")

    def execute(self, before: chess.Board, move: chess.Move) -> None:
        """Execute ``move`` on the own board. Lift a captured piece before the mover, and the king
        before the rook (4.4.2)."""
        put = change(before, move)
        castling = before.is_castling(move)
        for square in sorted(put, key=lambda at: (at == move.from_square) is not castling):
            if before.piece_at(square):
                self.board.lift(chess.square_name(square))
        for square, letter in put.items():
            if letter is not None:
                self.board.place(chess.square_name(square), letter)

    def press(self, lever_board: EmulatedBoard) -> None:
        lever_board.press("white" if self.side == "white" else "black")


def _room(seconds: float, seed: int) -> bytes:
    """The noise of a quiet room, about -60 dBFS."""
    noise = np.random.default_rng(seed).normal(0, 30, int(seconds * RATE))
    return noise.astype("<i2").tobytes()


def demonstrate(out: TextIO, journal_path: Path, language: str = "de") -> None:
    """Play the game and print what is said, heard, felt and ruled, then the record.

    :raises DemonstrationError: if the game cannot be played to its end.
    :raises JournalError, ModelError, SynthesisError: if a part is missing.
    """
    pack = load(language)
    recogniser = open_recogniser(pack, find_model(language))
    setup = Setup(
        t=0,
        time_control="900+10",
        event="BlindPlay demonstration",
        announce_in=language,
        date=datetime.date.today().isoformat(),
        white=Player(name="Anna Weiß", impaired=True),
        black=Player(name="Bernd Schwarz"),
    )
    with ExitStack() as stack:
        journal = stack.enter_context(Journal(journal_path))
        synthesiser = stack.enter_context(Synthesiser(language, spellings=pack.spoken))
        table = Table(journal, setup)
        transcript = Transcript(out, table.time)
        speaker = Speaker(synthesiser, *outputs(transcript.trouble))
        session = Session(table, pack, speaker, transcript)
        known = {name for voice in synthesiser.voices() for name in (voice.id, voice.name)}
        german = any("gmw/de" in name or name == "de" for name in known)
        people: dict[str, Person] = {}
        for side in SIDES:
            board = stack.enter_context(EmulatedBoard())
            voice = _VOICES[side] if german else None
            people[side] = Person(side, session, synthesiser, voice, QueueSource(), board)
        stack.callback(session.close)
        transcript.line("Two emulated boards are plugged in, each behind a serial line.")
        for side in SIDES:
            session.attach_board(side, people[side].board.url, levers=side == "white")
        for side in SIDES:
            session.attach_microphone(side, people[side].microphone, recogniser)
        _wait_for_boards(session)
        table.submit(f.Start())
        commands = (Command.CORRECTION, Command.CLOCK_MINE)
        says = {command: _command(pack, recogniser, command) for command in commands}
        for _ in _play(session, pack, people, says):
            session.wait_until_said()
        show_record(session)
        transcript.show("\n" + pack.printed("journal_is", path=journal_path))


def _wait_for_boards(session: Session) -> None:
    for _ in range(100):
        if all(seat.board.placement() for seat in session.boards.values()):
            return
        time.sleep(0.1)
    raise DemonstrationError("An emulated board did not answer.")


def _play(
    session: Session, pack: Language, people: dict[str, Person], says: dict[Command, str]
) -> Iterator[None]:
    """1.e4 e5 2.Bc4 Nc6 3.Qh5 Nf6 4.Qxf7 mate, with what goes wrong in a real hall."""
    white, black = people["white"], people["black"]
    game = session.table.game
    for number, uci in enumerate(("e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7"), 1):
        move = chess.Move.from_uci(uci)
        before = game.board.copy()
        mover, other = (white, black) if before.turn == chess.WHITE else (black, white)
        words = pack.announce(before, move)
        if uci == "f1c4":
            # A slip of the tongue, corrected before the opponent's clock is started (D.2.8).
            slip = pack.announce(before, chess.Move.from_uci("f1b5"))
            mover.speak(slip, "announced")
            mover.speak(f"{says[Command.CORRECTION]} {words}", "slip_corrected")
        else:
            mover.speak(words, "announced")
        other.speak(words, "repeated")
        _do(session, "executed", mover.execute, before, move)
        if game.over:
            other.execute(before, move)
        elif uci == "d1h5":
            # The opponent executes another move on their own board than the one announced.
            wrong = chess.Move.from_uci("d1g4")
            _do(session, "executed_differs", other.execute, before, wrong)
        else:
            _do(session, "executed", other.execute, before, move)
        # White's sheet holds the own words (D.2.7), Black's the usual notation.
        session.table.submit(f.Record(by="white", ply=number, text=words))
        session.table.submit(f.Record(by="black", ply=number, text=pack.write(before, move)))
        yield
        if game.over:
            return
        kind = "correct_board" if uci == "d1h5" else "completed"
        _do(session, kind, mover.press, white.board)
        if uci == "d1h5":
            # Both scoresheets agree, so Black corrects the board step by step (D.2.9).
            _do(session, "boards_agree", _correct, session, other)
        if uci == "b8c6":
            white.speak(says[Command.CLOCK_MINE], "answer")
        yield


def _command(pack: Language, recogniser: AnyRecogniser, command: Command) -> str:
    """The longest phrase for a command that the model knows: the hardest to mishear."""
    known = recogniser.known_phrases(pack.command_phrases())
    meant = (one for one in known if pack.understand(one, chess.Board()).command is command)
    return max(meant, key=len)


def _correct(session: Session, person: Person) -> None:
    *_, last = (ruling for ruling in session.rulings if isinstance(ruling, CorrectBoard))
    for step in last.steps:
        if step.do == "place":
            person.board.place(step.square, step.piece)
        else:
            person.board.lift(step.square)


def _do(session: Session, answer: str, act: Callable[..., None], *of: object) -> None:
    """Let hands do something, and wait for the ruling it must cause."""
    since = len(session.rulings)
    act(*of)
    if session.wait_for(answer, PATIENCE, since) is None:
        raise DemonstrationError(f"The table did not answer with {answer}.")
