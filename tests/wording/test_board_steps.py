"""Leading hands to a position: which steps are said, and what is said to what hands do."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.language import languages, load
from blindplay.laws.facts import Make, Player, Record, Setup, Start
from blindplay.laws.placement import Pieces, pieces_of
from blindplay.record import Journal
from blindplay.table.session import Session
from blindplay.table.table import Table
from blindplay.wording.board_steps import SetupGuide, named, plan

GERMAN = load("de")
BOARDS = st.dictionaries(st.integers(0, 63), st.sampled_from("PNBRQKpnbrqk"), max_size=20)


def pieces(placement: str) -> dict[int, str]:
    return pieces_of(chess.BaseBoard(placement))


def without(board: dict[int, str], square: str) -> dict[int, str]:
    return {at: letter for at, letter in board.items() if at != chess.parse_square(square)}


def led(goal: str, now: str) -> tuple[SetupGuide, list[str]]:
    guide = SetupGuide(pieces(goal), GERMAN)
    return guide, guide.begin(pieces(now))


START = chess.STARTING_FEN.split()[0]


def test_a_missing_piece_is_named_with_its_square() -> None:
    guide, said = led(START, "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR")
    assert said == ["Feld Eva zwei fehlt: weißer Bauer."]
    assert guide.opening("Weiß")[0] == "Jetzt wird das Brett von Weiß aufgestellt. Schritte: eins."
    assert guide.feel(pieces(START)) == ["Die Stellung ist aufgestellt."]
    assert guide.finished


def test_a_piece_on_the_wrong_square_is_one_step_and_lifting_it_is_no_other() -> None:
    guide, said = led("8/8/8/7Q/8/8/8/8", "8/8/8/8/6Q1/8/8/8")
    assert said == ["Umstecken: weiße Dame, von Gustav vier nach Hector fünf."]
    assert guide.feel({}) == []
    assert guide.feel(pieces("8/8/8/7Q/8/8/8/8")) == ["Die Stellung ist aufgestellt."]


def test_pieces_in_each_others_way_are_set_aside_first() -> None:
    guide, said = led("8/8/8/8/8/8/8/QK6", "8/8/8/8/8/8/8/KQ6")
    assert said == ["Beiseite legen: weißer König, Anna eins."]
    assert guide.feel(pieces("8/8/8/8/8/8/8/1Q6")) == [
        "Umstecken: weiße Dame, von Bella eins nach Anna eins."
    ]
    assert guide.feel({}) == []
    assert guide.feel(pieces("8/8/8/8/8/8/8/Q7")) == ["Feld Bella eins fehlt: weißer König."]


def test_a_slip_of_the_hand_is_told_with_what_to_do_now() -> None:
    guide, _ = led("8/8/8/7Q/8/8/8/8", "8/8/8/8/6Q1/8/8/8")
    guide.feel({})
    assert guide.feel(pieces("8/8/8/8/7Q/8/8/8")) == [
        "Jetzt steht es anders als erwartet.",
        "Umstecken: weiße Dame, von Hector vier nach Hector fünf.",
    ]


def test_who_works_in_another_order_is_not_disturbed() -> None:
    guide, said = led("8/8/8/8/8/8/PP6/8", "8/8/8/8/8/8/8/8")
    assert said == ["Feld Anna zwei fehlt: weißer Bauer."]
    assert guide.feel(pieces("8/8/8/8/8/8/1P6/8")) == []
    assert guide.feel(pieces("8/8/8/8/8/8/PP6/8")) == ["Die Stellung ist aufgestellt."]


def test_a_step_is_repeated_and_left_out_on_request() -> None:
    guide, said = led("8/8/8/8/8/8/PP6/8", "8/8/8/8/8/8/8/8")
    assert guide.repeat() == said
    assert guide.skip() == ["Feld Bella zwei fehlt: weißer Bauer."]
    assert guide.feel(pieces("8/8/8/8/8/8/1P6/8")) == ["Ausgelassen sind die Felder: Anna zwei."]
    assert guide.finished and guide.skip() == [] and guide.repeat() == []


def test_a_board_that_cannot_name_pieces_is_set_up_by_holes() -> None:
    goal = pieces("8/8/8/8/8/8/PP6/8")
    assert named("8/8/8/8/8/8/??6/8", goal) == goal
    guide = SetupGuide(goal, GERMAN)
    assert guide.begin(named("8/8/8/8/8/8/??5?/8", goal)) == [
        "Vom Brett nehmen: die Figur auf Hector zwei."
    ]


def fewest(now: tuple[str, ...], goal: tuple[str, ...]) -> int:
    """By trying everything: a piece is moved into an empty hole, taken off, or put on."""
    reached, front, steps = {now}, {now}, 0
    while goal not in reached:
        following = set()
        for board in front:
            for at, piece in enumerate(board):
                if piece == " ":
                    following |= {(*board[:at], new, *board[at + 1 :]) for new in "PN"}
                    continue
                without = (*board[:at], " ", *board[at + 1 :])
                following.add(without)
                following |= {
                    (*without[:to], piece, *without[to + 1 :])
                    for to, there in enumerate(without)
                    if there == " " and to != at
                }
        reached |= following
        front, steps = following, steps + 1
    return steps


SQUARES = st.tuples(*[st.sampled_from(" PN")] * 4)


@settings(max_examples=300, deadline=None)
@given(now=SQUARES, goal=SQUARES)
def test_nobody_comes_to_the_position_in_fewer_steps(
    now: tuple[str, ...], goal: tuple[str, ...]
) -> None:
    shown, wanted = (
        {at: piece for at, piece in enumerate(board) if piece != " "} for board in (now, goal)
    )
    assert sum(1 for _ in plan(shown, wanted)) == fewest(now, goal)


@pytest.mark.parametrize("code", languages())
@settings(max_examples=60, deadline=None)
@given(now=BOARDS, goal=BOARDS)
def test_hands_that_do_what_is_said_come_to_the_position(
    code: str, now: dict[int, str], goal: dict[int, str]
) -> None:
    guide = SetupGuide(goal, load(code))
    said = guide.begin(now)
    expected = sum(1 for _ in plan(now, goal))
    board: Pieces = now
    steps = 0
    while guide.step is not None:
        assert len(said) == 1
        *on_the_way, board = guide.step.boards
        assert not any(guide.feel(shown) for shown in on_the_way)
        said = guide.feel(board)
        steps += 1
    assert steps == expected and board == goal and not guide.left_out


# --- at a table ----------------------------------------------------------------------------


class Sitting:
    """A table with two emulated boards, nobody speaking."""

    def __init__(self, folder: Path, white: str, black: str, *, resume: bool = False) -> None:
        self.out = io.StringIO()
        setup = Setup(t=0, time_control="900+10", white=Player(impaired=True), arbiter="automatic")
        self.journal = Journal(folder / "game.jsonl", resume=resume)
        self.table = Table(self.journal, None if resume else setup)
        self.session = Session(self.table, GERMAN, None, self.out)
        self.session.prepare()
        self.boards = {"white": EmulatedBoard(white), "black": EmulatedBoard(black)}
        for side, board in self.boards.items():
            self.session.attach_board(side, board.url)

    def wait(self, what: Callable[[], bool]) -> None:
        end = time.monotonic() + 10
        while not what():
            assert time.monotonic() < end, self.out.getvalue()
            time.sleep(0.01)

    def said(self, words: str) -> Callable[[], bool]:
        return lambda: f": {words}" in self.out.getvalue()

    def close(self) -> None:
        self.session.close()
        for board in self.boards.values():
            board.close()
        self.journal.close()


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Callable[..., Sitting]]:
    sittings: list[Sitting] = []

    def make(*placements: str, resume: bool = False) -> Sitting:
        sittings.append(Sitting(tmp_path, *placements, resume=resume))
        return sittings[-1]

    yield make
    for sitting in sittings:
        sitting.close()


def test_the_game_begins_when_hands_have_been_led_to_the_position(
    sit: Callable[..., Sitting],
) -> None:
    at = sit(START, "rnbqkbnr/pppp1ppp/4p3/8/8/8/PPPP1PPP/RNBQKBNR")
    begun: list[int] = []
    at.session.set_up(lambda: begun.append(1))
    at.wait(at.said("Jetzt wird das Brett von Schwarz aufgestellt. Schritte: zwei."))
    at.wait(at.said("Umstecken: schwarzer Bauer, von Eva sechs nach Eva sieben."))
    assert not begun
    at.session.typed("white", "wiederholen")
    assert at.out.getvalue().count("Umstecken") == 2
    at.boards["black"].lift("e6")
    at.boards["black"].place("e7", "p")
    at.wait(at.said("Feld Eva zwei fehlt: weißer Bauer."))
    at.boards["black"].place("e2", "P")
    at.wait(at.said("Die Stellung ist aufgestellt."))
    at.wait(lambda: begun == [1])
    assert "verschieden" not in at.out.getvalue()


def test_boards_that_were_seen_before_are_set_up_all_the_same(
    sit: Callable[..., Sitting],
) -> None:
    """Loading a speech model takes seconds. Until then nothing has been played, so nobody needs to
    hear that the boards differ, that nobody has written anything, or whose hands did what."""
    wrong = "rnbqkbnr/pppp1ppp/4p3/8/8/8/PPPP1PPP/RNBQKBNR"
    at = sit(START, wrong)
    at.wait(lambda: at.session._looked_at == {"white", "black"})
    at.wait(lambda: "records_missing" in at.out.getvalue())
    assert "said" not in at.out.getvalue()
    at.session.set_up(lambda: None)
    first, *_ = re.findall("said to everybody: (.*)", at.out.getvalue())
    assert first == "Jetzt wird das Brett von Schwarz aufgestellt. Schritte: zwei."
    at.boards["black"].lift("e6")
    at.boards["black"].place("e7", "p")
    at.boards["black"].place("e2", "P")
    at.wait(at.said("Die Stellung ist aufgestellt."))
    for words in ("verschieden", "Schiedsrichter", "berichtigen"):
        assert words not in at.out.getvalue()


def test_boards_that_show_the_position_begin_without_a_word(sit: Callable[..., Sitting]) -> None:
    at = sit(START, START)
    begun: list[int] = []
    at.session.set_up(lambda: begun.append(1))
    at.wait(lambda: begun == [1])
    assert "said" not in at.out.getvalue()


def test_a_board_that_is_not_there_is_not_waited_for(sit: Callable[..., Sitting]) -> None:
    at = sit(START, START)
    at.boards["black"].unplug()
    begun: list[int] = []
    at.session.set_up(lambda: begun.append(1))
    at.wait(lambda: begun == [1])
    assert not at.session.begin_now()


def with_a_knight_gone_wrong(sit: Callable[..., Sitting]) -> Sitting:
    """White has announced and played Nf3; on Black's board the knight went to h3."""
    at = sit(START, START)
    at.session.set_up(lambda: None)
    at.wait(lambda: at.session._begin is None)
    at.table.submit(Start())
    at.session.typed("white", "Springer Gustav eins Felix drei")
    for side, to in (("white", "f3"), ("black", "h3")):
        at.boards[side].lift("g1")
        at.boards[side].place(to, "N")
    at.boards["white"].press("white")
    return at


