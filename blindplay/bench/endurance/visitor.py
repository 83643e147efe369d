"""A person with a page of the console open: they read its stream and send forms."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping

import httpx


class Visitor:
    """A browser without a screen. ``acts`` gives the next form to send, or None; there are
    ``every`` seconds between two."""

    def __init__(
        self, link: str, acts: Callable[[], Mapping[str, str] | None], *, every: float = 0.5
    ) -> None:
        base, _, token = link.partition("/#")
        headers = {"origin": base, "accept": "application/json", "accept-language": "en"}
        self.client = httpx.Client(base_url=base, headers=headers, timeout=30)
        entered = self.client.post("/enter", data={"token": token})
        if entered.status_code != 303:
            raise ConnectionError(f"The console refused the link: {entered.status_code}.")
        self.page = entered.headers["location"]
        self.sent = 0
        self.refused = 0
        self.changes = 0
        self._acts, self._every = acts, every
        self._left = threading.Event()
        self._threads = [
            threading.Thread(target=run, name="visitor", daemon=True)
            for run in (self._act, self._watch)
        ]
        for thread in self._threads:
            thread.start()

    def _act(self) -> None:
        with contextlib.suppress(httpx.HTTPError):
            while not self._left.wait(self._every):
                self.client.get(self.page)
                form = self._acts()
                if form is not None:
                    answer = self.client.post(f"{self.page}do", data=dict(form))
                    self.sent += answer.status_code == 200
                    self.refused += answer.status_code != 200

    def _watch(self) -> None:
        with (
            contextlib.suppress(httpx.HTTPError),
            self.client.stream("GET", f"{self.page}changes", timeout=None) as stream,
        ):
            for line in stream.iter_lines():
                self.changes += line.startswith("data:")

    def leave(self) -> None:
        """Send nothing more. Call this before the console closes, and :meth:`close` after it."""
        self._left.set()
        self._threads[0].join(timeout=30)

    def close(self) -> None:
        """Close the page."""
        self.leave()
        self._threads[1].join(timeout=30)
        self.client.close()
