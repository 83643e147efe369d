"""Two boards that nothing tells apart come back, perhaps under exchanged names."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias

import chess
import pytest
from serial.tools import list_ports

from blindplay.boards import events
from blindplay.boards.driver import SensorBoard
from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.console.actions import ActionResult, act_after_hands
from blindplay.console.pages import common
from blindplay.laws import facts as f
from blindplay.record import Journal, games, read_journal
from blindplay.table import Table
from blindplay.table.board_seat import BoardSeat
from blindplay.table.devices import WantedDevices
from blindplay.table.play import TableOptions, run
from blindplay.table.session import Session
from tests.boards.dgt.emulated import EmulatedDgtBoard
from tests.conversation.conversing import GERMAN
from tests.record.disks import failing
from tests.table.playing import SETUP
from tests.table.sitting import START, Sit, Sitting
from tests.waiting import until

if TYPE_CHECKING:
    from hardware.emulated import FirmwareBoard

ASKED, KNOWN = GERMAN.sentence("owners_asked"), GERMAN.sentence("owners_known")
OTHER_BOARD, COPIED = "ist ein anderes als vorher", GERMAN.sentence("board_copied")
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"
AFTER_E5 = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR"
NAMELESS = "????????/????????/8/8/8/8/????????/????????"
HANDS = (f.Lift, f.Place, f.Position, f.Touch)


class Port(SensorBoard):
    """A port with a board of a kind of which every board is like every other."""

    kind = "pegged"

    def __init__(self) -> None:
        self.connections = 0
        self.answers = False

    def start(self) -> None:
        """It is plugged in later."""

    def placement(self) -> str | None:
        return None

    def may_be(self, other: SensorBoard, *, by_name: bool = False) -> bool:
        return isinstance(other, Port) and self.kind == other.kind

    def answers_since(self, at: float, connection: int) -> bool:
        return self.answers and connection == self.connections

    def plug(self, placement: str = START, which: str = "") -> None:
        """A board with this position and this id, if it has one, answers here."""
        self.connections += 1
        self.answers = True
        self.tell(events.Connected("port", "a board", which=which))
        self.tell(events.BoardPosition(placement))

    def unplug(self) -> None:
        self.answers = False
        self.tell(events.Disconnected("The cable is off."))

    def lift(self, square: str) -> None:
        self.tell(events.Lifted(square))

    def place(self, square: str, piece: str | None) -> None:
        self.tell(events.Placed(square, piece))

    def raise_king(self, side: str, piece: str | None = None) -> None:
        square, king = ("e1", "K") if side == "white" else ("e8", "k")
        self.lift(square)
        self.place(square, king if piece is None else piece or None)


class TwoBoards:
    """A table with a board for each side, each behind a port. ``ids`` are those of the boards."""

    def __init__(
        self, sitting: Sitting, *, by_name: bool = False, ids: tuple[str, str] = ("", "")
    ) -> None:
        self.sitting, self.session = sitting, sitting.session
        self.white, self.black = Port(), Port()
        for seat, port in (("white", self.white), ("black", self.black)):
            self.session.attach(port, seat, by_name=by_name)
        if not by_name:
            self.white.plug(which=ids[0])
            self.black.plug(which=ids[1])
        self.sitting.said()

    @property
    def game(self) -> Any:
        return self.sitting.table.game

    def pass_a_second(self) -> list[str]:
        """Let the table look, and return what it has said since."""
        self.session._whose_boards.tick()
        return self.sitting.said()

    def lose_both(self) -> None:
        self.white.unplug()
        self.black.unplug()
        self.sitting.said()

    def replug(self, white: str = START, black: str = START) -> None:
        """Lose both boards. They come back one after the other with these positions."""
        self.lose_both()
        self.white.plug(white)
        self.black.plug(black)

    def whose(self, port: Port) -> str:
        """The side whose board is taken to be at ``port``."""
        (seat,) = (one for one in self.session.boards.values() if one.board is port)
        assert self.session.boards[seat.seat] is seat and not seat.unassigned
        return seat.side

    def hands(self) -> list[tuple[str, str, str]]:
        """What hands have done, as the table has taken it."""
        facts = (taken.fact for taken in self.sitting.table.log)
        return [
            (one.board, one.kind, one.square) for one in facts if isinstance(one, f.Lift | f.Place)
        ]


@pytest.fixture
def two(sit: Sit) -> TwoBoards:
    sitting = sit(time_control="900")
    sitting.start()
    return TwoBoards(sitting)


# --- how it is asked and answered ---------------------------------------------------------------


@pytest.mark.parametrize("answers", ["white", "black"])
@pytest.mark.parametrize("exchanged", [False, True])
def test_with_equal_positions_the_table_asks_and_takes_no_touch_until_a_king_is_lifted(
    two: TwoBoards, exchanged: bool, answers: str
) -> None:
    two.replug()
    taken = len(two.hands())
    two.black.raise_king("white")  # before anybody was asked
    two.white.lift("d2")
    assert two.pass_a_second() == [ASKED]
    two.white.place("d2", "P")
    two.white.lift("e2")
    two.white.lift("e1")
    two.white.place("e2", "P")  # this is not back
    two.white.place("e1", "K")
    assert two.pass_a_second() == [] and len(two.hands()) == taken
    assert not two.game.turn.touched and not two.game.owners_known
    port, other = (two.white, two.black)[:: -1 if exchanged else 1]
    (port if answers == "white" else other).raise_king(answers)
    assert KNOWN in two.sitting.said()
    assert (two.whose(port), two.whose(other)) == ("white", "black")
    assert len(two.hands()) == taken and not two.game.turn.touched
    port.lift("e2")
    assert two.game.turn.touched == [chess.E2]
    other.lift("e7")
    assert two.hands()[taken:] == [("white", "lift", "e2"), ("black", "lift", "e7")]


def test_the_other_players_king_may_be_lifted_late_and_is_not_touched(two: TwoBoards) -> None:
    """Both were asked. White answers later than Black, when it is White's move."""
    two.replug()
    two.pass_a_second()
    two.black.raise_king("black")
    two.white.raise_king("white")
    assert not two.game.turn.touched and two.hands() == []
    two.white.lift("e1")
    assert two.game.turn.touched == [chess.E1]


