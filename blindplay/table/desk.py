"""The desk that all devices of a table share: its game, its voice, its print, its tape.

The tape keeps only what everybody was told it keeps: no private answers, and players' voices only
with ``voices``, and only what was taken for a move. The table first says what will be recorded. It
keeps no voice before that was said to its end.
"""

import contextlib
import math
import threading
from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Any, TextIO

from blindplay.conversation.state import NAMES_A_MOVE
from blindplay.given import reason_of
from blindplay.hearing.statement import Statement
from blindplay.language import Command, Language, MixedText
from blindplay.laws import Ruling, Taken
from blindplay.laws.facts import SIDES
from blindplay.record import Tape, TapeError
from blindplay.record.tape_playback import sound
from blindplay.speech.audio import RATE
from blindplay.speech.speaker import (
    Outcome,
    Output,
    Sound,
    Speaker,
    Voicing,
    heard_tones,
    press_tones,
)
from blindplay.speech.synthesis import NotWordsError
from blindplay.wording.announcements import Announcement, goes_to_earphone, told
from blindplay.wording.readers import Readers
from blindplay.wording.values import Value, in_words

from .choices import PressAnswer, Printed
from .table import Table

NAMES = {
    "white": "White",
    "black": "Black",
    "assistant:white": "White's assistant",
    "assistant:black": "Black's assistant",
}
# Fields that are long or that people hear anyway.
_LEFT_OUT = frozenset(("words", "placement", "undo", "explanations"))
_MOST_MOVES = 12


class Transcript:
    """Prints to ``out``, as far as ``printed`` goes. Safe from several threads.

    ``time`` gives the table's time in ms. A closed terminal or a full disk does not end the game.
    """

    def __init__(
        self,
        out: TextIO,
        time: Callable[[], int],
        printed: Printed = Printed.ALL,
        trouble: Callable[[str], str] = "trouble: {}".format,
        *,
        as_said: Callable[[str, bool], str] = lambda words, public: words,
    ) -> None:
        """``trouble`` gives how a sentence about what went wrong is printed, and ``as_said`` how
        one of the table is, to everybody or not."""
        self._trouble = trouble
        self._as_said = as_said
        self._out = out
        self._printed = printed
        self._unheard: set[bool] = set()  # True: what is public
        self._time = time
        self._lock = threading.Lock()
        self._kept: list[str] | None = None  # what went wrong, while something else comes first

    @property
    def everything(self) -> bool:
        """Return whether everything that happens is printed."""
        return self._printed is Printed.ALL

    def leaves(self, *, public: bool) -> bool:
        """Return whether what a voice speaks, to everybody or privately, is not printed."""
        return self._printed is Printed.UNSPOKEN and public not in self._unheard

    def is_heard(self, now: bool, *, public: bool) -> None:
        """Print what is said to everybody, or privately, in any case while it is not heard."""
        (self._unheard.discard if now else self._unheard.add)(public)

    def line(self, text: str) -> None:
        """Print one thing that happened, with the table's time in seconds, if everything is."""
        if self.everything:
            self.show(f"{self._time() / 1000:.1f} {text}")

    def said(self, words: str, *, public: bool, spoken: bool) -> bool:
        """Print what the table says, unless a voice has ``spoken`` it and only the rest is printed.
        Return whether it was printed."""
        if self.everything:
            self.line(f"said {'to everybody' if public else 'privately'}: {words}")
        elif spoken and self.leaves(public=public):
            return False
        else:
            self.show(self._as_said(words, public))
        return True

    def show(self, text: str) -> None:
        """Print lines as they are, with no other thread's among them."""
        with self._lock, contextlib.suppress(OSError, ValueError):
            print(text, file=self._out, flush=True)

    @contextlib.contextmanager
    def troubles_last(self) -> Iterator[None]:
        """Print what goes wrong meanwhile at the end of it."""
        kept = self._kept = []
        try:
            yield
        finally:
            with self._lock:
                self._kept = None
            for sentence in kept:
                self.trouble(sentence)

    def trouble(self, sentence: str) -> None:
        """Print what went wrong outside the game; it goes on with what is left."""
        with self._lock:
            if self._kept is not None:
                self._kept.append(sentence)
                return
        trouble = self._trouble(sentence)
        if self.everything:
            self.line(trouble)
        else:
            self.show(trouble)


