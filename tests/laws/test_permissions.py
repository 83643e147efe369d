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
ABOUT_WHO = {"not_his_task", "opponent_has_assistant", "no_such_assistant"}
FIELDS: dict[str, dict[str, Any]] = {
    "announce": {"move": "e2e4"}, "repeat": {"move": "e2e4"}, "correct": {"move": "e2e4"},
    "make": {"move": "e2e4"}, "touch": {"square": "e2"}, "record": {"ply": 1, "text": "e4"},
    "claim_draw": {"rule": "repetition"}, "query": {"about": "moves"}, "seal": {"text": "e4"},
    "irregular": {"what": "wrong_start"}, "sign": {"result": "1-0"},
}  # fmt: skip
IMPAIRED = Player(impaired=True, assistant=True)
TABLES = {
    "one assistant": {"white": IMPAIRED},
    "the sighted player's assistant": {
        "white": Player(impaired=True), "black": Player(assistant=True)
    },
    "both have one": {"white": IMPAIRED, "black": Player(assistant=True)},
    "nobody is impaired": {"black": Player(assistant=True)},
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
    fact = f.parse({"t": 1, "fact": kind, "by": who, **FIELDS.get(kind, {})})
    return any(isinstance(r, Refused) and r.why in ABOUT_WHO for r in game.apply(fact))


@pytest.mark.parametrize("players", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("who", PEOPLE)
def test_everyone_may_do_what_his_rights_say_and_nothing_else(
    players: dict[str, Player], who: str
) -> None:
    may = permissions.rights(table(players), who)
    entrusted = {"arbiter", "start", "inspect", "assistant", "open_envelope", "setup", "tick",
                 "lift", "place", "position"}  # fmt: skip
    for kind in f.KINDS:
        if kind in entrusted:
            # The Laws take these from anybody: the table asks first.
            by_arbiter = who == "arbiter" and kind in ("arbiter", "start", "inspect", "assistant",
                                                       "open_envelope")  # fmt: skip
            assert (kind in may) is by_arbiter, kind
            assert (permissions.refusal(table(players), who, kind) is None) is by_arbiter, kind
        else:
            assert (kind in may) is not refused(players, who, kind), (who, kind)


def test_the_sighted_players_assistant_has_the_first_two_tasks_only() -> None:
    """D.2.11: making the moves on the board, and announcing them."""
    game = table(TABLES["the sighted player's assistant"])
    may = permissions.rights(game, "assistant:black")
    assert may == {"announce", "repeat", "correct", "make"}


@pytest.mark.parametrize(
    ("who", "kind", "article"),
    [
        ("assistant:white", "arbiter", "fide-2023 D.2.10"),
        ("assistant:white", "irregular", "fide-2023 D.2.10"),
        ("assistant:black", "start", "fide-2023 D.2.11"),
    ],
)
def test_a_refusal_cites_the_article_of_the_one_refused(who: str, kind: str, article: str) -> None:
    told = permissions.refusal(table(TABLES["one assistant"]), who, kind)
    assert isinstance(told, Refused)
    assert (told.kind, told.by, told.what, told.why) == (
        "refused", who, kind, "not_his_task",
    )  # fmt: skip
    assert article in told.articles


def test_what_the_laws_judge_themselves_is_left_to_them() -> None:
    game = table(TABLES["one assistant"])
    assert permissions.refusal(game, "assistant:white", "resign") is None


@pytest.mark.parametrize("first", f.SIDES)
def test_of_the_assistants_of_two_players_one_acts_the_first_if_nobody_was_named(
    first: str,
) -> None:
    """D.2.11: the sighted player may have one only where the impaired one has none."""
    game = Game(PackWords())
    game.apply(Setup(t=0, time_control="300", white=Player(impaired=True)))
    game.apply(f.parse({"t": 1, "fact": "start"}))
    other = "black" if first == "white" else "white"

    def announce(of: str, move: str) -> list[str]:
        fact = {"t": 2, "fact": "announce", "by": f"assistant:{of}", "move": move}
        return [getattr(ruling, "why", "") or "" for ruling in game.apply(f.parse(fact))]

    assert permissions.rights(game, "assistant:white") and permissions.rights(
        game, "assistant:black"
    )
    assert "opponent_has_assistant" not in announce(first, "e2e4")
    assert "announce" in permissions.rights(game, f"assistant:{first}")
    assert not permissions.rights(game, f"assistant:{other}")
    assert announce(other, "d2d4") == ["opponent_has_assistant"]
    assert game.turn.announced is not None and game.turn.announced.uci() == "e2e4"
    # The impaired player may take one all the same, and then the sighted player has none.
    game.apply(f.parse({"t": 3, "fact": "assistant", "of": "white", "present": True}))
    assert permissions.rights(game, "assistant:white") and not permissions.rights(
        game, "assistant:black"
    )


def test_assistant_of_the_sighted_player_may_not_press_the_clock() -> None:
    table = impaired()
    table.play("e2e4")
    table.feed({"fact": "make", "by": "assistant:black", "move": "e7e5"})
    refused = one(table.feed({"fact": "press", "by": "assistant:black"}), "refused")
    assert refused.articles == ("fide-2023 D.2.11",)


def test_assistant_of_the_impaired_player_presses_for_him() -> None:
    table = impaired()
    table.feed(
        {"fact": "announce", "by": "assistant:white", "move": "e2e4"},
        {"fact": "make", "by": "white", "move": "e2e4"},
        {"fact": "make", "by": "assistant:white", "move": "e2e4"},
    )
    assert "completed" in kinds(table.feed({"fact": "press", "by": "assistant:white"}))
    assert table.game.tables["black"].plies == 1


def test_an_assistant_reports_what_his_players_opponent_touches_and_nobody_else() -> None:
    table = started(white={"impaired": True})
    # His own player is on move; what he reports is the opponent, who is not (D.2.10.5).
    got = table.feed({"fact": "touch", "by": "assistant:white", "square": "e2"})
    assert kinds(got) == ["refused"] and one(got, "refused").why == "not_on_move"
    table.play("e2e4")
    got = table.feed({"fact": "touch", "by": "assistant:white", "square": "b8"})
    assert one(got, "touched").by == "black"
    assert "fide-2023 D.2.10.5" in one(got, "touched").articles
