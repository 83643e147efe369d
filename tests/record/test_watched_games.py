"""Games that are being played elsewhere: PGN that grows and is corrected, and their numbers."""

from __future__ import annotations

import pytest

from blindplay.record.watched_games import (
    MOST_GAMES,
    GameSplitter,
    GamesReader,
    NumberedGames,
    WatchedGame,
    texts_of_games,
    watched,
)
from tests.opponents.public_server import pgn


def read(text: str) -> list[WatchedGame]:
    return list(GamesReader().games(text, "x"))


def sans(game: WatchedGame) -> str:
    return game.start.variation_san(game.moves)


def test_a_game_has_its_players_moves_and_the_times_after_them() -> None:
    moves = "1. e4 { [%clk 1:29:30] } 1... e5 { [%clk 0:00:05.5] } 2. Nf3 { [%clk 1:28:00] }"
    (game,) = read(pgn("Berg, Anna", "?", moves))
    assert (game.white, game.black) == ("Anna Berg", "")
    assert sans(game) == "1. e4 e5 2. Nf3"
    assert game.left == {"white": 5_280_000, "black": 5500}
    assert (game.ended, game.result, game.stopped) == (False, "", "")


@pytest.mark.parametrize(
    ("result", "ended"), [("1-0", True), ("1/2-1/2", True), ("*", False)], ids=str
)
def test_a_result_ends_a_game(result: str, ended: bool) -> None:
    (game,) = read(pgn("A", "B", "1. e4", result=result))
    assert (game.ended, game.result) == (ended, result if ended else "")


@pytest.mark.parametrize(
    ("moves", "known", "stopped"),
    [
        ("1. e4 e5 2. Ke3 Nf6", "1. e4 e5", "Ke3"),
        ("1. e4 e5 2. Nf", "1. e4 e5", ""),  # it is being written
        ("1. e4 e5 2.", "1. e4 e5", ""),
        ("1. e4 -- 2. d4", "1. e4", "--"),
        ("1. e4 e5 2. Sf3 Sc6 3. Lb5", "1. e4 e5 2. Nf3 Nc6 3. Bb5", ""),
    ],
)
def test_a_game_is_read_up_to_a_move_that_cannot_be_played(
    moves: str, known: str, stopped: str
) -> None:
    (game,) = read(pgn("A", "B", moves))
    assert (sans(game), game.stopped) == (known, stopped)


def test_an_illegal_move_that_our_own_broadcast_leaves_out_stops_the_game() -> None:
    comment = "{ An illegal move stands; moves from here: e8e3 0:10:00, g1f3 }"
    (game,) = read(pgn("A", "B", f"1. e4 {comment}"))
    assert game.stopped == "e8e3"


@pytest.mark.parametrize("fen", ["8/8/8/8/8/8/8/8 w - - 0 1", "nonsense"])
def test_a_game_without_a_position_waits_for_its_correction(fen: str) -> None:
    game = watched(f'[White "A"]\n[FEN "{fen}"]\n\n1. e4 *\n')
    assert (game.white, game.moves, game.stopped, game.no_chess) == ("A", (), "?", True)


@pytest.mark.parametrize(
    ("variant", "no_chess"),
    [("Atomic", True), ("Unheard-of", True), ("Standard", False), ("Chess960", False)],
)
def test_a_game_of_another_variant_is_known_as_no_chess(variant: str, no_chess: bool) -> None:
    game = watched(f'[White "A"]\n[Variant "{variant}"]\n\n1. e4 *\n')
    assert (game.no_chess, len(game.moves)) == (no_chess, 0 if no_chess else 1)


def test_a_first_move_that_cannot_be_played_leaves_the_usual_position() -> None:
    game = watched('[White "A"]\n\n1. Ke5 *\n')
    assert not game.no_chess and game.moves == () and game.stopped


def test_games_are_told_apart_however_their_lines_stand() -> None:
    first, second = pgn("A", "B", "1. e4"), pgn("C", "D", "")
    touching = '[White "E"]\n\n1. e4\n[White "F"]\n\n{ a comment\n\n[%clk 0:01:00] } 1. d4\n'
    texts = list(texts_of_games(first + second + touching))
    assert [watched(text).white for text in texts] == ["A", "C", "E", "F"]
    assert [len(watched(text).moves) for text in texts] == [1, 0, 1, 1]


