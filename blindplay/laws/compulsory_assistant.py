"""The assistant that is compulsory if one player does not see and the other does not hear
(D.2.11)."""

from .rulings import ArbiterNeeded
from .state import OTHER, State

ASSISTANT = "assistant"
"""The value of :attr:`State.paused` while the clocks wait for a compulsory assistant."""


def _lacks_assistant(game: State) -> bool:
    return not any(game.assistants.values()) and any(
        game.player(side).hearing_impaired and game.impaired(OTHER[side]) for side in OTHER
    )


def must_wait(game: State) -> bool:
    """Return True if no clock may start because a compulsory assistant is missing."""
    return _lacks_assistant(game) and game.switch("hearing_impaired_opponent_needs_assistant")


def check_assistants(game: State) -> bool:
    """Return whether the clock may start. Tell the arbiter if an assistant is missing.

    Against a hearing-impaired opponent an assistant must be used (D.2.11 of fide-2023). The older
    texts are silent; there the arbiter decides how the two players understand each other."""
    if must_wait(game):
        game.rule(ArbiterNeeded(why="assistant_compulsory"), "hearing_impaired_opponent")
        return False
    if _lacks_assistant(game):
        game.rule(ArbiterNeeded(why="hearing_impaired_opponent"), "not_covered")
    return True


def wait_for_assistant(game: State) -> None:
    """The assistant has left: both clocks stand until there is one, so that nobody loses time."""
    if game.clock.running is not None and game.clock:
        game.clock.stop(ASSISTANT)
        game.tell_clock("hearing_impaired_opponent")


def go_on_with_assistant(game: State) -> None:
    """There is an assistant again: the clocks that waited for one go on."""
    if game.paused != ASSISTANT:
        return
    release_clocks(game)
    asked = game.pending is not None and not game.pending.claimable
    if not asked and not (game.adjourned and game.resumed_at is None):
        game.resume("hearing_impaired_opponent")


def release_clocks(game: State) -> None:
    """Let the clocks go on, whatever stopped them, unless the assistant is missing."""
    waits = bool(game.clock) and must_wait(game)
    game.clock.stopped_by = ASSISTANT if waits else ""
    if waits:
        check_assistants(game)