def plain(ruling: Ruling) -> str:
    """A ruling as one plain line: its kind, its fields, its articles."""
    fields = {name: value for name, value in ruling.fields.items() if name not in _LEFT_OUT}
    told = (f"{name.replace('_', ' ')} {_field(name, value)}" for name, value in fields.items())
    parts = [part for part in told if not part.endswith(" ")]
    kind = ruling.kind.replace("_", " ")
    return f"{kind}: {'; '.join(parts)} ({', '.join(ruling.articles)})"


def _field(name: str, value: Any) -> str:
    if name == "steps":
        return ", ".join(f"{step['do']} {step['piece']} {step['square']}" for step in value)
    if name == "squares":
        return ", ".join(
            f"{at['square']} White's board {at['white'] or 'empty'}, "
            f"Black's board {at['black'] or 'empty'}"
            for at in value
        )
    if name == "moves" and isinstance(value, list) and len(value) > _MOST_MOVES:
        return f"{len(value)} moves"
    if isinstance(value, list):
        return " ".join(map(_text, value))
    return _text(value)


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name} {_text(part)}" for name, part in value.items())
    return ", ".join(map(_text, value)) if isinstance(value, list) else str(value)


class Taping:
    """Keeps on ``tape`` what is said at ``table``. ``failed`` is called with a sentence when it
    cannot, once until it can again."""

    def __init__(
        self, tape: Tape, table: Table, failed: Callable[[str], None], *, voices: bool = False
    ) -> None:
        self.tape = tape
        self.voices = voices
        self._table = table
        self._failed = failed
        self._works = True
        self._told = False

    def ply(self) -> int:
        """The ply that is being played; what is said now belongs to it."""
        return len(self._table.game.history) + 1

    def says(self, words: str) -> Callable[[bytes, int], None]:
        """The table begins to say ``words`` now. Return a function to call with their sound."""
        t, ply = self._table.time(), self.ply()

        def keep(pcm: bytes, rate: int) -> None:
            self._told = True
            self._keep(pcm, rate, t, ply, "table", words)

        return keep

    def hears(self, side: str, said: Statement, pcm: bytes) -> None:
        """``side`` has said something, which sounded so. Call it before the game takes it, for its
        ply."""
        if self.voices and self._told and said.meant.kind in NAMES_A_MOVE:
            self._keep(pcm, RATE, self._table.time(), self.ply(), side, said.text)

    def play(self, speaker: Speaker, ply: int) -> bool:
        """Let ``speaker`` play privately what is on tape from ``ply`` on; False if there is none.

        It plays one utterance at a time, so that announcements come between, and an interruption
        ends it.
        """
        try:
            rest = iter(self.tape.from_ply(ply))
        except TapeError:
            return False

        def go_on(outcome: Outcome) -> None:
            following = next(rest, None)
            if outcome not in (Outcome.SPOKEN, Outcome.FAILED) or following is None:
                return
            with contextlib.suppress(ValueError):  # the speaker has been closed meanwhile
                speaker.say(
                    following.words,
                    to=Output.PRIVATE,
                    sound=partial(sound, following),
                    on_done=go_on,
                )

        go_on(Outcome.SPOKEN)
        return True

    def _keep(self, pcm: bytes, rate: int, t: int, ply: int, by: str, words: str) -> None:
        try:
            self.tape.keep(pcm, rate, t=t, ply=ply, by=by, words=words)
        except TapeError as error:
            worked, self._works = self._works, False
            if worked:
                self._failed(str(error))
        else:
            self._works = True


