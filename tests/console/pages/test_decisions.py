"""The arbiter's decisions over a real server: their role, what they foretell, when they are stale,
and what stays after a restart.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from blindplay.console.actions import NoActionError, at_time, consequences, fact_of, stamp
from blindplay.console.pages import decisions
from blindplay.console.pages.common import ShownClock
from blindplay.laws import Game
from blindplay.laws import facts as f
from blindplay.record import Tape
from blindplay.record.tape import tape_folder
from blindplay.wording.pack_words import PackWords
from blindplay.wording.values import write_time
from tests.console.hall import Browser, Hall
from tests.laws.test_game_scenarios import PATHS, Scenario, scenarios
from tests.sampling import examples


def test_what_is_foretold_is_not_done(hall: Hall) -> None:
    hall.start()
    game = hall.table.game
    found = consequences(game, f.Arbiter(do="declare", result="1-0"))
    assert found.game.over and not game.over
    assert "game_over" in [one.kind for one in found.rulings]


def test_the_digest_is_that_of_what_would_be_done(hall: Hall) -> None:
    """Time that passes, and moves that change nothing about it, leave it as it is."""
    hall.start()
    game = hall.table.game
    loss = f.Arbiter(do="penalty", player="white", penalty="loss")
    back = f.Arbiter(do="restore", ply=0)
    hall.play("white", "e2e4")
    before = consequences(game, loss).digest, consequences(game, back).digest
    hall.now += 10
    hall.table.submit(f.Tick())
    assert (consequences(game, loss).digest, consequences(game, back).digest) == before
    hall.play("black", "e7e5")
    assert consequences(game, loss).digest == before[0]
    assert consequences(game, back).digest != before[1]


def test_what_confirming_would_do_to_the_clocks_is_foretold(hall: Hall) -> None:
    """An illegal move that was completed: two minutes for White, and Black's clock runs again."""
    hall.start()
    hall.play("white", "e2e4")
    hall.table.submit(f.Make(by="black", move="d7d4"))
    hall.table.submit(f.Press(by="black"))
    game = hall.table.game
    assert game.clock.running is None
    after = consequences(game, f.Arbiter(do="confirm")).game
    assert after.clock.running == "black"
    assert after.clock.left["white"] == game.clock.left["white"] + 120_000
    assert game.pending is not None and after.pending is None


@pytest.fixture
def arbiter(hall: Hall) -> Iterator[Browser]:
    browser = Browser(hall, "arbiter")
    assert browser.enter().status_code == 303
    yield browser
    browser.client.close()


def test_the_tape_is_the_arbiters_alone(hall: Hall, arbiter: Browser) -> None:
    said = Tape(tape_folder(hall.journal.path)).keep(
        bytes(16_000), 16_000, t=0, ply=1, by="table", words="Bauer Eva zwei Eva vier"
    )
    answer = arbiter.client.get("/arbiter/tape/1")
    assert answer.headers["content-type"] == "audio/flac"
    assert answer.content == said.path.read_bytes()
    assert int(answer.headers["content-length"]) == said.path.stat().st_size
    page = arbiter.client.get("/arbiter/timeline?group=said")
    assert "media-src 'self'" in page.headers["content-security-policy"]
    assert 'src="tape/1"' in page.text
    for number in ("0", "2", "x", "../game.jsonl", "-1"):
        assert arbiter.client.get(f"/arbiter/tape/{number}").status_code == 404
    assistant = Browser(hall)
    assistant.enter()
    for what in ("tape/1", "timeline", "sure?act=arbiter&do=adjourn"):
        assert assistant.client.get(f"/assistant-white/{what}").status_code == 404
        assert assistant.client.get(f"/arbiter/{what}").status_code == 401
    assistant.client.close()


def prepared(hall: Hall, **chosen: str) -> decisions.Confirmation:
    """The second step now; ``chosen`` are the fields of the first."""
    form = {name: [one] for name, one in chosen.items()}
    return decisions.prepare(hall.table.game, "en", form, hall.table.time())


