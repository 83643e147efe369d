"""Strangers at a console: guessed links, forged requests, huge and endless ones, silent crowds."""

from __future__ import annotations

import http.client
import random
import re
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tests.endurance.promises import journal
from tests.endurance.promises.figures import Figures
from tests.endurance.promises.table import OPTIONS, Person, Process, printed, replayed, untold
from tests.ports import free_port
from tests.waiting import until


def ask(
    port: int, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
) -> tuple[int, bytes]:
    """Send one request, and return the status and the body of the answer; 0 if there is none."""
    server = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        server.request(method, path, body, dict(headers or {}))
        answer = server.getresponse()
        return answer.status, answer.read(100_000)
    except (OSError, http.client.HTTPException):
        return 0, b""
    finally:
        server.close()


def raw(port: int, request: bytes) -> bytes:
    """Send bytes, and return the first bytes of the answer."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 10) as one:
        one.sendall(request)
        return one.recv(4096)
    return b""


def console(folder: Path, figures: Figures, seed: int, rounds: int) -> None:
    """Attack the pages of a game that is being played: no fact may come of it, nobody may wait."""
    chance = random.Random(seed)
    port = free_port()
    path = folder / "game.jsonl"
    words = ("--console", "--console-port", str(port), "--public", "--public-delay", "0")
    table = Process(folder, "play", *OPTIONS, "--journal", path, *words)
    faults: list[str] = []
    crowd: list[socket.socket] = []
    try:
        assert table.says("Press Enter"), table.text
        secrets = re.findall(rf":{port}/#(\S+)", table.text)
        table.type()
        table.type("e2e4")
        table.type()
        assert table.says("ruled completed"), table.text
        place = f"127.0.0.1:{port}"
        own = {"Host": place, "Origin": f"http://{place}"}
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        status, text = ask(port, "GET", "/")
        paths = ["/", "/enter", "/white/", "/black/", "/arbiter/", "/assistant/white/", "/public/"]
        paths += ["/black/act", "/arbiter/act", "/white/act", "/act", "/events", "/black/events"]
        script = re.search(rb'src="(/static/[^"]+enter\.js)"', text)
        if script:
            found = ask(port, "GET", script[1].decode())[1]
            paths += [x.decode() for x in re.findall(rb'"(/[a-z/]+)"', found)]
        cases = 0
        before = [fact for fact in journal.read(path) if fact["fact"] != "tick"]
        for _ in range(rounds):
            guess = "".join(chance.choices("abcdefghijklmnopqrstuvwxyz-_0123456789", k=43))
            for target in paths:
                cookie = {"Cookie": f"session={guess}; white={guess}; black={guess}"}
                body = f"do=announce&move=e7e5&secret={guess}&key={guess}".encode()
                for headers in (
                    {**own, **form},
                    {**own, **form, **cookie},
                    {**own, **form, "Host": "evil.example"},
                    {**own, **form, "Origin": "http://evil.example"},
                    {**form, "Host": place, "Sec-Fetch-Site": "cross-site"},
                    {**own, "Content-Type": "application/json"},
                ):
                    status, text = ask(port, "POST", target, body, headers)
                    cases += 1
                    if status in (0, 500) or (status < 300 and b"Traceback" in text):
                        faults.append(f"POST {target} {headers}: {status} {text[:200]!r}")
            huge = chance.randrange(1_000_000, 5_000_000)
            status, _ = ask(port, "POST", "/enter", b"x" * huge, {**own, **form})
            if status not in (0, 400, 403, 404, 405, 413):
                faults.append(f"{huge} bytes: {status}")
            for bytes_ in (
                b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
                b"GET / HTTP/1.1\r\n" + b"X-A: b\r\n" * 20_000 + b"\r\n",
                b"POST /enter HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
                b"POST /enter HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                b"GET /../../../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
                b"GET /static/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
                bytes(chance.randrange(256) for _ in range(3000)),
                b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
            ):
                cases += 1
                if b"root:" in raw(port, bytes_):
                    faults.append(f"a file of the machine: {bytes_[:40]!r}")
            for _ in range(150):  # say nothing, or begin and never end
                with suppress(OSError):
                    one = socket.create_connection(("127.0.0.1", port), 2)
                    one.sendall(chance.choice([b"", b"GET /", b"POST /enter HTTP/1.1\r\n"]))
                    crowd.append(one)
            cases += 150
            began = time.monotonic()
            if not until(lambda: ask(port, "GET", "/", b"", own)[0] == 200, 40):
                faults.append(f"{len(crowd)} silent connections keep everybody out")
            figures.measure("console", "door with a silent crowd, s", time.monotonic() - began)
            began, seen = time.monotonic(), len(table.lines)
            table.type("time")
            if not table.says("ruled answer", after=seen):
                faults.append("the table does not answer")
            figures.measure("console", "typed question meanwhile, s", time.monotonic() - began)
        after = [fact for fact in journal.read(path) if fact["fact"] not in ("tick", "query")]
        if after != before:
            faults.append(f"facts came of it: {after[len(before) :]}")
        for one in crowd:
            one.close()
        files = [file for file in folder.rglob("*") if file.is_file()]
        for secret in secrets:
            faults += [f"a secret is in {x}" for x in files if secret.encode() in x.read_bytes()]
        table.type("quit")
        table.end()
        if "Traceback" in table.text:
            faults.append(table.text[table.text.index("Traceback") :])
        if untold(printed(table.lines), replayed(folder, path))[0]:
            faults.append("lost")
    finally:
        table.kill()
    figures.add("console", cases, faults, str(folder))


def stopped(folder: Path, figures: Figures, seed: int, seconds: float = 8) -> None:
    """Stop the process for a while: nobody is charged, and everybody is told."""
    chance = random.Random(seed)
    mode = chance.choice([(), ("--arbiter",), ("--against", "engine", "--level", "beginner")])
    path = folder / "game.jsonl"
    table = Process(folder, "play", *OPTIONS, "--journal", path, *mode)
    faults: list[str] = []
    assert table.says("Press Enter")
    table.type()
    person = Person(chance, "white")
    table.type(person.line())
    table.says("ruled clock")
    time.sleep(2 * chance.random())
    seen = len(table.lines)
    table.stand_still(seconds)
    said = table.says("interrupted", "stood still", "asleep", "no time", after=seen, seconds=20)
    time.sleep(1)
    table.type("quit")
    table.end()
    if seconds >= 5 and not said:
        faults.append(f"nobody was told: {table.lines[seen:]}")
    facts = journal.read(path)
    clocks = [r for r in replayed(folder, path) if r["ruling"] == "clock"]
    left = clocks[0]["white"] + clocks[0]["black"]
    charged = left - clocks[-1]["white"] - clocks[-1]["black"]
    lived = table.times[-1] - table.times[0] - seconds
    figures.measure("stopped", "charged beside what the table ran, s", max(0, charged - lived))
    if seconds >= 5 and charged > lived + 0.5:
        faults.append(f"charged {charged:.2f} s, lived {lived:.2f} s: {facts[-4:]}")
    if untold(printed(table.lines), replayed(folder, path)) != ([], []):
        faults.append("lost or invented")
    figures.add("stopped", 1, faults, f"{mode} in {folder}")
