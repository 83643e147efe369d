"""From hands to moves: whatever order human hands work in, the Laws are told what was played.

Boards only report lifts and placements; what they mean is worked out by the Laws, so the hands of
these tests go through the real Laws with the real words. On the boards that know only occupied
holes the pieces have no names.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import chess
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blindplay.laws import Game, Ruling, unidentified_pieces
from blindplay.laws.facts import parse
from blindplay.laws.state import OTHER
from blindplay.wording.pack_words import PackWords
from tests.laws.table import of
from tests.sampling import examples

CASTLE = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
PROMOTE = "3r2k1/1P2P3/8/8/8/8/1p4p1/4KB1R w - - 0 1"
PASSANT = "4k3/8/8/2pPpP2/1p2P1p1/8/P1P4P/4K3 w - e6 0 1"
STARTS = (chess.STARTING_FEN, CASTLE, PROMOTE, PASSANT)
WORDS = PackWords()


@dataclass
class Act:
    """One thing a hand does: ``piece`` None lifts, else that piece is put there."""

    square: int
    piece: str | None = None


@dataclass
class Hands:
    """Two people at two boards: White is impaired, Black is not, and both announce."""

    fen: str
    names: bool = True
    impaired: tuple[str, ...] = ("white",)
    clock: str = "5400+30"
    told: list[Ruling] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.game = Game(WORDS)
        players = {side: {"impaired": side in self.impaired} for side in OTHER}
        self.feed("setup", fen=self.fen, time_control=self.clock, boards=2, **players)
        self.feed("start")

    def feed(self, fact: str, **fields: Any) -> list[Ruling]:
        t = fields.pop("t", self.game.t / 1000)
        given = self.game.apply(parse({"t": t, "fact": fact, **fields}))
        self.told += given
        return given

    def do(self, board: str, act: Act) -> list[Ruling]:
        square = chess.square_name(act.square)
        if act.piece is None:
            return self.feed("lift", board=board, square=square)
        name = {"piece": act.piece} if self.names else {}
        return self.feed("place", board=board, square=square, **name)

    def announce(self, move: chess.Move) -> list[Ruling]:
        return self.feed("announce", by=self.game.side, move=move.uci())

    def press(self) -> list[Ruling]:
        return self.feed("press", by=self.game.side)

    def hands(self, board: str, acts: str) -> list[Ruling]:
        """``-e2`` lifts, ``+e4P`` places."""
        given = []
        for act in acts.split():
            square = chess.parse_square(act[1:3])
            given += self.do(board, Act(square, act[3:] if act[0] == "+" else None))
        return given


def changes(board: chess.Board, move: chess.Move) -> tuple[dict[int, str], dict[int, str]]:
    """What must be lifted from where, and what must be put where."""
    before = {at: piece.symbol() for at, piece in board.piece_map().items()}
    board = board.copy(stack=False)
    board.push(move)
    after = {at: piece.symbol() for at, piece in board.piece_map().items()}
    off = {at: letter for at, letter in before.items() if after.get(at) != letter}
    on = {at: letter for at, letter in after.items() if before.get(at) != letter}
    return off, on


def execution(
    board: chess.Board, move: chess.Move, chance: random.Random, *, names: bool, king_first: bool
) -> list[Act]:
    """The lifts and placements of a move in a random human order.

    A hole is emptied before it is filled, and nothing is put down that is not in the hand, except
    a promoted piece, which comes from beside the board. Pieces are put back and taken again.
    """
    off, on = changes(board, move)
    first = move.from_square if board.is_castling(move) and king_first else None
    acts: list[Act] = []
    hand: list[str] = []
    left, todo, stood = dict(off), dict(on), dict(off)
    while left or todo:
        choices: list[Act] = [Act(at) for at in left if first in (None, at)]
        for at, letter in todo.items():
            spare = letter if letter in hand else "P" if board.turn else "p"
            ready = letter in hand or (move.promotion and spare in hand)
            if at not in left and ready and (first is None or letter.upper() == "K"):
                choices.append(Act(at, letter))
        act = chance.choice(choices)
        acts.append(act)
        if act.piece is None:
            letter = left.pop(act.square)
            hand.append(letter)
            # Put back and taken again. With more in the hand that may be a capture as well as a
            # piece put back, which a board that cannot name pieces cannot know.
            if chance.random() < 0.2 and (left or todo) and (names or len(hand) == 1):
                acts += [Act(act.square, stood[act.square]), Act(act.square)]
        else:
            promoted = move.promotion and act.piece not in hand
            hand.remove(("P" if board.turn else "p") if promoted else act.piece)
            del todo[act.square]
        if first is not None and act.piece is None and act.square == first:
            first = None
    return acts


def played(chance: random.Random, fen: str, plies: int) -> chess.Board:
    board = chess.Board(fen)
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(chance.choice(moves))
        if board.is_game_over():
            board.pop()
            break
    return board


def kinds(given: list[Ruling]) -> list[str]:
    return [ruling.kind for ruling in given]


WRONG = {"illegal", "boards_differ", "correct_board", "executed_differs", "not_made", "refused"}


HANDS = (st.integers(0, 2**32), st.sampled_from(STARTS), st.booleans(), st.booleans())


@examples(600, suppress_health_check=list(HealthCheck))
@given(*HANDS)
def test_every_move_in_any_order_of_hands_is_executed_and_made_once_it_is_announced(
    seed: int, fen: str, names: bool, both_impaired: bool
) -> None:
    _play_four_moves(seed, fen, names, both_impaired)


@pytest.mark.long
@settings(max_examples=20_000, suppress_health_check=list(HealthCheck))
@given(*HANDS)
def test_eighty_thousand_moves_in_any_order_of_hands(
    seed: int, fen: str, names: bool, both_impaired: bool
) -> None:
    _play_four_moves(seed, fen, names, both_impaired)


def _play_four_moves(seed: int, fen: str, names: bool, both_impaired: bool) -> None:
    chance = random.Random(seed)
    start = played(chance, fen, chance.randrange(40))
    hands = Hands(start.fen(), names, ("white", "black") if both_impaired else ("white",))
    game = hands.game
    board = start.copy(stack=False)
    for _ in range(4):
        moves = list(board.legal_moves)
        if not moves or game.over:
            return
        special = [m for m in moves if m.promotion or board.is_castling(m) or board.is_capture(m)]
        move = chance.choice(special if special and chance.random() < 0.7 else moves)
        side = game.side
        own = execution(board, move, chance, names=names, king_first=True)
        theirs = execution(board, move, chance, names=names, king_first=False)
        tactile = side in hands.impaired
        # A sighted player may say his move only after it is made. But a board without names needs
        # to be told of a promotion before, for its piece is final when it is released (4.7).
        early = not tactile and not names and move.promotion
        when = 0 if early else chance.randrange(len(own) + 1)
        given: list[Ruling] = []
        for number, act in enumerate(own):
            if number == when:
                given += hands.announce(move)
            given += hands.do(side, act)
        if when == len(own) and not game.over:
            given += hands.announce(move)
        lifted = [act.square for act in own if act.piece is None and board.piece_at(act.square)]
        touched = [chess.parse_square(ruling.square) for ruling in of(given, "touched")]
        assert touched == list(dict.fromkeys(lifted)), move
        assert not set(kinds(given)) & WRONG, (move, kinds(given))
        assert game.over or game.turn.made == move
        assert [ruling.move for ruling in of(given, "executed")][-1] == move.uci()
        assert [ruling.move for ruling in of(given, "made")] == [move.uci()]
        given = []
        late = chance.random() < 0.5
        if late and not game.over:
            given += hands.press()
        for act in theirs:
            if not game.over:
                given += hands.do(OTHER[side], act)
        if not late and not game.over:
            given += hands.press()
        assert not set(kinds(given)) & (WRONG | {"touched"}), (move, kinds(given))
        board.push(move)
        if not game.over:
            assert [ruling.move for ruling in of(given, "executed")] == [move.uci()]
            assert game.board.fen() == board.fen()
            assert all(table.plies == len(game.history) for table in game.tables.values())
            assert not any(table.hand for table in game.tables.values())


@examples(300, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32), st.booleans(), st.booleans())
def test_the_opponents_move_and_ones_own_may_be_executed_hand_in_hand(
    seed: int, names: bool, dumped: bool
) -> None:
    """The board lags a ply behind: its owner executes both moves, or a cable was off meanwhile."""
    chance = random.Random(seed)
    start = played(chance, chance.choice(STARTS), chance.randrange(40))
    hands = Hands(start.fen(), names, ("white", "black"))
    game, side = hands.game, hands.game.side
    first = chance.choice(list(start.legal_moves))
    board = start.copy(stack=False)
    board.push(first)
    if board.is_game_over() or not (answers := list(board.legal_moves)):
        return
    second = chance.choice(answers)
    hands.announce(first)
    for act in execution(start, first, chance, names=names, king_first=True):
        hands.do(side, act)
    hands.press()
    if game.over:
        return
    late = OTHER[side]
    given = hands.announce(second)
    before, between, after = start.piece_map(), board.piece_map(), board.copy(stack=False)
    after.push(second)
    if dumped:
        placement = after.board_fen()
        if not names:
            placement = "".join("?" if letter.isalpha() else letter for letter in placement)
            placement = unidentified_pieces.named(game, late, placement)
        given += hands.feed("position", board=late, placement=placement)
    else:
        off, on = changes(start, first)
        own = execution(board, second, chance, names=names, king_first=True)
        # His own piece is taken up first where the opponent's move leaves it alone.
        ahead = own[0].square if own[0].piece is None and own[0].square in before else None
        if ahead is not None and (ahead in off or before[ahead] != between.get(ahead)):
            ahead = None
        if ahead is not None:
            given += hands.do(late, own.pop(0))
        for act in [*map(Act, off), *(Act(at, letter) for at, letter in on.items())]:
            given += hands.do(late, act)
        for act in own:
            given += hands.do(late, act)
    if not names and second.to_square == first.to_square and not game.over:
        given += hands.press()  # the same holes, whether his piece is in his hand or there
    assert not set(kinds(given)) & WRONG, (first, second, kinds(given))
    moves = [ruling.move for ruling in of(given, "executed")]
    # Without names a piece taken up ahead may look for a moment as if it had been put down again.
    assert list(dict.fromkeys(moves)) == [first.uci(), second.uci()]
    assert game.over or second in (game.turn.made, game.history[-1].move)


NAMES = pytest.mark.parametrize("names", [True, False], ids=["named", "unnamed"])
SHORT = chess.Move.from_uci("e1g1")


@NAMES
@pytest.mark.parametrize("when", range(5))
def test_a_rook_put_down_first_is_not_yet_another_move_than_the_announced_castling(
    names: bool, when: int
) -> None:
    hands = Hands(CASTLE, names)
    acts = ["-h1", "+f1R", "-e1", "+g1K"]
    given: list[Ruling] = []
    for number, act in enumerate([*acts, ""]):
        if number == when:
            given += hands.announce(SHORT)
        given += hands.hands("white", act)
    assert "executed_differs" not in kinds(given) and "made" not in kinds(given)
    # Rook before king forbids castling on that side (4.4.2), and he hears so.
    assert [ruling.why for ruling in of(given, "refused")] == ["touched_piece"]
    assert hands.game.turn.executed == SHORT


@NAMES
def test_the_opponent_executes_castling_with_the_rook_first(names: bool) -> None:
    hands = Hands(CASTLE, names)
    hands.announce(SHORT)
    given = hands.hands("white", "-e1 +g1K -h1 +f1R")
    assert [ruling.move for ruling in of(given, "made")] == ["e1g1"]
    given = hands.hands("black", "-h1 +f1R -e1 +g1K") + hands.press()
    assert kinds(given) == ["executed", "completed", "clock"]


@NAMES
def test_a_rook_left_where_castling_puts_it_is_no_castling(names: bool) -> None:
    hands = Hands(CASTLE, names)
    hands.announce(SHORT)
    hands.hands("white", "-h1 +f1R")
    assert "not_made" in kinds(hands.press())
    assert hands.game.side == "white"


@NAMES
def test_a_piece_that_slides_from_hole_to_hole_is_made_where_it_was_announced_to(
    names: bool,
) -> None:
    hands = Hands("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", names)
    given = hands.hands("white", "-a1 +a2R -a2 +a3R -a3 +a4R")
    assert [ruling.square for ruling in of(given, "touched")] == ["a1"]
    assert "made" not in kinds(given)
    given = hands.announce(chess.Move.from_uci("a1a4"))
    assert [ruling.move for ruling in of(given, "made")] == ["a1a4"]
    assert not set(kinds(given)) & WRONG


@NAMES
def test_a_stop_on_the_way_after_the_announcement_is_told_and_undone_by_going_on(
    names: bool,
) -> None:
    hands = Hands("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", names)
    hands.announce(chess.Move.from_uci("a1a4"))
    assert "executed_differs" in kinds(hands.hands("white", "-a1 +a3R"))
    given = hands.hands("white", "-a3 +a4R")
    assert [ruling.move for ruling in of(given, "made")] == ["a1a4"]
    assert "executed_differs" not in kinds(given)


@NAMES
@pytest.mark.parametrize("letter", "QNRB")
def test_the_pawn_may_be_put_on_the_last_rank_before_its_piece_is_fetched(
    names: bool, letter: str
) -> None:
    hands = Hands(PROMOTE, names)
    move = chess.Move.from_uci(f"b7b8{letter.lower()}")
    if names:
        hands.announce(move)
        given = hands.hands("white", f"-b7 +b8P -b8 +b8{letter}")
    else:
        given = hands.hands("white", f"-b7 +b8P -b8 +b8{letter}")
        assert not set(kinds(given)) & {"executed", "made"}  # which piece, only words can tell
        given += hands.announce(move)
    assert [ruling.move for ruling in of(given, "made")] == [move.uci()]
    assert not set(kinds(given)) & WRONG
    assert [ruling.square for ruling in of(given, "touched")] == ["b7"]


def test_a_slip_about_the_promotion_is_corrected_on_a_board_that_cannot_name_pieces() -> None:
    hands = Hands(PROMOTE, names=False)
    hands.announce(chess.Move.from_uci("b7b8q"))
    hands.hands("white", "-b7 +b8N")
    given = hands.feed("correct", by="white", move="b7b8n")
    assert "slip_corrected" in kinds(given)
    assert [ruling.move for ruling in of(given, "made")] == ["b7b8n"]
    assert not set(kinds(given)) & WRONG


@NAMES
def test_pieces_put_back_into_their_holes_are_touched_and_nothing_is_executed(names: bool) -> None:
    hands = Hands(chess.STARTING_FEN, names)
    given = hands.hands("white", "-g1 -f1 +f1B +g1N")
    assert kinds(given) == ["touched", "obliged", "touched", "obliged"]
    assert not hands.game.tables["white"].hand


@NAMES
def test_adjusting_several_pieces_is_no_touch(names: bool) -> None:
    hands = Hands(chess.STARTING_FEN, names)
    hands.feed("adjust", by="white")
    given = hands.hands("white", "-g1 -f1 -e2 +f1B +e2P +g1N")
    assert not kinds(given)
    given = hands.announce(chess.Move.from_uci("e2e4")) + hands.hands("white", "-e2 +e4P")
    assert [ruling.square for ruling in of(given, "touched")] == ["e2"]
    assert "made" in kinds(given)


@NAMES
def test_another_move_than_the_announced_one_is_told(names: bool) -> None:
    hands = Hands("4k3/8/8/3p1p2/4P3/8/8/4K3 w - - 0 1", names)
    hands.announce(chess.Move.from_uci("e4d5"))
    given = hands.hands("white", "-f5 -e4 +f5P")
    assert [ruling.executed for ruling in of(given, "executed_differs")] == ["e4f5"]


@NAMES
def test_moving_the_opponents_piece_for_him_is_no_touch(names: bool) -> None:
    hands = Hands("4k3/8/8/3p4/4P3/8/8/4K3 b - - 0 1", names)
    hands.announce(chess.Move.from_uci("d5e4"))
    hands.hands("black", "-e4 -d5 +e4p")
    hands.press()
    given = hands.hands("white", "-e4 -d5 +e4p")
    assert kinds(given) == ["executed"]
    given = hands.hands("white", "-e1")
    assert kinds(given) == ["touched", "obliged"]


@NAMES
def test_a_wrong_board_is_corrected_step_by_step(names: bool) -> None:
    hands = Hands(chess.STARTING_FEN, names)
    hands.announce(chess.Move.from_uci("g1f3"))
    hands.hands("white", "-g1 +f3N")
    hands.hands("black", "-g1 +h3N")
    given = hands.press()
    steps = of(given, "correct_board")[0].steps
    given = []
    for step in steps:
        mark, piece = ("+", step.piece) if step.do == "place" else ("-", "")
        given += hands.hands("black", f"{mark}{step.square}{piece}")
    assert kinds(given) == ["boards_agree"]


def test_a_dump_that_shows_the_made_move_and_its_answer_gives_both() -> None:
    hands = Hands(chess.STARTING_FEN, impaired=("white", "black"))
    hands.announce(chess.Move.from_uci("e2e4"))
    hands.hands("white", "-e2 +e4P")
    board = chess.Board()
    board.push_uci("e2e4")
    board.push_uci("e7e5")
    given = hands.feed("position", board="black", placement=board.board_fen())
    assert [ruling.move for ruling in of(given, "executed")] == ["e2e4", "e7e5"]
    assert not set(kinds(given)) & WRONG
    given = hands.feed("announce", by="black", move="e7e5")
    assert [ruling.move for ruling in of(given, "made")] == ["e7e5"]


def test_a_dump_of_a_presence_board_that_has_not_changed_names_what_stood_there() -> None:
    hands = Hands(chess.STARTING_FEN, names=False)
    full = "????????/????????/8/8/8/8/????????/????????"
    assert unidentified_pieces.named(hands.game, "white", full) == chess.STARTING_FEN.split()[0]
    moved = "????????/????????/8/8/4?3/8/????1???/????????"
    assert unidentified_pieces.named(hands.game, "white", moved).split("/")[4] == "4P3"
    strange = "????????/????????/8/8/4?3/8/??1?????/????????"  # a pawn that goes sideways
    assert unidentified_pieces.named(hands.game, "white", strange).split("/")[4] == "4P3"
