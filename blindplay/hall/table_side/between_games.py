"""A table that plays one game after the other, each as the hall assigns it.

The hall assigns the next game during a game, after it, or while the table waits. A waiting table
tells people where they play, when the hall says so and when they ask.
"""

import contextlib
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import chess

from blindplay.broker import Link
from blindplay.ctrl_c import CtrlC
from blindplay.given import plain
from blindplay.hearing.decision import decide_among
from blindplay.hearing.expectation import expect
from blindplay.hearing.recognisers import listening_models, open_recogniser
from blindplay.language import Command, Key, Language, key_of, word_of
from blindplay.laws.facts import Setup
from blindplay.speech.audio import AudioError, AudioSource
from blindplay.speech.audio_devices import MicrophoneSource, devices
from blindplay.speech.confidence import confidence_of
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.listener import Listener
from blindplay.speech.models.folders import ModelError
from blindplay.speech.recogniser import Recognition
from blindplay.speech.speaker import Output, Speaker
from blindplay.table.devices import AboutTable, WantedDevices, open_speaker
from blindplay.table.hall_contact import Pairings
from blindplay.table.microphone_seat import mute_while_speaking
from blindplay.table.table import Table
from blindplay.translation import UserError, _
from blindplay.typed_lines import LOOK_S, TypedLines
from blindplay.wording.values import Pairing, number_in_words, pairing_in_words

from ..event_file import EventFile
from ..pairings.giving import ALSO, ASSIGN, BEGUN, TELL, WITHDRAW, TableState
from ..pairings.rounds import BYES, Assignment, assignment_of
from ..protocol import (
    LinesWanted,
    MessageError,
    Presence,
    Request,
    RequestAnswer,
    Topic,
    decode,
    encode,
    topic_of,
)
from ..requests import OLDEST_S, Handler, Reply
from .journals import (
    BegunGame,
    begun_game,
    earlier_lines,
    game_ends,
    is_game_of,
    unreadable_journal,
)
from .publisher import OtherMachine, Publisher

_PRESENCE_S = 10.0
_ANSWER_S = 2.0  # until another machine that has this table has answered
_MOST_ANSWERS = 100


@dataclass(frozen=True)
class Assigned:
    """A game for a table to play, the person who asked for it, and the request's id."""

    game: Assignment
    who: str
    request: str
    goes_on: bool = False
    """True if the game was begun before; the table continues it."""


_Result = tuple[str, str] | tuple[str, str, TableState]
"""The status of an answer, a sentence, and what the table does with the game."""


@dataclass(frozen=True)
class AskedTable:
    """A table that the hall asks about pairings. Journals of its earlier games are in ``folder``,
    and ``pairings`` take where people play next. ``table`` has the present game; None: it waits for
    one."""

    joined: EventFile
    folder: Path
    pairings: Pairings
    table: Table | None = None


