"""The commands for one person: a voice, keys that do not wait, led hands, spoken answers."""

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from io import TextIOBase
from typing import TextIO

import chess

from blindplay.boards import events
from blindplay.boards.driver import SensorBoard
from blindplay.boards.makers import board_at
from blindplay.boards.peg import protocol as peg
from blindplay.conversation.commands import LAST_MOVES
from blindplay.hearing import speaker_models
from blindplay.hearing.decision import Decision, Verdict, decide_among
from blindplay.hearing.expectation import Expected, expect
from blindplay.hearing.recognisers import listening_models, open_recogniser
from blindplay.hearing.statement import Statement, interpret
from blindplay.language import About, Command, Key, Language, key_of, word_of
from blindplay.laws.placement import Pieces, write_placement
from blindplay.speech.audio import AudioError, AudioSource
from blindplay.speech.audio_devices import MicrophoneSource, check_named, devices
from blindplay.speech.confidence import confidence_of
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.listener import Listener
from blindplay.speech.models.folders import ModelError
from blindplay.speech.recogniser import Recognition
from blindplay.speech.speaker import Output, Speaker
from blindplay.typed_lines import LOOK_S
from blindplay.wording.board_steps import SetupGuide, named, plan
from blindplay.wording.position import ABOUT_POSITION, captured_by, captured_in_words, look_at
from blindplay.wording.values import number_in_words

from .devices import open_speaker
from .microphone_seat import mute_while_speaking

Say = Callable[[str], None]
PlayedMove = tuple[chess.Board, chess.Move]
"""A move with the position before it."""


class EndedError(Exception):
    """The person has typed a word that ends."""


class Prompter:
    """Prints and, unless ``silent``, speaks in the language of ``pack``. Leaving ``stack`` waits
    until everything was said.

    :raises AudioError, ReaderError: as :func:`~blindplay.table.devices.open_speaker` does
    """

    def __init__(self, stack: ExitStack, pack: Language, silent: bool, out: TextIO) -> None:
        self.pack = pack
        self.said_at = time.monotonic()
        self._out = out
        self._latest: list[str] = []  # what was told last
        self.speaker: Speaker | None = None
        if not silent:
            self.speaker = open_speaker(stack, pack, self.trouble)
            stack.callback(self.speaker.close)
            stack.callback(self.speaker.wait, 60)

    def trouble(self, sentence: str) -> None:
        """Print a sentence about what went wrong, written in English."""
        print(self.pack.trouble(sentence), file=self._out, flush=True)

    def show(self, text: str) -> None:
        """Print a text, if it is not empty."""
        if text:
            print(text, file=self._out, flush=True)

    def say(self, words: str) -> None:
        """Print and speak a sentence, if it is not empty."""
        self.show(words)
        if words and self.speaker is not None:
            self.speaker.say(words, to=Output.PRIVATE)
        self.said_at = time.monotonic()

    def prompt(self, key: str, **values: str) -> None:
        """Say a sentence of the pack."""
        self.say(self.pack.sentence(key, **values))

    def tell(self, sentences: Iterable[str], *, more: bool = False) -> None:
        """Say sentences that :meth:`again` repeats. ``more``: they belong to the last ones."""
        told = self._latest if more else []
        for words in filter(None, sentences):
            told.append(words)
            self.say(words)
        self._latest = told or self._latest

    def again(self) -> None:
        """Repeat what was told last."""
        for words in list(self._latest):
            self.say(words)

    def heed(self, keys: Iterable[str]) -> Iterator[str]:
        """Yield the typed lines, stripped. Each one interrupts what is being said."""
        for line in keys:
            if self.speaker is not None:
                self.speaker.interrupt()
            yield line.strip()

    # --- words -----------------------------------------------------------------------------------

    @property
    def keys(self) -> dict[str, str]:
        """The words to type for each key, for sentences."""
        return {key.value: word_of(self.pack, key) for key in Key}

    def number(self, number: int) -> str:
        """A number in words; the digits of a long one."""
        return number_in_words(str(number), self.pack)

    def player(self, color: chess.Color) -> str:
        """White or Black."""
        return self.pack.sentence("white" if color else "black")

    def to_move(self, board: chess.Board) -> str:
        """The sentence on whose move it is."""
        return self.pack.sentence("to_move", player=self.player(board.turn))

    def move(self, board: chess.Board, move: chess.Move, key: str = "review_move") -> str:
        """The sentence about a move of ``board``, which may pass."""
        player = self.player(board.turn)
        if not move:
            return self.pack.sentence("analyse_passed", player=player)
        said = self.pack.announce(board, move, check=True)
        return self.pack.sentence(key, player=player, move=said)

    def last_moves(self, moves: Sequence[PlayedMove], count: int = 1) -> list[str]:
        """The sentences about the last of these moves, each with the position before it."""
        last = moves[-max(1, count) :]
        if not last:
            return [self.pack.sentence("no_last_move")]
        if len(last) == 1:
            return [self.move(*last[0], "last_move")]
        return [self.move(*one) for one in last]

    def answer(
        self, board: chess.Board, moves: Sequence[PlayedMove], command: Command | None, about: About
    ) -> list[str]:
        """The answer to a question about a position or the moves that led to it; empty if it is
        none."""
        match command:
            case Command.LAST_MOVE:
                return self.last_moves(moves)
            case Command.LAST_MOVES:
                return self.last_moves(moves, about.number or LAST_MOVES)
            case Command.SCORE:
                return self.last_moves(moves, len(moves))
            case Command.CAPTURED:
                return [captured_in_words(self.pack, captured_by(moves))]
        return [look_at(self.pack, board, command, about)] if command in ABOUT_POSITION else []


