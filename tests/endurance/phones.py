"""Two phones at one table for hours: does the table grow, or become slower?

The table is the real command in a process of its own. Two people play game after game by voice
through their phones, which send numbered packets over real lines in the time in which people speak.
Between moves people near the phones talk, a microphone falls silent, a phone sleeps, and a line is
cut and made again; packets are lost and doubled all the time. What is not understood after some
attempts is typed. After each game the process is measured from outside.
"""

from __future__ import annotations

import os
import queue
import random
import re
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from blindplay.language import load
from blindplay.laws.facts import SIDES
from blindplay.laws.state import OTHER
from blindplay.speech.audio import BLOCK_BYTES, BLOCK_MS, RATE, read_audio
from blindplay.speech.phone import SoundPacket
from blindplay.speech.synthesis import Synthesiser
from tests.endurance.promises.table import Person, Process, Ruling
from tests.endurance.soak import growth
from tests.ports import free_port
from tests.table.phones import TestPhone
from tests.waiting import PATIENCE_S, until

PLIES = 20
_TRIES = 3  # to say something before it is typed
_RULED_S = 6.0  # from the end of speech
_SPOILT = 0.01  # the share of packets that are lost, and of those that come twice
_VOICES = {"white": "de", "black": "de+m3"}
_NEAR_BY = 0.2  # how much of one player's voice the other's phone hears
_TALK = (
    "Das Frühstück ist besser als im letzten Jahr",
    "Der Zug hatte eine halbe Stunde Verspätung",
    "Morgen soll es wieder wärmer werden",
    "Ich muss nachher noch zum Arzt",
)


@dataclass(frozen=True)
class TableSample:
    """What the process of a table holds before a game's first move: memory in MiB, threads, open
    files, and the sockets among these; all 0 if the system does not tell."""

    minutes: float
    memory: float
    threads: int
    files: int
    sockets: int


