"""What a request says of its browser."""

from __future__ import annotations

from starlette.requests import Request
from starlette.types import Message

from blindplay.console.requests import accepted, address_of, fields_of, form_of, wants_json
from tests.coroutines import finished


def request(body: bytes = b"", client: tuple[str, int] | None = None, **headers: str) -> Request:
    async def receive() -> Message:
        return {"type": "http.request", "body": body}

    named = [(key.replace("_", "-").encode(), value.encode()) for key, value in headers.items()]
    return Request({"type": "http", "client": client, "headers": named}, receive)


def test_a_browser_says_its_language_what_it_reads_and_where_it_is() -> None:
    asked = request(
        client=("10.0.0.7", 4711), accept_language="sv-SE,en;q=0.5", accept="application/json"
    )
    assert (accepted(asked), wants_json(asked), address_of(asked)) == ("sv", True, "10.0.0.7")
    assert (accepted(request()), wants_json(request()), address_of(request())) == ("en", False, "")


def test_a_form_of_more_fields_than_any_page_has_is_empty() -> None:
    assert finished(form_of(request(b"act=move&text=&text=e4"))) == {
        "act": ["move"], "text": ["", "e4"],
    }  # fmt: skip
    assert finished(form_of(request(b"&".join([b"a=1"] * 41)))) == {}
    assert fields_of("&".join(["a=1"] * 41)) is None
