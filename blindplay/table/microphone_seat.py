"""A player's microphone: what is heard there goes to the conversation."""

import math
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import chess

from blindplay.conversation.grammar import (
    expected_speaker,
    is_crosstalk,
    sayable_by_assistant,
    side_of_assistant,
)
from blindplay.conversation.state import HeardUtterance, Hushed, Question
from blindplay.hearing.decision import (
    Decision,
    Verdict,
    as_of_another,
    decide_among,
    silence_after,
)
from blindplay.hearing.expectation import Expected, expect, felt_moves
from blindplay.hearing.loudness import Loudness
from blindplay.hearing.statement import Statement
from blindplay.language import Command
from blindplay.laws.due import due
from blindplay.laws.state import OTHER
from blindplay.speech.audio import AudioSource
from blindplay.speech.confidence import MAX_TALK_BEFORE_S, ConfidenceModel, confidence_of
from blindplay.speech.confusions import Confusions
from blindplay.speech.endpointing import (
    ALONE_S,
    ATTEMPT_S,
    HUSH_S,
    PREROLL_S,
    MicrophoneMode,
    Segment,
)
from blindplay.speech.ensemble import AnyRecogniser, Ensemble
from blindplay.speech.listener import Listener
from blindplay.speech.nearest import MicrophonePlace
from blindplay.speech.recogniser import Recognition
from blindplay.speech.speaker import Output, Speaker
from blindplay.translation import _
from blindplay.wording.steps import person_in_words

from .desk import NAMES, Desk
from .talking import Talking

_HOLD_SECONDS = 5.0
"""Seconds that the table stays silent after an interruption by someone who then says nothing."""
_LOST_AGAIN_S = 30.0
"""After so many seconds the table says again that sound is lost."""
_SOFTER_DB = 3.0
"""By how much an attempt without any known word may be softer than the player's announcements."""
_SAID_AGAIN = 2
"""So many words in common show that an utterance repeats the one before."""
TAPPED_MS = 600
"""Two presses of the talk button within so many ms are not speech: a *nein* needs more time."""


