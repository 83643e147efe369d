"""A board in software whose time passes only on request."""

from __future__ import annotations

from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.emulator import LockstepBoard


def spoken(seed: int) -> list[tuple[float, bytes]]:
    board = LockstepBoard(seed=seed)
    board.noise(out_ppm=2000, in_ppm=0)
    board.hear(peg.encode(peg.AskHello()))
    said = board.run(50)
    board.set("e2", ".", bounce=5)
    board.set("e4", "P", bounce=5)
    return said + board.run(500)


def test_the_same_calls_give_the_same_frames_with_bounces_and_noise() -> None:
    assert spoken(3) == spoken(3)
    assert spoken(3) != spoken(4)


def test_a_frame_takes_the_time_of_its_bytes_on_the_line() -> None:
    board = LockstepBoard()
    question = peg.encode(peg.AskHello())
    board.hear(question)
    ((at, frame),) = board.run(100)
    assert at >= (len(question) + len(frame)) * 10 / 9.6


def test_an_unplugged_board_hears_and_says_nothing() -> None:
    board = LockstepBoard()
    board.unplug()
    board.hear(peg.encode(peg.AskHello()))
    assert board.run(100) == []
    board.plug()
    board.hear(peg.encode(peg.AskHello()))
    assert len(board.run(100)) == 1


def test_lost_frames_never_arrive() -> None:
    board = LockstepBoard()
    board.lose(1)
    board.hear(peg.encode(peg.AskHello()) + peg.encode(peg.AskDump()))
    kinds = [type(m) for _, frame in board.run(300) for m in peg.Decoder().feed(frame)]
    assert kinds == [peg.Dump, peg.Presses]
