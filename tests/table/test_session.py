"""A table in use: what it says of itself, what it writes, and what it learns of its players."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import pytest

from benchmarks.memory_audio import MemorySink
from blindplay.conversation import effects as e
from blindplay.conversation.state import HeardUtterance
from blindplay.extras import install_command
from blindplay.hearing.decision import Candidate, Decision, Verdict
from blindplay.hearing.recognisers import open_recognisers
from blindplay.hearing.statement import interpret
from blindplay.language import Command, load, parts_of
from blindplay.laws import Ruling
from blindplay.laws import facts as f
from blindplay.laws.due import due
from blindplay.laws.facts import SIDES, Player
from blindplay.laws.rulings import Announced
from blindplay.record import Journal
from blindplay.speech.audio import QueueSource, read_audio, read_wav, write_wav
from blindplay.speech.confusions import NEVER_SEEN, Confusions
from blindplay.speech.models.folders import find_model
from blindplay.speech.recogniser import Hypothesis, Recogniser, Recognition
from blindplay.speech.speaker import Outcome, Output, Speaker
from blindplay.speech.synthesis import Synthesiser
from blindplay.table import Table
from blindplay.table.choices import Printed
from blindplay.table.keyboard import Keyboard
from blindplay.table.session import record_last_move
from tests import command_line
from tests.conversation.conversing import GERMAN
from tests.speech.readers import RecordingReader
from tests.table.playing import SETUP
from tests.table.sitting import ManualClock, Sit, Sitting, play_moves
from tests.table.speaking import PAUSE, ROOM, Voice
from tests.waiting import PATIENCE_S, until

Pairs = list[tuple[str, str]]


@pytest.fixture
def seat(sit: Sit) -> Sitting:
    sitting = sit(now=ManualClock(), time_control="5400", arbiter="present")
    sitting.start()
    return sitting


# --- a game without boards ------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["Larifari", "Eva neun", "Eva fünf"])
def test_where_no_board_is_a_press_without_a_move_is_told_so(seat: Sitting, line: str) -> None:
    seat.session.typed("white", line)
    seat.said()
    seat.session.press("white")
    assert seat.said() == [GERMAN.sentence("not_made_entered")]


def test_the_sighted_player_is_told_the_same(seat: Sitting) -> None:
    seat.play("e2e4")
    seat.session.typed("black", "Larifari")
    seat.said()
    seat.session.press("black")
    repeat = GERMAN.sentence("due_repeat", move="Bauer Eva zwei Eva vier")
    assert seat.said() == [GERMAN.sentence("not_made_entered"), repeat]


def test_where_a_board_feels_pieces_the_press_names_the_square(seat: Sitting) -> None:
    seat.table.submit(f.Position(board="white", placement=chess.STARTING_BOARD_FEN))
    seat.session.typed("white", "Larifari")
    seat.said()
    seat.table.submit(f.Press(by="white"))
    assert GERMAN.sentence("not_made_placed") in seat.said()


@pytest.mark.parametrize("before", [[], ["e2e4"]])
def test_a_corrected_move_is_the_one_that_is_made(seat: Sitting, before: list[str]) -> None:
    seat.play(*before)
    side = seat.table.game.side
    first, second = {"white": ("e2e4", "d2d4"), "black": ("e7e5", "d7d5")}[side]
    seat.session.typed(side, first)
    seat.session.typed(side, f"Korrektur {second}")
    seat.session.press(side)
    assert not seat.ruled("executed_differs")
    assert seat.table.game.history[-1].move.uci() == second


def test_a_typed_move_that_a_touched_piece_forbids_is_refused_before_it_is_announced(
    seat: Sitting,
) -> None:
    seat.play("e2e4")
    seat.table.submit(f.Touch(by="black", square="g8", seen_by="white"))
    seat.said()
    seat.session.typed("black", "e7e5")
    why = GERMAN.sentence("illegal_touched_piece")
    assert seat.said()[0] == GERMAN.sentence("illegal", why=why)
    assert seat.table.game.turn.announced is None
    seat.session.typed("black", "g8f6")
    seat.session.press("black")
    assert not seat.ruled("slip_corrected") and not seat.ruled("executed_differs")
    assert seat.table.game.history[-1].move.uci() == "g8f6"


def test_a_spoken_move_is_executed_by_the_press_where_nothing_reports_hands(
    seat: Sitting,
) -> None:
    seat.table.submit(f.Announce(by="white", move="e2e4"))
    seat.session.press("white")
    assert seat.table.game.side == "black"


def test_what_an_assistant_executes_waits_for_them(seat: Sitting) -> None:
    """D.2.10.1: they make the player's move on the opponent's board."""
    seat.table.submit(f.Assistant(by="table", of="black"))
    seat.table.submit(f.Announce(by="white", move="e2e4"))
    seat.session.press("white")
    step = due(seat.table.game, "assistant:black")
    assert (step.do, step.board) == ("execute", "black")
    seat.session.typed("black", "e7e5")  # Black's own move is made on Black's own board
    assert seat.table.game.turn.made == chess.Move.from_uci("e7e5")


def test_help_after_a_typed_move_says_to_press(seat: Sitting) -> None:
    seat.session.typed("white", "Eva vier")
    seat.said()
    seat.session.typed("white", "Hilfe")
    word = GERMAN.command(Command.CORRECTION)
    correct = GERMAN.sentence("help_correct", correction=word)
    assert seat.said()[0] == f"{GERMAN.sentence('due_press')} {correct}"


def doubt(sitting: Sitting, side: str = "white") -> None:
    """The ear is not sure of a knight's move of ``side``."""
    words = {"white": "springer felix drei", "black": "springer felix sechs"}[side]
    heard = Recognition((Hypothesis(words, 0.0),))
    said = interpret(words, [sitting.table.game.board], GERMAN, recognition=heard)
    decision = Decision(Verdict.ASK, heard, None, (Candidate(said, 0.0),))
    sitting.session._heard(HeardUtterance(side, decision))