def test_a_stream_gives_a_game_with_the_blank_line_after_it() -> None:
    splitter = GameSplitter()
    found = [splitter.feed(line) for line in pgn("A", "B", "1. e4").splitlines()]
    assert [bool(text) for text in found] == [False] * 8 + [True]
    assert splitter.feed("") == splitter.rest() == ""


def test_a_game_that_is_as_before_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, one, two = GamesReader(), pgn("A", "B", "1. e4"), pgn("C", "D", "1. d4")
    before = reader.games(one + two, "x")
    now = reader.games(one + pgn("C", "D", "1. d4 d5"), "x")
    assert now[0] is before[0] and len(now[1].moves) == 2


def test_the_games_of_a_source_are_bounded() -> None:
    assert (
        len(read("".join(f'[White "{n}"]\n\n*\n\n' for n in range(MOST_GAMES + 5)))) == MOST_GAMES
    )


def numbered(*documents: str) -> NumberedGames:
    games = NumberedGames()
    for text in documents:
        games.take(read(text), whole=True)
    return games


def test_a_game_keeps_its_number_in_another_order_and_when_it_is_gone() -> None:
    one, two, new = pgn("A", "B", "1. e4"), pgn("C", "D", "", board=2), pgn("E", "F", "", board=3)
    games = numbered(one + two, two + new)
    assert [game.white for game in games.games.values()] == ["A", "C", "E"]
    assert games.gone == {1}
    games.take(read(new + one), whole=True)
    assert games.gone == {2} and len(games.games) == 3


def plain(white: str, moves: str) -> str:
    return f'[White "{white}"]\n[Black "B"]\n\n{moves} *\n\n'


def test_a_corrected_name_leaves_the_number() -> None:
    games = numbered(plain("Ann", "1. e4"), plain("Anna", "1. e4 e5"))
    assert {n: game.white for n, game in games.games.items()} == {1: "Anna"} and not games.gone


def of_round(white: str, black: str, moves: str, result: str = "*", **tags: str) -> str:
    named = {"Round": "1", "White": white, "Black": black, "Result": result} | tags
    return "".join(f'[{name} "{value}"]\n' for name, value in named.items()) + (
        f"\n{moves} {result}\n\n"
    )


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        (of_round("Ann", "B", ""), of_round("Anna", "B", ""), True),
        (of_round("Ann", "Bo", "", Board="2"), of_round("Anna", "Bob", "", Board="2"), True),
        (of_round("Ann", "Bo", "", Round="1.2"), of_round("Anna", "Bob", "", Round="1.2"), True),
        (of_round("Ann", "B", ""), of_round("Carla", "D", "1. e4"), False),
        (of_round("Ann", "B", "", "1-0"), of_round("Ann", "Carl", ""), False),
        (of_round("Ann", "B", ""), of_round("Ann", "Carl", "", Round="2"), False),
        (of_round("Ann", "B", "1. e4"), of_round("B", "Ann", "1. e4"), False),
    ],
)
def test_only_a_game_with_a_corrected_tag_takes_the_number_of_another(
    before: str, after: str, same: bool
) -> None:
    games = numbered(before, after)
    assert (len(games.games), games.gone) == ((1, set()) if same else (2, {1}))


def test_the_next_game_at_the_same_place_gets_a_number_of_its_own() -> None:
    games = numbered(plain("Ann", "1. e4"), plain("Berta", ""))
    assert {n: game.white for n, game in games.games.items()} == {1: "Ann", 2: "Berta"}
    assert games.gone == {1}


def test_games_with_the_same_tags_are_two() -> None:
    games = numbered(plain("A", "1. e4") + plain("A", "1. e4"))
    games.take(read(plain("A", "1. e4") + plain("A", "1. e4 e5")), whole=True)
    assert [len(game.moves) for game in games.games.values()] == [1, 2]


def test_one_game_of_a_stream_changes_no_other() -> None:
    one, two = pgn("A", "B", "1. e4"), pgn("C", "D", "", board=2)
    games = numbered(one + two)
    games.take(read(pgn("C", "D", "1. d4", board=2)), whole=False)
    assert [len(game.moves) for game in games.games.values()] == [1, 1] and not games.gone