class MicrophoneSeat:
    """Listens at ``seat``, a player's or an assistant's. The table's own speech is not heard (half
    duplex). An assistant says moves for players and answers to questions about these, no commands.

    ``shared``: both players announce and repeat into this microphone; whose turn it is tells who
    spoke, and commands are those of the seat's own player. ``place``: that of the microphone among
    others, which may be nearer to what is heard here. ``settled`` waits until no press waits,
    ``guide_phrases`` are what may be said to a guide, and ``habits`` gives how the player has been
    misheard before.
    ``hears_output``: whether what is said on an output reaches this microphone; ``echo_seconds``:
    for how long the table is heard after it has spoken. ``gone`` gets a sentence when no sound
    comes any more, and ``back`` is called when it does again; else everybody is told of a
    microphone.
    """

    def __init__(
        self,
        desk: Desk,
        talking: Talking,
        seat: str,
        source: AudioSource,
        recogniser: AnyRecogniser,
        *,
        hears: Callable[[HeardUtterance], object],
        hushed: Callable[[Hushed], object],
        settled: Callable[[], None],
        guide_phrases: Callable[[], list[str]],
        habits: Callable[[], Confusions],
        place: MicrophonePlace,
        mode: MicrophoneMode = MicrophoneMode.OPEN,
        shared: bool = False,
        hears_output: Callable[[Output], bool] = lambda output: True,
        echo_seconds: Callable[[], float] = lambda: 0.0,
        gone: Callable[[str], None] | None = None,
        back: Callable[[], None] | None = None,
    ) -> None:
        self._desk = desk
        self._talking = talking
        self._seat = seat
        self._recogniser = recogniser
        self._hears = hears
        self._hushed = hushed
        self._settled = settled
        self._guide_phrases = guide_phrases
        self._habits = habits
        self._shared = shared
        self._assists = ":" in seat
        self._asked: int | None = None  # when an assistant was asked about a move
        self._pressed_at = 0  # the talk button, in ms of the table's time
        self._held_now = False  # the talk button went down with the finger that is on it
        self._announced_at = 0.0  # in the listener's seconds of sound, like the next two
        self._answered_until = -math.inf  # the end of the last one that was answered after a hush
        self._waits: tuple[str, float] | None = None  # the side that may wait, and since when
        self._lost_s, self._lost_at = 0.0, -math.inf
        self._spoilt: float | None = None  # when an utterance got a gap that was not told
        self._over_line = gone is not None
        self._loudness: dict[str, Loudness]  # by seats of those who speak here
        self._softly: tuple[str, chess.Move, float] | None  # what was asked about
        self._confirmed: tuple[str, chess.Move, float] | None = None
        self._softly_tried: frozenset[str]  # in the last utterance, and not answered
        self._forget_voices()
        self._tried: tuple[float, frozenset[str]] = (-math.inf, frozenset())  # until when, what
        self._place, self._drowned = place, False  # an attempt was nearer to another microphone
        self._confidences = self._measured(self._recogniser)
        self._unwatch: Callable[[], None] | None = None
        self._watch()
        self._expected = self._expect(self._recogniser)
        self.listener = Listener(
            recogniser,
            source,
            self._on_recognition,
            phrases=list(self._expected.phrases),
            listening=mode,
            silence=self._silence,
            on_speech_start=self._interrupt,
            on_error=gone or partial(desk.tell_trouble, "microphone_gone"),
            on_back=partial(self._microphone_is_back, back),
            on_lost=self._lose,
            # The utterance is lost; the next one may be heard again.
            on_failed=partial(desk.tell_trouble, "recogniser_gone"),
            on_works=partial(self._is_back, "recogniser_back", "the recogniser works again"),
            place=place,
            on_elsewhere=self._is_elsewhere,
        )
        self._begun = _BegunSound(talking, self.listener)
        self._unmute: Callable[[], None] = lambda: None
        if desk.speaker is not None:
            self._unmute = mute_while_speaking(
                desk.speaker, self.listener, hears_output, echo_seconds
            )
        self.listener.start()

    def close(self) -> None:
        """Stop listening. The recogniser may go on at another table."""
        self.listener.close()
        self._unmute()
        self._end_watch()

    @property
    def person(self) -> str:
        """The player who sits here now, "white", or the assistant, "assistant:white"."""
        return self._desk.table.side_of(self._seat)

    @property
    def recogniser(self) -> AnyRecogniser:
        """What listens. After ``close`` it may listen elsewhere."""
        return self._recogniser

    @property
    def models(self) -> tuple[Path, ...]:
        """The folders of the models that listen."""
        return self._recogniser.folders

    def toggle(self, at: int) -> bool:
        """The talk button, pressed ``at`` this time in ms: listen until something was said, or stop
        listening. Return whether it was pressed twice so quickly that nothing can have been
        said."""
        listens = self.listener.toggle()
        self._desk.transcript.line(
            f"{'listening' if listens else 'no longer listening'} to {NAMES[self.person]}"
        )
        tapped = not listens and at - self._pressed_at <= TAPPED_MS
        self._pressed_at = at
        if tapped:
            self.listener.drop()
            if self._desk.speaker is not None:
                self._desk.speaker.resume()
        return tapped

    def hold(self, at: int, *, down: bool, briefly: bool) -> bool:
        """A talk button that can be held went ``down`` or up, ``at`` this time in ms. Held down, it
        is for what is said meanwhile. Pressed only ``briefly``, it is one for :meth:`toggle`, whose
        answer is returned."""
        if down:
            self._held_now = not self.is_held
            if self._held_now:
                self.listener.press()
            return False
        if self._held_now or not briefly:
            self.listener.release()
        return briefly and self.toggle(at)

    @property
    def is_held(self) -> bool:
        """Return whether the talk button is down, or stays down until something was said."""
        return self.listener.held

    def announced(self) -> None:
        """A move was announced: a repetition begins after this moment. If it is the one that was so
        soft that the table has asked about it, it was confirmed."""
        self._announced_at = self.listener.now
        game, softly = self._desk.table.game, self._softly
        if softly is not None and softly[:2] == (game.side, game.turn.announced):
            self._confirmed = softly
        self._softly = None

    def second(self) -> None:
        """A second has passed: a player who spoke alone, or at the same time as somebody else, and
        got no answer may be waiting for it."""
        self._answer_drowned()
        if self.listener.speaking or self._desk.is_being_heard:
            return
        quiet = self.listener.now - self.listener.voice_until >= HUSH_S
        if self._spoilt is not None and quiet and self.listener.now - self._spoilt >= HUSH_S:
            self._spoilt = None
            if due(self._desk.table.game, self.person).is_active:
                pack = self._desk.readers.of(self.person)
                self._desk.tell(self.person, pack.sentence(self._lost_key))
        if self._waits is None:
            return
        side, since = self._waits
        if quiet and self.listener.now - since >= HUSH_S:
            self._waits = None
            self._answered_until = since
            self._hushed(Hushed(side))

    def _answer_drowned(self) -> None:
        """Answer an attempt during which somebody else spoke, nearer to another microphone."""
        if not self._drowned or self.listener.speaking or self._desk.is_being_heard:
            return
        apart = self._place.spoke_apart()
        self._drowned = apart is None
        if apart:
            pack, person = self._desk.readers.of(self.person), self.person
            words = pack.sentence("spoke_at_once", player=person_in_words(pack, person))
            self._desk.tell(person, words)

    def listen_anew(self) -> None:
        """Listen for the phrases that may be said now, after they have changed."""
        self._expected = self._expect(self._recogniser)
        self.listener.listen_for(list(self._expected.phrases))

    def listen_with(self, recogniser: AnyRecogniser, then: Callable[[], object]) -> None:
        """Hear with other speech models from the next utterance on; call ``then`` when it does."""
        self.listener.between_utterances(partial(self._change_to, recogniser, then))

    # --- the microphone and the recogniser ---------------------------------------------------

    def _change_to(self, recogniser: AnyRecogniser, then: Callable[[], object]) -> None:
        with self._desk.table.lock:
            try:
                confidences, expected = self._measured(recogniser), self._expect(recogniser)
            except Exception as error:  # the table must go on listening as before
                self._desk.tell_trouble("model_unheard", str(error))
                return
            self._end_watch()
            self._recogniser, self._confidences, self._expected = recogniser, confidences, expected
            self._watch()
            self.listener.use(recogniser, list(expected.phrases))
            then()

    def _watch(self) -> None:
        if isinstance(self._recogniser, Ensemble):
            self._unwatch = self._recogniser.watch(self._model_lost, self._model_is_back)

    def _end_watch(self) -> None:
        if self._unwatch is not None:
            self._unwatch()
            self._unwatch = None

    def _interrupt(self) -> None:
        if self._desk.speaker is not None:
            self._desk.speaker.interrupt(hold=_HOLD_SECONDS)

    def _lose(self, seconds: float) -> None:
        """Sound was lost, because the machine or a line did not keep up. Say so, but not all the
        time."""
        self._lost_s += seconds
        lost = f"{self._lost_s:.1f}"
        if self._over_line:
            sentence = _(
                "The line is bad: {seconds} seconds of sound were lost so far.", seconds=lost
            )
        else:
            sentence = _(
                "The machine is too busy: {seconds} seconds of sound were lost so far.",
                seconds=lost,
            )
        if self.listener.now - self._lost_at >= _LOST_AGAIN_S:
            self._desk.tell_trouble(self._lost_key, sentence)
            self._lost_at, self._spoilt = self.listener.now, None
        else:
            self._desk.transcript.line(sentence)
            if self.listener.speaking:  # who waits for an answer must learn that none comes
                self._spoilt = self.listener.now

    @property
    def _lost_key(self) -> str:
        """The sentence that asks for what was lost."""
        return "line_lost" if self._over_line else "sound_lost"

    def _is_back(self, key: str, line: str) -> None:
        self._desk.transcript.line(line)
        self._desk.tell_all(key)

    def _microphone_is_back(self, tell: Callable[[], None] | None) -> None:
        with self._desk.table.lock:
            self._forget_voices()  # it may be another one
        if tell is not None:
            tell()
        else:
            self._is_back("microphone_back", "the microphone is back")

    def _forget_voices(self) -> None:
        """Forget how loud the players speak."""
        self._loudness = defaultdict(Loudness)
        self._softly, self._softly_tried = None, frozenset()

    def _loudness_of(self, side: str) -> Loudness:
        """That of a person, also when the colours were reversed (7.3)."""
        return self._loudness[self._desk.table.side_of(side) if self._shared else self._seat]

    def _model_lost(self, sentence: str) -> None:
        """One of several speech models cannot listen; the others do."""
        self._desk.tell_trouble("model_gone", sentence)
        self._confidences = self._measured(self._recogniser)

    def _model_is_back(self, sentence: str) -> None:
        self._is_back("model_back", sentence)
        self._confidences = self._measured(self._recogniser)

    def _measured(self, recogniser: AnyRecogniser) -> list[ConfidenceModel]:
        """The confidence model of each language that is heard."""
        lost = self._desk.transcript.trouble
        return [confidence_of(*folders, lost=lost) for folders in recogniser.by_language]

    def _silence(self, recognition: Recognition) -> float:
        pack = self._desk.readers.of(self._awaited_side())
        return silence_after(self._decided(recognition), self._expected, pack)

    def _decided(self, recognition: Recognition) -> Decision:
        pack = self._desk.readers.of(self._awaited_side())
        return decide_among(recognition, self._expected, pack, self._confidences, self._habits())

    # --- what may be said --------------------------------------------------------------------

    def _expect(self, recogniser: AnyRecogniser) -> Expected:
        desk, game = self._desk, self._desk.table.game
        side = self._awaited_side()
        sayable = self._talking.sayable(side)
        pack = desk.readers.of(side)
        guide = self._guide_phrases()
        if self._assists:
            sayable, guide = sayable_by_assistant(sayable, self._own_question(side)), []
        others = [*sayable.phrases(pack), *guide]
        if self._shared:
            other = OTHER[side]
            others += self._talking.sayable(other).phrases(desk.readers.of(other))
        expected = expect(
            recogniser,
            pack,
            sayable.boards,
            others=others,
            felt=felt_moves(game, side),
            repeated=sayable.repeats[1] if sayable.repeats is not None else None,
            awaited=sayable.answer_phrases(pack),
            shown=game.tables[game.board_of(side)].sensors,
        )
        desk.report_unspeakable(expected.out_of_vocabulary)
        return expected

    def _awaited_side(self) -> str:
        """The side expected to speak into this microphone."""
        game = self._desk.table.game
        if not self._assists:
            return expected_speaker(game) if self._shared else self.person
        asked = (side for side in OTHER if self._own_question(side) is not None)
        return next(asked, side_of_assistant(game, self.person.removeprefix("assistant:")))

    def _own_question(self, side: str) -> Question | None:
        """The question to ``side`` about what the assistant here has said for them, if any."""
        question = self._talking.asked(side)
        return question if question is not None and question.asked == self._asked else None

    def _may_say(self, decision: Decision, side: str) -> bool:
        """Return whether the person here may say this for ``side``."""
        said = decision.likeliest
        if not self._assists or said is None or said.meant.command in (None, Command.CORRECTION):
            return True
        answers = said.meant.command in (Command.YES, Command.NO)
        return answers and self._own_question(side) is not None

    # --- what was said -----------------------------------------------------------------------

    def _on_recognition(self, recognition: Recognition) -> None:
        if self._desk.speaker is not None:
            self._desk.speaker.resume()
        while True:
            self._settled()  # words after a press are about the next move
            # It may have been recognised with phrases for what has passed. Recognising again takes
            # time, so the table is not held meanwhile.
            recognition = self.listener.reheard() or recognition
            together = self._begun.together()
            with self._desk.table.lock:
                if self.listener.outdated:
                    continue
                if recognition.heard_anything:
                    self._decide(recognition, together)
                return

    def _is_elsewhere(self, recognition: Recognition, nearer: str) -> None:
        """What was heard here belongs to the microphone of another seat."""
        if self._desk.speaker is not None:
            self._desk.speaker.resume()
        with self._desk.table.lock:
            self._waits = None
            decision, side = self._decided(recognition), self._awaited_side()
            tries = bool(decision.tried) and side == expected_speaker(self._desk.table.game)
            self._drowned = tries or decision.verdict is not Verdict.NOTHING
        whose = NAMES[self._desk.table.side_of(nearer)]
        self._desk.transcript.line(
            f"heard {NAMES[self.person]}, nearer to the microphone of {whose}: {recognition.words}"
        )

    def _decide(self, recognition: Recognition, together: Recognition | None) -> None:
        segment = self.listener.segment
        self._waits, self._drowned = None, False
        if segment is not None and segment.is_piece_of_talk(recognition.words):
            side = self._awaited_side()
            self._desk.transcript.line(f"heard {NAMES[side]}, a piece of talk: {recognition.words}")
            nothing = Decision(Verdict.NOTHING, recognition)
            if self._may_wait(segment, side, nothing):
                self._hears(HeardUtterance(side, nothing, self._at()))
            return
        if segment is not None and segment.overheard and not segment.pressed:
            recognition = recognition.after_speech(MAX_TALK_BEFORE_S)
            together = None
        decision = self._decided(recognition)
        side = self._awaited_side()
        if self._shared:
            side = self._talking.speaker(self.person, decision)
        elif self._assists and decision.likeliest and decision.likeliest.meant.correction:
            side = self._desk.table.game.side
        crosstalk = self._is_crosstalk(side, decision)
        both = self._decided(together) if together is not None and self._begun.is_of(side) else None
        if segment is not None and self._is_another(segment, side, decision):
            if both is not None and both.verdict is Verdict.ACCEPT:
                decision = both  # a soft rank may be the player's
            both = None
            decision = self._doubted(decision, side, segment.level)
        elif segment is not None and not self._loudness_of(side).is_another(segment.level):
            # The player speaks as loudly as before.
            self._softly, self._softly_tried = None, frozenset()
        if self._desk.taping is not None and decision.taken is not None and not crosstalk:
            self._desk.taping.hears(side, decision.taken, self.listener.sound)
        line = self._desk.transcript.line
        name = NAMES[self.person if self._assists else side]
        if crosstalk or not self._may_say(decision, side):
            line(f"heard {name}, no repetition: {decision.recognition.words}")
            return
        if decision.taken is not None:
            line(f"heard {name}: {decision.phrase}")
        elif decision.candidates and decision.verdict is Verdict.ASK:
            likely = " or ".join(candidate.phrase for candidate in decision.candidates)
            line(f"heard {name}, perhaps: {likely}")
        else:
            heard = decision.recognition.words or "something that is not a phrase of the game"
            line(f"heard {name}, not understood: {heard}")
        if decision.verdict is not Verdict.NOTHING:
            self._spoilt = None
        awaited = decision.phrase in self._expected.awaited
        pressed = segment is not None and segment.pressed
        if segment is not None:
            self._may_wait(segment, side, decision)
        game = self._desk.table.game
        on_move, announced = side == game.side, game.turn.announced
        self._confirmed = None
        asked = self._talking.asked(side)
        with self._begun.kept(side, -math.inf if segment is None else segment.level):
            assistant = self.person if self._assists else ""
            self._hears(
                HeardUtterance(side, decision, self._at(), awaited, both, pressed, assistant)
            )
        question = self._talking.asked(side)
        if self._assists and question is not None and question != asked:
            self._asked = question.asked
            self.listen_anew()
        if self._confirmed is not None and self._confirmed[0] == side:
            # In as soft a voice, so this is the player's. Hands would not show whose it was.
            self._loudness_of(side).begin_anew(self._confirmed[2])
        # The opponent's announcement is heard here, too, and others say moves.
        sure = decision.taken if decision.verdict is Verdict.ACCEPT else None
        move = sure.move if sure is not None else None
        if segment is not None and move is not None and (on_move or move == announced):
            self._loudness_of(side).add(segment.level)

    def _doubted(self, decision: Decision, side: str, level: float) -> Decision:
        """Return the decision about an utterance that is probably somebody else's. A question about
        a move stays if the utterance repeats what got no answer: a player says it again, others
        go on."""
        again = len(self._softly_tried & decision.tried) >= _SAID_AGAIN
        self._softly_tried = decision.tried
        if again and decision.verdict is Verdict.ASK:
            return decision
        if decision.taken is not None and decision.taken.move is not None:
            self._softly = side, decision.taken.move, level
        return as_of_another(decision, self._desk.readers.of(side))

    def _is_another(self, segment: Segment, side: str, decision: Decision) -> bool:
        """Return whether this is probably not the voice of the player on move, and is no answer."""
        said, question = decision.likeliest, self._talking.asked(side)
        answers = said is not None and (
            said.text in self._expected.awaited
            or (question is not None and said.key in [one.key for one in question.options])
        )
        own = segment.pressed or answers or side != self._desk.table.game.side
        begun = self._begun.level if self._begun.is_of(side) else None
        return not own and self._loudness_of(side).is_another(segment.level, begun)

    def _may_wait(self, segment: Segment, side: str, decision: Decision) -> bool:
        """Return whether nobody but the player has spoken, and remember since when the player may
        wait for an answer: others would have gone on talking, or come back to their subject."""
        until, tried = self._tried
        before = segment.others_until - PREROLL_S
        alone = segment.began - segment.others_until >= ALONE_S or before <= self._answered_until
        alone |= before <= until and not tried.isdisjoint(decision.tried)
        softest = self._loudness_of(side).softest - _SOFTER_DB
        like_one = segment.ended - segment.began >= ATTEMPT_S and segment.level >= softest
        waits = decision.verdict is Verdict.NOTHING
        waits = waits and alone and bool(decision.tried or like_one)
        if waits:
            self._waits = side, segment.ended
        if waits or decision.verdict is not Verdict.NOTHING:
            self._tried = segment.ended, decision.tried
        return waits

    def _is_crosstalk(self, side: str, decision: Decision) -> bool:
        segment = self.listener.segment
        before = segment is not None and segment.began < self._announced_at
        return segment is not None and is_crosstalk(
            self._desk.table.game, side, decision.likeliest, before=before
        )

    def _at(self) -> int | None:
        """Return when the last utterance began, in ms of the table's time."""
        segment = self.listener.segment
        if segment is None:
            return None
        ago = max(0.0, self.listener.now - segment.began)
        return self._desk.table.time() - round(ago * 1000)


