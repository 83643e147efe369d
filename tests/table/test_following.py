"""Following games: what is told, chosen and asked, and hands that are led along."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any, cast
from unittest.mock import Mock

import chess
import pytest

from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.hearing.decision import Decision, Verdict
from blindplay.hearing.statement import interpret
from blindplay.language import Language, languages, load
from blindplay.opponents.watching import GameSource, SourceNews, source_of
from blindplay.record.watched_games import GamesReader, WatchedGame
from blindplay.speech.recogniser import Recognition
from blindplay.speech.synthesis import is_words
from blindplay.table.attendant import AnsweringEar, Attendant, Prompter
from blindplay.table.following import Following
from tests.opponents.public_server import ROUND, pgn
from tests.table.test_attendant import Running
from tests.waiting import PATIENCE_S, until

ENGLISH = load("en")
CLOCKS = "1. e4 { [%clk 0:09:30] } 1... e5 { [%clk 0:08:00] }"


def games(*texts: str) -> tuple[WatchedGame, ...]:
    return GamesReader().games("".join(texts), "x")


class ScriptedSource(GameSource):
    """A source whose news the test gives itself."""

    def __init__(self) -> None:
        super().__init__("scripted")
        self.ended = threading.Event()

    def begin(self, tell: Callable[[SourceNews], object]) -> None:
        pass

    def end(self) -> None:
        self.ended.set()

    def _follow(self) -> bool:
        raise NotImplementedError


class Followed(Running):
    """A person who follows games."""

    def __init__(
        self,
        pack: Language = ENGLISH,
        *,
        wanted: str = "",
        board: EmulatedBoard | None = None,
        quiet_s: float = 900,
        keys: Iterable[str] | None = None,
    ) -> None:
        super().__init__()
        self.source = ScriptedSource()
        self.why = ""
        self._seen = 0
        self._stack = ExitStack()
        voice = Prompter(self._stack, pack, True, self.out)
        url = None if board is None else board.url
        self.attendant = Attendant(self._stack, voice, self.keys if keys is None else keys, url)
        self.following = Following(
            voice,
            self.attendant,
            self.source,
            wanted=wanted,
            keys_go=keys is None,
            quiet_s=quiet_s,
        )
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        self.why = self.following.run()

    def show(self, *texts: str) -> None:
        """Let the source have these games now."""
        self.attendant.tell(SourceNews(games(*texts), whole=True))

    def says(self, *sentences: str) -> None:
        """Wait until these sentences have been said next."""
        text = "".join(f"{sentence}\n" for sentence in sentences)
        printed = self.out.getvalue
        assert until(lambda: len(printed()) >= self._seen + len(text)), printed()[self._seen :]
        assert printed()[self._seen : self._seen + len(text)] == text
        self._seen += len(text)

    def asks(self, line: str, *answer: str) -> None:
        self.keys.type(line)
        self.says(*answer)

    def ended(self) -> None:
        self.thread.join(PATIENCE_S)
        assert not self.thread.is_alive() and self.source.ended.is_set()
        self._stack.close()

    def quit(self) -> None:
        """End, and check that nothing else was said."""
        self.keys.type("quit")
        self.ended()
        assert self.out.getvalue()[self._seen :] == ""


KEYS = (
    "Ask for the position, the clocks or the last move. Type repeat to hear the last news again, "
    "or quit to stop."
)
KEYS_GAMES = "The number of a game changes to that game, and back lists the games."
WHICH = "Type or say the number of a game, or type the name of a player."
E4 = "White: Pawn Eva two Eva four."
E5 = "Black: Pawn Eva seven Eva five."
ANNA = "Game one: Anna against Bert."
CARLA = "Game two: Carla against Dirk."
NO_MOVE = "No move has been played yet."


def begun(moves: str = "", result: str = "*", **more: Any) -> Followed:
    """Somebody follows the only game of a source."""
    followed = Followed(**more)
    followed.show(pgn("Anna", "Bert", moves, result=result))
    return followed


def begun_without_moves(**more: Any) -> Followed:
    followed = begun(**more)
    followed.says(f"{ANNA} {NO_MOVE}", "White to move.", KEYS)
    return followed


def test_the_only_game_is_followed_at_once_and_each_move_is_told() -> None:
    followed = begun_without_moves()
    followed.show(pgn("Anna", "Bert", "1. e4"))
    followed.says(E4)
    followed.show(pgn("Anna", "Bert", "1. e4"))
    followed.show(pgn("Anna", "Bert", "1. e4 f5 2. Qh5+"))
    followed.says("Black: Pawn Felix seven Felix five.")
    followed.says("White: Queen David one Hector five check.")
    followed.quit()


def test_a_game_that_runs_already_is_told_as_it_stands() -> None:
    followed = begun(CLOCKS)
    followed.says(
        f"{ANNA} Moves played: one. White has nine minutes thirty seconds. "
        "Black has eight minutes.",
        "Last move, Black: Pawn Eva seven Eva five.",
        "White to move.",
        KEYS,
    )
    followed.asks("clocks", "White has nine minutes thirty seconds. Black has eight minutes.")
    followed.asks("c", "White has nine minutes thirty seconds. Black has eight minutes.")
    followed.asks("last move", "Last move, Black: Pawn Eva seven Eva five.")
    followed.asks("moves so far", E4, E5)
    followed.asks("", E4, E5)
    followed.asks("repeat", E4, E5)
    followed.asks("how many moves", "Moves played: one.")
    followed.asks("what now", "White to move.")
    followed.asks("what is on e4", "Eva four: white pawn.")
    followed.asks("captured pieces", ENGLISH.sentence("captured_none"))
    followed.asks("best move", ENGLISH.sentence("not_understood"))  # 11.3.1
    followed.asks("help", KEYS)
    followed.quit()


def test_moves_that_the_source_replaces_are_told_and_the_new_ones_after_them() -> None:
    followed = begun_without_moves()
    followed.show(pgn("Anna", "Bert", "1. e4 e5 2. Nf3"))
    followed.says(E4, E5, "White: Knight Gustav one Felix three.")
    followed.show(pgn("Anna", "Bert", "1. e4 e5 2. Nc3"))
    followed.says(
        "Taken back, White: Knight Gustav one Felix three.",
        "White: Knight Bella one Cæsar three.",
    )
    followed.show(pgn("Anna", "Bert", "1. e4"))
    followed.says(
        "Taken back, White: Knight Bella one Cæsar three.",
        "Taken back, Black: Pawn Eva seven Eva five.",
    )
    followed.quit()


LONG = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3"


def test_many_moves_at_once_are_counted_and_the_last_one_told() -> None:
    followed = begun_without_moves()
    followed.show(pgn("Anna", "Bert", LONG))
    followed.says(
        "Moves that came together: nine. The last one:", "White: Knight Gustav one Felix three."
    )
    followed.show(pgn("Anna", "Bert", ""))
    followed.says("Moves taken back: nine.")
    followed.quit()


def test_a_move_that_cannot_be_played_is_told_once_and_its_correction_awaited() -> None:
    followed = begun_without_moves()
    waits = ENGLISH.sentence("follow_unreadable")
    followed.show(pgn("Anna", "Bert", "1. e4 Ke7 2. d4"))
    followed.says(E4, waits, "Ke7")
    followed.show(pgn("Anna", "Bert", "1. e4 Ke7 2. d4 d5"))
    followed.asks("1", f"{ANNA} Moves played: one.", "Last move, White: Pawn Eva two Eva four.")
    followed.says(waits, "Black to move.")
    followed.show(pgn("Anna", "Bert", "1. e4 e5"))
    followed.says(E5)
    followed.quit()


def test_a_game_that_is_over_tells_that_its_later_moves_cannot_be_read() -> None:
    rest, over = "Later moves of this game cannot be read.", "The game is over. White wins."
    followed = begun("1. e4 Ke7 2. d4 d5", result="1-0")
    followed.says(f"{ANNA} {over}", "Last move, White: Pawn Eva two Eva four.", rest, KEYS)
    followed.asks("how many moves", rest, "Moves played: one.")
    followed.asks("what is on e4", rest, "Eva four: white pawn.")
    followed.quit()
    followed = begun_without_moves()
    followed.show(pgn("Anna", "Bert", "1. e4 Ke7 2. d4", result="1-0"))
    followed.says(E4, rest, "Ke7", over)
    followed.quit()


NO_CHESS = (
    "This game cannot be followed. It does not begin with a position of chess or chess nine-sixty."
)


def test_a_game_that_is_no_chess_shows_no_position_until_it_is_corrected() -> None:
    followed = Followed()
    followed.show(pgn("Anna", "Bert", "1. e4 e5", variant="Atomic"))
    followed.says(f"{ANNA} {NO_CHESS}", KEYS)
    for question in ("what is on e4", "how many moves", "what now"):
        followed.asks(question, NO_CHESS)
    followed.show(pgn("Anna", "Bert", "1. e4"))
    followed.says(f"{ANNA} Moves played: one.", "Last move, White: Pawn Eva two Eva four.")
    followed.says("Black to move.")
    followed.quit()


def test_a_corrected_name_is_told_with_what_is_new() -> None:
    followed = begun_without_moves()
    followed.show(pgn("Anna", "Bertram", "1. e4"))
    followed.says("Game one: Anna against Bertram. Moves played: one.", E4)
    followed.quit()


@pytest.mark.parametrize(
    ("result", "said"),
    [("1-0", "The game is over. White wins."), ("1/2-1/2", "The game is drawn.")],
)
def test_a_result_is_told_and_also_that_it_is_taken_back(result: str, said: str) -> None:
    followed = begun_without_moves()
    followed.show(pgn("Anna", "Bert", "1. e4", result=result))
    followed.says(E4, said)
    followed.show(pgn("Anna", "Bert", "1. e4"))
    followed.says("The result is taken back. The game goes on.")
    followed.quit()


def two(first: str = "", second: str = "", result: str = "*") -> tuple[str, str]:
    return (
        pgn("Anna", "Bert", first, result=result),
        pgn("Carla", "Dirk", second, result=result, board=2),
    )


def test_several_games_are_listed_and_chosen_by_number_or_name() -> None:
    followed = Followed()
    followed.show(*two("1. e4", "1. d4", result="1-0")[:1], two("", "1. d4")[1])
    over = f"{ANNA} The game is over. White wins."
    runs = f"{CARLA} Moves played: one."
    followed.says(over, runs, WHICH)
    followed.asks("e4", WHICH)
    followed.asks("7", "There is no such game. Games: two.", over, runs, WHICH)
    last = "Last move, White: Pawn David two David four."
    followed.asks("two", runs, last, "Black to move.", KEYS_GAMES, KEYS)
    followed.asks("anna", over, "Last move, White: Pawn Eva two Eva four.")
    followed.asks("dirk", runs, last, "Black to move.")
    followed.asks("back", over, runs, WHICH)
    followed.asks("help", KEYS_GAMES, KEYS)
    followed.quit()


def test_only_the_game_that_is_followed_is_told() -> None:
    followed = Followed(wanted="2")
    followed.show(*two())
    followed.says(f"{CARLA} {NO_MOVE}", "White to move.", KEYS_GAMES, KEYS)
    followed.show(*two("1. e4"))
    followed.show(*two("1. e4", "1. e4"))
    followed.says(E4)
    followed.show(*two("1. e4", "1. e4", result="0-1"))
    followed.says("The game is over. Black wins.", "All games of this source are over.")
    followed.quit()


NOT_YET = "The game that you named is not there yet. It is followed as soon as it appears."
ZOE = "Game three: Zoe against Yann."


@pytest.mark.parametrize("wanted", ["3", "Zoe"])
def test_a_game_that_is_wanted_is_waited_for_while_others_begin(wanted: str) -> None:
    followed = Followed(wanted=wanted)
    followed.show()
    followed.says("No game has begun yet. The first one will be announced.")
    followed.show(two()[0])
    followed.says(NOT_YET, f"{ANNA} {NO_MOVE}", WHICH)
    followed.show(*two())
    followed.says(f"{CARLA} {NO_MOVE}")
    followed.show(*two(), pgn("Zoe", "Yann", "", board=3))
    followed.says(f"{ZOE} {NO_MOVE}", "White to move.", KEYS_GAMES, KEYS)
    followed.quit()


def test_the_game_that_an_address_names_is_the_first_one() -> None:
    followed = Followed()
    followed.source.chapter = "board002"
    followed.show(*two())
    followed.says(f"{CARLA} {NO_MOVE}", "White to move.", KEYS_GAMES, KEYS)
    followed.quit()
    source = source_of(f"https://lichess.org/broadcast/cup/round-1/{ROUND}/board002")
    assert source.chapter == "board002"


def test_another_game_may_be_chosen_while_the_wanted_one_is_waited_for() -> None:
    followed = Followed(wanted="Zoe")
    followed.show(*two())
    followed.says(NOT_YET, f"{ANNA} {NO_MOVE}", f"{CARLA} {NO_MOVE}", WHICH)
    followed.asks("2", f"{CARLA} {NO_MOVE}", "White to move.", KEYS_GAMES, KEYS)
    followed.show(*two(), pgn("Zoe", "Yann", "", board=3))
    followed.says(f"{ZOE} {NO_MOVE}")
    followed.quit()


def test_without_keys_no_other_game_takes_the_place_of_the_wanted_one() -> None:
    followed = Followed(keys=[], wanted="Zoe")
    followed.show(*two())
    followed.show(*two(), pgn("Zoe", "Yann", "1. e4", result="1-0", board=3))
    followed.ended()
    assert "Game three: Zoe against Yann. The game is over." in followed.out.getvalue()


def test_what_is_typed_before_the_source_tells_anything_is_not_lost() -> None:
    followed = Followed()
    followed.keys.type("2")
    followed.show(*two())
    followed.says(f"{ANNA} {NO_MOVE}", f"{CARLA} {NO_MOVE}", WHICH)
    followed.says(f"{CARLA} {NO_MOVE}", "White to move.", KEYS_GAMES, KEYS)
    followed.quit()


def test_a_source_without_games_is_waited_for() -> None:
    followed = Followed()
    followed.show()
    followed.says("No game has begun yet. The first one will be announced.")
    followed.show(pgn("Anna", "Bert", ""))
    followed.says(f"{ANNA} {NO_MOVE}", "White to move.", KEYS)
    followed.quit()


def test_a_cut_is_told_once_and_also_that_the_source_is_back() -> None:
    followed = begun_without_moves()
    followed.attendant.tell(SourceNews(lost=True, why="It is away."))
    followed.says(ENGLISH.sentence("follow_lost"), "trouble: It is away.")
    followed.show(pgn("Anna", "Bert", "1. e4"))
    followed.says("The source is back.", E4)
    followed.quit()


def test_the_end_of_a_source_and_a_game_that_it_drops_are_told() -> None:
    followed = Followed(wanted="1")
    followed.show(*two())
    followed.says(f"{ANNA} {NO_MOVE}", "White to move.", KEYS_GAMES, KEYS)
    for _ in range(2):
        followed.show(two()[1])
    followed.says("The source no longer shows this game.")
    followed.attendant.tell(SourceNews(over=True))
    followed.says("The source has ended. Nothing more will come.")
    followed.asks("what now", "White to move.")
    followed.quit()


def test_a_source_that_is_none_gives_the_reason() -> None:
    followed = Followed()
    followed.attendant.tell(SourceNews(over=True, why="There is nothing."))
    followed.ended()
    assert followed.why == "There is nothing." and followed.out.getvalue() == ""


def test_it_is_told_again_and_again_when_nothing_new_comes() -> None:
    followed = begun_without_moves(quiet_s=0.2)
    followed.says("Minutes without news: one.", "Minutes without news: one.")
    followed.keys.type("quit")
    followed.ended()


class Timers:
    """The timers that were started, in place of those of a clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.started: list[Callable[[], None]] = []
        monkeypatch.setattr("blindplay.table.following.threading.Timer", self._timer)

    def _timer(self, _seconds: float, call: Callable[..., None], values: tuple[object]) -> Mock:
        return Mock(start=lambda: self.started.append(lambda: call(*values)))


