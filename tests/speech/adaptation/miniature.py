"""A base model in miniature: a chain model as Kaldi writes them, with the phones SIL, A: and t.

Each phone has one hidden state after each other phone, so that the tree has something to tell.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Mapping
from pathlib import Path

from blindplay.speech.adaptation import (
    Vocabulary,
)
from blindplay.speech.adaptation.contexts import START
from blindplay.speech.adaptation.kaldi_files import (
    Fst,
)

PHONES = {"SIL": range(1, 6), "A:": range(6, 10), "t": range(10, 14)}  # none B E I S; B E I S
PLACES = dict(zip(range(1, 14), ["nonword", *["begin", "end", "internal", "singleton"] * 3],
                  strict=True))  # fmt: skip


def number(name: str, place: str) -> int:
    return PHONES[name]["BEIS".index(place)]


def mini_base(folder: Path) -> dict[tuple[int, int], int]:
    """Write the model; return which of its hidden states each (left phone, phone) has."""
    silence = 1
    spoken = [n for name in ("A:", "t") for n in PHONES[name]]
    states: dict[tuple[int, str], int] = {}
    for phone in (silence, *spoken):
        for kind in ("", "SIL", "A:", "t"):
            states[phone, kind] = len(states)

    def integer(value: int) -> bytes:
        return b"\4" + struct.pack("<i", value)

    def integers(values: list[int]) -> bytes:
        return integer(len(values)) + struct.pack(f"<{len(values)}i", *values)

    phones = [silence, *spoken]
    mdl = b"\0B<TransitionModel> <Topology> " + integers(phones)
    mdl += integers([0 if n in phones else -1 for n in range(14)]) + integer(-1) + integer(1)
    # One emitting state: class 0 on entering, 1 on staying; to itself or out.
    mdl += integer(2) + integer(0) + integer(1) + integer(2)
    for to in (0, 1):
        mdl += integer(to) + b"\4" + struct.pack("<f", 0.5)
    mdl += integer(-1) + integer(-1) + integer(0)
    mdl += b"</Topology> <Tuples> " + integer(len(states))
    for (phone, _), k in states.items():
        mdl += integer(phone) + integer(0) + integer(2 * k) + integer(2 * k + 1)
    mdl += b"</Tuples> "
    for name in ("am", "conf", "graph/phones", "ivector"):
        (folder / name).mkdir(parents=True)
    (folder / "am" / "final.mdl").write_bytes(mdl)
    (folder / "ivector" / "final.ie").write_bytes(b"an extractor")
    (folder / "conf" / "mfcc.conf").write_text("--num-ceps=40\n--dither=1.0\n")
    (folder / "conf" / "model.conf").write_text("--beam=13.0\n--lattice-beam=2.0\n")
    lines = "".join(f"{n} {place}\n" for n, place in PLACES.items())
    (folder / "graph" / "phones" / "word_boundary.int").write_text(lines)
    named = {f"{name}_{place}": number(name, place) for name in ("A:", "t") for place in "BEIS"}
    listed = {"<eps>": 0, "SIL": 1} | named
    (folder / "graph" / "phones.txt").write_text(
        "".join(f"{name} {n}\n" for name, n in listed.items())
    )
    # Its graph: AA or T in any place after anything, by one state for each last phone.
    fst = Fst()
    left = {n: fst.state() for n in (START, silence, *spoken)}
    kinds = {START: "", silence: "SIL"} | {n: k for k in ("A:", "t") for n in PHONES[k]}
    truth = {}
    for before, phone in itertools.product(left, (silence, *spoken)):
        if (before, phone) == (number("A:", "E"), number("t", "S")):
            continue  # a pair that does not occur
        k = states[phone, kinds[before]]
        truth[before, phone] = k
        inside = fst.state()
        fst.arc(left[before], 2 * k + 2, 0, 0.0, inside)
        fst.arc(inside, 2 * k + 1, 0, 0.0, inside)
        fst.arc(inside, 0, 0, 0.0, left[phone])
    for state in left.values():
        fst.final[state] = 0.0
    fst.write(folder / "graph" / "HCLr.fst", start=left[START])
    return truth


TAT = Vocabulary({"tat": {("t", "a", "t"): 0.0, ("t", "a"): 0.7}, "at": {("a", "t"): 0.0}},
                 {"tat_at": ("tat", "at")})  # fmt: skip


def grammar(words: Mapping[str, int], *, kind: str = "ngram") -> bytes:
    """Return a graph as OpenFst writes it, up to the end of its symbols."""

    def text(of: str) -> bytes:
        return struct.pack("<i", len(of.encode())) + of.encode()

    flags = 0x1 if words else 0
    head = struct.pack("<i", 2125659606) + text(kind) + text("standard")
    head += struct.pack("<iiQqqq", 4, flags, 0, 0, 1, 0)
    if not words:
        return head
    table = struct.pack("<i", 2125658996) + text("words.txt")
    table += struct.pack("<qq", max(words.values()) + 1, len(words))
    for word, number in words.items():
        table += text(word) + struct.pack("<q", number)
    return head + table + b"what the graph is"