class NextGame:
    """The game that a table plays after the present one. What the hall requests about it is decided
    here, during a game, after it, and while the table waits. Safe to use from several threads."""

    def __init__(self, elsewhere: Iterable[Path] = ()) -> None:
        """``elsewhere``: other folders with journals of earlier games."""
        self._lock = threading.Lock()
        self._elsewhere = tuple(elsewhere)
        self._assigned: Assigned | None = None
        self.present: Assignment | None = None
        """The game that is set up or played now; None if the hall has not assigned it."""

    @property
    def known(self) -> Assigned | None:
        with self._lock:
            return self._assigned

    def put(self, assigned: Assigned) -> None:
        """Take the next game. Of two requests for one game the first counts."""
        with self._lock:
            if self._assigned is None or self._assigned.game != assigned.game:
                self._assigned = assigned

    def take(self) -> Assigned | None:
        with self._lock:
            assigned, self._assigned = self._assigned, None
            return assigned

    def do(self, request: Request, asked: AskedTable) -> _Result:
        """Do a request of one of the kinds ASSIGN, WITHDRAW and TELL."""
        if request.kind == TELL:
            return _tell(asked.pairings, request)
        try:
            game = _game_of(request, asked.joined)
        except ValueError as error:
            return "refused", str(error)
        table = asked.table
        present = None if table is None else table.path
        before = self.begun(game, asked.joined, asked.folder, present)
        with contextlib.nullcontext() if table is None else table.lock:
            if request.kind == WITHDRAW:
                return self._withdraw(game, asked, was_begun=before is not None)
            goes_on = request.body.get(BEGUN) is True
            assigned = Assigned(game, request.who, request.id, goes_on)
            return self._assign(assigned, asked, before)

    def begun(
        self, game: Assignment, joined: EventFile, folder: Path, present: Path | None = None
    ) -> BegunGame | None:
        """Return the game if the table has begun it, in another journal than the ``present`` one;
        earlier journals are in ``folder``."""
        return begun_game(self._folders(folder), joined, game.pairing, present)

    def _why_not_here(self, asked: AskedTable) -> str:
        """Why there is no game to go on with."""
        damaged = unreadable_journal(self._folders(asked.folder), asked.joined)
        if damaged is None:
            return _("The journal of this game is not on this machine.")
        return _(
            "The journal of this game is not on this machine, or is {path}, which cannot be read; "
            "check this file.",
            path=damaged,
        )

    def _folders(self, folder: Path) -> Iterable[Path]:
        return dict.fromkeys((folder, *self._elsewhere))

    def _assign(self, assigned: Assigned, asked: AskedTable, before: BegunGame | None) -> _Result:
        """Take the next game, unless another one is being played. One that was begun ``before`` is
        taken only to go on with it. A game that has not begun is replaced."""
        game, pairings = assigned.game, asked.pairings
        state = None if asked.table is None else asked.table.game
        begun = state is not None and (state.started or state.over)
        same = begun or (self.present == game and not pairings.withdrawn)
        if state is not None and _is(state.setup, game) and same:
            known = self.known
            if known is not None and known.game.round == game.round:
                self.take()  # an assignment in between was wrong
            if not begun:
                pairings.tell([game.pairing])
            return "done", "", TableState.PLAYS if begun else TableState.SET_UP
        if before is None and assigned.goes_on:
            return "refused", self._why_not_here(asked)
        if before is not None and not assigned.goes_on:
            return "done", "", TableState.OVER if before.over else TableState.PLAYS
        rests = state is not None and state.adjourned and state.resumed_at is None
        if state is not None and state.started and not (state.over or rests):
            return "refused", _("A game is being played there."), TableState.OTHER
        self.put(assigned)
        if begun:
            (pairings.go_on if assigned.goes_on else pairings.add)(game.pairing)
            return "done", "", TableState.NEXT
        if state is not None:
            pairings.withdraw("pairing_replaced")
        return "done", "", TableState.SET_UP if before is None else TableState.RESUMED

    def _withdraw(self, game: Assignment, asked: AskedTable, *, was_begun: bool) -> _Result:
        """Withdraw a game that has not begun."""
        known, pairings = self.known, asked.pairings
        state = None if asked.table is None else asked.table.game
        here = state is not None and _is(state.setup, game)
        if known is not None and known.game.pairing == game.pairing:
            self.take()
            if asked.table is not None and not pairings.withdrawn:  # else its own sentence follows
                pairings.lose()
        elif was_begun or (here and state is not None and (state.started or state.over)):
            return "refused", _("This game has begun."), TableState.PLAYS
        elif here:
            pairings.withdraw("pairing_withdrawn")
        elif game.pairing in pairings.told:
            pairings.lose()
        return "done", ""


def handlers(table: Table, joined: EventFile, following: NextGame | None) -> Mapping[str, Handler]:
    """Return the handlers with which a table takes the hall's pairings, during and after a game.
    With ``following`` None it plays this game only."""
    asked = AskedTable(joined, table.path.parent, table.pairings, table)

    def handler(request: Request, reply: Reply) -> None:
        result = (following or NextGame()).do(request, asked)
        reply(_answer(request, result, table.written[0]))

    return dict.fromkeys((TELL,) if following is None else (TELL, ASSIGN, WITHDRAW), handler)


def _tell(pairings: Pairings, request: Request) -> _Result:
    """Take the next pairings of people."""
    try:
        next_pairings = [assignment_of(game).pairing for game in request.body["pairings"]]
        next_pairings += [
            Pairing(str(one["round"]), "", plain(one["name"]), "", _bye(one["bye"]))
            for one in request.body.get("byes", ())
        ]
    except (TypeError, KeyError, ValueError):
        return "refused", _("This is not an assignment of a game.")
    if request.body.get(ALSO) is True:
        pairings.go_on(*next_pairings)
    else:
        pairings.tell(next_pairings)
    return "done", ""


