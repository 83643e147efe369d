"""The files of a Vosk model that hold its words, read and written without Kaldi or OpenFst.

Everything is little-endian. These files of a model matter here:

``am/final.mdl`` begins with the *transition model*: which hidden states each phone has, and which
of the network's outputs (a *pdf*) each of them listens to. A *transition-id* is the number of one
arc of one such state. The graph's input labels are transition-ids.

``graph/HCLr.fst`` turns transition-ids into words. It is an OpenFst transducer over the tropical
semiring (weights are costs in nats) of the type "vector" or "const"; data for look-ahead may follow
a "const" one, which Vosk does not need. While it runs, Vosk composes it with the grammar of the
words that may be said now, or else with ``graph/Gr.fst``.

``graph/words.txt`` has the names of the words ("anna 6"), ``graph/phones.txt`` those of the phones
("a_B 14"). Small models have neither; their words are in ``graph/Gr.fst``. Except for silences,
each phone has four numbers, by its place in a word: B(egin), I(nternal), E(nd) and S(ingle). These
places are in ``graph/phones/word_boundary.int``.
"""

import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from blindplay.translation import UserError, one_of

PLACES = "BIES"
"""A phone's places in a word, in the order in which Kaldi numbers them."""
_NO_SPEECH = {"SIL", "SPN", "NSN", "LAU"}

_FST_MAGIC = 2125659606
_LOOKAHEAD_MAGIC = 446681434
_TABLE_MAGIC = 2125658996
_SYMBOLS = 0x3  # header flags: a table of symbols follows
_ALIGNED = 0x4
_EXPANDED_MUTABLE = 0x3
_INPUT_SORTED = 0x10000000
_OUTPUT_SORTED = 0x40000000

_PLACE_NAMES = {"begin": "B", "internal": "I", "end": "E", "singleton": "S"}


class GraphError(UserError):
    """A file of a model is damaged or of an unknown kind. The message says which."""


@dataclass
class Fst:
    """A transducer under construction: ``arcs[state]`` are (input, output, cost, to) tuples.

    Labels are numbers, 0 is epsilon. ``final`` has the costs of the states where it may end.
    """

    arcs: list[list[tuple[int, int, float, int]]] = field(default_factory=list)
    final: dict[int, float] = field(default_factory=dict)

    def state(self) -> int:
        """Add a state and return its number."""
        self.arcs.append([])
        return len(self.arcs) - 1

    def arc(self, start: int, put: int, out: int, cost: float, to: int) -> None:
        """Add an arc with input label ``put`` and output label ``out`` that costs ``cost`` nats."""
        self.arcs[start].append((put, out, cost, to))

    def write(self, path: Path, *, start: int = 0, sorted_by_output: bool = True) -> None:
        """Write it as a "vector" FST, its arcs sorted by output (or else input) label.

        Vosk needs the first order in HCLr.fst and the second in Gr.fst. The header says which it
        is; otherwise OpenFst would check every arc again for each utterance.
        """
        kind = b"".join(struct.pack("<i", len(text)) + text for text in (b"vector", b"standard"))
        properties = _EXPANDED_MUTABLE | (_OUTPUT_SORTED if sorted_by_output else _INPUT_SORTED)
        count = sum(map(len, self.arcs))
        parts = [
            struct.pack("<i", _FST_MAGIC),
            kind,
            struct.pack("<iiQqqq", 2, 0, properties, start, len(self.arcs), count),
        ]
        label = 1 if sorted_by_output else 0
        for state, arcs in enumerate(self.arcs):
            parts.append(struct.pack("<fq", self.final.get(state, math.inf), len(arcs)))
            parts += [struct.pack("<iifi", *arc) for arc in sorted(arcs, key=lambda a: a[label])]
        path.write_bytes(b"".join(parts))


_ARC = np.dtype([("put", "<i4"), ("out", "<i4"), ("cost", "<f4"), ("to", "<i4")])


