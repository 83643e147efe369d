"""Every parser that reads what comes from outside, with what it should read and how it refuses."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import random
import wave
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from unittest.mock import patch

import chess
import platformdirs
from chess import STARTING_BOARD_FEN as START

from blindplay.boards.dgt import protocol as dgt
from blindplay.boards.dgt.moves import NoRecordingError, decode
from blindplay.boards.events import BoardPosition
from blindplay.boards.livechess.service import Conversation, Feed, ServedBoard
from blindplay.boards.peg import calibration, firmware
from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.driver import PegBoardState
from blindplay.boards.peg.emulator import SimulatedFirmware
from blindplay.boards.ports import UnfitBoardError
from blindplay.boards.recordings import FRAMERS
from blindplay.console.access import AccessLinks
from blindplay.hearing import speaker_preferences, voice_archive
from blindplay.language import load
from blindplay.language.language import Language
from blindplay.language.pack import LanguageError, Pack, parse_pack
from blindplay.language.pack_check import check
from blindplay.language.scoresheets import braille, reading
from blindplay.language.scoresheets.entries import entries
from blindplay.laws import Game
from blindplay.laws import facts as f
from blindplay.record import Journal, JournalError, read_journal
from blindplay.record.score import pgn, scoresheet
from blindplay.record.tape import Tape
from blindplay.speech import confidence
from blindplay.speech.adaptation import kaldi_files as graphs
from blindplay.speech.adaptation.sounds import sounds_of, unlikeness
from blindplay.speech.audio import AudioError, read_audio, read_wav
from blindplay.speech.models import catalogue, folders
from blindplay.speech.models.unpack import unpack
from blindplay.speech.synthesis import is_words
from blindplay.wording.pack_words import PackWords
from tests import ROOT
from tests.boards.dgt import hands
from tests.boards.wires import WIRES, Wire, believed, game, played, record, spoil, uci
from tests.fuzz import pages
from tests.fuzz.engine import Target
from tests.hearing.donated import donated

LANGUAGES = ("de", "en", "nb", "sv", "da")
POSITIONS = (
    chess.Board(),
    chess.Board("r3k2r/1P1ppp2/8/2pP4/8/4N3/PP2P2P/R3K2R w KQkq c6 0 9"),
    chess.Board("8/8/8/8/8/5k2/6q1/7K w - - 0 1"),
)
_folders: list[Path] = []


def folder(path: Path) -> None:
    """Files that parsers read are written below ``path`` from now on."""
    _folders[:] = [path]
    pages.folder(path)


def _file(data: bytes, name: str) -> Path:
    path = _folders[0] / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


# --- boards --------------------------------------------------------------------------------------

_HELLO = peg.Hello(1, 0x0102, 7, 64, 77, 0, 5000)
_BOARD = tuple(itertools.chain(range(13), [15] * 3, [0] * 48))
_FRAMES: list[peg.Message | peg.HostCommand] = [
    peg.Identity(7, "Brett 3"),
    _HELLO,
    peg.Dump(7, 6000, _BOARD),
    peg.Ping(8, 7000, 9, 1, 2, 3, 4),
    peg.Raw(3, 900),
    peg.HoleChanged(8, 6500, 12, 1, 0),
    peg.LeverMoved(9, 6600, 1, 1),
    peg.Presses(6700, 1, 2, 3, 4),
    peg.Ack(),
    peg.Nak(2),
    peg.Signalled(3),
    peg.AskHello(),
    peg.AskDump(),
    peg.AskPing(),
    peg.AskRaw(5),
    peg.Set(1, 100),
    peg.Buzz(7),
    peg.Signal(1, 2, 3),
    peg.Identify(9, "Öl"),
    peg.Leave(),
]


def _bodies() -> list[bytes]:
    return [b"Zabc", *(one.pack() for one in _FRAMES)]


def _seal(body: bytes) -> bytes:
    """A whole frame, as far as the protocol's length allows."""
    return peg.encode_frame(body[:60])


def _peg_decoder() -> Callable[[bytes], object]:
    one, commands = peg.Decoder(), peg.FrameDecoder()

    def read(data: bytes) -> object:
        for body in commands.feed_bodies(data):
            try:
                peg.parse_command(body)
            except peg.MalformedFrameError:
                continue
        assert len(one._buffer) <= peg.MAX_ENCODED + 1
        return one.feed(data)

    return read


