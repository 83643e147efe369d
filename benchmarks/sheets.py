"""Scoresheets as people of many countries write them, and how many of them are read whole."""

import io
import itertools
import random
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import chess
import chess.pgn

from blindplay.language import load
from blindplay.language.scoresheets.entries import entries
from blindplay.language.scoresheets.letters import BRITISH_BRAILLE, FIGURINES, LANGUAGES
from blindplay.record.disputes import Reconciliation, decide

_SEED = 2026
_EDITION = "fide-2023"
COUNTRIES = sorted(LANGUAGES.keys() - {BRITISH_BRAILLE})


class Slip(Enum):
    """A slip of the pen, as people make them."""

    NUMBER = "number"  # a number is skipped, and the moves go on
    EXCHANGED = "exchanged"  # White's and Black's move of one line are exchanged
    IMPOSSIBLE = "entry"  # an entry is impossible there, and everything after it agrees
    ANOTHER = "another"  # an entry is another legal move, and everything after it agrees
    MISSING = "missing"  # an entry is left out


_LOSES = (Slip.IMPOSSIBLE, Slip.ANOTHER, Slip.MISSING)


@dataclass(frozen=True)
class Sheet:
    """A sheet as a text, with its slips: each with the ply of the game."""

    text: str
    slips: Mapping[int, Slip]

    @property
    def lost(self) -> set[int]:
        """The plies whose moves the sheet does not hold."""
        return {ply for ply, slip in self.slips.items() if slip in _LOSES}


def game(rng: random.Random, plies: int) -> list[chess.Move]:
    """A random game that prefers captures and does not end early."""
    board, moves = chess.Board(), list[chess.Move]()
    while len(moves) < plies:
        found = [move for move in board.legal_moves if not _ends(board, move)]
        if not found:
            board, moves = chess.Board(), []
            continue
        captures = [move for move in found if board.is_capture(move) or board.is_castling(move)]
        moves.append(rng.choice(captures if captures and rng.random() < 0.4 else found))
        board.push(moves[-1])
    return moves


