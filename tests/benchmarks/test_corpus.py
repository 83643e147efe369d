"""What is said to be measured."""

import json
import random
from pathlib import Path

import chess
import pytest

from benchmarks import corpus
from blindplay.hearing.script import UtteranceKind
from blindplay.language import Kind, load
from blindplay.speech.audio import write_wav

from .utterances import PACK, tone


def test_what_is_said_is_what_it_is_counted_as() -> None:
    said = corpus.lines(PACK, 20, 20, random.Random(1))
    assert sum(line.what is UtteranceKind.MOVE for line in said) == 20
    for line in said:
        meant = PACK.understand(line.words, line.board)
        if line.what is UtteranceKind.MOVE:
            assert meant.move is not None and line.board.is_legal(meant.move), line
        elif line.what is UtteranceKind.ILLEGAL:
            assert meant.kind is Kind.ILLEGAL, line
        elif line.what is UtteranceKind.TALK:
            assert meant.kind in (Kind.UNCLEAR, Kind.NOTHING), line
        else:
            assert meant.command is not None and meant.opened is (
                line.what is UtteranceKind.OPENED
            ), line
    assert said == corpus.lines(PACK, 20, 20, random.Random(1))


@pytest.mark.parametrize("code", ["en", "nb", "sv", "da"])
def test_every_language_has_lines_but_other_speech_only_where_it_was_written(code: str) -> None:
    pack = load(code)
    said = corpus.lines(pack, 8, 8, random.Random(1))
    assert sum(line.what is UtteranceKind.ILLEGAL for line in said) == 8
    for line in said:
        if line.what is UtteranceKind.MOVE:
            assert pack.understand(line.words, line.board).kind is Kind.MOVE


def test_recordings_are_what_their_list_says(tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav", tone(0.2).astype("<i2").tobytes())
    rows = [
        {"file": "a.wav", "speaker": "x", "words": "Springer Gustav eins Felix drei",
         "fen": chess.STARTING_FEN},
        {"file": "a.wav", "speaker": "y", "words": None},
        {"file": "a.wav", "words": "drei"},
        {"file": "a.wav", "words": "Turm Anna eins Anna fünf", "fen": chess.STARTING_FEN},
        {"file": "a.wav", "words": "Uhr"},
        {"file": "a.wav", "words": "guten Morgen"},
    ]  # fmt: skip
    index = tmp_path / "index.jsonl"
    index.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    found = corpus.recordings(PACK, tmp_path, 10, 10, 1)
    kinds = sorted(one.line.what.name for one in found)
    assert kinds == ["COMMAND", "ILLEGAL", "MOVE", "TALK", "TALK", "WORD"]
    assert len(corpus.recordings(PACK, tmp_path, 10, 1, 1)) == 5
    index.write_text("{}\n", "utf-8")
    with pytest.raises(ValueError, match=r"index.jsonl:1: needs"):
        corpus.recordings(PACK, tmp_path, 10, 10, 1)