def test_where_no_board_is_one_press_confirms_executes_and_completes_a_doubtful_move(
    seat: Sitting,
) -> None:
    doubt(seat)
    seat.session.press("white")
    doubt(seat, "black")
    Keyboard(seat.session).do("")
    assert [ply.move.uci() for ply in seat.table.game.history] == ["g1f3", "g8f6"]


def test_the_opponents_press_confirms_nothing(seat: Sitting) -> None:
    doubt(seat)
    seat.session.press("black")
    assert seat.table.game.turn.announced is None and not seat.table.game.history


def test_a_press_while_the_move_is_read_waits_until_it_was_heard(
    sit: Sit, synthesiser: Synthesiser
) -> None:
    sink = MemorySink()
    sitting = sit(Speaker(synthesiser, sink, sink))
    sitting.start()
    sitting.session.desk.speaker.interrupt(hold=1e9)  # type: ignore[union-attr]
    doubt(sitting)
    sitting.session.press("white")
    assert sitting.table.game.turn.announced is None
    sitting.session.desk.speaker.resume()  # type: ignore[union-attr]
    sitting.session.wait_until_said()
    assert len([words for words in sitting.said() if words.endswith("Richtig?")]) == 1
    sitting.session.press("white")
    assert sitting.table.game.side == "black"


# --- what was played ----------------------------------------------------------------------------


def test_a_move_that_the_sighted_player_made_without_a_word_is_told_when_it_is_completed(
    seat: Sitting,
) -> None:
    seat.table.submit(f.Announce(by="white", move="e2e4"))
    seat.table.submit(f.Make(by="white", move="e2e4"))
    seat.table.submit(f.Press(by="white"))
    last = GERMAN.sentence("last_move", player="Weiß", move="Bauer Eva zwei Eva vier")
    assert last not in seat.said()
    seat.table.submit(f.Make(by="black", move="e7e5"))
    assert seat.said() == []
    seat.table.submit(f.Press(by="black"))
    told = GERMAN.sentence("last_move", player="Schwarz", move="Bauer Eva sieben Eva fünf")
    assert told in seat.said()
    # It is not an announcement of his: nothing says so in the record.
    assert not [r for r in seat.session.rulings if isinstance(r, Announced) and r.by == "black"]


def test_a_move_that_was_announced_is_not_told_again(seat: Sitting) -> None:
    for by, move in (("white", "e2e4"), ("black", "e7e5")):
        seat.table.submit(f.Announce(by=by, move=move))
        seat.table.submit(f.Make(by=by, move=move))
        seat.table.submit(f.Press(by=by))
    assert not [words for words in seat.said() if words.startswith("Letzter Zug")]


def sheets(table: Table) -> dict[str, dict[int, str]]:
    return {side: dict(sheet) for side, sheet in table.game.sheets.items()}


def test_a_completed_move_is_written_in_words_for_the_blind_and_in_notation_for_the_other(
    seat: Sitting,
) -> None:
    seat.play("g1f3")
    assert sheets(seat.table) == {
        "white": {1: "Springer Gustav eins Felix drei"},
        "black": {1: "Sf3"},
    }