def _peg_driver(data: bytes) -> object:
    """What the driver makes of a whole conversation, and the board in software of the same."""
    state, decoder, now = PegBoardState("here"), peg.Decoder(), 0.0
    state.hear(_HELLO, now)
    board = SimulatedFirmware(START, identity=True)
    for start in range(0, len(data), 16):
        piece = data[start : start + 16]
        now += 0.3
        board.hear(piece, now)
        board.advance(now)
        board.take()
        for message in decoder.feed(piece):
            state.hear(message, now)
        state.requests(now)
    return state.placement()


def _talk() -> list[bytes]:
    return [b"".join(map(peg.encode, _FRAMES)), b"".join(map(peg.encode, _FRAMES[:7])) * 3]


def _dgt_decoder() -> Callable[[bytes], object]:
    one = dgt.Decoder()

    def read(data: bytes) -> object:
        assert len(one._buffer) <= 1 << 14
        return one.feed(data)

    return read


def _dgt_frames() -> list[bytes]:
    recorded = _recorded()[0]
    starts = [at for at, byte in enumerate(recorded) if byte & 0x80]
    frames = [recorded[at:to] for at, to in itertools.pairwise(starts)]
    return [*dict.fromkeys(frames)][:200]


def _other_makers() -> Iterator[Target]:
    """For each maker its parser, and a recording in which bits are flipped."""
    for wire in WIRES:
        name = type(wire).__name__.lower()
        yield Target(name, _framer(wire), functools.partial(_recording_of, wire), most_bytes=600)
        yield Target(
            f"{name}-bits",
            functools.partial(_flipped, wire),
            lambda: [b"\0" * 8],
            make=lambda rng: rng.randbytes(8),
        )


def _recording_of(wire: Wire) -> list[bytes]:
    return [_stream(wire)[0]]


@functools.cache
def _stream(wire: Wire) -> tuple[bytes, list[str], frozenset[bytes]]:
    """A recording, its moves, and the positions in it that are believed."""
    hand = random.Random(5)
    moves = game(wire, hand, 1)
    data = record(wire, moves, hand)
    return data, uci(moves), frozenset(believed(data, wire))


def _framer(wire: Wire) -> Callable[[bytes], object]:
    one = FRAMERS[wire.name]()

    def read(data: bytes) -> object:
        assert len(one._buffer) <= 1 << 13
        return one.feed(data)

    return read


def _flipped(wire: Wire, data: bytes) -> None:
    """No flipped bit is a believed move. The input chooses the bits. Whoever reads the recording
    knows how the game began: its first position may be lost."""
    recorded, moves, shown = _stream(wire)
    spoilt = spoil(recorded, random.Random(data))
    if not believed(spoilt, wire) <= shown:
        found = played(spoilt, wire, chess.Board())
        assert found == moves[: len(found)]


def _livechess(data: bytes) -> None:
    """A client of the service whose last message is garbage."""
    board = ServedBoard("board")
    board.hear(BoardPosition(START))
    conversation = Conversation(board, Feed(board))
    serial = board.serial.encode()
    for text in (*(seed.replace(b"1982", serial) for seed in _calls()), data):
        for answer in conversation.answer(text, 0):
            json.loads(answer)


def _calls() -> list[bytes]:
    return [
        b'{"id":1,"call":"eboards"}',
        b'{"id":2,"call":"subscribe","param":{"feed":"eboardevent","id":1,"param":'
        b'{"serialnr":"1982"}}}',
        b'{"id":3,"call":"call","param":{"id":1,"method":"setup","param":'
        b'{"fen":"r3k2r/1P1ppp2/8/2pP4/8/4N3/PP2P2P/R3K2R w KQkq c6 0 9"}}}',
        b'{"id":4,"call":"call","param":{"id":1,"method":"flip","param":{"flip":true}}}',
    ]


@functools.cache
def _recorded() -> tuple[bytes, ...]:
    hand = random.Random(5)
    return tuple(hands.record(hands.random_game(hand, 12), hand).data for _ in range(3))


def _firmware(data: bytes) -> object:
    return firmware.read(_file(data, "firmware.hex"))


# --- facts and games -----------------------------------------------------------------------------


def _loads(data: bytes) -> object:
    fact = f.loads(_text(data))
    assert f.loads(f.dumps(fact)) == fact  # what is written down is what happened
    return fact


