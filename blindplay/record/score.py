"""The game on paper: PGN, and each scoresheet as it was written."""

from __future__ import annotations

import datetime

import chess
import chess.pgn

from blindplay.laws.game import Game

_MINUTE = 60_000


def _clock(milliseconds: int) -> str:
    """PGN's ``%clk``: h:mm:ss."""
    seconds = milliseconds // 1000
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def pgn(game: Game, date: datetime.date | None = None) -> str:
    """The game in PGN, with each player's time left after his move where there is a clock, and
    ``(=)`` where he offered a draw with it (9.1.2.2)."""
    assert game.setup is not None
    out = chess.pgn.Game()
    out.headers["Event"] = "BlindPlay"
    out.headers["Date"] = date.strftime("%Y.%m.%d") if date else "????.??.??"
    out.headers["White"] = game.setup.white.name or "?"
    out.headers["Black"] = game.setup.black.name or "?"
    out.headers["Result"] = game.result or "*"
    out.headers["TimeControl"] = game.setup.time_control
    out.headers["Rules"] = game.setup.edition
    if game.start_board.fen() != chess.STARTING_FEN:
        out.setup(game.start_board)
    node: chess.pgn.GameNode = out
    for number, ply in enumerate(game.history, 1):
        if ply.illegal:
            # PGN knows no illegal moves: from here on the moves are kept in a comment.
            rest = " ".join(later.move.uci() for later in game.history[number - 1 :])
            node.comment = f"{node.comment} An illegal move stands; moves from here: {rest}".strip()
            break
        node = node.add_variation(ply.move)
        comments = ["(=)"] if (number, ply.side) in game.offered_at else []
        if game.clock:
            comments.append(f"[%clk {_clock(ply.clock.left[ply.side])}]")
        node.comment = " ".join(comments)
    return str(out)


def scoresheet(game: Game, side: str) -> str:
    """One player's scoresheet as he wrote it, a line a move, struck entries behind it.

    Plain lines, so that a screen reader or a Braille display can follow: ``1. e4 … e5``.
    """
    sheet = game.sheets[side]
    lines = []
    last = max(sheet, default=0)
    for number in range(1, (last + 1) // 2 + 1):
        white = sheet.get(2 * number - 1, "(nothing)")
        black = sheet.get(2 * number, "")
        lines.append(f"{number}. {white}" + (f" … {black}" if black else ""))
    for owner, ply, text in game.struck:
        if owner == side:
            lines.append(f"struck through, ply {ply}: {text}")
    return "\n".join(lines) or "(empty)"
