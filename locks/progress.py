"""Tell in plain words, line by line, how an installation goes: make gives what uv or pip prints.

A screen reader reads each line aloud, so there are few of them, and one at least every ten seconds.
"""

import queue
import re
import sys
import threading
from collections.abc import Iterator

_QUIET_S = 10
_LARGE_MB = 10
_EVERY = 10  # packages that pip fetches one after the other
_SENTENCES = (
    (re.compile(r"Resolved (\d\d+) packages"), "{} packages are needed."),
    (re.compile(r"Prepared (\d\d+) packages"), "{} packages were fetched and checked."),
    (re.compile(r"(Installing) collected packages"), "They are put in place."),
)
_UV_FETCHES = re.compile(r"Downloading (\S+) \((\d+)[.\d]*MiB\)")
_PIP_FETCHES = re.compile(r"(Collecting|Processing) ")
_ERROR = re.compile("error", re.IGNORECASE)


class Progress:
    """What uv or pip has told so far."""

    def __init__(self) -> None:
        self._fetched = 0

    def sentences(self, line: str) -> Iterator[str]:
        """The sentences for one line; none for what nobody needs. An error stays as it is."""
        for pattern, sentence in _SENTENCES:
            if match := pattern.match(line):
                yield sentence.format(match[1])
        if (match := _UV_FETCHES.match(line)) and int(match[2]) >= _LARGE_MB:
            yield f"Fetching {match[1]}, {match[2]} megabytes."
        if _PIP_FETCHES.match(line):
            self._fetched += 1
            if self._fetched % _EVERY == 0:
                yield f"{self._fetched} packages so far."
        if _ERROR.match(line):
            yield line.rstrip()


def _main() -> None:
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    progress = Progress()
    while True:
        try:
            line = lines.get(timeout=_QUIET_S)
        except queue.Empty:
            print("Still at it.", flush=True)
            continue
        if line is None:
            return
        for sentence in progress.sentences(line):
            print(sentence, flush=True)


if __name__ == "__main__":
    _main()
