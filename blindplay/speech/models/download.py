"""A file from the internet, in however many pieces it takes.

What has come so far stays beside the target (``NAME.part``, with ``NAME.part.json`` telling which
version of the file it is of), so that a download goes on where it stopped, minutes or days later.
Whether it is the right file is for the caller to check: nothing here is believed.
"""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx

from .folders import ModelError

Progress = Callable[[int, int | None], None]
"""Told how many bytes are there, and of how many if that is known."""

_REDIRECTS = 5
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_ENOUGH = 64 * 1024  # a try that brought so many bytes was not in vain


class DownloadError(ModelError):
    """It could not be had; the sentence says why and what to do."""


@dataclass(frozen=True)
class Patience:
    """How long to wait, in seconds. ``stall``: for the next bytes, of which at least ``slowest`` a
    second must come. ``tries`` in a row may bring nothing; before each but the first there is a
    pause that grows from ``pause`` to ``longest_pause``."""

    connect: float = 20.0
    stall: float = 30.0
    slowest: float = 200.0
    tries: int = 6
    pause: float = 2.0
    longest_pause: float = 30.0


class _AgainError(Exception):
    """This try failed; another may not. The text says what happened."""


def check_address(address: str, before: str | None = None) -> str:
    """Return ``address`` if a model may be fetched from there: over https, or from this machine.

    ``before`` is the address that led there; to this machine only this machine may lead.
    Raises DownloadError otherwise.
    """
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
        parts = urlsplit("")
    local = parts.scheme == "http" and host in _LOOPBACK
    if local and before is not None:
        local = urlsplit(before).hostname in _LOOPBACK
    if not host or not (parts.scheme == "https" or local):
        led = "" if before is None else f"{before} leads to "
        raise DownloadError(
            f"{led}{address or 'nowhere'}, which is not a secure address, so nothing was fetched; "
            "a model is only taken over https."
        )
    return address


def _silent(sentence: str) -> None:
    pass


def fetch_text(address: str, *, most: int, patience: Patience) -> str:
    """The text at ``address``, of at most ``most`` bytes. Raises DownloadError."""
    got = bytearray()

    def one(client: httpx.Client) -> None:
        got.clear()
        with _get(client, address, {}) as (response, _):
            _must_be_there(response, address)
            for chunk in _timely(response, patience):
                got.extend(chunk)
                if len(got) > most:
                    raise DownloadError(f"{address} gives more than {most} bytes; that is wrong.")

    _patiently(one, address, patience, lambda: 0, _silent)
    return got.decode("utf-8", "replace")