def test_a_king_that_was_asked_for_and_moves_instead_is_touched(two: TwoBoards) -> None:
    two.replug()
    two.pass_a_second()
    two.black.raise_king("black")
    two.white.lift("e1")
    two.white.place("e3", "K")
    assert two.hands() == [("white", "lift", "e1"), ("white", "place", "e3")]


def test_what_hands_did_meanwhile_is_a_position_and_no_touch(two: TwoBoards) -> None:
    two.replug()
    two.pass_a_second()
    two.black.lift("e2")
    two.black.place("e4", "P")
    two.black.raise_king("white")
    assert two.whose(two.black) == "white" and two.hands() == []
    assert two.game.turn.executed == chess.Move.from_uci("e2e4")
    assert not two.game.turn.touched


def test_boards_without_names_of_pieces_are_known_by_the_kings_square(two: TwoBoards) -> None:
    two.replug(NAMELESS, NAMELESS)
    two.pass_a_second()
    two.black.lift("d2")
    two.black.place("d2", None)
    assert two.pass_a_second() == []
    two.black.raise_king("white", "")
    assert two.whose(two.black) == "white"
    assert two.game.tables["white"].placement == two.game.pieces


# --- which boards come back -----------------------------------------------------------------------


def test_a_board_whose_other_one_has_answered_all_the_time_is_certain(two: TwoBoards) -> None:
    two.white.unplug()
    two.white.plug()
    assert two.whose(two.white) == "white"
    two.white.lift("e2")
    assert two.game.turn.touched == [chess.E2] and ASKED not in two.pass_a_second()


def test_a_board_waits_until_the_other_one_has_answered(two: TwoBoards) -> None:
    """Both may have been lost, and one loss was noticed first."""
    two.black.answers = False
    two.white.unplug()
    two.white.plug()
    two.white.lift("e2")
    assert not two.game.turn.touched and ASKED not in two.pass_a_second()
    two.black.answers = True
    two.pass_a_second()
    assert two.game.turn.touched == [chess.E2]  # nobody was asked for it


def test_a_loss_that_the_table_has_not_heard_of_makes_the_other_board_uncertain(
    two: TwoBoards,
) -> None:
    two.white.unplug()
    two.black.connections += 1  # lost and back: both are still to be told
    two.white.plug()
    two.white.lift("e2")
    assert not two.game.turn.touched
    two.black.tell(events.Disconnected("The cable is off."))
    two.black.tell(events.Connected("port", "a board"))
    two.black.tell(events.BoardPosition(START))
    assert ASKED in two.pass_a_second() and not two.game.turn.touched


@pytest.mark.parametrize("owner", ["white", "black"])
def test_of_two_lost_boards_the_first_that_is_back_is_asked_about_and_then_the_other_is_certain(
    two: TwoBoards, owner: str
) -> None:
    two.lose_both()
    two.white.plug()
    assert two.pass_a_second() == [ASKED]
    two.white.raise_king(owner)
    assert two.whose(two.white) == owner
    two.black.plug()
    assert two.whose(two.black) == {"white": "black", "black": "white"}[owner]
    assert ASKED not in two.pass_a_second()


def test_a_board_that_is_lost_again_is_asked_about_again(two: TwoBoards) -> None:
    two.lose_both()
    two.white.plug()
    assert two.pass_a_second() == [ASKED]
    two.white.unplug()
    assert ASKED not in two.pass_a_second()
    two.white.plug()
    two.black.plug()
    assert ASKED in two.pass_a_second()


def test_boards_of_two_makers_are_never_asked_about(sit: Sit) -> None:
    sitting = sit(time_control="900")
    sitting.start()
    two = TwoBoards(sitting)
    two.black.kind = "another maker"
    two.lose_both()
    two.white.plug()
    two.white.lift("e2")
    two.black.plug()
    assert ASKED not in two.pass_a_second()
    assert two.game.turn.touched == [chess.E2]


# --- boards with ids ------------------------------------------------------------------------------


def with_ids(sit: Sit, *ids: str) -> TwoBoards:
    sitting = sit(time_control="900")
    sitting.start()
    return TwoBoards(sitting, ids=(ids[0], ids[1]))


@pytest.mark.parametrize("first", ["white", "black"])
@pytest.mark.parametrize("exchanged", [False, True])
def test_ids_tell_at_once_whose_boards_came_back(sit: Sit, exchanged: bool, first: str) -> None:
    two = with_ids(sit, "a", "b")
    two.lose_both()
    port, other = (two.white, two.black)[:: -1 if exchanged else 1]
    for one, which in ((port, "a"), (other, "b"))[:: 1 if first == "white" else -1]:
        one.plug(which=which)
        assert two.whose(one) == {"a": "white", "b": "black"}[which]
    port.lift("e2")
    other.lift("e7")
    assert two.hands() == [("white", "lift", "e2"), ("black", "lift", "e7")]
    said = " ".join(two.pass_a_second())
    assert ASKED not in said and OTHER_BOARD not in said and two.game.owners_known


def test_one_id_is_enough_if_the_other_board_has_none(sit: Sit) -> None:
    two = with_ids(sit, "a", "")
    two.lose_both()
    two.white.plug()  # Black's, or a third one
    two.white.lift("e7")
    assert two.hands() == []
    two.black.plug(which="a")
    two.pass_a_second()
    assert (two.whose(two.black), two.whose(two.white)) == ("white", "black")
    two.black.lift("e2")
    assert two.game.turn.touched == [chess.E2]
    two.lose_both()
    two.white.plug()  # not White's, which has an id
    assert two.whose(two.white) == "black" and ASKED not in two.pass_a_second()


