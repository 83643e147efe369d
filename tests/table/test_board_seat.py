"""A player's sensor board: what a program tells of its own board becomes facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

import chess
import pytest

from blindplay.boards import events
from blindplay.boards.driver import Notice, SensorBoard
from blindplay.language import load
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from blindplay.speech.endpointing import MicrophoneMode
from blindplay.speech.recogniser import Recogniser
from blindplay.table.board_seat import notices, read_position, to_light
from tests.conversation.conversing import GERMAN
from tests.table.sitting import START, Sit, Sitting
from tests.table.speaking import Microphone

AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"


class OwnBoard(SensorBoard):
    """A board of a program that embeds BlindPlay."""

    def __init__(self, placement: str | None = START) -> None:
        self._placement = placement
        self.closed = False

    def placement(self) -> str | None:
        return self._placement

    def close(self) -> None:
        super().close()
        self.closed = True

    def move(self, uci: str) -> None:
        """Hands execute a move; the board names its pieces."""
        board = chess.BaseBoard(self._placement)
        move = chess.Move.from_uci(uci)
        piece = board.remove_piece_at(move.from_square)
        assert piece is not None
        board.set_piece_at(move.to_square, piece)
        self._placement = board.board_fen()
        self.tell(events.Lifted(uci[:2]))
        self.tell(events.Placed(uci[2:4], piece.symbol()))


class Unfelt(OwnBoard):
    """One whose changes prove no touch."""

    FEELS_TOUCHES = False

    def show(self, placement: str) -> None:
        self._placement = placement
        self.tell(events.BoardPosition(placement))


@pytest.fixture
def sitting(sit: Sit) -> Sitting:
    made = sit(time_control="900")
    made.start()
    return made


@pytest.fixture
def facts(sitting: Sitting) -> Callable[[], list[f.Fact]]:
    """The facts since the last call."""
    read = [len(sitting.table.log)]

    def news() -> list[f.Fact]:
        before, read[0] = read[0], len(sitting.table.log)
        return [taken.fact for taken in sitting.table.log[before:]]

    return news


def test_what_hands_do_on_it_are_facts_of_its_player(
    sitting: Sitting, facts: Callable[[], list[f.Fact]]
) -> None:
    board = OwnBoard()
    sitting.session.attach(board, "white")
    seat = sitting.session.boards["white"]
    (position,) = facts()
    assert isinstance(position, f.Position) and position.board == "white" and seat.seen
    sitting.session.typed("white", "Eva zwei Eva vier")
    board.move("e2e4")
    board.tell(events.LeverPressed("white"))
    told = [fact for fact in facts() if isinstance(fact, f.Lift | f.Place | f.Press)]
    assert [type(fact) for fact in told] == [f.Lift, f.Place, f.Press]
    assert "felt White's clock lever pressed" in sitting.printed
    assert sitting.ruled("completed") == 1


def test_a_board_that_has_not_been_seen_yet_says_nothing(
    sitting: Sitting, facts: Callable[[], list[f.Fact]]
) -> None:
    sitting.session.attach(OwnBoard(None), "white")
    assert not sitting.session.boards["white"].seen
    assert facts() == []


def test_pieces_that_a_board_cannot_name_are_those_of_the_game(
    sitting: Sitting, facts: Callable[[], list[f.Fact]]
) -> None:
    sitting.session.attach(OwnBoard("????????/????????/8/8/8/8/????????/????????"), "white")
    (position,) = facts()
    assert isinstance(position, f.Position) and position.placement == START


def test_it_is_closed_with_the_session_and_tells_nothing_more(sitting: Sitting) -> None:
    board = OwnBoard()
    sitting.session.attach(board, "white")
    sitting.session.close()
    count = len(sitting.table.log)
    board.move("e2e4")
    assert board.closed and len(sitting.table.log) == count


def test_a_loss_is_told_to_everybody_and_so_is_that_it_is_back(sitting: Sitting) -> None:
    board = OwnBoard(None)
    sitting.session.attach(board, "black")
    seat = sitting.session.boards["black"]
    board.tell(events.Disconnected("The cable is off."))
    assert seat.gone and seat.seen
    board.tell(events.Connected("own", "own board"))
    assert not seat.gone
    player = GERMAN.sentence("black")
    assert sitting.said() == [
        GERMAN.sentence("board_gone", player=player),
        GERMAN.sentence("board_back", player=player),
    ]
    assert "trouble: The cable is off." in sitting.printed


def test_a_board_with_an_older_firmware_is_named_once_however_often_it_comes_back(
    sitting: Sitting,
) -> None:
    board = OwnBoard(None)
    sitting.session.attach(board, "black")
    advice = "The board at own has firmware 1.1."
    for _time in range(2):
        board.tell(events.Connected("own", "own board", advice=advice))
        board.tell(events.Disconnected("The cable is off."))
    assert sitting.printed.count(f"trouble: {advice}") == 1


def test_a_bad_contact_is_printed_each_time_and_said_once(sitting: Sitting) -> None:
    board = OwnBoard()
    sitting.session.attach(board, "white")
    sitting.said()
    for square in ("e4", "e4", "d5"):
        board.tell(events.ContactFault(square))
    bad = [GERMAN.sentence("contact_bad", square=name) for name in ("Eva vier", "David fünf")]
    assert sitting.said() == bad
    assert sitting.printed.count("Der Kontakt von e4 ist schlecht") == 2


def test_a_bad_contact_is_told_in_one_language(sit: Sit) -> None:
    white = Player(impaired=True, language="en")
    sitting = sit(white=white, announce_in="en")
    board = OwnBoard()
    sitting.session.attach(board, "white")
    sitting.said()
    board.tell(events.ContactFault("e4"))
    assert sitting.said() == [load("en").sentence("contact_bad", square="Eva four")]


def test_a_lever_may_be_its_players_talk_button(sitting: Sitting, recogniser: Recogniser) -> None:
    mode = MicrophoneMode.PUSH_TO_TALK
    sitting.session.attach_microphone("white", Microphone(), recogniser, mode)
    board = OwnBoard()
    sitting.session.attach(board, "white", levers=False)
    board.tell(events.LeverPressed("black"))  # either of the two
    assert sitting.printed.rstrip().endswith("listening to White")
    assert "lever pressed" not in sitting.printed


def test_a_seat_keeps_its_board_when_the_colours_are_reversed(sitting: Sitting) -> None:
    """7.3: the players stay where they are."""
    board = OwnBoard()
    sitting.session.attach(board, "white")
    seat = sitting.session.boards["white"]
    assert seat.side == "white"
    sitting.table.submit(f.Irregular(by="arbiter", what="reversed_colours"))
    sitting.table.submit(f.Arbiter(do="confirm"))
    assert seat.side == "black"
    board.tell(events.Lifted("e7"))
    lifted = [one.fact for one in sitting.table.log if isinstance(one.fact, f.Lift)]
    assert [fact.board for fact in lifted] == ["black"]


# --- a board that tells positions only ----------------------------------------------------------


def test_what_stands_on_it_counts_when_it_is_awaited_or_the_clock_is_pressed(
    sitting: Sitting, facts: Callable[[], list[f.Fact]]
) -> None:
    board = Unfelt()
    sitting.session.attach(board, "white")
    board.tell(events.Lifted("e2"))
    board.show(AFTER_E4)  # nobody has announced it: the piece may still be in the hand
    assert [fact for fact in facts() if not isinstance(fact, f.Tick)] == []
    sitting.session.typed("white", "Eva zwei Eva vier")
    position = [fact for fact in facts() if isinstance(fact, f.Position)]
    assert [(fact.board, fact.placement) for fact in position] == [("white", AFTER_E4)]
    assert sitting.ruled("made") == 1


def test_a_press_takes_what_stands_on_it(sitting: Sitting) -> None:
    board = Unfelt()
    sitting.session.attach(board, "black")
    sitting.play("e2e4")
    board.show("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR")
    assert sitting.ruled("made") == 1
    sitting.session.press("black")
    assert [ply.move.uci() for ply in sitting.table.game.history] == ["e2e4", "e7e5"]


class Telling(OwnBoard):
    """One with a motor or a lamp for its player."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[set[Notice]] = [set()]

    def light(
        self, squares: Collection[chess.Square], notices: Collection[Notice] = frozenset()
    ) -> None:
        if self.told[-1] != set(notices):
            self.told.append(set(notices))


