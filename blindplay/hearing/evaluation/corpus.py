"""What is said to be measured: moves, illegal moves, commands and other talk, seeded, in voices.

The voices are those of the machine. Each utterance has a speed, a pitch and a length of the vocal
tract of its own, so that nothing equals what a model may have been trained with.
"""

import json
import random
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from importlib.resources import files
from pathlib import Path

import chess
import numpy as np

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
_LONGEST_GAME = 160


class UtteranceKind(Enum):
    """What an utterance is."""

    MOVE = "moves"
    ILLEGAL = "illegal moves"
    COMMAND = "commands"
    OPENED = "commands after the opening word"
    TALK = "other speech"
    WORD = "single words"


COMMANDS = (UtteranceKind.COMMAND, UtteranceKind.OPENED)


@dataclass(frozen=True)
class ScriptLine:
    """Something to be said in a position; ``words`` are "" where they are not known."""

    what: UtteranceKind
    fen: str
    words: str

    @property
    def board(self) -> chess.Board:
        """Return the position."""
        return chess.Board(self.fen)

    @property
    def tokens(self) -> tuple[str, ...]:
        """Return the single words in small letters."""
        return tuple(self.words.lower().split())


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


def position(chance: random.Random) -> chess.Board:
    """Return a position of a random game in which much is captured."""
    while True:
        board = chess.Board()
        for _ in range(chance.randrange(70)):
            moves = list(board.legal_moves)
            if not moves:
                break
            captures = [move for move in moves if board.is_capture(move)]
            board.push(chance.choice(captures if captures and chance.random() < 0.35 else moves))
        if not board.is_game_over():
            return board


def _is_special(board: chess.Board, move: chess.Move) -> bool:
    return bool(move.promotion) or board.is_castling(move) or board.is_en_passant(move)


def _has_a_twin(board: chess.Board, move: chess.Move) -> bool:
    """Return whether another piece of the kind can go there, too."""
    kind = board.piece_type_at(move.from_square)
    return kind != chess.PAWN and any(
        other.to_square == move.to_square
        and other.from_square != move.from_square
        and board.piece_type_at(other.from_square) == kind
        for other in board.legal_moves
    )


def _special(chance: random.Random) -> tuple[chess.Board, chess.Move]:
    """Return a castling, a promotion, a capture en passant, or a move that has a twin."""
    while True:
        wanted = _has_a_twin if chance.random() < 0.4 else _is_special
        board = chess.Board()
        for _ in range(_LONGEST_GAME):
            moves = list(board.legal_moves)
            if not moves:
                break
            if chance.random() < 0.3 and (found := [m for m in moves if wanted(board, m)]):
                return board, chance.choice(found)
            board.push(chance.choice(moves))


def announcement(pack: Language, chance: random.Random) -> ScriptLine:
    """Return a legal move in a form that means it: in two fifths of all cases the full one, in
    three tenths the shortest, as people say it who know each other."""
    if chance.random() < 0.25:
        board, move = _special(chance)
    else:
        board = position(chance)
        move = chance.choice(list(board.legal_moves))
    return ScriptLine(UtteranceKind.MOVE, board.fen(), _form(pack, board, move, chance))


def _form(pack: Language, board: chess.Board, move: chess.Move, chance: random.Random) -> str:
    """Return the full form, the shortest or any other."""
    drawn = chance.random()
    if drawn < 0.4:
        return pack.announce(board, move)
    if drawn < 0.7:
        return short_form(pack, board, move)
    # Choose a form and then its words; otherwise variants such as "zwo" would be most of them.
    forms = _forms(pack, board, move)
    cores = list({pack.understand(form, board).core: form for form in reversed(forms)}.values())
    return chance.choice(cores if chance.random() < 0.7 else forms)


def _forms(pack: Language, board: chess.Board, move: chess.Move) -> list[str]:
    """Return the forms that mean the move alone and say where it ends."""
    to = pack.square(move.to_square).lower()
    return [
        form
        for form in pack.forms(board)
        if (to in form or board.is_castling(move)) and pack.understand(form, board).move == move
    ]


def short_form(pack: Language, board: chess.Board, move: chess.Move) -> str:
    """Return the shortest announcement that means the move and says where it ends."""
    forms = _forms(pack, board, move)
    return min(forms, key=lambda form: len(form.split()), default=pack.announce(board, move))


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
            words = _form(pack, board, move, chance).split()
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


def word_names(pack: Language) -> tuple[list[str], list[str], list[str]]:
    """Return the names of the files, the ranks and the pieces from pawn to king."""
    corners = [pack.square(chess.square(n, n)).split() for n in range(8)]
    pieces = [pack.piece(chess.Piece(kind, chess.WHITE)).split()[-1] for kind in chess.PIECE_TYPES]
    return [names[0] for names in corners], [names[-1] for names in corners], pieces


def talk(pack: Language, count: int, chance: random.Random) -> Iterator[ScriptLine]:
    """Yield other speech: sentences, talk about the position on the board, and in a third of all
    cases our own words in disorder."""
    sentences = _sentences(pack)
    if not sentences:
        return
    about_chess = _written(f"{pack.code}-chess")
    others = [word for sentence in sentences for word in sentence.split()]
    ours = [name for names in word_names(pack) for name in names]
    found = 0
    while found < count:
        board = position(chance)
        words = chance.choice(sentences)
        drawn = chance.random()
        if about_chess and drawn > 0.65:
            words = _about(pack, board, chance.choice(about_chess), chance)
        if drawn < 0.35:
            count_of_words = chance.randrange(1, 5)
            mixed = ([*ours, *chance.sample(others, len(ours))] for _ in range(count_of_words))
            words = " ".join(map(chance.choice, mixed))
        if pack.understand(words, board).kind in (Kind.UNCLEAR, Kind.NOTHING):
            found += 1
            yield ScriptLine(UtteranceKind.TALK, board.fen(), words)


def _sentences(pack: Language) -> list[str]:
    """Return what people say near a board; none for a language in which nobody has written any."""
    return _written(pack.code)


def _about(pack: Language, board: chess.Board, template: str, chance: random.Random) -> str:
    """Fill a sentence about chess with a move that is possible, the likeliest to be mistaken."""
    move = chance.choice(list(board.legal_moves))
    piece = word_names(pack)[2][(board.piece_type_at(move.from_square) or 1) - 1]
    other = pack.square(chance.randrange(64))
    return template.format(piece=piece, square=pack.square(move.to_square), other=other)


def _written(name: str) -> list[str]:
    source = files(__package__).joinpath("talk", f"{name}.txt")
    written = source.read_text("utf-8").splitlines() if source.is_file() else []
    return [line for line in written if line and not line.startswith("#")]


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
    sentences = _sentences(pack) or list(filter(is_words, pack.command_phrases()))
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
                    chance.choice(sentences), voice=voice, rate=chance.randint(130, 180)
                )
                sound = np.append(sound, _samples(rendered, chance.uniform(0.9, 1.1)))
            found.append(sound[:length] / max(1e-9, power(sound)) ** 0.5)
    return np.array(found)


def check_recordings(folder: Path) -> list[Path]:
    """Return the indexes of the recordings in ``folder``: its own one, or those of the folders in
    it, one for each speaker. Raises ValueError if there is none."""
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
    position. Other languages than that of ``pack`` are left out. Raises ValueError, in one
    sentence, if it cannot be read.
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