def test_a_board_that_came_to_the_other_port_waits_until_that_loss_was_told(sit: Sit) -> None:
    two = with_ids(sit, "a", "b")
    two.white.unplug()
    two.black.answers = False  # lost, too, and nobody has told it yet
    two.white.plug(which="b")
    two.white.lift("e7")
    assert two.hands() == []
    two.black.tell(events.Disconnected("The cable is off."))
    two.pass_a_second()
    assert two.whose(two.white) == "black"
    two.black.plug(which="a")
    assert two.whose(two.black) == "white" and two.hands() == [("black", "lift", "e7")]
    assert ASKED not in two.pass_a_second()


def test_another_board_in_the_place_of_ones_own_is_taken_and_said(sit: Sit) -> None:
    two = with_ids(sit, "a", "b")
    two.white.unplug()
    two.sitting.said()
    two.white.plug(which="c")
    assert two.whose(two.white) == "white"
    assert [line for line in two.sitting.said() if OTHER_BOARD in line]
    two.white.unplug()
    two.white.plug(which="c")
    assert not [line for line in two.sitting.said() if OTHER_BOARD in line]


def test_a_third_board_after_both_were_lost_is_asked_about(sit: Sit) -> None:
    two = with_ids(sit, "a", "b")
    two.lose_both()
    two.white.plug(which="c")
    two.white.lift("e2")
    assert ASKED in two.pass_a_second() and two.hands() == []
    two.white.place("e2", "P")
    two.white.raise_king("black")
    assert two.whose(two.white) == "black"
    two.black.plug(which="a")
    assert two.whose(two.black) == "white"


def test_two_boards_with_the_same_id_are_noticed_said_and_asked_about(sit: Sit) -> None:
    sitting = sit(time_control="900")
    sitting.start()
    two = TwoBoards(sitting, by_name=True)
    two.white.plug(which="a")
    two.black.plug(which="a")
    two.pass_a_second()
    two.white.raise_king("white")
    assert COPIED in two.sitting.printed
    two.lose_both()
    two.white.plug(which="a")
    two.white.lift("e2")
    assert ASKED in two.pass_a_second() and two.hands() == []


def test_a_copy_that_comes_in_the_place_of_a_board_is_noticed(sit: Sit) -> None:
    two = with_ids(sit, "a", "b")
    two.white.unplug()
    two.white.plug(which="b")  # a copy of Black's board, which answers all the time
    two.pass_a_second()
    assert two.whose(two.white) == "white"
    assert COPIED in two.sitting.printed


# --- what stands on them --------------------------------------------------------------------------


@pytest.mark.parametrize("exchanged", [False, True])
def test_a_board_that_lags_behind_tells_them_apart(two: TwoBoards, exchanged: bool) -> None:
    """White's board cannot go back to the position before a move that it has shown."""
    two.session.typed("white", "e2e4")
    two.white.lift("e2")
    two.white.place("e4", "P")
    two.session.press("white")
    two.lose_both()
    port, other = (two.white, two.black)[:: -1 if exchanged else 1]
    port.plug(AFTER_E4)
    other.plug(START)
    assert (two.whose(port), two.whose(other)) == ("white", "black")
    assert ASKED not in two.pass_a_second()


def test_a_move_that_either_player_may_have_executed_tells_nothing(two: TwoBoards) -> None:
    """White says a move while the table is down, and Black executes it first (D.2.1)."""
    two.replug(AFTER_E4, START)
    assert two.pass_a_second() == [ASKED]
    two.black.raise_king("white")
    assert two.whose(two.black) == "white"


def test_a_position_that_fits_neither_player_is_asked_about(two: TwoBoards) -> None:
    two.replug("8/8/8/8/8/8/8/K6k", "8/8/8/8/8/8/8/K6k")
    assert two.pass_a_second() == [ASKED]


# --- in every state of the game -------------------------------------------------------------------