@functools.cache
def _scenarios() -> tuple[bytes, ...]:
    """The facts of all scenarios of the Laws, a game each."""
    games: list[list[str]] = []
    for file in sorted((ROOT / "tests/laws/scenarios").glob("*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            value = json.loads(line) if line.strip() else {}
            if "scenario" in value:
                games.append([])
            elif "fact" in value:
                games[-1].append(json.dumps({"t": 0, **value}))
    return tuple("\n".join(game).encode() for game in games if game)


def _game(data: bytes) -> object:
    """A whole game, and the records of it; a fact that cannot come there is left out."""
    game = Game(PackWords())
    for line in _text(data).split("\n")[:40]:
        try:
            game.apply(f.loads(line))
        except f.FactError:
            continue
    if game.setup is not None:
        pgn(game)
        for side in ("white", "black"):
            written = scoresheet(game, side)
            entries(written)
            braille.read(braille.write(written))
    return game


# --- words ---------------------------------------------------------------------------------------


def _sheets() -> list[bytes]:
    texts = [
        "1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 4. 0-0 Sf6 5. Te1 d5 6. exd6 e.p.+",
        '[Event "x"]\n\n1. e4 {[%clk 0:05:00]} e5 2. Nf3 (2. f4 exf4) Nc6 $1 *',
        "1\te4\te5\n2\tSf3\t~~Sc6~~ Sf6\n3\t?\t-\n", "12... Sc6 13. Dxd5# 1-0", "5254 5755 7163",
        "⠂ ⠑⠼⠙ ⠑⠼⠑ ⠆ ⠎⠋⠒ ⠨⠎⠭⠋⠼⠉⠖", "e4 | e5\nSf3 | Sc6 (gestrichen: Sf6)", "½-½",
        "struck through, ply 3: Sf3", "1.e4 c5  21.Dd2 Kf8\n2.c3 d5  22.Tad1 a5", ",sf#c #a4 e#d",
    ]  # fmt: skip
    return [text.encode() for text in texts]


def _said() -> list[bytes]:
    texts = [
        "Springer Gustav eins Felix drei", "Bauer Eva sieben Eva acht Dame", "kurze Rochade",
        "nein, Cäsar vier", "e2 e4", "e7e8q", "Sf3", "exd6 e.p.", "0-0-0+", "ich biete remis",
        "knight gustav one felix three", "dronning david en david åtte", "springare cesar tre",
        "wie viel Zeit habe ich", "was steht auf eva vier", "lauter", "schlägt",
    ]  # fmt: skip
    return [text.encode() for text in texts]


def _understand(data: bytes) -> object:
    text = _text(data)
    board = POSITIONS[len(text) % len(POSITIONS)]
    return [load(language).understand(text, board) for language in LANGUAGES]


def _sheet_entry(data: bytes) -> object:
    text = _text(data)
    letters = reading.letters_of(text.split())
    return [reading.read(text, board, letters) for board in POSITIONS]


def _entries(data: bytes) -> object:
    text = _text(data)
    found = entries(text), entries(text, brf=True)
    for kind in found:
        assert len({one.ply for one in kind}) == len(kind)  # one entry a ply
    return found


def _braille(data: bytes) -> object:
    text = _text(data)
    cells = [braille.write(text, language) for language in LANGUAGES]
    for one in cells:
        braille.read(one)
        braille.to_brf(one)
    return braille.read(text), braille.from_brf(text), braille.to_brf(text)


@functools.cache
def _packs() -> tuple[bytes, ...]:
    found = (ROOT / "blindplay/language/packs").glob("*.toml")
    return tuple(file.read_bytes() for file in sorted(found))


def _pack(data: bytes) -> object:
    language = Language(Pack("xx", parse_pack(data, "own.toml"), "own.toml"))
    move = next(iter(POSITIONS[1].legal_moves))
    return language.understand(language.announce(POSITIONS[1], move), POSITIONS[1])


def _parts_of_packs() -> list[bytes]:
    """Whole packs take seconds to check."""
    return [b"\n".join(pack.split(b"\n")[:to]) for pack in _packs()[:2] for to in (60, 200)]


def _check(data: bytes) -> object:
    return check(
        data,
        "own.toml",
        "xx",
        likeness=unlikeness,
        is_sound=lambda sound: bool(sounds_of(sound)),
        is_words=is_words,
    )


# --- files ---------------------------------------------------------------------------------------

_MODEL = ROOT / "models/de"


def _from_model(*names: str) -> Callable[[], list[bytes]]:
    return lambda: [(_MODEL / name).read_bytes()[:6000] for name in names]


def _small_graph() -> list[bytes]:
    found = []
    for count in (1, 3):
        graph = graphs.Fst()
        states = [graph.state() for _ in range(count)]
        for state in states:
            graph.arc(state, 1, 2, 0.5, states[-1])
        path = _file(b"", "seed.fst")
        graph.write(path)
        found.append(path.read_bytes())
    return found + _from_model("graph/HCLr.fst", "graph/Gr.fst")()


def _graph(data: bytes) -> object:
    path = _file(data, "graph.fst")
    graphs.read_symbols(path)
    return graphs.read_graph(path)


def _phones(data: bytes) -> object:
    boundary, _, names = data.partition(b"\0")
    listed = _file(names, "phones.txt") if names else None
    return graphs.read_phones(_file(boundary, "word_boundary.int"), listed, ("a", "b"))


def _phone_lists() -> list[bytes]:
    graph = _MODEL / "graph/phones"
    whole = (graph / "word_boundary.int").read_bytes()
    return [whole + b"\0" + (_MODEL / "graph/phones.txt").read_bytes(), whole,
            b"1 nonword\n6 begin\n7 end\n8 internal\n9 singleton\n"]  # fmt: skip


def _vocabulary(data: bytes) -> object:
    return folders.vocabulary(_file(data, "model/graph/words.txt").parent.parent)


def _manifest(data: bytes) -> object:
    path = _file(data, f"sealed/{folders.MANIFEST}")
    return folders.verify(path.parent)


def _zip(*names: str) -> bytes:
    written = BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, b"\0BTM" + bytes(300))
    return written.getvalue()


def _voice_archive() -> list[bytes]:
    file = _folders[0] / f"voice-{next(_count)}.zip"
    voice_archive.write(file, donated(count=2))
    return [file.read_bytes()]


_CORE = ("m/am/final.mdl", "m/conf/mfcc.conf", "m/graph/HCLr.fst", "m/graph/Gr.fst")
_count = itertools.count()


def _unpack(data: bytes) -> object:
    archive = _file(data, "model.zip")
    target = _folders[0] / f"unpacked-{next(_count)}" / "in"
    try:
        unpack(archive, target)
    finally:
        import shutil

        beside = [one for one in target.parent.glob("*") if one != target]
        shutil.rmtree(target.parent, ignore_errors=True)
        assert not beside  # nothing outside the target
    return None


@contextmanager
def _at_home() -> Iterator[None]:
    """The user's folders are ours."""
    home = str(_folders[0] / "home")
    with (
        patch.object(platformdirs, "user_config_path", lambda *_, **__: Path(home)),
        patch.object(folders, "data_folder", lambda: Path(home)),
    ):
        yield


def _kept(data: bytes) -> object:
    """All small files that the program keeps for itself: what is spoilt counts as not there."""
    for name in (
        "players.json",
        "misheard.json",
        "boards.json",
        "boards/port-dev-ttyUSB0.json",
        folders._CHOSEN,
        "doors.json",
    ):
        path = _file(data, f"home/{name}")
    AccessLinks(path)
    with _at_home():
        for player in ("Anna", ""):
            speaker_preferences.kept(player)
            speaker_preferences.habits(player)
        calibration.kept("", "/dev/ttyUSB0")
        folders.chosen_names("de")
    return None


def _settings() -> list[bytes]:
    return [json.dumps(one).encode() for one in (
        {"Anna": {"volume": 4, "rate": 180}, "": {"volume": -8}},
        {"Anna": [["eva", "efa"], ["drei", "zwei"]], "": []},
        {"/dev/ttyUSB0": {"bad": ["e4"], "labels": {"e4": 500}}, "de": ["built-in", "own"]},
        {"links": {"arbiter": "00" * 32},
         "sessions": {"11" * 32: {"role": "arbiter", "language": "de", "theme": ""}}},
    )]  # fmt: skip


def _catalogue(data: bytes) -> object:
    return catalogue.load().listed("vosk-model-small-de-0.15", _text(data))


def _listed() -> list[bytes]:
    entry = {"name": "vosk-model-small-de-0.15", "lang_text": "German", "md5": "0" * 32,
             "size": 47000000, "url": "https://example.org/m.zip", "version": "0.15"}  # fmt: skip
    return [json.dumps([entry, {**entry, "name": "other"}]).encode()]


def _sound(data: bytes) -> object:
    path = _file(data, "sound.wav")
    with suppress(AudioError):
        read_wav(path)
    return read_audio(path)


def _sounds() -> list[bytes]:
    found = []
    for channels, width, rate in ((1, 2, 16000), (2, 1, 8000), (1, 3, 44100)):
        written = BytesIO()
        with wave.open(written, "wb") as file:
            file.setnchannels(channels)
            file.setsampwidth(width)
            file.setframerate(rate)
            file.writeframes(bytes(range(256)) * 6)
        found.append(written.getvalue())
    return found + _flacs()


@functools.cache
def _flac() -> bytes:
    tape = Tape(_folders[0] / "seed.tape")
    return tape.keep(bytes(800), 16000, t=5, ply=3, by="table", words="eva vier").path.read_bytes()


def _flacs() -> list[bytes]:
    return [_flac()]


def _tape(data: bytes) -> object:
    path = _file(data, f"game.tape/{next(_count) % 4:06}-ply-3-table.flac")
    return Tape(path.parent, create=False).recordings()


def _journal(data: bytes) -> object:
    contents = read_journal(_file(data, "game.jsonl"))
    assert bool(contents.trouble or contents.repaired) is (data != contents.whole)
    assert contents.repaired or data.startswith(contents.whole)
    return contents


def _chained(data: bytes) -> bytes:
    """Lines with the digests that belong to them, so that damage is not found by these alone."""
    before, lines = b"", []
    for line in data.split(b"\n"):
        covered = line.rpartition(b',"digest":')[0]
        if covered:
            before = hashlib.sha256(before + covered).hexdigest()[:32].encode()
            line = covered + b',"digest":"%b"}' % before
        lines.append(line)
    return b"\n".join(lines)


def _journals() -> list[bytes]:
    path = _folders[0] / "seed.jsonl"
    if not path.is_file():
        journal = Journal(path)
        for line in _scenarios()[0].decode().split("\n"):
            journal.append(f.loads(line))
        journal.close()
    return [path.read_bytes()]


TARGETS = {
    target.name: target
    for target in (
        Target("peg", _peg_decoder(), _bodies, seal=_seal, most_bytes=200),
        Target("peg-driver", _peg_driver, _talk, (UnfitBoardError,), most_bytes=1000),
        Target("dgt", _dgt_decoder(), _dgt_frames, most_bytes=200),
        *_other_makers(),
        Target("livechess", _livechess, _calls, most_bytes=1000),
        Target("dgt-recording", lambda data: list(decode(data)), lambda: list(_recorded()),
               (NoRecordingError,), most_bytes=20_000),
        Target("firmware", _firmware, lambda: [b":0400000001020304F2\n:00000001FF\n"],
               (ValueError,)),
        Target("facts", _loads, lambda: [line for game in _scenarios() for line in
               game.split(b"\n")], (f.FactError,)),
        Target("game", _game, lambda: list(_scenarios()[::6]), most_bytes=8000),
        Target("understand", _understand, _said, most_bytes=400),
        Target("sheet", _sheet_entry, _said, most_bytes=400),
        Target("entries", _entries, _sheets, most_bytes=2000),
        Target("braille", _braille, lambda: _sheets() + _said(), (ValueError,), most_bytes=1000),
        Target("pack", _pack, lambda: list(_packs()), (LanguageError,), most_bytes=100_000),
        Target("pack-check", _check, _parts_of_packs, most_bytes=20_000),
        Target("requests", pages.request, pages.requests, most_bytes=3000),
        Target("forms", pages.forms, pages.actions, most_bytes=1500),
        Target("graph", _graph, _small_graph, (graphs.GraphError,), most_bytes=6000),
        Target("transitions", lambda data: graphs.read_transitions(_file(data, "final.mdl")),
               _from_model("am/final.mdl"), (graphs.GraphError,), most_bytes=6000),
        Target("phones", _phones, _phone_lists, (graphs.GraphError,)),
        Target("words.txt", _vocabulary, _from_model("graph/words.txt"), (folders.ModelError,)),
        Target("confidence", lambda data: confidence.read(_text(data), Path("confidence.json")),
               _from_model("confidence.json"), (folders.ModelError,), most_bytes=20_000),
        Target("manifest", _manifest, lambda: [b'{"name": "m", "files": {"a/b": "00"}}'],
               (folders.ModelError,)),
        Target("models-list", _catalogue, _listed, (catalogue.BaseModelError,)),
        Target("voice-archive", lambda data: voice_archive.read(_file(data, "voice.zip")),
               _voice_archive, (voice_archive.ArchiveError,)),
        Target("archive", _unpack, lambda: [_zip(*_CORE), _zip("../up", *_CORE)],
               (folders.ModelError, OSError)),
        Target("kept", _kept, _settings),
        Target("sound", _sound, _sounds, (AudioError,), most_bytes=6000),
        Target("tape", _tape, _flacs, most_bytes=6000),
        Target("journal", _journal, _journals, (JournalError,), seal=_chained, most_bytes=40_000),
    )
}  # fmt: skip
