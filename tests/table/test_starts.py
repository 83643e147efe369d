"""A start says what a person needs to begin, and no more: by ear each word takes time."""

from __future__ import annotations

import io
from contextlib import closing
from pathlib import Path

import pytest

from blindplay.language import Command, Key, languages, load, word_of
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from blindplay.opponents.engine import EnginePlayer
from blindplay.opponents.uci import BUILT_IN, level
from blindplay.table.choices import Printed
from blindplay.table.keyboard import Keyboard
from blindplay.table.opening import open_game
from blindplay.table.play import TableOptions, run
from tests.conversation.conversing import GERMAN
from tests.table.playing import KEYS_ONLY, killed
from tests.table.sitting import START, Sit, Sitting

LINES_ALONE, WORDS_ALONE, LINES_OF_TWO, WORDS_OF_TOPIC = 5, 60, 10, 60
LINES_GOING_ON = 7
CODES = languages()
NAMED = {"white": Player(name="Anna", impaired=True), "black": Player(name="Bert", impaired=True)}


def opened(sit: Sit, code: str, *facts: f.Fact, **how: object) -> tuple[Sitting, list[str]]:
    """A table that is opened, and the lines that it prints until it waits."""
    at = sit(language=code, printed=Printed.WORDS, **{"time_control": "5400+30", **how})
    for fact in facts:
        at.table.submit(fact)
    Keyboard(at.session)
    before = len(at.printed)
    open_game(at.session, resumed=bool(facts))
    return at, at.printed[before:].splitlines()


def against_the_computer(sit: Sit, code: str, *facts: f.Fact) -> list[str]:
    engine = EnginePlayer(BUILT_IN, level("club"))
    how = {"opponent": engine, "boards": 2, "black": Player(name=engine.program.name)}
    return opened(sit, code, *facts, announce_in=code, **how)[1]


def words(lines: list[str]) -> int:
    return sum(len(line.split()) for line in lines)


@pytest.mark.parametrize("code", CODES)
def test_a_game_against_the_computer_starts_in_five_lines_and_sixty_words(
    sit: Sit, code: str
) -> None:
    said, pack = against_the_computer(sit, code), load(code)
    assert pack.sentence("settings_own", player=pack.sentence("white")) in said[0]
    said.append(pack.sentence("opponent_level_club"))  # once the engine has begun
    assert len(said) <= LINES_ALONE and words(said) <= WORDS_ALONE, said
    assert pack.command(Command.HELP) in said[-3]
    assert said[-2] == pack.sentence("begin_key")


@pytest.mark.parametrize("code", CODES)
def test_a_game_against_the_computer_goes_on_in_as_few(sit: Sit, code: str) -> None:
    facts = (f.Start(), f.Arbiter(by="table", do="stop_clocks"))
    said = against_the_computer(sit, code, *facts)
    assert len(said) <= LINES_GOING_ON and words(said) <= WORDS_ALONE, said
    assert said[-1] == load(code).sentence("going_on_key")


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("charged", [False, True])
def test_a_game_that_was_cut_off_goes_on_in_as_few(
    tmp_path: Path, code: str, charged: bool
) -> None:
    path = tmp_path / "game.jsonl"
    killed(path, dead=3)
    options = TableOptions(language=code, printed=Printed.WORDS, charge_dead_time=charged)
    out = io.StringIO()
    with closing(EnginePlayer(BUILT_IN, level("club"))) as engine:
        run(path, None, KEYS_ONLY, [word_of(load(code), Key.END)], out, options, opponent=engine)
    pack = load(code)
    said = out.getvalue().splitlines()
    told = said[: said.index(pack.sentence("saved"))]
    assert len(told) <= LINES_GOING_ON and words(told) <= WORDS_ALONE, told


@pytest.mark.parametrize("code", CODES)
def test_two_people_with_boards_start_in_ten_lines(sit: Sit, code: str) -> None:
    at = sit(language=code, printed=Printed.WORDS, time_control="5400+30", **NAMED)
    Keyboard(at.session)
    at.session.setting_up.prepare()
    at.attach_boards(white=START, black=START)
    open_game(at.session, resumed=False)
    pack = load(code)
    begins = pack.sentence("game_begins")  # by itself, for the boards show the position
    at.shows(begins)
    assert len(at.printed[: at.printed.index(begins)].splitlines()) <= LINES_OF_TWO, at.printed


def typed(at: Sitting, line: str) -> str:
    before = len(at.printed)
    Keyboard(at.session).do(line)
    return at.printed[before:]


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("alone", [True, False])
def test_help_names_topics_of_at_most_sixty_words_each(sit: Sit, code: str, alone: bool) -> None:
    how = {"opponent": EnginePlayer(BUILT_IN, level("club")), "boards": 2} if alone else {}
    at, _ = opened(sit, code, **how)
    at.table.submit(f.Start())
    help_ = load(code).command(Command.HELP)
    told = typed(at, help_)
    assert len(told.split()) <= WORDS_OF_TOPIC, told
    topics = told.strip().splitlines()[-1].rsplit(": ", 1)[1].rstrip(".").split(", ")
    assert len(topics) == (4 if alone else 7)
    for topic in topics:
        text = typed(at, f"{help_} {topic}")
        assert text.startswith(topic) and len(text.split()) <= WORDS_OF_TOPIC, text


def test_help_names_only_what_is_there(sit: Sit) -> None:
    at, said = opened(sit, "de", time_control="-")
    assert "Sprechen" not in " ".join(said)
    assert "permit warnings:" not in typed(at, "keys") and "tape 12" not in typed(at, "keys")
    assert "uhren" not in typed(at, "Hilfe").splitlines()[-1]


def test_help_on_something_else_is_not_understood(sit: Sit) -> None:
    at, _ = opened(sit, "de")
    at.table.submit(f.Start())
    assert GERMAN.sentence("not_understood_typed", help="Hilfe", example="Springer Gustav eins "
                           "Felix drei") in typed(at, "Hilfe Quatsch")  # fmt: skip