@dataclass(frozen=True)
class News:
    """Something from elsewhere that a command waits for, besides what the person does."""

    what: object


Event = events.BoardEvent | Decision | News | str | None
"""Something that arrives for an attendant. None: no more is typed."""


class Attendant:
    """Reads typed lines, and leads hands at one board of any maker, if there is one.

    ``url`` is its address or name; "" is a pegged board that is searched for, None is none. Leaving
    ``stack`` closes it.

    :raises BoardNotFoundError: there is no such board
    """

    def __init__(
        self,
        stack: ExitStack,
        voice: Prompter,
        keys: Iterable[str],
        url: str | None = None,
    ) -> None:
        driver = None if url is None else board_at(url)
        self._voice, self._pack = voice, voice.pack
        self._inbox: queue.Queue[Event] = queue.Queue()
        self._typed: deque[str | None] = deque()
        self._news: deque[News | Decision] = deque()
        self._end_given = False
        self._shown = False  # the board has told what stands on it
        self._led = False
        self._lost = False  # the board was away and has not told its position since
        self._goal: Pieces | None = None  # to which hands were led last
        self._differs = False
        self.terminal = isinstance(keys, TextIOBase) and keys.isatty()
        """True if a person types, and no script."""
        threading.Thread(target=self._read, args=(keys,), name="keys", daemon=True).start()
        self.board: SensorBoard | None = None
        if driver is not None:
            self.board = stack.enter_context(driver[0](driver[1], self._inbox.put))

    def _read(self, keys: Iterable[str]) -> None:
        with suppress(OSError, ValueError):  # a keyboard that is gone
            for line in self._voice.heed(keys):
                self._inbox.put(line)
        self._inbox.put(None)

    def _next(self) -> Event:
        """Wait for what arrives next. Python may notice Ctrl-C only when a wait ends, so none is
        long."""
        while True:
            with suppress(queue.Empty):
                return self._inbox.get(timeout=LOOK_S)

    def line(self) -> str | None:
        """Wait for a typed line. None: there are no more."""
        while not self._typed:
            self._take(self._next())
        return self._typed.popleft() if self._typed[0] is not None else None

    def hear(self, decision: Decision) -> None:
        """Take what somebody said, for the caller that waits for an answer now."""
        self._inbox.put(decision)

    def answer(self) -> Decision | str | None:
        """Wait for a typed line, or for something that is said. None: nothing more is typed."""
        while not self._typed:
            event = self._next()
            if isinstance(event, Decision):
                return event
            self._take(event)
        return self.line()

    def tell(self, what: object) -> None:
        """Take something from elsewhere, for :meth:`event`. Any thread may call it."""
        self._inbox.put(News(what))

    def event(self, *, hands: bool = False, typed: bool = True) -> Event:
        """Wait for a typed line, for something that is said, or for news. None, once: nothing more
        is typed. With ``hands`` wait also for an event of the board. Without ``typed``, of the
        typed lines only one that ends is returned; the others wait."""
        while True:
            if self._news:
                return self._news.popleft()
            line = self._typed[0] if self._typed else None
            if line is not None and (typed or key_of(self._pack, line) is Key.END):
                return self._typed.popleft()
            if self._typed and line is None and typed and not self._end_given:
                self._end_given = True
                return None
            event = self._next()
            if isinstance(event, Decision):
                return event
            lost = self._lost
            self._take(event)
            if hands and not isinstance(event, str | News | None):
                return event
            if self._goal is not None and not isinstance(event, str | News | None):
                self._compare(self._goal, event, back=lost and not self._lost)

    def _compare(self, goal: Pieces, event: Event, *, back: bool) -> None:
        """Say it when the board no longer shows ``goal``, when it does so again, and which of both
        after it was lost and is ``back``."""
        assert event is not None and not isinstance(event, str | Decision | News)
        placement = self.placement(event)
        if placement is None:
            return
        differs = named(placement, goal) != goal
        if back or differs != self._differs:
            self._say([self._pack.sentence("board_differs" if differs else "set_up_done")])
        self._differs = differs

    def ends(self) -> bool:
        """Return whether the next typed line is a word that ends. It does not wait for one."""
        self._take_all()
        first = self._typed[0] if self._typed else None
        return first is not None and key_of(self._pack, first) is Key.END

    def _take_all(self, *, heard: bool = False) -> None:
        """Take what has arrived. ``heard``: keep what was said meanwhile, too."""
        with suppress(queue.Empty):
            while True:
                event = self._inbox.get_nowait()
                if heard and isinstance(event, Decision):
                    self._news.append(event)
                else:
                    self._take(event)

    def drop_typed(self) -> bool:
        """Drop the lines that were typed at a terminal meanwhile, and return whether there were
        any; they count as done."""
        typed = [line for line in self._typed if line is not None] if self.terminal else []
        for _ in typed:
            self._typed.popleft()
        return bool(typed)

    def _take(self, event: Event) -> None:
        if event is None or isinstance(event, str):
            self._typed.append(event)
        elif isinstance(event, News):
            self._news.append(event)
        elif isinstance(event, Decision):
            return  # nobody has asked
        else:
            self._notice(event)
            self._say(self._fault(event))

    def _notice(self, event: events.BoardEvent) -> None:
        """Keep what an event tells about the connection."""
        if isinstance(event, events.Disconnected):
            self._lost = True
        elif isinstance(event, events.BoardPosition):
            self._lost = False
        if self.board is not None and self.board.placement() is not None:
            self._shown = True

    def placement(self, event: events.BoardEvent | None = None) -> str | None:
        """The position that the board shows, None if it is not known. After an ``event`` also None
        if it proves no position: a board that tells positions only changes on the way to one."""
        if self.board is None or self._lost or not self._shown:
            return None
        if event is not None and not self.board.FEELS_TOUCHES:
            return event.placement if isinstance(event, events.BoardPosition) else None
        return self.board.placement()

    def lead(
        self,
        goal: Pieces,
        *,
        move: bool = False,
        heed: Callable[[Decision | News | str], bool] | None = None,
    ) -> None:
        """Lead hands at the board to ``goal``, step by step, until it is there or left out.

        Keys: the word for repeating (or an empty line), for leaving out, or for ending. ``move``:
        only one move is missing and was told, so its step is not. ``heed`` takes everything else
        that arrives, and returns whether hands are still to be led to ``goal``.

        :raises EndedError: if the person ends.
        """
        assert self.board is not None
        self.board.expect(write_placement(goal))
        # What the board has told before is dropped, and so is speech that nobody has asked for.
        self._take_all(heard=heed is not None)
        self._goal = goal
        guide, begun = SetupGuide(goal, self._pack), False
        while not (begun and guide.finished):
            placement = self.board.placement() if self._shown else None
            if not begun and placement is not None:
                begun = True
                self._say(self._opening(guide, named(placement, goal), move=move))
                continue
            typed = self._typed and self._typed[0] is not None
            event: Event
            if self._news:
                event = self._news.popleft()
            else:
                event = self._typed.popleft() if typed else self._next()
            match event:
                case None:  # the keys have ended; hands go on
                    self._typed.append(None)
                case str(line):
                    key = key_of(self._pack, line)
                    if key is Key.END:
                        raise EndedError
                    if heed is None or not line or key in (Key.SKIP, Key.REPEAT):
                        self._say(guide.skip() if key is Key.SKIP else guide.repeat())
                    elif not heed(line):
                        return
                case Decision() | News():
                    if heed is not None and not heed(event):
                        return
                case _:
                    lost = self._lost
                    self._notice(event)
                    told, back = begun or not self._shown, lost and not self._lost
                    self._say(self._felt(guide, event, back) if told else self._fault(event))
        self._led = True
        placement = self.board.placement()
        self._differs = placement is None or named(placement, goal) != goal

    def _opening(self, guide: SetupGuide, shown: Pieces, *, move: bool) -> list[str]:
        """Return what to say before the first step; nothing for a ``move`` that is one step."""
        steps = sum(1 for _ in plan(shown, guide.goal))
        first = guide.begin(shown)
        if move:
            return first if steps > 1 else []
        if first:
            return [*guide.opening(), *first]
        return [] if self._led else [self._pack.sentence("set_up_done")]

    def _fault(self, event: events.BoardEvent) -> list[str]:
        """Return what to say about a board that cannot be reached or read."""
        match event:
            case events.Disconnected() as lost:
                self._voice.trouble(lost.why)
                return [self._pack.sentence("board_lost")]
            case events.ContactFault() | events.PieceDoubted():
                key = "contact_bad" if isinstance(event, events.ContactFault) else "contact_doubted"
                if isinstance(event, events.PieceDoubted) and event.empty:
                    key = "contact_counts_empty"
                square = self._pack.square(peg.square_index(event.square))
                return [self._pack.sentence(key, square=square)]
        return []

    def _felt(self, guide: SetupGuide, event: events.BoardEvent, back: bool) -> list[str]:
        """Return what to say about an event of the board while hands are led. ``back``: it was gone
        for a while."""
        if fault := self._fault(event):
            return fault
        if isinstance(event, events.Connected | events.LeverPressed):
            return []
        placement = self.placement(event)
        if placement is None:
            return []
        return guide.feel(named(placement, guide.goal)) or (guide.repeat() if back else [])

    def _say(self, sentences: Iterable[str]) -> None:
        for words in sentences:
            self._voice.say(words)


