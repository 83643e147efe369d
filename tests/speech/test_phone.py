"""The sound of a phone: packets that are lost, late, doubled, out of order, or none at all."""

from __future__ import annotations

import io
import random
import struct

import numpy as np
import pytest

from blindplay.speech.audio import BLOCK_BYTES, RATE, AudioError
from blindplay.speech.phone import (
    ADPCM,
    ADPCM_BYTES,
    PACKET_BYTES,
    PacketOrder,
    PhoneClock,
    PhoneSource,
    SoundPacket,
)

SILENCE = bytes(BLOCK_BYTES)


def packet(number: int, at: int | None = None) -> SoundPacket:
    """A packet whose sound tells its number."""
    at = 40 * number if at is None else at
    return SoundPacket(number, at % 2**32, number.to_bytes(2, "little") * (BLOCK_BYTES // 2))


def taken(source: PhoneSource, *numbers: int) -> list[int]:
    """The numbers of the packets that a source gives of these; 0 is silence in place of one."""
    with source:
        for number in numbers:
            assert source.take(bytes(packet(number)))
        source.close()
        return [int.from_bytes(block[:2], "little") for block in source]


def test_packets_in_order_are_given_at_once() -> None:
    order = PacketOrder()
    for number in range(7, 20):
        assert list(order.take(packet(number))) == [(0.0, packet(number))]
    assert (order.lost, order.useless) == (0, 0)


def test_packets_out_of_order_late_and_doubled_come_once_and_in_order() -> None:
    assert taken(PhoneSource(), 1, 3, 2, 2, 1, 5, 4, 4, 6) == [1, 2, 3, 4, 5, 6]


def test_a_hole_of_a_packet_or_two_is_filled_so_that_times_stay_right() -> None:
    source = PhoneSource()
    assert taken(source, 1, 2, 4, 5, 6, 7, 8, 9) == [1, 2, 0, 4, 5, 6, 7, 8, 9]
    assert source.lost_s == 0


def test_a_greater_hole_counts_as_lost_sound() -> None:
    source = PhoneSource()
    assert taken(source, 1, 2, *range(10, 17)) == [1, 2, *range(10, 17)]
    assert source.lost_s == pytest.approx(7 * 0.04)


def test_a_packet_after_its_hole_was_given_up_is_dropped() -> None:
    source = PhoneSource()
    assert taken(source, 1, *range(3, 10), 2, 10) == [1, 0, *range(3, 11)]


def test_a_phone_that_slept_has_lost_that_time_although_no_number_is_missing() -> None:
    order = PacketOrder()
    list(order.take(packet(1, 1000)))
    assert list(order.take(packet(2, 1040))) == [(0.0, packet(2, 1040))]
    assert list(order.take(packet(3, 4080))) == [(3.0, packet(3, 4080))]
    # Its clock was set back, or its 32 bits are full: no sound is missing.
    assert next(order.take(packet(4, 100)))[0] == 0
    list(order.take(packet(5, 2**32 - 20)))
    assert next(order.take(packet(6, 2**32 + 20)))[0] == 0


@pytest.mark.parametrize("share", [0.02, 0.1])
def test_on_a_bad_line_no_sound_is_invented_or_doubled_and_what_is_missing_is_known(
    share: float,
) -> None:
    chance = random.Random(7)
    sent = list(range(1, 2001))
    sent = [one for one in sent if chance.random() >= share]
    sent += chance.sample(sent, int(share * len(sent)))
    late = [one + 4 * (chance.random() < share) * chance.random() for one in sent]
    numbers = [number for _, number in sorted(zip(late, sent, strict=True))]
    source = PhoneSource()
    source._blocks = type(source._blocks)()  # the test iterates later than a listener
    given = taken(source, *numbers)
    heard = [number for number in given if number]
    assert heard == sorted(set(heard))
    missing = given.count(0) + round(source.lost_s / 0.04)
    assert missing == (heard[-1] - heard[0] + 1) - len(heard)


def test_a_new_stream_begins_with_any_number() -> None:
    source = PhoneSource()
    source.take(bytes(packet(500)))
    source.begin()
    assert taken(source, 1, 2) == [500, 1, 2]


ADPCM_PACKET = struct.pack(">BII", ADPCM, 7, 9) + bytes(ADPCM_BYTES)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"x", bytes(PACKET_BYTES - 1), bytes(PACKET_BYTES + 1), b"\x07" * PACKET_BYTES,
        ADPCM_PACKET[:-1], ADPCM_PACKET + b"x", bytes(len(ADPCM_PACKET)),
        ADPCM_PACKET[:11] + b"\x59" + ADPCM_PACKET[12:],  # a step that there is not
        b"\x01" + bytes(PACKET_BYTES - 1),
    ],
)  # fmt: skip
def test_what_is_no_packet_is_refused(data: bytes) -> None:
    assert not PhoneSource().take(data)


