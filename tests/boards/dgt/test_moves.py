"""The moves in the messages of a DGT board, for all kinds of hands and losses on the line."""

from __future__ import annotations

import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.boards.dgt import MoveFound, MoveUnclear, decode
from blindplay.boards.dgt.moves import ClockOwners, ClockRhythm, Commit, MoveFinder, MoveFinding
from blindplay.boards.dgt.protocol import Decoder
from blindplay.boards.reporting import ClockTimes
from tests.boards.dgt import hands
from tests.sampling import examples


def heard(*left: int) -> list[str]:
    """The judgements on a left clock that shows these seconds, while the right one stands."""
    rhythm = ClockRhythm()
    return [rhythm.judge(ClockTimes(left=s, right=900, running="left")) for s in left]


def test_a_clock_that_was_heard_each_second_shows_a_loss_by_its_jump() -> None:
    regular = list(range(900, 880, -1))
    assert heard(*regular, 850, 849)[-2:] == ["doubtful", "jump"]


def test_the_rhythm_of_a_clock_with_one_misread_time_shows_no_loss() -> None:
    regular = list(range(900, 880, -1))
    assert heard(*regular, 200, 879, 878)[-3:] == ["doubtful", "good", "good"]


def test_a_clock_that_is_heard_now_and_then_shows_no_loss() -> None:
    assert set(heard(*range(900, 600, -20))) == {"good"}


def test_an_increment_is_no_loss() -> None:
    regular = list(range(900, 880, -1))
    assert heard(*regular, 909)[-1] == "good"


def test_two_presses_that_agree_settle_whose_clock_is_whose() -> None:
    owners = ClockOwners()
    assert owners.mover_pressed("left", white_moved=True)
    assert owners.mover_pressed("right", white_moved=False)
    assert owners.white == "left"
    assert not owners.mover_pressed("right", white_moved=True)


def test_one_press_alone_may_only_have_started_the_clock() -> None:
    owners = ClockOwners()
    assert owners.mover_pressed("left", white_moved=True)
    assert owners.mover_pressed("right", white_moved=True)
    assert owners.white == "right"


CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
PROMOTING = "3r3k/4P3/8/8/8/8/8/4K3 w - - 0 1"
PASSING = "4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 2"
LEFT, RIGHT = 0x09, 0x13


def clock(status: int) -> bytes:
    return hands.clock(300, 300, status)


def puts(*changes: str) -> list[bytes]:
    """Field updates written as ``e4P`` (a piece put down) or ``e2`` (a square left)."""
    return [hands.update(chess.parse_square(c[:2]), c[2:] or ".") for c in changes]


def start(fen: str = chess.STARTING_FEN) -> bytes:
    return hands.dump(hands.pieces_of(chess.Board(fen)))


def told(
    *messages: bytes | list[bytes], commit: Commit | None = None, fen: str | None = None
) -> tuple[list[str], list[str]]:
    """The moves of a stream, and the sentences about it."""
    data = b"".join(m if isinstance(m, bytes) else b"".join(m) for m in messages)
    return split(decode(data, commit=commit, position=chess.Board(fen) if fen else None))


def split(findings: object) -> tuple[list[str], list[str]]:
    items: list[MoveFinding] = list(findings)  # type: ignore[call-overload]
    moves = [item.uci for item in items if isinstance(item, MoveFound)]
    return moves, [item.sentence for item in items if isinstance(item, MoveUnclear)]


