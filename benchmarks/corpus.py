"""What benchmarks of speech say: moves, illegal moves, commands and other talk, seeded, in voices.

The voices are those of the machine. Each utterance has a speed, a pitch and a length of the vocal
tract of its own, so that nothing equals what a model may have been trained with.
"""

import json
import random
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import chess
import numpy as np

from blindplay.hearing.script import (
    ScriptLine,
    UtteranceKind,
    announcement,
    any_form,
    position,
    sentences,
    talk,
    word_names,
)
from blindplay.language import NEVER_OPENED, Kind, Language
from blindplay.speech.audio import RATE, read_audio
from blindplay.speech.synthesis import Synthesiser, Voice, is_words

from .conditions import Samples, as_samples, power

UNTRAINED = {
    code: tuple(f"{voice}+{variant}" for variant in ("AnxiousAndy", "croak", "fast", "UniRobot"))
    for code, voice in {"da": "da", "de": "de", "en": "en-us", "nb": "nb", "sv": "sv"}.items()
}
"""espeak's voices that took no part in the training of the built-in model of that language."""
_TALKERS = ("f1", "f3", "m1", "m3", "m7", "f4")
_BABBLE_S = 30


@dataclass(frozen=True)
class CorpusUtterance:
    """A line as it was said, without a room."""

    line: ScriptLine
    voice: str
    sound: Samples


