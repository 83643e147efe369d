"""Reads every sentence of a language aloud to a native speaker, and keeps what they say of each."""

import datetime
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

import chess

from blindplay.given import PACK, read_bytes, read_toml
from blindplay.language import Command, Key, Language, in_language, join, key_of, word_of
from blindplay.record.files import write_new
from blindplay.version import VERSION

from .attendant import Prompter

_GOOD, _BETTER = "good", "better"


def examples(pack: Language, key: str) -> dict[str, str]:
    """Return words for the placeholders of a sentence, as a table would fill them in."""
    start = chess.Board()
    squares = {"square": chess.E2, "to": chess.E4, "origin": chess.D2, "right": chess.E3}
    pieces = {"other": chess.BLACK, "promoted": chess.WHITE, "wanted": chess.WHITE}
    known = {
        **{name: pack.square(square) for name, square in squares.items()},
        **{name: pack.piece(chess.Piece(chess.KNIGHT, c)) for name, c in pieces.items()},
        "piece": pack.piece(chess.Piece(chess.PAWN, chess.WHITE)),
        "player": pack.sentence("white"),
        "owner": pack.sentence("black"),
        "language": pack.name,
        "skip": word_of(pack, Key.SKIP),
        "end": word_of(pack, Key.END),
        "back": word_of(pack, Key.BACK),
        "repeat": word_of(pack, Key.REPEAT),
        "word": pack.opening_word,
        "date": pack.date(datetime.date(2026, 11, 22)),
        **dict.fromkeys(("name", "white", "black"), "Anna Berg"),
        **{name: pack.duration(63_000) for name in ("time", "times", "mine", "opponent", "more")},
        **{name: pack.duration(300_000) for name in ("minutes", "white", "black")},
        **{name: pack.command(Command.OFFER_DRAW) for name in ("command", "commands", "what")},
        **{name: pack.number(3) for name in ("number", "count", "right", "round", "table")},
        **{name: pack.number(12) for name in ("percent", "before", "after", "asked", "points")},
    }
    move = pack.announce(start, chess.Move.from_uci("g1f3"))
    return {name: known.get(name, move) for name in pack.fields(key)}


def proofread(pack: Language, file: Path, silent: bool, keys: Iterable[str], out: TextIO) -> None:
    """Read each sentence with its key, until ``keys`` end or ask for the end, and keep the answers
    in ``file``. Sentences that it judges already are left out.

    ``keys`` are typed lines: the word for yes calls a sentence good, an empty line repeats it, the
    words of ``Key`` leave it out, go back or end, and anything else is a better sentence.

    :raises OSError, ValueError: if the file cannot be written, or is not such a file.
    """
    judged = _judged(file)
    left = [key for key in pack.sentences() if key not in judged]
    with ExitStack() as stack:
        voice = Prompter(stack, pack, silent, out)
        words = {
            "yes": pack.command(Command.YES).lower(),
            "count": pack.number(len(left)),
            **voice.keys,
        }
        begin = pack.sentence("proofread_begin", **words)
        voice.say(begin)
        for key, better in _ask(voice, left, voice.heed(keys), begin):
            judged[key] = better
            _keep(pack, file, judged)  # at once: whatever ends this, nothing is lost
        told = list(judged.values())
        good = sum(one == "" for one in told)
        values = {"good": pack.number(good), "better": pack.number(len(told) - good)}
        voice.prompt("proofread_end", **values)
        voice.show(str(file))


def _ask(
    voice: Prompter, asked: Sequence[str], lines: Iterator[str], begin: str
) -> Iterator[tuple[str, str]]:
    """Yield each key that is judged, with the better sentence; "" if it is good. ``begin`` is the
    sentence about what can be typed."""
    pack, at = voice.pack, 0
    while at < len(asked):
        key = asked[at]
        said = pack.sentence(key, **examples(pack, key))
        voice.say(join(": ", [in_language(key.replace("_", " "), "en"), said], pack.code))
        line = next(lines, None)
        meant = Key.END if line is None else key_of(pack, line)
        if meant is Key.END:
            return
        if meant is Key.HELP:
            voice.say(begin)
        if not line or meant in (Key.REPEAT, Key.HELP):
            continue
        if meant is Key.BACK:
            at = max(0, at - 1)
            continue
        if meant is not Key.SKIP:
            good = pack.understand(line, chess.Board()).command is Command.YES
            yield key, "" if good or line == said else line
        at += 1


def _judged(file: Path) -> dict[str, str]:
    """Return the better sentences of a file by their keys; "" for those that are good."""
    if not file.exists():
        return {}
    kept = read_toml(read_bytes(file, PACK), str(file))
    better = kept.get(_BETTER, {})
    return dict.fromkeys(kept.get(_GOOD, ()), "") | {key: str(one) for key, one in better.items()}


def _keep(pack: Language, file: Path, judged: dict[str, str]) -> None:
    good = sorted(key for key, better in judged.items() if not better)
    better = {key: one for key, one in sorted(judged.items()) if one}
    # A string of JSON is one of TOML, too.
    lines = [
        f"language = {json.dumps(pack.code)}",
        f"version = {json.dumps(VERSION)}",
        f"date = {json.dumps(datetime.date.today().isoformat())}",
        f"{_GOOD} = {json.dumps(good)}",
        f"\n[{_BETTER}]",
        *(f"{key} = {json.dumps(one, ensure_ascii=False)}" for key, one in better.items()),
    ]
    write_new(file, ("\n".join(lines) + "\n").encode())