# --- hands -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fen", "changes", "move"),
    [
        (CASTLING, ["h1", "f1R", "e1", "g1K"], "e1g1"),
        (CASTLING, ["e1", "h1", "f1R", "g1K"], "e1g1"),
        (CASTLING, ["e1", "f1K", "f1", "g1K", "h1", "f1R"], "e1g1"),
        (CASTLING, ["e1", "d1K", "d1", "c1K", "a1", "d1R"], "e1c1"),
        (CASTLING, ["a1", "a2R", "a2", "a3R", "a3", "a4R"], "a1a4"),
        (CASTLING, ["a1", "a2R", "a3R", "a2", "a4R", "a3", "a4", "a3R"], "a1a3"),
        (CASTLING, ["a1", "a8R"], "a1a8"),
        (CASTLING, ["a8", "a1", "a8R"], "a1a8"),
        (CASTLING, ["a8R", "a1"], "a1a8"),
        (CASTLING, ["e1", "e1K", "h1", "h2R", "h2", "h1R", "a1", "b1R"], "a1b1"),
        (PROMOTING, ["e7", "e8P", "e8", "e8Q"], "e7e8q"),
        (PROMOTING, ["e7", "d8", "d8N"], "e7d8n"),
        (PROMOTING, ["d8R", "e7", "d8", "d8Q"], "e7d8q"),
        (PASSING, ["d5", "e6P", "e5"], "d5e6"),
        (PASSING, ["e5", "d5", "e6P"], "d5e6"),
        (PASSING, ["e6P", "e5", "d5"], "d5e6"),
    ],
)
def test_a_move_is_found_however_it_is_executed(fen: str, changes: list[str], move: str) -> None:
    assert told(start(fen), puts(*changes), commit="position", fen=fen) == ([move], [])
    pressed = told(start(fen), clock(LEFT), puts(*changes), clock(RIGHT), commit="clock", fen=fen)
    assert pressed == ([move], [])


def test_squares_slid_over_are_no_moves_even_when_they_are_legal() -> None:
    slid = puts("e2", "e3P", "e3", "e4P")
    assert told(start(), slid, puts("e7", "e5p"), commit="position") == (["e2e4", "e7e5"], [])


def test_a_piece_put_back_is_no_move() -> None:
    both = puts("g1", "f3N", "f3", "g1N", "e2", "e4P", "b8", "b8n", "c7", "c5p")
    assert told(start(), both, commit="position") == (["e2e4", "c7c5"], [])


def test_knocking_pieces_over_is_no_move() -> None:
    mess = puts("e2", "d2", "f2", "f2P", "e2P", "d2P")
    assert told(start(), mess, puts("e2", "e4P"), commit="position") == (["e2e4"], [])


def test_a_recapture_before_the_captor_was_seen_alone_is_two_moves() -> None:
    fen = "4k3/2n5/8/3p4/4P3/8/8/4K3 w - - 0 1"
    # White's pawn is heard on d5 before its lift from e4; Black's knight is up already.
    for changes in (["d5", "d5P", "c7", "e4", "d5n"], ["d5", "d5P", "c7", "d5n", "e4"]):
        moves = told(start(fen), puts(*changes), commit="position", fen=fen)
        assert moves == (["e4d5", "c7d5"], [])


def test_returning_to_an_earlier_position_by_moves_is_no_putting_back() -> None:
    there_and_back = puts("g1", "f3N", "g8", "f6n", "f3", "g1N", "f6", "g8n")
    moves = ["g1f3", "g8f6", "f3g1", "f6g8"]
    assert told(start(), there_and_back, commit="position") == (moves, [])


def test_a_rook_that_goes_on_after_the_answer_has_moved_twice() -> None:
    fen = CASTLING
    changes = puts("a1", "a4R", "e8", "e7k", "a4", "a5R")
    moves, sentences = told(start(fen), changes, commit="position", fen=fen)
    assert moves == ["a1a4", "e8e7", "a4a5"]
    assert not sentences


# --- the clock ---------------------------------------------------------------------------------


def test_with_a_clock_the_position_at_the_press_is_the_move() -> None:
    first = [clock(LEFT), *puts("e2", "e3P"), clock(LEFT), *puts("e3", "e4P"), clock(RIGHT)]
    second = [*puts("e7", "e5p"), hands.ACK, clock(LEFT), *puts("g1", "f3N")]
    moves, sentences = told(start(), first, second, commit="clock")
    assert moves == ["e2e4", "e7e5"]
    assert len(sentences) == 1
    assert "g1f3" in sentences[0]
    moves, sentences = told(start(), first, second)
    assert moves == ["e2e4", "e7e5", "g1f3"]
    assert "not pressed" in sentences[0]


