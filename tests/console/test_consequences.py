"""What an action of the arbiter would do: foretold, not done."""

from __future__ import annotations

from blindplay.console.consequences import consequences
from blindplay.laws import facts as f
from tests.console.hall import Hall


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