def test_its_player_is_told_without_words_of_a_move_and_of_a_question(sitting: Sitting) -> None:
    board, session = Telling(), sitting.session
    session.attach(board, "white")
    session.typed("white", "aufgeben")
    session.settle()
    session.typed("white", "nein")
    session.settle()
    sitting.play("e2e4")
    move, question = {Notice.YOUR_MOVE}, {Notice.YOUR_MOVE, Notice.QUESTION}
    assert board.told == [set(), move, question, move, set()]
    sitting.play("e7e5")
    assert board.told[-1] == move


def doubted(square: str, player: str = "white") -> str:
    words = GERMAN.sentence("contact_doubted", square=GERMAN.square(chess.parse_square(square)))
    return GERMAN.sentence("on_board_of", player=GERMAN.sentence(player), words=words)


class Changing(OwnBoard):
    """One whose pieces are lifted and placed one by one."""

    def lift(self, square: str) -> None:
        self.tell(events.Lifted(square))

    def place(self, square: str, piece: str) -> None:
        self.tell(events.Placed(square, piece))


@pytest.fixture
def changing(sitting: Sitting) -> Changing:
    board = Changing()
    sitting.session.attach(board, "white")
    board.tell(events.Connected("own", "own board"))
    sitting.said()
    return board


def hands(sitting: Sitting) -> list[tuple[str, str]]:
    """What hands have done, as the table has taken it."""
    facts = (taken.fact for taken in sitting.table.log)
    return [(fact.kind, fact.square) for fact in facts if isinstance(fact, f.Lift | f.Place)]