def test_a_change_heard_after_the_press_belongs_to_the_move_before_it() -> None:
    late = [clock(LEFT), *puts("e2"), clock(RIGHT), *puts("e4P", "e7", "e5p"), clock(LEFT)]
    assert told(start(), late, commit="clock") == (["e2e4", "e7e5"], [])


def test_pieces_that_lie_about_for_some_moves_hide_none_of_them() -> None:
    stream = [clock(LEFT), *puts("e2", "e4P"), clock(RIGHT), *puts("a7", "b7", "e7", "e5p")]
    stream += [clock(LEFT), *puts("g1", "f3N"), clock(RIGHT), *puts("b8", "c6n"), clock(LEFT)]
    stream += [*puts("a7p", "b7p", "f1", "b5B"), clock(RIGHT)]
    moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"]
    assert told(start(), stream, commit="clock") == (moves, [])


def test_the_clock_counts_unasked_only_if_it_changes_sides() -> None:
    stream = [clock(LEFT), *puts("e2", "e4P"), clock(LEFT), *puts("e7", "e5p")]
    assert told(start(), stream)[0] == ["e2e4", "e7e5"]


def test_a_clock_that_was_only_tried_does_not_count_unasked() -> None:
    tried = [clock(LEFT), clock(RIGHT), clock(0x08)]
    game = puts("e2", "e4P", "e7", "e5p", "g1", "f3N", "b8", "c6n", "f1", "b5B")
    assert told(start(), tried, game)[0] == ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"]


def test_a_pause_is_no_press() -> None:
    stream = [clock(LEFT), *puts("e2", "e3P"), clock(0x08), clock(LEFT), *puts("e3", "e4P")]
    assert told(start(), stream, [clock(RIGHT)], commit="clock") == (["e2e4"], [])


# --- where a game begins and ends --------------------------------------------------------------


def test_messages_before_the_first_dump_do_no_harm() -> None:
    before = [b"\x05\x11\x00", hands.VERSION, hands.SERIAL, hands.TRADEMARK, hands.UNKNOWN]
    moves, _ = told(before, start(), puts("e2", "e4P"))
    assert moves == ["e2e4"]


def test_a_board_that_lies_turned_is_seen_by_the_start_position() -> None:
    board = hands.pieces_of(chess.Board())
    data = hands.dump(board, turned=True) + b"".join(
        hands.update(chess.parse_square(square), piece, turned=True)
        for square, piece in (("e2", "."), ("e4", "P"))
    )
    assert split(decode(data)) == (["e2e4"], [])


def test_the_first_move_shows_the_side_to_move_in_an_unknown_position() -> None:
    moves, sentences = told(start(CASTLING), puts("a8", "a7r", "a1", "b1R"), commit="position")
    assert moves == ["a8a7", "a1b1"]
    assert len(sentences) == 1


def test_a_given_position_shows_the_side_to_move_and_how_the_board_lies() -> None:
    pieces = hands.pieces_of(chess.Board(PROMOTING))
    data = hands.dump(pieces, turned=True) + b"".join(
        hands.update(chess.parse_square(square), piece, turned=True)
        for square, piece in (("e7", "."), ("d8", "Q"))
    )
    assert split(decode(data, position=chess.Board(PROMOTING))) == (["e7d8q"], [])


def test_castling_in_chess960_is_written_as_the_king_taking_his_rook() -> None:
    fen = "4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1"
    data = start(fen) + b"".join(puts("g1", "e1", "g1K", "f1R"))
    board = chess.Board(fen, chess960=True)
    assert split(decode(data, position=board)) == (["e1g1"], [])


