"""One request to one table, also beside a running hall."""

import tempfile
import time
from pathlib import Path

from .event_file import EventFile
from .follower import Follower
from .link import Link
from .protocol import RequestAnswer, Topic
from .requesting import Requests, UnreachableError

_PATIENCE_S = 10.0  # until the broker and the table are heard of
_TICK_S = 0.05


def ask_once(joined: EventFile, table: str, who: str, kind: str) -> RequestAnswer:
    """What ``table`` answers to a request of this ``kind`` from the person ``who``. The status is
    ``unanswered`` if it gives no answer.

    :raises UnreachableError: if the broker or the table cannot be reached.
    :raises ValueError: if the broker cannot be used as the file says.
    """
    with tempfile.TemporaryDirectory(prefix="blindplay-hall-") as folder:
        follower = Follower(joined.event, Path(folder), lambda *_: None)

        def send(topic: Topic, payload: bytes) -> bool:
            return link.publish(str(topic), payload)

        def receive(topic: str, payload: bytes, retained: bool) -> None:
            requests.receive(topic, payload)
            follower.receive(topic, payload, time.monotonic(), retained=retained)

        requests = Requests(follower, send)
        kinds = ("head", "presence", "answer")
        topics = [str(Topic(joined.event, table, one)) for one in kinds]
        link = Link(joined.broker, topics, receive, lambda: None)
        link.start()
        try:
            return _asked(requests, table, who, kind)
        finally:
            link.close()


def _asked(requests: Requests, table: str, who: str, kind: str) -> RequestAnswer:
    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            future = requests.request(table, who, kind, {}, time.monotonic())
            break
        except UnreachableError:
            if time.monotonic() >= until:
                raise
            time.sleep(_TICK_S)
    while not future.done():
        requests.tick(time.monotonic())
        time.sleep(_TICK_S)
    return future.result()
