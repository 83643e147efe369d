"""A table in use: devices in, sentences out, and a line printed for everything that happens."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TextIO

from blindplay.boards import events
from blindplay.boards.dgt import DgtBoard
from blindplay.boards.peg import PegBoard
from blindplay.boards.peg import protocol as peg
from blindplay.hearing.decision import Decision, Expected, Verdict, decide, expect, felt
from blindplay.language import Command, Language, Understanding
from blindplay.laws import Ruling, Taken, unidentified_pieces
from blindplay.laws import facts as f
from blindplay.laws.placement import Pieces, change, laid_over, read_placement
from blindplay.laws.rulings import ArbiterNeeded, CorrectBoard
from blindplay.laws.state import OTHER
from blindplay.record import Tape
from blindplay.record.pulse import BEAT_S
from blindplay.record.score import ply_of
from blindplay.speech.audio import AudioSource
from blindplay.speech.confidence import ConfidenceModel, confidence_of
from blindplay.speech.confusions import Confusions
from blindplay.speech.endpointing import UNFINISHED_S, MicrophoneMode
from blindplay.speech.ensemble import AnyRecogniser, Ensemble
from blindplay.speech.listener import Listener
from blindplay.speech.recogniser import Recognition
from blindplay.speech.speaker import Outcome, Output, Speaker, Voicing
from blindplay.speech.synthesis import NotWordsError
from blindplay.wording.announcements import announcements, goes_to_earphone
from blindplay.wording.board_steps import KEYS, SetupGuide, key_of

from .choices import OpeningWord, Printed
from .conversation import Awaited
from .conversation import Sayable as Listened
from .dialogue import Dialogue
from .table import Table
from .taping import Taping

log = logging.getLogger(__name__)

DGT = "dgt:"
# Who speaks is not talked over; who has begun to and says nothing more is, after so long.
_HOLD_SECONDS = 5.0
_SILENT = frozenset(("tick", "setup"))
# What the Laws say of boards that differ: nothing that is to be said while they are set up.
_OF_BOARDS = frozenset(("boards_differ", "boards_agree", "scoresheets", "must_record", "explained"))
_STATES = {True: "back", False: "gone"}
_NAMES = {"white": "White", "black": "Black"}


def _told(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name} {_told(part)}" for name, part in value.items())
    return ", ".join(map(_told, value)) if isinstance(value, list) else str(value)


def plain(ruling: Ruling) -> str:
    """A ruling as one plain line: its kind, its figures, its article."""
    parts = []
    for name, value in ruling.fields.items():
        if name in ("words", "placement", "undo", "explanations"):
            continue
        if name == "steps":
            value = ", ".join(f"{step['do']} {step['piece']} {step['square']}" for step in value)
        elif name == "squares":
            value = ", ".join(
                f"{at['square']} White's board {at['white'] or 'empty'}, "
                f"Black's board {at['black'] or 'empty'}"
                for at in value
            )
        elif name == "moves" and isinstance(value, list) and len(value) > 12:
            value = f"{len(value)} moves"
        elif isinstance(value, list):
            value = " ".join(map(_told, value))
        elif isinstance(value, dict):
            value = _told(value)
        if value != "":
            parts.append(f"{name.replace('_', ' ')} {value}")
    said = ruling.kind.replace("_", " ")
    return f"{said}: {'; '.join(parts)} ({', '.join(ruling.articles)})"


class Session:
    """Connects one table to its devices. What happens is printed to ``out``, as far as ``printed``
    goes.

    ``speaker`` None: nothing is spoken, only printed. Devices call in from their own threads;
    the table takes one fact at a time.
    """

    def __init__(
        self,
        table: Table,
        pack: Language,
        speaker: Speaker | None,
        out: TextIO,
        *,
        private_is_heard_by_all: bool = True,
        echo_seconds: float = 0.0,
        opening_word: OpeningWord = OpeningWord.OPTIONAL,
        printed: Printed = Printed.ALL,
        tick_seconds: float = 1.0,
    ) -> None:
        """``private_is_heard_by_all``: both outputs are one device, or no earphone;
        ``echo_seconds``: for how long the room is still not listened to after we have spoken;
        ``tick_seconds``: of the wall's clock, as often passing time is a fact;
        ``opening_word``: see :class:`Dialogue`."""
        self._shared_output = private_is_heard_by_all
        self._echo_seconds = echo_seconds
        self.table = table
        self.pack = pack
        self._speaker = speaker
        self._out = out
        self._printed = printed
        self._one_at_a_time = threading.Lock()
        self.dialogue = Dialogue(table, pack, self.say, opening_word=opening_word)
        self.dialogue.on_listening = self._listen_anew
        if speaker is not None:
            speaker.on_output(self._output)
            self.dialogue.adjust_voice = self._adjust_voice
            self.dialogue.speaking = lambda: speaker.speaking
        self.on_voicing: Callable[[Voicing], None] = lambda voicing: None
        """Called when the player wants to be spoken to otherwise from now on."""
        self.boards: dict[str, PegBoard | DgtBoard] = {}
        # What stands on boards that tell positions only, as long as hands rest.
        self._standing: dict[str, str] = {}
        self._listeners: dict[str, Listener] = {}
        self._shared: set[str] = set()  # seats whose microphone hears both players
        self._announced_at: dict[str, float] = {}  # in each listener's seconds of sound
        self._expected: dict[str, Expected] = {}
        self._recogniser: AnyRecogniser | None = None
        self._confidence: ConfidenceModel | None = None
        self.habits: dict[str, Confusions] = {}
        """How the players have been misheard before, by seat."""
        self.on_misheard: Callable[[str, list[tuple[str, str]]], None] = lambda seat, pairs: None
        """Called with a seat and its words (said, heard) when it turned out what was said."""
        self.dialogue.on_learned = self._learn
        self._warned: set[str] = set()
        self._guides: dict[str, SetupGuide] = {}
        self._begin: Callable[[], None] | None = None
        self._setting_up = False
        self._looked_at: set[str] = set()
        self._happened = threading.Condition()
        self.taping: Taping | None = None
        self.rulings: list[Ruling] = []
        self.misheard = 0
        """How many utterances were not understood."""
        table.listen(self._deliver)
        table.watch_journal(self._journal_changed)
        self._tick_seconds = tick_seconds
        self._ticking = threading.Event()
        self._clocks = [
            threading.Thread(target=self._tick, name="wall clock", daemon=True),
            threading.Thread(target=self._beat, name="pulse", daemon=True),
        ]
        for clock in self._clocks:
            clock.start()

    # --- lines -----------------------------------------------------------------------------

    def line(self, text: str) -> None:
        """Where everything is printed: one line with the table's time in seconds before it."""
        if self._printed is Printed.ALL:
            self.show(f"{self.table.time() / 1000:.1f} {text}")

    def show(self, text: str) -> None:
        """Print lines as they are, and no other thread's among them."""
        with self._one_at_a_time:
            print(text, file=self._out, flush=True)

    def trouble(self, sentence: str) -> None:
        """Something outside the game went wrong; it goes on with what is left. Always printed."""
        if self._printed is Printed.ALL:
            self.line(f"trouble: {sentence}")
        else:
            self.show(f"trouble: {sentence}")

    def _journal_changed(self, trouble: str | None) -> None:
        """Tell everybody, by ear, that facts cannot be written or can be again: the record is
        evidence."""
        if trouble is None:
            self.line("the journal is whole again")
        else:
            self.trouble(trouble)
        key = "journal_saved" if trouble is None else "journal_failed"
        self.say(Output.PUBLIC, self.pack.sentence(key))

    def say(self, output: Output, words: str) -> None:
        """Speak a sentence, and print it, unless it can be heard and only the rest is printed."""
        self.dialogue.last_said = words
        who = "to everybody" if output is Output.PUBLIC else "privately"
        self.line(f"said {who}: {words}")
        heard = self._printed is Printed.UNSPOKEN and self._speaker is not None
        if self._printed is not Printed.ALL and not heard:
            self.show(words)
        if self._speaker is not None:
            public = output is Output.PUBLIC
            keep = self.taping.says(words) if self.taping is not None and public else None

            def done(outcome: Outcome) -> None:
                if outcome is Outcome.FAILED and heard:
                    self.show(words)

            try:
                self._speaker.say(words, to=output, on_done=done, on_spoken=keep)
            except NotWordsError as error:
                self.trouble(str(error))
                done(Outcome.FAILED)

    def _output(self, output: Output, works: bool) -> None:
        """An output has failed, or works again; who hears the other one learns it."""
        name = "loudspeaker" if output is Output.PUBLIC else "earphone"
        other = Output.PRIVATE if output is Output.PUBLIC else Output.PUBLIC
        self.say(output if works else other, self.pack.sentence(f"{name}_{_STATES[works]}"))

    def _adjust_voice(self, command: Command) -> bool:
        assert self._speaker is not None
        now = self._speaker.voicing
        then = now.changed(
            louder=(command is Command.LOUDER) - (command is Command.SOFTER),
            faster=(command is Command.FASTER) - (command is Command.SLOWER),
        )
        self._speaker.voicing = then
        if then != now:
            self.on_voicing(then)
        return then != now

    # --- the tape --------------------------------------------------------------------------

    def keep_tape(self, tape: Tape, *, voices: bool = False) -> None:
        """From now on keep on ``tape`` what is said to everybody, with ``voices`` also how the
        players announce their moves; everybody is told. Before the microphones are attached."""
        self.taping = Taping(tape, self.table, self._tape_failed, voices=voices)
        told = "tape_told_voices" if voices else "tape_told"
        self.say(Output.PUBLIC, self.pack.sentence(told))

    def play_tape(self, number: int) -> None:
        """Play privately what was said from move ``number`` on; an interruption ends it."""
        ply, speaker = ply_of(self.table.game, number), self._speaker
        if self.taping is None or speaker is None or not self.taping.play(speaker, ply):
            self.say(Output.PRIVATE, self.pack.sentence("tape_nothing"))

    def _tape_failed(self, sentence: str) -> None:
        self.trouble(sentence)
        self.say(Output.PUBLIC, self.pack.sentence("tape_failed"))

    def _deliver(self, taken: Taken) -> None:
        rulings = taken.rulings
        for ruling in rulings:
            self.line(f"ruled {plain(ruling)}")
        if any(ruling.kind == "announced" for ruling in rulings):
            self._announced_at = {seat: heard.now for seat, heard in self._listeners.items()}
        heard = tuple(one for one in rulings if not self._is_led(one))
        for one in announcements(replace(taken, rulings=heard), self.table.game, self.pack):
            private = one.to is not None and goes_to_earphone(self.table.game, one.to)
            self.say(Output.PRIVATE if private else Output.PUBLIC, one.words)
        self._lead()
        self._take_awaited()
        if any(ruling.kind == "completed" for ruling in rulings):
            self.keep_scoresheets()
        with self._happened:
            self.rulings += rulings
            self._happened.notify_all()
        if rulings and self._listeners:
            self._listen_anew()

    # --- leading hands to a position -------------------------------------------------------

    def prepare(self) -> None:
        """:meth:`set_up` will be called when everything is attached: until then nothing is said of
        what the boards show."""
        self._setting_up = True

    def set_up(self, begin: Callable[[], None]) -> None:
        """Call ``begin`` once, as soon as the boards show the position; lead hands to it first.
        A board that cannot be reached is not waited for."""
        with self.table.lock:
            self._setting_up = True
            self._begin = begin
            self._lead()  # some boards may have been seen already
        self._begin_if_ready()

    def begin_now(self) -> bool:
        """Begin, whatever the boards show; False if there is nothing that waits to begin."""
        with self._one_at_a_time:  # both boards may get ready at once, each in its own thread
            begin, self._begin = self._begin, None
        if begin is None:
            return False
        self._setting_up = False
        begin()
        return True

    def _begin_if_ready(self) -> None:
        known = self._looked_at >= self.boards.keys()
        if self._begin is not None and known and all(map(self._shows_goal, self.boards)):
            self.begin_now()

    def _shows_goal(self, seat: str) -> bool:
        side = self._colour(seat)
        table, goal = self.table.game.tables.get(side), self._goal(side)
        guide = self._guides.get(side)
        led = guide is not None and guide.finished
        return f"gone {seat}" in self._warned or table is None or led or table.placement == goal

    def _goal(self, side: str) -> Pieces | None:
        """What ``side``'s board is to be brought to; None while it may show anything."""
        game = self.table.game
        table = game.tables.get(side)
        if table is None or game.over:
            return None
        if table.wanted is not None:
            return table.wanted
        return None if self._begin is None else game.position_pieces()

    def _is_led(self, ruling: Ruling) -> bool:
        """Whether hands are led step by step instead of hearing this ruling at once."""
        if isinstance(ruling, CorrectBoard):
            # A board that feels nothing is believed to have been corrected: then all is said.
            watched = self.table.game.tables[ruling.board].wanted is not None
            return watched and ruling.board in map(self._colour, self.boards)
        unwritten = isinstance(ruling, ArbiterNeeded) and ruling.why == "records_missing"
        return self._setting_up and (unwritten or ruling.kind in _OF_BOARDS)

    def _lead(self) -> None:
        """Say the next step, for one board at a time: a hand can do one thing at a time."""
        if self._setting_up and self._begin is None:
            return
        for side in map(self._colour, list(self.boards)):
            goal, guide = self._goal(side), self._guides.get(side)
            if guide is not None and guide.goal != goal:
                del self._guides[side]
            if goal is None:
                continue
            shown = self.table.game.tables[side].placement
            said: list[str] = []
            if guide is None or guide.goal != goal:
                guide = SetupGuide(goal, self.pack)
                first = guide.begin(shown)
                if first:
                    self._guides[side] = guide
                    player = self.pack.sentence(side)
                    if self._begin is not None:
                        said += guide.opening(player)
                    else:
                        said.append(self.pack.sentence("correct_board", player=player))
                    said += first
            else:
                said += guide.feel(shown)
            for words in said:
                self.say(Output.PUBLIC, words)
            if not guide.finished:
                return

    def _said_to_guides(self) -> list[str]:
        """What is listened for while a guide leads: a step once more, or to leave it out."""
        led = any(not guide.finished for guide in self._guides.values())
        return self.pack.command_phrases(KEYS) if led else []

    def _asks_guide(self, text: str) -> bool:
        """Whether these words are for the guide: once more, or leave it out."""
        led = (self._guides.get(side) for side in map(self._colour, self.boards))
        guide = next((guide for guide in led if guide is not None and not guide.finished), None)
        asked = key_of(self.pack, text) if guide is not None else None
        if guide is None or asked is None:
            return False
        for words in guide.repeat() if asked is Command.REPEAT else guide.skip():
            self.say(Output.PUBLIC, words)
        if guide.finished:
            self._lead()
        self._begin_if_ready()
        return True

    def keep_scoresheets(self) -> None:
        """Write the last move on each sheet that lacks it: the impaired player's in his words, as
        a recorder would (D.2.7), the other's in his notation. What he wrote himself stands, and
        may be entered later: it replaces ours, which is struck through and kept."""
        game = self.table.game
        assert game.setup is not None
        if not game.history:
            return
        ply, last = len(game.history), game.history[-1]
        move = last.spoken  # people write what was announced
        for side, sheet in game.sheets.items():
            if ply not in sheet:
                if last.illegal:
                    text = move.uci()
                elif game.player(side).impaired:
                    text = self.pack.announce(last.before, move, edition=game.setup.edition)
                else:
                    text = self.pack.write(last.before, move)
                self.table.submit(f.Record(by=side, ply=ply, text=text))

    def wait_for(self, kind: str, seconds: float, since: int = 0) -> Ruling | None:
        """The first ruling of this kind after the first ``since``, within ``seconds``; None, and
        at once, when meanwhile somebody was not understood."""
        misheard = self.misheard

        def found() -> Ruling | None:
            return next((r for r in self.rulings[since:] if r.kind == kind), None)

        with self._happened:
            self._happened.wait_for(
                lambda: found() is not None or self.misheard > misheard, seconds
            )
            return found()

    # --- the clock on the wall -------------------------------------------------------------

    def _tick(self) -> None:
        """While a clock runs, time is a fact each second: flags fall, and a crash loses little."""
        told = ""
        while not self._ticking.wait(self._tick_seconds):
            try:
                if self.table.game.clock and self.table.game.clock.running is not None:
                    self.table.submit(f.Tick())
                else:
                    self.table.save()
                self.dialogue.tick()
            except Exception as error:  # whoever failed at it: time goes on, and flags fall
                if (now := repr(error)) != told:  # not each second
                    told = now
                    log.exception("a second was not told to everybody")
                    with contextlib.suppress(Exception):
                        self.trouble(f"Something failed while time went on ({error}); it goes on.")

    def _beat(self) -> None:
        """Many times a second, whatever else the table waits for."""
        while not self._ticking.wait(BEAT_S):
            self.table.beat()

    # --- boards ----------------------------------------------------------------------------

    def attach_board(self, side: str, url: str, *, levers: bool = True) -> PegBoard | DgtBoard:
        """Read ``side``'s board at ``url``; ``levers``: its levers are the table's clock,
        else each is its player's talk button.

        ``dgt:`` before the url says that it is a DGT board.
        """

        def on_event(event: events.BoardEvent) -> None:
            self._on_board(side, event, levers)

        board: PegBoard | DgtBoard
        if url.startswith(DGT):
            board = DgtBoard(url.removeprefix(DGT), on_event)
        else:
            board = PegBoard(url, on_event)
        self.boards[side] = board
        board.start()
        return board

    def _colour(self, seat: str) -> str:
        """Whose the devices of ``seat`` are. A seat is called by the colour its player had when
        the devices were attached; a new game with reversed colours (7.3) changes his colour."""
        if not self.table.game.swapped:
            return seat
        return "black" if seat == "white" else "white"

    def _on_board(self, seat: str, event: events.BoardEvent, levers: bool) -> None:
        side = self._colour(seat)
        name = f"{_NAMES[side]}'s board"
        player = self.pack.sentence(side)
        if isinstance(self.boards[seat], DgtBoard) and isinstance(
            event, events.Lifted | events.Placed | events.BoardPosition
        ):
            self._on_dgt(seat, event)
        elif isinstance(event, events.Lifted):
            self.line(f"felt {name}: {event.square} lifted")
            self.table.submit(f.Lift(board=side, square=event.square))
        elif isinstance(event, events.Placed):
            self.line(f"felt {name}: {event.piece or 'a piece'} placed on {event.square}")
            self.table.submit(f.Place(board=side, square=event.square, piece=event.piece or None))
        elif isinstance(event, events.BoardPosition):
            self.line(f"felt {name}: position {event.placement}")
            game, placement = self.table.game, event.placement
            if side in game.tables:  # what a board cannot name stands where the game has it
                placement = unidentified_pieces.named(game, side, placement)
            self.table.submit(f.Position(board=side, placement=placement))
        elif isinstance(event, events.LeverPressed) and levers:
            presser = self._colour(event.side)
            self.line(f"felt {_NAMES[presser]}'s clock lever pressed")
            self.press(presser)
        elif isinstance(event, events.LeverPressed):
            self.talk(side)
        elif isinstance(event, events.Connected):
            self.line(f"{name} is connected: {event.board}")
            if self._was_gone(seat):
                self.say(Output.PUBLIC, self.pack.sentence("board_back", player=player))
        elif isinstance(event, events.Disconnected):
            self.trouble(event.why)
            self._warned.add(f"gone {seat}")
            self.say(Output.PUBLIC, self.pack.sentence("board_gone", player=player))
        elif isinstance(event, events.ContactFault):
            self.trouble(f"{name}: the contact of {event.square} is bad; press the peg home.")
            if f"fault {seat} {event.square}" not in self._warned:  # it may come and go
                self._warned.add(f"fault {seat} {event.square}")
                square = self.pack.square(peg.square_index(event.square))
                self.say(Output.PRIVATE, self.pack.sentence("contact_bad", square=square))
        if isinstance(event, events.BoardPosition | events.Disconnected):
            self._looked_at.add(seat)
        self._begin_if_ready()

    def press(self, side: str) -> None:
        """``side`` presses the clock; what stands on his board then is what he has played."""
        game = self.table.game
        if game.setup is not None:
            for seat, board in self.boards.items():
                his = self._colour(seat)
                if isinstance(board, DgtBoard) and game.board_of(side) == his:
                    self._take(his, board.look())
        self.table.submit(f.Press(by=side))

    def _on_dgt(
        self, seat: str, event: events.Lifted | events.Placed | events.BoardPosition
    ) -> None:
        """A DGT board tells no touch: no sum checks what it says, and a piece that stands may
        still be in the hand. Its positions are taken when one of them has been waited for, and
        when its player presses the clock; until then his move is not released (4.7)."""
        name = f"{_NAMES[self._colour(seat)]}'s board"
        self._standing.pop(seat, None)
        if isinstance(event, events.BoardPosition):
            self.line(f"felt {name}: position {event.placement}")
            self._standing[seat] = event.placement
            self._take_awaited()
        else:
            done = "lifted" if isinstance(event, events.Lifted) else "placed"
            self.line(f"felt {name}: {event.square} {done}, no touch")

    def _take_awaited(self) -> None:
        for seat, placement in list(self._standing.items()):
            if self._awaits(self._colour(seat), placement):
                self._take(self._colour(seat), placement)

    def _take(self, side: str, placement: str | None) -> None:
        table = self.table.game.tables.get(side)
        if table and placement is not None and table.placement != read_placement(placement):
            self.table.submit(f.Position(board=side, placement=placement))

    def _awaits(self, side: str, placement: str) -> bool:
        """Whether this is what is to stand on ``side``'s board: a position to be set up, one that
        the game has reached, or that of the move that is announced or made."""
        game = self.table.game
        table = game.tables.get(side)
        if table is None:
            return False
        playing = game.started or not game.clock
        if not playing or game.over or game.adjourned or table.wanted is not None:
            return True
        goals = [game.shown_after(plies) for plies in range(table.plies, len(game.history) + 1)]
        for move in (game.turn.made, game.turn.announced):
            if move is not None:
                goals.append(laid_over(game.pieces, change(game.board, move)))
        return read_placement(placement) in goals

    def _was_gone(self, seat: str) -> bool:
        gone = f"gone {seat}" in self._warned
        self._warned.discard(f"gone {seat}")
        return gone

    # --- hearing ------------------------------------------------------------------------------

    def attach_microphone(
        self,
        side: str,
        source: AudioSource,
        recogniser: AnyRecogniser,
        listening: MicrophoneMode = MicrophoneMode.OPEN,
        *,
        shared: bool = False,
    ) -> Listener:
        """Listen to ``side`` at ``source``. What we say ourselves is not heard (half duplex).
        ``shared``: the opponent announces and repeats into this microphone, too, and who spoke is
        told by whose turn it was; commands are ``side``'s."""
        self._recogniser, self._confidence = recogniser, self._measured(recogniser)
        if isinstance(recogniser, Ensemble):
            recogniser.on_lost(self.lost_model)
        if shared:
            self._shared.add(side)
        expected = self._expect(side)

        def on_recognition(recognition: Recognition) -> None:
            self._on_recognition(side, recognition)

        if self.taping is not None:
            source = self.taping.overhear(side, source)
        listener = Listener(
            recogniser,
            source,
            on_recognition,
            phrases=list(expected.phrases),
            listening=listening,
            silence=lambda words: self._silence(side, words),
            on_speech_start=self._interrupt,
            on_error=self._deaf,
            on_back=self._hears_again,
            on_failed=self._lost_recogniser,
            on_works=lambda: self.line("the recogniser works again"),
        )
        self._listeners[side] = listener
        if self._speaker is not None:
            speaker, deaf = self._speaker, threading.Event()

            def half_duplex(speaking: bool) -> None:
                # The earphone is not in the room: its owner may be heard while it speaks, and
                # cuts it off by speaking.
                audible = self._shared_output or speaker.speaking_to is Output.PUBLIC
                if speaking and audible and not deaf.is_set():
                    deaf.set()
                    listener.mute()
                elif not speaking and deaf.is_set():
                    deaf.clear()
                    listener.unmute(self._echo_seconds)

            self._speaker.on_speaking(half_duplex)
        listener.start()
        return listener

    def _interrupt(self) -> None:
        if self._speaker is not None:
            self._speaker.interrupt(hold=_HOLD_SECONDS)

    def _deaf(self, sentence: str) -> None:
        self.trouble(sentence)
        self.say(Output.PUBLIC, self.pack.sentence("microphone_gone"))

    def _lost_recogniser(self, sentence: str) -> None:
        """What was being said is lost, but the microphone is there, and the next utterance may be
        heard; that it was, its answer tells."""
        self.trouble(sentence)
        self.say(Output.PUBLIC, self.pack.sentence("recogniser_gone"))

    def lost_model(self, sentence: str) -> None:
        """One of several speech models cannot listen; the others do."""
        self.trouble(sentence)
        self.say(Output.PUBLIC, self.pack.sentence("model_gone"))
        if self._recogniser is not None:
            self._confidence = self._measured(self._recogniser)

    def _measured(self, recogniser: AnyRecogniser) -> ConfidenceModel:
        return confidence_of(*recogniser.folders, lost=self.trouble)

    def _hears_again(self) -> None:
        self.line("the microphone is back")
        self.say(Output.PUBLIC, self.pack.sentence("microphone_back"))

    def talk(self, side: str | None = None) -> None:
        """A talk button was pressed, ``side``'s or one for all microphones: they are listened to
        until something has been said, or the button is pressed again."""
        for seat, listener in list(self._listeners.items()):
            if side in (None, self._colour(seat)):
                heard = "listening" if listener.toggle() else "no longer listening"
                self.line(f"{heard} to {_NAMES[self._colour(seat)]}")

    def _silence(self, seat: str, words: str) -> float | None:
        """A word that goes before a move may be a phrase of its own, but is only a beginning."""
        return UNFINISHED_S if words in self._expected[seat].corrections else None

    def _expect(self, seat: str) -> Expected:
        assert self._recogniser is not None
        game, side = self.table.game, self._awaited(seat)
        listening = self.dialogue.listening(side)
        others = [*listening.phrases(self.pack), *self._said_to_guides()]
        if seat in self._shared:
            others += self.dialogue.listening(OTHER[side]).phrases(self.pack)
        expected = expect(
            self._recogniser,
            self.pack,
            listening.boards,
            others=others,
            felt=felt(game, side),
            repeated=listening.repeats[1] if listening.repeats is not None else None,
            awaited=self._answers(listening),
        )
        self._expected[seat] = expected
        news = set(expected.out_of_vocabulary) - self._warned
        if news:
            self._warned |= news
            self.trouble(
                "the speech model lacks these words, so phrases with them can be typed "
                f"but not spoken: {', '.join(sorted(news))}"
            )
        return expected

    def _answers(self, listening: Listened) -> list[str]:
        """The phrases that answer the question which is open, if one is."""
        if listening.state is not Awaited.ANSWER:
            return []
        return [*listening.answers, *self.pack.command_phrases((Command.YES, Command.NO))]

    def _awaited(self, seat: str) -> str:
        """Who is to say a move into this seat's microphone next: he who sits there, or, where it
        is for both, he who is to announce, and then he who is to repeat it (D.2.1)."""
        game = self.table.game
        if seat not in self._shared:
            return self._colour(seat)
        return game.side if game.turn.announced is None else OTHER[game.side]

    def _who_spoke(self, seat: str, decision: Decision) -> str:
        own, awaited = self._colour(seat), self._awaited(seat)
        if seat not in self._shared:
            return own
        listening = {side: self.dialogue.listening(side) for side in (own, OTHER[own])}
        for side in listening:
            if listening[side].state is Awaited.ANSWER:
                return side
        meant = self._likeliest(decision)
        if meant.correction:
            return self.table.game.side
        if meant.command is None:
            return awaited
        only_his = listening[OTHER[own]].opened - listening[own].opened
        return OTHER[own] if meant.command in only_his else own

    def _likeliest(self, decision: Decision) -> Understanding:
        """What was said if it was what was taken, or what came first."""
        phrases = [decision.phrase, *(candidate.phrase for candidate in decision.candidates)]
        return self.pack.understand(next(filter(None, phrases), ""), self.table.game.board)

    def _knew(self, seat: str, side: str, decision: Decision) -> bool:
        """Whether ``side`` can have meant the announcement that is to be repeated. Who began to
        speak before it was made cannot: it is the announcement itself, in his microphone, too."""
        game, timing = self.table.game, self._listeners[seat].timing
        to_repeat = side != game.side and game.turn.announced is not None
        meant = self._likeliest(decision)
        if timing is None or not to_repeat or meant.command is not None:
            return True
        if meant.correction:
            return False  # only who has announced corrects
        return timing.segment.began >= self._announced_at.get(seat, 0.0)

    def _listen_anew(self) -> None:
        for side, listener in list(self._listeners.items()):
            listener.listen_for(list(self._expect(side).phrases))

    def _on_recognition(self, seat: str, recognition: Recognition) -> None:
        if self._speaker is not None:
            self._speaker.resume()
        listener = self._listeners.get(seat)
        while True:
            # It may have changed before: then it was heard with words for what has passed. To hear
            # it again takes time, or for ever, and nobody is to wait for that.
            again = listener.reheard() if listener is not None else None
            recognition = again if again is not None else recognition
            with self.table.lock:  # what is announced must not change meanwhile
                if listener is not None and listener.outdated:
                    continue
                if recognition.hypotheses:
                    self._decide(seat, recognition)
                return

    def _decide(self, seat: str, recognition: Recognition) -> None:
        assert self._confidence is not None
        decision = decide(
            recognition,
            self._expected[seat],
            self.pack,
            self._confidence,
            self.habits.get(seat, Confusions()),
        )
        side = self._who_spoke(seat, decision)
        knew = self._knew(seat, side, decision)
        if self.taping is not None:
            self.taping.hears(seat, side, decision.phrase if knew else None, self.pack)
        if not knew:
            self.line(f"heard {_NAMES[side]}, no repetition: {recognition.words}")
            return
        if decision.phrase is not None:
            self.line(f"heard {_NAMES[side]}: {decision.phrase}")
            if not self._asks_guide(decision.phrase):
                awaited = decision.phrase in self._expected[seat].awaited
                self.dialogue.heard(side, decision, begun=self._begun(seat), awaited=awaited)
            return
        if decision.candidates and decision.verdict is Verdict.ASK:
            likely = " or ".join(candidate.phrase for candidate in decision.candidates)
            self.line(f"heard {_NAMES[side]}, perhaps: {likely}")
        else:
            heard = recognition.words or "something that is no phrase of the game"
            self.line(f"heard {_NAMES[side]}, not understood: {heard}")
        self.dialogue.heard(side, decision, begun=self._begun(seat))
        with self._happened:
            self.misheard += 1
            self._happened.notify_all()

    def _begun(self, seat: str) -> int | None:
        """When the utterance that was just heard began, in ms of the table's time."""
        listener = self._listeners.get(seat)
        if listener is None or listener.timing is None:
            return None
        ago = max(0.0, listener.now - listener.timing.segment.began)
        return self.table.time() - round(ago * 1000)

    def _learn(self, side: str, recognition: Recognition, phrase: str) -> None:
        """An answer or a correction has told what was said: the next time it is heard better."""
        pairs = Confusions().aligned(phrase.lower().split(), recognition.words.split())
        if any(said != heard for said, heard in pairs):
            self.on_misheard(self._colour(side), pairs)

    # --- keys ------------------------------------------------------------------------------

    def typed(self, side: str, text: str) -> None:
        """Typed words of ``side``. Where his board has no sensors, typing a move executes it."""
        if self._asks_guide(text):
            return
        game = self.table.game
        with_sensors = {self._colour(seat) for seat in self.boards}
        on_move = side == game.side
        before = game.turn.announced
        self.dialogue.hear(side, text)
        now = game.turn.announced
        if not on_move or now is None or now == before or game.over:
            return
        for board in game.tables:
            if board not in with_sensors and not game.over:
                by = board if len(game.tables) == 2 else side
                self.table.submit(f.Make(by=by, move=now.uci()))

    def has_devices(self) -> bool:
        """Whether facts can come without a keyboard."""
        return bool(self._listeners or self.boards)

    def wait_until_said(self, seconds: float = 60) -> None:
        """Wait until everything has been spoken."""
        if self._speaker is not None:
            self._speaker.wait(seconds)

    def close(self) -> None:
        """Stop the devices; the journal is the table's."""
        self._ticking.set()
        for listener in list(self._listeners.values()):
            listener.close()
        for board in self.boards.values():
            board.close()
        for clock in self._clocks:
            clock.join(timeout=5)
        self.table.beat()
        if self._speaker is not None:
            self._speaker.close()