def test_kings_in_the_middle_show_the_result_and_are_no_moves() -> None:
    fen = "8/8/4k3/8/8/3K4/7R/8 w - - 0 1"
    moves = puts("h2", "h6R", "e6", "d5k")
    # The king on e4 is next to the other king, so this is not a legal move.
    result = puts("d3", "e4K")
    assert told(start(fen), moves, result, commit="position", fen=fen)[0] == ["h2h6"]
    shown = puts("d3", "d4K", "d5", "e6k", "e6", "e5k")
    moves_, sentences = told(start(fen), moves, shown, commit="position", fen=fen)
    assert moves_[:1] == ["h2h6"]
    assert not any("e5" in move or "d4" in move for move in moves_[1:])
    assert sentences


def test_kings_set_up_after_the_last_press_are_no_moves() -> None:
    stream = [clock(LEFT), *puts("e2", "e4P"), clock(RIGHT), *puts("e7", "e5p"), clock(LEFT)]
    result = puts("e8", "e1", "e4", "e4K", "e5", "d5k")
    for commit in ("clock", None):
        assert told(start(), stream, result, commit=commit)[0] == ["e2e4", "e7e5"]


def test_pieces_set_up_again_begin_a_new_game() -> None:
    game = puts("e2", "e4P", "e7", "e5p", "g1", "f3N", "b8", "c6n")
    home = puts("e4", "f3", "c6", "e5", "e2P", "g1N", "e7p", "b8n")
    again = puts("d2", "d4P")
    moves, sentences = told(start(), game, home, again, commit="position")
    assert moves == ["e2e4", "e7e5", "g1f3", "d2d4"]
    assert any("new game" in sentence for sentence in sentences)
    assert any("b8c6" in sentence for sentence in sentences)


# --- what is lost ------------------------------------------------------------------------------


def test_after_a_loss_nothing_is_reported_until_a_dump() -> None:
    lost = hands.update(chess.E5, "p")[:3]
    one, two = puts("e2", "e4P"), puts("g1", "f3N", "b8", "c6n")
    moves, sentences = told(start(), one, puts("e7"), lost, two, commit="position")
    assert moves == []
    assert "Bytes were lost" in sentences[0]
    board = chess.Board()
    for uci in ("e2e4", "e7e5"):
        board.push_uci(uci)
    dump = hands.dump(hands.pieces_of(board))
    moves, sentences = told(start(), one, puts("e7"), lost, dump, two, commit="position")
    assert moves == ["e2e4", "e7e5", "g1f3", "b8c6"]
    assert len(sentences) == 2


def test_a_dump_that_shows_more_than_two_moves_later_bridges_nothing() -> None:
    board = chess.Board()
    for uci in ("e2e4", "e7e5", "g1f3", "b8c6"):
        board.push_uci(uci)
    dump = hands.dump(hands.pieces_of(board))
    moves, sentences = told(start(), b"\x00", dump, puts("f1", "b5B"), commit="position")
    assert moves == []
    assert any("moves are missing" in sentence for sentence in sentences)


def test_a_piece_heard_in_two_places_for_long_stops_the_reports() -> None:
    twice = puts("g7", "g6p", "g5p")  # the lift from g6 was lost
    rest = puts("g1", "h3N", "d7", "d6p", "g5", "g5N", "h3")
    moves, sentences = told(start(), puts("b2", "b3P"), twice, rest, commit="position")
    assert "g7g6" not in moves
    assert sentences


def test_a_piece_in_two_places_when_the_clock_is_pressed_stops_the_reports() -> None:
    twice = puts("g7", "g6p", "g5p")  # the lift from g6 was lost
    takes = puts("g5", "c1", "g5B")  # the board looks as after g7-g6 and a bishop on g5
    stream = [clock(LEFT), *puts("d2", "d3P"), clock(RIGHT), *twice, clock(LEFT), *takes]
    for commit in ("clock", "position"):
        moves, sentences = told(start(), stream, clock(RIGHT), commit=commit)
        assert "g7g6" not in moves
        assert "more pieces" in sentences[0]


