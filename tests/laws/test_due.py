"""The step that is due from each person: one in every state, and never refused."""

from __future__ import annotations

import random

import pytest

from blindplay.laws import Fact, Game, Ruling
from blindplay.laws import facts as f
from blindplay.laws.due import Step, deeds, due, goal, needs
from blindplay.laws.facts import PEOPLE
from blindplay.laws.placement import write_placement
from blindplay.laws.rulings import NotMade, Refused
from tests.laws.random_games import play
from tests.laws.table import Table, lift, place
from tests.sampling import first

FACTS = 150


def _done(game: Game, step: Step, rng: random.Random) -> tuple[Fact, ...]:
    """Facts that do ``step``: with a choice where its person has one, and by hand."""
    facts = deeds(game, step)
    if facts:
        return facts
    match step.do:
        case "announce":
            moves = step.owed or tuple(game.board.legal_moves)
            move = (step.move.move if step.move is not None else rng.choice(moves)).uci()
            announced = f.Announce(by=step.of, move=move)
            by_hand = game.tables[game.board_of(step.of)].sensors
            return (announced,) if by_hand else (f.Make(by=step.of, move=move), announced)
        case "seal":
            moves = step.owed or tuple(game.board.legal_moves)
            return (f.Seal(by=step.of, text=rng.choice(moves).uci()),)
        case "consent":
            return (f.Consent(by=step.of),)
        case "decide":
            return (f.Arbiter(do="confirm"),)
        case "correct":
            return (
                f.Position(board=step.board, placement=write_placement(goal(game, step.board))),
            )
        case "identify":
            return (f.BoardOwners(known=True),)
    return ()


def _refusals(rulings: list[Ruling]) -> list[Ruling]:
    return [one for one in rulings if isinstance(one, Refused | NotMade)]


@pytest.mark.parametrize("seed", first(5, range(16)))
def test_in_every_state_each_person_has_one_step_that_is_not_refused(seed: int) -> None:
    """Everybody who waits names somebody who has something to do; while the game goes on there is
    somebody; and nobody is refused when they do what is due."""
    rng = random.Random(seed)
    for fact, _, before in play(seed, FACTS):
        game = before.foretell(f.Tick())[0]  # a flag that has fallen is noticed
        steps = {person: due(game, person) for person in PEOPLE}
        active = [one for one in steps.values() if one.is_active]
        assert game.over or active, fact
        for person, step in steps.items():
            assert step.of == person
            if step.do == "wait":
                assert steps[step.whom].is_active and steps[step.whom].do == step.why
            elif step.do == "nothing":
                assert game.over, (person, fact)
        for step in active:
            now = game
            for does in _done(game, step, rng):
                now, rulings = now.foretell(does)
                assert not _refusals(rulings), (step, does, rulings)


# --- the order of urgency -------------------------------------------------------------------------

CALL = {"fact": "call_arbiter", "by": "white"}


def _begun(**setup: object) -> Table:
    """A started game of an impaired player."""
    table = Table(white={"impaired": True}, black={}, time_control="300", **setup)
    table.feed({"fact": "start"})
    return table


def test_a_quiet_game_needs_nobody() -> None:
    assert needs(_begun().game) == ()


def test_a_call_is_open_until_the_arbiter_has_done_something() -> None:
    table = _begun()
    table.feed(CALL)
    assert needs(table.game) == ("arbiter",)
    assert [one.why for one in table.game.calls] == ["called"]
    assert due(table.game, "arbiter").do == "attend"
    table.feed({"fact": "arbiter", "by": "table", "do": "stop_clocks"})
    assert needs(table.game) == ("arbiter",)
    table.feed({"fact": "arbiter", "do": "start_clocks"})
    assert needs(table.game) == ()


def test_a_proposed_ruling_needs_a_decision() -> None:
    table = _begun()
    table.feed({"fact": "claim_draw", "by": "white", "rule": "repetition"})
    assert needs(table.game) == ("decision",)
    assert due(table.game, "arbiter").do == "decide"


def test_a_fallen_flag_that_must_be_claimed_needs_somebody() -> None:
    table = _begun(mode="blitz", edition="fide-2014")
    table.feed({"t": 400, "fact": "tick"})
    assert needs(table.game) == ("flag",)


def test_a_board_that_must_be_corrected_needs_somebody_until_it_is_right() -> None:
    table = _begun()
    table.play("g1f3")
    table.feed(lift("g8", "black"), place("h6", "n", "black"))
    table.feed({"fact": "announce", "by": "black", "text": "g8f6"})
    for side in ("white", "black"):
        table.feed({"fact": "record", "by": side, "ply": 2, "text": "Nf6"})
    table.feed({"fact": "press", "by": "black"})
    assert needs(table.game) == ("arbiter", "boards")  # the arbiter helps to correct them (D.2.9)
    assert due(table.game, "black").do == "correct"
    arbiter = due(table.game, "arbiter")
    assert arbiter.do == "attend" and arbiter.call is not None
    assert arbiter.call.why == "boards_differ"
    table.feed(lift("h6", "black"), place("f6", "n", "black"))
    assert needs(table.game) == ()


