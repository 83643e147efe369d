"""Voices between two tables: real Opus, consent, and nothing kept."""

from __future__ import annotations

import base64
import itertools
import random
from pathlib import Path

import numpy as np
import pytest

from blindplay.extras import install_command
from blindplay.laws import facts as f
from blindplay.opponents.distant.voices import MARK, MOST_BYTES, MOST_PER_S, WINDOW, Voices
from blindplay.speech.audio import BLOCK_BYTES, RATE
from blindplay.speech.opus import HEARD_RATE

from .two_tables import Somebody, World, equal, moves_of, run

pytest.importorskip("av", reason=f"av is not installed; run: {install_command('voices')}")

TONE = (8000 * np.sin(np.arange(RATE) * 2 * np.pi * 440 / RATE)).astype("<i2").tobytes()
"""One second of 440 Hz."""
BLOCKS = [TONE[at : at + BLOCK_BYTES] for at in range(0, len(TONE), BLOCK_BYTES)]


def pitch(pcm: bytes) -> float:
    """The strongest frequency in what an earphone plays, in Hz."""
    power = np.abs(np.fft.rfft(np.frombuffer(pcm, "<i2")))
    return float(np.argmax(power)) * HEARD_RATE / (len(pcm) // 2)


def two_tables(world: World, folder: Path, *, black_wants: bool = True) -> list[Somebody]:
    moves = moves_of(20, 3)
    people = [
        Somebody(world, folder, side, moves, thinks_s=lambda: 1.0, voices=wants)
        for side, wants in (("white", True), ("black", black_wants))
    ]
    run(world, people, lambda: all(one.player._connected for one in people), 60)
    run(world, people, lambda: all(one.table.game.started for one in people), 60)
    return people


def heard(world: World, speaker: Somebody, listener: Somebody) -> bytes:
    """What reaches the earphone of ``listener`` while ``speaker`` talks for a second."""
    pcm = b""
    assert speaker.player.voices is not None
    for block in [*BLOCKS, *[b""] * 10]:
        speaker.player.voices.hear(block)
        world.pass_to(world.time + 0.04)
        if listener.player.voices is not None:
            pcm += listener.player.voices.give(HEARD_RATE * 40 // 1000)
    return pcm


def test_a_voice_is_heard_at_the_other_table_until_it_is_switched_off_and_after_it_is_on_again(
    tmp_path: Path,
) -> None:
    world = World(1)
    white, black = people = two_tables(world, tmp_path)
    assert all(one.told.count("distant_voices") == 1 for one in people)
    for one, other in itertools.permutations(people):
        pcm = heard(world, one, other)
        assert len(pcm) > HEARD_RATE and abs(pitch(pcm) - 440) < 10
    assert white.player.voices is not None
    assert white.player.voices.switch() == "distant_voice_own_off"
    run(world, people, lambda: "distant_voice_off" in black.told, 5)
    assert heard(world, white, black) == b"" and heard(world, black, white)
    white.player.voices.switch()
    run(world, people, lambda: "distant_voice_on" in black.told, 5)
    assert heard(world, white, black)
    sizes = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert heard(world, white, black)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) == sizes  # nothing is kept
    white.table.submit(f.Resign(by="white"))
    run(world, people, lambda: all("distant_voices_end" in one.told for one in people), 10)
    assert heard(world, white, black) == b"" and white.player.voices.switch() is None


def test_nobody_is_heard_unless_both_want_it(tmp_path: Path) -> None:
    world = World(1)
    white, black = two_tables(world, tmp_path, black_wants=False)
    assert "distant_voices_unwanted" in white.told and "distant_voices" not in white.told
    assert not any("voice" in one for one in black.told) and black.player.voices is None
    posted: list[bytes] = []
    white.line.send_voice = posted.append  # type: ignore[method-assign,assignment]
    heard(world, white, black)
    assert white.player.voices is not None and not white.player.voices.carried and not posted


def test_facts_of_players_who_talk_come_over_a_lossy_line_as_those_of_silent_ones(
    tmp_path: Path,
) -> None:
    world = World(2)
    world.lost, world.doubled = 0.05, 0.05
    people = two_tables(world, tmp_path)
    while not all(len(one.table.game.history) == 20 for one in people):
        before = world.time
        heard(world, people[0], people[1])
        run(world, people, lambda before=before: world.time > before + 1.5, 10)  # type: ignore[misc]
        assert world.time < 1300
    run(world, people, lambda: all(one.player._log.settled for one in people), 60)
    assert equal(people)
    assert abs(pitch(heard(world, people[0], people[1])) - 440) < 10


def test_few_packets_are_on_their_way_to_a_table_that_does_not_answer() -> None:
    sent: list[bytes] = []
    now = [0.0]
    voices = Voices(sent.append, lambda: now[0])
    voices.carried = True
    for block in BLOCKS * 4:
        voices.hear(block)
    assert len(sent) == WINDOW
    now[0] = 3.0  # those are lost
    voices.hear(BLOCKS[0])
    assert len(sent) == WINDOW + 1


def test_no_message_of_a_stranger_stops_a_voice_or_fills_the_memory() -> None:
    chance = random.Random(5)
    now = [0.0]
    packets: list[bytes] = []
    speaker = Voices(packets.append, lambda: now[0])
    listener = Voices(lambda message: None, lambda: now[0])
    speaker.carried = listener.carried = True
    for number in range(1, 400):
        now[0] += 0.04
        head = number.to_bytes(4) + bytes(4)
        junk = chance.choice((head, b"", b"\xff")) + chance.randbytes(
            chance.choice((0, 3, 90, 900))
        )
        listener.on_message(MARK + chance.choice((base64.b64encode(junk), junk)))
        assert len(listener.give(10**6)) <= HEARD_RATE
    listener.begin()
    now[0] += 2
    for block in BLOCKS:
        now[0] += 0.04
        speaker.hear(block)
        speaker._answered = speaker._sent
    for packet in packets:
        now[0] += 0.04
        listener.on_message(packet)
    pcm = listener.give(10**6)
    assert len(pcm) == HEARD_RATE and abs(pitch(pcm) - 440) < 10  # the last half second
    too_large = 10**6
    listener.on_message(MARK + base64.b64encode(too_large.to_bytes(4) + bytes(4 + MOST_BYTES + 1)))
    for number in range(too_large, too_large + 10 * MOST_PER_S):
        listener.on_message(MARK + base64.b64encode(number.to_bytes(4) + bytes(4) + b"\x08"))
    assert listener._received <= too_large + MOST_PER_S


def test_a_voice_is_soft_while_the_table_speaks() -> None:
    packets: list[bytes] = []
    now = [0.0]
    listener = Voices(lambda message: None, lambda: now[0])
    speaker = Voices(packets.append, lambda: now[0])
    speaker.carried = listener.carried = True
    for block in BLOCKS[:WINDOW]:
        speaker.hear(block)
    for packet in packets[:4]:
        listener.on_message(packet)
    listener.give_way(True)
    soft = np.frombuffer(listener.give(4000), "<i2")
    listener.give_way(False)
    for packet in packets[4:8]:
        listener.on_message(packet)
    loud = np.frombuffer(listener.give(4000), "<i2")
    assert 0 < np.abs(soft).max() < np.abs(loud).max() / 2
