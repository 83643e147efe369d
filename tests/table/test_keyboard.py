"""The keyboard: each line is words of a player, a decision, a fact, or a press of the clock."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from benchmarks.memory_audio import MemorySink
from blindplay.console.server import ConsoleHost
from blindplay.language import Command, load
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from blindplay.record import Tape
from blindplay.speech.endpointing import MicrophoneMode
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.speaker import Output, Speaker
from blindplay.speech.synthesis import Synthesiser
from blindplay.table.keyboard import Keyboard
from blindplay.table.session import Session
from tests.conversation.conversing import GERMAN
from tests.table.playing import announced, killed, played
from tests.table.sitting import ManualClock, Sit, Sitting, waits
from tests.table.speaking import Microphone


@pytest.fixture
def sitting(sit: Sit) -> Sitting:
    """A game that has started, with a clock and an arbiter."""
    made = sit(time_control="5400", arbiter="present")
    made.start()
    return made


def typed(sitting: Sitting, *lines: str) -> list[f.Fact]:
    """The facts that these lines become."""
    keyboard, before = Keyboard(sitting.session), len(sitting.table.log)
    for line in lines:
        keyboard.do(line)
    return [taken.fact for taken in sitting.table.log[before:]]


# --- a line that is not a word of a player --------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "decision"),
    [
        ("stop", "stop_clocks"),
        ("start", "start_clocks"),
        ("adjourn", "adjourn"),
        ("preside", "preside"),
        ("withdraw", "withdraw"),
        ("confirm", "confirm"),
        ("reject", "reject"),
    ],
)
def test_a_word_of_the_arbiter_is_their_decision(
    sitting: Sitting, word: str, decision: str
) -> None:
    (fact, *_) = typed(sitting, word, *(["ja"] if word == "adjourn" else []))
    assert isinstance(fact, f.Arbiter)
    assert (fact.by, fact.do) == ("arbiter", decision)


def test_the_arbiter_is_asked_before_the_game_is_adjourned(sitting: Sitting) -> None:
    sitting.said()
    assert typed(sitting, "adjourn") == []
    assert sitting.said() == [GERMAN.sentence("adjourn_now_sure", player="Weiß")]
    assert typed(sitting, "nein") == [] and not sitting.table.game.adjourning


def test_clock_sets_what_is_left(sitting: Sitting) -> None:
    (fact, *_) = typed(sitting, "clock black 59:30", "ja")
    assert isinstance(fact, f.Arbiter)
    assert (fact.do, fact.white, fact.black) == ("set_clock", None, 3_570_000)
    assert typed(sitting, "clock black 5:99") == []
    assert "trouble: '5:99' is not a time" in sitting.printed


def test_execute_is_a_move_by_hand(sitting: Sitting) -> None:
    sitting.table.submit(f.Announce(by="white", move="e2e4"))
    (fact,) = typed(sitting, "execute white e2e4")
    assert isinstance(fact, f.Make) and (fact.by, fact.move) == ("white", "e2e4")
    assert sitting.ruled("made") == 1


def test_record_writes_an_entry(sitting: Sitting) -> None:
    (fact,) = typed(sitting, "record black 1 e4 remis (=)")
    assert isinstance(fact, f.Record)
    assert (fact.by, fact.ply, fact.text) == ("black", 1, "e4 remis (=)")


@pytest.mark.parametrize(
    "line",
    ["stop it", "undo it or so", "t 1", "links", "link it"],
)
def test_a_line_that_only_begins_like_one_is_words_of_the_player_on_move(
    sitting: Sitting, line: str
) -> None:
    """``links`` without a console, too."""
    (fact, *_) = typed(sitting, line)
    assert isinstance(fact, f.Announce) and (fact.by, fact.text) == ("white", line)


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("restore", "restore 6, "),
        ("restore twelve", "restore 6, "),
        ("permit", "permit warnings: "),
        ("warn white", "warn white 10m 1m: "),
        ("clock white", "clock white 59:30: "),
        ("clock red 5:00", "clock white 59:30: "),
        ("execute white", "execute white g1f3: "),
        ("record white 1", "record white 3 "),
        ("tape", "tape 12: "),
        ("tape one", "tape 12: "),
    ],
)
@pytest.mark.parametrize("language", ["da", "de", "en", "nb", "sv"])
def test_a_line_in_which_something_is_missing_tells_how_it_is_written(
    sit: Sit, language: str, line: str, form: str
) -> None:
    at = sit(language=language, white=Player(impaired=True, language=language))
    at.start()
    assert typed(at, line) == []
    assert at.said()[0] == load(language).sentence("typed_incomplete")
    assert f"\n{form}" in at.printed


def test_a_players_word_is_no_line_of_the_arbiters_with_something_missing(sit: Sit) -> None:
    at = sit(time_control="60", language="en", white=Player(impaired=True, language="en"))
    at.start()
    typed(at, "clock")
    assert "one minute" in at.said()[0]


def test_a_correction_after_the_own_press_is_never_played_for_the_opponent(
    sitting: Sitting,
) -> None:
    typed(sitting, "Eva zwei Eva vier", "")
    assert sitting.table.game.side == "black"
    for line in ("Korrektur Eva fünf", "Korrektur Springer Felix sechs", "Korrektur"):
        (fact,) = typed(sitting, line)
        assert isinstance(fact, f.Correct) and fact.by == "white"
        late, step = sitting.said()[-2:]
        assert late == GERMAN.sentence("too_late") and "Schwarz" in step
    assert sitting.table.game.turn.announced is None
    (fact, *_) = typed(sitting, "Eva fünf")
    assert isinstance(fact, f.Announce) and fact.by == "black"


def test_enter_does_not_complete_a_move_whose_correction_is_asked_about(sitting: Sitting) -> None:
    facts = typed(sitting, "Eva vier", "Korrektur", "")
    assert not any(isinstance(fact, f.Press) for fact in facts)
    move = "Bauer Eva zwei Eva vier"
    assert sitting.said()[-2:] == [
        GERMAN.sentence("correct_which", move=move),
        GERMAN.sentence("correct_how", move=move),
    ]
    typed(sitting, "David vier", "")
    assert [ply.move.uci() for ply in sitting.table.game.history] == ["d2d4"]


def test_words_may_be_of_the_player_who_is_named(sitting: Sitting) -> None:
    typed(sitting, "Eva zwei Eva vier")
    (fact,) = typed(sitting, "black: Eva zwei Eva vier")
    assert isinstance(fact, f.Repeat) and fact.by == "black"


def test_a_line_in_the_form_of_the_contract_is_that_fact_now(sitting: Sitting) -> None:
    (fact,) = typed(sitting, '{"fact": "resign", "by": "white", "t": 1}', "ja")
    assert isinstance(fact, f.Resign)
    assert sitting.table.game.over


@pytest.mark.parametrize(
    "line", ["execute white e9e4", '{"fact": "dance"}', "{}", "record red 1 e4"]
)
def test_a_line_that_is_no_fact_is_named_as_trouble_and_nothing_is_written(
    sitting: Sitting, line: str
) -> None:
    assert typed(sitting, line) == []
    (trouble,) = [one for one in sitting.printed.splitlines() if "trouble: " in one]
    assert "Das wurde nicht verstanden: " in trouble


# --- the clock ----------------------------------------------------------------------------------


def test_an_empty_line_presses_the_clock_of_a_move_that_is_begun(sitting: Sitting) -> None:
    typed(sitting, "Eva zwei Eva vier")
    (fact, *_) = typed(sitting, "")
    assert isinstance(fact, f.Press) and fact.by == "white"


def test_an_empty_line_is_no_press_before_a_move_is_begun(sitting: Sitting) -> None:
    assert typed(sitting, "") == []
    assert sitting.said() == [GERMAN.sentence("due_announce")]


def test_who_is_to_seal_a_move_is_told_so_and_an_empty_line_seals_it(sitting: Sitting) -> None:
    sitting.table.submit(f.Arbiter(do="adjourn"))
    assert GERMAN.sentence("seal_asked", player="Weiß") in sitting.said()
    typed(sitting, "Abgabezug Springer Gustav eins Felix drei", "")
    assert sitting.table.game.adjourned
    assert not [words for words in sitting.said() if "Springer" in words]


def test_typed_mate_ends_the_game_and_nothing_more_is_asked_of_anybody(sitting: Sitting) -> None:
    sitting.play("f2f3", "e7e5", "g2g4")
    sitting.said()
    typed(sitting, "Dame David acht Hector vier")
    assert sitting.table.game.over
    said = sitting.said()
    assert GERMAN.sentence("refused_not_sealed") not in said
    typed(sitting, "")
    assert sitting.said()[-1].startswith(GERMAN.sentence("due_sign", result="").strip())


# --- devices ------------------------------------------------------------------------------------


def test_t_is_the_talk_button(sitting: Sitting, recogniser: Recogniser) -> None:
    mode = MicrophoneMode.PUSH_TO_TALK
    sitting.session.attach_microphone("white", Microphone(), recogniser, mode)
    assert typed(sitting, "t", "t") == []
    assert [line.split(" ", 1)[1] for line in sitting.printed.splitlines()[-2:]] == [
        "listening to White", "no longer listening to White",
    ]  # fmt: skip


def test_every_line_ends_what_is_being_said(sit: Sit, synthesiser: Synthesiser) -> None:
    sink = MemorySink(realtime=True)
    session = sit(Speaker(synthesiser, sink, sink)).session
    session.desk.say(Output.PRIVATE, GERMAN.sentence("seal_asked", player="Weiß"))
    assert not Keyboard(session).do_all(["tape off"])
    session.wait_until_said()
    assert not any(sound.whole for sound in sink.played)


def test_tape_plays_privately_what_was_said_from_a_move_on(
    sit: Sit, synthesiser: Synthesiser, tmp_path: Path
) -> None:
    private, public = MemorySink("private"), MemorySink("public")
    session = sit(Speaker(synthesiser, private, public)).session
    session.keep_tape(Tape(tmp_path / "game.tape"))
    session.wait_until_said()
    Keyboard(session).do("tape 1")
    session.wait_until_said()
    (told,), (again,) = public.played, private.played
    assert again.seconds == pytest.approx(told.seconds, abs=0.01)


# --- the links of a console ---------------------------------------------------------------------


@pytest.fixture
def host(sitting: Sitting) -> Iterator[ConsoleHost]:
    host = ConsoleHost(sitting.table, port=0)
    yield host
    host.close()


def shown(sitting: Sitting, host: ConsoleHost, line: str, *, qr: bool = False) -> str:
    """What a line prints at a table with a console."""
    before = len(sitting.printed)
    Keyboard(sitting.session, host, qr=qr).do(line)
    return sitting.printed[before:].rstrip("\n")


def test_links_are_given_counted_and_taken_back(sitting: Sitting, host: ConsoleHost) -> None:
    assert shown(sitting, host, "links") == "Niemand hat einen Link."
    given = shown(sitting, host, "link arbiter")
    assert given.startswith(f"Die Seite des Schiedsrichters: {host.url}/#")
    assert shown(sitting, host, "links").startswith("arbiter: ")
    assert shown(sitting, host, "unlink arbiter").startswith("arbiter hat keine Seite mehr")
    assert shown(sitting, host, "links") == "Niemand hat einen Link."


def test_a_link_is_drawn_for_a_camera_where_codes_are_wanted(
    sitting: Sitting, host: ConsoleHost
) -> None:
    assert "Kamera" not in shown(sitting, host, "link white")
    drawn = shown(sitting, host, "link white", qr=True).splitlines()
    assert "Kamera" in drawn[1] and len(drawn) > 10


@pytest.mark.parametrize("line", ["link", "link nobody", "unlink", "links arbiter"])
def test_a_line_about_links_without_a_role_names_the_roles(
    sitting: Sitting, host: ConsoleHost, line: str
) -> None:
    assert shown(sitting, host, line).endswith(
        "trouble: Nennen Sie die Rolle: " + ", ".join(host.roles()) + "."
    )


# --- whatever is typed --------------------------------------------------------------------------


def test_no_line_that_is_typed_ends_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.jsonl"
    killed(path, dead=60)
    do = Session.typed

    def fails(session: Session, side: str, text: str) -> None:
        if text == "fail":
            raise RuntimeError("somebody was not told")
        do(session, side, text)

    monkeypatch.setattr(Session, "typed", fails)
    odd = ["restore ²", "tape ²", "record white ² e4", f"restore {'9' * 5000}", "restore 1e3",
           f"record white {'9' * 30} e4", '{"fact":' * 5000, f'{{"t":{"9" * 5000}}}', "\0", "{}",
           "white:", "execute white", "link", "fail"]  # fmt: skip
    printed = played(path, [*odd, "white: Bauer e2 e4", "quit"])
    assert announced(path) == ["e2e4"]
    assert "Bei der Eingabe ist etwas fehlgeschlagen (somebody was not told)" in printed
    assert "Das Siegel der gespeicherten Partie ist" in printed


def test_quit_ends_the_lines(sitting: Sitting) -> None:
    keyboard = Keyboard(sitting.session)
    assert keyboard.do_all(["Hilfe\n", " quit \n", "Eva zwei Eva vier\n"])
    assert sitting.table.game.turn.announced is None
    assert not keyboard.do_all(["Hilfe\n"])


# --- a sealed move is a secret ------------------------------------------------------------------


@pytest.mark.parametrize("language", ["de", "en"])
def test_a_bare_move_is_sealed_after_a_question_that_does_not_name_it(
    sit: Sit, language: str
) -> None:
    sitting = sit(time_control="5400", language=language, arbiter="present")
    sitting.start()
    pack = sitting.session.pack
    sitting.table.submit(f.Arbiter(do="adjourn"))
    sitting.said()
    facts = typed(sitting, pack.write(sitting.table.game.board, chess.Move.from_uci("g1f3")))
    assert facts == [] and sitting.said() == [pack.sentence("seal_sure")]
    (seal, press) = typed(sitting, pack.command(Command.YES), "")
    assert isinstance(seal, f.Seal) and isinstance(press, f.Press)
    assert sitting.table.game.adjourned
    knight = pack.announce(chess.Board(), chess.Move.from_uci("g1f3")).split()[0].lower()
    assert not [words for words in sitting.said() if knight in words.lower()]


@pytest.mark.parametrize("side", ["black", "Schwarz", "schwarz ", "BLACK"])
def test_a_side_may_be_named_in_english_and_in_the_language_of_the_table(
    sitting: Sitting, side: str
) -> None:
    (fact,) = typed(sitting, f"{side}: Springer Gustav acht Felix sechs")
    assert isinstance(fact, f.Repeat) and fact.by == "black"


def test_a_yes_is_the_opponents_if_only_they_are_asked(sitting: Sitting) -> None:
    sitting.play("e2e4", "e7e5")
    typed(sitting, "remis", "ja", "schwarz: remis annehmen", "ja")
    assert sitting.table.game.result == "1/2-1/2"


@pytest.mark.parametrize("line", ["stop", "start", "clock white 1:00"])
def test_a_decision_about_clocks_without_one_is_answered(sit: Sit, line: str) -> None:
    at = sit(time_control="-", arbiter="present")
    at.start()
    at.said()
    typed(at, line)
    assert GERMAN.sentence("clock_none") in at.said()


def test_while_a_sealed_move_is_due_nothing_is_announced(sitting: Sitting) -> None:
    sitting.play("e2e4")
    sitting.table.submit(f.Arbiter(do="adjourn"))
    sitting.said()
    for line in ("Springer Gustav acht Felix sechs", "Korrektur Sf6", "Larifari", "white: e5"):
        typed(sitting, line, "nein")
    known = {GERMAN.sentence(key) for key in ("seal_sure", "cancelled", "not_understood")}
    known |= {GERMAN.sentence(key) for key in ("refused_no_question", "due_seal")}
    waits = GERMAN.sentence("wait_seal", player=GERMAN.sentence("black"))
    known.add(GERMAN.sentence("due_wait", what=waits))
    assert set(sitting.said()) <= known
    assert sitting.table.game.sealed is None and sitting.table.game.turn.announced is None


def test_another_move_than_the_one_asked_about_is_asked_about_anew(sitting: Sitting) -> None:
    sitting.table.submit(f.Arbiter(do="adjourn"))
    typed(sitting, "Sf3", "Sc3", "ja")
    assert sitting.table.game.sealed == "Sc3"
    typed(sitting, "Sf3", "Abgabezug e4")
    assert sitting.table.game.sealed == "e4"


# --- what is not written ------------------------------------------------------------------------


def test_an_entry_that_is_refused_makes_no_row(sitting: Sitting) -> None:
    typed(sitting, "record white 9 e4", "record black 300 Unsinn")
    assert sitting.table.game.sheets == {"white": {}, "black": {}}
    assert sitting.said() == [
        GERMAN.sentence("refused_written_in_advance"), GERMAN.sentence("due_announce"),
        GERMAN.sentence("refused_written_in_advance"), waits("announce", "Weiß"),
    ]  # fmt: skip


# --- leaving ------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["quit", "q", "exit", "end", "Beenden", "ende", " EXIT "])
def test_everybody_can_leave_in_their_own_words(sitting: Sitting, line: str) -> None:
    keys = iter([line, "Eva vier"])
    assert Keyboard(sitting.session).do_all(keys)
    assert next(keys) == "Eva vier"


@pytest.mark.parametrize("line", ["avslutt", "Schluss", "quit"])
def test_each_player_can_leave_in_a_language_of_the_table(sit: Sit, line: str) -> None:
    at = sit(black=Player(language="nb"))
    assert Keyboard(at.session).do_all([line])
    assert not Keyboard(at.session).do_all(["avsluta"])  # nobody here speaks Swedish


# --- warnings of little time --------------------------------------------------------------------


def test_warnings_are_permitted_by_the_arbiter_only(sitting: Sitting) -> None:
    assert typed(sitting, "permit warnings") == []
    assert sitting.said() == [GERMAN.sentence("arbiter_only")]
    (fact,) = typed(sitting, "arbiter: permit warnings")
    assert isinstance(fact, f.Arbiter) and sitting.table.game.warnings_permitted


def test_a_player_chooses_when_to_be_warned(sitting: Sitting) -> None:
    times = "zehn Minuten, eine Minute"
    typed(sitting, "warn white 10:00 1:00", "warn white off", "warn white 1:99")
    assert sitting.said() == [
        GERMAN.sentence("warnings_set", player="Weiß", times=times),
        GERMAN.sentence("warnings_forbidden"),
        GERMAN.sentence("warnings_off", player="Weiß"),
    ]
    assert "trouble: '1:99'" in sitting.printed


@pytest.mark.parametrize("line", ["adjourn", "arbiter: adjourn"])
def test_where_nobody_presides_both_players_adjourn(sit: Sit, line: str) -> None:
    sitting = sit(time_control="5400")
    sitting.start()
    (fact, *_) = typed(sitting, line, "ja")
    assert isinstance(fact, f.Adjourn) and fact.by == "white"
    assert sitting.table.game.wants_to_adjourn == "white" and not sitting.table.game.adjourning


def test_a_players_word_is_no_decision_where_nobody_presides(sit: Sit) -> None:
    sitting = sit(time_control="5400", language="en", white=Player(impaired=True, language="en"))
    sitting.start()
    sitting.said()
    assert typed(sitting, "adjourn") == []
    assert sitting.said() == [sitting.session.pack.sentence("adjourn_wish_sure")]
    (fact, *_) = typed(sitting, "confirm")  # it means yes
    assert isinstance(fact, f.Adjourn)


def test_enter_completes_nothing_while_it_is_asked_what_is_sealed(sitting: Sitting) -> None:
    sitting.table.submit(f.Arbiter(do="adjourn"))
    sitting.said()
    assert typed(sitting, "Sf3", "") == []
    assert sitting.said() == [GERMAN.sentence("seal_sure")] * 2
    typed(sitting, "nein", "")
    assert sitting.said()[-1] == GERMAN.sentence("due_seal")
    assert not sitting.table.game.adjourned


def test_repeat_skips_what_was_cancelled(sitting: Sitting) -> None:
    typed(sitting, "Eva vier", "aufgeben", "nein", "Larifari")
    sitting.said()
    typed(sitting, "noch einmal")
    assert sitting.said() == ["Bauer Eva zwei Eva vier"]


def test_restore_asks_first_and_so_does_undo(sitting: Sitting) -> None:
    sitting.play("e2e4", "e7e5")
    keyboard, said = Keyboard(sitting.session), GERMAN.sentence
    keyboard.do("arbiter: restore 1 Weiß")
    what = said("take_back", number="eins", player="Weiß")
    assert sitting.said()[-1] == said("restore_sure", what=what)
    assert len(sitting.table.game.history) == 2
    keyboard.do("ja")
    assert len(sitting.table.game.history) == 1
    keyboard.do("arbiter: undo falscher Tisch")
    again = said("undone_position", number="eins", player="Schwarz")
    undone = [said("undone_decision"), again, said("undone_reason", reason="falscher Tisch")]
    assert sitting.said()[-1] == said("restore_sure", what=" ".join(undone))
    keyboard.do("ja")
    assert again in sitting.said()
    assert [ply.move.uci() for ply in sitting.table.game.history] == ["e2e4", "e7e5"]
    keyboard.do("arbiter: undo")
    assert said("refused_nothing_to_undo") in sitting.said()


@pytest.mark.parametrize(
    ("line", "left"),
    [("restore 0", 0), ("restore 1 white", 1), ("restore 1", 2), ("restore 1 Schwarz", 2),
     ("restore 2 weiß", 3)],
)  # fmt: skip
def test_restore_counts_moves_and_not_plies(sit: Sit, line: str, left: int) -> None:
    sitting = sit(time_control="5400", training=True)
    sitting.start()
    sitting.play("e2e4", "e7e5", "g1f3", "b8c6")
    typed(sitting, line, "ja")
    assert len(sitting.table.game.history) == left


def test_restore_counts_the_moves_of_a_game_that_black_begins(sit: Sit) -> None:
    sitting = sit(fen="4k3/4p3/8/8/8/8/4P3/4K3 b - - 0 7", training=True)
    sitting.start()
    sitting.play("e7e5", "e2e4", "e8e7")
    typed(sitting, "restore 7", "ja")
    assert [ply.move.uci() for ply in sitting.table.game.history] == ["e7e5"]


def test_people_with_plain_boards_hear_how_to_put_them_right(sit: Sit) -> None:
    sitting = sit(time_control="5400", training=True)
    sitting.start()
    sitting.play("e2e4", "e7e5")
    sitting.said()
    typed(sitting, "restore 0", "ja")
    said = sitting.said()
    assert GERMAN.sentence("correct_board", player="Weiß") in said
    lift = GERMAN.sentence("correct_board_lift", piece="", square="").split(":")[0]
    assert any(words.startswith(lift) for words in said)


def test_the_question_and_its_answer_are_in_the_language_of_who_hears_them(sit: Sit) -> None:
    english = Player(impaired=True, language="en")
    sitting = sit(time_control="5400", arbiter="automatic", white=english)
    sitting.start()
    sitting.play("e2e4", "e7e5")
    keyboard, said = Keyboard(sitting.session), load("en").sentence
    keyboard.do("restore 0")
    assert sitting.said()[-1] == said("restore_sure", what=said("take_back_all"))
    keyboard.do("yes")
    asked = GERMAN.sentence("consent_asked", what=GERMAN.sentence("take_back_all"))
    assert asked in sitting.said()  # to everybody
    keyboard.do("black: ja")
    assert GERMAN.sentence("take_back_all") in sitting.said()
    assert not sitting.table.game.history


@pytest.mark.parametrize("answer", ["nein", "", "Zeit"])
def test_restore_without_a_yes_takes_nothing_back(sitting: Sitting, answer: str) -> None:
    sitting.play("e2e4", "e7e5")
    facts = typed(sitting, "arbiter: restore 0", answer, "ja")
    assert not any(isinstance(fact, f.Arbiter | f.Press) for fact in facts)
    assert GERMAN.sentence("cancelled") in sitting.said()
    assert len(sitting.table.game.history) == 2


def test_restore_is_the_arbiters_where_there_is_one(sitting: Sitting) -> None:
    sitting.play("e2e4", "e7e5")
    for line in ("restore 1 white", '{"fact": "arbiter", "do": "restore", "ply": 1}'):
        assert not any(isinstance(fact, f.Arbiter) for fact in typed(sitting, line, "ja"))
        assert GERMAN.sentence("arbiter_only") in sitting.said()
    assert len(sitting.table.game.history) == 2


def test_a_restore_that_is_refused_is_not_asked_about(sitting: Sitting) -> None:
    typed(sitting, "arbiter: restore 7")
    assert sitting.said() == [GERMAN.sentence("refused_no_such_ply"), waits("announce", "Weiß")]


def test_players_alone_take_back_the_last_move_and_more_only_together(sit: Sit) -> None:
    sitting = sit(time_control="5400")
    sitting.start()
    sitting.play("e2e4", "e7e5")
    typed(sitting, "restore 1 white", "ja")
    assert len(sitting.table.game.history) == 1
    typed(sitting, "undo", "ja")
    assert len(sitting.table.game.history) == 2
    typed(sitting, "restore 0", "ja")
    assert GERMAN.sentence("consent_due", player="Schwarz") in sitting.said()
    typed(sitting, "confirm")
    assert sitting.said() == [waits("consent", "Schwarz")]
    typed(sitting, "nein")  # Black's, for only Black is asked
    assert GERMAN.sentence("consent_refused", player="Schwarz") in sitting.said()
    assert len(sitting.table.game.history) == 2 and sitting.table.game.clock.running == "white"
    typed(sitting, "restore 0", "ja", "ja")
    assert sitting.table.game.history == []
    typed(sitting, "undo", "ja", "nein")
    assert sitting.table.game.history == []


def test_in_training_one_player_takes_back(sit: Sit) -> None:
    sitting = sit(time_control="5400", training=True)
    sitting.start()
    sitting.play("e2e4", "e7e5")
    typed(sitting, "restore 0", "ja")
    assert sitting.table.game.history == []


def test_a_claim_that_undoes_moves_is_asked_first(sit: Sit) -> None:
    sitting = sit(fen="4k3/8/8/8/8/8/8/4K2R w - - 0 1")
    sitting.start()
    sitting.play("h1h2", "e8e7")
    line = '{"fact": "irregular", "by": "black", "what": "wrong_start"}'
    typed(sitting, line)
    due = [GERMAN.sentence("consent_due", player=player) for player in ("Weiß", "Schwarz")]
    assert sitting.said()[-2:] == due
    assert len(sitting.table.game.history) == 2
    typed(sitting, "nein")
    assert len(sitting.table.game.history) == 2


# --- what ends the game, and clocks ---------------------------------------------------------------


def test_the_clock_that_runs_is_brought_up_to_now_before_both_times_are_read(sit: Sit) -> None:
    now = ManualClock()
    sitting = sit(time_control="300", now=now)
    sitting.start()
    now.at += 34
    typed(sitting, "clock black 2:00")
    white, black = "vier Minuten sechsundzwanzig Sekunden", "zwei Minuten"
    times = GERMAN.sentence("clocks_read", white=white, black=black)
    assert sitting.said()[-1] == GERMAN.sentence("clocks_sure", times=times)


def test_a_clock_is_set_after_a_yes_and_both_times_are_read_first(sit: Sit) -> None:
    """Without an arbiter a clock at zero loses the game."""
    sitting = sit(time_control="5400")
    sitting.start()
    assert typed(sitting, "clock white 1") == []
    times = GERMAN.sentence(
        "clocks_read", white="eine Sekunde", black="eine Stunde dreißig Minuten"
    )
    assert sitting.said() == [GERMAN.sentence("clocks_sure", times=times)]
    assert typed(sitting, "clock white 0") == []
    assert sitting.said()[-1] == GERMAN.sentence("clock_zero_sure", player="Weiß")
    assert typed(sitting, "nein") == []
    assert sitting.table.game.clock.left["white"] > 5_000_000
    assert sitting.table.game.clock.running == "white"
    typed(sitting, "clock white 0", "ja")
    sitting.table.submit(f.Tick())
    assert sitting.table.game.result == "0-1"


def test_the_arbiters_answer_that_ends_the_game_is_asked_first(sitting: Sitting) -> None:
    sitting.table.submit(f.Arbiter(do="set_clock", black=0))
    sitting.table.submit(f.Tick())
    assert sitting.table.game.pending is not None
    sitting.said()
    assert typed(sitting, "confirm") == []
    result = GERMAN.sentence("game_over_white_wins", reason=GERMAN.sentence("game_over_flag"))
    assert sitting.said() == [GERMAN.sentence("over_sure", result=result)]
    assert typed(sitting, "nein") == []
    assert sitting.table.game.pending is not None and not sitting.table.game.over
    typed(sitting, "confirm", "ja")
    assert sitting.table.game.result == "1-0"


@pytest.mark.parametrize(
    "line",
    [
        '{"fact": "resign", "by": "white"}',
        '{"fact": "arbiter", "do": "declare", "result": "1-0"}',
        '{"fact": "arbiter", "do": "penalty", "player": "white", "kind": "loss"}',
        '{"fact": "arbiter", "do": "penalty", "player": "white", "black": 60}',
    ],
)
def test_a_typed_fact_that_ends_the_game_or_sets_a_clock_is_asked_first(
    sitting: Sitting, line: str
) -> None:
    left = dict(sitting.table.game.clock.left)
    assert typed(sitting, line, "nein") == []
    assert GERMAN.sentence("cancelled") in sitting.said()
    assert not sitting.table.game.over and sitting.table.game.clock.left == left
    assert typed(sitting, line, "ja")


def test_a_move_that_mates_is_not_asked_about(sit: Sit) -> None:
    sitting = sit(fen="6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", time_control="240")
    sitting.start()
    sitting.table.submit(f.Announce(by="white", move="a1a8"))
    typed(sitting, "execute white a1a8")
    assert sitting.table.game.result == "1-0"


@pytest.mark.parametrize(
    "line", ["stop", "start", "preside", "withdraw", "arbiter: permit warnings"]
)
def test_what_ends_and_undoes_nothing_is_done_at_once(sitting: Sitting, line: str) -> None:
    typed(sitting, line)
    assert not any(GERMAN.sentence("say_yes_or_no") in said for said in sitting.said())


@pytest.mark.parametrize("word", ["analysieren", "Analyse", "analyse"])
def test_a_game_that_is_being_played_is_not_analysed(sitting: Sitting, word: str) -> None:
    assert typed(sitting, word) == []
    assert sitting.said() == [GERMAN.sentence("analyse_refused")]
