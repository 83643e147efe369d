"""Puzzles of a collection in CSV, chosen by their kind and their rating, typed and spoken."""

from __future__ import annotations

import io
import queue
import random
import re
from contextlib import ExitStack
from pathlib import Path

import chess
import pytest

from blindplay.hearing.decision import Decision, Verdict
from blindplay.hearing.statement import Statement
from blindplay.language import Kind, Understanding, languages, load
from blindplay.opponents import uci
from blindplay.opponents.analysis import Analyst
from blindplay.record.puzzle_collection import PuzzleCollection, PuzzleWish
from blindplay.record.study import Puzzle, Unread
from blindplay.speech.recogniser import Recognition
from blindplay.speech.synthesis import is_words
from blindplay.table.attendant import Attendant, EndedError, Prompter
from blindplay.table.puzzle_training import KINDS, LEVELS, read_ratings, train
from blindplay.table.reviewing import Teacher
from tests.opponents.test_analysis import FEW, free

ENGLISH = load("en")
HEAD = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n"
BACK_RANK = "6k1/5ppp/8/8/8/8/r7/R5K1 b - - 0 1"
"""Black's rook leaves the file, and White mates."""
ROWS = (
    f"Aa001,{BACK_RANK},a2b2 a1a8,900,80,90,10,backRankMate mateIn1 short,https://x/1,\n"
    f"Aa002,{BACK_RANK},a2c2 a1a8,1450,80,90,10,endgame mateIn1,https://x/2,\n"
    "Aa003,nonsense,a2c2 a1a8,1500,80,90,10,fork,https://x/3,\n"
    f"Aa004,{BACK_RANK},a2d2 a1a8,1550,80,90,10,fork,https://x/4,\n"
)


def collection(folder: Path, text: str = HEAD + ROWS) -> PuzzleCollection:
    path = folder / "puzzles.csv"
    path.write_text(text, "utf-8")
    found = PuzzleCollection.at(path)
    assert found is not None
    return found


def names(collection: PuzzleCollection, wish: PuzzleWish, number: int | None = None) -> list[str]:
    return [
        one.name if isinstance(one, Puzzle) else "unread"
        for one in collection.puzzles(wish, number)
    ]


def test_the_first_move_of_a_row_of_lichess_is_the_opponents(tmp_path: Path) -> None:
    puzzle = next(collection(tmp_path).puzzles(PuzzleWish()))
    mate = chess.Move.from_uci("a1a8")
    assert isinstance(puzzle, Puzzle) and puzzle.board.turn == chess.WHITE
    assert [move.uci() for move in puzzle.board.move_stack] == ["a2b2"]
    assert (puzzle.name, puzzle.best, puzzle.line) == ("Aa001, 900", (mate,), (mate,))


def test_puzzles_are_chosen_by_theme_and_rating_and_a_bad_row_is_named(tmp_path: Path) -> None:
    of = collection(tmp_path)
    assert names(of, PuzzleWish()) == ["Aa001, 900", "Aa002, 1450", "unread", "Aa004, 1550"]
    assert names(of, PuzzleWish(frozenset({"MATEIN1"}))) == ["Aa001, 900", "Aa002, 1450"]
    assert names(of, PuzzleWish(lowest=1400, highest=1460)) == ["Aa002, 1450"]
    assert names(of, PuzzleWish(), 4) == ["Aa004, 1550"]
    bad = [one for one in of.puzzles(PuzzleWish()) if isinstance(one, Unread)]
    assert bad[0].sentence.startswith("Puzzle Aa003 in ")


@pytest.mark.parametrize(
    "text",
    [
        ROWS,  # without a heading
        f"fen;solution;rating\n{BACK_RANK.replace(' b ', ' w ')};Ra1xa2;900\n",
        f"id\tfen\tmoves\n1\t{BACK_RANK.replace(' b ', ' w ')}\tRxa2\n",
    ],
)
def test_other_tables_are_collections_too(tmp_path: Path, text: str) -> None:
    puzzle = next(collection(tmp_path, text).puzzles(PuzzleWish()))
    assert isinstance(puzzle, Puzzle) and puzzle.board.turn == chess.WHITE


def test_what_is_no_collection_or_compressed_is_not_taken_for_one(tmp_path: Path) -> None:
    path = tmp_path / "given"
    for text in ("1. e4 e5, 2. d4, x, y\n", f"{BACK_RANK} bm Rb2;\n", "a,b,c,d\n", ""):
        path.write_text(text, "utf-8")
        assert PuzzleCollection.at(path) is None
    path.write_bytes(b"\x28\xb5\x2f\xfd" + bytes(40))
    with pytest.raises(ValueError, match="is compressed; unpack it with: unzstd"):
        PuzzleCollection.at(path)