def test_a_dump_after_a_loss_that_can_be_read_in_two_ways_is_not_read() -> None:
    # Black's pawn was last heard on h6: it went on to h5 before White moved, or after.
    board = chess.Board()
    for uci in ("e2e4", "h7h5", "d2d3"):
        board.push_uci(uci)
    dump = hands.dump(hands.pieces_of(board))
    heard = puts("e2", "e4P", "h7", "h6p")
    moves, sentences = told(start(), heard, b"\x00", dump, commit="position")
    assert moves == ["e2e4"]
    assert any("several ways" in sentence for sentence in sentences)


def test_a_piece_that_vanished_is_not_taken_for_captured() -> None:
    fen = "4k3/8/4r3/8/8/8/6Q1/4K3 w - - 0 1"
    # The queen's new square is not heard. Black's rook goes to e4, where the queen could be.
    stream = [clock(LEFT), *puts("g2"), clock(RIGHT), *puts("e6", "e4r"), clock(LEFT)]
    moves, sentences = told(start(fen), stream, commit="clock", fen=fen)
    assert moves == []
    assert sentences


def test_a_jump_of_a_clock_that_was_heard_each_second_shows_a_loss() -> None:
    ticks = [hands.clock(300 - n, 300, LEFT) for n in range(20)]
    later = [hands.clock(270, 300, LEFT), hands.clock(269, 300, LEFT)]
    stream = [*ticks, *puts("e2", "e4P"), *later, hands.clock(269, 300, RIGHT)]
    moves, sentences = told(start(), stream, commit="clock")
    assert moves == []
    assert "clock jumped" in sentences[0]


def test_one_misread_time_is_no_loss() -> None:
    ticks = [hands.clock(300 - n, 300, LEFT) for n in range(20)]
    later = [hands.clock(43, 300, LEFT), hands.clock(279, 300, LEFT)]
    stream = [*ticks, *puts("e2", "e4P"), *later, hands.clock(279, 300, RIGHT)]
    assert told(start(), stream, commit="clock") == (["e2e4"], [])


def test_without_a_dump_a_given_position_is_where_it_begins() -> None:
    moves, sentences = told(puts("e2", "e4P"), fen=chess.STARTING_FEN)
    assert moves == ["e2e4"]
    assert "no dump" in sentences[0]


# --- whole games -------------------------------------------------------------------------------

FENS = [
    chess.STARTING_FEN,
    "r3k2r/pPp2ppp/8/3Pp3/8/8/PPP2PpP/R3K2R w KQkq e6 0 1",
    "8/P3k3/8/8/8/3K4/p7/8 b - - 0 1",
]
COMMITS: list[Commit | None] = ["clock", "position", None]


def recording(
    seed: int, *, plies: int = 50, fen: str = FENS[0], dumps: float = 0.05
) -> hands.Recording:
    hand = random.Random(seed)
    moves = hands.random_game(hand, hand.randrange(1, plies), fen)
    return hands.record(
        moves,
        hand,
        fen=fen,
        turned=hand.random() < 0.5,
        white_left=hand.random() < 0.5,
        ticking=hand.random() < 0.5,
        dumps=dumps,
    )


@examples(60)
@given(st.integers(0, 1 << 30), st.sampled_from(FENS), st.sampled_from(COMMITS))
def test_games_played_by_human_hands_are_found_exactly(
    seed: int, fen: str, commit: Commit | None
) -> None:
    stream = recording(seed, fen=fen)
    assert split(decode(stream.data, commit=commit, position=chess.Board(fen)))[0] == stream.moves


