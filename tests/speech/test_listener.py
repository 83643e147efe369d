"""A stream of sound cut into utterances, each reported once."""

import threading

import numpy as np
import pytest

from benchmarks.memory_audio import MemorySink, MemorySource
from blindplay.speech.audio import RATE, QueueSource
from blindplay.speech.endpointing import MicrophoneMode
from blindplay.speech.listener import Listener
from blindplay.speech.recogniser import Recogniser, Recognition, VocabularyError
from blindplay.speech.speaker import Output, Speaker
from blindplay.speech.synthesis import Synthesiser
from blindplay.speech.transcriber import TAIL_S
from tests.speech.conftest import COMMANDS, MOVES, ROOM, Spoken, taken
from tests.waiting import PATIENCE_S, until


def _listen(
    recogniser: Recogniser, source: MemorySource | QueueSource, phrases: list[str]
) -> tuple[Listener, list[Recognition], list[str], threading.Semaphore]:
    heard: list[Recognition] = []
    errors: list[str] = []
    count = threading.Semaphore(0)

    def on_recognition(recognition: Recognition) -> None:
        heard.append(recognition)
        count.release()

    listener = Listener(recogniser, source, on_recognition, phrases=phrases, on_error=errors.append)
    return listener, heard, errors, count


def test_an_utterance_heard_with_outdated_phrases_is_recognised_again(
    recogniser: Recogniser, spoken: Spoken
) -> None:
    """The game may go on between the recognition and its use."""
    again: list[Recognition | None] = []
    told = threading.Event()

    def on_recognition(recognition: Recognition) -> None:
        again.append(recognition)
        again.append(listener.reheard())
        listener.listen_for(COMMANDS)
        again.append(listener.reheard())
        told.set()

    sound = ROOM + spoken(MOVES[0]) + ROOM + ROOM
    listener = Listener(recogniser, MemorySource(sound), on_recognition, phrases=MOVES)
    with listener:
        assert told.wait(PATIENCE_S)
    first, unchanged, changed = again
    assert first is not None and taken(first, MOVES) == MOVES[0]
    assert unchanged is None
    assert listener._last is not None
    assert changed == recogniser.recognise(listener._last.sound, COMMANDS) and changed != first


def test_a_stream_is_cut_into_utterances_at_pauses(recogniser: Recogniser, spoken: Spoken) -> None:
    moves = MOVES[:3]
    stream = ROOM + b"".join(spoken(move) + ROOM + ROOM for move in moves)
    starts: list[int] = []
    heard: list[Recognition] = []
    listener = Listener(
        recogniser,
        MemorySource(stream),
        heard.append,
        phrases=MOVES,
        on_speech_start=lambda: starts.append(len(heard)),
    )
    with listener:
        assert listener.wait(PATIENCE_S)
    assert [taken(h, MOVES) for h in heard if h.words] == moves
    assert len(starts) == len(moves)


def test_very_soft_speech_is_understood(recogniser: Recogniser, spoken: Spoken) -> None:
    moves = MOVES[:4]
    stream = np.frombuffer(
        ROOM + b"".join(spoken(move) + ROOM + ROOM for move in moves), dtype="<i2"
    )
    softly = np.round(stream * 0.012).astype("<i2").tobytes()
    heard: list[Recognition] = []
    with Listener(recogniser, MemorySource(softly), heard.append, phrases=MOVES) as listener:
        assert listener.wait(PATIENCE_S)
    assert [taken(h, MOVES) for h in heard if h.words] == moves


def test_the_grammar_changes_between_utterances(recogniser: Recogniser, spoken: Spoken) -> None:
    source = QueueSource()
    listener, heard, errors, count = _listen(recogniser, source, MOVES)
    with listener:
        source.push(ROOM + spoken(MOVES[0]) + ROOM + ROOM)
        assert count.acquire(timeout=PATIENCE_S)
        listener.listen_for(["uhr", "wiederholen", "ja", "nein"])
        source.push(ROOM + spoken("wiederholen") + ROOM + ROOM)
        assert count.acquire(timeout=PATIENCE_S)
        with pytest.raises(VocabularyError):
            listener.listen_for(["zeppelin"])
    assert [h.words for h in heard] == [MOVES[0], "wiederholen"]
    assert errors == []


