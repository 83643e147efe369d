"""Boards that report whole positions: what is believed, and boards in software."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import chess
import pytest

from blindplay.boards import reporting
from blindplay.boards.events import BoardPosition, Connected, Disconnected, Lifted, Placed
from blindplay.boards.makers import DRIVERS
from blindplay.boards.ports import BoardNotFoundError
from blindplay.boards.reporting import Belief, BoardReport, SquareChange
from tests.boards.emulated import EmulatedReportingBoard
from tests.boards.event_log import EventLog
from tests.boards.wires import WIRES, Millennium
from tests.waiting import until


def test_a_change_counts_when_a_report_repeats_it() -> None:
    belief, empty = Belief(), b"." * 64
    assert [belief.take(BoardReport(empty)) for _ in range(3)] == [None, None, []]
    change = SquareChange(chess.E4, ord("P"))
    assert belief.take(change) is None
    changed = empty[:28] + b"P" + empty[29:]
    assert [belief.take(BoardReport(changed)) for _ in range(2)] == [None, [change]]
    assert belief.settled
    assert belief.take(SquareChange(chess.E4, ord("."))) is None
    assert not belief.settled
    assert [belief.take(BoardReport(changed)) for _ in range(3)] == [None, None, []]
    back = [SquareChange(chess.E4, ord("."))]
    assert belief.take(BoardReport(empty, agree=1)) == back


# --- boards in software --------------------------------------------------------------------------


@pytest.fixture(params=WIRES, ids=lambda wire: type(wire).__name__)
def emulated(request: pytest.FixtureRequest) -> Iterator[EmulatedReportingBoard]:
    with EmulatedReportingBoard(request.param, force_socket=sys.platform == "win32") as board:
        yield board


@pytest.mark.parametrize("turned", [False, True])
def test_a_game_that_goes_on_tells_how_a_board_lies(turned: bool) -> None:
    placement = "rnbqkb1r/pppp1ppp/5n2/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R"
    lies = placement[::-1] if turned else placement
    with EmulatedReportingBoard(
        Millennium(), f"{lies} w - - 0 1", force_socket=sys.platform == "win32"
    ) as emulated:
        log = EventLog()
        board = DRIVERS[emulated.wire.name](emulated.url, log, ports=list)
        board.expect(placement)
        with board:
            log.wait_kinds(Connected, BoardPosition)
            assert board.placement() == placement


def test_a_board_tells_positions_lights_its_lamps_and_comes_back(
    emulated: EmulatedReportingBoard,
) -> None:
    log, driver = EventLog(), DRIVERS[emulated.wire.name]
    start = emulated.placement()
    with driver(emulated.url, log, backoff=(0.05, 0.1), ports=list) as board:
        log.wait_kinds(Connected, BoardPosition)
        assert board.placement() == board.look() == start
        assert not board.FEELS_TOUCHES
        board.light([chess.E2, chess.E4])
        assert until(lambda: emulated.wire.lamps([chess.E2, chess.E4]) in emulated.heard)
        log.clear()
        emulated.move("e2e4")
        log.wait_kinds(Lifted, Placed, BoardPosition)
        assert board.placement() == emulated.placement()
        assert [event.square for event in log.events if isinstance(event, Lifted)] == ["e2"]
        emulated.unplug()
        log.wait_kinds(Disconnected)
        emulated.plug()
        log.wait_kinds(Disconnected, Connected, BoardPosition)
        assert board.placement() == emulated.placement()


def test_a_board_nearby_is_found_though_another_way_cannot_be_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(profile: object) -> list[tuple[str, str]]:
        raise BoardNotFoundError("A package is missing.")

    monkeypatch.setattr(reporting, "plugged_in", missing)
    monkeypatch.setattr(reporting, "nearby", lambda: [("ble://A1", "Chessnut Air")])
    assert DRIVERS["chessnut"].find(list) == "ble://A1"
    monkeypatch.setattr(reporting, "nearby", lambda: [("ble://A1", "A lamp")])
    with pytest.raises(BoardNotFoundError, match="A package is missing"):
        DRIVERS["chessnut"].find(list)
    with pytest.raises(BoardNotFoundError, match="No ChessUp was found: switch it on"):
        DRIVERS["chessup"].find(list)
