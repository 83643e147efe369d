"""Downloads that are continued where they broke off, minutes or days later.

The bytes that have come so far stay beside the target in ``NAME.part``, and ``NAME.part.json`` says
of which version of the file they are. The caller checks with a checksum whether it is the right
file.
"""

import contextlib
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx

from blindplay.own_files import read_object, write_json
from blindplay.translation import SentenceError, _

from .folders import ModelError

Progress = Callable[[int, int | None], None]
"""Gets how many bytes are there, and the total if it is known."""

_REDIRECTS = 5
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_ANSWER_S = 5.0
_ENOUGH = 64 * 1024  # bytes with which a try counts as a success


class DownloadError(ModelError):
    """The file cannot be fetched. The message says why, and the remedy."""


@dataclass(frozen=True)
class Patience:
    """The limits of waiting; times are in seconds."""

    connect: float = 20.0
    stall: float = 30.0
    """For the next bytes."""
    slowest: float = 200.0
    """A server that sends fewer bytes a second counts as stalled, too."""
    tries: int = 6
    """Number of tries in a row that may bring nothing."""
    pause: float = 2.0
    """Before the second try; it doubles with each try."""
    longest_pause: float = 30.0


class _RetryError(SentenceError, Exception):
    """This try failed, and another may succeed. The text says what happened."""


def check_address(address: str, before: str | None = None) -> str:
    """Return ``address`` if a model may be fetched from it: over https, or from this machine.

    ``before`` is the address that redirects to it; only this machine may redirect to this machine.

    :raises DownloadError:
    """
    try:
        url = httpx.URL(address)
    except httpx.InvalidURL:
        url = httpx.URL("")
    local = url.scheme == "http" and url.host in _LOOPBACK
    if local and before is not None:
        local = httpx.URL(before).host in _LOOPBACK
    if not url.host or not (url.scheme == "https" or local):
        if before is None:
            raise DownloadError(
                "{address} is not a secure address, so nothing was fetched; a model is "
                "only taken over https.",
                address=repr(address),
            )
        raise DownloadError(
            "{before} leads to {address}, which is not a secure address, so nothing "
            "was fetched; a model is only taken over https.",
            before=before,
            address=address,
        )
    return address


def answers(address: str) -> bool:
    """Return whether the server of this address answers, whatever it says."""
    try:
        httpx.head(check_address(address), timeout=_ANSWER_S)
    except (httpx.HTTPError, httpx.InvalidURL, DownloadError):
        return False
    return True


def fetch_text(address: str, *, most: int, patience: Patience) -> str:
    """Return the text at ``address``, of at most ``most`` bytes.

    :raises DownloadError:
    """
    with tempfile.TemporaryDirectory(prefix="blindplay-") as folder:
        target = Path(folder) / "text"
        download(address, target, size=None, most=most, patience=patience)
        return target.read_text("utf-8", errors="replace")


