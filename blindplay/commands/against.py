"""``play --against``: an opponent who is not in the room."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from blindplay.laws.facts import SIDES
from blindplay.laws.state import OTHER

from . import distant, lichess_game
from .resuming import typed

if TYPE_CHECKING:
    from blindplay.language import Language
    from blindplay.opponents.engine import EnginePlayer
    from blindplay.opponents.player import AbsentPlayer

KINDS = ("engine", "lichess")
"""Opponents by name; everything else is the address of a distant table."""
_OF_TWO = {"hall": None, "await_pairing": False, "sighted_board": None, "shared_microphone": False}
"""Options that need two people, and what they are without; one in the settings file is passed
over."""
_BARELY = 1320
"""The weakest level of Stockfish. Below it the built-in opponent plays better at its level."""


class OpponentParameter(click.ParamType[str]):
    """An opponent by name, or a distant table."""

    name = "opponent"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in KINDS:
            distant.address_of(value)
        return str(value)


def is_distant(given: Mapping[str, Any]) -> bool:
    """Return whether the opponent sits at another table."""
    return given["against"] not in (None, *KINDS)


def with_opponent(given: Mapping[str, Any]) -> dict[str, Any]:
    """``given``, with what a game against an absent opponent has besides: two boards, a name, and
    training, unless that was refused or an arbiter is there.

    :raises ValueError: for values that do not go together.
    """
    if given["against"] not in KINDS and not (given["engine"] is given["level"] is None):
        raise ValueError("--engine and --level need --against engine.")
    if given["against"] != "lichess" and any(given[name] for name in lichess_game.ONLY_HERE):
        raise ValueError("--challenge, --accept, --rated and --days need --against lichess.")
    if not is_distant(given) and given["lag_limit"] is not None:
        raise ValueError("--lag-limit needs --against wait.")
    if not is_distant(given) and "voices" in typed(given):
        raise ValueError("--voices needs --against with a distant table, such as wait.")
    if given["against"] is None:
        return dict(given)
    for name in typed(given) & _OF_TWO.keys():
        if given[name]:
            raise ValueError(
                f"--{name.replace('_', '-')} needs two people at the table; leave it out, or "
                "--against."
            )
    if given["against"] == "lichess":
        return {**given, **_OF_TWO, "boards": 2, **_at_lichess(given)}
    if given["impaired"] == "both":
        raise ValueError("--impaired both leaves no side for --against; give white, black or none.")
    if is_distant(given):
        return distant.with_both({**given, **_OF_TWO})
    program = _engine_player(given).program
    source = click.get_current_context().get_parameter_source("training")
    chosen = source not in (None, ParameterSource.DEFAULT)
    side = OTHER[given["impaired"]] if given["impaired"] in SIDES else "black"
    return {
        **given,
        **_OF_TWO,
        "boards": 2,
        "training": given["training"] if chosen else not given["arbiter"],
        side: given[side] or program.name,
    }


def _at_lichess(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a game at Lichess: no training and no arbiter.

    :raises ValueError: if that was asked for, or Lichess has no such game.
    """
    for name in ("training", "arbiter", "engine", "white", "black"):
        if name in typed(given) and given[name]:
            raise ValueError(f"--{name} cannot go with --against lichess; leave it out.")
    lichess_game.wanted_game(given)
    return {"training": False, "arbiter": False}


def opponent(given: Mapping[str, Any]) -> "AbsentPlayer | None":
    """The opponent of --against; None if both players are at the table, or at two.

    :raises ValueError: if the engine or the level is none, or no account at Lichess is known.
    """
    if given["against"] == "lichess":
        from blindplay.opponents.lichess.api import kept_account
        from blindplay.opponents.lichess.player import LichessPlayer

        return LichessPlayer(kept_account())
    return _engine_player(given) if given["against"] == "engine" else None


def _engine_player(given: Mapping[str, Any]) -> "EnginePlayer":
    from blindplay.opponents import uci
    from blindplay.opponents.engine import EnginePlayer

    level = uci.level(uci.USUAL if given["level"] is None else given["level"])
    if given["engine"] is not None:
        return EnginePlayer(uci.named(given["engine"]), level)
    weak = level.elo is not None and level.elo < _BARELY
    return EnginePlayer((None if weak else uci.installed()) or uci.BUILT_IN, level)


def offered(pack: "Language") -> str | None:
    """Ask the user to choose "engine", "people" or "demo", and return the choice; None if nobody
    can be asked."""
    from blindplay.language import Key, key_of

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    choices = {"1": "engine", "2": "people", "3": "demo"}
    while True:
        click.echo(pack.printed("offer"))
        line = sys.stdin.readline()
        if not line or key_of(pack, line.strip()) is Key.END:
            raise click.exceptions.Exit
        if line.strip() in choices:
            return choices[line.strip()]
