"""Sources of games that are played elsewhere, against servers on this machine."""

from __future__ import annotations

import json
import queue
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import chess
import pytest

from blindplay.hall.broadcast.broadcasting import PublicHost
from blindplay.hall.broadcast.spectators import SpectatorsPages
from blindplay.opponents.lichess.spectated import SpectatedGame
from blindplay.opponents.watching import (
    GameSource,
    LichessGame,
    LichessRound,
    PgnAddress,
    PgnFile,
    SourceNews,
    source_of,
)
from tests.hall.broadcast.test_spectators import Watched
from tests.opponents.public_server import (
    AT_ONCE,
    GAME,
    GAME_STREAM,
    ROUND,
    ROUND_PGN,
    ROUND_STREAM,
    PublicServer,
    described,
    pgn,
    positions,
)
from tests.waiting import PATIENCE_S, until


class Told:
    """What a source tells."""

    def __init__(self, source: GameSource) -> None:
        self._source = source
        self._news: queue.SimpleQueue[SourceNews] = queue.SimpleQueue()
        source.begin(self._news.put)

    def next(self) -> SourceNews:
        return self._news.get(timeout=PATIENCE_S)

    def until(self, wanted: Callable[[SourceNews], bool]) -> SourceNews:
        while not wanted(news := self.next()):
            pass
        return news

    def moves(self, count: int, white: str = "") -> SourceNews:
        """The first news with a game of so many moves."""
        return self.until(
            lambda news: any(len(g.moves) == count and white in g.white for g in news.games)
        )

    def close(self) -> None:
        self._source.end()


@pytest.fixture
def server() -> Iterator[PublicServer]:
    server = PublicServer()
    yield server
    server.close()


@pytest.fixture
def follow() -> Iterator[Callable[[GameSource], Told]]:
    opened: list[Told] = []

    def follow(source: GameSource) -> Told:
        opened.append(Told(source))
        return opened[-1]

    yield follow
    for told in opened:
        told.close()


Follow = Callable[[GameSource], Told]

# --- one game at Lichess


def game_of(*lines: str) -> SpectatedGame:
    game = SpectatedGame(json.loads(lines[0]))
    for line in lines[1:]:
        game.take(json.loads(line))
    return game


def test_the_lines_of_a_game_give_players_moves_clocks_and_result() -> None:
    game = game_of(described(), *positions("e2e4", "e7e5"))
    assert (game.now.white, game.now.black) == ("WGM Salma", "Kenneth")
    assert [move.uci() for move in game.now.moves] == ["e2e4", "e7e5"]
    assert game.now.left == {"white": 598_000, "black": 596_000}
    assert game.take(json.loads(described(status="resign", winner="white")))
    assert (game.now.ended, game.now.result) == (True, "1-0")


@pytest.mark.parametrize(
    ("status", "winner", "result"),
    [("draw", "", "1/2-1/2"), ("mate", "black", "0-1"), ("aborted", "", "")],
)
def test_a_game_ends_as_the_last_line_says(status: str, winner: str, result: str) -> None:
    game = game_of(described(), *positions("e2e4"), described(status=status, winner=winner))
    assert (game.ended, game.now.result) == (True, result)


def test_castling_may_come_as_the_king_takes_the_rook() -> None:
    start = chess.Board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    about = described(initialFen=start.fen(), variant={"key": "chess960"})
    game = game_of(about, *positions("e1h1", start=chess.Board(start.fen(), chess960=True)))
    assert game.now.board.board_fen() == "r3k2r/8/8/8/8/8/8/R4RK1"


def test_a_doubled_line_changes_nothing_and_a_dropped_one_is_noticed() -> None:
    first, one, two, three = positions("e2e4", "e7e5", "g1f3")
    assert len(game_of(described(), first, one, one, two).now.moves) == 2
    for lines in ((first, one, three), (first, one, two, one)):
        with pytest.raises(ValueError, match=r"position|illegal"):
            game_of(described(), *lines)


