"""``blindplay drill`` and ``review``: exercises, a teacher after a game, and puzzles."""

import sys
from contextlib import ExitStack, suppress
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from blindplay.given import shown
from blindplay.language import Language
from blindplay.record.studies import studies
from blindplay.record.study import Puzzle, StudiedGame, Study, StudyKind, Unread
from blindplay.translation import UserError, _
from blindplay.wording.drills import DrillKind

from . import options

if TYPE_CHECKING:
    from blindplay.record.puzzle_collection import PuzzleWish
    from blindplay.table.reviewing import Teacher

# --- exercises by ear and keyboard, without a board


@click.command()
@click.argument(
    "kind",
    type=options.MemberChoice(list(DrillKind)),
    required=False,
    help=_("Take only exercises of this kind. Without it, each kind is taken in turn."),
)
@options.language(help=_("Speak and print in this language."))
@click.option(
    "--count", type=click.IntRange(1, 1000), default=10, help=_("Give so many exercises.")
)
@click.option("--scores", is_flag=True, help=_("Say the scores of the last days, and ask nothing."))
@options.flag("silent", _("Print everything and say nothing."))
def drill(kind: DrillKind | None, pack: Language, count: int, scores: bool, silent: bool) -> None:
    """Practise blindfold: colours of squares, knights, attacks, moves and times by dictation.

    Type each answer: white or w; the squares of the path, such as c3 d5; a piece or its square; a
    move as on a scoresheet; a time such as 5:03. Enter repeats the question. The scores of each day
    are kept on this machine.
    """
    from blindplay.table import drilling
    from blindplay.table.attendant import Prompter

    kinds = list(DrillKind) if kind is None else [kind]
    if not scores:
        drilling.drill(kinds, count, pack, silent, sys.stdin, sys.stdout)
        return
    with ExitStack() as stack:
        voice = Prompter(stack, pack, silent, sys.stdout)
        for sentence in drilling.scores_in_words(pack, kinds):
            voice.say(sentence)


# --- a teacher after a game, and puzzles


@click.command()
@click.argument(
    "game",
    type=options.FILE,
    required=False,
    help=_(
        "Read this journal, or the games and positions of this PGN, FEN, EPD or Lichess CSV. "
        "Without it, the game that ended last is taken."
    ),
)
@options.language(help=_("Speak and print in this language."))
@click.option(
    "--engine", help=_("Use this UCI engine. Without it, Stockfish is used if it is installed.")
)
@options.board_and_voice
@click.option("--number", type=click.IntRange(1), help=_("Begin with this one of a file."))
@click.option(
    "--theme",
    "themes",
    multiple=True,
    help=_("Take puzzles of this kind from a collection, such as fork; it can be repeated."),
)
@click.option(
    "--rating", help=_("Take puzzles of this rating from a collection, such as 1400-1600.")
)
@click.option(
    "--as",
    "kind",
    type=options.MemberChoice([StudyKind.GAME, StudyKind.PUZZLE]),
    help=_(
        "Take games in PGN for games or for puzzles. Without it, one that begins with a position "
        "is a puzzle."
    ),
)
@click.option(
    "--output", type=options.FILE, help=_("Write the games with annotations to this file, in PGN.")
)
@options.overwrite
def review(
    game: Path | None,
    pack: Language,
    engine: str | None,
    board: bool,
    port: str | None,
    microphone: str | None,
    number: int | None,
    themes: tuple[str, ...],
    rating: str | None,
    kind: StudyKind | None,
    output: Path | None,
    overwrite: bool,
    silent: bool,
) -> None:
    """Learn from a game that is over, or solve puzzles.

    It tells at most three turning points: the position, what was played, what was better and why,
    and the lines move by move. Enter goes on. Moves of puzzles are said, or typed in words or as
    on a scoresheet. Nothing is examined while a table on this machine plays a game.

    An entry of a file that cannot be read is named, and the next one follows. The exit status is 2
    then.
    """
    from blindplay.opponents import uci
    from blindplay.opponents.analysis import Analyst
    from blindplay.record import games
    from blindplay.record.journal import is_journal
    from blindplay.record.puzzle_collection import PuzzleCollection
    from blindplay.table.analysing import TryingOut
    from blindplay.table.attendant import Attendant, EndedError, Prompter, open_ear
    from blindplay.table.puzzle_training import train
    from blindplay.table.reviewing import Teacher

    if port is not None and not board:
        raise UserError("--port needs --board.")
    program = (uci.installed() or uci.BUILT_IN) if engine is None else uci.named(engine)
    named = game or games.last_finished()

    def may_look() -> None:
        games.check_none_is_played(named)

    may_look()
    collection = None if is_journal(named) else PuzzleCollection.at(named)
    wish = _wish(themes, rating)
    if collection is None and wish is not None:
        raise UserError(
            "{named} is no collection of puzzles; leave out --theme and --rating.", named=named
        )
    studied = [] if collection is not None else studies(named, kind, options.warn)
    first = number or 1
    if collection is None and first > len(studied):
        raise UserError(
            "{named} has no game or position of this --number; its last one is {count}.",
            named=named,
            count=len(studied),
        )
    if number and studied and isinstance(begin := studied[first - 1], Unread):
        raise ValueError(begin.sentence)
    _check_output(named, output, overwrite, studied)
    with ExitStack() as stack:
        voice = Prompter(stack, pack, silent, sys.stdout)
        attendant = Attendant(stack, voice, sys.stdin, (port or "") if board else None)
        teacher = Teacher(voice, attendant, Analyst(program, may_look), silent)
        teacher.try_out = TryingOut(teacher, program, may_look)
        if collection or any(isinstance(study, Puzzle) for study in studied):
            teacher.answers.ear = open_ear(stack, voice, attendant.hear, microphone)
        if program.is_built_in:
            teacher.say("review_built_in")
        if collection is not None:
            found = True
            with suppress(EndedError):
                found = train(teacher, collection, wish, number)
            if not found:
                raise UserError("{named} has no such puzzles; ask for others.", named=named)
            return
        with suppress(EndedError):
            _teach(teacher, studied[first - 1 :], first, output)
    left_out = (one for one in studied[first - 1 :] if isinstance(one, Unread))
    if unread := sum(not one.nothing for one in left_out):
        raise UserError(
            "Entries of {named} that cannot be read: {count}.", named=named, count=unread
        )