@dataclass(frozen=True)
class Graph:
    """A transducer as read: the arcs of state s are ``arcs[first[s]:first[s] + count[s]]``.

    The fields of ``arcs`` are put, out, cost and to. ``final`` is infinite for states that are not
    final.
    """

    start: int
    first: npt.NDArray[np.int64]
    count: npt.NDArray[np.int64]
    final: npt.NDArray[np.float32]
    arcs: npt.NDArray[Any]


def read_graph(path: Path) -> Graph:
    """Read a "vector" or "const" FST; look-ahead data may follow a "const" one.

    :raises GraphError: if it is anything else or is cut short.
    """
    data = path.read_bytes()
    try:
        return _graph(data)
    except (struct.error, ValueError, IndexError, OverflowError) as error:
        raise GraphError(
            "{path} is not a graph that can be read: {error}.", path=path, error=error
        ) from error


def _graph(data: bytes) -> Graph:
    kind, version, flags, start, states, arcs, at = _header(data, 0)
    if kind.endswith("lookahead"):
        if struct.unpack_from("<i", data, at)[0] != _LOOKAHEAD_MAGIC:
            raise UserError("its look-ahead header is damaged")
        kind, version, flags, start, states, arcs, at = _header(data, at + 4)
    if kind == "vector":
        return _vector(data, start, states, at)
    if kind != "const":
        raise UserError("it is of the kind {kind}", kind=repr(kind))

    def aligned(at: int) -> int:
        return -(-at // 16) * 16 if version == 1 or flags & _ALIGNED else at

    row = [("final", "<f4"), ("first", "<u4"), ("count", "<u4"), ("in", "<u4"), ("out", "<u4")]
    at = aligned(at)
    table = np.frombuffer(data, np.dtype(row), states, at)
    records = np.frombuffer(data, _ARC, arcs, aligned(at + table.nbytes))
    return Graph(
        start,
        table["first"].astype(np.int64),
        table["count"].astype(np.int64),
        table["final"].astype(np.float32),
        records,
    )


def _vector(data: bytes, start: int, states: int, at: int) -> Graph:
    final, count, arcs = [], [], []
    for _unused in range(states):
        cost, number = struct.unpack_from("<fq", data, at)
        if number < 0:  # it would lead back, into an endless loop
            raise UserError("a state has fewer than no arcs")
        final.append(cost)
        count.append(number)
        arcs.append(np.frombuffer(data, _ARC, number, at + 12))
        at += 12 + number * _ARC.itemsize
    counts = np.array(count, np.int64)
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])[:-1]
    whole = np.concatenate(arcs) if arcs else np.zeros(0, _ARC)
    return Graph(start, first, counts, np.array(final, np.float32), whole)


def read_symbols(path: Path) -> dict[str, int]:
    """Return the words in a graph's own symbol table, with their numbers; none without a table.

    Small Vosk models have theirs in ``graph/Gr.fst`` and have no ``words.txt``.

    :raises GraphError: if the file is cut short or is not a graph.
    """
    data = path.read_bytes()
    try:
        at = 4 if struct.unpack_from("<i", data, 0)[0] == _FST_MAGIC else len(data)
        for _unused in range(2):
            _rest, at = _text(data, at)
        (flags,) = struct.unpack_from("<4xi", data, at)
        if not flags & _SYMBOLS:
            return {}
        at += 40
        if struct.unpack_from("<i", data, at)[0] != _TABLE_MAGIC:
            raise UserError("its words are damaged")
        _rest, at = _text(data, at + 4)
        (count,) = struct.unpack_from("<8xq", data, at)
        at += 16
        numbers = {}
        for _unused in range(count):
            word, at = _text(data, at)
            (numbers[word],) = struct.unpack_from("<q", data, at)
            at += 8
        return numbers
    except (struct.error, ValueError) as error:
        raise GraphError(
            "{path} is not a graph that can be read: {error}.", path=path, error=error
        ) from error


def _text(data: bytes, at: int) -> tuple[str, int]:
    """Return a text that follows its length, and where it ends."""
    (length,) = struct.unpack_from("<i", data, at)
    if not 0 <= length <= min(1000, len(data) - at - 4):
        raise UserError("it is damaged")
    return data[at + 4 : at + 4 + length].decode(), at + 4 + length