def second_step(hall: Hall, **chosen: str) -> dict[str, str]:
    """What the button of the second step sends; ``chosen`` are the fields of the first."""
    step = prepared(hall, **chosen)
    fields = {"action": step.fields["act"], "preview": step.digest, **step.fields}
    return {name: value for name, value in fields.items() if name != "act"}


def test_what_he_looked_at_is_not_done_when_the_game_has_gone_on(
    hall: Hall, arbiter: Browser
) -> None:
    hall.start()
    hall.play("white", "d2d4")
    back = {"act": "arbiter", "do": "restore", "number": "1", "after": "start"}
    seen = second_step(hall, **back)
    hall.play("black", "d7d5")
    answer = arbiter.do(**seen)
    assert answer.json()["refused"]
    assert "it would now do something else" in answer.json()["said"][0]
    assert len(hall.table.game.history) == 2
    assert not arbiter.do(**second_step(hall, **back)).json()["refused"]
    assert hall.table.game.history == []


CHOSEN: dict[str, tuple[dict[str, str], bool]] = {
    "a warning": ({"act": "arbiter", "do": "penalty", "player": "white", "kind": "warning"}, True),
    "a time penalty": (
        {"act": "arbiter", "do": "penalty", "player": "black", "kind": "time", "given": "2:00"},
        True,
    ),
    "setting a clock": ({"act": "arbiter", "do": "set_clock", "black": "4:00"}, True),
    "the result": ({"act": "arbiter", "do": "declare", "result": "1-0"}, True),
    "the language": ({"act": "arbiter", "do": "announce_in", "language": "en"}, True),
    "sealing, which another player would do": ({"act": "arbiter", "do": "adjourn"}, False),
    "a touch, which another player would answer for": ({"act": "touch", "square": "g8"}, False),
    "taking back, which would take more": (
        {"act": "arbiter", "do": "restore", "number": "1", "after": "start"},
        False,
    ),
}


@pytest.mark.parametrize("name", CHOSEN)
def test_a_decision_survives_a_move_unless_the_move_changes_what_it_does(
    hall: Hall, arbiter: Browser, name: str
) -> None:
    chosen, survives = CHOSEN[name]
    hall.start()
    hall.play("white", "e2e4")
    seen = second_step(hall, **chosen)
    hall.now += 3  # the clocks run meanwhile
    hall.play("black", "e7e5")
    answer = arbiter.do(**seen).json()
    assert answer["refused"] is not survives, answer


def test_the_second_step_shows_both_clocks_before_and_after_and_which_one_runs(hall: Hall) -> None:
    """300+5: White has used 5 of 305 seconds."""
    hall.start()
    hall.now = 5
    hall.table.submit(f.Tick())
    chosen = {"act": "arbiter", "do": "penalty", "player": "white", "kind": "time"}
    fields = {**chosen, "given": "1:30", "taken": "0:20"}
    step = prepared(hall, **fields)
    shown = [(now.shown, then.shown, then.runs) for now, then, _ in step.clocks]
    assert shown == [("5:00", "4:40", True), ("5:05", "6:35", False)]
    assert step.sentences[-1] == "Then White's clock runs."
    hall.play("white", "e2e4")
    back = {"act": "arbiter", "do": "restore", "number": "1", "after": "start"}
    step = prepared(hall, **back)
    assert [(now.shown, then.shown) for now, then, _ in step.clocks] == [
        ("5:05", "5:05"),
        ("5:05", "5:05"),
    ]
    assert step.sentences[-1] == "Then no clock runs."


# All that an arbiter can choose on the page, with all fields that a form may have.
FORMS: tuple[dict[str, str], ...] = (
    *(
        {"act": "arbiter", "do": do}
        for do in ("confirm", "reject", "adjourn", "withdraw", "permit_warnings", "postpone")
    ),
    {"act": "arbiter", "do": "postpone", "given": "1:00"},
    {"act": "arbiter", "do": "set_clock", "white": "4:00"},
    {"act": "arbiter", "do": "set_clock", "black": "0:30"},
    {"act": "arbiter", "do": "set_clock", "white": "0", "black": "9:00"},
    {"act": "arbiter", "do": "penalty", "player": "black", "kind": "warning"},
    {"act": "arbiter", "do": "penalty", "player": "white", "kind": "time", "given": "2:00"},
    {"act": "arbiter", "do": "penalty", "player": "black", "kind": "time", "taken": "9:00:00"},
    {"act": "arbiter", "do": "penalty", "player": "white", "kind": "loss"},
    {"act": "arbiter", "do": "restore", "number": "1", "after": "start"},
    {"act": "arbiter", "do": "restore", "number": "1", "after": "white"},
    {"act": "arbiter", "do": "declare", "result": "1/2-1/2"},
    {"act": "arbiter", "do": "announce_in", "language": "en"},
    {"act": "claim_time"},
    {"act": "touch", "square": "g8"},
    *({"act": "irregular", "what": what, "player": "black"} for what in f.IRREGULARITIES),
)
ALL = tuple(scenario for path in PATHS for scenario in scenarios(path))