def test_a_wrong_board_in_the_game_is_led_back_step_by_step(sit: Callable[..., Sitting]) -> None:
    at = with_a_knight_gone_wrong(sit)
    at.wait(at.said("Bitte berichtigen Sie das Brett von Schwarz."))
    at.wait(at.said("Umstecken: weißer Springer, von Hector drei nach Felix drei."))
    at.boards["black"].lift("h3")
    at.boards["black"].place("f3", "N")
    at.wait(at.said("Die Stellungen auf beiden Brettern sind gleich."))


def test_a_board_that_was_never_felt_is_told_all_steps_at_once(sit: Callable[..., Sitting]) -> None:
    at = sit(START, START)
    at.boards["black"].unplug()
    at.session.set_up(lambda: None)
    at.wait(lambda: at.session._begin is None)
    at.table.submit(Start())
    at.session.typed("white", "Springer Gustav eins Felix drei")
    at.boards["white"].lift("g1")
    at.boards["white"].place("f3", "N")
    at.wait(at.said("Die Verbindung zum Brett von Schwarz ist unterbrochen."))
    # Black has no sensors now: what he did by hand was entered, and was another move.
    at.table.submit(Make(by="black", move="g1h3"))
    at.boards["white"].press("white")
    at.wait(at.said("Bitte berichtigen Sie das Brett von Schwarz."))
    at.wait(at.said("Nehmen: weißer Springer, Hector drei."))
    at.wait(at.said("Setzen: weißer Springer, Felix drei."))


