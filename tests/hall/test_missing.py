"""Who is missing in a round, and how much time is left before a forfeit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from blindplay.hall.follower import Follower
from blindplay.hall.missing import SILENT_S, MissingGame, MissingList, MissingNow
from blindplay.hall.pairings.decided import (
    Forfeit,
    decisions_file,
    declare,
    read_decisions,
    set_resumption,
    set_start,
    take_back,
    time_of,
)
from blindplay.hall.pairings.played import all_results_in, rounds_of
from blindplay.hall.pairings.round_report import Reporter
from blindplay.hall.pairings.rounds import Assignment, Round, keep_round, pairings_file, undo_round
from blindplay.hall.protocol import Head, Presence, Topic, encode
from blindplay.laws import facts as f
from blindplay.record import Journal
from blindplay.record.chain import digest_of
from blindplay.table import Table

from .running import play

DIGEST = "0123456789abcdef" * 2
HEAD = Head(
    run="r", seq=1, game=DIGEST, n=1, digest=DIGEST, t=60.0, wall=0.0, state="setup",
    white="Anna Berg", black="Bert Dahl", round="3", missing=["white", "black"],
)  # fmt: skip
FIRST = Assignment("3", "1", "Anna Berg", "Bert Dahl")
SECOND = Assignment("3", "2", "Cia Ek", "David Fors")
NOON = 1_796_000_400.0
FORFEIT = Forfeit("3", "2", "Cia Ek", "David Fors", "white", "fide-2023 6.7.1", "Maria Berg")


class Played:
    """A round of two games in a hall with a time of its own."""

    def __init__(self, folder: Path, default_time: str = "30m") -> None:
        self.folder = folder
        self.now = 1000.0
        self.wall = NOON
        self.rules = {"default-time": default_time} if default_time else {}
        self._seq = 0
        self.start()
        keep_round(folder, Round("3", (FIRST, SECOND), ("Eva Gran",), {"Eva Gran": "full"}))

    def start(self) -> None:
        """The hall is started, or started again."""
        self.follower = Follower("open", self.folder, lambda topic, payload: None)
        self.list = MissingList(self.follower, self.rules, lambda: self.now, lambda: self.wall)

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        self.wall += seconds

    def present(self, table: str, online: bool = True, waits: float = -1.0) -> None:
        self._give(table, "presence", encode(Presence("p", online, waits=waits)))

    def head(self, table: str, **changed: object) -> None:
        self._seq += 1
        self.present(table)
        self._give(table, "head", encode(replace(HEAD, seq=self._seq, **changed)))  # type: ignore[arg-type]

    def _give(self, table: str, kind: str, payload: bytes) -> None:
        self.follower.receive(str(Topic("open", table, kind)), payload, self.now)

    def look(self) -> MissingNow:
        return self.list.look()

    def game(self, table: str = "1") -> MissingGame:
        (found,) = (one for one in self.look().games if one.table == table)
        return found


@pytest.fixture
def played(tmp_path: Path) -> Played:
    return Played(tmp_path)


def test_each_reason_is_told_apart(played: Played) -> None:
    assert [one.reason for one in played.look().games] == ["offline", "offline"]
    played.present("1", waits=5.0)
    assert played.game().reason == "idle"
    played.head("1", white="Eva", black="Finn", round="2", state="over")
    assert played.game().reason == "busy"
    played.head("1")
    assert (played.game().reason, played.game().here) == ("unbegun", True)
    assert played.game().forfeits == ("white", "black", "both")
    played.head("1", missing=["black"])
    assert played.game().forfeits == ("black",)
    played.head("1", state="over", result="1-0", unsigned=["black"], missing=[])
    assert (played.game().reason, played.game().forfeits) == ("unsigned", ())
    played.head("1", state="adjourned", moves=40)
    assert played.game().reason == "adjourned"
    played.head("1", state="over", result="1-0", missing=[])
    assert [one.table for one in played.look().games] == ["2"]  # and Eva, who has a bye, never


def test_a_player_who_does_nothing_may_be_missing_after_a_while(played: Played) -> None:
    """Nobody is missing who thinks about their first move, or waits for the opponent's."""
    played.head("1", state="playing", began=60.0, running="white")
    assert [one.table for one in played.look().games] == ["2"]
    played.pass_time(SILENT_S)
    played.head("1", state="playing", t=60.0 + SILENT_S, began=60.0, running="white")
    assert (played.game().reason, played.game().sides) == ("silent", ("white",))
    # White has moved at last: only from then on can Black be silent.
    replies = {"state": "playing", "began": 60.0, "running": "black", "moves": 1,
               "missing": ["black"]}  # fmt: skip
    played.head("1", t=60.0 + SILENT_S, **replies)
    assert [one.table for one in played.look().games] == ["2"]
    played.pass_time(SILENT_S - 1)
    played.head("1", t=59.0 + 2 * SILENT_S, **replies)
    assert [one.table for one in played.look().games] == ["2"]
    played.pass_time(1)
    assert played.game().forfeits == ("black",)
    played.head("1", state="playing", t=60.0 + SILENT_S, began=60.0, running="white", moves=2,
                missing=[])  # fmt: skip
    assert [one.table for one in played.look().games] == ["2"]