def test_what_a_player_has_written_stands(seat: Sitting) -> None:
    seat.table.submit(f.Announce(by="white", move="g1f3"))
    seat.table.submit(f.Record(by="black", ply=1, text="Nf3!"))
    seat.table.submit(f.Make(by="white", move="g1f3"))
    seat.table.submit(f.Press(by="white"))
    assert sheets(seat.table)["black"] == {1: "Nf3!"}


def test_a_table_that_was_killed_before_it_wrote_writes_when_it_goes_on(tmp_path: Path) -> None:
    with Journal(tmp_path / "game.jsonl") as journal:
        table = Table(journal, SETUP)
        record_last_move(table, GERMAN)
        assert sheets(table) == {"white": {}, "black": {}}  # nothing was played
        table.submit(f.Start())
        play_moves(table, "e2e4")
        for _ in range(2):
            record_last_move(table, GERMAN)
    assert sheets(table) == {"white": {1: "Bauer Eva zwei Eva vier"}, "black": {1: "e4"}}


# --- what is learned ----------------------------------------------------------------------------


def learned(sitting: Sitting, phrase: str, heard: str) -> None:
    """It turned out that ``heard`` was ``phrase``, said by White."""
    recognition = Recognition((Hypothesis(heard, 0.0),))
    sitting.session._perform([e.Learn("white", recognition, phrase)])


@pytest.fixture
def learner(sit: Sit) -> Callable[[Callable[[str, Pairs], Confusions]], Sitting]:
    return lambda learn: sit(options={"learn": learn})


def test_how_a_player_was_misheard_is_a_habit_from_now_on(
    learner: Callable[..., Sitting],
) -> None:
    taught: list[tuple[str, Pairs]] = []

    def learn(seat: str, pairs: Pairs) -> Confusions:
        taught.append((seat, pairs))
        return Confusions.measured(pairs * 9)

    sitting = learner(learn)
    learned(sitting, "Springer Hector drei", "springer felix drei")
    pairs = [("springer", "springer"), ("hector", "felix"), ("drei", "drei")]
    assert taught == [("white", pairs)]
    assert sitting.session.habits["white"].cost("hector", "felix") < NEVER_SEEN


def test_nothing_is_learned_from_what_was_heard_well(learner: Callable[..., Sitting]) -> None:
    sitting = learner(lambda seat, pairs: pytest.fail("there is nothing to learn"))
    learned(sitting, "Springer Hector drei", "springer hector drei")
    assert sitting.session.habits == {}


def test_habits_that_cannot_be_kept_are_told_and_the_game_goes_on(
    learner: Callable[..., Sitting],
) -> None:
    def full(seat: str, pairs: Pairs) -> Confusions:
        raise OSError(28, "No space left on device")

    sitting = learner(full)
    learned(sitting, "Springer Hector drei", "springer felix drei")
    assert "trouble: Das wird nicht behalten: " in sitting.printed
    assert "kein Platz mehr" in sitting.printed
    assert sitting.session.habits == {}


def test_without_a_memory_nothing_is_learned(sit: Sit) -> None:
    sitting = sit()
    learned(sitting, "Springer Hector drei", "springer felix drei")
    assert "trouble" not in sitting.printed


def test_what_is_learned_belongs_to_the_seat_when_the_colours_were_reversed(sit: Sit) -> None:
    taught: list[str] = []

    def learn(seat: str, pairs: Pairs) -> Confusions:
        taught.append(seat)
        return Confusions()

    sitting = sit(options={"learn": learn}, black=Player())
    sitting.start()
    reverse_colours(sitting)
    learned(sitting, "Springer Hector drei", "springer felix drei")
    assert taught == ["black"]


def reverse_colours(sitting: Sitting) -> None:
    """The players have begun with the wrong colours (7.3): a new game begins."""
    sitting.table.submit(f.Irregular(by="arbiter", what="reversed_colours"))
    if not sitting.table.game.swapped:
        sitting.table.submit(f.Arbiter(do="confirm"))
    assert sitting.table.game.swapped


# --- waiting ------------------------------------------------------------------------------------


def test_waiting_for_a_ruling_ends_when_it_comes(seat: Sitting) -> None:
    seat.session.typed("white", "Eva zwei Eva vier")
    ruling = seat.session.wait_for("announced", 0.0)
    assert isinstance(ruling, Announced) and ruling.move == "e2e4"
    assert seat.session.wait_for("announced", 0.0, since=len(seat.session.rulings)) is None