def test_news_of_another_game_does_not_hide_that_the_followed_one_is_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    timers = Timers(monkeypatch)
    followed = Followed(wanted="2")
    followed.show(*two())
    followed.says(f"{CARLA} {NO_MOVE}", "White to move.", KEYS_GAMES, KEYS)
    started = len(timers.started)
    followed.show(*two("1. e4"))
    followed.asks("what now", "White to move.")
    assert len(timers.started) == started
    for minutes in ("fifteen", "thirty"):
        timers.started[-1]()
        followed.says(f"Minutes without news: {minutes}.")
    followed.show(*two("1. e4", "1. e4"))
    followed.says(E4)
    timers.started[-1]()
    followed.says("Minutes without news: fifteen.")
    followed.quit()


def test_a_game_that_the_source_shows_again_is_told_and_so_is_its_next_absence() -> None:
    followed = Followed(wanted="1")
    followed.show(*two())
    followed.says(f"{ANNA} {NO_MOVE}", "White to move.", KEYS_GAMES, KEYS)
    for _ in range(2):
        followed.show(two()[1])
        followed.says("The source no longer shows this game.")
        followed.show(*two("1. e4"))
        followed.says(f"{ANNA} Moves played: one.", "Last move, White: Pawn Eva two Eva four.")
        followed.says("Black to move.")
    followed.quit()