@pytest.mark.parametrize("line", ["{}", '{"id":"x"}', described(variant={"key": "atomic"})])
def test_another_first_line_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"game|variant"):
        SpectatedGame(json.loads(line))


def test_a_game_is_followed_without_a_token_to_its_end(
    server: PublicServer, follow: Follow
) -> None:
    lines = positions("e2e4", "e7e5", "g1f3")
    server.opening[GAME_STREAM] = [described(), *lines[:3]]
    told = follow(LichessGame(server.url, GAME, AT_ONCE))
    told.moves(2)
    server.say(GAME_STREAM, "", lines[3], lines[3])
    told.moves(3)
    server.say(GAME_STREAM, described(status="resign", winner="black"))
    assert told.until(lambda news: any(game.ended for game in news.games)).games[0].result == "0-1"
    assert told.next() == SourceNews(over=True)
    assert "authorization" not in server.headers[0]


@pytest.mark.parametrize("how", ["cut", "dropped", "junk", "taken back"])
def test_after_whatever_fault_the_game_is_read_anew(
    server: PublicServer, follow: Follow, how: str
) -> None:
    lines = positions("e2e4", "e7e5", "g1f3", "b8c6")
    server.opening[GAME_STREAM] = [described(), *lines[:3]]
    told = follow(LichessGame(server.url, GAME, AT_ONCE))
    told.moves(2)
    others = positions("e2e4", "e7e5", "g1f3", "b8c6")
    if how == "taken back":
        others = positions("e2e4", "c7c5")
    server.opening[GAME_STREAM] = [described(), *others]
    if how == "cut":
        server.cut(GAME_STREAM)
    else:
        server.say(
            GAME_STREAM, {"dropped": lines[4], "junk": "no JSON", "taken back": lines[1]}[how]
        )
    wanted = [move.uci() for move in game_of(described(), *others).now.moves]
    news = told.until(lambda news: [m.uci() for m in news.games[0].moves] == wanted)
    assert not news.lost and server.connections == 2


def test_a_connection_that_is_always_cut_is_told_as_lost_until_it_brings_something_new(
    server: PublicServer, follow: Follow
) -> None:
    server.texts[ROUND_PGN] = pgn("Anna", "Bert", "1. e4")
    server.statuses[ROUND_STREAM] = 500
    told = follow(LichessRound(server.url, ROUND, AT_ONCE))
    news = [told.next()]
    while not news[-1].lost:
        news.append(told.next())
    assert len(news) < 6
    asked = len(server.asked)
    assert until(lambda: len(server.asked) > asked + 10)  # it is tried again and again
    server.texts[ROUND_PGN] = pgn("Anna", "Bert", "1. e4 e5")
    assert [len(game.moves) for game in told.next().games] == [2]