def _header(data: bytes, at: int) -> tuple[str, int, int, int, int, int, int]:
    """Return kind, version, flags, start, numbers of states and arcs, and the header's end."""
    if struct.unpack_from("<i", data, at)[0] != _FST_MAGIC:
        raise UserError("it does not begin as one")
    at += 4
    kind, at = _text(data, at)
    _rest, at = _text(data, at)
    version, flags, _rest, start, states, arcs = struct.unpack_from("<iiQqqq", data, at)
    if flags & _SYMBOLS:
        raise UserError("symbols are embedded in it")
    return kind, version, flags, start, states, arcs, at + 40


@dataclass(frozen=True)
class HiddenState:
    """One state of one phone in one context, and its pdfs on entering it and on staying."""

    phone: int
    number: int
    entered: int
    stayed: int


@dataclass(frozen=True)
class Transitions:
    """The transition model. ``states[k]`` has the transition-ids ``ids[k]``: {to: id}.

    A hidden state's arcs lead to other states of its phone, by number. The highest number,
    ``ends[phone]``, means that the phone is left. In Kaldi's graphs a state's way out is taken on
    entering it, and its self-loop after that.
    """

    states: tuple[HiddenState, ...]
    ids: tuple[Mapping[int, int], ...]
    ends: Mapping[int, int]


