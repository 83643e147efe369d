"""Each page shows the step that is due from its person, with one filled button for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.console import views
from blindplay.console.actions import act, stamp
from blindplay.console.pages import page_of
from blindplay.console.table_port import AnotherGameNow, TablePort
from blindplay.language import Command, load
from blindplay.laws import Fact, Game, Origin, Ruling, Taken
from blindplay.laws import facts as f
from blindplay.laws.due import deeds, due
from blindplay.laws.facts import PEOPLE, SIDES, Player, Setup
from blindplay.record import Journal
from blindplay.table import Table
from blindplay.wording.steps import step_in_words
from tests.console.filled import filled, press
from tests.laws.random_games import play
from tests.sampling import examples

Do = Callable[[Table], object]


def is_filled(game: Game, role: str) -> bool:
    """Return whether the page of ``role`` has a filled button: one press does what is due, or the
    person types a move. The arbiter looks at a proposal before deciding."""
    step = due(game, role)
    return bool(deeds(game, step)) or step.do in ("announce", "seal", "decide")


@contextmanager
def _table(folder: Path, **setup: Any) -> Iterator[Table]:
    """A table with an impaired White, its boards without sensors."""
    fields: dict[str, Any] = {"time_control": "300+5", "white": Player(name="Anna", impaired=True)}
    with Journal(folder / "game.jsonl") as journal:
        yield Table(journal, Setup(t=0, **{**fields, **setup}), now=lambda: 0.0)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with _table(tmp_path) as table:
        yield table


def _step(table: TablePort, role: str) -> str:
    step = due(table.game, role)
    return f"wait for {step.whom}: {step.why}" if step.do == "wait" else step.do


def _shown(table: TablePort, role: str) -> str:
    """All parts of the page of ``role``."""
    page = page_of(table.game, role)
    return "".join(views.parts(page, page.values(table, table.game, role, "en"), "en").values())


def _tab(table: TablePort, role: str) -> str:
    page = page_of(table.game, role)
    values = page.values(table, table.game, role, "en")
    return views.parts(page, {"of_table": "", **values}, "en")["tab"].strip()


def _announce(by: str, move: str) -> Do:
    return lambda table: table.submit(f.Announce(by=by, move=move))


def _make(by: str, move: str) -> Do:
    return lambda table: table.submit(f.Make(by=by, move=move))


def _repeat(by: str, move: str) -> Do:
    return lambda table: table.submit(f.Repeat(by=by, move=move))


def _press(by: str) -> Do:
    return lambda table: table.submit(f.Press(by=by))


def _start(table: Table) -> None:
    table.submit(f.Start())


_E4 = (_start, _announce("white", "e2e4"), _make("white", "e2e4"), _press("white"))
_COPIED = (*_E4, _repeat("black", "e2e4"), _make("black", "e2e4"))
_E5 = (*_COPIED, _announce("black", "e7e5"), _make("black", "e7e5"))


def _do(*what: f.Fact) -> Do:
    return lambda table: [table.submit(fact) for fact in what]


def _sensors(board: str) -> Do:
    return lambda table: table.submit(
        f.Position(board=board, placement=table.game.board.board_fen())
    )


def _hand(board: str, start: str, end: str) -> Do:
    return _do(f.Lift(board=board, square=start), f.Place(board=board, square=end))


_ALONE = {"arbiter": "automatic"}
BLIND = Player(name="Anna", impaired=True)
_HELPED = {"white": Player(name="Anna", impaired=True, assistant=True)}
_BOTH_BLIND = {
    "white": Player(name="Anna", impaired=True, assistant=True),
    "black": Player(name="Bert", impaired=True, assistant=True),
}
_DEAF = {"black": Player(name="Bert", hearing_impaired=True)}
_BOTH_ASKED = f.Irregular(by="white", what="wrong_start")
_SEALED = (f.Arbiter(do="adjourn"), f.Seal(by="black", text="e5"))
_UNDONE = (f.Arbiter(do="declare", result="1-0"), f.Arbiter(do="undo", reason="slip"))
_AGREED = (
    f.Adjourn(by="white"), f.Adjourn(by="black"), f.Seal(by="black", text="e5"),
    f.Press(by="black"),
)  # fmt: skip
_WRONG = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR"  # d4 instead of e4

# The setup, the facts after it, and the steps of White, of Black, and of others where they matter.
STATES: dict[str, tuple[dict[str, Any], tuple[Do, ...], dict[str, str]]] = {
    "before the game": ({}, (), {
        "white": "wait for arbiter: begin", "black": "wait for arbiter: begin", "arbiter": "begin",
    }),
    "before a game without an arbiter": (_ALONE, (), {"white": "begin", "black": "begin"}),
    "before a game without a clock": ({"time_control": "-"}, (), {
        "white": "announce", "black": "wait for white: announce",
    }),
    "an assistant is compulsory": (_DEAF, (), {
        "white": "assist", "black": "wait for white: assist",
    }),
    "at its beginning": ({}, (_start,), {
        "white": "announce", "black": "wait for white: announce",
        "arbiter": "wait for white: announce",
    }),
    "announced": ({}, (_start, _announce("white", "e2e4")), {
        "white": "execute", "black": "repeat_and_execute",
    }),
    "repeated": (
        {}, (_start, _announce("white", "e2e4"), _repeat("black", "e2e4")),
        {"white": "execute", "black": "execute"},
    ),
    "made": ({}, _E4[:3], {"white": "press", "black": "repeat_and_execute"}),
    "completed": ({}, _E4, {
        "white": "wait for black: repeat_and_execute", "black": "repeat_and_execute",
    }),
    "copied, not repeated": ({}, (*_E4, _make("black", "e2e4")), {
        "white": "wait for black: repeat", "black": "repeat",
    }),
    "copied": ({}, _COPIED, {"white": "wait for black: announce", "black": "announce"}),
    "moved without a word": ({}, (*_COPIED, _make("black", "e7e5")), {
        "white": "execute", "black": "announce_made",
    }),
    "answered": ({}, _E5, {"white": "repeat_and_execute", "black": "press"}),
    "pressed": ({}, (*_E5, _press("black")), {
        "white": "repeat_and_execute", "black": "wait for white: repeat_and_execute",
    }),
    "a claim": (
        {}, (*_COPIED, _do(f.ClaimDraw(by="black", rule="repetition"))),
        {"white": "wait for arbiter: decide", "black": "wait for arbiter: decide",
         "arbiter": "decide"},
    ),
    "both asked": (_ALONE, (*_E5, _press("black"), _do(_BOTH_ASKED)), {
        "white": "consent", "black": "consent", "arbiter": "wait for white: consent",
    }),
    "one has answered": (
        _ALONE, (*_E5, _press("black"), _do(_BOTH_ASKED, f.Consent(by="black"))),
        {"white": "consent", "black": "wait for white: consent"},
    ),
    "the arbiter called": ({}, (*_COPIED, _do(f.CallArbiter(by="black"))), {
        "white": "wait for arbiter: attend", "black": "wait for arbiter: attend",
        "arbiter": "attend",
    }),
    "stopped by the arbiter": ({}, (*_COPIED, _do(f.Arbiter(do="stop_clocks"))), {
        "white": "wait for arbiter: continue", "arbiter": "continue",
    }),
    "stopped where nobody presides": (_ALONE, (*_COPIED, _do(f.CallArbiter(by="black"))), {
        "white": "continue", "black": "continue",
    }),
    "a player disturbs": (
        {}, (*_COPIED, _do(f.Irregular(by="black", what="disturbance"))),
        {"black": "announce", "arbiter": "attend"},
    ),
    "a telephone": ({}, (*_COPIED, _do(f.Irregular(by="black", what="phone"))), {
        "white": "wait for arbiter: decide", "arbiter": "decide",
    }),
    "a telephone, no loss": (
        {}, (*_COPIED, _do(f.Irregular(by="black", what="phone"), f.Arbiter(do="reject"))),
        {"black": "announce", "arbiter": "wait for black: announce"},
    ),
    "a penalty was given": (
        {}, (*_COPIED, _do(f.Arbiter(do="penalty", player="white", penalty="time", black=60_000))),
        {"black": "announce", "arbiter": "wait for black: announce"},
    ),
    "taken back": ({}, (*_E5, _press("black"), _do(f.Arbiter(do="restore", ply=0))), {
        "white": "wait for arbiter: continue", "arbiter": "continue",
    }),
    "a result was undone": ({}, (*_COPIED, _do(*_UNDONE)), {
        "white": "wait for arbiter: continue", "arbiter": "continue",
    }),
    "adjourning": ({}, (*_COPIED, _do(_SEALED[0])), {
        "white": "wait for black: seal", "black": "seal",
    }),
    "adjourning, not repeated": ({}, (*_E4, _do(_SEALED[0])), {
        "white": "wait for black: seal", "black": "seal",
    }),
    "sealed, not repeated": ({}, (*_E4, _do(*_SEALED)), {
        "white": "wait for black: press", "black": "press",
    }),
    "sealed": ({}, (*_COPIED, _do(*_SEALED)), {
        "white": "wait for black: press", "black": "press",
    }),
    "to be sealed as it was made": ({"time_control": "-"}, (*_E5, _do(_SEALED[0])), {
        "white": "execute", "black": "seal",
    }),
    "adjourned": ({}, (*_COPIED, _do(*_SEALED, f.Press(by="black"))), {
        "white": "wait for arbiter: open", "black": "wait for arbiter: open", "arbiter": "open",
    }),
    "the answering player is expected": (
        {}, (*_COPIED, _do(*_SEALED, f.Press(by="black")), _start),
        {"white": "arrive", "black": "wait for white: arrive", "arbiter": "wait for white: arrive"},
    ),
    "adjourned by both": (_ALONE, (*_E4, _do(*_AGREED)), {
        "white": "open", "black": "wait for white: open",
    }),
    "resumed": (_ALONE, (*_E4, _do(*_AGREED, f.OpenEnvelope(by="white"))), {
        "white": "repeat_and_execute", "black": "execute",
    }),
    "resumed by the arbiter": (
        {}, (*_COPIED, _do(*_SEALED, f.Press(by="black"), f.OpenEnvelope())),
        {"white": "repeat_and_execute", "black": "execute",
         "arbiter": "wait for white: repeat_and_execute"},
    ),
    "an assistant executes": (_HELPED, (_start, _announce("white", "e2e4")), {
        "white": "execute", "black": "repeat", "assistant:white": "execute",
    }),
    "an assistant presses": (
        _HELPED,
        (_start, _announce("white", "e2e4"), _make("white", "e2e4"),
         _make("assistant:white", "e2e4")),
        {"white": "press", "black": "repeat", "assistant:white": "press"},
    ),
    "an assistant waits": (_HELPED, (_start,), {
        "white": "announce", "assistant:white": "wait for white: announce",
    }),
    "an assistant announces what hands have made": (
        _HELPED,
        (_sensors("black"), *_E4[:3], _repeat("black", "e2e4"), _hand("black", "e2", "e4"),
         _press("white"), _hand("black", "e7", "e5")),
        {"white": "execute", "black": "announce_made", "assistant:white": "announce_made"},
    ),
    "an assistant seals": (_HELPED, (_start, _do(_SEALED[0])), {
        "white": "seal", "black": "wait for white: seal", "assistant:white": "seal",
    }),
    "two blind players with assistants": (_BOTH_BLIND, (_start, _announce("white", "e2e4")), {
        "white": "execute", "black": "repeat_and_execute",
        "assistant:white": "wait for white: execute", "assistant:black": "wait for white: execute",
    }),
    "over": ({}, (*_COPIED, _do(f.Resign(by="black"))), {
        "white": "sign", "black": "sign", "arbiter": "nothing",
    }),
    "over by the arbiter": ({}, (*_COPIED, _do(_UNDONE[0])), {
        "white": "sign", "black": "sign", "arbiter": "nothing",
    }),
    "adjourned and decided": (
        {}, (*_COPIED, _do(*_SEALED, f.Press(by="black"), _UNDONE[0])),
        {"white": "sign", "arbiter": "nothing"},
    ),
    "signed otherwise": (
        {}, (*_COPIED, _do(f.Resign(by="black"), f.Sign(by="black", result="1-0"),
                           f.Sign(by="white", result="0-1"))),
        {"white": "sign", "black": "nothing", "arbiter": "attend"},
    ),
    "signed": (
        {}, (*_COPIED, _do(f.Resign(by="black"), f.Sign(by="black", result="1-0"))),
        {"white": "sign", "black": "nothing", "arbiter": "nothing"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("state", STATES)
def test_each_page_says_what_is_due_and_its_one_button_does_it(tmp_path: Path, state: str) -> None:
    setup, reach, steps = STATES[state]
    for role in PEOPLE:
        (tmp_path / role).mkdir()
        with _table(tmp_path / role, **setup) as table:
            for do in reach:
                do(table)
            if role in steps:
                assert _step(table, role) == steps[role]
            sentence = step_in_words(load("en"), table.game, due(table.game, role))
            assert table.game.over or sentence in _shown(table, role)
            buttons = filled(table, role)
            assert len(buttons) == is_filled(table.game, role), role
            for button in buttons:
                result = press(table, role, button)
                assert not result.refused, (role, result)


def test_only_the_move_is_repeated_where_the_player_wants_that(table: Table) -> None:
    for do in _E4:
        do(table)
    form = {
        "act": ["due"], "step": ["repeat_and_execute"], "move": ["e2e4"], "only": ["repeat"],
    }  # fmt: skip
    assert not act(table, "black", "en", form).refused
    assert _step(table, "black") == "execute"


def test_what_was_due_before_is_not_done_any_more(table: Table) -> None:
    table.submit(f.Start())
    table.submit(f.Announce(by="white", move="e2e4"))
    form = {"act": ["due"], "step": ["repeat_and_execute"], "move": ["e2e4"]}
    assert not act(table, "black", "en", form).refused
    again = act(table, "black", "en", form)
    assert again.refused and "somebody else has just entered" in again.sentences[0]
    other = act(table, "white", "en", {"act": ["due"], "step": ["execute"], "move": ["d2d4"]})
    assert other.refused


def test_players_start_the_clocks_by_their_pages_only_where_nobody_presides(
    tmp_path: Path,
) -> None:
    begin, go_on = ({"act": ["due"], "step": [step], "move": [""]} for step in
                    ("begin", "continue"))  # fmt: skip
    with _table(tmp_path, **_ALONE) as table:
        assert not act(table, "black", "en", begin).refused
        assert table.game.clock.running == "white"
        table.submit(f.CallArbiter(by="white"))
        assert not act(table, "white", "en", go_on).refused
        assert table.game.clock.running == "white"
        started = [one.fact for one in table.log if isinstance(one.fact, f.Arbiter)]
        assert [(one.do, one.player) for one in started] == [("start_clocks", "white")]
    (tmp_path / "other").mkdir()
    with _table(tmp_path / "other") as table:
        assert act(table, "black", "en", begin).refused
        assert act(table, "black", "en", {"act": ["start"]}).refused
        table.submit(f.Start())
        table.submit(f.Arbiter(do="stop_clocks"))
        assert act(table, "white", "en", go_on).refused
        stopped = {"act": ["arbiter"], "do": ["start_clocks"]}
        assert act(table, "white", "en", stopped).refused
        assert table.game.clock.running is None


def test_a_refusal_ends_with_what_is_due(table: Table) -> None:
    """It is the step itself where something is refused only because it is not the time for it."""
    table.submit(f.Start())

    def refused(role: str, **form: str) -> tuple[str, ...]:
        given = {**form, "seen": stamp(table.game)}
        result = act(table, role, "en", {name: [text] for name, text in given.items()})
        assert result.refused
        return result.sentences

    (said,) = refused("black", act="press")
    assert said.startswith("Not done. Please wait: White is to move. (fide-2023")
    assert refused("white", act="press")[-1] == "It is your move."
    assert refused("arbiter", act="resign")[-1] == "Please wait: White is to move."
    table.submit(f.ClaimDraw(by="white", rule="repetition"))
    (said,) = refused("black", act="adjust")
    assert said.startswith("Not done. Please wait: the arbiter has to decide.")
    (said,) = refused("arbiter", act="start")
    assert said.startswith("Not done. Decide what is proposed")


def test_an_assistant_out_of_turn_hears_for_whom_the_game_waits(tmp_path: Path) -> None:
    with _table(tmp_path, **_HELPED) as table:
        for do in (*_E4[:3], _make("assistant:white", "e2e4"), _press("white")):
            do(table)
        (said,) = act(
            table, "assistant:white", "en", {"act": ["press"], "seen": [stamp(table.game)]}
        ).sentences
        assert said.startswith("Not done. Please wait: Black has to repeat the move. (fide-2023")


def test_an_assistants_page_calls_each_board_by_its_player(tmp_path: Path) -> None:
    with _table(tmp_path, **_BOTH_BLIND) as table:
        table.submit(f.Start())
        assert "Black&#39;s board" in _shown(table, "assistant:white")
        assert "White&#39;s board" in _shown(table, "assistant:black")


def test_the_title_of_the_tab_says_what_is_due(table: Table) -> None:
    assert _tab(table, "black") == "Please wait: the arbiter has to begin the game – BlindPlay"
    for do in _E4:
        do(table)
    step, waits = (
        step_in_words(load("en"), table.game, due(table.game, person)).removesuffix(".")
        for person in ("black", "arbiter")
    )
    assert _tab(table, "black") == f"● {step} – BlindPlay"
    assert _tab(table, "arbiter") == f"{waits} – BlindPlay"
    table.submit(f.ClaimDraw(by="black", rule="repetition"))
    needed = "Arbiter needed:"
    assert _tab(table, "white") == f"{needed} Please wait: the arbiter has to decide – BlindPlay"
    decide = "Decide what is proposed: confirm or reject it"
    assert _tab(table, "arbiter") == f"● {needed} {decide} – BlindPlay"
    table.submit(f.Arbiter(do="reject"))
    table.submit(f.Resign(by="black"))
    for role, mark in (("white", "● "), ("arbiter", ""), ("assistant:white", "")):
        assert _tab(table, role) == f"{mark}1-0 – BlindPlay"


# --- obligations and boards that are wrong --------------------------------------------------------


def test_an_obligation_is_shown_to_its_player_and_to_the_arbiter(table: Table) -> None:
    """4.3.1: a touched piece must move. The player is told when somebody has reported it."""
    for do in _COPIED:
        do(table)
    table.submit(f.Touch(by="black", square="b8", seen_by="arbiter"))
    words = "You must move this piece: black knight, Bella eight."
    assert words in _shown(table, "black")
    assert f"Black is told: It is your move. {words}" in _shown(table, "arbiter")
    assert words not in _shown(table, "white")
    told = {role: views.told_to(table.game, role, "en", table.log[-1]) for role in PEOPLE}
    assert words in told["black"][0][0] and words in told["arbiter"][0][0]
    assert told["white"] == []
    assert len(filled(table, "black")) == 1


def test_a_player_is_not_told_what_their_own_hand_has_felt(table: Table) -> None:
    table.submit(f.Position(board="white", placement=table.game.board.board_fen()))
    table.submit(f.Start())
    table.submit(f.Lift(board="white", square="g1"))
    assert due(table.game, "white").owed
    assert views.told_to(table.game, "white", "en", table.log[-1]) == []
    assert "You must move this piece" in _shown(table, "white")


def _differ(table: Table) -> None:
    """Black's board shows another move than the one that White announced (D.2.9)."""
    _sensors("black")(table)
    for do in _E4:
        do(table)
    table.submit(f.Repeat(by="black", move="e2e4"))
    table.submit(f.Position(board="black", placement=_WRONG))
    for side in SIDES:
        table.submit(f.Record(by=side, ply=1, text="e4"))
    table.submit(f.Press(by="black"))
    if table.game.pending is not None:
        table.submit(f.Arbiter(do="confirm"))


