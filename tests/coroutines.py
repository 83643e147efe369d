"""Coroutines in tests that are none themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def finished(work: Coroutine[Any, Any, T]) -> T:
    """What ``work`` gives, run to its end in a thread of its own: a browser that is driven from
    this one keeps an event loop running here."""
    return apart(lambda: asyncio.run(work))


def apart(call: Callable[[], T]) -> T:
    """What ``call`` returns, called in a thread of its own, as it begins an event loop itself."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result()
