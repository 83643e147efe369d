"""Two tables with all that people hear at each."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import chess
import pytest

from blindplay.language import Command
from blindplay.laws import Fact
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from blindplay.laws.state import OTHER
from blindplay.opponents.distant.player import DistantPlayer
from blindplay.record import read_journal
from blindplay.table.keyboard import Keyboard
from tests.table.sitting import Sitting
from tests.waiting import until


class Cord:
    """One end of a line within this process, that loses nothing."""

    def __init__(self) -> None:
        self.other = self
        self._came: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

    def open(self, on_message: Callable[[bytes], object], on_connect: Callable[[], object]) -> None:
        threading.Thread(target=self._run, args=(on_message, on_connect), daemon=True).start()

    def _run(self, on_message: Callable[[bytes], object], on_connect: Callable[[], object]) -> None:
        on_connect()
        while (message := self._came.get()) is not None:
            on_message(message)

    def send(self, message: bytes) -> None:
        self.other._came.put(message)

    def send_voice(self, message: bytes) -> None:
        self.send(message)

    def renew(self) -> None:
        """Stay: it never ends."""

    def close(self) -> None:
        self._came.put(None)


class Both:
    """A table of White, who speaks German, and one of Black, who speaks English."""

    def __init__(self, folder: Path) -> None:
        cords = {"white": Cord(), "black": Cord()}
        languages = {"white": "de", "black": "en"}
        players: dict[str, Any] = {
            side: Player(impaired=True, language=languages[side]) for side in languages
        }
        self.at: dict[str, Sitting] = {}
        for side, cord in cords.items():
            cord.other = cords[OTHER[side]]
            (folder / side).mkdir()
            self.at[side] = Sitting(
                folder / side,
                language=languages[side],
                opponent=DistantPlayer(OTHER[side], cord, waited=side == "white", limit_s=30),
                boards=2,
                time_control="600",
                id="of both",
                **players,
            )
            self.at[side].seat_opponent()

    def hears(self, side: str, words: str) -> None:
        self.at[side].shows(words)

    def facts(self, side: str) -> list[Fact]:
        """Those of the journal."""
        return read_journal(self.at[side].table.path).facts

    def types(self, side: str, *lines: str) -> None:
        for line in lines:
            self.at[side].session.typed(side, line)
            self.at[side].session.settle()


@pytest.fixture
def both(tmp_path: Path) -> Iterator[Both]:
    both = Both(tmp_path)
    for one in both.at.values():
        assert one.opponent is not None and one.opponent.begins()
    for one in both.at.values():
        one.wait(partial(getattr, one.table.game, "started"))
    yield both
    for one in both.at.values():
        one.close()


def test_each_hears_what_concerns_them_in_their_own_language(both: Both) -> None:
    both.types("white", "e4")
    both.hears("black", "Bauer Eva zwei Eva vier")
    both.at["white"].session.press("white")
    both.hears("black", "Black to move.")
    both.hears("white", "Schwarz ist am Zug.")
    both.types("white", "zeit beide")
    both.types("black", "time")
    both.hears("black", "minutes")
    assert until(lambda: "query" in [one.kind for one in both.facts("white")])
    assert "Uhr des Gegners" not in both.at["black"].printed


def test_a_draw_is_offered_here_and_accepted_there(both: Both) -> None:
    for side, move in (("white", "e4"), ("black", "e5")):
        both.types(side, move)
        both.at[side].session.press(side)
        both.at[OTHER[side]].wait(
            lambda: all(len(one.table.game.history) for one in both.at.values())
        )
    both.types("white", "remis anbieten", "ja")
    both.hears("black", "offers a draw")
    both.types("black", "accept draw", "yes")
    both.hears("white", "Remis")
    for one in both.at.values():
        one.wait(partial(getattr, one.table.game, "result"))
        assert one.table.game.result == "1/2-1/2"
    assert until(lambda: both.facts("white") == both.facts("black"))
    sheets = [one.table.game.sheets for one in both.at.values()]
    assert sheets[0] == sheets[1] and set(sheets[0]["white"]) == set(sheets[0]["black"]) == {1, 2}


def test_moves_are_taken_back_only_if_the_players_at_both_tables_say_yes(both: Both) -> None:
    for side, move in (("white", "e4"), ("black", "e5")):
        both.types(side, move)
        both.at[side].session.press(side)
        both.at[OTHER[side]].wait(
            lambda: all(len(one.table.game.history) for one in both.at.values())
        )
    for one in both.at.values():
        one.wait(lambda: len(one.table.game.history) == 2)  # noqa: B023
    both.at["white"].table.submit(f.Irregular(by="white", what="wrong_start"))
    both.hears("white", "Schwarz, Ja oder Nein?")
    both.hears("black", "White, yes or no?")
    both.types("white", "ja")
    both.hears("black", "White says yes.")
    assert all(len(one.table.game.history) == 2 for one in both.at.values())
    both.types("black", "yes")
    both.hears("white", "Schwarz sagt Ja.")
    for one in both.at.values():
        one.wait(lambda: not one.table.game.history)  # noqa: B023


def test_nobody_decides_for_the_player_of_the_other_table(both: Both) -> None:
    both.at["white"].session.typed("black", "resign")
    both.at["white"].session.typed("black", "yes")
    both.hears("white", "Das kann nur der andere Tisch entscheiden.")
    assert not both.at["white"].table.game.over


def test_the_player_of_the_other_table_gets_no_introduction_and_no_hint(both: Both) -> None:
    for side, one in both.at.items():
        one.session.introduce()
        assert not one.table.allows(Command.HINT) and one.table.absent == OTHER[side]
    both.hears("white", "Sie können sagen: Hilfe.")
    both.hears("black", "You can say: Help.")


def execute(at: Sitting, side: str, before: chess.Board, move: chess.Move) -> None:
    """Hands execute ``move`` on the pegged board of ``side``."""
    at.boards[side].lift(chess.square_name(move.from_square))
    piece = before.piece_at(move.from_square)
    assert piece is not None
    at.boards[side].place(chess.square_name(move.to_square), piece.symbol())


def play(both: Both, mover: str, board: chess.Board, word: str) -> None:
    """Both execute the move of ``mover``, who presses."""
    other, move = both.at[OTHER[mover]], board.parse_san(word)
    both.types(mover, word)
    other.wait(lambda: other.table.game.turn.announced == move)
    execute(both.at[mover], mover, board, move)
    execute(other, OTHER[mover], board, move)
    both.at[mover].boards[mover].press("white" if mover == "white" else "black")
    board.push(move)
    for one in both.at.values():
        assert until(lambda: one.table.game.board.fen() == board.fen()), one.printed  # noqa: B023


def test_both_play_on_pegged_boards_and_each_board_is_known_at_both_tables(both: Both) -> None:
    for side, one in both.at.items():
        one.attach_boards(**{side: chess.STARTING_BOARD_FEN})
        one.wait(partial(getattr, one.session.boards[side], "seen"))
    board = chess.Board()
    play(both, "white", board, "e4")
    play(both, "black", board, "e5")
    games = [one.table.game for one in both.at.values()]
    assert until(lambda: not any(game.outstanding(side) for game in games for side in f.SIDES))
    assert until(lambda: both.facts("white") == both.facts("black"))
    lifted = [(fact.table, fact.board) for fact in both.facts("white") if isinstance(fact, f.Lift)]
    assert sorted(lifted) == [("black", "black")] * 2 + [("white", "white")] * 2


def test_without_voices_the_word_that_switches_them_says_so(both: Both) -> None:
    Keyboard(both.at["black"].session).do("voice")
    both.hears("black", "No voices are transmitted now.")