def set_up(
    url: str | None, goal: Pieces, pack: Language, silent: bool, keys: Iterable[str], out: TextIO
) -> bool:
    """Lead hands at the board at ``url`` (searched for if None) to ``goal``, step by step.

    Return whether the board shows ``goal``.

    :raises BoardNotFoundError: there is no such board
    """
    with ExitStack() as stack:
        voice = Prompter(stack, pack, silent, out)
        attendant = Attendant(stack, voice, keys, url or "")
        with suppress(EndedError):
            attendant.lead(goal)
        placement = attendant.board.placement() if attendant.board is not None else None
        return placement is not None and named(placement, goal) == goal


_COMMANDS = (Command.REPEAT, Command.YES, Command.NO)
_ECHO_S = 0.1


class AnsweringEar:
    """Hears moves of one position after the other, and what confirms them. ``heard`` gets each
    decision, between :meth:`listen` and :meth:`rest`. The speech of ``voice`` is not heard."""

    def __init__(
        self,
        recogniser: AnyRecogniser,
        source: AudioSource,
        voice: Prompter,
        heard: Callable[[Decision], object],
    ) -> None:
        self._pack, self._recogniser, self._heard = voice.pack, recogniser, heard
        lost = voice.trouble
        self._confidences = [confidence_of(*one, lost=lost) for one in recogniser.by_language]
        self._commands = voice.pack.command_phrases(_COMMANDS)
        self._expected: Expected | None = None
        self._listener = Listener(
            recogniser,
            source,
            self._on_recognition,
            phrases=recogniser.known_phrases(self._commands),
            on_error=lost,
        )
        if voice.speaker is not None:
            mute_while_speaking(voice.speaker, self._listener, echo_seconds=lambda: _ECHO_S)
        self._listener.start()

    def listen(self, board: chess.Board | None, choices: Iterable[str] = ()) -> None:
        """Listen for the moves of ``board``, if given, and for one of the phrases ``choices``.
        Those that the model lacks can only be typed."""
        awaited, recogniser = [choice.lower() for choice in choices], self._recogniser
        others, boards = (*self._commands, *awaited), [] if board is None else [board]
        expected = expect(recogniser, self._pack, boards, others=others, awaited=awaited)
        self._listener.listen_for(list(expected.phrases))
        self._expected = expected

    def knows(self, phrase: str) -> bool:
        """Return whether a phrase can be said: the model has all its words."""
        return bool(self._recogniser.known_phrases([phrase.lower()]))

    def rest(self) -> None:
        """Pay attention to nothing until the next :meth:`listen`."""
        self._expected = None

    def close(self) -> None:
        self._listener.close()

    def _on_recognition(self, recognition: Recognition) -> None:
        recognition = self._listener.reheard() or recognition
        expected, segment = self._expected, self._listener.segment
        talk = segment is not None and segment.is_piece_of_talk(recognition.words)
        if expected is not None and recognition.heard_anything and not talk:
            self._heard(decide_among(recognition, expected, self._pack, self._confidences))