def test_a_board_that_must_be_put_right_comes_first(table: Table) -> None:
    _differ(table)
    assert table.game.tables["black"].wanted is not None
    assert _step(table, "black") == "correct"
    for role in ("white", "arbiter"):
        assert _step(table, role) == "wait for black: correct"
    for role in PEOPLE:
        assert filled(table, role) == []
    table.submit(f.CallArbiter(by="white"))  # hands put it right while the clocks stand
    assert _step(table, "black") == "correct"
    assert _step(table, "arbiter") == "attend"


def test_the_arbiter_hears_who_corrects_which_board_and_may_stop_the_clocks(table: Table) -> None:
    _differ(table)
    shown = _shown(table, "arbiter")
    assert "Please wait: Black has to put the board right." in shown
    assert "Black has to correct Black&#39;s board." in shown
    runs = table.game.clock.running is not None
    assert ("You can stop the clocks meanwhile." in shown) == runs


def test_after_an_opened_envelope_nothing_speaks_of_sealing(table: Table) -> None:
    for do in _COPIED:
        do(table)
    for fact in (*_SEALED, f.Press(by="black"), f.OpenEnvelope()):
        table.submit(fact)
    for role in PEOPLE:
        page = page_of(table.game, role)
        parts = views.parts(page, page.values(table, table.game, role, "en"), "en")
        now = parts[page.parts[1]] + parts.get("next", "") + parts.get("now", "")
        assert "seal" not in now.lower(), role


