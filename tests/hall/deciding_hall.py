"""A hall in a process of its own, which a test kills. Its arbiter decides something at each table
again and again, and it prints the id of each decision that was answered.

Usage: python -m tests.hall.deciding_hall EVENT PORT FOLDER
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import time
from pathlib import Path

from blindplay.broker import Broker
from blindplay.hall.event_file import EventFile
from blindplay.hall.hall import Hall
from blindplay.hall.requests import UnreachableError


def main(event: str, port: str, folder: str) -> None:
    joined = EventFile(event, Broker("127.0.0.1", int(port)), folder=Path(folder))
    with Hall(joined) as hall:
        for do in itertools.cycle(("stop_clocks", "start_clocks")):
            body = {"language": "en", "form": {"act": ["arbiter"], "do": [do]}}
            for name in list(hall.follower.tables):
                with contextlib.suppress(UnreachableError):
                    answer = hall.request(name, "Berta Berg", "act", body).result()
                    if answer.status == "done":
                        print(answer.id, flush=True)
            time.sleep(0.05)


if __name__ == "__main__":
    main(*sys.argv[1:])