def test_what_arrives_while_muted_is_never_heard(recogniser: Recogniser, spoken: Spoken) -> None:
    source = QueueSource()
    listener, heard, _, count = _listen(recogniser, source, MOVES)
    with listener:
        listener.mute()
        source.push(spoken(MOVES[0]) + ROOM + ROOM)
        listener.unmute()
        source.push(ROOM + spoken(MOVES[1]) + ROOM + ROOM)
        assert count.acquire(timeout=PATIENCE_S)
    assert [h.words for h in heard] == [MOVES[1]]


def test_the_listener_does_not_hear_our_own_announcement(
    recogniser: Recogniser, synthesiser: Synthesiser, spoken: Spoken
) -> None:
    """Half duplex: the sound of the loudspeaker reaches the microphone."""
    source = QueueSource()
    listener, heard, _, count = _listen(recogniser, source, MOVES)
    leaked: list[str] = []

    def into_the_microphone(pcm: bytes, rate: int) -> None:
        leaked.append("yes")
        source.push(ROOM + spoken(MOVES[4]) + ROOM + ROOM)

    room = MemorySink(on_start=into_the_microphone)
    with listener, Speaker(synthesiser, room, room) as speaker:
        speaker.on_speaking(lambda now: listener.mute() if now else listener.unmute())
        speaker.say(MOVES[4], to=Output.PUBLIC)
        speaker.say(MOVES[4], to=Output.PUBLIC)
        assert speaker.wait(PATIENCE_S)
        source.push(ROOM + spoken(MOVES[0]) + ROOM + ROOM)
        assert count.acquire(timeout=PATIENCE_S)
    assert leaked == ["yes", "yes"]
    assert [h.words for h in heard] == [MOVES[0]]


def test_a_source_that_fails_is_told_in_a_sentence(recogniser: Recogniser) -> None:
    source = QueueSource()
    listener, heard, errors, _ = _listen(recogniser, source, MOVES)
    with listener:
        source.fail("The microphone is gone; plug it in again.")
        assert listener.wait(PATIENCE_S)
    assert errors == ["The microphone is gone; plug it in again."]
    assert heard == []


def _faint(sound: bytes, db: float) -> bytes:
    return (np.frombuffer(sound, "<i2") * 10 ** (db / 20)).astype("<i2").tobytes()


