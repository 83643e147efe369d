"""``blindplay drill``: exercises by ear and keyboard, without a board."""

import sys
from contextlib import ExitStack

import click

from blindplay.language import Language
from blindplay.wording.drills import DrillKind

from . import options


@click.command()
@click.argument(
    "kind",
    type=options.MemberChoice(list(DrillKind)),
    required=False,
    help="Take only exercises of this kind. Without it, each kind is taken in turn.",
)
@options.language(help="Speak and print in this language.")
@click.option("--count", type=click.IntRange(1, 1000), default=10, help="Give so many exercises.")
@click.option("--scores", is_flag=True, help="Say the scores of the last days, and ask nothing.")
@options.flag("silent", "Print everything and say nothing.")
def drill(kind: DrillKind | None, pack: Language, count: int, scores: bool, silent: bool) -> None:
    """Practise blindfold: colours of squares, knights, attacks, moves and times by dictation.

    Type each answer: white or w; the squares of the path, such as c3 d5; a piece or its square; a
    move as on a scoresheet; a time such as 5:03. Enter repeats the question. The scores of each day
    are kept on this machine.
    """
    from blindplay.table import drilling
    from blindplay.table.board_setup import Prompter

    kinds = list(DrillKind) if kind is None else [kind]
    if not scores:
        drilling.drill(kinds, count, pack, silent, sys.stdin, sys.stdout)
        return
    with ExitStack() as stack:
        voice = Prompter(stack, pack, silent, sys.stdout)
        for sentence in drilling.scores_in_words(pack, kinds):
            voice.say(sentence)