def test_each_try_after_a_connection_without_news_waits_longer(
    server: PublicServer, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.texts[ROUND_PGN] = pgn("Anna", "Bert", "1. e4")
    server.statuses[ROUND_STREAM] = 500
    source = LichessRound(server.url, ROUND, replace(AT_ONCE, retry_s=(0.001, 0.002, 0.003)))
    waits: list[float] = []
    monkeypatch.setattr(source._done, "wait", waits.append)
    follow(source)
    assert until(lambda: len(waits) > 4)
    assert waits[:5] == [0.001, 0.002, 0.003, 0.003, 0.003]


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_lost_or_doubled_only_moves_of_the_game_are_told(
    server: PublicServer, follow: Follow, seed: int
) -> None:
    chance = random.Random(seed)
    moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1"]
    first, *lines = positions(*moves)
    server.opening[GAME_STREAM] = [described(), first]
    told = follow(LichessGame(server.url, GAME, AT_ONCE))
    assert len(told.next().games) == 1
    for line in lines:
        server.opening[GAME_STREAM] = [*server.opening[GAME_STREAM], line]
        match chance.choice(("well", "twice", "lost", "cut")):
            case "well":
                server.say(GAME_STREAM, line)
            case "twice":
                server.say(GAME_STREAM, line, line)
            case "cut":
                server.cut(GAME_STREAM)
    over = described(status="resign", winner="white")
    server.opening[GAME_STREAM] = [*server.opening[GAME_STREAM], over]
    server.cut(GAME_STREAM)
    found: list[list[str]] = []
    while not (news := told.next()).over:
        found += [[move.uci() for move in game.moves] for game in news.games]
    assert all(one == moves[: len(one)] for one in found) and found[-1] == moves


def test_a_move_that_was_only_taken_back_is_told_after_a_while(
    server: PublicServer, follow: Follow
) -> None:
    lines = positions("e2e4", "e7e5")
    server.opening[GAME_STREAM] = [described(), *lines]
    told = follow(LichessGame(server.url, GAME, AT_ONCE))
    told.moves(2)
    server.opening[GAME_STREAM] = [described(), *lines[:2]]
    server.say(GAME_STREAM, lines[1])
    told.moves(1)


def test_a_game_that_is_over_already_is_told_whole(server: PublicServer, follow: Follow) -> None:
    over = described(status="mate", winner="white")
    server.opening[GAME_STREAM] = [over, *positions("e2e4", "e7e5"), over]
    told = follow(LichessGame(server.url, GAME, AT_ONCE))
    game = told.until(lambda news: any(game.ended for game in news.games)).games[0]
    while len(game.moves) < 2:
        (game,) = told.next().games
    assert game.result == "1-0"


def test_what_cannot_be_followed_ends_at_once_with_a_sentence(
    server: PublicServer, follow: Follow
) -> None:
    server.opening[GAME_STREAM] = [described(variant={"key": "atomic"})]
    news = follow(LichessGame(server.url, GAME, AT_ONCE)).next()
    assert news.over and "name a game of chess" in news.why
    news = follow(LichessGame(server.url, "missing1", AT_ONCE)).next()
    assert news.over and "(status 404)" in news.why


def test_a_server_that_is_not_there_is_tried_again_and_told_once(
    server: PublicServer, follow: Follow
) -> None:
    server.opening[GAME_STREAM] = [described(), *positions("e2e4")]
    server.statuses[GAME_STREAM] = 500
    told = follow(LichessGame(server.url, GAME, AT_ONCE))
    news = told.next()
    assert news.lost and "(status 500)" in news.why
    assert until(lambda: len(server.asked) > 3)
    server.statuses[GAME_STREAM] = 429
    asked = len(server.asked)
    assert until(lambda: len(server.asked) > asked + 2)
    del server.statuses[GAME_STREAM]
    assert len(told.next().games) == 1  # it was lost once, not each time


# --- a round of a broadcast


def test_a_round_tells_all_games_and_each_that_changes(
    server: PublicServer, follow: Follow
) -> None:
    one, two = pgn("Anna", "Bert", "1. e4"), pgn("Carla", "Dirk", "1. d4", board=2)
    server.texts[ROUND_PGN] = one + two
    server.opening[ROUND_STREAM] = (one + two).splitlines()
    told = follow(LichessRound(server.url, ROUND, AT_ONCE))
    news = told.next()
    assert news.whole and [game.white for game in news.games] == ["Anna", "Carla"]
    assert until(lambda: server.connections == 1)
    server.say(ROUND_STREAM, *pgn("Carla", "Dirk", "1. d4 d5", board=2).splitlines())
    news = told.moves(2, "Carla")
    assert not news.whole and len(news.games) == 1
    server.say(ROUND_STREAM, "", *pgn("Carla", "Dirk", "1. c4", board=2).splitlines())
    assert told.moves(1, "Carla").games[0].moves[0].uci() == "c2c4"


def test_a_round_goes_on_after_a_cut_with_what_it_has_then(
    server: PublicServer, follow: Follow
) -> None:
    server.texts[ROUND_PGN] = pgn("Anna", "Bert", "1. e4")
    server.opening[ROUND_STREAM] = []
    told = follow(LichessRound(server.url, ROUND, AT_ONCE))
    told.moves(1)
    assert until(lambda: server.connections == 1)
    server.texts[ROUND_PGN] = pgn("Anna", "Bert", "1. e4 e5 2. Nf3")
    server.cut(ROUND_STREAM)
    news = told.moves(3)
    assert news.whole and not news.lost


# --- a hall


@pytest.fixture
def watched_hall(tmp_path: Path) -> Iterator[Watched]:
    watched = Watched(tmp_path, tables=(1, 2))
    yield watched
    watched.host.close()


def test_a_halls_games_come_as_its_pages_show_them(watched_hall: Watched, follow: Follow) -> None:
    told = follow(source_of(watched_hall.host.url, AT_ONCE))
    assert [game.white for game in told.next().games] == ["Anna Berg", "Anna Berg"]
    watched_hall.play(1, "d2d4")
    news = told.until(lambda news: any(game.moves for game in news.games))
    assert [len(game.moves) for game in news.games] == [0, 1]


def test_one_table_of_a_hall_is_followed_alone(watched_hall: Watched, follow: Follow) -> None:
    told = follow(source_of(f"{watched_hall.host.url}2/", AT_ONCE))
    watched_hall.play(1, "d2d4")
    assert len(told.moves(1).games) == 1


def test_nothing_of_a_hall_comes_before_its_delay(tmp_path: Path, follow: Follow) -> None:
    watched = Watched(tmp_path, delay=60, tables=(1,))
    try:
        told = follow(source_of(watched.host.url, AT_ONCE))
        assert told.next() == SourceNews(whole=True)
        watched.pass_time(100)
        watched.play(0, "e2e4")
        watched.pass_time(58)
        watched.pass_time(2)
        news = told.until(lambda news: bool(news.games) and bool(news.games[0].moves))
        assert news.games[0].moves[0].uci() == "e2e4"
    finally:
        watched.host.close()


def test_a_hall_that_is_started_again_is_followed_on(watched_hall: Watched, follow: Follow) -> None:
    told = follow(source_of(watched_hall.host.url, AT_ONCE))
    told.next()
    port = urlsplit(watched_hall.host.url).port
    assert port is not None
    watched_hall.host.close()
    assert told.until(lambda news: news.lost).why.startswith("http://127.0.0.1:")
    watched_hall.pages = SpectatorsPages(watched_hall.shown, "Cup")
    watched_hall.host = PublicHost(watched_hall.pages, "127.0.0.1", port)
    watched_hall.play(0, "e2e4")
    told.moves(1)


# --- a PGN that grows


def test_a_file_is_told_when_it_has_grown_or_was_corrected(tmp_path: Path, follow: Follow) -> None:
    file = tmp_path / "game.pgn"
    file.write_text(pgn("Müller", "B", "1. e4"), "cp1252")
    told = follow(PgnFile(file, AT_ONCE))
    assert told.moves(1).games[0].white == "Müller"
    with file.open("a", encoding="cp1252") as more:
        more.write(pgn("C", "D", "1. d4 d5", board=2))
    assert len(told.moves(2).games) == 2
    file.write_text(pgn("Müller", "B", "1. e4 c5 2. Nf3"), "cp1252")
    assert len(told.moves(3).games) == 1


def test_a_file_may_still_be_empty(tmp_path: Path, follow: Follow) -> None:
    file = tmp_path / "game.pgn"
    file.touch()
    told = follow(PgnFile(file, AT_ONCE))
    assert told.next() == SourceNews(whole=True)
    file.write_text(pgn("A", "B", "1. e4"), "utf-8")
    told.moves(1)


def test_a_file_that_is_away_for_a_while_is_told_once(tmp_path: Path, follow: Follow) -> None:
    file = tmp_path / "game.pgn"
    file.write_text(pgn("A", "B", "1. e4"), "utf-8")
    told = follow(PgnFile(file, AT_ONCE))
    told.moves(1)
    file.unlink()
    news = told.next()
    assert news.lost and news.why.startswith("There is no file ")
    file.write_text(pgn("A", "B", "1. e4 e5"), "utf-8")
    assert not told.moves(2).lost


def test_a_text_at_an_address_is_read_again_and_again(server: PublicServer, follow: Follow) -> None:
    server.texts["/live.pgn"] = pgn("A", "B", "1. e4")
    told = follow(PgnAddress(f"{server.url}/live.pgn", AT_ONCE))
    told.moves(1)
    server.texts["/live.pgn"] = pgn("A", "B", "1. e4 e5")
    told.moves(2)


def test_a_page_that_is_no_pgn_is_refused(server: PublicServer, follow: Follow) -> None:
    server.texts["/live"] = "<html><body>Our club</body></html>"
    news = follow(PgnAddress(f"{server.url}/live", AT_ONCE)).next()
    assert news.over and news.why.endswith("holds no game; name a PGN.")


def test_a_file_that_is_emptied_to_be_written_anew_shows_no_game_less(
    tmp_path: Path, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, reads = tmp_path / "game.pgn", []
    file.write_text(pgn("A", "B", "1. e4"), "utf-8")
    read = PgnFile._content

    def counted(source: PgnFile) -> bytes:
        content = read(source)
        reads.append(content)
        return content

    monkeypatch.setattr(PgnFile, "_content", counted)
    told = follow(PgnFile(file, AT_ONCE))
    told.moves(1)
    file.write_text("", "utf-8")
    assert until(lambda: reads[-8:] == [b""] * 8)
    file.write_text(pgn("A", "B", "1. e4 e5"), "utf-8")
    assert len(told.next().games) == 1


def test_a_text_beyond_the_limit_is_refused(server: PublicServer, follow: Follow) -> None:
    server.texts["/live.pgn"] = "x" * 5_000_001
    news = follow(PgnAddress(f"{server.url}/live.pgn", AT_ONCE)).next()
    assert news.over and "is too large" in news.why


# --- which source is meant


@pytest.mark.parametrize(
    ("given", "kind", "name"),
    [
        (f"https://lichess.org/{GAME}", LichessGame, f"https://lichess.org/{GAME}"),
        (f"https://lichess.org/{GAME}abcd/black#12", LichessGame, f"https://lichess.org/{GAME}"),
        (f"https://lichess.org/broadcast/cup/round-1/{ROUND}", LichessRound, ""),
        (f"https://lichess.org/broadcast/cup/round-1/{ROUND}/board001#3", LichessRound, ""),
        (f"https://lichess.org/api/stream/broadcast/round/{ROUND}.pgn", LichessRound, ""),
        ("https://club.example/broadcast/live.pgn", PgnAddress, ""),
        ("https://club.example/?export=pgn", PgnAddress, ""),
        (f"https://club.example/api/stream/game/{GAME}", LichessGame, f"https://club.example/{GAME}"),
        ("https://club.example/gamelist", PgnAddress, "https://club.example/gamelist"),
        ("http://hall.example:8081", PgnAddress, "http://hall.example:8081/public/games.pgn"),
        ("http://hall.example:8081/public/", PgnAddress, "http://hall.example:8081/public/games.pgn"),
        ("http://hall.example/cup/public/screen", PgnAddress, "http://hall.example/cup/public/games.pgn"),
        ("http://hall.example/public/4/", PgnAddress, "http://hall.example/public/4/game.pgn"),
        ("https://u:pw@club.example/live/round.pgn?k=1", PgnAddress, "https://club.example/live/round.pgn"),
    ],
)  # fmt: skip
def test_an_address_names_its_source(given: str, kind: type[GameSource], name: str) -> None:
    source = source_of(given)
    assert type(source) is kind and (not name or source.name == name)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("missing.pgn", "There is no file missing.pgn"),
        ("https://", "is not an address"),
        ("http://[x", "is not an address"),
        ("http://club.example:port/live.pgn", "is not an address"),
        ("https://lichess.org/broadcast/cup/abcdefgh", "open one of its rounds"),
    ],
)
def test_what_names_no_source_is_refused(given: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        source_of(given)
