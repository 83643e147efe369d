"""All devices and four consoles at once: one owner takes their facts, one at a time."""

from __future__ import annotations

import io
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import chess
import pytest

from benchmarks.memory_audio import MemorySink
from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.console.access import RateLimiter
from blindplay.console.server import ConsoleHost
from blindplay.hearing.recognisers import open_recogniser
from blindplay.language import load
from blindplay.laws import Game, Taken
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.record import Journal, read_journal
from blindplay.speech.audio import QueueSource, read_audio
from blindplay.speech.models.folders import find_model
from blindplay.speech.speaker import Speaker
from blindplay.speech.synthesis import Synthesiser
from blindplay.table import Table
from blindplay.table.desk import Transcript
from blindplay.table.session import Session
from blindplay.wording.pack_words import PackWords
from tests.endurance.visitor import Visitor
from tests.waiting import PATIENCE_S, until

SETUP = Setup(
    t=0, time_control="5400+30", white=Player(impaired=True, assistant=True), black=Player()
)


@pytest.mark.parametrize("seconds", [1.0, pytest.param(60.0, marks=pytest.mark.long)])
def test_all_devices_and_four_consoles_at_once_make_one_game(
    tmp_path: Path, seconds: float
) -> None:
    pack, out = load("de"), io.StringIO()
    taken: list[Taken] = []
    busy: list[int] = []
    overlapped: list[int] = []
    heard: Counter[str] = Counter()

    def keep(one: Taken) -> None:
        overlapped.extend(busy)
        busy.append(1)
        taken.append(one)
        if isinstance(one.fact, f.Lift | f.Place):
            heard[one.fact.board] += 1
        busy.pop()

    with ExitStack() as stack:
        journal = stack.enter_context(Journal(tmp_path / "game.jsonl"))
        synthesiser = stack.enter_context(Synthesiser("de", spellings=pack.spoken))
        sinks = [MemorySink(name, keeps=False) for name in ("private", "public")]
        table = Table(journal, SETUP)
        taken += table.log
        table.listen(keep)
        session = Session(
            table,
            pack,
            Speaker(synthesiser, *sinks),
            Transcript(out, table.time),
            tick_seconds=0.02,
        )
        stack.callback(session.close)
        boards = {side: stack.enter_context(EmulatedBoard(lift_ms=20)) for side in f.SIDES}
        for side, board in boards.items():
            session.attach_board(side, board.url)
        microphone = QueueSource()
        session.attach_microphone("white", microphone, open_recogniser(pack, find_model("de")))
        sound = read_audio(synthesiser.render(pack.command_phrases()[0]))
        host = ConsoleHost(table, port=0)
        host.console.acting = host.console.sign_in.entering = RateLimiter(
            a_second=1e6, at_once=10**6
        )
        assert until(lambda: all(seat.board.placement() for seat in session.boards.values()))
        table.submit(f.Start())
        over = threading.Event()
        felt: dict[str, list[tuple[str, str]]] = {side: [] for side in f.SIDES}
        typed = [0]

        def hands(side: str) -> None:
            """A piece that is not the opponent's goes up and down again, as fast as it is felt; but
            a serial line holds no more than some 200 events for a table that is behind."""
            rng, board = random.Random(side), boards[side]
            while not over.is_set():
                if len(felt[side]) - heard[side] > 100:
                    time.sleep(0.01)
                    continue
                square = chess.square_name(rng.choice(range(16)) + (48 if side == "black" else 0))
                piece = board.lift(square)
                board.place(square, piece)
                felt[side] += [("lift", square), ("place", square)]

        def levers() -> None:
            while not over.wait(0.1):
                boards["white"].press("black")

        def keys() -> None:
            while not over.wait(0.01):
                table.submit(f.Query(by="black", about="moves"))
                typed[0] += 1
                session.typed("white", random.choice(("e2 e4", "Hilfe", "nein", "Unsinn")))

        def voice() -> None:
            while not over.wait(0.3):
                microphone.push(sound)

        acts: list[Callable[[], None]] = [keys, voice, levers]
        acts += [lambda side=side: hands(side) for side in f.SIDES]  # type: ignore[misc]
        threads = [threading.Thread(target=act, daemon=True) for act in acts]
        visitors = [
            Visitor(host.link(role), {"act": "query", "about": "last_move"}, every=0.02)
            for role in host.roles()
        ]
        assert len(visitors) == 4
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        assert until(
            lambda: (
                typed[0] > 20
                and min(map(len, felt.values())) > 20
                and all(visitor.sent and visitor.changes for visitor in visitors)
            )
        ), (
            typed,
            {side: (len(felt[side]), heard[side]) for side in felt},
            [(visitor.sent, visitor.changes) for visitor in visitors],
        )
        over.set()
        for thread in threads:
            thread.join(PATIENCE_S)
            assert not thread.is_alive()  # nobody waits for anybody for ever
        for visitor in visitors:
            visitor.leave()
        host.close()
        for visitor in visitors:
            visitor.close()

        def all_felt() -> bool:  # the table may be behind with what the boards have sent
            return heard.total() >= sum(map(len, felt.values()))

        assert until(all_felt)
        time.sleep(0.3)  # what is too much
        session.wait_until_said()
    written = read_journal(tmp_path / "game.jsonl").facts
    assert not overlapped
    assert written == [one.fact for one in taken]
    game = Game(PackWords())
    for one in taken:
        assert tuple(game.apply(one.fact)) == one.rulings
    for side in f.SIDES:
        found = [
            (fact.kind, fact.square)
            for fact in written
            if isinstance(fact, f.Lift | f.Place) and fact.board == side
        ]
        assert found == felt[side] and found
    queries = [fact for fact in written if isinstance(fact, f.Query)]
    asked = [fact for fact in queries if fact.about == "last_move"]
    assert sum(fact.by == "black" and fact.about == "moves" for fact in queries) == typed[0]
    assert len(asked) >= sum(visitor.sent for visitor in visitors) > 0
    assert all(visitor.changes for visitor in visitors)
