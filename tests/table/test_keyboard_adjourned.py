"""An adjourned game at the keyboard: it is adjourned by agreement, and resumed by the Enter key or
by a word (Guideline I, Bilaga E, Anhang A)."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from blindplay.language import Command, Key, languages, load, word_of
from blindplay.laws import facts as f
from blindplay.laws.editions import names
from blindplay.laws.facts import Player, Setup
from blindplay.record import Journal, read_journal
from blindplay.table import Table
from blindplay.table.play import TableOptions, run
from tests.conversation.conversing import GERMAN
from tests.table.playing import KEYS_ONLY
from tests.table.sitting import Sit, Sitting, play_moves, waits
from tests.table.test_keyboard import typed

SAID = GERMAN.sentence
KNIGHT = "Springer Gustav eins Felix drei"
OPENED = SAID("envelope_opened", player="Weiß", move=KNIGHT)
SURE = SAID("envelope_of_sure", player="Schwarz")
ARBITER = SAID("envelope_arbiter", player="Schwarz")


def adjourned(path: Path, **setup: Any) -> None:
    """A game in ``path`` that White adjourned after 1 e4 e5, with Nf3 in the envelope; its table
    was killed."""
    automatic = {"arbiter": "automatic", "time_control": "240"}
    fields = {**automatic, "white": Player(impaired=True), **setup}
    with Journal(path) as journal:
        table = Table(journal, Setup(t=0, **fields))
        table.submit(f.Start())
        play_moves(table, "e2e4", "e7e5")
        table.submit(f.Arbiter(do="adjourn"))
        table.submit(f.Seal(by="white", text="Sf3"))
        if table.game.clock:
            table.submit(f.Press(by="white"))
        assert table.game.adjourned


def resumed(path: Path, lines: Sequence[str], language: str = "de") -> list[str]:
    """What everybody hears when the game in ``path`` is resumed and these lines are typed."""
    out = io.StringIO()
    run(path, None, KEYS_ONLY, [*lines, "quit"], out, TableOptions(language))
    return [line.split(": ", 1)[1] for line in out.getvalue().splitlines() if " said " in line]


def last(path: Path) -> list[str]:
    """The moves of the game in ``path``, and whose clock runs."""
    with Journal(path, resume=True) as journal:
        game = Table(journal).game
        assert not game.adjourned
        return [ply.move.uci() for ply in game.history]


# --- opening the envelope -------------------------------------------------------------------------


@pytest.mark.parametrize("edition", names())
@pytest.mark.parametrize("arbiter", ["automatic", "present"])
@pytest.mark.parametrize("line", ["", "open"])
def test_the_envelope_is_opened_and_everybody_hears_the_move_and_whose_clock_runs(
    tmp_path: Path, edition: str, arbiter: str, line: str
) -> None:
    path = tmp_path / "game.jsonl"
    adjourned(path, edition=edition, arbiter=arbiter)
    said = resumed(path, [line])
    prompt = "envelope_key" if arbiter == "automatic" else "envelope_arbiter"
    here = said.index(SAID(prompt, player="Schwarz"))
    assert said[here + 1 : here + 3] == [OPENED, SAID("clock_started", player="Schwarz")]
    assert SAID("due_repeat_and_execute", move=KNIGHT) in said[here + 3 :]
    assert last(path) == ["e2e4", "e7e5", "g1f3"]


@pytest.mark.parametrize("language", languages())
def test_every_language_tells_how_the_game_goes_on_and_the_move(
    tmp_path: Path, language: str
) -> None:
    path, pack = tmp_path / "game.jsonl", load(language)
    adjourned(path, white=Player(impaired=True, language=language), announce_in=language)
    said = resumed(path, [""], language)
    black = pack.sentence("black")
    here = said.index(pack.sentence("envelope_key", player=black))
    assert said[here + 1].startswith(
        pack.sentence("envelope_opened", player=pack.sentence("white"), move="").rstrip(". ")
    )
    assert said[here + 2] == pack.sentence("clock_started", player=black)


def test_a_game_without_clocks_says_who_is_to_move(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    adjourned(path, time_control="-")
    said = resumed(path, [""])
    assert SAID("to_move", player="Schwarz") in said[said.index(OPENED) :]


def test_start_opens_where_nobody_presides_and_starts_the_clock_of_who_is_away_where_somebody_does(
    tmp_path: Path,
) -> None:
    """I.9.2: the clock of the player who must answer runs, and the envelope stays closed."""
    alone, presided = tmp_path / "alone.jsonl", tmp_path / "presided.jsonl"
    adjourned(alone)
    assert OPENED in resumed(alone, ["start"])
    adjourned(presided, arbiter="present")
    said = resumed(presided, ["start"])
    waits = said.index(SAID("envelope_waits", player="Schwarz"))
    assert said[waits + 1] == SAID("clock_started", player="Schwarz")
    assert OPENED not in said
    said = resumed(presided, ["", ""])  # the table was killed: its clock goes on, and stays shut
    assert SAID("going_on_key") in said and SAID("envelope_waits", player="Schwarz") in said
    assert any(words.startswith(SAID("due_arrive")) for words in said) and OPENED not in said
    said = resumed(presided, ["", "black: Schiedsrichter", "black: ja", ""])
    assert OPENED in said


@pytest.mark.parametrize("word", ["weiter", "black: weiter"])
def test_a_players_word_opens_it_after_a_yes(tmp_path: Path, word: str) -> None:
    path = tmp_path / "game.jsonl"
    adjourned(path)
    said = resumed(path, [word, "nein"])
    assert SURE in said and OPENED not in said
    assert OPENED in resumed(path, [word, "ja"])


def test_the_arbiter_keeps_the_envelope_from_the_players(tmp_path: Path) -> None:
    """I.3."""
    path = tmp_path / "game.jsonl"
    adjourned(path, arbiter="present")
    said = resumed(path, ["weiter", "black: weiter"])
    assert said.count(ARBITER) == 3 and SURE not in said and OPENED not in said


def test_a_move_made_on_the_board_before_it_was_sealed_is_heard_too(tmp_path: Path) -> None:
    """I.1.1: it is the sealed move, and nobody has announced it."""
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        table = Table(journal, Setup(t=0, time_control="240", arbiter="automatic"))
        table.submit(f.Start())
        table.submit(f.Arbiter(do="adjourn"))
        table.submit(f.Make(by="white", move="g1f3"))
        table.submit(f.Press(by="white"))
        assert table.game.adjourned
    assert OPENED in resumed(path, [""])


def test_a_sealed_mate_is_heard_with_the_result(sit: Sit) -> None:
    sitting = sit(fen="6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", time_control="240")
    sitting.start()
    seal(sitting, "Ta8")
    typed(sitting, "open")
    said = sitting.said()
    assert said[0] == SAID("envelope_opened", player="Weiß", move="Turm Anna eins Anna acht")
    assert said[1] == SAID("game_over_white_wins", reason=SAID("game_over_checkmate"))


# --- at the table that has adjourned the game -----------------------------------------------------


def seal(sitting: Sitting, move: str = "Sf3") -> None:
    sitting.table.submit(f.Arbiter(do="adjourn"))
    typed(sitting, move, "ja")
    sitting.said()
    typed(sitting, "")
    assert sitting.table.game.adjourned
    sitting.said()


@pytest.fixture
def sitting(sit: Sit) -> Sitting:
    made = sit(time_control="5400")
    made.start()
    return made


def test_a_key_that_bounces_opens_no_envelope(sitting: Sitting) -> None:
    seal(sitting)
    assert typed(sitting, "") == []
    assert sitting.said() == [SURE]
    assert typed(sitting, "nein") == []
    (fact, *_) = typed(sitting, "", "ja")
    assert isinstance(fact, f.OpenEnvelope) and fact.by == "black"
    assert OPENED in sitting.said()


def test_a_move_that_may_still_be_changed_is_not_taken_out_by_a_slip(sitting: Sitting) -> None:
    """I.1.1: until the clock is stopped."""
    sitting.table.submit(f.Arbiter(do="adjourn"))
    typed(sitting, "Sf3", "ja")
    assert typed(sitting, "open", "nein") == []
    typed(sitting, "Sc3", "ja")
    assert sitting.table.game.sealed == "Sc3"


def test_open_without_an_envelope_says_so(sitting: Sitting) -> None:
    typed(sitting, "open")
    assert sitting.said() == [SAID("refused_nothing_sealed"), waits("announce", "Weiß")]


# --- adjourning by agreement ----------------------------------------------------------------------


def test_each_step_of_an_adjournment_is_said_to_those_concerned(sitting: Sitting) -> None:
    sitting.play("e2e4", "e7e5")
    sitting.said()
    typed(sitting, "Hängepartie", "ja")
    assert sitting.said()[-2:] == [
        SAID("adjourn_wanted", player="Weiß"),
        SAID("adjourn_sure", player="Schwarz"),
    ]
    assert not sitting.table.game.adjourning
    typed(sitting, "ja")
    assert sitting.said() == [SAID("seal_asked", player="Weiß")]
    typed(sitting, "Sf3", "ja")
    assert sitting.said()[-2:] == [SAID("sealed", player="Weiß"), SAID("seal_press")]
    typed(sitting, "")
    assert sitting.said() == [SAID("adjourned")]


def test_a_no_of_the_opponent_lets_the_game_go_on(sitting: Sitting) -> None:
    sitting.play("e2e4", "e7e5")
    typed(sitting, "schwarz: Hängepartie", "schwarz: ja")
    assert sitting.said()[-1] == SAID("adjourn_sure", player="Weiß")
    typed(sitting, "nein")
    assert sitting.said() == [SAID("adjourn_declined", player="Weiß")]
    assert not sitting.table.game.adjourning
    typed(sitting, "Sf3")
    assert sitting.table.game.turn.made is not None


@pytest.mark.parametrize("language", languages())
def test_the_arbiters_word_is_a_wish_where_nobody_presides(sit: Sit, language: str) -> None:
    pack, player = load(language), Player(impaired=True, language=language)
    sitting = sit(time_control="5400", arbiter="automatic", language=language, white=player)
    sitting.start()
    typed(sitting, "adjourn", pack.command(Command.YES))
    game = sitting.table.game
    assert game.wants_to_adjourn == "white" and not game.adjourning


def test_where_an_arbiter_presides_the_wish_is_theirs_to_answer(sit: Sit) -> None:
    sitting = sit(time_control="5400", arbiter="present")
    sitting.start()
    typed(sitting, "Hängepartie", "ja")
    why = SAID("needed_adjournment", player="Weiß")
    assert sitting.said()[-1] == SAID("arbiter_needed", why=why)
    typed(sitting, "adjourn", "ja")
    assert sitting.table.game.adjourning


# --- a table that was killed ----------------------------------------------------------------------


def killed_while(path: Path, *facts: f.Fact) -> None:
    setup = Setup(t=0, time_control="240", arbiter="automatic", white=Player(impaired=True))
    with Journal(path) as journal:
        table = Table(journal, setup)
        for fact in (f.Start(), *facts):
            table.submit(fact)


AGREED = (f.Adjourn(by="white"), f.Adjourn(by="black"))


def test_a_table_that_was_killed_says_what_is_due(tmp_path: Path) -> None:
    wanted, asked, written = (tmp_path / f"{name}.jsonl" for name in ("wanted", "asked", "written"))
    killed_while(wanted, AGREED[0])
    said = resumed(wanted, ["", "schwarz: Hängepartie", "schwarz: ja"])
    assert SAID("adjourn_wanted", player="Weiß") in said
    assert said.count(SAID("seal_asked", player="Weiß")) == 1
    killed_while(asked, *AGREED)
    said = resumed(asked, ["", "Sf3", "ja", ""])
    assert SAID("seal_asked", player="Weiß") in said
    assert said.index(SAID("sealed", player="Weiß")) < said.index(SAID("adjourned"))
    leave = SAID("adjourned_leave", end=word_of(GERMAN, Key.END))
    key = SAID("envelope_key", player="Schwarz")
    after = said[said.index(SAID("adjourned")) + 1 :]
    assert after[:2] == [leave, key]
    killed_while(written, *AGREED, f.Seal(by="white", text="Sf3"))
    said = resumed(written, ["", ""])
    assert said.count(SAID("sealed", player="Weiß")) == 1 and any(
        words.startswith(SAID("due_press")) for words in said
    )
    assert SAID("adjourned") in said
    facts = read_journal(written).facts
    assert [fact.text for fact in facts if isinstance(fact, f.Seal)] == ["Sf3"]
    assert OPENED in resumed(written, [""])
    said = resumed(written, [])  # killed after the envelope was opened
    assert SAID("last_move", player="Weiß", move=KNIGHT) in said
    assert SAID("clock_stopped") in said and SAID("to_move", player="Schwarz") in said
