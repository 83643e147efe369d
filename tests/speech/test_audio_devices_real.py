"""Real audio devices: a sound server whose microphone hears what its loudspeaker plays.

Each scenario runs in a process of its own (device_scenarios.py), because the sound library reads
its environment once, and because the tests look for crashes, too.
"""

import json
import subprocess
import sys
import tempfile
from typing import Any

import pytest

from blindplay.extras import install_command
from tests import ROOT
from tests.programs import is_there, lacks
from tests.speech.device_scenarios import SAID

pytestmark = [
    pytest.mark.realtime,
    pytest.mark.skipif(not is_there("PulseAudio"), reason=lacks("PulseAudio")),
]


def _run(scenario: str) -> dict[str, Any]:
    # Not pytest's folder: the path of a Unix socket has at most some 100 characters.
    with tempfile.TemporaryDirectory(prefix="sound-", ignore_cleanup_errors=True) as folder:
        ended = subprocess.run(
            [sys.executable, "-m", "tests.speech.device_scenarios", scenario, folder],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
    assert ended.returncode == 0, ended.stderr
    observed: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    print(scenario, observed)
    return observed


def test_an_announcement_played_by_a_real_output_is_understood_by_a_real_microphone() -> None:
    observed = _run("understood")
    assert observed["playback"] and observed["capture"]
    assert set(observed["outcomes"]) == {"Outcome.SPOKEN"}
    assert observed["heard"] == [[words] for words in SAID]
    assert observed["named"] == 16_000 * 40 // 1000 * 2  # one block of 40 ms


def test_a_stopped_output_is_silent_at_the_microphone_soon_after() -> None:
    observed = _run("stopped")
    assert observed["wholes"] == [False] * 5
    # The tone lasts 5 s. 50 ms is the requirement, which `make bench` measures.
    assert observed["return_max"] < 4
    assert observed["silence_max"] < 4
    assert observed["half_second_whole"]
    assert observed["half_second_took"] > 0.4


def test_half_duplex_hears_another_voice_but_never_our_own() -> None:
    observed = _run("half_duplex")
    assert observed["own"] == ["Outcome.SPOKEN"] * len(SAID)
    assert observed["own_heard"] == []
    assert observed["heard"] == [SAID[0]]


def test_unplugged_devices_are_reported_and_can_be_plugged_in_again() -> None:
    observed = _run("unplugged")
    assert observed["outcome"] == ["Outcome.FAILED"]
    assert "takes no sound; plug it in again." in observed["speaker_errors"][0]
    assert len(observed["listener_errors"]) == 1
    assert "plug it in again." in observed["listener_errors"][0]
    assert observed["while_gone"] == "Outcome.FAILED"
    assert observed["speaker_errors"][1].startswith("No audio output can be opened; plug in")
    assert observed["microphone_while_gone"].startswith("No microphone can be opened; plug one in")
    assert observed["back"]
    assert observed["again"] == "Outcome.SPOKEN"
    assert observed["heard_again"] == [SAID[0]]


def test_an_unplugged_stereo_headset_is_heard_again_when_it_is_back() -> None:
    observed = _run("replugged")
    assert observed["stereo"] == [SAID[0]]
    assert len(observed["errors"]) == 1 and "plug it in again." in observed["errors"][0]
    assert observed["back_while_gone"] == 0
    assert observed["back"]
    for name in ("again", "default", "other"):
        assert observed[name] == [SAID[0]]


def test_a_distant_player_is_heard_in_a_real_earphone_from_a_real_microphone() -> None:
    pytest.importorskip("av", reason=f"av is not installed; run: {install_command('voices')}")
    pitches = _run("talked")["pitches"]
    assert sum(abs(one - 440) < 30 for one in pitches) >= 10  # 440 Hz, in steps of 25


def test_sound_that_a_real_microphone_gives_late_is_not_counted_as_lost() -> None:
    observed = _run("late")
    assert abs(observed["told"] - observed["lost"]) < 0.7 + observed["stalled"]