def test_a_large_file_begins_anywhere_and_is_gone_through_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = collection(tmp_path)
    whole = names(of, PuzzleWish())
    monkeypatch.setattr(
        "blindplay.record.puzzle_collection.GAMES", type("", (), {"most_bytes": 10})
    )
    for seed in range(6):
        found = [
            one.name if isinstance(one, Puzzle) else "unread"
            for one in of.puzzles(PuzzleWish(), None, random.Random(seed))
        ]
        assert sorted(found) == sorted(whole)


@pytest.mark.parametrize(
    ("text", "range_"),
    [("1500", (1400, 1600)), ("1400-1600", (1400, 1600)), ("900 – 800", (800, 900))],
)
def test_a_rating_is_read(text: str, range_: tuple[int, int]) -> None:
    assert read_ratings(text) == range_


def trained(
    of: PuzzleCollection, keys: str, wish: PuzzleWish | None = None, code: str = "en"
) -> list[str]:
    out = io.StringIO()
    pack = load(code)
    with ExitStack() as stack:
        voice = Prompter(stack, pack, True, out)
        attendant = Attendant(stack, voice, io.StringIO(keys))
        teacher = Teacher(voice, attendant, Analyst(uci.BUILT_IN, free, FEW), True)
        try:
            train(teacher, of, wish)
        except EndedError:
            out.write("ended\n")
    return out.getvalue().splitlines()


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("fork\n\n", ["Aa004, 1550"]),
        ("4\nhard\n", []),
        ("four\nmedium\n", ["Aa004, 1550"]),
        ("mate in one\neasy\n", ["Aa001, 900"]),
        ("mateIn1\n1\n", ["Aa001, 900"]),
        ("\n1400-1460\n", ["Aa002, 1450"]),
        ("nonsense!\nendgame\nskip\n", ["Aa002, 1450"]),
    ],
)
def test_a_kind_and_a_level_are_chosen_by_typing(
    tmp_path: Path, typed: str, asked: list[str]
) -> None:
    said = trained(collection(tmp_path), f"{typed}quit\n")
    assert [line for line in said if line.startswith("Aa")] == asked
    assert ("There are no such puzzles in this file." in said) is not bool(asked)
    if asked:
        at = said.index(asked[0])
        assert said[at + 1].startswith("Last move, Black: Rook ")
        assert said[-1] == "Solved without help: zero of zero."


def test_back_chooses_other_puzzles_and_a_wish_of_the_options_comes_first(tmp_path: Path) -> None:
    wish = PuzzleWish(frozenset({"fork"}))
    said = trained(collection(tmp_path), "Ra8\n\n\n", wish)
    assert said[-1] == "Solved without help: one of one."
    said = trained(collection(tmp_path), "back\nmate in one\neasy\nRa8\n", wish)
    assert [line for line in said if line.startswith("Aa")] == ["Aa004, 1550", "Aa001, 900"]


@pytest.mark.parametrize("code", languages())
def test_the_choices_of_every_language_are_words_and_differ(tmp_path: Path, code: str) -> None:
    said = trained(collection(tmp_path), "quit\n", code=code)
    assert len(said) == len(KINDS) + 2
    assert [line for line in said[:-1] if not is_words(line, code)] == []
    assert len({re.sub("^[^:]*: ", "", line) for line in said[1:-1]}) == len(KINDS)
    levels = [load(code).sentence(f"puzzle_level_{level}") for level in LEVELS]
    assert len(set(levels)) == len(LEVELS)


class OneWord:
    """An ear that hears one phrase of those that it listens for."""

    def __init__(self, attendant: Attendant, said: str) -> None:
        self._attendant, self._said = attendant, said

    def listen(self, _board: None, choices: list[str]) -> None:
        assert self._said in [choice.lower() for choice in choices]
        meant = Understanding(Kind.UNCLEAR, self._said)
        for taken in (None, Statement(self._said, meant)):
            verdict = Verdict.REFUSE if taken is None else Verdict.ACCEPT
            self._attendant.hear(Decision(verdict, Recognition(()), taken))

    def rest(self) -> None:
        pass


def test_a_kind_is_chosen_by_saying_it() -> None:
    held = queue.SimpleQueue[str]()  # nothing is typed
    with ExitStack() as stack:
        voice = Prompter(stack, ENGLISH, True, io.StringIO())
        attendant = Attendant(stack, voice, iter(held.get, None))
        teacher = Teacher(voice, attendant, Analyst(uci.BUILT_IN, free, FEW), True)
        teacher.answers.ear = OneWord(attendant, "smothered mate")  # type: ignore[assignment]
        assert teacher.chosen(["fork", "smothered mate"]) == "smothered mate"