class Desk:
    """Speaks and prints for one table. Without a ``speaker`` it only prints.

    ``on_voicing`` is called when the player wants another volume or rate from now on.
    """

    def __init__(
        self,
        table: Table,
        readers: Readers,
        speaker: Speaker | None,
        transcript: Transcript,
        *,
        press_answer: PressAnswer = PressAnswer.WORDS,
        on_voicing: Callable[[Voicing], object] = lambda voicing: None,
    ) -> None:
        self.table = table
        self.readers = readers
        self.pack = readers.everybody
        self.speaker = speaker
        self.transcript = transcript
        self.taping: Taping | None = None
        self.second_ear = ""
        """The seat of the player without the earphone who hears on a phone what only they may
        hear; empty: nobody does."""
        self._press_answer = press_answer
        self._on_voicing = on_voicing
        self._last_said: dict[Output, tuple[int, str]] = {}  # with the number of the sentence
        self._told: dict[str, float] = {}
        self._unspeakable: set[str] = set()
        self._on_said: list[Callable[[str], None]] = []
        self._readings: list[Callable[[], bool]] = []
        if speaker is not None:
            speaker.on_output(self._output_changed)
            speaker.on_reader(self._reader_changed)

    def on_said(self, callback: Callable[[str], None]) -> None:
        """Call ``callback`` with each sentence that the player with the earphone hears."""
        self._on_said.append(callback)

    def await_reading(self, unread: Callable[[], bool]) -> None:
        """Let questions wait as long as ``unread``: somebody reads them and hears nothing."""
        self._readings.append(unread)

    @property
    def is_being_heard(self) -> bool:
        """Return whether the voice speaks now, or somebody who hears nothing has still to read."""
        speaks = self.speaker is not None and self.speaker.speaking
        return speaks or any(unread() for unread in self._readings)

    @property
    def is_speaking(self) -> bool:
        """Return whether something is still to be said to its end."""
        return self.speaker is not None and not self.speaker.wait(0)

    def tell(self, to: str | None, words: str, *, fleeting: bool = False) -> None:
        """Speak a sentence to a player ("white"), an assistant or the arbiter; None: to all."""
        self.say(self._output(to), words, fleeting=fleeting)

    def _output(self, to: str | None) -> Output:
        if to is None:
            return Output.PUBLIC
        if self.has_earphone(to):
            return Output.PRIVATE
        on_phone = self.second_ear and self.table.side_of(self.second_ear) == to
        return Output.SECOND if on_phone else Output.PUBLIC

    def has_earphone(self, who: str) -> bool:
        """Return whether the earphone is that of ``who``: there is one, of one player."""
        return goes_to_earphone(self.table.game, who, self.table.absent)

    @property
    def private_pack(self) -> Language:
        """The words for the player with the earphone."""
        return self.readers.of(next(filter(self.has_earphone, SIDES)))

    def acknowledge(self, to: str) -> None:
        """Let a player hear by a short sound that their words were heard."""
        words = self.readers.of(to).sentence("heard_waiting")
        self.say(self._output(to), words, fleeting=True, sound=heard_tones)

    def announce(self, taken: Taken) -> None:
        """Say what happened, to each person here in their own language."""
        for one in told(taken, self.table.game, self.readers):
            if one.to is None or one.to.removeprefix("assistant:") != self.table.absent:
                self.speak(one)

    def speak(self, one: Announcement) -> None:
        """Speak an announcement. A press may be answered by a sound."""
        short = one.answers_press and self._press_answer is PressAnswer.SOUND
        self.say(
            self._output(one.to),
            one.words,
            fleeting=one.fleeting or one.answers_press,
            sound=press_tones if short else None,
        )

    def tell_all(self, key: str, **values: Value) -> None:
        """Speak a sentence of the pack to everybody."""
        words = {name: in_words(value, self.pack) for name, value in values.items()}
        self.say(Output.PUBLIC, self.pack.sentence(key, **words))

    def tell_privately(self, key: str, **values: str) -> None:
        """Speak a sentence of the pack to the player with the earphone."""
        self.say(Output.PRIVATE, self.private_pack.sentence(key, **values))

    @property
    def typists_pack(self) -> Language:
        """The words for the person who types decisions at the table: the arbiter, if one presides,
        reads what everybody does; else the player with the earphone types them."""
        return self.pack if self.table.game.presided else self.private_pack

    def tell_typist(self, words: str, *, fleeting: bool = False) -> None:
        """Answer a typed decision with ``words`` of :attr:`typists_pack`."""
        output = Output.PUBLIC if self.table.game.presided else Output.PRIVATE
        self.say(output, words, fleeting=fleeting)

    def say(
        self,
        output: Output,
        words: str,
        *,
        fleeting: bool = False,
        sound: Callable[[], Sound] | None = None,
    ) -> None:
        """Speak a sentence, and print it unless a voice speaks it and only the rest is printed.

        ``fleeting``: it is never said again on request. ``sound`` is heard in its place.
        """
        if not fleeting:
            number = max((number for number, _ in self._last_said.values()), default=0) + 1
            self._last_said[output] = number, words
        public = output is Output.PUBLIC
        for callback in self._on_said if output is not Output.SECOND else ():
            callback(words)
        printed = self.transcript.said(words, public=public, spoken=self.speaker is not None)
        if fleeting:  # questions are
            self._told[words] = self.table.time() if self.speaker is None else math.inf
        if self.speaker is None:
            return
        keep = self.taping.says(words) if self.taping is not None and public else None

        def done(outcome: Outcome) -> None:
            if self._told.pop(words, None) is not None and outcome is Outcome.SPOKEN:
                self._told[words] = self.table.time()
            lost = outcome is Outcome.SPOKEN and not self.transcript.leaves(public=public)
            if not printed and (lost or outcome is Outcome.FAILED):
                self.transcript.said(words, public=public, spoken=False)

        try:
            spoken = words.parts if isinstance(words, MixedText) else words
            self.speaker.say(spoken, to=output, on_done=done, on_spoken=keep, sound=sound)
        except NotWordsError as error:
            self.transcript.trouble(str(error))
            done(Outcome.FAILED)

    def told(self, words: str) -> float | None:
        """Return when a fleeting sentence was last spoken to its end, in ms of the table's time;
        infinity while it is still to be spoken, None if it was cut off."""
        return self._told.get(words)

    def say_again(self, to: str) -> None:
        """Speak once more the last sentence worth it that this player has heard."""
        pack, outputs = self.readers.of(to), {Output.PUBLIC, self._output(to)}
        heard = [self._last_said[one] for one in outputs if one in self._last_said]
        words = max(heard)[1] if heard else pack.sentence("refused_nothing_to_repeat")
        self.tell(to, words, fleeting=True)

    def adjust_voice(self, to: str, command: Command) -> None:
        """Speak louder, softer, slower or faster, and say so. The answer is not remembered: the
        sentence before may have been too soft to hear."""
        key = "refused_no_voice"
        if self.speaker is not None:
            before = self.speaker.voicing
            after = before.changed(
                louder=(command is Command.LOUDER) - (command is Command.SOFTER),
                faster=(command is Command.FASTER) - (command is Command.SLOWER),
            )
            key = "voice_limit" if after == before else command.value
            if after != before:
                self.speaker.voicing = after
                with self.remembering():
                    self._on_voicing(after)
        self.tell(to, self.readers.of(to).sentence(key), fleeting=True)

    @contextlib.contextmanager
    def remembering(self) -> Iterator[None]:
        """Print trouble if the block cannot keep something for the next game."""
        try:
            yield
        except OSError as error:
            self.trouble("not_remembered", error=reason_of(error))

    def trouble(self, key: str, **values: object) -> None:
        """Print a text of the pack about what went wrong outside the game."""
        self.transcript.trouble(self.pack.printed(key, **values))

    def tell_trouble(self, key: str, sentence: str) -> None:
        """Print a sentence about what went wrong, and speak one of the pack to everybody."""
        self.transcript.trouble(sentence)
        self.tell_all(key)

    def report_unspeakable(self, words: Collection[str]) -> None:
        """Print, once, words that a speech model lacks."""
        news = set(words) - self._unspeakable
        if news:
            self._unspeakable |= news
            self.trouble("words_lacking", words=", ".join(sorted(news)))

    def _output_changed(self, output: Output, works: bool) -> None:
        """Say by the other output that one failed; say by the same one that it works again."""
        name = "loudspeaker" if output is Output.PUBLIC else "earphone"
        other = Output.PRIVATE if output is Output.PUBLIC else Output.PUBLIC
        key = f"{name}_{'back' if works else 'gone'}"
        self.say(output if works else other, self.pack.sentence(key))

    def _reader_changed(self, works: bool) -> None:
        """Say that our voice takes the place of the screen reader, or that it is back. Without a
        loudspeaker, print takes its place."""
        if not self.transcript.leaves(public=True):
            self.transcript.is_heard(works, public=False)
        self.say(
            Output.PRIVATE, self.private_pack.sentence(f"reader_{'back' if works else 'gone'}")
        )
