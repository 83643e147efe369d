"""A short game through every real part, for a machine with no board, microphone or loudspeaker.

Only the people are simulated. Two synthesised voices speak into the real recogniser, and two
emulated boards speak the real protocol through a serial line to the real driver. In a language
without a speech model, the people type.

It is printed as a report in the user's language; all that a table can print comes in its place if
that is wanted.
"""

import datetime
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import chess
import numpy as np

from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.conversation.state import Awaited
from blindplay.hearing.recognisers import open_recogniser
from blindplay.language import Command, Language, load
from blindplay.laws import facts as f
from blindplay.laws.facts import SIDES, Player, Setup
from blindplay.laws.placement import change
from blindplay.laws.rulings import CorrectBoard
from blindplay.record import Journal
from blindplay.speech.audio import RATE, QueueSource, read_audio
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.models.folders import ModelError, find_model
from blindplay.speech.speaker import Speaker
from blindplay.speech.synthesis import Synthesiser
from blindplay.translation import SentenceError

from .choices import Printed
from .desk import Transcript
from .devices import outputs
from .play import show_record
from .session import Session
from .table import Table

PATIENCE = 12.0  # seconds for which a person waits for an answer
_RATES = (150, 130, 115, 170)  # words a minute, for each try: slower after a misunderstanding
# Variants of espeak's voices. Without espeak, both players have the default voice of the system.
_VARIANTS = {"white": "", "black": "+m3"}
_SAID = (Command.CORRECTION, Command.CLOCK_MINE)
_NAMES = {"white": "Anna", "black": "Bernd"}


class DemonstrationError(SentenceError, RuntimeError):
    """The demonstration could not be played to its end; the message says where it stopped."""


@dataclass
class Person:
    """A simulated player: a voice, a microphone before it, and hands on a board. A player without
    a microphone types."""

    side: str
    session: Session
    synthesiser: Synthesiser
    voice: str | None
    microphone: QueueSource | None
    board: EmulatedBoard
    yes: str

    def speak(self, words: str, answer: str) -> None:
        """Say ``words`` until the table gives the ruling ``answer`` to them; if it asks whether
        they were said, say yes."""
        for attempt, rate in enumerate(_RATES):
            self._wait_for_silence()
            asked = self.session.talking.sayable(self.side).awaited is Awaited.ANSWER
            if attempt and not asked:
                self.tell("demo_again")
            since = len(self.session.rulings)
            self._say(self.yes if asked else words, attempt, rate, answers=asked)
            if self.session.wait_for(answer, PATIENCE, since) is not None:
                return
        raise DemonstrationError("The table did not understand: {words}.", words=words)

    def _wait_for_silence(self) -> None:
        """Wait until the table has done all that was said and felt, and has told it: it does not
        hear while it speaks."""
        self.session.settle()
        self.session.wait_until_said()

    def _say(self, words: str, attempt: int, rate: int, *, answers: bool) -> None:
        if self.microphone is None:
            self.tell("demo_types", words=words)
            self.session.typed(self.side, words)
            return
        self.tell("demo_says", words=words)
        self.session.transcript.line(f"{self.side} speaks: {words}")
        sound = read_audio(self.synthesiser.render(words, voice=self.voice, rate=rate))
        said = _room(0.4, attempt) + sound + _room(1.6, attempt + 7)
        if answers:
            # The sound comes at once. Without this it would seem to begin before the question.
            time.sleep(len(said) / 2 / RATE)
        self.microphone.push(said)

    def tell(self, key: str, **values: str) -> None:
        """Report something about this player, unless everything is printed anyway."""
        if not self.session.transcript.everything:
            sentence = self.session.pack.sentence(key, player=_NAMES[self.side], **values)
            self.session.transcript.show(sentence)

    def execute(self, before: chess.Board, move: chess.Move) -> None:
        """Execute ``move`` on the own board."""
        name = self.session.pack.square
        self.tell("demo_executes", square=name(move.from_square), to=name(move.to_square))
        execute_on(self.board, before, move)

    def press(self, lever_board: EmulatedBoard) -> None:
        self.tell("demo_presses")
        lever_board.press("white" if self.side == "white" else "black")


def execute_on(board: EmulatedBoard, before: chess.Board, move: chess.Move) -> None:
    """Let hands execute ``move``. Lift a captured piece before the mover, and the king before the
    rook (4.4.2)."""
    put = change(before, move)
    castling = before.is_castling(move)
    for square in sorted(put, key=lambda at: (at == move.from_square) is not castling):
        if before.piece_at(square):
            board.lift(chess.square_name(square))
    for square, letter in put.items():
        if letter is not None:
            board.place(chess.square_name(square), letter)


def _room(seconds: float, seed: int) -> bytes:
    """The noise of a quiet room, about -60 dBFS."""
    noise = np.random.default_rng(seed).normal(0, 30, int(seconds * RATE))
    return noise.astype("<i2").tobytes()


