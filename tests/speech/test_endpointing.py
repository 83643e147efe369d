"""Endpointing: sound is cut into utterances, block by block and without threads."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.speech.audio import BLOCK_BYTES, BLOCK_MS, RATE, level
from blindplay.speech.endpointing import (
    LATCH_S,
    LIMIT_S,
    PREROLL_S,
    TALK_TAIL_S,
    UNDECIDED_S,
    Endpointer,
    EndpointEvent,
    MicrophoneMode,
    Segment,
    Silero,
    SpeechContinues,
    SpeechDropped,
    SpeechEnded,
    SpeechStarted,
)

Spoken = Callable[..., bytes]
BLOCK_S = BLOCK_MS / 1000


class Scripted:
    """Takes a block for a voice if its samples are large."""

    def likelihood(self, pcm: bytes) -> float:
        return 1.0 if max(pcm) > 9 else 0.0

    def reset(self) -> None:
        pass


def block(number: int, voiced: bool) -> bytes:
    """Return a block that differs from others: loud if ``voiced``, else nearly silent."""
    high = 40 if voiced else 0
    return bytes((number % 9 + 1 if at == 0 else 0, high)[at % 2] for at in range(BLOCK_BYTES))


def step(endpointer: Endpointer, sound: bytes, silence: float = UNDECIDED_S) -> list[EndpointEvent]:
    """Feed a block, and end the utterance if ``silence`` seconds have passed."""
    events = endpointer.feed(sound)
    if endpointer.silent_s >= max(silence, BLOCK_S) - 1e-6:
        events += endpointer.end()
    return events


def feed(endpointer: Endpointer, script: str, silence: float = UNDECIDED_S) -> list[EndpointEvent]:
    """Feed a block for each character: ``x`` is a voice, anything else is none."""
    return [
        e for n, sign in enumerate(script) for e in step(endpointer, block(n, sign == "x"), silence)
    ]


def cuts(events: list[EndpointEvent]) -> list[Segment]:
    return [event.segment for event in events if isinstance(event, SpeechEnded)]


def blocks(seconds: float) -> int:
    return round(seconds / BLOCK_S)


def test_an_utterance_begins_a_little_before_its_first_voice_and_ends_with_a_pause() -> None:
    events = feed(Endpointer(Scripted()), "-" * 50 + "x" * 20 + "-" * 40)
    (cut,) = cuts(events)
    assert (cut.began, cut.ended) == pytest.approx((2.0, 2.8))
    assert cut.decided == pytest.approx(2.8 + UNDECIDED_S)
    (begun,) = [event for event in events if isinstance(event, SpeechStarted)]
    assert len(begun.sound) == blocks(PREROLL_S) * BLOCK_BYTES


def test_a_slow_speaker_is_not_cut_off_in_his_pauses() -> None:
    pause = "-" * blocks(0.7)
    events = feed(Endpointer(Scripted()), "-" * 20 + pause.join(["x" * 15] * 3) + "-" * 40)
    assert len(cuts(events)) == 1


@pytest.mark.parametrize("silence", [0.04, 0.2, 0.6, 1.2])
def test_the_owner_decides_how_long_a_pause_ends_an_utterance(silence: float) -> None:
    (cut,) = cuts(feed(Endpointer(Scripted()), "-" * 20 + "x" * 15 + "-" * 60, silence))
    assert cut.decided - cut.ended == pytest.approx(silence)


@pytest.mark.parametrize(
    ("voice_before", "level", "overheard"),
    [(1.0, 1700, True), (0.0, 1700, False), (1.0, 4000, False)],
)
def test_a_voice_as_loud_directly_before_an_utterance_is_overheard(
    voice_before: float, level: int, overheard: bool
) -> None:
    """Of talk that is nearly the room itself, only the loudest part is an utterance."""
    script = [(1000, 0.0)] * 150 + [(1300, voice_before)] * 25 + [(level, 1.0)] * 15
    script += [(1000, 0.0)] * 40
    endpointer, events = Endpointer(Scripted()), list[EndpointEvent]()
    for loud, likely in script:
        sound = np.resize(np.array([loud, -loud], "<i2"), BLOCK_BYTES // 2).tobytes()
        events += endpointer.take(sound, likely)
        if endpointer.silent_s >= UNDECIDED_S:
            events += endpointer.end()
    (cut,) = cuts(events)
    assert cut.began == pytest.approx(7.0, abs=0.3)
    assert cut.overheard is overheard


@pytest.mark.parametrize("pressed", [False, True])
def test_many_words_in_a_moment_of_voice_are_a_piece_of_other_talk_unless_a_button_is_down(
    pressed: bool,
) -> None:
    endpointer = Endpointer(Scripted())
    events = feed(endpointer, "-" * 20)
    if pressed:
        endpointer.press(latched=True)
    (cut,) = cuts(events + feed(endpointer, "x" * 6 + "-" * 60))
    assert cut.ended - cut.began == pytest.approx(0.24)
    assert cut.is_piece_of_talk("springer eva zwei") is not pressed
    assert not cut.is_piece_of_talk("ja") and not cut.is_piece_of_talk("")
    # The next one begins without a button.
    (cut,) = cuts(feed(endpointer, "x" * 6 + "-" * 60))
    assert cut.is_piece_of_talk("springer eva zwei")


def test_a_knock_is_no_voice() -> None:
    assert feed(Endpointer(Scripted()), "-" * 20 + ("x" + "-" * 9) * 5) == []


def test_speech_at_the_very_beginning_is_an_utterance() -> None:
    assert len(cuts(feed(Endpointer(Scripted()), "x" * 40 + "-" * 40))) == 1


def test_a_second_of_the_hall_is_enough_to_tell_a_nearer_voice_from_its_talk() -> None:
    """After each announcement the table hears little of the room before the answer."""

    class Credulous(Scripted):
        def likelihood(self, pcm: bytes) -> float:
            return float(spoken)

    endpointer = Endpointer(Credulous())
    events: list[EndpointEvent] = []
    noise = np.random.default_rng(3).normal(0, 1, 4 * RATE)
    for at in range(0, len(noise) - BLOCK_BYTES // 2, BLOCK_BYTES // 2):
        seconds = at / RATE
        spoken = seconds >= 1.2  # from then on even the hall's talk is taken for a voice
        loudness = 5000 if 1.2 <= seconds < 2.2 else 500
        sound = (noise[at : at + BLOCK_BYTES // 2] * loudness).astype("<i2").tobytes()
        events += step(endpointer, sound)
    (cut,) = cuts(events)
    assert cut.began == pytest.approx(1.2, abs=2 * BLOCK_S)
    assert cut.ended == pytest.approx(2.2, abs=0.35)


def test_an_utterance_has_a_longest_duration() -> None:
    talk = ("x" * 10 + "-" * 10) * blocks(LIMIT_S / 10)
    (first, *_) = cuts(feed(Endpointer(Scripted()), talk))
    assert first.decided - first.began == pytest.approx(LIMIT_S, abs=0.5)


def test_a_voice_that_never_pauses_counts_as_the_room_and_ends() -> None:
    assert len(cuts(feed(Endpointer(Scripted()), "-" * 50 + "x" * blocks(LIMIT_S)))) == 1


def test_everything_between_press_and_release_is_one_utterance_however_quiet() -> None:
    endpointer = Endpointer(Scripted(), MicrophoneMode.PUSH_TO_TALK)
    assert feed(endpointer, "-" * 20 + "x" * 20 + "-" * 40) == []
    endpointer.press()
    events = feed(endpointer, "-" * 100)
    endpointer.release()
    events += feed(endpointer, "-" * 20)
    (cut,) = cuts(events)
    told = b"".join(e.sound for e in events if isinstance(e, SpeechStarted | SpeechContinues))
    assert len(told) / 2 / RATE == pytest.approx(
        PREROLL_S - BLOCK_S + 4.0 + TALK_TAIL_S, abs=BLOCK_S
    )
    assert cut.ended == cut.decided
    assert feed(endpointer, "x" * 40) == []


def test_a_latched_button_comes_up_after_an_utterance_or_after_long_silence() -> None:
    endpointer = Endpointer(Scripted(), MicrophoneMode.PUSH_TO_TALK)
    endpointer.press(latched=True)
    events = feed(endpointer, "-" * 50 + "x" * 20 + "-" * 50)
    assert [cut.decided - cut.ended for cut in cuts(events)] == [pytest.approx(UNDECIDED_S)]
    assert not endpointer.held
    endpointer.press(latched=True)
    events = feed(endpointer, "-" * blocks(LATCH_S + 1))
    assert len(cuts(events)) == 1 and not endpointer.held


def test_a_press_during_speech_does_not_cut_the_word() -> None:
    endpointer = Endpointer(Scripted())
    events = feed(endpointer, "-" * 20 + "x" * 10)
    endpointer.press()
    events += feed(endpointer, "x" * 10 + "-" * 60)
    assert cuts(events) == []
    endpointer.release()
    assert len([e for e in events if isinstance(e, SpeechStarted)]) == 1
    assert len(cuts(feed(endpointer, "-" * 20))) == 1


def test_an_utterance_under_way_is_dropped_when_we_begin_to_speak() -> None:
    endpointer = Endpointer(Scripted())
    feed(endpointer, "-" * 20 + "x" * 10)
    endpointer.mute()
    assert feed(endpointer, "x" * 10) == [SpeechDropped()]
    endpointer.unmute()
    events = feed(endpointer, "-" * 20 + "x" * 20 + "-" * 40)
    assert len(cuts(events)) == 1


def test_mutes_nest_and_the_rooms_echo_is_left_out() -> None:
    endpointer = Endpointer(Scripted())
    endpointer.mute()
    endpointer.mute()
    assert not endpointer.unmute(1.0)
    assert feed(endpointer, "x" * 20) == []
    assert endpointer.unmute(0.4)
    assert not endpointer.unmute()
    assert feed(endpointer, "x" * 10 + "-" * 40) == []  # ten blocks are the tail
    assert len(cuts(feed(endpointer, "x" * 10 + "-" * 40))) == 1


def test_a_button_held_while_we_speak_is_heard_as_soon_as_we_are_silent() -> None:
    endpointer = Endpointer(Scripted(), MicrophoneMode.PUSH_TO_TALK)
    endpointer.mute()
    endpointer.press()
    assert feed(endpointer, "x" * 10) == []
    endpointer.unmute(0.08)
    assert [type(event) for event in feed(endpointer, "xxx")] == [SpeechStarted]


ACTION = st.one_of(
    st.tuples(st.just("feed"), st.integers(1, 40), st.booleans()),
    st.tuples(st.just("mute"), st.just(0), st.booleans()),
    st.tuples(st.just("unmute"), st.integers(0, 20), st.booleans()),
    st.tuples(st.just("press"), st.just(0), st.booleans()),
    st.tuples(st.just("release"), st.just(0), st.booleans()),
    st.tuples(st.just("gap"), st.just(0), st.booleans()),
)


@given(st.lists(ACTION, max_size=40), st.sampled_from(MicrophoneMode), st.floats(0, 1.5))
def test_whatever_happens_utterances_are_whole_in_order_and_never_of_our_own_sound(
    actions: list[tuple[str, int, bool]], listening: MicrophoneMode, silence: float
) -> None:
    endpointer = Endpointer(Scripted(), listening)
    mutes, tail, now, pressed = 0, 0, 0.0, False
    heard: list[bytes] = []  # since the last gap or mute: all that may be told
    told = b""
    under_way = False
    for what, number, flag in actions:
        if what == "mute":
            endpointer.mute()
            mutes += 1
        elif what == "unmute":
            last = endpointer.unmute(number * BLOCK_S)
            assert last == (mutes == 1)
            mutes = max(0, mutes - 1)
            tail = number if last else tail
        elif what == "press":
            endpointer.press(latched=flag)
            pressed = True
        elif what == "release":
            endpointer.release()
        elif what == "gap":
            endpointer.interrupt()
        for n in range(number if what == "feed" else 0):
            sound = block(n, flag)
            now += BLOCK_S
            events = step(endpointer, sound, silence)
            if mutes:
                assert events in ([], [SpeechDropped()])
            if mutes or any(isinstance(event, SpeechDropped) for event in events):
                heard = []
            if not mutes and tail:
                tail -= 1
                assert not any(
                    isinstance(event, SpeechStarted | SpeechContinues) for event in events
                )
            elif not mutes:
                heard.append(sound)
            for event in events:
                if isinstance(event, SpeechStarted):
                    assert not under_way
                    assert listening is MicrophoneMode.OPEN or pressed
                    under_way, told = True, event.sound
                elif isinstance(event, SpeechContinues):
                    assert under_way
                    told += event.sound
                else:
                    assert under_way
                    under_way = False
                    if isinstance(event, SpeechEnded):
                        cut = event.segment
                        assert 0 <= cut.began <= cut.ended <= cut.decided == pytest.approx(now)
                        assert len(told) / 2 / RATE <= LIMIT_S + PREROLL_S + BLOCK_S
                if isinstance(event, SpeechStarted | SpeechContinues):
                    assert b"".join(heard).endswith(told)
            assert endpointer.speaking == under_way
    assert len(endpointer.end()) <= under_way


def test_speech_that_begins_when_an_utterance_ends_is_heard_from_its_beginning() -> None:
    script = "-" * 20 + "x" * 10 + "-" * blocks(UNDECIDED_S) + "x" * 20 + "-" * 30
    first, second = [
        e for e in feed(Endpointer(Scripted()), script) if isinstance(e, SpeechStarted)
    ]
    assert len(first.sound) == len(second.sound) == blocks(PREROLL_S) * BLOCK_BYTES


def _room(seconds: float, seed: int, amplitude: float) -> Any:
    noise = np.random.default_rng(seed).normal(0, 1, int(seconds * RATE))
    return noise * amplitude


def _cut(sound: Any) -> list[Segment]:
    pcm = np.clip(sound, -32767, 32767).astype("<i2").tobytes()
    endpointer = Endpointer(Silero())
    events: list[EndpointEvent] = []
    for at in range(0, len(pcm), BLOCK_BYTES):
        events += step(endpointer, pcm[at : at + BLOCK_BYTES])
    return cuts(events + endpointer.end())


@pytest.fixture(scope="module")
def voices(spoken: Spoken) -> list[Any]:
    moves = ["springer gustav eins felix drei", "bauer eva zwei eva vier", "dame david eins"]
    return [
        np.frombuffer(spoken(move, voice), "<i2").astype(float)
        for move in moves
        for voice in ("de", "de+f2", "de+m3")
    ]


def _stream(voices: list[Any], gap: float) -> tuple[Any, list[float]]:
    """Return the voices one after the other, equally loud, and the end of each."""
    parts, ends, length = [np.zeros(int(gap * RATE))], [], int(gap * RATE)
    for voice in voices:
        last = int(np.flatnonzero(np.abs(voice) > np.abs(voice).max() / 30)[-1])
        parts += [voice * 2500 / voice.std(), np.zeros(int(gap * RATE))]
        ends.append((length + last) / RATE)
        length += len(voice) + int(gap * RATE)
    return np.concatenate(parts), ends


@pytest.mark.parametrize("noise_db", [-40, -10])
def test_real_voices_are_cut_where_they_end_in_a_quiet_room_and_in_noise(
    voices: list[Any], noise_db: int
) -> None:
    sound, ends = _stream(voices, 2.5)
    found = _cut(sound + _room(len(sound) / RATE, 1, 2500 * 10 ** (noise_db / 20)))
    assert [cut.ended for cut in found] == pytest.approx(ends, abs=0.35)


def test_in_a_hall_full_of_talk_the_nearest_voice_is_cut_out(voices: list[Any]) -> None:
    sound, ends = _stream(voices, 2.5)
    others = np.random.default_rng(2)
    babble = np.zeros(len(sound))
    for _ in range(8):
        talk = np.concatenate([voices[at] for at in others.integers(0, len(voices), 60)])
        start = int(others.integers(0, RATE))
        babble += talk[start : start + len(sound)]
    found = _cut(sound + babble * 2500 / babble.std() / 10 ** (10 / 20))
    # In the first seconds the hall is unknown, and talk may sometimes seem near.
    late = [min(abs(cut.ended - end) for cut in found) for end in ends]
    assert sorted(late)[-2] < 0.35
    assert len(found) <= len(ends) + 2


def test_hum_knocks_and_silence_are_no_voice() -> None:
    t = np.arange(20 * RATE) / RATE
    hum = sum(3000 / n * np.sin(2 * np.pi * 50 * n * t + n) for n in (1, 2, 3, 4, 6))
    knocks = np.zeros(len(t))
    knocks[:: RATE // 2] = 30000
    assert _cut(hum) == _cut(knocks) == _cut(np.zeros(len(t))) == []


def test_a_button_that_comes_up_between_two_utterances_cuts_nothing() -> None:
    endpointer = Endpointer(Scripted())
    endpointer.press()
    endpointer.release()
    assert len(cuts(feed(endpointer, "-" * 20 + "x" * 30 + "-" * 60))) == 1
    (cut,) = cuts(feed(endpointer, "x" * 30 + "-" * 60))
    assert cut.ended - cut.began == pytest.approx(30 * BLOCK_S, abs=2 * BLOCK_S)


def test_an_utterance_knows_when_a_voice_was_heard_before_it_and_how_loud_it_is() -> None:
    endpointer = Endpointer(Scripted())
    first, second = cuts(feed(endpointer, "-" * 50 + "x" * 20 + "-" * 50 + "x" * 20 + "-" * 40))
    assert first.others_until == 0.0  # nobody knows more
    assert second.others_until == pytest.approx(first.ended)
    assert second.level == pytest.approx(level(block(1, True)), abs=1.5)
    assert endpointer.voice_until == pytest.approx(second.ended)