def test_packed_sound_is_that_of_the_library_that_packs_it() -> None:
    """Its blocks are a little longer than ours: a byte of 505 samples more."""
    import soundfile

    samples = (8000 * np.sin(np.arange(505) / 9)).astype("<i2")
    written = io.BytesIO()
    soundfile.write(written, samples, RATE, format="WAV", subtype="IMA_ADPCM")
    whole = written.getvalue()
    block = whole[whole.index(b"data") + 8 :][: 4 + 252]
    read = SoundPacket.read(struct.pack(">BII", ADPCM, 3, 120) + block.ljust(ADPCM_BYTES, b"\0"))
    assert read is not None and (read.number, read.at, len(read.pcm)) == (3, 120, BLOCK_BYTES)
    found = np.frombuffer(read.pcm, "<i2")[:505].astype(int)
    written.seek(0)
    assert np.array_equal(found, soundfile.read(written, dtype="int16")[0][:505])
    assert np.abs(found[50:] - samples[50:]).max() < 800


def test_a_source_that_nobody_iterates_keeps_its_last_ten_seconds() -> None:
    source = PhoneSource()
    for number in range(1000):
        source.take(bytes(packet(number)))
    assert len(source._blocks) == 250
    assert source.lost_s == pytest.approx(750 * 0.04)


def test_a_phone_that_is_away_is_an_error_and_is_heard_again_when_it_is_back() -> None:
    source = PhoneSource()
    source.lose("The phone is away.")
    with pytest.raises(AudioError, match="away"):
        next(iter(source))
    source.take(bytes(packet(3)))  # what came while nobody listened is forgotten
    source.close()
    assert not source.reopen()


def test_a_phone_that_is_back_is_listened_to_again() -> None:
    source = PhoneSource()
    source.lose("The phone is away.")
    with pytest.raises(AudioError):
        next(iter(source))
    import threading

    threading.Timer(0.01, lambda: [source.take(bytes(packet(n))) for n in range(5)]).start()
    assert source.reopen()
    assert next(iter(source)) == packet(0).pcm


# --- the time of a phone ------------------------------------------------------------------------


def test_a_press_counts_with_the_time_at_which_the_finger_pressed() -> None:
    clock = PhoneClock()
    clock.answered(10.0, 10.2, 5100)  # 100 ms there and back each: it was 10.1 here
    assert clock.ago(5600, 10.75) == pytest.approx(0.15)


def test_the_shortest_round_trip_tells_the_time_best() -> None:
    clock = PhoneClock()
    clock.answered(10.0, 12.0, 5100)  # the answer was held up: 11.0 here would be wrong
    clock.answered(13.0, 13.02, 8010)
    assert clock.ago(8500, 13.6) == pytest.approx(0.1)
    assert clock.lag_s == 1.0


def test_nobody_gains_time_whose_line_works() -> None:
    clock = PhoneClock()
    clock.answered(10.0, 10.0, 0)
    clock.heard(4000)
    assert clock.ago(1000, 14.0) == pytest.approx(0.1)  # it says that it was three seconds before
    clock.heard(2000)  # doubled on the line
    assert clock.ago(1000, 14.0) == pytest.approx(0.1)
    assert clock.ago(9000, 14.0) == 0.0  # and not later than now


def test_nobody_gains_time_by_telling_a_wrong_time() -> None:
    clock = PhoneClock()
    clock.answered(10.0, 10.0, 0)
    clock.answered(14.0, 14.2, 0)  # its time stands still, it says
    assert clock.ago(0, 14.5) == pytest.approx(0.6)


def test_the_time_of_a_phone_that_is_not_known_yet_corrects_nothing() -> None:
    clock = PhoneClock()
    clock.heard(500)
    assert clock.ago(100, 3.0) == 0.0


def test_the_time_of_a_phone_goes_on_after_its_32_bits_are_full() -> None:
    clock = PhoneClock()
    clock.answered(10.0, 10.0, 2**32 - 100)
    clock.heard(150)
    assert clock.ago(200, 10.5) == pytest.approx(0.2)


def test_the_third_hole_within_three_seconds_is_not_filled() -> None:
    source = PhoneSource()
    taken(source, *(number for number in range(1, 80) if number not in (10, 20, 30)))
    assert source.lost_s == pytest.approx(0.04)
    source = PhoneSource()
    taken(source, *(number for number in range(1, 180) if number not in (10, 20, 100, 110)))
    assert source.lost_s == 0
