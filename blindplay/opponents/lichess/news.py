"""News of the opponent besides moves: whether they are there, and their chat."""

import threading
from collections.abc import Mapping
from typing import Any

from blindplay.wording.values import Tell, Written


class OpponentNews:
    """Tells of the opponent ``name`` by ``tell``."""

    def __init__(self, name: str, tell: Tell) -> None:
        self._name, self._tell = name, tell
        self._gone = False
        self._heard = 0
        self._claim: threading.Timer | None = None

    def gone(self, line: Mapping[str, Any]) -> None:
        """Tell, once, that the opponent has left, is back, or that the win can be claimed."""
        gone, seconds = bool(line.get("gone")), line.get("claimWinInSeconds")
        if gone and not self._gone:
            self._tell("lichess_gone")
        elif self._gone and not gone:
            self._tell("lichess_came_back")
        if gone is not self._gone:
            self.close()
        self._gone = gone
        if gone and isinstance(seconds, int) and self._claim is None:
            self._claim = threading.Timer(max(0, seconds), self._tell, ("lichess_claim",))
            self._claim.daemon = True
            self._claim.start()

    def written(self, line: Mapping[str, Any]) -> None:
        """Tell that the opponent has written; the words are told on request."""
        if line.get("room") == "player" and line.get("username") == self._name:
            self._tell("lichess_chat_new")

    def read_out(self, lines: list[tuple[str, str]]) -> None:
        """Tell what nobody has heard yet of ``lines``, each with its writer."""
        news = lines[self._heard :]
        self._heard = len(lines)
        for name, text in news:
            self._tell("lichess_chat", name=Written(name), text=Written(text))
        if not news:
            self._tell("lichess_chat_none")

    def close(self) -> None:
        """Tell no longer that the win can be claimed."""
        if self._claim is not None:
            self._claim.cancel()
        self._claim = None
