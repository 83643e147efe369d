"""Sessions at a real terminal, in German and English: what a newcomer types, and what is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.language import Language, load
from blindplay.laws.facts import Arbiter
from blindplay.record import read_journal
from tests.sampling import first
from tests.terminal import Terminal
from tests.waiting import until

pytest.importorskip("pty")


def game(home: Path, language: str) -> Terminal:
    """A game that prints what it says and hears only keys."""
    silent = ("--microphone", "none", "--silent")
    return Terminal("play", "--language", language, *silent, home=home)


@pytest.mark.parametrize("language", first(1, ["en", "de"]))
def test_a_newcomer_is_told_every_reason(language: str, tmp_path: Path) -> None:
    pack = load(language)
    said = pack.sentence
    with game(tmp_path, language) as terminal:
        terminal.enter("start")
        for command, reason in ACCEPT, FLAG, WINS:
            terminal.enter(command[language], said(f"refused_{reason}"))
        terminal.enter("record white 30 e4", said("refused_written_in_advance"))
        terminal.enter("permit warnings", said("warnings_permitted"))
        terminal.enter("q")
        assert terminal.status() == 0


def test_a_table_that_is_told_to_end_saves_the_game(tmp_path: Path) -> None:
    with game(tmp_path, "en") as terminal:
        terminal.enter("start", load("en").sentence("game_begins"))
        terminal.terminate()
        terminal.shows(load("en").sentence("saved"))
        assert terminal.status() == 0


ACCEPT = {"de": "Remis annehmen", "en": "accept draw"}, "no_offer"
FLAG = {"de": "Zeitüberschreitung", "en": "flag"}, "flag_has_not_fallen"
WINS = {"de": "Gegner kann nicht gewinnen", "en": "my opponent cannot win"}, "no_quickplay_finish"


def asked(pack: Language, key: str, **values: str) -> str:
    return pack.sentence("restore_sure", what=pack.sentence(key, **values))


@pytest.mark.parametrize(
    ("language", "knight", "move", "late", "yes", "leave"),
    first(
        1,
        [
            ("de", "sf3", "Springer Gustav eins Felix drei", "Korrektur e6", "ja", "beenden"),
            ("en", "nf3", "Springer Gustav eins Felix drei", "correction e6", "yes", "exit"),
        ],
    ),
)
def test_moves_are_corrected_taken_back_and_sealed(
    language: str, knight: str, move: str, late: str, yes: str, leave: str, tmp_path: Path
) -> None:
    pack = load(language)
    with game(tmp_path, language) as terminal:
        terminal.enter("start")
        terminal.enter(knight, move)
        terminal.enter("")
        terminal.enter(late, pack.sentence("too_late"))
        terminal.enter("restore 0", asked(pack, "take_back_all"))
        terminal.enter(yes, pack.sentence("take_back_all"))
        place = {"number": pack.number(1), "player": pack.sentence("white")}
        terminal.enter("undo", asked(pack, "take_back_undone", **place))
        terminal.enter(yes, pack.sentence("take_back_undone", **place))
        black = pack.sentence("black")
        adjourn = pack.sentence("adjourn_now_sure", player=black)
        terminal.enter('{"fact": "arbiter", "do": "adjourn"}', adjourn)
        terminal.enter(yes, pack.sentence("seal_asked", player=black))
        terminal.enter("e5", pack.sentence("seal_sure"))
        sealed = pack.sentence("sealed", player=black)
        told = terminal.enter(yes, sealed)
        assert pack.file(4) not in told
        terminal.enter(leave)
        assert terminal.status() == 0


def test_a_terminals_editing_and_history_work_and_leave_it_as_it_was(tmp_path: Path) -> None:
    pytest.importorskip("readline")
    pack = load("en")
    up, left = "\x1b[A", "\x1b[D"
    with game(tmp_path, "en") as terminal:
        terminal.enter("start", pack.sentence("game_begins"))
        asked = pack.sentence("no_last_move")
        terminal.enter("last moves", asked)
        terminal.press(f"xyz\b\b\b{up}\n")
        terminal.shows_times(asked, 2)
        terminal.press(f"last move{left}\x1b[Cs\n")
        terminal.shows_times(asked, 3)
        terminal.enter("quit", pack.sentence("saved"))
        assert terminal.status() == 0
        assert terminal.echoes


@pytest.mark.realtime
def test_a_table_that_is_stopped_charges_nobody_and_says_so(tmp_path: Path) -> None:
    path, english = tmp_path / "game.jsonl", load("en")
    silent = ("--microphone", "none", "--silent")
    play = ("play", "--language", "en", *silent, "--journal", str(path))
    with Terminal(*play, home=tmp_path) as terminal:
        terminal.enter("start", english.sentence("game_begins"))
        assert until(lambda: '"tick"' in path.read_text("utf-8"))
        terminal.stand_still(6)
        terminal.shows("This computer stood still: ", "the clock of White runs again.")
    stops = [one for one in read_journal(path).facts if isinstance(one, Arbiter)]
    assert [one.do for one in stops] == ["stop_clocks", "start_clocks"] and stops[0].t < 6000
