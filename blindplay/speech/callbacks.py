"""Calling back into code that must not disturb the thread that calls it."""

import logging
from collections.abc import Callable, Iterable

log = logging.getLogger(__name__)


def call(callback: Callable[..., None] | None, *arguments: object) -> None:
    """Call ``callback``, if there is one, and log an exception that it raises."""
    if callback is None:
        return
    try:
        callback(*arguments)
    except Exception:
        log.exception("a callback failed")


def call_all(callbacks: Iterable[Callable[..., None]], *arguments: object) -> None:
    """Call all of them in turn. A callback may add or remove some."""
    for callback in tuple(callbacks):
        call(callback, *arguments)
