"""What was found by fuzzing, and has been mended: a parser and the bytes it did not stand."""

from __future__ import annotations

import contextlib
import io
import zipfile

import pytest

from tests.fuzz.targets import TARGETS

_DEEP = b"[" * 5000
_TINY = b"RIFF\x24\0\0\0WAVEfmt \x10\0\\\0\x01\0\x01\0\x80>\0\0\0}\0\0\x02\0\x10\0data\0\0\0\0"
_ENDLESS = (
    b'fLaC\x00\x00\x00"\x10\x00\x10\x00\x00\x00\r\x00\x00\r\x03\xe8\x00\xff\x00\x00\x01\x90kC\x1b'
    b"\xf2\xda|\x93\x12\xb3\xe5\xc2\x1eg\xf6Y\x1b\x84\x00\x00g \x00\x00\x00"
    b"reference libFLAC 1.4.3 20230623\x02\x00\x00\x00\x0e\x00\x00\x00title=eva vier)\x00\x00\x00"
    b'comment={"t": 5, "ply": 3, "by": "table"}\xff\xf8u\x08\x00\x01\x8fF\x00\x00\x00S.'
)
_VECTOR = (
    b"\xd6\xfd\xb2~\x06\0\0\0vector\x08\0\0\0standard\x02\0\0\0\0\0\0\0\x03\0\0@\0\0\0\0"
    b"\0\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\0\0\x80\x7f"
)
_BOUNDARY = b"1 nonword\n6 begin\n7 end\n8 internal\n9 singleton\n\0"


def _named_in_no_text() -> bytes:
    """A zip file with a name that says it is UTF-8, and is none."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("m/ä", b"")
    return written.getvalue().replace("ä".encode(), b"\xee\x19")


FOUND = [
    pytest.param("archive", _named_in_no_text(), id="a name in an archive that is not text"),
    pytest.param(
        "requests",
        b"GET /white/changes\nhost: localhost\norigin: http://[::1\n\n",
        id="an origin with half an address",
    ),
    pytest.param(
        "requests",
        b"GET /black/changes?since=ab\xff\nhost: localhost\n\n",
        id="a query that is not text",
    ),
    pytest.param(
        "requests",
        b"POST /enter\nhost: localhost\norigin: http://localhost\ncontent-length: \xb2\n\n",
        id="a length in superscript",
    ),
    pytest.param(
        "forms", b"\n".join([b"act=ask&about=clock_mine"] * 4), id="an arbiter asks for his clock"
    ),
    pytest.param(
        "phones",
        b"".join(b"%d end\n" % n for n in range(9, 16)) + b"16 begend\n",
        id="a place that is none",
    ),
    pytest.param("phones", _BOUNDARY + b"l", id="a phone without a number"),
    pytest.param("phones", _BOUNDARY + b"l end", id="a phone's number that is a word"),
    pytest.param("phones", _BOUNDARY + b"l \xbe", id="phones that are not text"),
    pytest.param("graph", _VECTOR + b"\x01\0\0\0\0\0x\xa7", id="more arcs than memory"),
    pytest.param("graph", _VECTOR + b"\xff" * 8 + bytes(40), id="fewer than no arcs"),
    pytest.param("manifest", b'{"files": ' + _DEEP, id="a manifest without a bottom"),
    pytest.param("confidence", b'{"moves": ' + _DEEP, id="confidence without a bottom"),
    pytest.param("models-list", _DEEP, id="a list of models without a bottom"),
    pytest.param("kept", _DEEP, id="preferences without a bottom"),
    pytest.param("kept", b'{"Anna": {"volume": 1e999}}', id="an endless volume"),
    pytest.param("tape", _ENDLESS, id="a FLAC file that promises a year of sound"),
    pytest.param("sound", _TINY, id="a WAV file whose head leads out of it"),
]


@pytest.mark.parametrize(("name", "data"), FOUND)
def test_what_was_found_is_answered_or_refused(name: str, data: bytes) -> None:
    target = TARGETS[name]
    with contextlib.suppress(*target.refusals):
        target.read(data)