# --- any game -------------------------------------------------------------------------------------


class Replayed:
    """A table with a game of the Laws' own tests, for pages."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.log: list[Taken] = []
        self.lock: AbstractContextManager[Any] = threading.RLock()
        self.path = Path("nowhere.jsonl")
        self.training, self.absent = False, ""
        self.another_game = AnotherGameNow()

    def allows(self, asked: Command) -> bool:
        return False

    def hint(self) -> chess.Move | None:
        return None

    def time(self) -> int:
        return self.game.t

    def submit(self, fact: Fact, origin: Origin) -> tuple[Ruling, ...]:
        self.game, rulings = self.game.foretell(fact)
        self.log.append(Taken(fact, tuple(rulings), origin))
        return tuple(rulings)

    def after_hands(
        self,
        do: Callable[[], object],
        *,
        presser: str | None = None,
        unread: Callable[[Sequence[str]], object],
    ) -> None:
        do()

    def holds_press(self, presser: str) -> bool:
        return False

    def listen(self, listener: Callable[[Taken], None]) -> None:
        raise NotImplementedError


@examples(15)
@given(st.integers(0, 10_000), st.integers(2, 120))
def test_no_page_has_two_filled_buttons_and_none_is_refused(seed: int, facts: int) -> None:
    """In any game, with all five people."""
    *_, (_fact, _rulings, game) = play(seed, facts)
    game = game.foretell(f.Tick(t=game.t))[0]  # a flag that has fallen is noticed
    for role in PEOPLE:
        table = Replayed(game)
        buttons = filled(table, role)
        assert len(buttons) == is_filled(game, role), (role, due(game, role))
        for button in buttons:
            result = press(table, role, button)
            assert not result.refused, (role, button, due(game, role), result)


def test_a_touched_piece_forbids_an_announcement_before_it_is_valid_and_everybody_sees_why(
    tmp_path: Path,
) -> None:
    """4.3: the assistant announces for both, so their page tells the obligation, too."""
    with _table(tmp_path, **_HELPED) as table:
        for do in _COPIED:
            do(table)
        table.submit(f.Touch(by="black", square="g8", seen_by="white"))
        form = {"act": ["move"], "text": ["e5"], "how": ["announce"], "seen": [stamp(table.game)]}
        refused = act(table, "assistant:white", "en", form)
        assert refused.refused and "The touched piece must be moved." in refused.sentences[0]
        assert table.game.turn.announced is None
        owed = "You must move this piece: black knight, Gustav eight."
        for role in ("black", "assistant:white", "arbiter"):
            assert owed in _shown(table, role)