def test_while_boards_are_set_up_nobody_is_led_at_a_board_of_nobody(sit: Sit) -> None:
    sitting = sit(time_control="900")
    sitting.session.setting_up.prepare()
    two = TwoBoards(sitting)
    begun: list[int] = []
    two.black.lift("e7")
    sitting.session.setting_up.start(lambda: begun.append(1))
    sitting.said()
    two.lose_both()
    missing = START.replace("pppppppp", "pppp1ppp")
    two.white.plug(missing)
    two.black.plug(missing)
    assert two.pass_a_second() == [ASKED]
    two.white.place("e7", "p")
    assert sitting.said() == [] and not begun
    two.white.raise_king("white")
    assert KNOWN in sitting.said() and not begun
    two.black.place("e7", "p")
    sitting.session.setting_up.begin_if_ready()
    assert begun == [1]


def test_in_an_adjourned_game_they_are_asked_about_too(two: TwoBoards) -> None:
    table = two.sitting.table
    table.submit(f.Arbiter(do="adjourn"))
    two.session.typed("white", "e2e4")
    table.submit(f.Seal(by="white", text="e2e4"))
    table.submit(f.Press(by="white"))
    assert two.game.adjourned
    two.replug()
    assert ASKED in two.pass_a_second()
    two.black.raise_king("white")
    assert two.whose(two.black) == "white"


def test_after_the_game_nobody_is_asked(two: TwoBoards) -> None:
    two.sitting.table.submit(f.Resign(by="white"))
    two.replug()
    assert ASKED not in two.pass_a_second()


def test_after_reversed_colours_each_king_is_that_of_its_players_new_side(two: TwoBoards) -> None:
    """7.3: the players stay where they are."""
    table = two.sitting.table
    table.submit(f.Irregular(by="arbiter", what="reversed_colours"))
    table.submit(f.Arbiter(do="confirm"))
    assert two.session.boards["white"].side == "black"
    two.replug()
    two.pass_a_second()
    two.white.raise_king("black")
    assert two.session.boards["white"].board is two.white
    two.replug()
    two.pass_a_second()
    two.white.raise_king("white")
    assert two.session.boards["black"].board is two.white


@pytest.mark.parametrize("exchanged", [False, True])
def test_in_a_game_that_goes_on_only_the_names_of_ports_are_known(
    sit: Sit, exchanged: bool
) -> None:
    sitting = sit(time_control="900")
    sitting.start()
    two = TwoBoards(sitting, by_name=True)
    two.white.plug()
    two.black.plug()
    two.white.lift("e2")
    assert two.hands() == [] and two.pass_a_second() == [ASKED]
    port, other = (two.white, two.black)[:: -1 if exchanged else 1]
    port.raise_king("white")
    assert (two.whose(port), two.whose(other)) == ("white", "black")
    assert two.hands() == []


@pytest.mark.parametrize("exchanged", [False, True])
def test_in_a_game_that_goes_on_the_ids_from_before_are_known(sit: Sit, exchanged: bool) -> None:
    sitting = sit(time_control="900")
    games.keep_options(sitting.table.path, {"language": "de"})
    sitting.start()
    TwoBoards(sitting, ids=("a", "b"))
    sitting.table.submit(f.BoardOwners(known=False))
    kept = games.kept_options(sitting.table.path)
    assert kept == {"language": "de", "board_ids": {"white": "a", "black": "b"}}
    again = sit(time_control="900")
    games.keep_options(again.table.path, kept)
    again.start()
    session = Session(again.table, GERMAN, None, again.session.transcript)
    again.session = session
    two = TwoBoards(again, by_name=True)
    port, other = (two.white, two.black)[:: -1 if exchanged else 1]
    port.plug(which="a")
    other.plug(which="b")
    port.lift("e2")
    assert ASKED not in two.pass_a_second() and two.hands() == [("white", "lift", "e2")]
    session.close()


