"""A table that joins a hall with a ticket: six digits, and the address of the hall's page."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from blindplay.console import PORT
from blindplay.given import shown
from blindplay.record import files
from blindplay.translation import UserError

from ..event_file import EventFile, event_file_of
from ..tickets import BEGIN, FILE, OPEN, TableSide

if TYPE_CHECKING:
    import httpx


_TICKET = re.compile("([0-9]{6})(?:@(.*))?")
_PATIENCE_S = 10.0


class _NoHallError(UserError):
    """The answer is not one of a hall with tickets."""


def ticket_of(text: str) -> tuple[str, str] | None:
    """The digits of a ticket and the address of its hall, which may be empty; None if ``text`` is
    no ticket: ``123456`` or ``123456@192.168.1.20:8080``."""
    match = _TICKET.fullmatch(text)
    return None if match is None else (match[1], match[2] or "")


def join(
    digits: str, address: str, which: Callable[[Sequence[str]], str], folder: Path
) -> tuple[EventFile, Path]:
    """Fetch the file of a table with the ticket ``digits`` from the hall at ``address``, a name or
    number with or without a port, and keep it in ``folder``. ``which`` says which of several tables
    the ticket is for.

    :raises ValueError: one sentence, if that cannot be done.
    :raises OSError: if the file cannot be written.
    """
    import httpx

    host = _host(address)
    try:
        try:
            content = _fetched(f"http://{host}", digits, which)
        except (httpx.RemoteProtocolError, httpx.ReadError, _NoHallError):  # one that encrypts
            content = _fetched(f"https://{host}", digits, which)
    except (httpx.HTTPError, httpx.InvalidURL):
        raise UserError(
            "The hall's page cannot be reached at {host}; check the address, and "
            "whether the hall was started with --host 0.0.0.0.",
            host=shown(host),
        ) from None
    joined = event_file_of(content, Path("hall"), table=True)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{joined.event}-table-{joined.table}.toml"
    files.write_new(path, content)
    return joined, path


def _host(address: str) -> str:
    """The host and the port of an address, which may also be that of a page."""
    try:
        parts = urlsplit(address.strip() if "//" in address else f"//{address.strip()}")
        if parts.hostname:
            name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
            return f"{name}:{parts.port or PORT}"
    except ValueError:
        pass
    raise UserError(
        "{address} is not an address; write one such as 192.168.1.20:{port}.",
        address=shown(address),
        port=PORT,
    )


def _fetched(url: str, digits: str, which: Callable[[Sequence[str]], str]) -> bytes:
    """The content of the table's file.

    :raises ValueError: one sentence, if the hall does not give it.
    """
    import httpx

    # The exchange itself proves the hall's identity. So it needs no certificate.
    with httpx.Client(
        base_url=url, headers={"origin": url}, verify=False, trust_env=False, timeout=_PATIENCE_S
    ) as client:
        tables = [str(table) for table in _answer(client.get(OPEN)).get("tables", ())]
        if not tables:
            raise UserError("The hall has no open ticket; show a new one on its page.")
        side = TableSide(digits, tables[0] if len(tables) == 1 else which(tables))
        form = {"table": side.table, "message": side.message.hex()}
        answer = _answer(client.post(BEGIN, data=form))
        try:
            side.agree(bytes.fromhex(answer["message"]))
            proof = {"exchange": answer["exchange"], "proof": side.proof.hex()}
            return side.opened(bytes.fromhex(_answer(client.post(FILE, data=proof))["file"]))
        except (KeyError, TypeError, ValueError):
            raise UserError(
                "This is not the ticket of table {table}; read it again on the hall's "
                "page. After three tries a new one is needed.",
                table=side.table,
            ) from None


def _answer(response: "httpx.Response") -> dict[str, Any]:
    """Return the content of the hall's answer, also of a refusal."""
    try:
        content = response.json()
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise _NoHallError(
            "The server at this address is not a hall with tickets; check the address."
        )
    return content