def test_without_keys_the_first_running_game_is_followed_to_its_end() -> None:
    followed = Followed(keys=[])
    over, runs = pgn("Anna", "Bert", "1. e4", result="1-0"), two()[1]
    followed.show(over, runs)
    followed.wait(f"{CARLA} {NO_MOVE}\nWhite to move.")
    followed.show(over, two("", "1. e4", result="1-0")[1])
    followed.ended()
    assert E4 in followed.out.getvalue()


def test_a_number_may_be_said() -> None:
    followed = Followed()
    followed.show(*two())
    followed.says(f"{ANNA} {NO_MOVE}", f"{CARLA} {NO_MOVE}", WHICH)
    statement = interpret("two", [chess.Board()], ENGLISH)
    followed.attendant.hear(Decision(Verdict.ASK, Recognition()))
    followed.says(ENGLISH.sentence("not_understood"))
    followed.attendant.hear(Decision(Verdict.COMMAND, Recognition(), statement))
    followed.says(f"{CARLA} {NO_MOVE}", "White to move.", KEYS_GAMES, KEYS)
    followed.quit()


def test_the_next_game_of_a_table_is_told_and_can_be_followed() -> None:
    followed = begun_without_moves()
    followed.show(pgn("Anna", "Bert", "1. e4", result="1-0"))
    followed.says(E4, "The game is over. White wins.")
    followed.show(two()[1])
    followed.says(f"{CARLA} {NO_MOVE}", KEYS_GAMES)
    followed.asks("2", f"{CARLA} {NO_MOVE}", "White to move.")
    followed.show(two("", "1. e4")[1])
    followed.says(E4)
    followed.quit()


