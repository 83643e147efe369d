"""Who reads what at a table: everybody, each player, and everybody the announcements (D.2.1)."""

from __future__ import annotations

import chess

from blindplay.language import load, parts_of
from blindplay.laws import Game
from blindplay.laws import facts as f
from blindplay.wording.pack_words import PackWords
from blindplay.wording.readers import Readers, announcing, name_of_announcements

KNIGHT = chess.Move.from_uci("g1f3")


def game(
    white: str = "", black: str = "", announce_in: str = "", edition: str = "fide-2023"
) -> Game:
    made = Game(PackWords())
    first, second = f.Player(language=white), f.Player(language=black)
    made.apply(f.Setup(announce_in=announce_in, edition=edition, white=first, black=second))
    return made


def test_each_player_reads_their_own_language_and_everybody_the_tables() -> None:
    readers = Readers(game("en", "sv"), load("nb"))
    codes = {
        who: readers.of(who).code for who in ("white", "black", "assistant:black", "arbiter", None)
    }
    assert codes == {
        "white": "en", "black": "sv", "assistant:black": "sv", "arbiter": "nb", None: "nb",
    }  # fmt: skip
    assert readers.everybody is readers.of(None)
    assert [one.code for one in readers.languages] == ["nb", "en", "sv"]


def test_a_player_without_a_language_or_without_a_pack_reads_the_tables() -> None:
    readers = Readers(game("", "fr-CA"), load("en"))
    assert readers.of("white").code == readers.of("black").code == "en"
    assert [one.code for one in readers.languages] == ["en"]


def test_moves_are_announced_in_german_whatever_the_players_read() -> None:
    assert announcing(game("en", "en")).code == "de"
    words = Readers(game("en", "en"), load("en")).of("white").announce(chess.Board(), KNIGHT)
    assert parts_of(words, "") == (("Springer Gustav eins Felix drei", "de"),)


def test_scandinavian_players_announce_in_their_words_unless_the_arbiter_decides() -> None:
    assert announcing(game("nb", "sv")).code == "nb"
    assert announcing(game("nb", "sv", announce_in="de")).code == "de"
    assert announcing(game("nb", "en")).code == "de"


def test_the_arbiter_decides_on_another_language() -> None:
    at = game("en", "en")
    at.apply(f.Arbiter(do="announce_in", language="en"))
    assert announcing(at) is load("en")
    at.apply(f.Arbiter(do="announce_in"))
    assert announcing(at) is load("de")


def test_a_language_names_itself() -> None:
    at = game("en", "en", announce_in="de+nb")
    said = name_of_announcements(at)
    assert parts_of(said, "")[0] == ("Deutsch, ", "de") and parts_of(said, "")[1][1] == "nb"