def test_after_taking_back_both_boards_are_led_one_after_the_other(
    sit: Callable[..., Sitting],
) -> None:
    at = with_a_knight_gone_wrong(sit)
    at.wait(at.said("Umstecken: weißer Springer, von Hector drei nach Felix drei."))
    # While he corrects his board he writes what he had heard: now the sheets part.
    at.table.submit(Record(by="black", ply=1, text="Sh3"))
    at.wait(at.said("Schwarz hat geschrieben: Springer Gustav eins Hector drei."))
    at.wait(at.said("Alle Züge werden zurückgenommen, bis zur Anfangsstellung."))
    step = "Umstecken: weißer Springer, von Felix drei nach Gustav eins."
    at.wait(at.said(step))
    at.session.typed("white", "wiederholen")
    assert at.out.getvalue().count(step) == 2
    at.session.typed("white", "weiter")
    at.wait(at.said("Ausgelassen sind die Felder: Felix drei, Gustav eins."))
    at.wait(at.said("Umstecken: weißer Springer, von Hector drei nach Gustav eins."))
    for side, now in (("black", "h3"), ("white", "f3")):
        at.boards[side].lift(now)
        at.boards[side].place("g1", "N")
    at.wait(lambda: at.out.getvalue().count("auf beiden Brettern sind gleich") == 2)
    assert not at.table.game.history
    assert all(table.wanted is None for table in at.table.game.tables.values())
