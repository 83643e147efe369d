"""The voice and the ears of a table that waits for its next game."""

from collections.abc import Callable
from contextlib import ExitStack

import chess

from blindplay.hearing.decision import decide_among
from blindplay.hearing.expectation import expect
from blindplay.hearing.recognisers import listening_models, open_recogniser
from blindplay.language import Command, Language
from blindplay.speech.audio import AudioError, AudioSource
from blindplay.speech.audio_devices import MicrophoneSource, devices
from blindplay.speech.confidence import confidence_of
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.listener import Listener
from blindplay.speech.models.folders import ModelError
from blindplay.speech.recogniser import Recognition
from blindplay.speech.speaker import Output, Speaker
from blindplay.table.devices import WantedDevices
from blindplay.table.microphone_seat import mute_while_speaking
from blindplay.table.pairings import Pairings
from blindplay.wording.pairings import Pairing, pairing_in_words


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
        pairings.listen(self._told)

    def say(self, words: str) -> None:
        """Speak to everybody, or print where no voice is heard."""
        if self._speaker is None or not devices().playback:
            self._shown(words)
        if self._speaker is not None:
            self._speaker.say(words, to=Output.PUBLIC)

    def trouble(self, sentence: str) -> None:
        """Print a sentence about what went wrong, written in English."""
        self._shown(self._pack.trouble(sentence))

    def _told(self, pairing: Pairing) -> None:
        self.say(pairing_in_words(pairing, self._pack))

    def is_question(self, words: str) -> bool:
        """Return whether ``words`` ask for the next place to play."""
        return self._pack.understand(words, chess.Board()).command is Command.WHERE_I_PLAY

    def answer(self) -> None:
        """Say where the people of this table play next."""
        for pairing in self._pairings.told:
            self.say(pairing_in_words(pairing, self._pack))
        if not self._pairings.told:
            self.say(self._pack.sentence("pairing_unknown"))

    def listen(self, source: AudioSource, recogniser: AnyRecogniser) -> Listener:
        """Listen for the question until the listener is closed."""
        # Expect all sentences of a table, so that other talk is not taken for the question.
        expected = expect(recogniser, self._pack, [chess.Board()])
        confidences = [confidence_of(*one, lost=self.trouble) for one in recogniser.by_language]

        def heard(recognition: Recognition) -> None:
            if recognition.heard_anything:
                decision = decide_among(recognition, expected, self._pack, confidences)
                if decision.taken and decision.meant.command is Command.WHERE_I_PLAY:
                    self.answer()

        listener = Listener(recogniser, source, heard, phrases=list(expected.phrases))
        if self._speaker is not None:
            mute_while_speaking(self._speaker, listener)
        listener.start()
        return listener


def open_ears(
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