def download(
    address: str,
    target: Path,
    *,
    size: int | None,
    most: int,
    patience: Patience,
    progress: Progress = lambda have, total: None,
    trouble: Callable[[str], None] = lambda sentence: None,
) -> bool:
    """Fetch the file at ``address`` to ``target``. Return True if it was put together from pieces.

    ``size`` is its known number of bytes, ``most`` the highest allowed one. ``trouble`` gets a
    sentence before each further try. However this ends, the bytes that came stay for the next time.

    :raises DownloadError, OSError:
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = _PartialFile(address, target, size, most, patience, progress)
    failures, connected, pieces = 0, False, part.length > 0
    timeout = httpx.Timeout(patience.stall, connect=patience.connect)
    with httpx.Client(timeout=timeout, follow_redirects=False) as client:
        while True:
            before = part.length
            try:
                part.append(client)
                break
            except httpx.InvalidURL:
                raise DownloadError(
                    "{address} leads to no address; a model is only taken over https.",
                    address=address,
                ) from None
            except (_RetryError, httpx.TransportError) as error:
                why = _reason(error, address)
                offline = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
            connected = connected or not offline
            pieces = pieces or part.length > 0
            failures = 1 if abs(part.length - before) >= _ENOUGH else failures + 1
            # Without any connection the user should soon learn it.
            if failures >= (patience.tries if connected else min(2, patience.tries)):
                raise DownloadError(
                    "{address} could not be fetched: {why}; check the internet "
                    "connection and run the same command again, and it continues where it "
                    "stopped.",
                    address=address,
                    why=why,
                )
            trouble(_("It stopped: {why}. It is tried again.", why=why))
            time.sleep(min(patience.longest_pause, patience.pause * 2 ** (failures - 1)))
    part.file.replace(target)
    part.version_file.unlink(missing_ok=True)
    return pieces


def forget(target: Path) -> bool:
    """Remove ``target`` and what has come of it. Return whether there was anything."""
    files = [file for file in (target, *_beside(target)) if file.exists()]
    for file in files:
        file.unlink()
    return bool(files)


def _beside(target: Path) -> tuple[Path, Path]:
    """Return the paths of the bytes that have come so far, and of their version."""
    return target.with_name(f"{target.name}.part"), target.with_name(f"{target.name}.part.json")


def megabytes(size: int) -> str:
    """Return a number of bytes in words that can be read out."""
    if size < 1_500_000:
        return _("{count} kilobytes", count=max(1, round(size / 1000)))
    return _("{count} megabytes", count=round(size / 1_000_000))


class _PartialFile:
    """The bytes of a file that have come so far. The arguments are those of ``download``."""

    def __init__(
        self, address: str, target: Path, size: int | None, most: int, patience: Patience,
        progress: Progress,
    ) -> None:  # fmt: skip
        self.file, self.version_file = _beside(target)
        self._address, self._size, self._most = address, size, most
        self._patience, self._progress = patience, progress

    @property
    def length(self) -> int:
        return self.file.stat().st_size if self.file.exists() else 0

    def append(self, client: httpx.Client) -> None:
        """Fetch the bytes that are missing."""
        version = self._version()
        have = 0 if version is None else self.length
        if have == self._size:
            return
        if self._size is not None and have > self._size:
            have = 0
        headers = {"Range": f"bytes={have}-"} if have else {}
        if have and version:
            headers["If-Range"] = version
        with _get(client, self._address, headers) as (response, last):
            if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE and have:
                self.file.unlink()
                raise _RetryError("the file on the server has changed")
            _check_status(response, last)
            start, total = _range(response)
            if start not in (0, have):
                self.file.unlink(missing_ok=True)
                raise _RetryError("the server sent another part than it was asked for")
            if total is not None and total > self._most:
                raise DownloadError(
                    "{last} gives more than {most} bytes, which is wrong.",
                    last=last,
                    most=self._most,
                )
            if None not in (self._size, total) and total != self._size:
                raise DownloadError(
                    "The file at {last} has {total} bytes and should have {size}: it "
                    "is another file than the one that is known, and was not fetched.",
                    last=last,
                    total=total,
                    size=self._size,
                )
            if start == 0:
                self._begin(response)
            self._write(response, start, self._size if self._size is not None else total, last)

    def _version(self) -> str | None:
        """Return the server's name for the version of these bytes, "" if it has none; None if it is
        unknown whether they come from this address."""
        kept = read_object(self.version_file)
        return str(kept.get("version", "")) if kept.get("address") == self._address else None

    def _begin(self, response: httpx.Response) -> None:
        """Drop the bytes, and note which version will come."""
        self.file.unlink(missing_ok=True)
        tag = response.headers.get("etag", "")
        if not tag or tag.startswith("W/"):  # a weak tag does not identify bytes
            tag = response.headers.get("last-modified", "")
        write_json(self.version_file, {"address": self._address, "version": tag})

    def _write(
        self, response: httpx.Response, written: int, expected: int | None, address: str
    ) -> None:
        """Append what comes, as long as it comes fast enough and is not too much."""
        limit = self._most if self._size is None else self._size
        since, at_first = time.monotonic(), written
        with self.file.open("ab") as stream:
            for chunk in response.iter_raw():
                written += len(chunk)
                if written > limit:
                    stream.close()
                    self.file.unlink()
                    raise DownloadError(
                        "{address} gives more than {limit} bytes, which is wrong; what "
                        "came was thrown away.",
                        address=address,
                        limit=limit,
                    )
                stream.write(chunk)
                self._progress(written, expected)
                if (passed := time.monotonic() - since) >= self._patience.stall:
                    if written - at_first < self._patience.slowest * passed:
                        raise _RetryError("the server has nearly stopped")
                    since, at_first = time.monotonic(), written
        if expected is not None and written < expected:
            raise _RetryError(
                "it broke off after {written} of {expected} bytes",
                written=written,
                expected=expected,
            )


def _reason(error: Exception, address: str) -> str:
    match error:
        case httpx.ConnectError() | httpx.ConnectTimeout():
            host = httpx.URL(address).host
            if "CERTIFICATE" in str(error):
                return _("the certificate of {host} is not to be trusted", host=host)
            return _("there is no connection to {host}", host=host)
        case httpx.TimeoutException():
            return _("the server does not answer")
        case httpx.TransportError():
            return _("the connection broke off")
    return str(error)


@contextlib.contextmanager
def _get(
    client: httpx.Client, address: str, headers: dict[str, str]
) -> Iterator[tuple[httpx.Response, str]]:
    """Yield the response, and the address that gave it after all redirections."""
    check_address(address)
    headers = {**headers, "Accept-Encoding": "identity"}
    for _unused in range(_REDIRECTS + 1):
        with client.stream("GET", address, headers=headers) as response:
            if response.next_request is None:
                yield response, address
                return
            address = check_address(str(response.next_request.url), before=address)
    raise DownloadError("{address} only leads on and on; nothing was fetched.", address=address)


def _check_status(response: httpx.Response, address: str) -> None:
    code = response.status_code
    if code in (httpx.codes.OK, httpx.codes.PARTIAL_CONTENT):
        return
    if code >= 500 or code in (408, 425, 429):
        raise _RetryError("the server answers {code}", code=code)
    raise DownloadError(
        _("{address} cannot be fetched: the server answers {code}", address=address, code=code)
        + (_(", there is no such file") if code in (404, 410) else "")
        + _("; try later, or give the model's file with --from.")
    )


def _range(response: httpx.Response) -> tuple[int, int | None]:
    """Return the byte at which the response begins (-1: unknown), and the file's length."""
    if response.status_code == httpx.codes.PARTIAL_CONTENT:
        match = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", response.headers.get("content-range", ""))
        if match is None:
            return -1, None
        return int(match[1]), None if match[2] == "*" else int(match[2])
    length = response.headers.get("content-length", "")
    return 0, int(length) if length.isdecimal() else None
