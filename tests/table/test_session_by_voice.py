"""A whole game through real audio devices, in a hall that is not quiet.

Each scenario runs in a process of its own (game_by_voice.py, where they are told). The facts of its
journal are the game; everything else that sounded in the air must have left no trace there.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from itertools import pairwise
from typing import Any

import chess
import pytest

from tests import ROOT
from tests.conversation.conversing import GERMAN
from tests.programs import is_there, lacks
from tests.table.game_by_voice import FOOLS_MATE, SCHOLARS_MATE

pytestmark = [
    pytest.mark.realtime,
    pytest.mark.skipif(not is_there("PulseAudio"), reason=lacks("PulseAudio")),
]
# What is a fact without anybody's saying or doing anything.
SETTING = frozenset(("setup", "start", "tick", "record"))


def play(scenario: str) -> dict[str, Any]:
    # Not pytest's folder: the path of a Unix socket has room for some 100 characters only.
    with tempfile.TemporaryDirectory(prefix="game-", ignore_cleanup_errors=True) as folder:
        ended = subprocess.run(
            [sys.executable, "-m", "tests.table.game_by_voice", scenario, folder],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=1500,
            check=False,
        )
    print(ended.stderr)
    assert ended.returncode == 0, ended.stderr
    observed: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return observed


def done(observed: dict[str, Any]) -> list[str]:
    """What people said and did, and was not refused: "announce white f2f3". An announcement
    without a move is one that was begun, and not understood or not legal."""
    told = []
    for fact in observed["facts"]:
        about = fact.get("move", fact.get("about", ""))
        if fact["fact"] not in SETTING and (about or fact["fact"] != "announce"):
            told.append(f"{fact['fact']} {fact['by']} {about}".strip())
    return told


def executed(uci: str, side: str, *, mate: bool = False) -> list[str]:
    other = "black" if side == "white" else "white"
    made = [f"make {side} {uci}"]
    return made if mate else [*made, f"make {other} {uci}", f"press {side}"]


def said(observed: dict[str, Any]) -> list[str]:
    return [line.split(": ", 1)[1] for line in observed["log"] if line.startswith("said ")]


def announcements(*moves: str) -> list[str]:
    """The words of these moves, one after the other."""
    board, words = chess.Board(), []
    for uci in moves:
        words.append(GERMAN.announce(board, chess.Move.from_uci(uci)))
        board.push_uci(uci)
    return words


def bare(words: str) -> str:
    """The words without those that may be said between the two squares of a move, or not."""
    return " ".join(word for word in words.split() if word not in ("geht", "auf"))


def assert_nothing_else_was_heard(observed: dict[str, Any]) -> None:
    """Only what a player has just said, and never the table itself, has led to a ruling, unless it
    was refused; what people beside the table say is answered with nothing. Words that mean
    nothing ("geht auf") may have been missed. A player who was misheard says it again: how often
    that happens in noise is for the benchmarks."""
    words, who = "", ""
    for line, then in pairwise(observed["log"]):
        if " speaks: " in line:
            who, words = line.split(" speaks: ")
        elif line.startswith("heard ") and ", " not in line.split(": ")[0]:
            heard = line.split(": ", 1)[1].replace("wieviel", "wie viel")
            same = bare(heard) == bare(words.casefold())
            assert same or not then.startswith("ruled ") or then.startswith("ruled refused"), line
        if who == "guest":
            assert not line.startswith(("said ", "ruled ")), line


def assert_all_was_spoken_once(observed: dict[str, Any]) -> None:
    assert observed["spoken"] == [[words, "SPOKEN"] for words in said(observed)]


def test_a_whole_game_is_played_by_voice_in_a_noisy_hall() -> None:
    observed = play("whole_game")
    assert observed["moves"] == list(FOOLS_MATE)
    assert observed["result"] == "0-1"
    assert done(observed) == [
        "query white time",
        "announce white f2f3",
        "repeat black f2f3",
        *executed("f2f3", "white"),
        "announce black e7e5",
        *executed("e7e5", "black"),
        "announce white g2g3",
        "correct white g2g4",
        "repeat black g2g4",
        *executed("g2g4", "white"),
        "announce black d8h4",
        "repeat white d8h4",
        *executed("d8h4", "black", mate=True),
    ]
    assert_nothing_else_was_heard(observed)
    assert_all_was_spoken_once(observed)
    blocked = GERMAN.sentence("illegal", why=GERMAN.sentence("illegal_blocked"))
    times = Counter(said(observed))
    assert times[blocked] >= 1
    first, second, third, last = announcements(*FOOLS_MATE)
    slip = announcements("f2f3", "e7e5", "g2g3")[-1]
    corrected = GERMAN.sentence("corrected", move=third)
    assert [times[words] for words in (first, second, slip, corrected, last)] == [1] * 5
    assert times[third] == 0  # the correction has said it


def test_only_the_player_is_heard_in_his_microphone_and_the_game_goes_on_when_it_was_gone() -> None:
    observed = play("own_microphone")
    assert observed["gone"] and observed["back"]
    _, _, third, last = FOOLS_MATE
    assert observed["moves"] == [third, last]
    assert done(observed) == [
        f"announce white {third}",
        f"repeat black {third}",
        *executed(third, "white"),
        f"announce black {last}",
        f"make white {last}",
        f"make black {last}",
    ]
    assert_nothing_else_was_heard(observed)
    assert_all_was_spoken_once(observed)
    times = Counter(said(observed))
    assert [times[words] for words in announcements(*FOOLS_MATE)[2:]] == [1, 1]


@pytest.mark.long
def test_two_microphones_in_one_room_hear_each_player_once() -> None:
    observed = play("two_microphones")
    assert observed["moves"] == list(SCHOLARS_MATE)
    assert observed["result"] == "1-0"
    facts = Counter(done(observed))
    for number, uci in enumerate(SCHOLARS_MATE):
        side, other = ("white", "black") if number % 2 == 0 else ("black", "white")
        assert facts[f"repeat {other} {uci}"] == 1
        assert facts[f"{'correct' if uci == 'f1c4' else 'announce'} {side} {uci}"] == 1
    # Seven repetitions, and the slip with six of the announcements: the seventh corrects it.
    assert sum(facts[name] for name in facts if name.startswith(("announce", "repeat"))) == 14
    times = Counter(said(observed))
    words = announcements(*SCHOLARS_MATE)
    words[2] = GERMAN.sentence("corrected", move=words[2])
    assert [times[one] for one in words] == [1] * 7
    assert_all_was_spoken_once(observed)
