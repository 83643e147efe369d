"""What was found by fuzzing, and has been mended: a parser and the bytes it did not stand."""

from __future__ import annotations

import contextlib

import pytest

from .targets import TARGETS

_DEEP = b"[" * 5000
_TINY = b"RIFF\x24\0\0\0WAVEfmt \x10\0\\\0\x01\0\x01\0\x80>\0\0\0}\0\0\x02\0\x10\0data\0\0\0\0"
_BOUNDARY = b"1 nonword\n6 begin\n7 end\n8 internal\n9 singleton\n\0"

FOUND = [
    pytest.param(
        "requests",
        b"GET /white/changes\nhost: localhost\norigin: http://[::1\n\n",
        id="an origin with half an address",
    ),
    pytest.param(
        "requests",
        b"GET /black/changes?since=ab\xff\nhost: localhost\n\n",
        id="a query that is no text",
    ),
    pytest.param(
        "requests",
        b"POST /enter\nhost: localhost\norigin: http://localhost\ncontent-length: \xb2\n\n",
        id="a length in superscript",
    ),
    pytest.param(
        "forms", b"\n".join([b"act=ask&about=clock_mine"] * 4), id="an arbiter asks for his clock"
    ),
    pytest.param("phones", _BOUNDARY + b"l", id="a phone without a number"),
    pytest.param("phones", _BOUNDARY + b"l end", id="a phone's number that is a word"),
    pytest.param("phones", _BOUNDARY + b"l \xbe", id="phones that are no text"),
    pytest.param("manifest", b'{"files": ' + _DEEP, id="a manifest without a bottom"),
    pytest.param("models-list", _DEEP, id="a list of models without a bottom"),
    pytest.param("kept", _DEEP, id="preferences without a bottom"),
    pytest.param("kept", b'{"Anna": {"volume": 1e999}}', id="an endless volume"),
    pytest.param("sound", _TINY, id="a WAV file whose head leads out of it"),
]


@pytest.mark.parametrize(("name", "data"), FOUND)
def test_what_was_found_is_answered_or_refused(name: str, data: bytes) -> None:
    target = TARGETS[name]
    with contextlib.suppress(*target.refusals):
        target.read(data)
