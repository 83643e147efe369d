"""Whose task which fact is: what ``rights`` says is what the Laws do."""

from __future__ import annotations

from typing import Any

import pytest

from blindplay.laws import Game, permissions
from blindplay.laws import facts as f
from blindplay.laws.facts import PEOPLE, Player, Setup
from blindplay.laws.rulings import Refused
from blindplay.wording.pack_words import PackWords
from tests.laws.table import impaired, kinds, one, started

# Refusals that are about who asks, not about what the game is like just now.
ABOUT_WHO = {"not_their_task", "opponent_has_assistant", "no_such_assistant"}
FIELDS: dict[str, dict[str, Any]] = {
    "announce": {"move": "e2e4"}, "repeat": {"move": "e2e4"}, "correct": {"move": "e2e4"},
    "make": {"move": "e2e4"}, "touch": {"square": "e2"}, "record": {"ply": 1, "text": "e4"},
    "claim_draw": {"rule": "repetition"}, "query": {"about": "moves"}, "seal": {"text": "e4"},
    "irregular": {"what": "wrong_start"}, "sign": {"result": "1-0"},
    "assistant": {"of": "white", "present": False},
}  # fmt: skip
IMPAIRED = Player(impaired=True, assistant=True)
TABLES = {
    "one assistant": {"white": IMPAIRED},
    "the sighted player's assistant": {
        "white": Player(impaired=True), "black": Player(assistant=True)
    },
    "both have one": {"white": IMPAIRED, "black": Player(assistant=True)},
    "nobody is impaired": {"black": Player(assistant=True)},
    "no assistant": {"white": Player(impaired=True)},
    "nobody impaired, no assistant": {},
}  # fmt: skip


def table(players: dict[str, Player]) -> Game:
    game = Game(PackWords())
    nobody = Player()
    white, black = players.get("white", nobody), players.get("black", nobody)
    game.apply(Setup(t=0, time_control="300", white=white, black=black))
    game.apply(f.Start(t=0))
    return game


def refused(players: dict[str, Player], who: str, kind: str) -> bool:
    game = table(players)
    if permissions.refusal(game, who, kind) is not None:
        return True
    fields = {"t": 1, "fact": kind, "by": who, **FIELDS.get(kind, {})}
    if kind == "assistant" and who in f.SIDES:
        fields["of"] = who
    fact = f.parse(fields)
    return any(isinstance(r, Refused) and r.why in ABOUT_WHO for r in game.apply(fact))