def test_a_doubted_piece_is_touched_neither_when_it_is_pressed_down_nor_when_it_is_lifted_as_asked(
    sitting: Sitting, changing: Changing
) -> None:
    changing.tell(events.PieceDoubted("e2"))
    assert sitting.said() == [doubted("e2")]
    changing.tell(events.PieceCertain("e2"))
    assert sitting.said() == ["Eva zwei: weißer Bauer."]
    for _ in range(2):  # a bad contact comes and goes: it is said once
        changing.tell(events.PieceDoubted("e2"))
        changing.lift("e2")
        changing.place("e2", "P")
    assert sitting.said() == [] and hands(sitting) == []
    assert not sitting.table.game.turn.touched


def counts_empty(square: str) -> str:
    words = GERMAN.sentence("contact_counts_empty", square=square)
    return GERMAN.sentence("on_board_of", player=GERMAN.sentence("white"), words=words)


def test_a_placed_piece_that_cannot_be_is_asked_about_and_counts_when_it_was_put_back(
    sitting: Sitting, changing: Changing
) -> None:
    """The press waits meanwhile: without a move it would be illegal (7.5.3)."""
    changing.lift("e2")
    changing.tell(events.PieceDoubted("e4", empty=True))
    assert sitting.said() == [counts_empty("Eva vier")]
    changing.tell(events.LeverPressed("white"))
    assert sitting.said()[0] == counts_empty("Eva vier")
    assert not sitting.ruled("illegal")
    changing.place("e4", "P")
    changing.tell(events.PieceCertain("e4"))
    assert sitting.said()[0] == "Eva vier: weißer Bauer."
    assert hands(sitting) == [("lift", "e2"), ("place", "e4")]
    assert sitting.table.game.turn.touched == [chess.E2]


def test_a_piece_in_a_damp_hole_is_no_fact_and_hinders_no_move(
    sitting: Sitting, changing: Changing
) -> None:
    changing.tell(events.PieceDoubted("h5", empty=True))
    assert sitting.said() == [counts_empty("Hector fünf")]
    changing.lift("e2")
    changing.place("e4", "P")
    changing.tell(events.LeverPressed("white"))
    assert hands(sitting) == [("lift", "e2"), ("place", "e4")]
    assert counts_empty("Hector fünf") not in sitting.said()
    changing.tell(events.PieceCertain("h5"))
    assert "Hector fünf: leer." in sitting.said()


def test_a_doubted_piece_that_is_lifted_to_move_is_touched(
    sitting: Sitting, changing: Changing
) -> None:
    changing.tell(events.PieceDoubted("e2"))
    changing.lift("e2")
    assert hands(sitting) == []
    changing.place("e4", "P")
    assert hands(sitting) == [("lift", "e2"), ("place", "e4")]
    assert sitting.table.game.turn.touched == [chess.E2]
    changing.tell(events.PieceDoubted("d2"))
    changing.lift("d2")
    changing.lift("g1")
    assert hands(sitting)[2:] == [("lift", "d2"), ("lift", "g1")]