def open_ear(
    stack: ExitStack, voice: Prompter, heard: Callable[[Decision], object], microphone: str | None
) -> AnsweringEar | None:
    """Listen with the microphone that has ``microphone`` in its name, None: the usual one, until
    ``stack`` closes. None for "none", and where there is no microphone or no speech model.

    :raises AudioError, ModelError: if the microphone that was named cannot be listened to.
    """
    if microphone == "none" or (microphone is None and not devices().capture):
        return None
    if microphone is not None:
        check_named(microphone, capture=True)  # before models are loaded
    pack = voice.pack
    try:
        folders = listening_models(pack.code, voice.trouble)
        folders = speaker_models.models("", pack.code, folders, voice.trouble)
        recogniser = open_recogniser(pack, *folders, lost=voice.trouble)
        ear = AnsweringEar(recogniser, MicrophoneSource(microphone), voice, heard)
    except (AudioError, ModelError) as error:
        if microphone is not None:
            raise
        voice.show(pack.printed("type_meanwhile", error=pack.trouble(str(error))))
        return None
    stack.callback(ear.close)
    return ear


class Answers:
    """The answers of one person who types and, if there is an ``ear``, speaks."""

    def __init__(self, attendant: Attendant, voice: Prompter) -> None:
        self.ear: AnsweringEar | None = None
        self._pack, self._attendant, self._say = voice.pack, attendant, voice.prompt
        self.forget()

    def next(self, board: chess.Board) -> str | None:
        """Wait for a typed line, or for the words of a move of ``board`` that the ear is sure of;
        what it is not sure of is read back. None: no more is typed."""
        self.forget()
        while (answer := self._wait(board)) is not None:
            if (text := self.taken(answer, board)) is not None:
                return text
        return None

    def forget(self) -> None:
        """Wait no longer for a yes or for the rest of an announcement."""
        self._offered: list[Statement] = []
        self._begun = ""  # "Springer Gustav eins", and after a pause "Felix drei"

    def taken(self, answer: Decision | str, board: chess.Board) -> str | None:
        """Return the words of a typed line or of something said, if it is sure. None: it was read
        back, or it is the beginning of an announcement, or nothing."""
        offered = self._offered
        said = self._meant(answer, board)
        command = None if said is None else said.meant.command
        if offered and command is Command.YES:
            self.forget()
            return offered[0].text
        if offered and command is Command.NO:
            del offered[0]
        elif isinstance(answer, str):
            self.forget()
            return answer
        elif command is not None:
            if command in (Command.YES, Command.NO):
                return None
            self.forget()
            return "" if command is Command.REPEAT else answer.phrase
        else:
            whole = f"{self._begun} {answer.recognition.words}".strip()
            if self._pack.begins(whole, board):
                self._begun = whole
                return None
            together = interpret(whole, [board], self._pack)
            if self._begun and together.move is not None:
                self._offered = [together]
            elif said is not None:
                self.forget()
                return said.text
            elif answer.verdict is Verdict.NOTHING:
                return None
            else:
                moves = {one.move: one.statement for one in answer.candidates if one.move}
                self._offered = list(moves.values())
        self._read_back(board, self._offered)
        return None

    def choice(self, choices: Sequence[str]) -> str | None:
        """Wait for a typed line, or for one of the ``choices`` that the ear is sure of. None: no
        more is typed."""
        while isinstance(answer := self._wait(None, choices), Decision):
            if answer.taken is not None:
                return answer.taken.text
            if answer.verdict is not Verdict.NOTHING:
                self._say("not_understood")
        return answer

    def _wait(
        self, board: chess.Board | None, choices: Iterable[str] = ()
    ) -> Decision | str | None:
        if self.ear is None:
            return self._attendant.line()
        self.ear.listen(board, choices)
        try:
            return self._attendant.answer()
        finally:
            self.ear.rest()

    def _meant(self, answer: Decision | str, board: chess.Board) -> Statement | None:
        if isinstance(answer, Decision):
            return answer.taken
        return interpret(answer, [board], self._pack)

    def _read_back(self, board: chess.Board, offered: list[Statement]) -> None:
        if offered and (move := offered[0].move) is not None:
            self._say("confirm_move", move=self._pack.announce(board, move))
        else:
            self._say("not_understood")
