"""The step that is due, in words."""

from __future__ import annotations

import pytest

from blindplay.language import load
from blindplay.laws import Game
from blindplay.laws import facts as f
from blindplay.laws.due import due
from blindplay.laws.facts import PEOPLE, Player, Setup
from blindplay.wording.pack_words import PackWords
from blindplay.wording.readers import reader
from blindplay.wording.steps import step_in_words
from tests.laws.random_games import play
from tests.sampling import first

ENGLISH = load("en")
PACKS = [load(code) for code in ("da", "de", "en", "nb", "sv")]


def _game(*facts: f.Fact, **setup: object) -> Game:
    fields = {"time_control": "600", "white": Player(impaired=True), **setup}
    game = Game(PackWords())
    for fact in (Setup(t=0, **fields), f.Start(), *facts):  # type: ignore[arg-type]
        game.apply(fact)
    return game


@pytest.mark.parametrize("seed", first(4, range(12)))
def test_each_step_of_each_person_is_a_sentence_in_each_language(seed: int) -> None:
    for number, (_, _, game) in enumerate(play(seed, 120)):
        if number % 6:
            continue
        for person in PEOPLE:
            step = due(game, person)
            for pack in PACKS:
                words = step_in_words(reader(pack, game), game, step)
                assert words and words[0].isupper() and "{" not in words, (step, pack.code)


def test_a_player_who_must_put_a_board_right_hears_the_first_thing_to_do() -> None:
    game = _game(
        f.Announce(by="white", move="e2e4"),
        f.Lift(board="white", square="g1"),  # touched first (4.3.1)
        f.Place(board="white", square="h3", piece="N"),
        f.Announce(by="white", move="e2e4"),
        boards=1,
    )
    game.tables["white"].wanted = dict(game.pieces)
    words = step_in_words(ENGLISH, game, due(game, "white"))
    assert words.startswith("Put your board right. ") and "Gustav one" in words


def test_an_obligation_names_the_piece_and_not_where_it_may_go() -> None:
    game = _game(f.Lift(board="white", square="g1"))
    words = step_in_words(ENGLISH, game, due(game, "white"))
    assert words == "It is your move. You must move this piece: white knight, Gustav one."


def test_the_only_move_of_a_touched_piece_is_not_told() -> None:
    """11.3.1: where it may go is the player's to find."""
    game = _game(f.Lift(board="white", square="e4"), fen="4k3/8/8/8/4P3/8/8/4K3 w - - 0 1")
    assert [move.uci() for move in due(game, "white").owed] == ["e4e5"]
    words = step_in_words(ENGLISH, game, due(game, "white"))
    assert words == "It is your move. You must move this piece: white pawn, Eva four."


def test_the_move_of_a_wrong_claim_is_told() -> None:
    game = _game(f.ClaimDraw(by="white", rule="repetition", move="e2e4"), arbiter="automatic")
    words = step_in_words(ENGLISH, game, due(game, "white"))
    assert words.startswith("It is your move. You must play: ") and "four" in words


def test_where_nobody_presides_no_arbiter_is_waited_for() -> None:
    game = _game(f.CallArbiter(by="black"), arbiter="automatic", time_control="-")
    assert not game.paused and due(game, "white").do == "announce"