class ScriptedEar:
    """Keeps what it listens for."""

    def __init__(self) -> None:
        self.listened: list[list[str]] = []

    def listen(self, _board: None, choices: Iterable[str]) -> None:
        self.listened.append(list(choices))


def test_the_ear_listens_for_the_numbers_of_all_games_and_for_questions() -> None:
    followed, ear = Followed(), ScriptedEar()
    followed.following.ear = cast(AnsweringEar, ear)
    followed.show(two()[0])
    followed.says(f"{ANNA} {NO_MOVE}", "White to move.", KEYS)
    followed.show(*two("1. e4"))
    followed.says(E4, f"{CARLA} {NO_MOVE}", KEYS_GAMES)
    followed.quit()
    assert {"one", "clocks", "position", "last move"} <= set(ear.listened[0])
    assert "two" not in ear.listened[0] and {"one", "two"} <= set(ear.listened[-1])


@pytest.mark.parametrize("code", languages())
def test_every_language_tells_it_in_words(code: str) -> None:
    pack = load(code)
    followed = Followed(pack, quiet_s=0.3)
    followed.show(*two(CLOCKS, "1. d4"))
    followed.wait(pack.sentence("follow_which"))
    followed.keys.type("1")
    followed.wait(pack.sentence("follow_quiet", count=pack.number(1)))
    followed.show(*two(LONG, "1. d4"))
    followed.show(*two("1. e4 e5 2. Nf3", "1. d4"))
    followed.show(*two("1. e4 c5", "1. d4", result="1-0"))
    followed.attendant.tell(SourceNews(over=True))
    followed.wait(pack.sentence("follow_over"))
    followed.keys.type("quit")
    followed.ended()
    said = followed.out.getvalue().splitlines()
    assert len(said) > 18 and [line for line in said if not is_words(line, code)] == []


