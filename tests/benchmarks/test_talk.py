"""How often a table reacts to the talk of people near it, counted in real parts."""

from __future__ import annotations

import random

import chess
import pytest

from benchmarks import talk
from benchmarks.talk import TalkKind, TalkOptions, figures, sentences, spoken
from blindplay.language import Kind, load


@pytest.mark.parametrize("code", ["de", "en"])
def test_talk_about_chess_names_what_could_be_played_and_other_talk_does_not(code: str) -> None:
    pack, chance = load(code), random.Random(1)
    board = chess.Board("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")  # e3 and e4, or a move of the king
    for kind in TalkKind:
        written = sentences(pack, kind)
        assert len(written) >= 30
        for template in written:
            words = spoken(pack, template, board, chance)
            assert not set("{}()|") & set(words)
            # Nobody says so much in one breath and means an announcement. Typed, a command may be
            # in it.
            meant = pack.understand(words, board)
            nothing = meant.loose or meant.kind in (Kind.UNCLEAR, Kind.NOTHING)
            assert kind is TalkKind.CHESS or nothing
    said = {spoken(pack, "{move}", board, chance) for _ in range(200)}
    assert len(said) == 2 * len(list(board.legal_moves))  # in words of the table and as letters


def test_a_language_in_which_nobody_wrote_talk_is_refused() -> None:
    with pytest.raises(ValueError, match="Nobody has written what people say in Dansk"):
        sentences(load("da"), TalkKind.EVERYDAY)


@pytest.mark.long
def test_each_answer_of_the_table_to_talk_is_counted_and_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = {TalkKind.EVERYDAY: "Guten Abend zusammen", TalkKind.CHESS: "Turm Dame Turm"}
    monkeypatch.setattr(talk, "sentences", lambda pack, kind: [said[kind]])
    first, everyday, chess_talk, *shown = figures(
        load("de"), TalkOptions(minutes=0.1, voices=("de+croak",))
    )
    assert first == "Talk near a table, Deutsch: models de, voices de+croak, seed 1."
    assert "0.0 reactions in five minutes (0 moves taken, 0 questions, 0 other" in everyday
    # Three words of announcements are an attempt, so the player is asked to repeat it.
    assert chess_talk.startswith("Talk about chess, 0.1 minutes, ") and shown
    assert f"(0 moves taken, 0 questions, {len(shown)} other answers)" in chess_talk
    for line in shown:
        assert line.startswith("  Turm Dame Turm: ") and " heard " in line and " said " in line
