"""``blindplay analyse``: try moves on a board or by ear, with an engine."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from blindplay.language import Language
from blindplay.translation import UserError, _

from . import options

if TYPE_CHECKING:
    import chess
    import chess.pgn


@click.command()
@click.argument(
    "file",
    type=options.FILE,
    required=False,
    help=_(
        "Begin with the game in this journal, or with a game or position of this PGN, FEN or EPD. "
        "Without it, the initial position is taken."
    ),
)
@options.language(help=_("Speak and print in this language."))
@click.option(
    "--fen", "position", type=options.POSITION, help=_("Begin with this position, in FEN.")
)
@click.option(
    "--engine",
    help=_(
        "Use this UCI engine; none: go without one. Without it, Stockfish is used if it is "
        "installed."
    ),
)
@options.board_and_voice
@click.option("--number", type=click.IntRange(1), help=_("Take this one of a file."))
@click.option(
    "--output", type=options.FILE, help=_("Keep the analysis in this file, in PGN, from now on.")
)
@options.overwrite
def analyse(
    file: Path | None,
    pack: Language,
    position: "chess.Board | None",
    engine: str | None,
    board: bool,
    port: str | None,
    microphone: str | None,
    number: int | None,
    output: Path | None,
    overwrite: bool,
    silent: bool,
) -> None:
    """Analyse by moving pieces: on your board, by voice or by typing.

    After each move you hear who stands better, and the name of the opening. Ask for the best line,
    take moves back, compare moves, set up other positions. Everything that you try is kept as PGN
    at once. Nothing is analysed while a table on this machine plays a game.
    """
    from blindplay.opponents import uci
    from blindplay.opponents.analysis import Analyst
    from blindplay.record.analysis_tree import AnalysisTree, new_analysis
    from blindplay.record.games import check_none_is_played
    from blindplay.record.writing import check_output
    from blindplay.table.analysing import LONGEST_S, Analysing
    from blindplay.table.attendant import Attendant, Prompter, open_ear
    from blindplay.table.reviewing import Teacher

    if port is not None and not board:
        raise UserError("--port needs --board.")
    program = None
    if engine != "none":
        program = (uci.installed() or uci.BUILT_IN) if engine is None else uci.named(engine)
    beside = () if file is None else (file,)

    def may_look() -> None:
        check_none_is_played(*beside)

    may_look()
    if output is not None:
        check_output(file, output)
    options.check_new(output, overwrite=overwrite)
    game = _begun(file, position, number)
    with ExitStack() as stack:
        voice = Prompter(stack, pack, silent, sys.stdout)
        attendant = Attendant(stack, voice, sys.stdin, (port or "") if board else None)
        name = "" if program is None else program.name
        tree = AnalysisTree(output or new_analysis(), game, name)
        analyst = Analyst(program or uci.BUILT_IN, may_look, longest_s=LONGEST_S)
        teacher = Teacher(voice, attendant, analyst, silent)
        teacher.answers.ear = open_ear(stack, voice, attendant.hear, microphone)
        if program is not None and program.is_built_in:
            teacher.say("review_built_in")
        given = file is not None or position is not None
        try:
            Analysing(teacher, tree, analyst if program else None, may_look, given=given).run()
        finally:
            if tree.kept:
                options.show(pack.printed("analyse_kept", path=tree.path))


def _begun(
    file: Path | None, position: "chess.Board | None", number: int | None
) -> "chess.pgn.Game":
    """The game or position to begin with.

    :raises ValueError: if it cannot be analysed.
    """
    import chess

    from blindplay.record.analysis_tree import game_from
    from blindplay.record.studies import studies
    from blindplay.record.study import Puzzle, StudyKind, Unread

    if file is None:
        if number is not None:
            raise UserError("--number needs a file.")
        return game_from(chess.Board() if position is None else position)
    if position is not None:
        raise UserError("Give a file or --fen, but not both.")
    entries = studies(file, StudyKind.ANALYSIS, options.warn)
    if (number or 1) > len(entries):
        raise UserError(
            "{named} has no game or position of this --number; its last one is {count}.",
            named=file,
            count=len(entries),
        )
    if number is None:  # the first one that can be read
        number = next(at for at, one in enumerate(entries, 1) if not isinstance(one, Unread))
        for left_out in entries[: number - 1]:
            assert isinstance(left_out, Unread)
            options.warn(left_out.sentence)
    entry = entries[number - 1]
    if isinstance(entry, Unread):
        raise ValueError(entry.sentence)
    if isinstance(entry, Puzzle):
        return game_from(entry.board)
    if entry.remark:
        options.warn(entry.remark)
    return entry.pgn