@pytest.mark.parametrize(("default_time", "minutes"), [("30m", 30), ("1m", 3), ("", None)])
def test_who_only_is_silent_is_an_alarm_only_after_the_whole_default_time(
    tmp_path: Path, default_time: str, minutes: int | None
) -> None:
    """Without a default time of the event it is zero, by the edition. A player may sit there and
    think about the first move; an absent one is an alarm all the same in the end."""
    played = Played(tmp_path, default_time)
    set_start(played.folder, "3", NOON)
    alarms = []
    for passed in range(40):
        played.head("1", state="playing", t=60.0 * passed, began=0.0, running="white")
        games = [one for one in played.look().games if one.table == "1"]
        alarms += [passed for one in games if one.alarms]
        played.pass_time(60)
    assert alarms == ([] if minutes is None else list(range(minutes + (minutes == 30), 40)))
    assert played.game("2").alarms  # its game has not begun


def test_the_default_time_counts_from_the_time_of_the_round_also_after_a_restart(
    played: Played,
) -> None:
    assert played.game().deadline is None and not played.look().begun
    set_start(played.folder, "3", NOON + 600, "Maria Berg")
    assert not played.look().begun and played.game().deadline == NOON + 2400
    played.pass_time(2400)
    assert not played.game().passed  # more than the default time
    played.start()
    played.pass_time(1)
    assert played.look().begun and played.game().passed
    keep_round(played.folder, Round("3", (replace(FIRST, default_time="1h"), SECOND)))
    assert not played.game().passed and played.game("2").passed


def test_without_a_time_a_round_begins_with_its_first_game(played: Played) -> None:
    """Whatever time of day the table has, and how late the hall hears of it. It stays so."""
    played.head("1", state="playing", t=400.0, began=100.0, wall=5.0, running="white")
    start = played.look().start
    assert start is not None and start.at == NOON - 300
    assert played.game("2").deadline == NOON - 300 + 1800
    played.head("2", state="playing", t=800.0, began=100.0, white="Cia Ek", black="David Fors")
    played.start()
    played.present("1", online=False)
    assert played.look().start == start


def test_the_time_that_an_arbiter_has_set_stays(played: Played) -> None:
    """Also if the hall has just seen the first game begin."""
    set_start(played.folder, "3", NOON, "Maria Berg")
    set_start(played.folder, "3", NOON - 300)
    start = played.look().start
    assert start is not None and (start.at, start.who) == (NOON, "Maria Berg")
    set_start(played.folder, "3", NOON + 60, "Jens Dahl")
    assert played.game().deadline == NOON + 60 + 1800


def test_a_clock_that_was_started_late_gives_its_player_as_much_time(played: Played) -> None:
    set_start(played.folder, "3", NOON)
    played.pass_time(3600)
    played.head("1", state="playing", t=1000.0, began=0.0, running="white")
    assert played.game().deadline == pytest.approx(NOON + 2600 + 1800)


@pytest.mark.parametrize(
    ("rules", "seconds"),
    [
        ({}, 0),
        ({"edition": "fide-1997"}, 3600),
        ({"edition": "fide-2014"}, None),
        ({"edition": "fide-2014", "default-time": "15m"}, 900),
    ],
)
def test_without_a_word_of_the_event_the_edition_says_the_default_time(
    played: Played, rules: dict[str, str], seconds: int | None
) -> None:
    set_start(played.folder, "3", NOON)
    played.rules = rules
    played.start()
    assert played.list.default_time() == seconds
    deadline = None if seconds is None else NOON + seconds
    assert played.game().deadline == deadline
    articles = {"fide-1997": "fide-1997 6.6", "fide-2014": "fide-2014 6.7 a"}
    assert played.game().article == articles.get(rules.get("edition", ""), "fide-2023 6.7.1")


