"""Look into an ONNX file without loading it: is it whole, and which other files does it name?

An ONNX file is a protocol buffer. It may keep its weights in other files, by name, and its maker
may have named any file of this machine.
"""

import mmap
from collections.abc import Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath

from ..models.folders import ModelError

_MOST_NESTED = 16
# For each kind of message the fields that may lead to weights, and their kinds (onnx.proto).
_FIELDS = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "function": {7: "node"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {13: "entry"},
    "entry": {1: "key", 2: "value"},
}
_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5


def check_onnx_file(file: Path) -> tuple[Path, ...]:
    """Return the files in which the weights of an ONNX file are, without the file itself.

    Raises ModelError if the file is cut off or is not an ONNX file, or if it names a file that is
    missing or outside of its folder.
    """
    try:
        with file.open("rb") as stream:
            if not (size := stream.seek(0, 2)):
                raise ValueError
            with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
                names = set(_locations(data, 0, size))
    except (OSError, ValueError, RecursionError):
        raise ModelError(
            f"{file} is damaged, or is of no network that BlindPlay knows; fetch the model again."
        ) from None
    return tuple(_beside(file, name) for name in sorted(names))


def _beside(file: Path, name: str) -> Path:
    # Windows' paths know both separators, and drives.
    inside = not PureWindowsPath(name).anchor and ".." not in PureWindowsPath(name).parts
    other = file.parent / PurePosixPath(name)
    folder = file.parent.resolve()
    if not name or "\0" in name or not inside or not other.resolve().is_relative_to(folder):
        raise ModelError(
            f"{file} names weights outside of its folder, {name[:80]!r}; do not use this model."
        )
    if not other.is_file():
        raise ModelError(
            f"{file} has its weights in {name[:80]}, which is not there; put that file beside it."
        )
    return other


def _locations(data: mmap.mmap, start: int, end: int) -> Iterator[str]:
    """Give the names of files that a model names. Raises ValueError if it is not a model."""
    graphs = 0
    for kind, first, last in _walk(data, "model", start, end, 0):
        graphs += kind == "graph"
        if kind == "entry":
            parts = {k: data[a:b] for k, a, b in _parts(data, "entry", first, last)}
            if parts.get("key") == b"location":
                yield parts.get("value", b"").decode()
    if not graphs:
        raise ValueError


def _walk(
    data: mmap.mmap, kind: str, start: int, end: int, depth: int
) -> Iterator[tuple[str, int, int]]:
    if depth > _MOST_NESTED:
        raise ValueError
    for part, first, last in _parts(data, kind, start, end):
        yield part, first, last
        if part != "entry":
            yield from _walk(data, part, first, last, depth + 1)


def _parts(data: mmap.mmap, kind: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Give the parts of a message that may lead to weights: their kinds, beginnings and ends."""
    fields, at = _FIELDS[kind], start
    while at < end:
        tag, at = _varint(data, at, end)
        number, form = tag >> 3, tag & 7
        if form == _VARINT:
            _, at = _varint(data, at, end)
            continue
        if form == _BYTES:
            length, at = _varint(data, at, end)
        elif form in (_EIGHT, _FOUR):
            length = 8 if form == _EIGHT else 4
        else:
            raise ValueError
        if not number or at + length > end:
            raise ValueError
        if form == _BYTES and number in fields:
            yield fields[number], at, at + length
        at += length


def _varint(data: mmap.mmap, at: int, end: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= end:
            raise ValueError
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError
