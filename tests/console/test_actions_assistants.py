"""Who acts as an assistant on a page: whoever was declared, and nobody else (D.2.10, D.2.11)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.console.actions import ActionResult, act, stamp
from blindplay.console.pages import page_of
from blindplay.console.views import parts, roles
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from tests.console.hall import SEAT, Browser, Hall


def do(hall: Hall, role: str, kind: str, language: str = "en", **fields: str) -> ActionResult:
    form = {"act": [kind], "seen": [stamp(hall.table.game)]}
    return act(hall.table, role, language, form | {name: [it] for name, it in fields.items()})


@pytest.fixture
def visitor(hall: Hall) -> Iterator[Browser]:
    """Somebody with the link of White's assistant, who has not opened it yet."""
    visitor = Browser(hall)
    yield visitor
    visitor.client.close()


def test_a_link_that_nobody_has_opened_declares_nobody(hall: Hall) -> None:
    hall.start()
    hall.link("assistant:white")
    assert hall.taken("assistant") == []
    refused = do(hall, "assistant:white", "move", text="e4", how="both")
    assert refused == ActionResult(
        (
            "This player has no assistant. The player or the arbiter must announce one first. "
            "(fide-2023 D.2.10, fide-2023 12.7)",
            "Please wait: White is to move.",
        ),
        refused=True,
    )
    assert hall.taken("announce")[-1].by == "assistant:white"  # recorded, and without effect
    assert hall.table.game.turn.announced is None


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "Dieser Spieler hat keinen"),
        ("nb", "Denne spilleren har ingen"),
        ("da", "Denne spiller har ingen"),
        ("sv", "Den här spelaren har ingen"),
    ],
)
def test_the_reason_is_in_the_language_of_the_page(hall: Hall, language: str, said: str) -> None:
    answer = do(hall, "assistant:white", "press", language)
    assert answer.refused and answer.sentences[0].startswith(said)


def test_whoever_opens_the_link_is_declared_once_and_acts(hall: Hall, visitor: Browser) -> None:
    hall.start()
    for _ in range(2):
        assert visitor.enter().status_code == 303
    (declared,) = hall.taken("assistant")
    assert (declared.by, declared.of, declared.present) == ("table", "white", True)
    assert "Weiß hat jetzt einen Assistenten." in hall.out.getvalue()
    assert visitor.do("move", text="e4", how="both").json()["refused"] is False
    assert hall.table.game.turn.announced is not None


def test_the_declaration_is_kept_with_the_game(hall: Hall, visitor: Browser) -> None:
    visitor.enter()
    kept = hall.table.path.read_text("utf-8").splitlines()
    (declared,) = (line for line in kept if '"assistant"' in line and '"of"' in line)
    assert '"table"' in declared


def test_whom_the_arbiter_has_sent_away_the_link_does_not_bring_back(
    hall: Hall, visitor: Browser
) -> None:
    hall.start()
    visitor.enter()
    assert not do(hall, "arbiter", "assistant", of="white", present="no").refused
    visitor.enter()
    assert hall.table.game.assistants["white"] is False
    assert "assistant:white" not in roles(hall.table.game)
    assert "You are not declared as an assistant." in visitor.client.get(SEAT).text
    assert visitor.do("move", text="e4", how="both").status_code == 409
    assert not do(hall, "white", "assistant", of="white", present="yes").refused
    assert visitor.do("move", text="e4", how="both").status_code == 200


def test_whoever_is_no_assistant_may_still_tell_the_arbiter(hall: Hall) -> None:
    hall.start()
    assert do(hall, "assistant:white", "irregular", what="two_hands") == ActionResult()
    (told,) = (one for one in hall.rulings if one.kind == "arbiter_needed")
    assert told.articles == ("fide-2023 12.7",)


def test_a_sighted_player_announces_an_assistant_while_the_other_has_none(hall: Hall) -> None:
    assert not do(hall, "black", "assistant", of="black", present="yes").refused
    assert roles(hall.table.game) == ["arbiter", "white", "black", "assistant:black"]
    assert not do(hall, "white", "assistant", of="white", present="yes").refused
    assert roles(hall.table.game) == ["arbiter", "white", "black", "assistant:white"]
    answer = do(hall, "black", "assistant", of="black", present="yes")
    assert answer.refused
    assert answer.sentences == (
        "The visually impaired opponent has an assistant. So this player may have none. "
        "(fide-2023 D.2.11)",
        "Please wait: the arbiter has to begin the game.",
    )


def _decisions(hall: Hall) -> str:
    page = page_of(hall.table.game, "arbiter")
    return parts(page, page.values(hall.table, hall.table.game, "arbiter", "en"), "en")["decide"]


def test_the_arbiter_is_offered_only_the_assistants_whom_the_laws_allow(hall: Hall) -> None:
    assert "Permit Black an assistant" in _decisions(hall)
    assert not do(hall, "arbiter", "assistant", of="white", present="yes").refused
    offered = _decisions(hall)
    assert "Permit White an assistant" in offered and "Permit Black an assistant" not in offered
    barred = "The visually impaired opponent has an assistant. So this player may have none."
    assert f"{barred} (fide-2023 D.2.11)" in offered
    assert do(hall, "arbiter", "assistant", of="black", present="yes").refused


@pytest.mark.parametrize("role", ["black", "assistant:black", "assistant:white"])
def test_nobody_declares_an_assistant_for_another(hall: Hall, role: str) -> None:
    assert do(hall, role, "assistant", of="white", present="yes").refused
    assert hall.table.game.assistants["white"] is None


def test_the_link_of_a_player_who_sees_declares_nobody_beside_the_impaired_players(
    tmp_path: Path,
) -> None:
    hall = Hall(tmp_path, white=Player(name="Anna", impaired=True, assistant=True))
    visitor = Browser(hall, "assistant:black")
    try:
        assert visitor.enter().status_code == 303
        assert hall.table.game.assistants["black"] is None
        assert "You are not declared" in visitor.client.get("/assistant-black/").text
    finally:
        visitor.client.close()
        hall.close()


def test_at_the_end_of_the_game_a_link_declares_nobody(hall: Hall, visitor: Browser) -> None:
    hall.start()
    hall.table.submit(f.Resign(by="black"))
    assert visitor.enter().status_code == 303
    assert hall.taken("assistant") == []