# --- hands at a board


@pytest.fixture
def board() -> Iterator[EmulatedBoard]:
    with EmulatedBoard() as board:
        yield board


def test_hands_are_led_move_by_move_and_back_when_a_move_is_replaced(board: EmulatedBoard) -> None:
    followed = begun(board=board)
    followed.wait("The position is set up.")
    followed.show(pgn("Anna", "Bert", "1. e4"))
    followed.wait(E4)
    board.lift("e2")
    board.place("e4", "P")
    followed.wait("The position is set up.", 2)
    followed.show(pgn("Anna", "Bert", "1. d4"))
    followed.wait("Taken back, White: Pawn Eva two Eva four.\nWhite: Pawn David two David four.\n")
    followed.wait("Move: white pawn, from ", 1)
    for square, piece in (("e4", ""), ("e2", "P"), ("d2", ""), ("d4", "P")):
        if piece:
            board.place(square, piece)
        else:
            board.lift(square)
    followed.wait("The position is set up.", 3)
    followed.keys.type("quit")
    followed.ended()


def test_hands_catch_up_with_moves_that_come_while_they_are_led(board: EmulatedBoard) -> None:
    followed = begun(board=board)
    followed.wait("The position is set up.")
    followed.show(pgn("Anna", "Bert", "1. e4"))
    followed.wait(E4)
    board.lift("e2")
    followed.show(pgn("Anna", "Bert", "1. e4 e5 2. Nf3"))
    followed.wait("White: Knight Gustav one Felix three.")
    followed.keys.type("clocks")  # questions are answered meanwhile
    followed.wait("The source gives no clock times.")
    board.place("e4", "P")
    board.lift("e7")
    board.place("e5", "p")
    board.lift("g1")
    board.place("f3", "N")
    followed.wait("The position is set up.", 2)
    assert "Now the board is set up" not in followed.out.getvalue()
    followed.keys.type("quit")
    followed.ended()