def test_an_adjourned_game_counts_from_its_resumption(played: Played) -> None:
    """Also one of an earlier round; a game that its table has left takes no decision."""
    played.head("1", state="adjourned", round="2", missing=["white", "black"])
    (game,) = (one for one in played.look().games if one.round == "2")
    assert game.deadline is None and game.article == "fide-2023 Guideline I.10"
    set_resumption(played.folder, DIGEST, NOON + 60, "Maria Berg")
    (game,) = (one for one in played.look().games if one.round == "2")
    assert game.deadline == NOON + 60 + 1800 and game.forfeits == ("white", "black", "both")
    played.present("1", online=False)
    (game,) = (one for one in played.look().games if one.round == "2")
    assert game.forfeits == ()


RESIGNED = f.Resign(by="white")
SIGNED = [f.Sign(by=side, result="0-1") for side in ("white", "black")]
SEALED = [f.Arbiter(do="adjourn"), f.Seal(by="white", text="d2d4"), f.Press(by="white")]


@pytest.mark.parametrize(
    ("moves", "facts", "number", "found"),
    [
        (0, [], "3", ("idle", ("white", "black", "both"))),
        (2, [], "3", ("left", ())),
        (2, [RESIGNED], "3", ("unsigned", ())),
        (2, [RESIGNED, *SIGNED], "3", None),
        (0, [f.Arbiter(do="forfeit", player="black")], "3", None),
        (2, SEALED, "3", ("adjourned", ())),
        (2, SEALED, "2", ("adjourned", ())),
        (2, [RESIGNED], "2", ("idle", ("white", "black", "both"))),
    ],
)
def test_a_game_that_its_table_has_left_is_told_apart(
    played: Played, moves: int, facts: list[f.Fact], number: str, found: tuple[str, object] | None
) -> None:
    """The table waits for its next game, or the hall was started again since."""
    _leave(played.folder, "1", number, "Anna Berg", "Bert Dahl", moves, facts)
    played.start()
    played.present("1", waits=5.0)
    now = [one for one in played.look().games if one.table == "1"]
    # Of round 2 an adjourned game is shown; the one of round 3 waits all the same.
    shown = [one for one in now if one.round == number] or now
    assert [(one.reason, one.forfeits) for one in shown] == ([] if found is None else [found])


def test_a_forfeit_takes_the_game_off_the_list_until_it_is_taken_back(played: Played) -> None:
    declare(played.folder, FORFEIT)
    now = played.look()
    assert [one.table for one in now.games] == ["1"]
    (declared,) = now.declared
    assert (declared.forfeit.result, declared.forfeit.who, declared.trouble) == (
        "0-1", "Maria Berg", "",
    )  # fmt: skip
    played.head("2", white="Cia Ek", black="David Fors")
    assert played.look().declared[0].trouble == "there"
    played.head("2", white="Cia Ek", black="David Fors", state="playing", began=0.0)
    assert played.look().declared[0].trouble == "played"
    played.head("2", white="Cia Ek", black="David Fors", state="over", result="0-1")
    assert played.look().declared[0].trouble == ""
    take_back(played.folder, FORFEIT, "Jens Dahl", "she has come")
    played.present("2", online=False, waits=-1.0)
    assert not played.look().declared
    lines = decisions_file(played.folder).read_text("utf-8")
    assert "she has come" in lines and lines.count("forfeit") == 1  # all stays on record


def test_a_forfeit_of_a_pairing_that_was_replaced_counts_nowhere(played: Played) -> None:
    """It can still be taken back. If the pair comes back, it counts again."""
    declare(played.folder, FORFEIT)
    keep_round(played.folder, Round("3", (FIRST, Assignment("3", "2", "Cia Ek", "Di Falk"))))
    now = played.look()
    assert [one.black for one in now.games] == ["Bert Dahl", "Di Falk"]
    assert [(one.forfeit, one.trouble) for one in now.declared] == [
        (replace(FORFEIT, wall=now.declared[0].forfeit.wall), "unpaired")
    ]
    assert now.forfeit(("3", *FORFEIT.pair)) is not None
    assert all_results_in(played.folder, "3") == []
    assert [one.games for one in rounds_of(played.folder, "Cia Ek")] == [()]
    assert Reporter(played.follower).report("en", "3").games == ()
    undo_round(played.folder)
    assert [one.trouble for one in played.look().declared] == [""]
    assert [one.result for one in all_results_in(played.folder, "3")] == ["0-1"]


def test_a_forfeit_can_be_taken_back_after_the_next_round_is_paired(played: Played) -> None:
    declare(played.folder, FORFEIT)
    keep_round(played.folder, Round("4", (Assignment("4", "1", "Cia Ek", "Anna Berg"),)))
    declared = played.look().forfeit(("3", *FORFEIT.pair))
    assert declared is not None and not declared.trouble