def _wish(themes: tuple[str, ...], rating: str | None) -> "PuzzleWish | None":
    """The puzzles that the options ask for; None if they do not.

    :raises ValueError: if there is no such rating.
    """
    from blindplay.record.puzzle_collection import PuzzleWish
    from blindplay.table.puzzle_training import read_ratings

    if not themes and rating is None:
        return None
    if rating is None:
        return PuzzleWish(frozenset(themes))
    try:
        return PuzzleWish(frozenset(themes), *read_ratings(rating))
    except ValueError:
        raise UserError(
            "--rating {rating} is no rating; write one such as 1400-1600.", rating=shown(rating)
        ) from None


def _check_output(named: Path, output: Path | None, overwrite: bool, studied: list[Study]) -> None:
    """Raise ValueError if the annotated games cannot be written there."""
    from blindplay.record.journal import is_journal
    from blindplay.record.writing import check_output

    if output is None:
        return
    same = output.exists() and named.exists() and output.samefile(named)
    if is_journal(named) or not same:
        check_output(named, output)
    if not any(isinstance(study, StudiedGame) for study in studied):
        raise UserError(
            "{named} holds no game, so there is nothing to write; leave out --output.", named=named
        )
    options.check_new(output, overwrite=overwrite)


def _teach(teacher: "Teacher", studied: list[Study], first: int, output: Path | None) -> None:
    """Review the games and ask the puzzles, in their order."""
    from blindplay.record.files import write_new
    from blindplay.table.reviewing import review as review_game
    from blindplay.table.reviewing import solve

    texts: list[str] = []

    def keep(text: str) -> None:
        texts.append(text)
        if output is not None:
            write_new(output, "\n".join(texts).encode())
            options.show(teacher.pack.printed("review_written", path=output))

    numbered = enumerate(studied, first)
    for is_game, same in groupby(numbered, key=lambda one: isinstance(one[1], StudiedGame)):
        group = list(same)
        if not is_game:
            solve(
                teacher, [one for _, one in group if not isinstance(one, StudiedGame)], group[0][0]
            )
            texts += [one.text for _, one in group if isinstance(one, Unread) and one.text]
        for _number, game in group:
            if isinstance(game, StudiedGame):
                review_game(teacher, game, keep)
    if texts and output is not None:
        write_new(output, "\n".join(texts).encode())