def test_a_board_that_is_lost_or_changed_between_two_moves_is_told(board: EmulatedBoard) -> None:
    followed = begun(board=board)
    followed.says(f"{ANNA} {NO_MOVE}", "White to move.", KEYS, "The position is set up.")
    lost = ENGLISH.sentence("board_lost")
    board.unplug()
    followed.wait(lost)
    board.plug()
    followed.wait("The position is set up.", 2)
    board.lift("e2")
    followed.wait("The board no longer shows the position.")
    board.lift("d2")
    board.place("d2", "P")
    board.place("e2", "P")
    followed.wait("The position is set up.", 3)
    board.fault("e2")
    followed.wait(ENGLISH.sentence("contact_bad", square=ENGLISH.square(chess.E2)))
    said = followed.out.getvalue()
    assert said.count("no longer shows") == said.count(lost) == 1
    followed.keys.type("quit")
    followed.ended()


def test_hands_are_led_to_no_position_of_a_game_that_is_no_chess(board: EmulatedBoard) -> None:
    followed = Followed(board=board)
    followed.show(pgn("Anna", "Bert", "1. e4", variant="Atomic"))
    followed.says(f"{ANNA} {NO_CHESS}", KEYS)
    followed.show(pgn("Anna", "Bert", "1. e4"))
    followed.wait("Move: white pawn, from Eva two to Eva four.")
    assert followed.out.getvalue().count("set up") == 1  # "Now the board is set up."
    followed.keys.type("quit")
    followed.ended()


def test_hands_are_led_to_another_game_from_its_position(board: EmulatedBoard) -> None:
    followed = Followed(board=board, wanted="1")
    followed.show(*two("", "1. d4"))
    followed.wait("The position is set up.")
    followed.keys.type("2")
    followed.wait("Move: white pawn, from David two to David four.")
    followed.keys.type("1")  # before hands have done it
    followed.wait(f"{ANNA} {NO_MOVE}\nWhite to move.\n", 2)
    followed.keys.type("2")
    followed.wait("Move: white pawn, from David two to David four.", 2)
    board.lift("d2")
    board.place("d4", "P")
    followed.wait("The position is set up.", 2)
    followed.keys.type("quit")
    followed.ended()