@examples(25)
@given(st.integers(0, 1 << 30), st.sampled_from(["clock", "position"]), st.integers(0, 99))
def test_a_stream_holds_the_same_moves_however_it_is_cut(
    seed: int, commit: Commit, cutting: int
) -> None:
    cuts = random.Random(cutting)
    data = recording(seed, plies=20).data
    whole = split(decode(data, commit=commit))[0]
    for most in (1, 40):
        decoder, finder = Decoder(), MoveFinder(commit)
        findings: list[MoveFinding] = []
        at = 0
        while at < len(data):
            size = cuts.randint(1, most)
            for message in decoder.feed(data[at : at + size]):
                findings += finder.hear(message)
            at += size
        assert split(findings + finder.finish())[0] == whole


@examples(120)
@given(st.integers(0, 1 << 30), st.sampled_from(COMMITS), st.integers(1, 6), st.data())
def test_with_bytes_lost_the_moves_are_right_or_a_sentence_says_where_they_end(
    seed: int, commit: Commit | None, count: int, data: st.DataObject
) -> None:
    stream = recording(seed, plies=30, dumps=0.1)
    left = bytearray(stream.data)
    begins = left.index(bytes((0x86, 0, 67))) + 67
    for _ in range(count):
        # Keep the first dump: another test covers a recording that begins later.
        del left[data.draw(st.integers(begins, len(left) - 1))]
    moves, sentences = split(decode(bytes(left), commit=commit))
    assert moves == stream.moves[: len(moves)]
    assert sentences or moves == stream.moves


@examples(80)
@given(st.integers(0, 1 << 30), st.data())
def test_with_an_update_lost_without_a_trace_the_clock_keeps_wrong_moves_out(
    seed: int, data: st.DataObject
) -> None:
    stream = recording(seed, dumps=0.1)
    updates = [i for i, message in enumerate(stream.messages) if message[:1] == b"\x8e"]
    del stream.messages[data.draw(st.sampled_from(updates))]
    moves, sentences = split(decode(stream.data, commit="clock"))
    assert moves == stream.moves[: len(moves)]
    assert sentences or moves == stream.moves


def test_mate_is_reported_though_nobody_presses_after_it() -> None:
    stream = [start(), clock(LEFT)]
    for change, running in (
        (["f2", "f3P"], RIGHT), (["e7", "e5p"], LEFT), (["g2", "g4P"], RIGHT),
        (["d8", "h4q"], RIGHT),
    ):  # fmt: skip
        stream += [*puts(*change), clock(running)]
    moves, sentences = told(stream, commit="clock")
    assert (moves, sentences) == (["f2f3", "e7e5", "g2g4", "d8h4"], [])


def test_pieces_that_are_put_up_again_begin_a_new_game_whatever_was_lost() -> None:
    first = puts("e2", "e4P", "e7", "e5p", "g1", "f3N", "b8", "c6n")
    crowd = puts("a4P", "b4P", "c4P", "d4P")  # pieces from the box, before the others are home
    away = puts("a4", "b4", "c4", "d4", "e4", "e5", "f3", "c6", "e2P", "e7p", "g1N", "b8n")
    again = puts("d2", "d4P", "d7", "d5p", "c2", "c4P", "e7", "e6p")
    moves, sentences = told(start(), first, crowd, away, again, commit="position")
    assert moves[-4:] == ["d2d4", "d7d5", "c2c4", "e7e6"]
    assert any("new game" in sentence for sentence in sentences)


def test_a_rook_where_castling_puts_it_is_no_last_move() -> None:
    cut = puts("h1", "f1R")  # the recording ends before the king follows
    moves, sentences = told(start(CASTLING), cut, commit="position", fen=CASTLING)
    assert moves == []
    assert any("h1f1" in sentence for sentence in sentences)


def test_a_game_that_stood_when_the_next_one_was_dumped_is_reported_to_its_end() -> None:
    first = puts("e2", "e4P", "e7", "e5p", "g1", "f3N")
    second = puts("d2", "d4P")
    moves, _ = told(start(), first, start(), second, commit="position")
    assert moves == ["e2e4", "e7e5", "g1f3", "d2d4"]
