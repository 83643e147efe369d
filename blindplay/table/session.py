"""A table in use: devices in, sentences out, and a line printed for everything that happens."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from blindplay.boards.driver import SensorBoard
from blindplay.boards.makers import driver_of
from blindplay.conversation import OpeningWord
from blindplay.conversation.effects import (
    Acknowledge,
    AdjustVoice,
    AskAgain,
    Effect,
    HoldPress,
    LeadHands,
    Learn,
    PlayAgain,
    ReadChat,
    Relisten,
    Say,
    SayAgain,
    Submit,
    TellStep,
    TellTime,
)
from blindplay.conversation.state import (
    Awaited,
    ButtonTapped,
    ClockPressed,
    Event,
    HeardUtterance,
    SecondPassed,
    TableBegun,
    TypedLine,
)
from blindplay.language import Language
from blindplay.laws import Origin, Ruling, Taken
from blindplay.laws import facts as f
from blindplay.laws.due import Step, deeds, due, executor
from blindplay.laws.placement import write_placement
from blindplay.laws.rulings import TABLE, Announced, Answer, Completed
from blindplay.laws.state import OTHER
from blindplay.record import Tape
from blindplay.record.score import ply_of
from blindplay.speech.audio import AudioSource
from blindplay.speech.confusions import Confusions
from blindplay.speech.endpointing import MicrophoneMode
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.nearest import Nearest
from blindplay.speech.speaker import Output, Speaker, Voicing
from blindplay.wording.position import time_in_words
from blindplay.wording.readers import Readers
from blindplay.wording.steps import is_not_now

from .another_game import AnotherGame
from .board_seat import BoardSeat
from .choices import PressAnswer
from .desk import NAMES, Desk, Taping, Transcript, plain
from .microphone_seat import MicrophoneSeat
from .model_offer import ModelOffer
from .next_steps import NextSteps
from .setting_up import SettingUp
from .table import Table
from .talking import Talking
from .timekeeping import Reminders, Timekeeper, TimeWarnings
from .whose_boards import WhoseBoards

Learner: TypeAlias = Callable[[str, list[tuple[str, str]]], Confusions]
"""Called with a seat and its words (said, heard) when it turned out what was said; gives how the
player is misheard. It may raise OSError."""


class Session:
    """Connects one table to its devices.

    ``speaker`` None: nothing is spoken, only printed. Devices call in from threads of their own;
    the table takes one fact at a time. ``private_is_heard_by_all``: both outputs are one device, or
    there is no earphone; ``echo_seconds``: how long the room echoes after the table has spoken;
    ``tick_seconds``: how often passing time is a fact. ``habits`` are how the players have been
    misheard before, by seat; ``learn`` learns more of that. ``on_voicing`` keeps how a player wants
    to be spoken to. ``time_warnings``: at how many seconds left a player is warned;
    ``remind_after``: see :class:`.Reminders`. ``one_enter``: a legal move that the only player
    here types is completed at once, where no sensors feel hands, and the opponent's is executed.
    ``plays_again``: after this game the caller plays another one if the players choose it.
    """

    def __init__(
        self,
        table: Table,
        pack: Language,
        speaker: Speaker | None,
        transcript: Transcript,
        *,
        private_is_heard_by_all: bool = True,
        echo_seconds: float = 0.0,
        opening_word: OpeningWord = OpeningWord.OPTIONAL,
        tick_seconds: float = 1.0,
        press_answer: PressAnswer = PressAnswer.WORDS,
        on_voicing: Callable[[Voicing], object] = lambda voicing: None,
        habits: Mapping[str, Confusions] | None = None,
        learn: Learner | None = None,
        time_warnings: Iterable[int] = (),
        remind_after: Sequence[int] = (),
        one_enter: bool = False,
        plays_again: bool = False,
    ) -> None:
        self.table = table
        self._one_enter = one_enter
        self._one_enter_told = False
        self._followed: Step | None = None  # what was last done for the only player here
        self.readers = Readers(table.game, pack)
        self.pack = self.readers.everybody
        self.transcript = transcript
        self.desk = Desk(
            table,
            self.readers,
            speaker,
            self.transcript,
            press_answer=press_answer,
            on_voicing=on_voicing,
        )
        self.boards: dict[str, BoardSeat] = {}
        self._whose_boards = WhoseBoards(self.desk, self.boards)
        self.microphones: Mapping[str, MicrophoneSeat] = {}
        """By seats. Several threads read it, so another microphone makes a new mapping."""
        self._closed = False
        self._attaching = threading.Lock()
        self.setting_up = SettingUp(self.desk, self.boards, self._listen_anew)
        self.talking = Talking(
            table,
            self.readers,
            opening_word=opening_word,
            plays_again=plays_again,
            hears=lambda: bool(self.microphones),
            speaking=lambda: self.desk.is_being_heard,
            told=self.desk.told,
        )
        self.model_offer: ModelOffer | None = None
        self.steps = NextSteps(self.desk, self.setting_up, self)
        self.time_warnings = TimeWarnings(table, self.readers, time_warnings)
        self._reminders = Reminders(
            table, self.steps.of_now, self.steps.tell, self._is_busy, remind_after
        )
        self.habits = dict(habits or {})
        self.rulings: list[Ruling] = []
        self.misheard = 0
        """Number of utterances that were not understood."""
        self._learn = learn
        self._private_is_heard_by_all = private_is_heard_by_all
        self.phone_ears: dict[Output, str] = {}
        """How a phone tells what only its player may hear: ``sound``, ``earphones`` or ``text``;
        empty or without an entry: there is no phone for it."""
        self.nearest = Nearest()
        self._echo_seconds = echo_seconds
        self._happened = threading.Condition()
        table.listen(self._taken)
        table.hold_presses(self._holds_press)
        self.another_game = AnotherGame(table, self.talking, transcript, self._converse)
        table.another_game = self.another_game
        table.watch_journal(self._journal_changed)
        self._timekeeper = Timekeeper(
            table,
            self.second,
            lambda error: self.desk.trouble("time_failed", error=error),
            tick_seconds=tick_seconds,
        )

    # --- from the table ----------------------------------------------------------------------

    def _taken(self, taken: Taken) -> None:
        rulings = taken.rulings
        for ruling in rulings:
            self.transcript.line(f"ruled {plain(ruling)}")
        if any(isinstance(ruling, Announced) for ruling in rulings):
            for microphone in self.microphones.values():
                microphone.announced()
        self.setting_up.begun_otherwise()
        others = (self.setting_up.leads_instead, is_not_now)
        heard = tuple(one for one in rulings if not any(tells(one) for tells in others))
        self.desk.announce(replace(taken, rulings=heard))
        self.setting_up.lead()
        self.steps.follow(taken)
        for seat in self.boards.values():
            seat.take_awaited()
        if any(isinstance(ruling, Completed) for ruling in rulings):
            record_last_move(self.table, self.pack)
        self._converse(taken)
        if self._completes_at_once:
            self._follow_opponent()
        with self._happened:
            self.rulings += rulings
            self._happened.notify_all()
        if rulings:
            self._listen_anew()

    def _journal_changed(self, trouble: str | None) -> None:
        """Tell everybody, by ear, that facts cannot be written or can be again: the record is
        evidence."""
        if trouble is not None:
            self.desk.tell_trouble("journal_failed", trouble)
        else:
            self.transcript.line("the journal is whole again")
            self.desk.tell_all("journal_saved")

    def second(self) -> None:
        """A second has passed, or more if this process stood still."""
        if stood := self.table.wake():
            player = self.pack.sentence(self.table.game.clock.running or self.table.game.side)
            time = self.pack.duration(round(stood) * 1000)
            self.desk.tell_all("stood_still", time=time, player=player)
        with self.table.lock:
            for microphone in self.microphones.values():
                microphone.second()
            self._converse(SecondPassed())
            self._perform(self.time_warnings.tick())
            self._reminders.tick()
        self._whose_boards.tick()
        self.setting_up.begin_if_ready()
        if self.model_offer is not None:
            self.model_offer.second()

    # --- from the players --------------------------------------------------------------------

    def typed(self, side: str, text: str) -> None:
        """Typed words of ``side``. On a board without sensors typing a move executes it."""
        self._reminders.acted(side)
        if self._asks_boards(side, text):
            return
        self.table.after_hands(lambda: self._typed(side, text))

    def author(self, text: str) -> str:
        """Return the side whose words a typed line is that names nobody."""
        offer = self.model_offer
        if offer is not None and offer.answer(text) is not None:
            return offer.side
        return self.talking.author(text)

    def _asks_boards(self, side: str, text: str) -> bool:
        """Return whether words were meant for the boards that are set up, answered the offer of a
        model, or came before the game began or went on."""
        offer = self.model_offer
        if (offer is not None and offer.asks(text, side)) or self.setting_up.asks(text, side):
            return True
        early = self.setting_up.is_early(text)
        if early:
            self.steps.tell(side)
        return early

    def _typed(self, side: str, text: str) -> None:
        game = self.table.game
        on_move, before = side == game.side, game.turn.announced
        self._converse(TypedLine(side, text))
        if on_move and game.turn.announced not in (None, before):
            self._execute_unseen(side)
            step = due(game, side)
            if self._completes_at_once and step.do == "press" and step.move is not None:
                # The first time it is told; later what was typed says enough.
                told, self._one_enter_told = self._one_enter_told, True
                self.pressed(side, self.table.time(), reports=(Completed,) if told else ())
        self.steps.teach(side)

    @property
    def _completes_at_once(self) -> bool:
        """Return whether a typed move is completed without another Enter."""
        game, absent = self.table.game, self.table.absent
        board = game.board_of(OTHER[absent]) if absent else ""
        return self._one_enter and bool(board) and not game.tables[board].sensors

    def _follow_opponent(self) -> None:
        """The only player here has heard the opponent's completed move, and types the answer."""
        game, side = self.table.game, OTHER[self.table.absent]
        step: Step | None = due(game, side)
        if step is None or game.side != side or step.move is None or step.move.by == side:
            step = None
        before, self._followed = self._followed, step
        if step is not None and step != before:  # what follows it becomes due with its rulings
            for fact in deeds(game, step)[:1]:
                self.table.submit(replace(fact, t=self.table.time()))

    def _is_busy(self, side: str) -> bool:
        """Return whether somebody speaks, or ``side`` is asked something."""
        return self._anybody_speaks or self.desk.is_being_heard or self.asked(side)

    def _is_heard(self, output: Output) -> bool:
        """Return whether microphones can hear what is said on an output."""
        here = {"sound": True, "text": True, "earphones": False}
        wired = output is Output.PUBLIC or self._private_is_heard_by_all
        return here.get(self.phone_ears.get(output, ""), wired)

    @property
    def _anybody_speaks(self) -> bool:
        return any(one.listener.speaking for one in self.microphones.values())

    @property
    def is_used(self) -> bool:
        """Return whether somebody or the table speaks, or a speech model is being fetched."""
        offer = self.model_offer
        fetches = offer is not None and offer.fetches
        return self.desk.is_speaking or self._anybody_speaks or fetches

    def asked(self, side: str) -> bool:
        """Return whether a question to ``side`` is open."""
        return self.talking.asked(side) is not None

    def reads_back(self, side: str) -> bool:
        """Return whether a doubtful move is read back to ``side``."""
        question = self.talking.asked(side)
        return question is not None and question.is_a_doubt

    def settle(self) -> None:
        """Wait, for some seconds at most, until everything typed and pressed by now is done."""
        self.table.hands_first.settle(self.table.time())

    def introduce(self) -> None:
        """Say how to find out what can be said."""
        self._converse(TableBegun())

    def enter(self) -> None:
        """The Enter key of the table's keyboard was pressed, on an empty line."""
        self._reminders.acted(self.steps.typist())
        self.steps.enter()

    def press(self, side: str, ago: float = 0.0, *, line: float = 0.0) -> None:
        """``side`` pressed their lever of the clock, ``ago`` seconds ago; ``line``: the seconds of
        these for which the press was on a line."""
        self._reminders.acted(side)
        late = round(line * 1000)
        self.steps.lever(side, self.table.time() - round(ago * 1000), late=late)

    def pressed(
        self, side: str, at: int, reports: tuple[type[Ruling], ...] = (), *, late: int = 0
    ) -> None:
        """``side`` has pressed ``at`` this time, after what hands have done. The press may confirm
        a doubtful move, and a question may hold the clock. Where no sensors feel the own hands, the
        press says that the announced move is executed. Rulings of the kinds ``reports`` are not
        told. ``late``: for how many ms it was on a line."""
        if self.table.holds_press(side, at):
            return
        game = self.table.game
        felt = game.board_of(side) in {seat.side for seat in self.boards.values()}
        if not felt and side == game.side and game.turn.executed is None:
            self._execute_unseen(side)
        self.table.submit(f.Press(by=side, late=late), replace(TABLE, reports=reports))

    def _execute_unseen(self, side: str) -> None:
        """Execute the announced move of ``side`` on the boards without sensors, unless an assistant
        executes it on the opponent's board (D.2.10.1)."""
        game, now = self.table.game, self.table.game.turn.announced
        with_sensors = {seat.side for seat in self.boards.values()}
        for board in game.tables:
            if now is None or game.turn.announced != now or game.over:
                return  # nothing is announced, or its execution was refused
            others = board != game.board_of(side) and ":" in executor(game, board)
            if board not in with_sensors and not others:
                by = board if len(game.tables) == 2 else side
                self.table.submit(f.Make(by=by, move=now.uci(), presumed=True))

    def _holds_press(self, presser: str, at: int) -> bool:
        effects = self._converse(ClockPressed(presser, at))
        return HoldPress() in effects

    def talk(self, side: str | None = None) -> None:
        """The talk button of ``side``, or one for all microphones, was pressed. Two quick presses
        confirm what its player is asked about, or the only player who is asked."""
        self._talk(side, MicrophoneSeat.toggle)

    def hold_talk(self, side: str, *, down: bool, briefly: bool = False) -> None:
        """A talk button of ``side`` that can be held went ``down`` or up. Pressed only
        ``briefly``, it is one for :meth:`talk`."""
        self._talk(side, partial(MicrophoneSeat.hold, down=down, briefly=briefly))

    def _talk(self, side: str | None, press: Callable[[MicrophoneSeat, int], bool]) -> None:
        at, tapped = self.table.time(), False
        for microphone in self.microphones.values():
            if side in (None, microphone.person):
                tapped |= press(microphone, at)
        if tapped and side in (None, *f.SIDES):
            self.table.after_hands(lambda: self._tapped(side, at), at)

    def _tapped(self, side: str | None, at: int) -> None:
        """The talk button of ``side``, or one that is nobody's, was pressed twice."""
        sides = f.SIDES if side is None else (side,)
        asked = [one for one in sides if self.talking.sayable(one).awaited is Awaited.ANSWER]
        if len(asked) == 1:
            self._converse(ButtonTapped(asked[0], at))

    def _heard(self, event: HeardUtterance) -> None:
        """Called with the table held, so that the game does not change meanwhile."""
        decision, phrase = event.decision, event.decision.phrase
        self._reminders.acted(event.side)
        if phrase is not None and not event.assistant and self._asks_boards(event.side, phrase):
            return
        self._converse(event)
        self.steps.teach(event.side)
        if decision.taken is None:
            with self._happened:
                self.misheard += 1
                self._happened.notify_all()

    # --- what comes of the conversation ------------------------------------------------------

    def _converse(self, event: Event) -> list[Effect]:
        effects = self.talking.take(event)
        self._perform(effects)
        self.another_game.look(begins=any(isinstance(one, PlayAgain) for one in effects))
        return effects

    def _perform(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case Say(to, words, fleeting):
                    self.desk.tell(to, words, fleeting=fleeting)
                case SayAgain(to):
                    self.desk.say_again(to)
                case TellStep(to):
                    self.steps.tell(to)
                case Submit(fact, reports):
                    self.table.submit(fact, Origin("conversation", reports))
                case Acknowledge(to):
                    self.desk.acknowledge(to)
                case TellTime(side, fact, command):
                    for ruling in self.table.submit(fact, Origin("conversation", (Answer,))):
                        if isinstance(ruling, Answer):
                            words = time_in_words(self.readers.of(side), ruling, command)
                            self.desk.tell(side, words)
                case ReadChat():
                    if self.table.opponent is not None:
                        self.table.opponent.read_chat()
                case Relisten():
                    self._listen_anew()
                case Learn():
                    self._learn_phrase(effect)
                case AdjustVoice(side, command):
                    self.desk.adjust_voice(side, command)
                case LeadHands(side):
                    self.setting_up.lead_to_position(side)
                case AskAgain(side, command):
                    self.another_game.ask(side, command)
                case PlayAgain(command):
                    self.another_game.chosen = command
        for seat in self.boards.values():
            seat.lead()

    def _learn_phrase(self, effect: Learn) -> None:
        """Learn from sound whose words are known now, so that it is heard better next time."""
        heard = effect.recognition.words.split()
        pairs = Confusions().aligned(effect.phrase.lower().split(), heard)
        if self._learn is not None and any(said != heard for said, heard in pairs):
            seat = self.table.side_of(effect.side)
            with self.desk.remembering():
                self.habits[seat] = self._learn(seat, pairs)

    def _listen_anew(self) -> None:
        for microphone in self.microphones.values():
            microphone.listen_anew()

    # --- devices -----------------------------------------------------------------------------

    def attach_board(
        self, seat: str, url: str, *, levers: bool = True, by_name: bool = False
    ) -> None:
        """Read the board of ``seat`` at ``url``; a prefix such as ``dgt:`` names its maker.

        ``levers``: its levers are the table's clock, else each is its player's talk button.
        ``by_name``: it was the board of ``seat`` before this table went on, and only the name of
        its port says that it is so now.
        """
        driver, address = driver_of(url)
        self.attach(driver(address), seat, levers=levers, by_name=by_name)

    def attach(
        self, board: SensorBoard, seat: str, *, levers: bool = True, by_name: bool = False
    ) -> None:
        """Read the board of ``seat``; see :meth:`attach_board`."""

        def on_lever(lever: str, ago: float) -> None:
            side = self.table.side_of(lever)
            if here.unassigned and not all(one.levers for one in self.boards.values()):
                return  # the clock, or a talk button
            if here.levers:
                self.transcript.line(f"felt {NAMES[side]}'s clock lever pressed")
                self.press(side, ago)
            else:
                self.talk(here.side)

        here = self.boards[seat] = BoardSeat(
            self.desk,
            seat,
            board,
            on_lever=on_lever,
            changed=self.setting_up.begin_if_ready,
            asked=self.asked,
        )
        here.levers = levers
        self._whose_boards.attach(here, by_name=by_name)
        if (known := here.table_board) is not None:
            board.expect(write_placement(known.placement or self.table.game.position_pieces()))
        board.start()

    def attach_microphone(
        self,
        seat: str,
        source: AudioSource,
        recogniser: AnyRecogniser,
        mode: MicrophoneMode = MicrophoneMode.OPEN,
        *,
        shared: bool = False,
        late_seconds: Callable[[], float] = lambda: 0.0,
        gone: Callable[[str], None] | None = None,
        back: Callable[[], None] | None = None,
        gives_way: bool = False,
    ) -> MicrophoneSeat:
        """Listen at ``seat``, in place of the microphone that was there, unless this one
        ``gives_way`` to it; see :class:`.MicrophoneSeat`. It is closed at once if the session was
        closed meanwhile. ``late_seconds``: how long after it was spoken its sound comes at most."""
        with self._attaching:  # a phone may come while a microphone with a cable is being opened
            before = self.microphones.get(seat)
            if before is not None:
                if gives_way:
                    return before
                before.close()
            here = MicrophoneSeat(
                self.desk,
                self.talking,
                seat,
                source,
                recogniser,
                hears=self._heard,
                hushed=self._converse,
                settled=self.settle,
                guide_phrases=self._guide_phrases,
                habits=lambda: self.habits.get(seat, Confusions()),
                place=self.nearest.place(seat),
                mode=mode,
                shared=shared,
                hears_output=self._is_heard,
                echo_seconds=lambda: self._echo_seconds + late_seconds(),
                gone=gone,
                back=back,
            )
            with self.table.lock:
                if not self._closed:
                    self.microphones = {**self.microphones, seat: here}
                    here.listen_anew()  # the game may have gone on meanwhile
                    return here
            here.close()
            return here

    def _guide_phrases(self) -> list[str]:
        offer = self.model_offer
        return [*self.setting_up.phrases(), *(offer.phrases() if offer is not None else ())]

    def offer_model(
        self, seat: str, codes: Sequence[str], listen: Callable[[Callable[[], None]], object]
    ) -> None:
        """Offer a better speech model at ``seat``, once a game waits; see :class:`.ModelOffer`."""
        self.model_offer = ModelOffer(
            self.desk,
            self.setting_up,
            seat,
            codes,
            asked=lambda: any(map(self.asked, f.SIDES)),
            listen=listen,
            listen_anew=self._listen_anew,
        )
        self.model_offer.begin()

    # --- the tape ----------------------------------------------------------------------------

    def keep_tape(self, tape: Tape, *, voices: bool = False) -> None:
        """Keep on ``tape`` what is said to everybody, with ``voices`` also how the players announce
        their moves, and tell everybody so. Call it before microphones are attached."""
        failed = partial(self.desk.tell_trouble, "tape_failed")
        self.desk.taping = Taping(tape, self.table, failed, voices=voices)
        self.desk.tell_all("tape_told_voices" if voices else "tape_told")

    def play_tape(self, number: int) -> None:
        """Play privately what was said from move ``number`` on; an interruption ends it."""
        ply, speaker, taping = ply_of(self.table.game, number), self.desk.speaker, self.desk.taping
        if taping is None or speaker is None or not taping.play(speaker, ply):
            self.desk.tell_privately("tape_nothing")

    # --- waiting -----------------------------------------------------------------------------

    def wait_for(self, kind: str, seconds: float, since: int = 0) -> Ruling | None:
        """The first ruling of this kind after the first ``since``, within ``seconds``; None, and at
        once, when meanwhile somebody was not understood."""
        misheard = self.misheard

        def found() -> Ruling | None:
            return next((r for r in self.rulings[since:] if r.kind == kind), None)

        with self._happened:
            self._happened.wait_for(
                lambda: found() is not None or self.misheard > misheard, seconds
            )
            return found()

    def wait_until_said(self, seconds: float = 60) -> None:
        """Wait until everything was spoken."""
        if self.desk.speaker is not None:
            self.desk.speaker.wait(seconds)

    def close(self) -> None:
        """Stop the devices; the journal is the table's."""
        with self.table.lock:
            self._closed = True
        if self.model_offer is not None:
            self.model_offer.close()
        for microphone in self.microphones.values():
            microphone.close()
        for seat in self.boards.values():
            seat.board.close()
        self._timekeeper.close()
        if self.desk.speaker is not None:
            self.desk.speaker.close()


def record_last_move(table: Table, pack: Language) -> None:
    """Write the last move on each scoresheet that lacks it: the impaired player's in words, as a
    recorder would (D.2.7), the other's in notation. The players' own entries stand, and their later
    entries replace ours, which are struck through and kept."""
    game = table.game
    assert game.setup is not None
    if not game.history:
        return
    ply, last = len(game.history), game.history[-1]
    move = last.spoken  # people write what was announced
    for side, sheet in game.sheets.items():
        if ply in sheet:
            continue
        if last.illegal:
            text = move.uci()
        elif game.player(side).impaired:
            text = pack.announce(last.before, move, edition=game.setup.edition)
        else:
            text = pack.write(last.before, move)
        table.submit(f.Record(by=side, ply=ply, text=text))
