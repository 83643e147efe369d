"""Answers that are typed or said: the ear listens for the moves of a position, as at a table."""

from collections.abc import Callable
from contextlib import ExitStack

import chess

from blindplay.hearing import speaker_models
from blindplay.hearing.decision import Decision, Verdict, decide_among
from blindplay.hearing.expectation import Expected, expect
from blindplay.hearing.recognisers import listening_models, open_recogniser
from blindplay.hearing.statement import Statement, interpret
from blindplay.language import Command, Language
from blindplay.speech.audio import AudioError, AudioSource
from blindplay.speech.audio_devices import MicrophoneSource, devices
from blindplay.speech.confidence import confidence_of
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.listener import Listener
from blindplay.speech.models.folders import ModelError
from blindplay.speech.recogniser import Recognition

from .board_setup import Attendant, Prompter
from .microphone_seat import mute_while_speaking

_COMMANDS = (Command.REPEAT, Command.YES, Command.NO)
_ECHO_S = 0.1


class AnsweringEar:
    """Hears moves of one position after the other, and what confirms them. ``heard`` gets each
    decision, between :meth:`listen` and :meth:`rest`. The speech of ``voice`` is not heard."""

    def __init__(
        self,
        pack: Language,
        recogniser: AnyRecogniser,
        source: AudioSource,
        voice: Prompter,
        heard: Callable[[Decision], object],
    ) -> None:
        self._pack, self._recogniser, self._heard = pack, recogniser, heard
        lost = voice.trouble
        self._confidences = [confidence_of(*one, lost=lost) for one in recogniser.by_language]
        self._commands = pack.command_phrases(_COMMANDS)
        self._expected: Expected | None = None
        self._listener = Listener(
            recogniser,
            source,
            self._on_recognition,
            phrases=recogniser.known_phrases(self._commands),
            on_error=lost,
        )
        if voice.speaker is not None:
            mute_while_speaking(voice.speaker, self._listener, echo_seconds=_ECHO_S)
        self._listener.start()

    def listen(self, board: chess.Board) -> None:
        """Listen for the moves of ``board``."""
        expected = expect(self._recogniser, self._pack, [board], others=self._commands)
        self._listener.listen_for(list(expected.phrases))
        self._expected = expected

    def rest(self) -> None:
        """Pay attention to nothing until the next :meth:`listen`."""
        self._expected = None

    def close(self) -> None:
        self._listener.close()

    def _on_recognition(self, recognition: Recognition) -> None:
        recognition = self._listener.reheard() or recognition
        expected, timing = self._expected, self._listener.timing
        talk = timing is not None and timing.segment.is_piece_of_talk(recognition.words)
        if expected is not None and recognition.heard_anything and not talk:
            self._heard(decide_among(recognition, expected, self._pack, self._confidences))


def open_ear(
    stack: ExitStack,
    pack: Language,
    voice: Prompter,
    heard: Callable[[Decision], object],
    microphone: str | None,
) -> AnsweringEar | None:
    """Listen with the microphone that has ``microphone`` in its name, None: the usual one, until
    ``stack`` closes. None for "none", and where there is no microphone or no speech model.

    :raises AudioError, ModelError: if the microphone that was named cannot be listened to.
    """
    if microphone == "none" or (microphone is None and not devices().capture):
        return None
    try:
        folders = listening_models(pack.code, voice.trouble)
        folders = speaker_models.models("", pack.code, folders, voice.trouble)
        recogniser = open_recogniser(pack, *folders, lost=voice.trouble)
        ear = AnsweringEar(pack, recogniser, MicrophoneSource(microphone), voice, heard)
    except (AudioError, ModelError) as error:
        if microphone is not None:
            raise
        voice.show(pack.printed("type_meanwhile", error=pack.trouble(str(error))))
        return None
    stack.callback(ear.close)
    return ear


class Answers:
    """The answers of one person who types and, if there is an ``ear``, speaks. ``say`` says a
    sentence of the pack."""

    def __init__(
        self,
        pack: Language,
        attendant: Attendant,
        ear: AnsweringEar | None,
        say: Callable[..., object],
    ) -> None:
        self._pack, self._attendant, self.ear, self._say = pack, attendant, ear, say

    def next(self, board: chess.Board) -> str | None:
        """Wait for a typed line, or for the words of a move of ``board`` that the ear is sure of;
        what it is not sure of is read back. None: no more is typed."""
        offered: list[Statement] = []
        begun = ""  # "Springer Gustav eins", and after a pause "Felix drei"
        while True:
            answer = self._wait(board)
            said = self._meant(answer, board)
            command = None if said is None else said.meant.command
            if offered and command is Command.YES:
                return offered[0].text
            if offered and command is Command.NO:
                del offered[0]
            elif isinstance(answer, str) or answer is None:
                return answer
            elif command is not None:
                if command not in (Command.YES, Command.NO):
                    return "" if command is Command.REPEAT else answer.phrase
                continue
            else:
                whole = f"{begun} {answer.recognition.words}".strip()
                if self._pack.begins(whole, board):
                    begun = whole
                    continue
                together = interpret(whole, [board], self._pack)
                if begun and together.move is not None:
                    offered = [together]
                elif said is not None:
                    return said.text
                elif answer.verdict is Verdict.NOTHING:
                    continue
                else:
                    moves = {one.move: one.statement for one in answer.candidates if one.move}
                    offered = list(moves.values())
            self._read_back(board, offered)

    def _wait(self, board: chess.Board) -> Decision | str | None:
        if self.ear is None:
            return self._attendant.line()
        self.ear.listen(board)
        try:
            return self._attendant.answer()
        finally:
            self.ear.rest()

    def _meant(self, answer: Decision | str | None, board: chess.Board) -> Statement | None:
        if isinstance(answer, Decision):
            return answer.taken
        return None if answer is None else interpret(answer, [board], self._pack)

    def _read_back(self, board: chess.Board, offered: list[Statement]) -> None:
        if offered and (move := offered[0].move) is not None:
            self._say("confirm_move", move=self._pack.announce(board, move))
        else:
            self._say("not_understood")
