"""``blindplay lichess`` and ``play --against lichess``: the user's account, and finding a game."""

import sys
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

import chess
import click

from blindplay.given import LONGEST_LINE
from blindplay.laws.facts import SIDES
from blindplay.laws.time_controls import stored
from blindplay.translation import UserError, _, all_of

from . import options
from .play_options import PlayOptions

if TYPE_CHECKING:
    from blindplay.language import Language
    from blindplay.opponents.lichess.lobby import FoundGame, TypedAnswer, WantedGame
    from blindplay.typed_lines import TypedLines
    from blindplay.wording.values import Value


@click.group(cls=options.CommandGroup, no_args_is_help=False)
def lichess() -> None:
    """Let BlindPlay play in your name at Lichess, or no longer."""


@lichess.command()
@click.option("--server", default="https://lichess.org", help=_("Play at this server of Lichess."))
def login(server: str) -> None:
    """Enter the token of your account once.

    Lichess makes the token at the page that is printed. It is not shown while you type or paste it,
    and is kept in a file that only you can read.
    """
    from blindplay.opponents.lichess import api

    server = server.rstrip("/")
    if not server.startswith(("https://", "http://")):
        raise UserError(
            "--server {server} is not an address; give one such as https://lichess.org.",
            server=server,
        )
    options.show(_("Make a token at this page: {page}", page=api.token_page(server)))
    options.show(_("Paste it here and press Enter. It is not shown."))
    if sys.stdin.isatty():
        given = click.prompt("", prompt_suffix="", hide_input=True, show_default=False)
    else:
        given = sys.stdin.readline(LONGEST_LINE)
    token = api.checked_token(given)
    with api.LichessApi(api.Account("", token, server)) as client:
        name, permitted = client.user()
    if missing := api.missing_scopes(permitted):
        raise UserError(
            "This token does not permit {missing}; make one at the page above.",
            missing=all_of(missing),
        )
    api.keep_account(api.Account(name, token, server))
    options.show(
        _("You are {name} at Lichess. To play: blindplay play --against lichess", name=name)
    )


@lichess.command()
def logout() -> None:
    """Remove the token from this machine. The page of your tokens at Lichess ends it there, too."""
    from blindplay.opponents.lichess import api

    removed = api.forget_account()
    options.show(_("The token is removed.") if removed else _("No token is kept on this machine."))


# --- a game there


def wanted_game(given: PlayOptions) -> "WantedGame":
    """:raises ValueError: if Lichess has no such game."""
    from blindplay.opponents.lichess.lobby import WantedGame

    if "impaired" in given.chosen and given.impaired not in SIDES:
        raise UserError("At Lichess you are one player; give --impaired white, black or neither.")
    level = given.level
    if level is not None and not (level.isdecimal() and 1 <= int(level[:3]) <= 8):
        raise UserError("The computer of Lichess has the levels 1 to 8; give one with --level.")
    time: dict[str, Any] = {}
    if "time_control" in given.chosen:
        control = stored(given.time_control)
        periods = control.periods
        if len(periods) > 1 or any(part.moves for part in periods) or control.mode != "increment":
            raise UserError(
                "Lichess knows one period only, without a delay; give a --time-control such "
                "as 15m+10s."
            )
        time = {"limit_s": None, "increment_s": 0}
        for period in periods:
            time = {"limit_s": period.base // 1000, "increment_s": period.increment // 1000}
    wanted = WantedGame(
        whom=given.challenge or "",
        ai=None if level is None else int(level),
        waits=given.accept,
        days=None if given.days is None else int(given.days),
        rated=given.rated,
        side=given.impaired if "impaired" in given.chosen else "",
        chess960=given.chess960,
        fen="" if given.fen == options.START else given.fen,
        **time,
    )
    wanted.check()
    return wanted


def with_found_game(
    given: PlayOptions, pack: "Language", lines: "TypedLines", out: TextIO
) -> PlayOptions | None:
    """Find a game at Lichess, and say meanwhile what happens. Return the options of the game; None
    if there is none.

    :raises LichessError, ValueError: if Lichess refuses, or no account is known.
    """
    from blindplay.opponents.lichess.api import LichessApi, kept_account
    from blindplay.opponents.lichess.lobby import Lobby
    from blindplay.table.attendant import Prompter
    from blindplay.wording.values import in_words

    user = kept_account()
    with ExitStack() as stack:
        voice = Prompter(stack, pack, given.silent, out)

        def say(key: str, **values: "Value") -> None:
            voice.say(pack.sentence(key, **{name: in_words(v, pack) for name, v in values.items()}))

        def within(seconds: float) -> "TypedAnswer | None":
            line = lines.within(seconds)
            return None if line is None else _answer_of(line.strip(), pack)

        api = stack.enter_context(LichessApi(user))
        game = Lobby(api, user.name, wanted_game(given), say, within).find()
    return None if game is None else replace(given, **_options_of(game, user.server))


def _answer_of(line: str, pack: "Language") -> "TypedAnswer":
    from blindplay.language import Command, Key, key_of
    from blindplay.opponents.lichess.lobby import TypedAnswer

    if key_of(pack, line) is Key.END:
        return TypedAnswer.END
    command = pack.understand(line, chess.Board()).command
    if command is Command.YES:
        return TypedAnswer.YES
    return TypedAnswer.NO if command is Command.NO else TypedAnswer.OTHER


def _options_of(game: "FoundGame", server: str) -> dict[str, Any]:
    about, start = game.about, _start_here(game)
    clock = "-" if about.initial_s is None else f"{about.initial_s}+{about.increment_s}"
    return {
        "impaired": game.side,
        **{side: about.players[side].name for side in SIDES},
        "time_control": clock,
        "fen": start.fen(),
        "chess960": start.chess960,
        "site": f"{server}/{game.id}",
        "event": "Lichess",
    }


def _start_here(game: "FoundGame") -> chess.Board:
    """The position with which this table begins: where the player has moved already, such as on a
    phone, it is the present one."""
    board = game.about.start.copy()
    begins = "white" if board.turn else "black"
    if len(game.state.moves) > (begins != game.side):
        for move in game.state.moves:
            board.push(move)
    return board
