"""Whether a game in PGN may still be played. Nothing is examined then (11.3.1).

Servers, pairing programs and boards write this in different ways, or not at all. So a game counts
as over only if it says so: by a result, by a word for its end, or by its last position.
"""

import datetime
import re

import chess.pgn

_RUNNING = re.compile(
    r"\b(un(terminated|finished)|(in|still|work\s+in)[\s_-]+progress|not[\s_-]+(over|finished)"
    r"|adjourned|suspended|paused|on-?going|started|created|live|läuft|hängepartie|pågår)\b",
    re.IGNORECASE,
)
"""How servers and programs write that a game is not over, in a tag or in the last comment."""
_WON = re.compile(r"\b(won|drawn|lost)\b", re.IGNORECASE)
"""Chess.com writes *NAME won by …*, and a player may have any of those words for a name."""
_STATES = ("Termination", "TerminationDetails", "Status", "GameStatus")
_ENDED = re.compile(
    r"\s*(abandoned|adjudication|death|emergency|rules\s+infraction|time\s+forfeit)\s*",
    re.IGNORECASE,
)
"""Termination of games that have ended, though perhaps without a result (PGN standard, 9.8.1).
A ``normal`` end has a result."""
_RESULT = re.compile(r"(1|0|1/2|½|0[.,]5)\s*[-–:]\s*(1|0|1/2|½|0[.,]5)|[+-]\s*[/:]\s*[+-]|1/2|½")
_OTHER_RESULT = re.compile(
    r"(?:^|\s)(?:Both players have lost: 0-0|The result is (?:1/2-0|0-1/2))$"
)
"""Our own comment on a result that PGN does not have (11.8). Without its words ``0-0`` is castling:
a planned move, or the last one after an illegal move."""
_CLOCK = re.compile(r"\[%(clk|emt)\b")
_DATES = ("Date", "UTCDate", "EndDate")
_DATE = re.compile(r"(\d{4})[-./](\d\d)[-./](\d\d)", re.ASCII)
_RECENT_DAYS = 7
_GAME_PAGE = re.compile(r"lichess\.org/\w{8,12}\b(?!/)|chess\.com/(game/)?(live|daily)\b")


def says_ongoing(game: chess.pgn.Game) -> bool:
    """Return whether a game says that it is not over, in a tag or in its last comment."""
    headers, end = game.headers, game.end()
    result = headers.get("Result", "").strip()
    states = (result, *(headers.get(tag, "") for tag in _STATES))
    if any(_RUNNING.search(state) and not _WON.search(state) for state in states):
        return True
    return not has_end(game) and bool(_RUNNING.search(end.comment))


def may_be_ongoing(game: chess.pgn.Game, *, as_puzzle: bool, today: datetime.date) -> bool:
    """Return whether a game may still be played.

    A puzzle has no result. It counts as a running game if it looks like one: with clocks, a time
    control or the page of a server's game, or with two players and a date of the last days.
    """
    if says_ongoing(game):
        return True
    if has_end(game) or (game.variations and game.end().board().is_game_over()):
        return False
    return not as_puzzle or looks_played(game) or _has_players_of_now(game, today)


def has_end(game: chess.pgn.Game) -> bool:
    """Return whether a game has a result, or a word for its end."""
    return bool(
        _RESULT.fullmatch(game.headers.get("Result", "").strip())
        or _ENDED.fullmatch(game.headers.get("Termination", ""))
        or _OTHER_RESULT.search(game.end().comment)
    )


def looks_played(game: chess.pgn.Game) -> bool:
    """Return whether a game has clocks, a time control, or the page of a server's game."""
    headers = game.headers
    if headers.get("TimeControl", "-").strip() not in ("", "-", "?"):
        return True
    if any(_GAME_PAGE.search(headers.get(tag, "")) for tag in ("Site", "Link", "GameURL")):
        return True
    if headers.get("WhiteClock") or headers.get("BlackClock"):
        return True
    return any(_CLOCK.search(node.comment) for node in (game, *game.mainline()))


def _has_players_of_now(game: chess.pgn.Game, today: datetime.date) -> bool:
    headers = game.headers
    named = all(headers.get(side, "?").strip(" ?-.") for side in ("White", "Black"))
    return named and any(_is_recent(headers.get(tag, ""), today) for tag in _DATES)


def _is_recent(written: str, today: datetime.date) -> bool:
    """Return whether a date in PGN is one of the last days, or of the next: places differ."""
    match = _DATE.fullmatch(written.strip())
    try:
        day = datetime.date(*map(int, match.groups())) if match else None
    except ValueError:
        return False
    return day is not None and -1 <= (today - day).days <= _RECENT_DAYS