def _bye(kind: str) -> str:
    return kind if kind in BYES.values() else "none"


def _game_of(request: Request, joined: EventFile) -> Assignment:
    """The game that this table is to play.

    :raises ValueError: if the request gives none, or gives one to another table.
    """
    game = assignment_of(request.body)
    if game.table != joined.table:
        raise UserError("This is table {table}.", table=joined.table)
    return game


def _is(setup: Setup | None, game: Assignment) -> bool:
    return setup is not None and is_game_of(setup, game.pairing)


def _answer(request: Request, result: _Result, number: int = 0) -> RequestAnswer:
    status, sentence, *states = result
    body = {"state": states[0].value} if states else {}
    return RequestAnswer(request.id, status, number, [sentence] if sentence else [], body)


class WaitingTable:
    """A table between two games: connected to the hall, without a journal.

    It publishes requested journals of its earlier games in ``folder``.
    """

    def __init__(
        self,
        joined: EventFile,
        folder: Path,
        about: Mapping[str, Any],
        pairings: Pairings | None = None,
        following: NextGame | None = None,
    ) -> None:
        """``pairings`` take where the people of the last game play next, ``following`` the next
        game. Until :meth:`close` that one may still be replaced or withdrawn.

        :raises ValueError: if the broker cannot be used as the file says.
        """
        self._following = following or NextGame()
        self._asked = AskedTable(joined, folder, pairings or Pairings(joined.table))
        self._joined = joined
        self._folder = folder
        self._about = dict(about)
        self._run = secrets.token_hex(8)
        self._since = time.monotonic()
        self._due = 0.0
        self._answers: dict[str, RequestAnswer] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._done = threading.Event()
        self._other = OtherMachine()
        self._cleared = False  # no other machine has it
        self._known: set[str] = set()  # the runs that were answered
        self._until: float | None = None  # the end of the wait for an answer
        kinds = ("presence", "ask", "request")
        self._will = self._topic("presence"), encode(Presence(self._run, False))
        self._link = Link(
            joined.broker, [self._topic(kind) for kind in kinds], self._on_message,
            self._announce_soon, will=self._will,
        )  # fmt: skip
        self._link.start()

    @property
    def is_second(self) -> bool:
        """True if another machine that is connected has this table. This one publishes nothing."""
        return self._other.answers

    def wait(self, seconds: float) -> Assigned | None:
        """Wait so long for an assignment."""
        if not self._cleared:
            self._look()
        elif time.monotonic() >= self._due and self._link.online:
            self._due = time.monotonic() + _PRESENCE_S
            games = game_ends(self._folder, self._joined)
            waits = time.monotonic() - self._since
            presence = Presence(self._run, True, games, self._about, waits)
            self._link.publish(self._topic("presence"), encode(presence), retain=True)
        self._done.wait(seconds)
        return self._following.known

    def _look(self) -> None:
        """Find out whether another machine has this table: it answers a presence that the broker
        does not keep."""
        if self._until is None and self._link.online:
            self._until = time.monotonic() + _ANSWER_S
            self._link.publish(self._topic("presence"), encode(Presence(self._run, True)))
        elif self._until is not None and time.monotonic() >= self._until:
            self._cleared = not self.is_second

    def close(self) -> None:
        """Publish that the table is offline, and disconnect."""
        with self._lock:
            self._closed = True
        self._link.close(*([self._will] if self._cleared else []))

    def __enter__(self) -> "WaitingTable":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _topic(self, kind: str) -> str:
        return str(Topic(self._joined.event, self._joined.table, kind))

    def _announce_soon(self) -> None:
        self._due = 0.0

    def _on_message(self, topic: str, payload: bytes, retained: bool) -> None:
        with contextlib.suppress(MessageError):
            kind = topic_of(topic).kind
            if kind == "presence" and payload:
                self._meet(decode(Presence, payload), retained=retained)
            elif kind == "ask":
                ask = decode(LinesWanted, payload)
                for message in earlier_lines(ask, self._folder, self._joined):
                    self._link.publish(self._topic("journal"), message)
            elif kind == "request" and not retained:
                self._take(decode(Request, payload))

    def _meet(self, presence: Presence, *, retained: bool) -> None:
        """Take a presence under this table's name."""
        run = presence.run
        if run == self._run:
            if self._until is not None and not self._other.run:
                self._until = 0.0  # what the broker retains has come before
        elif not presence.online:  # the late will of an earlier run
            self._announce_soon()
        elif not self._cleared:
            self._other.take(presence, retained=retained)
        elif not retained and run not in self._known and len(self._known) < _MOST_ANSWERS:
            self._known.add(run)  # once: two tables must not answer each other forever
            self._announce_soon()

    def _take(self, request: Request) -> None:
        """Do a request once, and answer it each time."""
        with self._lock:
            if self._closed:  # a message that was on its way
                return
            if request.id not in self._answers:
                while len(self._answers) >= _MOST_ANSWERS:
                    del self._answers[next(iter(self._answers))]
                self._answers[request.id] = _answer(request, self._do(request))
            if self._following.known is None:
                self._done.clear()
            self._link.publish(self._topic("answer"), encode(self._answers[request.id]))
            if self._following.known is not None:
                self._done.set()

    def _do(self, request: Request) -> _Result:
        if request.kind not in (ASSIGN, TELL, WITHDRAW):
            return "unknown", ""
        age = time.monotonic() - self._since - request.t
        if request.body.get("run") != self._run or not -1.0 <= age <= OLDEST_S:
            return "stale", ""
        return self._following.do(request, self._asked)


