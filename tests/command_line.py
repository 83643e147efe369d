"""Calls a command of ``blindplay`` within this process: as fast as the command itself."""

from __future__ import annotations

import asyncio
import io
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from blindplay.cli import main
from blindplay.commands.reader import READER


@dataclass(frozen=True)
class Ran:
    """What a command returned and printed."""

    status: int
    stdout: str
    stderr: str
    stdout_bytes: bytes


def run(
    *arguments: str,
    stdin: str | bytes = "",
    home: Path | None = None,
    reader: str = "en",
    environment: Mapping[str, str] | None = None,
) -> Ran:
    """Run ``blindplay`` with these arguments for somebody who reads the language ``reader``;
    ``home`` is the user's home folder, if given, ``environment`` what else the system sets."""
    typed = stdin if isinstance(stdin, bytes) else stdin.encode("utf-8", "surrogateescape")
    out, err = io.BytesIO(), io.BytesIO()
    changed = {"LC_MESSAGES": reader} | ({} if home is None else dict.fromkeys(_HOMES, str(home)))
    changed |= environment or {}
    with ExitStack() as stack:
        stack.enter_context(_environment(changed))
        keyboard = io.TextIOWrapper(io.BytesIO(typed), encoding="utf-8")
        stack.enter_context(mock.patch.object(sys, "stdin", keyboard))
        stdout = stack.enter_context(redirect_stdout(_text(out)))
        stderr = stack.enter_context(redirect_stderr(_text(err)))
        # A browser of another test keeps an event loop in this thread; no user's thread has one.
        stack.callback(asyncio._set_running_loop, asyncio._get_running_loop())
        asyncio._set_running_loop(None)
        stack.callback(READER.begin, ())  # what comes after is read by nobody who is known
        status = main(arguments)
        for stream in (stdout, stderr):
            if not stream.closed:
                stream.flush()
    printed = out.getvalue()
    return Ran(status, _decoded(printed), _decoded(err.getvalue()), printed)


@contextmanager
def _environment(changed: Mapping[str, str]) -> Iterator[None]:
    """The environment with these changes. Python's own way writes every variable twice."""
    before = dict(os.environ)
    os.environ.update(changed)
    try:
        yield
    finally:
        after = dict(os.environ)
        for name in after.keys() - before.keys():
            del os.environ[name]
        os.environ.update({n: value for n, value in before.items() if after.get(n) != value})


_HOMES = ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")


def _text(buffer: io.BytesIO) -> io.TextIOWrapper:
    """A stream as a poor system opens it: the command line must ask for UTF-8 itself."""
    return io.TextIOWrapper(buffer, encoding="ascii", newline="")


def _decoded(printed: bytes) -> str:
    return printed.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
