"""One module for each page, with

* ``FOLDER``, its folder of templates, and ``PARTS``, the names of those templates in their order;
* ``SCRIPTS``, the modules of ``static`` that it loads besides ``console.js``;
* ``STYLES``, the style sheets of ``static`` that it links besides ``base.css``;
* ``values(table, game, role, language)``, the values of its templates; ``game`` is the table's,
  held.

The part ``tab`` is the title of the browser's tab. A page may have ``ASIDE``, parts that only its
further pages show, kept up to date like the others, and ``BESIDE``, the names of those parts, one
after the other, that stand together beside the others on a wide screen. It may have ``EXTRA``,
further pages by their addresses: each is a function of a table, a role, a language and a form that
gives the values of the template ``whole_<address>.html``. It may also have ``calls(game, language,
rulings)``: urgent sentences for its reader alone.

The texts of a page are in ``messages/<page>.<language>.toml``.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from blindplay.laws import Game
from blindplay.laws.facts import SIDES

from ..messages import catalogue
from ..table_port import TablePort
from . import arbiter, assistant, opponent, player


class Page(Protocol):
    """The contents of a module of this package."""

    @property
    def FOLDER(self) -> str: ...  # noqa: N802
    @property
    def PARTS(self) -> Sequence[str]: ...  # noqa: N802
    @property
    def SCRIPTS(self) -> Sequence[str]: ...  # noqa: N802
    @property
    def STYLES(self) -> Sequence[str]: ...  # noqa: N802

    def values(
        self, table: TablePort, game: Game, role: str, language: str
    ) -> Mapping[str, Any]: ...


def page_of(game: Game, role: str) -> Page:
    """The page of ``role`` at this table.

    :raises ValueError: if it has none.
    """
    if role == "arbiter":
        return arbiter
    if role.startswith("assistant:"):
        return assistant
    if role in SIDES:
        return player if game.impaired(role) else opponent
    raise ValueError(f"There is no page for {role}.")


def title_of(game: Game, role: str, language: str) -> str:
    """The heading of the page of ``role``, with the player's name if it is known."""
    say = catalogue(language)
    if role == "arbiter":
        return say["title_arbiter"]
    kind, _, side = role.rpartition(":")
    title = say[f"title_{kind or 'player'}"]
    return title.format(side=say[side], name=game.player(side).name).strip(" ,")