def test_a_capture_faster_than_a_lift_is_made_when_the_piece_has_been_lifted_once(
    sit: Sit,
) -> None:
    """The sighted player's press waits meanwhile: without a move it would be illegal (7.5.3)."""
    sitting = sit(time_control="900")
    sitting.start()
    sitting.play("e2e4", "d7d5", "a2a3")
    board = Changing("rnbqkbnr/ppp1pppp/8/3p4/4P3/P7/1PPP1PPP/RNBQKBNR")
    sitting.session.attach(board, "black")
    board.tell(events.Connected("own", "own board"))
    sitting.said()
    board.lift("d5")
    board.tell(events.PieceDoubted("e4"))
    board.tell(events.LeverPressed("black"))
    assert sitting.said() == [doubted("e4", "black")] * 2
    assert len(sitting.table.game.history) == 3 and not sitting.ruled("illegal")
    board.lift("e4")
    board.place("e4", "p")
    assert [ply.move.uci() for ply in sitting.table.game.history][3:] == ["d5e4"]
    touched = [one for one in sitting.session.rulings if one.kind == "touched"]
    assert [vars(one)["square"] for one in touched] == ["d5"]


def test_a_doubt_ends_with_the_position_that_no_longer_has_it(
    sitting: Sitting, changing: Changing
) -> None:
    changing.tell(events.BoardPosition(START, doubted=("e2", "d2")))
    assert sitting.said() == [doubted("e2"), doubted("d2")]
    sitting.session.typed("white", "Eva zwei Eva vier")
    changing.tell(events.LeverPressed("white"))
    assert sitting.said()[-2:] == [doubted("d2"), doubted("e2")]
    changing.lift("d2")
    changing.tell(events.BoardPosition(START, doubted=("e2",)))
    changing.tell(events.BoardPosition(AFTER_E4))
    assert hands(sitting) == []
    assert [ply.move.uci() for ply in sitting.table.game.history] == ["e2e4"]


# The pawn takes on d5 or on f5.
FEN = "4k3/8/8/3p1p2/4P3/8/8/4K3 w - - 0 1"


def shown(move: str, fen: str = FEN) -> str:
    board = chess.Board(fen)
    board.push_uci(move)
    return board.board_fen()


def without_names(placement: str) -> str:
    return re.sub("[A-Za-z]", "?", placement)


def squares(*names: str) -> list[int]:
    return [chess.parse_square(name) for name in names]


def test_captures_that_look_alike_are_told_apart_by_what_was_lifted_or_announced(sit: Sit) -> None:
    at = sit(fen=FEN)
    at.start()
    game, alike = at.table.game, without_names(shown("e4d5"))
    assert read_position(game, "white", alike, squares("e4", "f5")) == shown("e4f5")
    assert read_position(game, "white", alike, squares("e4")) is None
    assert read_position(game, "white", None, []) is None
    assert read_position(game, "white", shown("e4d5"), []) == shown("e4d5")
    assert read_position(game, "white", without_names(START), []) is None
    at.session.typed("white", "Eva vier David fünf")
    assert read_position(game, "white", alike, squares("e4")) == shown("e4d5")


def test_a_promoted_pawn_stays_a_pawn_until_words_say_what_it_is(sit: Sit) -> None:
    fen = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"
    at = sit(fen=fen)
    at.start()
    game, promoted = at.table.game, without_names(shown("a7a8q", fen))
    assert read_position(game, "white", promoted, squares("a7")) == "P3k3/8/8/8/8/8/8/4K3"
    at.session.typed("white", "Anna sieben Anna acht Turm")
    assert read_position(game, "white", promoted, squares("a7")) == shown("a7a8r", fen)


def test_lamps_show_what_hands_have_to_do_and_no_thoughts(sit: Sit) -> None:
    at = sit()
    game = at.table.game
    assert to_light(game, "black", START.replace("RNBQKBNR", "RNBQKBN1")) == {chess.H1}
    at.start()
    moved = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"
    assert to_light(game, "white", START) == to_light(game, "white", moved) == set()
    at.session.typed("white", "Eva zwei Eva vier")
    for shown in (START, START.replace("p", "?").replace("P", "?")):
        assert to_light(game, "black", shown) == {chess.E2, chess.E4}
    assert to_light(game, "black", moved) == set()


def test_the_player_on_move_and_the_one_who_is_asked_have_something_to_do(sit: Sit) -> None:
    at = sit(time_control="900+10")
    game = at.table.game
    assert notices(game, "white", asked=False) == set()
    at.start()
    assert notices(game, "white", asked=False) == {Notice.YOUR_MOVE}
    assert notices(game, "white", asked=True) == {Notice.YOUR_MOVE, Notice.QUESTION}
    assert notices(game, "black", asked=True) == {Notice.QUESTION}
    at.play("e2e4")
    assert notices(game, "white", asked=False) == set()
    assert notices(game, "black", asked=False) == {Notice.YOUR_MOVE}
