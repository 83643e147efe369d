"""The demonstration: the main job end to end, every part real, no device needed."""

from __future__ import annotations

import io
import itertools
import tempfile
from pathlib import Path

import chess.pgn
import pytest

from blindplay.language import Language, languages, load
from blindplay.laws import Game
from blindplay.record import games, read_journal
from blindplay.speech.models import folders
from blindplay.table import demo
from blindplay.table.choices import Printed
from blindplay.table.demo import Shown, demonstrate
from blindplay.wording.pack_words import PackWords
from tests.once import MadeOnce
from tests.waiting import PATIENCE_S


@pytest.fixture(scope="module")
def shown(made_once: MadeOnce) -> tuple[str, Path]:
    """What it prints, and its journal."""

    def show(folder: Path) -> None:
        with (
            (folder / "printed.txt").open("w", encoding="utf-8") as out,
            pytest.MonkeyPatch.context() as patch,
        ):
            patch.setattr(demo, "PATIENCE", PATIENCE_S)
            demonstrate(out, "de", Shown(folder / "demo.jsonl", Printed.ALL))

    folder = made_once("demonstration", show)
    return (folder / "printed.txt").read_text("utf-8"), folder / "demo.jsonl"


_SELDOM = ("da", "de", "nb", "sv")  # a demonstration takes seconds; ``shown`` is a German one


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(code, marks=pytest.mark.long) if code in _SELDOM else code
        for code in languages()
    ],
)
def reported(
    request: pytest.FixtureRequest, made_once: MadeOnce
) -> tuple[Language, list[str], Path]:
    """A language, what its demonstration prints for a newcomer, and the folder for what is kept."""

    def show(folder: Path) -> None:
        kept = folder / "kept"
        kept.mkdir()
        with (
            (folder / "printed.txt").open("w", encoding="utf-8") as out,
            pytest.MonkeyPatch.context() as patch,
        ):
            patch.setattr(demo, "PATIENCE", PATIENCE_S)
            patch.setattr(tempfile, "tempdir", str(kept))
            patch.setattr(games, "tables_folder", lambda: kept)
            demonstrate(out, request.param, Shown(instead=True, command="call-me"))

    folder = made_once(f"demonstration-{request.param}", show)
    printed = (folder / "printed.txt").read_text("utf-8")
    return load(request.param), printed.splitlines(), folder / "kept"


def test_it_runs_in_every_language_and_says_why_it_comes(
    reported: tuple[Language, list[str], Path],
) -> None:
    pack, lines, _ = reported
    assert lines[0] == pack.sentence("demo_why")
    assert pack.sentence("demo_voices") in lines
    says = pack.sentence("demo_says", player="Anna", words="Anna")
    first = pack.announce(chess.Board(), chess.Move.from_uci("e2e4"))
    assert says.replace("Anna.", f"{first}.") in lines
    checkmate = pack.sentence("game_over_checkmate")
    won = pack.sentence("game_over_white_wins", reason=checkmate)
    assert pack.sentence("demo_table", words=won) in lines


