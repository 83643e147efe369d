"""A real table in simulated time."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.listening_table import listening_table
from blindplay.hearing.recognisers import open_recogniser
from blindplay.language import load
from blindplay.speech.audio import RATE, read_audio
from blindplay.speech.models.folders import find_model
from blindplay.speech.synthesis import Synthesiser


@pytest.mark.long
def test_what_a_player_says_takes_its_time_and_what_the_table_says_is_counted_for_who_hears_it(
    tmp_path: Path,
) -> None:
    pack = load("de")
    recogniser = open_recogniser(pack, find_model("de"))
    board = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    with (
        Synthesiser("de", cache=tmp_path, spellings=pack.spoken) as synthesiser,
        listening_table(pack, recogniser, synthesiser, tmp_path, sides=("white",), fen=board) as at,
    ):
        assert all(told.sentences == 0 for told in at.told.values())
        pcm, began = bytes(RATE) + read_audio(synthesiser.render("eva vier")), at.clock.now
        at.hear("white", pcm + bytes(2 * RATE))
        game = at.session.table.game
        assert game.turn.announced is not None and game.turn.announced.uci() == "e2e4"
        (told,) = {told.seconds for told in at.told.values()}  # both hear an announcement
        assert [one.sentences for one in at.told.values()] == [1, 1] and told > 1
        assert at.clock.now - began == pytest.approx((len(pcm) / 2 + RATE) / RATE + told)
        assert any(
            line.endswith("said to everybody: Bauer Eva zwei Eva vier") for line in at.printed
        )