class BetweenGames:
    """Tells people where they play, when the hall says so and when they ask.

    ``shown`` prints a sentence. The table cannot tell which player asks, so the answer names the
    next games of both players of the last game.
    """

    def __init__(
        self,
        pack: Language,
        speaker: Speaker | None,
        pairings: Pairings,
        shown: Callable[[str], None],
    ) -> None:
        self._pack, self._speaker, self._shown = pack, speaker, shown
        self._pairings = pairings
        pairings.listen(self._say)
        pairings.on_lost(lambda: self.say(pack.sentence("pairing_withdrawn")))

    def say(self, words: str) -> None:
        """Speak to everybody, or print where no voice is heard."""
        if self._speaker is None or not devices().playback:
            self._shown(words)
        if self._speaker is not None:
            self._speaker.say(words, to=Output.PUBLIC)

    def trouble(self, sentence: str) -> None:
        """Print a sentence about what went wrong, written in English."""
        self._shown(self._pack.trouble(sentence))

    def _say(self, pairing: Pairing) -> None:
        self.say(pairing_in_words(pairing, self._pack))

    def is_question(self, words: str) -> bool:
        """Return whether ``words`` ask for the next place to play."""
        return self._pack.understand(words, chess.Board()).command is Command.WHERE_I_PLAY

    def answer(self) -> None:
        """Say where the people of this table play next."""
        for pairing in self._pairings.told:
            self._say(pairing)
        if not self._pairings.told:
            self.say(self._pack.sentence("pairing_unknown"))

    def listen(self, source: AudioSource, recogniser: AnyRecogniser) -> Listener:
        """Listen for the question until the listener is closed."""
        # Expect all sentences of a table, so that other talk is not taken for the question.
        expected = expect(recogniser, self._pack, [chess.Board()])
        confidences = [confidence_of(*paths, lost=self.trouble) for paths in recogniser.by_language]

        def on_recognition(recognition: Recognition) -> None:
            if recognition.heard_anything:
                decision = decide_among(recognition, expected, self._pack, confidences)
                if decision.taken and decision.meant.command is Command.WHERE_I_PLAY:
                    self.answer()

        listener = Listener(recogniser, source, on_recognition, phrases=list(expected.phrases))
        if self._speaker is not None:
            mute_while_speaking(self._speaker, listener)
        listener.start()
        return listener


def _open_microphone(
    stack: ExitStack, people: BetweenGames, pack: Language, wanted: WantedDevices
) -> None:
    """Listen with the wanted microphone, if there is one, until ``stack`` closes it. With a
    talk button, do not listen: the buttons belong to a game.

    :raises AudioError, ModelError: if a named microphone or model is not there.
    """
    named = wanted.microphone is not None or wanted.models
    if not wanted.hears_here or wanted.push_to_talk or not (named or devices().capture):
        return
    try:
        models = wanted.models or listening_models(pack.code, people.trouble)
        recogniser = open_recogniser(pack, *models, lost=people.trouble)
        source = MicrophoneSource(wanted.microphone, allow_missing=wanted.microphone is None)
        stack.callback(people.listen(source, recogniser).close)
    except (AudioError, ModelError):
        if named:
            raise


