"""What people say at a board in everyday words is understood, and never as something else.

``everyday`` has phrases of each language with their meanings: the values of commands, ``nothing``
for words that only ask for time, and moves in UCI under their position.
"""

import random
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import chess
import pytest

from blindplay.language import CHANGES_NOTHING, Command, Kind, Understanding, load
from blindplay.language.pack import Pack, fold

FOLDER = Path(__file__).with_name("everyday")
CODES = sorted(file.stem for file in FOLDER.glob("*.toml"))
SHARE = 0.9
"""Of the phrases that people choose, so many must be understood."""


@dataclass(frozen=True)
class Phrase:
    """What somebody says, in which position, and its meaning; no meaning asks for time only."""

    text: str
    board: chess.Board
    command: Command | None = None
    move: chess.Move | None = None

    def fits(self, meant: Understanding) -> bool:
        if self.move is not None:
            return meant.move == self.move and meant.command is None
        if self.command is Command.CORRECTION:
            return meant.correction
        return meant.command is self.command if self.command else meant.kind is Kind.NOTHING


def _phrases(code: str) -> Iterator[Phrase]:
    listed = tomllib.loads((FOLDER / f"{code}.toml").read_text("utf-8"))
    words, board = load(code), chess.Board()
    names = {"square": words.square(chess.E4), "pieces": words.pieces(chess.ROOK)}
    for value, texts in listed["commands"].items():
        yield from (Phrase(text.format(**names), board, Command(value)) for text in texts)
    yield from (Phrase(text, board) for text in listed["nothing"]["phrases"])
    for given in listed["moves"]:
        position = chess.Board(given.pop("position"))
        for uci, texts in given.items():
            move = chess.Move.from_uci(uci)
            yield from (Phrase(text, position, move=move) for text in texts)


@pytest.mark.parametrize("code", CODES)
def test_what_people_say_at_a_board_is_understood(code: str) -> None:
    words, phrases = load(code), list(_phrases(code))
    assert len(phrases) >= 300
    failed = [one.text for one in phrases if not one.fits(words.understand(one.text, one.board))]
    assert len(failed) <= (1 - SHARE) * len(phrases), failed


@pytest.mark.parametrize("code", CODES)
def test_no_everyday_phrase_is_taken_for_something_else(code: str) -> None:
    words = load(code)
    for one in _phrases(code):
        meant = words.understand(one.text, one.board)
        harmless = meant.kind in (Kind.UNCLEAR, Kind.NOTHING, Kind.AMBIGUOUS, Kind.ILLEGAL)
        assert one.fits(meant) or harmless, one.text


@pytest.mark.parametrize("code", CODES)
def test_words_of_chatter_never_give_a_command_that_changes_the_game(code: str) -> None:
    words, pack, chance = load(code), Pack.read(code), random.Random(1)
    forms = [
        form
        for command in Command
        if command not in CHANGES_NOTHING and command is not Command.SEAL
        for form in (*pack.said(command), *pack.typed(command.value))
    ]
    of_forms = {word for form in forms for word in fold(form).split()}
    courtesy = {word for phrase in pack.typed("courtesy") for word in fold(phrase).split()}
    courtesy |= {word for phrase in pack.typed("asking") for word in fold(phrase).split()}
    move_words = {word for phrase in pack.dictionary for word in phrase.split()}
    chatter = sorted({*map(fold, pack.data["fillers"])} - of_forms - courtesy - move_words)
    assert len(chatter) > 20
    for form in chance.sample(forms, 300):
        said = form.split()
        said.insert(chance.randrange(len(said) + 1), chance.choice(chatter))
        meant = words.understand(" ".join(said), chess.Board())
        # A claim takes the rest for its move. The table refuses one that is no move.
        harmless = meant.command is None or meant.command in CHANGES_NOTHING or meant.rest
        assert harmless, (said, meant)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "the game is on"),
        ("en", "I resign myself to a long evening"),
        ("en", "if he plays well, I resign"),
        ("nb", "Pausen er nesten over"),
        ("nb", "filmen er over"),
        ("da", "filmen er slut"),
        ("sv", "filmen är slut"),
        ("de", "der Film ist aus"),
        ("de", "wenn er gut spielt, gebe ich auf"),
    ],
)
def test_chatter_changes_nothing(code: str, text: str) -> None:
    meant = load(code).understand(text, chess.Board())
    assert meant.command is None or meant.command in CHANGES_NOTHING