@pytest.mark.parametrize("arbiter", ["present", "automatic"])
def test_a_board_that_is_wrong_before_the_game_is_put_right_first(arbiter: str) -> None:
    """Where two boards have sensors, none of them is judged by the other yet."""
    table = Table(time_control="5400+30", arbiter=arbiter)
    whole = table.game.board.board_fen()
    for side, shown in (("white", whole.replace("PPPPPPPP", "PPP1PPPP")), ("black", whole)):
        table.feed({"fact": "position", "board": side, "placement": shown})
    assert (due(table.game, "white").do, due(table.game, "white").board) == ("correct", "white")
    waiting = due(table.game, "black" if arbiter == "present" else "arbiter")
    assert (waiting.do, waiting.whom, waiting.why) == ("wait", "white", "correct")
    table.feed(place("d2", "P", "white"))
    assert due(table.game, "white").do != "correct"


def test_a_game_that_is_over_needs_nobody() -> None:
    table = _begun()
    table.feed(CALL, {"fact": "resign", "by": "black"})
    assert table.game.over and needs(table.game) == ()


def test_once_the_move_is_sealed_the_arbiter_is_not_waited_for_any_more() -> None:
    table = _begun()
    table.feed({"fact": "arbiter", "do": "adjourn"})
    assert [one.why for one in table.game.calls] == ["seal"]
    table.feed({"fact": "seal", "by": "white", "text": "e2e4"})
    assert table.game.calls == ()


def test_a_game_without_a_clock_begins_with_its_first_move() -> None:
    table = Table(white={}, black={}, time_control="-")
    assert due(table.game, "white").do == "announce"
    assert due(table.game, "arbiter").do == "wait"


def test_everybody_waits_for_the_player_who_lacks_the_compulsory_assistant() -> None:
    """D.2.11."""
    table = Table(
        white={"impaired": True}, black={"hearing_impaired": True}, time_control="300",
        arbiter="automatic",
    )  # fmt: skip
    assert due(table.game, "white").do == "assist"
    black = due(table.game, "black")
    assert (black.do, black.whom, black.why) == ("wait", "white", "assist")


def test_where_nobody_presides_a_player_starts_the_clocks_in_their_own_name() -> None:
    table = _begun(arbiter="automatic")
    table.feed(CALL)
    for side in ("white", "black"):
        (deed,) = deeds(table.game, due(table.game, side))
        assert isinstance(deed, f.Arbiter)
        assert (deed.do, deed.player) == ("start_clocks", side)


def test_a_server_starts_the_clocks_itself() -> None:
    table = Table(white={"impaired": True}, black={}, time_control="300", arbiter="server")
    white = due(table.game, "white")
    assert (white.do, white.whom, white.why) == ("wait", "arbiter", "begin")


def test_after_a_restored_position_the_arbiter_starts_the_clocks() -> None:
    table = _begun()
    table.play("e2e4")
    table.feed({"fact": "arbiter", "do": "restore", "ply": 0})
    assert due(table.game, "arbiter").do == "continue"


def test_an_illegal_move_on_a_board_that_feels_no_hands_leaves_its_player_the_move() -> None:
    table = Table(white={}, black={"impaired": True}, time_control="300")
    make = {"fact": "make", "by": "white", "move": "b1d5"}
    table.feed({"fact": "start"}, make, {"fact": "adjust", "by": "white"})
    assert due(table.game, "white").do == "announce"


@pytest.mark.parametrize(
    ("announcer", "step"), [("black", "wait"), ("assistant:white", "announce_made")]
)
def test_an_opponents_assistant_corrects_only_what_they_have_announced_themselves(
    announcer: str, step: str
) -> None:
    """The announcement of a sighted player's move differs from the move (D.2.5, D.2.8)."""
    table = _begun()
    table.feed({"fact": "assistant", "by": "white", "of": "white"})
    for done in ("announce", "make", "press"):
        table.feed({"fact": done, "by": "white", "move": "e2e4"})
    table.feed({"fact": "repeat", "by": "black", "move": "e2e4"})
    table.feed({"fact": "make", "by": "black", "move": "e2e4"})
    table.feed({"fact": "announce", "by": announcer, "move": "e7e5"})
    table.feed({"fact": "make", "by": "black", "move": "d7d5"})
    due_now = due(table.game, "assistant:white")
    assert (due_now.do, due(table.game, "black").do) == (step, "announce_made")
    for fact in deeds(table.game, due_now):
        assert not _refusals(table.game.apply(fact))