class _BegunSound:
    """The sound of the beginning of an announcement, until its rest is heard: both are recognised
    best as one utterance."""

    def __init__(self, talking: Talking, listener: Listener) -> None:
        self._talking = talking
        self._listener = listener
        self._said: Statement | None = None
        self._sound = b""
        self.level = -math.inf
        """That of its voice, in dBFS."""

    def is_of(self, side: str) -> bool:
        """Return whether its rest is awaited of ``side``."""
        return self._said is not None and self._talking.begun(side) is self._said

    def together(self) -> Recognition | None:
        """Return what the last utterance is together with it; None if its rest is not awaited. Hold
        no lock meanwhile."""
        return self._listener.reheard(self._sound) if any(map(self.is_of, OTHER)) else None

    @contextmanager
    def kept(self, side: str, level: float) -> Iterator[None]:
        """Keep the sound of the last utterance, at this level, if the conversation takes it for a
        beginning in this block, together with that of the beginning that it continues."""
        before = self._talking.begun(side)
        continues = before is self._said
        yield
        now = self._talking.begun(side)
        if now is not None and now is not before:
            longer = continues and before is not None and now.text.startswith(f"{before.text} ")
            self._sound = (self._sound if longer else b"") + self._listener.sound
            self._said, self.level = now, level


def mute_while_speaking(
    speaker: Speaker,
    listener: Listener,
    hears_output: Callable[[Output], bool] = lambda output: True,
    echo_seconds: Callable[[], float] = lambda: 0.0,
) -> Callable[[], None]:
    """Do not listen to the table's own speech (half duplex). The returned function ends that."""
    deaf = threading.Event()

    def half_duplex(speaking: bool) -> None:
        # The earphone is not in the room: its owner may be heard while it speaks, and
        # cuts it off by speaking.
        audible = speaker.speaking_to is None or hears_output(speaker.speaking_to)
        if speaking and audible and not deaf.is_set():
            deaf.set()
            listener.mute()
        elif not speaking and deaf.is_set():
            deaf.clear()
            listener.unmute(echo_seconds())

    return speaker.on_speaking(half_duplex)