def _in_pieces(sound: bytes, pause_s: float) -> bytes:
    """Return sound with two pauses in it, where it is softest near one and two thirds."""
    samples = np.frombuffer(sound, "<i2")
    power = np.convolve(samples.astype(float) ** 2, np.ones(RATE // 20), "same")
    pieces = []
    begin = 0
    for third in (1, 2):
        near = range(len(samples) * (6 * third - 2) // 18, len(samples) * (6 * third + 2) // 18)
        cut = near[int(np.argmin(power[near.start : near.stop]))]
        pieces.append(samples[begin:cut].tobytes())
        begin = cut
    pieces.append(samples[begin:].tobytes())
    pause = (ROOM * 2)[: 2 * int(pause_s * RATE)]
    return pause.join(pieces)


@pytest.mark.parametrize("voice", ["de", "de+f2", "de+m3"])
def test_a_slow_speaker_is_heard_as_a_whole(
    recogniser: Recogniser, spoken: Spoken, voice: str
) -> None:
    heard: list[str] = []
    stream = ROOM + _in_pieces(spoken(MOVES[0], voice), 0.7) + ROOM + ROOM
    with Listener(
        recogniser, MemorySource(stream), lambda h: heard.append(h.words), phrases=MOVES
    ) as listener:
        assert listener.wait(PATIENCE_S)
    assert heard == [MOVES[0]]


def test_when_one_phrase_is_left_the_end_comes_early(
    recogniser: Recogniser, spoken: Spoken
) -> None:
    delays: list[float] = []  # in seconds of sound, for a busy machine works as long as it likes

    def on_recognition(recognition: Recognition) -> None:
        assert listener.segment is not None
        delays.append(listener.segment.decided - listener.segment.ended)

    def told(recognition: Recognition) -> float:
        asked.append(recognition.words)
        return 0.9

    asked: list[str] = []
    stream = ROOM + spoken(MOVES[0]) + ROOM + ROOM
    for silence in (None, told):
        listener = Listener(
            recogniser, MemorySource(stream), on_recognition, phrases=MOVES, silence=silence
        )
        with listener:
            assert listener.wait(PATIENCE_S)
    assert delays[0] < 0.6
    assert 0.9 <= delays[1] < 1.2
    assert asked[-1] == MOVES[0]


def test_with_push_to_talk_only_what_is_said_between_press_and_release_is_heard(
    recogniser: Recogniser, spoken: Spoken
) -> None:
    source = QueueSource()
    heard: list[str] = []
    starts: list[int] = []
    count = threading.Semaphore(0)

    def on_recognition(recognition: Recognition) -> None:
        heard.append(recognition.words)
        count.release()

    listener = Listener(
        recogniser,
        source,
        on_recognition,
        phrases=MOVES,
        listening=MicrophoneMode.PUSH_TO_TALK,
        on_speech_start=lambda: starts.append(1),
    )
    with listener:
        source.push(ROOM + spoken(MOVES[0]) + ROOM + ROOM)
        assert until(lambda: not source.waiting())
        assert not count.acquire(timeout=0.5)
        listener.press()
        assert starts == [1]
        source.push(_faint(spoken(MOVES[1]), -40) + ROOM)
        assert until(lambda: not source.waiting())
        listener.release()
        source.push(ROOM)
        assert count.acquire(timeout=PATIENCE_S)
        assert listener.toggle()
        source.push(ROOM + spoken(MOVES[2]) + ROOM + ROOM)
        assert count.acquire(timeout=PATIENCE_S)
        assert listener.toggle() and not listener.toggle()
    assert heard[:2] == [MOVES[1], MOVES[2]]


class _Unplugged(QueueSource):
    """A microphone that fails once and then gives other sound."""

    def __init__(self, after: bytes) -> None:
        super().__init__()
        self._after = after

    def reopen(self) -> bool:
        after, self._after = self._after, b""
        if after:
            self._closed, self._error = False, None
            self.push(after)
            self.close()
        return bool(after)


def test_a_microphone_that_comes_back_is_listened_to_again(
    recogniser: Recogniser, spoken: Spoken
) -> None:
    source = _Unplugged(ROOM + spoken(MOVES[1]) + ROOM + ROOM)
    told: list[str] = []
    listener = Listener(
        recogniser,
        source,
        lambda recognition: told.append(recognition.words),
        phrases=MOVES,
        on_error=told.append,
        on_back=lambda: told.append("back"),
    )
    half = spoken(MOVES[0])
    source.push(ROOM + half[: len(half) // 4 * 2])
    source.fail("gone")
    with listener:
        assert listener.wait(PATIENCE_S)
    # The first half does not join the words after it.
    assert told == ["gone", "back", MOVES[1]]


def test_a_callback_that_raises_does_not_end_the_listening(
    recogniser: Recogniser, spoken: Spoken
) -> None:
    heard: list[str] = []

    def on_recognition(recognition: Recognition) -> None:
        heard.append(recognition.words)
        raise RuntimeError("a bug of the table")

    stream = b"".join(spoken(move) + ROOM + ROOM for move in MOVES[:2])
    with Listener(recogniser, MemorySource(stream), on_recognition, phrases=MOVES) as listener:
        assert listener.wait(PATIENCE_S)
    assert [h for h in heard if h] == MOVES[:2]


def test_the_silence_after_an_utterance_is_not_decoded_and_a_pause_within_it_is(
    recogniser: Recogniser, spoken: Spoken
) -> None:
    """In a hall where people talk, the second that ends an utterance is full of their words."""
    said = spoken("springer gustav eins") + ROOM[: len(ROOM) * 3 // 4] + spoken("felix drei")
    sound = ROOM + said + 2 * ROOM
    told: list[tuple[Recognition, bytes, float]] = []

    def on_recognition(recognition: Recognition) -> None:
        assert listener.segment is not None
        told.append((recognition, listener.sound, listener.segment.ended))

    move = "springer gustav eins felix drei"
    phrases = [*MOVES, f"{move} remis"]  # the phrase may go on, so it takes a second
    listener = Listener(recogniser, MemorySource(sound), on_recognition, phrases=phrases)
    with listener:
        assert listener.wait(PATIENCE_S)
    ((recognition, heard, ended),) = told
    assert taken(recognition, phrases) == move
    assert heard in sound
    assert (sound.index(heard) + len(heard)) / 2 / RATE == pytest.approx(ended + TAIL_S, abs=0.05)