def test_in_a_language_without_a_speech_model_the_people_type(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(folders, "built_in", lambda language: None)
    pack, out = load("sv"), io.StringIO()
    demonstrate(out, "sv")
    assert pack.sentence("demo_typed") in out.getvalue()
    words = pack.announce(chess.Board(), chess.Move.from_uci("e2e4"))
    assert pack.sentence("demo_types", player="Anna", words=words) in out.getvalue()


def test_it_reads_like_a_report_and_ends_with_what_to_type_next(
    reported: tuple[Language, list[str], Path],
) -> None:
    pack, lines, _ = reported
    assert lines[-5] == pack.sentence("demo_end")
    assert lines[-4].endswith(": call-me play --against engine")
    assert [line.split(": ")[1].split()[:2] for line in lines[-3:]] == [
        ["call-me", "play"], ["call-me", "doctor"], ["call-me", "help"],
    ]  # fmt: skip
    for machine in ("ruled", "felt", "heard", "trouble", "journal"):
        assert not [line for line in lines if machine in line.casefold().split()], machine


def test_nobody_speaks_while_the_table_does(shown: tuple[str, Path]) -> None:
    """What is spoken is heard before the table says anything."""
    happened = [line.split()[1:3] for line in shown[0].splitlines() if " " in line]
    speaking = [words for words in happened if "speaks:" in words or words[0] in ("heard", "said")]
    for before, after in itertools.pairwise(speaking):
        if "speaks:" in before:
            assert after == ["heard", f"{before[0].capitalize()}:"]


def test_no_journal_is_left_unless_it_is_asked_for(
    reported: tuple[Language, list[str], Path],
) -> None:
    assert not list(reported[2].iterdir())


def in_order(text: str, *parts: str) -> bool:
    at = 0
    for part in parts:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def test_moves_are_spoken_heard_felt_and_ruled(shown: tuple[str, Path]) -> None:
    assert in_order(
        shown[0],
        "white speaks: Bauer Eva zwei Eva vier",
        "heard White: bauer eva zwei eva vier",
        "ruled announced: by white; move e2e4 (fide-2023 D.2.1)",
        "said to everybody: Bauer Eva zwei Eva vier",
        "heard Black: bauer eva zwei eva vier",
        "ruled repeated: by black",
        "felt White's board: e2 lifted",
        "ruled touched: by white; square e2; piece P (fide-2023 D.2.2)",
        "felt White's board: P placed on e4",
        "ruled made: by white; move e2e4; san e4 (fide-2023 D.2.3)",
        "felt White's clock lever pressed",
        "ruled clock: running black",
        "heard Black: bauer eva sieben eva fünf",
        "said to everybody: Bauer Eva sieben Eva fünf",
    )


def test_a_slip_is_corrected_before_the_clock(shown: tuple[str, Path]) -> None:
    assert in_order(
        shown[0],
        "ruled announced: by white; move f1b5",
        " läufer felix eins cäsar vier",
        "ruled slip corrected: by white; was f1b5; now f1c4 (fide-2023 D.2.8)",
        "ruled completed: by white; move f1c4; ply 3",
    )


def test_the_clock_is_told_on_request_and_privately(shown: tuple[str, Path]) -> None:
    assert in_order(
        shown[0],
        " zeit habe ich noch",
        "ruled answer: to white; about time",
        "said privately: Ihre Zeit: ",  # a busy machine has needed some of it
    )


def test_a_wrong_execution_is_found_and_put_right(shown: tuple[str, Path]) -> None:
    assert in_order(
        shown[0],
        "ruled executed differs: board black; announced d1h5; executed d1g4",
        "ruled boards differ:",
        "ruled scoresheets: agree True",
        "ruled correct board: board black; steps lift Q g4, place Q h5",
        "said to everybody: Umstecken: weiße Dame, von Gustav vier nach Hector fünf.",
        "felt Black's board: Q placed on h5",
        "ruled boards agree:",
    )


def test_the_record_is_a_pgn_and_two_scoresheets(shown: tuple[str, Path]) -> None:
    text = shown[0]
    game = chess.pgn.read_game(io.StringIO(text[text.index("[Event") :]))
    assert game is not None
    assert not game.errors
    assert game.headers["Result"] == "1-0"
    # The scholar's mate: seven plies.
    assert game.end().board().is_checkmate()
    assert game.end().ply() == 7
    assert "4. Dame Hector fünf schlägt Felix sieben" in text
    assert "4. Dxf7" in text


def test_the_journal_holds_the_same_game(shown: tuple[str, Path]) -> None:
    again = Game(PackWords())
    for fact in read_journal(shown[1]).facts:
        again.apply(fact)
    assert again.result == "1-0"
    assert len(again.history) == 7


def test_nothing_is_said_twice_for_one_event(shown: tuple[str, Path]) -> None:
    said = [line for line in shown[0].splitlines() if "said to everybody: Läufer Felix" in line]
    # Announced once with the slip; the correction says the right move itself.
    assert len(said) == 1
