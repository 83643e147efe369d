"""The desk that all devices of a table share: its game, its voice, its print."""

import contextlib
import math
from collections.abc import Callable, Collection, Iterator

from blindplay.language import Command, Language, MixedText
from blindplay.laws import Taken
from blindplay.laws.facts import SIDES
from blindplay.laws.state import OTHER
from blindplay.speech.speaker import Outcome, Output, Sound, Speaker, Voicing, press_tones
from blindplay.speech.synthesis import NotWordsError
from blindplay.wording.announcements import Announcement, goes_to_earphone, told
from blindplay.wording.readers import Readers
from blindplay.wording.values import Value, in_words

from .choices import PressAnswer
from .table import Table
from .taping import Taping
from .transcript import Transcript

NAMES = {"white": "White", "black": "Black"}


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

    def side_of(self, seat: str) -> str:
        """The side whose devices those of ``seat`` are. A seat has the colour that its player had
        when the devices were attached; a new game with reversed colours (7.3) changes the side."""
        return OTHER[seat] if self.table.game.swapped else seat

    def tell(self, to: str | None, words: str, *, fleeting: bool = False) -> None:
        """Speak a sentence to a player ("white"), an assistant or the arbiter; None: to all."""
        private = to is not None and self._goes_to_earphone(to)
        self.say(Output.PRIVATE if private else Output.PUBLIC, words, fleeting=fleeting)

    def _goes_to_earphone(self, who: str) -> bool:
        return goes_to_earphone(self.table.game, who, self.table.absent)

    @property
    def private_pack(self) -> Language:
        """The words for the player with the earphone."""
        return self.readers.of(next(filter(self._goes_to_earphone, SIDES)))

    def announce(self, taken: Taken) -> None:
        """Say what happened, to each person here in their own language."""
        for one in told(taken, self.table.game, self.readers):
            if one.to is None or one.to.removeprefix("assistant:") != self.table.absent:
                self.speak(one)

    def speak(self, one: Announcement) -> None:
        """Speak an announcement. A press may be answered by a sound."""
        private = one.to is not None and self._goes_to_earphone(one.to)
        short = one.answers_press and self._press_answer is PressAnswer.SOUND
        self.say(
            Output.PRIVATE if private else Output.PUBLIC,
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
        for callback in self._on_said:
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
        private, pack = self._goes_to_earphone(to), self.readers.of(to)
        outputs = (Output.PUBLIC, Output.PRIVATE) if private else (Output.PUBLIC,)
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
            self.trouble("not_remembered", error=error)

    def trouble(self, key: str, **values: object) -> None:
        """Print a text of the pack about what went wrong outside the game."""
        self.transcript.trouble(self.pack.printed(key, **values))

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