def download(
    address: str,
    target: Path,
    *,
    size: int | None,
    most: int,
    patience: Patience,
    progress: Progress,
    trouble: Callable[[str], None] = _silent,
) -> bool:
    """Bring the file at ``address`` to ``target``; whether it was put together from pieces.

    ``size`` is how many bytes it must have, if that is known, ``most`` how many it may have.
    ``trouble`` is told in a sentence when it is tried again. What came stays for the next time
    whenever this ends early, however it does.

    Raises DownloadError when it cannot be had, and OSError.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    pieces = []

    def one(client: httpx.Client) -> None:
        pieces.append(_length(part))
        _one(client, address, part, size, most, patience, progress)

    _patiently(one, address, patience, lambda: _length(part), trouble)
    part.replace(target)
    _facts(part).unlink(missing_ok=True)
    return any(pieces)


def forget(target: Path) -> bool:
    """Remove ``target`` and what has come of it; whether there was anything."""
    part = target.with_name(target.name + ".part")
    there = [file for file in (target, part, _facts(part)) if file.exists()]
    for file in there:
        file.unlink(missing_ok=True)
    return bool(there)


def _patiently(
    one: Callable[[httpx.Client], None],
    address: str,
    patience: Patience,
    came: Callable[[], int],
    trouble: Callable[[str], None],
) -> None:
    """Do ``one`` until it succeeds, or fails too often in a row with nothing to show for it."""
    timeout = httpx.Timeout(patience.stall, connect=patience.connect)
    failed, before, reached = 0, came(), False
    with httpx.Client(timeout=timeout, follow_redirects=False) as client:
        while True:
            try:
                one(client)
                return
            except httpx.InvalidURL:
                raise DownloadError(
                    f"{address} is no address or leads to what is none, so nothing was fetched; "
                    "a model is only taken over https."
                ) from None
            except (_AgainError, httpx.TransportError) as error:
                why = str(error) if isinstance(error, _AgainError) else _told(error, address)
                reached = reached or not isinstance(
                    error, httpx.ConnectError | httpx.ConnectTimeout
                )
            now = came()
            failed = 1 if abs(now - before) >= _ENOUGH else failed + 1
            before = now
            # Who is not connected at all need not wait long to hear it.
            if failed >= (patience.tries if reached else min(2, patience.tries)):
                raise DownloadError(
                    f"{address} could not be fetched: {why}; check the internet connection and run "
                    "the same command again, and it goes on where it was."
                )
            trouble(f"It stopped: {why}. It is tried again.")
            time.sleep(min(patience.longest_pause, patience.pause * 2 ** (failed - 1)))


def _told(error: httpx.TransportError, address: str) -> str:
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        host = urlsplit(address).hostname
        if "CERTIFICATE" in str(error):
            return f"the certificate of {host} is not to be trusted"
        return f"there is no connection to {host}"
    if isinstance(error, httpx.TimeoutException):
        return "the server does not answer"
    return "the connection broke off"


def _one(
    client: httpx.Client,
    address: str,
    part: Path,
    size: int | None,
    most: int,
    patience: Patience,
    progress: Progress,
) -> None:
    version = _version(part, address)
    have = 0 if version is None else _length(part)
    if size is not None and have >= size:
        if have == size:
            return
        have = 0
    headers = {"Range": f"bytes={have}-"} if have else {}
    if have and version:
        headers["If-Range"] = version
    with _get(client, address, headers) as (response, last):
        if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE and have:
            part.unlink()
            raise _AgainError("the file on the server has changed")
        _must_be_there(response, last)
        start, total = _span(response)
        if start not in (0, have):
            part.unlink(missing_ok=True)
            raise _AgainError("the server sent another part than it was asked for")
        if total is not None and total > most:
            raise DownloadError(f"{last} is {total} bytes long, and no model is so long.")
        if size is not None and total is not None and total != size:
            raise DownloadError(
                f"The file at {last} has {total} bytes and should have {size}: it is another file "
                "than the one that is known, and was not fetched."
            )
        if start == 0:
            part.unlink(missing_ok=True)
            _write_version(part, address, response)
        written = start
        with part.open("ab") as stream:
            for chunk in _timely(response, patience):
                written += len(chunk)
                if written > (most if size is None else size):
                    stream.close()
                    part.unlink()
                    raise DownloadError(
                        f"{last} gives more bytes than it should; what came was thrown away."
                    )
                stream.write(chunk)
                progress(written, size if size is not None else total)
        expected = size if size is not None else total
        if expected is not None and written < expected:
            raise _AgainError(f"it broke off after {written} of {expected} bytes")


@contextlib.contextmanager
def _get(
    client: httpx.Client, address: str, headers: dict[str, str]
) -> Iterator[tuple[httpx.Response, str]]:
    """The response, and the address that gave it after all redirections."""
    check_address(address)
    for _ in range(_REDIRECTS + 1):
        with client.stream("GET", address, headers={**headers, "Accept-Encoding": "identity"}) as r:
            if not r.has_redirect_location and not r.is_redirect:
                yield r, address
                return
            location = r.headers.get("location", "")
            with contextlib.suppress(ValueError):
                location = urljoin(address, location)
            address = check_address(location, before=address)
    raise DownloadError(f"{address} only leads on and on; nothing was fetched.")


def _must_be_there(response: httpx.Response, address: str) -> None:
    code = response.status_code
    if code in (httpx.codes.OK, httpx.codes.PARTIAL_CONTENT):
        return
    if code >= 500 or code in (408, 425, 429):
        raise _AgainError(f"the server answers {code}")
    raise DownloadError(
        f"{address} cannot be fetched: the server answers {code}"
        + (", there is no such file" if code in (404, 410) else "")
        + "; try later, or give the model's file with --from."
    )


def _timely(response: httpx.Response, patience: Patience) -> Iterator[bytes]:
    """What comes, as long as it comes fast enough."""
    since, came = time.monotonic(), 0
    for chunk in response.iter_raw():
        came += len(chunk)
        yield chunk
        if (passed := time.monotonic() - since) >= patience.stall:
            if came < patience.slowest * passed:
                raise _AgainError("the server has nearly stopped")
            since, came = time.monotonic(), 0


def _span(response: httpx.Response) -> tuple[int, int | None]:
    """At which byte the response begins, and how long the whole file is."""
    if response.status_code == httpx.codes.PARTIAL_CONTENT:
        found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", response.headers.get("content-range", ""))
        if found is None:
            return -1, None
        return int(found[1]), None if found[2] == "*" else int(found[2])
    length = response.headers.get("content-length", "")
    return 0, int(length) if length.isdecimal() else None


def _length(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _facts(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _version(part: Path, address: str) -> str | None:
    """What the server called the version that ``part`` is of, "" if it called it nothing; None if
    it is not known to come from ``address``."""
    try:
        kept = json.loads(_facts(part).read_text("utf-8"))
        return str(kept["version"]) if kept["address"] == address else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _write_version(part: Path, address: str, response: httpx.Response) -> None:
    tag = response.headers.get("etag", "")
    if not tag or tag.startswith("W/"):  # a weak tag does not tell bytes apart
        tag = response.headers.get("last-modified", "")
    text = json.dumps({"address": address, "version": tag})
    _facts(part).write_text(text + "\n", "utf-8")
