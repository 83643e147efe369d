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
    """The game in PGN, with each player's time left after his move where there is a clock."""
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
    for ply in game.history:
        node = node.add_variation(ply.move)
        if game.clock:
            side = "white" if ply.before.turn == chess.WHITE else "black"
            node.comment = f"[%clk {_clock(ply.clock.left[side])}]"
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