@pytest.mark.parametrize("players", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("who", PEOPLE)
def test_everyone_may_do_what_his_rights_say_and_nothing_else(
    players: dict[str, Player], who: str
) -> None:
    may = permissions.rights(table(players), who)
    arbiters = {"arbiter", "start", "inspect", "open_envelope"}
    entrusted = {*arbiters, "setup", "tick", "lift", "place", "position"}
    for kind in f.KINDS:
        if kind in entrusted:
            # The Laws take these from anybody: the table asks first.
            by_arbiter = who == "arbiter" and kind in arbiters
            assert (kind in may) is by_arbiter, kind
            assert (permissions.refusal(table(players), who, kind) is None) is by_arbiter, kind
        else:
            assert (kind in may) is not refused(players, who, kind), (who, kind)


def test_the_sighted_players_assistant_has_the_first_two_tasks_only() -> None:
    """D.2.11: making the moves on the board, and announcing them. 12.7: telling the arbiter."""
    game = table(TABLES["the sighted player's assistant"])
    may = permissions.rights(game, "assistant:black")
    assert may == {"announce", "repeat", "correct", "make", "irregular"}


@pytest.mark.parametrize(
    ("who", "kind", "why", "articles"),
    [
        ("assistant:white", "arbiter", "not_their_task", ("fide-2023 D.2.10",)),
        ("assistant:white", "open_envelope", "not_their_task", ("fide-2023 D.2.10",)),
        ("assistant:black", "start", "no_such_assistant", ("fide-2023 D.2.11", "fide-2023 12.7")),
    ],
)
def test_a_refusal_cites_the_article_of_the_one_refused(
    who: str, kind: str, why: str, articles: tuple[str, ...]
) -> None:
    told = permissions.refusal(table(TABLES["one assistant"]), who, kind)
    assert isinstance(told, Refused)
    assert (told.kind, told.by, told.what, told.why) == ("refused", who, kind, why)
    assert told.articles == articles


@pytest.mark.parametrize(("arbiter", "may"), [("automatic", True), ("present", False),
                                              ("server", False)])  # fmt: skip
def test_players_begin_the_game_where_nobody_presides(arbiter: str, may: bool) -> None:
    game = Game(PackWords())
    game.apply(Setup(t=0, time_control="300", arbiter=arbiter))
    assert ("start" in permissions.rights(game, "black")) is may
    game.apply(f.Start(t=0))
    assert "start" not in permissions.rights(game, "black")


def test_what_the_laws_judge_themselves_is_left_to_them() -> None:
    game = table(TABLES["one assistant"])
    assert permissions.refusal(game, "assistant:white", "resign") is None


def test_assistant_of_the_sighted_player_may_not_press_the_clock() -> None:
    table = impaired(black={"assistant": True})
    table.play("e2e4")
    table.feed({"fact": "make", "by": "assistant:black", "move": "e7e5"})
    refused = one(table.feed({"fact": "press", "by": "assistant:black"}), "refused")
    assert refused.articles == ("fide-2023 D.2.11",)


def test_assistant_of_the_impaired_player_presses_for_him() -> None:
    table = impaired(white={"impaired": True, "assistant": True})
    table.feed(
        {"fact": "announce", "by": "assistant:white", "move": "e2e4"},
        {"fact": "make", "by": "white", "move": "e2e4"},
        {"fact": "make", "by": "assistant:white", "move": "e2e4"},
    )
    assert "completed" in kinds(table.feed({"fact": "press", "by": "assistant:white"}))
    assert table.game.tables["black"].plies == 1


def test_an_assistant_reports_what_his_players_opponent_touches_and_nobody_else() -> None:
    table = started(white={"impaired": True, "assistant": True})
    # His own player is on move; what he reports is the opponent, who is not (D.2.10.5).
    got = table.feed({"fact": "touch", "by": "assistant:white", "square": "e2"})
    assert kinds(got) == ["refused"] and one(got, "refused").why == "not_on_move"
    table.play("e2e4")
    got = table.feed({"fact": "touch", "by": "assistant:white", "square": "b8"})
    assert one(got, "touched").by == "black"
    assert "fide-2023 D.2.10.5" in one(got, "touched").articles


# --- assistants of whom nobody has spoken, or who have left -----------------------------------

# Every kind of fact that can come from an assistant.
OF_ASSISTANTS = sorted(
    kind for kind, fact in f.KINDS.items()
    if issubclass(fact, f.Personal) or kind in ("assistant", "start", "open_envelope")
)  # fmt: skip
# What each text says of people who are not part of the game.
OUTSIDERS = {
    "fide-2023": "fide-2023 12.7", "basics-no": "fide-2023 12.7",
    "fide-2014": "fide-2014 12.7", "fide-1997": "fide-1997 13.7",
}  # fmt: skip
# The articles under which the impaired, and the sighted player, may have an assistant.
HELP = {
    "fide-2023": ("fide-2023 D.2.10", "fide-2023 D.2.11"),
    "basics-no": ("fide-2023 D.2.10", "fide-2023 D.2.11"),
    "fide-2014": ("fide-2014 D.2.9", "fide-2014 D.2.10"),
    "fide-1997": ("fide-1997 F.9", "fide-1997 F.10"),
}


def state_of(game: Game) -> tuple[object, ...]:
    """What an action could change."""
    boards = [dict(table.placement) for table in game.tables.values()]
    return (
        game.board.fen(), repr(game.turn), boards, len(game.history), dict(game.assistants),
        {side: dict(sheet) for side, sheet in game.sheets.items()}, set(game.offers),
        game.clock.running, game.started, game.pending, game.sealed, game.result,
    )  # fmt: skip


@pytest.mark.parametrize("edition", OUTSIDERS)
@pytest.mark.parametrize("of", f.SIDES)
@pytest.mark.parametrize("has_left", [False, True])
def test_whoever_was_not_declared_may_only_tell_the_arbiter(
    edition: str, of: str, has_left: bool
) -> None:
    for kind in OF_ASSISTANTS:
        table = impaired(edition=edition)
        if has_left:
            for present in (True, False):
                table.feed({"fact": "assistant", "of": of, "present": present})
        before, who = state_of(table.game), f"assistant:{of}"
        got = table.feed({"fact": kind, "by": who, **FIELDS.get(kind, {})})
        assert state_of(table.game) == before, kind
        if kind == "irregular" and edition != "fide-1997":
            told = one(got, "arbiter_needed")
            assert (told.why, told.by, told.articles) == (
                "wrong_start", who, (OUTSIDERS[edition],)
            )  # fmt: skip
        else:
            refused = one(got, "refused")
            assert (refused.by, refused.what, refused.why) == (who, kind, "no_such_assistant")
            help_article = HELP[edition][of == "black"]
            assert refused.articles == (help_article, OUTSIDERS[edition])
        assert len(got) == 1, kind


@pytest.mark.parametrize("edition", OUTSIDERS)
def test_nobody_is_charged_with_a_touch_that_an_undeclared_assistant_saw(edition: str) -> None:
    table = impaired(edition=edition)
    table.play("e2e4")
    touch = {"fact": "touch", "by": "black", "square": "g8", "seen_by": "assistant:white"}
    refused = one(table.feed(touch), "refused")
    assert (refused.by, refused.why) == ("assistant:white", "no_such_assistant")
    table.feed({"fact": "assistant", "by": "white", "of": "white"})
    assert one(table.feed(touch), "touched").by == "black"


@pytest.mark.parametrize("edition", OUTSIDERS)
@pytest.mark.parametrize("by", ["white", "arbiter", "table"])
def test_a_declared_assistant_acts_and_one_who_has_left_does_not(edition: str, by: str) -> None:
    table = impaired(edition=edition)
    announce = {"fact": "announce", "by": "assistant:white", "move": "e2e4"}
    declared = one(table.feed({"fact": "assistant", "by": by, "of": "white"}), "assistant")
    assert declared.present and declared.articles == (HELP[edition][0],)
    assert one(table.feed(announce), "announced").by == "white"
    table.feed({"fact": "assistant", "by": by, "of": "white", "present": False})
    assert one(table.feed(announce), "refused").why == "no_such_assistant"


@pytest.mark.parametrize("edition", OUTSIDERS)
@pytest.mark.parametrize(
    ("by", "why"),
    [("black", "not_their_task"), ("assistant:black", "not_their_task"),
     ("assistant:white", "no_such_assistant")],
)  # fmt: skip
def test_only_the_player_and_the_arbiter_announce_an_assistant(
    edition: str, by: str, why: str
) -> None:
    table = impaired(edition=edition, black={"assistant": True})
    got = table.feed({"fact": "assistant", "by": by, "of": "white"})
    assert one(got, "refused").why == why
    assert table.game.assistants["white"] is None


@pytest.mark.parametrize("edition", OUTSIDERS)
def test_the_impaired_players_assistant_takes_the_place_of_the_sighted_players(
    edition: str,
) -> None:
    table = impaired(edition=edition)
    table.feed({"fact": "assistant", "by": "black", "of": "black"})
    assert "make" in permissions.rights(table.game, "assistant:black")
    table.feed({"fact": "assistant", "by": "white", "of": "white"})
    make = {"fact": "make", "by": "assistant:black", "move": "e2e4"}
    refused = one(table.feed(make), "refused")
    assert (refused.why, refused.articles) == ("opponent_has_assistant", (HELP[edition][1],))
    again = one(table.feed({"fact": "assistant", "by": "black", "of": "black"}), "refused")
    assert (again.by, again.why) == ("black", "opponent_has_assistant")


@pytest.mark.parametrize(
    ("edition", "articles"),
    [
        ("fide-2023", ("fide-2023 4.9", "fide-2023 6.2.6", "fide-2023 8.1.6")),
        ("basics-no", ("fide-2023 4.9", "fide-2023 6.2.6", "fide-2023 8.1.6")),
        ("fide-2014", ("fide-2014 6.2 e", "fide-2014 8.1 e")),
        ("fide-1997", ("fide-1997 Vorwort",)),
    ],
)
def test_where_nobody_is_impaired_the_arbiter_must_accept_an_assistant(
    edition: str, articles: tuple[str, ...]
) -> None:
    table = started(edition=edition)
    refused = one(table.feed({"fact": "assistant", "by": "white", "of": "white"}), "refused")
    assert (refused.why, refused.articles) == ("not_their_task", articles)
    accepted = one(table.feed({"fact": "assistant", "by": "arbiter", "of": "white"}), "assistant")
    assert accepted.articles == articles
    alone = started(edition=edition, arbiter="automatic")
    assert one(alone.feed({"fact": "assistant", "by": "white", "of": "white"}), "assistant").present


@pytest.mark.parametrize("edition", OUTSIDERS)
def test_what_an_assistant_finds_irregular_is_no_complaint_of_the_player(edition: str) -> None:
    """D.2.10 names no such task; 12.7 lets whoever sees it tell the arbiter."""
    table = impaired(edition=edition, white={"impaired": True, "assistant": True})
    table.play("e2e4", "e7e5")
    before = state_of(table.game)
    got = table.feed({"fact": "irregular", "by": "assistant:white", "what": "illegal_move"})
    if edition == "fide-1997":
        assert one(got, "refused").articles == ("fide-1997 F.9",)
    else:
        assert one(got, "arbiter_needed").articles == (OUTSIDERS[edition],)
    assert len(got) == 1 and state_of(table.game) == before


def test_an_assistant_may_be_declared_while_a_decision_waits() -> None:
    table = started(white={"impaired": True})
    table.feed({"fact": "claim_draw", "by": "white", "rule": "repetition"})
    assert table.game.pending is not None
    assert one(table.feed({"fact": "assistant", "by": "white", "of": "white"}), "assistant").present


def test_after_the_game_nobody_takes_an_assistant() -> None:
    table = started(white={"impaired": True})
    table.feed({"fact": "resign", "by": "black"})
    refused = one(table.feed({"fact": "assistant", "by": "white", "of": "white"}), "refused")
    assert (refused.by, refused.why) == ("white", "game_over")


def test_a_player_opens_the_envelope_only_where_no_arbiter_keeps_it() -> None:
    """I.3; and nobody opens it before the clock is stopped (I.1.1)."""
    table = impaired(arbiter="automatic")

    def may() -> bool:
        return "open_envelope" in permissions.rights(table.game, "black")

    table.feed({"fact": "start"}, {"fact": "arbiter", "do": "adjourn"})
    table.feed({"fact": "seal", "by": "white", "text": "e2e4"})
    assert not may()
    table.feed({"fact": "press", "by": "white"})
    assert may()
    table.feed({"fact": "arbiter", "do": "preside"})
    assert not may()