def test_ids_that_a_full_disk_refused_are_kept_as_soon_as_there_is_room(sit: Sit) -> None:
    sitting = sit(time_control="900")
    games.keep_options(sitting.table.path, {"language": "de"})
    sitting.start()
    with failing("write"):
        TwoBoards(sitting, ids=("a", "b"))
        sitting.table.submit(f.BoardOwners(known=False))
    assert games.kept_options(sitting.table.path) == {"language": "de"}
    sitting.table.save()
    kept = games.kept_options(sitting.table.path)
    assert kept == {"language": "de", "board_ids": {"white": "a", "black": "b"}}


@pytest.mark.parametrize("ids", [5, "ab", ["a", "b"], {"white": 5, "black": None, "x": "a"}])
def test_ids_of_before_that_somebody_has_damaged_stop_no_game(sit: Sit, ids: object) -> None:
    again = sit(time_control="900")
    games.keep_options(again.table.path, {"language": "de", "board_ids": ids})
    again.start()
    session = Session(again.table, GERMAN, None, again.session.transcript)
    again.session = session
    two = TwoBoards(again, ids=("a", "b"))
    two.white.lift("e2")
    assert two.hands() == [("white", "lift", "e2")]
    kept = games.kept_options(again.table.path)
    assert kept == {"language": "de", "board_ids": {"white": "a", "black": "b"}}
    session.close()


def test_a_question_of_before_is_forgotten_where_the_boards_are_others(sit: Sit) -> None:
    sitting = sit(time_control="900")
    sitting.start()
    sitting.table.submit(f.BoardOwners(known=False))
    two = TwoBoards(sitting, by_name=True)
    two.black.kind = "another maker"
    assert KNOWN in two.pass_a_second() and two.game.owners_known


# --- presses, levers, pages -----------------------------------------------------------------------


def test_a_press_waits_for_the_answer_and_says_so_aloud_and_on_its_page(two: TwoBoards) -> None:
    two.replug()
    two.pass_a_second()
    two.session.typed("white", "e2e4")
    two.white.lift("e2")
    two.white.place("e4", "P")
    two.sitting.said()
    two.white.tell(events.LeverPressed("white"))
    assert two.sitting.said() == [ASKED]
    assert "Jeder hebt den eigenen König" in common.status(two.game, "de")
    answers: list[ActionResult] = []
    form = {"act": ["press"]}
    act_after_hands(two.sitting.table, "white", "de", form, answers.append)
    assert answers[0].sentences[0] == ASKED
    two.white.raise_king("white")
    assert [ply.move.uci() for ply in two.game.history] == ["e2e4"]
    assert not two.sitting.ruled("illegal")
    assert "Jeder hebt den eigenen König" not in common.status(two.game, "de")


def test_a_lever_that_may_be_a_talk_button_or_the_clock_does_nothing(sit: Sit) -> None:
    sitting = sit(time_control="900")
    sitting.start()
    two = TwoBoards(sitting)
    two.session.boards["white"].levers = False
    two.replug()
    two.pass_a_second()
    two.white.tell(events.LeverPressed("white"))
    assert "lever pressed" not in sitting.printed
    two.white.raise_king("black")
    two.white.tell(events.LeverPressed("white"))
    assert "felt White's clock lever pressed" in sitting.printed
    seat: BoardSeat = two.session.boards["white"]
    assert seat.board is two.black and not seat.levers


# --- boards in software behind ports that swap their names ----------------------------------------


@pytest.fixture
def ports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """Two names of serial ports of adapters without a serial number."""
    names = [tmp_path / "ttyUSB0", tmp_path / "ttyUSB1"]

    def present() -> list[SimpleNamespace]:
        return [
            SimpleNamespace(
                device=str(name), description="", vid=0x1A86, pid=0x7523, serial_number=None
            )
            for name in names
            if name.exists()
        ]

    monkeypatch.setattr(list_ports, "comports", present)
    yield names


AnyBoard: TypeAlias = "EmulatedBoard | FirmwareBoard"


@pytest.fixture(params=["software", "firmware"])
def pegged(request: pytest.FixtureRequest) -> Iterator[list[AnyBoard]]:
    """White's board and Black's."""
    if request.param == "firmware":
        request.getfixturevalue("firmware")
        from hardware.emulated import FirmwareBoard

        with FirmwareBoard() as one, FirmwareBoard(seed=2) as other:
            yield [one, other]
    else:
        with EmulatedBoard() as one, EmulatedBoard() as other:
            yield [one, other]


