"""Figures for ``python -m benchmarks``: the Laws, words, and everything together."""

import os
import platform
import random
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import replace

import chess

from blindplay.language import Language, languages
from blindplay.language.scoresheets.entries import entries
from blindplay.laws import Fact, Game
from blindplay.laws import facts as f
from blindplay.laws.deviation import explain
from blindplay.laws.mating import MatingVerdict, can_mate
from blindplay.laws.placement import change, write_placement
from blindplay.laws.state import OTHER
from blindplay.record.disputes import decide
from blindplay.wording.pack_words import PackWords

from .boards import figures as board_figures
from .command_line import figures as command_line_figures
from .opponents import figures as opponent_figures
from .roundtrip import roundtrip
from .speech import figures as speech_figures
from .spoilt_boards import mishap

_SEED = 2026
_PLIES = 300
_POSITIONS = 20_000  # in each language
_PREVIEWED = (10, 159, 600)  # plies
_EDITION = "fide-2023"


def measure(pack: Language) -> Iterator[str]:
    """Yield plain lines with all figures, and the machine that they were measured on."""
    yield (
        f"Machine: {platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}, {platform.system()}."
    )
    for code in languages():
        trip = roundtrip(_POSITIONS, _SEED, language=code)
        yield (
            f"Round trip announce, understand, {code}: {trip.positions} positions, {trip.moves} "
            f"moves, {len(trip.failures)} failures, {trip.seconds:.1f} s of processor time, "
            f"{trip.moves / trip.seconds:.0f} moves a second."
        )
    yield from command_line_figures()
    yield from speech_figures(pack)
    yield from opponent_figures(pack)
    yield _folding()
    yield previewing()
    yield from _mating()
    yield from board_figures()


