"""A person with a page of the console open: they read its stream and send forms."""

import contextlib
import threading
from collections.abc import Mapping

import httpx

from tests import web
from tests.waiting import PATIENCE_S


class OpenedPage:
    """A page of the console, opened by its access link. Raises ConnectionError if it is refused,
    and httpx.HTTPError if nobody answers within ``timeout`` seconds."""

    def __init__(self, link: str, *, timeout: float = PATIENCE_S) -> None:
        base, _, token = link.partition("/#")
        headers = {"origin": base, "accept": "application/json", "accept-language": "en"}
        self.client = web.Client(base_url=base, headers=headers, timeout=timeout)
        entered = self.client.post("/enter", data={"token": token})
        if entered.status_code != 303:
            raise ConnectionError(f"The console refused the link: {entered.status_code}.")
        self.path = entered.headers["location"]

    def send(self, form: Mapping[str, str]) -> bool:
        """Send a form. Return whether the console took it."""
        return self.client.post(f"{self.path}do", data=dict(form)).status_code == 200


class Visitor:
    """A browser without a screen that sends ``form`` again and again, ``every`` so many seconds."""

    def __init__(self, link: str, form: Mapping[str, str], *, every: float) -> None:
        self.sent = self.changes = 0
        self._page = OpenedPage(link)
        self._form, self._every = form, every
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
                self._page.client.get(self._page.path)
                self.sent += self._page.send(self._form)

    def _watch(self) -> None:
        changes = self._page.client.stream("GET", f"{self._page.path}changes", timeout=None)
        with contextlib.suppress(httpx.HTTPError), changes as stream:
            for line in stream.iter_lines():
                self.changes += line.startswith("data:")

    def leave(self) -> None:
        """Send nothing more. Call this before the console closes, and :meth:`close` after it."""
        self._left.set()
        self._threads[0].join(timeout=PATIENCE_S)

    def close(self) -> None:
        """Close the page."""
        self.leave()
        self._threads[1].join(timeout=PATIENCE_S)
        self._page.client.close()