OLD = 0x0101


@pytest.fixture(params=["software", "firmware"])
def old(request: pytest.FixtureRequest) -> Iterator[list[AnyBoard]]:
    """White's board and Black's, with a firmware from before boards had ids."""
    if request.param == "firmware":
        request.getfixturevalue("firmware")
        from hardware.emulated import FirmwareBoard

        with FirmwareBoard(old=True) as one, FirmwareBoard(seed=2, old=True) as other:
            yield [one, other]
    else:
        with EmulatedBoard(firmware=OLD) as one, EmulatedBoard(firmware=OLD) as other:
            yield [one, other]


def join(ports: list[Path], *urls: str) -> None:
    """Let the names lead to these ports, in their order."""
    for name, url in zip(ports, urls, strict=True):
        name.unlink(missing_ok=True)
        name.symlink_to(url)


def sit_down(sit: Sit, ports: list[Path], boards: list[AnyBoard]) -> Sitting:
    """A game with a board for each side, in their order, that has begun."""
    sitting = sit(time_control="900", options={"tick_seconds": 0.1})
    join(ports, *(board.url for board in boards))
    for seat, name in zip(("white", "black"), ports, strict=True):
        sitting.session.attach_board(seat, str(name))
    sitting.wait(lambda: all(seat.connected for seat in sitting.session.boards.values()))
    sitting.start()
    return sitting


def exchange(sitting: Sitting, ports: list[Path], boards: list[AnyBoard]) -> None:
    """Unplug both boards, and plug them in again with their ports exchanged."""
    for board in boards:
        board.unplug()
    sitting.wait(lambda: all(seat.gone for seat in sitting.session.boards.values()))
    join(ports, *(board.url for board in reversed(boards)))
    for board in boards:
        board.plug()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no symbolic links to ports")