def reached(scenario: Scenario, facts: int, **setup: str) -> Game:
    """The game after the first ``facts`` of a scenario, with other fields of its set-up."""
    game, t = Game(PackWords()), 0.0
    lines = [line for _, line in scenario.lines if "fact" in line]
    for line in lines[:facts]:
        t = line.get("t", t)
        more = {"edition": scenario.edition, **setup} if line["fact"] == "setup" else {}
        with suppress(f.FactError):  # an edition may lack what its set-up asks for
            game.apply(f.parse({"t": t, **line, **more}))
    return game


def shown(clock: ShownClock, counts: bool, now: int) -> str:
    """The figures of a clock on the page at ``now``, as the page's script counts."""
    return write_time(max(0, clock.left - (max(0, now - clock.at) if counts else 0)))


@given(
    scenario=st.sampled_from(ALL),
    facts=st.integers(1, 40),
    control=st.sampled_from(("300+5", "2/60+10:50+3", "30", "")),
    mode=st.sampled_from(("increment", "delay", "bronstein")),
    thought=st.integers(0, 90_000),
    looked=st.integers(0, 90_000),
    second_by_second=st.booleans(),
)
@examples(75)
def test_a_second_step_shows_what_its_decision_then_does(
    scenario: Scenario,
    facts: int,
    control: str,
    mode: str,
    thought: int,
    looked: int,
    second_by_second: bool,
) -> None:
    """Time passes before the arbiter opens the step, and before they press its button."""
    setup = {"time_control": control, "clock_mode": mode} if control else {"clock_mode": mode}
    game = reached(scenario, facts, **setup)
    assume(game.setup is not None and game.clock)
    opened = game.t + thought
    pressed = opened + looked
    for form in FORMS:
        asked = {name: [one] for name, one in form.items()}
        try:
            step = decisions.prepare(game, "en", asked, opened)
        except NoActionError:
            continue
        after = at_time(game, opened)
        running = after.clock.running
        for t in range(opened, pressed, 1000) if second_by_second else ():
            after = at_time(after, t)
        after = at_time(after, pressed)
        before = {side: write_time(after.clock.left[side]) for side in f.SIDES}
        fields = {name: [one] for name, one in step.fields.items()}
        fact = fact_of(step.fields["act"], "arbiter", fields, pressed)
        if consequences(after, fact).digest != step.digest or after.clock.running != running:
            continue  # a flag has fallen, and the page shows what the decision would do now
        stood = dict(after.position_pieces())
        after.apply(fact)
        assert dict(step.shown or stood) == dict(after.position_pieces()), form
        if step.clocks and not after.over:
            ran = {"white": "Then White's clock runs.", "black": "Then Black's clock runs."}
            runs = ran.get(after.clock.running or "", "Then no clock runs.")
            assert step.sentences[-1] == runs, form
        assert after.over or "This ends the game" not in " ".join(step.sentences), form
        for now, then, counts in step.clocks:
            assert shown(now, now.runs, pressed) == before[now.side], form
            assert shown(then, counts, pressed) == write_time(after.clock.left[now.side]), form
            assert then.runs == (after.clock.running == now.side), form


def test_a_sealed_move_stays_secret_in_the_second_step(hall: Hall) -> None:
    hall.start()
    hall.table.submit(f.Arbiter(do="adjourn"))
    hall.table.submit(f.Seal(by="white", text="e4"))
    hall.table.submit(f.Press(by="white"))
    step = prepared(hall, act="open_envelope")
    assert step.shown is None and step.digest == "" and step.clocks == ()