def test_waiting_for_a_ruling_ends_when_something_was_not_understood(seat: Sitting) -> None:
    session, found = seat.session, list[Ruling | None]()
    waiting = threading.Thread(
        target=lambda: found.append(session.wait_for("announced", 2 * PATIENCE_S)), daemon=True
    )
    waiting.start()
    unclear = Decision(Verdict.REFUSE, Recognition((Hypothesis("quatsch", 0.0),)))

    def ended() -> bool:
        session._heard(HeardUtterance("white", unclear))
        return bool(found)

    assert until(ended)
    assert found == [None] and session.misheard > 0


FOOLS_MATE = [
    "Hilfe", "f3", "Zeit", "", "", "schwarz: e5", "", "noch einmal", "Springer Anna sechs",
    "zurück", "g4", "", "letzter Zug", "schwarz: Dh4", "", "unterschreiben", "ja", "ja",
]  # fmt: skip


def test_the_reader_gets_each_private_sentence_of_a_game_once_and_everybody_the_others(
    sit: Sit, synthesiser: Synthesiser
) -> None:
    reader, own = RecordingReader(), MemorySink()
    speaker = Speaker(synthesiser, own, own, reader=reader.screen_reader())
    sitting = sit(speaker, time_control="5400")
    sitting.start()

    def lines() -> Iterator[str]:
        for line in FOOLS_MATE:
            sitting.session.wait_until_said()
            yield line

    Keyboard(sitting.session).do_all(lines())
    sitting.session.wait_until_said()
    said = [line.partition(" said ")[2] for line in sitting.printed.splitlines()]
    private = [line.removeprefix("privately: ") for line in said if line.startswith("privately")]
    public = [line.partition(": ")[2] for line in said if line.startswith("to everybody")]
    assert sitting.table.game.over
    assert len(private) > 8 and reader.spoken == private
    assert [one.pcm for one in own.played] == [
        read_wav(synthesiser.render(words, public=True))[0] for words in public
    ]


def test_what_is_typed_ends_what_is_read_only_if_its_reader_goes_on(
    sit: Sit, synthesiser: Synthesiser
) -> None:
    reader, quiet = RecordingReader(ends=False), MemorySink()
    speaker = Speaker(synthesiser, quiet, quiet, reader=reader.screen_reader())
    sitting = sit(speaker)
    sitting.start()
    ends = []
    for line in ("schwarz: wie viele Züge", "arbiter: stop", "", "clock white 5:00", "Zeit", "e4"):
        before = len(reader.spoken)
        sitting.session.desk.say(Output.PRIVATE, "ein langer satz " * 20)
        assert until(lambda before=before: len(reader.spoken) > before)  # type: ignore[misc]
        this_sentence = speaker._stop
        Keyboard(sitting.session).do_all([line])
        ends += [line] if this_sentence.is_set() else []
        speaker.interrupt()
        sitting.session.wait_until_said()
    assert ends == ["Zeit", "e4"]


def test_the_word_for_a_reader_that_is_gone_is_said_by_our_voice(
    sit: Sit, synthesiser: Synthesiser
) -> None:
    reader, own = RecordingReader(), MemorySink()
    reader.closed = True
    sitting = sit(Speaker(synthesiser, own, own, reader=reader.screen_reader()))
    sitting.session.desk.say(Output.PRIVATE, "weiter")
    sitting.session.wait_until_said()
    reader.closed = False
    sitting.session.desk.say(Output.PRIVATE, "weiter")
    sitting.session.wait_until_said()
    gone, back = GERMAN.sentence("reader_gone"), GERMAN.sentence("reader_back")
    assert [one.pcm for one in own.played] == [
        read_wav(synthesiser.render(words))[0] for words in ("weiter", gone)
    ]
    assert reader.spoken == ["weiter", back]


def test_without_what_reaches_readers_no_game_begins_and_one_sentence_tells_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "prism", None)
    arguments = ("play", "--voice", "reader", "--microphone", "none", "--journal")
    ran = command_line.run(*arguments, str(tmp_path / "game.jsonl"), stdin="quit\n")
    assert (ran.status, ran.stdout, list(tmp_path.iterdir())) == (2, "", [])
    assert ran.stderr.count("\n") == 1 and install_command("reader") in ran.stderr


MOVE = "Springer Gustav eins Felix drei"


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Synthesiser]:
    """The voice of a table whose messages are in English."""
    with Synthesiser(
        "en",
        cache=tmp_path_factory.mktemp("phrases"),
        spellings=load("en").spoken,
        spellings_of=lambda code: load(code).spoken,
    ) as made:
        yield made