@dataclass
class PhoneFigures:
    """The results of hours with two phones."""

    samples: list[TableSample] = field(default_factory=list)
    journals: list[tuple[int, int]] = field(default_factory=list)
    """For each game its moves of one side, and the bytes of its journal."""
    delays_s: list[list[float]] = field(default_factory=list)
    """For each game, the seconds from the end of each utterance to its ruling."""
    packets: int = 0
    rejoined: int = 0
    """So many lines were cut and made again."""
    typed: int = 0
    """So many things were typed in the end."""
    faults: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """Yield the figures, a line each."""
        if not self.journals:
            yield "Nothing was played."
            return
        plies = sum(plies for plies, _ in self.journals)
        yield (
            f"Played: {self.samples[-1].minutes:.0f} minutes, {len(self.journals)} games, {plies} "
            f"moves of one side, {sum(map(len, self.delays_s))} utterances taken and {self.typed} "
            f"things typed; {self.packets} packets, {self.rejoined} lines made again."
        )
        last = len(self.journals) - 1
        for name, at in {"first": 0, "middle": last // 2, "last": last}.items():
            now, (plies, size) = self.samples[at], self.journals[at]
            delays = sorted(self.delays_s[at]) or [float("nan")]
            yield (
                f"The {name} game, from minute {now.minutes:.0f}: {now.memory:.1f} MiB, "
                f"{now.threads} threads, {now.files} open files, {now.sockets} of them sockets; "
                f"{size / max(1, plies) / 1024:.1f} KiB of journal for a move; end of speech to "
                f"ruling: median {statistics.median(delays):.2f} s, longest {delays[-1]:.2f} s "
                f"of {len(self.delays_s[at])}."
            )
        for name in ("threads", "files", "sockets"):
            counts = sorted({getattr(one, name) for one in self.samples})
            yield f"Before each game, {name}: {', '.join(map(str, counts))}."
        yield f"Memory grows by {self.growth():+.2f} MiB an hour over the second half."
        yield f"Faults: {len(self.faults)}."
        yield from self.faults

    def growth(self) -> float:
        """Return how memory grows over the second half, in MiB an hour, by least squares."""
        return growth([(one.minutes / 60, one.memory) for one in self.samples])


def table_sample(process: int, minutes: float) -> TableSample:
    """Return a sample of another process, now."""
    if sys.platform != "linux":
        return TableSample(minutes, 0.0, 0, 0, 0)
    place = Path(f"/proc/{process}")
    status = (place / "status").read_text()
    memory, threads = (
        int(re.findall(rf"^{name}:\s+(\d+)", status, re.M)[0]) for name in ("VmRSS", "Threads")
    )
    files = list[str]()
    for one in (place / "fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            files.append(str(one.readlink()))
    sockets = sum(one.startswith("socket:") for one in files)
    return TableSample(minutes, memory / 1024, threads, len(files), sockets)


class Talker:
    """A phone whose microphone hears a room, and now and then a person. It joins again whenever its
    line is cut, and packets are lost and doubled as ``chance`` has it."""

    def __init__(self, link: str, role: str, chance: random.Random) -> None:
        self.phone = TestPhone(link, role, time.monotonic, role=role)
        self.packets = self.rejoined = 0
        self._chance = chance
        self._says: queue.SimpleQueue[tuple[bytes, float]] = queue.SimpleQueue()
        self._room = np.random.default_rng(2).normal(0, 6, RATE).astype("<i2").tobytes()
        self._left = threading.Event()
        self._still, self._cut = 0, False
        self.ended: float | None = None
        """When the last utterance ended."""
        self._join()
        self._thread = threading.Thread(target=self._stream, name=f"phone of {role}", daemon=True)
        self._thread.start()

    def say(self, pcm: bytes, end_s: float) -> None:
        """Let the microphone hear something, whose speech ends so many seconds after it began."""
        self.ended = None
        self._says.put((pcm, end_s))

    def mute(self, seconds: float) -> None:
        """Send nothing for a while, as a phone that sleeps."""
        self._still = round(seconds * 1000 / BLOCK_MS)

    def cut(self) -> None:
        """Cut the line."""
        self._cut = True

    def is_heard(self) -> bool:
        """Return whether the table listens to the microphone, as it has said last."""
        hears = [one["hears"] for one in self.phone.said if "hears" in one]
        return hears[-1:] == ["yes"] and self.phone.code is None

    def close(self) -> None:
        self._left.set()
        self._thread.join(PATIENCE_S)
        self.phone.close()
        self.phone.client.close()

    def _join(self, *, again: bool = False) -> None:
        self.phone.said.clear()
        self.phone.sounds.clear()
        self.phone.connect(again=again)
        self.phone.tell(do="listen")
        self.phone.tell(do="hear", private="earphones", public=True)

    def _stream(self) -> None:
        number, due, at = 0, time.monotonic(), 0
        sound, end_s = b"", 0.0
        while not self._left.is_set():
            due += BLOCK_MS / 1000
            time.sleep(max(0.0, due - time.monotonic()))
            if at >= len(sound):
                with suppress(queue.Empty):
                    at = 0
                    sound, end_s = self._room, 0.0
                    sound, end_s = self._says.get_nowait()
            block = sound[at : at + BLOCK_BYTES].ljust(BLOCK_BYTES, b"\0")
            if at / 2 / RATE < end_s <= (at + BLOCK_BYTES) / 2 / RATE:
                self.ended = due
            at += BLOCK_BYTES
            if self._still:
                self._still -= 1
                continue
            packet = bytes(SoundPacket(number, round(due * 1000) % 2**32, block))
            number += 1
            times = 0 if self._chance.random() < _SPOILT else 1
            times += self._chance.random() < _SPOILT
            try:
                if self._cut:
                    self._cut = False
                    self.phone.close()
                for _ in range(times):
                    self.phone.line.send(packet)
                    self.packets += 1
            except ConnectionClosed:
                self._again()
                due = time.monotonic()

    def _again(self) -> None:
        """Join again, as soon as the table is there."""
        self.rejoined += 1
        while not self._left.wait(self._chance.uniform(0.2, 2.0)):
            with suppress(OSError, InvalidHandshake, ConnectionClosed):
                self._join(again=True)
                return


class PlayedByPhones:
    """Games one after another at one table."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance, self.found = random.Random(seed), PhoneFigures()
        self._folder, self._pack = folder, load("de")
        self._stack = ExitStack()
        self._synthesiser = self._stack.enter_context(
            Synthesiser("de", cache=folder / "voices", spellings=self._pack.spoken)
        )

    def __enter__(self) -> PlayedByPhones:
        port, rules = free_port(), ("--time-control", "120m+30s", "--language", "de")
        self.table = Process(
            self._folder, "play", "--console", "--console-port", str(port), "--no-encrypt",
            "--print", "all", "--white", "Anna", "--black", "Bert", *rules,
        )  # fmt: skip
        self._stack.callback(self._end)
        assert until(lambda: self.table.text.count(f":{port}/#") >= 4), self.table.text
        links = re.findall(rf"(Weiß|Schwarz): (http://\S+:{port}/#\S+)", self.table.text)
        self.began = time.monotonic()
        self.phones = {
            side: self._stack.enter_context(closing(Talker(link, side, self.chance)))
            for side, (_, link) in zip(SIDES, links, strict=False)
        }
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _end(self) -> None:
        if self.table.process.poll() is None:
            self.table.process.terminate()
        self.table.end()

    def game(self, plies: int = PLIES) -> None:
        """Play one game."""
        self.person = Person(self.chance)
        self._heard = len(self.table.lines)
        assert until(lambda: all(one.is_heard() for one in self.phones.values())), self.table.text
        minutes = (time.monotonic() - self.began) / 60
        self.found.samples.append(table_sample(self.table.process.pid, minutes))
        self.found.delays_s.append([])
        self.table.type()
        assert self._rules("clock"), self.table.lines[-9:]
        for _ in range(plies):
            if self.person.over or not self._ply():
                break
        made = len(self.person.board.move_stack)
        self.found.journals.append((made, self._journal().stat().st_size))
        self.found.packets = sum(one.packets for one in self.phones.values())
        self.found.rejoined = sum(one.rejoined for one in self.phones.values())

    def another(self) -> None:
        """End the game, and begin another one."""
        before = self._journal()
        if not self.person.over:
            self._ask("white", act="resign")
            assert self._rules("game_over"), self.table.lines[-9:]
        for wanted in (
            {"act": "due", "step": "sign", "move": ""},
            {"act": "again", "wants": "new_game"},
        ):
            for side in SIDES:
                self._ask(side, **wanted)
        assert until(lambda: self._journal() != before), self.table.lines[-9:]

    def _ask(self, side: str, **form: str) -> None:
        """Send a form of a player's page."""
        headers = {"accept": "application/json"}
        client = self.phones[side].phone.client
        answer = client.post(f"/{side}/do", data=form, headers=headers)
        assert answer.status_code == 200, (form, answer.text)

    def _journal(self) -> Path:
        """The journal of the game that is played."""
        return max(self._folder.rglob("*.jsonl"), key=lambda path: path.stat().st_ctime_ns)

    def _rules(self, *kinds: str, seconds: float = PATIENCE_S) -> bool:
        """Wait for a ruling of one of these kinds, and follow the game up to it."""
        return bool(until(lambda: self._followed(kinds), seconds))

    def _followed(self, kinds: Collection[str]) -> bool:
        while self._heard < len(self.table.lines):
            ruling = Ruling.read(self.table.lines[self._heard])
            self._heard += 1
            if ruling is not None:
                self.person.follow(ruling)
                if ruling.kind in kinds:
                    return True
        return False

    def _ply(self) -> bool:
        """Play one random move; False, with a fault, if the table did not follow."""
        self._disturb()
        side, board = self.person.side, self.person.board
        move = self.chance.choice(sorted(board.legal_moves, key=str))
        words = str(self._pack.announce(board, move))
        self._said(side, words, "announced", move.uci())
        self._said(OTHER[side], words, "repeated")
        self.phones[side].phone.tell(do="press", at=self.phones[side].phone.ms())
        if self._rules("completed", "game_over", seconds=_RULED_S):
            return True
        self.found.typed += 1
        self.table.type()
        if self._rules("completed", "game_over"):
            return True
        self.found.faults.append(f"{words} was not completed: {self.table.lines[-9:]}")
        return False

    def _said(self, side: str, words: str, kind: str, typed: str = "") -> None:
        """Let a player say words until the table has ruled so; in the end the rest is typed."""
        for _ in range(_TRIES):
            self._speak(side, words)
            assert until(lambda: self.phones[side].ended is not None)
            ended = self.phones[side].ended or 0.0
            if self._rules(kind, seconds=_RULED_S):
                self.found.delays_s[-1].append(self.table.times[self._heard - 1] - ended)
                return
        self.found.typed += 1
        self.table.type(typed)

    def _speak(self, side: str, words: str) -> None:
        sound = self._sound(side, words)
        loud = np.flatnonzero(np.abs(sound) > 0.05 * np.abs(sound).max())
        for role, phone in self.phones.items():
            near = sound if role == side else _NEAR_BY * sound
            phone.say(near.astype("<i2").tobytes(), float(loud[-1]) / RATE)

    def _sound(self, side: str, words: str) -> np.ndarray:
        rendered = self._synthesiser.render(words, voice=_VOICES[side])
        sound = np.frombuffer(read_audio(rendered), "<i2").astype(float)
        return sound * 9000 / max(1.0, float(np.abs(sound).max()))

    def _disturb(self) -> None:
        """Let something happen that happens near phones, or nothing."""
        phone = self.phones[self.chance.choice(SIDES)]
        match self.chance.choice(("talk", "silence", "sleep", "cut", "", "")):
            case "talk":
                self._speak(self.chance.choice(SIDES), self.chance.choice(_TALK))
                until(lambda: phone.ended is not None)
            case "silence":
                phone.say(bytes(2 * 3 * RATE), 3.0)
                until(lambda: phone.ended is not None)
            case "sleep":
                phone.mute(self.chance.uniform(0.5, 5.0))
            case "cut":
                phone.cut()
                until(lambda: not phone.is_heard(), 1.0)
                until(phone.is_heard)


def play(
    hours: float,
    *,
    seed: int = 1,
    progress: Callable[[str], None] = lambda line: None,
) -> PhoneFigures:
    """Let two phones play at one table for ``hours``."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="blindplay-phones-"))
        played = stack.enter_context(PlayedByPhones(Path(folder), seed))
        end = time.monotonic() + hours * 3600
        while not played.found.faults:
            played.game()
            now = played.found.samples[-1]
            if sys.platform != "win32":
                progress(f"{now}, {played.found.journals[-1]}, load {os.getloadavg()[0]:.1f}")
            if time.monotonic() > end:
                break
            played.another()
        return played.found
