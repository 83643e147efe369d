"""The pages: what each role sees of the game, in the language of its browser.

A page is made of *parts*, pieces of HTML that are sent again when they change; everything else
of it stays as it is, so that nobody loses his place in it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import chess
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from blindplay.language import load
from blindplay.laws import Game, duties
from blindplay.laws.facts import SIDES
from blindplay.laws.placement import change, laid_over
from blindplay.laws.state import OTHER

from .messages import LANGUAGES, catalogue
from .pieces import rows

ASSISTANT_PARTS = ("now", "board", "forms", "sheet")

# What stands in a form until a page or its script puts the game's stamp there; so a form is the
# same text after every move, and is not replaced under somebody's fingers.
SEEN = "{seen}"


@functools.cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("blindplay.console", "templates"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(template: str, language: str, **values: Any) -> str:
    """One template with the catalogue of ``language`` as ``say``."""
    say = catalogue(language)
    found = _environment().get_template(template)
    return found.render(say=say, language=language, languages=LANGUAGES, seen=SEEN, **values)


def slug(role: str) -> str:
    """The role as a part of an address: ``assistant-white``."""
    return role.replace(":", "-")


def has_page(role: str) -> bool:
    """Whether there is a page for this role yet."""
    return role.startswith("assistant:")


def roles(game: Game) -> list[str]:
    """The roles that get a link at this table: those with a page who may do anything."""
    found = [f"assistant:{side}" for side in SIDES if game.impaired(side)]
    found += [
        role
        for side in SIDES
        if (role := f"assistant:{side}") not in found and game.assistants[side]
    ]
    return [role for role in found if duties.rights(game, role)]


@dataclass(frozen=True)
class _Move:
    """A move as a page shows it: in words, in notation, in UCI, and whose it is."""

    words: str
    notation: str
    uci: str
    by: str


def parts(game: Game, role: str, language: str) -> dict[str, str]:
    """The parts of the page of ``role``, by their names."""
    values = _assistants_values(game, role, language)
    return {name: render(f"assistant/{name}.html", language, **values) for name in ASSISTANT_PARTS}


def page(
    game: Game,
    role: str,
    language: str,
    *,
    found: Mapping[str, str],
    place: str,
    stamp: str,
    said: list[tuple[bool, str]],
) -> str:
    """A whole page with its parts; ``place`` is where its stream of changes stands."""
    shown = {name: html.replace(SEEN, stamp) for name, html in found.items()}
    return render(
        "assistant.html",
        language,
        parts=shown,
        title=_title(game, role, language),
        place=place,
        stamp=stamp,
        said=said,
    )


def _title(game: Game, role: str, language: str) -> str:
    say = catalogue(language)
    side = role.removeprefix("assistant:")
    return say["title_assistant"].format(side=say[side], name=game.player(side).name).strip(" ,")


def _assistants_values(game: Game, role: str, language: str) -> dict[str, Any]:
    own = role.removeprefix("assistant:")
    sighted = own if not game.impaired(own) else OTHER[own]
    board = game.board_of(sighted)
    table = game.tables[board]
    last = _last(game, language)
    squares = () if last is None else _squares(last.uci)
    return {
        "may": duties.rights(game, role),
        "status": _status(game, language),
        "last": last,
        "announced_in": _spoken_in(game),
        "due": None if table.sensors or game.over else _due(game, board, language),
        "sensors": table.sensors,
        "rows": rows(
            table.placement, language, black_below=sighted == "black", marked=frozenset(squares)
        ),
        "own": own,
        "sheet": _sheet(game, own),
        "next_ply": _next_ply(game, own),
        "over": game.over,
    }


def _squares(uci: str) -> tuple[int, ...]:
    return chess.parse_square(uci[:2]), chess.parse_square(uci[2:4])


def _spoken_in(game: Game) -> str:
    """The HTML language of announcements; where a player's has no pack, the table speaks German."""
    code = game.announcing_language()
    return code if code in ("da", "de", "en", "nb", "sv") else "de"


def _move(game: Game, board: chess.Board, move: chess.Move, by: str, language: str) -> _Move:
    assert game.setup is not None
    if not board.is_legal(move):
        return _Move(move.uci(), move.uci(), move.uci(), by)
    words = load(_spoken_in(game)).announce(board, move, edition=game.setup.edition)
    return _Move(words, load(language).write(board, move), move.uci(), by)


def _last(game: Game, language: str) -> _Move | None:
    """What was announced last: the move of who is on move, or else the one before."""
    turn = game.turn
    if turn.announced is not None:
        return _move(game, game.board.copy(stack=False), turn.announced, game.side, language)
    if not game.history:
        return None
    ply = game.history[-1]
    return _move(game, ply.before, ply.said or ply.move, ply.side, language)


def _due(game: Game, board: str, language: str) -> _Move | None:
    """The first move that is still to be executed on that board."""
    for ply in game.outstanding(board):
        return _move(game, ply.before, ply.move, ply.side, language)
    turn = game.turn
    expected = turn.made or turn.announced
    if expected is None:
        return None
    shown = laid_over(game.pieces, change(game.board, expected))
    if game.tables[board].placement == shown:
        return None
    return _move(game, game.board.copy(stack=False), expected, game.side, language)


def _status(game: Game, language: str) -> str:
    """One sentence: how the game stands."""
    say = catalogue(language)
    if game.over:
        return say["status_over"].format(result=game.result)
    if game.adjourned:
        return say["status_adjourned"]
    if game.pending is not None and not game.pending.claimable:
        return say["status_arbiter"]
    if game.clock and not game.started:
        return say["status_not_started"]
    if game.paused:
        return say["status_paused"]
    mover = say["status_made" if game.turn.made is not None else "status_to_move"]
    return mover.format(side=say[game.side], number=game.board.fullmove_number)


def _sheet(game: Game, side: str) -> list[tuple[int, str, str]]:
    """The scoresheet of ``side`` by moves: their number, what is written for White, for Black."""
    entries = game.sheets[side]
    offset = 0 if game.start_board.turn == chess.WHITE else 1
    first = game.start_board.fullmove_number
    last = max([*entries, 0]) + offset
    return [
        (
            first + move,
            entries.get(2 * move + 1 - offset, ""),
            entries.get(2 * move + 2 - offset, ""),
        )
        for move in range((last + 1) // 2)
    ]


def _next_ply(game: Game, side: str) -> int:
    """The first ply that the sheet of ``side`` lacks."""
    ply = 1
    while ply in game.sheets[side]:
        ply += 1
    return ply