def _ends(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    over = board.is_game_over()
    board.pop()
    return over


def games_of(folder: Path, plies: int) -> Iterator[list[chess.Move]]:
    """The games of all PGN files in a folder that have at least so many plies, cut there."""
    for file in sorted(folder.rglob("*.pgn")):
        stream = io.StringIO(file.read_text(encoding="utf-8", errors="replace"))
        while (read := chess.pgn.read_game(stream)) is not None:
            moves = list(read.mainline_moves())
            if len(moves) >= plies and not read.errors and "FEN" not in read.headers:
                yield moves[:plies]


def alphabet(rng: random.Random, *countries: str) -> dict[str, str]:
    """Letters for K, Q, R, B and N. Of two countries, each piece takes one of them."""
    if countries == ("figurines",):
        return dict(zip("KQRBN", FIGURINES, strict=False))
    while True:
        found = {
            piece: rng.choice(LANGUAGES[rng.choice(countries)].split()[place].split("/"))
            for place, piece in enumerate("KQRBN")
        }
        if len(set(found.values())) == len(found):
            return found


def written(
    rng: random.Random,
    moves: Sequence[chess.Move],
    letters: Mapping[str, str],
    slips: int,
    lost: Collection[int] = (),
) -> Sheet:
    """A sheet of a game in these letters, with the habits of one person and some slips. ``lost``
    are plies that the other sheet does not hold, so this one does: what nobody has written, nobody
    can read."""
    captures, castling, check = rng.choice(("x", ":", "")), rng.choice("0O"), rng.random() < 0.5
    board, texts, made = chess.Board(), list[str](), dict[int, Slip]()
    others = list[str]()

    def text_of(move: chess.Move) -> str:
        san = board.san(move)
        text = san.replace("x", captures)
        if "O" in san:
            text = san.replace("O", castling)
        else:
            text = "".join(letters.get(sign, sign) for sign in text)
        return text if check else text.rstrip("+#")

    for move in moves:
        texts.append(text_of(move) + rng.choice(("", "", "", "", f" ({rng.randrange(10, 90)})")))
        others.append(text_of(rng.choice(list(board.legal_moves))))
        board.push(move)
        if rng.random() < 0.02:
            texts[-1] = f"~~{letters['N']}h3~~ {texts[-1]}"
    for _ in range(slips):
        slip = rng.choice(list(Slip))
        line = rng.randrange(1, len(moves) // 2 - 3)
        ply = 2 * line + 1
        ply += rng.randrange(2) if slip in _LOSES else 0
        if any(abs(ply - other) < 6 for other in made) or (slip in _LOSES and ply in lost):
            continue
        if slip is Slip.EXCHANGED and _look_alike(texts[ply - 1], texts[ply]):
            continue
        if slip is Slip.IMPOSSIBLE:
            texts[ply - 1] = _impossible(rng, moves[: ply - 1], letters)
        elif slip is Slip.EXCHANGED:
            texts[ply - 1], texts[ply] = texts[ply], texts[ply - 1]
        elif slip in (Slip.ANOTHER, Slip.MISSING):
            same = _look_alike(texts[ply - 1], others[ply - 1])
            texts[ply - 1] = "..." if slip is Slip.MISSING or same else others[ply - 1]
            slip = Slip.MISSING if same else slip
        made[ply] = slip
    number, lines = 0, list[str]()
    for at in range(0, len(texts), 2):
        number += 2 if made.get(at + 1) is Slip.NUMBER else 1
        lines.append(f"{number}. {' '.join(texts[at : at + 2])}")
    return Sheet("\n".join(lines), made)


def pair(
    rng: random.Random,
    moves: Sequence[chess.Move],
    letters: Iterable[Mapping[str, str]],
    slips: int | None = None,
) -> list[Sheet]:
    """Both sheets of a game, each in its own ``letters``. Without ``slips``, each has up to three.
    No move is lost from both."""
    found = list[Sheet]()
    for own in letters:
        lost = {ply for sheet in found for ply in sheet.lost}
        number = rng.randint(0, 3) if slips is None else slips
        found.append(written(rng, moves, own, number, lost))
    return found


def _look_alike(one: str, other: str) -> bool:
    """True if nobody sees that two entries are exchanged."""
    squares = [re.findall("[a-h][1-8]", text.rpartition("~~ ")[2]) for text in (one, other)]
    return squares[0][-1:] == squares[1][-1:]


def _impossible(
    rng: random.Random, before: Sequence[chess.Move], letters: Mapping[str, str]
) -> str:
    """An entry that no piece can make legal, whatever its letter means."""
    board = chess.Board()
    for move in before:
        board.push(move)
    reached = {move.to_square for move in board.legal_moves}
    square = rng.choice([at for at in chess.SQUARES if at not in reached])
    return letters[rng.choice("KQRBN")] + chess.square_name(square)


class Verdict(Enum):
    """How a pair of sheets was read."""

    READ = "read whole, each slip named"
    NAMED = "stopped at a slip, which is named, because nothing later shows the move"
    UNNAMED = "read whole, a slip not named"
    STOPPED = "stopped elsewhere"
    WRONG = "led to another position"


def judged(
    moves: Sequence[chess.Move], white: Sheet, black: Sheet
) -> tuple[Verdict, Reconciliation]:
    """How both sheets of a game are read together."""
    sheets = {"white": white, "black": black}
    decision = decide(
        {side: entries(sheet.text) for side, sheet in sheets.items()},
        {}, chess.Board(), _EDITION, load("en"),
    )  # fmt: skip
    found = decision.comparison
    board = chess.Board()
    for move in moves[: len(found.moves)]:
        board.push(move)
    if found.position != board:
        return Verdict.WRONG, decision
    if found.stop is not None or len(found.moves) < len(moves):
        slips = any(found.ply in sheet.slips for sheet in sheets.values())
        told = slips and found.stop in ("parted", "illegal")
        return (Verdict.NAMED if told else Verdict.STOPPED), decision
    named = {(slip.side, slip.ply) for slip in found.slips}
    if found.open_from is not None:  # the reader says that either sheet may be wrong there
        named |= {(side, ply) for side in sheets for ply in range(found.open_from, len(moves) + 1)}
    meant = {
        (side, ply)
        for side, sheet in sheets.items()
        for ply, slip in sheet.slips.items()
        if slip is not Slip.MISSING
    }
    return (Verdict.READ if meant <= named else Verdict.UNNAMED), decision


def figures(
    count: int, folder: Path | None, countries: Sequence[str] = (*COUNTRIES, "figurines")
) -> Iterator[str]:
    """Yield how many pairs of sheets are read whole, for sheets of one country, of two, and with
    letters of a player's own; each without slips and with up to three on each sheet."""
    rng = random.Random(_SEED)
    found = games_of(folder, 50) if folder is not None else iter(())
    games = list(itertools.islice(found, count)) or [game(rng, 50) for _ in range(count)]
    for kind in ("one language", "two languages", "an own letter"):
        for slips in (0, None):
            counts, spent = dict.fromkeys(Verdict, 0), 0.0
            for moves in games:
                for country in countries:
                    letters = [_letters(rng, kind, country)]
                    letters.append(_letters(rng, kind, rng.choice(COUNTRIES)))
                    sheets = pair(rng, moves, letters, slips)
                    begin = time.process_time()
                    verdict, _ = judged(moves, *rng.sample(sheets, 2))
                    spent += time.process_time() - begin
                    counts[verdict] += 1
            pairs = sum(counts.values())
            told = ", ".join(f"{counts[one]} {one.value}" for one in Verdict if counts[one])
            errors = "up to three slips" if slips is None else "no slips"
            yield (
                f"Sheets in {kind}, {errors} each: {pairs} "
                f"pairs of {len(games)} games; {told}; mean {spent / pairs * 1000:.0f} ms."
            )


def _letters(rng: random.Random, kind: str, country: str) -> dict[str, str]:
    if kind == "two languages" and country != "figurines":
        return alphabet(rng, country, rng.choice(COUNTRIES))
    found = alphabet(rng, country)
    if kind == "an own letter":
        free = [sign for sign in "ABCEGHIJMNOPUWYZ" if sign not in found.values()]
        found[rng.choice("QRBN")] = rng.choice(free)
    return found
