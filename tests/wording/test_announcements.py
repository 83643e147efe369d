"""Whatever the Laws rule can be said, in every language, in words only."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import chess
import pytest
from hypothesis import HealthCheck, given

from blindplay import language
from blindplay.laws import TABLE, Game, Origin, Taken
from blindplay.laws import rulings as r
from blindplay.laws.facts import Fact, parse
from blindplay.laws.reasons import ArbiterReason, RefusalReason
from blindplay.speech.synthesis import is_words
from blindplay.wording import announcements as module
from blindplay.wording.announcements import announcements, aspects, name_of_step
from blindplay.wording.pack_words import PackWords
from tests.laws.test_game import games
from tests.laws.test_reasons import reasons
from tests.sampling import examples


@pytest.mark.parametrize("code", language.languages())
@examples(25, suppress_health_check=list(HealthCheck))
@given(facts=games())
def test_whatever_is_ruled_can_be_said(code: str, facts: list[Fact]) -> None:
    game, pack = Game(PackWords()), language.load(code)
    for fact in facts:
        for one in announcements(Taken(fact, tuple(game.apply(fact))), game, pack):
            assert is_words(one.words, code), one.words


def test_every_kind_of_ruling_is_told_or_left_out_on_purpose() -> None:
    told = set(module._TELLERS)
    # People feel these, have done them, or may ask for them.
    untold = {r.Obliged, r.Adjusting, r.Repeated, r.Executed}
    assert told | untold == set(r.KINDS.values())
    assert not told & untold


def taken(game: Game, fact: dict[str, object], origin: Origin = TABLE) -> Taken:
    parsed = parse(fact)
    return Taken(parsed, tuple(game.apply(parsed)), origin)


def test_a_corrected_slip_is_announced_once() -> None:
    game, pack = Game(PackWords()), language.load("en")
    taken(game, {"t": 0, "fact": "setup", "white": {"impaired": True}})
    taken(game, {"t": 1, "fact": "announce", "by": "white", "move": "e2e4"})
    slip = taken(game, {"t": 2, "fact": "correct", "by": "white", "move": "d2d4"})
    assert [one.kind for one in slip.rulings][:2] == ["slip_corrected", "announced"]
    move = pack.announce(game.board, game.board.parse_uci("d2d4"))
    words = [one.words for one in announcements(slip, game, pack)]
    assert words == [pack.sentence("corrected", move=move)]


def test_what_the_submitter_reports_is_left_out() -> None:
    game, pack = Game(PackWords()), language.load("en")
    taken(game, {"t": 0, "fact": "setup"})
    early: dict[str, object] = {"t": 1, "fact": "announce", "by": "black", "move": "e7e5"}
    assert announcements(taken(game, early), game, pack)
    page = Origin("page", (r.Refused,))
    assert announcements(taken(game, early, page), game, pack) == []


def test_a_sighted_players_move_that_nobody_announced_is_told_when_it_is_completed() -> None:
    game, pack = Game(PackWords()), language.load("en")
    facts: list[dict[str, object]] = [
        {"t": 0, "fact": "setup", "black": {"impaired": True}},
        {"t": 1, "fact": "make", "by": "white", "move": "e2e4"},
        {"t": 2, "fact": "press", "by": "white"},
    ]
    words = [one.words for fact in facts for one in announcements(taken(game, fact), game, pack)]
    move = pack.announce(game.start_board, game.start_board.parse_uci("e2e4"))
    last = pack.sentence("last_move", player="White", move=move)
    assert words == [last, pack.sentence("to_move", player="Black")]


def test_a_reported_touch_is_told_to_everybody_and_a_felt_one_to_nobody() -> None:
    report: dict[str, object] = {"t": 1, "fact": "touch", "by": "assistant:white", "square": "b8"}
    felt: dict[str, object] = {"t": 1, "fact": "lift", "board": "black", "square": "b8"}
    piece = "Black has touched this piece: black knight, Bella eight."

    def told_after(arbiter: str, *facts: dict[str, object]) -> list[str]:
        game, pack = Game(PackWords()), language.load("en")
        white = {"impaired": True, "assistant": True}
        fen = "1n2k3/p7/8/8/8/8/8/4K3 b - - 0 1"
        taken(game, {"t": 0, "fact": "setup", "white": white, "fen": fen, "arbiter": arbiter})
        found = [one for fact in facts for one in announcements(taken(game, fact), game, pack)]
        return [one.words for one in found if one.to is None]

    assert told_after("automatic", report) == [piece]
    assert told_after("automatic", felt) == []
    waits = f"The arbiter is needed. An assistant reports: {piece}"
    confirm: dict[str, object] = {"t": 2, "fact": "arbiter", "do": "confirm"}
    reject: dict[str, object] = {"t": 2, "fact": "arbiter", "do": "reject"}
    assert told_after("present", report, confirm) == [waits, piece]
    assert told_after("present", report, reject) == [waits, "The game goes on."]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("de", ("hat keinen Assistenten", "Der sehbehinderte Gegner hat einen Assistenten")),
        ("en", ("has no assistant", "impaired opponent has an assistant")),
        ("nb", ("har ingen assistent", "synshemmede motstanderen har en assistent")),
        ("da", ("har ingen assistent", "synshæmmede modstander har en assistent")),
        ("sv", ("har ingen medhjälpare", "synskadade motståndaren har en medhjälpare")),
    ],
)
def test_an_assistant_who_may_not_act_is_told_why(code: str, words: tuple[str, str]) -> None:
    game, pack = Game(PackWords()), language.load(code)
    taken(game, {"t": 0, "fact": "setup", "white": {"impaired": True, "assistant": True}})
    declare: dict[str, object] = {"t": 1, "fact": "assistant", "by": "black", "of": "black"}
    press: dict[str, object] = {"t": 1, "fact": "press", "by": "assistant:black"}
    for fact, part in zip((press, declare), words, strict=True):
        (said,) = announcements(taken(game, fact), game, pack)
        assert said.to == fact["by"] and part in said.words


# --- reasons: nobody is refused anything without being told why ----------------------------------


def told(pack: language.Language, ruling: r.Ruling) -> list[str]:
    game = Game(PackWords())
    taken(game, {"t": 0, "fact": "setup", "white": {"impaired": True}})
    return [
        one.words
        for one in announcements(Taken(parse({"t": 1, "fact": "tick"}), (ruling,)), game, pack)
    ]


@pytest.mark.parametrize("code", language.languages())
def test_every_reason_of_a_refusal_is_a_sentence(code: str) -> None:
    pack = language.load(code)
    bare = pack.sentence("illegal", why="").strip()
    for why in sorted(reasons(RefusalReason)):
        refused = r.Refused(by="white", what="press", why=why)  # type: ignore[arg-type]
        (words,) = told(pack, refused)
        assert is_words(words, code), why
        assert len(words.removeprefix(bare).split()) > 1, why


@pytest.mark.parametrize("code", language.languages())
def test_the_arbiter_is_never_needed_without_a_reason(code: str) -> None:
    pack = language.load(code)
    bare = pack.sentence("arbiter_needed", why="").strip()
    for why in sorted(reasons(ArbiterReason)):
        needed = r.ArbiterNeeded(by="white", why=why, ply=1)  # type: ignore[arg-type]
        (words,) = told(pack, needed)
        assert is_words(words, code), why
        assert len(words.removeprefix(bare).split()) > 2, why


# --- the arbiter's decisions ---------------------------------------------------------------------

NEEDED = sorted(reasons(ArbiterReason))
# Every ruling that the arbiter decides, in every form that is told in its own way.
DECIDED: tuple[r.Proposable, ...] = (
    r.Touched(by="white", square="e2", piece="P", seen_by="assistant:black"),
    r.IllegalMove(by="white", why="blocked", number=1, undo=()),
    r.Penalty(player="white", loses=True, result="0-1"),
    r.Penalty(player="white", gives="black", seconds=120),
    r.Penalty(player="white", penalty="warning"),
    r.FlagFell(by="white", called_by="table", result="0-1"),
    r.FlagFell(by="both", called_by="arbiter", result="1/2-1/2"),
    r.Claimed(by="white", rule="repetition", correct=True),
    r.Claimed(by="white", rule="fifty_moves", correct=False),
    r.Claimed(by="white", rule="cannot_win"),
    r.Claimed(by="white", rule="no_effort"),
    r.ExtraTime(by="white", seconds=5),
    r.Late(by="white", seconds=3601),
    r.TakeBack(to_ply=0, white=1, black=1),
    r.TakeBack(to_ply=0, white=1, black=1, new_game=True),
    *(r.ArbiterNeeded(by="white", why=why, ply=1) for why in NEEDED),  # type: ignore[arg-type]
)


def test_every_kind_of_ruling_that_the_arbiter_decides_is_among_them() -> None:
    kinds = {kind for kind in r.KINDS.values() if issubclass(kind, r.Proposable)}
    assert {type(ruling) for ruling in DECIDED} == kinds


@pytest.mark.parametrize("code", language.languages())
@pytest.mark.parametrize("ruling", DECIDED, ids=lambda ruling: ruling.kind)
def test_what_is_said_tells_what_the_arbiter_has_decided(code: str, ruling: r.Proposable) -> None:
    """A question to the arbiter and each of their answers differ to the ear, or are silent."""
    pack = language.load(code)
    statuses = [one for one in get_args(r.Status) if one != "postponed"]
    statuses += ["postponed"] * isinstance(ruling, r.Claimed)  # nothing else is (III.5.2)
    told_with = {one: told(pack, replace(ruling, status=one)) for one in statuses}
    said = [words for words in told_with.values() if words]
    assert all(said.count(words) == 1 for words in said), told_with
    assert told_with["rejected"] in ([], [pack.sentence("play_on")])
    bare = pack.sentence("arbiter_needed", why="").strip()
    assert not any(words.startswith(bare) for words in told_with["confirmed"])


@pytest.mark.parametrize("code", language.languages())
def test_a_sheet_that_cannot_be_read_is_told_once(code: str) -> None:
    pack, game = language.load(code), Game(PackWords())
    taken(game, {"t": 0, "fact": "setup", "white": {"impaired": True}})
    rulings = tuple(
        r.ArbiterNeeded(by=by, why="illegible_entry", ply=ply, text="Pf3")
        for ply in (3, 4, 5)
        for by in (("white", "black") if ply < 5 else ("white",))
    )
    told = announcements(Taken(parse({"t": 1, "fact": "tick"}), rulings), game, pack)
    assert len(told) == 2
    for one, side, count in zip(told, ("white", "black"), (3, 2), strict=True):
        assert pack.sentence(side) in one.words and pack.number(count) in one.words


@pytest.mark.parametrize("code", language.languages())
@pytest.mark.parametrize(
    "ruling",
    [one for one in DECIDED if not isinstance(one, r.Claimed | r.ArbiterNeeded)],
    ids=lambda ruling: ruling.kind,
)
def test_a_decision_that_waits_for_the_arbiter_is_named(code: str, ruling: r.Proposable) -> None:
    pack = language.load(code)
    bare = pack.sentence("arbiter_needed", why="").strip()
    asked = told(pack, replace(ruling, status="proposed"))
    is_a_price = isinstance(ruling, r.Penalty) and ruling.gives is not None
    assert len(asked) == (not is_a_price)  # a price is proposed with what it is for
    for words in asked:
        assert words.startswith(bare) and len(words.removeprefix(bare).split()) > 2


@pytest.mark.parametrize("code", language.languages())
def test_a_flag_that_the_arbiter_rejects_has_not_fallen(code: str) -> None:
    game, pack = Game(PackWords()), language.load(code)
    facts: list[dict[str, object]] = [
        {"t": 0, "fact": "setup", "time_control": "60"},
        {"t": 0, "fact": "start"},
        {"t": 60, "fact": "tick"},
        {"t": 61, "fact": "arbiter", "do": "reject"},
    ]
    *_, asked, rejected = [announcements(taken(game, fact), game, pack) for fact in facts]
    over = pack.sentence("flag", player=pack.sentence("white"))
    fallen = pack.sentence("needed_flag", player=pack.sentence("white"))
    assert [one.words for one in asked] == [pack.sentence("arbiter_needed", why=fallen)]
    assert over not in [one.words for one in rejected]


def test_an_illegal_move_that_only_the_opponent_may_claim_is_told_to_nobody() -> None:
    # fide-1997, C.3 and B.5: the claim is the opponent's, so the table does not make it.
    claimable = r.IllegalMove(
        by="white", why="blocked", number=1, undo=(), claimable=True, status="proposed"
    )
    assert told(language.load("en"), claimable) == []


@pytest.mark.parametrize(
    ("moves", "back"),
    [
        (["e2e4"], "All moves are taken back, to the initial position."),
        (["e2e4", "e7e5"], "All moves after move number one of White are taken back."),
    ],
)
def test_with_a_completed_illegal_move_everybody_hears_what_is_taken_back(
    moves: list[str], back: str
) -> None:
    # 7.5.1: the position immediately before the irregularity is restored.
    game, sides = Game(PackWords()), ("white", "black")
    taken(game, {"t": 0, "fact": "setup", "white": {"impaired": True}})
    for side, move in zip(sides, moves, strict=False):
        taken(game, {"t": 1, "fact": "announce", "by": side, "move": move})
        taken(game, {"t": 1, "fact": "make", "by": side, "move": move})
        taken(game, {"t": 1, "fact": "press", "by": side})
    player = sides[len(moves) - 1]
    irregular = {"fact": "irregular", "by": "arbiter", "what": "two_hands", "player": player}
    taken(game, {"t": 2, **irregular})
    told = [words for _, words in said(game, {"t": 3, "fact": "arbiter", "do": "confirm"})]
    assert told[:2] == [f"Illegal move by {player.title()}, number one.", back]
    assert len(game.history) == len(moves) - 1


# --- what was heard and does not count -----------------------------------------------------------


@pytest.mark.parametrize("code", language.languages())
def test_an_announcement_that_a_touched_piece_forbids_is_taken_back_aloud(code: str) -> None:
    game, pack = Game(PackWords()), language.load(code)
    facts: list[dict[str, object]] = [
        {"t": 0, "fact": "setup", "white": {"impaired": True}},
        {"t": 1, "fact": "announce", "by": "white", "move": "e2e4"},
        {"t": 2, "fact": "lift", "board": "white", "square": "g1"},
        {"t": 3, "fact": "place", "board": "white", "square": "g1"},
        {"t": 4, "fact": "make", "by": "white", "move": "e2e4"},
    ]
    *_, last = [announcements(taken(game, fact), game, pack) for fact in facts]
    move = pack.announce(game.board, game.board.parse_uci("e2e4"))
    void = pack.sentence("announcement_void", move=move)
    assert [one.words for one in last if one.to is None] == [void]
    nobody = taken(game, {"t": 5, "fact": "repeat", "by": "black", "move": "e2e4"})
    assert [one.why for one in nobody.rulings if isinstance(one, r.Refused)] == [
        "nothing_announced"
    ]
    again = taken(game, {"t": 6, "fact": "announce", "by": "white", "move": "g1f3"})
    assert "slip_corrected" not in [one.kind for one in again.rulings]


# --- the clock ----------------------------------------------------------------------------------


def said(game: Game, *facts: dict[str, object]) -> list[tuple[str | None, str]]:
    """What is said about the last of these facts, and to whom."""
    pack, told = language.load("en"), list[tuple[str | None, str]]()
    for fact in facts:
        told = [(one.to, one.words) for one in announcements(taken(game, fact), game, pack)]
    return told


def with_clock(**players: object) -> Game:
    game = Game(PackWords())
    taken(game, {"t": 0, "fact": "setup", "time_control": "600", "arbiter": "automatic", **players})
    return game


@pytest.mark.parametrize(
    ("black", "answer"),
    [
        ({}, ("white", "Your clock is stopped. Black to move.")),
        # Who does not see must hear that their own clock runs.
        ({"impaired": True}, (None, "Black to move.")),
    ],
)
def test_a_press_is_answered(black: object, answer: tuple[str | None, str]) -> None:
    game = with_clock(white={"impaired": True}, black=black)
    begin = {"t": 1, "fact": "start"}
    announced = {"t": 2, "fact": "announce", "by": "white", "move": "e2e4"}
    made = {"t": 3, "fact": "make", "by": "white", "move": "e2e4"}
    assert said(game, begin, announced, made, {"t": 4, "fact": "press", "by": "white"}) == [answer]
    replied = {"t": 5, "fact": "announce", "by": "black", "move": "e7e5"}
    done = {"t": 6, "fact": "make", "by": "black", "move": "e7e5"}
    reply = {"t": 7, "fact": "press", "by": "black"}
    assert said(game, replied, done, reply) == [(None, "White to move.")]


def test_the_arbiters_decisions_about_clocks_are_told_to_everybody() -> None:
    game = with_clock(white={"impaired": True})
    assert said(game, {"t": 1, "fact": "start"}) == [
        (None, "The game begins."), (None, "The clock of White is running."),
    ]  # fmt: skip
    stop = {"t": 11, "fact": "arbiter", "do": "stop_clocks"}
    assert said(game, stop) == [(None, "The clocks are stopped.")]
    clock = {"t": 12, "fact": "arbiter", "do": "set_clock", "black": 90}
    times = "White has nine minutes fifty seconds. Black has one minute thirty seconds."
    assert said(game, clock) == [(None, "The clocks are set."), (None, times)]
    start = {"t": 13, "fact": "arbiter", "do": "start_clocks"}
    assert said(game, start) == [(None, "The clock of White is running.")]


def test_both_times_are_told_once_when_moves_are_taken_back() -> None:
    game = with_clock()
    facts = (
        {"t": 1, "fact": "start"},
        {"t": 2, "fact": "announce", "by": "white", "move": "e2e4"},
        {"t": 3, "fact": "make", "by": "white", "move": "e2e4"},
        {"t": 4, "fact": "press", "by": "white"},
    )
    restore = {"t": 5, "fact": "arbiter", "do": "restore", "ply": 0}
    told = [words for _, words in said(game, *facts, restore)]
    assert sum(words.startswith("White has ten minutes") for words in told) == 1


def test_the_table_says_itself_why_it_stops_the_clocks() -> None:
    game = with_clock()
    stop = {"t": 2, "fact": "arbiter", "by": "table", "do": "stop_clocks"}
    assert said(game, {"t": 1, "fact": "start"}, stop) == []


E4: list[dict[str, Any]] = [
    {"fact": "announce", "by": "white", "move": "e2e4"},
    {"fact": "make", "by": "white", "move": "e2e4"},
    {"fact": "make", "by": "black", "move": "e2e4"},
    {"fact": "press", "by": "white"},
]


@pytest.mark.parametrize(
    ("before", "told_by", "sentence", "keeps", "ends"),
    [
        (
            E4[:3], E4[3], ("pressed", "Black"),
            {"fact": "offer_draw", "by": "white"}, {"fact": "call_arbiter", "by": "black"},
        ),
        (
            E4, {"fact": "offer_draw", "by": "white"}, ("draw_offered", "White"),
            {"fact": "record", "by": "black", "ply": 1, "text": "e4"},
            {"fact": "decline_draw", "by": "black"},
        ),
        (
            E4, {"fact": "offer_draw", "by": "white"}, ("draw_offered", "White"),
            {"fact": "query", "by": "black", "about": "time"}, {"fact": "resign", "by": "black"},
        ),
        (
            E4, {"fact": "call_arbiter", "by": "black"},
            ("arbiter_needed", "Black"),
            {"fact": "record", "by": "black", "ply": 1, "text": "e4"},
            {"fact": "arbiter", "do": "start_clocks"},
        ),
        (
            [], {"fact": "claim_draw", "by": "white", "rule": "repetition"},
            ("claim_repetition", "White"),
            {"fact": "record", "by": "black", "ply": 1, "text": "e4"},
            {"fact": "arbiter", "do": "reject"},
        ),
    ],
)  # fmt: skip
def test_a_sentence_ends_with_what_it_speaks_of(
    before: list[dict[str, Any]],
    told_by: dict[str, Any],
    sentence: tuple[str, str],
    keeps: dict[str, Any],
    ends: dict[str, Any],
) -> None:
    game, pack = Game(PackWords()), language.load("en")

    def taken(fact: dict[str, Any]) -> Taken:
        parsed = parse({"t": 1, **fact})
        return Taken(parsed, tuple(game.apply(parsed)))

    taken({"fact": "setup", "t": 0, "white": {"impaired": True}, "time_control": "300"})
    for fact in ({"fact": "start"}, *before):
        taken(fact)
    said = announcements(taken(told_by), game, pack)
    key, player = sentence
    why = pack.sentence("needed_called", player=player)
    words = pack.sentence(key, **({"why": why} if key == "arbiter_needed" else {"player": player}))
    (found,) = (one for one in said if one.words == words)
    assert found.while_same

    def rests() -> dict[str, str]:
        return {name: aspects(game)[name] for name in found.while_same}

    then = rests()
    taken(keeps)
    assert rests() == then
    taken(ends)
    assert rests() != then


@pytest.mark.parametrize("fact", ["offer_draw", "call_arbiter"])
def test_what_is_repeated_is_told_once_until_something_happens(fact: str) -> None:
    game, pack = Game(PackWords()), language.load("en")

    def told(*facts: dict[str, Any]) -> list[str]:
        found: list[str] = []
        for one in facts:
            parsed = parse({"t": 1, **one})
            taken = Taken(parsed, tuple(game.apply(parsed)))
            found += [one.words for one in announcements(taken, game, pack)]
        return found

    told({"fact": "setup", "t": 0, "white": {"impaired": True}, "time_control": "300"})
    told({"fact": "start"}, *E4)
    again = {"fact": fact, "by": "white"}
    first = told(again)
    assert len(first) == 1
    assert told(again, again) == []
    if fact == "offer_draw":
        told({"fact": "decline_draw", "by": "black"})
    else:
        told({"fact": "arbiter", "do": "start_clocks"})
    assert told(again) == first


def test_what_a_hand_does_on_one_board_is_in_no_aspect_of_the_game() -> None:
    """Pages get the aspects. A player may not learn what the opponent has touched (D.2.10.4)."""
    game = Game(PackWords())
    for fact in (
        {"fact": "setup", "white": {"impaired": True}, "time_control": "300"},
        {"fact": "position", "board": "black", "placement": chess.STARTING_BOARD_FEN},
        {"fact": "start"},
        {"fact": "announce", "by": "white", "move": "e2e4"},
        {"fact": "make", "by": "white", "move": "e2e4"},
        {"fact": "press", "by": "white"},
        {"fact": "repeat", "by": "black", "move": "e2e4"},
        {"fact": "lift", "board": "black", "square": "e2"},
        {"fact": "place", "board": "black", "square": "e4"},
    ):
        game.apply(parse({"t": 1, **fact}))
    before = aspects(game), name_of_step(game, "white")
    game.apply(parse({"t": 1, "fact": "lift", "board": "black", "square": "e7"}))
    assert (aspects(game), name_of_step(game, "white")) == before