def lines(pack: Language, count: int, others: int, chance: random.Random) -> list[ScriptLine]:
    """Return ``count`` announcements, ``others`` illegal ones and as much talk, and commands of one
    word: a quarter of ``count``, each also after the opening word where it may be said."""
    position = chess.STARTING_FEN
    spoken = [phrase for phrase in pack.command_phrases() if " " not in phrase]
    chosen = chance.sample(spoken, min(len(spoken), max(1, count // 4)))
    return [
        *(announcement(pack, chance) for _ in range(count)),
        *(illegal(pack, chance) for _ in range(others)),
        *talk(pack, others, chance),
        *(ScriptLine(UtteranceKind.COMMAND, position, phrase) for phrase in chosen),
        *(
            ScriptLine(UtteranceKind.OPENED, position, f"{pack.opening_word} {phrase}")
            for phrase in chosen
            if pack.understand(phrase, chess.Board()).command not in NEVER_OPENED
        ),
    ]


def illegal(pack: Language, chance: random.Random) -> ScriptLine:
    """Return an announcement that is not a legal move but sounds like one: a word is another, the
    origin is another (its short form would be legal), another piece moves, or one is in the way."""
    names = word_names(pack)
    while True:
        board = position(chance)
        move = chance.choice(list(board.legal_moves))
        piece = names[2][(board.piece_type_at(move.from_square) or 1) - 1]
        start, to = pack.square(move.from_square), pack.square(move.to_square)
        link = chance.choice(_links(pack, board, move))
        kind = chance.random()
        if kind < 0.5:
            words = any_form(pack, board, move, chance).split()
            at = chance.randrange(len(words))
            for names_alike in names:
                if words[at].lower() in map(str.lower, names_alike):
                    words[at] = chance.choice(names_alike)
            said = " ".join(words)
        elif kind < 0.7:
            said = f"{piece} {pack.square(chance.randrange(64))} {link} {to}"
        elif kind < 0.85:
            said = f"{chance.choice(names[2])} {start} {link} {to}"
        else:
            said = chance.choice(pack.illegal_phrases(board) or [""])
        said = " ".join(said.split())
        if pack.understand(said, board).kind is Kind.ILLEGAL:
            return ScriptLine(UtteranceKind.ILLEGAL, board.fen(), said)


def _links(pack: Language, board: chess.Board, move: chess.Move) -> list[str]:
    """Return what may be said between the squares of this move: nothing, "nach", "schlägt"."""
    start, to = pack.square(move.from_square).lower(), pack.square(move.to_square).lower()
    found = {""}
    for form in pack.forms(board):
        before, _, rest = form.partition(f"{start} ")
        between, _, after = rest.partition(to)
        if not before and not after and rest.endswith(to):
            found.add(between.strip())
    return sorted(found)


def voices(pack: Language, folder: Path) -> tuple[str, ...]:
    """Return voices of the language: espeak's that trained no model, or else the system's."""
    with Synthesiser(pack.code, cache=folder, spellings=pack.spoken) as synthesiser:
        there = synthesiser.voices()
        if _is_espeak(there):
            return UNTRAINED.get(pack.code, (pack.code,))
        return tuple(voice.id for voice in there)


def _is_espeak(there: Sequence[Voice]) -> bool:
    """Return whether these voices are espeak's, which has variants of each."""
    return sys.platform.startswith("linux") and any("/" in voice.id for voice in there)


def check_voices(pack: Language, voices: Sequence[str], folder: Path) -> None:
    """Raise SynthesisError if one of ``voices`` cannot speak. ``folder`` keeps the trials."""
    with Synthesiser(pack.code, cache=folder, spellings=pack.spoken) as synthesiser:
        for voice in voices:
            synthesiser.render(pack.rank(0), voice=voice)


def speak(
    pack: Language, said: Sequence[ScriptLine], voices: Sequence[str], seed: int, folder: Path
) -> list[CorpusUtterance]:
    """Return each line, spoken in one of the voices. ``folder`` keeps what was rendered. Raises
    SynthesisError if there is no such voice."""

    def one(synthesiser: Synthesiser, number: int) -> CorpusUtterance:
        line, voice = said[number], voices[number % len(voices)]
        chance = random.Random(f"{seed} {number}")
        rendered = synthesiser.render(line.words, voice=voice, rate=chance.randint(125, 190))
        # Sound that is taken for one of another rate is another person's: all proportions change.
        sound = _samples(rendered, chance.uniform(0.88, 1.14))
        return CorpusUtterance(line, voice, as_recorded(sound, chance))

    def spoken(first: int) -> list[CorpusUtterance]:
        # A synthesiser says one thing at a time, so each thread has its own.
        with Synthesiser(pack.code, cache=folder, spellings=pack.spoken) as synthesiser:
            return [one(synthesiser, number) for number in range(first, len(said), 2)]

    with ThreadPoolExecutor(2) as pool:
        halves = list(pool.map(spoken, range(2)))
    return [halves[number % 2][number // 2] for number in range(len(said))]


def _samples(file: Path, factor: float = 1.0) -> Samples:
    return as_samples(read_audio(file, round(RATE * factor)))


def as_recorded(sound: Samples, chance: random.Random) -> Samples:
    """Return the voice at a random level, with a moment of a quiet room before and after."""
    pauses = [int(RATE * chance.uniform(*s)) for s in ((0.15, 0.5), (0.3, 0.6))]
    loudness = chance.uniform(0.1, 0.6) * 32_767 / max(1.0, float(np.abs(sound).max(initial=0)))
    room = np.random.default_rng(chance.randrange(1 << 32))
    whole = np.pad(sound * loudness, pauses)
    return np.asarray(whole + room.normal(0, 6, len(whole)))


def talkers(pack: Language, seed: int, folder: Path) -> Samples:
    """Return 30 seconds of six talkers, a row for each, equally loud. With espeak they are other
    voices than the measured ones."""
    # Some phrases, such as Norwegian ones with "å", are for typing only.
    said = sentences(pack) or list(filter(is_words, pack.command_phrases()))
    length = RATE * _BABBLE_S
    found = []
    with Synthesiser(pack.code, cache=folder, spellings=pack.spoken) as synthesiser:
        espeak = _is_espeak(synthesiser.voices())
        for number, variant in enumerate(_TALKERS):
            chance = random.Random(f"{seed} talker {number}")
            sound = np.zeros(0)
            while len(sound) < length:
                voice = f"{pack.code}+{variant}" if espeak else None
                rendered = synthesiser.render(
                    chance.choice(said), voice=voice, rate=chance.randint(130, 180)
                )
                sound = np.append(sound, _samples(rendered, chance.uniform(0.9, 1.1)))
            found.append(sound[:length] / max(1e-9, power(sound)) ** 0.5)
    return np.array(found)


def check_recordings(folder: Path) -> list[Path]:
    """Return the indexes of the recordings in ``folder``: its own one, or those of the folders in
    it, one for each speaker.

    :raises ValueError: if there is none.
    """
    index = folder / "index.jsonl"
    found = [index] if index.is_file() else sorted(folder.glob("*/index.jsonl"))
    if not found:
        raise ValueError(f"There is no {index}; it lists a file, speaker and words a line.")
    return found


def recordings(
    pack: Language, folder: Path, count: int, others: int, seed: int
) -> list[CorpusUtterance]:
    """Return the recordings listed in an ``index.jsonl`` of ``folder`` or of each folder in it: at
    most ``count`` announcements and single words, and ``others`` of each other kind.

    Each line names a file and, if known, its speaker, language, words (null: other speech) and
    position. Other languages than that of ``pack`` are left out.

    :raises ValueError: in one sentence, if it cannot be read.
    """
    listed: dict[UtteranceKind, list[tuple[ScriptLine, str, Path]]] = {}
    for index in check_recordings(folder):
        for line, speaker, path in _listed(pack, index, seed):
            listed.setdefault(line.what, []).append((line, speaker, path))
    found = []
    for what, entries in listed.items():
        most = count if what in (UtteranceKind.MOVE, UtteranceKind.WORD) else others
        chance = random.Random(f"{seed} {what.value}")
        for line, speaker, path in chance.sample(entries, min(most, len(entries))):
            found.append(CorpusUtterance(line, speaker, as_recorded(_samples(path), chance)))
    return found


def _listed(pack: Language, index: Path, seed: int) -> Iterator[tuple[ScriptLine, str, Path]]:
    """Yield the lines of an index in the language of ``pack``, with their speakers and files."""
    for number, text in enumerate(index.read_text("utf-8").splitlines(), 1):
        chance = random.Random(f"{seed} {number}")
        try:
            entry = json.loads(text)
            file, words = index.parent / str(entry["file"]), entry.get("words") or ""
            fen = str(entry.get("fen") or position(chance).fen())
            if entry.get("language", pack.code) == pack.code:
                line = ScriptLine(_kind(pack, words, fen, "fen" in entry), fen, words)
                yield line, str(entry.get("speaker", "?")), file
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ValueError(f"{index}:{number}: needs an object with file and words.") from None


def _kind(pack: Language, words: str, fen: str, placed: bool) -> UtteranceKind:
    """Return what the words are; ``placed`` if the position belongs to them."""
    if not words:
        return UtteranceKind.TALK
    meant = pack.understand(words, chess.Board(fen))
    if meant.command is not None:
        return UtteranceKind.OPENED if meant.opened else UtteranceKind.COMMAND
    if meant.move is not None:
        return UtteranceKind.MOVE
    if meant.kind is Kind.ILLEGAL and placed:
        return UtteranceKind.ILLEGAL
    single = not placed and " " not in words and pack.is_word_of_a_move(words)
    return UtteranceKind.WORD if single else UtteranceKind.TALK
