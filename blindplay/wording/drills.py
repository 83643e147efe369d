"""Exercises without a board: colours of squares, paths of the knight, attacks, and dictation."""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

import chess

from blindplay.language import Language
from blindplay.language.pack import fold

from .values import read_time

_ATTACKERS = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)
_MOST_PLIES = 40  # before a move that is dictated
_LONGEST_S = 3599  # from an hour on, times are said without seconds
_PATH = range(2, 5)  # moves of a knight; one would be no path


class DrillKind(Enum):
    """A kind of exercise. ``drill_name_<value>`` is its name in the packs."""

    COLOUR = "colour"
    KNIGHT = "knight"
    ATTACK = "attack"
    MOVES = "moves"
    TIMES = "times"


@dataclass(frozen=True)
class Exercise:
    """A question in words, whether a typed line answers it, and the right answer in words."""

    question: str
    right: Callable[[str], bool]
    answer: str


def exercise(kind: DrillKind, pack: Language, chance: random.Random) -> Exercise:
    """Return a random exercise of this kind."""
    return _EXERCISES[kind](pack, chance)


def squares_in(pack: Language, text: str) -> list[chess.Square]:
    """Return the squares that a typed line names, in words or as ``c3``; other words are left out.

    >>> from blindplay.language import load
    >>> squares_in(load("de"), "c3, David fünf") == [chess.C3, chess.D5]
    True
    """
    named = {fold(pack.square(square)): square for square in chess.SQUARES}
    named |= {chess.square_name(square): square for square in chess.SQUARES}
    names = "|".join(map(re.escape, sorted(named, key=len, reverse=True)))
    return [named[name] for name in re.findall(rf"\b(?:{names})\b", fold(text))]


def _colour(pack: Language, chance: random.Random) -> Exercise:
    square = chance.randrange(64)
    answer = pack.sentence(
        "white" if chess.BB_SQUARES[square] & chess.BB_LIGHT_SQUARES else "black"
    )

    def right(text: str) -> bool:
        typed, name = fold(text), fold(answer)
        return bool(typed) and (name.startswith(typed) or typed.startswith(name))

    return Exercise(pack.sentence("drill_colour", square=pack.square(square)), right, answer)


def _knight_paths(start: chess.Square) -> dict[chess.Square, list[chess.Square]]:
    """Return a shortest path of a knight to each square, without ``start``."""
    paths: dict[chess.Square, list[chess.Square]] = {start: []}
    nearest = [start]
    for at in nearest:
        for to in chess.SquareSet(chess.BB_KNIGHT_ATTACKS[at]):
            if to not in paths:
                paths[to] = [*paths[at], to]
                nearest.append(to)
    return paths


def _knight(pack: Language, chance: random.Random) -> Exercise:
    start = chance.randrange(64)
    paths = [path for path in _knight_paths(start).values() if len(path) in _PATH]
    shortest = chance.choice(paths)
    end = shortest[-1]

    def right(text: str) -> bool:
        path = squares_in(pack, text)
        path = path[1:] if path[:1] == [start] else path
        steps = zip([start, *path], path, strict=False)
        legal = all(chess.BB_KNIGHT_ATTACKS[at] & chess.BB_SQUARES[to] for at, to in steps)
        return legal and len(path) == len(shortest) and path[-1] == end

    question = pack.sentence("drill_knight", square=pack.square(start), to=pack.square(end))
    return Exercise(question, right, ", ".join(map(pack.square, shortest)))


def _attack(pack: Language, chance: random.Random) -> Exercise:
    while True:
        board = chess.Board(None)
        places = chance.sample(range(64), len(_ATTACKERS) + 1)
        for square, kind in zip(places, _ATTACKERS, strict=False):
            board.set_piece_at(square, chess.Piece(kind, chess.WHITE))
        attackers = list(board.attackers(chess.WHITE, places[-1]))
        if len(attackers) == 1:
            break
    (attacker,) = attackers
    kind = board.piece_type_at(attacker) or chess.QUEEN
    name = pack.piece_alone(kind)
    letter = pack.notation(chess.piece_symbol(kind).upper())

    def right(text: str) -> bool:
        squares = squares_in(pack, text)
        return squares == [attacker] if squares else fold(text) in (fold(name), fold(letter))

    pieces = [f"{pack.piece_alone(of)} {pack.square(at)}"
              for at, of in zip(places, _ATTACKERS, strict=False)]  # fmt: skip
    question = pack.sentence(
        "drill_attack", pieces=", ".join(pieces), square=pack.square(places[-1])
    )
    return Exercise(question, right, f"{name} {pack.square(attacker)}")


def _move(pack: Language, chance: random.Random) -> Exercise:
    board = chess.Board()
    for _ in range(chance.randrange(_MOST_PLIES)):
        board.push(chance.choice(list(board.legal_moves)))
        if board.is_game_over():
            board.pop()
            break
    move = chance.choice(list(board.legal_moves))
    said = pack.announce(board, move)

    def right(text: str) -> bool:
        return pack.understand(text, board).move == move

    return Exercise(pack.sentence("drill_moves", move=said), right, said)


def _time(pack: Language, chance: random.Random) -> Exercise:
    seconds = chance.randint(1, _LONGEST_S)
    said = pack.duration(1000 * seconds)

    def right(text: str) -> bool:
        try:
            return read_time(text.strip()) == seconds
        except ValueError:
            return False

    return Exercise(pack.sentence("drill_times", time=said), right, said)


_EXERCISES: Mapping[DrillKind, Callable[[Language, random.Random], Exercise]] = {
    DrillKind.COLOUR: _colour,
    DrillKind.KNIGHT: _knight,
    DrillKind.ATTACK: _attack,
    DrillKind.MOVES: _move,
    DrillKind.TIMES: _time,
}
