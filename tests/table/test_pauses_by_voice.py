"""Slow speakers pause within an announcement, and their pause makes no other move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import pytest

from blindplay.hearing.recognisers import open_recogniser
from blindplay.language import load
from blindplay.laws.facts import Player
from blindplay.speech.audio import BLOCK_BYTES, BLOCK_MS, RATE, QueueSource, read_audio
from blindplay.speech.models.folders import find_model
from blindplay.speech.synthesis import Synthesiser
from tests.table.sitting import ManualClock, Sit
from tests.table.speaking import PAUSE, ROOM
from tests.waiting import until

CAPTURE = "rnbqkbnr/ppp1pppp/8/3p4/4P3/2N5/PPPP1PPP/R1BQKBNR w KQkq - 0 2"


class Speaker:
    """A blind White who speaks in a quiet room. No time passes but the sound's."""

    def __init__(self, sit: Sit, language: str, fen: str, folder: Path) -> None:
        pack, self._clock = load(language), ManualClock()
        self.sitting = sit(
            now=self._clock,
            language=language,
            announce_in=language,
            white=Player(impaired=True, language=language),
            fen=fen,
            time_control="900",
        )
        self.sitting.start()
        self._microphone, self._heard, self._sound_s = QueueSource(), 0, 0.0
        ear = open_recogniser(pack, find_model(language))
        self.sitting.session.attach_microphone("white", self._microphone, ear)
        self._synthesiser = Synthesiser(language, cache=folder, spellings=pack.spoken)

    def say(self, *parts: str) -> None:
        """Say the parts with two seconds between them."""
        for part in parts:
            self.say_as_one(part)

    def say_as_one(self, *parts: str, pause_s: float = 0.0) -> None:
        """Say the parts with a short pause between them, and wait until all of it is heard."""
        pause = PAUSE[: 2 * int(RATE * pause_s)]
        words = pause.join(read_audio(self._synthesiser.render(part)) for part in parts)
        sound = ROOM + words + PAUSE
        self._clock.at += len(sound) / 2 / RATE
        self._sound_s += len(sound) // BLOCK_BYTES * BLOCK_MS / 1000
        self._microphone.push(sound)
        self._heard += 1
        self.sitting.shows("heard White", self._heard)
        listener = self.sitting.session.microphones["white"].listener
        assert until(lambda: listener.now >= self._sound_s - 0.5), self.sitting.printed
        with self.sitting.table.lock:
            pass  # what was heard is done now

    @property
    def announced(self) -> str:
        move = self.sitting.table.game.turn.announced
        return "" if move is None else move.uci()

    def close(self) -> None:
        self._synthesiser.close()


@pytest.fixture
def speaker(sit: Sit, tmp_path: Path) -> Iterator[Callable[..., Speaker]]:
    made = []

    def make(language: str = "de", fen: str = chess.STARTING_FEN) -> Speaker:
        made.append(Speaker(sit, language, fen, tmp_path))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.mark.parametrize(
    ("language", "fen", "parts", "move"),
    [
        # The second part alone would be a pawn's move.
        ("de", chess.STARTING_FEN, ("Springer Gustav eins", "Felix drei"), "g1f3"),
        ("en", chess.STARTING_FEN, ("Knight Bella one", "Cæsar three"), "b1c3"),
        ("de", CAPTURE, ("Springer Cäsar drei", "schlägt David fünf"), "c3d5"),
        ("de", CAPTURE, ("Springer Cäsar drei", "Springer Cäsar drei Bella fünf"), "c3b5"),
        ("de", CAPTURE, ("Läufer Felix eins", "Bauer David zwei David drei"), "d2d3"),
    ],
)
def test_a_pause_makes_no_other_move(
    speaker: Callable[..., Speaker], language: str, fen: str, parts: tuple[str, ...], move: str
) -> None:
    white = speaker(language, fen)
    white.say(*parts)
    assert white.announced == move, white.sitting.printed


@pytest.mark.parametrize(
    ("parts", "pause_s"),
    [
        (("Springer Bella zwei", "Cäsar drei"), 0.35),  # "Springer Bella eins", misheard
        (("Läufer Felix zwei", "Cäsar drei"), 0.6),
    ],
)
def test_a_beginning_with_a_misheard_rank_waits_for_its_rest(
    speaker: Callable[..., Speaker], parts: tuple[str, ...], pause_s: float
) -> None:
    """The rest alone is a legal move of a pawn."""
    white = speaker()
    white.say_as_one(*parts, pause_s=pause_s)
    assert white.announced in ("", "b1c3"), white.sitting.printed


def test_after_a_piece_alone_the_table_asks_which_move_was_meant(
    speaker: Callable[..., Speaker],
) -> None:
    white = speaker()
    white.say("Springer", "Felix drei")
    assert white.announced == "" and "Springer oder Bauer?" in white.sitting.printed
    white.say("Springer")
    assert white.announced == "g1f3", white.sitting.printed


def test_a_correction_may_pause_too(speaker: Callable[..., Speaker]) -> None:
    white = speaker()
    white.say("Springer Gustav eins", "Felix drei")
    white.say("Korrektur Springer Gustav eins", "Hector drei")
    assert white.announced == "g1h3", white.sitting.printed