@dataclass(frozen=True)
class Shown:
    """The output of the demonstration.

    ``journal``: keep it in this file; None: keep nothing. ``instead``: nothing to play with was
    found. ``command`` calls this program, for what to type next.
    """

    journal: Path | None = None
    printed: Printed = Printed.WORDS
    instead: bool = False
    command: str = "blindplay"


def demonstrate(out: TextIO, language: str = "de", shown: Shown = Shown()) -> None:
    """Play the game and print a report, or all that happens, then the record.

    :raises DemonstrationError: if the game cannot be played to its end.
    :raises JournalError, ModelError, SynthesisError: if a part is missing.
    """
    pack = load(language)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="blindplay-demo-"))
        journal = stack.enter_context(Journal(shown.journal or Path(folder) / "demo.jsonl"))
        synthesiser = stack.enter_context(Synthesiser(language, spellings=pack.spoken))
        boards = {side: stack.enter_context(EmulatedBoard()) for side in SIDES}
        table = Table(journal, _setup(language))

        def as_said(words: str, public: bool) -> str:
            return pack.sentence("demo_table" if public else "demo_private", words=words)

        transcript = Transcript(out, table.time, shown.printed, as_said=as_said)
        speaker = Speaker(synthesiser, *outputs(stack, transcript.line))
        session = Session(table, pack, speaker, transcript)
        stack.callback(session.close)
        recogniser = _recogniser(pack)
        _tell_what_follows(session, instead=shown.instead, spoken=recogniser is not None)
        people = _sit_down(session, boards, synthesiser, recogniser)
        table.submit(f.Start())
        says = {command: _command(pack, recogniser, command) for command in _SAID}
        for _unused in _play(session, pack, people, says):
            session.wait_until_said()
        transcript.show(f"\n{pack.sentence('demo_record')}")
        show_record(session)
        if shown.journal is not None:
            transcript.show("\n" + pack.printed("journal_is", path=shown.journal))
        transcript.show(f"\n{pack.sentence('demo_end')}")
        transcript.show(pack.printed("demo_next", command=shown.command))


def _setup(language: str) -> Setup:
    return Setup(
        t=0,
        time_control="900+10",
        announce_in=language,
        event="BlindPlay demonstration",
        date=datetime.date.today().isoformat(),
        white=Player(name=f"{_NAMES['white']} Weiß", impaired=True, language=language),
        black=Player(name=f"{_NAMES['black']} Schwarz", language=language),
    )


def _recogniser(pack: Language) -> AnyRecogniser | None:
    """Return the recogniser that hears the people; None if no speech model of their language is
    installed."""
    try:
        return open_recogniser(pack, find_model(pack.code))
    except ModelError:
        return None


def _tell_what_follows(session: Session, *, instead: bool, spoken: bool) -> None:
    """Say what the demonstration is made of."""
    show, pack = session.transcript.show, session.pack
    if instead:
        show(pack.sentence("demo_why"))
    show(pack.sentence("demo_people", **_NAMES))
    show(pack.sentence("demo_voices" if spoken else "demo_typed"))
    show("")


def _sit_down(
    session: Session,
    boards: Mapping[str, EmulatedBoard],
    synthesiser: Synthesiser,
    recogniser: AnyRecogniser | None,
) -> dict[str, Person]:
    """Both people at their boards and, where they can be heard, with microphones."""
    espeak = any("/" in voice.id for voice in synthesiser.voices())  # as in "gmq/sv"
    yes = _command(session.pack, recogniser, Command.YES)
    people: dict[str, Person] = {}
    for side in SIDES:
        microphone = None if recogniser is None else QueueSource()
        voice = f"{session.pack.code}{_VARIANTS[side]}" if espeak else None
        people[side] = Person(side, session, synthesiser, voice, microphone, boards[side], yes)
        session.attach_board(side, boards[side].url, levers=side == "white")
        if microphone is not None and recogniser is not None:
            session.attach_microphone(side, microphone, recogniser)
    _wait_for_boards(session)
    return people


def _wait_for_boards(session: Session) -> None:
    for _unused in range(100):
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
            mover.tell("demo_slip")
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
            other.tell("demo_wrong")
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


def _command(pack: Language, recogniser: AnyRecogniser | None, command: Command) -> str:
    """The longest phrase for a command that the model knows: the hardest to mishear."""
    known = pack.command_phrases()
    if recogniser is not None:
        known = recogniser.known_phrases(known)
    meant = (one for one in known if pack.understand(one, chess.Board()).command is command)
    return max(meant, key=len)


def _correct(session: Session, person: Person) -> None:
    person.tell("demo_corrects")
    *_rest, last = (ruling for ruling in session.rulings if isinstance(ruling, CorrectBoard))
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
        raise DemonstrationError("The table did not answer with {answer}.", answer=answer)
