"""Figures for `blindplay bench`: how soon the move of an absent opponent is heard."""

import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from io import StringIO
from itertools import cycle
from pathlib import Path

import chess

from blindplay.language import Language
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.opponents.duties import is_to_choose
from blindplay.opponents.player import AbsentPlayer
from blindplay.record import Journal
from blindplay.speech.audio import SilentSink
from blindplay.speech.speaker import Speaker
from blindplay.speech.synthesis import Synthesiser
from blindplay.table.session import Session
from blindplay.table.table import Table
from blindplay.table.transcript import Transcript

_MOVES = 7
_CACHED_FROM = 2  # from here on each announcement has been spoken before
_PATIENCE_S = 60.0


class _Knight(AbsentPlayer):
    """Moves a knight there and back when it may, and notes when it has found its move."""

    def __init__(self) -> None:
        super().__init__()
        self.found = 0.0
        self.may_move = threading.Event()
        self._moves = cycle(("g8f6", "f6g8"))

    def _consider(self) -> None:
        game = self._table.game
        if is_to_choose(game, self.side):
            self.may_move.wait(_PATIENCE_S)
            self.may_move.clear()
            move = chess.Move.from_uci(next(self._moves))
            self.found = time.perf_counter()
            self._play(move, lambda: is_to_choose(game, self.side))


def figures(pack: Language) -> Iterator[str]:
    """Yield a line about the time from a found move to the first sample of its announcement."""
    delays = answered(pack)
    new, cached = delays[0], statistics.median(delays[_CACHED_FROM:])
    yield (
        f"Opponent's move found to first sample of its announcement: not cached {new * 1000:.1f} "
        f"ms, cached {cached * 1000:.1f} ms, median of {len(delays) - _CACHED_FROM} (without a "
        "device's own delay)."
    )


def answered(pack: Language) -> list[float]:
    """The seconds from each found move to the first sample."""
    began: list[float] = []
    heard = threading.Event()

    def on_start(pcm: bytes, rate: int) -> None:
        began.append(time.perf_counter())
        heard.set()

    player, delays = _Knight(), list[float]()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        journal = stack.enter_context(Journal(folder / "game.jsonl"))
        synthesiser = stack.enter_context(
            Synthesiser(pack.code, cache=folder / "phrases", spellings=pack.spoken)
        )
        synthesiser.voices()  # starts the worker
        setup = Setup(t=0, boards=2, arbiter="automatic", white=Player(impaired=True))
        table = Table(journal, setup, opponent=player)
        sink = SilentSink(on_start=on_start)
        speaker = Speaker(synthesiser, sink, sink)
        session = Session(table, pack, speaker, Transcript(StringIO(), table.time))
        stack.callback(session.close)
        stack.callback(player.close)
        player.sit(table, session.desk.tell_all)
        table.submit(f.Start())
        for _, move in zip(range(_MOVES), cycle(("g1f3", "f3g1")), strict=False):
            table.submit(f.Announce(by="white", move=move))
            table.submit(f.Make(by="white", move=move))
            table.submit(f.Press(by="white"))
            speaker.wait(_PATIENCE_S)  # only the answer is measured
            began.clear()
            heard.clear()
            player.may_move.set()
            heard.wait(_PATIENCE_S)
            speaker.wait(_PATIENCE_S)
            delays.append(began[0] - player.found)
    return delays
