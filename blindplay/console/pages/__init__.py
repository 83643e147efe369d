"""The pages of the roles. Their texts are in ``messages/<page>.<language>.toml``."""

from blindplay.laws import Game
from blindplay.laws.facts import SIDES
from blindplay.translation import UserError

from ..messages import catalogue
from .arbiter import ARBITER
from .common import Page
from .players import ASSISTANT, IMPAIRED, SIGHTED


def page_of(game: Game, role: str) -> Page:
    """The page of ``role`` at this table.

    :raises ValueError: if it has none.
    """
    if role == "arbiter":
        return ARBITER
    if role.startswith("assistant:"):
        return ASSISTANT
    if role in SIDES:
        return IMPAIRED if game.impaired(role) else SIGHTED
    raise UserError("There is no page for {role}.", role=role)


def title_of(game: Game, role: str, language: str) -> str:
    """The heading of the page of ``role``, with the player's name if it is known."""
    say = catalogue(language)
    if role == "arbiter":
        return say["title_arbiter"]
    kind, _rest, side = role.rpartition(":")
    title = say[f"title_{kind or 'player'}"]
    return title.format(side=say[side], name=game.player(side).name).strip(" ,")