def publisher(
    table: Table,
    joined: EventFile,
    about: Callable[[], Mapping[str, Any]],
    following: NextGame | None = None,
) -> Publisher:
    """Publish a table that takes the hall's pairings, with the data of ``about`` on its
    machine. ``following`` keeps its next game; None: it plays this one only."""
    return Publisher(table, joined, about=about, handlers=handlers(table, joined, following))


class AssignedGames:
    """The games of one table at an event. Earlier journals are in ``folder``, and that of the game
    that was ``resumed`` first may be elsewhere."""

    def __init__(self, joined: EventFile, folder: Path, resumed: Path | None = None) -> None:
        self._joined = joined
        self._folder = folder
        self._following = NextGame(() if resumed is None else [resumed.absolute().parent])
        self.begun: Path | None = None
        """The journal of the game that :meth:`next` gave, if it goes on."""

    @property
    def known(self) -> bool:
        """True if the next game is assigned already."""
        return self._following.known is not None

    def resume(self, kept: object) -> None:
        """Know the game that goes on as the hall has assigned it; ``kept`` is what :meth:`next` has
        given for it. Without that, another assignment of this game replaces it."""
        with contextlib.suppress(ValueError):
            values = kept if isinstance(kept, dict) else {}
            self._following.present = assignment_of({**values, "table": self._joined.table})

    def companion(self, table: Table, about: Callable[[], Mapping[str, Any]]) -> Publisher:
        """The publisher of one of these games."""
        return publisher(table, self._joined, about, self._following)

    def next(
        self, pack: Language, devices: WantedDevices, lines: TypedLines, out: TextIO
    ) -> Mapping[str, Any] | None:
        """The options of the next game that differ: names, round and more. Wait
        for it if need be, and say so. None if somebody types the word that ends the table.

        :raises AudioError, ValueError: if a named output or the broker cannot be used.
        """
        while (assigned := self._following.take()) is None:
            if not self._wait(pack, devices, lines, out):
                return None
        self._following.present = assigned.game
        before = None
        if assigned.goes_on:
            before = self._following.begun(assigned.game, self._joined, self._folder)
        self.begun = None if before is None else before.journal
        return _options(assigned)

    def _wait(self, pack: Language, devices: WantedDevices, lines: TypedLines, out: TextIO) -> bool:
        """Wait until a game is assigned; False if the table ends. The game may be withdrawn until
        this returns."""

        def shown(sentence: str) -> None:
            print(plain(sentence), file=out, flush=True)

        def trouble(sentence: str) -> None:
            shown(pack.trouble(sentence))

        with ExitStack() as stack:
            speaker = None if devices.silent else open_speaker(stack, pack, trouble, devices)
            if speaker is not None:
                stack.callback(speaker.close)
            pairings = Pairings(self._joined.table)
            people = BetweenGames(pack, speaker, pairings, shown)
            table, end = number_in_words(self._joined.table, pack), word_of(pack, Key.END)
            words = pack.sentence("pairing_awaited", table=table, end=end)
            people.say(words)
            ctrl_c = stack.enter_context(CtrlC())
            stack.enter_context(contextlib.suppress(KeyboardInterrupt))
            _open_microphone(stack, people, pack, devices)
            about = AboutTable(devices).now()
            waiting = WaitingTable(self._joined, self._folder, about, pairings, self._following)
            stack.enter_context(waiting)
            while not ctrl_c.pressed:
                assigned = waiting.wait(LOOK_S)
                if waiting.is_second:
                    people.say(pack.sentence("hall_twice"))
                    return False
                if assigned is not None:
                    return True
                line = lines.within(LOOK_S)
                if line is None:
                    continue
                if key_of(pack, line) is Key.END:
                    return False
                if people.is_question(line):
                    people.answer()
                else:  # people press a key to hear the state
                    people.say(words)
        return False


def _options(assigned: Assigned) -> dict[str, Any]:
    """An assignment, as options of ``blindplay play``; open values are left out."""
    game = assigned.game
    names = ("round", "white", "black", "impaired", "white_language", "black_language",
             "time_control", "default_time")  # fmt: skip
    chosen = {name: value for name in names if (value := getattr(game, name))}
    return {**chosen, "who": assigned.who, "request": assigned.request}