def test_a_game_without_a_result_stays_when_the_next_round_is_paired(played: Played) -> None:
    """Its forfeit can be declared then, too. What was signed or forfeited is done."""
    set_start(played.folder, "3", NOON)
    games = [("5", "Hal Io", "Jo Kai"), ("6", "Li Mo", "Na Os")]
    more = (Assignment("3", *one) for one in games)
    keep_round(played.folder, Round("3", (FIRST, SECOND, *more)))
    left: dict[str, list[f.Fact]] = {"5": [RESIGNED], "6": [RESIGNED, *SIGNED]}
    for table, white, black in games:
        _leave(played.folder, table, "3", white, black, 2, left[table])
    played.start()
    played.present("5", waits=5.0)
    played.present("6", waits=5.0)
    keep_round(played.folder, Round("4", (Assignment("4", "1", "David Fors", "Bert Dahl"),)))
    played.head("1", white="David Fors", black="Bert Dahl", round="4", state="over", missing=[])
    declare(played.folder, FORFEIT)
    now = played.look()
    assert [(one.round, one.table, one.reason) for one in now.games] == [
        ("3", "1", "busy"), ("3", "5", "unsigned"),
    ]  # fmt: skip
    assert now.game(("3", "anna berg", "bert dahl")) in now.earlier
    assert now.games[0].forfeits == ("white", "black", "both")
    assert now.games[0].deadline == NOON + 1800


def _leave(
    folder: Path, table: str, number: str, white: str, black: str, moves: int, facts: list[f.Fact]
) -> None:
    """The hall's copy of a game that its table has left after some moves and facts."""
    path = folder / f"play-{table}.jsonl"
    setup = f.Setup(white=f.Player(name=white), black=f.Player(name=black),
                    round=number, time_control="5400+30")  # fmt: skip
    with Journal(path) as journal:
        played = Table(journal, setup)
        if moves:
            play(played, *("e2e4", "e7e5")[:moves])
        for fact in facts:
            played.submit(fact)
    content = path.read_bytes()
    name = digest_of(content.splitlines(keepends=True)[0])
    copy = folder / f"table-{table}" / f"{name}.jsonl"
    copy.parent.mkdir()
    copy.write_bytes(content)


def test_what_cannot_be_read_leaves_the_list_as_it_was_and_is_said(played: Played) -> None:
    assert len(played.look().games) == 2
    pairings_file(played.folder).write_text("{", "utf-8")
    now = played.look()
    assert len(now.games) == 2 and now.unread


def test_a_line_that_was_cut_off_takes_no_other_one_with_it(tmp_path: Path) -> None:
    declare(tmp_path, FORFEIT)
    with decisions_file(tmp_path).open("ab") as file:
        file.write(b'{"kind":"forfeit","round":"3"')
    set_start(tmp_path, "3", NOON, "Maria Berg")
    with decisions_file(tmp_path).open("ab") as file:
        file.write(b'{"kind":"newer"}\n[]\n{"kind":"start","round":"4","at":"soon","who":""}\n')
        file.write(b'{"kind":"start","round":"5","at":1e999,"who":""}\n' + b"[" * 200_000 + b"\n")
    found = read_decisions(tmp_path)
    assert found.starts["3"].at == NOON and found.starts.keys() == {"3"}
    assert [one.who for one in found.of_round("3")] == ["Maria Berg"]
    declare(tmp_path, replace(FORFEIT, missing="both"))
    (again,) = read_decisions(tmp_path).of_round(None)
    assert (again.result, again.former) == ("0-0", ("0-1",))


def test_a_time_that_lies_long_back_is_one_of_the_next_day() -> None:
    """In the evening ``09:00`` is the next morning. A start that was forgotten is of today."""
    evening = time_of("2026-11-30 19:30")
    assert time_of("09:00", evening) == time_of("2026-12-01 09:00")
    assert time_of("19:00", evening) == time_of("2026-11-30 19:00")
    assert time_of("23:59", time_of("2026-12-31 23:59")) == time_of("2026-12-31 23:59")
    assert time_of("2026-11-30 09:00", evening) == time_of("2026-11-30 09:00")  # as it is written


def test_a_time_is_one_of_today_or_has_its_date() -> None:
    now = time_of("2026-11-30 09:00")
    assert time_of("14:30", now) == time_of("2026-11-30T14:30") == now + 5.5 * 3600
    assert time_of("14.30", now) == now + 5.5 * 3600
    for wrong in ("", "25:00", "soon", "2026-02-30 10:00"):
        with pytest.raises(ValueError, match="not a time"):
            time_of(wrong)
