"""A table that plays one game after the other, each as the hall assigns it.

The hall assigns the next game during a game, after it, or while the table waits. A waiting table
tells people where they play, when the hall says so and when they ask.
"""

import contextlib
import secrets
import threading
import time
from collections.abc import Callable, Mapping
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
from blindplay.translation import _
from blindplay.typed_lines import LOOK_S, TypedLines
from blindplay.wording.values import Pairing, number_in_words, pairing_in_words

from ..event_file import EventFile
from ..pairings.rounds import ASSIGN, TELL, Assignment, assignment_of
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
from .journals import earlier_lines, game_ends
from .publisher import Publisher

_PRESENCE_S = 10.0
_MOST_ANSWERS = 100


@dataclass(frozen=True)
class Assigned:
    """A game for a table to play, the person who asked for it, and the request's id."""

    game: Assignment
    who: str
    request: str


class NextGame:
    """The game that a table plays after the present one. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._assigned: Assigned | None = None

    @property
    def known(self) -> Assigned | None:
        with self._lock:
            return self._assigned

    def put(self, assigned: Assigned) -> None:
        with self._lock:
            self._assigned = assigned

    def take(self) -> Assigned | None:
        with self._lock:
            assigned, self._assigned = self._assigned, None
            return assigned


def handlers(table: Table, joined: EventFile, following: NextGame | None) -> Mapping[str, Handler]:
    """Return the handlers with which a table takes the hall's pairings, during and after a game.
    With ``following`` None it plays this game only."""

    def assign(request: Request, reply: Reply) -> None:
        assert following is not None
        reply(_answer(request, _assign(table, joined, following, request), table.written[0]))

    def tell(request: Request, reply: Reply) -> None:
        reply(_answer(request, _tell(table.pairings, request), table.written[0]))

    known: dict[str, Handler] = {TELL: tell}
    return known if following is None else {**known, ASSIGN: assign}


def _tell(pairings: Pairings, request: Request) -> tuple[str, str]:
    """Take the next pairings of people; return the status and a sentence."""
    try:
        next_pairings = [assignment_of(game).pairing for game in request.body["pairings"]]
    except (TypeError, KeyError, ValueError):
        return "refused", _("This is not an assignment of a game.")
    pairings.tell(next_pairings)
    return "done", ""


def _assign(
    table: Table, joined: EventFile, following: NextGame, request: Request
) -> tuple[str, str]:
    """Take the next game, unless one is being played; return the status and a sentence."""
    try:
        game = _game_of(request, joined)
    except ValueError as error:
        return "refused", str(error)
    with table.lock:
        setup, state = table.game.setup, table.game
        if setup is not None and _is(setup, game):
            following.take()  # an assignment in between was wrong
            if not state.started:
                table.pairings.tell([game.pairing])
            return "done", ""
        if state.started and not state.over:
            return "refused", _("A game is being played there.")
        following.put(Assigned(game, request.who, request.id))
    table.pairings.tell([game.pairing])
    return "done", ""


def _game_of(request: Request, joined: EventFile) -> Assignment:
    """The game that this table is to play.

    :raises ValueError: if the request gives none, or gives one to another table.
    """
    game = assignment_of(request.body)
    if game.table != joined.table:
        raise ValueError(_("This is table {table}.", table=joined.table))
    return game


def _is(setup: Setup, game: Assignment) -> bool:
    played = setup.round, setup.white.name, setup.black.name
    return played == (game.round, game.white, game.black)


def _answer(request: Request, result: tuple[str, str], number: int = 0) -> RequestAnswer:
    status, sentence = result
    return RequestAnswer(request.id, status, number, [sentence] if sentence else [])


class WaitingTable:
    """A table between two games: connected to the hall, without a journal.

    It takes one assignment, and publishes requested journals of its earlier games in ``folder``.
    """

    def __init__(
        self,
        joined: EventFile,
        folder: Path,
        about: Mapping[str, Any],
        pairings: Pairings | None = None,
    ) -> None:
        """``pairings`` take where the people of the last game play next.

        :raises ValueError: if the broker cannot be used as the file says.
        """
        self._pairings = pairings or Pairings(joined.table)
        self._joined = joined
        self._folder = folder
        self._about = dict(about)
        self._run = secrets.token_hex(8)
        self._since = time.monotonic()
        self._due = 0.0
        self._answers: dict[str, RequestAnswer] = {}
        self._assigned: Assigned | None = None
        self._done = threading.Event()
        kinds = ("presence", "ask", "request")
        self._will = self._topic("presence"), encode(Presence(self._run, False))
        self._link = Link(
            joined.broker, [self._topic(kind) for kind in kinds], self._on_message,
            self._announce_soon, will=self._will,
        )  # fmt: skip
        self._link.start()

    def wait(self, seconds: float) -> Assigned | None:
        """Wait so long for an assignment."""
        if time.monotonic() >= self._due and self._link.online:
            self._due = time.monotonic() + _PRESENCE_S
            games = game_ends(self._folder, self._joined)
            waits = time.monotonic() - self._since
            presence = Presence(self._run, True, games, self._about, waits)
            self._link.publish(self._topic("presence"), encode(presence), retain=True)
        self._done.wait(seconds)
        return self._assigned

    def close(self) -> None:
        """Publish that the table is offline, and disconnect."""
        self._link.close(self._will)

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
                if not decode(Presence, payload).online:  # the late will of an earlier run
                    self._announce_soon()
            elif kind == "ask":
                ask = decode(LinesWanted, payload)
                for message in earlier_lines(ask, self._folder, self._joined):
                    self._link.publish(self._topic("journal"), message)
            elif kind == "request" and not retained:
                self._take(decode(Request, payload))

    def _take(self, request: Request) -> None:
        """Do a request once, and answer it each time."""
        if request.id not in self._answers:
            while len(self._answers) >= _MOST_ANSWERS:
                del self._answers[next(iter(self._answers))]
            self._answers[request.id] = _answer(request, self._do(request))
        self._link.publish(self._topic("answer"), encode(self._answers[request.id]))
        if self._assigned is not None:
            self._done.set()

    def _do(self, request: Request) -> tuple[str, str]:
        if request.kind not in (ASSIGN, TELL):
            return "unknown", ""
        age = time.monotonic() - self._since - request.t
        if request.body.get("run") != self._run or not -1.0 <= age <= OLDEST_S:
            return "stale", ""
        if request.kind == TELL:
            return _tell(self._pairings, request)
        try:
            game = _game_of(request, self._joined)
        except ValueError as error:
            return "refused", str(error)
        if self._assigned is not None and self._assigned.game != game:
            return "refused", _("Another game has been assigned there.")
        self._assigned = self._assigned or Assigned(game, request.who, request.id)
        return "done", ""


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
    if wanted.microphone == "none" or wanted.push_to_talk or not (named or devices().capture):
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
    """The games of one table at an event. Earlier journals are in ``folder``."""

    def __init__(self, joined: EventFile, folder: Path) -> None:
        self._joined = joined
        self._folder = folder
        self._following = NextGame()

    @property
    def known(self) -> bool:
        """True if the next game is assigned already."""
        return self._following.known is not None

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
        assigned = self._following.take() or self._wait(pack, devices, lines, out)
        return None if assigned is None else _options(assigned)

    def _wait(
        self, pack: Language, devices: WantedDevices, lines: TypedLines, out: TextIO
    ) -> Assigned | None:
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
            waiting = WaitingTable(self._joined, self._folder, about, pairings)
            stack.enter_context(waiting)
            while not ctrl_c.pressed:
                assigned = waiting.wait(LOOK_S)
                if assigned is not None:
                    return assigned
                line = lines.within(LOOK_S)
                if line is None:
                    continue
                if key_of(pack, line) is Key.END:
                    return None
                if people.is_question(line):
                    people.answer()
                else:  # people press a key to hear the state
                    people.say(words)
        return None


def _options(assigned: Assigned) -> dict[str, Any]:
    """An assignment, as options of ``blindplay play``; open values are left out."""
    game = assigned.game
    names = ("round", "white", "black", "impaired", "white_language", "black_language")
    chosen = {name: value for name in names if (value := getattr(game, name))}
    return {**chosen, "who": assigned.who, "request": assigned.request}