def measure_reconciling(pack: Language, cases: int) -> Iterator[str]:
    """Yield how often, and how fast, the Laws explain a board on which hands have slipped once.

    The slip is known. It happens in ``cases`` random games of 100 plies, and in a tenth as many of
    300, with both scoresheets written in the letters of the language.
    """
    for plies, count in ((100, cases), (300, max(1, cases // 10))):
        rng = random.Random(_SEED)
        alone = named = both = 0
        taken, decided = [], 0.0
        for _ in range(count):
            made = mishap(rng, plies)
            start = time.process_time()
            found = explain(made.start, made.moves, made.shown)
            taken.append((time.process_time() - start) * 1000)
            alone += len(found) == 1
            named += made.slips in found
            both += found == (made.slips,)
            sheet = "\n".join(_written(pack, made.start, made.moves))
            shown = {"black": write_placement(made.shown)}
            start = time.process_time()
            sheets = {"white": entries(sheet), "black": entries(sheet)}
            decide(sheets, shown, made.start, _EDITION, pack)
            decided += (time.process_time() - start) * 1000
        taken.sort()
        yield (
            f"Boards with one slip, {plies} plies: {count} cases, one explanation "
            f"{alone / count:.1%}, the true slip among the explanations {named / count:.1%}, "
            f"the true slip alone {both / count:.1%}; mean {sum(taken) / count:.1f} ms of "
            f"processor time, 99 of 100 within {taken[count * 99 // 100]:.1f} ms, longest "
            f"{taken[-1]:.1f} ms. "
            f"With both sheets read and compared, decided in words: mean {decided / count:.1f} ms."
        )


def _written(pack: Language, start: chess.Board, moves: Sequence[chess.Move]) -> Iterator[str]:
    """Yield a scoresheet as its player writes it, one move per line."""
    board = start.copy(stack=False)
    for ply, move in enumerate(moves):
        yield f"{ply // 2 + 1}{'.…'[ply % 2]} {pack.write(board, move)}"
        board.push(move)


def _folding() -> str:
    """Return the time and memory that the Laws need for a long game with all its sensor facts."""
    facts, taken = list(long_game()), []
    for _ in range(3):
        start = time.process_time()
        game = _played(facts)
        taken.append(time.process_time() - start)
    half, whole = (_remembered(facts[:count]) for count in (len(facts) // 2, len(facts)))
    return (
        f"Folding {len(facts)} facts of a game of {len(game.history)} plies, two boards: "
        f"{min(taken) * 1000:.0f} ms of processor time, the best of three; "
        f"{half / 1024:.0f} KiB kept after half of them, {whole / 1024:.0f} KiB after all."
    )


def _played(facts: list[Fact]) -> Game:
    game = Game(PackWords())
    for fact in facts:
        game.apply(fact)
    return game


def _remembered(facts: list[Fact]) -> int:
    """Return the bytes of memory that a game holds after these facts."""
    tracemalloc.start()
    try:
        _game = _played(facts)  # hold it while the memory is counted
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def long_game() -> Iterator[Fact]:
    """The facts of a game of 300 random plies on two boards with sensors, a ply each second."""
    rng, t = random.Random(_SEED), 0
    yield f.Setup(t=0, time_control="5400+30", white=f.Player(impaired=True))
    yield f.Start(t=0)
    board = chess.Board()
    for _ in range(_PLIES):
        quiet = [move for move in board.legal_moves if not board.is_capture(move)]
        if not quiet or board.is_game_over():
            return
        move = rng.choice(quiet)
        side = "white" if board.turn else "black"
        t += 1000
        yield f.Announce(t=t, by=side, move=move.uci())
        put = change(board, move)
        for at in (side, OTHER[side]):
            for square in sorted(square for square in put if board.piece_at(square)):
                yield f.Lift(t=t, board=at, square=chess.square_name(square))
            for square, piece in sorted(put.items()):
                if piece is not None:
                    yield f.Place(t=t, board=at, square=chess.square_name(square), piece=piece)
        yield f.Press(t=t, by=side)
        board.push(move)


def previewing() -> str:
    """Return the time that the Laws need to preview an announcement, the decision to go back by one
    ply, and the decision to begin anew, early and late in a game."""
    rng, game, board, t = random.Random(_SEED), Game(PackWords()), chess.Board(), 0
    game.apply(f.Setup(time_control="54000+30", white=f.Player(impaired=True)))
    game.apply(f.Start())
    told = []
    for ply in range(_PREVIEWED[-1] + 1):
        side = "white" if board.turn else "black"
        move = rng.choice(_shuffling(board))
        announced = f.Announce(t=t, by=side, move=move.uci())
        if ply in _PREVIEWED:
            back = [f.Arbiter(t=t, do="restore", ply=to) for to in (ply - 1, 0)]
            times = " ".join(f"{_fastest_preview(game, one):.2f}" for one in (announced, *back))
            told.append(f"{times} ms at ply {ply}")
        t += 1000
        for fact in (
            announced,
            *(f.Make(by=by, move=move.uci()) for by in OTHER),
            f.Press(by=side),
        ):
            game.apply(replace(fact, t=t))
        board.push(move)
    return f"Preview of an announcement, one ply back, a new beginning: {', '.join(told)}."


def _shuffling(board: chess.Board) -> list[chess.Move]:
    """Return moves that neither capture nor check; those of pawns only when the game would end
    without one."""
    quiet = [m for m in board.legal_moves if not (board.is_capture(m) or board.gives_check(m))]
    pushes = board.halfmove_clock >= 100
    wanted = [m for m in quiet if (board.piece_type_at(m.from_square) == chess.PAWN) == pushes]
    return wanted or quiet


def _fastest_preview(game: Game, fact: Fact) -> float:
    """Return the milliseconds of processor time of the fastest of some previews."""
    taken = []
    for _ in range(20):
        start = time.process_time()
        game.preview(fact)
        taken.append((time.process_time() - start) * 1000)
    return min(taken)


def _mating() -> Iterator[str]:
    """Yield how often and how fast the Laws decide whether a side can still mate."""
    rng = random.Random(_SEED)
    kinds = {
        "random games stopped at a random ply": [_stopped_game(rng) for _ in range(500)],
        "endings of three to seven pieces": [_ending(rng) for _ in range(1000)],
        "pawns locked from wall to wall": [_wall(rng) for _ in range(500)],
    }
    for kind, boards in kinds.items():
        found = dict.fromkeys(MatingVerdict, 0)
        taken = []
        for board in boards:
            for side in chess.COLORS:
                start = time.perf_counter()
                found[can_mate(board, side).verdict] += 1
                taken.append((time.perf_counter() - start) * 1000)
        taken.sort()
        verdicts = ", ".join(f"{count} {verdict.value}" for verdict, count in found.items())
        yield (
            f"Can a side still mate, {kind}: {len(taken)} questions, {verdicts}; "
            f"median {taken[len(taken) // 2]:.1f} ms, 99 of 100 within "
            f"{taken[len(taken) * 99 // 100]:.1f} ms, longest {taken[-1]:.0f} ms."
        )


def _stopped_game(rng: random.Random) -> chess.Board:
    board = chess.Board()
    for _ in range(rng.randrange(10, 240)):
        if not (moves := list(board.legal_moves)):
            break
        # Prefer captures in some games, so that they reach an ending.
        captures = [move for move in moves if board.is_capture(move)]
        board.push(rng.choice(captures if captures and rng.random() < 0.4 else moves))
    return board


def _ending(rng: random.Random) -> chess.Board:
    while True:
        pieces = [rng.randrange(1, 6) for _ in range(rng.randrange(1, 6))]
        board = _with_kings_and(rng, chess.Board(None), pieces)
        if board.is_valid():
            return board


def _wall(rng: random.Random) -> chess.Board:
    """Return a board on which every white pawn blocks a black one."""
    while True:
        board = chess.Board(None)
        rank = rng.randrange(2, 5)
        for file in range(8):
            board.set_piece_at(chess.square(file, rank), chess.Piece(chess.PAWN, chess.WHITE))
            board.set_piece_at(chess.square(file, rank + 1), chess.Piece(chess.PAWN, chess.BLACK))
            rank = min(5, max(1, rank + rng.choice((-1, 1))))
        kinds = (chess.BISHOP, chess.BISHOP, chess.KNIGHT)
        pieces = [rng.choice(kinds) for _ in range(rng.randrange(4))]
        if _with_kings_and(rng, board, pieces).is_valid():
            return board


def _with_kings_and(
    rng: random.Random, board: chess.Board, kinds: list[chess.PieceType]
) -> chess.Board:
    """Put two kings and pieces of these kinds, of any colour, on empty squares."""
    pieces = [chess.Piece(chess.KING, colour) for colour in chess.COLORS]
    pieces += [chess.Piece(kind, rng.random() < 0.5) for kind in kinds]
    free = [square for square in chess.SQUARES if not board.piece_at(square)]
    for piece, square in zip(pieces, rng.sample(free, len(pieces)), strict=True):
        board.set_piece_at(square, piece)
    board.turn = rng.random() < 0.5
    return board