def test_two_pegged_boards_that_come_back_under_exchanged_names_are_known_by_their_ids(
    sit: Sit, ports: list[Path], pegged: list[AnyBoard]
) -> None:
    white, black = pegged
    sitting = sit_down(sit, ports, pegged)
    for number in (1, 2, 3):
        exchange(sitting, ports, pegged)
        sitting.wait(lambda: not any(seat.gone for seat in sitting.session.boards.values()))
        white.lift("d2")
        sitting.shows("White's board: d2 lifted", number)
        white.place("d2", "P")
        black.lift("e7")
        sitting.shows("Black's board: e7 lifted", number)
        black.place("e7", "p")
        sitting.shows("Black's board: p placed on e7", number)
        ports.reverse()
    assert ASKED not in sitting.printed and OTHER_BOARD not in sitting.printed
    lifts = [one.fact for one in sitting.table.log if isinstance(one.fact, f.Lift)]
    assert {(one.board, one.square) for one in lifts} == {("white", "d2"), ("black", "e7")}
    touched = [one for one in sitting.session.rulings if one.kind == "touched"]
    assert {vars(one)["square"] for one in touched} == {"d2"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no symbolic links to ports")
def test_two_boards_of_an_old_firmware_that_come_back_exchanged_are_known_by_a_king(
    sit: Sit, ports: list[Path], old: list[AnyBoard]
) -> None:
    white, black = old
    sitting = sit_down(sit, ports, old)
    exchange(sitting, ports, old)
    sitting.shows(ASKED)
    sitting.wait(lambda: all(seat.unassigned for seat in sitting.session.boards.values()))
    sitting.shows(ASKED)
    black.lift("e2")
    black.place("e2", "P")
    white.lift("e1")
    white.place("e1", "K")
    sitting.shows(KNOWN)
    black.lift("e8")  # he was asked, too
    black.place("e8", "k")
    assert not sitting.ruled("touched")
    white.lift("d2")
    white.place("d4", "P")
    sitting.wait(lambda: sitting.ruled("executed"))
    touched = [one for one in sitting.session.rulings if one.kind == "touched"]
    assert [vars(one)["square"] for one in touched] == ["d2"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no symbolic links to ports")
def test_a_game_that_goes_on_with_exchanged_names_asks_whose_they_are(
    tmp_path: Path, ports: list[Path]
) -> None:
    path, out = tmp_path / "game.jsonl", io.StringIO()
    with Journal(path) as journal:
        Table(journal, SETUP).submit(f.Start())
    with EmulatedBoard(firmware=OLD) as white, EmulatedBoard(firmware=OLD) as black:
        join(ports, black.url, white.url)
        own, sighted = map(str, ports)
        wanted = WantedDevices(own, sighted, microphone="none", silent=True)

        def typed() -> Iterator[str]:
            assert until(lambda: ASKED in out.getvalue())
            white.lift("e1")
            white.place("e1", "K")
            assert until(lambda: KNOWN in out.getvalue())
            white.lift("e2")
            assert until(lambda: "White's board: e2 lifted" in out.getvalue())
            yield "quit"

        run(path, None, wanted, typed(), out)
    assert "exchanged names" in out.getvalue()
    lifts = [one for one in read_journal(path).facts if isinstance(one, f.Lift)]
    assert [(one.board, one.square) for one in lifts] == [("white", "e2")]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no symbolic links to ports")
def test_a_game_that_goes_on_with_exchanged_names_knows_the_ids_of_before_and_asks_nobody(
    tmp_path: Path, ports: list[Path], pegged: list[AnyBoard]
) -> None:
    white, black = pegged
    path, out = tmp_path / "game.jsonl", io.StringIO()
    own, sighted = map(str, ports)
    wanted = WantedDevices(own, sighted, microphone="none", silent=True)
    options = TableOptions(kept={"language": "de"})
    join(ports, white.url, black.url)

    def both_shown() -> bool:
        return all(f"{side}'s board: position" in out.getvalue() for side in ("White", "Black"))

    def first() -> Iterator[str]:
        assert until(both_shown)
        yield "start"
        assert until(lambda: "ruled clock: running white" in out.getvalue())
        yield "quit"

    run(path, SETUP, wanted, first(), out, options)
    join(ports, black.url, white.url)
    out.truncate(0)

    def second() -> Iterator[str]:
        assert until(both_shown)
        white.lift("e2")
        assert until(lambda: "White's board: e2 lifted" in out.getvalue())
        yield "quit"

    run(path, None, wanted, second(), out, options)
    assert "exchanged names" in out.getvalue() and ASKED not in out.getvalue()
    lifts = [one for one in read_journal(path).facts if isinstance(one, f.Lift)]
    assert [(one.board, one.square) for one in lifts] == [("white", "e2")]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no symbolic links to ports")
def test_a_pegged_board_and_a_dgt_board_under_exchanged_names_find_their_drivers(
    sit: Sit, ports: list[Path], firmware: None
) -> None:
    """The pegged board answers as a DGT board, too, and both adapters look alike."""
    from hardware.emulated import FirmwareBoard

    sitting = sit(time_control="900")
    with FirmwareBoard() as white, EmulatedDgtBoard() as black:
        join(ports, white.url, black.url)
        sitting.session.attach_board("white", str(ports[0]))
        sitting.session.attach_board("black", f"dgt:{ports[1]}")
        seats = sitting.session.boards.values()
        sitting.wait(lambda: all(seat.board.placement() for seat in seats))
        white.unplug()
        black.unplug()
        sitting.wait(lambda: all(seat.gone for seat in seats))
        join(ports, black.url, white.url)
        white.plug()
        black.plug()
        sitting.shows("White's board is connected: pegged board", 2)
        sitting.shows("Black's board is connected: DGT board", 2)
        sitting.wait(lambda: not any(seat.gone for seat in seats))
        assert ASKED not in sitting.printed
        white.lift("e2")
        sitting.shows("White's board: e2 lifted")
        sitting.session.close()
