"""Games as ``blindplay play`` runs them, without sound: lines are typed, lines are printed."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.record import Journal, pulse, read_journal
from blindplay.table import Table
from blindplay.table.devices import WantedDevices
from blindplay.table.play import DEFAULT, TableOptions, run
from tests.table.sitting import ManualClock

KEYS_ONLY = WantedDevices(microphone="none", silent=True)
SETUP = Setup(
    t=0, time_control="240", arbiter="automatic", white=Player(impaired=True), black=Player()
)


def played(
    path: Path,
    lines: Iterable[str],
    setup: Setup | None = None,
    options: TableOptions = DEFAULT,
    out: io.StringIO | None = None,
) -> str:
    """What a table prints when the game is begun with Enter and these lines are typed. Without
    ``setup``, the game in ``path`` goes on."""
    out = io.StringIO() if out is None else out
    run(path, setup, KEYS_ONLY, ["", *lines], out, options)
    return out.getvalue()


def killed(path: Path, *, dead: float) -> int:
    """A game in which White had thought for 20.4 s when his table was killed, ``dead`` seconds
    ago; the last fact is older. Returns the journal's number of facts."""
    clock = ManualClock()
    with Journal(path) as journal:
        table = Table(journal, SETUP, now=clock)
        table.submit(f.Start())
        clock.at += 20
        table.submit(f.Tick())
        clock.at += 0.4
        table.beat()
        table.beat()
        facts = len(list(journal.facts()))
    beat = pulse.last_beat(path)
    assert beat is not None
    then = pulse.Beat(beat.facts, beat.digest, beat.t, beat.wall - dead)
    again = pulse.Pulse(path)
    again.beat(then)
    again.beat(then)
    again.close()
    return facts


def announced(path: Path) -> list[str]:
    """The moves that were announced in the game in ``path``."""
    facts = read_journal(path).facts
    return [fact.move for fact in facts if isinstance(fact, f.Announce) and fact.move is not None]
