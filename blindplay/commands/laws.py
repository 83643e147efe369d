"""``blindplay mating`` and ``blindplay replay``: questions to the Laws."""

import contextlib
import sys
from pathlib import Path
from typing import Any

import chess
import click

from blindplay.language import Language
from blindplay.laws.mating import REASONS, Mating, MatingVerdict, can_mate
from blindplay.laws.rulings import dumps
from blindplay.translation import UserError, _

from . import options


@click.command()
@click.option("--fen", help=_("Take this position, in FEN."))
@click.option(
    "--batch",
    help=_("Answer for each line of this file, in JSON; a line is a FEN, and - is standard input."),
)
@options.language(help=_("Answer in this language."))
@options.as_json(help=_("Print JSON instead of plain lines."))
def mating(fen: str | None, batch: str | None, pack: Language, as_json: bool) -> None:
    """Tell whether each side can still mate, and how (5.2.2, 6.9).

    Any series of legal moves counts.
    """
    if fen is not None and batch is None:
        board = options.position(fen)
        if as_json:
            options.show({"fen": fen, **_verdicts(board)})
            return
        for side, verdict in _mating_of_sides(board).items():
            options.show(_in_words(board, side, verdict, pack))
    elif batch is not None and fen is None:
        _answer_lines(batch)
    else:
        raise UserError("Give one of: --fen FEN or --batch FILE.")


def _answer_lines(batch: str) -> None:
    """Print one line of JSON for each position. A line that cannot be read holds the error.

    :raises ValueError: at the end, if there was such a line.
    """
    unread = 0
    with options.open_text(batch) as lines:
        for fen in filter(None, map(str.strip, lines)):
            try:
                options.show({"fen": fen, **_verdicts(options.position(fen))})
            except ValueError as error:
                unread += 1
                options.show({"fen": fen, "error": str(error)})
    if unread:
        raise UserError(
            "{unread} lines of {batch} could not be read; see the error in each.",
            unread=unread,
            batch=batch,
        )


def _mating_of_sides(board: chess.Board) -> dict[str, Mating]:
    sides = (("white", chess.WHITE), ("black", chess.BLACK))
    return {side: can_mate(board, colour) for side, colour in sides}


def _verdicts(board: chess.Board) -> dict[str, dict[str, Any]]:
    """Return for each side whether it can still mate, with a line of moves or the reason, as
    JSON."""
    verdicts: dict[str, dict[str, Any]] = {}
    for side, mating in _mating_of_sides(board).items():
        verdicts[side] = {"verdict": mating.verdict.value}
        if mating.verdict is MatingVerdict.POSSIBLE:
            verdicts[side]["line"] = [move.uci() for move in mating.line]
        elif mating.verdict is MatingVerdict.IMPOSSIBLE:
            verdicts[side]["reason"] = mating.reason
    return verdicts


def _in_words(board: chess.Board, side: str, mating: Mating, pack: Language) -> str:
    """The answer for one side, with the moves as its language writes them."""
    verdict = mating.verdict.value
    if mating.verdict is MatingVerdict.POSSIBLE and not mating.line:
        verdict = "done"
    line: list[str] = []
    position = board.copy(stack=False)
    for move in mating.line:
        number = f"{position.fullmove_number}."
        if position.turn or not line:
            line.append(number if position.turn else f"{number}..")
        line.append(pack.write(position, move))
        position.push(move)
    return pack.printed(f"mating_{verdict}").format(
        player=pack.sentence(side),
        line=" ".join(line),
        why=pack.printed(f"mating_{REASONS[mating.reason]}") if mating.reason else "",
    )


@click.command()
@click.argument(
    "file", default="-", help=_("Read facts as JSON Lines from this file; - is standard input.")
)
@click.option("--edition", type=options.EDITION, help=_("Use this edition instead of the setup's."))
@click.option("--journal", type=options.FILE, help=_("Read the facts of this journal instead."))
def replay(file: str, edition: str | None, journal: Path | None) -> None:
    """Read facts and print the rulings.

    Both are JSON Lines, as described in docs/development/facts-and-rulings.md.
    """
    from blindplay.record.games import read_facts, read_from_journal
    from blindplay.record.games import replay as rule

    with contextlib.ExitStack() as stack:
        if journal is not None:
            facts = read_from_journal(journal, lambda sentence: print(sentence, file=sys.stderr))
        else:
            facts = read_facts(stack.enter_context(options.open_text(file)), file)
        for ruling in rule(facts, edition):
            print(dumps(ruling), flush=True)