def test_an_english_table_announces_in_a_german_voice(
    sit: Sit, english: Synthesiser, tmp_path: Path
) -> None:
    """What the loudspeaker plays is understood by the German speech model."""
    sink = MemorySink()
    with Speaker(english, sink, sink) as speaker:
        sitting = sit(speaker, language="en", white=Player(impaired=True, language="en"))
        sitting.start()
        sitting.session.typed("white", "knight f3")
        sitting.session.wait_until_said()
        played = [sound.pcm for sound in sink.played]
    german = read_wav(english.render(MOVE, language="de", public=True))[0]
    (at,) = [place for place, pcm in enumerate(played) if pcm == german]
    write_wav(tmp_path / "heard.wav", played[at], read_wav(english.render(MOVE))[1])
    ear = Recogniser(find_model("de"), "de", spellings=load("de").spoken)
    sound = read_audio(tmp_path / "heard.wav")
    assert ear.recognise(sound, load("de").phrases(chess.Board())).words == MOVE.lower()


@pytest.mark.parametrize(
    ("own", "announcing", "move", "command", "answer"),
    [
        ("en", "", MOVE, "how many moves", "No move has been completed"),
        ("de", "en", "Knight Gustav one Felix three", "wie viele Züge", "noch kein Zug"),
    ],
)
def test_one_microphone_hears_announcements_and_the_readers_commands(
    sit: Sit,
    english: Synthesiser,
    own: str,
    announcing: str,
    move: str,
    command: str,
    answer: str,
) -> None:
    white = Player(impaired=True, language=own)
    sitting = sit(language=own, white=white, announce_in=announcing)
    sitting.start()
    microphone, spoken_in = QueueSource(), announcing or "de"
    codes = (spoken_in, own)
    recogniser = open_recognisers([(load(code), find_model(code)) for code in codes])
    sitting.session.attach_microphone("white", microphone, recogniser)
    microphone.push(ROOM + read_audio(english.render(command, language=own)) + PAUSE)
    sitting.shows(answer)
    microphone.push(ROOM + read_audio(english.render(move, language=spoken_in)) + PAUSE)
    sitting.shows(f"said to everybody: {move}")


def test_a_question_to_an_english_player_has_a_german_move_in_it(sit: Sit) -> None:
    sitting = sit(language="en", fen="4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1")
    sitting.start()
    sitting.session.typed("white", "knight d2")
    (said,) = [line for line in sitting.said() if "Bella" in line]
    assert said == "Bella eins or Felix drei?"
    sitting.session.typed("white", "Felix three")
    assert MOVE.replace("Gustav eins Felix drei", "Felix drei David zwei") in sitting.said()


def test_each_player_is_answered_in_their_own_language(sit: Sit) -> None:
    players = {"white": Player(impaired=True, language="en"), "black": Player(language="sv")}
    sitting = sit(time_control="5400", **players)
    sitting.start()
    sitting.said()
    sitting.session.typed("white", "my time")
    sitting.session.typed("black", "min tid")
    english, swedish = sitting.said()
    assert english.startswith("You have one hour") and swedish.startswith("Din tid")
    sitting.session.typed("white", "offer draw")
    sitting.session.typed("white", "yes")
    assert any(line.startswith("Weiß") for line in sitting.said())  # to everybody


def test_a_sentence_marks_the_language_of_each_part(sit: Sit) -> None:
    sitting = sit(language="en", time_control="5400")
    sitting.start()
    told: list[str] = []

    def keep(output: Output, words: str, **_: object) -> None:
        told.append(words)

    sitting.session.desk.say = keep  # type: ignore[method-assign]
    sitting.session.typed("white", "Nf3")
    sitting.session.press("white")
    sitting.session.settle()
    sitting.session.typed("black", "last move")
    assert parts_of(told[-1], "") == (("Last move, White: ", "en"), (f"{MOVE}.", "de"))


def test_a_player_who_does_not_hear_reads_the_question_for_another_game(sit: Sit) -> None:
    people = {"white": Player(impaired=True), "black": Player(hearing_impaired=True)}
    options = {"plays_again": True}
    sitting = sit(Voice(Outcome.SPOKEN), printed=Printed.UNSPOKEN, options=options, **people)
    sitting.table.submit(f.Resign(by="white"))
    for side in SIDES:
        sitting.table.submit(f.Sign(by=side, result="0-1"))
    sitting.session.typed("white", "Revanche")
    white, black = (GERMAN.sentence(side) for side in SIDES)
    assert GERMAN.sentence("rematch_asked", player=white, other=black) in sitting.printed