class _Stream:
    """Kaldi's binary stream: tokens end with a space, numbers begin with their size."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 2
        if data[:2] != b"\0B":
            raise UserError("it is not in Kaldi's binary form")

    def token(self, *allowed: str) -> str:
        end = self._data.index(b" ", self._at, self._at + 40)
        token = self._data[self._at : end].decode("ascii")
        self._at = end + 1
        if token not in allowed:
            raise UserError(
                "{token} stands where {allowed} should", token=token, allowed=one_of(allowed)
            )
        return token

    def number(self) -> int:
        return int(self._sized("<i"))

    def real(self) -> float:
        return float(self._sized("<f"))

    def numbers(self) -> list[int]:
        count = self.number()
        values = struct.unpack_from(f"<{count}i", self._data, self._at)
        self._at += 4 * count
        return list(values)

    def _sized(self, kind: str) -> Any:
        if self._data[self._at] != 4:
            raise UserError("a number is not four bytes long")
        (value,) = struct.unpack_from(kind, self._data, self._at + 1)
        self._at += 5
        return value


def read_transitions(path: Path) -> Transitions:
    """Read the transition model at the beginning of a ``final.mdl``.

    :raises GraphError: if there is none or it is damaged.
    """
    data = path.read_bytes()
    try:
        return _transitions(_Stream(data))
    except (struct.error, ValueError, IndexError, KeyError) as error:
        raise GraphError(
            "{path} has no transition model that can be read: {error}.", path=path, error=error
        ) from error


def _transitions(stream: _Stream) -> Transitions:
    stream.token("<TransitionModel>")
    stream.token("<Topology>")
    phones = stream.numbers()
    entry_of = stream.numbers()
    entries = stream.number()
    # -1: entering and staying have pdfs of their own, as in "chain" models.
    two_pdfs = entries == -1
    if two_pdfs:
        entries = stream.number()
    topologies: list[list[list[int]]] = []
    for _unused in range(entries):
        topology = []
        for _unused in range(stream.number()):
            for _unused in range(1 + two_pdfs):
                stream.number()  # the class of the pdf; the tuples below resolve it
            targets = []
            for _unused in range(stream.number()):
                targets.append(stream.number())
                stream.real()  # the probability; the decoder ignores it
            topology.append(targets)
        topologies.append(topology)
    stream.token("</Topology>")
    wide = stream.token("<Tuples>", "<Triples>") == "<Tuples>"
    states = []
    for _unused in range(stream.number()):
        phone, number, entered = stream.number(), stream.number(), stream.number()
        states.append(HiddenState(phone, number, entered, stream.number() if wide else entered))
    stream.token("</Tuples>" if wide else "</Triples>")
    ids: list[Mapping[int, int]] = []
    following = 1
    for state in states:
        targets = topologies[entry_of[state.phone]][state.number]
        ids.append({to: following + k for k, to in enumerate(targets)})
        following += len(targets)
    ends = {phone: len(topologies[entry_of[phone]]) - 1 for phone in phones}
    return Transitions(tuple(states), tuple(ids), ends)


@dataclass(frozen=True)
class Phones:
    """The phones of a model: ``id[name, place]``, ``name[id]``, and the number of silence.

    A place is one of "BIES". Silences and noises have no place and are not among the names.
    """

    id: Mapping[tuple[str, str], int]
    silence: int

    @property
    def names(self) -> list[str]:
        """Return the names of the phones that words are made of, sorted."""
        return sorted({name for name, _ in self.id})

    @property
    def name(self) -> dict[int, str]:
        """Return the name for each number."""
        return {number: name for (name, _), number in self.id.items()}


def _places(boundary: Path) -> dict[int, str]:
    try:
        lines = boundary.read_text(encoding="utf-8").split("\n")
        places = {int(line.split()[0]): line.split()[1] for line in lines if line.strip()}
        if unknown := {*places.values()} - {"nonword", *_PLACE_NAMES}:
            raise UserError("no place: {min}", min=min(unknown))
        return places
    except (OSError, ValueError, IndexError) as error:
        raise GraphError(
            "{boundary} is missing or damaged; take another model.", boundary=boundary
        ) from error


def read_numbers(listed: Path) -> dict[str, int]:
    """Return the words or phones in a file of "name number" lines, with their numbers. Raises
    GraphError if it is missing or damaged."""
    try:
        lines = listed.read_text(encoding="utf-8").splitlines()
        pairs = (line.rsplit(maxsplit=1) for line in lines if line.strip())
        return {name: int(number) for name, number in pairs}
    except (OSError, ValueError) as error:
        raise GraphError(
            "{boundary} is missing or damaged; take another model.", boundary=listed
        ) from error


def read_phones(boundary: Path, listed: Path | None, names: Sequence[str] = ()) -> Phones:
    """Read a model's phones from its files word_boundary.int and phones.txt.

    Small models lack the latter; then ``names`` are the names in the order of their numbers. Raises
    GraphError if they do not fit the model.
    """
    phones: dict[tuple[str, str], int] = {}
    if listed is not None:
        places = _places(boundary)
        for name, number in read_numbers(listed).items():
            place = _PLACE_NAMES.get(places.get(number, ""))
            bare = name.removesuffix(f"_{place}")
            if place and bare not in _NO_SPEECH:
                phones[bare, place] = number
    else:
        spoken = spoken_places(boundary)
        if len(spoken) != 4 * len(names):
            raise GraphError(
                "This model has {count} phones, not {other_count}.",
                count=len(spoken) // 4,
                other_count=len(names),
            )
        for index, (number, place) in enumerate(spoken.items()):
            phones[names[index // 4], place] = number
    return Phones(phones, 1)


def spoken_places(boundary: Path) -> dict[int, str]:
    """Return the places (of "BIES") of a model's phones, in the order of their numbers.

    Silences and noises come first and are left out. Each has five numbers: one without a place, and
    B, E, I and S.
    """
    places = _places(boundary)
    silent = max((number for number, place in places.items() if place == "nonword"), default=0)
    return {n: _PLACE_NAMES[places[n]] for n in sorted(places) if n > silent + 4}


def read_options(path: Path) -> dict[str, str]:
    """Return the options in a file of "--name=value" lines; none without the file."""
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    options = (line.strip() for line in lines)
    pairs = (line[2:].partition("=") for line in options if line.startswith("--"))
    return {name: value for name, _, value in pairs}


def write_options(path: Path, options: Mapping[str, str]) -> None:
    """Write such a file anew. It may have been a link to another."""
    path.unlink(missing_ok=True)
    write_lines(path, (f"--{name}={value}".rstrip("=") for name, value in options.items()))


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write a text file that is the same on all systems."""
    text = "".join(f"{line}\n" for line in lines)
    path.write_text(text, encoding="utf-8", newline="\n")