def test_a_sealed_move_stays_secret_when_a_player_comes_too_late(hall: Hall) -> None:
    # fide-2023 I.10: a sealed move that ends the game stands, whoever is late.
    hall.start()
    hall.table.submit(f.Arbiter(do="adjourn"))
    hall.table.submit(f.Seal(by="white", text="e4"))
    hall.table.submit(f.Press(by="white"))
    hall.table.submit(f.Start())
    hall.now += 10
    hall.table.submit(f.Arrive(by="black"))
    step = prepared(hall, act="arbiter", do="confirm")
    assert step.shown is None and step.digest == "" and step.clocks == ()
    assert step.sentences[-1].startswith("Black loses the game, unless the sealed move ends it")


def test_a_proposal_is_part_of_what_a_page_shows(hall: Hall) -> None:
    """So a decision on one proposal is never taken for one on another."""
    hall.start()
    hall.table.submit(f.Make(by="white", move="e2e4"))
    before = stamp(hall.table.game)
    hall.table.submit(f.Irregular(by="arbiter", what="wrong_start"))
    assert hall.table.game.pending is not None
    assert stamp(hall.table.game) != before


REFUSED = {
    "act=arbiter&do=restore&number=7&after=white": "There is no such move.",
    "act=arbiter&do=restore&number=0&after=black": "There is no such move.",
    "act=arbiter&do=restore&number=&after=white": "There is no such move.",
    "act=arbiter&do=set_clock&white=4:99": "Write a time as",
    "act=arbiter&do=set_clock": "No time is given.",
    "act=arbiter&do=penalty&player=white&kind=time": "No time is given.",
    "act=arbiter&do=penalty&kind=warning": "No player is given.",
    "act=arbiter&do=confirm": "Nothing waits for a decision.",
    "act=arbiter&do=declare&result=": "The result is missing.",
    "act=arbiter&do=declare&result=3-0": "There is no such action.",
    "act=touch&square=z9": "Name a square",
    "act=resign": "There is no such action.",
    "": "There is no such action.",
}


def test_what_cannot_be_done_is_said_before_it_is_tried(arbiter: Browser) -> None:
    for fields, told in REFUSED.items():
        answer = arbiter.client.get(f"/arbiter/sure?{fields}&part=yes")
        assert answer.status_code == 200
        assert told in answer.text, fields
        assert "<form" not in answer.text
        wrong = {"number=7": "number", "white=4:99": "white", "square=z9": "square"}
        for part, field in wrong.items():
            assert part not in fields or f'data-field="{field}"' in answer.text


@pytest.mark.parametrize(
    ("chosen", "came"),
    [
        ({"kind": "warning"}, {"player": "white", "kind": "warning"}),
        ({"kind": "loss"}, {"player": "white", "loses": True, "result": "0-1"}),
        ({"kind": "loss", "result": "0-0"}, {"player": "white", "loses": True, "result": "0-0"}),
    ],
)
def test_what_the_second_step_of_a_penalty_sends_is_done(
    hall: Hall, arbiter: Browser, chosen: dict[str, str], came: dict[str, object]
) -> None:
    hall.start()
    fields = {"act": "arbiter", "do": "penalty", "player": "white", **chosen}
    step = prepared(hall, **fields)
    sent = {name: value for name, value in step.fields.items() if name != "act"}
    answer = arbiter.do(step.fields["act"], **sent)
    assert answer.json()["refused"] is False, answer.text
    (penalty,) = (ruling for ruling in hall.rulings if ruling.kind == "penalty")
    assert came.items() <= penalty.fields.items()
    assert hall.table.game.result == came.get("result")


def test_what_the_arbiter_alone_is_told_nobody_else_hears(hall: Hall, arbiter: Browser) -> None:
    """A position that he asks for must not be said into the player's earphone (D.2.10.4)."""
    hall.start()
    before = hall.out.getvalue()
    answer = arbiter.do("query", about="position").json()
    assert "Eva" in answer["said"][0]
    assert arbiter.do("arbiter", do="postpone").json()["refused"]
    assert "said" not in hall.out.getvalue().removeprefix(before)


def test_the_arbiter_chooses_the_language_of_announcements(hall: Hall, arbiter: Browser) -> None:
    hall.start()
    page = arbiter.client.get("/arbiter/").text
    assert '<option value="de+nb">' in page and 'name="do" value="announce_in"' in page
    asked = arbiter.client.get("/arbiter/sure?act=arbiter&do=announce_in&language=en").text
    assert "From now on the moves are announced like this: English." in asked
    assert 'name="language" value="en"' in asked
    assert not arbiter.do("arbiter", do="announce_in", language="en").json()["refused"]
    hall.play("white", "g1f3")
    assert "Knight Gustav one Felix three" in hall.out.getvalue()
    assert not arbiter.do("arbiter", do="announce_in").json()["refused"]
    hall.play("black", "g8f6")
    assert "Springer Gustav acht Felix sechs" in hall.out.getvalue()


def test_an_arbiter_takes_a_game_in_hand_once(hall: Hall, arbiter: Browser) -> None:
    """This one was set up with an arbiter."""
    assert hall.taken("arbiter") == []


def test_the_arbiter_brings_back_what_was_taken_back(hall: Hall, arbiter: Browser) -> None:
    hall.start()
    hall.play("white", "e2e4")
    assert not arbiter.do("arbiter", do="restore", ply="0").json()["refused"]
    fields = {"act": "arbiter", "do": "restore", "number": "1", "after": "white"}
    step = prepared(hall, **fields)
    assert "half-moves that stand again: 1" in " ".join(step.sentences)
    back = hall.table.game.taken_back
    assert back is not None and step.shown == back.pieces
    sent = {name: value for name, value in step.fields.items() if name != "act"}
    assert not arbiter.do("arbiter", **sent).json()["refused"]
    assert [ply.move.uci() for ply in hall.table.game.history] == ["e2e4"]


def test_the_arbiter_brings_back_several_half_moves(hall: Hall, arbiter: Browser) -> None:
    hall.start()
    moves = (("white", "e2e4"), ("black", "e7e5"), ("white", "g1f3"), ("black", "b8c6"))
    for by, move in moves:
        hall.play(by, move)
        hall.table.submit(f.Make(by="black" if by == "white" else "white", move=move))
    for number, after, stand in (("2", "black", 4), ("1", "black", 2), ("2", "white", 3)):
        hall.table.submit(f.Arbiter(do="restore", ply=0))
        fields = {"act": "arbiter", "do": "restore", "number": number, "after": after}
        step = prepared(hall, **fields)
        sent = {name: value for name, value in step.fields.items() if name != "act"}
        assert not arbiter.do("arbiter", **sent).json()["refused"]
        played = [ply.move.uci() for ply in hall.table.game.history]
        assert played == [move for _by, move in moves[:stand]]
        hall.table.submit(f.Arbiter(do="restore", ply=0))
        hall.table.submit(f.Arbiter(do="undo"))


def test_the_arbiter_corrects_the_result_of_a_game_that_is_over(
    hall: Hall, arbiter: Browser
) -> None:
    hall.start()
    hall.table.submit(f.Resign(by="white"))
    for by in f.SIDES:
        hall.table.submit(f.Sign(by=by, result="0-1"))
    page = arbiter.client.get("/arbiter/").text
    assert "Correct the result" in page and "The result is 0-1." in page
    fields = {"act": "arbiter", "do": "declare", "result": "1-0"}
    with pytest.raises(NoActionError, match="v_reason_missing"):
        prepared(hall, **fields)
    step = prepared(hall, **fields, reason="Black had resigned")
    assert "and not 0-1" in step.sentences[0] and "Black had resigned" in step.sentences[1]
    sent = {name: value for name, value in step.fields.items() if name != "act"}
    assert not arbiter.do("arbiter", **sent).json()["refused"]
    assert (hall.table.game.result, hall.table.game.signed) == ("1-0", {})
    timeline = arbiter.client.get("/arbiter/").text
    assert "Before, the result was 0-1." in timeline and "Black had resigned" in timeline
