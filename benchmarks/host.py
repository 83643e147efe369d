"""What several tables on one computer need: ``python -m benchmarks host``.

The host is the real command in a process of its own, reached as phones reach it. A phone of each
White sends sound all the time; every other one speaks. Nothing is played aloud.
"""

import asyncio
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import numpy as np
from websockets.asyncio.client import connect
from websockets.typing import Origin

from blindplay.language import Language
from blindplay.speech.audio import BLOCK_BYTES, BLOCK_MS, RATE, read_audio
from blindplay.speech.phone import SoundPacket
from blindplay.speech.synthesis import Synthesiser

from .conditions import as_pcm, as_samples

_STARTING_S = 180.0
_SETTLING_S = 5.0
_BETWEEN_S = 4.0  # from one utterance to the next, with the table's answer in between
_ILLEGAL = "a1a5", "h1h4", "c1e3", "d1d5"


class NoProcessesError(RuntimeError):
    """This system does not tell what processes need."""


@dataclass
class Measured:
    """What some tables needed: ``cores`` of the processor, ``megabytes`` in whole, and the seconds
    from the end of each utterance to its ruling. ``asked`` got another answer, such as a question
    or the request to say it again, and ``unanswered`` none in time."""

    cores: float = 0.0
    megabytes: float = 0.0
    delays_s: list[float] = field(default_factory=list)
    asked: int = 0
    unanswered: int = 0


def figures(pack: Language, tables: int, seconds: float) -> Iterator[str]:
    """Yield lines: what one table needs, then ``tables``, each for so many ``seconds``.

    :raises NoProcessesError: elsewhere than on Linux.
    """
    if sys.platform != "linux":
        raise NoProcessesError("Only Linux tells what processes share; measure there.")
    with tempfile.TemporaryDirectory(prefix="blindplay-host-") as name:
        said = _spoken(pack, Path(name))
        yield f"Host, {pack.name}; load of this machine before: {os.getloadavg()[0]:.1f}."
        for count in dict.fromkeys((1, tables)):
            found = _measure(Path(name) / str(count), pack, count, said, seconds)
            delays = sorted(found.delays_s) or [float("nan")]
            yield (
                f"{count} {'table' if count == 1 else 'tables'}, {(count + 1) // 2} speaking, "
                f"{seconds:.0f} s: {found.cores:.2f} cores, {found.megabytes:.0f} MB; end of "
                f"speech to ruling: median {statistics.median(delays):.2f} s, "
                f"longest {delays[-1]:.2f} s "
                f"of {len(found.delays_s)}; {found.asked} got a question, "
                f"{found.unanswered} no answer."
            )


def _spoken(pack: Language, folder: Path) -> list[tuple[bytes, float]]:
    """Illegal announcements, which are ruled upon and change nothing, each with the second at which
    its speech ends."""
    found = []
    room = np.random.default_rng(1).normal(0, 6, int(RATE * _BETWEEN_S))
    names = {"a1a5": "Turm Anna fünf", "h1h4": "Turm Hektor vier", "c1e3": "Läufer Eva drei",
             "d1d5": "Dame David fünf"}  # fmt: skip
    with Synthesiser(pack.code, cache=folder) as synthesiser:
        for move in _ILLEGAL:
            sound = as_samples(read_audio(synthesiser.render(names[move], public=True), RATE))
            sound = sound * 9000 / max(1.0, float(np.abs(sound).max()))
            loud = np.flatnonzero(np.abs(sound) > 0.05 * np.abs(sound).max())
            whole = np.concatenate([sound + np.zeros(len(sound)), room])
            found.append((as_pcm(whole), float(loud[-1]) / RATE))
    return found


def _measure(
    home: Path, pack: Language, count: int, said: Sequence[tuple[bytes, float]], seconds: float
) -> Measured:
    home.mkdir()
    places = "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"
    environment = {**os.environ, **dict.fromkeys(places, str(home)), "LC_MESSAGES": "en"}
    command = [sys.executable, "-m", "blindplay", "host", "--tables", str(count),
               "--console-port", "0", "--", "--language", pack.code]  # fmt: skip
    host = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        return asyncio.run(_talk(host, count, said, seconds))
    finally:
        host.terminate()
        host.wait()


async def _talk(
    host: subprocess.Popen[str], count: int, said: Sequence[tuple[bytes, float]], seconds: float
) -> Measured:
    base, codes = await _codes(host, count)
    found, talk = Measured(), asyncio.Event()
    ended = asyncio.Event()
    phones = [
        asyncio.create_task(_phone(base, code, said if number % 2 == 0 else [], found, talk, ended))
        for number, code in enumerate(codes)
    ]
    await asyncio.sleep(_SETTLING_S + count)
    talk.set()
    before, began = _worked(host.pid), time.monotonic()
    await asyncio.sleep(seconds / 2)
    found.megabytes = sum(map(_megabytes, _tree(host.pid)))
    await asyncio.sleep(seconds / 2)
    found.cores = (_worked(host.pid) - before) / (time.monotonic() - began)
    ended.set()
    await asyncio.gather(*phones)
    return found


async def _codes(host: subprocess.Popen[str], count: int) -> tuple[str, list[str]]:
    """The address of the host, and the code of White at each table."""
    assert host.stdout is not None
    while (match := re.search(r"(http://\S+)/#(\S+)", host.stdout.readline())) is None:
        if host.poll() is not None:
            raise RuntimeError("The host has ended; start it alone to see why.")
    base, until = match[1], time.monotonic() + _STARTING_S
    async with httpx.AsyncClient(base_url=base, headers={"origin": base}) as organiser:
        await organiser.post("/enter", data={"token": match[2]})
        while time.monotonic() < until:
            page = (await organiser.get("/host/", timeout=30)).text
            codes = re.findall(r">White: ([0-9 ]+)", page)
            if len(codes) == count:
                return base, codes
            await asyncio.sleep(0.5)
    raise RuntimeError("The tables did not start in time.")


async def _phone(
    base: str,
    code: str,
    said: Sequence[tuple[bytes, float]],
    found: Measured,
    talk: asyncio.Event,
    ended: asyncio.Event,
) -> None:
    """A phone that comes in, begins the game and speaks, or is silent."""
    async with httpx.AsyncClient(base_url=base, headers={"origin": base}, timeout=60) as client:
        place = (await client.post("/enter", data={"token": code})).headers["location"]
        await client.post(f"{place}do", data={"act": "due", "step": "begin", "move": ""})
        cookies = "; ".join(f"{one.name}={one.value}" for one in client.cookies.jar)
    connecting = connect(
        f"{base.replace('http', 'ws')}{place}line", additional_headers={"cookie": cookies},
        origin=Origin(base), max_size=None, ping_interval=None, open_timeout=60,
    )  # fmt: skip
    async with connecting as line:
        await line.send(json.dumps({"run": code, "stream": "1"}))
        await line.send(json.dumps({"do": "listen"}))
        await line.send(json.dumps({"do": "hear", "private": "earphones", "public": True}))
        spoken: list[float] = []  # when the utterance ended that has no answer yet

        async def answer() -> None:
            async for text in line:
                if isinstance(text, bytes):  # a sentence, and its number
                    ended = {"ended": int.from_bytes(text[:4]), "played": True}
                    await line.send(json.dumps(ended))
                    found.asked += bool(spoken)
                    spoken.clear()
                    continue
                message = json.loads(text)
                if "ping" in message:
                    at = round(time.time() * 1000) % 2**32
                    await line.send(json.dumps({"pong": message["ping"], "at": at}))
                elif "feel" in message and spoken:
                    found.delays_s.append(time.monotonic() - spoken.pop())

        answering = asyncio.create_task(answer())
        quiet = as_pcm(np.random.default_rng(2).normal(0, 6, RATE))
        number, due, turn = 0, time.monotonic(), 0
        while not ended.is_set():
            pcm, end_s = quiet, 0.0
            if said and talk.is_set():
                pcm, end_s = said[turn % len(said)]
                turn += 1
            began = due
            for at in range(0, len(pcm) - BLOCK_BYTES + 1, BLOCK_BYTES):
                due += BLOCK_MS / 1000
                await asyncio.sleep(max(0.0, due - time.monotonic()))
                packet = SoundPacket(number, round(due * 1000) % 2**32, pcm[at : at + BLOCK_BYTES])
                await line.send(bytes(packet))
                number += 1
                if end_s and not spoken and due - began >= end_s:
                    spoken.append(began + end_s)
                    end_s = 0.0
            if spoken:
                found.unanswered += 1
                spoken.clear()
        answering.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await answering


# --- what processes need, as Linux tells ---------------------------------------------------------


def _tree(process: int) -> list[int]:
    """A process and all that it has started."""
    parents = {}
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
            parents[int(folder.name)] = int(stat[1])
    found = [process]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found


def _worked(process: int) -> float:
    """The processor time in seconds of a process and of all that it has started."""
    if sys.platform == "win32":
        return 0.0
    ticks = 0
    for one in _tree(process):
        with contextlib.suppress(OSError):
            stat = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
            ticks += int(stat[11]) + int(stat[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _megabytes(process: int) -> float:
    """The memory of a process, its share of what several have together."""
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
        match = re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)
        return int(match[1]) / 1024 if match else 0.0
    return 0.0
